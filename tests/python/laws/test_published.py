"""Worked examples from the literature."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

import polars_auc as pa


def frame(labels: str, scores: Sequence[float]) -> pl.DataFrame:
    return pl.DataFrame({"y": [label == "+" for label in labels], "s": scores})


def points(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(pa.roc_curve("y", "s")).explode("s").unnest("s")


def test_komarek_six_predictions() -> None:
    """Komarek 2004, figure 5.2: unit steps, area 5 of the perfect learner's 8."""
    rows = frame("++-+-+", [0.89, 0.80, 0.66, 0.51, 0.34, 0.17])
    steps = points(rows)
    assert list(steps.select("tp", "fp").iter_rows())[:4] == [(0, 0), (1, 0), (2, 0), (2, 1)]
    area = sum(
        (fp - fp_before) * (tp + tp_before) / 2
        for (fp_before, tp_before), (fp, tp) in zip(
            steps.select("fp", "tp").iter_rows(), steps[1:].select("fp", "tp").iter_rows(), strict=False
        )
    )
    assert area == 5
    assert rows.select(pa.roc_auc("y", "s")).item() == 5 / 8


@pytest.mark.parametrize(
    ("labels", "auc", "errors"),
    [("++++-+----", 24 / 25, 2), ("-++++----+", 16 / 25, 2), ("+++--++---", 21 / 25, 4)],
    ids=["C1", "C2", "C3"],
)
def test_ling_huang_zhang(labels: str, auc: float, errors: int) -> None:
    """Ling, Huang and Zhang 2003, slide 9: rank formula, and error rate with five rows predicted positive."""
    ranks = list(range(10, 0, -1))
    rows = frame(labels, [float(rank) for rank in ranks])
    positive_ranks = [rank for rank, label in zip(ranks, labels, strict=True) if label == "+"]
    assert (sum(positive_ranks) - 5 * 6 / 2) / 25 == auc
    assert rows.select(pa.roc_auc("y", "s")).item() == auc
    top_five = points(rows).filter(pl.col("tp") + pl.col("fp") == 5)
    assert top_five.select(pl.col("fp") + 5 - pl.col("tp")).item() == errors


def test_konstantin_chocolate_bars() -> None:
    """Konstantin 2011: seven bars, one tie; the mean over positives of the share of negatives below."""
    rows = frame("+-++---", [8, 5, 3, 3, 1, -3, -5])
    assert rows.select(pa.roc_auc("y", "s")).item() == 10 / 12 == (1.0 + 0.75 + 0.75) / 3


def test_twenty_rows() -> None:
    """Ling, Huang and Zhang 2003, slide 5, which is Fawcett's example."""
    scores = "0.9 0.8 0.7 0.6 0.55 0.54 0.53 0.52 0.51 0.505 0.4 0.39 0.38 0.37 0.36 0.35 0.34 0.33 0.30 0.1"
    rows = frame("++-+++--+-+-+---+-+-", [float(score) for score in scores.split()])
    steps = points(rows)
    assert steps.height == 21
    assert steps.select("threshold", "fpr", "tpr").row(10) == (0.505, 0.4, 0.6)
    assert steps.row(20) == (0.1, 10, 10, 1.0, 1.0)
    assert rows.select(pa.roc_auc("y", "s")).item() == 0.68


def test_three_methods_agree() -> None:
    """Trapezoid, pairs and ranks: the three ways of the blog post, on a score with ties."""
    rows = frame("+-+-++-+--", [5, 5, 4, 4, 4, 3, 2, 2, 2, 1])
    steps = points(rows)
    trapezoid = steps.select(
        (pl.col("fpr").diff() * (pl.col("tpr") + pl.col("tpr").shift()) / 2).sum()
    ).item()
    pairs = (
        rows.filter("y")
        .join(rows.filter(~pl.col("y")), how="cross")
        .select(((pl.col("s") > pl.col("s_right")) + 0.5 * (pl.col("s") == pl.col("s_right"))).mean())
        .item()
    )
    ranks = rows.select((pl.col("s").rank().filter("y").sum() - 5 * 6 / 2) / 25).item()
    auc = rows.select(pa.roc_auc("y", "s")).item()
    assert auc == pairs == ranks
    assert trapezoid == pytest.approx(auc, rel=1e-15)


def test_hanley_mcneil_ratings() -> None:
    """Hanley and McNeil 1982, table I: 58 normal and 51 abnormal images in five ratings, W = 0.893."""
    counts = {1: (33, 3), 2: (6, 2), 3: (6, 2), 4: (11, 11), 5: (2, 33)}
    labels, scores = "", []
    for rating, (normal, abnormal) in counts.items():
        labels += "-" * normal + "+" * abnormal
        scores += [rating] * (normal + abnormal)
    ci = frame(labels, scores).select(pa.roc_auc_ci("y", "s")).unnest("s").row(0, named=True)
    assert round(ci["auc"], 3) == 0.893
    assert (ci["n_pos"], ci["n_neg"]) == (51, 58)
    # DeLong's standard error of these ratings; Hanley and McNeil's own formula gives 0.032.
    assert round(ci["se"], 4) == 0.0307
