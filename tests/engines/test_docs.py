"""The guide's code for other engines runs unchanged, and gives the numbers of Polars."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import polars_auc as pa

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "scaling-out-engines.md"
GUIDE = PAGE.read_text(encoding="utf-8")
CODE = "\n".join(re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL))


pytestmark = pytest.mark.usefixtures("cluster")


def run(folder: Path, smaller: dict[str, str]) -> dict[str, Any]:
    """Run the guide's code on the files of a folder, with smaller numbers, and return its variables."""
    code = CODE
    # The workers' directory is the directory in which Ray was started.
    for written, meant in {'"data"': f'"{folder}"', "data/*": f"{folder}/*", **smaller}.items():
        assert written in code
        code = code.replace(written, meant)
    names: dict[str, Any] = {"__name__": "guide"}
    exec(compile(code, PAGE.name, "exec"), names)
    return names


def test_on_real_rows(same: Callable[..., None]) -> None:
    names = run(ROOT / "data", {})
    assert names["on_polars"].height == 2
    for engine in ("on_daft", "on_duckdb", "on_ray"):
        same(names[engine], names["on_polars"])


def test_on_difficult_rows_in_many_batches(
    rows: pl.DataFrame, tmp_path: Path, same: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polars_auc.daft._BATCH_ROWS", 500)
    files = rows.select("label", dataset="segment", forest="score")
    for number, part in enumerate(files.iter_slices(1501)):
        part.write_parquet(tmp_path / f"{number}.parquet")
    names = run(tmp_path, {"1_000_000": "500", "4096": "64"})
    for engine in ("on_daft", "on_duckdb", "on_ray"):
        same(names[engine], names["on_polars"])
    assert len(names["parts"]) > 1
    same(
        names["small_states"],
        pa.group_states(files, "label", "forest", by="dataset", max_bins=64),
    )
    assert names["states"].height > names["on_ray"].height
