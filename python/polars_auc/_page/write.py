"""Write a report as a file: a page, Markdown, a workbook or a table."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._expressions.intervals import roc_summary
from polars_auc._frames.inputs import called, rows_of
from polars_auc._page.about import (
    areas_below_one_half,
    areas_that_are_nan,
    needed,
    skipped,
    unfinished_periods,
)
from polars_auc._page.answers import answers_of_all_groups, findings
from polars_auc._page.details import Details, details
from polars_auc._page.document import begin_to_load_libraries
from polars_auc._page.files import refuse_path, replace_file
from polars_auc._page.markdown import code, markdown_text
from polars_auc._page.page import page
from polars_auc._page.tables import TABLES, TableWriter, readable
from polars_auc._page.text import TableView
from polars_auc._page.workbook import Summary
from polars_auc._plots.names import visible
from polars_auc._plugin.errors import CALLED, OptionError, OptionTypeError
from polars_auc._plugin.options import between_0_and_1, flag
from polars_auc._plugin.packages import require
from polars_auc._report.changes import by_of
from polars_auc._report.nan import nan_messages
from polars_auc._report.options import ReportOptions
from polars_auc._report.rows import Rows

if TYPE_CHECKING:
    from polars_auc._frames.inputs import IntoFrame
    from polars_auc._plugin.call import IntoExpr

TITLE = "ROC report"
"""The default title of a page."""

VERSION = 1
"""The version of the columns of a report: see docs/files-of-a-report.md."""

VERSION_KEY = "polars_auc.report"
"""The key of the version in the metadata of Parquet files."""

_PAGES = (".md", ".html")

_ROW_OPTIONS = ("stability", "low_is_positive", "nan")

ENDINGS = (*TABLES, *_PAGES)
"""The extensions of report files."""


@dataclass(frozen=True)
class ReportWriter:
    """Writer of the contents of a report file."""

    ending: str
    """The file extension."""
    options: ReportOptions
    by: Sequence[str]
    title: str | None = None
    view: TableView = field(default_factory=TableView)
    keep_formulas: bool = False

    def __post_init__(self) -> None:
        function = CALLED.get() or ""
        self.table_writer()
        if self.title is not None and not self.is_page:
            raise OptionError(
                function, "title", "is of a page", "end `path` in .html or .md, or leave it out"
            )
        if self.title is not None and not self.title.isprintable():
            raise OptionError(function, "title", f"must be text of one line, got {self.title!r}")
        if self.has_charts:
            modules = ("altair", "itables", "jinja2", "vl_convert")
            require("a page", *modules, extra="report", hint="; or end `path` in .md")
            begin_to_load_libraries()

    @property
    def is_page(self) -> bool:
        """Whether the file is for people."""
        return self.ending in _PAGES

    @property
    def has_charts(self) -> bool:
        """Whether the file has charts, which require details."""
        return self.ending == ".html"

    def table_writer(self) -> TableWriter:
        """Return the writer of the formats that all tables share."""
        title = self.title or TITLE
        return TableWriter(self.ending, title, self.by, self.keep_formulas, self.options.level)

    def name(self, text: str) -> str:
        """Format a name or an expression of the user for the file."""
        return code(text) if self.ending == ".md" else visible(text)

    def contents(
        self,
        table: pl.DataFrame,
        about: Sequence[tuple[str, str]] = (),
        charts: Details | None = None,
        checks: Sequence[tuple[bool, str]] = (),
        nan_lines: Sequence[str] = (),
    ) -> bytes:
        """Return the contents of the file, with the description, chart data, checks and NaN lines.

        Without NaN lines, they are derived from the report itself.
        """
        nan_lines = nan_lines or nan_messages(areas_that_are_nan(table, self.by))
        if self.ending == ".md":
            paragraphs = [f"**! NaN**: {markdown_text(line)}" for line in nan_lines]
            groups = answers_of_all_groups(table, self.options.level)
            paragraphs += [self.table_writer().prose(text) for _, text in groups]
            paragraphs += [f"{what}: {text}" for what, text in about]
            note_functions = (areas_below_one_half, skipped, unfinished_periods)
            lines = [
                *paragraphs,
                *(line for lines in note_functions for line in lines(self.options, table, self.name)),
            ]
            return self.view.page(table, self.title or TITLE, lines, self.options.level).encode()
        if self.ending == ".html":
            return page(
                table,
                charts or Details.nothing(),
                title=self.title or TITLE,
                about=about,
                by=list(self.by),
                options=self.options,
                checks=checks,
                nan_lines=nan_lines,
                columns=self.view.on_page(table),
                needed=needed(self.options),
            ).encode()
        if self.ending == ".parquet":
            file = io.BytesIO()
            table.write_parquet(file, metadata={VERSION_KEY: str(VERSION)})
            return file.getvalue()
        if self.ending == ".json":
            rows = readable(_with_texts(table, self.by), self.ending).write_json()
            return b'{"report":%d,"rows":%s}' % (VERSION, rows.encode())
        pairs = [*(("! NaN", line) for line in nan_lines), *about]
        pairs += [("Skipped", line) for line in skipped(self.options, table)]
        pairs += [("Direction", line) for line in areas_below_one_half(self.options, table)]
        pairs += [("Periods", line) for line in unfinished_periods(self.options, table)]
        summary = None
        if self.ending == ".xlsx":
            columns, is_chosen = self.view.on_page(table), bool(self.view.columns)
            sentences = findings(table, self.options, (), nan_lines)
            summary = Summary(self.title or TITLE, sentences, checks, columns, is_chosen)
        return self.table_writer().contents(table, pairs, summary)


def _with_texts(table: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Convert group columns with NaN or infinity to text: JSON has neither."""
    floats = [name for name in by if table.schema[name].is_float()]
    texts = [name for name in floats if not table[name].drop_nulls().is_finite().all()]
    return table.with_columns(pl.col(texts).cast(pl.String))


