"""A real browser, the system's Chromium, before a running dashboard; and what it noticed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from web.served import Served

WIDTHS = (390, 900, 1600)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@dataclass
class Window:
    """A page that is open, and what went wrong in it."""

    page: Page
    context: BrowserContext
    served: Served
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return f"http://holdfast.localhost:{self.served.port}"

    def go(self, path: str) -> None:
        self.page.goto(f"{self.origin}{path}", wait_until="domcontentloaded")
        self.page.wait_for_selector("h1")

    def assert_quiet(self) -> None:
        """Nothing on the console, and no request but to the server itself."""
        assert self.errors == [], self.errors
        assert [url for url in self.requests if not url.startswith(f"{self.origin}/")] == []

    def picture(self, name: str, *, whole: bool = True) -> None:
        """Into the folder that CI or a developer names; nowhere without one."""
        folder = os.environ.get("PICTURES", "")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(folder) / f"{name}.png", full_page=whole)


def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.fail("the dashboard is tested in a real browser: apt-get install chromium")


@contextmanager
def launched() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def window(browser: Browser, served: Served, width: int = 1000, **options: Any) -> Iterator[Window]:
    """A fresh profile that comes in by an address of its own."""
    size = {"width": width, "height": 844 if width < 500 else 900}
    context = browser.new_context(viewport=size, **options)  # type: ignore[arg-type]
    made = Window(context.new_page(), context, served)
    made.page.set_default_timeout(20_000)
    made.page.on("console", lambda line: _note(made, line.type, line.text))
    made.page.on("pageerror", lambda error: made.errors.append(str(error)))
    made.page.on("request", lambda request: made.requests.append(request.url))
    made.page.goto(served.new_address())
    made.page.wait_for_selector(".brand")
    yield made
    context.close()


def _note(made: Window, sort: str, text: str) -> None:
    # Who has no cookie yet is answered with 401, and the browser says so.
    if sort in ("error", "warning") and "401 (Unauthorized)" not in text:
        made.errors.append(f"{made.page.url}: {text}")
