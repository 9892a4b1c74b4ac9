"""The options of the command ``report``: the only module of the report that reads the parsed arguments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polars_auc._cli.arguments import add_by, add_files, add_options, add_rows, options_in_effect
from polars_auc._cli.files import Files
from polars_auc._cli.reading import reading
from polars_auc._cli.refusal import flag
from polars_auc._cli.rows import RowOptions, Source
from polars_auc._commands.history import History, HistoryTest
from polars_auc._commands.output import refuse_unwritten, to_standard_output
from polars_auc._page.files import refuse_path
from polars_auc._page.text import DISPLAY_ROWS, TableView
from polars_auc._page.write import ENDINGS, TITLE, ReportWriter
from polars_auc._plugin.errors import OptionError
from polars_auc._report.columns import refuse_clashes
from polars_auc._report.options import (
    ReportOptions,
    Rule,
    check_rules,
    declared,
    is_set,
    option,
    switch,
)

FORMATS = tuple(ending[1:] for ending in ENDINGS)
"""The formats of a report."""

_HISTORY = Rule("history", "goes with `history`, which is missing", "leave it out")
_BOTH = "name both, as in `history` nights.parquet `period` 2026-11-25"


@dataclass(frozen=True)
class ReportRequest:
    """The options of a command line. Columns are unparsed texts."""

    files: Sequence[str]
    rows: RowOptions
    from_states: bool = switch(
        "the files have states, as polars-auc state writes them: merge the states of each group; `scores` "
        "selects columns of states, by default all"
    )
    compare_to: Path | None = option(
        None,
        "an earlier report from -o (.parquet, .csv or .json): adds the change of each AUC",
        parse=Path,
        metavar="FILE",
    )
    history: Path | None = option(
        None,
        "a .parquet file with the AUCs of earlier periods; the AUCs of this period are added to it. Adds a "
        "test whether an AUC has fallen, with one error rate for all periods together",
        parse=Path,
        metavar="FILE",
        need=Rule("period", "goes with `period`, which is missing", _BOTH),
    )
    period: str | None = option(
        None,
        "with `history`: the name of this period, such as 2026-11-25 or 2026-W9; periods are ordered by the "
        "numbers in their names, and a period with the same name is replaced",
        metavar="NAME",
        need=Rule("history", "goes with `history`, which is missing", _BOTH),
    )
    backfill: bool = switch("with `history`: this period may be before all others", need=_HISTORY)
    baseline: int | None = option(
        None,
        "with `history`: the number of first periods in which no change begins; the test begins with the "
        "next period; by default 3, or 28 with `weight` or `cluster`",
        parse=int,
        metavar="N",
        need=_HISTORY,
    )
    reference: float | None = option(
        None,
        "with `history`: compare periods with this AUC, such as the AUC of the validation, instead of the "
        "earlier periods",
        parse=float,
        metavar="AUC",
        need=_HISTORY,
    )
    period_weight: str | None = option(
        None,
        'with `history`: the weight of each period, such as "n_pos * n_neg / n": SQL on n, n_pos and n_neg',
        metavar="SQL",
        need=_HISTORY,
    )
    untested: str = option(
        "fail",
        "with `history`: the result of a condition of `fail_if` on the alarm for rows without a test yet: "
        "fail (the default) or pass",
        metavar="fail|pass",
    )
    allow_empty: bool = switch("allow a report of no rows, of no positives or of no negatives")
    fail_if: Sequence[str] = option(
        (),
        'exit with 1 if this condition is true or undefined in a row, such as "auc < 0.7"; a condition with '
        "a column of `by` or of `versus` checks groups only; each condition is checked separately",
        metavar="SQL",
    )
    keep_going: bool = switch(
        "skip files, scores and groups that cannot be evaluated, list them, and exit with 3"
    )
    columns: str | None = option(
        None,
        "the columns to print, and to write to .md, .html and .xlsx files, such as auc,ks; by default the "
        "most important columns",
        metavar="NAMES",
    )
    wide: bool = switch(
        "all columns, printed and in .md, .html and .xlsx files",
        conflicts=(Rule("columns", "prints all columns", "leave it out, or `columns`"),),
    )
    limit: int | None = option(
        None,
        f"the largest number of rows of groups to print, {DISPLAY_ROWS} by default; files have all rows",
        parse=int,
        metavar="N",
    )
    quiet: bool = switch("print errors and gates only")
    title: str | None = option(
        None, f"the title of a page (.html or .md); by default {TITLE}", metavar="TITLE"
    )
    format: str | None = option(
        None,
        "with -o -: the format that is written to standard output instead of the printed table: "
        f"{', '.join(FORMATS)}; by default md",
        metavar="FORMAT",
    )
    keep_formulas: bool = switch(
        "write texts of a .csv file that begin with =, +, - or @ unchanged; by default they get an "
        "apostrophe in front, because spreadsheets read them as formulas"
    )
    output: Path | None = option(
        None,
        "write the report: .parquet, .csv, .json, .xlsx, .md (Markdown) or .html (a page with charts); or - "
        'for standard output. .html and .xlsx need pip install "polars-auc[report]"',
        parse=Path,
        metavar="OUT",
    )

    in_effect: Sequence[tuple[str, str]] = ()
    """The name and the values of each option that is set."""

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> ReportRequest:
        """Parse the arguments, and raise for conflicting options."""
        values = vars(arguments)
        rows = RowOptions.of(values)
        if len(values["by"]) > 1 and "," in (values["versus"] or ""):
            # A reference group of several columns.
            rows = rows.with_options(versus=tuple(values["versus"].split(",")))
        request = cls(
            values["files"],
            rows,
            **{name: values[name] for name in declared(cls)},
            in_effect=options_in_effect(values),
        )
        request.check()
        return request

    def check(self) -> None:
        """Raise for conflicting options, before any file is read."""
        self.options.check()
        if self.file is not None:
            refuse_path(self.file, ENDINGS)
        check_rules("", self)
        if self.untested not in ("fail", "pass"):
            raise OptionError("", "untested", f"must be 'fail' or 'pass', got {self.untested!r}")
        if self.untested == "pass" and self.history is None:
            raise OptionError("", "untested", _HISTORY.reason, _HISTORY.hint)
        if self.period is not None and not self.period.strip():
            raise OptionError("", "period", "must be a name, got an empty text", "write `period` 2026-11-25")
        if (
            self.file is not None
            and self.history is not None
            and self.file.resolve() == self.history.resolve()
        ):
            reason = "names the file that the report is written to, which would lose the report"
            raise OptionError("", "history", reason, "write another file")

    def earlier_periods(self) -> History | None:
        """Read the history, if there is one: of reports with the same options."""
        if self.history is None or self.period is None:
            return None
        values: dict[str, Any] = {"label": self.rows.label}
        names = ("count", "nan", "low_is_positive", "by", "groupings", "weight", "cluster", "ci")
        values |= {name: getattr(self.options, name) for name in names}
        values |= {"scores": self.rows.scores, "null_values": reading().options.null_values}
        used_options = {
            flag(name): _option_text(value) for name, value in values.items() if is_set(value, ())
        }
        test = HistoryTest(self.baseline, self.reference, self.period_weight)
        return History(self.history, self.period, used_options, test, backfill=self.backfill)

    @property
    def options(self) -> ReportOptions:
        """The options of the report; columns are unparsed texts."""
        return self.rows.options

    @property
    def is_printed(self) -> bool:
        """Whether the output is standard output."""
        return to_standard_output(self.output)

    @property
    def file(self) -> Path | None:
        """The output file; None for standard output."""
        return None if self.is_printed else self.output

    def view(self) -> TableView:
        """Return the printed columns and rows, and the rows of a page."""
        is_page = self._ending() in (".md", ".html", ".xlsx")
        table_options = ("limit",) if is_page else ("limit", "columns", "wide")
        name = next((name for name in table_options if is_set(getattr(self, name))), None)
        unprinted = "`quiet`" if self.quiet else "-o -" if self.is_printed else None
        if unprinted and name is not None:
            reason = f"is about the printed table, and {unprinted} prints none"
            raise OptionError("", name, reason, "leave one out")
        if self.limit is not None and self.limit < 0:
            raise OptionError(
                "", "limit", f"must be a number of rows, such as {DISPLAY_ROWS}, got {self.limit}"
            )
        columns = None
        if self.columns is not None:
            columns = list(dict.fromkeys(name.strip() for name in self.columns.split(",")))
        return TableView(columns, self.wide, DISPLAY_ROWS if self.limit is None else self.limit)

    def writer(self, view: TableView) -> ReportWriter | None:
        """Return the writer of the file, if there is one; raise for options without effect."""
        ending = self._ending()
        if ending is None:
            if self.title is not None:
                raise OptionError("", "title", "is of a page", "end `path` in .html or .md, or leave it out")
            refuse_unwritten(keep_formulas=self.keep_formulas)
            return None
        writer = ReportWriter(ending, self.options, self.options.by, self.title, view, self.keep_formulas)
        if self.file is None:
            # Standard output has no name; a placeholder without folder is checked.
            refuse_path(Path(f"report{ending}"), ENDINGS)
        return writer

    def without(self, scores: Sequence[str]) -> ReportRequest:
        """Return the request without these scores."""
        kept = [score for score in self.rows.scores if score not in scores]
        return replace(self, rows=replace(self.rows, scores=kept))

    def with_names(self, by: Sequence[str]) -> ReportRequest:
        """Return the request with the column names of --by and --along, which may be SQL."""
        names = dict(zip(self.options.by, by, strict=True))
        along = self.options.along
        along = along if along is None else names.get(along, along)
        return replace(self, rows=self.rows.with_options(by=by, along=along))

    def source(self, files: Files) -> tuple[ReportOptions, Source]:
        """Read the columns, and return them with the evaluation options."""
        columns: dict[str, Any] = {
            "folds": files.column("folds", self.options.folds),
            "user": files.column("user", self.options.user),
            "stability": files.condition("stability", self.options.stability),
        }
        options = replace(self.options, **columns)
        source = self.rows.source(files, *columns.values())
        refuse_clashes(source.rows.by)
        return options, source

    def _ending(self) -> str | None:
        """Return the ending of the output format."""
        if self.is_printed:
            if self.format not in (None, *FORMATS):
                reason = f"must be one of {', '.join(map(repr, FORMATS))}, got {self.format!r}"
                raise OptionError("", "format", reason)
            return f".{self.format or 'md'}"
        if self.format is not None:
            raise OptionError("", "format", "is for -o -", "a file is written as its name ends")
        return None if self.output is None else self.output.suffix


def _option_text(value: object) -> str:
    if value is True:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def add_report_options(commands: Any) -> argparse.ArgumentParser:
    """Add the command, and return it."""
    command: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="one row for each group and score, and one over all rows",
        description="Print AUC with its interval, KS and Gini for each group and score, and over all rows.",
        epilog='example: polars-auc report "data/*.parquet" --label y --score s --by segment -o report.md',
    )
    add_files(command)
    add_rows(command)
    add_by(command)
    add_options(command, ReportOptions)
    add_options(command, ReportRequest)
    return command
