"""The playground: what its endpoint answers, and its page in a real browser."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest
from stream_guard_adapters.cassettes import Cassette

from demo_server.playground import FORMS, MOST_TEXT, SAMPLES, TooMuch, Trial, difference
from demo_server.settings import Settings
from tests.kit import javascript
from tests.kit.browser import WINDOWS, Pages, Watched
from tests.kit.demo import JSON, ROOT, running, session

BY_NAME = {sample["name"]: sample for sample in SAMPLES}
QUICK: Any = {"pace": 0.0, "rate": 1000.0, "burst": 1000}

pytestmark = pytest.mark.asyncio(loop_scope="module")


def tried(**asked: Any) -> Any:
    return json.loads(Trial.of(asked).result())


def blocks(result: Any) -> list[Any]:
    return [item["data"] for item in result["items"] if item["event"] == "json-tool-block"]


# -- what is answered --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BY_NAME)
async def test_a_sample_is_guarded_whole_and_its_test_passes(name: str) -> None:
    """Nothing of the reply is lost, and the copied test holds what the page shows."""
    result = tried(**BY_NAME[name])
    if result["kind"] == "text":
        assert (
            "".join(one["data"] if one["event"] == "text" else one["data"].get("raw", "") for one in result["items"])
            == (BY_NAME[name]["text"])
        )
    at = [item["delta"] for item in result["items"]]
    assert at == sorted(at)
    assert at[-1] <= len(result["deltas"]) + 1
    scope: dict[str, Any] = {}
    exec(result["test"], scope)  # it is what a visitor copies
    scope["test_the_reply_is_guarded"]()


@pytest.mark.parametrize("size", [0, 1, 7])
async def test_the_size_of_the_deltas_changes_nothing_but_when(size: int) -> None:
    usual = tried(**BY_NAME["two-blocks"])
    other = tried(**BY_NAME["two-blocks"], size=size)
    assert [(one["raw"], one["outcome"]) for one in blocks(other)] == [(one["raw"], one["outcome"]) for one in blocks(usual)]
    assert "".join(other["deltas"]) == "".join(usual["deltas"])


@pytest.mark.parametrize(
    ("name", "settings", "outcome"),
    [
        ("raw-newline", {"fixes": "off"}, ["failed"]),
        ("old-new", {"fixes": "lossless"}, ["failed"]),
        ("missing-content", {"fixes": "spec"}, ["failed"]),  # what nobody wrote is not run
        ("reasoning", {"reasoning": "scan"}, ["valid"]),
        ("unclosed", {"ended": "unknown"}, ["failed"]),
        ("raw-newline", {"languages": ["tool"]}, []),
        ("old-new", {"tools": "lessons"}, []),
    ],
)
async def test_a_setting_is_the_guards(name: str, settings: dict[str, Any], outcome: list[str]) -> None:
    result = tried(**{**BY_NAME[name], **settings})
    assert [block["outcome"] for block in blocks(result)] == outcome
    scope: dict[str, Any] = {}
    exec(result["test"], scope)  # it is what a visitor copies
    scope["test_the_reply_is_guarded"]()


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("hermes", ["hermes"]),
        ("qwen3-coder", ["qwen3_coder"]),
        ("kimi", ["kimi_k2", "kimi_k2"]),
        ("mistral", ["mistral"]),
        ("pythonic", ["pythonic", "pythonic"]),
        ("native", ["native call"]),
        ("raw-newline", ["fence"]),
    ],
)
async def test_each_block_says_how_it_was_written(name: str, forms: list[str]) -> None:
    """And without its dialect, a call in a dialect is text."""
    found = tried(**BY_NAME[name])
    assert [item["form"] for item in found["items"] if item["event"] == "json-tool-block"] == forms
    if forms[0] not in ("fence", "native call"):
        assert blocks(tried(**{**BY_NAME[name], "dialect": "fence"})) == []


async def test_a_first_status_waits_for_the_tool() -> None:
    first = [
        next(item for item in tried(**BY_NAME["valid"], announce=when)["items"] if item["event"] == "json-tool-status")
        for when in ("fence", "tool")
    ]
    assert "toolType" not in first[0]["data"]
    assert first[1]["data"]["toolType"] == "write_file"
    assert first[0]["delta"] < first[1]["delta"]


async def test_a_recorded_stream_is_recognised(tmp_path: Path) -> None:
    """As server-sent events, as lines, as a cassette, and as a list of deltas; each event is a delta."""
    dump = BY_NAME["native"]["text"]
    events = [line.removeprefix("data: ") for line in dump.splitlines() if line.startswith("data: {")]
    Cassette([json.loads(event) for event in events]).save(tmp_path / "recorded.jsonl")
    for text in (dump, "\n".join(events), (tmp_path / "recorded.jsonl").read_text(encoding="utf-8")):
        found = tried(text=text)
        assert found["kind"] == "openai-chat"
        assert len(found["deltas"]) == len(events)
        assert [block["outcome"] for block in blocks(found)] == ["fixed"]
    recorded = (ROOT / "demo_server" / "streams" / "button.jsonl").read_text(encoding="utf-8")
    assert [block["outcome"] for block in blocks(tried(text=recorded))] == ["valid", "valid", "fixed"]
    assert tried(text='"Quoted," it says.\n"And so on."')["kind"] == "text"


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({}, '"text" must be a string'),
        ({"text": 5}, '"text" must be a string'),
        ({"text": "a" * (MOST_TEXT + 1)}, '"text" must be a string'),
        ({"text": "a", "size": -1}, '"size" must be a number'),
        ({"text": "a", "size": True}, '"size" must be a number'),
        ({"text": "a", "fixes": "all"}, '"fixes" must be one of likely'),
        ({"text": "a", "ended": ["stop"]}, '"ended" must be one of stop'),
        ({"text": "a", "languages": "json"}, '"languages" must be a list'),
        ({"text": "a", "languages": []}, '"languages" must be a list'),
        ({"text": "a", "tools": "all"}, '"tools" must be one of'),
        ({"text": "a", "dialect": "klingon"}, '"dialect" must be fence'),
        ({"text": "a", "dialect": ["fence"]}, '"dialect" must be fence'),
        ({"text": "a", "tools": ["own"]}, '"tools" must be one of'),
        ({"text": "a", "tools": "own"}, '"schema" must be JSON'),
        ({"text": "a", "tools": "own", "schema": "{"}, "not JSON"),
        ({"text": "a", "tools": "own", "schema": "5"}, "cannot be used"),
        ({"text": "a", "tools": "own", "schema": "[" * 40_000}, "nested too deep"),
        ({"text": "a", "tools": "own", "schema": '{"type": "object"}'}, "cannot be used"),
        ({"text": "a", "tools": "own", "schema": '{"title": "x", "$ref": "http://127.0.0.1:9/x"}'}, "cannot be used"),
        ({"text": "data: {\n\n"}, "not JSON"),
        ({"text": "data: {}\n\n"}, "no event of a known protocol"),
        ({"text": '{"cassette": 99}\n'}, "version"),
    ],
)
async def test_what_cannot_be_tried_is_refused_with_the_reason(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        tried(**asked)


async def test_a_trial_is_bounded() -> None:
    with pytest.raises(TooMuch, match="make the deltas larger"):
        tried(text="a" * MOST_TEXT, size=1)


@pytest.mark.parametrize(
    "text", ['a\ud800b ```json\n{"tool": "write_file", "path": "\ud83d"}\n```', "\x00\x85 \U0001f600\r\n" * 50, ""]
)
async def test_any_text_can_be_tried(text: str) -> None:
    assert "".join(tried(text=text)["deltas"]) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "a"),
        ("a", ""),
        ("ab cd", "ab xx cd"),
        ("a" * 9, "a" * 5),
        ("x\n" * 3_000, "y\n" * 3_000),
        ("a\nb\n" * 900, "b\nc\n" * 900),
    ],
)
async def test_a_difference_holds_both_texts(before: str, after: str) -> None:
    pieces = difference(before, after)
    assert "".join(text for kind, text in pieces if kind != "+") == before
    assert "".join(text for kind, text in pieces if kind != "-") == after


async def test_the_endpoint_keeps_the_rules_of_sessions(tmp_path: Path) -> None:
    async with running(Settings(tmp_path, **QUICK)) as (url, demo):
        async with httpx2.AsyncClient(base_url=url, headers=JSON) as stranger:
            assert (await stranger.post("/api/playground", json={"text": "a"})).status_code == 401
            assert (await stranger.get("/api/playground")).status_code == 401
        async with session(url) as me:
            assert [one["name"] for one in (await me.client.get("/api/playground")).json()["samples"]] == list(BY_NAME)
            answer = await me.client.post("/api/playground", json=BY_NAME["raw-newline"])
            assert blocks(answer.json())[0]["outcome"] == "fixed"
            bad = await me.client.post("/api/playground", json={"text": 5})
            assert (bad.status_code, bad.json()["error"]["code"]) == (422, "bad_trial")
            long = await me.client.post("/api/playground", json={"text": "a" * 300_000})
            assert (long.status_code, long.json()["error"]["message"]) == (413, "A request has at most 262144 bytes")
            other = await me.client.post("/api/turns", json={"request": "a" * 70_000})
            assert other.json()["error"]["message"] == "A request has at most 65536 bytes"
            many = await asyncio.gather(*(me.client.post("/api/playground", json=BY_NAME["lesson"]) for _ in range(30)))
            assert {one.status_code for one in many} <= {200, 429}
            assert demo._trials == {}
            assert (await me.client.get("/api/state")).json()["turns"] == []  # nothing of it is kept


# -- the page ----------------------------------------------------------------------------------------------------------


class Open(Protocol):
    def __call__(self, fragment: str = "", **context: Any) -> AbstractAsyncContextManager[Watched]: ...


@pytest.fixture
def opened(pages: Pages, tmp_path: Path) -> Open:
    """Opens the playground of a new server, and checks at the end that nothing was wrong with it."""

    @asynccontextmanager
    async def open_page(fragment: str = "", **context: Any) -> AsyncIterator[Watched]:
        context |= {"permissions": ["clipboard-read", "clipboard-write"]}
        path = f"/playground{fragment}"
        async with running(Settings(tmp_path, **QUICK)) as (url, _), pages.one(url, path, **context) as page:
            yield page

    return open_page


async def sample(page: Watched, name: str) -> None:
    await page.page.select_option("#sample", name)
    await guarded(page, BY_NAME[name]["text"])


async def guarded(page: Watched, text: str) -> None:
    """Wait until this text is guarded and shown."""
    said = json.dumps("".join(json.loads(Trial.of({"text": text}).result())["deltas"]))
    await page.until(f"document.getElementById('written').textContent === {said}")


async def move(page: Watched, at: int) -> None:
    await page.page.locator("#at").evaluate(
        "(one, at) => { one.value = at; one.dispatchEvent(new Event('input', { bubbles: true })); }", at
    )


async def copied(page: Watched, button: str) -> str:
    async with page.says(button, "Copied"):
        await page.page.click(button)
    return str(await page.page.evaluate("navigator.clipboard.readText()"))


async def test_a_reply_is_shown_on_three_sides(opened: Open) -> None:
    """The change in place, the fix, the issue at its place, and what the naive client does."""
    async with opened() as page:
        await sample(page, "raw-newline")
        card = page.page.locator(".trial-block")
        assert await card.get_attribute("data-verdict") == "fixed"
        assert await card.locator("ins").all_text_contents() == [" added: \\n\\n", " added: \\n\\n", " added: \\n"]
        assert "Executable" in await card.inner_text()
        assert "SyntaxError" in await page.page.locator("#fates").inner_text()
        await card.get_by_role("button", name="line 4, column 26").click()
        assert await page.page.locator("mark.shown").count() == 1
        await sample(page, "uncorrectable")
        assert await page.page.locator("mark").text_content() == '"/etc/passwd"'
        assert "Send the call again, corrected." in await card.inner_text()
        assert "is run: write_file /etc/passwd" in await page.page.locator("#fates").inner_text()


async def test_a_dialect_is_read_and_named(opened: Open) -> None:
    """In a select, on each block, and in the copied test; without the dialect the call is text. Native calls are named too."""
    async with opened() as page:
        assert await page.page.locator("#dialect option").count() == len(FORMS)
        await sample(page, "kimi")
        cards = page.page.locator(".trial-block")
        await page.page.wait_for_selector(".trial-block .form:has-text('kimi_k2')")
        assert await cards.locator(".form").all_inner_texts() == ["kimi_k2", "kimi_k2"]
        assert [await card.get_attribute("data-verdict") for card in await cards.all()] == ["valid", "failed"]
        assert "It knows no kimi_k2" in await page.page.locator("#fates").inner_text()
        assert "dialects=('fence', 'kimi_k2')" in await copied(page, "#copy-test")
        await page.page.focus("#dialect")
        await page.page.keyboard.press("Home")
        await page.page.wait_for_selector("#guarded:not(:has(.trial-block))")
        assert "tool_calls_section_begin" in await page.page.locator("#guarded").inner_text()
        await page.page.select_option("#sample", "native")
        await page.page.wait_for_selector(".trial-block .form:has-text('native call')")
        assert await page.page.locator(".trial-block ins").count()
        await move(page, 22)
        assert "Held" in await page.page.locator("#guarded .pill").inner_text()
        assert "[write_file]" in await page.page.locator("#naive").inner_text()


async def test_a_long_block_shows_its_changes(opened: Open) -> None:
    async with opened() as page:
        await sample(page, "lesson")
        shown = await page.page.locator(".trial-block pre").inner_text()
        assert "lines as they were" in shown
        assert await page.page.locator(".trial-block del").first.is_visible()


async def test_the_slider_goes_back_and_forth_by_keyboard(opened: Open) -> None:
    async with opened() as page:
        await sample(page, "valid")
        await page.page.focus("#at")
        await page.page.keyboard.press("Home")
        assert await page.page.locator("#where").inner_text() == "delta 0 of 80"
        for _ in range(9):
            await page.page.keyboard.press("ArrowRight")
        assert await page.page.locator("#where").inner_text() == "delta 9 of 80"
        await move(page, 30)
        assert await page.page.locator("#guarded .pill").inner_text() == "Held write_file src/components/Button.tsx"
        assert "held" in await page.page.locator("#guard-says").inner_text()
        assert await page.page.locator(".trial-block").count() == 0
        await page.page.focus("#at")
        await page.page.keyboard.press("End")
        assert await page.page.locator(".trial-block").count() == 1
        assert await page.page.locator("#guarded .pill").count() == 0
        await page.page.focus("#back")
        await page.page.keyboard.press("Enter")
        assert await page.page.locator("#where").inner_text() == "delta 80 of 80"


async def test_play_runs_to_the_end(opened: Open) -> None:
    async with opened() as page:
        await sample(page, "reasoning")
        await page.page.fill("#pace", "200")
        async with page.says("#play", "Pause"):
            await page.page.click("#play")
        await page.page.wait_for_selector("#play:has-text('Play')")
        assert await page.page.locator("#where").inner_text() == "the end"
        shown = await page.page.locator("#guarded > *").evaluate_all("(all) => all.map((one) => one.className)")
        assert shown == ["prose", "passed", "prose"]


TEXT = """Sure.

