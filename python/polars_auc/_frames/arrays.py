"""Evaluation without a frame: arrays, lists and Series, and a scorer for scikit-learn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import polars as pl

from polars_auc._expressions.calibration import brier_score, log_loss
from polars_auc._expressions.curves import roc_curve
from polars_auc._expressions.intervals import roc_summary
from polars_auc._frames.curve_points import curve_points
from polars_auc._frames.inputs import called
from polars_auc._frames.scores import refuse_nan
from polars_auc._plugin.errors import OptionError, OptionTypeError
from polars_auc._plugin.options import type_name
from polars_auc._plugin.warning import warn

_EXAMPLE = "evaluate(y, model.predict_proba(X)[:, 1])"

# Number of points of a curve: more are invisible.
_POINTS = 1000


class Evaluation(NamedTuple):
    """The main results for a label and a score: those of :func:`polars_auc.roc_summary`, and two losses.

    An undefined result is None.
    """

    auc: float | None
    """The area under the ROC curve, from 0 to 1."""
    se: float | None
    """Its standard error."""
    lower: float | None
    """The lower limit of its interval."""
    upper: float | None
    """The upper limit of its interval."""
    gini: float | None
    """``2 auc - 1``."""
    gini_lower: float | None
    """The lower limit of its interval."""
    gini_upper: float | None
    """The upper limit of its interval."""
    ks: float | None
    """The largest distance between the ROC curve and the diagonal, from 0 to 1."""
    average_precision: float | None
    """The mean, over positives, of the precision at their score."""
    best_threshold: Any
    """The score at which ``tpr - fpr`` is largest."""
    prevalence: float | None
    """The share of positives."""
    n: int
    """The number of rows used."""
    n_missing: int
    """The number of rows skipped because the label or the score is missing."""
    n_unlabelled: int
    """The skipped rows in which only the label is missing."""
    n_pos: int
    """The number of positives used."""
    n_neg: int
    """The number of negatives used."""
    brier_score: float | None = None
    """The mean squared error of scores that are probabilities."""
    log_loss: float | None = None
    """The mean logarithmic loss of scores that are probabilities."""


@called("evaluate")
def evaluate(
    label: Iterable[Any],
    score: Iterable[Any],
    *,
    weight: Iterable[Any] | None = None,
    ci: Literal["wilson", "delong", "logit", "hanley_mcneil", "obuchowski", "bootstrap"] = "wilson",
    level: float = 0.95,
    nan: Literal["skip"] | None = None,
) -> Evaluation:
    """Return the main results for a label and a score that are arrays, lists or Series.

    :func:`polars_auc.plot_roc` supports arrays as well. The other functions require column names or
    expressions: put the arrays into a frame first, as in ``pl.DataFrame({"label": y, "score": s})``.

    Parameters
    ----------
    label
        Booleans, or integers or floats that are 0 and 1: a list, an array of NumPy, a Series of Polars or
        pandas, or anything else that Polars can convert to a Series.
    score
        Numbers, one for each label; higher means more positive. Compared in their own dtype. Series of
        pandas must have equal indexes.
    weight
        The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are
        skipped.
    ci
        The method of the interval: see :func:`polars_auc.roc_auc_ci`.
    level
        The confidence level, between 0 and 1.
    nan
        With ``"skip"``, NaN scores count as missing.

    Returns
    -------
    Evaluation
        A named tuple with the fields of :func:`polars_auc.roc_summary`: ``auc``, ``se``, ``lower``,
        ``upper``, ``gini``, ``gini_lower``, ``gini_upper``, ``ks``, ``average_precision``,
        ``best_threshold``, ``prevalence``, ``n``, ``n_missing``, ``n_unlabelled``, ``n_pos`` and ``n_neg``;
        and ``brier_score`` and ``log_loss``, if the scores are floats from 0 to 1.
        Undefined results are None. None, and NA of pandas, is missing. NaN is an invalid value in lists,
        NumPy, pandas and Polars alike. If a score is NaN, the results are NaN, and a warning counts the rows.
        A NaN label or weight is an error.

    Notes
    -----
    O(n log n).

    Examples
    --------
    >>> import polars_auc as pa
    >>> result = pa.evaluate([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9])
    >>> round(result.auc, 4), round(result.lower, 4), round(result.upper, 4), round(result.ks, 4), result.n
    (0.8889, 0.2856, 0.9939, 0.6667, 6)
    """
    refuse_nan("evaluate", nan)
    others = {"score": score} | ({} if weight is None else {"weight": weight})
    series = _columns("evaluate", label, others)
    if nan is not None and series["score"].dtype.is_float():
        series["score"] = series["score"].fill_nan(None)
    frame = pl.DataFrame(series)
    weight_column = None if weight is None else "weight"
    summary = roc_summary("label", "score", weight=weight_column, ci=ci, level=level)
    losses = {
        name: loss("label", "score", weight=weight_column).struct.field(name)
        for name, loss in (("brier_score", brier_score), ("log_loss", log_loss))
        if series["score"].dtype.is_float() and series["score"].is_between(0, 1).all()
    }
    try:
        answer = Evaluation(**frame.select(summary).item(), **(frame.select(**losses).to_dicts() or [{}])[0])
    except pl.exceptions.PolarsError as error:
        raise type(error)(_for_arrays(str(error))) from None
    if answer.auc is not None and math.isnan(answer.auc):
        # Rows without a label or a weight are skipped, also if their score is NaN.
        is_used = [pl.col("label").is_not_null(), *([] if weight is None else [pl.col("weight") > 0])]
        n = frame.filter(pl.col("score").is_nan(), *is_used).height
        rows = f"{n:,} row{'' if n == 1 else 's'}"
        warn(f'evaluate: score is NaN in {rows}, and so are the numbers; nan="skip" takes NaN for missing')
    return answer


def _for_arrays(text: str) -> str:
    """Replace column names in an error message: there is no frame."""
    return re.sub(r'pl\.col\("(label|score|weight)"\)', r"pl.Series(\1)", text)


def _columns(function: str, label: Any, others: Mapping[str, Any]) -> dict[str, pl.Series]:
    """Return a label, scores and weights as columns of equal length."""
    columns = {"label": label, **others}
    indexes = {role: values.index for role, values in columns.items() if _is_of_pandas(values)}
    series = {role: _column(function, role, values) for role, values in columns.items()}
    for role, column in series.items():
        if len(column) != len(series["label"]):
            reason = f"has {len(column)} values, and `label` has {len(series['label'])}"
            raise OptionError(function, role, reason, "give as many of both")
    if not (series["label"].dtype.is_numeric() or series["label"].dtype in (pl.Boolean, pl.Null)):
        reason = f"must be Booleans or 0 and 1, got {series['label'].dtype}"
        # A comparison would count missing labels and unknown words as negative.
        hint = (
            'name both classes, as in pl.Series(y).replace_strict({"yes": True, "no": False}, '
            "return_dtype=pl.Boolean)"
        )
        raise OptionTypeError(function, "label", reason, hint)
    # Pandas itself would align them: their order may differ from what the user expects.
    first, *rest = indexes or [""]
    for role in rest:
        if not indexes[role].equals(indexes[first]):
            reason = f"and `{first}` are Series of pandas whose indexes differ"
            raise OptionError(function, role, reason, "align them, or write .to_numpy() to go by place")
    return series


def curves_of_arrays(
    function: str,
    label: Any,
    scores: Any,
    curve: Callable[..., pl.Expr],
    summary: Callable[..., pl.Expr] | None,
    needs: str,
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the points of the curves, and the summary of each, such as its AUC with interval."""
    if hasattr(scores, "columns") and hasattr(scores, "__getitem__"):
        scores = {str(name): scores[name] for name in scores.columns}
    arrays = dict(scores) if isinstance(scores, Mapping) else {"score": scores}
    if not arrays or not all(isinstance(name, str) and name != "label" for name in arrays):
        message = f"must be arrays by names other than 'label', got {list(arrays)}"
        raise OptionError(function, "scores", message, 'write {"forest": forest, "tree": tree}')
    frame = pl.DataFrame(_columns(function, label, arrays))
    try:
        options = {"max_points": _POINTS} if curve is roc_curve else {}
        points = curve_points(frame, [curve("label", name, **options) for name in arrays])
        summaries = summary and frame.select(summary("label", name).alias(name) for name in arrays)
    except pl.exceptions.PolarsError as error:
        raise type(error)(_for_arrays(str(error))) from None
    plotted = set(points["score"])
    labelled = frame.drop_nulls("label")
    for name in arrays:
        if name not in plotted:
            is_nan = labelled[name].dtype.is_float() and labelled[name].is_nan().any()
            reason = "a score is NaN" if is_nan else f"it needs {needs}"
            raise OptionError(function, "scores", f"{name!r} has no curve: {reason}", "leave it out")
    if summaries is None:
        return points, None
    return points, pl.concat(
        summaries.select(pl.lit(name).alias("score"), pl.col(name).alias("area")) for name in arrays
    ).unnest("area")


