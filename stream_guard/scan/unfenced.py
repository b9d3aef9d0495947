"""`Unfenced`: follows a call, or other JSON, in prose that is not held back.

A string of it may contain a fence with a call: that call is quoted. So a block that opens while such a string may be open has
no certain end.

    a line of prose -> the opener of any dialect, a bracket, a tag of a tool -> JSON, other brackets, or a value without escapes
                       what has the shape of an opener                       -> a value without escapes

Calls that name a tool as no dialect does, in the middle of a line or in a fence, are followed by `Unended`, which is asked too.

Rule 1: such a call counts at the beginning of a line, also where no dialect is read, or another one.
Rule 2: JSON that is whole, a wrapper with nothing in it, and other text whose brackets are closed, leave nothing open. A value
without escapes shows no end, and neither does a broken text after the opener of a dialect: both leave everything after them
open. In a text that begins in reasoning such a value has ended where its own closer ends a line (`has_ended`).
Rule 3: memory does not grow with the text, and the answer does not depend on how it is cut.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from ..dialects.cursor import BROKEN, COMPLETE, Cursor
from ..values.late import late
from .followers import BEFORE_A_TEXT, CLOSING, OPENING
from .intent import SEARCHED, KnownTools
from .reasoning import MAX_MARK, opener_in
from .strays import OF_HTML, spoiled, stray_in

OPENERS: Final = (
    *("<tool_call>", "<longcat_tool_call>", "<tool_calls>", "<TOOLCALL>", "<|action_start|>", "<|tool_call|>"),
    *("<function_call>", "functools[", "<|python_tag|>", "<|START_ACTION|>", "<|tools_prefix|>"),
    *("<|content_invoke_tool_json|>", "<|function_call|>", "function call<|role_sep|>", "<seed:tool_call>"),
    *("<minimax:tool_call>", "<function_calls>"),
    *(
        "<tool_calls:",
        "<｜DSML｜",
        "<|DSML|",
        "<｜GCML｜",
        "<antml:function_calls>",
        "<atem:function_calls>",
        "<dots_function_call>",
        "<ifm|tool_calls>",
    ),
    *("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<|tool_calls_section_begin|>", "<|tool_call_begin|>", "[TOOL_CALLS]"),
    *("<|channel|>commentary to=", "<|channel|>analysis to=", "<|start|>assistant", "<|python_start|>", "<|tool_call_start|>"),
    *("<|tool_call>", "<start_function_call>", "<boltArtifact", "<boltAction", "*** Begin Patch"),
    *(f"{'<' * count} " for count in (5, 6, 7, 8, 9)),  # SEARCH, HEAD, or the name of a branch
)
"""The beginnings of the openers of dialects. Values without escapes that have no wrapper are found by stray marks instead."""

_OF_CALLS: Final = r"(?:tool|call|arg|param|invoke|func)"
_SIGNS: Final = r"[\w\u2581:. /-]"
"""A pattern for the characters that the name of a special token may have."""

_NO_OPENER: Final = rf"(?!/|call[|\uff5c]|{_SIGNS}{{0,48}}(?<![a-z])(?:end|close|suffix|sep)(?![a-z]))"
"""A pattern that excludes closers and signs between two parts: at those a call ends, or has begun before."""

SHAPED: Final = late(
    rf"[<\u2039](?P<bar>[|\uff5c]){_NO_OPENER}{_SIGNS}{{0,48}}?{_OF_CALLS}{_SIGNS}{{0,48}}(?P=bar)?>"
    rf"|[<\u2039](?P<pipe>[|\uff5c])\w{{1,32}}(?P=pipe)>?[ ]?{_OF_CALLS}\w{{0,32}}(?:<[|\uff5c]|[ ]\w{{1,32}}=|>)"
    rf"|\]<\][^\[\]<>\r\n]{{1,32}}\[>\[<{_SIGNS}{{0,48}}?{_OF_CALLS}{_SIGNS}{{0,48}}[ >]"
    r"|<(?!xsl:)[\w.-]{1,32}:(?:tools?|args?|function|[\w.-]{0,32}?(?:tool|function|arg)s?[_-])[\w.-]{0,32}[ \t>]"
    r"|<(?!xsl:)[\w.-]{1,32}:(?:calls?|invoke|params?|parameters?)[ \t]*(?:>|name=)"
    r"|<(?:tools?|function|arg)[_-](?:calls?|key|value|name|use|sep):[\w.-]{1,32}>",
    re.IGNORECASE,
)
"""Matches a special token or tag that has the shape of an opener of calls, in any dialect. The end of such a call is
undetermined."""

_BEGINS_SHAPED: Final = late(
    r"[<\u2039]|[<\u2039][|\uff5c][^|\uff5c<>\r\n]{0,100}(?:[|\uff5c]>?[ ]?\w{0,40}(?:<|[ ]\w{0,32})?)?"
    r"|\]<?|\]<\][^\[\]<>\r\n]{0,32}(?:\[>?|\[>\[(?:<[^<>\r\n]{0,100})?)?"
    r"|<[\w.-]{1,40}:[\w.-]{0,80}[ \t]{0,4}n?a?m?e?",
    re.IGNORECASE,
)
"""Matches a text that is wholly the beginning of such a token or tag."""

CALLS_BEGIN: Final = frozenset(opener[:6].lower() for opener in OPENERS)
"""The first six characters of each opener, compared before a line is read as one that may begin with an opener."""

_LONGEST: Final = max(map(len, OPENERS))
_SPOILED: Final = tuple(mark.lower() for mark in spoiled(OPENERS))
_LOWER: Final = tuple(sorted((opener.lower() for opener in OPENERS), key=len, reverse=True))
_PREFIXES: Final = frozenset(opener[:end] for opener in _LOWER for end in range(len(opener)))
MAY_OPEN_UNFENCED: Final = "|".join((
    r"\{",
    r"\[(?:\Z|[ \t\r\n{A-Za-z_])",
    rf"<(?!(?:{'|'.join(sorted(OF_HTML))})[ \t]*>)(?:\Z|[A-Za-z_][\w.-]{{0,63}}[ \t]*(?:\Z|[\r\n]|>[ \t]*(?:\Z|[\r\n<])))",
    r"[>\u2039](?:\Z|[\w|\uff5c])",
    r"[<\u2039](?:\Z|[|\uff5c])|\](?:\Z|<(?:\Z|\]))|<[\w.-]{1,32}(?:\Z|:(?:\Z|[A-Za-z]))",
))  # fmt: skip
"""A pattern for the first characters of other texts that are followed, or less of them at the end of a text. Few lines of HTML
match."""

_LIST: Final = late(r"\[\s{0,16}(?:(?P<object>\{)|(?P<name>[A-Za-z_][\w.]{0,63})(?P<called>\()?)?")
"""Matches the beginning of a list of objects or of calls."""

_TAG: Final = late(r"<([A-Za-z_][\w.-]{0,63})(?:\s{1,64}(?=>|\Z))?(?:>\s{0,64}(<)?)?")
"""Matches a tag, and whether another tag follows."""

_BRACKETS: Final = frozenset("\u2039>")
"""The characters that may replace the bracket of a tag. The quote mark of Markdown does not count: a blank follows it."""

_BLANKS: Final = " \t\r\n"
_MOST_BLANKS: Final = 64
"""The most blanks between an opener and the value after it."""

_LOOSE_MARK: Final = late(r"[()\[\]{}\"'`«»“”„]|\\.?", re.DOTALL)
"""Matches a bracket, a quote, or a backslash with the character after it."""

_PAIRS: Final = {"{": "}", "[": "]", "(": ")"}
_ENDS: Final = {'"': ('"',), '\\"': ('\\"',), "'": ("'",), "`": ("`",), "«": ("»",), "“": ("”", "“"), "„": ("”", "“")}
"""The marks that may end a string, by the mark that begins it."""

_MARKS: Final = "[\"'`\u2018-\u201f\u00ab\u00bb\u2039\u203a]"
_DATA: Final = late(
    r"(?:\[\s{0,16})?\{\s{0,64}"
    rf"(?:\\{{0,4}}{_MARKS}{{1,3}}[^\"'`\\\r\n]{{0,64}}?\\{{0,4}}{_MARKS}{{1,3}}|[A-Za-z_$][\w$-]{{0,63}})\s{{0,8}}[:=]"
)
"""Matches the first key of an object, in any quotes or without quotes."""

_CODE: Final = late(r"\[[^\]]{0,96}?[A-Za-z_]\w{0,63}[ \t]{0,8}=[ \t]{0,8}[\"']")
"""Matches a list up to the first argument with a key: a call as Python writes it, even if the name of the tool is lost."""

_VALUE: Final = late(r"[\r\n{]")
_LONGEST_TAG: Final = 64
"""The most characters of an opener or closer of a call, whose beginning the end of a text may be."""

_NAMED: Final = late(r"<(?!/)[^\s<>=]{1,48}")
_BACKWARDS: Final = {"<|tool_call": "<tool_call|>"}
"""Closers whose spelling cannot be derived from their openers."""

_NOTHING: Final = late(r"(?!)")
_TAIL: Final = MAX_MARK + 2 * 64
"""The number of characters of a value without escapes that are kept: a closer, blanks, and the closer of reasoning around the
value."""


class _Mode(Enum):
    HEAD = auto()  # the beginning of the line, which shows what the line is
    HEADER = auto()  # after the opener of a dialect: the header of a call, up to its value
    JSON = auto()
    LOOSE = auto()  # brackets and strings that are not JSON
    OPEN = auto()  # a value without escapes: nothing shows its end
    OVER = auto()


_HEAD, _HEADER, _JSON, _LOOSE, _OPEN, _OVER = _Mode


class Unfenced:
    """One call, or other JSON, in prose.

    Args:
        at: The place where the line begins, after its indent.
        tools: The names and fields of the tools.
        cursor: The cursor that read the JSON of a released block up to `at`, if the rest of that is followed.
    """

    __slots__ = (
        "_brackets",
        "_cursor",
        "_depth",
        "_either",
        "_escaped",
        "_head",
        "_last",
        "_mode",
        "_quote",
        "_sure",
        "_tail",
        "_tools",
        "_uncounted",
        "at",
        "began",
        "closer",
        "released",
        "was_open",
    )

    def __init__(self, at: int, tools: KnownTools, cursor: Cursor | None = None) -> None:
        self.began: Final = at
        """The place where the call or JSON begins."""
        self.at = at
        """The place up to which the text was read."""
        self.was_open = False
        """Whether a string was open where the current line begins. If that line opens reasoning, the reasoning may be part of
        the call."""
        self.closer = ""
        """The closer of the call, if its value has no escapes; empty if the closer is undetermined."""
        self.released: Final = cursor is not None
        """Whether the rest of a released fence is followed."""
        self._tools: Final = tools
        self._mode = _HEAD if cursor is None else _JSON
        self._cursor = cursor if cursor is not None else Cursor()
        self._cursor.watch = False
        self._head = ""  # the beginning of the text that is followed
        self._sure = False  # whether the opener of a dialect shows that the text is a call
        self._brackets: dict[str, int] = {}  # in text that is no JSON: how many are open outside of strings, by closer
        self._quote = ""  # in text that is no JSON: the mark that began the open string
        self._last = ""  # the last character that was read
        self._escaped = False  # whether that is a backslash whose next character was not read
        self._tail = ""  # the end of the text read, for a call whose closer is known
        self._either = _NOTHING  # matches the opener or the closer of that call
        self._depth = 0  # how many of these openers are open
        self._uncounted = ""  # the end of the text read, where an opener or closer may begin

    @property
    def over(self) -> bool:
        """Whether the call or the JSON is over, or the text turned out to be neither."""
        return self._mode is _OVER

    @property
    def leaves_open(self) -> bool:
        """Whether a string of the call or the JSON may be open here."""
        if self._mode is _JSON:
            return self._cursor.in_string
        if self._mode is _LOOSE:
            return self._sure or self._is_data()
        return self._mode is _OPEN or (self._mode is _HEAD and self._sure)

    def _is_data(self) -> bool:
        """Return whether text that is no JSON is a call or other data: it names a tool, or begins with a key or an argument."""
        head = self._head[:SEARCHED]
        return _DATA.match(head) is not None or _CODE.match(head) is not None or self._tools.mentions(head)

    @property
    def has_begun(self) -> bool:
        """Whether a string may be open here, or a string may begin next, because only blanks follow the opener."""
        return self.leaves_open or (self._mode is _HEAD and self._head.lower().startswith(_LOWER))

    def has_ended(self, behind: str = "") -> bool:
        """Return whether the text read so far ends with the closer of a call without escapes. Blanks after it, and the text
        `behind`, do not count.

        A closer belongs to the last opener: if a value quotes a whole call, opener and all, the closer of the quoted call ends
        nothing.
        """
        ended = bool(self.closer) and self._tail.removesuffix(behind).rstrip(_BLANKS).endswith(self.closer)
        return ended and self._depth == 0

    def _follow_closers(self, text: str) -> None:
        """Count the openers and closers of a call without escapes, and keep the end of the text."""
        self._tail = (self._tail + text)[-_TAIL:]
        read, at = self._uncounted + text, 0
        for found in self._either.finditer(read):
            self._depth += -1 if found[0] == self.closer else 1
            at = found.end()
        self._uncounted = read[max(at, len(read) - _LONGEST_TAG) :]

    def ends_before(self, char: str) -> bool:
        """Return whether a line that begins here with this character shows that the text is no call."""
        if self._mode is not _HEAD:
            return self.over
        told = Unfenced(self.at, self._tools)
        told.feed(self._head + char)
        return told.over

    def feed(self, text: str) -> None:
        """Read more of the text."""
        if self._mode is _HEAD:
            self._head += text
            at = self._decide(self._head)
            if self._mode is _HEAD:
                return
            if self.closer:
                self._follow_closers(self._head)
            text, self._head = self._head[at:], self._head[at : at + SEARCHED]
        elif self.closer:
            self._follow_closers(text)
        elif len(self._head) < SEARCHED and not self.released:
            self._head += text[: SEARCHED - len(self._head)]
        pos = 0
        while pos < len(text) and self._mode not in (_OPEN, _OVER):
            pos = self._step(text, pos)
        self._last = text[-1:]
        if self._mode is _LOOSE and not self._sure and len(self._head) >= SEARCHED:
            self._sure = self._is_data()
            self._mode = _LOOSE if self._sure else _OVER

    def _step(self, text: str, pos: int) -> int:
        """Read on in the current mode, until the mode changes; returns where reading continues."""
        if self._mode is _JSON:
            pos = self._cursor.feed(text, pos, len(text))
            if self._cursor.signal is BROKEN:
                self._brackets = dict(zip("]}", self._cursor.brackets, strict=True))
                self._mode = _OVER if self.released else _OPEN if self._sure and self._head[:1] == "{" else _LOOSE
            elif self._cursor.signal is COMPLETE:
                self._mode = _HEADER if self._sure else _OVER
            return pos
        if self._mode is _HEADER:
            found = _VALUE.search(text, pos)
            if found is None:
                return len(text)
            if found[0] in "\r\n":
                self._mode = _OVER
                return found.end()
            self._begin_json()
            return found.start()
        return self._loose(text, pos)

    def _loose(self, text: str, pos: int) -> int:
        """Read brackets and strings that are not JSON until the first bracket closes; returns where reading continues."""
        if self._escaped:
            self._escaped = False
            self._quoted(f"\\{text[pos]}", "")
            pos += 1
        for found in _LOOSE_MARK.finditer(text, pos):
            mark = found[0]
            if mark == "\\":
                self._escaped = True
            elif mark in OPENING or mark in CLOSING:
                if self._quote:
                    continue
                if self._takes_last(mark):
                    self._mode = _OVER
                    return found.end()
            else:
                self._quoted(mark, text[found.start() - 1] if found.start() else self._last)
        return len(text)

    def _takes_last(self, bracket: str) -> bool:
        """Count a bracket, and return whether none is open after it. A closing bracket without an opening one is ignored."""
        brackets, closer = self._brackets, _PAIRS.get(bracket, bracket)
        left = brackets.get(closer, 0) + (1 if bracket in OPENING else -1)
        if left < 0:
            return False
        brackets[closer] = left
        return not any(brackets.values())

    def _quoted(self, mark: str, before: str) -> None:
        """Take a quote, or an escaped character, which may begin or end a string. `before` is the character before it."""
        if self._quote:
            self._quote = "" if mark in _ENDS[self._quote] else self._quote
        elif mark in _ENDS and (mark not in ("'", "`") or not before or before in BEFORE_A_TEXT):
            self._quote = mark

    def _begin_json(self) -> None:
        self._cursor = Cursor()
        self._cursor.watch = False
        self._mode = _JSON

    def _decide(self, head: str) -> int:
        """Decide by its beginning what kind of text a line is, as early as possible; returns where reading continues."""
        head = f"<{head[1:]}" if head[0] in _BRACKETS else head
        told = head[:_LONGEST].lower()
        if told.startswith(_LOWER):
            opener = next(each for each in _LOWER if told.startswith(each))
            return self._behind_opener(head, len(opener))
        stray = stray_in(head)
        shaped = SHAPED.match(head) is not None
        aside = opener_in(head) if shaped else None  # an opener of a tool's result begins no call
        if stray or (shaped and aside is None) or told.startswith(_SPOILED):
            self._mode = _OPEN
            if stray:
                self._ends_with_closer(head)
            return 0
        if aside == "":
            return 0
        if stray == "" or told in _PREFIXES or _BEGINS_SHAPED.fullmatch(head) is not None:
            return 0
        if head[0] == "{":
            self._begin_json()
        elif head[0] == "[":
            self._decide_list(head)
        elif head[0] == "<":
            found = _TAG.match(head)
            named = found is not None and found[1] in self._tools and found[1].lower() not in OF_HTML
            if found is not None and found[2] is not None and named:
                self._mode = _OPEN
                self._ends_with_closer(head)
            elif found is None or found[2] is not None or found.end() < len(head):
                self._mode = _OVER
        else:
            self._mode = _OVER
        return 0

    def _ends_with_closer(self, head: str) -> None:
        """Set the closer of the call with raw values that this text opens. If the text is itself a closer, set nothing."""
        found = _NAMED.match(head)
        if found is not None:
            opener = found[0]
            self.closer = _BACKWARDS.get(opener) or _closer(f"{opener}>") or f"</{opener[1:]}>"
            self._either = re.compile(rf"{re.escape(self.closer)}|{re.escape(opener)}[\s>=:]")

    def _decide_list(self, head: str) -> None:
        """Decide whether a line that begins with a square bracket is a list of objects, or of calls."""
        found = _LIST.match(head)
        assert found is not None
        if found["object"]:
            self._begin_json()
        elif found.end() < len(head) or found["called"]:
            self._sure = bool(found["called"]) and found["name"] in self._tools
            ends_the_line = head[found.end() : found.end() + 1] in ("\r", "\n")  # a bracket on the next line is another
            self._mode = _LOOSE if found["name"] and not ends_the_line else _OVER

    def _behind_opener(self, head: str, end: int) -> int:
        """Decide how the call after the opener of a dialect continues; returns where reading continues."""
        end -= head[end - 1] == "["  # that bracket begins the value
        value = head[end:].lstrip(_BLANKS)
        at = len(head) - len(value)
        if head[:end].lower() == _START and _MESSAGE.fullmatch(head, end) is not None:
            self._mode = _OVER if head.lower().endswith("<|message|>") else _HEAD
            return at
        if head.startswith(_OF_FILES):
            self._mode = _OPEN
        elif not value:
            if at - end > _MOST_BLANKS:
                self._mode = _OVER
        elif value[0] in "{[":
            self._sure = True
            self._begin_json()
        elif value[0] in "`~":
            self._mode = _OVER  # the opener is a wrapper around a fence
        elif (empty := _is_empty(value.lower(), WRAPPERS.get(head[:end].lower(), ""))) is not False:
            self._sure = True
            self._mode = _HEAD if empty is None else _OVER
        else:
            self._sure = True
            found = _VALUE.search(value, 0, SEARCHED + 1)
            if found is not None and found[0] == "{" and not head.startswith(_RAW):
                self._begin_json()
                return at + found.start()
            if found is not None or len(value) > SEARCHED or head.startswith(_RAW):
                self._mode = _OPEN
                self._ends_with_closer(head)
        return at


def _is_empty(value: str, closer: str) -> bool | None:
    """Return whether a wrapper is empty and its closer ends the line; None if more must be read to decide."""
    if len(value) <= len(closer):
        return None if closer.startswith(value) else False
    rest = value[len(closer) :].lstrip(" \t")
    if not closer or not value.startswith(closer) or len(value) - len(closer) - len(rest) > _MOST_BLANKS:
        return False
    return rest[0] in "\r\n" if rest else None


def _closer(opener: str) -> str:
    """Return the closer of the wrapper of a call with this opener; empty if the closer is undetermined."""
    if not opener.endswith(">"):
        return ""
    for begin, end in (("start", "end"), ("begin", "end"), ("prefix", "suffix")):
        if begin in opener:
            return opener.replace(begin, end)
    if re.fullmatch(r"<[^<>|]+>|<ifm\|\w+>", opener) is not None:
        return f"</{opener[1:]}"
    return ""


WRAPPERS: Final = {opener: closer for opener in _LOWER if (closer := _closer(opener))}
"""The closer of each opener of a wrapper, in lower case."""

_RAW: Final = ("<|tool_call>", "<start_function_call>")
"""The openers of dialects whose values have no escapes, and whose calls have brackets."""

_START: Final = "<|start|>assistant"
_MESSAGE: Final = late(
    r"(?:<\|channel\|>\w{0,16}[ \t]{0,4}(?:<\|constrain\|>\w{0,16})?)?[ \t]{0,4}" + r"(?:<(?:\|(?:\w{0,9}(?:\||\|>)?)?)?)?",
    re.IGNORECASE,
)
"""Matches the header of a message that is no call, after its start, or a beginning of that header."""

_OF_FILES: Final = ("<bolt", "*** Begin Patch", "<<<<<")
"""The beginnings of the openers of dialects that carry files: the text of a file is not inside the brackets of a call."""
