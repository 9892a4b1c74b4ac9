"""Texts and numbers that mean missing: they become null in labels, scores and weights, and are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]

# As written by R: without the last two rows the AUC is 3/4, and with them as negatives 5/8.
R_FILE = "label,p,seg\n1,0.9,NA\n0,0.4,ZA\n1,0.3,NA\n0,0.1,ZA\nNA,0.95,NA\nNA,0.2,ZA\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("na.csv").write_text(R_FILE)
    rows = pl.read_csv("na.csv", infer_schema=False).with_columns(pl.col("p").cast(pl.Float64))
    rows.write_parquet("na.parquet")
    rows.write_ndjson("na.ndjson")
    rows.with_columns(pl.col("label").replace("NA", "NaN").cast(pl.Float64)).write_parquet("nan.parquet")


def areas(*arguments: str) -> list[tuple[float | None, int]]:
    assert main(["report", *arguments, "--quiet", "-o", "out.parquet"]) == 0
    table = pl.read_parquet("out.parquet").filter(scope="overall")
    return list(table.select("auc", "n").iter_rows())


@pytest.mark.parametrize(
    ("file", "label"),
    [
        ("na.csv", "label"),
        ("na.csv", "label = 1"),
        ("na.csv", "label = '1'"),
        ("na.csv", "CASE WHEN label = 1 THEN TRUE WHEN label = 0 THEN FALSE END"),
        ("na.parquet", "label = '1'"),
        ("na.parquet", "label <> '0'"),
        ("na.ndjson", "label = '1'"),
        ("na.parquet", "CASE WHEN label = 'NA' THEN NULL ELSE label = '1' END"),
        ("nan.parquet", "label"),
        ("nan.parquet", "label = 1"),
        ("nan.parquet", "label > 0"),
    ],
)
def test_a_missing_label_is_no_negative(file: str, label: str) -> None:
    assert areas(file, "--label", label, "--score", "p") == [(0.75, 4)]


COMMANDS = {
    "report": [],
    "gains": [],
    "thresholds": [],
    "compare": ["--score=-p"],
    "curve": ["-o", "curve.csv"],
    "state": ["-o", "state.parquet"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_counts_what_it_reads_as_missing(command: str, capsys: Capture) -> None:
    assert main([command, "na.csv", "--label", "label", "--score", "p", *COMMANDS[command]]) == 0
    assert "polars-auc: read as missing: 2 values 'NA' of 'label'\n" in capsys.readouterr().err


def test_rows_that_are_not_used_are_not_counted_as_missing(capsys: Capture) -> None:
    where = ["--where", "country = 'NA' OR p < 0.15"]
    arguments = ["--label", "label", "--score", "p", "--by", "UPPER(seg) AS country", *where]
    assert main(["report", "na.csv", *arguments]) == 0
    assert "polars-auc: read as missing: 1 value 'NA' of 'label'\n" in capsys.readouterr().err
    assert main(["report", "na.csv", *arguments, "--where", "p < 0.95"]) == 0
    assert "read as missing" not in capsys.readouterr().err


def test_a_page_counts_what_is_read_as_missing() -> None:
    assert main(["report", "na.csv", "--label", "label", "--score", "p", "--quiet", "-o", "page.md"]) == 0
    assert "- Read as missing: `2 values 'NA' of 'label'`" in Path("page.md").read_text()


def test_groups_keep_their_texts_by_default() -> None:
    """NA is the code of Namibia."""
    arguments = [
        "report",
        "na.csv",
        "--label",
        "label",
        "--score",
        "p",
        "--by",
        "seg",
        "--quiet",
        "-o",
        "out.csv",
    ]
    assert main(arguments) == 0
    assert pl.read_csv("out.csv")["seg"].to_list() == ["NA", "ZA", None]
    assert main([*arguments, "--null-values", "NA"]) == 0
    assert pl.read_csv("out.csv")["seg"].to_list() == ["ZA", None, None]
    # A comparison of the label with the text makes the text a value.
    assert areas("na.csv", "--label", "seg = 'NA'", "--score", "p") == [(8 / 9, 6)]


def test_scores_and_weights(capsys: Capture) -> None:
    Path("x.csv").write_text("y,s,w\n1,3,1\n0,NA,2\n1,N/A,1\n0,1,null\n0,2,1\n1,1,1\n")
    assert areas("x.csv", "--label", "y", "--score", "s") == [(0.625, 4)]
    assert main(["report", "x.csv", "--label", "y", "--score", "s", "--weight", "w"]) == 0
    stderr = capsys.readouterr().err
    for line in ("1 value 'NA' of 's'", "1 value 'N/A' of 's'", "1 value 'null' of 'w'"):
        assert f"read as missing: {line}\n" in stderr


def test_values_of_the_user(capsys: Capture) -> None:
    rows = pl.DataFrame(
        {"y": [1, 0, 1, 0, -9], "s": [2.0, 1.0, -999.0, 0.5, 3.0], "g": ["a", "a", None, "x", "x"]}
    )
    rows.write_csv("u.csv")
    rows.write_parquet("u.parquet")
    for file in ("u.csv", "u.parquet"):
        arguments = [file, "--label", "y", "--score", "s", "--null-values", "x,-999", "--null-values=-9"]
        assert areas(*arguments, "--by", "g") == [(1.0, 3)]
        assert pl.read_parquet("out.parquet")["g"].to_list() == ["a", None, None]
    # The user's texts replace the default ones.
    message = refused(["report", "na.csv", "--label", "label", "--score", "p", "--null-values", "x"], capsys)
    assert "--label 'label' contains words ('0', '1', 'NA')" in message
    assert "\"CASE WHEN label = '1' THEN TRUE WHEN label = '0' THEN FALSE END\"" in message


def test_a_configuration_names_them() -> None:
    Path("c.toml").write_text(
        '[input]\nfiles = ["na.csv"]\nnull-values = ["-", "NA"]\nlabel = "label"\nscore = "p"\n'
    )
    assert areas("--config", "c.toml") == [(0.75, 4)]


def test_nan_of_a_score_stays_a_fault(capsys: Capture) -> None:
    Path("x.csv").write_text("y,s\n1,3\n0,NaN\n1,NA\n0,1\n")
    arguments = ["report", "x.csv", "--label", "y", "--score", "s"]
    assert main(arguments) == 3
    assert "the score 's' is NaN in 1 row" in capsys.readouterr().err
    assert main([*arguments, "--null-values", "NA,NaN"]) == 0
    assert "1 value 'NaN' of 's'" in capsys.readouterr().err


def test_no_message_without_missing_values(capsys: Capture) -> None:
    Path("x.csv").write_text("y,s\n1,3\n0,\n1,1\n0,1\n")
    assert main(["report", "x.csv", "--label", "y", "--score", "s"]) == 0
    assert "read as missing" not in capsys.readouterr().err


def refused(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 2
    return capsys.readouterr().err


def test_hints_make_no_negatives(capsys: Capture) -> None:
    """Each hint for a text label with missing values gives the AUC of the labelled rows."""
    rows = pl.DataFrame(
        {"y": ["bad", "good", "bad", "good", None, "?"], "s": [0.9, 0.4, 0.3, 0.1, 0.95, 0.2]}
    )
    rows.filter(pl.col("y") != "?").write_parquet("two.parquet")
    rows.write_parquet("rows.parquet")
    message = refused(["report", "two.parquet", "--label", "y", "--score", "s"], capsys)
    hint = message.split('--label "')[1].split('"')[0]
    assert areas("rows.parquet", "--label", hint, "--score", "s") == [(0.75, 4)]
    assert main(["init", "two.parquet"]) == 3
    proposed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("# label = ")]
    assert {line.split('"')[1] for line in proposed} == {
        "CASE WHEN y = 'bad' THEN TRUE WHEN y = 'good' THEN FALSE END",
        "CASE WHEN y = 'good' THEN TRUE WHEN y = 'bad' THEN FALSE END",
    }


def test_a_score_of_texts(capsys: Capture) -> None:
    """The hint has the user's column name, and keeps it as the score name."""
    pl.DataFrame({"y": [1, 0, 1, 0], "my score": ["2", "1", "none yet", "0.5"]}).write_parquet("t.parquet")
    message = refused(["report", "t.parquet", "--label", "y", "--score", "my score"], capsys)
    assert "--score 'my score' contains texts ('none yet'), expected numbers" in message
    hint = message.split("write --score ")[1].strip()
    assert hint == '"TRY_CAST(\\"my score\\" AS DOUBLE) AS \\"my score\\""'
    assert areas("t.parquet", "--label", "y", "--score", hint[1:-1].replace("\\", "")) == [(1.0, 3)]
    assert pl.read_parquet("out.parquet")["score"].to_list() == ["my score"]


