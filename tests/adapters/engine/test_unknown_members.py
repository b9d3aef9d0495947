"""What nobody knows of leaves as well: a member that no table names, wherever it stands in an event, leaves exactly once.

Only what belongs to a call that is not sent on stays behind with it: the call is reported in its block.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.guarded_events import GuardedIterator
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import AG_UI, AI_SDK, CHAT, GEMINI, MESSAGES, OLLAMA, RESPONSES, Protocol
from stream_guard_adapters.protocols.base import ELSEWHERE
from stream_guard_conformance.corpus.native import Given, ag_ui, ai_sdk, chat, gemini, messages, ollama, responses
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import Guard, Tool, ToolBlock, Toolset
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import WHOLE, some
from tests.kit.native_calls import GOOD
from tests.kit.proof import Cases
from tests.kit.recordings import Recording

Event = dict[str, Any]
Path = tuple[str | int, ...]

GUARD: Final = Guard(FILE_TOOLS)

KEY: Final = "x_new"
VALUE: Final = "4a7b91"

CUT: Final = '{"path": "a", "content": "b'
FAILED: Final = '{"path": 1}'
BLOCK: Final = '```json\n{"tool": "delete_file", "path": "b"}\n```\n'

WITHIN: Final = ("args", "arguments", "input", "partialArgs")
"""The members of a call that have its arguments: what is in there is the model's."""

MEMBERS: Final = {
    CHAT: ("tool_calls", "function_call"), GEMINI: ("parts",), OLLAMA: ("tool_calls",),
}  # fmt: skip
"""The members that have calls, where an event has more than one thing."""

TYPES: Final = ("content_block_", "response.output_item", "response.function_call", "tool-input-", "TOOL_CALL_")
"""How the types of events begin that have one piece of a call and nothing else."""


def places(node: Any, path: Path = ()) -> Iterator[Path]:
    """The places of all objects in an event, but those in the arguments of its calls."""
    if isinstance(node, dict):
        yield path
        for key, value in node.items():
            if key not in WITHIN:
                yield from places(value, (*path, key))
    elif isinstance(node, list):
        for nth, one in enumerate(node):
            yield from places(one, (*path, nth))


def with_member(node: Any, path: Path, value: Any) -> Any:
    """A copy of an event that has a new member at a place."""
    if not path:
        return {**node, KEY: value}
    step, *rest = path
    made = node.copy()
    made[step] = with_member(node[step], tuple(rest), value)
    return made


def is_of_call(event: Event, path: Path, table: Protocol) -> bool:
    """Whether a place is in a call, or the event is all about one."""
    if table in MEMBERS:
        names = MEMBERS[table]
        at = next((nth for nth, step in enumerate(path) if step in names), None)
        if at is None:
            return False
        node = event
        for step in path[: at + 2]:
            node = node[step]  # type: ignore[index]
        return table is not GEMINI or "functionCall" in node
    if "response" in path or "message" in path:  # what repeats calls
        return "output" in path or "content" in path
    return str(event.get("type")).startswith(TYPES)


def left_of(events: Sequence[Event], table: Protocol, guard: Guard = GUARD, **settings: Any) -> str:
    """What leaves of a stream, but the events of the guard, as JSON."""
    with GuardedIterator(list(events), guard, table, Settings(**settings)) as guarded:
        return json.dumps([item for item in guarded if isinstance(item, dict | list)])


def merged(events: Sequence[Event], table: Protocol) -> list[Event]:
    """A stream with as much in each event as its protocol allows."""
    return {CHAT: chat_at_once, GEMINI: gemini_at_once, OLLAMA: ollama_at_once}[table](events)


def chat_at_once(events: Sequence[Event]) -> list[Event]:
    choices: dict[int, Event] = {}
    for event in events:
        for one in event["choices"]:
            into = choices.setdefault(
                one["index"], {"index": one["index"], "delta": {}, "finish_reason": None, "logprobs": None}
            )
            into["finish_reason"] = one["finish_reason"] or into["finish_reason"]
            for key, value in one["delta"].items():
                known = into["delta"].get(key)
                into["delta"][key] = value if known is None or key == "role" else known + value
    return [{**events[0], "choices": [*choices.values()]}]


def gemini_at_once(events: Sequence[Event]) -> list[Event]:
    candidates: dict[int, Event] = {}
    for event in events:
        for one in event["candidates"]:
            into = candidates.setdefault(one["index"], {**one, "content": {**one["content"], "parts": []}})
            into["content"]["parts"] += [part for part in one["content"]["parts"] if part != {"text": ""}]
            into |= {key: value for key, value in one.items() if key != "content"}
    return [{**events[-1], "candidates": [*candidates.values()]}]


def ollama_at_once(events: Sequence[Event]) -> list[Event]:
    message: Event = {"role": "assistant", "content": ""}
    for event in events:
        message["content"] += event["message"].get("content", "")
        message["tool_calls"] = [*message.get("tool_calls", ()), *event["message"].get("tool_calls", ())]
    return [{**events[-1], "message": message}]


