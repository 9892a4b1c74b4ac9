"""Charts of curves: contents and errors."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._plots.layout import COLORS, REFERENCE, area_scale

DATA = Path(__file__).parents[3] / "data"
ROWS = pl.read_parquet(DATA / "*.parquet")
MODELS = pl.col("logistic", "forest", "tree")
CURVES = pa.curve_points(ROWS, pa.roc_curve("label", MODELS, max_points=50), "dataset")
BANDS = pa.curve_points(ROWS, pa.roc_band("label", MODELS, n_points=21, n_resamples=50), "dataset")
FOLDS = pa.curve_points(ROWS, pa.roc_curve("label", MODELS, max_points=20), ["dataset", "fold"])
DIFFERENCES = pa.curve_points(
    ROWS, pa.roc_difference_band("label", "forest", "tree", n_points=19, n_resamples=50), "dataset"
)
METHODS = (
    "likelihood",
    "vertical",
    "threshold",
    "threshold_box",
    "radial",
    "optimized_radial",
    "fixed_width",
    "working_hotelling",
)


def spec_of(chart: alt.LayerChart | alt.FacetChart | alt.HConcatChart) -> dict[str, Any]:
    """Return the chart as Altair validates it."""
    return dict(chart.to_dict(validate=True))


def layers_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return list(spec.get("spec", spec)["layer"])


def points_of_part(spec: dict[str, Any], part: str) -> pl.DataFrame:
    values = spec["datasets"][spec["data"]["name"]]
    return pl.DataFrame(values, infer_schema_length=None).filter(part=part)


def picture(chart: alt.LayerChart | alt.FacetChart) -> bytes:
    buffer = io.BytesIO()
    chart.save(buffer, format="png")
    return buffer.getvalue()


def test_points_are_those_of_the_frames() -> None:
    chart = pa.plot_roc(CURVES, band=BANDS, facet="dataset")
    assert isinstance(chart, alt.FacetChart)
    spec = spec_of(chart)
    lines, areas = points_of_part(spec, "curve"), points_of_part(spec, "band")
    expected = CURVES.sort("point", maintain_order=True).select(
        "fpr", "tpr", panel="dataset", curve="score", threshold=pl.col("threshold").cast(pl.String)
    )
    assert_frame_equal(lines.select(expected.columns), expected)
    assert areas.height == 2 * BANDS.height
    assert [layer["mark"]["type"] for layer in layers_of(spec)] == ["line", "line", "line", "point"]
    assert spec["columns"] == 2
    assert spec["description"] == (
        "ROC curves with bands. Curves by score: logistic, forest, tree. Panels by dataset: breast_cancer, "
        "digits. The dashed diagonal is chance."
    )
    _, _, line, point = layers_of(spec)
    assert line["encoding"]["color"]["scale"]["domain"] == ["logistic", "forest", "tree"]
    assert line["encoding"]["x"]["title"] == "false positive rate"
    assert line["encoding"]["y"]["title"] == "true positive rate"
    assert line["encoding"]["y"]["scale"]["domain"] == [0, 1]
    titles = [each["title"] for each in point["encoding"]["tooltip"] if "title" in each]
    assert titles == ["dataset", "score"]


def test_areas_in_the_legend() -> None:
    report = pa.report(ROWS.lazy(), "label", ["logistic", "forest", "tree"], by="dataset").collect()
    whole = pa.curve_points(ROWS, pa.roc_curve("label", MODELS, max_points=50))
    spec = spec_of(pa.plot_roc(whole, areas=report))
    rows = report.filter(scope="overall").select("score", "auc", "lower", "upper").rows()
    labels = {name: f"{name}  {auc:.3f} ({lower:.3f} to {upper:.3f})" for name, auc, lower, upper in rows}
    for layer in layers_of(spec)[1:]:
        color = layer["encoding"]["color"]
        assert color["title"] == "score: AUC with interval"
        assert color["legend"]["labelExpr"] == f"{json.dumps(labels)}[datum.label]"
    assert picture(pa.plot_roc(whole, areas=report)) != picture(pa.plot_roc(whole))
    assert points_of_part(spec, "curve")["curve"].unique(maintain_order=True).to_list() == list(labels)


def test_areas_in_panels() -> None:
    report = pa.report(ROWS.lazy(), "label", ["logistic", "forest", "tree"], by="dataset").collect()
    one = CURVES.filter(dataset="digits")
    spec = spec_of(pa.plot_roc(one, areas=report, facet="dataset"))
    texts = points_of_part(spec, "area")
    assert texts["panel"].unique().to_list() == ["digits"]
    assert texts["curve"].to_list() == ["logistic", "forest", "tree"]
    rows = report.filter(dataset="digits").select("auc", "lower", "upper").rows()
    assert texts["area"].to_list() == [
        f"{auc:.3f} ({lower:.3f} to {upper:.3f})" for auc, lower, upper in rows
    ]
    assert texts["tpr"].is_sorted(descending=True)
    alone = report.with_columns(pl.lit(None, dtype=pl.Float64).alias("lower"))
    assert points_of_part(spec_of(pa.plot_roc(one, areas=alone, facet="dataset")), "area")[
        "area"
    ].to_list() == [f"{auc:.3f}" for auc, _, _ in rows]


def test_areas_that_are_not_of_the_curves_are_refused() -> None:
    report = pa.report(ROWS.lazy(), "label", ["logistic", "forest"], by="dataset").collect()
    whole = pa.curve_points(ROWS, pa.roc_curve("label", MODELS, max_points=50))
    with pytest.raises(ValueError, match=r"plot_roc: areas has no column 'segment'"):
        pa.plot_roc(CURVES.rename({"dataset": "segment"}), facet="segment", areas=report)
    with pytest.raises(ValueError, match=r"plot_roc: areas has several rows of one curve"):
        pa.plot_roc(whole, areas=pl.concat([report, report]))
    # A curve without an area has only its name.
    [_, line, _] = layers_of(spec_of(pa.plot_roc(whole, areas=report)))
    assert '"tree": "tree"' in line["encoding"]["color"]["legend"]["labelExpr"]


def test_lists_have_the_chart_of_rows() -> None:
    lists = ROWS.group_by("dataset", maintain_order=True).agg(pa.roc_curve("label", MODELS, max_points=50))
    bands = ROWS.group_by("dataset").agg(pa.roc_band("label", MODELS, n_points=21, n_resamples=50))
    from_lists = spec_of(pa.plot_roc(lists, band=bands.lazy(), facet="dataset"))
    from_rows = spec_of(pa.plot_roc(CURVES, band=BANDS, facet="dataset"))
    keys = ["panel", "curve", "fpr", "tpr", "threshold"]
    for part in ("curve", "band"):
        got, expected = (points_of_part(spec, part).select(keys) for spec in (from_lists, from_rows))
        assert_frame_equal(got, expected, check_row_order=False)
    both = ROWS.select(curve=pa.roc_curve("label", "tree"), band=pa.roc_band("label", "tree"))
    one = spec_of(pa.plot_roc(both, band=both))
    assert (
        points_of_part(one, "curve")["fpr"].to_list()
        == ROWS.select(pa.roc_curve("label", "tree").explode().struct.field("fpr")).to_series().to_list()
    )
    assert one["description"] == "ROC curve with bands. The dashed diagonal is chance."
    assert "legend" not in json.dumps(layers_of(one))


@pytest.mark.parametrize("method", METHODS)
def test_a_band_is_a_closed_line(method: Any) -> None:
    """The line follows the lower curve, with its separate rates, and returns along the upper curve."""
    rows = ROWS.filter(dataset="breast_cancer", segment="Q1")
    curve = pa.curve_points(rows, pa.roc_curve("label", "forest"))
    band = pa.curve_points(rows, pa.roc_band("label", "forest", method=method))
    spec = spec_of(pa.plot_roc(curve, band=band))
    area = points_of_part(spec, "band").sort("place")
    assert area["fpr"].to_list() == [*band["lower_fpr"], *band["upper_fpr"].reverse()]
    assert area["tpr"].to_list() == [*band["lower_tpr"], *band["upper_tpr"].reverse()]
    layer = layers_of(spec)[1]
    assert layer["mark"]["filled"]
    assert layer["mark"]["interpolate"] == "linear-closed"
    assert layer["encoding"]["order"]["field"] == "place"


def test_curves_of_folds_are_thin_lines() -> None:
    """Each fold is a separate line, in the colour of its curve and behind it."""
    mean = pa.curve_points(
        ROWS,
        [pa.cv_roc_curve("label", name, "fold").alias(name) for name in ("logistic", "forest", "tree")],
        "dataset",
    )
    spec = spec_of(pa.plot_roc(mean, band=BANDS, folds=FOLDS, facet="dataset"))
    thin = points_of_part(spec, "fold")
    expected = FOLDS.select("fpr", "tpr", panel="dataset", curve="score", fold=pl.col("fold").cast(pl.String))
    assert_frame_equal(thin.select(expected.columns), expected, check_row_order=False)
    assert points_of_part(spec, "curve").height == mean.height
    _, area, fold, line, _ = layers_of(spec)
    assert area["mark"]["filled"]
    assert [each["field"] for each in fold["encoding"]["detail"]] == ["curve", "fold"]
    assert fold["mark"]["strokeWidth"] < line["mark"]["strokeWidth"]
    assert fold["encoding"]["color"] == line["encoding"]["color"]
    assert spec["description"].endswith(
        "digits. Thin lines are curves of folds. The dashed diagonal is chance."
    )
    lists = ROWS.group_by("dataset", "fold").agg(pa.roc_curve("label", MODELS, max_points=20))
    from_lists = points_of_part(spec_of(pa.plot_roc(mean, folds=lists, facet="dataset")), "fold")
    assert_frame_equal(from_lists.select(expected.columns), expected, check_row_order=False)


def test_rows_in_another_order() -> None:
    shuffled = CURVES.sample(fraction=1, shuffle=True, seed=1)
    got, expected = (spec_of(pa.plot_roc(each, facet="dataset")) for each in (shuffled, CURVES))
    keys = ["panel", "curve"]
    assert_frame_equal(
        points_of_part(got, "curve").sort(keys, maintain_order=True).drop("place"),
        points_of_part(expected, "curve").sort(keys, maintain_order=True).drop("place"),
    )


def test_thresholds_as_they_are() -> None:
    rows = pl.DataFrame({"label": [1, 0, 1, 0], "score": [float("inf"), 0.1, -0.5, float("-inf")]})
    spec = spec_of(pa.plot_roc(pa.curve_points(rows, pa.roc_curve("label", "score"))))
    assert points_of_part(spec, "curve")["threshold"].to_list() == [None, "inf", "0.1", "-0.5", "-inf"]
    big = rows.with_columns(score=pl.Series([2**60 + 1, 2**60, 3, 2]))
    spec = spec_of(pa.plot_roc(big.select(pa.roc_curve("label", "score"))))
    assert str(2**60 + 1) in points_of_part(spec, "curve")["threshold"].to_list()


def test_other_curves_with_these_rates() -> None:
    for curve in (pa.cv_roc_curve("label", "tree", "fold"), pa.binormal_roc_curve("label", "tree")):
        assert layers_of(spec_of(pa.plot_roc(pa.curve_points(ROWS, curve))))
    assert layers_of(spec_of(pa.plot_roc(BANDS, band=BANDS, facet="dataset")))


def test_more_curves_than_colours_have_dashes() -> None:
    folds = pa.curve_points(ROWS, pa.roc_curve("label", "forest", max_points=20), "fold")
    line = layers_of(spec_of(pa.plot_roc(folds, by="fold")))[1]["encoding"]
    colors, dashes = (line[channel]["scale"]["range"] for channel in ("color", "strokeDash"))
    styles = list(zip(colors, map(tuple, dashes), strict=True))
    assert len(set(styles)) == len(styles) == 10
    assert line["color"]["scale"]["domain"] == [str(fold) for fold in range(1, 11)]


def test_keys_of_any_dtype() -> None:
    keyed = CURVES.filter(score="tree").with_columns(
        pl.when(pl.col("dataset") == "digits").then(None).otherwise(pl.lit(1.5)).alias("a.b[0]")
    )
    spec = spec_of(pa.plot_roc(keyed, by=["a.b[0]", "score"], tooltip=False))
    assert layers_of(spec)[1]["encoding"]["color"]["scale"]["domain"] == ["1.5, tree", "null, tree"]
    assert len(layers_of(spec)) == 2


def luminance(color: str) -> float:
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


@pytest.mark.parametrize("color", [*COLORS, REFERENCE])
@pytest.mark.parametrize("background", ["#ffffff", "#1e1e1e"])
def test_contrast_of_lines(color: str, background: str) -> None:
    """Test the contrast of the Web Content Accessibility Guidelines for graphics, on light and dark."""
    lighter, darker = sorted((luminance(color), luminance(background)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 3


def test_pictures() -> None:
    """A chart is rendered, alone and concatenated, and depends on its contents."""
    curves, bands = (each.filter(pl.col("score") == "tree") for each in (CURVES, BANDS))
    single = pa.plot_roc(curves.filter(dataset="digits"), tooltip=False)
    panels = pa.plot_roc(CURVES, band=BANDS, facet="dataset", size=100).properties(title="Models")
    sizes = [len(picture(chart)) for chart in (single, panels)]
    assert min(sizes) > 5000
    banded = pa.plot_roc(curves.filter(dataset="digits"), band=bands.filter(dataset="digits"), tooltip=False)
    assert picture(banded) != picture(single)
    assert spec_of(alt.hconcat(single, banded))["hconcat"]


def test_differences_are_those_of_the_frames() -> None:
    chart = pa.plot_difference(DIFFERENCES, facet="dataset")
    assert isinstance(chart, alt.FacetChart)
    spec = spec_of(chart)
    expected = DIFFERENCES.sort("point", maintain_order=True).select(
        "fpr", "difference", "lower", "upper", "p_value", panel="dataset"
    )
    assert_frame_equal(points_of_part(spec, "curve").select(expected.columns), expected)
    assert [layer["mark"]["type"] for layer in layers_of(spec)] == ["line", "area", "line", "point"]
    formats = {each["field"]: each.get("format") for each in layers_of(spec)[3]["encoding"]["tooltip"]}
    assert formats["difference"] == ".4f"
    assert formats["p_value"] == ".4~g"
    assert spec["description"] == (
        "Differences of ROC curves with their bands. Panels by dataset: breast_cancer, digits. "
        "The dashed line is no difference."
    )
    lists = ROWS.group_by("dataset").agg(
        pa.roc_difference_band("label", model, "tree", n_points=9, n_resamples=20)
        for model in ("forest", "logistic")
    )
    spec = spec_of(pa.plot_difference(lists, facet="dataset", tooltip=False))
    assert layers_of(spec)[1]["encoding"]["color"]["scale"]["domain"] == ["forest", "logistic"]
    one = pa.plot_difference(DIFFERENCES.filter(dataset="digits"))
    assert picture(one) != picture(pa.plot_difference(DIFFERENCES.filter(dataset="breast_cancer")))


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (CURVES, {}, r"differences must have the columns fpr, difference, .* write curve_points\("),
        (DIFFERENCES, {}, r"do not|no column separates. Hint: pass columns .*\['dataset'\]"),
        (DIFFERENCES.clear(), {}, "differences has no point"),
        (DIFFERENCES.with_columns(lower=-2.0), {"facet": "dataset"}, "numbers from -1 to 1, got"),
        (DIFFERENCES.with_columns(lower=1.0), {"facet": "dataset"}, "lower limits below upper ones"),
        (
            DIFFERENCES.filter(dataset="digits").reverse().drop("dataset", "point"),
            {},
            "or sort one curve by fpr",
        ),
        (DIFFERENCES, {"columns": 2}, "columns is the number of panels side by side"),
        (
            pl.concat([DIFFERENCES.with_columns(pair=pl.lit(pair)) for pair in range(1400)]),
            {"facet": ["dataset", "pair"]},
            r"53,200 points, .* at most 50,000. Hint: write roc_difference_band\(..., n_points=17\)",
        ),
    ],
)
def test_refusals_of_differences(frame: pl.DataFrame, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        pa.plot_difference(frame, **options)
    assert str(refused.value).startswith("plot_difference: ")


def covered() -> pl.DataFrame:
    """Return the share of folds' curves outside of bands, by two methods and two scores, on two datasets."""
    bands = pl.concat(
        ROWS.group_by("dataset")
        .agg(
            pa.roc_band("label", name, method=method, fold="fold", n_points=21).alias(name)
            for name in ("forest", "tree")
        )
        .with_columns(method=pl.lit(method))
        for method in ("vertical", "optimized_radial")
    )
    curves = ROWS.group_by("dataset", "fold").agg(
        pa.roc_curve("label", name).alias(f"curve of {name}") for name in ("forest", "tree")
    )
    return (
        bands.join(curves, on="dataset")
        .group_by("dataset", "method")
        .agg(pa.band_coverage(name, f"curve of {name}") for name in ("forest", "tree"))
        .sort("dataset", "method")
    )


