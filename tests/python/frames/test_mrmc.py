"""Multi-reader multi-case studies, against the definition."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2, f, t

import polars_auc as pa
from oracles.areas import exact_auc
from oracles.rows import covariances

Fixed = Literal["readers", "cases"] | None


def study(n_readers: int, n_modalities: int, n_cases: int = 60, seed: int = 1) -> pl.DataFrame:
    """Make readings whose modalities differ, in a random order."""
    rng = np.random.default_rng(seed)
    shape = (n_modalities, n_readers, n_cases)
    ill = rng.random(n_cases) < 0.4
    shared = rng.normal(size=n_cases)
    readings = rng.normal(size=shape) + shared + ill * (1 + 0.3 * np.arange(n_modalities))[:, None, None]
    modality, reader, case = np.indices(shape).reshape(3, -1)
    frame = {"modality": modality, "reader": reader, "case": case, "ill": ill[case]}
    columns = pl.DataFrame({**frame, "rating": np.round(readings.ravel() * 2)})
    names = pl.col("modality").replace_strict(dict(enumerate("dbca"[:n_modalities])), return_dtype=pl.String)
    return columns.with_columns(names).sample(fraction=1, shuffle=True, seed=seed)


def compare(frame: pl.DataFrame, **options: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {"reader": "reader", "modality": "modality", "case": "case"}
    return pa.mrmc_roc_auc(frame, "ill", "rating", **columns, **options).row(0, named=True)


def expected(frame: pl.DataFrame, fixed: Fixed, level: float) -> dict[str, Any]:
    """Compute Obuchowski and Rockette's analysis, with the covariances of ``compare_scores``."""
    modalities, readers = (frame[name].unique().sort().to_list() for name in ("modality", "reader"))
    cells = list(itertools.product(modalities, readers))
    wide = frame.pivot(on=["modality", "reader"], index=["case", "ill"], values="rating")
    names = {cell: '{"' + f'{cell[0]}",{cell[1]}' + "}" for cell in cells}
    areas = wide.select(pa.compare_scores("ill", *names.values())).to_series().to_list()[0]["estimates"]
    auc = {cell: area["estimate"] for cell, area in zip(cells, areas, strict=True)}
    covariance = {
        (a, b): value
        for a, area in zip(cells, areas, strict=True)
        for b, value in zip(cells, area["covariance"], strict=True)
    }

    def average(wanted: Any) -> float:
        return float(np.mean([value for (a, b), value in covariance.items() if wanted(a, b)]))

    i, j = len(modalities), len(readers)
    table = np.array([[auc[m, r] for r in readers] for m in modalities])
    modality_means, reader_means, every = table.mean(axis=1), table.mean(axis=0), table.mean()
    ms_modality = j * ((modality_means - every) ** 2).sum() / (i - 1)
    rest = table - modality_means[:, None] - reader_means + every
    ms_interaction = (rest**2).sum() / (i - 1) / (j - 1)
    variance = average(lambda a, b: a == b)
    cov1 = average(lambda a, b: a[0] != b[0] and a[1] == b[1])
    cov2 = average(lambda a, b: a[0] == b[0] and a[1] != b[1])
    cov3 = average(lambda a, b: a[0] != b[0] and a[1] != b[1])
    free = (i - 1) * (j - 1)
    between = max(cov2 - cov3, 0)
    if fixed == "readers":
        error, df = variance - cov1 + (j - 1) * between, np.inf
    elif fixed == "cases":
        error, df = ms_interaction, free
    else:
        error = ms_interaction + j * between
        df = error**2 * free / ms_interaction**2
    statistic = ms_modality / error
    tail = chi2.sf(statistic * (i - 1), i - 1) if np.isinf(df) else f.sf(statistic, i - 1, df)
    pairs = []
    for (a, first), (b, second) in itertools.combinations(enumerate(modalities), 2):
        difference, se = modality_means[a] - modality_means[b], np.sqrt(2 * error / j)
        half = t.isf((1 - level) / 2, df) * se
        pairs.append((first, second, difference, se, difference - half, 2 * t.sf(abs(difference) / se, df)))
    return {
        "pairs": pairs,
        "means": list(modality_means),
        "f": statistic,
        "p_value": tail,
        "cov": (variance, cov1, cov2, cov3),
    }


