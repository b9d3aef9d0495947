"""`PyCall`: calls as Python writes them, with keyword arguments.

    [f(a=1, b="x"), g()]      f(a=1)
                              g(b=[1, 2])

A value is returned as written, up to the comma or the bracket after it: whether it is a literal is decided later. Code that is
broken after the name of a call is read up to the closer: a string in it may quote calls. No call after it is certain.
"""

from __future__ import annotations

import re
from typing import Final

from ...values.call_keys import folded
from ..body import State
from ..call import RawCall, Value
from ..json_part import LOOKAHEAD
from ..marks import marks, skip
from ..pieces import Pieces
from .quoted import QuotedBody


class PyCall(QuotedBody):
    """Reads a list of calls, or calls without brackets around them up to a closer."""

    def __init__(
        self,
        *,
        openers: tuple[str, ...] = (),
        closers: tuple[str, ...] = (),
        brackets: bool = True,
        needs_closer: bool = True,
        path_field: str | None = "path",
    ) -> None:
        """Read a body.

        Args:
            openers: Openers of the dialect. An opener in a string shows that the string should have ended.
            closers: The closers of the body; without any, it ends with its last bracket.
            brackets: Whether the calls are in a list; if not, they end at a closer.
            needs_closer: Whether a body without its closer is uncertain.
            path_field: The field whose value is the `path`.
        """
        super().__init__(
            self._before,
            openers=openers,
            closers=closers,
            needs_closer=needs_closer or not brackets,
            strays=closers,
            path_field=path_field,
        )
        self._brackets: Final = brackets
        self._word: list[str] = []  # the name or the key that is being read
        self._word_at = 0
        self._key = ""
        self._value = Pieces()
        self._lines = False  # whether a string in the value has several lines
        self._open: list[str] = []  # the closers of the brackets that are open in the value
        self._fault: tuple[str, int] | None = None  # why and where the code broke, while its closer is searched for
        self._nested = 0  # how many openers after that place have no closer yet

    # Calls.

    def _before(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if not self._brackets:
            self._begin_word(self._in_name, at)
        elif text[at] == "[":
            self._state = self._before_name
            return at + 1
        else:
            self._break("structure", self._origin + at)
        return at

    def _before_name(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if self._brackets and self._calls and text[at] == "]":
            return self._close_body(at + 1)
        self._begin_word(self._in_name, at)
        return at

    def _begin_word(self, state: State, at: int) -> None:
        """Begin to read a name or a key in this state."""
        self._word, self._word_at = [], self._origin + at
        self._state = state

    def _read_word(self, text: str, at: int) -> int:
        """Read on in a name or a key. Returns where it ends."""
        found = _WORD.match(text, at)
        stop = found.end() if found is not None else at
        self._word.append(text[at:stop])
        return stop

    def _in_name(self, text: str, at: int) -> int:
        at = self._read_word(text, at)
        if at == len(text):
            return at
        name = "".join(self._word)
        if text[at] != "(" or _NAME.fullmatch(name) is None:
            self._break("structure", self._word_at)
            return at
        self._open_call(name)
        self._state = self._before_key
        return at + 1

    def _before_key(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if text[at] == ")":
            return self._close_call(at + 1)
        self._begin_word(self._in_key, at)
        return at

    def _in_key(self, text: str, at: int) -> int:
        at = self._read_word(text, at)
        if at < len(text):
            self._key = "".join(self._word)
            self._state = self._behind_key
        return at

    def _behind_key(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if text[at] != "=" or not self._key.isidentifier():
            self._break("structure", self._word_at)
            return at
        self._value, self._open = Pieces(), []
        self._state = self._in_value
        return at + 1

    def _close_call(self, at: int) -> int:
        self._closed = len(self._calls)
        self._state = self._behind_call
        return at

    def _behind_call(self, text: str, at: int) -> int:
        at = skip(text, at)
        if at == len(text):
            return at
        if self._brackets:
            if text[at] == "]":
                return self._close_body(at + 1)
            if text[at] != ",":
                self._break("structure", self._origin + at)
                return at
            self._state = self._before_name
            return at + 1
        closer = self._closers.at(text, at)
        if closer is not None:
            return self._behind_closer(at + len(closer))
        if not self._closers.begun(text, at):
            self._begin_word(self._in_name, at)
        return at

    # Values.

    def _in_value(self, text: str, at: int) -> int:
        found = _PLAIN.match(text, at)
        stop = found.end() if found is not None else at
        self._value.add(text[at:stop])
        if stop == len(text):
            return stop
        char = text[stop]
        if char in "'\"":
            self._state = self._at_quote
            return stop
        if not self._open and char in ",)":
            self._close_value()
            self._state = self._before_key
            return stop + 1 if char == "," else stop
        if char in _PAIRS:
            self._open.append(_PAIRS[char])
        elif char != ",":
            if not self._open or self._open.pop() != char:
                self._break("structure", self._origin + stop)
                return stop
        self._value.add(char)
        return stop + 1

    def _at_quote(self, text: str, at: int) -> int:
        """Open a string with the quote at this place, which has one character or three."""
        quote = text[at]
        there = text[at : at + 3]
        if there == quote * len(there) and len(there) < 3 and not self._final:
            return at
        if there == quote * 3:
            quote = there
        self._value.add(quote)
        self._open_string(quote, self._close_quote)
        return at + len(quote)

    def _close_quote(self) -> None:
        """Continue the value after one of its strings."""
        text = self._string.text()
        self._lines = self._lines or "\n" in text
        self._value.add(text)
        self._value.add(self._quote)
        self._string = Pieces()
        self._state = self._in_value

    def _close_value(self) -> None:
        text = self._value.text().strip()
        self._value = Pieces()
        self._add(self._key, Value(text, "python", lines=self._lines))
        self._lines = False
        if self.path is None and len(self._calls) == 1 and folded(self._key) == self._path_field:
            plain = _PLAIN_STRING.fullmatch(text)
            self.path = plain[2] if plain is not None else None

    # Code that is broken.

    def _break(self, why: str, place: int) -> None:
        """Note that the text is not valid code. After the name of a call, the following text still belongs to the call."""
        if self._calls and self._closers.markers:
            self._fault = why, place
            self._stops = marks((*self._openers, *self._closers.markers))
            self._state = self._behind_break
        else:
            super()._break(why, place)

    def _behind_break(self, text: str, at: int) -> int:
        """Read on in code that is broken, up to the closer that belongs to its opener."""
        assert self._fault is not None
        why, place = self._fault
        found, mark = self._stops.find(text, at, final=self._final)
        if self._origin + found - place >= LOOKAHEAD:
            super()._break(why, place)
            return at
        if mark is None:
            return found
        self._nested += 1 if mark in self._openers else -1
        if self._nested < 0:
            super()._break(why, self._origin + found + len(mark))
        return found + len(mark)

    @property
    def spoiled(self) -> bool:
        """Return whether broken code is still open."""
        return self._fault is not None and not self._stopped()

    def calls(self) -> list[RawCall]:
        """Return the calls that were read, in order; none if the code is broken."""
        return super().calls() if self._fault is None else []

    def _cut_off(self) -> None:
        if self._state in (self._in_value, self._in_string, self._escaped):
            self._add(self._key, Value((self._value.text() + self._string.text()).strip(), "python"))
        super()._cut_off()


_WORD: Final = re.compile(r"[\w.-]*+")
_NAME: Final = re.compile(r"[^\W\d][\w-]*+(?:\.[\w-]++)*+")
_PLAIN: Final = re.compile(r"[^'\"()\[\]{},]*+")
_PLAIN_STRING: Final = re.compile(r"""(['"])([^'"\\\r\n]++)\1""")
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
