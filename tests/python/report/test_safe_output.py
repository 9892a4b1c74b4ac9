"""Text of users in files and terminals: it is shown unchanged and never interpreted."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest

import polars_auc as pa
from polars_auc._commands.main import main
from polars_auc._page.escapes import changed_cells, with_formulas, without_formulas
from polars_auc._page.files import replace_file
from polars_auc._page.markdown import markdown_text
from polars_auc._plots.names import visible

Capture = pytest.CaptureFixture[str]

HOSTILE = [
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](http://evil.example/p.png)",
    "a|b||c",
    "`code` ``more``",
    "**bold** _it_ ~~gone~~",
    "two\nlines\r\nthree",
    "\x1b[31mred\x1b[0m\x07",
    "\u202egnp.exe\u202c",
    "zero\u200bwidth\ufeff",
    "https://evil.example www.evil.example a@evil.example",
    "&lt;b&gt; $x$ # h",
    "\\",
]


def rows(values: list[str], score: str = "s") -> pl.DataFrame:
    """Return rows with a group for each value."""
    return pl.DataFrame(
        {
            "g": [value for value in values for _ in range(4)],
            "y": [0, 1, 0, 1] * len(values),
            score: [0.1, 0.4, 0.3, 0.6] * len(values),
        }
    )


def command_on(folder: Path, values: list[str], score: str = "s", command: str = "report") -> list[str]:
    rows(values, score).write_parquet(folder / "rows.parquet")
    return [command, str(folder / "rows.parquet"), "--label", "y", f"--score={score}", "--by", "g"]


def test_invisible_characters_are_escaped() -> None:
    assert visible("a b_ä漢é") == "a b_ä漢é"
    assert visible("\x1b[2J\x00\x7f\x85\n\t\r") == r"\x1b[2J\x00\x7f\x85\n\t\r"
    assert visible("a\u202eb\u2066\u200b\u200d\ufeff\u2028\xa0\xad") == (
        r"a\u202eb\u2066\u200b\u200d\ufeff\u2028\xa0\xad"
    )
    # Fillers and variation selectors are letters and marks without a width.
    assert visible("a\u3164\ufe0f\u034f\U000e0041") == r"a\u3164\ufe0f\u034f\U000e0041"
    assert visible("a\nb\x1b", keep="\n") == "a\nb\\x1b"


def test_markdown_shows_text_as_it_is() -> None:
    assert markdown_text("risk_score Q1-2 (new), 5 % of a.b") == "risk_score Q1-2 (new), 5 % of a.b"
    assert markdown_text("<b>") == r"\<b\>"
    assert markdown_text("[x](javascript:alert(1))") == r"\[x\](javascript:alert(1))"
    assert markdown_text("a|b`c`*d*~e~") == r"a\|b\`c\`\*d\*\~e\~"
    assert markdown_text("_it_ a_b __init__") == r"\_it\_ a_b \_\_init\_\_"
    assert markdown_text("https://e.x www.e.x a@e.x") == r"https\://e.x www\.e.x a\@e.x"
    assert markdown_text("&lt; $x$ # h \\") == r"\&lt; \$x\$ \# h \\"
    assert markdown_text("a\nb") == r"a\\nb"


@pytest.mark.parametrize("command", ["report", "gains"])
def test_no_group_and_no_score_writes_to_a_terminal(tmp_path: Path, command: str, capsys: Capture) -> None:
    assert main([*command_on(tmp_path, HOSTILE, "s\x1b[2J\u202e", command), "--limit", "200"]) == 0
    out, err = capsys.readouterr()
    for text in (out, err):
        assert all(character.isprintable() or character == "\n" for character in text)
    assert r"\x1b[31mred\x1b[0m\x07" in out
    assert r"two\nlines\r\nthree" in out


def test_no_message_writes_to_a_terminal(tmp_path: Path, capsys: Capture) -> None:
    for options in (["--where", "g = '\x1b[2J'"], ["--fail-if", "auc < 2 OR score = '\u202e'"], ["\x1b[2J"]):
        main([*command_on(tmp_path, HOSTILE), "--keep-going", *options])
    frame = rows(HOSTILE).with_columns(s=pl.lit(float("nan")))
    frame.write_parquet(tmp_path / "nan.parquet")
    assert main(["gains", str(tmp_path / "nan.parquet"), "--label", "y", "--score", "s", "--by", "g"]) in (
        2,
        3,
    )
    for text in capsys.readouterr():
        assert all(character.isprintable() or character == "\n" for character in text)


def test_a_table_that_is_piped_to_a_terminal(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for kind in ("csv", "json", "md"):
        assert main([*command_on(tmp_path, HOSTILE), "-o", "-", "--format", kind]) == 0
        out = capsys.readouterr().out
        assert all(character.isprintable() or character == "\n" for character in out), kind
        assert "overall" in out


def test_a_page_of_markdown_has_no_text_of_users_but_as_text(tmp_path: Path) -> None:
    report = pa.report(rows(HOSTILE, "<i>s</i>").rename({"g": "g|<u>"}).lazy(), "y", "<i>s</i>", by="g|<u>")
    about = {"Data <b>": "[x](javascript:alert(1)) | `a`"}
    path = pa.write_report(report, tmp_path / "r.md", title="<h1> [a](b)", about=about)
    text = path.read_text(encoding="utf-8")
    assert {"<", ">", "[", "]", "`", "*", "~", "$", "#"} & set(_plain(text.removeprefix("# "))) == set()
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(HOSTILE) + 1
    assert len({line.replace("\\|", "").count("|") for line in table}) == 1
    assert text.splitlines()[0] == r"# \<h1\> \[a\](b)"
    assert text.splitlines()[2] == r"- Data \<b\>: \[x\](javascript:alert(1)) \| \`a\`"


def _plain(text: str) -> str:
    """Return Markdown without escapes."""
    rest, plain = iter(text), ""
    for character in rest:
        if character == "\\":
            next(rest, "")
        else:
            plain += character
    return plain


def test_the_page_of_markdown_of_the_shell(tmp_path: Path, capsys: Capture) -> None:
    arguments = command_on(tmp_path, HOSTILE, "s<b>")
    out = tmp_path / "r.md"
    gate = ["--fail-if", "auc < 0 OR score = '<script>'", "--where", "g <> '`<b>`'"]
    assert main([*arguments, *gate, "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    outside = [part for place, part in enumerate(text.replace("`` g <> '`<b>`' ``", "").split("`"))]
    assert "<script>" not in _plain(text.replace("`` g <> '`<b>`' ``", ""))
    assert "<b>" not in _plain("".join(outside[::2]))
    capsys.readouterr()


CELLS = {
    "=1+1": "'=1+1",
    "+cmd": "'+cmd",
    "-rating": "'-rating",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t=1",
    "\r=1": "'\r=1",
    "\n=1": "'\n=1",
    "\uff1d1": "'\uff1d1",
    "'=1": "''=1",
    "''-a": "'''-a",
    "-5": "-5",
    "+3.25": "+3.25",
    "-1e-5": "-1e-5",
    "a=b": "a=b",
    "'quoted'": "'quoted'",
    "": "",
}


def test_cells_that_would_be_formulas() -> None:
    table = pl.DataFrame({"=a": list(CELLS), "n": [-1.5] * len(CELLS)}).with_columns(
        c=pl.col("=a").cast(pl.Categorical)
    )
    safe = without_formulas(table)
    assert safe.columns == ["'=a", "n", "c"]
    assert safe["'=a"].to_list() == list(CELLS.values())
    assert safe["c"].cast(pl.String).to_list() == list(CELLS.values())
    assert safe["n"].equals(table["n"])
    assert changed_cells(table) == 2 * sum(key != value for key, value in CELLS.items()) + 1
    back = with_formulas(safe)
    assert back.columns == table.columns
    assert back["=a"].to_list() == list(CELLS)


def test_csv_of_all_commands(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out.csv"
    for command, cells in (("report", 3), ("gains", 20), ("thresholds", 2), ("curve", 10)):
        arguments = command_on(tmp_path, ["=cmd", "b"], command=command)
        arguments[4] = "--score=-s"
        assert main([*arguments, "-o", str(out)]) == 0
        stderr = capsys.readouterr().err
        assert "of text begin with =, +, - or @" in stderr or "begin with = or" in stderr, command
        assert "--keep-formulas" in stderr
        lines = out.read_text().splitlines()
        assert not any(cell.startswith(("=", "+", "@")) for line in lines for cell in line.split(","))
        assert any("'=cmd" in line for line in lines)
        assert any("'-s" in line for line in lines)
        assert main([*arguments, "--keep-formulas", "-o", str(out)]) == 0
        assert "apostrophe" not in capsys.readouterr().err
        assert any("=cmd" in line and "'=cmd" not in line for line in out.read_text().splitlines())
        assert main([*arguments, "--keep-formulas", "-o", str(tmp_path / "out.json")]) == 2
        assert "--keep-formulas is for .csv" in capsys.readouterr().err
        assert cells
    assert main([*command_on(tmp_path, ["a"]), "-o", str(out)]) == 0
    assert "apostrophe" not in capsys.readouterr().err


def test_csv_of_write_report(tmp_path: Path) -> None:
    report = pa.report(rows(["=cmd", "-5"]).lazy(), "y", "s", by="g")
    path = pa.write_report(report, tmp_path / "r.csv")
    assert pl.read_csv(path, infer_schema=False)["g"].to_list() == ["-5", "'=cmd", None]
    pa.write_report(report, path, keep_formulas=True)
    assert pl.read_csv(path, infer_schema=False)["g"].to_list() == ["-5", "=cmd", None]
    with pytest.raises(ValueError, match=r"write_report: keep_formulas is for \.csv"):
        pa.write_report(report, tmp_path / "r.md", keep_formulas=True)


def test_an_earlier_report_as_csv_has_the_same_groups(tmp_path: Path, capsys: Capture) -> None:
    arguments = command_on(tmp_path, ["=cmd", "-a", "'-a", "b"])
    out = tmp_path / "may.csv"
    assert main([*arguments, "-o", str(out)]) == 0
    new = tmp_path / "june.parquet"
    assert main([*arguments, "--compare-to", str(out), "-o", str(new)]) == 0
    assert pl.read_parquet(new)["previous_n"].null_count() == 0
    assert "that are not here" not in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".csv", ".md", ".parquet", ".html"])
def test_a_file_that_may_not_be_written_stays(tmp_path: Path, ending: str, capsys: Capture) -> None:
    out = tmp_path / f"out{ending}"
    out.write_bytes(b"mine")
    out.chmod(0o444)
    command = "curve" if ending == ".html" else "report"
    assert main([*command_on(tmp_path, ["a"], command=command), "-o", str(out)]) == 2
    assert f"{str(out)!r} may not be written: its mode is 0444" in capsys.readouterr().err
    link = tmp_path / f"link{ending}"
    link.symlink_to(out)
    assert main([*command_on(tmp_path, ["a"], command=command), "-o", str(link)]) == 2
    if ending != ".html":
        with pytest.raises(ValueError, match=r"write_report: path .* may not be written"):
            pa.write_report(pa.report(rows(["a"]).lazy(), "y", "s"), out)
    with pytest.raises(PermissionError):
        replace_file(out, b"new")
    assert out.read_bytes() == b"mine"
    assert stat.S_IMODE(out.stat().st_mode) == 0o444


def test_the_mode_of_a_replaced_file_stays(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_bytes(b"mine")
    out.chmod(0o620)
    replace_file(out, b"new")
    assert out.read_bytes() == b"new"
    assert stat.S_IMODE(out.stat().st_mode) == 0o620


@pytest.mark.skipif(not hasattr(os, "chown"), reason="owners are of Unix")
def test_the_owner_of_a_replaced_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.csv"
    out.write_bytes(b"mine")
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(out, 12345, 23456)
    before = out.stat()
    replace_file(out, b"new")
    assert (out.stat().st_uid, out.stat().st_gid) == (before.st_uid, before.st_gid)
    # Without permission to change the owner, the old file is overwritten in place.
    real = os.stat

    def stat_of_another(path: str | Path, *arguments: object, **words: object) -> os.stat_result:
        found = list(real(path, *arguments, **words))  # type: ignore[arg-type]
        found[4] = 54321
        return os.stat_result(found)

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("polars_auc._page.files.os.chown", refused)
    monkeypatch.setattr("polars_auc._page.files.os.stat", stat_of_another)
    number = real(out).st_ino
    replace_file(out, b"newer")
    assert out.read_bytes() == b"newer"
    assert real(out).st_ino == number
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


def test_null_is_not_the_text_null_and_a_group_is_not_the_total(tmp_path: Path, capsys: Capture) -> None:
    values: list[str | None] = ["null", None, "overall", "", "(all)", "a"]
    frame = pl.DataFrame({"g": values * 4, "y": [0] * 12 + [1] * 12, "s": [float(n % 7) for n in range(24)]})
    frame.write_parquet(tmp_path / "r.parquet")
    arguments = [str(tmp_path / "r.parquet"), "--label", "y", "--score", "s", "--by", "g"]
    printed: Mapping[str, list[str]] = {
        "report": ['""', '"(all)"', "a", '"null"', '"overall"', "null", "overall"],
        "thresholds": ['""', '"(all)"', "a", '"null"', '"overall"', "null"],
    }
    for command, names in printed.items():
        assert main([command, *arguments]) == 0
        lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
        assert [line.strip("│").split("┆")[0].strip() for line in lines[1:]] == names
        out = tmp_path / "out.md"
        assert main([command, *arguments, "--quiet", "-o", str(out)]) == 0
        lines = [line for line in out.read_text().splitlines() if line.startswith("|")]
        assert [line.strip("|").split("|")[0].strip() for line in lines[2:]] == names
