"""``polars-auc curve --kind``: tables, charts and refusals of each kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]
DATA = Path(__file__).parents[3] / "data"
ROWS = pl.read_parquet(DATA / "*.parquet")
CURVE = ["curve", str(DATA), "--label", "label", "--score", "forest", "--score", "tree", "--by", "dataset"]
KINDS: dict[str, Callable[..., pl.Expr]] = {
    "roc": pa.roc_curve,
    "pr": pa.pr_curve,
    "det": pa.det_curve,
    "cap": pa.cap_curve,
    "gains": pa.gains_table,
    "lift": pa.gains_table,
    "cost": pa.cost_curve,
    "net-benefit": pa.net_benefit,
    "calibration": pa.calibration_curve,
}
TITLES = {
    "roc": "ROC curves",
    "pr": "Precision-recall curves",
    "det": "DET curves",
    "cap": "CAP curves",
    "gains": "Gains curves",
    "lift": "Lift curves",
    "cost": "Cost curves",
    "net-benefit": "Decision curves",
    "calibration": "Calibration curves",
}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_and_charts_of_each_kind(kind: str, tmp_path: Path, capsys: Capture) -> None:
    table, page, states = tmp_path / "x.parquet", tmp_path / "x.html", tmp_path / "states.parquet"
    assert main([*CURVE, "--kind", kind, "-o", str(table)]) == 0
    options = {"max_points": 1000} if kind == "roc" else {}
    expected = pa.curve_points(ROWS, KINDS[kind]("label", pl.col("forest", "tree"), **options), "dataset")
    if kind in ("gains", "lift"):
        expected = expected.drop("point")
    assert_frame_equal(pl.read_parquet(table), expected, check_exact=True)
    assert main([*CURVE, "--kind", kind, "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert f"<title>{TITLES[kind]}</title>" in text
    assert f"{TITLES[kind]}. Curves by score: forest, tree. Panels by dataset" in text
    assert main([*CURVE, "--kind", kind, "-o", str(tmp_path / "x.svg")]) == 0
    # States give the same curves.
    assert main(["state", *CURVE[1:], "-o", str(states)]) == 0
    merged = ["curve", str(states), "--from-states", "--by", "dataset", "--kind", kind]
    assert main([*merged, "-o", str(tmp_path / "y.parquet")]) == 0
    assert_frame_equal(pl.read_parquet(tmp_path / "y.parquet"), expected, check_exact=True)
    assert main([*CURVE, "--kind", kind, "-o", str(tmp_path / "x.md")]) == 0
    assert "urves" in (tmp_path / "x.md").read_text(encoding="utf-8").splitlines()[0]
    assert "left out" not in capsys.readouterr().err


def test_the_default_is_roc(tmp_path: Path) -> None:
    for ending in ("csv", "svg"):
        assert main([*CURVE, "-o", str(tmp_path / f"x.{ending}")]) == 0
        assert main([*CURVE, "--kind", "roc", "-o", str(tmp_path / f"y.{ending}")]) == 0
        assert (tmp_path / f"x.{ending}").read_bytes() == (tmp_path / f"y.{ending}").read_bytes()


def test_panels_have_the_numbers(tmp_path: Path) -> None:
    digits = ROWS.filter(dataset="digits")
    summary = digits.select(pa.roc_summary("label", "forest")).unnest("forest").row(0, named=True)
    brier = digits.select(pa.brier_score("label", "forest")).unnest("forest").row(0, named=True)
    for kind, number in (
        ("pr", f"{summary['average_precision']:.3f}"),
        ("cap", f"{summary['gini']:.3f} ({summary['gini_lower']:.3f} to {summary['gini_upper']:.3f})"),
        ("gains", f"{summary['gini']:.3f} ({summary['gini_lower']:.3f} to {summary['gini_upper']:.3f})"),
        ("calibration", f"{brier['brier_score']:.3f} ({brier['lower']:.3f} to {brier['upper']:.3f})"),
    ):
        assert main([*CURVE, "--kind", kind, "-o", str(tmp_path / "x.html")]) == 0
        assert f'"{number}"' in (tmp_path / "x.html").read_text(encoding="utf-8")


def test_levels_and_low_scores(tmp_path: Path) -> None:
    output = tmp_path / "x.parquet"
    assert main([*CURVE, "--kind", "net-benefit", "--level", "0.8", "-o", str(output)]) == 0
    points = pa.curve_points(ROWS, pa.net_benefit("label", pl.col("forest", "tree"), level=0.8), "dataset")
    assert_frame_equal(pl.read_parquet(output), points, check_exact=True)
    assert main([*CURVE, "--kind", "calibration", "--level", "0.8", "-o", str(output)]) == 0
    bins = pa.calibration_curve("label", pl.col("forest", "tree"), level=0.8)
    assert_frame_equal(pl.read_parquet(output), pa.curve_points(ROWS, bins, "dataset"), check_exact=True)
    low = ["--kind", "gains", "--low-is-positive"]
    assert main([*CURVE, *low, "-o", str(output)]) == 0
    curves = [pa.gains_table("label", -pl.col(name)).alias(name) for name in ("forest", "tree")]
    points = pa.curve_points(ROWS, curves, "dataset").drop("point")
    points = points.with_columns(highest=-pl.col("lowest"), lowest=-pl.col("highest"))
    assert_frame_equal(pl.read_parquet(output), points, check_exact=True)
    for kind in ("pr", "det", "cap", "gains", "lift", "cost"):
        assert main([*CURVE, "--kind", kind, "--low-is-positive", "-o", str(tmp_path / "x.html")]) == 0


def test_groups_without_a_curve_are_counted(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.DataFrame({"g": [1, 1, 2, 3], "y": [0, 1, 1, 0], "s": [0.1, 0.2, 0.3, 0.4]})
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = ["curve", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--by", "g"]
    for kind, words in (
        ("pr", "1 of 3 curves left out: each needs a positive with a score"),
        ("det", "2 of 3 curves left out: each needs a positive and a negative with a score"),
        ("net-benefit", ""),
        ("calibration", ""),
    ):
        assert main([*arguments, "--kind", kind, "-o", str(tmp_path / "x.svg")]) == 0
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--kind", "pr", "--band", "radial"],
            "--band is for --kind roc, got --kind pr. Hint: leave one of them out",
        ),
        (["--kind", "det", "--folds", "fold"], "--folds is for --kind roc, got --kind det"),
        (["--kind", "cap", "--max-points", "9"], "--max-points is for --kind roc, got --kind cap"),
        (["--kind", "gains", "--points", "9"], "--points is for --kind roc, got --kind gains"),
        (["--kind", "lift", "--seed", "1"], "--seed is for --kind roc, got --kind lift"),
        (
            ["--kind", "cost", "--level", "0.9"],
            "--level is for --kind roc or --kind net-benefit or --kind calibration, got --kind cost",
        ),
        (
            ["--kind", "net-benefit", "--resamples", "9"],
            "--resamples is for --kind roc, got --kind net-benefit",
        ),
        (
            ["--kind", "net-benefit", "--low-is-positive"],
            "--low-is-positive reverses scores, and --kind net-benefit expects probabilities. Hint: leave "
            "it out, "
            'and write --score "1 - s"',
        ),
        (["--kind", "calibration", "--max-points", "9"], "--max-points is for --kind roc, got --kind cal"),
        (
            ["--kind", "calibration", "--low-is-positive"],
            "--low-is-positive reverses scores, and --kind calibration expects probabilities",
        ),
        (["--kind", "calibration", "--score", "10 * forest"], "scores must be probabilities from 0 to 1"),
        (["--kind", "net-benefit", "--score", "10 * forest"], "scores must be probabilities from 0 to 1"),
        (["--kind", "auc"], "invalid choice: 'auc'"),
    ],
)
def test_refusals(options: list[str], message: str, tmp_path: Path, capsys: Capture) -> None:
    for ending in ("csv", "svg"):
        assert main([*CURVE, *options, "-o", str(tmp_path / f"x.{ending}")]) == 2
        assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_group_with_one_band_has_no_lift_curve(tmp_path: Path, capsys: Capture) -> None:
    rows = tmp_path / "rows.csv"
    lines = [f"{group},{row % 2},{row / 10 if group == 'a' else 0.5}" for group in "ab" for row in range(10)]
    rows.write_text("\n".join(["group,y,s", *lines]), encoding="utf-8")
    options = ["curve", str(rows), "--label", "y", "--score", "s", "--kind", "lift"]
    assert main([*options, "--by", "group", "-o", str(tmp_path / "x.svg")]) == 0
    assert (
        "1 of 2 curves left out: each needs a positive, a negative and two bands" in capsys.readouterr().err
    )
    assert main([*options, "--where", "\"group\" = 'b'", "-o", str(tmp_path / "y.svg")]) == 2
    assert "no curve to write: each needs a positive, a negative and two bands" in capsys.readouterr().err
