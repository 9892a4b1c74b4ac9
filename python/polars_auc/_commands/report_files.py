"""The files that a report is written as, pages among them."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from polars_auc._cli.output import TABLES, as_file, to_standard_output
from polars_auc._cli.refusal import Refusal
from polars_auc._cli.rows import Files
from polars_auc._commands.about import about, needed, skipped
from polars_auc._page.details import Details
from polars_auc._page.page import page, refuse_without_libraries
from polars_auc._page.text import Shown, code

__all__ = ["FORMATS", "TITLE", "VERSION", "VERSION_KEY", "Written", "suffix_of"]

TITLE = "ROC report"
"""The title of a page without another."""

VERSION = 1
"""The version of the columns of a report: docs/files-of-a-report.md says what they are."""

VERSION_KEY = "polars_auc.report"
"""The key of the version in the metadata of Parquet files."""

FORMATS = tuple(suffix[1:] for suffix in (*TABLES, ".md", ".html"))
"""What a report can be written as."""


@dataclass
class Written:
    """What a report is written as."""

    chosen: argparse.Namespace
    shown: Shown
    files: Files
    details: Details | None = None
    checks: Sequence[str] = ()
    """What was found by the gates."""
    left_out: Sequence[str] = ()
    """Parts that cannot be evaluated."""

    def __post_init__(self) -> None:
        if self.chosen.title is not None and self.suffix not in (".md", ".html"):
            raise Refusal("--title is of a page; end --output in .html or .md, or leave it out")
        if self.chosen.title is not None and not self.chosen.title.isprintable():
            raise Refusal(f"--title must be text of one line, got {self.chosen.title!r}")
        if self.has_charts:
            try:
                refuse_without_libraries()
            except ImportError as error:
                raise Refusal(str(error)) from error

    @property
    def suffix(self) -> str | None:
        return suffix_of(self.chosen)

    @property
    def has_charts(self) -> bool:
        return self.suffix == ".html"

    @property
    def title(self) -> str:
        return TITLE if self.chosen.title is None else self.chosen.title

    def contents(self) -> Callable[[pl.DataFrame], bytes] | None:
        """Return what makes the contents of the file, if there is one; refuse a file of no use."""
        if self.chosen.output is None:
            return None
        # Standard output is no file: a name of no folder is checked in its place.
        is_printed = to_standard_output(self.chosen.output)
        named = Path(f"report{self.suffix}") if is_printed else self.chosen.output
        return as_file(named, parquet=_of_parquet, json=_of_json, md=self._of_markdown, html=self._of_charts)

    def _about(self, table: pl.DataFrame, written: Callable[[str], str]) -> list[tuple[str, str]]:
        pairs = about(self.chosen, self.files, table, written)
        gone = [("Left out", written(said)) for said in self.left_out]
        return [*pairs, *gone, *(("Check", said) for said in self.checks)]

    def _of_markdown(self, table: pl.DataFrame) -> bytes:
        lines = [
            *(f"{what}: {said}" for what, said in self._about(table, code)),
            *skipped(self.chosen, table),
        ]
        return self.shown.page(table, self.title, lines, self.chosen.level).encode()

    def _of_charts(self, table: pl.DataFrame) -> bytes:
        assert self.details is not None
        return page(
            table,
            self.details,
            title=self.title,
            about=self._about(table, str),
            by=self.chosen.by,
            level=self.chosen.level,
            columns=self.shown.on_page(table),
            needed=needed(self.chosen),
        ).encode()


def _of_parquet(table: pl.DataFrame) -> bytes:
    contents = io.BytesIO()
    table.write_parquet(contents, metadata={VERSION_KEY: str(VERSION)})
    return contents.getvalue()


def _of_json(table: pl.DataFrame) -> bytes:
    return b'{"report":%d,"rows":%s}' % (VERSION, table.write_json().encode())


def suffix_of(chosen: argparse.Namespace) -> str | None:
    """Return the ending that says what is written."""
    if to_standard_output(chosen.output):
        return f".{chosen.format or 'md'}"
    if chosen.format is not None:
        raise Refusal("--format is for -o -; a file is written as its name ends")
    return None if chosen.output is None else str(chosen.output.suffix)
