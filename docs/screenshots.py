"""Photographs of the demo's page in its main states: `make screenshots` writes them to docs/images."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import uvicorn
from playwright.async_api import Page, async_playwright

from demo_server.app import create_app
from demo_server.settings import Settings

IMAGES = Path(__file__).parent / "images"
SIZE: Any = {"width": 1280, "height": 800}


async def main() -> int:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium on this machine; Debian's package is called chromium", file=sys.stderr)
        return 1
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(Path(folder), pace=70, thinking=2))
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", timeout_graceful_shutdown=1))
        server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign, assignment]  # Ctrl-C is ours
        serving = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110  # it has no event for that
            await asyncio.sleep(0.01)
        url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        async with async_playwright() as play:
            browser = await play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            await pictures(await browser.new_page(viewport=SIZE), url)
            await browser.close()
        await app.state.demo.chats.streams.aclose()
        server.should_exit = True
        await serving
    return 0


async def pictures(page: Page, url: str) -> None:
    async def shot(name: str) -> None:
        await page.screenshot(path=IMAGES / f"{name}.png")
        print(IMAGES / f"{name}.png")

    async def pick(name: str) -> None:
        count = await page.locator("article").count()
        await page.evaluate("document.getElementById('picks').open = true")
        await page.click(f"[data-scenario={name}]")
        await page.locator("article").nth(count).wait_for()
        await page.evaluate("document.getElementById('picks').open = false")

    async def ended() -> None:
        await page.wait_for_selector("article:last-of-type[data-ending]:not([data-ending=running])")
        await page.wait_for_timeout(300)

    await page.goto(url)
    await page.wait_for_selector("body[data-ready]")
    await pick("raw-newline")
    await ended()
    await shot("mended")
    await pick("corrected")
    await page.wait_for_selector(".pill[data-state=correcting]")
    await page.wait_for_timeout(300)
    await shot("correcting")
    await ended()
    await pick("uncorrectable")
    await ended()
    await pick("old-new")
    await ended()
    await page.click("#tab-workspace")
    await page.emulate_media(color_scheme="dark")
    await page.check("#naive")
    await shot("without-the-guard")
    await page.emulate_media(color_scheme="light")
    await page.goto(f"{url}/playground")
    await page.wait_for_selector("body[data-ready]")
    await page.wait_for_selector(".trial-block")
    await shot("playground")


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m docs.screenshots", description=__doc__).parse_args()
    sys.exit(asyncio.run(main()))
