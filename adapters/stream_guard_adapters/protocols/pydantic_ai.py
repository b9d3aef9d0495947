"""pydantic-ai: the events of a run. They are objects and are never sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from stream_guard import ToolEvent

from .access import get, put, walk
from .base import EVERY, Ended, Event, Lane, Protocol, cause, inside


class PydanticAi(Protocol):
    """The table of a run's events. A lane is a part; its first text is in the event that starts it."""

    name = "pydantic-ai"
    sign = "event_kind"
    framing = None

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
        path = self._carrier(event)
        text = walk(event, *path) if path is not None else None
        return (((get(event, "index"),), text),) if isinstance(text, str) and text else ()

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
            return ((EVERY, cause(walk(event, "result", "response", "finish_reason"))),)
        return ()

    def echo(self, event: Event, visible: Callable[[str], str]) -> Event:
        kind = get(event, "event_kind")
        if kind == "part_end" and walk(event, "part", "part_kind") == "text":
            return inside(event, "part", lambda part: inside(part, "content", visible))
        if kind == "agent_run_result" and isinstance(walk(event, "result", "output"), str):
            return inside(event, "result", lambda result: inside(result, "output", visible))
        return event

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        return ()
