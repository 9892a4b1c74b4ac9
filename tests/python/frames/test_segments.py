"""Segments compared with others, and with tests of their rows."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy.stats import chi2, norm
from scipy.stats import t as student_t

import polars_auc as pa
from catalogue.cases import SCHEMA, assert_same, examples, fixed, frames, repeated, two_rows
from oracles import groups, intervals
from oracles.rows import Row
from oracles.wilson import Difference, Wilson, heterogeneity

ENGINES = pytest.mark.parametrize("engine", ["in-memory", "streaming"])
Z_95 = float(norm.isf(0.025))


def segment_rows(frame: pl.DataFrame, keep: pl.Expr) -> list[Row]:
    return list(frame.filter(keep).select("label", "score").drop_nulls().iter_rows())


def welch(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Compare two areas of different rows, by their intervals."""
    names = ("versus_auc", "difference", "difference_se", "statistic", "df", "p_value")
    if one["auc"] is None or other["auc"] is None:
        return dict.fromkeys(names)
    answer = {**dict.fromkeys(names), "versus_auc": other["auc"], "difference": one["auc"] - other["auc"]}
    if one["se"] is None or other["se"] is None:
        return answer
    v1, v2 = one["se"] ** 2, other["se"] ** 2
    answer["difference_se"] = math.sqrt(v1 + v2)
    if v1 + v2 == 0:
        return answer
    # A standard error of 0 is no evidence.
    is_tested = v1 > 0 and v2 > 0
    n1, n2 = (ci["n_pos"] + ci["n_neg"] for ci in (one, other))
    statistic = answer["difference"] / math.sqrt(v1 + v2)
    df = (v1 + v2) ** 2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
    p_value = min(1.0, 2 * float(student_t.sf(abs(statistic), df)))
    tested = {"statistic": statistic, "p_value": p_value} if is_tested else {}
    return {**answer, "df": df, **tested}


def close(got: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        if value is None:
            assert got[name] is None, name
        else:
            # A difference of two floats near 1 has an error of about 1e-16, which its test amplifies.
            assert math.isclose(got[name], value, rel_tol=1e-9, abs_tol=1e-12), (name, got[name], value)


def within(segments: list[list[Row]], place: int) -> dict[str, Any]:
    """Return the mean of the AUCs of all segments but one, with each row as a cluster."""
    numbered = [
        [(*row, (number, row_number)) for row_number, row in enumerate(rows)]
        for number, rows in enumerate(segments)
    ]
    rest = groups.rest(numbered[place], numbered[:place] + numbered[place + 1 :])
    if rest["auc"] is None:
        return rest
    variance = rest["variance"]
    return {**rest, "auc": float(rest["auc"]), "se": None if variance is None else math.sqrt(variance)}


def key_name(name: object) -> pl.Expr:
    return pl.col("key").eq_missing(pl.lit(name, dtype=pl.String))


@given(frame=frames(max_rows=40), versus=st.sampled_from(["rest", "pooled_rest", "previous", "b"]))
@examples(100)
def test_definition(frame: pl.DataFrame, versus: str) -> None:
    used = frame.drop_nulls(["label", "score"])
    names = used["key"].unique().sort(nulls_last=True).to_list()
    if versus == "b" and "b" not in frame["key"] and frame.height:
        with pytest.raises(pl.exceptions.ComputeError, match="versus names the segment"):
            pa.compare_segments(frame, "label", "score", "key", versus=versus)
        return
    table = pa.compare_segments(frame, "label", "score", "key", versus=versus, adjust=None, method="delong")
    assert table["key"].to_list() == names
    cis = {name: intervals.roc_auc_ci(segment_rows(used, key_name(name)), Z_95) for name in names}
    for ci in cis.values():
        del ci["z"], ci["p_value"]
    for place, (name, got) in enumerate(zip(names, table.iter_rows(named=True), strict=True)):
        assert_same({key: got[key] for key in cis[name]}, cis[name], relative=1e-12)
        other: dict[str, Any] = {"auc": None}
        if versus == "rest":
            other = within([segment_rows(used, key_name(key)) for key in names], place)
        elif versus == "pooled_rest":
            other = intervals.roc_auc_ci(segment_rows(used, ~key_name(name)), Z_95)
        elif versus == "previous" and place and name is not None:
            other = cis[names[place - 1]]
        elif versus == "b" and name != "b" and "b" in names:
            other = cis["b"]
        close(got, welch(cis[name], other))
        assert got["p_adjusted"] == got["p_value"]
    whole = within([[], *(segment_rows(used, key_name(key)) for key in names)], 0)
    assert all(
        row is None if whole["auc"] is None else abs(row - whole["auc"]) < 1e-15
        for row in table["within_auc"]
    )
    areas = [(ci["auc"], ci["se"] ** -2) for ci in cis.values() if ci["se"]]
    result = table.select("heterogeneity", "heterogeneity_df", "heterogeneity_p_value").unique()
    if len(areas) < 2:
        assert all(value is None for row in result.rows() for value in row)
    else:
        mean = sum(a * w for a, w in areas) / sum(w for _, w in areas)
        q = sum(w * (a - mean) ** 2 for a, w in areas)
        df = len(areas) - 1
        expected = {
            "heterogeneity": q,
            "heterogeneity_df": df,
            "heterogeneity_p_value": float(chi2.sf(q, df)),
        }
        close(result.row(0, named=True), expected)


def area_of(rows: list[Row]) -> Wilson | None:
    ci = intervals.roc_auc_ci(rows, Z_95)
    if ci["se"] is None or math.isnan(ci["se"]):
        return None
    return Wilson(float(ci["auc"]), ci["se"], (ci["n_pos"], ci["n_neg"]))


def is_wilson_test(got: dict[str, Any], difference: Difference) -> None:
    """Compare the interval and the test of a difference.

    The statistic is the quantile with limit 0. For dependent areas there may be several.
    """
    limits = (got["difference_lower"], got["difference_upper"])
    assert limits == pytest.approx(difference.limits(0.95), abs=1e-8)
    assert got["df"] == pytest.approx(difference.df, rel=1e-6)
    if difference.correlation == 0:
        assert got["statistic"] == pytest.approx(difference.statistic(), rel=1e-6, abs=1e-6)
    elif got["statistic"] != 0:
        # Dependent areas are never certain to differ.
        assert abs(got["statistic"]) * difference.least <= abs(difference.value) * (1 + 1e-9)
        limit = difference.limits_at(abs(got["statistic"]))[0 if got["statistic"] > 0 else 1]
        assert limit == pytest.approx(0, abs=1e-7)
        assert got["statistic"] * difference.value > 0
    p_value = 2 * float(student_t.sf(abs(got["statistic"]), got["df"]))
    assert got["p_value"] == pytest.approx(min(1.0, p_value), rel=1e-5, abs=1e-12)


@given(frame=frames(max_rows=40), versus=st.sampled_from(["rest", "pooled_rest", "previous"]))
@examples(60)
def test_definition_by_wilson(frame: pl.DataFrame, versus: str) -> None:
    used = frame.drop_nulls(["label", "score"])
    names = used["key"].unique().sort(nulls_last=True).to_list()
    table = pa.compare_segments(frame, "label", "score", "key", versus=versus, adjust=None)
    segments = [segment_rows(used, key_name(name)) for name in names]
    areas = [area_of(rows) for rows in segments]
    if any(math.isnan(score) for rows in segments for _, score in rows):
        return
    for place, (area, got) in enumerate(zip(areas, table.iter_rows(named=True), strict=True)):
        if area is None:
            assert got["lower"] is None
            continue
        assert {name: got[name] for name in ("lower", "upper")} == pytest.approx(area.limits(0.95), abs=1e-9)
        other: Wilson | None = None
        if versus == "rest":
            mean = within(segments, place)
            others = [each for number, each in enumerate(areas) if number != place and each is not None]
            if mean["auc"] is not None and mean["se"] is not None and others:
                sizes = [sum(each.sizes[label] for each in others) for label in (0, 1)]
                other = Wilson(mean["auc"], mean["se"], (sizes[0], sizes[1]))
        elif versus == "pooled_rest":
            other = area_of([row for number, rows in enumerate(segments) if number != place for row in rows])
        elif place and names[place] is not None:
            other = areas[place - 1]
        if other is None:
            assert got["p_value"] is None
            continue
        is_wilson_test(got, Difference(area, other))


@given(frame=frames(max_rows=40))
@examples(60)
def test_overall_by_wilson(frame: pl.DataFrame) -> None:
    """The area of all rows and the area of a segment are dependent: the correlation is by both sums."""
    used = frame.drop_nulls(["label", "score"]).with_row_index("row")
    table = pa.compare_segments(frame, "label", "score", "key", versus="overall", adjust=None)
    columns = ("label", "score", "row")
    every = used.select(columns).rows()
    overall = area_of([row[:2] for row in every])
    for got in table.iter_rows(named=True):
        rows = used.filter(key_name(got["key"])).select(columns).rows()
        area = area_of([row[:2] for row in rows])
        if area is None:
            assert (got["lower"], got["difference_lower"], got["p_value"]) == (None, None, None)
            continue
        assert overall is not None
        pairs = [(rows, rows), (every, every), (rows, every)]
        v, w, both = (groups.area_covariance(*pair) or Fraction(0) for pair in pairs)
        variance = v + w - 2 * both
        assert got["difference_se"] == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-12)
        if variance == 0 and both != 0:
            # The only segment with rows of both classes.
            assert (got["statistic"], got["df"], got["p_value"]) == (None, None, None)
            assert got["difference_lower"] == got["difference_upper"] == got["difference"]
            continue
        correlation = float(both) / math.sqrt(v * w) if v * w > 0 else 0.0
        is_wilson_test(got, Difference(area, overall, min(max(correlation, -1.0), 1.0)))


