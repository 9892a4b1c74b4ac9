"""Scores that are NaN: loud, and skipped only if that is asked for."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]

ROWS = pl.DataFrame(
    {
        "y": [0, 1, 0, 1, 0, 1, None, 1] * 3,
        "s": [1.0, math.nan, 2.0, 3.0, 4.0, 5.0, math.nan, 2.5, *[3.0, 1.0, 2.0, 5.0] * 4],
        "t": range(24),
        "w": [1, 1, 2, 3, 1, 2, 1, 1] * 3,
        "g": ["a"] * 8 + ["b"] * 16,
    }
)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"weight": "w"},
    {"count": "w"},
    {"memory": "bounded", "max_bins": 4096},
    {"compare": True, "versus": "rest", "cluster": "t"},
    {"groupings": "each"},
    {"sorted_by": "g"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_skipped_nan_is_missing_and_counted(options: dict[str, Any]) -> None:
    given = {"by": "g", **options}
    report = pa.report(ROWS, "y", ["s", "t"], nan="skip", **given)
    table = report
    assert table.schema == report.collect_schema()
    filled = ROWS.with_columns(pl.col("s").fill_nan(None))
    expected = pa.report(filled, "y", ["s", "t"], **given)
    assert_frame_equal(table.select(expected.columns), expected)
    # The NaN of a row without a label is missing anyway.
    assert table.filter(score="s")["n_nan"].to_list() == [1, 0, 1]
    assert table.filter(score="t")["n_nan"].to_list() == [0, 0, 0]


@pytest.mark.parametrize("options", OPTIONS)
def test_nan_warns_with_numbers(options: dict[str, Any]) -> None:
    says = "the score 's' is NaN in 1 row of the group g=a; NaN is a fault"
    with pytest.warns(UserWarning, match=says):
        table = pa.report(ROWS, "y", ["s", "t"], by="g", **options)
    assert table.filter(score="s")["auc"].is_nan().to_list() == [True, False, True]


def test_no_warning_without_nan() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pa.report(ROWS.filter(g="b"), "y", ["s", "t"])


def test_other_values_are_refused() -> None:
    with pytest.raises(ValueError, match="nan must be 'skip', or be left out, got 'drop'"):
        pa.report(ROWS, "y", "s", nan="drop")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "command",
    [
        ["report"],
        ["report", "--bounded"],
        ["gains"],
        ["thresholds"],
        ["compare", "--score", "t"],
        ["curve", "-o", "curve.csv"],
        ["state", "-o", "state.parquet"],
    ],
)
def test_every_command_is_loud(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    ROWS.write_csv("rows.csv")
    given = [*command, "rows.csv", "--label", "y", "--score", "s", "--by", "g"]
    assert main(given) == 3
    said = capsys.readouterr().err
    assert "the score 's' is NaN in 1 row of the group g=a" in said
    assert "--nan skip takes NaN for missing" in said
    assert "'rows.csv' has the text NaN, which is read as the number NaN" in said
    assert main([*given, "--nan", "skip"]) == 0
    said = capsys.readouterr().err
    assert "NaN is a fault" not in said
    assert main([*given, "--nan", "drop"]) == 2
    assert "--nan must be 'skip', or be left out" in capsys.readouterr().err


def test_keep_going_leaves_such_groups_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    ROWS.write_parquet("rows.parquet")
    given = ["report", "rows.parquet", "--label", "y", "--score", "s", "-o", "out.parquet", "--keep-going"]
    assert main([*given, "--by", "g"]) == 3
    assert "left out the group b" not in (said := capsys.readouterr().err)
    assert "left out the group a: a score is NaN" in said
    assert pl.read_parquet("out.parquet")["n"].to_list() == [14, 14]
    # Without groups there is nothing to leave out, and the report is as without the option.
    assert main(given) == 3
    assert "the score 's' is NaN in 1 row" in capsys.readouterr().err
    assert main([*given, "--by", "g", "--nan", "skip"]) == 0
    said = capsys.readouterr().err
    assert "s: 1 row skipped because the score is NaN" in said


def test_null_is_not_the_word_null(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.DataFrame({"g": ["null", None] * 4, "y": [0, 0, 1, 1] * 2, "s": [float("nan"), 1.0] * 4})
    rows = rows.with_columns(s=pl.when(pl.int_range(pl.len()) < 2).then(float("nan")).otherwise(0.5))
    rows.write_parquet(tmp_path / "rows.parquet")
    assert main(["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--by", "g"]) == 3
    said = capsys.readouterr().err
    assert "the score 's' is NaN in 1 row of the group g=\"null\"\n" in said
    assert "the score 's' is NaN in 1 row of the group g=null\n" in said
