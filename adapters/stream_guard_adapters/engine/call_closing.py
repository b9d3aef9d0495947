"""`CallClosing`: ends calls: judges those that were held, and lets what becomes of them leave.

    call, why it ends -> close -> the guard's events of the call, and its own if it is sent on
    call that is too much, that cannot pass, or on which the guard failed -> overflow, abort, fail -> the guard's events of it

It does not know which event ends a call, and reads no piece.

Rule 1: a call that was not cut off by the end of its message is complete if its JSON is.
Rule 2: if a message was cut off at the token limit, its last call is not sent on. If a message failed, none of its calls is.
Rule 3: a call that grows past a limit, or is aborted, ends at once, and no more of it is sent on or kept.
Rule 4: if the guard fails on a call, that call is not sent on. Once it has failed on an event with calls, no more of any is.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final

from stream_guard import EndCause, Pending, StreamEnd, ToolBlock

from ..protocols import Lane
from .call_judging import CallJudging
from .call_outcomes import CallOutcomes
from .call_table import CallTable
from .capacity import Capacity
from .event_numbers import EventNumbers
from .held_calls import HeldCalls
from .native_call import NativeCall, Phase

log: Final = logging.getLogger("stream_guard")


class CallClosing:
    """The ends of the calls of one stream.

    Args:
        capacity: Where a failure of the guard is reported.
        event_numbers: The numbers of the events, by what is held of them.
        table: The calls that have begun.
        held: Those that are held.
        judging: What asks the guard about them.
        outcomes: What becomes of them.
    """

    __slots__ = ("_capacity", "_event_numbers", "_held", "_judging", "_outcomes", "_table", "aborted", "failed")

    def __init__(
        self,
        capacity: Capacity,
        event_numbers: EventNumbers,
        table: CallTable,
        held: HeldCalls,
        judging: CallJudging,
        outcomes: CallOutcomes,
    ) -> None:
        self._capacity = capacity
        self._event_numbers = event_numbers
        self._table = table
        self._held = held
        self._judging = judging
        self._outcomes = outcomes
        self.failed = False
        """Whether the guard failed on an event with calls, so that no more of any call is sent on."""
        self.aborted: Final[set[Lane]] = set()
        """The choices of the calls that were aborted, because they cannot pass."""

    def close(self, call: NativeCall, cause: StreamEnd, *, more: bool) -> Iterator[Any]:
        """End a call that the table has closed. `more` says that another call of its choice or message begins after it."""
        if not call.phase.is_ours:
            if not self.failed:
                yield from self._outcomes.passing(call)
            return
        self._table.note_judged(call)
        if call.phase is Phase.OVER:
            return
        judged = False
        try:
            for item in self._closed(call, cause, more=more):
                judged = judged or isinstance(item, ToolBlock)
                yield item
        except Exception as error:  # promise P9: closed for tools
            log.error("the guard failed on a call: %s; it is not sent on", type(error).__name__)
            self._capacity.note("guard error")
            if not judged:
                yield from self.fail(call, error)
        self._event_numbers.let_go(call)

    def _closed(self, call: NativeCall, cause: StreamEnd, *, more: bool) -> Iterator[Any]:
        """Yield the items of a held call that has ended and, if it is sent on, its events."""
        followed = cause == "length" and (more or call is not self._table.last(call.key[:-1]))
        # Where it may be whole, its JSON shows whether it is.
        ended: EndCause = "closed" if followed or cause == "stop" or cause == "unknown" else cause
        if ended == "closed" and (call.arguments.twice or (yield from self._judging.is_cut(call))):
            ended = "length" if followed else "disconnect"
        call.no_longer_held()
        judging = yield from self._judging.judged(call, ended)
        for item in call.session.close(judging.block, judging):
            if isinstance(item, Pending) and item.is_last:
                item.follow_with(partial(self._outcomes.sent, call))
            yield item
            if isinstance(item, ToolBlock) and item.part == item.parts:
                yield from self._outcomes.sent(call, item)

    def abort(self, call: NativeCall) -> Iterator[Any]:
        """End a held call that cannot pass."""
        self.aborted.add(call.key[:1])
        yield from self.overflow(call, "aborted")

    def overflow(self, call: NativeCall, cause: EndCause = "oversize") -> Iterator[Any]:
        """End a held call that has grown past a limit, or for another cause, before its end comes."""
        call.end_early()
        self._held.drop(call)
        for item in call.session.close(call.block(cause)):
            yield item
            if isinstance(item, ToolBlock):
                yield from self._outcomes.sent(call, item)
        self._event_numbers.let_go(call)
        call.release()

    def fail(self, call: NativeCall, error: Exception) -> Iterator[Any]:
        """End a call as failed, because the guard failed on it."""
        held = call.phase is Phase.HELD
        call.end_early()
        self._held.drop(call)
        with suppress(Exception):
            self._outcomes.leave_out(call, "length")  # it was no failure of the call: nobody may take the reply for whole
        with suppress(Exception):
            if held:
                yield from call.session.fail(call.block("closed"), error)
        self._event_numbers.let_go(call)
        with suppress(Exception):
            call.release()
