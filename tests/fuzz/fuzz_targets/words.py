"""The fuzzer for targets that read text: it knows words and whole texts, where libFuzzer knows bytes."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import atheris

HERE = Path(__file__).parents[1]

_PART = re.compile(rb"\w+|'[^']*'|\"[^\"]*\"|\s+|.", re.DOTALL)


def fuzz(target: Callable[[bytes], None]) -> None:
    """Give a target any texts, as the options of libFuzzer on the command line say."""
    words = (HERE / "words" / f"{target.__name__}.txt").read_bytes().split()
    # What Polars does with a text is not seen, and so libFuzzer forgets texts that differ there only.
    texts = [file.read_bytes() for file in sorted((HERE / "corpus" / target.__name__).iterdir())]

    def changed(data: bytes, most: int, seed: int) -> bytes:
        """Put words, and parts of other texts, in place of parts of a text."""
        chance = random.Random(seed)
        if chance.random() < 0.3:
            return bytes(atheris.Mutate(data, most))
        parts = _PART.findall(data if chance.random() < 0.5 else chance.choice(texts))
        for _ in range(chance.randint(1, 4)):
            others = _PART.findall(chance.choice(texts))
            first = chance.randrange(len(others) + 1)
            new = (
                [chance.choice(words)],
                [b" ", chance.choice(words), b" "],
                others[first : first + chance.randint(0, 8)],
                [b"(", *parts, b")"],
            )
            place = chance.randrange(len(parts) + 1)
            parts[place : place + chance.randint(0, 2)] = chance.choice(new)
        return b"".join(parts)[:most]

    atheris.Setup(sys.argv, target, custom_mutator=changed)
    atheris.Fuzz()
