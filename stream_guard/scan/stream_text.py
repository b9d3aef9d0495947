"""`StreamText`: the text of one stream while it is read. It has the buffer, the piece being read, the state, and the output.

Two kinds of numbers give the location of something. A place (`at`, `..._at`, `end_at`) counts characters from the beginning of
the stream; a position (`pos`) counts them from the beginning of the piece being read. `_base` is the place of position 0. A
method that reads returns the position at which reading continues.

Rule 1: the state is one of `State`. It changes by `TRANSITIONS`; only three places set it directly: the beginning of an
ordinary text, text that passes unread, and a failure of the scanner.
Rule 2: every character is put into the buffer before it is read, and leaves it in order: as prose, or as a block's `raw`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from ..values.late import late
from ..values.limits import Limits
from .before import KEPT, LEAST, MOST, Before
from .buffer import Buffer
from .certainty import Certainty
from .fences import Languages, LineHead
from .growing import Growth, Watch
from .intent import KnownTools
from .openers import Openers
from .reasoning import ANY_CLOSER, ASIDES_BEGIN, FIRSTS, MAY_OPEN, Reasoning
from .states import TRANSITIONS, IllegalTransition, Scanned, Seen, State
from .strays import STRAYS_BEGIN
from .unfenced import CALLS_BEGIN, MAY_OPEN_UNFENCED

# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing.
_START, _LINE_END = State.START, Seen.LINE_END


def begun(texts: Iterable[str]) -> str:
    """Return a pattern of any of these texts, or of the beginning of one at the end of the searched text."""
    rests: dict[str, set[str]] = {}
    for text in texts:
        rests.setdefault(text[0], set()).add(text[1:])
    more = ((first, "" if "" in behind else rf"(?:\Z|{begun(behind)})") for first, behind in sorted(rests.items()))
    return f"(?:{'|'.join(re.escape(first) + rest for first, rest in more)})"


MAY_BEGIN: Final = rf"(?:{MAY_OPEN}|{MAY_OPEN_UNFENCED}|{begun(ASIDES_BEGIN | STRAYS_BEGIN | CALLS_BEGIN)})"
"""The pattern of a text that may begin reasoning, a stray mark, or a call that nothing holds back."""

SPACE: Final = " \t\r\n"
TAIL: Final = 80
"""The number of characters before a fence that are searched for the end of a complete value."""

MAY_MARK: Final = late(MAY_BEGIN, re.IGNORECASE)
"""Matches the beginning of a line that may be more than plain text, after its indent."""
_EMPTY_LINES: Final = re.compile(r"(?:\n|\r(?:\n|(?=[^\n])))*+")


MARKS: Final = FIRSTS | frozenset("{f]>\u2039")
"""The first characters of the texts that `MAY_BEGIN` matches, except those with which a list or a fence begins too."""


def is_plain(text: str, pos: int) -> bool:
    """Return whether the line at `pos` is plain text although its first character is in `MARKS`: `MAY_BEGIN` does not match
    there.
    """
    return text[pos] in MARKS and MAY_MARK.match(text, pos) is None


class ScanSettings(NamedTuple):
    """Settings of a scanner: the fences, dialects and reasoning that it reads, and its limits."""

    languages: Languages = Languages(("json",))
    """The languages of fences that may hold a block."""

    limits: Limits = Limits()
    untagged: Literal["release", "validate"] = "release"
    """Whether a block that is no tool call is released, or validated like a call."""

    reasoning: Reasoning = "skip"
    openers: Openers | None = None
    """The openers of dialects; None if only fences are read."""


class StreamText:
    """The text of one stream while it is read. Readers of blocks, calls and prose build on it, each on the one before."""

    __slots__ = (
        "_base",
        "_before",
        "_buffer",
        "_certainty",
        "_closer",
        "_cr",
        "_head",
        "_head_at",
        "_out",
        "_settings",
        "_tail",
        "_text",
        "_tools",
        "_watch",
        "state",
    )

    def __init__(self, tools: KnownTools, settings: ScanSettings, watch: Watch | None) -> None:
        self.state = _START
        self._tools: Final = tools
        self._settings: Final = settings
        self._watch: Final = watch

        self._buffer: Final = Buffer()  # the text that was fed and not returned yet
        self._out: list[Scanned] = []

        # The piece being read, and the place of its first character.
        self._text = ""
        self._base = 0

        self._cr = False  # whether the last piece ended with CR, so that an LF at the beginning of the next belongs to it
        self._head: LineHead | None = None  # the head of a line that is not decided yet, in a state whose name ends with LINE
        self._head_at = 0
        self._closer = ANY_CLOSER  # the pattern that ends the text of REASONING or REST
        self._tail = ""  # the end of the text read in FENCED, REASONING or REST, where a closer may begin
        openers = settings.openers
        self._before: Final = Before(MOST if openers.reads_before else LEAST) if openers is not None else None
        elements = openers.elements if openers is not None else ()
        longest, behind = settings.limits.max_block, settings.languages.bare
        self._certainty: Final = Certainty(tools, elements, self._buffer, longest, behind)

    def _go(self, seen: Seen) -> None:
        """Change the state by what the scanner found, as `TRANSITIONS` says."""
        try:
            self.state = TRANSITIONS[self.state][seen]
        except KeyError:
            raise IllegalTransition(self.state, seen) from None

    def _emit(self, place: int) -> None:
        """Move the text before a place to the output as prose; whole pieces are not copied."""
        pieces = self._certainty.take(place)
        self._out.extend(pieces)
        if self._before is not None:
            self._before.add("".join(pieces))

    def _path_before(self, place: int, *, fenced: bool) -> str | None:
        """Return the path in the line before a place; None if that line is no path, or no opener needs one."""
        if self._before is None:
            return None
        start = self._buffer.start
        text = self._buffer.slice(max(start, place - KEPT), place) if place > start else ""
        return self._before.path(text, max(start - place, 0), fenced=fenced)

    def _between(self, start: int, stop: int) -> str:
        """Return the held text between two places, which is a part of the piece being read in most cases."""
        base = self._base
        return self._text[start - base : stop - base] if start >= base else self._buffer.slice(start, stop)

    def _rewind(self, place: int) -> int:
        """Return the position of `place`, from which the text is read again. Text of an earlier piece is taken
        from the buffer.
        """
        if place < self._base:
            self._text = self._buffer.slice(place, self._buffer.end)
            self._base = place
        return place - self._base

    def _growth(self) -> Growth | None:
        """Return a new `Growth`, which reports a call that opens; None if no such report is asked for."""
        return Growth(self._watch) if self._watch is not None else None

    def _read_head(self) -> LineHead:
        """Return the head of the current line, which is now decided, and forget it."""
        head, self._head = self._head, None
        assert head is not None
        return head

    def _end_line(self, pos: int) -> int:
        """End the line at this position, or at the end of the stream; returns the position after the line end."""
        self._go(_LINE_END)
        return self._line_end(pos) if pos < len(self._text) else pos

    def _line_end(self, pos: int) -> int:
        """Return the position after the line end at this position. Leniency `crlf`: CRLF, and a CR alone, end a line."""
        text = self._text
        if text[pos] == "\r":
            if pos + 1 == len(text):
                self._cr = True
            elif text[pos + 1] == "\n":
                return pos + 2
        return pos + 1

    def _empty_lines(self, pos: int) -> int:
        """Skip the empty lines that begin at this position; returns the position after them."""
        found = _EMPTY_LINES.match(self._text, pos)
        assert found is not None
        if found.end() == pos:  # the text ends with a CR, and an LF may follow
            return self._end_line(pos)
        self._go(_LINE_END)
        return found.end()
