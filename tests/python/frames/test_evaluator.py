"""The evaluator, which receives rows one after the other."""

from __future__ import annotations

import itertools
import math
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from types import FrameType
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

import polars_auc as pa
from catalogue.cases import examples

ROWS = st.lists(
    st.tuples(st.sampled_from([0, 1, None]), st.one_of(st.none(), st.integers(0, 8).map(lambda n: n / 8))),
    max_size=40,
)


@given(rows=ROWS, cuts=st.lists(st.integers(0, 40), max_size=4), seed=st.integers(0, 99))
@examples(60)
def test_the_same_answers_in_any_order_and_any_batches(
    rows: list[tuple[int | None, float | None]], cuts: list[int], seed: int
) -> None:
    one_by_one, batches = pa.Evaluator(threshold=0.25), pa.Evaluator(threshold=0.25)
    for label, score in rows:
        one_by_one.add(label, score)
    mixed = random.Random(seed).sample(rows, len(rows))
    borders = [0, *sorted(cuts), len(rows)]
    for start, end in itertools.pairwise(borders):
        batches.add([label for label, _ in mixed[start:end]], [score for _, score in mixed[start:end]])
        batches.bounds()
    frame = pl.DataFrame(rows, schema={"y": pl.Int64, "s": pl.Float64}, orient="row")
    expected = frame.select(pa.roc_auc("y", "s")).item()
    assert one_by_one.auc() == batches.auc() == expected
    assert one_by_one.state().equals(batches.state())
    used = [(label, score) for label, score in rows if label is not None and score is not None]
    confusion = {
        name: sum(label == positive and (score >= 0.25) == called for label, score in used)
        for name, positive, called in (("tp", 1, True), ("fp", 0, True), ("tn", 0, False), ("fn", 1, False))
    }
    assert one_by_one.confusion() == batches.confusion() == confusion


@given(
    periods=st.lists(ROWS, min_size=1, max_size=6),
    window=st.integers(1, 4),
    requested=st.sets(st.integers(0, 5)),
)
@examples(40)
def test_a_window_of_periods_is_the_rows_of_these_periods(
    periods: list[list[tuple[int | None, float | None]]], window: int, requested: set[int]
) -> None:
    moving = pa.Evaluator(window=window)
    for number, rows in enumerate(periods):
        if number:
            moving.next_period()
        for label, score in rows:
            moving.add(label, score)
        if number in requested:
            alone = pa.Evaluator()
            for label, score in itertools.chain(*periods[max(number - window + 1, 0) : number + 1]):
                alone.add(label, score)
            assert moving.state().equals(alone.state())
            assert (moving.auc(), moving.confusion()) == (alone.auc(), alone.confusion())
            for name, mean in alone.entropy().items():
                # Sums of floats depend on the order in the last digits.
                assert moving.entropy()[name] == (mean if mean is None else pytest.approx(mean, rel=1e-12))


def test_periods_without_a_window() -> None:
    with pytest.raises(
        ValueError, match=r"next_period: this evaluator has no window. Hint: write Evaluator\(window=28\)"
    ):
        pa.Evaluator().next_period()
    for window in (0, -1, 2.5, True, "28d"):
        with pytest.raises(ValueError, match="Evaluator: window must be a number of periods above 0"):
            pa.Evaluator(window=window)  # type: ignore[arg-type]


def test_bounded_memory_and_bounds() -> None:
    generator = np.random.default_rng(7)
    labels = generator.random(200_000) < 0.3
    scores = generator.normal(size=200_000) + labels
    evaluator = pa.Evaluator(max_bins=1024)
    for start in range(0, 200_000, 1000):
        evaluator.add(labels[start : start + 1000], scores[start : start + 1000])
    assert evaluator.state()["state"].struct.field("bins").list.len().item() <= 1024
    bounds = evaluator.bounds()
    exact = pl.DataFrame({"y": labels, "s": scores}).select(pa.roc_auc("y", "s")).item()
    assert bounds["lower"] <= exact <= bounds["upper"]
    assert bounds["upper"] - bounds["lower"] < 0.003
    assert evaluator.entropy() == {"pos": None, "neg": None, "all": None}


