"""The command line, from the user's arguments to output and exit code."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import zipfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import assert_report_of_rows, fixed
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]
DATA = Path(__file__).parents[3] / "data"
FLAGS = re.compile(r"--[a-z][a-z-]*[a-z]")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a working directory with two files and one partitioned dataset."""
    monkeypatch.chdir(tmp_path)
    frame = fixed(4000).with_columns(
        y=pl.col("label").cast(pl.Int8),
        list=pl.concat_list("g"),
        word=pl.when("label").then(pl.lit("bad")).otherwise(pl.lit("good")),
    )
    frame[:1500].write_parquet("a.parquet")
    frame[1500:].write_parquet("b.parquet")
    frame.write_parquet("hive", partition_by="g", mkdir=True)
    (tmp_path / "to").mkdir()
    return tmp_path


def refused(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("polars-auc: ")
    assert captured.err.count("\n") == 1, captured.err
    return captured.err


def test_the_script_of_the_package() -> None:
    project = (DATA.parent / "pyproject.toml").read_text(encoding="utf-8")
    [(module, function)] = re.findall(r'^polars-auc = "([\w.]+):(\w+)"$', project, re.MULTILINE)
    assert getattr(import_module(module), function) is main


FILES = ["report", "*.parquet"]
REPORT = [*FILES, "--label", "y", "--score", "score"]


def test_report_is_the_report(folder: Path, capsys: Capture) -> None:
    arguments = [*REPORT, "--by", "g", "--level", "0.9", "--where", "g <= 3 AND score > -1"]
    for name in ("out.parquet", "out.csv", "out.json", "out.md"):
        assert main([*arguments, "-o", f"to/{name}"]) == 0
    expected = pa.report(
        pl.scan_parquet("*.parquet").filter(pl.col("g") <= 3, pl.col("score") > -1),
        "y",
        "score",
        by="g",
        level=0.9,
    ).collect()
    assert_frame_equal(pl.read_parquet("to/out.parquet"), expected)
    assert_frame_equal(pl.read_csv("to/out.csv", schema=expected.schema), expected, rel_tol=1e-15)
    assert [row["auc"] for row in json.loads(Path("to/out.json").read_text())["rows"]] == expected[
        "auc"
    ].to_list()
    lines = [line for line in Path("to/out.md").read_text().splitlines() if line.startswith("|")]
    assert len(lines) == expected.height + 2
    assert lines[0].split("|")[1].strip() == "g"
    assert lines[-1].split("|")[1].strip() == "overall"
    out, err = capsys.readouterr()
    assert f"{expected['auc'][0]:.4f}" in out
    assert "polars-auc: wrote to/out.md" in err
    assert sorted(path.name for path in (folder / "to").iterdir()) == [
        "out.csv",
        "out.json",
        "out.md",
        "out.parquet",
    ]


@pytest.mark.usefixtures("folder")
def test_comparisons(capsys: Capture) -> None:
    arguments = [
        *REPORT,
        "--score",
        "other",
        "--by",
        "g",
        "--compare",
        "--versus",
        "previous",
        "--adjust",
        "none",
    ]
    arguments += [
        "--ci",
        "bootstrap",
        "--resamples",
        "40",
        "--seed",
        "3",
        "--folds",
        "key",
        "-o",
        "to/out.parquet",
    ]
    assert main(arguments) == 0
    expected = pa.report(
        pl.scan_parquet("*.parquet"),
        "y",
        ["score", "other"],
        by="g",
        ci="bootstrap",
        n_resamples=40,
        seed=3,
        compare=True,
        versus="previous",
        adjust=None,
        folds="key",
    ).collect()
    assert_frame_equal(pl.read_parquet("to/out.parquet"), expected)
    out = capsys.readouterr().out
    for name in ("cv_auc", "delta_auc", "delta_auc_p_adjusted", "difference", "p_adjusted"):
        assert name in out
    assert "heterogeneity_p_value" not in out
    assert main([*arguments[:-2], "--wide"]) == 0
    assert "heterogeneity_p_value" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_a_segment_as_reference(capsys: Capture) -> None:
    for by, versus, reference in ((["g"], "2", 2), (["key", "g"], "b,2", ("b", "2"))):
        keys = [argument for key in by for argument in ("--by", key)]
        assert main([*REPORT, *keys, "--versus", versus, "-o", "to/out.parquet"]) == 0
        expected = pa.report(pl.scan_parquet("*.parquet"), "y", "score", by=by, versus=reference).collect()
        assert_frame_equal(pl.read_parquet("to/out.parquet"), expected)
    capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_gates_on_comparisons(capsys: Capture) -> None:
    """Rows without a comparison by definition pass; undefined values fail."""
    few = [*REPORT, "--score", "other", "--by", "g", "--where", "g <= 4"]
    for condition in (
        "p_adjusted < 0",
        "heterogeneity_p_value < 0",
        "delta_auc_p_adjusted < 0",
        "difference > 2",
    ):
        for versus in ("rest", "previous", "3"):
            assert main([*few, "--versus", versus, "--compare", "--fail-if", condition]) == 0, condition
    assert main([*few, "--versus", "previous", "--fail-if", "p_value >= 0"]) == 1
    assert "is about 8 rows (groups): it holds in 6\n" in capsys.readouterr().err
    assert main([*REPORT, "--by", "g", "--versus", "rest", "--fail-if", "p_adjusted < 0"]) == 1
    assert "cannot be decided" in capsys.readouterr().err, "some groups lack a class"


@pytest.mark.usefixtures("folder")
def test_previous_along_one_of_several_columns(capsys: Capture) -> None:
    keys = ["--by", "g", "--by", "key", "--versus", "previous"]
    assert main([*REPORT, *keys, "--along", "g", "-o", "to/out.parquet"]) == 0
    expected = pa.report(
        pl.scan_parquet("*.parquet"), "y", "score", by=["g", "key"], versus="previous", along="g"
    )
    assert_frame_equal(pl.read_parquet("to/out.parquet"), expected.collect())
    capsys.readouterr()
    for arguments, message in (
        (
            keys,
            "needs the column whose previous value is meant, since --by is ['g', 'key']. Hint: write "
            "--along 'key'",
        ),
        (
            [*keys, "--along", "other"],
            "--along must be one of the columns of --by, ['g', 'key'], got 'other'",
        ),
        (
            ["--by", "g", "--versus", "rest", "--along", "g"],
            "--along applies to --versus previous only, and --versus is 'rest'",
        ),
    ):
        assert main([*REPORT, *arguments]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("versus", ["rest", "overall"])
@pytest.mark.parametrize("new", ["new", None])
def test_a_gate_sees_every_group(tmp_path: Path, capsys: Capture, versus: str, new: str | None) -> None:
    """Test a group with a single positive below all negatives, and a group without a name."""
    frame = pl.DataFrame(
        {
            "y": [row % 2 for row in range(1000)] + [1] + [0] * 500,
            "score": [float(row * 7919 % 1009) for row in range(1000)] + [-1.0, *map(float, range(500))],
            "segment": pl.Series(["big"] * 1000 + [new] * 501, dtype=pl.String),
        }
    )
    frame.write_parquet(tmp_path / "rows.parquet")
    gate = ["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "score", "--by", "segment"]
    assert main([*gate, "--versus", versus, "--fail-if", "difference < -0.3"]) == 1
    assert main([*gate, "--versus", versus, "--fail-if", "difference < -2"]) == 0
    # Without a standard error there is no p-value, and undefined counts as failed.
    assert main([*gate, "--versus", versus, "--fail-if", "p_value < 0"]) == 1
    capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_small_p_values_are_not_zero(capsys: Capture) -> None:
    pl.read_parquet("*.parquet").with_columns(noise=-pl.col("score")).write_parquet("c.parquet")
    assert (
        main(["report", "c.parquet", "--label", "y", "--score", "score", "--score", "noise", "--compare"])
        == 0
    )
    assert "<0.0001" in capsys.readouterr().out


def test_files_folders_and_partitions(folder: Path, capsys: Capture) -> None:
    reports = []
    for files in (
        ["a.parquet", "b.parquet"],
        ["*.parquet", "a.parquet"],
        ["hive"],
        ["hive/**/*.parquet"],
        [str(folder / "hive")],
    ):
        arguments = [
            "report",
            *files,
            "--label",
            "y",
            "--score",
            "score",
            "--by",
            "g",
            "-o",
            "to/out.parquet",
        ]
        assert main(arguments) == 0
        reports.append(pl.read_parquet("to/out.parquet").with_columns(pl.col("g").cast(pl.Int64)))
    for other in reports[1:]:
        assert_frame_equal(other, reports[0])
    assert "rows skipped for a missing label or score" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_expressions_for_label_and_score() -> None:
    assert (
        main(
            [
                "report",
                "a.parquet",
                "--label",
                "word = 'bad'",
                "--score",
                "score",
                "--score=-score",
                "-o",
                "out.csv",
            ]
        )
        == 0
    )
    table = pl.read_csv("out.csv")
    # The apostrophe prevents a sheet from reading a formula.
    assert table["score"].to_list() == ["score", "'-score"]
    assert table["auc"].sum() == pytest.approx(1)


def test_gate(folder: Path, capsys: Capture) -> None:
    assert main([*REPORT, "--fail-if", "auc < 0.5"]) == 0
    assert main([*REPORT, "--fail-if", "auc < 0.99", "-o", "out.csv"]) == 1
    assert "--fail-if 'auc < 0.99' is about 1 row (overall): it holds in 1\n" in capsys.readouterr().err
    assert (folder / "out.csv").exists()
    pl.DataFrame(
        {"y": [1, 1, 0, 1], "score": [1.0, 2.0, 1.0, float("nan")], "g": [1, 1, 2, 2]}
    ).write_parquet("a.parquet")
    for by, undecided in ((["--by", "g"], 3), ([], 1)):
        assert (
            main(["report", "a.parquet", "--label", "y", "--score", "score", *by, "--fail-if", "auc < 0.7"])
            == 1
        )
        assert f"holds in none, and cannot be decided in {undecided}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["reprot"], "invalid choice: 'reprot'"),
        (["report", "*.parquet", "--score", "score"], "required: --label"),
        (
            ["report", "nothing/*.parquet", "--label", "y", "--score", "score"],
            "no file matches 'nothing/*.parquet'",
        ),
        (["report", "text.parquet", "--label", "y", "--score", "score"], "text.parquet"),
        (
            [*FILES, "--score", "score", "--label", "lable"],
            "--label names the column 'lable', which is not in the files, expected one of g, label",
        ),
        ([*REPORT, "--score", "(("], "--score '((' is not a SQL expression"),
        ([*REPORT, "--by", "h"], "--by names the column 'h'"),
        ([*REPORT, "--by", "g", "--by", "g"], "--by names one column twice"),
        ([*REPORT, "--score", "score"], "--score names one score twice"),
        ([*REPORT, "--where", "h > 1"], "--where names the column 'h'"),
        ([*REPORT, "--where", "g + 1"], "--where 'g + 1' is not a condition"),
        ([*REPORT, "--fail-if", "acu < 1"], "--fail-if names the column 'acu', which is not in the report"),
        ([*REPORT, "--fail-if", "auc <"], "--fail-if 'auc <' is not a SQL expression"),
        ([*REPORT, "--where", "GREATEST() > 1"], "--where 'GREATEST() > 1' is not a SQL expression"),
        ([*REPORT, "--fail-if", "score"], "--fail-if"),
        (
            [*REPORT, "--fail-if", "UNNEST(ARRAY[TRUE, FALSE])"],
            "--fail-if 'UNNEST(ARRAY[TRUE, FALSE])' has UNNEST in it, which makes several rows of one",
        ),
        ([*REPORT, "--level", "95"], "--level must lie between 0 and 1, such as 0.95, got 95.0"),
        ([*REPORT, "--level", "high"], "argument --level"),
        ([*REPORT, "--compare"], "--compare needs two scores or more, got one"),
        ([*REPORT, "--versus", "rest"], "--versus needs groups. Hint: write --by segment"),
        (
            [*REPORT, "--by", "g", "--versus", "best"],
            "versus must be one of 'rest', 'pooled_rest', 'overall', 'previous'",
        ),
        (
            [*REPORT, "--by", "g", "--versus", "99"],
            "versus names the segment '99', which",
        ),
        (
            [*REPORT, "--ci", "wald"],
            "--ci must be one of 'wilson', 'delong', 'logit', 'hanley_mcneil', 'obuchowski', 'bootstrap'",
        ),
        ([*REPORT, "--ci", "bootstrap", "--resamples", "1"], "--resamples must be an integer from 2"),
        ([*REPORT, "--ci", "bootstrap", "--seed", "-1"], "--seed must be an integer from 0"),
        (
            [*REPORT, "--seed", "7"],
            "--seed applies to the bootstrap only, and --ci is 'wilson'. Hint: leave this out, or write "
            "--ci boot",
        ),
        ([*REPORT, "--adjust", "tukey"], "adjust must be one of 'holm', 'hochberg'"),
        ([*REPORT, "--folds", "list"], "--folds must be a column of plain values, got List(Int64)"),
        ([*REPORT, "--user", "list"], "--user must be a column of plain values, got List(Int64)"),
        (
            ["compare", *REPORT[1:], "--score", "other", "--bands", "3"],
            "compare has no option --bands; it is one of gains (see ",
        ),
        ([*FILES, "--label", "label", "--score", "NULL AS s"], "--score 's' is one value for all rows"),
        ([*REPORT, "--count", "1"], "--count '1' is one value for all rows. Hint: name a column"),
        (
            [*FILES, "--score", "score", "--label", "word"],
            "--label 'word' contains words ('bad', 'good'), expected 0 and 1 or Booleans. Hint: name the "
            "positive class, as in --label \"CASE WHEN word = 'bad' THEN TRUE WHEN word = 'good' THEN FALSE "
            "END\", or the other way round; 'bad' is the rarer",
        ),
        (
            [*FILES, "--score", "score", "--label", "CONCAT(word, key)"],
            'as in --label "CASE WHEN CONCAT(word, key) IN (...) THEN TRUE WHEN CONCAT(word, key) IN (...)',
        ),
        (
            [*FILES, "--score", "score", "--label", "g % 3"],
            'class: --label "CASE WHEN g % 3 = ... THEN TRUE WHEN g % 3 IN (0, 1, 2) THEN FALSE END" with',
        ),
        (
            [*FILES, "--score", "score", "--label", "y + 1"],
            'or --label "CASE WHEN y + 1 = 2 THEN TRUE WHEN y + 1 = 1 THEN FALSE END" (2 is the rarer)',
        ),
        ([*FILES, "--score", "y", "--label", "score"], "like a score; check --label and --score"),
        ([*FILES, "--score", "y", "--label", "g * 7"], "like a score; check --label and --score"),
        (
            ["report", "a.parquet", "--label", "y", "--score", "word"],
            'write --score "TRY_CAST(word AS DOUBLE) AS word"',
        ),
        (
            [*REPORT, "--by", "list"],
            "--by names the column 'list' of dtype List(Int64), which",
        ),
        ([*REPORT, "--by", "word", "--fail-if", "CAST(word AS INTEGER) > 1", "-o", "x.csv"], "conversion"),
        (["report", "hive", "hive/g=1", "--label", "y", "--score", "score"], "name a file twice"),
        (
            [*REPORT, "-o", "out.xls"],
            "--output must end in .parquet, .csv, .json, .xlsx, .md, .html, got 'out.xls'",
        ),
        ([*REPORT, "-o", "a.parquet"], "--output 'a.parquet' is one of the files to read"),
        ([*REPORT, "-o", "none/out.csv"], "--output is in 'none', which is not a folder"),
    ],
)
def test_refusals(folder: Path, capsys: Capture, arguments: list[str], message: str) -> None:
    (folder / "text.txt").write_text("no parquet")
    if "text.parquet" in arguments:
        (folder / "text.txt").rename("text.parquet")
    before = sorted(path.name for path in folder.rglob("*"))
    assert message in refused(arguments, capsys)
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_a_failed_write_leaves_the_old_file(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "out.csv").write_text("old")

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    assert main([*REPORT, "-o", "out.csv"]) == 2
    assert "cannot write 'out.csv': no space left on device" in capsys.readouterr().err
    assert (folder / "out.csv").read_text() == "old"
    assert not list(folder.glob(".out*"))


def test_as_a_module_and_on_the_shipped_data(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "polars_auc", "report", str(DATA / "*.parquet"), "--label", "label"]
    options = ["--score", "logistic", "--score", "tree", "--by", "dataset", "-o", str(tmp_path / "out.md")]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, env={**os.environ, "PYTHONWARNINGS": "error"}
    )
    assert (done.returncode, done.stderr) == (0, f"polars-auc: wrote {tmp_path / 'out.md'}\n")
    assert "breast_cancer" in done.stdout
    version = subprocess.run(
        [sys.executable, "-m", "polars_auc", "--version"], capture_output=True, text=True
    )
    assert version.stdout == f"polars-auc {pa.__version__}\n"


