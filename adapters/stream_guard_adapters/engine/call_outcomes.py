"""`CallOutcomes`: the events with which a call leaves, once it is known what becomes of it.

    call of an unknown tool -> passing -> the events that were kept, with their numbers
    call that was held, its block -> sent -> the events of the whole call; nothing if it is left out

It decides whether a judged call is sent on, and writes its events. It judges nothing, and ends no call.

Rule 1: a call that may run is sent on as it was validated. One that may not is sent on as it was written if the app wants its
client to know; one that was cut off, is over a limit, or waits for an approval never is.
Rule 2: whatever fails here, no part of the call leaves.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from stream_guard import ToolBlock
from stream_guard.spi import without_tool

from ..protocols import AS_IT_CAME, Event, LeftOut, Protocol
from .call_numbers import CallNumbers
from .call_policy import CallPolicy
from .capacity import Capacity
from .event_numbers import EventNumbers
from .gaps import Gaps
from .native_call import NativeCall
from .sent_calls import SentCalls
from .sent_groups import SentGroups

log: Final = logging.getLogger("stream_guard")


class CallOutcomes:
    """What becomes of the calls of one stream.

    Args:
        protocol: The protocol of the stream.
        policy: What is done with calls.
        capacity: Where a failure of the guard is reported.
        event_numbers: The numbers of the events, by what is held of them.
        numbers: The numbers of the calls.
        sent_calls: How each call was sent on.
        groups: Of which choices calls were sent on.
        gaps: The places of calls that are not sent on.
    """

    __slots__ = ("_capacity", "_event_numbers", "_gaps", "_groups", "_numbers", "_policy", "_protocol", "_sent_calls")

    def __init__(
        self,
        protocol: Protocol,
        policy: CallPolicy,
        capacity: Capacity,
        event_numbers: EventNumbers,
        numbers: CallNumbers,
        sent_calls: SentCalls,
        groups: SentGroups,
        gaps: Gaps,
    ) -> None:
        self._protocol = protocol
        self._policy = policy
        self._capacity = capacity
        self._event_numbers = event_numbers
        self._numbers = numbers
        self._sent_calls = sent_calls
        self._groups = groups
        self._gaps = gaps

    def passing(self, call: NativeCall) -> Iterator[Event]:
        """Yield the events of a call that passes from now on."""
        events = call.let_pass()
        self._event_numbers.let_go(call)
        if call.name:
            self._groups.note_sent(call.key[:-1])
            self._sent_calls.settle(call.sent_call, AS_IT_CAME)
        for event in events:
            yield self._numbers.numbered(event, [call])

    def sent(self, call: NativeCall, block: ToolBlock) -> Iterable[Any]:
        """Return the events of a call that was held, now that its block has an outcome. Never raises."""
        self._event_numbers.let_go(call)  # its events have numbers of their own
        try:
            return self._settled(call, block)
        except Exception as error:  # promise P9: closed for tools
            log.error("the guard failed on a call: %s; it is not sent on", type(error).__name__)
            self._capacity.note("guard error")
            with suppress(Exception):
                self.leave_out(call, "length")  # it was no failure of the call: nobody may take the reply for whole
            return ()

    def _settled(self, call: NativeCall, block: ToolBlock) -> Iterable[Any]:
        """Return the events of a call that is sent on, in one piece; note a call that is left out."""
        if not self._policy.holds:
            return ()
        name, written = call.name, call.arguments.text
        if call.refused:  # nobody runs it, and its client hears why: so there is a call in the message
            self._note_sent(call, name, written)
            return ()
        if block.executable and block.parts == 1:
            name = block.tool or name
            if block.corrected or not written or written.isspace():
                written = arguments_of(block)
        elif self._waits(block, call) or not self._policy.fixes or block.end_cause != "closed" or call.arguments.twice:
            self.leave_out(call, "stop" if block.end_cause == "closed" and not call.arguments.twice else "length")
            return ()
        whole = self._protocol.whole_call(call.events, call.key, name, written)
        leaving = [self._numbers.numbered(event, [call]) for event in whole]
        self._note_sent(call, name, written)
        return leaving

    def _waits(self, block: ToolBlock, call: NativeCall) -> bool:
        """Return whether a call that may not run needs an approval. A client that does not know approvals would run it."""
        return any(self._policy.guard.settings.needs_approval(tool) for tool in (block.tool, call.name))

    def _note_sent(self, call: NativeCall, name: str, written: str) -> None:
        """Note that a call is sent on so."""
        self._sent_calls.settle(call.sent_call, (name, written))
        self._groups.note_sent(call.key[:-1])

    def leave_out(self, call: NativeCall, why: LeftOut) -> None:
        """Note that a call is not sent on."""
        self._sent_calls.settle(call.sent_call, None)
        self._groups.note_left_out(call.key[:-1], why)
        if call.place is not None:
            self._gaps.add(call.place)


def arguments_of(block: ToolBlock) -> str:
    """Return the arguments of a block's call as the JSON of a native call."""
    return json.dumps(without_tool(block.arguments or {}), ensure_ascii=False)
