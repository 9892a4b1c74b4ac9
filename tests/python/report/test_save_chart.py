"""Charts as files."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pytest

import polars_auc as pa
from polars_auc._plugin import packages

ROWS = pl.DataFrame({"g": ["a"] * 4 + ["b"] * 4, "y": [0, 0, 1, 1] * 2, "s": [1, 3, 2, 4, 2, 1, 3, 4]})


def chart() -> Any:
    return pa.plot_roc(pa.curve_points(ROWS, pa.roc_curve("y", "s"), "g"), facet="g")


def test_a_page_holds_all_that_it_shows(tmp_path: Path) -> None:
    path = pa.save_chart(chart(), tmp_path / "curves.html", title="Two sites")
    text = path.read_text(encoding="utf-8")
    assert '<html lang="en">' in text
    assert "<title>Two sites</title>" in text
    assert "<h1>Two sites</h1>" in text
    words = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert re.findall(r"<(?:script|img|link|iframe)[^>]*\s(?:src|href)=", words) == []
    [chart_json] = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    expected = chart().to_dict(validate=False)
    assert json.loads(chart_json)["datasets"] == expected["datasets"]
    assert (
        pa.save_chart(chart(), tmp_path / "again.html", title="Two sites").read_bytes() == path.read_bytes()
    )


def test_only_the_scripts_of_the_page_run(tmp_path: Path) -> None:
    text = pa.save_chart(chart(), tmp_path / "curves.html").read_text(encoding="utf-8")
    [policy] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', text)
    assert policy.startswith("default-src 'none'; ")
    assert "'unsafe-inline'" not in policy.split("script-src")[1]
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert re.findall(r"'sha256-(.*?)'", policy) == hashes
    assert len(hashes) == 3


def test_pictures(tmp_path: Path) -> None:
    assert pa.save_chart(chart(), tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    pdf = pa.save_chart(chart(), tmp_path / "curves.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert pa.save_chart(chart(), tmp_path / "large.pdf", scale=2).read_bytes() != pdf
    assert "<svg" in pa.save_chart(chart(), tmp_path / "curves.svg").read_text(encoding="utf-8")


def test_pixels_of_a_picture(tmp_path: Path) -> None:
    """A pixel of a chart is 1/72 inch, and the file has the number of pixels per metre."""

    def size(**options: Any) -> tuple[int, int]:
        chart = alt.Chart(ROWS).mark_point().encode(x="s").properties(width=360, height=100)
        data = pa.save_chart(chart, tmp_path / "curves.png", **options).read_bytes()
        place = data.find(b"pHYs")
        per_metre = int.from_bytes(data[place + 4 : place + 8], "big") if place > 0 else 0
        return int.from_bytes(data[16:20], "big"), per_metre

    one, _ = size(scale=1)
    assert 360 < one < 400
    assert size() == size(scale=2)
    assert size()[0] == pytest.approx(2 * one, abs=2)
    assert size(dpi=300)[0] == pytest.approx(one * 300 / 72, abs=2)
    assert size(dpi=300)[1] == pytest.approx(300 / 0.0254, abs=1)
    assert size(dpi=300, scale=2)[0] == pytest.approx(2 * one * 300 / 72, abs=2)


def test_non_finite_numbers_are_omitted(tmp_path: Path) -> None:
    points: Any = {"values": [{"x": math.nan}, {"x": math.inf}, {"x": 1.5}]}
    page = pa.save_chart(
        alt.Chart().properties(data=points).mark_point().encode(x="x:Q"), tmp_path / "points.html"
    )
    assert '[{"x":null},{"x":null},{"x":1.5}]' in page.read_text(encoding="utf-8")


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong: list[tuple[type[Exception], str, tuple[Any, Any], dict[str, Any]]] = [
        (TypeError, "save_chart: `?chart`? must be a chart of Altair, got DataFrame", (ROWS, "x.html"), {}),
        (TypeError, "save_chart: `?path`? must be a path, got 1", (chart(), 1), {}),
        (ValueError, "must end in .html, .pdf, .png, .svg, got", (chart(), "x.eps"), {}),
        (
            ValueError,
            "dpi is of .png files, got .pdf. Hint: end path in .png",
            (chart(), "x.pdf"),
            {"dpi": 300},
        ),
        (ValueError, "scale is of .pdf and .png files, got .svg", (chart(), "x.svg"), {"scale": 2}),
        (ValueError, "scale must be a number from 0.1 to 20, got 0", (chart(), "x.png"), {"scale": 0}),
        (ValueError, "dpi must be a number from 10 to 2400, got 'x'", (chart(), "x.png"), {"dpi": "x"}),
        (ValueError, "is in 'nowhere', which is not a folder", (chart(), "nowhere/x.html"), {}),
        (ValueError, "title.* is of a page", (chart(), "x.png"), {"title": "x"}),
        (ValueError, "title.* must be text of one line", (chart(), "x.html"), {"title": "a\nb"}),
        (TypeError, "title.* must be text of one line", (chart(), "x.html"), {"title": 1}),
    ]
    monkeypatch.chdir(tmp_path)
    for error, reason, arguments, options in wrong:
        with pytest.raises(error, match=reason):
            pa.save_chart(*arguments, **options)
    created = chart()
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    needed = "save_chart needs altair>=5.4 and vl-convert-python>=1.6: pip install"
    with pytest.raises(ImportError, match=re.escape(needed)):
        pa.save_chart(created, "x.html")
    assert list(tmp_path.iterdir()) == []
