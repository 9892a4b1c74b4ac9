"""A workbook of Excel: a sheet with a table, and one that says what it is about."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import polars as pl

from polars_auc._frames.groupings import group_names
from polars_auc._native import __version__
from polars_auc._page.text import OF_SCORES, SMALLEST_P_VALUE, differing, is_p_value
from polars_auc._plugin.errors import CALLED, OptionError

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

__all__ = ["workbook"]

_MOST_ROWS = 2**20 - 1
_MOST_CHARACTERS = 32_767

# The least and the largest width of a column, in pixels, and what a character takes.
_NARROWEST, _WIDEST, _CHARACTER = 64, 320, 8

# Beside names of groups in more columns there would be no place for numbers.
_MOST_FROZEN = 5

# A name that no column of a user has.
_ROW = "polars_auc: row"

_DECIMALS = "0.0000"

# Excel has no infinity and no NaN: they become its errors. A name that begins with = is no formula.
_OPTIONS = {
    "nan_inf_to_errors": True,
    "remove_timezone": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def workbook(table: pl.DataFrame, by: Sequence[str], about: Sequence[tuple[str, str]], level: float) -> bytes:
    """Return a workbook. The same table makes the same bytes: the file does not say when it was made."""
    import xlsxwriter

    if table.height > _MOST_ROWS:
        said = (
            f"a sheet of Excel has at most {_MOST_ROWS:,} rows below its header, and there are "
            f"{table.height:,}"
        )
        raise OptionError(CALLED.get() or "", "", said, "end `path` in .parquet or .csv")
    contents = io.BytesIO()
    with xlsxwriter.Workbook(contents, _OPTIONS) as book:
        book.set_properties({"created": datetime(2000, 1, 1)})
        frozen = table.columns.index("score") + 1 if "score" in table.columns else 0
        sheet = table.write_excel(
            book,
            "polars-auc",
            column_formats={name: _format(table, name, by) for name in table.columns},
            column_widths={column.name: _width(column) for column in table},
            freeze_panes=(1, frozen if frozen <= _MOST_FROZEN else 0),
            header_format={"bold": True, "bottom": 1},
        ).get_worksheet_by_name("polars-auc")
        # On paper the columns stay together, and each page has the header.
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.repeat_rows(0)
        _write_missing(book, sheet, table, by)
        is_marked = _mark(book, sheet, table, by, level)
        _write_about(book, about, differing(table, level) if is_marked else None)
    return contents.getvalue()


def _format(table: pl.DataFrame, name: str, by: Sequence[str]) -> str:
    """Return how a column shows its numbers; the cells have all digits."""
    dtype = table.schema[name]
    if dtype.is_temporal():
        return "yyyy-mm-dd" if dtype == pl.Date else "yyyy-mm-dd hh:mm:ss" if dtype != pl.Time else "hh:mm:ss"
    # Years have no commas, and scores are of any size.
    if name in by or name in OF_SCORES or not dtype.is_numeric():
        return "General"
    if dtype.is_integer():
        return "#,##0"
    return f'[<{SMALLEST_P_VALUE}]"<{SMALLEST_P_VALUE}";{_DECIMALS}' if is_p_value(name) else _DECIMALS


def _width(column: pl.Series) -> int:
    """Return the width of a column: that of its header with the sign of a filter, or of its longest text."""
    longest = [len(column.name) + 3]
    if column.name in OF_SCORES or not column.dtype.is_float():
        longest += column.cast(pl.String, strict=False).str.len_chars().drop_nulls().to_list()
    return min(_WIDEST, max(_NARROWEST, _CHARACTER * max(longest)))


def _write_missing(book: Workbook, sheet: Worksheet, table: pl.DataFrame, by: Sequence[str]) -> None:
    """Write groups of null as a muted word, and those of no word as a text: both would be empty cells."""
    muted = book.add_format({"italic": True, "font_color": "#808080"})
    has_scopes = "scope" in table.columns and "scope" not in by
    numbered = table.with_row_index(_ROW)
    for name in by:
        place = table.columns.index(name)
        of_report = (pl.col("scope") == "group") & group_names(table.schema, name)
        own = numbered.filter(of_report) if has_scopes else numbered
        for row, value in own.select(_ROW, name).rows():
            if value is None:
                sheet.write_string(row + 1, place, "null", muted)
            elif value == "":
                sheet.write_string(row + 1, place, "")


def _mark(book: Workbook, sheet: Worksheet, table: pl.DataFrame, by: Sequence[str], level: float) -> bool:
    """Mark what differs and the rows over all rows; write small numbers with an exponent.

    Return whether there is a column of what may differ.
    """
    from xlsxwriter.utility import xl_col_to_name

    last = table.height
    if last == 0:
        return False

    def where(first: int, until: int, formula: str, **looks: object) -> None:
        criteria = {"type": "formula", "criteria": f"={formula}", "format": book.add_format(looks)}
        sheet.conditional_format(1, first, last, until, criteria)

    is_marked = False
    for place, name in enumerate(table.columns):
        cell = f"{xl_col_to_name(place)}2"
        if name.endswith("p_adjusted"):
            # An empty cell is 0 in a comparison.
            differs = f"AND(ISNUMBER({cell}),{cell}<={1 - level:.12g})"
            where(place, place, differs, bold=True, bg_color="#FFD8A8")
            is_marked = True
        elif table.schema[name].is_float() and _format(table, name, by) == _DECIMALS:
            small = f"AND(ISNUMBER({cell}),{cell}<>0,ABS({cell})<0.0001)"
            where(place, place, small, num_format="0.000E+00")
    if table.columns[0] == "scope":
        where(0, table.width - 1, '$A2="overall"', bold=True)
    return is_marked


def _write_about(book: Workbook, about: Sequence[tuple[str, str]], shaded: str | None) -> None:
    """Write the sheet that says what the table is about, and what made it."""
    notes = [("Made by", f"polars-auc {__version__}")]
    notes.append(
        ("Numbers", "shown with four decimals, or with an exponent if that would be 0; cells have all digits")
    )
    if shaded is not None:
        notes.append(("Shaded", shaded))
    sheet = book.add_worksheet("about")
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 100, book.add_format({"text_wrap": True, "valign": "top"}))
    bold = book.add_format({"bold": True, "valign": "top"})
    for row, (what, said) in enumerate([*about, *notes]):
        sheet.write_string(row, 0, what, bold)
        sheet.write_string(row, 1, said[:_MOST_CHARACTERS])
    sheet.freeze_panes(0, 1)
