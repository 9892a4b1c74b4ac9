"""The function ``report``: one row for each group and score.

It parses the options, and warns of likely mistakes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._frames.inputs import called, like
from polars_auc._plugin.warning import UserLine, warn
from polars_auc._report.evaluation import evaluation
from polars_auc._report.options import IntervalMethod, ReportOptions, UserAverage
from polars_auc._report.rows import Rows

if TYPE_CHECKING:
    from polars_auc._frames.groupings import Groupings
    from polars_auc._frames.inputs import ArrowStream, Frame
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._plugin.options import Adjustment


@called("report")
def report(
    frame: Frame | ArrowStream,
    label: IntoExpr | None = None,
    scores: str | pl.Expr | Iterable[str | pl.Expr] | None = None,
    *,
    by: str | Iterable[str] = (),
    level: float = 0.95,
    ci: IntervalMethod = "wilson",
    interval: Literal["percentile", "bca"] | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    compare: bool = False,
    versus: object = None,
    along: str | None = None,
    adjust: Adjustment | None = "holm",
    calibration: bool = False,
    folds: IntoExpr | None = None,
    user: IntoExpr | None = None,
    user_average: UserAverage | None = None,
    stability: IntoExpr | None = None,
    count: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    weight: IntoExpr | None = None,
    low_is_positive: bool = False,
    nan: Literal["skip"] | None = None,
    memory: Literal["bounded"] | None = None,
    max_bins: int | None = None,
    scale: Literal["real", "probability"] | None = None,
    groupings: Groupings | None = None,
    sorted_by: str | Iterable[str] = (),
    state: IntoExpr | Iterable[IntoExpr] | None = None,
) -> Frame:
    """Return the evaluation of scores, by group and overall.

    Parameters
    ----------
    frame
        The rows: a DataFrame, or a LazyFrame such as ``pl.scan_parquet(...)``; or a table of another library
        that has the Arrow PyCapsule interface, such as pandas, PyArrow and DuckDB.
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    scores
        One or more numeric columns, higher meaning more positive: a name, an expression, an expression of
        several columns such as ``cs.starts_with("p_")`` or ``pl.col("a", "b")``, or a list of these. Names
        must be distinct. As in ``group_by``, an expression of several columns leaves out the columns ``by``.
    by
        The columns whose combinations make the groups.
    level
        The confidence level of all intervals, between 0 and 1.
    ci, interval, n_resamples, seed
        The method of the interval, and the limits, resamples and seed of the bootstrap: see
        :func:`polars_auc.roc_auc_ci`. Groups are compared by DeLong with ``ci="delong"``, otherwise by
        Wilson: see the ``method`` of :func:`polars_auc.compare_segments`.
    compare
        Whether to compare each score with the first, on the rows without missing scores. The differences are
        each score minus the first; :func:`polars_auc.compare_scores` and other expressions of two scores
        compute the first minus the second.
    versus
        What to compare each group with, such as ``"rest"``, the mean AUC of the other groups, each within its
        group: see :func:`polars_auc.compare_segments`. Requires ``by``.
    along
        With ``versus="previous"``, the column of ``by`` that defines the order, such as the year. Required if
        ``by`` is several columns.
    adjust
        The adjustment of p-values for all tests in their column: groups, scores and, for ``compare`` and
        ``calibration``, the overall rows. None adjusts nothing.
    calibration
        Whether to evaluate the scores as probabilities, from 0 to 1. Adds the Brier score, the log loss,
        observed over expected positives and the calibration slope. Not possible with ``cluster``, because the
        intervals assume independent rows.
    folds
        The column with the fold of each row; adds the mean of the folds' AUCs.
    user, user_average
        The column with the user (query, session) of each row, if scores order the items of one user, such as
        a feed. Adds the mean of the users' AUCs (GAUC), with equal weights (None or ``"macro"``), or weighted
        by their ``"rows"``, ``"positives"`` or ``"pairs"``: see :func:`polars_auc.grouped_roc_auc`. Not
        possible with ``cluster``.
    stability
        The reference rows, such as the training rows: a condition such as ``pl.col("year") < 2016``, or a
        Boolean column. Adds the population stability index of the other rows of each group: see
        :func:`polars_auc.population_stability`. The reference of a group is the reference rows of the same
        group. Columns of ``by`` in the condition do not split the reference. For example, by month and
        segment, with a condition on the month, each month is compared with the reference of its segment. Rows
        with a null condition are in neither sample. Unlabelled rows count, but states contain only labelled
        rows.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows, so the counts of ``GROUP BY segment, label, score`` in a
        database are enough.
    cluster
        The cluster of each row, such as the patient: rows of the same cluster are not independent. Standard
        errors and limits, also of ``compare`` and ``versus``, are then Obuchowski's, or by resampling whole
        clusters: see :func:`polars_auc.roc_auc_ci`. Rows with a null cluster are skipped. Not possible with
        ``calibration``, ``folds``, ``user``, ``memory``, ``ci="hanley_mcneil"``, ``ci="obuchowski"`` and
        ``interval="bca"``.
    weight
        The weight of each row, for rows sampled with unequal probabilities: a column of finite numbers, 0 or
        more. Rows with a weight of 0 or null are skipped. Standard errors are by the infinitesimal jackknife:
        see :func:`polars_auc.roc_auc_ci`. ``n``, ``n_pos`` and ``n_missing`` count rows, and ``stability``
        has no p-value. Possible with ``ci="wilson"``, ``"delong"`` and ``"logit"``, and not with ``count``
        and ``memory``.
    low_is_positive
        Whether low scores are positive, as in a scorecard with high points for good cases. All numbers are
        then computed from the negated scores, exact for every dtype.
    nan
        ``"skip"`` treats NaN scores as missing: the row is skipped, and counted in ``n_missing`` and
        ``n_nan``. None makes the numbers of such a group NaN, with a warning that counts these rows by group.
    memory
        ``"bounded"`` reads rows batch by batch and keeps only the states of groups, with at most ``max_bins``
        bins each: see :func:`polars_auc.group_states`. Rows are kept until their states take less memory, so
        many small groups need about the same memory as by default. Groups are compared by rows if none has
        more rows than ``max_bins``, ``versus`` is ``"rest"``, ``"previous"`` or a group, and ``groupings``
        and ``count`` are not set. All other comparisons use states. ``compare``, ``folds``, ``user``,
        ``stability``, ``cluster`` and ``weight`` need all rows at once and are not supported.
    max_bins, scale
        With ``memory="bounded"``, the size of states. None is 4096 bins, on the scale of real numbers.
    groupings
        Several groupings in one report, over all columns together by default. ``"each"`` groups by each
        column of ``by`` alone; ``"rollup"`` by all columns, by all but the last, and so on down to the first;
        ``"cube"`` by every combination of columns. Or a list of groupings, such as
        ``[["segment", "year"], ["year"]]``. ``versus`` may then be ``"rest"``, ``"pooled_rest"`` or
        ``"overall"``.
    sorted_by
        Columns of ``by`` by which the rows are sorted: rows with equal values are consecutive, as in a sorted
        file or a scan of partitions. The order of the values does not matter. Groups are then read one after
        another, and only some are in memory; the report is the same. The order is checked while the rows are
        read. The overall rows need the label and one score of all rows in memory. ``versus``, ``groupings``,
        ``stability`` and ``memory`` are not supported.
    state
        Columns of states from :func:`polars_auc.roc_state` instead of ``label`` and ``scores``, in the same
        forms as scores and with their names. The states of a group are merged, so a frame of states by day
        and segment supports reports by either. The report of exact states equals the report of the rows.
        ``folds``, ``user`` and ``stability`` are then the fold, the user and the reference condition of a
        state. ``compare``, ``cluster``, ``weight``, ``count``, ``nan``, ``low_is_positive``, ``sorted_by``
        and ``memory`` require rows.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``frame`` is lazy
        One row for each group and score, ordered by group, then one row for each score over all rows:

        - ``scope`` (String): ``"group"`` or ``"overall"``.
        - the columns ``by`` (their dtypes), with ``by``: the group. Null in the overall rows.
        - ``score`` (String): the name of the score.
        - ``n``, ``n_pos`` (UInt64): used rows, and the positives among them.
        - ``n_missing`` (UInt64): skipped rows: the label, the score or the cluster is null, or the weight is
          null or 0.
        - ``n_unlabelled`` (UInt64): skipped rows where only the label is null, such as new rows without an
          outcome. Null with ``memory="bounded"`` and in a report of states, because states do not distinguish
          them.
        - ``prevalence`` (Float64): ``n_pos / n``, or with weights the positives' share of all weights.
        - ``auc``, ``se``, ``lower``, ``upper`` (Float64): the AUC, its standard error and its interval: see
          :func:`polars_auc.roc_auc_ci`.
        - ``ks``, ``gini``, ``gini_lower``, ``gini_upper`` (Float64): the Kolmogorov-Smirnov distance, and the
          Gini coefficient with its interval: see :func:`polars_auc.roc_summary`.
        - ``brier_score``, ``log_loss`` (Float64), with ``calibration``: the mean losses of
          :func:`polars_auc.brier_score` and :func:`polars_auc.log_loss`. All columns of ``calibration`` are
          null for states that are not exact.
        - ``observed_expected``, ``observed_expected_lower``, ``observed_expected_upper`` (Float64), with
          ``calibration``: positives divided by the sum of the scores, and its interval: see
          :func:`polars_auc.calibration_summary`.
        - ``observed_minus_expected``, ``observed_minus_expected_se`` (Float64), with ``calibration``: the
          rate of positives minus the mean score, and its standard error: see
          :func:`polars_auc.calibration_summary`.
        - ``calibration_slope``, ``calibration_slope_lower``, ``calibration_slope_upper`` (Float64), with
          ``calibration``: the slope of the logistic recalibration, and its interval. Null if a score is 0 or
          1.
        - ``calibration_p_value``, ``calibration_p_adjusted`` (Float64), with ``calibration``: the test that
          observed over expected is 1.
        - ``cv_auc``, ``cv_se``, ``cv_lower``, ``cv_upper`` (Float64), with ``folds``: the mean AUC of the
          folds, its standard error and its interval: see :func:`polars_auc.cv_roc_auc`.
        - ``n_folds``, ``n_undefined`` (UInt64), with ``folds``: folds with an AUC, and folds without.
        - ``user_auc``, ``user_se``, ``user_lower``, ``user_upper`` (Float64), with ``user``: the mean AUC of
          the users (GAUC), its standard error and its interval: see :func:`polars_auc.grouped_roc_auc`.
        - ``n_users``, ``n_users_undefined`` (UInt64), with ``user``: users with an AUC, and users without.
        - ``first_auc``, ``delta_auc``, ``delta_auc_lower``, ``delta_auc_upper``, ``delta_auc_p_value``,
          ``delta_auc_p_adjusted`` (Float64), with ``compare``: the AUC of the first score, the AUC minus it,
          its interval and its test, all on the rows that have all scores. Null for the first score. See
          :func:`polars_auc.compare_scores`, or with ``cluster`` :func:`polars_auc.roc_auc_difference`.
        - ``psi``, ``psi_p_value`` (Float64), with ``stability``: the population stability index and its
          p-value: see :func:`polars_auc.population_stability`. Null if a group has rows of one sample only.
          The index is infinite if a band has rows of one sample only, and large by chance in a group of fewer
          than some hundred rows. The p-value is null with ``cluster`` or ``weight``.
        - ``psi_n``, ``psi_reference_n`` (UInt64), with ``stability``: the rows outside of the reference, and
          the rows of the reference. ``psi_n`` is null if all rows of a group are of the reference.
        - ``n_nan`` (UInt64), with ``nan="skip"``: rows with a label that were skipped because the score is
          NaN. They are among ``n_missing``.
        - ``versus_auc``, ``difference``, ``difference_lower``, ``difference_upper``, ``p_value``,
          ``p_adjusted`` (Float64), with ``versus``: the AUC of the comparison, the difference, its interval
          and its test: see :func:`polars_auc.compare_segments`. Null in the overall rows.
        - ``within_auc`` (Float64), with ``versus``: the mean AUC within groups, only in the overall rows. Not
          with ``groupings``.
        - ``heterogeneity``, ``heterogeneity_p_value`` (Float64), with ``versus``: the test that all groups
          have the same AUC, only in the overall rows. Not with ``groupings``.
        - ``heterogeneity_df`` (UInt64), with ``versus``: the degrees of freedom of this test.
        - ``auc_min``, ``auc_max`` (Float64), with ``memory="bounded"`` or ``state``: the bounds of the AUC of
          the rows.
        - ``exact`` (Boolean), with ``memory="bounded"`` or ``state``: whether no bin joins several scores, so
          that all numbers equal those of the rows. Otherwise they are approximate: scores in the same bin
          count as ties. Comparisons of groups by states use the bins of all groups together.
        - ``grouping`` (String), with ``groupings``: the columns of the grouping, separated by commas. Null in
          the overall rows. Columns of ``by`` outside of the grouping are null. Groupings follow one another,
          and p-values are adjusted over all of them.

        A number is null if it is undefined, and NaN if a score is NaN (with a warning). There is also a
        warning if no row, or every row, is positive, as with a misspelt class. A lazy report warns when it is
        collected, and names the line that created it.

    Notes
    -----
    Rows of a LazyFrame are read batch by batch, and only the label and the scores stay in memory.
    ``compare``, ``versus``, ``groupings``, ``folds``, ``user``, ``stability``, ``count``, ``cluster``,
    ``weight`` and a bootstrap need all columns that they use at once.

    O(n log n) for each score; ``compare`` takes as long as :func:`polars_auc.compare_scores`, at least
    quadratic in the number of scores.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {"site": ["a"] * 4 + ["b"] * 3, "ill": [0, 0, 1, 1, 0, 1, 1], "risk": [1, 3, 2, 4, 2, 1, 3]}
    ... )
    >>> pa.report(rows, "ill", "risk", by="site").select("scope", "site", "n", "auc")
    shape: (3, 4)
    ┌─────────┬──────┬─────┬───────┐
    │ scope   ┆ site ┆ n   ┆ auc   │
    │ ---     ┆ ---  ┆ --- ┆ ---   │
    │ str     ┆ str  ┆ u64 ┆ f64   │
    ╞═════════╪══════╪═════╪═══════╡
    │ group   ┆ a    ┆ 4   ┆ 0.75  │
    │ group   ┆ b    ┆ 3   ┆ 0.5   │
    │ overall ┆ null ┆ 7   ┆ 0.625 │
    └─────────┴──────┴─────┴───────┘

    The scores of clustered rows, and their shift since 2015:

    >>> visits = pl.DataFrame(
    ...     {
    ...         "year": [2015] * 4 + [2016] * 4,
    ...         "ill": [0, 0, 1, 1, 0, 1, 0, 1],
    ...         "risk": [1, 2, 3, 2, 1, 2, 3, 3],
    ...         "patient": [1, 2, 3, 3, 4, 5, 6, 7],
    ...     }
    ... )
    >>> given = {"cluster": "patient", "stability": pl.col("year") < 2016}
    >>> by_year = pa.report(visits, "ill", "risk", by="year", **given)
    >>> by_year.select("year", pl.col("auc", "se", "psi").round(3), "psi_n", "psi_reference_n")
    shape: (3, 6)
    ┌──────┬───────┬───────┬───────┬───────┬─────────────────┐
    │ year ┆ auc   ┆ se    ┆ psi   ┆ psi_n ┆ psi_reference_n │
    │ ---  ┆ ---   ┆ ---   ┆ ---   ┆ ---   ┆ ---             │
    │ i64  ┆ f64   ┆ f64   ┆ f64   ┆ u64   ┆ u64             │
    ╞══════╪═══════╪═══════╪═══════╪═══════╪═════════════════╡
    │ 2015 ┆ 0.875 ┆ null  ┆ null  ┆ null  ┆ 4               │
    │ 2016 ┆ 0.625 ┆ 0.395 ┆ 0.347 ┆ 4     ┆ 4               │
    │ null ┆ 0.75  ┆ 0.185 ┆ 0.347 ┆ 4     ┆ 4               │
    └──────┴───────┴───────┴───────┴───────┴─────────────────┘
    """
    options = ReportOptions.of(locals())
    rows = Rows.from_arguments(frame, label, scores, options, state)
    if state is None:
        messages = [
            f"no {rows_of_class} rows: label {label} is {value} everywhere. {check}."
            for rows_of_class, value, check in (
                ("positive", "false", "Check the spelling of the positive class"),
                ("negative", "true", "Check whether a filter has removed the negatives"),
            )
        ]
    else:
        messages = [
            f"no {rows_of_class} rows in the states. Check the label of the states."
            for rows_of_class in ("positive", "negative")
        ]
    table = evaluation(rows, options)
    return like(frame, table.map_batches(functools.partial(_warn, messages, rows, UserLine.calling())))


def _warn(messages: Sequence[str], rows: Rows, line: UserLine, table: pl.DataFrame) -> pl.DataFrame:
    """Warn of a missing class and of a NaN AUC.

    There is no warning if the query does not select these columns.
    """
    if {"scope", "n", "n_pos"} <= set(table.columns):
        overall = table.filter(pl.col("scope") == "overall")
        n, n_pos = overall["n"], overall["n_pos"]
        for message, is_absent in zip(messages, (n_pos == 0, n_pos == n), strict=True):
            if not overall.is_empty() and ((n > 0) & is_absent).all():
                warn(f"report: {message}", line)
    if not rows.skips_nan and "auc" in table.columns and table["auc"].is_nan().any():
        warn("report: " + "; ".join(rows.nan_messages()), line)
    return table
