"""LangChain: its events, and the messages of its models. They are objects and are never sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from stream_guard import StreamEnd, ToolEvent

from .access import Shape, get, put, walk
from .base import EVERY, NAME, Ended, Event, Lane, Piece, Protocol, inside, seen
from .chat import Chat
from .gemini import Gemini
from .messages import Messages
from .ollama import Ollama

_REASONS: Final[Mapping[str, StreamEnd]] = {**Messages.reasons, **Gemini.reasons, **Ollama.reasons, **Chat.reasons}
"""The finish reasons of all providers, since a message has the reason of its own provider."""

_MODELS: Final = ("on_chat_model_stream", "on_llm_stream")


class LangChain(Protocol):
    """The table of `astream_events(version="v2")`, and of the messages of `astream`, alone or with LangGraph's metadata.

    A lane is a run. The runs around a model's run repeat its text, chunk by chunk and whole.
    """

    name = "langchain"
    client = "langchain_core"
    sign = "event"
    shape: ClassVar[Shape] = {"event": str}
    framing = None
    holds_calls = False
    reasons = _REASONS
    joins_names = True

    def recognises(self, event: Event) -> bool:
        name = get(event, "event")
        if isinstance(name, str):
            return name.startswith("on_")
        return get(_message(event), "tool_call_chunks") is not None

    def _reads(self, event: Event) -> bool:
        return super()._reads(_message(event))

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        said = _said(_chunk(event))
        return ((_run(event), said),) if said else ()

    def repeats(self, lane: Lane) -> bool:
        return len(lane) > 1

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        chunk = _chunk(event)
        if isinstance(chunk, str):
            return _with_chunk(event, text)
        content: Any = get(chunk, "content")
        if isinstance(content, list):
            texts = [part for part in content if _is_text(part)]
            others = [part for part in content if not _is_text(part)] if first else []
            content = [*others, {**(texts[0] if texts else {"type": "text"}), "text": text}]
        else:
            content = text
        made = put(chunk, content=content)
        if not first:
            made = put(made, additional_kwargs={}, tool_call_chunks=[], tool_calls=[], invalid_tool_calls=[])
        if not last:
            made = put(made, response_metadata={}, usage_metadata=None, chunk_position=None)
        return _with_chunk(event, made)

    def beside(self, event: Event) -> bool:
        chunk = _chunk(event)
        content = get(chunk, "content")
        more = isinstance(content, list) and not all(_is_text(part) for part in content)
        return more or any(get(chunk, key) for key in _BESIDE)

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "event") if isinstance(event, dict) else None
        if kind is None:
            message = _message(event)
            ended = _reason(message) or get(message, "chunk_position") == "last"
            return ((_run(event), self.cause(_reason(message))),) if ended else ()
        if kind.endswith("_error"):
            return ((_run(event), "error"),)
        return ((_run(event), self.cause(_reason(walk(event, "data", "output")))),) if kind.endswith("_end") else ()

    def calls(self, event: Event) -> Sequence[Piece]:
        run, found = _run(event), get(_chunk(event), "tool_call_chunks") or ()
        if len(run) > 1:  # the run repeats the events of another run
            return ()
        return [
            Piece((*run, str(known if (known := get(call, "index")) is not None else get(call, "id"))), get(call, "id") or None,
                  get(call, "name") or None, get(call, "args") or "")
            for call in found
        ]  # fmt: skip

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        ended = dict(self.ends(event))
        return [(call, ended[call[:1]]) for call in calls if call[:1] in ended]

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        kind = get(event, "event") if isinstance(event, dict) else None
        if kind is None or not kind.endswith(("_end", "_stream")):
            return event

        def shown(node: Any) -> Any:
            return visible(node) if isinstance(node, str) else _shown(node, visible)

        def without_blocks(data: Any) -> Any:
            for key in ("chunk", "output", "input"):
                data = inside(data, key, shown)
            return data

        return inside(event, "data", without_blocks)

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        return ()


_BESIDE: Final = ("additional_kwargs", "tool_call_chunks", "response_metadata", "usage_metadata", "chunk_position")


def _message(event: Event) -> Any:
    """Return the message of an event that is a message, alone or in a tuple with LangGraph's metadata."""
    return event[0] if isinstance(event, tuple) and event else event


def _chunk(event: Event) -> Any:
    """Return the message or the text in an event; None if it has neither."""
    if not isinstance(event, dict):
        return _message(event)
    kind = get(event, "event")
    return walk(event, "data", "chunk") if isinstance(kind, str) and kind.endswith("_stream") else None


def _with_chunk(event: Event, chunk: Any) -> Event:
    if isinstance(event, tuple):
        return (chunk, *event[1:])
    return put(event, data=put(get(event, "data"), chunk=chunk)) if isinstance(event, dict) else chunk


