"""Charts of curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, get_args

from polars_auc._frames.inputs import IntoFrame, called
from polars_auc._plots.curves import curve_chart
from polars_auc._plots.kinds import KINDS, ROC, CurveKind
from polars_auc._plugin.errors import OptionError

if TYPE_CHECKING:
    import altair as alt


@called("plot_roc")
def plot_roc(
    curves: IntoFrame | Iterable[Any],
    scores: Mapping[str, Iterable[Any]] | Iterable[Any] | None = None,
    *,
    band: IntoFrame | None = None,
    folds: IntoFrame | None = None,
    areas: IntoFrame | None = None,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    columns: int | None = None,
    size: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of ROC curves, with their confidence bands.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It draws the points of
    :func:`polars_auc.roc_curve` and :func:`polars_auc.roc_band`. For a label and scores as arrays, it
    computes the curves, and the AUC of each with its interval of :func:`polars_auc.roc_auc_ci`.

    Parameters
    ----------
    curves
        With ``scores``: the label, as for :func:`polars_auc.evaluate`. Otherwise the points of the curves, as
        rows or as lists:

        - the long table of :func:`polars_auc.curve_points`, or any frame with the columns ``fpr`` and
          ``tpr``, and ``threshold`` if there are thresholds;
        - a frame with lists of such points, as from ``group_by(...).agg(roc_curve(...))``. Of several list
          columns each is a curve, and their names become the column ``score``.

        Other curves with these columns are supported, such as those of :func:`polars_auc.cv_roc_curve`, and
        the mean curve of a band.
    scores
        Scores by name, such as ``{"forest": p, "tree": q}``: arrays, lists or Series with one value for each
        label, as for :func:`polars_auc.evaluate`. A single array or a frame is also accepted. ``band``,
        ``folds``, ``areas``, ``by`` and ``facet`` require points.
    band
        The points of the bands of these curves, as rows or as lists from :func:`polars_auc.roc_band`. The
        area between the lower and the upper curve is filled.
    folds
        The points of further curves for each of these curves, such as those of the folds of cross-validation.
        They are rows or lists from :func:`polars_auc.roc_curve`. The columns other than ``by`` and ``facet``
        identify them. They are thin lines in the colour of their curve.
    areas
        The AUC of each curve, displayed with its interval: in the legend or, with ``facet``, in each panel of
        at most six curves. A frame with the columns of ``by`` and ``facet``, and ``auc``, ``lower`` and
        ``upper``, such as from :func:`polars_auc.report`.
    by
        The columns that identify the curves within a panel. Each combination has a colour; with more than
        four, also a dash. Default: ``score``, if there is such a column.
    facet
        The columns whose combinations define the panels: small charts with the same axes. Default: one chart.
    columns
        With ``facet``: the number of panels per row; default 3.
    size
        The width and height of the chart, or of each panel, in pixels. Default: 340, and 200 for panels.
    x_title, y_title
        The titles of the axes. Default: the quantities on the axes; "" is no title.
    tooltip
        Whether the point nearest to the pointer is marked and its threshold and rates are displayed. Images
        without tooltips are smaller.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart. It can be extended, as in ``chart.properties(title="...")`` or ``chart | other``, and
        written by :func:`polars_auc.save_chart`. Colours and lines are readable on light and dark
        backgrounds; other styles follow the Altair theme. The chart contains its points.

    Examples
    --------
    From arrays:

    >>> import polars_auc as pa
    >>> ill, old, new = [0, 0, 1, 1, 0, 1], [1, 4, 3, 8, 2, 5], [2, 3, 5, 6, 1, 4]
    >>> chart = pa.plot_roc(ill, {"old": old, "new": new}, x_title="1 - specificity", y_title="sensitivity")
    >>> chart.description
    'ROC curves. Curves by score: old, new. The dashed diagonal is chance.'

    Two models on two sites, each with its band:

    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame(
    ...     {
    ...         "site": ["a", "a", "b", "b"] * 5,
    ...         "label": [0, 1, 1, 0] * 5,
    ...         "old": [row * 7 % 11 for row in range(20)],
    ...         "new": [row * 3 % 13 for row in range(20)],
    ...     }
    ... )
    >>> models = pl.col("old", "new")
    >>> curves = pa.curve_points(rows, pa.roc_curve("label", models, max_points=1000), "site")
    >>> bands = pa.curve_points(rows, pa.roc_band("label", models, level=0.9), "site")
    >>> chart = pa.plot_roc(curves, band=bands, facet="site").properties(title="Two models")
    >>> chart.description
    'ROC curves with bands. Curves by score: old, new. Panels by site: a, b. The dashed diagonal is chance.'

    The AUC of each curve in the legend:

    >>> whole = pa.curve_points(rows, pa.roc_curve("label", models))
    >>> chart = pa.plot_roc(whole, areas=pa.report(rows, "label", models))

    The curves of folds with their mean:

    >>> held_out = rows.with_row_index().with_columns(fold=pl.col("index") // 7)
    >>> mean = pa.curve_points(held_out, pa.cv_roc_curve("label", "new", "fold"))
    >>> folds = pa.curve_points(held_out, pa.roc_curve("label", "new", max_points=100), "fold")
    >>> pa.plot_roc(mean, folds=folds).description
    'ROC curve. Thin lines are curves of folds. The dashed diagonal is chance.'
    """
    return curve_chart(
        "plot_roc",
        ROC,
        curves,
        scores,
        areas=areas,
        band=band,
        folds=folds,
        by=by,
        facet=facet,
        columns=columns,
        size=size,
        x_title=x_title,
        y_title=y_title,
        tooltip=tooltip,
    )


