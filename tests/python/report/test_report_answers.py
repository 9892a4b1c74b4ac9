"""The summary sentences of a page, its marks, and the trend over periods."""

from __future__ import annotations

import html
import math
import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main
from polars_auc._page.answers import answers
from polars_auc._page.markdown import markdown_text
from polars_auc._page.text import plain
from polars_auc._plots.numbers import cell
from polars_auc._plots.trend import period_of
from report.test_report_page import DATA, OPTIONS, ROWS, SCORES, Page, create_page
from report.test_workbook import Sheets


def sentences(page: Page) -> list[tuple[bool, str]]:
    """Return the sentences at the top of a page, with whether each is a warning."""
    [paragraph] = re.findall(r'<p class="answers">(.*?)</p>', page.text, re.DOTALL)
    spans = re.findall(r"<span( class=\"loud\")?>(.*?)</span>", paragraph, re.DOTALL)
    return [(bool(loud), html.unescape(text)) for loud, text in spans]


def test_the_page_answers_first(tmp_path: Path) -> None:
    options = [
        "--by",
        "dataset",
        "--by",
        "segment",
        "--compare",
        "--versus",
        "rest",
        "--stability",
        "fold % 2 = 0",
    ]
    page = create_page(tmp_path, *OPTIONS, *options)
    report = pa.report(
        ROWS,
        "label",
        SCORES,
        by=["dataset", "segment"],
        compare=True,
        versus="rest",
        stability=pl.col("fold") % 2 == 0,
    ).collect()
    groups, overall = (report.filter(scope=scope) for scope in ("group", "overall"))
    same, mean, area, differ, scores, in_groups, psi, moved = sentences(page)
    assert same[1].startswith("Test that all groups have the same AUC, p-value: logistic ")
    assert mean[1].startswith("Mean AUC within groups: logistic ")
    assert "also ranks rows of different groups against each other" in mean[1]
    first = overall.row(0, named=True)
    assert area == (False, area[1])
    assert f"logistic {first['auc']:.4f} ({first['lower']:.4f} to {first['upper']:.4f})" in area[1]
    found = groups.filter(pl.col("p_adjusted") <= 0.05).sort(pl.col("difference").abs(), descending=True)
    assert differ[0]
    assert differ[1].startswith(
        f"Different from the rest, after the adjustment: {found.height} of 24 tests: "
    )
    largest = found.row(0, named=True)
    name = f"{largest['dataset']}, {largest['segment']}, {largest['score']}"
    direction = "lower" if largest["difference"] < 0 else "higher"
    assert (
        f"{name}: {direction} by {cell('', abs(largest['difference']))} "
        f"(p = {cell('p_adjusted', largest['p_adjusted'])})" in differ[1]
    )
    assert differ[1].endswith(f"and {found.height - 4} more." if found.height > 4 else ").")
    assert scores[1].startswith(
        "Different from logistic, after the adjustment: 2 of 2 scores: tree: lower by"
    )
    n_groups = groups.filter(pl.col("delta_auc_p_adjusted") <= 0.05).height
    assert in_groups[1].startswith(
        f"Different from logistic in groups, after the adjustment: {n_groups} of 16 tests: "
    )
    assert psi == (
        False,
        "Psi of all rows: "
        + ", ".join(f"{s} {cell('psi', x)}" for s, x in overall.select("score", "psi").rows())
        + ".",
    )
    large = groups.filter(pl.col("psi_n") >= 200)
    small = groups.filter(pl.col("psi") >= 0.25, pl.col("psi_n") < 200).height
    # The tree has few distinct scores in these groups.
    shifted = large.filter(pl.col("psi") >= 0.25).sort("psi", descending=True)
    assert shifted.select("dataset", "segment", "score").rows() == [
        ("digits", "Q4", "tree"),
        ("digits", "Q3", "tree"),
    ]
    listed = [
        f"digits, {group}, tree {cell('psi', psi)}" for group, psi in shifted.select("segment", "psi").rows()
    ]
    assert moved == (
        True,
        f"Psi of 0.25 or more: 2 of {large.height} rows of groups with 200 rows or more, and {small} of "
        f"fewer rows, where it happens by chance: {'; '.join(listed)}.",
    )


