"""Kinds of files, column types over several files, and unsupported files."""

from __future__ import annotations

import bz2
import datetime
import gzip
import http.server
import io
import lzma
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

from polars_auc._commands.main import main

Capture = pytest.CaptureFixture[str]

ROWS = pl.DataFrame(
    {"y": [1, 0, 1, 0, 1], "s": [0.9, 0.4, 0.3, 0.1, 0.95], "g": ["ä", "b", "ä", "b", "b"]},
)
COLUMNS = ["--label", "y", "--score", "s"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def report_of(*arguments: str) -> pl.DataFrame:
    assert main(["report", *arguments, "--quiet", "-o", "out.parquet"]) == 0
    return pl.read_parquet("out.parquet")


def areas(*arguments: str) -> list[tuple[float | None, int]]:
    return list(report_of(*arguments).filter(scope="overall").select("auc", "n").iter_rows())


def refused(arguments: list[str], capsys: Capture) -> str:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    return err


def contents(write: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def zipped(written: bytes) -> bytes:
    """Compress without a timestamp, because test names must be reproducible."""
    return gzip.compress(written, mtime=0)


CSV = contents(ROWS.write_csv)
EUROPEAN = CSV.replace(b",", b";").replace(b"0.", b"0,")
KINDS: dict[str, tuple[str, bytes, list[str]]] = {
    "gzip": ("x.csv.gz", zipped(CSV), []),
    "gzip without its ending": ("x.csv", zipped(CSV), []),
    "text": ("x.txt", CSV, []),
    "no ending": ("x", CSV, []),
    "tabs": ("x.csv", CSV.replace(b",", b"\t"), []),
    "bars": ("x.psv", CSV.replace(b",", b"|"), []),
    "semicolons": ("x.csv", CSV.replace(b",", b";"), []),
    "another separator": ("x.csv", CSV.replace(b",", b"~"), ["--separator", "~"]),
    "a tab": ("x.csv", CSV.replace(b",", b"\t"), ["--separator", "\\t"]),
    "decimal comma": ("x.csv", EUROPEAN, ["--decimal-comma"]),
    "decimal comma and missing": ("x.csv", EUROPEAN + b"NA;NA;b\n", ["--decimal-comma"]),
    "windows-1252": ("x.csv", CSV.decode().encode("windows-1252"), ["--encoding", "windows-1252"]),
    "windows-1252 by gzip": (
        "x.csv.gz",
        zipped(CSV.decode().encode("windows-1252")),
        ["--encoding", "windows-1252"],
    ),
    "utf-16": ("x.csv", CSV.decode().encode("utf-16"), []),
    "utf-16 without a mark": ("x.csv", CSV.decode().encode("utf-16-le"), ["--encoding", "utf-16-le"]),
    "Parquet of another ending": ("x.csv", contents(ROWS.write_parquet), []),
    "Parquet without ending": ("part-0", contents(ROWS.write_parquet), []),
    "NDJSON": ("x.json", contents(ROWS.write_ndjson), []),
    "NDJSON by gzip": ("x.json.gz", zipped(contents(ROWS.write_ndjson)), []),
    "Arrow": ("x.dat", contents(ROWS.write_ipc), []),
    "Arrow stream": ("x.arrow", contents(ROWS.write_ipc_stream), []),
}


@pytest.mark.parametrize("kind", KINDS)
def test_first_bytes_determine_the_kind_of_a_file(kind: str) -> None:
    ROWS.write_parquet("expected.parquet")
    name, written, options = KINDS[kind]
    Path(name).write_bytes(written)
    result = report_of(name, *COLUMNS, *options, "--by", "g")
    expected = report_of("expected.parquet", *COLUMNS, "--by", "g")
    assert result.drop("n_missing").equals(expected.drop("n_missing"), null_equal=True)


@pytest.mark.parametrize(
    ("name", "written", "message"),
    [
        ("x.csv.bz2", bz2.compress(CSV), "it is compressed by bzip2. Hint: decompress it"),
        ("x.csv.xz", lzma.compress(CSV), "it is compressed by xz. Hint: decompress it"),
        ("x.avro", b"Obj\x01...", "it is an Avro file. Hint: write it as Parquet"),
        ("x.orc", b"ORC...", "it is an ORC file. Hint: write it as Parquet"),
        (
            "x.xlsx",
            b"PK\x03\x04...",
            "it is a ZIP archive or a workbook. Hint: unpack it, or save the sheet as CSV",
        ),
        ("x.db", b"SQLite format 3\x00", "it is an SQLite database"),
        ("x.bin", b"\x01\x02\x00\x03", "neither Parquet, Arrow IPC nor text in UTF-8"),
        ("x.csv", CSV.decode().encode("latin-1"), "write it, as in --encoding windows-1252"),
        (
            "x.csv.gz",
            zipped(CSV.decode().encode("latin-1")),
            "write its encoding, as in --encoding windows-1252",
        ),
        ("x.json", b'[{"y": 1}]', "is one list of JSON. Hint: write one object on each line"),
        ("x.csv", CSV.replace(b",", b"~"), "If --separator is another character, write it"),
        ("x.csv", EUROPEAN, "if the comma is the decimal sign, write --decimal-comma"),
    ],
)
def test_unreadable_files_have_a_reason(name: str, written: bytes, message: str, capsys: Capture) -> None:
    Path(name).write_bytes(written)
    error = refused(["report", name, *COLUMNS], capsys)
    assert message in error
    assert "separator" in message or "decimal" in message or name in error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--separator", ";;"], "--separator must be one character, got ';;'"),
        (
            ["--separator", ",", "--decimal-comma"],
            "--separator is the comma, which --decimal-comma puts into",
        ),
        (["--encoding", "klingon"], "--encoding must be the name of an encoding, got 'klingon'"),
        (["--separator", ";"], "--separator is for text files, got 'x.parquet'"),
        (["--encoding", "latin-1"], "--encoding is for text files"),
    ],
)
def test_refused_options(options: list[str], message: str, capsys: Capture) -> None:
    ROWS.write_parquet("x.parquet")
    assert message in refused(["report", "x.parquet", *COLUMNS, *options], capsys)


