"""A statistic has four places: its file, the plugin's table, a Python function and the catalogue."""

import doctest
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import polars_auc as pa
from catalogue import CATALOGUE
from polars_auc import _native

COLUMN_FUNCTIONS = {
    "adjust_p_values",
    "always_valid",
    "always_valid_change",
    "pack_state",
    "roc_auc_power",
    "roc_auc_sample_size",
    "rolling_merge_states",
    "unpaired_roc_auc_difference",
    "unpack_state",
}
MODULES = [
    module.name
    for module in pkgutil.walk_packages(pa.__path__, "polars_auc.")
    if module.name != "polars_auc.__main__"
]


SOURCES = Path(__file__).parents[3] / "src"
TABLE = _native.declarations()["expressions"]
"""The rows of the plugin's table: the name, the public function, and the statistics."""
STATISTICS = {(name, statistic) for name, _, statistics in TABLE for statistic in statistics}


def test_every_statistic_is_in_the_table() -> None:
    files = [path.read_text(encoding="utf-8") for path in SOURCES.glob("statistics/**/*.rs")]
    answers = re.compile(r"^impl (?:Summary|Curve|Joint) for (\w+)", re.MULTILINE)
    statistics = {statistic for file in files for statistic in answers.findall(file)}
    assert len(statistics) > 30
    assert statistics <= {statistic for _, statistic in STATISTICS}


def test_every_row_of_the_table_is_a_function() -> None:
    functions = {function for _, function, _ in TABLE}
    public = set(pa.__all__) - {"__version__"}
    frames = {"report", "compare_reports", "curve_points", "group_states", "roc_auc_in_passes"}
    assert public - functions == frames | {
        "bootstrap_ci",
        "Evaluator",
        "evaluate",
        "evaluate_estimator",
        "plot_calibration",
        "plot_coverage",
        "plot_curve",
        "plot_difference",
        "plot_forest",
        "plot_monitoring",
        "plot_net_benefit",
        "plot_roc",
        "save_chart",
        "style_report",
        "write_report",
    }
    # Functions on frames use the first two for lists and batches, reports of Spark use the others.
    assert functions - public == {"group_lists", "add_batch", "range_sums", "summary_of_ranges"}


def test_every_row_of_the_table_is_in_the_catalogue() -> None:
    first = {name: statistics[0] for name, _, statistics in TABLE}
    # The bootstrap is a variant of each statistic that it resamples.
    variants = {statistic: name for name, _, statistics in TABLE for statistic in statistics[1:]}
    entries = {
        (entry.name, first[entry.name]) if entry.variant is None else (variants[entry.variant], entry.variant)
        for entry in CATALOGUE
    }
    # Their input or output is not rows and a result for each group. Their tests are test_bands, test_changes,
    # test_columns, test_monitoring, test_mrmc, test_packed_states, test_ranges, test_segments,
    # test_segments_of_states, test_states, test_summary, test_answers, test_compared_groups,
    # test_report_in_batches, test_bounded, test_collected_states and test_unlabelled.
    others = {
        *("add_batch", "band_coverage", "compare_segments", "group_lists", "merge_states", "mrmc_roc_auc"),
        *("range_sums", "summary_of_ranges", "unlabelled_roc_auc"),
    }
    apart = {(name, first[name]) for name in {*COLUMN_FUNCTIONS, *others}}
    apart |= {
        ("compare_segments", "CompareSegmentsClustered"),
        ("compare_segments", "CompareSegmentsOfStates"),
        ("roc_auc_power", "RocAucPowerAuc"),
        ("roc_auc_power", "RocAucPowerLevel"),
        ("roc_summary", "RocSummaryOfSegments"),
    }
    # Only reports call these.
    apart |= {(name, first[name]) for name, function, _ in TABLE if name != function}
    assert entries | apart == STATISTICS
    assert not entries & apart


