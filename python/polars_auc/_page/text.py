"""Tables as text: for the terminal, and as a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from polars_auc._frames.groupings import EVERY, GROUPING, group_names
from polars_auc._page.markdown import markdown_page
from polars_auc._plots.names import OVERALL, key_texts, score_text, visible
from polars_auc._plots.numbers import P_ADJUSTED, after_adjustment, aligned, cell, places_of
from polars_auc._plugin.errors import CALLED, OptionError

DISPLAY_ROWS = 40
"""Default number of printed rows of groups: one screen."""

# The mark of a difference, in Markdown.
_MARK = r"\*"

# The main results, and the columns that options add.
_FIRST = ("n", "auc", "lower", "upper")
_ADDED = (
    "auc_min",
    "auc_max",
    "brier_score",
    "observed_expected",
    "calibration_slope",
    "calibration_p_adjusted",
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
    "alarm",
    "alarm_since",
    "alarm_change",
    "alarm_p_adjusted",
    "calibration_alarm",
    "calibration_alarm_mean",
    "calibration_alarm_p_adjusted",
)

# Rounding tolerance for the bounds of an exact state with weights, for about 10^9 weights.
_ROUNDING = 1e-8

# Minimum width of a truncated name.
_MIN_NAME = 8


@dataclass(frozen=True)
class TableView:
    """Selection of the columns and rows that are printed or put on a page."""

    columns: Sequence[str] | None = None
    """The columns besides groups and scores; the main results by default."""

    wide: bool = False
    """Whether all columns are displayed."""

    limit: int = DISPLAY_ROWS
    """Largest number of printed rows of groups."""

    def check(self, names: Sequence[str]) -> None:
        """Raise if a selected column is not in the report."""
        existing = _numbers(names)
        for name in self.columns or ():
            if name not in existing:
                reason = f"has the unknown column {name!r}; expected one of {', '.join(existing)}"
                raise OptionError(CALLED.get() or "", "columns", reason)

    def printed(self, table: pl.DataFrame, width: int | None) -> str:
        """Format a report for a terminal of this width, or for any other output."""
        groups = table.filter(pl.col("scope") != "overall")
        rows = pl.concat([groups.head(self.limit), table.filter(pl.col("scope") == "overall")])
        text = _table_text(_texts(rows, self._numbers(table)), width)
        cut = groups.height - min(groups.height, self.limit)
        if cut:
            more = f"{cut:,} more row{'' if cut == 1 else 's'} of groups"
            text += f"\n{more}: --limit {groups.height} prints all, and -o FILE writes all"
        return text

    def on_page(self, table: pl.DataFrame) -> list[str]:
        """Return the columns that a page shows besides groups and scores."""
        return [name for name in self._numbers(table) if self.columns or not _is_empty(table, name)]

    def cells(self, table: pl.DataFrame, level: float, mark: str) -> tuple[pl.DataFrame, bool]:
        """Return a report as text with marked differences, and whether any exists."""
        columns = self.on_page(table)
        texts = _texts(table, columns).with_columns(pl.selectors.string().str.strip_chars())
        return _with_marks(texts, table, columns, level, mark)

    def page(self, table: pl.DataFrame, title: str, about: Sequence[str], level: float) -> str:
        """Format a report as a Markdown page, with lines about it and marked differences."""
        texts, is_marked = self.cells(table, level, _MARK)
        n_names = len(texts.columns) - len(self.on_page(table))
        numeric = [place >= n_names for place in range(len(texts.columns))]
        note = _note(table, level) if is_marked else None
        return markdown_page(title, about, texts.columns, texts.rows(), numeric, note)

    def _numbers(self, table: pl.DataFrame) -> Sequence[str]:
        return self.columns or (_numbers(table.columns) if self.wide else _answers(table))


def counted(number: int, what: str) -> str:
    """Return a number with its noun, in singular or plural."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def differing(table: pl.DataFrame, level: float) -> str:
    """Return the meaning of the mark in a table."""
    adjusted = after_adjustment(table)
    family = " over all tests in its column" if adjusted.startswith(", after") else ""
    return f"a difference at level {1 - level:.6g}{adjusted}{family}"


def readable(table: pl.DataFrame, columns: Sequence[str]) -> str:
    """Format all rows of a report, with the selected columns or the main results."""
    displayed = [name for name in _numbers(table.columns) if name in columns]
    return _table_text(_texts(table, displayed or _FIRST), None)


def plain(table: pl.DataFrame, limit: int, width: int | None, *, low_is_positive: bool = False) -> str:
    """Format the first rows of any table for a terminal of this width, or for any other output."""
    text = _table_text(_plain_cells(table.head(limit), low_is_positive=low_is_positive), width, [])
    cut = table.height - min(table.height, limit)
    return text + (
        f"\n{cut:,} more: --limit {table.height} prints all, and -o FILE writes all" if cut else ""
    )


def plain_page(
    table: pl.DataFrame, title: str, about: Sequence[str], level: float, *, low_is_positive: bool = False
) -> str:
    """Format any table as a Markdown page, with lines about it and marked differences."""
    texts = _plain_cells(table, low_is_positive=low_is_positive).with_columns(pl.all().str.strip_chars())
    texts, is_marked = _with_marks(texts, table, table.columns, level, _MARK)
    numeric = [dtype.is_numeric() for dtype in table.dtypes]
    note = _note(table, level) if is_marked else None
    return markdown_page(title, about, texts.columns, texts.rows(), numeric, note)


