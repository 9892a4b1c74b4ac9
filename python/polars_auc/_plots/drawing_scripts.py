"""The scripts that draw charts in a page.

vl-convert takes more than a second to bundle them, and they depend on its version alone. So they are kept
beside the compiled modules of this package: whoever can write there can change the package as well.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import cache_from_source
from pathlib import Path

from polars_auc._plots.conversion import convert

__all__ = ["drawing_scripts"]


@cache
def drawing_scripts() -> str:
    """Return the scripts that draw charts in a page."""
    file = _file()
    scripts = None if file is None else _read(file)
    if scripts is None:
        scripts = str(convert("javascript_bundle"))
        if file is not None and not sys.dont_write_bytecode:
            _write(file, scripts)
    return scripts


def _file() -> Path | None:
    """Return the file that the scripts are kept in, if Python keeps compiled modules anywhere."""
    try:
        name = f"drawing_scripts.{version('vl-convert-python')}.js"
        return Path(cache_from_source(__file__)).with_name(name)
    except (NotImplementedError, PackageNotFoundError):
        return None


def _digest(scripts: bytes) -> bytes:
    return hashlib.sha256(scripts).hexdigest().encode()


def _read(file: Path) -> str | None:
    """Return the scripts of a file whose first line is their digest, if it is whole."""
    try:
        digest, _, scripts = file.read_bytes().partition(b"\n")
    except OSError:
        return None
    return scripts.decode() if digest == _digest(scripts) else None


def _write(file: Path, scripts: str) -> None:
    """Write the scripts at once; where nothing may be written, they are made each time."""
    content = scripts.encode()
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as part:
                part.write(_digest(content) + b"\n" + content)
            # As compiled modules: other users of the installation may read it.
            os.chmod(name, 0o644)
            os.replace(name, file)
        except BaseException:
            os.unlink(name)
            raise
