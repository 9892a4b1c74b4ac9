"""Curves of every group as one long table."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

__all__ = ["curve_points"]

# A name that no column of a user has.
_POINTS = "polars_auc: points"


def curve_points(
    frame: pl.DataFrame | pl.LazyFrame, curve: pl.Expr, by: str | Iterable[str] | None = None
) -> pl.LazyFrame:
    """Return a curve of every group as a long table, one row a point, as a lazy frame.

    Parameters
    ----------
    frame
        The rows: a DataFrame, or a LazyFrame such as ``pl.scan_parquet(...)``.
    curve
        Any expression of this package that answers a group with a list of points, such as :func:`roc_curve`,
        :func:`pr_curve` or :func:`polars_auc.gains_table`.
    by
        The columns whose combinations make the groups; one curve of all rows if there are none.

    Returns
    -------
    polars.LazyFrame
        The columns ``by``, ``point`` (UInt32: 0, 1, ... within the curve) and the fields of the curve's
        points; sorted by ``by`` and point. A group whose curve is undefined has no rows.

    Raises
    ------
    TypeError
        If the frame is no frame, the curve no expression, or ``by`` holds anything but names.
    ValueError
        If the curve is no list of points, or a column of ``by`` has the name of one of its fields.
    polars.exceptions.PolarsError
        For missing columns, and as the curve.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {"site": ["a"] * 3 + ["b"] * 2, "label": [1, 0, 1, 1, 0], "score": [3, 2, 1, 2, 1]}
    ... )
    >>> pa.curve_points(rows, pa.roc_curve("label", "score"), "site").collect()
    shape: (7, 7)
    ┌──────┬───────┬───────────┬─────┬─────┬─────┬─────┐
    │ site ┆ point ┆ threshold ┆ fp  ┆ tp  ┆ fpr ┆ tpr │
    │ ---  ┆ ---   ┆ ---       ┆ --- ┆ --- ┆ --- ┆ --- │
    │ str  ┆ u32   ┆ i64       ┆ u64 ┆ u64 ┆ f64 ┆ f64 │
    ╞══════╪═══════╪═══════════╪═════╪═════╪═════╪═════╡
    │ a    ┆ 0     ┆ null      ┆ 0   ┆ 0   ┆ 0.0 ┆ 0.0 │
    │ a    ┆ 1     ┆ 3         ┆ 0   ┆ 1   ┆ 0.0 ┆ 0.5 │
    │ a    ┆ 2     ┆ 2         ┆ 1   ┆ 1   ┆ 1.0 ┆ 0.5 │
    │ a    ┆ 3     ┆ 1         ┆ 1   ┆ 2   ┆ 1.0 ┆ 1.0 │
    │ b    ┆ 0     ┆ null      ┆ 0   ┆ 0   ┆ 0.0 ┆ 0.0 │
    │ b    ┆ 1     ┆ 2         ┆ 0   ┆ 1   ┆ 0.0 ┆ 1.0 │
    │ b    ┆ 2     ┆ 1         ┆ 1   ┆ 1   ┆ 1.0 ┆ 1.0 │
    └──────┴───────┴───────────┴─────┴─────┴─────┴─────┘
    """
    name = "curve_points"
    if not isinstance(frame, pl.DataFrame | pl.LazyFrame):
        msg = f"{name}: frame must be a DataFrame or a LazyFrame, got {type(frame).__name__}"
        raise TypeError(msg)
    if not isinstance(curve, pl.Expr):
        msg = (
            f"{name}: curve must be an expression, got {type(curve).__name__}; "
            'write curve_points(frame, roc_curve("label", "score"), "segment")'
        )
        raise TypeError(msg)
    several = isinstance(by, Iterable) and not isinstance(by, str | pl.Expr)
    keys = [] if by is None else list(by) if several else [by]
    if not all(isinstance(key, str) for key in keys):
        msg = f"{name}: by must be column names, got {keys}"
        raise TypeError(msg)
    if len(set(keys)) < len(keys):
        msg = f"{name}: by must name every column once, got {keys}"
        raise ValueError(msg)
    points = curve.alias(_POINTS)
    rows = frame.lazy()
    missing = [key for key in keys if key not in rows.collect_schema()]
    if missing:
        msg = f"{name}: by names {missing}, which the frame lacks; there are: {rows.collect_schema().names()}"
        raise pl.exceptions.ColumnNotFoundError(msg)
    curves = rows.group_by(keys).agg(points) if keys else rows.select(points)
    dtype = curves.collect_schema()[_POINTS]
    if not isinstance(dtype, pl.List) or not isinstance(dtype.inner, pl.Struct):
        msg = f"{name}: curve must answer with a list of points, as roc_curve does, got {dtype}"
        raise ValueError(msg)
    fields = ["point", *(field.name for field in dtype.inner.fields)]
    clash = next((key for key in keys if key in fields), None)
    if clash is not None:
        msg = f"{name}: the column {clash!r} of by has the name of a column of the points; rename it"
        raise ValueError(msg)
    numbered = curves.filter(pl.col(_POINTS).list.len() > 0).with_columns(
        point=pl.int_ranges(pl.col(_POINTS).list.len(), dtype=pl.UInt32)
    )
    long = numbered.explode(_POINTS, "point").unnest(_POINTS)
    return long.select(*keys, *fields).sort(*keys, "point")
