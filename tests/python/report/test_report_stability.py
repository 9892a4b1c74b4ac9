"""The stability of scores in a report."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc._commands.main import main
from polars_auc._page.details import details
from polars_auc._report.options import ReportOptions
from polars_auc._report.rows import Rows
from report.test_report_page import Page

Capture = pytest.CaptureFixture[str]

COLUMNS = ["psi", "psi_p_value", "psi_n", "psi_reference_n"]
FIELDS = ["psi", "p_value", "n_neg", "n_pos"]
BUILT = pl.col("year") < 2016


def rows() -> pl.DataFrame:
    place = pl.int_range(pl.len())
    return fixed(2400).select(
        "score",
        other=pl.when(place % 13 > 0).then(-pl.col("score") * place),
        y=pl.when(place % 17 > 0).then(pl.col("label").cast(pl.Int8)),
        h=pl.when(place % 19 > 0).then(pl.col("g") % 3),
        year=pl.when(place % 23 > 0).then(2013 + place % 7),
        times=place % 3,
    )


def held(new: pl.DataFrame, reference: pl.DataFrame, score: str, **options: Any) -> list[Any]:
    """Compare two samples."""
    both = pl.concat([new.with_columns(old=pl.lit(0)), reference.with_columns(old=pl.lit(1))])
    answer = both.select(pa.population_stability("old", score, **options)).item()
    return [answer[field] for field in FIELDS]


def same(value: Any, key: str) -> pl.Expr:
    return pl.col(key).eq_missing(pl.lit(value))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("by", [[], ["h"], ["year"], ["h", "year"], ["year", "h"]])
def test_groups_are_held_against_the_reference(by: list[str], engine: Any) -> None:
    """Columns in the condition do not split the reference."""
    frame = rows()
    plan = pa.report(frame.lazy(), "y", ["score", "other"], by=by, stability=BUILT, count="times")
    report = plan.collect(engine=engine)
    assert report.schema == plan.collect_schema()
    assert report.columns[-4:] == COLUMNS
    without = pa.report(frame, "y", ["score", "other"], by=by, count="times")
    assert_frame_equal(report.drop(COLUMNS), without)
    for row in report.iter_rows(named=True):
        keys = by if row["scope"] == "group" else []
        shared = [key for key in keys if key != "year"]
        group_rows = frame.filter(True, *(same(row[key], key) for key in keys))
        new = group_rows.filter(~BUILT)
        reference = frame.filter(BUILT, *(same(row[key], key) for key in shared))
        expected = held(new, reference, row["score"], count="times")
        if group_rows.filter(BUILT).height == group_rows.height:
            expected[2] = None
        assert [row[column] for column in COLUMNS] == expected


@pytest.mark.parametrize("groupings", ["each", "rollup", "cube"])
def test_several_groupings(groupings: Any) -> None:
    options: dict[str, Any] = {"stability": BUILT, "compare": True, "versus": "rest", "adjust": None}
    by = ["h", "year"]
    report = pa.report(rows(), "y", ["score", "other"], by=by, groupings=groupings, **options)
    for some in report["grouping"].drop_nulls().unique():
        keys = some.split(", ")
        separate = pa.report(rows(), "y", ["score", "other"], by=keys, **options).filter(scope="group")
        expected = separate.drop(pl.selectors.starts_with("heterogeneity", "within"))
        assert_frame_equal(report.filter(grouping=some).select(expected.columns), expected)


def test_the_condition_is_of_all_rows() -> None:
    """The first year is over all rows, also if a group lacks it."""
    options: dict[str, Any] = {"by": "h"}
    first = pa.report(rows(), "y", "score", stability=pl.col("year") == pl.col("year").min(), **options)
    assert first.equals(pa.report(rows(), "y", "score", stability=pl.col("year") == 2013, **options))
    by_name = pa.report(rows().with_columns(built=BUILT), "y", "score", stability="built", **options)
    assert by_name.equals(pa.report(rows(), "y", "score", stability=BUILT, **options))


def test_rows_without_a_label_count() -> None:
    """Outcomes of the last year are not known yet."""
    frame = rows().with_columns(y=pl.when(pl.col("year") < 2019).then("y"))
    report = pa.report(frame, "y", "score", by="year", stability=BUILT)
    complete = pa.report(rows(), "y", "score", by="year", stability=BUILT)
    assert report.filter(year=2019)["auc"].item() is None
    assert report["psi"].equals(complete["psi"])


def test_names_that_columns_share() -> None:
    """A column of groups may be a score, and may have any name."""
    frame = rows().with_columns(grade=pl.col("score").round(0))
    report = pa.report(frame, "y", "grade", by="grade", stability=BUILT)
    for row in report.filter(scope="group").iter_rows(named=True):
        group_rows = frame.filter(same(row["grade"], "grade"))
        assert row["psi_reference_n"] == group_rows.filter(BUILT)["grade"].count()


def test_nan_and_infinity() -> None:
    frame = pl.DataFrame(
        {
            "k": ["a"] * 6 + ["b"] * 6 + ["c"] * 6,
            "old": [True, True, True, False, False, False] * 3,
            "y": [0, 1, 1] * 6,
            "s": [1.0, 2.0, 3.0, 3.0, 3.0, 3.0, *[1.0, 2.0, math.nan] * 2, *[1.0, 2.0, 3.0] * 2],
        }
    )
    with pytest.warns(UserWarning, match="the score 's' is NaN in 2 rows of the group k=b"):
        report = pa.report(frame, "y", "s", by="k", stability="old")
    assert report["psi"][0] == math.inf
    assert math.isnan(report["psi"][1])
    assert report["psi"][2] == 0
    assert math.isnan(report["psi"][3])


@pytest.mark.parametrize(
    "dtype", [pl.Boolean, pl.Int8, pl.UInt64, pl.Int128, pl.Float32, pl.Decimal(20, 3)], ids=str
)
def test_a_reference_of_any_scores(dtype: Any) -> None:
    """The bands of a shared reference have scores of the same dtype."""
    grade = (pl.int_range(pl.len()) * 7919) % 120
    frame = rows().with_columns(s=grade > 50 if dtype == pl.Boolean else grade.cast(dtype))
    report = pa.report(frame, "y", "s", by=["year", "h"], stability=BUILT)
    for row in report.filter(pl.col("psi").is_not_null(), scope="group").iter_rows(named=True):
        new = frame.filter(~BUILT, same(row["year"], "year"), same(row["h"], "h"))
        reference = frame.filter(BUILT, same(row["h"], "h"))
        assert [row[column] for column in COLUMNS] == held(new, reference, "s")
    assert report["psi"].count() > 8


def test_a_nan_in_a_shared_reference() -> None:
    frame = rows().with_columns(
        score=pl.when(pl.int_range(pl.len()) == 1).then(math.nan).otherwise("score"), h=pl.lit("a")
    )
    more = pl.concat([frame, rows().with_columns(h=pl.lit("b"))])
    with pytest.warns(UserWarning, match="the score 'score' is NaN in 1 row of the group year="):
        report = pa.report(more, "y", "score", by=["year", "h"], stability=BUILT)
    held_years = report.filter(pl.col("year") >= 2016)
    assert held_years.filter(h="a")["psi"].is_nan().all()
    assert held_years.filter(h="b")["psi"].is_finite().all()
    assert held_years.filter(h="a")["psi_reference_n"].equals(held_years.filter(h="b")["psi_reference_n"])


def test_many_rows_with_a_shared_reference() -> None:
    """Bands of many rows are found by another method, with the same result."""
    place = pl.int_range(60_000, eager=True)
    frame = pl.DataFrame({"year": 2013 + place % 7, "y": place % 3 == 0, "s": (place * 7919) % 60_013})
    for scores in (pl.col("s"), pl.col("s") // 977):
        report = pa.report(frame, "y", scores, by="year", stability=BUILT)
        for row in report.filter(pl.col("year") >= 2016).iter_rows(named=True):
            new, reference = frame.filter(year=row["year"]), frame.filter(BUILT)
            expected = held(new.with_columns(scores), reference.with_columns(scores), "s")
            assert [row[column] for column in COLUMNS] == expected


def test_clusters_leave_no_p_value() -> None:
    frame = rows().with_columns(patient=pl.int_range(pl.len()) // 3)
    clustered = pa.report(frame, "y", "score", by="year", stability=BUILT, cluster="patient")
    plain = pa.report(frame, "y", "score", by="year", stability=BUILT)
    assert clustered["psi"].equals(plain["psi"])
    assert clustered["psi_p_value"].null_count() == clustered.height
    assert clustered.schema == plain.schema


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"stability": "zz"},
            pl.exceptions.ColumnNotFoundError,
            "report: stability has the unknown column 'zz'",
        ),
        ({"stability": "year"}, ValueError, "report: stability must be true or false in each row, got Int64"),
        ({"stability": 3}, TypeError, "report: stability must be one column name or expression, got int"),
        ({"stability": pl.col("a") < 1}, pl.exceptions.ColumnNotFoundError, 'report: .*"a"'),
        ({"stability": BUILT, "memory": "bounded"}, ValueError, "report: stability needs all rows at once"),
        ({"stability": BUILT, "by": "psi"}, ValueError, "the group column 'psi' has the name"),
    ],
)
def test_refusals(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pa.report(rows().with_columns(psi=1), "y", "score", **options)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows().write_parquet("rows.parquet")
    return tmp_path


REPORT = ["report", "rows.parquet", "--label", "y", "--score", "score", "--by", "h", "--by", "year"]
STABLE = ["--stability", "year < 2016"]


def test_stability_on_the_command_line(folder: Path, capsys: Capture) -> None:
    expected = pa.report(rows(), "y", "score", by=["h", "year"], stability=BUILT)
    assert main([*REPORT, *STABLE, "--quiet", "-o", "out.parquet"]) == 0
    assert pl.read_parquet("out.parquet").equals(expected)
    (folder / "x.toml").write_text('[report]\nstability = "year < 2016"\n')
    assert main([*REPORT, "--config", "x.toml", "-o", "out.parquet"]) == 0
    assert pl.read_parquet("out.parquet").equals(expected)
    assert capsys.readouterr().out.splitlines()[1].split("┆")[-1].strip(" │") == "psi"
    # The SQL column of groups has its name in the condition.
    in_sql = [*REPORT[:-4], "--by", "year - 2000 AS since", "--stability", "since < 16", "-o", "out.parquet"]
    assert main([*in_sql, "--quiet"]) == 0
    by_year = pa.report(rows(), "y", "score", by="year", stability=BUILT)
    assert pl.read_parquet("out.parquet").drop("since").equals(by_year.drop("year"))


def test_a_condition_on_a_column_of_groups(folder: Path, capsys: Capture) -> None:
    """Each year is compared with the reference in the same year, which does not exist."""
    assert folder.exists()
    by_since = [*REPORT[:-4], "--by", "year - 2000 AS since"]
    assert main([*by_since, *STABLE]) == 0
    assert "psi: no group has rows of the reference and others. If --by is made" in capsys.readouterr().err
    assert main([*by_since, "--stability", "since < 16"]) == 0
    assert "no group has rows" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--stability", "yeer < 2016"], "--stability names the column 'yeer', which is not in the files"),
        (["--stability", "year"], "--stability 'year' is not a condition"),
        (["--stability", "year <"], "--stability 'year <' is not a SQL expression"),
        (
            [*STABLE, "--bounded"],
            "--stability needs all rows at once, so it cannot be combined with --bounded",
        ),
        ([*STABLE, *STABLE], "--stability is given twice"),
        (["--fail-if", "psi > 0.1"], "--fail-if names the column 'psi', which is not in the report"),
    ],
)
def test_refusals_of_the_command(folder: Path, options: list[str], message: str, capsys: Capture) -> None:
    assert folder.exists()
    assert main([*REPORT, *options]) == 2
    assert message in capsys.readouterr().err


def test_gates_on_stability(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Groups with only reference rows pass; undefined groups fail."""
    monkeypatch.chdir(tmp_path)
    frame = rows().drop_nulls(["year", "h"])
    report = ["report", "x.parquet", "--label", "y", "--score", "score", "--by", "year", "--quiet"]

    def checked(gate: str, of: pl.DataFrame, *options: str) -> tuple[int, str]:
        of.write_parquet("x.parquet")
        code = main([*report, *(options or STABLE), "--fail-if", gate])
        return code, capsys.readouterr().err

    assert checked("psi > 10", frame)[0] == 0
    assert checked("psi >= 0", frame)[0] == 1
    # A year with missing scores, and one with rows in neither sample.
    missing = frame.with_columns(score=pl.when(pl.col("year") < 2019).then("score"))
    assert checked("psi > 10", missing)[0] == 1
    assert "cannot be decided in 1" in checked("psi > 10", missing)[1]
    neither = frame.with_columns(year=pl.when(pl.col("year") < 2019).then("year"))
    assert checked("psi > 10", neither)[0] == 1
    # No row of the reference, and only rows of the reference.
    assert checked("psi > 10", frame.filter(~BUILT))[0] == 1
    assert checked("psi > 10", frame.filter(BUILT))[0] == 1
    assert "none of them has anything to be compared with" in checked("psi > 10", frame.filter(BUILT))[1]
    # An infinite index is large.
    moved = frame.with_columns(score=pl.when(BUILT).then("score").otherwise(1e6))
    assert checked("psi > 10", moved)[0] == 1


