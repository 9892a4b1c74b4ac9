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
        Boolean, or an integer or float column that holds only 0 and 1.
    scores
        One or more numeric columns, higher meaning more positive: a name, an expression, an expression of
        several columns such as ``cs.starts_with("p_")`` or ``pl.col("a", "b")``, or a list of these. Names
        must be distinct. As in ``group_by``, an expression of several columns leaves out the columns ``by``.
    by
        The columns whose combinations make the groups.
    level
        The coverage of all intervals, between 0 and 1.
    ci, interval, n_resamples, seed
        The method of the interval, and the limits, resamples and seed of the bootstrap: see
        :func:`polars_auc.roc_auc_ci`. With ``ci="delong"`` groups are compared by DeLong, otherwise by
        Wilson: see the ``method`` of :func:`polars_auc.compare_segments`.
    compare
        Whether each score is compared with the first, on the rows in which no score is missing. The
        differences are a score minus the first one; :func:`polars_auc.compare_scores` and the other
        expressions of two scores take the second from the first.
    versus
        What each group is compared with, such as ``"rest"``, the mean AUC of the other groups, each within
        its group: see :func:`polars_auc.compare_segments`. This needs ``by``.
    along
        With ``versus="previous"``, the column of ``by`` whose previous value is meant, such as the year.
        Needed if ``by`` is several columns.
    adjust
        The adjustment of p-values for the number of all tests in their column: those of all groups, all
        scores and, for ``compare`` and ``calibration``, also the overall rows. None adjusts nothing.
    calibration
        Whether the scores are right as probabilities, from 0 to 1. Adds the Brier score, the log loss,
        observed over expected positives and the calibration slope. The intervals take rows as independent, so
        that it is not possible with ``cluster``.
    folds
        The column with the fold of each row; adds the mean of the folds' AUCs.
    user, user_average
        The column with the user of each row, if scores order what one user sees, such as items of a feed; or
        with the query or session. Adds the mean of the users' AUCs (GAUC), in which all users count alike
        (None or ``"macro"``), or by their ``"rows"``, ``"positives"`` or ``"pairs"``: see
        :func:`polars_auc.grouped_roc_auc`. Not possible with ``cluster``.
    stability
        The rows of a reference, such as those that a model was built on: a condition such as
        ``pl.col("year") < 2016``, or a column of Booleans. Adds the population stability index of the scores
        of each group's other rows: see :func:`polars_auc.population_stability`. The reference of a group is
        the reference's rows in the same group. Columns of ``by`` in the condition do not split the reference.
        Example: by month and segment, with a condition on the month, each month is compared with the
        reference of its segment. Rows with a null condition are in neither sample. Unlabelled rows count, but
        states contain only labelled rows.
    count
        The number of identical rows that each row represents: a column of integers that are not negative.
        The result is that of the repeated rows, so ``GROUP BY segment, label, score`` of a database is
        enough.
    cluster
        A column that says which rows belong together, such as the rows of one patient, whose scores are not
        independent. The standard errors and limits are then Obuchowski's, also those of ``compare`` and
        ``versus``, or whole clusters are resampled: see :func:`polars_auc.roc_auc_ci`. Rows of a null cluster
        are skipped. Not possible with ``calibration``, ``folds``, ``user``, ``memory``,
        ``ci="hanley_mcneil"``, ``ci="obuchowski"`` and ``interval="bca"``.
    weight
        The weight of each row, for samples whose rows were sampled with unequal probabilities: a column of
        finite numbers that are not negative. Rows of weight 0 or null are skipped. The standard errors are
        those of the infinitesimal jackknife: see :func:`polars_auc.roc_auc_ci`. ``n``, ``n_pos`` and
        ``n_missing`` count rows. Possible with ``ci="wilson"``, ``"delong"`` and ``"logit"``, and not with
        ``user``, ``count`` and ``memory``; with ``versus`` not together with ``cluster``. The index of
        ``stability`` has no p-value then.
    low_is_positive
        Whether low scores are positive, as in a scorecard where many points are good. All numbers are
        computed from the negated scores, exact for every dtype.
    nan
        ``"skip"`` takes a score that is NaN for missing: the row is skipped, and counted in ``n_missing`` and
        in ``n_nan``. None makes the numbers of such a group NaN, with a warning that has the number of such
        rows in each group.
    memory
        ``"bounded"`` reads the rows batch by batch and keeps only the states of groups, each of at most
        ``max_bins`` bins: see :func:`polars_auc.group_states`. Rows are kept as they are until their states
        take less memory, so many small groups need about the same memory as without it. Groups are compared
        by rows if none has more rows than ``max_bins``, ``versus`` is ``"rest"``, ``"previous"`` or a group,
        and ``groupings`` and ``count`` are not set. All other comparisons use states. ``compare``, ``folds``,
        ``user``, ``stability``, ``cluster`` and ``weight`` need all rows at once and are not supported.
    max_bins, scale
        With ``memory="bounded"``: how small states are. None is 4096 bins, on the scale of real numbers.
    groupings
        Several groupings in one report. ``"each"`` makes groups by each column of ``by`` alone; ``"rollup"``
        by all of them, by all but the last, and so on to the first alone; ``"cube"`` by every choice of them.
        Or the choices themselves, such as ``[["segment", "year"], ["year"]]``. None is one grouping, by all
        columns together. ``versus`` may then be ``"rest"``, ``"pooled_rest"`` or ``"overall"``.
    sorted_by
        Columns of ``by`` by which the rows are sorted, in any order: rows with equal values follow one
        another, as they do in a sorted file and in a scan of partitions. Groups are then read one after the
        other, and only some are in memory; the report is the same. The order is checked while the rows are
        read. The overall rows need the label and one score of all rows. ``versus``, ``groupings``,
        ``stability`` and ``memory`` are not supported.
    state
        Columns of states from :func:`polars_auc.roc_state` in place of ``label`` and ``scores``, in the same
        forms as scores; each has the name of its score. The states of a group are merged, so a frame of
        states by day and segment supports reports by either. The report of exact states equals the report of
        the rows. ``folds``, ``user`` and ``stability`` are the fold, the user and the reference condition of
        a state. ``compare``, ``cluster``, ``weight``, ``count``, ``nan``, ``low_is_positive``, ``sorted_by``
        and ``memory`` need rows.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``frame`` is lazy
        One row for each group and score, ordered by group, then one row for each score over all rows:

        - ``scope`` (String): ``"group"`` or ``"overall"``.
        - the columns ``by``; null in the overall rows.
        - ``score`` (String): the score's name.
        - ``n``, ``n_pos`` (UInt64): rows that were used, and the positives among them.
        - ``n_missing`` (UInt64): rows that were skipped because the label, the score or the cluster is null,
          or the weight is null or 0.
        - ``n_unlabelled`` (UInt64): skipped rows where only the label is null, such as new rows whose outcome
          is not known yet. Null in a report of states, and with ``memory="bounded"``, because states do not
          distinguish them.
        - ``prevalence`` (Float64): ``n_pos / n``; with weights the positives' share of all weights.
        - ``auc``, ``se``, ``lower``, ``upper`` (Float64): :func:`polars_auc.roc_auc_ci`.
        - ``ks``, ``gini``, ``gini_lower``, ``gini_upper`` (Float64): :func:`polars_auc.roc_summary`.
        - with ``calibration``: ``brier_score``, ``log_loss`` (Float64) of :func:`polars_auc.brier_score` and
          :func:`polars_auc.log_loss`; ``observed_expected``, ``observed_expected_lower``,
          ``observed_expected_upper``, ``observed_minus_expected``, ``observed_minus_expected_se``,
          ``calibration_slope``, ``calibration_slope_lower``, ``calibration_slope_upper``,
          ``calibration_p_value``, ``calibration_p_adjusted`` (Float64) of
          :func:`polars_auc.calibration_summary`; the p-value is that of observed over expected. Null for
          states that are not exact.
        - with ``folds``: ``cv_auc``, ``cv_se``, ``cv_lower``, ``cv_upper`` (Float64), ``n_folds``,
          ``n_undefined`` (UInt64), of :func:`polars_auc.cv_roc_auc`.
        - with ``user``: ``user_auc``, ``user_se``, ``user_lower``, ``user_upper`` (Float64), ``n_users``,
          ``n_users_undefined`` (UInt64): the mean of the users' AUCs, its standard error and interval, the
          users that have an AUC, and those that have none, of :func:`polars_auc.grouped_roc_auc`.
        - with ``compare``: ``first_auc``, ``delta_auc``, ``delta_auc_lower``, ``delta_auc_upper``,
          ``delta_auc_p_value``, ``delta_auc_p_adjusted`` (Float64), the AUC of the first score, and the AUC
          of this one minus it, both on the rows that have all scores, from
          :func:`polars_auc.compare_scores`, or with ``cluster`` from :func:`polars_auc.roc_auc_difference`;
          null for the first score.
        - with ``stability``: ``psi``, ``psi_p_value`` (Float64), ``psi_n``, ``psi_reference_n`` (UInt64) of
          :func:`polars_auc.population_stability`: the index, its p-value, the rows outside of the reference,
          and the rows of the reference. The index is infinite if a band has rows of one sample only. The
          p-value is null with ``cluster`` or ``weight``. ``psi_n`` is null if all rows of a group are of the
          reference. In a group of fewer than some hundred rows the index is large by chance.
        - with ``nan="skip"``: ``n_nan`` (UInt64), rows with a label that were skipped because the score is
          NaN; they are among ``n_missing``.
        - with ``versus``: ``versus_auc``, ``difference``, ``difference_lower``, ``difference_upper``,
          ``p_value``, ``p_adjusted`` (Float64) of :func:`polars_auc.compare_segments`, null in the overall
          rows; and ``within_auc`` (Float64), the mean AUC within groups, with ``heterogeneity`` (Float64),
          ``heterogeneity_df`` (UInt64) and ``heterogeneity_p_value`` (Float64), null in the groups' rows.
        - with ``memory="bounded"`` or ``state``: ``auc_min``, ``auc_max`` (Float64), the bounds of the AUC of
          the rows, and ``exact`` (Boolean), whether no bin joins several scores, so that all numbers equal
          those of the rows. Otherwise ``auc_min`` and ``auc_max`` differ, and the other numbers are
          approximate: scores in the same bin count as ties. Comparisons of groups by states use the bins of
          all groups together.
        - with ``groupings``: ``grouping`` (String), the columns of the grouping, separated by commas; null in
          the overall rows. Columns of ``by`` outside of the grouping are null. Groupings follow one another,
          and p-values are adjusted over all of them. There is no ``within_auc`` and no ``heterogeneity``.

        A number is null if it is undefined, and NaN if a score is NaN (with a warning).
        There is also a warning if no row is positive, as with a misspelt class, or if all rows are. A lazy
        report warns when it is collected, and names the line that created it.

    Notes
    -----
    Rows of a LazyFrame are read batch by batch, and only the label and the scores stay in memory.
    ``compare``, ``versus``, ``groupings``, ``folds``, ``user``, ``stability``, ``count``, ``cluster``,
    ``weight`` and a bootstrap need all columns that they use at once.

    O(n log n) for each score; ``compare`` takes as long as :func:`polars_auc.compare_scores`, whose time
    grows with the square of the number of scores and more.

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

    The scores of rows in clusters, and how far they have moved since 2015:

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
