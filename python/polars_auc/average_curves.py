"""The curves of folds, as one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from polars_auc._options import integer, listed, one_of, rate
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["average_roc_curve"]

_MOST_POINTS = 1_000_000


def average_roc_curve(
    label: IntoExpr,
    score: IntoExpr,
    fold: IntoExpr,
    *,
    method: Literal["vertical", "threshold", "pooled"] = "vertical",
    n_points: int = 101,
    at_fpr: Iterable[float] | None = None,
) -> pl.Expr:
    """Return the average of the ROC curves of folds, with how much they differ at each point.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    fold
        The column that says which fold a row was held out in: any plain dtype.
    method
        - ``"vertical"``: at each of some false positive rates the mean of the folds' true positive rates.
          Scores may mean something else in each fold.
        - ``"threshold"``: at each of some thresholds the mean of the folds' points, of both rates. Scores
          must mean the same in all folds.
        - ``"pooled"``: the curve of all rows, whichever fold they are of, at the false positive rates of
          ``"vertical"``. Scores must mean the same in all folds.
    n_points
        How many points the curve has, 3 or more: false positive rates from 0 to 1 in equal steps; or the
        point where nothing is called positive, and thresholds spread evenly over the distinct scores of all
        folds, the highest and the lowest among them (all of them if they are fewer).
    at_fpr
        The false positive rates, in any order, instead of equal steps; not by threshold.

    Returns
    -------
    polars.Expr
        One List of Structs for each group, named after the score:

        - ``fpr`` (Float64): the false positive rate, by threshold the mean of the folds'.
        - ``fpr_sd`` (Float64): by threshold the standard deviation of the folds'; otherwise null.
        - ``tpr`` (Float64): the mean of the folds' true positive rates.
        - ``tpr_sd`` (Float64): their standard deviation; null if pooled.
        - ``threshold`` (Float64): by threshold, rows with ``score >= threshold`` are called positive; null at
          the first point, where none is, and by the other methods.
        - ``n_folds`` (UInt64): the folds that took part.

        A fold without a positive or without a negative has no curve and takes no part, unless folds are
        pooled. Deviations are null with one fold. The list is null if no fold has a curve (pooled: without a
        positive or without a negative in all), or if a score is NaN. Rows with a null label, score or fold
        are skipped.

    Raises
    ------
    ValueError
        For a method of another name, fewer than 3 points, rates outside 0 to 1, and ``at_fpr`` by threshold.
    TypeError
        If a column is neither a column name nor an expression.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if the fold holds lists.

    Notes
    -----
    Provost, Fawcett and Kohavi (1998); Fawcett (2006, section 9, algorithms 3 and 4). Between two points a
    curve is a straight line, and at a vertical step its value is the top. The deviation is over k - 1 for k
    folds. O(n log n + p k log n) for p points.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1],
    ...         "risk": [1, 3, 2, 4, 1, 2, 3, 4],
    ...     }
    ... )
    >>> curve = pa.average_roc_curve("ill", "risk", "fold", n_points=5)
    >>> points = held_out.select(curve).explode("risk").unnest("risk")
    >>> points.select("fpr", "tpr", "tpr_sd", "n_folds").rows()[:3]
    [(0.0, 0.5, 0.0, 2), (0.25, 0.5, 0.0, 2), (0.5, 1.0, 0.0, 2)]
    """
    name = "average_roc_curve"
    one_of(name, "method", method, ("vertical", "threshold", "pooled"))
    n_points = integer(name, "n_points", n_points, 3, _MOST_POINTS)
    rates = None
    if at_fpr is not None:
        if method == "threshold":
            msg = f'{name}: at_fpr says where curves are averaged vertically; write method="vertical"'
            raise ValueError(msg)
        rates = [rate(name, "at_fpr", value) for value in listed(name, "at_fpr", at_fpr)]
        if not rates:
            msg = f"{name}: at_fpr must hold a rate at least, such as [0.01, 0.1], got {at_fpr!r}"
            raise ValueError(msg)
    return expression(
        name,
        {"score": score, "label": label, "fold": fold},
        method=method,
        n_points=n_points,
        at_fpr=rates,
    )
