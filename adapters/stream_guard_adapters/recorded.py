"""Recorded streams: where the text is in what a provider sent.

`read` takes a file of a known kind and gives back its lanes: the deltas of each choice or content block, with an `End` where
the provider said why it ended. It reads dumps of server-sent events (`.sse`), one JSON document per line (`.ndjson`), and
lists of deltas (`.jsonl`: a JSON string per line).

Rule: what cannot be read is a `ValueError` that names the line. Text is never guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from stream_guard import End, StreamEnd

Lanes = dict[str, list[str | End]]
"""The deltas of each lane, in order."""

Found = Iterator[tuple[str, str | End]]
"""Pieces of text, each with its lane."""

EVERY: Final = ""
"""The lane of what a provider says of a whole message: why it ended."""

SUFFIXES: Final = (".sse", ".ndjson", ".jsonl")

_ENDS: Final[dict[str, StreamEnd]] = {
    "length": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "content-filter": "content_filter",
    "refusal": "content_filter",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "error": "error",
    "ERROR": "error",
}
"""What a provider's finish reason says of the end of the text; any other reason is an ordinary end."""


def read(path: Path) -> Lanes | None:
    """The lanes of a recorded stream; None when the file is of no kind known here."""
    if path.suffix not in SUFFIXES:
        return None
    text = path.read_text(encoding="utf-8")
    lanes: Lanes = {}
    for lane, piece in _pieces(text, path.suffix):
        if lane == EVERY:
            for deltas in lanes.values():
                deltas.append(piece)
        else:
            lanes.setdefault(lane, []).append(piece)
    return lanes


def _pieces(text: str, suffix: str) -> Found:
    documents = _events(text) if suffix == ".sse" else _lines(text)
    for number, written in documents:
        try:
            data = json.loads(written)
        except ValueError as error:
            raise ValueError(f"line {number} is not JSON: {error}") from None
        if isinstance(data, str):
            yield "text", data
        elif isinstance(data, dict):
            yield from _protocol(data)(data)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


_LINE_END: Final = re.compile(r"\r\n|\r|\n")


def _events(text: str) -> Iterator[tuple[int, str]]:
    """The data of each server-sent event, as browsers read it: joined lines, events without data dropped, and the last one
    too when the stream broke off inside it.
    """
    data: list[str] = []
    for number, line in enumerate(_LINE_END.split(text.removeprefix("\ufeff")), 1):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            joined = "\n".join(data)
            data.clear()
            if joined.strip() and not joined.startswith("[DONE]"):
                yield number - 1, joined


def _protocol(data: dict[str, Any]) -> Callable[[dict[str, Any]], Found]:
    """Which wire format this document is of, by the keys that only it has."""
    kind = data.get("type")
    if isinstance(data.get("choices"), list):
        return _chat
    if "candidates" in data:
        return _gemini
    if "done" in data and ("message" in data or "response" in data):
        return _ollama
    if isinstance(kind, str):
        if kind.startswith("response."):
            return _responses
        if kind.startswith(("content_block_", "message_")):
            return _messages
        if kind.startswith("text-") or kind in ("finish", "abort", "error"):
            return _ai_sdk
    return _error if "error" in data else _nothing


def _nothing(_: dict[str, Any]) -> Found:
    return iter(())


def _error(_: dict[str, Any]) -> Found:
    yield EVERY, End("error")


def _end(lane: str, reason: object) -> Found:
    if isinstance(reason, str) and reason:
        yield lane, End(_ENDS.get(reason, "stop"))


def _chat(data: dict[str, Any]) -> Found:
    """OpenAI chat completions and its many dialects, and the older completions."""
    for choice in data["choices"]:
        lane = str(choice.get("index", 0))
        delta = choice.get("delta") or {}
        yield from ((lane, piece) for piece in _texts(delta.get("content") if delta else choice.get("text")))
        yield from _end(lane, choice.get("finish_reason"))


def _texts(content: Any) -> Iterable[str]:
    """Content is a string, or a list of typed parts, some of which are text."""
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        return [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return []


def _responses(data: dict[str, Any]) -> Found:
    kind = data["type"]
    lane = f"{data.get('output_index', 0)}.{data.get('content_index', 0)}"
    if kind == "response.output_text.delta":
        yield lane, data["delta"]
    elif kind == "response.incomplete":
        details = data.get("response", {}).get("incomplete_details") or {}
        yield from _end(EVERY, details.get("reason", "length"))
    elif kind == "response.failed":
        yield EVERY, End("error")


def _messages(data: dict[str, Any]) -> Found:
    kind, lane = data["type"], str(data.get("index", 0))
    if kind == "content_block_delta" and data["delta"].get("type") == "text_delta":
        yield lane, data["delta"]["text"]
    elif kind == "content_block_start" and data["content_block"].get("text"):
        yield lane, data["content_block"]["text"]
    elif kind == "message_delta":
        yield from _end(EVERY, data["delta"].get("stop_reason"))


def _gemini(data: dict[str, Any]) -> Found:
    for candidate in data["candidates"]:
        lane = str(candidate.get("index", 0))
        for part in (candidate.get("content") or {}).get("parts") or ():
            if not part.get("thought") and isinstance(part.get("text"), str):
                yield lane, part["text"]
        yield from _end(lane, candidate.get("finishReason"))


def _ollama(data: dict[str, Any]) -> Found:
    yield "0", (data.get("message") or {}).get("content") or data.get("response") or ""
    if data["done"]:
        yield from _end("0", data.get("done_reason") or "stop")


def _ai_sdk(data: dict[str, Any]) -> Found:
    if data["type"] == "text-delta":
        yield str(data.get("id") or "text"), data.get("delta") or data.get("textDelta") or ""
    elif data["type"] == "finish":
        yield from _end(EVERY, data.get("finishReason"))
    elif data["type"] in ("abort", "error"):
        yield EVERY, End("error")
