"""Lazy results can be pickled, serialised and copied, like other lazy frames."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa

Query = Callable[[pl.LazyFrame], pl.LazyFrame]


def report(*, scores: Any = "s", by: Any = "g", **options: Any) -> Query:
    return lambda rows: pa.report(rows, "y", scores, by=by, **options)


QUERIES: dict[str, Query] = {
    "report": report(),
    "report of all rows": report(by=()),
    "report of sorted rows": lambda rows: report(scores=["s", "t"], sorted_by="g")(rows.sort("g")),
    "NaN": report(nan="skip"),
    "low scores": report(low_is_positive=True),
    "bounded": report(memory="bounded", max_bins=16),
    "bounded, NaN": report(memory="bounded", nan="skip"),
    "bounded, versus": report(memory="bounded", versus="rest"),
    "bounded, groupings": report(memory="bounded", by=["g", "f"], groupings="cube"),
    "versus": report(versus="rest"),
    "clusters": report(versus="rest", cluster="f"),
    "comparison": report(scores=["s", "t"], compare=True),
    "folds and users": report(folds="f", user="t"),
    "stability": report(stability=pl.col("f") < 2),
    "groupings": report(by=["g", "f"], groupings="cube"),
    "report of states": lambda rows: pa.report(pa.group_states(rows, "y", "s", by="g"), state="s", by="g"),
    "group_states": lambda rows: pa.group_states(rows, "y", "s", by="g"),
    "group_states, bins": lambda rows: pa.group_states(rows, "y", "s", by="g", max_bins=16),
    "group_states, weights": lambda rows: pa.group_states(rows, "y", "s", weight="t"),
    "passes": lambda rows: pa.roc_auc_in_passes(rows, "y", "s"),
    "segments": lambda rows: pa.compare_segments(rows, "y", "s", "g"),
    "points of curves": lambda rows: pa.curve_points(rows, pa.roc_curve("y", "s"), by="g"),
    "reports": lambda rows: pa.compare_reports(report()(rows), report()(rows)),
}


@pytest.fixture
def rows(tmp_path: Path) -> pl.LazyFrame:
    number = pl.int_range(400)
    frame = pl.select(
        g=number % 3,
        y=number * 7 % 5 < 2,
        s=(number * 7919 % 401).cast(pl.Float64),
        t=number % 4,
        f=number % 5,
    )
    frame.write_parquet(tmp_path / "rows.parquet")
    return pl.scan_parquet(tmp_path / "rows.parquet")


@pytest.mark.parametrize("name", QUERIES)
def test_a_copy_gives_the_same(name: str, rows: pl.LazyFrame) -> None:
    plan = QUERIES[name](rows)
    answer = plan.collect()
    pickled = pickle.dumps(plan)
    assert_frame_equal(pickle.loads(pickled).collect(), answer)
    assert_frame_equal(copy.deepcopy(plan).collect(engine="streaming"), answer)
    assert_frame_equal(pl.LazyFrame.deserialize(io.BytesIO(plan.serialize())).collect(), answer)
    # Test again after collection.
    assert len(pickle.dumps(plan)) == len(pickled)


def test_another_process_collects(rows: pl.LazyFrame, tmp_path: Path) -> None:
    plans = {name: QUERIES[name](rows) for name in ("report", "bounded", "group_states", "passes")}
    (tmp_path / "plans").write_bytes(pickle.dumps(plans))
    script = (
        "import pickle, sys; plans = pickle.load(open(sys.argv[1], 'rb')); "
        "pickle.dump({name: plan.collect() for name, plan in plans.items()}, open(sys.argv[2], 'wb'))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "plans"), str(tmp_path / "answers")]
    subprocess.run(command, check=True)
    answers = pickle.loads((tmp_path / "answers").read_bytes())
    for name, plan in plans.items():
        assert_frame_equal(answers[name], plan.collect())


def test_errors_of_a_copy_name_the_function(rows: pl.LazyFrame) -> None:
    """Errors of a lazy result begin with the function's name, also in another process."""
    plan = pa.report(rows.with_columns(y=pl.col("y") * 2), "y", "s", memory="bounded")
    with pytest.raises(pl.exceptions.PolarsError, match=r"report: label \"y\" contains 2"):
        pickle.loads(pickle.dumps(plan)).collect()
