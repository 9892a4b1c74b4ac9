"""A report as text: on the terminal, and as a page of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from polars_auc._frames.groupings import EVERY, GROUPING, group_names
from polars_auc._plugin.errors import CALLED, OptionError

__all__ = ["SHOWN_ROWS", "TableView", "cell", "code", "counted", "differing", "plain", "readable"]

SHOWN_ROWS = 40
"""Rows of groups that are printed, unless more are asked for: those of a screen."""

_DECIMALS = 4
_SMALLEST_P_VALUE = 10.0**-_DECIMALS

# Columns of values of scores.
_SCORES = ("threshold", "highest", "lowest")

# What answers first, and what the options add.
_FIRST = ("n", "auc", "lower", "upper")
_ADDED = (
    "auc_min",
    "auc_max",
    "cv_auc",
    "user_auc",
    "delta_auc",
    "delta_auc_p_adjusted",
    "psi",
    "difference",
    "p_adjusted",
    "previous_auc",
    "change",
    "change_p_adjusted",
)

# How far the bounds of an exact state with weights may be apart, for the rounding of some 10^9 weights.
_ROUNDING = 1e-8

# The fewest characters that a name is cut to.
_LEAST_NAME = 8


@dataclass(frozen=True)
class TableView:
    """What of a report is printed, and what of it is on a page."""

    columns: Sequence[str] | None = None
    """The columns beside those of groups and scores; those that answer first, if none are named."""

    wide: bool = False
    """Whether all columns are shown."""

    limit: int = SHOWN_ROWS
    """The most rows of groups that are printed."""

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that a report with these columns lacks."""
        there = _numbers(names)
        for name in self.columns or ():
            if name not in there:
                said = f"names {name!r}, which is none of {', '.join(there)}"
                raise OptionError(CALLED.get() or "", "columns", said)

    def printed(self, table: pl.DataFrame, width: int | None) -> str:
        """Format a report for a terminal of this width, or for no terminal."""
        groups = table.filter(pl.col("scope") != "overall")
        rows = pl.concat([groups.head(self.limit), table.filter(pl.col("scope") == "overall")])
        text = _table_text(_texts(rows, self._numbers(table)), width)
        cut = groups.height - min(groups.height, self.limit)
        if cut:
            more = f"{cut:,} more row{'' if cut == 1 else 's'} of groups"
            text += f"\n{more}: --limit {groups.height} prints all, and -o FILE writes all"
        return text

    def on_page(self, table: pl.DataFrame) -> list[str]:
        """Return the columns that a page shows beside those of groups and scores."""
        return [name for name in self._numbers(table) if self.columns or not _is_dull(table, name)]

    def cells(self, table: pl.DataFrame, level: float, mark: str) -> tuple[pl.DataFrame, bool]:
        """Return a report as text, with marks on what differs, and whether anything does."""
        columns = self.on_page(table)
        texts = _texts(table, columns).with_columns(pl.selectors.string().str.strip_chars())
        is_marked = False
        for name in (column for column in columns if column.endswith("p_adjusted")):
            differs = (table[name] <= 1 - level).fill_null(value=False)
            marked = pl.when(differs).then(pl.col(name) + f" {mark}").otherwise(name)
            texts = texts.with_columns(marked.alias(name))
            is_marked = is_marked or differs.any()
        return texts, is_marked

    def page(self, table: pl.DataFrame, title: str, about: Sequence[str], level: float) -> str:
        """Format a report as a page of Markdown, with lines about it, and marks on what differs."""
        texts, is_marked = self.cells(table, level, r"\*")
        escaped = texts.with_columns(
            pl.selectors.string().str.replace_all(r"\s+", " ").str.replace_all("|", "\\|", literal=True)
        )
        with _layout("MARKDOWN"):
            parts = [f"# {title}", "\n".join(f"- {line}" for line in about), str(escaped)]
        if is_marked:
            parts.append(rf"\* {differing(level)}")
        return "\n\n".join(parts) + "\n"

    def _numbers(self, table: pl.DataFrame) -> Sequence[str]:
        return self.columns or (_numbers(table.columns) if self.wide else _answers(table))


