"""The UI message stream of the AI SDK."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from stream_guard import ToolBlock, ToolEvent, wire

from .access import Shape, bare, get, put
from .base import EVERY, GUARD_EVENTS, NAME, Ended, Event, Lane, Protocol, cause, is_block, is_of_type


class AiSdk(Protocol):
    """The table of UI message streams. A lane is a text part.

    Clients show a data part that comes inside an open text part behind the whole text, so the part is closed before it and
    opened again.
    """

    name = "ai-sdk"
    sign = "type"
    mark = "[DONE]"
    headers = MappingProxyType({"x-vercel-ai-ui-message-stream": "v1"})
    shape: ClassVar[Shape | None] = {"type": str, "id": NAME, "path": [NAME, 8]}

    def recognises(self, event: Event) -> bool:
        return is_of_type(event, "text-", "start", "finish", "data-", "tool-input-", "reasoning-")

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        if get(event, "type") != "text-delta":
            return ()
        text = get(event, _text_key(event))
        return ((_part(event), text),) if isinstance(text, str) and text else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        key, path = _text_key(event), get(event, "path")
        if not first and not last:
            event = bare(event, "type", "id") if path is None else put(bare(event, "type"), path=path)
        return put(event, **{key: text})

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "type")
        if kind == "text-end":
            return ((_part(event), None),)
        if kind == "finish":
            return ((EVERY, cause(get(event, "finishReason"))),)
        return ((EVERY, "error"),) if kind in ("abort", "error") else ()

    def disowned(self, event: dict[str, Any]) -> dict[str, Any]:
        kind = event.get("type")
        if isinstance(kind, str) and kind.removeprefix("data-") in GUARD_EVENTS:
            return {**event, "type": kind.replace("json-tool-", "upstream-json-tool-")}
        return event

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        # A client replaces a part by one with the same id, so each call of a block has its own.
        name = f"{event.id}.{event.part}" if isinstance(event, ToolBlock) else event.id
        data = {"type": f"data-{wire.name(event)}", "id": name, "data": wire.to_dict(event)}
        if not is_block(event):
            yield {**data, "transient": True}
        elif lane is None or not within:
            yield data
        else:
            yield {"type": "text-end", "id": lane[0]}
            yield data
            yield {"type": "text-start", "id": lane[0]}


def _text_key(event: Event) -> str:
    """Return the member that holds the text. Its name differs in the first version of the protocol."""
    return "delta" if get(event, "delta") is not None else "textDelta"


def _part(event: Event) -> Lane:
    name = get(event, "id")
    return (str(name),) if name is not None else tuple(get(event, "path") or ("",))
