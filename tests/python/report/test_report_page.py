"""The page of a report: its contents, without any external resources."""

from __future__ import annotations

import json
import math
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
import polars_auc._page.document
import polars_auc._plugin.packages
from polars_auc._commands.main import main

DATA = Path(__file__).parents[3] / "data"
SCORES = ["logistic", "forest", "tree"]
OPTIONS = ["--label", "label", *(f"--score={score}" for score in SCORES)]
ROWS = pl.scan_parquet(DATA / "*.parquet")


class Page(HTMLParser):
    """A parsed page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.charts: dict[str, Any] = {}
        self._inside: list[str] = []
        self._cells: list[list[str]] = []
        self._caption = self._chart = self._words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "wbr":
            return
        attributes = dict(attrs)
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag != "a":
            self.loaded += [str(attributes[name]) for name in ("src", "href", "data") if name in attributes]
        if tag == "figure":
            self._chart = str(attributes["data-chart"])
        if tag == "table":
            self._cells, self._caption = [], ""
        if tag == "tr":
            self._cells.append([])
        self._inside.append(tag)
        self._words = ""

    def handle_data(self, data: str) -> None:
        self._words += data

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cells:
            self._cells[-1].append(self._words)
        if tag == "caption":
            self._caption = self._words
        if tag == "table" and self._caption:
            self.tables[self._caption] = self._cells
        if tag == "script" and self._chart:
            part = json.loads(self._words)
            if self._chart in self.charts:
                # A further part has other rows and the same axes.
                whole, name = self.charts[self._chart], part["data"]["name"]
                whole["datasets"][whole["data"]["name"]] += part["datasets"][name]
            else:
                self.charts[self._chart] = part
        if tag == "figure":
            self._chart = ""
        self._words = ""

    def data(self, chart: str) -> pl.DataFrame:
        """Return the data of a chart."""
        drawing = self.charts[chart]
        values = drawing["datasets"][drawing["data"]["name"]]
        return pl.DataFrame(values, infer_schema_length=None)


def create_page(tmp_path: Path, *options: str, data: Path = DATA, code: int = 0) -> Page:
    """Make a page, and check its invariants."""
    output = tmp_path / "report.html"
    assert main(["report", str(data), *options, "--quiet", "-o", str(output)]) == code
    page = Page(output.read_text(encoding="utf-8"))
    assert page.loaded == []
    assert len(set(page.ids)) == len(page.ids)
    return page


def test_the_page_shows_the_numbers_of_the_report(tmp_path: Path) -> None:
    options = ["--by", "dataset", "--by", "segment", "--compare", "--versus", "rest", "--folds", "fold"]
    page = create_page(tmp_path, *OPTIONS, *options, "--title", "Two data sets")
    assert "<h1>Two data sets</h1>" in page.text
    report = pa.report(
        ROWS, "label", SCORES, by=["dataset", "segment"], compare=True, versus="rest", folds="fold"
    ).collect()
    overall = report.filter(pl.col("scope") == "overall")
    header, *rows = page.tables["The evaluation of all rows"]
    for row, expected in zip(rows, overall.iter_rows(named=True), strict=True):
        for name, cell in zip(header, row, strict=True):
            value = expected[name]
            assert cell == (
                f"{value:.4f}" if isinstance(value, float) else f"{value:,}" if name != "score" else value
            )
    assert [row[0] for row in page.tables["The AUC of each score minus that of the first"]] == [
        "score",
        *SCORES,
    ]
    assert len(page.tables["The mean AUC of the folds"]) == 4
    assert len(page.tables["The test of all groups"]) == 4
    points = page.data("forest")
    groups = report.filter(pl.col("scope") == "group")
    assert points["auc"].to_list() == [float(f"{auc:.6g}") for auc in groups["auc"]]
    assert points["differs"].to_list() == (groups["p_adjusted"] <= 0.05).to_list()
    assert points["overall"].to_list() == [float(f"{auc:.6g}") for auc in overall["within_auc"]] * 8
    assert page.tables["Rows that were used and skipped"][1] == [
        "logistic",
        "2,366",
        "2,366",
        "0",
        "386",
        "1,980",
    ]


def test_the_pictures_are_those_of_the_expressions(tmp_path: Path) -> None:
    page = create_page(tmp_path, *OPTIONS, "--by", "segment", "--level", "0.9")
    rows = ROWS.collect()
    for score in SCORES:
        for rule, options in (
            ("the largest F measure", {"criterion": "max_f"}),
            ("fpr of at most 5 %", {"criterion": "target_fpr", "target": 0.05}),
        ):
            point = rows.select(pa.operating_point("label", score, **options)).item()
            [printed] = [row for row in page.tables[f"Thresholds of {score}"] if row[0] == rule]
            numbers = [f"{point[name]:.4f}" for name in ("tpr", "fpr")]
            assert printed[2:4] == numbers
            # A rounded threshold still includes its row.
            assert 0 <= point["threshold"] - float(printed[1]) < 1e-5 * point["threshold"]
        gains = rows.select(pa.gains_table("label", score)).explode(score).unnest(score)
        assert [row[2:4] for row in page.tables[f"Gains of {score}"][1:]] == [
            [str(n), str(n_pos)] for n, n_pos in gains.select("n", "n_pos").rows()
        ]
        bars = page.data("distributions").filter(pl.col("score") == score)
        for label, sign in (("positive", 1), ("negative", 0)):
            class_bars = bars.filter(pl.col("label") == label).sort("low")
            values = rows.filter(pl.col("label") == sign)[score].to_numpy()
            assert class_bars["n"].sum() == len(values)
            assert math.isclose(class_bars["share"].sum(), 1, abs_tol=1e-4)
            edges = [-np.inf, *class_bars["low"].to_list()[1:], np.inf]
            assert np.histogram(values, edges)[0].tolist() == class_bars["n"].to_list()
    curve = page.data("curves")
    band = curve.filter(pl.col("part") == "band")
    assert band["curve"].unique(maintain_order=True).to_list() == SCORES
    panels = page.data("panels")
    assert sorted(panels["panel"].unique()) == ["Q1", "Q2", "Q3", "Q4"]


def test_calibration_adds_its_diagram(tmp_path: Path) -> None:
    options = ["--by", "dataset", "--level", "0.9"]
    without = create_page(tmp_path, *OPTIONS, *options)
    assert "calibration" not in without.charts
    assert "Calibration" not in without.text
    page = create_page(tmp_path, *OPTIONS, *options, "--calibration")
    assert set(page.charts) == {*without.charts, "calibration"}
    rows = ROWS.collect()
    points = page.data("calibration")
    fields = ["lowest", "highest", "n", "n_pos", "mean_score", "rate", "rate_lower", "rate_upper"]
    expected = pa.curve_points(rows, pa.calibration_curve("label", pl.col(SCORES), level=0.9))
    assert_frame_equal(
        points.filter(part="curve").select("curve", *fields),
        expected.sort("point", maintain_order=True).select(pl.col("score").alias("curve"), *fields),
        check_row_order=False,
        check_dtypes=False,
        rel_tol=1e-5,
    )
    bars = points.filter(part="distribution").group_by("curve").agg(pl.col("n").sum())
    assert sorted(bars.rows()) == [(score, rows.height) for score in sorted(SCORES)]
    report = pa.report(rows, "label", SCORES, by="dataset", calibration=True, level=0.9)
    path = pa.write_report(report, tmp_path / "x.html", frame=rows, label="label", scores=SCORES, level=0.9)
    page = Page(path.read_text(encoding="utf-8"))
    assert page.data("calibration").equals(points)
    for score in SCORES:
        head, *bands = page.tables[f"Gains of {score}"]
        assert head[-2:] == ["mean_score", "expected_positives"]
        gains = rows.select(pa.gains_table("label", score, calibration=True)).explode(score).unnest(score)
        sums = [float(band[-1].replace(",", "")) for band in bands]
        assert sums == pytest.approx(gains["expected_positives"].to_list(), abs=0.0501)
    assert "Expected positives are the sum of the scores" in page.text
    # Without the rows there are no points.
    path = pa.write_report(report, tmp_path / "x.html", level=0.9)
    assert "calibration" not in Page(path.read_text(encoding="utf-8")).charts
    # Nothing is added to other pages.
    page = create_page(tmp_path, *OPTIONS)
    assert "expected_positives" not in page.tables["Gains of forest"][0]
    assert "Expected positives" not in page.text


def test_calibration_of_states_and_of_scores_that_are_nan(tmp_path: Path) -> None:
    states = tmp_path / "states.parquet"
    assert main(["state", str(DATA), *OPTIONS, "--by", "dataset", "-o", str(states)]) == 0
    page = create_page(tmp_path, "--from-states", "--calibration", data=states)
    assert page.data("calibration").equals(
        create_page(tmp_path, *OPTIONS, "--calibration").data("calibration")
    )
    rows = ROWS.with_columns(tree=pl.lit(math.nan)).collect()
    rows.write_parquet(tmp_path / "rows.parquet")
    page = create_page(tmp_path, *OPTIONS, "--calibration", data=tmp_path / "rows.parquet", code=3)
    assert page.data("calibration")["curve"].unique(maintain_order=True).to_list() == ["logistic", "forest"]


def test_the_same_rows_make_the_same_bytes(tmp_path: Path) -> None:
    first = create_page(tmp_path, *OPTIONS, "--by", "segment").text
    assert create_page(tmp_path, *OPTIONS, "--by", "segment").text == first


def test_states_make_the_page_of_their_rows(tmp_path: Path) -> None:
    states = tmp_path / "states.parquet"
    assert main(["state", str(DATA), *OPTIONS, "--by", "segment", "-o", str(states)]) == 0
    row_page = create_page(tmp_path, *OPTIONS, "--by", "segment")
    for page in (
        create_page(tmp_path, "--from-states", "--by", "segment", data=states),
        create_page(tmp_path, *OPTIONS, "--by", "segment", "--bounded", "--max-bins", "4096"),
    ):
        assert page.charts == row_page.charts
        assert page.tables == row_page.tables
    page = create_page(tmp_path, *OPTIONS, "--by", "segment", "--bounded", "--max-bins", "64")
    assert "made of states in which neighbouring scores are joined into bins" in page.text
    assert "The tables of groups and of all rows are exact" not in page.text
    assert page.text.count("the AUC of the rows lies within") == 3
    head, *rows = page.tables["The evaluation of all rows"]
    exact = [ROWS.select(pa.roc_auc("label", score)).collect().item() for score in SCORES]
    for row, auc in zip(rows, exact, strict=True):
        low, high = (float(row[head.index(name)]) for name in ("auc_min", "auc_max"))
        assert low - 1e-4 <= auc <= high + 1e-4
        assert low < high
    assert "distributions" not in page.charts
    assert "highest" not in page.tables["Gains of forest"][0]


def test_hostile_names_and_values_stay_text(tmp_path: Path) -> None:
    """Test names that end a script or a comment, and scores without a chart."""
    name = "</script><script>alert(1)</script>"
    draw = np.random.default_rng(0)
    rows = pl.DataFrame(
        {
            "at": ["</script><b>x", "-->&amp;<!--", None] * 20,
            "point": [1, 2, 3] * 20,
            "y": draw.integers(0, 2, 60),
            name: draw.random(60),
            "infinite": [math.inf] * 3 + [-math.inf] * 3 + list(draw.random(54)),
            "constant": [1] * 60,
            "flag": draw.random(60) > 0.5,
            "nan": [math.nan, *draw.random(59)],
            "nan_only": [math.nan] * 60,
            "null_only": pl.Series([None] * 60, dtype=pl.Float64),
            "decimal": pl.Series(draw.integers(0, 100, 60)).cast(pl.Decimal(10, 2)),
            "all_infinite": [math.inf, -math.inf] * 30,
        }
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = [f'--score="{name}"', *(f"--score={column}" for column in rows.columns[4:])]
    page = create_page(
        tmp_path,
        "--label",
        "y",
        *arguments,
        "--by",
        "at",
        "--by",
        "point",
        "--allow-empty",
        data=tmp_path / "rows.parquet",
        # A NaN makes the report incomplete.
        code=3,
    )
    assert f'"{name}"' in page.tables["The evaluation of all rows"][1][0]
    assert "<b>x" not in page.text
    assert set(page.charts) == {"curves", "panels", "forest", "distributions"}
    why = {row[2]: row[-1] for row in page.tables["Groups without an AUC"][1:]}
    assert why["nan_only"] == "a score is NaN"
    assert why["null_only"] == "no row has a label and a score"


def test_groups_of_one_class_are_listed_with_their_reason(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {
            "g": ["a"] * 4 + ["b"] * 2 + ["c"] * 2,
            "y": [0, 1, 0, 1, 1, 1, 0, 0],
            "s": [1.0, 2, 3, 4, 5, 6, 7, 8],
        }
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    options = ["--label", "y", "--score", "s", "--by", "g"]
    page = create_page(tmp_path, *options, data=tmp_path / "rows.parquet")
    assert [row[0::3] for row in page.tables["Groups without an AUC"][1:]] == [
        ["b", "no row is negative"],
        ["c", "no row is positive"],
    ]
    assert page.data("forest")["group"].to_list() == ["a"]
    only = create_page(
        tmp_path, *options, "--where", "y = 1", "--allow-empty", data=tmp_path / "rows.parquet"
    )
    assert only.charts == {}
    assert len(only.tables["Groups without an AUC"]) == 3
    none = create_page(
        tmp_path, *options, "--where", "s > 100", "--allow-empty", data=tmp_path / "rows.parquet"
    )
    assert none.tables["Rows that were used and skipped"][1] == ["s", "0", "0", "0", "0", "0"]


def test_pages_of_one_group_and_of_none(tmp_path: Path) -> None:
    page = create_page(tmp_path, *OPTIONS)
    assert set(page.charts) == {"curves", "distributions"}
    assert 'id="groups-table"' not in page.text
    one = create_page(tmp_path, *OPTIONS, "--by", "segment", "--where", "segment = 'Q1'")
    assert set(page.charts) < set(one.charts)


def test_a_page_needs_its_libraries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        polars_auc._plugin.packages, "find_spec", lambda name: None if name == "itables" else name
    )
    output = tmp_path / "report.html"
    assert main(["report", str(DATA), *OPTIONS, "-o", str(output)]) == 2
    stderr = capsys.readouterr().err
    assert stderr == (
        'polars-auc: a page needs itables>=2.9,<3: pip install "polars-auc[report]"; or end --output in .md\n'
    )
    assert not output.exists()


def test_a_title_is_of_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(DATA), *OPTIONS, "--title", "x"]) == 2
    assert "--title is of a page" in capsys.readouterr().err
    assert main(["report", str(DATA), *OPTIONS, "--title", "x", "-o", str(tmp_path / "r.md"), "--quiet"]) == 0
    assert (tmp_path / "r.md").read_text().startswith("# x\n")


def page_of_rows(tmp_path: Path, rows: pl.DataFrame, *options: str) -> Page:
    """Make a page of a frame with the label y and the score s."""
    rows.write_parquet(tmp_path / "rows.parquet")
    return create_page(tmp_path, "--label", "y", "--score", "s", *options, data=tmp_path / "rows.parquet")


def numbers(n: int = 400) -> pl.DataFrame:
    draw = np.random.default_rng(1)
    return pl.DataFrame({"y": np.arange(n) % 3 == 0, "z": draw.standard_normal(n)}).with_columns(
        z=pl.col("z") + pl.col("y")
    )


def test_a_printed_threshold_gives_the_printed_counts(tmp_path: Path) -> None:
    """Scores near 1 differ only in late decimals."""
    rows = numbers(3000).with_columns(s=1 / (1 + (-pl.col("z") - 9).exp()))
    for dtype in (pl.Float64, pl.Float32):
        converted = rows.with_columns(pl.col("s").cast(dtype))
        page = page_of_rows(tmp_path, converted)
        for row in page.tables["Thresholds of s"][1:]:
            called = converted.filter(pl.col("s") >= float(row[1]))
            tp, fp = called["y"].sum(), (~called["y"]).sum()
            assert [f"{tp:,}", f"{fp:,}"] == row[6:8]
        for row in page.tables["Gains of s"][1:]:
            within = converted.filter(pl.col("s") <= float(row[0]), pl.col("s") >= float(row[1]))
            assert f"{within.height:,}" == row[2]


@pytest.mark.parametrize(
    "score",
    [
        1 / (1 + (-36.5 - 0.3 * pl.col("z")).exp()),
        1e16 + 2 * pl.col("z").round(),
        pl.col("z") * 1e308,
        pl.col("z") * 5e-324,
        1_000_000 + (pl.col("z") * 8).cast(pl.Int64),
        1 - 10.0 ** -(6 + pl.col("z") / 3),
        2**53 + (pl.col("z") * 3).cast(pl.Int64),
        pl.when(pl.col("z") > 0).then(math.inf).otherwise(-math.inf),
    ],
)
def test_bars_of_scores_of_any_size(tmp_path: Path, score: pl.Expr) -> None:
    """There are bars with row counts, or none; the page is always written."""
    rows = numbers().with_columns(s=score)
    page = page_of_rows(tmp_path, rows)
    if "distributions" not in page.charts:
        return
    bars = page.data("distributions").filter(pl.col("label") == "positive").sort("low")
    assert bars.filter(pl.col("low") >= pl.col("high")).is_empty()
    edges = [-np.inf, *bars["low"].to_list()[1:], np.inf]
    values = rows.filter("y")["s"].cast(pl.Float64).to_numpy()
    assert np.histogram(values, edges)[0].tolist() == bars["n"].to_list()


def test_groups_that_look_alike(tmp_path: Path) -> None:
    rows = numbers().with_columns(
        s="z",
        g=pl.int_range(pl.len()) % 4,
    )
    words = rows.with_columns(
        g=pl.col("g").replace_strict([0, 1, 2, 3], ["a, b", "a", None, "null"], return_dtype=pl.String),
        why=pl.col("g").replace_strict([0, 1, 2, 3], ["c", "b, c", "d", "d"]),
    )
    lone = pl.DataFrame({"g": ["one"], "why": ["d"], "y": [True], "s": [1.0]})
    page = page_of_rows(
        tmp_path, pl.concat([words.select("g", "why", "y", "s"), lone]), "--by", "g", "--by", "why"
    )
    names = {'"a, b", c', 'a, "b, c"', "null, d", '"null", d'}
    assert set(page.data("forest")["group"]) == names
    assert set(page.data("panels")["panel"]) == names
    assert page.tables["Groups without an AUC"] == [
        ["g", "why", "score", "n", "why"],
        ["one", "d", "s", "1", "no row is negative"],
    ]
    floats = rows.with_columns(
        pl.col("g").replace_strict([0, 1, 2, 3], [1e-10, 1 / 3, 2015.0, 123456789.123])
    )
    page = page_of_rows(tmp_path, floats, "--by", "g")
    for key in ("1e-10", "0.3333333333333333", "2015.0", "123456789.123"):
        assert f"[{key}, " in page.text
    years = rows.with_columns(y=pl.col("y") & (pl.col("g") > 0), g=pl.col("g").cast(pl.Int32) + 2016)
    page = page_of_rows(tmp_path, years, "--by", "g")
    assert page.tables["Groups without an AUC"][1][0] == "2016"


def test_omissions_are_printed(tmp_path: Path) -> None:
    rows = numbers().with_columns(s="z", **{f"t{place}": pl.col("z") * place for place in range(2, 12)})
    more = [f"--score=t{place}" for place in range(2, 12)]
    page = page_of_rows(tmp_path, rows.with_columns(g=pl.int_range(pl.len()) % 2), *more, "--by", "g")
    assert page.text.count("The first 8 of 11 scores are drawn.") == 4
    assert "are drawn." not in page_of_rows(tmp_path, rows).text


def test_gates_are_on_the_page(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    assert main(["report", str(DATA), *OPTIONS, "--fail-if", "auc < 0.95", "--quiet", "-o", str(output)]) == 1
    assert "<dt>Check</dt>" in output.read_text(encoding="utf-8")


def test_libraries_are_loaded_once_while_rows_are_read() -> None:
    document = polars_auc._page.document
    document.begin_to_load_libraries()
    loading = list(document._loading)
    document.begin_to_load_libraries()
    document.await_libraries()
    assert loading == document._loading
    assert len(loading) == 2
    assert not any(thread.is_alive() for thread in loading)
    assert "itables" in sys.modules
