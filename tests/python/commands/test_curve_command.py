"""``polars-auc curve``: its charts and tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._commands.main import main
from polars_auc._page.escapes import with_formulas
from polars_auc._plugin import packages

Capture = pytest.CaptureFixture[str]
DATA = Path(__file__).parents[3] / "data"
ROWS = pl.read_parquet(DATA / "*.parquet")

CURVE = ["curve", str(DATA), "--label", "label", "--score", "forest", "--score=-tree"]


def test_tables_of_the_command(tmp_path: Path, capsys: Capture) -> None:
    names: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".parquet": pl.read_parquet,
        ".csv": lambda path: with_formulas(pl.read_csv(path)),
        ".json": pl.read_json,
    }
    scores = {"forest": pl.col("forest"), "-tree": -pl.col("tree")}
    tables = {
        (): [pa.roc_curve("label", each, max_points=1000).alias(name) for name, each in scores.items()],
        ("--max-points", "9"): [
            pa.roc_curve("label", each, max_points=9).alias(name) for name, each in scores.items()
        ],
        ("--band", "radial", "--level", "0.8", "--points", "5", "--resamples", "30", "--seed", "4"): [
            pa.roc_band("label", each, method="radial", level=0.8, n_points=5, n_resamples=30, seed=4).alias(
                name
            )
            for name, each in scores.items()
        ],
    }
    for options, curves in tables.items():
        expected = pa.curve_points(ROWS.filter(pl.col("fold") > 2), curves, "dataset")
        for ending, read in names.items():
            output = tmp_path / f"curve{ending}"
            assert main([*CURVE, "--by", "dataset", "--where", "fold > 2", *options, "-o", str(output)]) == 0
            got = read(output)
            assert_frame_equal(got.cast(expected.schema), expected, rel_tol=1e-15)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("polars-auc: wrote") == 9
    assert err.count("got an apostrophe in front") == 3
    assert err.count("\n") == 12


def test_curves_of_states(tmp_path: Path, capsys: Capture) -> None:
    """Exact states give the curves of their rows; states of days are merged."""
    scored = ["--label", "label", "--score", "forest", "--score", "tree"]
    for fold in range(5):
        day = [*scored, "--by", "dataset", "--where", f"fold % 5 = {fold}"]
        assert main(["state", str(DATA), *day, "-o", str(tmp_path / f"day{fold}.parquet")]) == 0
    days = str(tmp_path / "day*.parquet")
    for options in ([], ["--band", "vertical", "--points", "9", "--resamples", "30"]):
        output, expected = tmp_path / "states.parquet", tmp_path / "rows.parquet"
        assert main(["curve", days, "--from-states", "--by", "dataset", *options, "-o", str(output)]) == 0
        rows = ["curve", str(DATA), *scored, "--by", "dataset", *options, "-o", str(expected)]
        assert main(rows) == 0
        assert_frame_equal(pl.read_parquet(output), pl.read_parquet(expected), check_exact=True)
    one = ["curve", days, "--from-states", "--score", "tree", "-o", str(tmp_path / "one.parquet")]
    assert main(one) == 0
    whole = pa.curve_points(ROWS, pa.roc_curve("label", "tree", max_points=1000).alias("tree"))
    assert_frame_equal(pl.read_parquet(tmp_path / "one.parquet").drop("score"), whole, check_exact=True)
    chart = ["curve", days, "--from-states", "--by", "dataset", "-o", str(tmp_path / "x.svg")]
    assert main(chart) == 0
    capsys.readouterr()
    for wrong, message in (
        (["--label", "label"], "--label requires rows, but the files contain states (--from-states)"),
        (
            ["--folds", "fold", "--band", "vertical"],
            "--band of folds requires rows, but the files contain",
        ),
        (["--folds", "nothing"], "nothing"),
        (["--score", "logistic"], "logistic"),
    ):
        assert main(["curve", days, "--from-states", *wrong, "-o", str(tmp_path / "y.parquet")]) == 2
        assert message in capsys.readouterr().err
    assert main(["curve", str(DATA), "--from-states", "-o", str(tmp_path / "y.parquet")]) == 2
    assert "has no column of states" in capsys.readouterr().err


def test_curves_of_folds_of_states(tmp_path: Path, capsys: Capture) -> None:
    """States of folds give the curves of their rows, in a table and in a chart."""
    scored = ["--label", "label", "--score", "forest", "--score", "tree"]
    for part in range(3):
        rows = [*scored, "--by", "dataset", "--by", "fold", "--where", f"fold % 3 = {part}"]
        assert main(["state", str(DATA), *rows, "-o", str(tmp_path / f"part{part}.parquet")]) == 0
    parts = str(tmp_path / "part*.parquet")
    for name in ("x.parquet", "x.svg"):
        options = ["--by", "dataset", "--folds", "fold // 2", "-o"]
        assert main(["curve", str(DATA), *scored, *options, str(tmp_path / f"rows.{name}")]) == 0
        assert main(["curve", parts, "--from-states", *options, str(tmp_path / f"states.{name}")]) == 0
    table, expected = (pl.read_parquet(tmp_path / f"{of}.x.parquet") for of in ("states", "rows"))
    assert_frame_equal(table, expected, check_exact=True)
    pictures = [(tmp_path / f"{of}.x.svg").read_text(encoding="utf-8") for of in ("states", "rows")]
    assert pictures[0] == pictures[1]
    capsys.readouterr()


def test_curves_of_folds(tmp_path: Path, capsys: Capture) -> None:
    """Tables equal those of the functions; charts show each fold behind the mean curve."""
    output = tmp_path / "x.parquet"
    scores = {"forest": pl.col("forest"), "-tree": -pl.col("tree")}
    rows = ROWS.filter(pl.col("fold") < 9).with_columns(pair=pl.col("fold") // 2)
    folds = ["--by", "dataset", "--where", "fold < 9", "--folds", "fold // 2"]
    band: dict[str, Any] = {"method": "optimized_radial", "level": 0.8, "n_points": 7}
    expressions: dict[tuple[str, ...], Callable[..., pl.Expr]] = {
        (): pa.cv_roc_curve,
        ("--points", "9"): partial(pa.cv_roc_curve, n_points=9),
        ("--band", "vertical"): lambda label, score, fold: pa.roc_band(
            label, score, fold=fold, method="vertical"
        ),
        ("--band", "optimized_radial", "--level", "0.8", "--points", "7"): lambda label, score, fold: (
            pa.roc_band(label, score, fold=fold, **band)
        ),
    }
    for options, function in expressions.items():
        assert main([*CURVE, *folds, *options, "-o", str(output)]) == 0
        curves = [function("label", each, fold="pair").alias(name) for name, each in scores.items()]
        expected = pa.curve_points(rows, curves, "dataset")
        assert_frame_equal(pl.read_parquet(output), expected, check_exact=True)
    capsys.readouterr()
    page = tmp_path / "x.html"
    assert main([*CURVE, *folds, "--band", "radial", "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "ROC curves with bands. Curves by score: forest, -tree. Panels by dataset" in text
    assert "Thin lines are curves of folds." in text
    assert main([*CURVE, "--by", "segment", "--folds", "fold", "--max-points", "20", "-o", str(page)]) == 0
    stderr = capsys.readouterr().err
    assert stderr.count("\n") == stderr.count("polars-auc: wrote") == 2


def test_folds_without_a_curve_are_counted(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.DataFrame(
        {"g": [1] * 5 + [2] * 2, "f": [1, 1, 2, 2, None, 1, 2], "y": [0, 1, 1, 1, 0, 1, 0], "s": range(7)}
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = ["curve", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--by", "g"]
    assert main([*arguments, "--folds", "f", "-o", str(tmp_path / "x.svg")]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("polars-auc: 3 of 4 curves of folds left out: each needs a positive and a neg")
    assert lines[1].startswith("polars-auc: 1 of 2 curves left out: each needs a fold with a positive and a")
    assert main([*arguments, "--folds", "f", "-o", str(tmp_path / "x.csv")]) == 0
    assert pl.read_csv(tmp_path / "x.csv")["n_folds"].unique().to_list() == [1]


def test_charts_of_the_command(tmp_path: Path, capsys: Capture) -> None:
    arguments = [*CURVE, "--by", "dataset", "--max-points", "30", "--band", "vertical", "--resamples", "20"]
    for ending in (".html", ".svg", ".png"):
        assert main([*arguments, "-o", str(tmp_path / f"x{ending}")]) == 0
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "Curves by score: forest, -tree. Panels by dataset: breast_cancer, digits" in page
    assert not re.search(r"<(script|link)[^>]*(src|href)=", page), "a page that needs a network"
    assert (tmp_path / "x.svg").read_text(encoding="utf-8").startswith("<svg")
    contents = (tmp_path / "x.png").read_bytes()
    assert contents.startswith(b"\x89PNG")
    assert len(contents) > 10_000
    assert capsys.readouterr().out == ""


def test_groups_without_a_curve_are_counted(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.DataFrame({"g": [1, 1, 2], "y": [0, 1, 1], "s": [1.0, 2.0, 3.0]})
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = ["curve", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--by", "g"]
    assert main([*arguments, "-o", str(tmp_path / "x.csv")]) == 0
    assert "polars-auc: 1 of 2 curves left out: each needs a positive and a negative" in (
        capsys.readouterr().err
    )
    assert pl.read_csv(tmp_path / "x.csv")["g"].unique().to_list() == [1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["-o", "x.txt"],
            "--output must end in .html, .pdf, .png, .svg, .parquet, .csv, .json, .xlsx, .md, got",
        ),
        ([], "required: -o/--output"),
        (["-o", "x.csv", "--level", "0.9"], "--level is for --band. Hint: pass it, or leave this out"),
        (["-o", "x.html", "--seed", "0"], "--seed is for --band"),
        (["-o", "x.csv", "--band", "radial", "--max-points", "9"], "a table with --band contains bands"),
        (["-o", "x.csv", "--band", "fixed_width", "--seed", "0"], "--band 'fixed_width' draws none"),
        (["-o", "x.csv", "--band", "radial", "--level", "2"], "--level must lie between 0 and 1"),
        (["-o", "x.csv", "--band", "radial", "--points", "2"], "--points must be an integer from 3"),
        (["-o", "x.csv", "--max-points", "1"], "--max-points must be an integer from 2"),
        (["-o", "x.csv", "--band", "round"], "invalid choice: 'round'"),
        (
            ["-o", "x.csv", "--by", "label"],
            "no curve to write: each needs a positive and a negative",
        ),
        (["-o", "x.csv", "--by", "none"], "--by names the column 'none'"),
        (
            ["-o", "x.html", "--by", "fold", "--by", "segment", "--band", "fixed_width", "--points", "999"],
            "points, and a chart takes at most 50,000. Hint: write --max-points 312 and --points 101, or "
            "draw",
        ),
        (["-o", "x.csv", "--folds", "none"], "--folds"),
        (["-o", "x.csv", "--folds", "fold", "--points", "2"], "--points must be an integer from 3"),
        (
            ["-o", "x.csv", "--folds", "fold", "--max-points", "9"],
            "a table with --folds contains mean curves",
        ),
        (["-o", "x.csv", "--folds", "fold", "--level", "0.9"], "--level is for --band"),
        (
            ["-o", "x.csv", "--folds", "fold", "--band", "radial", "--seed", "1"],
            "--seed applies to curves of resamples only, and --folds gives the curves. Hint: leave it out",
        ),
        (
            ["-o", "x.csv", "--folds", "fold", "--band", "likelihood"],
            "--folds gives several curves, and --band 'likelihood' makes a band of one. Hint: leave --folds "
            "out",
        ),
        (["-o", "x.csv", "--folds", "fold", "--by", "fold", "--band", "radial"], "no band to write"),
        (
            ["-o", "x.html", "--by", "segment", "--folds", "fold", "--max-points", "999", "--points", "9999"],
            "points, and a chart takes at most 50,000. Hint: write --max-points",
        ),
    ],
)
def test_refusals_of_the_command(options: list[str], message: str, tmp_path: Path, capsys: Capture) -> None:
    arguments = [str(tmp_path / option) if option.startswith("x.") else option for option in options]
    assert main([*CURVE, *arguments]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_legend_has_the_auc(tmp_path: Path) -> None:
    """The legend has the interval at the selected level; with folds it has the mean."""
    held_out = ROWS.lazy().select("label", "forest", "tree", "fold")
    for options, answer in (
        ([], pa.roc_auc_ci("label", "forest")),
        (
            ["--band", "vertical", "--level", "0.8", "--resamples", "20"],
            pa.roc_auc_ci("label", "forest", level=0.8),
        ),
        (["--folds", "fold"], pa.cv_roc_auc("label", "forest", "fold")),
    ):
        assert main([*CURVE, *options, "-o", str(tmp_path / "x.html")]) == 0
        area = held_out.select(answer).unnest("forest").collect().row(0, named=True)
        label_text = f"forest  {area['auc']:.3f} ({area['lower']:.3f} to {area['upper']:.3f})"
        assert label_text in (tmp_path / "x.html").read_text(encoding="utf-8")
    state = [
        "state",
        str(DATA),
        "--label",
        "label",
        "--score",
        "forest",
        "-o",
        str(tmp_path / "state.parquet"),
    ]
    assert main(state) == 0
    arguments = ["curve", str(tmp_path / "state.parquet"), "--from-states", "-o", str(tmp_path / "y.html")]
    assert main(arguments) == 0
    [auc] = ROWS.select(pa.roc_auc("label", "forest")).row(0)
    assert f"forest  {auc:.3f} (" in (tmp_path / "y.html").read_text(encoding="utf-8")


def test_a_legend_without_an_interval(tmp_path: Path) -> None:
    """States of light weights have no interval; a column of groups may share its name with a number."""
    rows = ROWS.with_columns(w=pl.col("fold") * 1e-10, auc="segment", lower="segment")
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = [str(tmp_path / "rows.parquet"), "--label", "label", "--score", "forest"]
    states = str(tmp_path / "states.parquet")
    assert main(["state", *arguments, "--weight", "w", "-o", states]) == 0
    assert main(["curve", states, "--from-states", "-o", str(tmp_path / "x.html")]) == 0
    [auc] = rows.select(pa.roc_auc("label", "forest", weight="w")).row(0)
    assert f'forest  {auc:.3f}\\"}}' in (tmp_path / "x.html").read_text(encoding="utf-8")
    rows.with_columns(pl.col("w") * 1e10).write_parquet(tmp_path / "rows.parquet")
    assert main(["state", *arguments, "--weight", "w", "-o", states]) == 0
    assert main(["curve", states, "--from-states", "-o", str(tmp_path / "x.html")]) == 0
    assert f"forest  {auc:.3f} (" in (tmp_path / "x.html").read_text(encoding="utf-8")
    for key in ("auc", "lower"):
        assert main(["curve", *arguments, "--by", key, "-o", str(tmp_path / "y.html")]) == 0


def test_the_title_of_a_page(tmp_path: Path, capsys: Capture) -> None:
    assert main([*CURVE, "--title", "Two <data> sets", "-o", str(tmp_path / "x.html")]) == 0
    text = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<title>Two &lt;data&gt; sets</title>" in text
    assert '<html lang="en">' in text
    capsys.readouterr()
    for output in ("y.png", "y.csv"):
        assert main([*CURVE, "--title", "x", "-o", str(tmp_path / output)]) == 2
        assert "--title is of a page. Hint: end --output in .html, or leave it out" in capsys.readouterr().err
        assert not (tmp_path / output).exists()


def test_tables_need_no_altair(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    assert main([*CURVE, "-o", str(tmp_path / "x.png")]) == 2
    assert capsys.readouterr().err == (
        'polars-auc: a chart needs altair>=5.4 and vl-convert-python>=1.6: pip install "polars-auc[plot]"; '
        "or end --output in .parquet, .csv, .json, .xlsx, .md\n"
    )
    assert main([*CURVE, "-o", str(tmp_path / "x.csv")]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_the_same_rows_make_the_same_chart(tmp_path: Path) -> None:
    """Test also many groups, which Polars returns in any order."""
    charts = [tmp_path / "one.html", tmp_path / "two.html"]
    for output in charts:
        assert main([*CURVE, "--by", "fold", "--max-points", "5", "-o", str(output)]) == 0
    assert charts[0].read_bytes() == charts[1].read_bytes()
