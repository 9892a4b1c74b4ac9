"""Changes since an earlier report, and the stability of scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.stats import norm
from scipy.stats import t as student_t

import polars_auc as pa
from catalogue.cases import assert_same, fixed
from oracles.wilson import Wilson
from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]


def rows() -> pl.DataFrame:
    return fixed(3000).with_columns(part=pl.int_range(pl.len()) % 2, other=-pl.col("score"))


SIZES: dict[str, Any] = {"n_pos": 4, "n_neg": "n_neg", "versus_n_pos": 8, "versus_n_neg": "m_neg"}


def unpaired(**columns: Any) -> dict[str, Any]:
    frame = pl.DataFrame({"auc": [0.8], "se": [0.03], "b": [0.7], "t": [0.04], "n_neg": [6], "m_neg": [12]})
    options = {"auc": "auc", "se": "se", "versus_auc": "b", "versus_se": "t", **columns}
    return frame.select(pa.unpaired_roc_auc_difference(**options)).item()  # type: ignore[no-any-return]


def test_the_definition() -> None:
    plain = unpaired()
    assert plain["difference"] == pytest.approx(0.1)
    assert plain["se"] == pytest.approx(0.05)
    assert plain["p_value"] == pytest.approx(2 * norm.sf(0.1 / 0.05), rel=1e-12)
    assert plain["df"] is None
    welch = unpaired(**SIZES, method="delong", level=0.9)
    df = 0.0025**2 / (0.0009**2 / 9 + 0.0016**2 / 19)
    assert welch["df"] == pytest.approx(df)
    assert welch["p_value"] == pytest.approx(2 * student_t.sf(2.0, df), rel=1e-10)
    margin = 0.05 * student_t.ppf(0.95, df)
    assert [welch["lower"], welch["upper"]] == pytest.approx([0.1 - margin, 0.1 + margin])
    assert unpaired(versus_auc=0.7, versus_se=0.04) == unpaired(), "a number is a column of it"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_pos": 9}, "expected the positives and negatives of both AUCs; n_neg is not set"),
        ({"method": "wilson"}, "expected the positives and negatives of both AUCs; n_pos is not set"),
        ({"method": "welch"}, "method must be one of 'wilson', 'delong'"),
        ({"level": 1}, "level must lie between 0 and 1"),
    ],
)
def test_refused_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"unpaired_roc_auc_difference: {message}"):
        pa.unpaired_roc_auc_difference("auc", "se", "b", "t", **options)


def test_plain_numbers_give_plain_numbers() -> None:
    assert pa.unpaired_roc_auc_difference(0.8, 0.03, 0.7, 0.04, level=0.9) == unpaired(level=0.9)
    with_rows = pa.unpaired_roc_auc_difference(
        0.8, 0.03, 0.7, 0.04, n_pos=4, n_neg=6, versus_n_pos=8, versus_n_neg=12
    )
    assert with_rows == unpaired(**SIZES)
    assert isinstance(pa.unpaired_roc_auc_difference(0.8, 0.03, 0.7, "t"), pl.Expr)


def test_refused_values() -> None:
    with pytest.raises(pl.exceptions.ComputeError, match=r"unpaired_roc_auc_difference: se contains -0\.1"):
        unpaired(se=-0.1)
    with pytest.raises(pl.exceptions.ComputeError, match="versus_n_neg contains -3"):
        unpaired(**{**SIZES, "versus_n_neg": -3})
    with pytest.raises(pl.exceptions.ComputeError, match=r"versus_auc contains 1\.2"):
        unpaired(versus_auc=1.2)


def test_few_positives_are_no_proof() -> None:
    """Two misranked rows of either class had p = 0, and changed the adjusted p-value of another group."""
    few: dict[str, Any] = {"auc": 0.0, "se": 0.0, "versus_auc": 0.75, "versus_se": 0.02}
    sizes: dict[str, Any] = {"n_pos": 2, "n_neg": 2, "versus_n_pos": 300, "versus_n_neg": 300}
    wilson = pa.unpaired_roc_auc_difference(**few, **sizes)
    assert wilson["p_value"] > 0.01
    assert wilson["upper"] > -0.2
    delong = pa.unpaired_roc_auc_difference(**few, **sizes, method="delong")
    assert (delong["statistic"], delong["p_value"]) == (None, None)


def test_the_limits_of_a_difference() -> None:
    """The squared distances to the limits of both AUCs are added."""
    first, second = Wilson(0.9, 0.05, (8, 40)), Wilson(0.8, 0.02, (90, 300))
    options: dict[str, Any] = {"auc": 0.9, "se": 0.05, "versus_auc": 0.8, "versus_se": 0.02}
    sizes: dict[str, Any] = {"n_pos": 8, "n_neg": 40, "versus_n_pos": 90, "versus_n_neg": 300}
    result = pa.unpaired_roc_auc_difference(**options, **sizes)
    level = float(1 - 2 * student_t.sf(student_t.isf(0.025, result["df"]), first.df))
    others = float(1 - 2 * student_t.sf(student_t.isf(0.025, result["df"]), second.df))
    of, versus = first.limits(level), second.limits(others)
    below = math.hypot(0.9 - of["lower"], versus["upper"] - 0.8)
    beyond = math.hypot(of["upper"] - 0.9, 0.8 - versus["lower"])
    assert [result["lower"], result["upper"]] == pytest.approx([0.1 - below, 0.1 + beyond], abs=1e-9)
    for null, p in ((result["lower"], 0.05), (result["upper"], 0.05)):
        test = pa.unpaired_roc_auc_difference(**options, **sizes, null=null)
        assert test["p_value"] == pytest.approx(p, rel=1e-6)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_change_is_a_comparison_of_two_segments(engine: Any) -> None:
    """The change of a group equals `compare_segments` of the old and the new rows."""
    before, now = (rows().filter(part=part) for part in (0, 1))
    scores = ["score", "other"]
    plan = pa.compare_reports(
        pa.report(now.lazy(), "label", scores, by="g"), pa.report(before.lazy(), "label", scores, by="g")
    )
    table = plan.collect(engine=engine)
    assert table.schema == plan.collect_schema()
    assert_frame_equal(table[:, :-7], pa.report(now, "label", scores, by="g"))
    for row in table.iter_rows(named=True):
        group_rows = rows() if row["scope"] == "overall" else rows().filter(g=row["g"])
        compared = pa.compare_segments(group_rows, "label", row["score"], "part", versus="previous")
        if compared.height < 2:
            continue
        expected = compared.row(1, named=True)
        if expected["auc"] is None:
            # A segment without an area has no comparison.
            expected["versus_auc"] = row["previous_auc"]
        for name, field in (
            ("previous_auc", "versus_auc"),
            ("change", "difference"),
            ("change_lower", "difference_lower"),
            ("change_upper", "difference_upper"),
            ("change_p_value", "p_value"),
        ):
            # The variance is the squared standard error, up to rounding.
            assert_same(row[name], expected[field], relative=1e-9)
    adjusted = table.select(pa.adjust_p_values("change_p_value")).to_series()
    assert table["change_p_adjusted"].to_list() == adjusted.to_list()


def test_new_groups_have_no_change() -> None:
    now = pa.report(rows(), "label", "score", by="g")
    before = pa.report(rows().filter(pl.col("g") != 2), "label", "score", by="g")
    table = pa.compare_reports(now, before)
    new = table.filter(g=2).row(0, named=True)
    assert [new[name] for name in ("previous_n", "previous_auc", "change", "change_p_value")] == [None] * 4
    assert table.filter(g=1)["change"].item() == 0
    again = pa.compare_reports(table, before)
    assert_frame_equal(again, table)


def test_refused_reports() -> None:
    by_g, by_part = (pa.report(rows(), "label", "score", by=by) for by in ("g", "part"))
    with pytest.raises(ValueError, match="compare_reports: the report has the group columns"):
        pa.compare_reports(by_g, by_part)
    with pytest.raises(ValueError, match="compare_reports: previous has no column 'scope'"):
        pa.compare_reports(by_g, rows())
    with pytest.raises(TypeError, match="compare_reports: frame must be a DataFrame"):
        pa.compare_reports(3, by_g)  # type: ignore[arg-type]
    twice = pl.concat([by_g, by_g])
    with pytest.raises(pl.exceptions.PolarsError):
        pa.compare_reports(by_g, twice)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = rows().with_columns(y=pl.col("label").cast(pl.Int8))
    frame.filter(part=0).write_parquet("may.parquet")
    frame.filter(part=1, g=1).write_parquet("june.parquet")


OPTIONS = ["--label", "y", "--score", "score", "--by", "g"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("kind", "ci"), [("parquet", "wilson"), ("parquet", "delong"), ("csv", "wilson"), ("json", "wilson")]
)
def test_the_command(capsys: Capture, kind: str, ci: Literal["wilson", "delong"]) -> None:
    """The changes use the method of the intervals."""
    options = [*OPTIONS, "--ci", ci]
    assert main(["report", "may.parquet", *options, "--quiet", "-o", f"last.{kind}"]) == 0
    arguments = ["report", "june.parquet", *options, "--compare-to", f"last.{kind}", "-o", "now.parquet"]
    assert main([*arguments, "--fail-if", "change < -0.9"]) == 0
    output = capsys.readouterr()
    assert "change" in output.out
    assert "are of groups or scores that are not here" in output.err
    expected = pa.compare_reports(
        pa.report(pl.read_parquet("june.parquet"), "y", "score", by="g", ci=ci),
        pa.report(pl.read_parquet("may.parquet"), "y", "score", by="g", ci=ci),
        method=ci,
    )
    # Text files round the last digit of numbers.
    assert_frame_equal(pl.read_parquet("now.parquet"), expected, check_exact=kind == "parquet")
    assert main([*arguments, "--fail-if", "change > -0.9"]) == 1


@pytest.mark.usefixtures("folder")
def test_a_gate_on_changes_leaves_new_groups_alone(capsys: Capture) -> None:
    months = pl.read_parquet("may.parquet").filter(pl.col("g") < 3)
    months.write_parquet("may.parquet")
    months.filter(pl.col("g") != 2).write_parquet("few.parquet")
    assert main(["report", "few.parquet", *OPTIONS, "--quiet", "-o", "last.parquet"]) == 0
    arguments = ["report", "may.parquet", *OPTIONS, "--compare-to", "last.parquet", "--quiet"]
    assert main([*arguments, "--fail-if", "ABS(change) > 0.9 AND scope = 'group'"]) == 0
    assert main([*arguments, "--fail-if", "previous_auc < 2 AND scope = 'group'"]) == 1
    capsys.readouterr()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("last.xlsx", "--compare-to must end in .parquet, .csv, .json, got 'last.xlsx'"),
        ("gone.parquet", "cannot read 'gone.parquet'"),
        ("may.parquet", "the file of --compare-to has no column 'scope', so it is not a report"),
    ],
)
def test_refusals_of_the_command(capsys: Capture, file: str, message: str) -> None:
    assert main(["report", "june.parquet", *OPTIONS, "--compare-to", file]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("[" * 100_000, "cannot read 'odd.json': lists are nested too deeply"),
        (
            '[{"n": 1' + "0" * 400 + "}]",
            "cannot read 'odd.json': int value too large for Polars integer types",
        ),
    ],
)
def test_reports_in_json_that_no_report_writes(capsys: Capture, rows: str, message: str) -> None:
    Path("odd.json").write_text(f'{{"report": 1, "rows": {rows}}}', encoding="utf-8")
    assert main(["report", "june.parquet", *OPTIONS, "--compare-to", "odd.json"]) == 2
    stderr = capsys.readouterr().err
    assert message in stderr
    assert "fault" not in stderr


@pytest.mark.usefixtures("folder")
def test_a_damaged_parquet_file_on_which_polars_panics(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(_: Path) -> pl.DataFrame:
        raise pl.exceptions.PanicException("validity mask length must match the number of values")

    # The number of these files depends on the version of Polars.
    assert main(["report", "may.parquet", *OPTIONS, "--quiet", "-o", "odd.parquet"]) == 0
    monkeypatch.setattr(pl, "read_parquet", panic)
    assert main(["report", "june.parquet", *OPTIONS, "--compare-to", "odd.parquet"]) == 2
    stderr = capsys.readouterr().err
    assert "cannot read 'odd.parquet': the file is damaged" in stderr
    assert "fault" not in stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bands": 0}, "bands must be an integer from 1 to 1000000"),
        ({"bands": 2, "edges": [1]}, "give bands or edges"),
        ({"empty_share": 1}, "empty_share must be a share below 1"),
        ({"empty_share": math.nan}, "empty_share must be a share below 1"),
    ],
)
def test_refused_options_of_stability(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"population_stability: {message}"):
        pa.population_stability("label", "score", **options)


def test_stability_of_a_table_of_counts() -> None:
    expected = [8, 10, 9, 13, 11, 10, 9, 12, 8, 10]
    actual = [7, 8, 7, 9, 11, 11, 10, 12, 11, 14]
    frame = pl.DataFrame({"band": [*range(10), *range(10)], "n": expected + actual}).with_columns(
        reference=pl.int_range(20) < 10
    )
    got = frame.select(
        pa.population_stability("reference", "band", count="n", edges=list(range(1, 10)))
    ).item()
    shares = [(e / 100, a / 100) for e, a in zip(expected, actual, strict=True)]
    assert got["psi"] == pytest.approx(sum((e - a) * math.log(e / a) for e, a in shares), rel=1e-12)
    assert got["n_bands"] == 10


def test_the_p_value_of_stability_is_uniform() -> None:
    """For samples of one population the rejection rate equals the level."""
    frame = pl.DataFrame({"s": pl.select(pl.int_range(400_000).hash(7)).to_series()}).with_columns(
        group=pl.int_range(400_000) // 1000, label=pl.int_range(400_000) % 3 == 0
    )
    p_values = frame.group_by("group").agg(pa.population_stability("label", "s").struct.field("p_value"))
    assert 0.02 < (p_values["p_value"] < 0.05).mean() < 0.09  # type: ignore[operator]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_groups_of_any_type_are_found_again(capsys: Capture, kind: str) -> None:
    """Texts like numbers, dates, times and truth values match the same groups later."""
    frame = rows().with_columns(
        y=pl.col("label").cast(pl.Int8),
        code=pl.concat_str(pl.lit("0"), pl.col("g") % 3),
        day=pl.date(2026, 5, 1 + pl.col("g") % 3),
        at=pl.datetime(2026, 5, 1, pl.col("g") % 3),
        even=pl.col("g") % 2 == 0,
        truth=pl.when(pl.col("g") % 2 == 0).then(pl.lit("True")).otherwise(pl.lit("1e3")),
    )
    frame.write_parquet("typed.parquet")
    for key in ("code", "day", "at", "even", "truth", "g"):
        arguments = ["report", "typed.parquet", "--label", "y", "--score", "score", "--by", key, "--quiet"]
        assert main([*arguments, "-o", f"last.{kind}"]) == 0
        assert main([*arguments, "--compare-to", f"last.{kind}", "-o", "now.parquet"]) == 0, (
            capsys.readouterr()
        )
        now = pl.read_parquet("now.parquet")
        assert now["previous_n"].to_list() == now["n"].to_list(), key
        assert "not here" not in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_reports_that_are_no_earlier_ones(capsys: Capture) -> None:
    arguments = [
        "report",
        "may.parquet",
        "--label",
        "y",
        "--score",
        "score",
        "--by",
        "g",
        "--by",
        "part",
        "--quiet",
    ]
    assert main([*arguments, "--groupings", "each", "-o", "last.parquet"]) == 0
    assert main([*arguments, "--compare-to", "last.parquet"]) == 2
    assert "has several groupings, and the report has one" in capsys.readouterr().err
    assert main([*arguments, "-o", "last.parquet"]) == 0
    last = pl.read_parquet("last.parquet")
    pl.concat([last, last]).write_parquet("twice.parquet")
    assert main([*arguments, "--compare-to", "twice.parquet"]) == 2
    assert "'twice.parquet' has two rows for one group" in capsys.readouterr().err
    last.with_columns(g=pl.lit("x")).write_parquet("words.parquet")
    assert main([*arguments, "--compare-to", "words.parquet"]) == 2
    assert "the column 'g' of 'words.parquet' cannot be read as" in capsys.readouterr().err
    Path("new.json").write_text('{"report":99,"rows":[]}', encoding="utf-8")
    assert main([*arguments, "--compare-to", "new.json"]) == 2
    assert "it is a report of version 99" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_an_earlier_report_of_finer_groups(capsys: Capture) -> None:
    arguments = ["report", "may.parquet", "--label", "y", "--score", "score", "--by", "g", "--quiet"]
    assert main([*arguments, "--by", "part", "-o", "finer.csv"]) == 0
    assert main([*arguments, "--compare-to", "finer.csv"]) == 2
    stderr = capsys.readouterr().err
    assert "the previous report has ['g', 'part']: the report has no 'part'" in stderr
    assert "two rows" not in stderr


@pytest.mark.usefixtures("folder")
def test_groups_of_nan_and_infinity_come_back_from_json(capsys: Capture) -> None:
    values = [math.nan, math.inf, -math.inf, None, 0.1, 5e-324]
    rows = pl.DataFrame({"x": values * 4, "y": [0] * 6 + [1] * 6 + [0] * 6 + [1] * 6, "s": range(24)})
    rows.write_parquet("floats.parquet")
    arguments = ["report", "floats.parquet", "--label", "y", "--score", "s", "--by", "x", "--quiet"]
    assert main([*arguments, "-o", "last.json"]) == 0
    assert main([*arguments, "--compare-to", "last.json", "-o", "now.parquet"]) == 0, capsys.readouterr().err
    now = pl.read_parquet("now.parquet")
    assert now["previous_n"].to_list() == now["n"].to_list()
    assert now.schema["x"] == pl.Float64
