"""The texts of provider events, each guarded by the session of its lane."""

from __future__ import annotations

from typing import Any

from stream_guard_adapters.engine.capacity import Capacity
from stream_guard_adapters.engine.event_numbers import EventNumbers
from stream_guard_adapters.engine.lane_table import LaneTable
from stream_guard_adapters.engine.repeated_texts import RepeatedTexts
from stream_guard_adapters.engine.shown import Shown
from stream_guard_adapters.engine.texts import Texts
from stream_guard_adapters.protocols import CHAT, EVERY, RESPONSES, Protocol
from stream_guard_conformance.corpus.streams import chat

from stream_guard import Guard, Limits, ToolBlock, ToolStatus
from stream_guard.spi import Aside, Spent
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.lane_events import BLOCK, GOOD

ONE, OTHER = (0,), (1,)


class Made:
    """Texts, with what they stand on."""

    def __init__(self, guard: Guard | None = None, table: Protocol = CHAT, *, shows: bool = False) -> None:
        guard = guard or Guard(FILE_TOOLS)
        self.noted: list[str] = []
        self.capacity = Capacity(guard.limits, self.noted.append)
        self.numbers = EventNumbers()
        self.lanes = LaneTable(guard, "s", Spent(), self.capacity)
        self.shown = Shown(self.capacity, shows=shows, settings=guard.settings)
        repeated = RepeatedTexts(guard, self.shown, self.capacity)
        self.texts = Texts(table, self.lanes, self.numbers, self.capacity, self.shown, repeated, None)

    def fed(self, event: Any, lane: Any, text: str, ends: Any = ()) -> list[Any]:
        return [item for item in self.texts.feed(event, lane, text, ends, 0) if not isinstance(item, Aside)]

    def said(self, text: str, index: int = 0) -> list[Any]:
        return self.fed(chat(index, text), (index,), text)

    def closed(self, lane: Any) -> list[Any]:
        return list(self.texts.close(lane, "stop"))


def texts_of(items: list[Any]) -> list[str]:
    return [text for item in items if isinstance(item, dict) for _, text in CHAT.texts(item)]


def test_an_event_of_which_nothing_is_held_leaves_as_the_object_that_came() -> None:
    made = Made()
    for text in ("Hi", " there.\n", "More"):
        event = chat(0, text)
        (left,) = made.fed(event, ONE, text)
        assert left is event
    assert made.capacity.held == 0


def test_what_is_held_leaves_with_the_text_that_shows_it_to_be_prose() -> None:
    made = Made()
    assert texts_of(made.said("a\n``")) == ["a\n"]
    assert made.capacity.held == 2
    assert texts_of(made.said("b\n", 1)) == ["b\n"]
    assert "".join(texts_of(made.said(" c"))) == "`` c"
    assert made.capacity.held == 0


def test_a_block_leaves_as_events_and_as_text_where_texts_show_blocks() -> None:
    for shows in (False, True):
        made = Made(shows=shows)
        left = [item for piece in BLOCK for item in made.said(piece)]
        (block,) = (item for item in left if isinstance(item, ToolBlock))
        assert isinstance(left[0], ToolStatus)
        assert block.executable
        assert "".join(texts_of(left)) == (BLOCK if shows else "\n")
        assert (made.shown.event is None) == (not shows)
        if shows:
            after = left[left.index(block) + 1]
            assert after is made.shown.event
            assert texts_of([after]) == [BLOCK.strip()]


def test_an_end_releases_what_its_lanes_hold_in_the_shape_of_their_events() -> None:
    made = Made()
    for index in (0, 1):
        made.said(f"{index}\n``", index)
    (first,) = made.closed(ONE)
    assert CHAT.texts(first) == [(ONE, "``")]
    assert made.closed(ONE) == []
    assert texts_of(made.closed(EVERY)) == ["``"]
    assert (made.lanes.open, made.capacity.held) == ([], 0)


def test_an_event_that_ends_its_text_releases_all_of_it() -> None:
    made = Made()
    assert "".join(texts_of(made.fed(chat(0, "a\n``"), ONE, "a\n``", [(ONE, "stop")]))) == "a\n``"
    assert (made.lanes.open, made.capacity.held) == ([], 0)


def test_a_text_that_the_model_does_not_write_passes_until_its_end() -> None:
    made = Made()
    made.lanes.leave_alone(ONE)
    event = chat(0, BLOCK)
    assert [item is event for item in made.fed(event, ONE, BLOCK)] == [True]
    made.closed(EVERY)
    assert any(isinstance(item, ToolBlock) for item in made.said(BLOCK))
    made.lanes.leave_alone(ONE)  # it has begun, and is guarded on
    assert any(isinstance(item, ToolBlock) for item in made.said(BLOCK))


def test_of_too_many_lanes_the_texts_pass_and_that_is_reported() -> None:
    made = Made(Guard(FILE_TOOLS, limits=Limits(max_lanes=1)))
    made.said("a")
    event = chat(1, BLOCK)
    assert [item is event for item in made.fed(event, OTHER, BLOCK)] == [True]
    assert made.noted == ["too many lanes"]


def test_of_an_aborted_lane_only_what_stands_beside_its_text_leaves() -> None:
    made = Made(Guard(FILE_TOOLS, early="abort"))
    wrong = GOOD.replace('"path": "a.txt"', '"path": "/etc/passwd"')
    for char in f"```json\n{wrong}":
        made.said(char)
    assert made.lanes.is_aborted(ONE)
    assert made.said("more") == []
    beside = {**chat(0, "more"), "usage": {"total_tokens": 1}}
    (left,) = made.fed(beside, ONE, "more")
    assert (texts_of([left]), left["usage"]) in (([], beside["usage"]), ([""], beside["usage"]))
    assert made.capacity.held == 0


def test_the_earliest_event_with_a_held_part_holds_the_numbers() -> None:
    made = Made(table=RESPONSES)

    def said(number: int, text: str) -> None:
        made.numbers.came(number)
        event = {"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0, "delta": text}
        made.fed(event, ("i", 0), text)

    said(1, "a\n")
    assert made.numbers.all_left
    said(2, "b\n`")
    said(3, "`")
    assert (made.numbers.all_left, made.numbers.leaving(3, None)) == (False, 1)
    said(4, "c\n`")
    assert made.numbers.leaving(4, None) == 3
    made.closed(EVERY)
    assert made.numbers.all_left


def test_what_the_scanner_leaves_unread_is_reported() -> None:
    made = Made()
    made.said('```json\n{"name": "search", "arguments": {"query": "x"}}\n```\n')
    assert made.noted == ["unknown tool"]
