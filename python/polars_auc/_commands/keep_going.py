"""``--keep-going``: find the parts of a report that fail, and omit them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from polars_auc._cli.files import Files
from polars_auc._cli.refusal import Refusal, first_line
from polars_auc._cli.sources import schema_of, unreadable
from polars_auc._cli.sql import column, labelled_column
from polars_auc._expressions.numbers import roc_auc
from polars_auc._page.text import counted
from polars_auc._plots.names import key_label
from polars_auc._plugin.interrupts import interruptible
from polars_auc._report.rows import Rows

# Messages list at most this number of parts.
_MAX_NAMES = 20

# A reserved name: no user column has it.
_NAN = "polars_auc: nan"


@dataclass
class Omissions:
    """The parts of a report that cannot be evaluated, with reasons."""

    files: dict[str, str] = field(default_factory=dict)
    scores: dict[str, str] = field(default_factory=dict)
    groups: pl.DataFrame | None = None
    """The columns of groups."""
    why_groups: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.files or self.scores or self.why_groups)

    def lines(self) -> list[str]:
        """Return a line for each part with the reason of its omission."""
        parts = [f"the file {name!r}: {why}" for name, why in self.files.items()]
        parts += [f"the score {name!r}: {why}" for name, why in self.scores.items()]
        if self.groups is not None:
            names = self.groups.select(key_label(self.groups.columns)).to_series().to_list()
            parts += [f"the group {name}: {why}" for name, why in zip(names, self.why_groups, strict=True)]
        more = [f"and {counted(len(parts) - _MAX_NAMES, 'further part')}"] if len(parts) > _MAX_NAMES else []
        return [*parts[:_MAX_NAMES], *more]

    def without_groups(self, rows: Rows) -> Rows:
        """Return the rows without the omitted groups."""
        if self.groups is None:
            return rows
        keys = self.groups.columns
        kept = rows.frame.join(
            self.groups.lazy(), on=keys, how="anti", nulls_equal=True, maintain_order="left"
        )
        return replace(rows, frame=kept)


def failing_files(names: Sequence[str], columns: Sequence[str], numbers: Sequence[str]) -> dict[str, str]:
    """Return files that are unreadable, lack a column of other files, or have text in numeric columns."""
    faults = {name: unreadable([name], columns) for name in names}
    readable = [name for name, why in faults.items() if why is None]
    if readable:
        # If schemas differ, the most frequent one is correct; then fewer text columns, then more columns.
        schemas = {
            name: {key: dtype for key, dtype in schema_of(name).items() if key in columns}
            for name in readable
        }

        def words(name: str) -> list[str]:
            return [key for key in numbers if schemas[name].get(key) == pl.String]

        def rank(name: str) -> tuple[int, int, int]:
            return list(schemas.values()).count(schemas[name]), -len(words(name)), len(schemas[name])

        usual = max(readable, key=rank)
        for name in readable:
            wrong = [key for key in words(name) if key not in words(usual)]
            if name != usual:
                faults[name] = unreadable([usual, name], columns)
            if wrong:
                faults[name] = f"the column {wrong[0]!r} contains words, but numbers in {usual!r}"
    return {name: why for name, why in faults.items() if why is not None}


def failing_scores(files: Files, label: str, scores: Sequence[str]) -> dict[str, str]:
    """Return the scores without a computable AUC."""
    faults = {}
    for text in scores:
        try:
            _, score = labelled_column("scores", text, files.schema, files.names)
            files.rows.select(roc_auc(column("label", label, files.schema), score)).collect_schema()
        except (Refusal, pl.exceptions.PolarsError) as error:
            faults[text] = first_line(error)
    return faults


def failing_groups(rows: Rows) -> tuple[pl.DataFrame | None, list[str]]:
    """Return the groups that cannot be evaluated, by bisection.

    A group with a NaN score also counts.
    """
    if not rows.by:
        return None, []
    keys = rows.frame.select(rows.by).unique(maintain_order=True).collect()
    faults: list[tuple[int, str]] = []

    def search(first: int, number: int) -> None:
        some = keys.slice(first, number).lazy()
        frame = rows.frame.join(some, on=rows.by, how="semi", nulls_equal=True)
        try:
            with interruptible():
                frame.group_by(rows.by).agg(rows.each(roc_auc)).collect()
        except pl.exceptions.PolarsError as error:
            if number == 1:
                faults.append((first, first_line(error)))
            else:
                search(first, number // 2)
                search(first + number // 2, number - number // 2)

    if keys.height:
        search(0, keys.height)
    is_nan = rows.nan_groups().select(rows.by).unique().with_columns(pl.lit(value=True).alias(_NAN))
    marked = keys.join(is_nan, on=rows.by, how="left", nulls_equal=True, maintain_order="left")
    failing = {place for place, _ in faults}
    places = marked[_NAN].fill_null(value=False).arg_true()
    faults += [(place, "a score is NaN") for place in places if place not in failing]
    if not faults or len(faults) == keys.height:
        return None, []
    return keys[[place for place, _ in faults]], [why for _, why in faults]