@called("plot_curve")
def plot_curve(
    curves: IntoFrame | Iterable[Any],
    scores: Mapping[str, Iterable[Any]] | Iterable[Any] | None = None,
    *,
    kind: CurveKind,
    areas: IntoFrame | None = None,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    columns: int | None = None,
    size: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of precision-recall, DET, CAP, gains, lift or cost curves.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It draws the points of an expression or,
    for arrays, computes them. Other functions draw ROC curves (:func:`polars_auc.plot_roc`), decision curves
    (:func:`polars_auc.plot_net_benefit`) and calibration curves (:func:`polars_auc.plot_calibration`).

    Parameters
    ----------
    curves
        With ``scores``: the label. Otherwise points of the expression of ``kind``, as rows from
        :func:`polars_auc.curve_points` or as lists: see :func:`polars_auc.plot_roc`.
    scores
        Scores by name, as for :func:`polars_auc.plot_roc`.
    kind
        - ``"precision_recall"``: the points of :func:`polars_auc.pr_curve`, in steps, with a line at the
          prevalence.
        - ``"det"``: the points of :func:`polars_auc.det_curve`, on axes of normal deviates. Rates of 0 and 1
          are outside the axes.
        - ``"cap"``: the points of :func:`polars_auc.cap_curve`.
        - ``"gains"``: the bands of :func:`polars_auc.gains_table`, with the share of positives in each band
          and those above.
        - ``"lift"``: the same bands, with the cumulative lift.
        - ``"cost"``: the points of :func:`polars_auc.cost_curve`.
    areas
        The number of each curve for the legend, or for the panels: a frame with the columns of ``by`` and
        ``facet``. Precision-recall curves also need ``average_precision``; CAP and gains curves need
        ``gini``, ``gini_lower`` and ``gini_upper``. These are fields of :func:`polars_auc.roc_summary`;
        :func:`polars_auc.report` also has Gini coefficients. Arrays have these numbers by default.
    by, facet, columns, size, x_title, y_title, tooltip
        As for :func:`polars_auc.plot_roc`.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart, as from :func:`polars_auc.plot_roc`. With more than 1000 points, at most four in each pixel
        column are drawn: the line is the same.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.read_parquet("data/digits.parquet")
    >>> chart = pa.plot_curve(rows["label"], rows.select("forest", "tree"), kind="precision_recall")
    >>> chart.description
    'Precision-recall curves. Curves by score: forest, tree. The dashed line is the prevalence, the ...'

    A panel for each group:

    >>> curves = pa.curve_points(rows, pa.cap_curve("label", pl.col("forest", "tree")), "segment")
    >>> chart = pa.plot_curve(curves, kind="cap", facet="segment")
    """
    kinds = get_args(CurveKind)
    if kind not in kinds:
        reason = f"must be one of {', '.join(map(repr, kinds))}, got {kind!r}"
        hints = {name: f"write plot_{name}(...)" for name in ("roc", "net_benefit", "calibration")}
        hints["pr"] = 'write kind="precision_recall"'
        raise OptionError("plot_curve", "kind", reason, hints.get(str(kind), 'write kind="det"'))
    return curve_chart(
        "plot_curve",
        KINDS[kind],
        curves,
        scores,
        areas=areas,
        by=by,
        facet=facet,
        columns=columns,
        size=size,
        x_title=x_title,
        y_title=y_title,
        tooltip=tooltip,
    )


@called("plot_net_benefit")
def plot_net_benefit(
    curves: IntoFrame | Iterable[Any],
    scores: Mapping[str, Iterable[Any]] | Iterable[Any] | None = None,
    *,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    columns: int | None = None,
    size: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a chart of decision curves: the net benefit at each threshold, with its interval.

    This function needs Altair: ``pip install "polars-auc[plot]"``. Grey lines are the net benefit if all rows
    are treated, and if none is. The vertical axis ends below 0 at a fifth of the largest benefit. Points with
    ``band="simultaneous"`` have a band for all thresholds at once.

    Parameters
    ----------
    curves
        With ``scores``: the label. Otherwise points of :func:`polars_auc.net_benefit`, as rows from
        :func:`polars_auc.curve_points` or as lists: see :func:`polars_auc.plot_roc`.
    scores
        Probabilities by name, as for :func:`polars_auc.plot_roc`.
    by, facet, columns, size, x_title, y_title, tooltip
        As for :func:`polars_auc.plot_roc`.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart, as from :func:`polars_auc.plot_roc`.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.read_parquet("data/breast_cancer.parquet")
    >>> thresholds = [percent / 100 for percent in range(5, 60)]
    >>> benefits = rows.select(pa.net_benefit("label", pl.col("forest", "tree"), thresholds=thresholds))
    >>> pa.plot_net_benefit(benefits).description
    'Decision curves. Curves by score: forest, tree. The grey lines treat all rows, and none.'
    """
    return curve_chart(
        "plot_net_benefit",
        KINDS["net_benefit"],
        curves,
        scores,
        by=by,
        facet=facet,
        columns=columns,
        size=size,
        x_title=x_title,
        y_title=y_title,
        tooltip=tooltip,
    )


@called("plot_calibration")
def plot_calibration(
    curves: IntoFrame | Iterable[Any],
    scores: Mapping[str, Iterable[Any]] | Iterable[Any] | None = None,
    *,
    distribution: IntoFrame | bool = True,
    by: str | Iterable[str] | None = None,
    facet: str | Iterable[str] | None = None,
    columns: int | None = None,
    size: int | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    tooltip: bool = True,
) -> alt.LayerChart | alt.FacetChart:
    """Return a calibration diagram: the rate of positives at each mean score, with its limits.

    This function needs Altair: ``pip install "polars-auc[plot]"``. It is also called reliability diagram.
    Arrays have ten bins with about equal numbers of rows, and the legend has their Brier score with its
    interval. The bars below are the number of rows at each score, a strip for each curve.

    Parameters
    ----------
    curves
        With ``scores``: the label. Otherwise points of :func:`polars_auc.calibration_curve`, as rows from
        :func:`polars_auc.curve_points` or as lists: see :func:`polars_auc.plot_roc`. Blocks from
        ``method="isotonic"`` extend from their lowest to their highest score, with the limits of ``band`` at
        their mean score.
    scores
        Probabilities by name, as for :func:`polars_auc.plot_roc`.
    distribution
        Whether the bars are drawn. With points, a bar contains the bins with a mean score within it. For
        finer bars, pass points of ``calibration_curve(..., method="uniform", bins=1000)`` for the same
        curves.
    by, facet, columns, size, x_title, y_title, tooltip
        As for :func:`polars_auc.plot_roc`. Bars increase the height.

    Returns
    -------
    altair.LayerChart or altair.FacetChart
        The chart, as from :func:`polars_auc.plot_roc`. If all points are below 0.5 (or 0.2, 0.1 and so on),
        both axes end there.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.read_parquet("data/digits.parquet")
    >>> chart = pa.plot_calibration(rows["label"], rows.select("logistic", "forest"))
    >>> chart.description
    'Calibration curves. Curves by score: logistic, forest. On the grey diagonal the rate is the mean ...'

    Isotonic curves, with a panel for each group:

    >>> models = pl.col("logistic", "forest")
    >>> curves = pa.curve_points(rows, pa.calibration_curve("label", models, method="isotonic"), "segment")
    >>> bins = pa.calibration_curve("label", models, method="uniform", bins=1000)
    >>> counts = pa.curve_points(rows, bins, "segment")
    >>> chart = pa.plot_calibration(curves, distribution=counts, facet="segment")
    """
    return curve_chart(
        "plot_calibration",
        KINDS["calibration"],
        curves,
        scores,
        distribution=distribution,
        by=by,
        facet=facet,
        columns=columns,
        size=size,
        x_title=x_title,
        y_title=y_title,
        tooltip=tooltip,
    )
