"""The command ``polars-auc``: read files, and write reports, tables, curves and states."""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from polars_auc._cli.arguments import Parser, add_options, flags_of
from polars_auc._cli.config import CONFIG, with_config
from polars_auc._cli.files import reading_of
from polars_auc._cli.reading import LaterType, ReadOptions, reading_as
from polars_auc._cli.refusal import Incomplete, Refusal, first_line
from polars_auc._cli.standard_input import standard_input
from polars_auc._cli.streams import log, log_lines, open_closed_streams
from polars_auc._commands.curve import add_curve
from polars_auc._commands.init import add_init
from polars_auc._commands.report import add_report
from polars_auc._commands.states import add_merge, add_state
from polars_auc._commands.tables import add_compare, add_gains, add_thresholds
from polars_auc._native import __version__
from polars_auc._plugin.errors import FLAGS, OptionError
from polars_auc._plugin.interrupts import interruptible
from polars_auc._plugin.packages import MissingPackageError

PASSED, FAILED, REFUSED, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    0 success, 1 failed gate, 2 error, 3 omitted parts, 130 interrupted.
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        pass
    for _ in range(2):
        try:
            log("polars-auc: interrupted")
            break
        except KeyboardInterrupt:
            # A second Ctrl-C.
            continue
    return INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    open_closed_streams()
    edge = FLAGS.set({})
    try:
        _refuse_surroundings()
        parser, commands = _parser()
        texts = sys.argv[1:] if arguments is None else arguments
        texts, files, places = with_config(texts, _options(commands))
        options = _parsed(parser, commands, texts, files)
        FLAGS.set(_flags(commands.choices[options.command], places))
        with standard_input(), interruptible():
            return PASSED if _done(options) else FAILED
    except (Refusal, OptionError, MissingPackageError) as refusal:
        log(f"polars-auc: {refusal}")
        return REFUSED
    except Incomplete:
        return INCOMPLETE
    except (Exception, pl.exceptions.PanicException) as fault:
        # The exit code of a traceback must differ from a failed gate.
        log_lines("".join(traceback.format_exception(fault)))
        log(f"polars-auc: this is a fault of polars-auc or Polars: {first_line(fault)}")
        return REFUSED
    finally:
        FLAGS.reset(edge)


def _done(options: argparse.Namespace) -> bool:
    """Run the command; repeat it if the first rows of a text file do not determine a column's type."""
    one = reading_of(vars(options))
    while True:
        try:
            with reading_as(one):
                return bool(options.run(options))
        except LaterType as later:
            one = replace(one, looked_at=one.looked_at | {later.column})


def _refuse_surroundings() -> None:
    """Raise for values of an environment variable that make Polars panic."""
    threads = os.environ.get("POLARS_MAX_THREADS")
    if threads is not None and not (threads.isdecimal() and int(threads) > 0):
        raise Refusal(f"the variable POLARS_MAX_THREADS must be an integer above 0, got {threads!r}")


def _parser() -> tuple[Parser, Any]:
    """Return the parser, and the parsers of the commands."""
    parser = Parser(prog="polars-auc", description="Evaluate binary scores in files.")
    parser.add_argument("--version", action="version", version=f"polars-auc {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (add_report, add_curve, add_gains, add_thresholds, add_compare, add_state, add_merge):
        add(commands)
        command = list(commands.choices.values())[-1]
        # This option is parsed before all others; its declaration is for the help.
        command.add_argument(
            CONFIG,
            metavar="FILE",
            help="a TOML file with options, as polars-auc init writes",
        )
    add_init(commands)
    for command in commands.choices.values():
        add_options(command, ReadOptions)
    return parser, commands


def _parsed(
    parser: Parser, commands: Any, arguments: Sequence[str], files: Sequence[str]
) -> argparse.Namespace:
    """Parse the command line; the files default to those of the configuration file."""
    try:
        return parser.parse_args(arguments)
    except Refusal as refusal:
        if files and "arguments are required: FILES" in str(refusal):
            return parser.parse_args([*arguments, "--", *files])
        unknown = re.match(r"unrecognized arguments: (--[\w-]+)", str(refusal))
        if unknown is not None:
            others = [
                name for name, command in commands.choices.items() if unknown[1] in flags_of(command).values()
            ]
            command = next((text for text in arguments if text in commands.choices), "")
            if others and command:
                reason = f"{command} has no option {unknown[1]}; it is one of {', '.join(others)}"
                raise Refusal(f"{reason} (see polars-auc {command} --help)") from refusal
        raise


def _flags(command: argparse.ArgumentParser, places: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each option in error messages: the flag, or the key of the configuration file."""
    # Functions have other names for these options.
    flags = {"path": "--output", "previous": "the file of --compare-to"}
    flags["fold"] = places.get("folds", "--folds")
    flags_by_option = {
        name: places.get(flag.removeprefix("--"), flag) for name, flag in flags_of(command).items()
    }
    return {**flags, **flags_by_option}


def _options(commands: Any) -> dict[str, list[str]]:
    """Return the options of each command that a configuration file supports."""
    return {
        name: [
            "files" if not action.option_strings else action.option_strings[-1].removeprefix("--")
            for action in command._actions
            if action.dest != "help" and CONFIG not in action.option_strings
        ]
        for name, command in commands.choices.items()
        if name != "init"
    }
