"""What a command evaluates of its files."""

from __future__ import annotations

import argparse

import polars as pl

from polars_auc._cli.rows import Files, Scored
from polars_auc._cli.states import refuse_of_rows, state_columns
from polars_auc._frames.evaluated import Evaluated
from polars_auc._report.clusters import label_of_clusters

__all__ = ["evaluated_rows", "evaluated_states"]


def evaluated_rows(
    scored: Scored,
    chosen: argparse.Namespace,
    *,
    cluster: pl.Expr | None = None,
    weight: pl.Expr | None = None,
) -> Evaluated:
    """Evaluate rows, weighted if they have weights; with clusters those that are in one."""
    label = scored.label if cluster is None else label_of_clusters(scored.label, cluster)
    given = {"label": label, "count": scored.count}
    if weight is not None:
        given["weight"] = weight
    scores = zip(chosen.scores, scored.scores, strict=True)
    taken = {text: {**given, "score": score} for text, score in scores}
    return Evaluated(scored.rows, chosen.by, taken, scored.names, [])


def evaluated_states(files: Files, chosen: argparse.Namespace, refused: tuple[str, ...]) -> Evaluated:
    """Evaluate states, and refuse options that need rows."""
    refuse_of_rows(chosen, refused)
    columns = state_columns(files, chosen.scores)
    keys = files.keys(chosen.by)
    return Evaluated.of_states(files.rows, keys, columns, [*keys, *columns])
