"""Several scores, in the forms of several columns in Polars."""

from __future__ import annotations

from typing import Any

import polars as pl
import polars.selectors as cs
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc import _native

ENGINES = pytest.mark.parametrize("engine", ["in-memory", "streaming"])
FRAMES = pytest.mark.parametrize("lazy", [True, False], ids=["lazy", "eager"])
NAMES = ["p_a", "p_b", "p_c"]
WAYS = pytest.mark.parametrize(
    "scores",
    [
        NAMES,
        tuple(NAMES),
        cs.starts_with("p_"),
        pl.selectors.by_name(*NAMES),
        pl.col(*NAMES),
        pl.col("^p_.*$"),
        pl.all().exclude("label", "g"),
        cs.numeric() - cs.by_name("g"),
        ["p_a", cs.by_name("p_b", "p_c")],
        [pl.col("p_a", "p_b"), pl.col("p_c")],
        [cs.starts_with("p_").exclude("p_c"), "p_c"],
    ],
    ids=range(11),
)


def rows() -> pl.DataFrame:
    score = pl.col("score")
    return fixed(800).select(
        "label", pl.col("g") % 3, p_a=score, p_b="other", p_c=(-score).round(1).cast(pl.Float32)
    )


@ENGINES
@WAYS
def test_compare(scores: Any, engine: Any) -> None:
    frame = rows()
    lazy = frame.lazy()
    got, expected = (
        pa.compare_scores("label", scores, reference=0).alias("out"),
        pa.compare_scores("label", *NAMES, reference=0).alias("out"),
    )
    for plan, same in (
        (lazy.select(got), frame.select(expected)),
        (lazy.group_by("g").agg(got).sort("g"), frame.group_by("g").agg(expected).sort("g")),
        (lazy.select(got.over("g")), frame.select(expected.over("g"))),
        (lazy.with_columns(got), frame.with_columns(expected)),
    ):
        assert_frame_equal(plan.collect(engine=engine), same, check_exact=True)
        assert plan.collect_schema() == same.schema
    assert_frame_equal(frame.select(got), frame.select(expected), check_exact=True)


def test_compare_changed_scores() -> None:
    got = rows().select(pa.compare_scores("label", -cs.starts_with("p_")))
    assert got.columns == ["p_a"]
    assert_frame_equal(got, rows().select(pa.compare_scores("label", *(-pl.col(name) for name in NAMES))))
    mixed = rows().select(pa.compare_scores("label", "p_c", cs.starts_with("p_").exclude("p_c"))).item()
    assert [area["score"] for area in mixed["estimates"]] == ["p_c", "p_a", "p_b"]


@ENGINES
def test_compare_is_one_call(engine: Any) -> None:
    plan = rows().lazy().group_by("g").agg(pa.compare_scores("label", cs.starts_with("p_")))
    before = _native.calls()
    plan.collect(engine=engine)
    assert _native.calls() == before + 1


def test_compare_refuses() -> None:
    several = cs.starts_with("p_")
    with pytest.raises(
        ValueError, match=r"reference must be .* from 0 to 0, got 1. Hint: an expression of several"
    ):
        pa.compare_scores("label", several, reference=1)
    with pytest.raises(ValueError, match="label must be a single column if scores are several"):
        pa.compare_scores(cs.boolean(), several)
    with pytest.raises(ValueError, match="expected two scores or more, got 1"):
        pa.compare_scores("label", ["p_a"])
    with pytest.raises(TypeError, match="score_1 must be a column name or an expression, got Series"):
        pa.compare_scores("label", ["p_a", rows()["p_b"]])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="reference is 1, which is behind an expression of several columns"):
        pa.compare_scores("label", several, "g", reference=1)
    # The selector matches no column, so the reference index is invalid.
    none = pa.compare_scores("label", "p_a", "p_b", cs.starts_with("z"), reference=2)
    with pytest.raises(
        pl.exceptions.ComputeError,
        match=r"reference must be a score's place, from 0 to 1, got 2; .* gave 2 scores",
    ):
        rows().select(none)
    with pytest.raises(
        pl.exceptions.ComputeError, match="reference must be a score's place, from 0 to 1, got 2"
    ):
        rows().lazy().group_by("g").agg(none).collect()
    for scores, n_scores in ((cs.starts_with("p_a"), 1), (cs.starts_with("z"), 0)):
        with pytest.raises(pl.exceptions.ComputeError, match=f"expected two or more scores, got {n_scores}"):
            rows().select(pa.compare_scores("label", scores))


@ENGINES
@FRAMES
@WAYS
def test_report(scores: Any, lazy: bool, engine: Any) -> None:
    frame = rows().lazy() if lazy else rows()
    plan, expected = (
        pa.report(frame, "label", scores_argument, by="g", compare=True, versus="rest", folds="g").lazy()
        for scores_argument in (scores, [pl.col(name) for name in NAMES])
    )
    table = plan.collect(engine=engine)
    assert table["score"].unique(maintain_order=True).to_list() == NAMES
    assert table.schema == plan.collect_schema()
    assert_frame_equal(table, expected.collect(engine=engine), check_exact=True)