@pytest.mark.parametrize("fixed", [None, "readers", "cases"])
@pytest.mark.parametrize(("n_readers", "n_modalities"), [(2, 2), (5, 2), (3, 4)])
def test_definition(n_readers: int, n_modalities: int, fixed: Fixed) -> None:
    frame = study(n_readers, n_modalities)
    got = compare(frame, fixed=fixed, level=0.9, adjust=None)
    wanted = expected(frame, fixed, 0.9)
    assert (got["f"], got["p_value"]) == pytest.approx((wanted["f"], wanted["p_value"]), rel=1e-9)
    found = tuple(got[name] for name in ("variance", "cov1", "cov2", "cov3"))
    assert found == pytest.approx(wanted["cov"], rel=1e-9)
    assert [row["auc"] for row in got["modalities"]] == pytest.approx(wanted["means"], rel=1e-13)
    assert [row["modality"] for row in got["modalities"]] == sorted("dbca"[:n_modalities])
    for row, pair in zip(got["differences"], wanted["pairs"], strict=True):
        values = [row[name] for name in ("difference", "se", "lower", "p_value")]
        assert (row["modality_a"], row["modality_b"]) == pair[:2]
        assert values == pytest.approx(pair[2:], rel=1e-9)
        assert row["p_adjusted"] == row["p_value"]
    assert got["n_pos"] + got["n_neg"] == 60
    assert (got["n_modalities"], got["n_readers"]) == (n_modalities, n_readers)


def small_study(generator: random.Random) -> tuple[list[tuple[int, int]], list[tuple[Any, ...]]]:
    """Generate a study of few cases with frequent agreement: its cells and its cases."""
    n_modalities, n_readers = generator.randint(2, 3), generator.randint(2, 4)
    labels = [True] * generator.randint(2, 5) + [False] * generator.randint(2, 5)
    top, who = generator.choice([1, 2, 3, 6]), generator.choice(["readers", "modalities", "nobody"])
    scores: dict[tuple[int, int], list[int]] = {}
    for cell in itertools.product(range(n_modalities), range(n_readers)):
        other = {"readers": (cell[0], 0), "modalities": (0, cell[1])}.get(who, cell)
        copied = other in scores and generator.random() < 0.7
        scores[cell] = scores[other] if copied else [generator.randint(0, top) for _ in labels]
    return list(scores), list(zip(labels, *scores.values(), strict=True))


def exact_p_value(cells: list[tuple[int, int]], rows: list[tuple[Any, ...]], fixed: Fixed) -> float | None:
    """Return the p-value of the test of equal modalities, from exact fractions."""
    areas = {cell: exact_auc([(row[0], row[1 + k]) for row in rows]) for k, cell in enumerate(cells)}
    table = covariances(rows, len(cells))

    def average(wanted: Any) -> Fraction:
        pairs = itertools.combinations_with_replacement(enumerate(cells), 2)
        values = [table[i][j] for (i, a), (j, b) in pairs if wanted(a, b)]
        return sum(values, Fraction(0)) / len(values)

    def mean_area(place: int, value: int) -> Fraction:
        values = [area for cell, area in areas.items() if cell[place] == value]
        return sum(values, Fraction(0)) / len(values)

    i, j = (len({cell[place] for cell in cells}) for place in (0, 1))
    every, free = sum(areas.values(), Fraction(0)) / len(cells), (i - 1) * (j - 1)
    ms_modality = j * sum((mean_area(0, m) - every) ** 2 for m in range(i)) / (i - 1)
    rest = {
        cell: area - mean_area(0, cell[0]) - mean_area(1, cell[1]) + every for cell, area in areas.items()
    }
    ms_interaction = sum((left * left for left in rest.values()), Fraction(0)) / free
    cov2, cov3 = (average(lambda a, b, of=of: (a[0] != b[0]) == of and a[1] != b[1]) for of in (False, True))
    between, df = max(cov2 - cov3, Fraction(0)), np.inf
    if fixed == "readers":
        single = average(lambda a, b: a == b) - average(lambda a, b: a[1] == b[1] and a[0] != b[0])
        error = max(single + (j - 1) * between, Fraction(0))
    else:
        error = ms_interaction + (j * between if fixed is None else Fraction(0))
        df = float(error**2 * free / ms_interaction**2) if ms_interaction else np.inf
    if error == 0:
        return 1.0 if ms_modality == 0 else None
    statistic = float(ms_modality / error)
    tail = chi2.sf(statistic * (i - 1), i - 1) if np.isinf(df) else f.sf(statistic, i - 1, df)
    return float(tail)


