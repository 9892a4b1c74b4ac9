"""Laws that hold for every expression."""

from __future__ import annotations

import inspect
import math
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import polars.selectors as cs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue import CATALOGUE
from catalogue.cases import assert_same, fixed, frames, repeated, rows, scores_with_nan, two_rows
from catalogue.curves import CURVES
from catalogue.entry import WEIGHTED, Entry
from catalogue.intervals import INTERVALS
from catalogue.numbers import NUMBERS
from catalogue.thresholds import THRESHOLDS
from polars_auc import _native

entries = pytest.mark.parametrize("entry", CATALOGUE, ids=str)
of_ranks = pytest.mark.parametrize("entry", [entry for entry in CATALOGUE if not entry.by_value], ids=str)
ENGINES = ("in-memory", "streaming")

# Counts, U and quotients of exact integers must agree to the last bit with the oracle's fractions. A
# standard error, z or p-value takes a square root, a quantile or a tail on top, each good to some ulps;
# the tail multiplies a relative error by up to z², here below 100.
RELATIVE = 1e-12
EXACT_FIELDS = (
    "auc",
    "concordant",
    "discordant",
    "tied_x",
    "tied_y",
    "tied_both",
    "n_folds",
    "n_clusters",
    "u_statistic",
    "ks",
    "threshold",
    "n_pos",
    "n_neg",
    "fp",
    "tp",
    "fpr",
    "tpr",
    "fn",
    "fnr",
    "n",
    "population",
    "captured",
    "band",
    "highest",
    "lowest",
    "rate",
    "gain",
    "cum_fpr",
    "lift",
    "cum_lift",
)
# Means of areas or rates, fitted curves and interpolated values are sums of rounded numbers.
ROUNDED_FIELDS = ("auc", "fpr", "tpr")


def column(entry: Entry) -> pl.Expr:
    return entry.of().alias("out")


@entries
@given(frame=frames(scores_with_nan))
@example(frame=two_rows([True, False], [math.nan, 1.0]))
@example(frame=two_rows([False, True], [-0.0, 0.0]))
@settings(max_examples=60, deadline=None)
def test_definition(entry: Entry, frame: pl.DataFrame) -> None:
    got = frame.select(column(entry)).to_series().to_list()[0]
    expected = entry.oracle(rows(frame, entry.columns))
    assert_same(got, expected, relative=RELATIVE)
    for record, other in zip(_records(got), _records(expected), strict=True):
        for field in EXACT_FIELDS:
            if field in other and (entry.exact or field not in ROUNDED_FIELDS):
                assert_same(record[field], other[field])


def _records(answer: object) -> list[dict[str, object]]:
    if isinstance(answer, dict):
        return [answer]
    return [{"auc": answer}] if isinstance(answer, float) else list(answer or [])  # type: ignore[call-overload]


@entries
@given(frame=frames(scores_with_nan))
@settings(max_examples=30, deadline=None)
def test_groups_depend_on_their_rows_alone(entry: Entry, frame: pl.DataFrame) -> None:
    together = frame.group_by("g", maintain_order=True).agg(column(entry))
    alone = [frame.filter(pl.col("g") == g).select(column(entry)) for g in together["g"]]
    expected = pl.concat(alone) if alone else together.select("out")
    assert_frame_equal(together.select("out"), expected, check_exact=True)


@entries
@pytest.mark.parametrize("engine", ENGINES)
def test_contexts_agree(entry: Entry, engine: str, tmp_path: Path) -> None:
    frame = fixed()
    expected = frame.select(column(entry))
    lazy = frame.lazy()
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=701)
    for name, plan in {
        "select": lazy.select(column(entry)),
        "one group": lazy.group_by(pl.lit(1).alias("one")).agg(column(entry)).select("out"),
        "over": lazy.with_columns(one=1).select(column(entry).over("one")).head(1),
        "with_columns": lazy.with_columns(column(entry)).select("out").head(1),
        "scan": pl.scan_parquet(tmp_path / "rows.parquet").select(column(entry)),
    }.items():
        got = plan.collect(engine=engine)  # type: ignore[call-overload]
        assert_frame_equal(got, expected, check_exact=True), name
        assert got.schema == plan.collect_schema(), name


