"""Events that leave with their numbers: which number each has, and what is known of it meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stream_guard_adapters.engine.event_numbers import EventNumbers
from stream_guard_adapters.engine.numbered_events import NumberedEvents
from stream_guard_adapters.protocols import CHAT, RESPONSES

from stream_guard.spi import Aside


def event(number: Any) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "sequence_number": number, "delta": "a"}


def leave(item: Any, made: str) -> Iterator[tuple[Any, str]]:
    yield item, made


def left(items: Iterator[Any], numbers: EventNumbers, *, reads: bool = True) -> list[Any]:
    events = NumberedEvents(RESPONSES, numbers)
    found = events.numbered(items, lambda item: f"made of {item}", leave, reads=reads)
    return [item["sequence_number"] if isinstance(item, dict) else item for item, _ in found]


def test_only_events_with_a_whole_number_have_one() -> None:
    events = NumberedEvents(RESPONSES, EventNumbers())
    assert [events.number_of(event(number)) for number in (3, "3", 1.5, True, None)] == [3, None, None, None, None]
    assert NumberedEvents(CHAT, EventNumbers()).number_of(event(3)) is None


def test_of_an_event_that_leaves_in_parts_only_the_last_has_its_number() -> None:
    numbers = EventNumbers()
    numbers.came(4)
    assert left(iter([event(4), event(4), event(4)]), numbers) == [3, 3, 4]
    assert numbers.all_left


def test_an_event_that_keeps_its_number_is_the_object_that_came() -> None:
    numbers = EventNumbers()
    numbers.came(4)
    came = event(4)
    ((item, made),) = NumberedEvents(RESPONSES, numbers).numbered(iter([came]), lambda item: "made", leave, reads=True)
    assert (item is came, made) == (True, "made")


def test_an_item_waits_for_the_next_one_and_is_known_as_when_it_was_made() -> None:
    numbers = EventNumbers()
    numbers.came(4)
    steps: list[str] = []

    def items() -> Iterator[Any]:
        for name in "ab":
            steps.append(f"{name} is made")
            yield name

    def leaves(item: Any, made: int) -> Iterator[Any]:
        steps.append(f"{item} leaves")
        yield item, made

    events = NumberedEvents(RESPONSES, numbers)
    found = list(events.numbered(items(), lambda item: len(steps), leaves, reads=True))
    assert steps == ["a is made", "b is made", "a leaves", "b leaves"]
    assert found == [("a", 1), ("b", 3)]


def test_work_does_not_wait_for_the_next_item() -> None:
    numbers = EventNumbers()
    numbers.came(4)
    work: Aside[int] = Aside(lambda: 1)
    made: list[Any] = []

    def items() -> Iterator[Any]:
        for item in (work, event(4)):
            made.append(item)
            yield item

    found = NumberedEvents(RESPONSES, numbers).numbered(items(), lambda item: "", leave, reads=True)
    assert next(found)[0] is work
    assert made == [work]
    assert [item["sequence_number"] for item, _ in found] == [4]


def test_where_events_have_no_numbers_every_item_passes_at_once() -> None:
    found = NumberedEvents(CHAT, EventNumbers()).numbered(iter(["a", "b"]), lambda item: "", leave, reads=True)
    assert list(found) == ["a", "b"]


def test_an_event_of_the_guard_has_the_number_of_what_left_before_it() -> None:
    numbers = EventNumbers()
    events = NumberedEvents(RESPONSES, numbers)
    numbers.passed(7)
    assert events.added(event(0)) == event(7)
    unnumbered = {"type": "response.created"}
    assert events.added(unnumbered) is unnumbered
