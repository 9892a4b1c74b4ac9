"""False alarms of nightly gates, and their delay after a drop of the AUC.

``python benches/always_valid.py [--streams 2000] [--dry] [--only calibration]`` simulates streams of 365
nights with binormal scores and 20 % positives, and runs each gate on them. All seeds are fixed. A row of
``benches/results/always_valid.csv`` has the share of streams with an alarm, and the median number of nights
from a drop to the first alarm, over streams without an earlier alarm. In the column ``drawn`` the nights
either have their own rows, or are sampled from simulated nights, whose mean AUC is then the truth.

- ``naive``: a one-sided test of one night against the reference at 5 %. Its delay is to the next alarm.
- ``bonferroni``: the same test at 5 % / 365.
- ``always_valid``: the mean of all nights so far against the reference.
- ``always_valid_change, reference``: the nights from some night on against the reference.
- ``always_valid_change``: the same against all nights before.
- ``interval``: whether the interval of ``always_valid`` excludes the truth.
- ``calibration, naive``, ``calibration, always_valid``: two-sided tests that observed minus expected is 0, of
  one night at 5 %, and of all nights so far. A drop is in the rate of positives.
"""

from __future__ import annotations

import argparse
import math
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "always_valid.csv"
NORMAL = NormalDist()
NIGHTS = 365
LATE = 181
"""The night of a late drop."""
DROPS = (0.01, 0.02, 0.05)
ALPHA = 0.05
SPREAD = 1.2
"""The standard deviation of the logits of calibrated scores."""
EXCESS = "observed_minus_expected"


