"""Spark Connect. `.ci/spark` tests Sail, which supports only some versions of PySpark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_connect() -> None:
    program = Path(__file__).with_name("remote.py")
    ran = subprocess.run([sys.executable, program, "connect"], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert "gives the same bits" in ran.stdout
