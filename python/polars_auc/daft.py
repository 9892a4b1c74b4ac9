"""States of a frame of Daft: ``import polars_auc.daft as pad``.

Daft counts batches of rows and merges their states, as a user-defined aggregate. Polars expressions do both,
so states are the same, bit for bit, on one machine and on many. The workers need polars-auc, too.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from polars_auc._frames.inputs import called, keys_of
from polars_auc._frames.partial_states import PartialStates, state_column
from polars_auc._plugin.errors import OptionError, OptionTypeError
from polars_auc._plugin.options import type_name
from polars_auc._plugin.packages import require

if TYPE_CHECKING:
    from daft import DataFrame, Expression, Series

__all__ = ["group_states"]

# In the small default batches of Daft, the states of many segments exceed the rows.
_BATCH_ROWS = 2_000_000

# The number of partitions of segments; one worker merges the states of a partition.
_SHARES = 64

# A reserved name: no user column has it.
_SHARE = "polars_auc: share"


def group_states(
    frame: DataFrame,
    label: str,
    scores: str | Iterable[str],
    *,
    by: str | Iterable[str] = (),
    max_bins: int | None = None,
    scale: Literal["real", "probability"] | None = None,
    weight: str | None = None,
    count: str | None = None,
) -> DataFrame:
    """Return the states of the rows of each segment, as a frame of Daft.

    Parameters
    ----------
    frame
        The rows.
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    scores
        One or more numeric columns, higher meaning more positive.
    by
        The columns whose combinations make the segments.
    max_bins, scale
        The maximum number of bins of a state, and where they are narrow: see :func:`polars_auc.roc_state`.
    weight
        The weight of each row: a numeric column, finite, 0 or more.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more.

    Returns
    -------
    daft.DataFrame
        One row for each segment, ordered by segment: the columns ``by``, then for each score a column of its
        name with the state, as :func:`polars_auc.roc_state` makes it. Without ``by``, one row.

    Notes
    -----
    Batches are counted on all workers. Segments are divided into 64 shares, and one worker merges the states
    of a share. If a column of ``by`` is not integer, text, Boolean, date or time, one worker merges all
    segments. A worker needs memory for the distinct scores of its segments, at least of the largest one,
    whose state is one value. With ``max_bins`` it needs memory for ``max_bins`` bins of each segment.
    """
    name = "group_states"
    require(f"polars_auc.daft.{name}", "daft", "pyarrow", extra="daft")
    from daft import DataFrame, DataType, Series, col, from_arrow, udaf

    if not isinstance(frame, DataFrame):
        got = type_name(frame)
        msg = (
            f"{name}: frame must be a DataFrame of Daft, got {got}; for other frames write polars_auc.{name}"
        )
        raise TypeError(msg)
    keys = keys_of(name, by, f'{name}(frame, "label", "score", by="segment")')
    listed = [scores] if isinstance(scores, str) or not isinstance(scores, Iterable) else list(scores)
    masses = {role: mass for role, mass in (("weight", weight), ("count", count)) if mass is not None}
    columns = [*keys, *listed, label, *masses.values()]
    _refuse_columns(name, columns, keys, listed)
    rows = frame.select(*dict.fromkeys(columns))
    limit = {"max_bins": max_bins, "scale": scale}
    parts = PartialStates(name, rows.column_names, label, listed, keys, masses, limit)
    with called(name):
        empty = parts.counted_rows(pl.DataFrame(rows.schema().to_pyarrow_schema().empty_table()))
    arrow = empty.to_arrow().schema
    fields = {key: rows.schema()[key].dtype for key in keys}
    fields |= {score: DataType.from_arrow_type(arrow.field(state_column(score)).type) for score in listed}

    class GroupStates:
        def aggregate(self, *columns: Series) -> bytes:
            arrays = zip(parts.columns, columns, strict=True)
            rows = pl.DataFrame([pl.Series(column, array.to_arrow()) for column, array in arrays])
            with called(name):
                return _ipc(parts.counted_rows(rows))

        def combine(self, states: Series) -> bytes:
            with called(name):
                whole = parts.gathered(map(pl.read_ipc_stream, pl.Series(states.to_arrow())))
            return _ipc(empty if whole is None else whole)

        def finalize(self, state: bytes) -> Series:
            whole = pl.read_ipc_stream(state)
            whole = whole.sort(keys, nulls_last=True) if keys else whole
            columns = [*keys, *(pl.col(state_column(score)).alias(score) for score in listed)]
            return Series.from_arrow(whole.select(columns).to_struct().to_arrow())

    types = {"return_dtype": DataType.list(DataType.struct(fields)), "state": DataType.binary()}
    states = udaf(GroupStates, **types)()(*map(col, parts.columns))
    share = _share(rows, keys)
    whole = rows if share is None else rows.with_column(_SHARE, share)
    batches = whole.into_batches(_BATCH_ROWS)
    table = (batches if share is None else batches.groupby(_SHARE)).agg(states.alias("states"))
    found = table.explode("states").where(col("states").not_null()).select(col("states").unnest())
    if share is None:
        return found
    # On Ray, Daft counts None instead of 0 for a sorted frame without rows, unless it also has an unsorted
    # part.
    nothing = from_arrow(found.schema().to_pyarrow_schema().empty_table())
    return found.sort([col(key) for key in keys], nulls_first=False).concat(nothing)


def _share(rows: DataFrame, keys: list[str]) -> Expression | None:
    """Return the share of a row's segment; None if one worker has to merge all segments.

    Equal keys need equal hashes, and Daft must be able to sort them. Both zeros have different hashes, and
    structs have no order.
    """
    from daft import col

    dtypes = [rows.schema()[key].dtype for key in keys]
    words = ("is_integer", "is_string", "is_boolean", "is_date", "is_timestamp")
    if not keys or not all(any(getattr(dtype, word)() for word in words) for dtype in dtypes):
        return None
    first, *others = keys
    return functools.reduce(lambda share, key: col(key).hash(share), others, col(first).hash()) % _SHARES


def _refuse_columns(name: str, columns: list[Any], keys: list[str], scores: list[str]) -> None:
    """Raise for missing scores, columns other than names, and duplicate names in the result."""
    if not scores:
        reason = "must name at least one column, got none"
        raise OptionError(name, "scores", reason, f'write {name}(frame, "label", "score")')
    other = next((column for column in columns if not isinstance(column, str)), None)
    if other is not None:
        reason = f"columns are names, got {other}"
        raise OptionTypeError(name, "", reason, "make other columns by frame.with_column")
    result = [*keys, *scores]
    twice = next((column for column in result if result.count(column) > 1), None)
    if twice is not None:
        reason = f"two columns of the result are named {twice!r}"
        raise OptionError(name, "", reason, "make another by frame.with_column")


def _ipc(states: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    states.write_ipc_stream(file, compression="lz4")
    return file.getvalue()
