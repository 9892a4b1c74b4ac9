"""The pages of the reference: docstrings of public functions in Markdown, below the head of each page."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "polars_auc"
PAGES = ROOT / "docs" / "reference"
MARK = "<!-- tests/python/package/generate.py writes the rest of this page from the docstrings. -->"

_WIDTH = 80
_FUNCTION = re.compile(r"^## (\S+)$", re.MULTILINE)
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ROLE = re.compile(r":\w+:`~?([\w.]+)`")

_TYPES = {
    "IntoExpr": "column name or expression",
    "IntoColumn": "column name or column",
    "IntoFrame": "frame or Arrow table",
    "Frame": "frame",
    "ArrowStream": "Arrow table",
    "Groupings": '`"each"`, `"rollup"`, `"cube"` or `Iterable[Iterable[str]]`',
}
"""Types whose names the package does not export."""

_Function = ast.FunctionDef | ast.ClassDef


def functions_of_page(page: str) -> list[str]:
    """Return the functions of a page, by qualified name below the package."""
    return _FUNCTION.findall(page.partition(MARK)[2])


def anchor(name: str) -> str:
    """Return the anchor of a function's heading in GitHub and MkDocs."""
    return name.replace(".", "").lower()


def pages(added: Mapping[str, str]) -> dict[Path, str]:
    """Return each page of the reference. ``added`` has the page of each new function."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(PAGES.glob("*.md"))}
    names = {path: functions_of_page(text) for path, text in sources.items() if MARK in text}
    listed = {name for page in names.values() for name in page}
    for name, page in added.items():
        if name not in listed:
            names[PAGES / f"{page}.md"].append(name)
    addresses = {name: f"{path.name}#{anchor(name)}" for path, page in names.items() for name in page}
    nodes = dict(_nodes())
    return {
        path: _page(sources[path].partition(MARK)[0], page, nodes, addresses) for path, page in names.items()
    }


def _nodes() -> Iterator[tuple[str, _Function]]:
    """Yield the public functions and classes of all modules, by qualified name."""
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    constants = {path: dict(_constants(module)) for path, module in modules.items()}
    public = {name: value for each in constants.values() for name, value in each.items() if name[0] != "_"}
    for path, module in modules.items():
        folder = path.relative_to(PACKAGE).with_suffix("").parts[0]
        # The folder ``_spark`` belongs to the public module ``spark``, for example.
        prefix = folder.removeprefix("_") if folder in ("_spark", "daft", "duckdb") else ""
        for node in _Values(public | constants[path]).visit(module).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
                yield ".".join(filter(None, (prefix, node.name))), node


def _constants(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the constants of a module: numbers and sets of words."""
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            value = node.value
            is_word_set = isinstance(value, ast.Subscript) and _code(value.value) == "Literal"
            if isinstance(target, ast.Name) and value and (is_word_set or isinstance(value, ast.Constant)):
                yield target.id, value