def test_a_proposal_reads_missing_labels_and_keeps_groups(capsys: Capture) -> None:
    assert main(["init", "na.csv", "-o", "c.toml"]) == 0
    proposed = Path("c.toml").read_text()
    assert 'label = "label"\n' in proposed
    assert 'by = ["seg"]\n' in proposed
    assert areas("--config", "c.toml") == [(0.75, 4)]
    capsys.readouterr()


def test_numbers_that_mean_missing_are_found_by_their_value(capsys: Capture) -> None:
    """This also applies to columns with NA texts; a NaN score remains an error."""
    Path("x.csv").write_text("y,s\n1,3.5\n-999.0,2\n1,2\n0,1\n0.0,5\nNA,8\n")
    assert areas("x.csv", "--label", "y", "--score", "s", "--null-values", "NA,-999") == [(0.5, 4)]
    Path("x.csv").write_text("y,s\n1,3\n0,NaN\n1,NA\n0,1\n")
    arguments = ["report", "x.csv", "--label", "y", "--score", "s", "--null-values"]
    assert main([*arguments, "NA,-999"]) == 3
    assert "the score 's' is NaN in 1 row" in capsys.readouterr().err
    assert main([*arguments, "NA,NaN,-999"]) == 0
    assert "1 value 'NaN' of 's'" in capsys.readouterr().err


