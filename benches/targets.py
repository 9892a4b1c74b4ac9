"""Speed and memory of this package, as ratios to contenders in the same run.

``python benches/targets.py [--rounds 9] [--rows 1e7] [--only few shapes]`` runs the contenders of each work
alternately, in another order each round. A row of ``benches/results/targets.csv`` has the medians of both,
their ratio, and the promised ratio. With ``--check`` the exit code is 1 if a promise is broken. Thread counts
and memory are measured in separate processes.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl

import polars_auc as pa
from machine import machine
from polars_auc._plugin.call import group_lists
from rows import append

RESULTS = Path(__file__).parent / "results" / "targets.csv"

Run: TypeAlias = Callable[[], object]


@dataclass(frozen=True)
class Promise:
    """``ours`` takes at most ``ratio`` times the time of ``other``; both are contenders of a work."""

    ours: str
    other: str
    ratio: float


@dataclass(frozen=True)
class Work:
    """Alternating contenders, and the promises about them."""

    name: str
    contenders: dict[str, Run]
    promises: list[Promise]
    slow: tuple[str, ...] = ()
    """Contenders that run only in the first three rounds."""


def select(frame: pl.DataFrame, *expressions: pl.Expr) -> Run:
    """Return an in-memory query over all rows."""
    plan = frame.lazy().select(expressions)
    return lambda: plan.collect(engine="in-memory")


def grouped(frame: pl.DataFrame, engine: str, *expressions: pl.Expr) -> Run:
    """Return a grouped query."""
    plan = frame.lazy().group_by("group").agg(*expressions)
    return lambda: plan.collect(engine=engine)  # type: ignore[call-overload]


AUC = pa.roc_auc("label", "score")


def normal(n: int, prevalence: float = 0.3, seed: int = 1) -> pl.DataFrame:
    """Return labels and distinct normal scores; positives are shifted by one standard deviation."""
    rng = np.random.default_rng(seed)
    label = rng.random(n) < prevalence
    return pl.DataFrame({"label": label, "score": rng.standard_normal(n) + label})


def with_scores(frame: pl.DataFrame, score: pl.Series | pl.Expr) -> pl.DataFrame:
    """Add other scores to the labels."""
    return frame.with_columns(score.alias("score")).rechunk()


def peers(n: int) -> Iterator[Work]:
    """Time one column of distinct scores, with our function and with others."""
    import polarbearings as pb
    import polars_ds as pds
    from sklearn.metrics import roc_auc_score

    frame = normal(n)
    score, label = frame["score"], frame["label"]
    contenders: dict[str, Run] = {
        "roc_auc": select(frame, AUC),
        "Series.sort()": lambda: score.sort(),
        "numpy sort": lambda: np.sort(score.to_numpy()),
        "sum of both columns": lambda: frame.select(pl.col("score").sum(), pl.col("label").sum()),
        "polarbearings": select(frame, pb.roc_auc("label", "score")),
        "polars-ds": select(frame, pds.query_roc_auc("label", "score")),
        "scikit-learn": lambda: roc_auc_score(label.to_numpy(), score.to_numpy()),
    }
    promises = [
        Promise("roc_auc", "Series.sort()", 0.18),
        Promise("roc_auc", "scikit-learn", 1 / 45),
        Promise("roc_auc", "polarbearings", 1 / 12),
        Promise("roc_auc", "polars-ds", 1 / 18),
    ]
    yield Work("one column", contenders, promises, slow=("scikit-learn",))


def few(n: int) -> Iterator[Work]:
    """Time scores with few distinct values, narrower dtypes, and few positives."""
    frame = normal(n)
    share = (frame["score"] - frame["score"].min()) / (frame["score"].max() - frame["score"].min())  # type: ignore[operator]
    columns = {
        "f32": (frame["score"].cast(pl.Float32), 0.65),
        "three decimals": (share.round(3), 0.25),
        "integers 0..1000, Int64": ((share * 1000).cast(pl.Int64), 0.25),
        "integers 0..1000, Int16": ((share * 1000).cast(pl.Int16), 0.25),
        "Boolean": (frame["score"] > 0.5, 0.25),
    }
    contenders = {"distinct f64": select(frame, AUC)}
    promises = []
    for name, (score, ratio) in columns.items():
        contenders[name] = select(with_scores(frame, score), AUC)
        promises.append(Promise(name, "distinct f64", ratio))
    contenders["1 % positives"] = select(normal(n, prevalence=0.01), AUC)
    promises.append(Promise("1 % positives", "distinct f64", 0.8))
    yield Work("other scores", contenders, promises)


def shapes(n: int) -> Iterator[Work]:
    """Time scores that are hard to distribute evenly over buckets."""
    frame = normal(n)
    rng = np.random.default_rng(7)
    uniform = rng.random(n)
    outlier = frame["score"].to_numpy().copy()
    outlier[n // 3] = 1e300
    columns = {
        "sorted": frame["score"].sort(),
        "reversed": frame["score"].sort(descending=True),
        "constant": pl.repeat(0.5, n, eager=True),
        "log-uniform over 12 decades": pl.Series(10.0 ** (12 * uniform - 6)),
        "two far clusters": pl.Series(np.where(rng.random(n) < 0.5, 1e9 + uniform, uniform * 1e-9)),
        "one outlier at 1e300": pl.Series(outlier),
        "within one ulp of 1.0": pl.Series(np.where(uniform < 0.5, 1.0, np.nextafter(1.0, 2.0))),
        "half ties, half distinct": pl.Series(np.where(uniform < 0.5, 0.5, rng.standard_normal(n))),
    }
    contenders = {"normal": select(frame, AUC)}
    for name, score in columns.items():
        contenders[name] = select(with_scores(frame, score), AUC)
    promises = [Promise(name, "normal", 1.5) for name in columns if name != "half ties, half distinct"]
    yield Work("shapes", contenders, promises)


def groups(n: int) -> Iterator[Work]:
    """Time grouped queries against the same query with lists of values, the input of the plugin."""
    rng = np.random.default_rng(3)
    lists = pl.col("score").implode(), pl.col("label").implode()
    frame = normal(n)
    for count in (10, 1000, 100_000, 1_000_000):
        group = pl.Series((rng.random(n) * count).astype(np.int32)).alias("group")
        keyed = frame.with_columns(group)
        for engine in ("streaming", "in-memory"):
            contenders = {
                "roc_auc": grouped(keyed, engine, AUC),
                "bare implode()": grouped(keyed, engine, *lists),
            }
            promises = [Promise("roc_auc", "bare implode()", 1.2)]
            if count == 1000 and engine == "in-memory":
                # The kernel forms the groups itself.
                columns = {name: pl.col(name) for name in ("label", "score")}
                contenders["grouped_roc_auc"] = select(keyed, pa.grouped_roc_auc("label", "score", "group"))
                contenders["lists at once"] = select(keyed, group_lists(["group"], columns))
                promises.append(Promise("grouped_roc_auc", "bare implode()", 0.6))
            yield Work(f"{count} groups, {engine}", contenders, promises)


def skewed(n: int) -> Iterator[Work]:
    """Time half of all rows in one group, with many tiny groups."""
    rng = np.random.default_rng(5)
    frame = normal(n)
    even = np.arange(n) // 10
    large = np.where(np.arange(n) < n // 2, n, np.arange(n) // 5)
    order = rng.permutation(n)
    for engine in ("streaming", "in-memory"):
        contenders = {
            name: grouped(frame.with_columns(pl.Series("group", group[order].astype(np.int32))), engine, AUC)
            for name, group in {"one large group": large, "balanced": even}.items()
        }
        promises = [Promise("one large group", "balanced", 1.3)]
        yield Work(f"one large group beside many tiny ones, {engine}", contenders, promises)


def small(_: int) -> Iterator[Work]:
    """Time many queries of a hundred rows."""
    frame = normal(100)
    none = frame.clear()
    sums = pl.col("label").sum(), pl.col("score").sum()

    def thousand(*expressions: pl.Expr) -> Run:
        return lambda: [frame.select(*expressions) for _ in range(1000)]

    contenders = {
        "roc_auc": thousand(AUC),
        "roc_auc of no rows": lambda: [none.select(AUC) for _ in range(1000)],
        "two sums": thousand(*sums),
        "first of two lists": thousand(pl.col("score").implode().first(), pl.col("label").implode().first()),
    }
    yield Work("1000 selects of 100 rows", contenders, [Promise("roc_auc", "two sums", 1.7)])


def statistics_of_one_column(n: int) -> Iterator[Work]:
    """Time other statistics of the same column."""
    frame = normal(n)
    expressions = {
        "roc_auc": AUC,
        "mann_whitney_u": pa.mann_whitney_u("label", "score"),
        "roc_auc_ci": pa.roc_auc_ci("label", "score"),
        "roc_summary": pa.roc_summary("label", "score"),
        "ks_statistic": pa.ks_statistic("label", "score"),
        "average_precision": pa.average_precision("label", "score"),
        "operating_point": pa.operating_point("label", "score"),
        "roc_auc(max_fpr=)": pa.roc_auc("label", "score", max_fpr=0.1),
        "gains_table": pa.gains_table("label", "score"),
    }
    contenders = {name: select(frame, expression) for name, expression in expressions.items()}
    ratios = {
        "mann_whitney_u": 1.2,
        "roc_auc_ci": 1.3,
        "roc_summary": 1.5,
        "ks_statistic": 1.2,
        "average_precision": 1.3,
        "operating_point": 1.4,
        "roc_auc(max_fpr=)": 1.3,
        "gains_table": 1.5,
    }
    promises = [Promise(name, "roc_auc", ratio) for name, ratio in ratios.items()]
    yield Work("statistics", contenders, promises)
    tied = with_scores(frame, (pl.col("score") * 3000).cast(pl.Int16))
    names = ("roc_auc", "mann_whitney_u")
    contenders = {name: select(tied, expressions[name]) for name in names}
    yield Work("statistics of 16-bit scores", contenders, [Promise("mann_whitney_u", "roc_auc", 3.0)])


def several_columns(n: int) -> Iterator[Work]:
    """Time statistics of further columns, relative to the area of the same rows."""
    rows = n // 10
    rng = np.random.default_rng(11)
    frame = normal(rows).with_columns(
        second=rng.standard_normal(rows),
        third=rng.standard_normal(rows),
        weight=rng.random(rows),
        fold=rng.integers(0, 5, rows),
        kind=pl.Series(rng.choice(["a", "b", "c"], rows)),
    )
    scores, weight = ("label", "score", "second"), "weight"
    probabilities = [pl.col("score").alias("a"), pl.col("second").alias("b"), pl.col("third").alias("c")]
    expressions = {
        "roc_auc": AUC,
        "rank_agreement": pa.rank_agreement("score", "second"),
        "concordance_index": pa.concordance_index("weight", "label", "score"),
        "gini_index": pa.gini_index("weight", "score"),
        "multiclass_roc_auc": pa.multiclass_roc_auc("kind", *probabilities),
        "roc_auc_ci(weight=)": pa.roc_auc_ci("label", "score", weight=weight),
        "roc_auc_difference(weight=)": pa.roc_auc_difference(*scores, weight=weight),
        "cv_roc_auc(weight=)": pa.cv_roc_auc("label", "score", fold="fold", weight=weight),
    }
    contenders = {name: select(frame, expression) for name, expression in expressions.items()}
    promises = [Promise(name, "roc_auc", 50.0) for name in expressions if name != "roc_auc"]
    yield Work(f"several columns, {rows} rows", contenders, promises)


def reports(n: int) -> Iterator[Work]:
    """Time a report of three scores by group and overall, relative to three areas of each group."""
    rng = np.random.default_rng(4)
    names = ("score", "second", "third")
    others = [pl.Series(name, rng.standard_normal(n)) for name in names[1:]]
    columns = {name: pl.col(name) for name in ("label", *names)}
    for count, promised in ((1000, 1.3), (n // 10, 1.0)):
        group = pl.Series("group", (rng.random(n) * count).astype(np.int32))
        frame = normal(n).with_columns(*others, group)
        areas = [pa.roc_auc("label", name) for name in names]
        plan = pa.report(frame.lazy(), "label", list(names), by="group")
        lists = [column.implode() for column in columns.values()]
        contenders: dict[str, Run] = {
            "report": functools.partial(plan.collect, engine="in-memory"),
            "three roc_auc": grouped(frame, "in-memory", *areas),
            "lists at once": select(frame, group_lists(["group"], columns)),
            "bare implode()": grouped(frame, "in-memory", *lists),
        }
        promises = [
            Promise("report", "three roc_auc", promised),
            Promise("lists at once", "bare implode()", 0.6),
        ]
        yield Work(f"report of {count} groups", contenders, promises)
    frame = normal(n).with_columns(segment=rng.integers(0, 20, n))
    plans = {
        name: pa.report(frame.lazy(), "label", "score", by="segment", versus=versus)
        for name, versus in (("report", None), ("report(versus=)", "overall"))
    }
    contenders = {name: functools.partial(plan.collect, engine="in-memory") for name, plan in plans.items()}
    compare = functools.partial(pa.compare_segments, frame, "label", "score", "segment", versus="overall")
    contenders["report, then compare_segments"] = lambda: (contenders["report"](), compare())
    yield Work("report of 20 segments", contenders, [Promise("report(versus=)", "report", 1.5)])
    yield many_scores()


def many_scores() -> Work:
    """Time a report of fifty scores by ten groups of 10^4 rows and overall, relative to their areas."""
    rng = np.random.default_rng(4)
    label = rng.random(100_000) < 0.3
    scores = {f"score {place}": rng.standard_normal(label.size) + label for place in range(50)}
    frame = pl.DataFrame({"label": label, "group": np.arange(label.size) % 10, **scores})
    areas = [pa.roc_auc("label", name) for name in scores]
    plan = pa.report(frame.lazy(), "label", list(scores), by="group")
    intervals = [pa.roc_auc_ci("label", name) for name in scores]

    def grouped_and_overall(expressions: list[pl.Expr]) -> Run:
        plans = [frame.lazy().group_by("group").agg(expressions), frame.lazy().select(expressions)]
        return lambda: [each.collect(engine="in-memory") for each in plans]

    contenders: dict[str, Run] = {
        "report": functools.partial(plan.collect, engine="in-memory"),
        "roc_auc of groups and of all rows": grouped_and_overall(areas),
        "roc_auc_ci of groups and of all rows": grouped_and_overall(intervals),
    }
    promises = [Promise("report", "roc_auc of groups and of all rows", 1.2)]
    return Work("report of 50 scores by 10 groups", contenders, promises)


def users(n: int) -> Iterator[Work]:
    """Time the mean area of very many users, relative to a plain mean of each."""
    count = n // 10
    user = pl.Series("user", (np.random.default_rng(5).random(n) * count).astype(np.int32))
    frame = normal(n).with_columns(user)
    plain = frame.lazy().group_by("user").agg(pl.col("score").mean()).select(pl.col("score").mean())
    contenders: dict[str, Run] = {
        "grouped_roc_auc": select(frame, pa.grouped_roc_auc("label", "score", "user")),
        "group_by(user) and mean": functools.partial(plain.collect, engine="in-memory"),
        "lists at once": select(
            frame, group_lists(["user"], {name: pl.col(name) for name in ("label", "score")})
        ),
    }
    promise = Promise("grouped_roc_auc", "group_by(user) and mean", 0.8)
    yield Work(f"{count} users", contenders, [promise])


def states(n: int) -> Iterator[Work]:
    """Time exact states, merging many, and evaluating a month of daily states."""
    frame = normal(n)
    for name, scores, other, promised in (
        ("distinct", frame, "Series.sort()", 1.15),
        ("10^3 scores", _few_rows(frame), "roc_auc", 1.2),
    ):
        contenders = {
            "roc_state": select(scores, pa.roc_state("label", "score")),
            "roc_auc": select(scores, AUC),
            "Series.sort()": scores["score"].sort,
        }
        yield Work(f"exact state, {name}", contenders, [Promise("roc_state", other, promised)])
    same = pl.DataFrame({"part": np.arange(n) // 10_000, "score": (np.arange(n) % 10_000).astype(float)})
    parts = same.with_columns(frame["label"]).group_by("part").agg(state=pa.roc_state("label", "score"))
    bins = parts.select(pl.col("state").struct.field("bins").list.explode()).unnest("bins").rechunk()
    contenders = {
        "merge": select(parts, pa.roc_auc(state="state")),
        "roc_auc": select(frame, AUC),
        "sums of the bins": functools.partial(bins.select, pl.all().sum()),
        "implode() of the states": select(parts, pl.col("state").implode()),
    }
    yield Work(f"merge {parts.height} states of 10^4 bins", contenders, [Promise("merge", "roc_auc", 0.5)])
    rng = np.random.default_rng(7)
    rows = frame.with_columns(group=rng.integers(0, 200, n), day=rng.integers(0, 30, n))
    for name, column, limit in (
        ("scores to 2 decimals", pl.col("score").round(2), None),
        ("max_bins=256", pl.col("score"), 256),
    ):
        kept = rows.with_columns(score=column)
        days = kept.group_by("group", "day").agg(state=pa.roc_state("label", "score", max_bins=limit))
        contenders = {
            "states": grouped(days, "in-memory", pa.roc_auc_ci(state="state")),
            "rows": grouped(kept, "in-memory", pa.roc_auc_ci("label", "score")),
            "implode() of the states": grouped(days, "in-memory", pl.col("state").implode()),
        }
        yield Work(f"month of 30 days, 200 segments, {name}", contenders, [Promise("states", "rows", 0.1)])


def windows(n: int) -> Iterator[Work]:
    """Time merging the last 28 days of each day of a year, relative to one merge of the year."""
    frame = normal(n)
    rng = np.random.default_rng(8)
    rows = frame.with_columns(group=rng.integers(0, 200, n), day=rng.integers(0, 365, n))
    for name, column, limit in (
        ("scores to 2 decimals", pl.col("score").round(2), None),
        ("max_bins=64", pl.col("score"), 64),
    ):
        kept = rows.with_columns(score=column)
        days = kept.group_by("group", "day").agg(state=pa.roc_state("label", "score", max_bins=limit))
        days = days.sort("day", "group")
        rolling = pa.rolling_merge_states("state", "day", window=28, within="group")
        plan = days.lazy().with_columns(rolling)
        answer = plan.collect(engine="in-memory")
        contenders: dict[str, Run] = {
            "windows of 28 days": functools.partial(plan.collect, engine="in-memory"),
            "one merge of the year": grouped(days, "in-memory", pa.merge_states("state")),
            "rolling() of Polars": functools.partial(_rolling_of_polars, days),
            "a copy of the windows": pl.concat([answer, answer.head(1)], rechunk=False).rechunk,
        }
        promise = Promise("windows of 28 days", "one merge of the year", 3.0)
        work = f"365 days, 200 segments, {name}"
        yield Work(work, contenders, [promise], slow=("rolling() of Polars",))


def _rolling_of_polars(days: pl.DataFrame) -> pl.DataFrame:
    rolling = days.sort("group", "day").rolling("day", period="28i", group_by="group")
    return rolling.agg(pa.merge_states("state"))


def segments(n: int) -> Iterator[Work]:
    """Time comparisons of segments with the others, with the pooled others, and with all rows."""
    frame = normal(n).with_columns(segment=np.random.default_rng(4).integers(0, 20, n))
    contenders: dict[str, Run] = {"roc_auc": select(frame, AUC)}
    words = ("rest", "pooled_rest", "overall")
    for versus in words:
        compare = functools.partial(pa.compare_segments, frame, "label", "score", "segment", versus=versus)
        contenders[f"compare_segments, {versus}"] = compare
    contenders["20 areas"] = lambda: frame.group_by("segment").agg(AUC)
    promises = [Promise(f"compare_segments, {versus}", "roc_auc", 6.0) for versus in words]
    yield Work("20 segments", contenders, promises)


def _few_rows(frame: pl.DataFrame) -> pl.DataFrame:
    return with_scores(frame, (pl.col("score") * 125).round())


def two_scores(n: int) -> Iterator[Work]:
    """Time comparisons of two scores, and three scores, of the same rows."""
    rng = np.random.default_rng(6)
    frame = normal(n).with_columns(pl.Series(name, rng.standard_normal(n)) for name in ("second", "third"))
    names = ["score", "second", "third"]
    intervals = [pa.roc_auc_ci("label", name) for name in names]
    area = select(frame, AUC)
    contenders = {
        "roc_auc": area,
        "roc_auc_difference": select(frame, pa.roc_auc_difference("label", "score", "second")),
        "two roc_auc_ci": select(frame, *intervals[:2]),
    }
    yield Work("two scores", contenders, [Promise("roc_auc_difference", "roc_auc", 3.5)])
    contenders = {
        "roc_auc": area,
        "compare_scores": select(frame, pa.compare_scores("label", *names)),
        "three roc_auc_ci": select(frame, *intervals),
    }
    yield Work("three scores", contenders, [Promise("compare_scores", "roc_auc", 1.4 * len(names))])


def bootstraps(n: int) -> Iterator[Work]:
    """Time the two bootstrap methods of an area."""
    rows = normal(n // 10)
    contenders = {
        "bootstrap_ci": select(rows, pa.bootstrap_ci("roc_auc", "label", "score")),
        "roc_auc_ci(bootstrap)": select(rows, pa.roc_auc_ci("label", "score", method="bootstrap")),
    }
    promise = Promise("roc_auc_ci(bootstrap)", "bootstrap_ci", 2.0)
    yield Work(f"bootstrap of {rows.height} rows", contenders, [promise])


def reviewers(n: int) -> Iterator[Work]:
    """Time a partial area with its interval, exact tests, and reader studies."""
    frame = normal(n)
    contenders = {
        "roc_auc": select(frame, AUC),
        "roc_auc_ci(max_fpr=)": select(frame, pa.roc_auc_ci("label", "score", max_fpr=0.1)),
        "concordance_index": select(frame.head(n // 10), pa.concordance_index("score", "label", "score")),
    }
    yield Work("intervals", contenders, [Promise("roc_auc_ci(max_fpr=)", "roc_auc", 1.5)])
    cases, columns = n // 100, [(reader, modality) for reader in range(5) for modality in range(2)]
    one = normal(cases * len(columns)).with_columns(case=pl.int_range(pl.len()) % cases)
    cell = pl.int_range(pl.len()) // cases
    readings = one.with_columns(
        reader=cell // 2, modality=cell % 2, label=pl.col("label").first().over("case")
    )
    study = pa.mrmc_roc_auc
    contenders = {
        "mrmc_roc_auc": lambda: study(
            readings, "label", "score", reader="reader", modality="modality", case="case"
        ),
        "roc_auc": select(readings, AUC),
    }
    yield Work(
        f"5 readers, 2 modalities, {cases} cases", contenders, [Promise("mrmc_roc_auc", "roc_auc", 12.0)]
    )


def curve(n: int) -> Iterator[Work]:
    """Time all points of the curve of distinct scores."""
    frame = normal(n)
    contenders = {
        "roc_curve": select(frame, pa.roc_curve("label", "score")),
        "sort of score with label": lambda: frame.sort("score", descending=True),
        "Series.sort()": frame["score"].sort,
    }
    yield Work("all points of a curve", contenders, [Promise("roc_curve", "Series.sort()", 1.15)])


def points(n: int) -> Iterator[Work]:
    """Time a thinned curve, and weighted rows, relative to the plain AUC."""
    frame = normal(n)
    weight = pl.Series("weight", np.random.default_rng(9).gamma(2.0, size=n))
    contenders = {
        "roc_auc": select(frame, AUC),
        "roc_curve(max_points=1000)": select(frame, pa.roc_curve("label", "score", max_points=1000)),
        "roc_auc(weight=)": select(frame.with_columns(weight), pa.roc_auc("label", "score", weight="weight")),
    }
    promises = [
        Promise("roc_curve(max_points=1000)", "roc_auc", 1.2),
        Promise("roc_auc(weight=)", "roc_auc", 1.8),
    ]
    yield Work("a curve to draw, and weights", contenders, promises)


def weights(n: int) -> Iterator[Work]:
    """Time weighted rows in many groups, segments and scores, relative to unweighted rows."""
    rows, groups = n // 10, n // 100
    frame = normal(rows).with_columns(weight=pl.Series(np.random.default_rng(9).random(rows)))
    keys = np.random.default_rng(3)
    in_groups = frame.with_columns(group=keys.integers(0, groups, rows))
    contenders: dict[str, Run] = {
        "roc_auc": grouped(in_groups, "in-memory", AUC),
        "roc_auc(weight=)": grouped(in_groups, "in-memory", pa.roc_auc("label", "score", weight="weight")),
    }
    yield Work(f"{groups} groups of 10 rows", contenders, [Promise("roc_auc(weight=)", "roc_auc", 3.0)])
    rows, segments = n // 100, n // 10_000
    few = frame.head(rows).with_columns(segment=keys.integers(0, segments, rows))
    compare = functools.partial(pa.compare_segments, few, "label", "score", "segment")
    contenders = {"compare_segments": compare, "compare_segments(weight=)": lambda: compare(weight="weight")}
    promise = Promise("compare_segments(weight=)", "compare_segments", 10.0)
    yield Work(f"{rows} rows in {segments} segments", contenders, [promise])
    scores = [f"score_{number}" for number in range(10)]
    few = few.with_columns(pl.Series(name, keys.standard_normal(rows)) for name in scores)
    contenders = {
        "compare_scores": select(few, pa.compare_scores("label", *scores)),
        "compare_scores(weight=)": select(few, pa.compare_scores("label", *scores, weight="weight")),
    }
    promise = Promise("compare_scores(weight=)", "compare_scores", 20.0)
    yield Work(f"{len(scores)} scores of {rows} rows", contenders, [promise])


def operating_points(n: int) -> Iterator[Work]:
    """Time the best threshold of each of very many groups."""
    count = n // 10
    group = pl.Series((np.random.default_rng(3).random(n) * count).astype(np.int32)).alias("group")
    frame = normal(n).with_columns(group)
    for engine in ("streaming", "in-memory"):
        contenders = {
            "roc_auc": grouped(frame, engine, AUC),
            "operating_point": grouped(frame, engine, pa.operating_point("label", "score")),
        }
        promises = [Promise("operating_point", "roc_auc", 1.5)]
        yield Work(f"{count} groups of 10 rows, {engine}", contenders, promises)


def alone(n: int, statistic: str = "roc_auc") -> dict[str, float]:
    """Time a query, and measure its memory in this process."""
    frame = normal(n)
    run = select(frame, getattr(pa, statistic)("label", "score"))
    select(frame.head(1 << 18), AUC)()  # threads and engine take their memory
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    run()
    extra = (resident("VmHWM") - before) / frame["score"].estimated_size()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return {"seconds": statistics.median(times), "extra": extra}


def resident(what: str) -> float:
    """Return a memory reading of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith(what))


