"""The plugin's table, the public names and the catalogue are one list."""

import doctest
import inspect
import pkgutil
from importlib import import_module

import pytest

import polars_auc as pa
from catalogue import CATALOGUE
from polars_auc import _native

FRAME_FUNCTIONS = {"report", "compare_segments", "curve_points"}
COLUMN_FUNCTIONS = {"adjust_p_values", "roc_auc_power", "roc_auc_sample_size"}
MODULES = [
    module.name
    for module in pkgutil.walk_packages(pa.__path__, "polars_auc.")
    if module.name != "polars_auc.__main__"
]


def test_one_list() -> None:
    public = set(pa.__all__) - {"__version__"}
    assert public - FRAME_FUNCTIONS - COLUMN_FUNCTIONS == {entry.name for entry in CATALOGUE}
    aggregates = {entry.plugin or entry.name for entry in CATALOGUE}
    # One frame function has an expression of its own; its tests are in test_segments.
    assert set(_native.expressions()) == aggregates | COLUMN_FUNCTIONS | {"compare_segments"}


@pytest.mark.parametrize("name", sorted(set(pa.__all__) - {"__version__"}))
def test_documented(name: str) -> None:
    doc = inspect.getdoc(getattr(pa, name)) or ""
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"{section}\n---" in doc, section


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(import_module(module), optionflags=flags).failed == 0
