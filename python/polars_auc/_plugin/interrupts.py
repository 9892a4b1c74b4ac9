"""Ctrl-C while a function of this package runs a query: one KeyboardInterrupt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from polars.exceptions import PolarsError

# The plugin's message for an expression that was interrupted.
_MESSAGE = "interrupted by Ctrl-C"


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise one KeyboardInterrupt for one Ctrl-C while a query runs.

    An expression that was interrupted can only fail, and Polars raises an error. Python handles the same
    signal when it next runs Python code, and raises KeyboardInterrupt while the first error is handled.
    Outside of expressions, Polars stops a query itself and raises KeyboardInterrupt, and Python raises a
    second one.

    A source of rows in Python may call this as well: older Polars makes an error of a KeyboardInterrupt that
    a source raises, and the message of the error is then recognised here.
    """
    first: BaseException | None = None
    try:
        try:
            yield
        except (KeyboardInterrupt, PolarsError) as error:
            first = error
            _run_python()
            raise
    except KeyboardInterrupt as error:
        interrupt = first if isinstance(first, KeyboardInterrupt) else error
        interrupt.args = interrupt.args or (_MESSAGE,)
    except PolarsError as error:
        if _MESSAGE not in str(error):
            raise
        interrupt = KeyboardInterrupt(_MESSAGE)
    else:
        return
    # Outside of the handler: the traceback has no second error.
    raise interrupt from None


def _run_python() -> None:
    """Do nothing: at a call Python handles signals."""
