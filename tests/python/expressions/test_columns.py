"""Functions of whole columns, and options and keys of expressions."""

from __future__ import annotations

import datetime
import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, norm

import polars_auc as pa
from catalogue.cases import examples, fixed
from oracles import planning as oracles
from oracles.rows import placements

ENGINES = pytest.mark.parametrize("engine", ["in-memory", "streaming"])


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=20))
@examples(50)
def test_adjusted_p_values(p: list[float]) -> None:
    frame = pl.DataFrame({"p": p})
    holm = [
        min(1.0, max((len(p) - sorted(p).index(q)) * q for q in p if q <= value)) for value in p
    ]  # ties share the first rank, whose factor is the largest
    expected = {
        "bonferroni": [min(1.0, len(p) * value) for value in p],
        "holm": holm,
        "bh": list(false_discovery_control(p, method="bh")),
        "by": list(false_discovery_control(p, method="by")),
    }
    for method, values in expected.items():
        got = frame.select(pa.adjust_p_values("p", method=method)).to_series().to_list()  # type: ignore[arg-type]
        assert all(
            math.isclose(g, v, rel_tol=1e-12, abs_tol=1e-300) for g, v in zip(got, values, strict=True)
        )
    assert frame.select(pa.adjust_p_values("p", method=None)).to_series().to_list() == p


@given(
    p=st.lists(st.sampled_from([0.0, 1e-12, 0.001, 0.02, 0.02, 0.3, 0.9, 1.0]) | st.floats(0, 1), max_size=7)
)
@examples(50)
def test_hommel_is_the_closed_test_of_simes(p: list[float]) -> None:
    """A hypothesis is rejected if Simes' test rejects each set that contains it."""

    def simes(values: list[float]) -> float:
        return min(len(values) * value / rank for rank, value in enumerate(sorted(values), start=1))

    places = range(len(p))
    sets = [some for size in places for some in itertools.combinations(places, size + 1)]
    expected = [max(simes([p[i] for i in some]) for some in sets if place in some) for place in places]
    got = pl.DataFrame({"p": p}, {"p": pl.Float64}).select(pa.adjust_p_values("p", method="hommel"))
    assert got.to_series().to_list() == pytest.approx(expected, rel=1e-12, abs=1e-300)


@given(p=st.lists(st.floats(0, 1), max_size=9))
@examples(50)
def test_hochberg_and_sidak(p: list[float]) -> None:
    frame = pl.DataFrame({"p": p}, {"p": pl.Float64})

    def adjusted(method: Any) -> list[float]:
        return frame.select(pa.adjust_p_values("p", method=method)).to_series().to_list()

    # Ties share the last rank, whose factor is the smallest.
    hochberg = [min((sum(r > q for r in p) + 1) * q for q in p if q >= value) for value in p]
    assert adjusted("hochberg") == pytest.approx(hochberg, rel=1e-12)
    assert adjusted("sidak") == pytest.approx([1 - (1 - q) ** len(p) for q in p], rel=1e-9, abs=1e-12)
    steps = [max(1 - (1 - q) ** sum(r >= q for r in p) for q in p if q <= value) for value in p]
    assert adjusted("holm-sidak") == pytest.approx(steps, rel=1e-9, abs=1e-12)


def test_other_names_of_adjustments() -> None:
    frame = pl.DataFrame({"p": [0.01, 0.02, 0.04]})
    for name, name_here in (
        ("BH", "bh"),
        ("fdr_bh", "bh"),
        ("fdr", "bh"),
        ("BY", "by"),
        ("simes-hochberg", "hochberg"),
    ):
        methods: Any = (name, name_here)
        one, other = (frame.select(pa.adjust_p_values("p", method=method)) for method in methods)
        assert one.equals(other)
    with pytest.raises(ValueError, match="adjust_p_values: method must be one of 'holm', 'hochberg'"):
        pa.adjust_p_values("p", method="tukey")  # type: ignore[arg-type]


