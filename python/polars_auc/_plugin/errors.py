"""Option errors, which are rendered for Python or for a shell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from polars_auc import _native

CALLED: ContextVar[str | None] = ContextVar("CALLED", default=None)
"""The public function that builds several expressions; errors begin with its name."""

FLAGS: ContextVar[Mapping[str, str] | None] = ContextVar("FLAGS", default=None)
"""The shell flags with names other than the options, by option; None in Python."""


def for_front_end(text: str) -> str:
    """Render the options in a text for Python or for the shell."""
    flags = FLAGS.get()
    return _native.render(text, None if flags is None else dict(flags))


class OptionError(ValueError):
    """The value of an option is invalid.

    The texts contain options in backticks, with or without a value: ```level```, ```method="bootstrap"```.
    Python displays keyword arguments, and a shell displays flags.
    """

    def __init__(self, function: str, option: str, reason: str, hint: str | None = None) -> None:
        super().__init__(function, option, reason, hint)
        self.function = function
        """The called function."""
        self.option = option
        """The name of the option; empty if the reason already contains it."""
        self.reason = reason
        """The reason of the error."""
        self.hint = hint
        """The suggested fix."""

    def renamed(self, name: str, other: str) -> OptionError:
        """Return the error for a function that has another name for an option."""

        def text(message: str) -> str:
            return message.replace(f"`{name}`", f"`{other}`").replace(f"`{name}=", f"`{other}=")

        option = other if self.option == name else self.option
        hint = None if self.hint is None else text(self.hint)
        return type(self)(self.function, option, text(self.reason), hint)

    def render(self, flags: Mapping[str, str] | None = None) -> str:
        """Render the sentence for Python or, with flags, for a shell."""
        option = f"`{self.option}` " if self.option else ""
        hint = "" if self.hint is None else f". Hint: {self.hint}"
        sentence = _native.render(f"{option}{self.reason}{hint}", None if flags is None else dict(flags))
        return sentence if flags is not None else f"{self.function}: {sentence}"

    def __str__(self) -> str:
        return self.render(FLAGS.get())


def per_front_end(python: str, shell: str) -> str:
    """Return a text part that differs between Python and a shell."""
    return f"\x02{python}\x1f{shell}\x03"


@contextmanager
def option_called(name: str, other: str) -> Iterator[None]:
    """Rename an option in errors to its name in the calling function."""
    try:
        yield
    except OptionError as error:
        raise error.renamed(other, name) from None


class OptionTypeError(OptionError, TypeError):
    """An option has a value of an unsupported type."""
