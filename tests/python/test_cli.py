"""The command line, as a user types it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc._cli import main

Capture = pytest.CaptureFixture[str]
DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two files and one partitioned set, as working directory."""
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


REPORT = ["report", "*.parquet", "--label", "y", "--score", "score"]


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
    assert [row["auc"] for row in json.loads(Path("to/out.json").read_text())] == expected["auc"].to_list()
    lines = Path("to/out.md").read_text().splitlines()
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
    assert "heterogeneity_p_value" in out
    assert "gain_p_adjusted" in out


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
    """A row with nothing to compare with does not fail a condition; an undefined value does."""
    few = [*REPORT, "--score", "other", "--by", "g", "--where", "g <= 4"]
    for condition in ("p_adjusted < 0", "heterogeneity_p_value < 0", "gain_p_adjusted < 0", "difference > 2"):
        for versus in ("rest", "previous", "3"):
            assert main([*few, "--versus", versus, "--compare", "--fail-if", condition]) == 0, condition
    assert main([*few, "--versus", "previous", "--fail-if", "p_value >= 0"]) == 1
    err = capsys.readouterr().err
    assert "holds in 6 rows" in err
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
    for arguments, says in (
        (keys, "needs the one whose previous value is meant, as in --along key"),
        ([*keys, "--along", "other"], "--along names 'other', which is none of the --by: g, key"),
        (["--by", "g", "--versus", "rest", "--along", "g"], "--along says whose previous value is meant"),
    ):
        assert main([*REPORT, *arguments]) == 2
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("versus", ["rest", "overall"])
@pytest.mark.parametrize("new", ["new", None])
def test_a_gate_sees_every_group(tmp_path: Path, capsys: Capture, versus: str, new: str | None) -> None:
    """A group with a single positive below all negatives, and a group without a name."""
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
    # Without an error there is no p-value, and what cannot be decided fails.
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
    assert "rows skipped for a null label or score" in capsys.readouterr().err


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
    assert table["score"].to_list() == ["score", "-score"]
    assert table["auc"].sum() == pytest.approx(1)


def test_gate(folder: Path, capsys: Capture) -> None:
    assert main([*REPORT, "--fail-if", "auc < 0.5"]) == 0
    assert main([*REPORT, "--fail-if", "auc < 0.99", "-o", "out.csv"]) == 1
    assert "--fail-if 'auc < 0.99' holds in 1 row:" in capsys.readouterr().err
    assert (folder / "out.csv").exists()
    pl.DataFrame(
        {"y": [1, 1, 0, 1], "score": [1.0, 2.0, 1.0, float("nan")], "g": [1, 1, 2, 2]}
    ).write_parquet("a.parquet")
    for by, undecided in ((["--by", "g"], 3), ([], 1)):
        assert (
            main(["report", "a.parquet", "--label", "y", "--score", "score", *by, "--fail-if", "auc < 0.7"])
            == 1
        )
        assert f"{undecided} of them because it cannot be decided there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
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
            [*REPORT, "--label", "lable"],
            "--label names the column 'lable', which is not in the files; there are: g, label",
        ),
        ([*REPORT, "--score", "(("], "--score '((' is no SQL expression"),
        ([*REPORT, "--by", "h"], "--by names the column 'h'"),
        ([*REPORT, "--by", "g", "--by", "g"], "the group column 'g'"),
        ([*REPORT, "--score", "score"], "--score names one score twice"),
        ([*REPORT, "--where", "h > 1"], "--where names the column 'h'"),
        ([*REPORT, "--where", "g + 1"], "--where 'g + 1' is no condition"),
        ([*REPORT, "--fail-if", "acu < 1"], "--fail-if names the column 'acu', which is not in the report"),
        ([*REPORT, "--fail-if", "auc <"], "--fail-if 'auc <' is no SQL expression"),
        ([*REPORT, "--fail-if", "score"], "--fail-if"),
        ([*REPORT, "--level", "95"], "--level must lie between 0 and 1, such as 0.95, got 95.0"),
        ([*REPORT, "--level", "high"], "argument --level"),
        ([*REPORT, "--compare"], "--compare needs two --score or more"),
        ([*REPORT, "--versus", "rest"], "--versus compares groups; name the column that makes them"),
        ([*REPORT, "--by", "g", "--versus", "best"], "versus must be one of 'rest', 'overall', 'previous'"),
        (
            [*REPORT, "--by", "g", "--versus", "99"],
            "versus names the segment '99', which",
        ),
        ([*REPORT, "--ci", "wald"], "argument --ci: invalid choice"),
        ([*REPORT, "--ci", "bootstrap", "--resamples", "1"], "n_resamples must be an integer from 2"),
        ([*REPORT, "--ci", "bootstrap", "--seed", "-1"], "seed must be an integer from 0"),
        ([*REPORT, "--seed", "7"], "seed applies to the bootstrap only"),
        ([*REPORT, "--adjust", "sidak"], "argument --adjust: invalid choice"),
        ([*REPORT, "--folds", "list"], 'cv_roc_auc: fold "list" has dtype'),
        ([*REPORT, "--label", "word"], 'roc_summary: label "word" has dtype str'),
        ([*REPORT, "--label", "g"], 'label "g" holds'),
        (["report", "a.parquet", "--label", "y", "--score", "word"], 'score "word" has dtype str'),
        ([*REPORT, "--label", "word"], "Name the positive class: --label \"outcome = 'bad'\""),
        (
            [*REPORT, "--by", "list"],
            "--by names the column 'list' of dtype List(Int64), which",
        ),
        ([*REPORT, "--by", "word", "--fail-if", "CAST(word AS INTEGER) > 1", "-o", "x.csv"], "conversion"),
        (["report", "hive", "hive/g=1", "--label", "y", "--score", "score"], "name a file twice"),
        ([*REPORT, "-o", "out.xlsx"], "--output must end in .parquet, .csv, .json, .md, got 'out.xlsx'"),
        ([*REPORT, "-o", "a.parquet"], "--output 'a.parquet' is one of the files to read"),
        ([*REPORT, "-o", "none/out.csv"], "--output is in 'none', which is no folder"),
    ],
)
def test_refusals(folder: Path, capsys: Capture, arguments: list[str], says: str) -> None:
    (folder / "text.txt").write_text("no parquet")
    if "text.parquet" in arguments:
        (folder / "text.txt").rename("text.parquet")
    before = sorted(path.name for path in folder.rglob("*"))
    assert says in refused(arguments, capsys)
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


def test_names_are_taken_as_they_are(folder: Path) -> None:
    """A file name with special characters is not a pattern, and its path is not read as partitions."""
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
    assert "holds in 1 row:" in capsys.readouterr().err
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
    assert not list(tmp_path.iterdir())
    latin = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert (latin.returncode, latin.stderr) == (0, b"")
