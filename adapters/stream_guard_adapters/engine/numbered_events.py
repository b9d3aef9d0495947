"""`NumberedEvents`: reads and writes the numbers of a stream's events, where its protocol numbers them.

items that leave -> numbered -> the same items, the events with the numbers that `EventNumbers` gives them
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from stream_guard import Pending, ToolBlock, ToolStatus
from stream_guard.spi import Aside

from ..protocols import Event, Protocol
from ..protocols.access import get, put
from .event_numbers import EventNumbers

About = TypeVar("About")


class NumberedEvents:
    """The events of one stream, by number."""

    __slots__ = ("_member", "_numbers")

    def __init__(self, protocol: Protocol, numbers: EventNumbers) -> None:
        self._member = protocol.counts  # of an event: has its number; empty if events have none
        self._numbers = numbers

    def number_of(self, event: Event) -> int | None:
        """Return the number of an event, if its protocol numbers events and it has one."""
        if not self._member:
            return None
        number = get(event, self._member)
        return number if type(number) is int else None

    def numbered(
        self,
        items: Iterator[Any],
        about: Callable[[Any], About],
        leave: Callable[[Any, About], Iterator[Any]],
        *,
        reads: bool,
    ) -> Iterator[Any]:
        """Return the items that leave, the events among them with their numbers in the stream.

        Each item waits until it is certain whether it is the last one, unless that takes work.

        Args:
            items: The items.
            about: Called with an item when it was made. Returns what is to be known of it when it leaves.
            leave: Called with an item that leaves, with its number, and with what `about` returned. Yields the item.
            reads: Whether an event is being read: then that event is held until the items end.
        """
        return self._with_numbers(items, about, leave, reads) if self._member else items

    def _with_numbers(
        self, items: Iterator[Any], about: Callable[[Any], About], leave: Callable[[Any, About], Iterator[Any]], reads: bool
    ) -> Iterator[Any]:
        if reads:
            self._numbers.hold(self)
        last: list[tuple[Any, int | None, About]] = []  # none or one, with its own number
        for item in items:
            following = self._own(item)
            for one, own, known in last:
                yield from leave(self._renumbered(one, own, following), known)
            last = [(item, following, about(item))]
            if isinstance(item, Pending | Aside):
                one, own, known = last.pop()
                yield from leave(self._renumbered(one, own, None), known)
        if reads:
            self._numbers.let_go(self)
        for one, own, known in last:
            yield from leave(self._renumbered(one, own, None), known)

    def added(self, event: Event) -> Event:
        """Return a guard's event that leaves now, with its number."""
        own = self.number_of(event)
        return event if own is None else put(event, **{self._member: self._numbers.added(own)})

    def _renumbered(self, item: Any, own: int | None, following: int | None) -> Any:
        """Return an item that leaves now, an event with its number in the stream, given its own number; `following` is that of
        an event that leaves after it.
        """
        number = self._numbers.leaving(-1 if own is None else own, following)
        if own is not None and number != own:
            with suppress(Exception):  # it leaves with its own
                return put(item, **{self._member: number})
        return item

    def _own(self, item: Any) -> int | None:
        """Return the number of an item, if it is an event of the protocol that has one. Never raises."""
        try:
            return None if isinstance(item, ToolStatus | ToolBlock | Pending | Aside) else self.number_of(item)
        except Exception:  # an object may raise whatever it likes
            return None
