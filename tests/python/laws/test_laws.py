"""Laws that hold for every expression."""

from __future__ import annotations

import inspect
import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import polars as pl
import polars.selectors as cs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue import CATALOGUE, FAMILIES
from catalogue.calibration import CALIBRATION
from catalogue.cases import (
    assert_same,
    examples,
    fixed,
    frames,
    repeated,
    rows,
    scores_with_nan,
    two_rows,
    without_unlabelled,
)
from catalogue.curves import CURVES
from catalogue.decisions import DECISIONS
from catalogue.entry import WEIGHTED, Entry
from catalogue.intervals import INTERVALS
from catalogue.numbers import NUMBERS
from catalogue.thresholds import THRESHOLDS
from polars_auc import _native

entries = pytest.mark.parametrize("entry", CATALOGUE, ids=str)
ENGINES = ("in-memory", "streaming")

# Counts, U and quotients of exact integers agree bit for bit with the oracle's fractions. A standard error, z
# or p-value adds a square root, a quantile or a tail, each accurate to some ulps. The tail multiplies a
# relative error by up to z², here below 100.
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


Family: TypeAlias = Sequence[Entry]


def families_of(has: Callable[[Entry], bool]) -> pytest.MarkDecorator:
    """Return one query for all matching expressions of a family: one for each takes much longer."""
    parts = {name: [entry for entry in family if has(entry)] for name, family in FAMILIES.items()}
    parts = {name: family for name, family in parts.items() if family}
    return pytest.mark.parametrize("family", parts.values(), ids=parts)


families = families_of(lambda _: True)


def column(entry: Entry) -> pl.Expr:
    return entry.of().alias("out")


def columns(family: Family, make: Callable[[Entry], pl.Expr] = Entry.of) -> list[pl.Expr]:
    """Return the expressions of a family, with unique names."""
    return [make(entry).alias(f"{place} {entry}") for place, entry in enumerate(family)]


def assert_as_defined(
    family: Family, answers: pl.DataFrame, frame: pl.DataFrame, relative: float = RELATIVE
) -> None:
    """Compare the results of one group with the oracles."""
    for entry, answer in zip(family, answers, strict=True):
        expected = entry.oracle(rows(frame, entry.columns))
        try:
            [got] = answer.to_list()
            assert_same(got, expected, relative=relative)
            for record, other in zip(_records(got), _records(expected), strict=True):
                for field in EXACT_FIELDS:
                    if field in other and (entry.exact or field not in ROUNDED_FIELDS):
                        assert_same(record[field], other[field])
        except AssertionError as error:
            raise AssertionError(f"{answer.name}: {got}, expected {expected}") from error


@families
@given(frame=frames(scores_with_nan))
@example(frame=two_rows([True, False], [math.nan, 1.0]))
@example(frame=two_rows([False, True], [-0.0, 0.0]))
@examples(200)
def test_definition(family: Family, frame: pl.DataFrame) -> None:
    assert_as_defined(family, frame.select(columns(family)), frame)


def _records(answer: object) -> list[dict[str, object]]:
    if isinstance(answer, dict):
        return [answer]
    return [{"auc": answer}] if isinstance(answer, float) else list(answer or [])  # type: ignore[call-overload]


@families
@given(frame=frames(scores_with_nan))
@examples(100)
def test_groups_depend_on_their_rows_alone(family: Family, frame: pl.DataFrame) -> None:
    together = frame.group_by("g", maintain_order=True).agg(columns(family))
    alone = [frame.filter(pl.col("g") == g).select(columns(family)) for g in together["g"]]
    expected = pl.concat(alone) if alone else together.drop("g")
    assert_frame_equal(together.drop("g"), expected, check_exact=True)


@families
@pytest.mark.parametrize("engine", ENGINES)
def test_contexts_agree(family: Family, engine: str, tmp_path: Path) -> None:
    frame, expressions = fixed(), columns(family)
    expected = frame.select(expressions)
    lazy = frame.lazy()
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=701)
    for name, plan in {
        "select": lazy.select(expressions),
        "one group": lazy.group_by(pl.lit(1).alias("one")).agg(expressions).drop("one"),
        "over": lazy.with_columns(one=1).select(one.over("one") for one in expressions).head(1),
        "with_columns": lazy.with_columns(expressions).drop(frame.columns).head(1),
        "scan": pl.scan_parquet(tmp_path / "rows.parquet").select(expressions),
    }.items():
        got = plan.collect(engine=engine)  # type: ignore[call-overload]
        assert_frame_equal(got, expected, check_exact=True), name
        assert got.schema == plan.collect_schema(), name