@entries
@pytest.mark.parametrize("engine", ENGINES)
def test_grouped_contexts_agree(entry: Entry, engine: str, tmp_path: Path) -> None:
    frame = fixed().with_row_index("i")
    expected = frame.group_by("g").agg(column(entry)).sort("g")
    lazy = frame.lazy()
    for part in frame.partition_by("g", include_key=True):
        folder = tmp_path / f"g={part['g'][0]}"
        folder.mkdir()
        part.drop("g").write_parquet(folder / "part.parquet")
    by_row = lazy.sort("g", "i")
    for name, plan in {
        "agg": lazy.group_by("g").agg(column(entry)).sort("g"),
        "over": lazy.select("g", column(entry).over("g")).unique("g").sort("g"),
        "sorted": by_row.group_by("g", maintain_order=True).agg(column(entry)),
        "hive": pl.scan_parquet(tmp_path, hive_partitioning=True).group_by("g").agg(column(entry)).sort("g"),
        "dynamic": by_row.group_by_dynamic("g", every="1i").agg(column(entry)),
        "filter inside": lazy.group_by("g")
        .agg(entry.of(**{name: pl.col(name).filter(pl.col("i") >= 0) for name in entry.columns}).alias("out"))
        .sort("g"),
    }.items():
        got = plan.collect(engine=engine)  # type: ignore[call-overload]
        assert_frame_equal(got, expected, check_exact=True, check_dtypes=name != "hive"), name
        assert got.schema == plan.collect_schema(), name


UNWEIGHTED = [entry for entry in CATALOGUE if "weight" not in entry.columns]


def takes_counts(entry: Entry) -> bool:
    parameters = inspect.signature(entry.make).parameters.values()
    return any(it.name == "count" or it.kind is inspect.Parameter.VAR_KEYWORD for it in parameters)


counted = pytest.mark.parametrize("entry", [entry for entry in UNWEIGHTED if takes_counts(entry)], ids=str)


@counted
@given(frame=frames(scores_with_nan), data=st.data())
@settings(max_examples=30, deadline=None)
def test_counted_rows_are_repeated_rows(entry: Entry, frame: pl.DataFrame, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 3), min_size=frame.height, max_size=frame.height))
    frame = frame.with_columns(count=pl.Series(counts, dtype=pl.UInt32))
    columns = [pl.col(name) for name in entry.columns]
    got = frame.select(entry.make(*columns, count="count").alias("out"))
    assert_frame_equal(got, repeated(frame, "count").select(column(entry)), check_exact=True)


def takes_states(entry: Entry) -> bool:
    of_one_score = entry.columns == ("label", "score")
    return of_one_score and "state" in inspect.signature(getattr(pa, entry.name)).parameters


@pytest.mark.parametrize("entry", [entry for entry in UNWEIGHTED if takes_states(entry)], ids=str)
@given(frame=frames(scores_with_nan), limited=st.booleans())
@settings(max_examples=30, deadline=None)
def test_states_answer_as_their_rows(entry: Entry, frame: pl.DataFrame, limited: bool) -> None:
    # 25 rows have at most so many distinct scores.
    state = pa.roc_state("label", "score", max_bins=25 if limited else None)
    each = frame.group_by("g", maintain_order=True).agg(state.alias("state"))
    expected = frame.select(column(entry))
    assert_frame_equal(each.select(entry.make(state="state").alias("out")), expected, check_exact=True)
    grouped = frame.group_by("g", maintain_order=True).agg(column(entry))
    again = each.group_by("g", maintain_order=True).agg(entry.make(state="state").alias("out"))
    assert_frame_equal(again, grouped, check_exact=True)
    assert (
        again.schema == each.lazy().group_by("g").agg(entry.make(state="state").alias("out")).collect_schema()
    )


def test_all_expressions_of_one_score_take_states() -> None:
    of_one_score = {
        entry.name for entry in CATALOGUE if entry.columns == ("label", "score") and takes_counts(entry)
    }
    # Values of scores, other classes and fitted folds are not in counts; roc_state makes states.
    without = {"hodges_lehmann", "roc_state", "ordinal_roc_auc"}
    assert of_one_score - without == {entry.name for entry in CATALOGUE if takes_states(entry)}


def test_most_expressions_take_counts() -> None:
    without = {"kruskal_wallis", "rank_agreement"}
    assert {entry.name for entry in UNWEIGHTED if not takes_counts(entry)} <= without


@entries
def test_planned_dtype(entry: Entry) -> None:
    assert fixed(50).lazy().select(column(entry)).collect_schema()["out"] == entry.dtype


@entries
@pytest.mark.parametrize("engine", ENGINES)
def test_rolling_windows(entry: Entry, engine: str) -> None:
    frame = fixed(300).with_row_index("i").with_columns(pl.col("i").cast(pl.Int64))
    got = frame.lazy().rolling("i", period="40i").agg(column(entry)).collect(engine=engine)  # type: ignore[call-overload]
    windows = [
        frame.slice(max(0, end - 39), min(end + 1, 40)).select(column(entry)) for end in range(frame.height)
    ]
    assert_frame_equal(got.select("out"), pl.concat(windows), check_exact=True)


