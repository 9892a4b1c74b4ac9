"""Counts: numbers of identical rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import repeated
from polars_auc._commands.main import main

ROWS = pl.DataFrame(
    {
        "site": ["a", "a", "b", "a", "b", "b", None],
        "y": [1, 0, 1, 0, 1, 0, 1],
        "s": [3.0, 2.0, 2.0, None, 1.0, 1.5, 4.0],
        "t": [1, 2, 3, 3, 1, 1, 2],
        "n": pl.Series([400, 1, 7, 2, 0, 30, 3], dtype=pl.UInt32),
    }
)
REPEATED = repeated(ROWS, "n")


def grouped() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return rounded scores of two segments as rows, and as a table of counts."""
    rng = np.random.default_rng(3)
    rows = pl.DataFrame({"site": rng.choice(["a", "b"], 20_000), "y": rng.random(20_000) < 0.2})
    rows = rows.with_columns(s=pl.Series(rng.normal(size=rows.height).round(1)) + pl.col("y"))
    return rows, rows.group_by("site", "y", "s").len("n")


def test_counts_have_the_interval_of_rows_and_not_of_weights() -> None:
    rows, table = grouped()
    from_rows = rows.select(pa.roc_auc_ci("y", "s"))
    assert_frame_equal(table.select(pa.roc_auc_ci("y", "s", count="n")), from_rows, check_exact=True)
    from_weights = table.select(pa.roc_auc_ci("y", "s", weight="n")).unnest("s")
    assert from_weights["auc"].item() == from_rows.unnest("s")["auc"].item()
    assert from_weights["se"].item() > 3 * from_rows.unnest("s")["se"].item()


def test_exact_tests_count_rows() -> None:
    rows = pl.DataFrame({"y": [1, 0, 1, 0], "s": [4, 3, 2, 1], "n": [5, 4, 1, 6]})
    for test in (pa.mann_whitney_u, pa.brunner_munzel, pa.hodges_lehmann):
        got = rows.select(test("y", "s", count="n"))
        assert_frame_equal(got, repeated(rows, "n").select(test("y", "s")), check_exact=True)


def test_a_large_group_in_shards() -> None:
    rng = np.random.default_rng(5)
    size = 200_000
    rows = pl.DataFrame(
        {"y": rng.random(size) < 0.3, "s": rng.normal(size=size), "n": rng.integers(0, 4, size)}
    )
    each = repeated(rows, "n")
    for statistic in (pa.roc_auc, pa.roc_summary, pa.mann_whitney_u, pa.operating_point, pa.gains_table):
        got = rows.select(statistic("y", "s", count="n"))
        assert_frame_equal(got, each.select(statistic("y", "s")), check_exact=True)


def test_report_of_counts() -> None:
    options: dict[str, object] = {"by": "site", "compare": True, "versus": "rest"}
    got = pa.report(ROWS, "y", ["s", "t"], count="n", **options)  # type: ignore[arg-type]
    expected = pa.report(REPEATED, "y", ["s", "t"], **options)  # type: ignore[arg-type]
    assert_frame_equal(got, expected, check_exact=True)


def test_command_line(tmp_path: Path) -> None:
    ROWS.write_parquet(tmp_path / "counts.parquet")
    REPEATED.write_parquet(tmp_path / "rows.parquet")
    command = ["--label", "y", "--score", "s", "--by", "site", "-o"]
    counts, rows = str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")
    assert main(["report", str(tmp_path / "counts.parquet"), "--count", "n", *command, counts]) == 0
    assert main(["report", str(tmp_path / "rows.parquet"), *command, rows]) == 0
    assert_frame_equal(pl.read_parquet(counts), pl.read_parquet(rows), check_exact=True)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], 'count "n" has dtype f64, expected integers'),
        (["1", "2"], 'count "n" has dtype str, expected integers'),
        ([1, -2], 'count "n" contains -2, expected counts from 0 to 2\\^42'),
        ([1, 2**60], "expected counts from 0 to 2\\^42"),
    ],
)
def test_what_is_no_count(values: list[object], message: str) -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [1, 2], "n": values})
    for expression in (pa.roc_auc("y", "s", count="n"), pa.cv_roc_auc("y", "s", "y", count="n")):
        with pytest.raises(pl.exceptions.ComputeError, match=message):
            frame.select(expression)


def test_counts_with_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="roc_auc: weight and count are mutually exclusive"):
        pa.roc_auc("y", "s", weight="w", count="n")


