"""Temporary files of a command: standard input, and converted files."""

from __future__ import annotations

import os
import select
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from io import UnsupportedOperation
from pathlib import Path

from polars_auc._cli.refusal import Refusal, first_line

STANDARD_INPUT = "-"
"""The name of standard input on a command line; ./- is a file of that name."""

# The maximum number of bytes of one read.
_CHUNK = 2**20


@dataclass
class _Kept:
    stack: ExitStack
    files: dict[str, Path] = field(default_factory=dict)


_KEPT: ContextVar[_Kept] = ContextVar("_KEPT")


@contextmanager
def standard_input() -> Iterator[None]:
    """Keep temporary files until the command ends."""
    with ExitStack() as stack:
        mark = _KEPT.set(_Kept(stack))
        try:
            yield
        finally:
            _KEPT.reset(mark)


def kept_input() -> Path:
    """Return the file with the contents of standard input.

    A query may read its rows several times, but a pipe only once.
    """
    try:
        return kept(STANDARD_INPUT, _read)
    except OSError as error:
        raise Refusal(f"cannot read standard input: {first_line(error)}") from error


def kept(name: str, write: Callable[[Path], object]) -> Path:
    """Return the temporary file of this name; it is written once and deleted when the command ends."""
    keep = _KEPT.get()
    if name not in keep.files:
        folder = Path(keep.stack.enter_context(tempfile.TemporaryDirectory(prefix="polars-auc-")))
        write(folder / "input")
        keep.files[name] = folder / "input"
    return keep.files[name]


def _read(file: Path) -> None:
    if sys.stdin is None or sys.stdin.isatty():
        raise Refusal(
            "- reads standard input, and nothing is piped into it. Hint: name a file, or write ./- for one"
        )
    with file.open("wb") as opened:
        while chunk := _chunk():
            opened.write(chunk)


def _chunk() -> bytes:
    """Return the next bytes; empty at the end."""
    if os.name == "posix":
        # An interrupt ends ``select`` but not a read, which Polars' handler resumes.
        with suppress(UnsupportedOperation):
            select.select([sys.stdin.buffer], [], [])
    read: Callable[[int], bytes] = sys.stdin.buffer.read1  # type: ignore[union-attr]
    return read(_CHUNK)
