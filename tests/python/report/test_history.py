"""Reports that keep a history, and say whether an AUC has fallen since."""

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
    """Write the rows of a night, of which site b gets worse on night 31, and return how it is reported."""
    rng = np.random.default_rng(number)
    site, label = rng.choice(["a", "b"], 600), rng.random(600) < 0.4
    gap = np.where((site == "b") & (number > 30), 0.3, 1.2)
    frame = pl.DataFrame({"site": site, "y": label, "s": rng.normal(size=600) + gap * label})
    frame.write_parquet("rows.parquet")
    return [*REPORT, *HISTORY, "--period", f"night {number:03}", "--quiet"]


def test_a_history_of_nights(capsys: Capture) -> None:
    alarm = ["--fail-if", "alarm AND site IS NOT NULL"]
    codes = [main([*night(number), *alarm]) for number in range(1, 37)]
    # The baseline has no alarm; a night that fails is kept as well.
    assert codes[:30] == [0] * 30
    assert codes[-1] == 1
    assert main([*night(36), "-o", "now.parquet"]) == 0
    now, history = pl.read_parquet("now.parquet"), pl.read_parquet("history.parquet")
    assert history.columns == ["period", "scope", "site", "score", "n", "auc", "se"]
    assert history.height == 3 * 36
    assert now.filter(pl.col("alarm"))["site"].to_list()[0] == "b"
    [since] = now.filter(site="b")["alarm_since"]
    assert since == "night 031"
    test = pa.always_valid_change("auc", "se", alternative="less").over("scope", "site", order_by="period")
    expected = history.with_columns(test.alias("test")).filter(period="night 036")["test"].struct
    for column, field in (("alarm_change", "change"), ("alarm_lower", "lower"), ("alarm_p_value", "p_value")):
        assert_frame_equal(now.select(x=column), pl.DataFrame({"x": expected.field(field)}))
    adjusted = now.select(pa.adjust_p_values("alarm_p_value")).to_series()
    assert now["alarm_p_adjusted"].to_list() == adjusted.to_list()
    assert now["alarm"].to_list() == (adjusted <= 0.05).to_list()
    # A night that is reported again sees none of those after it, and replaces its own rows.
    assert main([*night(30), "-o", "again.parquet"]) == 0
    again = pl.read_parquet("again.parquet")
    assert again["alarm"].sum() == 0
    assert_frame_equal(pl.read_parquet("history.parquet"), history)
    capsys.readouterr()


def test_what_is_printed(capsys: Capture) -> None:
    assert main([*night(1)[:-1], "-o", "page.html"]) == 0
    shown = capsys.readouterr()
    assert "alarm" in shown.out
    assert "'history.parquet' has 1 period, with 'night 001'" in shown.err
    assert "The mean AUC so far by period, and its interval" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (["--history", "history.parquet"], "--history goes with --period, which is missing"),
        ([*HISTORY, "--period", " "], "--period must be a name, got an empty text; write --period 2026"),
        (["--period", "may"], "--period goes with --history, which is missing"),
        (["--history", "history.csv", "--period", "may"], "--history must end in .parquet"),
        (["--history", "not/there.parquet", "--period", "may"], "be in the folder 'not', which is not there"),
        (
            ["--history", "rows.parquet", "--period", "may"],
            "'rows.parquet' is no history of polars-auc report",
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
def test_refusals(capsys: Capture, told: list[str], says: str) -> None:
    assert main(night(1)) == 0
    before = Path("history.parquet").read_bytes()
    Path("broken.parquet").write_bytes(b"PAR1 and no more PAR1")
    assert main([*REPORT, *told]) == 2
    assert says in capsys.readouterr().err
    assert Path("history.parquet").read_bytes() == before


def test_an_earlier_night_of_the_name_is_said_to_be_replaced(capsys: Capture) -> None:
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
    """The second one has read the file before the first one wrote it."""
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
    told = [[*command, *REPORT, *HISTORY, "--period", name, "--quiet"] for name in nights]
    # A new period before all others needs a word, so the first one is there.
    subprocess.run(told[0], check=True)
    running = [subprocess.Popen(one, stderr=subprocess.PIPE, text=True) for one in told[1:]]
    ends = [(process.communicate()[1], process.returncode) for process in running]
    assert ends == [("", 0)] * 11
    assert periods() == nights
    history = pl.read_parquet("history.parquet")
    assert history.height == 12 * 3
    assert history.equals(history.sort("period", maintain_order=True))


def test_a_lock_is_given_up_after_a_time() -> None:
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
        told = night(number)
        if number == 5:
            rows = pl.read_parquet("rows.parquet")
            rows.with_columns(
                s=pl.when(pl.col("site") == "b").then("s").otherwise(float("nan"))
            ).write_parquet("rows.parquet")
        assert main([*told, "-o", "now.parquet"]) == (3 if number == 5 else 0)
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
    ("wrong", "says"),
    [
        ({"auc": 1.5}, "'history.parquet' has a row of the period 'night 001', the AUC 1.5 and the standard"),
        ({"se": -1.0}, "the standard error -1.0, and is no history"),
        ({"period": None}, "has a row of the period None"),
        ({"n": "many"}, "'history.parquet' has a column of another dtype than this report"),
    ],
)
def test_a_history_with_wrong_values(capsys: Capture, wrong: dict[str, Any], says: str) -> None:
    assert main(night(1)) == 0
    metadata = pl.read_parquet_metadata("history.parquet")
    rows = pl.read_parquet("history.parquet").with_columns(**{name: pl.lit(it) for name, it in wrong.items()})
    rows.write_parquet("history.parquet", metadata={"polars_auc.history": metadata["polars_auc.history"]})
    assert main(night(2)) == 2
    assert says in capsys.readouterr().err


def test_a_night_between_others_is_said(capsys: Capture) -> None:
    for period in ("9", "10"):
        assert main([*night(1)[:-2], period]) == 0
    assert "with '10', which comes before '9'" in capsys.readouterr().err
