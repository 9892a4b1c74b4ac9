"""Files that are written."""

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

from polars_auc._cli.refusal import Refusal, first_line


def as_file(output: Path, **others: Callable[[pl.DataFrame], bytes]) -> Callable[[pl.DataFrame], bytes]:
    """Return the function that makes the contents of a file with this ending; refuse a file of no use.

    Other endings than those of tables are named without their dot.
    """
    kinds = {**TABLES, **{f".{name}": made for name, made in others.items()}}
    return kinds[ending(output, kinds)]


def to_standard_output(output: Path | None) -> bool:
    """Whether the output is standard output, which is written as a minus sign."""
    return output is not None and str(output) == "-"


def ending(output: Path, endings: Iterable[str]) -> str:
    """Return the ending of a file; refuse other endings, and a file that cannot be made."""
    if output.suffix not in endings:
        raise Refusal(f"--output must end in {', '.join(endings)}, got {str(output)!r}")
    if output.suffix == ".xlsx" and not find_spec("xlsxwriter"):
        raise Refusal(
            'an .xlsx file needs XlsxWriter: pip install "polars-auc[report]"; or end --output in .csv'
        )
    if output.is_dir():
        raise Refusal(f"--output {str(output)!r} is a folder; name a file")
    folder = Path(os.path.realpath(output)).parent
    if not folder.is_dir():
        raise Refusal(
            f"--output is in {str(folder if output.is_symlink() else output.parent)!r}, which is no folder"
        )
    return output.suffix


def _written(write: Callable[[io.BytesIO], object]) -> bytes:
    contents = io.BytesIO()
    write(contents)
    return contents.getvalue()


_MOST_ROWS_OF_SHEET = 2**20 - 1


def _workbook(table: pl.DataFrame) -> bytes:
    """Write a sheet of Excel. The same table makes the same bytes: the file does not say when it was made."""
    import xlsxwriter

    if table.height > _MOST_ROWS_OF_SHEET:
        raise Refusal(
            f"a sheet of Excel has at most {_MOST_ROWS_OF_SHEET:,} rows below its header, and there are "
            f"{table.height:,}; end --output in .parquet or .csv"
        )
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
    ".parquet": lambda table: _written(table.write_parquet),
    ".csv": lambda table: _written(table.write_csv),
    ".json": lambda table: _written(table.write_json),
    ".xlsx": _workbook,
}
"""How a table is written, by the ending of its file."""


def save(output: Path, contents: Callable[[], bytes]) -> None:
    """Write a file, or the file that a symbolic link names.

    A new file is written beside it and then renamed: the output is never half-written. A pipe or a device is
    no file that could be renamed, and is written to.
    """
    try:
        target = Path(os.path.realpath(output))
        if target.exists() and not target.is_file():
            with target.open("wb") as opened:
                opened.write(contents())
        else:
            _replace(target, contents())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise Refusal(f"cannot write {str(output)!r}: {first_line(error)}") from error


def _replace(target: Path, contents: bytes) -> None:
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
