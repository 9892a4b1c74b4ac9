"""``polars-auc report``: one row for each group and score, and one over all rows."""

from __future__ import annotations

import argparse
import copy
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import polars as pl

from polars_auc._cli.evaluated import evaluated_rows, evaluated_states
from polars_auc._cli.output import save, to_standard_output
from polars_auc._cli.progress import progress
from polars_auc._cli.refusal import Incomplete, Refusal, worded
from polars_auc._cli.rows import Files, Scored, of_files, values
from polars_auc._cli.sources import files_of
from polars_auc._cli.sql import roots
from polars_auc._cli.states import names_of_states
from polars_auc._cli.streams import say, show, show_bytes
from polars_auc._commands.about import needed, of_weights, skipped, unheld
from polars_auc._commands.compare_to import Earlier
from polars_auc._commands.gates import Gate
from polars_auc._commands.keep_going import LeftOut, failing_files, failing_groups, failing_scores
from polars_auc._commands.report_files import Written
from polars_auc._commands.report_options import add_options, check, shown_of
from polars_auc._frames.evaluated import Evaluated
from polars_auc._frames.runs import Runs
from polars_auc._page.details import details
from polars_auc._report.report import Interval, evaluation, evaluation_of_states
from polars_auc._report.together import NEED_ROWS

# Options that need rows.
_OF_ROWS = ("label", "count", "where", *NEED_ROWS, "sorted_by")


def add_report(commands: Any) -> None:
    """Add the command."""
    add_options(commands).set_defaults(run=report)


def report(chosen: argparse.Namespace) -> bool:
    """Print and write the report; return whether all gates passed.

    With --keep-going, what cannot be evaluated is looked for if something cannot, and left out.
    """
    check(chosen)
    try:
        return _report(copy.deepcopy(chosen), LeftOut())
    except Refusal as refusal:
        if not chosen.keep_going:
            raise
        left_out = LeftOut()
        with suppress(Refusal):
            left_out = _left_out(copy.deepcopy(chosen))
        # Gains are over the first score: another one would make them other numbers.
        if not left_out or (chosen.compare and chosen.scores[0] in left_out.scores):
            raise refusal from None
    chosen.scores = [score for score in chosen.scores if score not in left_out.scores]
    return _report(chosen, left_out)


def _left_out(chosen: argparse.Namespace) -> LeftOut:
    """Look for files, scores and groups that cannot be evaluated."""
    with worded(), progress("looking for what cannot be evaluated"):
        texts = (
            chosen.label,
            chosen.count,
            chosen.folds,
            chosen.stability,
            chosen.cluster,
            chosen.weight,
        )
        given = [*chosen.scores, *chosen.by, *chosen.where, *(text for text in texts if text is not None)]
        names = files_of(chosen.files)
        if chosen.from_states and not chosen.scores:
            given += names_of_states(names)
        numbers = roots([*chosen.scores, *(text for text in [chosen.label] if text is not None)])
        found = LeftOut(files=failing_files(names, roots(given), numbers))
        if len(found.files) == len(names):
            return LeftOut()
        files = Files.grouped(chosen, None, found.files)
        if not chosen.from_states:
            found.scores = failing_scores(files, chosen.label, chosen.scores)
            if len(found.scores) == len(chosen.scores):
                return LeftOut()
        chosen.scores = [score for score in chosen.scores if score not in found.scores]
        scored = None if chosen.from_states else _scored(files, chosen)
        found.groups, found.why_groups = failing_groups(_of_rows_or_states(files, chosen, scored))
    return found


def _report(chosen: argparse.Namespace, left_out: LeftOut) -> bool:
    shown = shown_of(chosen)
    is_printed = to_standard_output(chosen.output)
    files = Files.grouped(chosen, None if is_printed else chosen.output, left_out.files)
    written = Written(chosen, shown, files, left_out=left_out.said())
    contents = written.contents()
    scored = None if chosen.from_states else _scored(files, chosen)
    evaluated = _evaluated(files, chosen, scored, left_out)
    states = evaluated.states if chosen.from_states else []
    earlier = None if chosen.compare_to is None else Earlier(chosen.compare_to)
    with of_files(files.names, evaluated.read, states):
        plan = _plan(evaluated, files, chosen, earlier)
        planned = plan.collect_schema()
    try:
        shown.check(planned.names())
    except ValueError as error:
        raise Refusal(str(error)) from error
    versus = _versus(chosen.versus, chosen.by)
    gates = [
        Gate.read(
            text,
            planned,
            by=chosen.by,
            first_score=next(iter(evaluated.scores)),
            versus=versus,
            along=chosen.along,
        )
        for text in chosen.fail_if
    ]
    with of_files(files.names, evaluated.read, states), progress(f"evaluating {files.size()}"):
        if chosen.bounded:
            # The batches are read once, for the report and for the page.
            evaluated = evaluated.with_states(evaluated.rows.collect(), evaluated.by)
            plan = _plan(evaluated, files, chosen, earlier)
        table = plan.collect()
        if not chosen.allow_empty:
            _refuse_empty(table, chosen, scored)
        if written.has_charts:
            has_bands = chosen.cluster is None
            written.details = details(evaluated, table, chosen.level, has_bands=has_bands)
    verdicts = [gate.check(table) for gate in gates]
    written.checks = [said.splitlines()[0] for _, said in verdicts]
    unprinted = None
    try:
        if contents is not None and is_printed:
            unprinted = show_bytes(contents(table))
        elif contents is not None:
            save(chosen.output, lambda: contents(table))
            if not chosen.quiet:
                say(f"polars-auc: wrote {chosen.output}")
    finally:
        # What was evaluated is shown also if it cannot be written.
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        if not is_printed and not chosen.quiet:
            unprinted = show(shown.printed(table, width))
    if not chosen.quiet:
        gone = earlier.gone(table) if earlier else []
        weighted = of_weights(files, table) if chosen.from_states else []
        unknown = [f"{name}: states of rows with weights have no intervals" for name in weighted]
        for line in [*skipped(chosen, table), *unknown, *unheld(table), *gone]:
            say(f"polars-auc: {line}")
    for line in left_out.said():
        say(f"polars-auc: left out {line}")
    for _, said in verdicts:
        say(f"polars-auc: {said}")
    if unprinted is not None:
        raise Refusal(f"cannot print the report: {unprinted}")
    if not all(passed for passed, _ in verdicts):
        return False
    if left_out:
        raise Incomplete
    return True


