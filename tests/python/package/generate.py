"""Write what follows from the declarations of the plugin. Run this script after a change of them."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from polars_auc import _native

ROOT = Path(__file__).parents[3]
SNAPSHOT = Path(__file__).with_name("declarations.json")
FUZZER = ROOT / "tests" / "fuzz" / "fuzz_targets" / "plugin.rs"

_PARAMETERS = re.compile(
    r'\n    Parameters\n    -+\n(.*?)(?=\n\n    \w[^\n]*\n    -{3,}|\n    """)', re.DOTALL
)
_TABLE = re.compile(r"^expressions! \{\n([^}]*)", re.MULTILINE)
_WIDTH = 110


def declarations() -> dict[str, Any]:
    """Return the table of expressions, and the sentences of standard parameters."""
    table, standard = _native.declarations()
    return {"expressions": [list(row) for row in table], "standard": standard}


def snapshot() -> dict[str, Any]:
    """Return the declarations as they were written last."""
    written: dict[str, Any] = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    return written


def entries(source: str) -> Iterator[tuple[str, str, str, str]]:
    """Return of each public function's parameters: function, parameter, entry, and the text of the entry."""
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        section = _PARAMETERS.search(ast.get_source_segment(source, node.body[0]) or "")
        for entry in re.split(r"\n(?=    \S)", section[1]) if section else ():
            head, _, text = entry.partition("\n")
            yield node.name, head.strip(), entry, " ".join(text.split())


def sources() -> list[Path]:
    """Return the modules whose public functions users call."""
    package = ROOT / "python" / "polars_auc"
    return sorted([*package.glob("_expressions/*.py"), *package.glob("_frames/*.py")])


def _rewrite_docstrings(old: Mapping[str, str], new: Mapping[str, str]) -> None:
    for path in sources():
        source = path.read_text(encoding="utf-8")
        written = source
        for _, parameter, entry, text in entries(source):
            sentence, changed = old.get(parameter, "").rstrip("."), new.get(parameter)
            if changed is None or changed == old.get(parameter) or not text.startswith(sentence or "."):
                continue
            text = changed.rstrip(".") + text.removeprefix(sentence)
            indent = " " * 8
            lines = textwrap.wrap(
                text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
            )
            rewritten = "\n".join([entry.partition("\n")[0], *lines])
            # A longer entry may begin with the same text.
            whole = re.escape(entry) + r"(?=\n\n|\n    \S)"
            written = re.sub(whole, rewritten.replace("\\", r"\\"), written)
        path.write_text(written, encoding="utf-8")


def names_in_fuzzer() -> list[str]:
    """Return the names of expressions in the fuzz target, in their order."""
    table = _TABLE.search(FUZZER.read_text(encoding="utf-8"))
    return table[1].split() if table else []


def _rewrite_fuzzer(names: list[str]) -> None:
    # The bytes of the corpus name expressions by their index, so new ones follow at the end.
    kept = [name for name in names_in_fuzzer() if name in names]
    kept += [name for name in names if name not in kept]
    indent = " " * 4
    lines = textwrap.fill(" ".join(kept), 100, initial_indent=indent, subsequent_indent=indent)
    source = FUZZER.read_text(encoding="utf-8")
    FUZZER.write_text(_TABLE.sub(f"expressions! {{\n{lines}\n", source), encoding="utf-8")


def main() -> None:
    """Rewrite the docstrings, the names of the fuzz target and the snapshot."""
    now = declarations()
    _rewrite_docstrings(snapshot()["standard"] if SNAPSHOT.exists() else {}, now["standard"])
    _rewrite_fuzzer([name for name, _, _ in now["expressions"]])
    SNAPSHOT.write_text(json.dumps(now, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
