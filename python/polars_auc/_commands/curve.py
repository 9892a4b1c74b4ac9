"""``polars-auc curve``: the ROC curve, or another curve, of each group and score, as a chart or a table."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any, get_args

import polars as pl

from polars_auc._cli.arguments import add_by, add_files, add_option, add_rows, add_value
from polars_auc._cli.files import Files
from polars_auc._cli.nan import log_nan
from polars_auc._cli.refusal import Incomplete, Refusal, as_refusal
from polars_auc._cli.rows import RowOptions
from polars_auc._cli.streams import log, progress
from polars_auc._commands.output import save
from polars_auc._commands.report_options import ReportRequest
from polars_auc._commands.table_files import ENDINGS, add_table_output, save_table, table_writer
from polars_auc._expressions.bands import BandMethod, roc_band
from polars_auc._expressions.curves import roc_curve
from polars_auc._expressions.folds import cv_roc_auc, cv_roc_curve
from polars_auc._page.save_chart import CHARTS, chart_contents, refuse_size, refuse_title
from polars_auc._page.text import counted
from polars_auc._plots.curves import curve_chart, score_counts
from polars_auc._plots.kinds import KINDS, ROC, Kind
from polars_auc._plugin.errors import OptionError
from polars_auc._plugin.packages import require
from polars_auc._report.options import ReportOptions
from polars_auc._report.rows import Rows

# Options of a band.
_BAND_OPTIONS = ("level", "n_points", "n_resamples", "seed")

# A reserved name: no user column has it.
_FOLD = "polars_auc: fold"

# Points of each fold's curve, a thin line of 200 pixels.
_POINTS_OF_FOLD = 100

_KINDS = {
    "roc": "roc",
    "pr": "precision_recall",
    "det": "det",
    "cap": "cap",
    "gains": "gains",
    "lift": "lift",
    "cost": "cost",
    "net-benefit": "net_benefit",
    "calibration": "calibration",
}
"""The names of the kinds in the shell."""

# Kinds of curves of probabilities, whose points have intervals.
_PROBABILITY_KINDS = ("net-benefit", "calibration")

# Options of ROC curves, except the level.
_ROC_OPTIONS = ("folds", "max_points", "method", "n_points", "n_resamples", "seed")


def add_curve(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "curve",
        help="the ROC curve, or another curve, of each group and score, as a chart or a table",
        description="Draw the curves of all scores, with a panel for each group, or write their points. "
        'Charts need pip install "polars-auc[plot]".',
        epilog='example: polars-auc curve "data/*.parquet" --label y --score s --score t --by segment '
        "--band likelihood -o curve.html",
    )
    command.set_defaults(run=curve)
    add_files(command)
    add_rows(command)
    add_by(command)
    add_option(command, ReportOptions, "low_is_positive")
    add_option(command, ReportRequest, "from_states")
    kinds = f"the kind of curve: {', '.join(_KINDS)} (default: roc)"
    add_value(command, "--kind", kinds, metavar="KIND", choices=list(_KINDS), default="roc")
    folds = (
        "the column of cross-validation folds, or SQL: draws the mean curve of the folds instead of the "
        "curve of all rows, and the curve of each fold as a thin line; bands are then of the folds"
    )
    add_value(command, "--folds", folds, metavar="COLUMN")
    most = f"the most points of a curve (default: 1000; of a fold: {_POINTS_OF_FOLD})"
    add_value(command, "--max-points", most, int, "N")
    _add_bands(command)
    title = "the title of a page, which is an .html file; without it the kind of the curves"
    add_value(command, "--title", title, metavar="TITLE")
    add_value(command, "--dpi", "the pixels per inch of a .png file, such as 300", float, "N")
    add_table_output(
        command,
        f"write a chart: {', '.join(CHARTS)}; or a table of points: {', '.join(ENDINGS)}",
        required=True,
    )


def _add_bands(command: argparse.ArgumentParser) -> None:
    methods = get_args(BandMethod)
    bands = f"draw confidence bands: {', '.join(methods)}; a table then contains their points"
    add_value(command, "--band", bands, metavar="METHOD", choices=methods, dest="method")
    level = "with --band, --kind net-benefit or --kind calibration: the confidence level"
    add_value(command, "--level", f"{level} (default: 0.95)", float)
    points = "with --band or --folds: the number of places of a band or of the mean curve (default: 101)"
    add_value(command, "--points", points, int, "N", dest="n_points")
    resamples = "with --band: bootstrap resamples (default: 2000)"
    add_value(command, "--resamples", resamples, int, "N", dest="n_resamples")
    add_value(command, "--seed", "with --band: seed (default: 0)", int, "N")


def curve(options: argparse.Namespace) -> bool:
    """Write the curves as a chart or a table."""
    kind = KINDS[_KINDS[options.kind]]
    title = f"{kind.name}s"
    # Keep an abbreviation such as ROC in upper case.
    inner = title if title[1].isupper() else title[0].lower() + title[1:]
    writer = table_writer(options, f"Points of {inner}", CHARTS)
    suffix = options.output.suffix
    is_chart = suffix in CHARTS
    files = Files.grouped(options.files, options.by, options.output)
    _check(options, is_chart=is_chart)
    if options.from_states and options.folds is not None and options.method is not None:
        reason = "of folds requires rows, but the files contain states (`from_states`)"
        raise OptionError("", "method", reason, "leave it out, or read the files of the rows")
    fold = files.column("folds", options.folds)
    source = RowOptions.of(vars(options)).source(files, fold)
    rows = source.rows
    if fold is not None:
        rows = replace(rows, frame=rows.frame.with_columns(fold.alias(_FOLD)))
    with source.faults():
        plans = _plans(rows, options, is_chart=is_chart)
        areas = _areas(rows, options) if is_chart else None
        planned = [plan for curves, of in plans.values() for plan in (curves, of.number_of_groups())]
        with progress(f"evaluating {files.size()}"):
            tables = pl.collect_all([*planned, *([] if areas is None else [areas])])
    points = dict(zip(plans, tables[: len(planned) : 2], strict=True))
    is_whole = all(
        points[what].select(*of.by, "score").n_unique() == groups.item() * len(of.scores)
        for (what, (_, of)), groups in zip(plans.items(), tables[1 : len(planned) : 2], strict=True)
    )
    has_nan = log_nan(source, may_be_nan=not is_whole)
    for (what, (_, of)), groups in zip(plans.items(), tables[1 : len(planned) : 2], strict=True):
        if what == "distribution":
            continue
        needs = None if kind is ROC else kind.needs
        table = points[what]
        if is_chart and kind.defined:
            table = table.filter(pl.any_horizontal(pl.col(*kind.defined).is_not_null()))
        _log_undefined(what, of, table, groups.item(), folds=options.folds is not None, needs=needs)
    notes = [f"wrote {options.output}"]
    if is_chart or writer is None:
        chart = _chart(kind, suffix, points, None if areas is None else tables[-1], rows.by)
        contents = chart_contents(chart, suffix, options.title or title, dpi=options.dpi)
        save(options.output, lambda: contents)
    else:
        notes = save_table(writer, options, files, list(rows.scores), points[what])
    if options.low_is_positive:
        log("polars-auc: low scores are positive: a row is positive if score <= threshold")
    for line in notes:
        log(f"polars-auc: {line}")
    if has_nan:
        raise Incomplete
    return True


def _plans(
    rows: Rows, options: argparse.Namespace, *, is_chart: bool
) -> dict[str, tuple[pl.LazyFrame, Rows]]:
    """Plan the points for a chart or a table, by group; a table shows the last plan."""
    plans: dict[str, tuple[pl.LazyFrame, Rows]] = {}
    kind = KINDS[_KINDS[options.kind]]
    if kind is not ROC:
        curves = rows.points(kind.expression, **_level(options))
        plans["curves"] = curves.drop("point") if kind.has_bands else curves, rows
        if kind.has_error_bars and is_chart:
            plans["distribution"] = rows.points(score_counts), rows
        return plans
    fold_keys: dict[str, Any] = {} if options.folds is None else {"fold": pl.col(_FOLD)}
    if fold_keys and is_chart:
        most = _POINTS_OF_FOLD if options.max_points is None else options.max_points
        folds = replace(rows, frame=rows.frame.filter(pl.col(_FOLD).is_not_null()), by=[*rows.by, _FOLD])
        plans["folds"] = folds.points(roc_curve, max_points=most), folds
    # A band already includes the mean curve of folds.
    if fold_keys and options.method is None:
        n_points = 101 if options.n_points is None else options.n_points
        plans["curves"] = rows.points(cv_roc_curve, n_points=n_points, **fold_keys), rows
    elif not fold_keys and (is_chart or options.method is None):
        most = 1000 if options.max_points is None else options.max_points
        plans["curves"] = rows.points(roc_curve, max_points=most), rows
    if options.method is not None:
        plans["band"] = (
            rows.points(roc_band, method=options.method, **_band_options(options), **fold_keys),
            rows,
        )
    return plans


def _areas(rows: Rows, options: argparse.Namespace) -> pl.LazyFrame | None:
    """Plan the number of each curve, such as its AUC with interval; with folds their mean.

    None if a column of groups has the name of one of these columns.
    """
    kind = KINDS[_KINDS[options.kind]]
    if kind.summary is None or not {*kind.numbers}.isdisjoint(rows.by):
        return None
    level = _level(options)
    tables = []
    for name in rows.scores:
        one_score = rows.only(name)
        if options.folds is not None:
            [answer] = one_score.each(cv_roc_auc, fold=pl.col(_FOLD), **level)
        else:
            [answer] = one_score.each(kind.summary, **level)
        frame = rows.frame.select(answer)
        if rows.by:
            # Polars does not keep the order of groups; the chart uses the order of these rows.
            frame = rows.frame.group_by(rows.by).agg(answer).sort(rows.by, nulls_last=True)
        fields = (pl.col(name).struct.field(field).alias(field) for field in kind.numbers)
        tables.append(frame.select(*rows.by, pl.lit(name).alias("score"), *fields))
    return pl.concat(tables)


def _level(options: argparse.Namespace) -> dict[str, float]:
    """Return the level as a keyword argument, if it is set."""
    return {} if options.level is None else {"level": options.level}


def _check_kind(options: argparse.Namespace) -> None:
    """Raise for options that do not apply to a kind of curve other than ROC."""
    is_probability = options.kind in _PROBABILITY_KINDS
    refused = _ROC_OPTIONS if is_probability else (*_ROC_OPTIONS, "level")
    name = next((option for option in refused if getattr(options, option) is not None), None)
    if name is not None:
        kinds = ("roc", *_PROBABILITY_KINDS) if name == "level" else ("roc",)
        listed = " or ".join(f"`kind={kind}`" for kind in kinds)
        raise OptionError("", name, f"is for {listed}, got `kind={options.kind}`", "leave one of them out")
    if is_probability and options.low_is_positive:
        reason = f"reverses scores, and `kind={options.kind}` expects probabilities"
        raise OptionError("", "low_is_positive", reason, 'leave it out, and write --score "1 - s"')


def _check(options: argparse.Namespace, *, is_chart: bool) -> None:
    """Raise for inapplicable options and for missing chart packages, before any row is read."""
    if options.kind != "roc":
        _check_kind(options)
    band_options = [option for option in _BAND_OPTIONS if option != "n_points" or options.folds is None]
    name = next((option for option in band_options if getattr(options, option) is not None), None)
    if name is not None and options.method is None and options.kind == "roc":
        raise OptionError("", name, "is for `method`", "pass it, or leave this out")
    if options.max_points is not None and not is_chart and (options.method or options.folds):
        lines, option = ("bands", "method") if options.method else ("mean curves", "folds")
        reason = f"is for curves, and a table with `{option}` contains {lines}"
        raise OptionError("", "max_points", reason, "leave one of them out")
    refuse_title("", options.title, options.output.suffix)
    refuse_size("", {"dpi": options.dpi}, options.output.suffix)
    if is_chart:
        hint = f"; or end `path` in {', '.join(ENDINGS)}"
        require("a chart", "altair", "vl_convert", extra="plot", hint=hint)


def _band_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of bands that are set, as keyword arguments."""
    values = {name: getattr(options, name) for name in _BAND_OPTIONS}
    return {name: value for name, value in values.items() if value is not None}


