"""AG-UI, the protocol between agents and user interfaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from stream_guard import ToolEvent, wire

from .access import Shape, bare, get, put
from .base import EVERY, GUARD_EVENTS, MANY, NAME, Ended, Event, Lane, Protocol, is_of_type


class AgUi(Protocol):
    """The table of AG-UI. A lane is a message."""

    name = "ag-ui"
    sign = "type"
    varies = ("timestamp",)
    shape: ClassVar[Shape | None] = {"type": str, "messageId": NAME, "messages": [{}, MANY]}

    def recognises(self, event: Event) -> bool:
        return is_of_type(event, "RUN_", "TEXT_MESSAGE_", "MESSAGES_SNAPSHOT") and bool(get(event, "type").isupper())

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        if get(event, "type") not in ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"):
            return ()
        text = get(event, "delta")
        return ((_message(event), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        return put(event if first or last else bare(event, "type", "messageId"), delta=text)

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "TEXT_MESSAGE_END":
            return ((_message(event), None),)
        if kind == "RUN_FINISHED":
            return ((EVERY, "unknown"),)  # it has no finish reason
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

    def disowned(self, event: dict[str, Any]) -> dict[str, Any]:
        if event.get("type") == "CUSTOM" and (name := event.get("name")) in GUARD_EVENTS:
            return {**event, "name": f"upstream-{name}"}
        return event

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        yield {"type": "CUSTOM", "name": wire.name(event), "value": wire.to_dict(event)}


def _message(event: Event) -> Lane:
    return (str(get(event, "messageId") or ""),)
