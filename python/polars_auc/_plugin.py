"""The one place where an expression is handed to Polars."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import polars as pl
from polars.plugins import register_plugin_function

from polars_auc import _native

IntoExpr: TypeAlias = str | pl.Expr
"""What stands for a column: its name or an expression."""

_LIBRARY = Path(_native.__file__)


def expression(name: str, label: IntoExpr, score: IntoExpr, **options: object) -> pl.Expr:
    """Build the expression ``name`` of the plugin.

    Both columns are imploded, so that Polars calls the plugin once with a list for each group, wherever
    the expression stands; and ``first()`` makes the whole an aggregate, which the streaming engine
    evaluates once and not once for each batch of rows.

    The score comes first because Polars names a result after its first input.
    """
    return register_plugin_function(
        plugin_path=_LIBRARY,
        function_name=name,
        args=[_column(name, "score", score).implode(), _column(name, "label", label).implode()],
        kwargs={"options": options},
        is_elementwise=True,
    ).first()


def _column(name: str, role: str, column: IntoExpr) -> pl.Expr:
    if isinstance(column, pl.Expr):
        return column
    if isinstance(column, str):
        return pl.col(column)
    # A Series would be a literal: the same values for every group, whatever rows the group has.
    msg = (
        f"{name}: {role} must be a column name or an expression, got {type(column).__name__}; "
        f'write frame.select({name}("label", "score"))'
    )
    raise TypeError(msg)


def one_of(name: str, option: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse an option that is none of the allowed words."""
    if value not in allowed:
        msg = f"{name}: {option} must be one of {', '.join(map(repr, allowed))}, got {value!r}"
        raise ValueError(msg)


def between_0_and_1(name: str, option: str, value: object) -> None:
    """Refuse an option that is no number between 0 and 1, both excluded."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        msg = f"{name}: {option} must lie between 0 and 1, such as 0.95, got {value!r}"
        raise ValueError(msg)
