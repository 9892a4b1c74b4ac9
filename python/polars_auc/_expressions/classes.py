"""Multiclass AUCs and their intervals."""

# tests/python/package/generate.py writes signatures, Parameters and the fields of Returns.

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._plugin.call import expression, expression_of
from polars_auc._plugin.class_columns import columns_of_classes

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from polars_auc._plugin.call import IntoExpr

__all__ = ["multiclass_roc_auc", "multiclass_roc_auc_ci", "ordinal_roc_auc", "ordinal_roc_auc_ci"]


def multiclass_roc_auc(
    label: IntoExpr,
    *probabilities: IntoExpr,
    classes: Iterable[object] | None = None,
    multi_class: Literal["ovr", "ovo"] = "ovr",
    average: Literal["macro", "weighted", "micro"] | None = "macro",
    weight: IntoExpr | None = None,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the AUC of more than two classes: the average over classes, or over pairs of classes.

    Parameters
    ----------
    label
        The class of each row, such as strings or integers; any dtype except lists.
    probabilities
        One numeric column per class, in which higher values mean that the class is more likely; or one List
        or Array column with a number per class, which requires ``classes``. The numbers need not sum to 1.
    classes
        The class of each column, in order; with ``None``, the column names. Classes and labels are compared
        as text, after a cast to String: ``1`` matches the label 1 and the label ``"1"``. Every label must be
        one of the classes.
    multi_class
        - ``"ovr"``: each class against the rest, by the column of the class.
        - ``"ovo"``: each pair of classes, by the columns of both.
    average
        - ``"macro"``: the unweighted mean.
        - ``"weighted"``: the mean weighted by the number of rows (with ``weight``, the sum of their weights)
          of the class, or of both classes of the pair.
        - ``"micro"``: one AUC over all pairs of a row and a class. Each row is a positive for its class and a
          negative for every other class. Only with ``"ovr"``.
        - ``None``: no average, only the AUCs of the classes or pairs.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. A weight acts as a number of identical rows.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first of the probabilities:

        - ``auc`` (Float64): The average AUC, 0 to 1.
        - ``classes`` (List of Struct): For each of the ``classes``, its name ``class`` (String), number of
          rows ``n`` (UInt64), and ``auc`` (Float64) against the rest.
        - ``pairs`` (List of Struct): With ``"ovo"``, for each pair of classes, ``class_a``, ``class_b``
          (String), the number of rows in both ``n`` (UInt64), and the mean ``auc`` (Float64) of both
          directions; otherwise null.
        - ``n_classes``, ``n_missing`` (UInt64): The number of classes with rows, and without rows.
        - ``n`` (UInt64): The number of rows used.

        The AUC of a class is null with no rows in the class or in the rest, the AUC of a pair with no rows in
        one of its classes. Such classes and pairs are left out of the average, but not of the micro-average,
        which uses every column. The average is null if nothing is left, and with ``average=None``. If a score
        is NaN, the average is NaN and the lists are null. Rows with a null label, probability or weight are
        skipped. ``n`` is not weighted.

    Notes
    -----
    The macro-average of pairs is the M of Hand and Till (2001): the mean over pairs of
    ``(A(a | b) + A(b | a)) / 2``. ``A(a | b)`` is the AUC of the rows of both classes by the column of a,
    with the rows of a as positives. Names and averages are those of scikit-learn. Scores are compared in the
    dtype of their column; numbers in lists, and all columns for the micro-average, are compared as Float64.
    O(k n log n + k² log k) for k classes.

    With weights, a pair of rows counts as the product of its two weights, as in scikit-learn. Weights are
    rounded to multiples of a power of two, at most 2^-60 of the sum of all weights (micro-averaged: of k
    times this sum), and summed as integers. Integer weights therefore give exactly the AUC of the repeated
    rows. The AUC of a class whose weight is below this multiple is null, and left out of the average.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> flowers = pl.DataFrame(
    ...     {
    ...         "species": ["iris", "iris", "lily", "lily", "rose", "rose"],
    ...         "iris": [0.7, 0.4, 0.3, 0.1, 0.2, 0.4],
    ...         "lily": [0.2, 0.5, 0.6, 0.4, 0.2, 0.1],
    ...         "rose": [0.1, 0.1, 0.1, 0.5, 0.6, 0.5],
    ...     }
    ... )
    >>> macro = flowers.select(pa.multiclass_roc_auc("species", "iris", "lily", "rose")).item()
    >>> round(macro["auc"], 4), [(one["class"], one["auc"]) for one in macro["classes"]]
    (0.9167, [('iris', 0.9375), ('lily', 0.875), ('rose', 0.9375)])
    >>> listed = flowers.select("species", p=pl.concat_list("iris", "lily", "rose"))
    >>> hand_till = pa.multiclass_roc_auc("species", "p", classes=["iris", "lily", "rose"], multi_class="ovo")
    >>> round(listed.select(hand_till).item()["auc"], 4)
    0.9167
    """
    name = "multiclass_roc_auc"
    columns, class_names = columns_of_classes(name, probabilities, classes)
    return expression(
        name,
        {**columns, "label": label, "weight": weight, "count": count},
        classes=class_names,
        multi_class=multi_class,
        average=average,
    )


def ordinal_roc_auc(
    label: IntoExpr,
    score: IntoExpr,
    *,
    pairs: bool = True,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return how well one score separates ordered classes: the mean AUC of their pairs, and the C-index.

    Parameters
    ----------
    label
        The class of each row: any dtype except lists. Classes are ordered by their values, for an Enum by its
        categories. At most 1000 classes in a group.
    score
        Any numeric or Boolean column; higher means a higher class.
    pairs
        Whether to list the AUC of every pair of classes. k classes give k (k - 1) / 2 records: about 500,000
        (15 MB) for 1000 classes. With ``False``, ``pairs`` is null; the other fields do not change.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The mean AUC of the higher class against the lower class, over all pairs of
          classes.
        - ``concordance`` (Float64): Over all pairs of rows of different classes, the share in which the row
          of the higher class scores higher; a tie counts one half.
        - ``pairs`` (List of Struct): For each pair, the lower class ``class_a`` and the higher class
          ``class_b`` (in the dtype of the label), and their ``auc`` (Float64). Null with ``pairs=False``.
        - ``n_classes`` (UInt64): The number of classes.
        - ``n`` (UInt64): The number of rows used.

        With fewer than two classes the numbers are null and the list is empty. If a score is NaN, the numbers
        are NaN and the list is null. Rows with a null label or score are skipped.

    Notes
    -----
    Hand and Till (2001) with one score for all pairs, as pROC's ``multiclass.roc(response, predictor)`` with
    a fixed direction. The concordance is Harrell's C for an ordinal outcome: ``(somers + 1) / 2`` with
    Somers' D of the score given the class. O(n log n + n k + k² log k) for k classes.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> patients = pl.DataFrame({"stage": [1, 1, 2, 2, 3, 3], "marker": [0.1, 0.4, 0.3, 0.5, 0.5, 0.9]})
    >>> answer = patients.select(pa.ordinal_roc_auc("stage", "marker")).unnest("marker")
    >>> answer.select(pl.col("auc", "concordance").round(4), "n_classes").row(0)
    (0.875, 0.875, 3)
    >>> answer["pairs"].explode().struct.unnest().rows()
    [(1, 2, 0.75), (1, 3, 1.0), (2, 3, 0.875)]
    """
    return expression_of(ordinal_roc_auc, locals())


def multiclass_roc_auc_ci(
    label: IntoExpr,
    *probabilities: IntoExpr,
    classes: Iterable[object] | None = None,
    multi_class: Literal["ovr", "ovo"] = "ovr",
    average: Literal["macro", "weighted"] | None = "macro",
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return the AUC of more than two classes with its standard error and confidence interval.

    Parameters
    ----------
    label
        The class of each row, such as strings or integers; any dtype except lists.
    probabilities
        One numeric column per class, or one List or Array column with a number per class, as in
        :func:`polars_auc.multiclass_roc_auc`.
    classes
        The class of each column, in order; with ``None``, the column names.
    multi_class
        - ``"ovr"``: each class against the rest, by the column of the class.
        - ``"ovo"``: each pair of classes, by the columns of both.
    average
        - ``"macro"``: the unweighted mean; with ``"ovo"`` the M of Hand and Till.
        - ``"weighted"``: the mean weighted by the number of rows of the class, or of both classes of the
          pair.
        - ``None``: no average, only the AUCs of the classes or pairs.

        ``"micro"`` is not supported: the pairs of a row with each class are not independent.
    level
        The confidence level, between 0 and 1.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the first of the probabilities:

        - ``auc`` (Float64): The average AUC, 0 to 1, as in :func:`polars_auc.multiclass_roc_auc`.
        - ``se``, ``lower``, ``upper`` (Float64): Its standard error and confidence limits.
        - ``classes`` (List of Struct): For each of the ``classes``, its name ``class`` (String), number of
          rows ``n`` (UInt64), and ``auc``, ``se``, ``lower``, ``upper`` (Float64) against the rest, as in
          :func:`polars_auc.roc_auc_ci`.
        - ``pairs`` (List of Struct): With ``"ovo"``, for each pair of classes, ``class_a``, ``class_b``
          (String), the number of rows in both ``n`` (UInt64), and ``auc``, ``se``, ``lower``, ``upper``
          (Float64) for the mean of both directions; otherwise null.
        - ``n_classes``, ``n_missing`` (UInt64): The number of classes with rows, and without rows.
        - ``n`` (UInt64): The number of rows used.

        An AUC is null as in :func:`polars_auc.multiclass_roc_auc`. Its standard error and limits are also
        null if one of its samples has a single row: the class or the rest, a class of the pair, and for the
        average any class. Classes without rows are left out of the average. If a score is NaN, the average,
        its standard error and its limits are NaN, and the lists are null. Rows with a null label or
        probability are skipped.

    Notes
    -----
    ``auc ± z se``, clipped to 0 and 1, with ``se² = sum over classes of S_a² / n_a``. ``S_a²`` is the sample
    variance, over the rows i of class a, of the component ``V(i)``: the sum of the row's placements in all
    AUCs that include it, each with the weight of the AUC. This is the variance of DeLong, DeLong and
    Clarke-Pearson (1988) for any number of samples (Hoeffding 1948, Lehmann 1951). With two classes, where
    one column is the negative of the other, it is DeLong's. The numbers of rows of the classes are treated as
    fixed.

    For the M of Hand and Till (2001) with k classes, ``V(i)`` is the sum over the other classes b of
    ``(P(s_a(i) > s_a(j)) + P(s_b(j) > s_b(i))) / (k (k - 1))`` over the rows j of b; ties count one half. The
    AUC of a against the rest is the mean of ``A(a | b)`` weighted by the rows of b. O(k n log n) for classes
    against the rest, and O(k² log k) more for pairs.

    Like any normal interval, it is too narrow if a class has few rows and the AUC is near 1. For the
    micro-average, make a row for each pair of a row and a class, and use ``roc_auc_ci(..., cluster="row")``.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> flowers = pl.DataFrame(
    ...     {
    ...         "species": ["iris", "iris", "lily", "lily", "rose", "rose"],
    ...         "iris": [0.7, 0.4, 0.3, 0.1, 0.2, 0.4],
    ...         "lily": [0.2, 0.5, 0.6, 0.4, 0.2, 0.1],
    ...         "rose": [0.1, 0.1, 0.1, 0.5, 0.6, 0.5],
    ...     }
    ... )
    >>> hand_till = pa.multiclass_roc_auc_ci("species", "iris", "lily", "rose", multi_class="ovo")
    >>> m = flowers.select(hand_till).unnest("iris")
    >>> m.select(pl.col("auc", "se", "lower", "upper").round(4)).row(0)
    (0.9167, 0.0977, 0.7251, 1.0)
    >>> m["pairs"].explode().struct.unnest().select("class_a", "class_b", "auc", pl.col("se").round(4)).rows()
    [('iris', 'lily', 0.875, 0.1768), ('iris', 'rose', 0.9375, 0.0884), ('lily', 'rose', 0.9375, 0.0884)]
    """
    name = "multiclass_roc_auc_ci"
    columns, class_names = columns_of_classes(name, probabilities, classes)
    return expression(
        name,
        {**columns, "label": label, "count": count},
        classes=class_names,
        multi_class=multi_class,
        average=average,
        level=level,
    )


def ordinal_roc_auc_ci(
    label: IntoExpr,
    score: IntoExpr,
    *,
    pairs: bool = True,
    level: float = 0.95,
    count: IntoExpr | None = None,
) -> pl.Expr:
    """Return how well one score separates ordered classes, with standard errors and confidence intervals.

    Parameters
    ----------
    label
        The class of each row: any dtype except lists. Classes are ordered by their values, for an Enum by its
        categories. At most 1000 classes in a group.
    score
        Any numeric or Boolean column; higher means a higher class.
    pairs
        Whether to list every pair of classes, as in :func:`polars_auc.ordinal_roc_auc`.
    level
        The confidence level, between 0 and 1.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): The mean AUC of the higher class against the lower class, over all pairs of
          classes.
        - ``se``, ``lower``, ``upper`` (Float64): Its standard error and confidence limits.
        - ``concordance`` (Float64): Over all pairs of rows of different classes, the share in which the row
          of the higher class scores higher; a tie counts one half.
        - ``concordance_se``, ``concordance_lower``, ``concordance_upper`` (Float64): Its standard error and
          confidence limits.
        - ``pairs`` (List of Struct): For each pair, the lower class ``class_a`` and the higher class
          ``class_b`` (in the dtype of the label), and ``auc``, ``se``, ``lower``, ``upper`` (Float64), as in
          :func:`polars_auc.roc_auc_ci`. Null with ``pairs=False``.
        - ``n_classes`` (UInt64): The number of classes.
        - ``n`` (UInt64): The number of rows used.

        With fewer than two classes the numbers are null and the list is empty. The standard errors and limits
        of ``auc`` and ``concordance`` are also null if a class has a single row; for a pair, if one of its
        classes has a single row. If a score is NaN, the numbers are NaN and the list is null. Rows with a
        null label or score are skipped.

    Notes
    -----
    ``estimate ± z se``, clipped to 0 and 1. ``auc`` and ``concordance`` are weighted means of the AUCs of
    pairs of classes, with equal weights and with the weights ``n_a n_b``.
    ``se² = sum over classes of S_a² / n_a``, with the sample variance ``S_a²`` of the components of the rows
    of class a (DeLong, DeLong and Clarke-Pearson 1988, for any number of samples; Lehmann 1951). The
    component of a row is the weighted sum of its placements: the shares of lower classes that score lower,
    and of higher classes that score higher. With two classes both are DeLong's. The numbers of rows of the
    classes are treated as fixed. O(n log n + n k + k²) for k classes.

    If the classes of rows are random, as in R's ``survival::concordance``, use
    :func:`polars_auc.concordance_index`, with the class as time, an event in every row, and the negative of
    the score.

    Like any normal interval, it is too narrow if a class has few rows and the AUCs are near 1.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> patients = pl.DataFrame({"stage": [1, 1, 2, 2, 3, 3], "marker": [0.1, 0.4, 0.3, 0.5, 0.5, 0.9]})
    >>> answer = patients.select(pa.ordinal_roc_auc_ci("stage", "marker")).unnest("marker")
    >>> answer.select(pl.col("auc", "se", "lower", "upper").round(4)).row(0)
    (0.875, 0.1021, 0.675, 1.0)
    """
    return expression_of(ordinal_roc_auc_ci, locals())
