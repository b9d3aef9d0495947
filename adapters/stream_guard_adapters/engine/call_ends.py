"""`CallEnds`: which calls an event ends, and with which cause.

    event -> of, due -> the calls that end with it, each with a cause; None for a cause that a later event has
    event -> note_final -> what it says of calls that nothing before it has said

It reads events and does not end any call: whoever asks it does, when it is the turn of the event.

Rule 1: calls end in the order in which they began, whatever the order in which their events are read.
Rule 2: a call ends without a cause only if it is complete: if its JSON is, or if the app runs it anyhow.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from stream_guard import StreamEnd
from stream_guard.spi import Aside

from ..protocols import Event, Lane, Protocol
from .call_closing import CallClosing
from .call_judging import CallJudging
from .call_order import CallOrder
from .call_pieces import CallPieces
from .call_table import CallTable
from .native_call import NativeCall, Phase
from .sent_calls import SentCalls

Ending = tuple[NativeCall, StreamEnd | None]
"""A call that ends, with the cause; None while the cause is unknown."""


class CallEnds:
    """What the events of one stream say of the ends of its calls.

    Args:
        protocol: The protocol of the stream.
        holds: Whether calls are held until they are judged.
        order: The order in which calls begin.
        table: The calls that have begun.
        sent_calls: Their ids, for the events that repeat them.
        judging: What asks the guard whether a call is complete.
        pieces: What takes the arguments that an event repeats.
        closing: What ends the calls, and knows whether the guard has failed on one.
    """

    __slots__ = ("_closing", "_holds", "_in_parts", "_judging", "_order", "_pieces", "_protocol", "_sent_calls", "_table")

    def __init__(
        self,
        protocol: Protocol,
        order: CallOrder,
        table: CallTable,
        sent_calls: SentCalls,
        judging: CallJudging,
        pieces: CallPieces,
        closing: CallClosing,
        *,
        holds: bool,
    ) -> None:
        self._protocol = protocol
        self._holds = holds
        self._order = order
        self._table = table
        self._sent_calls = sent_calls
        self._judging = judging
        self._pieces = pieces
        self._closing = closing
        self._in_parts: set[Lane] = set()  # the keys of the calls whose last part has just come

    def of(self, event: Event) -> Generator[Any, None, list[Ending]]:
        """Return the calls that end with an event, each with its cause; None for a cause that matters and is still unknown.
        Before that it yields work that takes long, and what else the event says of the calls.
        """
        if not self._table.open:
            return []
        yield from self.note_final(event)
        refused, item = self._protocol.refused(event), self._protocol.item(event)
        found: list[Ending] = []
        named = self._protocol.call_ends(event, self._table.open)
        again, self._in_parts = self._in_parts - {key for key, _ in named}, set()
        for key, why in [*named, *((key, None) for key in again & self._table.open.keys())]:
            calls = self._table.going(key)
            if item is not None:
                calls = [call for call in calls if call.sent_call.item in (None, item)]
            for call in calls if refused else ():
                call.refused = True
            # Only an observer may say that a call is whole before its message is.
            cut = self._holds and any(call.phase is Phase.HELD for call in calls)
            for call in calls if why is None else ():
                cut = cut or (call.phase is Phase.HELD and (yield from self._judging.is_cut(call)))
            cause: StreamEnd | None = "stop" if why is None and not cut else why
            found.extend((call, cause) for call in calls)
        return found

    def due(self, event: Event) -> Generator[Any, None, list[Ending]]:
        """Return the calls that end with an event whose turn it is, in their order.

        One that was read early, after an event that still waits, ends with a later event.
        """
        ends = yield from self.of(event)
        return sorted((one for one in ends if self._order.comes_next(one[0].order)), key=lambda one: one[0].order)

    def may_go_on(self, ends: Iterable[Ending]) -> Generator[Aside[Any], None, bool]:
        """Return whether an unfinished call may go on after the finish reason that ends it."""
        for call, why in ends if self._protocol.repeats_reasons else ():
            if call.phase is Phase.HELD and why in ("stop", "unknown"):
                if call.arguments.is_empty or (yield from self._judging.is_cut(call)):
                    return True
        return False

    def note(self, ends: Iterable[Ending]) -> None:
        """Note that the ends of these calls have come. They are closed when it is the turn of the events with these ends."""
        for call, _ in ends:
            self._table.note_end(call)

    def note_last_part(self, key: Lane) -> None:
        """Note that the last part of the arguments of a call is in the event that is read now."""
        self._in_parts.add(key)

    def note_final(self, event: Event) -> Iterator[Any]:
        """Take the arguments of the calls that an event repeats, and yield what is new: some arguments come nowhere else."""
        out: list[Any] = []
        pieces = self._protocol.final(event) if self._table.open and not self._closing.failed else ()
        if pieces:
            calls = {call.sent_call: call for call in self._table.all()}
            for piece, sent_call in zip(pieces, self._sent_calls.matching(self._protocol.repeated(event)), strict=True):
                call = calls.get(sent_call) if sent_call is not None else None
                if call is not None and call.phase is Phase.HELD:
                    self._pieces.take_whole(call, piece, out)
        yield from out
