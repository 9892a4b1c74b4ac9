"""Every expression, with its definition. Each law of the package runs on each entry."""

from catalogue.bands import BANDS
from catalogue.calibration import CALIBRATION
from catalogue.classes import CLASSES
from catalogue.comparisons import COMPARISONS
from catalogue.curves import CURVES
from catalogue.decisions import DECISIONS
from catalogue.folds import FOLDS
from catalogue.groups import GROUPS
from catalogue.intervals import INTERVALS
from catalogue.numbers import NUMBERS
from catalogue.planning import PLANNING
from catalogue.rank_tests import RANK_TESTS
from catalogue.states import STATES
from catalogue.thresholds import THRESHOLDS

__all__ = ["CATALOGUE", "FAMILIES"]

FAMILIES = {
    "numbers": NUMBERS,
    "thresholds": THRESHOLDS,
    "curves": CURVES,
    "bands": BANDS,
    "rank_tests": RANK_TESTS,
    "classes": CLASSES,
    "groups": GROUPS,
    "intervals": INTERVALS,
    "calibration": CALIBRATION,
    "decisions": DECISIONS,
    "comparisons": COMPARISONS,
    "folds": FOLDS,
    "states": STATES,
    "planning": PLANNING,
}

CATALOGUE = [entry for family in FAMILIES.values() for entry in family]
