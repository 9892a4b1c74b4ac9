"""NaN scores: an error by default, and skipped on request."""

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
    keywords = {"by": "g", **options}
    report = pa.report(ROWS, "y", ["s", "t"], nan="skip", **keywords)
    table = report
    assert table.schema == report.collect_schema()
    filled = ROWS.with_columns(pl.col("s").fill_nan(None))
    expected = pa.report(filled, "y", ["s", "t"], **keywords)
    assert_frame_equal(table.select(expected.columns), expected)
    # The NaN of an unlabelled row does not count.
    assert table.filter(score="s")["n_nan"].to_list() == [1, 0, 1]
    assert table.filter(score="t")["n_nan"].to_list() == [0, 0, 0]


@pytest.mark.parametrize("options", OPTIONS)
def test_nan_warns_with_numbers(options: dict[str, Any]) -> None:
    message = "the score 's' is NaN in 1 row of the group g=a; NaN is a fault"
    with pytest.warns(UserWarning, match=message):
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
    arguments = [*command, "rows.csv", "--label", "y", "--score", "s", "--by", "g"]
    assert main(arguments) == 3
    stderr = capsys.readouterr().err
    assert "the score 's' is NaN in 1 row of the group g=a" in stderr
    assert "--nan skip takes NaN for missing" in stderr
    assert "'rows.csv' has the text NaN, which is read as the number NaN" in stderr
    assert main([*arguments, "--nan", "skip"]) == 0
    stderr = capsys.readouterr().err
    assert "NaN is a fault" not in stderr
    assert stderr.count("polars-auc: s: 1 row skipped because the score is NaN\n") == 1
    assert main([*arguments, "--nan", "drop"]) == 2
    assert "--nan must be 'skip', or be left out" in capsys.readouterr().err


def test_keep_going_leaves_such_groups_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    ROWS.write_parquet("rows.parquet")
    arguments = [
        "report",
        "rows.parquet",
        "--label",
        "y",
        "--score",
        "s",
        "-o",
        "out.parquet",
        "--keep-going",
    ]
    assert main([*arguments, "--by", "g"]) == 3
    assert "left out the group b" not in (stderr := capsys.readouterr().err)
    assert "left out the group a: a score is NaN" in stderr
    assert pl.read_parquet("out.parquet")["n"].to_list() == [14, 14]
    # Without groups no part can be omitted, and the error is the same.
    assert main(arguments) == 3
    assert "the score 's' is NaN in 1 row" in capsys.readouterr().err
    assert main([*arguments, "--by", "g", "--nan", "skip"]) == 0
    stderr = capsys.readouterr().err
    assert "s: 1 row skipped because the score is NaN" in stderr


def test_null_is_not_the_word_null(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.DataFrame({"g": ["null", None] * 4, "y": [0, 0, 1, 1] * 2, "s": [float("nan"), 1.0] * 4})
    rows = rows.with_columns(s=pl.when(pl.int_range(pl.len()) < 2).then(float("nan")).otherwise(0.5))
    rows.write_parquet(tmp_path / "rows.parquet")
    assert main(["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--by", "g"]) == 3
    stderr = capsys.readouterr().err
    assert "the score 's' is NaN in 1 row of the group g=\"null\"\n" in stderr
    assert "the score 's' is NaN in 1 row of the group g=null\n" in stderr


@pytest.mark.parametrize("command", ["report", "gains", "thresholds", "compare"])
def test_quiet_omits_the_number_of_skipped_rows(command: str, tmp_path: Path, capsys: Capture) -> None:
    ROWS.write_parquet(tmp_path / "rows.parquet")
    arguments = [command, str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--score", "t"]
    assert main([*arguments, "--nan", "skip", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("options", [["--weight", "w"], ["--count", "w"]])
def test_the_number_of_skipped_rows_knows_weights_and_counts(
    options: list[str], tmp_path: Path, capsys: Capture
) -> None:
    ROWS.with_columns(w=pl.when(pl.col("s").is_nan()).then(3).otherwise("w")).write_parquet(
        tmp_path / "rows.parquet"
    )
    arguments = ["gains", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--nan", "skip"]
    assert main([*arguments, *options]) == 0
    number = "1 row" if "--weight" in options else "3 rows"
    assert f"s: {number} skipped because the score is NaN\n" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "gains", "thresholds", "compare", "curve", "state"])
def test_the_help_of_nan_holds_for_each_command(command: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    output = " ".join(capsys.readouterr().out.split())
    assert "a report has the number of such rows in n_nan, and each command prints it" in output


@pytest.fixture
def states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """Return states of groups; one group has NaN."""
    monkeypatch.chdir(tmp_path)
    ROWS.write_parquet("rows.parquet")
    arguments = ["state", "rows.parquet", "--label", "y", "--score", "s", "--by", "g", "-o", "states.parquet"]
    assert main(arguments) == 3
    capsys.readouterr()
    return Path("states.parquet")


@pytest.mark.parametrize("command", [["report"], ["gains"], ["thresholds"], ["curve", "-o", "curve.csv"]])
def test_states_with_nan_are_as_loud_as_rows(command: list[str], states: Path, capsys: Capture) -> None:
    assert main([*command, str(states), "--from-states", "--by", "g"]) == 3
    stderr = capsys.readouterr().err
    assert "the score 's' is NaN in some rows of the group g=a\n" in stderr
    assert "make states with --nan skip, which takes NaN for missing" in stderr
    assert "g=b" not in stderr
    pl.read_parquet(states).filter(g="b").write_parquet("b.parquet")
    assert main([*command, "b.parquet", "--from-states", "--by", "g"]) == 0
    assert "NaN" not in capsys.readouterr().err


def test_a_report_of_states_leaves_groups_with_nan_out(states: Path, capsys: Capture) -> None:
    assert main(["report", str(states), "--from-states", "--by", "g", "--keep-going"]) == 3
    stderr = capsys.readouterr().err
    assert "left out the group a: a score is NaN" in stderr
    assert "is a fault" not in stderr


def test_merge_warns_of_states_with_nan(states: Path, capsys: Capture) -> None:
    assert main(["merge", str(states), "-o", "whole.parquet"]) == 0
    assert "the score 's' is NaN in some rows\n" in capsys.readouterr().err
    assert main(["merge", str(states), "--by", "g", "-o", "whole.parquet"]) == 0
    assert "the score 's' is NaN in some rows of the group g=a\n" in capsys.readouterr().err


def test_skipped_nan_of_states_is_not_called_null(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    ROWS.filter(pl.col("y").is_not_null()).write_parquet("rows.parquet")
    arguments = ["state", "rows.parquet", "--label", "y", "--score", "s", "--nan", "skip", "-o", "s.parquet"]
    assert main(arguments) == 0
    assert main(["report", "s.parquet", "--from-states"]) == 0
    assert "s: 1 row skipped for a missing label or score\n" in capsys.readouterr().err
