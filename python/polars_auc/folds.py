"""The AUC over the folds of a cross-validation."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Literal

from polars_auc._options import ALTERNATIVES, between_0_and_1, one_of
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["cv_roc_auc", "cv_roc_auc_difference"]


def cv_roc_auc(
    label: IntoExpr,
    score: IntoExpr,
    fold: IntoExpr,
    *,
    method: Literal["t", "influence"] = "t",
    level: float = 0.95,
) -> pl.Expr:
    """Return the mean of the folds' AUCs with its standard error and confidence interval.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    fold
        The column that says which fold a row was held out in: any plain dtype.
    method
        - ``"t"``: from how the folds' AUCs differ, with Student's t.
        - ``"influence"``: from how much each row moves the AUC of its fold, with a normal interval; needs
          rows, not folds, to be many.
    level
        The interval's coverage, between 0 and 1.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): the mean of the folds' AUCs.
        - ``sd`` (Float64): their standard deviation.
        - ``se`` (Float64): the standard error of the mean.
        - ``lower``, ``upper`` (Float64): the limits of the interval; not clipped.
        - ``n_folds``, ``n_undefined`` (UInt64): folds that have an AUC, and folds that lack a class.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        ``auc`` is null if no fold has one; ``sd`` with fewer than two such folds, and so are ``se`` and the
        limits by Student's t. The Float64 fields are NaN if a score is NaN; the folds are then not counted.
        Rows with a null label, score or fold are skipped.

    Raises
    ------
    ValueError
        For a method of another name, or a level that is not between 0 and 1.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if the fold holds lists.

    Notes
    -----
    By Student's t: ``mean ± t sd / sqrt(k)`` with k - 1 degrees of freedom (Komarek 2004: ten folds, 95 %).
    The folds share training rows, so this tends to be too sure. By influence: LeDell, Petersen and van der
    Laan (2015), as their R package cvAUC; a positive's value is ``(placement - auc) n / P`` with the share of
    its fold's negatives that it beats, ties counting half (cvAUC's ties count nothing). O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1],
    ...         "risk": [1, 3, 2, 4, 1, 2, 3, 4, 3, 1, 2, 3],
    ...     }
    ... )
    >>> cv = held_out.select(pa.cv_roc_auc("ill", "risk", "fold")).unnest("risk")
    >>> cv.select(pl.col("auc", "se", "lower", "upper").round(4), "n_folds").row(0)
    (0.8333, 0.0833, 0.4748, 1.1919, 3)
    """
    one_of("cv_roc_auc", "method", method, ("t", "influence"))
    between_0_and_1("cv_roc_auc", "level", level)
    columns = {"score": score, "label": label, "fold": fold}
    return expression("cv_roc_auc", columns, method=method, level=float(level))


def cv_roc_auc_difference(
    label: IntoExpr,
    score_a: IntoExpr,
    score_b: IntoExpr,
    fold: IntoExpr,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    level: float = 0.95,
    test_train_ratio: float | None = None,
) -> pl.Expr:
    """Return the difference of two models' AUCs over the same folds, by the corrected resampled t-test.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score_a, score_b
        Any numeric or Boolean columns; higher means more positive.
    fold
        The column that says which fold a row was held out in: any plain dtype.
    alternative
        Which departure counts: ``"greater"`` means that the first score does better.
    level
        The coverage of the interval of the difference, which is two-sided whatever the alternative.
    test_train_ratio
        Test rows for each training row, by which the variance is corrected for training rows that folds
        share. ``None`` takes ``1 / (k - 1)``, that of k folds; 0 gives the plain paired t-test, which is too
        sure.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first score:

        - ``auc_a``, ``auc_b`` (Float64): the means of the folds' AUCs.
        - ``difference`` (Float64): the mean of the folds' differences.
        - ``se`` (Float64): its corrected standard error.
        - ``lower``, ``upper`` (Float64): the limits of its interval.
        - ``t`` (Float64), ``df`` (UInt64), ``p_value`` (Float64): the test of no difference.
        - ``n_folds``, ``n_undefined`` (UInt64): folds that have AUCs, and folds that lack a class.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.

        The means are null if no fold has AUCs, what follows also with fewer than two such folds. Folds that
        all differ by the same give no ``t`` and ``p_value``, or 0 and 1 if that is 0. The Float64 fields are
        NaN if a score is NaN. Rows with a null label, score or fold are skipped, for both scores.

    Raises
    ------
    ValueError
        For options of other names or out of range.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`; also if the fold holds lists.

    Notes
    -----
    ``t = mean(d) / sqrt((1 / k + ratio) var(d))`` over the differences d of the k folds, with k - 1 degrees
    of freedom (Nadeau and Bengio 2003, equation 9). O(n log n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> held_out = pl.DataFrame(
    ...     {
    ...         "fold": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1],
    ...         "new": [1, 2, 3, 4, 1, 2, 3, 4, 3, 1, 2, 3],
    ...         "old": [1, 4, 2, 3, 4, 2, 1, 3, 1, 2, 3, 3],
    ...     }
    ... )
    >>> test = held_out.select(pa.cv_roc_auc_difference("ill", "new", "old", "fold")).unnest("new")
    >>> test.select(pl.col("difference", "t", "p_value").round(4), "df").row(0)
    (0.4583, 2.6295, 0.1193, 2)
    """
    name = "cv_roc_auc_difference"
    one_of(name, "alternative", alternative, ALTERNATIVES)
    between_0_and_1(name, "level", level)
    ratio = test_train_ratio
    if ratio is not None and (
        isinstance(ratio, bool) or not isinstance(ratio, Real) or not 0 <= ratio < float("inf")
    ):
        msg = f"{name}: test_train_ratio must be 0 or more, such as 1/9 for ten folds, got {ratio!r}"
        raise ValueError(msg)
    return expression(
        name,
        {"score_a": score_a, "score_b": score_b, "label": label, "fold": fold},
        alternative=alternative,
        level=float(level),
        test_train_ratio=None if ratio is None else float(ratio),
    )
