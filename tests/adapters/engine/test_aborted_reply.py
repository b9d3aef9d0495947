"""The end of a reply in which something was aborted: what has begun is ended, what has ended is not ended again."""

from __future__ import annotations

from typing import Any

from stream_guard_adapters.engine.aborted_reply import AbortedReply
from stream_guard_adapters.protocols import CHAT, EVERY, PROTOCOLS
from stream_guard_conformance.corpus.streams import chat, finish

PARTS = PROTOCOLS["ai-sdk"]


def without_calls(_: Any) -> bool:
    return False


def test_only_choices_that_no_event_has_ended_are_ended() -> None:
    reply = AbortedReply()
    reply.left(chat(0, "Hi"), CHAT)
    reply.left(finish(1), CHAT)
    assert reply.unended({(0,), (1,), (2,)}, CHAT, without_calls) == {(0,): False, (2,): False}
    assert reply.unended({(0,), (2,)}, CHAT, lambda choice: choice == (2,)) == {(0,): False, (2,): True}


def test_nothing_is_ended_behind_the_end_of_a_message() -> None:
    reply = AbortedReply()
    end = {"type": "finish", "finishReason": "stop"}
    assert [lane for lane, why in PARTS.ends(end) if why] == [EVERY]
    reply.left(end, PARTS)
    assert reply.unended({("t0",)}, PARTS, without_calls) == {}


def test_the_reply_ends_in_the_shape_of_its_last_event_with_content() -> None:
    reply = AbortedReply()
    assert list(reply.closing({(0,): False}, CHAT)) == []
    reply.like = chat(0, "Hi")
    (end,) = reply.closing({(0,): False}, CHAT)
    assert (end["id"], end["choices"][0]["finish_reason"]) == ("c", "length")
    (end,) = reply.closing({(0,): True}, CHAT)
    assert end["choices"][0]["finish_reason"] == "tool_calls"


def test_what_has_begun_and_not_ended_is_ended() -> None:
    reply = AbortedReply()
    reply.like = {"type": "text-delta", "id": "t1", "delta": "Hi"}
    for event in ({"type": "text-start", "id": "t0"}, {"type": "text-end", "id": "t0"}, {"type": "text-start", "id": "t1"}):
        reply.left(event, PARTS)
    ends = [event for event in reply.closing({(): False}, PARTS) if event["type"] == "text-end"]
    assert ends == [{"type": "text-end", "id": "t1"}]