@ENGINES
def test_adjusted_by_group(engine: Any) -> None:
    frame = pl.DataFrame({"g": [1, 1, 2, 2, 2], "p": [0.01, None, 0.02, float("nan"), 0.5]})
    plan = frame.lazy().with_columns(q=pa.adjust_p_values("p").over("g"))
    got = plan.collect(engine=engine)["q"].to_list()
    assert got[:3] == [0.01, None, 0.04]
    assert math.isnan(got[3])
    assert got[4] == 0.5
    assert plan.collect_schema()["q"] == pl.Float64
    lists = (
        frame.lazy().group_by("g", maintain_order=True).agg(pa.adjust_p_values("p")).collect(engine=engine)
    )
    assert lists["p"].list.len().to_list() == [2, 3]
    floats = pl.DataFrame({"p": [0.01, None, 0.04]})
    decimals = floats.select(pa.adjust_p_values(pl.col("p").cast(pl.Decimal(8, 6))))
    assert decimals.equals(floats.select(pa.adjust_p_values("p"))), "a Decimal is a number"
    with pytest.raises(pl.exceptions.ComputeError, match='adjust_p_values: p "p" has dtype str'):
        pl.DataFrame({"p": ["a"]}).select(pa.adjust_p_values("p"))
    with pytest.raises(pl.exceptions.ComputeError, match="p contains 2, but p-values lie between 0 and 1"):
        pl.DataFrame({"p": [0.5, 2.0]}).select(pa.adjust_p_values("p"))


