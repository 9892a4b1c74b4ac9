"""Changes: a report held against an earlier one of other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from polars_auc._frames import called, rows_of
from polars_auc._groupings import GROUPING
from polars_auc._options import adjustment, between_0_and_1, hypothesis
from polars_auc._p_values import adjust_p_values
from polars_auc._plugin import columnwise, literals
from polars_auc._report_rows import CHANGES, RESERVED

if TYPE_CHECKING:
    from polars_auc._frames import IntoFrame
    from polars_auc._options import Adjustment
    from polars_auc._plugin import IntoExpr

__all__ = ["compare_reports", "roc_auc_unpaired_difference"]

_Number: TypeAlias = "IntoExpr | float"

# Columns of a report that are held against each other.
_ESTIMATES = {"auc": pl.Float64, "se": pl.Float64, "n": pl.UInt64}

# A name that no column of a user has.
_CHANGE = "polars_auc: change"


def roc_auc_unpaired_difference(
    auc: _Number,
    se: _Number,
    versus_auc: _Number,
    versus_se: _Number,
    *,
    n: _Number | None = None,
    versus_n: _Number | None = None,
    level: float = 0.95,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    null: float | None = None,
    margin: float | None = None,
) -> pl.Expr:
    """Return the difference of two AUCs of different rows, from their standard errors, and its test.

    The result has one value for each row. It needs no rows of the samples, so that an AUC can be held
    against a published one, or against that of an earlier report.

    Parameters
    ----------
    auc, se
        The AUC and its standard error, as :func:`roc_auc_ci` gives them: columns or numbers.
    versus_auc, versus_se
        The AUC that is subtracted, and its standard error: columns or numbers.
    n, versus_n
        The rows behind each AUC: columns or numbers. With both, the statistic is compared with Student's t;
        without, with the normal distribution.
    level
        The coverage of the interval, between 0 and 1.
    alternative
        The alternative of the test: the difference is not ``null`` (``"two-sided"``), or it is ``"greater"``
        or ``"less"``. The interval is always two-sided.
    null
        The value that is tested; 0 by default.
    margin
        With a margin, a small p-value shows that the difference is above ``null - margin``
        (``alternative="greater"``: not inferior), below ``null + margin`` (``"less"``), or between both
        (``"two-sided"``: equivalent, by two one-sided tests).

    Returns
    -------
    polars.Expr
        One Struct for each row, named after the first AUC, of Float64:

        - ``difference``: the AUC minus the other.
        - ``se``: its standard error.
        - ``lower``, ``upper``: the interval of the difference.
        - ``statistic``: the difference less ``null``, divided by its standard error; null if that is 0.
        - ``df``: degrees of freedom; null where the normal distribution is taken.
        - ``p_value``: the test of ``null``; null where ``statistic`` is.

        ``difference`` is null if an AUC is null; the others also if a standard error is null. ``lower``,
        ``upper``, ``statistic``, ``df`` and ``p_value`` are null if a number of rows is below 2.

    Raises
    ------
    ValueError
        If ``level`` is not between 0 and 1, ``null`` or ``margin`` is out of range, or only one of ``n`` and
        ``versus_n`` is given.
    polars.exceptions.ComputeError
        If a column is not numeric, a standard error is negative, or a number of rows is negative or NaN.

    Notes
    -----
    ``d = (A1 - A2) / sqrt(S1² + S2²)`` with the standard errors S. With numbers of rows, the degrees of
    freedom are those of Welch and Satterthwaite, ``(S1² + S2²)² / (S1⁴ / (n1 - 1) + S2⁴ / (n2 - 1))``, as in
    pROC's test of unpaired curves and in :func:`compare_segments`. The two AUCs must be of different rows:
    for two scores of the same rows :func:`roc_auc_difference` is right. O(n).

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> months = pl.DataFrame({"auc": [0.71, 0.78], "se": [0.02, 0.03]})
    >>> published = pa.roc_auc_unpaired_difference("auc", "se", 0.8, 0.02)
    >>> months.select(published).unnest("auc").select("difference", "p_value").with_columns(pl.all().round(4))
    shape: (2, 2)
    ┌────────────┬─────────┐
    │ difference ┆ p_value │
    │ ---        ┆ ---     │
    │ f64        ┆ f64     │
    ╞════════════╪═════════╡
    │ -0.09      ┆ 0.0015  │
    │ -0.02      ┆ 0.5791  │
    └────────────┴─────────┘
    """
    name = "roc_auc_unpaired_difference"
    between_0_and_1(name, "level", level)
    if (n is None) != (versus_n is None):
        lacking = "n" if n is None else "versus_n"
        msg = f"{name}: the degrees of freedom need both numbers of rows, and {lacking} is not given"
        raise ValueError(msg)
    columns = {
        "auc": auc,
        "se": se,
        "versus_auc": versus_auc,
        "versus_se": versus_se,
        "n": pl.lit(None, dtype=pl.Float64) if n is None else n,
        "versus_n": pl.lit(None, dtype=pl.Float64) if versus_n is None else versus_n,
    }
    return columnwise(
        name,
        literals(columns),
        elementwise=True,
        level=float(level),
        test=hypothesis(name, alternative, null, margin),
    )


@called("compare_reports", "roc_auc_unpaired_difference", "adjust_p_values")
def compare_reports(
    report: IntoFrame,
    previous: IntoFrame,
    *,
    level: float = 0.95,
    adjust: Adjustment | None = "holm",
) -> pl.LazyFrame:
    """Return a report with the change of each AUC since an earlier report.

    Parameters
    ----------
    report
        A report of :func:`polars_auc.report`.
    previous
        The earlier report, of other rows, by the same columns and of scores of the same names.
    level
        The coverage of the intervals of changes, between 0 and 1.
    adjust
        The adjustment of the p-values, by the number of groups of a score: see
        :func:`polars_auc.adjust_p_values`.

    Returns
    -------
    polars.LazyFrame
        The rows and columns of ``report``, and further columns:

        - ``previous_n`` (UInt64): rows that the earlier AUC is of; null for a group that is new.
        - ``previous_auc`` (Float64): the earlier AUC.
        - ``change`` (Float64): the AUC minus the earlier one.
        - ``change_lower``, ``change_upper`` (Float64): the interval of the change.
        - ``change_p_value`` (Float64): the two-sided p-value of the test that the AUC has not changed.
        - ``change_p_adjusted`` (Float64): the same, adjusted: for the rows of groups of each score together.

        They are null where :func:`roc_auc_unpaired_difference` is null. Groups that only the earlier report
        has are not in the answer.

    Raises
    ------
    ValueError
        If a report lacks a column, the two reports are not by the same columns or groupings, or an option is
        out of range.
    TypeError
        If a report is no frame.
    polars.exceptions.ComputeError
        When it is collected: if the earlier report has two rows for a group and score.

    Notes
    -----
    The test is :func:`roc_auc_unpaired_difference` with both numbers of rows: it holds if no row is in both
    reports. Rows in both make changes look smaller than they are beside their errors. O(n) for n rows of
    reports.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"y": [0, 1, 0, 1, 1, 0], "s": [1, 4, 2, 3, 5, 4]})
    >>> may, june = (pa.report(rows.slice(*part), "y", "s") for part in ((0, 4), (2, 4)))
    >>> pa.compare_reports(june, may).select("auc", "previous_auc", "change").collect()
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
    between_0_and_1(name, "level", level)
    adjustment(name, adjust)
    rows, earlier = rows_of(name, report), rows_of(name, previous)
    by = by_of(rows.collect_schema(), "report")
    schema = rows.collect_schema()
    if (GROUPING in schema) != (GROUPING in earlier.collect_schema()):
        which = ("report", "previous one") if GROUPING in schema else ("previous report", "report")
        msg = f"{name}: the {which[0]} has several groupings, and the {which[1]} has one; make them alike"
        raise ValueError(msg)
    if by_of(earlier.collect_schema(), "previous") != by:
        others = by_of(earlier.collect_schema(), "previous")
        msg = (
            f"{name}: the groups of the report are by {by}, and those of the previous one by {others}; "
            "make both reports by the same columns"
        )
        raise ValueError(msg)
    # A key that is null may be over all values of its column.
    keys = ["scope", *by, "score", *(name for name in [GROUPING] if name in schema)]
    held = earlier.select(
        *(pl.col(key).cast(schema[key]) for key in keys),
        *(pl.col(field).cast(dtype).alias(f"previous_{field}") for field, dtype in _ESTIMATES.items()),
    )
    difference = roc_auc_unpaired_difference(
        "auc", "se", "previous_auc", "previous_se", n="n", versus_n="previous_n", level=level
    )
    change = pl.col(_CHANGE).struct
    p_adjusted = adjust_p_values("change_p_value", method=adjust).over(
        *(key for key in keys if key not in by)
    )
    return (
        rows.drop(CHANGES, strict=False)
        .join(held, on=keys, how="left", nulls_equal=True, maintain_order="left", validate="m:1")
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


def by_of(schema: pl.Schema, role: str) -> list[str]:
    """Return the columns that make the groups of a report; refuse a frame that is none."""
    lacking = [name for name in ("scope", "score", *_ESTIMATES) if name not in schema]
    if lacking:
        msg = (
            f"compare_reports: {role} lacks the column {lacking[0]!r}, and is no report; write "
            'report(frame, "label", "score")'
        )
        raise ValueError(msg)
    return [name for name in schema.names() if name not in RESERVED]