def test_coverage_at_each_epsilon() -> None:
    """The height of a line at epsilon is the share of epsilons up to it."""
    table = covered()
    chart = pa.plot_coverage(table.drop("forest"), by="method", facet="dataset", level=0.95)
    assert isinstance(chart, alt.FacetChart)
    spec = spec_of(chart)
    lines = points_of_part(spec, "curve").sort("place")
    end = table["tree"].struct.field("epsilons").explode().max()
    for dataset, method, answer in table.select("dataset", "method", "tree").rows():
        line = lines.filter(panel=dataset, curve=method)
        assert line["epsilon"].is_sorted()
        assert line["epsilon"].is_unique().all()
        assert (line["epsilon"][0], line["epsilon"][-1], line["share"][-1]) == (0, end, 1)
        assert line["share"][0] == answer["coverage"]
        epsilons = pl.Series(answer["epsilons"])
        assert line["share"].to_list() == [(epsilons <= at).mean() for at in line["epsilon"]]
    level, steps, point = layers_of(spec)
    assert [each["share"] for each in spec["datasets"][level["data"]["name"]]] == [0.95, 0.95]
    assert steps["mark"]["interpolate"] == "step-after"
    assert [each.get("format") for each in point["encoding"]["tooltip"]] == [None, None, ".4f", ".4f"]
    assert spec["description"] == (
        "Share of curves within bands. Bands by method: optimized_radial, vertical. Panels by dataset: "
        "breast_cancer, digits. The dashed line is at 0.95."
    )
    from_fields = pa.plot_coverage(table.drop("forest").unnest("tree"), by="method", facet="dataset")
    assert_frame_equal(points_of_part(spec_of(from_fields), "curve"), lines)
    several = spec_of(pa.plot_coverage(table.lazy(), by=["score", "method"], facet="dataset", tooltip=False))
    assert len(layers_of(several)) == 1
    names = ["forest, optimized_radial", "forest, vertical", "tree, optimized_radial", "tree, vertical"]
    assert layers_of(several)[0]["encoding"]["color"]["scale"]["domain"] == names
    one = points_of_part(several, "curve").filter(panel="digits", curve="tree, vertical")
    expected = lines.filter(panel="digits", curve="vertical")
    assert set(expected.select("epsilon", "share").rows()) <= set(one.select("epsilon", "share").rows())


