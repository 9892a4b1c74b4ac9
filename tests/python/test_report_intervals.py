"""How a report makes its intervals: limits of the bootstrap, clusters and weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import polars_auc as pa
from catalogue.cases import fixed
from polars_auc._cli import main

Capture = pytest.CaptureFixture[str]

OF_AUC = ["auc", "se", "lower", "upper"]


def rows() -> pl.DataFrame:
    return fixed(1200).with_columns(
        h=pl.col("g") % 2, other=-pl.col("score"), y=pl.col("label").cast(pl.Int8)
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows().write_parquet("rows.parquet")
    return tmp_path


REPORT = ["report", "rows.parquet", "--label", "y", "--score", "score", "--by", "h"]


def refused(arguments: list[str], capsys: Capture) -> str:
    assert main([*REPORT, *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith("polars-auc: ")
    assert said.count("\n") == 1
    return said


def written(arguments: list[str]) -> pl.DataFrame:
    assert main([*REPORT, *arguments, "--quiet", "-o", "out.parquet"]) == 0
    return pl.read_parquet("out.parquet")


def of_groups(frame: pl.DataFrame, expression: pl.Expr) -> list[dict[str, Any]]:
    """Answer for each group of h, and for all rows."""
    groups = [frame.filter(pl.col("h").eq_missing(h)) for h in sorted(frame["h"].unique().drop_nulls())]
    groups += [frame.filter(pl.col("h").is_null())] if frame["h"].null_count() else []
    return [part.select(expression).item() for part in (*groups, frame)]


def test_limits_of_the_bootstrap(folder: Path) -> None:
    drawn: dict[str, Any] = {"n_resamples": 60, "seed": 3}
    options = ["--ci", "bootstrap", "--resamples", "60", "--seed", "3"]
    for interval in ("percentile", "bca"):
        report = pa.report(rows(), "y", "score", by="h", ci="bootstrap", interval=interval, **drawn).collect()
        ci = pa.roc_auc_ci("y", "score", method="bootstrap", interval=interval, **drawn)
        expected = [[answer[name] for name in OF_AUC] for answer in of_groups(rows(), ci)]
        assert [list(row) for row in report.select(OF_AUC).rows()] == expected
        assert written([*options, "--interval", interval]).equals(report)
        text = f'[report]\nci = "bootstrap"\nresamples = 60\nseed = 3\ninterval = "{interval}"\n'
        (folder / "x.toml").write_text(text)
        assert written(["--config", "x.toml"]).equals(report)
    assert written(options).equals(written([*options, "--interval", "percentile"]))
    assert not written(options).equals(written([*options, "--interval", "bca"]))


def test_limits_of_the_bootstrap_of_states(folder: Path) -> None:
    assert main(["state", *REPORT[1:], "-o", str(folder / "states.parquet")]) == 0
    options = ["--ci", "bootstrap", "--interval", "bca", "--resamples", "60"]
    assert main(["report", "states.parquet", "--from-states", "--by", "h", *options, "-o", "s.parquet"]) == 0
    of_states = pl.read_parquet("s.parquet").drop("auc_min", "auc_max")
    assert of_states.equals(written(options))
    assert written([*options, "--bounded"]).drop("auc_min", "auc_max").equals(of_states)


def test_limits_are_of_the_bootstrap_alone(folder: Path, capsys: Capture) -> None:
    assert folder.exists()
    with pytest.raises(ValueError, match="report: interval applies to the bootstrap only, and ci is 'logit'"):
        pa.report(rows(), "y", "score", ci="logit", interval="bca")
    with pytest.raises(ValueError, match="report: interval must be one of 'percentile', 'bca', None"):
        pa.report(rows(), "y", "score", ci="bootstrap", interval="t")  # type: ignore[arg-type]
    assert "--interval applies to the bootstrap only, and --ci is delong; write --ci bootstrap" in refused(
        ["--interval", "bca"], capsys
    )
    assert "--seed and --interval apply to the bootstrap only" in refused(
        ["--seed", "1", "--interval", "bca"], capsys
    )
    assert "argument --interval: invalid choice: 't'" in refused(["--interval", "t"], capsys)


def test_pages_say_how_limits_were_made(folder: Path) -> None:
    options = ["--ci", "bootstrap", "--interval", "bca", "--resamples", "60", "--quiet", "-o", "out.md"]
    assert main([*REPORT, *options]) == 0
    page = (folder / "out.md").read_text()
    assert "Intervals: 95 %, by bootstrap, BCa limits, 60 resamples, seed 0\n" in page
