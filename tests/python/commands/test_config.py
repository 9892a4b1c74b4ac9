"""Configuration files, and ``polars-auc init``, which writes one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]
DATA = Path(__file__).parents[3] / "data"

CONFIG = """
[input]
files = ["rows.parquet"]
label = "y"
score = ["s", "t"]
by = "g"
where = ["s > -1", "t < 100"]

[report]
level = 0.9
compare = true
quiet = false
fail-if = ["auc < 0.1"]
output = "out.parquet"

[gains]
bands = 3

[curve]
max-points = 50
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = pl.DataFrame(
        {
            "g": ["a", "b"] * 50,
            "y": [row * 7 % 3 == 0 for row in range(100)],
            "s": [row * 13 % 17 / 4 for row in range(100)],
            "t": [row * 5 % 23 for row in range(100)],
        }
    )
    rows.write_parquet("rows.parquet")
    (tmp_path / "polars-auc.toml").write_text(CONFIG)
    return tmp_path


def printed(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_a_file_equals_the_command_line(folder: Path, capsys: Capture) -> None:
    flags = ["rows.parquet", "--label", "y", "--score", "s", "--score", "t", "--by", "g"]
    flags += ["--where", "s > -1", "--where", "t < 100"]
    options = ["--level", "0.9", "--compare", "--fail-if", "auc < 0.1"]
    expected = printed(["report", *flags, *options], capsys)
    for arguments in (["report", "--config", "polars-auc.toml"], ["--config=polars-auc.toml", "report"]):
        assert printed(arguments, capsys) == expected
    table = pl.read_parquet(folder / "out.parquet")
    rows = pl.scan_parquet("rows.parquet").filter(pl.col("s") > -1, pl.col("t") < 100)
    assert table.equals(pa.report(rows, "y", ["s", "t"], by="g", level=0.9, compare=True).collect())
    assert printed(["gains", "--config", "polars-auc.toml"], capsys) == printed(
        ["gains", *flags, "--bands", "3"], capsys
    )


def test_the_command_line_replaces_the_file(folder: Path, capsys: Capture) -> None:
    config = ["--config", "polars-auc.toml"]
    pl.read_parquet("rows.parquet").head(60).write_parquet("other.parquet")
    out = printed(["gains", "other.parquet", *config, "--score=s", "--bands=2", "--where", "t < 50"], capsys)
    flags = ["--label", "y", "--score", "s", "--by", "g", "--where", "t < 50"]
    assert out == printed(["gains", "other.parquet", *flags, "--bands", "2"], capsys)
    assert printed(["gains", *config, "--sco=s"], capsys) == printed(["gains", *config, "--score=s"], capsys)
    assert main(["report", *config, "-oother.csv", "--fail-if", "auc < 1.1"]) == 1
    assert Path("other.csv").exists()
    assert not (folder / "out.parquet").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[input", "cannot read 'x.toml': "),
        ("[report]\nby = " + "[" * 5000, "cannot read 'x.toml': lists are nested too deeply"),
        ('label = "y"', "'x.toml': 'label' is outside any table. Hint: put it under [input]"),
        ("[reports]", "'x.toml' has a table [reports], expected one of [input], [report], [curve]"),
        ('[input]\nlabels = "y"', "'x.toml': [input] has the unknown option 'labels'"),
        ("[report]\nbands = 3", "'x.toml': [report] has the unknown option 'bands', expected one of "),
        ("[report]\nlevel = {a = 1}", "'x.toml': level must be a text, a number, or a list of these, got"),
        ("[report]\nlevel = [true]", "'x.toml': level must be a text, a number, or a list of these, got"),
        ("[report]\nlevel = [0.5, 0.6]", "--level is given twice"),
        ('[report]\nlevel = "high"', "argument --level: invalid float value: 'high'"),
        ('[input]\nfiles = ["none.parquet"]', "no file matches 'none.parquet'"),
    ],
)
def test_refusals(folder: Path, capsys: Capture, text: str, message: str) -> None:
    (folder / "x.toml").write_text(text)
    assert main(["report", "--config", "x.toml", "--label", "y", "--score", "s"]) == 2
    stderr = capsys.readouterr().err
    assert stderr.startswith("polars-auc: ")
    assert "fault" not in stderr
    assert message in stderr


