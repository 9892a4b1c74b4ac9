"""A progress indicator for long work."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

# Shorter work needs no indicator.
_QUIET_SECONDS = 0.5
_TICK_SECONDS = 0.1


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Show on a terminal what is being done and for how long, while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    sign = threading.Thread(target=_show, args=(doing, done), daemon=True)
    sign.start()
    try:
        yield
    finally:
        done.set()
        sign.join()


def _show(doing: str, done: threading.Event) -> None:
    start = time.monotonic()
    if done.wait(_QUIET_SECONDS):
        return
    for sign in itertools.cycle("|/-\\"):
        sys.stderr.write(f"\r{sign} {doing} ({time.monotonic() - start:.0f} s) ")
        sys.stderr.flush()
        if done.wait(_TICK_SECONDS):
            break
    sys.stderr.write("\r\033[K")
    sys.stderr.flush()
