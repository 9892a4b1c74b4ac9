"""Pages with names that try to run a script, to load a resource or to change other elements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Page

import polars_auc as pa
from polars_auc._commands.main import main

RUN = "window.ran=1,alert(1)"
LINK = f"javascript:{RUN}"
ELSEWHERE = "https://example.invalid/x"
HOSTILE = [
    f"</script><script>{RUN}</script>",
    f"</SCRIPT ><script>{RUN}</script >",
    f"<!--<script>{RUN}",
    f"--><script>{RUN}</script>",
    f"<script src='{ELSEWHERE}.js'></script>",
    f"<script type=module>{RUN}</script>",
    f'<img src=x onerror="{RUN}">',
    f"<img src='{ELSEWHERE}.png'>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"</style><script>{RUN}</script>",
    f"<style>@import '{ELSEWHERE}.css';</style>",
    f"<link rel=stylesheet href={ELSEWHERE}.css>",
    f"<iframe srcdoc='<script>{RUN}</script>'>",
    f"<iframe src={LINK}>",
    f"<object data={LINK}>",
    f"<embed src={ELSEWHERE}>",
    f"<base href={ELSEWHERE}>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<form action={ELSEWHERE}><input autofocus onfocus={RUN}>",
    f"<body onload={RUN}>",
    f"<details open ontoggle={RUN}>",
    f"<a href={LINK}>x</a>",
    f"<math><mi xlink:href={LINK}>x</mi></math>",
    f"</td></tr></table><script>{RUN}</script>",
    f"</title><script>{RUN}</script>",
    f"</textarea><script>{RUN}</script>",
    f"</noscript><script>{RUN}</script>",
    f"<template><script>{RUN}</script></template>",
    LINK,
    f"{ELSEWHERE}.png",
    f"data:text/html,<script>{RUN}</script>",
    f'" onmouseover="{RUN}" x="',
    f"' onmouseover='{RUN}' x='",
    f'"><img src=x onerror={RUN}>',
    f"`;{RUN};`",
    f"${{{RUN}}}",
    f"{{{{ {RUN} }}}}",
    f"'+({RUN})+'",
    f'"+({RUN})+"',
    f"\\';{RUN};//",
    "\u2028" + RUN + "\u2029",
    "\u202egpj.exe\u202c",
    "\u2067right to left\u2069",
    "zero\u200bwidth\u200d\ufeff",
    "line\nline\r\ttab",
    "\x01\x1f\x7f control",
    "&lt;script&gt;&#x6a;&amp;",
    "x" * 10_000,
    "<b>" * 3333 + "x",
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write rows with such names of groups, columns of groups and scores."""
    path = tmp_path_factory.mktemp("rows") / f"<img src=x onerror={RUN.replace('.', '')}>.parquet"
    draw = np.random.default_rng(0)
    n = 40 * len(HOSTILE)
    label = draw.random(n) < 0.4
    # Charts could interpret the columns image and title.
    columns = {
        "y": label,
        "image": HOSTILE * 40,
        HOSTILE[0]: [name for name in HOSTILE for _ in range(40)],
        "month": [f"2024-{1 + place % 12:02}" for place in range(n)],
        **{name: draw.standard_normal(n) + label for name in (HOSTILE[6], HOSTILE[32], HOSTILE[42], "title")},
    }
    pl.DataFrame(columns).write_parquet(path)
    return path


def columns_of(rows: Path) -> list[str]:
    return [f'--score="{name.replace(chr(34), chr(34) * 2)}"' for name in pl.read_parquet_schema(rows)][4:]


def examine(page: Page) -> None:
    """Use a page like a reader, and check the effects of its names."""
    page.wait_for_timeout(100)
    for control in page.locator("summary, .dt-column-order").all()[:10]:
        control.click(force=True)
    for row in page.locator("td").all()[:30]:
        row.hover(force=True)
    for marks in (".mark-symbol path", ".mark-rule line", ".mark-line path", ".mark-rect path"):
        for mark in page.locator(f"svg.marks {marks}").all()[:12]:
            box = mark.bounding_box()
            if box and box["width"] + box["height"] > 0:
                page.mouse.move(box["x"] + box["width"] / 2 - 1, box["y"] + box["height"] / 2)
                page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=2)
    assert page.evaluate("window.ran") is None
    assert page.locator("a:not([href^='#'])").count() == 0
    loading = "img, iframe, object, embed, base, form:not(.vega-bindings), link, meta, template"
    assert page.locator(f"body :is({loading})").count() == 0
    loud = "(all) => all.filter((one) => [...one.attributes].some((of) => /^on/i.test(of.name))).length"
    assert page.locator("body *").evaluate_all(loud) == 0


