"""The scripts of pages are created once, and stored in the user's cache folder."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import pytest

from polars_auc._plots import drawing_scripts as module

SCRIPTS = "let x = '\u00e9';\nlet y;\n"


class Converter:
    """Count how often scripts are created."""

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
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return converter


def in_new_process() -> str:
    """Request the scripts like a new process."""
    return module.drawing_scripts.__wrapped__()


def kept(tmp_path: Path) -> list[Path]:
    return [file for file in tmp_path.rglob("*") if file.is_file()]


def test_scripts_are_created_once(converter: Converter, tmp_path: Path) -> None:
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


def test_another_version_has_another_file(
    converter: Converter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_new_process()
    monkeypatch.setattr(module, "version", lambda _: "0.1")
    in_new_process()
    assert converter.times == 2
    assert len(kept(tmp_path)) == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no numbers of users")
def test_scripts_of_another_user_are_not_read(converter: Converter, monkeypatch: pytest.MonkeyPatch) -> None:
    in_new_process()
    monkeypatch.setattr(os, "getuid", lambda: -1)
    in_new_process()
    assert converter.times == 2


@pytest.mark.parametrize(
    ("system", "folder"),
    [("Linux", ".cache"), ("Darwin", "Library/Caches"), ("Windows", "AppData/Local")],
)
def test_each_system_has_its_folder(
    converter: Converter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, folder: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setenv("XDG_CACHE_HOME", "not/whole")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    in_new_process()
    assert converter.times == 1
    assert [file.parent for file in kept(tmp_path)] == [tmp_path / folder / "polars-auc"]


def test_a_folder_that_cannot_be_written(
    converter: Converter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert [in_new_process() for _ in range(2)] == [SCRIPTS] * 2
    assert converter.times == 2

    def nowhere() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nowhere)
    assert in_new_process() == SCRIPTS
