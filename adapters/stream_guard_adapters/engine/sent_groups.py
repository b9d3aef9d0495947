"""`SentGroups`: of which choices, or messages, calls are sent on, and of which none is though they had calls.

    call that leaves, event with an unread call -> note_sent, note_unread -> has_sent
    call that is not sent on -> note_left_out -> without -> the event that ends the message, with a reason that is true

It keeps the groups, and not the calls in them.

Rule: if no call of a message is sent on, the message does not claim to have calls; and if one of them was cut off, the message
was.
"""

from __future__ import annotations

from ..protocols import Event, Lane, LeftOut, Protocol
from ..protocols.base import NAME
from .capacity import Capacity


class SentGroups:
    """The choices of one stream that have, or had, calls; `()` in place of a choice is the whole message.

    Args:
        protocol: The protocol of the stream.
        capacity: Where calls that are not read are reported.
        most: How many of these are told apart.
    """

    __slots__ = ("_capacity", "_left_out", "_most", "_protocol", "_sent", "_unread")

    def __init__(self, protocol: Protocol, capacity: Capacity, most: int) -> None:
        self._protocol = protocol
        self._capacity = capacity
        self._most = most
        self._sent: set[Lane] = set()
        self._left_out: dict[Lane, LeftOut] = {}  # those that none has left of, though they had calls, and why
        self._unread: set[tuple[Lane, str]] = set()  # the calls that are none of a tool with arguments, by choice and id

    def note_sent(self, group: Lane) -> None:
        """Note that a call of a choice, or of the message, leaves."""
        self._sent.add(group)
        self._left_out.pop(group, None)

    def note_left_out(self, group: Lane, why: LeftOut) -> None:
        """Note that a call of a choice, or of the message, is not sent on."""
        if group not in self._sent and self._left_out.get(group) != "length":
            self._left_out[group] = why

    def note_unread(self, event: Event) -> None:
        """Note the calls that the guard does not read in an event that leaves. They are counted: the message has calls."""
        for group, known in self._protocol.unread_calls(event):
            self.note_sent(group)
            one = (group, known[:NAME])
            if one not in self._unread and len(self._unread) < self._most:
                self._unread.add(one)
                self._capacity.note("unknown tool")

    def has_sent(self, group: Lane) -> bool:
        """Return whether a call of a choice, or of the message, has left."""
        return group in self._sent

    def without(self, event: Event) -> Event:
        """Return the event that ends a message. If no call was sent on, it no longer claims that the message has calls."""
        return self._protocol.uncalled(event, self._left_out) if self._left_out else event
