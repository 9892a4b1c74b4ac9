"""The rows of a lazy frame, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from queue import Queue
from threading import Event, Thread

import polars as pl

from polars_auc import _native


@contextmanager
def batches(rows: pl.LazyFrame, size: int, *, maintain_order: bool) -> Iterator[Iterator[pl.DataFrame]]:
    """Read rows in batches of a size, the next one while a batch is in use.

    The iterator of `LazyFrame.collect_batches` ends without a word in older Polars if a file cannot be read:
    the rows before the fault would be taken for all rows.
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
        # The reader may wait for its batch to be taken.
        while not is_read.is_set() and read.get() is not None:
            pass
        reader.join()


@contextmanager
def collection() -> Iterator[int]:
    """Begin a collection of batches, and end it whatever happens."""
    number = _native.begin_batches()
    try:
        yield number
    finally:
        _native.end_batches(number)
