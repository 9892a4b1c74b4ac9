"""Where the positives stand among all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["mean_positive_rank"]


def mean_positive_rank(label: IntoExpr, score: IntoExpr) -> pl.Expr:
    """Return the mean rank of the positives among all rows, 1 being the lowest score.

    Rows that tie share the mean of their ranks. It is the AUC in the unit of rows: see the notes.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive. Compared in its own dtype.

    Returns
    -------
    polars.Expr
        One Float64 for each group, named after the score: from ``(P + 1) / 2``, if all P positives score
        lower than all N negatives, to ``N + (P + 1) / 2``. Null if the group has no positive, NaN if a
        score is NaN. Rows with a null label or score are skipped.

    Raises
    ------
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    ``(U + P (P + 1) / 2) / P`` with Mann-Whitney's U, which is Wilcoxon's rank sum (1945) for each
    positive. From exact integers, correctly rounded. O(n log n).

    ``AUC = (mean rank - (P + 1) / 2) / N``: of the rows below an average positive, ``(P - 1) / 2`` are
    other positives, and the rest, as a share of all N negatives, is the AUC. With that share as the rank of
    a positive, the AUC *is* the average positive rank: an AUC of 0.8 says that the average positive has 20
    % of the negatives above it. That number, from 0 to 1, is :func:`polars_auc.roc_auc`.

    Examples
    --------
    Seven bars of chocolate by a score of their goodness. The good ones beat 4, 3 and 3 of the four others,
    so that the AUC is the mean of 1, 3/4 and 3/4, or 10/12; their ranks are 7, 4.5 and 4.5:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> bars = pl.DataFrame({"good": [1, 0, 1, 1, 0, 0, 0], "score": [8, 5, 3, 3, 1, -3, -5]})
    >>> rank = bars.select(pa.mean_positive_rank("good", "score")).item()
    >>> rank
    5.333333333333333
    >>> round((rank - (3 + 1) / 2) / 4, 12) == round(bars.select(pa.roc_auc("good", "score")).item(), 12)
    True
    """
    return expression("mean_positive_rank", {"score": score, "label": label})
