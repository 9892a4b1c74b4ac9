"""Checks of options, made when an expression is written and before any query runs."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Set
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

# Decimal fractions with more places than this are rounded to floats: no score has more than 38.
_MOST_PLACES = 100


def one_of(name: str, option: str, value: object, allowed: tuple[str | None, ...]) -> None:
    """Refuse an option that is none of the allowed words."""
    if value not in allowed:
        msg = f"{name}: {option} must be one of {', '.join(map(repr, allowed))}, got {value!r}"
        raise ValueError(msg)


def between_0_and_1(name: str, option: str, value: Any) -> None:
    """Refuse an option that is no number between 0 and 1, both excluded."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1:
        msg = f"{name}: {option} must lie between 0 and 1, such as 0.95, got {value!r}"
        raise ValueError(msg)


def integer(name: str, option: str, value: Any, least: int, most: int) -> int:
    """Refuse an option that is no integer between two others."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        msg = f"{name}: {option} must be an integer from {least} to {most}, got {value!r}"
        raise ValueError(msg)
    return int(value)


def resampling(name: str, n_resamples: int, seed: int, *, option: str = "n_resamples") -> dict[str, int]:
    """Check how a bootstrap or permutation draws, and return it as the plugin takes it."""
    return {
        "n_resamples": integer(name, option, n_resamples, 2, 10_000_000),
        "seed": integer(name, "seed", seed, 0, 2**63 - 1),
    }


def bootstrap(
    name: str,
    method: str,
    n_resamples: int | None,
    seed: int | None,
    *,
    option: str = "method",
    **others: object,
) -> dict[str, int] | None:
    """Check the options of the bootstrap, None where they were not given; refuse them with other methods."""
    given = {"n_resamples": n_resamples, "seed": seed, **others}
    named = [option for option, value in given.items() if value is not None]
    if method != "bootstrap":
        if named:
            applies = "applies" if len(named) == 1 else "apply"
            msg = (
                f"{name}: {' and '.join(named)} {applies} to the bootstrap only, and {option} is {method!r}; "
                f'leave this out, or write {option}="bootstrap"'
            )
            raise ValueError(msg)
        return None
    return resampling(name, 2000 if n_resamples is None else n_resamples, 0 if seed is None else seed)


ALTERNATIVES = ("two-sided", "greater", "less")
ADJUSTMENTS = ("holm", "bonferroni", "bh", "by", None)


def adjustment(name: str, adjust: str | None) -> str:
    """Check an adjustment of p-values, and return it as the plugin takes it."""
    one_of(name, "adjust", adjust, ADJUSTMENTS)
    return adjust or "none"


def rate(name: str, option: str, value: Any) -> float:
    """Refuse an option that is no number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        msg = f"{name}: {option} must lie between 0 and 1, got {value!r}"
        raise ValueError(msg)
    return float(value)


def rate_range(name: str, what: str, low: float | None, high: float | None) -> tuple[float, float] | None:
    """Check the bounds of a rate, and return them if there are any."""
    if low is None and high is None:
        return None
    bounds = tuple(
        rate(name, f"min_{what} and max_{what}", end if value is None else value)
        for value, end in ((low, 0.0), (high, 1.0))
    )
    if bounds[0] >= bounds[1]:
        msg = f"{name}: min_{what} must be below max_{what}, got {low!r} and {high!r}"
        raise ValueError(msg)
    return bounds[0], bounds[1]


def above_0(name: str, option: str, value: Any, *, most: float = 1e9) -> float:
    """Refuse an option that is no number above 0, or beyond what anybody means."""
    least = 1 / most
    number: Any = value
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= number <= most:
        msg = f"{name}: {option} must be a number above 0, from {least:g} to {most:g}, got {value!r}"
        raise ValueError(msg)
    return float(value)


def flag(name: str, option: str, value: Any) -> bool:
    """Refuse an option that is neither True nor False."""
    if value is True or value is False:
        return bool(value)
    msg = f"{name}: {option} must be True or False, got {value!r}"
    raise ValueError(msg)


def listed(name: str, option: str, values: Any) -> list[Any]:
    """Refuse an option that is no sequence of values in an order, and return the values."""
    unordered = (str, bytes, Mapping, Set)
    if isinstance(values, unordered) or not isinstance(values, Iterable):
        msg = f"{name}: {option} must be a list of numbers, such as [0.05, 0.1], got {values!r}"
        raise ValueError(msg)
    return list(values)


def threshold(name: str, option: str, value: Any) -> dict[str, float | str]:
    """Check a number that is a threshold, and return it as the plugin takes it."""
    number: Any = value
    if not isinstance(value, bool) and isinstance(value, Real | Decimal):
        with contextlib.suppress(ValueError, OverflowError):
            if int(number) == number:
                return {"integer": str(int(number))}
        if isinstance(value, Decimal):
            places = value.as_tuple().exponent
            # Of infinity and NaN it is a word.
            if isinstance(places, int) and places >= -_MOST_PLACES:
                return {"decimal": f"{value:f}"}
        with contextlib.suppress(ValueError, OverflowError):
            if not math.isnan(float(number)):
                return {"float": float(number)}
    msg = f"{name}: {option} must be a number, got {value!r}"
    raise ValueError(msg)
