"""Command-line options that all commands share."""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from polars_auc import _native
from polars_auc._cli.refusal import Refusal, flag
from polars_auc._cli.streams import show
from polars_auc._report.options import ReportOptions, declared, is_set


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        if missing_value := re.fullmatch(r"argument (?:-\w/)?(--[\w-]+): expected one argument", message):
            message += f"; a value that begins with - is written {missing_value[1]}=-..."
        raise Refusal(f"{message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ARG002
        """Print the help or the version."""
        unprinted = show(message.rstrip("\n"))
        if unprinted is not None:
            raise Refusal(f"cannot print: {unprinted}")


class Once(argparse.Action):
    """An option with one value; repeating it is an error."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the value; raise if the option is repeated."""
        options = vars(namespace).setdefault("once", set())
        if self.dest in options:
            parser.error(f"{option_string} is given twice. Hint: write it once")
        options.add(self.dest)
        setattr(namespace, self.dest, self.const if self.nargs == 0 else values)


def add_options(command: argparse.ArgumentParser, options: type) -> None:
    """Add the options of a dataclass that the command does not have yet."""
    for name in declared(options):
        if name not in flags_of(command):
            add_option(command, options, name)


def add_option(
    command: argparse.ArgumentParser, options: type, name: str, description: str | None = None
) -> None:
    """Add a declared option, with an optional other description."""
    option = declared(options)[name]
    names = ["-o", "--output"] if name == "output" else [option.flag or f"--{name.replace('_', '-')}"]
    default = next(field.default for field in dataclasses.fields(options) if field.name == name)
    flags = {name: option.flag for name, option in declared(options).items() if option.flag is not None}
    # Argparse uses % formatting in the help.
    text = _native.render(description or option.help, {**flags_of(command), **flags}).replace("%", "%%")
    words: dict[str, Any] = {"help": text, "dest": name, "default": default, "action": Once}
    if option.const is not None:
        command.add_argument(*names, **words, nargs=0, const=option.const)
        return
    if default == ():
        words |= {"action": "append", "default": [], "help": f"{text}; may be repeated"}
    elif default is not None:
        words["help"] = f"{text} (default: {default})"
    command.add_argument(*names, **words, type=option.parse, metavar=option.metavar)


# Options of the printed output and of files.
_NOT_OF_TABLES = (
    "run",
    "once",
    "command",
    "config",
    "files",
    "output",
    "quiet",
    "limit",
    "format",
    "keep_formulas",
)


def options_in_effect(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the name and the value of each option that is set."""
    pairs = []
    for name, value in values.items():
        if is_set(value, ()) and name not in _NOT_OF_TABLES:
            several = value if isinstance(value, list | tuple) else [value]
            pairs += [(flag(name), "yes" if each is True else str(each)) for each in several]
    return pairs


def flags_of(command: argparse.ArgumentParser) -> dict[str, str]:
    """Return the flag of each option of a command."""
    return {action.dest: action.option_strings[-1] for action in command._actions if action.option_strings}


def add_rows(command: argparse.ArgumentParser) -> None:
    """Add the options that select rows and columns."""
    add_value(
        command, "--label", "the label: a column of 0 and 1 or Booleans, or SQL such as \"outcome = 'bad'\""
    )
    command.add_argument(
        "--score",
        action="append",
        default=[],
        dest="scores",
        metavar="SCORE",
        help="a numeric column, or SQL, as in --score=-rating or --score 'a + b AS sum'; higher is more "
        "positive; may be repeated",
    )
    add_option(command, ReportOptions, "count")
    command.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="SQL",
        help="rows to use, such as \"year >= 2016 AND part = 'test'\"; may be repeated: rows that meet all",
    )
    add_option(command, ReportOptions, "nan")


def add_value(
    command: argparse.ArgumentParser,
    name: str,
    what: str,
    parse: Callable[[str], Any] = str,
    metavar: str | None = None,
    **attributes: Any,
) -> None:
    """Add an option with one value."""
    command.add_argument(name, action=Once, type=parse, metavar=metavar, help=what, **attributes)


def add_switch(command: argparse.ArgumentParser, name: str, what: str) -> None:
    """Add an option without a value."""
    command.add_argument(name, action=Once, nargs=0, const=True, default=False, help=what)


def add_by(command: argparse.ArgumentParser) -> None:
    """Add the option for the columns of groups."""
    command.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN",
        help='a column that makes groups, or SQL, as in "EXTRACT(YEAR FROM day) AS year"; may be repeated',
    )


def add_files(command: argparse.ArgumentParser) -> None:
    """Add the argument for the input files."""
    command.add_argument(
        "files",
        nargs="+",
        metavar="FILES",
        help="files, folders of Parquet files, or quoted globs: Parquet, CSV and other text with columns, "
        "NDJSON, Arrow IPC, by their first bytes; or - for standard input",
    )


def add_output(command: argparse.ArgumentParser, what: str, *, required: bool = False) -> None:
    """Add the option for the output file."""
    command.add_argument(
        "-o", "--output", action=Once, type=Path, metavar="OUT", help=what, required=required
    )
