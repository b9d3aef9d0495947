"""`Outcomes`: what became of the calls of a stream, for the events that repeat them.

Rule: a call is recognised by its item and its place. Its id alone counts only where there is nothing else: providers send equal
and empty ids. Each call that an event repeats is one that came before, and no two of them are the same one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from ..protocols import AS_IT_CAME, Piece, Repeated, Sent


@dataclass(slots=True, eq=False)
class Outcome:
    """One call that has begun, and what became of it."""

    id: str | None
    """Its id; None as long as no piece has had it."""

    item: str | None
    """The id of the item that it is in; None where it has none."""

    place: int | None
    """Its place in the message; None where its protocol has none."""

    sent: Sent = AS_IT_CAME
    """The call as it was sent on."""

    def learn(self, piece: Piece) -> None:
        """Note the ids in a piece of the call."""
        self.id, self.item = self.id or piece.id, self.item or piece.item

    def has(self, piece: Piece) -> bool:
        """Return whether a piece with the key of this call belongs to it, and not to another call with that key."""
        if piece.item and self.item:
            return piece.item == self.item
        return piece.id is not None and piece.id == self.id


class Outcomes:
    """The calls of one stream, in the order in which they began."""

    __slots__ = ("_all",)

    def __init__(self) -> None:
        self._all: Final[list[Outcome]] = []  # there are no more than lanes

    def begin(self, piece: Piece) -> Outcome:
        """Return the outcome of a call that begins with this piece."""
        place = piece.call[-1]
        made = Outcome(piece.id, piece.item, place if isinstance(place, int) else None)
        self._all.append(made)
        return made

    def matching(self, calls: Sequence[Repeated]) -> list[Outcome | None]:
        """Return the outcome of each call that an event repeats; None for one that did not come before.

        `_TELLS` are tried one after the other. Of several calls that match equally, the first that is left is taken.
        """
        found: list[Outcome | None] = [None] * len(calls)
        if not self._all:
            return found
        left: set[Outcome] = set(self._all)
        for tells in _TELLS:
            known: defaultdict[Hashable, list[Outcome]] = defaultdict(list)
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
"""By what a call is recognised if it came, or is repeated, without an id."""

_TELLS: Final[tuple[_Tells, ...]] = (
    lambda one, item, place: (one, item, place) if item and place is not None else None,
    lambda one, item, place: (one, item) if item else None,  # noqa: ARG005
    lambda one, item, place: (one, place) if place is not None else None,  # noqa: ARG005
    lambda one, item, place: one,  # noqa: ARG005
    *_WITHOUT_ID,
)
"""By what a call is recognised, of its id, its item and its place: what is surest comes first."""
