"""The input of a command as one lazy frame: Parquet, text, NDJSON, Arrow IPC and Delta tables."""

from __future__ import annotations

import glob
import itertools
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from polars_auc._cli.kinds import kind_of, place_of
from polars_auc._cli.paths import is_remote, partition, plain_and_partitioned, stray_files
from polars_auc._cli.reading import LaterType, reading
from polars_auc._cli.refusal import Refusal, first_line, flag
from polars_auc._cli.text_files import (
    ROWS_OF_SCHEMA,
    is_empty,
    later_type,
    read_text,
    refuse_inexact,
    why_texts,
)
from polars_auc._plugin.errors import OptionError
from polars_auc._plugin.packages import require

# Readers for the other kinds of files. They interpret every name as a glob.
_READERS: dict[str, Callable[[str], pl.LazyFrame]] = {
    "NDJSON": lambda place: _ndjson(place),
    "Arrow IPC": lambda place: pl.scan_ipc(_as_glob(place)),
    "Delta": lambda place: _delta(place),
}


@dataclass(frozen=True)
class Table:
    """The rows of files."""

    rows: pl.LazyFrame
    files: list[str]
    """The files, each once."""
    keys: list[str]
    """The columns of groups that are partition keys; rows of a partition are contiguous."""
    nullable: Sequence[tuple[pl.LazyFrame, Mapping[str, pl.Expr]]]
    """Unconverted rows, each with the columns where missing values become null."""


def scan(names: Sequence[str], without: Container[str] = (), by: Sequence[str] = ()) -> Table:
    """Return the rows of files, folders and globs.

    For partitions by columns of ``by``, rows with the same value are contiguous.

    Folders named ``key=value`` become columns only below a named folder, or if a glob matches one, as in
    ``month=*``. In that case folders above them in the path also become columns, as Polars reads them. An
    existing name with brackets is that file or folder, not a glob.
    """
    plain, partitioned = plain_and_partitioned(names)
    scans = []
    keys: list[str] = []
    for files in partitioned.values():
        kept = [file for file in files if file not in without]
        for file, why in stray_files(kept).items():
            msg = f"{file!r} cannot be read with the partitions: {why}"
            raise ValueError(msg)
        keys = [] if plain or len(partitioned) > 1 else _partition_keys(kept, by)
        kept.sort(key=lambda file: [partition(file)[key] or "" for key in keys])
        if kept:
            scans.append(_scan(kept, partitions=True))
    alone = [file for file in plain if file not in without]
    everything = [*alone, *(file for files in partitioned.values() for file in files if file not in without)]
    _refuse_kinds(everything)
    if alone:
        scans.insert(0, _scan(alone, partitions=False))
    tables = [rows.with_columns(columns.values()) if columns else rows for rows, columns in scans]
    rows = tables[0] if len(tables) == 1 else pl.concat(tables, how="diagonal")
    return Table(rows, everything, keys, scans)


def _partition_keys(files: Sequence[str], by: Sequence[str]) -> list[str]:
    """Return the columns of groups that partition all files."""
    return [key for key in by if all(key in partition(file) for file in files)]


def files_of(names: Sequence[str]) -> list[str]:
    """Return the files of names, folders and globs, without duplicates."""
    plain, partitioned = plain_and_partitioned(names)
    return [*plain, *(file for files in partitioned.values() for file in files)]


def strays_of(names: Sequence[str]) -> dict[str, str]:
    """Return the files outside of the partitions, with reasons."""
    _, partitioned = plain_and_partitioned(names)
    return {file: why for files in partitioned.values() for file, why in stray_files(files).items()}


def schema_of(name: str) -> pl.Schema:
    """Return the schema of one file; raise with its name if it is unreadable."""
    return _rows([name]).collect_schema()


def unreadable(
    files: Sequence[str], columns: Iterable[str], file_checks: Sequence[pl.Expr] = ()
) -> str | None:
    """Read columns file by file, and return a message about the first unreadable file; None without one.

    Errors of Polars for several files do not name the damaged or different file. Errors of expressions do not
    name the file either. So ``file_checks`` are evaluated on each file, and on each file with the first. The
    error is ``LaterType`` if a later row does not fit the inferred type.
    """
    for name in files:
        try:
            schema = schema_of(name)
        except Refusal as refusal:
            return str(refusal)
        if name == files[0]:
            # The other columns are partition keys.
            wanted = [column for column in columns if column in schema]
        missing = next((column for column in wanted if column not in schema), None)
        if missing is not None:
            return f"{name!r} lacks the column {missing!r}, unlike {files[0]!r}"
        counts = [pl.col(column).null_count() for column in wanted]
        for group in [[name], *([] if name == files[0] else [[files[0], name]])]:
            other = f" beside {files[0]!r}" if len(group) > 1 else ""
            for problem, expressions in (
                (f"cannot read {name!r}{other}", counts),
                (f"{name!r}{other}", file_checks),
            ):
                try:
                    _rows(group).select(expressions).collect()
                except Refusal as refusal:
                    return str(refusal)
                except (pl.exceptions.PolarsError, OSError) as error:
                    return f"{problem}: {_reason(name, error)}"
    return None


