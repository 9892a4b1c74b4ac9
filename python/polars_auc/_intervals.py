"""Intervals of the AUC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from polars_auc._options import between_0_and_1, one_of, resampling
from polars_auc._plugin import expression

if TYPE_CHECKING:
    import polars as pl

    from polars_auc._plugin import IntoExpr

__all__ = ["cv_roc_auc", "roc_auc_ci"]


def roc_auc_ci(
    label: IntoExpr,
    score: IntoExpr,
    *,
    method: Literal["delong", "logit", "hanley_mcneil", "bootstrap"] = "delong",
    level: float = 0.95,
    weight: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    interval: Literal["percentile", "bca"] = "percentile",
    n_resamples: int = 2000,
    seed: int = 0,
) -> pl.Expr:
    """Return the AUC with its standard error and confidence interval.

    Parameters
    ----------
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    method
        - ``"delong"``: normal on the AUC's own scale, with the DeLong standard error, clipped to 0 and 1.
        - ``"logit"``: normal on the logit scale, with the same standard error; never outside 0 to 1, and
          still an interval where the classes do not overlap.
        - ``"hanley_mcneil"``: normal, with the standard error that Hanley and McNeil derive from the AUC and
          the two counts alone; clipped. The only one that is defined with a single positive or negative
          (with one of each and an AUC of 0 or 1: a point).
        - ``"bootstrap"``: from resamples of the rows within each class (with ``cluster``: of whole clusters).
    level
        The interval's coverage, between 0 and 1.
    weight
        How many rows each row stands for, as :func:`polars_auc.roc_auc`. The standard error is then that of
        the infinitesimal jackknife, on the scale that ``"delong"`` or ``"logit"`` says: it estimates how the
        weighted AUC varies from sample to sample where rows were drawn with unequal chances and weights make
        up for that. Weights that stand for repeated rows make it too large, since each of these would be an
        observation of its own. Not for the other methods, nor with ``cluster``.
    cluster
        A column that says which rows belong together, such as a customer with many rows: their scores are
        not independent. The standard error is then Obuchowski's. Not for ``"hanley_mcneil"``.
    interval
        What the bootstrap takes for limits: ``"percentile"``, quantiles of the resampled AUCs, or ``"bca"``,
        the same corrected for bias and acceleration (not with ``cluster``).
    n_resamples
        How many resamples the bootstrap draws.
    seed
        What the bootstrap's random numbers begin with. The same seed gives the same limits, whatever the
        order of rows and groups, the threads or the engine.

    Returns
    -------
    polars.Expr
        One Struct for each group, named after the score:

        - ``auc`` (Float64): as :func:`polars_auc.roc_auc`.
        - ``se`` (Float64): the standard error of ``auc``; for the bootstrap the standard deviation of the
          resamples.
        - ``lower``, ``upper`` (Float64): the limits of the interval.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.
        - ``n_clusters`` (UInt64): only with ``cluster``, how many of them there are.

        ``auc`` is null if the group has no positive or no negative; the standard error and the limits are
        null if it has fewer than two of either (with ``cluster``: fewer than two clusters that hold either),
        but for ``"hanley_mcneil"``. All four are NaN if a score is NaN. Rows with a null label, score or
        cluster are skipped.

        Where the classes do not overlap at all (AUC 0 or 1) the standard error is 0 and the interval a single
        point, which says little: the sample cannot tell. Only ``"logit"`` still gives a limit, as if half a
        row of the rarer class (with ``cluster``: half a cluster) lay on the wrong side. Where all scores tie
        every interval but Hanley and McNeil's is the point one half.

    Raises
    ------
    ValueError
        For a method or interval of another name, a level that is not between 0 and 1, a number of resamples
        below 2, a negative seed, and for what clusters do not go with.
    polars.exceptions.ComputeError
        As :func:`polars_auc.roc_auc`.

    Notes
    -----
    The placement of a positive is the share of negatives it beats, ties counting half, and of a negative the
    share of positives that beat it. With their sample variances S10 and S01,
    ``se² = S10 / P + S01 / N`` (DeLong, DeLong and Clarke-Pearson 1988); both variances are taken from exact
    integer sums. O(n log n), not O(P N). On the logit scale the limits are
    ``expit(logit(auc) ± z se / (auc (1 - auc)))``. Hanley and McNeil (1982): with ``Q1 = A / (2 - A)`` and
    ``Q2 = 2 A² / (1 + A)``, ``se² = (A (1 - A) + (P - 1) (Q1 - A²) + (N - 1) (Q2 - A²)) / (P N)``. Clusters:
    Obuchowski (1997). With weights ``se² = sum w² (v - auc)² / W²`` over positives with placements v and
    total weight W, plus the same over negatives (Jaeckel 1972; the variance of R's
    ``survival::concordance``). BCa: Efron (1987), its acceleration from the placements. A resample costs
    O(n): rows are drawn by their rank, and nothing is sorted again.

    How often the intervals cover the truth is measured in ``benches/results/coverage.csv``.

    Examples
    --------
    The ratings of Hanley and McNeil (1982), table I:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> ratings = pl.DataFrame(
    ...     {"rating": [1, 2, 3, 4, 5], "normal": [33, 6, 6, 11, 2], "abnormal": [3, 2, 2, 11, 33]}
    ... ).unpivot(index="rating", variable_name="status", value_name="images")
    >>> images = ratings.select(pl.col("rating", "status").repeat_by("images").explode())
    >>> ci = images.select(pa.roc_auc_ci(pl.col("status") == "abnormal", "rating"))
    >>> ci.unnest("rating").select(pl.col("auc", "se", "lower", "upper").round(4)).row(0)
    (0.8932, 0.0307, 0.833, 0.9534)
    >>> logit = pa.roc_auc_ci(pl.col("status") == "abnormal", "rating", method="logit")
    >>> images.select(logit).unnest("rating").select(pl.col("lower", "upper").round(4)).row(0)
    (0.8164, 0.9402)
    """
    one_of("roc_auc_ci", "method", method, ("delong", "logit", "hanley_mcneil", "bootstrap"))
    one_of("roc_auc_ci", "interval", interval, ("percentile", "bca"))
    between_0_and_1("roc_auc_ci", "level", level)
    drawn = resampling("roc_auc_ci", n_resamples, seed)
    columns: dict[str, IntoExpr | None] = {"score": score, "label": label}
    variant = None
    if weight is not None:
        if method not in ("delong", "logit") or cluster is not None:
            asked = f"method {method!r}" if cluster is None else "cluster"
            msg = (
                f"roc_auc_ci: {asked} does not go with weights; "
                'take method="delong" or "logit", and no cluster'
            )
            raise ValueError(msg)
        return expression(
            "roc_auc_ci", {**columns, "weight": weight}, variant="weighted", method=method, level=float(level)
        )
    if cluster is not None:
        if method == "hanley_mcneil":
            msg = (
                'roc_auc_ci: method "hanley_mcneil" knows no clusters; take "delong", "logit" or "bootstrap"'
            )
            raise ValueError(msg)
        if method == "bootstrap" and interval == "bca":
            msg = 'roc_auc_ci: interval "bca" knows no clusters; take interval="percentile"'
            raise ValueError(msg)
        columns["cluster"] = cluster
        variant = "clustered"
    return expression(
        "roc_auc_ci",
        columns,
        variant=variant,
        method=method,
        level=float(level),
        resampling=drawn,
        bootstrap=interval,
    )


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
