"""`QuotedBody`: the common part of the cursors of calls with brackets and quoted strings: the strings, and the end of the
body.

A string ends at its quote, whatever it holds. But a quote may have been forgotten. So a marker inside a string, where the body
may have ended, makes the body uncertain. The marker is the end after all if the string does not end, or another body opens in
it. Then no later call is certain: the rest of the string may quote it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ..behind import Behind, is_rubble
from ..body import Body, State
from ..call import RawCall, Value
from ..json_part import LOOKAHEAD
from ..marks import Marks, marks, skip
from ..pieces import Pieces


class QuotedBody(Body):
    """Reads the strings and the end of a body; a subclass reads the text between its strings."""

    def __init__(
        self,
        start: State,
        *,
        openers: tuple[str, ...],
        closers: tuple[str, ...],
        needs_closer: bool,
        strays: tuple[str, ...] = (),
        path_field: str | None,
    ) -> None:
        """Read a body. `strays` are markers that show, if one follows the closer, that this closer was part of a string."""
        super().__init__(start, path_field=path_field)
        self._openers: Final = openers
        self._closers: Final = marks(closers)
        self._needs_closer: Final = bool(closers) and needs_closer
        self._strays: Final = marks(strays)
        self._rest: Final = Behind(openers, closers)
        self._calls: list[tuple[str, list[tuple[str, Value]]]] = []
        self._closed = 0  # how many of the calls are closed
        self._string = Pieces()
        self._quote = ""  # the quote that ends the string
        self._stops: Marks = marks(())  # the marks at which the reading of the string is interrupted
        self._then: Callable[[], None] | None = None  # the function that is called when the string ends
        self._doubt: int | None = None  # the place where the first closer in the open string ends
        self._body_end = 0  # the place where the last bracket of the body ends

    # Strings.

    def _open_string(self, quote: str, then: Callable[[], None]) -> None:
        """Begin a string that ends at this quote. `then` is called at its end, and takes the string and sets the next state."""
        self._quote, self._then = quote, then
        self._string = Pieces()
        self._stops = marks((quote, *_ESCAPES.get(quote[0], ()), *self._openers, *self._closers.markers))
        self._state = self._in_string

    def _free(self) -> re.Pattern[str] | None:
        return self._stops.free if self._state == self._in_string and self._doubt is None else None

    def _in_string(self, text: str, at: int) -> int:
        found, mark = self._stops.find(text, at, final=self._final)
        if self._doubt is not None and (mark in self._openers or self._origin + found - self._doubt >= LOOKAHEAD):
            self._end_at(self._doubt, complete=False)
            return at
        self._string.add(text[at:found])
        if mark is None:
            return found
        if mark == "\\":
            self._state = self._escaped
        elif mark == self._quote:
            self._doubt = None
            assert self._then is not None
            self._then()
        else:
            self.uncertain = True
            if mark in self._closers and self._doubt is None:
                self._doubt = self._origin + found + len(mark)
        if mark != self._quote:
            self._string.add(mark)
        return found + len(mark)

    def _escaped(self, text: str, at: int) -> int:
        """Add an escaped character to the string."""
        self._string.add(text[at])
        self._state = self._in_string
        return at + 1

    # Calls.

    def _open_call(self, name: str) -> None:
        self._calls.append((name, []))
        if len(self._calls) == 1:
            self.name = name

    def _add(self, key: str, value: Value) -> None:
        """Add an argument to the call that is open."""
        self._calls[-1][1].append((key, value))

    def _calls_read(self) -> list[RawCall]:
        return [RawCall(name, tuple(items), closed=at < self._closed) for at, (name, items) in enumerate(self._calls)]

    # The end.

    def _close_body(self, at: int) -> int:
        """Note that the last bracket has closed before this place."""
        self._body_end = self._origin + at
        self._state = self._behind_body
        return at

    def _behind_body(self, text: str, at: int) -> int:
        at = self._rest.skip(text, at)
        closer = self._closers.at(text, at)
        if at == len(text) or (closer is None and self._closers.begun(text, at)):
            return at
        if closer is None:
            if self._needs_closer or is_rubble(text[at], glued=self._origin + at == self._body_end):
                self._end_at(self._body_end, complete=False)
            else:
                self._state = self._in_rest
            return at
        return self._behind_closer(at + len(closer))

    def _in_rest(self, text: str, at: int) -> int:
        """Read the text after the last bracket, until it is decided whether that text is the rest of a string."""
        at = self._rest.read(text, at, final=self._final)
        if self._rest.decided:
            self._end_at(self._body_end, complete=not self._rest.torn)
        return at

    def _behind_closer(self, at: int) -> int:
        """End the body at its closer, or wait for the text after it if a stray marker may follow."""
        self._body_end = self._origin + at
        if self._strays.markers:
            self._state = self._before_stray
        else:
            self._end_at(self._body_end, complete=True)
        return at

    def _before_stray(self, text: str, at: int) -> int:
        at = skip(text, at)
        stray = self._strays.at(text, at)
        if at == len(text) or (stray is None and self._strays.begun(text, at)):
            return at
        if stray is None:
            self._end_at(self._body_end, complete=True)
        else:
            self._end_at(self._body_end, complete=False)
        return at

    def _cut_off(self) -> None:
        if self._state == self._before_stray:
            self._end_at(self._body_end, complete=True)
        elif self._state == self._behind_body:
            self._end_at(self._body_end, complete=not self._needs_closer)
        elif self._state == self._in_rest:
            self._end_at(self._body_end, complete=not self._rest.torn)
        elif self._doubt is not None:
            self._end_at(self._doubt, complete=False)


_ESCAPES: Final = {'"': ("\\",), "'": ("\\",)}
"""The characters that escape a quote in a string, by the quote."""
