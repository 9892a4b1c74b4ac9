"""Coverage of the 95 % intervals of calibration and decisions.

``python benches/calibration_coverage.py [--share 1.0]`` simulates labels with probabilities ``p``, whose
logits are normal. The score is ``p`` itself or ``expit(0.7 logit(p) + 0.2)``, and is compared with a noisy
score. The samples have 50 to 5,000 rows, and 2 to 50 % positives. A sample is a group of one query. Columns
of ``benches/results/calibration_coverage.csv``:

- the coverage: the share of intervals that contain the value of the population. A confidence band counts if
  it contains all probabilities of the sample. For the consistency band it is the share of blocks inside the
  band, for calibrated scores. The band of net benefit counts if it contains all 20 thresholds of a range.
- ``defined``: the share of samples with an interval. Samples of one class may have none.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "calibration_coverage.csv"
SIZES = (50, 200, 1_000, 5_000)
RATES = (0.02, 0.1, 0.5)
REPLICATES = 4_000
MAX_ROWS = 8_000_000
SPREAD = 1.2
"""The standard deviation of the logits."""
NOISE = 0.7
"""The standard deviation of the noise on the logits of a second score."""
THRESHOLD = 0.1
RANGES = {0.02: (0.01, 0.06), 0.1: (0.05, 0.3), 0.5: (0.2, 0.8)}
"""The thresholds of the band of net benefits, by the rate of positives."""
FOLDS = 10
POPULATION = 2_000_000
N_RESAMPLES = 200

Numbers = NDArray[np.float64]


def expit(x: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-x)))


def center(rate: float) -> float:
    """Return the mean logit for this rate of positives, by bisection."""
    z = np.linspace(-6, 6, 2_001)
    density = np.exp(-z * z / 2)
    low, high = -12.0, 12.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if np.average(expit(middle + SPREAD * z), weights=density) < rate
            else (low, middle)
        )
    return low


INTERVALS = {
    "brier_score": pa.brier_score("y", "s"),
    "log_loss": pa.log_loss("y", "s"),
    "brier_score_difference": pa.brier_score_difference("y", "s", "p"),
    "log_loss_difference": pa.log_loss_difference("y", "s", "p"),
    "net_benefit": pa.net_benefit("y", "s", thresholds=[THRESHOLD]).list.first(),
    "average_precision_ci logit": pa.average_precision_ci("y", "s"),
    "average_precision_ci influence": pa.average_precision_ci("y", "s", method="influence"),
    "average_precision_difference": pa.average_precision_difference("y", "q", "s"),
    "net_benefit_difference": pa.net_benefit_difference("y", "q", "s", thresholds=[THRESHOLD]).list.first(),
    "mcnemar": pa.mcnemar("y", "q", "s", at_a=THRESHOLD, at_b=THRESHOLD),
    "discrimination_slope": pa.discrimination_slope("y", "s"),
    "discrimination_slope_difference": pa.discrimination_slope_difference("y", "q", "s"),
    "cv_loss t": pa.cv_loss("y", "s", "fold"),
    "cv_loss influence": pa.cv_loss("y", "s", "fold", method="influence"),
    "cv_loss_difference": pa.cv_loss_difference("y", "s", "p", "fold", test_train_ratio=0),
}
PREFIXED = ("observed_expected", "observed_minus_expected", "in_the_large", "slope", "intercept")


def limits() -> list[pl.Expr]:
    """Return the limits of all intervals, as columns of one name and `lower` or `upper`."""
    records = {name: interval.struct for name, interval in INTERVALS.items()}
    # One bin of a calibration curve, and one grade, contain all rows.
    curve = pa.calibration_curve("y", "s", bins=1).list.first().struct
    grade = pa.calibration_by_grade("y", "grade").list.first().struct
    summary = pa.calibration_summary("y", "s").struct
    fields = {name: (record, "") for name, record in records.items()}
    fields |= {name: (summary, f"{name}_") for name in PREFIXED}
    test = pa.subgroup_rate_difference("y", "s", "g", at=THRESHOLD, rate="selection_rate").struct
    fields |= {f"subgroup_rate_difference {name}": (test, f"{name}_") for name in ("difference", "ratio")}
    fields |= {"calibration_curve": (curve, "rate_"), "calibration_by_grade": (grade, "rate_")}
    return [
        record.field(f"{prefix}{limit}").alias(f"{name}|{limit}")
        for name, (record, prefix) in fields.items()
        for limit in ("lower", "upper")
    ]


def noisy(p: Numbers, seed: list[int]) -> Numbers:
    """Return a second score, which ranks worse."""
    return expit(np.log(p / (1 - p)) + NOISE * np.random.default_rng(seed).normal(size=len(p)))


def slope_of(p: Numbers, s: Numbers) -> float:
    """Return the mean score of positives minus that of negatives."""
    return float(np.average(s, weights=p) - np.average(s, weights=1 - p))


def share_in_subgroup(p: Numbers) -> Numbers:
    """Return for each row the probability of a subgroup; its rows have higher scores."""
    return expit(0.5 * np.log(p / (1 - p)))


def population(p: Numbers, s: Numbers, rng: np.random.Generator) -> dict[str, float]:
    """Return the true values."""
    odds = THRESHOLD / (1 - THRESHOLD)
    q = noisy(p, [1])
    benefit = {
        name: float(((p - (1 - p) * odds) * (of >= THRESHOLD)).mean()) for name, of in (("s", s), ("q", q))
    }
    brier = {name: float((p * (1 - q) ** 2 + (1 - p) * q**2).mean()) for name, q in (("s", s), ("p", p))}
    loss = {name: float(-(p * np.log(q) + (1 - p) * np.log1p(-q)).mean()) for name, q in (("s", s), ("p", p))}
    right = {name: float(np.where(of >= THRESHOLD, p, 1 - p).mean()) for name, of in (("s", s), ("q", q))}
    inside, is_called = share_in_subgroup(p), s >= THRESHOLD
    selected = [float(np.average(is_called, weights=weights)) for weights in (inside, 1 - inside)]
    rows = pl.DataFrame({"y": rng.random(len(p)) < p, "s": s, "q": q})
    summary = rows.select(pa.calibration_summary("y", "s")).to_series()[0]
    precision, other_precision = (rows.select(pa.average_precision("y", name)).item() for name in ("s", "q"))
    rate = float(p.mean())
    is_right = bool((p == s).all())
    return {
        "brier_score": brier["s"],
        "log_loss": loss["s"],
        "brier_score_difference": brier["s"] - brier["p"],
        "log_loss_difference": loss["s"] - loss["p"],
        "net_benefit": benefit["s"],
        "average_precision_ci logit": precision,
        "average_precision_ci influence": precision,
        "average_precision_difference": other_precision - precision,
        "net_benefit_difference": benefit["q"] - benefit["s"],
        "mcnemar": right["q"] - right["s"],
        "subgroup_rate_difference difference": selected[0] - selected[1],
        "subgroup_rate_difference ratio": selected[0] / selected[1],
        "cv_loss t": brier["s"],
        "cv_loss influence": brier["s"],
        "cv_loss_difference": brier["s"] - brier["p"],
        "observed_minus_expected": rate - float(s.mean()),
        "discrimination_slope": slope_of(p, s),
        "discrimination_slope_difference": slope_of(p, q) - slope_of(p, s),
        "observed_expected": rate / float(s.mean()),
        "in_the_large": 0.0 if is_right else summary["in_the_large"],
        "slope": 1.0 if is_right else 1 / 0.7,
        "intercept": 0.0 if is_right else -0.2 / 0.7,
        "calibration_curve": rate,
        "calibration_by_grade": rate,
    }


def band_coverage(rows: pl.DataFrame, *, is_right: bool) -> dict[str, pl.Series]:
    """Return whether the confidence band of each sample holds, and if scores are right, whether blocks do."""

    def blocks(**options: Any) -> pl.DataFrame:
        curve = pa.calibration_curve("y", "s", method="isotonic", **options).alias("blocks")
        return rows.group_by("r").agg(curve).explode("blocks").unnest("blocks")

    confidence = blocks(band="confidence")
    lowest, highest = (
        s if is_right else expit((np.log(s / (1 - s)) - 0.2) / 0.7)
        for s in (confidence[end].to_numpy() for end in ("lowest", "highest"))
    )
    confidence = confidence.with_columns(lowest=lowest, highest=highest)
    holds = (pl.col("rate_lower") <= pl.col("lowest")) & (pl.col("highest") <= pl.col("rate_upper"))
    covered = {"calibration_curve confidence": confidence.group_by("r").agg(holds.all())["rate_lower"]}
    if is_right:
        is_inside = pl.col("rate").is_between("rate_lower", "rate_upper")
        inside = blocks(band="consistency", n_resamples=N_RESAMPLES).select(is_inside)["rate"]
        covered["calibration_curve consistency"] = inside
    return covered


def thresholds(rate: float) -> Numbers:
    return np.linspace(*RANGES[rate], 20)


def net_benefits(p: Numbers, s: Numbers, rate: float) -> Numbers:
    """Return the true net benefits at the thresholds of a band."""
    at = thresholds(rate)
    return np.array([float(((p - (1 - p) * t / (1 - t)) * (s >= t)).mean()) for t in at])


def benefit_coverage(rows: pl.DataFrame, rate: float, truth: Numbers) -> pl.Series:
    """Return whether the simultaneous band of each sample contains all net benefits."""
    band = pa.net_benefit(
        "y", "s", thresholds=list(thresholds(rate)), band="simultaneous", n_resamples=5 * N_RESAMPLES
    )
    points = rows.group_by("r").agg(band.alias("points")).explode("points").unnest("points")
    points = points.with_columns(true=pl.lit(pl.Series(np.tile(truth, points.height // len(truth)))))
    return points.group_by("r").agg(pl.col("true").is_between("lower", "upper").all())["true"]


def draw(rows: int, mean: float, rng: np.random.Generator, *, is_right: bool) -> tuple[Numbers, Numbers]:
    """Return probabilities of rows, and their scores."""
    logit = mean + SPREAD * rng.normal(size=rows)
    p = expit(logit)
    return p, p if is_right else expit(0.7 * logit + 0.2)


def coverage(
    n: int,
    rate: float,
    truth: dict[str, float],
    benefits: Numbers,
    *,
    is_right: bool,
    replicates: int,
) -> pl.DataFrame:
    rng = np.random.default_rng([n, int(1000 * rate), is_right])
    p, s = draw(n * replicates, center(rate), rng, is_right=is_right)
    columns = {"y": rng.random(len(p)) < p, "s": s, "p": p, "q": noisy(p, [2, n]), "grade": rate}
    columns["g"] = np.random.default_rng([3, n]).random(len(p)) < share_in_subgroup(p)
    columns["fold"] = np.arange(len(p)) % FOLDS
    rows = pl.DataFrame({"r": np.repeat(np.arange(replicates), n), **columns})
    answers = rows.group_by("r").agg(limits())
    shared: dict[str, Any] = {
        "score": "right" if is_right else "recalibrated",
        "rows": n,
        "rate": rate,
        "replicates": replicates,
    }
    results: list[dict[str, Any]] = [
        {"interval": name, **shared, "defined": 1.0, "coverage": round(float(inside.mean()), 4)}  # type: ignore[arg-type]
        for name, inside in (
            *band_coverage(rows, is_right=is_right).items(),
            ("net_benefit simultaneous", benefit_coverage(rows, rate, benefits)),
        )
    ]
    for name, value in truth.items():
        lower, upper = answers[f"{name}|lower"], answers[f"{name}|upper"]
        has_limits = lower.is_not_null() & lower.is_not_nan()
        covered = ((lower <= value) & (value <= upper)).filter(has_limits)
        results.append(
            {
                "interval": name,
                **shared,
                "defined": round(float(has_limits.mean()), 4),  # type: ignore[arg-type]
                "coverage": None if covered.is_empty() else round(float(covered.mean()), 4),  # type: ignore[arg-type]
            }
        )
    return pl.DataFrame(results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the replicates")
    share = parser.parse_args().share
    tables = []
    for is_right in (True, False):
        for rate in RATES:
            rng = np.random.default_rng([int(1000 * rate), is_right])
            everyone = draw(POPULATION, center(rate), rng, is_right=is_right)
            truth, benefits = population(*everyone, rng), net_benefits(*everyone, rate)
            for n in SIZES:
                replicates = max(20, int(share * min(REPLICATES, MAX_ROWS // n)))
                tables.append(coverage(n, rate, truth, benefits, is_right=is_right, replicates=replicates))
            print(rate, is_right, flush=True)
    table = pl.concat(tables).sort("interval", "score", "rate", "rows")
    table.write_csv(RESULTS)


if __name__ == "__main__":
    main()
