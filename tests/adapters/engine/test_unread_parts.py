"""An event that passes unread in the middle of a block or a call may have a part of it: what is held ends as cut off."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import Event, ag_ui, chat, messages
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import End, Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.proof import Cases

GUARD: Final = Guard(FILE_TOOLS)
PIECES: Final = (
    '```json\n{"tool": "write_file", "path": "a.txt", "content": "Delete ',
    "nothing but ",
    'the cache."}\n```\nDone.\n',
)
"""A block whose content says the opposite without its second piece."""

OTHERS: Final[tuple[Any, ...]] = (5, True, "x", [], [5], ["x"], {}, {"a": 1})
"""What may stand in the place of a member."""


def members(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in an event: what it is in, and its key."""
    for key, item in [*(node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ())]:
        yield node, key
        yield from members(item)


def spoiled(event: Event) -> Iterator[Event]:
    """The event with each of its members in turn of another type; those that other events may have too stay."""
    for nth, _ in enumerate(members(event)):
        for other in OTHERS:
            made = copy.deepcopy(event)
            inside, key = list(members(made))[nth]
            if type(inside[key]) is not type(other):
                inside[key] = other
                yield made


def blocks(events: list[Any], protocol: str) -> tuple[list[ToolBlock], list[str]]:
    """The blocks of a stream, and why events of it passed unread."""
    noted: list[str] = []
    lanes = Lanes(GUARD, PROTOCOLS[protocol], Settings(on_uninspected=noted.append))
    items = [item for event in [*events, End("stop")] for item in lanes.feed(event)] + list(lanes.end())
    return [item for item in items if isinstance(item, ToolBlock)], noted


@pytest.mark.parametrize("protocol", [name for name in STREAMS if name != "text"])
def test_no_block_is_executable_without_a_piece_that_passed_unread(protocol: str, cases: Cases) -> None:
    """Whichever member of the piece's event has another type."""
    spoken = STREAMS[protocol]
    first, second, third, *ends = spoken.stream(PIECES)
    (whole,), _ = blocks([first, second, third, *ends], protocol)
    assert whole.executable
    tried = 0
    for odd in spoiled(second):
        found, noted = blocks([first, odd, third, *ends], protocol)
        if noted:
            tried += 1
            assert set(noted) == {"odd event"}, odd
            assert [block for block in found if block.executable] == [], odd
    assert tried >= 4
    cases(tried)


CALL: Final = ("write_file", json.dumps({"path": "a.txt", "content": "Delete nothing but the cache."}))
SPEAKERS: Final[dict[str, Callable[..., list[Any]]]] = {"openai-chat": chat, "anthropic": messages, "ag-ui": ag_ui}


@pytest.mark.parametrize("protocol", SPEAKERS)
def test_nor_is_a_native_call(protocol: str, cases: Cases) -> None:
    """Whichever event with a piece of its arguments has a member of another type."""
    tried = 0
    for seed in range(1, 6):
        events = SPEAKERS[protocol]([CALL], seed=seed)
        places = [nth for nth, event in enumerate(events) if any(one.arguments for one in PROTOCOLS[protocol].calls(event))]
        for at in places[1:]:
            for odd in spoiled(events[at]):
                found, noted = blocks([*events[:at], odd, *events[at + 1 :]], protocol)
                if "odd event" in noted:
                    tried += 1
                    assert [block for block in found if block.executable] == [], odd
    assert tried >= 20
    cases(tried)
