"""States as bytes, to be stored where there are no columns of structs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from polars_auc._options import flag
from polars_auc._plugin import columnwise

if TYPE_CHECKING:
    from polars_auc._plugin import IntoExpr

__all__ = ["pack_state", "unpack_state"]


def pack_state(state: IntoExpr, *, keep_scores: bool = True) -> pl.Expr:
    """Return each state as bytes, which are shorter than its columns and fit in one value of any store.

    Parameters
    ----------
    state
        Column of states, as :func:`roc_state` makes them, but not of rows with weights.
    keep_scores
        Whether bins of several scores keep their lowest score. With False they say only which interval of the
        partition they are, which takes 3.1 to 4.3 bytes a bin in place of 8.2 to 10.1 (measured for Float64
        scores, ``benches/results/states.csv``). All counts stay
        the same, and so do :func:`roc_auc`, :func:`roc_auc_bounds` and every answer that shows no threshold.
        A threshold is then the lowest number of its interval: the same rows reach it, but it need not be an
        observed score. Exact states, and bins whose rows share one score, keep their scores.

    Returns
    -------
    polars.Expr
        One Binary value for each row, named after the state. A null state is null.

    Raises
    ------
    TypeError
        If the state is neither a column name nor an expression, or ``keep_scores`` is no truth value.
    polars.exceptions.ComputeError
        When the plan is resolved: for a column of another dtype. When the plan runs: for a struct that is no
        state, such as one with bins that are not in order.

    Notes
    -----
    This is not an aggregate: to pack the state of many, write ``pack_state(merge_states("state"))``. The same
    state gives the same bytes. The format is described byte by byte in the guide on packed states. Later
    versions of this package read what earlier ones wrote. O(m) for m bins.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"s": pl.int_range(9999, eager=True).sin()}).with_columns(y=pl.col("s") > 0.3)
    >>> state = rows.select(state=pa.roc_state("y", "s", max_bins=256))
    >>> state.select(pa.pack_state("state").bin.size() <= 13 * 256).item()
    True
    >>> short = state.select(packed=pa.pack_state("state", keep_scores=False))
    >>> short.select(pl.col("packed").bin.size() <= 5 * 256).item()
    True
    >>> unpacked = short.select(state=pa.unpack_state("packed"))
    >>> unpacked.select(pa.roc_auc(state="state")).equals(state.select(pa.roc_auc(state="state")))
    True
    """
    name = "pack_state"
    return columnwise(
        name, {"state": state}, elementwise=True, keep_scores=flag(name, "keep_scores", keep_scores)
    )


def unpack_state(packed: IntoExpr, score_dtype: pl.DataType | type[pl.DataType] = pl.Float64) -> pl.Expr:
    """Return the states that :func:`pack_state` made bytes of.

    Parameters
    ----------
    packed
        Column of Binary values, as :func:`pack_state` makes them.
    score_dtype
        The dtype of the scores: the one that they had when the state was made.

    Returns
    -------
    polars.Expr
        One Struct for each row, as :func:`roc_state` makes it, named after the column. Null is null.

    Raises
    ------
    TypeError
        If the column is neither a column name nor an expression, or ``score_dtype`` is no Polars dtype.
    polars.exceptions.ComputeError
        When the plan is resolved: for a column that is not Binary, or a dtype that no score has. When the
        plan runs: for bytes that are no packed state, or one with scores of another dtype.

    Notes
    -----
    Bytes may come from anywhere. Any bytes are either a state or an error that says what is wrong with them.
    O(m) for m bins.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"day": [1, 1, 2, 2], "y": [1, 0, 0, 1], "s": [0.9, 0.2, 0.4, 0.2]})
    >>> days = rows.group_by("day").agg(state=pa.roc_state("y", "s"))
    >>> packed = days.select("day", packed=pa.pack_state("state"))
    >>> packed.select(state=pa.unpack_state("packed")).equals(days.select("state"))
    True
    """
    name = "unpack_state"
    is_dtype = isinstance(score_dtype, pl.DataType) or (
        isinstance(score_dtype, type) and issubclass(score_dtype, pl.DataType)
    )
    if not is_dtype:
        msg = f"{name}: score_dtype must be a Polars dtype, such as pl.Float64, got {score_dtype!r}"
        raise TypeError(msg)
    columns: dict[str, IntoExpr] = {"packed": packed, "score_dtype": pl.lit(None, dtype=score_dtype)}
    return columnwise(name, columns, elementwise=True)
