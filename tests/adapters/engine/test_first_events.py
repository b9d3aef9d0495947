"""What a stream of a named protocol begins with: its events, bytes by mistake, or text."""

from __future__ import annotations

import logging

import pytest
from stream_guard_adapters.engine.first_events import FirstEvents
from stream_guard_adapters.protocols import CHAT
from stream_guard_conformance.corpus.streams import chat


def test_nothing_more_is_checked_after_an_event_of_the_protocol() -> None:
    first = FirstEvents()
    assert first.check(chat(0, "Hi"), 0, CHAT)
    assert not first.check({"choices": 5}, 0, CHAT)


@pytest.mark.parametrize("event", [b"data: {}\n\n", bytearray(b"{}"), memoryview(b"{}")])
def test_bytes_in_place_of_events_are_a_mistake_of_the_caller(event: object) -> None:
    with pytest.raises(TypeError, match="expected the events of a client, got bytes"):
        FirstEvents().check(event, 0, CHAT)


def test_text_in_place_of_events_is_logged_once_unless_it_came_as_bytes(caplog: pytest.LogCaptureFixture) -> None:
    first = FirstEvents()
    with caplog.at_level(logging.WARNING, "stream_guard"):
        assert not any(first.check("Hi", size, CHAT) for size in (2, 0, 0, 2))
    (record,) = caplog.records
    assert "text where a client's events were expected" in record.getMessage()
