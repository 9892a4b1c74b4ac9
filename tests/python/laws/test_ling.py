"""The tables of Ling, Huang and Zhang (2003): AUC and accuracy over all rankings of a test set."""

from __future__ import annotations

import itertools

import polars as pl
import pytest

import polars_auc as pa


def rankings(n: int, n_pos: int) -> pl.DataFrame:
    """Return every ranking of ``n`` rows with ``n_pos`` positives, by AUC (concordant pairs) and accuracy.

    The top ``n_pos`` rows of a ranking are predicted positive. Ranks are the scores, so there are no ties.
    """
    auc, correct = [], []
    for chosen in itertools.combinations(range(n), n_pos):
        # A positive of rank r, the k-th of the positives from below, beats r - k negatives.
        auc.append(sum(rank - k for k, rank in enumerate(chosen)))
        correct.append(sum(rank >= n - n_pos for rank in chosen))
    return pl.DataFrame({"auc": auc, "accuracy": correct})


# n: pairs of rankings in the same order by both measures (R), in opposite order (S), and distinguished only
# by AUC (P) or only by accuracy (Q). The slide's 12716 for n = 12 is a misprint of 12761, consistent with its
# degree.
BALANCED = {
    4: (9, 0, 5, 0),
    6: (113, 1, 62, 4),
    8: (1459, 34, 762, 52),
    10: (19742, 766, 9416, 618),
    12: (273600, 13997, 120374, 7369),
    14: (3864673, 237303, 1578566, 89828),
    16: (55370122, 3868959, 21161143, 1121120),
}
QUARTER = {
    4: (3, 0, 3, 0),
    8: (187, 10, 159, 10),
    12: (12761, 1225, 8986, 489),
    16: (926884, 114074, 559751, 25969),
}


@pytest.mark.parametrize("n", [4, 6, 8, 10, 12, 14, 16])
def test_balanced(n: int) -> None:
    check(rankings(n, n // 2), BALANCED[n])


@pytest.mark.parametrize("n", [4, 8, 12, 16])
def test_a_quarter_positive(n: int) -> None:
    check(rankings(n, n // 4), QUARTER[n])


def check(frame: pl.DataFrame, published: tuple[int, int, int, int]) -> None:
    got = frame.select(pa.rank_agreement("auc", "accuracy")).unnest("auc").row(0, named=True)
    pairs = (got["concordant"], got["discordant"], got["tied_y"], got["tied_x"])
    assert pairs == published
    agree, against, by_auc, by_accuracy = published
    assert got["consistency"] == agree / (agree + against)
    assert got["discriminancy"] == (by_auc / by_accuracy if by_accuracy else None)
