"""Read settings: the options of text files, and values that mean missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import isfinite
from typing import Any

import polars as pl

from polars_auc._cli.streams import log
from polars_auc._plugin.errors import OptionError
from polars_auc._report.options import declared, option, switch

# Texts for missing values that R and pandas write, and pandas reads.
_NULL_VALUES = (
    *("", "NA", "N/A", "n/a", "<NA>", "#N/A", "#N/A N/A", "#NA", "NULL", "null", "None"),
    *("-1.#IND", "1.#IND", "-1.#QNAN", "1.#QNAN"),
)

# A NaN score is an error, so these texts are missing values only in labels.
_NAN = ("NaN", "nan", "-NaN", "-nan")

# Integers below this fit in Int64.
_WHOLE = 2.0**63


@dataclass(frozen=True)
class ReadOptions:
    """The options of input files."""

    null_values: Sequence[str] = option(
        (),
        "texts of missing values in all columns, such as NA,-999; by default NA, N/A, NULL, null, None and "
        "others of R and pandas, in the columns of label, score, weight and count",
        metavar="TEXTS",
    )
    separator: str | None = option(
        None,
        "the character between the columns of a text file; by default the most frequent of , ; | and tab in "
        "its first line",
        metavar="CHARACTER",
    )
    decimal_comma: bool = switch("numbers of text files have a decimal comma, as in 0,5")
    encoding: str | None = option(
        None,
        "the encoding of text files, such as windows-1252 or utf-16; by default UTF-8, or the encoding of "
        "their byte order mark",
        metavar="NAME",
    )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ReadOptions:
        """Select the options from the arguments of a command, and check them."""
        options = cls(**{name: value for name, value in values.items() if name in declared(cls)})
        texts = tuple(text for option in options.null_values for text in option.split(","))
        separator = "\t" if options.separator == "\\t" else options.separator
        options = replace(options, null_values=texts, separator=separator)
        options.check()
        return options

    @property
    def words(self) -> list[str]:
        """All texts that mean missing in some column."""
        return list(self.null_values or (*_NULL_VALUES, *_NAN))

    def check(self) -> None:
        """Raise for invalid values."""
        if self.separator is not None and (len(self.separator.encode()) != 1 or self.separator in '"\n\r'):
            reason = f"must be one character, got {self.separator!r}"
            raise OptionError("", "separator", reason, 'write `separator` ";", or "\\t" for a tab')
        if self.decimal_comma and self.separator == ",":
            raise OptionError("", "separator", "is the comma, which `decimal_comma` puts into numbers")
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                reason = f"must be the name of an encoding, got {self.encoding!r}"
                raise OptionError("", "encoding", reason, "write utf-8, windows-1252 or utf-16") from None


class LaterType(Exception):
    """A later row of a text file does not fit the inferred type; the files must be read again."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


@dataclass
class Reading:
    """The read settings of one command."""

    options: ReadOptions = field(default_factory=ReadOptions)
    labels: frozenset[str] = frozenset()
    """The columns of the label."""
    numbers: frozenset[str] = frozenset()
    """The columns of the label, the scores, the weight and the count."""
    by: frozenset[str] = frozenset()
    """The columns of groups."""
    used: frozenset[str] = frozenset()
    """The columns in options, and words of SQL that may be columns."""
    compared: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Texts by column that SQL compares or matches; they are not missing values."""
    is_open: bool = False
    """Whether the purpose of columns is unknown, as for init."""
    is_quiet: bool = False
    looked_at: frozenset[str] = frozenset()
    """Columns of text files whose type is inferred from all rows."""
    notes: dict[str, None] = field(default_factory=dict)
    """Messages about the files."""
    kinds: dict[str, Any] = field(default_factory=dict)
    """The kinds of files detected so far."""

    def note(self, text: str) -> None:
        """Print a message about the files, once."""
        if text not in self.notes:
            self.notes[text] = None
            if not self.is_quiet:
                log(f"polars-auc: {text}")

    def note_text(self, column: str, why: str) -> None:
        """Print that a column of groups is read as text."""
        self.note(f"{column!r} is read as text, because {why}")

    def uses(self, column: str) -> bool:
        """Return whether a column is used."""
        return self.is_open or column in self.used

    def is_nullable(self, column: str) -> bool:
        """Return whether texts in a column may mean missing."""
        is_number = column in self.numbers and column not in self.by
        return is_number or self.is_open or bool(self.options.null_values)

    def null_values(self, column: str) -> list[str]:
        """Return the texts that mean missing in a column."""
        texts = self.options.null_values or (*_NULL_VALUES, *(_NAN if column in self.labels else ()))
        return [text for text in texts if text not in self.compared.get(column, ())]

    def texts_without_nulls(self, column: str) -> pl.Expr:
        """Return a column of texts with null for missing values."""
        text = pl.col(column)
        is_null = text.cast(pl.String).is_in(self.null_values(column))
        return pl.when(is_null).then(None).otherwise(text).alias(column)

    def decimal(self, text: pl.Expr) -> pl.Expr:
        """Return texts of numbers with a decimal point for the comma; texts with a point become null."""
        if not self.options.decimal_comma:
            return text
        # The point may be a thousands separator.
        is_comma = ~text.str.contains(".", literal=True)
        return pl.when(is_comma).then(text.str.replace(",", ".", literal=True))

    def without_nulls(self, column: str, dtype: pl.DataType) -> pl.Expr | None:
        """Return a column with null for missing values; None if it cannot have any."""
        if not self.is_nullable(column):
            return None
        if dtype in (pl.String, pl.Categorical, pl.Enum):
            return None if self.is_open else self.texts_without_nulls(column)
        if not dtype.is_numeric():
            return None
        return self.numbers_without_nulls(column, pl.col(column), dtype)

    def numbers_without_nulls(self, column: str, value: pl.Expr, dtype: pl.DataType) -> pl.Expr | None:
        """Return a column of numbers with null for missing values; None if it cannot have any."""
        # A label that is computed from a score can be NaN.
        is_label = column in self.labels and not self.options.null_values
        has_nan = dtype.is_float() and (is_label or not set(self.null_values(column)).isdisjoint(_NAN))
        numbers = [number for text in self.options.null_values if (number := _number(text)) is not None]
        if not has_nan and not numbers:
            return None
        value = value.fill_nan(None) if has_nan else value
        if not numbers:
            return value
        is_null = pl.any_horizontal(value == number for number in numbers)
        return pl.when(is_null).then(None).otherwise(value).alias(column)


def _number(text: str) -> int | float | None:
    """Parse a finite number; whole numbers stay exact beyond 2^53."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not number.is_integer() or abs(number) >= _WHOLE:
        return number if isfinite(number) else None
    return int(Decimal(text))


_READING: ContextVar[Reading] = ContextVar("_READING")


def reading() -> Reading:
    """Return the read settings of this command."""
    return _READING.get(Reading())


@contextmanager
def reading_as(one: Reading) -> Iterator[None]:
    """Use these read settings while the block runs."""
    mark = _READING.set(one)
    try:
        yield
    finally:
        _READING.reset(mark)
