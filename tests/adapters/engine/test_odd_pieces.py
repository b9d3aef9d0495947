"""Chat completions: pieces of calls that lack members, or have others, are read as by a client of the bare stream."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from openai.types.chat import ChatCompletionChunk
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.protocols import CHAT

from stream_guard import End, Guard, Tool, ToolBlock
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.proof import Cases

Event = dict[str, Any]

GUARD: Final = Guard([
    Tool("clean", "Clean.", {"type": "object", "properties": {"glob": {"type": "string"}}}),
    Tool("wipe", "Wipe.", {"type": "object", "properties": {"glob": {"type": "string"}}, "required": ["glob"]}),
])  # fmt: skip

WRITTEN: Final = '{"glob":"*.tmp"}'
SIGNED: Final = {"google": {"thought_signature": "c2ln"}}

FIRST: Final = ("whole", "no function", "null", "no members", "no arguments")
"""What the first piece has of its function."""
INDEX: Final = ("each", "first", "not first", "none")
"""Which pieces say the index."""
ID: Final = ("first", "second", "last", "each", "none")
MORE: Final = ("none", "first", "second", "last", "function", "empty")
"""Which piece has a member that the guard does not know; `empty` is a piece of its own behind all arguments."""
FINISH: Final = ("last", "own", "each", "stop in each", "none")


def done(events: Sequence[Any]) -> list[Any]:
    """What leaves for a stream with these events and `[DONE]`, which has no reason."""
    lanes = Lanes(GUARD, CHAT)
    return [item for event in [*events, End()] for item in lanes.feed(event)] + list(lanes.end())


def chunk(delta: Event, reason: str | None = None, index: int = 0) -> Event:
    choice = {"index": index, "delta": delta, "finish_reason": reason}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def stream(tool: str, first: str, index: str, known: str, more: str, finish: str) -> list[Event]:
    """A call in pieces of this kind."""
    functions: list[Any] = [{"name": tool, "arguments": WRITTEN[:4]}, {"arguments": WRITTEN[4:9]}, {"arguments": WRITTEN[9:]}]
    if first == "no arguments":
        functions = [{"name": tool}, {"arguments": WRITTEN}]
    elif first != "whole":
        functions.insert(0, {} if first == "no members" else None)
    if more == "empty":
        functions.append({"arguments": ""})
    pieces: list[Event] = []
    for nth, function in enumerate(functions):
        last = nth == len(functions) - 1
        piece: Event = {} if nth else {"type": "function"}
        if index == "each" or (index == "first" and not nth) or (index == "not first" and nth):
            piece["index"] = 0
        if known == "each" or {"first": not nth, "second": nth == 1, "last": last}.get(known):
            piece["id"] = "c"
        if {"first": not nth, "second": nth == 1, "last": last, "empty": last}.get(more):
            piece["extra_content"] = SIGNED
        if function is not None or first == "null":
            piece["function"] = function
        pieces.append(piece)
    if more == "function":
        pieces[-1]["function"]["x"] = 1
    events = [chunk({"tool_calls": [piece]}) for piece in pieces]
    if finish in ("each", "stop in each"):
        for event in events:
            event["choices"][0]["finish_reason"] = "tool_calls" if finish == "each" else "stop"
    elif finish == "last":
        events[-1]["choices"][0]["finish_reason"] = "tool_calls"
    elif finish == "own":
        events.append(chunk({}, "tool_calls"))
    return [chunk({"role": "assistant", "content": None}), *events]


def joined(known: Any, more: Any) -> Any:
    """What a client makes of a member in two pieces."""
    if isinstance(known, dict) and isinstance(more, dict):
        return {key: joined(known.get(key), more.get(key)) for key in {**known, **more}}
    if isinstance(known, str) and isinstance(more, str):
        return known + more
    return known if more is None else more


def told(events: Sequence[Event]) -> tuple[list[Event], list[str]]:
    """The calls that a client reads, a piece without an index going on with the last; and how often it hears why all ended."""
    calls: list[Event] = []
    reasons: set[str] = set()
    for event in events:
        (choice,) = event["choices"]
        reasons |= {choice["finish_reason"]} if choice["finish_reason"] else set()
        for piece in choice["delta"].get("tool_calls") or ():
            piece = copy.deepcopy(piece)
            piece.pop("index", None)
            if calls:
                for key in ("id", "type"):
                    if key in calls[0]:
                        piece.pop(key, None)
                calls[0] = joined(calls[0], piece)
            else:
                calls.append(piece)
    return calls, sorted(reasons)


KINDS: Final = [*product(FIRST, INDEX, ID, MORE, FINISH)]


@pytest.mark.some
@pytest.mark.parametrize("tool", ["clean", "wipe"])
async def test_a_call_is_read_as_without_the_guard(cases: Cases, tool: str) -> None:
    """Its id, its arguments, the members that only clients know, and the reason why its message ended."""
    for kind in some(KINDS, 300):
        cases(1)
        bare = stream(tool, *kind)
        items = done(bare)
        events = [one for one in items if isinstance(one, dict)]
        assert [block.executable for block in items if isinstance(block, ToolBlock)] == [True], kind
        assert told(events) == told(bare), kind


async def test_the_clients_objects_are_read_alike(cases: Cases) -> None:
    for kind in Random(3).sample(KINDS, 250):
        cases(1)
        bare = stream("clean", *kind)
        objects = [ChatCompletionChunk.construct(**copy.deepcopy(one)) for one in bare]
        items: list[Any] = done(objects)
        events: list[Any] = [one.to_dict(mode="json") for one in items if isinstance(one, ChatCompletionChunk)]
        for event in events:
            event["choices"][0].setdefault("finish_reason", None)
        wanted, said = told(bare), told(events)
        assert said[0][0]["function"]["arguments"] == wanted[0][0]["function"]["arguments"], kind
        assert said[0][0].get("extra_content") == wanted[0][0].get("extra_content"), kind
        assert said[0][0].get("id") == wanted[0][0].get("id"), kind
        assert said[1] == wanted[1], kind


@pytest.mark.parametrize("arguments", ["", " ", None])
@pytest.mark.parametrize("older", [False, True])
@pytest.mark.promise("P7")
async def test_without_a_reason_a_call_without_arguments_was_cut_off(arguments: Any, older: bool) -> None:
    """Its stream ends politely, and nobody knows whether arguments were to come. With a reason it has none."""
    function = {"name": "clean"} | ({} if arguments is None else {"arguments": arguments})
    piece = {"function_call": function} if older else {"tool_calls": [{"index": 0, "id": "c", "function": function}]}
    for reason in (None, "tool_calls", "stop"):
        events = [chunk(piece), *([chunk({}, reason)] if reason else [])]
        items = done(events)
        sent = json.dumps([one for one in items if isinstance(one, dict)])
        assert ('"{}"' in sent) is ("clean" in sent) is (reason is not None)
        assert [one.executable for one in items if isinstance(one, ToolBlock)] == [reason is not None]


@pytest.mark.parametrize("arguments", [5, 1.5, True, False, 0, [], ["a"], {}, {"glob": "x"}, {"glob": 1}, "5", "null"])
async def test_arguments_of_another_type_are_not_lost(arguments: Any) -> None:
    """They are JSON, as in a reply that is not streamed; those of no object fail as they were written."""
    for tool in ("clean", "wipe"):
        function = {"name": tool, "arguments": arguments}
        events = [chunk({"tool_calls": [{"index": 0, "id": "c", "function": function}]}), chunk({}, "tool_calls")]
        items = await collect(guard_events(FakeStream(events), GUARD, "openai-chat"))
        (call,), _ = told([one for one in items if isinstance(one, dict)])
        (block,) = [one for one in items if isinstance(one, ToolBlock)]
        written = arguments if isinstance(arguments, str) else json.dumps(arguments)
        wants = isinstance(arguments, dict) and (tool == "clean" or arguments)
        assert block.executable is bool(wants and arguments.get("glob") != 1) or block.corrected
        assert block.corrected or call["function"]["arguments"] == written


@pytest.mark.parametrize("cut", range(len(WRITTEN)))
@pytest.mark.promise("P7")
async def test_with_a_reason_in_each_chunk_a_call_that_was_cut_off_is_not_sent_on(cut: int) -> None:
    for reason in ("tool_calls", "stop"):
        begun = {"index": 0, "id": "c", "function": {"name": "wipe", "arguments": ""}}
        events = [chunk({"tool_calls": [begun]}, reason)]
        events += [chunk({"tool_calls": [{"index": 0, "function": {"arguments": char}}]}, reason) for char in WRITTEN[:cut]]
        items = await collect(guard_events(FakeStream(events), GUARD, "openai-chat", native="withhold"))
        (block,) = [one for one in items if isinstance(one, ToolBlock)]
        assert not block.executable
        assert told([one for one in items if isinstance(one, dict)])[0] == []


@pytest.mark.parametrize("name", [None, "", "cl"])
def test_a_call_whose_name_has_not_come_is_cut_off_where_an_event_cannot_be_read(name: str | None) -> None:
    """That event may have had a piece of it: what is said behind it does not complete the call."""
    body = Body(GUARD, "events", CHAT)
    written = WRITTEN if name != "cl" else ""
    first = {"name": name, "arguments": written[:10]}
    second = {"name": "clean" if name != "cl" else "ean", "arguments": written[10:] or WRITTEN}
    events = [json.dumps(chunk({"tool_calls": [{"index": 0, "id": "a", "function": one}]})) for one in (first, second)]
    sent = [events[0], '{"choices": [{', events[1], json.dumps(chunk({}, "tool_calls"))]
    items = [item for event in sent for item in body.push(f"data: {event}\n\n".encode())] + list(body.end())
    assert not any(item.executable for item in items if isinstance(item, ToolBlock))


def test_nothing_is_held_behind_a_call_whose_name_is_whole_only_at_its_end() -> None:
    """One letter short of a tool's name, and no arguments: more of the name may come until the end comes."""
    lanes = Lanes(Guard(FILE_TOOLS), CHAT)
    begun = {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "delete_fil", "arguments": ""}}]}
    assert list(lanes.feed(chunk(begun))) == []
    assert lanes.holding
    (block,) = [item for item in lanes.feed(chunk({}, "tool_calls")) if isinstance(item, ToolBlock)]
    assert not block.executable
    assert not lanes.holding


