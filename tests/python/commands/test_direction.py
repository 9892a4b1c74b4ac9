"""Low scores as positives: numbers of negated scores, on the original scale."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._cli.files import Files
from polars_auc._cli.rows import RowOptions
from polars_auc._commands.main import main
from polars_auc._page.details import details

Capture = pytest.CaptureFixture[str]

POINTS = [620, 480, 530, 700, 410, 560, 650, 590, 450, 520, 610, 480]
ROWS = pl.DataFrame(
    {
        "bad": [0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1],
        "points": POINTS,
        "other": [float(each) / 7 for each in reversed(POINTS)],
        "g": ["a", "b"] * 6,
    }
)
DTYPES: list[Any] = [
    pl.Int16,
    pl.UInt16,
    pl.Int64,
    pl.UInt64,
    pl.Int128,
    pl.Float32,
    pl.Float64,
    pl.Decimal(20, 2),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ROWS.write_parquet("rows.parquet")
    return tmp_path


def written(command: str, *options: str) -> pl.DataFrame:
    arguments = [command, "rows.parquet", "--label", "bad", *options, "-o", "out.parquet"]
    assert main(arguments) == 0
    return pl.read_parquet("out.parquet")


@pytest.mark.parametrize("dtype", [*DTYPES, pl.Boolean], ids=str)
def test_a_report_is_that_of_the_negated_scores(dtype: Any) -> None:
    score = pl.col("points") > 500 if dtype == pl.Boolean else pl.col("points").cast(dtype)
    frame = ROWS.with_columns(points=score)
    negated = frame.with_columns(points=-pl.col("points").cast(pl.Float64))
    options: dict[str, Any] = {"by": "g", "versus": "rest"}
    low = pa.report(frame, "bad", "points", low_is_positive=True, **options)
    assert_frame_equal(low, pa.report(negated, "bad", "points", **options))
    bounded = pa.report(frame, "bad", "points", by="g", low_is_positive=True, memory="bounded")
    assert bounded["auc"].to_list() == low["auc"].to_list()


def test_extreme_integers_have_an_order() -> None:
    for dtype, values in ((pl.Int64, [-(2**63), 2**63 - 1]), (pl.UInt64, [2**64 - 1, 0])):
        frame = pl.DataFrame({"y": [0, 1], "s": pl.Series(values, dtype=dtype)})
        expected = 1 - pa.report(frame, "y", "s")["auc"].item()
        assert pa.report(frame, "y", "s", low_is_positive=True)["auc"].item() == expected


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tables_are_on_the_scale_of_the_scores(folder: Path, dtype: Any) -> None:
    frame = ROWS.with_columns(pl.col("points").cast(dtype))
    frame.write_parquet(folder / "rows.parquet")
    best = written("thresholds", "--score", "points", "--low-is-positive")
    assert best.schema["threshold"] == dtype
    is_positive = pl.col("points") <= best["threshold"].item()
    rates = frame.group_by("bad").agg(is_positive.mean()).sort("bad")["points"]
    assert [best["fpr"].item(), best["tpr"].item()] == rates.to_list()
    bands = written("gains", "--score", "points", "--low-is-positive", "--edges", "450,500,600")
    assert bands.schema["lowest"] == bands.schema["highest"] == dtype
    # A band ends at its edge, inclusive: "positive if score <= threshold".
    expected = []
    for above, below in itertools.pairwise([10_000, 600, 500, 450, -1][::-1]):
        held = [
            (points, bad) for points, bad in zip(POINTS, ROWS["bad"], strict=True) if above < points <= below
        ]
        points = [point for point, _ in held]
        expected.append((max(points), min(points), len(held), sum(bad for _, bad in held)))
    assert bands.select("highest", "lowest", "n", "n_pos").rows() == expected
    curve = written("curve", "--score", "points", "--low-is-positive")
    for threshold, tp in curve.select("threshold", "tp").rows()[1:]:
        assert tp == frame.filter(pl.col("points") <= threshold, bad=1).height


def test_words_and_comparisons(folder: Path, capsys: Capture) -> None:
    both = ["--score", "points", "--score", "other", "--by", "g"]
    low = written("compare", *both, "--low-is-positive")
    assert "positive if score" not in capsys.readouterr().err
    ROWS.with_columns(-pl.col("points"), -pl.col("other")).write_parquet(folder / "rows.parquet")
    assert_frame_equal(low, written("compare", *both))
    for command in ("gains", "thresholds", "curve"):
        written(command, *both, "--low-is-positive")
        assert "low scores are positive: a row is positive if score <= threshold" in capsys.readouterr().err
    config = '[input]\nlabel = "bad"\nscore = "points"\n[report]\nlow-is-positive = true\noutput = "r.md"\n'
    (folder / "x.toml").write_text(config)
    ROWS.write_parquet(folder / "rows.parquet")
    assert main(["report", "rows.parquet", "--config", "x.toml"]) == 0
    assert "positive if score <= threshold" in (folder / "r.md").read_text(encoding="utf-8")
    plain = ["gains", "rows.parquet", "--label", "bad", "--score", "points", "--low-is-positive"]
    assert main([*plain, "--edges", "500,450"]) == 2
    assert "--edges must ascend, got [500, 450]" in capsys.readouterr().err


def test_states_have_their_direction(folder: Path, capsys: Capture) -> None:
    arguments = ["rows.parquet", "--label", "bad", "--score", "points", "-o", "s.parquet"]
    assert main(["state", *arguments]) == 0
    for command in ("report", "gains"):
        assert main([command, str(folder / "s.parquet"), "--from-states", "--low-is-positive"]) == 2
        assert "--low-is-positive requires rows" in capsys.readouterr().err


@pytest.mark.parametrize("score", ["points", "other"])
def test_a_page_is_on_the_scale_of_the_scores(folder: Path, score: str) -> None:
    arguments = ["report", "rows.parquet", "--label", "bad", "--score", score, "--low-is-positive"]
    assert main([*arguments, "-o", "low.html"]) == 0
    text = (folder / "low.html").read_text(encoding="utf-8")
    assert "positive if its score is at most the threshold" in text
    files = Files.find(["rows.parquet"], None)
    rows = RowOptions("bad", [score]).with_options(low_is_positive=True).source(files).rows
    table = pa.report(ROWS, "bad", score, low_is_positive=True)
    page_details = details(rows, table, 0.95)
    assert page_details.bars["n"].sum() == ROWS.height
    for row in page_details.bars.iter_rows(named=True):
        above = pl.col(score) > row["low"] if "above" in row["range"] else pl.lit(value=True)
        below = (
            pl.col(score) <= row["high"] if "above" not in row["range"] or "up to" in row["range"] else True
        )
        assert row["n"] == ROWS.filter(above, below, bad=int(row["label"] == "positive")).height, row
    for row in page_details.thresholds.drop_nulls("threshold").iter_rows(named=True):
        called = ROWS.filter(pl.col(score) <= float(row["threshold"]) + 1e-12, bad=1).height
        assert row["tpr"] == called / 5
