"""Text files: column types over all files and, where necessary, over all rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from polars_auc._cli.kinds import Kind
from polars_auc._cli.reading import reading
from polars_auc._cli.refusal import Refusal, first_line

# Rows for type inference. For the columns of ``_fully_scanned`` all rows are used.
ROWS_OF_SCHEMA = 10_000

_TRUTHS = {"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False}

# As floats, different large integers would become equal.
_NUMBERS = (pl.Int64(), pl.Int128(), pl.Float64())


# Floats are exact for integers up to this absolute value.
_LAST_EXACT = 2**53


def read_text(files: Mapping[str, Kind]) -> tuple[pl.LazyFrame, dict[str, pl.Expr]]:
    """Return the rows of text files, and expressions for text columns of numbers or nulls.

    Columns are matched by name. A column with texts in one file is text in all files.
    """
    scans = {name: _scanned(name, kind) for name, kind in files.items()}
    schemas = {name: rows.collect_schema() for name, rows in scans.items()}
    _refuse_missing(schemas)
    # A file without rows has no types; Polars would infer text.
    filled = {
        name: kind
        for name, kind in files.items()
        if any(dtype != pl.String for dtype in schemas[name].values()) or not is_empty(scans[name])
    } or dict(files)
    types, overrides = _common([schemas[name] for name in filled])
    refuse_inexact({name: schemas[name] for name in filled}, overrides, lambda name: scans[name])
    texts = _fully_scanned(types, filled)
    keys = [column for column, dtype in types.items() if column in reading().by and dtype.is_numeric()]
    meant: dict[str, pl.DataType] = {}
    if texts or keys:
        written = _together(filled, {**overrides, **dict.fromkeys([*texts, *keys], pl.String())})
        meant = _types_of_all_rows(written, texts)
        for column in [*keys, *(column for column in texts if column in reading().by)]:
            dtype = meant.get(column, types[column])
            if not dtype.is_numeric():
                continue
            values = written.select(pl.col(column).unique()).collect().to_series()
            if (why := why_texts(values, dtype)) is not None:
                reading().note_text(column, why)
                meant[column] = pl.String()
    rows = _together(filled, {**overrides, **dict.fromkeys(meant, pl.String())})
    return rows, {column: _meant(column, dtype) for column, dtype in meant.items()}


def is_empty(rows: pl.LazyFrame) -> bool:
    """Return whether there are no rows."""
    return rows.head(1).collect().is_empty()


def later_type(error: BaseException) -> str | None:
    """Return the column whose later rows do not fit the inferred type; None for other errors."""
    found = re.search(
        r"could not parse `.*` as dtype `\w+` at column '(.*)' \(column number", str(error), re.DOTALL
    )
    return found[1] if found is not None and found[1] not in reading().looked_at else None


def why_texts(texts: pl.Series, dtype: pl.DataType) -> str | None:
    """Return why groups must be texts instead of numbers; None if numbers are possible."""
    number = reading().decimal(pl.col("text")).cast(dtype, strict=False)
    both = pl.DataFrame({"text": texts.unique()}).with_columns(number=number).drop_nulls().sort("text")
    same = both.filter(pl.col("number").is_duplicated())
    if same.height:
        first, other, *_ = same.filter(number=same["number"].first())["text"]
        return f"{first!r} and {other!r} are the same number"
    # Example: the versions 1.10 and 1.1 would be the same number.
    longer = both["text"].filter(both["text"].str.contains(r"[.,]\d*[1-9]0+$"))
    is_cut = dtype.is_float() and len(longer) > 0
    return f"{longer[0]!r} ends in a zero, which numbers do not keep" if is_cut else None


def refuse_inexact(
    schemas: Mapping[str, Mapping[str, pl.DataType]],
    common: Mapping[str, pl.DataType],
    rows_of: Callable[[str], pl.LazyFrame],
) -> None:
    """Raise for integers that floats cannot represent exactly, where other files have floats."""
    for name, schema in schemas.items():
        columns = [
            column
            for column, dtype in common.items()
            if dtype.is_float() and schema[column].is_integer() and reading().uses(column)
        ]
        # In a comparison with unsigned integers, negative numbers may become floats.
        whole = [pl.col(column).cast(pl.Int128) for column in columns]
        first = [value.filter(~value.is_between(-_LAST_EXACT, _LAST_EXACT)).first() for value in whole]
        values = rows_of(name).select(first).collect().row(0, named=True) if first else {}
        for column, value in values.items():
            if value is not None:
                other, dtype = next(
                    (other, of[column]) for other, of in schemas.items() if of[column] != schema[column]
                )
                raise Refusal(
                    f"{name!r} has the integer {value} in the column {column!r}, which is {dtype} in "
                    f"{other!r}, and {common[column]} does not hold such integers exactly. Hint: write the "
                    "column in one type in all files"
                )


def _scanned(
    name: str, kind: Kind, overrides: Mapping[str, pl.DataType] | None = None, nulls: Sequence[str] = ()
) -> pl.LazyFrame:
    try:
        return pl.scan_csv(
            kind.place,
            separator=kind.separator,
            infer_schema_length=ROWS_OF_SCHEMA,
            schema_overrides=overrides,
            null_values=nulls or None,
            decimal_comma=reading().options.decimal_comma,
            glob=False,
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Refusal(f"cannot read {name!r}: {first_line(error)}") from error


def _together(files: Mapping[str, Kind], overrides: Mapping[str, pl.DataType]) -> pl.LazyFrame:
    scans = [_scanned(name, kind, overrides) for name, kind in files.items()]
    return scans[0] if len(scans) == 1 else pl.concat(scans, how="diagonal_relaxed")


def _refuse_missing(schemas: Mapping[str, pl.Schema]) -> None:
    """Raise if a file lacks a column; Polars would match columns by position."""
    (first, columns), *others = schemas.items()
    for name, schema in others:
        missing = [column for column in columns if column not in schema]
        further = [column for column in schema if column not in columns]
        if missing or further:
            which = (name, first) if missing else (first, name)
            msg = f"{which[0]!r} lacks the column {min(missing or further)!r}, unlike {which[1]!r}"
            raise ValueError(msg)


def _common(schemas: Sequence[pl.Schema]) -> tuple[dict[str, pl.DataType], dict[str, pl.DataType]]:
    """Return the type of each column over all files, and the schema overrides."""
    types: dict[str, pl.DataType] = dict(schemas[0])
    overrides: dict[str, pl.DataType] = {}
    for column in types:
        several = {schema[column] for schema in schemas}
        widest = next((dtype for dtype in (pl.String(), pl.Float64()) if dtype in several), None)
        if len(several) > 1 and widest is not None:
            types[column] = overrides[column] = widest
    return types, overrides


def _fully_scanned(types: Mapping[str, pl.DataType], files: Mapping[str, Kind]) -> list[str]:
    """Return the columns whose type is inferred from all rows."""
    read = reading()
    has_comma = read.options.decimal_comma
    # Polars accepts a decimal point in all rows but the first ones.
    columns_of_texts = {
        column for column, dtype in types.items() if has_comma and dtype.is_float() and read.uses(column)
    }
    by_nulls: dict[tuple[str, ...], list[str]] = {}
    for column, dtype in types.items():
        if dtype == pl.String and read.uses(column) and read.is_nullable(column):
            if column in read.numbers:
                columns_of_texts.add(column)
            else:
                by_nulls.setdefault(tuple(read.null_values(column)), []).append(column)
    for nulls, columns in by_nulls.items():
        schemas = [_scanned(name, kind, nulls=nulls).collect_schema() for name, kind in files.items()]
        columns_of_texts |= {
            column for column in columns if any(schema[column] != pl.String for schema in schemas)
        }
    return [column for column in types if column in columns_of_texts or column in read.looked_at]


def _types_of_all_rows(rows: pl.LazyFrame, columns: Iterable[str]) -> dict[str, pl.DataType]:
    """Return the types that fit all rows of text columns."""
    # Columns that SQL compares with texts stay text.
    columns = [column for column in columns if column not in reading().compared]
    if not columns:
        return {}
    counts_of_types = [pl.len()]
    for place, column in enumerate(columns):
        value = _value(column)
        fitting = {"all": value.count(), "truths": value.is_in(list(_TRUTHS)).sum()}
        for dtype in _NUMBERS:
            number = reading().decimal(value) if dtype.is_float() else value
            fitting[str(dtype)] = number.cast(dtype, strict=False).count()
        counts_of_types.append(
            pl.struct(count.alias(name) for name, count in fitting.items()).alias(f"{place}")
        )
    height, *counts = rows.select(counts_of_types).collect().row(0)
    if not height:
        return {}
    return {column: _type_of_all(fitting) for column, fitting in zip(columns, counts, strict=True)}


def _type_of_all(fitting: Mapping[str, int]) -> pl.DataType:
    """Return the first type that fits all texts of a column."""
    n = fitting["all"]
    if n == fitting["truths"] > 0:
        return pl.Boolean()
    return next((dtype for dtype in _NUMBERS if n == fitting[str(dtype)]), pl.String())


def _value(column: str) -> pl.Expr:
    is_nullable = reading().is_nullable(column)
    return reading().texts_without_nulls(column) if is_nullable else pl.col(column)


def _meant(column: str, dtype: pl.DataType) -> pl.Expr:
    value = _value(column)
    if dtype == pl.Boolean:
        return value.replace_strict(_TRUTHS, return_dtype=pl.Boolean)
    if dtype.is_float():
        value = reading().decimal(value)
    if not dtype.is_numeric():
        return value
    value = value.cast(dtype)
    # NaN and -999.0 are valid numbers that may mean missing.
    number = reading().numbers_without_nulls(column, value, dtype) if reading().is_nullable(column) else None
    return value if number is None else number
