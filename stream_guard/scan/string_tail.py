"""`StringTail`: takes text inside an open string of a block, or an open value of a call, that ends neither it nor the line.

Most text of a block is the content of one long string, and most deltas of it hold no quote and no line end. Such text always
has the same effect on the scanner: it is kept, and the next decision is nearer. So they are only collected here; the scanner
and its cursor take them over in one step before anything else is read or asked, as does the reader of a native call
(`Arguments`). The cursor of a call in a dialect has a pattern of the text that ends nothing.

Rule: text that ends something, or reaches a place where something must be decided, is not taken, nor any part of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .members import Members

_WHOLE: Final = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+(\\)?')
"""Matches text that closes no string, if it has no line end: every quote is escaped. The group is the backslash of a cut
escape."""


class StringTail:
    """The pieces of text that were taken inside an open string."""

    __slots__ = ("before", "decides_at", "escaped", "free", "members", "pieces", "size")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        """The pieces that were taken since the cursor last read the open string."""
        self.size = 0
        """The size of these pieces."""
        self.decides_at = 0
        """The size at which a decision is due: only less may be taken. 0 outside a string or value, where nothing is taken."""
        self.escaped = False
        """Whether the text so far ends with the backslash of an escape."""
        self.free: re.Pattern[str] | None = None
        """The pattern of text that ends nothing in a call in a dialect; None for a string of a fenced block."""
        self.members: Members | None = None
        """Reports the pieces of the string; each piece must be given to it. None if the string is not shown."""
        self.before = 0
        """The number of characters of the body that were read before these pieces."""

    def take(self, text: str) -> bool:
        """Take text that ends nothing, and return True. Otherwise change nothing and return False: then `feed` takes it."""
        size = self.size + len(text)
        if size >= self.decides_at or not text:
            return False
        if self.free is not None:
            found = self.free.fullmatch("\\" + text if self.escaped else text)
            if found is None:
                return False
            self.escaped = found.lastindex is not None
        elif not text.isprintable():  # line ends, controls and half a character are not
            return False
        elif self.escaped or "\\" in text or '"' in text:
            if '"' in text or text[-1] == "\\":
                found = _WHOLE.fullmatch(text, 1 if self.escaped else 0)
                if found is None:
                    return False
                self.escaped = found.lastindex is not None
            else:
                self.escaped = False
        self.size = size
        self.pieces.append(text)
        return True

    def taken(self) -> list[str]:
        """Return the pieces, and remove them. Nothing more is taken until `decides_at` is set again."""
        pieces, self.pieces = self.pieces, []
        self.size = self.decides_at = 0
        self.free = self.members = None
        return pieces
