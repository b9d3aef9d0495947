"""The JavaScript client's README for React, Vue and the AI SDK: its examples run in Chromium, before a backend on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route
from stream_guard_adapters.resume import MemoryStore, Open, ResumableStreams, resume_routes
from stream_guard_adapters.sse import guarded_sse

from stream_guard import ApprovalPolicy, Guard, Risk, Tool, ToolBlock
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.javascript import MODULES, node
from tests.kit.servers import served

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = ROOT / "tests" / "js"
README: Final = (ROOT / "adapters" / "js" / "README.md").read_text(encoding="utf-8")
GUARD: Final = Guard(FILE_TOOLS)

CALL: Final = '```json\n{"tool": "write_file", "path": "a.py", "content": "x",}\n```\n\n'
CALLS: Final = CALL + CALL.replace("a.py", "b.py")
"""Two calls with a comma too many."""

Opened = Callable[..., contextlib.AbstractAsyncContextManager[tuple["Backend", Page]]]

PAGE: Final = '<!doctype html><link rel="icon" href="data:,"><div id="app"></div><script type="module" src="/page.js"></script>'

ENTRIES: Final = {
    "React": ("react.jsx", "example.jsx"),
    "Vue": ("vue.js", "example.vue"),
    "AI SDK": ("ai-sdk.jsx", "example.jsx"),
}
"""The page of each section of the README, and the name by which it imports the section's example."""


@pytest.fixture(scope="module")
def bundled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that returns the bundle of a section's page. Each is made once."""
    program = node()
    made: dict[str, Path] = {}

    def bundle(section: str) -> Path:
        if section not in made:
            made[section] = _bundled(program, section, tmp_path_factory.mktemp("page"))
        return made[section]

    return bundle