STATISTIC = {
    "src/statistics/curves/cap_curve.rs",
    "src/statistics/curves/mod.rs",
    "src/plugin/expressions.rs",
    "python/polars_auc/_expressions/curves.py",
    "python/polars_auc/_plots/kinds.py",
    "tests/python/catalogue/curves.py",
    "tests/python/oracles/curves.py",
}
# generate.py writes the signature.
OPTION = {
    "src/statistics/comparisons/roc_curve_difference.rs",
    "python/polars_auc/_expressions/comparisons.py",
    "tests/python/catalogue/comparisons.py",
    "tests/python/goldens/comparisons.py",
}
# The declaration, the signature, the step, and the page about counts.
OPTION_OF_A_REPORT = {
    "python/polars_auc/_report/options.py",
    "python/polars_auc/_report/report.py",
    "python/polars_auc/_report/parts.py",
    "python/polars_auc/_page/about.py",
}


@pytest.mark.parametrize(
    ("names", "places"),
    [
        ("cap_curve|CapCurve", STATISTIC),
        ("n_permutations", OPTION),
        ("user_average", OPTION_OF_A_REPORT),
    ],
)
def test_places_of_a_statistic_and_of_options(names: str, places: set[str]) -> None:
    """CONTRIBUTING.md describes how to add them, by the example of ``cap_curve``."""
    root = SOURCES.parent
    files = [
        *SOURCES.rglob("*.rs"),
        *(root / "python").rglob("*.py"),
        *(root / "tests" / "python").rglob("*.py"),
    ]
    # Comments, docstrings and a file's tests do not count.
    word = re.compile(rf"\b({names})\b(?!`)")
    assert {str(path.relative_to(root)) for path in files if word.search(_code(path))} == places


def _code(path: Path) -> str:
    """Return the code of a file without comments and docstrings; empty for a test file."""
    text = path.read_text(encoding="utf-8")
    if path.name.startswith("test_"):
        return ""
    if path.suffix == ".rs":
        return re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"""(.*?)"""|#[^\n]*', "", text, flags=re.DOTALL)


def test_public_names() -> None:
    assert [name for name in dir(pa) if not name.startswith("__")] == sorted(
        set(pa.__all__) - {"__version__"}
    )
    functions = set(pa.__all__) - {"__version__", "Evaluator"}
    assert all(inspect.isfunction(getattr(pa, name)) for name in functions)
    assert "__version__" in dir(pa)
    public = {name for name in MODULES if not any(part.startswith("_") for part in name.split("."))}
    assert public == {"polars_auc.daft", "polars_auc.duckdb", "polars_auc.spark"}


@pytest.mark.parametrize("name", sorted(set(pa.__all__) - {"__version__"}))
def test_documented(name: str) -> None:
    doc = inspect.getdoc(getattr(pa, name)) or ""
    returns = () if inspect.isclass(getattr(pa, name)) else ("Returns",)
    for section in ("Parameters", *returns, "Examples"):
        assert f"{section}\n---" in doc, section
    # A heading in running text is not a heading.
    assert not re.search(r"\w ---", doc)


def test_errors_have_a_separate_page() -> None:
    """``docs/errors.md`` lists the error types; no docstring has a section of errors."""
    root = SOURCES.parent
    sources = "".join(path.read_text(encoding="utf-8") for path in (root / "python").rglob("*.py"))
    assert not re.search(r"^ *Raises\n *---", sources, re.MULTILINE)
    page = (root / "docs" / "errors.md").read_text(encoding="utf-8")
    types = set(re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE))
    assert {f"polars.exceptions.{name}" for name in re.findall(r"pl\.exceptions\.(\w+)\(", sources)} <= types
    assert {"ImportError", "KeyboardInterrupt", "OSError", "TypeError", "ValueError"} <= types
    assert {"pyspark.errors.PythonException", "daft.exceptions.DaftCoreException"} <= types


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.testmod(import_module(module), optionflags=flags).failed == 0


@pytest.mark.parametrize(
    "name",
    [
        "compare_scores",
        "cv_roc_auc_difference",
        "grouped_roc_auc_difference",
        "roc_auc_difference",
        "roc_difference_band",
    ],
)
def test_the_sign_of_a_difference_has_one_wording(name: str) -> None:
    head = re.sub(r"\s+", " ", inspect.getdoc(getattr(pa, name)) or "").partition("Parameters")[0]
    assert (
        "The difference is ``score_a`` minus ``score_b``. The tables of :func:`polars_auc.report` have the "
        "opposite sign: the other score minus the first score." in head
    )
    report_text = re.sub(r"\s+", " ", inspect.getdoc(pa.report) or "")
    assert "The differences are each score minus the first; :func:`polars_auc.compare_scores`" in report_text
