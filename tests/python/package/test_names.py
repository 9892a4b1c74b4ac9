"""Names of code are nouns and verbs of statistics and computing."""

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]

# Words with a standard term: `said` is a message or reason, `own` is separate, `named` is by name, `drawn` is
# a chart or sample, `told` is printed, `given` is options or arguments, `asked` is a request, `there` is
# existing or present, `beside` is adjacent, `taken` is used, `made` is created, `shown` is displayed.
FORBIDDEN = {
    *("said", "say", "says", "told", "tell", "tells", "asked", "own", "named", "known", "worded", "strange"),
    *("given", "taken", "drawn", "made", "shown", "lacking", "there", "beside", "stand", "stands"),
}
# Names are no clauses either: of_rows is from_rows, row_options or n_rows.
PREFIXES = ("of", "like")

# Exceptions, with reasons.
EXCEPTIONS = {
    # The extension module exports the function under this name.
    # Calibration and decisions are under construction.
    ("tests/python/oracles/calibration.py", "of_rate"): 1,
    # The grammar of a macro: `tpr of pos at fpr of neg`.
    ("src/statistics/thresholds/rate_at_rate.rs", "of"): 6,
    ("src/statistics/thresholds/rates_at_rates.rs", "of"): 6,
}

# Rust: names after keywords, parameters and fields.
RUST = re.compile(
    r"\b(?:fn|mod|struct|enum|trait|type|const|static|let|for)\s+(?:mut\s+)?(\w+)|(?<![\w:.\"])([a-z_]\w*)\s*:(?!:)"
)
# Any use in Rust: a constructor is `new`, `from_x` or `with_x`, and a bound is `MAX_X` or `MIN_X`. The
# function `option::of` belongs to proptest.
RUST_CLAUSES = re.compile(r"(?<!option::)\bof(?:_\w+)?\b|\b(?:Of[A-Z]|OF_|MOST_|LEAST_)\w*")
TEXT = re.compile(r"""//.*|'"'|"(?:[^"\\]|\\[\s\S])*["]""")


def files(*patterns: str) -> list[Path]:
    """Return the files of the repository, without deleted ones."""
    listed = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def python_names(path: Path) -> Iterator[str]:
    """Return every name that a file binds."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs) and node.name:
            yield node.name


def words(name: str) -> list[str]:
    """Split a name at underscores and capitals."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_").split("_")


def test_names_are_standard_terms() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for path in files("*.py", "*.pyi"):
        for name in python_names(path):
            parts = words(name)
            if not FORBIDDEN.isdisjoint(parts) or (len(parts) > 1 and parts[0] in PREFIXES):
                found[str(path.relative_to(ROOT)), name] += 1
    # In Rust, `known` is a state of squared weights.
    for path in files("*.rs"):
        code = TEXT.sub("", path.read_text(encoding="utf-8"))
        for name in (name for names in RUST.findall(code) for name in names if name):
            if not (FORBIDDEN - {"known"}).isdisjoint(words(name)):
                found[str(path.relative_to(ROOT)), name] += 1
        for name in RUST_CLAUSES.findall(code):
            found[str(path.relative_to(ROOT)), name] += 1
    assert {key: count for key, count in found.items() if count > EXCEPTIONS.get(key, 0)} == {}