@ENGINES
def test_power_row_by_row(engine: Any) -> None:
    frame = pl.DataFrame(
        {"auc": [0.6, 0.7, 0.5, 1.0, None], "m": [40, 40, 40, 40, 40], "n": [70, 0, 70, 70, 70]}
    )
    plan = frame.lazy().select(
        power=pa.roc_auc_power("auc", "m", "n"), size=pa.roc_auc_sample_size("auc", power=0.9, ratio=2)
    )
    got = plan.collect(engine=engine)
    assert got.schema == plan.collect_schema()
    assert got["power"].is_null().to_list() == [False, True, False, True, True]
    # The binormal variances of Obuchowski, Lieber and Wians, with their 1.414.
    a = 1.414 * norm.ppf(0.6)
    v = 0.0099 * math.exp(-a * a / 2) * ((5 * a * a + 8) + (a * a + 8) / 1.75)
    v0 = 0.0792 * (1 + 1 / 1.75)
    expected = norm.cdf((math.sqrt(40) * 0.1 - norm.isf(0.025) * math.sqrt(v0)) / math.sqrt(v))
    assert math.isclose(got["power"][0], expected, rel_tol=1e-12)
    assert got["size"].struct.field("n_pos").is_null().to_list() == [False, False, True, True, True]
    first = got["size"][0]
    assert math.isclose(first["n_neg"], 2 * first["n_pos"], rel_tol=1e-12)
    grouped = frame.group_by(pl.lit(1).alias("g")).agg(
        pa.roc_auc_power(pl.col("auc").mean(), pl.lit(40), pl.lit(70))
    )
    assert grouped.height == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pa.roc_auc_ci("y", "s", method="hanley_mcneil", cluster="c"), "cannot use clusters"),
        (
            lambda: pa.roc_auc_ci("y", "s", method="bootstrap", interval="bca", cluster="c"),
            "cannot use clusters",
        ),
        (
            lambda: pa.roc_auc_ci("y", "s", method="bootstrap", n_resamples=1),
            "n_resamples must be an integer from 2 to",
        ),
        (
            lambda: pa.roc_auc_ci("y", "s", method="bootstrap", n_resamples=True),
            "n_resamples must be an integer",
        ),
        (lambda: pa.roc_auc_ci("y", "s", method="bootstrap", seed=-1), "seed must be an integer from 0 to"),
        (
            lambda: pa.roc_auc_ci("y", "s", n_resamples=50, seed=1),
            "roc_auc_ci: n_resamples and seed apply to the bootstrap only, and method is 'wilson'",
        ),
        (lambda: pa.roc_auc_ci("y", "s", weight="w", seed=1), "seed applies to the bootstrap only"),
        (lambda: pa.roc_auc_ci("y", "s", interval="bca"), "interval applies to the bootstrap only"),
        (lambda: pa.roc_auc_difference("y", "s", "t", seed=1), "seed applies to the bootstrap only"),
        (lambda: pa.roc_summary("y", "s", seed=1), "and ci is 'wilson'. Hint: leave this out, or write ci="),
        (lambda: pa.roc_auc("y", "s", standardized=True), "standardized is for a part of the curve"),
        (lambda: pa.roc_auc("y", "s", standardized="always"), "standardized is for a part of the curve"),
        (
            lambda: pa.roc_auc("y", "s", max_fpr=0.5, min_tpr=0.5, standardized="always"),
            "which has no standardized form",
        ),
        (
            lambda: pa.cv_roc_auc("y", "s", "f", ties="zero"),
            "and method is 't'. Hint: write method=\"influence\"",
        ),
        (
            lambda: pa.cv_roc_auc("y", "s", "f", method="influence", ties="none"),  # type: ignore[arg-type]
            "ties must be one of 'half', 'zero', None, got 'none'",
        ),
        (
            lambda: pa.roc_auc_difference("y", "s", "t", at_fpr=0.1),
            'compares areas. Hint: take method="bootstrap"',
        ),
        (
            lambda: pa.roc_auc_difference("y", "s", "t", max_fpr=0.1, cluster="c"),
            'compares whole areas of clusters. Hint: take method="bootstrap"',
        ),
        (lambda: pa.roc_auc_ci("y", "s", max_fpr=0.1, cluster="c"), "cluster cannot be combined with a part"),
        (lambda: pa.roc_auc_ci("y", "s", max_fpr=0.1, weight="w"), "weight cannot be combined with a part"),
        (
            lambda: pa.roc_auc_ci("y", "s", max_fpr=0.1, method="obuchowski"),
            "method 'obuchowski' is not for a part of the curve. Hint: take \"logit\"",
        ),
        (
            lambda: pa.roc_auc_ci("y", "s", max_fpr=0.1, interval="bca"),
            "interval applies to the bootstrap only, and method is 'logit'",
        ),
        (
            lambda: pa.roc_auc_ci("y", "s", max_fpr=0.1, min_tpr=0.9),
            "for a range of fpr or of tpr. Hint: leave one",
        ),
        (lambda: pa.roc_auc_ci("y", "s", standardized=True), "standardized is for a part of the curve"),
        (
            lambda: pa.roc_auc_ci("y", "s", null=-0.1),
            "roc_auc_ci: null must be a number from 0 to 1, got -0.1",
        ),
        (lambda: pa.roc_auc_ci("y", "s", margin=0), "margin must lie between 0 and 1, such as 0.05, got 0"),
        (lambda: pa.roc_auc_ci("y", "s", alternative="higher"), "alternative must be one of 'two-sided'"),  # type: ignore[arg-type]
        (lambda: pa.roc_auc_difference("y", "s", "t", margin=1.5), "roc_auc_difference: margin must lie"),
        (lambda: pa.roc_auc_difference("y", "s", "t", margin=math.nan), "margin must lie between 0 and 1"),
        (lambda: pa.roc_auc_difference("y", "s", "t", null=math.inf), "null must be a number from -1 to 1"),
        (
            lambda: pa.compare_segments(pl.DataFrame({"y": [1], "s": [1], "g": [1]}), "y", "s", "g", null=9),
            "compare_segments: null must be a number from -1 to 1, got 9",
        ),
        (
            lambda: pa.unpaired_roc_auc_difference(0.8, 0.1, 0.7, 0.1, margin=-0.1),
            "unpaired_roc_auc_difference: margin must lie between 0 and 1",
        ),
        (lambda: pa.roc_auc_difference("y", "s", "t", method="bootstrap", at_fpr=2), "at_fpr must lie"),
        (
            lambda: pa.roc_auc_difference("y", "s", "t", method="bootstrap", at_fpr=0.1, at_tpr=0.9),
            "compare one thing at a time, got at_fpr, at_tpr",
        ),
        (
            lambda: pa.roc_auc_difference("y", "s", "t", method="bootstrap", max_fpr=0.5, at_tpr=0.5),
            "compare one thing at a time, got min_fpr and max_fpr, at_tpr",
        ),
        (
            lambda: pa.roc_auc_difference("y", "s", "t", method="bootstrap", min_fpr=0.3, max_fpr=0.2),
            "min_fpr must be below max_fpr",
        ),
        (lambda: pa.compare_scores("y", "s"), "expected two scores or more, got 1"),
        (
            lambda: pa.compare_scores("y", "s", "t", reference=2),
            "reference must be a score's place, from 0 to 1",
        ),
        (
            lambda: pa.roc_curve_difference("y", "s", "t", n_permutations=0),
            "n_permutations must be an integer",
        ),
        (lambda: pa.cv_roc_auc("y", "s", "f", method="z"), "method must be one of 't', 'influence'"),  # type: ignore[arg-type]
        (
            lambda: pa.cv_roc_auc_difference("y", "s", "t", "f", test_train_ratio=-1),
            "must be a finite number, 0 or more",
        ),
        (lambda: pa.roc_auc_sample_size("a", ratio=0), "ratio must be a finite number above 0"),
        (lambda: pa.roc_auc_sample_size("a", alpha=1), "alpha must lie between 0 and 1"),
        (lambda: pa.roc_auc_sample_size("a", power=1), "power must lie between 0 and 1"),
        (lambda: pa.roc_auc_sample_size("a", null=1), "null must lie between 0 and 1"),
        (lambda: pa.roc_auc_sample_size("a", width=0), "width must lie between 0 and 1"),
        (lambda: pa.roc_auc_sample_size("a", width=0.1, power=0.8), "width cannot be combined with power"),
        (lambda: pa.roc_auc_sample_size("a", width=0.1, null=0.7), "width cannot be combined with null"),
        (
            lambda: pa.roc_auc_sample_size("a", width=0.1, alternative="less"),
            "alternative must be 'two-sided' with width",
        ),
        (lambda: pa.roc_auc_power("a", "m", "n", null=0), "null must lie between 0 and 1"),
        (lambda: pa.roc_auc_power("a", "m", "n", alpha=5), "alpha must lie between 0 and 1"),
        (lambda: pa.roc_auc_difference_power("y", "s", "t", power=1), "power must lie between 0 and 1"),
        (lambda: pa.mann_whitney_u("y", "s", method="normal"), "method must be one of 'auto'"),  # type: ignore[arg-type]
    ],
)
def test_options(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("rate", ["fpr", "tpr"])
def test_bounds_that_are_none(rate: str) -> None:
    for low, high in ((0.5, 0.5), (0.5, 0.4), (-0.1, 0.5), (0.5, 1.1), (math.nan, 0.5)):
        with pytest.raises(ValueError, match=rf"^roc_auc: (min|max)_{rate} must (lie|be below)"):
            pa.roc_auc("y", "s", **{f"min_{rate}": low, f"max_{rate}": high})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="which has no standardized form"):
        pa.roc_auc("y", "s", max_fpr=0.5, min_tpr=0.5, standardized=True)


