"""The Parquet files that a command line names, as one lazy frame."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from polars_auc._refusal import Refusal, first_line

# How Polars reads a file that is no Parquet, by its ending.
_READERS = {
    ".csv": "scan_csv",
    ".tsv": "scan_csv",
    ".txt": "scan_csv",
    ".ndjson": "scan_ndjson",
    ".jsonl": "scan_ndjson",
    ".arrow": "scan_ipc",
    ".feather": "scan_ipc",
    ".ipc": "scan_ipc",
}


def scan(names: Sequence[str]) -> tuple[pl.LazyFrame, list[str]]:
    """Return the rows of files, folders and globs, and the files themselves, each once.

    Folders named ``key=value`` become columns only if they are inside a folder or glob that was named. Such a
    folder in the path before it does not become a column. A name with brackets that exists is that file or
    folder, and no glob.

    Raises
    ------
    ValueError
        If a name is empty or matches nothing, if a file is named twice: once alone, and once by the
        partitioned folder that contains it; and if the name of a file is not UTF-8.
    """
    plain: dict[str, str] = {}
    partitioned: dict[str, list[str]] = {}
    for name in names:
        pattern, files = _matches(name)
        _refuse_undecodable([name, *files])
        if not files:
            raise ValueError(_nothing_matches(name))
        below = len(re.split(r"[*?\[]", pattern, maxsplit=1)[0])
        if pattern and any("=" in file[below:] for file in files):
            partitioned[pattern] = files
        else:
            for file in files:
                plain.setdefault(os.path.realpath(file), file)
    everything = [*plain.values(), *(file for files in partitioned.values() for file in files)]
    if len(set(map(os.path.realpath, everything))) < len(everything):
        msg = f"{', '.join(map(repr, names))} name a file twice; name each once"
        raise ValueError(msg)
    scans = [_scan(pattern, partitions=True) for pattern in partitioned]
    if plain:
        scans.insert(0, _scan(list(plain.values()), partitions=False))
    return (scans[0] if len(scans) == 1 else pl.concat(scans, how="diagonal")), everything


def schema_of(name: str) -> pl.Schema:
    """Return the columns of one file; refuse one that cannot be read, by its name."""
    try:
        return _scan([name], partitions=False).collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Refusal(f"cannot read {name!r}: {_advised(name, first_line(error))}") from error


def unreadable(
    files: Sequence[str], columns: Iterable[str], of_each_file: Sequence[pl.Expr] = ()
) -> str | None:
    """Read columns file by file, and say which file is the first that cannot be read, and why.

    What Polars says of many files does not name the one that is damaged, or that differs from the others; and
    what an expression says of its rows does not name the file in which they are. The expressions
    ``of_each_file`` are asked of each file, and of each file beside the first.
    """
    for name in files:
        try:
            schema = schema_of(name)
        except Refusal as refusal:
            return str(refusal)
        if name == files[0]:
            # The other columns are those of partitions.
            wanted = [column for column in columns if column in schema]
        lacking = next((column for column in wanted if column not in schema), None)
        if lacking is not None:
            return f"{name!r} lacks the column {lacking!r}, which {files[0]!r} has"
        counts = [pl.col(column).null_count() for column in wanted]
        for beside in [[name], *([] if name == files[0] else [[files[0], name]])]:
            other = f" beside {files[0]!r}" if len(beside) > 1 else ""
            for said, asked in ((f"cannot read {name!r}{other}", counts), (f"{name!r}{other}", of_each_file)):
                try:
                    _scan(beside, partitions=False).select(asked).collect()
                except (pl.exceptions.PolarsError, OSError) as error:
                    return f"{said}: {first_line(error)}"
    return None


def lacking(files: Sequence[str], column: str) -> str | None:
    """Return the first file that lacks a column, if another file has it."""
    there = [column in schema_of(name) for name in files]
    return files[there.index(False)] if len(set(there)) > 1 else None


def _matches(name: str) -> tuple[str, list[str]]:
    """Return a name as a pattern for Polars, empty for a plain file, and the files that it matches."""
    if not name:
        msg = "the name of a file is empty; is a variable of the shell not set? The current folder is ."
        raise ValueError(msg)
    path = Path(name)
    if path.is_dir():
        pattern = f"{glob.escape(str(path))}/**/*.parquet"
    elif path.exists():
        return "", [name]
    else:
        pattern = _without_brackets_that_exist(name)
    found = sorted(glob.glob(pattern, recursive=True))
    if found and all(Path(match).is_dir() for match in found):
        pattern = f"{pattern}/**/*.parquet"
        found = sorted(glob.glob(pattern, recursive=True))
    return pattern, [match for match in found if not Path(match).is_dir()]


def _without_brackets_that_exist(pattern: str) -> str:
    """Take the longest beginning of a pattern that is a folder as it stands."""
    parts = Path(pattern).parts
    for end in range(len(parts) - 1, 0, -1):
        folder = Path(*parts[:end])
        if folder.is_dir():
            return str(Path(glob.escape(str(folder)), *parts[end:]))
    return pattern


def _nothing_matches(name: str) -> str:
    if Path(name).is_dir():
        return f'the folder {name!r} holds no file that ends in .parquet; for other endings write "{name}/*"'
    return f"no file matches {name!r}"


def _refuse_undecodable(names: Iterable[str]) -> None:
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError as error:
            # Polars takes names of files as UTF-8 only.
            msg = f"the name of the file {os.fsencode(name)!r} is not UTF-8; give it another name"
            raise ValueError(msg) from error


def _advised(name: str, said: str) -> str:
    reader = _READERS.get(Path(name).suffix.lower())
    if reader is None:
        return said
    parquet = str(Path(name).with_suffix(".parquet"))
    return (
        f"it is no Parquet file. To make it one: "
        f'python -c "import polars; polars.{reader}({name!r}).sink_parquet({parquet!r})"'
    )


def _scan(source: str | list[str], *, partitions: bool) -> pl.LazyFrame:
    # Files may have further columns, or a narrower type of a column: this matters only for columns in use.
    widen = pl.ScanCastOptions(integer_cast="upcast", float_cast="upcast")
    return pl.scan_parquet(
        source,
        glob=partitions,
        # As for Python's glob, and so for the files that are counted here.
        hidden_file_prefix=["."] if partitions else None,
        hive_partitioning=partitions,
        extra_columns="ignore",
        cast_options=widen,
    )
