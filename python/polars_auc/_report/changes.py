"""Changes of a report since an earlier report of other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from polars_auc._expressions.comparisons import adjust_p_values, unpaired_roc_auc_difference
from polars_auc._frames.groupings import GROUPING
from polars_auc._frames.inputs import called, like, rows_of
from polars_auc._plugin.errors import CALLED, OptionError, option_called, per_front_end
from polars_auc._report.columns import CHANGES, RESERVED

if TYPE_CHECKING:
    from polars_auc._frames.inputs import ArrowStream, Frame, IntoFrame
    from polars_auc._plugin.options import Adjustment


# Columns of a report that are compared with the earlier report.
_ESTIMATES = {"auc": pl.Float64, "se": pl.Float64, "n": pl.UInt64, "n_pos": pl.UInt64}

# A name that is reserved: no user column has it.
_CHANGE = "polars_auc: change"


@called("compare_reports")
def compare_reports(
    report: Frame | ArrowStream,
    previous: IntoFrame,
    *,
    level: float = 0.95,
    adjust: Adjustment | None = "holm",
    method: Literal["wilson", "delong"] = "wilson",
) -> Frame:
    """Return a report with the change of each AUC since an earlier report.

    Parameters
    ----------
    report
        A report of :func:`polars_auc.report`.
    previous
        The earlier report: of other rows, with the same group columns and the same scores.
    level
        The confidence level of the intervals of changes, between 0 and 1.
    adjust
        The adjustment of the p-values for the number of all tests of the table: see
        :func:`polars_auc.adjust_p_values`.
    method
        The method of the test and the interval: see :func:`polars_auc.unpaired_roc_auc_difference`.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``report`` is lazy
        The rows and columns of ``report``, and further columns:

        - ``previous_n`` (UInt64): the number of rows of the earlier AUC; null for a new group.
        - ``previous_auc`` (Float64): the earlier AUC.
        - ``change`` (Float64): the AUC minus the earlier one.
        - ``change_lower``, ``change_upper`` (Float64): the interval of the change.
        - ``change_p_value`` (Float64): the two-sided p-value of the test that the AUC has not changed.
        - ``change_p_adjusted`` (Float64): ``change_p_value``, adjusted over all rows: groups, scores and
          overall.

        The new columns are null where :func:`unpaired_roc_auc_difference` is null. Groups that only the
        earlier report has are omitted.

    Notes
    -----
    The test is :func:`unpaired_roc_auc_difference` with the positives and negatives of both reports. It is
    valid if no row is in both reports. With shared rows, the standard error of a change is too large. O(n)
    for n rows of reports.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"y": [0, 1, 0, 1, 1, 0], "s": [1, 4, 2, 3, 5, 4]})
    >>> may, june = (pa.report(rows.slice(*part), "y", "s") for part in ((0, 4), (2, 4)))
    >>> pa.compare_reports(june, may).select("auc", "previous_auc", "change")
    shape: (1, 3)
    ┌──────┬──────────────┬────────┐
    │ auc  ┆ previous_auc ┆ change │
    │ ---  ┆ ---          ┆ ---    │
    │ f64  ┆ f64          ┆ f64    │
    ╞══════╪══════════════╪════════╡
    │ 0.75 ┆ 1.0          ┆ -0.25  │
    └──────┴──────────────┴────────┘
    """
    name = "compare_reports"
    rows, previous_rows = rows_of(name, report), rows_of(name, previous)
    schema, previous_schema = rows.collect_schema(), previous_rows.collect_schema()
    by = by_of(schema, "report")
    if (GROUPING in schema) != (GROUPING in previous_schema):
        which = ("report", "previous one") if GROUPING in schema else ("previous report", "report")
        reason = f"the {which[0]} has several groupings, and the {which[1]} has one"
        raise OptionError(name, "", reason, "make both reports with the same groupings")
    if (others := by_of(previous_schema, "previous")) != by:
        reason = f"the report has the group columns {by}, and the previous report has {others}"
        finer = ", ".join(repr(key) for key in others if key not in by)
        if finer and set(by) < set(others):
            reason += f": the report has no {finer}"
        raise OptionError(name, "", reason, "make both reports with the same group columns")
    # A null key may mean all values of its column.
    keys = keys_of_report(schema)
    estimates = previous_rows.select(
        *(pl.col(key).cast(schema[key]) for key in keys),
        *(pl.col(field).cast(dtype).alias(f"previous_{field}") for field, dtype in _ESTIMATES.items()),
    )
    difference = unpaired_roc_auc_difference(
        "auc",
        "se",
        "previous_auc",
        "previous_se",
        n_pos="n_pos",
        n_neg=pl.col("n") - pl.col("n_pos"),
        versus_n_pos="previous_n_pos",
        versus_n_neg=pl.col("previous_n") - pl.col("previous_n_pos"),
        method=method,
        level=level,
    )
    change = pl.col(_CHANGE).struct
    with option_called("adjust", "method"):
        p_adjusted = adjust_p_values("change_p_value", method=adjust)
    table = (
        rows.drop(CHANGES, strict=False)
        .join(estimates, on=keys, how="left", nulls_equal=True, maintain_order="left", validate="m:1")
        .with_columns(difference.alias(_CHANGE))
        .with_columns(
            change.field("difference").alias("change"),
            change.field("lower").alias("change_lower"),
            change.field("upper").alias("change_upper"),
            change.field("p_value").alias("change_p_value"),
        )
        .with_columns(p_adjusted.alias("change_p_adjusted"))
        .select(*(column for column in schema.names() if column not in CHANGES), *CHANGES)
    )
    return like(report, table)


def by_of(schema: pl.Schema, role: str) -> list[str]:
    """Return the columns of groups of a report; raise if the frame is not a report."""
    missing = [name for name in ("scope", "score", *_ESTIMATES) if name not in schema]
    if missing:
        reason = f"has no column {missing[0]!r}, so it is not a report"
        reason += per_front_end('. Hint: write report(frame, "label", "score")', "")
        raise OptionError(CALLED.get() or "compare_reports", role, reason)
    return [name for name in schema.names() if name not in RESERVED]


def keys_of_report(schema: pl.Schema, role: str = "report") -> list[str]:
    """Return the key columns that identify a row of a report."""
    return ["scope", *by_of(schema, role), "score", *(name for name in [GROUPING] if name in schema)]
