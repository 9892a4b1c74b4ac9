"""Intervals of a report: bootstrap limits, clusters and weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import assert_report_of_rows, fixed
from polars_auc._commands.main import main
from report.test_report_page import Page

Capture = pytest.CaptureFixture[str]

AUC_COLUMNS = ["auc", "se", "lower", "upper"]


def rows() -> pl.DataFrame:
    return fixed(1200).with_columns(
        h=pl.col("g") % 2, other=-pl.col("score"), y=pl.col("label").cast(pl.Int8)
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows().write_parquet("rows.parquet")
    return tmp_path


REPORT = ["report", "rows.parquet", "--label", "y", "--score", "score", "--by", "h"]


def refused(arguments: list[str], capsys: Capture) -> str:
    assert main([*REPORT, *arguments]) == 2
    stderr = capsys.readouterr().err
    assert stderr.startswith("polars-auc: ")
    assert stderr.count("\n") == 1
    return stderr


def written(arguments: list[str]) -> pl.DataFrame:
    assert main([*REPORT, *arguments, "--quiet", "-o", "out.parquet"]) == 0
    return pl.read_parquet("out.parquet")


def group_results(frame: pl.DataFrame, expression: pl.Expr) -> list[dict[str, Any]]:
    """Return results by h, and overall."""
    groups = [frame.filter(pl.col("h").eq_missing(h)) for h in sorted(frame["h"].unique().drop_nulls())]
    groups += [frame.filter(pl.col("h").is_null())] if frame["h"].null_count() else []
    return [part.select(expression).item() for part in (*groups, frame)]


def test_limits_of_the_bootstrap(folder: Path) -> None:
    bootstrap: dict[str, Any] = {"n_resamples": 60, "seed": 3}
    options = ["--ci", "bootstrap", "--resamples", "60", "--seed", "3"]
    for interval in ("percentile", "bca"):
        report = pa.report(rows(), "y", "score", by="h", ci="bootstrap", interval=interval, **bootstrap)
        ci = pa.roc_auc_ci("y", "score", method="bootstrap", interval=interval, **bootstrap)
        expected = [[answer[name] for name in AUC_COLUMNS] for answer in group_results(rows(), ci)]
        assert [list(row) for row in report.select(AUC_COLUMNS).rows()] == expected
        assert written([*options, "--interval", interval]).equals(report)
        text = f'[report]\nci = "bootstrap"\nresamples = 60\nseed = 3\ninterval = "{interval}"\n'
        (folder / "x.toml").write_text(text)
        assert written(["--config", "x.toml"]).equals(report)
    assert written(options).equals(written([*options, "--interval", "percentile"]))
    assert not written(options).equals(written([*options, "--interval", "bca"]))


def test_limits_of_the_bootstrap_of_states(folder: Path) -> None:
    assert main(["state", *REPORT[1:], "-o", str(folder / "states.parquet")]) == 0
    options = ["--ci", "bootstrap", "--interval", "bca", "--resamples", "60"]
    assert main(["report", "states.parquet", "--from-states", "--by", "h", *options, "-o", "s.parquet"]) == 0
    states = pl.read_parquet("s.parquet")
    assert_report_of_rows(states, written(options))
    assert written([*options, "--bounded"]).equals(states)


def test_limits_are_of_the_bootstrap_alone(folder: Path, capsys: Capture) -> None:
    assert folder.exists()
    with pytest.raises(ValueError, match="report: interval applies to the bootstrap only, and ci is 'logit'"):
        pa.report(rows(), "y", "score", ci="logit", interval="bca")
    with pytest.raises(ValueError, match="report: interval must be one of 'percentile', 'bca', None"):
        pa.report(rows(), "y", "score", ci="bootstrap", interval="t")  # type: ignore[arg-type]
    message = refused(["--interval", "bca"], capsys)
    assert (
        "--interval applies to the bootstrap only, and --ci is 'wilson'. Hint: leave this out, or write"
        in message
    )
    assert "--seed and --interval apply to the bootstrap only" in refused(
        ["--seed", "1", "--interval", "bca"], capsys
    )
    assert "--interval must be one of 'percentile', 'bca', got 't'" in refused(["--interval", "t"], capsys)


def test_pages_name_the_method_of_limits(folder: Path) -> None:
    options = ["--ci", "bootstrap", "--interval", "bca", "--resamples", "60", "--quiet", "-o", "out.md"]
    assert main([*REPORT, *options]) == 0
    page = (folder / "out.md").read_text()
    assert "Intervals: 95 %, by bootstrap, BCa limits, 60 resamples, seed 0\n" in page


def in_clusters() -> pl.DataFrame:
    """Return rows in clusters, with some null clusters and some null scores."""
    place = pl.int_range(pl.len())
    return rows().with_columns(
        patient=pl.when(place % 11 > 0).then(place // 3),
        third=pl.when(place % 7 > 0).then(pl.col("score") * (pl.col("g") % 3 - 1)),
        h=pl.when(place % 5 > 0).then("h"),
    )


SCORES = ["score", "other", "third"]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize(
    "options",
    [
        {"ci": "delong", "level": 0.9},
        {"ci": "logit"},
        {"ci": "bootstrap", "interval": "percentile", "n_resamples": 40, "seed": 5},
    ],
)
def test_rows_in_clusters(options: dict[str, Any], engine: Any) -> None:
    frame = in_clusters()
    plan = pa.report(
        frame.lazy(), "y", SCORES, by="h", cluster="patient", compare=True, adjust="bonferroni", **options
    )
    report = plan.collect(engine=engine)
    assert report.schema == plan.collect_schema()
    plain = pa.report(frame, "y", SCORES, by="h", compare=True).collect_schema()
    assert report.schema == plain
    ci = {"method": options["ci"], **{name: value for name, value in options.items() if name != "ci"}}
    clustered = frame.drop_nulls("patient")
    numbers = ["n", "n_pos", "prevalence", "auc", "ks", "gini"]
    for name in SCORES:
        got = report.filter(score=name)
        expected = group_results(frame, pa.roc_auc_ci("y", name, cluster="patient", **ci))
        assert [list(row) for row in got.select(AUC_COLUMNS).rows()] == [
            [answer[field] for field in AUC_COLUMNS] for answer in expected
        ]
        summaries = group_results(clustered, pa.roc_summary("y", name))
        assert [list(row) for row in got.select(numbers).rows()] == [
            [answer[field] for field in numbers] for answer in summaries
        ]
        assert (got["n"] + got["n_missing"]).to_list() == group_results(frame, pl.len())
        if name == "score":
            assert got["delta_auc"].null_count() == got.height
            continue
        whole = frame.drop_nulls(SCORES)
        level = options.get("level", 0.95)
        pairs = group_results(
            whole, pa.roc_auc_difference("y", name, "score", cluster="patient", level=level)
        )
        gains = [
            "delta_auc",
            "delta_auc_lower",
            "delta_auc_upper",
            "delta_auc_p_value",
            "delta_auc_p_adjusted",
        ]
        tests = report["delta_auc_p_value"].drop_nulls().len()
        for row, pair in zip(got.select(gains).rows(), pairs, strict=True):
            fields = [pair[field] for field in ("difference", "lower", "upper", "p_value")]
            assert list(row) == [*fields, min(1, tests * pair["p_value"])]


def test_clusters_of_one_row_are_rows() -> None:
    frame = rows().with_row_index("own")
    options: dict[str, Any] = {"by": "h", "compare": True, "adjust": None}
    for scores in (SCORES[:2], ["score", "other", "weight"]):
        expected = pa.report(frame, "y", scores, **options)
        got = pa.report(frame, "y", scores, cluster="own", **options)
        assert_frame_equal(got, expected, rel_tol=1e-12)
    joint = pa.report(frame, "y", SCORES[:2], by="h", compare=True, cluster="own", groupings="each")
    assert_frame_equal(
        joint.drop("grouping"),
        pa.report(frame, "y", SCORES[:2], by="h", compare=True),
        rel_tol=1e-12,
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("versus", ["rest", "overall", "previous"])
def test_groups_of_clusters_against_others(versus: str) -> None:
    frame = in_clusters()
    report = pa.report(frame, "y", SCORES, by="h", versus=versus, cluster="patient")
    fields = ["versus_auc", "difference", "difference_lower", "difference_upper", "p_value"]
    overall_columns = ["within_auc", "heterogeneity", "heterogeneity_df", "heterogeneity_p_value"]
    for name in SCORES:
        compared = pa.compare_segments(frame, "y", name, "h", versus=versus, cluster="patient")
        got = report.filter(score=name)
        groups = got.filter(scope="group").sort("h", nulls_last=True)
        for ours, theirs in (("se", "se"), *zip(fields, fields, strict=True)):
            assert groups[ours].to_list() == compared[theirs].to_list()
        assert got.filter(scope="overall").select(overall_columns).row(0) == compared.select(
            overall_columns
        ).row(0)
    plain = pa.report(frame, "y", SCORES, by="h", versus=versus)
    assert plain["difference_lower"].to_list() != report["difference_lower"].to_list()
    frame.write_parquet("rows.parquet")
    on_the_command_line = written(["--cluster", "patient", "--score", "other", "--versus", versus])
    expected = pa.report(frame, "y", ["score", "other"], by="h", versus=versus, cluster="patient")
    assert on_the_command_line.equals(expected)


def test_counted_rows_in_clusters() -> None:
    frame = in_clusters().with_columns(times=pl.int_range(pl.len()) % 3)
    repeated = frame.select(pl.exclude("times").repeat_by("times").explode())
    options: dict[str, Any] = {"by": "h", "compare": True, "cluster": "patient"}
    expected = pa.report(repeated, "y", SCORES, **options)
    got = pa.report(frame, "y", SCORES, count="times", **options)
    # Rows with count 0 are counted as skipped.
    assert_frame_equal(got.drop("n_missing"), expected.drop("n_missing"))


def test_a_nan_leaves_no_gain() -> None:
    frame = in_clusters().with_columns(
        third=pl.when(pl.int_range(pl.len()) == 8).then(float("nan")).otherwise(pl.col("other"))
    )
    for clusters in ({}, {"cluster": "patient"}):
        with pytest.warns(UserWarning, match="the score 'third' is NaN in 1 row"):
            report = pa.report(frame, "y", SCORES, compare=True, **clusters)  # type: ignore[arg-type]
        assert report["delta_auc"][0] is None
        assert report["delta_auc"][1:].is_nan().all()
        assert report["delta_auc_p_adjusted"][1:].is_nan().all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"folds": "key"},
            "report: folds cannot be combined with cluster, .*. Hint: leave one of them out, or wri",
        ),
        ({"memory": "bounded"}, "report: cluster needs all rows at once"),
        ({"ci": "hanley_mcneil"}, "report: ci 'hanley_mcneil' cannot use clusters"),
        ({"ci": "bootstrap", "interval": "bca"}, "report: interval 'bca' cannot use clusters"),
        ({"interval": "bca"}, "report: interval applies to the bootstrap only, and ci is 'wilson'"),
        ({"ci": "wald"}, "report: ci must be one of"),
        ({"level": 2}, "report: level must lie between 0 and 1"),
    ],
)
def test_what_does_not_go_with_clusters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pa.report(in_clusters(), "y", "score", cluster="patient", **options)


def test_a_cluster_is_one_column() -> None:
    with pytest.raises(TypeError, match="report: cluster must be one column name or expression, got int"):
        pa.report(in_clusters(), "y", "score", cluster=3)  # type: ignore[arg-type]
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="zz"):
        pa.report(in_clusters(), "y", "score", cluster="zz")


CLUSTERED = ["--cluster", "patient", "--score", "other", "--compare"]


def test_clusters_on_the_command_line(folder: Path, capsys: Capture) -> None:
    in_clusters().write_parquet("rows.parquet")
    expected = pa.report(in_clusters(), "y", ["score", "other"], by="h", cluster="patient", compare=True)
    assert written(CLUSTERED).equals(expected)
    stderr = capsys.readouterr().err
    assert stderr == ""
    (folder / "x.toml").write_text(
        '[report]\ncluster = "patient"\nscore = ["score", "other"]\ncompare = true\n'
    )
    assert main(["report", "--config", "x.toml", *REPORT[1:4], "--by", "h", "-o", "out.parquet"]) == 0
    assert pl.read_parquet("out.parquet").equals(expected)
    skipped = expected.filter(scope="overall")["n_missing"][0]
    assert f"score: {skipped} rows skipped for a missing label, cluster or score" in capsys.readouterr().err
    # A cluster may be SQL.
    in_sql = pa.report(in_clusters(), "y", "score", by="h", cluster=pl.col("patient") % 50)
    assert written(["--cluster", "patient % 50"]).equals(in_sql)


def test_pages_of_clusters(folder: Path) -> None:
    in_clusters().write_parquet("rows.parquet")
    for name in ("out.md", "out.html"):
        assert main([*REPORT, *CLUSTERED, "--quiet", "-o", name]) == 0
        text = (folder / name).read_text(encoding="utf-8")
        assert "belong together; intervals and comparisons do not take them as independent" in text
    assert "Rows with a missing label, cluster or score are skipped." in text
    # A band assumes independent rows.
    assert "holds the whole curve of the population" not in text
    assert main([*REPORT, "--quiet", "-o", "out.html"]) == 0
    assert "holds the whole curve of the population" in (folder / "out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--folds", "key"],
            "--folds cannot be combined with --cluster, because its interval expects each cluster",
        ),
        (["--bounded"], "--cluster needs all rows at once, so it cannot be combined with --bounded"),
        (["--ci", "hanley_mcneil"], "--ci 'hanley_mcneil' cannot use clusters. Hint: take \"wilson\""),
        (
            ["--ci", "bootstrap", "--interval", "bca"],
            "--interval 'bca' cannot use clusters. Hint: take --interval percentile",
        ),
        (["--where", "patient IS NULL"], "every row has a missing label, cluster or score 'score'"),
    ],
)
def test_refusals_of_clusters(folder: Path, options: list[str], message: str, capsys: Capture) -> None:
    in_clusters().write_parquet(folder / "rows.parquet")
    assert message in refused(["--cluster", "patient", *options], capsys)


def test_states_have_no_clusters(folder: Path, capsys: Capture) -> None:
    states = ["report", "rows.parquet", "--from-states", "--cluster", "h"]
    assert folder.exists()
    assert main(states) == 2
    assert "--cluster requires rows, but the files contain states (--from-states)" in capsys.readouterr().err


def weighted() -> pl.DataFrame:
    """Return rows with weights, some of them 0 and some null."""
    place = pl.int_range(pl.len())
    return rows().with_columns(weight=pl.when(place % 9 > 0).then((place * 7 % 10) / 4))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("ci", ["delong", "logit"])
def test_weighted_rows(ci: Any, engine: Any) -> None:
    frame = weighted()
    plan = pa.report(frame.lazy(), "y", ["score", "other"], by="h", weight="weight", ci=ci, level=0.9)
    report = plan.collect(engine=engine)
    assert report.schema == plan.collect_schema()
    assert report.schema == pa.report(frame, "y", "score", by="h").collect_schema()
    for name in ("score", "other"):
        expected = report.filter(score=name)
        intervals = group_results(frame, pa.roc_auc_ci("y", name, method=ci, level=0.9, weight="weight"))
        assert [list(row) for row in expected.select(AUC_COLUMNS).rows()] == [
            [answer[field] for field in AUC_COLUMNS] for answer in intervals
        ]
        assert expected["ks"].to_list() == [
            answer["ks"] for answer in group_results(frame, pa.ks_statistic("y", name, weight="weight"))
        ]
        used = frame.filter(pl.col("weight") > 0).drop_nulls(["y", name])
        assert expected["n"].to_list() == group_results(used, pl.len())
        assert expected["n_pos"].to_list() == group_results(used, pl.col("y").sum())
        assert (expected["n"] + expected["n_missing"]).to_list() == group_results(frame, pl.len())
        share = (pl.col("y") * pl.col("weight")).sum() / pl.col("weight").sum()
        assert expected["prevalence"].to_list() == pytest.approx(group_results(used, share))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": "g"}, "report: count cannot be combined with weight"),
        ({"memory": "bounded"}, "report: weight needs all rows at once"),
        ({"ci": "hanley_mcneil"}, "report: ci 'hanley_mcneil' does not take a weight. Hint: write"),
        ({"ci": "bootstrap"}, "report: ci 'bootstrap' does not take a weight. Hint: write"),
        ({"ci": "wald"}, "report: ci must be one of"),
    ],
)
def test_what_does_not_go_with_weights(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pa.report(weighted(), "y", ["score", "other"], weight="weight", **options)


def test_weights_go_with_comparisons_folds_and_stability() -> None:
    frame = weighted()
    condition = pl.col("h") == 0
    report = pa.report(
        frame,
        "y",
        ["score", "other"],
        by="h",
        weight="weight",
        compare=True,
        versus="rest",
        folds="key",
        user="g",
        user_average="rows",
        stability=condition,
        adjust=None,
    )
    groups = report.filter(scope="group")
    second = groups.filter(score="other")
    paired = group_results(frame, pa.roc_auc_difference("y", "other", "score", weight="weight"))
    for place, answer in enumerate(paired[:-1]):
        row = second.row(place, named=True)
        for column, field in (
            ("delta_auc", "difference"),
            ("delta_auc_lower", "lower"),
            ("delta_auc_p_value", "p_value"),
        ):
            assert row[column] == pytest.approx(answer[field], rel=1e-12), column
    for name in ("score", "other"):
        expected = groups.filter(score=name)
        segments = pa.compare_segments(frame, "y", name, "h", weight="weight", adjust=None)
        assert expected["p_value"].to_list() == segments["p_value"].to_list()
        folds = group_results(frame, pa.cv_roc_auc("y", name, "key", weight="weight"))[:-1]
        assert expected["cv_auc"].to_list() == [answer["auc"] for answer in folds]
        mean = pa.grouped_roc_auc("y", name, "g", average="rows", weight="weight")
        users = group_results(frame, mean)[:-1]
        fields = {"user_auc": "auc", "user_se": "se", "n_users": "n_groups"}
        for column, field in fields.items():
            assert expected[column].to_list() == [answer[field] for answer in users]
        # Each group's rows against all rows of the reference, by states and by rows.
        for key, psi, n, of in expected.select("h", "psi", "psi_n", "psi_reference_n").iter_rows():
            if key in (0, None):
                continue
            held = frame.filter(condition | (pl.col("h") == key))
            [answer] = held.select(pa.population_stability(condition, name, weight="weight")).to_series()
            assert (psi, n, of) == (pytest.approx(answer["psi"]), answer["n_neg"], answer["n_pos"])


def test_weights_of_clusters() -> None:
    frame = weighted()
    report = pa.report(frame, "y", ["score", "other"], by="h", weight="weight", cluster="g", compare=True)
    for place, answer in enumerate(
        group_results(frame, pa.roc_auc_ci("y", "score", weight="weight", cluster="g"))
    ):
        row = report.filter(score="score").row(place, named=True)
        assert [row[field] for field in AUC_COLUMNS] == [answer[field] for field in AUC_COLUMNS]


@pytest.mark.parametrize("versus", ["rest", "overall"])
def test_compared_groups_of_weighted_clusters(versus: str) -> None:
    options: dict[str, Any] = {"weight": "weight", "cluster": "g", "versus": versus, "adjust": None}
    report = pa.report(weighted(), "y", ["score", "other"], by="h", **options)
    for name in ("score", "other"):
        segments = pa.compare_segments(weighted(), "y", name, "h", **options)
        columns = ["difference", "difference_lower", "difference_upper", "p_value"]
        expected = report.filter(scope="group", score=name)
        assert expected.select(columns).rows() == segments.select(columns).rows()


def test_weights_that_are_none() -> None:
    with pytest.raises(TypeError, match="report: weight must be one column name or expression, got float"):
        pa.report(weighted(), "y", "score", weight=1.0)  # type: ignore[arg-type]
    with pytest.raises(pl.exceptions.PolarsError, match="report: weight"):
        pa.report(weighted(), "y", "score", weight=-pl.col("weight"))


def test_weights_on_the_command_line(folder: Path, capsys: Capture) -> None:
    weighted().write_parquet("rows.parquet")
    expected = pa.report(weighted(), "y", "score", by="h", weight=pl.col("weight") * 2)
    assert written(["--weight", "weight * 2"]).equals(expected)
    (folder / "x.toml").write_text('[report]\nweight = "weight * 2"\n')
    assert written(["--config", "x.toml"]).equals(expected)
    capsys.readouterr()
    assert main([*REPORT, "--weight", "weight"]) == 0
    skipped = expected.filter(scope="overall")["n_missing"].item()
    message = f"score: {skipped} rows skipped for a missing label or score, or a weight that is null or 0"
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--count", "g"], "--count cannot be combined with --weight"),
        (["--bounded"], "--weight needs all rows at once, so it cannot be combined with --bounded"),
        (
            ["--ci", "bootstrap"],
            "--ci 'bootstrap' does not take a weight. Hint: write --ci wilson, --ci delong or --ci logit",
        ),
        (["--where", "g < 0"], "leaves no row"),
        (
            ["--where", "weight = 0"],
            "every row has a missing label or score 'score', or a weight that is null",
        ),
    ],
)
def test_refusals_of_weights(folder: Path, options: list[str], message: str, capsys: Capture) -> None:
    weighted().write_parquet(folder / "rows.parquet")
    assert message in refused(["--weight", "weight", *options], capsys)


def test_a_page_of_weights(folder: Path) -> None:
    """With whole weights the page equals that of repeated rows, except for intervals and counts."""
    frame = weighted().with_columns(times=(pl.col("weight") * 4).cast(pl.Int64))
    frame.write_parquet("rows.parquet")
    pages = {}
    for option in ("--weight", "--count"):
        assert main([*REPORT, option, "times", "--quiet", "-o", "out.html"]) == 0
        pages[option] = Page((folder / "out.html").read_text(encoding="utf-8"))
    whole, repeated = pages["--weight"], pages["--count"]
    assert "holds the whole curve" not in whole.text
    assert "about a tenth of the weight of all rows" in whole.text
    assert set(whole.charts) == set(repeated.charts)
    for chart in ("curves", "panels"):
        lines = [page.data(chart).filter(part="curve") for page in (whole, repeated)]
        ends = [line.select(pl.len(), pl.col("tpr", "fpr").sum().round(3)).row(0) for line in lines]
        assert ends[0] == pytest.approx(ends[1], rel=0.05)
    bars = [page.data("distributions").select("low", "high", "label", "share") for page in (whole, repeated)]
    assert_frame_equal(bars[0], bars[1], abs_tol=1e-4)
    gains, counted = (page.tables["Gains of score"] for page in (whole, repeated))
    assert len(gains) == len(counted)
    assert gains[0] == counted[0]
    for row, other in zip(gains[1:], counted[1:], strict=True):
        texts = [[float(cell.replace(",", "")) for cell in cells] for cells in (row, other)]
        assert texts[0] == pytest.approx(texts[1], abs=1e-4)
    thresholds = [page.tables["Thresholds of score"] for page in (whole, repeated)]
    assert [row[:4] for row in thresholds[0]] == [row[:4] for row in thresholds[1]]
