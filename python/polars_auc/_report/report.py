"""From a frame to a report: one row for each group and score."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import polars as pl

from polars_auc._expressions.comparisons import roc_auc_compare
from polars_auc._expressions.folds import cv_roc_auc
from polars_auc._expressions.intervals import roc_auc_ci, roc_summary
from polars_auc._expressions.states import roc_auc_bounds
from polars_auc._frames.group_states import deferred, group_states
from polars_auc._frames.inputs import called, column_of, keys_of, refuse_keys, rows_of, scores_of
from polars_auc._frames.runs import Runs
from polars_auc._frames.segments import compare_segments
from polars_auc._plugin.options import adjustment, bootstrap, flag, one_of, told
from polars_auc._report.clusters import (
    adjusted_gains,
    differences_from_first,
    gains_of_first,
    label_of_clusters,
)
from polars_auc._report.rows import (
    GAINS,
    Extra,
    Finish,
    answer_column,
    of_aggregates,
    of_answers,
    of_bounds,
    of_clusters,
    of_comparison,
    of_folds,
    refuse_clashes,
    summary_column,
)
from polars_auc._report.stability import Reference
from polars_auc._report.together import OF_WEIGHTS, apart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polars_auc._frames.groupings import Groupings
    from polars_auc._frames.inputs import IntoFrame
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._plugin.options import Adjustment

__all__ = ["report"]


class Interval(TypedDict):
    """How the intervals of a report are made."""

    level: float
    ci: Literal["delong", "logit", "hanley_mcneil", "bootstrap"]
    interval: Literal["percentile", "bca"] | None
    n_resamples: int | None
    seed: int | None


def report(
    frame: IntoFrame,
    label: IntoExpr,
    scores: str | pl.Expr | Iterable[str | pl.Expr],
    *,
    by: str | Iterable[str] = (),
    level: float = 0.95,
    ci: Literal["delong", "logit", "hanley_mcneil", "bootstrap"] = "delong",
    interval: Literal["percentile", "bca"] | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    compare: bool = False,
    versus: object = None,
    along: str | None = None,
    adjust: Adjustment | None = "holm",
    folds: IntoExpr | None = None,
    stability: IntoExpr | None = None,
    count: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    weight: IntoExpr | None = None,
    memory: Literal["bounded"] | None = None,
    max_bins: int | None = None,
    scale: Literal["real", "probability"] | None = None,
    groupings: Groupings | None = None,
    sorted_by: str | Iterable[str] = (),
) -> pl.LazyFrame:
    """Return the evaluation of scores, by group and overall, as a lazy frame.

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
        :func:`polars_auc.roc_auc_ci`.
    compare
        Whether each score is compared with the first, on the rows in which no score is missing.
    versus
        What each group is compared with: see :func:`polars_auc.compare_segments`. This needs ``by``.
    along
        With ``versus="previous"``, the column of ``by`` whose previous value is meant, such as the year.
        Needed if ``by`` is several columns.
    adjust
        The adjustment of p-values: for groups by the number of groups, for scores by the number of scores
        that are compared with the first.
    folds
        The column with the fold of each row; adds the mean of the folds' AUCs.
    stability
        The rows of a reference, such as those that a model was built on: a condition such as
        ``pl.col("year") < 2016``, or a column of Booleans. Adds how far the scores of each group's other rows
        have moved from those of the reference: see :func:`polars_auc.population_stability`. The reference of
        a group is the reference's rows in the same group; but columns of ``by`` that the condition names do
        not divide it. So by month and segment, with a condition on the month, each month of a segment is held
        against the reference of the segment. Rows of a null condition are in neither. The label need not be
        known.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows, so ``GROUP BY segment, label, score`` of a database is
        enough.
    cluster
        A column that says which rows belong together, such as the rows of one patient, whose scores are not
        independent. The standard errors and limits are then Obuchowski's, also those of ``compare`` and
        ``versus``, or whole clusters are resampled: see :func:`polars_auc.roc_auc_ci`. Rows of a null cluster
        are skipped. Not possible with ``folds``, ``ci="hanley_mcneil"`` and ``interval="bca"``.
    weight
        The weight of each row, for samples whose rows were drawn with unequal probabilities: a column of
        finite numbers that are not negative. Rows of weight 0 or null are skipped. The standard errors are
        those of the infinitesimal jackknife: see :func:`polars_auc.roc_auc_ci`. ``n``, ``n_pos`` and
        ``n_missing`` count rows. Possible with ``ci="delong"`` and ``ci="logit"``, and not with ``compare``,
        ``versus``, ``folds``, ``stability``, ``count`` and ``cluster``.
    memory
        ``"bounded"`` reads the rows batch by batch and keeps only the states of groups, each of at most
        ``max_bins`` bins: see :func:`polars_auc.group_states`. ``compare``, ``versus``, ``folds``,
        ``stability``, ``cluster`` and ``weight`` need all rows at once and are not possible then.
    max_bins, scale
        With ``memory="bounded"``: how small states are. None is 4096 bins, on the scale of real numbers.
    groupings
        Several groupings in one report. ``"each"`` makes groups by each column of ``by`` alone; ``"rollup"``
        by all of them, by all but the last, and so on to the first alone; ``"cube"`` by every choice of them.
        Or the choices themselves, such as ``[["segment", "year"], ["year"]]``. None is one grouping, by all
        columns together. ``versus`` may then be ``"rest"`` or ``"overall"``.
    sorted_by
        Columns of ``by`` by which the rows come sorted, in any order: rows with equal values follow one
        another, as they do in a sorted file and in a scan of partitions. Groups are then read one after the
        other, and only some are in memory; the report is the same. It is checked while the rows are read.
        The overall rows need the label and one score of all rows. ``versus``, ``groupings``,
        ``stability`` and ``memory`` are not possible then.

    Returns
    -------
    polars.LazyFrame
        One row for each group and score, ordered by group, then one row for each score over all rows:

        - ``scope`` (String): ``"group"`` or ``"overall"``.
        - the columns ``by``; null in the overall rows.
        - ``score`` (String): the score's name.
        - ``n``, ``n_pos`` (UInt64): rows that were used, and the positives among them.
        - ``n_missing`` (UInt64): rows that were skipped because the label, the score or the cluster is null,
          or the weight is null or 0.
        - ``prevalence`` (Float64): ``n_pos / n``; with weights the positives' share of all weights.
        - ``auc``, ``se``, ``lower``, ``upper`` (Float64): :func:`polars_auc.roc_auc_ci`.
        - ``ks``, ``gini`` (Float64): :func:`polars_auc.roc_summary`.
        - with ``folds``: ``cv_auc``, ``cv_se``, ``cv_lower``, ``cv_upper`` (Float64), ``n_folds``,
          ``n_undefined`` (UInt64), of :func:`polars_auc.cv_roc_auc`.
        - with ``compare``: ``gain``, ``gain_lower``, ``gain_upper``, ``gain_p_value``, ``gain_p_adjusted``
          (Float64), the AUC minus that of the first score, from :func:`polars_auc.roc_auc_compare`, or with
          ``cluster`` from :func:`polars_auc.roc_auc_difference`; null for the first score.
        - with ``stability``: ``psi``, ``psi_p_value`` (Float64), ``psi_n``, ``psi_reference_n`` (UInt64) of
          :func:`polars_auc.population_stability`: the index, which is infinite if a band has rows of one
          sample only, its p-value (null with ``cluster``), the rows that are held against the reference, and
          the rows of the reference. ``psi_n`` is null if all rows of a group are of the reference. In a group
          of fewer than some hundred rows the index is large by chance.
        - with ``versus``: ``versus_auc``, ``difference``, ``difference_lower``, ``difference_upper``,
          ``p_value``, ``p_adjusted`` (Float64) of :func:`polars_auc.compare_segments`, null in the overall
          rows; and ``heterogeneity`` (Float64), ``heterogeneity_df`` (UInt64), ``heterogeneity_p_value``
          (Float64), null in the groups' rows.
        - with ``memory="bounded"``: ``auc_min``, ``auc_max`` (Float64), between which the AUC of the rows
          lies. The other numbers are those of rows of which those in one bin tie.
        - with ``groupings``: ``grouping`` (String), the columns that a group is made by, with commas; null in
          the overall rows. The other columns ``by`` are null there. The groupings come one after the other,
          and p-values are adjusted within each. There is no ``heterogeneity``.

        A number is null if it is undefined, and NaN if a score is NaN. If no row at all is positive, which
        is what a misspelt class gives, collecting the report warns.

    Raises
    ------
    ValueError
        If there is no score, two scores have one name, a group column has the name of a report column, there
        is one score only to compare, or ``versus`` is given without ``by``; for an ``along`` that
        :func:`polars_auc.compare_segments` refuses; if ``sorted_by`` names a column that is none of ``by``;
        for options that do not go together, and for options out of range.
    TypeError
        If the frame is no frame, a score, the cluster or the weight is neither name nor expression, or ``by``
        contains anything other than names.
    polars.exceptions.PolarsError
        For missing columns, for labels, scores or weights of another dtype, and for a weight that is negative
        or not finite; and, when the report is collected, if the rows do not come sorted by ``sorted_by``.

    Notes
    -----
    O(n log n) for each score; ``compare`` takes as long as :func:`polars_auc.roc_auc_compare`, whose time
    grows with the square of the number of scores and more.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {"site": ["a"] * 4 + ["b"] * 3, "ill": [0, 0, 1, 1, 0, 1, 1], "risk": [1, 3, 2, 4, 2, 1, 3]}
    ... )
    >>> pa.report(rows, "ill", "risk", by="site").select("scope", "site", "n", "auc").collect()
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
    >>> by_year.select("year", pl.col("auc", "se", "psi").round(3), "psi_n", "psi_reference_n").collect()
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
    limits = Interval(level=level, ci=ci, interval=interval, n_resamples=n_resamples, seed=seed)
    runs = keys_of("report", sorted_by, 'report(frame, "label", "score", by="segment", sorted_by="segment")')
    if runs:
        _refuse_in_runs(memory=memory, versus=versus, groupings=groupings, stability=stability)
    if memory is not None or max_bins is not None or scale is not None:
        one_of("report", "memory", memory, ("bounded",))
        given = {
            "compare": compare,
            "versus": versus,
            "along": along,
            "folds": folds,
            "stability": stability,
            "cluster": cluster,
            "weight": weight,
        }
        refused = next(
            (option for option, value in given.items() if value is not None and value is not False), None
        )
        if refused is not None:
            msg = f'report: {refused} needs all rows at once, and memory is "bounded"; leave one of them out'
            raise ValueError(msg)
        table = bounded_evaluation(
            frame,
            label,
            scores,
            by=by,
            interval=limits,
            count=count,
            max_bins=max_bins,
            scale=scale,
            groupings=groupings,
        )
    else:
        table = evaluation(
            frame,
            label,
            scores,
            by=by,
            interval=limits,
            compare=compare,
            versus=versus,
            along=along,
            adjust=adjust,
            folds=folds,
            stability=stability,
            count=count,
            cluster=cluster,
            weight=weight,
            groupings=groupings,
            runs=Runs(runs, is_claim=True) if runs else None,
        )
    said = f"report: no row is positive: the label {label} is false in all of them; is it written right?"
    return table.map_batches(functools.partial(_warned, said))


