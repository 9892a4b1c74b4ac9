"""Reports in notebooks of IPython: ``%load_ext polars_auc``.

A report is a plain frame of Polars, so nothing of it says how a notebook shows it. IPython asks its
formatters, and an extension is what may add one: importing the package must not change how frames are shown.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from polars_auc._page.style import is_report, refuse_without_great_tables, style_report

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def _as_html(frame: pl.DataFrame) -> str:
    """Return a report as ``style_report`` shows it, and another frame as Polars does."""
    if not is_report(frame.columns):
        return frame._repr_html_()
    return style_report(frame).as_raw_html()


def load_ipython_extension(ipython: Any) -> None:
    """Show reports as tables of Great Tables from now on; IPython calls this for ``%load_ext polars_auc``."""
    refuse_without_great_tables("%load_ext polars_auc")
    ipython.display_formatter.formatters["text/html"].for_type(pl.DataFrame, _as_html)


def unload_ipython_extension(ipython: Any) -> None:
    """Show reports as any other frame; IPython calls this for ``%unload_ext polars_auc``."""
    ipython.display_formatter.formatters["text/html"].pop(pl.DataFrame, None)
