"""Bands for the ROC curve of a tree on Covertype, after Macskassy, Provost and Littman (2003).

``python benches/covertype.py PATH [--samples 100] [--figures FOLDER] [--dry]`` reads ``covtype.data.gz`` of
UCI (581,012 rows), or a Parquet file whose last column is the class. An unpruned tree with Laplace's
correction is trained on 1,000 rows of the two largest classes. All other rows are the population. Bands are
computed from the curves of many test sets, as in the paper (``runs``), or from resamples of one test set
(``resamples``). ``--figures`` writes two charts instead of rows. Columns of
``benches/results/covertype.csv``:

- ``population``: the share of bands that contain the whole curve of the population.
- ``outside``: the mean share of points of this curve that are outside.
- ``new``: the mean share of curves of new test sets that are completely within a band.
- ``epsilon``: the mean of the smallest share of outside points that 95 of 100 new curves do not exceed.
- ``mean_width``: the mean width of the bands.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import polars_auc as pa

RESULTS = Path(__file__).parent / "results" / "covertype.csv"

TRAINING = 1000
SIZES = (100, 1000, 5000)
RUNS = (10, 100)
RESAMPLES = 1000
NEW = 50
LEVEL = 0.95
PLACES = 101

CURVE_BANDS: dict[str, dict[str, Any]] = {
    f"{method}, {distribution}": {"method": method, "distribution": distribution}
    for method in ("vertical", "threshold", "radial")
    for distribution in ("normal", "binomial", "empirical")
}
CURVE_BANDS |= {"optimized_radial": {"method": "optimized_radial"}}
ROW_BANDS: dict[str, dict[str, Any]] = {
    name: {"method": name} for name in ("likelihood", "fixed_width", "working_hotelling")
}


def population(path: Path) -> pl.DataFrame:
    """Return labels and scores of the two largest classes, for all rows outside of the training set."""
    from sklearn.tree import DecisionTreeClassifier

    rows = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, has_header=False)
    kind = rows.columns[-1]
    largest = rows[kind].value_counts().sort("count", descending=True)[kind].head(2)
    rows = rows.filter(pl.col(kind).is_in(largest.implode()))
    order = np.random.default_rng(2003).permutation(rows.height)
    features, label = rows.drop(kind).to_numpy()[order], (rows[kind] == largest[1]).to_numpy()[order]
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
    leaves = tree.fit(features[:TRAINING], label[:TRAINING]).apply(features)
    learnt = pl.DataFrame({"leaf": leaves[:TRAINING], "label": label[:TRAINING]})
    corrected = learnt.group_by("leaf").agg(score=(pl.col("label").sum() + 1) / (pl.len() + 2))
    rest = pl.DataFrame({"leaf": leaves[TRAINING:], "label": label[TRAINING:]})
    return rest.join(corrected, on="leaf", maintain_order="left").select("label", "score")


def test_sets(rows: pl.DataFrame, size: int, number: int, seed: int) -> pl.DataFrame:
    """Sample test sets of rows."""
    rng = np.random.default_rng([seed, size])
    sampled = np.concatenate([rng.choice(rows.height, size, replace=False) for _ in range(number)])
    return rows[sampled].with_columns(set=np.repeat(np.arange(number), size))


def bands(rows: pl.DataFrame, size: int, samples: int) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    """Yield the source of bands, and a frame with a band for each sample."""
    for runs in RUNS:
        sets = test_sets(rows, size, samples * runs, runs).with_columns(sample=pl.col("set") // runs)
        for name, options in CURVE_BANDS.items():
            band = pa.roc_band("label", "score", fold="set", level=LEVEL, n_points=PLACES, **options)
            yield (
                {"from": "runs", "number": runs, "method": name},
                sets.group_by("sample").agg(band=band),
            )
    sets = test_sets(rows, size, samples, 1).rename({"set": "sample"})
    for name, options in (CURVE_BANDS | ROW_BANDS).items():
        resampling: dict[str, Any] = (
            {} if name in ("fixed_width", "working_hotelling") else {"n_resamples": RESAMPLES}
        )
        band = pa.roc_band("label", "score", level=LEVEL, n_points=PLACES, **options, **resampling)
        yield (
            {"from": "resamples", "number": RESAMPLES, "method": name},
            sets.group_by("sample").agg(band=band),
        )


def judged(bands: pl.DataFrame, whole: pl.Series, new: pl.DataFrame) -> dict[str, float]:
    """Compare bands with the curve of the population and with new curves."""
    bands = bands.filter(pl.col("band").is_not_null())
    population_groups = bands.with_columns(curve=pl.lit(whole).first()).group_by("sample")
    held = population_groups.agg(pa.band_coverage("band", "curve", level=LEVEL)).unnest("band")
    new_groups = bands.join(new, how="cross").group_by("sample")
    found = new_groups.agg(pa.band_coverage("band", "curve", level=LEVEL)).unnest("band")
    places = bands.explode("band").unnest("band").group_by("sample", maintain_order=True)
    widths = [
        float(np.trapezoid(_at(place, "upper") - _at(place, "lower"), dx=1 / (PLACES - 1)))
        for _, place in places
    ]
    means = (held["coverage"], held["epsilon"], found["coverage"], found["epsilon"], pl.Series(widths))
    names = ("population", "outside", "new", "epsilon", "mean_width")
    return {
        name: round(float(mean.mean()), 4)  # type: ignore[arg-type]
        for name, mean in zip(names, means, strict=True)
    }


def _at(places: pl.DataFrame, limit: str) -> Any:
    """Return the tpr of a limit at equally spaced rates."""
    return np.interp(np.linspace(0, 1, PLACES), places[f"{limit}_fpr"], places[f"{limit}_tpr"])


def figures(rows: pl.DataFrame, folder: Path) -> None:
    """Draw the bands of one test set, and the share of new curves within bands of 100 runs by epsilon."""
    whole = rows.select(pa.roc_curve("label", "score", max_points=200)).explode("score").unnest("score")
    one = test_sets(rows, 1000, 1, 1)
    methods = {
        "radial, normal": CURVE_BANDS["radial, normal"],
        "threshold, normal": CURVE_BANDS["threshold, normal"],
        "optimized_radial": CURVE_BANDS["optimized_radial"],
        "likelihood": ROW_BANDS["likelihood"],
    }
    computed = one.select(pa.roc_band("label", "score", **of).alias(name) for name, of in methods.items())
    computed = computed.unpivot(variable_name="method", value_name="band")
    bands = computed.explode("band").unnest("band")
    curves = pl.concat([whole.select("fpr", "tpr").with_columns(method=pl.lit(name)) for name in methods])
    chart = pa.plot_roc(curves, band=bands, facet="method", columns=2, tooltip=False)
    title = "Bands of one test set of 1,000 rows, and the curve of the population"
    chart.properties(title=title).save(folder / "covertype-bands.svg")
    new = test_sets(rows, 1000, 500, 0).group_by("set").agg(curve=pa.roc_curve("label", "score"))
    sets = test_sets(rows, 1000, 100, 2)
    compared = pl.concat(
        new.join(sets.select(band=pa.roc_band("label", "score", fold="set", **options)), how="cross").select(
            pa.band_coverage("band", "curve"), method=pl.lit(name.replace(", ", " "))
        )
        for name, options in CURVE_BANDS.items()
        if not name.endswith("empirical")
    )
    held = pa.plot_coverage(compared, by="method", level=LEVEL, size=400, tooltip=False)
    title = "Curves of new test sets within bands of 100 test sets of 1,000 rows"
    held.properties(title=title).save(folder / "covertype-epsilon.svg")


def main() -> None:
    """Run the study and append its rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("path", type=Path)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--figures", type=Path, help="the folder to write charts to, in place of rows")
    parser.add_argument("--dry", action="store_true", help="do not write the rows")
    options = parser.parse_args()
    rows = population(options.path)
    if options.figures:
        figures(rows, options.figures)
        return
    whole = rows.select(pa.roc_curve("label", "score"))["score"]
    print(f"{rows.height} rows, AUC {rows.select(pa.roc_auc('label', 'score')).item():.4f}")
    for size in SIZES:
        new = test_sets(rows, size, NEW, 0).group_by("set").agg(curve=pa.roc_curve("label", "score"))
        for source, sample_bands in bands(rows, size, options.samples):
            row = {
                "rows": rows.height,
                "size": size,
                **source,
                "samples": options.samples,
                **judged(sample_bands, whole, new.select("curve")),
                "version": pa.__version__,
                "polars": pl.__version__,
            }
            print(*row.values(), sep=",", flush=True)
            if not options.dry:
                with RESULTS.open("a", encoding="utf-8") as file:
                    file.write(pl.DataFrame([row]).write_csv(include_header=file.tell() == 0))


if __name__ == "__main__":
    main()
