"""`CallSessions`: the sessions that judge the calls of a stream, and what is known of the calls by the ids of their blocks.

    call whose name is whole -> new -> its session -> opened -> the first status of its block
    id of a block -> ids, begun -> the provider's id of the call, and where it stands among the calls

It gives sessions nothing to judge, and does not know when they end.

Rule: only where calls are held may a session ask a corrector or an app: elsewhere the call has left.
"""

from __future__ import annotations

from typing import Final

from stream_guard import Session, ToolStatus
from stream_guard.spi import Spent

from .call_policy import CallPolicy
from .native_call import NativeCall


class CallSessions:
    """The sessions of the calls of one stream.

    Args:
        policy: What is done with calls.
        prefix: What the names of the sessions begin with.
        spent: What the guard's model has cost the stream so far.
        follows: Whether the number of each call is kept.
    """

    __slots__ = ("_follows", "_made", "_policy", "_prefix", "_spent", "begun", "ids")

    def __init__(self, policy: CallPolicy, prefix: str, spent: Spent, *, follows: bool) -> None:
        self._policy = policy
        self._prefix = prefix
        self._spent = spent
        self._follows = follows
        self._made = 0
        self.ids: Final[dict[str, str]] = {}
        """The provider's ids of the calls, by the ids of their blocks."""
        self.begun: Final[dict[str, int]] = {}
        """The number of each call, in the order in which they began, by the ids of their blocks; only with `follows`."""

    def new(self) -> Session:
        """Return the session of the next call."""
        self._made += 1
        policy = self._policy
        return policy.guard.session(f"{self._prefix}-call{self._made}", asks=policy.holds, patient=True, spent=self._spent)

    def opened(self, call: NativeCall) -> ToolStatus:
        """Open the block of a call in its session. Return the first status of the block."""
        status = call.session.open(call.spelt)
        if self._follows:
            self.begun[status.id] = call.nth
        if call.sent_call.id:
            self.ids[status.id] = call.sent_call.id
        return status
