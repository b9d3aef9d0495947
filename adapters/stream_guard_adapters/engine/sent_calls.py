"""`SentCalls`: the calls of a stream and how each was sent on, for the events that repeat them.

Rule: a call is recognised by its item and its place. Its id alone counts only if there is nothing else: providers send equal
and empty ids. Each call that an event repeats came before, and two repeated calls are never the same earlier one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from ..protocols import AS_IT_CAME, Piece, Repeated, Sent


@dataclass(slots=True, eq=False)
class SentCall:
    """One call that has begun, and how it was sent on."""

    id: str | None
    """Its id; None until a piece has had it."""

    item: str | None
    """The id of the item that it is in; None if it is in none."""

    place: int | None
    """Its place in the message; None if its protocol has no places."""

    sent: Sent = AS_IT_CAME
    """The call as it was sent on."""

    def learn(self, piece: Piece) -> bool:
        """Take over the ids of a piece of the call. Return whether the call has its id from this piece."""
        new = self.id is None and piece.id is not None
        self.id, self.item = self.id or piece.id, self.item or piece.item
        return new

    def has(self, piece: Piece) -> bool:
        """Return whether a piece with this call's key belongs to this call, and not to another call with that key."""
        if piece.item and self.item:
            return piece.item == self.item
        return piece.id is not None and piece.id == self.id


class SentCalls:
    """The calls of one stream, in the order in which they began."""

    __slots__ = ("_all", "_most", "_size", "by_id")

    def __init__(self, most: int) -> None:
        self._all: Final[list[SentCall]] = []  # there are no more than lanes
        self._most: Final = most
        self._size = 0  # characters of the arguments that were sent on
        self.by_id: Final[dict[str, list[Sent]]] = {}
        """How the calls were sent on, by their ids; those with the same id in the order in which they left."""

    def begin(self, piece: Piece) -> SentCall:
        """Return the record of a call that begins with this piece."""
        place = piece.call[-1]
        made = SentCall(piece.id, piece.item, place if isinstance(place, int) else None)
        self._all.append(made)
        return made

    def settle(self, call: SentCall, sent: Sent) -> None:
        """Note how a call is sent on. If that is more than may be kept, a later event that repeats the call loses it."""
        self._size += len(sent[1]) if isinstance(sent, tuple) else 0
        call.sent = sent if self._size <= self._most else None
        if call.id is not None:
            self.by_id.setdefault(call.id, []).append(call.sent)

    def matching(self, calls: Sequence[Repeated]) -> list[SentCall | None]:
        """Return the record of each call that an event repeats; None for a call that has not begun.

        `_TELLS` are tried one after the other. Of several calls that match equally, the first that is left is taken.
        """
        found: list[SentCall | None] = [None] * len(calls)
        if not self._all:
            return found
        left: set[SentCall] = set(self._all)
        for tells in _TELLS:
            known: defaultdict[Hashable, list[SentCall]] = defaultdict(list)
            for one in reversed(self._all):
                if one in left and (key := tells(one.id or "", one.item or "", one.place)) is not None:
                    known[key].append(one)
            for nth, call in enumerate(calls):
                key = tells(call.id or "", call.item or "", call.place) if found[nth] is None else None
                if key is None or not known[key] or (tells in _WITHOUT_ID and call.id and known[key][-1].id):
                    continue
                found[nth] = one = known[key].pop()
                left.discard(one)
            if all(found) or not left:
                break
        return found


_Tells = Callable[[str, str, int | None], Hashable]

_WITHOUT_ID: Final[tuple[_Tells, ...]] = (
    lambda one, item, place: item or None,  # noqa: ARG005
    lambda one, item, place: place,  # noqa: ARG005
)
"""The parts of a call by which it is recognised if it came, or is repeated, without an id."""

_TELLS: Final[tuple[_Tells, ...]] = (
    lambda one, item, place: (one, item, place) if item and place is not None else None,
    lambda one, item, place: (one, item) if item else None,  # noqa: ARG005
    lambda one, item, place: (one, place) if place is not None else None,  # noqa: ARG005
    lambda one, item, place: one,  # noqa: ARG005
    *_WITHOUT_ID,
)
"""The parts of a call (id, item, place) by which it is recognised, the surest combination first."""