def test_a_whole_number_that_means_missing_is_that_number_alone() -> None:
    scores = [2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3]
    pl.DataFrame({"y": [0, 1, 0, 1], "s": scores}).write_parquet("x.parquet")
    assert areas("x.parquet", "--label", "y", "--score", "s", "--null-values", str(2**53)) == [(0.5, 3)]


def test_large_integers_and_texts_for_missing_stay_apart() -> None:
    """Large integers remain distinct, with or without texts in the column."""
    rows = "y,s\n1,9223372036854775810\n0,9223372036854775809\n1,9223372036854775812\n0,9223372036854775811\n"
    Path("x.csv").write_text(f"{rows}0,NA\n")
    assert areas("x.csv", "--label", "y", "--score", "s") == [(0.75, 4)]


@pytest.mark.parametrize("missing", ["", "0;NA\n"])
def test_a_point_is_no_decimal_sign_with_decimal_commas(missing: str, capsys: Capture) -> None:
    Path("x.csv").write_text(f"y;s\n1;1.234\n0;0,5\n1;3\n0;2\n{missing}")
    arguments = ["--label", "y", "--decimal-comma", "--score"]
    message = refused(["report", "x.csv", *arguments, "s"], capsys)
    assert (
        "--score 's' contains texts ('1.234'), expected numbers. Hint: with --decimal-comma a point is"
        in message
    )
    hint = message.split("write --score ")[1].strip()
    assert hint == "\"CAST(REPLACE(REPLACE(s, '.', ''), ',', '.') AS DOUBLE) AS s\""
    assert areas("x.csv", *arguments, hint.strip('"')) == [(1.0, 4)]


