"""`Loop`: finds a call that only repeats itself, as models do that cannot find an end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..values.issues import ValidationIssue

WINDOW: Final = 2_048
"""The characters that are compared at a time."""

LONGEST_UNIT: Final = 256
"""The longest text whose repetition is found."""


class Loop:
    """Finds a body that has repeated one short text for long.

    Rule: the body is compared in windows that do not depend on how it is cut, each once.

    Args:
        most: How many characters a body may go on repeating one text.
        issue: Returns the issue of a body that goes on for longer.
    """

    __slots__ = ("_issue", "_last", "_most", "_pieces", "_size", "_windows")

    def __init__(self, most: int, issue: Callable[[], ValidationIssue]) -> None:
        self._most: Final = most
        self._issue: Final = issue
        self._pieces: list[str] = []
        self._size = 0
        self._last = ""  # the unit that the last window repeated, as the next one goes on with it
        self._windows = 0  # how many windows in a row have repeated it

    def feed(self, text: str) -> tuple[int, tuple[ValidationIssue, ...]] | None:
        """Read more of the body. Returns where it has repeated itself for too long, and the issue; None where it has not."""
        pos = 0
        while len(text) - pos >= WINDOW - self._size:
            stop = pos + WINDOW - self._size
            window = "".join([*self._pieces, text[pos:stop]])
            pos, self._pieces, self._size = stop, [], 0
            if self._repeats(window) * WINDOW > self._most:  # what repeats is at least so long
                return pos, (self._issue(),)
        if pos < len(text):
            self._pieces.append(text[pos:])
            self._size += len(text) - pos
        return None

    def _repeats(self, window: str) -> int:
        """Return how many windows in a row, up to this one, have repeated one text."""
        unit = self._last
        if unit and window.startswith(unit) and window[len(unit) :] == window[: -len(unit)]:
            self._windows += 1
        else:
            length = window.find(window[:LONGEST_UNIT], 1)
            repeats = 0 < length <= LONGEST_UNIT and window[length:] == window[:-length]
            self._windows, unit = int(repeats), window[:length] if repeats else ""
        # The next window begins where this one stopped inside the unit.
        self._last = window[-len(unit) :] if unit else ""
        return self._windows
