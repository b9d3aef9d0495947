"""The numbers of a stream's events: whoever reads on behind one has lost nothing, whatever is left out, held or added."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
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


def drawn(chance: Random, *, lines: bool = False) -> list[Any]:
    """A response with text and calls, whose events are numbered from 0, some of them with a gap.

    With `lines` it has an event for each line, and no fence that is not the guard's.
    """
    parts = ["Hi\n", BLOCK, "\n", *([] if lines else ['```json\n{"a": 1}\n```\n', "``", "and so on. "])]
    text = "".join(chance.choice(parts) for _ in range(6))
    calls = [
        chance.choice([DELETE, WEATHER, ("write_file", GOOD), ("write_file", GOOD[:-3])]) for _ in range(chance.randrange(3))
    ]
    cut = text.splitlines(keepends=True) if lines else next(iter(random_splits(text, chance.randrange(1000))))
    events = as_responses(cut, calls)
    step = chance.choice([1, 1, 2])
    return [{**event, "sequence_number": number * step} for number, event in enumerate(events)]


def sent_for_each(events: list[Any], settings: Settings, *, keep_alive: bool = False) -> Iterator[list[Any]]:
    """The events that leave a body with each event that it is given, and at its end, as a client reads them."""
    body = Body(GUARD, "events", None, settings)

    def read(raw: bytes) -> list[Any]:
        return [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: ")]

    for event in events:
        chunk = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
        if body.try_pass(chunk):
            yield read(chunk)
            continue
        raw = b"".join(item if isinstance(item, bytes) else body.event_bytes(item) for item in body.push(chunk))
        yield read(raw + (body.nothing() if keep_alive and not body.all_left else b""))
    yield read(b"".join(item if isinstance(item, bytes) else body.event_bytes(item) for item in body.end()))


def sent(events: list[Any], settings: Settings, *, keep_alive: bool = False) -> list[Any]:
    """The events that leave a body, as a client reads them."""
    return [event for left in sent_for_each(events, settings, keep_alive=keep_alive) for event in left]


def never_fall(numbers: list[int]) -> bool:
    return all(one <= other for one, other in pairwise(numbers))


def text_of(events: list[Any]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")


def calls_of(events: list[Any]) -> dict[str, str]:
    """The arguments of each native call, as a client has them that joins their pieces."""
    pieces: dict[str, str] = {}
    for event in events:
        if event["type"] == "response.function_call_arguments.delta":
            pieces[event["item_id"]] = pieces.get(event["item_id"], "") + event["delta"]
    return pieces


def blocks_of(events: list[Any], *, native: bool = False) -> list[str]:
    """The blocks that are told: those in the text, or those of the native calls."""
    told = [event["stream_guard"] for event in events if "stream_guard" in event]
    blocks = [one["data"] for one in told if one["event"] == "json-tool-block"]
    return [block["content"] for block in blocks if ("-call" in block["id"]) == native]


def resumed(
    events: list[Any], settings: Settings, firsts: Iterable[list[Any]]
) -> Iterator[tuple[list[Any], list[Any], list[Any]]]:
    """What a client gets that reads on behind these events (`starting_after`): they, what is sent then, and what leaves."""
    for first in firsts:
        rest = [event for event in events if event["sequence_number"] > first[-1]["sequence_number"]]
        yield first, rest, sent(rest, settings)


@pytest.mark.some
@pytest.mark.parametrize("keep_alive", [False, True])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_numbers_of_the_events_that_leave_never_fall(settings: Settings, keep_alive: bool, cases: Cases) -> None:
    for seed in some(range(150), 20):
        cases(1)
        events = drawn(Random(seed))
        left = sent(events, settings, keep_alive=keep_alive)
        numbers = [event["sequence_number"] for event in left]
        assert never_fall(numbers), (seed, numbers)
        assert numbers[-1] == events[-1]["sequence_number"]


@pytest.mark.some
def test_who_reads_on_behind_any_event_has_all_of_the_text_and_the_calls(cases: Cases) -> None:
    """What it gets again is a part of one event of the provider."""
    settings = Settings(blocks="text")
    for seed in some(range(60), 10):
        events = drawn(Random(seed))
        whole = sent(events, settings)
        text = text_of(whole)
        for first, rest, more in resumed(events, settings, (whole[:stop] for stop in range(1, len(whole)))):
            cases(1)
            had, got = text_of(first), text_of(more)
            where = (seed, first[-1], rest[:1], got[:40])
            assert text.startswith(had), where
            assert text.endswith(got), where
            assert 0 <= len(had) + len(got) - len(text) <= len(text_of(rest[:1])), where
            assert calls_of([*first, *more]) == calls_of(whole), where


@pytest.mark.some
@pytest.mark.parametrize("settings", [Settings(), Settings(emit="named"), Settings(native="withhold")], ids=str)
def test_who_reads_on_between_two_lines_has_each_block_once(settings: Settings, cases: Cases) -> None:
    """What is told of a native call is told again where the call has not left."""
    for seed in some(range(60), 4):
        events = drawn(Random(seed), lines=True)
        *parts, whole = accumulate(sent_for_each(events, settings))
        for first, rest, more in resumed(events, settings, filter(None, parts)):
            cases(1)
            where = (seed, first[-1], rest[:1])
            assert blocks_of([*first, *more]) == blocks_of(whole), where
            assert {*blocks_of([*first, *more], native=True)} == {*blocks_of(whole, native=True)}, where
            assert text_of([*first, *more]) == text_of(whole), where
            assert calls_of([*first, *more]) == calls_of(whole), where


def test_the_numbers_of_objects_never_fall(cases: Cases) -> None:
    for seed in range(60):
        cases(1)
        made = [RESPONSES.as_object(event) for event in drawn(Random(seed))]
        lanes = Lanes(GUARD, RESPONSES, Settings(promote=True))
        items = [item for event in made for item in ([event] if lanes.try_pass(event) else lanes.feed(event))]
        items += lanes.end()
        numbers = [item.sequence_number for item in items if not isinstance(item, ToolStatus | ToolBlock)]
        assert never_fall(numbers), (seed, numbers)


def test_an_event_keeps_its_number_while_nothing_is_held() -> None:
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
    numbers.came(4)
    numbers.hold("a")
    assert (numbers.fits, numbers.leaving(4, None)) == (False, 3)
    numbers.came(6)
    numbers.hold("a")
    numbers.hold("b")
    assert [numbers.leaving(6, None), numbers.added(0)] == [3, 3]
    numbers.move("a", 6)
    assert [numbers.leaving(6, 5), numbers.leaving(6, None)] == [4, 5]
    numbers.let_go("b")
    numbers.came(9)
    with numbers.of("a"):
        numbers.hold("c")
        assert numbers.leaving(6, None) == 5
    assert numbers.leaving(9, None) == 5
    numbers.let_go("c")
    assert (numbers.fits, numbers.leaving(9, None), numbers.added(0)) == (True, 9, 9)
    numbers.hold("d")
    numbers.came(9)
    assert (numbers.fits, numbers.leaving(9, None), numbers.added(0)) == (True, 9, 0)


@pytest.mark.some
def test_who_reconnects_behind_the_last_id_has_all_of_the_text(cases: Cases) -> None:
    """The ids of server-sent events say the same, where events have any: here two choices have, and one may be held."""
    for seed in some(range(60), 10):
        chance = Random(seed)
        chunks = [
            f"id: {number}\ndata: {json.dumps({'choices': [{'index': chance.randrange(2), 'delta': {'content': piece}}]})}\n\n"
            for number, piece in enumerate(next(iter(random_splits("Hi `x`\n" + BLOCK + "``\nand so on `", seed))))
        ]
        whole = frames(chunks)
        for stop in range(1, len(whole) + 1):
            cases(1)
            had = whole[:stop]
            last = max((int(found) for found in re.findall(r"(?m)^id: (\d+)$", "\n".join(had))), default=-1)
            for choice in (0, 1):
                text, first, more = (said(part, choice) for part in (whole, had, frames(chunks[last + 1 :])))
                assert text.startswith(first), (seed, stop)
                assert text.endswith(more), (seed, stop)
                assert len(first) + len(more) >= len(text), (seed, stop, last)


def frames(chunks: list[str]) -> list[str]:
    """The events that leave a body of these."""
    body = Body(GUARD, "events", None, Settings(blocks="text", emit="none"))
    raw = b""
    for chunk in map(str.encode, chunks):
        raw += chunk if body.try_pass(chunk) else b"".join(item for item in body.push(chunk) if isinstance(item, bytes))
    raw += b"".join(item for item in body.end() if isinstance(item, bytes))
    return raw.decode().split("\n\n")[:-1]


def said(left: list[str], choice: int) -> str:
    read = [json.loads(line[6:])["choices"][0] for frame in left for line in frame.splitlines() if line.startswith("data: ")]
    return "".join(one["delta"].get("content") or "" for one in read if one["index"] == choice)
