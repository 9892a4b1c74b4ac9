"""Every dtype in its natural order, or an error message."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

import polars_auc as pa

INTEGERS = [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64]
OPTIONAL = [pl.__dict__[name] for name in ("UInt128", "Float16") if name in pl.__dict__]
FLOATS = [pl.Float32, pl.Float64]
LABELS = [1, 0, 1, 0, 1, None]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *OPTIONAL, pl.Decimal(20, 3), pl.Boolean], ids=str)
def test_score_dtypes(dtype: Any) -> None:
    scores = pl.Series("s", [1, 0, 0, 0, 1, 1] if dtype == pl.Boolean else [5, 3, 3, 2, 9, 1]).cast(dtype)
    frame = pl.DataFrame([pl.Series("y", LABELS), scores])
    expected = 5 / 6 if dtype == pl.Boolean else 5.5 / 6
    assert frame.select(pa.roc_auc("y", "s")).item() == expected
    for expression in (
        pa.ks_statistic("y", "s").struct.field("threshold"),
        pa.roc_curve("y", "s").list.last().struct.field("threshold"),
    ):
        planned = frame.lazy().select(expression).collect_schema().dtypes()
        got = frame.select(expression).to_series()
        assert [got.dtype] == planned == [scores.dtype]
    lowest = frame.select(pa.roc_curve("y", "s").list.last().struct.field("threshold")).to_series()
    assert lowest.to_list() == [frame.drop_nulls()["s"].min()]


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, *OPTIONAL, pl.Boolean], ids=str)
def test_label_dtypes(dtype: Any) -> None:
    frame = pl.DataFrame([pl.Series("y", LABELS).cast(dtype), pl.Series("s", [5, 3, 3, 2, 9, 1])])
    assert frame.select(pa.roc_auc("y", "s")).item() == 5.5 / 6
    grouped = frame.group_by(pl.lit(1)).agg(pa.roc_auc("y", "s"))
    assert grouped["s"].item() == 5.5 / 6


def test_neighbours_that_are_one_float() -> None:
    big = 2**53
    frame = pl.DataFrame(
        {"y": [0, 1], "s": [big, big + 1], "u": [2**64 - 2, 2**64 - 1]}, schema_overrides={"u": pl.UInt64}
    )
    assert frame.select(pa.roc_auc("y", "s"), pa.roc_auc("y", "u")).row(0) == (1.0, 1.0)
    assert frame.select(pa.roc_auc("y", pl.col("s").cast(pl.Float64))).item() == 0.5
    money = pl.DataFrame(
        {"y": [0, 1], "s": [Decimal("12345678901234567890.01"), Decimal("12345678901234567890.02")]},
        schema_overrides={"s": pl.Decimal(38, 2)},
    )
    assert money.select(pa.roc_auc("y", "s")).item() == 1.0


def test_columns_of_nothing() -> None:
    frame = pl.DataFrame({"y": [None, None], "s": [None, None], "label": [0, 1], "score": [1.0, 2.0]})
    for label, score in (("y", "score"), ("label", "s"), ("y", "s")):
        assert frame.select(pa.roc_auc(label, score)).item() is None
        assert frame.select(pa.roc_curve(label, score)).to_series().to_list() == [None]
    assert (
        frame.lazy().select(pa.roc_curve("y", "s")).collect_schema()
        == frame.select(pa.roc_curve("y", "s")).schema
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["good", "bad"], 'dtype str.*pl.col\\("y"\\).replace_strict\\(.*with the values of'),
        (
            pl.Series(["good", "bad"], dtype=pl.Categorical),
            'pl.col\\("y"\\).replace_strict\\(.*with the values of',
        ),
        (
            pl.Series(["good", "bad"], dtype=pl.Enum(["good", "bad"])),
            'pl.col\\("y"\\).replace_strict\\(.*with the values of',
        ),
        ([[0], [1]], "expected Booleans, or integers or floats"),
        (pl.Series([[0], [1]], dtype=pl.Array(pl.Int8, 1)), "expected Booleans"),
        ([{"a": 1}, {"a": 0}], "expected Booleans"),
        ([datetime.date(2020, 1, 1)] * 2, "expected Booleans"),
        ([datetime.datetime(2020, 1, 1)] * 2, "expected Booleans"),
        ([datetime.time(1)] * 2, "expected Booleans"),
        ([datetime.timedelta(1)] * 2, "expected Booleans"),
        ([b"a", b"b"], "expected Booleans"),
        ([Decimal("0"), Decimal("1")], "expected Booleans"),
    ],
)
def test_refused_labels(values: Any, message: str) -> None:
    frame = pl.DataFrame({"y": values, "s": [1.0, 2.0]})
    with pytest.raises(
        pl.exceptions.ComputeError, match=f'roc_auc: label "y" has {message}|roc_auc: label "y".*{message}'
    ):
        frame.lazy().select(pa.roc_auc("y", "s")).collect_schema()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "2"], "cast\\(pl.Float64, strict=False\\)"),
        ([datetime.date(2020, 1, 1)] * 2, "to_physical"),
        ([datetime.datetime(2020, 1, 1)] * 2, "to_physical"),
        ([datetime.timedelta(1)] * 2, "to_physical"),
        (pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])), "to_physical"),
        (pl.Series(["a", "b"], dtype=pl.Categorical), "to_physical"),
        ([[1.0], [2.0]], "expected numbers or Booleans"),
        ([b"a", b"b"], "expected numbers or Booleans"),
        ([{"a": 1}, {"a": 0}], "expected numbers or Booleans"),
    ],
)
def test_refused_scores(values: Any, message: str) -> None:
    frame = pl.DataFrame({"y": [0, 1], "s": values})
    with pytest.raises(pl.exceptions.ComputeError, match=f'roc_curve: score "s" has dtype.*{message}'):
        frame.lazy().select(pa.roc_curve("y", "s")).collect_schema()


@pytest.mark.parametrize("value", [2, -1, 0.5, float("nan")])
def test_labels_other_than_0_and_1(value: float) -> None:
    frame = pl.DataFrame({"y": [0, 1, value], "s": [1, 2, 3], "g": [1, 1, 2]}, strict=False)
    for plan in (frame.lazy().select(pa.gini("y", "s")), frame.lazy().group_by("g").agg(pa.gini("y", "s"))):
        with pytest.raises(
            pl.exceptions.ComputeError,
            match=f'gini: label "y" contains {value!s}'.replace("nan", "(?i)nan")
            if value == value
            else "(?i)contains nan",
        ):
            plan.collect()


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32, *(d for d in OPTIONAL if d.is_float())], ids=str)
def test_labels_that_are_nan_are_left_out_by_the_hint(dtype: Any) -> None:
    frame = pl.DataFrame({"y": [1.0, 0.0, float("nan")], "s": [2.0, 1.0, 3.0]}, schema_overrides={"y": dtype})
    # A comparison would make the last row negative.
    with pytest.raises(pl.exceptions.ComputeError, match=r'write pl.col\("y"\).fill_nan\(None\)') as error:
        frame.select(pa.roc_auc("y", "s"))
    assert "==" not in str(error.value)
    assert frame.select(pa.roc_auc(pl.col("y").fill_nan(None), "s")).item() == 1.0


def test_a_wrong_value_under_a_null_is_no_value() -> None:
    frame = pl.DataFrame({"y": [0, 1, 7], "s": [1, 2, 3]}).with_columns(
        pl.when(pl.col("y") < 2).then("y").alias("y")
    )
    assert frame.select(pa.roc_auc("y", "s")).item() == 1.0
