"""`CallOrder`: the order in which the calls of a stream begin. Some events wait, and calls in later events are read before
them.

Rule: a call in an event that waits has the place at which the event came, whenever the event is read.
"""

from __future__ import annotations

from heapq import heappop, heappush

from ..protocols import Event

Order = tuple[int, int]
"""Where a call stands: its place in the message, 0 where its protocol has no places, and its number among those that began."""


class CallOrder:
    """The order of the calls of one stream."""

    __slots__ = ("_began", "_expected", "_first", "_most")

    def __init__(self, most: int) -> None:
        self._most = most
        self._began = 0  # calls that began so far, read or not
        self._expected: dict[tuple[int, int], Order] = {}  # of those in events that wait: by `id`, and the nth piece
        self._first: list[tuple[Order, tuple[int, int]]] = []  # a heap of them; some wait no longer

    def next(self) -> int:
        """Return the number of a call that begins."""
        self._began += 1
        return self._began

    def expect(self, event: Event, nth: int, place: int | None) -> None:
        """Number the call that begins in the nth piece of an event that waits."""
        key = (id(event), nth)
        if len(self._expected) < self._most and key not in self._expected:
            order = self._expected[key] = (place or 0, self.next())
            heappush(self._first, (order, key))

    def take(self, event: Event, nth: int) -> int | None:
        """Return the number of the call that begins in the nth piece of an event that waited, and forget the event."""
        order = self._expected.pop((id(event), nth), None) if self._expected else None
        return order[1] if order is not None else None

    def comes_next(self, order: Order) -> bool:
        """Return whether no call before this place is still waited for."""
        while self._first and self._expected.get(self._first[0][1]) != self._first[0][0]:
            heappop(self._first)
        return not self._first or order < self._first[0][0]
