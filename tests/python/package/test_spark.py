"""Without Spark, its module can be imported, and says what to install."""

from __future__ import annotations

import sys
from typing import Any

import polars as pl
import pytest

import polars_auc.spark as pauc

REQUIREMENTS = {"pyspark.sql.functions": "pyspark>=4.1", "pyarrow": "pyarrow>=18", "pandas": "pandas>=2.2"}


@pytest.mark.parametrize("missing", REQUIREMENTS)
def test_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A module that is None is one that is not there.
    monkeypatch.setitem(sys.modules, missing, None)
    frame: Any = pl.DataFrame()
    needed = rf'needs .*\b{REQUIREMENTS[missing]}.*: pip install "polars-auc\[spark\]"$'
    with pytest.raises(ImportError, match=rf"^polars_auc.spark.roc_auc {needed}"):
        pauc.roc_auc("y", "s")
    with pytest.raises(ImportError, match=rf"^polars_auc.spark.report {needed}"):
        pauc.report(frame, "y", "s")