def without_end(events: Sequence[Event], table: Protocol) -> list[Event]:
    """A stream whose events with calls have no finish reason: another event has it."""
    if table is CHAT:
        made = [{**event, "choices": [{**one, "finish_reason": None} for one in event["choices"]]} for event in events]
        ends = [{"index": one["index"], "delta": {}, "finish_reason": "tool_calls"} for one in made[-1]["choices"]]
        return [*made, {**made[-1], "choices": ends}]
    if table is GEMINI:
        made = [
            {
                **{key: value for key, value in event.items() if key != "usageMetadata"},
                "candidates": [
                    {key: value for key, value in one.items() if key != "finishReason"} for one in event["candidates"]
                ],
            }
            for event in events
        ]
        ends = [{"index": one["index"], "content": {"parts": []}, "finishReason": "STOP"} for one in made[-1]["candidates"]]
        return [*made, {"candidates": ends}]
    *most, last = events
    open_ = {key: value for key, value in last.items() if key not in ("done_reason", "eval_count")}
    return [*most, {**open_, "done": False}, {**last, "message": {"role": "assistant", "content": ""}}]


def in_two(events: Sequence[Event], table: Protocol) -> list[Event]:
    """A stream that has everything in two choices."""
    key = "choices" if table is CHAT else "candidates"
    return [{**event, key: [{**one, "index": at} for at in (0, 1) for one in event[key]]} for event in events]


def named(arguments: str) -> Event:
    return {"name": "write_file", "arguments": arguments}


def older(calls: Sequence[Given], finish: str) -> list[Event]:
    """A stream with a call in the older member."""
    call = [{"index": 0, "delta": {"role": "assistant", "content": None, "function_call": named(calls[0][1])}}]
    choice = {**call[0], "finish_reason": finish, "logprobs": None}
    return [{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}]


CALLS: Final[dict[str, list[Given]]] = {
    "good": [("write_file", GOOD)],
    "two": [("write_file", GOOD), ("delete_file", '{"path": "b"}')],
    "unknown": [("write_file", GOOD), ("weather", "{}")],
    "unknown first": [("weather", "{}"), ("write_file", GOOD)],
    "failed": [("write_file", FAILED), ("write_file", GOOD)],
    "cut": [("write_file", GOOD), ("write_file", CUT)],
    "all cut": [("write_file", CUT)],
}

MAKERS: Final[dict[Protocol, Callable[..., list[Event]]]] = {
    CHAT: chat, RESPONSES: responses, MESSAGES: messages, GEMINI: gemini, OLLAMA: ollama, AI_SDK: ai_sdk, AG_UI: ag_ui,
}  # fmt: skip

ENDS: Final[dict[Protocol, tuple[str, ...]]] = {
    CHAT: ("tool_calls", "length"), RESPONSES: ("completed", "max_output_tokens"), MESSAGES: ("tool_use", "max_tokens"),
    GEMINI: ("STOP", "MAX_TOKENS"), OLLAMA: ("stop", "length"), AI_SDK: ("tool-calls", "length"), AG_UI: ("",),
}  # fmt: skip


def streams(table: Protocol) -> Iterator[tuple[str, list[Event], bool]]:
    """Streams of a protocol: what they are, their events, and whether all their calls are sent on."""
    for (name, calls), end in ((one, end) for one in CALLS.items() for end in ENDS[table]):
        events = MAKERS[table](calls, end)
        whole = "cut" not in name and end == ENDS[table][0]
        yield f"{name}, {end}", events, whole
        if table is AG_UI:
            yield f"{name}, in chunks", ag_ui(calls, end, chunks=True), whole
        if table is CHAT and len(calls) == 1:
            yield f"{name}, {end}, older", older(calls, end), whole
        if table in MEMBERS:
            at_once = merged(events, table)
            quiet = merged(MAKERS[table](calls, end, text="") if table is not CHAT else events[1:], table)
            for text, stream in (("", at_once), (", no text", quiet)):
                yield f"{name}, {end}, at once{text}", stream, whole
                yield f"{name}, {end}, at once{text}, end apart", without_end(stream, table), whole
                if table is not OLLAMA:
                    yield f"{name}, {end}, at once{text}, twice", in_two(stream, table), whole
                    yield f"{name}, {end}, at once{text}, end apart, twice", without_end(in_two(stream, table), table), whole


