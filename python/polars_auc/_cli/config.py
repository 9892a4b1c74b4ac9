"""A configuration file with the options of commands."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from polars_auc._cli.refusal import Refusal, first_line
from polars_auc._plugin.packages import require

CONFIG = "--config"

# The table of the shared options.
_INPUT = "input"


def with_config(
    arguments: Sequence[str], commands: Mapping[str, Iterable[str]]
) -> tuple[list[str], list[str], dict[str, str]]:
    """Insert the options of the configuration file before the arguments, which override them.

    Each command has a table of its name. The options of the table ``input`` apply to all commands that
    support them. The second list has the default files. The last mapping has the name of each configured
    option for messages, such as ``[report] level``.
    """
    name, rest = _config_file(arguments)
    if name is None:
        return rest, [], {}
    command = next((argument for argument in rest if argument in commands), None)
    if command is None:
        raise Refusal(f"{CONFIG} needs a command, as in polars-auc report {CONFIG} {name}")
    allowed = set(commands[command])
    tables = _read(name)
    for table in tables:
        if table != _INPUT and table not in commands:
            raise Refusal(
                f"{name!r} has a table [{table}], expected one of [{_INPUT}], [{'], ['.join(commands)}]"
            )
    every = set().union(*commands.values())
    for option in tables.get(_INPUT, {}):
        if option not in every:
            raise Refusal(f"{name!r}: [{_INPUT}] has the unknown option {option!r}")
    for option in tables.get(command, {}):
        if option not in allowed:
            raise Refusal(
                f"{name!r}: [{command}] has the unknown option {option!r}, expected one of "
                f"{', '.join(sorted(allowed))}"
            )
    options = {**tables.get(_INPUT, {}), **tables.get(command, {})}
    files = options.pop("files", [])
    after = rest[rest.index(command) + 1 :]
    used = {
        option: value
        for option, value in options.items()
        if option in allowed and not _is_present(option, after, allowed)
    }
    texts = [text for option, value in used.items() for text in _arguments(name, option, value)]
    places = {
        option: f"[{command if option in tables.get(command, {}) else _INPUT}] {option}" for option in used
    }
    before = rest[: rest.index(command) + 1]
    return [*before, *texts, *after], _texts(name, "files", files), places


def _config_file(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    rest: list[str] = []
    name: str | None = None
    words = iter(arguments)
    for argument in words:
        if argument != CONFIG and not argument.startswith(f"{CONFIG}="):
            rest.append(argument)
            continue
        if name is not None:
            raise Refusal(f"{CONFIG} is given twice. Hint: write it once")
        name = argument.partition("=")[2] if "=" in argument else next(words, "")
        if not name:
            raise Refusal(f"{CONFIG} needs the name of a file, as in {CONFIG} polars-auc.toml")
    return name, rest


def _read(name: str) -> dict[str, dict[str, Any]]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        require(f"{CONFIG} before Python 3.11", "tomli")
        import tomli as tomllib
    try:
        tables = tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Refusal(f"cannot read {name!r}: {first_line(error)}") from error
    for table, options in tables.items():
        if not isinstance(options, dict):
            raise Refusal(f"{name!r}: {table!r} is outside any table. Hint: put it under [{_INPUT}]")
    return tables


def _is_present(option: str, arguments: Iterable[str], allowed: Container[str]) -> bool:
    """Return whether the command line has an option, in full or abbreviated."""
    flags = [argument.partition("=")[0] for argument in arguments]
    # The full name of another option is not an abbreviation.
    flags = [flag for flag in flags if flag == f"--{option}" or flag.removeprefix("--") not in allowed]
    shortened = any(len(flag) > 2 and f"--{option}".startswith(flag) for flag in flags)
    return shortened or (option == "output" and any(flag.startswith("-o") for flag in flags))


def _arguments(name: str, option: str, value: object) -> list[str]:
    """Return the command-line arguments of an option."""
    if value is True:
        return [f"--{option}"]
    if value is False:
        return []
    return [f"--{option}={text}" for text in _texts(name, option, value)]


def _texts(name: str, option: str, value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    wrong = next((one for one in values if isinstance(one, bool | dict | list)), None)
    if wrong is not None:
        raise Refusal(f"{name!r}: {option} must be a text, a number, or a list of these, got {wrong!r}")
    texts = [str(one) for one in values]
    if any("\0" in text for text in texts):
        raise Refusal(f"{name!r}: {option} has the character NUL, which no option can have")
    return texts