def _scored(files: Files, chosen: argparse.Namespace) -> Scored:
    """Read the options of a report of rows."""
    given = {"--folds": chosen.folds, "--cluster": chosen.cluster, "--weight": chosen.weight}
    others = [files.column(option, text) for option, text in given.items()]
    scored = Scored.of(files, chosen, *others, files.condition("--stability", chosen.stability))
    if chosen.compare and len(scored.scores) < 2:
        raise Refusal("--compare needs two --score or more")
    return scored


def _of_rows_or_states(files: Files, chosen: argparse.Namespace, scored: Scored | None) -> Evaluated:
    if scored is None:
        return evaluated_states(files, chosen, _OF_ROWS)
    cluster, weight = files.column("--cluster", chosen.cluster), files.column("--weight", chosen.weight)
    return evaluated_rows(scored, chosen, cluster=cluster, weight=weight)


def _evaluated(
    files: Files, chosen: argparse.Namespace, scored: Scored | None, left_out: LeftOut
) -> Evaluated:
    """Return the rows or states of a report; with --bounded the states that batches of rows will have."""
    evaluated = left_out.without_groups(_of_rows_or_states(files, chosen, scored))
    if not chosen.bounded:
        return evaluated
    with of_files(files.names, evaluated.read):
        return evaluated.bounded(chosen.max_bins, chosen.scale)


def _plan(
    evaluated: Evaluated, files: Files, chosen: argparse.Namespace, earlier: Earlier | None
) -> pl.LazyFrame:
    """Plan the table of a report."""
    interval = Interval(
        level=chosen.level,
        ci=chosen.ci,
        interval=chosen.interval,
        n_resamples=chosen.resamples,
        seed=chosen.seed,
    )
    if evaluated.has_states:
        plan = evaluation_of_states(
            evaluated.rows,
            list(evaluated.scores),
            by=evaluated.by,
            interval=interval,
            groupings=chosen.groupings,
        )
    else:
        given = next(iter(evaluated.scores.values()))
        plan = evaluation(
            evaluated.rows,
            given["label"],
            [taken["score"] for taken in evaluated.scores.values()],
            by=evaluated.by,
            interval=interval,
            compare=chosen.compare,
            versus=_versus(chosen.versus, chosen.by),
            along=chosen.along,
            adjust=None if chosen.adjust == "none" else chosen.adjust,
            folds=files.column("--folds", chosen.folds),
            count=given["count"],
            stability=files.condition("--stability", chosen.stability),
            cluster=files.column("--cluster", chosen.cluster),
            weight=files.column("--weight", chosen.weight),
            groupings=chosen.groupings,
            runs=_runs(files, chosen),
        )
    return plan if earlier is None else earlier.beside(plan, chosen.level, chosen.adjust)


def _runs(files: Files, chosen: argparse.Namespace) -> Runs | None:
    """Return the columns of groups whose rows follow one another, if no other rows are needed."""
    if chosen.versus is not None or chosen.groupings is not None or chosen.stability is not None:
        return None
    if chosen.sorted_by:
        return Runs(chosen.sorted_by, is_claim=True)
    return Runs(files.partitions, is_claim=False) if files.partitions else None


def _versus(versus: str | None, by: Sequence[str]) -> object:
    """Take a segment of several columns apart."""
    return tuple(versus.split(",")) if versus is not None and len(by) > 1 and "," in versus else versus


def _refuse_empty(table: pl.DataFrame, chosen: argparse.Namespace, scored: Scored | None) -> None:
    """Refuse a report of nothing: no row at all, or rows of one class only."""
    for row in table.filter(pl.col("scope") == "overall").iter_rows(named=True):
        score, n, n_pos = row["score"], row["n"], row["n_pos"]
        if n == row["n_missing"] == 0:
            what = " and ".join(f"--where {where!r}" for where in chosen.where)
            said = f"{what} leaves no row" if what else "the files have no row"
        elif n == 0:
            said = f"every row has a null {needed(chosen, f'score {score!r}')}"
        elif n_pos in (0, n):
            lacking = "negative" if n_pos else "positive"
            said = f"no row is {lacking}"
            if scored is not None:
                said += f": --label {chosen.label!r} is the same in all rows"
                if row["n_missing"]:
                    said += f" that have a label and a score {score!r}"
                compared = scored.label.meta.root_names()
                shown = values(pl.col(compared[0]), scored.rows) if len(compared) == 1 else []
                if shown and chosen.label not in compared:
                    said += f"; {compared[0]!r} holds {', '.join(shown)}"
        else:
            continue
        raise Refusal(f"{said}. If that may be, write --allow-empty")
