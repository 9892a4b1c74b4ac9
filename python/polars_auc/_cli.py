"""The command ``polars-auc``: reads Parquet, prints and writes reports, and writes curves and states."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence

import polars as pl

from polars_auc._arguments import Parser
from polars_auc._curve_command import add_curve
from polars_auc._native import __version__
from polars_auc._refusal import Refusal, first_line
from polars_auc._report_command import add_report
from polars_auc._state_commands import add_merge, add_state
from polars_auc._streams import open_closed_streams, say

PASSED, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 a gate failed, 2 refused or broken."""
    open_closed_streams()
    try:
        _refuse_surroundings()
        chosen = _parser().parse_args(arguments)
        return PASSED if chosen.run(chosen) else FAILED
    except Refusal as refusal:
        say(f"polars-auc: {refusal}")
        return REFUSED
    except KeyboardInterrupt:
        say("polars-auc: interrupted")
        return INTERRUPTED
    except (Exception, pl.exceptions.PanicException) as fault:
        # A traceback must not end with the exit code of a gate.
        say("".join(traceback.format_exception(fault)))
        say(f"polars-auc: this is a fault of polars-auc or Polars: {first_line(fault)}")
        return REFUSED


def _refuse_surroundings() -> None:
    """Refuse a variable of the environment on which Polars panics."""
    threads = os.environ.get("POLARS_MAX_THREADS")
    if threads is not None and not (threads.isdecimal() and int(threads) > 0):
        raise Refusal(f"the variable POLARS_MAX_THREADS must be an integer above 0, got {threads!r}")


def _parser() -> Parser:
    parser = Parser(prog="polars-auc", description="Evaluate binary scores in Parquet files.")
    parser.add_argument("--version", action="version", version=f"polars-auc {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_report(commands)
    add_curve(commands)
    add_state(commands)
    add_merge(commands)
    return parser
