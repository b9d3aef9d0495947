"""The settings of a stream: one object, one check, one text, at every door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine.settings import CallSettings, Settings, StreamSettings
from stream_guard_adapters.events import guard_any, guard_events
from stream_guard_adapters.openai import guard_chat, guard_responses

from stream_guard import Guard
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)

DOORS: dict[str, Callable[..., Any]] = {
    "guard_chat": lambda **settings: guard_chat(FakeStream([]), GUARD, **settings),
    "guard_responses": lambda **settings: guard_responses(FakeStream([]), GUARD, **settings),
    "guard_messages": lambda **settings: guard_messages(FakeStream([]), GUARD, **settings),
    "guard_events": lambda **settings: guard_events(FakeStream([]), GUARD, "openai-chat", **settings),
    "guard_any": lambda **settings: guard_any(FakeStream([]), GUARD, **settings),
    "middleware": lambda **settings: StreamGuardMiddleware(None, guard=GUARD, **settings),  # type: ignore[arg-type]
}


def test_the_keywords_are_the_settings() -> None:
    names = {field.name for field in fields(Settings)}
    assert names == {*StreamSettings.__annotations__, "emit", "keep_alive", "request_tools", "promotable"}
    assert CallSettings.__annotations__.keys() < StreamSettings.__annotations__.keys()


@pytest.mark.parametrize("door", DOORS)
async def test_a_wrong_value_is_refused_in_the_same_words_at_every_door(door: str) -> None:
    with pytest.raises(ValueError, match=r"^native must be 'mend', 'withhold', 'observe' or 'off'; not 'loud'$"):
        made = DOORS[door](native="loud")
        await made  # a door that reads the stream's beginning is awaited
    with pytest.raises(TypeError, match="nothing_of_the_kind"):
        made = DOORS[door](nothing_of_the_kind=1)
        await made


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"native": "loud"}, "native must be 'mend', 'withhold', 'observe' or 'off'; not 'loud'"),
        ({"emit": "loud"}, "emit must be 'auto', 'named' or 'none'; not 'loud'"),
        ({"keep_alive": 0}, "keep_alive must be a positive number of seconds, or None for never; not 0"),
    ],
)
def test_a_wrong_value_is_named_with_those_that_are_right(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as refused:  # the whole text is compared
        Settings(**settings)
    assert str(refused.value) == said


def test_a_hook_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def fails(_: str) -> None:
        raise RuntimeError("secret")

    Settings(on_uninspected=fails).note("status")
    assert "secret" not in caplog.text
