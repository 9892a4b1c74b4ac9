"""The input of a report: rows with a label and scores, or states of such rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._expressions.states import have_weights, merge_states, roc_state
from polars_auc._frames.curve_points import curve_points
from polars_auc._frames.group_states import group_states
from polars_auc._frames.inputs import column_of, keys_of, refuse_keys, rows_of, scores_of
from polars_auc._frames.scores import (
    dtype_of,
    in_cluster,
    negated,
    on_user_scale,
    without_nan,
)
from polars_auc._plugin.errors import CALLED, OptionError
from polars_auc._report.columns import refuse_clashes
from polars_auc._report.nan import nan_messages, skipped_message

if TYPE_CHECKING:
    from polars_auc._frames.inputs import IntoFrame
    from polars_auc._plugin.call import IntoExpr
    from polars_auc._report.options import ReportOptions


@dataclass(frozen=True)
class Rows:
    """Rows with a label and scores, or columns of states of such rows.

    The constructors apply ``nan``, ``cluster`` and ``low_is_positive`` once, for all statistics.
    """

    frame: pl.LazyFrame
    by: list[str]
    """The columns of groups."""
    scores: dict[str, pl.Expr]
    """The scores by name (higher is more positive), or the columns of states."""
    label: pl.Expr | None = None
    """None if the scores are columns of states."""
    count: pl.Expr | None = None
    weight: pl.Expr | None = None
    cluster: pl.Expr | None = None
    originals: Mapping[str, pl.Expr] = field(default_factory=dict)
    """The scores as in the frame, with NaN."""
    skips_nan: bool = False
    user_dtypes: Sequence[pl.DataType] = ()
    """The original dtypes of negated scores, with ``low_is_positive``."""
    source: Rows | None = None
    """The rows from which these rows or states were computed; None for the input itself."""
    height: int | None = None
    """The number of rows in memory; None for a lazy input."""

    @classmethod
    def from_columns(
        cls,
        frame: pl.LazyFrame,
        by: list[str],
        label: pl.Expr,
        scores: Mapping[str, pl.Expr],
        *,
        count: pl.Expr | None = None,
        weight: pl.Expr | None = None,
        cluster: pl.Expr | None = None,
        low_is_positive: bool = False,
        nan: object = None,
    ) -> Rows:
        """Return rows with scores without NaN, negated with ``low_is_positive``."""
        present = dict(scores) if nan is None else without_nan(frame, scores)
        return cls(
            frame,
            by,
            negated(frame, present) if low_is_positive else present,
            label if cluster is None else in_cluster(label, cluster),
            count,
            weight,
            cluster,
            scores,
            nan is not None,
            [dtype_of(frame, score) for score in scores.values()] if low_is_positive else [],
        )

    @classmethod
    def from_states(cls, frame: pl.LazyFrame, by: list[str], columns: Iterable[str]) -> Rows:
        """Return columns of states."""
        return cls(frame, by, {name: pl.col(name) for name in columns})

    @classmethod
    def from_arguments(
        cls,
        frame: IntoFrame,
        label: IntoExpr | None,
        scores: IntoExpr | Iterable[IntoExpr] | None,
        options: ReportOptions,
        state: IntoExpr | Iterable[IntoExpr] | None = None,
    ) -> Rows:
        """Return the rows or states from the arguments of a Python function."""
        name = CALLED.get() or "report"
        example = f'{name}(frame, "label", "score", {{}})'
        rows = rows_of(name, frame)
        if state is not None:
            _refuse_row_columns(name, options, label=label, scores=scores)
        keys = keys_of(name, options.by, example.format('by="segment"'))
        refuse_clashes(keys)
        refuse_keys(name, keys, rows.collect_schema(), nested=True)
        if state is not None:
            states = scores_of(name, state, rows, keys, role="state")
            clash = next((key for key in keys if key in states), None)
            if clash is not None:
                reason = f"names {clash!r}, which is a column of states"
                raise OptionError(name, "by", reason, "name columns of groups")
            return cls.from_states(
                rows.with_columns(column.alias(each) for each, column in states.items()), keys, states
            )
        if label is None or scores is None:
            absent = " and ".join(role for role, one in (("label", label), ("scores", scores)) if one is None)
            example = f'{name}(frame, state="state", by="segment")'
            msg = f"{name}: missing {absent}. Hint: pass label and scores, or state as in {example}"
            raise TypeError(msg)
        columns = {
            role: column_of(name, role, getattr(options, role), rows, example.format(f'{role}="{role}"'))
            for role in ("count", "weight", "cluster")
            if getattr(options, role) is not None
        }
        observed = cls.from_columns(
            rows,
            keys,
            column_of(name, "label", label, rows, f'{name}(frame, "label", "score")'),
            scores_of(name, scores, rows, keys),
            **columns,
            low_is_positive=options.low_is_positive,
            nan=options.nan,
        )
        height = None if isinstance(frame, pl.LazyFrame) else rows.select(pl.len()).collect().item()
        return replace(observed, height=height)

    @property
    def inputs(self) -> dict[str, dict[str, Any]]:
        """The arguments of each score's statistics: label, score, and count or weight; or the state."""
        if self.label is None:
            return {name: {"state": state} for name, state in self.scores.items()}
        shared: dict[str, Any] = {"label": self.label, "count": self.count}
        if self.weight is not None:
            shared["weight"] = self.weight
        scores = self.scores
        if self.cluster is not None:
            # A row with a null cluster counts as missing, so its scores become null as well as its label.
            scores = {name: in_cluster(score, self.cluster) for name, score in scores.items()}
        return {name: {**shared, "score": score} for name, score in scores.items()}

    def each(self, function: Callable[..., pl.Expr], **options: Any) -> list[pl.Expr]:
        """Return one expression for each score."""
        return [function(**inputs, **options).alias(name) for name, inputs in self.inputs.items()]

    def points(self, function: Callable[..., pl.Expr], **options: Any) -> pl.LazyFrame:
        """Plan the points of the curves of all groups and scores."""
        return self.on_user_scale(curve_points(self.frame, self.each(function, **options), self.by))

    def on_user_scale(self, points: pl.LazyFrame) -> pl.LazyFrame:
        """Return points with thresholds and bands on the original scale of the scores."""
        return on_user_scale(points, self.user_dtypes) if self.user_dtypes else points

    def number_of_groups(self) -> pl.LazyFrame:
        """Plan the number of groups; 1 without columns of groups."""
        return self.frame.select(self.by or pl.lit(0)).unique().select(pl.len())

    def only(self, name: str) -> Rows:
        """Return the rows with one score."""
        return replace(self, scores={name: self.scores[name]})

    @property
    def weighted_states(self) -> list[str]:
        """The scores whose states have weights."""
        schema = self.frame.collect_schema() if self.label is None else {}
        return [name for name in self.scores if name in schema and have_weights(schema[name])]

    def bounded(self, max_bins: int | None, scale: Any = None) -> Rows:
        """Return the states of the rows, computed batch by batch."""
        assert self.label is not None
        states = group_states(
            self.frame,
            self.label,
            [score.alias(name) for name, score in self.scores.items()],
            by=self.by,
            max_bins=max_bins,
            scale=scale,
            weight=self.weight,
            count=self.count,
        )
        return self.with_states(states, self.by)

    def with_states(self, frame: pl.LazyFrame | pl.DataFrame, by: list[str]) -> Rows:
        """Return states of the same scores."""
        states = self.from_states(frame.lazy(), by, self.scores)
        source = self if self.label is not None else self.source
        return replace(states, skips_nan=self.skips_nan, user_dtypes=self.user_dtypes, source=source)

    def merged(self, by: list[str], max_bins: int) -> pl.DataFrame:
        """Return one state for each group; without groups, the rows are read in batches."""
        if not by and self.label is not None:
            return replace(self, by=by).bounded(max_bins).frame.collect()
        # The value of an expression such as a mean depends on the group, so it is evaluated within groups.
        answers = self.each(merge_states if self.label is None else roc_state, max_bins=max_bins)
        return (self.frame.group_by(by).agg(answers) if by else self.frame.select(answers)).collect()

    def nan_counts(self, by: Sequence[str]) -> pl.LazyFrame:
        """Plan the number of NaN scores among the labelled rows, by group and score.

        For states with NaN it is null.
        """
        if self.source is not None:
            return self.source.nan_counts(by)
        scores = self.scores if self.label is None else self.originals
        answers = [self._nan_count(score).alias(name) for name, score in scores.items()]
        # A score may share its name with a column of groups.
        both = pl.struct(answers).alias("polars_auc: nan")
        table = self.frame.group_by(by, maintain_order=True).agg(both) if by else self.frame.select(both)
        each = pl.col("polars_auc: nan").struct
        return pl.concat(
            table.select(*by, pl.lit(name).alias("score"), each.field(name).alias("n_nan")) for name in scores
        )

    def _nan_count(self, score: pl.Expr) -> pl.Expr:
        none = pl.lit(0, dtype=pl.UInt64)
        if self.label is None:
            return pl.when(~score.struct.field("has_nan").any()).then(none)
        if not dtype_of(self.frame, score).is_float():
            return none
        is_used = self.label.is_not_null()
        if self.weight is not None:
            is_used &= (self.weight > 0).fill_null(value=False)
        number = pl.lit(1) if self.count is None else self.count
        return pl.when(score.is_nan() & is_used).then(number).otherwise(0).sum().cast(pl.UInt64)

    def add_nan_counts(self, report: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
        """Add the number of rows skipped for NaN to the rows of a report."""
        keys = [*by, "score"]
        return report.join(
            self.nan_counts(by), on=keys, how="left", nulls_equal=True, maintain_order="left", validate="1:1"
        )

    def nan_groups(self) -> pl.DataFrame:
        """Return the groups and scores with NaN, in order, with their numbers of rows."""
        by = self.by if self.source is None else self.source.by
        table = self.nan_counts(by).filter(pl.col("n_nan").ne_missing(0)).collect()
        return table.sort(by, nulls_last=True) if by else table

    def nan_messages(self) -> list[str]:
        """Return messages about groups and scores with NaN; empty without NaN."""
        return nan_messages(self.nan_groups(), are_states=self.label is None and self.source is None)

    def skipped_messages(self) -> list[str]:
        """Return messages about the rows skipped for NaN, by score."""
        table = self.nan_counts([]).filter(pl.col("n_nan") > 0).collect()
        return [skipped_message(score, number) for score, number in table.rows()]


def _refuse_row_columns(name: str, options: ReportOptions, **columns: object) -> None:
    """Raise for columns of rows combined with states, and for options that need rows."""
    for role, column in columns.items():
        if column is not None:
            reason = "cannot be combined with `state`, which contains counted rows"
            raise OptionError(name, role, reason, "leave one of them out")
    for option in options.row_options:
        reason = "requires rows and cannot be combined with `state`"
        raise OptionError(name, option, reason, "leave it out, or pass rows with `label` and `scores`")