def in_a_process(n: int, threads: int | None = None, statistic: str = "roc_auc") -> dict[str, float]:
    """Run ``alone`` in a process with this number of threads."""
    environment = {**os.environ, **({"POLARS_MAX_THREADS": str(threads)} if threads else {})}
    command = [sys.executable, __file__, "--alone", str(n), "--statistic", statistic]
    answer = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(answer.stdout)
    return measured


WORKS: dict[str, Callable[[int], Iterator[Work]]] = {
    "peers": peers,
    "few": few,
    "shapes": shapes,
    "groups": groups,
    "skewed": skewed,
    "small": small,
    "statistics": statistics_of_one_column,
    "several_columns": several_columns,
    "reviewers": reviewers,
    "bootstraps": bootstraps,
    "curve": curve,
    "points": points,
    "weights": weights,
    "operating_points": operating_points,
    "reports": reports,
    "users": users,
    "two_scores": two_scores,
    "states": states,
    "windows": windows,
    "segments": segments,
}


@dataclass
class Row:
    """One comparison."""

    work: str
    ours: str
    other: str
    runs: int
    ours_median: float
    other_median: float
    ratio: float
    promised: float | None


def timed(work: Work, rounds: int) -> Iterator[Row]:
    """Run the contenders alternately."""
    times: dict[str, list[float]] = {name: [] for name in work.contenders}
    for name, run in work.contenders.items():
        if name not in work.slow:
            run()  # warms up
    order = random.Random(1)
    for number in range(rounds):
        # A contender affects caches and allocator of the next one, so the order changes.
        for name in order.sample(list(work.contenders), len(work.contenders)):
            if number < 3 or name not in work.slow:
                start = time.perf_counter()
                work.contenders[name]()
                times[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(durations) for name, durations in times.items()}
    promised = {(promise.ours, promise.other): promise.ratio for promise in work.promises}
    if len({promise.ours for promise in work.promises}) == 1:
        ours = work.promises[0].ours
        pairs = [*promised, *((ours, name) for name in medians if name != ours)]
    else:
        other = work.promises[0].other
        pairs = [*promised, *((name, other) for name in medians if name != other)]
    for one, other in dict.fromkeys(pairs):
        ratio = medians[one] / medians[other]
        yield Row(
            work.name,
            one,
            other,
            len(times[one]),
            medians[one],
            medians[other],
            ratio,
            promised.get((one, other)),
        )


