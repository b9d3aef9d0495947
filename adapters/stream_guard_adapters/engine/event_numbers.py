"""`EventNumbers`: the numbers of a stream's events, where its protocol numbers them.

A client that reads on later (`starting_after`) gives the number of the last event that it got, and gets what the provider sent
after that event. So the number of an event that leaves tells how far the provider's stream has been sent on.

Rule: an event leaves with the number of the last provider event up to which everything has left. So an event that leaves
whole, while nothing is held, keeps its own. While something is held, whatever leaves has the number before that of the
earliest event with a held part. If an event leaves in several parts, only the last has its number. Numbers never fall. If the
provider's own numbers do not rise, no number is changed. A block that waits for a correction while later text passes
(`order="flow"`) counts as left.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable
from contextlib import contextmanager


class EventNumbers:
    """The numbers of the events of one stream, and what is held of them."""

    __slots__ = ("_came", "_first", "_held", "_rises", "at_hand", "now")

    def __init__(self) -> None:
        self._came = -1
        self._held: dict[Hashable, int] = {}  # what is held, each with the number of the first event that some of it is of
        self._first: int | None = None  # the lowest of these numbers, if it is known
        self._rises = True
        self.at_hand = -1
        """The number of the event that is being read: the last event, or one that waited."""
        self.now = -1
        """The number with which an event leaves now."""

    def came(self, number: int) -> None:
        """Note the number of an event of the provider."""
        self._rises = self._rises and number > self._came
        self._came = self.at_hand = number

    @property
    def all_left(self) -> bool:
        """Whether everything that came has left."""
        return not self._held

    @property
    def fits(self) -> bool:
        """Whether an event of the provider that leaves whole may keep its number."""
        return not (self._held and self._rises)

    def passed(self, number: int) -> None:
        """Note an event of the provider that left as it came, with its own number."""
        self.came(number)
        self.now = number

    def hold(self, what: Hashable, since: Hashable | None = None) -> None:
        """Note that `what`, of the current event, is held, unless it is held already; or as long as `since` has been held."""
        if what not in self._held:
            self._put(what, self._held.get(since, self.at_hand))

    def move(self, what: Hashable, number: int) -> None:
        """Note that this is now the number of the earliest event with a part that is held there."""
        if self._held.get(what, number) != number:
            self.let_go(what)
            self._put(what, number)

    def let_go(self, what: Hashable) -> None:
        """Note that no part of the event is held any more."""
        if self._held.pop(what, None) == self._first:
            self._first = None

    def _put(self, what: Hashable, number: int) -> None:
        self._first = number if not self._held else min(self._first, number) if self._first is not None else None
        self._held[what] = number

    @contextmanager
    def of(self, what: Hashable) -> Generator[None]:
        """Read an event that was held: from now on, what is held belongs to this event."""
        before, reading = self.at_hand, object()
        self.hold(reading, since=what)
        self.at_hand = self._held[reading]
        self.let_go(what)
        try:
            yield
        finally:
            self.at_hand = before
            self.let_go(reading)

    def leaving(self, own: int, following: int | None) -> int:
        """Return the number of an event that leaves now, given its own. `following` is that of one that leaves after it."""
        if not self._rises:
            return own
        if self._first is None:
            self._first = min(self._held.values(), default=None)
        first = self._first if self._first is not None else self._came + 1
        self.now = max(self.now, (first if following is None else min(first, following)) - 1)
        return self.now

    def added(self, own: int) -> int:
        """Return the number of a guard's event that leaves now, given the number with which it was made."""
        return self.now if self._rises else own