@pytest.mark.parametrize("option", ["max_fpr", "min_tpr", "at_fpr", "at_tpr", "null"])
def test_what_each_method_compares(option: str) -> None:
    """The bootstrap compares every statistic, DeLong areas; with clusters only whole areas."""

    def written(**others: Any) -> pl.Expr:
        options: dict[str, Any] = {option: 0.5, **others}
        return pa.roc_auc_difference("y", "s", "t", alternative="less", **options)

    written(method="bootstrap", cluster="c")
    for others, is_compared in (
        ({}, option in ("max_fpr", "min_tpr", "null")),
        ({"cluster": "c"}, option == "null"),
    ):
        if is_compared:
            written(method="delong", **others)
        else:
            with pytest.raises(ValueError, match="method 'delong' compares"):
                written(method="delong", **others)


def test_a_key_of_any_plain_dtype() -> None:
    frame = fixed(400).drop_nulls().with_columns(k=pl.col("g") % 4)
    expected = frame.select(pa.cv_roc_auc("label", "score", "k")).item()
    day = datetime.date(2024, 1, 1)
    for key in (
        pl.col("k").cast(pl.Int8),
        pl.col("k").cast(pl.Float32),
        pl.col("k").cast(pl.Decimal(10, 2)),
        pl.col("k").cast(pl.String),
        pl.col("k").cast(pl.String).cast(pl.Categorical),
        pl.col("k").cast(pl.String).cast(pl.Enum(["3", "1", "0", "2"])),
        pl.lit(day) + pl.duration(days="k"),
        (pl.lit(day) + pl.duration(days="k")).cast(pl.Datetime("ms", "UTC")),
        pl.col("k").cast(pl.String).cast(pl.Binary),
        pl.struct("k", half=pl.col("k") > 1),
    ):
        assert frame.select(pa.cv_roc_auc("label", "score", key)).item() == expected, key
    two = frame.select(pa.cv_roc_auc("label", "score", pl.col("k") > 1).struct.field("n_folds")).item()
    assert two == 2
    with pytest.raises(pl.exceptions.ComputeError, match='cv_roc_auc: fold "k" has dtype list'):
        frame.select(pa.cv_roc_auc("label", "score", pl.concat_list("k")))
    with pytest.raises(pl.exceptions.ComputeError, match='kruskal_wallis: score "key" has dtype str'):
        frame.select(pa.kruskal_wallis("g", "key"))
    with pytest.raises(pl.exceptions.ComputeError, match='label "label" has 3 rows but score "score" has'):
        frame.select(pa.roc_auc_difference(pl.col("label").head(3), "score", "other"))


