"""What begins a choice or a content block leaves before anything in it, and before the choices behind it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from random import Random
from typing import Any, Final

import pytest
from openai import LengthFinishReasonError
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletionChunk
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import CHAT, MESSAGES, Protocol
from stream_guard_conformance.corpus.native import body_of

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.native_calls import GOOD
from tests.kit.proof import Cases

Event = dict[str, Any]

GUARD: Final = Guard(FILE_TOOLS)
BLOCK: Final = '```json\n{"tool": "delete_file", "path": "b"}\n```\n'


def chunk(*deltas: Event | None, reason: str | None = None) -> Event:
    choices = [{"index": nth, "delta": delta, "finish_reason": reason} for nth, delta in enumerate(deltas) if delta is not None]
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}


def call(arguments: str) -> Event:
    return {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "write_file", "arguments": arguments}}]}


BEGINNINGS: Final[dict[str, Event]] = {
    "text": {"content": "x"},
    "ticks": {"content": "``"},
    "block": {"content": BLOCK},
    "fence": {"content": "```json\n"},
    "call": call(GOOD),
    "cut": call(GOOD[:9]),
    "other": {"tool_calls": [{"index": 0, "id": "o", "function": {"name": "weather", "arguments": "{}"}}]},
    "nothing": {},
}


def guarded(events: Sequence[Event], protocol: Protocol, **settings: Any) -> list[Event]:
    """What leaves of a body, the guard's events among it, as clients of the protocol get it."""
    body = Body(GUARD, "events", protocol, Settings(stream_id="s", **settings))
    out = b""
    for item in (*body.push(body_of(events, protocol.name).encode()), *body.end()):
        if isinstance(item, bytes):
            out += item
        elif isinstance(item, ToolStatus | ToolBlock):
            out += body.event_bytes(item)
    lines = [line.removeprefix("data: ") for line in out.decode().splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


def read(events: Sequence[Event]) -> Any:
    """What OpenAI's helper makes of a stream. It raises for a choice that comes before one with a lower index."""
    state: Any = ChatCompletionStreamState()
    for event in events:
        with suppress(LengthFinishReasonError):
            state.handle_chunk(ChatCompletionChunk.model_validate(event))
    return state.current_completion_snapshot


SETTINGS: Final[tuple[dict[str, Any], ...]] = (
    {"blocks": "text"},
    {"blocks": "both"},
    {"blocks": "events"},
    {"blocks": "text", "promote": True},
    {"blocks": "text", "native": "withhold"},
)


@pytest.mark.some
@pytest.mark.parametrize("settings", SETTINGS)
async def test_choices_keep_their_order(cases: Cases, settings: dict[str, Any]) -> None:
    """However much of the first is held, with and without a role: OpenAI's helper reads what leaves as the bare stream."""
    kinds = [*product(BEGINNINGS, BEGINNINGS, ("none", "text", "fence"), (0, 1), (0, 1))]
    for first, second, third, role, together in some(Random(str(settings)).sample(kinds, 150), 40):
        cases(1)
        deltas = [BEGINNINGS[name] for name in (first, second, third) if name in BEGINNINGS]
        deltas = [{"role": "assistant", **delta} if role else delta for delta in deltas]
        alone = [chunk(*[None] * nth, delta) for nth, delta in enumerate(deltas)]
        ended = [chunk(*[None] * nth, {}, reason="stop") for nth in range(len(deltas))]
        bare = [chunk(*deltas), chunk(*[{"content": "y"}] * len(deltas)), *ended] if together else [*alone, *ended]
        events = guarded(bare, CHAT, **settings)
        made, wanted = read(events), read(bare)
        assert [one.index for one in made.choices] == [one.index for one in wanted.choices]
        begun = list(dict.fromkeys(choice["index"] for event in events for choice in event["choices"]))
        assert begun == sorted(begun)
        if settings == {"blocks": "text"}:
            assert [one.message.content or "" for one in made.choices] == [one.message.content or "" for one in wanted.choices]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("text", [BLOCK, BLOCK[:12], "x " + BLOCK, "``", "x"])
async def test_nothing_of_a_content_block_leaves_before_its_start(settings: dict[str, Any], text: str) -> None:
    """Though its start has a text, of which the guard has something to say."""
    at = {"index": 0}
    for more in ("", "y", '{"tool": "delete_file", "path": "b"}\n```\n'):
        used = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": used}
        bare: list[Event] = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", **at, "content_block": {"type": "text", "text": text}},
            {"type": "content_block_delta", **at, "delta": {"type": "text_delta", "text": more}},
            {"type": "content_block_stop", **at},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]  # fmt: skip
        events = guarded(bare, MESSAGES, **settings)
        about = [event["type"] for event in events if event.get("index") == 0]
        assert about[0] == "content_block_start"
        assert about.count("content_block_start") == about.count("content_block_stop") == 1
        said = [event["content_block"].get("text") or "" for event in events if event["type"] == "content_block_start"]
        said += [event["delta"].get("text") or "" for event in events if event["type"] == "content_block_delta"]
        assert settings["blocks"] == "events" or "promote" in settings or "".join(said) == text + more