@called(
    "report",
    "roc_summary",
    "roc_auc_ci",
    "cv_roc_auc",
    "roc_auc_compare",
    "roc_auc_difference",
    "compare_segments",
    "population_stability",
    "roc_state",
)
def evaluation(
    frame: IntoFrame,
    label: IntoExpr,
    scores: str | pl.Expr | Iterable[str | pl.Expr],
    *,
    by: str | Iterable[str],
    interval: Interval,
    compare: bool,
    versus: object,
    along: str | None,
    adjust: Any,
    folds: IntoExpr | None,
    count: IntoExpr | None,
    stability: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    weight: IntoExpr | None = None,
    groupings: Groupings | None = None,
    runs: Runs | None = None,
) -> pl.LazyFrame:
    """Return a report that says nothing of a label without a positive."""
    keys = keys_of("report", by, 'report(frame, "label", "score", by="segment")')
    rows = rows_of("report", frame)
    schema = rows.collect_schema()
    refuse_clashes(keys)
    refuse_keys("report", keys, schema, nested=True)
    if runs is not None and (strange := next((key for key in runs.columns if key not in keys), None)):
        msg = f"report: sorted_by names {strange!r}, which is none of by: {', '.join(map(repr, keys))}"
        raise ValueError(msg)
    columns = scores_of("report", scores, rows, keys)
    adjustment("report", adjust)
    flag("report", "compare", compare)
    if compare and len(columns) < 2:
        msg = "report: compare needs two scores or more, got one"
        raise ValueError(msg)
    if versus is not None and not keys:
        msg = 'report: versus compares groups, but there are none; write by="segment"'
        raise ValueError(msg)
    if along is not None and versus is None:
        msg = 'report: along applies to versus="previous" only; leave it out, or write versus="previous"'
        raise ValueError(msg)
    _refuse_together(
        cluster=cluster,
        weight=weight,
        versus=versus,
        folds=folds,
        compare=compare,
        stability=stability,
        count=count,
    )
    if weight is not None:
        one_of("report", "ci", interval["ci"], ("delong", "logit", "hanley_mcneil", "bootstrap"))
        if interval["ci"] not in OF_WEIGHTS:
            msg = f'report: ci {interval["ci"]!r} cannot be combined with weight; take "delong" or "logit"'
            raise ValueError(msg)
    example = 'report(frame, "label", "score", cluster="patient")'
    clusters = None if cluster is None else column_of("report", "cluster", cluster, rows, example)
    answers: list[pl.Expr] = []
    extras: dict[str, Extra] = {}
    if clusters is None:
        for name, score in columns.items():
            summary = roc_summary(label, score, **interval, count=count, weight=weight)
            answers.append(summary.alias(summary_column(name)))
    else:
        label = label_of_clusters(column_of("report", "label", label, rows, example), clusters)
        answers += _answers_of_clusters(label, columns, clusters, interval, count)
        extras["clusters"] = of_clusters
    if folds is not None:
        for name, score in columns.items():
            cv = cv_roc_auc(label, score, folds, level=interval["level"], count=count)
            answers.append(cv.alias(answer_column("folds", name)))
        extras["folds"] = of_folds
    finishes: list[Finish] = []
    if compare and clusters is not None:
        level = interval["level"]
        pairs = differences_from_first(
            column_of("report", "label", label, rows, example), columns, clusters, level=level, count=count
        )
        places = {name: answer_column("difference", name) for name in pairs}
        answers += [difference.alias(places[name]) for name, difference in pairs.items()]
        extras["compare"] = functools.partial(gains_of_first, places, GAINS)
        finishes.append(functools.partial(adjusted_gains, compared=len(pairs), adjust=adjust))
    elif compare:
        joint = roc_auc_compare(
            label, *columns.values(), reference=0, adjust=adjust, level=interval["level"], count=count
        )
        answers.append(joint.alias(answer_column("comparison", "all")))
        extras["compare"] = functools.partial(of_comparison, list(columns))
    if stability is not None:
        # Rows in clusters are not independent, and no p-value knows how much less they say.
        reference = Reference.of(stability, rows, columns, count=count, has_p_values=clusters is None)
        finishes.append(reference.beside)
    if groupings is not None and versus not in (None, "rest", "overall"):
        msg = f'report: with groupings, versus must be "rest" or "overall", got {told(versus)}'
        raise ValueError(msg)

    def segments(by: list[str]) -> list[pl.LazyFrame]:
        return [
            compare_segments(
                rows,
                label,
                score,
                by,
                versus=versus,
                along=along,
                adjust=adjust,
                level=interval["level"],
                cluster=clusters,
                count=count,
            )
            for score in (columns.values() if versus is not None else ())
        ]

    plan = of_answers(rows, columns, answers, extras, keys, groupings, segments, finishes)
    if runs is None:
        return plan

    def table() -> pl.DataFrame:
        with called("report", "roc_summary", "cv_roc_auc", "roc_auc_compare"):
            groups, whole = runs.groups(rows, keys, answers), runs.overall(rows, answers)
        made = of_aggregates(lambda _: groups.lazy(), whole.lazy(), columns, extras, keys, finishes=finishes)
        return made.collect()

    return deferred(plan.collect_schema(), table)


