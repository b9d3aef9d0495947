"""A real browser for tests: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
WATCH = Path(__file__).parents[1] / "js" / "watch.js"

WINDOWS: Any = [("light", 1280), ("dark", 360), ("dark", 1280), ("light", 360)][: int(os.environ.get("WINDOWS", "2"))]
"""Windows that a page is looked at in: both themes and both widths, and under `make more` each theme in each width."""

ONE_WINDOW: Any = WINDOWS if "WINDOWS" in os.environ else WINDOWS[:1]
OTHER_WINDOW: Any = WINDOWS if "WINDOWS" in os.environ else WINDOWS[1:]
"""As many under `make more`, and else one of them, for what takes seconds in each."""


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """One, while it runs."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        why = "no Chromium on this machine; Debian's package is called chromium"
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    async with async_playwright() as play:
        started = await play.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield started
        finally:
            await started.close()


class Pages:
    """The pages of a browser, to be watched. A new one takes a second of a core, so the last one with the same settings is used
    again: each server has another port, and with that a storage of its own.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._kept: dict[str, Page] = {}

    @contextlib.asynccontextmanager
    async def one(self, url: str, path: str = "/", **settings: Any) -> AsyncIterator[Watched]:
        """A page that is opened, and checked at the end. It is kept if nothing was wrong with it and it has no sibling."""
        page = self._kept.pop(repr(settings), None) or await self._new(settings)
        try:
            watched = Watched(page, url, path)
            await watched.open()
            yield watched
            await watched.check()
            watched.leave()
            if page.context.pages == [page]:
                await page.unroute_all()
                await page.goto("about:blank")
                await page.context.clear_cookies()
                self._kept[repr(settings)] = page
        finally:
            if page not in self._kept.values():
                await page.context.close()

    async def _new(self, settings: dict[str, Any]) -> Page:
        around = await self._browser.new_context(**settings)
        around.set_default_timeout(300_000)
        await around.add_init_script(path=WATCH)
        return await around.new_page()


class Watched:
    """A page that is watched: what it says, asks for, runs, and whether it breaks its policy."""

    def __init__(self, page: Page, url: str, path: str = "/") -> None:
        self.page = page
        self.url = url
        self.path = path
        self.faults: list[str] = []
        self.asked: list[str] = []
        self.lost = False
        self._listens: dict[Any, Any] = {
            "console": self._console,
            "pageerror": lambda error: self.faults.append(f"error: {error}"),
            "request": lambda request: self.asked.append(request.url),
            "dialog": lambda dialog: self.faults.append(f"dialog: {dialog.message}"),
        }
        for event, hears in self._listens.items():
            page.on(event, hears)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning") and not (self.lost and "net::ERR" in message.text):
            self.faults.append(f"console: {message.text}")

    def leave(self) -> None:
        """Watch it no longer."""
        for event, hears in self._listens.items():
            self.page.remove_listener(event, hears)

    async def open(self) -> None:
        await self.page.goto(self.url + self.path)
        await self.ready()

    async def open_anew(self) -> None:
        """Open it as one who was never there."""
        await self.page.evaluate("[localStorage, sessionStorage].forEach((kept) => kept.clear())")
        await self.page.context.clear_cookies()
        await self.page.goto(self.url + self.path)
        await self.ready()

    async def ready(self) -> None:
        await self.page.wait_for_selector("body[data-ready]")

    async def pick(self, scenario: str) -> None:
        async with self.another():
            await self.page.evaluate("document.getElementById('picks').open = true")  # it folds after the first reply
            await self.page.click(f"[data-scenario={scenario}]")

    @contextlib.asynccontextmanager
    async def another(self) -> AsyncIterator[None]:
        """Wait for one more turn to begin."""
        count = await self.page.locator("article").count()
        yield
        await self.until(f"document.querySelectorAll('article').length > {count}")

    async def until(self, expression: str) -> None:
        """Wait until it is true. The driver's own way evaluates a string in the page, which its policy forbids."""
        async with asyncio.timeout(300):
            while not await self.page.evaluate(expression):
                await asyncio.sleep(0.02)

    @contextlib.asynccontextmanager
    async def says(self, selector: str, text: str) -> AsyncIterator[None]:
        """Wait until an element has said this, for however short a time."""
        await self.page.locator(selector).evaluate(
            """(one) => {
              window.said = "";
              const changes = { subtree: true, childList: true, characterData: true };
              new MutationObserver(() => { window.said += one.textContent; }).observe(one, changes);
            }"""
        )
        yield
        await self.until(f"window.said.includes({json.dumps(text)})")

    async def ended(self) -> str:
        """How the last turn ended, once it has."""
        await self.until("window.settled()")
        return str(await self.page.locator("article").last.get_attribute("data-ending"))

    async def seen(self) -> list[str]:
        """What has been shown, in order."""
        found: list[str] = await self.page.evaluate("window.seen")
        return found

    async def shown(self) -> list[str]:
        """What the last turn shows."""
        found: list[str] = await self.page.evaluate("window.shown()")
        return found

    async def check(self) -> None:
        """Nothing was wrong, nothing was run, and nothing was asked of anybody else."""
        assert self.faults == []
        assert await self.page.evaluate("window.ran") == []
        allowed = tuple(self.url + path for path in ("/page/", "/client/", "/api/", "/playground", "/?chat="))
        assert [asked for asked in self.asked if asked != f"{self.url}/" and not asked.startswith(allowed)] == []

    async def axe(self) -> None:
        """Check that axe, which is in the page already, finds no fault but slight ones."""
        found = await self.page.evaluate("axe.run().then(({ violations }) => violations)")
        grave = [
            (one["id"], one["impact"], [node["html"] for node in one["nodes"]])
            for one in found
            if one["impact"] in ("serious", "critical", "moderate")
        ]
        assert grave == [], json.dumps(grave, indent=1)
