"""A report as a table for notebooks and documents.

A report is a plain Polars frame, so it defines no notebook format of its own. An IPython extension
(``%load_ext polars_auc``) registers a formatter: the import of the package must not change how frames are
shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from polars_auc._frames.inputs import called, rows_of
from polars_auc._page.text import DISPLAY_ROWS, TableView, differing
from polars_auc._plugin.errors import OptionError
from polars_auc._plugin.options import between_0_and_1, integer
from polars_auc._plugin.packages import require

if TYPE_CHECKING:
    from great_tables import GT

    from polars_auc._frames.inputs import IntoFrame

_NAME = "style_report"
_NEEDED = ("scope", "score", "n", "auc", "lower", "upper", "n_missing", "ks")


def is_report(columns: Sequence[str]) -> bool:
    """Return whether a frame with these columns is a report."""
    return set(_NEEDED) <= set(columns)


@called(_NAME)
def style_report(
    report: IntoFrame, *, columns: Sequence[str] | None = None, limit: int = DISPLAY_ROWS, level: float = 0.95
) -> GT:
    """Return a report as a table for notebooks, with rounded numbers and marked differences.

    This function needs Great Tables: ``pip install "polars-auc[report]"``. It computes no statistic.

    Parameters
    ----------
    report
        A report of :func:`polars_auc.report` or :func:`polars_auc.compare_reports`.
    columns
        The columns besides groups and scores. Default: the main results, and the columns that options add.
    limit
        The largest number of displayed rows of groups, from 0 to 100,000.
    level
        The level of the report, between 0 and 1: adjusted p-values of at most ``1 - level`` are marked.

    Returns
    -------
    great_tables.GT
        The table. The rows over all rows are the last, in bold; "-" marks undefined values. Methods such as
        ``tab_header`` add titles and styles.

    Examples
    --------
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"site": ["a"] * 4, "ill": [0, 0, 1, 1], "risk": [1, 3, 2, 4]})
    >>> table = pa.style_report(pa.report(rows, "ill", "risk", by="site"), columns=["n", "auc"])
    >>> "0.7500" in table.as_raw_html()
    True
    """
    integer(_NAME, "limit", limit, 0, 100_000)
    between_0_and_1(_NAME, "level", level)
    require(_NAME, "great_tables", extra="report")
    from great_tables import GT, loc, style

    table = rows_of(_NAME, report).collect()
    if not is_report(table.columns):
        missing = next(name for name in _NEEDED if name not in table.columns)
        reason = f"the column {missing!r} of a report is missing"
        raise OptionError(_NAME, "", reason, 'write report(frame, "label", "score")')
    if isinstance(columns, str):
        reason = f"must be a list of names, got {columns!r}"
        raise OptionError(_NAME, "columns", reason, f'write ["{columns}"]')
    view = TableView(None if columns is None else list(dict.fromkeys(columns)))
    expected = table.columns[table.columns.index("score") + 1 :]
    unknown = next((name for name in view.columns or () if name not in expected), None)
    if unknown is not None:
        raise OptionError(
            _NAME, "columns", f"has the unknown column {unknown!r}; expected one of {', '.join(expected)}"
        )
    groups = table.filter(pl.col("scope") != "overall")
    rows = pl.concat([groups.head(limit), table.filter(pl.col("scope") == "overall")])
    texts, is_marked = view.cells(rows, level, "*")
    overall = [place for place, scope in enumerate(rows["scope"]) if scope == "overall"]
    numbers = texts.columns[texts.columns.index("score") + 1 :]
    styled = GT(texts).cols_align("right", columns=numbers)
    if overall:
        styled = styled.tab_style(style.text(weight="bold"), loc.body(rows=overall))
    if is_marked:
        styled = styled.tab_source_note(f"* {differing(table, level)}")
    cut = groups.height - min(groups.height, limit)
    return styled.tab_source_note(f"{cut:,} more rows of groups") if cut else styled


def _as_html(frame: pl.DataFrame) -> str:
    """Render a report with ``style_report``, and another frame as Polars does."""
    if not is_report(frame.columns):
        return frame._repr_html_()
    return style_report(frame).as_raw_html()


def load_ipython_extension(ipython: Any) -> None:
    """Show reports as tables of Great Tables from now on; IPython calls this for ``%load_ext polars_auc``."""
    require("%load_ext polars_auc", "great_tables", extra="report")
    ipython.display_formatter.formatters["text/html"].for_type(pl.DataFrame, _as_html)


def unload_ipython_extension(ipython: Any) -> None:
    """Show reports as any other frame; IPython calls this for ``%unload_ext polars_auc``."""
    ipython.display_formatter.formatters["text/html"].pop(pl.DataFrame, None)