@entries
@given(seed=st.integers(0, 1000))
@settings(max_examples=5, deadline=None)
def test_row_order_and_chunking_change_no_bit(entry: Entry, seed: int) -> None:
    frame = fixed(1500)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    pieces = pl.concat([shuffled[:7], shuffled[7:7], shuffled[7:900], shuffled[900:]], rechunk=False)
    assert pieces.n_chunks() > 1
    expected = frame.select(column(entry))
    assert_frame_equal(pieces.select(column(entry)), expected, check_exact=True)
    grouped = [f.group_by("g").agg(column(entry)).sort("g") for f in (frame, pieces)]
    assert_frame_equal(*grouped, check_exact=True)


def test_row_order_of_a_large_group_changes_no_bit() -> None:
    """Above 131,072 rows, other code ranks, outlines and weighs; half of these scores are distinct."""
    frame = fixed(300_000).filter(pl.col("score").is_not_null())
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    of_weights = [entry for entry in INTERVALS if entry.columns == WEIGHTED]
    for entry in [*NUMBERS, *THRESHOLDS, *CURVES, *of_weights]:
        expected, got = (one.select(column(entry)) for one in (frame, shuffled))
        assert_frame_equal(got, expected, check_exact=True)


THREADS_SCRIPT = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from laws.test_laws import CATALOGUE, column, fixed
frame = fixed(200_000)
for entry in CATALOGUE:
    for answers in (frame.select(column(entry)), frame.group_by("g").agg(column(entry)).sort("g")):
        print(hashlib.sha256(answers.write_json().encode()).hexdigest())
"""


def test_threads_change_no_bit() -> None:
    def run(threads: int) -> str:
        environment = {**os.environ, "POLARS_MAX_THREADS": str(threads)}
        script = [sys.executable, "-c", THREADS_SCRIPT, str(Path(__file__).parents[1])]
        done = subprocess.run(script, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    one = run(1)
    assert len(one.split()) == 2 * len(CATALOGUE)
    assert run(2) == one
    assert run(5) == one


@of_ranks
@given(frame=frames())
@settings(max_examples=30, deadline=None)
def test_increasing_maps_change_nothing_but_thresholds(entry: Entry, frame: pl.DataFrame) -> None:
    # The rank of a score among all scores, scaled: a strictly increasing map for any scores.
    mapped = frame.with_columns((pl.col("score") + 0.0).rank("dense").cast(pl.Float64).pow(3) - 1000)

    def unthresholded(frame: pl.DataFrame) -> pl.DataFrame:
        out = frame.select(column(entry))
        if entry.is_list:
            out = out.explode("out")
        return (
            out.unnest("out").select(~cs.ends_with("threshold", "highest", "lowest")) if entry.fields else out
        )

    assert_frame_equal(unthresholded(mapped), unthresholded(frame), check_exact=True)


@entries
def test_one_call_a_query(entry: Entry) -> None:
    frame = fixed()
    lazy = frame.lazy()
    for plan in (
        lazy.select(column(entry)),
        lazy.with_columns(column(entry)),
        lazy.group_by("g").agg(column(entry)),
        lazy.select(column(entry).over("g")),
    ):
        for engine in ENGINES:
            before = _native.calls()
            plan.collect(engine=engine)  # type: ignore[call-overload]
            assert _native.calls() == before + 1


@entries
@pytest.mark.parametrize("engine", ENGINES)
def test_empty_frames(entry: Entry, engine: str) -> None:
    lazy = fixed(5).clear().lazy()
    alone = lazy.select(column(entry)).collect(engine=engine)  # type: ignore[call-overload]
    assert_same(alone["out"].to_list(), [entry.oracle([])])
    for plan in (
        lazy.group_by("g").agg(column(entry)),
        lazy.with_columns(column(entry)),
        lazy.select(column(entry).over("g")),
    ):
        got = plan.collect(engine=engine)  # type: ignore[call-overload]
        assert got.height == 0
        assert got.schema == plan.collect_schema()
    emptied = fixed(100).filter(pl.col("label").is_not_null(), pl.col("score").is_not_null())
    no_row = pl.col("g") < 0
    got = emptied.group_by("g").agg(
        entry.of(**{name: pl.col(name).filter(no_row) for name in entry.columns}).alias("out")
    )
    for answer in got["out"].to_list():
        assert_same(answer, entry.oracle([]))


@entries
def test_missing_and_single_class(entry: Entry) -> None:
    for labels, scores in (
        ([True, False, True], [None, None, None]),
        ([None, None], [1.0, 2.0]),
        ([True, True], [1.0, 2.0]),
        ([False], [1.0]),
        ([False, True], [1.0, 1.0]),
    ):
        frame = two_rows(labels, scores)
        expected = entry.oracle(rows(frame, entry.columns))
        assert_same(frame.select(column(entry)).to_series().to_list(), [expected], relative=RELATIVE)
