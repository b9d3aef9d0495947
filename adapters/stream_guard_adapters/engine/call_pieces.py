"""`CallPieces`: takes the pieces of calls, one at a time.

    piece -> its call (CallTable) -> its name -> its arguments -> what leaves, and whether the piece is held

It decides by the name of a call whether the call is held, and by its size whether it ends early. It does not know what else is
in an event, and leaves it to `CallClosing` to end a call.

Rule 1: only calls of tools that the guard knows are held. The others pass, once the held calls before them have left.
Rule 2: a name may come in pieces, and is whole when the arguments begin. If more of it comes later, the longer name counts:
the call is validated under that, and the tool with the shorter name is not called.
Rule 3: of a held call only those events are kept which it needs to leave again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stream_guard import Limits
from stream_guard.spi import EVENT

from ..protocols import ELSEWHERE, Event, Lane, Piece, Protocol
from .call_closing import CallClosing
from .call_numbers import CallNumbers
from .call_order import CallOrder
from .call_outcomes import CallOutcomes
from .call_policy import CallPolicy
from .call_sessions import CallSessions
from .call_table import CallTable
from .capacity import Capacity, part_size
from .event_numbers import EventNumbers
from .held_calls import HeldCalls
from .native_call import NativeCall, Phase
from .passed_calls import PassedCalls


class CallPieces:
    """The pieces of the calls of one stream.

    Args:
        protocol: The protocol of the stream.
        policy: What is done with calls.
        limits: How much of a call may be held, and how many of its events.
        capacity: How much of the stream is held.
        event_numbers: The numbers of its events, by what is held of them.
        order: The order in which calls begin.
        table: The calls that have begun.
        held: Those that are held.
        numbers: The numbers with which they leave.
        sessions: What judges them.
        outcomes: What becomes of those that pass.
        closing: What ends those that are held.
        passed: The calls of tools that the guard does not know.
    """

    __slots__ = (
        "_capacity",
        "_closing",
        "_event_numbers",
        "_held",
        "_holds",
        "_limits",
        "_numbers",
        "_order",
        "_outcomes",
        "_passed",
        "_policy",
        "_protocol",
        "_sessions",
        "_table",
        "_tools",
    )

    def __init__(
        self,
        protocol: Protocol,
        policy: CallPolicy,
        limits: Limits,
        capacity: Capacity,
        event_numbers: EventNumbers,
        order: CallOrder,
        table: CallTable,
        held: HeldCalls,
        numbers: CallNumbers,
        sessions: CallSessions,
        outcomes: CallOutcomes,
        closing: CallClosing,
        passed: PassedCalls,
    ) -> None:
        self._protocol = protocol
        self._policy = policy
        self._holds = policy.holds
        self._tools = policy.guard.tools
        self._limits = limits
        self._capacity = capacity
        self._event_numbers = event_numbers
        self._order = order
        self._table = table
        self._held = held
        self._numbers = numbers
        self._sessions = sessions
        self._outcomes = outcomes
        self._closing = closing
        self._passed = passed

    def take(self, piece: Piece, nth: int, event: Event, size: int, out: list[Any]) -> bool:
        """Take the nth piece of an event of this size; return whether it is held. Append what leaves to `out`."""
        number = self._order.take(event, nth)
        call = self._table.call_of(piece, number)
        if call is None:
            self._refuse(piece, number)
            return False
        if piece.members:
            piece = call.told(piece)
        if call.place is None:
            call.place = self._protocol.place(event)
        if call.key in self._numbers.begun_unread and self._goes_on_unread(call, piece):
            call.leave_to_others()
        learns = call.sent_call.learn(piece)  # a stream that is resumed within a call has its id at the call's end
        if call.phase is Phase.OVER or (not call.opened and self._is_late(call, piece)):
            return self._holds
        if call.phase.is_others and self._becomes_ours(call, piece):
            self._capacity.note("late piece")
            call.stop()
            return True
        if piece.name or piece.repeats or call.phase is Phase.NAMING:
            self._take_name(call, piece, event, out)
        if call.follows:
            call.write(piece)
            if self._is_much(call):
                call.drop_arguments()
        if call.phase is Phase.WAITS:
            self._event_numbers.hold(call)
            self._keep(call, event, nth, size)
            if self._capacity.full or len(call.events) >= self._limits.max_waiting:
                out += self._let_go(call.key[:-1])
            return True
        if call.phase.reads:
            self._take_arguments(call, piece, out)
        if self._holds and call.phase.reads:
            if self._is_needed(call, piece, event, learns=learns):
                call.continued = call.continued or bool(call.events and piece.arguments)
                self._keep(call, event, nth, size)
                self._held.keep(call)
            self._event_numbers.hold(call)
        return self._holds and call.phase is not Phase.PASSES

    def take_whole(self, call: NativeCall, piece: Piece, out: list[Any]) -> None:
        """Take a piece that has the whole name or all arguments of a held call. Append what leaves to `out`."""
        if piece.name:
            self._spell(call, piece.name)
        new = call.write(piece) if piece.arguments else ""
        if new:
            self._grow(call, new, out)

    def take_stray(self, piece: Piece) -> bool:
        """Note arguments that are no text; return whether they are those of a call that has not begun.

        A call that begins later under the same key is not sent on: the client may have taken these arguments for the call's.
        """
        continued = self._table.continued_by(piece)
        if self._table.is_judged(piece.call) or (continued is not None and (continued.spelt or continued.events)):
            return False
        call = self._table.call_of(piece, None)
        if call is None:
            self._refuse(piece, None)
        else:
            call.arguments.contradict()
        return True

    def name(self, call: NativeCall, event: Event, out: list[Any]) -> None:
        """Act on the whole name of a call. A call of a known tool is validated; any other call passes when its turn comes."""
        self._held.drop(call)
        if not self._tools.knows(call.spelt):
            call.leave_to_others()
            self._note_unknown(call)
            if self._protocol.place(event) is None and self._is_behind(call):
                call.wait()
            else:
                out += self._outcomes.passing(call)
            return
        self._policy.warn()
        call.hold(self._sessions.new())
        self._held.hold(call)
        out.append(self._sessions.opened(call))
        self._grow(call, call.arguments.text, out)

    def _refuse(self, piece: Piece, number: int | None) -> None:
        """Note a piece of a call that is one of too many, with the number of the call if that is known."""
        if self._passed.follows and piece.name:
            self._passed.refuse(piece.call, piece.name, number or self._order.next())

    def _is_late(self, call: NativeCall, piece: Piece) -> bool:
        """Return whether a piece comes too late: its call has been judged. Report it if it has arguments."""
        late = self._table.is_late(call, piece)
        if late and self._holds and piece.arguments:
            self._capacity.note("late piece")
        return late

    def _goes_on_unread(self, call: NativeCall, piece: Piece) -> bool:
        """Return whether the first piece that is read of a call goes on with one whose beginning has passed unread."""
        new = call.phase is Phase.NAMING and not call.spelt and not call.events
        return new and not (piece.begins or (piece.id and piece.name))

    def _becomes_ours(self, call: NativeCall, piece: Piece) -> bool:
        """Return whether a piece gives a call that passes another name, of a tool that the guard knows: nobody has validated
        the arguments for that.
        """
        if not self._holds or self._protocol.joins_names:
            return False
        said = piece.name or (piece.repeats if call.spelt != ELSEWHERE else None)
        return bool(call.spelt and said and said != call.spelt and self._tools.knows(said))

    # -- its name ------------------------------------------------------------------------------------------------------

    def _take_name(self, call: NativeCall, piece: Piece, event: Event, out: list[Any]) -> None:
        """Read on in the name of a call, and act on it once it is whole."""
        if piece.name:
            self._spell(call, piece.name)
        if piece.repeats:
            call.hear(piece.repeats)
        if call.phase is Phase.NAMING and (call.spelt or piece.name is not None) and not self._name_may_grow(call, piece):
            self.name(call, event, out)

    def _spell(self, call: NativeCall, name: str) -> None:
        """Take the name in a piece."""
        if not call.spell(name, joins=self._protocol.joins_names):
            return
        if call.phase is Phase.HELD:
            call.session.rename(call.spelt)
        elif call.name and self._tools.knows(call.spelt):
            self._capacity.note("late piece")  # it has begun to leave

    def _name_may_grow(self, call: NativeCall, piece: Piece) -> bool:
        """Return whether the next piece may continue the name, and make it the name of a tool."""
        if not self._protocol.joins_names or piece.arguments or call.arguments.size:
            return False
        known = self._tools.known(call.spelt)
        return self._tools.begins(call.spelt) and not (known is not None and known.exact)

    def _note_unknown(self, call: NativeCall) -> None:
        """Note a call of a tool that the guard does not know. Calls without a name, or in a namespace, are run by others."""
        if not call.spelt or call.spelt == ELSEWHERE:
            return
        self._capacity.note("unknown tool")
        self._passed.add(call.spelt, call.arguments, call.nth)
        call.follows = self._passed.follows

    def _is_behind(self, call: NativeCall) -> bool:
        """Return whether an earlier call of the same choice is held. Where calls have places, the event waits instead."""
        if not self._holds or not self._numbers.renumbers(call.key):
            return False
        return any(one.phase is Phase.HELD for one in self._table.of(call.key[:-1]) if one.nth < call.nth)

    def _let_go(self, group: Lane) -> Iterator[Any]:
        """End the held calls of a choice, and release the calls that wait after them, in order."""
        for call in self._table.of(group):
            if call.phase is Phase.HELD:
                yield from self._closing.overflow(call)
            elif call.phase is Phase.WAITS:
                yield from self._outcomes.passing(call)

    # -- its arguments -------------------------------------------------------------------------------------------------

    def _take_arguments(self, call: NativeCall, piece: Piece, out: list[Any]) -> None:
        """Read on in the arguments of a call that is held or has no name yet. If they are too long, the call ends or passes."""
        new = call.write(piece) if piece.arguments else ""
        if call.phase is Phase.NAMING:
            if self._is_much(call) or len(call.events) >= self._limits.max_waiting:
                self._capacity.note("unnamed call")
                self._held.drop(call)
                out += self._outcomes.passing(call)
            return
        if new:
            self._grow(call, new, out)
        if call.phase is Phase.HELD and self._is_much(call):
            out += self._closing.overflow(call)

    def _grow(self, call: NativeCall, arguments: str, out: list[Any]) -> None:
        """Append the status events for more arguments of a held call. If these show that it cannot pass, end it."""
        out += call.session.grow(arguments)
        if call.session.aborted:
            out += self._closing.abort(call)

    def _is_much(self, call: NativeCall) -> bool:
        """Return whether a call, or everything that is held together, is over its limit."""
        return call.arguments.size > self._limits.max_block or self._capacity.full

    # -- what is kept of it --------------------------------------------------------------------------------------------

    def _is_needed(self, call: NativeCall, piece: Piece, event: Event, *, learns: bool) -> bool:
        """Return whether to keep an event of a held call: any before its name is known, later one with more than arguments."""
        return bool(
            call.phase is Phase.NAMING
            or piece.name is not None
            or piece.whole
            or learns
            or (piece.arguments and not call.continued)
            or self._protocol.beside_call(event)
        )

    def _keep(self, call: NativeCall, event: Event, nth: int, size: int) -> None:
        """Keep what an event of this size has of a call: the nth of its pieces."""
        alone = self._protocol.alone(event, nth)
        call.keep(alone, (part_size(alone, size) if alone is not event else size) or EVENT)
