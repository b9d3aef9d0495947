"""`Certainty`: whether the end of a block or a call is certain, by everything in the text before it that may be
an open value.

A block that opens where a value is open may be quoted in that value, and one whose own value has no sure end may go on after
its closer. What looks for this:

    `Unended`, with `NamedCall`   calls in any notation, wherever text passes
    `Unfenced`                    the one call or JSON that a line of prose began with
    `strays.py`                   marks of calls whose opener was lost: whoever reads one says so (`lose`)
    the readers                   a string without a sure end, when they leave it (`lose`)
    `Rest`                        what stands after a call with raw values

Rule 1: certainty that is lost is lost for the rest of the reply.
Rule 2: all text is followed up to where a block or a call opens (`opens`), before that is read.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from ..dialects.cursor import Cursor
from ..values.limits import SHORT
from .buffer import Buffer
from .intent import KnownTools
from .rest import Rest, last_quote, uncertain
from .states import Closed
from .unended import Unended
from .unfenced import Unfenced


class Certainty:
    """Decides whether the ends of blocks and calls in one stream are certain.

    Args:
        tools: The names and fields of the tools.
        elements: The elements of HTML that are also the names of fields, where tags have these names.
        buffer: The text that was not passed on yet.
        most: How many characters may wait behind a call with raw values.
        behind: Whether a fence may come after prose on its line.
    """

    __slots__ = ("_buffer", "_followed", "_tools", "_unended", "lost", "passed_unread", "rest", "unfenced")

    def __init__(self, tools: KnownTools, elements: Collection[str], buffer: Buffer, most: int, behind: bool = False) -> None:
        self.lost = False
        """Whether the text that follows may be part of a value. Then no later block or call has a certain end."""
        self._tools: Final = tools
        self._buffer: Final = buffer
        self.rest: Final = Rest(most)
        """The calls that wait for the text after them."""
        self.unfenced: Unfenced | None = None
        """The call or JSON with which a line of prose began, while it may be open; else None."""
        self._unended: Final = Unended(tools, elements, behind)
        self._followed = 0  # the place in the buffer up to which `_unended` has read
        self.passed_unread: Final = self._unended.passed_unread
        """Pieces of text that have passed and are not yet read by `Unended`. The scanner may add pieces without a line end, up
        to `UNREAD`."""

    def lose(self, *, when: bool = True) -> None:
        """Note that a value has no certain end here, if `when` is true: all text that follows may be part of that value."""
        self.lost = self.lost or when

    def marked(self, closed: Closed) -> Closed:
        """Return the report of a block; its end is marked as uncertain if certainty is lost."""
        return uncertain(closed) if self.lost else closed

    def ends_early(self, closed: Closed) -> Closed:
        """Return a fenced block that ends before its call does; it waits for the rest of the reply if it ends with a quote."""
        quote = last_quote(closed.block.body) if closed.block.end_is_certain else ""
        if not quote:
            return closed
        self.rest.asked = True
        return replace(closed, last_quote=quote)

    # -- text that passes ----------------------------------------------------------------------------------------------

    @property
    def line_is_inert(self) -> bool:
        """Whether the rest of the line can have no effect, so that it need not be read."""
        return self._unended.line_is_inert

    def take(self, place: int) -> list[str]:
        """Read the text before a place for open values, and take it from the buffer. Whole pieces are not copied."""
        if self.unfenced is not None:
            self.follow(place)
        told = self._followed > self._buffer.start
        if told:
            self.read_to(place)
        pieces = self._buffer.take(place)
        if not told:
            for piece in pieces:
                self._unended.add(piece)
        return pieces

    def read_to(self, place: int) -> None:
        """Read the text before a place for calls in any notation. The text stays in the buffer."""
        at = max(self._followed, self._buffer.start)
        if place > at:
            self._unended.add(self._buffer.slice(at, place))
            self._followed = place

    def read_again(self, text: str) -> None:
        """Read text that left the buffer as part of a block: a call may begin in it.

        A text longer than `SHORT` is not read, since the end of a block is not awaited in a thread: certainty is lost instead.
        """
        if len(text) > SHORT:
            self.lose()
            return
        self._unended.add(text)
        unfenced: Unfenced | None = None
        for line in text.splitlines(keepends=True):
            told = line.lstrip(" \t")
            if not told:
                break
            if unfenced is None or unfenced.over or unfenced.ends_before(told[0]):
                unfenced = Unfenced(0, self._tools)
            unfenced.feed(told)
        self.lose(when=unfenced is not None and unfenced.leaves_open)

    def read(self) -> None:
        """Read the pieces that wait in `passed_unread`."""
        self._unended.read_on()

    # -- what a line of prose began with ---------------------------------------------------------------------------------

    def begins(self, place: int, cursor: Cursor | None = None) -> None:
        """Follow the call or JSON that begins at this place. `cursor` has read it already if it is the JSON of a released
        block.
        """
        self.unfenced = Unfenced(place, self._tools, cursor)

    def begins_line(self, place: int, char: str, *, may_begin: bool) -> None:
        """Read on, up to this place, in the call or JSON that began on an earlier line. If it is over, follow the one that
        begins here, if `may_begin` is true.

        `place` is the place of the line's first character, `char`, after its blanks and list markers.
        """
        self.follow(place)
        if self.unfenced is not None and self.unfenced.ends_before(char):
            self.unfenced = None
        if self.unfenced is not None:
            self.unfenced.was_open = self.unfenced.has_begun
        elif may_begin:
            self.begins(place)

    def begins_in_reasoning(self, place: int) -> None:
        """Follow the call or JSON that begins at this place, unless an earlier one is still followed."""
        if self.unfenced is None:
            self.begins(place)

    def follow(self, place: int) -> None:
        """Read on in the call or JSON that is followed, up to this place."""
        unfenced = self.unfenced
        if unfenced is not None and place > unfenced.at:
            at, unfenced.at = unfenced.at, place
            unfenced.feed(self._buffer.slice(at, place))
            if unfenced.over:
                self.unfenced = None

    # -- what opens and ends -------------------------------------------------------------------------------------------

    def opens(self) -> None:
        """Note, at a block or call that opens, whether the block may be inside a value. All text before this place must be
        read.
        """
        if self.unfenced is not None:
            self.lose(when=self.unfenced.leaves_open)
            self.unfenced = None
        self.lose(when=self._unended.leaves_open())

    def line_reasons(self, place: int) -> None:
        """Note, at a line that opens reasoning, whether a call was open before that line. The line itself begins no call."""
        unfenced = self.unfenced
        if unfenced is not None and unfenced.began == place:
            self.unfenced = None  # a piece of text ended before the opener of reasoning did
        elif unfenced is not None:
            self.lose(when=unfenced.was_open)

    def reasoning_opens(self, *, quiet: bool) -> None:
        """Note that reasoning begins. If it is `quiet`, no call begins in it."""
        self._unended.quiet = quiet

    def line_of_reasoning_ends(self, closer: str = "") -> None:
        """Note, at the end of a line in reasoning that the text began in, or before the `closer` of that reasoning, whether a
        call with raw values has ended.

        Such a call was considered and not made, and leaves nothing open. But if its closer comes again further on, its value
        was longer, and contained the closers of the call and of the reasoning.
        """
        if self.unfenced is not None and self.unfenced.has_ended(closer):
            self.rest.doubts.add(self.unfenced.closer)
            self.unfenced = None

    def reasoning_closes(self, place: int, closer: str) -> None:
        """Note, where reasoning closes, whether its closer may be inside a value of a call in the reasoning.

        `closer` is given only if the text began in that reasoning.
        """
        self.follow(place)
        self.read_to(place)
        if closer:
            self.line_of_reasoning_ends(closer)
            self._unended.read()
            self.rest.doubts.update(self._unended.closers)
        self.opens()
        self._unended.quiet = False

    def ends_released(self, place: int) -> None:
        """Note, at the end of a released block, whether one of its strings is open. If so, the string continues after the
        block.
        """
        if self.unfenced is not None and self.unfenced.released:
            self.follow(place)
            if self.unfenced is not None and not self.unfenced.leaves_open:
                self.unfenced = None

    def restart(self) -> None:
        """Forget everything: another text begins."""
        self.lost, self.unfenced = False, None
        self._unended.restart()
        self._unended.quiet = False
