"""The demo's page in a real browser: what each stream ends in, and in which order it got there."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from demo_server.app import Demo
from demo_server.models import Asked
from demo_server.scenarios import BY_NAME
from demo_server.settings import Settings
from stream_guard import CorrectionRequest
from tests.kit import javascript
from tests.kit.breadth import some
from tests.kit.browser import ONE_WINDOW, OTHER_WINDOW, WINDOWS, Pages, Watched
from tests.kit.demo import Held, running
from tests.kit.payloads import payloads
from tests.kit.provider import Provider
from tests.kit.scenarios import RUN

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAYLOADS = int(os.environ.get("PAYLOADS", "20"))
"""How many hostile texts the page is given; more under `make more`."""

SETTINGS = {"thinking": 0.05, "rate": 1000.0, "burst": 1000}
Open = Callable[..., AbstractAsyncContextManager[tuple[Watched, Demo]]]


@pytest.fixture
def opened(pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens the page of a new server, and checks at the end that nothing was wrong with it."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    @asynccontextmanager
    async def open_page(pace: float = 0, private: bool = False, **context: Any) -> AsyncIterator[tuple[Watched, Demo]]:
        settings: Any = {"pace": pace, "private": private, **SETTINGS}
        async with running(Settings(tmp_path, **settings)) as (url, demo), pages.one(url, **context) as page:
            yield page, demo

    return open_page


def ends(name: str) -> list[str]:
    """How the blocks of a scenario are shown at the end."""
    verdicts = {None: "valid", "fixes": "fixed", "llm": "corrected"}
    failed = ["block failed failed"] if name in ("truncated", "uncorrectable", "missing-content") else []
    return [f"block {verdicts[how]} completed" for how, _ in RUN[name]] or failed


def prose(name: str) -> list[str]:
    """The prose of a scenario that is text."""
    from demo_server.chats import TOOLS
    from stream_guard import Guard

    merged: list[str] = [""]
    for item in Guard(TOOLS).scan([BY_NAME[name].reply]):
        if isinstance(item, str):
            merged[-1] += item
        elif merged[-1] and getattr(item, "status", "") != "released":
            merged.append("")
    return [text.strip() for text in merged if text.strip()]


# -- what each stream ends in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [list(BY_NAME)[part::3] for part in range(3)], ids=", ".join)
async def test_each_scenario_ends_in_its_state(names: list[str], opened: Open) -> None:
    """Pill before block, block before success; the prose as it was; the file in the list. Each for a visitor of its own."""
    async with opened() as (page, demo):
        for name in names:
            demo.chats.model = model = Held('"arguments"' if BY_NAME[name].native else '"tool"', pace=4_000)  # type: ignore[misc]
            await page.open_anew()
            await page.pick(name)
            if ends(name):
                await page.until("window.seen.some((one) => one.startsWith('pill'))")
            model.go_on()
            assert await page.ended() == "done", name
            shown, seen = await page.shown(), await page.seen()
            for _, path in RUN[name]:
                there = json.dumps(path != "src/OldButton.tsx")
                await page.until(f"window.fileNames().includes({json.dumps(path)}) === {there}")
            await page.check()
            came_as_it_should(name, shown, seen)


def came_as_it_should(name: str, shown: list[str], seen: list[str]) -> None:
    """Hold what a scenario shows at its end, and what it showed until then, against what it is made of."""
    assert [one for one in shown if one.startswith("block ")] == ends(name), name
    if name != "example":
        assert [one for one in shown if not one.startswith("block ")] == prose(name), name
    else:
        assert "".join(shown).split() == BY_NAME[name].reply.split()
    count = len(ends(name))
    marks = ["pill", "block"] + (["result"] if RUN[name] else [])
    assert [first(seen, mark) for mark in marks if count] == sorted(first(seen, mark) for mark in marks if count), name
    assert sum(one.startswith("block") for one in seen) == count, name
    assert seen.count("result completed") == len(RUN[name]), name


def first(seen: Sequence[str], mark: str) -> int:
    return next(at for at, one in enumerate(seen) if one.startswith(mark))


class Thinks(Held):
    """A script whose corrections wait too."""

    async def _correct(self, request: CorrectionRequest) -> str:
        await self._may.acquire()
        return await super()._correct(request)


async def test_a_pill_tells_what_is_going_on(opened: Open) -> None:
    """The tool and the path as soon as they are known, progress while it is held, and a correction."""
    async with opened() as (page, demo):
        demo.chats.model = model = Thinks('"tool"', '"content"', pace=400)  # type: ignore[misc]
        await page.pick("corrected")
        for told in ("Receiving...", "characters", "Correcting (1 of 2)..."):
            await page.until(f"window.seen.some((one) => one.startsWith('pill') && one.includes('{told}'))")
            model.go_on()
        await page.ended()
        live = await page.page.locator("#live").inner_text()
        said = [one.split(" ", 2)[2] for one in await page.seen() if one.startswith("pill")]

    assert said[0].startswith("Receiving...")
    assert any(text.startswith("Creating... src/colours.json") and text.endswith("characters") for text in said)
    assert "Correcting (1 of 2)... src/colours.json" in said
    assert live in ("The answer is complete.", "Created src/colours.json")


async def test_what_is_typed_is_answered(opened: Open) -> None:
    """By keyboard alone: type, send, walk the tabs, undo."""
    async with opened(pace=900) as (page, _):
        await page.page.focus("#request")
        await page.page.keyboard.type("Please add a button component")
        async with page.another():
            await page.page.keyboard.press("Enter")
        assert await page.ended() == "done"
        await page.page.focus("#tab-inspector")
        await page.page.keyboard.press("ArrowRight")
        assert await page.page.locator("#workspace").is_visible()
        assert await page.page.locator("#file-title").inner_text() == "Created src/components/Button.tsx"
        await page.page.get_by_role("button", name="Undo").focus()
        await page.page.keyboard.press("Enter")
        await page.page.wait_for_selector("[data-result=undone]")
        await page.until("!window.fileNames().includes('src/components/Button.tsx')")


async def test_the_inspector_shows_both_sides(opened: Open) -> None:
    async with opened(pace=900) as (page, _):
        await page.pick("raw-newline")
        await page.ended()
        raw = await page.page.locator("#raw").text_content()
        events = await page.page.locator("#events li").all_inner_texts()
        verdict = await page.page.locator("#verdicts").inner_text()
        timeline = await page.page.locator("#timeline").inner_text()

    assert raw == BY_NAME["raw-newline"].reply
    assert any("json-tool-status buffering write_file CHANGELOG.md" in event for event in events)
    assert any("json-tool-block write_file CHANGELOG.md fixed" in event for event in events)
    assert "SYNTAX_REPAIR" in verdict and "before" in verdict and "control_character" in verdict
    assert "CHANGELOG.md" in timeline and "held" in timeline


async def test_the_time_line_is_the_servers_once_a_reply_has_ended(opened: Open) -> None:
    """It says the same after a reload, and how long the reply took and not its replay; of what has no times it says so."""
    async with opened(pace=160) as (page, demo):
        await page.pick("raw-newline")
        await page.ended()
        await page.page.wait_for_selector("article[data-measured]", state="attached")
        bar, times = "#timeline .bar", "#events time"
        before = await page.page.locator(bar).all_inner_texts(), await page.page.locator(times).all_inner_texts()
        held = int(before[0][0].partition("held ")[2].partition(" ms")[0])
        assert held > 300  # of at least a hundred characters at 160 a second
        await page.page.reload()
        await page.ready()
        assert (await page.page.locator(bar).all_inner_texts(), await page.page.locator(times).all_inner_texts()) == before
        await demo.chats.history._changed("UPDATE events SET at = NULL", ())
        await page.page.reload()
        await page.ready()
        assert (await page.page.locator("#timeline").inner_text()).startswith("Not measured")
        assert {time.strip() for time in await page.page.locator(times).all_inner_texts()} == {"–"}


async def test_how_far_a_call_is_written_is_one_line_that_counts_up(opened: Open) -> None:
    async with opened(pace=0) as (page, _):
        await page.pick("raw-newline")
        await page.ended()
        events = await page.page.locator("#events li").all_inner_texts()
    assert len([event for event in events if "buffering" in event]) == 1


FOCUS = "document.activeElement.tagName + ' ' + (document.activeElement.id || document.activeElement.textContent)"


async def test_the_focus_stays_where_something_was_pressed(opened: Open) -> None:
    """After a reply was picked, stopped and undone; the list of replies folds after the first one, and not again."""
    async with opened(pace=900) as (page, demo):
        press = page.page.keyboard.press
        await page.page.focus("[data-scenario=valid]")
        async with page.another():
            await press("Enter")
        assert (await page.page.evaluate(FOCUS)).startswith("SUMMARY Pick a reply")
        assert not await page.page.locator("#scenarios").is_visible()
        await page.ended()
        await page.page.locator(".result button:has-text('Undo')").focus()
        await press("Enter")
        await page.page.wait_for_selector("[data-result=undone]")
        assert await page.page.evaluate(FOCUS) == "BUTTON Show change"
        await page.page.focus("#picks summary")
        await press("Enter")
        await page.page.focus("[data-scenario=nested-fences]")
        demo.chats.model._pace = 1  # type: ignore[attr-defined]  # a reply that does not end before it is stopped
        async with page.another():
            await press("Enter")
        assert await page.page.locator("#scenarios").is_visible()
        assert await page.page.get_attribute("*:focus", "data-scenario") == "nested-fences"
        await page.page.focus("#stop")
        await press("Enter")
        await page.ended()
        await page.until(f"({FOCUS}).startsWith('DIV log')")


async def test_what_cannot_be_undone_is_no_success(opened: Open, tmp_path: Path) -> None:
    """The same text again is no change, without Undo; a refusal is not shown as done, whatever was pressed how often."""
    path = RUN["raw-newline"][0][1]
    async with opened() as (page, _):
        for _ in range(2):
            await page.pick("raw-newline")
            await page.ended()
        results = page.page.locator(".result")
        await page.page.wait_for_selector(f".result:has-text('No change: {path}')")
        assert await results.last.locator("button").count() == 0
        (there,) = [found for found in (tmp_path / "workspaces").rglob(path) if found.is_file()]
        page.lost = True  # a refusal is told in the console too
        for text, said in (("x", f"Not undone: '{path}' has changed since"), (None, f"Its effect is gone: '{path}'")):
            there.unlink() if text is None else there.write_text(text, encoding="utf-8")
            await results.first.get_by_role("button", name="Undo").focus()
            await page.page.keyboard.press("Enter")
            await page.until(f"document.querySelector('.result [role=alert]')?.textContent.startsWith({json.dumps(said)})")
            assert await results.first.get_attribute("data-result") == "refused"
            await page.until("document.activeElement.textContent === 'Undo'")
        colours = await results.evaluate_all("(found) => found.map((one) => getComputedStyle(one).backgroundColor)")
        page.faults.clear()
    assert colours[0] != colours[1]


async def test_the_open_chat_comes_back_when_its_deletion_is_undone(opened: Open) -> None:
    """Where it stood alone and where another was shown meanwhile; not over a chat that was opened since."""
    async with opened() as (page, _):
        shown = "document.querySelector('article')?.getAttribute('aria-label') ?? ''"
        first, second = BY_NAME["valid"].request, BY_NAME["old-new"].request
        await page.pick("valid")
        await page.ended()
        for other in ("", first):
            if other:
                await page.page.click("#new-chat")
                await page.until("!document.querySelector('article')")
                await page.pick("old-new")
                await page.ended()
            mine, address = second if other else first, page.page.url
            await page.page.click("#chats")
            await page.page.get_by_role("button", name=f"Delete {mine}").click()
            await page.until(f"({shown}) === {json.dumps(other)} && !location.search")
            await page.page.get_by_role("button", name=f"restore {mine}").click()
            await page.until(f"({shown}) === {json.dumps(mine)}")
            await page.until("document.querySelectorAll('#chat-list a[aria-current=page]').length === 1")
            assert page.page.url == address
            await page.page.keyboard.press("Escape")
        await page.page.click("#chats")
        await page.page.get_by_role("button", name=f"Delete {second}").click()
        await page.until("document.querySelectorAll('#chat-list a').length === 1")
        await page.page.click("#chat-list a")
        await page.until(f"({shown}) === {json.dumps(first)} && location.search.startsWith('?chat=')")
        await page.page.click("#chats")
        await page.page.get_by_role("button", name=f"restore {second}").click()
        await page.until("document.querySelectorAll('#chat-list a').length === 2")
        assert await page.page.evaluate(shown) == first


async def test_a_chat_has_an_address_once_it_has_a_request_and_a_new_one_shows_nothing_of_the_last(opened: Open) -> None:
    async with opened(pace=0) as (page, _):
        assert page.page.url == f"{page.url}/"
        await page.pick("valid")
        await page.ended()
        address = page.page.url
        assert "/?chat=" in address
        await page.page.click("#tab-workspace")
        await page.page.click("#files button")
        await page.page.evaluate("window.confirm = () => true")
        await page.page.click("#reset")
        await page.until("!document.querySelector('article')")
        assert await page.page.locator("#file-title").inner_text() == "No file is open"
        assert await page.page.locator("#file").text_content() == ""
        assert page.page.url == f"{page.url}/"
        for name, left in (("raw", ""), ("events", ""), ("timeline", "How long"), ("verdicts", "What was found")):
            text = await page.page.locator(f"#{name}").text_content() or ""
            assert text == left or (left and text.startswith(left)), name
        await page.page.go_back()
        await page.page.wait_for_selector("article")
        assert page.page.url == address


async def test_a_reply_that_is_picked_while_a_new_chat_opens_is_shown_in_it(opened: Open) -> None:
    async with opened(pace=0) as (page, _):
        await page.pick("valid")
        await page.ended()
        clicked = asyncio.Event()

        async def answer(route: Any) -> None:
            await clicked.wait()
            await route.continue_()

        await page.page.route("**/api/reset", answer)
        await page.page.evaluate("document.getElementById('picks').open = true")
        async with page.page.expect_response("**/api/reset"):
            await page.page.click("#new-chat")
            await page.page.click("[data-scenario=raw-newline]")
            clicked.set()
        await page.until("document.querySelectorAll('article').length === 1 && window.settled()")
        assert await page.page.locator("article h3").all_inner_texts() == [BY_NAME["raw-newline"].request]


HARM = {
    "valid": "It parses, and is run: write_file",
    "wrong-tool": 'Nothing runs "create_file".',
    "missing-content": '"undefined" is written to .env.example.',
    "raw-newline": "SyntaxError",
    "nested-fences": "SyntaxError",
    "truncated": "The block never closed.",
    "example": "names no tool",
    "uncorrectable": "is run: write_file /etc/passwd",
    "native": "SyntaxError",
}
"""What becomes of scenarios where no guard is."""


@pytest.mark.parametrize("names", [list(HARM)[part::2] for part in range(2)], ids=", ".join)
async def test_without_the_guard_the_same_stream_does_harm(names: list[str], opened: Open) -> None:
    async with opened() as (page, _):
        for name in names:
            await page.open_anew()
            await page.pick(name)
            await page.ended()
            await page.page.check("#naive")
            texts = "[...document.querySelectorAll('[data-fate]')].map((one) => one.textContent)"
            await page.until(f"{texts}.some((one) => one.includes({json.dumps(HARM[name])}))")
            await page.page.uncheck("#naive")
            assert not await page.page.locator(".naive").is_visible(), name


# -- what a connection goes through ------------------------------------------------------------------------------------


@pytest.mark.some
@pytest.mark.parametrize("name", ["two-blocks", "corrected", "nested-fences"])
async def test_a_reload_loses_nothing_and_doubles_nothing(name: str, opened: Open) -> None:
    """In the middle of the stream, again and again, in a block and between blocks."""
    async with opened(pace=220) as (page, demo):
        await page.pick(name)
        for _ in some(range(6), 3):
            await page.page.wait_for_timeout(230)
            await page.page.reload()
            await page.ready()
        assert await page.ended() == "done"
        shown = await page.shown()
        raw = await page.page.locator("#raw").text_content()
        counted = demo.metrics.text().decode()
        await page.page.reload()
        await page.ready()
        assert await page.ended() == "done"
        assert await page.shown() == shown

    assert [one for one in shown if one.startswith("block ")] == ends(name)
    assert [one for one in shown if not one.startswith("block ")] == prose(name)
    assert raw == BY_NAME[name].reply
    assert f'stream_guard_executions_total{{state="completed"}} {len(RUN[name])}.0' in counted


async def test_two_pages_see_the_same_and_run_it_once(opened: Open) -> None:
    async with opened(pace=300) as (page, demo):
        await page.pick("two-blocks")
        await page.page.wait_for_timeout(300)
        other = Watched(await page.page.context.new_page(), page.url)
        await other.open()
        await asyncio.gather(page.ended(), other.ended())
        assert await page.shown() == await other.shown()
        await other.check()
        counted = demo.metrics.text().decode()
    assert 'stream_guard_executions_total{state="completed"} 2.0' in counted


async def test_a_lost_network_comes_back(opened: Open) -> None:
    async with opened() as (page, demo):
        demo.chats.model = model = Held("write_file", pace=120)  # type: ignore[misc]
        await page.pick("two-blocks")
        await page.page.wait_for_selector(".pill")
        page.lost = True
        await page.page.context.set_offline(True)
        demo.chats.streams.store.let_go()  # as a worker that ends does
        await page.page.wait_for_selector("#connection:not([hidden])")
        model.go_on()
        await page.page.wait_for_timeout(600)
        await page.page.context.set_offline(False)
        assert await page.ended() == "done"
        assert [one for one in await page.shown() if not one.startswith("block ")] == prose("two-blocks")
        assert [one for one in await page.shown() if one.startswith("block ")] == ends("two-blocks")
        assert await page.page.locator("#connection").is_hidden()


async def test_a_server_that_lets_readers_go_is_asked_again(opened: Open) -> None:
    async with opened() as (page, demo):
        demo.chats.model = model = Held("write_file", "delete_file", pace=400)  # type: ignore[misc]
        await page.pick("two-blocks")
        for count in (1, 2):
            await page.until(f"window.seen.filter((one) => one.startsWith('pill')).length >= {count}")
            demo.chats.streams.store.let_go()  # as a worker that ends does
            model.go_on()
        assert await page.ended() == "done"
        assert [one for one in await page.shown() if not one.startswith("block ")] == prose("two-blocks")


async def test_stop_stops(opened: Open) -> None:
    """In the middle of a block: it is there as one that was cut off, and is not run."""
    async with opened() as (page, demo):
        demo.chats.model = Held("export")  # type: ignore[misc]
        await page.pick("valid")
        await page.page.wait_for_selector(".pill:has-text('Button.tsx')")
        await page.page.click("#stop")
        assert await page.ended() == "stopped"
        shown = await page.shown()
        while demo.chats.streams.running:
            await asyncio.sleep(0.01)
        assert not await page.page.locator("#stop").is_visible()
        assert await page.page.get_by_role("button", name="Ask again").is_visible()
    assert shown == ["I'll add the button component first.", "block failed failed"]


async def test_a_new_chat_is_empty_and_files_can_be_put_back(opened: Open) -> None:
    async with opened() as (page, _):
        await page.pick("valid")
        await page.ended()
        await page.page.click("#new-chat")
        await page.until("!document.querySelector('article')")
        assert "src/components/Button.tsx" in await page.page.evaluate("window.fileNames()")
        await page.page.evaluate("window.confirm = () => true")
        await page.page.click("#reset")
        await page.until("window.fileNames().length === 4")


async def test_two_windows_show_the_same_chat(opened: Open) -> None:
    """A turn that begins in one, and a new chat, are in the other without a reload; and the history after Back."""
    async with opened() as (page, _):
        other = Watched(await page.page.context.new_page(), page.url)
        await other.open()
        await page.pick("old-new")
        await page.ended()
        await other.until("document.querySelectorAll('article').length === 1")
        assert await other.ended() == "done"
        assert await other.shown() == await page.shown()
        await other.page.goto(f"{page.url}/playground")
        await other.ready()
        await page.page.click("#new-chat")
        await page.until("!document.querySelector('article')")
        await page.pick("valid")
        await page.ended()
        await other.page.go_back()
        await other.ready()
        await other.until("document.querySelectorAll('article').length === 1")
        assert await other.shown() == await page.shown()
        await other.check()


async def chats(page: Watched) -> list[str]:
    """The names in the list of chats, which is open."""
    return await page.page.locator("#chat-list a").all_inner_texts()


@pytest.mark.more
@pytest.mark.parametrize(("scheme", "width"), ONE_WINDOW)
async def test_chats_are_listed_found_named_deleted_and_restored(scheme: Any, width: int, opened: Open) -> None:
    """By keyboard; Back, a reload and another window show the chat of their address, or the last one if it is deleted."""
    javascript.node()
    axe = (javascript.MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    async with opened(color_scheme=scheme, viewport={"width": width, "height": 800}) as (page, _):
        await page.page.evaluate(axe)
        keyboard = page.page.keyboard
        for name in ("valid", "old-new"):
            await page.page.click("#new-chat")
            await page.until("!document.querySelector('article')")
            await page.pick(name)
            await page.ended()
        first, second = BY_NAME["valid"].request, BY_NAME["old-new"].request
        await page.page.focus("#chats")
        await keyboard.press("Enter")
        await page.until("document.querySelectorAll('#chat-list a').length === 2")
        assert await chats(page) == [second, first]
        await page.axe()
        await page.page.focus("#find")
        await keyboard.type(first.split()[-1].upper() + " " + first.split()[0])
        await page.until("document.querySelectorAll('#chat-list a').length === 1")
        await keyboard.press("Tab")
        await keyboard.press("Enter")
        await page.until(f"document.querySelector('article')?.getAttribute('aria-label') === {json.dumps(first)}")
        assert "/?chat=" in page.page.url
        other = Watched(await page.page.context.new_page(), page.url, page.page.url.removeprefix(page.url))
        await other.open()
        await page.page.go_back()
        await page.until(f"document.querySelector('article')?.getAttribute('aria-label') === {json.dumps(second)}")
        await page.page.reload()
        await page.ready()
        assert await page.page.locator("article").get_attribute("aria-label") == second
        assert await other.page.locator("article").get_attribute("aria-label") == first
        await page.page.evaluate(axe)
        await page.page.focus("#chats")
        await keyboard.press("Enter")
        await page.page.locator("#chat-list li").nth(1).get_by_role("button", name="Rename").focus()
        await keyboard.press("Enter")
        await keyboard.type("<b>Mine</b>")
        await keyboard.press("Enter")
        await page.page.wait_for_selector("#chat-list a:has-text('<b>Mine</b>')")
        await page.page.get_by_role("button", name="Delete <b>Mine</b>").focus()
        await keyboard.press("Enter")
        await page.page.wait_for_selector("#deleted:has-text('Deleted: <b>Mine</b>')")
        await page.until("document.querySelectorAll('#chat-list a').length === 1")
        await other.until(f"document.querySelector('article')?.getAttribute('aria-label') === {json.dumps(second)}")
        assert "?chat" not in other.page.url
        await page.axe()
        await page.until("document.activeElement.textContent === 'Undo'")
        await page.page.get_by_role("button", name=f"Delete {second}").focus()
        await keyboard.press("Enter")
        await page.until("document.querySelectorAll('#deleted-list li').length === 2")
        await keyboard.press("Escape")
        await page.page.reload()
        await page.ready()
        await page.page.evaluate(axe)
        await page.page.focus("#chats")
        await keyboard.press("Enter")
        await page.until("document.querySelectorAll('#deleted-list li').length === 2")
        assert await page.page.locator("#deleted-list b").all_inner_texts() == [second, "<b>Mine</b>"]
        assert "can be restored until" in await page.page.locator("#deleted-list").inner_text()
        await page.axe()
        for left in (1, 0):
            await page.page.locator("#deleted-list button").first.focus()
            await keyboard.press("Enter")
            await page.until(f"document.querySelectorAll('#deleted-list li').length === {left}")
        await page.until("document.activeElement.textContent === '<b>Mine</b>'")
        assert await page.page.locator("#deleted-chats").is_hidden()
        assert await chats(page) == [second, "<b>Mine</b>"]
        await page.page.fill("#find", "nothing like it")
        await page.page.wait_for_selector("#chat-list:has-text('No chat has these words')")
        await keyboard.press("Escape")
        await keyboard.press("Escape")  # the first one empties the search
        await page.until("!document.getElementById('chats-dialog').open")
        wide = await page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        await other.check()
    assert wide <= 0


async def test_a_request_that_no_script_fits_says_so(opened: Open) -> None:
    async with opened() as (page, _):
        await page.page.fill("#request", "Compose a poem about autumn leaves")
        async with page.another():
            await page.page.click("#send")
        assert await page.ended() == "done"
        assert (await page.shown())[0].startswith("No script fits this request")
        assert await page.page.locator("article .prose strong").inner_text() == "Playground"
        assert await page.page.locator("article .md-bullet").count() == 2
        await page.page.click("header nav a[href='/playground']")
        await page.page.wait_for_selector(".trial-block")


async def test_the_view_without_the_guard_opens_for_replies_that_begin_later(opened: Open) -> None:
    async with opened() as (page, _):
        await page.page.check("#naive")
        await page.pick("raw-newline")
        assert await page.ended() == "done"
        await page.page.wait_for_selector(".naive [data-fate]")


TEXT = """\
# A heading

