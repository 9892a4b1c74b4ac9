"""What the command says when it cannot do what was asked, in the words of a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

import polars_auc
from polars_auc._plugin.errors import for_front_end
from polars_auc._plugin.interrupts import interruptible


class Refusal(Exception):
    """The command cannot do what was asked. The text is the one sentence that the user reads."""


class Incomplete(Exception):
    """The command did what it could, and has named the parts that it left out."""


@contextmanager
def as_refusal() -> Iterator[None]:
    """Turn what Polars or the system raises into a refusal of one sentence."""
    try:
        with interruptible():
            yield
    except (pl.exceptions.PolarsError, OSError, ValueError, ImportError) as error:
        raise Refusal(first_line(error)) from error


def first_line(error: BaseException) -> str:
    """Return the first line of an error; errors of options are worded for a shell already."""
    if isinstance(error, RecursionError):
        return "lists are nested too deeply"
    # Older Polars says where in itself an error was caught.
    text = re.sub(
        r"^(caught exception during execution of a Python source, exception: \w+: )+", "", str(error)
    )
    text = text.strip().removeprefix("the plugin failed with message: ")
    line = text.splitlines()[0] if text else type(error).__name__
    function, _, rest = line.partition(": ")
    # The user called a command, and no function.
    line = rest if function in polars_auc.__all__ else line
    for note, here in _NOTES_OF_POLARS.items():
        line = line.replace(note, here)
    return line


def flag(option: str) -> str:
    """Return how the user writes an option: on the command line, or in a configuration file."""
    return for_front_end(f"`{option}`")


# What Polars says to somebody who writes Python.
_NOTES_OF_POLARS = {
    ", consider passing `missing_columns='insert'`": "",
    " (create native python { 'date', 'datetime', 'time' } or compare to a temporal column)": (
        ", but to a date such as '2026-02-01'"
    ),
    "not supported for dtype `str`": "not supported for text; DATE(column) makes dates of it",
    "GPU engine requested": "the variable POLARS_ENGINE_AFFINITY asks for the GPU engine",
}
