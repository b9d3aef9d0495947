"""Streams of many texts and calls: what an event costs does not depend on how many came before it, or are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import PROTOCOLS, Event

from stream_guard import Guard, Pending, Tool, Toolset
from stream_guard.spi import Aside
from tests.kit.counting import lines
from tests.kit.proof import Cases

TOOL = Tool("look", "", {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]})
CALL = '{"at": "x"}'
BLOCK = '```json\n{"tool": "look", "at": "x"}\n```\n'
BEGUN = '```json\n{"tool": "look", "at": "x'
WRONG = '```json\n{"tool": "look", "at": 1}\n```\n'

Parts = Callable[[int], list[Event]]
"""Returns the events of the nth text or call: its beginning, what it says, and its end."""


def texts(protocol: str, said: str) -> Parts:
    """Texts that say this."""

    def chat(i: int) -> list[Event]:
        return [_choice(i, {"content": said}), _choice(i, {}, "stop")]

    def gemini(i: int) -> list[Event]:
        parts = {"role": "model", "parts": [{"text": said}]}
        return [{"candidates": [{"index": i, "content": parts, **more}]} for more in ({}, {"finishReason": "STOP"})]

    def ollama(_: int) -> list[Event]:
        return [{"model": "m", "message": {"role": "assistant", "content": said}, "done": done} for done in (False, True)]

    def responses(i: int) -> list[Event]:
        at = {"item_id": f"i{i}", "output_index": i, "content_index": 0}
        part = {"type": "output_text", "text": said, "annotations": []}
        item = {"id": f"i{i}", "type": "message", "role": "assistant", "content": [part]}
        return [
            {"type": "response.output_item.added", "output_index": i, "item": {**item, "content": []}},
            {"type": "response.output_text.delta", **at, "delta": said},
            {"type": "response.output_text.done", **at, "text": said},
            {"type": "response.output_item.done", "output_index": i, "item": item},
        ]

    def messages(i: int) -> list[Event]:
        return [
            {"type": "content_block_start", "index": i, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": i, "delta": {"type": "text_delta", "text": said}},
            {"type": "content_block_stop", "index": i},
        ]

    def ai_sdk(i: int) -> list[Event]:
        kinds: list[dict[str, Any]] = [{"type": "text-start"}, {"type": "text-delta", "delta": said}, {"type": "text-end"}]
        return [{**event, "id": f"t{i}"} for event in kinds]

    def ag_ui(i: int) -> list[Event]:
        kinds: list[dict[str, Any]] = [
            {"type": "TEXT_MESSAGE_START", "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "delta": said},
            {"type": "TEXT_MESSAGE_END"},
        ]
        return [{**event, "messageId": f"t{i}"} for event in kinds]

    return {
        "openai-chat": chat, "gemini": gemini, "ollama": ollama, "openai-responses": responses, "anthropic": messages,
        "ai-sdk": ai_sdk, "ag-ui": ag_ui,
    }[protocol]  # fmt: skip


def calls(protocol: str, name: str | None) -> Parts:
    """Native calls of a tool; with None, such whose name does not come."""

    def chat(i: int) -> list[Event]:
        function = {"name": name, "arguments": CALL}
        return [_choice(0, {"tool_calls": [{"index": i, "id": f"c{i}", "type": "function", "function": function}]})]

    def gemini(_: int) -> list[Event]:
        part = {"functionCall": {"name": name, "args": {"at": "x"}}}
        return [{"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]}]

    def ollama(_: int) -> list[Event]:
        said = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": {"at": "x"}}}]}
        return [{"model": "m", "message": said, "done": False}]

    def responses(i: int) -> list[Event]:
        item = {"type": "function_call", "id": f"i{i}", "call_id": f"c{i}", "name": name, "arguments": CALL}
        at = {"item_id": f"i{i}", "output_index": i}
        return [
            {"type": "response.output_item.added", "output_index": i, "item": {**item, "arguments": ""}},
            {"type": "response.function_call_arguments.delta", **at, "delta": CALL},
            {"type": "response.function_call_arguments.done", **at, "arguments": CALL},
            {"type": "response.output_item.done", "output_index": i, "item": item},
        ]

    def messages(i: int) -> list[Event]:
        block: dict[str, Any] = {"type": "tool_use", "id": f"c{i}", "name": name, "input": {}}
        return [
            {"type": "content_block_start", "index": i, "content_block": block},
            {"type": "content_block_delta", "index": i, "delta": {"type": "input_json_delta", "partial_json": CALL}},
            {"type": "content_block_stop", "index": i},
        ]

    def ai_sdk(i: int) -> list[Event]:
        return [
            {"type": "tool-input-start", "toolCallId": f"c{i}", "toolName": name},
            {"type": "tool-input-delta", "toolCallId": f"c{i}", "inputTextDelta": CALL},
            {"type": "tool-input-available", "toolCallId": f"c{i}", "toolName": name, "input": {"at": "x"}},
        ]

    def ag_ui(i: int) -> list[Event]:
        return [
            {"type": "TOOL_CALL_START", "toolCallId": f"c{i}", "toolCallName": name},
            {"type": "TOOL_CALL_ARGS", "toolCallId": f"c{i}", "delta": CALL},
            {"type": "TOOL_CALL_END", "toolCallId": f"c{i}"},
        ]

    return {
        "openai-chat": chat, "gemini": gemini, "ollama": ollama, "openai-responses": responses, "anthropic": messages,
        "ai-sdk": ai_sdk, "ag-ui": ag_ui,
    }[protocol]  # fmt: skip


def _choice(index: int, delta: dict[str, Any], finish: str | None = None) -> Event:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def one_by_one(parts: Parts, count: int) -> Iterator[Event]:
    """Each ends before the next one begins."""
    for i in range(count):
        yield from parts(i)


def all_open(parts: Parts, count: int) -> Iterator[Event]:
    """Each begins before the first one ends."""
    for nth in range(len(parts(0))):
        for i in range(count):
            yield parts(i)[nth]


def work(protocol: str, events: list[Event], guard: Guard, settings: Settings) -> int:
    """How many lines the guard runs for a stream."""

    def run() -> None:
        lanes = Lanes(guard, PROTOCOLS[protocol], settings)
        for event in events:
            assert lanes.holding in (True, False)
            assert lanes.over in (True, False)
            if not lanes.try_pass(event):
                _done(lanes.feed(event))
        _done(lanes.end("stop"))

    return lines(run)


def _done(items: Iterator[Any]) -> None:
    for item in items:
        assert not isinstance(item, Pending)
        if isinstance(item, Aside):
            item.run()


WIRED = ("openai-chat", "gemini", "ollama", "openai-responses", "anthropic", "ai-sdk", "ag-ui")
SAID: dict[str, Callable[[str], Parts]] = {
    "texts": lambda protocol: texts(protocol, "Only prose.\n"),
    "blocks": lambda protocol: texts(protocol, BLOCK),
    "open blocks": lambda protocol: texts(protocol, BEGUN),
    "half lines": lambda protocol: texts(protocol, "``"),
    "wrong blocks": lambda protocol: texts(protocol, WRONG),
    "calls": lambda protocol: calls(protocol, "look"),
    "calls of others": lambda protocol: calls(protocol, "other"),
    "calls without a name": lambda protocol: calls(protocol, None),
}
SETTINGS: dict[str, tuple[Guard, Settings]] = {
    "as it is": (Guard(Toolset(TOOL)), Settings()),
    "withhold and promote": (Guard(Toolset(TOOL)), Settings(native="withhold", promote=True, blocks="text")),
    "abort": (Guard(Toolset(TOOL), early="abort"), Settings(blocks="text")),
}


def test_every_protocol_with_events_is_among_them() -> None:
    assert set(WIRED) == {name for name, table in PROTOCOLS.items() if table.framing not in (None, "text")}


@pytest.mark.some(10)
@pytest.mark.promise("P6")
@pytest.mark.parametrize("order", [one_by_one, all_open])
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("protocol", WIRED)
def test_the_work_grows_with_the_number_of_lanes(
    cases: Cases, protocol: str, said: str, settings: str, order: Callable[[Parts, int], Iterator[Event]]
) -> None:
    """Twice as many texts or calls take about twice as many steps. Counted behind the most events that may wait."""
    cases(1)
    parts = SAID[said](protocol)
    _, few, more, many = (work(protocol, list(order(parts, count)), *SETTINGS[settings]) for count in (2, 80, 120, 200))
    assert many - more <= 2.25 * (more - few), (few, more, many)
