"""Reports as files, from Python and from the shell."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._commands.main import main
from report.test_workbook import Sheets

DATA = Path(__file__).parents[3] / "data" / "breast_cancer.parquet"


def report() -> pl.LazyFrame:
    return pa.report(pl.scan_parquet(DATA), "label", ["forest", "tree"], by="segment", versus="rest")


def shell_page(output: Path, *options: str) -> bytes:
    rows = [str(DATA), "--label", "label", "--score", "forest", "--score", "tree", "--by", "segment"]
    assert main(["report", *rows, "--versus", "rest", "--quiet", *options, "-o", str(output)]) == 0
    return output.read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet", ".xlsx"])
def test_tables_are_those_of_the_shell(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"report{ending}"
    pa.write_report(report(), path)
    shell = shell_page(tmp_path / f"shell{ending}")
    if ending == ".xlsx":
        # The shell adds metadata of the report, on other sheets.
        ours, theirs = Sheets(path), Sheets(tmp_path / "shell.xlsx")
        assert ours.cells(ours.table) == theirs.cells(theirs.table)
        numbers = [
            re.findall(r'<c r="(\w+)"[^>]*><v>(.*?)</v>', re.sub(r'<c [^>]*t="s".*?</c>', "", book.table))
            for book in (ours, theirs)
        ]
        assert numbers[0] == numbers[1]
        assert len(numbers[0]) > 50
    else:
        assert path.read_bytes() == shell
    if ending == ".parquet":
        assert_frame_equal(pl.read_parquet(path), report().collect())


def test_pages_have_what_those_of_the_shell_have(tmp_path: Path) -> None:
    for ending in (".md", ".html"):
        path = tmp_path / f"report{ending}"
        rows: dict[str, Any] = {
            "frame": pl.scan_parquet(DATA),
            "label": "label",
            "scores": ["forest", "tree"],
        }
        pa.write_report(report(), path, **rows, title="Loans", about={"Data": "one file"})
        text = path.read_text(encoding="utf-8")
        shell = shell_page(tmp_path / f"shell{ending}", "--title", "Loans").decode()
        # Only the lines about the report differ.
        if ending == ".md":
            table = shell[shell.index("\n\n|") :]
            group_tables = [
                line
                for line in shell.splitlines()
                if line.startswith(("- Test that all groups", "- Mean AUC within groups"))
            ]
            assert len(group_tables) == 2
            assert text == "\n".join(["# Loans", "", *group_tables, f"- Data: one file{table}"])
        else:
            assert text[text.index("<section") :] == shell[shell.index("<section") :]


def test_a_page_without_rows_has_no_curves(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    pa.write_report(report(), str(path), columns=["n", "auc"])
    page = path.read_text(encoding="utf-8")
    assert 'href="#curves"' not in page
    assert 'href="#groups"' in page


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({"weight": "w"}, ["--weight", "w"]),
        ({"cluster": "w"}, ["--cluster", "w"]),
        ({"count": "w"}, ["--count", "w"]),
        ({"stability": pl.col("fold") < 4}, ["--stability", "fold < 4"]),
        ({"low_is_positive": True, "nan": "skip"}, ["--low-is-positive", "--nan", "skip"]),
    ],
)
def test_options_of_the_report(tmp_path: Path, options: dict[str, Any], flags: list[str]) -> None:
    frame = pl.read_parquet(DATA).with_columns(w=pl.int_range(pl.len()) % 3 + 1)
    if "nan" in options:
        frame = frame.with_columns(pl.when(pl.col("w") > 1).then("forest").otherwise(float("nan")))
    frame.write_parquet(tmp_path / "rows.parquet")
    table = pa.report(frame.lazy(), "label", "forest", by="segment", **options)
    path, shell = tmp_path / "report.html", tmp_path / "shell.html"
    pa.write_report(table, path, frame=frame, label="label", scores="forest", **options)
    arguments = ["--label", "label", "--score", "forest", "--by", "segment", *flags, "--quiet"]
    assert main(["report", str(tmp_path / "rows.parquet"), *arguments, "-o", str(shell)]) == 0
    written, expected = (file.read_text(encoding="utf-8") for file in (path, shell))
    assert written[written.index("<section") :] == expected[expected.index("<section") :]
    assert ("reference_<wbr>share" in written) == ("stability" in options)
    assert ("if its score is at most" in written) == ("low_is_positive" in options)


NANS = pl.scan_parquet(DATA).with_columns(
    forest=pl.when(pl.col("segment") == "Q2").then(float("nan")).otherwise("forest")
)
SKIPPED = "No curve, distribution, gains and thresholds of all rows, because of NaN: forest"


def test_a_page_reports_nan_of_its_rows(tmp_path: Path) -> None:
    """The report skipped NaN, but the option of the page is missing."""
    table = pa.report(NANS, "label", ["forest", "tree"], by="segment", nan="skip")
    path = tmp_path / "report.html"
    options: dict[str, Any] = {"frame": NANS, "label": "label", "scores": ["forest", "tree"]}
    pa.write_report(table, path, **options)
    page = html.unescape(path.read_text(encoding="utf-8"))
    n = NANS.filter(pl.col("forest").is_nan(), pl.col("label").is_not_null()).collect().height
    assert f"The score 'forest' is NaN in {n} rows of the group segment=Q2." in page
    assert 'nan="skip" takes NaN for missing' in page
    assert SKIPPED in page
    pa.write_report(table, path, **options, nan="skip")
    page = html.unescape(path.read_text(encoding="utf-8"))
    assert "The score 'forest' is NaN" not in page
    assert SKIPPED not in page


@pytest.mark.parametrize("ending", [".html", ".md"])
@pytest.mark.parametrize("has_rows", [False, True])
def test_a_file_reports_nan_of_the_report(tmp_path: Path, ending: str, has_rows: bool) -> None:
    path = tmp_path / f"report{ending}"
    with pytest.warns(UserWarning, match="the score 'forest' is NaN"):
        table = pa.report(NANS, "label", ["forest", "tree"], by="segment").collect()
    options: dict[str, Any] = {"frame": NANS, "label": "label", "scores": ["forest", "tree"]}
    pa.write_report(table, path, **(options if has_rows else {}))
    n = NANS.filter(pl.col("forest").is_nan(), pl.col("label").is_not_null()).collect().height
    text = html.unescape(path.read_text(encoding="utf-8"))
    assert f"he score 'forest' is NaN in {f'{n} rows' if has_rows else 'some rows'} of the group" in text
    assert (SKIPPED in text) == (has_rows and ending == ".html")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "report.txt"}, "write_report: path must end in .parquet, .csv, .json, .xlsx, .md, .html"),
        ({"path": "none/report.md"}, "write_report: path is in 'none', which is not a folder"),
        ({"level": 2}, "write_report: level must lie between 0 and 1"),
        ({"columns": ["x"]}, "write_report: columns has the unknown column 'x'; expected one of n, n_pos"),
        (
            {"path": "report.csv", "title": "A"},
            "write_report: title is of a page. Hint: end path in .html or .md",
        ),
        ({"title": "a\nb"}, "write_report: title must be text of one line"),
        ({"title": 5}, "write_report: title must be text of one line, got 5"),
        ({"about": "abc"}, "write_report: about must be texts by name"),
        ({"about": {"a": "x\n# y"}}, "write_report: about must be texts of one line each"),
        ({"path": None}, "write_report: path must be a path, got None"),
        ({"path": "x\0.md"}, "write_report: path must be a path"),
        ({"count": "n", "weight": "n"}, "write_report: count cannot be combined with weight"),
        ({"stability": "n"}, "write_report: stability is about the rows of frame. Hint: give frame"),
        ({"low_is_positive": True}, "write_report: low_is_positive is about the rows of frame"),
        ({"nan": "ignore"}, "write_report: nan must be 'skip', or be left out, got 'ignore'"),
        ({"frame": pl.DataFrame()}, "write_report: frame requires label and scores"),
        (
            {"report": pl.DataFrame({"a": [1]})},
            "write_report: report has no column 'scope', so it is not a rep",
        ),
    ],
)
def test_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        pa.write_report(**{"report": report(), "path": "report.md", **options})
    assert list(tmp_path.iterdir()) == []


def test_a_report_that_is_no_frame(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="write_report: report must be a DataFrame or a LazyFrame, got int"):
        pa.write_report(5, tmp_path / "x.md")  # type: ignore[arg-type]


def test_a_report_without_rows_is_a_page(tmp_path: Path) -> None:
    path = pa.write_report(report().lazy().collect().head(0), tmp_path / "x.html", columns="auc")
    assert "<h1" in path.read_text(encoding="utf-8")


def test_a_frame_of_other_rows_is_refused(tmp_path: Path) -> None:
    rows = pl.read_parquet(DATA)
    columns: dict[str, Any] = {"label": "label", "scores": ["forest", "tree"]}
    path = tmp_path / "report.html"
    with pytest.raises(ValueError, match=r"write_report: frame has other rows than the report: of 'forest'"):
        pa.write_report(report(), path, frame=rows.head(100), **columns)
    # The same number of rows, of another class.
    other = rows.with_columns(label=pl.col("label").cast(pl.Int8) * 0 + 1)
    with pytest.raises(ValueError, match="of them positive, and the report has 569 rows"):
        pa.write_report(report(), path, frame=other, **columns)
    assert not path.exists()


def test_the_error_of_a_score_missing_from_the_report(tmp_path: Path) -> None:
    rows = pl.scan_parquet(DATA)
    with pytest.raises(ValueError, match=r"scores names 'logistic', and the report is of 'forest', 'tree'"):
        pa.write_report(report(), tmp_path / "r.html", frame=rows, label="label", scores="logistic")
