"""Promise P6: linear and bounded. Counted, never timed: every pattern of the scanning core is replaced by one that counts the
characters it looks at.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import re
import threading
import tracemalloc
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from functools import partial
from types import ModuleType
from typing import Any, cast

import pytest
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine import body, framing, replies, request_tools
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.replies import ReplyBody
from stream_guard_adapters.openai import guard_chat
from stream_guard_adapters.protocols import CHAT

from stream_guard import Guard, Limits, ToolBlock, ToolStatus
from stream_guard.dialects import cursor
from stream_guard.dialects.json_part import JsonPart
from stream_guard.dialects.tables import DIALECTS
from stream_guard.judge.judge import Judge
from stream_guard.scan import fences, reasoning, scanner, string_tail
from stream_guard.spi import Aside
from stream_guard.testing import original
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.block import Block
from stream_guard.values.late import Late, compile_all
from stream_guard.values.limits import SHORT, SHORT_BLOCK
from tests.kit.counting import calls
from tests.kit.proof import Cases
from tests.kit.scanning import scanner_of


class Counting:
    """A pattern that counts the characters between where it began and where it stopped."""

    def __init__(self, pattern: re.Pattern[Any], counts: list[int]) -> None:
        self._pattern = pattern
        self._counts = counts

    def match(self, text: str, pos: int = 0, end: int | None = None) -> Any:
        found = self._pattern.match(text, pos, len(text) if end is None else end)
        self._counts[0] += (found.end() if found else (len(text) if end is None else end)) - pos + 1
        return found

    def search(self, text: str, pos: int = 0) -> Any:
        found = self._pattern.search(text, pos)
        self._counts[0] += (found.end() if found else len(text)) - pos
        return found

    def split(self, text: Any) -> Any:
        self._counts[0] += len(text)
        return self._pattern.split(text)

    def fullmatch(self, text: str, *more: Any, **settings: Any) -> Any:
        self._counts[0] += len(text)
        return self._pattern.fullmatch(text, *more, **settings)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many characters were looked at."""
    counted = [0]
    patched = 0

    def patch(module: ModuleType) -> None:
        nonlocal patched
        for name, value in list(vars(module).items()):
            if isinstance(value, (re.Pattern, Late)):
                monkeypatch.setattr(module, name, Counting(cast("re.Pattern[str]", value), counted))
                patched += 1

    for module in (cursor, fences, scanner, string_tail):
        patch(module)
    for opener, closer in reasoning._CLOSERS.items():
        monkeypatch.setitem(reasoning._CLOSERS, opener, Counting(closer, counted))
    could_be = fences.Languages.could_be
    monkeypatch.setattr(
        fences.Languages,
        "could_be",
        lambda self, word: (counted.__setitem__(0, counted[0] + len(word)), could_be(self, word))[1],
    )

    def scanstring(text: str, pos: int) -> Any:
        try:
            result = plain(text, pos)
        except ValueError:  # it has counted the lines from the beginning, to say where
            counted[0] += len(text)
            raise
        counted[0] += result[1] - pos
        return result

    plain = vars(cursor)["scanstring"]
    monkeypatch.setattr(cursor, "scanstring", scanstring)
    assert patched >= 15
    yield counted


def write(content: str) -> str:
    return '```json\n{"tool": "write_file", "path": "a", "content": "' + content + '"}\n```\n'


