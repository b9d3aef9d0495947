"""Plain text: a stream with only text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from stream_guard import ToolEvent

from .access import Shape
from .base import Event, Lane, Protocol


class Text(Protocol):
    """The table of plain text. There is one lane."""

    name = "text"
    shape: ClassVar[Shape] = str
    framing = "text"

    def recognises(self, event: Event) -> bool:
        return isinstance(event, str)

    def texts(self, event: Event) -> Sequence[tuple[Lane, str]]:
        return ((("text",), event),) if event and isinstance(event, str) else ()

    def piece(self, event: Event, lane: Lane, text: str, *, first: bool, last: bool) -> Event:
        return text

    def carry(self, event: ToolEvent, like: Event | None, lane: Lane | None, *, within: bool) -> Iterable[dict[str, Any]]:
        return ()  # a reader of plain text can read nothing else
