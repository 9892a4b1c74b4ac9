"""Convert Ctrl-C during a query into one KeyboardInterrupt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from polars.exceptions import PolarsError

# The plugin's message for an interrupted expression.
_MESSAGE = "interrupted by Ctrl-C"


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise one KeyboardInterrupt for one Ctrl-C while a query runs.

    An interrupted expression can only fail, and Polars raises an error. Python handles the same signal when
    it next runs Python code, and raises KeyboardInterrupt while the first error is handled. Outside of
    expressions, Polars stops a query itself and raises KeyboardInterrupt, and Python raises a second one.

    A Python source of rows may use this as well. Older Polars converts its KeyboardInterrupt to an error; its
    message then identifies it.
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
    """Do nothing: Python handles pending signals at a call."""