PATHOLOGICAL: dict[str, Callable[[int], str]] = {
    "torn texts": lambda n: '```json\n{"tool": "write_file", "content": "' + 'a "b" {' * (n // 7) + "}\n```\n",
    "escaped tags": lambda n: "&lt;write_file&gt;\n&amp;l" * (n // 24),
    "backticks": lambda n: "`" * n,
    "backtick lines": lambda n: "``\n" * (n // 3),
    "tildes": lambda n: "~" * n,
    "opener and spaces": lambda n: "```json" + " " * n,
    "opener and newlines": lambda n: "```json\n" + "\n" * n,
    "opener and tabs": lambda n: "```json\n" + "\t" * n,
    "spaces": lambda n: " " * n,
    "indented lines": lambda n: "   `\n" * (n // 5),
    "newlines": lambda n: "\n" * n,
    "carriage returns": lambda n: "\r" * n,
    "crlf": lambda n: "\r\n" * (n // 2),
    "openers": lambda n: "```json\n" * (n // 8),
    "openers of others": lambda n: "```x\n" * (n // 5),
    "almost openers": lambda n: "```jso\n" * (n // 7),
    "long info": lambda n: "```json " + "a" * n,
    "bullets": lambda n: "- " * (n // 2),
    "bullet lines": lambda n: "- \n" * (n // 3),
    "digits": lambda n: "1" * n,
    "braces": lambda n: "```json\n" + "{" * n,
    "brackets in a list": lambda n: "```json\n" + "[[]," * (n // 4),
    "quotes": lambda n: "```json\n" + '"' * n,
    "members": lambda n: '```json\n{"tool": "x"' + ',"a":1' * (n // 6),
    "backslashes": lambda n: write("\\" * n),
    "escaped quotes": lambda n: write('\\"' * (n // 2)),
    "one long string": lambda n: write("x" * n),
    "code": lambda n: write('if (a) { \\"b\\" }\\n' * (n // 18)),
    "raw lines": lambda n: write("line\n" * (n // 5)),
    "long raw lines": lambda n: write(("x" * 4_500 + "\n") * (n // 4_500)),
    "long raw lines that may be fences": lambda n: write(("x" * 4_500 + "\n`") * (n // 4_500)),
    "long raw lines with escapes": lambda n: write(("x" * 4_200 + '\\"' + "x" * 90 + "\n`") * (n // 5_000)),
    "raw empty lines": lambda n: write("\n" * n),
    "raw indented lines": lambda n: write("\n" + " " * 70 + "x" * (n // 80)),
    "fences in a string": lambda n: write("```\nx\n" * (n // 6)),
    "fences with info in a string": lambda n: write("```sh\nx\n```\n" * (n // 12)),
    "an open quote": lambda n: '```json\n{"tool": "write_file", "path": "a", "content": "x\n```\n' + "text\n" * (n // 5),
    "many open quotes": lambda n: (
        ('```json\n{"tool": "write_file", "path": "a", "content": "x\n```\n' + "text\n" * 9) * (n // 100)
    ),
    "unescaped quotes": lambda n: write('say "hi" {}\n' * (n // 12)),
    "blocks": lambda n: (write("x") + "and\n") * (n // 70),
    "examples": lambda n: '```json\n{"name": "demo", "x": 1}\n```\n' * (n // 36),
    "values": lambda n: "```json\n" + '{"tool": "x"}\n' * (n // 14),
    "almost a closer behind a value": lambda n: "```json\n{}" + "\n``x" * (n // 4),
    "fences that open behind a value": lambda n: "```json\n{}\n```py\n```\n" * (n // 21),
    "reasoning": lambda n: "<think>" + "a < b [c]\n" * (n // 10),
    "almost the end of reasoning": lambda n: "<think>" + "</t" * (n // 3),
    "almost reasoning": lambda n: "<thin\n" * (n // 6),
    "much reasoning": lambda n: "<think></think>\n" * (n // 16),
    "marks": lambda n: "<" * n,
    "prose": lambda n: "The quick brown fox.\nIt jumps. " * (n // 31),
}


FENCES_OF_NO_LANGUAGE: dict[str, Callable[[int], str]] = {
    **{name: PATHOLOGICAL[name] for name in ("backticks", "backtick lines", "openers", "fences in a string", "prose")},
    "runs behind prose": lambda n: "x " + "``` " * (n // 4),
    "openers behind prose": lambda n: "x ```json\n" * (n // 10),
    "almost openers behind prose": lambda n: "x ```jso\n" * (n // 9),
    "openers of no language": lambda n: "```\n" * (n // 4),
    "openers behind openers": lambda n: "```\n\n```json\n" * (n // 13),
}


def examined(text: str, size: int, counts: list[int], **settings: Any) -> int:
    """How many characters were looked at for this text in deltas of this size."""
    counts[0] = 0
    machine = scanner_of(limits=Limits(max_block=8_000_000, lookahead=2_000), **settings)
    for start in range(0, len(text), size):
        machine.feed(text[start : start + size])
    machine.end()
    return counts[0]


@pytest.mark.parametrize("name", PATHOLOGICAL)
@pytest.mark.promise("P6")
def test_work_grows_with_the_text_and_not_with_the_block(cases: Cases, name: str, counts: list[int]) -> None:
    """At most four characters examined per character fed, one at a time and in larger pieces; twice the text at most about
    doubles it.
    """
    for size, length in ((1, 2_000), (7, 2_000), (4096, 10_000), (1_000_000, 10_000)):
        cases(2)
        small = examined(PATHOLOGICAL[name](length), size, counts)
        large = examined(PATHOLOGICAL[name](2 * length), size, counts)
        assert large <= 8 * length + 4000, (size, large / length / 2)
        assert large <= 2.2 * small + 4000, (size, large / small)


@pytest.mark.parametrize("name", FENCES_OF_NO_LANGUAGE)
@pytest.mark.promise("P6")
def test_so_it_does_where_fences_of_no_language_are_ours(cases: Cases, name: str, counts: list[int]) -> None:
    """There, every backtick may begin a fence."""
    languages = fences.Languages(("json", ""))
    for size, length in ((1, 2_000), (7, 2_000), (4096, 10_000), (1_000_000, 10_000)):
        cases(2)
        small = examined(FENCES_OF_NO_LANGUAGE[name](length), size, counts, languages=languages)
        large = examined(FENCES_OF_NO_LANGUAGE[name](2 * length), size, counts, languages=languages)
        assert large <= 8 * length + 4000, (size, large / length / 2)
        assert large <= 2.2 * small + 4000, (size, large / small)


@pytest.mark.some(9)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "before", ["", "text\n", "- item\n", "```x\n", "```json\n", "```json\n{", '```json\n{"a": "', "```json\n["]
)
def test_empty_lines_take_no_step_each(before: str, end: str) -> None:
    """In prose, in a fence of others, between the tokens of a block and in its strings: they are read in one run."""

    def steps(text: str) -> int:
        machine = scanner.FenceScanner(FILE_TOOLS)
        return calls(lambda: machine.feed(text))

    compile_all()
    steps(before + end * 1_000 + "x")  # what the toolset looks for is compiled with the first text
    assert steps(before + end * 2_000 + "x") <= steps(before + end * 1_000 + "x") + 10


def test_a_small_block_takes_few_calls() -> None:
    """From its opener to its event, in one delta; and one with a longer text takes no more."""

    def taken(size: int) -> int:
        guard, text = Guard(FILE_TOOLS), "Here it is.\n\n" + write("x = 1\\n" * (size // 7)) + "\nDone.\n"
        list(guard.scan([text]))
        return calls(lambda: list(guard.scan([text])))

    assert taken(80) <= 353
    assert taken(1_000) <= taken(80) + 10


def _scanned(guard: Guard, deltas: Iterable[str]) -> list[Any]:
    return list(guard.scan(deltas))


@pytest.mark.parametrize("size", [4, 7])
@pytest.mark.promise("P6")
def test_a_delta_inside_a_string_takes_one_call(size: int) -> None:
    """With escapes in it, with progress and without; all but one in a thousand."""
    text = write('if (a) { return \\"b\\"; }\\n' * 2_000)
    deltas = [text[at : at + size] for at in range(0, len(text), size)]
    for guard in (Guard(FILE_TOOLS), Guard(FILE_TOOLS, progress=10_000)):
        assert calls(partial(_scanned, guard, deltas)) <= 1.2 * len(deltas) + 600


@pytest.mark.parametrize("size", [4, 7])
@pytest.mark.promise("P6")
def test_a_delta_of_a_preview_takes_few_calls(size: int) -> None:
    """Two of seven make the values; two more decode escapes. In a fence and in a dialect; all but one in a thousand."""
    for code, most in (("if (a) { return 'b'; } ", 7), ('if (a) { return \\"b\\"; }\\n', 9)):
        fence = write(code * (50_000 // len(code)))
        call = fence.replace("```json", "<tool_call>").replace("```", "</tool_call>")
        for text, dialect in ((fence, "fence"), (call, "hermes")):
            guard = Guard(FILE_TOOLS, dialects=[dialect], preview=True)
            deltas = [text[at : at + size] for at in range(0, len(text), size)]
            _scanned(guard, deltas[:40])  # which compiles its patterns
            assert calls(partial(_scanned, guard, deltas)) <= (most + 0.2) * len(deltas) + 1_000


@pytest.mark.promise("P6")
def test_a_megabyte_one_character_at_a_time(counts: list[int]) -> None:
    """The bound holds for a block of a megabyte."""
    text = write('const x = \\"y\\";\\n' * (1_000_000 // 18))
    assert examined(text, 1, counts) <= 4 * len(text)


BOMBS = {
    "depth": lambda: "```json\n" + "[" * 40_000 + "\n```\nafter",
    "depth, closed": lambda: '```json\n{"tool": "write_file", "path": ' + "[" * 40_000 + "]" * 40_000 + "}\n```\nafter",
    "unknown keys": lambda: (
        '```json\n{"tool": "delete_file", "path": "a", ' + ", ".join(f'"k{i}": 1' for i in range(40_000)) + "}\n```\nafter"
    ),
    "keys": lambda: (
        '```json\n{"tool": "write_file", "path": "a", ' + ", ".join(f'"k{i}": 1' for i in range(40_000)) + "}\n```\nafter"
    ),
    "digits": lambda: '```json\n{"tool": "write_file", "path": ' + "9" * 5_000 + "}\n```\nafter",
}


@pytest.mark.some(6)
@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("depth", {"too_deep"}),
        ("depth, closed", {"too_deep"}),
        ("keys", {"too_many_values"}),
        ("unknown keys", {"too_many_values"}),
        ("digits", {"number_range"}),
    ],
)
@pytest.mark.parametrize("size", [1, 100, 10_000_000])
@pytest.mark.promise("P6", "P7")
def test_a_bomb_is_a_clear_issue_and_prose_goes_on(name: str, codes: set[str], size: int) -> None:
    """No exception, no executable block, and at most `max_issues` issues."""
    text = BOMBS[name]()
    if size == 1 and len(text) > 120_000:
        size = 3
    guard = Guard(FILE_TOOLS, untagged="validate", limits=Limits(max_block=4_000_000))
    items = list(guard.scan(text[start : start + size] for start in range(0, len(text), size)))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert not block.executable
    assert codes <= {issue.code for issue in block.issues}
    assert len(block.issues) <= 20
    assert original(items) == text
    assert "".join(item for item in items if isinstance(item, str)) == "\nafter"


@pytest.mark.promise("P2", "P6")
def test_an_opener_without_end_keeps_bounded_memory() -> None:
    """100 MB after an opener: one oversize block, everything else flows, a few megabytes at most are held."""
    piece = "x" * 100_000
    guard = Guard(FILE_TOOLS, announce="fence")

    def deltas() -> Iterator[str]:
        yield '```json\n{"tool": "write_file", "path": "a", "content": "'
        for _ in range(1000):
            yield piece

    blocks = 0
    passed = 0
    tracemalloc.start()
    for item in guard.scan(deltas()):
        if isinstance(item, ToolBlock):
            blocks += 1
            assert item.end_cause == "oversize"
            assert [issue.code for issue in item.issues] == ["oversize"]
            passed += len(item.raw)
        elif isinstance(item, str):
            passed += len(item)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert blocks == 1
    assert passed == 100_000_000 + len('```json\n{"tool": "write_file", "path": "a", "content": "')
    assert peak < 8 * 1_048_576


def test_progress_is_rated_by_its_step() -> None:
    """Not by the number of deltas."""
    text = write("x" * 10_000)
    items = [
        item for item in Guard(FILE_TOOLS, progress=1000).scan(list(text)) if isinstance(item, ToolStatus) and item.received
    ]
    assert len(items) == 10


LONG: dict[str, Callable[[int], str]] = {
    **{name: PATHOLOGICAL[name] for name in ("openers", "braces", "fences in a string", "blocks", "examples", "prose")},
    "closers": lambda n: write('x"}\n```\n' * (n // 9)),
    "an open block of fence-like lines": lambda n: write("```\n" * (n // 4)),
    "backtick lines": lambda n: "``\n" * (n // 3),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.promise("P6")
def test_the_pieces_of_one_long_event_cost_no_more_than_the_event(
    cases: Cases, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to 64 KB in one delta: the event's bytes are not looked through again for each piece of its text."""
    looked = [0]
    monkeypatch.setattr(framing, "LINE", Counting(framing.LINE, looked))
    monkeypatch.setattr(framing, "_EVENT", Counting(framing._EVENT, looked))
    for size in (16_384, 65_536):
        cases(1)
        looked[0] = 0
        event = json.dumps({"choices": [{"index": 0, "delta": {"content": LONG[name](size)}}]})
        body = Body(Guard(FILE_TOOLS), "events", CHAT)
        for item in [*body.push(f"data: {event}\n\n".encode()), *body.end()]:
            if isinstance(item, ToolStatus | ToolBlock):
                body.event_bytes(item)
        assert looked[0] <= 4 * len(event), (size, looked[0] / len(event))


class Turns:
    """Counts the turns of the event loop, and what was done in the busiest of them."""

    def __init__(self) -> None:
        self.busiest = self._now = 0

    def did(self, count: int) -> None:
        """Note something that was done."""
        self._now += count
        self.busiest = max(self.busiest, self._now)

    async def pass_by(self) -> None:
        """Begin to count anew in each turn, for ever."""
        while True:
            self._now = 0
            await asyncio.sleep(0)


async def counted(read: Callable[[Turns], Coroutine[Any, Any, None]]) -> int:
    """What is done in the busiest turn, while this is run."""
    turns = Turns()
    other = asyncio.create_task(turns.pass_by())
    try:
        await read(turns)
    finally:
        other.cancel()
    return turns.busiest


@pytest.mark.parametrize("name", LONG)
@pytest.mark.promise("P6")
async def test_a_long_delta_leaves_other_tasks_their_turns(cases: Cases, name: str) -> None:
    """Neither the guard's own stream nor the middleware reads or says more than a bounded part of a delta in one turn."""
    cases(2)
    text = LONG[name](75_000)
    guard = Guard(FILE_TOOLS)

    async def own(turns: Turns) -> None:
        async def deltas() -> AsyncIterator[str]:
            yield text

        said = [0]
        async for item in guard.stream(deltas()):
            turns.did(512 + len(original([item])) if item is not text else 0)
            said[0] += len(original([item]))
        assert said == [len(text)]

    async def served(turns: Turns) -> None:
        event = json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]})

        async def app(_: Any, __: Any, send: Any) -> None:
            headers = [(b"content-type", b"text/event-stream")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": f"data: {event}\n\n".encode()})

        async def send(message: Any) -> None:
            turns.did(len(message.get("body", b"")) if len(message.get("body", b"")) < len(event) else 0)

        async def receive() -> Any:
            await asyncio.Event().wait()

        await StreamGuardMiddleware(app, guard=guard)({"type": "http", "method": "GET", "path": "/"}, receive, send)

    with pytest.MonkeyPatch.context() as patch:
        here = fed_here(patch)
        assert await counted(own) <= 130_000
        assert await counted(served) <= 200_000
    assert here[0] <= SHORT


async def sent_by(app: Any, *received: Any, headers: Iterable[tuple[bytes, bytes]] = ()) -> list[Any]:
    """Return what leaves the middleware before this app, which receives these messages of a POST."""
    sent, coming = [], iter(received)

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        message = next(coming, None)
        return message if message is not None else await asyncio.Event().wait()

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [*headers]}
    await StreamGuardMiddleware(app, guard=Guard(FILE_TOOLS))(scope, receive, send)
    return sent


@pytest.mark.promise("P6")
@pytest.mark.parametrize("choices", [1, 60])
async def test_a_reply_that_is_not_streamed_leaves_other_tasks_their_turns(
    cases: Cases, choices: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more of its blocks are judged in one turn than of a stream's, whether one text has them or many."""
    cases(1)
    text = '```json\n{"tool": "write_file", "path": "a", "content": "x",}\n```\n' * (600 // choices)
    said = [{"index": n, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"} for n in range(choices)]
    judged = Judge.judged

    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": json.dumps({"object": "chat.completion", "choices": said}).encode()})

    async def read(turns: Turns) -> None:
        def counting(judge: Judge, block: Block) -> Any:
            turns.did(1)
            return judged(judge, block)

        monkeypatch.setattr(Judge, "judged", counting)
        _, body = await sent_by(app)
        assert len(json.loads(body["body"])["stream_guard"]) == 600

    assert await counted(read) <= 100


def _event(text: str, index: int = 0) -> bytes:
    return f"data: {json.dumps({'choices': [{'index': index, 'delta': {'content': text}}]})}\n\n".encode()


_OPENED = _event('```json\n{"tool": "write_file", "path": "a", "content": "')
_WHOLE = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "a" * 3_000}, "finish_reason": "stop"}]}
SILENT: dict[str, tuple[bytes, list[bytes]]] = {
    "a block in small messages": (b"text/event-stream", [_OPENED, *[_event("abc")] * 3_000]),
    "a block in one message": (b"text/event-stream", [b"".join([_OPENED, *[_event("abc")] * 900])]),
    "texts that wait, in one message": (b"text/event-stream", [b"".join(_event("`", index) for index in range(900))]),
    "texts that wait, in small messages": (b"text/event-stream", [_event("`", index) for index in range(900)]),
    "an event in its bytes": (b"text/event-stream", [bytes([byte]) for byte in _event("a" * 3_000)]),
    "a line in its bytes": (b"application/x-ndjson", [bytes([byte]) for byte in b'{"response": "' + b"`" * 3_000]),
    "blank lines": (b"application/x-ndjson", [b"\n"] * 3_000),
    "a reply in its bytes": (b"application/json", [bytes([byte]) for byte in json.dumps(_WHOLE).encode()]),
}
"""Streams from which nothing leaves for long, by the type of their content."""


@pytest.mark.promise("P6")
@pytest.mark.parametrize("name", SILENT)
async def test_what_is_read_and_held_leaves_other_tasks_their_turns(
    cases: Cases, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An app that sends its pieces in a row has no other point at which others could run: nothing of them leaves."""
    cases(1)
    kind, parts = SILENT[name]

    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def read(turns: Turns) -> None:
        def counting(*_: object) -> int:
            turns.did(1)
            return 1

        looked = Looked(monkeypatch)
        for owner, step in ((Body, "push"), (Body, "_one"), (ReplyBody, "push")):
            looked.at(owner, step, counting)
        await sent_by(app)
        assert looked.here >= 900

    assert await counted(read) <= 300


@pytest.mark.promise("P6")
async def test_events_that_are_held_leave_other_tasks_their_turns(cases: Cases) -> None:
    """Also where the events of a client are guarded, and its stream has all of them."""
    cases(1)

    async def read(turns: Turns) -> None:
        async def events() -> AsyncIterator[Any]:
            for part in [_OPENED, *[_event("abc")] * 3_000]:
                turns.did(1)
                yield json.loads(part[6:])

        async for _ in guard_chat(events(), Guard(FILE_TOOLS)):
            pass

    assert await counted(read) <= 300


class Looked:
    """Counts what steps of the code look at in this thread, and in others."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.here = self.aside = 0
        self._patch = patch
        self._thread = threading.get_ident()

    def at(self, owner: Any, step: str, size: Callable[..., int]) -> None:
        """Count a step by the size of what it is given."""
        does = getattr(owner, step)

        def does_and_notes(*given: Any, **named: Any) -> Any:
            if threading.get_ident() == self._thread:
                self.here += size(*given)
            else:
                self.aside += size(*given)
            return does(*given, **named)

        self._patch.setattr(owner, step, does_and_notes)


_QUOTES = b'{"messages": [], "n": "' + b'\\"' * 3_000_000 + b'"}'
LONG_REQUESTS: dict[str, tuple[list[tuple[bytes, bytes]], bytes]] = {
    "packed": ([(b"content-encoding", b"gzip")], gzip.compress(_QUOTES)),
    "longer than what is kept": ([], _QUOTES),
    "with long tools": ([], json.dumps({"tools": [{"name": "x", "description": "x" * 500_000}]}).encode()),
    "in UTF-16": ([], json.dumps({"tools": [{"name": "x", "description": "x" * 500_000}]}).encode("utf-16")),
}


@pytest.mark.some(5)
@pytest.mark.promise("P6")
@pytest.mark.parametrize("name", LONG_REQUESTS)
@pytest.mark.parametrize("cut", [65_536, 10_000_000])
async def test_a_long_request_leaves_other_tasks_their_turns(
    cases: Cases, name: str, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is unpacked, looked through and read in a thread. Its app may give up waiting meanwhile, and loses no message."""
    cases(1)
    headers, raw = LONG_REQUESTS[name]
    pieces = [raw[at : at + cut] for at in range(0, len(raw), cut)]
    looked = Looked(monkeypatch)
    looked.at(request_tools, "as_utf8", len)
    looked.at(request_tools, "_written", lambda offer: sum(len(str(one)) for one in offer.definitions))
    looked.at(request_tools.RequestBody, "_strip", lambda body: len(body.raw))
    if headers:
        looked.at(request_tools.RequestBody, "take", lambda _, chunk: len(chunk))
    received: list[bytes] = []

    async def app(_: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            waiting = asyncio.ensure_future(receive())
            await asyncio.sleep(0)
            if not waiting.done():
                waiting.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await waiting
                waiting = asyncio.ensure_future(receive())
            message = await waiting
            received.append(message["body"])
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": b"data: {}\n\n"})

    messages = [{"type": "http.request", "body": one, "more_body": nth < len(pieces)} for nth, one in enumerate(pieces, 1)]
    assert len(await sent_by(app, *messages, headers=headers)) == 3
    assert received == pieces
    assert looked.here == 0
    assert looked.aside > 500_000


@pytest.mark.promise("P6")
async def test_a_long_request_that_a_framework_has_parsed_is_read_in_a_thread(
    cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows its length."""
    cases(1)
    tools = [{"type": "function", "function": {"name": "x", "description": "x" * 100_000, "parameters": {"type": "object"}}}]
    looked = Looked(monkeypatch)
    looked.at(request_tools, "asked", lambda request: len(str(request)))
    looked.at(request_tools, "_written", lambda offer: sum(len(str(one)) for one in offer.definitions))
    guard, _ = await request_tools.RequestGuards(Guard(FILE_TOOLS), "add").of_request({"messages": [], "tools": tools})
    assert "x" in guard.tools.names
    assert looked.here == 0
    assert looked.aside > 200_000


@pytest.mark.promise("P6")
@pytest.mark.parametrize("line", [b": x\n", b"data: x\n", b"\r", b"event: json-tool-block\n"])
def test_an_event_of_very_many_lines_leaves_in_parts(cases: Cases, line: bytes) -> None:
    """Names of the guard's events in it are replaced, a part of it at a time."""
    cases(1)
    reader = Body(Guard(FILE_TOOLS), "events", CHAT)
    raw = b"data: 1\n" + line * (1_000_000 // len(line)) if line != b"\r" else b": x\r" * 250_000
    parts: list[Any] = [part for at in range(0, len(raw), 65_536) for part in reader.push(raw[at : at + 65_536])]
    parts += [*reader.push(b"\n\n"), *reader.end()]
    assert max(map(len, parts)) <= 2 * 65_536
    assert b"".join(parts) == (raw + b"\n\n").replace(b"event: json-", b"event: upstream-json-")


@pytest.mark.promise("P6")
@pytest.mark.parametrize("kind", ["text/event-stream", "application/x-ndjson", "application/json"])
async def test_a_long_event_or_reply_is_parsed_in_a_thread(cases: Cases, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cases(1)
    said = {"index": 0, "delta": {"content": "x" * 300_000}, "message": {"role": "assistant", "content": "x" * 300_000}}
    event = json.dumps({"object": "chat.completion", "choices": [{**said, "finish_reason": "stop", "logprobs": [0.5] * 9_000}]})
    looked = Looked(monkeypatch)
    for module in (body, replies):
        looked.at(module, "parsed", len)

    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind.encode())]})
        written = f"data: {event}\n\n" if "stream" in kind else event
        await send({"type": "http.response.body", "body": written.encode()})

    sent = await sent_by(app)
    assert event in b"".join(message.get("body", b"") for message in sent).decode()
    assert looked.here == 0
    assert looked.aside == len(event)


@pytest.mark.promise("P6")
async def test_the_end_of_a_request_that_is_cancelled_leaves_other_tasks_their_turns(
    cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reply with many open texts that ends so: no more of them are judged in one turn than of a stream's."""
    cases(1)
    begun = asyncio.Event()
    judged, ended = Judge.judged, [0]

    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        for index in range(600):
            choice = {"index": index, "delta": {"content": '```json\n{"tool": "write_file",'}}
            written = f"data: {json.dumps({'choices': [choice]})}\n\n"
            await send({"type": "http.response.body", "body": written.encode(), "more_body": True})
        begun.set()
        await asyncio.Event().wait()

    async def read(turns: Turns) -> None:
        def counting(judge: Judge, block: Block) -> Any:
            turns.did(1)
            ended[0] += 1
            return judged(judge, block)

        monkeypatch.setattr(Judge, "judged", counting)
        serving = asyncio.create_task(sent_by(app))
        await begun.wait()
        serving.cancel()
        await asyncio.wait([serving])

    assert await counted(read) <= 100
    assert ended == [600]


def fed_here(patch: pytest.MonkeyPatch) -> list[int]:
    """Return what comes to hold the size of the longest text that a scanner reads in this thread."""
    here, longest, feed = threading.get_ident(), [0], scanner.FenceScanner.feed

    def fed(machine: scanner.FenceScanner, delta: str) -> Any:
        if threading.get_ident() == here:
            longest[0] = max(longest[0], len(delta))
        return feed(machine, delta)

    patch.setattr(scanner.FenceScanner, "feed", fed)
    return longest


@pytest.mark.promise("P6")
@pytest.mark.parametrize("size", [SHORT_BLOCK, SHORT_BLOCK + 100, SHORT])
async def test_less_of_a_delta_is_read_in_one_turn_where_dialects_are_read(size: int) -> None:
    """Each opener may begin a call, which is held, judged and told of."""
    unit = '<invoke name="x">\n'
    text = (unit * (size // len(unit) + 1))[:size]

    async def deltas() -> AsyncIterator[str]:
        yield text

    with pytest.MonkeyPatch.context() as patch:
        longest = fed_here(patch)
        found = [item async for item in Guard(FILE_TOOLS, dialects="all").stream(deltas())]
    assert original(found) == text
    assert longest[0] == (size if size <= SHORT_BLOCK else 0)


@pytest.mark.some(9)
@pytest.mark.promise("P6")
@pytest.mark.parametrize(
    "name", ["hermes", "longcat", "jamba", "internlm2", "cohere_command", "deepseek_v31", "kimi_k2", "mistral"]
)
@pytest.mark.parametrize("apart", ["", "x" * 2000])
def test_openers_without_closers_are_read_a_bounded_number_of_times(
    cases: Cases, monkeypatch: pytest.MonkeyPatch, name: str, apart: str
) -> None:
    """Each opens JSON that the next one breaks: none is read up to the limit of what is read ahead."""
    looked = 0
    search = JsonPart._search

    def counted(self: JsonPart, part: str) -> None:
        nonlocal looked
        looked += len(part)
        search(self, part)

    monkeypatch.setattr(JsonPart, "_search", counted)
    example = DIALECTS[name].write([("write_file", {"path": "a"})])
    begun = example[: example.index('"path"') + 9] + apart + "\n"
    text = begun * (30_000 // len(begun))
    guard = Guard(FILE_TOOLS, dialects=[name])
    for size in (7, len(text)):
        looked = 0
        out = list(guard.scan([text[at : at + size] for at in range(0, len(text), size)]))
        assert original(out) == text
        assert looked < 20 * len(text), looked / len(text)
    cases(2)


HELD = ("- ", "", "> ", "1. ")
HEADS = {
    "fence": '```json\n{"tool":"write_file","path":"a","content":"b"}\n',
    "hermes": '<tool_call>{"name": "write_file", "arguments": {}}',
    "function": "<function=write_file><parameter=content>",
    "invoke": '<invoke name="write_file"><parameter name="content">',
}
BODIES = ("{", "{}", "a\n", '{"a":', "f(", "<a>", "<", "</tool_call>", "```\n", "\n\n", "[", '"')


def in_the_loop(step: Callable[[], Iterator[Any]]) -> int:
    """How many functions a step of a patient session calls, without the work that it gives away."""
    items: list[Any] = []
    count = calls(lambda: items.append(step()))
    while items[-1] is not None:
        count += calls(lambda: items.append(next(items[0], None)))
        if isinstance(items[-1], Aside):
            items[-1].run()
    return count


@pytest.mark.some(6)
@pytest.mark.promise("P6")
@pytest.mark.parametrize("tail", ["", "\n```\nHi\n", "\nHi\n"])
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("head", HEADS)
def test_no_short_delta_and_no_end_costs_the_loop_what_grows_with_all_that_is_held(
    cases: Cases, head: str, body: str, tail: str
) -> None:
    """What a long text held, or the block that it ended, is read again in a thread, or not at all."""
    guard = Guard(FILE_TOOLS, dialects="all" if head != "fence" else ("fence",))

    def most(size: int) -> int:
        text = HELD[len(body) % len(HELD)] * (head == "fence") + HEADS[head] + (body * size)[:size] + tail
        session = guard.session(patient=True)
        steps = [partial(session.feed, text[at : at + 512]) for at in range(0, len(text), 512)]
        return max(map(in_the_loop, [*steps, partial(session.end, "stop")]))

    small, large = most(3 * SHORT), most(9 * SHORT)
    cases(2)
    assert large < 1.5 * small + 2_000, (small, large)
