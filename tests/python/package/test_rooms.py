"""The folders of the code: their number of files, and acyclic imports."""

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "polars_auc"
MAX_FILES = 16

# Each folder uses only those before it. Files outside of the folders are last.
PYTHON = ["_plugin", "_expressions", "_frames", "_plots", "_report", "_page", "_cli", "_commands", "_spark"]
RUST = {
    "ranking": [
        *("tuning", "scores", "tasks", "partition", "bucket_map", "ties", "index", "order", "weighted"),
        *("group", "rows"),
    ],
    "states": [
        *("tuning", "weight_sums", "scale", "state", "merged_bins", "bin_table", "merged", "moving"),
        *("bounded", "packed", "weighted", "stored"),
    ],
    "statistics": [
        *(
            "option_value",
            "options",
            "rows",
            "resampling",
            "kinds",
            "declaration",
            "inference",
            "standard",
            "losses",
            "thresholds",
            "numbers",
            "curves",
            "rank_tests",
            "classes",
        ),
        *(
            "intervals",
            "comparisons",
            "calibration",
            "decisions",
            "curve_samples",
            "bands",
            "folds",
            "groups",
            "states",
            "planning",
        ),
        "monitoring",
    ],
    "plugin": ["threads", "arrays", "abi", "batches", "inputs", "answers", "expressions", "declarations"],
}


def test_a_newcomer_finds_his_way_in_every_folder() -> None:
    files = [*(ROOT / "src").rglob("*.rs"), *PACKAGE.rglob("*.py")]
    counts = Counter(path.parent for path in files)
    assert len(counts) > 30
    assert {folder.name: count for folder, count in counts.items() if count > MAX_FILES} == {}


def python_imports() -> Iterator[tuple[str, str]]:
    """Return the imports of each module, as dotted names."""
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("polars_auc"):
                for name in node.names:
                    inner = PACKAGE.parent / (node.module or "").replace(".", "/") / f"{name.name}.py"
                    yield module, f"{node.module}.{name.name}" if inner.exists() else node.module or ""
            elif isinstance(node, ast.Import):
                yield from ((module, name.name) for name in node.names if name.name.startswith("polars_auc"))


def test_python_imports_run_one_way() -> None:
    def room(module: str) -> int:
        folder = [*module.split("."), ""][1]
        return PYTHON.index(folder) if folder in PYTHON else -1 if folder == "_native" else len(PYTHON)

    imports = [(by, of) for by, of in python_imports() if of != "polars_auc"]
    assert len(imports) > 200
    assert [(by, of) for by, of in imports if room(by) < room(of)] == []
    assert_no_circle(imports)


def rust_imports(layer: str) -> Iterator[tuple[str, str]]:
    """Return the imports between the folders of a layer, without tests."""
    for path in (ROOT / "src" / layer).rglob("*.rs"):
        parts = path.relative_to(ROOT / "src" / layer).with_suffix("").parts
        code = re.split(
            r"^#\[cfg\(test\)\]\n(?:pub[^\n]* )?mod ", path.read_text(encoding="utf-8"), flags=re.M
        )[0]
        code = re.sub(r"//[^\n]*", "", code)
        pattern = rf"\b(?:crate::{layer}{'|super' if len(parts) == 1 else ''})::(\w+)"
        for used in re.findall(pattern, code):
            if parts[0] != "mod" and used != parts[0]:
                yield parts[0], used


def test_layers_use_only_those_before_them() -> None:
    layers = ["math", "ranking", "states", "statistics", "plugin"]
    for place, layer in enumerate(layers):
        for path in (ROOT / "src" / layer).rglob("*.rs"):
            code = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
            used = set(re.findall(r"\bcrate::(\w+)", code))
            assert not used.intersection(layers[place + 1 :]), path


@pytest.mark.parametrize("layer", RUST)
def test_rust_imports_run_one_way(layer: str) -> None:
    rooms = RUST[layer]
    here = {path.stem for path in (ROOT / "src" / layer).iterdir()} - {"mod"}
    assert here == set(rooms)
    imports = [(by, of) for by, of in rust_imports(layer) if of in rooms]
    assert len(imports) > 10
    assert {(by, of) for by, of in imports if rooms.index(by) < rooms.index(of)} == set()


def assert_no_circle(imports: list[tuple[str, str]]) -> None:
    """Remove modules without imports repeatedly; the rest is a cycle."""
    left: dict[str, set[str]] = defaultdict(set)
    for by, of in imports:
        if by != of:
            left[by].add(of)
    while free := {of for ofs in left.values() for of in ofs} - set(left):
        left = defaultdict(set, {by: ofs - free for by, ofs in left.items() if ofs - free})
        if not left:
            return
    assert not left, left


def test_pages_and_charts_are_imported_on_demand() -> None:
    code = """
import sys
import polars_auc as pa
slow_ones = ("polars_auc._page", "polars_auc._plots", "altair")
slow = lambda: [name for name in sys.modules if name.startswith(slow_ones)]
assert slow() == [], slow()
for name in pa.__all__:
    assert callable(getattr(pa, name)) or name == "__version__", name
assert slow() != []
assert set(pa.__all__) <= set(dir(pa))
try:
    pa.nothing
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "module 'polars_auc' has no attribute 'nothing'\n"), (
        done.stderr
    )