@called("write_report")
def write_report(
    report: IntoFrame,
    path: str | Path,
    *,
    frame: IntoFrame | None = None,
    label: IntoExpr | None = None,
    scores: IntoExpr | Iterable[IntoExpr] | None = None,
    count: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    weight: IntoExpr | None = None,
    stability: IntoExpr | None = None,
    low_is_positive: bool = False,
    nan: Literal["skip"] | None = None,
    title: str | None = None,
    about: Mapping[str, str] | None = None,
    columns: Sequence[str] | None = None,
    level: float = 0.95,
    keep_formulas: bool = False,
    state: IntoExpr | Iterable[IntoExpr] | None = None,
) -> Path:
    """Write a report as a file: a page with charts, Markdown, an Excel workbook or a table.

    The files are the same as those of the command ``polars-auc report -o``.

    Parameters
    ----------
    report
        A report of :func:`polars_auc.report` or :func:`polars_auc.compare_reports`.
    path
        The file; its extension selects the format. ``.html`` is a page with charts that needs no network,
        ``.md`` a Markdown page, and ``.xlsx`` a workbook. ``.parquet``, ``.csv`` and ``.json`` are tables
        with all rows and columns. An existing file is replaced.
    frame, label, scores
        The rows of the report, with their label and scores, as in :func:`polars_auc.report`. An ``.html``
        page then also has the curves with their bands, score distributions, gains and thresholds. Without
        them the page contains only the report itself.
    count, cluster, weight
        The columns of counts, clusters and weights, if the report uses them.
    stability
        The reference rows of ``frame``, as in :func:`polars_auc.report`. An ``.html`` page then also has the
        bands of scores with the contribution of each to the index.
    low_is_positive, nan
        As in :func:`polars_auc.report`, if the report uses them: the direction of the scores of ``frame``,
        and whether NaN scores count as missing.
    title
        The title of a page. Default "ROC report".
    about
        Lines about the report at the head of a page, such as ``{"Data": "loans of 2016"}``.
    columns
        The columns of a page or a sheet besides groups and scores. Default: the main results; an ``.xlsx``
        file then also has a sheet with all columns.
    level
        The level of the report, between 0 and 1: adjusted p-values of at most ``1 - level`` are marked.
    keep_formulas
        Whether texts of a ``.csv`` file are written without escapes. By default an apostrophe precedes each
        text or column name that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break. Spreadsheets
        would parse it as a formula, which may do harm. Numbers never change, also if they are texts such as
        "-5".
    state
        The state columns of ``frame``, if the report is computed from states. Mutually exclusive with
        ``label`` and ``scores``.

    Returns
    -------
    pathlib.Path
        The file.

    Notes
    -----
    The same report has the same bytes. A file is written to the same folder and then renamed: the write is
    atomic. It keeps the owner and the mode of the replaced file. Pages show areas and rates with four
    decimals, and score values with six significant digits. A rounded threshold may select other rows whose
    scores differ in later digits: ``.parquet``, ``.csv`` and ``.json`` have all digits.

    User text in Markdown is escaped.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"site": ["a"] * 4, "ill": [0, 0, 1, 1], "risk": [1, 3, 2, 4]})
    >>> report = pa.report(rows, "ill", "risk", by="site")
    >>> path = Path(tempfile.mkdtemp()) / "report.md"
    >>> pa.write_report(report, path, about={"Data": "one site"}).read_text().splitlines()[:3]
    ['# ROC report', '', '- Data: one site']
    """
    between_0_and_1("write_report", "level", level)
    if not isinstance(path, str | PathLike) or "\0" in str(path):
        raise OptionTypeError("write_report", "path", f"must be a path, got {path!r}")
    if title is not None and not isinstance(title, str):
        raise OptionTypeError("write_report", "title", f"must be text of one line, got {title!r}")
    file = Path(path)
    refuse_path(file, ENDINGS)
    table = rows_of("write_report", report, role="report").collect()
    by = by_of(table.schema, "report")
    options = ReportOptions.of({**locals(), "by": by})
    columns = [columns] if isinstance(columns, str) else columns
    view = TableView(None if columns is None else list(dict.fromkeys(columns)))
    view.check(table.columns)
    keep = flag("write_report", "keep_formulas", keep_formulas)
    writer = ReportWriter(file.suffix, options, by, title, view, keep)
    prose = writer.table_writer().prose
    pairs = [(prose(what), prose(text)) for what, text in _lines(about)]
    charts = None
    nan_lines: list[str] = []
    if frame is not None:
        if state is None and (label is None or scores is None):
            raise OptionError(
                "write_report",
                "frame",
                "requires `label` and `scores`, or `state`",
                "pass the same columns as for the report",
            )
        rows = Rows.from_arguments(frame, label, scores, options, state)
        if writer.has_charts:
            _refuse_other_rows(rows, table)
            charts = details(rows, table, level, stability)
        is_nan = table["auc"].is_nan().any() or (charts is not None and bool(charts.with_nan))
        if is_nan and not rows.skips_nan:
            nan_lines = rows.nan_messages()
    elif row_options := [name for name in _ROW_OPTIONS if name in options.names]:
        raise OptionError("write_report", row_options[0], "is about the rows of `frame`", "give `frame`")
    elif state is not None:
        raise OptionError("write_report", "state", "names columns of `frame`", "give `frame`")
    replace_file(file, writer.contents(table, pairs, charts, nan_lines=nan_lines))
    return file


