"""Files: which can be written, and how."""

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
    """Refuse a file of another ending, one that cannot be made, and one that may not be written."""

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
    """Return the mode of a file that this user may not write, or nobody: root could, but should not."""
    if not target.exists():
        return None
    mode = stat.S_IMODE(os.stat(target).st_mode)
    return None if mode & 0o222 and os.access(target, os.W_OK) else mode


def replace_file(path: Path, contents: bytes) -> None:
    """Write a file, or the file that a symbolic link names.

    A new file is written beside it and then renamed: it is never half-written. It has the owner and the
    rights of the file that it replaces; if it cannot be given to that owner, the old file itself is written.
    A pipe or a device is no file that could be renamed, and is written to.
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
    """Give a new file the owner and mode of the one that it replaces, or those of any new file.

    ``mkstemp`` makes files that only their owner can read. Say whether this is possible.
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
    # After the owner, whose change takes rights away.
    temporary.chmod(stat.S_IMODE(old.st_mode))
    return True