def test_a_seed_is_a_stream() -> None:
    frame = fixed(300)

    def lower(seed: int) -> float:
        ci = pa.roc_auc_ci("label", "score", method="bootstrap", n_resamples=200, seed=seed)
        return float(frame.select(ci.struct.field("lower")).item())

    assert lower(1) == lower(1)
    assert len({lower(seed) for seed in range(5)}) == 5


def test_exact_where_it_can_be_counted() -> None:
    n = 2000
    wide = pl.DataFrame({"y": [i % 2 for i in range(n)], "s": [(i * 7919) % n for i in range(n)]})
    test = wide.select(pa.mann_whitney_u("y", "s", method="exact")).unnest("s").row(0, named=True)
    assert test["method"] is None
    assert test["p_value"] is None
    assert test["z"] is not None
    lone = wide.with_columns(y=pl.col("s") == n - 1)
    test = (
        lone.select(pa.mann_whitney_u("y", "s", method="exact", alternative="greater"))
        .unnest("s")
        .row(0, named=True)
    )
    assert math.isclose(test["p_value"], 1 / n, rel_tol=1e-12)


def test_numpy_options() -> None:
    """Options may be numbers and strings of numpy."""
    frame = fixed(200)
    plain = pa.roc_auc_difference(
        "label", "score", "other", method="bootstrap", max_fpr=0.25, n_resamples=20, level=0.5
    )
    numpy = pa.roc_auc_difference(
        "label",
        "score",
        "other",
        method=np.str_("bootstrap"),  # type: ignore[arg-type]
        max_fpr=np.float64(0.25),
        n_resamples=np.int64(20),  # type: ignore[arg-type]
        level=np.float32(0.5),  # type: ignore[arg-type]
    )
    assert frame.select(plain).item() == frame.select(numpy).item()


def test_errors_of_clusters_have_the_public_name() -> None:
    with pytest.raises(TypeError, match=r"roc_auc_ci: cluster must be .* write frame.select\(roc_auc_ci\("):
        pa.roc_auc_ci("label", "score", cluster=3)  # type: ignore[arg-type]
    with pytest.raises(pl.exceptions.ComputeError, match="message: roc_auc_ci: cluster"):
        fixed(20).select(pa.roc_auc_ci("label", "score", cluster=pl.concat_list("g")))


def test_separated_clusters_keep_their_doubt() -> None:
    rows = pl.DataFrame({"c": [i % 4 for i in range(400)]}).with_columns(y=pl.col("c") < 2)
    few = rows.select(pa.roc_auc_ci("y", pl.col("y").cast(pl.Int8), method="logit", cluster="c")).item()
    many = rows.select(pa.roc_auc_ci("y", pl.col("y").cast(pl.Int8), method="logit")).item()
    assert few["lower"] < 0.5 < 0.98 < many["lower"]


