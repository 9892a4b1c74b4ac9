"""Options of a report that do not go together."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

__all__ = ["NEED_ROWS", "OF_WEIGHTS", "Apart", "apart"]

OF_WEIGHTS = ("delong", "logit")
"""The methods of the interval that take weights."""

NEED_ROWS = ("compare", "versus", "along", "folds", "stability", "cluster", "weight")
"""The options that small states of the groups cannot answer."""

_LEAVE = "leave one of them out"


@dataclass(frozen=True)
class Apart:
    """Two options of which the second knows nothing of the first, so that its numbers would be wrong."""

    first: str
    second: str
    why: str
    instead: str = _LEAVE
    """What to write instead, in Python."""
    in_shell: str = _LEAVE


_APART = (
    Apart(
        "cluster",
        "folds",
        "clusters may lie in several folds, which its interval does not know",
        f'{_LEAVE}, or write cv_roc_auc(..., method="influence", cluster=...)',
    ),
    Apart("weight", "cluster", "the standard error of clusters takes no weights"),
    Apart(
        "weight",
        "count",
        "rows of unequal weight and rows that are repeated have other standard errors",
    ),
    Apart("weight", "compare", "the comparison of scores takes no weights"),
    Apart("weight", "versus", "the comparison of groups takes no weights"),
    Apart("weight", "folds", "the mean over folds takes no weights"),
    Apart("weight", "stability", "the index of stability takes no weights"),
)


def apart(given: Container[str]) -> Apart | None:
    """Return two of the options that are given and do not go together."""
    return next((pair for pair in _APART if pair.first in given and pair.second in given), None)