def test_entropy_is_log_loss() -> None:
    generator = np.random.default_rng(3)
    scores = generator.random(500)
    labels = generator.random(500) < scores
    evaluator = pa.Evaluator(scale="probability")
    evaluator.add(labels, scores)
    got = evaluator.entropy()
    assert got["all"] == pytest.approx(log_loss(labels, scores), rel=1e-12)
    assert got["pos"] == pytest.approx(-np.log(scores[labels]).mean(), rel=1e-12)
    assert got["neg"] == pytest.approx(-np.log1p(-scores[~labels]).mean(), rel=1e-12)
    certain = pa.Evaluator()
    certain.add([1, 0], [0, 0])
    assert certain.entropy() == {"pos": math.inf, "neg": 0.0, "all": math.inf}


def test_nothing_and_nan() -> None:
    evaluator = pa.Evaluator()
    assert evaluator.auc() is None
    assert evaluator.entropy() == {"pos": None, "neg": None, "all": None}
    assert evaluator.bounds()["n_pos"] == 0
    evaluator.add(1, math.nan)
    evaluator.add(0, 1)
    area = evaluator.auc()
    assert area is not None
    assert math.isnan(area)
    assert set(evaluator.confusion().values()) == {None}


def test_scalars_of_other_kinds() -> None:
    """Booleans of numpy are labels, and numbers that a float represents exactly are scores."""
    evaluator = pa.Evaluator()
    evaluator.add(np.bool_(True), np.float32(0.5))
    evaluator.add(False, 2**60)
    evaluator.add([0, True], [Decimal("0.6"), None])
    evaluator.add(pl.Series([1, 0]), pl.Series(["0.1", "0.25"]).str.to_decimal(scale=20))
    assert evaluator.bounds() == {
        "auc": 1 / 6,
        "lower": 1 / 6,
        "upper": 1 / 6,
        "n_pos": 2,
        "n_neg": 3,
        "exact": True,
    }


BEYOND_FLOATS = [
    2**53 + 1,
    10**400,
    Decimal("0.100000000000000000001"),
    Fraction(1, 3),
    [0, 2**53 + 1],
    [Decimal("0.5"), Decimal("0.100000000000000000001")],
    np.array([0, 2**53 + 1]),
    pl.Series([0, 2**64 - 1], dtype=pl.UInt64),
    pl.Series([0, 2**100 + 1], dtype=pl.Int128),
    pl.Series([Decimal("0.5"), Decimal("0.100000000000000000001")]),
]


@pytest.mark.parametrize("score", BEYOND_FLOATS, ids=lambda score: type(score).__name__)
def test_scores_that_a_float_would_round_are_refused(score: Any) -> None:
    """Different scores would tie: the bounds excluded the AUC of integers beyond 2^53."""
    evaluator = pa.Evaluator()
    evaluator.add([1, 0], [0.5, 0.25])
    label = [1, 0] if hasattr(score, "__len__") else 1
    with pytest.raises(ValueError, match=r"Evaluator.add: score .* Float64 .* roc_state"):
        evaluator.add(label, score)
    assert evaluator.bounds() == {
        "auc": 1.0,
        "lower": 1.0,
        "upper": 1.0,
        "n_pos": 1,
        "n_neg": 1,
        "exact": True,
    }


def test_a_threshold_that_a_float_would_round_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"Evaluator: threshold .* Float64, which cannot represent 9007199254740993"
    ):
        pa.Evaluator(threshold=2**53 + 1)
    evaluator = pa.Evaluator(threshold=Decimal("0.1"))  # type: ignore[arg-type]
    evaluator.add([1, 0], [0.1, 0.05])
    assert evaluator.confusion() == {"tp": 1, "fp": 0, "tn": 1, "fn": 0}


