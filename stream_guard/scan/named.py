"""`Named`: follows the texts behind a line that names a tool, in whatever notation, and tells whether a text may still be open.

A line names a tool if its head holds a name of two words or more, in any spelling. From the beginning of that line on, texts
and brackets are read as both prose and code write them:

    a text      begins with a quote, where a text may begin: an apostrophe begins none, nor does a quote that closes
    a bracket   is followed if it is a brace, or stands behind a word or before a quote; any other ends with its line
    a heredoc   begins with `<<WORD`, and ends with a line that is that word
    a block     of lines stands behind `key: |`, and is indented

What is open at the end of the line is followed to its end. Then the members behind it are read in the same way: lines of
`key: value`, `key = value`, `--key value`, `:key value`. Any other line that is not indented ends them.

`Unended` reads whole calls in the notations that it knows. This reads what texts look like in any notation.

Rule 1: the whole head of a line decides whether it names a tool. A line is read in pieces of `PIECE` characters, so that the
answer does not depend on how the text is cut.
Rule 2: memory does not grow with the text.
"""

from __future__ import annotations

import re
from typing import Final

from ..values.call_keys import folded
from .intent import KnownTools
from .lines import BEFORE_A_TEXT, CLOSING, HEAD, LINE_END, OPENING, width

PIECE: Final = 1024
"""The most characters of a line that are read at once."""

_WORD: Final = re.compile(r"(?<![\w-])[A-Za-z][\w-]{2,63}(?=[^\w-])")
_MARK: Final = re.compile(
    r"\\.?|\"\"\"|'''|[\"'`\u201c\u201d\u00ab\u00bb{}()\[\]]|<<[-~]?(?P<q>[\"']?)(?P<here>[A-Za-z_]\w{0,31})(?P=q)", re.DOTALL
)
_MEMBER: Final = re.compile(
    r"[ \t>]*+(?:[-*+][ \t]+)?(?:[\"'*`]{0,3}[A-Za-z_][\w. -]{0,63}?[\"'*`]{0,3}[ \t]*[:=]|(?:--?|:)[A-Za-z][\w-]{0,63}[ \t=])"
)
_BLOCK: Final = re.compile(r":[ \t]*[|>][+\-0-9]{0,3}[ \t]*(?:#.*)?[\r\n]*\Z")
_FENCE: Final = re.compile(r"[ \t]*+(?:```|~~~)")
_ENDS: Final = {"\u201c": "\u201d", "\u00ab": "\u00bb"}
_BEFORE_A_TEXT: Final = BEFORE_A_TEXT | frozenset(">|@#$")
_PREFIX: Final = re.compile(r"(?<!\w)[bBfFrRuU]{1,2}#{0,2}\Z")
"""A letter before a text in code: `f"`, `r#"`."""


