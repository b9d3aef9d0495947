"""`HeldCall`: the call in a dialect that is held back.

Its cursor reads the body; this class decides whether the body is a call, and where it ends:

- An opener that shows a call (`sure`) is enough for one, unless the body is no body of its dialect. Broken JSON counts as such
  a body if it begins as calls do, with any kind of quotes. Otherwise the call has to name a known tool within `DECIDED`
  characters: exactly as it is declared, and not by an everyday word.
- What turns out to be no call within `DECIDED` characters is released and read again as prose. What turns out to be no call
  later, or after the name of a tool, is a block whose end is uncertain.

Rule: decisions are taken in the order of the text: the name, then the path, then the end.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum, auto
from typing import Final

from ..dialects.call import RawCall, Value
from ..dialects.margins import in_markup, is_on_each_line
from ..values.block import Block
from ..values.call_keys import folded
from ..values.events import EndCause
from ..values.late import late
from ..values.limits import SHORT
from .growing import Growth
from .intent import KnownTools
from .openers import Found
from .states import Accepted, Closed, Named, Scanned

DECIDED: Final = 256
"""The number of characters within which it is decided whether a body is a call. A reader reads at most this many twice."""


class Step(Enum):
    """The state of a call after some of it was read."""

    MORE = auto()
    """The call continues."""

    NONE = auto()
    """The text is no call: it is read again as prose."""

    ENDED = auto()
    """The call ended at `end_at`."""

    OVERSIZE = auto()
    """The call is too long."""

    __hash__ = object.__hash__  # that of Enum is written in Python


# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for with every delta.
MORE, NONE, ENDED, OVERSIZE = Step


class HeldCall:
    """One call in a dialect, or several in one pair of opener and closer."""

    __slots__ = (
        "_cursor",
        "_names",
        "_tools",
        "accepted",
        "alone",
        "at",
        "behind_path",
        "body_at",
        "dialect",
        "end_at",
        "found",
        "growth",
        "indented",
        "json_at",
        "longest",
        "mark",
        "sure",
    )

    def __init__(
        self,
        found: Found,
        at: int,
        tools: KnownTools,
        longest: int,
        indented: bool = False,
        mark: str = "",
        growth: Growth | None = None,
    ) -> None:
        dialect, opener = found.dialect, found.opener
        self.found: Final = found
        """The opener that was found."""
        self.dialect: Final = dialect
        self.sure: Final = dialect.sure or opener.sure
        """Whether the opener alone shows a call."""
        self.alone: Final = dialect.alone and not opener.sure
        """Whether the call must have its line to itself."""
        self.at: Final = at
        """The place where the opener begins."""
        self.body_at: Final = at if opener.begins_body else at + len(found.text)
        """The place where the cursor began to read."""
        self.behind_path: Final = found.tool if opener.behind_path else None
        """The path before the opener, for a dialect whose openers need one."""
        behind_name = found.tool is not None and not opener.begins_body
        self._cursor: Final = opener.body(found.tool) if behind_name else opener.body()
        self._tools: Final = tools
        self._names: tuple[str | None, str | None] = (None, None)
        self.indented: Final = indented
        """Whether blanks or the marker of a list are before the opener on its line."""
        self.mark: Final = mark
        """The mark with which the line of the opener begins, if a program may have put it before each line; else empty."""
        self.longest = longest
        """The length of the longest body."""
        self.accepted = False
        """Whether the text was accepted as a call."""
        self.end_at = 0
        """The place where the call ended; set when it has ended."""
        self.growth: Final = growth
        """Reports the call while it is written; None if no such report is asked for."""
        self.json_at = -1
        """The place where the JSON of the first call begins; -1 until that and the tool are known."""

    @property
    def free(self) -> re.Pattern[str] | None:
        """The pattern of text on which no decision depends, so that it may be read later; None if there is no such text."""
        return self._cursor.free if self.accepted else None

    def read(self, text: str, pos: int, base: int, out: list[Scanned]) -> tuple[Step, int]:
        """Read on from `pos`; the text begins at the place `base`. Returns the state of the call, and where reading stopped.

        Reports of names are appended to `out`.
        """
        while pos < len(text):
            read = base + pos - self.body_at
            if read >= self.longest:
                return OVERSIZE, pos
            undecided = not self.accepted and not self.sure
            if undecided and read >= DECIDED:
                return NONE, pos
            stop = min(len(text), pos + min(DECIDED - read if undecided else SHORT, self.longest - read))
            if stop == len(text):
                pos = self._cursor.read(text, pos)
            else:
                pos += self._cursor.read(text[pos:stop], 0)
            step = self._judged(base + pos, out)
            if step is not MORE:
                return step, pos
        return MORE, pos

    def finish(self, place: int, out: list[Scanned]) -> Step:
        """End the text at this place. Returns the state of the call; `MORE` if it was cut off."""
        self._cursor.finish()
        step = self._judged(place, out)
        if step is MORE and not self.accepted and not self.sure:
            return NONE
        return step

    def _judged(self, place: int, out: list[Scanned]) -> Step:
        """Return the state of the call, of which the cursor has read the text before this place. Reports of names are appended
        to `out`.
        """
        cursor = self._cursor
        path = cursor.path
        name = self._meant(cursor.name) if self._names[0] is None else self._names[0]
        if name is not None and self._names[0] is None:
            if not self.sure and not self._knows(name):
                return NONE
            self._names = (name, None)
            if self.accepted:
                out.append(Named(name, None))
            else:
                self.accepted = True
                out.append(Accepted(name, None))
        if self.json_at < 0 and self._names[0] is not None and cursor.json is not None:
            begin, envelope = cursor.json
            self.json_at = self.body_at + begin
            if self.growth is not None:
                self.growth.named(self._names[0], envelope, judged=False)  # other calls may follow it
        if path is not None and self._names[1] is None and self.accepted:
            self._names = (self._names[0], path)
            out.append(Named(*self._names))
        if cursor.done:
            self.end_at = place - cursor.over
            return ENDED
        if cursor.broken is not None:
            self.end_at = place - cursor.over
            shown = self.accepted or (self.sure and cursor.shows_call)
            return ENDED if shown or self.end_at - self.body_at > DECIDED else NONE
        return MORE

    def _meant(self, name: str | None) -> str | None:
        """Return the tool of the toolset that a name in the dialect means, the first if there are several; other names
        unchanged.
        """
        names = self.dialect.tools.get(name) if name is not None else None
        return next((each for each in names if self._knows(each)), names[0]) if names is not None else name

    def _knows(self, name: str) -> bool:
        known = self._tools.known(name)
        return known is not None and known.exact and not known.everyday

    @property
    def spoiled(self) -> bool:
        """Whether the call has broken JSON that is still open: the text that follows belongs to it until a marker ends it."""
        return self._cursor.spoiled

    def is_call(self, beginning: str) -> bool:
        """Return whether an ended body is a call: it was accepted, or its beginning names a tool or shows a call."""
        return self.accepted or (self.sure and self._cursor.shows_call) or self._tools.mentions(beginning)

    def closed(self, raw: str, cause: EndCause) -> Closed:
        """Return the report that the block has ended, with its calls, which are not in the plain form yet."""
        cursor = self._cursor
        ended = cause == "closed"
        named = [call._replace(name=self._meant(call.name)) for call in cursor.calls()]
        calls = [self._behind_marks(call, raw) for call in (named if self.dialect.signed else in_markup(named, raw))]
        whole = ended and cursor.complete and not cursor.uncertain and not self._goes_on(cursor.behind)
        block = Block(
            raw=raw,
            body=raw[self.body_at - self.at :],
            end_cause=cause,
            ambiguous=ended and not whole,
            canonical=False,
            fenced=bool(self.dialect.closers),
            complete=whole,
            dialect=self.dialect.name,
        )
        return Closed(block, tuple(calls), cursor.raw_ends)

    def _goes_on(self, tag: str | None) -> bool:
        """Return whether the tag of a field follows the call directly, so that a value of the call was left outside."""
        known = self._tools.known(self._names[0]) if tag is not None and self._names[0] is not None else None
        return known is not None and folded(tag or "") in known.fields and tag not in self._tools

    def _behind_marks(self, call: RawCall, raw: str) -> RawCall:
        """Return the call with its values marked as doubtful where they may include the indent of a list, or a mark that is
        before each line of the reply.
        """
        if self.mark and is_on_each_line(self.mark, raw):
            if isinstance(call.arguments, Value):
                return call._replace(arguments=replace(call.arguments, doubt="margin"))
        elif not self.indented or isinstance(call.arguments, Value) or _FROM_THE_EDGE.search(raw) is not None:
            return call
        held = (
            (key, replace(value, doubt="margin") if value.lines or "\n" in value.text else value)
            for key, value in call.arguments
        )
        return call._replace(arguments=tuple(held))


_FROM_THE_EDGE: Final = late(r"\n(?=[^ \t\r\n>|+-])")
"""Matches a line break before a line at the left edge that is no item of a list, no quote, and no row of a table or a diff."""