def _bundled(program: str, section: str, at: Path) -> Path:
    entry, example = ENTRIES[section]
    found = re.search(rf"^## {section}\n\n```\w+\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found, section
    (at / example).write_text(found[1], encoding="utf-8")
    modules = at / "node_modules"
    modules.mkdir()
    for path in MODULES.iterdir():
        (modules / path.name).symlink_to(path)
    (modules / "stream-guard-client").symlink_to(ROOT / "adapters" / "js")
    for name in ("bundle.mjs", entry):
        (at / name).write_bytes((PAGES / name).read_bytes())
    done = subprocess.run(
        [program, "bundle.mjs", entry, "page.js"], cwd=at, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return at / "page.js"


class Backend:
    """A backend with resumable streams and a plain chat route, whose replies go on when the test says so."""

    def __init__(self, page: Path, *, asks: bool = False) -> None:
        self.page = page
        self.waiting: dict[str, asyncio.Future[bool]] = {}
        guard = Guard(FILE_TOOLS, approve=self.approve, approval=ApprovalPolicy(risk=Risk.WRITE)) if asks else GUARD
        self.asked: list[str] = []
        """Each request for a stream or a reply: its method, `stream` or `chat`, and `Last-Event-ID`."""
        self.wrote: list[str] = []
        self.go_on = asyncio.Event()
        self.left = asyncio.Event()
        """Set when the reply of the chat route was closed before its end."""
        self.streams = ResumableStreams(MemoryStore(), guard)

    async def approve(self, block: ToolBlock, _: Tool) -> bool:
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.waiting[block.call_id] = answer
        try:
            return await answer
        finally:
            del self.waiting[block.call_id]

    async def answer(self, request: Request) -> Response:
        said = await request.json()
        self.waiting[said["call"]].set_result(said["allow"])
        return Response(status_code=204)

    async def reply(self) -> AsyncIterator[str]:
        yield "I'll write them.\n\n"
        for at in range(0, len(CALLS), 7):
            yield CALLS[at : at + 7]
        yield "And then\n\n"
        await self.go_on.wait()
        yield "Done."

    async def chat(self, request: Request) -> Response:
        self.asked.append(f"{request.method} chat")

        async def leaving() -> AsyncIterator[str]:
            try:
                async for text in self.reply():
                    yield text
            except (asyncio.CancelledError, GeneratorExit):
                self.left.set()
                raise

        return EventSourceResponse(guarded_sse(leaving(), GUARD))

    async def write(self, request: Request) -> Response:
        self.wrote.append((await request.json())["path"])
        return Response(f"{len(self.wrote)}")

    async def begin(self, request: Request) -> Open:
        asked = await request.json()
        assert asked["messages"][-1]["parts"] == [{"type": "text", "text": "Write it"}]
        self.asked.append("POST stream")
        return self.reply

    def app(self) -> Any:
        async def page(_: Request) -> Response:
            return HTMLResponse(PAGE)

        routes = resume_routes(self.streams, session=lambda _: "me", begin=self.begin)
        app = Starlette(
            routes=[
                Route("/", page),
                Route("/page.js", lambda _: FileResponse(self.page)),
                Route("/chat", self.chat, methods=["POST"]),
                Route("/files", self.write, methods=["POST"]),
                Route("/answer", self.answer, methods=["POST"]),
                Mount("/streams", routes),
            ]
        )

        async def noted(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and scope["path"].startswith("/streams/") and scope["method"] != "POST":
                last = dict(scope["headers"]).get(b"last-event-id", b"").decode()
                self.asked.append(f"{scope['method']} stream {last}".strip())
            await app(scope, receive, send)

        return noted


@pytest.fixture
def opened(chromium: Browser, bundled: Callable[[str], Path]) -> Opened:
    """Opens a section's page with a backend of its own. Nothing may be said on the console."""

    @contextlib.asynccontextmanager
    async def open_page(section: str, *, asks: bool = False) -> AsyncIterator[tuple[Backend, Page]]:
        backend = Backend(bundled(section), asks=asks)
        faults: list[str] = []
        async with served(backend.app()) as url, await chromium.new_context() as context:
            shown = await context.new_page()
            shown.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
            shown.on("pageerror", lambda error: faults.append(str(error)))
            await shown.goto(url)
            await shown.wait_for_selector("body[data-ready]", state="attached")
            try:
                yield backend, shown
            finally:
                backend.go_on.set()
                await backend.streams.aclose()
        assert faults == []

    return open_page


async def text(page: Page, has: str) -> str:
    """Return what the page shows, once it shows this."""
    await page.wait_for_function("(has) => document.body.innerText.includes(has)", arg=has, polling=50, timeout=300_000)
    return await page.inner_text("body")


async def ended(page: Page) -> str:
    await page.wait_for_selector("article:not([data-ending=running])", timeout=300_000)
    return str(await page.get_attribute("article", "data-ending"))


in_browser = pytest.mark.asyncio(loop_scope="module")
RAN: Final = ["write_file a.py: completed 1", "write_file b.py: completed 2"]


@in_browser
@pytest.mark.parametrize("section", ["React", "Vue"])
async def test_a_component_reads_a_stream_once_and_runs_its_calls_once(opened: Opened, section: str) -> None:
    """In strict mode; left in the middle, mounted again, and loaded again: the stream goes on, and no call runs again."""
    async with opened(section) as (backend, page):
        await backend.streams.start("one", "me", backend.reply)
        await page.evaluate("mount('/streams/one')")
        shown = await text(page, RAN[1])
        assert RAN[0] in shown
        assert "write_file: fixed" in shown
        assert backend.asked == ["GET stream"]

        await page.evaluate("unmount()")
        assert await page.inner_text("body") == ""
        await page.evaluate("mount('/streams/one')")
        assert RAN[0] in await text(page, RAN[1])

        await page.reload()
        await page.wait_for_selector("body[data-ready]", state="attached")
        await page.evaluate("mount('/streams/one')")
        assert RAN[0] in await text(page, RAN[1])
        backend.go_on.set()
        assert await ended(page) == "done"
        assert "And then\n\nDone." in await page.locator("article").evaluate("(it) => it.textContent")
        assert backend.wrote == ["a.py", "b.py"]
        assert backend.asked == ["GET stream"] * 3


@in_browser
@pytest.mark.parametrize("section", ["React", "Vue"])
async def test_a_component_stops_a_stream_on_its_server(opened: Opened, section: str) -> None:
    async with opened(section) as (backend, page):
        await backend.streams.start("one", "me", backend.reply)
        await page.evaluate("mount('/streams/one')")
        await text(page, RAN[1])
        await page.get_by_text("Stop").click()
        assert await ended(page) == "stopped"
        assert backend.asked == ["GET stream", "DELETE stream"]
        assert not backend.go_on.is_set()


@in_browser
@pytest.mark.parametrize("section", ["React", "Vue"])
async def test_a_component_calls_a_function_once_and_aborts_its_request_when_it_leaves(opened: Opened, section: str) -> None:
    """Also in strict mode, and however often it renders, each time with another function."""
    async with opened(section) as (backend, page):
        await page.evaluate("mount((init) => fetch('/chat', { ...init, method: 'POST' }))")
        assert RAN[0] in await text(page, RAN[1])
        if section == "React":
            await page.evaluate("render((init) => fetch('/chat', { ...init, method: 'POST', body: 'another' }))")
        assert not backend.left.is_set()
        await page.evaluate("unmount()")
        async with asyncio.timeout(300):
            await backend.left.wait()
        assert backend.asked == ["POST chat"]


@in_browser
@pytest.mark.parametrize("section", ["React", "Vue"])
async def test_a_component_begins_another_stream_with_another_url(opened: Opened, section: str) -> None:
    """Also behind none: then nothing is asked for, and there is nothing to stop."""
    async with opened(section) as (backend, page):
        backend.go_on.set()
        for name in ("one", "two"):
            await backend.streams.start(name, "me", backend.reply)
        await page.evaluate("mount(null)")
        await page.wait_for_selector("article", state="attached")
        assert await page.get_by_role("button").count() == 0
        await page.evaluate("render('/streams/one')")
        await text(page, "completed 2")
        await page.evaluate("render('/streams/two')")
        await text(page, "completed 4")
        assert backend.wrote == ["a.py", "b.py"] * 2


@in_browser
async def test_react_calls_another_function_with_another_key(opened: Opened) -> None:
    async with opened("React") as (backend, page):
        backend.go_on.set()
        for name in ("one", "two", "two"):
            await page.evaluate("(id) => keyed(id)", name)
            await text(page, f"{name}: 5 parts, done")
        assert backend.asked == ["POST chat"] * 2


@in_browser
async def test_react_gives_a_kept_message_to_no_other_source(opened: Opened) -> None:
    """The client's own tests show the same of Vue."""
    async with opened("React") as (backend, page):
        backend.go_on.set()
        for name in ("one", "two"):
            await backend.streams.start(name, "me", backend.reply)
        entries = await backend.streams.open("one", "me")
        assert entries is not None
        last = [entry.id async for entry in entries][-2]
        await page.evaluate("(last) => kept('/streams/one', last)", last)
        await text(page, "one: Kept and 1 parts, done")
        await page.evaluate("(last) => kept('/streams/two', last)", last)
        await text(page, "two: I'll and 5 parts, done")
        await page.evaluate("(last) => kept('/streams/one', last)", last)
        await text(page, "one: Kept and 1 parts, done")
        assert backend.asked == [f"GET stream {last}", "GET stream", f"GET stream {last}"]


@in_browser
async def test_vue_begins_another_stream_with_another_value_of_a_ref(opened: Opened) -> None:
    async with opened("Vue") as (backend, page):
        backend.go_on.set()
        await page.evaluate("follow()")
        assert await text(page, "null: 0 parts, running")
        for url in ("/streams/one", "/streams/two"):
            await backend.streams.start(url[-3:], "me", backend.reply)
            await page.evaluate("(url) => void source(url)", url)
            await text(page, f"{url}: 5 parts, done")
        assert backend.asked == ["GET stream"] * 2


@in_browser
async def test_vue_refuses_a_getter_and_says_what_to_pass(opened: Opened) -> None:
    async with opened("Vue") as (backend, page):
        for value in (None, "/streams/one"):
            await page.evaluate("(value) => getter(value)", value)
            assert (await text(page, "refused: The function")).endswith("in Vue also as a ref")
            await page.evaluate("unmount()")
        assert backend.asked == []


@in_browser
async def test_a_chat_of_the_ai_sdk_asks_and_drops_its_question_with_the_answer_or_the_end(
    opened: Opened,
) -> None:
    async with opened("AI SDK", asks=True) as (backend, page):
        await page.evaluate("mount('chat')")
        await page.get_by_text("Send").click()
        await text(page, '"path":"a.py"')
        await page.get_by_text("Allow").click()
        await text(page, "a.py: completed")
        assert 'a.py"' not in await text(page, '"path":"b.py"')
        await page.get_by_text("Stop").click()
        await page.wait_for_selector("main[data-status=ready]")
        await page.get_by_text("Allow").wait_for(state="detached", timeout=300_000)
        assert backend.wrote == ["a.py"]
        assert backend.waiting == {}


@in_browser
async def test_a_chat_of_the_ai_sdk_runs_calls_once_and_comes_back_to_its_reply(opened: Opened) -> None:
    """Left in the middle and loaded again: the reply goes on. At its end it is forgotten."""
    async with opened("AI SDK") as (backend, page):
        await page.evaluate("mount('chat')")
        await page.get_by_text("Send").click()
        assert "a.py: completed" in await text(page, "b.py: completed")
        assert backend.asked == ["POST stream", "GET stream"]
        for again in (page.evaluate("unmount()"), page.reload()):
            await again
            await page.wait_for_selector("body[data-ready]", state="attached")
            await page.evaluate("mount('chat')")
            assert "a.py: completed" in await text(page, "b.py: completed")
            assert await page.locator("article[data-role=assistant]").count() == 1
        backend.go_on.set()
        await text(page, "Done.")
        await page.wait_for_selector("main[data-status=ready]")
        assert backend.wrote == ["a.py", "b.py"]
        assert await page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes(':stream:'))") == []


@in_browser
async def test_a_chat_of_the_ai_sdk_is_stopped_on_its_server(opened: Opened) -> None:
    async with opened("AI SDK") as (backend, page):
        await page.evaluate("mount('chat')")
        await page.get_by_text("Send").click()
        await text(page, "b.py: completed")
        await page.get_by_text("Stop").click()
        await page.wait_for_selector("main[data-status=ready]")
        assert backend.asked == ["POST stream", "GET stream", "DELETE stream"]
        assert not backend.go_on.is_set()


@pytest.mark.some(0)
def test_every_binding_has_an_example_that_is_run() -> None:
    exports = json.loads((ROOT / "adapters" / "js" / "package.json").read_text())["exports"]
    shown = set(re.findall(r'from "stream-guard-client(/[\w-]+)"', README))
    assert {f".{name}" for name in shown} == exports.keys() - {".", "./package.json"}
    assert re.findall(r"^```(?:jsx|vue)$", README, re.MULTILINE) == ["```jsx", "```vue", "```jsx"]