```json
{"tool": "book_tabel", "name": "Ann"}
```

And <b>:

~~~~python
print("```json")
~~~~

```json
{"a": 1}
```
Done.

```
cut off"""


async def test_a_fence_that_is_passed_on_is_code_and_says_why_it_is_no_call(opened: Open) -> None:
    """At every delta; a text that is cut anywhere comes out whole."""
    async with opened() as page:
        await page.page.fill("#text", TEXT)
        await guarded(page, TEXT)
        said = await page.page.locator("#guarded figcaption").all_inner_texts()
        assert said == [
            'passed as text: there is no tool called "book_tabel". The tools are write_file, delete_file, edit_file',
            "passed as text",
            "passed as text: a key in it belongs to no tool call",
            "passed as text",
        ]
        codes = await page.page.locator("#guarded .passed pre").all_text_contents()
        assert [code.split("\n")[0] for code in codes] == ["```json", "~~~~python", "```json", "```"]
        whole = await page.page.locator("#guarded .prose, #guarded .passed pre").all_text_contents()
        assert "".join("".join(whole).split()) == "".join(TEXT.split())


async def test_own_tools_begin_with_an_example_and_no_error(opened: Open) -> None:
    async with opened() as page:
        await page.page.check("[name=tools][value=own]")
        await page.page.wait_for_selector("#guarded:has-text('Write your tools')")
        assert await page.page.locator("#connection").is_hidden()
        example = await page.page.get_attribute("#schema", "placeholder") or ""
        assert json.loads(example)["title"] == "book_table"
        text = '```json\n{"tool": "book_table", "guests": 2,}\n```\n'
        await page.page.fill("#text", text)
        await page.page.fill("#schema", example)
        await page.page.wait_for_selector(".trial-block[data-verdict=fixed]")


