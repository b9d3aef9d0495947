"""`HeldCalls`: the calls of a stream that are held now, in the order in which they came, and by their places in the message.

    call that is held, or kept until its name comes -> hold, place -> first, calls -> the calls for which others wait
    call that leaves, passes or ends -> drop

It holds no event, and ends no call.

Rule: in protocols whose clients fill the places of a message in order, what is about a later place waits for the first place
with a held call.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Final

from .native_call import NativeCall


class HeldCalls:
    """The calls of one stream that are held."""

    __slots__ = ("_placed", "_places", "calls")

    def __init__(self) -> None:
        self.calls: Final[dict[NativeCall, None]] = {}
        """The calls that are held, in order; only this class changes it."""
        self._places: list[tuple[int, int, NativeCall]] = []  # a heap of the places of those held; some are held no more
        self._placed = 0  # how many calls were given a place

    def keep(self, call: NativeCall) -> None:
        """Note that a call is held, if it is not yet: something of it was kept."""
        self.calls.setdefault(call)

    def hold(self, call: NativeCall) -> None:
        """Note that a call is held and validated from now on. Where calls have places, it has its own."""
        self.calls[call] = None
        place = call.key[0]
        if isinstance(place, int):
            self._placed += 1
            heappush(self._places, (place, self._placed, call))

    def drop(self, call: NativeCall) -> None:
        """Note that a call is held no more."""
        self.calls.pop(call, None)

    def first(self) -> tuple[int, NativeCall] | None:
        """Return the first place with a held call, and that call; None if no held call has a place."""
        while self._places and self._places[0][2] not in self.calls:
            heappop(self._places)
        return (self._places[0][0], self._places[0][2]) if self._places else None
