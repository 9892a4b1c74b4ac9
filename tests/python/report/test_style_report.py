"""A report as a table for notebooks."""

from __future__ import annotations

import re
import sys

import polars as pl
import pytest

import polars_auc as pa
from catalogue.cases import fixed


def report() -> pl.DataFrame:
    frame = fixed(3000).filter(pl.col("score").is_not_nan()).with_columns(g=pl.col("g") % 6)
    better = frame.with_columns(score=pl.when(g=0).then(pl.col("label").cast(pl.Float64)).otherwise("score"))
    return pa.report(better, "label", "score", by="g", versus="rest")


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html.partition("<tfoot")[0], re.DOTALL)
    return [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in rows]


def test_displayed_cells() -> None:
    html = pa.style_report(report()).as_raw_html()
    table = report()
    [*groups, overall] = [row for row in cells(html) if row]
    assert len(groups) == table.height - 1
    assert overall[0] == "overall"
    assert overall[3] == f"{table['auc'][-1]:.4f}"
    assert "font-weight: bold" in html
    assert any(row[-1].endswith(" *") for row in groups)
    assert "* a difference at level 0.05, after the adjustment over all tests in its column" in html


def test_what_is_chosen() -> None:
    html = pa.style_report(report(), columns=["auc", "gini"], limit=2).as_raw_html()
    displayed = [row for row in cells(html) if row]
    assert [len(row) for row in displayed] == [4, 4, 4]
    assert "4 more rows of groups" in html


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="style_report: the column 'scope' of a report is missing"):
        pa.style_report(fixed(10))
    with pytest.raises(
        ValueError, match="style_report: columns has the unknown column 'x'; expected one of n, n_pos"
    ):
        pa.style_report(report(), columns=["x"])
    with pytest.raises(ValueError, match="style_report: columns must be a list of names, got 'auc'"):
        pa.style_report(report(), columns="auc")
    assert "0.7" in pa.style_report(report(), columns=["auc", "auc"]).as_raw_html()
    with pytest.raises(ValueError, match="style_report: limit must be an integer from 0"):
        pa.style_report(report(), limit=-1)
    monkeypatch.setitem(sys.modules, "great_tables", None)
    with pytest.raises(ImportError, match=r"pip install .polars-auc.report."):
        pa.style_report(report())