async def test_on_a_phone_the_result_is_under_the_text_and_settings_are_folded(opened: Open) -> None:
    async with opened(viewport={"width": 390, "height": 800}) as page:
        assert await page.page.locator(".settings[open]").count() == 0
        assert not await page.page.locator("#fixes").is_visible()
        top = "Math.round(document.querySelector('.stage').getBoundingClientRect().top + scrollY)"
        assert await page.page.evaluate(top) < 800
        await page.page.click(".settings:last-of-type summary")
        await page.page.select_option("#fixes", "off")
        await page.page.wait_for_selector(".trial-block[data-verdict=failed]")
    async with opened(viewport={"width": 1280, "height": 800}) as page:
        assert await page.page.locator("#fixes").is_visible()


async def test_tools_of_ones_own_and_settings(opened: Open) -> None:
    schema = {"title": "greet", "type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
    async with opened() as page:
        text = '```json\n{"tool": "greet", "who": "Ada",}\n```\n'
        await page.page.fill("#text", text)
        await page.page.check("[name=tools][value=own]")
        await page.page.fill("#schema", "{")
        await page.page.wait_for_selector("#connection:has-text('not JSON')")
        await page.page.fill("#schema", json.dumps(schema))
        await page.page.wait_for_selector(".trial-block[data-verdict=fixed]")
        await page.page.select_option("#fixes", "off")
        await page.page.wait_for_selector(".trial-block[data-verdict=failed]")
        await page.page.fill("#text", "")
        await page.page.wait_for_selector("#guarded:has-text('Paste a reply')")
        assert await page.page.locator("#play").is_disabled()


async def test_a_dropped_file_is_read_and_guarded(opened: Open) -> None:
    dump = BY_NAME["native"]["text"]
    async with opened() as page:
        await page.page.locator("#text").evaluate(
            """(one, text) => {
              const data = new DataTransfer();
              data.items.add(new File([text], "recorded.sse", { type: "text/event-stream" }));
              one.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: data }));
              one.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
            }""",
            dump,
        )
        await page.page.wait_for_selector("#kind:has-text('openai-chat')")
        assert await page.page.locator(".trial-block").get_attribute("data-verdict") == "fixed"
        await page.page.set_input_files("#file", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"only text"})
        await guarded(page, "only text")


