"""Several groupings of one report: by single columns, and by combinations of columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

import polars as pl

from polars_auc._plugin.errors import OptionError, per_front_end
from polars_auc._plugin.options import format_value

GROUPING = "grouping"
"""The column with the group columns of each row's grouping."""

EVERY = "(all)"
"""The label of columns outside a grouping; data is unlikely to contain this text."""

Groupings: TypeAlias = "Literal['each', 'rollup', 'cube'] | Iterable[Iterable[str]]"

_KEYWORDS = ("each", "rollup", "cube")
_COMMA = ", "


def key_sets(name: str, keys: Sequence[str], groupings: Groupings) -> list[list[str]]:
    """Return the columns of each grouping."""

    def refused(reason: str, hint: str | None = None) -> OptionError:
        return OptionError(name, "groupings", reason, hint)

    if not keys:
        hint = per_front_end('write `by`=["segment", "year"]', "write a `by`, better two")
        raise refused("need columns in `by`", hint)
    comma = next((key for key in keys if _COMMA in key), None)
    if comma is not None:
        raise refused(f"name their columns with commas, and {comma!r} has one in its name", "rename it")
    if isinstance(groupings, str):
        if groupings not in _KEYWORDS:
            raise refused(f"must be one of {', '.join(map(repr, _KEYWORDS))}, got {format_value(groupings)}")
        if groupings == "each":
            return [[key] for key in keys]
        if groupings == "rollup":
            return [list(keys[:number]) for number in range(len(keys), 0, -1)]
        return [
            list(some) for number in range(len(keys), 0, -1) for some in itertools.combinations(keys, number)
        ]
    sets = []
    for some in groupings if isinstance(groupings, Iterable) else [groupings]:
        if isinstance(some, str) or not isinstance(some, Iterable) or not (columns := list(some)):
            problem = f"must be 'each', 'rollup', 'cube' or lists of columns, got {format_value(some)} in it"
            raise refused(problem, f'write `groupings`=[["{keys[0]}"], ...]')
        unknown = next((key for key in columns if key not in keys), None)
        if unknown is not None:
            raise refused(
                f"have the unknown column {unknown!r}; expected one of `by`: {', '.join(map(repr, keys))}"
            )
        sets.append([key for key in keys if key in columns])
    if not sets or any(sets.count(some) > 1 for some in sets):
        raise refused(f"must be lists of columns, each once, got {format_value(groupings)}")
    unused = next((key for key in keys if not any(key in some for some in sets)), None)
    if unused is not None:
        problem = f"has {unused!r}, which is in no grouping"
        raise OptionError(name, "by", problem, "leave it out, or add a grouping of it")
    return sets


def grouped(
    sets: Sequence[Sequence[str]],
    evaluate: Callable[[list[str]], pl.LazyFrame],
    overall: pl.LazyFrame,
    keys: Sequence[str],
) -> pl.LazyFrame:
    """Concatenate the groups of several groupings, followed by the rows over all rows."""
    parts = [evaluate(list(some)).with_columns(pl.lit(_COMMA.join(some)).alias(GROUPING)) for some in sets]
    parts.append(overall.with_columns(pl.lit(None, dtype=pl.String).alias(GROUPING)))
    schemas = [part.collect_schema() for part in parts]
    dtypes = {key: schema[key] for schema in schemas for key in keys if key in schema}
    columns = ["scope", *keys, *(name for name in schemas[0].names() if name not in ("scope", *keys))]
    everything = {**schemas[0], **dtypes}
    whole = [
        part.with_columns(
            pl.lit(None, dtype=everything[name]).alias(name) for name in columns if name not in schema
        ).select(columns)
        for part, schema in zip(parts, schemas, strict=True)
    ]
    return pl.concat(whole)


def group_names(schema: pl.Schema, key: str) -> pl.Expr:
    """Return whether a column is part of a row's grouping, rather than aggregated over."""
    if GROUPING not in schema:
        return pl.lit(value=True)
    return pl.col(GROUPING).str.split(_COMMA).list.contains(key).fill_null(value=False)
