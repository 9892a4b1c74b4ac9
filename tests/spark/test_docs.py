"""The guide's code runs unchanged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]


def test_scaling_out(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert spark.version >= "4.1"
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    machine = (ROOT / "docs" / "scaling-out.md").read_text(encoding="utf-8")
    guide = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")
    _, in_spark = guide.split("<!-- spark -->")
    code = "\n".join(re.findall(r"```python\n(.*?)```", machine + in_spark, re.DOTALL))
    # The directory of Spark is the directory in which it was started.
    code = code.replace('"data/', f'"{tmp_path}/data/').replace('"states"', f'"{tmp_path}/states"')
    exec(compile(code, "scaling-out.md", "exec"), {})
    assert "overall" in capsys.readouterr().out
    assert pl.read_parquet(tmp_path / "states" / "*.parquet").columns == ["dataset", "forest"]


def test_store_of_states(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark reads counts of Polars' files as decimals."""
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "store-of-states.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"spark": spark}
    for code in re.findall(r"```(?:python|py)\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "store-of-states.md", "exec"), names)
    in_spark = dict(names["in_spark"].collect())
    areas = {dataset: answer["roc_auc"] for dataset, answer in in_spark.items()}
    assert areas == dict(names["by_dataset"].rows())
