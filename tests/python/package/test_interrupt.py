"""Ctrl-C: a long computation ends soon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

LONG = """
import sys
import numpy as np, polars as pl, polars_auc as pa
rng = np.random.default_rng(0)
size = SIZE
s, t = rng.normal(size=(2, size))
keys = {"g": rng.integers(0, 1000, size), "k": rng.integers(0, 4000, size), "c": rng.integers(0, 5000, size)}
rows = pl.DataFrame({"y": rng.random(size) < 0.3, "s": s, "t": t, "p": rng.random(size), **keys})
few = rows.head(1000)
few.select(pa.roc_auc_ci("y", "s", method="bootstrap", n_resamples=10))
query = QUERY
print("begun", flush=True)
try:
    query.collect(engine="ENGINE")
except BaseException as error:
    raised = error
# Where Polars raises an interrupt by itself, Python raises the same one once more.
try:
    print(type(raised).__name__, flush=True)
except KeyboardInterrupt:
    print(type(raised).__name__, flush=True)
"""
# Python itself may take long to start on a busy machine, and an interrupt before that is not the command's.
COMMAND = """
import sys
from polars_auc._commands.main import main
print("begun", flush=True)
sys.exit(main(sys.argv[1:]))
"""


def select(expression: str) -> str:
    return f"rows.lazy().select({expression})"


# Queries of so many rows, which take minutes or hours.
RESAMPLED = [
    'pa.roc_auc_ci("y", "s", method="bootstrap", n_resamples=10**6)',
    'pa.bootstrap_ci("ks_statistic", "y", "s", n_resamples=10**6)',
    'pa.roc_auc_difference("y", "s", "t", method="bootstrap", n_resamples=10**6)',
    'pa.roc_curve_difference("y", "s", "t", n_permutations=10**6)',
    'pa.tpr_at_fpr("y", "s", 0.1, n_resamples=10**6)',
    'pa.roc_band("y", "s", method="smoothed_bootstrap", n_resamples=10**6)',
    'pa.roc_difference_band("y", "s", "t", n_resamples=10**6)',
]
QUERIES = {
    **{select(expression): 200_000 for expression in RESAMPLED},
    select('pa.cv_roc_curve("y", "s", "g", n_points=10**6)'): 200_000,
    select('pa.adjust_p_values("p", method="hommel")'): 20_000_000,
    'pa.compare_segments(rows.lazy(), "y", "s", "k", cluster="c")': 200_000,
}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere Ctrl-C is no signal to one process")


def interrupted(script: str, *arguments: str) -> tuple[float, int, str, str]:
    """Interrupt a script that has printed "begun": how long it went on, its exit code, output and errors."""
    command = [sys.executable, "-c", script, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "begun"
    time.sleep(2)
    assert process.poll() is None, process.communicate()
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    return time.monotonic() - start, process.returncode, output.strip(), errors


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize(("query", "size"), QUERIES.items())
def test_python(query: str, size: int, engine: str) -> None:
    script = LONG.replace("QUERY", query).replace("ENGINE", engine).replace("SIZE", str(size))
    seconds, code, output, errors = interrupted(script)
    # It takes a tenth of a second; without a look for interrupts it takes an hour.
    assert seconds < 20
    assert (code, output) == (0, "KeyboardInterrupt"), errors


def test_command_line(tmp_path: Path) -> None:
    size = 200_000
    rows = pl.DataFrame({"s": pl.int_range(size, eager=True).hash(3).cast(pl.Float64)})
    rows.with_columns(y=pl.col("s").hash(4) % 3 == 0).write_parquet(tmp_path / "rows.parquet")
    report = ["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s"]
    seconds, code, _, errors = interrupted(COMMAND, *report, "--ci", "bootstrap", "--resamples", "1000000")
    assert seconds < 20
    assert code == 130
    assert "Traceback" not in errors
