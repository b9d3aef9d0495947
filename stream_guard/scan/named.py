"""`NamedCall`: follows the texts after a line that names a tool, in any notation, and knows whether a text may still be open.

A line names a tool if its head holds a name of two words or more, in any spelling. If blanks part the words, the line begins
with them, and a colon or a bracket follows: `Write file: ...`. From the beginning of that line on, texts and brackets are read
as both prose and code write them:

    a text      begins with a quote of any language, where a text may begin: an apostrophe begins none. The quote of an
                attribute (`">`) does not end the text of a key in quotes
    a bracket   is followed if it is a brace, stands after a word, or before a quote or a key; any other ends with its line
    a heredoc   begins with `<<WORD`, and ends with a line that is that word
    a block     of lines stands after `key: |`, and is indented

What is open at the end of the line is followed to its end. Then the members after it are read in the same way: lines of
`key: value`, `key = value`, `--key value`, `:key value`, `.key(value)`. Any other line that is not indented ends them.

A line whose head holds a key with a text (`"body": "`; or with the key of a tool `body='`, or `body: "` and `body: |` first in
it) may be what is left of a call: its texts are followed too, but not its brackets, nor the members after it. A key without
quotes counts anywhere in the head (`body: '`) if a line before shows that the beginning of a call was lost: with the end of a
string, first in the text or before a key of a tool.

`Unended` reads whole calls in the notations that it knows. This reads what texts look like in any notation.

Rule 1: the whole head of a line decides whether it names a tool. A line is read in pieces of `PIECE` characters, so that the
answer does not depend on how the text is cut.
Rule 2: memory does not grow with the text.
"""

from __future__ import annotations

import re
from typing import Final

from ..values.call_keys import folded
from ..values.characters import LINE_END
from ..values.fence import MAY_BE_FENCE
from ..values.late import late
from .followers import BEFORE_A_TEXT, BLOCK, CLOSING, HEAD, OPENING, width
from .intent import KnownTools

PIECE: Final = 1024
"""The most characters of a line that are read in one step."""

_WORD: Final = late(r"(?<![\w-])[A-Za-z][\w-]{2,63}(?=[^\w-])")
ENDS: Final = {
    "\u201c": "\u201d", "\u201e": "\u201c\u201d", "\u201f": "\u201d", "\u2018": "\u2019", "\u201a": "\u2018\u2019",
    "\u201b": "\u2019", "\u00ab": "\u00bb", "\u2039": "\u203a", "\u00bb": "\u00ab", "\u203a": "\u2039", "\u201d": "\u201d",
    "\u300c": "\u300d", "\u300e": "\u300f", "\uff62": "\uff63", "\u301d": "\u301e\u301f",
}  # fmt: skip
"""The quotes that may end a string, by the quote that begins it, in the languages that write these quotes."""

_TURNED: Final = frozenset("\u00bb\u203a\u201d")
"""Quotes that end strings in most languages, and begin them in some."""

_ALWAYS: Final = frozenset("\u201e\u201f\u300c\u300e\uff62\u301d")
"""Quotes that begin a string after any character: they have no other use."""

_SURE_ENDS: Final = frozenset("\u300d\u300f\uff63\u301e\u301f")
"""Quotes that end a string before any character: they have no other use."""

_NO_TEXT: Final = frozenset(" \t\r\n.,;:!?)]}\u00bb\u203a\u201d")
"""Characters that may follow a quote that ends a string."""

_SIGNS: Final = "".join(sorted({*ENDS, *"".join(ENDS.values())}))
_MARK: Final = late(
    rf"\\.?|\"\"\"|'''|[\"'`{_SIGNS}{{}}()\[\]]|<<[-~]?(?P<q>[\"']?)(?P<here>[A-Za-z_]\w{{0,31}})(?P=q)", re.DOTALL
)
"""Matches a mark: a quote, a bracket, an escape, or the beginning of a heredoc."""

_KEY_BEHIND: Final = late(r"[ \t]*[\"'*`]{0,3}[A-Za-z_][\w-]{0,63}[\"'*`]{0,3}[ \t]*(?::(?!//)|=(?![=>]))")
"""Matches a key after a bracket."""

