"""Ctrl-C ends a long computation soon."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import polars as pl
import pytest

ROWS = """
import sys
import numpy as np, polars as pl, polars_auc as pa
rng = np.random.default_rng(0)
size = 200_000
s, t = rng.normal(size=(2, size))
keys = {"g": rng.integers(0, 1000, size), "k": rng.integers(0, 4000, size), "c": rng.integers(0, 5000, size)}
rows = pl.DataFrame({"y": rng.random(size) < 0.3, "s": s, "t": t, **keys})
p = pl.DataFrame({"p": rng.random(20_000_000)})
few = rows.head(1000)
few.select(pa.roc_auc_ci("y", "s", method="bootstrap", n_resamples=10))
"""
# Python runs signal handlers when a function is called.
RUN = """
def run(query):
    raised = []
    print("begun", flush=True)
    try:
        try:
            query()
        except BaseException as error:
            raised.append(error)
            sum([])
    except KeyboardInterrupt as error:
        raised.append(error)
    first, *others = raised
    is_named = isinstance(first, KeyboardInterrupt) or "interrupted by Ctrl-C" in str(first)
    print(type(first).__name__ if is_named else repr(first), len(others), flush=True)
"""
COLLECT = """
query = QUERY
run(lambda: query.collect(engine="ENGINE"))
"""
# Python may start slowly on a busy machine; an earlier interrupt does not test the command.
COMMAND = """
import sys
from polars_auc._commands.main import main
print("begun", flush=True)
sys.exit(main(sys.argv[1:]))
"""

# A chart that takes hours: a density at very many points.
SLOW_CHART = """
import altair as alt
chart = alt.Chart(alt.sequence(0, 100_000, as_="x")).mark_line()
chart = chart.transform_density("x", steps=1_000_000, as_=["x", "y"]).encode(x="x:Q", y="y:Q")
"""
SAVE = """
import sys
import polars_auc as pa
print("begun", flush=True)
try:
    pa.save_chart(chart, sys.argv[1])
except BaseException as error:
    raised = error
print(type(raised).__name__, flush=True)
"""
CURVE = """
from polars_auc._commands import curve
curve._chart = lambda *_: chart
"""


# Expressions that take minutes or hours for this number of rows.
RESAMPLED = [
    'pa.roc_auc_ci("y", "s", method="bootstrap", n_resamples=10**6)',
    'pa.bootstrap_ci("ks_statistic", "y", "s", n_resamples=10**6)',
    'pa.roc_auc_difference("y", "s", "t", method="bootstrap", n_resamples=10**6)',
    'pa.roc_curve_difference("y", "s", "t", n_permutations=10**6)',
    'pa.tpr_at_fpr("y", "s", 0.1, n_resamples=10**6)',
    'pa.roc_band("y", "s", method="smoothed_bootstrap", n_resamples=10**6)',
    'pa.roc_difference_band("y", "s", "t", n_resamples=10**6)',
    'pa.cv_roc_curve("y", "s", "g", n_points=10**6)',
]
QUERIES = [
    *(f"rows.lazy().select({expression})" for expression in RESAMPLED),
    'p.lazy().select(pa.adjust_p_values("p", method="hommel"))',
    'p.head(2_000_000).lazy().select(pa.always_valid_change("p", "p"))',
    'pa.compare_segments(rows.lazy(), "y", "s", "k", cluster="c")',
]

# Functions that run their queries themselves.
LONG = 'ci="bootstrap", n_resamples=10**6'
FUNCTIONS = [
    'pa.compare_segments(rows, "y", "s", "k", cluster="c")',
    f'pa.report(rows, "y", "s", {LONG})',
    f'pa.report(rows, "y", "s", by="g", {LONG})',
    f'pa.report(rows.select("y", "s", "g").to_arrow(), "y", "s", {LONG})',
    'pa.curve_points(rows, pa.roc_band("y", "s", method="smoothed_bootstrap", n_resamples=10**6))',
]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere Ctrl-C is no signal to one process")


def begin(script: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def interrupt(process: subprocess.Popen[str], after: float) -> None:
    """Interrupt a script some seconds after it printed "begun", during its long computation."""
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "begun", process.communicate()
    time.sleep(after)
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)


def interrupted(script: str, *arguments: str) -> tuple[float, int, str, str]:
    """Interrupt a script; return its remaining time, exit code, output and errors."""
    process = begin(script, *arguments)
    interrupt(process, after=1)
    start = time.monotonic()
    # The input stays open, because the script may read it.
    process.wait(timeout=60)
    output, errors = process.communicate()
    return time.monotonic() - start, process.returncode, output.strip(), errors


def interrupt_each(queries: list[str], script: str) -> list[str]:
    """Interrupt each query of a script, and return its output; the process continues after each.

    The median query ends within a second: single ones may be slower on a busy machine.
    """
    printed, seconds = [], []
    with begin(ROWS + RUN + script) as process:
        assert process.stdout is not None
        # A query that ignores interrupts would block for hours.
        end = threading.Timer(300, process.kill)
        end.start()
        for query in queries:
            interrupt(process, after=0.3)
            start = time.monotonic()
            printed.append(process.stdout.readline().strip())
            seconds.append(time.monotonic() - start)
            # Without checks for interrupts it takes an hour.
            assert seconds[-1] < 20, query
        assert process.wait(timeout=60) == 0
        end.cancel()
    assert statistics.median(seconds) < 1, seconds
    return printed


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_expressions(engine: str) -> None:
    """A user's query ends with an error of Polars, and Python adds a KeyboardInterrupt.

    The streaming engine may receive the signal first, and then raises KeyboardInterrupt.
    """
    script = "".join(COLLECT.replace("QUERY", query).replace("ENGINE", engine) for query in QUERIES)
    ends = {"ComputeError 1"} | ({"KeyboardInterrupt 1"} if engine == "streaming" else set())
    assert set(interrupt_each(QUERIES, script)) <= ends


def test_functions() -> None:
    """A function that runs its query raises a single KeyboardInterrupt."""
    script = "".join(f"run(lambda: {function})\n" for function in FUNCTIONS)
    assert interrupt_each(FUNCTIONS, script) == ["KeyboardInterrupt 0"] * len(FUNCTIONS)


READ = """
query = pa.report(pl.scan_parquet([FILE] * 3000), "y", "s")
run(lambda: query.collect(engine="ENGINE"))
"""


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_reading(engine: str, tmp_path: Path) -> None:
    """Polars stops reading, and Python handles the same signal."""
    file = tmp_path / "rows.parquet"
    rows = pl.DataFrame({"s": pl.int_range(1_000_000, eager=True).hash(3).cast(pl.Float64)})
    rows.with_columns(y=pl.col("s").hash(4) % 3 == 0).write_parquet(file)
    script = READ.replace("FILE", repr(str(file))).replace("ENGINE", engine)
    [end] = interrupt_each(["reading"], script)
    assert end.startswith(("KeyboardInterrupt", "ComputeError")), end


def test_command_line(tmp_path: Path) -> None:
    size = 200_000
    rows = pl.DataFrame({"s": pl.int_range(size, eager=True).hash(3).cast(pl.Float64)})
    rows.with_columns(y=pl.col("s").hash(4) % 3 == 0).write_parquet(tmp_path / "rows.parquet")
    report = ["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s"]
    seconds, code, _, errors = interrupted(COMMAND, *report, "--ci", "bootstrap", "--resamples", "1000000")
    assert seconds < 20
    assert code == 130
    assert "Traceback" not in errors


def test_waiting_for_standard_input() -> None:
    _, code, output, errors = interrupted(COMMAND, "report", "-", "--label", "y", "--score", "s")
    assert (code, output, errors) == (130, "", "polars-auc: interrupted\n")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_chart(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"chart.{ending}"
    _, code, output, errors = interrupted(SLOW_CHART + SAVE, str(path))
    assert (code, output, errors) == (0, "KeyboardInterrupt", "")
    assert not list(tmp_path.iterdir())


def test_chart_of_the_command_line(tmp_path: Path) -> None:
    rows, folder = tmp_path / "rows.csv", tmp_path / "charts"
    rows.write_text("y,s\n0,1\n1,2\n")
    folder.mkdir()
    command = ["curve", str(rows), "--label", "y", "--score", "s", "-o", str(folder / "curve.svg")]
    _, code, output, errors = interrupted(SLOW_CHART + CURVE + COMMAND, *command)
    assert (code, output, errors) == (130, "", "polars-auc: interrupted\n")
    assert not list(folder.iterdir())