def _is_of_pandas(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "index")


def plain_values(values: Any) -> Any:
    """Return values that keep the NaN of a pandas Series, which Polars reads as null; objects become a list.

    Only NA of a pandas dtype is missing there.
    """
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if kind == "O" and hasattr(values, "tolist"):
        return [None if type(value).__name__ == "NAType" else value for value in values.tolist()]
    if not _is_of_pandas(values):
        return values
    # NumPy dtypes have no NA.
    is_numpy = type(values.dtype).__module__.partition(".")[0] == "numpy"
    return values.to_numpy() if kind == "f" and is_numpy else values


def _column(function: str, role: str, values: Any) -> pl.Series:
    """Convert values to a column of their own dtype."""
    kind = type_name(values)
    if isinstance(values, str | bytes | pl.Expr | pl.DataFrame | pl.LazyFrame):
        hint = "of a frame's columns write frame.select(roc_summary(label, score))"
        raise OptionTypeError(function, role, f"must be an array, a list or a Series, got {kind}", hint)
    shape = getattr(values, "shape", (0,))
    if len(shape) != 1:
        reason = f"must have one dimension, got the shape {tuple(shape)}"
        raise OptionError(function, role, reason, f"write one column of it, as in {_EXAMPLE}")
    try:
        values = plain_values(values)
        if isinstance(values, list | tuple):
            values = _alike(values)
        elif kind.startswith("numpy.ma."):
            # Older Polars ignores the mask.
            values = values.tolist()
        column = pl.Series(role, values)
        return pl.Series(role, list(values)) if column.dtype == pl.Object else column
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        reason = f"must be an array, a list or a Series of numbers, got {kind}"
        raise OptionTypeError(function, role, reason, f"write {_EXAMPLE}") from error


