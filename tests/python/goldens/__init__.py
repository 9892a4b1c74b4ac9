"""How the answers of other packages are compared with ours: one function for each of theirs."""

from goldens import (
    classes,
    comparisons,
    curves,
    folds,
    groups,
    intervals,
    numbers,
    planning,
    rank_tests,
    thresholds,
)
from goldens.rows import Check

__all__ = ["CHECKS"]

CHECKS: dict[str, Check] = {
    **numbers.CHECKS,
    **thresholds.CHECKS,
    **curves.CHECKS,
    **rank_tests.CHECKS,
    **classes.CHECKS,
    **groups.CHECKS,
    **intervals.CHECKS,
    **comparisons.CHECKS,
    **folds.CHECKS,
    **planning.CHECKS,
}
"""By function; by kind and function, where a function has another meaning in one kind of record."""
