"""Reports that compare groups: one ranking of the rows for numbers and comparisons."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import TWO_SCORES, examples, fixed, two_scores
from polars_auc._report.columns import GROUP_COLUMNS, OVERALL_COLUMNS
from polars_auc._report.evaluation import _needs_scores_alone
from polars_auc._report.options import ReportOptions
from polars_auc._report.rows import Rows

# A report warns of NaN, and of labels without a positive.
pytestmark = pytest.mark.filterwarnings("ignore:report")

NAN = float("nan")


def assert_parts(frame: pl.DataFrame, scores: list[str], by: list[str], versus: Any, **options: Any) -> None:
    """Check a report against the same report without comparisons, and the comparisons alone."""
    table = pa.report(frame, "y", scores, by=by, versus=versus, adjust=None, **options)
    plain = pa.report(frame, "y", scores, by=by, **options)
    assert table.columns == [*plain.columns, *GROUP_COLUMNS, *OVERALL_COLUMNS]
    assert_frame_equal(table.select(plain.columns), plain, check_exact=True)
    for score in scores:
        upward = -pl.col(score) if options.get("low_is_positive") else score
        shared: dict[str, Any] = {"adjust": None, "level": options.get("level", 0.95)}
        shared["method"] = "delong" if options.get("ci") == "delong" else "wilson"
        segments = pa.compare_segments(frame, "y", upward, by, versus=versus, **shared)
        selected = table.filter(score=score)
        groups = selected.filter(scope="group").select(by)
        expected = groups.join(segments, on=by, how="left", nulls_equal=True, maintain_order="left")
        assert_frame_equal(
            selected.filter(scope="group").select(GROUP_COLUMNS),
            expected.select(GROUP_COLUMNS),
            check_exact=True,
        )
        tests = segments.select(OVERALL_COLUMNS).unique()
        tests = tests if tests.height else tests.clear(1)
        assert_frame_equal(selected.filter(scope="overall").select(OVERALL_COLUMNS), tests, check_exact=True)
    nothing = [
        table.filter(scope="overall").select(GROUP_COLUMNS),
        table.filter(scope="group").select(OVERALL_COLUMNS),
    ]
    assert all(column.null_count() == len(column) for part in nothing for column in part)


@given(rows=two_scores, ci=st.sampled_from(["delong", "logit", "hanley_mcneil"]), nan=st.integers(0, 60))
@examples(100)
@example(rows=[], ci="delong", nan=60)
# Every row of one group has a missing value in one of both scores.
@example(rows=[(1, None, 1.0, "a", 0), (0, 1.0, 1.0, "b", 0), (1, 2.0, 1.0, "b", 1)], ci="delong", nan=60)
# A NaN in an unlabelled row does not count.
@example(rows=[(None, 1.0, 1.0, "a", 0), (0, 1.0, 2.0, "a", 0), (1, 2.0, 1.0, "a", 1)], ci="logit", nan=0)
def test_numbers_and_comparisons_are_those_of_their_functions(
    rows: list[tuple[Any, ...]], ci: str, nan: int
) -> None:
    frame = pl.DataFrame(rows, TWO_SCORES, orient="row")
    frame = frame.with_columns(s=pl.when(pl.int_range(pl.len()) == nan).then(NAN).otherwise("s"))
    for versus, by in (("rest", ["g"]), ("overall", ["g", "h"]), ("previous", ["h"])):
        assert_parts(frame, ["s", "t"], by, versus, ci=ci)


@pytest.mark.parametrize("versus", ["rest", "overall", "previous", 3])
def test_many_rows(versus: Any) -> None:
    frame = fixed(300_000).select(y="label", s="score", g=pl.col("g") % 7)
    assert_parts(frame, ["s"], ["g"], versus, level=0.9)
    shuffled = frame.with_columns(s=pl.when(pl.col("g") == 2).then(NAN).otherwise("s"))
    assert_parts(shuffled, ["s"], ["g"], versus)
    assert_parts(frame, ["s"], ["g"], versus, low_is_positive=True)


def test_many_groups_of_few_rows() -> None:
    """Sums of many groups are prefetched, and added by all threads."""
    rng = random.Random(4)
    rows = [(rng.randrange(2), rng.gauss(0, 1), 0.0, "a", rng.randrange(20_000)) for _ in range(150_000)]
    assert_parts(pl.DataFrame(rows, TWO_SCORES, orient="row"), ["s"], ["h"], "overall")


def test_every_option_is_classified_by_summaries() -> None:
    answered = {"by", "groupings", "level", "ci", "versus", "along", "adjust", "low_is_positive", "nan"}
    # These options select other intervals, states, or comparisons of scores.
    others = {"interval", "n_resamples", "seed", "compare", "calibration", "user_average"}
    others |= {"memory", "max_bins", "scale", "sorted_by"}
    columns = {"count", "weight", "cluster", "folds", "user", "stability"}
    assert {field.name for field in fields(ReportOptions)} == answered | others | columns
    frame = pl.LazyFrame({"y": [0, 1], "s": [1, 2], "c": [1, 2]})
    rows_with: list[dict[str, Any]] = [{}, *({name: "c"} for name in columns)]
    for more in rows_with:
        options = ReportOptions(**more)
        rows = Rows.from_arguments(frame, "y", "s", options)
        assert _needs_scores_alone(rows, options) == (not more)


@pytest.mark.parametrize(
    ("score", "by"), [("h", ["h"]), (pl.col("s").alias("g"), ["g", "h"]), (pl.col("s").alias("n"), ["g"])]
)
def test_a_score_that_is_called_as_another_column(score: Any, by: list[str]) -> None:
    frame = fixed(900).select(y="label", s="score", g=pl.col("g") % 5, h=pl.col("g") % 3)
    table = pa.report(frame, "y", score, by=by, versus="rest")
    copied = frame.with_columns(other="h" if isinstance(score, str) else "s")
    renamed = pa.report(copied, "y", "other", by=by, versus="rest")
    assert_frame_equal(table.drop("score"), renamed.drop("score"), check_exact=True)


@pytest.mark.parametrize("label", [1, True, ["y"], pl.Series([0, 1])])
def test_a_label_that_is_no_column_is_refused_alike(label: Any) -> None:
    frame = pl.DataFrame({"y": [0, 1], "s": [1.0, 2.0], "g": ["a", "a"]})
    messages = []
    for versus in (None, "rest"):
        with pytest.raises(TypeError) as error:
            pa.report(frame, label, "s", by="g", versus=versus)
        messages.append((type(error.value), str(error.value)))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    "more", [{"count": "one"}, {"stability": pl.col("h") > 0}, {"ci": "obuchowski"}, {"folds": "h"}]
)
def test_what_needs_more_than_a_label_and_a_score(more: dict[str, Any]) -> None:
    """Comparisons do not depend on other options."""
    frame = fixed(2000).select(y="label", s="score", g=pl.col("g") % 5, h=pl.col("g") % 3, one=1)
    plain = pa.report(frame, "y", "s", by="g", versus="rest")
    table = pa.report(frame, "y", "s", by="g", versus="rest", **more)
    columns = ["g", "n", "n_missing", "auc", "ks", *GROUP_COLUMNS, *OVERALL_COLUMNS]
    assert_frame_equal(table.select(columns), plain.select(columns), check_exact=True)


def test_an_expression_of_all_rows_of_a_group() -> None:
    """A mean in an expression is by group; in a comparison it would be over all rows."""
    frame = fixed(500).select(y="label", s="score", g=pl.col("g") % 4)
    score = (pl.col("s") / pl.col("s").max()).alias("s")
    table = pa.report(frame, "y", score, by="g", versus="rest")
    plain = pa.report(frame, "y", score, by="g")
    assert_frame_equal(table.select(plain.columns), plain, check_exact=True)


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_rows_are_in_the_order_of_their_periods(dtype: type[pl.DataType]) -> None:
    """The order is that of the comparison, also for large numbers; a single period may have no order."""
    names = ["W9", "W10", f"W{10**41 - 1}", f"W{10**41}"]
    rows = pl.DataFrame({"week": names * 2, "y": [0] * 4 + [1] * 4, "s": range(8)}).cast({"week": dtype})
    table = pa.report(rows, "y", "s", by="week", versus="previous")
    assert table["week"].to_list() == [*names, None]
    alone = rows.with_columns(week=pl.lit("Sep 2026", dtype=dtype))
    assert pa.report(alone, "y", "s", by="week", versus="previous")["week"].to_list() == ["Sep 2026", None]
