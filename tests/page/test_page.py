"""The page of a report in a browser, used like a reader does. `.ci/page` installs the dependencies."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Browser, Page

import polars_auc as pa
from polars_auc._commands.main import main
from polars_auc._plots.numbers import cell

DATA = Path(__file__).parents[2] / "data"
SCORES = ["logistic", "forest", "tree"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("small") / "report.html"
    scores = [f"--score={score}" for score in SCORES]
    groups = ["--by", "dataset", "--by", "segment", "--versus", "rest", "--compare"]
    groups += ["--stability", "fold % 2 = 0"]
    assert main(["report", str(DATA), "--label", "label", *scores, *groups, "--quiet", "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a report of 2,000 segments and three scores."""
    folder = tmp_path_factory.mktemp("large")
    draw = np.random.default_rng(0)
    label = draw.random(200_000) < 0.3
    rows = {f"s{place}": draw.standard_normal(200_000) + label / place for place in (1, 2, 3)}
    frame = pl.DataFrame({"y": label, "segment": draw.integers(0, 2000, 200_000), **rows})
    frame.write_parquet(folder / "rows.parquet")
    path = folder / "report.html"
    arguments = ["--label", "y", *(f"--score={score}" for score in rows), "--by", "segment"]
    assert main(["report", str(folder / "rows.parquet"), *arguments, "--quiet", "-o", str(path)]) == 0
    return path


def column(page: Page, name: str) -> list[str]:
    """Return the visible cells of a column of the table of groups."""
    heads = page.locator("#groups-table thead th").all_inner_texts()
    place = [head.strip() for head in heads].index(name) + 1
    cells: list[str] = page.locator(f"#groups-table tbody tr td:nth-child({place})").all_inner_texts()
    return cells


def test_all_charts_are_rendered(opened: Any, small: Path) -> None:
    page = opened(small)
    figures = page.locator("figure[data-chart]")
    assert figures.count() == 5
    for place in range(figures.count()):
        drawing = figures.nth(place).locator("svg.marks")
        # A chart of many panels has several parts.
        name = figures.nth(place).get_attribute("data-chart")
        assert drawing.count() == (2 if name == "panels" else 1)
        for part in drawing.all():
            assert part.locator("path").count() > 5
            assert part.bounding_box()["width"] > 300