@families
@pytest.mark.parametrize("engine", ENGINES)
def test_grouped_contexts_agree(family: Family, engine: str, tmp_path: Path) -> None:
    frame, expressions = fixed(1500).with_row_index("i"), columns(family)
    expected = frame.group_by("g").agg(expressions).sort("g")
    lazy = frame.lazy()
    for part in frame.partition_by("g", include_key=True):
        folder = tmp_path / f"g={part['g'][0]}"
        folder.mkdir()
        part.drop("g").write_parquet(folder / "part.parquet")
    by_row = lazy.sort("g", "i")

    def filtered(entry: Entry) -> pl.Expr:
        return entry.of(**{name: pl.col(name).filter(pl.col("i") >= 0) for name in entry.columns})

    for name, plan in {
        "agg": lazy.group_by("g").agg(expressions).sort("g"),
        "over": lazy.select("g", *(one.over("g") for one in expressions)).unique("g").sort("g"),
        "sorted": by_row.group_by("g", maintain_order=True).agg(expressions),
        "hive": pl.scan_parquet(tmp_path, hive_partitioning=True).group_by("g").agg(expressions).sort("g"),
        "dynamic": by_row.group_by_dynamic("g", every="1i").agg(expressions),
        "filter inside": lazy.group_by("g").agg(columns(family, filtered)).sort("g"),
    }.items():
        got = plan.collect(engine=engine)  # type: ignore[call-overload]
        assert_frame_equal(got, expected, check_exact=True, check_dtypes=name != "hive"), name
        assert got.schema == plan.collect_schema(), name


def takes_counts(entry: Entry) -> bool:
    parameters = inspect.signature(entry.make).parameters.values()
    has_count = any(it.name == "count" or it.kind is inspect.Parameter.VAR_KEYWORD for it in parameters)
    return has_count and "weight" not in entry.columns


@families_of(takes_counts)
@given(frame=frames(scores_with_nan), data=st.data())
@examples(100)
def test_counted_rows_are_repeated_rows(family: Family, frame: pl.DataFrame, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 3), min_size=frame.height, max_size=frame.height))
    frame = frame.with_columns(count=pl.Series(counts, dtype=pl.UInt32))

    def counted(entry: Entry) -> pl.Expr:
        return entry.make(*(pl.col(name) for name in entry.columns), count="count")

    got = frame.select(columns(family, counted))
    assert_frame_equal(got, repeated(frame, "count").select(columns(family)), check_exact=True)


def takes_states(entry: Entry) -> bool:
    return entry.takes_one_score and "state" in inspect.signature(getattr(pa, entry.name)).parameters


@families_of(takes_states)
@given(frame=frames(scores_with_nan), limited=st.booleans())
@examples(100)
def test_states_answer_as_their_rows(family: Family, frame: pl.DataFrame, limited: bool) -> None:
    # 25 rows have at most this number of distinct scores.
    states = [
        pa.roc_state("label", score, max_bins=25 if limited else None).alias(f"state of {score}")
        for score in sorted({entry.columns[1] for entry in family})
    ]
    each = frame.group_by("g", maintain_order=True).agg(states)
    from_states = columns(family, lambda entry: entry.make(state=f"state of {entry.columns[1]}"))
    whole = without_unlabelled(frame.select(columns(family)))
    assert_frame_equal(each.select(from_states), whole, check_exact=True)
    grouped = without_unlabelled(frame.group_by("g", maintain_order=True).agg(columns(family)))
    again = each.group_by("g", maintain_order=True).agg(from_states)
    assert_frame_equal(again, grouped, check_exact=True)
    assert again.schema == each.lazy().group_by("g").agg(from_states).collect_schema()


def test_all_expressions_of_one_score_take_states() -> None:
    one_score = {entry.name for entry in CATALOGUE if entry.takes_one_score and takes_counts(entry)}
    # Values of scores, other classes and fitted folds are not in counts; roc_state returns states.
    without = {"hodges_lehmann", "roc_state", "ordinal_roc_auc"}
    assert one_score - without == {entry.name for entry in CATALOGUE if takes_states(entry)}


def test_most_expressions_take_counts() -> None:
    without = {"kruskal_wallis", "rank_agreement"}
    unweighted = [entry for entry in CATALOGUE if "weight" not in entry.columns]
    assert {entry.name for entry in unweighted if not takes_counts(entry)} <= without


@entries
def test_planned_dtype(entry: Entry) -> None:
    assert fixed(50).lazy().select(column(entry)).collect_schema()["out"] == entry.dtype


@families
@pytest.mark.parametrize("engine", ENGINES)
def test_rolling_windows(family: Family, engine: str) -> None:
    frame = fixed(120).with_row_index("i").with_columns(pl.col("i").cast(pl.Int64))
    expressions = columns(family)
    got = frame.lazy().rolling("i", period="40i").agg(expressions).collect(engine=engine)  # type: ignore[call-overload]
    windows = [
        frame.slice(max(0, end - 39), min(end + 1, 40)).select(expressions) for end in range(frame.height)
    ]
    assert_frame_equal(got.drop("i"), pl.concat(windows), check_exact=True)


