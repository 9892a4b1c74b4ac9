"""The format of packed states, read byte by byte as the guide describes it."""

from __future__ import annotations

import struct
from typing import Any

KEYS = {"f64": 64, "i64": 64, "i32": 32, "bool": 32}
"""The bits of the keys of some dtypes."""


def score_of(key: int, dtype: str) -> float | int | bool:
    """The score that a key stands for."""
    bits = KEYS[dtype]
    sign = 1 << (bits - 1)
    if dtype == "f64":
        pattern = key ^ sign if key & sign else key ^ ((1 << bits) - 1)
        number: float = struct.unpack("<d", pattern.to_bytes(8, "little"))[0]
        return number
    return bool(key - sign) if dtype == "bool" else key - sign


def highest_key(dtype: str) -> int:
    """The key of the highest score of a dtype."""
    if dtype == "f64":
        return int.from_bytes(struct.pack("<d", float("inf")), "little") | 1 << 63
    return (1 << 31) + 1 if dtype == "bool" else (1 << KEYS[dtype]) - 1


def unpacked(packed: bytes) -> dict[str, Any]:
    """The state of bytes whose bins say their scores."""
    rest = list(packed[4:])
    assert packed[:4] == b"ROC\x01"

    def number() -> int:
        groups = []
        while True:
            groups.append(rest.pop(0))
            if groups[-1] < 128:
                return sum((group & 127) << 7 * place for place, group in enumerate(groups))

    dtype = bytes(rest.pop(0) for _ in range(rest.pop(0))).decode("ascii")
    flags = rest.pop(0)
    assert not flags & 8
    state: dict[str, Any] = {"n_missing": number(), "has_nan": bool(flags & 1)}
    if state["has_nan"]:
        return {**state, "n_pos": number(), "n_neg": number(), "bins": []}
    scale = "probability" if flags & 4 else "real"
    state |= {"max_bins": None, "resolution": 0, "scale": None}
    if flags & 2:
        state |= {"max_bins": number(), "resolution": number(), "scale": scale}
    bins, key = [], highest_key(dtype)
    for _ in range(number()):
        key -= number()
        pos = number()
        bins.append({"score": score_of(key, dtype), "pos": pos >> 1, "neg": number(), "tied": pos % 2 == 0})
    assert not rest
    totals = {"n_pos": sum(each["pos"] for each in bins), "n_neg": sum(each["neg"] for each in bins)}
    return {**state, **totals, "bins": bins}
