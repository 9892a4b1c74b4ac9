"""Without Daft, its module can be imported, and its functions raise an error with an installation hint."""

from __future__ import annotations

import sys
from typing import Any

import polars as pl
import pytest

import polars_auc.daft as pad


def test_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules makes a module missing.
    monkeypatch.setitem(sys.modules, "daft", None)
    frame: Any = pl.DataFrame()
    needed = r"^polars_auc.daft.group_states needs daft>=0.7.15: pip install \"polars-auc\[daft\]\"$"
    with pytest.raises(ImportError, match=needed):
        pad.group_states(frame, "y", "s")