class Named:
    """Follows the texts behind lines that name a tool.

    Args:
        tools: What is known of the tools.
    """

    __slots__ = (
        "_begun",
        "_block",
        "_counts",
        "_depth",
        "_first",
        "_following",
        "_here",
        "_indent",
        "_inner",
        "_joints",
        "_last",
        "_line",
        "_long",
        "_passed",
        "_quote",
        "_tools",
    )

    def __init__(self, tools: KnownTools) -> None:
        self._tools: Final = tools
        self._joints: Final = tools.joints
        self.restart()
        self._forget()

    def restart(self) -> None:
        """Forget what was read: nothing is open."""
        self._following = False
        self._line = ""  # what was not read yet of the line at hand
        self._long = False  # whether the head of that line was searched

    def _forget(self) -> None:
        """Forget the call that was followed."""
        self._begun = False  # whether a line was read
        self._first = True  # whether nothing of the line at hand was read
        self._passed = False  # whether that line is not read: it is text of a block, or no member
        self._quote = ""  # what closes the text that is open
        self._inner = 0  # of quotes that opened in it
        self._here = ""  # the word that ends the heredoc
        self._block = -1  # the indent of the key whose block of lines is open; -1 for none
        self._depth = 0  # of brackets
        self._counts = False  # whether one of them counts
        self._indent = 0  # of the line that names the tool
        self._last = "\n"  # the character before

    def calm(self, *, quiet: bool) -> bool:
        """Return whether the rest of the line need not be seen."""
        return (quiet or self._long) and not self._following

    def read(self, text: str, *, quiet: bool) -> None:
        """Read more of the text. In text that is `quiet` no line names a tool."""
        pos = 0
        while pos < len(text):
            if self._following:
                pos = self._follow(text, pos, quiet=quiet)
            elif quiet:
                self._line, self._long = "", False
                return
            else:
                pos = self._seek(text, pos)

    def leaves_open(self) -> bool:
        """Return whether a text may be open here, where a block or a call opens; then begin anew."""
        line, self._line = self._line, ""
        if not self._following and line and self._names(line):
            self._begin(line)
        found = False
        if self._following:
            if self._block >= 0 and self._first and not line.strip():
                found = width(line) > self._block
            elif line:
                self._take(line)
            found = found or bool(self._quote or self._here or (self._depth and self._counts))
        self.restart()
        return found

    # -- the name ------------------------------------------------------------------------------------------------------

    def _seek(self, text: str, pos: int) -> int:
        """Skip lines that name no tool."""
        if self._long:
            rest = LINE_END.search(text, pos)
            if rest is None:
                return len(text)
            self._long = False
            return rest.end()
        if self._line:
            text, skipped, pos = self._line + text[pos:], pos - len(self._line), 0
            self._line = ""
        else:
            skipped = 0
        if self._joints.search(text, pos) is None:
            start = max(text.rfind("\n", pos), text.rfind("\r", pos), pos - 1) + 1
            self._long = len(text) - start >= HEAD
            self._line = "" if self._long else text[start:]
            return len(text) + skipped
        while pos < len(text):
            end = LINE_END.search(text, pos, pos + HEAD)
            if end is None and len(text) - pos < HEAD:
                self._line = text[pos:]
                break
            head = text[pos : pos + HEAD if end is None else end.end()]
            pos += len(head)
            if self._names(head):
                self._begin(head)
                if end is None:
                    self._line = head
                else:
                    self._take(head)
                return pos + skipped
            if end is None:
                rest = LINE_END.search(text, pos)
                self._long = rest is None
                pos = len(text) if rest is None else rest.end()
        return len(text) + skipped

    def _names(self, head: str) -> bool:
        """Return whether a line with this head names a tool."""
        if self._joints.search(head) is None or _FENCE.match(head) is not None:
            return False
        spellings = self._tools.spellings
        return any(folded(found[0]) in spellings for found in _WORD.finditer(head) if self._joints.search(found[0]) is not None)

    def _begin(self, line: str) -> None:
        self._forget()
        self._following = True
        self._indent = width(line)

    # -- its texts -----------------------------------------------------------------------------------------------------

    def _follow(self, text: str, pos: int, *, quiet: bool) -> int:
        """Read on by one line, or one piece of a long one."""
        room = PIECE - len(self._line)
        found = LINE_END.search(text, pos, pos + room)
        end = min(pos + room, len(text)) if found is None else found.end()
        self._line += text[pos:end]
        if found is not None or len(self._line) >= PIECE:
            piece, self._line = self._line, ""
            if not self._take(piece):
                self._following = False
                self.read(piece, quiet=quiet)
        return end

    def _take(self, piece: str) -> bool:
        """Read a piece of a line; returns whether the line belongs to the call."""
        if self._first and not self._goes_on(piece):
            return False
        if not self._passed:
            self._marks(piece)
        self._first = piece[-1] in "\r\n"
        self._last = piece[-1]
        if self._first:
            if not (self._passed or self._quote or self._here or self._depth) and _BLOCK.search(piece):
                self._block = width(piece)
            if not self._counts:
                self._depth = 0
            self._passed = False
        return True

    def _goes_on(self, line: str) -> bool:
        """Decide at its beginning what a line is; returns whether it belongs to the call."""
        begun, self._begun = self._begun, True
        if self._here:
            self._passed = True
            if line.strip() == self._here:
                self._here = ""
        elif self._quote or self._depth:
            self._passed = _FENCE.match(line) is not None
        elif not line.strip() or (self._block >= 0 and width(line) > self._block):
            self._passed = True
        else:
            self._block = -1
            if _FENCE.match(line) is not None:
                return False
            if begun and _MEMBER.match(line) is None:
                self._passed = True
                return width(line) > self._indent
        return True

    def _marks(self, piece: str) -> None:
        """Read the texts and brackets of a piece."""
        for found in _MARK.finditer(piece):
            mark, at = found[0], found.start()
            before = piece[at - 1] if at else self._last
            behind = piece[found.end() : found.end() + 1]
            if self._quote:
                self._in_text(mark, before, behind)
            elif found["here"]:
                self._here = found["here"]
                return
            elif mark in OPENING:
                self._depth += 1
                self._counts = self._counts or mark == "{" or _is_word(before) or before == "[" or behind in ("'", '"', "`")
            elif mark in CLOSING:
                self._depth = max(self._depth - 1, 0)
                self._counts = self._counts and self._depth > 0
            elif mark[0] != "\\" and mark not in "\u201d\u00bb":
                if before in _BEFORE_A_TEXT or (mark[0] == '"' and _PREFIX.search(piece, max(at - 4, 0), at)):
                    self._quote, self._inner = _ENDS.get(mark, mark), 0

    def _in_text(self, mark: str, before: str, behind: str) -> None:
        """Take a mark in a text. A quote before a word is an apostrophe, or opens a quotation in the text."""
        if mark != self._quote:
            return
        if _is_word(behind):
            self._inner += before in _BEFORE_A_TEXT
        elif self._inner:
            self._inner -= 1
        else:
            self._quote = ""


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
