"""Reports of rows with contiguous groups, and of partitions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import polars.selectors as cs
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc._commands.main import main
from polars_auc._frames import runs

Capture = pytest.CaptureFixture[str]
OPTIONS = ["--label", "label", "--score", "score", "--score", "other"]


@pytest.fixture(autouse=True, params=[3, 200, 1_000_000])
def batch_rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Test batches within a group, over several groups, and of all rows."""
    monkeypatch.setattr(runs, "_BATCH_ROWS", request.param)
    return int(request.param)


def rows(n: int = 600) -> pl.DataFrame:
    # Null is a group like any other.
    return fixed(n).with_columns(h=pl.when(pl.col("g") % 3 > 0).then(pl.col("g") % 3))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    ("by", "sorted_by"),
    [(["g"], "g"), (["h"], "h"), (["h", "g"], ["h", "g"]), (["g", "h"], ["h"]), (["h", "fold"], ["h"])],
)
def test_the_same_report(by: list[str], sorted_by: Any, descending: bool) -> None:
    columns = [sorted_by] if isinstance(sorted_by, str) else sorted_by
    frame = rows().with_columns(fold=pl.int_range(pl.len()) % 3).sort(columns, descending=descending)
    options: dict[str, Any] = {"by": by, "compare": True, "folds": "key", "ci": "logit"}
    plan = pa.report(frame.lazy(), "label", ["score", "other"], **options, sorted_by=sorted_by)
    expected = pa.report(frame, "label", ["score", "other"], **options)
    assert plan.collect_schema() == expected.collect_schema()
    assert_frame_equal(plan.collect(), expected, check_exact=True)


def test_rows_in_clusters() -> None:
    frame = rows().with_columns(patient=pl.int_range(pl.len()) % 900).sort("g")
    options: dict[str, Any] = {"by": "g", "compare": True, "cluster": "patient"}
    plan = pa.report(frame.lazy(), "label", ["score", "other"], **options, sorted_by="g")
    expected = pa.report(frame, "label", ["score", "other"], **options)
    assert expected["delta_auc_p_adjusted"].null_count() < expected.height
    assert_frame_equal(plan.collect(), expected, check_exact=True)


def test_rows_with_weights() -> None:
    frame = rows().with_columns(w=pl.int_range(pl.len()) % 5 + 1.0).sort("g")
    plan = pa.report(frame.lazy(), "label", ["score", "other"], by="g", weight="w", sorted_by="g")
    expected = pa.report(frame, "label", ["score", "other"], by="g", weight="w")
    assert_frame_equal(plan.collect(), expected, check_exact=True)


def test_values_in_runs_of_any_order() -> None:
    """Any order of contiguous groups is allowed; infinities, NaN, null and text are values."""
    values = [2.5, None, math.nan, -math.inf, 0.0, math.inf]
    frame = pl.concat([rows(60).with_columns(k=pl.lit(value, dtype=pl.Float64)) for value in values])
    expected = pa.report(frame, "label", "score", by="k")
    assert_frame_equal(pa.report(frame, "label", "score", by="k", sorted_by="k"), expected, check_exact=True)
    for dtype in (pl.String, pl.Categorical):
        words = frame.with_columns(pl.col("k").cast(pl.String).cast(dtype))
        expected = pa.report(words, "label", "score", by="k")
        got = pa.report(words, "label", "score", by="k", sorted_by="k")
        assert_frame_equal(got, expected, check_exact=True)


def test_what_an_expression_makes_of_a_group_and_of_all_rows() -> None:
    frame = rows().sort("g")
    above = (pl.col("score") - pl.col("score").mean()).alias("above")
    late = (pl.col("other") > pl.col("other").median()).alias("late")
    expected = pa.report(frame, late, [above, "score"], by="g")
    assert_frame_equal(
        pa.report(frame, late, [above, "score"], by="g", sorted_by="g"), expected, check_exact=True
    )


