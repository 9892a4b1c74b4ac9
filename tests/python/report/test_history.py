"""Reports with a history, and alarms for a decrease of the AUC."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import polars_auc as pa
from polars_auc._cli.refusal import Refusal
from polars_auc._commands.history import History
from polars_auc._commands.lock import file_lock
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]
REPORT = ["report", "rows.parquet", "--label", "y", "--score", "s", "--by", "site"]
HISTORY = ["--history", "history.parquet"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def night(number: int) -> list[str]:
    """Write the rows of a night, where site b gets worse from night 31, and return the command."""
    rng = np.random.default_rng(number)
    site, label = rng.choice(["a", "b"], 600), rng.random(600) < 0.4
    gap = np.where((site == "b") & (number > 30), 0.3, 1.2)
    frame = pl.DataFrame({"site": site, "y": label, "s": rng.normal(size=600) + gap * label})
    frame.write_parquet("rows.parquet")
    return [*REPORT, *HISTORY, "--period", f"night {number:03}", "--quiet"]


def test_a_history_of_nights(capsys: Capture) -> None:
    alarm = ["--fail-if", "alarm AND site IS NOT NULL"]
    codes = [main([*night(number), *alarm]) for number in range(1, 37)]
    # Nights before the test fail; failing nights are also saved.
    assert codes[:3] == [1] * 3
    assert codes[3:30] == [0] * 27
    assert codes[-1] == 1
    assert main([*night(36), "-o", "now.parquet"]) == 0
    now, history = pl.read_parquet("now.parquet"), pl.read_parquet("history.parquet")
    assert history.columns == ["period", "scope", "site", "score", "n", "n_pos", "auc", "se"]
    assert history.height == 3 * 36
    assert now.filter(pl.col("alarm"))["site"].to_list()[0] == "b"
    [since] = now.filter(site="b")["alarm_since"]
    assert since == "night 031"
    n_neg = pl.col("n") - pl.col("n_pos")
    test = pa.always_valid_change("auc", "se", n_pos="n_pos", n_neg=n_neg, alternative="less")
    test = test.over("scope", "site", order_by="period")
    expected = history.with_columns(test.alias("test")).filter(period="night 036")["test"].struct
    for column, field in (("alarm_change", "change"), ("alarm_lower", "lower"), ("alarm_p_value", "p_value")):
        assert_frame_equal(now.select(x=column), pl.DataFrame({"x": expected.field(field)}))
    adjusted = now.select(pa.adjust_p_values("alarm_p_value")).to_series()
    assert now["alarm_p_adjusted"].to_list() == adjusted.to_list()
    assert now["alarm"].to_list() == (adjusted <= 0.05).to_list()
    # A repeated night ignores later nights, and replaces its rows.
    assert main([*night(30), "-o", "again.parquet"]) == 0
    again = pl.read_parquet("again.parquet")
    assert again["alarm"].sum() == 0
    assert_frame_equal(pl.read_parquet("history.parquet"), history)
    capsys.readouterr()


def test_what_is_printed(capsys: Capture) -> None:
    assert main([*night(1)[:-1], "-o", "page.html"]) == 0
    output = capsys.readouterr()
    assert "alarm" in output.out
    assert "'history.parquet' has 1 period, with 'night 001'" in output.err
    assert "The mean AUC so far by period, and its interval" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--history", "history.parquet"], "--history goes with --period, which is missing"),
        (
            [*HISTORY, "--period", " "],
            "--period must be a name, got an empty text. Hint: write --period 2026",
        ),
        (["--period", "may"], "--period goes with --history, which is missing"),
        (["--history", "history.csv", "--period", "may"], "--history must end in .parquet"),
        (["--history", "not/there.parquet", "--period", "may"], "be in the folder 'not', which is not there"),
        (
            ["--history", "rows.parquet", "--period", "may"],
            "'rows.parquet' is not a history of polars-auc report",
        ),
        (["--history", "broken.parquet", "--period", "may"], "cannot read 'broken.parquet'"),
        (
            [*HISTORY, "--period", "may", "--by", "y"],
            "is of reports with --by site, and this one is with --by site, y: their AUCs answer different",
        ),
        (
            [*HISTORY, "--period", "may", "--weight", "s + 9"],
            "is of reports without --weight, and this one is",
        ),
        (
            [*HISTORY, "--period", "may", "--low-is-positive"],
            "without --low-is-positive, and this one is with --low-is-positive: their",
        ),
    ],
)
def test_refusals(capsys: Capture, arguments: list[str], message: str) -> None:
    assert main(night(1)) == 0
    before = Path("history.parquet").read_bytes()
    Path("broken.parquet").write_bytes(b"PAR1 and no more PAR1")
    assert main([*REPORT, *arguments]) == 2
    assert message in capsys.readouterr().err
    assert Path("history.parquet").read_bytes() == before


def test_replacing_an_earlier_night_prints_a_message(capsys: Capture) -> None:
    command = night(1)[:-1]
    assert main(command) == 0
    assert "earlier one" not in capsys.readouterr().err
    assert main(command) == 0
    assert "with 'night 001' in place of the earlier one of this name" in capsys.readouterr().err


def test_the_report_is_not_written_over_by_its_history(capsys: Capture) -> None:
    assert main([*night(1), "-o", "./history.parquet"]) == 2
    assert "--history names the file that the report is written to" in capsys.readouterr().err
    assert not Path("history.parquet").exists()


def periods() -> list[str]:
    return pl.read_parquet("history.parquet")["period"].unique().sort().to_list()


def test_two_reports_at_once_lose_no_night(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process reads the file before the first one writes it."""
    assert main(night(1)) == 0
    locked = History.locked

    def locked_late(history: History) -> Any:
        monkeypatch.setattr(History, "locked", locked)
        assert main([*REPORT, *HISTORY, "--period", "night 002", "--quiet"]) == 0
        return locked(history)

    monkeypatch.setattr(History, "locked", locked_late)
    assert main(night(3)) == 0
    assert periods() == ["night 001", "night 002", "night 003"]
    assert sorted(path.name for path in Path().iterdir()) == ["history.parquet", "rows.parquet"]
    capsys.readouterr()


