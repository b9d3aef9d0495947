"""Bridges and guarded SSE tell the text of an odd event, and make no call of pieces of which one was not read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import pytest
from stream_guard_adapters.bridges import to_ag_ui, to_ai_sdk
from stream_guard_adapters.engine.settings import Native
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_adapters.sse import guarded_sse
from stream_guard_conformance.corpus.native import Event, Given, chat, gemini, ollama, read
from stream_guard_conformance.corpus.streams import STREAMS

from tests.kit.breadth import some
from tests.kit.native_calls import WEATHER
from tests.kit.proof import Cases
from tests.kit.unread import CALL, CLEARED, GUARD, MAKERS, spoiled

BRIDGES: Final[dict[str, Callable[..., AsyncIterator[Any]]]] = {"to_ai_sdk": to_ai_sdk, "to_ag_ui": to_ag_ui}
TELLERS: Final = (*BRIDGES, "guarded_sse", "guarded_sse of a guarded stream")


async def _stream(events: Sequence[Event]) -> AsyncIterator[Event]:
    for event in events:
        yield event


async def told(teller: str, events: Sequence[Event], protocol: str) -> str:
    """The text that a reader gets."""
    guarded = guard_events(_stream(events), GUARD, protocol)
    if teller in BRIDGES:
        items = [one async for one in BRIDGES[teller](guarded)]
        return "".join(one["delta"] for one in items if one["type"] in ("text-delta", "TEXT_MESSAGE_CONTENT"))
    sent = guarded_sse(guarded, None) if "guarded" in teller.split() else guarded_sse(_stream(events), GUARD)
    return "".join([json.loads(one["data"]) async for one in sent if one.get("event") == "text"])


def _odd_ones(event: Event) -> list[Event]:
    """The event with an odd member in each: one of its own in another type, or one more item of a list that is odd."""
    made = [*spoiled(event)]
    others: list[Any] = [None, 5, []]
    for member in ("candidates", "choices"):
        made += [{**event, member: [*event[member], other]} for other in others if member in event]
    more: list[Event] = [{"message": "0"}, {"content_block": 5}, {"item": "x"}, {"response": [1]}, {"sequence_number": 2.0}]
    return [*made, *({**event, **one} for one in more if event.get("type"))]


@pytest.mark.some
@pytest.mark.parametrize("teller", TELLERS)
@pytest.mark.parametrize("protocol", [name for name in STREAMS if name != "text"])
async def test_the_text_of_an_event_with_an_odd_member_is_told(protocol: str, teller: str, cases: Cases) -> None:
    """Whatever another member is: a client of the provider shows that text too."""
    table, tried = PROTOCOLS[protocol], 0
    first, second, third, *ends = STREAMS[protocol].stream(["one ", "two ", "three\n"])
    for odd in some(_odd_ones(second), 25, kind=lambda one: repr(sorted(map(str, one)))):
        readable = ""
        with suppress(Exception):
            readable = "".join(text for _, text in table.texts(odd))
        if readable == "two ":
            tried += 1
            assert await told(teller, [first, odd, third, *ends], protocol) == "one two three\n", odd
    assert tried >= 2
    cases(tried)


async def test_so_is_a_text_beside_an_odd_part() -> None:
    """Of a list of parts those that can be read."""
    first, second, third, *ends = STREAMS["openai-chat"].stream(["one ", "two ", "three\n"])
    (choice,) = second["choices"]
    odd = {**second, "choices": [{**choice, "delta": {"content": [{"type": "text", "text": "two "}, 5]}}]}
    for teller in TELLERS:
        assert await told(teller, [first, odd, third, *ends], "openai-chat") == "one two three\n"


def _calls(events: Sequence[Event]) -> list[tuple[str, Any]]:
    """The calls that a reader of a bridge runs."""
    names = {one["toolCallId"]: one["toolCallName"] for one in events if one["type"] == "TOOL_CALL_START"}
    run = [(names[one["toolCallId"]], read(one["delta"])) for one in events if one["type"] == "TOOL_CALL_ARGS"]
    return [*run, *((one["toolName"], one["input"]) for one in events if one["type"] == "tool-input-available")]


@pytest.mark.some(24)
@pytest.mark.parametrize("bridge", BRIDGES)
@pytest.mark.parametrize("native", ["mend", "withhold", "observe", "off"])
@pytest.mark.parametrize("call", [CALL, CLEARED, WEATHER], ids=["known", "known, without arguments", "unknown"])
@pytest.mark.parametrize("maker", [name for name in MAKERS if "mixed" not in name])
async def test_a_bridge_makes_no_call_without_a_piece_that_was_not_read(
    maker: str, call: Given, native: Native, bridge: str, cases: Cases
) -> None:
    """Whichever event with a piece is odd: the call is whole, or none."""
    name, make = MAKERS[maker]
    table, tried = PROTOCOLS[name], 0
    for seed in (1, 2, 6):
        events = make([call], seed=seed)
        pieces = [nth for nth, event in enumerate(events) if any(one.arguments and not one.whole for one in table.calls(event))]
        odd_ones = [(at, odd) for at in pieces for odd in [*spoiled(events[at]), *_with_null(events[at])]]
        for at, odd in some(odd_ones, 20, kind=lambda one: repr(sorted(map(str, one[1])))):
            if table.reads(odd):
                continue
            tried += 1
            guarded = guard_events(_stream([*events[:at], odd, *events[at + 1 :]]), GUARD, name, native=native)
            made = _calls([one async for one in BRIDGES[bridge](guarded)])
            assert made in ([], [(call[0], read(call[1]))]), odd
    assert tried >= 3
    cases(tried)


def _with_null(event: Event) -> list[Event]:
    """An event of chat completions with null before a piece."""
    if "choices" not in event:
        return []
    (choice,) = event["choices"]
    return [{**event, "choices": [{**choice, "delta": {"tool_calls": [None, *choice["delta"]["tool_calls"]]}}]}]


@pytest.mark.parametrize("bridge", BRIDGES)
@pytest.mark.parametrize("make", [chat, gemini, ollama])
async def test_a_call_that_is_whole_outlives_an_event_that_is_not_read(make: Callable[..., list[Event]], bridge: str) -> None:
    name = {chat: "openai-chat", gemini: "gemini", ollama: "ollama"}[make]
    *events, end = make([WEATHER])
    odd = {"choices": [5], "candidates": [5], "message": 5, "done": False}
    guarded = guard_events(_stream([*events, odd, end]), GUARD, name)
    made = _calls([one async for one in BRIDGES[bridge](guarded)])
    assert made == [(WEATHER[0], read(WEATHER[1]))]


@pytest.mark.parametrize("bridge", BRIDGES)
@pytest.mark.parametrize("native", ["mend", "observe", "off"])
@pytest.mark.parametrize("calls", [[WEATHER], [CALL], [WEATHER, CALL], [CALL, WEATHER]])
@pytest.mark.parametrize("known", [True, False])
async def test_pieces_that_name_no_call_belong_to_the_one_that_began_last(
    bridge: str, native: Native, calls: list[Given], *, known: bool
) -> None:
    """Some servers send no index. A call was sent without its arguments."""
    events = chat(calls, seed=7)
    for event in events:
        for call in event["choices"][0]["delta"].get("tool_calls", ()):
            del call["index"]
            if not known and len(calls) == 1:
                call.pop("id", None)
    made = _calls([one async for one in BRIDGES[bridge](guard_events(_stream(events), GUARD, "openai-chat", native=native))])
    assert sorted(made, key=str) == sorted(((name, read(arguments)) for name, arguments in calls), key=str)
