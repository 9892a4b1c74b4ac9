"""Warnings, which name the line of the user that called this package."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

# Frames of Polars lie between where a frame is piped to a function.
_BETWEEN = {Path(__file__).parents[1], Path(pl.__file__).parent}

# Python shows a warning once for each line: those that were shown, by file.
_REGISTRIES: dict[str, dict[Any, Any]] = {}


@dataclass(frozen=True)
class UserLine:
    """A line of the user."""

    file: str
    number: int
    module: str

    @classmethod
    def calling(cls) -> UserLine:
        """Return the line that called this package."""
        frame = inspect.currentframe()
        # Functions are decorated by contextlib.
        while frame is not None and frame.f_back is not None:
            file = frame.f_code.co_filename
            if file != contextlib.__file__ and _BETWEEN.isdisjoint(Path(file).parents):
                break
            frame = frame.f_back
        assert frame is not None
        return cls(frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__", "<unknown>"))


def warn(message: str, line: UserLine | None = None) -> None:
    """Warn at a line of the user, by default the one that called.

    A query may run in another thread, in which nothing called: it keeps the line that made it.
    """
    line = UserLine.calling() if line is None else line
    registry = _REGISTRIES.setdefault(line.file, {})
    warnings.warn_explicit(message, UserWarning, line.file, line.number, line.module, registry)
