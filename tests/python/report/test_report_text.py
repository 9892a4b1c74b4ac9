"""The printed report, and its Markdown page."""

from __future__ import annotations

import math
import os
from pathlib import Path

import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main
from polars_auc._page.markdown import code
from polars_auc._page.text import DISPLAY_ROWS, TableView
from polars_auc._plots.numbers import aligned, cell, places_of

Capture = pytest.CaptureFixture[str]
DATA = Path(__file__).parents[3] / "data"
REPORT = ["report", str(DATA), "--label", "label", "--score", "forest", "--score", "tree", "--by", "segment"]


def cells(text: str, edge: str, between: str) -> list[list[str]]:
    """Return the cells of a printed table, with its header."""
    rows = [line.strip(edge) for line in text.splitlines() if line.startswith(edge)]
    return [[cell.strip() for cell in row.split(between)] for row in rows]


def printed(capsys: Capture) -> list[list[str]]:
    return cells(capsys.readouterr().out, "│", "┆")


def test_columns_that_answer_first(capsys: Capture) -> None:
    answers = ["segment", "score", "n", "auc", "lower", "upper"]
    for options, added in (
        ([], ["ks"]),
        (["--compare"], ["delta_auc", "delta_auc_p_adjusted"]),
        (["--versus", "rest"], ["difference", "p_adjusted"]),
        (["--folds", "fold"], ["cv_auc"]),
        (["--user", "fold % 3"], ["user_auc"]),
        (["--bounded"], ["ks"]),
        (["--bounded", "--max-bins", "16"], ["auc_min", "auc_max"]),
        (["--columns", "gini, se,gini"], []),
    ):
        assert main([*REPORT, *options]) == 0
        header, *rows = printed(capsys)
        assert header == ([*answers, *added] if added else ["segment", "score", "gini", "se"])
        assert len(rows) == 10
    assert main([*REPORT, "--wide"]) == 0
    table = pa.report(pl.scan_parquet(DATA / "*.parquet"), "label", ["forest", "tree"], by="segment")
    assert printed(capsys)[0] == table.collect_schema().names()[1:]
    assert main([*REPORT, "--where", "segment <> 'Q1' OR tree > 0.5"]) == 0
    assert main([*REPORT[:6], "--where", "fold = 1"]) == 0
    capsys.readouterr()


def test_adjusted_p_values_that_are_all_1_stay_on_a_page(tmp_path: Path) -> None:
    earlier, page = tmp_path / "earlier.parquet", tmp_path / "report.md"
    assert main([*REPORT, "--where", "fold < 5", "--quiet", "-o", str(earlier)]) == 0
    assert main([*REPORT, "--compare-to", str(earlier), "--quiet", "-o", str(page)]) == 0
    header, _, *rows = cells(page.read_text(encoding="utf-8").split("\n\n")[-1].strip(), "|", "|")
    assert {row[header.index("change_p_adjusted")] for row in rows} == {"1.0000"}


