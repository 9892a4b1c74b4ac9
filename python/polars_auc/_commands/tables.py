"""``polars-auc gains``, ``thresholds`` and ``compare``: a table of each group and score."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from typing import Any, get_args

import polars as pl

from polars_auc._cli.arguments import (
    Once,
    add_adjust,
    add_by,
    add_files,
    add_level,
    add_output,
    add_rows,
    add_switch,
)
from polars_auc._cli.evaluated import evaluated_rows, evaluated_states
from polars_auc._cli.output import TABLES, as_file, save
from polars_auc._cli.progress import progress
from polars_auc._cli.refusal import Refusal
from polars_auc._cli.rows import Files, Scored, counted, of_files
from polars_auc._cli.states import add_from_states
from polars_auc._cli.streams import say, show
from polars_auc._expressions.comparisons import roc_auc_compare
from polars_auc._expressions.score_bands import gains_table
from polars_auc._expressions.thresholds import Criterion, operating_point
from polars_auc._frames.curve_points import curve_points
from polars_auc._frames.evaluated import Evaluated
from polars_auc._page.text import SHOWN_ROWS, plain

__all__ = ["add_compare", "add_gains", "add_thresholds"]

# The columns that answer first.
_OF_GAINS = ("band", "highest", "lowest", "n", "n_pos", "rate", "gain", "lift", "ks")
_OF_THRESHOLDS = ("threshold", "tpr", "fpr", "precision", "n_pos", "n_neg")
_OF_PAIRS = ("score_a", "score_b", "difference", "lower", "upper", "p_adjusted")

# Options that need rows.
_OF_ROWS = ("label", "count", "where")


def add_gains(commands: Any) -> None:
    """Add the command that makes gains tables."""
    command = commands.add_parser(
        "gains",
        help="the gains table of each group and score",
        description="Print bands of rows, the highest scores first, with rates, gains, lift and KS.",
        epilog='example: polars-auc gains "data/*.parquet" --label y --score s --by segment --bands 20',
    )
    command.add_argument(
        "--bands", action=Once, type=int, metavar="N", help="the number of bands of equal size (default: 10)"
    )
    command.add_argument(
        "--edges",
        action=Once,
        metavar="SCORES",
        help="the scores at which bands begin, ascending, as in --edges 400,500,600",
    )
    _add_common(command, gains, states=True)


def add_thresholds(commands: Any) -> None:
    """Add the command that chooses thresholds."""
    command = commands.add_parser(
        "thresholds",
        help="the threshold of each group and score that is best by a criterion",
        description="Print the best threshold of each group and score, with its counts and rates.",
        epilog='example: polars-auc thresholds "data/*.parquet" --label y --score s --by segment '
        "--criterion target_fpr --target 0.05",
    )
    command.add_argument(
        "--criterion",
        action=Once,
        choices=get_args(Criterion),
        default="youden",
        help="what the threshold is best by (default: youden)",
    )
    for option, what in (
        ("target", "with target_fpr, target_tpr and target_precision: the rate"),
        ("cost", "with youden, closest_topleft and cost: the cost of a missed positive over a false alarm"),
        ("prevalence", "with youden, closest_topleft and cost: the share of positives where it is used"),
        ("beta", "the weight of the tpr in the F measure (default: 1)"),
    ):
        command.add_argument(f"--{option}", action=Once, type=float, metavar="X", help=what)
    _add_common(command, thresholds, states=True)


def add_compare(commands: Any) -> None:
    """Add the command that compares scores."""
    command = commands.add_parser(
        "compare",
        help="the difference of the AUCs of all pairs of scores, in each group",
        description="Print the differences of the AUCs of scores, with intervals and paired tests.",
        epilog='example: polars-auc compare "data/*.parquet" --label y --score new --score old --by segment',
    )
    add_level(command)
    add_adjust(command)
    add_switch(command, "--against-first", "compare the other scores with the first only")
    _add_common(command, compare, states=False)


def _add_common(command: argparse.ArgumentParser, run: Callable[..., bool], *, states: bool) -> None:
    command.set_defaults(run=run)
    add_files(command)
    add_rows(command)
    add_by(command)
    if states:
        add_from_states(command)
    command.add_argument(
        "--limit",
        action=Once,
        type=int,
        metavar="N",
        help=f"the most rows to print (default: {SHOWN_ROWS}); files have all",
    )
    add_switch(command, "--wide", "print all columns; files have them")
    add_switch(command, "--quiet", "print no table")
    add_output(command, f"write the table: {', '.join(TABLES)}")


def gains(chosen: argparse.Namespace) -> bool:
    """Print and write the gains tables."""
    edges = None if chosen.edges is None else _numbers("--edges", chosen.edges)

    def points(evaluated: Evaluated) -> pl.LazyFrame:
        return evaluated.points(gains_table, bands=chosen.bands, edges=edges).drop("point")

    return _table(chosen, points, _OF_GAINS)


def thresholds(chosen: argparse.Namespace) -> bool:
    """Print and write the thresholds."""
    given = {name: getattr(chosen, name) for name in ("target", "cost", "prevalence", "beta")}
    options = {name: value for name, value in given.items() if value is not None}

    def points(evaluated: Evaluated) -> pl.LazyFrame:
        best = evaluated.each(operating_point, criterion=chosen.criterion, **options)
        return curve_points(evaluated.rows, [each.implode() for each in best], evaluated.by).drop("point")

    return _table(chosen, points, _OF_THRESHOLDS)


def compare(chosen: argparse.Namespace) -> bool:
    """Print and write the comparisons of scores."""
    if len(chosen.scores) == 1:
        raise Refusal("compare needs two --score or more, got one")

    def points(evaluated: Evaluated) -> pl.LazyFrame:
        given = list(evaluated.scores.values())
        compared = roc_auc_compare(
            given[0]["label"],
            *(taken["score"].alias(name) for name, taken in evaluated.scores.items()),
            reference=0 if chosen.against_first else None,
            adjust=None if chosen.adjust == "none" else chosen.adjust,
            level=chosen.level,
            count=given[0]["count"],
        )
        differences = compared.struct.field("differences")
        return curve_points(evaluated.rows, differences, evaluated.by).drop("point")

    return _table(chosen, points, _OF_PAIRS)


def _table(
    chosen: argparse.Namespace, points: Callable[[Evaluated], pl.LazyFrame], first: tuple[str, ...]
) -> bool:
    """Evaluate a table, write it, and print its columns that answer first."""
    contents = None if chosen.output is None else as_file(chosen.output)
    if chosen.limit is not None and chosen.limit < 0:
        raise Refusal(f"--limit must be a number of rows, such as {SHOWN_ROWS}, got {chosen.limit}")
    given = next((name for name in ("limit", "wide") if getattr(chosen, name) not in (None, False)), None)
    if given is not None and chosen.quiet:
        raise Refusal(f"--{given} is about the printed table, and --quiet prints none; leave one out")
    files = Files.grouped(chosen, chosen.output)
    if getattr(chosen, "from_states", False):
        evaluated = evaluated_states(files, chosen, _OF_ROWS)
    else:
        evaluated = evaluated_rows(Scored.of(files, chosen), chosen)
    with of_files(files.names, evaluated.read, evaluated.states), progress(f"evaluating {files.size()}"):
        table, number = pl.collect_all([points(evaluated), evaluated.number_of_groups()])
    keys = [*evaluated.by, *(["score"] if "score" in table.columns else [])]
    whole = number.item() * (len(evaluated.scores) if "score" in keys else 1)
    there = table.select(keys).n_unique() if keys else min(1, table.height)
    why = "each needs a positive and a negative that have a score, and none that is NaN"
    if table.is_empty():
        raise Refusal(f"there is no table to make: {why}")
    if there < whole:
        say(f"polars-auc: {whole - there} of {counted(whole, 'table')} left out: {why}")
    if contents is not None:
        save(chosen.output, lambda: contents(table))
        if not chosen.quiet:
            say(f"polars-auc: wrote {chosen.output}: {counted(table.height, 'row')}")
    if chosen.quiet:
        return True
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    answers = table if chosen.wide else table.select(*keys, *first)
    unprinted = show(plain(answers, SHOWN_ROWS if chosen.limit is None else chosen.limit, width))
    if unprinted is not None:
        raise Refusal(f"cannot print the table: {unprinted}")
    return True


def _numbers(option: str, text: str) -> list[float]:
    """Read numbers that commas separate; whole ones stay whole, however large."""
    try:
        return [
            int(part) if part.strip().lstrip("+-").isdecimal() else float(part) for part in text.split(",")
        ]
    except ValueError as error:
        raise Refusal(
            f"{option} must be numbers with commas between them, such as 1,2.5,4, got {text!r}"
        ) from error