def _refuse_together(**options: object) -> None:
    """Refuse options that do not go together."""
    found = apart([name for name, value in options.items() if value is not None and value is not False])
    if found is not None:
        msg = (
            f"report: {found.second} cannot be combined with {found.first}, because {found.why}; "
            f"{found.instead}"
        )
        raise ValueError(msg)


def _answers_of_clusters(
    label: pl.Expr,
    scores: Mapping[str, pl.Expr],
    cluster: pl.Expr,
    interval: Interval,
    count: IntoExpr | None,
) -> list[pl.Expr]:
    """Return the summaries of scores, and beside them the intervals that the summaries lack."""
    level, ci, limits = interval["level"], interval["ci"], interval["interval"]
    n_resamples, seed = interval["n_resamples"], interval["seed"]
    one_of("report", "ci", ci, ("delong", "logit", "hanley_mcneil", "bootstrap"))
    bootstrap("report", ci, n_resamples, seed, interval=limits, option="ci")
    answers = []
    for name, score in scores.items():
        answers.append(roc_summary(label, score, level=level, count=count).alias(summary_column(name)))
        limits_of_clusters = roc_auc_ci(
            label,
            score,
            method=ci,
            level=level,
            cluster=cluster,
            interval=limits,
            n_resamples=n_resamples,
            seed=seed,
            count=count,
        )
        answers.append(limits_of_clusters.alias(answer_column("clusters", name)))
    return answers


