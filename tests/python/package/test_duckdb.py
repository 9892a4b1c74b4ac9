"""The functions in the SQL of DuckDB."""

from __future__ import annotations

from typing import Any

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc.duckdb import functions_of_one_score, register


@pytest.fixture
def connection() -> Any:
    made = duckdb.connect()
    register(made)
    yield made
    made.close()


def rows(n: int = 4000) -> pl.DataFrame:
    return fixed(n).select("g", "score", y=pl.col("label").cast(pl.Int8))


def answers(connection: Any, query: str, frame: pl.DataFrame) -> pl.DataFrame:
    connection.register("frame", frame.to_arrow())
    made: pl.DataFrame = pl.from_arrow(connection.sql(query).to_arrow_table())  # type: ignore[assignment]
    return made


@pytest.mark.parametrize("name", functions_of_one_score())
def test_a_query_is_the_expression(connection: Any, name: str) -> None:
    """More groups than DuckDB hands over at a time, nulls and NaN among the rows."""
    # A band takes a hundred times as long as a number.
    parts = 3 if name == "roc_band" else 100
    frame = pl.concat([rows(400).with_columns(pl.col("g") + 50 * part) for part in range(parts)])
    assert frame["g"].n_unique() > (2048 if parts > 3 else 50)
    got = answers(connection, f"SELECT g, {name}(y, score) AS answer FROM frame GROUP BY g ORDER BY g", frame)
    expected = frame.group_by("g").agg(answer=getattr(pa, name)("y", "score")).sort("g")
    assert_frame_equal(got, expected, check_dtypes=False)


def test_own_functions_and_parts_of_records(connection: Any) -> None:
    register(connection, {"auc_90": lambda label, score: pa.roc_auc_ci(label, score, level=0.9)})
    query = "SELECT auc_90(y, score).lower AS lower FROM frame WHERE g > 2 AND NOT isnan(score)"
    frame = rows()
    got = answers(connection, query, frame)
    used = frame.filter(pl.col("g") > 2, pl.col("score").is_not_nan())
    assert got.item() == used.select(pa.roc_auc_ci("y", "score", level=0.9)).item()["lower"]
    register(connection)
    boolean = frame.with_columns(pl.col("y").cast(pl.Boolean))
    query = "SELECT roc_auc(y, score) FROM frame"
    assert_frame_equal(answers(connection, query, boolean), answers(connection, query, frame))
    nothing = answers(connection, "SELECT roc_auc(y, score) FROM frame WHERE false", frame)
    assert nothing.item() is None


def test_what_is_refused(connection: Any) -> None:
    with pytest.raises(Exception, match=r'label "label" holds 2'):
        answers(connection, "SELECT roc_auc(y + 1, score) FROM frame", rows())
    with pytest.raises(ValueError, match="'auc 90' is no name of SQL"):
        register(connection, {"auc 90": pa.roc_auc})
    with pytest.raises(ValueError, match="the answer of 'days' is Duration"):
        register(connection, {"days": lambda label, _: pl.duration(days=pl.col(label)).first()})
    with pytest.raises(ValueError, match="'select' is a word of SQL"):
        register(connection, {"select": pa.roc_auc})
    with pytest.raises(TypeError, match="connection must be one of DuckDB, got str"):
        register("rows.db")  # type: ignore[arg-type]