def test_files_of_an_infinite_index(folder: Path) -> None:
    moved = rows().with_columns(score=pl.when(BUILT).then("score").otherwise(1e6))
    moved.write_parquet("rows.parquet")
    for name in ("out.json", "out.parquet", "out.md", "out.html"):
        assert main([*REPORT, *STABLE, "--quiet", "-o", name]) == 0
    assert pl.read_parquet("out.parquet").filter(scope="overall")["psi"].item() == math.inf
    [*_, overall] = json.loads((folder / "out.json").read_text())["rows"]
    assert overall["psi"] is None
    assert "| inf " in (folder / "out.md").read_text()
    page = Page((folder / "out.html").read_text(encoding="utf-8"))
    assert page.tables["The stability of scores over all rows"][1][1] == "inf"
    assert page.tables["The stability of scores in groups"][1][3] == "inf"
    assert "stability" not in page.charts


def test_the_page_shows_the_stability(folder: Path) -> None:
    scores = ["--score", "other"]
    assert main([*REPORT, *scores, *STABLE, "--quiet", "-o", "out.html"]) == 0
    page = Page((folder / "out.html").read_text(encoding="utf-8"))
    report = pa.report(rows(), "y", ["score", "other"], by=["h", "year"], stability=BUILT)
    assert "<dd>of scores, held against the rows where year &lt; 2016</dd>" in page.text
    assert 'href="#stability"' in page.text
    [header, *overall] = page.tables["The stability of scores over all rows"]
    assert header == ["score", *COLUMNS]
    for row, expected in zip(overall, report.filter(scope="overall").iter_rows(named=True), strict=True):
        assert row[:2] == [expected["score"], f"{expected['psi']:.4f}"]
    groups = report.filter(scope="group").filter(pl.col("psi").is_not_null()).sort("psi", descending=True)
    finite = groups.filter(pl.col("psi").is_finite())
    listed = page.tables["The stability of scores in groups"][1:]
    assert [row[3] for row in listed] == [f"{psi:.4f}" for psi in groups["psi"][:50]]
    bars = page.data("stability")
    assert bars["psi"].to_list() == [float(f"{psi:.6g}") for psi in finite["psi"]]
    assert set(bars["look"]) == {0.1}
    assert set(bars["shift"]) == {0.25}
    assert main([*REPORT, "--quiet", "-o", "out.html"]) == 0
    assert 'id="stability"' not in (folder / "out.html").read_text(encoding="utf-8")


