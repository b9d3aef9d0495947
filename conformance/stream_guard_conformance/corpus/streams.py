"""A stream of every protocol, in its own words: what the tests of `protocols` and of `engine` hold each table against.

Every name in `PROTOCOLS` needs a row here; `tests/adapters/protocols/test_protocols.py` fails without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

Event = Any


@dataclass(frozen=True)
class Spoken:
    """How a protocol sends a text, and how a text and a stream end."""

    say: Callable[[int, str], Event]
    """An event with a text, in the lane with this number."""

    stop: Callable[[int], Event] | None
    """The event that ends a lane; None if only the stream ends."""

    last: Sequence[Event] = ()
    """The events that end a stream."""

    lanes: int = 3
    """How many lanes a stream may have."""

    def stream(self, pieces: Sequence[str], lane: int = 0) -> list[Event]:
        """Return a whole stream of one text, in these pieces."""
        stop = [self.stop(lane)] if self.stop is not None else []
        return [*(self.say(lane, piece) for piece in pieces), *stop, *self.last]


def chat(index: int, text: str, **more: Any) -> Event:
    """Return a chunk of a chat completion with a text in this choice."""
    return {"id": "c", "choices": [{"index": index, "delta": {"content": text, **more}, "finish_reason": None}]}


def finish(index: int, reason: str = "stop") -> Event:
    """Return the chunk that ends this choice."""
    return {"id": "c", "choices": [{"index": index, "delta": {}, "finish_reason": reason}]}


def part(index: int, text: str) -> Event:
    """Return an event of a response with a text in this part."""
    at = {"item_id": "m", "output_index": 0, "content_index": index}
    return {"type": "response.output_text.delta", **at, "delta": text, "logprobs": []}


def section(index: int, text: str) -> Event:
    """Return a chunk of a UI message stream with a text in this section."""
    return {"type": "text-delta", "id": f"t{index}", "delta": text}


def run(index: int, kind: str, **data: Any) -> Event:
    """Return an event of this run of LangChain."""
    return {"event": kind, "run_id": f"r{index}", "data": data}


STREAMS: Final[dict[str, Spoken]] = {
    "openai-chat": Spoken(chat, finish),
    "openai-responses": Spoken(
        part,
        lambda index: {**part(index, ""), "type": "response.output_text.done", "text": ""},
        [{"type": "response.completed", "response": {"output": []}}],
    ),
    "anthropic": Spoken(
        lambda index, text: {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}},
        lambda index: {"type": "content_block_stop", "index": index},
        [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}],
    ),
    "ai-sdk": Spoken(
        section, lambda index: {"type": "text-end", "id": f"t{index}"}, [{"type": "finish", "finishReason": "stop"}]
    ),
    "ag-ui": Spoken(
        lambda index, text: {"type": "TEXT_MESSAGE_CONTENT", "messageId": f"m{index}", "delta": text},
        lambda index: {"type": "TEXT_MESSAGE_END", "messageId": f"m{index}"},
        [{"type": "RUN_FINISHED"}],
    ),
    "gemini": Spoken(
        lambda index, text: {"candidates": [{"index": index, "content": {"parts": [{"text": text}], "role": "model"}}]},
        lambda index: {"candidates": [{"index": index, "content": {"parts": [], "role": "model"}, "finishReason": "STOP"}]},
    ),
    "ollama": Spoken(
        lambda _, text: {"model": "m", "message": {"role": "assistant", "content": text}, "done": False},
        None,
        [{"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}],
        lanes=1,
    ),
    "text": Spoken(lambda _, text: text, None, lanes=1),
    "langchain": Spoken(
        lambda index, text: run(index, "on_chat_model_stream", chunk={"type": "AIMessageChunk", "content": text}),
        lambda index: run(index, "on_chat_model_end", output={"response_metadata": {"finish_reason": "stop"}}),
    ),
    "langchain-v3": Spoken(
        lambda index, text: {
            "event": "content-block-delta", "index": index, "delta": {"type": "text-delta", "text": text},
        },
        lambda index: {"event": "content-block-finish", "index": index, "content": {"type": "text", "text": ""}},
        [{"event": "message-finish", "reason": "stop"}],
    ),
    "pydantic-ai": Spoken(
        lambda index, text: {
            "event_kind": "part_delta", "index": index, "delta": {"part_delta_kind": "text", "content_delta": text},
        },
        lambda index: {"event_kind": "part_end", "index": index, "part": {"part_kind": "text", "content": ""}},
        [{"event_kind": "agent_run_result", "result": {"response": {"finish_reason": "stop"}}}],
    ),
}  # fmt: skip
