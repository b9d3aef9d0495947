"""`RepeatedCalls`: the events that repeat calls as a whole, and the results of calls, told as the calls were sent on.

    event -> recalled -> the event with its calls as they were sent on; None for the result of a call that was not
    event, after the guard has failed on a call -> uncalled -> the event without any call that may not have been sent on

It reads how calls were sent on from `SentCalls`, and changes nothing there. It reads no piece of a call.

Rule: of a call of a tool of the guard, an event repeats what was sent on, and nothing if no piece of that call was judged.
"""

from __future__ import annotations

from ..protocols import AS_IT_CAME, Event, Protocol, Sent
from .call_policy import CallPolicy
from .capacity import Capacity
from .sent_calls import SentCalls
from .sent_groups import SentGroups


class RepeatedCalls:
    """What the events of one stream repeat of its calls.

    Args:
        protocol: The protocol of the stream.
        policy: What is done with calls.
        capacity: Where calls that came nowhere else are reported.
        sent_calls: How each call was sent on.
        groups: Of which choices calls were sent on.
    """

    __slots__ = ("_capacity", "_groups", "_policy", "_protocol", "_sent_calls")

    def __init__(
        self, protocol: Protocol, policy: CallPolicy, capacity: Capacity, sent_calls: SentCalls, groups: SentGroups
    ) -> None:
        self._protocol = protocol
        self._policy = policy
        self._capacity = capacity
        self._sent_calls = sent_calls
        self._groups = groups

    def recalled(self, event: Event) -> Event | None:
        """Return an event with the calls that it repeats as they were sent on.

        Calls that were not validated are left out. Returns None for the result of a call that was not sent on.
        """
        repeated = self._protocol.repeated(event)
        if repeated:
            sent: list[Sent] = []
            for call, sent_call in zip(repeated, self._sent_calls.matching(repeated), strict=True):
                known = sent_call.sent if sent_call is not None else AS_IT_CAME
                if known == AS_IT_CAME and self._policy.holds and self._policy.guard.tools.knows(call.tool):
                    self._capacity.note("unseen call")
                    known = None
                sent.append(known)
            event = self._protocol.retold(event, sent)
        return self._protocol.recalled(event, self._sent_calls.by_id) if self._sent_calls.by_id else event

    def uncalled(self, event: Event) -> Event | None:
        """Return an event without its calls, after the guard has failed on a call; None if it has nothing else, or its calls
        cannot be determined.
        """
        try:
            pieces = self._protocol.calls(event)
            for piece in pieces:
                self._groups.note_left_out(piece.call[:-1], "length")
            left = self._protocol.without_calls(event, range(len(pieces))) if pieces else event
            repeated = self._protocol.repeated(left) if left is not None else ()
            found = self._sent_calls.matching(repeated)
            sent = [one.sent if one is not None and one.sent != AS_IT_CAME else None for one in found]
            left = self._protocol.retold(left, sent) if left is not None and sent else left
            return left if left is None or not self._protocol.calls(left) else None
        except Exception:
            return None

    def any_in(self, event: Event) -> bool:
        """Return whether an event has a piece of a call, or repeats a call. Also True if the protocol's table fails on it."""
        try:
            return bool(self._protocol.calls(event) or self._protocol.repeated(event))
        except Exception:
            return True
