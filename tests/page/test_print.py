"""Pages on paper: of A4 and of Letter, upright, with nothing cut."""

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
ASKED = ["--by", "dataset", "--by", "segment", "--compare", "--stability", "fold % 2 = 0"]
REPORT = ["report", str(DATA), "--label", "label", *SCORES, *ASKED, "--quiet"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write reports of few columns, of many, and of long names."""
    folder = tmp_path_factory.mktemp("pages")
    earlier = folder / "earlier.parquet"
    assert main([*REPORT, "--where", "fold < 5", "-o", str(earlier)]) == 0
    of_changes = ["--versus", "rest", "--compare-to", str(earlier)]
    long = "a name of some words "
    rows = pl.read_parquet(DATA / "*.parquet").with_columns(long * 3 + pl.col("segment"))
    rows.with_columns(pl.lit("n" * 300).alias("dataset")).write_parquet(folder / "long.parquet")
    made = {
        "changes": [*REPORT, *of_changes],
        "wide": [*REPORT, *of_changes, "--wide"],
        "long": ["report", str(folder / "long.parquet"), *REPORT[2:]],
    }
    for name, command in made.items():
        assert main([*command, "-o", str(folder / f"{name}.html")]) == 0
    return {name: folder / f"{name}.html" for name in made}


def words(page: Any) -> Iterator[tuple[str, float, float]]:
    """Return the words of a printed page, and where each begins and ends."""
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
    printed, said = "", ""
    for sheet in document:
        width = sheet.get_width()
        for word, start, end in words(sheet):
            assert start >= 20, word
            assert end <= width - 20, word
        said = sheet.get_textpage().get_text_range()
        printed += re.sub(r"\s", "", said)
    assert all(head.replace(" ", "") in printed for head in heads)
    assert {"psi", "delta_auc_p_adjusted"} < set(heads)
    assert name == "long" or {"change", "change_p_adjusted", "p_adjusted"} < set(heads)
    assert n_rows == (12 if name == "long" else 24)
    # Afterwards the page is as it was.
    assert page.locator("#groups-paper table").count() == 0
    assert page.locator("#groups-table").is_visible()


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("scores", [["s"], ["s", "t"]])
def test_no_heading_is_alone_on_a_page(opened: Any, tmp_path: Path, scores: list[str], paper: str) -> None:
    """A chart of many groups is as high as a page, and its heading stands above it."""
    n = 2400
    rows = pl.DataFrame({"g": [f"g{row % 120}" for row in range(n)], "s": range(n)})
    rows = rows.with_columns(t=pl.col("s") * 7919 % n, y=pl.col("s") // 120 * 7 % 3 == 0)
    rows.write_parquet(tmp_path / "rows.parquet")
    asked = ["--label", "y", *(f"--score={score}" for score in scores), "--by", "g", "--quiet"]
    file = tmp_path / "many.html"
    assert main(["report", str(tmp_path / "rows.parquet"), *asked, "-o", str(file)]) == 0
    document = pdfium.PdfDocument(io.BytesIO(opened(file).pdf(format=paper)))
    sheets = [sheet.get_textpage().get_text_range() for sheet in document]
    [of_groups] = [sheet.split() for sheet in sheets if "Groups" in sheet.splitlines()]
    # The chart is on the page of its heading, and its caption as well.
    assert "dashed" in of_groups
    assert sum(word.startswith("g") and word[1:].isdigit() for word in of_groups) >= 60


def test_letters_on_paper_can_be_read(opened: Any, pages: dict[str, Path]) -> None:
    """A table of more columns than fit is printed in parts, and each row has its names in each part."""
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
