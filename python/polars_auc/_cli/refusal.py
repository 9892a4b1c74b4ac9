"""Errors of a command, with option names of the shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

import polars_auc
from polars_auc._plugin.errors import for_front_end
from polars_auc._plugin.interrupts import interruptible


class Refusal(Exception):
    """The command failed. The text is the one sentence for the user."""


class Incomplete(Exception):
    """The command succeeded in part, and has printed the omitted parts."""


@contextmanager
def as_refusal() -> Iterator[None]:
    """Convert errors of Polars and the system to a refusal of one sentence."""
    try:
        with interruptible():
            yield
    except (pl.exceptions.PolarsError, OSError, ValueError, ImportError) as error:
        raise Refusal(first_line(error)) from error


def first_line(error: BaseException) -> str:
    """Return the first line of an error."""
    if isinstance(error, RecursionError):
        return "lists are nested too deeply"
    # Older Polars adds where it caught an error.
    text = re.sub(
        r"^(caught exception during execution of a Python source, exception: \w+: )+", "", str(error)
    )
    text = text.strip().removeprefix("the plugin failed with message: ")
    line = text.splitlines()[0] if text else type(error).__name__
    function, _, rest = line.partition(": ")
    # The user ran a command, so the function name is removed.
    line = rest if function in polars_auc.__all__ else line
    for note, here in _NOTES_OF_POLARS.items():
        line = line.replace(note, here)
    return line


def flag(option: str) -> str:
    """Return the user's name of an option: the flag, or the key of the configuration file."""
    return for_front_end(f"`{option}`")


# Hints of Polars for Python users, with replacements.
_NOTES_OF_POLARS = {
    ", consider passing `missing_columns='insert'`": "",
    " (create native python { 'date', 'datetime', 'time' } or compare to a temporal column)": (
        ", but to a date such as '2026-02-01'"
    ),
    "not supported for dtype `str`": "not supported for text; DATE(column) makes dates of it",
    "GPU engine requested": "the variable POLARS_ENGINE_AFFINITY asks for the GPU engine",
}
