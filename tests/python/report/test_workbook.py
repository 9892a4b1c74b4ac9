"""Excel workbooks, and tables of commands as Markdown pages."""

from __future__ import annotations

import re
from pathlib import Path
from zipfile import ZipFile

import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main

DATA = Path(__file__).parents[3] / "data" / "breast_cancer.parquet"
COMPARE_COLUMNS = [
    "- Intervals: 95 %, by wilson",
    "- Adjustment of p-values: holm over all tests in a column: all groups and all pairs of scores",
]
FILES_AND_COLUMNS = [str(DATA), "--label", "label", "--score", "forest", "--score", "tree", "--by", "segment"]


class Sheets:
    """Return the contents of a workbook's XML."""

    def __init__(self, file: Path) -> None:
        with ZipFile(file) as parts:
            files = {name: parts.read(name).decode() for name in parts.namelist()}
        self.names = re.findall(r'<sheet name="([^"]*)"', files["xl/workbook.xml"])
        self.sheets = {
            name: files[f"xl/worksheets/sheet{number}.xml"] for number, name in enumerate(self.names, 1)
        }
        self.about = self.sheets["about"]
        # The sheet with all columns, if another one shows the main columns first.
        self.table = self.sheets.get("all columns", self.sheets["polars-auc"])
        self.styles = files["xl/styles.xml"]
        self.filters = files["xl/tables/table1.xml"]
        texts = re.findall(r"<si>(.*?)</si>", files["xl/sharedStrings.xml"], re.DOTALL)
        self.texts = ["".join(re.findall(r"<t[^>]*>(.*?)</t>", text, re.DOTALL)) for text in texts]

    def cells(self, sheet: str) -> dict[str, str]:
        """Return the text of each text cell."""
        found = re.findall(r'<c r="(\w+)"[^>]*t="s"[^>]*><v>(\d+)</v>', sheet)
        return {place: self.texts[int(number)] for place, number in found}

    def pairs(self) -> list[tuple[str, str]]:
        """Return the lines of the sheet with the description of the table."""
        cells = self.cells(self.about)
        last = max(int(place[1:]) for place in cells)
        return [(cells[f"A{row}"], cells.get(f"B{row}", "")) for row in range(1, last + 1)]


def test_a_report(tmp_path: Path) -> None:
    out = tmp_path / "r.xlsx"
    assert (
        main(
            [
                "report",
                *FILES_AND_COLUMNS,
                "--versus",
                "rest",
                "--where",
                "fold > 0",
                "--quiet",
                "-o",
                str(out),
            ]
        )
        == 0
    )
    sheets = Sheets(out)
    assert sheets.names == ["summary", "polars-auc", "all columns", "about"]
    heads = [sheets.cells(sheets.table)[f"{column}1"] for column in "ABCD"]
    assert heads == ["scope", "segment", "score", "n"]
    # The header and the names are frozen; columns have filters and widths.
    assert 'xSplit="3" ySplit="1" topLeftCell="D2"' in sheets.table
    assert "<autoFilter" in sheets.filters
    widths = re.findall(r'<col min="\d+" max="\d+" width="([\d.]+)"', sheets.table)
    assert len(set(widths)) > 3
    assert all(8 < float(width) < 50 for width in widths)
    assert "[&lt;0.0001]" in sheets.styles
    assert 'formatCode="0.0000"' in sheets.styles
    columns = pa.report(
        pl.scan_parquet(DATA), "label", "forest", by="segment", versus="rest"
    ).collect_schema()
    letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[columns.names().index("p_adjusted")]
    assert f"AND(ISNUMBER({letter}2),{letter}2&lt;=0.05)" in sheets.table
    assert '$A2="overall"' in sheets.table.replace("&quot;", '"')
    pairs = sheets.pairs()
    about = dict(pairs)
    assert about["Data"].startswith("1 file, last changed on ")
    assert about["Rows"] == "where fold &gt; 0"
    assert about["Shaded"] == (
        "a difference at level 0.05, after the adjustment over all tests in its column"
    )
    assert about["Created by"] == f"polars-auc {pa.__version__}"
    for option in (("--score", "forest"), ("--score", "tree"), ("--versus", "rest"), ("--level", "0.95")):
        assert option in pairs


def test_a_report_of_python(tmp_path: Path) -> None:
    report = pa.report(pl.scan_parquet(DATA), "label", "forest", by="segment")
    path = pa.write_report(report, tmp_path / "r.xlsx", about={"Data": "one file"})
    pairs = Sheets(path).pairs()
    assert pairs[0] == ("Data", "one file")
    assert ("Created by", f"polars-auc {pa.__version__}") in pairs