OLD: Final = "function_call"
NEW: Final = "tool_calls"


def said_in(member: str, written: str, *, name: str | None, known: str | None = None) -> Event:
    """A delta with a piece of a call in this member."""
    function = {"arguments": written} if name is None else {"name": name, "arguments": written}
    if member == OLD:
        return {OLD: function}
    return {NEW: [{"index": 0, "function": function} if known is None else {"index": 0, "id": known, "function": function}]}


@pytest.mark.parametrize("native", ["mend", "withhold", "observe"])
@pytest.mark.parametrize("known", [None, "c", OLD])
@pytest.mark.parametrize("one", [OLD, NEW])
@pytest.mark.promise("P7")
async def test_a_call_is_not_continued_in_the_other_member(one: str, known: str | None, native: Any) -> None:
    """Of `tool_calls` and `function_call`, whether the piece there has an index, an id, neither, or both."""
    other = NEW if one == OLD else OLD
    for cut in range(1, len(WRITTEN)):
        begun = said_in(one, WRITTEN[:cut], name="wipe", known=known)
        for drops in ([], ["index"]):
            rest = said_in(other, WRITTEN[cut:], name=None, known=known)
            for piece in [*begun.get(NEW, ()), *rest.get(NEW, ())]:
                for member in drops:
                    piece.pop(member, None)
            events = [chunk(begun), chunk(rest), chunk({}, "tool_calls")]
            items = await collect(guard_events(FakeStream(events), GUARD, "openai-chat", native=native))
            assert not any(item.executable for item in items if isinstance(item, ToolBlock)), (cut, drops)
            if native != "observe":
                assert "wipe" not in json.dumps([item for item in items if isinstance(item, dict)])


@pytest.mark.parametrize("at_once", [False, True])
async def test_calls_in_both_members_do_not_mix(at_once: bool) -> None:
    pieces = [(OLD, '{"glob": "a', "wipe"), (NEW, '{"glob": "b', "wipe"), (OLD, 'a"}', None), (NEW, 'b"}', None)]
    deltas = [said_in(member, written, name=name) for member, written, name in pieces]
    if at_once:
        deltas = [deltas[0] | deltas[1], deltas[2] | deltas[3]]
    events = [*map(chunk, deltas), chunk({}, "tool_calls")]
    items = await collect(guard_events(FakeStream(events), GUARD, "openai-chat"))
    blocks = [item for item in items if isinstance(item, ToolBlock)]
    assert sorted(block.arguments["glob"] for block in blocks if block.executable and block.arguments) == ["aa", "bb"]