class _Values(ast.NodeTransformer):
    """Replace names of constants by their values."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _page(head: str, names: list[str], nodes: Mapping[str, _Function], addresses: Mapping[str, str]) -> str:
    links = " · ".join(f"[{name}](#{anchor(name)})" for name in names)
    texts = [_entry(name, nodes[name], addresses) for name in names]
    return "\n\n".join([f"{head.rstrip()}\n\n{MARK}", links, *texts]) + "\n"


def _entry(name: str, node: _Function, addresses: Mapping[str, str]) -> str:
    """Return the text of a function or class, and of the methods of a class."""
    blocks = [f"## {name}", *_blocks(f"{'polars_auc' if '.' in name else 'pa'}.{name}", node, addresses)]
    if isinstance(node, ast.ClassDef):
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                heading = f"### {name}.{method.name}"
                blocks += [heading, *_blocks(f"{name}.{method.name}", method, addresses)]
    return "\n\n".join(blocks)


def _blocks(call: str, node: _Function, addresses: Mapping[str, str]) -> Iterator[str]:
    docstring = inspect.cleandoc(ast.get_docstring(node) or "")
    head, *sections = _SECTION.split(docstring)
    summary, _, rest = head.strip().partition("\n\n")
    yield _markdown(summary, addresses)
    arguments = _arguments(node)
    yield f"```python\n{_signature(call, arguments)}\n```"
    if rest.strip():
        yield _markdown(rest, addresses)
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        yield f"**{title}**"
        if title == "Examples":
            yield _examples(text, addresses)
        elif title in ("Parameters", "Attributes"):
            # Without empty lines MkDocs adds the next item to a list within an item.
            yield "\n\n".join(_parameters(text, arguments, addresses))
        elif title in ("Returns", "Yields"):
            kind, _, description = text.partition("\n")
            yield _markdown(f"``{kind.strip()}``: {textwrap.dedent(description).strip()}", addresses)
        else:
            yield _markdown(text, addresses)


def _arguments(node: _Function) -> ast.arguments:
    if isinstance(node, ast.FunctionDef):
        return node.args
    constructors = [
        each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"
    ]
    return constructors[0].args


def _signature(call: str, arguments: ast.arguments) -> str:
    """Return a call with all parameters and defaults; types are in the list of parameters."""
    items = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for each, default in zip(positional, defaults, strict=True):
        items.append(_parameter(each.arg, default))
    if arguments.vararg:
        items.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        items.append("*")
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        items.append(_parameter(each.arg, default))
    if arguments.kwarg:
        items.append(f"**{arguments.kwarg.arg}")
    joined = ", ".join(item for item in items if item not in ("self", "cls"))
    if len(call) + len(joined) + 2 <= _WIDTH:
        return f"{call}({joined})"
    lines = textwrap.wrap(
        joined, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False
    )
    return "\n".join([f"{call}(", *lines, ")"])


def _parameter(name: str, default: ast.expr | None) -> str:
    return name if default is None else f"{name}={_code(default)}"


def _code(node: ast.expr) -> str:
    return ast.unparse(node).replace("'", '"')


def _parameters(text: str, arguments: ast.arguments, addresses: Mapping[str, str]) -> Iterator[str]:
    """Yield the list of parameters. Parameters with a shared entry have no types."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(
        zip(reversed([each.arg for each in positional]), reversed(arguments.defaults), strict=False)
    )
    defaults |= {
        each.arg: default
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    }
    annotations = {
        each.arg: each.annotation for each in (*positional, *arguments.kwonlyargs) if each.annotation
    }
    for entry in re.split(r"\n(?=\S)", text.strip()):
        names, _, description = entry.partition("\n")
        names = names.partition(" : ")[0].strip()
        types = ""
        annotation = annotations.get(names)
        if annotation is not None:
            parts = [_type(annotation)]
            default = defaults.get(names)
            if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
                parts.append(f"default `{_code(default)}`")
            types = f" ({', '.join(parts)})"
        heads = ", ".join(f"**{name.strip()}**" for name in names.split(","))
        body = _markdown(textwrap.dedent(description), addresses)
        yield f"- {heads}{types}: {textwrap.indent(body, '    ').lstrip()}"


def _type(annotation: ast.expr) -> str:
    """Return the displayed type: the words of a Literal, without None."""
    alternatives = [annotation]
    while isinstance(alternatives[0], ast.BinOp):
        union = alternatives[0]
        alternatives[:1] = [union.left, union.right]
    words: list[str] = []
    for each in alternatives:
        if isinstance(each, ast.Subscript) and _code(each.value) == "Literal":
            members = each.slice.elts if isinstance(each.slice, ast.Tuple) else [each.slice]
            words += [_code(member) for member in members]
        elif not (isinstance(each, ast.Constant) and each.value is None):
            words.append(_code(each))
    *others, last = (_TYPES.get(word, f"`{word}`") for word in words)
    return f"{', '.join(others)} or {last}" if others else last


def _examples(text: str, addresses: Mapping[str, str]) -> str:
    """Return the text with its Python sessions as code blocks."""
    blocks: list[list[str]] = []
    is_code = False
    for line in text.strip().split("\n"):
        if line.startswith(">>> ") and not is_code:
            blocks.append([])
            is_code = True
        elif not line.strip():
            is_code = False
            blocks.append([])
            continue
        elif not blocks:
            blocks.append([])
        blocks[-1].append(line)
    written = []
    for block in filter(None, blocks):
        joined = "\n".join(block)
        code = f"```pycon\n{joined}\n```"
        written.append(code if joined.startswith(">>> ") else _markdown(joined, addresses))
    return "\n\n".join(written)


def _markdown(text: str, addresses: Mapping[str, str]) -> str:
    """Return reStructuredText as Markdown: code, and function names as links."""

    def link(found: re.Match[str]) -> str:
        name = found[1].removeprefix("polars_auc.")
        address = addresses.get(name)
        return f"[`{name}`]({address})" if address else f"`{name}`"

    return _ROLE.sub(link, text.strip()).replace("``", "`")
