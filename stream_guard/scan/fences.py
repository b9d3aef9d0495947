"""The fence grammar of CommonMark (0.31, section 4.5), as one reader for the head of one line.

`LineHead` is fed the characters of a line as they arrive and decides, as early as possible, whether the line is text, blank or
a fence. Until then `languages` is set while the line could still open a block. That is the only reason to hold text back, from
the first fence character on.

This file reads one line. Whether a closing fence ends the block is decided in `block_reader.py` (`_block_headed` and what it
calls), which knows whether a string of the body is open. How deep the closing fence may be indented is decided there too:
`BlockReader._block_line` gives its `LineHead` a `limit`, which is that of the `OpenFence` (`held_block.py`), or
`MAX_LIST_INDENT` after a whole value. What may stand before an opening fence on its line is read in
`prose_reader.py`.

Rule 1: this file knows lines. It knows no JSON, no block, no stream.
Rule 2: every character of a head is read once; only the language word, a few characters, is compared again as it grows. So a
line of a million backticks costs a million steps, however it is cut into deltas.
Rule 3: where the grammar is more lenient than CommonMark, the code names the leniency (`docs/fences.md` lists them all).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, auto
from functools import lru_cache
from typing import Final

from ..values.late import late
from .reasoning import FIRSTS, MAX_MARK, opener_in
from .strays import stray_in

MAX_INFO: Final = 256
"""The longest info string that can open a block. CommonMark has no such limit; a longer one is prose."""

MIN_RUN: Final = 3
"""CommonMark: a fence is at least three characters long."""

MAX_RUN: Final = 64
"""The longest run of fence characters that can open a block."""

MAX_INDENT: Final = 3
"""CommonMark: the largest indent of a fence. With four columns or more the line is no fence."""

MAX_LIST_INDENT: Final = 64
"""Leniency `list-indent`: the largest indent of a fence inside a list item."""

MAX_ORDINAL: Final = 9
"""CommonMark: the number of a list item has at most nine digits."""

TAB: Final = 4
"""CommonMark: a tab reaches to the next multiple of four columns."""

_BLANKS: Final = re.compile(r"[ \t]*")
"""Matches the blanks at a position."""

_BACKTICKS: Final = re.compile(r"`*")
"""Matches a run of backticks."""

_TILDES: Final = late(r"~*")
"""Matches a run of tildes."""

_WORD: Final = re.compile(r"[^ \t\r\n`{\[]*")
"""Matches the info word of a fence, up to a blank, a backtick or a bracket."""

_REST: Final = late(r"[^\r\n]*")
"""Matches the rest of a line."""

_REST_NO_BACKTICK: Final = late(r"[^\r\n`]*")
"""Matches the rest of a line up to a backtick."""

_DIGITS: Final = late(r"[0-9]*")
_PLAIN: Final = re.compile(r"(?:(`{3,64}+)([^ \t\r\n`{\[]{0,64}+)(?=[\r\n]))?+")
"""Matches a line of only backticks and at most one word, as nearly all fences are; on any other line it matches the empty
string."""


class Languages:
    """The info words of fences that may open a block, matched as they arrive."""

    __slots__ = ("_words", "bare")

    def __init__(self, names: Iterable[str]) -> None:
        given: list[object] = [names] if isinstance(names, str) else list(names)
        if not given:
            raise ValueError("languages must name at least one info word, such as 'json'")
        words: list[str] = []
        for word in given:
            if not isinstance(word, str) or _WORD.fullmatch(word) is None:
                raise ValueError(f"a language is one word without spaces, backticks or brackets, not {word!r}")
            words.append(word)
        self.bare: Final = "" in words
        """Whether a fence without an info word may open a block too."""
        # Leniency `case`: models write JSON and Json.
        self._words = tuple(word.lower() for word in words if word)

    @staticmethod
    def none() -> Languages:
        """Return the languages of a guard that reads no fences: no fence opens a block."""
        made = Languages(("json",))
        made._words = ()
        return made

    def could_be(self, word: str) -> bool:
        """Return whether a word is one of the languages, or could become one with more characters."""
        begun = word.lower()
        return any(known.startswith(begun) for known in self._words)

    def match(self, word: str) -> bool:
        """Return whether a whole word is one of the languages."""
        return word.lower() in self._words if word else self.bare


class Kind(Enum):
    """The kinds of a line, as its head shows."""

    TEXT = auto()
    """The line is not a fence. The rest of it need not be read."""

    BLANK = auto()
    """The line has only blanks."""

    FENCE = auto()
    """The line is a whole fence: the next character is the end of the line."""

    INLINE = auto()
    """The line is a fence that opens a block, with JSON after it: the next character belongs to the body."""

    REASONING = auto()
    """The line opens reasoning: the next character belongs to the reasoning."""


# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for in every head.
_TEXT, _BLANK, _FENCE, _INLINE, _REASONING = Kind


class _Phase(Enum):
    INDENT = auto()
    BULLET = auto()  # after one of `-`, `+` and `*`, which is a list marker if a blank follows
    ORDINAL = auto()  # after digits, which are a list marker if `.` or `)` follows
    RUN = auto()  # inside the run of fence characters
    GAP = auto()  # blanks between the run and the info word
    WORD = auto()  # inside the info word
    AFTER = auto()  # blanks after the info word, where JSON may begin
    INFO = auto()  # after any other info: only the end of the line matters
    MARK = auto()  # inside a text that may become an opener of reasoning, or a mark of a call

    __hash__ = object.__hash__  # that of Enum is written in Python, and each piece of text needs one


_INDENT, _MARK = _Phase.INDENT, _Phase.MARK
_BEHIND_BOLD: Final = FIRSTS | {""}


class LineHead:
    """Reads the head of one line, in any number of pieces."""

    __slots__ = (
        "_after_marker",
        "_at",
        "_least",
        "_markers",
        "_phase",
        "_reasoning",
        "_size",
        "_word",
        "begun",
        "bullet",
        "char",
        "column",
        "indent",
        "info",
        "kind",
        "languages",
        "lead",
        "length",
        "limit",
        "marker",
        "numbered",
        "stray",
    )

    def __init__(
        self,
        limit: int = MAX_INDENT,
        languages: Languages | None = None,
        *,
        markers: bool = False,
        short: bool = False,
        reasoning: bool = False,
    ) -> None:
        self.limit = limit
        """The deepest column at which this line may be a fence."""
        self.column = 0
        """The column of the line's first character that is not blank."""
        self.indent = 0
        """The column of the text after the list markers: that of the fence, if the line is one."""
        self.lead = 0
        """The number of characters before the fence: blanks and list markers, which are always prose."""
        self.bullet = ""
        """The character that may be a list marker, until that is decided."""
        self.char = ""
        """The fence character; empty until one was read. While it is empty, no text needs to be held back."""
        self.length = 0
        """The number of fence characters."""
        self.info = ""
        """The info string without the blanks around it, cut at `MAX_INFO`. On a line that opens reasoning: its opener."""
        self.marker = 0
        """The column where the content of a list item begins, if the line begins with a list marker; else 0."""
        self.numbered = False
        """Whether the line begins with a digit: of a list item, or a line number."""
        self.kind: Kind | None = None
        """The kind of the line; None until it is decided."""
        self.languages: Languages | None = languages
        """The languages, if the line opens a block or still could; else None."""
        self.stray = False
        """Whether the line begins with a mark of a call with raw values."""
        self.begun = ""
        """The part of the line read so far, without the current piece, if it might have begun with a mark and turned out to be
        text."""
        self._phase = _INDENT
        self._at = 0  # the column of the next character
        self._after_marker = 0  # the column after the last list marker
        self._size = 0  # the number of info characters so far
        self._word = ""
        self._markers = markers  # whether the line may begin with list markers
        self._reasoning = reasoning  # whether the line may open reasoning
        self._least = MIN_RUN - 1 if short else MIN_RUN  # Leniency `short-closer`: two backticks alone on a line

    @property
    def marking(self) -> bool:
        """Whether the text read so far may be the beginning of an opener of reasoning, or of a mark of a call."""
        return self._phase is _MARK and self.kind is None

    def feed(self, text: str, pos: int, end: int) -> int:
        """Read the line from `pos` to `end`, and return where reading stopped. `kind` is set as soon as the kind of the line is
        decided.
        """
        while pos < end and self.kind is None:
            leading = not self.char and self._phase is not _MARK
            stop = _READERS[self._phase](self, text, pos, end)
            if leading:
                self.lead += stop - pos
            pos = stop
        return pos

    def finish(self) -> Kind:
        """End the line, because the stream has ended, and return its kind."""
        if self.kind is None:
            self.feed("\n", 0, 1)
        assert self.kind is not None
        return self.kind

    def closes(self, char: str, length: int) -> bool:
        """Return whether this line closes a fence of this character and length."""
        return self.kind is _FENCE and self.char == char and self.length >= length and not self.info

    def _decide(self, kind: Kind) -> None:
        self.kind = kind
        if kind in (_TEXT, _BLANK, _REASONING):
            self.languages = None

    def _indent(self, text: str, pos: int, end: int) -> int:
        stop = _end(_BLANKS, text, pos, end)
        for char in text[pos:stop]:
            self._at += TAB - self._at % TAB if char == "\t" else 1
            if self._at > self.limit:
                break
        self.indent = self._at
        if not self.marker:
            self.column = self._at
        if stop == end:
            return stop
        char = text[stop]
        if self._after_marker:
            # CommonMark: the content begins after one to four columns; after five or more, or on a blank line, after one.
            blank = char in ("\r", "\n")
            self.marker = self._at if self._at - self._after_marker < TAB + 1 and not blank else self._after_marker + 1
        if char in ("\r", "\n"):
            self._decide(_BLANK)
        elif self._at > self.limit:
            self._decide(_TEXT)
        elif char in ("`", "~"):
            self.char = char
            self._phase = _Phase.RUN
        elif char in ("-", "+", "*") and self._markers:
            self._phase = _Phase.BULLET
            self._at += 1
            self.bullet = char
            self.lead -= 1  # it is counted once it is a marker
            stop += 1
        elif char.isdecimal() and char.isascii() and self._markers:
            self._phase = _Phase.ORDINAL
            self.numbered = True
        elif char in FIRSTS and (self._reasoning or (self._markers and not self.marker)):
            self._phase = _MARK
        else:
            self._decide(_TEXT)
        return stop

    def _bullet(self, text: str, pos: int, _end: int) -> int:
        bullet, begun = self.bullet, len(self.bullet)
        self.lead, self.bullet = self.lead + begun, ""
        if text[pos] in (" ", "\t", "\r", "\n"):
            # Leniency `marker-line`: any list marker may carry a fence, also where CommonMark wants a blank line before it.
            self.marker = self._after_marker = self._at
            self.limit = MAX_LIST_INDENT
            self._phase = _INDENT
        elif self._reasoning and text[pos] == "*" == bullet and not self.marker and text[pos + 1 : pos + 2] in _BEHIND_BOLD:
            self.lead -= begun
            self._word = "*"
            self._phase = _MARK  # an opener of reasoning may be in bold type
        else:
            self.lead -= begun
            self._decide(_TEXT)
        return pos

    def _ordinal(self, text: str, pos: int, end: int) -> int:
        stop = _end(_DIGITS, text, pos, end)
        self._at += stop - pos
        self._size += stop - pos
        if self._size > MAX_ORDINAL:
            self._decide(_TEXT)
        elif stop < end:
            if text[stop] in (".", ")"):
                self._size = 0
                self._at += 1
                self._phase = _Phase.BULLET
                return stop + 1
            self._decide(_TEXT)
        return stop

    def _run(self, text: str, pos: int, end: int) -> int:
        stop = _end(_BACKTICKS if self.char == "`" else _TILDES, text, pos, end)
        self.length += stop - pos
        if self.length > MAX_RUN:
            self.languages = None
        if stop < end:
            if self.length < (self._least if self.char == "`" else MIN_RUN):
                self._decide(_TEXT)
            else:
                self._phase = _Phase.GAP
        return stop

    def _gap(self, text: str, pos: int, end: int) -> int:
        stop = self._grow(_BLANKS, text, pos, end)
        if stop < end:
            char = text[stop]
            if char in ("\r", "\n"):
                if self.languages and not self.languages.bare:
                    self.languages = None
                self._decide(_FENCE)
            elif self.length < MIN_RUN:
                self._decide(_TEXT)
            elif char in ("{", "[") and self.languages and self.languages.bare:
                self._phase = _Phase.AFTER
            else:
                self._phase = _Phase.WORD
        return stop

    def _read_word(self, text: str, pos: int, end: int) -> int:
        stop = self._grow(_WORD, text, pos, end)
        if self.languages:
            self._word += text[pos:stop]
            if not self.languages.could_be(self._word):
                self.languages = None
        if not self.languages:
            self._keep(text[pos:stop])
            self._phase = _Phase.INFO
        elif stop < end:
            if self.languages.match(self._word):
                self.info = self._word
                self._phase = _Phase.AFTER
            else:
                self.languages = None
                self._keep(self._word)
                self._phase = _Phase.INFO
        return stop

    def _after(self, text: str, pos: int, end: int) -> int:
        stop = self._grow(_BLANKS, text, pos, end)
        if stop < end:
            char = text[stop]
            if char in ("\r", "\n"):
                self._decide(_FENCE)
            elif char in ("{", "[") and self.languages:
                # Leniency `inline`: JSON may begin on the opener's own line.
                self._decide(_INLINE)
            else:
                self._phase = _Phase.INFO
        return stop

    def _rest(self, text: str, pos: int, end: int) -> int:
        # Leniency `info-words`: an info string may have more words than the language.
        stop = self._grow(_REST_NO_BACKTICK if self.char == "`" else _REST, text, pos, end)
        self._keep(text[pos:stop])
        if stop < end:
            # CommonMark: the info string of a backtick fence holds no backtick; such a line is inline code.
            self._decide(_TEXT if text[stop] == "`" else _FENCE)
        return stop

    def _mark(self, text: str, pos: int, end: int) -> int:
        before = len(self._word)
        self._word += text[pos : min(end, pos + MAX_MARK)]
        opener = opener_in(self._word) if self._reasoning else None
        stray = (
            stray_in(self._word) if self._markers and not self.marker else None
        )  # inside a block, a mark belongs to the body
        if stray or (opener is None and stray is None):
            self.stray = bool(stray)
            self.begun = self._word[:before]
            self._decide(_TEXT)
            return pos
        if not opener:
            return end
        self.info = opener
        self._decide(_REASONING)
        return pos + len(opener) - before

    def _keep(self, piece: str) -> None:
        if len(self.info) < MAX_INFO:
            self.info += piece[: MAX_INFO - len(self.info)]

    def _grow(self, pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
        stop = _end(pattern, text, pos, end)
        self._size += stop - pos
        if self._size > MAX_INFO:
            self.languages = None
        return stop


def plain_fence(text: str, pos: int, languages: Languages | None) -> LineHead | None:
    """Return the head of the line at `pos` if that is a plain fence; None if the characters have to be read one by one.

    The result is the same as that of a `LineHead` that reads the line, whatever its settings. It ends at the line's end.
    """
    found = _PLAIN.match(text, pos)
    assert found is not None
    run, info = found.groups()
    return _head_of_plain(len(run), info, languages) if run is not None else None


@lru_cache(maxsize=256)
def _head_of_plain(length: int, info: str, languages: Languages | None) -> LineHead:
    """Return the head of a plain fence. A head that is decided does not change, so all lines with this fence share it."""
    head = LineHead(MAX_INDENT, languages if languages is not None and languages.match(info) else None)
    head.char, head.length, head.info, head.kind = "`", length, info, _FENCE
    return head


class Lists:
    """Tracks whether a list is open at the beginning of a line, which decides how far a fence may be indented.

    Leniency `list-outdent`: it is not applied to the lines of a block, which may be further left than their item. Only the
    outermost item counts: a line left of its content ends the list, unless the line continues a paragraph.
    """

    __slots__ = ("_column", "_paragraph")

    def __init__(self) -> None:
        self._column = 0  # the column where the content of the outermost item begins; 0 outside of lists
        self._paragraph = False  # whether the line before was text that this line may continue

    @property
    def open(self) -> bool:
        """Whether a list is open."""
        return self._column > 0

    @property
    def limit(self) -> int:
        """The deepest column at which the next line may be a fence."""
        return MAX_LIST_INDENT if self._column else MAX_INDENT

    def plain(self, char: str) -> None:
        """Note a line of text that begins at the left edge with this character."""
        breaks = char in "#>"  # a heading or a quote
        if breaks or not self._paragraph:
            self._column = 0
        self._paragraph = not breaks

    def blank(self) -> None:
        """Note an empty line."""
        self._paragraph = False

    def line(self, head: LineHead) -> None:
        """Note a line by its head."""
        if head.marker:
            if not self._column or head.column < self._column:
                self._column = head.marker
        elif head.kind is _BLANK:
            self.blank()
            return
        elif head.column < self._column and (head.kind is not _TEXT or not self._paragraph):
            self._column = 0
        self._paragraph = head.kind in (_TEXT, _BLANK)


def _end(pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
    """Return the position after the match of a pattern at `pos`. Every pattern used here also matches the empty string."""
    found = pattern.match(text, pos, end)
    assert found is not None
    return found.end()


_READERS: Final = {
    _INDENT: LineHead._indent,
    _Phase.BULLET: LineHead._bullet,
    _Phase.ORDINAL: LineHead._ordinal,
    _Phase.RUN: LineHead._run,
    _Phase.GAP: LineHead._gap,
    _Phase.WORD: LineHead._read_word,
    _Phase.AFTER: LineHead._after,
    _Phase.INFO: LineHead._rest,
    _MARK: LineHead._mark,
}
