"""Serialisation of events: to and from JSON, and as server-sent events.

On the wire keys are camelCase, what is None is left out, and the JSON is one line: whatever a model wrote, it cannot end a
`data:` line or forge an event. JSON escapes what is not ASCII, so half a surrogate pair travels too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, TypedDict

from .values.attempt import Attempt
from .values.events import ToolBlock, ToolEvent, ToolStatus
from .values.fix import AutoFix, Safety
from .values.hint import RetryHint
from .values.issues import ValidationIssue
from .values.plain import camel, plain

STATUS: Final = "json-tool-status"
BLOCK: Final = "json-tool-block"


class SseFields(TypedDict):
    """The arguments of `sse_starlette.ServerSentEvent` and similar classes."""

    event: str
    data: str


def name(event: ToolEvent) -> str:
    """Return the event's name on the wire."""
    return STATUS if isinstance(event, ToolStatus) else BLOCK


def to_dict(event: ToolEvent) -> dict[str, Any]:
    """Return the event as plain data with the wire's keys."""
    data: dict[str, Any] = plain(event)
    return data


def to_json(event: ToolEvent) -> str:
    """Return the event as one line of JSON."""
    return json.dumps(to_dict(event), separators=(",", ":"))


def to_sse(event: ToolEvent) -> SseFields:
    """Return the event as the fields of a server-sent event."""
    return {"event": name(event), "data": to_json(event)}


def from_dict(kind: str, data: Mapping[str, Any]) -> ToolEvent:
    """Return the event that `to_dict` made this data of. Raises ValueError for other data."""
    try:
        if kind == STATUS:
            return ToolStatus(**_snake(data, ToolStatus))
        if kind == BLOCK:
            known = _snake(data, ToolBlock)
            for key in ("found", "issues"):
                known[key] = tuple(ValidationIssue(**_snake(item, ValidationIssue)) for item in known.get(key, ()))
            known["fixes"] = tuple(_fix(item) for item in known.get("fixes", ()))
            known["attempts"] = tuple(Attempt(**_snake(item, Attempt)) for item in known.get("attempts", ()))
            for key in ("tool", "path", "arguments"):
                known.setdefault(key, None)
            if known.get("hint") is not None:
                hint = {"tool": None, **_snake(known["hint"], RetryHint)}
                known["hint"] = RetryHint(**{key: _as_tuple(value) for key, value in hint.items()})
            return ToolBlock(**known)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"invalid data for a {kind} event: {error}") from None
    raise ValueError(f"unknown event: {kind!r}; expected {STATUS!r} or {BLOCK!r}")


def from_json(kind: str, data: str) -> ToolEvent:
    """Return the event that `to_json` made this line of."""
    return from_dict(kind, json.loads(data))


def _fix(data: Mapping[str, Any]) -> AutoFix:
    known: dict[str, Any] = {"before": None, "after": None, **_snake(data, AutoFix)}
    known["safety"] = Safety[known["safety"]]
    return AutoFix(**known)


def _as_tuple(value: Any) -> Any:
    """Return a list as a tuple; other values unchanged."""
    return tuple(value) if isinstance(value, list) else value


def _snake(data: Mapping[str, Any], kind: type) -> dict[str, Any]:
    known = {camel(field.name): field.name for field in fields(kind)}
    return {known[key]: value for key, value in data.items() if key in known}