def test_twelve_reports_at_once_lose_no_night() -> None:
    night(1)
    command = [
        sys.executable,
        "-c",
        "import sys; from polars_auc._commands.main import main; sys.exit(main())",
    ]
    nights = [f"2026-11-{day:02}" for day in range(1, 13)]
    commands = [[*command, *REPORT, *HISTORY, "--period", name, "--quiet"] for name in nights]
    # A new first period needs an option, so write the first one now.
    subprocess.run(commands[0], check=True)
    running = [subprocess.Popen(one, stderr=subprocess.PIPE, text=True) for one in commands[1:]]
    ends = [(process.communicate()[1], process.returncode) for process in running]
    assert ends == [("", 0)] * 11
    assert periods() == nights
    history = pl.read_parquet("history.parquet")
    assert history.height == 12 * 3
    assert history.equals(history.sort("period", maintain_order=True))


def test_a_lock_expires() -> None:
    path = Path("history.parquet")
    with (
        file_lock(path),
        pytest.raises(Refusal, match=r"'history.parquet' has been locked by another process for 0.1 sec"),
        file_lock(path, timeout=0.1),
    ):
        pass
    with file_lock(path):
        pass
    assert not list(Path().iterdir())


def test_the_lock_of_a_process_that_was_killed_is_released() -> None:
    code = "import time; from pathlib import Path; from polars_auc._commands.lock import file_lock\n"
    code += "with file_lock(Path('history.parquet')): print('locked', flush=True); time.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    process.kill()
    process.communicate()
    assert Path(".history.parquet.lock").exists()
    with file_lock(Path("history.parquet"), timeout=5):
        pass
    assert not Path(".history.parquet.lock").exists()


def test_a_group_column_of_the_name_of_the_periods(capsys: Capture) -> None:
    night(1)
    pl.read_parquet("rows.parquet").rename({"site": "period"}).write_parquet("rows.parquet")
    assert main([*REPORT[:-1], "period", *HISTORY, "--period", "may"]) == 2
    assert "the group column 'period' has the name of a column of the history" in capsys.readouterr().err


