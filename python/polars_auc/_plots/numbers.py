"""How numbers are shown: as text, on pages, in sheets of Excel and in tooltips of charts."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation
from typing import Literal

import polars as pl

SCORE_COLUMNS = ("threshold", "highest", "lowest")
"""Columns of values of scores."""

# Numbers of rows, which are sums of weights if rows have weights.
_COUNTS = ("n", "n_pos", "n_neg", "cum_n", "cum_pos", "cum_neg", "tp", "fp", "fn", "tn")

# Digits behind the point of areas, rates and p-values, and significant digits of values of scores, which may
# lie close together.
_DIGITS = 4
_DIGITS_OF_SCORES = 6

SMALLEST = 0.0001
"""Smaller p-values are shown as smaller than this, and smaller values of scores with an exponent."""

# What is below has an exponent, also if a whole column is.
_TINY = 1e-6
_SIGNIFICANT = -1

# Larger numbers are written with an exponent.
_LARGEST = 1e15

P_ADJUSTED = "p_adjusted"
"""How the names of columns of adjusted p-values end."""

_PLAIN = re.compile(r"-?\d+(\.\d+)?")

# Spaces as wide as a digit and as a point.
_SPACES = {"text": (" ", " "), "html": ("\u2007", "\u2008")}

# The table of groups of a page sorts by the numbers themselves, null first, and so formats them in the
# browser: with the limits above.
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
    """Whether a column of this name holds p-values."""
    return name.endswith(("p_value", "p_adjusted"))


def places_of(name: str, values: Iterable[object]) -> int:
    """Return the number of digits behind the point of all numbers of a column.

    Areas and rates have four, and larger numbers fewer; it is -1 where all are so small that
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
    """Return a value as the column of this name shows it, with so many digits behind the point.

    On pages integers have commas.
    """
    if value is None:
        return "-"
    if context == "html" and isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if value != value:
        return "NaN"
    if name in SCORE_COLUMNS:
        # Bands end at their highest scores, and low scores are positive up to the threshold.
        is_top = name == "highest" or (name == "threshold" and low_is_positive)
        return _score(value, ROUND_CEILING if is_top else ROUND_FLOOR)
    if not isinstance(value, float):
        return str(value)
    # A small p-value is not 0.
    if is_p_value(name) and value < SMALLEST:
        return f"<{SMALLEST}"
    return _number(value, places_of(name, [value]) if places is None else places)


def aligned(name: str, texts: Sequence[str], context: Literal["text", "html"] = "text") -> list[str]:
    """Return values of scores, which have digits of their own, with their points below each other."""
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
    """Return a value of scores with six significant digits, near 1 of its distance from 1.

    It is rounded away from the scores that it bounds, so that the same rows are within the bound, unless
    others lie closer to it than the last digit.
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
    """Return a number with these digits behind the point, or with significant ones."""
    if places == _SIGNIFICANT or not abs(value) < _LARGEST:
        return f"{value:#.{_DIGITS}g}"
    # What is rounded to 0 has no sign.
    text = f"{value:.{places}f}"
    return text.lstrip("-") if float(text) == 0 else text


def number_format(
    name: str,
    context: Literal["html", "xlsx", "altair"],
    *,
    places: int = _DIGITS,
    is_integer: bool = False,
) -> str:
    """Return the format of a column whose numbers the program of the reader formats.

    It is a function of JavaScript for the table of groups on a page, a format of Excel, or one of d3 for a
    tooltip.
    """
    if context == "html":
        if is_integer:
            return _INTEGER_IN_BROWSER
        is_small = str(is_p_value(name)).lower()
        return _FLOAT_IN_BROWSER.replace("SMALL", is_small).replace("PLACES", str(places))
    if context == "altair":
        return "," if is_integer else f".{places}~g" if is_p_value(name) else f".{places}f"
    # Scores are of any size.
    if name in SCORE_COLUMNS:
        return "General"
    if is_integer:
        return "#,##0"
    if places == _SIGNIFICANT:
        return f"0.{'0' * (_DIGITS - 1)}E+00"
    decimals = f"0.{'0' * places}"
    return f'[<{SMALLEST}]"<{SMALLEST}";{decimals}' if is_p_value(name) else decimals


def after_adjustment(table: pl.DataFrame, *columns: str) -> str:
    """Say whether these columns of a report, or all, were adjusted for the number of tests.

    Every adjustment raises the smallest of different p-values. Of a single test, or of equal p-values, the
    table does not say whether they were adjusted, and neither is said.
    """
    names = columns or tuple(name for name in table.columns if name.endswith(P_ADJUSTED))
    pairs = [(name.removesuffix(P_ADJUSTED) + "p_value", name) for name in names]
    tests = [table.select(p=p, adjusted=adjusted).drop_nulls() for p, adjusted in pairs if p in table.columns]
    if len(tests) < len(pairs) or any((one["p"] != one["adjusted"]).any() for one in tests):
        return ", after the adjustment"
    several = any(one.filter(pl.col("p") > 0)["p"].n_unique() > 1 for one in tests)
    return ", without an adjustment for the number of tests" if several else ""
