"""A browser for the tests of pages, with open pages. `.ci/page` installs the dependencies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    assert found, f"none of {', '.join(NAMES)} is installed"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Any]:
    """Open a page without a network; requests, errors and dialogs fail the test."""
    requests: list[str] = []
    contexts = []

    def put_before_the_reader(dialog: Dialog) -> None:
        requests.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def of(path: Path, *, width: int = 1200, scheme: Any = "light", wait: bool = True) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: requests.append(message.text))
        page.on("pageerror", lambda error: requests.append(str(error)))
        page.on("dialog", put_before_the_reader)
        page.on("popup", lambda other: requests.append(f"window: {other.url}"))
        page.on("request", lambda request: requests.append(request.url) if "://" in request.url[:8] else None)
        page.goto(path.as_uri())
        if wait:
            page.wait_for_selector("html[data-drawn=all]")
        return page

    yield of
    for context in contexts:
        context.close()
    assert [text for text in requests if not text.startswith(("file:", "blob:"))] == []