class Server(http.server.BaseHTTPRequestHandler):
    files: ClassVar[dict[str, bytes]] = {}

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        whole = self.files[self.path]
        range_header = self.headers.get("Range")
        part = whole
        if range_header is not None:
            first, last = range_header.removeprefix("bytes=").split("-")
            start = int(first) if first else max(0, len(whole) - int(last))
            end = min(len(whole), int(last) + 1) if first and last else len(whole)
            part = whole[start:end]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(whole)}")
        else:
            self.send_response(200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if body:
            self.wfile.write(part)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def address() -> Iterator[str]:
    Server.files = {
        "/x.csv?token=a%2Fb": CSV,
        "/download?id=5": CSV,
        "/x.parquet?token=a": contents(ROWS.write_parquet),
    }
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("name", ["/x.csv?token=a%2Fb", "/download?id=5", "/x.parquet?token=a"])
def test_an_address_with_a_token(address: str, name: str) -> None:
    ROWS.write_parquet("x.parquet")
    assert areas(f"{address}{name}", *COLUMNS) == areas("x.parquet", *COLUMNS)


def test_parquet_files_of_differing_types() -> None:
    """pandas writes floats if any value is missing."""
    pl.DataFrame({"y": [], "s": []}, {"y": pl.Null, "s": pl.String}).write_parquet("0.parquet")
    parts = [
        pl.DataFrame({"y": [1, 0], "s": [3, 1], "zip": [123, 5]}),
        pl.DataFrame({"y": [1.0, None], "s": [2.5, 0.5], "zip": ["00123", "x"]}),
        pl.DataFrame({"y": [True, False], "s": pl.Series([2, 3], dtype=pl.Int32), "zip": ["5", None]}),
    ]
    for place, part in enumerate(parts, start=1):
        part.write_parquet(f"{place}.parquet")
    types = {"y": pl.Float64, "s": pl.Float64, "zip": pl.String}
    together = pl.concat(part.cast(types) for part in parts)  # type: ignore[arg-type]
    together.write_parquet("together.parquet")
    expected = report_of("together.parquet", *COLUMNS, "--by", "zip")
    for names in (
        ["0.parquet", "1.parquet", "2.parquet", "3.parquet"],
        ["3.parquet", "2.parquet", "1.parquet"],
    ):
        assert report_of(*names, *COLUMNS, "--by", "zip").equals(expected, null_equal=True)
    assert areas("[0-9].parquet", *COLUMNS) == areas("together.parquet", *COLUMNS)


def test_sorted_rows_of_differing_types_stay_in_order() -> None:
    for place, number in enumerate((1, 1.5, 2, 2.5)):
        rows = pl.DataFrame({"y": [1, 0, 1], "s": [number, 1, 3], "g": [place] * 3}, strict=False)
        rows.with_columns(t=-pl.col("s")).write_parquet(f"{place}.parquet")
    arguments = ["[0-9].parquet", *COLUMNS, "--score", "t", "--by", "g"]
    assert report_of(*arguments, "--sorted-by", "g").equals(report_of(*arguments), null_equal=True)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_times_with_and_without_zones(kind: str, capsys: Capture) -> None:
    rows = ROWS.with_columns(at=datetime.datetime(2026, 5, 1))
    others = rows.with_columns(pl.col("at").dt.replace_time_zone("UTC"))
    for name, table in (("1", rows), ("2", others)):
        table.write_parquet(f"{name}.{kind}") if kind == "parquet" else table.write_ipc(f"{name}.{kind}")
    files = [f"1.{kind}", f"2.{kind}"]
    assert areas(*files, *COLUMNS)[0][1] == 10
    message = refused(["report", *files, *COLUMNS, "--by", "at"], capsys)
    assert (
        f"--by names the column 'at', which is Datetime(time_unit='us', time_zone=None) in '1.{kind}' and "
        in message
    )
    assert (
        f"in '2.{kind}', and no common type exists. Hint: write all times with a time zone, or all without"
        in message
    )


def test_decimals_below_the_first_rows(capsys: Capture) -> None:
    head = "".join(f"{row % 2},{row % 7},{row % 3}\n" for row in range(10_050))
    Path("late.csv").write_text(f"y,s,t\n{head}1,0.5,NA\nNA,7,1\n")
    rows = pl.read_csv("late.csv", infer_schema_length=None, null_values="NA")
    rows.write_parquet("late.parquet")
    command = [*COLUMNS, "--score", "t"]
    for arguments in (command, [*command, "--keep-going"], [*command, "--bounded"]):
        assert areas("late.csv", *arguments) == areas("late.parquet", *arguments)
    Path("late.ndjson").write_text('{"y": 1, "s": 1}\n{"y": 0, "s": 2}\n' * 5_010 + '{"y": 0, "s": 0.5}\n')
    assert areas("late.ndjson", *COLUMNS)[0][1] == 10_021
    Path("words.csv").write_text(f"y,s,t\n{head}1,many,1\n")
    assert "--score 's' contains texts ('many')" in refused(["report", "words.csv", *COLUMNS], capsys)


@pytest.mark.parametrize("values", [("1.1", "1.10"), ("00123", "123")])
def test_groups_written_differently_stay_different(values: tuple[str, str], capsys: Capture) -> None:
    lines = []
    for place, value in enumerate(values):
        part = Path("hive") / f"v={value}"
        part.mkdir(parents=True)
        rows = ROWS.with_columns(s=pl.col("s") * (-1) ** place)
        rows.write_parquet(part / "x.parquet")
        lines += [f"{y},{s},{value}\n" for y, s, _ in rows.iter_rows()]
    Path("rows.csv").write_text("y,s,v\n" + "".join(lines))
    for files in ("hive", "rows.csv"):
        assert sorted(report_of(files, *COLUMNS, "--by", "v")["v"].drop_nulls()) == sorted(values)
        assert main(["gains", files, *COLUMNS, "--by", "v"]) == 0
        one, other = sorted(values)
        message = f"polars-auc: 'v' is read as text, because {one!r} and {other!r} are the same number\n"
        assert capsys.readouterr().err.count(message) == 1
    assert report_of("hive", *COLUMNS, "--where", f"v = '{values[0]}'")["n"].to_list() == [5]


def test_a_version_alone_keeps_its_zero() -> None:
    ROWS.write_parquet("hive/v=1.10/x.parquet", mkdir=True)
    assert report_of("hive", *COLUMNS, "--by", "v")["v"].to_list() == ["1.10", None]
    ROWS.with_columns(v=pl.lit("1.10")).write_csv("v.csv")
    assert report_of("v.csv", *COLUMNS, "--by", "v")["v"].to_list() == ["1.10", None]
    Path("comma.csv").write_text("y;s;v\n1;0,5;1,10\n0;0,4;1,10\n1;0,5;1,1\n")
    keys = report_of("comma.csv", *COLUMNS, "--decimal-comma", "--by", "v")["v"]
    assert keys.to_list() == ["1,1", "1,10", None]
    ROWS.write_parquet("other/v=0.5/x.parquet", mkdir=True)
    assert report_of("other", *COLUMNS, "--by", "v", "--where", "v < 1")["v"].to_list() == [0.5, None]


def test_numbers_of_groups_stay_numbers() -> None:
    for month in ("01", "02", "10"):
        (Path("hive") / f"month={month}").mkdir(parents=True)
        ROWS.write_parquet(Path("hive") / f"month={month}" / "x.parquet")
    assert report_of("hive", *COLUMNS, "--by", "month", "--where", "month < 10")["month"].to_list() == [
        1,
        2,
        None,
    ]
    ROWS.with_columns(g=pl.Series([1, 2, 1, 2, 2])).write_csv("x.csv")
    assert report_of("x.csv", *COLUMNS, "--by", "g")["g"].to_list() == [1, 2, None]


def test_a_column_that_is_text_in_one_file_is_text_in_all(capsys: Capture) -> None:
    """The text is unchanged: 00123 is not 123."""
    Path("1.csv").write_text("y,s,zip\n1,2,00123\n0,1,00123\n")
    Path("2.csv").write_text("y,s,zip\n1,2,x\n0,1,123\n")
    assert report_of("1.csv", "2.csv", *COLUMNS, "--by", "zip")["zip"].to_list() == [
        "00123",
        "123",
        "x",
        None,
    ]
    capsys.readouterr()


def test_the_error_of_a_stray_file_among_partitions(capsys: Capture) -> None:
    for key in ("1", "2"):
        (Path("set") / f"k={key}").mkdir(parents=True)
        ROWS.write_parquet(Path("set") / f"k={key}" / "x.parquet")
    ROWS.write_parquet("set/old.parquet")
    message = refused(["report", "set", *COLUMNS, "--by", "k"], capsys)
    assert (
        "'set/old.parquet' cannot be read with the partitions: it is not in folders named k=..., unlike "
        in message
    )
    assert main(["report", "set", *COLUMNS, "--by", "k", "--keep-going"]) == 3
    assert "left out the file 'set/old.parquet'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["job", "job/**/*.parquet", "./job"])
def test_what_a_job_has_not_finished_is_left_out(name: str, capsys: Capture) -> None:
    Path("job/_temporary/0").mkdir(parents=True)
    Path("job/_SUCCESS").touch()
    for file in (
        "job/part-0.parquet",
        "job/_temporary/0/part-1.parquet",
        "job/.part-2.parquet",
        "job/_x.parquet",
    ):
        ROWS.write_parquet(file)
    assert main(["report", name, *COLUMNS, "-o", "out.md"]) == 0
    message = "3 unfinished files left out, whose names begin with _ or . below "
    assert capsys.readouterr().err.count(message) == 1
    assert message in Path("out.md").read_text()
    assert areas(name, *COLUMNS) == areas("job/part-0.parquet", *COLUMNS)
    # Explicit names include hidden files.
    assert areas("job/_temporary/**/*.parquet", *COLUMNS)[0][1] == 5
    assert areas("job/_x.parquet", *COLUMNS)[0][1] == 5
    assert areas("job/_*.parquet", *COLUMNS)[0][1] == 5


@pytest.mark.parametrize("pattern", ["./*.csv", "*.csv", "**.csv", "./**/*.csv", "../{folder}/*.csv"])
def test_unfinished_files_are_found_by_whole_names(pattern: str, tmp_path: Path, capsys: Capture) -> None:
    """In './ab_x.csv' the name does not begin with _."""
    for name in ("ab_x.csv", "c.csv"):
        ROWS.write_csv(name)
    pattern = pattern.format(folder=tmp_path.name)
    assert areas(pattern, *COLUMNS)[0][1] == 10
    assert capsys.readouterr().err == ""
    ROWS.write_csv(".d.csv")
    assert main(["report", pattern, *COLUMNS]) == 0
    stderr = capsys.readouterr().err
    assert "1 unfinished file left out" in stderr
    assert f"{str(Path(pattern).parent / '.d.csv').replace('**/', '')}'" in stderr


@pytest.mark.parametrize("name", ["missing/", "missing//", "miss**ing/*.csv"])
def test_a_missing_folder(name: str, capsys: Capture) -> None:
    assert f"no file matches {name!r}" in refused(["report", name, *COLUMNS], capsys)


def test_nothing_but_unfinished_files(capsys: Capture) -> None:
    Path("job/_temporary").mkdir(parents=True)
    ROWS.write_parquet("job/_temporary/x.parquet")
    message = refused(["report", "job", *COLUMNS], capsys)
    assert "finds unfinished files only, whose names begin with _ or .: 'job/_temporary/x.parquet'" in message


def test_partitions_may_begin_with_an_underscore() -> None:
    ROWS.write_parquet("set/_k=1/x.parquet", mkdir=True)
    assert report_of("set", *COLUMNS, "--by", "_k")["_k"].to_list() == [1, None]


def test_a_score_has_its_alias(capsys: Capture) -> None:
    ROWS.with_columns(t=pl.col("s") / 2).write_parquet("x.parquet")
    arguments = ["x.parquet", "--label", "y", "--score", "s + t AS p", "--score", "s"]
    assert report_of(*arguments)["score"].to_list() == ["p", "s"]
    for command, options in (("gains", []), ("thresholds", []), ("compare", []), ("curve", ["-o", "c.csv"])):
        assert main([command, *arguments, *options]) == 0
    assert main(["state", *arguments, "-o", "s.parquet"]) == 0
    assert pl.read_parquet("s.parquet").columns == ["p", "s"]
    assert report_of("s.parquet", "--from-states", "--score", "p")["score"].to_list() == ["p"]
    assert report_of(*arguments, "--compare", "--keep-going")["score"].to_list() == ["p", "s"]
    capsys.readouterr()
    assert "--score names one score twice" in refused(["report", *arguments, "--score", "t AS p"], capsys)


@pytest.mark.parametrize(
    "write", [pl.DataFrame.write_parquet, pl.DataFrame.write_ndjson, pl.DataFrame.write_csv]
)
@pytest.mark.parametrize("dtype", [pl.Int64, pl.UInt64])
def test_integers_that_are_no_floats_are_not_read_as_some(
    write: Callable[[pl.DataFrame, str], object], dtype: pl.DataType, capsys: Capture
) -> None:
    """Other files have floats in this column."""
    large = pl.DataFrame({"y": [1, 0], "s": [2**53 + 1, 2**53], "id": [2**60, 1]})
    write(large.cast({"s": dtype}), "a")
    write(pl.DataFrame({"y": [1, 0], "s": [1.5, 0.5], "id": [0.5, 1]}), "b")
    for files in (["a", "b"], ["b", "a"]):
        message = refused(["report", *files, *COLUMNS], capsys)
        assert "'a' has the integer 9007199254740993 in the column 's', which is Float64 in 'b'" in message
    # Unused columns are not checked.
    write(pl.DataFrame({"y": [1, 0], "s": [3, 2], "id": [2**60, 1]}).cast({"s": dtype}), "a")
    assert areas("a", "b", *COLUMNS) == [(0.75, 4)]
    message = refused(
        ["report", "a", "b", *COLUMNS, "--where", "date_trunc('day', DATE('2026-01-01')) > id"], capsys
    )
    assert "'a' has the integer 1152921504606846976 in the column 'id'" in message
