"""The libraries that draw a page, loaded while rows are read.

To import them and to ask for the scripts of charts takes a second or two, in which Polars can evaluate.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from threading import Lock, Thread

from polars_auc._plots.conversion import drawing_scripts

__all__ = ["await_libraries", "begin_to_load_libraries"]

# Seconds after which an interrupt is heard.
_WAIT = 0.05

_lock = Lock()
_loading: list[Thread] = []


def begin_to_load_libraries() -> None:
    """Begin to load the libraries in threads of their own, once."""
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
