"""How well a score orders rows by the time of an event."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from polars_auc._options import between_0_and_1, number, one_of, told
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["concordance_index"]


def concordance_index(
    time: IntoExpr,
    event: IntoExpr,
    score: IntoExpr,
    *,
    method: Literal["harrell", "uno"] = "harrell",
    tau: float | None = None,
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the concordance index of a risk score and censored times, with its interval.

    It is the share of comparable pairs of rows in which the row with the earlier event has the higher score:
    the AUC of a score that should say who has the event first.

    Parameters
    ----------
    time
        The time of the event or, for a censored row, the last time at which it was seen: any numeric column.
    event
        Whether the row had the event at its time; False or 0 means that it is censored, that is, that it was
        last seen without the event. Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means a higher risk, so an earlier event. For predicted times
        write ``-pl.col("predicted")``.
    method
        - ``"harrell"``: every comparable pair weighs the same. How many rows are censored, and when, has an
          influence on what the index estimates.
        - ``"uno"``: a pair weighs ``1 / G²``, where G is the probability that a row is not censored before
          the earlier time, by Kaplan and Meier's estimate from the rows of the group. The index is then the
          same for any censoring that has nothing to do with score and time. Give a ``tau`` as well, because
          at late times few rows stand for many.
    tau
        Only pairs whose earlier time is below ``tau`` are compared, in the unit of ``time``. ``None``: all.
    level
        The interval's coverage, between 0 and 1.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``concordance`` (Float64): the index, 0 to 1; 1/2 for a score that says nothing.
        - ``se`` (Float64): its standard error, by the infinitesimal jackknife.
        - ``lower``, ``upper`` (Float64): the limits of the normal interval, cut at 0 and 1.
        - ``concordant``, ``discordant``, ``tied`` (UInt64): comparable pairs in which the earlier event has
          the higher score, the lower score, or the same score.
        - ``n_events``, ``n`` (UInt64): rows that had the event, and all rows that were used.

        The Float64 fields are null without a comparable pair, and NaN if a time or a score is NaN; pairs are
        then not counted. Rows with a null time, event or score are skipped.

    Raises
    ------
    ValueError
        For an unknown method, a level that is not between 0 and 1, or a ``tau`` that is no number.
    TypeError
        If a column is neither a column name nor an expression.
    polars.exceptions.ComputeError
        If the time or the score is not numeric, if the event has another dtype or a value that is neither 0
        nor 1, or if columns of one group have different lengths.

    Notes
    -----
    A pair is comparable if the earlier of two times is that of an event. If both times are equal, it is
    comparable if one row had the event and the other not, because the other is known to be later; two events
    at the same time are not comparable. Pairs with equal scores count half (Harrell, Lee and Mark 1996). This
    is ``concordance(Surv(time, event) ~ score, reverse = TRUE)`` of R's survival and
    ``concordance_index_censored`` of scikit-survival. Uno, Cai, Pencina, D'Agostino and Wei (2011, equation
    6) have the weights; ``concordance_index_ipcw`` of scikit-survival takes G just after a time and not just
    before it, which differs only where an event and a censored row have the same time.

    The influence of a row is ``(s - C n) / N``, with s the weight of the pairs with it that are concordant,
    n the weight of all pairs with it, and N that of all pairs. The variance is the sum of the squared
    influences (Therneau and Watson 2015); for Uno's index G is taken as known. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> patients = pl.DataFrame(
    ...     {
    ...         "months": [3, 5, 5, 8, 11, 12],
    ...         "died": [True, True, False, True, False, False],
    ...         "risk": [0.9, 0.5, 0.4, 0.6, 0.1, 0.3],
    ...     }
    ... )
    >>> index = patients.select(pa.concordance_index("months", "died", "risk")).unnest("risk")
    >>> index.select(pl.col("concordance", "se").round(4), "concordant", "discordant", "tied").row(0)
    (0.9091, 0.095, 10, 1, 0)
    """
    name = "concordance_index"
    one_of(name, "method", method, ("harrell", "uno"))
    between_0_and_1(name, "level", level)
    if tau is not None and math.isnan(number(tau)):
        msg = f"{name}: tau must be a time, such as 365.0, got {told(tau)}"
        raise ValueError(msg)
    return expression(
        name,
        {"score": score, "time": time, "count": count, "event": event},
        method=method,
        level=float(level),
        tau=None if tau is None else float(tau),
    )
