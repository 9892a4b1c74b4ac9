"""The one writer of pages: names of users stay text, and no script runs that is not ours."""

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

# Stands at the head of a page until all its scripts are known.
_POLICY = "polars_auc: policy"

# Nothing is loaded, and no other script runs, also if a name should get out of its place. Vega compiles the
# expressions of charts, and the table of groups comes as a module of its own.
_ALLOWED = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; "
    "form-action 'none'; script-src 'unsafe-eval' blob: {}"
)

# Charts have the colour of the text about them, so that they are readable in the dark as well.
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

# Seconds after which an interrupt is heard.
_WAIT = 0.05

_lock = Lock()
_loading: list[Thread] = []

_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)


def begin_to_load_libraries() -> None:
    """Begin to load what draws a page in threads of their own, once.

    To import libraries and to ask for scripts takes a second or two, in which Polars can evaluate.
    """
    with _lock:
        if not _loading:
            _loading.extend(Thread(target=load, daemon=True) for load in (_import, _ask_for_scripts))
            for thread in _loading:
                thread.start()


def await_libraries() -> None:
    """Wait for the libraries, if they have begun to load: a module that is half loaded is no module."""
    for thread in _loading:
        while thread.is_alive():
            thread.join(_WAIT)


def _import() -> None:
    # What fails here fails again, and is said, where it is needed.
    with suppress(Exception):
        for name in ("altair", "itables", "jinja2", "markupsafe"):
            import_module(name)


def _ask_for_scripts() -> None:
    # As above.
    with suppress(Exception):
        drawing_scripts()


def document(template: str, *, title: str, charts: dict[str, Any], **parts: Any) -> str:
    """Write a page: of a template, with Vega-Lite charts by name, and what the template asks for."""
    import jinja2
    import markupsafe

    hashes: dict[str, None] = {}

    def trusted(text: str) -> str:
        """Let the scripts in a text run; none of them may be of a user."""
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
    # The first place is ours: nothing of a user stands above it.
    return page.replace(_POLICY, _ALLOWED.format(" ".join(hashes)), 1)


def _source(name: str) -> str:
    return files("polars_auc._page").joinpath("templates", name).read_text(encoding="utf-8")


def _data(value: object) -> Any:
    """Return a value as it stands inside a script: nothing in it may end the script."""
    import markupsafe

    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return markupsafe.Markup(text.replace("<", "\\u003c"))


def _breakable(name: str) -> Any:
    """Let a name be broken after its underscores."""
    import markupsafe

    return markupsafe.escape(name).replace("_", markupsafe.Markup("_<wbr>"))
