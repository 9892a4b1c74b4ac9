"""What a command line names, as one lazy frame: Parquet, CSV, NDJSON, Arrow IPC and Delta tables."""

from __future__ import annotations

import functools
import glob
import os
import re
from collections.abc import Callable, Container, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from polars_auc._cli.refusal import Refusal, first_line
from polars_auc._cli.standard_input import STANDARD_INPUT, kept_input

# Of a text file so many rows say what the columns hold; a word below them in a column of numbers is an error.
_ROWS_OF_SCHEMA = 10_000

# How Polars reads a file that is no Parquet, by its ending.
_READERS: dict[str, Callable[[str], pl.LazyFrame]] = {
    ".csv": functools.partial(pl.scan_csv, infer_schema_length=_ROWS_OF_SCHEMA, glob=False),
    ".tsv": functools.partial(pl.scan_csv, infer_schema_length=_ROWS_OF_SCHEMA, glob=False, separator="\t"),
    # These take every name for a glob.
    ".ndjson": lambda name: pl.scan_ndjson(glob.escape(name), infer_schema_length=_ROWS_OF_SCHEMA),
    ".jsonl": lambda name: pl.scan_ndjson(glob.escape(name), infer_schema_length=_ROWS_OF_SCHEMA),
    ".arrow": lambda name: pl.scan_ipc(glob.escape(name)),
    ".feather": lambda name: pl.scan_ipc(glob.escape(name)),
    ".ipc": lambda name: pl.scan_ipc(glob.escape(name)),
    "Delta": lambda name: _delta(name),
}

# A name in an object store, such as s3://bucket/file.parquet, which only Polars can look for.
_URL = re.compile(r"[a-z][a-z0-9+]+://")


def scan(
    names: Sequence[str], without: Container[str] = (), by: Sequence[str] = ()
) -> tuple[pl.LazyFrame, list[str], list[str]]:
    """Return the rows of files, folders and globs, and the files themselves, each once.

    If partitions are named by columns of ``by``, those of one value follow one another. The last list has
    these columns.

    Folders named ``key=value`` become columns only if one of them is inside a folder that was named, or is
    matched by a glob, as by ``month=*``.
    Those in the path before it are then columns too, as Polars reads them. A name with brackets that exists
    is that file or folder, and no glob.

    Raises
    ------
    ValueError
        If a name is empty or matches nothing, if a file is named twice: once alone, and once by the
        partitioned folder that contains it; and if the name of a file is not UTF-8.
    """
    plain, partitioned = _plain_and_partitioned(names)
    scans = []
    keys: list[str] = []
    for pattern, files in partitioned.items():
        kept = [file for file in files if file not in without]
        keys = [] if plain or len(partitioned) > 1 else _partition_keys(kept, by)
        kept.sort(key=lambda file: [_partition(file)[key] for key in keys])
        if kept:
            scans.append(_scan(pattern if kept == files else kept, partitions=True))
    alone = [file for file in plain if file not in without]
    everything = [*alone, *(file for files in partitioned.values() for file in files if file not in without)]
    _refuse_several_kinds(everything)
    if alone:
        scans.insert(0, _scan(alone, partitions=False))
    rows = scans[0] if len(scans) == 1 else pl.concat(scans, how="diagonal")
    return rows, everything, keys


def _partition(file: str) -> dict[str, str]:
    """Return the values of the folders named ``key=value`` in which a file is, as they are written."""
    folders = (folder.partition("=") for folder in Path(file).parts[:-1])
    return {key: value for key, equals, value in folders if equals}


def _partition_keys(files: Sequence[str], by: Sequence[str]) -> list[str]:
    """Return the columns of groups by which all files are partitioned."""
    return [key for key in by if all(key in _partition(file) for file in files)]


def files_of(names: Sequence[str]) -> list[str]:
    """Return the files that names, folders and globs mean, each once."""
    plain, partitioned = _plain_and_partitioned(names)
    return [*plain, *(file for files in partitioned.values() for file in files)]


