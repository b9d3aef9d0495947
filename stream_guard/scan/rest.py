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

A fenced block whose body ends with a quote, before its call does, waits too: a bracket was forgotten, or that quote and the
fence stand in a text that goes on. Then some line behind the fence ends that text: with the quote, and a mark or a member
behind it. Other text behind the fence says nothing, so its end is certain also where the reply ended for no known reason.

Rule 1: nothing overtakes a call that waits; what waits leaves in order.
Rule 2: what waits is bounded. Past the bound nothing is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, overload

from ..values.events import FENCE, StreamEnd
from ..values.fence import RUN
from ..values.late import late
from .openers import LONGEST_CLOSER, any_of
from .states import Closed, Scanned

_BLANK: Final = " \t\r\n"
_NO_CLOSER: Final = any_of(())  # asking `re` for it takes a microsecond, and every stream begins with it
_LONGEST_END: Final = 1024
"""The number of characters in which the end of a text is looked for, from the beginning of its line on."""

_QUOTES: Final = "\"'`"
_ENDS_A_TEXT: Final = late(rf"[ \t]{{0,8}}[{_QUOTES}]{{1,3}}[ \t]{{0,8}}[,:}}\]]")
_SHORT: Final = 256
"""The size up to which a piece of text that waits is joined with the next piece."""


class Rest:
    """The calls that wait for the rest of a reply, and everything after them."""

    __slots__ = (
        "_closer",
        "_closers",
        "_dialect",
        "_full",
        "_lost",
        "_most",
        "_quotes",
        "_size",
        "_tail",
        "_text",
        "asked",
        "doubts",
        "waiting",
    )

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
        self._quotes: dict[str, re.Pattern[str]] = {}  # the ends of a text in these quotes, which would show that it was longer
        self._lost = False  # whether a value was, or may have been, longer than it seemed
        self.asked = False
        """Whether a fenced block of this reply has waited, or is about to."""
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
        waits = bool(closed.raw_ends or closed.last_quote)
        if first and (self._lost or not waits):
            out.append(closed)
            return
        self.waiting.append(closed)
        if waits and not certain:
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
        if self.waiting and closed.last_quote:
            self._quotes.setdefault(closed.last_quote, _end_of_text(closed.last_quote))
            self._tail = "\n"  # what follows the fence is read as a line
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
        if self._closer.search(read) is not None or self._goes_on(read):
            self._lose(out)
            return
        self._tail = read[-_LONGEST_END if self._quotes else -LONGEST_CLOSER :]
        self._bound(out)

    def _goes_on(self, text: str) -> bool:
        """Return whether a line of this text ends the text of a fenced block that waits."""
        return any(end.search(text) is not None for end in self._quotes.values())

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
        self._quotes.clear()
        self._full = False

    def end(self, scanned: Iterable[Scanned], cause: StreamEnd) -> list[Scanned]:
        """End the reply; returns these last reports and everything that waits."""
        out = self.take(scanned)
        if self.waiting and self._goes_on(f"{self._tail}\n"):
            self._lose(out)
        elif self.waiting:
            raw = self._text and bool(self._closers)
            self._pass(out, certain=cause == "stop" or (cause == "unknown" and not raw))
        self._lost = self.asked = False
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


def last_quote(body: str) -> str:
    """Return the quote that a body ends with, perhaps with a comma behind it; empty if it ends otherwise."""
    last = body.rstrip(" \t\r\n,")[-1:]
    return last if last in _QUOTES else ""


def ends_a_text(line: str) -> bool:
    """Return whether a line begins with what ends a text of a call: a quote, and behind it a comma, a colon or a bracket."""
    return _ENDS_A_TEXT.match(line) is not None


def _end_of_text(quote: str) -> re.Pattern[str]:
    """Return a pattern of a line in which a text ends that began before the line.

    It begins with the quote and a mark; or its first quote has a bracket that ends a line behind it, or a comma and a key.
    """
    member = rf",[ \t\r\n]{{0,64}}{quote}?[\w$-]{{1,80}}{quote}?[ \t]{{0,8}}:"
    bracket = r"[ \t\r\n]{0,64}[}\]][}\]) \t,;]{0,16}[\r\n`~]"
    return re.compile(
        rf"[\r\n][ \t]{{0,64}}{RUN}?[ \t]{{0,8}}{quote}{{1,3}}[ \t]{{0,8}}[,:]"
        rf"|[\r\n][^{quote}\r\n]{{0,600}}{quote}{{1,3}}(?:{bracket}|[ \t]{{0,8}}{member})"
    )
