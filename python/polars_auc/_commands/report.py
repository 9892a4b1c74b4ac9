"""``polars-auc report``: one row for each group and score, and one over all rows."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from polars_auc._cli.files import Files
from polars_auc._cli.nan import lines_of_text, read_as_missing
from polars_auc._cli.reading import reading
from polars_auc._cli.refusal import Incomplete, Refusal, as_refusal
from polars_auc._cli.rows import Source, names_of_states, no_row, values
from polars_auc._cli.sources import files_of, strays_of
from polars_auc._cli.sql import column, roots
from polars_auc._cli.streams import log, log_lines, progress, show, show_bytes, terminal_width
from polars_auc._commands.compare_to import PreviousReport
from polars_auc._commands.gates import Gate
from polars_auc._commands.keep_going import Omissions, failing_files, failing_groups, failing_scores
from polars_auc._commands.output import save
from polars_auc._commands.report_options import ReportRequest, add_report_options
from polars_auc._frames.inputs import called
from polars_auc._frames.runs import Runs
from polars_auc._page.about import (
    about_options,
    areas_below_one_half,
    groups_without_stability,
    needed,
    skipped,
    unfinished_periods,
    untested,
    without_interval,
    without_squares,
)
from polars_auc._page.answers import answers_of_all_groups
from polars_auc._page.details import details
from polars_auc._page.text import TableView
from polars_auc._page.write import ReportWriter
from polars_auc._report.evaluation import evaluation
from polars_auc._report.options import ReportOptions
from polars_auc._report.rows import Rows


def add_report(commands: Any) -> None:
    """Add the command."""
    add_report_options(commands).set_defaults(run=report)


def report(arguments: argparse.Namespace) -> bool:
    """Print and write the report; return whether all gates passed.

    With --keep-going, a failure starts a search for the failing parts, which are then omitted.
    """
    with as_refusal(), called("report"):
        request = ReportRequest.of(arguments)
    try:
        return _report(request, None if request.keep_going else Omissions())
    except Refusal as refusal:
        if not request.keep_going:
            raise
        omissions = Omissions()
        with suppress(Refusal):
            omissions = _omissions(request)
        # Comparisons are relative to the first score, so it cannot be omitted.
        if not omissions and isinstance(refusal, _ScoreIsNan):
            return _report(request, omissions)
        if not omissions or (request.options.compare and request.rows.scores[0] in omissions.scores):
            raise refusal from None
    return _report(request.without(list(omissions.scores)), omissions)


def _omissions(request: ReportRequest) -> Omissions:
    """Find files, scores and groups that cannot be evaluated."""
    rows = request.rows
    with as_refusal(), progress("looking for what cannot be evaluated"):
        columns = sorted(reading().used)
        names = files_of(request.files)
        if request.from_states and not rows.scores:
            columns += names_of_states(names)
        numbers = roots([*rows.scores, *([] if rows.label is None else [rows.label])])
        failing = failing_files(names, columns, numbers)
        omissions = Omissions(files={**failing, **strays_of(request.files)})
        if len(omissions.files) == len(names):
            return Omissions()
        files = Files.grouped(request.files, request.options.by, None, omissions.files)
        if not request.from_states and rows.label is not None:
            omissions.scores = failing_scores(files, rows.label, rows.scores)
            if len(omissions.scores) == len(rows.scores):
                return Omissions()
        _, source = request.without(list(omissions.scores)).with_names(files.by).source(files)
        omissions.groups, omissions.why_groups = failing_groups(source.rows)
    return omissions


class _ScoreIsNan(Refusal):
    """A group has a NaN score, and so no numbers."""


def _report(request: ReportRequest, left_out: Omissions | None) -> bool:
    """Evaluate, write and print the report; raise for NaN if there was no search for failing parts."""
    omissions = Omissions() if left_out is None else left_out
    view = request.view()
    history = request.earlier_periods()
    files = Files.grouped(request.files, request.options.by, request.file, omissions.files)
    request = request.with_names(files.by)
    writer = request.writer(view)
    options, source = request.source(files)
    rows = omissions.without_groups(source.rows)
    if options.memory is not None:
        with source.faults():
            rows = rows.bounded(**options.bins)
    previous = None if request.compare_to is None else PreviousReport(request.compare_to)
    has_weights = rows.weight is not None or bool(rows.weighted_states)
    with source.faults():
        plan = _planned(rows, options, files, previous)
        schema = plan.collect_schema()
    if history is not None:
        empty = pl.DataFrame(schema=schema)
        schema = history.add_to(empty, request.options, has_weights=has_weights).schema
    view.check(schema.names())
    gates = _gates(request, schema, rows, options)
    charts = None
    with source.faults(), progress(f"evaluating {files.size()}"):
        if options.memory is not None:
            # Read the batches once, for the report and the page.
            rows = replace(rows, frame=rows.frame.collect().lazy())
            plan = _planned(rows, options, files, previous)
        table = plan.collect()
        if left_out is None and _has_nan(table):
            raise _ScoreIsNan("a score is NaN")
        if not request.allow_empty:
            _refuse_empty(table, request, source)
        if writer is not None and writer.has_charts:
            charts = details(rows, table, options.level, options.stability)
        nan_lines = rows.nan_messages() if _has_nan(table) else []
    missing: list[str] = []
    if table["n_missing"].sum():
        with source.faults():
            missing = read_as_missing(source)
    saved = []
    with ExitStack() as stack:
        if history is not None:
            stack.enter_context(history.locked())
            table = history.add_to(table, request.options, has_weights=has_weights)
            charts = None if charts is None else replace(charts, history=history.trend)
        verdicts = [gate.check(table) for gate in gates]
        if history is not None:
            # Save the period also if a gate fails, so that the history is complete.
            saved = [history.save()]
    unprinted = None
    try:
        if writer is not None:
            gate_texts = [text for _, text in verdicts]
            pairs = _about(
                request, files, table, writer, omissions, gate_texts, missing, rows.weighted_states
            )
            contents = partial(writer.contents, table, pairs, charts, verdicts, nan_lines)
            unprinted = _write(request, contents, writer.table_writer().notes(table))
    finally:
        # Print the report also if it cannot be written.
        if not request.is_printed and not request.quiet:
            unprinted = _print(view, table, request.options.level)
    if not request.quiet:
        _log_notes(request, table, previous, missing, rows.weighted_states)
        for line in saved:
            log(f"polars-auc: {line}")
    for line in omissions.lines():
        log(f"polars-auc: left out {line}")
    for _, text in verdicts:
        log_lines(f"polars-auc: {text}")
    if unprinted is not None:
        raise Refusal(f"cannot print the report: {unprinted}")
    for line in [*nan_lines, *(lines_of_text(source) if nan_lines else [])]:
        log(f"polars-auc: {line}")
    if not all(passed for passed, _ in verdicts):
        return False
    if omissions or nan_lines:
        raise Incomplete
    return True


def _gates(request: ReportRequest, schema: pl.Schema, rows: Rows, options: ReportOptions) -> list[Gate]:
    """Parse the gates of the report."""
    read = partial(
        Gate.read,
        schema=schema,
        by=rows.by,
        first_score=next(iter(rows.scores)),
        versus=options.versus,
        along=options.along,
        untested=request.untested,
    )
    return [read(text) for text in request.fail_if]


def _has_nan(table: pl.DataFrame) -> bool:
    return bool(table["auc"].is_nan().any())


def _planned(
    rows: Rows, options: ReportOptions, files: Files, previous: PreviousReport | None
) -> pl.LazyFrame:
    """Plan the table of the report."""
    # Rows of a partition are contiguous, which helps if no other rows are needed.
    needs_others = any(name in options.names for name in ("versus", "groupings", "stability"))
    is_sorted = bool(files.partitions) and not needs_others
    plan = evaluation(rows, options, Runs(files.partitions, is_claim=False) if is_sorted else None)
    return plan if previous is None else previous.add_to(plan, options)


def _about(
    request: ReportRequest,
    files: Files,
    table: pl.DataFrame,
    writer: ReportWriter,
    omissions: Omissions,
    verdicts: Sequence[str],
    missing: Sequence[str],
    weighted_states: Sequence[str],
) -> list[tuple[str, str]]:
    """Return the description of the report: data, options, omissions and gates."""
    about = about_options(
        table,
        request.options,
        files.by,
        writer.name,
        label=request.rows.label,
        where=request.rows.where,
        has_states=request.from_states,
        weighted_states=weighted_states,
        previous=None if request.compare_to is None else str(request.compare_to),
    )
    gone = [("Left out", writer.name(line)) for line in omissions.lines()]
    gone += [("Read as missing", writer.name(line)) for line in missing]
    checks = [("Check", writer.table_writer().prose(text.splitlines()[0])) for text in verdicts]
    # A sheet has room for all options.
    options = request.in_effect if writer.ending == ".xlsx" else []
    return [("Data", files.about()), *about, *gone, *checks, *options]


def _write(request: ReportRequest, contents: Callable[[], bytes], notes: Sequence[str]) -> str | None:
    """Write the file; return the reason if printing fails."""
    unprinted = None
    if request.file is None:
        unprinted = show_bytes(contents())
    else:
        save(request.file, contents)
    if not request.quiet:
        for line in [f"wrote {request.output}", *notes] if request.file is not None else notes:
            log(f"polars-auc: {line}")
    return unprinted


def _print(view: TableView, table: pl.DataFrame, level: float) -> str | None:
    lines = [f"{text}." for _, text in answers_of_all_groups(table, level)]
    return show("\n".join([*lines, view.printed(table, terminal_width())]))


def _log_notes(
    request: ReportRequest,
    table: pl.DataFrame,
    previous: PreviousReport | None,
    missing: Sequence[str],
    weighted_states: Sequence[str],
) -> None:
    gone = previous.gone(table) if previous else []
    options = request.options
    for line in [
        *(f"read as missing: {line}" for line in missing),
        *areas_below_one_half(options, table),
        *skipped(options, table),
        *unfinished_periods(options, table),
        *without_interval(table),
        *without_squares(table, weighted_states),
        *groups_without_stability(table),
        *untested(table),
        *gone,
    ]:
        log(f"polars-auc: {line}")


def _refuse_empty(table: pl.DataFrame, request: ReportRequest, source: Source) -> None:
    """Raise for a report without rows, or with rows of one class only."""
    label, files, rows = request.rows.label, source.files, source.rows
    for row in table.filter(pl.col("scope") == "overall").iter_rows(named=True):
        score, n, n_pos = row["score"], row["n"], row["n_pos"]
        if n == row["n_missing"] == 0:
            reason = no_row(request.rows.where)
        elif n == 0:
            reason = f"every row has a missing {needed(request.options, f'score {score!r}')}"
        elif n_pos in (0, n):
            missing_class = "negative" if n_pos else "positive"
            reason = f"no row is {missing_class}"
            if label is not None and rows.label is not None:
                reason += f": --label {label!r} is the same in all rows"
                if row["n_missing"]:
                    reason += f" that have a label and a score {score!r}"
                compared = column("label", label, files.schema).meta.root_names()
                present = values(pl.col(compared[0]), rows.frame) if len(compared) == 1 else []
                if present and label not in compared:
                    reason += f"; {compared[0]!r} contains {', '.join(present)}"
        else:
            continue
        raise Refusal(f"{reason}. Hint: if that is expected, write --allow-empty")
