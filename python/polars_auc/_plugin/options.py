"""Checks of options, before any query runs."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

# Errors display larger integers by their number of bits.
_MAX_BITS = 128


def format_value(value: object) -> str:
    """Format a value for an error message."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def is_number(value: object) -> bool:
    """Return whether a value is a real number; Booleans are not."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def is_truth_value(value: object) -> bool:
    """Return whether a value is a Boolean, also one of NumPy."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def type_name(value: object) -> str:
    """Return the name of a value's type, with its module unless it is a built-in."""
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")


def number(value: Any) -> float:
    """Convert a number to float; overflow is infinite, and any other value is NaN."""
    if not is_number(value) or (isinstance(value, Decimal) and value.is_snan()):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def one_of(name: str, option: str, value: object, allowed: tuple[str | None, ...]) -> None:
    """Raise if an option is not one of the allowed words."""
    if not isinstance(value, str | None) or value not in allowed:
        msg = f"{name}: {option} must be one of {', '.join(map(repr, allowed))}, got {format_value(value)}"
        raise ValueError(msg)


def between_0_and_1(name: str, option: str, value: Any) -> None:
    """Raise if an option is not a number strictly between 0 and 1."""
    if not 0 < number(value) < 1:
        msg = f"{name}: {option} must lie between 0 and 1, such as 0.95, got {format_value(value)}"
        raise ValueError(msg)


def integer(name: str, option: str, value: Any, least: int, most: int) -> int:
    """Return an option as an integer; raise if it is not an integer in this range."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        msg = f"{name}: {option} must be an integer from {least} to {most}, got {format_value(value)}"
        raise ValueError(msg)
    return int(value)


Adjustment: TypeAlias = Literal[
    "holm",
    "hochberg",
    "hommel",
    "bonferroni",
    "sidak",
    "holm-sidak",
    "bh",
    "by",
    "fdr",
    "fdr_bh",
    "fdr_by",
    "BH",
    "BY",
    "simes-hochberg",
]
"""The method of the adjustment of p-values for multiple tests."""


def flag(name: str, option: str, value: Any) -> bool:
    """Return an option as a Boolean; raise if it is neither True nor False."""
    if is_truth_value(value):
        return bool(value)
    msg = f"{name}: {option} must be True or False, got {format_value(value)}"
    raise ValueError(msg)
