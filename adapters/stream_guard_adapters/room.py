"""What one stream may hold, and what is said of that which passes without being looked into.

Rule: a bound is never an error. What does not fit passes, or ends as too long, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, get_args

from stream_guard import Limits

Uninspected = Literal[
    "json body",
    "content type",
    "compressed",
    "status",
    "pathsend",
    "websocket",
    "unknown protocol",
    "not JSON",
    "odd event",
    "oversize event",
    "too many lanes",
    "unnamed call",
    "guard error",
]
"""Why something passed without being looked into; docs/streams.md says what each of them means."""

KINDS: Final[tuple[Uninspected, ...]] = get_args(Uninspected)

Note = Callable[[Uninspected], None]
"""Told of what passes without being looked into."""


class Room:
    """How much of a stream is held, in how many lanes, and how much that may be."""

    __slots__ = ("_lanes", "_limits", "held", "note")

    def __init__(self, limits: Limits, note: Note) -> None:
        self._limits = limits
        self._lanes = 0
        self.note = note
        self.held = 0
        """Characters of texts, of calls and of events."""

    @property
    def full(self) -> bool:
        """Whether more is held than may be."""
        return self.held > self._limits.max_held

    def opens(self, weight: int = 0) -> bool:
        """Whether one more text or call may be guarded, of which so much is to be kept."""
        if self._lanes >= self._limits.max_lanes or (weight and self.held + weight > self._limits.max_held):
            self.note("too many lanes")
            return False
        self._lanes += 1
        return True
