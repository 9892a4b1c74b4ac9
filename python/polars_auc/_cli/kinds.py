"""Detection of the kind of a file, by its first bytes."""

from __future__ import annotations

import codecs
import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import polars as pl

from polars_auc._cli.reading import reading
from polars_auc._cli.refusal import Refusal, first_line, flag
from polars_auc._cli.standard_input import STANDARD_INPUT, kept, kept_input

# The number of bytes for the detection.
_HEAD = 65_536

PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""

_IPC, _IPC_STREAM = b"ARROW1", b"\xff\xff\xff\xff"

# Compressions of text files that Polars supports.
_GZIP = b"\x1f\x8b"
_COMPRESSED = (_GZIP, b"\x28\xb5\x2f\xfd", b"\x78\x01", b"\x78\x9c", b"\x78\xda")

_UNREADABLE = {
    b"BZh": "is compressed by bzip2. Hint: decompress it, or compress it by gzip or zstd",
    b"\xfd7zXZ\x00": "is compressed by xz. Hint: decompress it, or compress it by gzip or zstd",
    b"\x04\x22\x4d\x18": "is compressed by LZ4. Hint: decompress it, or compress it by gzip or zstd",
    b"PK\x03\x04": "is a ZIP archive or a workbook. Hint: unpack it, or save the sheet as CSV",
    b"PARE": "is an encrypted Parquet file. Hint: write it without encryption",
    b"ORC": "is an ORC file. Hint: write it as Parquet",
    b"Obj\x01": "is an Avro file. Hint: write it as Parquet",
    b"\x89HDF": "is an HDF5 file. Hint: write it as Parquet",
    b"SQLite format 3\x00": "is an SQLite database. Hint: write its table as CSV",
}

_ENCODINGS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_MARK = codecs.BOM_UTF8
_SEPARATORS = ",\t;|"

# Fallback: the kind by file name ending, if the first bytes cannot be read.
_ENDINGS = {
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".ndjson": "NDJSON",
    ".jsonl": "NDJSON",
    ".arrow": "Arrow IPC",
    ".feather": "Arrow IPC",
    ".ipc": "Arrow IPC",
}


@dataclass(frozen=True)
class Kind:
    """The kind of a file, and the place to read it from."""

    name: str
    """Parquet, Arrow IPC, NDJSON, text or Delta."""
    place: str
    separator: str = ","


def kind_of(name: str) -> Kind:
    """Return the kind of a file; raise if it cannot be read."""
    kinds: dict[str, Kind] = reading().kinds
    if name not in kinds:
        kinds[name] = _kind_of(name)
    return kinds[name]


def _kind_of(name: str) -> Kind:
    if is_delta(name):
        return Kind("Delta", name)
    ending = _ending(name)
    place = str(kept_input()) if name == STANDARD_INPUT else name
    try:
        head = _head(place)
    except OSError as error:
        raise Refusal(f"cannot read {name!r}: {first_line(error)}") from error
    if head is None:
        kind = _ENDINGS.get(ending, "Parquet")
        return Kind(kind, place, _separator("\t" if ending == ".tsv" else ","))
    if head.startswith(PARQUET) or ending in (".parquet", ".pq"):
        return Kind("Parquet", place)
    if head.startswith(_IPC):
        return Kind("Arrow IPC", place)
    if head.startswith(_IPC_STREAM):
        return Kind("Arrow IPC", str(_whole_stream(name, place)))
    why = next((why for bytes_, why in _UNREADABLE.items() if head.startswith(bytes_)), None)
    if why is not None:
        raise Refusal(f"cannot read {_words(name)}: it {why}")
    return _kind_of_text(name, place, ending, head)


def is_delta(name: str) -> bool:
    """Return whether a name is a Delta table."""
    return (Path(name) / "_delta_log").is_dir()


def first_bytes(name: str, number: int = _HEAD) -> bytes:
    """Return the first bytes of a file; empty if it cannot be read."""
    try:
        with Path(name).open("rb") as file:
            return file.read(number)
    except OSError:
        return b""


def place_of(name: str) -> str:
    """Return the place to read the rows of a name from."""
    return kind_of(name).place


def _ending(name: str) -> str:
    """Return the ending of a name, without a compression suffix and without a URL query."""
    path = Path(urlsplit(name).path if "://" in name else name)
    path = path.with_suffix("") if path.suffix.lower() in (".gz", ".zst", ".zstd") else path
    return path.suffix.lower()


