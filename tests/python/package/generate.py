"""Write the files that depend on the declarations in Rust. Run this script after changing them."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from package import reference
from polars_auc import _native

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "polars_auc"
DOCS = ROOT / "docs"
API = Path(__file__).with_name("test_api.py")
REPORT = ROOT / "tests" / "python" / "report"
SNAPSHOT = Path(__file__).with_name("declarations.json")
FUZZER = ROOT / "tests" / "fuzz" / "fuzz_targets" / "plugin.rs"

_SECTION = r'(\n    {name}\n    -+\n)(.*?)(?=\n*\n    \w[^\n]*\n    -{{3,}}|\n    """)'
_PARAMETERS = re.compile(_SECTION.format(name="Parameters"), re.DOTALL)
_RETURNS = re.compile(_SECTION.format(name="Returns"), re.DOTALL)
_FIELDS = re.compile(r"^        - ``.*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^expressions! \{\n([^}]*)", re.MULTILINE)
_WIDTH = 110
_DEFINED = re.compile(r"^def (\w+)\(", re.MULTILINE)
_QUOTES = '"' * 3

_ROW_ROLES = ("label", "score", "weight", "count", "state")
"""Standard columns with a shared entry, except in ``roc_auc``."""


def declarations() -> dict[str, Any]:
    """Return the table of expressions, and the sentences of standard parameters."""
    declared = _native.declarations()
    return {
        "expressions": [list(row) for row in declared["expressions"]],
        "standard": {each["name"]: _rst(each["text"]) for each in declared["standard"]},
    }


def snapshot() -> dict[str, Any]:
    """Return the declarations of the last run."""
    written: dict[str, Any] = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    return written


def entries(source: str) -> Iterator[tuple[str, str, str, str]]:
    """Return the parameters of each public function: function, parameter, entry, and the entry's text."""
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        section = _PARAMETERS.search(ast.get_source_segment(source, node.body[0]) or "")
        for entry in re.split(r"\n(?=    \S)", section[2]) if section else ():
            head, _, text = entry.partition("\n")
            yield node.name, head.strip(), entry, " ".join(text.split())


def sources() -> list[Path]:
    """Return the modules with public functions."""
    return sorted([*PACKAGE.glob("_expressions/*.py"), *PACKAGE.glob("_frames/*.py")])


def rewritten(path: Path) -> str:
    """Return a module of expressions with the declared signatures, parameters and fields."""
    source = path.read_text(encoding="utf-8")
    declared = _native.declarations()
    standard = {each["name"]: each for each in declared["standard"]}
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    names = [node.name for node in functions]
    lines = source.split("\n")
    # From the end, so that earlier line numbers stay valid.
    for node in reversed(functions):
        function = declared["functions"].get(node.name)
        if function is None or ast.get_docstring(node) is None:
            continue
        first, last = node.lineno - 1, node.body[0].end_lineno or 0
        body = node.body[0].lineno - 1
        docstring = "\n".join(lines[body:last])
        parameters = _parameters(node.name, function["parameters"], standard)
        docstring = _with_section(docstring, _PARAMETERS, parameters)
        if function["records"]:
            fields = _fields(function["records"])
            section = _RETURNS.search(docstring)
            returns = section[2] if section else ""
            if _FIELDS.search(returns):
                returns = _FIELDS.sub(lambda _: fields, returns, count=1)  # noqa: B023
            else:
                head, _, rest = returns.partition("\n\n")
                returns = "\n\n".join(filter(None, (head, fields, rest)))
            docstring = _with_section(docstring, _RETURNS, returns)
        # Overloads, and columns without a name, exist only in Python.
        by_hand = names.count(node.name) > 1 or node.args.vararg is not None
        head = lines[first:body] if by_hand else _signature(node.name, function["parameters"], standard)
        lines[first:last] = [*head, *docstring.split("\n")]
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """Return the pages of the reference, and the tables of all functions and of words."""
    functions = _native.declarations()["functions"]
    index, words = DOCS / "reference" / "index.md", DOCS / "words.md"
    return {
        **reference.pages(_families(functions)),
        index: _index(index.read_text(encoding="utf-8"), functions),
        words: _words(words.read_text(encoding="utf-8"), functions),
    }


def _with_section(docstring: str, pattern: re.Pattern[str], text: str) -> str:
    """Return a docstring with this text in its section."""
    found = pattern.search(docstring)
    if found is None:
        return docstring
    rest = docstring[found.end() :].lstrip("\n")
    return f"{docstring[: found.end(1)]}{text}\n{'' if rest.lstrip().startswith(_QUOTES) else chr(10)}{rest}"