def test_refusals_of_the_option(folder: Path, capsys: Capture) -> None:
    assert folder.exists()
    for arguments, message in (
        (["report", "--config"], "--config needs the name of a file"),
        (["--config", "polars-auc.toml"], "--config needs a command"),
        (["report", "--config", "none.toml"], "cannot read 'none.toml': "),
        (["report", "--config", "polars-auc.toml", "--config", "polars-auc.toml"], "--config is given twice"),
    ):
        assert main(arguments) == 2
        assert message in capsys.readouterr().err


def test_init_writes_what_report_reads(folder: Path, capsys: Capture) -> None:
    pattern = str(DATA / "*.parquet")
    text = printed(["init", pattern], capsys)
    assert 'label = "label"' in text
    assert 'score = ["logistic", "forest", "tree"]' in text
    assert 'by = ["dataset"]' in text
    assert '# other columns of groups: "segment", "fold"' in text
    assert main(["init", pattern, "-o", "new.toml"]) == 0
    assert (folder / "new.toml").read_text() == text
    stderr = capsys.readouterr().err
    assert stderr.endswith("wrote new.toml; polars-auc report --config new.toml\n")
    scores = [f"--score={name}" for name in ("logistic", "forest", "tree")]
    expected = printed(["report", pattern, "--label", "label", *scores, "--by", "dataset"], capsys)
    assert printed(["report", "--config", "new.toml"], capsys) == expected
    assert (folder / "report.md").exists()
    for output, message in (("new.toml", "'new.toml' exists"), ("new.txt", "--output must end in .toml")):
        assert main(["init", pattern, "-o", output]) == 2
        assert message in capsys.readouterr().err


def test_init_of_columns_of_all_kinds(folder: Path, capsys: Capture) -> None:
    pl.DataFrame(
        {
            "flag": [True, False],
            "bit": [0, 1],
            "half": [0, None],
            "empty": pl.Series([None, None], dtype=pl.Int8),
            "id": [1, 2],
            "code": [3, 4],
            'quoted"name': ["x", "y"],
            "same": ["x", "x"],
            "list": [[1], [2]],
        }
    ).write_parquet("kinds.parquet")
    assert main(["init", "kinds.parquet"]) == 3
    text, output = capsys.readouterr()
    assert '# uncertain: other columns of 0 and 1 are "bit"\nlabel = "flag"' in text
    assert '# score = ["model"]' in text
    assert 'by = ["quoted\\"name"]\n# other columns of groups: "code"' in text
    needs = "edit it before running a report: no column looks like a score; write which is\n"
    assert output == f"polars-auc: {needs}"
    assert f"# {needs[0].upper()}{needs[1:]}" in text
    assert folder.exists()


RNG = np.random.default_rng(0)
LABEL = RNG.random(2000) < 0.1
SCORE = RNG.standard_normal(2000) + 1.5 * LABEL
AGES = RNG.integers(18, 80, 2000)
SHARES = RNG.random(2000)

FRAMES: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "points, an age, an exposure, an id and days": (
        {
            "customer_id": np.arange(2000),
            "opened": pl.date_range(pl.date(2020, 1, 1), pl.date(2025, 6, 22), eager=True),
            "age": AGES,
            "exposure": SHARES,
            "points": (600 - 50 * SCORE).astype(int),
            "grade": RNG.choice(list("ABCD"), 2000),
            "bad": LABEL.astype(int),
        },
        ['label = "bad"', 'score = ["points"]', 'by = ["grade"]'],
        [
            'by their names these whole numbers are scores: "points"',
            'by their names no scores: "age", "exposure"',
            '"points" 0.1',
            "(is low positive?)",
            r'by = ["EXTRACT(YEAR FROM \"opened\") AS year"]',
        ],
    ),
    "whole numbers without a name": (
        {
            "user": RNG.integers(0, 300, 2000),
            "x": (40 * SCORE).astype(int),
            "site": RNG.integers(1, 9, 2000),
            "clicked": LABEL,
        },
        ['label = "clicked"', 'score = ["x"]', 'by = ["site"]'],
        ["uncertain: no name and no values tell a score", "uncertain: whole numbers of few values"],
    ),
    "probabilities, a float label, an exposure from 0 to 1": (
        {
            "AGE": AGES.astype(float),
            "exposure": SHARES,
            "amount": SHARES * 1e5,
            "died": LABEL.astype(float),
            "flag": ~LABEL,
            "a": 1 / (1 + np.exp(-SCORE)),
            "b": SHARES.round(1),
            "wide": SCORE,
        },
        ['label = "died"', 'score = ["a", "b"]', '# by = ["segment"]'],
        [
            'other columns of 0 and 1 are "flag"',
            'no scores: "AGE", "exposure", "amount"',
            'other columns of numbers: "wide"',
        ],
    ),
}