_MEMBER: Final = late(
    r"[ \t>]*+(?:[-*+][ \t]+)?(?:[\"'*`]{0,3}[A-Za-z_][\w. -]{0,63}?[\"'*`]{0,3}[ \t]*[:=]|(?:--?|:)[A-Za-z][\w-]{0,63}[ \t=]"
    r"|(?:\??\.|->|::)[A-Za-z_]\w{0,63}\()"
)
"""Matches the beginning of a line that is a member of a call: `key:`, `key =`, `--key`, `.key(`."""

_KEY: Final = late(r"(?:(?<=\w)[\"'][ \t]{0,8}:|\b(?P<field>[A-Za-z_]\w{0,63})[ \t]{0,8}=)[ \t]{0,8}[\"']")
"""Matches the end of a key, in quotes or as Python writes it, and the quote with which its string begins: `":"`, `path="`."""

_HOLDS_KEY: Final = re.compile(r"[:=][ \t]{0,8}+[\"'|>!&]")
"""Matches a part of each text that `_KEY` or `_KEY_FIRST` matches. This search is faster, and comes first."""

_OPENED: Final = late(r"(?<![\w`])(?P<field>[A-Za-z_]\w{0,63})[ \t]{0,8}[:=][ \t]{0,8}[\"'`]")
"""Matches a key without quotes, in any notation, and the quote with which its string begins: `body: '`."""

_KEY_FIRST: Final = late(
    r"[ \t]*+(?:[-*+?][ \t]+)?(?P<field>[A-Za-z_]\w{0,63})[ \t]{0,8}:[ \t]{0,8}"
    rf"(?:[\"']|{BLOCK}[\r\n])"
)
"""Matches a line that begins with a key without quotes, and what opens its text: a quote, or the sign of a block of lines."""

_OPENS: Final = late(r"[:=][ \t]{0,8}[\"'`]")
"""Matches a part of each text that `_OPENED` matches."""

_UP_TO_A_QUOTE: Final = r"(?:[^\"'`\r\n]|(?<=\w)'(?=\w))*+"
_TORN: Final = late(
    rf"\A[ \t]{{0,64}}[\"'`]{{1,3}}[ \t]{{0,8}},|\A{_UP_TO_A_QUOTE}[\"'`]{{1,3}}[ \t]{{0,8}},[ \t]*[\r\n]"
    r"|[\"'`][ \t]{0,8},[ \t]{0,8}(?P<field>[A-Za-z_]\w{0,63})[ \t]{0,8}[:=]"
)
"""Matches the end of a string in a line that the string did not begin in: first in the line, as its first quote and its end, or
before a key. An apostrophe in a word is no quote."""

_BEGINS_TORN: Final = late(rf"{_UP_TO_A_QUOTE}[\"'`]{{1,3}}[ \t]*(?:[,:}}\])]|[\r\n]|\Z)")
"""Matches a line whose first quote ends a string."""

_MAY_BEGIN_TORN: Final = re.compile(r"[\"'`][ \t]*+(?:[,:}\])\r\n]|\Z)")
"""Matches a part of each line that `_BEGINS_TORN` matches. This search is faster, and comes first."""

_ENDS_A_STRING: Final = late(r"[\"'`][ \t]{0,8},")
"""Matches a part of each text that `_TORN` matches. This search is faster, and comes first."""

_BLOCK: Final = late(rf":[ \t]*{BLOCK}[\r\n]*\Z")
"""Matches the end of a line after which a block of indented lines follows: `key: |`."""

_GAP: Final = 18
"""The most characters of what `_BEHIND_KEY` matches."""

_BEHIND_KEY: Final = late(r"[\"'][ \t]{0,8}:[ \t]{0,8}\Z")
"""Matches the end of a key in quotes, and the blanks up to its value."""

_OF_TAGS: Final = frozenset("<>/=")
"""Characters of tags that follow no string of JSON: a quote before one of them belongs to an attribute in the string."""

_EMPTY: Final = late(r"[\r\n]*+")
_BLANK_LINES: Final = late(r"(?:[ \t]*+[\r\n])*+")
_BEFORE_A_TEXT: Final = BEFORE_A_TEXT | frozenset(">|@#$")
_PREFIX: Final = late(r"(?<!\w)[bBfFrRuU]{1,2}#{0,2}\Z")
"""Matches the prefix of a string in code: `f` in `f"`, `r#` in `r#"`."""


