"""An event that passes unread in the middle of a call ends that call, whatever came before it: the next state of each lane."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Native, Settings
from stream_guard_adapters.protocols import PROTOCOLS, Protocol
from stream_guard_conformance.corpus.native import Event, Given, chat, read

from stream_guard import End, ToolBlock
from stream_guard.spi import without_tool
from tests.kit.breadth import some
from tests.kit.native_calls import DELETE, WEATHER
from tests.kit.proof import Cases
from tests.kit.unread import CALL, CLEARED, GUARD, MAKERS, spoiled

BEFORE: Final[dict[str, list[Given]]] = {
    "nothing": [],
    "a call": [DELETE],
    "another's call": [WEATHER],
    "calls": [WEATHER, DELETE, DELETE],
}
"""The calls before the one of which an event passes unread."""


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


@pytest.mark.some(36)
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("call", [CALL, CLEARED], ids=["pieces", "one piece or more"])
@pytest.mark.parametrize("maker", MAKERS)
def test_no_call_runs_without_the_piece_that_passed_unread(
    maker: str, call: Given, before: str, native: Native, cases: Cases
) -> None:
    """Whichever member of an event with a piece has another type: what runs is what was meant."""
    name, make = MAKERS[maker]
    table, given = PROTOCOLS[name], [*BEFORE[before], call]
    meant = [(tool, read(arguments)) for tool, arguments in given]
    tried = 0
    for seed in (1, 2, 6):
        events = make(given, seed=seed)
        said = [[one for one in table.calls(event) if one.arguments] for event in events]
        pieces = [nth for nth, ones in enumerate(said) if ones and not ones[0].whole]
        odd_ones = [(at, odd) for at in pieces for odd in spoiled(events[at])]
        for at, odd in some(odd_ones, 20, kind=lambda one: repr(one[1].keys() if isinstance(one[1], dict) else 0)):
            if odd.get("delta") in ({}, {"a": 1}) and name == "anthropic":
                continue  # another event, which its clients take for nothing
            sent, blocks, noted = left([*events[:at], odd, *events[at + 1 :]], table, native)
            if "odd event" not in noted:
                continue
            tried += 1
            ran = [(block.tool, without_tool(block.arguments or {})) for block in blocks if block.executable]
            assert [call for call in ran if call not in meant] == [], odd
            read_directly = called([*events[:at], odd, *events[at + 1 :]], table)
            made = [call for call in called(sent, table) if call[0] and isinstance(call[1], dict)]
            assert [call for call in made if call not in meant and call not in read_directly] == [], (odd, sent)
    assert tried >= 5
    cases(tried)


@pytest.mark.some(16)
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("maker", [name for name in MAKERS if "mixed" not in name])
def test_no_piece_of_a_call_leaves_before_its_beginning(maker: str, before: str, native: Native, cases: Cases) -> None:
    """Strict clients fail on one. A piece of a call that is left out is left out too, though it passes unread."""
    name, make = MAKERS[maker]
    table, tried = PROTOCOLS[name], 0
    for given in ([*BEFORE[before], CALL], [*BEFORE[before], WEATHER]):
        events = make(given, seed=2)
        pieces = [nth for nth, event in enumerate(events) if any(one.arguments and not one.whole for one in table.calls(event))]
        odd_ones = [(at, odd) for at in pieces for odd in spoiled(events[at])]
        for at, odd in some(odd_ones, 60, kind=lambda one: repr(sorted(one[1], key=str))):
            came = [*events[:at], odd, *events[at + 1 :]]
            sent, _, noted = left(came, table, native)
            if "odd event" in noted and not _without_a_beginning(came, table):
                tried += 1
                assert _without_a_beginning(sent, table) == [], (odd, sent)
    assert tried >= 10
    cases(tried)


def _without_a_beginning(events: Iterable[Event], table: Protocol) -> list[Event]:
    """The events with a piece of a call that has not begun."""
    begun: set[Any] = set()
    found: list[Event] = []
    for event in events:
        with suppress(Exception):
            for piece in table.calls(event):
                if piece.name is None and not piece.repeats and piece.call not in begun:
                    found.append(event)
                begun.add(piece.call)
    return found


ODD_BESIDE: Final[list[dict[str, Any]]] = [
    {"text": [{}]}, {"text": 1}, {"index": 0.0}, {"delta": {"content": 1}}, {"delta": {"function_call": []}},
    {"delta": {"content": [[]]}},
]  # fmt: skip


def _odd_beginnings(event: Event) -> list[Event]:
    """The event with the name of a call, with one odd member in each: one of its own, or one more."""
    (choice,) = event["choices"]
    more = [{**choice, **odd, "delta": {**choice["delta"], **odd.get("delta", {})}} for odd in ODD_BESIDE]
    return [*spoiled(event), *({**event, "choices": [one]} for one in more)]


@pytest.mark.some(16)
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("call", [CALL, WEATHER], ids=["known tool", "unknown tool"])
@pytest.mark.parametrize("mixed", [False, True])
def test_a_call_whose_beginning_passes_unread_is_whole_or_none(
    before: str, call: Given, native: Native, cases: Cases, *, mixed: bool
) -> None:
    """Its pieces keep the number that its name had."""
    table, tried = PROTOCOLS["openai-chat"], 0
    given = [*BEFORE[before], call]
    for seed in (1, 2, 3):
        events = chat(given, seed=seed, mixed=mixed)
        at = next(nth for nth, event in enumerate(events) if f'"t{len(given) - 1}"' in json.dumps(event))
        for odd in some(_odd_beginnings(events[at]), 40):
            came = [*events[:at], odd, *events[at + 1 :]]
            sent, _, noted = left(came, table, native)
            direct = called(came, table)
            if "odd event" in noted and (call[0], read(call[1])) in direct:
                tried += 1
                made = [one for one in called(sent, table) if one[0]]
                assert [one for one in made if one not in direct] == [], (odd, sent)
    assert tried >= 5
    cases(tried)