def counted(number: int, what: str) -> str:
    """Return a number of things."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def differing(level: float) -> str:
    """Say what a mark means."""
    return f"a difference at level {1 - level:.6g}, after the adjustment over all tests in its column"


def readable(table: pl.DataFrame) -> str:
    """Format all rows and columns of a report."""
    return _table_text(_texts(table, _numbers(table.columns)), None)


def plain(table: pl.DataFrame, limit: int, width: int | None) -> str:
    """Format the first rows of any table for a terminal of this width, or for no terminal."""
    rows = table.head(limit)
    cells = [
        _flush(column) if column.dtype.is_numeric() else column.cast(pl.String).fill_null("null")
        for column in rows
    ]
    text = _table_text(pl.DataFrame(cells), width, [])
    cut = table.height - rows.height
    return text + (
        f"\n{cut:,} more: --limit {table.height} prints all, and -o FILE writes all" if cut else ""
    )


def code(text: str) -> str:
    """Return text of a user as Markdown shows it unchanged."""
    plain = re.sub(r"\s+", " ", text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    space = " " if "`" in plain else ""
    return f"{fence}{space}{plain}{space}{fence}"


def _numbers(names: Sequence[str]) -> list[str]:
    # The cells of groups say by which columns they are made.
    return [name for name in names[names.index("score") + 1 :] if name != GROUPING]


def is_exact(table: pl.DataFrame) -> bool:
    """Say whether the numbers are those of the rows, and not of states in which scores are joined."""
    if "auc_min" not in table.columns:
        return True
    return table.filter(pl.col("auc_max") - pl.col("auc_min") > _ROUNDING).is_empty()


def _answers(table: pl.DataFrame) -> list[str]:
    """Return the columns that answer what was asked."""
    skipped = ("auc_min", "auc_max") if is_exact(table) else ()
    added = [name for name in _ADDED if name in table.columns and name not in skipped]
    return [*_FIRST, *(["n_missing"] if table["n_missing"].sum() else []), *(added or ["ks"])]


def _is_dull(table: pl.DataFrame, name: str) -> bool:
    """Whether a column of a page is empty, or the same in all of several rows."""
    if name in (*_FIRST, "n_pos"):
        return False
    return table[name].null_count() == table.height or (table.height > 1 and table[name].n_unique() == 1)


def _texts(table: pl.DataFrame, numbers: Sequence[str]) -> pl.DataFrame:
    """Return all cells as text, numbers flush right; "overall" in words, "-" for what is undefined."""
    keys = table.columns[1 : table.columns.index("score")]
    overall = pl.col("scope") == "overall"
    named = table.select(
        *(
            pl.when(overall)
            .then(pl.lit("overall" if place == 0 else ""))
            .when(group_names(table.schema, key))
            .then(pl.col(key).cast(pl.String).fill_null("null"))
            .otherwise(pl.lit(EVERY))
            .alias(key)
            for place, key in enumerate(keys)
        ),
        "score",
    )
    return pl.DataFrame([*named, *(_flush(table[name]) for name in numbers)])


def _flush(column: pl.Series) -> pl.Series:
    texts = [cell(column.name, value) for value in column]
    widest = max(map(len, [*texts, column.name]), default=0)
    return pl.Series(column.name, [each.rjust(widest) for each in texts], dtype=pl.String)


def cell(name: str, value: object) -> str:
    """Return a value as the column of this name shows it."""
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    if value != value:
        return "NaN"
    # Scores are of any size, and a rounded threshold would call other rows positive.
    if name in _SCORES:
        return repr(value)
    # A p-value that four decimals make 0 is not 0.
    if name.endswith(("p_value", "p_adjusted")) and value < _SMALLEST_P_VALUE:
        return f"<{_SMALLEST_P_VALUE:.{_DECIMALS}f}"
    return f"{value:.{_DECIMALS}f}"


def _table_text(texts: pl.DataFrame, width: int | None, names: Sequence[str] | None = None) -> str:
    """Draw a table; if it is too wide, columns of names are cut: without others, those up to the score."""
    if width is not None:
        texts = _fitted(
            texts, width, texts.columns[: texts.columns.index("score") + 1] if names is None else names
        )
    with _layout("UTF8_FULL_CONDENSED"):
        return str(texts)


def _fitted(texts: pl.DataFrame, width: int, names: Sequence[str]) -> pl.DataFrame:
    """Cut the names of groups and scores where the table would be wider than the terminal."""
    widths = {column.name: max(map(len, [column.name, *column])) for column in texts}
    while names and (surplus := sum(each + 3 for each in widths.values()) + 1 - width) > 0:
        longest = max(names, key=lambda name: widths[name])
        least = max(_LEAST_NAME, len(longest))
        if widths[longest] <= least:
            break
        widths[longest] = max(least, widths[longest] - surplus)
        cut = pl.col(longest).str.head(widths[longest] - 1) + "…"
        texts = texts.with_columns(
            pl.when(pl.col(longest).str.len_chars() > widths[longest])
            .then(cut)
            .otherwise(longest)
            .alias(longest)
        )
    return texts


def _layout(formatting: str) -> pl.Config:
    return pl.Config(
        tbl_formatting=formatting,  # type: ignore[arg-type]
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=-1,  # a table that wraps inside its cells cannot be read
        fmt_str_lengths=1000,
    )
