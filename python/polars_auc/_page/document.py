"""Render all pages: user text is escaped, and no user script runs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from contextlib import suppress
from importlib import import_module
from importlib.resources import files
from threading import Lock, Thread
from typing import Any

from polars_auc._native import __version__
from polars_auc._plots.drawing_scripts import drawing_scripts

# Placeholder for the content security policy until all script hashes are computed.
_POLICY = "polars_auc: policy"

# The policy blocks network requests and all other scripts, even if escaping fails. Vega compiles the
# expressions of charts, and the table of groups is a module.
_ALLOWED = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; "
    "form-action 'none'; script-src 'unsafe-eval' blob: {}"
)

# Charts inherit the text colour: they stay readable in dark mode.
_TEXT = "currentColor"
_FAINT = "#80808055"

_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "axis": {
        "labelColor": _TEXT,
        "titleColor": _TEXT,
        "gridColor": _FAINT,
        "domainColor": _FAINT,
        "tickColor": _FAINT,
        "labelSeparation": 8,
    },
    "header": {"labelColor": _TEXT, "titleColor": _TEXT, "labelLimit": 260},
    "legend": {"labelColor": _TEXT, "titleColor": _TEXT},
    "text": {"color": _TEXT},
    "title": {"color": _TEXT},
    "view": {"stroke": _FAINT},
}

# Polling interval for interrupts, in seconds.
_WAIT = 0.05

_lock = Lock()
_loading: list[Thread] = []

_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)


def begin_to_load_libraries() -> None:
    """Start background threads that load the drawing libraries, once.

    Imports and scripts take a second or two; Polars computes meanwhile.
    """
    with _lock:
        if not _loading:
            _loading.extend(Thread(target=load, daemon=True) for load in (_import, _ask_for_scripts))
            for thread in _loading:
                thread.start()


def await_libraries() -> None:
    """Wait for the background imports: a partly imported module is unusable."""
    for thread in _loading:
        while thread.is_alive():
            thread.join(_WAIT)


def _import() -> None:
    # A failed import fails again where the library is needed, with a message.
    with suppress(Exception):
        for name in ("altair", "itables", "jinja2", "markupsafe"):
            import_module(name)


def _ask_for_scripts() -> None:
    # Errors are raised where the scripts are needed.
    with suppress(Exception):
        drawing_scripts()


def document(template: str, *, title: str, charts: dict[str, Any], **parts: Any) -> str:
    """Render a template with Vega-Lite charts by name, and with its other parts."""
    import jinja2
    import markupsafe

    hashes: dict[str, None] = {}

    def trusted(text: str) -> str:
        """Allow the scripts in a text; the text must not contain user text."""
        for script in _SCRIPT.findall(text):
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            hashes[f"'sha256-{digest}'"] = None
        return markupsafe.Markup(text)

    surroundings = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(_source),
    )
    surroundings.filters.update(trusted=trusted, data=_data, breakable=_breakable)
    page = surroundings.get_template(template).render(
        title=title,
        charts=charts,
        version=__version__,
        config=_CONFIG,
        policy=_POLICY,
        drawing_scripts="<script>{}</script>".format(drawing_scripts().replace("</script", "<\\/script")),
        **parts,
    )
    # The first occurrence is the placeholder: no user text precedes it.
    return page.replace(_POLICY, _ALLOWED.format(" ".join(hashes)), 1)


def _source(name: str) -> str:
    return files("polars_auc._page").joinpath("templates", name).read_text(encoding="utf-8")


def _data(value: object) -> Any:
    """Serialise a value for a script element: no text in it can end the element."""
    import markupsafe

    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return markupsafe.Markup(text.replace("<", "\\u003c"))


def _breakable(name: str) -> Any:
    """Return a name with line break opportunities after underscores."""
    import markupsafe

    return markupsafe.escape(name).replace("_", markupsafe.Markup("_<wbr>"))