def test_names_on_the_page_of_a_report(opened: Any, rows: Path, tmp_path: Path) -> None:
    arguments = [*columns_of(rows), "--label", "y", "--where", f"image <> '{ELSEWHERE}'", "--quiet"]
    by = ["--by", "image", "--by", "month", "--groupings", "each"]
    options = ["--compare", "--versus", "rest", "--stability", "month < '2024-07'", "--fail-if", "auc > 2"]
    previous = tmp_path / f"<svg onload={RUN.replace('.', '')}>.parquet"
    assert main(["report", str(rows), *arguments, *by, "-o", str(previous)]) == 0
    output = tmp_path / "report.html"
    changes = ["--compare-to", str(previous), "--title", HOSTILE[25]]
    assert main(["report", str(rows), *arguments, *by, *options, *changes, "-o", str(output)]) == 0
    page = opened(output)
    assert page.title() == HOSTILE[25]
    page.locator(".dt-search input").fill("example.invalid")
    examine(page)
    page.locator(".dt-search input").fill("")
    page.locator("select.dt-input").select_option("1000")
    examine(page)
    name = f'"{HOSTILE[0]}"'.replace('"', '""')
    output = tmp_path / "named.html"
    assert main(["report", str(rows), *arguments, "--by", f'"{name[2:-2]}"', "-o", str(output)]) == 0
    examine(opened(output))


def test_names_on_the_page_of_a_report_in_python(opened: Any, rows: Path, tmp_path: Path) -> None:
    frame = pl.scan_parquet(rows)
    scores = list(pl.read_parquet_schema(rows))[4:]
    report = pa.report(frame.with_columns(at="image"), "y", scores, by=["image", HOSTILE[0]]).collect()
    about = {name: name for name in HOSTILE if name.isprintable()}
    path = pa.write_report(
        report, tmp_path / "report.html", frame=frame, label="y", scores=scores, about=about
    )
    examine(opened(path))


def test_names_on_the_page_of_curves(opened: Any, rows: Path, tmp_path: Path) -> None:
    arguments = [*columns_of(rows), "--label", "y", "--max-points", "50"]
    for place, options in enumerate((["--by", "image"], ["--band", "likelihood", "--points", "9"])):
        output = tmp_path / f"curve{place}.html"
        assert (
            main(["curve", str(rows), *arguments, *options, "--title", HOSTILE[25], "-o", str(output)]) == 0
        )
        page = opened(output)
        assert page.title() == HOSTILE[25]
        examine(page)


def test_names_on_the_page_of_a_chart(opened: Any, rows: Path, tmp_path: Path) -> None:
    report = pa.report(pl.scan_parquet(rows), "y", HOSTILE[6], by="image", versus="rest").collect()
    path = pa.save_chart(pa.plot_forest(report), tmp_path / "forest.html", title=HOSTILE[0])
    page = opened(path)
    assert page.title() == HOSTILE[0]
    examine(page)
    words = alt.Chart(pl.DataFrame({"image": HOSTILE, "title": HOSTILE, "x": range(len(HOSTILE))}))
    y = alt.Y("title", sort=HOSTILE, title=HOSTILE[0])
    points = words.mark_point().encode(x="x", y=y, tooltip=["image", "title"])
    examine(opened(pa.save_chart(points.properties(title=HOSTILE[0]), tmp_path / "chart.html")))


def test_names_in_a_picture(opened: Any, rows: Path, tmp_path: Path) -> None:
    arguments = [*columns_of(rows), "--label", "y", "--by", "image", "--max-points", "50"]
    output = tmp_path / "curve.svg"
    assert main(["curve", str(rows), *arguments, "-o", str(output)]) == 0
    page = opened(output, wait=False)
    assert page.evaluate("window.ran") is None
    assert page.locator("script, foreignObject, image").count() == 0


def test_names_in_a_table_of_a_notebook(opened: Any, rows: Path, tmp_path: Path) -> None:
    report = pa.report(pl.scan_parquet(rows), "y", HOSTILE[6], by=HOSTILE[0]).collect()
    page = tmp_path / "table.html"
    page.write_text(pa.style_report(report, limit=1000).as_raw_html(), encoding="utf-8")
    examine(opened(page, wait=False))
