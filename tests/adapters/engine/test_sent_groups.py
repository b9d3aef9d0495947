"""The choices of which calls leave: a message whose calls were left out does not claim them."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from stream_guard_adapters.engine.capacity import Capacity
from stream_guard_adapters.engine.sent_groups import SentGroups
from stream_guard_adapters.protocols import CHAT

from stream_guard import Limits
from tests.kit.call_parts import chunk

ONE, OTHER = (0,), (1,)


def groups_of(most: int = 10) -> tuple[SentGroups, list[str]]:
    noted: list[str] = []
    return SentGroups(CHAT, Capacity(Limits(), noted.append), most), noted


def reason(groups: SentGroups, why: str) -> str:
    ended: Any = groups.without(chunk(reason=why))
    said: str = ended["choices"][0]["finish_reason"]
    return said


def test_an_end_leaves_as_it_came_while_no_call_is_left_out() -> None:
    groups, _ = groups_of()
    end = chunk(reason="tool_calls")
    assert groups.without(end) is end
    groups.note_sent(ONE)
    assert groups.without(end) is end


@pytest.mark.parametrize(("why", "said"), [("stop", "stop"), ("length", "length")])
def test_a_message_without_its_calls_does_not_claim_them(why: Any, said: str) -> None:
    groups, _ = groups_of()
    groups.note_left_out(ONE, why)
    assert (groups.has_sent(ONE), reason(groups, "tool_calls")) == (False, said)


def test_a_message_that_has_a_call_keeps_its_reason_whatever_else_is_left_out() -> None:
    ways: list[tuple[Any, ...]] = [*permutations(("sent", "stop", "length"))]
    for steps in ways:
        groups, _ = groups_of()
        for step in steps:
            if step == "sent":
                groups.note_sent(ONE)
            else:
                groups.note_left_out(ONE, step)
        assert (groups.has_sent(ONE), reason(groups, "tool_calls")) == (True, "tool_calls"), steps


def test_a_message_of_which_one_call_was_cut_off_was_cut_off() -> None:
    for first, second in (("stop", "length"), ("length", "stop")):
        groups, _ = groups_of()
        groups.note_left_out(ONE, first)  # type: ignore[arg-type]
        groups.note_left_out(ONE, second)  # type: ignore[arg-type]
        assert reason(groups, "tool_calls") == "length"


def test_the_choices_know_nothing_of_each_other() -> None:
    groups, _ = groups_of()
    groups.note_sent(OTHER)
    groups.note_left_out(ONE, "stop")
    assert [groups.has_sent(group) for group in (ONE, OTHER)] == [False, True]
    assert reason(groups, "tool_calls") == "stop"


def test_calls_that_no_piece_tells_of_are_counted_once_each() -> None:
    groups, noted = groups_of(most=2)
    for known in "aabcd":
        groups.note_unread(chunk({"index": 0, "id": known, "type": "custom", "custom": {"name": "x", "input": "y"}}))
    assert noted == ["unknown tool", "unknown tool"]
    assert groups.has_sent(ONE)
