"""To which call a piece belongs: to the one that a client would join it to."""

from __future__ import annotations

from typing import Any

import pytest
from stream_guard_adapters.protocols import CHAT, MESSAGES, OLDER, RESPONSES
from stream_guard_adapters.protocols.base import LATEST

from tests.kit.call_parts import Parts, piece


def test_pieces_with_one_key_are_of_one_call() -> None:
    table = Parts(CHAT).table
    call = table.call_of(piece(name="write_file", id="t"), None)
    assert call is not None
    call.spell("write_file", joins=True)
    assert table.continued_by(piece("{")) is call
    assert table.call_of(piece("{", id="t"), None) is call
    assert table.call_of(piece("{", key=(0, 1)), None) is not call
    assert (len(table.all()), table.latest((0, 0)), table.latest((0, 2))) == (2, call, None)


def test_another_id_under_the_same_key_is_another_call() -> None:
    table = Parts(CHAT).table
    one = table.call_of(piece(id="t"), None)
    other = table.call_of(piece(id="u"), None)
    assert one is not other
    assert table.going((0, 0)) == [one, other]
    assert table.latest((0, 0)) is other


def test_a_piece_that_begins_a_call_leaves_the_one_before_it_without_an_end() -> None:
    table = Parts(CHAT).table
    one = table.call_of(piece(name="write_file", begins=True), None)
    assert one is not None
    one.spell("write_file", joins=True)
    other = table.call_of(piece(name="write_file", begins=True), None)
    assert other is not None
    assert one is not other
    assert (one.arguments.twice, other.arguments.twice) == (True, True)  # the pieces that follow may be of either


def test_calls_of_different_items_may_share_a_key() -> None:
    table = Parts(RESPONSES).table
    one, other = (table.call_of(piece(key=(0,), item=item, begins=True, name="x"), None) for item in ("i", "j"))
    assert one is not None
    assert other is not None
    for call, item in ((one, "i"), (other, "j")):
        call.spell("x", joins=False)
        assert table.continued_by(piece(key=(0,), item=item)) is call
    assert table.continued_by(piece(key=(0,), item="k")) is None


@pytest.mark.parametrize(("said", "id", "name", "goes_on"), [
    ((0, LATEST), None, None, True),  # it names no call: of the one that began last
    ((0, 1), "t", None, True),  # another number, and the same id
    ((0, 1), "u", None, False),
    ((0, 1), None, None, False),
    ((0, LATEST), None, "delete_file", False),  # another name begins a call
    ((0, OLDER), None, None, False),  # no client joins what stands in two members
    ((1, LATEST), None, None, False),  # another choice
])  # fmt: skip
def test_a_piece_without_its_key_is_of_the_call_that_began_last(said: Any, id: Any, name: Any, goes_on: bool) -> None:
    table = Parts(CHAT).table
    call = table.call_of(piece(name="write_file", id="t"), None)
    assert call is not None
    call.spell("write_file", joins=True)
    keyed = table.keyed(piece("{", key=said, id=id, name=name))
    assert keyed.call == (call.key if goes_on else said)


def test_where_clients_do_not_join_names_a_piece_keeps_its_key() -> None:
    table = Parts(MESSAGES).table
    table.call_of(piece(key=(0,), name="write_file", id="t"), None)
    assert table.keyed(piece(key=(1,), id="t")).call == (1,)


def test_a_piece_replaces_another_where_the_call_with_its_id_is_open() -> None:
    table = Parts(CHAT).table
    table.call_of(piece(key=("b",), id="t"), None)
    again = piece(key=("b",), id="t")
    assert table.keyed(piece(key=("a",), id="t", again=again)) is again
    other = piece(key=("a",), id="u", again=piece(key=("b",), id="u"))
    assert table.keyed(other) is other


def test_a_piece_of_a_judged_call_is_late_unless_it_begins_another() -> None:
    table = Parts(CHAT).table
    call = table.call_of(piece(id="t"), None)
    assert call is not None
    assert table.close(call)
    table.note_judged(call)
    assert not table.close(call)  # it is closed
    assert table.is_judged((0, 0))
    again = table.call_of(piece("{", id="t"), None)
    assert again is not None
    assert table.is_late(again, piece("{", id="t"))
    assert table.is_late(again, piece("{"))  # without a name it begins nothing
    assert not table.is_late(again, piece("{", id="t", opens=True))
    assert not table.is_late(again, piece("{", id="t"))  # it has begun now


def test_no_late_piece_counts_under_the_number_of_a_promoted_call() -> None:
    table = Parts(CHAT).table
    table.reserve((0, 3))
    call = table.call_of(piece("{", key=(0, 3)), None)
    assert call is not None
    assert table.is_late(call, piece("{", key=(0, 3)))


def test_a_call_whose_end_has_come_is_open_and_goes_on_no_more() -> None:
    table = Parts(CHAT).table
    call = table.call_of(piece(id="t"), None)
    assert call is not None
    assert not table.has_ended(piece("{", id="t"))
    table.note_end(call)
    assert (table.going((0, 0)), table.all(), table.of((0,))) == ([], [call], [call])
    assert table.has_ended(piece("{", id="t"))
    assert not table.has_ended(piece("{", id="t", opens=True))
    assert table.continued_by(piece("{")) is None


def test_the_call_that_began_last_is_known_whichever_is_read_last() -> None:
    table = Parts(CHAT).table
    later = table.call_of(piece(key=(0, 1)), 7)
    table.call_of(piece(key=(0, 0)), 3)  # it had to wait
    assert table.last((0,)) is later
    assert table.last((1,)) is None


def test_of_too_many_calls_none_is_begun() -> None:
    parts = Parts(CHAT, max_lanes=2)
    assert [parts.table.call_of(piece(key=(0, nth)), None) is None for nth in range(4)] == [False, False, True, True]
    assert parts.noted == ["too many lanes", "too many lanes"]