def test_only_so_many_groups_are_printed(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.DataFrame({"y": [0, 1] * 1000, "s": range(2000), "user": [row // 2 for row in range(2000)]})
    rows.write_parquet(tmp_path / "rows.parquet")
    users = ["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--by", "user"]
    assert main(users) == 0
    out = capsys.readouterr().out
    assert len(cells(out, "│", "┆")) == 1 + DISPLAY_ROWS + 1
    assert out.splitlines()[-1] == (
        "960 more rows of groups: --limit 1000 prints all, and -o FILE writes all"
    )
    assert main([*users, "--limit", "0"]) == 0
    assert [row[0] for row in printed(capsys)] == ["user", "overall"]
    assert main([*users, "--limit", "999"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 more row of groups: ")
    assert main([*users, "--limit", "1000"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("└")
    assert main([*users, "-o", str(tmp_path / "out.csv")]) == 0
    assert pl.read_csv(tmp_path / "out.csv").height == 1001


def test_quiet(tmp_path: Path, capsys: Capture) -> None:
    assert main([*REPORT, "--quiet", "-o", str(tmp_path / "out.csv")]) == 0
    assert capsys.readouterr() == ("", "")
    assert main([*REPORT, "--quiet", "--fail-if", "auc < 0.9"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "it holds in" in err


def test_names_are_cut_to_the_terminal() -> None:
    table = pl.DataFrame({"y": [0, 1] * 4, "s": range(8), "g": ["a" * 60, "b" * 70] * 4})
    table = pa.report(table, "y", "s", by="g")
    view = TableView()
    lines = view.printed(table, 80).splitlines()
    assert max(map(len, lines)) == 80
    assert "aaa…" in lines[3]
    assert max(map(len, view.printed(table, 20).splitlines())) < 80, "numbers are never cut"
    assert "b" * 70 in view.printed(table, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--columns", "auc,sex"],
            "--columns has the unknown column 'sex'; expected one of n, n_pos, n_missing, n_unlabelled",
        ),
        (["--columns", "auc", "--wide"], "--wide prints all columns"),
        (["--quiet", "--limit", "3"], "--limit is about the printed table, and --quiet prints none"),
        (["--quiet", "--wide"], "--wide is about the printed table, and --quiet prints none"),
        (["--limit", "-1"], "--limit must be a number of rows, such as 40, got -1"),
    ],
)
def test_refusals_of_what_is_printed(options: list[str], message: str, capsys: Capture) -> None:
    assert main([*REPORT, *options]) == 2
    assert message in capsys.readouterr().err


def test_a_page_of_markdown(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.read_parquet(DATA / "*.parquet").with_columns(
        forest=pl.when(pl.col("segment") != "Q2").then("forest"), poor=-pl.col("tree")
    )
    rows = rows.with_columns(segment=pl.col("segment").replace("Q1", "a|b"))
    file = tmp_path / "rows.parquet"
    rows.write_parquet(file)
    os.utime(file, (0, 86400 * 365))
    out = tmp_path / "out.md"
    report = ["report", str(file), "--label", "label", "--score", "forest", "--score", "poor"]
    options = ["--by", "segment", "--compare", "--versus", "rest", "--where", "fold > 0", "-o", str(out)]
    assert main([*report, *options]) == 0
    text = out.read_text(encoding="utf-8")
    title, about, table, note = text.strip().split("\n\n")
    assert title == "# ROC report"
    skipped = rows.filter(pl.col("fold") > 0)["forest"].null_count()
    test, within, *lines = about.splitlines()
    assert test.startswith("- Test that all groups have the same AUC, p-value: forest 0.")
    assert within.startswith("- Mean AUC within groups: forest 0.")
    assert lines == [
        "- Data: 1 file, last changed on 1971-01-01",
        "- Label: `label`",
        "- Scores: `forest`, `poor`",
        "- Groups: by `segment`",
        "- Rows: where `fold > 0`",
        "- Intervals: 95 %, by wilson",
        "- Comparison: of each score with the first, on the rows that have all scores",
        "- Differences: of each group from the mean AUC of the other groups, each within its group",
        "- Adjustment of p-values: holm over all tests in a column: all groups, all scores, and overall",
        "- AUC below 0.5: `poor` 0.10; if a low score means positive, negate it",
        f"- `forest`: {skipped} rows skipped for a missing label or score",
    ]
    assert note == r"\* a difference at level 0.05, after the adjustment over all tests in its column"
    header, _, *body = cells(table.replace("\\|", "¦"), "|", "|")
    assert header[:6] == ["segment", "score", "n", "auc", "lower", "upper"]
    by_name = [dict(zip(header, row, strict=True)) for row in body]
    undefined = next(row for row in by_name if row["segment"] == "Q2" and row["score"] == "forest")
    assert (undefined["n"], undefined["auc"], undefined["delta_auc"]) == ("0", "-", "-")
    assert by_name[-1]["segment"] == "overall"
    assert by_name[-1]["delta_auc_p_adjusted"] == r"<0.0001 \*"
    assert any(row["segment"] == "a¦b" for row in by_name)
    before = out.read_bytes()
    assert main([*report, *options]) == 0
    assert out.read_bytes() == before
    assert main([*report, "--columns", "ks", "-o", str(out)]) == 0
    assert "ks" in out.read_text()
    assert main([*report, "--wide", "--quiet", "-o", str(out)]) == 0
    assert "prevalence" in out.read_text()
    capsys.readouterr()


def test_text_of_users_in_markdown() -> None:
    assert code("a") == "`a`"
    assert code("a `b`\nc") == "`` a `b` c ``"


def test_pages_name_the_user_column(tmp_path: Path) -> None:
    users = ["--user", "fold % 3", "--user-average", "rows", "--quiet"]
    for name in ("out.md", "out.html", "out.parquet"):
        assert main([*REPORT, *users, "-o", str(tmp_path / name)]) == 0
    for name in ("out.md", "out.html"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "are of one user; each counts by its rows" in text
        assert "fold % 3" in text
    mean = pl.read_parquet(tmp_path / "out.parquet")["user_auc"][-1]
    assert f"{mean:.4f}</td>" in text.replace("\n", "")
    expected = pa.grouped_roc_auc("label", "tree", pl.col("fold") % 3, average="rows")
    assert mean == pl.scan_parquet(DATA / "*.parquet").select(expected).collect().item()["auc"]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("auc", 0.912345, "0.9123"),
        ("auc", 1.0, "1.0000"),
        ("auc", 0.99999, "1.0000"),
        ("se", 0.00123456, "0.0012"),
        ("se", 0.000123456, "0.000123"),
        ("difference", -1.23456e-9, "-1.235e-09"),
        ("difference", -0.0, "0.0000"),
        ("lift", 12.3456, "12.35"),
        ("z", 9999.96, "10000"),
        ("odds_ratio", 123456.7, "123457"),
        ("odds_ratio", 1e300, "1.000e+300"),
        ("odds_ratio", float("inf"), "inf"),
        ("auc", float("nan"), "NaN"),
        ("auc", None, "-"),
        ("p_value", 0.0001, "0.0001"),
        ("p_value", 0.00009999, "<0.0001"),
        ("delta_auc_p_adjusted", 0.0, "<0.0001"),
        ("threshold", 0.38820530217940447, "0.388205"),
        ("threshold", "0.38820530217940447", "0.388205"),
        ("threshold", "12345678901234567", "12345678901234567"),
        ("threshold", 712.0, "712"),
        ("highest", 2.5e-7, "2.5e-07"),
        ("lowest", 1234567.89, "1234567"),
        ("highest", 1234567.11, "1234568"),
        ("threshold", 0.3, "0.3"),
        ("threshold", 0.66666666666, "0.666666"),
        ("highest", 0.66666666666, "0.666667"),
        ("threshold", 0.99987654321987, "0.999876543"),
        ("threshold", -1.00000099, "-1.00001"),
        ("threshold", "False", "False"),
        ("threshold", -0.0, "0"),
        ("threshold", 1e16, "1e+16"),
        ("threshold", 5e-324, "4.94066e-324"),
        ("lowest", float("-inf"), "-inf"),
        ("threshold", 12345678901234567, "12345678901234567"),
        ("n", 1234567, "1234567"),
        ("tp", 12345.0, "12345"),
        ("cum_n", 3.0, "3"),
        ("n", 1234.5625, "1235"),
    ],
)
def test_significant_digits(name: str, value: object, text: str) -> None:
    assert cell(name, value) == text


@pytest.mark.parametrize(
    ("name", "values", "texts"),
    [
        ("auc", [0.5, 0.98765, 1.0, None], ["0.5000", "0.9877", "1.0000", "-"]),
        ("difference", [0.05, -0.00001, 0.00012, -0.3], ["0.0500", "0.0000", "0.0001", "-0.3000"]),
        ("lift", [4.8765, 0.25, math.inf], ["4.877", "0.250", "inf"]),
        ("heterogeneity", [463.44, 12.3456], ["463.4", "12.3"]),
        ("se", [0.00012345, 0.00001], ["0.000123", "0.000010"]),
        ("psi", [1.5e-9, 2e-10], ["1.500e-09", "2.000e-10"]),
        ("p_value", [0.25, 0.00001], ["0.2500", "<0.0001"]),
        ("n", [3.0, 1000.0], ["3", "1000"]),
        ("threshold", [0.863638111, 0.0155374111, 12.0], ["0.863638 ", "0.0155374", "12        "]),
    ],
)
def test_digits_of_a_column_are_aligned_and_few(name: str, values: list[float], texts: list[str]) -> None:
    places = places_of(name, values)
    assert aligned(name, [cell(name, value, places) for value in values]) == texts


def test_thresholds_of_files_call_the_same_rows_positive(tmp_path: Path, capsys: Capture) -> None:
    """Printed thresholds are rounded; a file has all digits."""
    rows = pl.read_parquet(DATA / "*.parquet")
    arguments = ["thresholds", str(DATA), "--label", "label", "--score", "forest"]
    for ending, read in ((".csv", pl.read_csv), (".json", pl.read_json), (".parquet", pl.read_parquet)):
        assert main([*arguments, "-o", str(tmp_path / f"t{ending}")]) == 0
        [best] = read(tmp_path / f"t{ending}").rows(named=True)
        called = rows.filter(pl.col("forest") >= best["threshold"])
        assert (called["label"] == 1).sum() == best["tp"]
        assert (called["label"] == 0).sum() == best["fp"]
    out = capsys.readouterr().out
    assert str(best["threshold"]) not in out
    assert f"{best['threshold']:.5f}" in out or cell("threshold", best["threshold"]) in out


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("near", [0.0, 9.0])
def test_a_printed_bound_has_the_same_rows_within(
    tmp_path: Path, capsys: Capture, low: bool, near: float
) -> None:
    """Bounds are rounded away from their scores, also with low positive scores, and near 1."""
    z = [((place * 7919) % 3001) / 500 - 3 for place in range(3000)]
    rows = pl.DataFrame({"z": z, "y": [int(value + (place % 5) > 2) for place, value in enumerate(z)]})
    rows = rows.with_columns(
        s=1 / (1 + (-pl.col("z") - near).exp()), y=1 - pl.col("y") if low else pl.col("y")
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = [str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--wide"]
    arguments += ["--low-is-positive"] if low else []
    for criterion in (["youden"], ["target_fpr", "--target", "0.05"], ["max_f"]):
        assert main(["thresholds", *arguments, "--criterion", *criterion]) == 0
        header, row = printed(capsys)
        cells = dict(zip(header, row, strict=True))
        threshold = float(cells["threshold"])
        called = rows.filter(pl.col("s") <= threshold if low else pl.col("s") >= threshold)
        positives = called["y"].sum()
        assert [str(positives), str(called.height - positives)] == [cells["tp"], cells["fp"]]
    assert main(["gains", *arguments]) == 0
    header, *bands = printed(capsys)
    for row in bands:
        cells = dict(zip(header, row, strict=True))
        within = rows.filter(pl.col("s").is_between(float(cells["lowest"]), float(cells["highest"])))
        assert str(within.height) == cells["n"]
