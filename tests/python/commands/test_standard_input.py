"""``-``: rows piped into a command."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]
Pipe = Callable[[bytes], None]

DATA = Path(__file__).parents[3] / "data" / "breast_cancer.parquet"
ROWS = pl.read_parquet(DATA)
COLUMNS = ["--label", "label", "--score", "forest", "--by", "segment"]


def _bytes(write: Callable[[pl.DataFrame, io.BytesIO], object]) -> bytes:
    contents = io.BytesIO()
    write(ROWS, contents)
    return contents.getvalue()


KINDS: dict[str, bytes] = {
    "parquet": DATA.read_bytes(),
    "csv": _bytes(lambda rows, file: rows.write_csv(file)),
    "csv with a mark": b"\xef\xbb\xbf" + _bytes(lambda rows, file: rows.write_csv(file)),
    "tsv": _bytes(lambda rows, file: rows.write_csv(file, separator="\t")),
    "ndjson": _bytes(lambda rows, file: rows.write_ndjson(file)),
    "ipc": _bytes(lambda rows, file: rows.write_ipc(file)),
    "ipc stream": _bytes(lambda rows, file: rows.write_ipc_stream(file)),
}


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Pipe:
    def piped(contents: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(contents)))

    return piped


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_each_kind(tmp_path: Path, pipe: Pipe, kind: str) -> None:
    expected, out = tmp_path / "expected.parquet", tmp_path / "out.parquet"
    assert main(["report", str(DATA), *COLUMNS, "-o", str(expected)]) == 0
    pipe(KINDS[kind])
    assert main(["report", "-", *COLUMNS, "-o", str(out)]) == 0
    assert_frame_equal(pl.read_parquet(out), pl.read_parquet(expected))


@pytest.mark.parametrize("command", ["report", "curve", "gains", "thresholds", "compare", "state"])
def test_all_commands_read_it(tmp_path: Path, pipe: Pipe, command: str) -> None:
    options = [*COLUMNS, *(["--score", "tree"] if command == "compare" else [])]
    tables = []
    for name in (str(DATA), "-"):
        pipe(KINDS["csv"])
        out = tmp_path / "out.parquet"
        assert main([command, name, *options, "-o", str(out)]) == 0
        tables.append(pl.read_parquet(out))
    assert_frame_equal(*tables)


def test_states_are_read_and_merged(tmp_path: Path, pipe: Pipe) -> None:
    states = tmp_path / "states.parquet"
    assert main(["state", str(DATA), *COLUMNS, "-o", str(states)]) == 0
    for command, output in (("merge", "merged.parquet"), ("report", "report.parquet")):
        pipe(states.read_bytes())
        options = ["--from-states"] if command == "report" else []
        assert main([command, "-", *options, "--by", "segment", "-o", str(tmp_path / output)]) == 0
    assert pl.read_parquet(tmp_path / "merged.parquet").equals(pl.read_parquet(states))


def test_options_that_read_the_rows_again(tmp_path: Path, pipe: Pipe) -> None:
    for options in (
        ["--bounded"],
        ["--keep-going"],
        ["--versus", "rest", "--folds", "fold"],
        ["--nan", "skip"],
    ):
        pipe(KINDS["ndjson"])
        out = tmp_path / "out.md"
        assert main(["report", "-", *COLUMNS, *options, "-o", str(out)]) == 0
        assert "- Data: standard input\n" in out.read_text(encoding="utf-8")
    pipe(KINDS["csv"])
    assert main(["init", "-", "-o", str(tmp_path / "c.toml")]) == 0
    assert 'files = ["-"]' in (tmp_path / "c.toml").read_text(encoding="utf-8")


def test_a_pipe_of_a_shell() -> None:
    command = [sys.executable, "-m", "polars_auc", "report", "-", *COLUMNS, "-o", "-", "--format", "csv"]
    ran = subprocess.run(command, input=KINDS["tsv"], capture_output=True, check=True)
    assert ran.stdout.startswith(b"scope,segment,score,n,")
    assert ran.stderr == b""


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "standard input is empty"),
        (b" \n", "standard input is empty"),
        (b"\xef\xbb\xbf\n", "standard input is empty"),
        (b'[{"y": 1}]', "standard input is one list of JSON. Hint: write one object on each line"),
        (b"PAR1 and nothing else", "cannot read '-': "),
        (b"\xff\xff\xff\xff\x00", "cannot read standard input: "),
        (b"a,b\n1,2\n", "--label names the column 'label', which is not in the files, expected one of a, b"),
    ],
)
def test_what_is_refused(pipe: Pipe, contents: bytes, message: str, capsys: Capture) -> None:
    pipe(contents)
    assert main(["report", "-", *COLUMNS]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert "polars-auc-" not in err


def test_a_terminal_is_no_input(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stdin in (Terminal(), None):
        monkeypatch.setattr(sys, "stdin", stdin)
        assert main(["report", "-", *COLUMNS]) == 2
        assert "- reads standard input, and nothing is piped into it" in capsys.readouterr().err


def test_nothing_is_left_behind(tmp_path: Path, pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for contents in (KINDS["csv"], b"a,b\n1,2\n"):
        pipe(contents)
        main(["report", "-", *COLUMNS])
        assert list(tmp_path.iterdir()) == []


def test_other_files_with_it(tmp_path: Path, pipe: Pipe) -> None:
    ROWS.head(300).write_csv(tmp_path / "a.csv")
    pipe(_bytes(lambda rows, file: rows.slice(300).write_csv(file)))
    out = tmp_path / "out.parquet"
    assert main(["report", str(tmp_path / "a.csv"), "-", *COLUMNS, "-o", str(out)]) == 0
    assert pl.read_parquet(out)["n"][-1] == ROWS.height
