"""Read the rows of a lazy frame in batches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from threading import Event, Thread

import polars as pl

from polars_auc import _native


@contextmanager
def batches(rows: pl.LazyFrame, size: int, *, maintain_order: bool) -> Iterator[Iterator[pl.DataFrame]]:
    """Read rows in batches of this size, and prefetch the next one.

    In older Polars the iterator of `LazyFrame.collect_batches` ends without an error if a file is unreadable:
    a partial read would look complete.
    """
    read: Queue[pl.DataFrame | None] = Queue(maxsize=1)
    is_enough = Event()
    faults: list[BaseException] = []

    def take(batch: pl.DataFrame) -> bool:
        if not is_enough.is_set():
            read.put(batch)
        return is_enough.is_set()

    def everything() -> None:
        try:
            rows.sink_batches(take, chunk_size=size, maintain_order=maintain_order)
        except BaseException as fault:
            faults.append(fault)
        finally:
            read.put(None)

    reader = Thread(target=everything, daemon=True)
    reader.start()
    is_read = Event()

    def iterate() -> Iterator[pl.DataFrame]:
        while (batch := read.get()) is not None:
            yield batch
        is_read.set()
        if faults:
            raise faults[0]

    try:
        yield iterate()
    finally:
        is_enough.set()
        # The reader thread may be blocked until its batch is consumed.
        while not is_read.is_set() and read.get() is not None:
            pass
        reader.join()


@contextmanager
def collection() -> Iterator[int]:
    """Begin a collection of batches, and end it in any case."""
    number = _native.begin_batches()
    try:
        yield number
    finally:
        _native.end_batches(number)
