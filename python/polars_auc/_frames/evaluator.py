"""Evaluator of streamed rows, which keeps only a state of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Integral
from typing import Any, Literal

import polars as pl

from polars_auc._expressions.states import merge_states, roc_auc_bounds, roc_state
from polars_auc._frames.arrays import plain_values
from polars_auc._frames.inputs import called
from polars_auc._plugin.interrupts import interruptible
from polars_auc._plugin.options import format_value, is_number, is_truth_value, number

# Rows that are buffered before a count: each count costs about 0.5 ms, for any number of rows.
_ROWS = 2**16

_SCHEMA = {"label": pl.Boolean, "score": pl.Float64}

# Confusion counts: whether the row is positive, and whether it is predicted positive.
_CONFUSION = (("tp", True, True), ("fp", False, True), ("tn", False, False), ("fn", True, False))


@dataclass(frozen=True)
class _Rows:
    """The rows so far, counted and buffered. It is immutable: an interrupt leaves it consistent."""

    state: pl.DataFrame | None = None
    confusion: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("tp", "fp", "tn", "fn"), 0))
    logs: dict[str, float] = field(default_factory=lambda: {"pos": 0.0, "neg": 0.0})
    is_probability: bool = True
    # Single rows are buffered as pairs: this takes less memory and time than a frame for each.
    single: list[tuple[bool | None, float | None]] = field(default_factory=list)
    frames: list[pl.DataFrame] = field(default_factory=list)
    # Earlier periods in the window, all counted.
    earlier: tuple[_Rows, ...] = ()


class Evaluator:
    """Evaluate a score while it is predicted, row by row or batch by batch, in bounded memory.

    The evaluator keeps a state of at most ``max_bins`` bins, four counts and two sums, and not the rows. The
    results do not depend on the order of rows or the size of batches; only the last digits of :meth:`entropy`
    may depend on the batches. Scores are stored as Float64.

    Parameters
    ----------
    max_bins
        The largest number of bins of the state, from 16 to 2^31: more bins give narrower :meth:`bounds`. If
        the number of distinct scores is at most ``max_bins``, the AUC is exact.
    scale
        The range of scores with small bins: see :func:`polars_auc.roc_state`.
    threshold
        The threshold of :meth:`confusion`: a row is predicted positive if ``score >= threshold``. A number
        that Float64 would round is rejected.
    window
        The number of periods in the window, such as 28 days: :meth:`next_period` begins a new one, and drops
        the rows of the oldest one outside the window. Each period has its own state. None keeps all rows.

    Notes
    -----
    Similar to the evaluator ``Auc`` of Apache Mahout, which keeps a random sample of scores. This evaluator
    is deterministic. The AUC is approximate because scores in one bin count as ties, and is within
    :meth:`bounds`.

    Examples
    --------
    >>> import polars_auc as pa
    >>> evaluator = pa.Evaluator()
    >>> evaluator.add(1, 0.9)
    >>> evaluator.add([1, 0, 0], [0.4, 0.5, 0.1])
    >>> evaluator.auc()
    0.75
    >>> evaluator.confusion()
    {'tp': 1, 'fp': 1, 'tn': 1, 'fn': 1}
    """

    def __init__(
        self,
        *,
        max_bins: int = 4096,
        scale: Literal["real", "probability"] | None = None,
        threshold: float = 0.5,
        window: int | None = None,
    ) -> None:
        limit: dict[str, Any] = {"max_bins": max_bins, "scale": scale}
        if max_bins is None or not is_number(threshold) or number(threshold) != number(threshold):
            option, value = ("max_bins", max_bins) if max_bins is None else ("threshold", threshold)
            msg = f"Evaluator: {option} must be a number, got {format_value(value)}"
            raise ValueError(msg)
        with called("Evaluator"):
            roc_state("label", "score", **limit)
        self._limit = limit
        self._threshold = _float(threshold, "Evaluator: threshold")
        is_whole = isinstance(window, Integral) and not isinstance(window, bool)
        if window is not None and not (is_whole and window >= 1):
            msg = f"Evaluator: window must be a number of periods above 0, got {format_value(window)}"
            raise ValueError(msg)
        self._window = None if window is None else int(window)
        self._rows = _Rows()
        self._waiting = 0

    def add(self, label: Any, score: Any) -> None:
        """Add one or more rows. An interrupted call has added all of its rows or none; a rejected one, none.

        Parameters
        ----------
        label
            0, 1 or a Boolean; or a list, an array or a Series of them. None is missing.
        score
            A number, higher meaning more positive; or one for each label. None is missing. Numbers that
            Float64 would round, such as integers beyond 2^53, are rejected.
        """
        # The number of buffered rows only decides when to count. It is incremented before the rows are added:
        # after an interrupt between the two it may be too large, and no row is ever lost.
        if _is_row(label) and _is_row(score):
            if label not in (0, 1, None):
                raise ValueError(_not_a_label(label))
            self._check_score(score, score)
            score = None if score is None else _float(score, "Evaluator.add: score")
            self._waiting += 1
            self._rows.single.append((None if label is None else bool(label), score))
        else:
            labels, scores = _column("label", label), _column("score", score)
            if len(labels) != len(scores):
                msg = f"Evaluator.add: expected as many labels as scores, got {len(labels)} and {len(scores)}"
                raise ValueError(msg)
            invalid = labels.filter(((labels != 0) & (labels != 1)) | labels.is_nan())
            if len(invalid):
                raise ValueError(_not_a_label(invalid[0]))
            self._check_score(scores.min(), scores.max())
            self._waiting += len(labels)
            self._rows.frames.append(pl.DataFrame([labels.cast(pl.Boolean), scores]))
        if self._waiting >= _ROWS:
            self._count()

    def _check_score(self, lowest: Any, highest: Any) -> None:
        if self._limit["scale"] != "probability":
            return
        for score in (lowest, highest):
            if score is not None and not (0 <= score <= 1 or score != score):
                msg = (
                    f'Evaluator.add: scale="probability" is for scores from 0 to 1, got {format_value(score)}'
                )
                raise ValueError(msg)

    @interruptible()
    def _count(self) -> _Rows:
        """Count the buffered rows, clear the buffer, and return the counted rows."""
        before = self._rows
        if not (before.single or before.frames):
            return before
        rows = pl.concat([pl.DataFrame(before.single, _SCHEMA, orient="row"), *before.frames])
        states = [rows.select(state=roc_state("label", "score", **self._limit))]
        if before.state is not None:
            states = [pl.concat([before.state, *states]).select(state=merge_states("state"))]
        used, score = rows.drop_nulls(), pl.col("score")
        parts = used.select(
            positive=pl.col("label"),
            called=(score >= self._threshold) & score.is_not_nan(),
            log=pl.when("label").then(score.log()).otherwise((-score).log1p()),
        )
        confusion = {
            name: before.confusion[name] + parts.filter(positive=positive, called=called_positive).height
            for name, positive, called_positive in _CONFUSION
        }
        logs = {
            name: before.logs[name] + float(parts.filter(positive=positive)["log"].sum())
            for name, positive in (("pos", True), ("neg", False))
        }
        is_probability = before.is_probability and bool(used["score"].is_between(0, 1).all())
        # A single assignment: an interrupt leaves no inconsistent counts.
        self._rows = _Rows(states[0], confusion, logs, is_probability, earlier=before.earlier)
        self._waiting = 0
        return self._rows

    def next_period(self) -> None:
        """Begin a new period, and drop the periods outside the window; requires ``window``."""
        if self._window is None:
            msg = "Evaluator.next_period: this evaluator has no window. Hint: write Evaluator(window=28)"
            raise ValueError(msg)
        rows = self._count()
        periods = (*rows.earlier, replace(rows, earlier=()))
        self._rows = _Rows(earlier=periods[max(len(periods) - self._window + 1, 0) :])

    def _periods(self) -> tuple[_Rows, ...]:
        """Return the periods of the window, all counted."""
        rows = self._count()
        return (*rows.earlier, rows)

    @interruptible()
    def state(self) -> pl.DataFrame:
        """Return the state as a frame of one row, with the column ``state``.

        It can be written to a file, merged by :func:`polars_auc.merge_states`, and passed to every statistic
        with ``state=``.
        """
        states = [period.state for period in self._periods() if period.state is not None]
        if not states:
            return pl.DataFrame(schema=_SCHEMA).select(state=roc_state("label", "score", **self._limit))
        return states[0] if len(states) == 1 else pl.concat(states).select(state=merge_states("state"))

    @interruptible()
    def bounds(self) -> dict[str, Any]:
        """Return ``auc``, bounds ``lower`` and ``upper`` of the exact AUC, ``n_pos``, ``n_neg``, ``exact``.

        As :func:`polars_auc.roc_auc_bounds`: None with no positives or no negatives, NaN if a score was NaN.
        """
        bounds: dict[str, Any] = self.state().select(roc_auc_bounds(state="state")).item()
        return bounds

    def auc(self) -> float | None:
        """Return the area under the ROC curve; None with no positives or no negatives."""
        area: float | None = self.bounds()["auc"]
        return area

    @interruptible()
    def confusion(self) -> dict[str, int | None]:
        """Return ``tp``, ``fp``, ``tn`` and ``fn`` at the threshold.

        The counts are exact, and None if a score was NaN.
        """
        has_nan = self.state().select(pl.col("state").struct.field("has_nan")).item()
        periods = self._periods()
        names = periods[-1].confusion
        if has_nan:
            return dict.fromkeys(names)
        return {name: sum(period.confusion[name] for period in periods) for name in names}

    def entropy(self) -> dict[str, float | None]:
        """Return the cross-entropy of labels and scores, if the scores are probabilities.

        Returns
        -------
        dict
            ``pos``: the mean of ``-ln(score)`` over positives; ``neg``: the mean of ``-ln(1 - score)`` over
            negatives; ``all``: the mean over both, also called log loss. In nats, 0 or above; infinite if an
            observed class had probability 0. None without such rows, or if a score was not from 0 to 1.
        """
        bounds, periods = self.bounds(), self._periods()
        if not all(period.is_probability for period in periods):
            return {"pos": None, "neg": None, "all": None}
        numbers = {"pos": bounds["n_pos"], "neg": bounds["n_neg"]}
        both = sum(numbers.values())
        logs = {name: sum(period.logs[name] for period in periods) for name in numbers}
        means = {name: abs(logs[name] / n) if n else None for name, n in numbers.items()}
        return {**means, "all": abs(sum(logs.values()) / both) if both else None}


def _is_row(value: Any) -> bool:
    return value is None or is_number(value) or is_truth_value(value)


def _float(value: Any, what: str) -> float:
    """Convert a number to float, and raise if the float would round it."""
    near = number(value) if is_number(value) else float(value)
    # A Decimal is accepted if the float has the same digits, which is true for up to 15 digits.
    kept = near == value or (isinstance(value, Decimal) and Decimal(str(near)) == value)
    if not kept and near == near:
        raise ValueError(_rounded(what, value))
    return near


def _rounded(what: str, value: object) -> str:
    return (
        f"{what} is Float64, which cannot represent {format_value(value)}. Hint: write numbers that Float64 "
        "can represent, or use roc_state, which keeps scores in their own dtype"
    )


def _not_a_label(value: object) -> str:
    return f"Evaluator.add: expected 0, 1, True or False, got {format_value(value)}"


def _column(name: str, values: Any) -> pl.Series:
    """Convert one or more values to a column of floats."""
    what = f"Evaluator.add: {name}"
    values = [values] if _is_row(values) else plain_values(values)
    if isinstance(values, list | tuple) and all(map(_is_row, values)):
        numbers = [None if value is None else _float(value, what) for value in values]
        return pl.Series(name, numbers, dtype=pl.Float64)
    column = None if isinstance(values, list | tuple | str | bytes) else _series(name, values)
    if column is None or not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
        msg = f"{what} must be a number or a list of numbers, got {format_value(values)}"
        raise TypeError(msg)
    if column.dtype.is_decimal():
        return _column(name, column.to_list())
    floats = column.cast(pl.Float64)
    if column.dtype.is_integer():
        rounded = column.filter(floats.cast(column.dtype, strict=False).ne_missing(column))
        if len(rounded):
            raise ValueError(_rounded(what, rounded[0]))
    return floats


def _series(name: str, values: Any) -> pl.Series | None:
    try:
        return pl.Series(name, values)
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        return None