def auc_of(names: list[str], *options: str) -> list[float]:
    assert main(["report", *names, "--label", "y", "--score", "s", "-o", "to/auc.csv", *options]) == 0
    return pl.read_csv("to/auc.csv")["auc"].to_list()


def test_names_stay_unchanged(folder: Path) -> None:
    """An existing file name with wildcards is not a pattern, and its path has no partitions."""
    separated = pl.DataFrame({"y": [1, 0], "s": [2.0, 1.0]})
    lost = pl.DataFrame({"y": [1, 0], "s": [1.0, 2.0]})
    separated.write_parquet("x1.parquet")
    lost.write_parquet("x[1].parquet")
    assert auc_of(["x[1].parquet"]) == [0.0]
    assert auc_of(["x1.parquet"]) == [1.0]
    (folder / "s=3" / "y=1").mkdir(parents=True)
    separated.write_parquet("s=3/y=1/x.parquet")
    assert auc_of(["s=3/y=1/x.parquet"]) == auc_of(["s=3/y=1"]) == auc_of(["s=3/y=1/*.parquet"]) == [1.0]


def test_each_file_counts_once(folder: Path) -> None:
    (folder / "link.parquet").symlink_to("a.parquet")
    counts = []
    for names in (["a.parquet"], ["a.parquet", "./a.parquet", str(folder / "a.parquet"), "link.parquet"]):
        assert main(["report", *names, "--label", "y", "--score", "score", "-o", "to/n.csv"]) == 0
        counts.append(pl.read_csv("to/n.csv")["n"].to_list())
    assert counts[0] == counts[1]


