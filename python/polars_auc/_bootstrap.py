"""Intervals of any statistic of one score, by bootstrap."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from polars_auc._estimates import (
    average_precision,
    gini,
    ks_statistic,
    mean_positive_rank,
    roc_auc,
    roc_summary,
)
from polars_auc._options import between_0_and_1, one_of, resampling
from polars_auc._plugin import RESAMPLED
from polars_auc._thresholds import confusion_at, operating_point

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["bootstrap_ci"]

Resampled: TypeAlias = Literal[
    "average_precision",
    "confusion_at",
    "gini",
    "ks_statistic",
    "mean_positive_rank",
    "operating_point",
    "roc_auc",
    "roc_summary",
]
"""The statistics whose numbers have an interval by bootstrap."""

_STATISTICS = {
    function.__name__: function
    for function in (
        average_precision,
        confusion_at,
        gini,
        ks_statistic,
        mean_positive_rank,
        operating_point,
        roc_auc,
        roc_summary,
    )
}

# What bootstrap_ci has itself, and what says how a statistic's own interval and test are made.
_NOT_OPTIONS = ("label", "score", "weight", "count", "state", "level", "interval", "method", "ci")


def bootstrap_ci(
    statistic: Resampled,
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
    resample: Literal["stratified", "plain"] = "stratified",
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
    **options: Any,
) -> pl.Expr:
    """Return every number of a statistic with its interval by bootstrap: thresholds, rates, KS, Gini.

    Parameters
    ----------
    statistic
        The name of the function: ``"average_precision"``, ``"confusion_at"``, ``"gini"``, ``"ks_statistic"``,
        ``"mean_positive_rank"``, ``"operating_point"``, ``"roc_auc"`` or ``"roc_summary"``.
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive. Compared in its own dtype.
    level
        The coverage of the intervals, between 0 and 1.
    n_resamples
        The number of resamples, from 2 to 10^7.
    seed
        Selects the random numbers, 0 or more. The same seed gives the same resamples as in every other run.
    resample
        ``"stratified"`` draws as many positives and as many negatives as there are; ``"plain"`` draws as many
        rows, of either class.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        Column of states from :func:`roc_state` in place of ``label`` and ``score``. The states of a group are
        merged.
    **options
        Options of the statistic, such as ``criterion="target_tpr", target=0.9`` of :func:`operating_point`,
        ``at=0.5`` of :func:`confusion_at`, ``max_fpr=0.1`` of :func:`roc_auc`. Options of the statistic's own
        interval or test are refused.

    Returns
    -------
    polars.Expr
        A List of Structs for each group, named after the score: one for each number of the statistic's
        record, but for what it says of its own error.

        - ``field``: what the number is called in the record (String);
        - ``estimate``: the number, of the rows themselves; a threshold as Float64;
        - ``se``: the standard deviation of the resamples;
        - ``lower``, ``upper``: the limits (Float64);
        - ``n_undefined``: resamples in which the number is undefined, which are left out (UInt64), such as a
          precision where nothing is called positive.

        ``se`` and limits are null with fewer than two positives or fewer than two negatives, and if the
        number is defined in fewer than two resamples; ``se`` also if a resample has an infinite threshold.
        Null if a score is NaN.

    Raises
    ------
    ValueError
        For an unknown statistic, and for options out of range.
    TypeError
        For an option that the statistic does not have, and for columns that are none.
    polars.exceptions.ComputeError
        For columns of other dtypes, and when the plan runs for a label that is neither 0 nor 1.

    Notes
    -----
    The limits are the quantiles ``(1 -+ level) / 2`` of the resamples (Efron 1979), with linear
    interpolation. This is the percentile method, as ``ci.coords`` of R's pROC has it. It says nothing where
    an estimate is biased: the KS distance of two equal distributions is above 0, and so are its limits. An
    operating point is chosen anew in every resample, so that its interval includes the choice; for the rates
    at a threshold that is known beforehand, take :func:`confusion_at`. Of groups of more than 16,384 rows,
    distinct scores are first joined into cells of at most a 512th of each class, and resamples are drawn from
    the cells. O(n log n + m r) for m rows or cells and r resamples.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> bars = pl.DataFrame({"good": [1, 0, 1, 1, 0, 0, 0], "score": [8, 5, 3, 3, 1, -3, -5]})
    >>> ci = pa.bootstrap_ci("operating_point", "good", "score", criterion="youden", n_resamples=500)
    >>> best = bars.select(ci).explode("score").unnest("score")
    >>> best.filter(pl.col("field").is_in(["threshold", "fpr", "tpr"])).drop("se")
    shape: (3, 5)
    ┌───────────┬──────────┬──────────┬───────┬─────────────┐
    │ field     ┆ estimate ┆ lower    ┆ upper ┆ n_undefined │
    │ ---       ┆ ---      ┆ ---      ┆ ---   ┆ ---         │
    │ str       ┆ f64      ┆ f64      ┆ f64   ┆ u64         │
    ╞═══════════╪══════════╪══════════╪═══════╪═════════════╡
    │ threshold ┆ 3.0      ┆ 3.0      ┆ 8.0   ┆ 0           │
    │ tpr       ┆ 1.0      ┆ 0.333333 ┆ 1.0   ┆ 0           │
    │ fpr       ┆ 0.25     ┆ 0.0      ┆ 0.5   ┆ 0           │
    └───────────┴──────────┴──────────┴───────┴─────────────┘
    """
    name = "bootstrap_ci"
    one_of(name, "statistic", statistic, tuple(_STATISTICS))
    one_of(name, "resample", resample, ("stratified", "plain"))
    between_0_and_1(name, "level", level)
    function = _STATISTICS[statistic]
    allowed = [option for option in inspect.signature(function).parameters if option not in _NOT_OPTIONS]
    for option in options:
        if option not in allowed:
            known = f"its options are {', '.join(allowed)}" if allowed else "it has none"
            msg = f"{name}: {option} is no option of {statistic} that a resample could have; {known}"
            raise TypeError(msg)
    if statistic == "ks_statistic":
        options = {
            **options,
            "method": "asymptotic",
        }  # Its p-value is not asked for, and an exact one is slow.
    resampled = {
        "level": float(level),
        "resampling": resampling(name, n_resamples, seed),
        "resample": resample,
    }
    drawing = RESAMPLED.set(resampled)
    try:
        return function(label, score, count=count, state=state, **options)
    finally:
        RESAMPLED.reset(drawing)
