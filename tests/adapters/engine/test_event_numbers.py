"""The numbers of a stream's events: each is higher than the one before it, whatever is left out, held or added."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.event_numbers import EventNumbers
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import RESPONSES
from stream_guard_conformance.corpus.native import as_responses

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.lane_events import BLOCK
from tests.kit.native_calls import DELETE, GOOD, WEATHER
from tests.kit.proof import Cases

GUARD = Guard(FILE_TOOLS)
SETTINGS = (Settings(), Settings(blocks="text"), Settings(blocks="both", promote=True), Settings(emit="named"))


def drawn(chance: Random) -> list[Any]:
    """A response with text and calls, whose events are numbered from 0, some of them with a gap."""
    text = "".join(chance.choice(["Hi\n", BLOCK, '```json\n{"a": 1}\n```\n', "``", "\n", "and so on. "]) for _ in range(6))
    calls = [
        chance.choice([DELETE, WEATHER, ("write_file", GOOD), ("write_file", GOOD[:-3])]) for _ in range(chance.randrange(3))
    ]
    events = as_responses(next(iter(random_splits(text, chance.randrange(1000)))), calls)
    step = chance.choice([1, 1, 2])
    return [{**event, "sequence_number": number * step} for number, event in enumerate(events)]


def sent(events: list[Any], settings: Settings, *, keep_alive: bool = False) -> list[Any]:
    """The events that leave a body, as a client reads them."""
    body = Body(GUARD, "events", None, settings)
    raw = b""
    for event in events:
        chunk = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
        if body.try_pass(chunk):
            raw += chunk
            continue
        for item in body.push(chunk):
            raw += item if isinstance(item, bytes) else body.event_bytes(item)
        if keep_alive and body.holding:
            raw += body.nothing()
    for item in body.end():
        raw += item if isinstance(item, bytes) else body.event_bytes(item)
    return [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: ")]


def rises(numbers: list[int]) -> bool:
    return all(one < other for one, other in pairwise(numbers))


@pytest.mark.some
@pytest.mark.parametrize("keep_alive", [False, True])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_numbers_of_the_events_that_leave_rise(settings: Settings, keep_alive: bool, cases: Cases) -> None:
    for seed in some(range(150), 40):
        cases(1)
        events = drawn(Random(seed))
        numbers = [event["sequence_number"] for event in sent(events, settings, keep_alive=keep_alive)]
        assert rises(numbers), (seed, numbers)


def test_the_numbers_of_objects_rise(cases: Cases) -> None:
    for seed in range(60):
        cases(1)
        made = [RESPONSES.as_object(event) for event in drawn(Random(seed))]
        lanes = Lanes(GUARD, RESPONSES, Settings(promote=True))
        items = [item for event in made for item in ([event] if lanes.try_pass(event) else lanes.feed(event))]
        items += lanes.end()
        numbers = [item.sequence_number for item in items if not isinstance(item, ToolStatus | ToolBlock)]
        assert rises(numbers), (seed, numbers)


def test_an_event_keeps_its_number_where_that_is_higher_than_the_last() -> None:
    """So what passes is what came; and where nothing was added, nothing is changed."""
    for seed in range(20):
        events = as_responses(["Plain. ", *(f"Text {n}. " for n in range(20))], [WEATHER] * (seed % 3))
        assert sent(events, Settings()) == events


def test_numbers_that_do_not_rise_are_left_alone() -> None:
    """As of servers that do not count; those of the guard's own events are any."""
    for constant in (0, 7):
        events = [{**event, "sequence_number": constant} for event in as_responses(["Hi\n", BLOCK, "Bye"])]
        left = [event["sequence_number"] for event in sent(events, Settings(blocks="text"))]
        assert set(left[2:]) == {constant}


def test_numbers() -> None:
    numbers = EventNumbers()
    numbers.passed(3)
    assert numbers.following(3) == 4
    assert not numbers.fits(4)
    numbers.came(4)
    assert [numbers.following(4), numbers.following(9), numbers.following(5)] == [5, 9, 10]
    numbers.came(4)
    assert numbers.following(4) == 4
