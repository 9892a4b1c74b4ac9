"""Functions on frames: arguments, and function names in errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed

FRAME = fixed(400).with_columns(object=pl.Series([object()] * 400, dtype=pl.Object))
PLAIN = FRAME.drop("object")

CALLS: dict[str, Callable[..., pl.DataFrame | pl.LazyFrame]] = {
    "report": lambda frame, label="label", score="score", by="key": pa.report(frame, label, score, by=by),
    "compare_segments": lambda frame, label="label", score="score", by="key": pa.compare_segments(
        frame, label, score, by
    ),
    "curve_points": lambda frame, label="label", score="score", by="key": pa.curve_points(
        frame, pa.roc_curve(label, score), by
    ),
    "group_states": lambda frame, label="label", score="score", by="g": pa.group_states(
        frame, label, score, by=by
    ),
}
EVERY = pytest.mark.parametrize("name", CALLS)


class Table:
    """A table of another library."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


@EVERY
def test_tables_of_other_libraries(name: str) -> None:
    expected = CALLS[name](PLAIN)
    for frame in (PLAIN.lazy(), Table(PLAIN)):
        assert_frame_equal(CALLS[name](frame).lazy().collect(), expected)


@EVERY
def test_tables_that_cannot_be_read(name: str) -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            raise ImportError("no module pyarrow")

    message = f"{name}: the frame, a .*Broken, cannot be read as an Arrow table: .*. Hint: write pl.DataFrame"
    with pytest.raises(TypeError, match=message):
        CALLS[name](Broken())


@EVERY
@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (3, r"got int. Hint: write pl.DataFrame\(\{"),
        (None, r"got NoneType. Hint: write pl.DataFrame\(\{"),
        ("rows.parquet", r"got str. Hint: write pl.scan_parquet\('rows.parquet'\)"),
        ([PLAIN], r"got list. Hint: write pl.DataFrame\(\{"),
        ({"label": [1]}, r"got dict. Hint: write pl.DataFrame\(\{"),
        (np.zeros((3, 2)), r"got numpy.ndarray. Hint: write pl.DataFrame\(\{"),
        (PLAIN["score"], r"got polars.*Series. Hint: write pl.DataFrame\(\{"),
        (PLAIN.group_by("key"), "got polars.*GroupBy. Hint: write the frame itself, and its groups as by="),
    ],
    ids=lambda frame: type(frame).__name__,
)
def test_what_is_no_frame(name: str, frame: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{name}: frame must be a DataFrame or a LazyFrame, {message}"):
        CALLS[name](frame)


def test_an_old_pandas_frame_has_a_hint() -> None:
    """Before 2.2, pandas has no Arrow interface."""
    frame = type("DataFrame", (), {"__module__": "pandas.core.frame"})()
    message = r"got pandas.core.frame.DataFrame. Hint: write pl.from_pandas\(frame\)"
    with pytest.raises(TypeError, match=message):
        pa.report(frame, "label", "score")


@EVERY
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"label": "nope"}, 'unable to find column "nope"'),
        ({"score": "nope"}, 'unable to find column "nope"'),
        ({"label": "key"}, r'(roc_curve: )?label "key" has dtype str'),
        ({"score": "key"}, r'(roc_curve: )?score "key" has dtype str'),
        ({"by": "nope"}, "by has the unknown column 'nope'"),
        ({"by": "object"}, "by names the column 'object' of dtype Object, which cannot be grouped"),
    ],
    ids=str,
)
def test_errors_begin_with_the_name_that_was_called(name: str, columns: dict[str, str], message: str) -> None:
    with pytest.raises(pl.exceptions.PolarsError, match=f"^{name}: {message}"):
        CALLS[name](FRAME, **columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ci": "wald"}, "report: ci must be one of"),
        ({"level": 2}, "report: level must lie between 0 and 1"),
        ({"seed": 1}, "report: seed applies to the bootstrap only, and ci is 'wilson'"),
        ({"adjust": "tukey"}, "report: adjust must be one of"),
        (
            {"by": "key", "versus": None, "folds": 3},
            "report: folds must be one column name or expression, got int",
        ),
        ({"by": "key", "versus": "best of all", "adjust": "tukey"}, "report: adjust must be one of"),
        ({"by": "g", "versus": "best"}, "report: versus must be one of"),
    ],
)
def test_options_of_a_report(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{message}"):
        pa.report(PLAIN, "label", "score", **options)


def test_pandas() -> None:
    frame = pandas.DataFrame({"y": [1, 0, 1, 0], "s": [4.0, 3.0, 2.0, 1.0], "k": ["a", "a", "b", "b"]})
    assert pa.report(frame, "y", "s", by="k")["auc"].to_list() == [1.0, 1.0, 0.75]


@pytest.mark.parametrize("by", ["k", ()])
def test_errors_of_rows_name_what_the_user_called(by: str | tuple[()]) -> None:
    rows = pl.DataFrame(
        {"y": [1, 0, 2, 0], "s": [4.0, 3.0, 2.0, 1.0], "k": ["a", "a", "b", "b"], "t": [1] * 4}
    )
    for frame in (
        pa.report(rows.lazy(), "y", ["s", "t"], by=by, compare=True),
        pa.report(rows.lazy(), "y", "s", folds="t"),
    ):
        with pytest.raises(pl.exceptions.ComputeError, match='message: report: label "y" contains 2'):
            frame.collect()
    with pytest.raises(pl.exceptions.ComputeError, match=r'^compare_segments: label "y" contains 2'):
        pa.compare_segments(rows, "y", "s", "k")
    # A later expression has its name again.
    with pytest.raises(pl.exceptions.ComputeError, match='message: roc_auc: label "y" contains 2'):
        rows.select(pa.roc_auc("y", "s"))
