"""Reports and states of a frame of Spark equal those of Polars."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from pyspark.sql import functions as F  # noqa: N812

import polars_auc as pa
import polars_auc.spark as pauc
from polars_auc._spark import ranges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCORES = ["score", "integer", "decimal", "small", "flag"]

# A score of the rows is NaN, so the report in Polars warns.
NAN = pytest.mark.filterwarnings("ignore:report. the score .* is NaN:UserWarning")


def in_ranges(monkeypatch: pytest.MonkeyPatch, rows: int) -> list[int]:
    """Set the size of ranges; return a list that records the number of ranges of each score of a report."""
    monkeypatch.setattr(ranges, "RANGE_ROWS", rows)
    monkeypatch.setattr(ranges, "SAMPLE_RATIO", 1)
    numbers: list[int] = []
    of = ranges.RangeStages.of

    def counted(*arguments: Any) -> ranges.RangeStages:
        stages = of(*arguments)
        numbers.extend(len(borders) + 1 for borders in stages.borders)
        return stages

    monkeypatch.setattr(ranges.RangeStages, "of", counted)
    return numbers


@NAN
@pytest.mark.parametrize(
    ("by", "options"),
    [
        ("segment", {}),
        ([], {}),
        (["day", "segment"], {"level": 0.8, "ci": "logit"}),
        ("segment", {"ci": "hanley_mcneil"}),
        ("segment", {"count": "count"}),
    ],
)
def test_reports_by_ranges_are_equal(
    by: Any,
    options: dict[str, Any],
    frame: DataFrame,
    rows: pl.DataFrame,
    same: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Test ties at borders, nulls in keys and scores, a NaN, both zeros, a single class, no usable row."""
    numbers = in_ranges(monkeypatch, 50)
    got = pauc.report(frame, "label", SCORES, by=by, **options)
    # A flag has two values, regardless of the number of ranges.
    assert min(numbers[:-1]) > 10
    assert numbers[-1] == 2
    same(got, pa.report(rows, "label", SCORES, by=by, **options))


