"""Standard output and standard error, which may be closed, full or of any encoding; and progress."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from polars_auc._cli.refusal import first_line
from polars_auc._frames.group_states import BATCH_OBSERVERS
from polars_auc._plots.names import visible
from polars_auc._plugin.packages import is_installed


def open_closed_streams() -> None:
    """Redirect closed standard streams (``>&-``) to the null device.

    Otherwise the next opened file would get the number of the stream, and its output.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            _to_nowhere(number)
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def show(text: str) -> str | None:
    """Print, and return the error message, if any.

    Control characters become escapes, so that a terminal does not interpret them. Characters outside of the
    encoding become question marks. A broken pipe is not an error.
    """
    encoding = sys.stdout.encoding or "utf-8"
    seen = visible(text, keep="\n")
    return _fault_of(lambda: print(seen.encode(encoding, errors="replace").decode(encoding), flush=True))


def terminal_width() -> int | None:
    """Return the width of the terminal, if standard output is one."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def show_bytes(contents: bytes) -> str | None:
    """Write to standard output, and return the error message, if any.

    On a terminal, text is printed as by :func:`show`.
    """
    if sys.stdout.isatty():
        with suppress(UnicodeDecodeError):
            return show(contents.decode().removesuffix("\n"))

    def write() -> None:
        sys.stdout.flush()
        sys.stdout.buffer.write(contents)
        sys.stdout.buffer.flush()

    return _fault_of(write)


def _fault_of(write: Callable[[], None]) -> str | None:
    try:
        write()
    except BrokenPipeError:
        _give_up(sys.stdout)
    except OSError as error:
        _give_up(sys.stdout)
        return first_line(error)
    return None


def log_lines(text: str) -> None:
    """Write lines to standard error."""
    for line in text.split("\n"):
        log(line)


def log(text: str) -> None:
    """Write a line to standard error, with control characters as escapes.

    Errors, such as a full disk, are ignored; the exit code remains correct.
    """
    encoding = sys.stderr.encoding or "utf-8"
    try:
        line = visible(text).encode(encoding, errors="backslashreplace").decode(encoding)
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except OSError:
        _give_up(sys.stderr)


def _give_up(stream: TextIO) -> None:
    """Redirect the stream to the null device: Python flushes its buffer at exit."""
    _to_nowhere(stream.fileno())


def _to_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Show the task, its duration and the number of rows while the block runs.

    This needs a terminal and Rich; otherwise nothing is shown.
    """
    if not sys.stderr.isatty() or not is_installed("rich"):
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        task = display.add_task(doing, total=None)
        rows = 0

        def count(height: int) -> None:
            nonlocal rows
            rows += height
            display.update(task, description=f"{doing}, {rows:,} rows")

        BATCH_OBSERVERS.append(count)
        try:
            yield
        finally:
            BATCH_OBSERVERS.remove(count)
