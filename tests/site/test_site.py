"""The built site in a browser, opened from its folder. `.ci/docs` builds it and installs the dependencies."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"
NAMES = ("chromium-headless-shell", "chromium", "google-chrome")

# A search text, and the function whose page must be among the first three results.
WORDS = {
    "sample size": "roc_auc_sample_size",
    "partial AUC": "roc_auc",
    "GAUC": "grouped_roc_auc",
    "sensitivity at specificity": "tpr_at_fpr",
    "Gini": "gini",
    "PSI": "population_stability",
    "AUC confidence interval": "roc_auc_ci",
    "DeLong test": "roc_auc_difference",
    "compare two models": "roc_auc_difference",
    "Youden": "operating_point",
    "optimal cutoff": "operating_point",
    "confusion matrix": "confusion_at",
    "Matthews correlation": "confusion_at",
    "PR AUC": "average_precision",
    "lift chart": "gains_table",
    "Kolmogorov-Smirnov": "ks_statistic",
    "Wilcoxon": "mann_whitney_u",
    "C-index": "concordance_index",
    "one-vs-rest": "multiclass_roc_auc",
    "cross-validation": "cv_roc_auc",
    "confidence band": "roc_band",
    "bootstrap": "bootstrap_ci",
    "non-inferiority": "roc_auc_difference",
    "Bonferroni": "adjust_p_values",
    "fairness": "subgroup_auc",
    "confidence sequence": "always_valid",
    "change point": "always_valid_change",
    "larger than memory": "group_states",
    "forest plot": "plot_forest",
    "equal error rate": "det_curve",
    "roc_auc_ci": "roc_auc_ci",
    "power": "roc_auc_power",
    "spark report": "spark.report",
}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """Open the first page from its folder, without a network; errors fail the test."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    assert found, f"none of {', '.join(NAMES)} is installed"
    messages: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        opened = browser.new_context(offline=True, viewport={"width": 1300, "height": 900}).new_page()
        opened.set_default_timeout(10_000)
        opened.on("console", lambda message: messages.append(message.text))
        opened.on("pageerror", lambda error: messages.append(str(error)))
        opened.goto((SITE / "index.html").as_uri())
        yield opened
        browser.close()
    assert messages == []


@pytest.mark.parametrize(("words", "function"), WORDS.items())
def test_the_search_finds_a_function_by_the_words_people_use(page: Page, words: str, function: str) -> None:
    page.goto(f"{(SITE / 'index.html').as_uri()}?q={quote(words)}")
    result = ".md-search-result__item > .md-search-result__link"
    page.wait_for_selector(result, state="attached")
    links = page.eval_on_selector_all(result, "links => links.map(link => link.pathname)")
    assert function in [Path(link).stem for link in links[:3]], links[:6]


def test_every_function_has_a_page() -> None:
    paths = (ROOT / "docs" / "reference").glob("*.md")
    pages = [path.read_text(encoding="utf-8") for path in paths if path.stem != "index"]
    names = [name for page in pages for name in re.findall(r"^## (\S+)$", page, re.MULTILINE)]
    assert len(names) > 60
    for name in names:
        text = (SITE / "reference" / f"{name}.html").read_text(encoding="utf-8")
        assert f"<h1>{name}</h1>" in re.sub(r"<h1 [^>]*>", "<h1>", text)
        assert ":func:" not in text


def test_the_list_for_language_models_names_every_page() -> None:
    """Each page has a line with its first sentence."""
    text = (SITE / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# polars-auc\n\n> ")
    listed = re.findall(r"^- \[.+\]\((.+)\): .+$", text, re.MULTILINE)
    pages = {str(path.relative_to(SITE)) for path in SITE.rglob("*.html")} - {"404.html"}
    assert sorted(listed) == sorted(pages)


def test_the_versions_of_the_host_can_be_switched(page: Page) -> None:
    """Read the Docs sends this event to each hosted page."""
    page.evaluate(
        """() => {
          const of = (slug) => ({ slug, urls: { documentation: `https://example.org/en/${slug}/` } });
          const versions = { current: of("stable"), active: [of("latest"), of("stable"), of("v0.1.0")] };
          const detail = { data: () => ({ versions }) };
          document.dispatchEvent(new CustomEvent("readthedocs-addons-data-ready", { detail }));
        }"""
    )
    assert page.inner_text(".md-version__current") == "stable"
    links = page.eval_on_selector_all(".md-version__link", "links => links.map(link => link.href)")
    assert links == [f"https://example.org/en/{slug}/" for slug in ("latest", "stable", "v0.1.0")]
