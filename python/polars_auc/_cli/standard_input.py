"""Rows on standard input, which are kept in a file while the command runs."""

from __future__ import annotations

import os
import select
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from io import UnsupportedOperation
from pathlib import Path

import polars as pl

from polars_auc._cli.refusal import Refusal, first_line

__all__ = ["STANDARD_INPUT", "kept_input", "standard_input"]

STANDARD_INPUT = "-"
"""How standard input is named on a command line; a file of that name is ./-."""

# So many bytes say of which kind the rows are.
_HEAD = 65_536

# The most bytes that are read at once.
_CHUNK = 2**20

# What some programs put before text.
_MARK = b"\xef\xbb\xbf"


@dataclass
class _Kept:
    stack: ExitStack
    file: Path | None = None


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
    """Return the file with what standard input has, whose ending says of which kind it is.

    A query reads its rows more than once, and a pipe can be read once.
    """
    kept = _KEPT.get()
    if kept.file is None:
        folder = Path(kept.stack.enter_context(tempfile.TemporaryDirectory(prefix="polars-auc-")))
        try:
            kept.file = _read(folder)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise Refusal(f"cannot read standard input: {first_line(error)}") from error
    return kept.file


def _read(folder: Path) -> Path:
    if sys.stdin is None or sys.stdin.isatty():
        raise Refusal(
            "- reads standard input, and nothing is piped into it; name a file, or write ./- for one"
        )
    file = folder / "input"
    with file.open("wb") as opened:
        while chunk := _chunk():
            opened.write(chunk)
    with file.open("rb") as opened:
        head = opened.read(_HEAD)
    if not head.removeprefix(_MARK).strip():
        raise Refusal("standard input is empty")
    if head.startswith(b"\xff\xff\xff\xff"):
        # Arrow's format for streams, which Polars reads as a whole only.
        pl.read_ipc_stream(file).write_ipc(folder / "input.arrow")
        return folder / "input.arrow"
    return file.rename(folder / f"input{_ending(head)}")


def _chunk() -> bytes:
    """Return what there is to read, of which nothing is the end."""
    if os.name == "posix":
        # An interrupt ends this waiting, but no reading: the handler of Polars lets it go on.
        with suppress(UnsupportedOperation):
            select.select([sys.stdin.buffer], [], [])
    read: Callable[[int], bytes] = sys.stdin.buffer.read1  # type: ignore[union-attr]
    return read(_CHUNK)


def _ending(head: bytes) -> str:
    """Return the ending of files that begin so."""
    if head.startswith(b"PAR1"):
        return ".parquet"
    if head.startswith(b"ARROW1"):
        return ".arrow"
    text = head.removeprefix(_MARK).lstrip()
    if text.startswith(b"{"):
        return ".ndjson"
    if text.startswith(b"[{"):
        raise Refusal("standard input is one list of JSON; write one object on each line")
    first = text.splitlines()[0]
    return ".tsv" if first.count(b"\t") > first.count(b",") else ".csv"
