"""The states of the groups of a frame, also of one larger than memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal

import polars as pl
from polars.io.plugins import register_io_source

from polars_auc._frames.answers import are_in_order
from polars_auc._frames.batches import batches, collection
from polars_auc._frames.inputs import called, column_of, keys_of, like, refuse_keys, rows_of, scores_of
from polars_auc._frames.partial_states import PART_BYTES, PartialStates, state_column
from polars_auc._plugin.errors import CALLED, FLAGS
from polars_auc._plugin.interrupts import interruptible

if TYPE_CHECKING:
    from polars_auc._frames.inputs import ArrowStream, Frame
    from polars_auc._plugin.call import IntoExpr

# Rows of a counted batch: with fewer, merging takes longer than counting.
_BATCH_ROWS = 4_000_000

# Rows of a batch that is collected before the count, as in a report.
_COLLECTED_ROWS = 2**20

MAX_COLLECTED_ROWS = 2**24
"""Largest number of rows that are collected before a count."""

ROWS_PER_BIN = 3
"""Rows with the memory of one bin. A bin has a score, two counts and a flag: 25 bytes. A row has a score and
a bit."""

BATCH_OBSERVERS: list[Callable[[int], None]] = []
"""Callbacks with the number of rows of each batch that is counted, or collected for a count."""


@called("group_states")
def group_states(
    frame: Frame | ArrowStream,
    label: IntoExpr,
    scores: IntoExpr | Iterable[IntoExpr],
    *,
    by: str | Iterable[str] = (),
    max_bins: int | None = None,
    scale: Literal["real", "probability"] | None = None,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
) -> Frame:
    """Return the states of all groups of a frame, and read its rows in batches.

    The result is equal to that of ``group_by(by).agg(roc_state(...))``. It needs less memory: each batch of
    several million rows is counted, and the states are merged.

    Parameters
    ----------
    frame
        The rows: a DataFrame, or a LazyFrame such as ``pl.scan_parquet(...)``; or a table of another library
        with the Arrow PyCapsule interface.
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    scores
        One or more numeric columns, higher meaning more positive: a name, an expression, an expression of
        several columns such as ``cs.starts_with("p_")`` or ``pl.col("a", "b")``, or a list of these. Names
        must be distinct. An expression of several columns excludes the columns ``by``.
    by
        The columns whose combinations define the groups.
    max_bins, scale
        The size of the states: see :func:`polars_auc.roc_state`. Without ``max_bins`` memory increases with
        the number of distinct scores of all groups.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``frame`` is lazy
        One row for each group, sorted by group: the columns ``by``, and for each score a column of states
        with the name of the score. A lazy frame is read only when the result is collected.

    Notes
    -----
    O(n log n) for each score. Memory is that of several million rows, plus a small multiple of the states of
    all groups.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"site": ["a", "a", "b", "b"], "y": [0, 1, 1, 0], "s": [1, 3, 2, 4]}).lazy()
    >>> states = pa.group_states(rows, "y", "s", by="site", max_bins=1024)
    >>> states.select("site", pl.col("s").struct.field("n_pos")).collect()
    shape: (2, 2)
    ┌──────┬───────┐
    │ site ┆ n_pos │
    │ ---  ┆ ---   │
    │ str  ┆ u64   │
    ╞══════╪═══════╡
    │ a    ┆ 1     │
    │ b    ┆ 1     │
    └──────┴───────┘
    """
    # Errors name `report` if it is the caller.
    name = CALLED.get() or "group_states"
    example = f'{name}(frame, "label", "score", by="segment")'
    keys = keys_of(name, by, example)
    rows = rows_of(name, frame)
    refuse_keys(name, keys, rows.collect_schema(), nested=True)
    score_columns = scores_of(name, scores, rows, keys)
    names = list(score_columns)
    if len({*keys, *names}) < len(keys) + len(names):
        msg = (
            f"{name}: the columns of the result must have different names, got {[*keys, *names]}. Hint: "
            'give a score another name, as in pl.col("s").alias("t")'
        )
        raise ValueError(msg)
    others = _others(name, rows, label, weight, count)
    role_names: dict[str, str] = {}
    for role, column in others.items():
        role_names[role] = apart(column, role, rows, {*keys, *names, *role_names.values()})
    states = PartialStates(
        name=name,
        columns=[*keys, *names, *role_names.values()],
        label=role_names["label"],
        scores=names,
        by=keys,
        masses={role: column_name for role, column_name in role_names.items() if role != "label"},
        limit={"max_bins": max_bins, "scale": scale},
    )
    # Expressions over all rows, such as ranks, must be evaluated before the rows are split into batches.
    plan = rows.select(
        *map(pl.col, keys),
        *(score.alias(column_name) for column_name, score in score_columns.items()),
        *(column.alias(role_names[role]) for role, column in others.items()),
    )
    empty = states.counted_rows(plan.collect_schema().to_frame())
    renamed = {state_column(score): score for score in names}

    empty = empty.rename(renamed)
    return like(frame, deferred(empty.schema, functools.partial(_collected, states, plan, empty, renamed)))


def _collected(
    states: PartialStates, plan: pl.LazyFrame, empty: pl.DataFrame, names: Mapping[str, str]
) -> pl.DataFrame:
    """Return the sorted states of all groups, with the state columns renamed."""
    gathered = _in_batches(states, plan)
    whole = empty if gathered is None else gathered.rename(names)
    return whole.sort(states.by, nulls_last=True) if states.by else whole


def _in_batches(states: PartialStates, plan: pl.LazyFrame) -> pl.DataFrame | None:
    """Return the states of rows that are read in batches, or None without a batch."""
    is_small = states.limit["max_bins"] is not None and not states.masses
    collects = is_small and bool(states.by) and are_in_order(plan, states.by)
    rows = _COLLECTED_ROWS if collects else _BATCH_ROWS
    with called(states.name), batches(plan, rows, maintain_order=False) as read:
        return states.gathered(in_collections(states, read) if collects else _counted(states, read))


def _counted(states: PartialStates, read: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Return the states of each batch."""
    for batch in read:
        yield states.counted_rows(batch)
        observe(batch)


