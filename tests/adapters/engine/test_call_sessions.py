"""The sessions of calls, and what is known of a call by the id of its block."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from stream_guard import Pending
from tests.kit.call_parts import Parts, call_of


def test_each_call_has_a_session_and_a_name_of_its_own() -> None:
    sessions = Parts().sessions
    statuses = []
    for name in ("write_file", "delete_file"):
        call = call_of(name)
        call.hold(sessions.new())
        statuses.append(sessions.opened(call))
    assert [status.id for status in statuses] == ["s-call1-1", "s-call2-1"]
    assert [status.tool_type for status in statuses] == ["write_file", "delete_file"]


def test_the_ids_of_calls_are_known_by_their_blocks_and_their_numbers_only_if_asked_for() -> None:
    for follows, known in product((False, True), (None, "t")):
        sessions = Parts(follows=follows).sessions
        call = call_of("write_file", nth=7)
        call.sent_call.id = known
        call.hold(sessions.new())
        status = sessions.opened(call)
        assert sessions.ids == ({status.id: "t"} if known else {})
        assert sessions.begun == ({status.id: 7} if follows else {})


@pytest.mark.parametrize(("native", "asks"), [("mend", True), ("withhold", True), ("observe", False)])
async def test_nobody_is_asked_about_a_call_that_has_left(native: Any, asks: bool) -> None:
    async def approve(*_: Any) -> bool:
        return True

    sessions = Parts(native=native, approve=approve).sessions
    call = call_of("delete_file", '{"path": "b"}')
    call.hold(sessions.new())
    sessions.opened(call)
    items = list(call.session.close(call.block("closed")))
    assert any(isinstance(item, Pending) for item in items) is asks