def _log_undefined(
    what: str, rows: Rows, table: pl.DataFrame, groups: int, *, folds: bool, needs: str | None
) -> None:
    """Print the number of omitted curves or bands; raise if there is none to write."""
    whole = groups * len(rows.scores)
    n_curves = table.select(*rows.by, "score").n_unique()
    least = "two positives and two negatives" if what == "band" else "a positive and a negative"
    if folds and what != "folds":
        least = f"{'two folds' if what == 'band' else 'a fold'} with a positive and a negative"
    least = needs or least
    why = f"needs {least} with a score, and none that is NaN"
    name = "band" if what == "band" else "curve"
    if n_curves == 0:
        raise Refusal(f"no {name} to write: each {why}")
    if n_curves < whole:
        suffix = " of folds" if what == "folds" else ""
        log(f"polars-auc: {whole - n_curves} of {counted(whole, name)}{suffix} left out: each {why}")


def _chart(
    kind: Kind, suffix: str, points: dict[str, pl.DataFrame], areas: pl.DataFrame | None, by: list[str]
) -> Any:
    """Draw the chart."""
    with as_refusal():
        # Image files have no tooltips.
        return curve_chart(
            "curve",
            kind,
            points["curves"] if "curves" in points else points["band"],
            band=points.get("band"),
            folds=points.get("folds"),
            distribution=points.get("distribution", False),
            areas=areas,
            facet=by or None,
            tooltip=suffix == ".html",
        )
