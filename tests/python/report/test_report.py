"""The report frame."""

from __future__ import annotations

import linecache
import math
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed

COLUMNS = [
    "score",
    "n",
    "n_pos",
    "n_missing",
    "n_unlabelled",
    "prevalence",
    "auc",
    "se",
    "lower",
    "upper",
    "ks",
    "gini",
    "gini_lower",
    "gini_upper",
]

# Labels and scores that cause warnings.
_WARNED = [("label", "nan"), ("none", "score")]


def rows() -> pl.DataFrame:
    return fixed(3000).with_columns(h=pl.col("g") % 2 == 0, other=-pl.col("score"))


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_every_row_is_a_separate_query(engine: Any) -> None:
    frame = rows()
    plan = pa.report(frame.lazy(), "label", ["score", "other"], by=["h", "g"], level=0.9)
    table = plan.collect(engine=engine)
    assert table.columns == ["scope", "h", "g", *COLUMNS]
    assert table.schema == plan.collect_schema()
    assert table.height == 2 * (frame.select("h", "g").n_unique() + 1)
    for row in table.iter_rows(named=True):
        part = (
            frame
            if row["scope"] == "overall"
            else frame.filter(pl.col("h") == row["h"], pl.col("g") == row["g"])
        )
        used = part.drop_nulls(["label", row["score"]])
        ci = (
            part.select(pa.roc_auc_ci("label", row["score"], level=0.9))
            .unnest(row["score"])
            .row(0, named=True)
        )
        assert row["n"] == used.height
        assert row["n_missing"] == part.height - used.height
        assert row["n_pos"] == used["label"].sum()
        assert row["prevalence"] == (used["label"].mean() if used.height else None)
        assert [row[key] for key in ("auc", "se", "lower", "upper")] == [
            ci[key] for key in ("auc", "se", "lower", "upper")
        ]
        assert row["gini"] == part.select(pa.gini("label", row["score"])).item()
        assert row["ks"] == part.select(pa.ks_statistic("label", row["score"]).struct.field("ks")).item()
    groups = table.filter(pl.col("scope") == "group")
    assert_frame_equal(groups.select("h", "g"), groups.select("h", "g").sort("h", "g"))


def test_without_groups_and_without_rows() -> None:
    table = pa.report(rows(), "label", pl.col("score").alias("s"))
    assert table.columns == ["scope", *COLUMNS]
    assert table.select("scope", "score").rows() == [("overall", "s")]
    empty = pa.report(rows().clear(), "label", "score", by="g")
    assert empty.height == 1
    assert empty.row(0, named=True)["n"] == 0
    assert empty.row(0, named=True)["prevalence"] is None


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_comparisons_with_the_rest(engine: Any) -> None:
    """Each comparison column equals the result of its function."""
    frame = rows().with_columns(third=pl.col("score") * (pl.col("g") % 3 - 1))
    plan = pa.report(
        frame.lazy(),
        "label",
        ["score", "other", "third"],
        by="h",
        ci="bootstrap",
        n_resamples=50,
        seed=7,
        compare=True,
        versus="overall",
        adjust="bh",
        folds="key",
    )
    table = plan.collect(engine=engine)
    assert table.schema == plan.collect_schema()
    assert table.select("scope", "score").rows() == [
        (scope, score) for scope in ("group", "group", "overall") for score in ("score", "other", "third")
    ]
    segments = {
        score: pa.compare_segments(frame, "label", score, "h", versus="overall", adjust="bh")
        for score in ("score", "other", "third")
    }
    for row in table.iter_rows(named=True):
        name = row["score"]
        grouped = row["scope"] == "group"
        part = frame.filter(pl.col("h") == row["h"]) if grouped else frame
        ci = part.select(pa.roc_auc_ci("label", name, method="bootstrap", n_resamples=50, seed=7)).item()
        assert [row["lower"], row["upper"]] == [ci["lower"], ci["upper"]]
        cv = part.select(pa.cv_roc_auc("label", name, "key")).item()
        assert [row["cv_auc"], row["cv_se"], row["n_folds"]] == [cv["auc"], cv["se"], cv["n_folds"]]
        joint = part.select(
            pa.compare_scores("label", "score", "other", "third", reference=0, adjust="bh")
        ).item()
        pairs = {pair["score_a"]: pair for pair in joint["differences"]}
        gains = ("delta_auc", "delta_auc_lower", "delta_auc_upper", "delta_auc_p_value")
        fields = ("difference", "lower", "upper", "p_value")
        expected = [pairs[name][field] if name in pairs else None for field in fields]
        assert [row[gain] for gain in gains] == expected
        for field in ("versus_auc", "difference", "p_value"):
            compared = segments[name].filter(pl.col("h") == row["h"])[field].item() if grouped else None
            assert row[field] == compared
        for field in ("within_auc", "heterogeneity", "heterogeneity_df", "heterogeneity_p_value"):
            assert row[field] == (None if grouped else segments[name][field][0])


