"""The ends of calls: a call that is not whole is never sent on, and nothing of one that ended is held."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from stream_guard_adapters.engine.native_call import NativeCall, Phase

from stream_guard import Pending
from tests.kit.call_parts import Parts, blocks_of, chunk, events_of, first
from tests.kit.native_calls import GOOD


def held(parts: Parts, arguments: str, *, index: int = 0) -> NativeCall:
    """A call that is held with these arguments."""
    parts.take(chunk(first("write_file", arguments, index=index, id=f"t{index}")))
    return parts.table.all()[-1]


@pytest.mark.parametrize("cause", ["stop", "unknown", "length", "error", "disconnect"])
@pytest.mark.parametrize("cut", [1, 5, len(GOOD) - 1, len(GOOD)])
def test_only_a_whole_call_of_a_message_that_did_not_fail_is_sent_on(cause: Any, cut: int) -> None:
    parts = Parts()
    items = parts.close(held(parts, GOOD[:cut]), cause)
    (block,) = blocks_of(items)
    sent = cut == len(GOOD) and cause in ("stop", "unknown")
    assert (block.executable, bool(events_of(items))) == (sent, sent)
    assert (parts.capacity.held, parts.event_numbers.all_left) == (0, True)


@pytest.mark.parametrize(("more", "cut", "sent"), [(False, 0, False), (True, 0, True), (True, 1, False)])
def test_of_a_message_at_its_token_limit_the_last_call_was_cut_off(more: bool, cut: int, sent: bool) -> None:
    parts = Parts()
    items = parts.close(held(parts, GOOD[: len(GOOD) - cut]), "length", more=more)
    assert bool(events_of(items)) is sent


def test_a_call_before_another_one_is_whole_if_its_json_is() -> None:
    parts = Parts()
    calls = [held(parts, GOOD), held(parts, GOOD, index=1)]
    assert [bool(events_of(parts.close(call, "length"))) for call in calls] == [True, False]


def test_a_call_whose_arguments_came_twice_is_not_sent_on() -> None:
    parts = Parts()
    call = held(parts, GOOD)
    call.arguments.contradict()
    assert events_of(parts.close(call, "stop")) == []


def test_a_call_that_ends_early_ends_once_and_keeps_nothing() -> None:
    for cause, whole in product(("oversize", "aborted"), (GOOD, GOOD[:9])):
        parts = Parts()
        call = held(parts, whole)
        end = parts.closing.overflow(call) if cause == "oversize" else parts.closing.abort(call)
        items = list(end)
        assert [(block.end_cause, block.executable) for block in blocks_of(items)] == [(cause, False)]
        assert (events_of(items), call.phase, [*parts.held.calls]) == ([], Phase.OVER, [])
        assert (parts.capacity.held, parts.event_numbers.all_left) == (0, True)
        assert parts.closing.aborted == ({(0,)} if cause == "aborted" else set())
        assert parts.close(call, "stop") == []


def test_a_call_on_which_the_guard_fails_is_not_sent_on() -> None:
    parts = Parts()
    call = held(parts, GOOD)
    items = list(parts.closing.fail(call, ValueError()))
    assert [block.executable for block in blocks_of(items)] == [False]
    assert (events_of(items), call.phase, call.sent_call.sent, parts.capacity.held) == ([], Phase.OVER, None, 0)


def test_a_call_that_cannot_be_judged_fails_and_the_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = Parts()
    one, other = held(parts, GOOD), held(parts, GOOD, index=1)

    def fails(*_: Any) -> Any:
        raise LookupError

    with monkeypatch.context() as patched:
        patched.setattr(type(one.session), "close", fails)
        items = parts.close(one, "stop")
    assert [block.executable for block in blocks_of(items)] == [False]
    assert (events_of(items), parts.noted, parts.closing.failed) == ([], ["guard error"], False)
    assert [block.executable for block in blocks_of(parts.close(other, "stop"))] == [True]


def test_once_the_guard_has_failed_nothing_that_waits_leaves() -> None:
    for failed in (False, True):
        parts = Parts()
        held(parts, GOOD)
        parts.numbers.renumber((0, 0))
        parts.take(chunk(first("weather", "{}", index=1, id="u")))
        call = parts.table.all()[-1]
        assert call.phase is Phase.WAITS
        parts.closing.failed = failed
        assert bool(parts.close(call, "stop")) is not failed


def test_a_call_that_was_judged_does_not_go_on() -> None:
    parts = Parts()
    call = held(parts, GOOD)
    assert not parts.table.is_judged((0, 0))
    parts.close(call, "stop")
    assert parts.table.is_judged((0, 0))


def test_a_call_that_waits_for_an_answer_leaves_only_behind_it() -> None:
    async def approve(*_: Any) -> bool:
        return True

    parts = Parts(approve=approve)
    parts.take(chunk(first("delete_file", '{"path": "b"}')))
    (call,) = parts.table.all()
    items = parts.close(call, "stop")
    (pending,) = [item for item in items if isinstance(item, Pending)]
    assert [item for item in items if isinstance(item, dict)] == []
    assert not parts.groups.has_sent((0,))
    assert pending.follow is not None
    assert list(pending.follow(pending.give_up(LookupError()))) == []
    assert call.sent_call.sent is None  # nobody has approved it
