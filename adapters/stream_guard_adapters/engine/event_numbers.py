"""`EventNumbers`: the numbers of a stream's events, where its protocol numbers them.

Rule: every event that leaves has a higher number than the one before it. An event keeps its own number if that is higher; else
it gets the next one. If the provider's own numbers do not rise, none is changed.
"""

from __future__ import annotations


class EventNumbers:
    """The numbers of the events of one stream."""

    __slots__ = ("_came", "_rises", "_sent")

    def __init__(self) -> None:
        self._came = -1
        self._sent = -1
        self._rises = True

    def came(self, number: int) -> None:
        """Note the number of an event of the provider."""
        self._rises = self._rises and number > self._came
        self._came = number

    def fits(self, number: int) -> bool:
        """Return whether an event of the provider may leave with its own number."""
        return number > self._sent or not self._rises

    def passed(self, number: int) -> None:
        """Note an event of the provider that left as it came."""
        self.came(number)
        self._sent = max(self._sent, number)

    def following(self, number: int) -> int:
        """Return the number that an event leaves with, given its own number."""
        if not self.fits(number):
            number = self._sent + 1
        self._sent = max(self._sent, number)
        return number