def test_a_score_that_is_nan_is_of_its_night_alone(capsys: Capture) -> None:
    for number in range(1, 36):
        arguments = night(number)
        if number == 5:
            rows = pl.read_parquet("rows.parquet")
            rows.with_columns(
                s=pl.when(pl.col("site") == "b").then("s").otherwise(float("nan"))
            ).write_parquet("rows.parquet")
        assert main([*arguments, "-o", "now.parquet"]) == (3 if number == 5 else 0)
    now = pl.read_parquet("now.parquet")
    assert now["alarm_p_value"].is_finite().all()
    assert now.filter(site="b")["alarm"].item()
    capsys.readouterr()


def test_a_history_with_two_rows_of_one_night(capsys: Capture) -> None:
    assert main(night(1)) == 0
    metadata = pl.read_parquet_metadata("history.parquet")
    twice = pl.concat([pl.read_parquet("history.parquet")] * 2)
    twice.write_parquet("history.parquet", metadata={"polars_auc.history": metadata["polars_auc.history"]})
    assert main(night(2)) == 2
    assert "has two rows for one period, group and score" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"auc": 1.5}, "'history.parquet' has a row of the period 'night 001', the AUC 1.5 and the standard"),
        ({"se": -1.0}, "the standard error -1.0, with"),
        ({"n_pos": 10_000}, "with 10000 positives in 297 rows, so it is not a history"),
        ({"period": None}, "has a row of the period None"),
        ({"n": "many"}, "'history.parquet' has a column of another dtype than this report"),
    ],
)
def test_a_history_with_wrong_values(capsys: Capture, wrong: dict[str, Any], message: str) -> None:
    assert main(night(1)) == 0
    metadata = pl.read_parquet_metadata("history.parquet")
    rows = pl.read_parquet("history.parquet").with_columns(**{name: pl.lit(it) for name, it in wrong.items()})
    rows.write_parquet("history.parquet", metadata={"polars_auc.history": metadata["polars_auc.history"]})
    assert main(night(2)) == 2
    assert message in capsys.readouterr().err


def rewritten(rows: pl.DataFrame) -> None:
    metadata = pl.read_parquet_metadata("history.parquet")["polars_auc.history"]
    rows.write_parquet("history.parquet", metadata={"polars_auc.history": metadata})


@pytest.mark.parametrize("dtypes", [{"n": pl.Int64, "auc": pl.Float32}, {"period": pl.Categorical}])
def test_a_history_of_another_release_with_other_dtypes(
    dtypes: dict[str, type[pl.DataType]], capsys: Capture
) -> None:
    assert main(night(1)) == 0
    schema = pl.read_parquet_schema("history.parquet")
    rewritten(
        pl.read_parquet("history.parquet").with_columns(
            pl.col(name).cast(dtype) for name, dtype in dtypes.items()
        )
    )
    assert main(night(2)) == 0
    assert pl.read_parquet_schema("history.parquet") == schema
    assert pl.read_parquet("history.parquet")["period"].n_unique() == 2
    capsys.readouterr()


def test_a_history_of_another_release_with_other_columns(capsys: Capture) -> None:
    assert main(night(1)) == 0
    rows = pl.read_parquet("history.parquet")
    for other, message in [
        (rows.drop("se"), "'history.parquet' has no column 'se', so it is of other groups or of another"),
        (rows.with_columns(n_neg=0), "'history.parquet' has a column 'n_neg' too many, so it is of other"),
    ]:
        rewritten(other)
        before = Path("history.parquet").read_bytes()
        assert main(night(2)) == 2
        assert message in capsys.readouterr().err
        assert Path("history.parquet").read_bytes() == before


def report(period: str, *options: str) -> int:
    return main([*REPORT, *HISTORY, "--period", period, *options])