@ENGINES
def test_report_of_changed_scores(engine: Any) -> None:
    frame = rows().lazy()
    negative = pa.report(frame, "label", (-cs.starts_with("p_")).name.suffix("_low"), by="g")
    expected = pa.report(frame, "label", [(-pl.col(name)).alias(f"{name}_low") for name in NAMES], by="g")
    assert_frame_equal(negative.collect(engine=engine), expected.collect(engine=engine), check_exact=True)
    best = pl.max_horizontal(cs.starts_with("p_")).alias("best")
    one = pa.report(frame, "label", best).collect(engine=engine)
    assert one["auc"].to_list() == [frame.select(pa.roc_auc("label", best)).collect().item()]


def test_report_leaves_out_the_keys() -> None:
    table = pa.report(rows(), "label", pl.all().exclude("label"), by="g")
    assert table["score"].unique(maintain_order=True).to_list() == NAMES


def test_report_refuses() -> None:
    with pytest.raises(ValueError, match="two scores are named 'p_a'"):
        pa.report(rows(), "label", ["p_a", cs.starts_with("p_")])
    with pytest.raises(ValueError, match="scores select no column of the frame, expected one of "):
        pa.report(rows(), "label", cs.starts_with("z"))
    with pytest.raises(ValueError, match="compare needs two scores or more, got one"):
        pa.report(rows(), "label", cs.starts_with("p_a"), compare=True)


@ENGINES
@FRAMES
@pytest.mark.parametrize("by", ["g", None])
@pytest.mark.parametrize(
    "curve",
    [
        pa.roc_curve("label", cs.starts_with("p_")),
        pa.roc_curve("label", pl.col(*NAMES)),
        pa.roc_curve("label", pl.all().exclude("label", "g")),
        [pa.roc_curve("label", name) for name in NAMES],
        [pa.roc_curve("label", "p_a"), pa.roc_curve("label", cs.by_name("p_b", "p_c"))],
    ],
    ids=range(5),
)
def test_curve_points(curve: Any, by: str | None, lazy: bool, engine: Any) -> None:
    plan = pa.curve_points(rows().lazy() if lazy else rows(), curve, by).lazy()
    table = plan.collect(engine=engine)
    assert table.schema == plan.collect_schema()
    assert table.columns[: table.columns.index("point")] == [*([by] if by else []), "score"]
    for name in NAMES:
        alone = pa.curve_points(rows(), pa.roc_curve("label", name), by)
        expected = table.filter(pl.col("score") == name).drop("score")
        assert_frame_equal(expected, alone.cast({"threshold": pl.Float64}), check_exact=True)
    places = table["score"].replace_strict(NAMES, range(3))
    assert_frame_equal(table, table.sort(*([by] if by else []), places, "point"))


def test_curve_points_of_one_column() -> None:
    """The column of scores exists for several curves and for a list of any length."""
    frame = rows()
    alone = pa.curve_points(frame, pa.roc_curve("label", "p_a"), "g")
    for one in (cs.by_name("p_a"), pl.max_horizontal(cs.by_name("p_a"))):
        got = pa.curve_points(frame, pa.roc_curve("label", one), "g")
        assert_frame_equal(got, alone, check_exact=True)
    listed = pa.curve_points(frame, [pa.roc_curve("label", "p_a")], "g")
    assert_frame_equal(listed, alone.select("g", pl.lit("p_a").alias("score"), pl.exclude("g")))
    renamed = pa.curve_points(frame, pa.roc_curve("label", cs.starts_with("p_")).name.suffix("_curve"))
    assert renamed["score"].unique(maintain_order=True).to_list() == [f"{name}_curve" for name in NAMES]


def test_curve_points_of_a_curve_with_the_name_score() -> None:
    """The column of names shares its name with one of the curves."""
    rows = pl.DataFrame({"y": [0, 1, 0, 1], "score": [1, 2, 3, 4], "other": [1, 3, 3, 4]})
    for names in (["score"], ["score", "other"], ["other", "score"]):
        curves = [pa.roc_curve("y", name) for name in names]
        long = pa.curve_points(rows, curves)
        assert long["score"].unique(maintain_order=True).to_list() == names
        for name, curve in zip(names, curves, strict=True):
            alone = pa.curve_points(rows, curve)
            assert long.filter(pl.col("score") == name).drop("score").equals(alone)


def test_curve_points_refuses() -> None:
    frame = rows()
    roc, pr = pa.roc_curve("label", "p_a"), pa.pr_curve("label", "p_b")
    for curves, by, message in (
        ([roc, pr], None, "curves must have the same fields"),
        ([roc, roc], None, "every curve needs a unique name"),
        ([roc.alias("g")], "g", "every curve needs a unique name"),
        (pa.roc_curve("label", cs.starts_with("z")), "g", "curve has no column of the frame"),
        (pa.roc_auc("label", cs.starts_with("p_")), "g", "curve must return a list of points"),
    ):
        with pytest.raises(ValueError, match=message):
            pa.curve_points(frame, curves, by)
    with pytest.raises(ValueError, match="the column 'score' of by has the name of a column of the points"):
        pa.curve_points(frame.rename({"g": "score"}), [roc], "score")
    for wrong, got in (([], "none"), ([roc, "p_b"], "str"), ("p_b", "str")):
        with pytest.raises(TypeError, match=f"curve must be an expression, got {got}"):
            pa.curve_points(frame, wrong)  # type: ignore[arg-type]
