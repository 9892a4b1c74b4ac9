"""Evaluate expressions for groups: columns become lists once, and all expressions share these lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from polars_auc._frames.inputs import column_of
from polars_auc._plugin.call import LIST_OF, group_lists

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

# Elementwise functions, by their names in the serialised plan.
_FUNCTIONS_OF_ROWS = frozenset(
    ("Abs", "FillNull", "Negate", "IsFinite", "IsInfinite", "IsNan", "IsNotNan", "IsNotNull", "IsNull", "Not")
)

# Key dtypes that the plugin can sort, besides numbers, dates and times.
_KEYS = (pl.Boolean, pl.String, pl.Binary, pl.Categorical, pl.Enum, pl.Null)


class Answers:
    """Results of expressions of this package for each group, and the columns that these expressions read."""

    def __init__(self, name: str, rows: pl.LazyFrame) -> None:
        self._name = name
        self._rows = rows
        self._columns: dict[bytes, tuple[str, pl.Expr]] = {}

    @contextmanager
    def reading_lists(self) -> Iterator[None]:
        """Let the expressions built in this context read lists, which only :meth:`of` creates."""
        mark = LIST_OF.set(self._list_of)
        try:
            yield
        finally:
            LIST_OF.reset(mark)

    def columns(self) -> list[pl.Expr]:
        """Return the columns that the expressions read."""
        return [column for _, column in self._columns.values()]

    def of(self, rows: pl.LazyFrame, by: Sequence[str], answers: Sequence[pl.Expr]) -> pl.LazyFrame:
        """Return the results for each group, or for all rows if ``by`` is empty.

        Groups are sorted, with nulls last.
        """
        columns = {name: column.alias(name) for name, column in self._columns.values()}
        if not by:
            return rows.select(column.implode() for column in columns.values()).select(answers)
        schema = rows.collect_schema()
        if are_in_order(rows, by) and are_of_rows(columns.values()):
            lists = rows.select(group_lists(by, columns)).unnest(cs.all()).unnest(cs.first())
            if len(by) == 1 and not isinstance(schema[by[0]], pl.Categorical):
                # A join or a group-by of the results is then faster.
                lists = lists.with_columns(pl.col(by[0]).set_sorted())
            return lists.select(*by, *answers)
        # Polars then builds the lists: for example, an expression with a mean uses the mean of the group.
        lists = rows.group_by(by).agg(column.implode() for column in columns.values())
        return lists.select(*by, *answers).sort(by, nulls_last=True)

    def collected(self, rows: pl.LazyFrame, by: Sequence[str], answers: Sequence[pl.Expr]) -> pl.DataFrame:
        """Return the same as a frame that is safe to keep while others are computed.

        The plugin returns the keys together with the lists: without a copy, the keys retain the lists.
        """
        answered = self.of(rows, by, answers).collect()
        return answered.with_columns(pl.col(by).gather(pl.int_range(pl.len()))) if by else answered

    def _list_of(self, role: str, column: IntoExpr) -> pl.Expr:
        example = f'{self._name}(frame, "label", "score", {role}="...")'
        expression = column_of(self._name, role, column, self._rows, example)
        name, _ = self._columns.setdefault(
            expression.meta.serialize(), (f"polars_auc: list {len(self._columns)}", expression)
        )
        # Errors contain the column name. A selector has no name without the schema.
        is_selector = expression.meta.has_multiple_outputs()
        names = (
            self._rows.select(expression).collect_schema().names()
            if is_selector
            else [expression.meta.output_name()]
        )
        return pl.col(name).alias(names[0])


def are_in_order(rows: pl.LazyFrame, by: Sequence[str]) -> bool:
    """Return whether the plugin can group by these columns and sort the groups."""
    schema = rows.collect_schema()
    return all(_is_in_order(schema[key]) for key in by)


def _is_in_order(dtype: pl.DataType) -> bool:
    return dtype.is_numeric() or dtype.is_temporal() or dtype in _KEYS


def are_of_rows(columns: Iterable[IntoExpr]) -> bool:
    """Return whether each value of these columns is computed from its own row.

    A mean, for example, is computed from the group. Invalid expressions raise where they are read.
    """
    expressions = [pl.col(column) if isinstance(column, str) else column for column in columns]
    return all(isinstance(column, pl.Expr) and _is_of_rows(column) for column in expressions)


def _is_of_rows(column: pl.Expr) -> bool:
    """Return whether each value is computed from its own row; False for unsupported expressions."""

    def is_node_of_rows(node: Any) -> bool:
        match node:
            case {"Column": _}:
                return True
            case {"Literal": value}:
                # A Series has one value for each row of the frame.
                return "Series" not in value
            case {"Alias": [inner, _]} | {"Cast": {"expr": inner}}:
                return is_node_of_rows(inner)
            case {"BinaryExpr": {"left": left, "right": right}}:
                return is_node_of_rows(left) and is_node_of_rows(right)
            case {"Ternary": {"predicate": condition, "truthy": one, "falsy": other}}:
                return all(map(is_node_of_rows, (condition, one, other)))
            case {"Function": {"function": {"Boolean": str(function)} | str(function), "input": inputs}}:
                return function in _FUNCTIONS_OF_ROWS and all(map(is_node_of_rows, inputs))
            case _:
                return False

    if not column.meta.root_names():
        return False
    return is_node_of_rows(json.loads(column.meta.serialize(format="json")))
