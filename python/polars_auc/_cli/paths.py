"""The files of names, folders and globs on a command line."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from polars_auc._cli.kinds import PARQUET, first_bytes, is_delta
from polars_auc._cli.reading import reading
from polars_auc._cli.standard_input import STANDARD_INPUT
from polars_auc._page.text import counted

# A name in an object store, such as s3://bucket/file.parquet, which only Polars can search.
_URL = re.compile(r"[a-z][a-z0-9+]+://")

# The name of a null partition in Hive and Spark.
_NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"


def plain_and_partitioned(names: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return plain files, and the files of ``key=value`` folders by pattern."""
    plain: dict[str, str] = {}
    partitioned: dict[str, list[str]] = {}
    for text in names:
        name = _local(text)
        pattern, files = _matches(name)
        _refuse_undecodable([name, *files])
        if not files:
            raise ValueError(_nothing_matches(name))
        # The search for partitions includes the folder with the first wildcard, as in month=*.
        below = _literal_length(pattern)
        if pattern and any("=" in os.path.dirname(file[below:]) and _may_be_parquet(file) for file in files):
            partitioned[pattern] = files
        else:
            for file in files:
                plain.setdefault(os.path.realpath(file), file)
    everything = [*plain.values(), *(file for files in partitioned.values() for file in files)]
    if len(set(map(os.path.realpath, everything))) < len(everything):
        msg = f"{', '.join(map(repr, names))} name a file twice. Hint: name each once"
        raise ValueError(msg)
    return list(plain.values()), partitioned


def partition(file: str) -> dict[str, str | None]:
    """Return the values of a file's ``key=value`` folders, as texts; None is null."""
    folders = (folder.partition("=") for folder in Path(file).parts[:-1])
    return {
        key: None if value == _NULL_PARTITION else unquote(value) for key, equals, value in folders if equals
    }


def stray_files(files: Sequence[str]) -> dict[str, str]:
    """Return the files whose partitions differ from most files, with reasons."""
    keys = {file: tuple(partition(file)) for file in files}
    [(usual, _)] = Counter(keys.values()).most_common(1) or [((), 0)]
    example = next((file for file in files if keys[file] == usual), "")
    return {
        file: f"it is not in folders named {', '.join(f'{key}=...' for key in usual) or 'without ='}, unlike "
        f"{example!r}. Hint: move it away, or name the partitions alone"
        for file in files
        if keys[file] != usual
    }


def is_remote(name: str) -> bool:
    """Return whether a name is in an object store."""
    return _URL.match(name) is not None


def is_here(name: str) -> bool:
    """Return whether a name is a file or folder on this machine."""
    return name != STANDARD_INPUT and not is_remote(name)


def _literal_length(pattern: str) -> int:
    """Return the length of the folders before the first wildcard of a pattern."""
    return re.split(r"[*?\[]", pattern, maxsplit=1)[0].rfind("/") + 1


def _may_be_parquet(name: str) -> bool:
    return Path(name).is_file() and first_bytes(name, len(PARQUET)) == PARQUET


def _matches(name: str) -> tuple[str, list[str]]:
    """Return a name as a pattern for Polars, empty for a plain file, and the matching files."""
    if not name:
        msg = "the name of a file is empty; is a variable of the shell not set? The current folder is ."
        raise ValueError(msg)
    path = Path(name)
    if name == STANDARD_INPUT or is_remote(name) or is_delta(name):
        return "", [name]
    if path.is_dir():
        pattern = f"{glob.escape(str(path))}/**/*.parquet"
    elif path.exists():
        return "", [name]
    else:
        pattern = _without_brackets_that_exist(name)
    matches = sorted(glob.glob(pattern, recursive=True))
    if matches and all(map(is_delta, matches)):
        return "", matches
    if matches and all(Path(match).is_dir() for match in matches):
        pattern = f"{pattern}/**/*.parquet"
        matches = sorted(glob.glob(pattern, recursive=True))
    files = _finished(pattern, [match for match in matches if not Path(match).is_dir()])
    # A Delta table also has files with deleted or replaced rows.
    table = next(
        (str(folder) for file in files for folder in Path(file).parents if is_delta(str(folder))), None
    )
    if table is not None:
        msg = f"{name!r} finds files inside the Delta table {table!r}. Hint: name the tables themselves"
        raise ValueError(msg)
    return pattern, files


def _finished(pattern: str, files: Sequence[str]) -> list[str]:
    """Return the finished files: names below a folder or glob that begin with _ or . are unfinished."""
    start = _literal_length(pattern)
    root, below = pattern[:start], pattern[start:]
    # A pattern that begins with such a character includes these names.
    if any(map(_is_marked, Path(below).parts)):
        return list(files)

    def is_unfinished(file: str) -> bool:
        return any(_is_marked(part) and "=" not in part for part in Path(file[start:]).parts)

    finished = [file for file in files if not is_unfinished(file)]
    unfinished = [file for file in files if is_unfinished(file)]
    unfinished += [file for file in _hidden(root, below) if is_unfinished(file) and file not in unfinished]
    # The marker of a finished job.
    unfinished = [file for file in unfinished if Path(file).name != "_SUCCESS"]
    if unfinished and not finished:
        msg = f"{pattern!r} finds unfinished files only, whose names begin with _ or .: {unfinished[0]!r}"
        raise ValueError(msg)
    if unfinished:
        which = f"{counted(len(unfinished), 'unfinished file')} left out"
        reading().note(f"{which}, whose names begin with _ or . below {root or '.'!r}: {unfinished[0]!r}")
    return finished


def _is_marked(part: str) -> bool:
    return part.startswith((".", "_")) and part != ".."


def _hidden(root: str, below: str) -> list[str]:
    """Return the matching files in a folder, including names that begin with a dot.

    Python's module ``glob`` skips them.
    """
    if not below:
        return []
    # Within a name, two stars are equivalent to one; pathlib raises for them.
    parts = [part if part == "**" else re.sub(r"\*{2,}", "*", part) for part in below.split("/")]
    folder = Path(root)
    found: list[str] = []
    # Unfinished files may disappear during the search.
    with suppress(OSError):
        found += (f"{root}{file.relative_to(folder)}" for file in folder.glob("/".join(parts)))
    return sorted(found)


def _without_brackets_that_exist(pattern: str) -> str:
    """Escape the longest leading part of a pattern that is an existing folder."""
    parts = Path(pattern).parts
    for end in range(len(parts) - 1, 0, -1):
        folder = Path(*parts[:end])
        if folder.is_dir():
            return str(Path(glob.escape(str(folder)), *parts[end:]))
    return pattern


def _nothing_matches(name: str) -> str:
    if Path(name).is_dir():
        return f'the folder {name!r} has no file that ends in .parquet; for other endings write "{name}/*"'
    return f"no file matches {name!r}"


def _refuse_undecodable(names: Iterable[str]) -> None:
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            # Polars supports only UTF-8 file names.
            msg = f"the name of the file {os.fsencode(name)!r} is not UTF-8. Hint: give it another name"
            raise ValueError(msg) from error


def _local(name: str) -> str:
    """Return the path of a file:// URL, so that each file has one name."""
    return unquote(name.removeprefix("file://")) if name.startswith("file:///") else name
