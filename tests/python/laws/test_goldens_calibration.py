"""Losses of probabilities beside R and Python packages, record by record.

``POLARS_AUC_GOLDENS_CALIBRATION`` can name a folder of the same layout, whose data may not be copied here.
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

from goldens.calibration import CHECKS, FIELDS_NOT_COMPARED, NOT_COMPARED

SHIPPED = Path(__file__).parents[2] / "goldens" / "calibration"
FOLDERS = [SHIPPED, *(Path(it) for it in [os.environ.get("POLARS_AUC_GOLDENS_CALIBRATION")] if it)]
KINDS = ("brier", "log_loss", "skill", "corp", "net_benefit")


def records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each record with its kind; of edge cases those of functions that are compared."""
    edge_kinds = {function: kind for kind, function in CHECKS if function.startswith("formula")}
    for path in sorted((folder / "values").glob("*.json")):
        values = json.loads(path.read_text(encoding="utf-8"))
        for record in values["records"]:
            kind = edge_kinds.get(record["function"]) if values["kind"] == "edge" else values["kind"]
            if kind in KINDS:
                yield kind, record


def rows_of(folder: Path, record: Mapping[str, Any]) -> pl.DataFrame:
    rows = pl.read_parquet(folder / "data" / f"{record['case']}.parquet")
    for name in ("segment", "subcase"):
        if (value := record["arguments"].get(name)) is not None:
            rows = rows.filter(pl.col(name).cast(pl.String) == str(value))
    return rows


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
    else:
        expected = float(expected)
        if field in ("lower", "upper") and record["kind"] != "net_benefit":
            # Ours are cut off where a loss cannot be.
            expected = max(0.0, min(expected, 1.0 if record["kind"] == "brier" else math.inf))
        tolerance = record.get("tolerance") or {}
        relative = max(tolerance.get("rel", 0.0), 1e-14)
        # Differences of numbers near 1 have no more digits than these.
        absolute = max(tolerance.get("abs", 0.0), 1e-15)
        assert got is not None, field
        assert math.isclose(got, expected, rel_tol=relative, abs_tol=absolute), (field, got, expected)


@pytest.mark.parametrize("folder", FOLDERS, ids=["shipped", "more"][: len(FOLDERS)])
def test_records_of_other_packages(folder: Path) -> None:
    compared: Counter[tuple[str, str]] = Counter()
    for kind, record in records(folder):
        function = (kind, record["function"])
        if function in NOT_COMPARED:
            continue
        # A record of any other function fails.
        got = CHECKS[function](rows_of(folder, record), record)
        if isinstance(got, str):
            continue
        for field, expected in record["result"].items():
            if field in FIELDS_NOT_COMPARED or (
                field.startswith(("log_loss", "normal")) and field not in got
            ):
                continue
            assert field in got, (record["id"], field)
            try:
                assert_near(got[field], expected, record, field)
            except AssertionError as error:
                raise AssertionError(f"{record['id']} {record['function']}: {error}") from error
            compared[function] += 1
    assert set(compared) == set(CHECKS)
    assert compared.total() > 300
