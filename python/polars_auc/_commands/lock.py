"""A file lock: only one process at a time reads a file and replaces it."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from polars_auc._cli.refusal import Refusal

# Retry interval and timeout in seconds: a process holds the lock for less than a second.
_RETRY, _TIMEOUT = 0.02, 120.0

# Error codes of the system for a lock held by another process.
_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


@contextmanager
def file_lock(path: Path, timeout: float = _TIMEOUT) -> Iterator[None]:
    """Hold an exclusive lock on a file, which need not exist; raise after a timeout.

    The system releases the lock when its process ends, so there are no stale locks. The lock is on a hidden
    file in the same folder, because renaming replaces the file itself.
    """
    target = Path(os.path.realpath(path))
    lock = target.with_name(f".{target.name}.lock")
    end = time.monotonic() + timeout
    while (handle := _acquire(lock, path)) is None:
        if time.monotonic() > end:
            raise Refusal(
                f"{str(path)!r} has been locked by another process for {timeout:.6g} seconds. Hint: run "
                "this again"
            )
        time.sleep(_RETRY)
    try:
        yield
    finally:
        # Windows cannot delete an open file; an unlocked lock file is harmless.
        with suppress(OSError):
            lock.unlink()
        os.close(handle)


def _acquire(lock: Path, path: Path) -> int | None:
    """Return the handle of the locked file, None if another process holds the lock."""
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise Refusal(f"cannot lock {str(path)!r}: {error.strerror}: {str(lock)!r}") from error
    try:
        _lock(handle)
        is_current = _is_file_of(handle, lock)
    except OSError as error:
        os.close(handle)
        if error.errno in _HELD:
            return None
        raise Refusal(
            f"cannot lock {str(path)!r}: {error.strerror}. Hint: write it to a folder that supports locks"
        ) from error
    if not is_current:
        # Another process deleted the lock file after it was opened here.
        os.close(handle)
        return None
    return handle


def _is_file_of(handle: int, lock: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(lock))
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
