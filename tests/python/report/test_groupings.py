"""Reports of several groupings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import assert_report_of_rows, fixed
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]

SETS: dict[Any, list[list[str]]] = {
    "each": [["h"], ["g"]],
    "rollup": [["h", "g"], ["h"]],
    "cube": [["h", "g"], ["h"], ["g"]],
}


def rows() -> pl.DataFrame:
    # A group with a null key, and rows over all values of the column.
    return fixed(3000).with_columns(
        h=pl.when(pl.col("g") % 3 > 0).then(pl.col("g") % 3), other=-pl.col("score")
    )


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("groupings", [*SETS, (("g", "h"), ("g",))])
def test_each_grouping_is_a_separate_report(groupings: Any, engine: Any) -> None:
    options: dict[str, Any] = {"versus": "rest", "adjust": "bh", "compare": True}
    plan = pa.report(
        rows().lazy(), "label", ["score", "other"], by=["h", "g"], groupings=groupings, **options
    )
    table = plan.collect(engine=engine)
    assert table.schema == plan.collect_schema()
    sets = SETS.get(groupings, [["h", "g"], ["g"]])
    names = [", ".join(some) for some in sets]
    assert table["grouping"].drop_nulls().unique(maintain_order=True).to_list() == names
    for some, name in zip(sets, names, strict=True):
        separate = pa.report(rows(), "label", ["score", "other"], by=some, **options)
        # P-values are adjusted over all groupings.
        family_columns = pl.selectors.starts_with("heterogeneity", "within") | pl.selectors.ends_with(
            "p_adjusted"
        )
        expected = separate.filter(scope="group").drop(family_columns)
        got = table.filter(grouping=name)
        assert_frame_equal(got.select(expected.columns), expected)
        rolled_up = [key for key in ("h", "g") if key not in some]
        assert all(got[key].null_count() == got.height for key in rolled_up)
    assert table.filter(scope="overall").height == 2
    for before, after in (("delta_auc_p_value", "delta_auc_p_adjusted"), ("p_value", "p_adjusted")):
        adjusted = table.select(pa.adjust_p_values(before, method="bh")).to_series()
        assert table[after].to_list() == adjusted.to_list()


def test_states_and_bounded_reports() -> None:
    by = ["h", "g"]
    expected = pa.report(rows(), "label", "score", by=by, groupings="cube")
    bounded = pa.report(rows(), "label", "score", by=by, groupings="cube", memory="bounded", max_bins=2**20)
    assert_report_of_rows(bounded, expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": [], "groupings": "each"}, "groupings need columns in by"),
        ({"groupings": "all"}, "groupings must be one of 'each', 'rollup', 'cube', got 'all'"),
        ({"groupings": ["g", "h"]}, "or lists of columns, got 'g' in it"),
        (
            {"groupings": [["g"], ["x"]]},
            "groupings have the unknown column 'x'; expected one of by: 'h', 'g'",
        ),
        ({"groupings": [["g"]]}, "by has 'h', which is in no grouping"),
        ({"groupings": [["g", "h"], ["h", "g"]]}, "lists of columns, each once"),
        ({"groupings": []}, "lists of columns, each once"),
        ({"groupings": 3}, "groupings must be 'each', 'rollup', 'cube' or lists of columns, got 3"),
        (
            {"groupings": "each", "versus": "previous", "along": "g"},
            'versus must be "rest", "pooled_rest" or "overall"',
        ),
        ({"by": ["g", "a, b"], "groupings": "each"}, "'a, b' has one in its name"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    frame = rows().with_columns(pl.lit(1).alias("a, b"))
    with pytest.raises(ValueError, match=f"report: .*{message}"):
        pa.report(frame, "label", "score", **{"by": ["h", "g"], **options})


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    rows().with_columns(y=pl.col("label").cast(pl.Int8)).filter(pl.col("g") < 4).write_parquet("a.parquet")
    by = ["--by", "h", "--by", "g", "--groupings", "rollup"]
    return ["report", "a.parquet", "--label", "y", "--score", "score", *by]


def test_the_command(report: list[str], capsys: Capture) -> None:
    assert main([*report, "-o", "out.parquet"]) == 0
    frame = pl.read_parquet("a.parquet")
    expected = pa.report(frame, "y", "score", by=["h", "g"], groupings="rollup")
    assert_frame_equal(pl.read_parquet("out.parquet"), expected)
    assert " (all) " in capsys.readouterr().out
    assert main([*report, "-o", "out.csv", "--compare-to", "out.parquet"]) == 0
    changes = pl.read_csv("out.csv")
    assert changes["change"].drop_nulls().unique().to_list() == [0.0]
    assert changes["previous_n"].to_list() == expected["n"].to_list()
    capsys.readouterr()


def test_a_gate_is_about_groupings_by_its_columns(report: list[str], capsys: Capture) -> None:
    """A row over all values of a column is not a group with a null key, and is not undefined."""
    assert main([*report, "--quiet", "--fail-if", "g = 1 AND auc > 2"]) == 0
    stderr = capsys.readouterr().err
    groups = pl.read_parquet("a.parquet").select("h", "g").n_unique()
    assert f"is about {groups} rows (groups): it holds in none" in stderr
    assert main([*report, "--quiet", "--fail-if", "grouping = 'h' AND auc > 2"]) == 0
    assert "(groups): it holds in none" in capsys.readouterr().err
    assert main(["report", "a.parquet", "--label", "y", "--score", "score", "--groupings", "each"]) == 2
    assert "--groupings need columns in --by. Hint: write a --by" in capsys.readouterr().err


def test_the_forest_names_the_columns_of_each_group() -> None:
    frame = rows().filter(pl.col("g") < 4)
    chart = pa.plot_forest(pa.report(frame, "label", "score", by=["h", "g"], groupings="cube")).to_dict()
    names = {value["group"] for values in chart["datasets"].values() for value in values}
    assert {"h = 1, g = 1", "h = 1", "g = 1", "h = null"} <= names


def test_a_page_and_a_table_of_markdown(report: list[str], capsys: Capture) -> None:
    for kind in ("html", "md"):
        assert main([*report, "--quiet", "-o", f"out.{kind}"]) == 0
        assert "(all)" in Path(f"out.{kind}").read_text(encoding="utf-8")
    capsys.readouterr()