@pytest.mark.parametrize(
    "label",
    [
        pl.nth(1),
        cs.by_name("label"),
        cs.starts_with("lab") == 1,
        pl.col("^label$"),
        pl.struct(cs.all()).struct.field("label"),
        pl.col("other").sort_by(pl.nth(2)) > 0,
        pl.len() * pl.col("score") > 20,
    ],
)
def test_columns_without_a_name(label: Any) -> None:
    """A selector selects the same columns as on the whole frame, also with unused columns."""
    frame = rows().select("key", "label", "g", "score", "other", "h").sort("g")
    expected = pa.report(frame, label, "score", by="g", count=cs.by_name("g"))
    got = pa.report(frame, label, "score", by="g", count=cs.by_name("g"), sorted_by="g")
    assert_frame_equal(got, expected, check_exact=True)
    assert_frame_equal(
        pa.report(frame, label, "score", by="g", sorted_by="g"),
        pa.report(frame, label, "score", by="g"),
        check_exact=True,
    )


def test_no_row() -> None:
    frame = rows().sort("g").clear()
    expected = pa.report(frame, "label", "score", by="g")
    assert_frame_equal(pa.report(frame, "label", "score", by="g", sorted_by="g"), expected)


@pytest.mark.parametrize("after", [1, 100, 1999])
def test_a_group_that_comes_again_is_refused(after: int) -> None:
    """The error does not depend on batches or on the size of the group."""
    frame = rows(2000).sort("g")
    moved = pl.concat([frame[after:], frame[:after]])
    assert moved["g"].rle().len() == frame["g"].n_unique() + 1
    message = (
        r"report: sorted_by is \['g'\], but rows of '\d+' come again after other rows. Hint: leave sorted_by"
    )
    with pytest.raises(pl.exceptions.ComputeError, match=message):
        pa.report(moved, "label", "score", by="g", sorted_by="g")


def test_messages_of_other_faults() -> None:
    frame = rows().sort("g").with_columns(label=pl.lit(2))
    with pytest.raises(pl.exceptions.ComputeError, match='report: label "label" contains 2'):
        pa.report(frame, "label", "score", by="g", sorted_by="g")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sorted_by": "h"}, "sorted_by has the unknown column 'h'; expected one of by: 'g'"),
        ({"sorted_by": "g", "versus": "rest"}, "versus cannot be combined with sorted_by"),
        ({"sorted_by": "g", "groupings": "each"}, "groupings cannot be combined with sorted_by"),
        ({"sorted_by": "g", "stability": "label"}, "stability cannot be combined with sorted_by"),
        ({"sorted_by": "g", "memory": "bounded"}, "memory cannot be combined with sorted_by"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"report: {message}"):
        pa.report(rows(), "label", "score", by="g", **options)
    with pytest.raises(TypeError, match="report: by must be column names, got"):
        pa.report(rows(), "label", "score", by="g", sorted_by=3)  # type: ignore[arg-type]


def written(tmp_path: Path, *arguments: str) -> pl.DataFrame:
    output = tmp_path / "report.parquet"
    assert main(["report", *arguments, *OPTIONS, "--quiet", "-o", str(output)]) == 0
    return pl.read_parquet(output)


def test_sorted_files(tmp_path: Path, capsys: Capture) -> None:
    """The order is over all files by name, also with a filter."""
    frame = rows().sort("h", "g")
    frame[:270].write_parquet(tmp_path / "a.parquet")
    frame[270:].write_parquet(tmp_path / "b.parquet")
    files = str(tmp_path / "?.parquet")
    for options in (["--by", "h"], ["--by", "h", "--by", "g"], ["--by", "g", "--by", "h + 1 AS h1"]):
        kept = [*options, "--where", "score > 0", "--compare", "--folds", "key"]
        expected = written(tmp_path, files, *kept)
        claimed = [options[-1].partition(" AS ")[2] or "h"]
        got = written(tmp_path, files, *kept, *(f"--sorted-by={name}" for name in claimed))
        assert_frame_equal(got, expected, check_exact=True)
    capsys.readouterr()
    turned = [str(tmp_path / "b.parquet"), str(tmp_path / "a.parquet")]
    assert main(["report", *turned, *OPTIONS, "--by", "h", "--sorted-by", "h"]) == 2
    assert capsys.readouterr().err.startswith("polars-auc: --sorted-by is ['h'], but rows of '")
    for options, message in (
        (
            ["--by", "h", "--sorted-by", "g"],
            "--sorted-by has the unknown column 'g'; expected one of --by: 'h'",
        ),
        (["--sorted-by", "g"], "--sorted-by names 'g', and there is no --by"),
        (
            ["--by", "h", "--sorted-by", "h", "--versus", "rest"],
            "--versus cannot be combined with --sorted-by",
        ),
        (["--by", "h", "--sorted-by", "h", "--bounded"], "--bounded cannot be combined with --sorted-by"),
    ):
        assert main(["report", files, *OPTIONS, *options]) == 2
        assert message in capsys.readouterr().err


def pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that records the rows of each aggregated part."""
    sizes: list[int] = []
    parts = runs.Runs._parts

    def counted(self: Any, rows: pl.LazyFrame) -> Any:
        for part in parts(self, rows):
            sizes.append(part.height)
            yield part

    monkeypatch.setattr(runs.Runs, "_parts", counted)
    return sizes


@pytest.mark.parametrize("by", [["g"], ["h"], ["h", "g"], ["g", "fold"]])
def test_partitions(by: list[str], batch_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Partitions of a group are contiguous, even if their folders are not."""
    frame = rows().with_columns(h=pl.col("g") % 3, fold=pl.int_range(pl.len()) % 3)
    frame.write_parquet(tmp_path / "set", partition_by=["h", "g"], mkdir=True)
    frame.write_parquet(tmp_path / "rows.parquet")
    sizes = pieces(monkeypatch)
    options = [option for key in by for option in ("--by", key)]
    expected = written(tmp_path, str(tmp_path / "rows.parquet"), *options)
    assert sizes == []
    got = written(tmp_path, str(tmp_path / "set"), *options)
    assert_frame_equal(got, expected.cast({key: got.schema[key] for key in by}), check_exact=True)
    partitions = [key for key in by if key != "fold"]
    if batch_rows < 10:
        largest = max(frame.group_by(partitions).len()["len"].to_list())
        assert largest <= max(sizes) < largest + 2 * batch_rows
    assert sum(sizes) == frame.height


def test_folders_of_one_value_in_two_spellings(tmp_path: Path) -> None:
    """The texts 1, 01 and 1.0 are different groups."""
    frame = rows().filter(pl.col("g") > 0)
    for folder, part in (("g=01", 1), ("g=1", 1), ("g=02", 2), ("g=1.0", 1)):
        (tmp_path / "set" / folder).mkdir(parents=True)
        frame.filter(g=part).drop("g").write_parquet(tmp_path / "set" / folder / "x.parquet")
    got = written(tmp_path, str(tmp_path / "set"), "--by", "g")
    parts = [
        frame.filter(g=part).with_columns(g=pl.lit(text))
        for text, part in (("01", 1), ("1", 1), ("02", 2), ("1.0", 1))
    ]
    expected = pa.report(pl.concat(parts), "label", ["score", "other"], by="g")
    assert_frame_equal(got, expected, check_exact=True)


def test_partitions_with_other_files(tmp_path: Path) -> None:
    frame = rows().with_columns(pl.col("g").cast(pl.Int64))
    frame[:1000].write_parquet(tmp_path / "set", partition_by="g", mkdir=True)
    frame[1000:].write_parquet(tmp_path / "rest.parquet")
    frame.write_parquet(tmp_path / "rows.parquet")
    got = written(tmp_path, str(tmp_path / "set"), str(tmp_path / "rest.parquet"), "--by", "g")
    assert_frame_equal(got, written(tmp_path, str(tmp_path / "rows.parquet"), "--by", "g"), check_exact=True)


def test_groups_that_are_left_out(tmp_path: Path, capsys: Capture) -> None:
    """The other groups remain contiguous."""
    frame = rows().with_columns(
        label=pl.when(pl.col("g") == 3).then(2).otherwise(pl.col("label").cast(pl.Int8))
    )
    frame.write_parquet(tmp_path / "set", partition_by="g", mkdir=True)
    output = tmp_path / "report.parquet"
    arguments = ["report", str(tmp_path / "set"), *OPTIONS, "--by", "g", "-o", str(output)]
    assert main(arguments) == 2
    assert 'polars-auc: label "label" contains 2' in capsys.readouterr().err
    for sorted_by in ([], ["--sorted-by", "g"]):
        assert main([*arguments, *sorted_by, "--keep-going"]) == 3
        expected = pa.report(frame.filter(pl.col("g") != 3), "label", ["score", "other"], by="g")
        got = pl.read_parquet(output)
        assert_frame_equal(got, expected.cast({"g": got.schema["g"]}), check_exact=True)
