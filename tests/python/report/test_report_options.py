"""Declared options are the same in Python, the shell, configurations, Spark and the docs.

``python tests/python/report/test_report_options.py`` writes the page of the docs.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import polars_auc as pa
from polars_auc import _native
from polars_auc._cli.arguments import flags_of
from polars_auc._cli.reading import ReadOptions
from polars_auc._commands import main as command
from polars_auc._commands.main import main
from polars_auc._commands.report_options import ReportRequest
from polars_auc._report.options import OPTIONS, Option, ReportOptions, declared
from polars_auc._spark.report import report as report_of_spark

Capture = pytest.CaptureFixture[str]
PAGE = Path(__file__).parents[3] / "docs" / "options-of-a-report.md"

# Columns and files, which are not options.
COLUMNS = ("frame", "label", "scores", "state")


def flag(name: str, option: Option) -> str:
    return option.flag or f"--{name.replace('_', '-')}"


def defaults(options: type) -> dict[str, Any]:
    return {field.name: field.default for field in dataclasses.fields(options)}


def page() -> str:
    """Return the page of the docs."""
    flags = flags_of(command._parser()[1].choices["report"])
    python_rows = [
        f"| `{name}` | `{flag(name, option)}` | {'yes' if option.in_spark else ''} | "
        f"`{defaults(ReportOptions)[name]!r}` | {markdown(option.help)} |"
        for name, option in OPTIONS.items()
    ]
    shell_rows = [
        f"| `{flag(name, option)}` | {_native.render(option.help, flags).replace('|', chr(92) + '|')} |"
        for name, option in {**declared(ReportRequest), **declared(ReadOptions)}.items()
    ]
    conflicts = [
        f"- `{name}` {markdown(conflict.reason)}; {markdown(conflict.hint)}."
        for name, option in OPTIONS.items()
        for conflict in option.conflicts
    ]
    needs = [
        f"- `{name}` {markdown(option.need.reason)}; {markdown(option.need.hint)}."
        for name, option in OPTIONS.items()
        if option.need is not None
    ]
    return "\n".join(
        [
            "# Options of a report",
            "",
            "This page lists the options of `report` in Python, `polars-auc report` in a shell and",
            "`polars_auc.spark.report`. In a configuration file the table `[report]` has them, with the",
            "names of the shell without `--`. [`report`](reference/frames.md#report) describes each option.",
            "",
            "| Python | shell | Spark | default | meaning |",
            "|---|---|---|---|---|",
            *python_rows,
            "",
            "The shell has further options for files and for printed output. Columns may be SQL there.",
            "",
            "| shell | meaning |",
            "|---|---|",
            *shell_rows,
            "",
            "## Mutually exclusive options",
            "",
            *conflicts,
            "",
            "## Options that require another option",
            "",
            *needs,
            "",
            "A method of intervals may support fewer options: see",
            "[`roc_auc_ci`](reference/intervals.md#roc_auc_ci).",
            "",
        ]
    )


def markdown(text: str) -> str:
    """Return an option's text with Python names, as code."""
    return re.sub("\x02(.*?)\x1f.*?\x03", r"\1", text).replace("|", "\\|")


def test_the_signature_has_the_options() -> None:
    signature = inspect.signature(pa.report).parameters
    values = {name: parameter.default for name, parameter in signature.items() if name not in COLUMNS}
    assert values == defaults(ReportOptions)
    keyword_only = {name for name, parameter in signature.items() if parameter.kind == parameter.KEYWORD_ONLY}
    assert keyword_only == {*OPTIONS, "state"}


def test_spark_has_its_options() -> None:
    signature = inspect.signature(report_of_spark).parameters
    values = {name: parameter.default for name, parameter in signature.items() if name not in COLUMNS}
    expected = {name: default for name, default in defaults(ReportOptions).items() if OPTIONS[name].in_spark}
    assert values == expected


def test_the_shell_has_the_options() -> None:
    _, commands = command._parser()
    flags = {action.dest: action for action in commands.choices["report"]._actions}
    options = {**OPTIONS, **declared(ReportRequest), **declared(ReadOptions)}
    expected = {name: flag(name, option) for name, option in options.items()}
    others = {
        "help": "--help",
        "label": "--label",
        "scores": "--score",
        "where": "--where",
        "config": "--config",
    }
    assert {
        name: action.option_strings[-1] for name, action in flags.items() if action.option_strings
    } == expected | others
    for name, default in {
        **defaults(ReportOptions),
        **defaults(ReportRequest),
        **defaults(ReadOptions),
    }.items():
        if name in options:
            assert flags[name].default == ([] if default == () else default), name


