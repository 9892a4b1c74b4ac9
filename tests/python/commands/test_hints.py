"""Hints for labels and weights, where unlabelled rows never become negatives."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 2
    return capsys.readouterr().err


def areas(*arguments: str) -> list[tuple[float | None, int]]:
    assert main(["report", *arguments, "--quiet", "-o", "out.parquet"]) == 0
    return list(pl.read_parquet("out.parquet").select("auc", "n").iter_rows())


def test_hints_for_numbers_make_no_negatives(capsys: Capture) -> None:
    nan = float("nan")
    rows = pl.DataFrame({"y": [2.0, 1.0, 2.0, 1.0, nan, nan], "s": [0.9, 0.4, 0.3, 0.1, 0.95, 0.2]})
    rows.write_parquet("rows.parquet")
    message = refused(["report", "rows.parquet", "--label", "y", "--score", "s"], capsys)
    hint = message.split('--label "')[-1].split('"')[0]
    assert hint == "CASE WHEN y = 2 THEN TRUE WHEN y = 1 THEN FALSE END"
    assert areas("rows.parquet", "--label", hint, "--score", "s") == [(0.75, 4)]
    with pytest.raises(pl.exceptions.ComputeError, match="fill_nan") as raised:
        rows.select(pa.roc_auc("y", "s"))
    assert 'pl.col("y").fill_nan(None) == 1 or pl.col("y").fill_nan(None) == 2' in str(raised.value)
    assert rows.select(pa.roc_auc(pl.col("y").fill_nan(None) == 2, "s")).item() == 0.75


@pytest.mark.parametrize("name", ["my y", "order", "user", "null", "p.q", "current_date", 'a"b', "not"])
def test_hints_quote_names_that_sql_takes_for_something_else(name: str, capsys: Capture) -> None:
    rows = pl.DataFrame({name: ["bad", "good", "bad", "good"], "s": [0.9, 0.4, 0.3, 0.1]})
    rows.write_parquet("rows.parquet")
    message = refused(["report", "rows.parquet", "--label", name, "--score", "s"], capsys)
    hint = message.split('as in --label "')[1].split(' END"')[0].replace('\\"', '"') + " END"
    assert areas("rows.parquet", "--label", hint, "--score", "s") == [(0.75, 4)]
    assert main(["init", "rows.parquet"]) == 3
    proposed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("# label = ")]
    assert hint in [json.loads(line.removeprefix("# label = ").split("  # ")[0]) for line in proposed]


def test_the_hint_for_lists_quotes_the_name(capsys: Capture) -> None:
    pl.DataFrame({"y": [1, 0], "my p": [[0.1, 0.9], [0.8, 0.2]]}).write_parquet("rows.parquet")
    message = refused(["report", "rows.parquet", "--label", "y", "--score", "my p"], capsys)
    assert 'as in --score "\\"my p\\"[2]", which is the second' in message
    assert areas("rows.parquet", "--label", "y", "--score", '"my p"[2]') == [(1.0, 2)]


def test_words_in_python_are_refused_rather_than_negative() -> None:
    rows = pl.DataFrame({"y": ["bad", "good", "NA", None], "s": [3.0, 1.0, 4.0, 5.0]})
    with pytest.raises(
        pl.exceptions.PolarsError, match=r'pl\.col\("y"\)\.replace_strict\(\{"\.\.\.": True, '
    ):
        rows.select(pa.roc_auc("y", "s"))
    label = pl.col("y").replace_strict({"bad": True, "good": False}, return_dtype=pl.Boolean)
    with pytest.raises(pl.exceptions.InvalidOperationError):
        rows.select(pa.roc_auc(label, "s"))


def test_a_weight_of_texts(capsys: Capture) -> None:
    pl.DataFrame({"y": [1, 0, 1], "s": [1, 2, 3], "w": ["1", "2", "NA"]}).write_parquet("t.parquet")
    arguments = ["report", "t.parquet", "--label", "y", "--score", "s"]
    assert 'write --weight "TRY_CAST(w AS DOUBLE)"' in refused([*arguments, "--weight", "w"], capsys)
    assert areas(*arguments[1:], "--weight", "TRY_CAST(w AS DOUBLE)") == [(0.0, 2)]
    assert 'write --count "CAST(w AS BIGINT)"' in refused([*arguments, "--count", "w"], capsys)