def _alike(values: list[Any] | tuple[Any, ...]) -> list[Any]:
    """Convert values of mixed types to floats, if the conversion is exact."""
    present = [value for value in values if value is not None]
    if len(set(map(type, present))) < 2:
        return list(values)
    numbers = [float(value) for value in present]
    if any(one != value and value == value for one, value in zip(numbers, present, strict=True)):
        raise TypeError
    return [None if value is None else float(value) for value in values]


@called("evaluate_estimator")
def evaluate_estimator(estimator: Any, features: Any, label: Any) -> dict[str, float]:
    """Return the results of :func:`evaluate` for a classifier: a scorer for scikit-learn.

    Write ``cross_validate(model, X, y, scoring=pa.evaluate_estimator)``. Each result is then an array
    ``test_auc``, ``test_ks`` and so on, with a value for each fold.

    Parameters
    ----------
    estimator
        A fitted classifier of two classes, with ``decision_function`` or ``predict_proba``. If it has both,
        ``decision_function`` returns the score, as for the scorers of scikit-learn.
    features
        The features of the rows.
    label
        The class of each row.

    Returns
    -------
    dict
        The fields of :func:`evaluate` as floats, with NaN for None. The second class of
        ``estimator.classes_`` is positive, and its score is used.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> import polars_auc as pa
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(300) < 0.3
    >>> X = rng.standard_normal((300, 2)) + y[:, None]
    >>> folds = cross_validate(LogisticRegression(), X, y, scoring=pa.evaluate_estimator)
    >>> folds["test_auc"].round(3).tolist(), folds["test_n_pos"].tolist()
    ([0.855, 0.844, 0.849, 0.834, 0.864], [15.0, 15.0, 15.0, 15.0, 16.0])
    """
    import numpy as np

    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != 2:
        got = "an estimator without classes_" if classes is None else f"{len(classes)} classes"
        msg = f"evaluate_estimator: the estimator must be a fitted classifier of two classes, got {got}"
        raise ValueError(msg)
    if hasattr(estimator, "decision_function"):
        score = np.asarray(estimator.decision_function(features))
    elif hasattr(estimator, "predict_proba"):
        score = np.asarray(estimator.predict_proba(features))[:, 1]
    else:
        msg = (
            "evaluate_estimator: the estimator has neither decision_function nor predict_proba, got "
            f"{type(estimator).__name__}"
        )
        raise TypeError(msg)
    answer = evaluate(np.asarray(label) == classes[1], score)
    return {name: math.nan if value is None else float(value) for name, value in answer._asdict().items()}
