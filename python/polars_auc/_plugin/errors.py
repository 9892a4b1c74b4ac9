"""Errors of options: values, until Python or a shell words them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from polars_auc import _native

CALLED: ContextVar[str | None] = ContextVar("CALLED", default=None)
"""The function that the user called, where it makes several expressions; errors begin with its name."""

FLAGS: ContextVar[Mapping[str, str] | None] = ContextVar("FLAGS", default=None)
"""The flags of a shell whose names are not those of the options, by option; None in Python."""


def for_front_end(text: str) -> str:
    """Return a text as Python or the shell words the options in it."""
    flags = FLAGS.get()
    return _native.render(text, None if flags is None else dict(flags))


class OptionError(ValueError):
    """An option cannot be what the user wrote.

    The texts name options between backticks, with a value or without: ```level```, ```method="bootstrap"```.
    In Python they are keyword arguments, and in a shell flags.
    """

    def __init__(self, function: str, option: str, reason: str, hint: str | None = None) -> None:
        super().__init__(function, option, reason, hint)
        self.function = function
        """The function that the user called."""
        self.option = option
        """The name of the option; empty if the text names all that it is about."""
        self.reason = reason
        """What is wrong with it."""
        self.hint = hint
        """What to write."""

    def renamed(self, name: str, other: str) -> OptionError:
        """Return the error of a function in which an option has another name."""

        def text(message: str) -> str:
            return message.replace(f"`{name}`", f"`{other}`").replace(f"`{name}=", f"`{other}=")

        option = other if self.option == name else self.option
        hint = None if self.hint is None else text(self.hint)
        return type(self)(self.function, option, text(self.reason), hint)

    def render(self, flags: Mapping[str, str] | None = None) -> str:
        """Return the sentence for Python or, with flags, for a shell."""
        option = f"`{self.option}` " if self.option else ""
        hint = "" if self.hint is None else f". Hint: {self.hint}"
        sentence = _native.render(f"{option}{self.reason}{hint}", None if flags is None else dict(flags))
        return sentence if flags is not None else f"{self.function}: {sentence}"

    def __str__(self) -> str:
        return self.render(FLAGS.get())


def per_front_end(python: str, shell: str) -> str:
    """Return a part of a text that differs between Python and a shell."""
    return f"\x02{python}\x1f{shell}\x03"


@contextmanager
def option_called(name: str, other: str) -> Iterator[None]:
    """Give an option the name that it has in the function that calls another."""
    try:
        yield
    except OptionError as error:
        raise error.renamed(other, name) from None


class OptionTypeError(OptionError, TypeError):
    """An option is of a type that it cannot have."""