@pytest.mark.usefixtures("folder")
def test_folders_by_a_glob() -> None:
    assert (
        main(["report", "hive/g=[12]", "--label", "y", "--score", "score", "--by", "g", "-o", "to/g.csv"])
        == 0
    )
    assert pl.read_csv("to/g.csv")["g"].to_list() == [1, 2, None]


@pytest.mark.usefixtures("folder")
def test_files_of_somewhat_different_columns() -> None:
    pl.DataFrame({"y": [1, 0], "s": [2.0, 1.0]}).write_parquet("x1.parquet")
    pl.DataFrame({"y": [1, 0], "s": [1.0, 2.0], "more": [1, 2]}).write_parquet("x2.parquet")
    assert auc_of(["x1.parquet", "x2.parquet"]) == auc_of(["x2.parquet", "x1.parquet"]) == [0.5]


def test_gates_are_about_what_they_name(folder: Path, capsys: Capture) -> None:
    rows = {"y": [1, 0, 1, 0], "s": [2.0, 1.0, 1.0, 2.0], "k": ["a", "a", "b|c", "b|c"]}
    pl.DataFrame(rows).write_parquet("x.parquet")
    gate = ["report", "x.parquet", "--label", "y", "--score", "s", "--by", "k", "--fail-if"]
    assert main([*gate, "n - 1000 < 0"]) == 1, "counts are no unsigned numbers here"
    assert main([*gate, "n_pos - n >= 0"]) == 0
    assert main([*gate, "k = 'a' AND auc < 0.9"]) == 0, "the overall row has no key"
    capsys.readouterr()
    assert main([*gate, "k <> 'a' AND auc < 0.9", "-o", "to/x.md"]) == 1
    assert "is about 2 rows (groups): it holds in 1\n" in capsys.readouterr().err
    assert "b\\|c" in (folder / "to" / "x.md").read_text()


@pytest.mark.usefixtures("folder")
def test_groups_of_any_name() -> None:
    pl.DataFrame({"y": [1, 0], "s": [2.0, 1.0], "row": [1, 1], "ci of s": [1, 1]}).write_parquet("x.parquet")
    assert auc_of(["x.parquet"], "--by", "row", "--by", "ci of s") == [1.0, 1.0]


def test_readers_that_stop_or_cannot_read(tmp_path: Path) -> None:
    module = [sys.executable, "-m", "polars_auc", "report", str(DATA / "*.parquet")]
    command = [*module, "--label", "label", "--score", "tree"]
    into_true = ["bash", "-c", 'set -o pipefail; "$@" | true', "bash", *command]
    piped = subprocess.run(into_true, capture_output=True, text=True)
    assert (piped.returncode, piped.stderr) == (0, "")
    full = ["bash", "-c", '"$@" > /dev/full', "bash", *command, "-o", str(tmp_path / "out.csv")]
    unprinted = subprocess.run(full, capture_output=True, text=True)
    assert unprinted.returncode == 2
    assert "polars-auc: cannot print the report" in unprinted.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"], "what was evaluated is still written"
    latin = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert (latin.returncode, latin.stderr) == (0, b"")


def test_single_options_are_written_once(folder: Path, capsys: Capture) -> None:
    """A repeated option is an error: the last one would win, and a gate would never fail."""
    options = {
        "--label": "y",
        "--level": "0.95",
        "--ci": "delong",
        "--resamples": "5",
        "--seed": "1",
        "--versus": "rest",
        "--adjust": "holm",
        "--folds": "key",
        "--output": "out.csv",
    }
    for option, value in options.items():
        message = refused([*REPORT, option, value, option, value], capsys)
        assert f"{option} is given twice. Hint: write it once" in message
    assert "--compare is given twice" in refused([*REPORT, "--compare", "--compare"], capsys)
    assert not (folder / "out.csv").exists()


@pytest.mark.usefixtures("folder")
def test_each_gate_is_checked(capsys: Capture) -> None:
    for first, second in (("auc < 0.99", "auc < 0.01"), ("auc < 0.01", "auc < 0.99")):
        assert main([*REPORT, "--fail-if", first, "--fail-if", second]) == 1
        err = capsys.readouterr().err
        assert "--fail-if 'auc < 0.99' is about 1 row (overall): it holds in 1\n" in err
        assert "--fail-if 'auc < 0.01' is about 1 row (overall): it holds in none\n" in err
    assert main([*REPORT, "--fail-if", "auc < 0.01", "--fail-if", "n < 1"]) == 0


@pytest.mark.usefixtures("folder")
def test_all_conditions_on_rows_hold() -> None:
    assert main([*REPORT, "--where", "g <= 3", "--where", "score > -1", "-o", "to/out.parquet"]) == 0
    rows = pl.scan_parquet("*.parquet").filter(pl.col("g") <= 3, pl.col("score") > -1)
    assert_frame_equal(pl.read_parquet("to/out.parquet"), pa.report(rows, "y", "score").collect())


