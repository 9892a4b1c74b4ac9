"""Functions on frames return an eager frame for an eager one, and a lazy frame for a lazy one."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import polars as pl
import pyarrow as pa_arrow
import pytest

import polars_auc as pa
from polars_auc._frames.inputs import IntoFrame

ROWS = pl.DataFrame(
    {
        "y": [0, 1, 0, 1, 1, 0, 0, 1],
        "s": [1, 2, 3, 4, 1, 2, 3, 4],
        "g": ["a", "b"] * 4,
        "modality": ["old"] * 4 + ["new"] * 4,
        "case": [1, 2, 3, 4, 2, 1, 3, 4],
    }
)
REPORT = pa.report(ROWS.lazy(), "y", "s", by="g").collect()

ON_FRAMES: dict[str, tuple[pl.DataFrame, Callable[[IntoFrame], object]]] = {
    "report": (ROWS, lambda frame: pa.report(frame, "y", "s", by="g")),
    "report(memory=)": (ROWS, lambda frame: pa.report(frame, "y", "s", by="g", memory="bounded")),
    "compare_reports": (REPORT, lambda frame: pa.compare_reports(frame, REPORT.lazy())),
    "compare_segments": (ROWS, lambda frame: pa.compare_segments(frame, "y", "s", "g")),
    "curve_points": (ROWS, lambda frame: pa.curve_points(frame, pa.roc_curve("y", "s"), "g")),
    "group_states": (ROWS, lambda frame: pa.group_states(frame, "y", "s", by="g")),
    "roc_auc_in_passes": (ROWS, lambda frame: pa.roc_auc_in_passes(frame, "y", "s")),
    "mrmc_roc_auc": (
        ROWS,
        lambda frame: pa.mrmc_roc_auc(frame, "y", "s", reader=pl.lit(1), modality="modality", case="case"),
    ),
}


@pytest.mark.parametrize("name", ON_FRAMES)
def test_the_answer_is_eager_if_and_only_if_the_frame_is(name: str) -> None:
    rows, function = ON_FRAMES[name]
    eager, lazy = function(rows), function(rows.lazy())
    assert isinstance(eager, pl.DataFrame)
    assert isinstance(lazy, pl.LazyFrame)
    assert eager.equals(lazy.collect())


@pytest.mark.parametrize("convert", [pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
@pytest.mark.parametrize("name", ON_FRAMES)
def test_a_table_of_another_library_gives_an_eager_frame(
    name: str, convert: Callable[[pl.DataFrame], pd.DataFrame | pa_arrow.Table]
) -> None:
    rows, function = ON_FRAMES[name]
    answer = function(convert(rows))
    assert isinstance(answer, pl.DataFrame)
    assert answer.columns == REPORT.columns or name != "report"


def test_type_checkers_know_which_frame_it_is() -> None:
    # mypy checks these annotations.
    eager: pl.DataFrame = pa.report(ROWS, "y", "s")
    lazy: pl.LazyFrame = pa.report(ROWS.lazy(), label="y", scores="s", level=0.9)
    from_arrow: pl.DataFrame = pa.compare_segments(ROWS.to_arrow(), "y", "s", "g")
    by_name: pl.DataFrame = pa.curve_points(frame=ROWS, curve=pa.roc_curve("y", "s"))
    assert eager.height == from_arrow.height - 1 == lazy.collect().height == 1
    assert by_name.columns[0] == "point"


def test_an_error_of_rows_is_raised_at_once_and_names_the_function() -> None:
    with pytest.raises(pl.exceptions.PolarsError, match=r"^report: .*label"):
        pa.report(ROWS, "s", "s")
