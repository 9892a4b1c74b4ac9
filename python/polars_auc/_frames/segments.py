"""Comparisons of segments of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import polars.selectors as cs

from polars_auc._frames.inputs import called, column_of, keys_of, like, refuse_keys, rows_of
from polars_auc._plugin.call import expression
from polars_auc._plugin.errors import OptionError
from polars_auc._plugin.options import format_value
from polars_auc._plugin.periods import sorted_groups

if TYPE_CHECKING:
    from polars_auc._frames.inputs import ArrowStream, Frame
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._plugin.options import Adjustment

_EXAMPLE = 'compare_segments(frame, "label", "score", "segment")'

_STATE_EXAMPLE = 'compare_segments(frame, state="state", by="segment")'

_COMPARED = ("rest", "pooled_rest", "overall", "previous")

# Names that no column of a user has.
IS_SEGMENT = "polars_auc: is a segment"
_SEGMENTS = "polars_auc: segments"


@called("compare_segments")
def compare_segments(
    frame: Frame | ArrowStream,
    label: IntoExpr | None = None,
    score: IntoExpr | None = None,
    by: str | Iterable[str] = (),
    *,
    versus: object = "rest",
    along: str | None = None,
    method: Literal["wilson", "delong"] = "wilson",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    margin: float | None = None,
    adjust: Adjustment | None = "holm",
    level: float = 0.95,
    weight: IntoExpr | None = None,
    cluster: IntoExpr | None = None,
    count: IntoExpr | None = None,
    state: IntoExpr | None = None,
) -> Frame:
    """Return the AUC of every segment with its interval, and its comparison with other rows, as a lazy frame.

    Parameters
    ----------
    frame
        The rows: a DataFrame, or a LazyFrame such as ``pl.scan_parquet(...)``; or a table of another library
        that has the Arrow PyCapsule interface, such as pandas, PyArrow and DuckDB.
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    by
        The columns whose combinations make the segments, as in ``group_by``: null is a value like any other.
    versus
        What each segment is compared with:

        - ``"rest"``: all other segments: the weighted mean of their AUCs, each within its segment.
        - ``"pooled_rest"``: all other segments' rows together. Their AUC also ranks rows of different
          segments against each other, as no segment by itself can. If segments differ in their rates of
          positives, a segment is then lower than this rest without being ranked any worse.
        - ``"overall"``: all rows together, including those of the segment, with the same flaw.
        - ``"previous"``: the segment with the previous value of ``along`` and the same values of all other
          columns; for months and other periods. Texts with the same letters are in the order of their
          numbers, W9 before W10; texts without an order, such as ``Sep 2026``, are refused.
        - any other value: the segment with this value, as a reference; a tuple if ``by`` is several columns.
          If the name of a segment is one of the words above, write it as a tuple, ``("rest",)``.
    along
        With ``versus="previous"``, the column of ``by`` whose previous value is meant, such as the year:
        each segment is compared with the one before it in ascending order of this column, within the other
        columns. Periods without a row are passed over. Needed if ``by`` is several columns.
    method
        - ``"wilson"``: intervals, and the test of a difference, by the method of that name of
          :func:`polars_auc.roc_auc_ci`. It keeps its level with few positives.
        - ``"delong"``: by DeLong's standard errors, as pROC's unpaired test. With few positives, or an AUC
          near 1, it finds differences that are not there.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. The intervals are always
        two-sided.
    null
        The value that is tested; 0 by default.
    margin
        With a margin, a small p-value shows that the value is above ``null - margin``
        (``alternative="greater"``: not inferior), below ``null + margin`` (``"less"``), or between both
        (``"two-sided"``: equivalent, by two one-sided tests).
    adjust
        The adjustment of the p-values for the number of segments: see :func:`polars_auc.adjust_p_values`.
    level
        The coverage, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers that are not negative. Rows of weight 0 or null are
        left out. Weights are for rows sampled with unequal probabilities. The standard errors are
        then those of the infinitesimal jackknife. Not possible with ``cluster``.
    cluster
        A column of clusters: the rows of one cluster, such as those of one customer, are not independent. A
        cluster is of one segment, or of several. Rows without a cluster are skipped. All standard errors are
        then Obuchowski's (1997), and degrees of freedom count clusters. There can be at most 4096 segments.
    count
        The number of identical rows that each row stands for: a column of integers that are not negative.
        The answer is that of the repeated rows. Rows of count 0 or null are left out.
    state
        A column of states from :func:`polars_auc.roc_state` in place of ``label`` and ``score``: one or more
        for each segment, which are merged. With ``max_bins`` all numbers are approximate: scores in one bin
        of all states merged count as ties, so that segments with bins of different width can be compared. Not
        possible with ``cluster``, because a state does not say which rows belong together. Of states of rows
        with weights all areas are weighted; ``exact`` then says that no order of rows was lost. Standard
        errors and comparisons are null where squares of weights are not known: see
        :func:`polars_auc.roc_state`.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``frame`` is lazy
        One row for each segment, in ascending order, null last:

        - the columns ``by``.
        - ``n_pos``, ``n_neg`` (UInt64): the rows that were used.
        - ``auc``, ``se``, ``lower``, ``upper`` (Float64): as :func:`polars_auc.roc_auc_ci` by the same
          method.
        - ``versus_auc`` (Float64): the AUC that the segment is compared with; of ``"rest"`` a mean of AUCs.
        - ``difference``, ``difference_se``, ``difference_lower``, ``difference_upper`` (Float64): the AUC of
          the segment minus the other AUC.
        - ``statistic``, ``df``, ``p_value`` (Float64): the test of ``null``.
        - ``p_adjusted`` (Float64): the p-value adjusted for the number of segments.
        - ``within_auc`` (Float64): the weighted mean of the AUCs of all segments, the same in every row.
        - ``heterogeneity`` (Float64), ``heterogeneity_df`` (UInt64), ``heterogeneity_p_value`` (Float64): the
          test that all segments have one AUC, the same in every row.
        - ``n_clusters`` (UInt64): the clusters that have rows of the segment; only with ``cluster``.
        - ``exact`` (Boolean): whether all numbers of the table are those of the rows, since no bin of the
          states holds positives and negatives of several scores; the same in every row; only with ``state``.

        A field is null if it is undefined: an AUC without positives or without negatives, a comparison with
        nothing (the first period has no previous one, nor has a null, and the reference is not compared with
        itself), a test with fewer than two rows of a class, where ``difference`` is still known (with
        ``cluster``: fewer than two clusters with a positive, or with a negative). Such segments have no
        standard error, and are left out of ``within_auc`` and of the mean of the rest. With fewer than two
        segments that have one, these are means of all AUCs, and no comparison with the rest has a p-value.
        With ``"delong"``, segments with a standard error of 0 are not used in the test of heterogeneity,
        ``p_value`` is null where a standard error is 0, and ``df`` is null against all rows, where the normal
        distribution is used. Rows with a null label, score or weight are skipped. If a segment has a NaN
        score, its numbers are NaN, and so are those of every comparison with its rows, ``within_auc`` and the
        test of heterogeneity.

    Notes
    -----
    ``"wilson"``: see :func:`polars_auc.unpaired_roc_auc_difference`; the comparison with all rows uses the
    correlation with the segment (Zou 2007). ``Q = sum w (A - mean)²`` with ``w = 1 / V`` (Cochran 1954),
    where V is the variance of each area if the mean is the true one, and that mean has the weights of the
    variances under 1/2.

    ``"delong"``: ``(A1 - A2) / sqrt(V1 + V2)`` with DeLong variances, against Student's t with
    ``(V1 + V2)² / (V1² / (n1 - 1) + V2² / (n2 - 1))`` degrees of freedom (Welch, Satterthwaite), as pROC's
    unpaired test. The comparison with all rows subtracts the covariance with the segment and uses the normal
    distribution. Q has ``w = 1 / V`` with DeLong variances. O(n log n).

    The rest is ``A2 = sum w A / sum w`` over all other segments, with ``V2 = sum w² V / (sum w)²`` and the
    rows of all. A segment of m positives and n negatives has the weight ``w = m n / (m + n + 1)`` (van
    Elteren 1960): one over the variance of its AUC, but for a factor, if scores say nothing of the label. The
    weights depend on counts alone, and not on the AUCs that are compared. With two segments, the rest is the
    other one. Equal AUCs differ at 5 % in about 5 of 100 tests whatever the rates of positives are, where the
    pooled rest may err in nearly all (``benches/results/segments.csv``).

    With weights V are the variances of :func:`polars_auc.roc_auc_ci`, and degrees of freedom count rows, or
    with ``"wilson"`` effective rows, ``(sum w)² / sum w²``. The covariance with all rows is
    ``sum w² (v - A1) (v' - A2) / (W1 W2)`` over the segment's positives, with placements v in it and v' in
    all rows, plus the same over its negatives. In the mean of the rest m is the number of positives of all
    segments, times the segment's share of their weights, and n is that of negatives: with equal weights, the
    counts. Against the pooled rest O(n log n), and O(n) more for each segment that has more than an eighth of
    the weights of a class, or whose rest hardly varies.

    With ``cluster``, areas have a covariance C. By ``"wilson"`` their correlation is ``C / sqrt(V1 V2)``. By
    ``"delong"`` the statistic is ``(A1 - A2) / sqrt(V1 + V2 - 2 C)``, against Student's t with the degrees of
    freedom above. There n1 and n2 are numbers of clusters: of those that hold a positive and those that hold
    a negative, the fewer. Each placement less its mean is summed over the rows of a cluster, and C is the
    sum, over the clusters that have rows of both, of the products of these sums, as in Obuchowski (1997,
    equations 2 to 5); of k clusters it is multiplied by ``k / (k - 1)``, with k of the AUC that has fewer. It
    is 0 if no cluster has rows of both. Of the rest, V2 also has ``2 w w' C / (sum w)²`` of each pair of
    segments, and C is ``sum w C / sum w``. If clusters span segments, the test of heterogeneity is
    ``(L A)' (L V L')⁺ (L A)``, with contrasts L of each segment and the first and the covariance matrix V of
    all AUCs A, against chi-square with the rank of ``L V L'``; otherwise it is Q. For k segments O(n k)
    against the pooled rest, and O(k³) if clusters span segments.

    With few clusters the test by ``"delong"`` is too sure of itself. At 5 % it rejects equal AUCs in 5.9 to
    6.0 of 100 samples with 20 clusters in each of three segments, and in 6.4 to 8.7 with ten clusters in each
    of six. The test by ``"wilson"`` rejects in 1.9 to 3.6 and in 1.8 to 2.2
    (``benches/results/small_samples.csv``).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {
    ...         "site": ["a"] * 5 + ["b"] * 5 + ["c"] * 5,
    ...         "ill": [0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1],
    ...         "risk": [1, 3, 2, 4, 5, 2, 1, 3, 3, 4, 1, 2, 2, 4, 5],
    ...     }
    ... )
    >>> table = pa.compare_segments(rows, "ill", "risk", "site")
    >>> table.select("site", pl.col("auc", "versus_auc", "p_value", "p_adjusted").round(3))
    shape: (3, 5)
    ┌──────┬───────┬────────────┬─────────┬────────────┐
    │ site ┆ auc   ┆ versus_auc ┆ p_value ┆ p_adjusted │
    │ ---  ┆ ---   ┆ ---        ┆ ---     ┆ ---        │
    │ str  ┆ f64   ┆ f64        ┆ f64     ┆ f64        │
    ╞══════╪═══════╪════════════╪═════════╪════════════╡
    │ a    ┆ 0.833 ┆ 0.667      ┆ 0.643   ┆ 1.0        │
    │ b    ┆ 0.583 ┆ 0.792      ┆ 0.572   ┆ 1.0        │
    │ c    ┆ 0.75  ┆ 0.708      ┆ 0.91    ┆ 1.0        │
    └──────┴───────┴────────────┴─────────┴────────────┘

    The same of states, such as one a day, where rows are no longer at hand:

    >>> states = rows.group_by("site").agg(state=pa.roc_state("ill", "risk"))
    >>> pa.compare_segments(states, state="state", by="site").drop("exact").equals(table)
    True
    """
    name = "compare_segments"
    example = _EXAMPLE if state is None else _STATE_EXAMPLE
    keys = keys_of(name, by, example)
    if not keys or len(set(keys)) < len(keys):
        msg = f"{name}: by must be column names, each once, got {keys}. Hint: write {example}"
        raise ValueError(msg)
    rows = rows_of(name, frame)
    schema = rows.collect_schema()
    refuse_keys(name, keys, schema, nested=False)
    observed = _observed(rows, keys, versus, {"score": score, "label": label, "state": state})
    if weight is not None and cluster is not None:
        reason = "cannot be combined with `cluster`: no standard error is implemented for weighted clusters"
        raise OptionError(name, "weight", reason, "leave one of them out")
    segments, compared = _segments(versus, along, {key: schema[key] for key in keys})
    answer = expression(
        name,
        {**observed, "weight": weight, "count": count, "cluster": cluster, **segments},
        state_roles=("by", "reference"),
        **compared,
        method=method,
        adjust=adjust,
        level=level,
        alternative=alternative,
        null=null,
        margin=margin,
    )
    axis = _axis(along, versus, {key: schema[key] for key in keys})
    return like(frame, _one_row_a_segment(rows, answer, keys, axis))


def summaries_of_segments(
    rows: pl.LazyFrame,
    inputs: Mapping[str, Mapping[str, Any]],
    keys: Sequence[str],
    versus: object,
    along: str | None,
    limits: Mapping[str, Any],
) -> pl.LazyFrame:
    """Return a struct of numbers for each score, in a row for each segment and one for all rows.

    ``inputs`` has a label and a score for each name of a struct, which no column of a user has. The fields
    are those of a report: of a summary, and of :func:`compare_segments` without adjustment. In the row of
    all rows, ``IS_SEGMENT`` is false and the columns of the segments are null.
    """
    schema = rows.collect_schema()
    refuse_keys("compare_segments", list(keys), schema, nested=False)
    segments, compared = _segments(versus, along, {key: schema[key] for key in keys})
    answers = (
        expression(
            "roc_summary",
            {**columns, **segments},
            **compared,
            adjust=None,
            alternative="two-sided",
            **limits,
        ).alias(name)
        for name, columns in inputs.items()
    )
    table = rows.select(answers).explode(cs.all())
    segment = pl.col(next(iter(inputs))).struct.field("segment")
    return table.with_columns(
        segment.is_not_null().alias(IS_SEGMENT), *(segment.struct.field(key) for key in keys)
    )


def _segments(
    versus: object, along: str | None, keys: dict[str, pl.DataType]
) -> tuple[dict[str, pl.Expr], dict[str, Any]]:
    """Return the columns and the options that say what segments are, and what each is compared with."""
    is_word = isinstance(versus, str) and versus in _COMPARED
    axis = _axis(along, versus, keys)
    # Segments that differ in the last field alone then follow one another.
    ordered = [*(key for key in keys if key != axis), *([] if axis is None else [axis])]
    columns = {"by": pl.struct(pl.col(key) for key in ordered)}
    if is_word:
        return columns, {"versus": versus, "reference": None}
    return {**columns, "reference": is_reference(versus, keys)}, {"versus": None, "reference": repr(versus)}


def _observed(
    rows: pl.LazyFrame, keys: list[str], versus: object, columns: dict[str, IntoExpr | None]
) -> dict[str, IntoExpr | None]:
    """Check that the score and the label, or the states, are one column each; None stays."""
    several = f'report(frame, "label", ["score_a", "score_b"], by={keys}, versus={format_value(versus)})'
    examples = {"score": f"{_EXAMPLE}, or {several}", "label": _EXAMPLE, "state": _STATE_EXAMPLE}
    return {
        role: None if column is None else column_of("compare_segments", role, column, rows, examples[role])
        for role, column in columns.items()
    }


def _one_row_a_segment(
    rows: pl.LazyFrame, answer: pl.Expr, keys: list[str], axis: str | None
) -> pl.LazyFrame:
    """Turn the answer, a list of records, into rows with the columns of segments, in order."""
    # Without a row there is no segment, but an empty list explodes to a null.
    segments = rows.select(answer.alias(_SEGMENTS)).explode(_SEGMENTS).filter(pl.col(_SEGMENTS).is_not_null())
    answered = segments.collect_schema()[_SEGMENTS]
    names = [field.name for field in answered.fields if field.name != "segment"]  # type: ignore[attr-defined]
    clash = next((key for key in keys if key in names), None)
    if clash is not None:
        msg = (
            f"compare_segments: the column {clash!r} has the name of another column of the result. Hint: "
            "rename it"
        )
        raise ValueError(msg)
    each = pl.col(_SEGMENTS).struct
    # Named one by one, fields have the order in which they are asked for.
    key_columns = (each.field("segment").struct.field(key) for key in keys)
    return sorted_groups(segments.select(*key_columns, each.field(*names)), keys, axis)


def _axis(along: str | None, versus: object, keys: dict[str, pl.DataType]) -> str | None:
    """Return the column whose previous value is meant, if one is."""
    name = "compare_segments"
    if not (isinstance(versus, str) and versus == "previous"):
        if along is not None:
            reason = f'applies to `versus="previous"` only, and `versus` is {versus!r}'
            raise OptionError(name, "along", reason, 'leave it out, or write `versus="previous"`')
        return None
    if along is None and len(keys) == 1:
        return next(iter(keys))
    names = list(keys)
    likely = next((key for key, dtype in keys.items() if dtype.is_temporal()), names[-1])
    if along is None:
        reason = f"needs the column whose previous value is meant, since `by` is {names}"
        hint = f"write `along={likely!r}`, which compares within the other columns"
        raise OptionError(name, "", f'`versus="previous"` {reason}', hint)
    if along not in names:
        raise OptionError(name, "along", f"must be one of the columns of `by`, {names}, got {along!r}")
    return along


def is_reference(versus: object, keys: dict[str, pl.DataType]) -> pl.Expr:
    """Say of each row whether it is of the reference, which is compared as Polars compares values."""
    values = versus if isinstance(versus, tuple) else (versus,)
    words = ", ".join(map(repr, _COMPARED))
    if len(values) != len(keys):
        reason = (
            f"must be one of {words}, or a segment with a value for each of the {len(keys)} columns of "
            f"`by`, got {format_value(versus)}"
        )
        raise OptionError("compare_segments", "versus", reason)
    if any(value is None for value in values):
        reason = f"must name a segment by values that are not null, got {versus!r}"
        raise OptionError("compare_segments", "versus", reason)
    conditions = []
    for (key, dtype), value in zip(keys.items(), values, strict=True):
        reason = f"must be one of {words} or a segment, got {format_value(value)} for {key!r}: {dtype}"
        refusal = OptionError("compare_segments", "versus", reason)
        if (isinstance(value, bool) and dtype != pl.Boolean) or not _is_one_value(value):
            raise refusal
        try:
            meant = _read(value, dtype) if isinstance(value, str) else pl.lit(value)
            condition = pl.col(key) == meant
            # Values that cannot be compared with the column are refused here, not when rows are there.
            pl.DataFrame(schema={key: dtype}).select(condition)
        except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
            raise refusal from error
        conditions.append(condition)
    return pl.all_horizontal(conditions).fill_null(value=False)


def _is_one_value(value: object) -> bool:
    """Say whether a value can be that of a segment: Polars takes no Decimal without digits, and panics."""
    if isinstance(value, Decimal):
        return value.is_finite()
    return isinstance(value, str | bytes) or not isinstance(value, Iterable | pl.Expr)


def _read(text: str, dtype: pl.DataType) -> pl.Expr:
    """Read a segment's text as a value of the column, as a command line has nothing else."""
    if dtype == pl.Boolean and text.lower() in ("true", "false"):
        return pl.lit(text.lower() == "true")
    if dtype == pl.Date:
        return pl.lit(pl.select(pl.lit(text).str.to_date()).item())
    if isinstance(dtype, pl.Datetime):
        zone = dtype.time_zone
        read = pl.lit(text).str.to_datetime(time_unit=dtype.time_unit)
        return pl.lit(pl.select(read.dt.replace_time_zone(zone)).to_series())
    if dtype.is_numeric():
        return pl.lit(pl.select(pl.lit(text).str.strip_chars().cast(dtype, strict=True)).to_series())
    return pl.lit(text)