def nights(rng: np.random.Generator, auc: float, rows: int, count: int) -> pl.DataFrame:
    """Return the AUC and its standard error for each night."""
    label = np.arange(rows) < rows // 5
    shift = math.sqrt(2) * NORMAL.inv_cdf(auc) * label
    parts = []
    for size in np.diff(np.unique([*range(0, count, 4_000_000 // rows), count])):
        score = rng.standard_normal((size, rows), dtype=np.float32) + shift.astype(np.float32)
        part = pl.DataFrame(
            {
                "night": np.repeat(np.arange(size, dtype=np.int32), rows),
                "label": np.tile(label, size),
                "score": score.ravel(),
            }
        ).set_sorted("night")
        area = pa.roc_auc_ci("label", "score")
        parts.append(part.lazy().group_by("night").agg(area).unnest("score").select("auc", "se").collect())
    return pl.concat(parts)


def simulated(rng: np.random.Generator, pool: pl.DataFrame, streams: int, count: int) -> pl.DataFrame:
    """Return streams of nights from a pool."""
    return pool[rng.integers(pool.height, size=streams * count)].with_columns(
        stream=pl.Series(np.repeat(np.arange(streams), count)),
        night=pl.Series(np.tile(np.arange(1, count + 1), streams)),
    )


def gates(truth: float, drop_at: int | None) -> dict[str, pl.Expr]:
    """Return whether a gate raises an alarm, each night."""

    def below(tightest_at: float = 28) -> pl.Expr:
        return pa.always_valid("auc", "se", alternative="less", null=truth, tightest_at=tightest_at)

    above = pa.always_valid("auc", "se", alternative="greater", null=truth)

    def rejects(test: pl.Expr) -> pl.Expr:
        return test.over("stream").struct.field("p_value") <= ALPHA

    def tonight(alpha: float) -> pl.Expr:
        return pl.col("auc") < truth - NORMAL.inv_cdf(1 - alpha) * pl.col("se")

    def leaves_out(limits: pl.Expr) -> pl.Expr:
        limits = limits.over("stream")
        lower, upper = (limits.struct.field(name) for name in ("lower", "upper"))
        return (lower > truth) | (upper < truth)

    change = pa.always_valid_change("auc", "se", alternative="less")
    reference_change = pa.always_valid_change("auc", "se", reference=truth, alternative="less")
    all_gates = {
        "naive": tonight(ALPHA),
        "bonferroni": tonight(ALPHA / NIGHTS),
        "always_valid": rejects(below()),
        "always_valid_change, reference": rejects(reference_change),
    }
    if drop_at != LATE:
        all_gates |= {
            "always_valid, tightest_at=7": rejects(below(tightest_at=7)),
            "always_valid, tightest_at=90": rejects(below(tightest_at=90)),
        }
    if drop_at is None:
        all_gates["always_valid, greater"] = rejects(above)
        by_error = pa.always_valid("auc", "se", weight=pl.when(pl.col("se") > 0).then(1 / pl.col("se") ** 2))
        all_gates |= {
            "interval": leaves_out(pa.always_valid("auc", "se")),
            "interval, weight 1 / se²": leaves_out(by_error),
        }
    if drop_at != 1:
        all_gates["always_valid_change"] = rejects(change)
    return all_gates


def measured(
    streams: pl.DataFrame, alarms: Mapping[str, pl.Expr], drop_at: int | None
) -> Iterator[dict[str, Any]]:
    """Yield the results of each gate on streams."""
    for name, alarm in alarms.items():
        first = streams.select("stream", "night", alarm=alarm).filter("alarm")
        if drop_at is None:
            share = first["stream"].n_unique() / streams["stream"].n_unique()
            yield {"gate": name, "streams": streams["stream"].n_unique(), "alarmed": share}
            continue
        kept = streams.select("stream").unique()
        if not name.endswith("naive"):
            early = first.filter(pl.col("night") < drop_at)
            kept = kept.join(early, on="stream", how="anti")
        noticed = first.filter(pl.col("night") >= drop_at).group_by("stream").agg(pl.col("night").min())
        waited = kept.join(noticed, on="stream", how="left")["night"] - drop_at + 1
        median = waited.fill_null(10**9).median()
        yield {
            "gate": name,
            "streams": kept.height,
            "alarmed": waited.is_not_null().mean(),
            "median_nights": median if isinstance(median, float) and median < 10**9 else None,
        }


def calibrated_nights(
    rng: np.random.Generator, rate: float, rows: int, count: int, factor: float = 1.0
) -> pl.DataFrame:
    """Return observed minus expected for nights of scores that are the probabilities over a factor."""
    z = np.linspace(-6, 6, 2_001)
    density = np.exp(-z * z / 2)
    centers = np.linspace(-8, 1, 2_001)
    rates = [np.average(1 / (1 + np.exp(-center - SPREAD * z)), weights=density) for center in centers]
    center = float(np.interp(rate, rates, centers))
    excess = pa.calibration_summary("label", "score").struct
    fields = [excess.field(name) for name in (EXCESS, f"{EXCESS}_se")]
    parts = []
    for size in np.diff(np.unique([*range(0, count, 4_000_000 // rows), count])):
        score = 1 / (1 + np.exp(-center - SPREAD * rng.standard_normal(size * rows)))
        part = pl.DataFrame(
            {
                "night": np.repeat(np.arange(size, dtype=np.int32), rows),
                "label": rng.random(size * rows) < factor * score,
                "score": score,
            }
        ).set_sorted("night")
        parts.append(part.lazy().group_by("night", maintain_order=True).agg(fields).collect())
    return pl.concat(parts)


def calibration_gates() -> dict[str, pl.Expr]:
    """Return whether a gate of calibration raises an alarm, each night."""
    test = pa.always_valid(EXCESS, f"{EXCESS}_se", null=0).over("stream")
    quantile = NORMAL.inv_cdf(1 - ALPHA / 2)
    return {
        "calibration, naive": pl.col(EXCESS).abs() > quantile * pl.col(f"{EXCESS}_se"),
        "calibration, always_valid": test.struct.field("p_value") <= ALPHA,
    }


def calibration_alarms(streams: int) -> Iterator[dict[str, Any]]:
    """Yield the results of the gates of calibration, with false alarms and after drops."""
    for rows, rate in ((50, 0.02), (100, 0.02), (100, 0.1), (100, 0.5), (300, 0.02), (1000, 0.2)):
        few = min(streams, 36_500_000 // (rows * NIGHTS))
        rng = np.random.default_rng([rows, round(1000 * rate), 7])
        columns = {
            "stream": np.repeat(np.arange(few), NIGHTS),
            "night": np.tile(np.arange(1, NIGHTS + 1), few),
        }
        for share in (0.0, 0.1):
            if share and rows < 1000:
                continue
            nights = calibrated_nights(rng, rate, rows, few * NIGHTS, 1 - share).drop("night")
            frame = nights.with_columns(pl.DataFrame(columns))
            how = f"rows of every night, {100 * rate:g} % positive"
            case = {"rows": rows, "auc": None, "drop": share * rate, "drawn": how, "nights": NIGHTS}
            at = 1 if share else None
            for row in measured(frame, calibration_gates(), at):
                print(rows, rate, share, row["gate"], row["alarmed"], row.get("median_nights"), flush=True)
                yield {**case, "drop_at": at, **row}


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--dry", action="store_true", help="write nothing")
    parser.add_argument("--only", choices=["calibration"], help="replace only these rows")
    chosen = parser.parse_args()
    git = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    stamp = {"commit": commit, "version": pa.__version__, "polars": pl.__version__}
    answers: list[dict[str, Any]] = []
    calibration = pl.DataFrame([{**row, **stamp} for row in calibration_alarms(chosen.streams)])
    if chosen.only:
        table = pl.read_csv(RESULTS)
        others = table.filter(~pl.col("gate").str.starts_with("calibration"))
        if not chosen.dry:
            new = calibration.select(pl.col(name).cast(dtype) for name, dtype in table.schema.items())
            pl.concat([others, new]).write_csv(RESULTS)
        return

    def add(streams: pl.DataFrame, truth: float, drop_at: int | None = None, **case: Any) -> None:
        for row in measured(streams, gates(truth, drop_at), drop_at):
            answers.append({**case, "drop_at": drop_at, "nights": NIGHTS, **row, **stamp})
            printed = (
                case["rows"],
                case["drop"],
                drop_at,
                row["gate"],
                row["alarmed"],
                row.get("median_nights"),
            )
            print(*printed, flush=True)

    for rows, auc, fixed_reference in (
        (1000, 0.8, True),
        (10_000, 0.8, False),
        (100, 0.9, True),
        (40, 0.95, True),
    ):
        rng = np.random.default_rng([rows, round(100 * auc)])
        total = chosen.streams * NIGHTS
        pool = nights(rng, auc, rows, total if fixed_reference else total // 20)
        case: dict[str, Any] = {"rows": rows, "auc": auc}
        if fixed_reference:
            columns = {
                "stream": np.repeat(np.arange(chosen.streams), NIGHTS),
                "night": np.tile(np.arange(1, NIGHTS + 1), chosen.streams),
            }
            streams, truth = pool.with_columns(pl.DataFrame(columns)), auc
            how = "rows of every night"
        else:
            streams, truth = (
                simulated(rng, pool, chosen.streams, NIGHTS),
                float(np.mean(pool["auc"].to_numpy())),
            )
            how = f"from {pool.height} nights"
        add(streams, truth, **case, drop=0.0, drawn=how)
        for drop in DROPS if rows >= 1000 else ():
            lower = nights(rng, auc - drop, rows, total // 20)
            how = f"from {lower.height} nights"
            whole = simulated(rng, lower, chosen.streams, NIGHTS)
            add(whole, auc, 1, **case, drop=drop, drawn=how)
            late = whole.filter(pl.col("night") >= LATE)
            before = streams.filter(pl.col("night") < LATE).select(late.columns)
            add(pl.concat([before, late]).sort("stream", "night"), auc, LATE, **case, drop=drop, drawn=how)
    if not chosen.dry:
        table = pl.DataFrame([*answers, *calibration.to_dicts()], infer_schema_length=None)
        first = [
            "gate",
            "rows",
            "auc",
            "drop",
            "drop_at",
            "nights",
            "streams",
            "alarmed",
            "median_nights",
            "drawn",
        ]
        table.select(*first, *stamp).write_csv(RESULTS)


if __name__ == "__main__":
    main()
