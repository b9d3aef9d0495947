"""`AbortedReply`: ends a reply of which no more is read, because a block or a call in it was aborted.

Clients want the end of what has begun: of parts, of choices, of the message. So it notes what begins and ends with the events
that leave; at the end of the stream the events that are missing are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ..protocols import EVERY, FEW, Event, Lane, Protocol


class AbortedReply:
    """What has begun and ended of one reply that may be aborted."""

    __slots__ = ("_begun", "_ended", "like")

    def __init__(self) -> None:
        self._begun: dict[str, Event] = {}  # what has begun and not ended, with the events that it began with
        self._ended: set[Lane] = set()  # the choices, or `EVERY`, whose end has left
        self.like: Event | None = None
        """The last event that came with text or a call."""

    def left(self, event: Event, protocol: Protocol) -> None:
        """Note what begins and ends with an event that leaves."""
        self._ended.update(lane if lane == EVERY else lane[:1] for lane, why in protocol.ends(event) if why)
        for name, begins in protocol.begun(event):
            self._begun.pop(name, None)
            if begins and len(self._begun) < FEW:
                self._begun[name] = event

    def unended(self, aborted: Iterable[Lane], protocol: Protocol, has_call: Callable[[Lane], bool]) -> dict[Lane, bool]:
        """Return which of these choices, or whether the message, no event has ended; and whether each has a call.

        Args:
            aborted: The choices in which a block or a call was aborted.
            protocol: The protocol of the stream.
            has_call: Whether a call of a choice, or of the message, has left.
        """
        groups: dict[Lane, bool] = {}
        for lane in sorted(aborted) if EVERY not in self._ended else ():
            group = protocol.numbering(lane)
            if group not in self._ended:
                groups[group] = any(map(has_call, (group, lane)))
        return groups

    def closing(self, unended: Mapping[Lane, bool], protocol: Protocol) -> Iterator[Event]:
        """Yield the events that end the reply: these choices, or the message, and what has begun in it."""
        if self.like is not None:
            yield from protocol.closing(self.like, unended, self._begun)