def _reason(name: str, error: BaseException) -> str:
    """Return why a file cannot be read, with the option that helps."""
    reason = first_line(error)
    kind = kind_of(name)
    if kind.name not in ("text", "NDJSON"):
        return reason
    column = later_type(error)
    if column is not None:
        raise LaterType(column)
    if kind.name == "NDJSON" and "cannot parse" in reason and kind.place not in reading().looked_at:
        raise LaterType(kind.place)
    if "utf-8" in reason.lower():
        reason += f". Hint: write the encoding of the file, as in {flag('encoding')} windows-1252"
    return reason


def file_without(files: Sequence[str], column: str) -> str | None:
    """Return the first file without a column that another file has; None if all files agree."""
    has_column = [column in schema_of(name) for name in files]
    return files[has_column.index(False)] if len(set(has_column)) > 1 else None


def differing(files: Sequence[str], column: str) -> tuple[str, str, list[pl.DataType]] | None:
    """Return two files in which a column has no common type except text; None without them."""
    first: tuple[str, pl.DataType] | None = None
    for name in files:
        dtype = schema_of(name).get(column)
        if dtype is None or (first is not None and dtype == first[1]) or is_empty(_rows([name])):
            continue
        if first is not None and _common_type([first[1], dtype]) in (None, pl.String()):
            return first[0], name, [first[1], dtype]
        first = first or (name, dtype)
    return None


def is_parquet(name: str) -> bool:
    """Return whether a file is Parquet."""
    return kind_of(name).name == "Parquet"


def is_text(name: str) -> bool:
    """Return whether a file is delimited text, where numbers may be written as NaN."""
    return kind_of(name).name == "text"


def _delta(name: str) -> pl.LazyFrame:
    require(f"the Delta table {name!r}", "deltalake")
    return pl.scan_delta(name)


def _ndjson(place: str) -> pl.LazyFrame:
    rows = None if place in reading().looked_at else ROWS_OF_SCHEMA
    return pl.scan_ndjson(_as_glob(place), infer_schema_length=rows)


def _as_glob(place: str) -> str:
    return place if is_remote(place) else glob.escape(place)


def _refuse_kinds(files: Sequence[str]) -> None:
    kinds = {kind_of(file).name: file for file in files}
    if len(kinds) > 1:
        first, other, *_ = kinds.values()
        msg = f"{first!r} and {other!r} are files of two kinds. Hint: make them files of one kind"
        raise ValueError(msg)
    options = reading().options
    text_options = {
        "separator": options.separator,
        "decimal_comma": options.decimal_comma,
        "encoding": options.encoding,
    }
    name = next((name for name, value in text_options.items() if value), None)
    if name is not None and kinds.keys().isdisjoint({"text", "NDJSON"}):
        raise OptionError("", name, f"is for text files, got {files[0]!r}", "leave it out")


def _rows(files: list[str]) -> pl.LazyFrame:
    rows, columns = _scan(files, partitions=False)
    return rows.with_columns(columns.values()) if columns else rows


def _scan(files: list[str], *, partitions: bool) -> tuple[pl.LazyFrame, dict[str, pl.Expr]]:
    """Return unconverted rows, and the converted columns.

    Errors name the unreadable file.
    """
    try:
        return _scan_together(files, partitions=partitions)
    except (pl.exceptions.PolarsError, OSError) as error:
        if len(files) == 1:
            raise Refusal(f"cannot read {files[0]!r}: {_reason(files[0], error)}") from error
        for name in files:
            _scan([name], partitions=False)
        raise