@pytest.mark.parametrize("average", [None, "rows", "positives", "pairs"])
def test_the_mean_over_users_is_that_of_its_function(average: Any) -> None:
    frame = rows()
    options: dict[str, Any] = {"by": "h", "user": pl.col("g") % 4, "user_average": average, "level": 0.9}
    table = pa.report(frame.lazy(), "label", ["score", "other"], **options, folds="key").collect()
    for row in table.iter_rows(named=True):
        part = frame.filter(pl.col("h") == row["h"]) if row["scope"] == "group" else frame
        gauc = part.select(
            pa.grouped_roc_auc("label", row["score"], pl.col("g") % 4, average=average or "macro", level=0.9)
        ).item()
        fields = [row[f"user_{name}"] for name in ("auc", "se", "lower", "upper")]
        assert fields == [gauc[name] for name in ("auc", "se", "lower", "upper")]
        assert (row["n_users"], row["n_users_undefined"]) == (gauc["n_groups"], gauc["n_undefined"])
        assert row["n_users"] > 1
    # Counted rows represent repeated rows, and sorted groups are read one after the other.
    few = frame.group_by("h", "label", "score", "g").len("n").sort("h")
    counted = pa.report(
        few.lazy(), "label", "score", by="h", user=pl.col("g") % 4, count="n", sorted_by="h"
    ).collect()
    plain = pa.report(frame.lazy(), "label", "score", by="h", user=pl.col("g") % 4).collect()
    assert_frame_equal(counted, plain)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"user": 3}, "user must be one column name or expression, got int"),
        ({"user_average": "rows"}, "user_average is for the mean over users. Hint: write user"),
        ({"user": "g", "user_average": "users"}, "user_average must be one of 'macro', 'rows'"),
        ({"user": "g", "cluster": "g"}, "user cannot be combined with cluster"),
        ({"user": "g", "memory": "bounded"}, "user needs all rows at once"),
    ],
)
def test_users_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^report: {message}"):
        pa.report(rows().lazy(), "label", "score", **options)


@pytest.mark.parametrize("cluster", [None, "key"])
def test_the_family_is_all_tests_of_the_table(cluster: str | None) -> None:
    """Many groups with one gain each are many tests: Bonferroni's factor is the number of p-values."""
    frame = rows().with_columns(third=pl.col("score") * (pl.col("g") % 3 - 1))
    options: dict[str, Any] = {"by": "h", "compare": True, "versus": "rest", "cluster": cluster}
    table = pa.report(frame, "label", ["score", "other", "third"], adjust="bonferroni", **options)
    plain = pa.report(frame, "label", ["score", "other", "third"], adjust=None, **options)
    for before, after, least in (
        ("delta_auc_p_value", "delta_auc_p_adjusted", 6),
        ("p_value", "p_adjusted", 6),
    ):
        tests = table[before].drop_nulls().len()
        assert tests >= least
        expected = [None if p is None else min(1.0, tests * p) for p in table[before]]
        assert table[after].to_list() == expected
        assert plain[after].to_list() == plain[before].to_list() == table[before].to_list()


def test_groups_that_are_null_are_groups() -> None:
    frame = rows().with_columns(g=pl.when(pl.col("g") > 3).then("g"))
    table = pa.report(frame, "label", "score", by="g")
    assert table.filter(pl.col("g").is_null())["scope"].to_list() == ["group", "overall"]


def test_refusals_by_type() -> None:
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="by has the unknown column 'zz'"):
        pa.report(rows(), "label", "score", by="zz")
    with pytest.raises(TypeError, match="scores must be column names or expressions, got Series"):
        pa.report(rows(), "label", [rows()["score"]])  # type: ignore[list-item]
    for by in ([pl.col("g")], pl.col("g"), 3):
        with pytest.raises(TypeError, match="report: by must be column names"):
            pa.report(rows(), "label", "score", by=by)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="report: scores must be column names or expressions, got int"):
        pa.report(rows(), "label", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "by", "message"),
    [
        ([], (), "scores must name at least one column"),
        (["score", pl.col("other").alias("score")], (), "two scores are named 'score'"),
        ("score", ["g", "g"], "by names the column 'g' twice"),
        ("score", "auc", "the group column 'auc'"),
        ("score", "delta_auc", "the group column 'delta_auc'"),
    ],
)
def test_refusals(scores: Any, by: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pa.report(rows(), "label", scores, by=by)


def test_refusals_of_comparisons() -> None:
    with pytest.raises(ValueError, match="compare needs two scores or more, got one"):
        pa.report(rows(), "label", "score", compare=True)
    with pytest.raises(ValueError, match="versus needs groups"):
        pa.report(rows(), "label", "score", versus="rest")
    with pytest.raises(ValueError, match="report: ci must be one of"):
        pa.report(rows(), "label", "score", ci="wald")  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("memory", [None, "bounded"])
def test_warnings_name_the_line_that_makes_the_report(engine: Any, memory: Any) -> None:
    """Collection may be in another place, and in another thread."""
    nan = rows().with_columns(nan=math.nan, none=pl.lit(value=False))
    plans = [pa.report(nan.lazy(), label, score, memory=memory) for label, score in _WARNED]

    def collect(plan: pl.LazyFrame) -> None:
        plan.head(1).collect(engine=engine)

    with warnings.catch_warnings(record=True) as caught, ThreadPoolExecutor(1) as pool:
        warnings.simplefilter("always")
        for plan in plans:
            collect(plan)
            pool.submit(collect, plan).result()
    assert {(each.filename, linecache.getline(each.filename, each.lineno).strip()) for each in caught} == {
        (__file__, "plans = [pa.report(nan.lazy(), label, score, memory=memory) for label, score in _WARNED]")
    }
    assert len(caught) == 4


def test_warnings_of_an_eager_report_name_its_line() -> None:
    nan = rows().with_columns(nan=math.nan, none=pl.lit(value=False))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for label, score in _WARNED:
            pa.report(nan, label, score)
            pa.report(nan.lazy(), label, score).collect()
    lines = [linecache.getline(each.filename, each.lineno).strip() for each in caught]
    assert lines == 2 * ["pa.report(nan, label, score)", "pa.report(nan.lazy(), label, score).collect()"]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("by", [(), "g"])
@pytest.mark.parametrize("memory", [None, "bounded"])
def test_a_label_without_any_positive_warns(engine: Any, by: Any, memory: Any) -> None:
    """A misspelt class is never positive, and gives a table of nulls."""
    misspelt = pl.col("key") == "bda"
    with pytest.warns(UserWarning, match=r"report: no positive rows: label .*bda.* is false everywhere"):
        table = pa.report(rows().lazy(), misspelt, "score", by=by, memory=memory).collect(engine=engine)
    assert table["n_pos"].sum() == 0
    with pytest.warns(UserWarning, match="report: no positive rows: label none is false everywhere"):
        pa.report(rows().with_columns(none=pl.lit(value=False)), "none", ["score", "other"], memory=memory)
    with pytest.warns(UserWarning, match="report: no negative rows: label all is true everywhere"):
        pa.report(rows().with_columns(all=pl.lit(value=True)), "all", "score", by=by, memory=memory)
    rare = (pl.col("key") == "a") & (pl.col("g") == 1)
    few = pa.report(rows().lazy(), rare, "score", by=by, memory=memory)
    assert few.collect(engine=engine)["n_pos"].sum() > 0
    assert few.select("auc").collect(engine=engine).height == few.collect().height


def test_the_warning_of_a_piped_report_names_the_line_of_the_user() -> None:
    frame = pl.DataFrame({"label": [0, 0], "score": [0.2, 0.1]})
    with pytest.warns(UserWarning, match="no positive rows") as warnings:
        frame.pipe(cast("Any", pa.report), "label", "score")
    assert [warning.filename for warning in warnings] == [__file__]


def test_columns_of_groups_that_are_missing_or_duplicated() -> None:
    rows = pl.LazyFrame({"y": [0, 1], "s": [1, 2], "g": ["a", "a"]})
    with pytest.raises(ValueError, match=r"report: sorted_by names 'g', and there is no by$"):
        pa.report(rows, "y", "s", sorted_by="g")
    with pytest.raises(ValueError, match=r"report: by names the column 'g' twice. Hint: name each once"):
        pa.report(rows, "y", "s", by=["g", "g"])
