"""Several classes, subgroups and folds: columns, dtypes and errors that the laws do not cover."""

from __future__ import annotations

import datetime
import math
from functools import partial
from typing import Any

import polars as pl
import pytest

import polars_auc as pa
from catalogue.cases import fixed

ENGINES = pytest.mark.parametrize("engine", ["in-memory", "streaming"])
NAMES = ["c", "a", "d", "b"]
COLUMNS = ["score", "other", "third", "fourth"]


def four(n: int = 400) -> pl.DataFrame:
    return fixed(n).with_columns(third=-pl.col("score"), fourth=-pl.col("other"))


@ENGINES
def test_lists_and_arrays_are_columns(engine: Any) -> None:
    frame = four().fill_null(0.0).filter(pl.col("key").is_not_null())
    expected = frame.group_by("g").agg(out=pa.multiclass_roc_auc("key", *COLUMNS, classes=NAMES)).sort("g")
    listed = pl.concat_list(COLUMNS)
    for column in (listed, listed.cast(pl.Array(pl.Float64, 4))):
        plan = frame.lazy().with_columns(p=column)
        out = pa.multiclass_roc_auc("key", "p", classes=NAMES).alias("out")
        got = plan.group_by("g").agg(out).sort("g").collect(engine=engine)
        assert got.equals(expected)
    short = pl.concat_list("score", "other")
    with pytest.raises(pl.exceptions.PolarsError, match="width"):
        frame.lazy().select(pa.multiclass_roc_auc("key", short, classes=NAMES)).collect(engine=engine)


def test_a_list_with_a_null_skips_its_row() -> None:
    frame = pl.DataFrame({"y": ["a", "b", "b", None], "p": [[0.9, 0.1], [0.2, None], [0.1, 0.9], [0.5, 0.5]]})
    got = frame.select(pa.multiclass_roc_auc("y", "p", classes=["a", "b"])).item()
    assert (got["auc"], got["n"]) == (1.0, 2)
    assert [one["n"] for one in got["classes"]] == [1, 1]


def test_names_are_classes() -> None:
    frame = four().rename(dict(zip(COLUMNS, NAMES, strict=True)))
    expected = frame.select(pa.multiclass_roc_auc("key", *NAMES, classes=NAMES)).item()
    columns = pa.multiclass_roc_auc("key", "c", pl.col("a"), (-pl.col("c")).alias("d"), pl.col("b"))
    got = frame.select(columns)
    assert got.columns == ["c"]
    assert got.item() == expected
    assert [one["class"] for one in expected["classes"]] == NAMES
    one_class_less = frame.filter(pl.col("key") != "d").select(pa.multiclass_roc_auc("key", *NAMES)).item()
    assert (one_class_less["n_classes"], one_class_less["n_missing"]) == (3, 1)
    assert [one["auc"] is None for one in one_class_less["classes"]] == [False, False, True, False]


def test_a_label_of_any_plain_dtype() -> None:
    frame = four().with_columns(k=pl.col("key").replace_strict(dict(zip(NAMES, range(4), strict=True))))
    expected = frame.select(pa.multiclass_roc_auc("key", *COLUMNS, classes=NAMES)).item()["auc"]
    day = datetime.date(2024, 1, 1)
    days = [day + datetime.timedelta(place) for place in range(4)]
    cases: list[tuple[pl.Expr, list[Any]]] = [
        (pl.col("k").cast(pl.UInt8), [0, 1, 2, 3]),
        (pl.col("k").cast(pl.Float64), [0.0, 1.0, 2.0, 3.0]),
        (pl.col("k").cast(pl.String), [0, 1, 2, 3]),
        (pl.col("key").cast(pl.Categorical), NAMES),
        (pl.col("key").cast(pl.Enum(sorted(NAMES))), NAMES),
        (pl.lit(day) + pl.duration(days="k"), days),
    ]
    for label, classes in cases:
        got = frame.select(pa.multiclass_roc_auc(label, *COLUMNS, classes=classes)).item()
        assert got["auc"] == expected, label
    two = frame.select(
        pa.multiclass_roc_auc("label", -pl.col("score"), "score", classes=[False, True])
    ).item()
    assert two["auc"] == frame.select(pa.roc_auc("label", "score")).item()


