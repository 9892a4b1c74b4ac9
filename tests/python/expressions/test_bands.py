"""Bands about ROC curves: options, many rows, states, and coverage of the population's curve."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import polars_auc as pa
from polars_auc import _native
from polars_auc._expressions.bands import BandMethod


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pa.roc_band("y", "s", method="mean"), "method must be one of 'vertical'"),  # type: ignore[arg-type]
        (lambda: pa.roc_band("y", "s", n_points=2), "n_points must be an integer from 3 to 10000, got 2"),
        (lambda: pa.roc_band("y", "s", level=95), "level must lie between 0 and 1"),
        (
            lambda: pa.roc_band("y", "s", method="optimized_radial", distribution="normal"),
            "distribution applies to limits place by place only, and method is 'optimized_radial'",
        ),
        (
            lambda: pa.roc_band("y", "s", method="fixed_width", seed=1),
            "seed applies to curves of resamples only, and method 'fixed_width' draws none",
        ),
        (
            lambda: pa.roc_band("y", "s", method="radial", fold="f", n_resamples=100),
            "n_resamples applies to curves of resamples only, and fold gives the curves",
        ),
        (
            lambda: pa.roc_band("y", "s", fold="f", method="working_hotelling"),
            'fold gives several curves.*write method="optimized_radial"',
        ),
        (
            lambda: pa.roc_band("y", "s", resample="plain"),
            "resample says how rows are drawn, and method 'likelihood'",
        ),
        (
            lambda: pa.roc_band("y", "s", method="threshold_ellipse", distribution="normal"),
            "distribution applies to limits place by place only, and method is 'threshold_ellipse'",
        ),
        (
            lambda: pa.roc_band("y", "s", method="order_statistics", n_resamples=9),
            "n_resamples applies to curves of resamples only, and method 'order_statistics' draws none",
        ),
        (
            lambda: pa.roc_band("y", "s", method="smoothed_bootstrap", resample="plain"),
            "resample says how rows are drawn, and method 'smoothed_bootstrap' draws no rows",
        ),
        (
            lambda: pa.roc_band("y", "s", fold="f", method="envelope"),
            "fold gives several curves, and method 'envelope' makes a band of one",
        ),
        (
            lambda: pa.roc_band("y", "s", max_fpr=0.2),
            "min_fpr and max_fpr are for the regional band, and method is .likelihood.. Hint: "
            '.*method="regional"',
        ),
        (
            lambda: pa.roc_band("y", "s", method="regional", min_fpr=0.3, max_fpr=0.2),
            "min_fpr must be below max_fpr, got 0.3 and 0.2",
        ),
        (
            lambda: pa.roc_band("y", "s", method="regional", min_fpr=1),
            "min_fpr must be below max_fpr, got 1 and None",
        ),
        (
            lambda: pa.roc_band("y", "s", method="regional", min_fpr=math.nan),
            "min_fpr must lie between 0 and 1",
        ),
        (
            lambda: pa.roc_band("y", "s", method="envelope", distribution="normal"),
            "distribution applies to limits place by place only, and method is 'envelope'",
        ),
        (
            lambda: pa.roc_band("y", "s", method="radial", fold="f", seed=1),
            "seed applies to curves of resamples only, and fold gives the curves",
        ),
        (
            lambda: pa.roc_band("y", "s", method="regional", resample="plain"),
            "resample says how rows are drawn, and method 'regional' draws no rows",
        ),
        (lambda: pa.roc_band(state="x", fold="f", method="radial"), "state and fold"),
        (lambda: pa.roc_band("y"), "missing score"),
    ],
)
def test_refused(make: Callable[[], pl.Expr], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^roc_band: .*{message}"):
        make()


@pytest.mark.parametrize("method", get_args(BandMethod))
def test_folds_are_for_bands_of_curves(method: BandMethod) -> None:
    pa.roc_band("y", "s", method=method)
    if method.startswith("threshold") or method in (
        "vertical",
        "radial",
        "optimized_radial",
        "central_region",
    ):
        pa.roc_band("y", "s", method=method, fold="f")
    else:
        with pytest.raises(ValueError, match=f"roc_band: fold gives several curves, and method '{method}'"):
            pa.roc_band("y", "s", method=method, fold="f")


@pytest.mark.parametrize(
    ("option", "wrong", "message"),
    [
        ("n_points", 0, "n_points must be an integer from 1 to 10000, got 0"),
        ("level", 1.0, "level must lie between 0 and 1"),
        ("n_resamples", 1, "n_resamples must be an integer from 2 to"),
    ],
)
def test_refused_of_a_difference(option: str, wrong: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^roc_difference_band: {message}"):
        pa.roc_difference_band("y", "s", "t", **{option: wrong})


def _rows(n: int, seed: int, shift: float = 1.0, share: float = 0.5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    label = np.arange(n) < n * share
    return pl.DataFrame({"y": label, "s": rng.normal(size=n) + shift * label})


def _distance(curve: pl.DataFrame, n_pos: int, n_neg: int, fpr: float, tpr: float) -> float:
    """Return the distance of a point from a curve without ties, by the likelihood of both rates."""

    def divergence(share: Any, rate: float) -> Any:
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = share * np.log(share / rate), (1 - share) * np.log((1 - share) / (1 - rate))
        return np.nan_to_num(parts[0]) + np.nan_to_num(parts[1])

    x, y = curve["fpr"].to_numpy(), curve["tpr"].to_numpy()
    # On a horizontal segment the curve passes the fpr itself.
    at = np.searchsorted(x, fpr)
    f, t = np.append(x, fpr), np.append(y, y[at - 1])
    return float((n_neg * divergence(f, fpr) + n_pos * divergence(t, tpr)).min())


def test_a_band_of_likelihood_ends_at_one_distance() -> None:
    frame = _rows(300, 6)
    curve = frame.select(pa.roc_curve("y", "s")).explode("s").unnest("s")
    band = _band(frame, n_points=31)
    limits = band.filter(pl.col("fpr").is_between(0.01, 0.99))
    ends = [
        _distance(curve, 150, 150, place["fpr"], place[end])
        for place in limits.iter_rows(named=True)
        for end in ("lower_tpr", "upper_tpr")
        if 0.001 < place[end] < 0.999
    ]
    assert len(ends) > 40
    # Limits are tightened where the curve cannot decrease, so a few are nearer.
    assert np.quantile(ends, 0.3) == pytest.approx(max(ends), rel=1e-6)


def _band(frame: pl.DataFrame, **options: Any) -> pl.DataFrame:
    return frame.select(band=pa.roc_band("y", "s", **options)).explode("band").unnest("band")


def _smooth_curve(frame: pl.DataFrame, rates: Any) -> tuple[Any, Any]:
    """Return the smooth curve of scores without ties, and its slope: ranks are smoothed."""
    label = frame.sort("s", descending=True)["y"].to_numpy().astype(float)
    n_pos, n_neg = label.sum(), len(label) - label.sum()
    pos, neg = label / n_pos, (1 - label) / n_neg
    mass = 0.5 * (pos + neg)
    deviation = norm.ppf(np.cumsum(mass) - 0.5 * mass)
    bandwidth = 0.8 * (4 * n_neg * n_pos / (n_neg + n_pos)) ** -0.2
    kernel = np.exp(-0.5 * ((deviation[:, None] - deviation) / bandwidth) ** 2)
    share = kernel @ pos / (kernel @ (pos + neg))
    x, y = (np.append(0, np.cumsum(part * mass)) for part in (1 - share, share))
    x, y = x / x[-1], y / y[-1]
    after = np.clip(np.searchsorted(x, rates, side="right"), 1, len(label))
    return np.interp(rates, x, y), np.diff(y)[after - 1] / np.diff(x)[after - 1]


def test_a_regional_band_reaches_as_far_as_its_process() -> None:
    frame = _rows(400, 7, share=0.4)
    band = _band(frame, method="regional", min_fpr=0.05, max_fpr=0.6, n_points=23, n_resamples=4000)
    assert (band["fpr"][0], band["fpr"][-1], band["at"][-1]) == (0.05, 0.6, 0.6)
    rates = band["fpr"].to_numpy()
    tpr, slope = _smooth_curve(frame, rates)
    deviation = np.sqrt(tpr * (1 - tpr) / 160 + slope**2 * rates * (1 - rates) / 240)
    z = norm.isf(0.025)
    wilson = np.sqrt(tpr * (1 - tpr) / 160 + z**2 / (4 * 160**2)) / (1 + z**2 / 160)
    deviation = np.maximum(deviation, wilson)
    # Tightened or clipped limits are nearer.
    reach = ((band["tpr"] - band["lower_tpr"]).to_numpy() / deviation)[band["lower_tpr"] > 0]
    assert np.quantile(reach, 0.4) == pytest.approx(reach.max(), rel=0.03)
    # The process itself, from its covariance.
    least = np.minimum.outer(rates, rates) - np.outer(rates, rates)
    most = np.minimum.outer(tpr, tpr) - np.outer(tpr, tpr)
    covariance = most / 160 + np.outer(slope, slope) * least / 240
    sample = np.random.default_rng(0).multivariate_normal(np.zeros(23), covariance, 20_000)
    expected = np.quantile(np.abs(sample / deviation).max(axis=1), 0.95)
    assert np.median(reach) == pytest.approx(expected, rel=0.05)


def test_a_smoothed_bootstrap_samples_a_smooth_curve() -> None:
    """Both sides are multiples of sample standard deviations, which follow from binomial numbers."""
    frame = _rows(500, 8)
    band = _band(frame, method="smoothed_bootstrap", n_points=21, n_resamples=2000)[2:10]
    rates = band["fpr"].to_numpy()
    tpr, slope = _smooth_curve(frame, rates)
    deviation = np.sqrt((tpr * (1 - tpr) + slope**2 * rates * (1 - rates)) / 250)
    for limit in ("lower_tpr", "upper_tpr"):
        reach = (band["tpr"] - band[limit]).abs().to_numpy() / deviation
        assert reach.max() / reach.min() < 1.25
        assert 2 < np.median(reach) < 4


def test_a_region_at_the_ends() -> None:
    """At both ends there is no variance, and the limits equal those of the neighbours."""
    band = _band(_rows(60, 9), method="regional", n_points=11)
    assert (band["lower_tpr"][0], band["upper_tpr"][-1]) == (0.0, 1.0)
    assert band["upper_tpr"][0] <= band["upper_tpr"][1]
    assert band["lower_tpr"][-1] >= band["lower_tpr"][-2]


def test_new_curves_are_between_the_ends_of_a_central_region() -> None:
    """The share of folds' curves wholly within the region is at least the level."""
    frame = _rows(900, 3).with_columns(fold=pl.int_range(900) % 30)
    bands = frame.select(band=pa.roc_band("y", "s", method="central_region", fold="fold", level=0.5))
    at = bands["band"].explode().struct.field("fpr").to_list()
    curves = frame.group_by("fold").agg(curve=pa.roc_curve("y", "s", at_fpr=at))
    held = curves.join(bands, how="cross").select(pa.band_coverage("band", "curve")).unnest("band")
    assert 0.5 <= held["coverage"].item() < 0.8


