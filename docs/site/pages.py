"""What the site has beside the files of ``docs``: a page for each function, and ``llms.txt``.

The names of functions are those after ``:::`` in ``docs/reference``. What each one is stands in
``docs/reference/index.md``, and the words that people use for it in ``docs/words.md``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

DOCS = Path(__file__).parents[1]
REFERENCE = DOCS / "reference"
FUNCTION = re.compile(r"^::: polars_auc\.([\w.]+)$", re.MULTILINE)
TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md")}
FAMILIES = {family: FUNCTION.findall(text) for family, text in TEXTS.items() if family != "index"}
TITLES = {family: TEXTS[family].splitlines()[0].removeprefix("# ") for family in FAMILIES}
SUMMARIES = dict(re.findall(r"^\| \[`(\w+)`\]\(.*?\) \| .* \| (.*) \|$", TEXTS["index"], re.MULTILINE))
WORDS = {
    name: words.split(", ")
    for words, name in re.findall(
        r"^\| (.*) \| \[`(\w+)`\]\(.*\) \|$", (DOCS / "words.md").read_text(encoding="utf-8"), re.MULTILINE
    )
}


def on_config(config: MkDocsConfig) -> None:
    """Put the pages of functions below that of their family."""
    for section in config.nav or []:
        for place, entry in enumerate(section.get("Reference", []) if isinstance(section, dict) else []):
            [(title, path)] = entry.items()
            functions = FAMILIES.get(Path(path).stem, [])
            below: list[Any] = [{name: f"reference/{name}.md"} for name in functions]
            section["Reference"][place] = {title: [path, *below] if below else path}


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add a page for each function."""
    for family, functions in FAMILIES.items():
        for name in functions:
            summary = summary_of(name) or first_sentence(TEXTS[family]).removesuffix(".")
            above = f"[{TITLES[family]}]({family}.md): {summary}.\n\n"
            text = f"::: polars_auc.{name}\n    options:\n      heading_level: 1\n"
            # A function of another engine is known by its module.
            text += f"      show_root_full_path: {str('.' in name).lower()}\n"
            files.append(File.generated(config, f"reference/{name}.md", content=above + text))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Lead links to the pages of functions; a family lists its functions, and a function has its words."""
    path = Path(page.file.src_uri)
    if path.parent.name == "reference" and path.stem not in TEXTS:
        page.meta["tags"] = WORDS.get(path.stem) or [path.stem.replace(".", " ")]
    if path.stem == "words":
        # Its words are on the pages that they lead to.
        page.meta["search"] = {"exclude": True}
    if path.stem in FAMILIES and path.parent.name == "reference":
        markdown = FUNCTION.sub(lambda found: entry_of_family(found[1]), markdown)
    return re.sub(r"\w+\.md#polars_auc\.([\w.]+)", r"\1.md", markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Make links of the roles of docstrings, such as ``:func:`roc_auc```."""

    def link(found: re.Match[str]) -> str:
        name = found[2].removeprefix("polars_auc.")
        file = files.get_file_from_path(f"reference/{name}.md")
        return f'<a href="{name}.html">{found[1]}</a>' if file else found[1]

    return re.sub(r":\w+:(<code>([\w.]+)</code>)", link, html)


def summary_of(name: str) -> str:
    """Return what the table of all functions says of a function, or of its namesake for Polars."""
    return str(SUMMARIES.get(name.rpartition(".")[2], ""))


def entry_of_family(name: str) -> str:
    """Return what the page of a family says of a function."""
    summary = summary_of(name)
    return f"## [`{name}`]({name}.md)\n\n{summary[:1].upper()}{summary[1:]}{'.' if summary else ''}\n"


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG001
    """Keep the navigation for ``llms.txt``."""
    config.extra["navigation"] = nav


def on_post_build(config: MkDocsConfig) -> None:
    """Write ``llms.txt``, as llmstxt.org describes it."""
    nav = config.extra["navigation"]
    loose = [item for item in nav.items if isinstance(item, Page)]
    sections = [("Start", loose)]
    sections += [(item.title, list(pages_of(item))) for item in nav.items if isinstance(item, Section)]
    text = f"# {config.site_name}\n\n> {config.site_description}\n"
    for title, pages in sections:
        text += f"\n## {title}\n\n" + "".join(line_of(page) for page in pages)
    (Path(config.site_dir) / "llms.txt").write_text(text, encoding="utf-8")


def pages_of(section: Section) -> Any:
    """Return the pages of a section, in order."""
    for item in section.children:
        yield from pages_of(item) if isinstance(item, Section) else [item]


def line_of(page: Page) -> str:
    """Return the line of a page: its title, its address and its first sentence."""
    summary = summary_of(str(page.title)) or first_sentence(page.markdown or "")
    return f"- [{page.title}]({page.canonical_url or page.url}): {plain(summary)}\n"


def first_sentence(markdown: str) -> str:
    """Return the first sentence below the title that is not code."""
    text = re.sub(r"^```.*?^```$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    [paragraph, *_] = re.sub(r"\A# .*\n", "", text).strip().split("\n\n")
    return re.split(r"(?<=\.)\s", " ".join(paragraph.split()), maxsplit=1)[0]


def plain(text: str) -> str:
    """Return the text with its links as words."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