def test_a_tiny_segment_against_all_rows_is_uncertain() -> None:
    """The limits of both areas are clipped to 0 and 1, with equal distances: p was 0."""
    frame = pl.DataFrame(
        {
            "label": [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0],
            "score": [0, -1, -1, -1, 1, 1, 0, -1, 1, -1, -1, 1, -2, 0],
            "key": [1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0],
        }
    )
    table = pa.compare_segments(frame, "label", "score", "key", versus="overall", adjust=None)
    assert table["difference_lower"][0] < 0 < table["difference_upper"][0]
    assert table["p_value"][0] > 0.2


@given(frame=frames(max_rows=60), has_clusters=st.booleans())
@examples(100)
def test_heterogeneity_by_wilson(frame: pl.DataFrame, has_clusters: bool) -> None:
    """Clusters are within segments, so areas are independent."""
    used = frame.drop_nulls(["label", "score"]).with_columns(
        cluster=pl.format("{}-{}", pl.col("key").fill_null("null"), "g")
    )
    options = {"cluster": "cluster"} if has_clusters else {}
    table = pa.compare_segments(used, "label", "score", "key", **options)  # type: ignore[arg-type]
    areas = []
    for name in table["key"]:
        rows = used.filter(key_name(name)).select("label", "score", "cluster").rows()
        if not has_clusters:
            areas.append(area_of([row[:2] for row in rows]))
            continue
        ci = intervals.roc_auc_ci_clustered(rows, Z_95)
        pos, neg = (len({row[2] for row in rows if row[0] == label}) for label in (True, False))
        is_defined = ci["se"] is not None
        areas.append(
            Wilson(ci["auc"], ci["se"], (ci["n_pos"], ci["n_neg"]), (pos, neg)) if is_defined else None
        )
    expected = heterogeneity(areas)
    for got in table.rows(named=True):
        close(got, expected)