@families
@given(seed=st.integers(0, 1000))
@examples(20)
def test_row_order_and_chunking_change_no_bit(family: Family, seed: int) -> None:
    frame, expressions = fixed(1500), columns(family)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    pieces = pl.concat([shuffled[:7], shuffled[7:7], shuffled[7:900], shuffled[900:]], rechunk=False)
    assert pieces.n_chunks() > 1
    assert_frame_equal(pieces.select(expressions), frame.select(expressions), check_exact=True)
    grouped = [f.group_by("g").agg(expressions).sort("g") for f in (frame, pieces)]
    assert_frame_equal(*grouped, check_exact=True)


def test_row_order_of_a_large_group_changes_no_bit() -> None:
    """Above 131,072 rows other code ranks, outlines and weights; half of these scores are distinct."""
    frame = fixed(300_000).filter(pl.col("score").is_not_null())
    shuffled = frame.sample(fraction=1, shuffle=True, seed=3)
    weighted = [entry for entry in INTERVALS if entry.columns == WEIGHTED]
    for entry in [*NUMBERS, *THRESHOLDS, *CURVES, *CALIBRATION, *DECISIONS, *weighted]:
        expected, got = (flat(one.select(column(entry))) for one in (frame, shuffled))
        assert_frame_equal(got, expected, check_exact=True)


def flat(answers: pl.DataFrame) -> pl.DataFrame:
    """Flatten lists and structs: older Polars takes minutes to compare long lists of structs."""
    for name, dtype in answers.schema.items():
        if isinstance(dtype, pl.List):
            return flat(answers.explode(name))
        if isinstance(dtype, pl.Struct):
            return flat(answers.unnest(name))
    return answers


THREADS_SCRIPT = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from laws.test_laws import CATALOGUE, column, fixed
frame, few = fixed(140_000), fixed(20_000)
for entry in CATALOGUE:
    for answers in (frame.select(column(entry)), few.group_by("g").agg(column(entry)).sort("g")):
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
    assert run(5) == one
    if settings.get_current_profile_name() == "all":
        assert run(2) == one


@families_of(lambda entry: not entry.by_value)
@given(frame=frames())
@examples(100)
def test_increasing_maps_change_nothing_but_thresholds(family: Family, frame: pl.DataFrame) -> None:
    # The scaled rank of a score: a strictly increasing map for any scores.
    mapped = frame.with_columns((pl.col("score") + 0.0).rank("dense").cast(pl.Float64).pow(3) - 1000)
    for entry, got, expected in zip(
        family, mapped.select(columns(family)), frame.select(columns(family)), strict=True
    ):
        assert_frame_equal(unthresholded(entry, got), unthresholded(entry, expected), check_exact=True)


def unthresholded(entry: Entry, answers: pl.Series) -> pl.DataFrame:
    """Return the results without thresholds, with each field as a column."""
    values = answers.explode() if entry.is_list else answers
    if not entry.fields:
        return values.to_frame()
    kept = cs.all() - cs.ends_with("threshold", "highest", "lowest")
    return values.struct.unnest().select(kept.name.prefix(f"{answers.name}: "))


@entries
def test_one_call_a_query(entry: Entry) -> None:
    frame = fixed(100)
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


@families
@pytest.mark.parametrize("engine", ENGINES)
def test_empty_frames(family: Family, engine: str) -> None:
    empty, expressions = fixed(5).clear(), columns(family)
    lazy = empty.lazy()
    # Without rows there is no rounding.
    alone = lazy.select(expressions).collect(engine=engine)  # type: ignore[call-overload]
    assert_as_defined(family, alone, empty, relative=0.0)
    for plan in (
        lazy.group_by("g").agg(expressions),
        lazy.with_columns(expressions),
        lazy.select(one.over("g") for one in expressions),
    ):
        got = plan.collect(engine=engine)  # type: ignore[call-overload]
        assert got.height == 0
        assert got.schema == plan.collect_schema()
    emptied = fixed(100).filter(pl.col("label").is_not_null(), pl.col("score").is_not_null())

    def without_rows(entry: Entry) -> pl.Expr:
        return entry.of(**{name: pl.col(name).filter(pl.col("g") < 0) for name in entry.columns})

    groups = emptied.group_by("g").agg(columns(family, without_rows)).drop("g")
    assert groups.height > 1
    for group in groups.iter_slices(1):
        assert_as_defined(family, group, empty, relative=0.0)


@families
def test_missing_and_single_class(family: Family) -> None:
    for labels, scores in (
        ([True, False, True], [None, None, None]),
        ([None, None], [1.0, 2.0]),
        ([True, True], [1.0, 2.0]),
        ([False], [1.0]),
        ([False, True], [1.0, 1.0]),
    ):
        frame = two_rows(labels, scores)
        assert_as_defined(family, frame.select(columns(family)), frame)