def spoken(table: Protocol) -> Iterator[tuple[str, list[Event], bool]]:
    """Streams of a protocol that have a block in their text, in pieces and at once."""
    stream = STREAMS[table.name].stream
    text = f"Hi\n{BLOCK}More"
    for name, said in {"pieces": re.findall(r"(?s).{1,11}", text), "at once": [text], "open": [BLOCK[:-5]]}.items():
        yield f"a block, {name}", stream(said), True
        if STREAMS[table.name].lanes > 1:
            both = zip(stream(said, 0), stream(said, 1), strict=True)
            yield f"two blocks, {name}", [event for pair in both for event in pair], True
    if table is CHAT:
        image = {"type": "image_url", "image_url": {"url": "x"}}
        parts = [{"type": "text", "text": text}, image, {"type": "text", "text": BLOCK}]
        choice = {"index": 0, "delta": {"role": "assistant", "content": parts}, "finish_reason": "stop"}
        yield "a block in parts", [{"choices": [choice]}], True
        older = [{"index": at, "text": text, "finish_reason": "stop"} for at in (0, 1)]
        yield "a block of the older completions", [{"choices": older}], True
        calls = chat([("write_file", GOOD)])
        open_ = {**older[1], "finish_reason": None}
        yield "two kinds of choices", [{**event, "choices": [*event["choices"], open_]} for event in calls], True
        (at_once,) = chat_at_once(calls)
        yield "two kinds of choices, at once", [{**at_once, "choices": [*at_once["choices"], older[1]]}], True


def named_steps(path: Path) -> tuple[str, ...]:
    """The members on the way to a place, without the numbers of the items."""
    return tuple(step for step in path if isinstance(step, str))


def sent_once(
    table: Protocol,
    name: str,
    events: Sequence[Event],
    *,
    whole: bool,
    guard: Guard = GUARD,
    among: Sequence[int] | None = None,
    turn: int | None = None,
    **settings: Any,
) -> None:
    """A new member at each place of each event, or of some, leaves once; in a call that is not sent on perhaps not at all.

    With a `turn` of 0 or 1, each second of the places that are tried is, from there on; all of them where all of it is tried.
    """
    looked_at = [(nth, event) for nth, event in enumerate(events) if among is None or nth in among]
    each = ((nth, event, path) for nth, event in looked_at for path in places(event))
    tried = some(each, 12, kind=lambda one: (str(one[1].get("type")), *named_steps(one[2])))
    for nth, event, path in tried if turn is None or WHOLE else tried[turn::2]:
        spoilt = [*events[:nth], with_member(event, path, VALUE), *events[nth + 1 :]]
        times = left_of(spoilt, table, guard, **settings).count(VALUE)
        stays = times == 0 and not whole and is_of_call(event, path, table)
        assert times == 1 or stays, (name, settings, nth, path, times)


@pytest.mark.some
@pytest.mark.parametrize("table", MAKERS, ids=lambda table: table.name)
def test_a_member_that_nobody_knows_leaves_once_beside_calls(cases: Cases, table: Protocol) -> None:
    """A text of ours among the calls, and calls that are withheld: in turns, where not all of it is tried."""
    for nth, (name, events, whole) in enumerate(streams(table)):
        cases(1 + WHOLE)
        if WHOLE or nth % 2:
            sent_once(table, name, events, whole=whole, turn=0, blocks="text")
        if WHOLE or not nth % 2:
            sent_once(table, name, events, whole=whole and "failed" not in name, turn=1, native="withhold")


def skeleton(node: Any, key: str = "") -> Any:
    """What tells one kind of events from another: their members, types and reasons."""
    if isinstance(node, dict):
        return tuple((name, skeleton(value, name)) for name, value in sorted(node.items()) if name not in WITHIN)
    if isinstance(node, list):
        return tuple(sorted({skeleton(one) for one in node}, key=str)), len(node) > 1
    return node if key in ("type", "finish_reason", "finishReason", "done") else type(node).__name__


@pytest.mark.some(0)
def test_a_member_that_nobody_knows_leaves_once_in_recordings(cases: Cases, recordings: list[Recording]) -> None:
    """Beside the calls of real streams, all of which are guarded: in the first event of each kind."""
    kinds: set[Any] = set()
    for file, table, events in recordings:
        if table not in MAKERS:
            continue
        reads = [isinstance(event, dict) and table.reads(event) for event in events]
        called = [table.calls(event) if reads else () for event, reads in zip(events, reads, strict=True)]
        names = {piece.name for pieces in called for piece in pieces if piece.name and piece.name != ELSEWHERE}
        news = [nth for nth, pieces in enumerate(called) if pieces and (table, skeleton(events[nth])) not in kinds]
        if not names or not news:
            continue
        kinds |= {(table, skeleton(events[nth])) for nth in news}
        tools = Toolset(*(Tool(name, "x", {"type": "object"}) for name in sorted(names)))
        ends: list[ToolBlock] = []
        left_of(events, table, Guard(tools, on_block=ends.append), blocks="text")
        whole = all(block.end_cause == "closed" for block in ends)
        sent_once(table, file, events, whole=whole, guard=Guard(tools), among=news, blocks="text")
        cases(len(news))


@pytest.mark.some
@pytest.mark.parametrize("table", MAKERS, ids=lambda table: table.name)
def test_a_member_that_nobody_knows_leaves_once_beside_blocks(cases: Cases, table: Protocol) -> None:
    for name, events, whole in spoken(table):
        cases(2)
        sent_once(table, name, events, whole=whole, turn=0, blocks="text")
        sent_once(table, name, events, whole=whole, turn=1, promote=True)