async def test_a_link_holds_the_trial(opened: Open) -> None:
    """In another window, and after Back; a broken one says so."""
    async with opened() as page:
        await sample(page, "quotes")
        await page.page.select_option("#fixes", "lossless")
        await page.page.wait_for_selector(".trial-block[data-verdict=failed], .trial-block[data-verdict=fixed]")
        link = await copied(page, "#copy-link")
        assert link.startswith(f"{page.url}/playground#")
        other = Watched(await page.page.context.new_page(), page.url, link.removeprefix(page.url))
        await other.open()
        await guarded(other, BY_NAME["quotes"]["text"])
        assert await other.page.input_value("#fixes") == "lossless"
        assert await other.page.input_value("#sample") == "quotes"
        await other.page.evaluate("location.hash = '#nothing'")
        await other.page.wait_for_selector("#connection:has-text('holds no trial')")
        await other.check()


async def test_what_is_copied_works(opened: Open) -> None:
    async with opened() as page:
        await sample(page, "nested-fences")
        scope: dict[str, Any] = {}
        exec(await copied(page, "#copy-test"), scope)  # it is what a visitor copies
        scope["test_the_reply_is_guarded"]()
        command = await copied(page, "#copy-curl")
        told = await asyncio.to_thread(_curl, command)
    assert blocks(told)[0]["outcome"] == "fixed"