def cluster_comparison(
    segment: list[Any], other: list[Any] | None, *, overall: bool, rest: list[list[Any]] | None = None
) -> dict[str, Any]:
    """Return the AUC of a segment and its comparison with other rows (label, score, cluster).

    With ``rest`` the other rows are grouped by segment, and compared within each.
    """
    undefined = dict.fromkeys(("versus_auc", "difference", "difference_se", "statistic", "p_value"))
    interval = intervals.roc_auc_ci_clustered(segment, Z_95)
    answer = {**{name: interval[name] for name in ("auc", "se", "lower", "upper", "n_clusters")}, **undefined}
    versus = None if other is None else intervals.roc_auc_ci_clustered(other, Z_95)
    both = None
    if rest is not None:
        mean = groups.rest(segment, rest)
        both = mean["covariance"]
        variance = mean["variance"]
        versus = {
            "auc": None if mean["auc"] is None else float(mean["auc"]),
            # A sum of covariances of few clusters may be negative.
            "se": None if variance is None else math.sqrt(max(variance, 0)),
        }
        varying = [rows for rows in rest if len({row[0] for row in rows}) == 2]
        other = [row for rows in varying if groups.area_covariance(rows, rows) is not None for row in rows]
    if versus is None or versus["auc"] is None:
        return answer
    if interval["auc"] is None:
        return answer
    answer |= {"versus_auc": versus["auc"], "difference": interval["auc"] - versus["auc"]}
    if interval["se"] is None or versus["se"] is None:
        return answer
    if rest is None:
        both = groups.area_covariance(segment, other or [])
    assert both is not None
    variance = interval["se"] ** 2 + versus["se"] ** 2 - 2 * float(both)
    if variance < 1e-14:
        return {name: value for name, value in answer.items() if name not in undefined or value is not None}
    statistic = answer["difference"] / math.sqrt(variance)
    result = {"difference_se": math.sqrt(variance), "statistic": statistic, "df": None}
    v, w = interval["se"] ** 2, versus["se"] ** 2
    # A standard error of 0 is no evidence.
    untested = {"statistic": None, "p_value": None} if min(v, w) < 1e-14 else {}
    if overall:
        return answer | result | {"p_value": 2 * float(norm.sf(abs(statistic)))} | untested
    # The smaller number of clusters, with a positive or with a negative.
    k, m = (
        min(len({row[2] for row in rows if row[0] == label}) for label in (True, False))
        for rows in (segment, other or [])
    )
    df = (v + w) ** 2 / (v**2 / (k - 1) + w**2 / (m - 1))
    return answer | result | {"df": df, "p_value": 2 * float(student_t.sf(abs(statistic), df))} | untested


@given(frame=frames(max_rows=40), versus=st.sampled_from(["rest", "pooled_rest", "overall", "previous"]))
@examples(200)
def test_clusters_by_definition(frame: pl.DataFrame, versus: str) -> None:
    table = pa.compare_segments(
        frame, "label", "score", "key", cluster="g", versus=versus, adjust=None, method="delong"
    )
    used = list(frame.select("label", "score", "key", "g").drop_nulls(["label", "score"]).iter_rows())
    names = [row["key"] for row in table.iter_rows(named=True)]
    for place, got in enumerate(table.iter_rows(named=True)):
        of = {name: [(row[0], row[1], row[3]) for row in used if row[2] == name] for name in names}
        other = [(row[0], row[1], row[3]) for row in used if versus == "overall" or row[2] != got["key"]]
        if versus == "previous":
            other = of[names[place - 1]] if place and got["key"] is not None else None  # type: ignore[assignment]
        rest = [of[name] for name in names if name != got["key"]] if versus == "rest" else None
        close(got, cluster_comparison(of[got["key"]], other, overall=versus == "overall", rest=rest))


def test_clusters_of_one_row_change_nothing() -> None:
    frame = fixed(800).with_row_index("row")
    for versus in ("rest", "pooled_rest", "overall", "previous", "a"):
        plain = pa.compare_segments(frame, "label", "score", "key", versus=versus)
        alone = pa.compare_segments(frame, "label", "score", "key", versus=versus, cluster="row")
        names = ["auc", "se", "lower", "upper", "difference", "difference_se", "heterogeneity"]
        assert_frame_equal(alone.select(names), plain.select(names), abs_tol=1e-12)
        assert alone["n_clusters"].to_list() == (plain["n_pos"] + plain["n_neg"]).to_list()


def test_clusters_within_segments() -> None:
    """The area equals that of the segment alone, bit for bit, and Q uses its standard errors."""
    frame = fixed(3000).with_columns(patient=pl.format("{}-{}", "key", pl.int_range(pl.len()) % 97))
    table = pa.compare_segments(
        frame.drop_nulls("key"), "label", "score", "key", cluster="patient", method="delong"
    )
    alone = (
        frame.drop_nulls("key")
        .group_by("key")
        .agg(pa.roc_auc_ci("label", "score", cluster="patient", method="delong").alias("ci"))
    )
    names = ["auc", "se", "lower", "upper", "n_clusters"]
    expected = alone.sort("key").unnest("ci").select(names)
    assert_frame_equal(table.select(names), expected, check_exact=True)
    weights = table["se"] ** -2
    mean = np.average(table["auc"], weights=weights)
    q = float((weights * (table["auc"] - mean) ** 2).sum())
    assert math.isclose(table["heterogeneity"][0], q, rel_tol=1e-12)
    assert table["heterogeneity_df"].to_list() == [3] * 4


def test_heterogeneity_of_clusters_that_span_segments() -> None:
    frame = fixed(800).with_columns(patient=pl.int_range(pl.len()) % 150).drop_nulls()
    table = pa.compare_segments(frame, "label", "score", "key", cluster="patient")
    rows = [
        list(frame.filter(key=key).select("label", "score", "patient").iter_rows()) for key in table["key"]
    ]
    matrix = np.array([[float(groups.area_covariance(a, b) or 0) for b in rows] for a in rows])
    contrasts = np.hstack([-np.ones((3, 1)), np.eye(3)])
    difference = contrasts @ table["auc"].to_numpy()
    q = difference @ np.linalg.solve(contrasts @ matrix @ contrasts.T, difference)
    expected = {"heterogeneity": q, "heterogeneity_df": 3, "heterogeneity_p_value": float(chi2.sf(q, 3))}
    close(table.row(0, named=True), expected)


