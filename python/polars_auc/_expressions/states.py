"""States: mergeable counts of rows for storage and later evaluation, as structs and as bytes."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import polars as pl

from polars_auc._plugin.call import columnwise, expression_of
from polars_auc._plugin.errors import OptionError, OptionTypeError

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr

__all__ = [
    "merge_states",
    "pack_state",
    "roc_auc_bounds",
    "roc_state",
    "rolling_merge_states",
    "unpack_state",
]

# A Polars duration string, such as 28d or 1mo.
_LENGTH = re.compile(r"(\d+(ns|us|ms|mo|s|m|h|d|w|q|y))+")
_PARTS = re.compile(r"(\d+)([a-z]+)")

# Maximum length of a unit, in days.
_DAYS = {
    "ns": 1 / 86_400e9,
    "us": 1 / 86_400e6,
    "ms": 1 / 86_400e3,
    "s": 1 / 86_400,
    "m": 1 / 1_440,
    "h": 1 / 24,
}
_DAYS |= {"d": 1, "w": 7, "mo": 31, "q": 92, "y": 366}

# Nanosecond datetimes span 584 years: the start of a longer window can overflow.
_MAX_YEARS = 500
_MAX_DAYS = _MAX_YEARS * _DAYS["y"]

Scale: TypeAlias = Literal["real", "probability"]


def have_weights(dtype: Any) -> bool:
    """Return whether a dtype is that of states with sums of weights.

    Counts that Spark reads from a Polars file are also decimals, but of scale 0.
    """
    bins = dtype.to_schema().get("bins") if isinstance(dtype, pl.Struct) else None
    bin_dtype = bins.inner if isinstance(bins, pl.List) else None
    pos = bin_dtype.to_schema().get("pos") if isinstance(bin_dtype, pl.Struct) else None
    return isinstance(pos, pl.Decimal) and pos.scale != 0


def roc_state(
    label: IntoExpr,
    score: IntoExpr,
    *,
    max_bins: int | None = None,
    scale: Scale | None = None,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the state of the rows: the counts of positives and negatives by score.

    A state is a struct of plain values. It can be written to Parquet, read by other engines, and merged with
    other states by :func:`merge_states`. All functions of a binary label and one score accept it as
    ``state=``, except :func:`hodges_lehmann`. :func:`cv_roc_auc` and :func:`cv_roc_curve` accept states of
    folds, :func:`grouped_roc_auc` of users, :func:`compare_segments` of segments, and
    :func:`population_stability` of two samples.

    Parameters
    ----------
    label, score, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    max_bins
        The maximum number of bins, from 16 to 2^31. ``None`` makes an exact state, with a bin for each
        distinct score. A state with at most ``max_bins`` distinct scores is exact as well.
    scale
        Where a state with ``max_bins`` has its narrow bins: ``"real"`` near 0, for any numbers;
        ``"probability"`` near 0 and near 1, for scores from 0 to 1. ``None`` is ``"real"``. States with
        different scales cannot be merged.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. Weights are read as Float64, and must be at least 5e-19; the weights of a class must sum to
        less than 1e20. The state then contains sums of weights, for every function with a ``weight``.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``bins``: a list of structs, highest score first. ``score`` is the lowest score of a bin, in its
          own dtype; ``pos`` and ``neg`` are its positives and negatives (UInt64), or the sums of their
          weights (Decimal with 38 digits, 18 of them after the point); ``tied`` says whether all its rows
          share one score. With weights also ``pos_squares`` and ``neg_squares``, the sums of their squares
          (Decimal like the others); null where these are unknown.
        - ``n_pos``, ``n_neg``, ``n_missing``: positives, negatives and skipped rows (UInt64).
        - ``has_nan``: whether a score is NaN. There are no bins then, and every answer is that of rows with
          a NaN.
        - ``resolution``: 0 if every distinct score has its own bin, else the number of the partition
          (UInt64).
        - ``max_bins`` (UInt64) and ``scale`` (String): as given; null in a state without ``max_bins``,
          and beside a NaN.

        ``n_missing`` counts rows with a null label or score, rows with a null count (as one row each), and
        rows with a weight of 0 or null.

    Notes
    -----
    An exact state gives the same results as its rows, to the last bit. O(n log n).

    With ``max_bins``, bins are the intervals of a partition of all numbers. Partitions are numbered, and each
    merges some neighbouring intervals of the one before. A state uses the first partition with few enough
    bins. It therefore depends on the rows only, not on their division or the order of merging: the same rows
    give the same bytes. Intervals have a fixed length, or twice this length, on a transformed scale: the
    score to the power 3/8 on either side of 0, or the distance from 0 or 1 to the power 1/4.

    Every bin begins at an observed score, so all points of the ROC curve of such a state are points of the
    curve of the rows. The order within a bin is lost: :func:`roc_auc_bounds` returns the bounds of the AUC.
    All scores of a bin count as its lowest score, so mean scores and expected positives are too low.

    Weights are rounded to 18 decimal places, and their sums are exact. Weights far below 1 lose digits:
    multiply all weights by a common factor. Weighted states also merge exactly. Their results equal those of
    the rows to the last bit if all weights are multiples of 2^-18 with a sum below 2^43. Otherwise they are
    equal up to the rounding of the weights.

    Standard errors use the squares of the weights, also rounded to 18 decimal places. They equal those of the
    rows to the last bit if weights are multiples of 2^-9 and the squares at one score take fewer than 53 bits
    together. A sum of squares is null if it is 1e20 or more in a class, and in states written without
    squares or merged with such states. An interval is null if the squares are unknown, or if their rounding,
    half of 1e-18 for each row, could exceed 2^-20 of the sum of a class. Other results remain.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> bars = pl.DataFrame({"good": [1, 0, 1, 1, 0, 0, 0], "score": [8, 5, 3, 3, 1, -3, -5]})
    >>> day = bars.select(state=pa.roc_state("good", "score"))
    >>> day.select(pl.col("state").struct.field("bins")).item().struct.unnest().head(3)
    shape: (3, 4)
    ┌───────┬─────┬─────┬──────┐
    │ score ┆ pos ┆ neg ┆ tied │
    │ ---   ┆ --- ┆ --- ┆ ---  │
    │ i64   ┆ u64 ┆ u64 ┆ bool │
    ╞═══════╪═════╪═════╪══════╡
    │ 8     ┆ 1   ┆ 0   ┆ true │
    │ 5     ┆ 0   ┆ 1   ┆ true │
    │ 3     ┆ 2   ┆ 0   ┆ true │
    └───────┴─────┴─────┴──────┘
    >>> pl.concat([day, day]).select(pa.roc_auc(state="state")).item()
    0.8333333333333334
    """
    return expression_of(roc_state, locals())


