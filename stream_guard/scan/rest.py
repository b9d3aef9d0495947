"""`Rest`: decides from the text after a call with raw values whether the end of that call is certain.

A raw value has no escapes: it may contain all closers of its call in a row, and nothing in the call shows that. But then the
real closers come further on in the reply. So such a call waits for the rest of the reply, and all text after the call waits
too:

- Its end is certain if only blanks and whole calls of its dialect follow, and the reply is not known to have been cut off.
- Where anything else follows, its end is certain only if the model is known to have ended the reply (`stop`): in a reply that
  was cut off, the closers may be what is missing.
- A closer that closes nothing shows that the value went on. Then no call of the reply runs, from that one on: where the value
  ended is not known, and everything after it may be a part of it.

The same holds after any call in a dialect whose own end is uncertain, whatever its values are written in: a mistake in it may
have ended it too early, and the text after it may belong to one of its strings. And it holds for all blocks after a call with
raw values in reasoning that the text began in: no mark shows that it is reasoning, and its closer may be inside such a value.

Rule 1: nothing overtakes a call that waits; what waits leaves in order.
Rule 2: what waits is bounded. Past the bound nothing is certain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, overload

from ..values.events import FENCE, StreamEnd
from .openers import LONGEST_CLOSER, any_of
from .states import Closed, Scanned

_BLANK: Final = " \t\r\n"
_NO_CLOSER: Final = any_of(())  # asking `re` for it takes a microsecond, and every stream begins with it
_SHORT: Final = 256
"""The size up to which a piece of text that waits is joined with the next piece."""


class Rest:
    """The calls that wait for the rest of a reply, and everything after them."""

    __slots__ = ("_closer", "_closers", "_dialect", "_full", "_lost", "_most", "_size", "_tail", "_text", "doubts", "waiting")

    def __init__(self, most: int) -> None:
        self._most: Final = most  # the most characters that may wait
        self._full = False  # whether no more may wait
        self.waiting: list[Scanned] = []
        """The reports and text that wait, the first call first; empty if no call waits."""
        self._size = 0  # the number of characters after the first call that waits
        self._text = False  # whether there is any text after it but blanks and whole calls of its dialect
        self._dialect = ""
        self._closers: set[str] = set()  # the closers that would show that a value was longer than its call
        self._closer = _NO_CLOSER
        self._tail = ""  # the end of the text, where a closer may begin
        self._lost = False  # whether a value was, or may have been, longer than it seemed
        self.doubts: Final[set[str]] = set()
        """The closers that would show that a value before all blocks was longer than it seemed. While there are any, every
        block waits."""

    @property
    def held(self) -> int:
        """The number of characters that wait after the first call."""
        return self._size

    def overflow(self) -> None:
        """Let nothing more wait: with the next character, everything that waits is passed on, and all block ends in it are
        uncertain.
        """
        self._full = bool(self.waiting)

    def take(self, scanned: Iterable[Scanned]) -> list[Scanned]:
        """Take the reports and text that the scanner returned; returns those that need not wait."""
        out: list[Scanned] = []
        for item in scanned:
            if isinstance(item, Closed):
                self._take_block(item, out)
            elif not self.waiting:
                out.append(item)
            elif isinstance(item, str):
                self._add_text(item)
                self._take_text(item, out)
            else:
                self.waiting.append(item)
        return out

    def _add_text(self, text: str) -> None:
        """Append text to the reports and text that wait. Short pieces are joined, since each takes more memory than its
        characters.
        """
        last = self.waiting[-1]
        if isinstance(last, str) and len(last) < _SHORT:
            self.waiting[-1] = last + text
        else:
            self.waiting.append(text)

    def _take_block(self, closed: Closed, out: list[Scanned]) -> None:
        """Let a block wait, or append it to `out` if nothing waits and none of its values is raw."""
        certain, first = closed.block.end_is_certain, not self.waiting
        closed = uncertain(closed) if self._lost else closed
        if self.doubts:
            closed = replace(closed, raw_ends=(*closed.raw_ends, *sorted(self.doubts)))
        self._lost = self._lost or not (certain or closed.block.dialect == FENCE)
        if first and (self._lost or not closed.raw_ends):
            out.append(closed)
            return
        self.waiting.append(closed)
        if closed.raw_ends and not certain:
            self._lose(out)
            return
        if not first and not (certain and closed.block.dialect == self._dialect):
            self._take_text(closed.block.raw, out)
        else:
            self._tail = ""
            self._size += 0 if first else len(closed.block.raw)
            self._bound(out)
        if first:
            self._dialect = closed.block.dialect
        if self.waiting and not self._closers.issuperset(closed.raw_ends):
            self._closers.update(closed.raw_ends)
            self._closer = any_of(sorted(self._closers))

    def _take_text(self, text: str, out: list[Scanned]) -> None:
        """Count text after a call that waits, and search it for closers. If there is one, everything that waits
        goes to `out`.
        """
        self._size += len(text)
        self._text = self._text or bool(text.strip(_BLANK))
        read = self._tail + text
        if self._closer.search(read) is not None:
            self._lose(out)
            return
        self._tail = read[-LONGEST_CLOSER:]
        self._bound(out)

    def _bound(self, out: list[Scanned]) -> None:
        """Move everything that waits to `out` if it is too much."""
        if self._size > (0 if self._full else self._most):
            self._lose(out)

    def _lose(self, out: list[Scanned]) -> None:
        """Move everything that waits to `out`. All block ends in it, and all later ones in this reply, are uncertain."""
        self._lost = True
        self._pass(out, certain=False)

    def _pass(self, out: list[Scanned], *, certain: bool) -> None:
        out += self.waiting if certain else map(uncertain, self.waiting)
        self._clear()

    def _clear(self) -> None:
        self.waiting, self._size, self._text, self._tail = [], 0, False, ""
        self._closers.clear()
        self._full = False

    def end(self, scanned: Iterable[Scanned], cause: StreamEnd) -> list[Scanned]:
        """End the reply; returns these last reports and everything that waits."""
        out = self.take(scanned)
        if self.waiting:
            self._pass(out, certain=cause == "stop" or (cause == "unknown" and not self._text))
        self._lost = False
        self.doubts.clear()
        return out

    def abandon(self, scanned: Iterable[Scanned]) -> list[Scanned]:
        """Return everything that waits, and these reports after it, because of an internal error. All block ends in it are
        uncertain.
        """
        out: list[Scanned] = []
        self._lose(out)
        return out + self.take(scanned)


@overload
def uncertain(item: Closed) -> Closed: ...


@overload
def uncertain(item: Scanned) -> Scanned: ...


def uncertain(item: Scanned) -> Scanned:
    """Return a block with its end marked as uncertain; anything else unchanged."""
    return without_end(item) if isinstance(item, Closed) else item


def without_end(closed: Closed) -> Closed:
    """Return a block with its end marked as uncertain."""
    return replace(closed, block=replace(closed.block, ambiguous=True)) if closed.block.end_is_certain else closed
