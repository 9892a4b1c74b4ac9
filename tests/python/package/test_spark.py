"""Without Spark, its module can be imported, and its functions raise an error with an installation hint."""

from __future__ import annotations

import sys
from typing import Any

import polars as pl
import pytest

import polars_auc.spark as pauc

REQUIREMENTS = {"pyspark.sql.functions": "pyspark>=4.1", "pyarrow": "pyarrow>=18", "pandas": "pandas>=2.2"}


@pytest.mark.parametrize("missing", REQUIREMENTS)
def test_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules makes a module missing.
    monkeypatch.setitem(sys.modules, missing, None)
    frame: Any = pl.DataFrame()
    needed = rf'needs .*\b{REQUIREMENTS[missing]}.*: pip install "polars-auc\[spark\]"$'
    with pytest.raises(ImportError, match=rf"^polars_auc.spark.roc_auc {needed}"):
        pauc.roc_auc("y", "s")
    with pytest.raises(ImportError, match=rf"^polars_auc.spark.report {needed}"):
        pauc.report(frame, "y", "s")