def test_a_page_of_groups_without_outcomes(folder: Path) -> None:
    frame = rows().with_columns(y=pl.when(BUILT).then("y"))
    frame.write_parquet("rows.parquet")
    report = pa.report(frame, "y", "score", by=["h", "year"], stability=BUILT).filter(scope="group")
    held_groups = report.drop_nulls("psi")
    assert held_groups["auc"].null_count() == held_groups.height > 10
    assert main([*REPORT, *STABLE, "--quiet", "-o", "out.html"]) == 0
    page = Page((folder / "out.html").read_text(encoding="utf-8"))
    assert page.data("stability").height == held_groups["psi"].is_finite().sum()
    assert len(page.tables["The stability of scores in groups"]) == held_groups.height + 1


def test_a_page_without_groups(folder: Path) -> None:
    assert main([*REPORT[:-4], *STABLE, "--quiet", "-o", "out.html"]) == 0
    page = Page((folder / "out.html").read_text(encoding="utf-8"))
    assert len(page.tables["The stability of scores over all rows"]) == 2
    assert "The stability of scores in groups" not in page.tables


def test_an_earlier_report_has_a_separate_stability(folder: Path) -> None:
    assert main([*REPORT, *STABLE, "--quiet", "-o", "before.parquet"]) == 0
    now = [*REPORT, *STABLE, "--compare-to", "before.parquet", "--quiet", "-o", "now.parquet"]
    assert main(now) == 0
    before, after = pl.read_parquet(folder / "before.parquet"), pl.read_parquet(folder / "now.parquet")
    assert after.select(before.columns).equals(before)


