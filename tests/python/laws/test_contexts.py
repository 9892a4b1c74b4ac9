"""Expressions in the contexts of a query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed

ENGINES = pytest.mark.parametrize("engine", ["in-memory", "streaming"])


def whole() -> pl.DataFrame:
    return fixed(20_000).with_columns(other=pl.col("score") * 0.5 + pl.int_range(pl.len()) % 7 * 0.1)


@ENGINES
def test_filter_and_comparison(engine: Any) -> None:
    frame = whole()
    by_group = frame.group_by("g").agg(auc=pa.roc_auc("label", "score"))
    good = by_group.filter(pl.col("auc") > 0.75)["g"].sort()
    assert 0 < good.len() < by_group.height
    kept = frame.lazy().filter(pa.roc_auc("label", "score").over("g") > 0.75).collect(engine=engine)
    assert_frame_equal(kept.select(pl.col("g").unique().sort()).to_series().to_frame(), good.to_frame())
    rest = frame.lazy().filter(pl.col("score") > pa.roc_auc("label", "score")).collect(engine=engine)
    assert (
        rest.height
        == frame.filter(pl.col("score") > frame.select(pa.roc_auc("label", "score")).item()).height
    )


@ENGINES
def test_arithmetic_between_expressions(engine: Any) -> None:
    frame = whole()
    a, b = pa.roc_auc("label", "score"), pa.roc_auc("label", "other")
    got = (
        frame.lazy()
        .group_by("g")
        .agg(
            gain=a - b,
            best=pl.max_horizontal(a, b),
            guarded=pl.when(pl.len() >= 30).then(a),
            gini=2 * a - 1,
        )
        .sort("g")
        .collect(engine=engine)
    )
    apart = frame.group_by("g").agg(a.alias("a"), b.alias("b"), pl.len()).sort("g")
    expected = apart.select(
        "g",
        gain=pl.col("a") - pl.col("b"),
        best=pl.max_horizontal("a", "b"),
        guarded=pl.when(pl.col("len") >= 30).then("a"),
        gini=2 * pl.col("a") - 1,
    )
    assert_frame_equal(got, expected, check_exact=True)
    lift = frame.lazy().select("g", lift=a.over("g") - a).unique("g").sort("g").collect(engine=engine)
    overall = frame.select(a).item()
    assert_frame_equal(lift, apart.select("g", lift=pl.col("a") - overall), check_exact=True)


@ENGINES
def test_names_and_selectors(engine: Any) -> None:
    frame = whole().drop("weight", "probability", "other_probability", "grade").lazy()
    got = frame.select(pa.roc_auc("label", cs.float()).name.suffix("_auc")).collect(engine=engine)
    assert got.columns == ["score_auc", "other_auc"]
    assert frame.select(pa.roc_auc(pl.col("label"), pl.col("score").alias("s"))).collect_schema().names() == [
        "s"
    ]


@ENGINES
def test_records_unnest_and_curves_explode(engine: Any) -> None:
    frame = whole().lazy()
    records = frame.group_by("g").agg(pa.roc_auc_ci("label", "score").alias("ci")).unnest("ci").sort("g")
    fields = (
        frame.group_by("g")
        .agg(
            pa.roc_auc_ci("label", "score").struct.field("auc", "upper"),
        )
        .sort("g")
    )
    collected = records.collect(engine=engine)
    assert_frame_equal(collected.select("g", "auc", "upper"), fields.collect(engine=engine), check_exact=True)
    curves = frame.group_by("g").agg(pa.roc_curve("label", "score").alias("c"))
    area = (
        curves.explode("c", empty_as_null=True)
        .unnest("c")
        .group_by("g", maintain_order=True)
        .agg(
            auc=((pl.col("fpr").diff() * (pl.col("tpr") + pl.col("tpr").shift())) / 2).sum(),
            has_points=pl.len() > 1,
        )
        .select("g", auc=pl.when("has_points").then("auc"))
        .sort("g")
        .collect(engine=engine)
    )
    # The area under the curve is the AUC; sums of rounded rates are accurate to some ulps of 1.
    assert_frame_equal(area, collected.select("g", "auc"), rel_tol=0, abs_tol=1e-13)


@ENGINES
def test_hive_scan_keeps_pruning(engine: Any, tmp_path: Path) -> None:
    frame = (
        whole().drop("key", "weight", "probability", "other_probability", "grade").filter(pl.col("g") <= 5)
    )
    frame.write_parquet(tmp_path / "rows", partition_by="g", mkdir=True)
    scan = pl.scan_parquet(tmp_path / "rows" / "**" / "*.parquet", hive_partitioning=True)
    plan = scan.group_by("g").agg(auc=pa.roc_auc("label", "score")).filter(pl.col("g") == 2)
    assert "g=2" in plan.explain()
    assert "g=3" not in plan.explain()
    assert "PROJECT 2/4" in plan.explain() or "PROJECT 3/4" in plan.explain()
    alone = frame.filter(pl.col("g") == 2).select(pa.roc_auc("label", "score")).item()
    assert plan.collect(engine=engine)["auc"].to_list() == [alone]


@ENGINES
def test_collect_all_and_sinks(engine: Any, tmp_path: Path) -> None:
    lazy = whole().lazy()
    one = lazy.select(pa.roc_auc("label", "score"))
    many = lazy.group_by("g").agg(pa.ks_statistic("label", "score"))
    both = pl.collect_all([one, many], engine=engine)
    assert_frame_equal(both[0], one.collect())
    assert both[1].height == whole()["g"].n_unique()
    many.sink_parquet(tmp_path / "out.parquet", engine=engine)
    assert_frame_equal(pl.read_parquet(tmp_path / "out.parquet").sort("g"), both[1].sort("g"))


@ENGINES
def test_unaligned_sources_stay_aligned(engine: Any) -> None:
    """Labels and scores of a row stay together after operations that do not preserve row order."""
    frame = (
        whole()
        .with_row_index("i")
        .drop_nulls()
        .with_columns(score=pl.col("i") % 1000, label=pl.col("i") % 1000 >= 500)
    )
    lazy = frame.lazy().unique().join(frame.lazy().select("i"), on="i")
    got = lazy.group_by("g").agg(auc=pa.roc_auc("label", "score"), n=pl.len()).collect(engine=engine)
    assert got.filter(pl.col("n") > 50)["auc"].unique().to_list() == [1.0]


def test_lists() -> None:
    rows = [
        [{"y": 0, "s": 1}, {"y": 1, "s": 2}],
        [],
        [{"y": 1, "s": 1}],
        [{"y": 1, "s": 1}, {"y": 0, "s": 2}],
    ]
    element = pl.element().struct
    auc = pa.roc_auc(element.field("y"), element.field("s"))
    # Before 1.40, Polars adds nulls to the result of an aggregate in list.eval.
    got = pl.DataFrame({"rows": rows}).select(pl.col("rows").list.eval(auc).list.first())
    assert got["rows"].to_list() == [1.0, None, None, 0.0]


def test_plans_serialise() -> None:
    plan = whole().lazy().group_by("g").agg(pa.roc_auc_ci("label", "score", level=0.8)).sort("g")
    again = pl.LazyFrame.deserialize(__import__("io").BytesIO(plan.serialize()))
    assert_frame_equal(again.collect(), plan.collect())


def test_one_huge_group_among_many_small() -> None:
    n = 300_000
    frame = pl.DataFrame({"g": [0] * n + list(range(1, 20_001)) * 5, "i": range(n + 100_000)})
    frame = frame.with_columns(score=(pl.col("i") * 7919 % 10007), label=pl.col("i") % 3 == 0)
    got = frame.group_by("g").agg(auc=pa.roc_auc("label", "score")).sort("g")
    huge = frame.filter(pl.col("g") == 0).select(pa.roc_auc("label", "score")).item()
    small = frame.filter(pl.col("g") == 777).select(pa.roc_auc("label", "score")).item()
    assert got["auc"].to_list()[0] == huge
    assert got["auc"].to_list()[777] == small
