"""Formatting of numbers for text, pages, Excel sheets and tooltips."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation
from typing import Literal

import polars as pl

SCORE_COLUMNS = ("threshold", "highest", "lowest")
"""Columns with score values."""

# Counts of rows; with weights they are sums of weights.
_COUNTS = ("n", "n_pos", "n_neg", "cum_n", "cum_pos", "cum_neg", "tp", "fp", "fn", "tn")

# Decimals of areas, rates and p-values, and significant digits of score values, which may be close together.
_DIGITS = 4
_DIGITS_OF_SCORES = 6

SMALLEST = 0.0001
"""Smaller p-values are displayed as less than this, and smaller score values with an exponent."""

# Smaller numbers have an exponent, also if all numbers of a column are this small.
_TINY = 1e-6
_SIGNIFICANT = -1

# Numbers from here on have an exponent.
_LARGEST = 1e15

P_ADJUSTED = "p_adjusted"
"""The suffix of columns of adjusted p-values."""

_PLAIN = re.compile(r"-?\d+(\.\d+)?")

# Spaces of the widths of a digit and of a decimal point.
_SPACES = {"text": (" ", " "), "html": ("\u2007", "\u2008")}

# The table of groups on a page sorts by the numbers themselves, null first. The browser therefore formats
# them, with the limits above.
_FLOAT_IN_BROWSER = """function (value, type) {
  if (type !== "display") return value;
  if (typeof value !== "number") return value === null || value === "" ? "-" : value;
  if (SMALL && value < 1e-4) return "<0.0001";
  if (Math.abs(value) === Infinity) return value > 0 ? "inf" : "-inf";
  if (PLACES < 0 || Math.abs(value) >= 1e15) return value.toExponential(3).replace(/([+-])(.)$/, "$10$2");
  const text = value.toFixed(PLACES);
  return Number(text) === 0 ? text.replace("-", "") : text;
}"""
_INTEGER_IN_BROWSER = """function (value, type) {
  if (type !== "display") return value;
  return value === null || value === "" ? "-" : value.toLocaleString("en-US");
}"""


def is_p_value(name: str) -> bool:
    """Return whether a column of this name contains p-values."""
    return name.endswith(("p_value", "p_adjusted"))


def places_of(name: str, values: Iterable[object]) -> int:
    """Return the number of decimals of a column.

    Areas and rates have four, and larger numbers fewer. The result is -1 if all numbers are so small that
    each has an exponent.
    """
    numbers = [value for value in values if isinstance(value, float) and math.isfinite(value)]
    if name in _COUNTS and all(number.is_integer() for number in numbers):
        return 0
    largest = max((abs(number) for number in numbers if abs(number) < _LARGEST), default=0.0)
    if is_p_value(name) or largest == 0 or 10 * SMALLEST <= largest <= 1:
        return _DIGITS
    if largest < _TINY:
        return _SIGNIFICANT
    first = math.floor(math.log10(largest))
    return 2 - first if largest < 1 else max(0, _DIGITS - 1 - first)


def cell(
    name: str,
    value: object,
    places: int | None = None,
    context: Literal["text", "html"] = "text",
    *,
    low_is_positive: bool = False,
) -> str:
    """Format a value for the column of this name, with this number of decimals.

    On pages integers have commas.
    """
    if value is None:
        return "-"
    if context == "html" and isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if value != value:
        return "NaN"
    if name in SCORE_COLUMNS:
        # The highest score of a band is an upper bound, as is a threshold if low scores are positive.
        is_top = name == "highest" or (name == "threshold" and low_is_positive)
        return _score(value, ROUND_CEILING if is_top else ROUND_FLOOR)
    if not isinstance(value, float):
        return str(value)
    # A small p-value is not rounded to 0.
    if is_p_value(name) and value < SMALLEST:
        return f"<{SMALLEST}"
    return _number(value, places_of(name, [value]) if places is None else places)


def aligned(name: str, texts: Sequence[str], context: Literal["text", "html"] = "text") -> list[str]:
    """Align score values, which have different numbers of decimals, at the decimal point."""
    if name not in SCORE_COLUMNS:
        return list(texts)
    digit, point = _SPACES[context]
    parts = [text.partition(".") if _PLAIN.fullmatch(text) else None for text in texts]
    most = max((len(part[2]) for part in parts if part), default=0)
    return [
        text
        if part is None
        else text + (point if most and not part[1] else "") + digit * (most - len(part[2]))
        for text, part in zip(texts, parts, strict=True)
    ]


def _score(value: object, rounding: str) -> str:
    """Format a score with six significant digits; near 1, with six significant digits of its distance from 1.

    It is rounded away from the scores that it bounds. The rounded bound selects the same rows, unless other
    scores differ from it by less than the last digit.
    """
    text = repr(value) if isinstance(value, float) else str(value)
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return text
    if not exact.is_finite() or abs(exact) >= _LARGEST:
        return text
    first = exact.adjusted()
    if 0 < exact < 1:
        first = min(first, (1 - exact).adjusted())
    last = min(0, first + 1 - _DIGITS_OF_SCORES)
    rounded = exact.quantize(Decimal(1).scaleb(last), rounding=rounding) if exact else Decimal(0)
    if 0 < abs(rounded) < SMALLEST:
        return f"{float(rounded):.{_DIGITS_OF_SCORES}g}"
    return format(rounded.normalize(), "f")


def _number(value: float, places: int) -> str:
    """Format a number with this number of decimals, or with significant digits."""
    if places == _SIGNIFICANT or not abs(value) < _LARGEST:
        return f"{value:#.{_DIGITS}g}"
    # Zero after rounding has no sign.
    text = f"{value:.{places}f}"
    return text.lstrip("-") if float(text) == 0 else text


def number_format(
    name: str,
    context: Literal["html", "xlsx", "altair"],
    *,
    places: int = _DIGITS,
    is_integer: bool = False,
) -> str:
    """Return the number format of a column for the program that displays it.

    It is a JavaScript function for the table of groups on a page, an Excel format, or a d3 format for a
    tooltip.
    """
    if context == "html":
        if is_integer:
            return _INTEGER_IN_BROWSER
        is_small = str(is_p_value(name)).lower()
        return _FLOAT_IN_BROWSER.replace("SMALL", is_small).replace("PLACES", str(places))
    if context == "altair":
        return "," if is_integer else f".{places}~g" if is_p_value(name) else f".{places}f"
    # Scores have any magnitude.
    if name in SCORE_COLUMNS:
        return "General"
    if is_integer:
        return "#,##0"
    if places == _SIGNIFICANT:
        return f"0.{'0' * (_DIGITS - 1)}E+00"
    decimals = f"0.{'0' * places}"
    return f'[<{SMALLEST}]"<{SMALLEST}";{decimals}' if is_p_value(name) else decimals


def after_adjustment(table: pl.DataFrame, *columns: str) -> str:
    """Describe whether these p-values of a report, or all of them, are adjusted for the number of tests.

    Every adjustment raises the smallest of several different p-values. With a single test or equal p-values,
    the table does not reveal an adjustment, and the result is empty.
    """
    names = columns or tuple(name for name in table.columns if name.endswith(P_ADJUSTED))
    pairs = [(name.removesuffix(P_ADJUSTED) + "p_value", name) for name in names]
    tests = [table.select(p=p, adjusted=adjusted).drop_nulls() for p, adjusted in pairs if p in table.columns]
    if len(tests) < len(pairs) or any((one["p"] != one["adjusted"]).any() for one in tests):
        return ", after the adjustment"
    several = any(one.filter(pl.col("p") > 0)["p"].n_unique() > 1 for one in tests)
    return ", without an adjustment for the number of tests" if several else ""
