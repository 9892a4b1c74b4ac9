"""Excel workbooks: a summary, the table, and a sheet that describes it."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._frames.groupings import group_names
from polars_auc._native import __version__
from polars_auc._page.text import differing
from polars_auc._plots.names import visible
from polars_auc._plots.numbers import SCORE_COLUMNS, SMALLEST, is_p_value, number_format
from polars_auc._plugin.errors import CALLED, OptionError

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

_MAX_ROWS = 2**20 - 1
_MAX_CHARACTERS = 32_767

# Minimum and maximum width of a column, and the width of a character, in pixels.
_MIN_WIDTH, _MAX_WIDTH, _CHARACTER_WIDTH = 64, 320, 8

# More frozen columns would leave no space for numbers.
_MAX_FROZEN = 5

# Width of landscape A4 in pixels, the ratio of A3 to A4, and the smallest legible scale.
_PAPER, _A3, _MIN_SCALE = 1040, 1.41, 0.6

# The summary: the numbers over all rows, column widths in characters, and the line height in points.
_OVERALL = ("n", "n_pos", "auc", "lower", "upper", "ks", "gini")
_FIRST_WIDTH, _NEXT_WIDTH, _LINE = 24, 11, 15
_ATTENTION_COLOR = "#A84300"

# Reserved name: no user column has it.
_ROW = "polars_auc: row"

# Excel has neither infinity nor NaN: they become Excel errors. Text that begins with = is not a formula.
_OPTIONS = {
    "nan_inf_to_errors": True,
    "remove_timezone": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


@dataclass(frozen=True)
class Summary:
    """Contents of the first sheet of a report."""

    title: str
    findings: Sequence[tuple[bool, str]]
    """Pairs of whether a finding needs attention, and its text."""
    checks: Sequence[tuple[bool, str]]
    """Pairs of whether a condition passed, and its text."""
    columns: Sequence[str]
    """The columns of the next sheet."""
    is_chosen: bool
    """Whether the user selected these columns. If so, no sheet has the other columns."""


def workbook(
    table: pl.DataFrame,
    by: Sequence[str],
    about: Sequence[tuple[str, str]],
    level: float,
    summary: Summary | None = None,
) -> bytes:
    """Return a workbook. The same table gives the same bytes: the creation time is fixed."""
    import xlsxwriter

    if table.height > _MAX_ROWS:
        reason = (
            f"an Excel sheet has at most {_MAX_ROWS:,} rows below its header, and the table has "
            f"{table.height:,}"
        )
        raise OptionError(CALLED.get() or "", "", reason, "end `path` in .parquet or .csv")
    contents = io.BytesIO()
    with xlsxwriter.Workbook(contents, _OPTIONS) as book:
        book.set_properties({"created": datetime(2000, 1, 1)})
        columns = table.columns
        if summary is not None:
            _write_summary(book, summary, table, about)
            names = table.columns[: table.columns.index("score") + 1]
            columns = [*names, *(name for name in summary.columns if name not in names)]
        is_for_people = summary is not None
        is_marked = _write_table(book, "polars-auc", table, columns, by, level, is_for_people=is_for_people)
        if summary is not None and not summary.is_chosen and len(columns) < table.width:
            is_marked = _write_table(book, "all columns", table, table.columns, by, level)
        _write_about(book, about, differing(table, level) if is_marked else None)
    return contents.getvalue()


def _write_table(
    book: Workbook,
    name: str,
    table: pl.DataFrame,
    columns: Sequence[str],
    by: Sequence[str],
    level: float,
    *,
    is_for_people: bool = False,
) -> bool:
    """Write columns of a table to a sheet, and return whether the sheet marks significant differences."""
    displayed = table.select(columns)
    frozen = columns.index("score") + 1 if "score" in columns else 0
    widths: dict[Any, Any] = {column.name: _width(column) for column in displayed}
    sheet = displayed.write_excel(
        book,
        name,
        column_formats={column: _format(displayed, column, by) for column in columns},
        column_widths=widths,
        freeze_panes=(1, frozen if frozen <= _MAX_FROZEN else 0),
        header_format={"bold": True, "bottom": 1},
    ).get_worksheet_by_name(name)
    # Numbers are right-aligned, with space for the filter button.
    right = book.add_format({"bold": True, "bottom": 1, "align": "right", "indent": 2})
    for index, (column, dtype) in enumerate(displayed.schema.items()):
        if dtype.is_numeric():
            sheet.write_string(0, index, column, right)
    # Columns stay on one printed page while they are legible, and each page repeats the header.
    sheet.set_landscape()
    sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.5)
    sheet.repeat_rows(0)
    scale = _PAPER / sum(widths.values())
    is_large = scale < _MIN_SCALE <= scale * _A3
    sheet.set_paper(8 if is_large else 9)
    if is_large or scale >= _MIN_SCALE:
        sheet.fit_to_pages(1, 0)
    else:
        sheet.set_print_scale(round(100 * _MIN_SCALE))
        if 0 < frozen <= _MAX_FROZEN:
            sheet.repeat_columns(0, frozen - 1)
    _write_missing(book, sheet, table, by, columns)
    if is_for_people:
        _write_infinite(book, sheet, displayed)
    return _mark(book, sheet, displayed, by, level)


def _format(table: pl.DataFrame, name: str, by: Sequence[str]) -> str:
    """Return the number format of a column; the cells keep all digits."""
    dtype = table.schema[name]
    if dtype.is_temporal():
        return "yyyy-mm-dd" if dtype == pl.Date else "yyyy-mm-dd hh:mm:ss" if dtype != pl.Time else "hh:mm:ss"
    # Years have no commas.
    if name in by or not dtype.is_numeric():
        return "General"
    return number_format(name, "xlsx", is_integer=dtype.is_integer())


def _width(column: pl.Series) -> int:
    """Return the width of the longest text of a column, or of its header with a filter button."""
    longest = [len(column.name) + 3]
    if column.name in SCORE_COLUMNS or not column.dtype.is_float():
        longest += column.cast(pl.String, strict=False).str.len_chars().drop_nulls().to_list()
    return min(_MAX_WIDTH, max(_MIN_WIDTH, _CHARACTER_WIDTH * max(longest)))


def _write_missing(
    book: Workbook, sheet: Worksheet, table: pl.DataFrame, by: Sequence[str], columns: Sequence[str]
) -> None:
    """Write a grey "null" for null groups, and text cells for empty names: both would be empty cells."""
    muted = book.add_format({"italic": True, "font_color": "#808080"})
    has_scopes = "scope" in table.columns and "scope" not in by
    numbered = table.with_row_index(_ROW)
    for name in by:
        index = columns.index(name)
        is_group = (pl.col("scope") == "group") & group_names(table.schema, name)
        rows = numbered.filter(is_group) if has_scopes else numbered
        for row, value in rows.select(_ROW, name).rows():
            if value is None:
                sheet.write_string(row + 1, index, "null", muted)
            elif value == "":
                sheet.write_string(row + 1, index, "")


def _mark(book: Workbook, sheet: Worksheet, table: pl.DataFrame, by: Sequence[str], level: float) -> bool:
    """Mark differences and the rows over all rows; format small numbers with an exponent.

    Return whether the sheet has a column that marks significant differences.
    """
    from xlsxwriter.utility import xl_col_to_name

    last = table.height
    if last == 0:
        return False

    def add_rule(first: int, until: int, formula: str, **style: object) -> None:
        criteria = {"type": "formula", "criteria": f"={formula}", "format": book.add_format(style)}
        sheet.conditional_format(1, first, last, until, criteria)

    is_marked = False
    for index, name in enumerate(table.columns):
        cell = f"{xl_col_to_name(index)}2"
        if name.endswith("p_adjusted"):
            # Excel treats an empty cell as 0 in comparisons.
            differs = f"AND(ISNUMBER({cell}),{cell}<={1 - level:.12g})"
            add_rule(index, index, differs, bold=True, bg_color="#FFD8A8")
            is_marked = True
        elif table.schema[name].is_float() and name not in (*by, *SCORE_COLUMNS) and not is_p_value(name):
            small = f"AND(ISNUMBER({cell}),{cell}<>0,ABS({cell})<{SMALLEST})"
            add_rule(index, index, small, num_format=number_format(name, "xlsx", places=-1))
    if table.columns[0] == "scope":
        add_rule(0, table.width - 1, '$A2="overall"', bold=True)
    return is_marked


def _write_infinite(book: Workbook, sheet: Worksheet, displayed: pl.DataFrame) -> None:
    """Write NaN and infinity as text: Excel has neither and would show an error."""
    right = book.add_format({"align": "right"})
    for index, column in enumerate(displayed):
        if column.dtype.is_float():
            for row in (~column.fill_null(0).is_finite()).arg_true():
                value = column[row]
                sheet.write_string(row + 1, index, "NaN" if value != value else str(value), right)


def _write_summary(
    book: Workbook, summary: Summary, table: pl.DataFrame, about: Sequence[tuple[str, str]]
) -> None:
    """Write the summary sheet: findings, checks, the numbers of all rows, and the description."""
    sheet = book.add_worksheet("summary")
    sheet.set_paper(9)
    sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.6)
    sheet.fit_to_pages(1, 0)
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, _FIRST_WIDTH)
    last = len(_OVERALL)
    sheet.set_column(1, last, _NEXT_WIDTH)
    heading = book.add_format({"bold": True, "font_size": 12, "bottom": 1})
    bold, plain = (
        book.add_format({"bold": is_bold, "text_wrap": True, "valign": "top"}) for is_bold in (True, False)
    )
    attention = book.add_format(
        {"bold": True, "text_wrap": True, "valign": "top", "font_color": _ATTENTION_COLOR}
    )
    row = 0

    def section(title: str) -> None:
        nonlocal row
        row += 2
        for column in range(last + 1):
            sheet.write_string(row, column, title if column == 0 else "", heading)
        row += 1

    def line(first: int, text: str, style: Format) -> None:
        """Write a text over several columns, wrapped into as many lines as needed."""
        nonlocal row
        text = text[:_MAX_CHARACTERS]
        characters = _NEXT_WIDTH * last + (_FIRST_WIDTH if first == 0 else 0)
        sheet.merge_range(row, first, row, last, text, style)
        sheet.set_row(row, _LINE * min(20, math.ceil(1.1 * len(text) / characters)))
        row += 1

    sheet.write_string(0, 0, summary.title, book.add_format({"bold": True, "font_size": 16}))
    section("Findings")
    for needs_attention, text in summary.findings:
        line(0, f"! {text}" if needs_attention else text, attention if needs_attention else plain)
    if summary.checks:
        section("Checks")
        for passed, text in summary.checks:
            sheet.write_string(row, 0, "passed" if passed else "failed", bold if passed else attention)
            line(1, text.splitlines()[0], plain)
    section("All rows")
    columns = [name for name in _OVERALL if name in table.columns]
    right = book.add_format({"bold": True, "align": "right"})
    for column, name in enumerate(["score", *columns]):
        sheet.write_string(row, column, name, right if column else bold)
    overall = table.filter(pl.col("scope") == "overall")
    for score, *numbers in overall.select("score", *columns).rows():
        row += 1
        sheet.write_string(row, 0, visible(str(score)))
        for column, (name, value) in enumerate(zip(columns, numbers, strict=True), 1):
            style = book.add_format({"num_format": _format(table, name, ()), "align": "right"})
            if value is None:
                sheet.write_string(row, column, "-", style)
            else:
                sheet.write(row, column, value, style)
    section("About")
    for key, text in about:
        if not key.startswith("--") and key not in ("Check", "! NaN"):
            sheet.write_string(row, 0, key, bold)
            line(1, text, plain)


def _write_about(book: Workbook, about: Sequence[tuple[str, str]], shaded: str | None) -> None:
    """Write the sheet that describes the table and the software version."""
    notes = [("Created by", f"polars-auc {__version__}")]
    notes.append(
        (
            "Numbers",
            "displayed with four decimals, or an exponent if they would round to 0; cells keep all digits",
        )
    )
    if shaded is not None:
        notes.append(("Shaded", shaded))
    sheet = book.add_worksheet("about")
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 100, book.add_format({"text_wrap": True, "valign": "top"}))
    bold = book.add_format({"bold": True, "valign": "top"})
    for row, (key, text) in enumerate([*about, *notes]):
        sheet.write_string(row, 0, key, bold)
        sheet.write_string(row, 1, text[:_MAX_CHARACTERS])
    sheet.freeze_panes(0, 1)
    sheet.fit_to_pages(1, 0)
