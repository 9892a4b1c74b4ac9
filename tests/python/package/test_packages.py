"""Optional packages, and the error with an installation hint."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from polars_auc._plugin import packages

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_optional_packages_are_those_of_the_project() -> None:
    """The error has the declared lower bounds."""
    extras = PROJECT.read_text(encoding="utf-8").split("[project.optional-dependencies]")[1]
    declared = re.findall(r'"([a-z][\w-]*[<>=][^";]*)[";]', extras.split("[dependency-groups]")[0])
    assert set(packages._REQUIREMENTS.values()) <= set(declared)


@pytest.mark.parametrize(
    ("extra", "target"), [(None, '"altair>=5.4" "daft>=0.7.15"'), ("daft", '"polars-auc[daft]"')]
)
def test_what_to_install(extra: str | None, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("altair", "daft"):
        # None in sys.modules makes a module missing.
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError) as raised:
        packages.require("f", "altair", "daft", "pandas", extra=extra, hint="; or not")
    assert str(raised.value) == f"f needs altair>=5.4 and daft>=0.7.15: pip install {target}; or not"
    packages.require("f", "pandas")
