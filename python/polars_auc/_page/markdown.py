"""Markdown pages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polars_auc._plots.names import visible

# Markup of tags, links, images, code, tables, emphasis, headings and formulas. An underscore between two
# word characters is no markup.
_MARKS = re.compile(r"[\\`*\[\]<>|~$#&@]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.IGNORECASE)

# Longer cells are not padded.
_WIDEST = 60


def markdown_text(text: str) -> str:
    """Escape user text for Markdown, in one line."""
    return _MARKS.sub(lambda found: f"\\{found[0]}", visible(text))


def code(text: str) -> str:
    """Return user text as a Markdown code span."""
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
    """Render a page: a title, lines of Markdown, a table of texts, and a note."""
    parts = [f"# {markdown_text(title)}", "\n".join(f"- {line}" for line in lines)]
    parts += [_table(heads, rows, numeric), note or ""]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    """Render a table with right-aligned numbers; numeric cells are already Markdown."""
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
