"""Weights: how many rows a row stands for."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import polars_auc as pa
from catalogue.cases import TIED, assert_same, examples, scores_with_nan
from oracles import areas, numbers
from oracles.rows import Group

SCHEMA = {"label": pl.Boolean, "score": pl.Float64, "weight": pl.Float64}
MASSES = ("tp", "fp", "tn", "fn", "n", "n_pos", "n_neg", "cum_n", "cum_pos", "cum_neg")
COUNTS = ("n_pos", "n_neg", "p_value", "method", "se", "lower", "upper")
FRAME = pl.DataFrame({"label": [1, 0, 1, 1, 0], "score": [3.0, 2.0, 1.0, 2.0, 1.0]})

MEASURES: list[tuple[Any, dict[str, Any]]] = [
    *((pa.roc_auc, options) for options in ({}, {"max_fpr": 0.3}, {"min_tpr": 0.2, "max_tpr": 0.7})),
    (pa.roc_auc, {"min_fpr": 0.1, "max_fpr": 0.6, "standardized": True}),
    (pa.roc_auc, {"max_fpr": 0.7, "min_tpr": 0.4}),
    (pa.average_precision, {}),
    (pa.ks_statistic, {}),
    *((pa.roc_curve, options) for options in ({}, {"drop_intermediate": True}, {"at_fpr": [0.1, 0.5, 1.0]})),
    (pa.roc_curve, {"at_tpr": [0.0, 0.3]}),
    (pa.roc_curve, {"at_threshold": [0.5, -math.inf]}),
    (pa.roc_curve, {"max_points": 4}),
    *((measure, {}) for measure in (pa.pr_curve, pa.roc_convex_hull, pa.cost_curve, pa.det_curve)),
    (pa.cap_curve, {}),
    *((pa.gains_table, options) for options in ({"bands": 3}, {"bands": 1000}, {"edges": [-1.0, 0.5]})),
    (pa.roc_summary, {}),
    *(
        (pa.operating_point, {"criterion": it})
        for it in ("youden", "closest_topleft", "cost", "max_f", "top_p")
    ),
    (pa.operating_point, {"criterion": "youden", "cost": 3.0, "prevalence": 0.2}),
    *(
        (pa.operating_point, {"criterion": f"target_{it}", "target": 0.4})
        for it in ("fpr", "tpr", "precision")
    ),
    (pa.confusion_at, {"at": 0.5}),
    *((pa.tpr_at_fpr, {"fpr": it, "n_resamples": 9}) for it in (0.0, 0.3)),
    *((pa.fpr_at_tpr, {"tpr": it, "n_resamples": 9}) for it in (0.6, 1.0)),
    *((pa.binormal_roc_auc, {"method": it}) for it in ("least_squares", "moments")),
    (pa.binormal_roc_curve, {"at_fpr": [0.1, 0.5]}),
]
measures = pytest.mark.parametrize(
    ("measure", "options"), MEASURES, ids=lambda it: getattr(it, "__name__", it)
)
labels = st.sampled_from([True, False, None])


def weighted(weight: st.SearchStrategy[float | None], score: Any = scores_with_nan) -> Any:
    rows = st.lists(st.tuples(labels, score, weight), max_size=20)
    return rows.map(lambda some: pl.DataFrame(some, SCHEMA, orient="row"))


def value_of(frame: pl.DataFrame, expression: pl.Expr) -> Any:
    return frame.select(expression).to_series().to_list()[0]


def without_counts(answer: Any) -> Any:
    """Remove the fields that differ between repeated rows and weights."""
    if isinstance(answer, list):
        return [without_counts(point) for point in answer]
    if isinstance(answer, dict):
        # A summary counts rows as n, and curves the sum of weights.
        counts = {*COUNTS, "n", "n_missing", "n_unlabelled"} if "n_missing" in answer else {*COUNTS}
        if isinstance(answer.get("auc"), float) and math.isnan(answer["auc"]):
            counts.add("prevalence")
        rates = {name: value for name, value in answer.items() if name not in counts}
        return {name: value for name, value in rates.items() if not name.endswith(("_lower", "_upper"))}
    return answer


@measures
@given(frame=weighted(st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0, None])))
@examples(40)
def test_whole_weights_are_repeated_rows(measure: Any, options: dict[str, Any], frame: pl.DataFrame) -> None:
    used = frame.drop_nulls()
    if options.get("method") == "moments":
        # One row has no standard deviation with any weight, but two rows do.
        assume(used.filter(pl.col("weight") > 0)["label"].value_counts()["count"].eq(1).sum() == 0)
    repeated = used.select(pl.col("label", "score").repeat_by(pl.col("weight").cast(pl.UInt32)).explode())
    repeated = repeated.drop_nulls()
    got = value_of(frame, measure("label", "score", weight="weight", **options))
    assert_same(without_counts(got), without_counts(value_of(repeated, measure("label", "score", **options))))


CLASSES = ["a", "b", "c"]
class_rows = st.lists(
    st.tuples(
        st.sampled_from([*CLASSES, None]),
        scores_with_nan,
        scores_with_nan,
        st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0, None]),
    ),
    max_size=20,
)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"average": "weighted"},
        {"average": "micro"},
        {"average": None},
        {"multi_class": "ovo"},
        {"multi_class": "ovo", "average": "weighted"},
    ],
    ids=str,
)
@given(rows=class_rows)
@examples(40)
def test_whole_weights_of_several_classes_are_repeated_rows(options: dict[str, Any], rows: list[Any]) -> None:
    schema = {"key": pl.String, "a": pl.Float64, "b": pl.Float64, "weight": pl.Float64}
    used = pl.DataFrame(rows, schema, orient="row").with_columns(c=-pl.col("a")).drop_nulls()
    columns = pl.col("key", *CLASSES)
    repeated = used.select(columns.repeat_by(pl.col("weight").cast(pl.UInt32)).explode()).drop_nulls()

    def areas(answer: dict[str, Any]) -> Any:
        lists = [[one["auc"] for one in answer[name] or []] for name in ("classes", "pairs")]
        return [answer["auc"], *lists, answer["n_classes"], answer["n_missing"]]

    got = value_of(used, pa.multiclass_roc_auc("key", *CLASSES, weight="weight", **options))
    assert got["n"] == used.filter(pl.col("weight") > 0).height
    assert_same(areas(got), areas(value_of(repeated, pa.multiclass_roc_auc("key", *CLASSES, **options))))
    counted = pl.col("weight").cast(pl.UInt8)
    by_count = value_of(used, pa.multiclass_roc_auc("key", *CLASSES, count=counted, **options))
    assert_same(areas(got), areas(by_count))


def test_weights_of_several_classes_that_are_none() -> None:
    frame = pl.DataFrame(
        {"y": ["a", "b"], "a": [1.0, 0.0], "b": [0.0, 1.0], "w": [1.0, -1.0], "t": ["x", "x"]}
    )
    with pytest.raises(
        pl.exceptions.ComputeError, match=r'multiclass_roc_auc: weight "w" contains -1\.0, expected numbers'
    ):
        frame.select(pa.multiclass_roc_auc("y", "a", "b", weight="w"))
    with pytest.raises(pl.exceptions.ComputeError, match='weight "t" has dtype str'):
        frame.lazy().select(pa.multiclass_roc_auc("y", "a", "b", weight="t")).collect_schema()
    with pytest.raises(ValueError, match="multiclass_roc_auc: weight and count are mutually exclusive"):
        pa.multiclass_roc_auc("y", "a", "b", weight="w", count="w")


ROUNDING = 2.0**-60
"""Return the error bound of a weight, relative to the total of its class: the bound in the README."""


def rounding_of_precision(rows: list[Any]) -> float:
    """Return the error bound of the average precision: each precision has rounded weights."""
    group = Group(rows)

    def error_at(threshold: float) -> float:
        reached = [score for score, _ in group.pos + group.neg if score >= threshold]
        off = len(reached) * ROUNDING * (group.p + group.n) / sum(group.reaching(threshold))
        return min(1.0, float(off))

    return float(sum(float(weight / group.p) * error_at(score) for score, weight in group.pos))


@given(frame=weighted(st.floats(0, 1e12), st.sampled_from(TIED)))
@examples(200)
@example(
    frame=pl.DataFrame(
        {"label": [True, False, False], "score": [-1.5, -math.inf, -1.5], "weight": [4e-306, 1.0, 9e-91]}
    )
)
def test_any_weights(frame: pl.DataFrame) -> None:
    rows = list(frame.drop_nulls().iter_rows())
    average_precision = numbers.average_precision(rows)
    precision_off = 0.0 if average_precision is None else rounding_of_precision(rows)
    for result, expected, off in (
        (pa.roc_auc("label", "score", weight="weight"), areas.weighted_roc_auc(rows), 0.0),
        (pa.average_precision("label", "score", weight="weight"), average_precision, precision_off),
        (
            pa.ks_statistic("label", "score", weight="weight").struct["ks"],
            numbers.weighted_ks_statistic(rows)["ks"],
            0.0,
        ),
    ):
        got = value_of(frame, result)
        assert (got is None) == (expected is None)
        # The last digits of a sum of floats, in addition to the error bound.
        assert expected is None or abs(got - expected) <= 1e-12 + off


@pytest.mark.parametrize("heavy", [1.0, 1e3, 1e6, 1e9, 1e12, 1e15])
def test_a_precision_of_light_weights_is_as_exact_as_its_rounding(heavy: float) -> None:
    light = [0.3, 0.7]
    frame = pl.DataFrame({"label": [1, 0, 1, 0], "score": [4, 4, 2, 1], "weight": [*light, heavy, heavy]})
    first = value_of(frame, pa.pr_curve("label", "score", weight="weight"))[1]
    assert first["threshold"] == 4
    assert abs(first["precision"] / 0.3 - 1) <= 4e-16 + 2 * ROUNDING * heavy / min(light)


@measures
@given(frame=weighted(st.sampled_from([0.0, 0.1, 1.7, 3e5])))
@examples(30)
def test_weight_0_leaves_a_row_out(measure: Any, options: dict[str, Any], frame: pl.DataFrame) -> None:
    expression = measure("label", "score", weight="weight", **options)
    nothing = pl.DataFrame([(True, math.nan, 0.0), (False, 1.0, 0.0)], SCHEMA, orient="row")
    used = frame.filter(pl.col("weight") > 0)
    answers = [
        _without_missing(value_of(some, expression)) for some in (pl.concat([nothing, frame]), used, frame)
    ]
    assert_same(answers[0], answers[2])
    assert_same(answers[1], answers[2])


@given(frame=weighted(st.floats(1e-3, 1e3)), power=st.integers(-200, 200))
@examples(100)
def test_powers_of_2_change_no_rate(frame: pl.DataFrame, power: int) -> None:
    scaled = frame.with_columns(pl.col("weight") * 2.0**power)
    for measure, options in MEASURES:
        expression = measure("label", "score", weight="weight", **options)
        one, other = (_without_masses(value_of(some, expression)) for some in (frame, scaled))
        assert_same(one, other)


@pytest.mark.parametrize("power", [256, 600, -300])
def test_no_weights_are_too_large_or_small_for_a_correlation(power: int) -> None:
    frame = FRAME.with_columns(weight=pl.lit(2.0**power))
    called, plain = (
        value_of(frame, pa.confusion_at("label", "score", 2, weight=weight)) for weight in ("weight", None)
    )
    assert (called["mcc"], called["kappa"]) == (plain["mcc"], plain["kappa"])


def _without_missing(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {name: value for name, value in answer.items() if name != "n_missing"}
    return answer


def _without_masses(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_without_masses(point) for point in answer]
    if isinstance(answer, dict):
        return {name: value for name, value in answer.items() if name not in MASSES}
    return answer


@measures
@pytest.mark.parametrize("wrong", [-1.0, -0.001, math.inf, -math.inf, math.nan], ids=str)
def test_weights_that_are_none(measure: Any, options: dict[str, Any], wrong: float) -> None:
    frame = FRAME.with_columns(weight=pl.when(pl.col("score") == 3).then(wrong).otherwise(1.0))
    value = "NaN" if math.isnan(wrong) else f"{wrong:g}"
    with pytest.raises(
        pl.exceptions.ComputeError, match=rf'weight "weight" contains {value}.*expected numbers from 0'
    ):
        frame.select(measure("label", "score", weight="weight", **options))


@pytest.mark.parametrize("dtype", [pl.String, pl.Date, pl.List(pl.Float64)], ids=str)
def test_weights_of_other_dtypes(dtype: Any) -> None:
    with pytest.raises(pl.exceptions.ComputeError, match='weight "weight" has dtype'):
        FRAME.lazy().with_columns(weight=pl.lit(None, dtype)).select(_auc()).collect_schema()


NUMERIC = [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32]


@pytest.mark.parametrize("dtype", [*NUMERIC, pl.Int128, pl.Float64, pl.Decimal(10, 2), pl.Boolean], ids=str)
def test_weight_dtypes(dtype: Any) -> None:
    few = [1, 0, 1, 1, 1] if dtype == pl.Boolean else [3, 0, 5, 1, 2]
    frame = FRAME.with_columns(weight=pl.Series(few).cast(dtype))
    expected = value_of(frame.with_columns(pl.Series("weight", few, pl.Float64)), _auc())
    assert value_of(frame, _auc()) == expected


def _auc() -> pl.Expr:
    return pa.roc_auc("label", "score", weight="weight")


def test_weights_have_no_bootstrap_interval() -> None:
    frame = pl.concat([FRAME, FRAME]).with_columns(weight=pl.lit(1.0))
    for function, rate in ((pa.tpr_at_fpr, 0.3), (pa.fpr_at_tpr, 0.6)):
        plain, heavy = (
            value_of(frame, function("label", "score", rate, n_resamples=9, weight=weight))
            for weight in (None, "weight")
        )
        limits = dict.fromkeys(("se", "lower", "upper"))
        assert all(plain[name] is not None for name in limits)
        assert heavy == {**plain, **limits}


def test_the_test_of_ranks_has_no_weights() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
        pa.mann_whitney_u("label", "score", weight="weight")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="roc_auc_ci: method 'bootstrap' does not take a weight"):
        pa.roc_auc_ci("label", "score", weight="weight", method="bootstrap")
