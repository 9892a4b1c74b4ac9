"""What the site has beside the files of ``docs``: a page for each function, and ``llms.txt``.

A page of ``docs/reference`` has the text of each function below a heading. The summary of a function is in
``docs/reference/index.md``, and the words that people use for it are in ``docs/words.md``.
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
TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md")}
# The text of each function of a family, by its name.
FAMILIES = {
    family: dict(section.split("\n", 1) for section in text.partition("<!--")[2].split("\n## ")[1:])
    for family, text in TEXTS.items()
    if "<!--" in text
}
SECTION = re.compile(r"^\*\*(\w+)\*\*$", re.MULTILINE)
ANCHORS = {name.replace(".", "").lower(): name for functions in FAMILIES.values() for name in functions}
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
            functions = FAMILIES.get(Path(path).stem, {})
            below: list[Any] = [{name: f"reference/{name}.md"} for name in functions]
            section["Reference"][place] = {title: [path, *below] if below else path}


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add a page for each function."""
    for family, functions in FAMILIES.items():
        for name, text in functions.items():
            summary = summary_of(name) or first_sentence(TEXTS[family]).removesuffix(".")
            above = f"[{TITLES[family]}]({family}.md): {summary}."
            # Headings are in the table of contents, and the search ranks a short first section higher.
            function, *methods = text.split("\n### ")
            below = "\n## ".join([SECTION.sub(r"## \1", function), *methods])
            content = f"# {name}\n\n{above}\n{below}"
            files.append(File.generated(config, f"reference/{name}.md", content=content))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Lead links to the pages of functions; a family lists its functions, and a function has its words."""
    path = Path(page.file.src_uri)
    if path.parent.name == "reference" and path.stem not in TEXTS:
        page.meta["tags"] = WORDS.get(path.stem) or [path.stem.replace(".", " ")]
    if path.stem == "words":
        # Its words are on the pages that they lead to.
        page.meta["search"] = {"exclude": True}
    if path.stem in FAMILIES and path.parent.name == "reference":
        head = markdown.partition("<!--")[0]
        markdown = "\n\n".join([head.rstrip(), *map(entry_of_family, FAMILIES[path.stem])])
    return re.sub(r"(\w+)\.md#(\w+)", page_of_function, markdown)


def page_of_function(link: re.Match[str]) -> str:
    """Return the page of the function that a link to a family's page leads to."""
    is_function = link[1] in FAMILIES and ANCHORS.get(link[2]) in FAMILIES[link[1]]
    return f"{ANCHORS[link[2]]}.md" if is_function else link[0]


def summary_of(name: str) -> str:
    """Return the summary of a function in the table of all functions, or of its namesake for Polars."""
    return str(SUMMARIES.get(name.rpartition(".")[2], ""))


def entry_of_family(name: str) -> str:
    """Return the entry of a function on the page of its family."""
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
