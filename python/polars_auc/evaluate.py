"""From a frame to a report: one row for each group and score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from polars_auc.estimates import gini, ks_statistic
from polars_auc.inference import roc_auc_ci

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polars_auc._plugin import IntoExpr

__all__ = ["report"]


def report(
    frame: pl.DataFrame | pl.LazyFrame,
    label: IntoExpr,
    scores: str | pl.Expr | Iterable[str | pl.Expr],
    *,
    by: str | Iterable[str] = (),
    level: float = 0.95,
) -> pl.LazyFrame:
    """Return the evaluation of scores, by group and overall, as a lazy frame.

    Parameters
    ----------
    frame
        The rows: a DataFrame, or a LazyFrame such as ``pl.scan_parquet(...)``.
    label
        Boolean, or an integer or float column that holds only 0 and 1.
    scores
        One or more numeric columns, or expressions with distinct names; higher means more positive.
    by
        The columns whose combinations make the groups.
    level
        The coverage of the interval, between 0 and 1.

    Returns
    -------
    polars.LazyFrame
        One row for each group and score, ordered by group, then one row for each score over all rows:

        - ``scope`` (String): ``"group"`` or ``"overall"``.
        - the columns ``by``; null in the overall rows.
        - ``score`` (String): the score's name.
        - ``n``, ``n_pos`` (UInt64): rows that were used, and the positives among them.
        - ``n_missing`` (UInt64): rows that were skipped because the label or the score is null.
        - ``prevalence`` (Float64): ``n_pos / n``.
        - ``auc``, ``se``, ``lower``, ``upper`` (Float64): :func:`polars_auc.roc_auc_ci` by DeLong.
        - ``ks`` (Float64): :func:`polars_auc.ks_statistic`.
        - ``gini`` (Float64): :func:`polars_auc.gini`.

        A number is null where it is undefined and NaN where a score is NaN.

    Raises
    ------
    ValueError
        If there is no score, a score is several columns, two scores have one name, or a group column has the
        name of a report column.
    TypeError
        If a score is neither name nor expression, or ``by`` holds anything but names.
    polars.exceptions.PolarsError
        For missing columns and for labels or scores of another dtype.

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
    """
    keys = [by] if isinstance(by, str) else list(by)
    if not all(isinstance(key, str) for key in keys):
        msg = f"report: by must be column names, got {keys}"
        raise TypeError(msg)
    columns = _named(scores)
    _refuse_clashes(keys)
    answers = [answer for name, score in columns.items() for answer in _answers(name, label, score, level)]
    rows = frame.lazy()
    overall = rows.select(*answers)
    if not keys:
        return _one_row_a_score(overall, columns, "overall", {})
    schema = rows.collect_schema()
    for key in keys:
        if key not in schema:
            msg = f"report: by names the column {key!r}, which the frame lacks; there are: {schema.names()}"
            raise pl.exceptions.ColumnNotFoundError(msg)
    nothing = {key: pl.lit(None, dtype=schema[key]) for key in keys}
    groups = rows.group_by(keys).agg(*answers).sort(keys, nulls_last=True)
    return pl.concat(
        [
            _one_row_a_score(groups, columns, "group", {key: pl.col(key) for key in keys}),
            _one_row_a_score(overall, columns, "overall", nothing),
        ]
    )


_COLUMNS = [
    "scope",
    "score",
    "n",
    "n_pos",
    "n_missing",
    "prevalence",
    "auc",
    "se",
    "lower",
    "upper",
    "ks",
    "gini",
]


# A name that no column of a user has.
_ROW = "polars_auc: row"


def _named(scores: str | pl.Expr | Iterable[str | pl.Expr]) -> dict[str, pl.Expr]:
    """Scores by name, in order."""
    given = [scores] if isinstance(scores, str | pl.Expr | pl.Series) else list(scores)
    if not given:
        msg = 'report: scores must name at least one column, got none; write report(frame, "label", "score")'
        raise ValueError(msg)
    named: dict[str, pl.Expr] = {}
    for score in given:
        if not isinstance(score, str | pl.Expr):
            msg = f"report: scores must be column names or expressions, got {type(score).__name__}"
            raise TypeError(msg)
        column = pl.col(score) if isinstance(score, str) else score
        if column.meta.has_multiple_outputs():
            msg = f"report: a score must be a single column, got {column}; list the columns one by one"
            raise ValueError(msg)
        name = column.meta.output_name()
        if name in named:
            msg = (
                f'report: two scores are named {name!r}; give one another name, as in pl.col("s").alias("t")'
            )
            raise ValueError(msg)
        named[name] = column
    return named


def _refuse_clashes(keys: list[str]) -> None:
    clash = next((key for key in keys if key in _COLUMNS or keys.count(key) > 1), None)
    if clash is not None:
        msg = f"report: the group column {clash!r} has the name of another column of the report; rename it"
        raise ValueError(msg)


def _answers(name: str, label: IntoExpr, score: pl.Expr, level: float) -> list[pl.Expr]:
    """All that the report tells of one score, as aggregates with names of their own."""
    return [
        pl.len().cast(pl.UInt64).alias(f"polars_auc: rows of {name}"),
        roc_auc_ci(label, score, level=level).alias(f"polars_auc: ci of {name}"),
        ks_statistic(label, score).struct.field("ks").alias(f"polars_auc: ks of {name}"),
        gini(label, score).alias(f"polars_auc: gini of {name}"),
    ]


def _one_row_a_score(
    answers: pl.LazyFrame, scores: Iterable[str], scope: str, keys: dict[str, pl.Expr]
) -> pl.LazyFrame:
    """Turn the aggregates of each group from columns into one row for each score."""
    rows = []
    for name in scores:
        ci = pl.col(f"polars_auc: ci of {name}").struct
        n_pos = ci.field("n_pos")
        n = n_pos + ci.field("n_neg")
        row = pl.struct(
            pl.lit(name).alias("score"),
            n.alias("n"),
            n_pos,
            (pl.col(f"polars_auc: rows of {name}") - n).alias("n_missing"),
            pl.when(n > 0).then(n_pos / n).alias("prevalence"),
            ci.field("auc", "se", "lower", "upper"),
            pl.col(f"polars_auc: ks of {name}").alias("ks"),
            pl.col(f"polars_auc: gini of {name}").alias("gini"),
        )
        rows.append(row)
    return (
        answers.select(
            pl.lit(scope).alias("scope"),
            *(value.alias(key) for key, value in keys.items()),
            pl.concat_list(rows).alias(_ROW),
        )
        .explode(_ROW)
        .unnest(_ROW)
    )
