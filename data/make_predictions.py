"""Make the predictions in this folder: out-of-fold scores of three models on two data sets.

Run ``python data/make_predictions.py``. It needs scikit-learn, which bundles both data sets; everything is
seeded, so that the same versions give the same files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

HERE = Path(__file__).parent
FOLDS = 10
SEED = 2004
QUARTILES = ("Q1", "Q2", "Q3", "Q4")


def models() -> dict[str, object]:
    """Return the models by column name: one continuous, one on a grid, one with heavy ties."""
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=1000)),
        "forest": RandomForestClassifier(100, min_samples_leaf=5, random_state=SEED),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=SEED),
    }


def predictions(name: str, features: np.ndarray, label: np.ndarray, trait: np.ndarray) -> pl.DataFrame:
    """Score every row by models that never saw it; segments are quartiles of a trait of the row."""
    fold = np.zeros(len(label), dtype=np.uint8)
    scores = {column: np.zeros(len(label)) for column in models()}
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(features, label)
    for number, (train, test) in enumerate(splits, start=1):
        fold[test] = number
        for column, model in models().items():
            fitted = model.fit(features[train], label[train])  # type: ignore[attr-defined]
            scores[column][test] = fitted.predict_proba(features[test])[:, 1]
    quartile = np.searchsorted(np.quantile(trait, [0.25, 0.5, 0.75]), trait)
    return pl.DataFrame(
        {
            "dataset": [name] * len(label),
            "fold": fold,
            "segment": [QUARTILES[place] for place in quartile],
            "label": label.astype(np.int8),
            **scores,
        }
    )


def main() -> None:
    """Write one Parquet file for each data set."""
    cancer = load_breast_cancer()
    # Two of the 30 measurements, so that there is something left to be wrong about.
    features = cancer.data[:, [1, 4]]
    malignant = (cancer.target == 0).astype(int)
    fractal_dimension = cancer.data[:, list(cancer.feature_names).index("mean fractal dimension")]
    digits = load_digits()
    pixels = digits.data[:, 18:46]  # a middle band of the image
    eight = (digits.target == 8).astype(int)
    ink = digits.data.mean(axis=1)
    for name, frame in {
        "breast_cancer": predictions("breast_cancer", features, malignant, fractal_dimension),
        "digits": predictions("digits", pixels, eight, ink),
    }.items():
        frame.write_parquet(HERE / f"{name}.parquet", compression="zstd", statistics=False)
        print(f"wrote {name}.parquet: {frame.height} rows")


if __name__ == "__main__":
    main()