def _plain_and_partitioned(names: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return plain files, and those of folders named ``key=value`` by the pattern that they match."""
    plain: dict[str, str] = {}
    partitioned: dict[str, list[str]] = {}
    for text in names:
        name = _local(text)
        pattern, files = _matches(name)
        _refuse_undecodable([name, *files])
        if not files:
            raise ValueError(_nothing_matches(name))
        # The folder with the first sign of a glob is inside: month=* names partitions.
        below = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rfind("/") + 1
        if pattern and any("=" in os.path.dirname(file[below:]) and not _ending(file) for file in files):
            partitioned[pattern] = files
        else:
            for file in files:
                plain.setdefault(os.path.realpath(file), file)
    everything = [*plain.values(), *(file for files in partitioned.values() for file in files)]
    if len(set(map(os.path.realpath, everything))) < len(everything):
        msg = f"{', '.join(map(repr, names))} name a file twice; name each once"
        raise ValueError(msg)
    return list(plain.values()), partitioned


def schema_of(name: str) -> pl.Schema:
    """Return the columns of one file; refuse one that cannot be read, by its name."""
    try:
        return _scan([name], partitions=False).collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Refusal(f"cannot read {name!r}: {first_line(error)}") from error


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
    if name == STANDARD_INPUT or is_remote(name) or _is_delta(name):
        return "", [name]
    if path.is_dir():
        pattern = f"{glob.escape(str(path))}/**/*.parquet"
    elif path.exists():
        return "", [name]
    else:
        pattern = _without_brackets_that_exist(name)
    matches = sorted(glob.glob(pattern, recursive=True))
    if matches and all(map(_is_delta, matches)):
        return "", matches
    if matches and all(Path(match).is_dir() for match in matches):
        pattern = f"{pattern}/**/*.parquet"
        matches = sorted(glob.glob(pattern, recursive=True))
    files = [match for match in matches if not Path(match).is_dir()]
    # The files of a Delta table are not its rows: some were deleted or replaced.
    table = next(
        (str(folder) for file in files for folder in Path(file).parents if _is_delta(str(folder))), None
    )
    if table is not None:
        msg = f"{name!r} finds files inside the Delta table {table!r}; name the tables themselves"
        raise ValueError(msg)
    return pattern, files


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


def _ending(name: str) -> str:
    """Return the ending by which a file is read; it is empty for Parquet, however that is called."""
    if _is_delta(name):
        return "Delta"
    suffix = Path(_place(name)).suffix.lower()
    return suffix if suffix in _READERS else ""


def is_parquet(name: str) -> bool:
    """Whether a file is read as Parquet."""
    return not _ending(name)


def _place(name: str) -> str:
    """Return where the rows of a name are."""
    return str(kept_input()) if name == STANDARD_INPUT else name


def is_text(name: str) -> bool:
    """Whether a file is one of text, in which a number may be written as NaN."""
    return _ending(name) in (".csv", ".tsv")


def is_remote(name: str) -> bool:
    """Whether a name is one in an object store."""
    return _URL.match(name) is not None


def is_here(name: str) -> bool:
    """Whether a name is a file or folder on this machine."""
    return name != STANDARD_INPUT and not is_remote(name)


def _local(name: str) -> str:
    """Return the path of a file:// name, so that a file has one name."""
    return unquote(name.removeprefix("file://")) if name.startswith("file:///") else name


def _is_delta(name: str) -> bool:
    return (Path(name) / "_delta_log").is_dir()


def _delta(name: str) -> pl.LazyFrame:
    if not find_spec("deltalake"):
        raise Refusal(f"{name!r} is a Delta table, which needs deltalake: pip install deltalake")
    return pl.scan_delta(name)


def _refuse_several_kinds(files: Sequence[str]) -> None:
    kinds = {_ending(file): file for file in files}
    if len(kinds) > 1:
        first, other, *_ = kinds.values()
        msg = f"{first!r} and {other!r} are files of two kinds; make them files of one kind"
        raise ValueError(msg)


def _read(reader: Callable[[str], pl.LazyFrame], names: Sequence[str]) -> pl.LazyFrame:
    """Read files that are no Parquet; Polars would take the columns of several by their places."""
    scans = [_read_one(reader, name) for name in names]
    if len(scans) == 1:
        return scans[0]
    columns = [set(each.collect_schema()) for each in scans]
    for name, there in zip(names, columns, strict=True):
        lacking = sorted(columns[0] - there) or sorted(there - columns[0])
        if lacking:
            which = (name, names[0]) if columns[0] - there else (names[0], name)
            msg = f"{which[0]!r} lacks the column {lacking[0]!r}, which {which[1]!r} has"
            raise ValueError(msg)
    # A file without rows does not say what its columns hold, and would make them words.
    filled = [each for each in scans if not _is_empty(each)]
    return pl.concat(filled or scans, how="diagonal_relaxed")


def _read_one(reader: Callable[[str], pl.LazyFrame], name: str) -> pl.LazyFrame:
    try:
        return reader(_place(name))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Refusal(f"cannot read {name!r}: {first_line(error)}") from error


def _is_empty(rows: pl.LazyFrame) -> bool:
    """Whether a file has no row; only one whose columns are all words is looked at."""
    if any(dtype != pl.String for dtype in rows.collect_schema().dtypes()):
        return False
    return rows.head(1).collect().is_empty()


def _scan(source: str | list[str], *, partitions: bool) -> pl.LazyFrame:
    if isinstance(source, list) and (reader := _READERS.get(_ending(source[0]))) is not None:
        return _read(reader, source)
    # Files may have further columns, or a narrower type of a column: this matters only for columns in use.
    widen = pl.ScanCastOptions(integer_cast="upcast", float_cast="upcast")
    return pl.scan_parquet(
        source if isinstance(source, str) else [_place(name) for name in source],
        # In an object store there is nothing else to find files by.
        glob=isinstance(source, str) or is_remote(source[0]),
        # As for Python's glob, and so for the files that are counted here.
        hidden_file_prefix=["."] if isinstance(source, str) else None,
        hive_partitioning=partitions,
        extra_columns="ignore",
        cast_options=widen,
    )
