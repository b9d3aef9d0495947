"""An event that passes unread in the middle of a block or a call may have a part of it: what is held ends as cut off."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.native import ag_ui, ai_sdk, chat, messages, responses
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import End, Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.proof import Cases
from tests.kit.unread import spoiled

GUARD: Final = Guard(FILE_TOOLS)
PIECES: Final = (
    '```json\n{"tool": "write_file", "path": "a.txt", "content": "Delete ',
    "nothing but ",
    'the cache."}\n```\nDone.\n',
)
"""A block whose content says the opposite without its second piece."""


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


@pytest.mark.parametrize("protocol", [name for name in STREAMS if name != "text"])
def test_an_event_of_text_with_a_member_of_another_type_passes_and_so_does_all_that_follows(
    protocol: str, cases: Cases
) -> None:
    """Nothing is raised, also where nearly all events of text pass: in `try_pass`."""
    first, second, third, *ends = STREAMS[protocol].stream(["one ", "two ", "three\n"])
    odd_ones = [*spoiled(second)]
    for odd in odd_ones:
        lanes = Lanes(GUARD, PROTOCOLS[protocol])
        left: list[Any] = []
        for event in [first, odd, third, *ends]:
            left += [event] if lanes.try_pass(event) else lanes.feed(event)
        left += lanes.end()
        assert any(one is third for one in left), odd
        assert json.dumps(odd) in map(json.dumps, left), odd
    cases(len(odd_ones))


CALL: Final = ("write_file", json.dumps({"path": "a.txt", "content": "Delete nothing but the cache."}))
MEANT: Final = {"tool": "write_file", **json.loads(CALL[1])}
SPEAKERS: Final[dict[str, Callable[..., list[Any]]]] = {
    "openai-chat": chat, "openai-responses": responses, "anthropic": messages, "ag-ui": ag_ui, "ai-sdk": ai_sdk,
}  # fmt: skip
CUT_OFF: Final[dict[str, Callable[..., list[Any]]]] = {**SPEAKERS, "ag-ui in chunks": partial(ag_ui, chunks=True)}


@pytest.mark.parametrize("speaker", CUT_OFF)
def test_nor_is_a_native_call(speaker: str, cases: Cases) -> None:
    """Whichever event with a piece of its arguments has a member of another type: what runs, if anything, is what was meant."""
    protocol, tried = speaker.partition(" ")[0], 0
    for seed in range(1, 6):
        events = CUT_OFF[speaker]([CALL], seed=seed)
        pieces = [[one for one in PROTOCOLS[protocol].calls(event) if one.arguments] for event in events]
        for at in [nth for nth, said in enumerate(pieces) if said and not said[0].decides][1:]:
            for odd in spoiled(events[at]):
                if odd.get("delta") in ({}, {"a": 1}) and protocol == "anthropic":
                    continue  # another event, which its clients take for nothing
                found, _ = blocks([*events[:at], odd, *events[at + 1 :]], protocol)
                tried += 1
                assert [block for block in found if block.executable and block.arguments != MEANT] == [], odd
    assert tried >= 20
    cases(tried)