def threads(n: int, rounds: int) -> Iterator[Row]:
    """Time one thread and two."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for count, durations in times.items():
            durations.append(in_a_process(n, count)["seconds"])
    one, two = statistics.median(times[1]), statistics.median(times[2])
    yield Row("threads", "2 threads", "1 thread", rounds, two, one, two / one, 1 / 1.7)


def growth(n: int, rounds: int) -> Iterator[Row]:
    """Use a hundred times the rows, and measure the additional memory."""
    fewer, more = n // 10, n * 10
    measured: dict[int, list[dict[str, float]]] = {fewer: [], more: []}
    for _ in range(rounds):
        for count, answers in measured.items():
            answers.append(in_a_process(count))
    median = {
        count: statistics.median(answer["seconds"] for answer in answers)
        for count, answers in measured.items()
    }
    linear = median[fewer] * (more // fewer)
    yield Row(
        "growth",
        f"{more:.0e} rows",
        f"{more // fewer} times {fewer:.0e} rows",
        rounds,
        median[more],
        linear,
        median[more] / linear,
        1.15,
    )
    for count in measured:
        extra = statistics.median(answer["extra"] for answer in measured[count])
        size = 8.0 * count
        yield Row(
            "memory, bytes",
            f"extra, {count:.0e} rows",
            "the score column",
            rounds,
            extra * size,
            size,
            extra,
            1.25,
        )


def curve_memory(n: int, rounds: int) -> Iterator[Row]:
    """Measure the memory of a curve of distinct scores, without its rows."""
    extra = statistics.median(in_a_process(n, statistic="roc_curve")["extra"] for _ in range(rounds))
    # Five columns of eight bytes for each point, and the keys once.
    allowed = 8.0 * 5 * n + 8.0 * n
    gigabytes = extra * 8.0 * n
    yield Row(
        "memory, bytes",
        "roc_curve",
        "its points and one copy of keys",
        rounds,
        gigabytes,
        allowed,
        gigabytes / allowed,
        1.0,
    )


def main() -> int:
    """Measure, print and append."""
    parser = argparse.ArgumentParser(description="Hold this package's speed against what is promised.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument(
        "--only", nargs="+", choices=[*WORKS, "threads", "growth", "curve_memory"], help="these works"
    )
    parser.add_argument("--check", action="store_true", help="fail where a promise is not kept")
    parser.add_argument("--dry", action="store_true", help="append nothing")
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--statistic", default="roc_auc", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone:
        print(json.dumps(alone(chosen.alone, chosen.statistic)))
        return 0
    n = int(chosen.rows)
    measured: list[Row] = []

    def take(rows: Iterator[Row]) -> None:
        for row in rows:
            measured.append(row)
            kept = "" if row.promised is None else "  kept" if row.ratio <= row.promised else "  NOT KEPT"
            promised = "" if row.promised is None else f" (promised {row.promised:.3f})"
            medians = f"{row.ours_median:.4g} / {row.other_median:.4g} = {row.ratio:.3f}"
            print(f"{row.work:<44} {row.ours:>28} / {row.other:<26} {medians}{promised}{kept}", flush=True)

    for name, works in WORKS.items():
        if not chosen.only or name in chosen.only:
            for work in works(n):
                take(timed(work, chosen.rounds))
    for name, processes in {"threads": threads, "growth": growth, "curve_memory": curve_memory}.items():
        if not chosen.only or name in chosen.only:
            take(processes(n, min(chosen.rounds, 5)))
    if not chosen.dry:
        stamp = {
            "date": time.strftime("%Y-%m-%d"),
            "version": pa.__version__,
            "polars": pl.__version__,
            "rows": n,
        }
        table = pl.DataFrame(
            [{**stamp, **vars(row), **machine()} for row in measured], infer_schema_length=None
        )
        table = table.with_columns(
            pl.col("ours_median", "other_median", "ratio", "promised").round_sig_figs(4)
        )
        append(table, RESULTS)
    broken = [row for row in measured if row.promised is not None and row.ratio > row.promised]
    return 1 if chosen.check and broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
