"""The places of calls that are not sent on: what leaves after such a place moves up, in any form in which an event may come."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest
from stream_guard_adapters.engine.gaps import Gaps
from stream_guard_adapters.protocols import CHAT, MESSAGES

PLACES = range(5)


def text(place: Any) -> dict[str, Any]:
    """An event about a place."""
    return {"type": "content_block_delta", "index": place, "delta": {"type": "text_delta", "text": "x"}}


def end(place: int) -> dict[str, Any]:
    """The end of what is at a place."""
    return {"type": "content_block_stop", "index": place}


def gaps_at(places: Any) -> Gaps:
    gaps = Gaps(MESSAGES)
    for place in places:
        gaps.add(place)
    return gaps


@pytest.mark.parametrize("empty", [empty for size in PLACES for empty in combinations(PLACES, size)])
def test_what_leaves_has_its_place_in_the_sent_message_in_whatever_form_it_comes(empty: tuple[int, ...]) -> None:
    """The events of the other places get numbers without a gap; an event of an empty place is left out."""
    sent = {place: nth for nth, place in enumerate(place for place in PLACES if place not in empty)}
    gaps = gaps_at(empty)
    for place in PLACES:
        wanted = [text(sent[place])] if place in sent else []
        assert [*gaps.placed_unread(text(place))] == wanted
        raw = gaps.placed_text(json.dumps(text(place)).encode())
        assert ([json.loads(raw)] if raw is not None else []) == wanted
        if place in sent:
            assert gaps.moved(text(place)) == gaps.placed(text(place)) == text(sent[place])
        else:
            assert gaps.placed(end(place)) is None


def test_nothing_changes_while_no_place_is_empty() -> None:
    gaps, event = gaps_at(()), text(3)
    raw = json.dumps(event).encode()
    assert not gaps
    assert gaps.moved(event) is gaps.placed(event) is event
    assert gaps.placed_unread(event) == (event,)
    assert gaps.placed_text(raw) is raw


def test_a_place_that_has_left_keeps_its_number_and_so_do_those_behind_it() -> None:
    gaps = gaps_at(())
    assert gaps.placed(text(2)) == text(2)
    gaps.add(1)
    assert gaps.placed(text(3)) == text(3)
    assert gaps.placed(end(1)) is None  # its end leaves no more than it did


@pytest.mark.parametrize("odd", [None, True, 1.0, "1", {}, [1]])
def test_an_event_without_a_place_passes(odd: Any) -> None:
    gaps = gaps_at((0,))
    event = text(odd)
    assert gaps.placed_unread(event) == (event,)
    raw = json.dumps(event).encode()
    assert gaps.placed_text(raw) == raw
    assert gaps.placed_unread(odd) == (odd,)


def test_a_protocol_without_places_has_no_gaps_to_close() -> None:
    gaps = Gaps(CHAT)
    gaps.add(0)
    event = {"index": 1}
    assert gaps.moved(event) is event
    assert gaps.placed_unread(event) == (event,)
