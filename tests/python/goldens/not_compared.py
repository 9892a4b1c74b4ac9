"""The page of results that are not compared, with reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "not-compared.md"
_HEAD = """\
# What is not compared

This page lists the results of R and Python packages that the tests do not compare, with reasons. A test
fails if the page and the tests differ. [Conventions](conventions.md) lists differences between packages.

## Whole results

| reason | results | of |
|---|---|---|
"""

_FIELDS = """
## Fields of results whose other fields agree

| reason | fields | times | of |
|---|---|---|---|
"""


@dataclass
class NotCompared:
    """The results and fields that are not compared, by reason."""

    answers: Counter[str] = field(default_factory=Counter)
    fields: Counter[str] = field(default_factory=Counter)
    names: dict[str, set[str]] = field(default_factory=dict)
    functions: dict[str, set[str]] = field(default_factory=dict)

    def add(self, function: str, reason: str | None, apart: Iterable[str]) -> None:
        """Add the findings of one record."""
        if reason is not None:
            self.answers[reason] += 1
            self.functions.setdefault(reason, set()).add(function)
        for text in apart:
            name, why = text.split(": ", 1)
            self.fields[why] += 1
            self.names.setdefault(why, set()).add(name)
            self.functions.setdefault(f"field: {why}", set()).add(function)

    def page(self) -> str:
        """Return the page."""
        lines = [_HEAD]
        for reason, times in sorted(self.answers.items(), key=lambda it: (-it[1], it[0])):
            lines.append(f"| {reason} | {times} | {_code(self.functions[reason])} |\n")
        lines.append(_FIELDS)
        for reason, times in sorted(self.fields.items(), key=lambda it: (-it[1], it[0])):
            functions = _code(self.functions[f"field: {reason}"])
            lines.append(f"| {reason} | {_code(self.names[reason])} | {times} | {functions} |\n")
        return "".join(lines)


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


if __name__ == "__main__":
    from laws.test_goldens import not_compared

    PAGE.write_text(not_compared().page(), encoding="utf-8")
