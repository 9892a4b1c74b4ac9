"""Ctrl-C while an expression is computed: the query ends with KeyboardInterrupt."""

from __future__ import annotations

from polars.exceptions import ComputeError


def raise_interrupts() -> None:
    """Let Python raise an interrupt before Polars says that an expression failed.

    An expression that an interrupt has stopped can only fail, and Polars makes a ComputeError of that. Python
    has heard of the interrupt as well, but raises it when it next runs code of its own: too late, in whatever
    handles the ComputeError. So the making of this error is code of Python. In a thread that is not the main
    one Python raises no interrupt, and the ComputeError says that the expression was interrupted.
    """

    def init(self: ComputeError, *said: object) -> None:
        Exception.__init__(self, *said)

    if "__init__" not in vars(ComputeError):
        ComputeError.__init__ = init  # type: ignore[assignment]
