"""Check and write files."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from polars_auc._plugin.errors import CALLED, OptionError
from polars_auc._plugin.packages import require


def refuse_path(path: Path, endings: Iterable[str]) -> None:
    """Raise for an unsupported extension, an invalid path, or a file without write permission."""

    def refused(reason: str, hint: str | None = None) -> OptionError:
        return OptionError(CALLED.get() or "", "path", reason, hint)

    if path.suffix not in endings:
        raise refused(f"must end in {', '.join(endings)}, got {str(path)!r}")
    if path.suffix == ".xlsx":
        require("an .xlsx file", "xlsxwriter", extra="report", hint="; or end `path` in .csv")
    try:
        target = Path(os.path.realpath(path))
        if path.is_dir():
            raise refused(f"{str(path)!r} is a folder", "name a file")
        if not target.parent.is_dir():
            folder = target.parent if path.is_symlink() else path.parent
            raise refused(f"is in {str(folder)!r}, which is not a folder")
        mode = _read_only(target)
    except (OSError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise refused(f"{str(path)!r} cannot be a file: {why}", "give it another name") from error
    if mode is not None:
        problem = f"{str(path)!r} may not be written: its mode is {mode:04o}"
        raise refused(problem, "name another file, or let its owner write it")


def _read_only(target: Path) -> int | None:
    """Return the mode of a file without write permission, also for root; otherwise None."""
    if not target.exists():
        return None
    mode = stat.S_IMODE(os.stat(target).st_mode)
    return None if mode & 0o222 and os.access(target, os.W_OK) else mode


def replace_file(path: Path, contents: bytes) -> None:
    """Write a file, or the target of a symbolic link.

    A new file is written to the same folder and then renamed: the write is atomic. It gets the owner and the
    mode of the replaced file. If the owner cannot be set, the old file itself is overwritten.
    A pipe or a device cannot be renamed and is written directly.
    """
    target = Path(os.path.realpath(path))
    if _read_only(target) is not None:
        raise PermissionError(errno.EACCES, "the file may not be written", str(path))
    if target.exists() and not target.is_file():
        target.write_bytes(contents)
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".polars-auc.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(contents)
        if _has_rights_of(temporary, target):
            temporary.replace(target)
        else:
            target.write_bytes(contents)
    finally:
        temporary.unlink(missing_ok=True)


def _has_rights_of(temporary: Path, target: Path) -> bool:
    """Copy the owner and mode of the replaced file, or set the default mode of a new file.

    ``mkstemp`` creates files that only their owner can read. Return False if the owner cannot be set.
    """
    if not target.exists():
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(stat.S_IMODE(0o666 & ~mask))
        return True
    old, new = os.stat(target), os.stat(temporary)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except OSError:
            return False
    # After chown, which clears mode bits.
    temporary.chmod(stat.S_IMODE(old.st_mode))
    return True