def test_configurations_have_the_options() -> None:
    _, commands = command._parser()
    keys = set(command._options(commands)["report"])
    options = {**OPTIONS, **declared(ReportRequest), **declared(ReadOptions)}
    flags = {flag(name, option) for name, option in options.items()}
    assert {name.removeprefix("--") for name in flags} | {"label", "score", "where", "files"} == keys


def test_the_page_of_the_docs() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_other_options_are_declared() -> None:
    """Conflicts and needs name existing options."""
    for name, option in OPTIONS.items():
        assert option.help
        others = [conflict.other for conflict in option.conflicts]
        for other in [*others, *([option.need.other] if option.need else [])]:
            assert other in OPTIONS, name


@pytest.mark.parametrize(
    ("name", "other"),
    [(name, conflict.other) for name, declaration in OPTIONS.items() for conflict in declaration.conflicts],
)
def test_conflicts_are_refused(name: str, other: str) -> None:
    values: dict[str, Any] = {
        "by": "g",
        "compare": True,
        "versus": "rest",
        "groupings": "each",
        "memory": "bounded",
        "sorted_by": "g",
        "stability": pl.col("g") < 2,
    }
    if name == "along":
        values["along"] = "g"
    options = {
        key: values.get(key, "g") for key in {"by", name, other, *(["versus"] if name == "along" else [])}
    }
    frame = pl.DataFrame({"y": [0, 1, 0, 1], "s": [1, 2, 3, 4], "t": [4, 3, 2, 1], "g": [1, 1, 2, 2]})
    with pytest.raises(ValueError, match=rf"report: (versus|{name}) "):
        pa.report(frame, "y", ["s", "t"], **options)


def test_an_option_of_a_configuration_keeps_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"y": [0, 1], "s": [1, 2], "p": [1, 2]}).write_parquet("rows.parquet")
    Path("x.toml").write_text('[input]\nlabel = "y"\nscore = "s"\n[report]\ncluster = "p"\nfolds = "none"\n')
    for arguments, message in (
        ([], "[report] folds cannot be combined with [report] cluster, because"),
        (["--folds", "p"], "--folds cannot be combined with [report] cluster, because"),
        (["--folds", "p", "--cluster", "none"], "--folds cannot be combined with --cluster, because"),
    ):
        assert main(["report", "rows.parquet", "--config", "x.toml", *arguments]) == 2
        assert capsys.readouterr().err.startswith(f"polars-auc: {message}")
    Path("y.toml").write_text('[input]\nlabel = "y"\nscore = "s"\n[report]\nfolds = "none"\n')
    assert main(["report", "rows.parquet", "--config", "y.toml"]) == 2
    assert "[report] folds names the column 'none', which is not in the files" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["weight", "cluster"])
def test_the_docstring_names_what_does_not_go_together(name: str) -> None:
    """The docstring names exactly the rejected options."""
    lines = (pa.report.__doc__ or "").splitlines()
    start = lines.index(f"    {name}")
    end = next(place for place in range(start + 1, len(lines)) if not lines[place].startswith(" " * 8))
    [sentence] = re.findall(
        r"(?:and not|Not possible) with (.*?)[;.]", " ".join(map(str.strip, lines[start:end]))
    )
    refused = {other.other for other in OPTIONS[name].conflicts}
    refused |= {
        option
        for option, declaration in OPTIONS.items()
        if name in [rule.other for rule in declaration.conflicts]
    }
    assert set(re.findall(r"``(\w+)``", sentence)) == refused


def test_an_empty_list_is_a_value() -> None:
    frame = pl.DataFrame({"y": [0, 1], "s": [1, 2]})
    with pytest.raises(ValueError, match=r"report: along applies to versus=.previous. only"):
        pa.report(frame, "y", "s", along=[])  # type: ignore[arg-type]
    assert pa.report(frame, "y", "s", by=[], sorted_by=[]).height == 1


def test_the_interval_of_obuchowski() -> None:
    frame = pl.DataFrame({"y": [0, 1, 0, 1, 1, 0], "s": [1, 4, 2, 3, 5, 4]})
    table = pa.report(frame, "y", "s", ci="obuchowski")
    ci = frame.select(pa.roc_auc_ci("y", "s", method="obuchowski")).item()
    assert table.select("se", "lower", "upper").row(0) == (ci["se"], ci["lower"], ci["upper"])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
