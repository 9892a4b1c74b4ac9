"""What a report of the command line is about, in words."""

from __future__ import annotations

import argparse

import polars as pl

from polars_auc._report_text import code
from polars_auc._rows import Files, counted

__all__ = ["about", "skipped"]


def skipped(table: pl.DataFrame) -> list[str]:
    """Say how many rows were left out of each score."""
    rows = table.filter(pl.col("scope") == "overall", pl.col("n_missing") > 0).select("score", "n_missing")
    return [
        f"{name}: {counted(missing, 'row')} skipped for a null label or score"
        for name, missing in rows.rows()
    ]


def about(chosen: argparse.Namespace, files: Files, table: pl.DataFrame) -> list[str]:
    """Say what a report is about."""
    scores = ", ".join(code(name) for name in table["score"].unique(maintain_order=True))
    lines = [f"Data: {counted(len(files.names), 'file')}, last changed on {files.changed()}"]
    if chosen.label is not None:
        lines.append(f"Label: {code(chosen.label)}")
    lines.append(f"Scores: {scores}")
    if chosen.by:
        lines.append(f"Groups: by {', '.join(map(code, chosen.by))}")
    if chosen.where:
        lines.append(f"Rows: where {' and '.join(map(code, chosen.where))}")
    if chosen.count is not None:
        lines.append(f"Counts: each row stands for {code(chosen.count)} rows")
    lines.append(f"Intervals: {chosen.level:.6g}, {chosen.ci}")
    if chosen.compare:
        lines.append("Gains: over the first score, on the rows that have all scores")
    if chosen.versus is not None:
        lines.append(f"Differences: of each group from {code(chosen.versus)}")
    if chosen.compare or chosen.versus is not None:
        lines.append(f"Adjustment of p-values: {chosen.adjust}")
    return [*lines, *skipped(table)]