@pytest.mark.parametrize(
    ("n_pos", "n_neg", "above"),
    [(50, 50, {0.05: 1, 0.01: 4, 0.001: 15}), (50, 10, {0.05: 2, 0.01: 16, 0.001: 67})],
)
def test_how_good_the_approximation_is(n_pos: int, n_neg: int, above: dict[float, int]) -> None:
    """The docstring of mann_whitney_u has the excess over the exact p-value in per cent."""
    exact, asymptotic = (
        pa.mann_whitney_u("y", "s", method=method).struct.field("p_value").alias(method)
        for method in ("exact", "asymptotic")
    )
    # Rankings with U = u: some positives above all negatives, one above some, the others below all.
    rows = []
    for u in range(n_pos * n_neg // 2):
        whole, part = divmod(u, n_neg)
        scores = [n_neg + 1.0 + i for i in range(whole)] + [part + 0.5]
        scores += [-1.0 - i for i in range(n_pos - whole - 1)]
        rows.append(
            {"u": u, "y": [1] * n_pos + [0] * n_neg, "s": [*scores, *map(float, range(1, n_neg + 1))]}
        )
    tests = pl.DataFrame(rows).explode("y", "s").group_by("u").agg(exact, asymptotic)
    for level, percent in above.items():
        nearest = tests.filter(pl.col("exact") <= level).sort("exact").row(-1, named=True)
        assert round(100 * (nearest["asymptotic"] / nearest["exact"] - 1)) == percent, level


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(41, 72), (12, 500), (3000, 20)])
@pytest.mark.parametrize("power", [0.3, 0.8, 0.99])
def test_what_is_left_out_is_the_inverse_of_power(
    alternative: Any, n_pos: int, n_neg: int, power: float
) -> None:
    auc = pa.roc_auc_power(None, n_pos, n_neg, power=power, alternative=alternative, alpha=0.01)
    assert auc is not None
    assert 0.5 < auc < 1
    back = pa.roc_auc_power(auc, n_pos, n_neg, alternative=alternative, alpha=0.01)
    assert back == pytest.approx(power, abs=1e-9)
    alpha = pa.roc_auc_power(auc, n_pos, n_neg, power=power, alternative=alternative, alpha=None)
    assert alpha == pytest.approx(0.01, rel=1e-9)
    mirrored = pa.roc_auc_power(1 - auc, n_pos, n_neg, power=power, alternative=alternative, alpha=None)
    assert mirrored == pytest.approx(alpha, rel=1e-9)
    ratio = n_neg / n_pos
    size = pa.roc_auc_sample_size(auc, power=power, ratio=ratio, alternative=alternative, alpha=0.01)
    assert size["n_pos"] == pytest.approx(n_pos, rel=1e-9)
    # By definition: from one half on, the first AUC with this power.
    step = (auc - 0.5) / 200
    below = pl.DataFrame({"auc": [0.5 + step * place for place in range(200)]})
    powers = below.select(pa.roc_auc_power("auc", n_pos, n_neg, alternative=alternative, alpha=0.01))
    assert (powers.to_series() < power).all()


def test_left_out_row_by_row() -> None:
    frame = pl.DataFrame({"auc": [0.7, 0.6, None, 1.0], "m": [40, 0, 40, None], "n": [70, 70, 70, 70]})
    plan = frame.lazy().select(
        pa.roc_auc_power(None, "m", "n", power=0.8).alias("auc"),
        pa.roc_auc_power("auc", "m", "n", power=0.8, alpha=None).alias("alpha"),
    )
    got = plan.collect()
    assert got.schema == plan.collect_schema() == {"auc": pl.Float64, "alpha": pl.Float64}
    assert got["auc"].is_null().to_list() == [False, True, False, True]
    assert got["alpha"].is_null().to_list() == [False, True, True, True]
    assert frame.select(pa.roc_auc_power(None, "m", "n", power=0.8)).columns == ["m"]
    # One half is rejected at the rate of the level, and two rows never as often.
    assert pa.roc_auc_power(None, 40, 70, power=0.02) is None
    assert pa.roc_auc_power(None, 1, 1, power=0.9) is None
    assert pa.roc_auc_power(0.6, 5, 5, power=0.999, alpha=None) is None
    assert pa.roc_auc_power(None, 40, 70, power=Decimal("0.8"), alpha=Fraction(1, 20)) == got["auc"][0]  # type: ignore[call-overload]


