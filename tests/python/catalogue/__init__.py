"""Every expression, with its definition. Each law of the package runs on each entry."""

from catalogue.bootstrap import BOOTSTRAP
from catalogue.classes import CLASSES
from catalogue.curves import CURVES
from catalogue.points import POINTS
from catalogue.scores import SCORES

__all__ = ["CATALOGUE"]

CATALOGUE = [*SCORES, *POINTS, *CURVES, *CLASSES, *BOOTSTRAP]
