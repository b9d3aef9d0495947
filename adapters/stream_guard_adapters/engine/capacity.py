"""`Capacity`: counts what is held of one stream, against its limits.

Rule: reaching a limit is not an error. Text and calls that do not fit either pass or end as oversize, and are reported.
"""

from __future__ import annotations

from typing import Any

from stream_guard import Limits

from ..protocols.json_text import dumped
from .uninspected import Note


def part_size(part: Any, size: int) -> int:
    """Return the size of a part of an event of this size; 0 if that came as an object, and its size is unknown."""
    return len(dumped(part)) if size and isinstance(part, dict) else size


class Capacity:
    """How much of a stream is held, and in how many lanes and calls; each is compared with its limit."""

    __slots__ = ("_held", "_lanes", "_limits", "note")

    def __init__(self, limits: Limits, note: Note) -> None:
        self._limits = limits
        self._lanes = 0
        self._held = 0  # characters of texts, calls and events
        self.note = note
        """Reports why something passes unread."""

    @property
    def held(self) -> int:
        """How many characters are held."""
        return self._held

    @property
    def full(self) -> bool:
        """Whether more is held than the limit allows."""
        return self._held > self._limits.max_held

    def hold(self, size: int) -> None:
        """Count this many more characters as held; fewer for a negative number."""
        self._held += size

    def opens(self, weight: int = 0) -> bool:
        """Return whether one more lane or call with this many characters may be guarded. Count it, or report a refusal."""
        if self._lanes >= self._limits.max_lanes or (weight and self._held + weight > self._limits.max_held):
            self.note("too many lanes")
            return False
        self._lanes += 1
        return True
