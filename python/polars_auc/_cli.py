"""The command ``polars-auc``: reads Parquet, prints and writes reports."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import polars as pl

from polars_auc._native import __version__
from polars_auc._progress import progress
from polars_auc._report import GAINS, OF_ALL_GROUPS, OF_GROUPS, report
from polars_auc._sources import scan

PASSED, FAILED, REFUSED = 0, 1, 2

SMALLEST_SHOWN = 0.0001


class Refusal(Exception):
    """The command cannot do what was asked. The text is the one sentence that the user reads."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message} (see {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 the gate failed, 2 refused."""
    try:
        chosen = _parser().parse_args(arguments)
        return _report(chosen)
    except Refusal as refusal:
        sys.stderr.write(f"polars-auc: {refusal}\n")
        return REFUSED
    except KeyboardInterrupt:
        sys.stderr.write("polars-auc: interrupted\n")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="polars-auc", description="Evaluate binary scores in Parquet files.")
    parser.add_argument("--version", action="version", version=f"polars-auc {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command = commands.add_parser(
        "report",
        help="one row for each group and score, and one over all rows",
        description="Print AUC with its interval, KS and Gini for each group and score, and over all rows.",
        epilog='example: polars-auc report "data/*.parquet" --label y --score s --by segment -o report.md',
    )
    command.add_argument("files", nargs="+", metavar="FILES", help="Parquet files, folders or quoted globs")
    command.add_argument(
        "--label",
        required=True,
        help="the label: a column of 0 and 1 or Booleans, or SQL such as \"outcome = 'bad'\"",
    )
    command.add_argument(
        "--score",
        required=True,
        action="append",
        dest="scores",
        metavar="SCORE",
        help="a numeric column, or SQL, as in --score=-rating; higher is more positive; may be repeated",
    )
    command.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN",
        help="a column that makes groups; may be repeated",
    )
    command.add_argument(
        "--level", type=float, default=0.95, help="coverage of the intervals (default: 0.95)"
    )
    command.add_argument(
        "--ci",
        choices=("delong", "logit", "hanley_mcneil", "bootstrap"),
        default="delong",
        help="method of the interval of the AUC (default: delong)",
    )
    command.add_argument(
        "--resamples", type=int, metavar="N", help="bootstrap resamples, with --ci bootstrap (default: 2000)"
    )
    command.add_argument("--seed", type=int, metavar="N", help="seed, with --ci bootstrap (default: 0)")
    command.add_argument(
        "--compare", action="store_true", help="compare each score with the first, on rows that have all"
    )
    command.add_argument(
        "--versus",
        metavar="SEGMENT",
        help="compare each group with the 'rest', 'overall', the 'previous' one, or the group of this value "
        "(values of several --by are separated by commas)",
    )
    command.add_argument(
        "--along",
        metavar="COLUMN",
        help="with --versus previous and several --by: the one whose previous value is meant, such as "
        "the year",
    )
    command.add_argument(
        "--adjust",
        choices=("holm", "bonferroni", "bh", "by", "none"),
        default="holm",
        help="adjustment of p-values for their number (default: holm)",
    )
    command.add_argument(
        "--folds", metavar="COLUMN", help="the column of cross-validation folds, or SQL: adds their mean AUC"
    )
    command.add_argument(
        "--where", metavar="SQL", help="rows to use, such as \"year >= 2016 AND part = 'test'\""
    )
    command.add_argument(
        "--fail-if",
        metavar="SQL",
        help='exit with 1 if this is true or undecided in any row of the report, such as "auc < 0.7"',
    )
    command.add_argument(
        "-o", "--output", type=Path, metavar="OUT", help="write the report: .parquet, .csv, .json or .md"
    )
    return parser