def _scan_together(files: list[str], *, partitions: bool) -> tuple[pl.LazyFrame, dict[str, pl.Expr]]:
    kinds = {name: kind_of(name) for name in files}
    kind = kinds[files[0]].name
    columns: dict[str, pl.Expr] = {}
    if kind == "text":
        rows, columns = read_text(kinds)
    elif kind == "Parquet":
        rows = _parquet(files, partitions=partitions)
    else:
        scans = {name: _READERS[kind](place_of(name)) for name in files}
        schemas = {name: one.collect_schema() for name, one in scans.items()}
        rows = scans[files[0]]
        if len(files) > 1:
            rows = _in_common_types(schemas, lambda names: scans[names[0]], one_by_one=True)
    for column, dtype in rows.collect_schema().items():
        value = reading().without_nulls(column, dtype)
        if value is not None:
            columns.setdefault(column, value)
    return rows, columns


def _parquet(files: list[str], *, partitions: bool) -> pl.LazyFrame:
    """Read Parquet files."""
    hive = _hive(files) if partitions else None
    if len(files) == 1 or is_remote(files[0]):
        return _scan_parquet(files, hive)
    # Polars applies the types of the first file to all files.
    schemas = {name: pl.scan_parquet(place_of(name), glob=False).collect_schema() for name in files}
    first = schemas[files[0]]
    if all(schema.get(column) == dtype for schema in schemas.values() for column, dtype in first.items()):
        return _scan_parquet(files, hive)
    return _in_common_types(schemas, lambda names: _scan_parquet(names, hive), list(hive or ()))


def _scan_parquet(files: Sequence[str], hive: Mapping[str, pl.DataType] | None) -> pl.LazyFrame:
    return pl.scan_parquet(
        [place_of(name) for name in files],
        # Files in an object store need the glob of Polars.
        glob=is_remote(files[0]),
        hive_partitioning=hive is not None,
        hive_schema=hive,
        # Extra columns are allowed; only used columns must exist.
        extra_columns="ignore",
        # Schemas of files in an object store are not compared in advance.
        cast_options=pl.ScanCastOptions(integer_cast="upcast", float_cast="upcast"),
    )


def _hive(files: Sequence[str]) -> dict[str, pl.DataType]:
    """Return the types of partition columns; different texts stay different groups."""
    partitions = [partition(file) for file in files]
    places = [place_of(name) for name in files]
    schema = pl.scan_parquet(places, glob=False, hive_partitioning=True).collect_schema()
    types = {key: schema[key] for key in partitions[0] if key in schema}
    for key, dtype in types.items():
        if not dtype.is_numeric():
            continue
        texts = pl.Series([values[key] for values in partitions], dtype=pl.String)
        if (why := why_texts(texts, dtype)) is not None:
            reading().note_text(key, why)
            types[key] = pl.String()
    return types


def _in_common_types(
    schemas: Mapping[str, Mapping[str, pl.DataType]],
    scan_of: Callable[[list[str]], pl.LazyFrame],
    keys: Sequence[str] = (),
    *,
    one_by_one: bool = False,
) -> pl.LazyFrame:
    """Read files with common types; files without rows are ignored.

    Columns that a file lacks, and columns without a common type, are omitted.
    """
    filled = [name for name in schemas if not is_empty(scan_of([name]))] or list(schemas)[:1]
    columns = [column for column in schemas[filled[0]] if all(column in schemas[name] for name in filled)]
    common = {column: _common_type({schemas[name][column] for name in filled}) for column in columns}
    types = {column: dtype for column, dtype in common.items() if dtype is not None}
    refuse_inexact({name: schemas[name] for name in filled}, types, lambda name: scan_of([name]))
    parts = []
    # Consecutive files with equal types share one scan.
    alike = itertools.groupby(
        filled, key=lambda name: ([schemas[name][column] for column in types], name if one_by_one else None)
    )
    for (dtypes, _), names in alike:
        casts = {
            column: dtype for (column, dtype), was in zip(types.items(), dtypes, strict=True) if was != dtype
        }
        rows = scan_of(list(names)).select(*types, *(key for key in keys if key not in types))
        parts.append(rows.cast(casts) if casts else rows)  # type: ignore[arg-type]
    return parts[0] if len(parts) == 1 else pl.concat(parts)


def _common_type(dtypes: Iterable[pl.DataType]) -> pl.DataType | None:
    """Return the common type; lists and structs must be equal."""
    several = list(dtypes)
    if len(set(several)) == 1:
        return several[0]
    if any(dtype.is_nested() for dtype in several):
        return None
    try:
        columns = [pl.LazyFrame(schema={"column": dtype}) for dtype in several]
        return pl.concat(columns, how="vertical_relaxed").collect_schema()["column"]
    except pl.exceptions.PolarsError:
        return None
