"""``polars-auc curve``: the ROC curve of each group and score, as a chart or a table."""

from __future__ import annotations

import argparse
import io
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, get_args

import polars as pl

from polars_auc._cli.arguments import Once, add_by, add_files, add_output, add_rows
from polars_auc._cli.evaluated import evaluated_rows, evaluated_states
from polars_auc._cli.output import TABLES, ending, save
from polars_auc._cli.progress import progress
from polars_auc._cli.refusal import Refusal, worded
from polars_auc._cli.rows import Files, Scored, counted, of_files
from polars_auc._cli.states import add_from_states
from polars_auc._cli.streams import say
from polars_auc._expressions.bands import BandMethod, roc_band
from polars_auc._expressions.curves import roc_curve
from polars_auc._expressions.folds import average_roc_curve
from polars_auc._frames.evaluated import Evaluated
from polars_auc._plots.roc import plot_roc

_CHARTS = (".html", ".png", ".svg")

# Options that say how a band is made.
_OF_BANDS = ("level", "points", "resamples", "seed")

# A name that no column of a user has.
_FOLD = "polars_auc: fold"

# Of thin lines of 200 pixels.
_POINTS_OF_FOLD = 100

# Pixels of a picture for each pixel of the chart.
_SCALE = 2


def add_curve(commands: Any) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "curve",
        help="the ROC curve of each group and score, as a chart or a table",
        description="Draw the ROC curves of all scores, with a panel for each group, or write their points. "
        'Charts need pip install "polars-auc[plot]".',
        epilog='example: polars-auc curve "data/*.parquet" --label y --score s --score t --by segment '
        "--band likelihood -o curve.html",
    )
    command.set_defaults(run=curve)
    add_files(command)
    add_rows(command)
    add_by(command)
    add_from_states(command)
    command.add_argument(
        "--folds",
        action=Once,
        metavar="COLUMN",
        help="the column of cross-validation folds, or SQL: draws the mean curve of the folds in place of "
        "the curve of all rows, and the curve of each fold as a thin line; bands are then those of the folds",
    )
    command.add_argument(
        "--max-points",
        action=Once,
        type=int,
        metavar="N",
        help=f"the most points of a curve (default: 1000; of a fold: {_POINTS_OF_FOLD})",
    )
    command.add_argument(
        "--band",
        action=Once,
        choices=get_args(BandMethod),
        metavar="METHOD",
        help=f"draw confidence bands: {', '.join(get_args(BandMethod))}; a table then holds their points",
    )
    command.add_argument(
        "--level", action=Once, type=float, help="with --band: the coverage of the bands (default: 0.95)"
    )
    command.add_argument(
        "--points",
        action=Once,
        type=int,
        metavar="N",
        help="with --band or --folds: the number of places of a band or of the mean curve (default: 101)",
    )
    command.add_argument(
        "--resamples",
        action=Once,
        type=int,
        metavar="N",
        help="with --band: bootstrap resamples (default: 2000)",
    )
    command.add_argument("--seed", action=Once, type=int, metavar="N", help="with --band: seed (default: 0)")
    add_output(
        command,
        f"write a chart: {', '.join(_CHARTS)}; or a table of points: {', '.join(TABLES)}",
        required=True,
    )


def curve(chosen: argparse.Namespace) -> bool:
    """Write the curves as a chart or a table."""
    suffix = ending(chosen.output, (*_CHARTS, *TABLES))
    is_chart = suffix in _CHARTS
    files = Files.grouped(chosen, chosen.output)
    _check(chosen, is_chart=is_chart)
    if chosen.from_states:
        source = evaluated_states(files, chosen, ("label", "count", "where", "folds"))
    else:
        fold = files.column("--folds", chosen.folds)
        source = evaluated_rows(Scored.of(files, chosen, fold), chosen)
        if fold is not None:
            source = replace(source, rows=source.rows.with_columns(fold.alias(_FOLD)))
    with of_files(files.names, source.read, source.states):
        plans = _plans(source, chosen, is_chart=is_chart)
        planned = [plan for points, of in plans.values() for plan in (points, of.number_of_groups())]
        with progress(f"evaluating {files.size()}"):
            tables = pl.collect_all(planned)
    made = dict(zip(plans, tables[::2], strict=True))
    for (what, (_, of)), groups in zip(plans.items(), tables[1::2], strict=True):
        _tell_undefined(what, of, made[what], groups.item(), folds=chosen.folds is not None)
    contents = _chart(suffix, made, source.by) if is_chart else TABLES[suffix](made[what])
    save(chosen.output, lambda: contents)
    say(f"polars-auc: wrote {chosen.output}")
    return True


