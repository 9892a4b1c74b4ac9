"""What the command says when it cannot do what was asked, in the words of a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl


class Refusal(Exception):
    """The command cannot do what was asked. The text is the one sentence that the user reads."""


class Incomplete(Exception):
    """The command did what it could, and has named the parts that it left out."""


@contextmanager
def worded() -> Iterator[None]:
    """Turn what Polars or the system raises into a refusal of one sentence."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError, ValueError, ImportError) as error:
        raise Refusal(first_line(error)) from error


def first_line(error: BaseException) -> str:
    """Return the first line of an error, with advice for a shell in place of advice for Python."""
    # Older Polars says where in itself an error was caught.
    said = re.sub(
        r"^(caught exception during execution of a Python source, exception: \w+: )+", "", str(error)
    )
    said = said.strip().removeprefix("the plugin failed with message: ")
    line = said.splitlines()[0] if said else type(error).__name__
    for python, shell in _IN_SHELL:
        line = python.sub(shell, line)
    return line


# The functions that commands call.
_FUNCTIONS = (
    "report",
    "group_states",
    "roc_state",
    "merge_states",
    "curve_points",
    "roc_curve",
    "roc_band",
    "average_roc_curve",
    "plot_roc",
    "gains_table",
    "operating_point",
    "roc_auc",
    "roc_auc_compare",
    "compare_reports",
)

# The advice of the expressions is Python; here is the same advice for a shell.
_IN_SHELL = (
    # The user called the command report, and no function.
    (re.compile(rf"^({'|'.join(_FUNCTIONS)}): "), ""),
    (re.compile(r"^(target|cost|prevalence|beta|bands|edges)\b(?! (or|and))"), r"--\1"),
    (re.compile(r"^cost and prevalence are"), "--cost and --prevalence are"),
    (re.compile(r"^give bands or edges"), "give --bands or --edges"),
    (re.compile(r"criterion '(\w+)'"), r"--criterion \1"),
    (re.compile(r"(?<![\w'])max_bins(?![\w'])"), "--max-bins"),
    (re.compile(r"^scale\b"), "--scale"),
    # NaN compares as larger than every number.
    (
        re.compile(r'^(label "([^"]*)" holds NaN), .*'),
        r"\1, which says nothing of a row. To leave such rows out: " + r'--where "\2 <= 1"',
    ),
    (
        re.compile(r'^(label "([^"]*)" holds ([^ ,]+), but .*)\. Name the positive class instead: .*'),
        r'\1. Name the positive class, as in --label "\2 = \3"',
    ),
    (
        re.compile(r" Name the positive class instead: .*"),
        " Name the positive class, as in --label \"outcome = 'bad'\"",
    ),
    (
        re.compile(r" (To rank by|If it holds numbers).*"),
        ' Turn it into one: --score "CAST(rating AS DOUBLE)"',
    ),
    (re.compile(r"write roc_curve\(\.\.\., max_points=(\d+)\)"), r"write --max-points \1"),
    (re.compile(r"and roc_band\(\.\.\., points=(\d+)\)"), r"and --points \1"),
    (re.compile(r"(?<![\w'-])max_points(?![\w'])"), "--max-points"),
    (re.compile(r"^(n_)?points\b"), "--points"),
    (re.compile(r"\bmethod '(\w+)' draws none"), r"--band \1 draws none"),
    (re.compile(r"; write facet= in place of by=, or draw fewer curves"), "; give fewer --score"),
    (re.compile(r"\bn_resamples\b"), "--resamples"),
    (re.compile(r"^seed\b"), "--seed"),
    (re.compile(r"(?<!-)\b(seed|interval)\b(?= (and|applies|apply)\b)"), r"--\1"),
    (re.compile(r"^ci\b"), "--ci"),
    (re.compile(r"^versus\b"), "--versus"),
    (re.compile(r"^with groupings, versus\b"), "with --groupings, --versus"),
    (re.compile(r"^groupings are of the columns by,.*"), "--groupings needs a --by, better two"),
    (re.compile(r"^previous (lacks .*); write report.*"), r"the file of --compare-to \1"),
    (re.compile(r"\bsorted_by\b"), "--sorted-by"),
    (re.compile(r"^level\b"), "--level"),
    (
        re.compile(r'\bci is \'(\w+)\'; leave this out, or write ci="bootstrap"'),
        r"--ci is \1; write --ci bootstrap",
    ),
    (re.compile(r", consider passing `missing_columns='insert'`"), ""),
    (re.compile(r"^GPU engine requested"), "the variable POLARS_ENGINE_AFFINITY asks for the GPU engine"),
)