def _report(chosen: argparse.Namespace) -> int:
    write = _writer(chosen.output)
    with _worded():
        rows, files = scan(chosen.files)
    if chosen.output is not None and chosen.output.resolve() in {Path(name).resolve() for name in files}:
        raise Refusal(f"--output {str(chosen.output)!r} is one of the files to read; choose another name")
    if not 0 < chosen.level < 1:
        raise Refusal(f"--level must lie between 0 and 1, such as 0.95, got {chosen.level}")
    with _worded(files):
        schema = rows.collect_schema()
    label = _expression("--label", chosen.label, schema)
    scores = [_expression("--score", score, schema) for score in chosen.scores]
    if len(set(chosen.scores)) < len(scores):
        raise Refusal("--score names one score twice")
    for key in chosen.by:
        _refuse_missing("--by", [key], schema)
        if schema[key].is_nested() or schema[key] in (pl.Binary, pl.Object):
            raise Refusal(f"--by names the column {key!r} of dtype {schema[key]}, which makes no groups")
    folds = None if chosen.folds is None else _expression("--folds", chosen.folds, schema)
    if chosen.compare and len(scores) < 2:
        raise Refusal("--compare needs two --score or more")
    if chosen.versus is not None and not chosen.by:
        raise Refusal("--versus compares groups; name the column that makes them with --by")
    _check_along(chosen)
    if chosen.where is not None:
        rows = rows.filter(_condition("--where", chosen.where, schema))
    with _worded(files):
        plan = report(
            rows,
            label,
            scores,
            by=chosen.by,
            level=chosen.level,
            ci=chosen.ci,
            n_resamples=chosen.resamples,
            seed=chosen.seed,
            compare=chosen.compare,
            versus=_versus(chosen.versus, chosen.by),
            along=chosen.along,
            adjust=None if chosen.adjust == "none" else chosen.adjust,
            folds=folds,
        )
        planned = plan.collect_schema()
    gate = None if chosen.fail_if is None else _condition("--fail-if", chosen.fail_if, planned, "the report")
    with _worded(files), progress(f"evaluating {_size(files)}"):
        table = plan.collect()
    failing = None if gate is None else _failing(table, gate, chosen)
    _print(readable(table))
    if chosen.output is not None:
        _replace(chosen.output, lambda beside: write(table, beside))
        sys.stderr.write(f"polars-auc: wrote {chosen.output}\n")
    skipped = table.filter(pl.col("scope") == "overall", pl.col("n_missing") > 0)
    for name, missing in skipped.select("score", "n_missing").iter_rows():
        sys.stderr.write(f"polars-auc: {name}: {_count(missing, 'row')} skipped for a null label or score\n")
    if failing is None:
        return PASSED
    sys.stderr.write(f"polars-auc: {failing}\n")
    return FAILED


def _check_along(chosen: argparse.Namespace) -> None:
    if chosen.along is not None and chosen.versus != "previous":
        raise Refusal("--along says whose previous value is meant; it needs --versus previous")
    if chosen.along is not None and chosen.along not in chosen.by:
        raise Refusal(f"--along names {chosen.along!r}, which is none of the --by: {', '.join(chosen.by)}")
    if chosen.along is None and chosen.versus == "previous" and len(chosen.by) > 1:
        raise Refusal(
            "--versus previous with several --by needs the one whose previous value is meant, as in "
            f"--along {shlex.quote(chosen.by[-1])}"
        )


def _versus(versus: str | None, by: Sequence[str]) -> object:
    """Take a segment of several columns apart."""
    return tuple(versus.split(",")) if versus is not None and len(by) > 1 and "," in versus else versus


def _print(text: str) -> None:
    """Print; characters that the encoding lacks become question marks, and a closed pipe is no error."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, errors="replace").decode(encoding), flush=True)
    except BrokenPipeError:
        # The reader has closed the pipe, so nothing may be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise Refusal(f"cannot print the report: {_first_line(error)}") from error


def _size(files: Sequence[str]) -> str:
    megabytes = sum(os.path.getsize(name) for name in files) / 1e6
    return f"{_count(len(files), 'file')}, {megabytes:,.1f} MB"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _sql(option: str, text: str) -> pl.Expr:
    try:
        return pl.sql_expr(text)
    except Exception as error:
        raise Refusal(f"{option} {text!r} is no SQL expression: {_first_line(error)}") from error


def _expression(option: str, text: str, schema: pl.Schema) -> pl.Expr:
    """Read a column's name or, failing that, an SQL expression, which is then named by its text."""
    if text in schema:
        return pl.col(text)
    expression = _sql(option, text)
    _refuse_missing(option, expression.meta.root_names(), schema)
    return expression.alias(text)


def _condition(option: str, text: str, schema: pl.Schema, where: str = "the files") -> pl.Expr:
    """Read an SQL condition on columns that exist."""
    condition = _sql(option, text)
    _refuse_missing(option, condition.meta.root_names(), schema, where)
    with _worded():
        dtypes = pl.LazyFrame(schema=schema).select(condition).collect_schema().dtypes()
    if dtypes != [pl.Boolean]:
        raise Refusal(f'{option} {text!r} is no condition, such as "n > 100"')
    return condition


def _refuse_missing(option: str, names: Sequence[str], schema: pl.Schema, where: str = "the files") -> None:
    for name in names:
        if name not in schema:
            columns = ", ".join(schema.names())
            raise Refusal(
                f"{option} names the column {name!r}, which is not in {where}; there are: {columns}"
            )


@contextmanager
def _worded(files: Sequence[str] = ()) -> Iterator[None]:
    """Turn what Polars or the system raises into a refusal of one sentence."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise Refusal(_unreadable(files) or _first_line(error)) from error


def _unreadable(files: Sequence[str]) -> str | None:
    """Name the first file that is no Parquet, which Polars' own message may not."""
    for name in files:
        try:
            pl.read_parquet_schema(name)
        except (pl.exceptions.PolarsError, OSError) as error:
            return f"cannot read {name!r}: {_first_line(error)}"
    return None


# The advice of the expressions is Python; here is the same advice for a shell.
_LABEL_IN_SQL = " Name the positive class: --label \"outcome = 'bad'\""
_SCORE_IN_SQL = ' Turn it into one: --score "CAST(rating AS DOUBLE)"'
_IN_SQL = (
    (re.compile(r" Name the positive class instead: .*"), _LABEL_IN_SQL),
    (re.compile(r" (To rank by|If it holds numbers).*"), _SCORE_IN_SQL),
)