def test_a_point_in_a_later_row_is_no_decimal_sign(capsys: Capture) -> None:
    Path("x.csv").write_text("y;s\n" + "1;1,5\n0;0,5\n" * 5_010 + "1;1.234\n")
    message = refused(["report", "x.csv", "--label", "y", "--score", "s", "--decimal-comma"], capsys)
    assert "--score 's' contains texts ('1.234'), expected numbers" in message


def test_a_file_of_many_texts_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One scan covers all columns."""
    names = [f"c{place}" for place in range(300)]
    rows = pl.DataFrame({"y": [1, 0], "score": [0.2, 0.1]})
    rows.with_columns(pl.lit("a").alias(name) for name in names).write_csv("x.csv")
    scans = []
    scan_csv = pl.scan_csv

    def counted(*arguments: Any, **options: Any) -> pl.LazyFrame:
        scans.append(arguments)
        return scan_csv(*arguments, **options)

    monkeypatch.setattr(pl, "scan_csv", counted)
    command = ["--label", "y", "--score", "score", "--null-values", "NA", "--by", "c0"]
    assert areas("x.csv", *command) == [(1.0, 2)]
    assert len(scans) < 20
    scans.clear()
    assert main(["init", "x.csv", "-o", "c.toml"]) in (0, 3)
    assert len(scans) < 100


def test_the_hint_for_texts_with_decimal_commas_keeps_commas(capsys: Capture) -> None:
    Path("x.csv").write_text("y;s\n1;1,5\n0;0,5\n1;3\n0;none yet\n0;2\n")
    arguments = ["--label", "y", "--decimal-comma", "--score"]
    hint = refused(["report", "x.csv", *arguments, "s"], capsys).split("write --score ")[1].strip()
    assert areas("x.csv", *arguments, hint.strip('"')) == [(0.75, 4)]


# NA is the code of Namibia; without it three rows remain.
COUNTRIES = "y,s,g\n1,3,NA\n0,1,NA\n1,2,ZA\n0,1,ZA\n1,0,NB\n"


@pytest.mark.parametrize(
    ("label", "n"),
    [
        ("g = 'NA'", 5),
        ("UPPER(g) = 'NA'", 5),
        ("g || 'x' = 'NAx'", 5),
        ("LEFT(g, 1) = 'N'", 5),
        ("g LIKE 'N%'", 5),
        ("g NOT LIKE 'N%'", 5),
        ("g ~ '^N'", 5),
        ("CASE WHEN LOWER(g) = 'na' THEN TRUE ELSE FALSE END", 5),
        ("UPPER(g) = 'ZA'", 3),
        ("g LIKE 'Z%'", 3),
        ("g <> 'ZA'", 3),
        ("g >= 'P'", 3),
    ],
)
def test_a_text_that_sql_looks_for_is_not_missing(label: str, n: int) -> None:
    Path("x.csv").write_text(COUNTRIES)
    [(_, used)] = areas("x.csv", "--label", label, "--score", "s")
    assert used == n


@pytest.mark.parametrize(
    "option",
    [
        ["--where", "g LIKE 'N%' OR UPPER(g) = 'ZA'"],
        ["--by", "UPPER(g) AS g2"],
        ["--by", "g LIKE 'N%' AS is_n"],
    ],
)
def test_a_label_takes_no_group_away(option: list[str]) -> None:
    Path("x.csv").write_text(COUNTRIES)
    arguments = ["--label", "CASE WHEN g = 'ZA' THEN TRUE ELSE FALSE END", "--score", "s"]
    [(_, used)] = areas("x.csv", *arguments, *option)
    assert used == 5
    if "AS g2" in option[-1]:
        assert pl.read_parquet("out.parquet")["g2"].to_list() == ["NA", "NB", "ZA", None]