class NamedCall:
    """Follows the strings after lines that name a tool. `restart` begins a text, the first one too.

    Args:
        tools: The names and fields of the tools.
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
        "_keyed",
        "_last",
        "_line",
        "_long",
        "_members",
        "_passed",
        "_quote",
        "_tools",
        "_torn",
        "_untold",
    )

    def __init__(self, tools: KnownTools) -> None:
        self._tools: Final = tools
        self._joints: Final = tools.joints

    def restart(self) -> None:
        """Begin a text: nothing is open."""
        self._untold = True  # whether no line was read yet but empty ones
        self._torn = False  # whether a line shows that the beginning of a call was lost
        self._close()

    def _close(self) -> None:
        """Forget the text that was read: nothing is open."""
        self._following = False  # whether a call is followed; `_forget` resets its state when one begins
        self._line = ""  # the part of the current line that was not read yet
        self._long = False  # whether the head of the current line was searched

    def _forget(self) -> None:
        """Set everything to the beginning of a call."""
        self._begun = False  # whether a line was read
        self._members = True  # whether the brackets of the call and the members after it are followed too
        self._first = True  # whether the next text is the beginning of a line
        self._passed = False  # whether the current line is not read, because it belongs to a block of lines, or is no member
        self._quote = ""  # the quote that began the open string; empty if none is open
        self._keyed = False  # whether that string is the value of a key in quotes
        self._inner = 0  # how many quotations are open inside that string
        self._here = ""  # the word that ends the heredoc
        self._block = -1  # the indent of the key whose block of lines is open; -1 for none
        self._depth = 0  # how many brackets are open
        self._counts = False  # whether an open bracket is followed beyond its line
        self._indent = 0  # the indent of the line that names the tool
        self._last = "\n"  # the character before the current one

    def line_is_inert(self, *, quiet: bool) -> bool:
        """Return whether the rest of the line can have no effect."""
        return (quiet or self._long) and not self._following

    def read(self, text: str, *, quiet: bool) -> None:
        """Read more of the text. `quiet` is whether the caller knows that no line of this text names a tool."""
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
        """Return whether a string may be open at this place, where a block or a call opens; then forget the text
        that was read.
        """
        line, self._line = self._line, ""
        found = False
        if self._following and self._block >= 0 and self._first and not line.strip():
            found = width(line) > self._block
        elif line and not (self._following and self._take(line)):
            self._following = False
            if self._begin(line):
                self._take(line)
        if self._following:
            found = found or bool(self._quote or self._here or (self._depth and self._counts and self._members))
        self._untold = False
        self._close()
        return found

    # -- the name ------------------------------------------------------------------------------------------------------

    def _seek(self, text: str, pos: int) -> int:
        """Skip lines that name no tool, and return where reading continues."""
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
        if self._untold:
            pos = self._begin_text(text, pos)
            if self._untold:
                self._line = text[pos:]
                return len(text) + skipped
        keyed = (":" in text or "=" in text) and (_OPENS if self._torn else _HOLDS_KEY).search(text, pos) is not None
        keyed = keyed or ("," in text and not self._torn and _ENDS_A_STRING.search(text, pos) is not None)
        if not keyed and self._joints.search(text, pos) is None and not self._says_apart(text, pos):
            if text[-1] == "\n":
                return len(text) + skipped
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
            if self._begin(head):
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

    def _begin_text(self, text: str, pos: int) -> int:
        """Decide by the first line of a text that is not empty, once it is there, whether its beginning was lost.

        Returns where that line begins.
        """
        if text[pos] in " \t\r\n":
            pos = _BLANK_LINES.match(text, pos).end()  # type: ignore[union-attr]  # it matches the empty string
        if len(text) - pos >= HEAD or LINE_END.search(text, pos) is not None:
            self._untold, self._torn = False, self._begins_torn(text[pos : pos + HEAD])
        return pos

    def _begins_torn(self, head: str) -> bool:
        if _MAY_BEGIN_TORN.search(head) is None or MAY_BE_FENCE.match(head) is not None:
            return False
        return _BEGINS_TORN.match(head) is not None

    def _names(self, head: str) -> bool:
        """Return whether a line with this head names a tool."""
        if self._tools.apart.match(f"\n{head}") is not None:
            return True
        if self._joints.search(head) is None or MAY_BE_FENCE.match(head) is not None:
            return False
        spellings = self._tools.spellings
        return any(folded(found[0]) in spellings for found in _WORD.finditer(head) if self._joints.search(found[0]) is not None)

    def _says_apart(self, text: str, pos: int) -> bool:
        """Return whether a line begins with a tool's name in words, with blanks between them, at or after this position."""
        lines = f"\n{text[pos:]}"
        return self._tools.apart.search(lines.replace("\r", "\n") if "\r" in text else lines) is not None

    def _begin(self, head: str) -> bool:
        """Begin to follow a line if its head names a tool, or holds a key with a string; returns whether it does."""
        if self._untold:
            self._untold, self._torn = False, self._begins_torn(head)
        self._torn = self._torn or self._is_torn(head)
        members = self._names(head)
        if members or self._holds_key(head):
            self._forget()
            self._following, self._members, self._indent = True, members, width(head)
            return True
        return False

    def _holds_key(self, head: str) -> bool:
        """Return whether the head of a line has a key and the beginning of its string."""
        if MAY_BE_FENCE.match(head) is not None:
            return False
        if self._torn and any(folded(found["field"]) in self._tools.keys for found in _OPENED.finditer(head)):
            return True
        if _HOLDS_KEY.search(head) is None:
            return False
        first = _KEY_FIRST.match(head)
        if first is not None and folded(first["field"]) in self._tools.keys:
            return True
        return any(found["field"] is None or folded(found["field"]) in self._tools.keys for found in _KEY.finditer(head))

    def _is_torn(self, head: str) -> bool:
        """Return whether a string that began before a line ends in its head: before a key of a tool, or first in it."""
        return any(found["field"] is None or folded(found["field"]) in self._tools.keys for found in _TORN.finditer(head))

    # -- its texts -----------------------------------------------------------------------------------------------------

    def _follow(self, text: str, pos: int, *, quiet: bool) -> int:
        """Read one line, or one piece of a long line, and return where reading continues. Empty lines are skipped."""
        if self._first and not self._line:
            pos = _EMPTY.match(text, pos).end()  # type: ignore[union-attr]  # it matches the empty string
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
        """Read a piece of a line, and return whether the line belongs to the call."""
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
            self._following = self._members or bool(self._quote or self._here) or self._block >= 0
        return True

    def _goes_on(self, line: str) -> bool:
        """Decide by its beginning whether a line belongs to the call, and return that. Sets whether its text is read."""
        begun, self._begun = self._begun, True
        if self._here:
            self._passed = True
            if line.strip() == self._here:
                self._here = ""
        elif self._quote or self._depth:
            self._passed = MAY_BE_FENCE.match(line) is not None
        elif not line.strip() or (self._block >= 0 and width(line) > self._block):
            self._passed = True
        else:
            self._block = -1
            if MAY_BE_FENCE.match(line) is not None or (begun and not self._members):
                return False
            if begun and _MEMBER.match(line) is None:
                self._passed = True
                return width(line) > self._indent
        return True

    def _marks(self, piece: str) -> None:
        """Read the quotes and brackets of a piece."""
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
                self._counts = (
                    self._counts
                    or mark == "{"
                    or _is_word(before)
                    or before == "["
                    or behind in ("'", '"', "`")
                    or _KEY_BEHIND.match(piece, found.end()) is not None
                )
            elif mark in CLOSING:
                self._depth = max(self._depth - 1, 0)
                self._counts = self._counts and self._depth > 0
            elif mark[0] != "\\" and self._begins_text(mark, before, behind, piece, at):
                self._quote, self._inner = mark, 0
                self._keyed = _BEHIND_KEY.search(piece, max(at - _GAP, 0), at) is not None

    def _begins_text(self, mark: str, before: str, behind: str, piece: str, at: int) -> bool:
        """Return whether a quote at this place of a piece begins a string."""
        if mark in _TURNED:
            return before in _BEFORE_A_TEXT and behind not in _NO_TEXT and bool(behind)
        if not mark.isascii() and mark not in ENDS:
            return False
        if mark in _ALWAYS or before in _BEFORE_A_TEXT:
            return True
        return mark[0] == '"' and _PREFIX.search(piece, max(at - 4, 0), at) is not None

    def _in_text(self, mark: str, before: str, behind: str) -> None:
        """Take a mark inside a string, which may end the string. A quote before a word is an apostrophe, or opens
        a quotation.
        """
        if mark not in ENDS[self._quote] if self._quote in ENDS else mark != self._quote:
            self._inner += mark == self._quote and mark in _ALWAYS
            return
        if _is_word(behind) and mark not in _SURE_ENDS:
            self._inner += before in _BEFORE_A_TEXT
        elif self._inner:
            self._inner -= 1
        elif not (self._keyed and behind in _OF_TAGS):
            self._quote = ""


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
