"""Warnings, which name the line of the user: often it only collects a query that was made elsewhere."""

from __future__ import annotations

import contextlib
import sys
import threading
import warnings
from pathlib import Path
from types import FrameType

import polars as pl

__all__ = ["warn"]

# Files between a line of the user and a warning. Functions are decorated by contextlib.
_BETWEEN = (
    *(str(Path(file).parent) for file in (pl.__file__, str(Path(__file__).parent))),
    contextlib.__file__,
)


def warn(said: str) -> None:
    """Warn where the user called this package or Polars."""
    frame = _line_of_user()
    if frame is None:
        warnings.warn(said, UserWarning, stacklevel=2)
        return
    warnings.warn_explicit(
        said,
        UserWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        frame.f_globals.get("__name__", "<unknown>"),
        frame.f_globals.setdefault("__warningregistry__", {}),
    )


def _line_of_user() -> FrameType | None:
    """Return the frame that called, in this thread or the one that waits for a query of other threads."""
    frames = sys._current_frames()
    own, main = threading.get_ident(), threading.main_thread().ident
    for thread in sorted(frames, key=lambda thread: (thread != own, thread != main)):
        outer: FrameType | None = frames[thread]
        while outer is not None and _is_between(outer):
            outer = outer.f_back
        if outer is not frames[thread] and outer is not None:
            return outer
    return None


def _is_between(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    return any(file == place or Path(place) in Path(file).parents for place in _BETWEEN)
