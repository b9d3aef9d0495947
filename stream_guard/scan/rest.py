"""`Rest`: decides from the text after a call with raw values whether the end of that call is certain.

A raw value has no escapes: it may hold all its closers in a row, and nothing in the call shows it. But then the closers that
were meant stand further on in the reply. So such a call waits for the rest of the reply, with all that stands after it:

- Its end is certain if only blanks and whole calls of its dialect follow, and the reply is not known to have been cut off.
- Where anything else follows, its end is certain only if the model is known to have ended the reply (`stop`): in a reply that
  was cut off, the closers may be what is missing.
- A closer that closes nothing shows that the value went on. Then no call of the reply runs, from that one on: where the value
  ended is not known, and everything after it may be a part of it.

The same holds after any call in a dialect whose own end is uncertain, whatever its values are written in: a fault in it may
have ended it too early, and what follows may stand in one of its texts. And it holds for all blocks after a call with raw
values in reasoning that the text began in: no mark shows that it is reasoning, and its closer may stand in such a value.

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
    """The calls that wait for the rest of a reply, with all that follows them."""

    __slots__ = ("_closer", "_closers", "_dialect", "_full", "_lost", "_most", "_size", "_tail", "_text", "doubts", "waiting")

    def __init__(self, most: int) -> None:
        self._most: Final = most  # characters that may wait
        self._full = False  # whether no more may wait
        self.waiting: list[Scanned] = []
        """The first call that waits, and what follows it; empty if no call waits."""
        self._size = 0  # how many characters stand after the first call that waits
        self._text = False  # whether anything but blanks and whole calls of its dialect stands there
        self._dialect = ""
        self._closers: set[str] = set()  # which would show that a value went on
        self._closer = _NO_CLOSER
        self._tail = ""  # the end of the text, where a closer may have begun
        self._lost = False  # whether a value went on that seemed to have ended, or may have
        self.doubts: Final[set[str]] = set()
        """The closers that would show that a value before all blocks went on. If there are any, every block waits."""

    @property
    def held(self) -> int:
        """The number of characters that wait after the first call."""
        return self._size

    def overflow(self) -> None:
        """Let nothing more wait. With the next character, all that waits is passed on, and all ends in it are uncertain."""
        self._full = bool(self.waiting)

    def take(self, scanned: Iterable[Scanned]) -> list[Scanned]:
        """Take what the scanner found; returns what need not wait."""
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
        """Append text to what waits. Short pieces are joined: each takes more memory than its characters."""
        last = self.waiting[-1]
        if isinstance(last, str) and len(last) < _SHORT:
            self.waiting[-1] = last + text
        else:
            self.waiting.append(text)

    def _take_block(self, closed: Closed, out: list[Scanned]) -> None:
        """Take a block: it waits, or passes on if nothing waits and none of its values is raw."""
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
        """Take text after a call that waits: look for closers in it."""
        self._size += len(text)
        self._text = self._text or bool(text.strip(_BLANK))
        read = self._tail + text
        if self._closer.search(read) is not None:
            self._lose(out)
            return
        self._tail = read[-LONGEST_CLOSER:]
        self._bound(out)

    def _bound(self, out: list[Scanned]) -> None:
        """Pass on everything that waits if it is too much."""
        if self._size > (0 if self._full else self._most):
            self._lose(out)

    def _lose(self, out: list[Scanned]) -> None:
        """Pass on everything that waits. All ends in it, and all later ones in this reply, are uncertain."""
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
        """End the reply; returns what it still had, and what has waited."""
        out = self.take(scanned)
        if self.waiting:
            self._pass(out, certain=cause == "stop" or (cause == "unknown" and not self._text))
        self._lost = False
        self.doubts.clear()
        return out

    def abandon(self, scanned: Iterable[Scanned]) -> list[Scanned]:
        """Return what waits and what was found after it, after an internal error. All ends in it are uncertain."""
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
