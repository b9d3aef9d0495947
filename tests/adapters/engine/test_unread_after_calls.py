"""An event that passes unread in the middle of a call ends that call, whatever came before it: the next state of each lane."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Native, Settings
from stream_guard_adapters.protocols import PROTOCOLS, Protocol
from stream_guard_conformance.corpus.native import Event, Given, ag_ui, ai_sdk, chat, messages, read, responses

from stream_guard import End, Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS
from tests.adapters.engine.test_unread_parts import spoiled
from tests.kit.breadth import some
from tests.kit.native_calls import DELETE, WEATHER
from tests.kit.proof import Cases

GUARD: Final = Guard(FILE_TOOLS)
MEANT: Final = ("delete_file", {"path": "home/me/tmp"})
CALL: Final = (MEANT[0], json.dumps(MEANT[1]))
BEFORE: Final[dict[str, list[Given]]] = {
    "nothing": [],
    "a call": [DELETE],
    "another's call": [WEATHER],
    "calls": [WEATHER, DELETE, DELETE],
}
"""The calls before the one of which an event passes unread."""


def unrepeated(calls: Sequence[Given], **how: Any) -> list[Event]:
    """The events of a response in which nothing repeats the arguments."""
    events = []
    for event in responses(calls, **how):
        if event["type"] == "response.output_item.done":
            event = {**event, "item": {key: said for key, said in event["item"].items() if key != "arguments"}}
        if event["type"] == "response.completed":
            event = {**event, "response": {**event["response"], "output": []}}
        if not event["type"].endswith("arguments.done"):
            events.append(event)
    return events


MAKERS: Final[dict[str, tuple[str, Callable[..., list[Event]]]]] = {
    "openai-chat": ("openai-chat", chat),
    "openai-chat, mixed": ("openai-chat", partial(chat, mixed=True)),
    "openai-responses": ("openai-responses", responses),
    "openai-responses, unrepeated": ("openai-responses", unrepeated),
    "openai-responses, mixed": ("openai-responses", partial(unrepeated, mixed=True)),
    "anthropic": ("anthropic", messages),
    "ag-ui": ("ag-ui", ag_ui),
    "ag-ui, chunks": ("ag-ui", partial(ag_ui, chunks=True)),
    "ai-sdk": ("ai-sdk", ai_sdk),
}


def left(events: Iterable[Event], table: Protocol, native: Native) -> tuple[list[Event], list[ToolBlock], list[str]]:
    """The events that leave, the blocks among them, and why some passed unread."""
    noted: list[str] = []
    lanes = Lanes(GUARD, table, Settings(native=native, on_uninspected=noted.append))
    items = [item for event in [*events, End("stop")] for item in lanes.feed(event)] + list(lanes.end())
    return [one for one in items if isinstance(one, dict)], [one for one in items if isinstance(one, ToolBlock)], noted


def called(events: Iterable[Event], table: Protocol) -> list[tuple[str, Any]]:
    """The calls that a client makes of events; it joins pieces by what they belong to, and reads what it can."""
    names: dict[Any, str] = {}
    said: dict[Any, str] = {}
    for event in events:
        with suppress(Exception):
            for piece in table.calls(event):
                names[piece.call] = names.get(piece.call) or piece.name or ""
                said[piece.call] = piece.arguments if piece.whole else said.get(piece.call, "") + piece.arguments
    return [(name, read(said[key])) for key, name in names.items()]


@pytest.mark.some
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("maker", MAKERS)
def test_no_call_runs_without_the_piece_that_passed_unread(maker: str, before: str, native: Native, cases: Cases) -> None:
    """Whichever member of an event with a piece has another type: what runs is what was meant."""
    name, make = MAKERS[maker]
    table, given = PROTOCOLS[name], [*BEFORE[before], CALL]
    meant = [(tool, read(arguments)) for tool, arguments in given]
    tried = 0
    for seed in (1, 2, 3):
        events = make(given, seed=seed)
        said = [[one for one in table.calls(event) if one.arguments] for event in events]
        pieces = [nth for nth, ones in enumerate(said) if ones and not ones[0].whole]
        odd_ones = [(at, odd) for at in pieces[1:] for odd in spoiled(events[at])]
        for at, odd in some(odd_ones, 30, kind=lambda one: repr(one[1].keys() if isinstance(one[1], dict) else 0)):
            if odd.get("delta") in ({}, {"a": 1}) and name == "anthropic":
                continue  # another event, which its clients take for nothing
            sent, blocks, noted = left([*events[:at], odd, *events[at + 1 :]], table, native)
            if "odd event" not in noted:
                continue
            tried += 1
            ran = [(block.tool, {key: one for key, one in (block.arguments or {}).items() if key != "tool"}) for block in blocks if block.executable]
            assert [call for call in ran if call not in meant] == [], odd
            read_directly = called([*events[:at], odd, *events[at + 1 :]], table)
            made = [call for call in called(sent, table) if call[0] and isinstance(call[1], dict)]
            assert [call for call in made if call not in meant and call not in read_directly] == [], (odd, sent)
    assert tried >= 5
    cases(tried)
