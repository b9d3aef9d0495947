"""`Unended`: follows a text that looks like a call, where no text is held, and knows whether a value of that call may still be
open.

A text in a call may quote another call, fence and all. Where the outer call is held back as a block, the reader of the block
finds that out. But the outer call may stand in prose, in a fence of another language, or in a block that is not JSON: that is
what this file is for.

    notation            begins with                               has ended where
    JSON, JavaScript    an opening brace                          its brackets close; once a text is torn, those in texts too
    a lost brace        a key that says tool, in quotes           a brace closes; else nowhere
    code                a parenthesis after the name of a tool,   the parenthesis closes, outside of texts
                        or after any with a key and `=` in it
    YAML, TOML, ReAct   a line `tool: name`, or `name:` alone     its value ends: a text with its quote, a block by its indent
    XML                 the tag of a tool, or one that names it   its closing tag stands
                        or of a field
    raw values          a mark of `strays.py` that opens one, or  that is closed; of a call, outside of its values
                        the call around them

This follows what names a tool, in prose and in fences. `Unfenced` follows lines of prose that begin as the calls of dialects
do, and JSON there, call or not. The two know nothing of each other. Both follow a brace that begins a line, since they know
other quotes where it turns out not to be JSON. Where a block opens, `Certainty` asks both, and the yes of one is enough. A
reply may be escaped as HTML, or its tags or other signs alone: `&lt;write_file&gt;` is read as the tag that it stands for. The
text on the line of a fence is read twice, in its place and as a line of its own: a line break may have been lost there.
`NamedCall` follows the texts behind the name of a tool in any other notation; `Unended` asks it.

A call in lines goes on to an empty line, whatever its lines are, and beyond that while they are members of it, comments or
indented. A member counts with its colon lost or another sign in its place, if its key is a field of a tool. A block of lines
whose first line is not indented shows no end.

Rule 1: if a block opens where such a call has not ended, the end of that block is uncertain, and that of all later ones.
Rule 2: a call begins within the first `HEAD` characters of a line, or after another call. No call begins further on. A text
that turns out to be no call hides none: the line that shows it is searched too.
Rule 3: memory does not grow with the text, and the answer does not depend on how it is cut.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection
from enum import Enum, auto
from typing import Final

from ..dialects.cursor import BROKEN, COMPLETE, Cursor
from ..values.call_keys import NAME_KEYS, TOOL_KEYS, all_folded, folded
from ..values.characters import LINE_END
from ..values.fence import MAY_BE_FENCE
from ..values.late import late
from .followers import BLOCK, CLOSING, HEAD, OPENING, width
from .intent import SEARCHED, KnownTools
from .named import NamedCall
from .strays import OF_HTML, STRAYS, stray_in

UNREAD: Final = 128
"""The most pieces of text that wait to be read. Reading them together is quicker."""

_LONGEST_LINE: Final = 1024
"""The most characters of a line of YAML that are kept."""

_LINE_TAIL: Final = 8
"""The number of characters that are kept from the end of a longer line: they show whether its string closes."""

_KEYS: Final = tuple(sorted({*TOOL_KEYS, *NAME_KEYS}, key=len, reverse=True))
_KEY: Final = rf"(?i:{'|'.join(map(re.escape, _KEYS))}|tool name|function name)"
_QUOTES: Final = r"""["'`\u201c\u201d]"""
_QUOTE: Final = rf"\\{{0,4}}{_QUOTES}"
_CALLED: Final = r"(?<![\w`.])(?P<called>[A-Za-z_][\w.-]{0,63})\]?\("
"""A pattern for a name before a parenthesis. A bracket between the two belongs to a link, or is there by mistake."""

_ESCAPED: Final = late(
    r"&(?:amp;)?(?:(?P<named>lt|gt|vert|verbar)|#(?:(?P<code>\d{1,7})|x(?P<hex>[0-9a-f]{1,6})));", re.IGNORECASE
)
"""Matches a character as HTML escapes it, perhaps twice: a bracket or bar by its name, or any character by its number."""

_WIDE_COLON: Final = "\uff1a"
"""The colon of Chinese and Japanese. Models write it for the other one, so it is read as that."""

_NAMED_SIGNS: Final = {"lt": "<", "gt": ">", "vert": "|", "verbar": "|"}
_SIGNS_OF_MARKS: Final = frozenset("<>|")

_LONGEST_BEGUN: Final = 256
"""The most characters of a text that waits for more."""

_OF_WORD: Final = r"[\w+#.-]"
_FENCE: Final = late(
    rf"(?<![`~])(?P<run>`{{3,64}}+|~{{3,64}}+)(?P<word>{_OF_WORD}{{0,64}}+)(?!{_OF_WORD})(?P<gap>[ \t]{{0,64}}+)(?=[^\s`~])"
)
"""Matches a fence with more on its line than a word."""

_BEGUN_AT_END: Final = late(
    rf"&(?:amp;)?[#0-9A-Za-z]{{0,8}}\Z|(?<![`~])(?:`{{1,64}}|~{{1,64}}){_OF_WORD}{{0,64}}[ \t]{{0,64}}\Z"
)
"""Matches the end of a text that may be the beginning of such a fence, or of an escaped character."""

_NAME: Final = late(_CALLED)
_KEYWORD: Final = r"[ \t]{0,8}[A-Za-z_]\w{0,63}[ \t]{0,8}="
_MAY_BE_KEYED: Final = late(rf"{_KEYWORD}(?!=)|[ \t]{{0,8}}(?:[A-Za-z_]\w{{0,63}})?[ \t]{{0,8}}=?\Z")
"""Matches a text that may be the key of an argument, or the beginning of one at the end of a text."""

_START: Final = late(
    "|".join(
        (
            r"(?P<brace>\{)",
            rf"{_CALLED}(?!\))(?P<keyed>(?={_KEYWORD}(?!=)))?",
            rf"(?P<lost>{_QUOTE}(?P<key>{_KEY}){_QUOTE}[ \t]{{0,8}}[:=][ \t]{{0,8}}{_QUOTE}(?P<named>[\w.-]{{1,64}}){_QUOTE})",
            r"(?P<tag><(?=[A-Za-z_|\uff5c]))",
        )
    )
)
"""Matches a sign with which a call may begin."""

_FIRSTS: Final = "".join(sorted({key[0] for key in _KEYS}))
_LINE_OF_KEY: Final = rf"[ \t]*+(?:[-*+?][ \t]+)?['*]{{0,2}}{_KEY}['*]{{0,2}}[ \t]*[:=]"
_KEY_ALONE: Final = r":(?<=[\w\"'*]:)(?=[ \t]*+(?:#[^\r\n]*+)?[\r\n])"
"""A pattern for the colon of a line that may be a key alone."""

_BEGUN: Final = r"\{|\((?<=[\w.\]-]\()|<[A-Za-z_|]"
_BAR: Final = r"<\uff5c"
_SIGN_OF_CALL: Final = late(rf"{_BEGUN}|{_BAR}")


def _sign(quotes: str) -> str:
    """Return the pattern of the signs with which calls begin. Keys may be in any of these quotes."""
    ends = (rf"{end}(?=[ \t'*+?-]*(?i:[{_FIRSTS}])){_LINE_OF_KEY}" for end in (r"\n", r"\r"))
    return "|".join((_BEGUN, _KEY_ALONE, *(rf"{quote}[ \t]{{0,8}}[:=]" for quote in quotes), *ends))


_QUOTE_SIGNS: Final = "\"'`\u201c\u201d"
_SIGN_OF_ASCII: Final = re.compile(_sign("\"'`"))
_SIGN_OF_ANY: Final = late(f"{_sign(_QUOTE_SIGNS)}|{_BAR}")
"""Matches a sign with which calls begin. Each part of the pattern begins with a plain character, so the search
skips most text."""

_SIGN_OF_LINES: Final = re.compile(_LINE_OF_KEY)
_INDENT: Final = late(r"[ \t]*+")
_MARGIN: Final = " \t>*+-"
"""The characters that may precede a call at the beginning of its line."""

_BEFORE: Final = late(rf"[{_MARGIN}]*+")
_AROUND: Final = late(r"<(?P<name>[A-Za-z_][\w.:-]{0,63}+)>(?:[ \t]*+<[A-Za-z_][\w.:-]{0,63}+>)*+[ \t]*+\Z")
"""Matches tags at the end of a text that may enclose a tag whose text is the name of a tool."""


_NO_CURSOR: Final = Cursor()  # every stream begins with it, and few streams have JSON in prose

_ANOTHER: Final = late(rf"[ \t]*,[ \t]*{_QUOTE}[\w-]{{1,64}}{_QUOTE}[ \t]*[:=]")
"""Matches another member, which shows that the member before it is part of a call."""

_LINE_OF_TOOL: Final = late(
    rf"[ \t]*+(?:[-*+?][ \t]+)?['*]{{0,2}}(?P<key>{_KEY})['*]{{0,2}}[ \t]*[:=][ \t]*['*]{{0,2}}[\"'`]?"
    r"(?P<named>[A-Za-z_][\w.-]{0,63})[\"'`]?[ \t]*"
    r"(?:(?:#.*)?[\r\n]*+\Z|(?P<more>(?:[A-Za-z_][\w-]{0,63})?[ \t]*[:=][ \t]*[\"'`|>&!]))"
)
"""Matches a line that names a tool, or one behind whose name a line break was lost."""

_NAME_ALONE: Final = late(
    r"[ \t]*+(?:[-*+?][ \t]+)?[\"'*]{0,2}(?P<named>[A-Za-z_][\w.-]{0,63})[\"'*]{0,2}:[ \t]*(?:#.*)?[\r\n]"
)
"""Matches a line that is a key alone, which may be the name of a tool, with the members below it."""

_BESIDE_A_NAME: Final = " \t-*+?\"'"
"""The characters that may stand before such a key and after it on its line."""

_MEMBER: Final = late(
    r"(?P<indent>[ \t]*+(?:[-*+?][ \t]+)?)['\"*]{0,2}(?P<key>[A-Za-z_][\w. -]{0,63}?)['\"*]{0,2}"
    r"[ \t]*[:=](?:[ \t]+|(?=[\r\n\"'&|>]|\Z))"
    r"(?P<value>[^\r\n]*)"
)
_PROPERTIES: Final = late(r"(?:[!&](?!(?:amp;)?(?:quot|apos|#\w{2,3});)[^\s\"']{0,64}[ \t]+){0,4}")
"""Matches the tag and the anchor of a value in YAML."""

_BLOCK: Final = late(rf"(?:\A|:[ \t]*){BLOCK}\Z")
"""Matches the end of a value after which a block of indented lines follows."""

_ESCAPED_QUOTE: Final = r"&(?:amp;)?(?:quot|apos|#3[49]|#x2[27]);"
_QUOTED: Final = late(rf"\"\"\"|'''|\"|'|{_ESCAPED_QUOTE}")
_SPOILT: Final = late(
    r"(?P<indent>[ \t]*+(?:[-*+?][ \t]+)?)['\"*]{0,2}(?P<key>[A-Za-z_][\w-]{0,63}+)?['\"*]{0,2}+[ \t]*(?P<colon>[:;=.,]?)[ \t]*"
    rf"(?P<value>(?:[\"']|{_ESCAPED_QUOTE})[^\r\n]*|{BLOCK})[\r\n]*\Z"
)
"""Matches a member of a call in lines whose colon was lost, or became another sign; or whose key stands on the line before."""

_QUOTE_OF_TAG: Final = rf"(?:[\"']|{_ESCAPED_QUOTE})?"
_TAG: Final = late(
    r"<(?P<name>[A-Za-z_][\w.:-]{0,63})"
    rf"(?:[ \t]*=[ \t]*{_QUOTE_OF_TAG}(?P<is>[\w.-]{{1,64}}){_QUOTE_OF_TAG})?"
    r"(?:[ \t]+(?P<attributes>[\w:.@-]{1,64}[ \t]*=[^<>\r\n]*+)(?:>|[\r\n]|\Z)|[ \t]*>)"
)
"""Matches a tag, perhaps with attributes, or the beginning of a tag that ends on a later line."""

_HAS: Final = late(rf"(?<![\w:.@-])(?:name|tool)[ \t]*=[ \t]*{_QUOTE_OF_TAG}(?P<has>[\w.-]{{1,64}})")
_ALONE: Final = late(r".*[\"'; \t]/")
"""Matches the attributes of a tag that closes itself."""

_TEXT_OF_TAG: Final = late(r"[ \t]{0,8}([\w.-]{1,64})[ \t]{0,8}</(?:[\w.:-]{1,64}>)?")
_TICKS: Final = late("`+")
_MENTIONED: Final = late(r"[ \t]+[^\s<]|[.,;:!?)\"'\u2019\u201d]")
"""Matches the text after a tag that prose mentions. After a tag of a call comes another tag, the end of the line, or a text
without a blank."""

_HOLDS: Final = late(r"[ \t]*(?:[\r\n]|\Z)|\w")
"""Matches the text after a tag that contains text: the end of its line, or the text."""

_QUOTE_OF_MARKDOWN: Final = late(r"[ \t]*+>[ \t]")
_OPENING_MARKS: Final = tuple(mark for mark in STRAYS if mark[1] != "/")
_MARKS_BEGIN: Final = frozenset(mark[:5] for mark in _OPENING_MARKS)
_ON_BOTH_SIDES: Final = ('<|"|>', "<escape>")
"""The marks that both begin and end a value."""

_CLOSERS: Final = {"<tool_sep>": "</tool_call"}
"""The closer of the call to which a mark belongs, if that closer has another name than the mark."""

_OF_CALLS: Final = ("invoke name=", "function=", "function name=", "functionname=", "tool_sep>", "ifm|tool_call>")
"""The ends of the marks that open a call, whose values are between marks of their own."""

_VALUES: Final = tuple(mark for mark in _OPENING_MARKS if not mark.endswith(_OF_CALLS) and mark not in _ON_BOTH_SIDES)
"""The marks that open a value of a call."""

_VALUE: Final = late("|".join(map(re.escape, _VALUES)), re.IGNORECASE)
_LONGEST_VALUE: Final = max(map(len, _VALUES))
_MOST_CLOSERS: Final = 64
"""The number of different closers that are kept. If there are more, any closer counts."""

_LINE_OF_TAG: Final = late(r"[ \t]{0,8}([\w.-]{1,64})[ \t]{0,8}[\r\n]")
_OF_CALL: Final = late(r"tool|call|func|action|invoke", re.IGNORECASE)
_INPUTS: Final = all_folded(("action input", "action_input"))
_OBSERVED: Final = late(r"[ \t]*Observation[ \t]*:", re.IGNORECASE)

_SIGN: Final = late(r"\\(?:.|\Z)|\"\"\"|'''|//|[\"'`/#\r\n(){}\[\]]", re.DOTALL)
_PARTS: Final = frozenset(("\\", '"', '""', "'", "''", "/"))
"""Signs that may be only the beginning of a longer sign, at the end of a piece of code: then more must be read."""

_COMMENTS: Final = frozenset(("#", "//"))
_TEXTS: Final = frozenset(('"', "'", "`", '"""', "'''")) | _COMMENTS
_TORN: Final = frozenset("\"'`[{<_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
"""Characters that never follow the quote that closes a string in JSON or JavaScript. A quote before one of them tears the
string it is in."""

_NO_KEY: Final = frozenset("!#%&()*+,-:;<=>?@[]^`{|}~")
"""Characters that never follow the first brace of JSON, or of a text like JSON."""

_BLANKS: Final = " \t\r\n"
_BARE_FENCE: Final = late(rf"{MAY_BE_FENCE.pattern}[ \t]*[\r\n]*\Z")
_TOOL: Final = all_folded(TOOL_KEYS, ("tool name", "function name"))


class _Mode(Enum):
    SEEK = auto()  # no call: the heads of lines are searched
    JSON = auto()
    CODE = auto()  # brackets and strings that are no JSON
    BEHIND = auto()  # after a bracket that may have been the last
    LINES = auto()  # YAML, and notations like it
    TAGS = auto()
    OPEN = auto()  # nothing shows its end

    __hash__ = object.__hash__  # that of Enum is written in Python


_SEEK, _JSON, _CODE, _BEHIND, _LINES, _TAGS, _OPEN = _Mode


class Unended:
    """Follows the calls in text that is not held back.

    Args:
        tools: The names and fields of the tools.
        elements: The elements of HTML that are also the names of fields, where tags have these names.
        behind: Whether a fence may come after prose on its line.
    """

    __slots__ = (
        "_apart",
        "_around",
        "_bare",
        "_begun",
        "_behind_prose",
        "_behind_tag",
        "_called",
        "_closed",
        "_column",
        "_cursor",
        "_depth",
        "_elements",
        "_ends_in",
        "_fresh",
        "_head",
        "_in_span",
        "_in_value",
        "_indent",
        "_last",
        "_line",
        "_mode",
        "_named",
        "_parted",
        "_quiet",
        "_quote",
        "_raw",
        "_recent",
        "_scalar",
        "_sure",
        "_tools",
        "_torn",
        "_until",
        "closers",
        "passed_unread",
    )

    def __init__(self, tools: KnownTools, elements: Collection[str] = (), behind: bool = False) -> None:
        self.passed_unread: Final[list[str]] = []
        """Pieces of text that are not yet read. The scanner may add pieces without a line end, up to `UNREAD`."""
        self.closers: Final[set[str]] = set()
        """The closers of calls in tags that were read since `leaves_open` was last asked."""
        self._quiet = False
        self._tools: Final = tools
        self._elements: Final = elements
        self._behind_prose: Final = behind
        self._cursor = _NO_CURSOR
        self._named: Final = NamedCall(tools)
        self._parted: Unended | None = None  # reads the same text, with a line break after the word of each fence
        self.restart()

    def restart(self) -> None:
        """Forget the text that was read: nothing is open."""
        self.passed_unread.clear()
        self.closers.clear()
        self._named.restart()
        self._parted = None
        self._recent = ""  # the end of the text that was read
        self._ends_in = ""  # the fence character of the run with which that text ends
        self._mode = _SEEK  # `_follow` sets the other attributes of the text that is followed
        self._line = ""  # the beginning of the current line, as far as it was not searched yet
        self._column = 0  # how many characters of that line were searched, or wait to be
        self._fresh = True  # whether the current line begins with `_line`

    @property
    def quiet(self) -> bool:
        """Whether no call begins in the text, because it is reasoning."""
        return self._quiet

    @quiet.setter
    def quiet(self, quiet: bool) -> None:
        self.read()
        self._quiet = quiet
        if self._parted is not None:
            self._parted._quiet = quiet

    @property
    def line_is_inert(self) -> bool:
        """Whether the rest of the line can have no effect, so that it need not be read."""
        quiet = self._quiet
        seeking = self._mode is _SEEK and not self.passed_unread and (quiet or self._column >= HEAD)
        inert = seeking and self._named.line_is_inert(quiet=quiet)
        return inert and (self._parted is None or self._parted.line_is_inert)

    def add(self, text: str) -> None:
        """Take more of the text."""
        waiting = self.passed_unread
        waiting.append(text)
        if len(waiting) >= UNREAD or len(text) >= HEAD:
            self.read_on()

    def read_on(self) -> None:
        """Read the text that waits in `passed_unread`. More text will come, so an escaped character that is cut at the end
        keeps waiting.
        """
        self.read(_BEGUN_AT_END)

    def read(self, waits: re.Pattern[str] | None = None) -> None:
        """Read the text that waits in `passed_unread`, except a match of `waits` at its end, which keeps waiting."""
        waiting = self.passed_unread
        if not waiting:
            return
        text = waiting[0] if len(waiting) == 1 else "".join(waiting)
        waiting.clear()
        may_wait = waits is not None and ("&" in text or "`" in text or "~" in text)
        begun = waits.search(text, max(len(text) - _LONGEST_BEGUN, 0)) if waits is not None and may_wait else None
        if begun is not None:
            text = text[: begun.start()]
            waiting.append(begun[0])
        if "&" in text:
            text = _ESCAPED.sub(_sign_of, text)
        if not text.isascii():
            text = text.replace(_WIDE_COLON, ":")
        self._named.read(text, quiet=self._quiet)
        self._read(text)
        if self._parted is not None or self._ends_in or "```" in text or "~~~" in text:
            self._follow_fences(text)
        self._recent = (self._recent + text[-HEAD:])[-HEAD:]

    def _take(self, text: str) -> None:
        self._named.read(text, quiet=self._quiet)
        self._read(text)

    def _follow_fences(self, text: str) -> None:
        """Read calls that begin on the line of a fence, after its word: the line break between the two may have been lost.

        A second `Unended` reads this text and all that follows, with each such line divided. The text as written is read too.
        """
        run, self._ends_in = self._ends_in, text[-1:] if text[-1:] in ("`", "~") else ""
        left = len(text) - len(text.lstrip(run)) if run else 0  # of a run that is too long for a fence
        parted, at = "", 0
        for fence in _FENCE.finditer(text, left) if "```" in text or "~~~" in text else ():
            if self._quiet or not self._may_open(text, fence.start()):
                continue
            if self._parted is None:
                self._parted, at = Unended(self._tools, self._elements, self._behind_prose), fence.start()
            parted += text[at : fence.start()] + self._part(fence)
            at = fence.end()
        if self._parted is not None:
            self._parted._take(parted + text[at:])

    def _may_open(self, text: str, at: int) -> bool:
        """Return whether a fence at a position counts: in the head of its line, or anywhere if fences may come after prose."""
        before = (self._recent + text[max(at - HEAD, 0) : at])[-HEAD:]
        return self._behind_prose or len(before) < HEAD or "\n" in before or "\r" in before

    def _part(self, fence: re.Match[str]) -> str:
        """Return a fence with a line break after its word; if the word ends with a tool's name or a key that names one, before
        that.
        """
        word, gap = fence["word"], fence["gap"]
        at = next((at for at in range(len(word)) if self._begins_line(word[at:])), None)
        return f"{fence['run']}{word}\n" if at is None else f"{fence['run']}{word[:at]}\n{word[at:]}{gap}"

    def _begins_line(self, word: str) -> bool:
        """Return whether a word is the name of a tool, or a key that names one."""
        return self._is_tool(word) or folded(word) in self._tools.spellings or folded(word) in _TOOL

    def _read(self, text: str) -> None:
        pos = 0
        while pos < len(text):
            pos = _STEPS[self._mode](self, text, pos)

    def leaves_open(self) -> bool:
        """Return whether a value may be open at this place, where a block or a call opens; then forget the text
        that was read.
        """
        self.read()
        named = self._named.leaves_open()
        parted = self._parted is not None and self._parted.leaves_open()
        return self._leaves_open() or named or parted

    def _leaves_open(self) -> bool:
        """Return whether the call that is followed has an open value; then follow no call any more."""
        if self._mode is _SEEK:
            if not self._line:
                self._column, self._fresh = 0, True
                return False
            line, self._line = self._line, ""
            self._search(line)
        indent = self._line if self._mode is _LINES else ""
        if indent.strip():
            self._line = ""
            if not self._line_of(indent):
                self._leave(indent, 0)
        mode = self._mode
        if mode is _JSON:
            cursor = self._cursor
            found = cursor.in_string and (not (self._in_span or cursor.in_key) or self._is_call())
        elif mode is _CODE:
            found = self._is_call() or self._hides()
        elif mode is _LINES:
            found = bool(self._quote) or self._begun or (self._scalar >= 0 and width(indent) > self._scalar)
        else:
            found = mode is _TAGS or mode is _OPEN
        self.restart()
        return found

    def _hides(self) -> bool:
        """Return whether a line after the line with the brace leaves a call open. The brace itself begins no call."""
        begin, _, lines = self._head.partition("\n")
        if not lines or begin.strip(_MARGIN) != "{":
            return False
        behind = Unended(self._tools, self._elements)
        behind._read(lines)
        return behind._leaves_open()

    # -- the beginning -------------------------------------------------------------------------------------------------

    def _seek(self, text: str, pos: int) -> int:
        """Skip lines in which no call begins, and the rest of a long line; search the head of any other line."""
        if self._quiet:
            self._line, self._column, self._fresh = "", 0, True
            return len(text)
        if self._column >= HEAD:
            rest = LINE_END.search(text, pos)
            if rest is None:
                return len(text)
            self._column, self._fresh = 0, True
            return rest.end()
        if self._line:
            text, skipped, pos = self._line + text[pos:], pos - len(self._line), 0
        else:
            skipped = 0
        at = self._sign(text, pos)
        if at < 0 and text[-1] == "\n":
            self._line, self._column, self._fresh = "", 0, True
            return len(text) + skipped
        stop = len(text) if at < 0 else at + 1
        start = max(text.rfind("\n", pos, stop), text.rfind("\r", pos, stop)) + 1
        if start > pos:
            pos, self._fresh = start, True
        if at < 0:
            line = text[pos:]
            self._column = min(len(line), HEAD)
            self._line = line if len(line) < HEAD else ""
            return len(text) + skipped
        found = LINE_END.search(text, pos, pos + HEAD)
        line = text[pos : pos + HEAD if found is None else found.end()]
        self._column = len(line)
        self._line = ""
        if found is None and self._column < HEAD:
            self._line = line
        else:
            self._search(line)
        return pos + len(line) + skipped

    def _sign(self, text: str, start: int) -> int:
        """Return the position of the next sign of a call from `start` on; -1 if there is none. Every call begins
        with a sign.
        """
        if ":" in text or "=" in text:
            if self._fresh and _SIGN_OF_LINES.match(text, start) is not None:
                return start
            signs = _SIGN_OF_ASCII if text.isascii() else _SIGN_OF_ANY
        elif "{" in text or "(" in text or "<" in text:
            signs = _SIGN_OF_CALL
        else:
            return -1
        for found in signs.finditer(text, start):
            at = found.start()
            if text[at] == ":" and not self._ends_name(text, start, at):
                continue
            if text[at] != "(":
                return at
            called = _NAME.search(text, max(at - HEAD, 0), at + 1)
            if called is not None and (self._is_tool(called["called"]) or _MAY_BE_KEYED.match(text, at + 1)):
                return called.start()
        return -1

    def _ends_name(self, text: str, start: int, at: int) -> bool:
        """Return whether the colon at this position is behind a name of a tool that begins its line. The text is read from
        `start` on.
        """
        low = max(at - HEAD, start)
        begin = max(text.rfind("\n", low, at), text.rfind("\r", low, at)) + 1
        if not begin and (low > start or not self._fresh):
            return False
        begin = begin or start
        return self._has_tag(text[begin:at].strip(_BESIDE_A_NAME)) and _NAME_ALONE.match(text, begin) is not None

    def _is_tool(self, name: str) -> bool:
        return name in self._tools or name.rpartition(".")[2] in self._tools

    def _search(self, line: str) -> None:
        """Search the head of a line for calls, and follow each call to its end."""
        at = 0
        if self._mode is _SEEK and self._sign(line, 0) < 0:
            at, self._fresh = len(line), False
        while at < len(line):
            if self._mode is _SEEK:
                start = self._begin(line, at)
                self._fresh = False
                if start is None:
                    break
                at = start
            else:
                at = _STEPS[self._mode](self, line, at)
        if self._mode is _SEEK and line.endswith(("\n", "\r")):
            self._column, self._fresh = 0, True

    def _begin(self, line: str, at: int) -> int | None:
        """Begin to follow the first call in the rest of a line. Returns where reading continues; None if no call
        begins there.
        """
        if at == 0 and self._fresh and (":" in line or "=" in line):
            found = _LINE_OF_TOOL.match(line)
            if found is not None and self._says(found["key"], found["named"]):
                self._follow_lines(line)
                if found["more"] is not None:
                    self._line_of(line[found.start("more") :])
                return len(line)
            found = _NAME_ALONE.match(line) if found is None else None
            if found is not None and self._has_tag(found["named"]):
                self._follow_lines(line)
                return len(line)
        for found in _START.finditer(line, at):
            end = self._begins(line, found)
            if end is not None:
                return end
        return None

    def _begins(self, line: str, found: re.Match[str]) -> int | None:
        """Begin to follow a text that may be a call. Returns where reading continues; None if it is no call."""
        start = found.start()
        if found["brace"]:
            self._follow(_JSON)
            self._in_span = line.count("`", 0, start) % 2 == 1
            return start
        if found["called"]:
            if line[:start].endswith("`[") and line.startswith("`", found.end()):
                return None  # the sign is in a code span, which only mentions it
            if self._is_tool(found["called"]) or found["keyed"] is not None:
                self._follow(_CODE)
                self._sure = self._called = True
                return found.end() - 1
            return None
        at_start = self._at_margin(line, start)
        mark = stray_in(line[start:]) if found["tag"] and line[start : start + 5].lower() in _MARKS_BEGIN else None
        if mark:
            return self._begin_at_mark(line, start, mark)
        if found["lost"]:
            if self._says(found["key"], found["named"]) and (at_start or _ANOTHER.match(line, found.end())):
                self._follow(_CODE)
                self._sure, self._depth, self._raw = True, 1, 1
                return start
            return None
        tag = _TAG.match(line, start)
        if tag is None or self._is_plain(tag):
            return None
        around = _AROUND.search(line, 0, start) if line[:start].rstrip(" \t")[-1:] == ">" else None
        first = at_start or (around is not None and self._at_margin(line, around.start()))
        until = self._closer(line, tag, around, first=first) if first or _begins_value(line, tag) else None
        if until is None:
            return None
        self._follow(_TAGS)
        self._behind_tag = until
        self._until = until if tag[0].endswith(">") else ">"
        return tag.end()

    def _begin_at_mark(self, line: str, at: int, mark: str) -> int | None:
        """Begin to follow the value after a mark of a call with raw values, unless prose mentions the mark."""
        behind = max(line.find(">", at), at) + 1
        quoted = _QUOTE_OF_MARKDOWN.match(line) is not None or _is_quoted(line, at)
        if quoted or _MENTIONED.match(line, behind) is not None:
            return None
        self._follow(_TAGS)
        self._until = mark if mark in _ON_BOTH_SIDES else _closer_of(line[at : at + len(mark)])
        self._in_value = not mark.endswith(_OF_CALLS)
        return at + len(mark)

    def _is_plain(self, tag: re.Match[str]) -> bool:
        """Return whether a tag is only an element of HTML, as most tags are, and belongs to no tool."""
        name, attributes = tag["name"], tag["attributes"]
        if name.lower() not in OF_HTML or name in self._tools or name in self._elements:
            return False
        return tag["is"] is None and (attributes is None or _HAS.search(attributes) is None)

    def _closer(self, line: str, tag: re.Match[str], around: re.Match[str] | None, *, first: bool) -> str | None:
        """Return the closer of the call that a tag opens; "" if nothing closes it, None if the tag opens no call.

        `around` are the tags directly before it. `first` is whether only these come before it on its line.
        """
        name, attributes = tag["name"], tag["attributes"]
        has = _HAS.search(attributes) if attributes is not None else None
        said = tag["is"] or (has["has"] if has is not None else None)
        of_html = name.lower() in OF_HTML
        if attributes is not None and _ALONE.fullmatch(attributes) is not None:
            known = False
        elif said is not None:
            known = self._has_tag(said) and (first or not of_html)
        elif _OF_CALL.search(name) is not None and (named := _LINE_OF_TAG.match(line, tag.end())) is not None:
            known = self._has_tag(named[1])
        elif folded(name) in _TOOL or name in NAME_KEYS:
            named = _TEXT_OF_TAG.match(line, tag.end())
            known = named is not None and self._says(name, named[1])
            if named is not None and not first:
                known = self._tools.known(named[1]) is not None and (folded(name) in _TOOL or around is not None)
                known = known and _MENTIONED.match(line, named.end()) is None
            return (f"</{around['name']}" if around is not None else "") if known else None
        else:
            known = self._has_tag(name) and (not of_html or (first and attributes is None))
            known = known or (first and attributes is None and name in self._elements)
            if not of_html and first and attributes is None and not known:
                known = folded(name.rpartition(":")[2]) in self._tools.keys and _HOLDS.match(line, tag.end()) is not None
                known = known and _QUOTE_OF_MARKDOWN.match(line) is None
        return f"</{name}" if known else None

    def _at_margin(self, line: str, at: int) -> bool:
        """Return whether only characters that may precede a call are before this position of the line."""
        return self._fresh and _BEFORE.match(line).end() == at  # type: ignore[union-attr]  # it matches the empty string

    def _has_tag(self, name: str) -> bool:
        """Return whether a name in a tag is the name of a tool, perhaps in a namespace. A name of several words counts in any
        spelling: HTML has no such names.
        """
        name = name.rpartition(":")[2]
        return name in self._tools or folded(name) in self._tools.spellings

    def _follow(self, mode: _Mode) -> None:
        """Begin to follow a text that may be a call, in this mode."""
        self._mode = mode
        self._line = ""
        self._head = ""  # the beginning of what is followed
        self._bare = False  # whether the line at hand has nothing yet but what may stand before a call
        self._sure = False  # whether that is a call in any case
        self._depth = 0  # of brackets outside of texts
        self._raw = 0  # of brackets, in texts too
        self._quote = ""  # of the text that is open
        self._closed = False  # whether a text has just closed
        self._torn = False  # whether a quote stood in a text
        self._called = False  # whether parentheses are what closes
        self._in_span = False  # whether it stands in a code span
        self._last = ""  # the last character that is no blank
        self._indent = 0  # of the call in lines
        self._apart = False  # whether an empty line is before the current one
        self._scalar = -1  # the indent of the key whose block of lines is open; -1 for none
        self._begun = False  # whether no line of that block was read yet
        self._until = ""  # the tag that closes the call, or what ends the tag that opens it
        self._behind_tag = ""  # the tag that closes the call, once the one that opens it has ended
        self._in_value = False  # whether what is followed is a value between marks
        self._around = ""  # the tag that closes the call around the value; empty if none is followed
        if mode is _JSON:
            self._cursor = Cursor()
            self._cursor.watch = False

    def _follow_lines(self, head: str) -> None:
        """Begin to follow a call in lines, after the line that names its tool."""
        self._follow(_LINES)
        self._indent, self._last = width(head), head[-1]

    def _says(self, key: str, name: str) -> bool:
        """Return whether a key with this value names a tool: a tool key always does, any other only if the tool is known."""
        known = self._tools.known(name)
        return folded(key) in _TOOL or (known is not None and not known.everyday)

    def _end(self) -> None:
        """End the call that is followed. Another call may begin after it."""
        self._mode, self._line, self._column = _SEEK, "", 0

    # -- JSON, and what is like it -------------------------------------------------------------------------------------

    def _json(self, text: str, pos: int) -> int:
        """Follow JSON, to its end or to where it stops being JSON. From there on only brackets and strings are followed."""
        start = pos
        while pos < len(text):
            pos = self._cursor.feed(text, pos, len(text))
            if self._cursor.signal is BROKEN:
                before = text[start:pos].rstrip(_BLANKS)[-1:] or self._last
                self._torn = before == '"' and text[pos] in _TORN
                self._mode, self._depth = _CODE, max(self._cursor.depth, 1)
                break
            if self._cursor.signal is COMPLETE:
                self._mode = _BEHIND
                break
        self._keep(text, start, pos)
        piece = text[start:pos]
        self._last = piece.rstrip(_BLANKS)[-1:] or self._last
        self._raw += piece.count("{") + piece.count("[") - piece.count("}") - piece.count("]")
        line_at = _line_at(piece)
        self._bare = (self._bare or line_at > 0) and not piece[line_at:].strip(_MARGIN)
        if self._mode is _CODE:
            none = len(self._head) >= SEARCHED and not self._is_call()
            if none or (self._head.strip(_BLANKS) == "{" and text[pos] in _NO_KEY):
                self._end()
                self._fresh = self._bare
        return pos

    def _keep(self, text: str, start: int, end: int) -> None:
        """Keep the beginning of the text that is followed: it shows whether the text is a call."""
        if len(self._head) < SEARCHED:
            self._head += text[start : min(end, start + SEARCHED - len(self._head))]

    def _is_call(self) -> bool:
        """Return whether the beginning of the text that is followed shows a call."""
        self._sure = self._sure or self._tools.mentions(self._head)
        return self._sure

    def _behind(self, text: str, pos: int) -> int:
        """Decide whether a bracket was the last one of the call. A quote directly after it shows that it was part
        of a string.
        """
        end = _INDENT.match(text, pos).end()  # type: ignore[union-attr]  # it matches the empty string
        if end == len(text):
            return end
        if text[end] == '"' and self._is_call():
            self._mode, self._depth, self._raw = _CODE, 1, max(self._raw, 1)
            self._torn, self._quote = True, ""
        else:
            self._end()
        return end

    # -- code ----------------------------------------------------------------------------------------------------------

    def _code(self, text: str, pos: int) -> int:
        """Read to the closing bracket of the call, skipping strings. After a quote was found inside a string, count brackets in
        strings too.
        """
        room = SEARCHED - len(self._head)
        stop = min(pos + room, len(text)) if room > 0 and not self._sure else len(text)
        before = len(self._line)
        read = self._line + text[pos:stop]
        at, end = 0, len(read)
        while at < end:
            if self._closed:
                at = _INDENT.match(read, at).end()  # type: ignore[union-attr]  # it matches the empty string
                if at == end:
                    break
                self._closed, self._torn = False, self._torn or read[at] in _TORN
            found = _SIGN.search(read, at)
            if found is None:
                break
            if read[found.start() : found.start() + 3] in _PARTS and len(read) - found.start() < 3:
                end = found.start()
                break
            at = found.end()
            if self._takes(found[0]):
                self._keep(read, before, at)
                self._line = ""
                if self._called:
                    self._end()
                else:
                    self._mode = _BEHIND
                return pos + at - before
        self._keep(read, before, len(read))
        self._line = read[end:]
        if not self._sure and len(self._head) >= SEARCHED and not self._is_call():
            self._search_again()
        return stop

    def _search_again(self) -> None:
        """End a text that turned out to be no call. If it began on the current line, search that line."""
        at, head = _line_at(self._head), self._head
        self._end()
        self._column, self._fresh = (0, True) if at else (HEAD, False)
        self._read(head[at:] if at else "")

    def _takes(self, sign: str) -> bool:
        """Take a sign of code, and return whether it closes the call."""
        quote = self._quote
        if sign in OPENING or sign in CLOSING:
            step = 1 if sign in OPENING else -1
            self._raw += step
            self._depth += 0 if quote else step
            return step < 0 and self._depth <= 0 and not quote and (self._raw <= 0 or not self._torn)
        if quote in _COMMENTS:
            self._quote = "" if sign in "\r\n" else quote
        elif quote:
            if sign == quote or (sign == '"""' and quote == '"'):
                self._quote, self._closed = "", True
        elif sign in _TEXTS and (sign == '"' or not self._torn) and (sign != "#" or self._called):
            self._quote = sign
        return False

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _lines(self, text: str, pos: int) -> int:
        """Read one line of a call in lines. A line that does not belong to the call ends it."""
        found = LINE_END.search(text, pos)
        end = len(text) if found is None else found.end()
        if len(self._line) < _LONGEST_LINE:
            self._line += text[pos:end]
        elif self._quote:
            self._line = (self._line + text[pos:end])[:_LONGEST_LINE] + text[pos:end][-_LINE_TAIL:]
        if found is None:
            return end
        line, self._line = self._line, ""
        before, self._last = self._last, line[-1]
        if line == "\n" and before == "\r":
            return end  # one line end, cut in two
        return end if self._line_of(line) else self._leave(line, end)

    def _leave(self, line: str, end: int) -> int:
        """End the call before a line that does not belong to it, and search that line."""
        self._end()
        self._fresh = True
        self._column = min(len(line), HEAD)
        self._search(line[:HEAD])
        if self._mode is _SEEK:
            self._column, self._fresh = 0, True
        elif len(line) > HEAD:
            self._search(line[HEAD:])
        return end

    def _line_of(self, line: str) -> bool:
        """Read a line, and return whether it belongs, or may belong, to the call."""
        if not line.strip():
            self._apart = True
            return True
        apart, self._apart = self._apart, False
        if self._quote:
            if line.rstrip(" \t\r\n,").endswith(self._quote):
                self._quote = ""
            return True
        begun, self._begun = self._begun, False
        indent = line[: len(line) - len(line.lstrip(" \t"))] if begun else line
        if width(indent) > self._scalar >= 0:
            return True
        if _BARE_FENCE.match(line):
            return False
        found = self._member(line)
        if begun and (found is None or folded(found["key"] or "") not in self._tools.keys):
            self._mode = _OPEN  # the block has lost its indent
            return True
        self._scalar = -1
        if found is not None:
            self._value(found)
            return True
        if MAY_BE_FENCE.match(line) is None and (not apart or line.lstrip(_MARGIN).startswith(("#", "? "))):
            return True
        return width(line) > self._indent

    def _member(self, line: str) -> re.Match[str] | None:
        """Return the match of a member of a call in lines, also of a field whose colon is lost or another sign."""
        found = _MEMBER.match(line)
        if found is not None:
            return found
        found = _SPOILT.match(line)
        if found is None or (found["colon"] != ":" if found["key"] is None else folded(found["key"]) not in self._tools.keys):
            return None
        quoted = _QUOTED.match(found["value"])
        return None if quoted is not None and found["value"].count(quoted[0]) % 2 == 0 else found

    def _value(self, member: re.Match[str]) -> None:
        """Begin the value of a member of a call in lines."""
        value = member["value"].rstrip(" \t,")
        value = value[_PROPERTIES.match(value).end() :]  # type: ignore[union-attr]  # it matches the empty string
        quoted = _QUOTED.match(value)
        if quoted is not None:
            quote = quoted[0]
            self._quote = "" if len(value) > len(quote) and value.endswith(quote) and len(value) >= 2 * len(quote) else quote
        elif _BLOCK.search(value):
            self._scalar, self._begun = width(member["indent"]), True
        elif value[:1] in OPENING:
            self._follow(_JSON)
            self._sure = True
            rest = member["value"] + "\n"
            at = 0
            while at < len(rest) and self._mode is not _SEEK:
                at = _STEPS[self._mode](self, rest, at)
        elif folded(member["key"]) in _INPUTS and value:
            self._mode = _OPEN

    # -- tags ----------------------------------------------------------------------------------------------------------

    def _tags(self, text: str, pos: int) -> int:
        """Read on to the tag that closes the call. Inside a value between marks of its own, the call's closer is text."""
        read = self._line + text[pos:]
        skipped = pos - len(self._line)
        at = 0
        while True:
            until = self._until
            found = read.find(until, at) if until else -1
            if until and until != ">" and not self._in_value:
                value = _VALUE.search(read, at, found) if found >= 0 else _VALUE.search(read, at)
                if value is not None:
                    self._in_value, self._around, self._until = True, until, _closer_of(value[0])
                    at = value.end()
                    continue
            if found < 0:
                kept = max(len(until), _LONGEST_VALUE)
                self._line = read[max(at, len(read) - kept) :]
                return len(text)
            before, at = read[found - 1 : found], found + len(until)
            if until == ">" and before != "/":  # the opening tag has ended, and did not close itself
                self._until = self._behind_tag
            elif self._in_value and self._around:
                self._in_value, self._until, self._around = False, self._around, ""
            else:
                if until.startswith("</"):
                    closer = until if len(self.closers) < _MOST_CLOSERS else "</"
                    self.closers.update((closer, f"&lt;{closer[1:]}"))
                self._end()
                self._fresh = False
                return at + skipped

    def _open(self, text: str, _: int) -> int:
        return len(text)


def _sign_of(escaped: re.Match[str]) -> str:
    """Return the character that was escaped, if marks of calls contain it; else the text as written. A quote stays escaped."""
    if escaped["named"]:
        return _NAMED_SIGNS[escaped["named"].lower()]
    code = int(escaped["code"]) if escaped["code"] else int(escaped["hex"], 16)
    sign = chr(code) if code <= sys.maxunicode else ""
    return sign if sign in _SIGNS_OF_MARKS or not sign.isascii() else escaped[0]


def _begins_value(line: str, tag: re.Match[str]) -> bool:
    """Return whether a tag that comes after words begins a call.

    Prose mentions tags too: a tag that is only mentioned is in a code span, or words follow it on its line.
    """
    if _is_quoted(line, tag.start()):
        return False
    return tag["attributes"] is not None or tag["is"] is not None or _MENTIONED.match(line, tag.end()) is None


def _closer_of(mark: str) -> str:
    """Return the closer of the value or the call that a mark opens, in the case (upper or lower) of the mark."""
    return _CLOSERS.get(mark.lower()) or f"</{mark[1:].removesuffix('>').removesuffix('=').removesuffix(' name')}"


def _is_quoted(line: str, at: int) -> bool:
    """Return whether a position of a line is inside a code span."""
    ticks = ""  # the backticks of the open code span
    for found in _TICKS.finditer(line, 0, at):
        ticks = "" if found[0] == ticks else ticks or found[0]
    return bool(ticks) and (ticks in _TICKS.findall(line, at) or not line.endswith(("\n", "\r")))


def _line_at(text: str) -> int:
    """Return the position where the last line of a text begins."""
    return max(text.rfind("\n"), text.rfind("\r")) + 1


_STEPS: Final[dict[_Mode, Callable[[Unended, str, int], int]]] = {
    _SEEK: Unended._seek,
    _JSON: Unended._json,
    _CODE: Unended._code,
    _BEHIND: Unended._behind,
    _LINES: Unended._lines,
    _TAGS: Unended._tags,
    _OPEN: Unended._open,
}
"""The method that reads on in each mode."""