@pytest.mark.parametrize(
    "method",
    [
        "vertical",
        "threshold",
        "threshold_box",
        "threshold_ellipse",
        "radial",
        "optimized_radial",
        "central_region",
        "envelope",
    ],
)
@pytest.mark.parametrize("resample", ["stratified", "plain"])
def test_many_rows_are_resampled_in_cells(method: Any, resample: Any) -> None:
    """The width of the band of 40,000 rows agrees with its standard errors, and its middle is the curve."""
    frame = _rows(40_000, 1)
    band = _band(frame, method=method, resample=resample, n_points=21, n_resamples=400)
    curve = frame.select(pa.roc_curve("y", "s", at_fpr=band["fpr"].to_list())).explode("s").unnest("s")
    assert np.allclose(band["tpr"], curve["tpr"], atol=0.004)
    if method == "vertical":
        inner = band[2:-2].with_columns(width=pl.col("upper_tpr") - pl.col("lower_tpr"))
        x = inner["fpr"].to_numpy()
        tpr = norm.sf(norm.isf(x) - 1)
        slope = norm.pdf(norm.isf(x) - 1) / norm.pdf(norm.isf(x))
        expected = 2 * 1.96 * np.sqrt((tpr * (1 - tpr) + slope**2 * x * (1 - x)) / 20_000)
        assert np.allclose(inner["width"], expected, rtol=0.2)


