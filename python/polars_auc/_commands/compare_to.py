"""``--compare-to``: the earlier report, and the groups missing since."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl

from polars_auc._cli.refusal import Refusal, as_refusal, first_line, flag
from polars_auc._page.escapes import with_formulas
from polars_auc._page.text import counted
from polars_auc._page.write import VERSION, VERSION_KEY
from polars_auc._report.changes import compare_reports, keys_of_report
from polars_auc._report.options import ReportOptions


def _read_csv(file: Path) -> pl.DataFrame:
    # Read every column as text: the report defines the types. Escaped formulas start with an apostrophe.
    return with_formulas(pl.read_csv(file, infer_schema=False))


def _read_json(file: Path) -> pl.DataFrame:
    report = json.loads(file.read_text(encoding="utf-8"))
    rows = report.get("rows") if isinstance(report, dict) else None
    if not isinstance(rows, list):
        raise ValueError("it is not a report of polars-auc")
    _refuse_version(report.get("report"))
    return pl.DataFrame(rows, infer_schema_length=None)


def _read_parquet(file: Path) -> pl.DataFrame:
    _refuse_version(pl.read_parquet_metadata(file).get(VERSION_KEY, VERSION))
    return pl.read_parquet(file)


def _refuse_version(version: object) -> None:
    if str(version) != str(VERSION):
        raise ValueError(f"it is a report of version {version}, and this is version {VERSION}")


_READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".parquet": _read_parquet,
    ".csv": _read_csv,
    ".json": _read_json,
}


# Errors that Polars and json raise for invalid files.
_UNREADABLE = (pl.exceptions.PolarsError, OSError, ValueError, TypeError, OverflowError, RecursionError)


class PreviousReport:
    """An earlier report, read from its file."""

    def __init__(self, file: Path) -> None:
        if file.suffix not in _READERS:
            raise Refusal(f"{flag('compare_to')} must end in {', '.join(_READERS)}, got {str(file)!r}")
        try:
            self.table = _READERS[file.suffix](file)
        except pl.exceptions.PanicException as error:
            raise Refusal(f"cannot read {str(file)!r}: the file is damaged") from error
        except _UNREADABLE as error:
            raise Refusal(f"cannot read {str(file)!r}: {first_line(error)}") from error
        self.file = file

    def add_to(self, report: pl.LazyFrame, options: ReportOptions) -> pl.LazyFrame:
        """Return a report with its changes since the earlier one."""
        with as_refusal():
            self.table = self._read_as(report.collect_schema())
            return compare_reports(
                report,
                self.table,
                level=options.level,
                adjust=options.adjust,
                method=options.comparison,
            )

    def _read_as(self, schema: pl.Schema) -> pl.DataFrame:
        """Return the earlier report with the key dtypes of this one; raise for duplicate rows of a group."""
        table = self.table
        previous_keys = keys_of_report(table.schema, "previous")
        for key in (key for key in keys_of_report(schema) if key in previous_keys):
            try:
                table = table.with_columns(_read(pl.col(key), table.schema[key], schema[key]))
            except pl.exceptions.PolarsError as error:
                raise Refusal(
                    f"the column {key!r} of {str(self.file)!r} cannot be read as {schema[key]}. Hint: write "
                    "the earlier report as .parquet, which keeps types"
                ) from error
        if table.select(pl.struct(previous_keys).is_duplicated().any()).item():
            raise Refusal(f"{str(self.file)!r} has two rows for one group and score, so it is not a report")
        return table

    def gone(self, report: pl.DataFrame) -> list[str]:
        """Return a message with the number of groups and scores that only the earlier report has."""
        keys = keys_of_report(report.schema)
        missing = self.table.select(keys).join(report.select(keys), on=keys, how="anti", nulls_equal=True)
        if missing.is_empty():
            return []
        rows = counted(missing.height, "row")
        return [f"{rows} of {str(self.file)!r} are of groups or scores that are not here"]


def _read(column: pl.Expr, written: pl.DataType, dtype: pl.DataType) -> pl.Expr:
    """Convert a column of text to its original type."""
    if written != pl.String:
        return column.cast(dtype)
    if dtype == pl.Date:
        return column.str.to_date()
    if isinstance(dtype, pl.Datetime):
        zone = dtype.time_zone
        return column.str.to_datetime(time_unit=dtype.time_unit, time_zone=zone)
    if dtype == pl.Time:
        return column.str.to_time("%H:%M:%S%.f")
    if dtype == pl.Boolean:
        return column.replace_strict({"true": True, "false": False}, return_dtype=pl.Boolean)
    return column.cast(dtype)
