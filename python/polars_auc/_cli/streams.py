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
    """Give a stream that was closed by the caller (``>&-``) to the null device.

    Otherwise the next file that is opened takes its number, and is written to by whoever prints.
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
    """Print, and return what went wrong, if anything did.

    Characters that cannot be seen become escapes: a terminal would obey them. Those that the encoding lacks
    become question marks. A reader that stopped reading is no error.
    """
    encoding = sys.stdout.encoding or "utf-8"
    seen = visible(text, keep="\n")
    return _fault_of(lambda: print(seen.encode(encoding, errors="replace").decode(encoding), flush=True))


def terminal_width() -> int | None:
    """Return the width of the terminal, if standard output is one."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def show_bytes(contents: bytes) -> str | None:
    """Write to standard output, and return what went wrong, if anything did.

    On a terminal, text is shown as any other.
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
    """Write lines for the user to standard error."""
    for line in text.split("\n"):
        log(line)


def log(text: str) -> None:
    """Write a line for the user to standard error; characters that cannot be seen become escapes.

    If that fails, as on a full disk, there is no place left to say so; the exit code is still right.
    """
    encoding = sys.stderr.encoding or "utf-8"
    try:
        line = visible(text).encode(encoding, errors="backslashreplace").decode(encoding)
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except OSError:
        _give_up(sys.stderr)


def _give_up(stream: TextIO) -> None:
    """Send what a stream still holds to the null device: at exit Python flushes it once more."""
    _to_nowhere(stream.fileno())


def _to_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Show what is being done, for how long, and the rows of batches, while the block runs.

    This needs a terminal, and Rich, which draws it. Without them nothing is shown.
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
