"""The lanes of a stream that have begun: which are open, hold something or were aborted, and whose block a block is."""

from __future__ import annotations

from typing import Any

from stream_guard_adapters.engine.capacity import Capacity
from stream_guard_adapters.engine.lane_table import LaneState, LaneTable

from stream_guard import Guard, Limits, ToolStatus
from stream_guard.spi import SHORT, Spent
from stream_guard.tools.files import FILE_TOOLS

ONE, OTHER = (0,), (1,)
OPENING = '```json\n{"tool": "delete_file", '


def table_of(**limits: int) -> tuple[LaneTable, list[str]]:
    noted: list[str] = []
    guard = Guard(FILE_TOOLS, limits=Limits(**limits))
    return LaneTable(guard, "s", Spent(), Capacity(guard.limits, noted.append)), noted


def taken(table: LaneTable, lane: Any, text: str, event: Any = "event", size: int = 0) -> tuple[LaneState, list[Any]]:
    """The state of a lane after a text, and what its session makes of the text."""
    state = table.taking(lane, event, size, lambda lane: False)
    assert state is not None
    return state, list(state.session.events(state.session.scan_long(text)))


def test_a_lane_is_open_from_its_first_text_to_its_end() -> None:
    table, _ = table_of()
    assert (table.open, table.is_open(ONE)) == ([], False)
    first, _ = taken(table, ONE, "Hi")
    assert taken(table, ONE, " there")[0] is first
    taken(table, OTHER, "And")
    assert (table.open, table.is_open(ONE)) == ([ONE, OTHER], True)
    state = table.close(ONE)
    assert state is first
    state.end("stop")
    assert (table.open, table.is_open(ONE), table.close(ONE)) == ([OTHER], False, None)
    state.leaving = True  # what it held leaves before its end
    assert table.is_open(ONE)
    again, _ = taken(table, ONE, "Again")
    assert again is not first
    assert (table.open, table.is_open(ONE)) == ([OTHER, ONE], True)


def test_a_block_belongs_to_the_lane_whose_session_made_it() -> None:
    table, _ = table_of()
    for lane in (ONE, OTHER, ("call", 0)):
        _, made = taken(table, lane, OPENING, event := {"of": lane})
        (block,) = {item.id for item in made if isinstance(item, ToolStatus)}
        assert table.lane_of(block) == (lane, event)
    assert table.lane_of("s-2-1") is None
    state = table.close(ONE)
    assert state is not None
    state.end("stop")
    _, made = taken(table, ONE, OPENING, "later")
    assert {table.lane_of(item.id) for item in made if isinstance(item, ToolStatus)} == {(ONE, "later")}


def test_it_knows_whether_a_block_or_a_text_is_held() -> None:
    table, _ = table_of()
    assert (table.holds_block, table.holds_text) == (False, False)
    taken(table, ONE, "Hi\n``")
    assert (table.holds_block, table.holds_text, table.holds_block_of(ONE)) == (False, True, False)
    taken(table, OTHER, OPENING)
    assert (table.holds_block, table.holds_block_of(OTHER), table.holds_block_of((2,))) == (True, True, False)
    taken(table, OTHER, '"path": "a"}\n```\n')
    assert not table.holds_block
    taken(table, ONE, "x\n")
    assert not table.holds_text


def test_the_last_lane_is_one_that_is_open_and_of_these_one_that_holds_a_block() -> None:
    table, _ = table_of()
    assert table.last() is None
    taken(table, ONE, "Hi", "first")
    assert table.last() == (ONE, "first", True)
    taken(table, OTHER, OPENING, "second")
    assert table.last() == (OTHER, "second", True)
    state = table.close(OTHER)
    assert state is not None
    state.end("stop")
    assert table.last() == (ONE, "first", True)


def test_an_aborted_lane_does_not_go_on_and_nor_does_one_beside_an_aborted_call() -> None:
    table, _ = table_of()
    assert not table.any_goes_on(())
    for lane in (ONE, OTHER):
        taken(table, lane, "Hi")
    assert table.any_goes_on(())
    table.abort(ONE)
    assert (table.is_aborted(ONE), table.is_aborted(OTHER), table.aborted_choices) == (True, False, {ONE})
    assert table.any_goes_on(())
    assert not table.any_goes_on({OTHER})


def test_there_are_no_more_lanes_than_the_limit_allows() -> None:
    table, noted = table_of(max_lanes=1)
    taken(table, ONE, "Hi")
    assert table.taking(OTHER, "event", 0, lambda lane: False) is None
    assert (noted, table.open) == (["too many lanes"], [ONE])


def test_a_long_event_counts_while_its_lane_may_need_it() -> None:
    table, _ = table_of()
    state, _ = taken(table, ONE, "Hi\n``", size=SHORT + 1)
    assert (state.growth(), state.holds) == (SHORT + 3, True)
    assert state.growth() == 0
    state.keep("short")
    assert state.growth() == -SHORT - 1
    state.keep("long", SHORT + 1)
    state.growth()
    state.end("stop")
    assert (state.growth(), state.like, state.holds) == (-SHORT - 3, None, False)
