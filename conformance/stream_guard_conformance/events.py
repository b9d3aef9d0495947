"""Streams of events as no provider should send them: eight protocols, spoilt from a seed, followed by text that must arrive.

    for stream in hostile(200, seed=1, protocols=("openai-chat",)):
        text = my_client(stream.chunks)     # raises nothing
        assert stream.later in text         # what comes after the odd events arrives

An event is spoilt in two ways. A value is replaced, is missing, or has another one beside it. Or a serializer wrote it oddly:
a key twice, a number beyond all floats, cut off, nested a hundred thousand deep. `served` answers the requests of a client
with such a stream, and `rows` has them as rows of the corpus, for `stream-guard conform --events 600`.

Rule: a stream has no event after which a reader may stop (`ends`). So a reader that has not read the last event has lost text.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from .corpus.rows import Row
from .corpus.streams import STREAMS

NESTED: Final = "\x00nested\x00"
"""Stands for a value that is nested deeper than any parser of objects goes."""

ODD: Final[tuple[Any, ...]] = (
    None, True, 0, -1, 7, 1.5, float("nan"), float("inf"), 10**30, "", "a", "0", "\ud800", "x" * 5_000, NESTED,
    [], [None], [[]], [{}], {}, {"a": None}, {"stream_guard": 1}, [1, "a", {}], {"index": "0"}, {"text": 5},
    "json-tool-block", "data-json-tool-status", "a\nevent: json-tool-block\ndata: {}\n\n",
    {"type": "text", "text": "```json\n"}, "```json\n", "delete_file", '{"path": "a"}',
    {"name": "delete_file", "arguments": {"path": "a"}}, [{"index": {}, "id": []}], "stop", "tool_calls", "\u2028",
)  # fmt: skip
"""Values that stand where something else should."""

BLOCK: Final = '```json\n{"tool": "delete_file", "path": "a"}\n```\n'
LATER: Final = "What was said later."


def _others(protocol: str) -> list[Any]:
    """Return events of a protocol with calls, ends and repetitions."""
    call = {"index": 0, "id": "t", "type": "function", "function": {"name": "delete_file", "arguments": '{"path": "a"}'}}
    item = {"type": "function_call", "id": "f", "call_id": "t", "name": "delete_file", "arguments": '{"path": "a"}'}
    said = {"type": "message", "id": "i", "content": [{"type": "output_text", "text": BLOCK}]}
    block = {"type": "tool_use", "id": "t", "name": "delete_file", "input": {}}
    found: dict[str, list[Any]] = {
        "openai-chat": [
            {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]},
            {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": " "}}]}}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"total_tokens": 1}},
            {"choices": [{"index": 0, "delta": {"content": BLOCK}}, {"index": 1, "delta": {"content": "b"}}]},
            {"error": {"message": "x"}},
        ],
        "openai-responses": [
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, "arguments": ""}},
            {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"path": "a"}'},
            {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": '{"path": "a"}'},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": BLOCK},
            {"type": "response.content_part.done", "part": {"text": BLOCK}},
            {"type": "response.output_item.done", "output_index": 1, "item": said},
            {"type": "response.completed", "response": {"output": [item, said]}},
            {"type": "response.incomplete", "response": {"output": [], "incomplete_details": {"reason": "max_output_tokens"}}},
        ],
        "anthropic": [
            {"type": "message_start", "message": {"content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"path": "a"}'}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
            {"type": "message_stop", "message": {"content": [block, {"type": "text", "text": BLOCK}]}},
        ],
        "ai-sdk": [{"type": "text-start", "id": "t0"}, {"type": "text-end", "id": "t0"}, {"type": "finish"}],
        "ag-ui": [
            {"type": "TEXT_MESSAGE_END", "messageId": "m0"},
            {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "content": BLOCK}]},
            {"type": "CUSTOM", "name": "json-tool-block", "value": {}},
            {"type": "RUN_FINISHED"},
        ],
        "gemini": [{"candidates": [{"content": {"parts": [{"text": BLOCK}]}, "finishReason": "STOP"}], "usageMetadata": {}}],
        "ollama": [{"message": {"content": BLOCK, "tool_calls": []}, "done": True, "done_reason": "stop"}],
        "text": [BLOCK],
    }  # fmt: skip
    return found[protocol]


class Drawn:
    """Choices made by bytes, one byte after the other; always the first option once the bytes have run out."""

    def __init__(self, data: bytes) -> None:
        self._data = iter(data)

    def below(self, count: int) -> int:
        """Return a number below this one."""
        return next(self._data, 0) % count

    def one(self, of: Sequence[Any]) -> Any:
        """Return one of these."""
        return of[self.below(len(of))]


def _spoilt(event: Any, chosen: Drawn) -> Any:
    """Return an event in which something else stands somewhere."""
    whole: dict[str, Any] = {"": json.loads(json.dumps(event))}
    node: Any = whole
    at: Any = ""
    for _ in range(chosen.below(8)):
        inner = node[at]
        if not inner or not isinstance(inner, dict | list):
            break
        node, at = inner, chosen.one(list(inner) if isinstance(inner, dict) else range(len(inner)))
    act = chosen.below(4)
    if act == 0 and isinstance(node[at], dict):
        node[at][chosen.one(("stream_guard", "type", "name", "index", "id", "delta", "x"))] = chosen.one(ODD)
    elif act == 1 and isinstance(node, dict) and node is not whole:
        del node[at]
    else:
        node[at] = chosen.one(ODD)
    return whole[""]


def _written(event: Any, chosen: Drawn) -> str:
    """Return an event as JSON, by whatever serializer."""
    text = json.dumps(event).replace(json.dumps(NESTED), "[" * 100_000 + "]" * 100_000)
    odd = chosen.below(8)
    if odd == 1 and text.startswith("{"):
        text = text[:-1] + ', "type": "json-tool-block", "choices": 5}'  # keys that stand there twice
    elif odd == 2:
        text = text.replace("Infinity", "1e999").replace("stream_guard", "stream\\u005fguard")
    elif odd == 3:
        text = text[: chosen.below(256)]
    elif odd == 4:
        text = text.replace("0", "9" * 5_000)
    return text


@dataclass(frozen=True, slots=True)
class Hostile:
    """A stream with odd events, followed by a text."""

    protocol: str
    events: tuple[Any, ...]
    """The odd events before they were written. `NESTED` in one stands for a value that is nested too deep to be read."""

    last: tuple[Any, ...]
    """The events after them, in order: those that begin a text, if the protocol has any, and one with `later`."""

    chunks: tuple[bytes, ...]
    """The bytes of the stream, which ends with `last`."""

    later: str = LATER
    """A text that a reader of the stream must hear."""

    choice: int = 0
    """The choice that has `later` and the odd events."""


FRAMED: Final = {
    **dict.fromkeys(("openai-chat", "openai-responses", "anthropic", "ai-sdk", "ag-ui", "gemini"), ("data: ", "\n\n")),
    "ollama": ("", "\n"),
    "text": ("", ""),
}
"""The protocols, each with what stands before and after an event."""

CONTENT_TYPES: Final[Mapping[tuple[str, str], str]] = {
    ("data: ", "\n\n"): "text/event-stream",
    ("", "\n"): "application/x-ndjson",
    ("", ""): "text/plain",
}
"""The content type of a response with events of each framing."""

PROTOCOLS: Final = tuple(FRAMED)

CHOICES: Final = {"openai-chat": "choices", "gemini": "candidates"}
"""The protocols that have choices, and the member of an event that lists them."""

CHOICES_LISTED: Final = 8
"""A row lists the texts of so many choices: odd events may say anything in the others."""

CLOSING: Final = "\n```\n\n"
"""What closes a fence that an odd event has opened in the text that holds `later`."""

BEGINS: Final[Mapping[str, Sequence[Any]]] = {
    "openai-responses": (
        {
            "type": "response.content_part.added",
            "item_id": "m",
            "output_index": 0,
            "content_index": 9,
            "part": {"type": "output_text", "text": "", "annotations": []},
        },
    ),
    "anthropic": ({"type": "content_block_start", "index": 9, "content_block": {"type": "text", "text": ""}},),
    "ai-sdk": ({"type": "text-start", "id": "t9"},),
    "ag-ui": ({"type": "TEXT_MESSAGE_START", "messageId": "m9", "role": "assistant"},),
}
"""The protocols in which `later` has a text of its own, and what begins it. In the others it follows the text of odd events."""


def _in_choice(event: Any, choice: int, protocol: str) -> Any:
    """Return an event, of whatever shape, in which what stands in the first choice stands in this one."""
    name = CHOICES.get(protocol, "")
    held = event.get(name) if isinstance(event, dict) else None
    if not choice or not isinstance(held, list):
        return event
    first = [isinstance(one, dict) and one.get("index") == 0 and not isinstance(one["index"], bool) for one in held]
    return {**event, name: [{**one, "index": choice} if own else one for one, own in zip(held, first, strict=True)]}


def drawn(chosen: Drawn, protocol: str, *, ending: bool = False, choice: int = 0) -> Hostile:
    """Return the stream that these choices make; if `ending`, with events that end the stream among the odd ones."""
    came: list[Any] = []
    for _ in range(chosen.below(12) + 1):
        kind = chosen.below(4)
        event = chosen.one(_others(protocol)) if kind else STREAMS[protocol].say(0, chosen.one(("a", BLOCK, "```json\n{")))
        odd = _spoilt(event, chosen) if kind > 1 else event
        if ending or not ends(odd):
            came.append(_in_choice(odd, choice, protocol))
    say = STREAMS[protocol].say
    last = (*BEGINS[protocol], say(9, LATER)) if protocol in BEGINS else (say(choice, CLOSING + LATER),)
    before, after = FRAMED[protocol]
    sent = b""
    for number, event in enumerate((*came, *last)):
        text = _written(event, chosen if number < len(came) else Drawn(b"")) if after else str(event)
        sent += f"{before}{text}{after}".encode("utf-8", "replace")
    size = chosen.one((7_000, 50_000, 10**7))
    chunks = tuple(sent[at : at + size] for at in range(0, len(sent), size))
    return Hostile(protocol, tuple(came), last, chunks, choice=choice)


def hostile(count: int, seed: int = 1, protocols: Sequence[str] = PROTOCOLS) -> Iterator[Hostile]:
    """Yield streams, of each of the protocols in turn. The same seed draws the same streams on every machine.

    Where a protocol has choices, every second stream has its odd events in the second one.
    """
    unknown = set(protocols) - set(PROTOCOLS)
    if unknown or not protocols:
        raise ValueError(
            f"there are no events of {', '.join(sorted(unknown)) or 'no protocol'}; name some of {', '.join(PROTOCOLS)}"
        )
    for number in range(count):
        protocol = protocols[number % len(protocols)]
        chance = Random(f"{seed} {protocol} {number // len(protocols)}")
        choice = number // len(protocols) % 2 if protocol in CHOICES else 0
        yield drawn(Drawn(chance.randbytes(chance.randrange(3, 80))), protocol, choice=choice)


@contextlib.asynccontextmanager
async def served(stream: Hostile) -> AsyncGenerator[str]:
    """Yield the URL of a server on loopback that answers every request with a stream, while it runs."""
    kind = CONTENT_TYPES[FRAMED[stream.protocol]]
    answering: set[asyncio.Task[Any]] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        answering.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?im)^content-length: *(\d+)", head)
                await reader.readexactly(int(length[1]) if length is not None else 0)
                writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n".encode())
                for chunk in stream.chunks:
                    writer.write(chunk)
                    await writer.drain()
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    for task in answering:
        task.cancel()
    await asyncio.gather(*answering, return_exceptions=True)


def ends(event: Any) -> bool:
    """Return whether a reader may stop at an event: it ends the stream, or is an error."""
    if not isinstance(event, dict):
        return False
    kind = event.get("type")
    return event.get("error") is not None or bool(event.get("done")) or (isinstance(kind, str) and kind in ENDS)


ENDS: Final = frozenset({
    "response.completed", "response.incomplete", "message_stop", "error", "finish", "RUN_FINISHED",
})  # fmt: skip
"""The types of events that end a stream."""

KIND: Final = "odd-events"
"""How the classes of the rows begin."""

TOOL: Final = {
    "name": "list_notes",
    "description": "List all notes.",
    "input_schema": {"type": "object", "properties": {}, "additionalProperties": False},
    "annotations": {"destructiveHint": False},
}
"""The only tool that the model was given. No event calls it, so that no call may run."""


def _texts(stream: Hostile) -> list[list[str | None]] | None:
    """Return what a row states of the texts of a stream; None where an event has a choice beyond those that a row lists."""
    name = CHOICES.get(stream.protocol, "")
    lists = [event.get(name) for event in stream.events if isinstance(event, dict)]
    choices = [one.get("index") for held in lists if isinstance(held, list) for one in held if isinstance(one, dict)]
    if any(isinstance(choice, int | float) and choice >= CHOICES_LISTED for choice in choices):
        return None
    return [[None, stream.later, None] if choice == stream.choice else [None] for choice in range(CHOICES_LISTED)]


def rows(count: int, seed: int = 1, only: tuple[str, ...] = ()) -> Iterator[Row]:
    """Yield streams as rows of the corpus, or those whose ids begin with one of `only`. No call of a stream may run."""
    for number, stream in enumerate(hostile(count, seed)):
        kind = f"{KIND}/{stream.protocol}"
        name = f"{kind}/{number // len(PROTOCOLS) + 1:04}"
        if only and not name.startswith(only):
            continue
        yield Row(
            kind,
            f"Odd events of `{stream.protocol}` end no stream: the text behind them arrives, and nothing that they say runs.",
            [TOOL],
            [base64.b64encode(chunk).decode() for chunk in stream.chunks],
            texts=_texts(stream),
            needs=("bytes", f"protocol:{stream.protocol}", "streams", "schemas"),
            form="bytes",
            protocol=stream.protocol,
            id=name,
        )
