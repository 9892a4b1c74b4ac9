"""How the answers of other packages are compared with ours: one function for each of theirs."""

from goldens import (
    classes,
    comparisons,
    curves,
    cutpoints,
    estimates,
    groups,
    intervals,
    partial,
    planning,
    points,
    ranks,
    resampled,
    weighted,
)
from goldens.rows import Check

__all__ = ["CHECKS"]

CHECKS: dict[str, Check] = {
    **estimates.CHECKS,
    **intervals.CHECKS,
    **ranks.CHECKS,
    **comparisons.CHECKS,
    **groups.CHECKS,
    **planning.CHECKS,
    **resampled.CHECKS,
    **curves.CHECKS,
    **classes.CHECKS,
    **points.CHECKS,
    **cutpoints.CHECKS,
    **partial.CHECKS,
    **weighted.CHECKS,
}
"""By function; by kind and function, where a function has another meaning in one kind of record."""