@pytest.mark.parametrize("case", FRAMES)
def test_init_proposes_what_makes_a_report(folder: Path, capsys: Capture, case: str) -> None:
    columns, lines, expected = FRAMES[case]
    pl.DataFrame(columns).write_parquet("mine.parquet")
    assert main(["init", "mine.parquet", "-o", "mine.toml"]) == 0
    assert capsys.readouterr().err == "polars-auc: wrote mine.toml; polars-auc report --config mine.toml\n"
    text = (folder / "mine.toml").read_text(encoding="utf-8")
    assert [line for line in lines if line not in text.splitlines()] == []
    assert [text_part for text_part in expected if text_part not in text] == []
    assert not (folder / "report.md").exists()
    assert main(["report", "--config", "mine.toml", "--quiet"]) == 0
    assert (folder / "report.md").exists()


def test_init_decides_nothing_of_words(folder: Path, capsys: Capture) -> None:
    rows = {"the outcome": ["it's bad"] + ["good"] * 3, "score": [4.0, 1.0, 2.0, 3.0]}
    pl.DataFrame(rows).write_parquet("mine.parquet")
    assert main(["init", "mine.parquet", "-o", "mine.toml"]) == 3
    stderr = capsys.readouterr().err
    assert stderr == (
        "polars-auc: wrote mine.toml; edit it before running a report: no column is a label of "
        "0 and 1 or Booleans; write what is positive\n"
    )
    text = (folder / "mine.toml").read_text(encoding="utf-8")
    [rarer, other] = [line for line in text.splitlines() if line.startswith("# label")]
    assert rarer == (
        r"""# label = "CASE WHEN \"the outcome\" = 'it''s bad' THEN TRUE WHEN \"the outcome\" = 'good' """
        'THEN FALSE END"  # 1 row'
    )
    assert "'good' THEN TRUE WHEN" in other
    assert other.endswith("# 3 rows")
    (folder / "mine.toml").write_text(text.replace(rarer, rarer[2:]), encoding="utf-8")
    assert main(["report", "--config", "mine.toml", "--quiet"]) == 0


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ({"label": 2, "score": 0.5}, 'label "label" contains 2, expected Booleans'),
        ({"label": 1, "score": math.nan}, 'a score is NaN in some rows; write nan = "skip"'),
    ],
)
def test_init_makes_the_report_once(
    folder: Path, capsys: Capture, last: dict[str, Any], message: str
) -> None:
    """Errors may be in rows after the sample."""
    first = pl.DataFrame({"label": [0, 1] * 60_000, "score": pl.int_range(120_000, eager=True) / 120_000})
    pl.concat([first, pl.DataFrame(last, schema=first.schema)]).write_parquet("mine.parquet")
    assert main(["init", "mine.parquet", "-o", "mine.toml"]) == 3
    assert f"wrote mine.toml; edit it before running a report: {message}" in capsys.readouterr().err
    text = (folder / "mine.toml").read_text(encoding="utf-8")
    assert f"# Edit it before running a report: {message}" in text
    assert main(["report", "--config", "mine.toml", "--quiet"]) > 1


def test_files_may_follow_options(folder: Path, capsys: Capture) -> None:
    """Files of the command line replace those of the configuration, at any position."""
    pl.read_parquet("rows.parquet").head(50).write_parquet("few.parquet")
    expected = printed(["report", "few.parquet", "--config", "polars-auc.toml"], capsys)
    for arguments in (
        ["report", "--config", "polars-auc.toml", "--level", "0.9", "few.parquet"],
        ["report", "--level", "0.9", "few.parquet", "--config", "polars-auc.toml"],
    ):
        assert printed(arguments, capsys) == expected
    assert (folder / "out.parquet").exists()


def test_an_option_is_no_shorter_name_of_another(folder: Path, capsys: Capture) -> None:
    """--compare is not an abbreviation of compare-to in the file."""
    assert main(["report", "--config", "polars-auc.toml", "--quiet", "-o", "last.parquet"]) == 0
    text = (folder / "polars-auc.toml").read_text(encoding="utf-8").replace("compare = true\n", "")
    (folder / "to.toml").write_text(
        text.replace("[report]", '[report]\ncompare-to = "last.parquet"'), encoding="utf-8"
    )
    assert main(["report", "--config", "to.toml", "--compare", "--quiet"]) == 0
    assert {"delta_auc", "change"} <= set(pl.read_parquet("out.parquet").columns)
    capsys.readouterr()