def test_more_rows_than_can_be_laid_out() -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [1, 2], "t": [1, 2], "n": [2**40, 3]})
    assert frame.select(pa.roc_auc_ci("y", "s", count="n")).unnest("s")["n_pos"].item() == 2**40
    with pytest.raises(
        pl.exceptions.ComputeError, match="roc_auc_difference: a group has 1099511627779 rows"
    ):
        frame.select(pa.roc_auc_difference("y", "s", "t", count="n"))
    # Bootstrap resamples rows, so counts are expanded.
    normal = 'take the interval by "wilson", "delong" or "logit"'
    resampled = {
        ("roc_auc_ci", normal): pa.roc_auc_ci("y", "s", method="bootstrap", count="n"),
        ("roc_summary", normal): pa.roc_summary("y", "s", ci="bootstrap", count="n"),
        ("tpr_at_fpr", "write roc_curve with at_fpr="): pa.tpr_at_fpr("y", "s", 0.1, count="n"),
        ("tpr_at_fpr", "write roc_curve with at_fpr"): pa.tpr_at_fpr("y", "s", [0.1, 0.2], count="n"),
        ("fpr_at_tpr", "write roc_curve with at_tpr="): pa.fpr_at_tpr("y", "s", 0.1, count="n"),
    }
    message = "a group has 1099511627779 rows, expected at most 2\\^31 - 1: .*. Hint: for more rows"
    for (name, alternative), expression in resampled.items():
        with pytest.raises(pl.exceptions.ComputeError, match=f"{name}: {message} {alternative}"):
            frame.select(expression)
    states = frame.select(state=pa.roc_state("y", "s", count="n"))
    with pytest.raises(pl.exceptions.ComputeError, match=f"tpr_at_fpr: {message} write roc_curve"):
        states.select(pa.tpr_at_fpr(state="state", fpr=0.1))
    # The operating point of the error gives the rate and its limits.
    rate = states.select(pa.roc_curve(state="state", at_fpr=[0.1])).item().struct.field("tpr")
    assert rate.to_list() == [0.0]
    assert states.select(pa.roc_band(state="state", n_points=3)).item().len() > 1


# Sums of products of three counts are largest with all rows tied or with separated classes.
@pytest.mark.parametrize("scores", [[1, 1, 1, 1], [1, 2, 3, 4], [2, 1, 4, 3], [1, 1, 2, 2], [1, 2, 1, 2]])
@pytest.mark.parametrize("shares", [[1, 1, 1, 1], [2, 1, 2, 1], [1, 2, 1, 2]])
def test_the_most_rows(scores: list[int], shares: list[int]) -> None:
    most, fewer = 2**42 // sum(shares), 2**21 // sum(shares)

    def records(unit: int, expression: pl.Expr) -> dict[str, object]:
        counts = [unit * share for share in shares]
        frame = pl.DataFrame({"y": [0, 1, 1, 0], "s": scores, "n": counts})
        return frame.select(expression.alias("out"))["out"].struct.unnest().row(0, named=True)

    # The results follow from a table of smaller counts: areas stay, standard errors shrink with the root.
    scale = most / fewer
    for method in ("delong", "hanley_mcneil"):
        expression = pa.roc_auc_ci("y", "s", method=method, count="n")
        few, many = records(fewer, expression), records(most, expression)
        assert many["auc"] == pytest.approx(few["auc"], rel=1e-5)
        assert many["se"] == pytest.approx(few["se"] / scale**0.5, rel=1e-5)
    for expression, statistic in (
        (pa.mann_whitney_u("y", "s", count="n"), "z"),
        (pa.brunner_munzel("y", "s", count="n"), "statistic"),
    ):
        few, many = records(fewer, expression), records(most, expression)
        if few[statistic] is None:
            assert many[statistic] is None
        else:
            assert many[statistic] == pytest.approx(few[statistic] * scale**0.5, rel=1e-5)


def test_more_rows_than_products_can_hold() -> None:
    frame = pl.DataFrame({"y": [1, 0], "s": [1, 2], "n": [2**42, 1]})
    with pytest.raises(pl.exceptions.ComputeError, match='roc_auc: count "n" adds up to more than 2\\^42'):
        frame.select(pa.roc_auc("y", "s", count="n"))


def test_missing_counts() -> None:
    frame = pl.DataFrame({"y": [1, 0, 1, None], "s": [2, 1, 5, 5], "n": [2, 3, None, 4]})
    row = frame.select(pa.roc_summary("y", "s", count="n")).unnest("s").row(0, named=True)
    # A row without a count is one missing row; four rows have no label.
    assert (row["n"], row["n_missing"], row["n_pos"], row["n_neg"]) == (5, 5, 2, 3)
