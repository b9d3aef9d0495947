"""`Certainty`: whether the end of a block or a call is certain. It asks all that look for open values.

A block that opens where a value is open may be quoted in that value, and one whose own value has no sure end may go on behind
its closer. What looks for this:

    `Unended`, with `NamedCall`   calls in any notation, wherever text passes
    `Unfenced`                    the one call or JSON that a line of prose began with
    `strays.py`                   marks of calls whose opener was lost: whoever reads one says so (`lose`)
    the readers                   a string without a sure end, when they leave it (`lose`)
    `Rest`                        what stands behind a call with raw values

Rule 1: certainty that is lost is lost for the rest of the reply.
Rule 2: all text is followed up to where a block or a call opens (`opens`), before that is read.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ..dialects.cursor import Cursor
from .buffer import Buffer
from .intent import KnownTools
from .rest import Rest, uncertain
from .states import Closed
from .unended import Unended
from .unfenced import Unfenced


class Certainty:
    """What may make the end of a block or a call in one stream uncertain.

    Args:
        tools: What is known of the tools.
        elements: The elements of HTML that are tags of fields too.
        buffer: The text that was not passed on yet.
        most: How many characters may wait behind a call with raw values.
        behind: Whether a fence may stand behind prose on its line.
    """

    __slots__ = ("_buffer", "_followed", "_tools", "_unended", "lost", "rest", "unfenced", "unread")

    def __init__(
        self, tools: KnownTools, elements: Collection[str], buffer: Buffer, most: int, *, behind: bool = False
    ) -> None:
        self.lost = False
        """Whether what follows may be part of a value: no end in it is certain."""
        self._tools: Final = tools
        self._buffer: Final = buffer
        self.rest: Final = Rest(most)
        """The calls that wait for what stands behind them."""
        self.unfenced: Unfenced | None = None
        """What a line of prose began with, as a dialect or JSON does, while it may be open."""
        self._unended: Final = Unended(tools, elements, behind=behind)
        self._followed = 0  # the place up to which `_unended` has read what is in the buffer
        self.unread: Final = self._unended.unread
        """The pieces that have passed and wait. One without a line end may be put here, if fewer than `UNREAD` are."""

    def lose(self, *, when: bool = True) -> None:
        """Note that a value has no sure end here, if so: what follows may stand in it."""
        self.lost = self.lost or when

    def marked(self, closed: Closed) -> Closed:
        """Return a call with its end marked as uncertain where certainty is lost."""
        return uncertain(closed) if self.lost else closed

    # -- text that passes ----------------------------------------------------------------------------------------------

    @property
    def calm(self) -> bool:
        """Whether the rest of the line need not be seen."""
        return self._unended.calm

    def take(self, place: int) -> list[str]:
        """Follow the text before a place, and take it from the buffer; whole pieces are not copied."""
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
        """Read the text before a place, which stays in the buffer, for calls in any notation."""
        at = max(self._followed, self._buffer.start)
        if place > at:
            self._unended.add(self._buffer.slice(at, place))
            self._followed = place

    def read_again(self, text: str) -> None:
        """Read text that has left the buffer as part of a block, and may begin a call."""
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
        """Read the pieces that wait."""
        self._unended.read_on()

    # -- what a line of prose began with ---------------------------------------------------------------------------------

    def begins(self, place: int, cursor: Cursor | None = None) -> None:
        """Follow what begins here, which may be a call or JSON; `cursor` has read the JSON of a block that was released."""
        self.unfenced = Unfenced(place, self._tools, cursor)

    def begins_line(self, place: int, char: str, *, may_begin: bool) -> None:
        """Follow what began on a line before up to this place; if it is over, follow what begins here, if that may be a call.

        `place` is that of the line's first character, `char`, behind its blanks and list markers.
        """
        self.follow(place)
        if self.unfenced is not None and self.unfenced.ends_before(char):
            self.unfenced = None
        if self.unfenced is not None:
            self.unfenced.was_open = self.unfenced.has_begun
        elif may_begin:
            self.begins(place)

    def begins_in_reasoning(self, place: int) -> None:
        """Follow what begins here, unless something is followed already."""
        if self.unfenced is None:
            self.begins(place)

    def follow(self, place: int) -> None:
        """Read on in what a line began with, up to this place."""
        unfenced = self.unfenced
        if unfenced is not None and place > unfenced.at:
            at, unfenced.at = unfenced.at, place
            unfenced.feed(self._buffer.slice(at, place))
            if unfenced.over:
                self.unfenced = None

    # -- what opens and ends -------------------------------------------------------------------------------------------

    def opens(self) -> None:
        """Note, where a block or a call opens, whether it may stand in a value. All text was followed up to there."""
        if self.unfenced is not None:
            self.lose(when=self.unfenced.leaves_open)
            self.unfenced = None
        self.lose(when=self._unended.leaves_open())

    def line_reasons(self, place: int) -> None:
        """Note, where the line at this place opens reasoning, whether a call was open before it. It is no call itself."""
        unfenced = self.unfenced
        if unfenced is not None and unfenced.began == place:
            self.unfenced = None  # a piece ended before the opener of reasoning did
        elif unfenced is not None:
            self.lose(when=unfenced.was_open)

    def reasoning_opens(self, *, quiet: bool) -> None:
        """Note that reasoning begins. If it is `quiet`, no call begins in it."""
        self._unended.quiet = quiet

    def line_of_reasoning_ends(self, closer: str = "") -> None:
        """Note, where a line ends in reasoning that the text began in, or the `closer` of that, whether a raw call has ended.

        It was considered and not made, so that it leaves nothing open; but its own closer, further on, shows that its value
        went on, and held what seemed to end it and the reasoning.
        """
        if self.unfenced is not None and self.unfenced.has_ended(closer):
            self.rest.doubts.add(self.unfenced.closer)
            self.unfenced = None

    def reasoning_closes(self, place: int, closer: str) -> None:
        """Note, where reasoning closes, whether its closer may stand in a value of a call in it.

        `closer` is given where the text began in that reasoning.
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
        """Note, where a block ends that was released, whether a string of it is open. If so, its text goes on."""
        if self.unfenced is not None and self.unfenced.released:
            self.follow(place)
            if self.unfenced is not None and not self.unfenced.leaves_open:
                self.unfenced = None

    def restart(self) -> None:
        """Begin a text."""
        self.lost, self.unfenced = False, None
        self._unended.restart()
        self._unended.quiet = False
