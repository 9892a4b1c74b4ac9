"""The README and the guides are correct."""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
FUNCTIONS = set(pa.__all__) - {"__version__"}


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_code_of_the_first_pages_prints_its_output(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README needs no files."""
    monkeypatch.chdir(tmp_path if page == "README.md" else ROOT)
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == text.count("```python") >= 1
    names: dict[str, object] = {}
    for code, output in blocks:
        exec(compile(code, page, "exec"), names)
        assert capsys.readouterr().out == output


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= 110
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].splitlines()) <= 60
    assert (DOCS / "pictures" / "report.png").stat().st_size <= 150_000


def test_the_reports_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"polars-auc (report .*)$", README, re.MULTILINE)
    assert len(commands) == 2
    for command in commands:
        assert main(shlex.split(command)) == 0, capsys.readouterr()
    capsys.readouterr()
    assert {"segments.md", "report.html"} < {path.name for path in tmp_path.iterdir()}


PAGES = [*ROOT.glob("*.md"), *(ROOT / "benches").glob("*.md"), *DOCS.rglob("*.md")]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and MkDocs make them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    words = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w -]", "", heading).replace(" ", "-") for heading in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`(?!\])", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
        # The site has no other files.
        assert not page.is_relative_to(DOCS) or target.is_relative_to(DOCS), link


def test_the_guide_to_one_machine_and_states(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other engines have a separate page, whose code runs in their tests."""
    monkeypatch.chdir(ROOT)
    guide = (ROOT / "docs" / "scaling-out.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"```python\n(.*?)```", guide, re.DOTALL))
    assert 'memory="bounded"' in code
    assert "group_states" in code
    exec(compile(code, "scaling-out.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "overall" in printed
    assert "shape: (2, 2)" in printed


BANDS = (ROOT / "docs" / "bands-measured.md").read_text(encoding="utf-8")


def test_the_guide_to_bands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    guide = (DOCS / "choosing-a-band.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    exec(compile(code, "choosing-a-band.md", "exec"), {})
    assert "upper_tpr" in capsys.readouterr().out


@pytest.mark.parametrize(
    "page",
    [
        "auc-explained",
        "every-night",
        "is-it-worth-acting-on",
        "is-the-probability-right",
        "late-labels",
        "packed-states",
        "recipes",
        "recipes-charts",
        "recipes-dependent-rows",
        "store-of-states",
        "tutorial",
    ],
)
def test_pages_run_and_have_their_output(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers in comments are printed, in this order."""
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    exec(compile(code, f"{page}.md", "exec"), {})
    printed = capsys.readouterr().out
    lines = iter(printed.splitlines())
    expected = re.findall(r"^print.*  # ([0-9.]+)$", code, re.MULTILINE)
    assert expected
    for number in expected:
        assert number in lines


def test_sizes_of_states_are_committed() -> None:
    sizes = pl.read_csv(ROOT / "benches" / "results" / "state_sizes.csv")
    forms = sizes["form"].unique(maintain_order=True).to_list()
    text = (DOCS / "store-of-states.md").read_text(encoding="utf-8")
    assert f"| digits of the scores | {' | '.join(forms)} |\n" in text
    for digits in sizes["digits"].unique():
        last = [sizes.filter(digits=digits, form=form)["bytes"][-1] for form in forms]
        assert f"| {digits} | {' | '.join(f'{size:,}' for size in last)} |\n" in text


def test_figures_of_the_last_factors_are_committed() -> None:
    targets = pl.read_csv(ROOT / "benches" / "results" / "targets.csv", infer_schema_length=None)
    text = (ROOT / "benches" / "README.md").read_text(encoding="utf-8")
    section = text.split("## The last factors\n")[1].split("\n## ")[0]
    quoted = re.findall(
        r"^\| (.+) \| (.+) / (.+) \| (.+) / (.+) \| (.*) \| (.+) \| (.*?) \| (?:(.+): (.+) )?\|$",
        section,
        re.MULTILINE,
    )
    assert len(quoted) > 20
    for work, ours, other, *seconds, before, now, goal, limit, least in quoted:
        rows = targets.filter(work=work, ours=ours, other=other)
        last = rows.row(-1, named=True)
        assert [f"{last['ours_median']:.3g}", f"{last['other_median']:.3g}", f"{last['ratio']:.3g}"] == [
            *seconds,
            now,
        ]
        assert not before or float(before) in {float(f"{ratio:.3g}") for ratio in rows["ratio"][:-1]}, work
        kept = last["promised"] is None or last["ratio"] <= last["promised"]
        assert goal.endswith("(missed)") != kept, work
        if limit:
            # The contender is in the same run, as other or instead of ours.
            pair = targets.filter(work=work, ours=ours, other=least)
            instead = targets.filter(work=work, ours=least, other=other)
            side, shared = ("other_median", "ours_median") if pair.height else ("ours_median", "other_median")
            contender = (pair if pair.height else instead).row(-1, named=True)
            assert contender[shared] == last[shared], work
            assert limit == f"{contender[side] / last['other_median']:.3g}", work


def test_figures_of_late_labels_are_committed() -> None:
    rows = pl.read_csv(ROOT / "benches" / "results" / "unlabelled.csv")
    text = (DOCS / "late-labels.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| ([\w ,]+) \| (.*) \| (.*) \| (.*) \| (\d+) \|$", text, re.MULTILINE)
    assert [cells[0] for cells in table] == rows["way"].unique(maintain_order=True).to_list()
    for way, *cells, width in table:
        last = {row["estimate"]: row for row in rows.filter(way=way).rows(named=True)}
        for estimate, cell in zip(("auc", "expected_auc", "corrected_auc"), cells, strict=True):
            mean, spread = (1000 * last[estimate][name] for name in ("mean", "root_mean_square"))
            assert cell == f"{mean if abs(mean) >= 0.05 else 0:+.1f} ({spread:.1f})".replace("+0.0 ", "0.0 ")
        assert width == f"{1000 * last['bounds']['width']:.0f}"
        assert last["bounds"]["holds"] == 1


def test_figures_of_covertype_are_committed() -> None:
    """Cells are shares in percent, epsilon and width, for the columns above."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "covertype.csv")
    text = (ROOT / "docs" / "covertype.md").read_text(encoding="utf-8")
    tables = re.findall(r"\| band \|.*\n\|---.*\n((?:\|.*\n)+)", text)
    sources = [("runs", 10), ("runs", 100), ("resamples", 1000)]
    for table, (source, number) in zip(tables, sources, strict=True):
        table_rows = rows.filter(pl.col("from") == source, pl.col("number") == number)
        quoted = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        assert [cells[0] for cells in quoted] == table_rows["method"].unique(maintain_order=True).to_list()
        for method, *cells in quoted:
            for size, cell in zip((100, 1000, 5000), cells, strict=True):
                row = table_rows.filter(pl.col("method") == method, pl.col("size") == size).row(
                    -1, named=True
                )
                shares = f"{100 * row['population']:.1f}, {100 * row['new']:.1f}"
                assert cell == f"{shares}, {row['epsilon']:.3f}, {row['mean_width']:.3f}"


def test_the_guide_to_differences(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    guide = (DOCS / "comparing-two-curves.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    exec(compile(code, "comparing-two-curves.md", "exec"), {})
    assert "p_value" in capsys.readouterr().out


def test_figures_of_differences_are_committed() -> None:
    """Cells are the coverage in percent and the mean width, or the share of differences found."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "difference_bands.csv")
    pairs = set(rows["pair"])
    quoted, sizes = 0, [""]
    for line in BANDS.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        sizes = cells if "50+50" in cells else sizes
        if not line.startswith("|") or cells[0] not in pairs:
            continue
        for size, cell in zip(sizes[1:], cells[1:], strict=True):
            n_pos, n_neg = map(int, size.split("+"))
            cell_rows = rows.filter(
                pl.col("pair") == cells[0], pl.col("n_pos") == n_pos, pl.col("n_neg") == n_neg
            ).row(-1, named=True)
            both = (
                f"{100 * cell_rows['coverage']:.1f} / {cell_rows['mean_width']:.3f}",
                f"{100 * cell_rows['found']:.1f}, {100 * cell_rows['found_delong']:.1f}",
            )
            assert cell in both
            quoted += 1
    assert quoted == 2 * rows.n_unique(["pair", "n_pos", "n_neg"])

    guide = " ".join((DOCS / "comparing-two-curves.md").read_text(encoding="utf-8").split())
    few = rows.filter(n_pos=2000, n_neg=20)
    for part, figures in (
        (
            rows.filter(pl.min_horizontal("n_pos", "n_neg") >= 50),
            "contains the whole difference in {} to {} % of the samples",
        ),
        (few, "With 2,000 positives and 20 negatives the coverage is {} to {} %"),
    ):
        ends = (
            percent(share)
            for share in part.select(pl.col("coverage").min(), max=pl.col("coverage").max()).row(0)
        )
        assert figures.format(*ends) in guide


def test_figures_of_bands_are_committed() -> None:
    """Each cell is the coverage in percent and the mean width of the last matching row."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "bands.csv")
    methods, shapes = set(rows["method"]), set(rows["shape"])
    quoted, sizes = 0, [""]
    for line in BANDS.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        sizes = cells if "50+50" in cells else sizes
        filters = {"method": "likelihood"} | {
            role: cell
            for cell in cells
            for role, values in (("method", methods), ("shape", shapes))
            if cell in values
        }
        if not line.startswith("|") or "shape" not in filters:
            continue
        for size, cell in zip(sizes, cells, strict=True):
            if "+" not in size or cell == "-":
                continue
            n_pos, n_neg = map(int, size.split("+"))
            cell_rows = rows.filter(
                pl.col("method") == filters["method"],
                pl.col("shape") == filters["shape"],
                pl.col("n_pos") == n_pos,
                pl.col("n_neg") == n_neg,
            )[-1]
            assert (
                cell == f"{100 * cell_rows['coverage'].item():.1f} / {cell_rows['mean_width'].item():.3f}"
            ), line
            quoted += 1
    assert quoted > 80


def functions_of_page(page: Path) -> list[str]:
    """Return the functions of a page of the reference."""
    return re.findall(r"^## (\w+)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_function_is_listed() -> None:
    """Each function has one row in the table of its family, with a link, in the order of the page."""
    text = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`(\w+)`\]\((\w+)\.md#(\w+)\) \|", text, re.MULTILINE)
    assert sorted(name for name, _, _ in rows) == sorted(FUNCTIONS)
    assert all(name.lower() == anchor for name, _, anchor in rows)
    for section in text.split("\n## ")[1:]:
        [family] = re.findall(r"\A\[[\w ]+\]\((\w+)\.md\)$", section, re.MULTILINE)
        listed = [name for name, _, _ in rows if f"[`{name}`]({family}.md#" in section]
        assert listed == functions_of_page(DOCS / "reference" / f"{family}.md")


def test_every_function_has_the_words_people_use() -> None:
    """The order and the links equal those of the table of all functions."""
    index_text = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    words_text = (DOCS / "words.md").read_text(encoding="utf-8")
    links = re.findall(r"^\| \[`(\w+)`\]\((.+?)\) \|", index_text, re.MULTILINE)
    rows = re.findall(r"^\| (\w.*) \| \[`(\w+)`\]\(reference/(.+)\) \|$", words_text, re.MULTILINE)
    assert [(name, link) for _, name, link in rows] == links
    assert all(len(words.split(", ")) > 1 for words, _, _ in rows)


def test_charts_of_the_documentation_are_saved_by_save_chart() -> None:
    """A page of `chart.save` is blank without a network."""
    texts = [*DOCS.rglob("*.md"), DOCS.parent / "README.md", *(DOCS.parent / "python").rglob("_plots/*.py")]
    assert len(texts) > 30
    saves = [path.name for path in texts if re.search(r"\w\.save\(", path.read_text(encoding="utf-8"))]
    # This module only converts a chart for drawing.
    assert saves == ["conversion.py"]


def test_families_have_one_name() -> None:
    """The README, the table of all functions, the site and the pages have the same families in one order."""
    names = [
        *("numbers", "thresholds", "curves", "bands", "rank_tests", "classes", "groups", "intervals"),
        *(
            "calibration",
            "decisions",
            "comparisons",
            "folds",
            "states",
            "monitoring",
            "planning",
            "frames",
            "plots",
            "sql",
        ),
    ]
    assert re.findall(r"\[[\w ]+\]\(docs/reference/(?!index)(\w+)\.md\)", README) == names
    index = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    titles = dict(re.findall(r"^## \[([\w ]+)\]\((\w+)\.md\)$", index, re.MULTILINE))
    assert list(titles.values()) == names
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.findall(r"- ([\w ]+): reference/(?!index)(\w+)\.md$", site, re.MULTILINE) == list(
        titles.items()
    )
    assert {page.stem for page in (DOCS / "reference").glob("*.md")} == {*names, "index"}
    for title, name in titles.items():
        assert title.lower() == name.replace("_", " ")
        page = (DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {title}\n")


def test_which_functions_take_counts_and_states() -> None:
    """The page above the table of all functions lists them."""
    text = " ".join((DOCS / "reference" / "index.md").read_text(encoding="utf-8").split())
    assert "Every expression of a label and a score also accepts `count`" in text
    exceptions = re.search(r"Only ([^.]*) do not\.", text)
    assert exceptions
    without = set(re.findall(r"`(\w+)`", exceptions[1]))
    for name in FUNCTIONS:
        parameters = inspect.signature(getattr(pa, name)).parameters
        if list(parameters)[:2] != ["label", "score"] or name == "evaluate":  # It is no expression.
            continue
        assert "count" in parameters, name
        columns = {of.name for of in parameters.values() if of.kind is of.POSITIONAL_OR_KEYWORD}
        if columns.isdisjoint({"fold", "by", "subgroup"}) and name != "roc_state":
            assert ("state" in parameters) == (name not in without), name


def cells_of_speed(table: str) -> list[str]:
    """Check each time and ratio against a row, and return the contenders."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "peers.csv")
    contenders = []
    for contender, *cells in re.findall(
        r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE
    ):
        if contender not in rows["contender"]:
            continue
        contenders.append(contender)
        for groups, cell in zip((1, 1000, 1_000_000), cells, strict=True):
            row = rows.filter(pl.col("contender") == contender, pl.col("groups") == groups)[-1]
            assert cell == f"{row['median_s'][0]:.2f} s ({row['times_ours'][0]:.1f})"
    return contenders


def test_figures_are_committed() -> None:
    """Each number in the tables of speed is from a row under benches/results."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "peers.csv")
    page = (DOCS / "speed.md").read_text(encoding="utf-8")
    assert cells_of_speed(page) == rows["contender"].unique(maintain_order=True).to_list()
    [table] = re.findall(r"^\| AUC of 10\^7 rows.*\n\|---.*\n((?:\|.*\n)+)", README, re.MULTILINE)
    assert len(cells_of_speed(table)) == len(table.splitlines()) == 4


def test_figures_of_performance_are_committed() -> None:
    """The tables and the numbers in the text are from the last rows."""
    page = (DOCS / "speed.md").read_text(encoding="utf-8")

    def of(file: str, **which: object) -> dict[str, float]:
        rows = pl.read_csv(ROOT / "benches" / "results" / f"{file}.csv", infer_schema_length=None)
        return rows.filter(**which).row(-1, named=True)

    works = {
        "roc_curve(max_points=1000)": "a curve to draw, and weights",
        "roc_auc(weight=)": "a curve to draw, and weights",
        "roc_auc_difference": "two scores",
        "roc_state": "exact state, distinct",
        "compare_scores": "three scores",
    }
    ratios = re.findall(r"^\| `(.*)` \| ([0-9.]+) \|$", page, re.MULTILINE)
    assert len(ratios) == 9
    for ours, ratio in ratios:
        row = of("targets", work=works.get(ours, "statistics"), ours=ours, other="roc_auc")
        assert ratio == f"{row['ratio']:.1f}"
    queries = ["sum of all columns", "grouped roc_auc", "report", "report, bounded"]
    memory = re.findall(r"^\| .* \| (.*) s \| (.*) GB \|$", page, re.MULTILINE)
    assert len(memory) == len(queries)
    for query, cells in zip(queries, memory, strict=True):
        row = of("parquet", rows=10**8, groups=200, query=query)
        assert cells == (f"{row['seconds']:.2f}", f"{row['megabytes'] / 1000:.2f}")
    text = " ".join(page.split())
    bootstrap = of("inference", work="bootstrap of 2000 resamples", ours="roc_auc_ci", rows=100_000)
    exact = of("inference", work="10000 groups of 50 rows, ties, 100 % exact", other="roc_auc")
    selects = of("targets", work="1000 selects of 100 rows", other="two sums")
    threads = of("targets", work="threads")
    for figure in (
        f"2,000 resamples of 10^5 rows it takes {bootstrap['ours_median']:.2f} s",
        f"takes {exact['ratio']:.0f} times as long as `roc_auc` if all p-values are exact",
        "1,000 separate queries of 100 rows take "
        f"{selects['ratio']:.1f} times as long with `roc_auc` as with two plain sums",
        f"takes {threads['ratio']:.2f} of the time of one thread",
    ):
        assert figure in text


def test_coverage_is_committed() -> None:
    """Each number in the table of coverage is from a row, and is marked if it is far from 95 %."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "coverage.csv")
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    table = page.split("| method | AUC 0.6")[1].split("\n\n")[0]
    quoted = [line.split(" | ")[1:] for line in table.splitlines()[2:]]
    methods = rows["method"].unique(maintain_order=True).to_list()
    assert len(quoted) == len(methods)
    for method, cells in zip(methods, quoted, strict=True):
        covered = rows.filter(pl.col("method") == method).sort("n_pos", "auc")["coverage"].to_list()
        percentages = [f"{100 * share:.1f}" for share in covered]
        marked = [
            text if 0.935 <= share <= 0.965 else f"**{text}**"
            for text, share in zip(percentages, covered, strict=True)
        ]
        assert [cell.removesuffix(" |") for cell in cells] == marked


def test_the_coverage_of_the_default_is_committed() -> None:
    """The page for newcomers has the committed coverage."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "coverage.csv").filter(method="wilson")
    low, high = rows.select(low=100 * pl.col("coverage").min(), high=100 * pl.col("coverage").max()).row(0)
    text = " ".join((DOCS / "agreement.md").read_text(encoding="utf-8").split())
    assert f"covered the AUC in {low:.1f} to {high:.1f} % of the samples" in text


def test_the_coverage_of_calibration_is_committed() -> None:
    """The numbers are from the rows, and are marked if they are far from 95 %."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "calibration_coverage.csv")
    rows = rows.filter(score="recalibrated").sort("interval", "rate", "rows", maintain_order=True)
    page = (DOCS / "coverage.md").read_text(encoding="utf-8")
    table = page.split("\n| interval | 2 %: 50 rows")[1].split("\n\n")[0].splitlines()[2:]
    assert len(table) == rows["interval"].n_unique()
    for line, ((interval,), part) in zip(table, rows.group_by("interval", maintain_order=True), strict=True):
        cells = [f"{100 * share:.1f}" for share in part["coverage"]]
        marked = [
            cell if 0.93 <= share <= 0.97 else f"**{cell}**"
            for cell, share in zip(cells, part["coverage"], strict=True)
        ]
        name, *method = str(interval).split()
        assert line == "| " + " | ".join([", ".join([f"`{name}`", *method]), *marked]) + " |"


def small_samples() -> str:
    """Return the table of ``docs/coverage.md``, with marks for numbers far from 95 %."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "small_samples.csv")
    lines = []
    for (statistic, case, auc), part in rows.group_by("statistic", "case", "auc", maintain_order=True):
        cells = []
        for measured in ("before", "after"):
            percentages = []
            for method, share in part.filter(measured=measured).select("method", "coverage").rows():
                text = f"{100 * share:.1f}"
                percentages.append(f"{method}: " + (text if 0.935 <= share <= 0.965 else f"**{text}**"))
            cells.append("; ".join(percentages))
        lines.append(f"| `{statistic}` | {case} | {auc:g} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def test_coverage_of_small_samples_is_committed() -> None:
    """The table is from the rows, with the results of each case before and after."""
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    table = page.split("| function | rows | AUC | before | now |\n|---|---|---|---|---|\n")[1].split("\n\n")[
        0
    ]
    assert table.strip() == small_samples()
    assert all(": " in cell for line in table.splitlines() for cell in line.split(" | ")[3:])
    rows = pl.read_csv(ROOT / "benches" / "results" / "small_samples.csv")
    assert "A standard error is at most 1.0:" in " ".join(page.split())
    assert f"{100 * most(rows, 'coverage_se'):.1f}" == "1.0"


def coverage_of(statistic: str, method: str, cases: str, *, complement: bool = False) -> str:
    """Return the smallest and the largest coverage of matching cases, in percent, or the remaining cases."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "small_samples.csv")
    rows = rows.filter(pl.col("case").str.contains(cases), statistic=statistic, method=method)
    shares = rows["coverage"].sort(descending=complement).to_list()
    ends = (100 * (1 - share) if complement else 100 * share for share in (shares[0], shares[-1]))
    return "{:.1f} to {:.1f}".format(*ends)


def test_coverage_of_docstrings_is_committed() -> None:
    def described(function: object) -> str:
        return " ".join((inspect.getdoc(function) or "").split())

    few = r"^fpr to 0.1, 50 \+ 50"
    fewest, high = r"^fpr to 0.1, 300 \+ 30 ", r"^tpr from 0.8, 30 \+ 300"
    rows = pl.read_csv(ROOT / "benches" / "results" / "small_samples.csv")
    logit = rows.filter(statistic="roc_auc_ci", method="logit")
    by_auc = [
        f"{100 * logit.filter(pl.col('case').str.contains(case), auc=auc)['coverage'].item():.1f}"
        for case, auc in ((fewest, 0.6), (fewest, 0.8), (fewest, 0.95), (high, 0.95))
    ]
    ci = "roc_auc_ci"
    bca = [coverage_of(ci, "bootstrap, bca", cases) for cases in (few, fewest, high)]
    for figures in (
        f'it is {coverage_of(ci, "logit", few)} % by ``"logit"``, {bca[0]} % with ``interval="bca"``',
        f"and {coverage_of(ci, 'delong', few)} % by DeLong",
        '{}, {} and {} % by ``"logit"`` for AUCs of 0.6, 0.8 and 0.95'.format(*by_auc[:3]),
        f'and {bca[1]} % with ``interval="bca"``. From a tpr of 0.8',
        f'{by_auc[3]} % by ``"logit"`` for an AUC of 0.95, and {bca[2]} % with ``interval="bca"``',
        f'it is {coverage_of(ci, "wilson", "^weights")} % by ``"wilson"``',
        f'and {coverage_of(ci, "logit", "^weights")} % by ``"logit"``',
    ):
        assert figures in described(pa.roc_auc_ci)
    assert f"holds at least {coverage_of(ci, 'wilson', '^weights')[:4]} %" in COVERAGE

    cv, hundred = "cv_roc_auc", r"30 \+ 70|50 \+ 50"
    for figures in (
        f'it is {coverage_of(cv, "influence", hundred)} % by ``"influence"``',
        f'and {coverage_of(cv, "delong", hundred)} % by ``"delong"``',
        f"{coverage_of(cv, 'influence', '30 .* 300 ')} % in ten folds with 30 positives and 300 negatives",
        f"and {coverage_of(cv, 'influence', '300 .* 300 ')} % with 300 of each class",
        f'clusters, ``"influence"`` covers {coverage_of(cv, "influence, cluster", "")} %',
        f'and ``"delong"`` {coverage_of(cv, "delong, cluster", "")} %',
    ):
        assert figures in described(pa.cv_roc_auc)

    for function, case in ((pa.tpr_at_fpr, r"300 \+ 30 "), (pa.fpr_at_tpr, r" 30 \+ 300")):
        case_rows = rows.filter(pl.col("case").str.contains(case), statistic=function.__name__)
        coverages = dict(case_rows.filter(method="percentile").select("auc", "coverage").rows())
        share, near_one = (f"{100 * coverages[auc]:.1f}" for auc in (0.8, 0.95))
        assert f"intervals cover {share} % for an AUC of 0.8 and {near_one} % for 0.95" in described(function)
        by_default = coverage_of(function.__name__, "wilson", case)
        assert f'by ``"wilson"`` they cover {by_default} %' in described(function)

    by_method = {method: coverage_of("concordance_index", method, "^40 ") for method in ("logit", "normal")}
    figures = f'cover {by_method["logit"]} % by ``"logit"``, and {by_method["normal"]} % by ``"normal"``'
    assert figures in described(pa.concordance_index)

    delong, wilson = (
        [coverage_of("compare_segments", method, case, complement=True) for case in ("^60 .* in 3", "in 6")]
        for method in ("delong", "wilson")
    )
    for figures in (
        f"rejects equal AUCs in {delong[0]} of 100 samples with 20 clusters in each of three segments",
        f"With ten clusters in each of six segments it rejects in {delong[1]}.",
        f'The test by ``"wilson"`` rejects in {wilson[0]} and in {wilson[1]}',
    ):
        assert figures in described(pa.compare_segments)


KINDS = ("intervals", "pairs", "alarms")
COVERAGE = (DOCS / "coverage.md").read_text(encoding="utf-8")


def percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}"


def most(rows: pl.DataFrame, *names: str) -> float:
    """Return the largest number of some columns."""
    return float(rows.select(pl.max_horizontal(pl.col(names).max())).item())


def small_segments(rows: pl.DataFrame) -> str:
    """Return the table of few positives."""
    lines = []
    for n_pos, n_neg in ((3, 200), (10, 30), (10, 2000), (50, 200)):
        for auc in (0.6, 0.8, 0.95, 0.99):
            cells = [f"{n_pos} + {n_neg:,}", f"{auc:g}"]
            for kind in ("intervals", "pairs", "alarms"):
                for method in ("wilson", "delong"):
                    case = {"auc": auc, "spread": 1.0, "n_pos": n_pos, "n_neg": n_neg}
                    row = rows.filter(kind=kind, method=method, **case).row(0, named=True)
                    both = f"{percent(row['below'], 1)} / {percent(row['above'], 1)}"
                    cells.append(percent(row["any"]) if kind == "alarms" else both)
            lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


def test_figures_of_few_positives_are_committed() -> None:
    """The table and the numbers below it are from the rows."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "small_segments.csv")
    section = COVERAGE.split("\n## Few positives\n")[1]
    table = section.split("`delong` |\n|---|---|---|---|---|---|---|---|\n")[1].split("\n\n")[0]
    assert f"{table}\n" == small_segments(rows)
    wilson = rows.filter(method="wilson")
    narrow, wide = (
        {kind: wilson.filter(kind=kind, spread=spread) for kind in KINDS} for spread in (1.0, 2.0)
    )
    assert all(part.height == 60 for part in narrow.values())
    intervals, pairs, books = narrow.values()
    tails = max(most(wide[kind], "below", "above") for kind in ("intervals", "pairs"))
    few = books.filter(pl.col("n_pos") <= 10)
    rejected = [percent(most(wide["alarms"].filter(n_pos=n_pos), "heterogeneity")) for n_pos in (3, 5, 10)]
    low, high = (percent(most(intervals, side), 1) for side in ("below", "above"))
    either = percent(most(pairs, "below", "above"), 1)
    alarms = [percent(most(part, "any")) for part in (books, wide["alarms"])]
    text = " ".join(section.split())
    for figures in (
        f"an interval is too low in at most {low} and too high in at most {high} % of the samples",
        f"a pair of segments differs in one direction in at most {either} %",
        f"books of 50 segments have an alarm in at most {alarms[0]} %",
        f"tails are at most {percent(tails, 1)} %, but up to {alarms[1]} % of the books",
        f"with 3 to 10 positives in up to {percent(most(few, 'heterogeneity'))} % of the books",
        "with the wide spread in up to {}, {} and {} % with 3, 5 and 10 positives".format(*rejected),
    ):
        assert figures in text
    by_delong = rows.filter(method="delong", kind="alarms", spread=1.0)["heterogeneity"]
    assert (by_delong.min(), by_delong.max()) == (0.0, 1.0)
    assert "By `delong` it rejects in 0 to 100 %" in text


def test_figures_of_pooled_segments_are_committed() -> None:
    rows = pl.read_csv(ROOT / "benches" / "results" / "segments.csv").filter(
        pl.col("auc") == pl.col("auc_of_first")
    )
    by_rates = {(row["rates"], row["auc"], row["versus"]): row for row in rows.iter_rows(named=True)}
    assert len(by_rates) == 18
    recipes = " ".join((DOCS / "recipes.md").read_text(encoding="utf-8").split())
    assert "six segments have the same AUC and rates of positives from 4 to 40 %" in recipes
    assert "some are found to be worse in nearly every sample (`benches/results/segments.csv`)" in recipes
    about = " ".join((inspect.getdoc(pa.compare_segments) or "").split())
    assert "At 5 % about 5 of 100 tests reject equal AUCs, for any rates of positives" in about
    assert "Against the pooled rest nearly all may reject" in about
    for (rates, _, versus), row in by_rates.items():
        if versus == "rest":
            assert row["both"] == pytest.approx(0.05, abs=0.011)
            assert row["gate"] < 0.05
        elif rates != "20 %":
            assert row["gate"] > 0.97
    assert most(rows.filter(versus="pooled_rest"), "both") > 0.95


def test_figures_of_bounded_reports_are_committed() -> None:
    """Where states save no memory, a bounded report needs as much as an ordinary one."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "bounded.csv").filter(pl.col("report") != "ordinary")
    small = rows.filter(pl.col("shape").is_in(["many scores", "many groups"]))
    assert set(small["shape"]) == {"many scores", "many groups"}
    assert set(small.select("scores", "groups").rows()) == {(50, 2000), (3, 10**6)}
    memory, seconds = (
        "{:.1f} to {:.1f}".format(*small.select(low=pl.col(name).min(), high=pl.col(name).max()).row(0))
        for name in ("megabytes_ratio", "seconds_ratio")
    )
    text = " ".join((ROOT / "benches" / "README.md").read_text(encoding="utf-8").split())
    figures = f"it takes {memory} of the memory and {seconds} of the time of an ordinary report"
    assert f"for 50 scores or 10^6 groups {figures}" in text
    assert rows.filter(shape="few groups")["megabytes_ratio"].max() < 0.8  # type: ignore[operator]
    [versus] = rows.filter(shape="many groups, versus", report="bounded").iter_rows(named=True)
    assert (versus["groups"], versus["scores"]) == (3 * 10**5, 3)
    figures = f"{versus['megabytes_ratio']:.2f} of the memory and {versus['seconds_ratio']:.1f} of the time"
    assert f'of 300,000 groups with `versus="rest"` it takes {figures}' in text


def test_the_table_of_the_build_is_committed() -> None:
    [row] = pl.read_csv(ROOT / "benches" / "results" / "build.csv")[-1].iter_rows(named=True)
    text = (ROOT / "benches" / "README.md").read_text(encoding="utf-8")
    [table] = re.findall(r"^Build, measured by `benches/build.py`.*?(?=^## )", text, re.MULTILINE | re.DOTALL)
    minutes = [
        f"{round(row[name]) // 60} min {round(row[name]) % 60} s"
        for name in ("first_command_s", "crate_alone_s")
    ]
    size = f"{row['wheel_bytes'] / 1e6:.1f} MB ({row['library_bytes'] / 1e6:.1f} MB unpacked)"
    assert re.findall(r"^\| .* \| (\d.*) \|$", table, re.MULTILINE) == [*minutes, size]
    assert f"on {row['cores']} cores" in table


@pytest.mark.parametrize("scale", ["real", "probability"])
def test_a_small_state_takes_some_100_kb(scale: Literal["real", "probability"], tmp_path: Path) -> None:
    """In memory a bin has 24 bytes: the score, two counts, and a bit for ties."""
    sentence = (
        "a state takes some 100 KB of memory, and less in a Parquet file, whatever its rows are: 24 bytes"
    )
    assert sentence in " ".join((DOCS / "scaling-out.md").read_text(encoding="utf-8").split())
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"y": rng.random(200_000) < 0.1}).with_columns(
        s=1 / (1 + (-pl.Series(rng.normal(size=200_000)) - pl.col("y")).exp())
    )
    state = frame.select(state=pa.roc_state("y", "s", max_bins=4096, scale=scale))
    bins = state["state"].struct.field("bins").list.len().item()
    assert 4000 < bins <= 4096
    assert 24 <= state.estimated_size() / bins < 24.5
    assert 90_000 < state.estimated_size() < 110_000
    state.write_parquet(tmp_path / "state.parquet")
    assert (tmp_path / "state.parquet").stat().st_size < state.estimated_size()


def test_the_guide_for_those_who_come_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The assertions are true, and the names in the tables can be called."""
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    code = "".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert code.count("assert ") >= 6
    exec(compile(code, "coming-from.md", "exec"), {})
    assert "u_statistic" in capsys.readouterr().out
    listed = re.findall(r"^\| `.*?` \| `([^`]*)`", text, re.MULTILINE)
    assert len(listed) > 20
    functions = {name: getattr(pa, name) for name in pa.__all__}
    for call in listed:
        frame = pl.DataFrame({"y": [0, 1], "s": [1, 2], "g": [1, 1]})
        eval(call, {**functions, "p": ["a", "b"], "names": ["a", "b"], "pl": pl, "frame": frame})


def test_the_commands_of_the_tutorial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command runs unchanged, in order."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    commands = re.findall(r"```bash\npolars-auc (.*)\n```", text)
    assert len(commands) == 3
    for command in commands:
        assert main(shlex.split(command)) == 0, capsys.readouterr()
    capsys.readouterr()


def test_the_commands_of_the_command_line_print_their_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The expected output is stdout, then stderr."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```\n```text\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == text.count("```bash") == 7
    assert len(re.findall(r"^## [1-5]\. ", text, re.MULTILINE)) == 5
    for commands, output in blocks:
        codes = [main(shlex.split(command)[1:]) for command in commands.splitlines()]
        assert codes == [int("--fail-if" in commands)] * len(codes)
        printed = capsys.readouterr()
        assert printed.out + printed.err == output


def test_every_function_is_in_the_reference() -> None:
    listed = [name for page in (DOCS / "reference").glob("*.md") for name in functions_of_page(page)]
    assert sorted(listed) == sorted(FUNCTIONS)


GATES = (DOCS / "gates-measured.md").read_text(encoding="utf-8")


def gates() -> list[str]:
    """Return the tables of ``docs/gates-measured.md``, and the numbers of its weighted interval."""
    rows = pl.read_csv(ROOT / "benches" / "results" / "always_valid.csv")
    quiet, drops = rows.filter(pl.col("drop") == 0), rows.filter(pl.col("drop") > 0)
    names = ["naive", "bonferroni", "always_valid", "always_valid_change", "always_valid_change, reference"]
    cases = [(1000, 0.8), (10_000, 0.8), (100, 0.9), (40, 0.95)]

    def shares(name: str) -> list[str]:
        case_shares = {
            (n, auc): share
            for n, auc, share in quiet.filter(gate=name).select("rows", "auc", "alarmed").rows()
        }
        # Round half up in decimal, regardless of the binary fraction.
        return [
            str((Decimal(str(case_shares[case])) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP))
            for case in cases
        ]

    sides = ["always_valid, greater", "interval"]
    alarms = [f"| {name} | {' | '.join(shares(name))} |" for name in [*names, *sides]]
    waits = []
    for size in (1000, 10_000):
        for night in (1, 181):
            for name in names:
                gate_rows = drops.filter(gate=name, rows=size, drop_at=night).sort("drop")
                if gate_rows.height:
                    cells = [
                        "-" if nights is None else f"{nights:g}" for nights in gate_rows["median_nights"]
                    ]
                    waits.append(f"| {name} | {size:,} | {night} | {' | '.join(cells)} |")
    return ["\n".join(alarms), "\n".join(waits), ", ".join(shares("interval, weight 1 / se²"))]


def test_errors_of_few_positives_are_committed() -> None:
    rows = pl.read_csv(ROOT / "benches" / "results" / "few_positives.csv")
    rows = rows.with_columns(pl.col("alarmed", "alarmed_of_ten") * 100)
    cases = [(2, False, 0.0), (2, True, 0.0), (20, True, 0.0), (50, True, 0.0), (20, True, 1.0)]
    for test in rows["test"].unique():
        cells = []
        for n_pos, counts, auc_sd in cases:
            case = {"n_pos": n_pos, "n_neg": 100 * n_pos, "counts": counts, "auc_sd": auc_sd}
            case_rows = rows.filter(test=test, auc=0.8, shape="binormal", **case)
            [(alarmed, alarms_per_ten)] = case_rows.select("alarmed", "alarmed_of_ten").rows()
            cells.append(f"{alarmed:.1f} / {alarms_per_ten:.1f}")
        assert f"| {test} | {' | '.join(cells)} |\n" in GATES
    held = rows.filter("counts", shape="binormal", auc_sd=0.0)
    assert held.height == 36 * 7
    every = ([2, 3, 5, 10, 20, 50], [0.6, 0.8, 0.95, 0.99])
    for ratio, grid in ((100, every), (10, ([2, 5, 20], [0.8, 0.95])), (500, ([2, 5, 20], [0.8, 0.95]))):
        part = held.filter(pl.col("n_neg") == ratio * pl.col("n_pos"))
        assert [part[name].unique().sort().to_list() for name in ("n_pos", "auc")] == [*grid]
    for figures in (
        "With 100 negatives for each positive, these cases are 2 to 50 positives a night",
        "and AUCs from 0.6 to 0.99. With 10 and with 500 negatives, they are 2, 5 and 20 positives",
        "and AUCs of 0.8 and 0.95.",
    ):
        assert figures in " ".join(GATES.split())
    assert held["alarmed"].max() == pytest.approx(3.4)
    assert held["alarmed_of_ten"].max() == pytest.approx(3.93, abs=0.01)
    about = (pa.always_valid, pa.always_valid_change)
    text = GATES + "".join(inspect.getdoc(function) or "" for function in about)
    changes = held.filter(pl.col("test").str.contains("change|reference"))
    assert changes["alarmed"].max() == pytest.approx(1.0)
    assert "at most 1.0 % of simulated streams" in " ".join(text.split())
    is_change = pl.col("test").str.contains("change|reference")
    uncounted, moving = rows.filter(~pl.col("counts")), rows.filter(pl.col("auc_sd") > 0)
    worst = {
        "of 2": uncounted.filter(~is_change, pl.col("n_pos") == 2),
        "of 20": uncounted.filter(~is_change, pl.col("n_pos") == 20),
        "moving": moving.filter(~is_change),
        "reference": uncounted.filter(pl.col("test").str.contains("reference")),
        "change": uncounted.filter(pl.col("test").str.contains("change")),
        "moving, reference": moving.filter(pl.col("test").str.contains("reference")),
        "moving, change": moving.filter(pl.col("test").str.contains("change")),
        "moving, change, less": moving.filter(test="change, less"),
    }
    share = {name: f"{most(part, 'alarmed'):.2g}" for name, part in worst.items()}
    described = " ".join(" ".join(inspect.getdoc(function) or "" for function in about).split())
    for figures in (
        f"Without counts it was up to {share['of 2']} % with 2 positives, and {share['of 20']} % with 20",
        f"varied between periods by as much as the standard error, {share['moving']} % had a false alarm",
        f"Without counts it was up to {share['reference']} % with a reference, and {share['change']} %",
        f"it was {share['moving, reference']} % and {share['moving, change']} %, and "
        f"{share['moving, change, less']} % for a fall without a reference",
    ):
        assert figures in described
    mixed = rows.filter("counts", shape="mixed").select(pl.col("alarmed", "alarmed_of_ten").max()).row(0)
    assert "one stream had at most {:.1f} %. Ten streams had {:.1f} %".format(*mixed) in text


def test_false_alarms_of_calibration_are_committed() -> None:
    rows = pl.read_csv(ROOT / "benches" / "results" / "always_valid.csv")
    rows = rows.filter(pl.col("gate").str.starts_with("calibration"), pl.col("drop") == 0)
    for gate in ("calibration, naive", "calibration, always_valid"):
        cells = [f"{100 * share:.1f}" for share in rows.filter(gate=gate)["alarmed"]]
        assert f"| {gate} | {' | '.join(cells)} |\n" in GATES
    assert (rows.filter(gate="calibration, always_valid")["alarmed"] <= 0.055).all()


def test_figures_of_gates_are_committed() -> None:
    for part in gates():
        assert part in GATES
    rows = pl.read_csv(ROOT / "benches" / "results" / "always_valid.csv")
    gate = rows.filter(
        pl.col("drop") == 0, pl.col("rows") >= 1000, pl.col("gate").str.starts_with("always_valid")
    )
    assert gate.height == 12
    assert (gate["alarmed"] <= 0.055).all()
