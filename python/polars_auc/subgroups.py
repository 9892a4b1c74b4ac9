"""The AUC within subgroups of the rows and across them, and the mean over many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._options import one_of
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["grouped_roc_auc", "subgroup_auc"]


def subgroup_auc(label: IntoExpr, score: IntoExpr, subgroup: IntoExpr) -> pl.Expr:
    """Return the AUC of a subgroup, of the background, and of either class of one against the other.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    subgroup
        Which rows are of the subgroup; all others are the background. Boolean, or an integer or float column
        that holds only 0 and 1, such as ``pl.col("country") == "NO"``.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``subgroup_auc`` (Float64): of the rows of the subgroup.
        - ``bpsn_auc`` (Float64): of the background's positives and the subgroup's negatives. It is low if
          negatives of the subgroup score too high: false positives.
        - ``bnsp_auc`` (Float64): of the background's negatives and the subgroup's positives. It is low if
          positives of the subgroup score too low: false negatives.
        - ``background_auc`` (Float64): of the rows of the background.
        - ``auc`` (Float64): of all rows.
        - ``n_subgroup_pos``, ``n_subgroup_neg``, ``n_background_pos``, ``n_background_neg`` (UInt64): the
          rows that were used.

        An AUC is null without a positive or without a negative, NaN if any score of the group is NaN. Rows
        with a null label, score or subgroup are skipped.

    Raises
    ------
    TypeError
        If a column is neither a column name nor an expression.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if the subgroup is of another dtype or neither 0 nor 1.

    Notes
    -----
    Borkan, Dixon, Sorensen, Thain and Vasserman (2019), "Nuanced metrics for measuring unintended bias with
    real data for text classification". O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> comments = pl.DataFrame(
    ...     {
    ...         "toxic": [1, 1, 0, 0, 1, 1, 0, 0],
    ...         "score": [0.9, 0.6, 0.4, 0.1, 0.9, 0.8, 0.7, 0.5],
    ...         "mentions": [False, False, False, False, True, True, True, True],
    ...     }
    ... )
    >>> areas = comments.select(pa.subgroup_auc("toxic", "score", "mentions")).item()
    >>> areas["subgroup_auc"], areas["bpsn_auc"], areas["bnsp_auc"], areas["background_auc"]
    (1.0, 0.75, 1.0, 1.0)
    """
    return expression("subgroup_auc", {"score": score, "label": label, "subgroup": subgroup})


def grouped_roc_auc(
    label: IntoExpr,
    score: IntoExpr,
    by: IntoExpr,
    *,
    average: Literal["macro", "rows", "positives", "pairs"] = "macro",
) -> pl.Expr:
    """Return the mean of the AUCs of users, or of whatever else ``by`` tells apart: GAUC, or uAUC.

    It says how well rows are ranked for one user, and nothing of how they are ranked between users, which is
    what counts where scores only order the items that one user is shown.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    by
        The column that says which user a row is of: any plain dtype.
    average
        What a user weighs: as much as any other (``"macro"``), their ``"rows"`` (impressions), their
        ``"positives"`` (clicks), or their ``"pairs"`` of a positive and a negative.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): the mean over the users that have an AUC, 0 to 1.
        - ``n_groups``, ``n_undefined`` (UInt64): users that have an AUC, and users without a positive or
          without a negative.
        - ``n_pos``, ``n_neg`` (UInt64): the rows of all users. Those of users without an AUC are counted
          here, but weigh nothing in ``auc``.

        ``auc`` is null if no user has one. It is NaN if a score is NaN; users are then not counted. Rows with
        a null label, score or user are skipped.

    Raises
    ------
    ValueError
        For an average of another name.
    TypeError
        If a column is neither a column name nor an expression.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if ``by`` holds lists.

    Notes
    -----
    ``sum(w A) / sum(w)`` over users with area A and weight w, in an order that depends on nothing but these.
    Zhu et al. (2017) weigh by impressions or clicks, Zhou et al. (2018) by impressions. By pairs it is the
    share of all pairs of one user in which the positive scores higher. O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> shown = pl.DataFrame(
    ...     {
    ...         "user": ["a", "a", "a", "b", "b", "c"],
    ...         "clicked": [1, 0, 0, 0, 1, 0],
    ...         "score": [0.7, 0.2, 0.9, 0.1, 0.3, 0.5],
    ...     }
    ... )
    >>> shown.select(pa.grouped_roc_auc("clicked", "score", "user", average="rows")).item()
    {'auc': 0.7, 'n_groups': 2, 'n_undefined': 1, 'n_pos': 2, 'n_neg': 4}
    """
    one_of("grouped_roc_auc", "average", average, ("macro", "rows", "positives", "pairs"))
    return expression("grouped_roc_auc", {"score": score, "label": label, "by": by}, average=average)
