"""Reports of probabilities: calibration."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._commands.main import main
from polars_auc._page.answers import answers
from polars_auc._report.columns import CALIBRATION


def forecasts(n: int = 4_000) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    p = rng.uniform(0.02, 0.6, n)
    return pl.DataFrame({"y": rng.random(n) < p, "right": p, "low": p * 0.7, "g": rng.integers(0, 3, n)})


def test_columns_are_those_of_the_expressions() -> None:
    rows = forecasts()
    table = pa.report(rows, "y", ["right", "low"], by="g", calibration=True, level=0.9)
    for score in ("right", "low"):
        summary = pa.calibration_summary("y", score, level=0.9).alias("calibration_summary")
        losses = pa.brier_score("y", score).alias("brier_score"), pa.log_loss("y", score).alias("log_loss")
        fields = [pl.col(of).struct.field(field).alias(name) for name, (of, field) in CALIBRATION.items()]
        groups = rows.group_by("g", maintain_order=True).agg(summary, *losses).sort("g").select(fields)
        overall = rows.select(summary, *losses).select(fields)
        got = table.filter(pl.col("score") == score).select(*CALIBRATION)
        assert_frame_equal(
            got.drop("calibration_p_adjusted"),
            pl.concat([groups, overall]).drop("calibration_p_adjusted"),
            check_exact=True,
        )
    adjusted = table.select(pa.adjust_p_values("calibration_p_value"))["calibration_p_value"]
    assert table["calibration_p_adjusted"].to_list() == adjusted.to_list()
    assert "brier_score" not in pa.report(rows, "y", "right").columns


def test_states_have_the_report_of_their_rows() -> None:
    rows = forecasts(500)
    states = rows.group_by("g", pl.col("y").not_().alias("part")).agg(right=pa.roc_state("y", "right"))
    from_states = pa.report(states, state="right", by="g", calibration=True).select("score", *CALIBRATION)
    from_rows = pa.report(rows, "y", "right", by="g", calibration=True).select("score", *CALIBRATION)
    assert_frame_equal(from_states, from_rows, check_exact=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "bounded"}, "calibration needs all rows at once"),
        ({"cluster": "g"}, "calibration cannot be combined with cluster"),
        ({"low_is_positive": True}, "calibration cannot be combined with low_is_positive"),
        ({"calibration": 1}, "calibration must be True or False, got 1"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pa.report(forecasts(20), "y", "right", **{"calibration": True, **options})


def test_scores_that_are_no_probabilities() -> None:
    rows = forecasts(20).with_columns(logit=pl.col("right") * 3)
    with pytest.raises(pl.exceptions.ComputeError, match=r"scores must be probabilities from 0 to 1, got"):
        pa.report(rows, "y", "logit", calibration=True)


def test_the_paragraph_has_the_ratio_of_positives() -> None:
    table = pa.report(forecasts(), "y", ["right", "low"], by="g", calibration=True)
    [(attention, text)] = [line for line in answers(table, 0.95) if line[1].startswith("Calibration")]
    assert attention
    assert "low positives 38.2 % more frequent than predicted (p < 0.0001)" in text
    [(_, groups)] = [line for line in answers(table, 0.95) if line[1].startswith("Observed over expected")]
    assert "3 of 6 tests" in groups
    assert "right" not in groups


def test_a_page_and_a_gate(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    forecasts().write_parquet(tmp_path / "rows.parquet")
    page = tmp_path / "page.html"
    arguments = ["report", str(tmp_path / "rows.parquet"), "--label", "y", "--score", "low", "--calibration"]
    assert main([*arguments, "-o", str(page)]) == 0
    assert "<h3>Calibration</h3>" in page.read_text(encoding="utf-8")
    assert main([*arguments, "--fail-if", "observed_expected > 1.2"]) == 1
    assert "observed_expected > 1.2" in capsys.readouterr().err
    assert main([*arguments[:-1], "-o", str(page)]) == 0
    assert "Calibration" not in page.read_text(encoding="utf-8")


def test_states_that_are_not_exact_have_no_calibration() -> None:
    rows = forecasts(500)
    states = rows.group_by("g").agg(right=pa.roc_state("y", "right", max_bins=16))
    table = pa.report(states, state="right", by="g", calibration=True)
    assert not table["exact"].any()
    assert table.select(*CALIBRATION).null_count().row(0) == (table.height,) * len(CALIBRATION)
