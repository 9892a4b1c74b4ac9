"""The Parquet files that a command line names, as one lazy frame."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl


def scan(names: Sequence[str]) -> tuple[pl.LazyFrame, list[str]]:
    """Return the rows of files, folders and globs, and the files themselves, each once.

    Folders named ``key=value`` become columns only if they are inside a folder or glob that was named. Such a
    folder in the path before it does not become a column.

    Raises
    ------
    ValueError
        If a name matches nothing, or a file is named twice: once alone, and once by the partitioned folder
        that contains it.
    """
    plain: dict[Path, str] = {}
    partitioned: dict[str, list[str]] = {}
    for name in names:
        pattern, files = _matches(name)
        if not files:
            msg = f"no file matches {name!r}"
            raise ValueError(msg)
        below = len(re.split(r"[*?\[]", pattern, maxsplit=1)[0])
        if pattern and any("=" in file[below:] for file in files):
            partitioned[pattern] = files
        else:
            plain.update((Path(file).resolve(), file) for file in files if Path(file).resolve() not in plain)
    everything = [*plain.values(), *(file for files in partitioned.values() for file in files)]
    if len({Path(file).resolve() for file in everything}) < len(everything):
        msg = f"{', '.join(map(repr, names))} name a file twice; name each once"
        raise ValueError(msg)
    scans = [_scan(pattern, partitions=True) for pattern in partitioned]
    if plain:
        scans.insert(0, _scan(list(plain.values()), partitions=False))
    return (scans[0] if len(scans) == 1 else pl.concat(scans, how="diagonal")), everything


def _matches(name: str) -> tuple[str, list[str]]:
    """Return a name as a pattern for Polars, empty for a plain file, and the files that it matches."""
    path = Path(name)
    if path.is_dir():
        pattern = f"{glob.escape(str(path))}/**/*.parquet"
    elif path.exists():
        return "", [name]
    else:
        pattern = name
    found = sorted(glob.glob(pattern, recursive=True))
    if found and all(Path(match).is_dir() for match in found):
        pattern = f"{pattern}/**/*.parquet"
        found = sorted(glob.glob(pattern, recursive=True))
    return pattern, [match for match in found if not Path(match).is_dir()]


def _scan(source: str | list[str], *, partitions: bool) -> pl.LazyFrame:
    # Files may have further columns, or a narrower type of a column: this matters only for columns in use.
    widen = pl.ScanCastOptions(integer_cast="upcast", float_cast="upcast")
    return pl.scan_parquet(
        source, glob=partitions, hive_partitioning=partitions, extra_columns="ignore", cast_options=widen
    )
