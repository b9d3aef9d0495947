"""Guards a reply that is not streamed, in one step: JSON in, JSON out.

    reply -> table.unfolded -> Lanes -> table.folded -> reply

Rule 1: a reply is guarded as a stream of it would be: the same lanes, calls and settings.
Rule 2: a reply came whole, so it was not cut off, unless it says that it was.
Rule 3: a reply leaves as it came if nothing in it changes and there is no event to add.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from stream_guard import End, Guard, Pending, ToolBlock
from stream_guard.spi import SHORT, Aside

from ..protocols import PROTOCOLS, Event, Protocol, disowned
from ..protocols.access import put
from ..protocols.base import as_member
from ..protocols.json_text import dumped
from .body import crowded, parsed
from .framing import BOM
from .guarded_events import GuardedEvents, GuardedIterator
from .lanes import Lanes
from .parsed_values import data_of
from .settings import DEFAULTS, Settings

log: Final = logging.getLogger("stream_guard")

Made = TypeVar("Made")


def table_of(reply: object) -> Protocol | None:
    """Return the protocol of which this JSON is a whole reply; None when it is no reply."""
    if not isinstance(reply, dict):
        return None
    return next((table for table in PROTOCOLS.values() if table.is_reply(reply)), None)


class Folding:
    """A reply that is taken apart into events, and put together from those that leave.

    Args:
        reply: The reply.
        table: Its protocol.
        settings: As for a stream.
    """

    __slots__ = ("_apart", "_events", "_failed", "blocks", "given", "settings", "table")

    def __init__(self, reply: dict[str, Any], table: Protocol, settings: Settings) -> None:
        self.given: Final = reply
        """The reply as it came."""
        self.table: Final = table
        """Its protocol."""
        self.settings: Final = settings
        """How to guard it."""
        self._events: Final[list[Event]] = []
        self._apart = False  # whether it was taken apart
        self._failed = False  # whether it could not be taken apart, or not be put together
        self.blocks: Final[list[ToolBlock]] = []
        """The blocks in it, in order."""

    def unfolded(self) -> Sequence[Event]:
        """Return the events of a stream of the reply. If it differs from its protocol, report that and return no events."""
        try:  # of a reply of another shape everything may be missing
            events = self.table.unfolded(self.given)
            if all(map(self.table.reads, events)) and self.table.folded(self.given, events) == self.given:
                self._apart = bool(events)
                return events
        except Exception:
            self._failed = True
        self.settings.note("odd event")
        return ()

    def take(self, item: Any) -> None:
        """Keep an event or a block that leaves."""
        if isinstance(item, ToolBlock):
            self.blocks.append(item)
        elif isinstance(item, Mapping):
            self._events.append(item)

    def reply(self) -> dict[str, Any]:
        """Return the reply; the same object if nothing in it has changed."""
        try:
            made = self.table.folded(self.given, self._events) if self._events else self.given
            self._failed = self._failed or (self._apart and not self._events)
        except Exception as error:  # promise P9: its text leaves as it came, and its calls do not leave
            log.error("the guard failed on a reply: %s; only its text passes, unguarded", type(error).__name__)
            self.settings.note("guard error")
            self._failed = True
            made = self.given
        if self._failed and self.settings.native in ("mend", "withhold"):
            made = _without_calls(made)
        return self.given if made == self.given else made

    def with_events(self) -> dict[str, Any]:
        """Return the reply with the events of its blocks as its member `stream_guard`, if there are any."""
        made = self.reply()
        return put(made, stream_guard=[as_member(block) for block in self.blocks]) if self.blocks else made


_CALLS: Final = frozenset(name for table in PROTOCOLS.values() for name in table.call_members)
_TYPES: Final = frozenset(kind for table in PROTOCOLS.values() for kind in table.call_types)


def _without_calls(node: Any) -> Any:
    """Return JSON of any protocol without the members and items that are native calls."""
    if isinstance(node, dict):
        return {key: _without_calls(value) for key, value in node.items() if key not in _CALLS}
    if isinstance(node, list):
        return [_without_calls(item) for item in node if not (isinstance(item, dict) and item.get("type") in _TYPES)]
    return node


def taken_apart(reply: Any, settings: Settings) -> Folding | None:
    """Return a reply, JSON or an object of a client, to be guarded; None for what is no reply of a known protocol."""
    data = data_of(reply) if hasattr(reply, "model_dump") else reply
    table = table_of(data)
    return Folding(data, table, settings) if table is not None else None


def guard_folding(folding: Folding, guard: Guard) -> None:
    """Guard a reply. No model is asked for corrections."""
    with GuardedIterator([*folding.unfolded(), End()], guard.without_abort(), folding.table, folding.settings) as events:
        for event in events:
            folding.take(event)


async def aguard_folding(folding: Folding, guard: Guard) -> None:
    """Guard a reply; a model is asked for corrections, and long work is done in a thread."""

    async def each() -> AsyncIterator[Event]:
        for event in [*folding.unfolded(), End()]:
            yield event

    async with GuardedEvents(each(), guard.without_abort(), folding.table, folding.settings) as events:
        async for event in events:
            folding.take(event)


_BLANK: Final = b" \t\r\n"
"""What JSON may begin with. Servers send it while a request waits for its turn, so that nobody takes them for dead."""


class ReplyBody:
    """The JSON body of one response.

    Args:
        guard: How to guard it.
        settings: As for a stream.
    """

    def __init__(self, guard: Guard, settings: Settings = DEFAULTS) -> None:
        self._guard: Final = guard.without_abort()
        self._settings: Final = settings
        self._chunks: Final[list[bytes]] = []
        self._size = 0
        self._begun = False  # whether something other than blanks has come
        self._head = b""  # what may be half of a byte order mark
        self._folding: Folding | None = None
        self._made: bytes | None = None

    flowing: Final = None
    all_left: Final = True
    inside: Final = False

    def try_pass(self, chunk: bytes) -> bool:  # noqa: ARG002
        """Return False: nothing leaves before the reply is whole."""
        return False

    def nothing(self) -> bytes:
        """Return no bytes: a reply that is not complete has no place for events that keep a connection alive."""
        return b""

    @property
    def raw(self) -> bytes:
        """The body as it came."""
        return b"".join(self._chunks)

    def blanks(self) -> bytes:
        """Return the blanks that have come before the reply, if nothing else has; they are kept no longer."""
        if self._begun or (raw := self.raw).strip(_BLANK):
            return b""
        self._chunks.clear()
        self._size = 0
        return raw

    def push(self, chunk: bytes) -> bool:
        """Take bytes; return whether the body may still be a reply: a JSON object that is not too long."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        if self._size > self._guard.limits.max_event:
            return False
        if self._begun:
            return True
        head, self._head = self._head + chunk if self._head else chunk, b""
        if len(head) < len(BOM) and BOM.startswith(head):
            self._head = head
            return True
        head = head.removeprefix(BOM).lstrip()
        self._begun = bool(head)
        return not head or head.startswith(b"{")

    def items(self) -> Iterator[Any]:
        """Guard the whole body, and set `made`. Yield what has to be waited for, and items for `event_bytes`.

        Each event and block is yielded, so that the caller lets others run between them. Work on the whole of a long body is
        yielded as work.
        """
        reply = yield from self._aside(partial(_reply, self.raw))
        table = table_of(reply)
        if table is None:
            self._settings.note("json body")
            return
        folding = self._folding = Folding((yield from self._aside(partial(disowned, reply))), table, self._settings)
        lanes = Lanes(self._guard, table, self._settings)
        for event in (yield from self._aside(folding.unfolded)):
            yield from self._in_order(lanes.feed(event))
            yield b""  # an event of which nothing leaves has taken time too
        yield from self._in_order(lanes.feed(End()))
        made = yield from self._aside(folding.with_events)
        if made is not reply:
            self._made = yield from self._aside(lambda: dumped(made).encode())

    def _in_order(self, items: Iterator[Any]) -> Iterator[Any]:
        """Yield the items. While one of them is waited for, nothing leaves."""
        for item in items:
            if isinstance(item, Pending) and item.follow is None:
                item.follow_with(lambda _: ())  # a reply has one order
            yield item

    def _aside(self, work: Callable[[], Made]) -> Generator[Aside[Made], None, Made]:
        """Return the result of work on the whole body. If it takes long, it is yielded first."""
        aside = Aside(work)
        if self._size > SHORT:
            yield aside
        return aside.run()

    def event_bytes(self, item: Any) -> bytes:
        """Take an item into the reply; return no bytes, since the reply is sent whole."""
        if self._folding is not None:
            self._folding.take(item)
        return b""

    encoded = event_bytes

    @property
    def made(self) -> bytes | None:
        """The changed body to send; None if the body that came is sent as it is."""
        return self._made


def _reply(raw: bytes) -> Any:
    """Return the JSON of a body; None if it cannot be read."""
    try:
        text = raw.removeprefix(BOM).decode(errors="replace")  # as clients and streams are read
        return None if crowded(text) else parsed(text)
    except Exception:  # no JSON, too deep
        return None
