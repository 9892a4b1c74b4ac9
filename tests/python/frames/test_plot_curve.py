"""Charts of curves other than ROC curves: points, axes, reference lines, numbers and errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from frames.test_plots import layers_of, picture, points_of_part, spec_of
from polars_auc._plots.kinds import KINDS

DATA = Path(__file__).parents[3] / "data"
ROWS = pl.read_parquet(DATA / "*.parquet").with_columns(pl.col("forest", "tree").clip(0, 1))
MODELS = ["forest", "tree"]
EXPRESSIONS: dict[str, Callable[..., pl.Expr]] = {
    "precision_recall": pa.pr_curve,
    "det": pa.det_curve,
    "cap": pa.cap_curve,
    "gains": pa.gains_table,
    "lift": pa.gains_table,
    "cost": pa.cost_curve,
    "net_benefit": pa.net_benefit,
    "calibration": pa.calibration_curve,
}
AXES = {
    "precision_recall": ("recall", "precision"),
    "det": ("fpr", "fnr"),
    "cap": ("population", "captured"),
    "gains": ("population", "gain"),
    "lift": ("population", "cum_lift"),
    "cost": ("probability_cost", "expected_cost"),
    "net_benefit": ("threshold", "net_benefit"),
    "calibration": ("mean_score", "rate"),
}
FUNCTIONS = {"net_benefit": pa.plot_net_benefit, "calibration": pa.plot_calibration}


def plot(kind: str, *arguments: Any, **options: Any) -> Any:
    if kind in FUNCTIONS:
        return FUNCTIONS[kind](*arguments, **options)
    literal: Any = kind
    return pa.plot_curve(*arguments, kind=literal, **options)


def long(kind: str, rows: pl.DataFrame = ROWS) -> pl.DataFrame:
    """Return the points of two scores on two datasets, at most 1000 for each curve."""
    expression = EXPRESSIONS[kind]("label", pl.col(MODELS))
    few = rows.group_by("dataset", maintain_order=True).head(400)
    return pa.curve_points(few, expression, "dataset")


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_points_are_those_of_the_expression(kind: str) -> None:
    points = long(kind)
    spec = spec_of(plot(kind, points, facet="dataset"))
    x, y = AXES[kind]
    got = points_of_part(spec, "curve")
    if kind in ("gains", "lift"):
        points = points.with_columns(
            population=pl.col("cum_n") / pl.col("cum_n").max().over("dataset", "score")
        )
    if kind == "gains":
        # All lines begin at the origin, which is not a band.
        assert got.filter(pl.col("gain") == 0).height >= 4
        got = got.filter(pl.col("cum_n").is_not_null())
    keys = ["panel", "curve"]
    expected = points.select(pl.col("dataset").alias("panel"), pl.col("score").alias("curve"), x, y)
    assert_frame_equal(
        got.select(expected.columns).sort(keys, maintain_order=True),
        expected.sort(keys, maintain_order=True),
        check_exact=True,
    )
    line = layers_of(spec)[-2]
    assert line["encoding"]["x"]["field"].startswith(x)
    assert line["encoding"]["color"]["scale"]["domain"][:2] == MODELS
    assert spec["description"].startswith(f"{KINDS[kind].name}s. Curves by score: forest, tree. Panels by")
    texts = [each["field"] for each in layers_of(spec)[-1]["encoding"]["tooltip"]]
    assert {x, y} <= set(texts)
    assert ("threshold" in texts) != (kind in ("gains", "lift", "calibration"))
    assert len(picture(plot(kind, points, facet="dataset", size=80))) > 5000


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_arrays_lists_and_rows_have_one_chart(kind: str) -> None:
    rows = ROWS.filter(dataset="breast_cancer")
    expression = EXPRESSIONS[kind]("label", pl.col(MODELS))
    points, lists, arrays = (
        points_of_part(spec_of(chart), "curve").drop("place").sort("curve", maintain_order=True)
        for chart in (
            plot(kind, pa.curve_points(rows, expression)),
            plot(kind, rows.lazy().select(expression)),
            plot(kind, rows["label"].to_list(), rows.select(MODELS).to_dict()),
        )
    )
    assert_frame_equal(lists, points, check_exact=True)
    assert_frame_equal(arrays, points, check_exact=True)


def test_the_legend_has_the_numbers_of_the_expressions() -> None:
    rows = ROWS.filter(dataset="digits")
    for kind, title, fields in (
        ("precision_recall", "score: average precision", ["average_precision"]),
        ("cap", "score: Gini with interval", ["gini", "gini_lower", "gini_upper"]),
        ("gains", "score: Gini with interval", ["gini", "gini_lower", "gini_upper"]),
    ):
        summary = pl.concat(
            rows.select(pa.roc_summary("label", name).alias("s")).unnest("s").with_columns(score=pl.lit(name))
            for name in MODELS
        )
        arrays = plot(kind, rows["label"], rows.select(MODELS))
        points = pa.curve_points(rows, EXPRESSIONS[kind]("label", pl.col(MODELS)))
        assert spec_of(plot(kind, points, areas=summary)) == spec_of(arrays)
        [color, *_] = [
            layer["encoding"]["color"] for layer in layers_of(spec_of(arrays)) if "color" in layer["encoding"]
        ]
        assert color["title"] == title
        for name in MODELS:
            number, *limits = summary.filter(score=name).select(fields).row(0)
            interval = f" ({limits[0]:.3f} to {limits[1]:.3f})" if limits else ""
            assert f'"{name}": "{name}  {number:.3f}{interval}"' in color["legend"]["labelExpr"]
        panel = plot(kind, points.with_columns(g=1), areas=summary.with_columns(g=1), facet="g")
        assert points_of_part(spec_of(panel), "area")["area"][0] in color["legend"]["labelExpr"]


def test_reports_have_the_gini_coefficients_of_panels() -> None:
    report = pa.report(ROWS, "label", MODELS, by="dataset")
    texts = points_of_part(spec_of(plot("cap", long("cap"), areas=report, facet="dataset")), "area")
    groups = report.filter(scope="group").select("dataset", "score", "gini", "gini_lower", "gini_upper")
    assert sorted(texts.select("panel", "curve", "area").rows()) == sorted(
        (panel, score, f"{gini:.3f} ({lower:.3f} to {upper:.3f})")
        for panel, score, gini, lower, upper in groups.rows()
    )


def test_axes_of_det_curves_are_normal_deviates() -> None:
    rows = ROWS.filter(dataset="breast_cancer")
    spec = spec_of(pa.plot_curve(rows["label"], rows["forest"], kind="det"))
    points = points_of_part(spec, "curve")
    inverse = NormalDist().inv_cdf
    for rate in ("fpr", "fnr"):
        inner = points.filter(pl.col(rate).is_between(0, 1, closed="none"))
        assert inner.height > 100
        expected = [inverse(each) for each in inner[rate]]
        assert inner[f"{rate}_deviate"].to_list() == pytest.approx(expected, abs=1e-9)
    reference, line, _ = layers_of(spec)
    for axis in "xy":
        encoding = line["encoding"][axis]
        ticks = encoding["axis"]["values"]
        # The smallest rate is one of 357 negatives or 212 positives.
        rates = [0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999]
        assert ticks == pytest.approx([inverse(each) for each in rates])
        assert encoding["scale"]["domain"] == [ticks[0], ticks[-1]]
        # Rates of 0 and 1 are just outside, where the line is clipped.
        outside = points.filter(pl.col("fpr" if axis == "x" else "fnr") == 0)[encoding["field"]]
        assert ticks[0] - 0.3 < outside.unique().item() < ticks[0]
    assert line["mark"]["clip"]
    ends = spec["datasets"][reference["data"]["name"]]
    assert [end["fpr_deviate"] == end["fnr_deviate"] for end in ends] == [True, True]


@pytest.mark.parametrize(
    ("kind", "ends"),
    [
        ("cap", [(0, 0), (1, 1)]),
        ("gains", [(0, 0), (1, 1)]),
        ("lift", [(0, 1), (1, 1)]),
        ("cost", [(0, 0), (0.5, 0.5), (1, 0)]),
    ],
)
def test_reference_lines(kind: str, ends: list[tuple[float, float]]) -> None:
    spec = spec_of(plot(kind, long(kind), facet="dataset"))
    values = spec["datasets"][layers_of(spec)[0]["data"]["name"]]
    assert [tuple(value[field] for field in AXES[kind]) for value in values] == ends


def test_reference_lines_of_the_points() -> None:
    spec = spec_of(plot("precision_recall", long("precision_recall"), facet="dataset"))
    lines = points_of_part(spec, "reference")
    few = ROWS.group_by("dataset", maintain_order=True).head(400)
    rates = dict(few.group_by("dataset").agg(pl.col("label").mean()).rows())
    # Both scores share one line.
    assert sorted(lines.select("panel", "recall", "precision").rows()) == [
        (panel, recall, pytest.approx(rates[panel])) for panel in sorted(rates) for recall in (0, 1)
    ]
    points = long("net_benefit")
    spec = spec_of(pa.plot_net_benefit(points, facet="dataset"))
    lines = points_of_part(spec, "reference")
    expected = points.filter(score="forest").select("threshold", "treat_all", panel="dataset")
    got = lines.filter(curve="treat all").drop("treat_all").rename({"net_benefit": "treat_all"})
    assert_frame_equal(got.select(expected.columns), expected, check_exact=True, check_row_order=False)
    assert lines.filter(curve="treat none")["net_benefit"].unique().to_list() == [0]
    reference, band, line, _ = layers_of(spec)
    assert reference["encoding"]["color"]["scale"]["domain"] == [*MODELS, "treat all", "treat none"]
    assert line["encoding"]["strokeDash"]["scale"]["domain"] == [*MODELS, "treat all", "treat none"]
    assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("lower", "upper")
    # A single curve has no label, but the reference lines have.
    one = spec_of(pa.plot_net_benefit(points.filter(dataset="digits", score="tree").drop("score")))
    assert layers_of(one)[0]["encoding"]["color"]["legend"]["values"] == ["treat all", "treat none"]


@pytest.mark.parametrize("kind", ["precision_recall", "det", "cap"])
def test_long_curves_are_thinned_and_keep_their_extremes(kind: str) -> None:
    rows = pl.DataFrame({"s": range(60_000)}).with_columns(y=pl.col("s").hash(1) % 60_000 < pl.col("s") // 2)
    points = pa.curve_points(rows, EXPRESSIONS[kind]("y", "s"))
    chart = points_of_part(spec_of(plot(kind, points)), "curve")
    assert 300 < chart.height <= 2000 + 4
    x, y = AXES[kind]
    everything = points.select(x, y).rows()
    assert set(chart.select(x, y).rows()) <= set(everything)
    for name in (x, y):
        assert (chart[name].min(), chart[name].max()) == (points[name].min(), points[name].max())
    assert chart.select(x, y).rows()[0] == everything[0]
    assert chart.select(x, y).rows()[-1] == everything[-1]


PR = long("precision_recall")
GAINS = long("gains")
BENEFIT = long("net_benefit")
CALIBRATION = long("calibration")


@pytest.mark.parametrize(
    ("kind", "arguments", "options", "message"),
    [
        (
            "roc",
            (PR,),
            {},
            r"kind must be one of 'precision_recall', .* got 'roc'. Hint: write plot_roc\(...\)",
        ),
        ("pr", (PR,), {}, r"got 'pr'. Hint: write kind=\"precision_recall\""),
        ("auc", (PR,), {}, r"got 'auc'. Hint: write kind=\"det\""),
        ("lift", ([0, 1, 0, 1], [0.5] * 4), {}, "no point; each needs a positive, a negative and two bands"),
        ("det", (PR,), {}, r"columns fpr, fnr, or lists .* write curve_points\(frame, det_curve\("),
        (
            "cap",
            (PR,),
            {},
            r"columns population, captured, or lists .* write curve_points\(frame, cap_curve\(",
        ),
        (
            "precision_recall",
            (PR,),
            {},
            r"by=\['score'\] and facet=\[\] do not separate.* \['dataset'\], or sort",
        ),
        ("precision_recall", (PR.clear(),), {}, "curves has no point; each needs a positive"),
        (
            "precision_recall",
            (PR.with_columns(precision=2.0),),
            {"facet": "dataset"},
            "numbers from 0 to 1, got",
        ),
        ("lift", (GAINS.with_columns(cum_lift=-2.0),), {"facet": "dataset"}, "numbers from 0 to inf, got"),
        (
            "gains",
            (GAINS.filter(pl.col("band") < 4),),
            {"facet": "dataset"},
            "must have all bands of each table",
        ),
        ("det", (long("det"),), {"areas": PR, "facet": "dataset"}, "areas is for kinds with a number"),
        ("cap", (long("cap"),), {"areas": PR, "facet": "dataset"}, "areas has no column 'gini'"),
        (
            "precision_recall",
            (PR,),
            {"areas": pa.report(ROWS, "label", "tree", by="dataset"), "facet": "dataset"},
            r"areas has no column 'average_precision'.*. Hint: write areas=frame.select\(roc_summary\(",
        ),
        ("cap", ([0, 1], [1, 2]), {"by": "g"}, "by is for points of curves, and scores are arrays"),
        ("det", ([1, 1], [1, 2]), {}, "'score' has no curve: it needs a positive and a negative"),
        ("precision_recall", ([0, 0], [1, 2]), {}, "'score' has no curve: it needs a positive. Hint: leave"),
        ("net_benefit", (BENEFIT,), {}, r"\['dataset'\], or sort one curve by threshold"),
        (
            "net_benefit",
            (BENEFIT.with_columns(lower=9.0, upper=8.0),),
            {"facet": "dataset"},
            "lower limits below upper ones",
        ),
        ("calibration", (CALIBRATION,), {}, r"\['dataset'\], or sort one curve by mean_score"),
        (
            "calibration",
            (PR,),
            {},
            r"columns lowest, .*, or lists .* write curve_points\(frame, calibration_curve\(",
        ),
        (
            "calibration",
            (CALIBRATION.with_columns(rate_lower=1.0, rate_upper=0.5),),
            {"facet": "dataset"},
            "lower limits below upper ones",
        ),
        (
            "calibration",
            (CALIBRATION.with_columns(rate=1.5),),
            {"facet": "dataset"},
            "numbers from 0 to 1, got",
        ),
        (
            "calibration",
            (CALIBRATION.filter(score="forest"),),
            {"facet": "dataset", "distribution": CALIBRATION},
            "distribution has 'tree, .*', which is not one of the curves",
        ),
        (
            "calibration",
            ([0, 1], [0.1, 0.2]),
            {"distribution": CALIBRATION},
            "distribution is for points of curves, and scores are arrays",
        ),
        (
            "precision_recall",
            (
                pl.concat([PR.with_columns(part=pl.lit(part)) for part in range(4000)]).filter(
                    pl.col("point") < 9
                ),
            ),
            {"facet": ["dataset", "part"]},
            "points, and a chart takes at most 50,000. Hint: draw fewer curves",
        ),
    ],
)
def test_refusals(kind: str, arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        plot(kind, *arguments, **options)
    name = FUNCTIONS[kind].__name__ if kind in FUNCTIONS else "plot_curve"
    assert str(refused.value).startswith(f"{name}: ")


def test_probabilities_of_decision_curves() -> None:
    with pytest.raises(pl.exceptions.PolarsError, match="net_benefit"):
        pa.plot_net_benefit([0, 1, 1], [0.1, 2, 0.5])
    # A single row has no interval.
    assert layers_of(spec_of(pa.plot_net_benefit([1], [0.5])))


@pytest.mark.parametrize("kind", ["cap", "net_benefit", "calibration"])
def test_tooltips_and_titles(kind: str) -> None:
    points = long(kind)
    chart = plot(kind, points, facet="dataset", tooltip=False, x_title="X", y_title="")
    layers = layers_of(spec_of(chart))
    assert not any("tooltip" in layer["encoding"] for layer in layers)
    assert {(layer["encoding"]["x"]["title"], layer["encoding"]["y"]["title"]) for layer in layers} == {
        ("X", "")
    }
    with pytest.raises((TypeError, ValueError), match="tooltip"):
        plot(kind, points, facet="dataset", tooltip="yes")


def calibration_points(method: Any, *, bins: int | None = None, rows: pl.DataFrame = ROWS) -> pl.DataFrame:
    expression = pa.calibration_curve("label", pl.col(MODELS), method=method, bins=bins)
    return pa.curve_points(rows, expression, "dataset")


def test_bins_have_limits_and_isotonic_blocks_are_steps() -> None:
    keys = ["panel", "curve"]
    names = {"dataset": "panel", "score": "curve"}
    bins = calibration_points("quantile")
    spec = spec_of(pa.plot_calibration(bins, facet="dataset", distribution=False))
    points = points_of_part(spec, "curve")
    expected = bins.rename(names).drop("point", "bin").cast({"n": pl.Float64, "n_pos": pl.Float64})
    assert_frame_equal(points.select(expected.columns), expected, check_row_order=False, check_exact=True)
    _, limits, marks, _, point = layers_of(spec)
    assert (limits["encoding"]["y"]["field"], limits["encoding"]["y2"]["field"]) == (
        "rate_lower",
        "rate_upper",
    )
    assert (limits["mark"]["type"], marks["mark"]["type"]) == ("rule", "point")
    texts = [each["field"] for each in point["encoding"]["tooltip"]]
    assert texts == ["panel", "curve", *KINDS["calibration"].fields]
    lines = points_of_part(spec, "step")
    assert_frame_equal(lines.select(*keys, *AXES["calibration"]), points.select(*keys, *AXES["calibration"]))

    blocks = calibration_points("isotonic")
    spec = spec_of(pa.plot_calibration(blocks, facet="dataset", distribution=False))
    lines = points_of_part(spec, "step").sort(keys, maintain_order=True)
    ends = blocks.rename(names).select(*keys, "rate", mean_score=pl.concat_list("lowest", "highest"))
    ends = ends.explode("mean_score").sort(keys, maintain_order=True)
    assert_frame_equal(lines.select(ends.columns), ends, check_exact=True)
    texts = [each["field"] for each in layers_of(spec)[-1]["encoding"]["tooltip"]]
    assert texts == ["panel", "curve", *list(KINDS["calibration"].fields)[:-2]]


def test_isotonic_blocks_with_a_band_are_steps_with_limits() -> None:
    keys = ["panel", "curve"]
    expression = pa.calibration_curve("label", pl.col(MODELS), method="isotonic", band="confidence")
    blocks = pa.curve_points(ROWS, expression, "dataset")
    spec = spec_of(pa.plot_calibration(blocks, facet="dataset", distribution=False))
    names = {"dataset": "panel", "score": "curve"}
    ends = blocks.rename(names).select(*keys, "rate", mean_score=pl.concat_list("lowest", "highest"))
    ends = ends.explode("mean_score").sort(keys, maintain_order=True)
    lines = points_of_part(spec, "step").sort(keys, maintain_order=True)
    assert_frame_equal(lines.select(ends.columns), ends, check_exact=True)
    assert points_of_part(spec, "curve")["rate_lower"].null_count() == 0
    texts = [each["field"] for each in layers_of(spec)[-1]["encoding"]["tooltip"]]
    assert texts == [*keys, *KINDS["calibration"].fields]


def test_distributions_below_calibration_curves() -> None:
    bins, counts = calibration_points("quantile"), calibration_points("uniform", bins=4000)
    keys = ["panel", "curve"]
    totals = ROWS.group_by(panel="dataset").len("n")
    for distribution in (True, counts):
        spec = spec_of(pa.plot_calibration(bins, facet="dataset", distribution=distribution, size=100))
        bars = points_of_part(spec, "distribution")
        sums = bars.group_by(keys).agg(pl.col("n").sum()).select("panel", "n").unique()
        assert_frame_equal(sums, totals, check_row_order=False, check_dtypes=False)
        # Each curve has a strip below the axis; the highest bars have equal heights.
        strips = bars.group_by(keys).agg(pl.col("rate").max(), pl.col("base").unique())
        assert strips["base"].list.len().unique().to_list() == [1]
        assert strips.select((pl.col("rate") - pl.col("base").list.first()).round(9).n_unique()).item() == 1
        forest, tree = (bars.filter(curve=name) for name in MODELS)
        assert 0 > forest["base"].min() > tree["rate"].max()  # type: ignore[operator]
        line = layers_of(spec)[-2]["encoding"]
        assert line["x"]["scale"]["domain"] == [0, 1]
        assert line["y"]["scale"]["domain"] == [pytest.approx(tree["base"].min()), 1]
        assert line["y"]["axis"]["values"] == line["x"]["axis"]["values"]
        assert spec["spec"]["height"] == 128
        assert spec["description"].endswith("mean score. Bars are the distribution of scores.")
    # A bar has the rows with scores in its range.
    digits = ROWS.filter(pl.col("forest").is_between(0.1, 0.125, closed="right"), dataset="digits")
    one = bars.filter(pl.col("lowest").is_between(0.099, 0.101), panel="digits", curve="forest")
    assert one["n"].to_list() == [digits.height]
    # Charts of arrays have their distribution, and the numbers of the expression.
    spec = spec_of(pa.plot_calibration(ROWS["label"], ROWS["forest"]))
    bars = points_of_part(spec, "distribution")
    assert (bars.height, bars["n"].sum()) == (40, ROWS.height)
    brier = ROWS.select(pa.brier_score("label", "forest")).unnest("forest").row(0, named=True)
    legend = layers_of(spec)[-1]["encoding"]["color"]["legend"]["labelExpr"]
    assert f"{brier['brier_score']:.3f} ({brier['lower']:.3f} to {brier['upper']:.3f})" in legend
    assert points_of_part(spec_of(pa.plot_calibration([0, 1], [0.2, 0.4], distribution=False)), "step").height


def test_axes_of_low_probabilities_are_short() -> None:
    rows = ROWS.select(pl.col("forest") / 50, label=pl.lit(0))
    spec = spec_of(pa.plot_calibration(rows["label"], rows["forest"]))
    line = layers_of(spec)[-2]["encoding"]
    assert line["x"]["scale"]["domain"] == [0, 0.02]
    assert line["x"]["axis"]["values"] == [0, 0.004, 0.008, 0.012, 0.016, 0.02]
    ends = spec["datasets"][layers_of(spec)[0]["data"]["name"]]
    assert [tuple(end.values()) for end in ends] == [(0, 0), (0.02, 0.02)]
    assert points_of_part(spec, "distribution").height == 40
    # Numbers below 0.001 have two digits.
    legend = layers_of(spec_of(pa.plot_calibration([0, 0], [0.01, 0.02])))[-1]["encoding"]["color"]["legend"]
    assert "0.00025 (0.000 to 0.00054)" in legend["labelExpr"]
    with pytest.raises(pl.exceptions.PolarsError, match="scores must be probabilities from 0 to 1"):
        pa.plot_calibration([0, 1, 1], [0.1, 2, 0.5])


def test_a_group_with_one_band_has_no_lift_curve() -> None:
    rows = ROWS.filter(pl.col("dataset") == "digits").with_columns(
        forest=pl.when(pl.col("segment") == "Q1").then(0.5).otherwise("forest")
    )
    points = pa.curve_points(rows, pa.gains_table("label", "forest"), "segment")
    spec = spec_of(pa.plot_curve(points, kind="lift", facet="segment"))
    assert points_of_part(spec, "curve")["panel"].unique().sort().to_list() == ["Q2", "Q3", "Q4"]


def test_points_outside_of_the_axes_are_cut_off_with_their_line() -> None:
    for kind in ("net_benefit", "det"):
        points = long(kind).filter(pl.col("dataset") == "digits").drop("dataset")
        draw = pa.plot_net_benefit if kind == "net_benefit" else partial(pa.plot_curve, kind="det")
        marks = [
            layer["mark"] for layer in layers_of(spec_of(draw(points))) if layer["mark"]["type"] == "point"
        ]
        assert marks
        assert all(mark["clip"] for mark in marks)


def test_a_single_threshold_is_a_point() -> None:
    for thresholds, has_mark in (([0.3], True), ([0.3, 0.4], False)):
        benefit = ROWS.select(pa.net_benefit("label", "forest", thresholds=thresholds))
        [line] = [
            layer["mark"]
            for layer in layers_of(spec_of(pa.plot_net_benefit(benefit, tooltip=False)))
            if layer["mark"]["type"] == "line" and layer["mark"].get("strokeWidth") == 2
        ]
        assert ("point" in line) is has_mark