def _run(event: Event) -> Lane:
    if not isinstance(event, dict):
        return (str(get(_message(event), "id") or ""),)
    run, kind = str(get(event, "run_id") or ""), str(get(event, "event"))
    return (run,) if kind in _MODELS or kind.startswith(("on_chat_model", "on_llm")) else (run, "again")


def _said(chunk: Any) -> str:
    """Return the text of a chunk that a model wrote; empty for other chunks."""
    if isinstance(chunk, str):
        return chunk
    if not _is_spoken(chunk):
        return ""
    content = get(chunk, "content")
    if isinstance(content, list):
        return "".join(get(part, "text") if isinstance(part, Mapping) else part for part in content if _is_text(part))
    return content if isinstance(content, str) else ""


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (get(part, "type") == "text" and isinstance(get(part, "text"), str))


def _is_spoken(node: Any) -> bool:
    """Return whether a node is a message that a model wrote."""
    return get(node, "type") in ("ai", "AIMessageChunk") and get(node, "content") is not None


def _shown(node: Any, visible: Callable[[str], str]) -> Any:
    """Return a node of a graph's state with `visible` applied to the text of its messages."""
    if _is_spoken(node):
        content = get(node, "content")
        made: Any = visible(content) if isinstance(content, str) else content
        if isinstance(content, list):
            made = [
                visible(part) if isinstance(part, str) else seen(part, visible) if _is_text(part) else part for part in content
            ]
            made = content if all(a is b for a, b in zip(content, made, strict=True)) else made
        return node if made is content else put(node, content=made)
    if isinstance(node, dict):
        for key in node:
            node = inside(node, key, lambda value: _shown(value, visible))
        return node
    if isinstance(node, list | tuple):
        items = [_shown(item, visible) for item in node]
        return node if all(a is b for a, b in zip(node, items, strict=True)) else type(node)(items)
    return node


def _reason(message: Any) -> Any:
    """Return the finish reason of a message; None if it has none."""
    said = get(message, "response_metadata")
    return next((said[key] for key in ("finish_reason", "stop_reason", "done_reason") if said.get(key)), None) if said else None


class LangChainV3(Protocol):
    """The table of `astream_events(version="v3")`. A lane is a content block."""

    name = "langchain-v3"
    client = "langchain_core"
    sign = "event"
    shape: ClassVar[Shape] = {"event": str, "index": (int, NAME)}
    framing = None
    holds_calls = False
    reasons = _REASONS

    def recognises(self, event: Event) -> bool:
        name = get(event, "event")
        return isinstance(name, str) and name.startswith(("message-", "content-block-"))

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        text = self._text_member(event)
        return (((get(event, "index") or 0,), text),) if isinstance(text, str) and text else ()

    def _text_member(self, event: Event) -> Any:
        key = self._carrier(event)
        return walk(event, key, "text") if key is not None else None

    @staticmethod
    def _carrier(event: Event) -> str | None:
        kind = get(event, "event")
        if kind == "content-block-delta" and walk(event, "delta", "type") == "text-delta":
            return "delta"
        return "content" if kind == "content-block-start" and walk(event, "content", "type") == "text" else None

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        key = self._carrier(event)
        if key == "content" and not first:
            return {"event": "content-block-delta", "index": lane[0], "delta": {"type": "text-delta", "text": text}}
        return put(event, **{str(key): put(get(event, str(key)), text=text)})

    def beside(self, event: Event) -> bool:
        return bool(get(event, "event") == "content-block-start")

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "event")
        if kind == "content-block-finish":
            return (((get(event, "index") or 0,), None),)
        if kind == "message-finish":
            return ((EVERY, self.cause(get(event, "reason") or _reason(event))),)
        return ((EVERY, "error"),) if kind == "error" else ()

    def calls(self, event: Event) -> Sequence[Piece]:
        call = get(event, "content") if get(event, "event") == "content-block-finish" else None
        if get(call, "type") not in ("tool_call", "invalid_tool_call"):
            return ()
        given = get(call, "args")
        said = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
        return (Piece((get(event, "index") or 0,), get(call, "id") or None, get(call, "name") or None, said, whole=True),)

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        begun = [piece.call for piece in self.calls(event)]
        found: list[Ended] = [(call, "stop") for call in calls if call in begun]
        for lane, reason in self.ends(event):
            if lane == EVERY:
                found.extend((call, reason) for call in calls if call not in begun)
        return found

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        if get(event, "event") != "content-block-finish" or walk(event, "content", "type") != "text":
            return event
        return inside(event, "content", lambda content: seen(content, visible))

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        return ()
