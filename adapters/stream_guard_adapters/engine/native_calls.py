"""The native calls of one stream: their arguments are held, validated like a block, and sent on whole.

    event -> feed -> CallPieces -> CallSessions, HeldCalls -> what is left of the event
    event -> CallEnds -> close -> CallClosing -> CallJudging -> CallOutcomes -> the events of the call
    event that leaves -> RepeatedCalls, SentGroups, Gaps -> without the calls that are not sent on

The arguments of a call are JSON without a fence. With the tool's name put in front they are the body of a block, and are
treated as one: valid arguments are sent on as they were written, and those that can be fixed are fixed. A call that cannot be
fixed fails. It is sent on as it was written (`mend`), so that its client can tell the model what is wrong, or not at all
(`withhold`).

`Calls` says what an event has to do with calls, and which part of it is left. What is done with a call stands in the classes
named here, of which none knows `Calls`; none of them decides when an event is read, which `Lanes` does.

Rule 1: only calls of tools that the guard knows are held. The others pass, once the held calls before them have left.
Rule 2: only its last bracket shows that a call is complete. A call without its last bracket was cut off, whatever the provider
reports and whatever else is wrong with it. It is never sent on.
Rule 3: once the guard has failed on an event with calls, no piece of any call is sent on: nobody knows which pieces were read.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from typing import Any, Final

from stream_guard import End, Guard, StreamEnd, ToolBlock
from stream_guard.spi import EVENT, Aside, Spent

from ..protocols import Event, Lane, Piece, Protocol
from ..protocols.object_text import END
from .call_closing import CallClosing
from .call_ends import CallEnds
from .call_judging import CallJudging
from .call_numbers import CallNumbers
from .call_order import CallOrder
from .call_outcomes import CallOutcomes
from .call_pieces import CallPieces
from .call_policy import CallPolicy
from .call_sessions import CallSessions
from .call_table import CallTable
from .capacity import Capacity
from .event_numbers import EventNumbers
from .gaps import Gaps
from .held_calls import HeldCalls
from .native_call import NativeCall, Phase
from .passed_calls import PassedCalls
from .repeated_calls import RepeatedCalls
from .sent_calls import SentCalls
from .sent_groups import SentGroups
from .settings import Native

_IN_A_ROW: Final = 32
"""The pieces of calls in an event that are taken before other tasks may run."""


class Calls:
    """The native calls of one stream.

    Args:
        guard: How to guard them.
        protocol: The protocol of the stream.
        prefix: What the names of their sessions begin with.
        mode: What the app wants to happen to native calls.
        spent: What the guard's model has cost the stream so far.
        capacity: How much the stream may hold, and in how many lanes and calls.
        events: The numbers of its events, by what is held of them.
        follows: Whether the arguments of calls that pass are kept, for `unknown`.
    """

    __slots__ = (
        "_capacity",
        "_closing",
        "_held",
        "_holds",
        "_order",
        "_pieces",
        "_protocol",
        "_repeated",
        "_table",
        "_tools",
        "ends",
        "gaps",
        "groups",
        "numbers",
        "passed",
        "sessions",
    )

    def __init__(
        self,
        guard: Guard,
        protocol: Protocol,
        prefix: str,
        mode: Native,
        spent: Spent,
        capacity: Capacity,
        events: EventNumbers,
        *,
        follows: bool = False,
    ) -> None:
        policy = CallPolicy(guard, protocol, mode)
        sent_calls, judging = SentCalls(guard.limits.max_held), CallJudging(policy.guard)
        self._holds = policy.holds
        self._tools = policy.guard.tools
        self._capacity = capacity
        self._protocol = protocol
        self._order = order = CallOrder(guard.limits.max_lanes)
        self._table = table = CallTable(protocol, capacity, sent_calls, order)
        self._held = held = HeldCalls()
        self.numbers: Final = CallNumbers(protocol)
        """The numbers with which the calls leave."""
        self.gaps: Final = Gaps(protocol)
        """The places of calls that are not sent on."""
        self.groups: Final = SentGroups(protocol, capacity, guard.limits.max_lanes)
        """The choices, or the message, of which calls are sent on, or left out."""
        self.sessions: Final = CallSessions(policy, prefix, spent, follows=follows)
        """What judges the calls, and what is known of them by their blocks."""
        self.passed: Final = PassedCalls(policy.guard, prefix, follows=follows)
        """The calls that have passed because the guard does not know their tools, or because there were too many."""
        outcomes = CallOutcomes(protocol, policy, capacity, events, self.numbers, sent_calls, self.groups, self.gaps)
        self._closing = CallClosing(capacity, events, table, held, judging, outcomes)
        self._pieces = CallPieces(
            protocol,
            policy,
            guard.limits,
            capacity,
            events,
            order,
            table,
            held,
            self.numbers,
            self.sessions,
            outcomes,
            self._closing,
            self.passed,
        )
        self.ends: Final = CallEnds(
            protocol, order, table, sent_calls, judging, self._pieces, self._closing, holds=policy.holds
        )
        """What the events say of the ends of the calls."""
        self._repeated = RepeatedCalls(protocol, policy, capacity, sent_calls, self.groups)

    @property
    def holding(self) -> bool:
        """Whether a call is held, or is kept until its name comes."""
        return self._holds and bool(self._held.calls)

    @property
    def aborted(self) -> Collection[Lane]:
        """The choices of the calls that were aborted, because they cannot pass."""
        return self._closing.aborted

    # -- what an event has to do with calls ----------------------------------------------------------------------------

    def pieces(self, event: Event) -> Sequence[Piece]:
        """Return the pieces of calls in an event, each under the key of its call, even if the piece itself lacks the key."""
        pieces = self._protocol.calls(event)
        return [self._table.keyed(piece) for piece in pieces] if pieces else pieces

    def takes(self, event: Event) -> bool:
        """Return whether a piece of a call in an event may be held, or waits after a call that is held."""
        pieces = self.pieces(event) if self._holds else ()
        knows = self._tools.knows
        return bool(pieces) and (self.holding or any(piece.name and knows(piece.name) for piece in pieces))

    def may_overtake(self, pieces: Sequence[Piece], passed_over: Collection[Lane]) -> bool:
        """Return whether pieces of calls may be read before the events that wait for their turn.

        They may if all belong to guarded calls, of which nothing has left yet, and if no waiting piece may belong to the same
        call. `passed_over` has the keys of the waiting pieces.
        """
        return not self._closing.failed and all(self._is_guarded(piece, passed_over) for piece in pieces)

    def _is_guarded(self, piece: Piece, passed_over: Collection[Lane]) -> bool:
        call = self._table.continued_by(piece)
        if call is not None:
            return call.phase.is_ours and piece.call not in passed_over
        if not piece.name or not self._tools.knows(piece.name):
            return False
        return not self._table.has_ended(piece) and (piece.call not in passed_over or (piece.begins and piece.whole))

    def expect(self, event: Event, pieces: Sequence[Piece]) -> None:
        """Number the calls in an event that waits: calls in later events may be read before this event."""
        for nth, piece in enumerate(pieces):
            if piece.name:
                self._order.expect(event, nth, self._protocol.place(event))

    def behind(self, event: Event) -> bool:
        """Return whether an event is about a place after a held call: clients would miss the place of that call."""
        place = self._protocol.place(event) if self._holds and self._table.open else None
        first = self._held.first() if isinstance(place, int) else None
        return place is not None and first is not None and place > first[0]

    def is_within(self, event: Event) -> bool:
        """Return whether an event has a text in the place of a held call: clients cannot know that place yet."""
        return self._about(event) is not None and bool(self._protocol.texts(event))

    def keeps(self, event: Event, size: int, out: list[Any]) -> bool:
        """Keep an event that is about a held call without having a piece of it, and return whether it was kept.

        The event leaves with the call. What leaves because too much is held is appended to `out`.
        """
        call = self._about(event)
        if call is None or self._protocol.call_ends(event, self._table.open) or self._protocol.texts(event):
            return False
        call.keep(event, size)
        if self._capacity.full:
            out += self._closing.overflow(call)
        return True

    def _about(self, event: Event) -> NativeCall | None:
        """Return the held call that an event is about, if the event has no piece of it."""
        key = self._protocol.about(event) if self._holds and self._table.open else None
        calls = self._table.open.get(key, ()) if key is not None else ()
        return next((call for call in calls if call.phase is Phase.HELD), None)

    # -- the pieces of calls in an event -------------------------------------------------------------------------------

    def feed(self, event: Event, size: int, out: list[Any]) -> Generator[Aside[None], None, Event | None]:
        """Take the pieces of calls in an event of this size, 0 if that is unknown. Append what leaves to `out`; return what is
        left of the event. Many pieces take long: after every few of them other tasks may run.
        """
        if self._closing.failed:
            return self._repeated.uncalled(event)
        pieces = self._protocol.calls(event)
        if not pieces:
            return event
        if self._protocol.is_no_text(event) and self._pieces.take_stray(pieces[0]):
            self._capacity.note("odd event")
            return event
        held: set[int] = set()
        passed: list[NativeCall | None] = []
        for nth, piece in enumerate(pieces):
            if nth and not nth % _IN_A_ROW:
                yield Aside(lambda: None)
            piece = self._table.keyed(piece)
            if END in piece.members:
                self.ends.note_last_part(piece.call)
            if self._pieces.take(piece, nth, event, size, out):
                held.add(nth)
                self.numbers.renumber(piece.call)
            else:
                call = self._table.latest(piece.call)  # None for one of too many
                passed.append(call)
                if call.name if call is not None else piece.name:
                    self.groups.note_sent(piece.call[:-1])
        left = self._protocol.without_calls(event, held) if held else event
        return self.numbers.numbered(left, passed) if left is not None else None

    def reserve(self, group: Lane, number: int) -> None:
        """Note that a promoted call has this number. No native call gets it, and no late piece with it counts."""
        self.numbers.reserve(group, number)
        self._table.reserve((*group, number))

    def has_sent_whole(self, group: Lane) -> bool:
        """Return whether calls of a choice, or of the message, have left, and the last one is not still being sent."""
        last = self._table.last(group)
        passes = last is not None and last.phase is not Phase.OVER and last in self._table.open.get(last.key, ())
        return self.groups.has_sent(group) and not passes

    def unknown(self) -> list[ToolBlock]:
        """Return a failed block for each call of a tool that the guard does not know, and for each that was one too many."""
        found: list[ToolBlock] = []
        for block, nth in self.passed.blocks():
            found.append(block)
            self.sessions.begun[block.id] = nth
        return found

    # -- ends ----------------------------------------------------------------------------------------------------------

    def close(self, call: NativeCall, cause: StreamEnd, *, more: bool = False) -> Iterator[Any]:
        """End a call. `more` says that another call of its choice or message begins after it."""
        if not self._table.close(call):
            return
        named: list[Any] = []
        if call.phase is Phase.NAMING and call.spelt and not self._closing.failed:  # it has ended, so its name is whole
            self._pieces.name(call, call.events[0] if call.events else None, named)
        self._held.drop(call)
        yield from named
        yield from self._closing.close(call, cause, more=more)

    def close_first(self, cause: StreamEnd) -> Iterator[Any]:
        """End the calls at the first place with a held call. The calls at later places wait for them."""
        first = self._held.first()
        for call in list(self._table.open[first[1].key]) if first is not None else ():
            yield from self.close(call, cause)

    def close_all(self, cause: StreamEnd) -> Iterator[Any]:
        """End all calls, because the stream ends."""
        for call in self._table.all():
            # Without arguments and without a reason nobody knows whether any were to come.
            yield from self.close(call, "disconnect" if cause == "unknown" and call.arguments.is_empty else cause)

    def overflow(self) -> Iterator[Any]:
        """End the calls that are held, because too much waits for them."""
        for call in list(self._held.calls):
            if call.phase is Phase.HELD:
                yield from self._closing.overflow(call)

    def passing_unread(self, event: Event) -> Event | None:
        """Return what leaves now of an event of any shape that passes unread; None for nothing. Raises whatever it raises.

        A piece of a call that is held, or was judged, does not leave: without the call it has no place. One of a call that
        is not certain yet, or waits, leaves with that call; one of a call that passes has the number of that.
        """
        kept: set[int] = set()
        passing: list[NativeCall | None] = []
        for nth, piece in enumerate(self._protocol.calls(event)):
            call = self._table.latest(piece.call) if not piece.begins else None
            late = call is None and not (piece.begins or piece.name) and self._table.is_judged(piece.call)
            waits = call is not None and call.phase in (Phase.NAMING, Phase.WAITS)
            if self._holds and (late or waits or (call is not None and call.phase.is_ours)):
                kept.add(nth)
                if call is not None and waits:
                    call.keep(self._protocol.alone(event, nth), EVENT)
                continue
            if call is None:
                self.numbers.begin_unread(piece.call)
            passing.append(call)
        left = self._protocol.without_calls(event, kept) if kept else event
        return self.numbers.numbered(left, passing) if left is not None else None

    def may_lack_a_part(self) -> None:
        """Note that an event passed unread that may have had a part of any call that is open."""
        for call in self._table.all():
            if call.phase.reads and not call.arguments.twice:
                call.may_lack_a_part()

    def fail(self, event: Event | None, error: Exception) -> Iterator[Any]:
        """End the held calls as failed, since the guard failed on an event that is, or may be, about one of them.

        `event` is None if the guard failed between two events: then the call concerned is unknown. From then on no piece of
        any call is sent on, since it is unknown which pieces were read.
        """
        if not self._holds or not (event is None or self.holding or self._may_call(event)):
            return
        self._closing.failed = True
        for call in self._table.all():
            if call.phase in (Phase.HELD, Phase.WAITS):
                yield from self._closing.fail(call, error)

    def _may_call(self, event: Event) -> bool:
        """Return whether an event has, or may have, a piece of a call, or repeats a call."""
        return not isinstance(event, End) and self._repeated.any_in(event)

    # -- what leaves ---------------------------------------------------------------------------------------------------

    def uncalled(self, event: Event) -> Event | None:
        """Return an event without its calls, after the guard has failed on a call; None if it has nothing else, or its calls
        cannot be determined.
        """
        return self._repeated.uncalled(event) if self._closing.failed else event

    def recalled(self, event: Event) -> Event | None:
        """Return an event with the calls that it repeats as they were sent on; None for the result of a call that was not."""
        return self._repeated.recalled(event)
