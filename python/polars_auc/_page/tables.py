"""Contents of table files, by extension."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from polars_auc._page.escapes import changed_cells, without_formulas
from polars_auc._page.markdown import markdown_text
from polars_auc._page.text import counted, plain_page
from polars_auc._page.workbook import Summary, workbook
from polars_auc._plots.names import plain_texts
from polars_auc._plugin.errors import CALLED, OptionError

TABLES = (".parquet", ".csv", ".json", ".xlsx")
"""The extensions of files with all rows and columns of a table."""


@dataclass(frozen=True)
class TableWriter:
    """Writer of the contents of a file for any table."""

    ending: str
    title: str
    """The title of a Markdown page."""
    by: Sequence[str] = ()
    """The group columns."""
    keep_formulas: bool = False
    """Whether texts that a spreadsheet would parse as formulas are written to .csv without escapes."""
    level: float = 0.95
    """The level at which a sheet marks differences."""
    low_is_positive: bool = False
    """Whether a row is positive if its score is at most the threshold."""

    def __post_init__(self) -> None:
        if self.keep_formulas and self.ending != ".csv":
            reason, hint = "is for .csv files, in which a sheet finds formulas", "leave it out"
            raise OptionError(CALLED.get() or "", "keep_formulas", reason, hint)

    def contents(
        self,
        table: pl.DataFrame,
        about: Sequence[tuple[str, str]] = (),
        summary: Summary | None = None,
    ) -> bytes:
        """Return the contents of the file, with lines about the table, and with a summary in a workbook."""
        if self.ending == ".md":
            lines = [f"{what}: {text}" for what, text in about]
            return plain_page(
                table, self.title, lines, self.level, low_is_positive=self.low_is_positive
            ).encode()
        if self.ending == ".xlsx":
            return workbook(readable(table, self.ending), self.by, about, self.level, summary)
        table = readable(table, self.ending)
        if self.ending == ".csv" and not self.keep_formulas:
            table = without_formulas(table)
        return _bytes(_WRITERS[self.ending], table)

    def prose(self, text: str) -> str:
        """Escape user text for the format of the file."""
        return markdown_text(text) if self.ending == ".md" else text

    def notes(self, table: pl.DataFrame) -> list[str]:
        """Return a note on the number of escaped texts."""
        changed = changed_cells(table) if self.ending == ".csv" and not self.keep_formulas else 0
        if not changed:
            return []
        begin = "begins" if changed == 1 else "begin"
        return [
            f"{counted(changed, 'cell')} of text {begin} with =, +, - or @, as formulas of a sheet do, and "
            "got an apostrophe in front; --keep-formulas leaves it out"
        ]


_WRITERS: dict[str, Callable[[pl.DataFrame, io.BytesIO], object]] = {
    ".parquet": lambda table, file: table.write_parquet(file),
    ".csv": lambda table, file: table.write_csv(file),
    ".json": lambda table, file: table.write_json(file),
}


_NESTED = (pl.List, pl.Array, pl.Struct)


def readable(table: pl.DataFrame, ending: str) -> pl.DataFrame:
    """Convert values to text that the format does not support."""

    def is_readable(dtype: pl.DataType | type[pl.DataType]) -> bool:
        if ending == ".json":
            # Polars panics when it writes bytes.
            return "Binary" not in str(dtype)
        return dtype != pl.Binary and dtype != pl.Duration and not isinstance(dtype, _NESTED)

    if ending == ".parquet":
        return table
    return table.with_columns(plain_texts(column) for column in table if not is_readable(column.dtype))


def _bytes(write: Callable[[pl.DataFrame, io.BytesIO], object], table: pl.DataFrame) -> bytes:
    contents = io.BytesIO()
    write(table, contents)
    return contents.getvalue()
