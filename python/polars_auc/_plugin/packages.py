"""Optional packages: checks, and errors with an install command."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from polars_auc._plugin.errors import for_front_end

_REQUIREMENTS = {
    "altair": "altair>=5.4",
    "daft": "daft>=0.7.15",
    "deltalake": "deltalake>=1",
    "duckdb": "duckdb>=1.2",
    "great_tables": "great-tables>=0.15",
    "itables": "itables>=2.9,<3",
    "jinja2": "jinja2>=3.1",
    "pandas": "pandas>=2.2",
    "pyarrow": "pyarrow>=18",
    "pyspark": "pyspark>=4.1",
    "rich": "rich>=13",
    "tomli": "tomli>=2",
    "vl_convert": "vl-convert-python>=1.6",
    "xlsxwriter": "xlsxwriter>=3.1",
}

# Attributes that only supported versions have.
_NEW = {"daft": ("daft", "udaf"), "pyspark": ("pyspark.sql.functions", "arrow_udf")}


class MissingPackageError(ImportError):
    """An optional package is not installed."""


def is_installed(module: str) -> bool:
    """Return whether an optional package can be imported, and is not too old."""
    if module not in _NEW:
        return find_spec(module) is not None
    name, attribute = _NEW[module]
    try:
        return hasattr(import_module(name), attribute)
    except ImportError:
        return False


def require(user: str, *modules: str, extra: str | None = None, hint: str = "") -> None:
    """Raise an error with an install command if a package is missing.

    ``user`` is the feature that needs the packages. ``extra`` is the extra of this package that installs
    them. ``hint`` is an alternative without them.
    """
    missing = [_REQUIREMENTS[module] for module in modules if not is_installed(module)]
    if not missing:
        return
    targets = missing if extra is None else [f"polars-auc[{extra}]"]
    install = " ".join(f'"{target}"' for target in targets)
    raise MissingPackageError(
        for_front_end(f"{user} needs {' and '.join(missing)}: pip install {install}{hint}")
    )
