"""Time and size of the page of a report, and its speed in a browser.

``python benches/page.py [--rounds 3] [--rows 10000000] [--browser PATH]`` writes rows of 3 scores and 200
segments, and runs ``polars-auc report`` with the table alone and with the page, alternately and in separate
processes. A row of ``benches/results/page.csv`` has the median of a work, of its contender, and their ratio.
Further rows are ``polars-auc --help``, and the import of the package relative to that of Polars. With
Playwright and a Chromium, pages of 200 and 2000 segments are opened: their rows have the first paint, and the
longest task of the scripts while the page is scrolled and its table is sorted and filtered.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from machine import machine

RESULTS = Path(__file__).parent / "results" / "page.csv"
COMMAND = [sys.executable, "-m", "polars_auc"]
SCORES = ("one", "two", "three")


def write_rows(path: Path, n: int, segments: int) -> None:
    """Write labels, segments and three scores."""
    rng = np.random.default_rng(n)
    label = rng.random(n) < 0.2
    scores = {name: rng.standard_normal(n) + label / place for place, name in enumerate(SCORES, 1)}
    frame = pl.DataFrame({"label": label, "segment": rng.integers(0, segments, n), **scores})
    frame.write_parquet(path)


def report(rows: Path, output: Path | None) -> list[str]:
    """Return the command of a report."""
    score_arguments = [part for name in SCORES for part in ("--score", name)]
    written = [] if output is None else ["-o", str(output)]
    return [
        *COMMAND,
        "report",
        str(rows),
        "--label",
        "label",
        *score_arguments,
        "--by",
        "segment",
        "--quiet",
        *written,
    ]


def seconds(command: list[str], cache: Path) -> float:
    """Run a command; compiled modules are kept, as for an installed package."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, env={**kept, "PYTHONPYCACHEPREFIX": str(cache)}
    )
    return time.perf_counter() - start


def alternate(ours: list[str], other: list[str], rounds: int, cache: Path) -> tuple[float, float]:
    """Run two commands alternately, and return the medians of their times."""
    for command in (ours, other):
        seconds(command, cache)
    times = [(seconds(ours, cache), seconds(other, cache)) for _ in range(rounds)]
    return statistics.median(mine for mine, _ in times), statistics.median(theirs for _, theirs in times)


def opened(page: Path, browser: str) -> tuple[float, float]:
    """Return the milliseconds to the first paint, and of the longest task after rendering."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        tab = running.new_page(viewport={"width": 1200, "height": 800})
        tab.add_init_script(
            "window.tasks = []; new PerformanceObserver((list) => window.tasks.push(...list.getEntries()"
            ".map((task) => [task.startTime, task.duration]))).observe({ type: 'longtask', buffered: true });"
        )
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-drawn=all]")
        paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        tab.wait_for_timeout(500)
        painted = tab.evaluate("performance.now()")
        for _ in range(30):
            tab.mouse.wheel(0, 500)
            tab.wait_for_timeout(20)
        tab.locator("#groups-table thead th .dt-column-order").nth(3).click()
        tab.locator(".dt-search input").fill("7")
        tab.wait_for_timeout(500)
        tasks = tab.evaluate("window.tasks")
        running.close()
    return float(paint), max((length for start, length in tasks if start >= painted), default=0.0)


def main() -> None:
    """Measure, and append the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument(
        "--browser", default=shutil.which("chromium-headless-shell") or shutil.which("chromium")
    )
    chosen = parser.parse_args()
    rows: list[dict[str, object]] = []

    def log(work: str, unit: str, ours: float, other: float | None, promised: float) -> None:
        row: dict[str, object] = {
            "date": str(datetime.datetime.now(tz=datetime.timezone.utc).date()),
            "work": work,
            "unit": unit,
            "ours": float(f"{ours:.3g}"),
            "other": None if other is None else float(f"{other:.3g}"),
            "ratio": None if other is None else float(f"{ours / other:.3g}"),
            "promised": promised,
            **machine(),
        }
        rows.append(row)
        print(row, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        large, small, cache = (
            Path(folder, "large.parquet"),
            Path(folder, "small.parquet"),
            Path(folder, "cache"),
        )
        page, other = Path(folder, "page.html"), Path(folder, "page_2000.html")
        write_rows(large, chosen.rows, 200)
        times = alternate(report(large, page), report(large, None), chosen.rounds, cache)
        log(f"page / table of {chosen.rows} rows, 3 scores, 200 segments", "s", *times, 2.0)
        log("page of 200 segments", "MB", page.stat().st_size / 1e6, None, 3.0)
        write_rows(small, 400_000, 2000)
        seconds(report(small, other), cache)
        for segments, file in ((200, page), (2000, other)) if chosen.browser else ():
            paint, longest = opened(file, chosen.browser)
            log(f"first paint, {segments} segments", "ms", paint, None, 2000.0)
            log(f"longest task after drawing, {segments} segments", "ms", longest, None, 200.0)
        helped = statistics.median(seconds([*COMMAND, "--help"], cache) for _ in range(5 * chosen.rounds))
        log("polars-auc --help", "s", helped, None, 0.3)
        ours, theirs = ([sys.executable, "-c", f"import {name}"] for name in ("polars_auc", "polars"))
        log("import polars_auc / import polars", "s", *alternate(ours, theirs, 5 * chosen.rounds, cache), 1.2)
    table = pl.DataFrame(rows)
    previous = pl.read_csv(RESULTS, try_parse_dates=False) if RESULTS.exists() else None
    (table if previous is None else pl.concat([previous, table], how="diagonal_relaxed")).write_csv(RESULTS)


if __name__ == "__main__":
    main()
