"""Reports of rows in clusters: which rows are used, and how scores are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.comparisons import adjust_p_values, roc_auc_difference

if TYPE_CHECKING:
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._plugin.options import Adjustment

__all__ = ["adjusted_gains", "differences_from_first", "gains_of_first", "label_of_clusters"]

_ADJUSTED = "gain_p_adjusted"


def label_of_clusters(label: pl.Expr, cluster: pl.Expr) -> pl.Expr:
    """Return the label of rows that are in a cluster: rows of a null cluster are skipped everywhere."""
    return pl.when(cluster.is_not_null()).then(label)


def differences_from_first(
    label: pl.Expr,
    scores: Mapping[str, pl.Expr],
    cluster: pl.Expr,
    *,
    level: float,
    count: IntoExpr | None,
) -> dict[str, pl.Expr]:
    """Compare each score with the first, all of them on the rows in which no score is missing."""
    first, *_ = scores.values()
    complete = pl.all_horizontal(score.is_not_null() for score in scores.values())
    # The label alone says which rows are used.
    used = pl.when(complete).then(label)
    return {
        name: roc_auc_difference(used, score, first, cluster=cluster, level=level, count=count)
        for name, score in list(scores.items())[1:]
    }


def gains_of_first(columns: Mapping[str, str], gains: Mapping[str, str], name: str) -> list[pl.Expr]:
    """Return the gain of a score, from the columns of differences of all scores but the first.

    The adjusted p-value is left to :func:`adjusted_gains`.
    """
    fields = {gain: field for gain, field in gains.items() if gain != _ADJUSTED}
    if name not in columns:
        return [pl.lit(None, dtype=pl.Float64).alias(gain) for gain in fields]
    # A score that is NaN leaves no comparison of any score, as without clusters.
    is_nan = pl.any_horizontal(
        pl.col(column).struct.field("difference").is_nan() for column in columns.values()
    )
    own = pl.col(columns[name]).struct
    return [
        pl.when(is_nan).then(math.nan).otherwise(own.field(field)).alias(gain)
        for gain, field in fields.items()
    ]


def adjusted_gains(
    rows: pl.LazyFrame, by: Sequence[str], compared: int, adjust: Adjustment | None
) -> pl.LazyFrame:
    """Adjust the p-values of gains for the number of scores that are compared with the first."""
    adjusted: Any = pl.col("gain_p_value")
    # One comparison needs no adjustment; most reports have one.
    if compared > 1:
        adjusted = adjust_p_values("gain_p_value", method=adjust)
        adjusted = adjusted.over(by) if by else adjusted
    return rows.with_columns(adjusted.alias(_ADJUSTED))