def test_not_exactly_one_is_left_out() -> None:
    for wrong, got in (
        ({"auc": None}, "alpha"),
        ({"auc": 0.7, "power": 0.8}, "auc, power, alpha"),
        ({"auc": None, "power": 0.8, "alpha": None}, "power"),
        ({"auc": None, "alpha": None}, "none of them"),
        ({"auc": 0.7, "alpha": None}, "auc"),
        ({"auc": pl.col("auc"), "power": 0.8}, "auc, power, alpha"),
    ):
        message = "roc_auc_power: exactly one of auc, power and alpha must be None"
        with pytest.raises(ValueError, match=rf"{message}.*, got {got}. Hint: write roc_auc_power\(auc"):
            pa.roc_auc_power(n_pos=40, n_neg=70, **wrong)
    with pytest.raises(ValueError, match="roc_auc_power: power must lie between 0 and 1"):
        pa.roc_auc_power(None, 40, 70, power=1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(("auc", "null"), [(0.8, 0.7), (0.7, 0.8), (0.6, 0.45), (0.95, 0.9), (0.73, 0.5)])
def test_power_against_any_null(alternative: Any, auc: float, null: float) -> None:
    n_pos, n_neg, alpha = 60, 150, 0.02
    options: dict[str, Any] = {"null": null, "alternative": alternative}
    power = pa.roc_auc_power(auc, n_pos, n_neg, alpha=alpha, **options)
    tail = alpha / 2 if alternative == "two-sided" else alpha
    assert power == pytest.approx(oracles.roc_auc_power(auc, n_pos, n_neg, null, tail), rel=1e-9)
    # The AUC of the score with the opposite sign.
    mirrored = options | {"null": 1 - null}
    assert pa.roc_auc_power(1 - auc, n_pos, n_neg, alpha=alpha, **mirrored) == pytest.approx(power, rel=1e-9)
    level = pa.roc_auc_power(auc, n_pos, n_neg, power=power, alpha=None, **options)
    assert level == pytest.approx(alpha, rel=1e-9)
    size = pa.roc_auc_sample_size(auc, power=power, ratio=n_neg / n_pos, alpha=alpha, **options)
    assert size["n_pos"] == pytest.approx(n_pos, rel=1e-9)
    if auc > null:
        found = pa.roc_auc_power(None, n_pos, n_neg, power=power, alpha=alpha, **options)
        assert found == pytest.approx(auc, abs=1e-9)
    # The null value itself is rejected at the level, and no number of rows finds a difference.
    assert pa.roc_auc_power(null, n_pos, n_neg, alpha=alpha, **options) == pytest.approx(tail, rel=1e-9)
    assert pa.roc_auc_sample_size(null, **options) == {"n_pos": None, "n_neg": None}


def test_null_of_one_half_is_the_default() -> None:
    frame = pl.DataFrame({"auc": [0.2, 0.6, 0.73, 0.9]})
    plans = frame.select(
        pa.roc_auc_power("auc", 40, 70).alias("power"),
        pa.roc_auc_power("auc", 40, 70, null=0.5).alias("power_of_null"),
        pa.roc_auc_sample_size("auc").alias("size"),
        pa.roc_auc_sample_size("auc", null=0.5, power=0.8).alias("size_of_null"),
    )
    assert plans["power"].equals(plans["power_of_null"])
    assert plans["size"].equals(plans["size_of_null"])


def test_rows_for_a_width() -> None:
    for auc, width, ratio, alpha in ((0.8, 0.1, 1.0, 0.05), (0.5, 0.2, 3.0, 0.1), (0.3, 0.05, 0.5, 0.01)):
        size = pa.roc_auc_sample_size(auc, width=width, ratio=ratio, alpha=alpha)
        n_pos = oracles.roc_auc_sample_size_of_width(auc, width, ratio, alpha)
        assert size["n_pos"] == pytest.approx(n_pos, rel=1e-9)
        assert size["n_neg"] == pytest.approx(ratio * n_pos, rel=1e-9)
    # Half the width takes four times the rows.
    whole, half = (pa.roc_auc_sample_size(0.8, width=width)["n_pos"] for width in (0.2, 0.1))
    assert whole is not None
    assert half == pytest.approx(4 * whole)
    assert pa.roc_auc_sample_size(1.0, width=0.1) == {"n_pos": None, "n_neg": None}


@pytest.mark.parametrize(("auc", "null", "ratio"), [(0.65, 0.55, 1), (0.85, 0.75, 2)])
def test_planned_rows_have_their_power_and_width(auc: float, null: float, ratio: float) -> None:
    """Simulate two normal classes, with the rows of the plan.

    The binormal variance is right for an AUC of 0.65, and too large for 0.85.
    """
    shift, rng = math.sqrt(2) * norm.ppf(auc), np.random.default_rng(8)

    def simulated(plan: dict[str, Any], samples: int) -> pl.DataFrame:
        n_pos, n_neg = math.ceil(plan["n_pos"]), math.ceil(plan["n_neg"])
        label = np.tile(np.repeat([True, False], [n_pos, n_neg]), samples)
        sample = np.repeat(np.arange(samples), n_pos + n_neg)
        scores = rng.standard_normal(label.size) + shift * label
        frame = pl.DataFrame({"i": sample, "y": label, "s": scores})
        return frame.group_by("i").agg(pa.roc_auc_ci("y", "s", method="delong", null=null)).unnest("s")

    tests = simulated(pa.roc_auc_sample_size(auc, null=null, ratio=ratio), 2000)
    power = float((tests["p_value"] < 0.05).mean())  # type: ignore[arg-type]
    intervals = simulated(pa.roc_auc_sample_size(auc, width=0.1, ratio=ratio), 300)
    width = float((intervals["upper"] - intervals["lower"]).mean())  # type: ignore[arg-type]
    if auc == 0.65:
        assert power == pytest.approx(0.8, abs=0.03)
        assert width == pytest.approx(0.1, rel=0.03)
    else:
        assert 0.8 < power < 0.95
        assert 0.075 < width < 0.1


def test_ratio_of_the_rows_that_a_paired_test_needs() -> None:
    """Compare with DeLong's variance of the difference among the rows of each class."""
    frame = fixed(400).drop_nulls(["label", "score", "other"])
    rows = list(frame.select("label", "score", "other").iter_rows())
    score_placements = [placements([(row[0], row[1 + k]) for row in rows]) for k in range(2)]
    s10, s01 = (
        float(
            np.var(
                [float(a - b) for a, b in zip(score_placements[0][c], score_placements[1][c], strict=True)],
                ddof=1,
            )
        )
        for c in (0, 1)
    )
    for ratio in (0.5, 1, 7.25, None):
        plan = frame.select(pa.roc_auc_difference_power("label", "score", "other", power=0.9, ratio=ratio))
        got = plan.item()
        used = got["n_neg"] / got["n_pos"] if ratio is None else ratio
        quantiles = norm.isf(0.025) + norm.isf(0.1)
        n_pos = (quantiles / got["difference"]) ** 2 * (s10 + s01 / used)
        assert got["needed_pos"] == pytest.approx(n_pos, rel=1e-9)
        assert got["needed_neg"] == pytest.approx(used * n_pos, rel=1e-9)
    with pytest.raises(ValueError, match="roc_auc_difference_power: ratio must be a finite number above 0"):
        pa.roc_auc_difference_power("label", "score", "other", ratio=0)


def test_power_of_numbers() -> None:
    """Numbers give a number, for a single plan; columns give a column."""
    frame = pl.DataFrame({"auc": [0.73], "m": [41], "n": [72]})
    power = pa.roc_auc_power(0.73, 41, 72)
    assert isinstance(power, float)
    assert frame.select(pa.roc_auc_power("auc", "m", "n")).item() == power
    assert pa.roc_auc_power(np.float64(0.73), Decimal(41), Fraction(72)) == power  # type: ignore[call-overload]
    for mixed in (pa.roc_auc_power("auc", 41, 72), pa.roc_auc_power(0.73, pl.col("m"), "n")):
        assert frame.select(mixed).to_series().to_list() == [power]
        assert frame.select(mixed).columns == ["auc"]
    size = pa.roc_auc_sample_size(0.73, power=0.9, ratio=2)
    assert size == frame.select(pa.roc_auc_sample_size("auc", power=0.9, ratio=2)).item()
    assert pa.roc_auc_power(1.5, 41, 72) is None
    assert pa.roc_auc_power(10**400, 41, 72) is None
    assert pa.roc_auc_sample_size(0.5) == {"n_pos": None, "n_neg": None}
    for wrong in (True, [0.73], 1j):
        with pytest.raises(TypeError, match="auc must be a column name or an expression, got"):
            pa.roc_auc_power(wrong, 41, 72)  # type: ignore[arg-type]