@pytest.mark.parametrize(
    "method",
    [
        "envelope",
        "smoothed_bootstrap",
        "regional",
        "threshold_ellipse",
        "central_region",
        "order_statistics",
    ],
)
def test_bands_narrow_as_rows_grow(method: Any) -> None:
    """A hundred times as many rows give a band of about a tenth of the width."""

    def width(n: int) -> float:
        band = _band(_rows(n, 11), method=method, n_points=41)
        at = np.linspace(0.1, 0.9, 50)
        low, high = (
            np.interp(at, band[f"{end}_fpr"], band[f"{end}_tpr"]).mean() for end in ("lower", "upper")
        )
        return float(high - low)

    assert 6 < width(200) / width(20_000) < 14


def test_a_band_of_a_state_is_that_of_its_rows() -> None:
    frame = _rows(3000, 2)
    exact = frame.select(band=pa.roc_band("y", "s"))
    state = frame.select(state=pa.roc_state("y", "s"))
    assert state.select(band=pa.roc_band(state="state")).equals(exact)
    small = frame.select(state=pa.roc_state("y", "s", max_bins=512))
    close = small.select(band=pa.roc_band(state="state")).explode("band").unnest("band")
    wide = exact.explode("band").unnest("band")
    for end in ("lower_tpr", "upper_tpr"):
        at = np.linspace(0, 1, 200)
        assert np.allclose(
            np.interp(at, close["fpr"], close[end]), np.interp(at, wide["fpr"], wide[end]), atol=0.02
        )