@called("report", "group_states", "roc_state", "roc_summary")
def bounded_evaluation(
    frame: IntoFrame,
    label: IntoExpr,
    scores: str | pl.Expr | Iterable[str | pl.Expr],
    *,
    by: str | Iterable[str],
    interval: Interval,
    count: IntoExpr | None,
    max_bins: int | None,
    scale: Literal["real", "probability"] | None,
    groupings: Groupings | None = None,
) -> pl.LazyFrame:
    """Return a report of rows that are read batch by batch."""
    keys = keys_of("report", by, 'report(frame, "label", "score", by="segment")')
    bins = 4096 if max_bins is None else max_bins
    states = group_states(frame, label, scores, by=keys, max_bins=bins, scale=scale, count=count)
    names = [name for name in states.collect_schema().names() if name not in keys]

    def of_states(made: pl.LazyFrame) -> pl.LazyFrame:
        return evaluation_of_states(made, names, by=keys, interval=interval, groupings=groupings)

    # The rows are read once, for groups and overall.
    return deferred(of_states(states).collect_schema(), lambda: of_states(states.collect().lazy()).collect())


@called("report", "roc_summary")
def evaluation_of_states(
    frame: pl.LazyFrame,
    states: list[str],
    *,
    by: list[str],
    interval: Interval,
    groupings: Groupings | None = None,
) -> pl.LazyFrame:
    """Return a report of columns of states, each the counted rows of one score.

    Between ``auc_min`` and ``auc_max`` lies the AUC of the rows; both are ``auc`` if the states are exact.
    """
    refuse_clashes(by)
    answers = []
    for name in states:
        answers.append(roc_summary(state=name, **interval).alias(summary_column(name)))
        answers.append(roc_auc_bounds(state=name).alias(answer_column("bounds", name)))
    return of_answers(frame, states, answers, {"bounds": of_bounds}, by, groupings)


def _refuse_in_runs(**given: object) -> None:
    refused = next((option for option, value in given.items() if value is not None), None)
    if refused is not None:
        msg = (
            f"report: {refused} is not possible with sorted_by, which reads one group after the other; leave "
            "one of them out"
        )
        raise ValueError(msg)


def _warned(said: str, table: pl.DataFrame) -> pl.DataFrame:
    """Warn if there are rows and none is positive; a query that selects other columns has not asked."""
    if {"scope", "n", "n_pos"} <= set(table.columns):
        overall = table.filter(pl.col("scope") == "overall")
        if (
            not overall.is_empty()
            and overall.select((pl.col("n") > 0) & (pl.col("n_pos") == 0)).to_series().all()
        ):
            warnings.warn(said, UserWarning, stacklevel=2)
    return table
