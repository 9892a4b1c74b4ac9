"""What a report of the command line is about, in words."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import polars as pl

from polars_auc._cli.rows import Files, counted
from polars_auc._expressions.states import have_weights

__all__ = ["about", "needed", "of_weights", "skipped", "unheld"]


def needed(chosen: argparse.Namespace, score: str = "score") -> str:
    """Say for what null rows are skipped, with a name of the score."""
    if chosen.weight is not None:
        return f"label or {score}, or a weight that is null or 0"
    return f"label, cluster or {score}" if chosen.cluster is not None else f"label or {score}"


def skipped(chosen: argparse.Namespace, table: pl.DataFrame) -> list[str]:
    """Say how many rows were left out of each score."""
    rows = table.filter(pl.col("scope") == "overall", pl.col("n_missing") > 0).select("score", "n_missing")
    return [
        f"{name}: {counted(missing, 'row')} skipped for a null {needed(chosen)}"
        for name, missing in rows.rows()
    ]


def unheld(table: pl.DataFrame) -> list[str]:
    """Say so if no group can be held against the reference, although all rows together can."""
    if "psi" not in table.columns:
        return []
    held = {scope for scope, psi in table.select("scope", "psi").rows() if psi is not None}
    if "group" not in table["scope"] or held != {"overall"}:
        return []
    return [
        "psi: no group has rows of the reference and others. If --by is made of a column that --stability "
        'names, let it name the column of --by, as in --by "EXTRACT(YEAR FROM day) AS year" --stability '
        '"year < 2016"'
    ]


def of_weights(files: Files, table: pl.DataFrame) -> list[str]:
    """Return the columns of states of rows with weights."""
    return [name for name in table["score"].unique(maintain_order=True) if have_weights(files.schema[name])]


def about(
    chosen: argparse.Namespace,
    files: Files,
    table: pl.DataFrame,
    written: Callable[[str], str] = str,
) -> list[tuple[str, str]]:
    """Say what a report is about, in pairs of words, with names as they are written on the page."""
    scores = ", ".join(written(name) for name in table["score"].unique(maintain_order=True))
    lines = [("Data", f"{counted(len(files.names), 'file')}, last changed on {files.changed()}")]
    if chosen.label is not None:
        lines.append(("Label", written(chosen.label)))
    lines.append(("Scores", scores))
    if chosen.by:
        several = f" ({chosen.groupings})" if chosen.groupings else ""
        lines.append(("Groups", f"by {', '.join(map(written, chosen.by))}{several}"))
    if chosen.where:
        lines.append(("Rows", f"where {' and '.join(map(written, chosen.where))}"))
    if chosen.count is not None:
        lines.append(("Counts", f"each row stands for {written(chosen.count)} rows"))
    if chosen.from_states:
        names = ", ".join(map(written, of_weights(files, table)))
        weighted = f"; those of {names} are of rows with weights, and have no intervals" if names else ""
        lines.append(("Made of", f"states{weighted}"))
    drawn = ""
    if chosen.ci == "bootstrap":
        limits = ", BCa limits" if chosen.interval == "bca" else ""
        drawn = f"{limits}, {chosen.resamples or 2000} resamples, seed {chosen.seed or 0}"
    if table["lower"].null_count() < table.height:
        lines.append(("Intervals", f"{100 * chosen.level:.6g} %, by {chosen.ci}{drawn}"))
    if chosen.cluster is not None:
        same = f"rows with the same {written(chosen.cluster)} belong together"
        lines.append(("Clusters", f"{same}; intervals and comparisons do not take them as independent"))
    if chosen.stability is not None:
        lines.append(("Stability", f"of scores, held against the rows where {written(chosen.stability)}"))
    if chosen.weight is not None:
        weighted = f"each row has the weight {written(chosen.weight)}; numbers of rows are not weighted"
        lines.append(("Weights", weighted))
    if chosen.compare:
        lines.append(("Comparison", "of each score with the first, on the rows that have all scores"))
    if chosen.versus is not None:
        whom = {"rest": "the rest", "overall": "all rows", "previous": "the previous one"}
        lines.append(
            ("Differences", f"of each group from {whom.get(chosen.versus) or written(chosen.versus)}")
        )
    if chosen.compare_to is not None:
        lines.append(("Changes", f"since the report {written(str(chosen.compare_to))}"))
    if chosen.compare or chosen.versus is not None or chosen.compare_to is not None:
        lines.append(("Adjustment of p-values", chosen.adjust))
    return lines