def test_curves_of_folds_make_a_band() -> None:
    frame = _rows(900, 3).with_columns(fold=pl.int_range(900) % 30)
    band = _band(frame, method="optimized_radial", fold="fold", level=0.5)
    outside = 0
    for part in frame.partition_by("fold"):
        curve = part.select(pa.roc_curve("y", "s")).explode("s").unnest("s")
        x, y = curve["fpr"].to_numpy(), curve["tpr"].to_numpy()
        # On each ray of the band the curve is between both limits.
        angles = band["at"].to_numpy()[1:-1]
        beyond = y[None, :] * np.cos(angles)[:, None] - (1 - x)[None, :] * np.sin(angles)[:, None]
        after = np.argmax(beyond >= 0, axis=1)
        rays = np.arange(len(angles))
        share = -beyond[rays, after - 1] / (beyond[rays, after] - beyond[rays, after - 1])
        height = y[after - 1] + share * (y[after] - y[after - 1])
        low, high = band["lower_tpr"].to_numpy()[1:-1], band["upper_tpr"].to_numpy()[1:-1]
        outside += bool(((height < low - 1e-9) | (height > high + 1e-9)).any())
    assert 0 < outside <= 15


@pytest.mark.parametrize(
    ("method", "least", "most"),
    [
        ("fixed_width", 0.95, 1.0),
        ("working_hotelling", 0.91, 0.99),
        ("envelope", 0.91, 1.0),
        ("order_statistics", 0.91, 1.0),
    ],
)
def test_bands_of_one_curve_hold_the_curve_of_the_population(method: Any, least: float, most: float) -> None:
    """Simultaneous coverage at 95 % of 300 normal samples; the bounds are three standard errors."""
    frames = [_rows(100, seed).with_columns(sample=pl.lit(seed)) for seed in range(300)]
    bands = pl.concat(frames).group_by("sample").agg(band=pa.roc_band("y", "s", method=method))
    places = bands.explode("band").unnest("band")
    truth = pl.Series(norm.sf(norm.isf(places["fpr"].to_numpy().clip(1e-12, 1 - 1e-12)) - 1))
    inside = places.with_columns(truth=truth).filter(pl.col("fpr").is_between(0, 1, closed="none"))
    held = inside.group_by("sample").agg(pl.col("truth").is_between("lower_tpr", "upper_tpr").all())
    share = held["truth"].mean()
    assert isinstance(share, float)
    assert least <= share <= most


def test_pointwise_intervals_are_those_of_each_rate() -> None:
    frame = _rows(500, 4)
    band = _band(frame, method="vertical", n_resamples=300, seed=9, n_points=11)
    for place in band.iter_rows(named=True):
        one = (
            frame.select(
                pa.tpr_at_fpr("y", "s", place["fpr"], interval="percentile", n_resamples=300, seed=9)
            )
            .unnest("s")
            .row(0, named=True)
        )
        assert (place["lower_tpr"], place["upper_tpr"]) == (one["lower"], one["upper"])


def test_every_message_begins_with_the_name() -> None:
    frame = pl.DataFrame({"y": [0, 1], "s": ["a", "b"]})
    with pytest.raises(pl.exceptions.PolarsError, match=re.escape("roc_band: ")):
        frame.select(pa.roc_band("y", "s"))


def _curve(*points: tuple[float, float]) -> list[dict[str, float]]:
    return [{"fpr": float(fpr), "tpr": float(tpr)} for fpr, tpr in points]


_BAND = [
    {"lower_fpr": 0.0, "lower_tpr": 0.0, "upper_fpr": 0.0, "upper_tpr": 0.5},
    {"lower_fpr": 1.0, "lower_tpr": 1.0, "upper_fpr": 0.5, "upper_tpr": 1.0},
]


