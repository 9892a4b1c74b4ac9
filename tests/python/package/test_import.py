"""Importing the package does not change Polars."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import importlib, pkgutil, sys, types
import polars, polars.io.plugins, polars.plugins, polars.selectors, polars.testing

def attributes():
    found = {}
    for name, module in list(sys.modules.items()):
        if name == "polars" or name.startswith(("polars.", "_polars")):
            found[name] = dict(vars(module))
            for value in list(vars(module).values()):
                if isinstance(value, type) and value.__module__.startswith(("polars", "_polars", "builtins")):
                    found[f"{value.__module__}.{value.__qualname__}"] = dict(vars(value))
    return found

polars.DataFrame({"a": [1]}).lazy().select(polars.col("a").sum()).collect()
before = attributes()
import polars_auc
for module in pkgutil.walk_packages(polars_auc.__path__, "polars_auc."):
    if module.name != "polars_auc.__main__":
        try:
            importlib.import_module(module.name)
        except ImportError:
            assert "spark" in module.name or "daft" in module.name, module.name
frame = polars.DataFrame({"y": [0, 1, 0, 1], "s": [1, 2, 3, 4]})
polars_auc.report(frame.lazy(), "y", "s").collect()
after = attributes()

assert {"polars.exceptions.ComputeError", "polars.lazyframe.frame.LazyFrame"} <= before.keys()
changed = [
    f"{place}.{name}"
    for place, values in before.items()
    for name, value in after[place].items()
    # A module that is imported becomes an attribute of its package.
    if not isinstance(value, types.ModuleType) and (name not in values or values[name] is not value)
]
for place, values in before.items():
    changed += [f"{place}.{name}" for name in values.keys() - after[place].keys()]
print("\\n".join(changed))
"""


def test_polars_stays_as_it_is() -> None:
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == []
