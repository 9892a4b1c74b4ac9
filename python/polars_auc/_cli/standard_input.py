"""Files that are kept while a command runs: standard input, and what Polars reads in another form only."""

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
"""How standard input is named on a command line; a file of that name is ./-."""

# The most bytes that are read at once.
_CHUNK = 2**20


@dataclass
class _Kept:
    stack: ExitStack
    files: dict[str, Path] = field(default_factory=dict)


_KEPT: ContextVar[_Kept] = ContextVar("_KEPT")


@contextmanager
def standard_input() -> Iterator[None]:
    """Keep what is read from standard input until the command ends."""
    with ExitStack() as stack:
        mark = _KEPT.set(_Kept(stack))
        try:
            yield
        finally:
            _KEPT.reset(mark)


def kept_input() -> Path:
    """Return the file with what standard input has.

    A query reads its rows more than once, and a pipe can be read once.
    """
    try:
        return kept(STANDARD_INPUT, _read)
    except OSError as error:
        raise Refusal(f"cannot read standard input: {first_line(error)}") from error


def kept(name: str, write: Callable[[Path], object]) -> Path:
    """Return the file that is written under this name, and is kept until the command ends."""
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
    """Return what there is to read, of which nothing is the end."""
    if os.name == "posix":
        # An interrupt ends this waiting, but no reading: the handler of Polars lets it go on.
        with suppress(UnsupportedOperation):
            select.select([sys.stdin.buffer], [], [])
    read: Callable[[int], bytes] = sys.stdin.buffer.read1  # type: ignore[union-attr]
    return read(_CHUNK)
