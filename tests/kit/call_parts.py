"""The classes that read the native calls of a stream, put together as a stream has them, for the tests of each."""

from __future__ import annotations

from typing import Any

from stream_guard_adapters.engine.call_closing import CallClosing
from stream_guard_adapters.engine.call_ends import CallEnds
from stream_guard_adapters.engine.call_judging import CallJudging
from stream_guard_adapters.engine.call_numbers import CallNumbers
from stream_guard_adapters.engine.call_order import CallOrder
from stream_guard_adapters.engine.call_outcomes import CallOutcomes
from stream_guard_adapters.engine.call_pieces import CallPieces
from stream_guard_adapters.engine.call_policy import CallPolicy
from stream_guard_adapters.engine.call_sessions import CallSessions
from stream_guard_adapters.engine.call_table import CallTable
from stream_guard_adapters.engine.capacity import Capacity
from stream_guard_adapters.engine.event_numbers import EventNumbers
from stream_guard_adapters.engine.gaps import Gaps
from stream_guard_adapters.engine.held_calls import HeldCalls
from stream_guard_adapters.engine.native_call import NativeCall
from stream_guard_adapters.engine.passed_calls import PassedCalls
from stream_guard_adapters.engine.repeated_calls import RepeatedCalls
from stream_guard_adapters.engine.sent_calls import SentCall, SentCalls
from stream_guard_adapters.engine.sent_groups import SentGroups
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import CHAT, Piece, Protocol

from stream_guard import Guard, Limits, ToolBlock, ToolStatus
from stream_guard.spi import Aside, Spent
from stream_guard.tools.files import FILE_TOOLS

Event = dict[str, Any]


class Parts:
    """The parts of one stream that has calls; `noted` has what they report as unread."""

    def __init__(self, protocol: Protocol = CHAT, native: Any = "mend", *, follows: bool = False, **settings: Any) -> None:
        limits = Limits(**{name: settings.pop(name) for name in [*settings] if name.startswith("max_")})
        guard = Guard(FILE_TOOLS, limits=limits, **settings)
        self.noted: list[str] = []
        self.protocol = protocol
        self.capacity = Capacity(limits, self.noted.append)
        self.policy = CallPolicy(guard, protocol, native)
        self.event_numbers = EventNumbers()
        self.sent_calls = SentCalls(limits.max_held)
        self.order = CallOrder(limits.max_lanes)
        self.table = CallTable(protocol, self.capacity, self.sent_calls, self.order)
        self.held = HeldCalls()
        self.numbers = CallNumbers(protocol)
        self.groups = SentGroups(protocol, self.capacity, limits.max_lanes)
        self.gaps = Gaps(protocol)
        self.sessions = CallSessions(self.policy, "s", Spent(), follows=follows)
        self.passed = PassedCalls(self.policy.guard, "s", follows=follows)
        self.repeated = RepeatedCalls(protocol, self.policy, self.capacity, self.sent_calls, self.groups)
        self.judging = CallJudging(self.policy.guard)
        self.outcomes = CallOutcomes(
            protocol, self.policy, self.capacity, self.event_numbers, self.numbers, self.sent_calls, self.groups, self.gaps
        )
        self.closing = CallClosing(self.capacity, self.event_numbers, self.table, self.held, self.judging, self.outcomes)
        self.pieces = CallPieces(
            protocol,
            self.policy,
            limits,
            self.capacity,
            self.event_numbers,
            self.order,
            self.table,
            self.held,
            self.numbers,
            self.sessions,
            self.outcomes,
            self.closing,
            self.passed,
        )
        self.ends = CallEnds(
            protocol,
            self.order,
            self.table,
            self.sent_calls,
            self.judging,
            self.pieces,
            self.closing,
            holds=self.policy.holds,
        )

    def take(self, event: Event) -> tuple[list[bool], list[Any]]:
        """Take the pieces of calls in an event: which of them are held, and what leaves."""
        out: list[Any] = []
        pieces = [self.table.keyed(piece) for piece in self.protocol.calls(event)]
        return [self.pieces.take(piece, nth, event, 0, out) for nth, piece in enumerate(pieces)], out

    def close(self, call: NativeCall, cause: Any, *, more: bool = False) -> list[Any]:
        """End a call of the stream: what leaves. Work that takes long is left to whoever asks for its result."""
        assert self.table.close(call)
        self.held.drop(call)
        return at_once(self.closing.close(call, cause, more=more))


def at_once(items: Any) -> list[Any]:
    """The items, without the work that a driver may do aside."""
    return [item for item in items if not isinstance(item, Aside)]


def returned(steps: Any) -> Any:
    """What a generator returns; the work that it yields is done where its result is needed."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def events_of(items: list[Any]) -> list[Event]:
    """The provider's events among the items."""
    return [item for item in items if not isinstance(item, ToolStatus | ToolBlock)]


def blocks_of(items: list[Any]) -> list[ToolBlock]:
    """The blocks among the items."""
    return [item for item in items if isinstance(item, ToolBlock)]


def piece(arguments: str = "", *, name: str | None = None, key: Any = (0, 0), id: str | None = None, **more: Any) -> Piece:
    """A piece of a call. Unless `key` names another call, it is the first one of the first choice."""
    return Piece(key, id, name, arguments, **more)


def call_of(name: str, arguments: str = "", *, key: Any = (0, 0), nth: int = 1, capacity: Capacity | None = None) -> NativeCall:
    """A call whose name and arguments have come so."""
    call = NativeCall(piece(key=key), capacity or Capacity(Limits(), Settings().note), SentCall("t", None, None), nth)
    call.spell(name, joins=True)
    call.write(piece(arguments))
    return call


def chunk(*calls: Event, reason: str | None = None) -> Event:
    """A chunk of a chat completion with these pieces of calls."""
    delta = {"tool_calls": [*calls]} if calls else {}
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def first(name: str, arguments: str = "", *, index: int = 0, id: str | None = "t") -> Event:
    """The first piece of a call in a chunk."""
    return {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def more(arguments: str, *, index: int = 0) -> Event:
    """A later piece of a call in a chunk."""
    return {"index": index, "function": {"arguments": arguments}}
