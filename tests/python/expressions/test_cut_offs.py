"""A threshold for each row or each group: confusion_at with an expression."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed


def rows(n: int = 600) -> pl.DataFrame:
    return fixed(n).select("g", "label", "score").with_columns(cut=(pl.col("g") % 4) / 4.0)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_each_group_has_its_threshold(engine: str) -> None:
    frame = rows()
    found = frame.lazy().group_by("g").agg(pa.confusion_at("label", "score", pl.col("cut"))).sort("g")
    collected = found.collect(engine=engine)  # type: ignore[call-overload]
    assert collected.schema == found.collect_schema()
    for [group], part in frame.group_by("g", maintain_order=True):
        expected = part.select(pa.confusion_at("label", "score", part["cut"][0]))
        assert_frame_equal(
            collected.filter(pl.col("g").eq_missing(pl.lit(group))).select("score"),
            expected,
            check_exact=True,
        )
    in_groups = frame.select("g", pa.confusion_at("label", "score", pl.col("cut")).over("g"))
    assert_frame_equal(in_groups.unique().sort("g"), collected.select("g", "score"), check_exact=True)


def test_a_quantile_of_each_group() -> None:
    frame = rows().drop_nulls().filter(pl.col("score").is_finite())
    top = pl.col("score").quantile(0.9, "higher")
    found = frame.group_by("g").agg(pa.confusion_at("label", "score", top), cut=top).unnest("score")
    assert (found["threshold"] == found["cut"]).all()
    expected = frame.group_by("g").agg(n=(pl.col("score") >= top).sum())
    together = found.join(expected, on="g", nulls_equal=True)
    assert (together["tp"] + together["fp"] == together["n"]).all()


def test_thresholds_of_rows() -> None:
    frame = pl.DataFrame({"y": [1, 0, 1, 0, 1], "s": [3, 3, 1, None, 2], "cut": [2.5, 3.5, 1.0, 0.0, None]})
    record = frame.select(pa.confusion_at("y", "s", pl.col("cut"))).item()
    assert [record[name] for name in ("threshold", "tp", "fp", "tn", "fn")] == [None, 2, 0, 1, 0]
    assert frame.select(pa.confusion_at("y", "s", pl.col("cut"))).columns == ["s"]
    halved = frame.with_columns(w=0.5)
    weighted = halved.select(pa.confusion_at("y", "s", pl.lit(2), weight="w")).item()
    assert [weighted[name] for name in ("threshold", "tp", "fp", "fn")] == [2, 1.0, 0.5, 0.5]


def test_a_nan_is_no_score() -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [float("nan"), 1.0]})
    record = frame.select(pa.confusion_at("y", "s", pl.lit(0.5))).item()
    assert record["tpr"] != record["tpr"]
    assert record["tp"] is None


@pytest.mark.parametrize(
    "scores",
    [
        pl.Series([True, False, None]),
        pl.Series([Decimal("1.25"), Decimal("0.5"), None]),
        pl.Series([3, 0, None], dtype=pl.UInt8),
        pl.Series([1.0, 0.5, None], dtype=pl.Float32),
    ],
    ids=lambda scores: str(scores.dtype),
)
def test_dtypes(scores: pl.Series) -> None:
    frame = pl.DataFrame({"y": [1, 0, 1], "s": scores})
    at = pl.col("s").max()
    record = frame.select(pa.confusion_at("y", "s", at)).item()
    assert (record["tp"], record["tn"], record["n_pos"]) == (1, 1, 1)
    assert record["threshold"] == scores.max()


def test_refused() -> None:
    with pytest.raises(
        ValueError, match="confusion_at: at must be a number with state, because a state has no rows"
    ):
        pa.confusion_at(at=pl.col("cut"), state="state")
    with pytest.raises(ValueError, match="bootstrap_ci: at must be a number when bootstrapping"):
        pa.bootstrap_ci("confusion_at", "y", "s", at=pl.col("cut"))
    with pytest.raises(TypeError, match="confusion_at: missing label and score"):
        pa.confusion_at(at=pl.col("cut"))
