"""Serialisation of events: to and from JSON, and as server-sent events.

On the wire keys are camelCase, what is None is left out, and the JSON is one line: whatever a model wrote, it cannot end a
`data:` line or forge an event. JSON escapes what is not ASCII, so half a surrogate pair travels too.

This file is only the door. The fields of the events are in `values/events.py`, and `values/plain.py` spells them for the wire.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypedDict

from .running.calling import BlockOutput
from .values.events import ToolBlock, ToolEvent, ToolResult, ToolStatus

STATUS: Final = "json-tool-status"
BLOCK: Final = "json-tool-block"
RESULT: Final = "json-tool-result"

_LINE: Final = json.JSONEncoder(separators=(",", ":"))

Sent = ToolEvent | ToolResult | BlockOutput
"""What can be sent: an event of a guarded stream, and the result of a call, also as `run` yields it."""


class SseFields(TypedDict):
    """The arguments of `sse_starlette.ServerSentEvent` and similar classes."""

    event: str
    data: str


def name(event: Sent) -> str:
    """Return the event's name on the wire."""
    if isinstance(event, ToolStatus):
        return STATUS
    return BLOCK if isinstance(event, ToolBlock) else RESULT


def to_dict(event: Sent) -> dict[str, Any]:
    """Return the event as plain data with the wire's keys."""
    if isinstance(event, BlockOutput):
        event = event.result()
    if not isinstance(event, ToolStatus | ToolBlock | ToolResult):
        raise TypeError(f"only an event or a result is sent as one, not {_kind(event)}")
    return event.to_dict()


def _kind(item: object) -> str:
    text = "; a text is sent as the app likes" if isinstance(item, str) else ""
    return f"{type(item).__name__}{text}"


def to_json(event: Sent) -> str:
    """Return the event as one line of JSON."""
    return _LINE.encode(to_dict(event))


def to_sse(event: Sent) -> SseFields:
    """Return the event as the fields of a server-sent event."""
    return {"event": name(event), "data": to_json(event)}


def from_dict(kind: str, data: Mapping[str, Any]) -> ToolEvent | ToolResult:
    """Return the event that `to_dict` made this data of. Raises ValueError for other data."""
    if kind == STATUS:
        return ToolStatus.from_dict(data)
    if kind == BLOCK:
        return ToolBlock.from_dict(data)
    if kind == RESULT:
        return ToolResult.from_dict(data)
    raise ValueError(f"unknown event: {kind!r}; expected {STATUS!r}, {BLOCK!r} or {RESULT!r}")


def from_json(kind: str, data: str) -> ToolEvent | ToolResult:
    """Return the event that `to_json` made this line of."""
    return from_dict(kind, json.loads(data))