@pytest.mark.parametrize("rows", [([1, 0, 1], [0.75, 0.5, 0.25]), (1, 0.75)], ids=["batch", "row"])
def test_an_interrupt_at_any_step_leaves_counts_that_agree(rows: tuple[Any, Any]) -> None:
    """An interrupted call adds all of its rows or none, and buffered rows are counted once."""
    steps, n_rows = 0, 3 if isinstance(rows[0], list) else 1
    while True:
        evaluator = pa.Evaluator()
        evaluator.add([0, 1], [0.5, 0.5])
        evaluator.add(1, 0.5)
        evaluator.bounds()
        evaluator.add([0, 0], [0.25, 0.5])
        evaluator.add(0, 0.75)
        with interrupted_at(steps) as trace:
            evaluator.add(*rows)
            evaluator.bounds()
        bounds, confusion = evaluator.bounds(), evaluator.confusion()
        n = bounds["n_pos"] + bounds["n_neg"]
        assert n in (6, 6 + n_rows), steps
        assert sum(map(int, filter(None, confusion.values()))) == n, (steps, confusion)
        entropy = evaluator.entropy()["all"]
        added = [(1, 0.75), (0, 0.5), (1, 0.25)][:n_rows] if n > 6 else []
        all_rows = [(0, 0.5), (1, 0.5), (1, 0.5), (0, 0.25), (0, 0.5), (0, 0.75), *added]
        assert entropy == pytest.approx(log_loss(*zip(*all_rows, strict=True))), steps
        if not trace.interrupted:
            assert steps > 20
            assert n == 6 + n_rows
            return
        steps += 3


class Interrupted:
    """Return whether the interrupt was before the end of the work."""

    interrupted = False


@contextmanager
def interrupted_at(step: int) -> Iterator[Interrupted]:
    """Interrupt the evaluator before a step: one bytecode operation in its module."""
    seen, left = Interrupted(), itertools.count(step, -1)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_globals["__name__"] != "polars_auc._frames.evaluator":
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(left) == 0:
            seen.interrupted = True
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        yield seen
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)


@pytest.mark.parametrize(
    ("label", "score", "error", "message"),
    [
        (2, 0.5, ValueError, "expected 0, 1, True or False, got 2"),
        ([0, 3], [0.5, 0.5], ValueError, "expected 0, 1, True or False, got 3"),
        ([0, math.nan], [0.5, 0.5], ValueError, "expected 0, 1, True or False, got nan"),
        ([0, 1], 0.5, ValueError, "expected as many labels as scores, got 2 and 1"),
        (1, "0.5", TypeError, "score must be a number or a list of numbers, got '0.5'"),
        (["a"], [1], TypeError, "label must be a number or a list of numbers"),
        (1, 1.5, ValueError, "for scores from 0 to 1, got 1.5"),
        ([1], [-1.5], ValueError, "for scores from 0 to 1, got -1.5"),
    ],
)
def test_a_refused_call_adds_no_row(label: Any, score: Any, error: type[Exception], message: str) -> None:
    evaluator = pa.Evaluator(scale="probability")
    evaluator.add([1, 0], [0.5, 0.25])
    with pytest.raises(error, match=f"Evaluator.add: .*{message}"):
        evaluator.add(label, score)
    assert evaluator.bounds() == {
        "auc": 1.0,
        "lower": 1.0,
        "upper": 1.0,
        "n_pos": 1,
        "n_neg": 1,
        "exact": True,
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_bins": 3}, "max_bins must be an integer from 16"),
        ({"max_bins": None}, "max_bins must be a number, got None"),
        ({"scale": "log"}, "scale must be one of"),
        ({"threshold": "a"}, "threshold must be a number, got 'a'"),
    ],
)
def test_refused_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"Evaluator: {message}"):
        pa.Evaluator(**options)
