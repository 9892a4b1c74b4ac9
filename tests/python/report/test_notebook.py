"""Reports in a notebook of IPython."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
from IPython.core.interactiveshell import InteractiveShell

import polars_auc as pa
from catalogue.cases import fixed

ROWS = fixed(300).filter(pl.col("score").is_not_nan())


@pytest.fixture
def shell() -> Iterator[Any]:
    shell: Any = InteractiveShell()  # type: ignore[no-untyped-call]
    yield shell
    if "polars_auc" in shell.extension_manager.loaded:
        shell.run_line_magic("unload_ext", "polars_auc")


def html(shell: Any, frame: pl.DataFrame) -> str:
    data, _ = shell.display_formatter.format(frame)
    return str(data["text/html"])


def test_the_display_of_a_report_is_style_report(shell: Any) -> None:
    report = pa.report(ROWS, "label", "score", by="g")
    plain = html(shell, report)
    shell.run_line_magic("load_ext", "polars_auc")
    displayed = html(shell, report)
    assert "gt_table" in displayed
    assert f"{report['auc'][0]:.4f}" in displayed
    assert html(shell, pa.compare_reports(report, report)).count("gt_table")
    for other in (ROWS, report.select("g", "auc")):
        assert html(shell, other) == other._repr_html_()
    shell.run_line_magic("unload_ext", "polars_auc")
    assert html(shell, report) == plain == report._repr_html_()


def test_a_notebook_without_great_tables(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "great_tables", None)
    with pytest.raises(ImportError, match=r"^%load_ext polars_auc needs great-tables>=0.15: pip install"):
        pa.load_ipython_extension(shell)