def test_charts_of_four_scores_are_rendered_in_parts(opened: Any, tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    label = draw.random(2000) < 0.4
    scores = {name: draw.standard_normal(2000) + label for name in "abcd"}
    rows = pl.DataFrame({"y": label, "g": draw.integers(0, 40, 2000), **scores})
    path = pa.write_report(
        pa.report(rows, "y", [*scores], by="g"),
        tmp_path / "r.html",
        frame=rows,
        label="y",
        scores=[*scores],
    )
    page = opened(path)
    for name, parts in (("distributions", 2), ("panels", 3), ("forest", 4)):
        drawing = page.locator(f"figure[data-chart={name}] svg.marks")
        assert drawing.count() == parts
        assert all(part.locator("path").count() > 5 for part in drawing.all())


def test_the_table_of_groups_sorts_by_numbers(opened: Any, small: Path) -> None:
    page = opened(small)
    for name in ("auc", "delta_auc_p_adjusted", "n"):
        heads = [head.strip() for head in page.locator("#groups-table thead th").all_inner_texts()]
        head = page.locator("#groups-table thead th").nth(heads.index(name))
        for descending in (False, True):
            head.locator(".dt-column-order").click()
            order = "descending" if descending else "ascending"
            page.wait_for_selector(f"#groups-table thead th[aria-sort={order}]", state="attached")
            displayed = [
                float(cell.replace("<", "0").replace(",", "")) for cell in column(page, name) if cell != "-"
            ]
            assert len(displayed) > 10
            assert displayed == sorted(displayed, reverse=descending), name


def test_the_table_of_groups_is_sorted_by_keyboard(opened: Any, small: Path) -> None:
    page = opened(small)
    heads = [head.strip() for head in page.locator("#groups-table thead th").all_inner_texts()]
    page.locator("#groups-table thead th .dt-column-order").nth(heads.index("auc")).focus()
    page.keyboard.press("Enter")
    # The table is sorted after the key press, asynchronously.
    page.wait_for_selector("#groups-table thead th[aria-sort=ascending]", state="attached")
    displayed = column(page, "auc")
    assert displayed == sorted(displayed)


def test_the_table_of_groups_filters(opened: Any, large: Path) -> None:
    page = opened(large)
    assert "of 6,000" in page.locator(".dt-info").inner_text()
    page.locator(".dt-search input").fill("1234")
    page.wait_for_function("document.querySelector('.dt-info').innerText.includes('filtered')")
    assert "1234" in column(page, "segment")
    page.locator(".dt-search input").fill("nothing like this")
    assert page.locator("#groups-table tbody tr").count() == 1
    page.locator(".dt-search input").fill("")
    page.locator(".dt-paging-button.next").click()
    assert "26 to 50" in page.locator(".dt-info").inner_text()


def test_the_numbers_are_those_of_the_report(opened: Any, small: Path) -> None:
    page = opened(small)
    report = pa.report(
        pl.scan_parquet(DATA / "*.parquet"),
        "label",
        SCORES,
        by=["dataset", "segment"],
        compare=True,
        versus="rest",
    ).collect()
    groups = report.filter(pl.col("scope") == "group")
    for name in ("auc", "lower", "delta_auc", "difference", "p_adjusted"):
        assert column(page, name) == [cell(name, value) for value in groups[name]]


def test_differences_have_a_colour_and_a_sign(opened: Any, small: Path) -> None:
    page = opened(small)
    rows, by = pl.scan_parquet(DATA / "*.parquet"), ["dataset", "segment"]
    report = pa.report(rows, "label", SCORES, by=by, versus="rest")
    expected = (report.collect().filter(pl.col("scope") == "group")["p_adjusted"] <= 0.05).to_list()
    heads = [head.strip() for head in page.locator("#groups-table thead th").all_inner_texts()]
    cells = page.locator(f"#groups-table tbody td:nth-child({heads.index('p_adjusted') + 1})")
    style = "(cell) => [getComputedStyle(cell, '::after').content, getComputedStyle(cell).color]"
    signs = cells.evaluate_all(f"(cells) => cells.map({style})")
    assert [sign == '" *"' for sign, _ in signs] == expected
    assert len({color for _, color in signs}) == 2


def test_a_point_has_a_tooltip(opened: Any, small: Path) -> None:
    page = opened(small)
    for chart, words in (
        ("curves", ("threshold", "fpr", "tpr")),
        ("forest", ("auc", "lower", "p_adjusted")),
        ("distributions", ("rows", "share")),
    ):
        drawing = page.locator(f"figure[data-chart={chart}] svg.marks")
        drawing.scroll_into_view_if_needed()
        mark = {
            "curves": ".mark-line path",
            "forest": ".mark-symbol path",
            "distributions": ".mark-rect path",
        }
        box = drawing.locator(mark[chart]).nth(0).bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2 - 1, box["y"] + box["height"] / 2 - 1)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
        page.wait_for_selector("#vg-tooltip-element.visible")
        tooltip = page.locator("#vg-tooltip-element").inner_text()
        assert all(word in tooltip for word in words), tooltip
        page.mouse.move(0, 0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_have_contrast(opened: Any, small: Path, scheme: str) -> None:
    """Test the contrast of WCAG 2.1 for text, 4.5, in each element with text, charts included."""
    page = opened(small, scheme=scheme)
    faint = page.evaluate(
        """() => {
          const parsed = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
          const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
            .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
          const behind = (element) => {
            for (let at = element; at; at = at.parentElement) {
              const color = parsed(getComputedStyle(at).backgroundColor);
              if (color.length === 3 || color[3] === 1) return color;
            }
            return [255, 255, 255];
          };
          const found = [];
          for (const element of document.querySelectorAll("body *")) {
            const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
            const style = getComputedStyle(element);
            const drawn = element.getClientRects().length && !["SCRIPT", "STYLE"].includes(element.tagName);
            if (!own || !drawn || element.closest(".disabled")) continue;
            const color = parsed(element.tagName === "text" ? style.fill : style.color);
            const [low, high] = [light(color), light(behind(element))].sort((a, b) => a - b);
            if ((high + 0.05) / (low + 0.05) < 4.5) found.push([element.textContent, style.color]);
          }
          return found;
        }"""
    )
    assert faint == []


def test_every_part_has_a_name_for_those_who_do_not_see_it(opened: Any, small: Path) -> None:
    page = opened(small)
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1
    for table in page.locator("table.static").all():
        assert table.locator("caption").count() == 1
        assert table.locator("th:not([scope])").count() == 0
    for drawing in page.locator("figure[data-chart] svg.marks").all():
        label = drawing.evaluate("(svg) => svg.closest('[aria-label]')?.getAttribute('aria-label') || ''")
        assert len(label) > 20
    for link in page.locator("nav a").all():
        assert page.locator(str(link.get_attribute("href"))).count() == 1


def test_a_phone_shows_all_without_scrolling_sideways(opened: Any, small: Path) -> None:
    page = opened(small, width=375)
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_charts_fit_a_phone_and_are_legible(opened: Any, small: Path, large: Path) -> None:
    """Only tables scroll sideways, and charts are not scaled down."""
    for path, charts in ((small, 5), (large, 4)):
        page = opened(path, width=390)
        places = page.locator("figure[data-chart] .wide")
        assert places.count() >= charts
        for place in places.all():
            wide, room, rendered, natural = place.evaluate(
                "(of) => { const svg = of.querySelector('svg.marks'); return [of.scrollWidth, of.clientWidth,"
                " svg.getBoundingClientRect().width, Number(svg.getAttribute('width'))]; }"
            )
            assert wide <= room
            assert rendered >= 0.85 * natural


def test_panels_side_by_side_share_their_axes(opened: Any, tmp_path: Path) -> None:
    """Axes of areas stay within 0 to 1, also in panels of few rows."""
    draw = np.random.default_rng(1)
    n = 40 * 120
    sizes = {"retail": 80, "corporate": 12, "small": 28}
    months = [f"20{20 + month // 12}-{1 + month % 12:02}" for month in range(40) for _ in range(120)]
    segments = [name for _ in range(40) for name, size in sizes.items() for _ in range(size)]
    label = draw.random(n) < 0.3
    rows = pl.DataFrame(
        {"month": months, "segment": segments, "y": label, "s": draw.standard_normal(n) + 2 * label}
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = [
        "report",
        str(tmp_path / "rows.parquet"),
        "--label",
        "y",
        "--score",
        "s",
        "--by",
        "segment",
        "--quiet",
    ]
    for month in ("2020-01", "2020-02", "2020-03"):
        history = [
            "--history",
            str(tmp_path / "h.parquet"),
            "--period",
            month,
            "--where",
            f"month = '{month}'",
        ]
        assert main([*arguments, *history, "-o", str(tmp_path / "history.html")]) == 0
    assert main([*arguments, "--by", "month", "-o", str(tmp_path / "trend.html")]) == 0
    for name in ("history", "trend"):
        page = opened(tmp_path / f"{name}.html")
        axes = page.locator(f"figure[data-chart={name}] svg.marks").first.evaluate(
            """(svg) => [...svg.querySelectorAll(".role-axis")]
              .filter((axis) => [axis, ...axis.querySelectorAll("g")]
                .some((of) => /^Y-axis/.test(of.ariaLabel)))
              .map((axis) => [...axis.querySelectorAll(".role-axis-label text")])
              .map((texts) => texts.map((text) => Number(text.textContent)))"""
        )
        ticks = [numbers for numbers in axes if numbers]
        assert ticks, name
        assert all(0 <= number <= 1 for numbers in ticks for number in numbers)
        assert all(numbers == ticks[0] for numbers in ticks)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_legends_are_as_bright_as_their_lines(opened: Any, small: Path, scheme: str) -> None:
    page = opened(small, scheme=scheme)
    for chart in ("curves", "panels"):
        drawing = page.locator(f"figure[data-chart={chart}] svg.marks").first
        looks = """(all) => all.map((one) => ["stroke", "stroke-width", "stroke-opacity", "opacity"]
          .map((name) => one.getAttribute(name) || "1"))"""
        swatches = drawing.locator(".role-legend-symbol path").evaluate_all(looks)
        lines = drawing.locator(".mark-line path").evaluate_all(looks)
        assert len(swatches) == 3
        assert {tuple(swatch) for swatch in swatches} <= {tuple(line) for line in lines}


def test_words_are_whole_on_a_phone(opened: Any, small: Path) -> None:
    """Names, numbers and headings break only after an underscore; tables scroll separately."""
    page = opened(small, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    broken = page.evaluate(
        """() => {
          const found = [];
          for (const cell of document.querySelectorAll("td, th, dd, li, p")) {
            const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
              const text = texts.currentNode;
              for (const word of text.data.matchAll(/[^\\s_]+_?/g)) {
                const range = document.createRange();
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
                if (lines.size > 1) found.push(word[0]);
              }
            }
          }
          return found;
        }"""
    )
    assert broken == []
    for table in page.locator(".wide:visible:has(> table.static)").all():
        before, after = (
            (
                table.evaluate(f"(of) => {{ of.scrollLeft = {left}; }}"),
                table.locator("td").first.bounding_box(),
            )[1]
            for left in (0, 200)
        )
        if table.locator("th").first.get_attribute("class") is None:
            assert before["x"] == after["x"]


def test_labels_of_axes_lie_apart(opened: Any, small: Path) -> None:
    page = opened(small)
    gaps = page.evaluate(
        """() => [...document.querySelectorAll("svg.marks .role-axis-label")].flatMap((axis) => {
          const boxes = [...axis.querySelectorAll("text")]
            .filter((text) => getComputedStyle(text).opacity !== "0" && text.textContent)
            .map((text) => text.getBoundingClientRect());
          const rows = boxes.every((box) => Math.abs(box.top - boxes[0].top) < 2);
          if (!rows) return [];
          boxes.sort((one, other) => one.left - other.left);
          return boxes.slice(1).map((box, place) => box.left - boxes[place].right);
        })"""
    )
    assert len(gaps) > 30
    assert min(gaps) >= 5


def test_it_prints(opened: Any, small: Path) -> None:
    page = opened(small, scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert not page.locator(".dt-layout-row:not(.dt-layout-table)").first.is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("#groups-table tbody tr").count() == 24
    page.set_viewport_size({"width": 720, "height": 1000})
    for drawing in page.locator(".drawing svg.marks").all():
        assert drawing.bounding_box()["width"] <= 720
    assert page.pdf()[:5] == b"%PDF-"


def test_the_numbers_need_no_scripts(browser: Browser, small: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(small.as_uri())
    assert page.locator("noscript, p", has_text="need JavaScript").first.is_visible()
    assert page.locator("table.static").first.is_visible()
    words = page.locator("body").inner_text()
    assert "notebook" not in words
    assert "ITables" not in words
    context.close()


def test_the_table_writes_numbers_as_the_rest_of_the_page(opened: Any, tmp_path: Path) -> None:
    rows = pl.LazyFrame({"g": [0.5, math.inf, -math.inf] * 8, "y": [0] * 12 + [1] * 12, "s": range(24)})
    report = pa.report(rows, "y", "s", by="g").collect()
    written = {0.5: 8.2e-5, math.inf: math.inf, -math.inf: -math.inf}
    report = report.with_columns(ks=pl.col("g").replace_strict(written, default=-4.186e-5))
    page = opened(pa.write_report(report, tmp_path / "r.html", columns=["ks"]))
    body = page.locator("#groups-table tbody tr")
    cells = {tuple(row.locator("td").all_inner_texts()) for row in body.all()}
    assert cells == {("0.5", "s", "0.0000820"), ("inf", "s", "inf"), ("-inf", "s", "-inf")}
    assert "-0.0000419" in page.locator("#all-rows").inner_text()
