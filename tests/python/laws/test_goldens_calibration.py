"""Calibration and decisions compared with R and Python packages, record by record.

``POLARS_AUC_GOLDENS_CALIBRATION`` is an optional folder of the same layout, for data that cannot be copied
here.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from goldens.calibration import CHECKS, FIELDS_NOT_COMPARED, NOT_COMPARED, NOT_SHIPPED, TOLERANCES

SHIPPED = Path(__file__).parents[2] / "goldens" / "calibration"
FOLDERS = [SHIPPED, *(Path(it) for it in [os.environ.get("POLARS_AUC_GOLDENS_CALIBRATION")] if it)]
KINDS = tuple(dict.fromkeys(kind for kind, _ in CHECKS))


def records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return each record with its kind; for edge cases only those of compared functions."""
    edge_kinds = {
        function: kind for kind, function in CHECKS if function.startswith(("formula", "bruteforce"))
    }
    for path in sorted((folder / "values").glob("*.json")):
        values = json.loads(path.read_text(encoding="utf-8"))
        for record in values["records"]:
            kind = edge_kinds.get(record["function"]) if values["kind"] == "edge" else values["kind"]
            if kind in KINDS:
                yield kind, {**record, "kind": kind}


def rows_of(folder: Path, record: Mapping[str, Any]) -> pl.DataFrame:
    rows = pl.read_parquet(folder / "data" / f"{record['case']}.parquet")
    for name in ("segment", "subcase"):
        # The column of segments, or one of them.
        if (value := record["arguments"].get(name, name)) not in (None, name):
            rows = rows.filter(pl.col(name).cast(pl.String) == str(value))
    return rows


def is_compared(kind: str, field: str) -> bool:
    return field not in FIELDS_NOT_COMPARED and (kind, field) not in FIELDS_NOT_COMPARED


def assert_near(got: Any, expected: Any, record: Mapping[str, Any], field: str) -> None:
    if isinstance(expected, Mapping):
        for name, value in expected.items():
            if name not in FIELDS_NOT_COMPARED:
                assert_near(got[name], value, record, name)
    elif isinstance(expected, list):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            assert_near(one, other, record, field)
    elif expected is None:
        assert got is None, (field, got)
    elif isinstance(got, str):
        assert got == expected
    else:
        expected = float(expected)
        if field in ("lower", "upper") and record["kind"] in ("brier", "log_loss"):
            # Our limits are clipped to the range of the loss.
            expected = max(0.0, min(expected, 1.0 if record["kind"] == "brier" else math.inf))
        tolerance = record.get("tolerance") or {}
        relative = max(tolerance.get("rel", 0.0), 1e-14)
        # Differences of numbers near 1 have no more accurate digits.
        absolute = max(tolerance.get("abs", 0.0), 1e-15, TOLERANCES.get((record["function"], field), 0.0))
        assert got is not None, field
        assert math.isclose(got, expected, rel_tol=relative, abs_tol=absolute), (field, got, expected)


@pytest.mark.parametrize("folder", FOLDERS, ids=["shipped", "more"][: len(FOLDERS)])
def test_records_of_other_packages(folder: Path) -> None:
    compared: Counter[tuple[str, str]] = Counter()
    for kind, record in records(folder):
        function = (kind, record["function"])
        # Without a result the package rejects the scores.
        if function in NOT_COMPARED or record["result"] is None:
            continue
        # A record of any other function fails.
        got = CHECKS[function](rows_of(folder, record), record)
        if isinstance(got, str):
            continue
        for field, expected in record["result"].items():
            if not is_compared(kind, field) or (
                field.startswith(("log_loss", "normal")) and field not in got
            ):
                continue
            assert field in got, (record["id"], field)
            try:
                assert_near(got[field], expected, record, field)
            except AssertionError as error:
                raise AssertionError(f"{record['id']} {record['function']}: {error}") from error
            compared[function] += 1
    assert set(compared) == set(CHECKS) - (NOT_SHIPPED if folder == SHIPPED else set())
    assert compared.total() > 300