def _first_line(error: BaseException) -> str:
    said = str(error).strip().removeprefix("the plugin failed with message: ")
    line = said.splitlines()[0] if said else type(error).__name__
    for python, sql in _IN_SQL:
        line = python.sub(lambda _, sql=sql: sql, line)  # type: ignore[misc]
    return line


def _writer(output: Path | None) -> Callable[[pl.DataFrame, Path], None]:
    """Return the function that writes a report to a file with this ending."""
    writers: dict[str, Callable[[pl.DataFrame, Path], None]] = {
        ".parquet": lambda table, path: table.write_parquet(path),
        ".csv": lambda table, path: table.write_csv(path),
        ".json": lambda table, path: table.write_json(path),
        ".md": lambda table, path: _write_text(path, readable(table, markdown=True) + "\n"),
    }
    if output is None:
        return lambda _, __: None
    if output.suffix not in writers:
        raise Refusal(f"--output must end in {', '.join(writers)}, got {str(output)!r}")
    if not output.parent.is_dir():
        raise Refusal(f"--output is in {str(output.parent)!r}, which is no folder")
    return writers[output.suffix]


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _replace(output: Path, write: Callable[[Path], None]) -> None:
    """Write a new file in the same folder, then rename it: the output is never half-written."""
    try:
        handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.", suffix=output.suffix)
        os.close(handle)
        beside = Path(name)
        try:
            write(beside)
            # mkstemp makes files that only their owner can read: a report gets the rights of any new file.
            mask = os.umask(0)
            os.umask(mask)
            beside.chmod(0o666 & ~mask)
            beside.replace(output)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise Refusal(f"cannot write {str(output)!r}: {_first_line(error)}") from error


def readable(table: pl.DataFrame, *, markdown: bool = False) -> str:
    """Format a report for reading: four decimals, "overall" in words, no column of zeros only."""
    keys = table.columns[1 : table.columns.index("score")]
    overall = pl.col("scope") == "overall"
    dull = [] if table["n_missing"].sum() else ["n_missing"]
    shown = table.with_columns(
        pl.when(overall)
        .then(pl.lit("overall" if place == 0 else ""))
        .otherwise(pl.col(key).cast(pl.String))
        .alias(key)
        for place, key in enumerate(keys)
    ).drop("scope", *dull)
    # A p-value that four decimals make 0 is not 0.
    p_values = [name for name in shown.columns if name.endswith(("p_value", "p_adjusted"))]
    shown = shown.with_columns(
        pl.when(pl.col(name) < SMALLEST_SHOWN)
        .then(pl.lit(f"<{SMALLEST_SHOWN}"))
        .otherwise(pl.col(name).round(4).cast(pl.String).str.pad_end(6, "0"))
        .alias(name)
        for name in p_values
    )
    if markdown:
        text = pl.selectors.string()
        shown = shown.with_columns(
            text.str.replace_all(r"\s+", " ").str.replace_all("|", "\\|", literal=True)
        )
    with pl.Config(
        tbl_formatting="MARKDOWN" if markdown else "UTF8_FULL_CONDENSED",
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=-1,  # a table that wraps inside its cells cannot be read
        fmt_str_lengths=1000,
        float_precision=4,
        tbl_cell_numeric_alignment="RIGHT",
    ):
        return str(shown)


def _failing(table: pl.DataFrame, gate: pl.Expr, chosen: argparse.Namespace) -> str | None:
    """Check the condition in each row and say which fail; a row that cannot be decided fails too."""
    named = set(gate.meta.root_names())
    # A condition on a group's key or comparison is about groups: the overall rows have neither.
    if named & {*chosen.by, *OF_GROUPS}:
        table = table.filter(pl.col("scope") == "group")
    elif named & set(OF_ALL_GROUPS):
        table = table.filter(pl.col("scope") == "overall")
    # It is not checked in rows that have no comparison: the first score, the reference, the first period.
    if named & set(GAINS):
        table = table.filter(pl.col("score") != chosen.scores[0])
    if named & set(OF_GROUPS):
        table = table.filter(pl.col("versus_auc").is_not_null() | pl.col("auc").is_null())
    # Counts are unsigned, where 1 - 2 is a large number; and NaN compares as larger than every number, so
    # that an AUC of NaN would pass "auc < 0.7".
    counts = pl.selectors.unsigned_integer() - pl.selectors.by_name(*chosen.by)
    plain = table.with_columns(counts.cast(pl.Int64))
    with _worded():
        decided = plain.with_columns(pl.selectors.float().fill_nan(None)).select(gate).to_series()
    if decided.len() == 1 != table.height:
        decided = decided.new_from_index(0, table.height)
    failing = table.filter(decided.fill_null(value=True))
    if failing.is_empty():
        return None
    undecided = decided.null_count()
    note = f", {undecided} of them because it cannot be decided there" if undecided else ""
    where = _count(failing.height, "row")
    return f"--fail-if {chosen.fail_if!r} holds in {where}{note}:\n{readable(failing)}"
