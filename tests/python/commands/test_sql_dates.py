"""Dates in SQL: comparisons of texts with dates and times, and date_trunc."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from polars_auc._cli.dates import with_dates
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]

DAYS = pl.date_range(datetime.date(1968, 11, 3), datetime.date(2031, 2, 28), "11d", eager=True)
ROWS = pl.DataFrame({"day": DAYS, "y": [row % 2 for row in range(DAYS.len())]}).with_columns(
    s=pl.int_range(pl.len()) * 37 % 101,
    at=pl.col("day").cast(pl.Datetime("ms")) + pl.duration(minutes=pl.int_range(pl.len()) * 131 % 1440),
    text=pl.col("day").cast(pl.String),
)
ROWS = ROWS.with_columns(
    utc=pl.col("at").dt.replace_time_zone("UTC"),
    # A day in India starts before the day in UTC.
    zoned=pl.col("at").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Kolkata"),
)


def chosen(sql: str) -> list[datetime.date]:
    return ROWS.filter(pl.sql_expr(with_dates(sql, ROWS.schema)))["day"].to_list()


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("day >= '2026-02-01'", pl.col("day") >= datetime.date(2026, 2, 1)),
        ("'2026-02-01' <= day", pl.col("day") >= datetime.date(2026, 2, 1)),
        ("day < '2026-02-01' AND text <> '2026-02-02'", pl.col("day") < datetime.date(2026, 2, 1)),
        ("at >= '2026-02-01'", pl.col("at") >= datetime.datetime(2026, 2, 1)),
        ("at >= '2026-02-01 13:30'", pl.col("at") >= datetime.datetime(2026, 2, 1, 13, 30)),
        ("at >= '2026-02-01T13:30:05'", pl.col("at") >= datetime.datetime(2026, 2, 1, 13, 30, 5)),
        ("utc >= '2026-02-01'", pl.col("at") >= datetime.datetime(2026, 2, 1)),
        ("text >= '2026-02-01'", pl.col("day") >= datetime.date(2026, 2, 1)),
        # The same text becomes a different literal in each comparison.
        ("text >= '2026-02-01' AND day >= '2026-02-01'", pl.col("day") >= datetime.date(2026, 2, 1)),
        ("utc >= '2026-02-01' OR text = '2026-02-01'", pl.col("day") >= datetime.date(2026, 2, 1)),
        ("day >= '2026-02-01' AND at >= '2026-02-01'", pl.col("day") >= datetime.date(2026, 2, 1)),
        ("day >= '0001-01-01' AND text >= '2026-02-01'", pl.col("day") >= datetime.date(2026, 2, 1)),
        (
            "day BETWEEN '2025-12-31' AND '2026-02-01'",
            pl.col("day").is_between(datetime.date(2025, 12, 31), datetime.date(2026, 2, 1)),
        ),
        (
            "date_trunc('month', day) = '2026-02-01'",
            pl.col("day").dt.truncate("1mo") == datetime.date(2026, 2, 1),
        ),
    ],
)
def test_texts_are_dates_where_they_are_compared_with_dates(sql: str, expected: pl.Expr) -> None:
    assert chosen(sql) == ROWS.filter(expected)["day"].to_list()


EVERY = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}


@pytest.mark.parametrize("column", ["day", "at", "text", "utc", "zoned"])
@pytest.mark.parametrize("unit", EVERY)
def test_date_trunc_is_the_first_day(unit: str, column: str) -> None:
    sql = with_dates(f"Date_Trunc('{unit.upper()}', {column})", ROWS.schema)
    day = pl.col("day" if column == "text" else column).dt.date()
    expected = ROWS.select(day.dt.truncate(EVERY[unit])).to_series()
    assert ROWS.select(pl.sql_expr(sql)).to_series().to_list() == expected.to_list()


@pytest.mark.parametrize(("unit", "every"), [("hour", "1h"), ("minute", "1m"), ("second", "1s")])
def test_date_trunc_of_times(unit: str, every: str) -> None:
    sql = with_dates(f"date_trunc('{unit}', at)", ROWS.schema)
    expected = ROWS["at"].dt.truncate(every).to_list()
    assert ROWS.select(pl.sql_expr(sql)).to_series().to_list() == expected


@pytest.mark.parametrize(
    "sql", ["s > 3 AND text = 'a, (b'", "date_trunc('month')", "date_trunc", "'it''s' = \"day\"", "("]
)
def test_other_sql_stays_as_it_is(sql: str) -> None:
    assert with_dates(sql, ROWS.schema) == sql


def test_nested_calls() -> None:
    sql = with_dates(
        "date_trunc('year', date_trunc('month', day)) = date_trunc('year', '2026-05-05')", ROWS.schema
    )
    assert ROWS.filter(pl.sql_expr(sql))["day"].dt.year().unique().to_list() == [2026]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ROWS.write_parquet("rows.parquet")


COMMAND: Sequence[str] = ["report", "rows.parquet", "--label", "y", "--score", "s"]


def test_the_shell(capsys: Capture) -> None:
    options = [
        "--where",
        "day >= '2026-02-01'",
        "--by",
        "date_trunc('year', at) AS year",
        "--stability",
        "day < '2027-01-01'",
    ]
    assert (
        main([*COMMAND, *options, "-o", "out.parquet", "--fail-if", "year >= '2026-01-01' AND auc > 2"]) == 0
    )
    years = pl.read_parquet("out.parquet")["year"].drop_nulls().dt.year().to_list()
    assert years == [2026, 2027, 2028, 2029, 2030, 2031]
    capsys.readouterr()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--where", "zoned >= '2026-02-01'"],
            "compares a time of the zone Asia/Kolkata with a text without one",
        ),
        (
            ["--where", "zoned >= '2026-02-01' OR day = '2026-02-01'"],
            "compares a time of the zone Asia/Kolkata with a text without one",
        ),
        (["--where", "utc >= '2026-02-01 10:00'"], "compares a time of the zone UTC with a text without one"),
        (["--where", "day >= '1.2.2026'"], "to a string value, but to a date such as '2026-02-01'"),
        (["--by", "EXTRACT(YEAR FROM text)"], "not supported for text; DATE(column) makes dates of it"),
    ],
)
def test_refusals(options: list[str], message: str, capsys: Capture) -> None:
    assert main([*COMMAND, *options]) == 2
    assert message in capsys.readouterr().err
