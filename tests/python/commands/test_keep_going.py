"""Reports with files, scores or groups that cannot be evaluated."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import assert_report_of_rows, fixed
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]


def rows() -> pl.DataFrame:
    return fixed(3000).with_columns(
        y=pl.col("label").cast(pl.Int8), g=pl.col("g") % 7, other=-pl.col("score")
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows()[:1000].write_parquet("a.parquet")
    rows()[1000:].write_parquet("b.parquet")


OPTIONS = ["--label", "y", "--score", "score", "--by", "g", "--quiet", "-o", "out.parquet"]


def written() -> pl.DataFrame:
    return pl.read_parquet("out.parquet")


def refused(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 2
    return capsys.readouterr().err


def test_nothing_to_leave_out(capsys: Capture) -> None:
    assert main(["report", "*.parquet", *OPTIONS, "--keep-going"]) == 0
    assert_frame_equal(written(), pa.report(rows(), "y", "score", by="g"))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("fault", ["no Parquet", "cut", "another type", "no column"])
def test_files(fault: str, capsys: Capture) -> None:
    bad = Path("c.parquet")
    if fault == "no Parquet":
        bad.write_text("label,score", encoding="utf-8")
    elif fault == "cut":
        bad.write_bytes(Path("a.parquet").read_bytes()[:2000])
    elif fault == "another type":
        rows().with_columns(score=pl.lit("a")).write_parquet(bad)
    else:
        rows().drop("score").write_parquet(bad)
    arguments = ["report", "c.parquet", "a.parquet", "b.parquet", *OPTIONS]
    assert "c.parquet" in refused(arguments, capsys)
    assert main([*arguments, "--keep-going"]) == 3
    assert_frame_equal(written(), pa.report(rows(), "y", "score", by="g"))
    assert "polars-auc: left out the file 'c.parquet': " in capsys.readouterr().err


def test_files_of_partitions(capsys: Capture) -> None:
    rows().write_parquet("hive", partition_by="g", mkdir=True)
    bad = next(iter(Path("hive/g=3").glob("*.parquet")))
    bad.write_bytes(b"PAR1")
    assert main(["report", "hive", *OPTIONS, "--keep-going"]) == 3
    expected = pa.report(rows().filter(pl.col("g") != 3), "y", "score", by="g")
    assert_frame_equal(written(), expected, check_dtypes=False)
    assert str(bad) in capsys.readouterr().err


def test_scores(capsys: Capture) -> None:
    arguments = ["report", "a.parquet", *OPTIONS, "--score", "gone", "--score", "CAST(g AS STRING)"]
    assert "gone" in refused(arguments, capsys)
    assert main([*arguments, "--keep-going"]) == 3
    assert_frame_equal(written(), pa.report(rows()[:1000], "y", "score", by="g"))
    stderr = capsys.readouterr().err
    assert "left out the score 'gone': --score names the column 'gone'" in stderr
    assert "left out the score 'CAST(g AS STRING)'" in stderr


@pytest.mark.parametrize("bounded", [False, True])
def test_groups(bounded: bool, capsys: Capture) -> None:
    """A label that is neither 0 nor 1 invalidates only its group."""
    bad = rows().with_columns(y=pl.when(pl.col("g").is_in([2, 5])).then(2).otherwise("y"))
    bad.write_parquet("bad.parquet")
    arguments = ["report", "bad.parquet", *OPTIONS, *(["--bounded"] if bounded else [])]
    assert "contains 2" in refused(arguments, capsys)
    assert main([*arguments, "--keep-going"]) == 3
    good = rows().filter(~pl.col("g").is_in([2, 5]))
    expected = pa.report(good, "y", "score", by="g")
    if bounded:
        assert_report_of_rows(written(), expected)
    else:
        assert_frame_equal(written(), expected)
    stderr = capsys.readouterr().err
    assert 'left out the group 2: label "y" contains 2' in stderr
    assert "left out the group 5: " in stderr
    # The exit codes of a failed gate and of omitted parts differ.
    assert main([*arguments, "--keep-going", "--fail-if", "auc < 2"]) == 1
    capsys.readouterr()


def test_a_page_names_what_is_left_out() -> None:
    shutil.copy("a.parquet", "c.parquet")
    Path("c.parquet").write_bytes(b"PAR1")
    arguments = ["report", "*.parquet", *OPTIONS[:-1], "out.md", "--keep-going"]
    assert main(arguments) == 3
    assert "Left out: `the file 'c.parquet'" in Path("out.md").read_text(encoding="utf-8")


def test_nothing_is_left(capsys: Capture) -> None:
    """Without any valid part, or with an invalid option, the error is the same as without --keep-going."""
    Path("none.parquet").write_bytes(b"PAR1")
    for arguments in (
        ["report", "none.parquet", *OPTIONS],
        ["report", "a.parquet", "--label", "g * 0 + 2", *OPTIONS[2:]],
        ["report", "a.parquet", "--label", "y", "--score", "gone", *OPTIONS[4:]],
        ["report", "a.parquet", *OPTIONS, "--level", "2"],
        ["report", "a.parquet", *OPTIONS, "--columns", "x"],
        ["report", "nowhere.parquet", *OPTIONS],
        ["report", "a.parquet", *OPTIONS, "--where", "nothing > 3"],
    ):
        plain = refused(arguments, capsys)
        assert refused([*arguments, "--keep-going"], capsys) == plain


def test_gains_over_another_score_are_refused(capsys: Capture) -> None:
    arguments = [
        "report",
        "a.parquet",
        "--label",
        "y",
        "--score",
        "gone",
        "--score",
        "score",
        "--score",
        "other",
    ]
    assert "gone" in refused([*arguments, "--compare", "--keep-going"], capsys)


def test_words_among_the_numbers_of_a_text_file(capsys: Capture) -> None:
    frame = rows().select("y", "score", "g")
    for name, part in (("1.csv", frame[:1000]), ("2.csv", frame[1000:])):
        part.write_csv(name)
    frame[:50].with_columns(score=pl.lit("oops")).write_csv("0.csv")
    assert main(["report", "*.csv", *OPTIONS, "--keep-going"]) == 3
    assert_frame_equal(written(), pa.report(frame, "y", "score", by="g"), check_exact=False)
    assert "the file '0.csv': the column 'score' contains words" in capsys.readouterr().err


def test_states(capsys: Capture) -> None:
    for name in ("a", "b"):
        arguments = ["state", f"{name}.parquet", "--label", "y", "--score", "score", "--by", "g"]
        assert main([*arguments, "-o", f"{name}.states.parquet"]) == 0
    report = ["report", "*.states.parquet", "a.parquet", "--from-states", "--by", "g", "--quiet"]
    assert "a.parquet" in refused(report, capsys)
    assert main([*report, "--keep-going", "-o", "out.parquet"]) == 3
    assert_report_of_rows(written(), pa.report(rows(), "y", "score", by="g"))
    assert "left out the file 'a.parquet'" in capsys.readouterr().err
