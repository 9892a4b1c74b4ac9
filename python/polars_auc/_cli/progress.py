"""A progress indicator for long work, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from polars_auc._frames.group_states import BATCH_OBSERVERS


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """Show what is being done, for how long, and the rows of batches, while the block runs.

    This needs a terminal, and Rich, which draws it. Without them nothing is shown.
    """
    if not sys.stderr.isatty() or not find_spec("rich"):
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn("line"), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(doing, total=None)
        rows = 0

        def count(of_batch: int) -> None:
            nonlocal rows
            rows += of_batch
            shown.update(task, description=f"{doing}, {rows:,} rows")

        BATCH_OBSERVERS.append(count)
        try:
            yield
        finally:
            BATCH_OBSERVERS.remove(count)