def test_nights_that_are_not_tested_fail(capsys: Capture) -> None:
    night(1)
    gate = ["--fail-if", "alarm", "--baseline", "5"]
    assert report("2026-1", *gate, "-o", "page.html") == 1
    stderr = capsys.readouterr().err
    assert "alarm not tested yet: 1 of 5 periods" in stderr
    assert (
        "it holds in none, and cannot be decided in 3; not tested yet in 3, which --untested pass" in stderr
    )
    page = Path("page.html").read_text(encoding="utf-8")
    assert "Alarm not tested yet: 1 of 5 periods" in page
    assert "Checks that failed: 1 of 1" in page
    assert report("2026-1", *gate, "--untested", "pass", "-o", "now.parquet") == 0
    assert "it holds in none; not tested yet in 3, which pass" in capsys.readouterr().err
    now = pl.read_parquet("now.parquet")
    assert now["alarm"].to_list() == [None] * 3
    assert now.select("alarm_periods", "alarm_baseline").unique().rows() == [(1, 5)]
    # Rows that are undefined for another reason fail.
    both = ["--fail-if", "alarm OR alarm_p_value < 1 / (n - n)"]
    assert report("2026-1", "--untested", "pass", "--fail-if", "p_missing < 1") == 2
    assert report("2026-1", "--untested", "pass", *both) == 0
    capsys.readouterr()
    for period in range(2, 6):
        assert report(f"2026-{period}", *gate) == 1
    assert "alarm not tested yet: 5 of 5 periods" in capsys.readouterr().err
    assert report("2026-6", *gate) == 0
    assert "not tested" not in capsys.readouterr().err


def test_a_group_without_an_area_does_not_pass_for_ever(capsys: Capture) -> None:
    """The test never begins: site c has one positive each night, and so no standard error."""
    for number in range(1, 6):
        night(number)
        one = pl.DataFrame({"site": "c", "y": [True, False, False], "s": [0.3, 0.1, 0.5]})
        pl.concat([pl.read_parquet("rows.parquet"), one]).write_parquet("rows.parquet")
        gate = ["--fail-if", "alarm AND site IS NOT NULL", "--untested", "pass"]
        assert report(f"2026-{number}", *gate) == 1
        stderr = capsys.readouterr().err
        assert "cannot be decided in 1" in stderr
        assert "not tested in 1 without an AUC or its standard error" in stderr


def test_a_monthly_model_that_falls_in_its_twelfth_month(capsys: Capture) -> None:
    rng = np.random.default_rng(1)
    codes = {}
    for month in range(1, 14):
        label = np.arange(550) < 50
        gap = 0.03 if month >= 12 else 2.1
        pl.DataFrame({"y": label, "s": rng.normal(size=550) + gap * label}).write_parquet("rows.parquet")
        arguments = ["report", "rows.parquet", "--label", "y", "--score", "s", *HISTORY, "--fail-if", "alarm"]
        codes[month] = main([*arguments, "--period", f"2026-{month}", "--untested", "pass"])
    assert codes == {month: int(month >= 12) for month in range(1, 14)}
    capsys.readouterr()


def test_the_reference_and_the_weight_of_a_history(capsys: Capture) -> None:
    options = ["--reference", "0.7", "--period-weight", "n_pos * n_neg / n"]
    for number in range(1, 4):
        night(number)
        assert report(f"W{number}", *options, "-o", "now.parquet") == 0
    history, now = pl.read_parquet("history.parquet"), pl.read_parquet("now.parquet")
    n_neg = pl.col("n") - pl.col("n_pos")
    test = pa.always_valid_change(
        "auc",
        "se",
        n_pos="n_pos",
        n_neg=n_neg,
        reference=0.7,
        weight=pl.col("n_pos") * n_neg / pl.col("n"),
        alternative="less",
    )
    expected = history.with_columns(test.over("scope", "site").alias("test")).filter(period="W3")["test"]
    assert now["alarm_p_value"].to_list() == expected.struct.field("p_value").to_list()
    assert now["alarm_change"].to_list() == expected.struct.field("change").to_list()
    assert not now["alarm"].any()
    assert now["alarm_baseline"].to_list() == [0] * 3
    Path("options.toml").write_text("[report]\nreference = 0.9\nbackfill = true\n", encoding="utf-8")
    assert report("W0", "--config", "options.toml", "-o", "now.parquet") == 0
    assert pl.read_parquet("now.parquet")["alarm_change"].max() < 0  # type: ignore[operator]
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--baseline", "3", "--reference", "0.8"], "--baseline cannot be combined with --reference"),
        (["--baseline", "0"], "--baseline must be an integer from 1"),
        (["--reference", "2"], "--reference must be a number from -1 to 1"),
        (["--untested", "maybe"], "--untested must be 'fail' or 'pass', got 'maybe'"),
        (["--period-weight", "auc"], "--period-weight names the column 'auc', which is not in"),
        (
            ["--period-weight", "0 - n"],
            "--period-weight '0 - n' is -297 for a, in the period '2026-1'. Hint: make it 0 or a number from",
        ),
        (["--period-weight", "1 / (n - 297)"], "is inf for a, in the period '2026-1'. Hint: make it 0 or"),
    ],
)
def test_refused_options_of_the_test(capsys: Capture, arguments: list[str], message: str) -> None:
    night(1)
    assert report("2026-1", *arguments) == 2
    assert message in capsys.readouterr().err
    assert not Path("history.parquet").exists()


