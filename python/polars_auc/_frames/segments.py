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

# Reserved names: no user column has them.
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
        with the Arrow PyCapsule interface, such as pandas, PyArrow and DuckDB.
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    score
        Any numeric or Boolean column; higher means more positive.
    by
        The columns whose combinations define the segments, as in ``group_by``: null is a regular value.
    versus
        The comparator of each segment:

        - ``"rest"``: all other segments: the weighted mean of their AUCs, each within its segment.
        - ``"pooled_rest"``: the rows of all other segments together. Their AUC also ranks rows of different
          segments against each other. If the rates of positives differ, a segment may then be below this
          rest without a worse ranking.
        - ``"overall"``: all rows together, including those of the segment, with the same bias.
        - ``"previous"``: the segment with the previous value of ``along`` and the same values of all other
          columns; for months and other periods. Texts with the same letters are sorted by their numbers, W9
          before W10; texts with an ambiguous order, such as ``Sep 2026``, are rejected.
        - any other value: the segment with this value, as a reference; a tuple if ``by`` is several columns.
          If the name of a segment is one of the words above, write it as a tuple, ``("rest",)``.
    along
        With ``versus="previous"``, the column of ``by`` that defines the order, such as the year. Each
        segment is compared with the previous one in ascending order of this column, within the other columns.
        Periods without a row are skipped. Required if ``by`` is several columns.
    method
        - ``"wilson"``: intervals, and the test of a difference, by the same method of
          :func:`polars_auc.roc_auc_ci`. It keeps its level with few positives.
        - ``"delong"``: by DeLong's standard errors, as pROC's unpaired test. With few positives, or an AUC
          near 1, it rejects too often.
    alternative
        The alternative hypothesis: ``"two-sided"``, ``"greater"`` or ``"less"``. The intervals are always
        two-sided.
    null
        The value under the null hypothesis; 0 by default.
    margin
        Tests against a bound instead of ``null``. A small p-value shows that the value is above ``null -
        margin`` (``alternative="greater"``: non-inferiority), below ``null + margin`` (``"less"``), or
        between both (``"two-sided"``: equivalence, by two one-sided tests).
    adjust
        The adjustment of the p-values for the number of segments: see :func:`polars_auc.adjust_p_values`.
    level
        The confidence level, between 0 and 1.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped. Weights are for rows sampled with unequal probabilities. The standard errors are then those
        of the infinitesimal jackknife; with ``cluster``, of whole clusters.
    cluster
        The cluster of each row, such as the customer: rows of the same cluster are not independent. A cluster
        may span segments. Rows without a cluster are skipped. All standard errors are then Obuchowski's
        (1997), and degrees of freedom count clusters. The limit is 4096 segments.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more. The result
        equals the result of the repeated rows. Rows with a count of 0 or null are skipped.
    state
        A column of states from :func:`polars_auc.roc_state`, mutually exclusive with ``label`` and ``score``.
        There are one or more for each segment, which are merged. With ``max_bins`` all numbers are
        approximate: scores in one bin of all merged states count as ties, so that segments with bins of
        different width are comparable. Mutually exclusive with ``cluster``, because a state has no clusters.
        For states of weighted rows all AUCs are weighted; ``exact`` then means that the order of all rows is
        exact. Standard errors and comparisons are null if states have no squared weights: see
        :func:`polars_auc.roc_state`.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``frame`` is lazy
        One row for each segment, in ascending order, null last:

        - the columns ``by``.
        - ``n_pos``, ``n_neg`` (UInt64): the number of rows used.
        - ``auc``, ``se``, ``lower``, ``upper`` (Float64): as :func:`polars_auc.roc_auc_ci` by the same
          method.
        - ``versus_auc`` (Float64): the AUC of the comparator; for ``"rest"`` a mean of AUCs.
        - ``difference``, ``difference_se``, ``difference_lower``, ``difference_upper`` (Float64): the AUC of
          the segment minus the other AUC.
        - ``statistic``, ``df``, ``p_value`` (Float64): the test of ``null``.
        - ``p_adjusted`` (Float64): the p-value adjusted for the number of segments.
        - ``within_auc`` (Float64): the weighted mean of the AUCs of all segments, the same in every row.
        - ``heterogeneity`` (Float64), ``heterogeneity_df`` (UInt64), ``heterogeneity_p_value`` (Float64): the
          test that all segments have one AUC, the same in every row.
        - ``n_clusters`` (UInt64): the number of clusters with rows in the segment; only with ``cluster``.
        - ``exact`` (Boolean): whether all numbers of the table are exact: no bin of the states has positives
          and negatives of several scores. The same in every row; only with ``state``.

        A field is null if it is undefined. An AUC requires positives and negatives. A comparison requires a
        comparator: the first period and a null period have no previous one, and the reference is not compared
        with itself. A test requires two rows of each class, or with ``cluster`` two clusters with a positive
        and two with a negative; ``difference`` does not. Segments below this limit have no standard error,
        and are excluded from ``within_auc`` and from the mean of the rest. With fewer than two segments with
        a standard error, these are means of all AUCs, and no comparison with the rest has a p-value. With
        ``"delong"``, the test of heterogeneity excludes segments with a standard error of 0. ``p_value`` is
        then null where a standard error is 0. ``df`` is null against all rows, where the normal distribution
        is used. Rows with a null label, score or weight are skipped. If a segment has a NaN score, its
        numbers are NaN. Every comparison with its rows, ``within_auc`` and the test of heterogeneity are
        also NaN.

    Notes
    -----
    ``"wilson"``: see :func:`polars_auc.unpaired_roc_auc_difference`. The comparison with all rows uses the
    correlation with the segment (Zou 2007). The test of heterogeneity is ``Q = sum w (A - mean)²`` with
    ``w = 1 / V`` (Cochran 1954). V is the variance of each AUC under the hypothesis that it equals the mean.
    The weights of this mean are the inverse variances under an AUC of 1/2.

    ``"delong"``: ``(A1 - A2) / sqrt(V1 + V2)`` with DeLong variances, as pROC's unpaired test. Student's t
    has ``(V1 + V2)² / (V1² / (n1 - 1) + V2² / (n2 - 1))`` degrees of freedom (Welch, Satterthwaite). The
    comparison with all rows subtracts the covariance with the segment and uses the normal distribution. Q has
    ``w = 1 / V`` with DeLong variances. O(n log n).

    The rest is ``A2 = sum w A / sum w`` over all other segments, with ``V2 = sum w² V / (sum w)²``. It has
    the rows of all these segments. A segment of m positives and n negatives has the weight
    ``w = m n / (m + n + 1)`` (van Elteren 1960). It is proportional to the inverse variance of its AUC for an
    uninformative score. The weights depend on counts alone, and not on the compared AUCs. With two segments,
    the rest is the other one. At 5 % about 5 of 100 tests reject equal AUCs, for any rates of positives.
    Against the pooled rest nearly all may reject (``benches/results/segments.csv``).

    With weights V are the variances of :func:`polars_auc.roc_auc_ci`. Degrees of freedom count rows, or with
    ``"wilson"`` effective rows, ``(sum w)² / sum w²``. The covariance with all rows has a term for the
    positives and a term for the negatives of the segment. Each is ``sum w² (v - A1) (v' - A2) / (W1 W2)``,
    with placements v in the segment and v' in all rows. In the mean of the rest m is the number of positives
    of all segments, times the segment's share of their weights; n is the same for negatives. With equal
    weights, m and n are the counts. The cost against the pooled rest is O(n log n). It is O(n) more for each
    segment with more than an eighth of the weights of a class, or with a nearly constant rest.

    With ``cluster``, AUCs have a covariance C. By ``"wilson"`` their correlation is ``C / sqrt(V1 V2)``. By
    ``"delong"`` the statistic is ``(A1 - A2) / sqrt(V1 + V2 - 2 C)``, with the degrees of freedom of
    Student's t above. There n1 and n2 are the smaller of two numbers: the clusters with a positive, and the
    clusters with a negative. C is computed as in Obuchowski (1997, equations 2 to 5). Each placement minus
    its mean is summed over the rows of a cluster. C is the sum of products of these sums, over the clusters
    with rows of both AUCs. It is multiplied by ``k / (k - 1)``, where k is the smaller number of clusters of
    the two AUCs. It is 0 if no cluster has rows of both. For the rest, V2 also has ``2 w w' C / (sum w)²``
    of each pair of segments, and C is ``sum w C / sum w``. With weights too, each placement minus its mean
    is multiplied by the weight, and no sum by ``k / (k - 1)``, as in the jackknife.

    If clusters span segments, the test of heterogeneity is ``(L A)' (L V L')⁺ (L A)``; otherwise it is Q. L
    are the contrasts of each segment with the first, and V is the covariance matrix of all AUCs A. The
    distribution is chi-square with the rank of ``L V L'``. For k segments the cost is O(n k) against the
    pooled rest, and O(k³) if clusters span segments.

    With few clusters the test by ``"delong"`` rejects too often at 5 %. It rejects equal AUCs in 5.9 to 6.0
    of 100 samples with 20 clusters in each of three segments. With ten clusters in each of six segments it
    rejects in 6.4 to 8.7. The test by ``"wilson"`` rejects in 1.9 to 3.6 and in 1.8 to 2.2
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

    The same from states, such as one for each day, if the rows are no longer available:

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

    ``inputs`` has a label and a score for each struct name, which no user column has. The fields are those of
    a report: of a summary, and of :func:`compare_segments` without adjustment. In the row of all rows,
    ``IS_SEGMENT`` is false and the columns of the segments are null.
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
    """Return the columns and the options that define the segments and their comparators."""
    is_word = isinstance(versus, str) and versus in _COMPARED
    axis = _axis(along, versus, keys)
    # Segments that differ only in the last field are then adjacent.
    ordered = [*(key for key in keys if key != axis), *([] if axis is None else [axis])]
    columns = {"by": pl.struct(pl.col(key) for key in ordered)}
    if is_word:
        return columns, {"versus": versus, "reference": None}
    return {**columns, "reference": is_reference(versus, keys)}, {"versus": None, "reference": repr(versus)}