def test_a_report_for_a_committee(tmp_path: Path) -> None:
    """The first sheet is the report, and the next one has few columns: each is a page wide."""
    arguments = ["report", *FILES_AND_COLUMNS, "--versus", "rest", "--stability", "fold < 5", "--quiet"]
    gates = ["--fail-if", "auc < 0.5", "--fail-if", "lower < 0.99"]
    assert main([*arguments, *gates, "-o", str(tmp_path / "r.xlsx")]) == 1
    sheets = Sheets(tmp_path / "r.xlsx")
    words = [text for text in sheets.cells(sheets.sheets["summary"]).values() if text]
    assert words[:2] == ["ROC report", "Findings"]
    assert any(text.startswith("AUC of all rows: forest 0.") for text in words)
    place = words.index("Checks")
    assert words[place + 1 : place + 4 : 2] == ["passed", "failed"]
    assert words[words.index("All rows") + 1 :][:5] == ["score", "n", "n_pos", "auc", "lower"]
    assert words[words.index("About") + 1] == "Data"
    for name in ("summary", "polars-auc", "about"):
        assert "<pageSetup" in sheets.sheets[name]
        assert 'fitToHeight="0"' in sheets.sheets[name], name
    # Wide tables print on several pages, each with the names.
    assert 'scale="60"' in sheets.sheets["all columns"]
    chosen = ["--columns", "gini,n,auc"]
    assert main([*arguments, *chosen, "-o", str(tmp_path / "c.xlsx")]) == 0
    sheets = Sheets(tmp_path / "c.xlsx")
    assert sheets.names == ["summary", "polars-auc", "about"]
    heads = [
        text for place, text in sheets.cells(sheets.table).items() if place.endswith("1") and len(place) == 2
    ]
    assert heads == ["scope", "segment", "score", "gini", "n", "auc"]
    # Headings of numbers are right-aligned, like the numbers.
    rights = re.findall(r'<xf (?:(?!</xf>).)*?<alignment horizontal="right" indent="2"/></xf>', sheets.styles)
    assert len(rights) == 1
    styles = dict(re.findall(r'<c r="(\w1)" s="(\d+)"', sheets.table))
    assert styles["D1"] == styles["E1"] == styles["F1"] != styles["C1"]
    assert main([*arguments, "--wide", "-o", str(tmp_path / "w.xlsx")]) == 0
    names = Sheets(tmp_path / "w.xlsx").names
    assert names[:2] == ["summary", "polars-auc"]


def test_infinite_numbers_are_words(tmp_path: Path) -> None:
    report = pa.report(pl.scan_parquet(DATA), "label", "forest", by="segment").collect()
    report = report.with_columns(ks=pl.Series([float("inf"), float("nan"), None, 0.5, 0.25]))
    sheets = Sheets(pa.write_report(report, tmp_path / "r.xlsx", columns=["ks"]))
    assert [sheets.cells(sheets.table).get(f"D{row}") for row in range(2, 7)] == [
        "inf",
        "NaN",
        None,
        None,
        None,
    ]


def test_years_and_texts_stay_what_they_are(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {"year": [2016, 2017] * 4, "g": ["null", "=1+1"] * 4, "y": [0, 0, 1, 1] * 2, "s": range(8)}
    )
    rows = pl.concat([rows, rows.with_columns(g=None)])
    report = pa.report(rows.lazy(), "y", "s", by=["year", "g"])
    sheets = Sheets(pa.write_report(report, tmp_path / "r.xlsx"))
    cells = sheets.cells(sheets.table)
    assert [cells.get(f"C{row}") for row in range(2, 7)] == ["null", "null", "=1+1", "null", None]
    assert [cells[f"A{row}"] for row in range(2, 7)] == ["group"] * 4 + ["overall"]
    assert "<f>" not in sheets.table
    style = re.search(r'<c r="B2" s="(\d+)"><v>2016</v>', sheets.table)
    general = re.search(r'<c r="B2"><v>2016</v>', sheets.table)
    formats = re.findall(r'<xf numFmtId="(\d+)"', sheets.styles.partition("<cellXfs")[2])
    assert general or (style and formats[int(style[1])] == "0"), "no commas in years"


def test_years_of_sql_have_no_commas(tmp_path: Path) -> None:
    out = tmp_path / "t.xlsx"
    by = ["--by", "2000 + fold AS year"]
    assert main(["gains", *FILES_AND_COLUMNS[:5], *by, "--quiet", "-o", str(out)]) == 0
    sheets = Sheets(out)
    assert sheets.cells(sheets.table)["A1"] == "year"
    style = re.search(r'<c r="A2"(?: s="(\d+)")?><v>2001</v>', sheets.table)
    assert style is not None
    formats = re.findall(r'<xf numFmtId="(\d+)"', sheets.styles.partition("<cellXfs")[2])
    assert style[1] is None or formats[int(style[1])] == "0"