def test_the_page_has_the_bands_of_the_index(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    arguments = ["--label", "label", "--score", "forest", "--by", "segment", "--stability", "fold % 2 = 0"]
    data = Path(__file__).parents[3] / "data"
    assert main(["report", str(data), *arguments, "--quiet", "-o", str(output)]) == 0
    head, *rows = Page(output.read_text(encoding="utf-8")).tables["The bands of the index of forest"]
    assert head == ["highest", "lowest", "reference_n", "n", "reference_share", "share", "psi"]
    table = (
        pl.scan_parquet(data / "*.parquet")
        .select(pa.population_stability_table(pl.col("fold") % 2 == 0, "forest"))
        .explode("forest")
        .unnest("forest")
        .collect()
    )
    assert [row[2:] for row in rows] == [
        [f"{n_pos:,}", f"{n_neg:,}", *(f"{number:.4f}" for number in numbers)]
        for n_pos, n_neg, *numbers in table.select("n_pos", "n_neg", "pos_share", "neg_share", "psi").rows()
    ]


def test_the_bands_make_the_index() -> None:
    rows = pl.read_parquet(Path(__file__).parents[3] / "data" / "*.parquet")
    is_reference = pl.col("fold") % 2 == 0
    for options in ({}, {"bands": 3}, {"edges": [0.2, 0.6]}, {"bands": 50, "empty_share": 0.001}):
        index = rows.select(pa.population_stability(is_reference, "forest", **options)).unnest("forest")
        table = rows.select(
            pa.population_stability_table(is_reference, "forest", **options).explode()
        ).unnest("forest")
        assert abs(table["psi"].sum() - index["psi"].item()) < 1e-12
        assert (table["n_pos"].sum(), table["n_neg"].sum()) == index.select("n_pos", "n_neg").row(0)


@pytest.mark.parametrize("role", ["count", "weight"])
def test_the_bands_of_a_page_make_the_index_of_the_report(role: str) -> None:
    """Test also counts and weights."""
    frame = rows().with_columns(mass=pl.int_range(pl.len()) % 5 + 1)
    options: dict[str, Any] = {role: "mass", "stability": BUILT}
    report = pa.report(frame, "y", "score", **options)
    observed = Rows.from_arguments(frame, "y", "score", ReportOptions(**options))
    bands = details(observed, report, 0.95, BUILT).stability
    assert bands["psi"].sum() == pytest.approx(report["psi"].item(), rel=1e-12)