@pytest.mark.parametrize(
    "options",
    [{}, {"cluster": "patient"}, {"weight": "w"}, {"weight": "w", "cluster": "patient"}, {"state": "state"}],
    ids=str,
)
def test_two_segments_are_compared_with_each_other(options: dict[str, Any]) -> None:
    """The rest of each segment is the other one, pooled or not."""
    frame = fixed(2000).with_columns(half=pl.col("g") % 2, patient=pl.int_range(pl.len()) % 37)
    frame = frame.with_columns(w=(pl.col("g") % 5 + 1) / 4)
    if "state" in options:
        frame = frame.group_by("half", "key").agg(state=pa.roc_state("label", "score"))
    else:
        options = {"label": "label", "score": "score", **options}
    compared = [
        pa.compare_segments(frame, by="half", versus=versus, **options) for versus in ("rest", "pooled_rest")
    ]
    assert_frame_equal(*compared, rel_tol=1e-13)
    assert compared[0]["versus_auc"].to_list() == compared[0]["auc"].to_list()[::-1]


@pytest.mark.parametrize(
    "options",
    [{}, {"cluster": "patient"}, {"weight": "w"}, {"weight": "w", "cluster": "patient"}],
    ids=str,
)
def test_equal_areas_do_not_differ_from_the_rest(options: dict[str, str]) -> None:
    """Shifted copies of rows with other rates of positives: pooled they rank well or badly."""
    one = fixed(400).select("label", "score").drop_nulls()
    copies = [
        pl.concat([one, *[one.filter(pl.col("label") == (copy % 2 == 0))] * 3]).with_columns(
            pl.col("score") * (1 + copy) + 100 * copy, segment=copy
        )
        for copy in range(4)
    ]
    # Repeating all rows of a class changes no AUC.
    frame = pl.concat(copies).with_row_index("row").with_columns(patient=pl.col("row"), w=pl.lit(0.5))
    table = pa.compare_segments(frame, "label", "score", "segment", **options)  # type: ignore[arg-type]
    assert table["auc"].n_unique() == 1
    assert table["difference"].to_list() == [0.0] * 4
    assert table["p_value"].to_list() == [1.0] * 4
    assert table["within_auc"].to_list() == table["auc"].to_list()
    pooled = pa.compare_segments(
        frame,
        "label",
        "score",
        "segment",
        versus="pooled_rest",
        **options,  # type: ignore[arg-type]
    )
    assert all(abs(difference) > 0.01 for difference in pooled["difference"])


def test_segments_without_a_variance_are_not_in_the_rest() -> None:
    frame = fixed(1000).drop_nulls("key")
    lone = pl.DataFrame({"label": [True, False, False], "score": [0.0, 1.0, 2.0], "key": "lone"})
    alone = frame.head(0).with_columns(key=pl.lit("x"))
    with_lone = pl.concat(
        [frame.select("label", "score", "key"), lone, alone.select("label", "score", "key")]
    )
    table = pa.compare_segments(with_lone, "label", "score", "key", adjust=None)
    expected = pa.compare_segments(frame, "label", "score", "key", adjust=None)
    assert table.filter(pl.col("key") != "lone").equals(expected)
    row = table.row(by_predicate=pl.col("key") == "lone", named=True)
    assert (row["versus_auc"], row["auc"], row["difference_se"]) == (expected["within_auc"][0], 0.0, None)


def test_one_segment_far_larger_than_all_others() -> None:
    """The mean of the others is accurate even with one weight millions of times larger."""
    small = fixed(300).select("label", "score", key=pl.format("{}", pl.col("g") % 3)).drop_nulls()
    large = fixed(300_000).select("label", "score", key=pl.lit("large")).drop_nulls()
    both = pa.compare_segments(pl.concat([small, large]), "label", "score", "key")
    alone = pa.compare_segments(small, "label", "score", "key")
    assert both.filter(key="large")["versus_auc"].item() == alone["within_auc"][0]


def test_clusters_by_resampling() -> None:
    """Patients in both segments, with a patient effect: compare with the spread over many samples."""
    rng = np.random.default_rng(5)
    differences, squares, apart = [], [], []
    for _ in range(400):
        patient = np.repeat(np.arange(60), 4)
        label = np.tile([0, 1, 0, 1], 60)
        score = rng.normal(size=240) + 1.5 * rng.normal(size=60)[patient] * (2 * label - 1) + label
        frame = pl.DataFrame({"y": label, "s": score, "patient": patient, "half": np.tile([0, 0, 1, 1], 60)})
        row = pa.compare_segments(frame, "y", "s", "half", cluster="patient").row(0, named=True)
        plain = pa.compare_segments(frame, "y", "s", "half").row(0, named=True)
        differences.append(row["difference"])
        squares.append(row["difference_se"] ** 2)
        apart.append(plain["difference_se"] ** 2)
    spread = float(np.std(differences, ddof=1))
    assert abs(math.sqrt(np.mean(squares)) / spread - 1) < 0.11
    # Without clusters the difference looks less certain than it is.
    assert math.sqrt(np.mean(apart)) / spread > 1.2


def test_clusters_that_span_folds_by_resampling() -> None:
    rng = np.random.default_rng(6)
    areas, squares, apart = [], [], []
    patient, label, fold = np.repeat(np.arange(80), 4), np.tile([0, 1, 1, 0], 80), np.tile([0, 0, 1, 1], 80)
    for _ in range(400):
        score = rng.normal(size=320) + 1.5 * rng.normal(size=80)[patient] * (2 * label - 1) + label
        frame = pl.DataFrame({"y": label, "s": score, "fold": fold, "patient": patient})
        row_error, patient_error = (
            frame.select(pa.cv_roc_auc("y", "s", "fold", method="influence", cluster=cluster)).item()
            for cluster in (pl.int_range(pl.len()), "patient")
        )
        areas.append(row_error["auc"])
        squares.append(patient_error["se"] ** 2)
        apart.append(row_error["se"] ** 2)
    spread = float(np.std(areas, ddof=1))
    assert abs(math.sqrt(np.mean(squares)) / spread - 1) < 0.11
    assert math.sqrt(np.mean(apart)) / spread < 0.8


