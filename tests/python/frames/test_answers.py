"""Group aggregates from lists of all groups equal those from Polars' lists, bit for bit."""

from __future__ import annotations

import datetime
import itertools
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._frames.answers import Answers
from polars_auc._plugin.call import group_lists

NAN = float("nan")

KEYS: dict[str, pl.Series] = {
    "integers": pl.Series([3, None, -1, 3, 7, None]),
    "bytes": pl.Series([3, None, 1, 3, 7, None], dtype=pl.UInt8),
    "wide": pl.Series([2**100, None, -1, 2**100, 7, None], dtype=pl.Int128),
    "floats": pl.Series([0.0, NAN, -0.0, None, float("inf"), NAN]),
    "halves": pl.Series([1.5, 2.5, None, 1.5, 2.5, 0.5], dtype=pl.Float32),
    "truths": pl.Series([True, None, False, True, None, False]),
    "words": pl.Series(["b", "a", None, "a longer word than twelve bytes", "", "b"]),
    "raw": pl.Series([b"b", b"a", None, b"", b"a", b"b"]),
    "categories": pl.Series(["b", "a", None, "b", "a", "c"], dtype=pl.Categorical),
    "enum": pl.Series(["b", "a", None, "b", "a", "c"], dtype=pl.Enum(["c", "b", "a"])),
    "dates": pl.Series([datetime.date(2026, 1, day) for day in (3, 1, 1, 2, 3)] + [None]),
    "times": pl.Series([datetime.datetime(2026, 1, day) for day in (3, 1, 1, 2, 3)] + [None]),
    "spans": pl.Series([datetime.timedelta(hours=hour) for hour in (3, 1, 1, 2, 3)] + [None]),
    "decimals": pl.Series([Decimal("1.5"), None, Decimal("-1.5"), Decimal("1.5"), Decimal(0), None]),
    "nothing": pl.Series([None] * 6),
    "lists": pl.Series([[1], [2], None, [1], [], [2]]),
    "structs": pl.Series(
        [{"a": 1, "b": "x"}, {"a": 1, "b": None}, None, {"a": 1, "b": "x"}, {"a": 2, "b": "x"}] * 1 + [None]
    ),
}


