"""OpenAI responses: text arrives in deltas, and then whole again, up to four times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from stream_guard import ToolEvent

from ..nodes import get, put, walk, without
from .base import EVERY, Ended, Event, Lane, Protocol, cause, each, inside, seen, told

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
            return seen(event, visible)
        if kind == "response.content_part.done":
            return inside(event, "part", lambda part: seen(part, visible))
        if kind == "response.output_item.done":
            return inside(event, "item", lambda item: _item(item, visible))
        if kind in _LAST and walk(event, "response", "output"):
            return inside(event, "response", lambda response: each(response, "output", lambda item: _item(item, visible)))
        return event

    def ours(self, event: ToolEvent, like: Event | None, lane: Lane | None) -> Iterable[dict[str, Any]]:
        output, content = lane if lane is not None else (0, 0)
        kept = {key: like[key] for key in ("item_id", "sequence_number") if like and key in like}
        yield {"type": _DELTA, "item_id": "", "sequence_number": 0, **kept, "output_index": output, "content_index": content,
               "delta": "", "logprobs": [], "stream_guard": told(event)}  # fmt: skip


def _lane(event: Event) -> Lane:
    return (get(event, "output_index") or 0, get(event, "content_index") or 0)


def _item(item: Any, visible: Callable[[str], str]) -> Any:
    return each(item, "content", lambda part: seen(part, visible)) if get(item, "content") else item
