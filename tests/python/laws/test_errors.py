"""The messages of errors."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import polars_auc as pa

FRAME = pl.DataFrame({"g": [1, 1, 2, 2], "y": [0, 1, 1, 0], "s": [1.0, 2.0, 3.0, 4.0]})


@pytest.mark.parametrize("column", [1, 0.5, ["y"], {"y": 1}], ids=repr)
def test_columns_of_another_type(column: Any) -> None:
    with pytest.raises(
        TypeError, match=r"roc_auc: label must be .* got \w+. Hint: write frame.select\(roc_auc\("
    ):
        pa.roc_auc(column, "s")
    with pytest.raises(TypeError, match="roc_auc: score must be"):
        pa.roc_auc("y", column)


@pytest.mark.parametrize("column", [FRAME["y"], np.array([0, 1]), [0, 1], (0.5,)], ids=repr)
def test_values_in_place_of_columns(column: Any) -> None:
    write = re.escape(
        'write pl.DataFrame({"label": label, "score": score}).select(roc_auc("label", "score")); '
        "of arrays, evaluate(label, score) gives the AUC"
    )
    with pytest.raises(TypeError, match=rf"roc_auc: label must be .* got \w+. Hint: {write}"):
        pa.roc_auc(column, "s")


@pytest.mark.parametrize(
    "level",
    [
        0,
        1,
        -0.5,
        10**400,
        -(10**400),
        Decimal("NaN"),
        Decimal("sNaN"),
        1j,
        95,
        float("nan"),
        "0.95",
        True,
        None,
    ],
)
def test_levels(level: Any) -> None:
    with pytest.raises(ValueError, match="roc_auc_ci: level must lie between 0 and 1, such as"):
        pa.roc_auc_ci("y", "s", level=level)


def test_decimals_are_numbers() -> None:
    for level in (Decimal("0.9"), Fraction(9, 10), np.float64(0.9)):
        assert FRAME.select(pa.roc_auc_ci("y", "s", level=level)).equals(  # type: ignore[arg-type]
            FRAME.select(pa.roc_auc_ci("y", "s", level=0.9))
        )


@pytest.mark.parametrize("huge", [10**400, -(10**400), 10**5000], ids=int.bit_length)
def test_numbers_beyond_floats(huge: int) -> None:
    for call in (
        lambda: pa.roc_auc("y", "s", max_fpr=huge),
        lambda: pa.operating_point("y", "s", criterion="cost", cost=huge),
        lambda: pa.operating_point("y", "s", criterion="target_fpr", target=huge),
        lambda: pa.tpr_at_fpr("y", "s", huge),
        lambda: pa.roc_curve("y", "s", at_fpr=[huge]),
        lambda: pa.compare_scores("y", "s", "g", reference=huge),
        lambda: pa.gains_table("y", "s", bands=huge),
        lambda: pa.roc_auc_sample_size("s", ratio=huge),
        lambda: pa.roc_auc_power("s", "s", "s", alpha=huge),
        lambda: pa.cv_roc_auc_difference("y", "s", "g", "g", test_train_ratio=huge),
        lambda: pa.roc_auc_ci("y", "s", method="bootstrap", seed=huge),
        lambda: pa.roc_band("y", "s", n_points=huge),
        lambda: pa.report(FRAME, "y", "s", level=huge),
        lambda: pa.compare_segments(FRAME, "y", "s", "g", level=huge),
        lambda: pa.compare_segments(FRAME, "y", "s", "g", versus=huge),
    ):
        with pytest.raises(ValueError, match=r"got an integer of \d+ (bits|digits)"):
            call()
    assert FRAME.select(pa.confusion_at("y", "s", huge)).height == 1


def test_flags_are_truth_values() -> None:
    calls: tuple[Callable[[Any], pl.DataFrame], ...] = (
        lambda flag: FRAME.select(pa.mann_whitney_u("y", "s", continuity=flag)),
        lambda flag: FRAME.select(pa.roc_curve("y", "s", drop_intermediate=flag)),
        lambda flag: FRAME.select(pa.roc_auc("y", "s", standardized=flag, max_fpr=0.5)),
        lambda flag: FRAME.select(pa.roc_auc_ci("y", "s", standardized=flag, max_fpr=0.5)),
        lambda flag: pa.report(FRAME, "y", ["s", "g"], compare=flag),
        lambda flag: pa.report(FRAME, "y", "s", low_is_positive=flag),
        lambda flag: pa.report(FRAME.with_columns(pl.col("s") / 10), "y", "s", calibration=flag),
        lambda flag: FRAME.select(pa.ordinal_roc_auc("y", "s", pairs=flag)),
        lambda flag: FRAME.select(pa.ordinal_roc_auc_ci("y", "s", pairs=flag)),
        lambda flag: FRAME.select(pa.gains_table("y", "s", calibration=flag)),
        lambda flag: FRAME.select(pa.gini_index("y", "s", points=flag)),
        lambda flag: FRAME.select(pa.calibration_summary("y", pl.col("s") / 10, fitted=flag)),
        lambda flag: FRAME.select(pa.pack_state(pa.roc_state("y", "s"), keep_scores=flag)),
        lambda flag: pl.DataFrame(schema={"p": pl.Binary}).select(pa.unpack_state("p", weights=flag)),
    )
    for call in calls:
        for wrong in ("False", "True", 0, 1, None, [], [True], pl.lit(value=True)):
            with pytest.raises(ValueError, match=r"must be True or False(, or \"always\")?, got"):
                call(wrong)
        for right in (True, False):
            assert call(np.bool_(right)).equals(call(right))


def test_every_flag_is_checked() -> None:
    """Every flag of every function is tested above, or in the tests of charts."""
    flags = [
        (name, option)
        for name in pa.__all__
        if callable(function := getattr(pa, name))
        for option, parameter in inspect.signature(function).parameters.items()
        if isinstance(parameter.default, bool)
    ]
    assert sorted(flags) == [
        ("calibration_summary", "fitted"),
        ("gains_table", "calibration"),
        ("gini_index", "points"),
        ("mann_whitney_u", "continuity"),
        ("ordinal_roc_auc", "pairs"),
        ("ordinal_roc_auc_ci", "pairs"),
        ("pack_state", "keep_scores"),
        ("plot_calibration", "distribution"),
        ("plot_calibration", "tooltip"),
        ("plot_coverage", "tooltip"),
        ("plot_curve", "tooltip"),
        ("plot_difference", "tooltip"),
        ("plot_net_benefit", "tooltip"),
        ("plot_roc", "tooltip"),
        ("report", "calibration"),
        ("report", "compare"),
        ("report", "low_is_positive"),
        ("roc_auc", "standardized"),
        ("roc_auc_ci", "standardized"),
        ("roc_curve", "drop_intermediate"),
        ("unpack_state", "weights"),
        ("write_report", "keep_formulas"),
        ("write_report", "low_is_positive"),
    ]


def test_the_largest_seed() -> None:
    largest = 2**63 - 1
    draws: tuple[tuple[Callable[..., pl.Expr], tuple[Any, ...], dict[str, Any]], ...] = (
        (pa.roc_auc_ci, ("y", "s"), {"method": "bootstrap", "n_resamples": 5}),
        (pa.roc_summary, ("y", "s"), {"ci": "bootstrap", "n_resamples": 5}),
        (pa.tpr_at_fpr, ("y", "s", 0.5), {"n_resamples": 5}),
        (pa.fpr_at_tpr, ("y", "s", 0.5), {"n_resamples": 5}),
        (pa.roc_auc_difference, ("y", "s", "g"), {"method": "bootstrap", "n_resamples": 5}),
        (pa.roc_band, ("y", "s"), {"n_resamples": 5}),
        (pa.roc_difference_band, ("y", "s", "g"), {"n_resamples": 5}),
        (pa.roc_curve_difference, ("y", "s", "g"), {"n_permutations": 5}),
    )
    for function, columns, options in draws:
        assert FRAME.select(function(*columns, seed=largest, **options)).height == 1
        message = f"seed must be an integer from 0 to {largest}, got"
        for wrong in (largest + 1, float(largest), -1, "1", True):
            with pytest.raises(ValueError, match=message):
                function(*columns, seed=wrong, **options)


def test_words() -> None:
    with pytest.raises(
        ValueError,
        match="mann_whitney_u: alternative must be one of 'two-sided', 'greater', 'less', got 'both'",
    ):
        pa.mann_whitney_u("y", "s", alternative="both")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"roc_auc_ci: method must be one of 'wilson', 'delong', .*, got 'wald'"
    ):
        pa.roc_auc_ci("y", "s", method="wald")  # type: ignore[arg-type]
    for wrong in (np.array(["delong", "logit"]), pl.lit("delong"), ["delong"], {"delong"}):
        with pytest.raises(ValueError, match="roc_auc_ci: method must be one of"):
            pa.roc_auc_ci("y", "s", method=wrong)  # type: ignore[arg-type]


def test_positional_options_are_refused() -> None:
    with pytest.raises(TypeError):
        pa.roc_auc_ci("y", "s", "delong")  # type: ignore[call-arg]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lengths(engine: Any) -> None:
    uneven = pa.roc_auc("y", pl.col("s").filter(pl.col("s") > 1))
    message = 'roc_auc: label "y" has 2 rows but score "s" has 1 in the same group'
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        FRAME.lazy().group_by("g").agg(uneven).collect(engine=engine)
    message = 'label "y" has 4 rows but score "s" has 1 '
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        FRAME.lazy().select(pa.roc_auc("y", pl.col("s").mean())).collect(engine=engine)
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        FRAME.lazy().select(pa.roc_auc("y", pl.lit(1.0).alias("s"))).collect(engine=engine)


def test_a_literal_series_serves_every_group() -> None:
    got = FRAME.group_by("g", maintain_order=True).agg(
        pa.roc_auc("y", pl.lit(pl.Series("s", [7, 8]))).alias("auc")
    )
    assert got["auc"].to_list() == [1.0, 0.0]


def test_missing_columns_are_an_error_of_polars() -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="z"):
        FRAME.select(pa.roc_auc("y", "z"))


def test_labels_of_nan_are_left_out_and_not_negative() -> None:
    nan = FRAME.with_columns(y=pl.Series([0.0, 1.0, float("nan"), 0.0]))
    message = r'label "y" contains NaN, .*Hint: to leave out such rows, write pl.col\("y"\).fill_nan\(None\)$'
    with pytest.raises(pl.exceptions.ComputeError) as raised:
        nan.select(pa.roc_auc("y", "s"))
    assert re.search(message, str(raised.value).splitlines()[0])
    assert nan.select(pa.roc_auc(pl.col("y").fill_nan(None), "s")).item() == 0.5


@pytest.mark.parametrize(
    ("label", "message"),
    [
        (
            [1, 2, 1, 1],
            'class: pl.col("y") == 1 or pl.col("y") == 2 (2 is the rarer); the order of arguments',
        ),
        (
            [0.0, 2.0, None, 2.0],
            'pl.col("y").fill_nan(None) == 0 or pl.col("y").fill_nan(None) == 2 (0 is the rarer); the order',
        ),
        (
            [5, 3, 3, 5],
            'class: pl.col("y") == 3 or pl.col("y") == 5; the order of arguments',
        ),
        ([7, None, 7, 7], 'name the positive class: pl.col("y") == 7; the order of arguments'),
        ([2, 0, 1, -1], 'name the positive class: pl.col("y") == ... with one of -1, 0, 1, 2; the order'),
        (
            [0.0, 0.25, 1.0, 1.0],
            "looks like a score; the order of arguments is (label, score)",
        ),
        (list(range(11)), "looks like a score; the order of arguments is (label, score)"),
    ],
)
def test_which_value_of_a_label_is_positive_is_not_decided(label: list[Any], message: str) -> None:
    rows = pl.DataFrame({"y": label}).with_columns(s=pl.int_range(pl.len()))
    with pytest.raises(pl.exceptions.ComputeError, match=re.escape(message)):
        rows.select(pa.roc_auc("y", "s"))


def test_scores_that_hold_several_numbers() -> None:
    """Test the list columns of predict_proba and implode()."""
    lists = FRAME.with_columns(p=pl.concat_list("g", "s"))
    arrays = lists.with_columns(p=pl.col("p").cast(pl.Array(pl.Float64, 2)))
    structs = FRAME.with_columns(p=pl.struct("s"))
    for frame, message in (
        (lists, "list.get(1)"),
        (arrays, "arr.get(1)"),
        (structs, 'struct.field("score")'),
    ):
        with pytest.raises(pl.exceptions.ComputeError, match=re.escape(f'pl.col("p").{message}')):
            frame.select(pa.roc_auc("y", "p"))


class _Endless:
    def __iter__(self) -> Iterator[int]:
        return itertools.count()


UNTYPED: Any = pa


@pytest.mark.parametrize(
    ("write", "message"),
    [
        # Text outside of UTF-8 caused all options to be ignored.
        (lambda: UNTYPED.adjust_p_values("p", method="\ud800"), r"method must be one of .*, got '.*ud800'"),
        (lambda: UNTYPED.roc_state("y", "s", max_bins="\ud800"), "max_bins must be an integer"),
        (
            lambda: UNTYPED.roc_auc_ci("y", "s", level=_Endless()),
            r"level must lie between 0 and 1, .* got <",
        ),
        (
            lambda: UNTYPED.roc_auc_ci("y", "s", level=[[0.5]]),
            r"level must lie between 0 and 1, .* got \[",
        ),
        (
            lambda: UNTYPED.gains_table("y", "s", bands=np.array(5)),
            r"bands must be an integer .*, got array\(5\)",
        ),
        (lambda: UNTYPED.roc_auc_ci("y", "s", level={"$digits": "0.25"}), "level must lie between 0 and 1"),
        (lambda: UNTYPED.roc_auc_ci("y", "s", method="`level=1`"), "got '`level=1`'"),
    ],
)
def test_values_that_no_option_has(write: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write()
