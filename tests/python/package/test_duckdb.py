"""The functions in the SQL of DuckDB."""

from __future__ import annotations

import warnings
from pathlib import Path
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
    connected = duckdb.connect()
    register(connected)
    yield connected
    connected.close()


def rows(n: int = 4000, name: str = "roc_auc") -> pl.DataFrame:
    probabilities = ("brier_score", "log_loss", "net_benefit", "calibration_summary", "calibration_curve")
    score = (
        "probability" if name in (*probabilities, "calibration_error", "discrimination_slope") else "score"
    )
    score = "grade" if name == "calibration_by_grade" else score
    return fixed(n).select("g", pl.col(score).alias("score"), y=pl.col("label").cast(pl.Int8))


def answers(connection: Any, query: str, frame: pl.DataFrame) -> pl.DataFrame:
    connection.register("frame", frame.to_arrow())
    answered: pl.DataFrame = pl.from_arrow(connection.sql(query).to_arrow_table())  # type: ignore[assignment]
    return answered


@pytest.mark.parametrize("name", functions_of_one_score())
def test_a_query_is_the_expression(connection: Any, name: str) -> None:
    """Test more groups than a batch of DuckDB, with nulls and NaN among the rows."""
    # A band takes a hundred times as long as a number.
    parts = 3 if name == "roc_band" else 100
    frame = pl.concat([rows(400, name).with_columns(pl.col("g") + 50 * part) for part in range(parts)])
    assert frame["g"].n_unique() > (2048 if parts > 3 else 50)
    got = answers(connection, f"SELECT g, {name}(y, score) AS answer FROM frame GROUP BY g ORDER BY g", frame)
    expected = frame.group_by("g").agg(answer=getattr(pa, name)("y", "score")).sort("g")
    assert_frame_equal(got, expected, check_dtypes=False)


def test_functions_with_required_options_are_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    def at(label: str | None = None, score: str | None = None, *, at: float, state: None = None) -> pl.Expr:
        raise AssertionError(label, score, at, state)

    monkeypatch.setattr(pa, "roc_auc", at)
    assert "roc_auc" not in functions_of_one_score()
    monkeypatch.undo()
    assert "roc_auc" in functions_of_one_score()


def test_custom_functions_and_parts_of_records(connection: Any) -> None:
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


def test_a_database_stays_as_it_is(tmp_path: Path) -> None:
    """The user's macros remain in the file, and can be called by their full name."""
    file = tmp_path / "scores.db"
    with duckdb.connect(file) as connected:
        connected.execute("CREATE MACRO gini(a, b) AS 42")
        connected.execute(
            "CREATE TABLE rows AS FROM (VALUES (1, 0.9), (0, 0.5), (1, 0.4), (0, 0.1)) AS rows(y, s)"
        )
        with pytest.warns(UserWarning, match=r"hidden on this connection: scores\.main\.gini. Hint: call"):
            register(connected)
        query = "SELECT gini(y, s), scores.main.gini(1, 2), roc_auc(y, s) FROM rows"
        assert connected.execute(query).fetchone() == (0.5, 42, 0.75)
        with pytest.warns(UserWarning, match=r"main\.gini"):
            register(connected)
    with duckdb.connect(file) as opened:
        assert opened.execute("SELECT gini(1, 2)").fetchone() == (42,)
        macros = "SELECT function_name FROM duckdb_functions() WHERE function_type = 'macro' AND NOT internal"
        assert opened.execute(macros).fetchall() == [("gini",)]


def test_a_database_open_for_reading_only(tmp_path: Path) -> None:
    file = tmp_path / "scores.db"
    with duckdb.connect(file) as connected:
        connected.execute(
            "CREATE TABLE rows AS FROM (VALUES (1, 0.9), (0, 0.5), (1, 0.4), (0, 0.1)) AS rows(y, s)"
        )
    with duckdb.connect(file, read_only=True) as opened:
        register(opened)
        assert opened.execute("SELECT roc_auc(y, s) FROM rows").fetchone() == (0.75,)


def test_functions_that_are_hidden_or_replaced() -> None:
    """Warnings name functions of DuckDB and Python, and temporary macros, but not our functions."""
    with duckdb.connect() as connected:
        with pytest.warns(UserWarning, match=r"(?i)hidden on this connection: system\.main\.sum"):
            register(connected, {"SUM": pa.roc_auc})
        connected.create_function("gini", lambda x: x, ["DOUBLE"], "DOUBLE")
        with pytest.warns(UserWarning, match=r"system\.main\.gini"):
            register(connected, {"gini": pa.gini})
        connected.execute("CREATE TEMP MACRO auc(a, b) AS 1")
        with pytest.warns(UserWarning, match=r"temporary macros of the same name are replaced: auc"):
            register(connected, {"auc": pa.roc_auc})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            register(connected, {"auc": pa.roc_auc, "other": pa.roc_auc})


def test_cursors_and_other_connections(tmp_path: Path) -> None:
    """Each connection has separate functions."""
    query = "SELECT auc(y, s) FROM (VALUES (1, 0.9), (0, 0.5), (1, 0.4), (0, 0.1)) AS rows(y, s)"
    with duckdb.connect(tmp_path / "scores.db") as first:
        register(first, {"auc": pa.roc_auc})
        with duckdb.connect(tmp_path / "scores.db") as second:
            register(second, {"auc": pa.gini})
            cursor = second.cursor()
            register(cursor, {"auc": pa.ks_statistic})
            register(cursor, {"auc": pa.average_precision})
            answers = [each.execute(query).fetchone()[0] for each in (first, second, cursor)]  # type: ignore[index]
        assert answers == pytest.approx([0.75, 0.5, 1 / 2 + 1 / 3])
        assert first.execute(query).fetchone() == (0.75,)


def test_what_is_refused(connection: Any) -> None:
    with pytest.raises(Exception, match=r'label "label" contains 2'):
        answers(connection, "SELECT roc_auc(y + 1, score) FROM frame", rows())
    with pytest.raises(ValueError, match="'auc 90' is not a SQL name"):
        register(connection, {"auc 90": pa.roc_auc})
    with pytest.raises(ValueError, match="'days' returns Duration"):
        register(connection, {"days": lambda label, _: pl.duration(days=pl.col(label)).first()})
    with pytest.raises(ValueError, match="'select' is a SQL keyword"):
        register(connection, {"select": pa.roc_auc})
    with pytest.raises(TypeError, match="connection must be a DuckDB connection, got str"):
        register("rows.db")  # type: ignore[arg-type]
