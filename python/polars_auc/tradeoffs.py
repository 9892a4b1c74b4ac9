"""What every threshold trades: misses for false alarms, positives for rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["cap_curve", "det_curve"]


def det_curve(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the detection error tradeoff curve: both kinds of errors, at every distinct score.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point where nothing is
        called positive and every positive is missed; element i is the point at the i-th highest distinct
        score, and the last is the point where everything is called positive.

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``fp`` (UInt64): negatives that are called positive.
        - ``fn`` (UInt64): positives that are called negative.
        - ``fpr``, ``fnr`` (Float64): their shares of all negatives and of all positives.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    The points of :func:`polars_auc.roc_curve` with ``fnr = 1 - tpr``, taken from the counts and not from the
    rounded tpr. Martin et al. (1997) draw both rates on normal scales, where two normal distributions give a
    straight line. The curve is whole, from fpr 0 to fpr 1 and highest scores first;
    ``sklearn.metrics.det_curve`` turns it round and leaves out all points but one at either end where one
    of the rates is 0. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"label": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> rows.select(pa.det_curve("label", "score")).explode("score").unnest("score")
    shape: (4, 5)
    ┌───────────┬─────┬─────┬─────┬──────────┐
    │ threshold ┆ fp  ┆ fn  ┆ fpr ┆ fnr      │
    │ ---       ┆ --- ┆ --- ┆ --- ┆ ---      │
    │ i64       ┆ u64 ┆ u64 ┆ f64 ┆ f64      │
    ╞═══════════╪═════╪═════╪═════╪══════════╡
    │ null      ┆ 0   ┆ 3   ┆ 0.0 ┆ 1.0      │
    │ 3         ┆ 0   ┆ 2   ┆ 0.0 ┆ 0.666667 │
    │ 2         ┆ 1   ┆ 0   ┆ 0.5 ┆ 0.0      │
    │ 1         ┆ 2   ┆ 0   ┆ 1.0 ┆ 0.0      │
    └───────────┴─────┴─────┴─────┴──────────┘
    """
    return expression("det_curve", {"score": score, "label": label})


def cap_curve(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the cumulative accuracy profile: which share of the positives the highest scores hold.

    Also called cumulative gains curve, or Lorenz curve of the positives.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score. Element 0 is the point (0, 0); element i is
        the point at the i-th highest distinct score, and the last is (1, 1).

        - ``threshold`` (the score's dtype): a row is called positive if ``score >= threshold``; null in
          element 0.
        - ``n`` (UInt64): rows that are called positive.
        - ``tp`` (UInt64): positives among them.
        - ``population`` (Float64): ``n`` as a share of all rows.
        - ``captured`` (Float64): ``tp`` as a share of all positives.

        The list is null if the group has no positive or no negative, or if a score is NaN. Rows with a null
        label or score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    Sobehart, Keenan and Stein (2000). The accuracy ratio is the area between profile and diagonal, divided
    by that of a perfect score. It is the Gini coefficient, :func:`polars_auc.gini`: with the prevalence
    ``p``, the population is ``p tpr + (1 - p) fpr``, so that the area under the profile is ``p / 2 + (1 -
    p) AUC`` and the area above the diagonal ``(1 - p) (AUC - 1/2)``. A perfect score has an AUC of 1, so
    that the quotient is ``2 AUC - 1`` (Engelmann, Hayden and Tasche 2003). O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> loans = pl.DataFrame({"bad": [1, 0, 1, 1, 0], "score": [3, 2, 2, 2, 1]})
    >>> loans.select(pa.cap_curve("bad", "score")).explode("score").unnest("score")
    shape: (4, 5)
    ┌───────────┬─────┬─────┬────────────┬──────────┐
    │ threshold ┆ n   ┆ tp  ┆ population ┆ captured │
    │ ---       ┆ --- ┆ --- ┆ ---        ┆ ---      │
    │ i64       ┆ u64 ┆ u64 ┆ f64        ┆ f64      │
    ╞═══════════╪═════╪═════╪════════════╪══════════╡
    │ null      ┆ 0   ┆ 0   ┆ 0.0        ┆ 0.0      │
    │ 3         ┆ 1   ┆ 1   ┆ 0.2        ┆ 0.333333 │
    │ 2         ┆ 4   ┆ 3   ┆ 0.8        ┆ 1.0      │
    │ 1         ┆ 5   ┆ 3   ┆ 1.0        ┆ 1.0      │
    └───────────┴─────┴─────┴────────────┴──────────┘
    """
    return expression("cap_curve", {"score": score, "label": label})
