"""`CallNumbers`: the numbers with which the calls of a stream leave. Clients fail at a gap, and join two calls with one number.

    event that leaves, the calls of its pieces -> numbered -> the event with their numbers
    event that passes unread -> note_unread;  promoted call, held call -> reserve, renumber

It changes the numbers in an event and nothing else, and does not decide what leaves.

Rule 1: a call gets its number when its first piece leaves, and keeps it: its own number while no call of its choice has been
held or promoted, and the lowest free number from then on.
Rule 2: where the first piece of a call has passed unread, with its own number, the other pieces leave with that too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..protocols import Event, Lane, Protocol
from .native_call import NativeCall


class CallNumbers:
    """The numbers of the calls of one stream. Each choice has numbers of its own."""

    __slots__ = ("_choices", "_protocol", "_renumbered", "begun_unread")

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._choices: dict[Lane, _Numbers] = {}
        self._renumbered: set[Lane] = set()  # the choices of which a call was held or promoted
        self.begun_unread: Final[set[Lane]] = set()
        """The keys of the calls of which the first piece has passed unread; only this class changes it."""

    def numbered(self, event: Event, calls: Sequence[NativeCall | None]) -> Event:
        """Return an event that leaves, with the numbers of the calls that its pieces belong to; None for one of too many."""
        numbers = [self._number(call) if call is not None else None for call in calls]
        own = [
            call.key[-1] if call is not None and number is not None else None
            for call, number in zip(calls, numbers, strict=True)
        ]
        return event if numbers == own else self._protocol.numbered(event, numbers)

    def _number(self, call: NativeCall) -> int | None:
        """Return the number with which a call leaves; it is assigned when its first piece leaves. None if it has no index."""
        if call.number is None and isinstance(call.key[-1], int):
            numbers = self._of(call.key)
            keeps = not self.renumbers(call.key) or (call.key in self.begun_unread and not call.name)
            call.number = call.key[-1] if keeps else numbers.lowest()
            numbers.note(call.number)
        return call.number

    def begin_unread(self, key: Lane) -> None:
        """Note that a piece of a call that had not begun passes unread: it leaves with its own number."""
        self.begun_unread.add(key)

    def renumber(self, key: Lane) -> None:
        """Note that a call is held, so that later calls of its choice get new numbers."""
        self._renumbered.add(key[:1])

    def renumbers(self, key: Lane) -> bool:
        """Return whether a call of a choice was held or promoted."""
        return key[:1] in self._renumbered

    def reserve(self, group: Lane, number: int) -> None:
        """Note that a promoted call has this number: no native call gets it."""
        self.renumber(group)
        self._of(group).note(number)

    def note_unread(self, event: Event) -> None:
        """Note the numbers of the calls in an event that passes unread."""
        for piece in self._protocol.calls(event):
            choice, own = piece.call[0], piece.call[-1]
            if isinstance(own, int):
                self._of((int(choice),)).note(own)

    def _of(self, key: Lane) -> _Numbers:
        """Return the numbers of the calls of a choice; `key` is the choice's, or that of a call in it."""
        found = self._choices.get(key[:1])
        if found is None:
            found = self._choices[key[:1]] = _Numbers()
        return found


class _Numbers:
    """The numbers of the calls of one choice that have left."""

    __slots__ = ("_free", "_taken")

    def __init__(self) -> None:
        self._free = 0  # no lower number is free
        self._taken: set[int] = set()

    def note(self, number: int) -> None:
        """Note that a call has left, or leaves, with this number."""
        self._taken.add(number)

    def lowest(self) -> int:
        """Return the lowest number with which no call has left."""
        while self._free in self._taken:
            self._free += 1
        return self._free
