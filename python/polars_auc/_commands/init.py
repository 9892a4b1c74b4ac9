"""``polars-auc init``: a configuration file, proposed from the columns of the files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polars_auc._cli.arguments import Parser, add_files, add_output
from polars_auc._cli.files import Files, file_errors, reading_of
from polars_auc._cli.reading import reading, reading_as
from polars_auc._cli.refusal import Incomplete, Refusal
from polars_auc._cli.sql import column_in_sql, text_in_sql
from polars_auc._cli.streams import log, progress, show
from polars_auc._commands.init_columns import Columns
from polars_auc._commands.output import save
from polars_auc._commands.report import add_report, report
from polars_auc._page.files import refuse_path
from polars_auc._page.text import counted
from polars_auc._plugin.errors import FLAGS, OptionError

# The number of rows that are read.
_ROWS = 100_000

# Names of report options in error messages.
_KEYS = {"label": "label", "scores": "score", "by": "by"}


def add_init(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "init",
        help="write a configuration file, from a look at the columns",
        description="Propose a label, scores and groups for files, as a file for --config. Proposals that "
        "names and values do not confirm are marked as uncertain. The report is run once, as a check.",
        epilog='example: polars-auc init "data/*.parquet" -o polars-auc.toml',
    )
    command.set_defaults(run=init)
    add_files(command)
    add_output(command, "the file to write, such as polars-auc.toml; without it the text is printed")


def init(options: argparse.Namespace) -> bool:
    """Write or print a configuration, and a message whether a report runs with it."""
    if options.output is not None:
        refuse_path(options.output, (".toml",))
    if options.output is not None and options.output.exists():
        raise Refusal(f"{str(options.output)!r} exists. Hint: choose another name, or remove it")
    files = Files.find(options.files, options.output)
    with file_errors(files.names, files.schema.names()), progress(f"looking at {files.size()}"):
        proposal = Proposal.of(Columns.of(files.rows.head(_ROWS).collect()))
    fault = proposal.fault(options.files)
    text = proposal.text(options.files, fault)
    if options.output is None:
        unprinted = show(text.rstrip("\n"))
        if unprinted is not None:
            raise Refusal(f"cannot print the configuration: {unprinted}")
    else:
        save(options.output, text.encode)
    wrote = "" if options.output is None else f"wrote {options.output}; "
    if fault is not None:
        log(f"polars-auc: {wrote}edit it before running a report: {fault}")
        raise Incomplete
    if options.output is not None:
        log(f"polars-auc: {wrote}polars-auc report --config {options.output}")
    return True


@dataclass(frozen=True)
class Proposal:
    """The proposed columns."""

    columns: Columns
    label: str | None
    scores: Sequence[str]
    by: Sequence[str]

    @classmethod
    def of(cls, columns: Columns) -> Proposal:
        """Select the most likely column for each purpose."""
        label = next(iter(columns.labels), None)
        scores = columns.scores or columns.numbers
        groups = [name for name in columns.groups if label is not None or name not in columns.words]
        return cls(columns, label, scores, (groups or columns.codes)[:1])

    def fault(self, names: Sequence[str]) -> str | None:
        """Try the report once, and return the reason if it fails."""
        if self.label is None:
            return "no column is a label of 0 and 1 or Booleans; write what is positive"
        if not self.scores:
            return "no column looks like a score; write which is"
        parser = Parser(prog="polars-auc")
        add_report(parser.add_subparsers())
        scores = [f"--score={score}" for score in self.scores]
        groups = [f"--by={key}" for key in self.by]
        mark = FLAGS.set(_KEYS)
        try:
            arguments = parser.parse_args(
                ["report", "--quiet", f"--label={self.label}", *scores, *groups, "--", *names]
            )
            with reading_as(replace(reading_of(vars(arguments)), options=reading().options)):
                report(arguments)
        except (Refusal, OptionError) as refusal:
            return str(refusal).splitlines()[0]
        except Incomplete:
            return 'a score is NaN in some rows; write nan = "skip" to take it for missing'
        finally:
            FLAGS.reset(mark)
        return None

    def text(self, names: Sequence[str], fault: str | None) -> str:
        """Return the configuration, with the reason of a failed report."""
        lines = [
            "# Options as on the command line: polars-auc report --config polars-auc.toml",
            "# What the command line gives replaces what stands here.",
            *([] if fault is None else [f"# Edit it before running a report: {fault}"]),
            "",
            "[input]",
            f"files = {_toml(names)}",
            *self._label(),
            *self._scores(),
            *self._groups(),
            "",
            "[report]",
            "level = 0.95",
            '# versus = "rest"',
            "# compare = true",
            '# fail-if = ["auc < 0.7"]',
            'output = "report.md"',
            "",
        ]
        return "\n".join(lines)

    def _label(self) -> list[str]:
        lines = ["# A column of 0 and 1 or Booleans, or SQL."]
        if self.label is not None:
            others = self.columns.labels[1:]
            unsure = [f"# uncertain: other columns of 0 and 1 are {_listed(others)}"] if others else []
            return [*lines, *unsure, f"label = {_quoted(self.label)}"]
        for name, words in self.columns.words.items():
            lines.append(f"# uncertain: {_quoted(name)} has two values: one of them may be positive")
            column = column_in_sql(name)
            for (word, rows), (other, _) in (words, words[::-1]):
                is_word, is_other = (f"{column} = {text_in_sql(text)}" for text in (word, other))
                # Further words, in rows that were not read, are not negatives.
                condition = f"CASE WHEN {is_word} THEN TRUE WHEN {is_other} THEN FALSE END"
                lines.append(f"# label = {_quoted(condition)}  # {counted(rows, 'row')}")
        return lines if self.columns.words else [*lines, "# label = \"outcome = 'bad'\""]

    def _scores(self) -> list[str]:
        columns = self.columns
        lines = ["# Higher scores are more positive; write low-is-positive = true where it is the other way."]
        if self.scores and not columns.scores:
            lines.append(
                "# uncertain: no name and no values tell a score, so all columns of many numbers are here"
            )
        if columns.whole_scores:
            lines.append(
                f"# uncertain: by their names these whole numbers are scores: {_listed(columns.whole_scores)}"
            )
        if columns.scores and columns.numbers:
            lines.append(f"# other columns of numbers: {_listed(columns.numbers)}")
        if columns.amounts:
            lines.append(f"# by their names no scores: {_listed(columns.amounts)}")
        areas = [
            f"{_quoted(name)} {area:.3f}{' (is low positive?)' if area < 0.5 else ''}"
            for name, area in columns.areas.items()
            if area is not None and area == area
        ]
        if areas:
            lines.append(f"# AUC of the first rows: {', '.join(areas)}")
        if columns.counts:
            lines.append(f"# if a row represents several: count = {_quoted(columns.counts[0])}")
        return [*lines, f"score = {_toml(self.scores)}" if self.scores else '# score = ["model"]']

    def _groups(self) -> list[str]:
        columns = self.columns
        # A column of two words may be the label.
        used = [*self.by, *(columns.words if self.label is None else [])]
        others = [name for name in [*columns.groups, *columns.codes] if name not in used]
        lines = [f"by = {_toml(self.by)}"] if self.by else ['# by = ["segment"]']
        if any(name in columns.codes for name in self.by):
            lines.insert(0, "# uncertain: whole numbers of few values may be codes of groups, or counts")
        if others:
            lines.append(f"# other columns of groups: {_listed(others)}")
        if columns.days:
            year = f'EXTRACT(YEAR FROM "{columns.days[0]}") AS year'
            lines.append(f"# groups of days: by = {_toml([year])}")
        return lines


def _quoted(text: str) -> str:
    """Return text as a TOML string, which is nearly a JSON string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_quoted, names))


def _toml(names: Iterable[str]) -> str:
    return f"[{_listed(names)}]"
