"""Intervals and tests that are valid at all periods simultaneously."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import examples
from oracles import monitoring as oracles
from oracles.rows import Question

aucs = st.none() | st.floats(0.6, 0.9)
errors = st.none() | st.sampled_from([0.0, 0.01, 0.02, 0.05])
weights = st.none() | st.sampled_from([0.0, 1.0, 1.0, 3.5])
SCHEMA = {"auc": pl.Float64, "se": pl.Float64, "weight": pl.Float64}
TESTS = [
    Question(),
    Question("greater", 0.7),
    Question("less", 0.8),
    Question("two-sided", 0.75, 0.1),
    Question("greater", 0.8, 0.05),
    Question("less", 0.7, 0.05),
]
FUNCTIONS: list[Callable[..., pl.Expr]] = [
    pa.always_valid,
    lambda *columns, **options: pa.always_valid_change(*columns, baseline=3, **options),
    lambda *columns, **options: pa.always_valid_change(*columns, reference=0.75, **options),
]


def nights(n: int = 40, seed: int = 1, drop: float = 0.0) -> pl.DataFrame:
    """Return periods in order; the second half is lower by the drop."""
    rng = np.random.default_rng(seed)
    se = rng.choice([0.01, 0.015, 0.03], n)
    auc = 0.75 + se * rng.standard_normal(n) - drop * (np.arange(n) >= n // 2)
    return pl.DataFrame({"night": np.arange(n), "auc": auc, "se": se, "weight": 0.0002 / se**2})


def answers(frame: pl.DataFrame, expression: pl.Expr) -> list[dict[str, Any]]:
    return frame.select(expression.alias("answer"))["answer"].to_list()


@given(
    rows=st.lists(st.tuples(aucs, errors, weights), max_size=8),
    test=st.sampled_from(TESTS),
    level=st.sampled_from([0.5, 0.95, 0.999]),
    tightest_at=st.sampled_from([1, 28, 0.5]),
)
@examples(60)
@example(
    rows=[(0.75, 0.0, 1.0), (0.75, 0.01, 1.0)], test=TESTS[0], level=0.5, tightest_at=1
)  # The evidence is above all floats.
def test_always_valid_is_a_mixture(
    rows: list[oracles.Period], test: Question, level: float, tightest_at: float
) -> None:
    frame = pl.DataFrame(rows, SCHEMA, orient="row")
    expression = pa.always_valid(
        "auc",
        "se",
        weight="weight",
        level=level,
        alternative=test.alternative,  # type: ignore[arg-type]
        null=test.null,
        margin=test.margin,
        tightest_at=tightest_at,
    )
    expected = oracles.always_valid(rows, test=test, level=level, tightest_at=tightest_at)
    for got, wanted in zip(answers(frame, expression), expected, strict=True):
        for field, value in wanted.items():
            assert (got[field] is None) == (value is None), field
            assert value is None or got[field] == pytest.approx(value, rel=1e-8, abs=1e-9), field
        assert (got["lower"] is None) == (got["upper"] is None) == (wanted["e_value"] is None)
    # At the limits the evidence is 1 / (1 - level).
    last = answers(frame, expression)[-1:] if rows else []
    used = [row for row in rows if oracles.usable(row)]
    variances = [oracles.part([row]).variance for row in used]
    for limit in [last[0]["lower"], last[0]["upper"]] if last and any(variances) else []:
        scale = oracles.scale_of(tightest_at * next(filter(None, variances)), 1 - level)
        now = oracles.part(used)
        assert oracles.evidence(now.above(limit), now.variance, scale) == pytest.approx(
            1 / (1 - level), rel=1e-7
        )


@given(
    rows=st.lists(
        st.tuples(st.floats(0.6, 0.9), st.sampled_from([0.01, 0.02, 0.05]), st.sampled_from([1.0, 3.5])),
        min_size=3,
        max_size=6,
    ),
    level=st.sampled_from([0.8, 0.95]),
)
@examples(30)
def test_a_change_is_the_least_evidence_of_the_likeliest_beginning(
    rows: list[oracles.Period], level: float
) -> None:
    frame = pl.DataFrame(rows, SCHEMA, orient="row")
    expression = pa.always_valid_change("auc", "se", weight="weight", baseline=2, level=level, tightest_at=5)
    got = answers(frame, expression)
    assert got[0] == got[1] == dict.fromkeys(got[0])
    largest = 0.0
    for row, wanted in zip(
        got[2:], oracles.changes(rows, baseline=2, level=level, tightest_at=5), strict=True
    ):
        assert row["e_value"] == pytest.approx(wanted.e_value, rel=1e-6)
        largest = max(largest, wanted.e_value)
        assert row["p_value"] == pytest.approx(min(1, 1 / largest), rel=1e-6)
        assert row["change"] == pytest.approx(row["after"] - row["before"], abs=1e-12)
        # Two change points may have the same evidence.
        if row["since"] == wanted.since:
            assert row["before"] == pytest.approx(wanted.before.mean, rel=1e-12)
            assert row["after"] == pytest.approx(wanted.after.mean, rel=1e-12)
            for limit in (row["lower"], row["upper"]):
                e_value = oracles.change_p_value(wanted.before, wanted.after, limit, wanted.scales)
                assert wanted.weight * e_value == pytest.approx(1 / (1 - level), rel=1e-5)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_answer_depends_on_its_period_and_those_before(function: Callable[..., pl.Expr]) -> None:
    frame = nights(drop=0.05)
    whole = answers(frame, function("auc", "se", weight="weight"))
    for end in range(1, frame.height):
        assert answers(frame.head(end), function("auc", "se", weight="weight")) == whole[:end]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_everywhere_the_same(function: Callable[..., pl.Expr]) -> None:
    frame = pl.concat([nights(seed=seed, drop=0.03).with_columns(segment=pl.lit(seed)) for seed in range(4)])
    expression = function("auc", "se").alias("answer")
    each = [part.with_columns(expression) for part in frame.partition_by("segment")]
    expected = pl.concat(each)
    plan = frame.sample(fraction=1, shuffle=True, seed=3).lazy()
    plan = plan.with_columns(expression.over("segment", order_by="night")).sort("segment", "night")
    assert plan.collect_schema() == expected.schema
    for engine in ("in-memory", "streaming"):
        assert plan.collect(engine=engine).equals(expected)
    listed = frame.group_by("segment", maintain_order=True).agg("night", "auc", "se", "weight", expression)
    exploded = listed.explode("night", "auc", "se", "weight", "answer").select(expected.columns)
    assert exploded.equals(expected)
    assert frame.clear().select(expression).is_empty()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_does_not_count(function: Callable[..., pl.Expr]) -> None:
    """Test the unit of weights, and periods without an estimate, without an error or of weight 0."""
    frame = nights(drop=0.05).with_columns(pl.col("auc", "se").cast(pl.Float64))
    plain = answers(frame, function("auc", "se", weight="weight"))
    rescaled = answers(frame, function("auc", "se", weight=1024 * pl.col("weight")))
    assert rescaled == plain
    assert answers(frame, function("auc", "se")) == answers(frame, function("auc", "se", weight=pl.lit(1)))
    gaps = pl.DataFrame({"auc": [None, 0.1, 0.1], "se": [0.1, None, 0.1], "weight": [1.0, 1.0, 0.0]})
    wide = pl.concat([gaps, frame.drop("night"), gaps], how="diagonal")
    got = answers(wide, function("auc", "se", weight="weight"))
    assert got[:3] == [dict.fromkeys(got[0])] * 3
    moved = [{**row, "since": row["since"] and row["since"] - 3} if "since" in row else row for row in got]
    assert moved[3:] == [*plain, plain[-1], plain[-1], plain[-1]]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nan_stays(function: Callable[..., pl.Expr]) -> None:
    frame = nights(12)
    for column in ("auc", "se"):
        broken = frame.with_columns(
            pl.when(pl.col("night") == 7).then(math.nan).otherwise(column).alias(column)
        )
        got, plain = (answers(one, function("auc", "se")) for one in (broken, frame))
        assert got[:7] == plain[:7]
        assert all(math.isnan(row[field]) for row in got[7:] for field in ("upper", "e_value", "p_value"))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_test_is_the_interval(function: Callable[..., pl.Expr]) -> None:
    """A two-sided p-value is at most 1 minus the level once an interval has excluded the value."""
    options: dict[str, Any] = {"null": 0.76} if function is pa.always_valid else {"null": 0.01}
    has_alarm = False
    for row in answers(nights(200, drop=0.05), function("auc", "se", **options)):
        if row["lower"] is not None:
            has_alarm = has_alarm or not row["lower"] <= options["null"] <= row["upper"]
            assert (row["p_value"] <= 0.05) == has_alarm
    assert has_alarm


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda: pa.always_valid("auc", "se", level=1), "level must lie between 0 and 1"),
        (lambda: pa.always_valid("auc", "se", null=50), "null must be a number from -1 to 1"),
        (lambda: pa.always_valid("auc", "se", tightest_at=0), "tightest_at must be a number above 0"),
        (lambda: pa.always_valid_change("auc", "se", baseline=0), "baseline must be an integer from 1"),
        (
            lambda: pa.always_valid_change("auc", "se", reference=80),
            "reference must be a number from -1 to 1",
        ),
        (
            lambda: pa.always_valid_change("auc", "se", baseline=3, reference=0.8),
            "baseline cannot be combined with reference. Hint: leave out one of both",
        ),
    ],
)
def test_options_that_cannot_be(write: Callable[[], pl.Expr], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write()


@pytest.mark.parametrize(
    ("column", "wrong"),
    [("auc", 80.0), ("se", -0.1), ("se", 2.5), ("weight", -1.0), ("weight", math.nan)],
)
def test_numbers_that_no_period_has(column: str, wrong: float) -> None:
    frame = nights(5).with_columns(pl.lit(wrong).alias(column))
    for function in FUNCTIONS:
        with pytest.raises(
            pl.exceptions.ComputeError, match=f"{column} contains {wrong:g}".replace("nan", "NaN")
        ):
            frame.select(function("auc", "se", weight="weight"))


@pytest.mark.parametrize("function", FUNCTIONS)
@given(
    rows=st.lists(st.tuples(aucs, errors, weights, st.integers(1, 40), st.integers(1, 4000)), max_size=8),
)
@examples(20)
def test_errors_of_few_positives_have_a_floor(
    function: Callable[..., pl.Expr], rows: list[tuple[float | None, float | None, float | None, int, int]]
) -> None:
    frame = pl.DataFrame(rows, {**SCHEMA, "n_pos": pl.Int64, "n_neg": pl.UInt32}, orient="row")
    floored = oracles.with_floor([row[:3] for row in rows], [row[3:] for row in rows])
    plain = pl.DataFrame(floored, SCHEMA, orient="row")
    got = answers(frame, function("auc", "se", weight="weight", n_pos="n_pos", n_neg="n_neg"))
    wanted = answers(plain, function("auc", "se", weight="weight"))
    for one, other in zip(got, wanted, strict=True):
        assert one == {
            field: None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)
            for field, value in other.items()
        }


def test_few_positives_raise_no_false_alarm() -> None:
    """Nearly equal placements give a tiny error: without counts a year of such nights is an alarm."""
    rng = np.random.default_rng(1)
    year = pl.DataFrame({"night": np.repeat(np.arange(365), 1002)}).with_columns(
        y=pl.int_range(pl.len()).over("night") < 2
    )
    year = year.with_columns(s=rng.normal(size=year.height) + 2.326 * year["y"].cast(pl.Int8).to_numpy())
    area = pa.roc_auc_ci("y", "s")
    nights = year.group_by("night", maintain_order=True).agg(area).unnest("s").with_columns(pos=2, neg=1000)
    counts = {"n_pos": "pos", "n_neg": "neg"}
    for columns, is_alarm in (({}, True), (counts, False)):
        test = pa.always_valid("auc", "se", null=0.95, alternative="greater", **columns)  # type: ignore[arg-type]
        assert (nights.select(test)["auc"].struct.field("p_value").min() <= 0.05) == is_alarm  # type: ignore[operator]


def test_the_baseline_is_short_with_counts() -> None:
    frame = nights(40).with_columns(n_pos=20, n_neg=200)
    untested = [
        frame.select(pa.always_valid_change("auc", "se", **kw))["auc"].struct.field("p_value").null_count()  # type: ignore[arg-type]
        for kw in ({}, {"n_pos": "n_pos", "n_neg": "n_neg"})
    ]
    assert untested == [28, 3]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"n_pos": "n_pos"}, "n_pos needs n_neg as well. Hint: give both or none"),
        ({"n_neg": "n_pos"}, "n_neg needs n_pos as well"),
        (
            {"n_pos": "n_pos", "n_neg": pl.lit(0)},
            "n_neg contains 0, but an AUC is of 1 positive and 1 negative",
        ),
        ({"n_pos": "n_pos", "n_neg": pl.lit("many")}, "n_neg .* has dtype str, expected numbers"),
    ],
)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_refused_counts(function: Callable[..., pl.Expr], columns: dict[str, Any], message: str) -> None:
    frame = nights(5).with_columns(n_pos=20)
    with pytest.raises((ValueError, pl.exceptions.ComputeError), match=message):
        frame.select(function("auc", "se", **columns))
    difference = function(pl.col("auc") - 0.9, "se", n_pos="n_pos", n_neg="n_pos")
    with pytest.raises(pl.exceptions.ComputeError, match="are for AUCs, and not for differences"):
        frame.select(difference)
