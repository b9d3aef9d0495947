"""The smaller tables: AI SDK, AG-UI, Gemini, Ollama, and text that is nothing but text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from stream_guard import ToolEvent, wire

from ..nodes import Shape, get, only, put, walk, without
from .base import EVERY, FEW, MANY, NAME, Ended, Event, Lane, Protocol, cause, is_block, is_failed, told


class AiSdk(Protocol):
    """The UI message stream of the AI SDK. A lane is a text part.

    A data part inside an open text part would be shown behind the whole text, so the part is closed before it and opened again.
    """

    name = "ai-sdk"
    mark = "[DONE]"
    shape: ClassVar[Shape | None] = {"type": str, "id": NAME, "path": [NAME, 8]}

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        if get(event, "type") != "text-delta":
            return ()
        text = get(event, _text_key(event))
        return ((_part(event), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        return put(event if first else without(event, "citations"), **{_text_key(event): text})

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "text-end":
            return ((_part(event), None),)
        if kind == "finish":
            return ((EVERY, cause(get(event, "finishReason"))),)
        return ((EVERY, "error"),) if kind in ("abort", "error") else ()

    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        data = {"type": f"data-{wire.name(event)}", "id": event.id, "data": wire.to_dict(event)}
        if not is_block(event):
            yield {**data, "transient": True}
        elif lane is None or not within:
            yield data
        else:
            yield {"type": "text-end", "id": lane[0]}
            yield data
            yield {"type": "text-start", "id": lane[0]}


def _text_key(event: Event) -> str:
    """Where the text is: the first version called it otherwise."""
    return "delta" if get(event, "delta") is not None else "textDelta"


def _part(event: Event) -> Lane:
    name = get(event, "id")
    return (str(name),) if name is not None else tuple(get(event, "path") or ("",))


class AgUi(Protocol):
    """AG-UI. A lane is a message."""

    name = "ag-ui"
    shape: ClassVar[Shape | None] = {"type": str, "messageId": NAME, "messages": [{}, MANY]}

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        if get(event, "type") not in ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"):
            return ()
        text = get(event, "delta")
        return ((_message(event), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        return put(event if first else without(event, "role", "rawEvent"), delta=text)

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "TEXT_MESSAGE_END":
            return ((_message(event), None),)
        if kind == "RUN_FINISHED":
            return ((EVERY, "stop"),)
        return ((EVERY, "error"),) if kind == "RUN_ERROR" else ()

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        if get(event, "type") != "MESSAGES_SNAPSHOT":
            return event
        spoken = [
            put(message, content=visible(content))
            if get(message, "role") == "assistant" and isinstance(content := get(message, "content"), str)
            else message
            for message in get(event, "messages") or ()
        ]
        return put(event, messages=spoken)

    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {"type": "CUSTOM", "name": wire.name(event), "value": wire.to_dict(event)}


def _message(event: Event) -> Lane:
    return (str(get(event, "messageId") or ""),)


class Gemini(Protocol):
    """Gemini. A lane is a candidate; its thoughts are no text."""

    name = "gemini"
    shape: ClassVar[Shape | None] = {"candidates": [{"index": int, "content": {"parts": [{}, MANY]}}, FEW]}

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        found: list[tuple[Lane, str]] = []
        for candidate in get(event, "candidates") or ():
            text = "".join(get(part, "text") for part in _parts(candidate) if _is_text(part))
            if text:
                found.append((_candidate(candidate), text))
        return found

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        candidate = next(one for one in get(event, "candidates") if _candidate(one) == lane)
        content = get(candidate, "content")
        parts = [part for part in _parts(candidate) if not _is_text(part)] if first else []
        if text:
            parts.append({"text": text})
        if last:  # a signature seals what it stands beside
            parts += [put(part, text="") for part in _parts(candidate) if _is_text(part) and get(part, "thoughtSignature")]
        made = put(candidate, content=put(content, parts=parts))
        if last:
            return put(event, candidates=[made])
        made = without(made, "finishReason", "groundingMetadata", "citationMetadata")
        return put(without(event, "usageMetadata"), candidates=[made])

    def beside(self, event: Event) -> bool:
        return True  # each event counts the tokens

    def apart(self, event: Event) -> Sequence[Event]:
        candidates = get(event, "candidates")
        return [put(event, candidates=[candidate]) for candidate in candidates] if len(candidates) > 1 else (event,)

    def ends(self, event: Event) -> Sequence[Ended]:
        if is_failed(event):
            return ((EVERY, "error"),)
        reasons = [(_candidate(one), get(one, "finishReason")) for one in get(event, "candidates") or ()]
        return [(lane, cause(reason)) for lane, reason in reasons if reason]

    def nothing(self, like: Event, lane: Lane, *, within: bool) -> dict[str, Any] | None:
        return _empty_candidate(like, lane)  # to some of its clients every line is JSON, and none a comment

    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {**_empty_candidate(like, lane), "stream_guard": told(event)}


def _empty_candidate(like: Event | None, lane: Lane | None) -> dict[str, Any]:
    kept = {key: like[key] for key in ("modelVersion", "responseId") if like and key in like}
    index = lane[0] if lane is not None else 0
    return {**kept, "candidates": [{"content": {"parts": [], "role": "model"}, "index": index}]}


def _candidate(candidate: Any) -> Lane:
    return (get(candidate, "index") or 0,)


def _parts(candidate: Any) -> Sequence[Any]:
    return walk(candidate, "content", "parts") or ()


def _is_text(part: Any) -> bool:
    """Whether a part is text, and no thought."""
    return isinstance(get(part, "text"), str) and not get(part, "thought")


class Ollama(Protocol):
    """Ollama's chat and generate. There is one lane."""

    name = "ollama"
    shape: ClassVar[Shape | None] = {"message": {}}
    framing = "lines"

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        message = get(event, "message")
        text = get(message, "content") if message is not None else get(event, "response")
        return (((0,), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        message = get(event, "message")
        if message is not None:
            role = get(message, "role")
            made = put(event, message=put(message, content=text) if first else only(message, role=role, content=text))
        else:
            made = put(event, response=text)
        return made if last or not get(event, "done") else put(without(made, *_COUNTS), done=False)

    def beside(self, event: Event) -> bool:
        message = get(event, "message")
        return bool(get(event, "done")) or any(get(message, key) for key in ("thinking", "images", "tool_calls"))

    def ends(self, event: Event) -> Sequence[Ended]:
        if is_failed(event):
            return ((EVERY, "error"),)
        return ((EVERY, cause(get(event, "done_reason"))),) if get(event, "done") else ()

    def nothing(self, like: Event, lane: Lane, *, within: bool) -> dict[str, Any] | None:
        return _empty_message(like)

    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {**_empty_message(like), "stream_guard": told(event)}


def _empty_message(like: Event | None) -> dict[str, Any]:
    kept = {key: like[key] for key in ("model", "created_at") if like and key in like}
    empty = {"response": ""} if like and "response" in like else {"message": {"role": "assistant", "content": ""}}
    return {**kept, **empty, "done": False}


_COUNTS = ("done_reason", "total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count",
           "eval_duration", "context")  # fmt: skip


class Text(Protocol):
    """Text that is nothing else."""

    name = "text"
    shape: ClassVar[Shape | None] = str
    framing = "text"

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        return ((("text",), event),) if event and isinstance(event, str) else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        return text

    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        return ()  # a reader of plain text reads nothing else
