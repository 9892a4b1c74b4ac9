"""Each message of ``docs/troubleshooting.md`` is raised, warned or printed by its cause."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main
from polars_auc._plugin import packages

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
NAN = float("nan")
FRAME = pl.DataFrame(
    {
        "y": [0, 1, 0, 1, 1, 0],
        "three": [0, 1, 2, 1, 1, 0],
        "word": ["good", "bad", "good", "bad", "bad", "good"],
        "label_nan": [0.0, 1.0, NAN, 1.0, 1.0, 0.0],
        "s": [0.1, 0.9, 0.3, 0.4, 0.8, 0.7],
        "nan": [0.1, NAN, 0.3, 0.4, 0.8, 0.7],
        "text": ["0.5"] * 6,
        "list": [[0.1, 0.9]] * 6,
        "by": ["a", "a", "a", "b", "b", "b"],
        "negative": [-1.0, 2.0, 1.0, 1.0, 1.0, 1.0],
        "float": [1.5, 2.0, 1.0, 1.0, 1.0, 1.0],
    }
)
LONG = pa.curve_points(pl.select(y=pl.int_range(60_000) % 2, s=pl.int_range(60_000)), pa.roc_curve("y", "s"))


def select(expr: pl.Expr) -> pl.DataFrame:
    return FRAME.select(expr)


def spark() -> object:
    from polars_auc import spark as spark_module

    return spark_module.roc_auc("y", "s")


def duckdb() -> None:
    from polars_auc import duckdb as duckdb_module

    duckdb_module.register(None)  # type: ignore[arg-type]


AUC: Any = pa.roc_auc
CI: Any = pa.roc_auc_ci
REPORT: Any = pa.report
EVALUATE: Any = pa.evaluate
CALLS: dict[str, Callable[[], object]] = {
    "contains 2, expected Booleans": lambda: select(AUC("three", "s")),
    "has dtype str, expected Booleans": lambda: select(AUC("word", "s")),
    "contains NaN, expected Booleans": lambda: select(AUC("label_nan", "s")),
    "it looks like a score; the order of arguments is": lambda: select(AUC("s", "y")),
    "has dtype str, expected numbers or Booleans": lambda: select(AUC("y", "text")),
    "has dtype list[f64], expected numbers or Booleans": lambda: select(AUC("y", "list")),
    'has 3 rows but score "s" has 6 in the same group': lambda: select(
        AUC(pl.col("y").filter(pl.col("by") == "a"), "s")
    ),
    "score must be a column name or an expression, got ndarray": lambda: AUC(
        np.array([0, 1]), np.array([0.1, 0.2])
    ),
    "label must be an array, a list or a Series, got str": lambda: EVALUATE("y", "s"),
    "label must be Booleans or 0 and 1, got String": lambda: EVALUATE(FRAME["word"], FRAME["s"]),
    "score must have one dimension, got the shape (2, 2)": lambda: EVALUATE([0, 1], np.ones((2, 2))),
    "score has 3 values, and label has 2": lambda: EVALUATE([0, 1], [0.1, 0.2, 0.3]),
    "frame must be a DataFrame or a LazyFrame, got str": lambda: REPORT("data/*.parquet", "y", "s"),
    'unable to find column "score"': lambda: select(AUC("y", "score")),
    'unable to find column "auc"': lambda: select(CI("y", "s")).select("auc"),
    "weight and count are mutually exclusive": lambda: AUC("y", "s", weight="float", count="y"),
    "expected numbers from 0 to 1e290": lambda: select(AUC("y", "s", weight="negative")),
    "expected integers: the number of identical rows": lambda: select(AUC("y", "s", count="float")),
    "state and label are mutually exclusive": lambda: AUC("y", "s", state="state"),
    "state and cluster are mutually exclusive": lambda: CI(state="state", cluster="by"),
    "expected structs from roc_state(label, score)": lambda: select(AUC(state="s")),
    "contains states of different scales": lambda: pl.concat(
        select(pa.roc_state("y", "s", max_bins=64, scale=scale)) for scale in ("real", "probability")
    ).select(pa.merge_states("s")),
    "a chart takes at most 50,000": lambda: pa.plot_roc(LONG),
    "seed applies to the bootstrap only": lambda: CI("y", "s", seed=1),
    "target is for 'target_fpr', 'target_tpr', 'target_precision'": lambda: pa.operating_point(
        "y", "s", criterion="youden", target=0.1
    ),
    "versus needs groups": lambda: REPORT(FRAME, "y", "s", versus="rest"),
    "which the rows do not have, expected one of a; b": lambda: REPORT(FRAME, "y", "s", by="by", versus="c"),
    'compare needs all rows at once, so it cannot be combined with memory="bounded"': lambda: REPORT(
        FRAME, "y", ["s", "nan"], compare=True, memory="bounded"
    ),
    "got an unexpected keyword argument 'weight'": lambda: pa.mann_whitney_u("y", "s", weight="float"),  # type: ignore[call-arg]
    "level must lie between 0 and 1, such as 0.95, got 95": lambda: CI("y", "s", level=95),
    "null must be a number from 0 to 1": lambda: CI("y", "s", null=2),
    "margin must lie between 0 and 1, such as 0.05, got -0.1": lambda: CI("y", "s", margin=-0.1),
    "expected plain values": lambda: select(CI("y", "s", cluster="list")),
    "no positive rows: label y is false everywhere": lambda: REPORT(FRAME.with_columns(y=0), "y", "s"),
    "no negative rows: label y is true everywhere": lambda: REPORT(FRAME.with_columns(y=1), "y", "s"),
    "is NaN in 1 row": lambda: EVALUATE(FRAME["y"], FRAME["nan"]),
    "plot_roc needs altair>=5.4": lambda: pa.plot_roc([0, 1], {"s": [0.1, 0.2]}),
    "style_report needs great-tables>=0.15": lambda: pa.style_report(REPORT(FRAME, "y", "s")),
    "polars_auc.spark.roc_auc needs pyspark>=4.1": spark,
    "polars_auc.duckdb.register needs duckdb>=1.2": duckdb,
}
COMMANDS: dict[str, list[str]] = {
    "no row is positive: --label": ["--label", "word = 'Bad'"],
    "no row is negative: --label": ["--where", "y = 1"],
    "every row has a missing label or score": ["--score", "NULLIF(s, s) AS s"],
    "contains words ('bad', 'good'), expected 0 and 1 or Booleans": ["--label", "word"],
    "leaves no row. Hint: if that is expected, write --allow-empty": ["--where", "s > 2"],
    "expected numbers. Hint: to read other texts as missing": ["--score", "by"],
    "NaN is a fault, and such results are NaN or left out": ["--score", "nan"],
    "and cannot be decided in 1": ["--where", "s < 0.4 OR s = 0.9", "--fail-if", "se > 0.1"],
    "not tested yet in 1, which --untested pass lets pass": [
        *("--history", "1.parquet", "--period", "2026-09-30", "--fail-if", "alarm"),
    ],
    "alarm not tested yet: 1 of 3 periods": ["--history", "1.parquet", "--period", "2026-09-30"],
    "which is not in the report, expected one of": ["--fail-if", "delta_auc < 0"],
    "letters are in the order of the alphabet": ["--history", "1.parquet", "--period", "Sep 2026"],
    "is in 'missing', which is not a folder": ["-o", "missing/report.csv"],
    "are files of two kinds": ["rows.csv"],
    "a page needs altair>=5.4": ["-o", "report.html"],
    "an .xlsx file needs xlsxwriter>=3.1": ["-o", "report.xlsx"],
}


def test_each_message_of_the_page_is_here() -> None:
    tables = re.findall(r"^\| (?:message|warning) \|.*\n\|---.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    messages = re.findall(r"^\| `(.*?)` \|", "".join(tables), re.MULTILINE)
    assert len(messages) == len(set(messages)) == sum(table.count("\n") for table in tables)
    assert set(messages) == {*CALLS, *COMMANDS}


@pytest.fixture(autouse=True)
def without_packages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate missing optional packages for a message that names one."""
    if " needs " not in request.node.name:
        return
    missing = {"altair", "duckdb", "great_tables", "pyspark", "vl_convert", "xlsxwriter"}
    monkeypatch.setattr(
        packages, "find_spec", lambda name: None if name.split(".")[0] in missing else find_spec(name)
    )


