"""A notebook for marimo that explores segments: marimo edit docs/notebooks/segments.py."""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import pathlib

    import marimo as mo
    import polars as pl

    import polars_auc as pa

    return mo, pa, pathlib, pl


@app.cell
def _(mo, pathlib, pl):
    data = pathlib.Path(__file__).resolve().parents[2] / "data"
    rows = pl.scan_parquet(data / "*.parquet")
    score = mo.ui.dropdown(["logistic", "forest", "tree"], value="forest", label="score")
    by = mo.ui.multiselect(["dataset", "segment", "fold"], value=["dataset", "segment"], label="groups by")
    level = mo.ui.slider(0.8, 0.99, 0.01, value=0.95, label="level", show_value=True)
    mo.hstack([score, by, level], justify="start")
    return by, level, rows, score


@app.cell
def _(by, level, mo, pa, rows, score):
    mo.stop(not by.value, "Choose a column that makes groups.")
    report = pa.report(
        rows, "label", score.value, by=by.value, level=level.value, versus="rest", adjust="holm"
    ).collect()
    pa.style_report(report, level=level.value)
    return (report,)


@app.cell
def _(level, pa, report):
    pa.plot_forest(report, level=level.value)
    return


@app.cell
def _(by, pa, rows, score):
    curves = pa.curve_points(rows, pa.roc_curve("label", score.value, max_points=200), by=by.value)
    pa.plot_roc(curves, facet=by.value, columns=4, size=160)
    return


if __name__ == "__main__":
    app.run()