def test_clusters_in_any_order_and_with_counts() -> None:
    frame = fixed(1500).with_columns(patient=pl.int_range(pl.len()) % 40, times=pl.int_range(pl.len()) % 3)
    for versus in ("rest", "pooled_rest", "overall", "previous"):
        tables = [
            pa.compare_segments(f, "label", "score", "g", cluster="patient", versus=versus)
            for f in (frame, frame.reverse(), frame.sample(fraction=1, shuffle=True, seed=3))
        ]
        assert tables[0].equals(tables[1])
        assert tables[0].equals(tables[2])
    ways: tuple[Callable[..., pl.DataFrame], ...] = (
        lambda f, **options: pa.compare_segments(f, "label", "score", "g", cluster="patient", **options),
        lambda f, **options: f.select(
            pa.cv_roc_auc("label", "score", "key", method="influence", cluster="patient", **options)
        ),
    )
    for make in ways:
        counted, laid_out = make(frame, count="times"), make(repeated(frame, "times"))
        assert_frame_equal(counted, laid_out, check_exact=True)


def test_nan_and_nothing_among_clusters() -> None:
    rows = {
        "segment": ["a"] * 4 + ["b"] * 4 + ["c"],
        "label": [1, 0, 1, 0] * 2 + [1],
        "score": [1.0, 0.0, 2.0, 1.0, math.nan, 0.0, 1.0, 2.0, math.nan],
        "patient": [1, 2, 3, 4] * 2 + [1],
    }
    frame = pl.DataFrame(rows)
    for versus in ("rest", "pooled_rest", "overall", "previous", "a"):
        table = pa.compare_segments(frame, "label", "score", "segment", versus=versus, cluster="patient")
        by_segment = {row["segment"]: row for row in table.iter_rows(named=True)}
        assert by_segment["a"]["auc"] == 0.875
        assert by_segment["a"]["n_clusters"] == 4
        for segment in ("b", "c"):
            row = by_segment[segment]
            assert all(
                math.isnan(row[name]) for name in ("auc", "se", "difference", "difference_se", "p_value")
            )
            assert math.isnan(row["df"])
        assert math.isnan(by_segment["a"]["heterogeneity"])
    empty = frame.clear().lazy()
    plan = pa.compare_segments(empty, "label", "score", "segment", cluster="patient")
    assert plan.collect().height == 0
    assert plan.collect().schema == plan.collect_schema()
    assert plan.collect_schema()["n_clusters"] == pl.UInt64
    # A null cluster is skipped, and a null segment is like any other.
    gaps = fixed(500).with_columns(patient=pl.when(pl.col("g") != 3).then(pl.int_range(pl.len()) // 7))
    skipped = pa.compare_segments(gaps.filter(pl.col("g") != 3), "label", "score", "key", cluster="patient")
    got = pa.compare_segments(gaps, "label", "score", "key", cluster="patient")
    assert_frame_equal(got, skipped, check_exact=True)
    assert got["key"].null_count() == 1


def test_clusters_that_are_refused() -> None:
    frame = fixed(100).with_columns(list=pl.concat_list("g"), many=pl.int_range(pl.len()))
    with pytest.raises(pl.exceptions.ComputeError, match='cluster "list" has dtype'):
        pa.compare_segments(frame, "label", "score", "g", cluster="list")
    with pytest.raises(TypeError, match="cluster must be a column name or an expression"):
        pa.compare_segments(frame, "label", "score", "g", cluster=3)  # type: ignore[arg-type]
    rows = pl.DataFrame({"y": [0, 1] * 5000, "s": range(10_000)}).with_columns(row=pl.int_range(pl.len()))
    with pytest.raises(pl.exceptions.ComputeError, match=r"10000 distinct values of by .* at most 4096"):
        pa.compare_segments(rows, "y", "s", "row", cluster="row")
    with pytest.raises(ValueError, match=r"method 't' cannot use clusters. Hint: write method=\"delong\""):
        pa.cv_roc_auc("y", "s", "row", cluster="row")


def test_overall_by_resampling() -> None:
    """Compare the standard error of the difference to all rows with the spread over many samples."""
    n = 300
    many = pl.concat([fixed(n, seed).with_columns(sample=seed) for seed in range(400)])
    differences, squares = [], []
    for sample in many.partition_by("sample"):
        row = pa.compare_segments(sample, "label", "score", "key", versus="overall").row(0, named=True)
        differences.append(row["difference"])
        squares.append(row["difference_se"] ** 2)
    spread = pl.Series(differences).std()
    assert isinstance(spread, float)
    result = math.sqrt(sum(squares) / len(squares))
    # The standard error of a standard deviation of 400 values is 3.5 %; the bound is three times that.
    assert abs(result / spread - 1) < 0.11


@given(frame=frames(max_rows=60), along=st.sampled_from(["g", "key"]))
@examples(40)
def test_previous_is_that_of_one_column_within_the_others(frame: pl.DataFrame, along: str) -> None:
    frame = frame.with_columns(pl.col("g") % 4)
    other = "key" if along == "g" else "g"
    table = pa.compare_segments(
        frame, "label", "score", ["g", "key"], versus="previous", along=along, adjust=None
    )
    assert table.columns[:2] == ["g", "key"]
    assert_frame_equal(table, table.sort("g", "key", nulls_last=True))
    segments = {(row[along], row[other]): row for row in table.iter_rows(named=True)}
    used = frame.drop_nulls(["label", "score"])
    assert set(segments) == set(used.select(along, other).iter_rows())
    for (time, within), got in segments.items():
        earlier = [t for t, o in segments if o == within and t is not None and time is not None and t < time]
        before = segments[max(earlier), within] if earlier else {"auc": None}
        close(got, welch(got, before))


def test_women_are_not_held_against_men() -> None:
    """With the order of `by` alone, the first year of one sex would follow the last year of the other."""
    frame = fixed(4000).select(
        "label", "score", year=2014 + pl.col("g") % 3, sex=pl.when(pl.col("key") < "b").then(1).otherwise(2)
    )
    for by in (["year", "sex"], ["sex", "year"]):
        table = pa.compare_segments(frame, "label", "score", by, versus="previous", along="year")
        for row in table.iter_rows(named=True):
            before = table.filter(pl.col("sex") == row["sex"], pl.col("year") == row["year"] - 1)
            assert row["versus_auc"] == (before["auc"].item() if before.height else None)
        report = pa.report(frame, "label", "score", by=by, versus="previous", along="year")
        groups = report.filter(pl.col("scope") == "group")
        assert groups["versus_auc"].to_list() == table["versus_auc"].to_list()
        assert groups["p_adjusted"].to_list() == table["p_adjusted"].to_list()
    alone = pa.compare_segments(frame, "label", "score", "year", versus="previous")
    by_name = pa.compare_segments(frame, "label", "score", "year", versus="previous", along="year")
    assert_frame_equal(alone, by_name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": ["g", "key"], "versus": "previous"}, r"since by is \['g', 'key'\]. Hint: write along='key'"),
        ({"by": ["day", "key"], "versus": "previous"}, "write along='day', which compares within"),
        (
            {"by": ["g", "key"], "versus": "previous", "along": "day"},
            "along must be one of the columns of by",
        ),
        ({"by": "g", "versus": "rest", "along": "g"}, 'along applies to versus="previous" only'),
        ({"by": "g", "versus": 3, "along": "g"}, "and versus is 3. Hint: leave it out"),
        ({"by": "key", "versus": ("previous",), "along": "key"}, 'along applies to versus="previous" only'),
    ],
)
def test_along_that_is_refused(options: dict[str, Any], message: str) -> None:
    frame = fixed(100).with_columns(day=pl.date(2020, 1, 1))
    with pytest.raises(ValueError, match=message):
        pa.compare_segments(frame, "label", "score", **options)
    with pytest.raises(ValueError, match=message):
        pa.report(frame, "label", "score", **options)
    with pytest.raises(ValueError, match='report: along applies to versus="previous" only'):
        pa.report(frame, "label", "score", by="g", along="g")


@pytest.mark.parametrize("versus", ["rest", "pooled_rest", "overall", "previous", "a"])
def test_a_lone_positive_has_a_difference(versus: str) -> None:
    """Below 500 negatives the area of one positive is 0, and only its error is undefined."""
    big = fixed(1000).select("label", "score", segment=pl.lit("a"))
    lone = pl.DataFrame({"label": [True] + [False] * 500, "score": [-1e9, *range(500)], "segment": "b"})
    frame = pl.concat([big, lone.with_columns(pl.col("score").cast(pl.Float64))])
    row = pa.compare_segments(frame, "label", "score", "segment", versus=versus).row(1, named=True)
    others = big if versus != "overall" else frame
    auc = others.select(pa.roc_auc("label", "score")).item()
    assert (row["auc"], row["versus_auc"], row["difference"]) == (0.0, auc, -auc)
    undefined = ("se", "difference_se", "difference_lower", "difference_upper", "statistic", "p_value")
    assert [row[name] for name in (*undefined, "p_adjusted")] == [None] * 7
    report = pa.report(frame, "label", "score", by="segment", versus=versus)
    assert report.filter(segment="b").select("difference", "p_value").row(0) == (-auc, None)


def test_a_null_is_a_segment() -> None:
    frame = fixed(2000).with_columns(key=pl.when(pl.col("key") != "a").then("key"))
    filled = frame.with_columns(pl.col("key").fill_null("z"))
    for versus in ("rest", "pooled_rest", "overall", "b"):
        table = pa.compare_segments(frame, "label", "score", "key", versus=versus)
        expected = pa.compare_segments(filled, "label", "score", "key", versus=versus)
        assert table["key"].to_list()[-1] is None
        assert_frame_equal(table.with_columns(pl.col("key").fill_null("z")), expected)
        report = pa.report(frame, "label", "score", by="key", versus=versus)
        groups = report.filter(pl.col("scope") == "group")
        assert groups["p_value"].to_list() == table["p_value"].to_list()
        assert groups["versus_auc"].null_count() == (versus == "b")
    # A null has no order in time.
    table = pa.compare_segments(frame, "label", "score", "key", versus="previous")
    assert table["key"].to_list() == ["b", "c", "d", None]
    assert table["versus_auc"].is_null().to_list() == [True, False, False, True]
    nothing = pa.compare_segments(frame.with_columns(key=None), "label", "score", "key")
    assert nothing["key"].to_list() == [None]


def test_many_segments() -> None:
    """Each segment reads only its scores, and is compared with rows that are counted once."""
    rows = pl.DataFrame({"row": range(400_000)}).select(
        label=(pl.col("row") * 7919 % 13 < 5),
        score=(pl.col("row") * 104_729 % 100_003).cast(pl.Float64),
        segment=pl.col("row") % 20_000,
    )
    for versus in ("pooled_rest", "overall"):
        table = pa.compare_segments(rows, "label", "score", "segment", versus=versus, method="delong")
        assert table.height == 20_000
        for segment in (0, 4711, 19_999):
            kept = rows if versus == "overall" else rows.filter(pl.col("segment") != segment)
            auc = kept.select(pa.roc_auc("label", "score")).item()
            row = table.row(segment, named=True)
            assert row["versus_auc"] == auc or row["auc"] is None
    table = pa.compare_segments(rows, "label", "score", "segment")
    used = table.filter(pl.min_horizontal("n_pos", "n_neg") > 1)
    weight = used["n_pos"] * used["n_neg"] / (used["n_pos"] + used["n_neg"] + 1)
    assert used.height > 10_000
    for segment in (0, 4711, 19_999):
        other_weights = weight * (used["segment"] != segment)
        mean = math.fsum(other_weights * used["auc"]) / math.fsum(other_weights)
        row = table.row(segment, named=True)
        assert row["versus_auc"] == pytest.approx(mean, rel=1e-14)
        assert row["n_pos"] * row["n_neg"] == 0 or 0 <= row["p_value"] <= 1


@ENGINES
def test_lazily_and_by_several_columns(engine: Any) -> None:
    frame = fixed(4000).drop_nulls("key")
    frame = frame.with_columns(half=pl.col("g") % 2 == 0, day=pl.date(2020, 1, 1) + pl.duration(days="g"))
    plan = pa.compare_segments(frame.lazy(), "label", "score", ["half", "key"], versus=(True, "b"))
    table = plan.collect(engine=engine)
    assert table.schema == plan.collect_schema()
    assert table.select("half", "key").equals(table.select("half", "key").sort("half", "key"))
    single = frame.with_columns(both=pl.format("{}{}", "half", "key"))
    other = pa.compare_segments(single, "label", "score", "both", versus="trueb")
    assert_frame_equal(table.drop("half", "key"), other.drop("both"))
    assert table.filter(pl.col("half"), pl.col("key") == "b")["p_value"].to_list() == [None]
    by_day = pa.compare_segments(frame, "label", "score", "day", versus=datetime.date(2020, 1, 2))
    assert by_day.row(0, named=True)["versus_auc"] is None
    assert by_day["versus_auc"].n_unique() == 2


def test_order_of_rows_changes_no_bit() -> None:
    frame = fixed(3000)
    for versus in ("rest", "pooled_rest", "overall", "previous"):
        tables = [
            pa.compare_segments(f, "label", "score", "g", versus=versus)
            for f in (frame, frame.reverse(), frame.sample(fraction=1, shuffle=True, seed=3))
        ]
        assert tables[0].equals(tables[1])
        assert tables[0].equals(tables[2])


def test_adjustments() -> None:
    frame = fixed(3000)
    plain = pa.compare_segments(frame, "label", "score", "g", adjust=None)
    for method in ("holm", "bonferroni", "bh", "by", "hommel", "holm-sidak"):
        table = pa.compare_segments(frame, "label", "score", "g", adjust=method)
        adjusted = plain.select(pa.adjust_p_values("p_value", method=method)).to_series()
        assert table["p_adjusted"].to_list() == adjusted.to_list()


def test_nan_stays_where_it_is() -> None:
    frame = fixed(2000).with_columns(
        score=pl.when(pl.col("key") == "b", pl.int_range(pl.len()) > 1900).then(math.nan).otherwise("score")
    )
    for versus in ("rest", "pooled_rest", "overall", "a"):
        table = pa.compare_segments(frame, "label", "score", "key", versus=versus)
        rows = {row["key"]: row for row in table.iter_rows(named=True)}
        clean = pa.compare_segments(fixed(2000), "label", "score", "key", versus=versus)
        expected = {row["key"]: row for row in clean.iter_rows(named=True)}
        assert math.isnan(rows["b"]["auc"])
        assert math.isnan(rows["b"]["se"])
        assert rows["c"]["auc"] == expected["c"]["auc"]
        assert rows["c"]["n_pos"] == expected["c"]["n_pos"]
        if versus == "a":
            assert rows["c"]["p_value"] == expected["c"]["p_value"]
        else:
            assert math.isnan(rows["c"]["p_value"])


def test_nothing_to_compare() -> None:
    empty = pa.compare_segments(pl.DataFrame(schema=SCHEMA), "label", "score", "key")
    assert empty.height == 0
    assert empty.columns[0] == "key"
    one = pa.compare_segments(
        two_rows([True, False], [1.0, 0.0]).with_columns(key=pl.lit("a")), "label", "score", "key"
    )
    row = one.row(0, named=True)
    assert (row["auc"], row["versus_auc"], row["p_value"], row["heterogeneity"]) == (1.0, None, None, None)


def test_what_is_refused() -> None:
    frame = fixed(100)
    compare = pa.compare_segments
    with pytest.raises(ValueError, match="by must be column names"):
        compare(frame, "label", "score", [])
    with pytest.raises(TypeError, match="by must be column names"):
        compare(frame, "label", "score", [pl.col("g")])  # type: ignore[list-item]
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="'zz'"):
        compare(frame, "label", "score", "zz")
    with pytest.raises(ValueError, match="'difference' has the name of another column"):
        compare(frame.rename({"g": "difference"}), "label", "score", "difference")
    with pytest.raises(ValueError, match=r"versus must be one of .* a value for each of the 1 columns"):
        compare(frame, "label", "score", "g", versus=(1, 2))
    nan, infinite = Decimal("NaN"), Decimal("Infinity")
    for wrong in (
        "best",
        True,
        "1.5",
        nan,
        infinite,
        10**400,
        object(),
        [1],
        {"a": 1},
        pl.col("g"),
        frame["g"],
    ):
        with pytest.raises(
            ValueError, match=r"(?s)versus must be one of .* or a segment, got .* for 'g': Int64"
        ):
            compare(frame, "label", "score", "g", versus=wrong)
    with pytest.raises(pl.exceptions.ComputeError, match=r"versus names the segment 1\.5, which the rows"):
        compare(frame, "label", "score", "g", versus=1.5)
    with pytest.raises(ValueError, match="each once, got"):
        compare(frame, "label", "score", ["g", "g"])
    with pytest.raises(TypeError, match="by must be column names"):
        compare(frame, "label", "score", pl.col("g"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="frame must be a DataFrame or a LazyFrame, got str"):
        compare("frame", "label", "score", "g")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a segment by values that are not null"):
        compare(frame, "label", "score", "g", versus=None)
    with pytest.raises(ValueError, match="adjust must be one of"):
        compare(frame, "label", "score", "g", adjust="tukey")  # type: ignore[arg-type]
    with pytest.raises(
        pl.exceptions.ComputeError,
        match="names the segment 99, which the rows do not have, expected one of 1; 2",
    ):
        compare(frame, "label", "score", "g", versus=99)
    nested = frame.with_columns(pl.concat_list("g").alias("list"))
    with pytest.raises(pl.exceptions.PolarsError, match="by names the column 'list' of dtype"):
        compare(nested, "label", "score", "list")
    reserved = frame.with_columns(key=pl.lit("rest"))
    for several in (["score", "other"], pl.col("score", "other")):
        message = r"score must be one column name or expression, got .*. Hint: write .*, or report\(frame"
        with pytest.raises(TypeError, match=message):
            compare(frame, "label", several, "g")  # type: ignore[arg-type]
    assert compare(reserved, "label", "score", "key", versus=("rest",)).height == 1
    assert compare(frame.rename({"key": "segment"}), "label", "score", "segment").columns[0] == "segment"


@pytest.mark.parametrize(
    ("dtype", "key", "references"),
    [
        (pl.Date(), pl.date(2020, 1, 1) + pl.duration(days="k"), [datetime.date(2020, 1, 3), "2020-01-03"]),
        (pl.Boolean(), pl.col("k") == 2, [True, "true", "True"]),
        (pl.Decimal(10, 2), pl.col("k").cast(pl.Decimal(10, 2)), [2, "2.00", "2"]),
        (pl.Float32(), pl.col("k").cast(pl.Float32) - 2, [0.0, -0.0, "0"]),
        (pl.Categorical(), pl.format("s{}", "k").cast(pl.Categorical), ["s2"]),
        (pl.Enum(["s3", "s2", "s1"]), pl.format("s{}", "k").cast(pl.Enum(["s3", "s2", "s1"])), ["s2"]),
        (pl.Binary(), pl.format("s{}", "k").cast(pl.Binary), [b"s2"]),
        (pl.Duration(), pl.duration(days="k"), [datetime.timedelta(days=2)]),
        (
            pl.Datetime("us", "UTC"),
            (pl.datetime(2020, 1, 1) + pl.duration(days="k")).dt.replace_time_zone("UTC"),
            [datetime.datetime(2020, 1, 3, tzinfo=datetime.timezone.utc), "2020-01-03 00:00:00"],
        ),
    ],
    ids=str,
)
def test_references_of_any_dtype(dtype: pl.DataType, key: pl.Expr, references: list[object]) -> None:
    frame = fixed(900).with_columns(k=pl.col("g") % 3 + 1).with_columns(key=key)
    expected = pa.compare_segments(
        frame.with_columns(key=pl.col("k") == 2), "label", "score", "key", versus=True
    )
    versus_auc = expected.filter(~pl.col("key"))["versus_auc"].item()
    for reference in references:
        table = pa.compare_segments(frame, "label", "score", "key", versus=reference)
        assert table.schema["key"] == frame.schema["key"], dtype
        assert table["versus_auc"].null_count() == 1
        assert table["versus_auc"].drop_nulls().unique().to_list() == [versus_auc], reference


def test_heterogeneity_of_nan() -> None:
    frame = fixed(500).with_columns(score=pl.when(pl.col("key") != "a").then("score").otherwise(math.nan))
    table = pa.compare_segments(frame, "label", "score", "key")
    assert table["heterogeneity"].is_nan().all()
    with pytest.warns(UserWarning, match="the score 'score' is NaN in 120 rows of the group key=a"):
        report = pa.report(frame, "label", ["other", "score"], by="key", versus="rest", compare=True)
    overall = report.filter(pl.col("scope") == "overall", pl.col("score") == "score")
    assert overall.select(pl.col("heterogeneity", "delta_auc").is_nan()).row(0) == (True, True)


WEEKS = pl.DataFrame(
    {"week": ["W8", "W9", "W10", "W11"] * 30, "site": ["x"] * 60 + ["y"] * 60, "key": [1, 2] * 60}
).with_columns(
    label=pl.int_range(pl.len()).is_in([0, 3, 5, 6, 9, 10, 15, 16, *range(50, 70), *range(90, 110)]),
    score=(pl.int_range(pl.len()) * 37) % 53,
)


def test_previous_weeks_are_in_the_order_of_their_numbers() -> None:
    """As texts, W10 and W11 sort before W8."""
    numbers = WEEKS.with_columns(pl.col("week").str.slice(1).cast(pl.Int8))
    weeks = ["W8", "W9", "W10", "W11"]
    for by, along in ((["week"], None), (["site", "week"], "week"), (["week", "site"], "week")):
        expected = pa.compare_segments(numbers, "label", "score", by, versus="previous", along=along)
        expected = expected.with_columns(pl.format("W{}", "week").alias("week"))
        for frame in (WEEKS, WEEKS.with_columns(pl.col("week").cast(pl.Categorical))):
            for weight in (None, "key"):
                table = pa.compare_segments(
                    frame, "label", "score", by, versus="previous", along=along, weight=weight
                )
                if weight is None:
                    assert_frame_equal(table.cast({"week": pl.String}), expected)
                assert table["week"].cast(pl.String).unique(maintain_order=True).to_list() == weeks
        states = WEEKS.group_by(by).agg(state=pa.roc_state("label", "score"))
        table = pa.compare_segments(states, state="state", by=by, versus="previous", along=along)
        assert_frame_equal(table.drop("exact"), expected)
        clustered = pa.compare_segments(
            WEEKS, "label", "score", by, versus="previous", along=along, cluster=pl.int_range(pl.len())
        )
        assert clustered["versus_auc"].to_list() == expected["versus_auc"].to_list()
        for options in ({}, {"folds": "key"}):
            report = pa.report(
                WEEKS,
                "label",
                "score",
                by=by,
                versus="previous",
                along=along,
                **options,  # type: ignore[arg-type]
            )
            groups = report.filter(scope="group")
            assert groups.select(by).equals(expected.select(by))
            assert groups["versus_auc"].to_list() == expected["versus_auc"].to_list()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            ["Aug 2026", "Sep 2026"],
            r'by "month" has periods without an order: "Aug 2026" names "Aug".*2026-09-30',
        ),
        (["08/2025", "07/2026"], "has the year behind a smaller unit"),
        (["train", "test"], '"test" has no number'),
        (["W9", "Q10"], "is unknown"),
    ],
)
def test_previous_periods_without_an_order(values: list[str], message: str) -> None:
    frame = WEEKS.with_columns(month=pl.Series(values * 60))
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        pa.compare_segments(frame, "label", "score", "month", versus="previous")
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        pa.report(frame, "label", "score", by="month", versus="previous")
    # An Enum has an order, which is unnecessary for the rest.
    for dtype, versus in ((pl.Enum(values), "previous"), (pl.String, "rest")):
        table = pa.compare_segments(frame.cast({"month": dtype}), "label", "score", "month", versus=versus)
        assert table.height == 2
