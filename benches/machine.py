"""The machine of a benchmark."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> dict[str, str | int]:
    """Return processor, number of cores and operating system."""
    models = [line for line in _cpu_lines() if line.startswith("model name")]
    cpu = models[0].split(":", 1)[1].strip() if models else platform.processor()
    return {"cpu": cpu, "cores": os.cpu_count() or 0, "system": platform.system()}


def _cpu_lines() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []
