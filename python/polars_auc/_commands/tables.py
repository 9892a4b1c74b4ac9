"""``polars-auc gains``, ``thresholds`` and ``compare``: a table for each group and score."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Sequence
from typing import Any, get_args

import polars as pl

from polars_auc._cli.arguments import (
    add_by,
    add_files,
    add_option,
    add_rows,
    add_switch,
    add_value,
)
from polars_auc._cli.files import Files
from polars_auc._cli.nan import log_nan
from polars_auc._cli.refusal import Incomplete, Refusal, flag
from polars_auc._cli.rows import RowOptions
from polars_auc._cli.streams import log, progress, show, terminal_width
from polars_auc._commands.report_options import ReportRequest
from polars_auc._commands.table_files import ENDINGS, add_table_output, save_table, table_writer
from polars_auc._expressions.comparisons import adjust_p_values, compare_scores
from polars_auc._expressions.curves import gains_table
from polars_auc._expressions.thresholds import Criterion, operating_point
from polars_auc._frames.curve_points import curve_points
from polars_auc._page.about import about_adjustment, about_intervals
from polars_auc._page.text import DISPLAY_ROWS, counted, plain
from polars_auc._plugin.errors import OptionError
from polars_auc._report.options import ReportOptions
from polars_auc._report.rows import Rows

# The most important columns, printed first.
_GAINS_COLUMNS = ("band", "highest", "lowest", "n", "n_pos", "rate", "gain", "lift", "ks")
_THRESHOLD_COLUMNS = ("threshold", "tpr", "fpr", "precision", "n_pos", "n_neg")
_PAIR_COLUMNS = ("first", "second", "first_auc", "second_auc", "difference", "lower", "upper", "p_adjusted")


def add_gains(commands: Any) -> None:
    """Add the command ``gains``."""
    command = commands.add_parser(
        "gains",
        help="the gains table of each group and score",
        description="Print bands of rows, the most positive scores first, with rates, gains, lift and KS.",
        epilog='example: polars-auc gains "data/*.parquet" --label y --score s --by segment --bands 20',
    )
    add_value(command, "--bands", "the number of bands of equal size (default: 10)", int, "N")
    edges = "the scores at which bands begin, ascending, as in --edges 400,500,600"
    add_value(command, "--edges", edges, metavar="SCORES")
    add_switch(command, "--calibration", "add the mean score and the expected positives of each band")
    _add_common(command, gains, states=True)


def add_thresholds(commands: Any) -> None:
    """Add the command ``thresholds``."""
    command = commands.add_parser(
        "thresholds",
        help="the best threshold of each group and score, by a criterion",
        description="Print the best threshold of each group and score, with its counts and rates.",
        epilog='example: polars-auc thresholds "data/*.parquet" --label y --score s --by segment '
        "--criterion target_fpr --target 0.05",
    )
    criterion = "what the threshold is best by (default: youden)"
    add_value(command, "--criterion", criterion, choices=get_args(Criterion), default="youden")
    for option, what in (
        ("target", "with target_fpr, target_tpr and target_precision: the rate"),
        ("cost", "with youden, closest_topleft and cost: the cost of a missed positive over a false alarm"),
        ("prevalence", "with youden, closest_topleft and cost: the share of positives where it is used"),
        ("beta", "the weight of the tpr in the F measure (default: 1)"),
    ):
        add_value(command, f"--{option}", what, float, "X")
    _add_common(command, thresholds, states=True)


def add_compare(commands: Any) -> None:
    """Add the command ``compare``."""
    command = commands.add_parser(
        "compare",
        help="the difference of the AUCs of all pairs of scores, in each group",
        description="Print the difference of the AUCs of each pair of scores, second minus first, with its "
        "interval and paired test.",
        epilog='example: polars-auc compare "data/*.parquet" --label y --score old --score new --by segment',
    )
    for option in ("level", "adjust"):
        add_option(command, ReportOptions, option)
    add_switch(command, "--against-first", "compare the other scores with the first only")
    _add_common(command, compare, states=False)


def _add_common(command: argparse.ArgumentParser, run: Callable[..., bool], *, states: bool) -> None:
    command.set_defaults(run=run)
    add_files(command)
    add_rows(command)
    add_by(command)
    add_option(command, ReportOptions, "low_is_positive")
    if states:
        add_option(command, ReportRequest, "from_states")
    # These commands have no AUC interval, so there is no method in the report.
    weight = "the column, or SQL, with the weight of each row, for rows of unequal probabilities of sampling"
    add_option(command, ReportOptions, "weight", weight)
    limit = f"the most rows to print (default: {DISPLAY_ROWS}); files have all"
    add_value(command, "--limit", limit, int, "N")
    add_switch(command, "--wide", "print all columns; files have them")
    add_switch(command, "--quiet", "print no table")
    add_table_output(command, f"write the table: {', '.join(ENDINGS)}")


def gains(options: argparse.Namespace) -> bool:
    """Print and write the gains tables."""
    edges = None if options.edges is None else _numbers("edges", options.edges)
    if edges is not None and options.low_is_positive:
        _refuse_descending(edges)
        edges = [-edge for edge in reversed(edges)]
    if options.calibration and options.low_is_positive:
        raise OptionError(
            "", "low_is_positive", "cannot be combined with `calibration`: a high probability is positive"
        )

    def points(rows: Rows) -> pl.LazyFrame:
        options_of_table: dict[str, Any] = {"bands": options.bands, "edges": edges}
        return rows.points(gains_table, calibration=options.calibration, **options_of_table).drop("point")

    columns = (*_GAINS_COLUMNS, *(("mean_score", "expected_positives") if options.calibration else ()))
    return _table(options, "Gains", points, columns)


def thresholds(options: argparse.Namespace) -> bool:
    """Print and write the thresholds."""
    values = {name: getattr(options, name) for name in ("target", "cost", "prevalence", "beta")}
    point_options = {name: value for name, value in values.items() if value is not None}

    def points(rows: Rows) -> pl.LazyFrame:
        best = rows.each(operating_point, criterion=options.criterion, **point_options)
        table = curve_points(rows.frame, [each.implode() for each in best], rows.by)
        return rows.on_user_scale(table.drop("point"))

    return _table(options, "Thresholds", points, _THRESHOLD_COLUMNS)


def compare(options: argparse.Namespace) -> bool:
    """Print and write the comparisons of scores."""
    if len(options.scores) == 1:
        raise Refusal(f"compare needs two {flag('scores')} or more, got one")

    def points(rows: Rows) -> pl.LazyFrame:
        assert rows.label is not None
        # The expression computes first minus second. This command computes second minus first, as in a
        # report.
        compared = compare_scores(
            rows.label,
            *(score.alias(name) for name, score in reversed(rows.scores.items())),
            reference=len(rows.scores) - 1 if options.against_first else None,
            adjust=None,
            level=options.level,
            weight=rows.weight,
            count=rows.count,
        )
        by = rows.by
        estimates = curve_points(rows.frame, compared.struct.field("estimates"), by)
        table = curve_points(rows.frame, compared.struct.field("differences"), by)
        table = table.sort(*by, "point", descending=[False] * len(by) + [True], nulls_last=True)
        table = table.drop("point").rename({"score_a": "second", "score_b": "first"})
        for side in ("first", "second"):
            side_areas = estimates.select(
                *by, pl.col("score").alias(side), pl.col("estimate").alias(f"{side}_auc")
            )
            table = table.join(
                side_areas, on=[*by, side], how="left", nulls_equal=True, maintain_order="left"
            )
        numbers = ("difference", "se", "lower", "upper", "z", "p_value")
        table = table.select(*by, "first", "second", "first_auc", "second_auc", *numbers)
        # P-values are adjusted over all groups, because readers compare them.
        return table.with_columns(p_adjusted=adjust_p_values("p_value", method=options.adjust))

    report_options = ReportOptions(level=options.level, adjust=options.adjust)
    more = [
        about_intervals(report_options),
        about_adjustment(report_options, "all groups and all pairs of scores"),
    ]
    return _table(options, "Comparison of scores", points, _PAIR_COLUMNS, more)


def _table(
    options: argparse.Namespace,
    title: str,
    points: Callable[[Rows], pl.LazyFrame],
    first: tuple[str, ...],
    more: Sequence[tuple[str, str]] = (),
) -> bool:
    """Evaluate a table, write it with its description, and print its most important columns."""
    writer = table_writer(options, title)
    _refuse_printing(options)
    files = Files.grouped(options.files, options.by, options.output)
    source = RowOptions.of(vars(options)).source(files)
    rows = source.rows
    with source.faults(), progress(f"evaluating {files.size()}"):
        table, number = pl.collect_all([points(rows), rows.number_of_groups()])
    keys = [*rows.by, *(["score"] if "score" in table.columns else [])]
    whole = number.item() * (len(rows.scores) if "score" in keys else 1)
    n_tables = table.select(keys).n_unique() if keys else min(1, table.height)
    # With a NaN score the table is missing or NaN.
    may_be_nan = n_tables < whole or any(column.is_nan().any() for column in table if column.dtype.is_float())
    has_nan = log_nan(source, may_be_nan=may_be_nan, quiet=options.quiet)
    why = "each needs a positive and a negative that have a score, and none that is NaN"
    if table.is_empty():
        raise Refusal(f"no table: {why}")
    if n_tables < whole:
        log(f"polars-auc: {whole - n_tables} of {counted(whole, 'table')} left out: {why}")
    if writer is not None:
        notes = save_table(writer, options, files, list(rows.scores), table, more)
        for line in [] if options.quiet else notes:
            log(f"polars-auc: {line}")
    if options.low_is_positive and first is not _PAIR_COLUMNS:
        log("polars-auc: low scores are positive: a row is positive if score <= threshold")
    for what, text in [] if options.quiet else more:
        log(f"polars-auc: {what[0].lower()}{what[1:]}: {text}")
    if not options.quiet:
        _print(options, table if options.wide else table.select(*keys, *first))
    if has_nan:
        raise Incomplete
    return True


def _refuse_printing(options: argparse.Namespace) -> None:
    """Raise for options of the printed table that are invalid or have no effect."""
    if options.limit is not None and options.limit < 0:
        reason = f"must be a number of rows, such as {DISPLAY_ROWS}, got {options.limit}"
        raise OptionError("", "limit", reason)
    name = next((name for name in ("limit", "wide") if getattr(options, name) not in (None, False)), None)
    if name is not None and options.quiet:
        reason = "is about the printed table, and `quiet` prints none"
        raise OptionError("", name, reason, "leave one out")


def _print(options: argparse.Namespace, answers: pl.DataFrame) -> None:
    limit = DISPLAY_ROWS if options.limit is None else options.limit
    unprinted = show(plain(answers, limit, terminal_width(), low_is_positive=options.low_is_positive))
    if unprinted is not None:
        raise Refusal(f"cannot print the table: {unprinted}")


def _refuse_descending(edges: list[float]) -> None:
    """Raise for edges that do not ascend, with values on the original scale."""
    if any(after <= before for before, after in itertools.pairwise(edges)):
        raise OptionError("", "edges", f"must ascend, got {edges}")


def _numbers(option: str, text: str) -> list[float]:
    """Parse numbers separated by commas; whole numbers stay exact."""
    try:
        return [
            int(part) if part.strip().lstrip("+-").isdecimal() else float(part) for part in text.split(",")
        ]
    except ValueError as error:
        raise Refusal(
            f"{flag(option)} must be numbers separated by commas, such as 1,2.5,4, got {text!r}"
        ) from error
