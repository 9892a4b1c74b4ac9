"""The messages of errors."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import polars_auc as pa

FRAME = pl.DataFrame({"g": [1, 1, 2, 2], "y": [0, 1, 1, 0], "s": [1.0, 2.0, 3.0, 4.0]})


@pytest.mark.parametrize("column", [1, 0.5, None, ["y"], {"y": 1}, FRAME["y"]], ids=repr)
def test_columns_of_another_type(column: Any) -> None:
    with pytest.raises(TypeError, match=r"roc_auc: label must be .* got \w+; write frame.select\(roc_auc\("):
        pa.roc_auc(column, "s")
    with pytest.raises(TypeError, match="roc_auc: score must be"):
        pa.roc_auc("y", column)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan"), "0.95", True, None])
def test_levels(level: Any) -> None:
    with pytest.raises(ValueError, match="roc_auc_ci: level must lie between 0 and 1, such as"):
        pa.roc_auc_ci("y", "s", level=level)


def test_words() -> None:
    with pytest.raises(
        ValueError,
        match="mann_whitney_u: alternative must be one of 'two-sided', 'greater', 'less', got 'both'",
    ):
        pa.mann_whitney_u("y", "s", alternative="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"roc_auc_ci: method must be one of 'delong', .*, got 'wald'"):
        pa.roc_auc_ci("y", "s", method="wald")  # type: ignore[arg-type]


def test_positional_options_are_refused() -> None:
    with pytest.raises(TypeError):
        pa.roc_auc_ci("y", "s", "delong")  # type: ignore[call-arg]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lengths(engine: Any) -> None:
    uneven = pa.roc_auc("y", pl.col("s").filter(pl.col("s") > 1))
    says = 'roc_auc: label "y" has 2 rows but score "s" has 1 in the same group'
    with pytest.raises(pl.exceptions.ComputeError, match=says):
        FRAME.lazy().group_by("g").agg(uneven).collect(engine=engine)
    says = 'label "y" has 4 rows but score "s" has 1 '
    with pytest.raises(pl.exceptions.ComputeError, match=says):
        FRAME.lazy().select(pa.roc_auc("y", pl.col("s").mean())).collect(engine=engine)
    with pytest.raises(pl.exceptions.ComputeError, match=says):
        FRAME.lazy().select(pa.roc_auc("y", pl.lit(1.0).alias("s"))).collect(engine=engine)


def test_a_literal_series_serves_every_group() -> None:
    got = FRAME.group_by("g", maintain_order=True).agg(
        pa.roc_auc("y", pl.lit(pl.Series("s", [7, 8]))).alias("auc")
    )
    assert got["auc"].to_list() == [1.0, 0.0]


def test_missing_columns_are_polars_own_error() -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="z"):
        FRAME.select(pa.roc_auc("y", "z"))
