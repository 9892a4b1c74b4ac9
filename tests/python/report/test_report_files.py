"""Machine-readable files of a report.

``python tests/python/report/test_report_files.py`` writes the table of columns of the docs.
"""

from __future__ import annotations

import inspect
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc._commands.main import main
from polars_auc._page.write import VERSION, VERSION_KEY
from polars_auc._report.columns import RESERVED

PAGE = Path(__file__).parents[3] / "docs" / "files-of-a-report.md"

COLUMNS = {
    name: dtype
    for names, dtype in re.findall(
        r"^\| (`[^|]+`) \| (\w+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    for name in re.findall(r"`(\w+)`", names)
}


MARK = "<!-- tests/python/report/test_report_files.py writes this table"
OPTIONS = {"memory": "--bounded", "nan": "--nan skip", "state": "--from-states"}
"""Options of columns whose names in the shell differ."""


def table() -> str:
    """Return the columns of ``report`` and ``compare_reports`` as a table, by their docstrings."""
    lines = ["| column | type | when | meaning |", "|---|---|---|---|"]
    for function, when in ((pa.report, "always"), (pa.compare_reports, "`--compare-to`")):
        section = (inspect.getdoc(function) or "").split("\nReturns\n")[1].split("\nNotes\n")[0]
        for item in re.findall(r"^    - (.*(?:\n      .*)*)", section, re.MULTILINE):
            text = " ".join(item.split())
            columns, dtype, options, meaning = re.findall(
                r"^(.*?) \(([\w ]+)\)(?:, with (.*?))?: (.*)$", text
            )[0]
            flags = [OPTIONS.get(name, f"--{name}") for name in re.findall(r"``(\w+)", options)]
            first, *further = re.split(r"(?<=\.)\s", meaning)
            phrases = [first, *(f"null{each[4:]}" for each in further if each.startswith("Null "))]
            cell = "; ".join(each.removesuffix(".") for each in phrases)
            cells = (columns, dtype, ", ".join(f"`{flag}`" for flag in flags) or when, cell)
            lines.append(f"| {' | '.join(markdown(each) for each in cells)} |")
    return "\n".join(lines)


def markdown(text: str) -> str:
    """Return text of a docstring with functions as links."""
    reference = PAGE.parent / "reference"
    pages = {
        name: path.name
        for path in reference.glob("*.md")
        for name in re.findall(r"^## (\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    linked = re.sub(
        r":func:`polars_auc\.(\w+)`",
        lambda name: f"[`{name[1]}`](reference/{pages[name[1]]}#{name[1]})",
        text,
    )
    return linked.replace("``", "`")


def page() -> str:
    """Return the page with its table of columns."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    mark, _, rest = rest.partition("\n")
    return f"{head}{MARK}{mark}\n\n{table()}\n\n{rest[rest.index('### ') :]}"


def test_the_page_has_the_columns_of_the_docstrings() -> None:
    """Test the page; running this file rewrites it."""
    assert PAGE.read_text(encoding="utf-8") == page()


def rows() -> pl.DataFrame:
    return fixed(3000).with_columns(
        g=pl.col("g") % 5, other=-pl.col("score"), fold=pl.int_range(pl.len()) % 4
    )


def test_the_page_has_all_columns() -> None:
    assert set(COLUMNS) == set(RESERVED)


@pytest.mark.parametrize("several", [False, True])
def test_the_page_has_their_types(several: bool) -> None:
    options: dict[str, Any] = {"groupings": "each"} if several else {"versus": "rest"}
    options |= {"compare": True, "folds": "fold", "stability": pl.col("fold") < 2}
    report = pa.report(rows(), "label", ["score", "other"], by="g", **options)
    schema = pa.compare_reports(report, report).collect_schema()
    bounded = pa.report(rows(), "label", "score", by="g", memory="bounded").collect_schema()
    found = {name: str(dtype) for name, dtype in {**schema, **bounded}.items() if name != "g"}
    assert found == {name: COLUMNS[name] for name in found}


def test_both_files_have_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows().with_columns(y=pl.col("label").cast(pl.Int8)).write_parquet("rows.parquet")
    arguments = ["report", "rows.parquet", "--label", "y", "--score", "score", "--by", "g", "--quiet", "-o"]
    for name in ("out.parquet", "out.json"):
        assert main([*arguments, name]) == 0
    assert f"This is version {VERSION}." in PAGE.read_text(encoding="utf-8")
    assert pl.read_parquet_metadata("out.parquet")[VERSION_KEY] == str(VERSION)
    written = json.loads(Path("out.json").read_text(encoding="utf-8"))
    table = pl.read_parquet("out.parquet")
    assert written["report"] == VERSION
    assert [list(row) for row in written["rows"]] == [table.columns] * table.height
    assert [row["auc"] for row in written["rows"]] == table["auc"].fill_nan(None).to_list()
    before = Path("out.json").read_bytes(), Path("out.parquet").read_bytes()
    for name in ("out.parquet", "out.json"):
        assert main([*arguments, name]) == 0
    assert (Path("out.json").read_bytes(), Path("out.parquet").read_bytes()) == before


KEYS: dict[str, tuple[list[Any], list[str]]] = {
    "duration": ([timedelta(hours=1), timedelta(days=2)], ["1h", "2d"]),
    "binary": ([b"a", b"\xff"], ["a", "0xff"]),
    "list": ([[1, None], [2]], ["[1, null]", "[2]"]),
    "bytes in a list": ([[b"a"], [b"\xff"]], ["[a]", "[0xff]"]),
    "bytes in a struct": ([{"k": b"a"}, {"k": b"\xff"}], ["{a}", "{0xff}"]),
}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("ending", ["csv", "json", "md", "html", "xlsx", "parquet"])
def test_groups_of_any_dtype_are_written(tmp_path: Path, kind: str, ending: str) -> None:
    values, texts = KEYS[kind]
    keys = pl.Series("key", [value for value in values for _ in range(20)])
    frame = pl.DataFrame({"y": [0, 1] * 20, "s": [row % 7 for row in range(40)]}).with_columns(keys)
    report = pa.report(frame, "y", "s", by="key")
    file = tmp_path / f"report.{ending}"
    pa.write_report(report, file)
    if ending == "csv":
        assert pl.read_csv(file)["key"].to_list()[:2] == texts
    if ending == "json" and kind.startswith("b"):
        assert [row["key"] for row in json.loads(file.read_text())["rows"]][:2] == texts
    if ending == "parquet":
        assert pl.read_parquet(file)["key"].to_list()[:2] == values
    if ending == "html" and kind in ("duration", "binary"):
        pa.write_report(report, file, frame=frame, label="y", scores="s")
        assert file.stat().st_size > 10_000


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
