"""Shared helpers of the golden tests: the rows of a record, and the call for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import polars as pl

Record: TypeAlias = dict[str, Any]
Answers: TypeAlias = dict[str, Any]


class Apart(str):
    """The reason for not comparing a field or a record."""

    __slots__ = ()


Check: TypeAlias = Callable[[pl.DataFrame, Record], Answers | Apart]
"""A function of a case's table and a record: our result for every field of the record."""


def signed(arguments: Record, which: str = "") -> pl.Expr:
    """Return the score with high values for positives; ``which`` is "1" or "2" of a pair."""
    sign = -1 if arguments.get("direction") == ">" else 1
    sign *= arguments.get(f"sign{which}", 1)
    return pl.col(arguments[f"score{which}"]) * pl.lit(sign)


def labelled(frame: pl.DataFrame, record: Record, *others: str, **scores: pl.Expr) -> pl.DataFrame:
    """Return the label with scores and other columns, for the record's subcase."""
    arguments = record["arguments"]
    if "subcase" in arguments:
        frame = frame.filter(pl.col("subcase") == arguments["subcase"])
    # sklearn and scipy raise for NaN or propagate it, as we do; the others skip such rows, as nulls.
    if not record["function"].startswith(("sklearn", "scipy")):
        scores = {name: score.fill_nan(None) for name, score in scores.items()}
    return frame.select(*others, label=pl.col("label") == arguments.get("positive", 1), **scores)


def rows(frame: pl.DataFrame, record: Record, *others: str) -> pl.DataFrame:
    """Return label and score."""
    return labelled(frame, record, *others, score=signed(record["arguments"]))


def pairs(frame: pl.DataFrame, record: Record, *others: str) -> pl.DataFrame:
    """Return label and two scores, a and b."""
    arguments = record["arguments"]
    return labelled(frame, record, *others, a=signed(arguments, "1"), b=signed(arguments, "2"))


def weight_of(record: Record) -> str | None:
    """Return the weight column of the record, if any."""
    arguments = record["arguments"]
    name: str | None = arguments.get("sample_weight", arguments.get("weight"))
    return name


def answer(frame: pl.DataFrame, expression: pl.Expr) -> Any:
    return frame.select(expression).to_series().to_list()[0]


def tied(frame: pl.DataFrame) -> bool:
    scores = frame.drop_nulls()["score"]
    return scores.n_unique() < len(scores)


def side(arguments: Record) -> Any:
    """Return our name of the alternative."""
    return {
        "two.sided": "two-sided",
        "two-sided": "two-sided",
        "one.sided": "greater",
        "greater": "greater",
        "less": "less",
    }[arguments.get("alternative", "two-sided")]


def running_on(ours: float, theirs: float) -> float:
    """Return ``ours``, a limit clipped to 0 and 1, like packages without clipping."""
    return theirs if ours == min(max(theirs, 0.0), 1.0) and ours in (0.0, 1.0) else ours


REPEATED = Apart("an argument, repeated")


def weighted_rows(frame: pl.DataFrame, record: Record) -> pl.DataFrame:
    """Return label, score and the weight of that name."""
    name = weight_of(record)
    assert name is not None
    return rows(frame, record, name).rename({name: "weight"})


N_RESAMPLES = 10_000
SEED = 1
N_PERMUTATIONS = 4_000


def number_of_resamples(record: Record) -> int:
    """Return the number of our resamples for this record."""
    return N_PERMUTATIONS if record["kind"] == "venkatraman" else N_RESAMPLES
