"""OpenAI responses: text arrives in deltas, and then whole again, up to four times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from stream_guard import ToolEvent

from ..nodes import get, put, walk, without
from .base import EVERY, Ended, Event, Lane, Protocol, cause, told

_DELTA = "response.output_text.delta"
_LAST = ("response.completed", "response.incomplete", "response.failed", "response.cancelled", "error")


class Responses(Protocol):
    """A lane is a part of an item."""

    name = "openai-responses"

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        if get(event, "type") != _DELTA:
            return ()
        text = get(event, "delta")
        return ((_lane(event), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        made = put(without(event, "obfuscation"), delta=text)
        return made if first else put(made, logprobs=[])

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "response.output_text.done":
            return ((_lane(event), None),)
        if kind not in _LAST:
            return ()
        if kind == "response.incomplete":
            return ((EVERY, cause(walk(event, "response", "incomplete_details", "reason") or "length")),)
        return ((EVERY, "stop" if kind == "response.completed" else "error"),)

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        kind = get(event, "type")
        if kind == "response.output_text.done":
            return _seen(event, visible)
        if kind == "response.content_part.done":
            return _inside(event, "part", lambda part: _seen(part, visible))
        if kind == "response.output_item.done":
            return _inside(event, "item", lambda item: _item(item, visible))
        if kind in _LAST and walk(event, "response", "output"):
            return _inside(event, "response", lambda response: _each(response, "output", lambda item: _item(item, visible)))
        return event

    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None) -> Iterable[dict[str, Any]]:
        output, content = lane if lane is not None else (0, 0)
        kept = {key: like[key] for key in ("item_id", "sequence_number") if like and key in like}
        yield {"type": _DELTA, "item_id": "", "sequence_number": 0, **kept, "output_index": output, "content_index": content,
               "delta": "", "logprobs": [], "stream_guard": told(event)}  # fmt: skip


def _lane(event: Event) -> Lane:
    return (get(event, "output_index") or 0, get(event, "content_index") or 0)


def _seen(node: Any, visible: Callable[[str], str]) -> Any:
    text = get(node, "text")
    if not isinstance(text, str):
        return node
    made = visible(text)
    return node if made is text else put(node, text=made)


def _item(item: Any, visible: Callable[[str], str]) -> Any:
    return _each(item, "content", lambda part: _seen(part, visible)) if get(item, "content") else item


def _inside(node: Any, key: str, change: Callable[[Any], Any]) -> Any:
    inner = get(node, key)
    made = change(inner)
    return node if made is inner else put(node, **{key: made})


def _each(node: Any, key: str, change: Callable[[Any], Any]) -> Any:
    items = get(node, key)
    if not isinstance(items, list):
        return node
    made = [change(item) for item in items]
    return node if all(a is b for a, b in zip(items, made, strict=True)) else put(node, **{key: made})
