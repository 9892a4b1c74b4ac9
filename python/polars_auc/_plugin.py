"""The one place where an expression is handed to Polars."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Set
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl
from polars.plugins import register_plugin_function

from polars_auc import _native

IntoExpr: TypeAlias = str | pl.Expr
"""What stands for a column: its name or an expression."""

_LIBRARY = Path(_native.__file__)


def expression(
    name: str, columns: Mapping[str, IntoExpr | None], *, variant: str | None = None, **options: object
) -> pl.Expr:
    """Build the expression ``name`` of the plugin, or a variant of it, from its columns, each by its role.

    A weight that is None is left out.

    All columns are imploded, so that Polars calls the plugin once with a list for each group, wherever
    the expression stands; and ``first()`` makes the whole an aggregate, which the streaming engine
    evaluates once and not once for each batch of rows.

    The score comes first because Polars names a result after its first input.
    """
    imploded = [column.implode() for column in _columns(name, columns)]
    plugin = name if variant is None else f"{name}_{variant}"
    return _registered(plugin, imploded, options, elementwise=True).first()


def _plain(option: Any) -> Any:
    """Make plain Python of an option: numpy's numbers and words are others to the plugin."""
    if isinstance(option, Mapping):
        return {str(key): _plain(value) for key, value in option.items()}
    if isinstance(option, tuple | list):
        return [_plain(value) for value in option]
    if isinstance(option, bool):
        return option
    if isinstance(option, str):
        return str(option)
    if isinstance(option, Integral):
        return int(option)
    return float(option) if isinstance(option, Real) else option


def columnwise(
    name: str, columns: Mapping[str, IntoExpr], *, elementwise: bool, **options: object
) -> pl.Expr:
    """Build an expression that answers every row; ``elementwise`` if each row alone decides."""
    return _registered(name, _columns(name, columns), options, elementwise=elementwise)


def _registered(
    name: str, columns: list[pl.Expr], options: Mapping[str, object], *, elementwise: bool
) -> pl.Expr:
    return register_plugin_function(
        plugin_path=_LIBRARY,
        function_name=name,
        args=columns,
        kwargs={"options": _plain(options)},
        is_elementwise=elementwise,
    )


def _columns(name: str, columns: Mapping[str, IntoExpr | None]) -> list[pl.Expr]:
    given = {role: column for role, column in columns.items() if role != "weight" or column is not None}
    return [_column(name, role, column, list(given)) for role, column in given.items()]


def _column(name: str, role: str, column: IntoExpr | None, roles: list[str]) -> pl.Expr:
    if isinstance(column, pl.Expr):
        return column
    if isinstance(column, str):
        return pl.col(column)
    # A Series would be a literal: the same values for every group, whatever rows the group has.
    in_order = sorted(roles, key=lambda role: role != "label")
    example = ", ".join(f'"{role}"' for role in in_order if role not in ("cluster", "weight"))
    msg = (
        f"{name}: {role} must be a column name or an expression, got {type(column).__name__}; "
        f"write frame.select({name}({example}))"
    )
    raise TypeError(msg)


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


def resampling(name: str, n_resamples: int, seed: int, *, option: str = "n_resamples") -> dict[str, int]:
    """Check how a bootstrap or permutation draws, and return it as the plugin takes it."""
    for what, value, least, most in ((option, n_resamples, 2, 10_000_000), ("seed", seed, 0, 2**63 - 1)):
        if isinstance(value, bool) or not isinstance(value, Integral) or not least <= float(value) <= most:
            msg = f"{name}: {what} must be an integer from {least} to {most}, got {value!r}"
            raise ValueError(msg)
    return {"n_resamples": n_resamples, "seed": seed}


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
        with contextlib.suppress(ValueError, OverflowError):
            if not math.isnan(float(number)):
                return {"float": float(number)}
    msg = f"{name}: {option} must be a number, got {value!r}"
    raise ValueError(msg)