def _observed(
    rows: pl.LazyFrame, keys: list[str], versus: object, columns: dict[str, IntoExpr | None]
) -> dict[str, IntoExpr | None]:
    """Check that the score and the label, or the states, are one column each; None is kept."""
    several = f'report(frame, "label", ["score_a", "score_b"], by={keys}, versus={format_value(versus)})'
    examples = {"score": f"{_EXAMPLE}, or {several}", "label": _EXAMPLE, "state": _STATE_EXAMPLE}
    return {
        role: None if column is None else column_of("compare_segments", role, column, rows, examples[role])
        for role, column in columns.items()
    }


def _one_row_a_segment(
    rows: pl.LazyFrame, answer: pl.Expr, keys: list[str], axis: str | None
) -> pl.LazyFrame:
    """Convert the result, a list of records, to sorted rows with the segment columns."""
    # An empty list explodes to a null row, which is no segment.
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
    # Selected by name, the fields keep the requested order.
    key_columns = (each.field("segment").struct.field(key) for key in keys)
    return sorted_groups(segments.select(*key_columns, each.field(*names)), keys, axis)


def _axis(along: str | None, versus: object, keys: dict[str, pl.DataType]) -> str | None:
    """Return the column that defines the previous segment; None for other comparisons."""
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
    """Return whether each row is in the reference segment, by the equality of Polars."""
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
            # Raise here, before rows are read, for values that are not comparable with the column.
            pl.DataFrame(schema={key: dtype}).select(condition)
        except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:
            raise refusal from error
        conditions.append(condition)
    return pl.all_horizontal(conditions).fill_null(value=False)


def _is_one_value(value: object) -> bool:
    """Return whether a value can identify a segment; Polars panics for a Decimal that is not finite."""
    if isinstance(value, Decimal):
        return value.is_finite()
    return isinstance(value, str | bytes) or not isinstance(value, Iterable | pl.Expr)


def _read(text: str, dtype: pl.DataType) -> pl.Expr:
    """Parse the text of a segment as a value of the column: a command line has text only."""
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