@pytest.mark.usefixtures("folder")
def test_a_report_of_nothing_is_refused(capsys: Capture) -> None:
    words = [*FILES, "--score", "score", "--label"]
    pl.DataFrame({"y": [None, 1], "s": [1.0, None]}).write_parquet("to/nulls.parquet")
    pl.DataFrame(schema={"y": pl.Int8, "s": pl.Float64}).write_parquet("to/empty.parquet")
    for arguments, message in (
        ([*REPORT, "--where", "g > 1000"], "--where 'g > 1000' leaves no row."),
        (
            [*words, "word = 'bda'"],
            "'word' contains 'bad', 'good'. Hint: if that is expected, write --allow-empty",
        ),
        ([*words, "word <> 'bda'"], "no row is negative: --label \"word <> 'bda'\" is the same in all rows"),
        ([*words, "word = 'it''s'"], "'word' contains 'bad', 'good'."),
        ([*words, "g > 1000"], "'g' contains 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, .... Hint: if that is expected"),
        ([*words, "other > 1000"], "no row is positive: --label 'other > 1000' is the same in all rows"),
        ([*words, "y", "--where", "y = 1"], "no row is negative: --label 'y' is the same in all rows that"),
        (
            ["report", "to/nulls.parquet", "--label", "y", "--score", "s"],
            "every row has a missing label or score",
        ),
        (["report", "to/empty.parquet", "--label", "y", "--score", "s"], "the files have no row."),
    ):
        assert message in refused([*arguments, "-o", "out.csv"], capsys)
        assert not Path("out.csv").exists()
        assert main([*arguments, "--allow-empty"]) == 0
        assert main([*arguments, "--allow-empty", "--fail-if", "auc < 0.5"]) == 1, "an undefined AUC fails"
        capsys.readouterr()


def segments(path: str, rows: dict[str, tuple[int, int]], key: str = "k") -> list[str]:
    """Write rows of segments (n_pos, n_neg) with all positives below all negatives."""
    columns: dict[str, list[object]] = {"y": [], "s": [], key: []}
    for name, (positives, negatives) in rows.items():
        columns["y"] += [1] * positives + [0] * negatives
        columns["s"] += list(range(positives + negatives))
        columns[key] += [None if name == "null" else name] * (positives + negatives)
    pl.DataFrame(columns).write_parquet(path)
    return ["report", path, "--label", "y", "--score", "s", "--by", key, "--versus"]


@pytest.mark.usefixtures("folder")
def test_a_gate_fails_where_it_cannot_be_decided(capsys: Capture) -> None:
    few = segments("few.parquet", {"big": (50, 50), "new": (1, 500)})
    # The difference of a single positive is defined; its p-value is not.
    assert main([*few, "overall", "--fail-if", "difference < -0.04"]) == 1
    assert "is about 2 rows (groups): it holds in 2\n" in capsys.readouterr().err
    for versus in ("overall", "rest"):
        assert main([*few, versus, "--fail-if", "p_value < 0"]) == 1
        assert "it holds in none, and cannot be decided in " in capsys.readouterr().err
    nulls = segments("nulls.parquet", {"big": (50, 50), "small": (20, 20), "null": (20, 20)})
    assert main([*nulls, "rest", "--fail-if", "difference < -0.99"]) == 0, "a null key is a group like others"
    assert "is about 3 rows (groups): it holds in none\n" in capsys.readouterr().err
    periods = segments("periods.parquet", {"a": (9, 9), "b": (0, 9), "c": (9, 9), "d": (9, 9)})
    for versus, undecided in (("previous", 2), ("a", 1), ("b", 3)):
        assert main([*periods, versus, "--fail-if", "difference < -0.5"]) == 1
        assert f"cannot be decided in {undecided}\n" in capsys.readouterr().err, versus
    only = segments("only.parquet", {"a": (9, 9)})
    for versus in ("previous", "a"):
        assert main([*only, versus, "--fail-if", "difference < -0.5"]) == 1
        assert "none of them has anything to be compared with" in capsys.readouterr().err
    assert main([*only, "previous", "--fail-if", "difference < -0.5 OR auc < 0.5"]) == 1, "the first, too"
    capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_a_gate_without_rows_fails(capsys: Capture) -> None:
    pl.DataFrame(schema={"y": pl.Int8, "s": pl.Float64, "k": pl.Int8}).write_parquet("empty.parquet")
    empty = ["report", "empty.parquet", "--label", "y", "--score", "s", "--by", "k", "--allow-empty"]
    for condition in ("k = 1 AND auc < 0.5", "k = 1 AND COUNT(*) < 0"):
        assert main([*empty, "--fail-if", condition]) == 1
        assert "is about groups, and there are none: it cannot be decided" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_gate_on_all_rows_together(capsys: Capture) -> None:
    """Aggregates skip nulls; a gate treats them as undefined."""
    whole = [*REPORT, "--by", "g", "--where", "g <= 4", "--fail-if"]
    assert main([*whole, "MIN(auc) < 0.01"]) == 0
    assert main([*whole, "MIN(auc) < 0.99"]) == 1
    assert "is about 5 rows (groups and overall): it holds in 5\n" in capsys.readouterr().err
    nulls = segments("nulls.parquet", {"big": (50, 50), "none": (0, 20)})
    assert main([*nulls, "rest", "--fail-if", "MIN(auc) < 0"]) == 1
    assert "cannot be decided in 3\n" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_gate_about_groups_and_all_rows_is_two(capsys: Capture) -> None:
    versus = [*REPORT, "--by", "g", "--versus", "rest", "--fail-if"]
    message = refused([*versus, "difference < -0.3 OR heterogeneity_p_value < 0.01"], capsys)
    assert (
        "names 'difference', which only groups have, and 'heterogeneity_p_value', which only the" in message
    )