def test_bands_that_hold_all_curves_or_none_were_compared() -> None:
    answers = pl.DataFrame(
        {"method": ["wide", "none"], "epsilons": [[0.0, 0.0], []]},
        schema_overrides={"epsilons": pl.List(pl.Float64)},
    )
    points = points_of_part(spec_of(pa.plot_coverage(answers, by="method")), "curve")
    assert points.select("curve", "epsilon", "share").rows() == [("wide", 0.0, 1.0), ("wide", 1.0, 1.0)]
    assert picture(pa.plot_coverage(answers, by="method", level=0.9)).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (ROWS, {}, r"coverage must have the column epsilons, or structs .* write frame.group_by\("),
        (covered(), {}, r"by=\['score'\] and facet=\[\] do not separate. Hint: .*\['dataset', 'method'\]"),
        (covered(), {"by": ["method", "score"]}, r"pass columns that do .* \['dataset'\]"),
        (covered(), {"facet": "dataset", "by": "method", "level": 1.5}, "level must lie between 0 and 1"),
        (covered().rename({"method": "score"}), {}, "but there is one already. Hint: rename it"),
        (covered().clear(), {}, "coverage has no epsilon"),
        (pl.DataFrame({"epsilons": [[0.5, 2.0]]}), {}, "epsilons from 0 to 1, got 2.0"),
        (pl.DataFrame({"epsilons": [[0.5, float("nan")]]}), {}, "epsilons from 0 to 1, got nan"),
        (
            pl.DataFrame({"epsilons": [[each / 60_000 for each in range(60_000)]]}),
            {},
            "points, and a chart takes at most 50,000. Hint: draw fewer bands",
        ),
    ],
)
def test_refusals_of_coverage(frame: pl.DataFrame, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        pa.plot_coverage(frame, **options)
    assert str(refused.value).startswith("plot_coverage: ")


def test_as_many_points_as_a_chart_takes() -> None:
    """Test more than 5000 rows, the default limit of Altair."""
    rows = pl.DataFrame({"label": [0, 1] * 10_000, "score": range(20_000)})
    curve = pa.roc_curve("label", "score")
    assert points_of_part(spec_of(pa.plot_roc(rows.select(curve))), "curve").height == 20_001
    many = pl.DataFrame({"label": [0, 1] * 25_000, "score": range(50_000)})
    with pytest.raises(
        ValueError, match=r"50,001 points, .* at most 50,000. Hint: write .*max_points=1000\)"
    ):
        pa.plot_roc(many.select(curve))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((ROWS,), {}, r"curves must have the columns fpr, tpr, or lists .* write curve_points\("),
        ((CURVES,), {}, r"by=\['score'\] and facet=\[\] do not .*\['dataset'\]"),
        ((CURVES,), {"by": "dataset"}, r"by=\['dataset'\] .*\['score'\]"),
        ((CURVES,), {"by": "score", "facet": "score"}, "name every column once"),
        ((CURVES,), {"facet": "dataset", "band": CURVES}, "band must have the columns lower_fpr"),
        ((CURVES.filter(score="tree"),), {"facet": "dataset", "band": BANDS}, "'forest, breast_cancer'"),
        ((CURVES.clear(),), {}, "curves has no point"),
        ((CURVES.with_columns(pl.col("fpr") * 100),), {"facet": "dataset"}, "numbers from 0 to 1, got"),
        ((CURVES.with_columns(tpr=1 - pl.col("tpr")),), {"facet": "dataset"}, "decreasing points"),
        ((CURVES,), {"facet": "dataset", "folds": CURVES}, r"folds must have a column of folds"),
        ((CURVES.filter(score="tree"),), {"facet": "dataset", "folds": FOLDS}, "folds has 'forest, breast"),
        ((CURVES,), {"facet": "dataset", "folds": BANDS.drop("fpr")}, "folds must have the columns fpr, tpr"),
        ((CURVES,), {"facet": "dataset", "columns": 0}, "columns must be an integer from 1"),
        ((CURVES,), {"columns": 2}, "columns is the number of panels side by side"),
        ((CURVES,), {"facet": "dataset", "size": 3}, "size must be an integer from 50"),
        (
            (CURVES.with_columns(fold=pl.int_range(pl.len())),),
            {"by": "fold"},
            "at most 16 can be told apart in one panel. Hint: write facet=",
        ),
    ],
)
def test_refusals(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        pa.plot_roc(*arguments, **options)
    assert str(refused.value).startswith("plot_roc: ")


def test_a_chart_of_arrays_in_one_call() -> None:
    """The curves and areas equal those of the frame of these arrays."""
    rows = ROWS.filter(dataset="digits").drop_nulls(["label", "forest", "tree"])
    frame = pa.plot_roc(
        pa.curve_points(rows, [pa.roc_curve("label", name, max_points=1000) for name in ("forest", "tree")]),
        areas=pa.report(rows, "label", ["forest", "tree"]),
    )
    label, forest, tree = (rows[name] for name in ("label", "forest", "tree"))
    for scores in (
        {"forest": forest.to_numpy(), "tree": tree.to_list()},
        rows.select("forest", "tree"),
        rows.select("forest", "tree").to_pandas(),
    ):
        assert spec_of(pa.plot_roc(label.to_list(), scores)) == spec_of(frame)
    one = pa.plot_roc(label.to_numpy(), forest.to_pandas())
    assert one.description == "ROC curve. Curves by score: score. The dashed diagonal is chance."


ARRAYS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "lengths": ({"a": [1, 2]}, {}, "a has 2 values, and label has 3"),
    "NaN": ({"a": [1, 2, float("nan")]}, {}, "scores 'a' has no curve: a score is NaN"),
    "one class": ({"a": [1, 2, None]}, {}, "scores 'a' has no curve: it needs a positive and a negative"),
    "none": ({}, {}, "scores must be arrays by names other than 'label', got"),
    "the label": ({"label": [1, 2, 3]}, {}, "scores must be arrays by names other than 'label', got"),
    "text": ("risk", {}, "score must be an array, a list or a Series, got str"),
    "groups": ([1, 2, 3], {"facet": "site"}, "facet is for points of curves, and scores are arrays"),
    "bands": ([1, 2, 3], {"band": BANDS}, "band is for points of curves, and scores are arrays"),
    "a title": ([1, 2, 3], {"x_title": 3}, "x_title must be text, got 3"),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_refusals_of_arrays(case: str) -> None:
    scores, options, message = ARRAYS[case]
    with pytest.raises(ValueError, match=f"plot_roc: {message}"):
        pa.plot_roc([0, 0, 1], scores, **options)


def test_titles_of_axes() -> None:
    monitored = pl.DataFrame({"night": [1, 2, 3], "auc": [0.75, 0.74, 0.73], "se": [0.01, 0.01, 0.01]})
    monitored = monitored.with_columns(mean=pa.always_valid("auc", "se", null=0.8, alternative="less"))
    report = pa.report(ROWS, "label", "forest", by="dataset")
    one = CURVES.filter(dataset="digits")
    charts: list[Callable[..., Any]] = [
        lambda **titles: pa.plot_roc(one, **titles),
        lambda **titles: pa.plot_roc(CURVES, facet="dataset", **titles),
        lambda **titles: pa.plot_difference(DIFFERENCES, facet="dataset", **titles),
        lambda **titles: pa.plot_monitoring(monitored, "night", "mean", reference=0.8, **titles),
        lambda **titles: pa.plot_forest(report, x_title=titles["x_title"]),
    ]
    for draw in charts:
        plain, titled = (
            draw(x_title=x, y_title=y).to_dict(validate=False) for x, y in ((None, None), ("X", ""))
        )
        found: list[set[Any]] = []
        for spec in (plain, titled):
            layers = spec.get("spec", spec)["layer"]
            found += [
                {layer["encoding"][axis].get("title", 0) for layer in layers if axis in layer["encoding"]}
                for axis in "xy"
            ]
        assert found[2] == {"X"} != found[0]
        assert found[3] in ({""}, found[1])


def test_refusals_of_columns_and_types() -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="plot_roc: by has the unknown column 'x'"):
        pa.plot_roc(CURVES, by="x")
    with pytest.raises(TypeError, match="plot_roc: frame must be a DataFrame or a LazyFrame, got list"):
        pa.plot_roc([1])
    with pytest.raises(TypeError, match="plot_roc: by must be column names, got"):
        pa.plot_roc(CURVES, by=3)  # type: ignore[arg-type]


