"""Any text is a condition, a score or a key in SQL, or it is refused in a sentence."""

from __future__ import annotations

import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris
import polars as pl
from words import fuzz

with atheris.instrument_imports(include=["polars_auc"]):
    import polars_auc as pa
    from polars_auc._cli.files import Files
    from polars_auc._cli.refusal import Refusal, as_refusal
    from polars_auc._cli.rows import RowOptions
    from polars_auc._commands.gates import Gate
    from polars_auc._plugin.errors import FLAGS, OptionError

ROWS = pl.DataFrame(
    {
        "y": [True, False, True, None, False, True],
        "s": [0.5, 0.25, None, float("nan"), 2.0, -1.0],
        "n": pl.Series([1, 2, 3, None, 200, 0], dtype=pl.UInt8),
        "g": ["a", "b", None, "a", "", "ß"],
        "day": [datetime.date(2026, 1, 1 + row) if row else None for row in range(6)],
        "at": [datetime.datetime(2026, 1, 1, row) for row in range(6)],
        "p": [[0.5, 0.5], [], None, [1.0], [None], [0.1, 0.9]],
    }
)
FINITE = ROWS.with_columns(pl.col("s").fill_nan(None))
REPORT = pa.report(FINITE.lazy(), "y", "s", by=["g"], versus="rest").collect()


def check_rows(file: Path, text: str) -> None:
    """Read a text in all places of a command line, and evaluate what it makes."""
    for by, rows in (
        ([], RowOptions("y", ["s"], where=[text])),
        ([], RowOptions("y", [text])),
        ([], RowOptions(text, ["s"])),
        ([], RowOptions("y", ["s"]).with_options(count=text)),
        ([text], RowOptions("y", ["s"])),
    ):
        try:
            files = Files.grouped([str(file)], by, None)
            read = rows.source(files).rows
            assert read.label is not None
            with as_refusal():
                columns = [read.label, *read.scores.values(), *map(pl.col, read.by)]
                read.frame.select(column.alias(str(place)) for place, column in enumerate(columns)).collect()
        except (Refusal, OptionError):
            pass


def check_gate(text: str) -> None:
    """Read a text as a condition on a report, and check it."""
    try:
        gate = Gate.read(text, REPORT.schema, by=["g"], first_score="s", versus="rest", along=None)
        passes, sentence = gate.check(REPORT)
    except (Refusal, OptionError):
        return
    assert sentence.startswith("--fail-if ")
    assert isinstance(passes, bool)


def main() -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "rows.parquet")
        ROWS.write_parquet(file)
        FLAGS.set({})

        def conditions(data: bytes) -> None:
            text = data.decode("utf-8", "surrogateescape")
            check_rows(file, text)
            check_gate(text)

        fuzz(conditions)


if __name__ == "__main__":
    main()