def _words(name: str) -> str:
    return "standard input" if name == STANDARD_INPUT else repr(name)


def _head(place: str) -> bytes | None:
    """Return the first bytes; None if they cannot be read, as in an object store."""
    if place.startswith(("http://", "https://")) and _ending(place) not in (*_ENDINGS, ".parquet"):
        import urllib.request

        request = urllib.request.Request(place, headers={"Range": f"bytes=0-{_HEAD - 1}"})
        with urllib.request.urlopen(request) as answer:
            return bytes(answer.read(_HEAD))
    if "://" in place or not Path(place).is_file():
        return None
    with Path(place).open("rb") as file:
        return file.read(_HEAD)


def _whole_stream(name: str, place: str) -> Path:
    """Convert an Arrow stream, which Polars cannot scan, to a file."""
    try:
        return kept(place, lambda file: pl.read_ipc_stream(place).write_ipc(file))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise Refusal(f"cannot read {_words(name)}: {first_line(error)}") from error


def _kind_of_text(name: str, place: str, ending: str, head: bytes) -> Kind:
    encoding = reading().options.encoding or next(
        (encoding for mark, encoding in _ENCODINGS.items() if head.startswith(mark)), "utf-8"
    )
    if head.startswith(_COMPRESSED) and not head.startswith(_GZIP) and not _is_utf8(encoding):
        raise Refusal(f"cannot read {_words(name)}: it is compressed text in {encoding}. Hint: decompress it")
    if head.startswith(_COMPRESSED) and _is_utf8(encoding):
        first = _first_line_of_compressed(name, place)
    else:
        if not _is_utf8(encoding):
            place = str(_in_utf8(name, place, encoding))
            head = first_bytes(place)
        text = head.removeprefix(_MARK).lstrip()
        if b"\x00" in head or not _can_be_utf8(head):
            raise Refusal(
                f"cannot read {_words(name)}: it is neither Parquet, Arrow IPC nor text in UTF-8; if it is "
                f"text in another encoding, write it, as in {flag('encoding')} windows-1252"
            )
        if not text and name == STANDARD_INPUT:
            raise Refusal("standard input is empty")
        first = text.splitlines()[0].decode(errors="replace") if text else ""
    if first.startswith("[{") or first == "[":
        raise Refusal(f"{_words(name)} is one list of JSON. Hint: write one object on each line")
    if first.startswith("{") and ending not in (".csv", ".tsv"):
        return Kind("NDJSON", place)
    return Kind("text", place, _separator(_likeliest_separator(first)))


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name in ("utf-8", "ascii")


def _can_be_utf8(head: bytes) -> bool:
    try:
        # The last character may be incomplete.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _first_line_of_compressed(name: str, place: str) -> str:
    whole_lines = pl.scan_csv(
        place, has_header=False, separator="\x1f", quote_char=None, n_rows=1, infer_schema=False, glob=False
    )
    try:
        return str(whole_lines.collect().item())
    except (pl.exceptions.PolarsError, ValueError, OSError) as error:
        reason = first_line(error)
        hint = (
            f". Hint: write its encoding, as in {flag('encoding')} windows-1252" if "utf-8" in reason else ""
        )
        raise Refusal(f"cannot read {_words(name)}, which is compressed: {reason}{hint}") from error


def _in_utf8(name: str, place: str, encoding: str) -> Path:
    """Convert a text file to UTF-8."""

    def convert(file: Path) -> None:
        unpacked = gzip.open if first_bytes(place).startswith(_GZIP) else open
        with (
            unpacked(place, "rt", encoding=encoding, newline="") as text,
            file.open("w", newline="", encoding="utf-8") as out,
        ):
            while part := text.read(_HEAD):
                out.write(part)

    try:
        return kept(f"{place} in {encoding}", convert)
    except (OSError, EOFError, UnicodeError) as error:
        raise Refusal(
            f"cannot read {_words(name)} in the encoding {encoding}: {first_line(error)}"
        ) from error


def _separator(likeliest: str) -> str:
    return reading().options.separator or likeliest


def _likeliest_separator(first: str) -> str:
    """Return the most frequent separator of a line; the comma by default."""
    counts = {each: len(next(csv.reader([first], delimiter=each), [])) for each in _SEPARATORS}
    return max(_SEPARATORS, key=lambda each: counts[each])