def _index(source: str, functions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of all functions with the declared sentences."""

    def row(found: re.Match[str]) -> str:
        declared = functions.get(found[2])
        if declared is None:
            return found[0]
        sentence = _sentence_and_words(declared["text"])[0].removesuffix(".")
        # Keep abbreviations such as AUC, and names.
        if not (sentence[1:2].isupper() or "'" in sentence.split()[0]):
            sentence = sentence[:1].lower() + sentence[1:]
        return f"{found[1]}{sentence} |"

    return re.sub(r"^(\| \[`(\w+)`\]\(.*\) \|.* \| )[^|]*\|$", row, source, flags=re.MULTILINE)


def _words(source: str, functions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table of words with the declared ones."""

    def row(found: re.Match[str]) -> str:
        declared = functions.get(found[1])
        words = _sentence_and_words(declared["text"])[1] if declared else found[0].split(" | ")[0][2:]
        return f"| {words} | [`{found[1]}`]({found[2]}) |"

    return re.sub(r"^\| (?:.* )?\| \[`(\w+)`\]\((.*)\) \|$", row, source, flags=re.MULTILINE)


def _sentence_and_words(text: str) -> tuple[str, str]:
    sentence, _, words = text.partition("Words:")
    return re.sub(r"`(\w+)\(\)`", r"`\1`", " ".join(sentence.split())), " ".join(words.split()).removesuffix(
        "."
    )


def _families(functions: Iterable[str]) -> dict[str, str]:
    """Return the family of each function, in the order of modules."""
    modules = {path.stem: path.read_text(encoding="utf-8") for path in PACKAGE.glob("_expressions/*.py")}
    defined = {name: module for module, source in modules.items() for name in _DEFINED.findall(source)}
    return {name: defined[name] for name in functions}


def _add_to_tables(name: str, page: str, function: Mapping[str, Any]) -> None:
    """Add a new function at the end of its family in both tables."""
    index, words = DOCS / "reference" / "index.md", DOCS / "words.md"
    if f"[`{name}`]" in index.read_text(encoding="utf-8"):
        return
    columns = [column for field in chain(*function["records"][:1]) for column in field["columns"]]
    fields = f"struct `{', '.join(columns)}`" if columns else "number"
    result = f"list of {fields}" if function["kind"] in ("curve", "joint_single") else fields
    link = f"{page}.md#{name}"
    _add_row(index, f"]({page}.md#", f"| [`{name}`]({link}) | {result} | |")
    _add_row(words, f"](reference/{page}.md#", f"| | [`{name}`](reference/{link}) |")


def _add_row(path: Path, family: str, row: str) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    last = max(at for at, line in enumerate(lines) if line.startswith("|") and family in line)
    path.write_text("\n".join([*lines[: last + 1], row, *lines[last + 1 :]]), encoding="utf-8")


def _signature(
    name: str, parameters: Sequence[Mapping[str, Any]], standard: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    lines, keyword_only = [f"def {name}("], False
    for each in parameters:
        annotation = each["annotation"] or standard[each["name"]]["annotation"]
        if each["by_name"] and not keyword_only:
            lines.append("    *,")
            keyword_only = True
        default = {"true": "True", "false": "False"}.get(each["default"], each["default"])
        if default == "None" and not annotation.endswith("| None"):
            annotation += " | None"
        lines.append(f"    {each['name']}: {annotation}{f' = {default}' if default else ''},")
    return [*lines, ") -> pl.Expr:"]


def _parameters(
    function: str, parameters: Sequence[Mapping[str, Any]], standard: Mapping[str, Mapping[str, Any]]
) -> str:
    names = [each["name"] for each in parameters]
    row_roles = [
        each["name"]
        for each in parameters
        if each["name"] in _ROW_ROLES and not each["annotation"] and not each["text"]
    ]
    written: list[tuple[list[str], str]] = []
    if function != "roc_auc" and "score" in names and len(row_roles) > 1:
        states = " or states" if "state" in row_roles else ""
        written.append((row_roles, f"The columns of rows{states}, as in `roc_auc()`."))
    else:
        row_roles = []
    for each in parameters:
        name, text = each["name"], textwrap.dedent(each["text"]).strip()
        if name in row_roles:
            continue
        if not each["annotation"]:
            sentence = textwrap.dedent(standard[name]["text"]).strip()
            # A fragment in lower case continues the standard sentence.
            joins = bool(text) and not (text[0].isupper() or text[0] in "`-0123456789")
            text = (
                f"{sentence.rstrip('.') if joins else sentence}{'' if text[:1] == ',' else ' '}{text}".strip()
            )
        if text:
            written.append(([name], text))
        else:
            written[-1][0].append(name)
    return "\n".join(f"    {', '.join(heads)}\n{_wrapped(text, 8)}" for heads, text in written)


def _fields(records: Iterable[Sequence[Mapping[str, Any]]]) -> str:
    seen: set[str] = set()
    items = []
    for each in (field for record in records for field in record):
        if set(each["columns"]) <= seen:
            continue
        columns, dtypes = each["columns"], dict.fromkeys(each["dtypes"])
        if seen & set(columns):
            # A variant repeats the record in one field.
            columns = [column for column in columns if column not in seen]
        seen |= set(columns)
        text = textwrap.dedent(each["text"]).strip()
        if text.startswith("- "):
            dtypes_by_column = dict(zip(each["columns"], each["dtypes"], strict=True))
            for item in re.split(r"\n(?=- )", text):
                head, _, sentence = item.removeprefix("- ").partition(": ")
                first = re.findall(r"`(\w+)`", head)[0]
                sentence = " ".join(sentence.split())
                items.append(f"- {head} ({dtypes_by_column[first]}): {sentence[:1].upper()}{sentence[1:]}")
            continue
        head = ", ".join(f"`{column}`" for column in columns)
        items.append(f"- {head} ({', '.join(dtypes)}): {' '.join(text.split())}")
    return "\n".join(_wrapped(item, 8) for item in items)


def _rst(text: str) -> str:
    """Return a text of Rust as in docstrings: code in two backticks, and functions as links."""
    text = re.sub(r"`(\w+)\(\)`", r":func:~polars_auc.\1~", text)
    return text.replace("`", "``").replace("~polars_auc", "`polars_auc").replace("~", "`").strip()


def _wrapped(text: str, indent: int) -> str:
    blocks: list[list[str]] = []
    for line in text.split("\n"):
        if not line.strip():
            blocks.append([])
        elif line.startswith("- ") or not blocks or not blocks[-1]:
            blocks.append([line])
        else:
            blocks[-1].append(line.strip())
    lines = []
    for block in blocks:
        joined = _rst(" ".join(block))
        further = " " * (indent + 2 if joined.startswith("- ") else indent)
        lines += textwrap.wrap(
            joined,
            _WIDTH,
            initial_indent=" " * indent,
            subsequent_indent=further,
            break_on_hyphens=False,
            break_long_words=False,
        ) or [""]
    return "\n".join(lines)


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
            changed_entry = "\n".join([entry.partition("\n")[0], *lines])
            # A longer entry may begin with the same text.
            whole = re.escape(entry) + r"(?=\n\n|\n    \S)"
            written = re.sub(whole, changed_entry.replace("\\", r"\\"), written)
        path.write_text(written, encoding="utf-8")


def names_in_fuzzer() -> list[str]:
    """Return the names of expressions in the fuzz target, in their order."""
    table = _TABLE.search(FUZZER.read_text(encoding="utf-8"))
    return table[1].split() if table else []


def _rewrite_fuzzer(names: list[str]) -> None:
    # The corpus refers to expressions by index, so new ones are appended.
    kept = [name for name in names_in_fuzzer() if name in names]
    kept += [name for name in names if name not in kept]
    indent = " " * 4
    lines = textwrap.fill(" ".join(kept), 100, initial_indent=indent, subsequent_indent=indent)
    source = FUZZER.read_text(encoding="utf-8")
    FUZZER.write_text(_TABLE.sub(f"expressions! {{\n{lines}\n", source), encoding="utf-8")


def main() -> None:
    """Rewrite signatures and docstrings, the reference, the names of the fuzz target and the public API."""
    now = declarations()
    _rewrite_docstrings(snapshot()["standard"] if SNAPSHOT.exists() else {}, now["standard"])
    for path in sorted(PACKAGE.glob("_expressions/*.py")):
        path.write_text(rewritten(path), encoding="utf-8")
    functions = _native.declarations()["functions"]
    for name, page in _families(functions).items():
        _add_to_tables(name, page, functions[name])
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    _rewrite_fuzzer([name for name, _, _ in now["expressions"]])
    # Separate processes import the new files.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for script in (REPORT / "test_report_options.py", REPORT / "test_report_files.py", API):
        subprocess.run([sys.executable, str(script)], check=True, env=environment, stdout=subprocess.DEVNULL)
    SNAPSHOT.write_text(json.dumps(now, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
