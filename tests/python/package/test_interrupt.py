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
s, t = rng.normal(size=(2, 200_000))
rows = pl.DataFrame({"y": rng.random(200_000) < 0.3, "s": s, "t": t})
rows.select(pa.roc_auc_ci("y", "s", method="bootstrap", n_resamples=10))
print("begun", flush=True)
rows.lazy().select(EXPRESSION).collect(engine="ENGINE")
"""
# Python itself may take long to start on a busy machine, and an interrupt before that is not the command's.
COMMAND = """
import sys
from polars_auc._commands.main import main
print("begun", flush=True)
sys.exit(main(sys.argv[1:]))
"""
EXPRESSIONS = [
    'pa.roc_auc_ci("y", "s", method="bootstrap", n_resamples=10**6)',
    'pa.roc_auc_difference("y", "s", "t", method="bootstrap", n_resamples=10**6)',
    'pa.roc_curve_difference("y", "s", "t", n_permutations=10**6)',
    'pa.tpr_at_fpr("y", "s", 0.1, n_resamples=10**6)',
]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere Ctrl-C is no signal to one process")


def interrupted(script: str, *arguments: str) -> tuple[float, int, str]:
    """Interrupt a script that has printed "begun"; return how long it went on, its exit code and errors."""
    command = [sys.executable, "-c", script, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "begun"
    time.sleep(3)
    assert process.poll() is None, process.communicate()
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    return time.monotonic() - start, process.returncode, errors


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_python(expression: str, engine: str) -> None:
    script = LONG.replace("EXPRESSION", expression).replace("ENGINE", engine)
    seconds, code, errors = interrupted(script)
    # It takes a tenth of a second; without a look for interrupts it takes an hour.
    assert seconds < 20
    assert code != 0
    assert "KeyboardInterrupt" in errors or "interrupted" in errors


def test_command_line(tmp_path: Path) -> None:
    size = 200_000
    rows = pl.DataFrame({"s": pl.int_range(size, eager=True).hash(3).cast(pl.Float64)})
    rows.with_columns(y=pl.col("s").hash(4) % 3 == 0).write_parquet(tmp_path / "rows.parquet")
    report = ["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s"]
    seconds, code, errors = interrupted(COMMAND, *report, "--ci", "bootstrap", "--resamples", "1000000")
    assert seconds < 20
    assert code == 130
    assert "Traceback" not in errors
