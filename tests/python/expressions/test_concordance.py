"""The concordance index of censored times, compared with other packages and its documentation."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

import polars_auc as pa

# Weeks, whether the event was observed, and a score.
ROWS = pl.DataFrame(
    [
        (20, True, 3.0),
        (17, True, 8.0),
        (25, True, 13.0),
        (52, False, 1.0),
        (52, False, 3.0),
        (23, True, 4.0),
        (37, False, 4.0),
        (30, False, 0.0),
        (44, True, 2.0),
        (17, False, 8.0),
        (49, True, 1.0),
        (25, True, 2.0),
    ],
    schema={"week": pl.Int64, "event": pl.Boolean, "score": pl.Float64},
    orient="row",
)

HARRELL = (0.7444444444444445, 31, 9, 5)
UNO, UNO_BEFORE_25 = 0.7189054726368159, 0.7777777777777778


def index(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    return frame.select(pa.concordance_index("week", "event", "score", **options)).item()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("week", r'concordance_index: time "week" has dtype str, expected numbers or Booleans'),
        ("score", r'concordance_index: score "score" has dtype str, expected numbers or Booleans'),
        ("event", r'concordance_index: event "event" has dtype str'),
    ],
)
def test_a_wrong_dtype_is_reported_by_role(column: str, message: str) -> None:
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        index(ROWS.with_columns(pl.col(column).cast(pl.String)))


def test_as_scikit_survival() -> None:
    """Expected values are from scikit-survival's ``concordance_index_censored`` and
    ``concordance_index_ipcw``.
    """
    harrell = index(ROWS)
    assert (harrell["concordant"], harrell["discordant"], harrell["tied"]) == HARRELL[1:]
    assert harrell["concordance"] == pytest.approx(HARRELL[0], rel=1e-15)
    assert (harrell["n_events"], harrell["n"]) == (7, 12)
    # Without the row that is censored at an event time: both functions use a different G there.
    apart = ROWS.filter((pl.col("week") != 17) | pl.col("event"))
    assert index(apart, method="uno")["concordance"] == pytest.approx(UNO, rel=1e-14)
    assert index(apart, method="uno", tau=25)["concordance"] == pytest.approx(UNO_BEFORE_25, rel=1e-14)


def test_a_censored_row_is_later_than_an_event_at_its_time() -> None:
    rows = pl.DataFrame({"week": [5, 5, 5], "event": [1, 1, 0], "score": [3, 2, 1]})
    assert index(rows)["concordant"] == 2
    assert index(rows)["concordance"] == 1.0
    assert index(rows.with_columns(event=0))["concordance"] is None


def test_without_censoring_it_is_the_auc() -> None:
    rows = pl.DataFrame({"week": [1, 1, 2, 2, 2], "event": [1] * 5, "score": [3, 1, 2, 1, 0]})
    auc = rows.select(pa.roc_auc(pl.col("week") == 1, "score")).item()
    assert index(rows)["concordance"] == index(rows, method="uno")["concordance"] == auc


def test_in_groups_and_with_counts() -> None:
    counted = pl.concat([ROWS.with_columns(group=pl.lit(g), n=pl.lit(n)) for g, n in (("a", 1), ("b", 3))])
    by_group = counted.group_by("group", maintain_order=True).agg(
        pa.concordance_index("week", "event", "score", count="n")
    )
    once, thrice = by_group["score"].to_list()
    assert once == index(ROWS)
    assert thrice == index(pl.concat([ROWS] * 3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "somers"}, "concordance_index: method must be one of 'harrell', 'uno'"),
        ({"tau": math.nan}, "concordance_index: tau must be a time, such as 365.0, got nan"),
        ({"level": 95}, "concordance_index: level must"),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        index(ROWS, **options)


def test_an_event_that_is_no_truth_value() -> None:
    with pytest.raises(pl.exceptions.ComputeError, match='concordance_index: event "event" contains 2'):
        index(ROWS.with_columns(event=pl.Series([2] + [1] * 11)))
