"""Bootstrap intervals as they are defined: resamples drawn row by row, and the definition asked of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from oracles.draws import resample
from oracles.scores import Rounded, Row, classes, has_nan


def bootstrap_ci(
    rows: Sequence[Row],
    of: Callable[[Sequence[Row]], Any],
    names: Sequence[str],
    *,
    level: float,
    n_resamples: int,
    seed: int,
    plain: bool = False,
) -> list[dict[str, Any]] | None:
    """Return the numbers of these names with their intervals; a number alone has one name."""

    def numbers(rows: Sequence[Row]) -> list[float | None]:
        answer = of(rows)
        return [answer[name] for name in names] if isinstance(answer, dict) else [answer]

    if has_nan(rows):
        return None
    pos, neg = classes(rows)
    drawn: list[list[float | None]] = []
    if len(pos) > 1 and len(neg) > 1:
        for replicate in range(n_resamples):
            some_pos, some_neg = resample(pos, neg, seed, replicate, plain=plain)
            drawn.append(numbers([(True, s) for s in some_pos] + [(False, s) for s in some_neg]))
    records = []
    for place, (name, estimate) in enumerate(zip(names, numbers(rows), strict=True)):
        values = sorted(float(each[place]) for each in drawn if each[place] is not None)  # type: ignore[arg-type]
        undefined: dict[str, Any] = {"se": None, "lower": None, "upper": None}
        if len(values) > 1:
            tail = (1 - level) / 2
            lower, upper = np.quantile(values, [tail, 1 - tail])
            undefined = {
                "se": Rounded(np.std(values, ddof=1)),
                "lower": Rounded(lower),
                "upper": Rounded(upper),
            }
        n_undefined = sum(each[place] is None for each in drawn)
        records.append({"field": name, "estimate": estimate, **undefined, "n_undefined": n_undefined})
    return records
