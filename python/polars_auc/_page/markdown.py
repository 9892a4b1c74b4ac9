"""Pages of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polars_auc._plots.names import visible

# What makes tags, links, pictures, code, tables, emphasis, headings and formulas, where no letter is on both
# sides of an underscore.
_MARKS = re.compile(r"[\\`*\[\]<>|~$#&@]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)

# Longer cells are not filled up with spaces.
_WIDEST = 60


def markdown_text(text: str) -> str:
    """Return text of a user as Markdown that shows it unchanged, in one line."""
    return _MARKS.sub(lambda found: f"\\{found[0]}", visible(text))


def code(text: str) -> str:
    """Return text of a user as Markdown shows it unchanged, as code."""
    plain = visible(re.sub(r"\s+", " ", text))
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    space = " " if "`" in plain else ""
    return f"{fence}{space}{plain}{space}{fence}"


def markdown_page(
    title: str,
    lines: Sequence[str],
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    note: str | None = None,
) -> str:
    """Return a page of a title, lines of Markdown, a table of texts, and a note."""
    parts = [f"# {markdown_text(title)}", "\n".join(f"- {line}" for line in lines)]
    parts += [_table(heads, rows, numeric), note or ""]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """Return a table, numbers flush right; those are Markdown already."""
    texts = [list(map(markdown_text, heads))]
    texts += [
        [cell if is_number else markdown_text(cell) for cell, is_number in zip(row, numeric, strict=True)]
        for row in rows
    ]
    widths = [min(_WIDEST, max(3, *map(len, column))) for column in zip(*texts, strict=True)]

    def line(cells: Sequence[str]) -> str:
        filled = [
            cell.rjust(width) if is_number else cell.ljust(width)
            for cell, width, is_number in zip(cells, widths, numeric, strict=True)
        ]
        return f"| {' | '.join(filled)} |"

    rule = [
        f"{'-' * (width + 1)}{':' if is_number else '-'}"
        for width, is_number in zip(widths, numeric, strict=True)
    ]
    return "\n".join([line(texts[0]), f"|{'|'.join(rule)}|", *map(line, texts[1:])])