def _plans(
    source: Evaluated, chosen: argparse.Namespace, *, is_chart: bool
) -> dict[str, tuple[pl.LazyFrame, Evaluated]]:
    """Plan the points that are drawn or written, each of its groups; a table is of the last ones."""
    plans: dict[str, tuple[pl.LazyFrame, Evaluated]] = {}
    of_folds: dict[str, Any] = {} if chosen.folds is None else {"fold": pl.col(_FOLD)}
    if of_folds and is_chart:
        most = _POINTS_OF_FOLD if chosen.max_points is None else chosen.max_points
        folds = replace(source, rows=source.rows.filter(pl.col(_FOLD).is_not_null()), by=[*source.by, _FOLD])
        plans["folds"] = folds.points(roc_curve, max_points=most), folds
    # The mean curve of a band is between its limits.
    if of_folds and chosen.band is None:
        n_points = 101 if chosen.points is None else chosen.points
        plans["curves"] = source.points(average_roc_curve, n_points=n_points, **of_folds), source
    elif not of_folds and (is_chart or chosen.band is None):
        most = 1000 if chosen.max_points is None else chosen.max_points
        plans["curves"] = source.points(roc_curve, max_points=most), source
    if chosen.band is not None:
        plans["band"] = source.points(roc_band, method=chosen.band, **_of_band(chosen), **of_folds), source
    return plans


def _check(chosen: argparse.Namespace, *, is_chart: bool) -> None:
    """Refuse options that do not apply, and a chart that could not be drawn, before any row is read."""
    of_bands = [option for option in _OF_BANDS if option != "points" or chosen.folds is None]
    given = next((option for option in of_bands if getattr(chosen, option) is not None), None)
    if given is not None and chosen.band is None:
        raise Refusal(f"--{given} is for --band; give it, or leave this out")
    if chosen.max_points is not None and not is_chart and (chosen.band or chosen.folds):
        held, option = ("bands", "--band") if chosen.band else ("mean curves", "--folds")
        raise Refusal(
            f"--max-points is for curves, and a table with {option} holds {held}; leave one of them out"
        )
    if is_chart and not all(find_spec(name) for name in ("altair", "vl_convert")):
        raise Refusal(
            f'a chart needs Altair and vl-convert: pip install "polars-auc[plot]"; '
            f"or end --output in {', '.join(TABLES)}"
        )


def _of_band(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the options of bands that are given, as the expression takes them."""
    given = {"level": chosen.level, "points": chosen.points, "n_resamples": chosen.resamples}
    return {name: value for name, value in {**given, "seed": chosen.seed}.items() if value is not None}


def _tell_undefined(what: str, source: Evaluated, table: pl.DataFrame, groups: int, *, folds: bool) -> None:
    """Say of how many groups there is no curve or no band; refuse a file of nothing."""
    whole = groups * len(source.scores)
    drawn = table.select(*source.by, "score").n_unique()
    least = "two positives and two negatives" if what == "band" else "a positive and a negative"
    if folds and what != "folds":
        least = f"{'two folds' if what == 'band' else 'a fold'} with a positive and a negative"
    why = f"needs {least} that have a score, and none that is NaN"
    name = "band" if what == "band" else "curve"
    if drawn == 0:
        raise Refusal(f"there is no {name} to write: each {why}")
    if drawn < whole:
        of_folds = " of folds" if what == "folds" else ""
        say(f"polars-auc: {whole - drawn} of {counted(whole, name)}{of_folds} left out: each {why}")


def _chart(suffix: str, made: dict[str, pl.DataFrame], by: list[str]) -> bytes:
    """Draw the chart; a page works without a network, because the scripts are in it."""
    with worded():
        # Pictures show no tooltips.
        chart = plot_roc(
            made["curves"] if "curves" in made else made["band"],
            band=made.get("band"),
            folds=made.get("folds"),
            facet=by or None,
            tooltip=suffix == ".html",
        )
    if suffix == ".png":
        picture = io.BytesIO()
        chart.save(picture, format="png", scale_factor=_SCALE)
        return picture.getvalue()
    text = io.StringIO()
    if suffix == ".html":
        chart.save(text, format="html", inline=True)
    else:
        chart.save(text, format="svg")
    return text.getvalue().encode()
