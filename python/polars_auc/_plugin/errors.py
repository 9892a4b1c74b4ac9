"""Errors of options: values, until Python or a shell words them."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar

from polars_auc import _native

CALLED: ContextVar[str | None] = ContextVar("CALLED", default=None)
"""The function that the user called, where it makes several expressions; errors begin with its name."""

FLAGS: ContextVar[Mapping[str, str] | None] = ContextVar("FLAGS", default=None)
"""The flags of a shell whose names are not those of the options, by option; None in Python."""


class OptionError(ValueError):
    """An option cannot be what the user wrote.

    The texts name options between backticks, with a value or without: ```level```, ```method="bootstrap"```.
    In Python they are keyword arguments, and in a shell flags.
    """

    def __init__(self, function: str, option: str, said: str, instead: str | None = None) -> None:
        super().__init__(function, option, said, instead)
        self.function = function
        """The function that the user called."""
        self.option = option
        """The name of the option; empty if the text names all that it is about."""
        self.said = said
        """What is wrong with it."""
        self.instead = instead
        """What to write instead."""

    def worded(self, flags: Mapping[str, str] | None = None) -> str:
        """Return the sentence for Python or, with flags, for a shell."""
        option = f"`{self.option}` " if self.option else ""
        instead = "" if self.instead is None else f"; {self.instead}"
        sentence = _native.worded(f"{option}{self.said}{instead}", None if flags is None else dict(flags))
        return sentence if flags is not None else f"{self.function}: {sentence}"

    def __str__(self) -> str:
        return self.worded(FLAGS.get())


class OptionTypeError(OptionError, TypeError):
    """An option is of a type that it cannot have."""
