"""States of a frame of Daft equal those of Polars."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import daft
import polars as pl
import pytest

import polars_auc as pa
import polars_auc.daft as pad

SCORES = ["score", "integer", "unsigned", "decimal", "small", "flag"]

CASES: list[tuple[Any, dict[str, Any]]] = [
    ("segment", {}),
    ([], {}),
    (["day", "segment"], {"max_bins": 16}),
    (["flag", "segment", "unsigned"], {}),
    ("small", {}),
    (["segment", "score"], {}),
    ("unsigned", {"count": "count"}),
    ("segment", {"weight": "count"}),
    ([], {"max_bins": 32, "scale": "real"}),
]


@pytest.fixture(scope="module")
def frame(rows: pl.DataFrame) -> daft.DataFrame:
    return daft.from_arrow(rows.to_arrow())


@pytest.mark.parametrize("batch_rows", [100, 2_000_000])
@pytest.mark.parametrize(("by", "options"), CASES)
def test_states_are_equal(
    by: Any,
    options: dict[str, Any],
    batch_rows: int,
    frame: daft.DataFrame,
    rows: pl.DataFrame,
    same: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pad, "_BATCH_ROWS", batch_rows)
    scores = [score for score in SCORES if score not in ([by] if isinstance(by, str) else by)]
    got = pl.DataFrame(pad.group_states(frame, "label", scores, by=by, **options).to_arrow())
    expected = pa.group_states(rows, "label", scores, by=by, **options)
    same(got, expected)
    assert got.select(by).equals(expected.select(by))


@pytest.mark.parametrize("by", ["segment", []])
def test_no_rows(by: Any, frame: daft.DataFrame, rows: pl.DataFrame, same: Callable[..., None]) -> None:
    for empty in (frame.where(daft.col("day").is_null()), daft.from_arrow(rows.clear().to_arrow())):
        got = pl.DataFrame(pad.group_states(empty, "label", SCORES, by=by).to_arrow())
        same(got, pa.group_states(rows.clear(), "label", SCORES, by=by))


def test_states_go_through_parquet(
    frame: daft.DataFrame, rows: pl.DataFrame, tmp_path: Path, same: Callable[..., None]
) -> None:
    """Daft and Polars each write states of some days; each reads the states of the other."""
    first = daft.col("day") == daft.lit("2026-05-01").cast(daft.DataType.date())
    pad.group_states(frame.where(first), "label", "score", by="segment").write_parquet(str(tmp_path))
    rest = pa.group_states(rows.filter(pl.col("day") > pl.date(2026, 5, 1)), "label", "score", by="segment")
    rest.write_parquet(tmp_path / "rest.parquet")
    both = pl.DataFrame(daft.read_parquet(f"{tmp_path}/*.parquet").to_arrow())
    same(
        both.group_by("segment").agg(pa.roc_auc_ci(state="score")),
        rows.group_by("segment").agg(pa.roc_auc_ci("label", "score")),
    )


def test_a_label_that_is_neither_is_refused(frame: daft.DataFrame) -> None:
    states = pad.group_states(frame.with_column("label", daft.lit(2)), "label", "score")
    with pytest.raises(
        pl.exceptions.ComputeError, match='group_states: label "label" contains 2, expected Booleans'
    ):
        states.collect()


WRONG: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (
        lambda frame: pad.group_states(frame.to_arrow(), "label", "score"),
        TypeError,
        "group_states: frame must be a DataFrame of Daft, got pyarrow.lib.Table; for other frames write",
    ),
    (
        lambda frame: pad.group_states(frame, daft.col("label"), "score"),
        TypeError,
        r"group_states: columns are names, got col\(label\). Hint: make other columns by frame.with_column",
    ),
    (
        lambda frame: pad.group_states(frame, "label", ["score", "score"]),
        ValueError,
        "group_states: two columns of the result are named 'score'",
    ),
    (
        lambda frame: pad.group_states(frame, "label", []),
        ValueError,
        "group_states: scores must name at least one column, got none",
    ),
    (
        lambda frame: pad.group_states(frame, "label", "score", by=daft.col("segment")),
        TypeError,
        r"group_states: by must be column names, got \[col\(segment\)\]",
    ),
    (
        lambda frame: pad.group_states(frame, "label", "score", max_bins=3),
        ValueError,
        "group_states: max_bins must be an integer from 16",
    ),
    (
        lambda frame: pad.group_states(frame, "segment", "score"),
        pl.exceptions.ComputeError,
        'group_states: label "segment" has dtype str',
    ),
    (lambda frame: pad.group_states(frame, "label", "scor"), daft.exceptions.DaftCoreException, "scor"),
]


@pytest.mark.parametrize(("written", "error", "message"), WRONG)
def test_what_is_wrong_is_refused_at_once(
    written: Callable[[daft.DataFrame], Any], error: type[Exception], message: str, frame: daft.DataFrame
) -> None:
    with pytest.raises(error, match=message):
        written(frame)


def test_on_ray(cluster: str, rows: pl.DataFrame, tmp_path: Path) -> None:
    """Use a separate process, because a process has only one runner of Daft."""
    rows.write_parquet(tmp_path / "rows.parquet")
    program = [
        sys.executable,
        str(Path(__file__).with_name("on_ray.py")),
        str(tmp_path / "rows.parquet"),
        cluster,
    ]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "gives the same bits" in done.stdout
