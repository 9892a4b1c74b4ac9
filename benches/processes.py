"""Queries in alternating separate processes, so that each has its own peak memory."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import polars as pl


def usage(plan: pl.LazyFrame) -> dict[str, Any]:
    """Collect a plan in this process, and return its seconds and its peak memory."""
    start = time.perf_counter()
    answer = plan.collect(engine="streaming")
    seconds = time.perf_counter() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    present = [name for name in ("auc", "n_passes") if name in answer.columns and answer.height == 1]
    found: dict[str, Any] = {name: answer[name].item() for name in present}
    return {"seconds": seconds, "megabytes": megabytes, **found}


def measured(
    script: str, names: Sequence[str], rounds: int, folder: str, *shape: str
) -> dict[str, list[dict[str, Any]]]:
    """Run ``script --alone NAME FOLDER [SHAPE]`` for each name in each round, in changing order."""
    order = random.Random(1)
    answers: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in order.sample(list(names), len(names)):
            command = [sys.executable, script, "--alone", name, folder, *shape]
            output = subprocess.run(command, check=True, capture_output=True, text=True)
            answers[name].append(json.loads(output.stdout))
    return answers