@pytest.mark.parametrize("seed", range(100))
def test_small_studies_against_exact_fractions(seed: int) -> None:
    """A mean square or a difference of covariances of 0 is exactly 0."""
    cells, rows = small_study(random.Random(seed))
    readings = [
        (row[0], row[1 + k], *cell, case) for k, cell in enumerate(cells) for case, row in enumerate(rows)
    ]
    frame = pl.DataFrame(readings, ["ill", "rating", "modality", "reader", "case"], orient="row")
    for fixed in (None, "readers", "cases"):
        wanted = exact_p_value(cells, rows, fixed)
        got = compare(frame, fixed=fixed)["p_value"]
        assert got == (wanted if wanted is None else pytest.approx(wanted, rel=1e-8)), fixed


def test_rows_in_any_order() -> None:
    frame = study(3, 2)
    again = compare(frame.sample(fraction=1, shuffle=True, seed=9))
    assert compare(frame) == again
    # With the same order for all readers and modalities, no join is needed.
    assert compare(frame.sort("reader", descending=True)) == again
    assert compare(frame.sort("case", "reader", "modality")) == again
    labels = frame.with_columns(pl.when(pl.col("reader") > 0).then("ill"))
    assert compare(labels) == again


def test_cases_with_a_missing_reading_are_left_out() -> None:
    frame = study(3, 2)
    incomplete = frame.filter((pl.col("case") != 4) | (pl.col("reader") != 1))
    null = frame.with_columns(pl.when((pl.col("case") != 4) | (pl.col("reader") != 1)).then("rating"))
    without = compare(frame.filter(pl.col("case") != 4))
    for some in (incomplete, null):
        got = compare(some)
        assert got["n_skipped"] == 1
        assert {**got, "n_skipped": 0} == without


def test_one_reader_or_one_modality() -> None:
    one_reader = compare(study(1, 3))
    assert (one_reader["f"], one_reader["differences"][0]["se"], one_reader["cov2"]) == (None, None, None)
    fixed = compare(study(1, 3), fixed="readers")
    assert fixed["f"] > 0
    assert fixed["differences"][0]["df"] is None
    one_modality = compare(study(4, 1))
    assert (one_modality["f"], one_modality["differences"]) == (None, [])
    assert one_modality["modalities"][0]["se"] > 0


def test_undefined_and_nan() -> None:
    frame = study(3, 2)
    alone = compare(frame.with_columns(ill=pl.lit(1)))
    assert (alone["modalities"], alone["f"], alone["n_neg"]) == (None, None, 0)
    one_nan = pl.when(pl.int_range(pl.len()) > 0).then("rating").otherwise(float("nan"))
    nan = compare(frame.with_columns(one_nan))
    assert nan["modalities"] is None
    assert np.isnan(nan["f"])
    first_ill = frame.filter("ill")["case"].min()
    few = compare(frame.filter(~pl.col("ill") | (pl.col("case") == first_ill)))
    assert few["modalities"][0]["auc"] is not None
    assert few["modalities"][0]["se"] is None


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            pl.concat([study(2, 2), study(2, 2).head(1)]),
            "has several readings by reader .* keep one, or",
        ),
        (study(2, 2).with_columns(ill=pl.col("reader") == 0), "has several labels, but the label must be"),
        (study(1, 1), "expected at least two readers or two modalities, got 1 of each"),
    ],
)
def test_designs_that_are_none(frame: pl.DataFrame, message: str) -> None:
    with pytest.raises(ValueError, match=f"mrmc_roc_auc: .*{message}"):
        compare(frame)


def test_options() -> None:
    with pytest.raises(ValueError, match="mrmc_roc_auc: fixed must be one of 'readers', 'cases', None"):
        compare(study(2, 2), fixed="both")
    with pytest.raises(pl.exceptions.ComputeError, match=r"mrmc_roc_auc: label .* contains 2"):
        compare(study(2, 2).with_columns(ill=pl.lit(2)))
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match=r"mrmc_roc_auc: .*case"):
        compare(study(2, 2).drop("case"))


def test_readers_who_share_cases_get_a_reason_for_null() -> None:
    whole = study(3, 2)
    shared = whole.filter(pl.col("case") % 3 == pl.col("reader"))
    with pytest.warns(UserWarning, match="no case has more than 2. Each case has one reader.*iMRMC"):
        answer = compare(shared)
    assert (answer["modalities"], answer["n_pos"], answer["n_skipped"]) == (None, 0, 60)
    fewer = whole.filter(pl.col("case") % 3 != pl.col("reader"))
    with pytest.warns(UserWarning, match="6 readings .*, and no case has more than 4. Hint: exclude readers"):
        compare(fewer)
