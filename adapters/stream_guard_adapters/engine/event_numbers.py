"""`EventNumbers`: the numbers of a stream's events, where its protocol numbers them.

A client that reads on later (`starting_after`) says the number of the last event that it got, and gets what the provider sent
after that. So the number of an event that leaves says how far the provider's stream has left.

Rule: an event leaves with the number of the last event of the provider up to which all has left. So an event that leaves whole,
while nothing is held, keeps its own. While something is held, whatever leaves has the number before that of the earliest event
with a held part. If an event leaves in several parts, only the last has its number. Numbers never fall. If the provider's own
numbers do not rise, none is changed. What waits for a correction while later text passes (`order="flow"`) counts as left.
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
        """The number of the event that is read: the last one, or one that waited."""
        self.now = -1
        """The number of what leaves now."""

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
        """Whether an event of the provider leaves with its own number, if all of it does."""
        return not (self._held and self._rises)

    def passed(self, number: int) -> None:
        """Note an event of the provider that left as it came, with its own number."""
        self.came(number)
        self.now = number

    def hold(self, what: Hashable, since: Hashable | None = None) -> None:
        """Note that something of the event at hand is held, unless some of it was held before; or as long as `since` is."""
        if what not in self._held:
            self._put(what, self._held.get(since, self.at_hand))

    def move(self, what: Hashable, number: int) -> None:
        """Note that the earliest event of which a part is still held there is now the one with this number."""
        if self._held.get(what, number) != number:
            self.let_go(what)
            self._put(what, number)

    def let_go(self, what: Hashable) -> None:
        """Note that nothing of it is held any more."""
        if self._held.pop(what, None) == self._first:
            self._first = None

    def _put(self, what: Hashable, number: int) -> None:
        self._first = number if not self._held else min(self._first, number) if self._first is not None else None
        self._held[what] = number

    @contextmanager
    def of(self, what: Hashable) -> Generator[None]:
        """Read an event that was held: what is held from now on is of this event."""
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
        """Return the number of an event that leaves now, given its own. `following` is that of one which leaves after it."""
        if not self._rises:
            return own
        if self._first is None:
            self._first = min(self._held.values(), default=None)
        first = self._first if self._first is not None else self._came + 1
        self.now = max(self.now, (first if following is None else min(first, following)) - 1)
        return self.now

    def added(self, own: int) -> int:
        """Return the number of an event of the guard that leaves now, given one that it was made with."""
        return self.now if self._rises else own
