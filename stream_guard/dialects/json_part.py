"""`JsonPart`: one JSON text inside a body, from its first bracket to its last.

JSON ends where its last bracket closes, whatever its strings hold. JSON that is broken has no such place: it ends at the first
marker after a closing bracket or at the beginning of a line.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from ..values.call_keys import ARGUMENT_KEYS, NAME_KEYS, TOOL_KEY, TOOL_KEYS, AnySpelling, folded
from .cursor import BROKEN, COMPLETE, KEY, LINE, Cursor, Signal
from .marks import Marks
from .pieces import Pieces

LOOKAHEAD: Final = 16_384
"""The number of characters that are read after a marker that may be inside a string, before the marker counts as the end."""

CLOSING: Final = "}])\"'`"
"""The characters that may follow JSON with a bracket or a quote too many. Any other text is prose: the closer is missing."""

_MANY: Final = 8
"""The number of openers after the fault that show that the JSON is over, though no closer was found. A single one may be
quoted."""

_STEP: Final = 256
"""The number of characters of broken JSON that are searched together. Those after its end are read again."""

_ROOM: Final = 64
"""The most blanks between a closing bracket or a line end and the marker after it."""

_TOOL: Final = AnySpelling(TOOL_KEYS, NAME_KEYS)
_ARGUMENTS: Final = AnySpelling(ARGUMENT_KEYS)
_BLANK: Final = " \t\r\n"


class JsonPart:
    """Follows one JSON text, or several in a row, up to its end."""

    def __init__(
        self,
        marks: Marks,
        *,
        openers: Container[str] = (),
        path_field: str | None,
        named: bool = False,
        name_is_key: bool = False,
        lenient: bool = False,
    ) -> None:
        self.complete = False
        """Whether the text so far is whole JSON."""
        self.broken = False
        """Whether the text so far is not JSON."""
        self.break_at = 0
        """The place where the text stopped being JSON, counted from its beginning."""
        self.ended: tuple[int, int] | None = None
        """The places where broken JSON ends and where the marker after it ends, counted from the beginning of the text; None if
        it has not ended."""
        self.marker = ""
        """The marker that ends broken JSON."""
        self.certain = False
        """Whether that marker is after the place where the text stopped being JSON, and so not in a string before it."""
        self.name: str | None = None
        self.plainly = False
        """Whether the name is under the key `tool` of the outermost object."""
        self.path: str | None = None
        self.size = 0
        """How many characters were read."""
        self.whole = 0
        """How many of these characters are whole JSON."""
        self._cursor = Cursor()
        self._cursor.lenient = lenient
        self._cursor.deep = named
        self._marks: Final = marks
        self._openers: Final = openers  # the markers that open another body
        self._path_field: Final = path_field
        self._named: Final = named
        self._name_is_key: Final = name_is_key
        self._pieces = Pieces()
        self._half = ""  # the end of the text searched, where a marker may begin
        self._first: _Found | None = None  # the first marker of all
        self._doubt: _Found | None = None  # the first marker that may be the end
        self._another: int | None = None  # the place where the first opener after `_first` ends
        self._opened = 0  # how many openers follow the place where the text stopped being JSON

    @property
    def in_string(self) -> bool:
        """Return whether a string is open."""
        return self._cursor.in_string

    @property
    def loose(self) -> bool:
        """Return whether a fault was read after which the ends of strings are still certain. Then the text is no JSON."""
        return self._cursor.loose

    @property
    def free(self) -> re.Pattern[str] | None:
        """The pattern of text that ends nothing at this place; see `BodyCursor`."""
        cursor = self._cursor
        calm = cursor.in_string and not (cursor.escaped or self.broken or self._doubt is not None)
        return self._marks.free_in_json if calm else None

    def text(self) -> str:
        """Return the JSON text, without the text that was read after its end."""
        stop = self.ended[0] if self.ended is not None else self.whole if self.complete else None
        return self._pieces.text(stop)

    def read(self, text: str, at: int) -> int:
        """Read on from `at`. Returns the end of the text, or the place after the last bracket.

        If `ended` is set, the text after that place does not belong to the JSON.
        """
        size = len(text)
        self.complete = False
        over = not self._marks.markers  # nothing shows where broken JSON ends
        while at < size and not self.complete and self.ended is None and not (over and self.broken):
            at = self._read_some(text, at, min(size, at + self._room()))
        return at

    def _room(self) -> int:
        """Return how many characters to read before the next decision, so that no decision depends on how the text is cut."""
        since = self._doubt[1] if self._doubt is not None else self.break_at if self.broken else self.size
        room = since + LOOKAHEAD - self.size
        return min(room, _STEP) if self.broken else room

    def _read_some(self, text: str, at: int, stop: int) -> int:
        start = at
        while at < stop and not self.broken:
            at = self._cursor.feed(text, at, stop)
            signal = self._cursor.signal
            if signal is COMPLETE:
                self.complete = True
                break
            if signal is BROKEN:
                self._break(self.size + at - start)
            elif signal is not None and signal is not LINE:
                self._hear(signal)
        if self.broken:
            at = min(stop, at + _STEP)
        part = text[start:at]
        if self.complete:
            self._first = self._doubt = self._another = None  # these were inside a string
            self._half = ""
            self.size = self.whole = self.size + len(part)
        else:
            self._search(part)
            self.size += len(part)
            self._decide()
        self._pieces.add(part)
        return at

    def keep(self, text: str) -> None:
        """Take text after whole JSON. It belongs to the JSON only if more JSON follows."""
        self._pieces.add(text)
        self.size += len(text)

    def give_up(self) -> None:
        """Mark the JSON as broken, because text after whole JSON belongs to it and is not JSON."""
        self._break(self.size)

    def _break(self, place: int) -> None:
        self.broken, self.break_at = True, place
        self.complete = False

    def finish(self) -> None:
        """Note that the text has ended: broken or open JSON then ends at the first marker that may be its end, or at the first
        of all.
        """
        found = self._doubt or self._first
        if not self.complete and self.ended is None and found is not None:
            self._end(found)

    def _hear(self, signal: Signal) -> None:
        """Keep the name or the path, if the key or string that has closed is one."""
        path, text = self._cursor.path, self._cursor.text
        if not path:
            return
        if signal is KEY:
            if self._name_is_key and self.name is None and len(path) == 1:
                self.name = path[0]
        elif self._named and self.name is None and path[-1] in _TOOL and not any(step in _ARGUMENTS for step in path):
            self.name, self.plainly = text, path == (TOOL_KEY,) and self._cursor.depth == 1
            self._cursor.deep = False
        elif self._path_field is not None and self.path is None and folded(path[-1]) == self._path_field:
            self.path = text

    def _search(self, part: str) -> None:
        """Search a part for the first marker, and for the first marker that may be the end."""
        if self._doubt is not None or not self._marks.markers:
            return
        text = self._half + part
        begin = self.size - len(self._half)
        at = 0
        while True:
            at, marker = self._marks.find(text, at)
            if marker is None:
                break
            found = (begin + at, begin + at + len(marker), marker)
            if marker in self._openers:
                if self._first is not None and self._another is None:
                    self._another = found[1]
                self._opened += self.broken and found[0] >= self.break_at
                if self._opened == _MANY:
                    return
            else:
                self._first = self._first or found
                if self._may_end(text, at):
                    self._doubt = found
                    return
            at += len(marker)
        self._half = text[at:]

    def _may_end(self, text: str, at: int) -> bool:
        """Return whether a marker at this place may be the end: it is after a closing bracket, or at the
        beginning of a line.
        """
        before = text[max(at - _ROOM, 0) : at]
        if len(before) < _ROOM:
            received = self._pieces.end(_ROOM + len(self._half))
            before = (received[: len(received) - len(self._half)] + before)[-_ROOM:]
        solid = before.rstrip(_BLANK)
        return solid[-1:] in ("}", "]") or "\n" in before[len(solid) :]

    def _decide(self) -> None:
        """End broken JSON at the marker that may be its end. Open JSON ends there too if much text has followed that marker."""
        doubt, another = self._doubt, self._another
        if self.broken and another is not None and (doubt is None or max(another, self.break_at + 1) < doubt[1]):
            doubt = None  # another body has opened before that marker
        if doubt is not None and (self.broken or self.size - doubt[1] >= LOOKAHEAD):
            self._end(doubt)
        elif self.broken and (another is not None or self._opened == _MANY or self.size - self.break_at >= LOOKAHEAD):
            self._end(self._first or (self.break_at, self.break_at, ""))

    def _end(self, found: _Found) -> None:
        self.ended, self.marker = found[:2], found[2]
        self.certain = found is self._doubt and self.broken and found[0] >= self.break_at


_Found = tuple[int, int, str]
