"""Cache of the scripts that draw charts in a page.

vl-convert bundles them in more than a second, and they depend on its version alone. They are cached in the
cache folder of the user: ``~/.cache/polars-auc``, or the equivalent of the system.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from polars_auc._plots.conversion import convert


@cache
def drawing_scripts() -> str:
    """Return the scripts that draw charts in a page."""
    file = _file()
    scripts = None if file is None else _read(file)
    if scripts is None:
        scripts = str(convert("javascript_bundle"))
        if file is not None:
            _write(file, scripts)
    return scripts


def _file() -> Path | None:
    """Return the cache file, or None without a home folder or an installed vl-convert."""
    try:
        return _folder() / f"drawing_scripts.{version('vl-convert-python')}.js"
    except (RuntimeError, PackageNotFoundError):
        return None


def _folder() -> Path:
    match platform.system():
        case "Windows":
            name, default = "LOCALAPPDATA", "AppData/Local"
        case "Darwin":
            name, default = "", "Library/Caches"
        case _:
            name, default = "XDG_CACHE_HOME", ".cache"
    folder = Path(os.environ.get(name, ""))
    # The XDG specification requires relative paths to be ignored.
    return (folder if folder.is_absolute() else Path.home() / default) / "polars-auc"


def _digest(scripts: bytes) -> bytes:
    return hashlib.sha256(scripts).hexdigest().encode()


def _read(file: Path) -> str | None:
    """Return the cached scripts if the user owns the file and its first line is the digest of the rest."""
    try:
        # A process with the home folder of another user must not run scripts that the other user wrote.
        if hasattr(os, "getuid") and file.stat().st_uid != os.getuid():
            return None
        digest, _, scripts = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    return scripts.decode() if digest == _digest(scripts) else None


def _write(file: Path, scripts: str) -> None:
    """Write the cache atomically; if the write fails, the next call bundles the scripts again."""
    content = scripts.encode()
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as part:
                part.write(_digest(content) + b"\n" + content)
            os.replace(name, file)
        except BaseException:
            os.unlink(name)
            raise
