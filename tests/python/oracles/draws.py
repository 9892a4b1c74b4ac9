"""The random number generator of the package, and its resamples."""

from __future__ import annotations

_ALL = 2**64 - 1


def _mixed(state: int) -> tuple[int, int]:
    """Return the next state and number of SplitMix64."""
    state = (state + 0x9E3779B97F4A7C15) & _ALL
    mixed = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _ALL
    mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & _ALL
    return state, mixed ^ mixed >> 31


class Stream:
    """Xoshiro256++ of a seed and a replicate; Lemire's method maps halves of its numbers to indices."""

    def __init__(self, seed: int, replicate: int) -> None:
        mixed = _mixed(_mixed(seed)[1])[1] ^ (replicate * 0x9E3779B97F4A7C15 & _ALL)
        self.state = []
        for _ in range(4):
            mixed, number = _mixed(mixed)
            self.state.append(number)
        self.half: int | None = None

    def bits(self) -> int:
        def rotated(number: int, by: int) -> int:
            return (number << by | number >> 64 - by) & _ALL

        a, b, c, d = self.state
        bits = (rotated((a + d) & _ALL, 23) + a) & _ALL
        shifted = b << 17 & _ALL
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        self.state = [a, b, c ^ shifted, rotated(d, 45)]
        return bits

    def _half_bits(self) -> int:
        if self.half is not None:
            half, self.half = self.half, None
            return half
        bits = self.bits()
        self.half = bits >> 32
        return bits & (2**32 - 1)

    def index(self, below: int) -> int:
        product = self._half_bits() * below
        surplus = 2**32 % below
        while product % 2**32 < surplus:
            product = self._half_bits() * below
        return product >> 32


def resample(
    pos: list[float], neg: list[float], seed: int, replicate: int, *, plain: bool
) -> tuple[list[float], list[float]]:
    """Sample rows with replacement: by class, negatives first, or from all rows."""
    stream = Stream(seed, replicate)
    neg, pos = sorted(neg), sorted(pos)
    if not plain:
        sampled = [neg[stream.index(len(neg))] for _ in neg]
        return [pos[stream.index(len(pos))] for _ in pos], sampled
    rows = [stream.index(len(neg) + len(pos)) for _ in range(len(neg) + len(pos))]
    return [pos[row - len(neg)] for row in rows if row >= len(neg)], [
        neg[row] for row in rows if row < len(neg)
    ]