def test_the_package_works_without_altair() -> None:
    """Only charts import Altair, with an installation hint."""
    code = (
        "import sys; sys.modules['altair'] = None; import polars as pl; import polars_auc as pa\n"
        "try: pa.plot_roc(pl.DataFrame())\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 'plot_roc needs altair>=5.4: pip install "polars-auc[plot]"\n'


REPORT = pa.report(
    pl.DataFrame(
        {
            "site": ["a", "a", "b", "b", "c", "c", None, None, "one", "one"],
            "y": [0, 1, 0, 1, 0, 1, 0, 1, 1, 1],
            "s": [1, 2, 2, 1, 3, 3, 1, 2, 1, 2],
            "t": [2, 1, 1, 2, 3, 3, 1, 2, 1, 2],
        }
    ),
    "y",
    ["s", "t"],
    by="site",
)


def test_a_forest_has_the_numbers_of_the_report() -> None:
    chart = pa.plot_forest(REPORT).to_dict()
    points = pl.DataFrame(chart["datasets"][chart["data"]["name"]])
    expected = REPORT.filter(pl.col("scope") == "group", pl.col("auc").is_not_null())
    assert points.select("score", "n", "auc", "lower", "upper").equals(
        expected.select("score", "n", "auc", "lower", "upper"), null_equal=True
    )
    assert points["group"].to_list() == ["a", "a", "b", "b", "c", "c", "null", "null"]
    overall = REPORT.filter(pl.col("scope") == "overall")["auc"].to_list()
    assert points["overall"].to_list() == overall * 4
    [order] = {
        str(layer["encoding"]["y"]["sort"]) for layer in chart["spec"]["layer"] if "y" in layer["encoding"]
    }
    assert order == "['b', 'c', 'a', 'null']"
    assert {row["group"] for row in points.rows(named=True)} == {"a", "b", "c", "null"}


def test_a_forest_marks_what_differs() -> None:
    marked = REPORT.with_columns(p_adjusted=pl.when(pl.col("site") == "a").then(0.08))
    for level, differs in ((0.95, []), (0.9, ["a", "a"])):
        chart = pa.plot_forest(marked, level=level)
        what = "Orange diamonds are" if differs else "No displayed group is"
        assert f"{what} significantly different at level {1 - level:.6g}" in chart.description
        spec = chart.to_dict()
        rows = spec["datasets"][spec["data"]["name"]]
        assert [row["group"] for row in rows if row["differs"]] == differs


@pytest.mark.parametrize(
    ("report", "options", "message"),
    [
        (CURVES, {}, "lacks scope, n, auc, lower, upper. Hint: write report"),
        (REPORT.drop("site"), {}, "the report has no groups"),
        (REPORT.filter(pl.col("site") == "one"), {}, "no group has an AUC"),
        (REPORT, {"limit": 1}, "limit must be an integer from 2 to 500, got 1"),
        (REPORT, {"width": 3}, "width must be an integer from 50 to 5000, got 3"),
        (REPORT, {"level": 1}, "level must lie between 0 and 1"),
    ],
)
def test_refusals_of_forests(report: pl.DataFrame, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        pa.plot_forest(report, **options)
    assert str(refused.value).startswith("plot_forest: ")


def test_groups_of_one_name_stay_apart() -> None:
    """Null differs from the text "null", and a comma in a value is not a separator."""
    rows = pl.DataFrame(
        {
            "g": ["a, b", "a", None, "null", "", '"'] * 4,
            "h": ["c", "b, c", "x", "x", "x", "x"] * 4,
            "y": [0, 1] * 12,
            "s": [row * 7 % 5 for row in range(24)],
        }
    ).with_columns(y=pl.int_range(24) // 6 % 2)
    spec = pa.plot_forest(pa.report(rows, "y", "s", by=["g", "h"])).to_dict()
    groups = {row["group"] for row in spec["datasets"][spec["data"]["name"]]}
    assert groups == {'"a, b", c', 'a, "b, c"', "null, x", '"null", x', '"", x', '"\\"", x'}
    curves = rows.group_by("g", "h").agg(pa.roc_curve("y", "s"))
    assert len(pa.plot_roc(curves, facet=["g", "h"]).to_dict()["facet"]["sort"]) == 6


def test_a_forest_of_many_groups_has_the_significant_and_the_largest() -> None:
    """Small groups have extreme AUCs by chance."""
    sizes = [12] * 20 + [400] * 10 + [100] * 9
    groups = pl.DataFrame({"g": [f"g{group:02}" for group in range(39)], "n": sizes}).with_columns(
        scope=pl.lit("group"),
        score=pl.lit("s"),
        auc=pl.when(pl.col("n") == 12).then(1.0).when(pl.col("g") == "g35").then(0.6).otherwise(0.8),
        lower=pl.lit(0.5),
        upper=pl.lit(1.0),
    )
    report = groups.select("scope", "g", "score", "n", "auc", "lower", "upper")
    tested = report.with_columns(p_adjusted=pl.when(pl.col("g") == "g35").then(0.001).otherwise(1.0))

    def chart_groups(report: pl.DataFrame, limit: int) -> tuple[list[str], str]:
        chart = pa.plot_forest(report, limit=limit)
        spec = chart.to_dict()
        order = spec["layer"][-1]["encoding"]["y"]["sort"]
        assert {row["group"] for row in spec["datasets"][spec["data"]["name"]]} == set(order)
        return order, chart.description

    largest = [f"g{group}" for group in range(20, 30)]
    order, words = chart_groups(report, 10)
    assert sorted(order) == largest
    assert words.startswith(
        "AUC of 10 of 39 groups by g, with intervals, the lowest first: the 10 groups with"
    )
    order, words = chart_groups(tested, 11)
    assert order[0] == "g35"
    assert sorted(order)[:10] == largest
    assert "first: the 1 that differs significantly and the 10 other groups with the most rows. " in words
    _, words = chart_groups(tested.with_columns(p_adjusted=0.01 + pl.int_range(39) / 1000), 10)
    assert "first: the 10 most significant of 39. " in words
    order, words = chart_groups(tested, 39)
    assert len(order) == 39
    assert "most rows" not in words


def axis_of(chart: Any, axis: str) -> list[float]:
    """Return the ends of the shared axis of all layers."""
    layers = layers_of(chart.to_dict(validate=False))
    ends = {
        tuple(layer["encoding"][axis]["scale"]["domain"])
        for layer in layers
        if "scale" in layer["encoding"].get(axis, {})
    }
    [end] = ends
    return list(end)


def test_axes_of_areas_never_leave_0_to_1() -> None:
    early = pl.DataFrame(
        {
            "night": [1, 2, 3, 4] * 2,
            "site": ["a"] * 4 + ["b"] * 4,
            "auc": [0.93, 0.99, 1, 0.97, 0.85, 0.8, 0.9, 0.86],
        }
    )
    early = early.with_columns(se=pl.when(site="a").then(0.02).otherwise(0.05))
    early = early.with_columns(mean=pa.always_valid("auc", "se").over("site", order_by="night"))
    [low, high] = axis_of(pa.plot_monitoring(early, "night", "mean", facet="site"), "y")
    assert 0 <= low <= 0.8
    assert high == 1
    report = pa.report(ROWS, "label", "forest", by=["dataset", "segment"])
    [low, high] = axis_of(pa.plot_forest(report), "x")
    assert 0 < low < 0.8
    assert high == 1
    for values, ends in (
        ([0.5, 0.52], [0.5, 0.52]),
        ([0.7], [0.699, 0.701]),
        ([0.0, 1.0], [0, 1]),
        ([0.31, 0.78, None, math.nan], [0.3, 0.8]),
        ([-0.02, 0.05], [-0.02, 0.05]),
        ([], [0, 1]),
    ):
        assert area_scale(values).to_dict()["domain"] == pytest.approx(ends), values


def test_forest_keeps_a_group_that_only_another_score_has() -> None:
    table = pl.DataFrame(
        {
            "scope": ["group"] * 4 + ["overall"] * 2,
            "site": ["a", "a", "b", "b", None, None],
            "score": ["s", "t"] * 3,
            "n": [100] * 6,
            "n_pos": [50] * 6,
            "auc": [0.8, 0.7, math.nan, 0.6, math.nan, 0.65],
            "lower": [0.75, 0.65, math.nan, 0.55, math.nan, 0.6],
            "upper": [0.85, 0.75, math.nan, 0.65, math.nan, 0.7],
        }
    )
    chart = pa.plot_forest(table).to_dict()
    [rows] = chart["datasets"].values()
    assert [(row["group"], row["score"]) for row in rows] == [("a", "s"), ("a", "t"), ("b", "t")]
    assert "AUC of 2 groups" in chart["description"]


NIGHTS = pl.DataFrame({"night": [2, 1, 3] * 2, "site": ["a"] * 3 + ["b"] * 3})
NIGHTS = NIGHTS.with_columns(
    auc=pl.when(site="a").then(0.8 - 0.04 * pl.col("night")).otherwise(0.8), se=pl.lit(0.01)
)
NIGHTS = NIGHTS.with_columns(
    mean=pa.always_valid("auc", "se", null=0.8, alternative="less").over("site", order_by="night"),
    late=pa.always_valid_change("auc", "se", baseline=1).over("site", order_by="night"),
)


def test_monitoring_has_the_numbers_of_always_valid() -> None:
    chart = pa.plot_monitoring(NIGHTS, "night", "mean", facet="site", reference=0.8)
    spec = spec_of(chart)
    points = pl.DataFrame(spec["datasets"][spec["data"]["name"]])
    expected = NIGHTS.sort("site", "night")
    fields = ["estimate", "lower", "upper", "p_value"]
    assert points.select(fields).equals(expected.select(pl.col("mean").struct.field(*fields)))
    assert points["auc"].equals(expected["auc"])
    assert points["panel"].to_list() == ["a"] * 3 + ["b"] * 3
    assert points["period"].to_list() == ["1", "2", "3"] * 2
    # The first rejection for a; there is none for b.
    rejected = [p <= 0.05 for p in points["p_value"]]
    assert points["alarm"].to_list() == [
        rejected[row] and not any(rejected[row // 3 * 3 : row]) for row in range(6)
    ]
    assert points["alarm"].sum() == 1
    assert "a panel for each site. The mark is the first alarm at level 0.05." in chart.description
    assert len(layers_of(spec)) == 6
    assert layers_of(spec)[0]["encoding"]["x"]["sort"] == ["1", "2", "3"]
    # All panels share the axis of areas, which clips the wide intervals of the first periods.
    assert "scale" not in spec.get("resolve", {})
    assert layers_of(spec)[0]["mark"]["clip"]
    gap = NIGHTS.filter((pl.col("site") != "a") | (pl.col("night") != 1))
    layers = layers_of(spec_of(pa.plot_monitoring(gap, "night", "mean", facet="site")))
    assert layers[0]["encoding"]["x"]["sort"] == ["1", "2", "3"]
    quiet = NIGHTS.filter(site="b").drop("auc").lazy()
    one = pa.plot_monitoring(quiet, "night", "mean", alarm="late", width=100)
    assert one.description.endswith("No alarm.")
    assert len(layers_of(spec_of(one))) == 4
    assert picture(chart) != picture(one)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (("day", "mean"), {}, "the frame has no column 'day', expected one of night, site"),
        (("night", "auc"), {}, "'auc' has dtype Float64, expected an answer of always_valid"),
        (("night", "late"), {}, "'late' has dtype Struct.*, expected an answer of always_valid"),
        (("night", "mean"), {"alarm": "se"}, "'se' has dtype Float64, expected an answer"),
        (("night", "mean"), {}, "'night' has two rows of one value in a panel. Hint: name what .* facet="),
        (("night", "mean"), {"facet": "site", "reference": 80}, "reference must be a number from -1 to 1"),
        (("night", "mean"), {"facet": "site", "level": 95}, "level must lie between 0 and 1"),
        (("night", "mean"), {"facet": "site", "width": 3}, "width must be an integer from 50 to 5000"),
        (("^n.*$", "mean"), {}, "takes this name for a pattern"),
    ],
)
def test_refusals_of_monitoring(columns: tuple[str, str], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        pa.plot_monitoring(NIGHTS, *columns, **options)
    assert str(refused.value).startswith("plot_monitoring: ")
    with pytest.raises(ValueError, match="a chart takes from 1 to 50,000 rows, got 0"):
        pa.plot_monitoring(NIGHTS.clear(), "night", "mean")
