"""pydantic-ai: the events of a run. They are objects and are never sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

from stream_guard import ToolEvent

from .access import Shape, get, put, walk
from .base import EVERY, Ended, Event, Lane, Piece, Protocol, inside


class PydanticAi(Protocol):
    """The table of a run's events. A lane is a part; its first text is in the event that starts it."""

    name = "pydantic-ai"
    client = "pydantic_ai"
    sign = "event_kind"
    shape: ClassVar[Shape] = {"event_kind": str, "index": int}
    framing = None
    holds_calls = False
    reasons = MappingProxyType({"stop": "stop", "length": "length", "content_filter": "content_filter", "error": "error"})

    _KEYS: ClassVar[Mapping[tuple[str, str], tuple[str, str]]] = {
        ("part_start", "text"): ("part", "content"),
        ("part_delta", "text"): ("delta", "content_delta"),
    }

    def _carrier(self, event: Event) -> tuple[str, str] | None:
        kind = get(event, "event_kind")
        if kind == "part_start":
            return self._KEYS.get((kind, walk(event, "part", "part_kind")))
        return self._KEYS.get((kind, walk(event, "delta", "part_delta_kind"))) if kind == "part_delta" else None

    def recognises(self, event: Event) -> bool:
        return get(event, "event_kind") is not None

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        text = self._text_member(event)
        return (((get(event, "index"),), text),) if isinstance(text, str) and text else ()

    def _text_member(self, event: Event) -> Any:
        path = self._carrier(event)
        return walk(event, *path) if path is not None else None

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        if get(event, "event_kind") == "part_start" and not first:
            from pydantic_ai.messages import PartDeltaEvent, TextPartDelta  # deferred: here only when the events are its

            return PartDeltaEvent(index=int(lane[0]), delta=TextPartDelta(content_delta=text))
        key, inner = self._carrier(event) or ("", "")
        return put(event, **{key: put(get(event, key), **{inner: text})})

    def beside(self, event: Event) -> bool:
        return bool(get(event, "event_kind") == "part_start")

    def ends(self, event: Event) -> Sequence[Ended]:
        kind = get(event, "event_kind")
        if kind == "part_end":
            return (((get(event, "index"),), None),)
        if kind == "agent_run_result":
            return ((EVERY, self.cause(walk(event, "result", "response", "finish_reason"))),)
        return ()

    def calls(self, event: Event) -> Sequence[Piece]:
        at, part, delta = (get(event, "index"),), get(event, "part"), get(event, "delta")
        if get(event, "event_kind") in ("part_start", "part_end") and get(part, "part_kind") == "tool-call":
            given, ended = get(part, "args"), get(event, "event_kind") == "part_end"
            said = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False) if given else ""
            whole = ended or not isinstance(given, str)  # a delta of an object is added to an object: the end has the whole
            return (Piece(at, get(part, "tool_call_id"), get(part, "tool_name"), said, whole=bool(said) and whole),)
        if get(event, "event_kind") == "part_delta" and get(delta, "part_delta_kind") == "tool_call":
            given = get(delta, "args_delta")
            return (Piece(at, None, get(delta, "tool_name_delta"), given if isinstance(given, str) else ""),)
        return ()

    def with_arguments(self, event: Event, arguments: str, *, first: bool) -> Event | None:
        if get(event, "event_kind") != "part_delta":
            return None
        return put(event, delta=put(get(event, "delta"), args_delta=arguments))

    def call_ends(self, event: Event, calls: Collection[Lane]) -> Sequence[Ended]:
        if get(event, "event_kind") == "part_end":
            at = (get(event, "index"),)
            return ((at, "stop"),) if at in calls else ()
        return [(call, why) for lane, why in self.ends(event) if lane == EVERY for call in calls]

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        kind = get(event, "event_kind")
        if kind == "part_end" and walk(event, "part", "part_kind") == "text":
            return inside(event, "part", lambda part: inside(part, "content", visible))
        if kind == "agent_run_result" and isinstance(walk(event, "result", "output"), str):
            return inside(event, "result", lambda result: inside(result, "output", visible))
        return event

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        return ()