def test_how_much_of_curves_is_outside_a_band() -> None:
    curves = [
        _curve((0, 0), (0, 0.5), (1, 1)),
        _curve((0, 0), (0, 0.6), (0.1, 0.6), (1, 1)),
        _curve((0, 0), (0.5, 0.4), (0.6, 0.5), (1, 0.9)),
        None,
    ]
    frame = pl.DataFrame({"g": ["a", "b", "b", "b"], "band": [_BAND] * 4, "curve": curves})
    every = frame.select(pa.band_coverage("band", "curve", level=0.6)).unnest("band").row(0, named=True)
    assert every == {"coverage": 1 / 3, "epsilon": 0.25, "n_curves": 3, "epsilons": [0.0, 0.25, 0.75]}
    grouped = frame.group_by("g").agg(pa.band_coverage("band", "curve")).sort("g").unnest("band")
    assert grouped["coverage"].to_list() == [1.0, 0.0]
    assert grouped["epsilon"].to_list() == [0.0, 0.75]
    assert (
        grouped.schema
        == frame.lazy().group_by("g").agg(pa.band_coverage("band", "curve")).unnest("band").collect_schema()
    )
    nothing = frame.filter(pl.col("curve").is_null()).select(pa.band_coverage("band", "curve")).unnest("band")
    assert nothing.row(0) == (None, None, 0, [])


def test_bands_contain_their_curves() -> None:
    """Curves of folds are read at thresholds; the outer corners of the folds' boxes enclose each curve."""
    frame = _rows(600, 5).with_columns(fold=pl.int_range(600) % 6)
    band = frame.select(
        band=pa.roc_band(
            "y", "s", method="threshold_box", fold="fold", distribution="normal", level=0.9999, n_points=700
        )
    )
    curves = frame.group_by("fold").agg(curve=pa.roc_curve("y", "s")).join(band, how="cross")
    assert curves.select(pa.band_coverage("band", "curve")).unnest("band").row(0)[:3] == (
        1.0,
        0.0,
        6,
    )


def test_columns_that_are_no_bands_and_no_curves() -> None:
    frame = pl.DataFrame({"band": [_BAND], "curve": [_curve((0, 0), (1, 1))], "y": [1]})
    for columns, message in (
        (("curve", "curve"), 'band "curve" has dtype list.*as roc_band makes it'),
        (("band", "y"), 'curve "y" has dtype i64, expected lists of structs.*fpr, tpr, as roc_curve'),
    ):
        with pytest.raises(pl.exceptions.ComputeError, match=f"band_coverage: {message}"):
            frame.select(pa.band_coverage(*columns))
    with pytest.raises(ValueError, match=r"^band_coverage: level must lie"):
        pa.band_coverage("band", "curve", level=2)
    holes = frame.with_columns(curve=pl.lit([{"fpr": None, "tpr": 0.5}], dtype=frame.schema["curve"]))
    with pytest.raises(pl.exceptions.ComputeError, match='"curve" contains a point with a null'):
        holes.select(pa.band_coverage("band", "curve"))


def test_points_of_other_rows_do_not_matter() -> None:
    """Nulls in sliced rows, or under a null list, are not points of the curves."""
    hole = [{"fpr": None, "tpr": 0.5}]
    dtype = pl.List(pl.Struct({"fpr": pl.Float64, "tpr": pl.Float64}))
    curves = pl.Series([hole, _curve((0, 0), (1, 1)), hole], dtype=dtype)
    frame = pl.DataFrame({"band": [_BAND] * 3, "curve": curves})
    assert (
        frame.slice(1, 1).select(pa.band_coverage("band", "curve")).unnest("band")["coverage"].item() == 1.0
    )
    hidden = frame.head(2).with_columns(curve=pl.when(pl.int_range(2) == 1).then("curve"))
    assert hidden.select(pa.band_coverage("band", "curve")).unnest("band")["n_curves"].item() == 1


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_one_call_a_query(engine: Any) -> None:
    frame = pl.DataFrame({"g": [1, 1, 2], "band": [_BAND] * 3, "curve": [_curve((0, 0), (1, 1))] * 3}).lazy()
    coverage = pa.band_coverage("band", "curve")
    for plan in (frame.select(coverage), frame.group_by("g").agg(coverage), frame.select(coverage.over("g"))):
        before = _native.calls()
        plan.collect(engine=engine)
        assert _native.calls() == before + 1


def test_a_band_with_curves_of_groups() -> None:
    """A literal is the same for every group."""
    curves = [_curve((0, 0), (0, 0.5), (1, 1)), _curve((0, 0), (0, 0.6), (1, 1))]
    frame = pl.DataFrame({"g": [1, 2], "curve": curves})
    band = pl.lit(pl.Series("band", [_BAND]))
    got = frame.group_by("g").agg(pa.band_coverage(band, "curve")).sort("g").unnest("band")
    assert got["coverage"].to_list() == [1.0, 0.0]
