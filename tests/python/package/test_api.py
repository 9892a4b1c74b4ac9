"""The public API is the list in ``api.txt`` in this folder; ``docs/policy.md`` defines the allowed changes.

After an allowed change, run this file as a script: ``PYTHONPATH=tests/python python
tests/python/package/test_api.py`` rewrites the list.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

import polars_auc as pa
import polars_auc.daft as pad
import polars_auc.duckdb as pad_sql
import polars_auc.spark as pas
from catalogue import CATALOGUE
from polars_auc._commands.main import _parser, main

API = Path(__file__).with_name("api.txt")

ROWS = pl.DataFrame(
    {"y": [0, 1, 0, 1], "s": [1, 2, 3, 4], "t": [4, 3, 2, 1], "g": [1, 1, 2, 2], "h": [1, 2, 1, 2]}
)
VARIANTS: dict[str, dict[str, Any]] = {
    "": {},
    "by": {"by": ["g", "h"]},
    "cluster": {"cluster": "g"},
    "compare": {"compare": True},
    "folds": {"folds": "g"},
    "groupings": {"by": ["g", "h"], "groupings": "each"},
    'memory="bounded"': {"memory": "bounded"},
    "stability": {"stability": pl.col("g") < 2},
    "user": {"user": "g"},
    'versus="rest"': {"by": "g", "versus": "rest"},
    "weight": {"weight": "g"},
}
"""Options of a report that change its columns."""

SEGMENTS: dict[str, dict[str, Any]] = {
    'versus="rest"': {},
    'versus="overall"': {"versus": "overall"},
    'versus="previous"': {"versus": "previous", "along": "g"},
    "cluster": {"cluster": "h"},
}
"""Options of compare_segments that may change its columns."""


def _signature(name: str, function: object) -> str:
    """Return parameters and defaults, one line each."""
    assert callable(function)
    parameters = inspect.signature(function).parameters.values()
    texts = [str(of.replace(annotation=inspect.Parameter.empty)) for of in parameters]
    first = next((at for at, of in enumerate(parameters) if of.kind is of.KEYWORD_ONLY), None)
    if first is not None and not any(text.startswith("*") for text in texts):
        texts.insert(first, "*")
    return f"{name}({', '.join(texts)})"


def _functions() -> Iterator[str]:
    modules = {"polars_auc": pa, "daft": pad, "duckdb": pad_sql, "spark": pas}
    for prefix, module in modules.items():
        for name in sorted(set(module.__all__) - {"__version__"}):
            public = getattr(module, name)
            yield _signature(f"{prefix}.{name}", public)
            if inspect.isclass(public):
                for method, function in sorted(vars(public).items()):
                    if inspect.isfunction(function) and not method.startswith("_"):
                        yield _signature(f"{prefix}.{name}.{method}", function)
                    elif isinstance(function, property):
                        yield f"{prefix}.{name}.{method}"


def _records() -> Iterator[str]:
    """Return the dtype of each expression's result; several if options add fields."""
    yield from sorted({f"{entry.name}: {entry.dtype}" for entry in CATALOGUE})


def _commands() -> Iterator[str]:
    _, commands = _parser()
    for name, parser in commands.choices.items():
        for action in parser._actions:
            if isinstance(action, argparse._HelpAction):
                continue
            spelled = ", ".join(action.option_strings) or action.dest
            choices = "" if action.choices is None else f" {{{','.join(map(str, action.choices))}}}"
            default = f" = {action.default}" if action.default else ""
            yield f"polars-auc {name} {spelled}{choices}{default}"


def _columns_of_a_report() -> Iterator[str]:
    """Return the columns of a report, and the columns that options add."""
    plain = dict(pa.report(ROWS.lazy(), "y", ["s", "t"]).lazy().collect_schema())
    for name, options in VARIANTS.items():
        columns = pa.report(ROWS.lazy(), "y", ["s", "t"], **options).lazy().collect_schema()
        further = {column: dtype for column, dtype in columns.items() if not name or column not in plain}
        yield f"report, {name or 'always'}: {_texts(further)}"


def _columns_of_frames() -> Iterator[str]:
    """Return the columns of the other functions that return frames."""
    report = pa.report(ROWS.lazy(), "y", "s", by="g").collect()
    cases = ROWS.select("y", "s", case=pl.int_range(pl.len()))
    readers = cases.join(ROWS.select(pl.col("g").unique()), how="cross")
    readers = readers.join(ROWS.select(pl.col("h").unique()), how="cross")
    states = pa.group_states(ROWS, "y", "s", by="g")
    frames = {
        **{
            f"compare_segments, {name}": pa.compare_segments(ROWS, "y", "s", "g", **options)
            for name, options in SEGMENTS.items()
        },
        "compare_segments, state": pa.compare_segments(states, state="s", by="g"),
        "compare_reports": pa.compare_reports(report, report),
        "curve_points": pa.curve_points(ROWS, pa.roc_curve("y", pl.col("s", "t")), by="g"),
        "group_states": pa.group_states(ROWS, "y", ["s", "t"], by="g"),
        "mrmc_roc_auc": pa.mrmc_roc_auc(readers, "y", "s", reader="g", modality="h", case="case"),
        "roc_auc_in_passes": pa.roc_auc_in_passes(ROWS, "y", "s"),
    }
    for name, frame in frames.items():
        yield f"{name}: {_texts(frame.collect_schema())}"


def _columns_of_files() -> Iterator[str]:
    """Return the columns of the files of commands."""
    shared = ["--label=y", "--score=s", "--score=t", "--by=g"]
    with tempfile.TemporaryDirectory() as folder:
        rows, written = Path(folder) / "rows.parquet", Path(folder) / "written.parquet"
        ROWS.write_parquet(rows)
        for command in ("curve", "gains", "thresholds", "compare", "state"):
            assert main([command, str(rows), *shared, "-o", str(written)]) == 0
            yield f"polars-auc {command}: {_texts(pl.read_parquet_schema(written))}"
        history = Path(folder) / "history.parquet"
        kept = ["--history", str(history), "--period", "2026-11-25", "-o", str(written)]
        assert main(["report", str(rows), *shared, *kept]) == 0
        yield f"polars-auc report, --history: {_texts(pl.read_parquet_schema(written))}"
        yield f"the file of --history: {_texts(pl.read_parquet_schema(history))}"


def _texts(columns: Mapping[str, object]) -> str:
    return ", ".join(f"{column}: {dtype}" for column, dtype in columns.items())


def api() -> str:
    """Return the list."""
    parts = {
        "Functions, their parameters and defaults": _functions(),
        "The dtypes of answers, for a score of Float64": _records(),
        "The columns of a report": _columns_of_a_report(),
        "The columns of other frames": _columns_of_frames(),
        "The columns of files that commands write": _columns_of_files(),
        "The command line": _commands(),
    }
    return "\n".join(
        f"# {title}\n\n" + "".join(f"{line}\n" for line in lines) for title, lines in parts.items()
    )


def test_the_public_api_is_the_one_that_is_listed() -> None:
    listed, found = API.read_text(encoding="utf-8").splitlines(), api().splitlines()
    changes = "\n".join(difflib.unified_diff(listed, found, "api.txt", "the package", lineterm="", n=0))
    assert not changes, f"docs/policy.md says whether this may change; see the top of this file\n{changes}"


if __name__ == "__main__":
    API.write_text(api(), encoding="utf-8")