def frame(keys: dict[str, pl.Series], rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    columns = {
        "label": pl.Series(rng.random(rows) < 0.5),
        "score": pl.Series(rng.integers(0, 20, rows)).cast(pl.Float64),
        "weight": pl.Series(rng.random(rows)),
        "fold": pl.Series(rng.integers(0, 3, rows)).cast(pl.String),
    }
    for name, key in keys.items():
        columns[name] = key.gather(rng.integers(0, len(key), rows).tolist())
    frame = pl.DataFrame(columns)
    missing = pl.int_range(pl.len()) % 11 == 0
    return frame.with_columns(
        pl.when(~missing).then("score"), pl.when(~missing.shift(3, fill_value=False)).then("label")
    )


def both_ways(rows: pl.DataFrame, by: list[str], **columns: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Compute results by lists of all groups, in order, and by lists of Polars."""
    columns = {"label": "label", "score": "score", **columns}
    group_answers = Answers("report", rows.lazy())

    def answers() -> list[pl.Expr]:
        return [
            pa.roc_summary(columns["label"], columns["score"]).alias("summary"),
            pa.roc_auc(columns["label"], columns["score"], weight="weight").alias("weighted"),
            pa.cv_roc_auc(columns["label"], columns["score"], "fold").alias("folds"),
        ]

    with group_answers.reading_lists():
        ours = answers()
    got = group_answers.of(rows.lazy(), by, ours).collect()
    return got, rows.group_by(by).agg(answers()).sort(by, nulls_last=True)


@pytest.mark.parametrize("name", KEYS)
def test_keys_of_any_dtype(name: str) -> None:
    got, expected = both_ways(frame({name: KEYS[name]}), [name])
    assert_frame_equal(got, expected, check_exact=True)


def test_several_keys() -> None:
    keys = [name for name in KEYS if name not in ("lists", "structs", "nothing")]
    for first, second in itertools.pairwise(keys):
        got, expected = both_ways(frame({first: KEYS[first], second: KEYS[second]}), [first, second])
        assert_frame_equal(got, expected, check_exact=True)


def test_both_zeros_are_one_key_also_with_another() -> None:
    rows = pl.DataFrame({"label": [0, 1, 1, 0], "score": [1, 2, 3, 4], "a": [-0.0, 0.0] * 2, "b": [1] * 4})
    table = pa.report(rows, "label", "score", by=["a", "b"])
    assert str(table["a"].to_list()) == "[0.0, None]"


@pytest.mark.parametrize("groups", [1, 5, 3000])
def test_many_rows(groups: int) -> None:
    rng = np.random.default_rng(groups)
    rows = frame({}, 200_000).with_columns(pl.Series("by", rng.integers(0, groups, 200_000)))
    got, expected = both_ways(rows, ["by"])
    assert_frame_equal(got, expected, check_exact=True)


@pytest.mark.parametrize(
    "score",
    [
        -pl.col("score"),
        pl.col("score").fill_nan(None) * 2 + 1,
        pl.when(pl.col("weight") > 0.5).then("score"),
        pl.col("score") - pl.col("score").mean(),
        pl.col("score").rank(),
        pl.col("score").mean().over("fold"),
        pl.col("score") - pl.lit(pl.Series([1.0])),
        pl.col("score").filter(pl.col("weight") > -1),
        pl.col("score").map_batches(lambda values: values),
    ],
    ids=str,
)
def test_an_expression_is_of_the_rows_of_its_group(score: pl.Expr) -> None:
    got, expected = both_ways(frame({"by": KEYS["words"]}), ["by"], score=score)
    assert_frame_equal(got, expected, check_exact=True)


def test_columns_in_other_dtypes() -> None:
    for dtype in (pl.Int8, pl.UInt16, pl.Int32, pl.Int128, pl.Float32, pl.Decimal(10, 2)):
        rows = frame({"by": KEYS["words"]}).with_columns(
            pl.col("score").cast(dtype), pl.col("label").cast(pl.UInt8)
        )
        got, expected = both_ways(rows, ["by"])
        assert_frame_equal(got, expected, check_exact=True)


def test_no_rows_have_no_groups() -> None:
    got, expected = both_ways(frame({"by": KEYS["words"]}).clear(), ["by"])
    assert got.is_empty()
    assert_frame_equal(got, expected)


def test_lists_are_in_the_order_of_rows() -> None:
    rows = pl.DataFrame(
        {"by": ["b", "a", "b", None], "value": [1, 2, None, 4], "word": ["x", None, "y", "z"]}
    )
    lists = rows.select(group_lists(["by"], {"value": pl.col("value"), "word": pl.col("word")})).to_series()
    assert lists.struct.unnest().rows() == [
        ({"by": "a"}, [2], [None]),
        ({"by": "b"}, [1, None], ["x", "y"]),
        ({"by": None}, [4], ["z"]),
    ]


def test_the_planned_schema_is_the_collected_one() -> None:
    rows = frame({"by": KEYS["enum"], "other": KEYS["times"]})
    columns = {name: pl.col(name) for name in ("label", "score", "other", "fold")}
    query = rows.lazy().select(group_lists(["by", "other"], columns))
    assert query.collect_schema() == query.collect().schema
    assert_frame_equal(query.collect(engine="streaming"), query.collect(engine="in-memory"))


def test_errors_name_the_column() -> None:
    rows = frame({"by": KEYS["words"]})
    with pytest.raises(pl.exceptions.ComputeError, match='label "fold"'):
        pa.report(rows, "fold", "score", by="by")
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="nowhere"):
        pa.report(rows, "label", "nowhere", by="by")
    with pytest.raises(TypeError, match="label"):
        pa.report(rows, pl.col("label", "fold"), "score", by="by")
