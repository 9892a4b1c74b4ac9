"""Sizes of states in Parquet files, relative to their rows, for scores of few and of many digits.

``python benches/state_sizes.py [--rows 1e6]`` writes the label and the score of one day's rows, and their
states, with the default compression of Polars. The seed is fixed, and nothing is timed. A row of
``benches/results/state_sizes.csv`` has the bytes of one form, and their ratio to the bytes of the rows.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import polars_auc as pa
from rows import append

RESULTS = Path(__file__).parent / "results" / "state_sizes.csv"

DIGITS = (2, 4, 16)


def forms(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the rows, and their possible replacements."""
    states = {
        "exact": pa.roc_state("label", "score"),
        "max_bins=4096": pa.roc_state("label", "score", max_bins=4096, scale="probability"),
        "max_bins=1024": pa.roc_state("label", "score", max_bins=1024, scale="probability"),
    }
    state_columns = {name: rows.select(state=state) for name, state in states.items()}
    small = state_columns["max_bins=1024"].select(pa.pack_state("state", keep_scores=False))
    return {"rows": rows, **state_columns, "max_bins=1024, packed without scores": small}


def main() -> None:
    """Write the files, print their sizes and append them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e6)
    n = int(parser.parse_args().rows)
    rng = np.random.default_rng(1)
    label = rng.random(n) < 0.3
    probability = 1 / (1 + np.exp(-(rng.standard_normal(n) + label)))
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "form.parquet"
        for digits in DIGITS:
            score = probability if digits == max(DIGITS) else probability.round(digits)
            sizes = {}
            for name, frame in forms(pl.DataFrame({"label": label, "score": score})).items():
                frame.write_parquet(file)
                sizes[name] = file.stat().st_size
            measured += [
                {"digits": digits, "form": name, "bytes": size, "ratio": f"{size / sizes['rows']:.3g}"}
                for name, size in sizes.items()
            ]
    stamp = {"date": time.strftime("%Y-%m-%d"), "polars": pl.__version__, "rows": n}
    table = pl.DataFrame([{**stamp, **row} for row in measured])
    print(table)
    append(table, RESULTS)


if __name__ == "__main__":
    main()
