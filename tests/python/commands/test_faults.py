"""Errors of the command line, instead of a traceback or a wrong number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]

LONG = "x" * 300
ROWS = pl.DataFrame(
    {
        "y": [0, 1, 0, 1, 1, 0],
        "s": [0.1, 0.4, 0.3, 0.6, 0.2, 0.5],
        "*": [0.6, 0.4, 0.3, 0.1, 0.2, 0.5],
        "^s$": [0.9, 0.4, 0.3, 0.2, 0.1, 0.5],
        "^g$": list("aabbab"),
        "l": [[1, 0]] * 6,
        "w": [1, 2, 1, 1, 1, 1],
    }
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ROWS.write_parquet("r.parquet")
    return tmp_path


def refused(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 2, arguments
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert err.count("\n") == 1, err
    return err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", [LONG, f"{LONG}/a", "a\0b"])
@pytest.mark.parametrize(
    "command", ["report", "curve", "gains", "thresholds", "compare", "state", "merge", "init"]
)
def test_a_name_that_no_file_can_have(command: str, name: str, capsys: Capture) -> None:
    ending = {"state": ".parquet", "merge": ".parquet", "init": ".toml"}.get(command, ".csv")
    columns = [] if command in ("merge", "init") else ["--label", "y", "--score", "s"]
    columns += ["--score", "w"] if command == "compare" else []
    message = refused([command, "r.parquet", *columns, "-o", name + ending], capsys)
    assert "--output" in message
    assert "cannot be a file" in message


@pytest.mark.usefixtures("folder")
def test_a_name_that_no_file_to_read_can_have(capsys: Capture) -> None:
    for name in (f"{LONG}.parquet", f"{LONG}*.parquet", "/".join(["y" * 200] * 30), "a\0b.parquet"):
        refused(["report", name, "--label", "y", "--score", "s"], capsys)
        for option in ("--config", "--compare-to"):
            refused(["report", "r.parquet", "--label", "y", "--score", "s", option, f"{name}.csv"], capsys)


def test_a_name_that_no_report_can_have(tmp_path: Path) -> None:
    report = pa.report(ROWS.lazy(), "y", "s")
    with pytest.raises(ValueError, match=r"write_report: path '.*' cannot be a file: File name too long"):
        pa.write_report(report, tmp_path / f"{LONG}.csv")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "text",
    [
        "UNNEST([1, 2]) > 0",
        "UNNEST([1]) > 0",
        "SUM(UNNEST([1, 2])) > 0",
        "CASE WHEN UNNEST([1, 2]) > 0 THEN TRUE END",
    ],
)
def test_conditions_with_other_rows(text: str, capsys: Capture) -> None:
    """The error does not depend on the number of rows: the report also has two."""
    for score in ([], ["--score", "w"]):
        arguments = ["report", "r.parquet", "--label", "y", "--score", "s", *score]
        assert "has UNNEST in it" in refused([*arguments, "--fail-if", text], capsys)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("text", ["UNNEST([1, 0])", "UNNEST([1, 0, 1, 0, 1, 1])", "UNNEST(l)"])
def test_columns_with_other_rows(text: str, capsys: Capture) -> None:
    """Six groups would otherwise be assigned to the six rows."""
    options = ["label", "score", "count", "weight", "cluster", "folds", "by", "where", "stability"]
    for option in options:
        keywords = {
            "label": "y",
            "score": "s",
            option: f"{text} > 0" if option in ("where", "stability") else text,
        }
        flags = [part for name, value in keywords.items() for part in (f"--{name}", value)]
        assert f"--{option} '{text}" in refused(["report", "r.parquet", *flags], capsys)


def test_words_like_unnest_are_words(folder: Path) -> None:
    ROWS.with_columns(word=pl.lit(".explode()")).write_parquet("r.parquet")
    arguments = ["report", "r.parquet", "--label", "y", "--score", "s", "-o", "out.parquet"]
    assert main([*arguments, "--where", "word = '.explode()' AND word <> 'UNNEST(l)'"]) == 0
    assert pl.read_parquet(folder / "out.parquet")["n"].to_list() == [6]


@pytest.mark.usefixtures("folder")
def test_nul_in_a_configuration(capsys: Capture) -> None:
    options = (
        "label score by where count weight folds cluster stability ci format title columns compare-to "
        "fail-if adjust versus along groupings sorted-by limit files output level nan"
    )
    for option in options.split():
        keywords = {"label": "y", "score": "s", "files": "r.parquet", option: "a\0b.csv"}
        lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in keywords.items())
        Path("c.toml").write_text(f"[report]\n{lines}", encoding="utf-8")
        message = refused(["report", "--config", "c.toml"], capsys)
        assert message == f"polars-auc: 'c.toml': {option} has the character NUL, which no option can have\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["*", "^s$"])
def test_column_names_that_are_patterns(name: str, capsys: Capture) -> None:
    """``^s$`` selected the column ``s``: a wrong number."""
    for command in ("report", "curve", "gains", "thresholds", "state"):
        output = ["-o", "out.parquet"] if command in ("curve", "state") else []
        message = refused([command, "r.parquet", "--label", "y", "--score", name, *output], capsys)
        assert f"--score names the column {name!r}, and Polars takes this name for a pattern" in message
    for option in ("count", "weight", "cluster", "folds", "by"):
        message = refused(
            ["report", "r.parquet", "--label", "y", "--score", "s", f"--{option}", name], capsys
        )
        assert f"--{option} names the column {name!r}" in message
    assert f"--label names the column {name!r}" in refused(
        ["report", "r.parquet", "--label", name, "--score", "s"], capsys
    )
    assert "pattern" in refused(
        ["report", "r.parquet", "--label", "y", "--score", "s", "--by", "^g$"], capsys
    )
    assert "pattern" in refused(
        ["report", "r.parquet", "--label", "y", "--score", "s", "--where", '"^s$" > 0.3'], capsys
    )


def test_patterns_in_python() -> None:
    """A pattern string selects several columns; a column with such a name is an error."""

    def of(*names: str) -> pl.DataFrame:
        # Older Polars interprets column names from selectors as patterns.
        columns = ROWS.to_dict()
        return pl.DataFrame([columns[name] for name in names])

    assert pa.report(of("y", "s", "w", "^g$").lazy(), "y", "^[sw]$").collect()["score"].to_list() == [
        "s",
        "w",
    ]
    for frame, scores in (
        (of("y", "*"), "*"),
        (of("y", "s", "*"), pl.selectors.exclude("y")),
        (of("y", "s", "*"), [pl.selectors.by_name("*")]),
        (of("y", "^s$"), pl.selectors.float()),
        (of("y", "s"), pl.col("s").alias("*")),
    ):
        with pytest.raises(ValueError, match=r"report: scores names the column .* for a pattern"):
            pa.report(frame.lazy(), "y", scores).collect()
    with pytest.raises(ValueError, match=r"report: by names the column '\^g\$'"):
        pa.report(ROWS.lazy(), "y", "s", by="^g$").collect()
    for role in ("label", "count", "cluster", "weight", "folds"):
        for pattern in ("*", "^y$"):
            options: dict[str, Any] = {"label": "y", role: pattern}
            with pytest.raises(ValueError, match=f"report: {role} names the column .* for a pattern"):
                pa.report(ROWS.lazy(), scores="s", **options).collect()
    with pytest.raises(ValueError, match="compare_segments: score names the column"):
        pa.compare_segments(ROWS.lazy(), "y", "^s$", by="w").collect()
    with pytest.raises(ValueError, match="group_states: label names the column"):
        pa.group_states(ROWS.lazy(), "^y$", "s").collect()


@pytest.mark.parametrize("command", ["report", "gains", "compare", "curve"])
def test_a_file_of_a_header_alone_has_no_row(command: str, folder: Path, capsys: Capture) -> None:
    (folder / "header.csv").write_text("label,s,t\n", encoding="utf-8")
    arguments = [command, "header.csv", "--label", "label", "--score", "s", "--score", "t"]
    output = ["-o", "x.parquet"] if command == "curve" else []
    message = refused([*arguments, *output], capsys)
    assert "the files have no row" in message
    assert "contains words" not in message
    (folder / "words.csv").write_text("label,s,t\ngood,1,2\n", encoding="utf-8")
    message = refused([command, "words.csv", *arguments[2:], *output, "--where", "s > 1"], capsys)
    assert "--where 's > 1' leaves no row" in message
