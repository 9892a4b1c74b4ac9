"""``polars-auc gains``, ``thresholds`` and ``compare``."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal, assert_series_equal

import polars_auc as pa
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]
DATA = Path(__file__).parents[3] / "data"
ROWS = pl.scan_parquet(DATA / "*.parquet")
SCORES = ["forest", "tree"]
FILES_AND_COLUMNS = [str(DATA), "--label", "label", "--score", "forest", "--score", "tree", "--by", "segment"]


def written(tmp_path: Path, *arguments: str) -> pl.DataFrame:
    """Return the written table of a command."""
    output = tmp_path / "out.parquet"
    assert main([*arguments, "--quiet", "-o", str(output)]) == 0
    return pl.read_parquet(output)


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        ([], {}),
        (["--bands", "4"], {"bands": 4}),
        (["--edges", "0.1,0.5,1"], {"edges": [0.1, 0.5, 1]}),
        (["--calibration"], {"calibration": True}),
    ],
)
def test_gains(tmp_path: Path, options: list[str], keywords: dict[str, object]) -> None:
    table = written(tmp_path, "gains", *FILES_AND_COLUMNS, *options)
    curves = [pa.gains_table("label", score, **keywords) for score in SCORES]  # type: ignore[arg-type]
    assert table.equals(pa.curve_points(ROWS, curves, "segment").collect().drop("point"))


def test_thresholds(tmp_path: Path) -> None:
    for options, keywords in (
        ([], {}),
        (["--criterion", "target_fpr", "--target", "0.1"], {"criterion": "target_fpr", "target": 0.1}),
        (
            ["--criterion", "cost", "--cost", "5", "--prevalence", "0.01"],
            {"criterion": "cost", "cost": 5, "prevalence": 0.01},
        ),
        (["--criterion", "max_f", "--beta", "2"], {"criterion": "max_f", "beta": 2}),
    ):
        table = written(tmp_path, "thresholds", *FILES_AND_COLUMNS, *options)
        for score in SCORES:
            best = ROWS.group_by("segment").agg(pa.operating_point("label", score, **keywords))  # type: ignore[arg-type]
            expected = best.sort("segment").unnest(score).collect()
            assert table.filter(pl.col("score") == score).drop("score").equals(expected)


def test_compare(tmp_path: Path) -> None:
    three = [*FILES_AND_COLUMNS, "--score", "logistic"]
    for options, keywords in (
        ([], {}),
        (
            ["--against-first", "--adjust", "none", "--level", "0.9"],
            {"reference": 0, "adjust": None, "level": 0.9},
        ),
    ):
        table = written(tmp_path, "compare", *three, *options)
        tests = ROWS.group_by("segment").agg(pa.compare_scores("label", *SCORES, "logistic", **keywords))  # type: ignore[arg-type]
        pairs = tests.sort("segment").select("segment", pl.col("forest").struct.field("differences"))
        expected = pairs.explode("differences").unnest("differences").collect()
        if keywords:
            # The first score is the reference, the second name of these pairs.
            expected = expected.rename({"score_a": "second", "score_b": "first"})
        else:
            # The expression computes first minus second.
            flipped = {"difference": "difference", "lower": "upper", "upper": "lower", "z": "z"}
            expected = expected.rename({"score_a": "first", "score_b": "second"}).with_columns(
                (-pl.col(other)).alias(name) for name, other in flipped.items()
            )
        columns = ["segment", "first", "second", "difference", "se", "lower", "upper", "z", "p_value"]
        assert_frame_equal(table.select(columns), expected.select(columns), abs_tol=1e-12)
        for side in ("first", "second"):
            for row in table.iter_rows(named=True):
                rows = ROWS.filter(pl.col("segment") == row["segment"])
                assert rows.select(pa.roc_auc("label", row[side])).collect().item() == row[f"{side}_auc"]
        # Second minus first, as in a report.
        assert_series_equal(
            table["difference"], table["second_auc"] - table["first_auc"], check_names=False, abs_tol=1e-12
        )
        # The command adjusts over all segments, the expression within one segment.
        adjusted = pa.adjust_p_values("p_value") if not keywords else pl.col("p_value")
        assert table["p_adjusted"].equals(table.select(adjusted).to_series())


def test_states_give_the_tables_of_their_rows(tmp_path: Path) -> None:
    states = tmp_path / "states.parquet"
    assert main(["state", *FILES_AND_COLUMNS, "-o", str(states)]) == 0
    for command in ("gains", "thresholds"):
        from_states = written(tmp_path, command, str(states), "--from-states", "--by", "segment")
        assert from_states.equals(written(tmp_path, command, *FILES_AND_COLUMNS))


def test_counts_and_conditions(tmp_path: Path) -> None:
    rows = pl.DataFrame(
        {"y": [0, 1, 0, 1], "s": [1, 2, 2, 3], "n": [3, 1, 2, 5], "part": ["a", "a", "a", "b"]}
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = [
        str(tmp_path / "rows.parquet"),
        "--label",
        "y",
        "--score=-s",
        "--count",
        "n",
        "--where",
        "part = 'a'",
    ]
    table = written(tmp_path, "gains", *arguments, "--bands", "2")
    repeated = rows.filter(part="a").select(pl.col("y", "s").repeat_by("n").explode())
    expected = pa.curve_points(repeated, pa.gains_table("y", -pl.col("s"), bands=2)).drop("point")
    assert table.drop("score").equals(expected)


def test_what_is_printed(tmp_path: Path, capsys: Capture) -> None:
    for command, heads in (
        ("gains", "segment score band highest lowest n n_pos rate gain lift ks"),
        ("thresholds", "segment score threshold tpr fpr precision n_pos n_neg"),
        ("compare", "segment first second first_auc second_auc difference lower upper p_adjusted"),
    ):
        assert main([command, *FILES_AND_COLUMNS, "--limit", "3"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[1].replace("│", " ").replace("┆", " ").split() == heads.split()
        table = written(tmp_path, command, *FILES_AND_COLUMNS)
        assert len(lines) == 4 + min(3, table.height) + 1
        more = f"{table.height - 3} more: --limit {table.height} prints all, and -o FILE writes all"
        assert lines[-1] == more
        capsys.readouterr()
        assert main([command, *FILES_AND_COLUMNS, "--wide"]) == 0
        header = capsys.readouterr().out.splitlines()[1]
        assert header.replace("│", " ").replace("┆", " ").split() == table.columns


def test_small_scores_are_not_printed_as_zero(tmp_path: Path, capsys: Capture) -> None:
    pl.DataFrame({"y": [0, 1], "s": [1e-7, 2.5e-7]}).write_parquet(tmp_path / "rows.parquet")
    for command in ("gains", "thresholds"):
        assert main([command, str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s"]) == 0
        assert "2.5e-07" in capsys.readouterr().out


def test_groups_without_a_table_are_counted(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.DataFrame({"g": ["a", "a", "b", "b"], "y": [0, 1, 1, 1], "s": [1.0, 2, 3, 4]})
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = [str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--by", "g"]
    assert main(["gains", *arguments]) == 0
    output = capsys.readouterr()
    assert output.err.startswith("polars-auc: 1 of 2 tables left out: each needs a positive and a negative")
    assert "b" not in [line.split()[1] for line in output.out.splitlines()[3:-1]]
    assert main(["thresholds", *arguments]) == 0
    assert "-" in capsys.readouterr().out.splitlines()[-2]
    assert main(["gains", *arguments, "--where", "g = 'b'"]) == 2
    assert "no table" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["gains", *FILES_AND_COLUMNS, "--bands", "0"],
            "polars-auc: --bands must be an integer from 1 to 1000000, got 0",
        ),
        (
            ["gains", *FILES_AND_COLUMNS, "--edges", "1,x"],
            "polars-auc: --edges must be numbers separated by commas",
        ),
        (["gains", *FILES_AND_COLUMNS, "--edges", "2,1"], "polars-auc: --edges must ascend, got [2, 1]"),
        (
            ["gains", *FILES_AND_COLUMNS, "--edges", "1", "--bands", "2"],
            "polars-auc: give --bands or --edges",
        ),
        (["thresholds", *FILES_AND_COLUMNS, "--target", "0.1"], "polars-auc: --target is for"),
        (
            ["thresholds", *FILES_AND_COLUMNS, "--criterion", "max_f", "--cost", "2"],
            "polars-auc: --cost and --prevalence are for",
        ),
        (["compare", *FILES_AND_COLUMNS[:5]], "polars-auc: compare needs two --score or more, got one"),
        (["compare", *FILES_AND_COLUMNS, "--level", "2"], "polars-auc: --level must lie between 0 and 1"),
        (["compare", *FILES_AND_COLUMNS, "--limit", "-1"], "polars-auc: --limit must be a number of rows"),
        (
            ["compare", *FILES_AND_COLUMNS, "--limit", "1", "--quiet"],
            "polars-auc: --limit is about the printed table",
        ),
        (
            ["gains", *FILES_AND_COLUMNS, "--calibration", "--low-is-positive"],
            "polars-auc: --low-is-positive cannot be combined with --calibration",
        ),
        (
            ["gains", *FILES_AND_COLUMNS, "-o", "out.txt"],
            "polars-auc: --output must end in .parquet, .csv, .json, .xlsx, .md",
        ),
    ],
)
def test_refusals(capsys: Capture, arguments: list[str], message: str) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(message)


def test_weights(tmp_path: Path, capsys: Capture) -> None:
    rows = pl.DataFrame(
        {"y": [0, 1, 0, 1, 1], "s": [1, 2, 2, 3, 0], "w": [0.5, 2.0, 1.0, 3.0, 0.25], "g": list("aaabb")}
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    arguments = [str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--weight", "w / 2"]
    half = pl.col("w") / 2
    bands = written(tmp_path, "gains", *arguments, "--bands", "2")
    expected = pa.curve_points(rows, pa.gains_table("y", "s", bands=2, weight=half)).drop("point")
    assert bands.drop("score").equals(expected)
    best = written(tmp_path, "thresholds", *arguments)
    assert best.drop("score").equals(rows.select(pa.operating_point("y", "s", weight=half)).unnest("s"))
    assert main(["gains", *arguments, "--count", "y"]) == 2
    assert "--weight and --count are mutually exclusive" in capsys.readouterr().err
    pair = written(tmp_path, "compare", *arguments, "--score", "w").row(0, named=True)
    [answer] = rows.select(pa.roc_auc_difference("y", "w", "s", weight=half)).to_series()
    for field in ("difference", "se", "lower", "upper", "z", "p_value"):
        assert pair[field] == answer[field], field
    assert main(["gains", *arguments[:1], "--from-states", "--weight", "w"]) == 2
    assert "--weight requires rows" in capsys.readouterr().err


def test_a_glob_into_partitions_keeps_their_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for month in (1, 2, 11):
        folder = tmp_path / "loans" / f"month={month}"
        folder.mkdir(parents=True)
        pl.DataFrame({"y": [0, 1, 0, 1], "s": [1, 2, 3, 3 + month]}).write_parquet(folder / "a.parquet")
    arguments = ["--label", "y", "--score", "s", "--by", "month", "-o", "out.parquet"]
    for names, months in (
        ("loans/month=*/*.parquet", [1, 2, 11, None]),
        ("loans/month=1*/*.parquet", [1, 11, None]),
        (f"{tmp_path}/loans/month=[12]", [1, 2, None]),
        ("loans/*/*.parquet", [1, 2, 11, None]),
    ):
        assert main(["report", names, *arguments]) == 0
        assert pl.read_parquet("out.parquet")["month"].to_list() == months


@pytest.mark.parametrize("command", ["report", "gains", "thresholds", "compare", "curve", "state"])
def test_every_command_knows_partitions(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    for month in (1, 2):
        folder = tmp_path / "loans" / f"month={month}"
        folder.mkdir(parents=True)
        rows = pl.DataFrame({"y": [0, 1, 0, 1], "s": [1, 2, 3, 3 + month], "t": [1, 2, 2, 1]})
        rows.write_parquet(folder / "a.parquet")
        rows.write_csv(folder / "a.csv")
    arguments = ["--label", "y", "--score", "s", "--score", "t", "-o", "out.parquet"]
    assert main([command, "loans/month=*/*.parquet", *arguments, "--by", "month"]) == 0
    assert pl.read_parquet("out.parquet")["month"].drop_nulls().unique().sort().to_list() == [1, 2]
    where = ["--where", "month > 1"]
    assert main([command, "loans/month=*/*.parquet", *arguments, *where]) == 0
    capsys.readouterr()
    # Without a wildcard the error is about one file name.
    for names, instead in (
        ("loans/month=1/a.parquet", ": to make it a column, name the folder 'loans'"),
        ("loans/month=*/*.csv", ", but only folders of Parquet files become columns"),
    ):
        assert main([command, names, *arguments, *where]) == 2
        stderr = capsys.readouterr().err
        assert "--where names the column 'month', which is not in the files" in stderr
        assert stderr.endswith(f"It is in the names of folders{instead}\n")


def test_a_printed_comparison_has_its_level_and_adjustment(capsys: Capture) -> None:
    assert main(["compare", *FILES_AND_COLUMNS, "--level", "0.9", "--adjust", "none"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "polars-auc: intervals: 90 %, by wilson",
        "polars-auc: adjustment of p-values: none",
    ]
    assert main(["compare", *FILES_AND_COLUMNS, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["report", "gains", "thresholds", "compare", "curve"])
def test_a_group_of_null_is_last_in_every_table(tmp_path: Path, command: str) -> None:
    rows = pl.DataFrame({"g": [None, "b", "a"] * 8, "y": [0] * 12 + [1] * 12})
    rows = rows.with_columns(s=pl.int_range(24) * 7 % 11, t=pl.int_range(24) * 5 % 13)
    rows.write_parquet(tmp_path / "rows.parquet")
    out = tmp_path / "t.parquet"
    arguments = [str(tmp_path / "rows.parquet"), "--label", "y", "--score", "s", "--score", "t", "--by", "g"]
    assert main([command, *arguments, *([] if command == "curve" else ["--quiet"]), "-o", str(out)]) == 0
    table = pl.read_parquet(out)
    groups = table if command != "report" else table.filter(scope="group")
    assert groups["g"].unique(maintain_order=True).to_list() == ["a", "b", None]