@ENGINES
def test_a_label_that_is_no_class(engine: Any) -> None:
    message = 'multiclass_roc_auc: label "key" contains "d", which is not one of the classes "a", "b", "c"'
    plan = four().lazy().with_columns(a="score", b="other", c="third")
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        plan.select(pa.multiclass_roc_auc("key", "a", "b", "c")).collect(engine=engine)
    with pytest.raises(
        pl.exceptions.ComputeError, match=r"Hint: write the class of each column, in order: classes="
    ):
        plan.group_by("g").agg(pa.multiclass_roc_auc("key", "score", "other")).collect(engine=engine)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pa.multiclass_roc_auc("y"), "expected a column for each class"),
        (
            lambda: pa.multiclass_roc_auc("y", "p"),
            r"of a List or Array column write the class of .* classes=\[",
        ),
        (
            lambda: pa.multiclass_roc_auc("y", "a", "b", classes=["a"]),
            r"classes must be two or more, got \['a'\]",
        ),
        (lambda: pa.multiclass_roc_auc("y", "p", classes=[]), "classes must be two or more"),
        (
            lambda: pa.multiclass_roc_auc("y", "a", "a"),
            "two columns have the name 'a'. Hint: write the class of each",
        ),
        (
            lambda: pa.multiclass_roc_auc("y", "a", "b", classes=["a", "b", "c"]),
            r"classes are 3, .* and columns are 2",
        ),
        (lambda: pa.multiclass_roc_auc("y", "a", "b", classes=["a", "a"]), "classes hold 'a' twice"),
        (
            lambda: pa.multiclass_roc_auc("y", "a", "b", classes=[1, "1"]),
            "classes hold '1' twice, compared as",
        ),
        (lambda: pa.multiclass_roc_auc("y", "a", "b", classes=["a", None]), "classes contain None"),
        (lambda: pa.multiclass_roc_auc("y", "a", "b", multi_class="ova"), "multi_class must be one of"),  # type: ignore[arg-type]
        (lambda: pa.multiclass_roc_auc("y", "a", "b", average="samples"), "average must be one of"),  # type: ignore[arg-type]
        (
            lambda: pa.multiclass_roc_auc("y", "a", "b", multi_class="ovo", average="micro"),
            'write multi_class="ovr"',
        ),
        (
            lambda: pa.multiclass_roc_auc_ci("y", "a", "b", average="micro"),  # type: ignore[arg-type]
            r'multiclass_roc_auc_ci: average="micro" .*. Hint: write average="macro"',
        ),
        (
            lambda: pa.multiclass_roc_auc_ci("y", "a", "b", average="mean"),  # type: ignore[arg-type]
            "average must be one of 'macro', 'weighted', None, got 'mean'",
        ),
        (
            lambda: pa.multiclass_roc_auc_ci("y", "a", "a"),
            "multiclass_roc_auc_ci: two columns have the name 'a'",
        ),
        (lambda: pa.multiclass_roc_auc_ci("y", "a", "b", level=1), "level must lie between 0 and 1"),
        (lambda: pa.ordinal_roc_auc_ci("y", "s", level=95), "ordinal_roc_auc_ci: level must lie between"),
        (lambda: pa.subgroup_auc_ci("y", "s", "g", level=0), "subgroup_auc_ci: level must lie between"),
        (lambda: pa.grouped_roc_auc("y", "s", "u", average="micro"), "average must be one of 'macro'"),  # type: ignore[arg-type]
        (lambda: pa.cv_roc_curve("y", "s", "f", method="mean"), "method must be one of 'vertical'"),  # type: ignore[arg-type]
        (lambda: pa.cv_roc_curve("y", "s", "f", n_points=2), "n_points must be an integer from 3 to"),
        (lambda: pa.cv_roc_curve("y", "s", "f", at_fpr=[]), "at_fpr must hold a rate"),
        (lambda: pa.cv_roc_curve("y", "s", "f", at_fpr=[math.nan]), "at_fpr must lie between 0 and 1"),
        (lambda: pa.cv_roc_curve("y", "s", "f", at_fpr=0.1), "at_fpr must be a list"),  # type: ignore[arg-type]
        (
            lambda: pa.cv_roc_curve("y", "s", "f", method="threshold", at_fpr=[0.1]),
            'write method="vertical"',
        ),
    ],
)
def test_options(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_types() -> None:
    with pytest.raises(TypeError, match="classes must be a list"):
        pa.multiclass_roc_auc("y", "a", "b", classes="ab")
    with pytest.raises(TypeError, match="multiclass_roc_auc: probability_2 must be a column name"):
        pa.multiclass_roc_auc("y", "a", 3, classes=["a", "b"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="multiclass_roc_auc: probability_1 must be a column name"):
        pa.multiclass_roc_auc("y", 3, classes=["a", "b"])  # type: ignore[arg-type]
    for several in (pl.all(), pl.col("b", "c"), ["b", "c"], ("b", "c")):
        with pytest.raises(
            TypeError, match=r"every class has a column of its own, .*. Hint: write multiclass_roc_auc\("
        ):
            pa.multiclass_roc_auc("y", "a", several)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="classes must be values of a column"):
        pa.multiclass_roc_auc("y", "a", "b", classes=["a", object()])
    text = pl.DataFrame({"y": ["a", "b"], "a": ["x", "y"], "b": [1, 2]}).lazy()
    with pytest.raises(pl.exceptions.ComputeError, match='probability "a" has dtype str'):
        text.select(pa.multiclass_roc_auc("y", "a", "b")).collect_schema()
    with pytest.raises(pl.exceptions.ComputeError, match='label "y" has dtype list'):
        text.select(pa.multiclass_roc_auc(pl.concat_list("y"), "b", "b", classes=["a", "b"])).collect_schema()


def test_ordered_classes_keep_their_dtype_and_order() -> None:
    frame = four().with_columns(stage=pl.col("key").cast(pl.Enum(["d", "b", "a", "c"])))
    plan = frame.lazy().select(pa.ordinal_roc_auc("stage", "score"))
    got = plan.collect()
    assert got.schema == plan.collect_schema()
    pairs = got.item()["pairs"]
    assert [(pair["class_a"], pair["class_b"]) for pair in pairs[:3]] == [("d", "b"), ("d", "a"), ("d", "c")]
    without = frame.lazy().select(pa.ordinal_roc_auc("stage", "score", pairs=False))
    assert without.collect_schema() == got.schema
    assert without.collect().item() == {**got.item(), "pairs": None}
    with pytest.raises(ValueError, match="ordinal_roc_auc: pairs must be True or False, got 0"):
        pa.ordinal_roc_auc("stage", "score", pairs=0)  # type: ignore[arg-type]
    turned = frame.select(pa.ordinal_roc_auc("stage", -pl.col("score"))).item()
    assert math.isclose(turned["auc"], 1 - got.item()["auc"], rel_tol=1e-14)
    agreement = frame.select(pa.rank_agreement(pl.col("stage").to_physical(), "score")).item()
    assert math.isclose(got.item()["concordance"], (agreement["somers_yx"] + 1) / 2, rel_tol=1e-14)
    numbers = pl.DataFrame({"y": range(1001), "s": range(1001)})
    with pytest.raises(pl.exceptions.ComputeError, match="1001 distinct values of label in a group"):
        numbers.select(pa.ordinal_roc_auc("y", "s"))


def test_a_subgroup_is_a_truth() -> None:
    frame = fixed(300).with_columns(inside=pl.col("key") == "a")
    expected = frame.select(pa.subgroup_auc("label", "score", "inside")).item()
    for dtype in (pl.Int8, pl.UInt64, pl.Float32):
        inside = pl.col("inside").cast(dtype)
        assert frame.select(pa.subgroup_auc("label", "score", inside)).item() == expected
    with pytest.raises(pl.exceptions.ComputeError, match='subgroup_auc: subgroup "key" has dtype str'):
        frame.lazy().select(pa.subgroup_auc("label", "score", "key")).collect_schema()
    with pytest.raises(pl.exceptions.ComputeError, match=r'subgroup "g" contains \d+, expected Booleans'):
        frame.select(pa.subgroup_auc("label", "score", "g"))


def test_intervals_with_areas() -> None:
    frame = four().with_columns(inside=pl.col("key") == "a")
    cases: tuple[dict[str, Any], ...] = (
        {},
        {"multi_class": "ovo"},
        {"multi_class": "ovo", "average": "weighted"},
    )
    for options in cases:
        with_ci = pa.multiclass_roc_auc_ci("key", *COLUMNS, classes=NAMES, **options)
        got = frame.select(with_ci).item()
        plain = frame.select(pa.multiclass_roc_auc("key", *COLUMNS, classes=NAMES, **options)).item()
        assert {name: got[name] for name in plain if name not in ("classes", "pairs")} == {
            name: plain[name] for name in plain if name not in ("classes", "pairs")
        }
        for name in ("classes", "pairs"):
            for one, other in zip(got[name] or [], plain[name] or [], strict=True):
                assert {key: one[key] for key in other} == other
    got = frame.select(pa.ordinal_roc_auc_ci("key", "score")).item()
    plain = frame.select(pa.ordinal_roc_auc("key", "score")).item()
    assert (got["auc"], got["concordance"]) == (plain["auc"], plain["concordance"])
    subgroup = frame.select(pa.subgroup_auc("label", "score", "inside")).item()
    fields = frame.select(pa.subgroup_auc_ci("label", "score", "inside")).item()
    assert {one["field"]: one["estimate"] for one in fields} == {
        name: value for name, value in subgroup.items() if not name.startswith("n_")
    }


@ENGINES
def test_a_label_that_is_no_class_of_an_interval(engine: Any) -> None:
    plan = four().lazy().with_columns(a="score", b="other", c="third")
    message = 'multiclass_roc_auc_ci: label "key" contains "d", which is not one of the classes'
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        plan.select(pa.multiclass_roc_auc_ci("key", "a", "b", "c")).collect(engine=engine)


def test_rates_in_any_order() -> None:
    frame = fixed(500)
    even = frame.select(pa.cv_roc_curve("label", "score", "key", n_points=5)).to_series().explode()
    rates = [1, 0.25, 0, 0.75, 0.5]
    at_rates = frame.select(pa.cv_roc_curve("label", "score", "key", at_fpr=rates)).to_series().explode()
    assert at_rates.struct.unnest().sort("fpr").equals(even.struct.unnest())
    assert at_rates.struct.field("fpr").to_list() == rates


def test_area_under_the_adjusted_curve() -> None:
    """Ties are diagonals, so the trapezoids give the positives-weighted mean of the strata's areas."""
    frame = fixed(2000)
    curve = frame.select(pa.covariate_adjusted_roc_curve("label", "score", "g")).to_series().explode()
    x, y = curve.struct.field("fpr"), curve.struct.field("tpr")
    assert (x.diff().drop_nulls() >= 0).all()
    assert (y.diff().drop_nulls() >= 0).all()
    area = (x.diff() * (y + y.shift()) / 2).sum()
    mean = frame.select(pa.grouped_roc_auc("label", "score", "g", average="positives", error="within")).item()
    assert math.isclose(area, mean["auc"], rel_tol=1e-12)
    # A monotone map in each stratum changes nothing.
    moved = frame.with_columns(pl.col("score") * pl.lit(2.0).pow("g"))
    assert (
        moved.select(pa.covariate_adjusted_roc_curve("label", "score", "g"))
        .to_series()
        .explode()
        .equals(curve)
    )
    # In one stratum, its points are on the curve, and include all corners of the curve.
    single = frame.with_columns(all=1)
    one = single.select(pa.covariate_adjusted_roc_curve("label", "score", "all")).to_series().explode()
    whole = frame.select(pa.roc_curve("label", "score")).to_series().explode()
    corners = frame.select(pa.roc_curve("label", "score", drop_intermediate=True)).to_series().explode()

    def points(curve: pl.Series) -> set[Any]:
        return set(curve.struct.unnest().select("fpr", "tpr").rows())

    assert points(corners) <= points(one) <= points(whole)


@pytest.mark.parametrize(
    "function",
    [
        pa.covariate_adjusted_roc_curve,
        pa.grouped_roc_auc,
        partial(pa.grouped_roc_auc_difference, score_b="k"),
    ],
)
def test_several_columns_make_the_strata_together(function: Any) -> None:
    """A row with a null in one of them is skipped."""
    frame = fixed(2000).with_columns(
        k=-pl.col("score"), h=pl.when(pl.int_range(pl.len()) % 7 > 0).then(pl.int_range(pl.len()) % 2)
    )
    together = frame.with_columns(both=pl.col("g") * 10 + pl.col("h"))
    several = frame.select(x=function("label", "score", by=["g", pl.col("h")]))
    assert several.equals(together.select(x=function("label", "score", by="both")))


def test_by_pairs_is_the_share_of_pairs() -> None:
    frame = fixed(500).drop_nulls()
    u = frame.group_by("key").agg(u=pa.mann_whitney_u("label", "score")).unnest("u")
    pairs, u_sum = math.fsum(u["n_pos"] * u["n_neg"]), math.fsum(u["u_statistic"])
    got = frame.select(pa.grouped_roc_auc("label", "score", "key", average="pairs")).item()
    assert math.isclose(got["auc"], u_sum / pairs, rel_tol=1e-14)
