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
    from polars_auc._cli.refusal import Refusal, worded
    from polars_auc._commands.compare_to import PreviousReport
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


def ending(data: bytes) -> str:
    """Return what a file of these bytes would be called."""
    if data.startswith(b"PAR1"):
        return ".parquet"
    return ".json" if data.lstrip().startswith((b"{", b"[")) else ".csv"


def check(file: Path) -> None:
    """Compare all reports with a file."""
    try:
        earlier = PreviousReport(file)
    except Refusal:
        return
    for report in REPORTS:
        previous = copy(earlier)
        try:
            plan = previous.beside(report.lazy(), ReportOptions())
            with worded():
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
            file = Path(folder, "report").with_suffix(ending(data))
            file.write_bytes(data)
            check(file)

        fuzz(compare_to)


if __name__ == "__main__":
    main()
