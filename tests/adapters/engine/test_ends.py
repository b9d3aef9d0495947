"""The end of a stream, whatever step of it raises: no exception leaves, other texts do, and no call that may not run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from inspect import isgeneratorfunction
from itertools import islice, product
from typing import Any

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.call_closing import CallClosing
from stream_guard_adapters.engine.call_judging import CallJudging
from stream_guard_adapters.engine.call_outcomes import CallOutcomes
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.native_calls import Calls
from stream_guard_adapters.engine.promotion import Promotion
from stream_guard_adapters.engine.repeated_texts import RepeatedTexts
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.engine.shown import Shown
from stream_guard_adapters.engine.texts import Texts
from stream_guard_adapters.protocols import PROTOCOLS, Protocol
from stream_guard_conformance.corpus.native import MAKERS, Event, as_chat, as_messages, as_responses, body_of
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import End, Guard, Pending, Session, ToolBlock
from stream_guard.spi import Aside
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.native_calls import STEPS, fails

GUARD = Guard(FILE_TOOLS)
WRONG = ("write_file", '{"path": "a.txt", "content": ["rm"]}')
HELD = 'Before.\n```json\n{"tool": "delete_file", "path": "held'
WHOLE = 'Before.\n```json\n{"tool": "delete_file", "path": "whole"}\n```\nBehind.\n'
AS: dict[str, Any] = {"openai-chat": as_chat, "openai-responses": as_responses, "anthropic": as_messages}

ENDING: list[tuple[Any, str]] = [
    *STEPS,
    *((Lanes, name) for name in ("_end_waiting", "_turn", "_promoted", "_read")),
    *((Texts, name) for name in ("close", "_event_items", "_noted", "_weigh")),
    *((RepeatedTexts, name) for name in ("shown", "echoed")),
    *((Calls, name) for name in ("close_first", "close_all", "overflow")),
    *((CallClosing, name) for name in ("close",)),
    *((CallOutcomes, name) for name in ("leave_out",)),
    *((CallJudging, name) for name in ("is_cut",)),
    *((Session, name) for name in ("events", "scan_end")),
    *((Promotion, name) for name in ("end", "takes", "_leaving")),
    *((Shown, name) for name in ("text_of", "instead_of", "again")),
]
"""What is done at the end of a stream: each step may raise."""

STEP = int(os.environ.get("STEP", "29"))
"""Of the ways to end a stream, one of so many is tried with each step."""


def streams() -> Iterator[tuple[str, Sequence[Event], Settings]]:
    """Streams that break off: within a text or behind it, within calls, and where events wait for what ends the message."""
    withheld = Settings(native="withhold", stream_id="s")
    promoted = Settings(native="withhold", promote=True, blocks="both", stream_id="s")
    for settings, text in ((withheld, HELD), (promoted, WHOLE)):
        for name, make in MAKERS.items():
            yield name, make([WRONG, WRONG], text=text), settings
        for name, make in AS.items():
            yield name, make([text], [WRONG, WRONG]), settings


def raising(owner: Any, step: str) -> Any:
    """What stands for a step: it raises when it is done, which is later than its call if it is a generator."""

    def late(*_: Any, **__: Any) -> Iterator[Any]:
        yield from fails()

    return late if isgeneratorfunction(getattr(owner, step)) else fails


def at_once(items: Iterator[Any]) -> list[Any]:
    """The items; the work among them is done where its result is needed."""
    return [item for item in items if not isinstance(item, Aside | Pending)]


@pytest.mark.more
@pytest.mark.promise("P9")
@pytest.mark.parametrize("nth", range(len(ENDING)), ids=lambda nth: ".".join((ENDING[nth][0].__name__, ENDING[nth][1])))
def test_no_step_of_the_end_that_raises_ends_the_rest(nth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the mark of an end and without one, with a step that raises from then on: no refused call leaves."""
    of, step = ENDING[nth]
    ways = product(streams(), (1, 2, 3), ([End()], []))
    for (name, events, settings), back, ends in islice(ways, nth % STEP, None, STEP):
        table = PROTOCOLS[name]
        lanes = Lanes(GUARD, table, settings)
        items = [item for event in events[:-back] for item in lanes.feed(event)]
        owner = type(table) if of is Protocol else of
        with monkeypatch.context() as patched:
            patched.setattr(owner, step, raising(owner, step))
            items += at_once(item for end in ends for item in lanes.feed(end))
            items += at_once(lanes.end())
        assert "rm" not in str([item for item in items if isinstance(item, dict)]), (name, back)
        assert not any(item.executable and item.path != "whole" for item in items if isinstance(item, ToolBlock))


@pytest.mark.promise("P9", "P2")
@pytest.mark.parametrize("name", [name for name in STREAMS if PROTOCOLS[name].framing == "events"])
@pytest.mark.parametrize("step", ["_noted", "_weigh", "close"])
def test_the_other_texts_leave_where_one_cannot_be_ended(name: str, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step raises for the first of three texts that are open, each of which may go on as a fence."""
    table = PROTOCOLS[name]
    lanes = Lanes(GUARD, table, Settings(stream_id="s"))
    spoken = STREAMS[name]
    items = [item for lane in range(spoken.lanes) for item in lanes.feed(spoken.say(lane, f"{lane}\n``"))]
    known, broken, tries = getattr(Texts, step), raising(Texts, step), Counter[str]()

    def once(self: Texts, *arguments: Any) -> Any:
        tries[step] += 1
        return broken() if tries[step] == 1 else known(self, *arguments)

    monkeypatch.setattr(Texts, step, once)
    items += at_once(lanes.end())
    said = Counter(text for item in items if isinstance(item, dict) for _, text in table.texts(item))
    assert said["``"] == spoken.lanes - 1


def sent(name: str, events: Sequence[Event]) -> list[bytes]:
    """What leaves of a body but for events of the guard."""
    table = PROTOCOLS[name]
    body = Body(GUARD, table.framing or "events", table, Settings(stream_id="s"))
    out: list[bytes] = []
    for item in (*body.push(body_of(events, name).encode()), *body.end()):
        if isinstance(item, bytes):
            out.append(item)
        elif not isinstance(item, Aside | Pending):
            body.event_bytes(item)
    body.nothing()
    return out


@pytest.mark.promise("P9")
@pytest.mark.parametrize("step", ["carry", "nothing"])
def test_an_event_of_the_guard_that_cannot_be_written_is_left_out(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, events, _ in streams():
        wanted = sent(name, events)
        owner = type(PROTOCOLS[name])
        with monkeypatch.context() as patched:
            patched.setattr(owner, step, raising(owner, step))
            assert sent(name, events) == wanted
