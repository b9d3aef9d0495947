"""`Gaps`: the places of the calls that are not sent on, in protocols whose clients fill the places of a message in order.

Rule: calls and texts that leave after such a place move up, so that clients meet no gap. An event about a place that has left
keeps its place. In an event that passes unread its place is changed too: in its text, if its parts are not known.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from itertools import islice
from typing import Final

from ..protocols import Event, Protocol
from ..protocols.access import get

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_NUMBER: Final = re.compile(rb"\s*+:\s*+([0-9]{1,9})(?=[^0-9.eE])")

_MOST_TOKENS: Final = 4_096
"""Limit: strings and brackets at the beginning of an event that is not parsed, among which its place is searched for."""


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

    def placed_unread(self, event: Event) -> tuple[Event, ...]:
        """Return an event of any shape that passes unread, with the place that it has in the sent message; nothing if it is
        about a call that is not sent on. The event may be null.
        """
        place = get(event, self._protocol.places) if self._empty and self._protocol.places else None
        if type(place) is not int:
            return (event,)
        sent = self._sent(place)
        return () if sent is None else (self._at(event, place, sent),)

    def placed_text(self, raw: bytes) -> bytes | None:
        """Return the same for the bytes of an event, or for its first bytes."""
        found = _number_of(raw, self._protocol.places.encode()) if self._empty and self._protocol.places else None
        if found is None:
            return raw
        sent = self._sent(int(found[1]))
        return None if sent is None else b"%s%d%s" % (raw[: found.start(1)], sent, raw[found.end(1) :])

    def moved(self, event: Event) -> Event:
        """Return an event with the place that it has in the sent message."""
        place = self._protocol.place(event) if self._empty else None
        return self._at(event, place, self._moved(place)) if place is not None else event

    def _sent(self, place: int) -> int | None:
        """Return the place in the sent message of what passes unread; None if it is about a call that is not sent on."""
        return None if place in self._empty else self._moved(place)

    def _moved(self, place: int) -> int:
        """Return the place that one has in the sent message."""
        return place - bisect_left(self._empty, place)

    def _at(self, event: Event, place: int, sent: int) -> Event:
        """Return an event about a place with another one; the event itself if both are the same."""
        return self._protocol.moved(event, sent) if sent != place else event


def _number_of(raw: bytes, member: bytes) -> re.Match[bytes] | None:
    """Return where the number stands that a member of the JSON object in these bytes has; None if it is not found."""
    depth, begins = 0, raw.find(b"{")
    for token in islice(_TOKEN.finditer(raw, begins), _MOST_TOKENS) if begins >= 0 else ():
        if token[0] in (b"{", b"["):
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
        elif depth == 1 and token[0][1:-1] == member:
            found = _NUMBER.match(raw, token.end())
            if found is not None:
                return found
    return None
