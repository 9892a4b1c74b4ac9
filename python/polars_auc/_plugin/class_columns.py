"""Score columns of several classes, and the class of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr


def columns_of_classes(
    name: str, probabilities: tuple[IntoExpr, ...], classes: Iterable[object] | None
) -> tuple[dict[str, IntoExpr], list[str]]:
    """Return the column of each class by role, and the classes as text."""
    if not probabilities:
        msg = (
            f'{name}: expected a column for each class. Hint: write {name}("label", "class_a", "class_b", '
            "...)"
        )
        raise ValueError(msg)
    columns = list(probabilities)
    _refuse_several(name, columns)
    texts = None if classes is None else _as_text(name, classes)
    if texts is not None and len(columns) == 1 and len(texts) > 1:
        columns = _listed(columns[0], len(texts))
    names = _column_names(name, columns) if texts is None else texts
    return {f"probability_{place}": column for place, column in enumerate(columns, 1)}, names


def _as_text(name: str, classes: Any) -> list[str]:
    """Format classes as the cast of labels to String does."""
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
        msg = f'{name}: classes must be a list, such as ["a", "b", "c"], got {classes!r}'
        raise TypeError(msg)
    try:
        texts = [pl.Series([value]).cast(pl.String).item() for value in classes]
    except (pl.exceptions.PolarsError, TypeError, OverflowError) as error:
        msg = f"{name}: classes must be values of a column, such as words or integers: {error}"
        raise TypeError(msg) from error
    if None in texts:
        msg = f"{name}: classes contain None, but rows without a label are skipped. Hint: leave it out"
        raise ValueError(msg)
    return texts


def _refuse_several(name: str, columns: list[IntoExpr]) -> None:
    """Raise for an expression of several columns: their order does not identify classes."""
    example = f'{name}("label", "class_a", "class_b", "class_c")'
    for column in columns:
        if isinstance(column, list | tuple):
            msg = (
                f"{name}: every class has a column of its own, "
                f"got a {type(column).__name__} of {len(column)}. Hint: write {example}"
            )
            raise TypeError(msg)
        if isinstance(column, pl.Expr) and column.meta.has_multiple_outputs():
            msg = (
                f"{name}: every class has a column of its own, got {column}, "
                f"which may be several. Hint: write {example}"
            )
            raise TypeError(msg)


def _column_names(name: str, columns: list[IntoExpr]) -> list[str]:
    """Return the names of the columns, which are the classes."""
    names = [_column_name(name, column) for column in columns]
    if len(names) == 1:
        msg = (
            f"{name}: expected a column for each class, got {names[0]!r} only; of a List or "
            f'Array column write the class of each number: {name}("label", "{names[0]}", '
            'classes=["a", "b", "c"])'
        )
        raise ValueError(msg)
    twice = next((one for place, one in enumerate(names) if one in names[:place]), None)
    if twice is not None:
        msg = (
            f"{name}: two columns have the name {twice!r}. Hint: write the class of each column, in order: "
            "classes=[...]"
        )
        raise ValueError(msg)
    return names


def _listed(column: IntoExpr, k: int) -> list[IntoExpr]:
    """Split a list column into one column for each class; the cast rejects lists of another length."""
    if not isinstance(column, str | pl.Expr):
        return [column] * k
    lists = pl.col(column) if isinstance(column, str) else column
    return [lists.cast(pl.Array(pl.Float64, k)).arr.get(place) for place in range(k)]


def _column_name(name: str, column: IntoExpr) -> str:
    """Return the name of a column."""
    if not isinstance(column, pl.Expr):
        return str(column)
    try:
        return column.meta.output_name()
    except pl.exceptions.PolarsError as error:
        msg = (
            f"{name}: the name of the column {column} is unknown. Hint: write the class of each column, "
            "in order: classes=[...]"
        )
        raise ValueError(msg) from error
