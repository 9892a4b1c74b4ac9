"""Warnings with the line of the user's code that called this package."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

# Polars frames are skipped: `pipe` calls a function from inside Polars.
_BETWEEN = {Path(__file__).parents[1], Path(pl.__file__).parent}

# Python shows a warning once for each line; the registries record the displayed ones by file.
_REGISTRIES: dict[str, dict[Any, Any]] = {}


@dataclass(frozen=True)
class UserLine:
    """A line of the user's code."""

    file: str
    number: int
    module: str

    @classmethod
    def calling(cls) -> UserLine:
        """Return the line that called this package."""
        frame = inspect.currentframe()
        # Decorators of contextlib add frames.
        while frame is not None and frame.f_back is not None:
            file = frame.f_code.co_filename
            if file != contextlib.__file__ and _BETWEEN.isdisjoint(Path(file).parents):
                break
            frame = frame.f_back
        assert frame is not None
        return cls(frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__", "<unknown>"))


def warn(message: str, line: UserLine | None = None) -> None:
    """Warn at a line of the user's code, by default the calling line.

    A query may run in another thread without a calling line: it keeps the line that built it.
    """
    line = UserLine.calling() if line is None else line
    registry = _REGISTRIES.setdefault(line.file, {})
    warnings.warn_explicit(message, UserWarning, line.file, line.number, line.module, registry)
