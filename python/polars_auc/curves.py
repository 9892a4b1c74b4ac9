"""Curves: what every threshold would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["roc_curve"]


def roc_curve(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the ROC curve: counts and rates of the rows called positive, at every distinct score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0), where
        nothing is called positive; element i is the point at the i-th highest distinct score, and the last
        is (1, 1). Rows that tie make one step, which is a diagonal if both classes are among them.

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp``, ``tp`` (UInt64): negatives and positives that are called positive.
        - ``fpr``, ``tpr`` (Float64): their shares of all negatives and of all positives.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    One step for each distinct score as in Fawcett (2006, algorithm 1); the counts are the unnormalised curve
    of Komarek (2004, section 5.1.4), whose area relative to the perfect learner's is the AUC. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> rows.select(pa.roc_curve("label", "score")).explode("score").unnest("score")
    shape: (4, 5)
    ┌───────────┬─────┬─────┬─────┬──────────┐
    │ threshold ┆ fp  ┆ tp  ┆ fpr ┆ tpr      │
    │ ---       ┆ --- ┆ --- ┆ --- ┆ ---      │
    │ i64       ┆ u64 ┆ u64 ┆ f64 ┆ f64      │
    ╞═══════════╪═════╪═════╪═════╪══════════╡
    │ null      ┆ 0   ┆ 0   ┆ 0.0 ┆ 0.0      │
    │ 3         ┆ 0   ┆ 1   ┆ 0.0 ┆ 0.333333 │
    │ 2         ┆ 1   ┆ 3   ┆ 0.5 ┆ 1.0      │
    │ 1         ┆ 2   ┆ 3   ┆ 1.0 ┆ 1.0      │
    └───────────┴─────┴─────┴─────┴──────────┘
    """
    return expression("roc_curve", {"score": score, "label": label})