@pytest.mark.parametrize(
    "few",
    [
        pytest.param({"y": [True] * 40, "s": list(range(40))}, id="positives alone"),
        pytest.param({"y": [False] * 40, "s": list(range(40))}, id="negatives alone"),
        pytest.param({"y": [True, False] * 20, "s": [7] * 40}, id="one score"),
        pytest.param({"y": [True, False] * 20, "s": [float("nan")] * 40}, id="all NaN"),
        pytest.param({"y": [True, False] * 20, "s": [None] * 39 + [1.0]}, id="one row with a score"),
        pytest.param({"y": [n >= 20 for n in range(40)], "s": list(range(40))}, id="separated"),
        pytest.param(
            {"y": [n == 20 for n in range(40)], "s": [n // 8 for n in range(40)]}, id="one positive"
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:report. :UserWarning")
def test_ranges_of_odd_groups(
    few: dict[str, list[Any]], spark: SparkSession, same: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_ranges(monkeypatch, 5)
    rows = pl.DataFrame(few)
    frame = spark.createDataFrame(rows.to_arrow()).repartition(3)
    same(pauc.report(frame, "y", "s"), pa.report(rows, "y", "s"))


def test_the_rows_may_change_after_the_sample(
    spark: SparkSession, same: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A report is a query: it uses the rows at run time, regardless of the range borders."""
    in_ranges(monkeypatch, 5)
    number = pl.int_range(60, eager=True)
    rows = pl.DataFrame({"g": number % 2, "y": number * 7 % 5 < 2, "s": number * 37 % 50})
    (tmp_path / "rows").mkdir()
    path = tmp_path / "rows" / "part.parquet"
    for later in (rows.with_columns(pl.col("s") - 25).reverse(), rows.clear()):
        rows.write_parquet(path)
        report = pauc.report(spark.read.parquet(str(path.parent)), "y", "s", by="g")
        later.write_parquet(path)
        spark.catalog.refreshByPath(str(path.parent))
        same(report, pa.report(later, "y", "s", by="g"))


@NAN
@pytest.mark.parametrize(
    ("by", "options"),
    [
        ("segment", {}),
        ([], {}),
        (["day", "segment"], {"level": 0.8, "ci": "logit"}),
        ("segment", {"ci": "bootstrap", "n_resamples": 50, "seed": 3}),
        ("segment", {"ci": "bootstrap", "interval": "bca", "n_resamples": 50}),
        ("segment", {"count": "count"}),
        ("segment", {"versus": "rest"}),
        ("segment", {"versus": "a", "count": "count", "adjust": None}),
        (["segment", "day"], {"versus": "previous", "along": "day", "adjust": "bh"}),
        ("day", {"versus": "overall", "level": 0.9}),
        (["segment", "day"], {"groupings": "each", "versus": "rest"}),
        ("segment", {"calibration": True}),
        (["segment", "day"], {"groupings": "cube", "ci": "logit"}),
        ("segment", {"folds": "day"}),
        ([], {"folds": "day", "level": 0.9}),
    ],
)
def test_reports_are_equal(
    by: Any, options: dict[str, Any], frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    scores = SCORES if by == "segment" and not options else SCORES[:2]
    if "calibration" in options:
        scores = ["probability"]
    expected = pa.report(rows, "label", scores, by=by, **options)
    same(pauc.report(frame, "label", scores, by=by, **options), expected)


@NAN
def test_the_stability_is_that_of_rows_with_a_label(
    frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    options: dict[str, Any] = {"by": ["segment", "day"], "folds": "segment", "level": 0.9}
    options["stability"] = pl.col("day") == pl.date(2026, 5, 1)
    got = pauc.report(frame.where("label is not null"), "label", SCORES[:2], **options)
    same(got, pa.report(rows.drop_nulls("label"), "label", SCORES[:2], **options))


@pytest.mark.parametrize(
    ("by", "options"),
    [
        ("segment", {}),
        ([], {}),
        (["segment", "day"], {"max_bins": 16}),
        ("segment", {"weight": "count"}),
        ([], {"weight": "count", "max_bins": 16}),
    ],
)
def test_states_are_equal(
    by: Any, options: dict[str, Any], frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    states = [pa.roc_state("label", score, **options) for score in SCORES]
    got = pl.DataFrame(pauc.group_states(frame, "label", SCORES, by=by, **options).toArrow())
    expected = rows.group_by(by).agg(states).sort(by) if by else rows.select(states)
    same(got.sort(by) if by else got, expected)


def test_states_go_through_parquet(frame: DataFrame, rows: pl.DataFrame, tmp_path: Path) -> None:
    """Spark and Polars each count half of the rows; Polars merges the files."""
    first = F.col("day") == F.lit("2026-05-01").cast("date")
    path = str(tmp_path / "spark")
    pauc.group_states(frame.where(first), "label", "score", by="segment").write.parquet(path)
    from_spark = pl.read_parquet(tmp_path / "spark" / "*.parquet")
    rest = rows.filter(pl.col("day") != pl.date(2026, 5, 1))
    from_polars = rest.group_by("segment").agg(pa.roc_state("label", "score"))
    counted = from_spark.group_by("segment").agg(pa.merge_states("score"))
    merged = pl.concat([counted, from_polars]).group_by("segment").agg(pa.merge_states("score"))
    expected = rows.group_by("segment").agg(pa.roc_state("label", "score"))
    assert merged.schema == expected.schema
    assert repr(merged.sort("segment").rows()) == repr(expected.sort("segment").rows())


def test_a_segment_with_nearly_all_rows(
    spark: SparkSession, same: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 60_000
    number = pl.int_range(n, eager=True)
    rows = pl.DataFrame(
        {
            "segment": pl.select(pl.when(number % 500 == 0).then(number % 7).otherwise(99)).to_series(),
            "y": number % 3 == 0,
            "s": (number * 7919) % 10_007,
        }
    )
    frame = spark.createDataFrame(rows.to_arrow()).repartition(8)
    expected = pa.report(rows, "y", "s", by="segment")
    same(pauc.report(frame, "y", "s", by="segment"), expected)
    numbers = in_ranges(monkeypatch, 1000)
    same(pauc.report(frame, "y", "s", by="segment"), expected)
    assert numbers == [60]
    partitions = pauc.group_states(frame, "y", "s", by="segment")
    expected = rows.group_by("segment").agg(pa.roc_state("y", "s")).sort("segment")
    same(pl.DataFrame(partitions.toArrow()).sort("segment"), expected)


@pytest.mark.parametrize("by", ["segment", []])
def test_no_rows(by: Any, frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]) -> None:
    nothing = rows.clear()
    for empty in (frame.where("false"), frame.limit(0)):
        same(
            pauc.report(empty, "label", "score", by=by),
            pa.report(nothing, "label", "score", by=by),
        )
        state = pa.roc_state("label", "score")
        expected = nothing.group_by(by).agg(state) if by else nothing.select(state)
        same(pauc.group_states(empty, "label", "score", by=by), expected)


@NAN
def test_columns_of_spark_and_odd_names(
    frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    odd = frame.withColumnRenamed("score", "a.b `c`").withColumnRenamed("segment", "s g")
    got = pauc.report(odd, F.col("label") == 1, ["a.b `c`", (-F.col("other")).alias("minus")], by="s g")
    columns = [pl.col("score").alias("a.b `c`"), (-pl.col("other")).alias("minus")]
    expected = pa.report(rows.rename({"segment": "s g"}), "label", columns, by="s g")
    same(got, expected)


NOT_A_METHOD: Any = "wald"
NOT_A_NAME: Any = 3

WRONG: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (
        lambda f: pauc.report(f, "label", "score", level=2),
        ValueError,
        "report: level must lie between 0 and 1",
    ),
    (
        lambda f: pauc.report(f, "label", "score", ci=NOT_A_METHOD),
        ValueError,
        "report: ci must be one of|report: method",
    ),
    (
        lambda f: pauc.report(f, "label", "score", seed=1),
        ValueError,
        "report: seed applies to the bootstrap only",
    ),
    (
        lambda f: pauc.report(f, "label", []),
        ValueError,
        "report: scores must name at least one column, got none",
    ),
    (
        lambda f: pauc.report(f, "label", [3]),
        TypeError,
        "report: score must be a column name or a Column of Spark",
    ),
    (lambda f: pauc.report(f, "label", "score", by=NOT_A_NAME), TypeError, "report: by must be column names"),
    (
        lambda f: pauc.report(f, "label", "score", by="site"),
        pl.exceptions.ColumnNotFoundError,
        "report: by has the unknown column 'site'",
    ),
    (
        lambda f: pauc.report(f, "label", "score", by="segment", stability=pl.col("day") < 3),
        ValueError,
        "report: stability is about the column 'day', and states have the columns of by alone. Hint: add it "
        "to by",
    ),
    (
        lambda f: pauc.report(f, "label", "scores"),
        pl.exceptions.ColumnNotFoundError,
        "report: .*scores",
    ),
    (
        lambda f: pauc.report(f, "segment", "score"),
        pl.exceptions.ComputeError,
        'report: label "segment" has dtype str',
    ),
    (
        lambda f: pauc.report(f, "label", ["score", "score"]),
        ValueError,
        "report: two scores are named 'score'",
    ),
    (
        lambda f: pauc.report(f, "label", [F.col("other").alias("score"), "score"]),
        ValueError,
        "report: two columns have the name 'score'. Hint: give one another name",
    ),
    (
        lambda f: pauc.report(f.withColumnRenamed("segment", "auc"), "label", "score", by="auc"),
        ValueError,
        "report: the group column 'auc' has the name of another column",
    ),
    (
        lambda f: pauc.group_states(f, "label", "score", max_bins=3),
        ValueError,
        "group_states: max_bins must be an integer",
    ),
    (
        lambda f: pauc.group_states(f, "label", "score", by="score"),
        ValueError,
        "group_states: two columns have the name 'score'",
    ),
    (
        lambda f: pauc.group_states(f, "label", "decimals"),
        pl.exceptions.ColumnNotFoundError,
        "group_states: .*decimals",
    ),
]


@pytest.mark.parametrize(("written", "error", "message"), WRONG)
def test_what_is_wrong_is_refused_at_once(
    written: Callable[[Any], Any], error: type[Exception], message: str, frame: DataFrame
) -> None:
    with pytest.raises(error, match=message):
        written(frame)


@pytest.mark.parametrize("name", ["report", "group_states"])
def test_a_frame_of_polars_is_refused(name: str, rows: pl.DataFrame) -> None:
    wrong: Any = rows
    message = rf"{name}: frame must be a DataFrame of Spark, got polars.*write polars_auc\.{name}$"
    with pytest.raises(TypeError, match=message):
        getattr(pauc, name)(wrong, "label", "score")