def merge_states(
    state: IntoExpr,
    *,
    max_bins: int | None = None,
    scale: Scale | None = None,
) -> pl.Expr:
    """Return one state for all rows of the states of a group.

    Parameters
    ----------
    state
        A column of states from :func:`polars_auc.roc_state`. Null states hold no rows.
    max_bins
        The most bins of the merged state, from 16 to 2^31. None keeps the limit of the states; of several
        limits the lowest counts.
    scale
        The scale of ``max_bins``, for exact states; states with a limit have a scale already.

    Returns
    -------
    polars.Expr
        One Struct for each group, as returned by :func:`roc_state`, named after the state.

    Notes
    -----
    Merging is exact: for any division of the rows into parts and any order of merging, the result is the
    state of all rows. O(m log s) for m bins of s states.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> days = pl.DataFrame({"day": [1, 1, 2, 2], "y": [1, 0, 0, 1], "s": [0.9, 0.2, 0.4, 0.2]})
    >>> states = days.group_by("day").agg(state=pa.roc_state("y", "s"))
    >>> merged = states.select(pa.merge_states("state"))
    >>> merged.equals(days.select(state=pa.roc_state("y", "s")))
    True
    """
    return expression_of(merge_states, locals())


def rolling_merge_states(
    state: IntoExpr,
    by: IntoExpr,
    *,
    window: str | int | timedelta,
    within: str | pl.Expr | Iterable[str | pl.Expr] = (),
) -> pl.Expr:
    """Return the merged state of a moving window for each row.

    Parameters
    ----------
    state
        A column of states from :func:`polars_auc.roc_state`, such as one for each day. Null states contain no
        rows.
    by
        The time of each state: a column of dates, datetimes or integers, in any order.
    window
        The length of a window: a Polars duration such as ``"28d"``, ``"1mo"`` or ``"6h"``, or a
        ``timedelta``, at most 500 years. For integers, and only for them, an integer above 0 and below 2^63.
        With older Polars a window must not start at a local time that clocks skip or repeat.
    within
        The columns of groups with separate windows, such as segments. Null is a group of its own.

    Returns
    -------
    polars.Expr
        One Struct for each row, as returned by :func:`roc_state`, named after the state: the merged
        state of the rows of its group in the window. The window of a row ends at its ``by`` (included) and
        starts at ``by - window`` (excluded). A window of 28 days therefore contains the day of the row and
        the 27 days before. A row with a null ``by`` is null, and in no window.

    Notes
    -----
    This is not an aggregate: it has a result for each row. ``.over("segment")`` instead of ``within`` gives
    the same results, with a call for each segment. Each result equals :func:`merge_states` of the states of
    the window, to the last bit.

    With exact states, each window adds the counts that enter and subtracts the counts that leave. Other
    states, weighted states and windows of few states are merged with two stacks (Tangwongsan, Hirzel and
    Schneider 2021, section 2). Each state is then merged at most three times, for any length of the window.
    O(m) for m bins in all windows, after the scores are sorted.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"day": [1, 1, 2, 2, 3, 3], "y": [1, 0, 0, 1, 1, 0], "s": [9, 2, 4, 3, 2, 1]})
    >>> days = rows.group_by("day", maintain_order=True).agg(state=pa.roc_state("y", "s"))
    >>> windows = days.with_columns(state=pa.rolling_merge_states("state", "day", window=2))
    >>> windows.group_by("day", maintain_order=True).agg(auc=pa.roc_auc(state="state"))
    shape: (3, 2)
    ┌─────┬──────┐
    │ day ┆ auc  │
    │ --- ┆ ---  │
    │ i64 ┆ f64  │
    ╞═════╪══════╡
    │ 1   ┆ 1.0  │
    │ 2   ┆ 0.75 │
    │ 3   ┆ 0.5  │
    └─────┴──────┘
    """
    name = "rolling_merge_states"
    column = pl.col(by) if isinstance(by, str) else by
    if not isinstance(column, pl.Expr):
        # Raise the error for an invalid column.
        return columnwise(name, {"state": state, "by": by}, elementwise=False)
    # NumPy timedeltas are registered as Integral, but have no `__index__`.
    if isinstance(window, Integral) and hasattr(window, "__index__") and not isinstance(window, bool):
        is_too_long = int(window) >= 2**63
        start = column.cast(pl.Int64) - int(window)
        is_length = window > 0
    elif isinstance(window, timedelta):
        is_too_long = window > timedelta(days=_MAX_DAYS)
        start = column.dt.offset_by(f"-{window // timedelta(microseconds=1)}us")
        is_length = window > timedelta(0)
    elif isinstance(window, str):
        is_too_long = sum(float(number) * _DAYS[unit] for number, unit in _PARTS.findall(window)) > _MAX_DAYS
        start = column.dt.offset_by(f"-{window}")
        is_length = _LENGTH.fullmatch(window) is not None and re.search("[1-9]", window) is not None
    else:
        reason = f"must be a length of time or an integer, got {type(window).__name__}"
        raise OptionTypeError(name, "window", reason, 'write `window="28d"`')
    if not is_length:
        reason = f"must be a length of time above 0, got {window!r}"
        raise OptionError(name, "window", reason, 'write `window="28d"`, or `window=28` for integers')
    if is_too_long:
        hint = f'write `window="{_MAX_YEARS}y"` for all states so far, or `window=2**62` for integers'
        raise OptionError(
            name, "window", f"must be at most {_MAX_YEARS} years, or below 2^63, got {window!r}", hint
        )
    if isinstance(within, str | pl.Expr) or not isinstance(within, Iterable):
        within = [within]
    keys = list(within)
    if invalid := [key for key in keys if not isinstance(key, str | pl.Expr)]:
        reason = f"must be column names or expressions, got {type(invalid[0]).__name__}"
        raise OptionTypeError(name, "within", reason, 'write `within="segment"`')
    columns: dict[str, IntoExpr] = {"state": state, "by": by, "start": start}
    if keys:
        columns["within"] = pl.struct(keys).alias("within")
    return columnwise(name, columns, elementwise=False)


