"""The scripts of pages are made once, and kept beside compiled modules."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from polars_auc._plots import drawing_scripts as module

SCRIPTS = "let x = '\u00e9';\nlet y;\n"


class Converter:
    """Counts how often scripts are made."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, function: str) -> str:
        assert function == "javascript_bundle"
        self.times += 1
        return SCRIPTS


@pytest.fixture
def converter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Converter:
    converter = Converter()
    monkeypatch.setattr(module, "convert", converter)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "compiled"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return converter


def in_new_process() -> str:
    """Ask for the scripts as a process does that has not asked before."""
    return module.drawing_scripts.__wrapped__()


def kept(tmp_path: Path) -> list[Path]:
    """Return all files but compiled modules."""
    return [file for file in tmp_path.rglob("*") if file.is_file() and file.suffix != ".pyc"]


def test_scripts_are_made_once(converter: Converter, tmp_path: Path) -> None:
    assert [in_new_process() for _ in range(3)] == [SCRIPTS] * 3
    assert converter.times == 1
    [file] = kept(tmp_path)
    assert file.suffix == ".js"


@pytest.mark.parametrize("content", [b"", b"let z;", b"0\nlet z;", None])
def test_a_broken_file_is_written_anew(converter: Converter, tmp_path: Path, content: bytes | None) -> None:
    in_new_process()
    [file] = kept(tmp_path)
    file.write_bytes(file.read_bytes()[:-2] if content is None else content)
    assert [in_new_process() for _ in range(2)] == [SCRIPTS] * 2
    assert converter.times == 2
    assert kept(tmp_path) == [file]


def test_python_may_be_told_to_keep_nothing(
    converter: Converter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert in_new_process() == SCRIPTS
    assert kept(tmp_path) == []
    monkeypatch.setattr(sys.implementation, "cache_tag", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert in_new_process() == SCRIPTS
    assert (converter.times, kept(tmp_path)) == (2, [])


def test_a_folder_that_cannot_be_written(converter: Converter, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    sys.pycache_prefix = str(tmp_path / "file")
    assert [in_new_process() for _ in range(2)] == [SCRIPTS] * 2
    assert converter.times == 2
