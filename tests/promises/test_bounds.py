"""Promise P6: what one stream of a provider's events may hold. Each bound of `Limits`, and what happens there."""

from __future__ import annotations

import asyncio
import json
import os
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from itertools import chain
from typing import Any

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import CHAT, MESSAGES, PROTOCOLS, RESPONSES, WIRED, Protocol
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import CorrectionPolicy, CorrectionRequest, Guard, Limits, ToolBlock, ToolStatus
from stream_guard.judge.aside import Aside
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import WHOLE
from tests.kit.proof import Cases

GUARD = Guard(FILE_TOOLS)
MIB = 1_048_576
LANES = Limits().max_lanes if WHOLE else 512
"""How many texts and calls may be guarded at once where there is no number to them: as many as an app lets, or fewer."""

MANY = int(os.environ.get("MANY", str(LANES + 100)))
"""How many are begun there."""

FEW = Guard(FILE_TOOLS, limits=Limits(max_lanes=LANES))

LATER = "What was said later."


def chat(content: str, index: int = 0) -> Any:
    return {"id": "c", "choices": [{"index": index, "delta": {"content": content}, "finish_reason": None}]}


def call(arguments: str, index: int = 0, at: int = 0, **more: Any) -> Any:
    told = {"index": at, "function": {"arguments": arguments, **more}}
    return {"id": "c", "choices": [{"index": index, "delta": {"tool_calls": [told]}, "finish_reason": None}]}


class Heard:
    """What a stream came to, counted as it comes, so that nothing of it is kept."""

    def __init__(self, events: Iterable[Any], table: Protocol, *, guard: Guard = GUARD, wire: bool = False, **settings: Any):
        self.why: Counter[str] = Counter()
        self.blocks: list[tuple[str, bool, int]] = []
        self.events = 0
        self.text = 0
        self.tail = ""
        note = lambda why: self.why.update([why])  # noqa: E731
        tracemalloc.start()
        try:
            if wire:
                self._through_body(events, Body(guard, "events", table, Settings(on_uninspected=note, **settings)))
            else:
                self._through_lanes(events, Lanes(guard, table, Settings(on_uninspected=note, **settings)), table)
            self.peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def _through_lanes(self, events: Iterable[Any], lanes: Lanes, table: Protocol) -> None:
        for event in events:
            for item in [event] if lanes.try_pass(event) else lanes.feed(event):
                self._hear(item, table)
        for item in lanes.end():
            self._hear(item, table)
        assert lanes._capacity.held == 0

    def _through_body(self, events: Iterable[Any], body: Body) -> None:
        for item in chain(
            chain.from_iterable(body.push(f"data: {json.dumps(event)}\n\n".encode()) for event in events), body.end()
        ):
            self._hear(item, None)

    def _hear(self, item: Any, table: Protocol | None) -> None:
        if isinstance(item, ToolBlock):
            self.blocks.append((item.end_cause, item.executable, len(item.raw)))
        elif isinstance(item, bytes):
            self.events += bool(item)  # of an event of which nothing leaves it is no bytes
            self.tail = item[-300:].decode() or self.tail
        elif not isinstance(item, ToolStatus | Aside):
            self.events += 1
            said = "".join(text for _, text in table.texts(item)) if table is not None else ""
            self.text += len(said)
            self.tail = said or self.tail