def test_a_report_without_findings_is_quiet(tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    rows = pl.DataFrame({"y": draw.random(900) < 0.3, "s": draw.random(900), "g": [1, 2, 3] * 300})
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = ["--label", "y", "--score", "s", "--by", "g", "--versus", "rest", "--fail-if", "auc < 0.1"]
    page = create_page(tmp_path, *arguments, data=tmp_path / "rows.parquet")
    same, _, _, differ, checks = sentences(page)
    assert not same[0]
    assert differ == (False, "Different from the rest, after the adjustment: none of 3 groups.")
    assert checks == (False, "Checks that failed: none of 1.")


def test_changes_and_checks_that_failed_are_loud(tmp_path: Path) -> None:
    earlier, output = tmp_path / "earlier.parquet", tmp_path / "report.html"
    condition = ["--where", "fold < 5"]
    assert main(["report", str(DATA), *OPTIONS, *condition, "--quiet", "-o", str(earlier)]) == 0
    rows = pl.read_parquet(DATA / "*.parquet").with_columns(forest=pl.col("forest").reverse())
    rows.write_parquet(tmp_path / "rows.parquet")
    gates = ["--fail-if", "auc < 0.8", "--fail-if", "n < 1", "--compare-to", str(earlier)]
    assert (
        main(["report", str(tmp_path / "rows.parquet"), *OPTIONS, *gates, "--quiet", "-o", str(output)]) == 1
    )
    below, _, change, checks = sentences(Page(output.read_text(encoding="utf-8")))
    assert below[1].startswith("AUC below 0.5: forest 0.")
    assert change[0]
    assert change[1].startswith("Changed since the earlier report, after the adjustment: 1 of 3 AUCs: ")
    assert "forest: lower by 0." in change[1]
    assert checks[0]
    assert checks[1].startswith("Checks that failed: 1 of 2: --fail-if 'auc < 0.8' is about 3 rows")


HIGH = pl.when((pl.col("segment") == "Q2") & (pl.col("fold") < 2)).then(math.nan).otherwise("forest")
NANS = pl.scan_parquet(DATA / "breast_cancer.parquet").with_columns(forest=HIGH)


@pytest.fixture
def nans(tmp_path: Path) -> Path:
    """Return rows with some NaN scores."""
    NANS.collect().write_parquet(tmp_path / "nans.parquet")
    return tmp_path / "nans.parquet"


def number_of_nans() -> str:
    [number] = NANS.filter(pl.col("forest").is_nan(), pl.col("label").is_not_null()).collect().shape[:1]
    assert number > 1
    return f"{number} rows"


@pytest.mark.parametrize("options", [[], ["--bounded"]])
def test_the_page_begins_with_scores_that_are_nan(tmp_path: Path, nans: Path, options: list[str]) -> None:
    arguments = ["--label", "label", "--score", "forest", "--score", "tree", *options]
    page = create_page(tmp_path, *arguments, data=nans, code=3)
    whole, instead, without, area = sentences(page)
    assert whole == (True, f"The score 'forest' is NaN in {number_of_nans()}.")
    assert instead == (
        True,
        "NaN is a fault, and such results are NaN or left out; --nan skip takes NaN for missing.",
    )
    assert without == (
        True,
        "No curve, distribution, gains and thresholds of all rows, because of NaN: forest.",
    )
    assert area[1].startswith("AUC of all rows: forest NaN, tree 0.")
    assert "interval NaN" not in page.text
    grouped = sentences(create_page(tmp_path, *arguments, "--by", "segment", data=nans, code=3))
    assert grouped[0] == (True, f"The score 'forest' is NaN in {number_of_nans()} of the group segment=Q2.")
    assert grouped[1:] == [instead, without, area]
    skipped = create_page(tmp_path, *arguments, "--by", "segment", "--nan", "skip", data=nans, code=0)
    assert len(sentences(skipped)) == 1


def test_a_chart_of_groups_has_no_line_of_nan(tmp_path: Path, nans: Path) -> None:
    page = create_page(
        tmp_path, "--label", "label", "--score", "forest", "--by", "segment", data=nans, code=3
    )
    assert "overall" not in str(page.charts["forest"]["layer"])
    assert "dashed line" not in page.charts["forest"]["description"]
    page = create_page(tmp_path, "--label", "label", "--score", "tree", "--by", "segment", data=nans)
    assert "min(overall)" not in str(page.charts["forest"]["layer"])
    assert "'field': 'overall'" in str(page.charts["forest"]["layer"])
    assert page.charts["forest"]["description"].endswith(
        "is the AUC of all rows, which also ranks rows of different groups against each other."
    )


def test_markdown_and_workbooks_begin_with_scores_that_are_nan(tmp_path: Path, nans: Path) -> None:
    arguments = ["report", str(nans), "--label", "label", "--score", "forest", "--by", "segment", "--quiet"]
    line = f"the score 'forest' is NaN in {number_of_nans()} of the group segment=Q2"
    assert main([*arguments, "-o", str(tmp_path / "r.md")]) == 3
    lines = (tmp_path / "r.md").read_text(encoding="utf-8").splitlines()
    assert lines[2] == f"- **! NaN**: {line}"
    assert "--nan skip takes NaN for missing" in lines[3]
    assert main([*arguments, "-o", str(tmp_path / "r.xlsx")]) == 3
    assert Sheets(tmp_path / "r.xlsx").pairs()[0] == ("! NaN", line)


def test_a_page_of_states_reports_nan(tmp_path: Path, nans: Path) -> None:
    arguments = ["state", str(nans), "--label", "label", "--score", "forest", "--by", "segment"]
    assert main([*arguments, "-o", str(tmp_path / "s.parquet")]) == 3
    page = create_page(tmp_path, "--from-states", "--by", "segment", data=tmp_path / "s.parquet", code=3)
    assert sentences(page)[0] == (True, "The score 'forest' is NaN in some rows of the group segment=Q2.")
    assert "None" not in page.text[page.text.index("<section") : page.text.index("<script")]
    # All states are exact.
    assert "joined" not in page.text[page.text.index('id="data"') :].split("</section>")[0]


def test_nan_is_no_drift() -> None:
    report = pa.report(ROWS, "label", "forest", by="segment", stability=pl.col("fold") < 5).collect()
    nan = report.with_columns(pl.lit(math.nan).alias("psi"), pl.lit(10_000, dtype=pl.UInt64).alias("psi_n"))
    assert not any("Psi" in text for _, text in answers(nan, 0.95))


def test_groups_of_few_rows_are_marked(tmp_path: Path) -> None:
    """DeLong marks nine positives with high scores, with a note on their small number; Wilson does not."""
    draw = np.random.default_rng(0)
    label = np.r_[np.arange(18) < 9, draw.random(2000) < 0.3]
    rows = pl.DataFrame(
        {
            "y": label,
            "g": ["few"] * 18 + ["many"] * 2000,
            "s": draw.random(2018) + np.r_[0.75 * label[:18], 0.2 * label[18:]],
        }
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = ["--label", "y", "--score", "s", "--by", "g", "--versus", "rest"]
    page = create_page(tmp_path, *arguments, "--ci", "delong", data=tmp_path / "rows.parquet")
    for ci, is_found in (("delong", True), ("wilson", False)):
        report = pa.report(rows.lazy(), "y", "s", by="g", versus="rest", ci=ci)  # type: ignore[arg-type]
        assert (report.collect().filter(g="few")["p_adjusted"].item() < 0.05) == is_found
    assert "few: higher by" in sentences(page)[3][1]
    assert ", few rows)" in sentences(page)[3][1]
    assert "fewer than 10 positives or negatives, in 1 row of the table" in page.text
    assert "if ([0].includes(row)) cell.classList.add" in page.text.replace("\\n", " ").replace("\\", "")
    assert sorted(page.data("forest").select("group", "few").rows()) == [("few", True), ("many", False)]
    many = create_page(tmp_path, *arguments, "--where", "g = 'many'", data=tmp_path / "rows.parquet", code=0)
    assert "fewer than 10 positives" not in many.text


@pytest.mark.parametrize(
    ("values", "options", "has_trend"),
    [
        (["2024-01", "2024-02", "2024-03"], [], True),
        (["2024-Q1", "2024-Q2", "2024-Q3"], [], True),
        ([date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1)], [], True),
        ([7, 8, 9], [], False),
        ([7, 8, 9], ["--versus", "previous"], True),
        (["a", "b", "c"], [], False),
        (["2024-01", "2024-02", "2024-02"], [], False),
    ],
)
def test_periods_have_a_trend(tmp_path: Path, values: list[Any], options: list[str], has_trend: bool) -> None:
    third = pl.int_range(pl.len()) % 3
    period = (
        pl.when(third == 0)
        .then(pl.lit(values[0]))
        .when(third == 1)
        .then(pl.lit(values[1]))
        .otherwise(pl.lit(values[2]))
    )
    rows = pl.read_parquet(DATA / "*.parquet").with_columns(at=period)
    rows.write_parquet(tmp_path / "rows.parquet")
    page = create_page(tmp_path, *OPTIONS, "--by", "at", *options, data=tmp_path / "rows.parquet")
    assert ("trend" in page.charts) == has_trend
    if has_trend:
        report = pa.report(rows.lazy(), "label", SCORES, by="at").collect().filter(scope="group")
        points = page.data("trend")
        assert points["period"].to_list() == report["at"].cast(pl.String).to_list()
        assert points["lower"].to_list() == [float(f"{lower:.6g}") for lower in report["lower"]]


def test_a_trend_has_a_panel_for_each_other_group(tmp_path: Path) -> None:
    arguments = ["--by", "fold", "--by", "dataset", "--versus", "previous", "--along", "fold"]
    page = create_page(tmp_path, *OPTIONS, *arguments)
    points = page.data("trend")
    assert points["panel"].unique(maintain_order=True).to_list() == ["breast_cancer", "digits"]
    assert points["period"].unique(maintain_order=True).to_list() == [str(fold) for fold in range(1, 11)]
    report = pa.report(ROWS, "label", SCORES, by=["fold", "dataset"]).collect()
    assert period_of(report, None) is None
    assert period_of(report, "fold") == "fold"


def test_differences_are_marked_in_tables(tmp_path: Path) -> None:
    page = create_page(tmp_path, *OPTIONS, "--compare")
    marked = re.findall(r'<td class="number differs">(.*?)</td>', page.text)
    report = pa.report(ROWS, "label", SCORES, compare=True).collect()
    assert len(marked) == report.filter(pl.col("delta_auc_p_adjusted") <= 0.05).height == 2
    assert "a difference at level 0.05, after the adjustment" in page.text


def test_long_tables_are_folded(tmp_path: Path) -> None:
    options = ["--by", "dataset", "--by", "segment", "--stability", "fold % 2 = 0"]
    assert "<details><summary>By group" in create_page(tmp_path, *OPTIONS, *options).text
    assert "<details open><summary>By group" in create_page(tmp_path, *OPTIONS[:3], *options).text


def test_a_missing_interval_has_a_reason(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {
            "g": ["a"] * 5 + ["b"] * 5 + ["c"] * 6,
            "y": [1, 0, 0, 0, 0, 1, 1, 1, 1, 0, *[0, 1] * 3],
            "s": [3.0, 1, 2, 4, 5, 5, 4, 3, 2, 1, 1, 2, 3, 2, 4, 5],
        }
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    page = create_page(tmp_path, "--label", "y", "--score", "s", "--by", "g", data=tmp_path / "rows.parquet")
    reason = "so its variance is unknown"
    assert page.tables["Groups without an interval"] == [
        ["g", "score", "n", "why"],
        ["a", "s", "5", f"one row is positive, {reason}"],
        ["b", "s", "5", f"one row is negative, {reason}"],
    ]
    assert "Groups without an interval" not in create_page(tmp_path, *OPTIONS, "--by", "segment").tables


PLAIN = "without an adjustment for the number of tests"


def test_a_page_without_an_adjustment_has_a_note(tmp_path: Path) -> None:
    arguments = ["--by", "segment", "--compare", "--versus", "rest", "--adjust", "none"]
    page = create_page(tmp_path, *OPTIONS, *arguments)
    differ = [text for _, text in sentences(page) if text.startswith("Different")]
    assert len(differ) == 3
    assert all(f", {PLAIN}: " in text for text in differ[:2])
    assert f'<p class="note" data-mark="*">a difference at level 0.05, {PLAIN}</p>' in page.text
    assert "after the adjustment" not in page.text


def test_a_file_without_an_adjustment_has_a_note(tmp_path: Path) -> None:
    options: dict[str, Any] = {"by": "segment", "compare": True, "versus": "rest", "adjust": None}
    report = pa.report(ROWS.lazy(), "label", SCORES, **options).collect()
    note = f"a difference at level 0.05, {PLAIN}"
    text = pa.write_report(report, tmp_path / "r.md").read_text(encoding="utf-8")
    assert text.endswith(rf"\* {note}" + "\n")
    assert f"* {note}" in pa.style_report(report).as_raw_html()
    assert Sheets(pa.write_report(report, tmp_path / "r.xlsx")).pairs()[-1] == ("Shaded", note)
    assert f"at level 0.05, {PLAIN}." in pa.plot_forest(report).to_dict()["description"]


def test_one_test_is_neither_adjusted_nor_not() -> None:
    """The adjusted p-value of a single test equals the p-value."""
    report = pa.report(ROWS.lazy(), "label", SCORES[:2], compare=True, adjust=None).collect()
    [difference] = [text for _, text in answers(report, 0.95) if text.startswith("Different")]
    assert difference.startswith(f"Different from {SCORES[0]}: ")


def test_a_page_without_a_test_has_no_mark_to_explain(tmp_path: Path) -> None:
    assert "a difference at level" not in create_page(tmp_path, *OPTIONS, "--by", "segment").text


def test_a_score_has_one_name_everywhere(tmp_path: Path) -> None:
    """A name with quotes or a comma is quoted only once."""
    names = ['"=t|<b>x</b>"', "round(s, 2)", "null"]
    rows = pl.DataFrame({"y": [0] * 20 + [1] * 20, "g": ["a, b", "c"] * 20})
    scores = [(pl.int_range(40) * (7 + place) % 13).alias(name) for place, name in enumerate(names)]
    frame = rows.with_columns(scores)
    report = pa.report(frame.lazy(), "y", names, by="g").collect()
    options: dict[str, Any] = {"frame": frame, "label": "y", "scores": names}
    page = pa.write_report(report, tmp_path / "r.html", **options).read_text(encoding="utf-8")
    [paragraph] = re.findall(r"AUC of all rows: [^<]*", page)
    cards = [html.unescape(text) for text in re.findall(r"<li><b>(.*?)</b><strong>", page)]
    assert cards == names
    markdown = pa.write_report(report, tmp_path / "r.md").read_text(encoding="utf-8")
    legend = pa.plot_roc(pa.curve_points(frame, [pa.roc_curve("y", name) for name in names])).description
    terminal = plain(report, 99, None)
    for name in names:
        assert f"{name} 0." in html.unescape(paragraph)
        assert f"| {markdown_text(name)} " in markdown
        assert f"┆ {name} " in terminal
        assert name in legend
        assert f'"{name}"' not in legend + terminal + html.unescape(paragraph)
    forest = pa.plot_forest(report).to_dict()
    assert {row["group"] for row in forest["datasets"][forest["data"]["name"]]} == {"a, b", "c"}
    assert "| a, b " in markdown


def test_a_page_rounds_thresholds(tmp_path: Path) -> None:
    page = create_page(tmp_path, *OPTIONS)
    section = page.text[page.text.index('<section id="thresholds"') :]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", section[: section.index("</section>")])
    assert len(cells) > 100
    assert max(len(text) for text in cells if re.fullmatch(r"[\d.]+", text)) <= 10


def test_a_sign_is_explained_where_it_can_be(tmp_path: Path) -> None:
    note = "a difference at level 0.05"
    assert note not in create_page(tmp_path, *OPTIONS, "--by", "segment").text
    assert (
        note
        not in create_page(
            tmp_path, *OPTIONS, "--by", "segment", "--where", "fold = 1", "--versus", "rest"
        ).text
    )
    assert note in create_page(tmp_path, *OPTIONS, "--by", "dataset", "--versus", "rest").text


def test_bands_have_their_first_score(tmp_path: Path) -> None:
    arguments = [*OPTIONS, "--stability", "fold < 4"]
    high = create_page(tmp_path, *arguments).text
    assert "the highest scores first. Gain" in high
    assert "the highest scores first: the share" in high
    low = create_page(tmp_path, *arguments, "--low-is-positive").text
    assert "the lowest scores first. Gain" in low
    assert "the lowest scores first: the share" in low
    assert "highest scores first" not in low


def test_an_auc_below_one_half_has_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line has a hint, and the numbers are those of the original scores."""
    rows = pl.DataFrame({"y": [0, 1] * 40, "up": range(80)}).with_columns(
        down=-pl.col("up") - 40 * pl.col("y")
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    command = ["report", str(tmp_path / "rows.parquet"), "--label", "y", "-o", str(tmp_path / "r.html")]
    write = "if a low score means positive, write --low-is-positive"
    for options, line in (
        (["--score", "down"], f"AUC 0.12: {write}"),
        (
            ["--score", "down", "--score", "up"],
            "AUC below 0.5: down 0.12; if a low score means positive, negate it",
        ),
        (["--score", "up"], None),
        (["--score", "down", "--low-is-positive"], None),
        (
            ["--score", "up", "--low-is-positive"],
            "AUC 0.49: if a high score means positive, leave --low-is-positive out",
        ),
    ):
        assert main([*command, *options]) == 0
        lines = [text for text in capsys.readouterr().err.splitlines() if "score means positive" in text]
        assert lines == ([] if line is None else [f"polars-auc: {line}"])
        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert page.count("score means positive") == len(lines)
        assert line is None or f'<span class="loud">{line}.</span>' in page
    report = pa.report(rows, "y", "down")
    text = pa.write_report(report, tmp_path / "r.md").read_text(encoding="utf-8")
    assert "AUC 0.12: if a low score means positive, write low_is_positive=True" in text


def test_rows_of_periods_that_are_not_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    months = pl.DataFrame({"month": [f"2024-{1 + row // 50:02}" for row in range(200)]})
    rows = months.with_columns(y=pl.int_range(200) % 5 == 0, s=pl.int_range(200) * 37 % 83)
    # Most negatives of the last month are still unlabelled.
    early = (pl.col("month") == "2024-04") & ~pl.col("y") & (pl.int_range(200) % 5 != 1)
    rows.with_columns(y=pl.when(~early).then("y")).write_parquet(tmp_path / "rows.parquet")
    command = ["report", str(tmp_path / "rows.parquet"), "--score", "s", "--by", "month"]
    output = ["-o", str(tmp_path / "r.html")]
    line = (
        "All rows include 20 rows (10 positive) of 1 period with missing labels (2024-04): in an incomplete "
        "period, positives are often labelled before negatives"
    )
    assert main([*command, "--label", "y", *output]) == 0
    assert f"polars-auc: {line}\n" in capsys.readouterr().err
    assert f"<span>{line}.</span>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    # The recipe of docs/late-labels.md excludes the whole month.
    assert main([*command, "--label", "CASE WHEN month <= '2024-03' THEN y END", *output]) == 0
    assert "missing labels" not in capsys.readouterr().err
    assert "150 rows · 30 positive" in (tmp_path / "r.html").read_text(encoding="utf-8")