def in_collections(states: PartialStates, read: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Return the states of rows that are collected before they are counted.

    Each group then has more rows per count, which takes less time per row. If a batch has too many groups, or
    a label other than 0 and 1, the rest is counted batch by batch.
    """
    batch = next(read, None)
    while batch is not None:
        nothing = batch.clear()
        rows, size, is_added = 0, 0.0, True
        with collection() as number:
            while batch is not None and rows < MAX_COLLECTED_ROWS and size < PART_BYTES:
                is_added = batch.select(states.added_to(number)).item()
                if not is_added:
                    break
                rows += batch.height
                size += batch.estimated_size()
                observe(batch)
                batch = next(read, None)
            if rows:
                yield states.states_of_collection(nothing, number)
        if batch is not None and not is_added:
            groups = batch.select(pl.struct(states.by).n_unique()).item()
            least = max(_BATCH_ROWS, ROWS_PER_BIN * states.limit["max_bins"] * groups)
            yield from _counted(states, _together(chain([batch], read), least))
            return


def _together(read: Iterable[pl.DataFrame], least: int) -> Iterator[pl.DataFrame]:
    """Concatenate batches to at least this number of rows: smaller ones are smaller than their states."""
    some: list[pl.DataFrame] = []
    for batch in read:
        some.append(batch)
        if sum(map(len, some)) >= least:
            yield pl.concat(some)
            some = []
    if some:
        yield pl.concat(some)


def observe(batch: pl.DataFrame) -> None:
    """Call the observers with the number of rows of a batch."""
    for observer in BATCH_OBSERVERS:
        observer(batch.height)


def _others(
    name: str, rows: pl.LazyFrame, label: IntoExpr, weight: IntoExpr | None, count: IntoExpr | None
) -> dict[str, pl.Expr]:
    """Return the columns other than the scores by role: the label, and a weight or a count."""
    example = '{}(frame, "label", "score", {})'
    others = {"label": column_of(name, "label", label, rows, example.format(name, 'by="segment"'))}
    for role, column, argument in (("weight", weight, 'weight="w"'), ("count", count, 'count="n"')):
        if column is not None:
            others[role] = column_of(name, role, column, rows, example.format(name, argument))
    return others


def apart(column: pl.Expr, role: str, rows: pl.LazyFrame, used: set[str]) -> str:
    """Return a unique name for a column: its own name if possible."""
    [name] = rows.select(column).collect_schema().names()
    while name in used:
        name += f" ({role})"
    return name


def deferred(schema: pl.Schema, table: Callable[[], pl.DataFrame]) -> pl.LazyFrame:
    """Return a lazy frame that calls ``table`` when it is collected, maybe in another thread or process."""
    return register_io_source(_Source(table), schema=schema, is_pure=True)


@dataclass(frozen=True)
class _Source:
    """Source of a lazy frame, with the context of its errors. It can be pickled if ``table`` can."""

    table: Callable[[], pl.DataFrame]
    called: str | None = field(default_factory=CALLED.get)
    flags: Mapping[str, str] | None = field(default_factory=FLAGS.get)

    def __call__(
        self, columns: list[str] | None, condition: pl.Expr | None, rows: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        called, flags = CALLED.set(self.called), FLAGS.set(self.flags)
        try:
            with interruptible():
                table = self.table()
        finally:
            CALLED.reset(called)
            FLAGS.reset(flags)
        table = table if condition is None else table.filter(condition)
        table = table if rows is None else table.head(rows)
        yield table if columns is None else table.select(columns)
