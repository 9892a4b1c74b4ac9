"""Comparison of results with other packages: one function for each of their functions."""

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
"""Checks by function; by kind and function, if a function has another meaning in one kind of record."""