@pytest.mark.parametrize("command", ["gains", "thresholds", "compare", "curve"])
@pytest.mark.parametrize("ending", [".xlsx", ".md"])
def test_tables_of_all_commands(tmp_path: Path, command: str, ending: str) -> None:
    out, table = tmp_path / f"t{ending}", tmp_path / "t.parquet"
    quiet = [] if command == "curve" else ["--quiet"]
    options = ["--max-points", "9"] if command == "curve" else []
    for file in (out, table):
        assert (
            main([command, *FILES_AND_COLUMNS, "--where", "fold <> 3", *options, *quiet, "-o", str(file)])
            == 0
        )
    rows = pl.read_parquet(table)
    if ending == ".xlsx":
        sheets = Sheets(out)
        assert sheets.names == ["polars-auc", "about"]
        assert ("Scores", "forest, tree") in sheets.pairs()
        assert (("Intervals", "95 %, by wilson") in sheets.pairs()) == (command == "compare")
        assert ("Rows", "where fold &lt;&gt; 3") in sheets.pairs()
        assert sheets.table.count("<row ") == rows.height + 1
        assert ("AND(ISNUMBER" in sheets.table) == (rows.select(pl.selectors.float()).width > 0)
        return
    title, about, page = out.read_text(encoding="utf-8").strip().split("\n\n", maxsplit=2)
    titles = {"gains": "Gains", "thresholds": "Thresholds", "compare": "Comparison of scores"}
    assert title == f"# {titles.get(command, 'Points of ROC curves')}"
    assert about.splitlines()[1:] == [
        "- Label: `label`",
        "- Scores: `forest`, `tree`",
        "- Groups: by `segment`",
        "- Rows: where `fold <> 3`",
        *([] if command != "compare" else COMPARE_COLUMNS),
    ]
    if command == "compare":
        page, note = page.split("\n\n")
        assert note == r"\* a difference at level 0.05, after the adjustment over all tests in its column"
        assert page.count(r"\*") == rows.filter(pl.col("p_adjusted") <= 0.05).height > 0
    header, _, *body = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()]
    assert header == rows.columns
    assert len(body) == rows.height
    assert body[0][header.index("segment")] == "Q1"


def test_the_same_rows_make_the_same_bytes(tmp_path: Path) -> None:
    for ending in (".xlsx", ".md"):
        files = []
        for name in ("a", "b"):
            out = tmp_path / f"{name}{ending}"
            assert main(["gains", *FILES_AND_COLUMNS, "--quiet", "-o", str(out)]) == 0
            files.append(out.read_bytes())
        assert files[0] == files[1]


@pytest.mark.parametrize("command", ["report", "gains"])
def test_null_and_no_word_and_the_word_null_differ(tmp_path: Path, command: str) -> None:
    groups = ["null", "", None]
    rows = pl.DataFrame({"g": groups * 4, "y": [0] * 6 + [1] * 6, "s": range(12)})
    rows.write_parquet(tmp_path / "rows.parquet")
    out = tmp_path / "r.xlsx"
    arguments = [str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--by", "g", "--quiet"]
    assert main([command, *arguments, "-o", str(out)]) == 0
    sheets = Sheets(out)
    column = "B" if command == "report" else "A"
    texts = [
        (text, style)
        for row, style, text in re.findall(
            rf'<c r="{column}(\d+)"(?: s="(\d+)")? t="s"><v>(\d+)</v>', sheets.table
        )
        if int(row) > 1
        for text in [sheets.texts[int(text)]]
    ]
    kinds = set(texts)
    assert len(kinds) == 3
    assert {text for text, _ in kinds} == {"", "null"}


def test_all_values_of_a_column_are_not_null(tmp_path: Path) -> None:
    """Keys over all values, in overall rows or other groupings, are empty cells."""
    rows = pl.LazyFrame({"g": ["a", None] * 4, "h": ["b"] * 8, "y": [0, 0, 1, 1] * 2, "s": range(8)})
    report = pa.report(rows, "y", "s", by=["g", "h"], groupings="each").collect()
    cells = Sheets(pa.write_report(report, tmp_path / "r.xlsx"))
    texts = cells.cells(cells.table)
    assert [texts.get(f"B{row}") for row in range(2, 6)] == ["a", "null", None, None]
