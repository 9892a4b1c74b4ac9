"""Each aggregate of Spark equals its expression in Polars."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from pyspark.errors import PythonException
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812

import polars_auc as pa
import polars_auc.spark as pauc

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NUMBERS = [
    *("roc_auc", "gini", "average_precision", "mean_positive_rank"),
    *("bedroc", "enrichment_factor", "h_measure", "log_auc"),
]

# Each function with some options: name, and arguments besides the label and the score.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in NUMBERS},
    **{
        name: (name, {})
        for name in (
            "ks_statistic",
            "roc_summary",
            "roc_auc_ci",
            "roc_auc_bounds",
            "mann_whitney_u",
            "brunner_munzel",
            "operating_point",
            "population_stability",
            "binormal_roc_auc",
            "roc_state",
            "average_precision_ci",
            "equal_error_rate",
        )
    },
    "confusion_at": ("confusion_at", {"at": 0.5}),
    "tpr_at_fpr": ("tpr_at_fpr", {"fpr": 0.1, "n_resamples": 50}),
    "fpr_at_tpr": ("fpr_at_tpr", {"tpr": 0.8, "n_resamples": 50, "seed": 3}),
    "partial": ("roc_auc", {"max_fpr": 0.2, "standardized": True}),
    "weighted": ("roc_auc", {"weight": "weight"}),
    "weighted point": ("operating_point", {"weight": "weight", "criterion": "cost", "cost": 5}),
    "counted": ("roc_auc_ci", {"count": "count", "method": "logit", "level": 0.9}),
    "clustered": ("roc_auc_ci", {"cluster": "integer"}),
    "bootstrap": ("roc_summary", {"ci": "bootstrap", "n_resamples": 50, "seed": 5}),
    "binned": ("roc_state", {"max_bins": 16}),
}


# For a score that is a probability.
PROBABILITY_CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        name: (name, {})
        for name in (
            "brier_score",
            "log_loss",
            "calibration_summary",
            "calibration_curve",
            "calibration_error",
            "discrimination_slope",
        )
    },
    "net_benefit": ("net_benefit", {"thresholds": [0.1, 0.5]}),
    "weighted loss": ("log_loss", {"weight": "weight"}),
    "isotonic": ("calibration_curve", {"method": "isotonic"}),
}


def local(frame: pl.DataFrame, aggregates: dict[str, tuple[str, dict[str, Any]]], score: str) -> pl.DataFrame:
    """Return the results of the Polars expressions, with numeric types of Spark."""
    expressions = []
    for alias, (name, options) in aggregates.items():
        answer = getattr(pa, name)("label", score, **options)
        if name in NUMBERS:
            columns = {key: value for key, value in options.items() if key in ("weight", "count")}
            counts = pa.operating_point("label", score, **columns).struct
            answer = pl.struct(answer.alias(name), counts.field("n_pos"), counts.field("n_neg"))
        expressions.append(answer.alias(alias))
    return frame.group_by("segment").agg(expressions).sort("segment")


def on_spark(
    frame: DataFrame, aggregates: dict[str, tuple[str, dict[str, Any]]], score: str, **options: Any
) -> pl.DataFrame:
    columns = [
        getattr(pauc, name)("label", score, **keywords, **options).alias(alias)
        for alias, (name, keywords) in aggregates.items()
    ]
    return pl.DataFrame(frame.groupBy("segment").agg(*columns).toArrow()).sort("segment")


@pytest.fixture(scope="module")
def answers(frame: DataFrame) -> pl.DataFrame:
    return on_spark(frame, CASES, "score")


def test_every_function_has_a_case() -> None:
    cases = {name for name, _ in (CASES | PROBABILITY_CASES).values()} | {
        "group_states",
        "merge_states",
        "report",
    }
    assert cases == set(pauc.__all__)


@pytest.mark.parametrize("case", CASES)
def test_aggregates_are_the_expressions(
    case: str, answers: pl.DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    same(answers.select("segment", case), local(rows, {case: CASES[case]}, "score"))


def test_aggregates_of_probabilities(frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]) -> None:
    got = on_spark(frame, PROBABILITY_CASES, "probability")
    same(got, local(rows, PROBABILITY_CASES, "probability"))


SCORE_AGGREGATES: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {}) for name in ("ks_statistic", "roc_summary", "operating_point", "roc_state")
} | {"confusion_at": ("confusion_at", {"at": 1})}


@pytest.mark.parametrize(
    ("score", "score_type"),
    [
        ("integer", T.LongType()),
        ("decimal", T.DecimalType(20, 2)),
        ("small", T.FloatType()),
        ("flag", T.BooleanType()),
    ],
)
def test_scores_keep_their_type(
    score: str, score_type: Any, frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    plain = ["roc_auc", "roc_auc_ci"]
    others: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in plain}
    aggregates = dict(SCORE_AGGREGATES)
    if score == "flag":
        del aggregates["confusion_at"]
    same(on_spark(frame, aggregates, score, score_type=score_type), local(rows, aggregates, score))
    same(on_spark(frame, others, score), local(rows, others, score))


def test_columns_of_spark(frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]) -> None:
    got = frame.groupBy("segment").agg(pauc.roc_auc_ci(F.col("label") == 1, -F.col("score")).alias("score"))
    expected = rows.group_by("segment").agg(pa.roc_auc_ci("label", -pl.col("score")))
    same(pl.DataFrame(got.toArrow()).sort("segment"), expected.sort("segment"))


def test_states_are_merged_and_answered(
    frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]
) -> None:
    days = frame.groupBy("segment", "day").agg(pauc.roc_state("label", "score").alias("state"))
    got = days.groupBy("segment").agg(
        pauc.merge_states("state").alias("whole"),
        pauc.merge_states("state", max_bins=16).alias("few"),
        pauc.roc_summary(state="state").alias("summary"),
        pauc.gini(state="state").alias("number"),
    )
    gini = pl.struct(
        pa.gini("label", "score").alias("gini"),
        *(pa.roc_auc_ci("label", "score").struct.field(field) for field in ("n_pos", "n_neg")),
    )
    expected = rows.group_by("segment").agg(
        whole=pa.roc_state("label", "score"),
        few=pa.roc_state("label", "score", max_bins=16),
        # States do not have the number of unlabelled rows.
        summary=pa.roc_summary("label", "score").struct.with_fields(
            pl.lit(None, dtype=pl.UInt64).alias("n_unlabelled")
        ),
        number=gini,
    )
    same(pl.DataFrame(got.toArrow()).sort("segment"), expected.sort("segment"))


def test_an_integer_state(frame: DataFrame, rows: pl.DataFrame, same: Callable[..., None]) -> None:
    long = T.LongType()
    days = frame.groupBy("day").agg(pauc.roc_state("label", "integer", score_type=long).alias("state"))
    got = days.agg(pauc.merge_states("state", score_type=long).alias("state"))
    same(got, rows.select(state=pa.roc_state("label", "integer")))
    with pytest.raises(
        PythonException, match=r"merge_states: state 'state' has scores .* score_type=LongType\(\)"
    ):
        days.agg(pauc.merge_states("state")).collect()


@pytest.mark.parametrize("label", [2, -1])
def test_another_number_as_label_is_refused(label: int, frame: DataFrame) -> None:
    wrong = frame.withColumn("label", F.lit(label))
    message = f'roc_auc: label "label" contains {label}, expected Booleans, or integers or floats'
    with pytest.raises(PythonException, match=message):
        wrong.groupBy("segment").agg(pauc.roc_auc("label", "score")).collect()
    with pytest.raises(PythonException, match=f'report: label "label" contains {label}, expected Booleans'):
        pauc.report(wrong, "label", "score", by="segment").collect()
    with pytest.raises(
        PythonException, match=f'group_states: label "label" contains {label}, expected Booleans'
    ):
        pauc.group_states(wrong, "label", "score").collect()


def test_a_label_of_text_is_refused(frame: DataFrame) -> None:
    text = frame.withColumn("label", F.lit("bad"))
    with pytest.raises(PythonException, match='roc_auc_ci: label "label" has dtype str'):
        text.agg(pauc.roc_auc_ci("label", "score")).collect()


def test_another_type_of_score_is_refused(frame: DataFrame) -> None:
    message = r"ks_statistic: score 'integer' has scores of the type LongType\(\), but the result is declared"
    with pytest.raises(PythonException, match=message):
        frame.agg(pauc.ks_statistic("label", "integer")).collect()


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: pauc.roc_auc_ci("y", "s", level=2),
        ValueError,
        "roc_auc_ci: level must lie between 0 and 1, such as 0.95, got 2",
    ),
    (
        lambda: pauc.roc_auc_ci("y", "s", method="wald"),
        ValueError,
        "roc_auc_ci: method must be one of 'wilson', 'delong'",
    ),
    (lambda: pauc.roc_auc("y"), TypeError, "roc_auc: missing score. Hint: pass"),
    (lambda: pauc.roc_auc("y", "s", colour=3), TypeError, "unexpected keyword argument 'colour'"),
    (
        lambda: pauc.roc_state("y", "s", max_bins=3),
        ValueError,
        "roc_state: max_bins must be an integer from 16",
    ),
    (lambda: pauc.gini("y", "s", state="day"), ValueError, "gini: state and label"),
    (
        lambda: pauc.gini(pl.col("y"), "s"),
        TypeError,
        "gini: label must be a column name or a Column of Spark, got polars.expr.expr.Expr. Hint: write",
    ),
    (
        lambda: pauc.gini("y", "s", score_type=T.LongType()),
        ValueError,
        "gini: score_type is for results that contain scores, and this result has none. Hint: leave it out",
    ),
    (
        lambda: pauc.roc_state("y", "s", score_type="double"),
        TypeError,
        r"roc_state: score_type must be a type of Spark, such as DoubleType\(\), got 'double'",
    ),
    (
        lambda: pauc.roc_state("y", "s", score_type=T.StringType()),
        TypeError,
        "roc_state: score_type must be numeric or Boolean",
    ),
]


@pytest.mark.parametrize(("written", "error", "message"), WRONG)
def test_wrong_options_are_refused_at_once(
    written: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        written()


def test_names_and_texts() -> None:
    assert pauc.roc_auc_ci.__name__ == "roc_auc_ci"
    assert "polars_auc.roc_auc_ci" in str(pauc.roc_auc_ci.__doc__)
