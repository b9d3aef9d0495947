"""`Inside`: takes the text inside an open string of a block with one look, as long as it ends nothing.

Most text of a block is the content of one long string, and most deltas of it hold no quote and no line end. What they do to the
scanner is the same each time: the text is kept, and the next decision is nearer. So they are only collected here; the scanner
and its cursor take them over in one step before anything else is read or asked.

Rule: text that ends something, or reaches a place where something must be decided, is not taken, nor any part of it.
"""

from __future__ import annotations

import re
from typing import Final

_WHOLE: Final = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+(\\)?')
"""Text that closes no string, if it has no line end: every quote is escaped. The group is an escape of which more will come."""


class Inside:
    """The pieces of text that were taken inside an open string."""

    __slots__ = ("escaped", "pieces", "room", "size")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        """What was taken since the string was last read by the cursor."""
        self.size = 0
        """The size of these pieces."""
        self.room = 0
        """One more than the size that may be taken before something must be decided; 0 outside of a string."""
        self.escaped = False
        """Whether the text so far ends with the backslash of an escape."""

    def take(self, text: str) -> bool:
        """Take text that ends nothing, and return True; else change nothing and return False: then `feed` it to the scanner."""
        size = self.size + len(text)
        if size >= self.room or not text or not text.isprintable():  # line ends, controls and half a character are not
            return False
        if self.escaped or "\\" in text or '"' in text:
            found = _WHOLE.fullmatch(text, 1 if self.escaped else 0)
            if found is None:
                return False
            self.escaped = found.lastindex is not None
        self.size = size
        self.pieces.append(text)
        return True

    def taken(self) -> list[str]:
        """Return the pieces, and forget them: until `room` is set again nothing is taken."""
        pieces, self.pieces = self.pieces, []
        self.size = self.room = 0
        return pieces
