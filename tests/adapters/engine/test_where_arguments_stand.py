"""Responses: the arguments of a call stand in up to five places; in each they may be missing, empty, an object, or others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from stream_guard_adapters.events import guard_events

from stream_guard import Guard, Tool, ToolBlock
from stream_guard.testing import FakeStream, collect
from tests.kit.breadth import some
from tests.kit.proof import Cases

Event = dict[str, Any]

GUARD: Final = Guard([
    Tool("clean", "Clean.", {"type": "object", "properties": {"glob": {"type": "string"}}}),
    Tool("wipe", "Wipe.", {"type": "object", "properties": {"glob": {"type": "string"}}, "required": ["glob"]}),
])  # fmt: skip

SAID: Final[dict[str, Any]] = {
    "absent": None,
    "empty": "",
    "blank": " \n",
    "text": '{"glob": "*.tmp"}',
    "object": {"glob": "*.tmp"},
    "other": '{"glob": "*"}',
    "nothing": "{}",
}
"""What may stand at each place."""

PLACES: Final = ("added", "deltas", "written", "item", "completed")
GIVEN: Final = {"glob": "*.tmp"}


def event(kind: str, number: int, **members: Any) -> Event:
    return {"type": f"response.{kind}", "sequence_number": number, **members}


def item(name: str, arguments: Any, status: str) -> Event:
    said = {} if arguments is None else {"arguments": arguments}
    return {"id": "f", "type": "function_call", "status": status, "call_id": "c", "name": name, **said}


def response(status: str, output: Sequence[Event]) -> Event:
    return {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": status, "output": [*output]}


def stream(name: str, places: dict[str, str]) -> list[Event]:
    """A call whose arguments stand at these places; a place that is absent has no event of its own."""
    said = {place: SAID[places[place]] for place in PLACES}
    at: Event = {"item_id": "f", "output_index": 0}
    events = [event("created", 0, response=response("in_progress", []))]
    begun = item(name, said["added"], "in_progress")
    events.append(event("output_item.added", 1, output_index=0, item=begun))
    deltas = said["deltas"]
    pieces = [deltas[:7], deltas[7:]] if isinstance(deltas, str) and len(deltas) > 7 else [deltas]
    for piece in pieces if deltas is not None else ():
        events.append(event("function_call_arguments.delta", 2, **at, delta=piece))
    if said["written"] is not None:
        events.append(event("function_call_arguments.done", 3, **at, arguments=said["written"]))
    if said["item"] is not None:
        events.append(event("output_item.done", 4, output_index=0, item=item(name, said["item"], "completed")))
    output = [] if said["completed"] is None else [item(name, said["completed"], "completed")]
    events.append(event("completed", 5, response=response("completed", output)))
    return [one | {"sequence_number": nth} for nth, one in enumerate(events)]


def value(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    return json.loads(arguments) if arguments.strip() else None


def told(events: Sequence[Event]) -> dict[str, Any]:
    """What each place has, joined, in the events that leave."""
    found: dict[str, Any] = {}
    for one in events:
        kind = one["type"].removeprefix("response.")
        if kind == "output_item.added":
            found["added"] = one["item"].get("arguments")
        elif kind == "function_call_arguments.delta":
            found["deltas"] = found.get("deltas", "") + one["delta"]
        elif kind == "function_call_arguments.done":
            found["written"] = one["arguments"]
        elif kind == "output_item.done":
            found["item"] = one["item"].get("arguments")
        elif kind in ("completed", "incomplete"):
            for call in one["response"]["output"]:
                found["completed"] = call.get("arguments")
    return found


def meant(places: dict[str, str]) -> Iterator[Any]:
    """The different arguments that a reader may take: where a call begins, nothing yet is no arguments."""
    seen: list[Any] = []
    for place, kind in places.items():
        said = value(SAID[kind])
        if said is not None and not (place == "added" and said == {}) and said not in seen:
            seen.append(said)
            yield said


def all_places() -> list[dict[str, str]]:
    return [dict(zip(PLACES, kinds, strict=True)) for kinds in product(SAID, repeat=len(PLACES))]


@pytest.mark.some
@pytest.mark.parametrize("name", ["clean", "wipe"])
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.promise("P7")
async def test_what_leaves_is_what_a_reader_of_the_bare_stream_takes(cases: Cases, name: str, native: Any) -> None:
    """Wherever arguments stand: the same at every place, once; and nothing of a call with two different ones."""
    every = all_places()
    for places in some(Random(name + native).sample(every, 2_000), 200):
        cases(1)
        bare = stream(name, places)
        items = await collect(guard_events(FakeStream(bare), GUARD, "openai-responses", native=native))
        events = [one for one in items if isinstance(one, dict)]
        blocks = [one for one in items if isinstance(one, ToolBlock)]
        numbers = [one["sequence_number"] for one in events]
        assert numbers == sorted({*numbers}), places
        left, wanted = told(events), [*meant(places)]
        if len(wanted) > 1:
            assert not left, places
            assert [block.executable for block in blocks] == [False], places
            assert events[-1]["type"] == "response.incomplete"
        elif wanted and (wanted[0] or name == "clean"):
            assert [block.executable for block in blocks] == [True], places
            assert [value(said) for said in left.values() if value(said) is not None], places
            assert all(value(said) in (None, wanted[0]) for said in left.values()), (places, left)
            for place, kind in places.items():
                if value(SAID[kind]) and place != "added":
                    assert value(left[place]) == wanted[0], (places, left)
        else:
            assert all(value(said) in (None, {}) for said in left.values()), (places, left)


@pytest.mark.parametrize("early", [5, True, ["a"], {"glob": "*"}, {"glob": "*.tmp"}])
@pytest.mark.parametrize("native", ["mend", "withhold"])
@pytest.mark.promise("P7", "P9")
async def test_a_value_before_its_call_begins_passes_and_the_call_does_not(native: Any, early: Any) -> None:
    """Its client may have taken the value for the call's arguments."""
    bare = stream("wipe", dict.fromkeys(PLACES, "text"))
    odd = event("function_call_arguments.delta", 0, item_id="f", output_index=0, delta=early)
    counted: list[str] = []
    given = guard_events(FakeStream([odd, *bare]), GUARD, "openai-responses", native=native, on_uninspected=counted.append)
    items = await collect(given)
    assert items[0] == odd
    assert counted == ["odd event"]
    assert [one.executable for one in items if isinstance(one, ToolBlock)] == [False]
    assert not told([one for one in items[1:] if isinstance(one, dict)])
