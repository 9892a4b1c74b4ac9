"""Printed pages on A4 and Letter, in portrait format, without cut content."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pypdfium2 as pdfium
import pytest

from polars_auc._commands.main import main

DATA = Path(__file__).parents[2] / "data"
SCORES = ["--score=logistic", "--score=forest", "--score=tree"]
OPTIONS = ["--by", "dataset", "--by", "segment", "--compare", "--stability", "fold % 2 = 0"]
REPORT = ["report", str(DATA), "--label", "label", *SCORES, *OPTIONS, "--quiet"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write reports of few columns, of many, and of long names."""
    folder = tmp_path_factory.mktemp("pages")
    earlier = folder / "earlier.parquet"
    assert main([*REPORT, "--where", "fold < 5", "-o", str(earlier)]) == 0
    change_options = ["--versus", "rest", "--compare-to", str(earlier)]
    long = "a name of some words "
    rows = pl.read_parquet(DATA / "*.parquet").with_columns(long * 3 + pl.col("segment"))
    rows.with_columns(pl.lit("n" * 300).alias("dataset")).write_parquet(folder / "long.parquet")
    commands = {
        "changes": [*REPORT, *change_options],
        "wide": [*REPORT, *change_options, "--wide"],
        "long": ["report", str(folder / "long.parquet"), *REPORT[2:]],
    }
    for name, command in commands.items():
        assert main([*command, "-o", str(folder / f"{name}.html")]) == 0
    return {name: folder / f"{name}.html" for name in commands}


def words(page: Any) -> Iterator[tuple[str, float, float]]:
    """Return the words of a printed page with their positions."""
    text = page.get_textpage()
    whole = text.get_text_range()
    for found in re.finditer(r"\S+", whole):
        boxes = [text.get_charbox(place) for place in range(found.start(), found.end())]
        yield found.group(), min(box[0] for box in boxes), max(box[2] for box in boxes)


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("name", ["changes", "wide", "long"])
def test_no_head_is_cut(opened: Any, pages: dict[str, Path], name: str, paper: str) -> None:
    page = opened(pages[name])
    heads = [head.strip() for head in page.locator("#groups-table thead th").all_inner_texts()]
    n_rows = page.locator("#groups-table tbody tr").count()
    document = pdfium.PdfDocument(io.BytesIO(page.pdf(format=paper)))
    printed, expected = "", ""
    for sheet in document:
        width = sheet.get_width()
        for word, start, end in words(sheet):
            assert start >= 20, word
            assert end <= width - 20, word
        expected = sheet.get_textpage().get_text_range()
        printed += re.sub(r"\s", "", expected)
    assert all(head.replace(" ", "") in printed for head in heads)
    assert {"psi", "delta_auc_p_adjusted"} < set(heads)
    assert name == "long" or {"change", "change_p_adjusted", "p_adjusted"} < set(heads)
    assert n_rows == (12 if name == "long" else 24)
    # After printing, the page is unchanged.
    assert page.locator("#groups-paper table").count() == 0
    assert page.locator("#groups-table").is_visible()


def last_line(sheet: Any) -> tuple[str, float]:
    """Return the last line of a printed page, and its end as a share of the page height."""
    text = sheet.get_textpage()
    letters = [
        (text.get_charbox(place)[1], letter)
        for place, letter in enumerate(text.get_text_range())
        if place < text.count_chars() and not letter.isspace()
    ]
    lowest = min(bottom for bottom, _ in letters)
    line = "".join(letter for bottom, letter in letters if bottom < lowest + 5)
    return line, lowest / sheet.get_height()


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write reports of many groups and of many periods, with one score and with three."""
    folder = tmp_path_factory.mktemp("long")
    n = 4800
    rows = pl.DataFrame({"g": [f"g{row % 120}" for row in range(n)], "s": range(n)})
    rows = rows.with_columns(t=pl.col("s") * 7919 % n, u=pl.col("s") * 31 % 997)
    rows = rows.with_columns(
        y=pl.col("s") // 120 * 7 % 3 == 0, h=pl.lit("h") + (pl.col("s") % 5).cast(pl.String)
    )
    months = [f"20{20 + month // 12}-{1 + month % 12:02}" for month in range(24)]
    rows = rows.with_columns(month=pl.Series(months * (n // 24)))
    rows.write_parquet(folder / "rows.parquet")
    base = ["report", str(folder / "rows.parquet"), "--label", "y", "--quiet", "--score", "s"]
    three = [*base, "--score", "t", "--score", "u"]
    commands = {
        "one": [*base, "--by", "g"],
        "three": [*three, "--by", "g"],
        "periods": [*three, "--by", "month", "--by", "h"],
    }
    for name, command in commands.items():
        assert main([*command, "-o", str(folder / f"{name}.html")]) == 0
    return {name: folder / f"{name}.html" for name in commands}


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("name", ["one", "three", "periods", "changes", "wide"])
def test_no_page_is_half_empty_and_no_heading_ends_one(
    opened: Any, pages: dict[str, Path], long: dict[str, Path], name: str, paper: str
) -> None:
    """A chart of many groups or panels has parts: the first is on the page of its heading."""
    page = opened({**pages, **long}[name])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    headings = {re.sub(r"\s", "", text) for text in page.locator("h2, h3, summary").all_inner_texts()}
    document = pdfium.PdfDocument(io.BytesIO(page.pdf(format=paper)))
    sheets = list(document)
    for number, sheet in enumerate(sheets[:-1], 1):
        line, end = last_line(sheet)
        assert line not in headings, number
        assert end < 0.5, (number, line)
    if name in ("one", "three"):
        printed = " ".join(sheet.get_textpage().get_text_range() for sheet in sheets).split()
        assert sum(word.startswith("g") and word[1:].isdigit() for word in printed) >= 60 + 120
        assert "dashed" in printed


@pytest.mark.parametrize("name", ["changes", "three"])
def test_no_table_begins_on_the_page_before_its_rows(
    opened: Any, pages: dict[str, Path], long: dict[str, Path], name: str
) -> None:
    page = opened({**pages, **long}[name])
    heads = {
        re.sub(r"\s", "", "".join(table.locator("th").all_inner_texts()))
        for table in page.locator("table").all()
    }
    for sheet in pdfium.PdfDocument(io.BytesIO(page.pdf(format="A4"))):
        assert last_line(sheet)[0] not in heads


def test_letters_on_paper_can_be_read(opened: Any, pages: dict[str, Path]) -> None:
    """A table with too many columns is printed in parts, and each part repeats the names."""
    page = opened(pages["wide"])
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    parts = page.locator("#groups-paper table")
    assert parts.count() >= 3
    for part in parts.all():
        heads = [head.strip() for head in part.locator("th").all_inner_texts()]
        assert heads[:3] == ["dataset", "segment", "score"]
        assert part.locator("tbody tr").count() == 24
        size = part.evaluate("(table) => parseFloat(getComputedStyle(table).fontSize)")
        assert size >= 5.9
