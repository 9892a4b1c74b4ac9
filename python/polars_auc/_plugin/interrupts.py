"""Ctrl-C while a query runs: it ends with one KeyboardInterrupt."""

from __future__ import annotations

import re
from functools import wraps
from threading import current_thread, main_thread
from typing import Any

from polars import DataFrame, LazyFrame
from polars.exceptions import ComputeError

# What older Polars says of an interrupt while it reads rows by code of Python.
_IN_SOURCE = re.compile(
    r"caught exception during execution of a Python source, "
    r"exception: (KeyboardInterrupt|ComputeError: (\w+: )?interrupted$)"
)


def raise_interrupts() -> None:
    """Let Python raise an interrupt before Polars says that an expression failed, and only once.

    An expression that an interrupt has stopped can only fail, and Polars makes a ComputeError of that. Python
    has heard of the interrupt as well, but raises it when it next runs code of its own: too late, in whatever
    handles the ComputeError. So the making of this error is code of Python. In a thread that is not the main
    one Python raises no interrupt, and the ComputeError says that the expression was interrupted.

    Outside of expressions Polars stops a query by itself, and raises a KeyboardInterrupt of its own. Python
    then raises a second one in whatever handles the first, so that no handler of a user would get to its end.

    Where rows are read by code of Python, older Polars makes a ComputeError of whatever that code raises.
    """

    def init(self: ComputeError, *said: object) -> None:
        Exception.__init__(self, *said)
        if said and _IN_SOURCE.match(str(said[0])) and current_thread() is main_thread():
            raise KeyboardInterrupt

    if "__init__" not in vars(ComputeError):
        ComputeError.__init__ = init  # type: ignore[assignment]
        LazyFrame.collect = _raising_once(LazyFrame.collect)  # type: ignore[method-assign]


def _raising_once(collect: Any) -> Any:
    """Return a method that runs a query, and of two KeyboardInterrupts for one Ctrl-C raises one."""

    @wraps(collect)
    def collect_once(*args: Any, **options: Any) -> DataFrame:
        first = None
        try:
            try:
                return collect(*args, **options)  # type: ignore[no-any-return]
            except KeyboardInterrupt as interrupt:
                first = interrupt
                # Here Python raises the second one, if it has not before.
                _run_python()
                raise
        except KeyboardInterrupt as interrupt:
            raised = first or interrupt
        # Outside of the handler, where the second one is not named in the traceback.
        raise raised

    return collect_once


def _run_python() -> None:
    """Do nothing; at a call Python looks whether there was a signal."""
