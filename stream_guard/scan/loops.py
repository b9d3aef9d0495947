"""`Loop`: finds a call that only repeats itself, as models do that cannot find an end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..values.issues import ValidationIssue

WINDOW: Final = 2_048
"""The number of characters that are compared at a time."""

LONGEST_UNIT: Final = 256
"""The longest text whose repetition is found."""


class Loop:
    """Finds a body that repeats one short text for too long.

    Rule: the body is compared in windows that do not depend on how it is cut, each once.

    Args:
        most: The most characters that may only repeat one text.
        issue: Returns the issue of a body that repeats one text for longer.
    """

    __slots__ = ("_before", "_issue", "_last", "_most", "_pieces", "_run", "_size")

    def __init__(self, most: int, issue: Callable[[], ValidationIssue]) -> None:
        self._most: Final = most
        self._issue: Final = issue
        self._pieces: list[str] = []
        self._size = 0
        self._last = ""  # the text that the last window repeated, turned so that the next window begins with it
        self._run = 0  # how many characters up to the end of the last window have repeated that text
        self._before = ""  # the last window

    @property
    def room(self) -> int:
        """How many characters complete the next window. Nothing is found before that."""
        return WINDOW - self._size

    def feed(self, text: str) -> tuple[int, tuple[ValidationIssue, ...]] | None:
        """Read more of the body. Returns the position in `text` where it has repeated one text for too long, and the issue;
        None if it has not.
        """
        pos = 0
        while len(text) - pos >= WINDOW - self._size:
            stop = pos + WINDOW - self._size
            window = "".join([*self._pieces, text[pos:stop]])
            pos, self._pieces, self._size = stop, [], 0
            if self._repeats(window) > self._most:
                return pos, (self._issue(),)
        if pos < len(text):
            self._pieces.append(text[pos:])
            self._size += len(text) - pos
        return None

    def _repeats(self, window: str) -> int:
        """Return how many characters, counted back from the end of this window and into earlier ones, have
        repeated one text.
        """
        unit = self._last
        if unit and window.startswith(unit) and window[len(unit) :] == window[: -len(unit)]:
            self._run += WINDOW
        else:
            length = window.find(window[:LONGEST_UNIT], 1)
            repeats = 0 < length <= LONGEST_UNIT and window[length:] == window[:-length]
            unit = window[:length] if repeats else ""
            self._run = WINDOW + _ends_with(self._before, unit) if repeats else 0
        # The next window begins in the middle of the unit, where this window stopped.
        self._last = window[-len(unit) :] if unit else ""
        self._before = window
        return self._run


def _ends_with(text: str, unit: str) -> int:
    """Return how many characters at the end of a text repeat `unit`, which may be cut at the beginning."""
    repeated = unit * (len(text) // len(unit) + 1)
    fits, fails = 0, len(text) + 1
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if text.endswith(repeated[-middle:]):
            fits = middle
        else:
            fails = middle
    return fits
