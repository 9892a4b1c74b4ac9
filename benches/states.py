"""Width of the bounds of small states, for scores of several distributions.

``python benches/states.py [--rows 4e5]`` makes states of 1024, 4096 and 16,384 bins. The seed is fixed, and
nothing is timed. A row of ``benches/results/states.csv`` has the bins in use, the width of the bounds of the
AUC, the ratio of the width to ``BC^2 / bins``, and the bytes of a bin in the packed state. BC is the
Bhattacharyya coefficient of the distributions of the two classes, from counts in 2000 narrow bins. No state
of this many bins can have bounds that are much narrower than ``BC^2 / bins``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

import polars_auc as pa
from rows import append

RESULTS = Path(__file__).parent / "results" / "states.csv"

BINS = (1024, 4096, 16_384)


def distributions(n: int) -> Iterator[tuple[str, np.ndarray, np.ndarray, Literal["real", "probability"]]]:
    """Return labels and scores of several shapes, with a suitable scale."""
    rng = np.random.default_rng(1)
    label = rng.random(n) < 0.3
    normal = rng.standard_normal(n) + label
    yield "normal", label, normal, "real"
    yield "normal times 100", label, 100 * normal, "real"
    risk = 1 / (1 + np.exp(-(1.2 * rng.standard_normal(n) - 5.1)))
    yield "calibrated, 1 % positive", rng.random(n) < risk, risk, "probability"
    apart = rng.standard_normal(n) + 3.29 * label
    yield "AUC 0.99, sigmoid(2z - 4)", label, 1 / (1 + np.exp(-(2 * apart - 4))), "probability"
    yield "overconfident, sigmoid(6z - 6)", label, 1 / (1 + np.exp(-(6 * apart - 6))), "probability"


def bhattacharyya(label: np.ndarray, score: np.ndarray) -> float:
    """Return the Bhattacharyya coefficient of the classes, by counts between quantiles."""
    borders = np.unique(np.quantile(score, np.linspace(0, 1, 2001)))
    shares = [
        np.histogram(score[label == kind], borders)[0] / (label == kind).sum() for kind in (True, False)
    ]
    return float(np.sqrt(shares[0] * shares[1]).sum())


def main() -> None:
    """Compute the states, print and append."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=4e5)
    rows = []
    n = int(parser.parse_args().rows)
    for name, label, score, scale in distributions(n):
        frame = pl.DataFrame({"label": label, "score": score})
        exact = frame.select(pa.roc_auc("label", "score")).item()
        least = bhattacharyya(label, score) ** 2
        for max_bins in BINS:
            state = frame.select(state=pa.roc_state("label", "score", max_bins=max_bins, scale=scale))
            bounds = state.select(b=pa.roc_auc_bounds(state="state"))["b"].item()
            assert bounds["lower"] <= exact <= bounds["upper"]
            bins = state["state"].struct.field("bins").list.len().item()
            width = bounds["upper"] - bounds["lower"]
            packed = state.select(
                all=pa.pack_state("state").bin.size(),
                short=pa.pack_state("state", keep_scores=False).bin.size(),
            )
            rows.append(
                {
                    "date": time.strftime("%Y-%m-%d"),
                    "rows": n,
                    "scores": name,
                    "scale": scale,
                    "max_bins": max_bins,
                    "bins": bins,
                    "width": width,
                    "ratio": width * max_bins / least,
                    "packed": packed["all"].item() / bins,
                    "packed_without_scores": packed["short"].item() / bins,
                }
            )
    table = pl.DataFrame(rows).with_columns(pl.col("width", "ratio", "^packed.*$").round_sig_figs(3))
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=140):
        print(table)
    append(table, RESULTS)


if __name__ == "__main__":
    main()
