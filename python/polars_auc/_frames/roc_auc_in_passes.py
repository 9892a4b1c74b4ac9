"""The exact AUC of one score whose rows do not fit into memory, in several passes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from polars_auc._expressions.rank_tests import mann_whitney_u
from polars_auc._frames.group_states import apart, deferred, group_states
from polars_auc._frames.inputs import called, column_of, like, rows_of
from polars_auc._plugin.options import format_value, integer, number

if TYPE_CHECKING:
    from polars_auc._frames.inputs import ArrowStream, Frame
    from polars_auc._plugin.call import IntoExpr

# Bins of the state of a pass. They determine the ranges of later passes and, with a tolerance, also the
# bounds after the first pass. With more bins, counting takes longer than reading.
_BINS = 2**14
_BINS_WITH_TOLERANCE = 2**16

# Twice the U of this number of rows is below 2^53: it is exact as a float.
_MAX_ROWS = 2**26

# An exact bin need not be read: it ends a range if its share of a pass's rows is more than 1 / _LARGE.
_LARGE = 16


@called("roc_auc_in_passes")
def roc_auc_in_passes(
    frame: Frame | ArrowStream,
    label: IntoExpr,
    score: IntoExpr,
    *,
    tolerance: float = 0.0,
    max_rows: int = 20_000_000,
    scale: Literal["real", "probability"] | None = None,
    progress: Callable[[str], object] | None = None,
) -> Frame:
    """Return the area under the ROC curve of a frame whose label and score do not fit into memory.

    The first pass over the rows counts them in bins by score, as for :func:`roc_auc_bounds`. Each further
    pass reads the rows of several adjacent bins again, and ranks them. The function returns when the AUC is
    exact, or within the tolerance. Weights, counts and groups are not supported here: use
    :func:`group_states`.

    Parameters
    ----------
    frame
        The rows: a LazyFrame such as ``pl.scan_parquet(...)``, a DataFrame, or a table of another library
        with the Arrow PyCapsule interface. It is read several times, and must have the same rows each time,
        in any order.
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive. Compared in its own dtype. An expression is
        evaluated in every pass. If its rounding may vary, as for means over groups, write the score to a file
        first.
    tolerance
        The largest final difference of ``upper`` and ``lower``, from 0 to 1. With 0 they are equal.
    max_rows
        The largest number of rows that are ranked at a time, from 1000 to 2^26. A Float64 score needs about
        50 bytes for each row. Batches of about four million rows need further memory. Different integers or
        decimals with one Float64 value are ranked together, even if there are more.
    scale
        The range of scores with small bins: see :func:`roc_state`.
    progress
        A function such as ``print``, which is called with a line of text after each pass.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``frame`` is lazy
        One row: ``auc``, and the bounds ``lower`` and ``upper`` of :func:`roc_auc` of the rows (Float64, from
        0 to 1); ``n_pos``, ``n_neg``, ``n_missing`` and ``n_passes`` (UInt64). With ``tolerance=0`` the AUC
        is bit-identical to :func:`roc_auc`. Null with no positives or no negatives, NaN if a score is
        NaN.

    Notes
    -----
    The order of a positive and a negative in different bins is exact after the first pass. Later passes count
    the pairs within bins: the counts are integers, with one division at the end. Bins with the most pairs are
    first. For n rows there are about ``n / max_rows`` passes, or fewer with a tolerance. With a tolerance,
    the pairs within bins after the first pass are a small multiple of ``1 / 65,536`` of all pairs. A pass
    filters its rows by a range of scores; Parquet files that are sorted by score then need no full scan. 10^9
    different scores took 52 passes, and 18 with a tolerance of 1e-5 (``benches/results/passes.csv``).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.LazyFrame({"s": pl.int_range(100_000, eager=True)}).with_columns(y=pl.col("s") % 7 == 0)
    >>> pa.roc_auc_in_passes(rows, "y", "s", max_rows=40_000).collect()
    shape: (1, 7)
    ┌──────────┬──────────┬──────────┬───────┬───────┬───────────┬──────────┐
    │ auc      ┆ lower    ┆ upper    ┆ n_pos ┆ n_neg ┆ n_missing ┆ n_passes │
    │ ---      ┆ ---      ┆ ---      ┆ ---   ┆ ---   ┆ ---       ┆ ---      │
    │ f64      ┆ f64      ┆ f64      ┆ u64   ┆ u64   ┆ u64       ┆ u64      │
    ╞══════════╪══════════╪══════════╪═══════╪═══════╪═══════════╪══════════╡
    │ 0.499977 ┆ 0.499977 ┆ 0.499977 ┆ 14286 ┆ 85714 ┆ 0         ┆ 4        │
    └──────────┴──────────┴──────────┴───────┴───────┴───────────┴──────────┘
    """
    name = "roc_auc_in_passes"
    example = f'{name}(frame, "label", "score")'
    width = number(tolerance)
    if not 0.0 <= width <= 1.0:
        msg = f"{name}: tolerance must be a number from 0 to 1, such as 1e-6, got {format_value(tolerance)}"
        raise ValueError(msg)
    if progress is not None and not callable(progress):
        msg = f"{name}: progress must be a function, such as print, got {format_value(progress)}"
        raise TypeError(msg)
    rows = rows_of(name, frame)
    scores = column_of(name, "score", score, rows, example)
    labels = column_of(name, "label", label, rows, example)
    [score_name] = rows.select(scores).collect_schema().names()
    label_name = apart(labels, "label", rows, {score_name})
    passes = _Passes(
        rows.select(scores, labels.alias(label_name)),
        score_name,
        label_name,
        integer(name, "max_rows", max_rows, 1000, _MAX_ROWS),
        _BINS_WITH_TOLERANCE if width else _BINS,
        scale,
        progress,
    )
    passes.plan()  # Says at once what is wrong with the columns.
    return like(frame, deferred(pl.Schema(_SCHEMA), functools.partial(_collected, passes, width)))


@called("roc_auc_in_passes")
def _collected(passes: _Passes, tolerance: float) -> pl.DataFrame:
    """Read the rows, and return the AUC as a table of one row."""
    return pl.DataFrame([passes.area(tolerance)], schema=_SCHEMA)


_SCHEMA = {
    **dict.fromkeys(("auc", "lower", "upper"), pl.Float64()),
    **dict.fromkeys(("n_pos", "n_neg", "n_missing", "n_passes"), pl.UInt64()),
}


@dataclass(frozen=True)
class _Range:
    """Rows with scores from ``low`` up to below ``high``; None is no limit."""

    low: Any
    high: Any
    pos: int
    neg: int
    twice_u: int
    """Sum over resolved pairs of a positive and a negative: 2 in the right order, 1 for a tie."""
    unknown: int
    """Number of pairs with an unresolved order."""

    @classmethod
    def of(cls, bins: Sequence[Mapping[str, Any]], low: Any, high: Any) -> _Range:
        """Build the range of adjacent bins of a state, the highest first."""
        pos = neg = twice_u = unknown = 0
        for each in bins:
            pairs = each["pos"] * each["neg"]
            twice_u += 2 * pos * each["neg"] + (pairs if each["tied"] else 0)
            unknown += 0 if each["tied"] else pairs
            pos += each["pos"]
            neg += each["neg"]
        return cls(low, high, pos, neg, twice_u, unknown)

    def divided(self, bins: Sequence[Mapping[str, Any]], max_rows: int) -> Iterator[_Range]:
        """Split the bins into ranges of at most this number of rows, or of one bin."""
        some: list[Mapping[str, Any]] = []
        rows, high, before = 0, self.high, self.high
        for each in bins:
            size = each["pos"] + each["neg"]
            is_exact = each["tied"] or not each["pos"] * each["neg"]
            if some and (rows + size > max_rows or (is_exact and size * _LARGE > max_rows)):
                yield _Range.of(some, some[-1]["score"], high)
                some, rows, high = [], 0, before
            some.append(each)
            rows, before = rows + size, each["score"]
        if some:
            yield _Range.of(some, self.low, high)

    def bounds(self) -> tuple[float, float, float]:
        """Return the AUC with unknown pairs as ties, and its bounds; Python divides integers exactly."""
        twice_pairs = 2 * self.pos * self.neg
        highest = self.twice_u + 2 * self.unknown
        return (
            (self.twice_u + self.unknown) / twice_pairs,
            self.twice_u / twice_pairs,
            highest / twice_pairs,
        )


@dataclass(frozen=True)
class _Passes:
    """The score and the label of all rows, and the parameters of the passes."""

    rows: pl.LazyFrame
    score: str
    label: str
    max_rows: int
    max_bins: int
    scale: Any
    progress: Callable[[str], object] | None

    def area(self, tolerance: float) -> dict[str, Any]:
        """Read the rows until the AUC is exact or within the tolerance."""
        state = self._state(self.rows)
        answer = {name: state[name] for name in ("n_pos", "n_neg", "n_missing")} | {"n_passes": 1}
        if state["has_nan"] or not state["n_pos"] * state["n_neg"]:
            undefined = math.nan if state["has_nan"] else None
            return dict.fromkeys(("auc", "lower", "upper"), undefined) | answer
        whole = _Range.of(state["bins"], None, None)
        ranges = list(whole.divided(state["bins"], self.max_rows))
        rows = whole.pos + whole.neg
        while True:
            auc, lower, upper = whole.bounds()
            if self.progress is not None:
                read = f"pass {answer['n_passes']} has read {rows:,} rows"
                self.progress(f"{read}: the AUC lies from {lower!r} to {upper!r}")
            if not whole.unknown or upper - lower <= tolerance:
                return {"auc": auc, "lower": lower, "upper": upper} | answer
            # The range with the most unknown pairs is read first.
            ranges.sort(key=lambda some: some.unknown)
            some = ranges.pop()
            rows = some.pos + some.neg
            counted, parts = self._read(some)
            ranges += parts
            twice_u, unknown = counted.twice_u - some.twice_u, counted.unknown - some.unknown
            whole = replace(whole, twice_u=whole.twice_u + twice_u, unknown=whole.unknown + unknown)
            answer["n_passes"] += 1

    def plan(self) -> pl.LazyFrame:
        """Return the lazy state of all rows."""
        return self._planned(self.rows)

    def _planned(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        return group_states(rows, self.label, self.score, max_bins=self.max_bins, scale=self.scale)

    def _state(self, rows: pl.LazyFrame) -> dict[str, Any]:
        return self._planned(rows).collect()[self.score].struct.unnest().row(0, named=True)

    def _read(self, some: _Range) -> tuple[_Range, list[_Range]]:
        """Rank the rows of a range, or split it if it is too large; return its counts and its parts."""
        rows = self._within(some)
        if some.pos + some.neg > self.max_rows:
            state = self._state(rows)
            _refuse_others(some, state, state["has_nan"])
            bins = state["bins"]
            if len(bins) > 1:
                return _Range.of(bins, some.low, some.high), list(some.divided(bins, self.max_rows))
            if some.pos + some.neg > _MAX_ROWS:
                msg = (
                    f"roc_auc_in_passes: {some.pos + some.neg} rows have different scores that all are "
                    f"{some.low!r} as a float, which are too many to be ranked. Hint: give a tolerance"
                )
                raise pl.exceptions.ComputeError(msg)
        answer = mann_whitney_u(self.label, self.score, method="asymptotic")
        ranked = rows.select(answer).collect(engine="streaming")
        found = ranked[self.score].struct.unnest().row(0, named=True)
        u = found["u_statistic"]
        _refuse_others(some, found, u is None or math.isnan(u))
        return replace(some, twice_u=round(2 * u), unknown=0), []

    def _within(self, some: _Range) -> pl.LazyFrame:
        dtype, score = self.rows.collect_schema()[self.score], pl.col(self.score)
        conditions = [pl.col(self.label).is_not_null()]
        if some.low is not None:
            conditions.append(score >= pl.lit(some.low, dtype))
        if some.high is not None:
            conditions.append(score < pl.lit(some.high, dtype))
        return self.rows.filter(conditions)


def _refuse_others(some: _Range, found: Mapping[str, Any], is_nan: bool) -> None:
    if is_nan or (found["n_pos"], found["n_neg"]) != (some.pos, some.neg):
        msg = (
            "roc_auc_in_passes: a later pass has read other rows or scores than the first one, so there is "
            "no answer. Files that grow, sample() and means over groups give others each time. Hint: write "
            "the label and the score to a file first, as in frame.select(label, score).sink_parquet(path)"
        )
        raise pl.exceptions.ComputeError(msg)
