"""Curves of all groups as one long table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

from polars_auc._frames.inputs import called, keys_of, like, refuse_keys, rows_of

if TYPE_CHECKING:
    from polars_auc._frames.inputs import ArrowStream, Frame

# Reserved names: no user column has them.
_POINTS, _NAMES = "polars_auc: points", "polars_auc: names"

_SCORE = "score"

_EXAMPLE = 'curve_points(frame, roc_curve("label", "score"), "segment")'


@called("curve_points")
def curve_points(
    frame: Frame | ArrowStream,
    curve: pl.Expr | Iterable[pl.Expr],
    by: str | Iterable[str] | None = None,
) -> Frame:
    """Return a curve of every group as a long table, one row for each point.

    Parameters
    ----------
    frame
        The rows: a DataFrame, or a LazyFrame such as ``pl.scan_parquet(...)``; or a table of another library
        with the Arrow PyCapsule interface, such as pandas, PyArrow and DuckDB.
    curve
        Any expression of this package that returns a list of points for a group, such as
        :func:`polars_auc.roc_curve`, :func:`polars_auc.pr_curve` or :func:`polars_auc.gains_table`. Several
        scores, such as ``roc_curve("label", cs.starts_with("p_"))``, and a list of expressions are supported.
    by
        The columns whose combinations define the groups; without them, one curve of all rows.

    Returns
    -------
    polars.DataFrame, or polars.LazyFrame if ``frame`` is lazy
        The columns ``by``, ``point`` (UInt32: 0, 1, ... within the curve) and the fields of the curve's
        points; sorted by ``by``, null last, and point. A group whose curve is undefined has no rows.

        With several curves, and with a list, the column ``score`` (String) before ``point`` contains the name
        of each curve. It is the name of the score, or the alias of the expression. The curves of a group are
        in the order of the expressions. Thresholds of different dtypes are cast to their common supertype.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {"site": ["a"] * 3 + ["b"] * 2, "label": [1, 0, 1, 1, 0], "score": [3, 2, 1, 2, 1]}
    ... )
    >>> pa.curve_points(rows, pa.roc_curve("label", "score"), "site")
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
    rows = rows_of(name, frame)
    curves = [curve] if isinstance(curve, pl.Expr) or not isinstance(curve, Iterable) else list(curve)
    wrong = next((one for one in curves if not isinstance(one, pl.Expr)), None)
    if wrong is not None or not curves:
        got = f"got {type(wrong).__name__}" if curves else "got none"
        msg = f"{name}: curve must be an expression, {got}. Hint: write {_EXAMPLE}"
        raise TypeError(msg)
    keys = keys_of(name, () if by is None else by, _EXAMPLE)
    if len(set(keys)) < len(keys):
        msg = f"{name}: by must name every column once, got {keys}"
        raise ValueError(msg)
    refuse_keys(name, keys, rows.collect_schema(), nested=True)
    answers, names = _answers(rows, curves, keys, with_names=not isinstance(curve, pl.Expr))
    points = [answers.collect_schema()[column] for column in names or [_POINTS]]
    fields = [_fields(dtype) for dtype in points]
    if fields.count(fields[0]) < len(fields):
        msg = (
            f"{name}: curves must have the same fields to make one table. Hint: call {name} for each kind "
            "of them"
        )
        raise ValueError(msg)
    columns = [*([_SCORE] if names else []), "point", *fields[0]]
    clash = next((key for key in keys if key in columns), None)
    if clash is not None:
        msg = f"{name}: the column {clash!r} of by has the name of a column of the points. Hint: rename it"
        raise ValueError(msg)
    order: list[str | pl.Expr] = [*keys, "point"]
    if names:
        # A curve may be named "score", and Polars rejects this name for the column of names.
        answers = answers.unpivot(names, index=keys, variable_name=_NAMES, value_name=_POINTS)
        answers = answers.rename({_NAMES: _SCORE})
        # An Enum sorts by the order of its categories, here the order of the curves.
        order.insert(-1, pl.col(_SCORE).cast(pl.Enum(names)))
    numbered = answers.filter(pl.col(_POINTS).list.len() > 0).with_columns(
        point=pl.int_ranges(pl.col(_POINTS).list.len(), dtype=pl.UInt32)
    )
    long = numbered.explode(_POINTS, "point").unnest(_POINTS)
    return like(frame, long.select(*keys, *columns).sort(order, nulls_last=True))


def _answers(
    rows: pl.LazyFrame, curves: list[pl.Expr], keys: list[str], *, with_names: bool
) -> tuple[pl.LazyFrame, list[str]]:
    """Return one row for each group, with a column for each curve, and the names of several curves."""

    def answered(by: list[pl.Expr]) -> pl.LazyFrame:
        return rows.group_by(keys).agg(by) if keys else rows.select(by)

    if with_names or curves[0].meta.has_multiple_outputs():
        answers = answered(curves)
        try:
            names = [name for name in answers.collect_schema().names() if name not in keys]
        except pl.exceptions.DuplicateError as error:
            msg = (
                "curve_points: every curve needs a unique name that is not in by. "
                'Hint: rename one, as in roc_curve("label", "score").alias("other")'
            )
            raise ValueError(msg) from error
        if not names:
            columns = rows.collect_schema().names()
            msg = f"curve_points: curve has no column of the frame, expected one of {columns}"
            raise ValueError(msg)
        if with_names or len(names) > 1:
            return answers, names
    return answered([curves[0].alias(_POINTS)]), []


def _fields(points: pl.DataType) -> list[str]:
    if not isinstance(points, pl.List) or not isinstance(points.inner, pl.Struct):
        msg = f"curve_points: curve must return a list of points, as roc_curve does, got {points}"
        raise ValueError(msg)
    return [field.name for field in points.inner.fields]
