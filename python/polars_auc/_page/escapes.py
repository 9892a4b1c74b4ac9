"""Escape user text that a spreadsheet would interpret as a formula."""

from __future__ import annotations

import polars as pl

# Prefixes that spreadsheets parse as a formula; some also parse the full-width forms.
_BEGIN = r"'*[=+\-@\t\r\n\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]"

# Numbers are not formulas and stay unchanged.
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"

_TEXTS = (pl.String, pl.Categorical, pl.Enum)


def without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Prefix each text that a spreadsheet would parse as a formula with an apostrophe, also column names."""
    safe = [_without(column) if column.dtype in _TEXTS else column for column in table]
    names = _without(pl.Series(table.columns, dtype=pl.String))
    return pl.DataFrame([column.alias(name) for column, name in zip(safe, names, strict=True)])


def with_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """Remove the apostrophes."""

    def back(column: pl.Series) -> pl.Series:
        return column.str.replace(f"^'({_BEGIN})", "${1}")

    texts = [back(column) if column.dtype == pl.String else column for column in table]
    names = back(pl.Series(table.columns, dtype=pl.String))
    return pl.DataFrame([column.alias(name) for column, name in zip(texts, names, strict=True)])


def changed_cells(table: pl.DataFrame) -> int:
    """Return the number of texts that need an apostrophe."""
    texts = [column for column in table if column.dtype in _TEXTS]
    names = pl.Series(table.columns, dtype=pl.String)
    return sum(_is_formula(column).fill_null(value=False).to_list().count(True) for column in [*texts, names])


def _is_formula(column: pl.Series) -> pl.Series:
    text = column.cast(pl.String)
    return text.str.contains(f"^{_BEGIN}") & ~text.str.contains(_NUMBER)


def _without(column: pl.Series) -> pl.Series:
    text = column.cast(pl.String).alias("text")
    escaped = pl.when(_is_formula(text).alias("formula")).then("'" + pl.col("text")).otherwise("text")
    return text.to_frame().select(escaped.alias(column.name)).to_series()
