"""Files of tables: what their contents are, by their endings, and how they are written."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from polars_auc._plugin.errors import CALLED, OptionError

__all__ = ["TABLES", "refuse_path", "replace_file"]


def refuse_path(path: Path, endings: Iterable[str]) -> None:
    """Refuse a file of another ending, and one that cannot be made."""

    def refused(said: str, instead: str | None = None) -> OptionError:
        return OptionError(CALLED.get() or "", "path", said, instead)

    if path.suffix not in endings:
        raise refused(f"must end in {', '.join(endings)}, got {str(path)!r}")
    if path.suffix == ".xlsx" and not find_spec("xlsxwriter"):
        said = "an .xlsx file needs XlsxWriter: " + 'pip install "polars-auc[report]"'
        raise OptionError(CALLED.get() or "", "", said, "or end `path` in .csv")
    if path.is_dir():
        raise refused(f"{str(path)!r} is a folder", "name a file")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise refused(f"is in {str(folder if path.is_symlink() else path.parent)!r}, which is no folder")


def replace_file(path: Path, contents: bytes) -> None:
    """Write a file, or the file that a symbolic link names.

    A new file is written beside it and then renamed: it is never half-written. A pipe or a device is no file
    that could be renamed, and is written to.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(contents)
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".polars-auc.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(contents)
        # mkstemp makes files that only their owner can read: a report keeps the rights of the file that it
        # replaces, or gets those of any new file.
        if target.exists():
            shutil.copymode(target, beside)
        else:
            mask = os.umask(0)
            os.umask(mask)
            beside.chmod(stat.S_IMODE(0o666 & ~mask))
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    contents = io.BytesIO()
    write(contents)
    return contents.getvalue()


_MOST_ROWS_OF_SHEET = 2**20 - 1


def _workbook(table: pl.DataFrame) -> bytes:
    """Write a sheet of Excel. The same table makes the same bytes: the file does not say when it was made."""
    import xlsxwriter

    if table.height > _MOST_ROWS_OF_SHEET:
        said = (
            f"a sheet of Excel has at most {_MOST_ROWS_OF_SHEET:,} rows below its header, and there are "
            f"{table.height:,}"
        )
        raise OptionError(CALLED.get() or "", "", said, "end `path` in .parquet or .csv")
    contents = io.BytesIO()
    # Excel has no infinity and no NaN: they become its errors. A name that begins with = is no formula.
    options = {
        "nan_inf_to_errors": True,
        "remove_timezone": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
    }
    with xlsxwriter.Workbook(contents, options) as workbook:
        workbook.set_properties({"created": datetime(2000, 1, 1)})
        table.write_excel(workbook, "polars-auc", float_precision=6, autofit=True, freeze_panes=(1, 0))
    return contents.getvalue()


TABLES: dict[str, Callable[[pl.DataFrame], bytes]] = {
    ".parquet": lambda table: _bytes(table.write_parquet),
    ".csv": lambda table: _bytes(table.write_csv),
    ".json": lambda table: _bytes(table.write_json),
    ".xlsx": _workbook,
}
"""How a table is written, by the ending of its file."""