def run(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a shell, with this redirection of its streams."""
    command = [sys.executable, "-m", "polars_auc", *arguments]
    return subprocess.run(
        ["bash", "-c", f'"$@" {script}', "bash", *command],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("script", [">&-", "2>&-", "2>/dev/full", ">&- 2>&-", "<&-"])
def test_closed_and_full_streams(tmp_path: Path, script: str) -> None:
    output = tmp_path / "out.csv"
    command = ["report", str(DATA / "*.parquet"), "--label", "label", "--score", "tree", "-o", str(output)]
    assert run(script, *command).returncode == 0
    assert output.read_text().startswith("scope,score,n")
    output.unlink()
    assert run(script, *command, "--fail-if", "auc < 1").returncode == 1
    assert output.exists()
    assert run(script, *command, "--seed", "1").returncode == 2


@pytest.mark.parametrize(
    "command", ["report", "curve", "gains", "thresholds", "compare", "state", "merge", "init"]
)
def test_the_help_names_options_of_the_command(command: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    text = capsys.readouterr().out
    options = {flag for line in re.findall(r"^  (-.*)$", text, re.MULTILINE) for flag in FLAGS.findall(line)}
    # The help of `init` names an option of other commands.
    assert set(FLAGS.findall(text)) - options <= ({"--config"} if command == "init" else set())


def test_help_that_cannot_be_printed() -> None:
    for command in (["--version"], ["report", "--help"]):
        full = run(">/dev/full", *command)
        assert (full.returncode, full.stderr.count("\n")) == (2, 1)
        piped = run("| true; exit ${PIPESTATUS[0]}", *command)
        assert (piped.returncode, piped.stderr) == (0, "")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("POLARS_MAX_THREADS", "0", "the variable POLARS_MAX_THREADS must be an integer above 0, got '0'"),
        ("POLARS_ENGINE_AFFINITY", "gpu", "the variable POLARS_ENGINE_AFFINITY asks for the GPU engine"),
    ],
)
def test_surroundings(variable: str, value: str, message: str) -> None:
    done = run(
        "", "report", str(DATA / "*.parquet"), "--label", "label", "--score", "tree", **{variable: value}
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_fault_is_no_failed_gate(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    for fault in (RuntimeError("a fault"), pl.exceptions.PanicException("a fault")):

        def faulty(*_: object, fault: BaseException = fault) -> None:
            raise fault

        monkeypatch.setattr("polars_auc._cli.files.scan", faulty)
        assert main([*REPORT, "-o", str(folder / "out.csv")]) == 2
        err = capsys.readouterr().err
        assert "Traceback" in err
        assert err.endswith("polars-auc: this is a fault of polars-auc or Polars: a fault\n")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system refuses such names")
def test_names_that_are_not_utf_8(folder: Path, capsys: Capture) -> None:
    name = os.fsdecode(b"x\xff.parquet")
    pl.DataFrame({"y": [1, 0], "s": [2.0, 1.0]}).write_parquet("x.parquet")
    (folder / "odd").mkdir()
    (folder / "x.parquet").rename(folder / "odd" / name)
    options = ["--label", "y", "--score", "s"]
    for files in (f"odd/{name}", "odd", "odd/*.parquet", os.fsdecode(b"\xff.parquet")):
        message = refused(["report", files, *options], capsys)
        assert "is not UTF-8. Hint: give it another name" in message or "no file matches" in message
    for option in ("--label", "--by", "--where", "--fail-if", "--folds"):
        refused([*REPORT, option, os.fsdecode(b"\xff")], capsys)
    output = os.fsdecode(b"to/\xff.csv")
    assert main([*REPORT, "-o", output]) == 0
    assert Path(output).exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", ["--score", "--where", "--folds", "--fail-if"])
@pytest.mark.parametrize(
    "text", ["(SELECT 1)", "EXISTS(SELECT 1)", "g IN (SELECT 1)", "g, g", "g; g", "g > 1 g"]
)
def test_one_expression_of_columns(option: str, text: str, capsys: Capture) -> None:
    assert option in refused([*REPORT, option, text], capsys)


@pytest.mark.usefixtures("folder")
def test_several_columns_are_no_score(capsys: Capture) -> None:
    assert "columns. Hint: write one" in refused([*REPORT, "--score", "COLUMNS('.*')"], capsys)


@pytest.mark.usefixtures("folder")
def test_values_that_begin_with_a_dash(capsys: Capture) -> None:
    message = refused([*FILES, "--label", "y", "--score", "-score"], capsys)
    assert "a value that begins with - is written --score=-..." in message
    assert "is written --output=-..." in refused([*REPORT, "-o", "-x.csv"], capsys)


def test_an_empty_name_is_refused(folder: Path, capsys: Capture) -> None:
    for names in ([""], ["a.parquet", ""]):
        message = refused(["report", *names, "--label", "y", "--score", "score"], capsys)
        assert "is a variable of the shell not set?" in message
    assert (folder / "a.parquet").exists()


def test_links_pipes_and_rights_of_the_output(folder: Path) -> None:
    target = folder / "to" / "target.csv"
    target.write_text("old")
    target.chmod(0o640)
    (folder / "link.csv").symlink_to("to/target.csv")
    (folder / "dangling.csv").symlink_to("to/new.csv")
    for name in ("link.csv", "dangling.csv"):
        assert main([*REPORT, "-o", name]) == 0
        assert (folder / name).is_symlink()
        assert (folder / name).read_text().startswith("scope,score,n")
    assert target.stat().st_mode & 0o777 == 0o640
    os.mkfifo(folder / "pipe.csv")
    with subprocess.Popen(["cat", "pipe.csv"], stdout=subprocess.PIPE, text=True) as reader:
        assert main([*REPORT, "-o", "pipe.csv"]) == 0
        assert reader.communicate()[0] == target.read_text()
    assert (folder / "pipe.csv").is_fifo()
    assert sorted(path.name for path in (folder / "to").iterdir()) == ["new.csv", "target.csv"]


def test_an_output_that_is_a_folder(folder: Path, capsys: Capture) -> None:
    (folder / "out.csv").mkdir()
    assert "--output 'out.csv' is a folder. Hint: name a file" in refused([*REPORT, "-o", "out.csv"], capsys)


def test_brackets_in_names_that_exist(folder: Path) -> None:
    rows = pl.DataFrame({"y": [1, 0] * 2, "s": [2.0, 1.0] * 2, "k": [1, 1, 2, 2]})
    (folder / "run[1]").mkdir()
    rows.write_parquet("run[1]/x[1].parquet")
    rows.reverse().with_columns(s=-pl.col("s")).write_parquet("run[1]/x1.parquet")
    assert auc_of(["run[1]/x[1].parquet"]) == auc_of(["run[1]/x[[]*.parquet"]) == [1.0]
    assert auc_of(["run[1]/x1.parquet"]) == [0.0]
    assert auc_of(["run[1]"]) == auc_of(["run[1]/*.parquet"]) == [0.5]
    rows.write_parquet("set[1]", partition_by="k", mkdir=True)
    for name in ("set[1]", "set[1]/k=*", "set[1]/**/*.parquet"):
        assert auc_of([name], "--by", "k") == [1.0, 1.0, 1.0]


@pytest.mark.usefixtures("folder")
def test_hidden_files_are_not_read() -> None:
    """Hidden files are skipped in partitioned folders and in plain ones."""
    rows = pl.DataFrame({"y": [1, 0], "s": [2.0, 1.0], "k": [1, 1]})
    rows.write_parquet("set", partition_by="k", mkdir=True)
    rows.with_columns(s=-pl.col("s")).write_parquet("set/k=1/.x.parquet")
    assert auc_of(["set"]) == auc_of(["set/k=1"]) == [1.0]


def test_errors_name_differing_and_damaged_files(folder: Path, capsys: Capture) -> None:
    (folder / "x").mkdir()
    rows = pl.DataFrame({"y": [1, 0] * 500, "s": [x / 7 for x in range(1000)]})
    rows.write_parquet("x/1.parquet")
    rows.with_columns(pl.col("s").cast(pl.String)).write_parquet("x/word.parquet")
    rows.with_columns(pl.col("y").cast(pl.Int128)).write_parquet("x/wide.parquet")
    rows.drop("s").write_parquet("x/lacks.parquet")
    pages = bytearray(Path("x/1.parquet").read_bytes())
    pages[200:1500] = b"\xff" * 1300
    Path("x/damaged.parquet").write_bytes(pages)
    Path("x/short.parquet").write_bytes(pages[:1000])
    Path("x/empty.parquet").touch()
    rows.write_csv("x/rows.csv")
    for names, message in (
        (["1", "word"], "--score 's' contains texts in 'x/word.parquet', expected numbers"),
        (["1", "lacks"], "--score names the column 's', which 'x/lacks.parquet' lacks, unlike other files"),
        (["lacks", "1"], "--score names the column 's', which 'x/lacks.parquet' lacks, unlike other files"),
        (["1", "damaged"], "cannot read 'x/damaged.parquet': "),
        (["1", "short"], "cannot read 'x/short.parquet': "),
        (["1", "empty"], "cannot read 'x/empty.parquet': "),
    ):
        files = [f"x/{name}.parquet" for name in names]
        assert message in refused(["report", *files, "--label", "y", "--score", "s"], capsys)
    for label, score, key in (("z", "s", "y"), ("y", "z + 1", "y"), ("y", "s", "z")):
        misspelt = ["--label", label, "--score", score, "--by", key]
        error = refused(["report", "x/1.parquet", "x/short.parquet", *misspelt], capsys)
        assert "cannot read 'x/short.parquet': " in error
    mixed = ["report", "x/1.parquet", "x/rows.csv", "--label", "y", "--score", "s"]
    assert "'x/1.parquet' and 'x/rows.csv' are files of two kinds" in refused(mixed, capsys)
    assert "the folder 'to' has no file that ends in .parquet" in refused(
        ["report", "to", "--label", "y", "--score", "s"], capsys
    )


def test_one_partition_by_itself(folder: Path, capsys: Capture) -> None:
    """A shell that expands hive/g=* names single partitions, whose keys are not columns then."""
    rows = pl.DataFrame({"y": [1, 0], "score": [2.0, 1.0]})
    for place in (1, 2):
        (folder / "set" / f"h={place}").mkdir(parents=True)
        rows.write_parquet(f"set/h={place}/x.parquet")
    for names in (["set/h=1"], ["set/h=1", "set/h=2"], ["set/h=1/x.parquet"]):
        for option in (["--by", "h"], ["--where", "h = 1"], ["--score", "h"]):
            message = refused(["report", *names, "--label", "y", "--score", "score", *option], capsys)
            assert "It is in the names of folders: to make it a column, name the folder 'set'" in message


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("width", [None, 2])
def test_a_score_of_several_numbers(width: int | None, capsys: Capture) -> None:
    """Test the list column of a classifier's predict_proba."""
    both = pl.DataFrame({"y": [1, 0], "p": [[0.1, 0.9], [0.8, 0.2]]})
    if width is not None:
        both = both.with_columns(pl.col("p").cast(pl.Array(pl.Float64, width)))
    both.write_parquet("x.parquet")
    message = refused(["report", "x.parquet", "--label", "y", "--score", "p"], capsys)
    assert "--score 'p' has several numbers in each row" in message
    if width is not None:
        assert 'or as a List: --score "p[2]" is its second number' in message
    else:
        assert 'as in --score "p[2]", which is the second' in message
        assert main(["report", "x.parquet", "--label", "y", "--score", "p[2]", "-o", "out.csv"]) == 0
        assert pl.read_csv("out.csv")["auc"].to_list() == [1.0]


@pytest.mark.usefixtures("folder")
def test_a_division_by_0_in_a_gate() -> None:
    pl.DataFrame({"y": [1, 1, 0, 0], "s": [2.0, 2.0, 1.0, 1.0]}).write_parquet("x.parquet")
    gate = ["report", "x.parquet", "--label", "y", "--score", "s", "--fail-if"]
    assert main([*gate, "(auc - 1) / NULLIF(se, 0) < 2"]) == 1


def test_links_that_lead_nowhere(folder: Path, capsys: Capture) -> None:
    (folder / "x").mkdir()
    pl.DataFrame({"y": [1, 0], "s": [2.0, 1.0]}).write_parquet("x/1.parquet")
    options = ["--label", "y", "--score", "s"]
    for name, target in (("circle", "circle.parquet"), ("gone", "nothing.parquet")):
        link = folder / "x" / f"{name}.parquet"
        link.symlink_to(target)
        for files in (f"x/{name}.parquet", "x"):
            assert f"cannot read 'x/{name}.parquet'" in refused(["report", files, *options], capsys)
        link.unlink()
    (folder / "circle.csv").symlink_to("circle.csv")
    assert main(["report", "x", *options, "-o", "circle.csv"]) == 0
    assert "Traceback" not in capsys.readouterr().err


def test_states_of_days_give_the_report_of_their_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = pl.scan_parquet(DATA / "*.parquet").with_columns(day=pl.int_range(pl.len()) % 3).collect()
    scored = ["--label", "label", "--score", "forest", "--score=-tree", "--by", "segment"]
    for [day], part in rows.partition_by("day", as_dict=True).items():
        part.write_parquet(tmp_path / f"rows{day}.parquet")
        arguments = [
            "state",
            str(tmp_path / f"rows{day}.parquet"),
            *scored,
            "-o",
            str(tmp_path / f"day{day}.parquet"),
        ]
        assert main(arguments) == 0
    assert "8 groups" not in capsys.readouterr().out
    merge = [
        "merge",
        str(tmp_path / "day*.parquet"),
        "--by",
        "segment",
        "-o",
        str(tmp_path / "month.parquet"),
    ]
    assert main(merge) == 0
    exact = ["report", str(tmp_path / "rows*.parquet"), *scored, "-o", str(tmp_path / "exact.parquet")]
    assert main(exact) == 0
    expected = pl.read_parquet(tmp_path / "exact.parquet")
    for files in ("day*.parquet", "month.parquet"):
        report = ["report", str(tmp_path / files), "--from-states", "--by", "segment"]
        assert main([*report, "-o", str(tmp_path / "states.parquet")]) == 0
        got = pl.read_parquet(tmp_path / "states.parquet")
        assert_report_of_rows(got, expected)
        assert got["auc_min"].equals(got["auc"])
    small = [*merge[:-1], str(tmp_path / "small.parquet"), "--max-bins", "16"]
    assert main(small) == 0
    report = [
        "report",
        str(tmp_path / "small.parquet"),
        "--from-states",
        "--by",
        "segment",
        "--score",
        "forest",
    ]
    assert main([*report, "--fail-if", "auc_max < 0.5", "-o", str(tmp_path / "bounds.parquet")]) == 0
    bounds = pl.read_parquet(tmp_path / "bounds.parquet")
    exact_auc = expected.filter(score="forest")["auc"]
    assert (bounds["auc_min"] <= exact_auc).all()
    assert (exact_auc <= bounds["auc_max"]).all()
    assert (bounds["auc_min"] < bounds["auc_max"]).any()
    assert not bounds.filter(pl.col("auc_min") < pl.col("auc_max"))["exact"].any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["state", "--label", "label", "--score", "tree", "-o", "x.csv"], "must end in .parquet"),
        (["state", "--score", "tree", "-o", "x.parquet"], "required: --label"),
        (
            ["state", "--label", "label", "--score", "tree", "-o", "x.parquet", "--max-bins", "3"],
            "--max-bins must",
        ),
        (
            ["state", "--label", "label", "--score", "tree", "-o", "x.parquet", "--scale", "real"],
            "give --max-bins",
        ),
        (
            ["state", "--label", "label", "--score", "tree", "--by", "tree", "-o", "x.parquet"],
            "--by and --score both name 'tree'",
        ),
        (
            ["state", "--label", "label", "--score", "tree", "-o", "x.parquet", "--where", "1 = 0"],
            "no row has a label and a score. Hint: if that is expected, write --allow-empty",
        ),
        (["merge", "-o", "x.parquet", "--by", "segment", "--by", "segment"], "has no column of states"),
        (
            ["merge", "-o", "x.parquet"],
            "breast_cancer.parquet' has no column of states. Hint: write states with polars-auc state",
        ),
        (
            ["report", "--from-states"],
            "breast_cancer.parquet' has no column of states. Hint: write states with polars-auc state",
        ),
        (["report", "--from-states", "--compare"], "--compare requires rows"),
        (
            ["report", "--bounded", "--folds", "fold"],
            "--folds needs all rows at once, so it cannot be combined with --bounded",
        ),
        (
            ["report", "--label", "label", "--score", "tree", "--max-bins", "64"],
            "--max-bins is for --bounded",
        ),
    ],
)
def test_refusals_of_states(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command, *options = [str(tmp_path / it) if it.startswith("x.") else it for it in arguments]
    assert main([command, str(DATA), *options]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_bounded_report_of_files(tmp_path: Path) -> None:
    arguments = ["report", str(DATA), "--label", "label", "--score", "forest", "--by", "segment"]
    assert main([*arguments, "-o", str(tmp_path / "exact.csv")]) == 0
    assert main([*arguments, "--bounded", "-o", str(tmp_path / "bounded.csv")]) == 0
    exact, bounded = (pl.read_csv(tmp_path / name) for name in ("exact.csv", "bounded.csv"))
    # With 4096 bins all scores of these files are exact.
    assert_report_of_rows(bounded, exact)
    assert bounded["auc_min"].equals(bounded["auc"])


def test_states_that_only_some_files_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["state", str(DATA), "--label", "label", "--score", "forest", "--by", "segment"]
    one, two = str(tmp_path / "one.parquet"), str(tmp_path / "two.parquet")
    assert main([*arguments, "-o", one]) == 0
    assert main([*arguments, "--score", "tree", "-o", two]) == 0
    rows = str(DATA / "digits.parquet")
    for files, message in (
        ([one, two], f"{one!r} has no column of states 'tree', which {two!r} has"),
        ([two, one], f"{one!r} has no column of states 'tree', which {two!r} has"),
        ([rows, one], f"{rows!r} has no column of states 'forest', which {one!r} has"),
    ):
        assert main(["merge", *files, "-o", str(tmp_path / "x.parquet")]) == 2
        assert message in capsys.readouterr().err
    assert main(["report", two, "--from-states", "--score", "tree", "--score", "tree"]) == 2
    assert "--score names one score twice" in capsys.readouterr().err
    assert main(["report", two, "--from-states", "--by", "segment", "--by", "segment"]) == 2
    assert "--by names one column twice" in capsys.readouterr().err


def test_errors_name_files_with_unreadable_states(folder: Path, capsys: Capture) -> None:
    rows = pl.DataFrame({"y": [1, 0] * 50, "s": [x / 128 for x in range(100)]})
    states = {
        "one": rows.select(s=pa.roc_state("y", "s", max_bins=16)),
        "scale": rows.select(s=pa.roc_state("y", "s", max_bins=16, scale="probability")),
        "dtype": rows.select(s=pa.roc_state("y", pl.col("s").cast(pl.Decimal(9, 7)), max_bins=16)),
    }
    bins = pl.col("s").struct.field("bins").list.reverse()
    states["order"] = states["one"].with_columns(pl.col("s").struct.with_fields(bins.alias("bins")))
    (folder / "x").mkdir()
    for name, table in states.items():
        table.write_parquet(f"x/{name}.parquet")
    Path("x/short.parquet").write_bytes(Path("x/one.parquet").read_bytes()[:-10])
    Path("x/text.parquet").write_text("s\n1\n")
    for name, message in (
        ("order", "'x/order.parquet': state \"s\" has bins that are not in order"),
        ("scale", "'x/scale.parquet' beside 'x/one.parquet': state \"s\" "),
        (
            "dtype",
            "states 's' are of scores of one dtype in 'x/one.parquet' and another in 'x/dtype.parquet'",
        ),
        ("short", "cannot read 'x/short.parquet': "),
        ("text", "cannot read 'x/text.parquet': "),
    ):
        files = ["x/one.parquet", f"x/{name}.parquet"]
        assert message in refused(["merge", *files, "-o", "x/merged.parquet"], capsys)
        assert message in refused(["report", *files, "--from-states"], capsys)
    assert not Path("x/merged.parquet").exists()


@pytest.mark.usefixtures("folder")
def test_a_segment_of_null_comes_last() -> None:
    """Test states and reports of rows."""
    rows = pl.DataFrame({"k": [None, "b", "a"] * 4, "y": [1, 0] * 6, "s": [float(x) for x in range(12)]})
    rows.write_parquet("x.parquet")
    arguments = ["x.parquet", "--label", "y", "--score", "s", "--by", "k"]
    assert main(["state", *arguments, "-o", "state.parquet"]) == 0
    assert main(["merge", "state.parquet", "--by", "k", "-o", "merged.parquet"]) == 0
    assert main(["report", *arguments, "-o", "report.parquet"]) == 0
    for name in ("state", "merged", "report"):
        assert pl.read_parquet(f"{name}.parquet")["k"].to_list()[:3] == ["a", "b", None]


def test_a_sheet_of_excel_holds_the_table(folder: Path) -> None:
    """Names that begin with = are text, NaN and infinities are errors, and there is no timestamp."""
    rows = pl.DataFrame(
        {
            "g": ["=1+1", "=1+1", "http://a.b", "http://a.b", None, None],
            "y": [0, 1, 0, 1, 0, 1],
            "s": [1.0, 2.0, math.nan, 2.0, math.inf, 0.0],
        }
    )
    rows.write_parquet("sheet.parquet")
    arguments = []
    for _ in range(2):
        command = ["report", "sheet.parquet", "--label", "y", "--score", "s", "--by", "g", "-o", "out.xlsx"]
        # A NaN makes the report incomplete.
        assert main(command) == 3
        arguments.append((folder / "out.xlsx").read_bytes())
    assert arguments[0] == arguments[1]
    with zipfile.ZipFile(folder / "out.xlsx") as file:
        sheet = file.read("xl/worksheets/sheet3.xml").decode()
        words = file.read("xl/sharedStrings.xml").decode()
    assert set(re.findall("<f>(.*?)</f>", sheet)) <= {"#NUM!", "#DIV/0!"}
    assert "=1+1" in words
    assert "http://a.b" in words
    assert sheet.count("<row ") == 1 + 4


@pytest.mark.parametrize("kind", ["md", "json", "csv", "parquet", "xlsx", "html"])
def test_standard_output_gets_what_a_file_gets(folder: Path, kind: str) -> None:
    command = [sys.executable, "-m", "polars_auc", *REPORT]
    printed = subprocess.run([*command, "-o", "-", "--format", kind], capture_output=True, check=True).stdout
    assert main([*REPORT, "-o", f"out.{kind}"]) == 0
    assert printed == (folder / f"out.{kind}").read_bytes()
    if kind == "md":
        default = subprocess.run([*command, "-o", "-"], capture_output=True, check=True).stdout
        assert default == printed


def test_refusals_of_standard_output(folder: Path, capsys: Capture) -> None:
    assert folder.exists()
    assert "--format is for -o -" in refused([*REPORT, "--format", "md"], capsys)
    assert "--limit is about the printed table, and -o - prints none" in refused(
        [*REPORT, "-o", "-", "--limit", "3"], capsys
    )
    assert "--title is of a page" in refused([*REPORT, "-o", "-", "--format", "csv", "--title", "x"], capsys)


@pytest.mark.parametrize("kind", ["csv", "tsv", "ndjson", "jsonl", "arrow", "feather", "ipc", "CSV"])
def test_files_of_other_kinds(folder: Path, capsys: Capture, kind: str) -> None:
    frame = pl.read_parquet("a.parquet").select("g", "y", "score")
    (folder / "other[1]").mkdir()
    for place, part in enumerate((frame[:700], frame[700:])):
        name = folder / "other[1]" / f"{place}=x.{kind}"
        write: Any = {
            "csv": part.write_csv,
            "tsv": lambda file, part=part: part.write_csv(file, separator="\t"),
            "ndjson": part.write_ndjson,
            "jsonl": part.write_ndjson,
        }.get(kind.lower(), part.write_ipc)
        write(name)
    frame.write_parquet("same.parquet")
    options = ["--label", "y", "--score", "score", "--by", "g"]
    expected = report_of(["same.parquet", *options], capsys)
    for names in (["other[1]/0=x." + kind, "other[1]/1=x." + kind], [f"other[1]/*.{kind}"]):
        assert report_of([*names, *options], capsys) == expected


def test_columns_of_text_files_go_by_name(folder: Path, capsys: Capture) -> None:
    """Polars would match columns by position, and fill missing columns with null."""
    (folder / "1.csv").write_text("y,s\n0,1\n1,2\n")
    (folder / "2.csv").write_text("s,y\n4,0\n0.5,1\n,1\n")
    options = ["--label", "y", "--score", "s", "--wide"]
    out = report_of(["1.csv", "2.csv", *options], capsys)
    assert [cell.strip() for cell in out.splitlines()[3].strip("│").split("┆")][:4] == ["s", "4", "2", "1"]
    (folder / "3.csv").write_text("y,t\n0,1\n1,2\n")
    message = refused(["report", "1.csv", "3.csv", *options], capsys)
    assert "'3.csv' lacks the column 's', unlike '1.csv'" in message
    (folder / "4.csv").write_text("y,s\n0,1\n1,many\n")
    assert "polars-auc: " in refused(["report", "4.csv", *options], capsys)
    (folder / "5.csv").write_text("")
    assert "cannot read '5.csv'" in refused(["report", "5.csv", *options], capsys)


def test_a_delta_table(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    part = pl.read_parquet("a.parquet").select("label", "score", "g")
    part[:700].write_delta("table")
    part[700:].write_delta("table", mode="append")
    arguments = ["table", "--label", "label", "--score", "score", "--by", "g", "-o", "to/out.md"]
    assert report_of(arguments, capsys) == report_of(["a.parquet", *arguments[1:]], capsys)
    assert "Data: 1 file" in (folder / "to" / "out.md").read_text(encoding="utf-8")
    assert "files of two kinds" in refused(["report", "table", "a.parquet", *arguments[1:]], capsys)
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "polars_auc._plugin.packages.find_spec", lambda name: None if name == "deltalake" else found(name)
    )
    needed = "the Delta table 'table' needs deltalake>=1: pip install \"deltalake>=1\""
    assert needed in refused(["report", *arguments], capsys)


def test_a_file_has_one_name(folder: Path, capsys: Capture) -> None:
    """A file:// URL is the same file as its path: it is read once, and never overwritten."""
    arguments = ["--label", "y", "--score", "score", "--by", "g", "-o", "to/out.md"]
    for name in ("a.parquet", "*.parquet"):
        assert report_of([f"file://{folder}/{name}", *arguments], capsys) == report_of(
            [name, *arguments], capsys
        )
    twice = report_of([f"file://{folder}/a.parquet", "a.parquet", *arguments], capsys)
    assert twice == report_of(["a.parquet", *arguments], capsys)
    assert "no file matches" in refused(["report", f"file://{folder}/none.parquet", *arguments], capsys)
    over = ["report", f"file://{folder}/a.parquet", *arguments[:-1], "a.parquet"]
    assert "is one of the files to read" in refused(over, capsys)


def test_files_inside_delta_tables(folder: Path, capsys: Capture) -> None:
    """Deleted rows of a Delta table are still in its files."""
    part = pl.read_parquet("a.parquet").select("label", "score", "g")
    for day in ("1", "2"):
        part.write_delta(f"tables/{day}")
        part[:500].write_delta(f"tables/{day}", mode="overwrite")
    arguments = ["--label", "label", "--score", "score"]
    whole = report_of(["tables/1", "tables/2", *arguments], capsys)
    pl.concat([part[:500]] * 2).write_parquet("to/now.parquet")
    assert report_of(["to/now.parquet", *arguments], capsys) == whole
    assert report_of(["tables/*", *arguments], capsys) == whole
    for name in ("tables", "tables/*/*.parquet"):
        assert "inside the Delta table" in refused(["report", name, *arguments], capsys)
    assert (folder / "tables" / "1" / "_delta_log").is_dir()


def test_text_files_without_rows(folder: Path, capsys: Capture) -> None:
    """Files without rows do not change the types of columns to text."""
    part = pl.read_parquet("a.parquet").select("y", "score")
    part.write_csv("1.csv")
    part.clear().write_csv("2.csv")
    arguments = ["--label", "y", "--score", "score"]
    assert report_of(["1.csv", "2.csv", *arguments], capsys) == report_of(["1.csv", *arguments], capsys)
    (folder / "3.csv").touch()
    assert "cannot read '3.csv': " in refused(["report", "3.csv", *arguments], capsys)


def test_a_failed_gate_prints_the_columns_that_it_names(folder: Path, capsys: Capture) -> None:
    gate = [
        "report",
        "a.parquet",
        "--label",
        "y",
        "--score",
        "score",
        "--by",
        "word",
        "--versus",
        "rest",
        "--quiet",
    ]
    for condition, names in (
        ("lower < 2", ["lower"]),
        ("p_adjusted <= 1 AND difference < 9", ["difference", "p_adjusted"]),
        ("word <> 'x'", ["n", "auc", "lower", "upper"]),
    ):
        assert main([*gate, "-o", "to/gate.csv", "--fail-if", condition]) == 1
        _, _, head, *_ = capsys.readouterr().err.splitlines()
        assert [name.strip() for name in head.strip("│").split("┆")] == ["word", "score", *names]
    assert (folder / "to" / "gate.csv").exists()


def test_along_a_column_in_sql(folder: Path, capsys: Capture) -> None:
    frame = pl.read_parquet("a.parquet").with_columns(day=pl.date(2026, 1 + pl.col("g") % 3, 5))
    frame.write_parquet("to/days.parquet")
    sql = "EXTRACT(MONTH FROM day) AS month"
    arguments = ["to/days.parquet", "--label", "y", "--score", "score", "--by", "word", "--by", sql]
    versus = [*arguments, "--versus", "previous"]
    assert "--along 'month'" in refused(["report", *versus], capsys)
    assert report_of([*versus, "--along", "month"], capsys) == report_of([*versus, "--along", sql], capsys)
    assert main(["report", *versus, "--along", sql, "--quiet", "-o", "to/page.html"]) == 0
    assert (folder / "a.parquet").exists()


def report_of(arguments: list[str], capsys: Capture) -> str:
    """Return the printed report."""
    assert main(["report", *arguments]) == 0
    return capsys.readouterr().out


def test_groups_written_in_sql(folder: Path, capsys: Capture) -> None:
    """A month of a date is a group key, named by its alias or its text."""
    frame = pl.read_parquet(folder / "a.parquet").with_columns(day=pl.date(2026, 1 + pl.col("g") % 3, 5))
    frame.write_parquet("days.parquet")
    report = ["report", "days.parquet", "--label", "y", "--score", "score", "--quiet", "-o", "to/out.parquet"]
    sql = "EXTRACT(MONTH FROM day)"
    expected = pa.report(frame.with_columns(month=pl.col("day").dt.month()), "y", "score", by="month")
    for by, name in ((f"{sql} AS month", "month"), (sql, sql)):
        arguments = [*report, "--by", by, "--fail-if", "auc > 2"]
        assert main(arguments) == 0
        table = pl.read_parquet("to/out.parquet").rename({name: "month"})
        assert_frame_equal(table, expected, check_dtypes=False)
    capsys.readouterr()
    assert main(["state", *report[1:-3], "-o", "to/out.parquet", "--by", f"{sql} as month"]) == 0
    assert pl.read_parquet("to/out.parquet").columns == ["month", "score"]
    capsys.readouterr()
    assert "second column 'g'" in refused([*report, "--by", f"{sql} AS g"], capsys)
    assert "one value for all rows" in refused([*report, "--by", "MAX(g) AS m"], capsys)
    assert main([*report, "--by", f'{sql} AS "the month"']) == 0
    assert "the month" in pl.read_parquet("to/out.parquet").columns
    capsys.readouterr()
    assert "is not a SQL expression" in refused([*report, "--by", "EXTRACT(("], capsys)
    assert "'segment', which is not in the files" in refused([*report, "--by", "segment"], capsys)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_progress_on_a_terminal_alone(folder: Path, capsys: Capture) -> None:
    """Progress with files and rows appears on a terminal only."""
    import pty

    arguments = ["report", "*.parquet", "--label", "y", "--score", "score", "--bounded", "-o", "to/out.csv"]
    script = f"import sys; from polars_auc._commands.main import main; sys.exit(main({arguments!r}))"
    primary, others = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    ran = subprocess.run(
        [sys.executable, "-c", script], stderr=others, stdout=subprocess.PIPE, env=environment, check=True
    )
    os.close(others)
    printed = b""
    with suppress(OSError):
        while part := os.read(primary, 65536):
            printed += part
    os.close(primary)
    assert b"evaluating 2 files" in printed
    assert b"4,000 rows" in printed
    assert b"wrote to/out.csv" in printed
    assert b"evaluating" not in ran.stdout
    assert main(arguments) == 0
    assert "evaluating" not in capsys.readouterr().err
    assert (folder / "to" / "out.csv").exists()


def test_a_null_interval_has_a_reason(folder: Path, capsys: Capture) -> None:
    rows = pl.DataFrame({"g": list("aaabbbb"), "y": [0, 0, 1, 0, 0, 1, 1], "s": [1, 2, 3, 1, 3, 2, 4]})
    rows.write_parquet("one.parquet")
    arguments = ["report", "one.parquet", "--label", "y", "--score", "s", "--by", "g"]
    assert main([*arguments, "-o", "one.md"]) == 0
    message = "1 row of the report without an interval: a class has one row only"
    assert f"{message}, so its variance is unknown; the first, of s, has one positive in 3 rows" in (
        capsys.readouterr().err
    )
    assert message in (folder / "one.md").read_text(encoding="utf-8")
    assert main([*arguments, "--where", "g = 'b'"]) == 0
    assert "without an interval" not in capsys.readouterr().err