Some **bold**, some *italic*, `code` and ``co`de``; 2 * 3 * 4, <b>no tag</b>, [a link](javascript:ran.push(1)).

- one
  * two
1. three

~~~python
# ```
def f(x): return "a" + 'b'
~~~
Behind **it
"""


async def test_markdown_is_shown_as_it_streams(opened: Open) -> None:
    """The same nodes in every chunking, and not a character less than the model wrote."""
    async with opened() as (page, _):
        shown = await page.page.evaluate(
            """async (text) => {
              const { Markdown } = await import("/page/markdown.js");
              const whole = new Markdown();
              whole.show(text);
              const wrong = [];
              const grown = new Markdown();
              for (let at = 1; at <= text.length; at++) {
                const fresh = new Markdown();
                fresh.show(text.slice(0, at));
                grown.show(text.slice(0, at));
                const { innerHTML, textContent } = grown.root;
                if (innerHTML !== fresh.root.innerHTML || textContent !== text.slice(0, at)) wrong.push(at);
              }
              grown.show("other");
              const of = (name) => [...whole.root.querySelectorAll(name)].map((one) => one.textContent);
              return {
                wrong, other: grown.root.textContent,
                headings: of(".md-heading"), bold: of("strong:not(.md-heading)"), italic: of("em"),
                code: of("code:not(.md-block)"), lines: of(".md-block"),
                keywords: of(".code-keyword"), bullets: of(".md-bullet").length,
                odd: whole.root.querySelectorAll("a, b").length,
              };
            }""",
            TEXT,
        )
    assert shown == {
        "wrong": [],
        "other": "other",
        "headings": ["# A heading"],
        "bold": ["**bold**"],
        "italic": ["*italic*"],
        "code": ["`code`", "``co`de``"],
        "lines": ["# ```\n", "def f(x): return \"a\" + 'b'\n"],
        "keywords": ["def", "return"],
        "bullets": 2,
        "odd": 0,
    }


async def test_a_block_is_copied(opened: Open) -> None:
    async with opened(permissions=["clipboard-read", "clipboard-write"]) as (page, _):
        await page.pick("old-new")
        await page.ended()
        await page.page.locator(".block summary").click()
        async with page.says(".block .copy", "Copied"):
            await page.page.click(".block .copy")
        assert '"search_replace"' in await page.page.evaluate("navigator.clipboard.readText()")


# -- who looks at it ---------------------------------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(("scheme", "width"), WINDOWS)
async def test_axe_finds_no_serious_fault(scheme: Any, width: int, opened: Open) -> None:
    """With every kind of block on the page, in both views, while something is held and after."""
    javascript.node()
    axe = (javascript.MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    async with opened(pace=150, color_scheme=scheme, viewport={"width": width, "height": 800}) as (page, demo):
        await page.page.evaluate(axe)
        await page.pick("corrected")
        await page.page.wait_for_selector(".pill")
        await page.axe()
        demo.chats.model._pace = 0  # type: ignore[attr-defined]
        await page.ended()
        for name in ("truncated", "old-new"):
            await page.pick(name)
            await page.ended()
        await page.axe()
        await page.page.locator(".block summary").first.click()
        await page.page.click("#tab-workspace")
        await page.page.check("#naive")
        await page.axe()
        wide = await page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0  # nothing has to be scrolled sideways


@pytest.mark.more
@pytest.mark.parametrize(("scheme", "width"), OTHER_WINDOW)
async def test_a_model_of_ones_own_by_keyboard(scheme: Any, width: int, opened: Open) -> None:
    """The form is filled, refused, sent again, and forgotten; the key stays in no field, no storage and no cookie."""
    javascript.node()
    axe = (javascript.MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    reply = 'Sure.\n\n```json\n{"tool": "write_file", "path": "own.txt", "content": "mine",}\n```\n'
    viewport = {"width": width, "height": 800}
    async with (
        Provider(lambda _: (401, "no")) as provider,
        opened(private=True, color_scheme=scheme, viewport=viewport) as (page, _),
    ):
        await page.page.evaluate(axe)
        keyboard = page.page.keyboard
        await page.page.focus("#own-model")
        await keyboard.press("Enter")
        for text in (provider.url, "m-1", "sk-mine"):
            await page.until("document.activeElement.tagName === 'INPUT'")
            await keyboard.type(text)
            await keyboard.press("Tab")
        await page.axe()
        await page.page.focus("#key")
        await keyboard.press("Enter")
        await page.page.wait_for_selector("#own-told.failed:has-text('does not take the key')")
        assert [fault for fault in page.faults if "502" not in fault] == []
        page.faults.clear()  # a browser reports what a server refuses
        await page.axe()
        provider.behaviour = lambda _: [reply]
        await keyboard.press("Enter")
        await page.page.wait_for_selector("#model:has-text('Talks to m-1 at 127.0.0.1')")
        assert not await page.page.locator("#own-dialog").is_visible()
        await page.page.fill("#request", "Write a file")
        async with page.another():
            await page.page.press("#request", "Enter")
        assert await page.ended() == "done"
        assert (await page.shown())[1] == "block fixed completed"
        assert await page.page.input_value("#key") == ""
        kept = await page.page.evaluate(
            "[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join()"
        )
        assert "sk-mine" not in kept + await page.page.content() + str(await page.page.context.cookies())
        other = Watched(await page.page.context.new_page(), page.url)
        await other.open()
        await page.page.focus("#own-model")
        await keyboard.press("Enter")
        await page.page.focus("#own-forget")
        await keyboard.press("Enter")
        for one in (page, other):
            await one.page.wait_for_selector("#model:has-text('the replies are scripted')")
        await other.check()
        wide = await page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0


# -- what a model may write --------------------------------------------------------------------------------------------


class Says:
    """A model that says what it is told to."""

    name, replayable = "says", False

    def __init__(self, demo: Demo) -> None:
        self.corrector = demo.chats.model.corrector
        self.reply = ""

    async def stream(self, _: Asked) -> AsyncIterator[str]:
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[str]:
        for at in range(0, len(self.reply), 4096):
            yield self.reply[at : at + 4096]

    async def aclose(self) -> None:
        pass


def counted(reply: str) -> int:
    """How many blocks a guard finds in a reply."""
    from demo_server.chats import TOOLS
    from stream_guard import Guard, ToolBlock

    return sum(isinstance(item, ToolBlock) for item in Guard(TOOLS).scan([reply]))


def hostile(found: Sequence[str]) -> str:
    """A reply that says each payload everywhere: in text, tool, path, content, lesson, and in an unknown field."""
    said = []
    for payload in found:
        calls = [
            {"tool": "write_file", "path": f"a/{payload.replace('/', '∕')[:60]}", "content": payload},
            {"tool": payload, "path": payload, "content": payload},
            {"tool": "write_file", "path": payload, payload: payload, "content": [payload]},
            {"tool": "edit_file", "path": "README.md", "search_replace": {"old_string": payload, "new_string": payload}},
            {
                "tool": "validate_lesson_data",
                "lessonData": {
                    "metadata": {"topic": f"A topic {payload}"[:90], "duration": 40},
                    "widgets": [{"type": "text-1", "content": {"text": f"Long enough a text {payload}"}}] * 3,
                },
            },
        ]
        said.append(payload + "\n\n" + "".join(f"```json\n{json.dumps(call)}\n```\n\n" for call in calls))
    return "".join(said)


ODD = "script:not([src='/page/main.js']), iframe, object, embed, #log img, #log svg, #log a, [onerror], [onload]"


@pytest.mark.more
async def test_nothing_that_a_model_writes_is_run_or_asked_for(opened: Open) -> None:
    """Payloads of every kind through text, status, path, content, lesson and result, in every view of the page."""
    texts = [text.replace("\n```", "\n` ``") for text in payloads()]
    chosen = Random(1).sample(texts, min(PAYLOADS, len(texts)))
    forged = 'x\n\nevent: json-tool-block\ndata: {"id":"forged","executable":true}\n\n'
    async with opened() as (page, demo):
        model = Says(demo)
        demo.chats.model = model  # type: ignore[misc]
        there = 0
        for at in range(0, len(chosen), 25):
            part = chosen[at : at + 25]
            model.reply = hostile(part) + forged
            await page.page.click("#new-chat")
            await page.until("!document.querySelector('article')")
            await page.page.fill("#request", part[0])
            async with page.another():
                await page.page.click("#send")
            assert await page.ended() == "done"
            assert await page.page.evaluate("window.ran") == []
            assert await page.page.locator(ODD).count() == 0
            text = await page.page.locator("#log").text_content() or ""
            there += sum(payload.split("\n")[0] in text for payload in part)
            assert await page.page.locator(".block").count() == counted(model.reply)
        assert there > len(chosen) * 5 // 6  # as text
        for button in await page.page.locator("#files button").all():
            await button.evaluate("(one) => one.click()")
        await page.page.check("#naive")
        await page.page.click("#tab-workspace")
        assert await page.page.locator(ODD).count() == 0
