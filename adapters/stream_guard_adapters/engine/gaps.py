"""`Gaps`: the places of the calls that are not sent on, in protocols whose clients fill the places of a message in order.

Rule: calls and texts that leave after such a place move up, so that clients meet no gap. An event about a place that has left
keeps its place.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from ..protocols import Event, Protocol


class Gaps:
    """The places of one message that stay empty."""

    __slots__ = ("_empty", "_highest", "_protocol", "_unended")

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._empty: list[int] = []  # in order, as far as the places after them move up
        self._unended: set[int] = set()  # those whose last event is still to come, which does not leave
        self._highest = -1  # the highest place of an event that has left

    def __bool__(self) -> bool:
        return bool(self._empty or self._unended)

    def add(self, place: int) -> None:
        """Note that the call at a place is not sent on."""
        self._unended.add(place)
        if place > self._highest:
            insort(self._empty, place)

    def placed(self, event: Event) -> Event | None:
        """Return an event with the place that it has in the sent message; None for the end of a call that is not sent on."""
        place = self._protocol.place(event)
        if place is None:
            return event
        if place in self._unended and self._protocol.only_ends(event):
            self._unended.discard(place)
            return None
        if place in self._unended and self._protocol.about(event) is not None:
            return None
        self._highest = max(self._highest, place)
        return self.moved(event)

    def moved(self, event: Event) -> Event:
        """Return an event with the place that it has in the sent message."""
        place = self._protocol.place(event) if self._empty else None
        up = bisect_left(self._empty, place) if place is not None else 0
        return self._protocol.moved(event, place - up) if place is not None and up else event