def long_call(protocol: str, size: int) -> Iterator[Any]:
    """A call with so many characters of arguments, a text behind it, and the end."""
    piece, count = "x" * 65_536, size // 65_536
    begun = '{"path": "a", "content": "'
    if protocol == "openai-chat":
        yield call(begun, id="t", name="write_file")
        for _ in range(count):
            yield call(piece)
        yield call('"}')
        yield chat(LATER, 1)
        yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    elif protocol == "anthropic":
        block = {"type": "tool_use", "id": "t", "name": "write_file", "input": {}}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        for said in chain([begun], (piece for _ in range(count)), ['"}']):
            yield {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": said}}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": LATER}}
        yield {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    else:
        item = {"type": "function_call", "id": "f", "call_id": "t", "name": "write_file", "arguments": ""}
        yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        for said in chain([begun], (piece for _ in range(count)), ['"}']):
            yield {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": said}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": LATER}
        yield {"type": "response.completed", "response": {"output": []}}


@pytest.mark.some(4)
@pytest.mark.parametrize("wire", [False, True], ids=["events", "bytes"])
@pytest.mark.parametrize("protocol", ["openai-chat", "anthropic", "openai-responses"])
@pytest.mark.promise("P6", "P7")
def test_a_native_call_without_end_is_told_as_too_long_and_not_kept(cases: Cases, protocol: str, wire: bool) -> None:
    """20 MiB of arguments: one failed block, nothing sent on, and what comes later arrives."""
    cases(1)
    heard = Heard(long_call(protocol, 20 * MIB), PROTOCOLS[protocol], wire=wire)
    ((cause, executable, size),) = heard.blocks
    assert (cause, executable) == ("oversize", False)
    assert MIB < size < MIB + 100_000
    assert heard.events <= 5
    assert heard.peak < 16 * MIB
    assert not heard.why


@pytest.mark.promise("P6", "P7")
def test_an_observed_call_without_end_passes_and_is_told(cases: Cases) -> None:
    """All of it leaves as it came; no more than the bound is kept."""
    cases(1)
    heard = Heard(long_call("openai-chat", 32 * MIB), CHAT, native="observe")
    assert [(cause, executable) for cause, executable, _ in heard.blocks] == [("oversize", False)]
    assert heard.events == 512 + 4
    assert heard.peak < 12 * MIB


@pytest.mark.some
@pytest.mark.promise("P6")
def test_choices_without_number_are_guarded_up_to_the_bound(cases: Cases) -> None:
    """Every text arrives, and what was not looked into is counted."""
    cases(MANY)
    heard = Heard((chat(f"Text {index}.", index) for index in range(MANY)), CHAT, guard=FEW)
    assert heard.events == MANY
    assert heard.why == {"too many lanes": MANY - LANES}
    assert heard.peak < 16 * MIB
    ended = {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}
    again = Heard((dict(ended) for _ in range(MANY)), CHAT, guard=FEW)
    assert again.events == MANY
    assert again.why == {"too many lanes": MANY - LANES}
    one = {"choices": [{"index": index, "delta": {"content": "a"}} for index in range(MANY)]}
    assert Heard([one], CHAT, guard=FEW).why == {"odd event": 1}


@pytest.mark.some
@pytest.mark.promise("P6")
def test_calls_without_number_are_guarded_up_to_the_bound(cases: Cases) -> None:
    cases(MANY)
    heard = Heard((call('{"path": "a"}', 0, at, id=f"t{at}", name="delete_file") for at in range(MANY)), CHAT, guard=FEW)
    assert heard.why == {"too many lanes": MANY - LANES}
    assert len(heard.blocks) == LANES
    assert heard.peak < 32 * MIB


@pytest.mark.some
@pytest.mark.promise("P6", "P9")
@pytest.mark.parametrize("size", [1, 5_000])
def test_pieces_of_a_call_that_nobody_names_pass(cases: Cases, size: int) -> None:
    """Thousands of them, short or long: no more than the bound waits, all leave in order, one call is counted."""
    count = (6_000 if size == 1 else 5_000) // (1 if WHOLE else 3)
    cases(count)
    heard = Heard((call("x" * size) for _ in range(count)), CHAT)
    assert heard.events == count
    assert heard.why == {"unnamed call": 1}
    assert heard.peak < 12 * MIB


@pytest.mark.promise("P6", "P9")
@pytest.mark.parametrize("size", [10, 100_000])
def test_events_behind_a_call_that_does_not_end_are_let_go(cases: Cases, size: int) -> None:
    """The call is told as too long, and they leave in their order."""
    item = {"type": "function_call", "id": "f", "call_id": "t", "name": "write_file", "arguments": ""}
    count = 2_000 if size == 10 else 500
    cases(count)

    def events() -> Iterator[Any]:
        yield {"type": "response.output_item.added", "output_index": 0, "item": item}
        yield {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "content": []}}
        for _ in range(count):
            yield {"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "x" * size}

    for wire in (False, True):
        heard = Heard(events(), RESPONSES, wire=wire)
        assert [cause for cause, _, _ in heard.blocks] == ["oversize"]
        assert heard.events == count + 1  # all but the call
        assert wire or heard.text == count * size
        assert heard.peak < 40 * MIB


@pytest.mark.promise("P6", "P7")
def test_blocks_in_many_texts_at_once_have_one_bound(cases: Cases) -> None:
    """Three hundred choices write a file each: no more than `max_held` is held, the rest ends as too long, no text is lost."""
    cases(300)
    begun = '```json\n{"tool": "write_file", "path": "a", "content": "'

    def events() -> Iterator[Any]:
        for index in range(300):
            yield chat(begun, index)
        for _ in range(16):
            for index in range(300):
                yield chat("x" * 4096, index)

    heard = Heard(events(), CHAT)
    assert len(heard.blocks) == 300
    assert {cause for cause, _, _ in heard.blocks} <= {"oversize", "disconnect"}
    assert not any(executable for _, executable, _ in heard.blocks)
    assert heard.text + sum(size for _, _, size in heard.blocks) == 300 * (len(begun) + 64 * 1024)
    assert heard.peak < 40 * MIB


@pytest.mark.promise("P6")
def test_events_that_wait_for_a_reason_weigh_what_they_are(cases: Cases) -> None:
    """A text ends in the middle of a block, and 60 large events follow before anybody says why."""
    cases(1)

    def events() -> Iterator[Any]:
        begun = '```json\n{"tool": "write_file", "path": "a", "content": "'
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": begun}}
        yield {"type": "content_block_stop", "index": 0}
        for number in range(60):
            yield {"type": "ping", "x": f"{number}{'y' * MIB}"}

    heard = Heard(events(), MESSAGES, wire=True)
    assert [cause for cause, _, _ in heard.blocks] == ["disconnect"]
    assert heard.peak < 40 * MIB


@pytest.mark.promise("P6")
def test_what_stands_beside_texts_is_not_kept_without_end(cases: Cases) -> None:
    """Sixty choices, each with a megabyte beside its text, and with one as its name."""
    cases(120)
    long = Heard(({**chat("a", index), "x": "y" * MIB} for index in range(60)), CHAT, wire=True)
    assert long.events == 60
    assert long.peak < 40 * MIB
    named = ({"type": "text-delta", "id": f"{index}{'y' * MIB}", "delta": "a"} for index in range(60))
    again = Heard(named, PROTOCOLS["ai-sdk"], wire=True)
    assert again.why == {"odd event": 60}
    assert again.peak < 40 * MIB


@pytest.mark.promise("P6", "P7")
def test_each_limit_that_is_set_applies(cases: Cases) -> None:
    """At `max_block`, `max_lanes` and `max_event`, each with what happens there."""
    cases(4)
    assert [cause for cause, _, _ in Heard(long_call("openai-chat", 70_000), CHAT, guard=limited(max_block=70_000)).blocks] == [
        "closed"
    ]
    assert [
        cause for cause, _, _ in Heard(long_call("openai-chat", 140_000), CHAT, guard=limited(max_block=70_000)).blocks
    ] == ["oversize"]
    assert Heard([chat("a", 0), chat("b", 1)], CHAT, guard=limited(max_lanes=1)).why == {"too many lanes": 1}
    long = Heard([chat("a" * 100), chat("b")], CHAT, guard=limited(max_event=100), wire=True)
    assert long.why == {"oversize event": 1}


def limited(**limits: int) -> Guard:
    return Guard(FILE_TOOLS, limits=Limits(**limits))


def checked(body: str, **settings: Any) -> Callable[[Limits], object]:
    """Return what asks a guard with these limits what becomes of a body."""
    return lambda limits: str(Guard(FILE_TOOLS, limits=limits, **settings).check(body).to_dict())


def scanned(text: str, **settings: Any) -> Callable[[Limits], object]:
    return lambda limits: [
        item if isinstance(item, str) else str(item.to_dict())
        for item in Guard(FILE_TOOLS, limits=limits, **settings).scan(text, stream_id="s")
    ]


def heard(events: list[Any], *, wire: bool = False) -> Callable[[Limits], object]:
    def listen(limits: Limits) -> object:
        told = Heard(events, CHAT, guard=Guard(FILE_TOOLS, limits=limits), wire=wire)
        return told.why, told.blocks

    return listen


def read_on(limits: Limits) -> object:
    """Return how many deltas are read while a correction runs."""

    async def main() -> int:
        source = FakeStream([f"```json\n{WRONG}\n```\n", *["x" * 10] * 20])
        read = 0

        async def corrector(request: CorrectionRequest) -> str:
            nonlocal read
            for _ in range(200):
                await asyncio.sleep(0)
            read = source.read
            return ""

        policy = CorrectionPolicy(max_attempts=1)
        guard = Guard(FILE_TOOLS, fixes="off", corrector=corrector, correction=policy, limits=limits)
        async for _ in guard.stream(source):
            pass
        return read

    return asyncio.run(main())


WRONG = '{"tool": "write_file", "path": "a", "content": 3, "more": 4}'
TRAILING = '{"tool": "delete_file", "path": "a",}'
ARGUMENTS = '{"path": "a", "content": "b"}'
WITHIN_STRING = '```json\n{"tool": "write_file", "path": "a", "content": "x\n```\n' + "y\n" * 20 + '"}\n```\n'
APPLIED: dict[str, tuple[int, Callable[[Limits], object]]] = {
    "max_block": (20, scanned(f"```json\n{TRAILING}\n```\n")),
    "lookahead": (5, scanned(WITHIN_STRING)),
    "max_depth": (2, checked('{"tool": "delete_file", "path": "a", "x": {"y": {}}}')),
    "max_values": (2, checked(WRONG)),
    "max_issues": (1, checked(WRONG)),
    "max_calls": (1, scanned(f"```json\n[{TRAILING}, {TRAILING.replace('a', 'b')}]\n```\n")),
    "max_repair": (5, checked(TRAILING)),
    "max_loop": (
        2_048,
        scanned('```json\n{"tool": "write_file", "path": "a", "content": "' + "na " * 4_000 + '"}\n```\n', early="abort"),
    ),
    "max_pending": (35, read_on),
    "max_lanes": (1, heard([chat("a", 0), chat("b", 1)])),
    "max_held": (50, heard([call('{"path": "a", "content": "', name="write_file"), call("x" * 100), call('"}')])),
    "max_waiting": (2, heard([call(str(number)) for number in range(9)])),
    "max_event": (100, heard([chat("a" * 100)], wire=True)),
}
"""For each limit a lower number, and what then becomes of something that the default lets be."""


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
def test_every_limit_is_applied(name: str) -> None:
    """Stored is not applied: at a lower one something else comes out."""
    assert name in APPLIED, f"{name}: add to APPLIED a lower number, and a text or stream that reaches it"
    lower, observed = APPLIED[name]
    assert observed(Limits(**{name: lower})) != observed(Limits()), f"{name}={lower} changes nothing: no code applies the limit"


LOADS: dict[str, Any] = {"a long member": "x" * 50_000, "many members": {f"k{n}": "x" * 20 for n in range(2_000)}}


@pytest.mark.some(7)
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("name", [table.name for table in WIRED])
@pytest.mark.promise("P6")
def test_an_event_that_leaves_in_many_pieces_repeats_no_long_member(cases: Cases, name: str, load: str) -> None:
    """Neither beside the text, nor in the objects around it; nor where an event has texts of many lanes, or many calls."""
    text = "a\n```json\n{}\n```\nb\n```json\n" * 10 + '{"tool": "delete_file", "path": "a"}\n```\nb'
    event = STREAMS[name].say(0, text)
    several = [event]
    if name == "openai-chat":
        call = {"type": "function", "function": {"name": "delete_file", "arguments": '{"path": "a"}'}}
        calls = [{**call, "index": index, "id": f"c{index}"} for index in range(10)]
        several.append({"choices": [STREAMS[name].say(lane, "a\n```json\n")["choices"][0] for lane in range(10)]})
        several.append({"choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}]})
    if name == "gemini":
        several.append({"candidates": [STREAMS[name].say(lane, "a\n```json\n")["candidates"][0] for lane in range(10)]})
    for one in several:
        for place in _objects(one):
            cases(1)
            loaded = json.loads(json.dumps(one))
            _at(loaded, place)["more"] = LOADS[load]
            raw = f"data: {json.dumps(loaded)}\n\n".encode()
            body = Body(Guard(FILE_TOOLS), "events", PROTOCOLS[name])
            items = [item for item in (*body.push(raw), *body.end()) if not isinstance(item, Aside)]
            sent = sum(len(item if isinstance(item, bytes) else body.event_bytes(item)) for item in items)
            assert sent < 4 * len(raw) + 40 * len(json.dumps(one))


def _objects(node: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each object in a document."""
    if isinstance(node, dict):
        yield path
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from _objects(value, *path, key)


def _at(node: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        node = node[key]
    return node