@pytest.mark.parametrize("message", CALLS)
@pytest.mark.filterwarnings("error")
def test_calls(message: str) -> None:
    with pytest.raises(Exception, match=re.escape(message)):
        CALLS[message]()


@pytest.mark.parametrize("message", COMMANDS)
def test_commands(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.write_parquet("rows.parquet")
    FRAME.drop("list").write_csv("rows.csv")
    arguments = COMMANDS[message]
    defaults = [] if "--label" in arguments else ["--label", "y"]
    defaults += [] if "--score" in arguments else ["--score", "s"]
    main(["report", "rows.parquet", *arguments, *defaults])
    assert message in capsys.readouterr().err


def test_the_causes_of_null() -> None:
    one_class = FRAME.filter(y=1).select(CI("y", "s")).item()
    assert one_class["auc"] is one_class["se"] is None
    unlabelled = FRAME.with_columns(y=pl.lit(None, pl.Boolean)).select(CI("y", "s")).item()
    assert (unlabelled["auc"], unlabelled["n_pos"], unlabelled["n_neg"]) == (None, 0, 0)
    one_positive = FRAME.head(3).select(CI("y", "s")).item()
    assert one_positive["auc"] == 1
    assert one_positive["se"] is one_positive["lower"] is one_positive["p_value"] is None
    apart = pl.DataFrame({"y": [0, 0, 1, 1], "s": [1, 2, 3, 4]}).with_columns(t=-pl.col("s"))
    no_error = apart.select(pa.roc_auc_difference("y", "s", "t")).item()
    assert no_error["se"] == 0
    assert no_error["p_value"] is None
    assert apart.select(CI("y", "s", method="delong")).item()["p_value"] is None
    assert apart.select(CI("y", "s")).item()["p_value"] is not None
    point = apart.select(pa.operating_point("y", "t", criterion="target_precision", target=0.9)).item()
    assert [name for name, value in point.items() if value is not None] == ["n_pos", "n_neg"]
    assert select(pa.confusion_at("y", "s", 0.5, weight="float")).item()["tpr_lower"] is None
    assert select(pa.roc_curve("y", "s")).item()[0]["threshold"] is None
    assert select(pa.roc_curve("y", "nan")).item() is None
    assert select(AUC("y", pl.col("nan").fill_nan(None))).item() is not None
    assert select(AUC(pl.col("word") == "Bad", "s")).item() is None
    groups = REPORT(FRAME, "y", "s", by="by", versus="rest")
    assert groups.filter(scope="overall")["difference"].item() is None
