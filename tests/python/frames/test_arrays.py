"""A label and a score as arrays without a frame."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc._frames.arrays import Evaluation

ROWS = fixed(300).drop_nulls(["label", "score"]).filter(pl.col("score").is_not_nan()).select("label", "score")
LOSSES = ("brier_score", "log_loss")
KINDS: dict[str, Callable[[pl.Series], Any]] = {
    "list": pl.Series.to_list,
    "tuple": lambda column: tuple(column.to_list()),
    "numpy": pl.Series.to_numpy,
    "object array": lambda column: np.array(column.to_list(), dtype=object),
    "pandas": pl.Series.to_pandas,
    "Polars": lambda column: column,
    "PyArrow": pl.Series.to_arrow,
}


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_any_kind_have_the_numbers_of_a_frame(kind: str) -> None:
    convert = KINDS[kind]
    weight = ROWS["score"].abs() + 1
    expected = ROWS.with_columns(weight=weight).select(
        plain=pa.roc_summary("label", "score"), weighted=pa.roc_summary("label", "score", weight="weight")
    )
    label, score = convert(ROWS["label"]), convert(ROWS["score"])
    no_losses = dict.fromkeys(LOSSES)
    assert pa.evaluate(label, score)._asdict() == expected["plain"].item() | no_losses
    weighted = pa.evaluate(label, score, weight=convert(weight))
    assert weighted._asdict() == expected["weighted"].item() | no_losses


def test_losses_of_probabilities() -> None:
    label, score, weight = [0, 1, 1, None], [0.1, 0.4, 0.8, 0.5], [1.0, 2.0, 0.5, 1.0]
    frame = pl.DataFrame({"label": label, "score": score, "weight": weight})
    for column, values in ((None, None), ("weight", weight)):
        answer = pa.evaluate(label, score, weight=values)
        for name, loss in (("brier_score", pa.brier_score), ("log_loss", pa.log_loss)):
            expected = frame.select(loss("label", "score", weight=column)).item()[name]
            assert getattr(answer, name) == expected
    assert pa.evaluate([0, 1], [1, 0]).brier_score is None
    assert pa.evaluate([0, 1], [0.5, 1.5]).log_loss is None


def test_its_fields_are_those_of_the_summary() -> None:
    [summary] = ROWS.lazy().select(pa.roc_summary("label", "score")).collect_schema().dtypes()
    assert isinstance(summary, pl.Struct)
    assert list(Evaluation._fields) == [*(field.name for field in summary.fields), *LOSSES]


def test_numbers_of_several_and_of_custom_types() -> None:
    assert pa.evaluate([0, 1, 1], [1, 2.5, True]).auc == 0.5 + 0.25
    # As floats these are equal.
    large = [2**60, 2**60 + 1]
    assert pa.evaluate([0, 1], large).auc == 1
    assert pa.evaluate([0, 1], [Decimal("0.1"), None]).n_missing == 1
    with pytest.raises(TypeError, match="evaluate: score must be an array, a list or a Series of numbers"):
        pa.evaluate([0, 1, 1], [*large, 0.5])


@pytest.mark.parametrize("weight", [None, [1, 1, 1, 0, 1], [1, 1, 1, None, 1]])
@pytest.mark.filterwarnings("error")
def test_nan_of_a_row_that_is_skipped_is_no_fault(weight: list[int | None] | None) -> None:
    label = [0, 1, 1, None if weight is None else 1, 0]
    answer = pa.evaluate(label, [0.1, 0.4, 0.35, math.nan, 0.37], weight=weight)
    assert answer.auc == 0.75
    assert answer.n_missing == 1


@pytest.mark.parametrize("kind", [*KINDS, "object Series", "float32 Series"])
def test_nan_is_a_fault_in_every_kind(kind: str) -> None:
    convert: Callable[[pl.Series], Any] = {
        **KINDS,
        "PyArrow": lambda column: pyarrow.array(column.to_list(), from_pandas=False),
        "object Series": lambda column: pd.Series(column.to_list(), dtype=object),
        "float32 Series": lambda column: pd.Series(column.to_list(), dtype="float32"),
    }[kind]
    label, score = [0, 1, 1, 0], convert(pl.Series([1.0, 2.0, math.nan, 3.0]))
    with pytest.warns(UserWarning, match=r'evaluate: score is NaN in 1 row, .* nan="skip" takes NaN for mis'):
        result = pa.evaluate(label, score)
    assert math.isnan(result.auc or 0)
    assert (result.n, result.n_missing) == (4, 0)
    skipped = pa.evaluate(label, score, nan="skip")
    assert (skipped.n, skipped.n_missing, skipped.auc) == (3, 1, 0.5)
    with pytest.raises(pl.exceptions.PolarsError, match="contains NaN"):
        pa.evaluate(convert(pl.Series([0.0, 1.0, math.nan, 1.0])), [1, 2, 3, 4])
    with pytest.raises(pl.exceptions.PolarsError, match="contains NaN"):
        pa.evaluate(label, [1, 2, 3, 4], weight=score)
    evaluator = pa.Evaluator()
    evaluator.add(convert(pl.Series(label, dtype=pl.Float64)), score)
    assert math.isnan(evaluator.auc() or 0)


def test_missing_is_skipped() -> None:
    for missing in (pd.Series([1, 2, None, 3], dtype="Float64"), pd.Series([1, 2, pd.NA, 3], dtype=object)):
        result = pa.evaluate(pd.Series([0, 1, 1, 0]), missing)
        assert (result.n, result.n_missing, result.auc) == (3, 1, 0.5)
    assert pa.evaluate([0, 1, None], [1, 2, 3]).n_missing == 1
    masked: Any = np.ma.array([1.0, 2.0, 9.0], mask=[False, False, True])
    assert pa.evaluate([0, 1, 0], masked).auc == 1
    assert pa.evaluate([1, 1], [1, 2]).auc is None


Y, S = [0, 1, 1], [0.1, 0.5, 0.3]
WRONG: dict[str, tuple[Any, Any, dict[str, Any], type[Exception], str]] = {
    "lengths": (Y, S[:2], {}, ValueError, r"score has 2 values, and label has 3"),
    "weights": (Y, S, {"weight": [1]}, ValueError, r"weight has 1 values, and label has 3"),
    "two columns": (Y, np.zeros((3, 2)), {}, ValueError, r"score must have one dimension, got .*\(3, 2\)"),
    "a table": (pd.DataFrame({"y": Y}), S, {}, ValueError, r"label must have one dimension, got .*\(3, 1\)"),
    "a frame": (Y, pl.DataFrame({"s": S}), {}, TypeError, "score must be an array"),
    "a name": (
        "y",
        S,
        {},
        TypeError,
        "label must be an array, .* got str. Hint: of a frame's columns write frame",
    ),
    "no column": (Y, 3, {}, TypeError, "score must be an array, .* got int. Hint: write evaluate"),
    "words": (
        ["no", "yes", "yes"],
        S,
        {},
        TypeError,
        "label must be Booleans or 0 and 1, got String. Hint: name both classes, as in pl.Series",
    ),
    "a label of 2": ([0, 1, 2], S, {}, pl.exceptions.ComputeError, 'label "label" contains 2'),
    "another word for NaN": (
        Y,
        S,
        {"nan": "drop"},
        ValueError,
        "nan must be 'skip', or be left out, got 'dr",
    ),
    "a level": (Y, S, {"level": 95}, ValueError, "level must lie between 0 and 1"),
    "indexes": (
        pd.Series(Y),
        pd.Series(S)[::-1],
        {},
        ValueError,
        "score and label are Series of pandas whose",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(case: str) -> None:
    label, score, options, error, message = WRONG[case]
    with pytest.raises(error, match=f"^evaluate: {message}"):
        pa.evaluate(label, score, **options)


def test_a_scorer_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    label = np.where(rng.random(200) < 0.3, "yes", "no")
    features = rng.standard_normal((200, 2)) + (label == "yes")[:, None]
    for model in (LogisticRegression(), GaussianNB()):
        folds = cross_validate(model, features, label, scoring=pa.evaluate_estimator, return_indices=True)
        theirs = cross_validate(model, features, label, scoring="roc_auc")
        assert np.allclose(folds["test_auc"], theirs["test_score"])
        assert folds["test_n"].tolist() == [40] * 5
        assert set(folds) > {f"test_{name}" for name in Evaluation._fields}


def test_estimators_that_have_no_score() -> None:
    features, label = np.arange(6.0).reshape(-1, 1), np.arange(6)
    with pytest.raises(ValueError, match="two classes, got an estimator without classes_"):
        pa.evaluate_estimator(LinearRegression().fit(features, label), features, label)
    with pytest.raises(ValueError, match="two classes, got 6 classes"):
        pa.evaluate_estimator(GaussianNB().fit(features, label), features, label)

    class Decided:
        classes_ = (0, 1)

    with pytest.raises(TypeError, match="has neither decision_function nor predict_proba, got Decided"):
        pa.evaluate_estimator(Decided(), features, label)


def test_a_hint_is_one_for_arrays() -> None:
    with pytest.raises(pl.exceptions.ComputeError, match=r"class: pl.Series\(label\) == 1 or") as caught:
        pa.evaluate([1, 2], [1, 2])
    assert "pl.col" not in str(caught.value).splitlines()[0]
    assert pa.evaluate(pl.Series([1, 2]) == 2, [1, 2]).auc == 1
    with pytest.raises(pl.exceptions.PolarsError, match=r"pl.Series\(score\).cast"):
        pa.evaluate([0, 1], ["1", "2"])
