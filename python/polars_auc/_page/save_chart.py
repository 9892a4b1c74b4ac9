"""Save charts as files: self-contained pages and images."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from polars_auc._frames.inputs import called
from polars_auc._page.document import document
from polars_auc._page.files import refuse_path, replace_file
from polars_auc._plots.conversion import picture
from polars_auc._plugin.errors import OptionError, OptionTypeError
from polars_auc._plugin.options import format_value, is_number, number
from polars_auc._plugin.packages import require

CHARTS = (".html", ".pdf", ".png", ".svg")
"""The extensions of chart files."""

_TITLE = "Chart"

# Default scale of a .png file without scale and dpi.
_SCALE = 2

# A pixel of a chart is a point: 1/72 inch.
_DPI = 72

# File extensions that support a size option, and the limits of the option.
_SIZES = {"scale": ((".pdf", ".png"), 0.1, 20), "dpi": ((".png",), 10, 2400)}


def refuse_title(function: str, title: object, ending: str) -> None:
    """Raise for a title that is not one line of text, or for a title of an image."""
    if title is None:
        return
    if not isinstance(title, str):
        raise OptionTypeError(function, "title", f"must be text of one line, got {title!r}")
    if ending != ".html":
        raise OptionError(function, "title", "is of a page", "end `path` in .html, or leave it out")
    if not title.isprintable():
        raise OptionError(function, "title", f"must be text of one line, got {title!r}")


def refuse_size(function: str, sizes: Mapping[str, object], ending: str) -> None:
    """Raise for a scale or resolution that is out of range or that this extension does not support."""
    for name, value in sizes.items():
        endings, least, most = _SIZES[name]
        if value is None:
            continue
        if not (is_number(value) and least <= number(value) <= most):
            reason = f"must be a number from {least} to {most}, got {format_value(value)}"
            raise OptionError(function, name, reason, "write `dpi=300`" if name == "dpi" else None)
        if ending not in endings:
            reason = f"is of {' and '.join(endings)} files, got {ending}"
            raise OptionError(function, name, reason, f"end `path` in {endings[-1]}, or leave it out")


def chart_contents(
    chart: Any, ending: str, title: str | None = None, scale: float | None = None, dpi: float | None = None
) -> bytes:
    """Return the contents of a chart file."""
    if ending == ".html":
        # NaN and infinity become null, because JSON has neither; no mark is drawn for them.
        spec = json.loads(chart.to_json(indent=None), parse_constant=lambda _: None)
        # U+2028 and U+2029 end a line in Vega expressions: escape them.
        text = (
            json.dumps(spec, ensure_ascii=False).replace("\u2028", r"\\u2028").replace("\u2029", r"\\u2029")
        )
        return document(
            "chart.html.jinja", title=title or _TITLE, charts={"chart": [json.loads(text)]}
        ).encode()
    if scale is None:
        scale = _SCALE if ending == ".png" and dpi is None else 1
    return picture(chart, ending, number(scale), _DPI if dpi is None else number(dpi))


@called("save_chart")
def save_chart(
    chart: Any,
    path: str | Path,
    *,
    title: str | None = None,
    scale: float | None = None,
    dpi: float | None = None,
) -> Path:
    """Write a chart as a file: a page that needs no network, a PDF, or an image.

    This function needs ``pip install "polars-auc[plot]"``. The pages of :meth:`altair.Chart.save` load their
    scripts from the network, and are blank without one; the pages of this function are self-contained.

    Parameters
    ----------
    chart
        A chart of :func:`polars_auc.plot_roc` or another plot function, or any chart of Altair.
    path
        The file; its extension selects the format. ``.html`` is a page with tooltips and a dark mode.
        ``.pdf`` and ``.svg`` are vector graphics, and ``.png`` is a raster image. An existing file is
        replaced.
    title
        The title of a page. Default "Chart".
    scale
        The scale factor of a ``.png`` or ``.pdf``, from 0.1 to 20. Default 1, and 2 for a ``.png`` without
        ``dpi``.
    dpi
        The pixels per inch of a ``.png``, from 10 to 2400, such as 300 for print. A pixel of the chart is
        1/72 inch: a chart of 360 pixels is 5 inches wide, and has 1500 pixels at 300 dpi.

    Returns
    -------
    pathlib.Path
        The file.

    Notes
    -----
    Names in the chart are escaped: no script in a name runs, and a page loads nothing. vl-convert draws in a
    separate process, which Ctrl-C ends. It uses the fonts of the system, and ignores fonts that
    ``vl_convert.register_font_directory`` has added.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import polars as pl
    >>> import polars_auc as pa
    >>> rows = pl.DataFrame({"ill": [0, 0, 1, 1], "risk": [1, 3, 2, 4]})
    >>> chart = pa.plot_roc(pa.curve_points(rows, pa.roc_curve("ill", "risk")))
    >>> folder = Path(tempfile.mkdtemp())
    >>> pa.save_chart(chart, folder / "curve.html", title="Risk").name
    'curve.html'

    For a paper, as PDF and with 300 dpi:

    >>> pa.save_chart(chart, folder / "curve.pdf").name
    'curve.pdf'
    >>> pa.save_chart(chart, folder / "curve.png", dpi=300).name
    'curve.png'
    """
    name = "save_chart"
    if not isinstance(path, str | PathLike) or "\0" in str(path):
        raise OptionTypeError(name, "path", f"must be a path, got {path!r}")
    if not (callable(getattr(chart, "to_json", None)) and callable(getattr(chart, "save", None))):
        reason = f"must be a chart of Altair, got {type(chart).__name__}"
        raise OptionTypeError(name, "chart", reason, "write plot_roc(curves)")
    file = Path(path)
    refuse_path(file, CHARTS)
    refuse_title(name, title, file.suffix)
    refuse_size(name, {"scale": scale, "dpi": dpi}, file.suffix)
    require(name, "altair", "vl_convert", extra="plot")
    replace_file(file, chart_contents(chart, file.suffix, title, scale, dpi))
    return file
