"""Any file is an earlier report, or it is refused in a sentence."""

from __future__ import annotations

import datetime
from copy import copy
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris
import polars as pl
from words import fuzz

with atheris.instrument_imports(include=["polars_auc"]):
    import polars_auc as pa
    from polars_auc._cli.refusal import Refusal, as_refusal
    from polars_auc._commands.compare_to import PreviousReport
    from polars_auc._page.write import VERSION_KEY
    from polars_auc._plugin.errors import FLAGS, OptionError
    from polars_auc._report.options import ReportOptions

ROWS = pl.DataFrame(
    {
        "y": [row % 3 == 0 for row in range(24)],
        "s": [float(row % 7) for row in range(24)],
        "g": ["a" if row % 2 else "b" for row in range(24)],
        "day": [datetime.date(2026, 1, 1 + row // 12) for row in range(24)],
        "n1": pl.Series([row // 8 for row in range(24)], dtype=pl.Int8),
    }
)
# Each by the columns that the reports of the corpus are by.
REPORTS = [
    pa.report(ROWS.lazy(), "y", "s", by=["g"]).collect(),
    pa.report(ROWS.lazy(), "y", "s", by=["day", "n1"]).collect(),
    pa.report(ROWS.lazy(), "y", "s", by=["g", "n1"], groupings="cube").collect(),
]


# A file of Parquet is written here as a line with its version, a line with dtypes, and a table of CSV.
# Its bytes are left as they are: Polars alone reads them, and ends the process at some that are damaged.
AS_PARQUET = b"parquet\n"

DTYPES: dict[str, pl.DataType | type[pl.DataType]] = {
    "Decimal": pl.Decimal(38, 3),
    "Zoned": pl.Datetime("ns", "UTC"),
    "Enum": pl.Enum(["a", "b", "s"]),
    **{str(dtype): dtype for dtype in (pl.Int8, pl.Int64, pl.UInt8, pl.UInt64, pl.Float32, pl.Float64)},
    **{str(dtype): dtype for dtype in (pl.String, pl.Boolean, pl.Date, pl.Categorical, pl.Binary, pl.Null)},
}
FROM_INTEGERS = {str(dtype): dtype for dtype in (pl.Time, pl.Duration, pl.Datetime)}


def column(name: str, dtype: str) -> pl.Expr:
    """Return a column of text as one of another dtype."""
    if dtype in FROM_INTEGERS:
        return pl.int_range(pl.len()).cast(FROM_INTEGERS[dtype]).alias(name)
    if dtype in ("List", "Struct"):
        return pl.concat_list(name) if dtype == "List" else pl.struct(name).alias(name)
    return pl.col(name).cast(DTYPES.get(dtype, pl.String), strict=False)


def written(data: bytes, folder: Path) -> Path | None:
    """Write the file that the bytes are, and return its path."""
    if not data.startswith(AS_PARQUET):
        file = folder / ("report.json" if data.lstrip().startswith((b"{", b"[")) else "report.csv")
        file.write_bytes(data)
        return file
    version, dtypes, rows = [*data.removeprefix(AS_PARQUET).split(b"\n", 2), b"", b"", b""][:3]
    file = folder / "report.parquet"
    try:
        table = pl.read_csv(rows, infer_schema=False)
        columns = zip(table.columns, dtypes.decode(errors="replace").split(), strict=False)
        table = table.with_columns(column(name, dtype) for name, dtype in columns)
        table.write_parquet(file, metadata={VERSION_KEY: version.decode(errors="replace")})
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    return file


def check(file: Path) -> None:
    """Compare all reports with a file."""
    try:
        earlier = PreviousReport(file)
    except Refusal:
        return
    for report in REPORTS:
        previous = copy(earlier)
        try:
            plan = previous.add_to(report.lazy(), ReportOptions())
            with as_refusal():
                table = plan.collect()
            lines = previous.gone(table)
        except (Refusal, OptionError):
            continue
        assert table.select(report.columns).equals(report, null_equal=True)
        assert len(lines) <= 1


def main() -> None:
    FLAGS.set({})
    with TemporaryDirectory() as folder:

        def compare_to(data: bytes) -> None:
            file = written(data, Path(folder))
            if file is not None:
                check(file)

        fuzz(compare_to)


if __name__ == "__main__":
    main()
