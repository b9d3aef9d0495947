"""`WaitingEvents`: the events of a stream that cannot leave yet, and what is known of them while they wait.

An event waits for one of two things: for the reason why a message ended inside a block or a call, or for the end of a held
call before whose place it may not leave. Whoever takes the events out feeds them again, in their order; meanwhile
`cause_of` and `begins_later` tell what the events say together.

Rule: the calls of an event that waits may be read before its turn. Then the event waits in halves: what is left of it, and
the calls that end with it. An event whose calls were not read hides all later pieces of these calls: they are passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from stream_guard import StreamEnd

from ..protocols import EVERY, Event, Lane, Protocol
from .call_ends import Ending
from .capacity import Capacity

Waiting = list[tuple[Event, int]]
"""Events that wait, each with its size in characters."""


class Half(NamedTuple):
    """A waiting event whose calls were read already."""

    event: Event
    """The event. It is kept so that no other object gets its `id`."""

    left: Event | None
    """The rest of the event."""

    ends: list[Ending]
    """The calls that end with the event; they are closed when its turn comes."""


class WaitingEvents:
    """The waiting events of one stream."""

    __slots__ = (
        "_capacity",
        "_causes",
        "_choices",
        "_ended_open",
        "_halves",
        "_later",
        "_passed_over",
        "after_call",
        "any",
        "for_reason",
    )

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self.any = False
        """Whether any event waits."""
        self.for_reason: Final[Waiting] = []
        """The events that wait for a reason; only this class changes it."""
        self.after_call: Final[Waiting] = []
        """The events about a place after a held call; only this class changes it."""
        self._choices: set[Lane] = set()  # those whose reason is waited for
        self._ended_open: list[Lane] = []  # lanes that ended inside a block, for a reason that is not known yet
        self._halves: dict[int, Half] = {}  # by `id` of their events
        self._passed_over: set[Lane] = set()  # the keys of the calls in waiting events that were not read
        self._causes: Mapping[Lane, StreamEnd] = {}  # the ends, by choice, of the events that are being fed again
        self._later: Collection[Lane] = ()  # the choices, or the message, of the calls that begin in those still to be fed

    # -- the queues ----------------------------------------------------------------------------------------------------

    def put(self, event: Event, size: int, *, after_call: bool = False) -> None:
        """Let an event of this size wait for a reason, or for the end of a call."""
        (self.after_call if after_call else self.for_reason).append((event, size))
        self.any = True
        self._capacity.hold(size)

    def take(self) -> Waiting:
        """Return the events that waited for a reason. No reason is waited for any more."""
        self._choices = set()
        return self._taken(self.for_reason)

    def take_after_call(self) -> Waiting:
        """Return the events that waited for the end of a call."""
        return self._taken(self.after_call)

    def _taken(self, events: Waiting) -> Waiting:
        """Remove all events of a queue, and return them."""
        out = list(events)
        events.clear()
        self.any = bool(self.for_reason or self.after_call)
        if not self.any:
            self._passed_over.clear()
        self._capacity.hold(-sum(size for _, size in out))
        return out

    # -- reasons -------------------------------------------------------------------------------------------------------

    def await_reasons(self, choices: Iterable[Lane]) -> None:
        """Note that the events wait for the reasons of these choices."""
        self._choices.update(choices)

    def note_ended_open(self, lane: Lane) -> None:
        """Note that a lane has ended inside a block: how the block ended depends on the reason of its choice."""
        self._ended_open.append(lane)
        self._choices.add(lane[:1])

    def take_ended_open(self) -> list[Lane]:
        """Return the lanes that ended inside a block, and forget them."""
        lanes, self._ended_open = self._ended_open, []
        return lanes

    def awaits(self, reasons: Mapping[Lane, StreamEnd]) -> bool:
        """Return whether one of these reasons, each of a choice or of `EVERY`, is waited for."""
        return EVERY in reasons or not self._choices.isdisjoint(reasons)

    @contextmanager
    def knowing(self, causes: Mapping[Lane, StreamEnd] | None, later: Collection[Lane] = ()) -> Generator[None]:
        """Feed events again: from now on these causes are known, or the same as before; and calls begin later in these
        choices.
        """
        before = self._causes
        self._causes, self._later = before if causes is None else causes, later
        try:
            yield
        finally:
            self._causes, self._later = before, ()

    @property
    def knows_causes(self) -> bool:
        """Whether the events that are fed now have said how anything ends."""
        return bool(self._causes)

    def cause_of(self, lane: Lane) -> StreamEnd | None:
        """Return why a lane or a call of the events has ended; None if no event has given the reason."""
        return self._causes.get(lane[:1]) or self._causes.get(EVERY)

    def begins_later(self, group: Lane) -> bool:
        """Return whether a call of this choice, or of the message, begins in an event that is still to be fed."""
        return group in self._later

    # -- calls that were read before their event -----------------------------------------------------------------------

    def keep_half(self, event: Event, left: Event | None, ends: list[Ending]) -> None:
        """Keep what is left of an event whose calls were read, and the calls that end with it."""
        self._halves[id(event)] = Half(event, left, ends)

    def take_half(self, event: Event) -> Half | None:
        """Return what is left of an event whose calls were read, and forget it; None if they were not read."""
        return self._halves.pop(id(event), None)

    def was_read(self, event: Event) -> bool:
        """Return whether the calls of an event were read."""
        return id(event) in self._halves

    def pass_over(self, calls: Iterable[Lane]) -> None:
        """Note that an event with pieces of these calls waits unread."""
        self._passed_over.update(calls)

    @property
    def passed_over(self) -> Collection[Lane]:
        """The keys of the calls of which a piece waits unread."""
        return self._passed_over


def last_begun(events: Waiting, protocol: Protocol) -> dict[Lane, int]:
    """Return the number of the last of these events in which a call begins, for each choice or for the message."""
    found: dict[Lane, int] = {}
    for nth, (event, _) in enumerate(events):
        with suppress(Exception):  # the event is reported when it is fed
            if not protocol.reads(event):
                continue
            found.update((piece.call[:-1], nth) for piece in protocol.calls(event) if piece.name)
            if protocol.place(event) is not None:  # the end of a message repeats those before it
                found.update((group, nth) for group, _ in protocol.unread_calls(event))
    return found
