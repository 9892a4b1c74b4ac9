"""Reports of states, in Python and in a shell, compared with reports of the rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import assert_report_of_rows, fixed, signed
from polars_auc._commands.main import main

PARTS = ["key", "month", "fold", "user"]
REFERENCE = pl.col("month") < 3
REPORTS: dict[str, dict[str, Any]] = {
    "alone": {"ci": "logit", "level": 0.9},
    "rest": {"by": "key", "versus": "rest"},
    "one": {"by": "key", "versus": "b", "adjust": "bh"},
    "overall": {"by": ["key", "month"], "versus": "overall", "groupings": "cube"},
    "previous": {"by": ["key", "month"], "versus": "previous", "along": "month"},
    "folds": {"by": "key", "folds": "fold"},
    "users": {"by": "key", "user": "user", "user_average": "pairs"},
    "stability": {"by": "key", "stability": REFERENCE},
    "shared": {"by": ["key", "month"], "stability": REFERENCE, "versus": "rest"},
    "months": {"by": "month", "stability": REFERENCE, "folds": "fold"},
    "groupings": {"by": ["key", "month"], "stability": REFERENCE, "groupings": "rollup"},
}


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    # States omit unlabelled rows, which the stability index may count.
    place = pl.int_range(pl.len())
    parts = {"month": place % 4 + 1, "fold": place // 3 % 5, "user": place // 7 % 20}
    return fixed(4000).drop_nulls("label").with_columns(**parts, s=pl.col("other").cast(pl.Float32))


def states_of(rows: pl.DataFrame, **limit: Any) -> pl.DataFrame:
    states = [pa.roc_state("label", score, **limit) for score in ("score", "s")]
    return rows.group_by(PARTS).agg(states).sample(fraction=1, shuffle=True, seed=2)


@pytest.mark.parametrize("options", REPORTS.values(), ids=REPORTS)
def test_reports_of_exact_states_are_those_of_the_rows(rows: pl.DataFrame, options: dict[str, Any]) -> None:
    expected = pa.report(rows, "label", ["score", "s"], **options)
    table = pa.report(states_of(rows), state=["score", "s"], **options)
    assert table["auc_min"].equals(table["auc"])
    assert table["auc_max"].equals(table["auc"])
    assert_report_of_rows(table, expected)
    lazy = pa.report(states_of(rows).lazy(), state=["score", "s"], **options)
    assert lazy.collect(engine="streaming").equals(table)
    assert lazy.collect_schema() == table.schema


def test_reports_of_small_states(rows: pl.DataFrame) -> None:
    options: dict[str, Any] = {"by": ["key", "month"], "versus": "rest", "stability": REFERENCE}
    states = states_of(rows, max_bins=256)
    table = pa.report(states, state="score", **options)
    expected = pa.report(rows, "label", "score", **options)
    assert ((table["auc_min"] <= expected["auc"]) & (expected["auc"] <= table["auc_max"])).all()
    assert (table["auc_min"] < table["auc_max"]).any()
    # The AUCs of a difference use the common bins of all rows, at most 256.
    assert_frame_equal(table.select("difference"), expected.select("difference"), abs_tol=0.01)
    stability = pa.population_stability(REFERENCE, state="score")
    assert table.filter(scope="overall")["psi"].item() == states.select(stability).item()["psi"]
    same = ["n", "n_pos", "n_missing", "psi_n", "psi_reference_n"]
    assert table.select(same).equals(expected.select(same))
    # Comparisons use compare_segments of states, and folds use states.
    compared = pa.compare_segments(states, state="score", by=["key", "month"], adjust=None)
    groups = table.filter(scope="group").sort("key", "month", nulls_last=True)
    assert groups["difference"].equals(compared["difference"])
    folds = pa.report(states, state="score", by="key", folds="fold").filter(scope="overall")
    assert folds["cv_auc"].item() == states.select(pa.cv_roc_auc(state="score", fold="fold")).item()["auc"]


def test_nan_and_states_without_positives(rows: pl.DataFrame) -> None:
    nan = pl.when(pl.col("key") == "a").then(float("nan")).otherwise("score")
    with_nan = rows.with_columns(score=nan)
    with pytest.warns(
        UserWarning, match="'score' is NaN in some rows of the group key=a; .* make states with"
    ):
        table = pa.report(states_of(with_nan), state="score", by="key", versus="previous")
    with pytest.warns(UserWarning, match="is NaN"):
        expected = pa.report(with_nan, "label", "score", by="key", versus="previous")
    assert_report_of_rows(table, expected)
    with pytest.warns(UserWarning, match="no positive rows in the states"):
        pa.report(states_of(rows.filter(~pl.col("label"))), state="score")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pa.report(states_of(rows), state="score")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"compare": True},
            "compare requires rows and cannot be combined with state. Hint: leave it out, or pass rows with "
            "label and scores",
        ),
        ({"cluster": "user"}, "cluster requires rows and cannot be combined with state"),
        ({"weight": "w"}, "weight requires rows"),
        ({"count": "n"}, "count requires rows"),
        ({"nan": "skip"}, "nan requires rows"),
        ({"low_is_positive": True}, "low_is_positive requires rows"),
        ({"sorted_by": "key", "by": "key"}, "sorted_by requires rows"),
        ({"memory": "bounded"}, "memory requires rows"),
        (
            {"state": []},
            r'state must name at least one column, got none. Hint: write report\(frame, state="state"\)',
        ),
        ({"state": ["s", "s"]}, "two states are named 's'"),
        ({"label": "label"}, "label cannot be combined with state, which contains counted rows"),
        ({"scores": "s"}, "scores cannot be combined with state"),
        (
            {"by": "key", "versus": "previous", "groupings": "each"},
            'must be "rest", "pooled_rest" or "overall"',
        ),
        ({"by": "s"}, "by names 's', which is a column of states"),
        ({"folds": "s"}, "folds must be a column of plain values, got Struct"),
        ({"user": "s"}, "user must be a column of plain values, got Struct"),
        (
            {"stability": "key"},
            "stability must be true or false in each row, got String. Hint: write stability=",
        ),
    ],
)
def test_what_needs_rows_is_refused(rows: pl.DataFrame, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pa.report(states_of(rows), **{"state": ["score", "s"], **options})


def test_neither_rows_nor_states(rows: pl.DataFrame) -> None:
    with pytest.raises(TypeError, match=r"missing scores. Hint: pass label and scores, or state"):
        pa.report(rows, "label")
    with pytest.raises(TypeError, match=r"missing label. Hint: pass label and scores, or state"):
        pa.report(rows, None, "s", memory="bounded")
    with pytest.raises(pl.exceptions.ComputeError, match='state "s" has dtype f32, expected structs'):
        pa.report(rows, state="s")
    heavy = rows.group_by("key").agg(state=pa.roc_state("label", "score", weight="weight"))
    report = pa.report(heavy, state="state", by="key", versus="rest")
    row_report = pa.report(rows, "label", "score", by="key", weight="weight")
    # Weights are multiples of a quarter.
    assert_frame_equal(
        report.select("auc", "se", "lower", "upper"), row_report.select("auc", "se", "lower", "upper")
    )
    assert report["p_adjusted"].null_count() < report.height
    options: dict[str, Any] = {
        "folds": "key",
        "user": "key",
        "user_average": "pairs",
        "stability": pl.col("key") == "a",
    }
    report = pa.report(heavy, state="state", by="key", **options)
    # Spark writes counts as Int64.
    signed_states = heavy.with_columns(pl.col("state").cast(signed(heavy.schema["state"])))
    assert pa.report(signed_states, state="state", by="key", **options).equals(report)
    row_report = pa.report(rows.drop_nulls("label"), "label", "score", by="key", weight="weight", **options)
    columns = ["cv_auc", "cv_se", "user_auc", "n_users", "psi", "psi_n", "psi_reference_n"]
    assert_frame_equal(report.select(columns), row_report.select(columns))


def test_the_shell(rows: pl.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: str(tmp_path / f"{name}.parquet") for name in ("rows", "states", "of_rows", "of_states")}
    rows.write_parquet(files["rows"])
    scored = ["--label", "label", "--score", "score", "--score", "s"]
    parts = [word for part in PARTS for word in ("--by", part)]
    assert main(["state", files["rows"], *scored, *parts, "-o", files["states"]]) == 0
    for options in (
        ["--by", "key", "--versus", "rest", "--folds", "fold", "--user", "user"],
        ["--by", "key", "--by", "month", "--versus", "previous", "--along", "month"],
        ["--by", "key", "--by", "month", "--stability", "month < 3", "--groupings", "rollup"],
    ):
        assert main(["report", files["rows"], *scored, *options, "-o", files["of_rows"]]) == 0
        assert main(["report", files["states"], "--from-states", *options, "-o", files["of_states"]]) == 0
        expected, table = (pl.read_parquet(files[name]) for name in ("of_rows", "of_states"))
        assert_report_of_rows(table, expected)
    page = str(tmp_path / "page.html")
    gate = ["--fail-if", "difference < -0.5", "-o", page]
    command = ["report", files["states"], "--from-states", "--by", "key", "--versus", "rest"]
    assert main([*command, "--stability", "month < 3", *gate]) == 0
    assert "Stability" in Path(page).read_text()
    capsys.readouterr()
    assert main([*command, "--cluster", "user"]) == 2
    message = (
        "--cluster requires rows, but the files contain states (--from-states). Hint: leave it out, or read"
    )
    assert message in capsys.readouterr().err


def test_a_configuration(rows: pl.DataFrame, tmp_path: Path) -> None:
    states_of(rows).write_parquet(tmp_path / "states.parquet")
    configuration = tmp_path / "polars-auc.toml"
    configuration.write_text(
        f"[input]\nfiles = [{str(tmp_path / 'states.parquet')!r}]\nscore = ['score']\nby = ['key']\n"
        "[report]\nfrom-states = true\nversus = 'rest'\nfolds = 'fold'\n"
        f"output = {str(tmp_path / 'x.parquet')!r}\n"
    )
    assert main(["report", "--config", str(configuration)]) == 0
    expected = pa.report(rows, "label", "score", by="key", versus="rest", folds="fold")
    assert_report_of_rows(pl.read_parquet(tmp_path / "x.parquet"), expected)


def test_bounded_memory_compares_groups(rows: pl.DataFrame) -> None:
    options: dict[str, Any] = {"by": ["key", "month"], "versus": "previous", "along": "month"}
    expected = pa.report(rows, "label", "score", **options)
    bounded = pa.report(rows, "label", "score", memory="bounded", max_bins=4096, **options)
    assert_report_of_rows(bounded, expected)


def test_pages_of_states(rows: pl.DataFrame, tmp_path: Path) -> None:
    states, path = states_of(rows, max_bins=256), tmp_path / "page.html"
    report = pa.report(states, state=["score", "s"], by="key", stability=REFERENCE)
    options: dict[str, Any] = {"frame": states, "state": ["score", "s"], "stability": REFERENCE}
    page = pa.write_report(report, path, **options).read_text()
    assert "Score distributions" in page
    assert "Stability of scores" in page
    variants: dict[str, dict[str, Any]] = {
        "label cannot be combined with state": {"label": "label"},
        "low_is_positive requires rows and cannot be combined with state": {"low_is_positive": True},
        "state names columns of frame. Hint: give frame": {"frame": None, "stability": None},
        "frame has other rows than the report": {"frame": states.filter(REFERENCE)},
    }
    for words, wrong in variants.items():
        with pytest.raises(ValueError, match=words):
            pa.write_report(report, path, **{**options, **wrong})