def _curl(command: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(ran.stdout)


@pytest.mark.more
@pytest.mark.parametrize(("scheme", "width"), WINDOWS)
async def test_axe_finds_no_serious_fault(scheme: Any, width: int, opened: Open) -> None:
    """While something is held, with a block of each kind, and with an error."""
    javascript.node()
    axe = (javascript.MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    async with opened(color_scheme=scheme, viewport={"width": width, "height": 800}) as page:
        await page.page.evaluate(axe)
        for name in ("valid", "own", "kimi", "old-new"):
            await sample(page, name)
            await page.axe()
        await move(page, 25)
        await page.page.wait_for_selector("#guarded .pill")
        await page.axe()
        wide = await page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0  # nothing has to be scrolled sideways


HOSTILE = "<img src=x onerror=ran.push(1)><script>ran.push(2)</script>"


async def test_what_is_pasted_is_text(opened: Open) -> None:
    call = {"tool": "edit_file", "path": HOSTILE, "old": HOSTILE, "new": HOSTILE, HOSTILE: HOSTILE}
    async with opened() as page:
        text = f"{HOSTILE}\n\n```json\n{json.dumps(call)}\n```\n"
        await page.page.fill("#text", text)
        await guarded(page, text)
        assert await page.page.locator("main img, main script").count() == 0
