"""The options of ``polars-auc report``, and which of them belong together."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from polars_auc._cli.arguments import (
    Once,
    add_adjust,
    add_by,
    add_files,
    add_level,
    add_output,
    add_rows,
    add_switch,
    add_weight,
)
from polars_auc._cli.output import to_standard_output
from polars_auc._cli.refusal import Refusal
from polars_auc._cli.sql import given_name
from polars_auc._cli.states import add_from_states, add_limit
from polars_auc._commands.report_files import FORMATS, TITLE, suffix_of
from polars_auc._page.text import SHOWN_ROWS, Shown
from polars_auc._report.together import NEED_ROWS, OF_WEIGHTS, apart

__all__ = ["add_options", "check", "shown_of"]


def add_options(commands: Any) -> argparse.ArgumentParser:
    """Add the command, and return it."""
    command: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="one row for each group and score, and one over all rows",
        description="Print AUC with its interval, KS and Gini for each group and score, and over all rows.",
        epilog='example: polars-auc report "data/*.parquet" --label y --score s --by segment -o report.md',
    )
    add_files(command)
    add_rows(command)
    add_by(command)
    command.add_argument(
        "--groupings",
        action=Once,
        choices=("each", "rollup", "cube"),
        help="several groupings: by each --by alone; by all, all but the last, and so on; by every choice",
    )
    command.add_argument(
        "--sorted-by",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a --by by which the rows come sorted: groups are then read one after the other, which takes "
        "less memory; it is checked; may be repeated",
    )
    add_from_states(command)
    add_level(command)
    command.add_argument(
        "--ci",
        action=Once,
        choices=("delong", "logit", "hanley_mcneil", "bootstrap"),
        default="delong",
        help="method of the interval of the AUC (default: delong)",
    )
    command.add_argument(
        "--interval",
        action=Once,
        choices=("percentile", "bca"),
        help="limits of the bootstrap, with --ci bootstrap: percentile (the default), or bca, which corrects "
        "them for bias and acceleration",
    )
    command.add_argument(
        "--resamples",
        action=Once,
        type=int,
        metavar="N",
        help="bootstrap resamples, with --ci bootstrap (default: 2000)",
    )
    command.add_argument(
        "--seed", action=Once, type=int, metavar="N", help="seed, with --ci bootstrap (default: 0)"
    )
    add_switch(command, "--compare", "compare each score with the first, on rows that have all")
    command.add_argument(
        "--versus",
        action=Once,
        metavar="SEGMENT",
        help="compare each group with the 'rest', 'overall', the 'previous' one, or the group of this value "
        "(values of several --by are separated by commas)",
    )
    command.add_argument(
        "--along",
        action=Once,
        metavar="COLUMN",
        help="with --versus previous and several --by: the one whose previous value is meant, such as "
        "the year",
    )
    command.add_argument(
        "--compare-to",
        action=Once,
        type=Path,
        metavar="FILE",
        help="an earlier report, as -o wrote it (.parquet, .csv or .json): adds the change of each AUC since",
    )
    add_adjust(command)
    command.add_argument(
        "--folds",
        action=Once,
        metavar="COLUMN",
        help="the column of cross-validation folds, or SQL: adds their mean AUC",
    )
    command.add_argument(
        "--stability",
        action=Once,
        metavar="SQL",
        help='the rows of a reference, as in "year < 2016": adds how far the scores of the other rows have '
        "moved from it (psi); columns of --by that it names do not divide the reference",
    )
    command.add_argument(
        "--cluster",
        action=Once,
        metavar="COLUMN",
        help="the column, or SQL, that says which rows belong together, such as those of one patient: "
        "intervals and --compare then do not take rows as independent",
    )
    add_weight(
        command,
        "the column, or SQL, with the weight of each row, for rows that were drawn with unequal "
        "probabilities (with --ci delong or logit)",
    )
    command.add_argument(
        "--allow-empty",
        action="store_true",
        help="report also if --where leaves no row, or if no row or every row is positive",
    )
    command.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="SQL",
        help='exit with 1 if this is true, or cannot be decided, in a row that it is about, as "auc < 0.7": '
        "a row of groups if it names a column of --by or of --versus, otherwise any row; "
        "may be repeated, and each is checked by itself",
    )
    add_switch(
        command,
        "--keep-going",
        "leave out files, scores and groups that cannot be evaluated, name them, and exit with 3",
    )
    add_switch(
        command,
        "--bounded",
        "keep only a small state of each group in memory; auc_min and auc_max say how exact it is",
    )
    add_limit(command, "with --bounded: the most bins of a state (default: 4096)")
    command.add_argument(
        "--columns",
        action=Once,
        metavar="NAMES",
        help="the columns to print, and of an .md file, as in auc,ks (default: those that answer first)",
    )
    add_switch(command, "--wide", "all columns, printed and in an .md file")
    command.add_argument(
        "--limit",
        action=Once,
        type=int,
        metavar="N",
        help=f"the most rows of groups to print (default: {SHOWN_ROWS}); files have all",
    )
    add_switch(command, "--quiet", "print errors and gates only")
    command.add_argument(
        "--title", action=Once, help=f"the title of a page, which is an .html or .md file (default: {TITLE})"
    )
    command.add_argument(
        "--format",
        action=Once,
        choices=FORMATS,
        help="with -o -: what is written to standard output in place of the printed table (default: md)",
    )
    add_output(
        command,
        "write the report: .parquet, .csv, .json or .xlsx; a page with charts, .html, which needs "
        'pip install "polars-auc[report]" as .xlsx does; a page of Markdown, .md; or - for standard output',
    )
    return command


def check(chosen: argparse.Namespace) -> None:
    """Refuse options that do not belong together."""
    if not 0 < chosen.level < 1:
        raise Refusal(f"--level must lie between 0 and 1, such as 0.95, got {chosen.level}")
    if chosen.versus is not None and not chosen.by:
        raise Refusal("--versus compares groups; name the column that makes them with --by")
    _check_sorted(chosen)
    _check_bounded(chosen)
    _check_along(chosen)
    _check_together(chosen)


def shown_of(chosen: argparse.Namespace) -> Shown:
    """Return what of the report is printed, and what of it is on a page."""
    has_page = suffix_of(chosen) in (".md", ".html")
    of_tables = ("limit",) if has_page else ("limit", "columns", "wide")
    given = [option for option in of_tables if getattr(chosen, option) not in (None, False)]
    unprinted = "--quiet" if chosen.quiet else "-o -" if to_standard_output(chosen.output) else None
    if unprinted and given:
        raise Refusal(f"--{given[0]} is about the printed table, and {unprinted} prints none; leave one out")
    if chosen.wide and chosen.columns is not None:
        raise Refusal("--wide prints all columns; leave it out, or --columns")
    if chosen.limit is not None and chosen.limit < 0:
        raise Refusal(f"--limit must be a number of rows, such as {SHOWN_ROWS}, got {chosen.limit}")
    columns = None
    if chosen.columns is not None:
        columns = list(dict.fromkeys(name.strip() for name in chosen.columns.split(",")))
    return Shown(columns, chosen.wide, SHOWN_ROWS if chosen.limit is None else chosen.limit)


def _check_sorted(chosen: argparse.Namespace) -> None:
    given = [option for option in ("versus", "groupings", "bounded", "stability") if getattr(chosen, option)]
    if chosen.sorted_by and given:
        raise Refusal(
            f"--{given[0]} is not possible with --sorted-by, which reads one group after the other; leave "
            "one of them out"
        )
    names = [given_name(text)[0] for text in chosen.by]
    strange = next((key for key in chosen.sorted_by if key not in names), None)
    if strange is not None:
        raise Refusal(f"--sorted-by names {strange!r}, which is none of the --by: {', '.join(names)}")


def _check_bounded(chosen: argparse.Namespace) -> None:
    given = [option.replace("_", "-") for option in (*NEED_ROWS, "from_states") if getattr(chosen, option)]
    if chosen.bounded and given:
        raise Refusal(
            f"--{given[0]} is not possible with --bounded, which keeps no rows; leave one of them out"
        )
    for option in ("max_bins", "scale"):
        if getattr(chosen, option) is not None and not chosen.bounded:
            raise Refusal(f"--{option.replace('_', '-')} is for --bounded; give it, or leave this out")


def _check_together(chosen: argparse.Namespace) -> None:
    found = apart([name for name, value in vars(chosen).items() if value is not None and value is not False])
    if found is not None:
        raise Refusal(
            f"--{found.second} cannot be combined with --{found.first}, because {found.why}; {found.in_shell}"
        )
    if chosen.weight is not None and chosen.ci not in OF_WEIGHTS:
        raise Refusal(f"--ci {chosen.ci} cannot be combined with --weight; take --ci delong or logit")
    if chosen.cluster is not None and chosen.ci == "hanley_mcneil":
        raise Refusal(
            "--ci hanley_mcneil cannot be combined with --cluster; take --ci delong, logit or bootstrap"
        )
    if chosen.cluster is not None and chosen.interval == "bca":
        raise Refusal("--interval bca cannot be combined with --cluster; take --interval percentile")


def _check_along(chosen: argparse.Namespace) -> None:
    if chosen.along is not None and chosen.versus != "previous":
        raise Refusal("--along says whose previous value is meant; it needs --versus previous")
    names = [given_name(text)[0] for text in chosen.by]
    if chosen.along is not None and chosen.along not in (*chosen.by, *names):
        raise Refusal(f"--along names {chosen.along!r}, which is none of the --by: {', '.join(names)}")
    if chosen.along is None and chosen.versus == "previous" and len(chosen.by) > 1:
        raise Refusal(
            "--versus previous with several --by needs the one whose previous value is meant, as in "
            f"--along {shlex.quote(names[-1])}"
        )