def test_a_weight_by_size_of_groups_without_rows(capsys: Capture) -> None:
    """A group without used rows has no weight, and does not affect the others."""
    for number in range(1, 6):
        night(number)
        skipped = {"site": ["c"] * 3, "y": [None] * 3, "s": [0.3, 0.1, 0.5]}
        rows = pl.read_parquet("rows.parquet")
        pl.concat([rows, pl.DataFrame(skipped, rows.schema)]).write_parquet("rows.parquet")
        assert report(f"2026-{number}", "--period-weight", "n_pos * n_neg / n", "-o", "now.parquet") == 0
    now = pl.read_parquet("now.parquet").select("site", "alarm", "alarm_periods")
    assert now.rows() == [("a", False, 5), ("b", False, 5), ("c", None, 0), (None, False, 5)]
    capsys.readouterr()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--baseline", "3"],
        ["--reference", "0.8"],
        ["--period-weight", "n"],
        ["--backfill"],
        ["--untested", "pass"],
    ],
)
def test_options_of_a_history_need_one(capsys: Capture, arguments: list[str]) -> None:
    night(1)
    assert main([*REPORT, *arguments]) == 2
    assert f"{arguments[0]} goes with --history, which is missing" in capsys.readouterr().err


def test_a_history_of_an_earlier_release(capsys: Capture) -> None:
    """It has no positives: its test has no lower bound of the variance, and begins after 28 periods."""
    for number in range(1, 5):
        assert main(night(number)) == 0
    metadata = pl.read_parquet_metadata("history.parquet")["polars_auc.history"]
    old = pl.read_parquet("history.parquet").drop("n_pos")
    old.write_parquet("history.parquet", metadata={"polars_auc.history": metadata})
    assert main([*night(5)[:-1], "-o", "now.parquet"]) == 0
    assert "alarm not tested yet: 5 of 28 periods" in capsys.readouterr().err
    assert main([*night(6), "--period-weight", "n_pos"]) == 2
    assert "needs the positives of each period" in capsys.readouterr().err
    assert pl.read_parquet("history.parquet")["n_pos"].null_count() == 12


@pytest.mark.parametrize("kind", ["rows", "states"])
def test_weighted_rows_and_their_states_have_one_baseline(kind: str, capsys: Capture) -> None:
    night(1)
    pl.read_parquet("rows.parquet").with_columns(w=pl.lit(1.5)).write_parquet("rows.parquet")
    arguments = [*REPORT, "--weight", "w"]
    if kind == "states":
        assert main(["state", *arguments[1:], "-o", "states.parquet"]) == 0
        arguments = ["report", "states.parquet", "--from-states", "--by", "site"]
    assert main([*arguments, *HISTORY, "--period", "W1", "-o", "now.parquet"]) == 0
    assert pl.read_parquet("now.parquet")["alarm_baseline"].to_list() == [28] * 3
    capsys.readouterr()