def _lines(about: Mapping[str, str] | None) -> list[tuple[str, str]]:
    """Return the lines about a report as pairs of one-line texts."""
    if not isinstance(about, Mapping | None):
        reason = f'must be texts by name, such as {{"Data": "loans of 2016"}}, got {about!r}'
        raise OptionTypeError("write_report", "about", reason)
    pairs = [(str(what), str(text)) for what, text in (about or {}).items()]
    if not all(text.isprintable() for pair in pairs for text in pair):
        raise OptionError("write_report", "about", f"must be texts of one line each, got {about!r}")
    return pairs


def _refuse_other_rows(rows: Rows, table: pl.DataFrame) -> None:
    """Raise if the report lacks a score, or if it is computed from other rows."""
    existing = table["score"].unique(maintain_order=True).to_list()
    unknown = next((name for name in rows.scores if name not in existing), None)
    if unknown is not None:
        reason = f"names {unknown!r}, and the report is of {', '.join(map(repr, existing))}"
        raise OptionError("write_report", "scores", reason, "pass the scores of the report")
    overall = {row[0]: row[1:] for row in table.filter(scope="overall").select("score", "n", "n_pos").rows()}
    summaries = rows.frame.select(rows.each(roc_summary)).collect()
    for name, summary in summaries.row(0, named=True).items():
        used = (summary["n"], summary["n_pos"])
        # A report that skips NaN has fewer rows; the page already warns about NaN.
        is_nan = summary["auc"] is not None and math.isnan(summary["auc"])
        if name in overall and overall[name] != used and not (is_nan and "n_nan" in table.columns):
            counts = [f"{n:,} rows, {n_pos:,} of them positive" for n, n_pos in (used, overall[name])]
            reason = (
                f"has other rows than the report: of {name!r} it has {counts[0]}, and the report has "
                f"{counts[1]}"
            )
            hint = "give the frame that the report was made of, with its options"
            raise OptionError("write_report", "frame", reason, hint)
