"""States and reports of a frame of Spark.

Each partition counts its rows by score, and the states of a segment are merged and evaluated. So the work for
a segment with nearly all rows is also distributed over all workers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from polars_auc._expressions.states import roc_state
from polars_auc._frames.inputs import called, keys_of
from polars_auc._frames.partial_states import state_column
from polars_auc._plugin.errors import OptionError
from polars_auc._plugin.options import type_name
from polars_auc._report.columns import SUMMARY_COLUMNS
from polars_auc._report.evaluation import evaluation
from polars_auc._report.options import PLACEMENT_METHODS, IntervalMethod, ReportOptions
from polars_auc._report.rows import Rows
from polars_auc._spark import ranges
from polars_auc._spark.batches import numbered
from polars_auc._spark.ranges import RangeStages, borders_of
from polars_auc._spark.stages import Stages
from polars_auc._spark.types import (
    IntoColumn,
    column_by_name,
    names_of,
    refuse_column,
    require_spark,
    spark_type,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

    from polars_auc._frames.groupings import Groupings
    from polars_auc._plugin.options import Adjustment


def group_states(
    frame: DataFrame,
    label: IntoColumn,
    scores: IntoColumn | Iterable[IntoColumn],
    *,
    by: str | Iterable[str] = (),
    max_bins: int | None = None,
    scale: Literal["real", "probability"] | None = None,
    weight: IntoColumn | None = None,
    count: IntoColumn | None = None,
) -> DataFrame:
    """Return the states of the rows of each segment, as a frame of Spark.

    Parameters
    ----------
    frame
        The rows.
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    scores
        One or more numeric columns, higher meaning more positive: a name, a Column of Spark, or a list of
        these. Names must be distinct.
    by
        The columns whose combinations make the segments.
    max_bins, scale
        The maximum number of bins of a state, and where they are narrow: see :func:`polars_auc.roc_state`.
    weight
        The weight of each row: a numeric column, finite, 0 or more.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more.

    Returns
    -------
    pyspark.sql.DataFrame
        One row for each segment, in no order: the columns ``by``, then for each score a column of its name
        with the state, as :func:`polars_auc.roc_state` makes it. UInt64 is ``LongType``; the functions of
        Polars read it. Without ``by``, one row.

    Notes
    -----
    Each partition computes a state for each of its segments, and states are merged by segment. Merging is
    exact, so the result does not depend on the partitions. An exact state has a bin for each distinct score,
    and Spark limits a row to 2 GB. For many millions of distinct scores set ``max_bins``.
    """
    name = "group_states"
    selected = _Selection.of(name, frame, label, scores, by, {"weight": weight, "count": count})
    with called(name):
        limit: Any = {"max_bins": max_bins, "scale": scale}
        wanted = [roc_state(selected.label, s, **selected.masses, **limit) for s in selected.scores]
        _refuse_two_of_one_name(name, [*selected.by, *selected.scores])
        rows = pl.LazyFrame(schema=selected.schema)
        (rows.group_by(selected.by).agg(wanted) if selected.by else rows.select(wanted)).collect_schema()
    return selected.merged(selected.stages(name, limit)).toDF(*selected.by, *selected.scores)


def report(
    frame: DataFrame,
    label: IntoColumn,
    scores: IntoColumn | Iterable[IntoColumn],
    *,
    by: str | Iterable[str] = (),
    groupings: Groupings | None = None,
    level: float = 0.95,
    ci: IntervalMethod = "wilson",
    interval: Literal["percentile", "bca"] | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
    versus: object = None,
    along: str | None = None,
    adjust: Adjustment | None = "holm",
    calibration: bool = False,
    folds: IntoColumn | None = None,
    stability: pl.Expr | str | None = None,
    count: IntoColumn | None = None,
) -> DataFrame:
    """Return the evaluation of scores, by segment and overall, as a frame of Spark.

    Parameters
    ----------
    frame
        The rows.
    label
        Boolean, or an integer or float column that contains only 0 and 1.
    scores
        One or more numeric columns, higher meaning more positive: a name, a Column of Spark, or a list of
        these. Names must be distinct.
    by
        The columns whose combinations make the segments.
    groupings
        Several groupings: see :func:`polars_auc.report`.
    level
        The confidence level of all intervals, between 0 and 1.
    ci, interval, n_resamples, seed
        The method of the interval, and the limits, resamples and seed of the bootstrap: see
        :func:`polars_auc.roc_auc_ci`.
    versus, along, adjust
        Compare each segment with the ``"rest"``, the ``"pooled_rest"``, ``"overall"``, the ``"previous"`` one
        or the segment of this value, along which column of ``by`` one is the previous one, and the
        adjustment of p-values: see :func:`polars_auc.report`.
    calibration
        Whether the scores are right as probabilities: see :func:`polars_auc.report`.
    folds
        The column of cross-validation folds: adds their mean AUC.
    stability
        The rows of a reference, as an expression of Polars about the columns ``by``, such as
        ``pl.col("year") < 2016``: adds the population stability index of the scores of the other rows.
        Unlabelled rows do not count there, because states omit them.
    count
        The number of identical rows that each row represents: a column of integers, 0 or more.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns, names, order and numbers of :func:`polars_auc.report`, bit for bit: one row for each
        segment and score, ordered by segment, then one row for each score over all rows. There are two
        differences: ``n_unlabelled`` is null, because states do not contain it, and the stability uses only
        labelled rows. UInt64 is ``LongType``. The frame has one partition, which keeps the order.

    Notes
    -----
    More than about a million rows are counted by ranges of the score. One worker merges a range, and the sums
    of ranges are added up. A worker needs memory for the rows of its partitions and of a range, regardless of
    the segments. A sample defines the range borders during this call, so the rows are read twice. The numbers
    do not depend on the sample.

    Fewer rows give exact states, which are merged by segment, as in :func:`group_states`. The workers compute
    the results of their segments, and one worker computes the overall rows from the states of all segments.
    The same applies to many rows with ``ci="bootstrap"`` and ``"obuchowski"``, which need all scores
    together. That worker needs memory for the distinct scores of all rows. With ``versus``, ``groupings``,
    ``calibration``, ``folds`` or ``stability`` it computes the whole report, and needs memory for the states
    of all segments (and folds). There is no warning if no row is positive.
    """
    options = ReportOptions.of(locals())
    name = "report"
    selected = _Selection.of(name, frame, label, scores, by, {"count": count}, folds)
    counts = selected.masses.get("count")
    options = dataclasses.replace(options, by=selected.by, count=counts, folds=selected.folds)
    _refuse_other_columns(stability, selected.by)
    rows = pl.LazyFrame(schema=selected.schema)
    with called(name):
        local_rows = Rows.from_arguments(rows, selected.label, selected.scores, options)
        local = evaluation(local_rows, options).collect_schema()
    stages = dataclasses.replace(selected.stages(name, {}), interval=options.limits)
    together = [options.versus, options.groupings, options.folds, options.stability]
    if options.calibration or any(option is not None for option in together):
        return selected.evaluated(dataclasses.replace(stages, options=options), local).toDF(*local)
    borders = borders_of(selected.sample()) if ci in PLACEMENT_METHODS else None
    if borders is not None:
        by_ranges = RangeStages.of(stages, borders)
        return selected.finished_by_ranges(by_ranges, local).toDF(*local)
    return selected.finished(stages, local).toDF(*local)


@dataclasses.dataclass
class _Selection:
    """The selected columns of a frame, and their dtypes in Polars."""

    rows: DataFrame
    schema: pl.Schema
    label: str
    scores: list[str]
    by: list[str]
    masses: dict[str, Any]
    """The column of weights or of counts, by role, if there is one."""
    folds: str | None = None
    """The column of folds, if there is one."""

    @classmethod
    def of(
        cls,
        name: str,
        frame: DataFrame,
        label: IntoColumn,
        scores: IntoColumn | Iterable[IntoColumn],
        by: str | Iterable[str],
        masses: Mapping[str, IntoColumn | None],
        folds: IntoColumn | None = None,
    ) -> _Selection:
        require_spark(name)
        from pyspark.sql import Column

        _refuse_frame(name, frame)
        keys = keys_of(name, by, f'{name}(frame, "label", "score", by="segment")')
        alone = isinstance(scores, str | Column) or not isinstance(scores, Iterable)
        wanted: list[Any] = [scores] if alone else list(scores)
        refuse_column(name, "label", label)
        for score in wanted:
            refuse_column(name, "score", score)
        if not wanted:
            reason = "must name at least one column, got none"
            raise OptionError(name, "scores", reason, f'write {name}(frame, "label", "score")')
        columns: list[IntoColumn] = [*keys, label, *wanted]
        weighed = {role: column for role, column in masses.items() if column is not None}
        for role, column in weighed.items():
            refuse_column(name, role, column)
            columns.append(column)
        if folds is not None:
            refuse_column(name, "folds", folds)
            columns.append(folds)
        # A column may be both a key and a score; a Column has its own name.
        present = frame.columns
        plain = [column for column in dict.fromkeys(names_of(columns)) if column in present]
        expressions = [column for column in columns if not isinstance(column, str)]
        rows = frame.select(*map(column_by_name, plain), *expressions)
        _refuse_two_of_one_name(name, rows.columns)
        names = iter(rows.columns[len(plain) :])
        column_names = [column if isinstance(column, str) else next(names) for column in columns]
        rest = column_names[len(keys) + 1 :]
        # An empty frame of the same schema, without reading rows, shows how Spark converts its types.
        schema = pl.DataFrame(frame.sparkSession.createDataFrame([], rows.schema).toArrow()).schema
        end = len(wanted)
        mass_names = dict(zip(weighed, rest[end:], strict=folds is None))
        numbers = rows.toDF(*numbered(len(rows.columns)))
        fold_name = None if folds is None else column_names[-1]
        return cls(numbers, schema, column_names[len(keys)], rest[:end], keys, mass_names, fold_name)

    def stages(self, name: str, limit: dict[str, Any]) -> Stages:
        by = list(dict.fromkeys([*self.by, *([] if self.folds is None else [self.folds])]))
        return Stages(name, self.schema.names(), self.label, self.scores, by, self.masses, limit)

    def merged(self, stages: Stages) -> DataFrame:
        """Return one row for each segment, with numbered columns and a state column for each score."""
        schema = self._schema([*self.by, *self._state_types()])
        counted = self.rows.mapInArrow(stages.counted, schema)
        return self._near(counted).mapInArrow(stages.merged, schema)

    def finished(self, stages: Stages, local: pl.Schema) -> DataFrame:
        """Return the report with the schema of the local report."""
        types = [*self.by, *self._state_types()]
        states = self.rows.mapInArrow(stages.counted, self._schema(types))
        if self.by:
            answered = self._schema([*types, *self._summary_types(local)])
            states = self._near(states).mapInArrow(stages.answered, answered)
        fields = [name if name in self.by else spark_type(dtype) for name, dtype in local.items()]
        return _in_one(states).mapInArrow(stages.finished, self._schema(fields))

    def evaluated(self, stages: Stages, local: pl.Schema) -> DataFrame:
        """Return the report with the schema of the local report, by one worker from merged states."""
        schema = self._schema([*stages.by, *self._state_types()])
        merged = self.rows.mapInArrow(stages.counted, schema)
        if stages.by:
            merged = merged.repartition(*merged.columns[: len(stages.by)]).mapInArrow(stages.merged, schema)
        fields = [name if name in self.by else spark_type(dtype) for name, dtype in local.items()]
        return _in_one(merged).mapInArrow(stages.evaluated, self._schema(fields))

    def sample(self) -> pl.DataFrame:
        """Read the scores of a sample of rows."""
        columns = dict(zip(self.schema, self.rows.columns, strict=True))
        scores = self.rows.select(*(columns[score] for score in self.scores))
        return pl.DataFrame(scores.sample(fraction=1 / ranges.SAMPLE_RATIO, seed=0).toArrow())

    def finished_by_ranges(self, stages: RangeStages, local: pl.Schema) -> DataFrame:
        """Return the report with the schema of the local report, computed by ranges of the scores."""
        from pyspark.sql.types import BinaryType, BooleanType, IntegerType

        place = IntegerType()
        state_schema = self._schema([place, place, *self.by, *self._state_types()])
        sum_schema = self._schema([BooleanType(), *self.by, place, place, BinaryType()])
        fields = [spark_type(local[name]) for name in SUMMARY_COLUMNS]
        answer_schema = self._schema([BooleanType(), *self.by, place, *fields])
        states = self.rows.mapInArrow(stages.counted, state_schema)
        sums = states.repartition(*states.columns[:2]).mapInArrow(stages.summed, sum_schema)
        near = sums.repartition(*sums.columns[: 1 + len(self.by)])
        answers = _in_one(near.mapInArrow(stages.answered, answer_schema))
        types = [name if name in self.by else spark_type(dtype) for name, dtype in local.items()]
        return answers.mapInArrow(stages.finished, self._schema(types))

    def _near(self, states: DataFrame) -> DataFrame:
        """Send the states of a segment to one worker, which merges all its segments at once."""
        return states.repartition(*states.columns[: len(self.by)]) if self.by else _in_one(states)

    def _state_types(self) -> list[DataType]:
        rows = pl.LazyFrame(schema=self.schema)
        wanted = [roc_state(self.label, s, **self.masses).alias(state_column(s)) for s in self.scores]
        return [spark_type(dtype) for dtype in rows.select(wanted).collect_schema().dtypes()]

    def _summary_types(self, local: pl.Schema) -> list[DataType]:
        fields = {name: local[name] for name in SUMMARY_COLUMNS}
        return [spark_type(pl.Struct(fields))] * len(self.scores)

    def _schema(self, columns: list[str | DataType]) -> StructType:
        """Return the schema of columns: a key with its type, or a type."""
        from pyspark.sql.types import StructField, StructType

        keys = dict(zip(self.schema.names(), (field.dataType for field in self.rows.schema), strict=True))
        types = [keys[column] if isinstance(column, str) else column for column in columns]
        return StructType([StructField(*pair) for pair in zip(numbered(len(types)), types, strict=True)])


def _in_one(frame: DataFrame) -> DataFrame:
    """Return the rows in one partition, with a row of nulls: Spark skips the function for empty frames."""
    from pyspark.sql import functions

    nothing: list[Column] = [
        functions.lit(None).cast(field.dataType).alias(field.name) for field in frame.schema
    ]
    return frame.unionByName(frame.sparkSession.range(0, 1, 1, 1).select(*nothing)).repartition(1)


def _refuse_other_columns(stability: pl.Expr | str | None, by: list[str]) -> None:
    """Raise for a condition on columns that states do not have."""
    used = stability.meta.root_names() if isinstance(stability, pl.Expr) else [stability]
    unknown = next((column for column in used if column is not None and column not in by), None)
    if unknown is not None:
        reason = f"is about the column {unknown!r}, and states have the columns of `by` alone"
        raise OptionError("report", "stability", reason, "add it to `by`")


def _refuse_frame(name: str, frame: object) -> None:
    from pyspark.sql import DataFrame

    if not isinstance(frame, DataFrame):
        hint = f"for a frame of Polars write polars_auc.{name}"
        msg = f"{name}: frame must be a DataFrame of Spark, got {type_name(frame)}; {hint}"
        raise TypeError(msg)


def _refuse_two_of_one_name(name: str, columns: list[str]) -> None:
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        msg = (
            f"{name}: two columns have the name {twice!r}. Hint: give one another name, "
            f"as in pyspark.sql.functions.col({twice!r}).alias('t')"
        )
        raise ValueError(msg)