def test_periods_are_in_the_order_of_their_numbers(capsys: Capture) -> None:
    """In lexical order, bad weeks from the tenth on would precede the good ones."""
    codes = {}
    for week in (*range(7, 13), 12):
        night(31 if week >= 10 else 1)
        codes[week] = report(f"W{week}", "--fail-if", "alarm AND site = 'b'", "-o", "now.parquet")
    assert codes == {7: 1, 8: 1, 9: 1, 10: 0, 11: 1, 12: 1}
    now = pl.read_parquet("now.parquet").filter(site="b")
    assert now["alarm_since"].to_list() == ["W10"]
    assert now["alarm_periods"].to_list() == [6]
    history = pl.read_parquet("history.parquet")
    assert history["period"].unique(maintain_order=True).to_list() == [f"W{week}" for week in range(7, 13)]
    assert history["period"].dtype == pl.String
    capsys.readouterr()


@pytest.mark.parametrize(
    ("period", "message"),
    [
        ("Sep 2026", "--period 'Sep 2026' names 'Sep', and letters"),
        (
            "30-09-2026",
            "has the year behind a smaller unit; write the largest unit first, such as 2026-09-30",
        ),
        ("final", "'final' has no number; write the largest unit first"),
        ("2026-W09", "'2026-W09' and '2026-W9' are the same numbers. Hint: write each period in one way"),
        ("2026-Q10", "--period '2026-Q10' cannot be ordered in 'history.parquet'"),
        (
            "2026-W8",
            "'2026-W8' comes before all periods of 'history.parquet', which begin with '2026-W9'",
        ),
    ],
)
def test_periods_without_a_place(capsys: Capture, period: str, message: str) -> None:
    night(1)
    assert report("2026-W9") == 0
    before = Path("history.parquet").read_bytes()
    assert report(period) == 2
    assert message in capsys.readouterr().err.replace('"', "'")
    assert Path("history.parquet").read_bytes() == before


def test_a_period_before_all_others_needs_a_word(capsys: Capture) -> None:
    night(1)
    for period in ("2026-W9", "2026-W11", "2026-W10"):
        assert report(period) == 0
    assert report("2026-W8") == 2
    assert "if that is right, write --backfill" in capsys.readouterr().err
    assert report("2026-W8", "--backfill") == 0
    assert report("2026-W8") == 0
    assert periods() == ["2026-W10", "2026-W11", "2026-W8", "2026-W9"]
    capsys.readouterr()


def test_observed_minus_expected_of_the_periods(capsys: Capture) -> None:
    """Positives are rarer than expected from the fourth night on."""

    def night_of_probabilities(number: int, *options: str) -> int:
        rng = np.random.default_rng(number)
        p = rng.uniform(0.05, 0.5, 2_000)
        label = rng.random(2_000) < p * (1 if number < 4 else 0.8)
        pl.DataFrame({"y": label, "s": p}).write_parquet("rows.parquet")
        command = [*REPORT[:-2], *HISTORY, "--period", f"{number:03}", "-o", "now.parquet", "--quiet"]
        return main([*command, *options])

    # Earlier reports may have no calibration.
    assert night_of_probabilities(1) == 0
    gate = ["--calibration", "--fail-if", "calibration_alarm"]
    codes = [night_of_probabilities(number, *gate) for number in range(2, 9)]
    assert (codes[:2], codes[-1]) == ([0, 0], 1)
    now, history = pl.read_parquet("now.parquet"), pl.read_parquet("history.parquet")
    excess = "observed_minus_expected"
    test = pa.always_valid(excess, f"{excess}_se", weight="n", null=0)
    expected = history.select(test).unnest(excess).row(-1, named=True)
    [row] = now.to_dicts()
    assert history[excess].null_count() == 1
    assert row["calibration_alarm"]
    assert row["calibration_alarm_p_value"] == expected["p_value"]
    assert (row["calibration_alarm_mean"], row["calibration_alarm_upper"]) == (
        expected["estimate"],
        expected["upper"],
    )
    assert expected["upper"] < 0
    # Columns of calibration stay in the file.
    assert night_of_probabilities(9) == 0
    assert "calibration_alarm" not in pl.read_parquet("now.parquet").columns
    assert pl.read_parquet("history.parquet")[excess].null_count() == 2
    capsys.readouterr()
