"""Without Spark, its module can be imported, and says what to install."""

from __future__ import annotations

import sys
from typing import Any

import polars as pl
import pytest

import polars_auc.spark as pauc


@pytest.mark.parametrize("missing", ["pyspark.sql.functions", "pyarrow", "pandas"])
def test_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A module that is None is one that is not there.
    monkeypatch.setitem(sys.modules, missing, None)
    frame: Any = pl.DataFrame()
    needed = (
        r"needs PySpark 4.1 or newer, PyArrow and pandas \(.*\); write pip install \"polars-auc\[spark\]\""
    )
    with pytest.raises(ImportError, match=f"roc_auc: polars_auc.spark {needed}"):
        pauc.roc_auc("y", "s")
    with pytest.raises(ImportError, match=f"report: polars_auc.spark {needed}"):
        pauc.report(frame, "y", "s")