def _with_marks(
    texts: pl.DataFrame, table: pl.DataFrame, columns: Sequence[str], level: float, mark: str
) -> tuple[pl.DataFrame, bool]:
    """Mark the cells of a table that differ, and return whether any does."""
    is_marked = False
    for name in (column for column in columns if column.endswith(P_ADJUSTED)):
        differs = (table[name] <= 1 - level).fill_null(value=False)
        marked = pl.when(differs).then(pl.col(name) + f" {mark}").otherwise(name)
        texts = texts.with_columns(marked.alias(name))
        is_marked = is_marked or differs.any()
    return texts, is_marked


def _note(table: pl.DataFrame, level: float) -> str:
    """Return the note below a Markdown page with marks."""
    return f"{_MARK} {differing(table, level)}"


def _plain_cells(table: pl.DataFrame, *, low_is_positive: bool) -> pl.DataFrame:
    # A table of pairs has two score columns.
    pair = ("first", "second") if {"first_auc", "second_auc"} <= set(table.columns) else ("score",)
    scores = {name: table.select(score_text(name)).to_series() for name in pair if name in table.columns}
    return pl.DataFrame(
        [
            _flush(column, low_is_positive=low_is_positive)
            if column.dtype.is_numeric()
            else scores.get(column.name, key_texts(column))
            for column in table
        ]
    )


def _numbers(names: Sequence[str]) -> list[str]:
    # The group cells already name their grouping.
    return [name for name in names[names.index("score") + 1 :] if name != GROUPING]


def is_exact(table: pl.DataFrame) -> bool:
    """Return whether the numbers are exact, and not those of states with joined scores."""
    if "auc_min" not in table.columns:
        return True
    width = pl.col("auc_max") - pl.col("auc_min")
    # NaN sorts above every number.
    return table.filter(width.is_not_nan() & (width > _ROUNDING)).is_empty()


def _answers(table: pl.DataFrame) -> list[str]:
    """Return the main results and the columns that the options add."""
    skipped = ("auc_min", "auc_max") if is_exact(table) else ()
    added = [name for name in _ADDED if name in table.columns and name not in skipped]
    return [*_FIRST, *(["n_missing"] if table["n_missing"].sum() else []), *(added or ["ks"])]


def _is_empty(table: pl.DataFrame, name: str) -> bool:
    """Return whether a page omits a column: all null, or constant over several rows.

    Adjusted p-values are always displayed, also if all are 1.
    """
    if name in (*_FIRST, "n_pos"):
        return False
    values = table[name]
    is_constant = table.height > 1 and values.n_unique() == 1
    return values.null_count() == table.height or (is_constant and not name.endswith("p_adjusted"))


def _texts(table: pl.DataFrame, numbers: Sequence[str]) -> pl.DataFrame:
    """Return all cells as text, with right-aligned numbers, "overall" as a word, and "-" for undefined."""
    keys = table.columns[1 : table.columns.index("score")]
    overall = pl.col("scope") == OVERALL
    key_columns = []
    for place, key in enumerate(keys):
        text = (
            pl.when(overall)
            .then(pl.lit(OVERALL if place == 0 else ""))
            .when(group_names(table.schema, key))
            .then(pl.lit(key_texts(table[key])))
            .otherwise(pl.lit(EVERY))
        )
        key_columns.append(table.select(text.alias(key)).to_series())
    scores = table.select(score_text()).to_series()
    return pl.DataFrame([*key_columns, scores, *(_flush(table[name]) for name in numbers)])


def _flush(column: pl.Series, *, low_is_positive: bool = False) -> pl.Series:
    places = places_of(column.name, column)
    texts = [cell(column.name, value, places, low_is_positive=low_is_positive) for value in column]
    texts = aligned(column.name, texts)
    widest = max(map(len, [*texts, column.name]), default=0)
    return pl.Series(column.name, [each.rjust(widest) for each in texts], dtype=pl.String)


def _table_text(texts: pl.DataFrame, width: int | None, names: Sequence[str] | None = None) -> str:
    """Draw a table. If it is too wide, name columns are truncated: by default those up to the score."""
    if width is not None:
        texts = _fitted(
            texts, width, texts.columns[: texts.columns.index("score") + 1] if names is None else names
        )
    heads: list[str] = []
    for name in map(visible, texts.columns):
        head = name
        # Two names may look alike after escaping.
        while head in heads:
            head += " "
        heads.append(head)
    with _layout():
        return str(texts.rename(dict(zip(texts.columns, heads, strict=True))))


def _fitted(texts: pl.DataFrame, width: int, names: Sequence[str]) -> pl.DataFrame:
    """Truncate group and score names if the table is wider than the terminal."""
    widths = {column.name: max(map(len, [column.name, *column])) for column in texts}
    while names and (surplus := sum(each + 3 for each in widths.values()) + 1 - width) > 0:
        longest = max(names, key=lambda name: widths[name])
        least = max(_MIN_NAME, len(longest))
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


def _layout() -> pl.Config:
    return pl.Config(
        tbl_formatting="UTF8_FULL_CONDENSED",
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=-1,  # a table that wraps inside its cells cannot be read
        fmt_str_lengths=1000,
    )