def roc_auc_bounds(
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> pl.Expr:
    """Return the AUC of states, with bounds of the AUC of their rows.

    Parameters
    ----------
    label, score, weight, count
        The columns of rows, as in :func:`polars_auc.roc_auc`.
    state
        A column of states from :func:`polars_auc.roc_state` instead of ``label`` and ``score``. The states of
        a group are merged.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the state or score: ``auc``, the AUC if rows of the same bin
        tie; ``lower`` and ``upper``, the bounds of :func:`roc_auc` of the rows (Float64, from 0 to 1);
        ``n_pos`` and ``n_neg`` (UInt64); ``exact`` (Boolean), whether each distinct score has its own bin, so
        that all results equal those of the rows. For rows, and for exact states without weights, all three
        AUCs are equal. They are null with no positives or no negatives, NaN if a score is NaN.

    Notes
    -----
    The bounds are ``auc -+ sum(p n) / (2 P N)`` for P positives and N negatives in all, and p positives and n
    negatives in each bin whose rows do not all share one score. They assume that all positives of such a bin
    score lower, or higher, than its negatives. With weights, p, n, P and N are sums of weights. The bounds of
    a weighted state also allow for rounding: for each class with n rows and total weight W, by
    ``n (2^-58 + 10^-18 / W)``. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"s": pl.int_range(1000, eager=True)}).with_columns(y=pl.col("s") % 7 == 0)
    >>> state = rows.select(state=pa.roc_state("y", "s", max_bins=32))
    >>> bounds = state.select(pa.roc_auc_bounds(state="state")).unnest("state")
    >>> exact = rows.select(pa.roc_auc("y", "s")).item()
    >>> bounds["lower"].item() <= exact <= bounds["upper"].item()
    True
    """
    return expression_of(roc_auc_bounds, locals())


def pack_state(
    state: IntoExpr,
    *,
    keep_scores: bool = True,
) -> pl.Expr:
    """Return each state as bytes, which are shorter than its columns and fit in one value of any store.

    Parameters
    ----------
    state
        A column of states from :func:`polars_auc.roc_state`.
    keep_scores
        Whether bins of several scores keep their lowest score. With False they keep only their interval of
        the partition: 3.1 to 4.3 bytes per bin instead of 8.2 to 10.1 (measured for Float64 scores,
        ``benches/results/states.csv``). Counts, :func:`polars_auc.roc_auc`, :func:`polars_auc.roc_auc_bounds`
        and all other results without thresholds stay the same. A threshold is then the lowest number of its
        interval: the same rows reach it, but it need not be an observed score. Exact states, and bins whose
        rows share one score, keep their scores.

    Returns
    -------
    polars.Expr
        One Binary value for each row, named after the state. A null state is null.

    Notes
    -----
    This is not an aggregate: for one state of many, write ``pack_state(merge_states("state"))``. The same
    state gives the same bytes. The guide on packed states describes the format byte by byte. Later versions
    of this package read the bytes of earlier ones. O(m) for m bins.

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
    return columnwise("pack_state", {"state": state}, elementwise=True, keep_scores=keep_scores)


def unpack_state(
    packed: IntoExpr, score_dtype: pl.DataType | type[pl.DataType] = pl.Float64, *, weights: bool = False
) -> pl.Expr:
    """Return the states in bytes from :func:`pack_state`.

    Parameters
    ----------
    packed
        Column of Binary values, as :func:`pack_state` makes them.
    score_dtype
        The dtype of the scores: the one that they had when the state was made.
    weights
        Whether the states are of rows with weights, and so have sums of weights in place of counts.

    Returns
    -------
    polars.Expr
        One Struct for each row, as returned by :func:`roc_state`, named after the column. Null is null.

    Notes
    -----
    Bytes may come from an untrusted source: any bytes give either a state or an error with the reason. O(m)
    for m bins.

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
    return columnwise(name, columns, elementwise=True, weights=weights)
