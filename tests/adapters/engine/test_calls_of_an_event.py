"""An event with many native calls: each is charged its own part of it, and other tasks run between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.protocols import PROTOCOLS

from stream_guard import Guard, Limits, Tool, ToolBlock
from stream_guard.spi import Aside
from tests.kit.counting import lines

Event = dict[str, Any]

TOOL: Final = Tool("look", "", {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]})
AT: Final = {"at": "x" * 100}


def chat(many: int, **more: Any) -> list[Event]:
    calls = [
        {"index": n, "id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": json.dumps(AT)}}
        for n in range(many)
    ]
    calls[0] |= more
    events: list[Event] = [
        {"delta": {"tool_calls": calls}, "finish_reason": None},
        {"delta": {}, "finish_reason": "tool_calls"},
    ]
    return [{"object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]} for choice in events]


def choices(many: int, **more: Any) -> list[Event]:
    """Of so many choices, each with calls."""
    event, ended = chat(4, **more)
    return [
        {**one, "choices": [{**choice, "index": n} for n in range(many) for choice in one["choices"]]} for one in (event, ended)
    ]


def gemini(many: int, **more: Any) -> list[Event]:
    parts: list[Event] = [{"functionCall": {"id": f"c{n}", "name": "look", "args": AT}} for n in range(many)]
    parts[0] |= more
    return [{"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}]


def ollama(many: int, **more: Any) -> list[Event]:
    calls: list[Event] = [{"function": {"name": "look", "arguments": AT}} for _ in range(many)]
    calls[0] |= more
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    return [
        {"model": "m", "message": message, "done": False},
        {"model": "m", "message": {}, "done": True, "done_reason": "stop"},
    ]


MADE: Final[dict[str, tuple[str, Callable[..., list[Event]]]]] = {
    "chat": ("openai-chat", chat), "chat, choices": ("openai-chat", choices), "gemini": ("gemini", gemini),
    "ollama": ("ollama", ollama),
}  # fmt: skip


def written(name: str, event: Event) -> bytes:
    text = json.dumps(event).encode()
    return text + b"\n" if PROTOCOLS[name].framing == "lines" else b"data: " + text + b"\n\n"


def blocks(name: str, events: list[Event], limits: Limits) -> list[ToolBlock]:
    table = PROTOCOLS[name]
    body = Body(Guard([TOOL], limits=limits), table.framing or "events", table)
    items = [item for event in events for item in body.push(written(name, event))]
    return [item for item in [*items, *body.end()] if isinstance(item, ToolBlock)]


@pytest.mark.parametrize("kind", MADE)
def test_each_call_is_charged_its_own_part_of_the_event(kind: str) -> None:
    name, make = MADE[kind]
    events = make(100)
    found = blocks(name, events, Limits(max_held=4 * len(json.dumps(events))))
    assert len(found) >= 100
    assert all(block.executable for block in found)


@pytest.mark.parametrize("more", [90_000, 110_000])
def test_what_stands_beside_a_call_is_charged_to_it(more: int) -> None:
    """However many other calls the event has: what is kept of it is bounded."""
    found = blocks("openai-chat", chat(10, signature="x" * more), Limits(max_held=100_000))
    assert any(block.end_cause == "oversize" for block in found) is (more > 100_000)


def test_other_tasks_run_between_the_calls_of_an_event() -> None:
    """No step takes more than a part of the work."""
    steps: list[int] = []
    body = Body(Guard([TOOL]), "events", PROTOCOLS["openai-chat"])
    items: Iterator[Any] = body.push(written("openai-chat", choices(128)[0]))
    left = True

    def step() -> None:
        nonlocal left
        item = next(items, None)
        left = item is not None
        if isinstance(item, Aside):
            item.run()

    while left:
        steps.append(lines(step))
    assert max(steps) < sum(steps) / 3
