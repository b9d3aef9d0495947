"""The comparison of a correction with a text that could not be read: letter by letter.

Values, names and brackets follow each other in the text, so every letter of the text has to be accounted for. Only commas,
colons and quotes may be wrong.

Rule 1: a value is found after its name, or in its list, from its beginning to its end.
Rule 2: between two values are only the names and brackets that lead from one to the other.
Rule 3: if two places could be the place of a value, neither counts.
Rule 4: a value that spans a place where quotes or brackets leave two readings does not count as found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..fixes.brackets import are_doubled, ends_too_late, lacks_an_object
from ..fixes.lines import has_one_line, names_one_line
from ..fixes.strings import escapes_apostrophes, escapes_some_quotes, has_a_quote_by_code
from ..fixes.swallowed import ends_with_a_member, leaves_a_fence_open
from ..running.toolset import Toolset
from ..schema.fields import split
from ..toolset.tool import Risk, Tool
from ..values.call_keys import ENVELOPES, NAME_KEYS, PATH_KEY, TOOL_KEY, TOOL_KEYS
from ..values.characters import CONTROL
from ..values.issues import JsonPath
from .origin import Drifts, Origin, may_be_empty, with_item
from .values import LITERALS, NUMBER, may_be_several, same, spells

_QUOTES: Final = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’"}
_QUOTE: Final = "[\"'`“”‘’]"
_MOST_WORK: Final = 20_000
"""Limit: the steps of a comparison, besides eight for each character. Past it the correction is refused."""

_LONGEST_NUMBER: Final = 300
"""Limit: digits of a number. A longer run is compared as text: a double holds no more than about 309 before its point."""

_SPACE: Final = re.compile(r"\s*")
_SEPARATOR: Final = rf"{_QUOTE}?\s*(?:=>|[:=])\s*"
_BARE: Final = re.compile(r"[^\s,:;{}\[\]()\"'`“”‘’\\]+(?:[ \t]+[^\s,:;{}\[\]()\"'`“”‘’\\]+)*")
_WORD: Final = re.compile(r"[^\s\[\]{}(),:;=>\"'`“”‘’]+")
_ESCAPE: Final = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.|\Z)", re.DOTALL)
_KNOWN: Final = {'"': '"', "'": "'", "/": "/", "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_BRACKET_OR_QUOTE: Final = re.compile(r"[{}\[\]()\x00-\x1f]|" + _QUOTE)
_PYTHON: Final = {**LITERALS, "null": None, "None": None}


@dataclass(frozen=True, slots=True)
class _Span:
    """The place of a value in a text, without its quotes."""

    start: int
    end: int
    path: JsonPath
    containers: str
    """The brackets that are open at this place: those of the call's object, and of values inside it."""


class Text:
    """Compares a correction with a text that could not be read, in which values, names and brackets follow each other.

    So every letter of the text has to be accounted for; only commas, colons and quotes may be wrong.
    """

    __slots__ = (
        "_after", "_known_places", "_name", "_next_member", "_origin", "_taken", "_text", "_tool", "_tools", "_work",
        "invented",
    )  # fmt: skip

    def __init__(self, origin: Origin, tool: Tool, tools: Toolset) -> None:
        self._origin = origin
        self._text = origin.text
        self._tool = tool
        self._tools = tools
        self._after: Mapping[str, Any] = {}
        names = "|".join(map(re.escape, sorted((*tools.fields, TOOL_KEY))))
        # If a name has only a closing quote, the quote that was taken for the end of a value is the opening quote of the name.
        self._name: Final = re.compile(rf"(?:{_QUOTE}(?:{names}){_QUOTE}?|(?:{names}))\s*(?:=>|[:=])")
        self._next_member: Final = re.compile(rf'(,\s*)"(?:{names})"\s*:')
        self._taken: list[_Span] = []
        self._known_places: dict[str, list[int]] = {}
        self._work = 0
        self.invented: list[JsonPath] = []

    def compare(self, after: Mapping[str, Any]) -> None:
        """Compare the correction with the text. Raises Drifts for the first difference."""
        self._after = after
        if self._origin.path is not None and after.get(PATH_KEY, self._origin.path) != self._origin.path:
            raise Drifts((PATH_KEY,))
        # The longest values first, since a text may contain the shorter ones.
        leaves = sorted(_leaves(after, (), "{"), key=lambda leaf: -len(leaf[1]) if isinstance(leaf[1], str) else 0)
        for path, value, containers in leaves:
            self._take(path, value, containers)
            if self._work > _MOST_WORK + 8 * len(self._text):
                raise Drifts(path)  # too many places look like that of this value
        self._take_tool()
        self._account()
        if self._text.lstrip().startswith("{{") and are_doubled(self._text[span.start : span.end] for span in self._taken):
            raise Drifts(())  # the braces of the texts were doubled with those of the block, or before

    def _take(self, path: JsonPath, value: Any, containers: str) -> None:
        """Find the place of a value in the text, and note it. Raises Drifts if there is none."""
        for at in self._places(path):
            self._work += 1
            end = self._end(at, value, path)
            if end is not None:
                quote = 1 if self._text[at] in _QUOTES else 0
                if self._is_free(at + quote, end):
                    self._taken.append(_Span(at + quote, end, path, containers))
                    return
        if value != "" or not may_be_empty(self._tool, path) or any(self._is_free(at, at) for at in self._places(path)):
            raise Drifts(path)
        self.invented.append(path)

    def _is_free(self, start: int, end: int) -> bool:
        return not any(span.start <= end and start <= span.end for span in self._taken)

    def _places(self, path: JsonPath) -> list[int]:
        """Return the places where a value may begin: after its name, or as the next item."""
        if isinstance(path[-1], int):
            mark = r"[\[,]\s*"
        else:
            key = path[-1]
            names = {key, *(alias for alias, to in self._tool.field_aliases.items() if split(to)[-1:] == (key,))}
            mark = rf"(?<!\w){_QUOTE}?(?:{'|'.join(map(re.escape, sorted(names)))}){_SEPARATOR}"
        if mark not in self._known_places:
            ends = [found.end() for found in re.finditer(mark, self._text)]
            self._known_places[mark] = [end for end in ends if end < len(self._text)]
        return self._known_places[mark]

    def _end(self, at: int, value: Any, path: JsonPath) -> int | None:
        """Return where `value` ends if it stands at `at`, as JSON or nearly so; else None."""
        closer = _QUOTES.get(self._text[at])
        if value in ({}, []):
            found = re.compile(r"\{\s*\}" if isinstance(value, Mapping) else r"\[\s*\]").match(self._text, at)
            return found.end() if found is not None else None
        if closer is None:
            return self._bare(at, value, path)
        if isinstance(value, str):
            end = self._read(at + 1, value)
            if end is not None and self._lost_its_quote(at + 1, end):
                return end
            if end is None or self._text[end : end + 1] != closer or not self._ends(end + 1):
                return None
            if leaves_a_fence_open(self._text[at + 1 : end]) or has_a_quote_by_code(self._text[at + 1 : end]):
                return None
            if _may_own_a_backslash(self._text[at + 1 : end], self._text[at]):
                return None
            if CONTROL.search(self._text, at + 1, end) and not (self._may_have_lines(path) and self._ends_in_time(value)):
                return None
            return end if _is_text(self._text[at + 1 : end], closer, item=isinstance(path[-1], int)) else None
        end = self._text.find(closer, at + 1)
        word = self._text[at + 1 : end] if end >= 0 else ""
        if end < 0 or not self._ends(end + 1) or (isinstance(path[-1], int) and may_be_several(word)):
            return None
        return end if spells(word.strip(), value) and not self._would_do(path, word) else None

    def _may_have_lines(self, path: JsonPath) -> bool:
        """Return whether a raw line break in the text at this path may have been meant.

        In the call of a destructive tool none may, whatever the field is named: it may have wrapped `/srv/backup⏎/old`.
        """
        if self._tool.risk is Risk.DESTRUCTIVE:
            return False
        about = self._tool.fields.at(path)
        return not ((about is not None and has_one_line(about)) or names_one_line(path))

    def _ends_in_time(self, text: str) -> bool:
        """Return whether the last line of a text is no member that the correction lacks: the text may end behind one."""
        lacking = {name: about for name, about in self._tool.fields.members.items() if name not in self._after}
        return not ends_with_a_member(text, lacking)

    def _bare(self, at: int, value: Any, path: JsonPath) -> int | None:
        """Return the end of `value` if the text at `at` is this value without quotes; else None."""
        found = _BARE.match(self._text, at)
        if found is None or not self._ends(found.end()):
            return None
        word = found[0]
        number = len(word) <= _LONGEST_NUMBER and NUMBER.fullmatch(word)
        read = _PYTHON[word] if word in _PYTHON else json.loads(word) if number else word
        if isinstance(value, str) and word == value:
            if isinstance(read, str):
                return found.end() if self._tool.risk is not Risk.DESTRUCTIVE else None  # the word may have been cut
            return found.end() if not self._would_do(path, read) else None
        return found.end() if same(read, value) else None

    def _would_do(self, path: JsonPath, written: Any) -> bool:
        """Return whether the schema accepts the value as it was written, so that no issue asks for another type."""
        return not self._tool.compiled.refuses(with_item(self._after, path, written))

    def _read(self, at: int, value: str) -> int | None:
        """Return the end of `value` if the text at `at` spells it, with escapes decoded; else None."""
        text, told = self._text, 0
        while told < len(value):
            stop = text.find("\\", at)
            plain = text[at : min(stop if stop >= 0 else len(text), at + len(value) - told)]
            if not plain:
                escape = _ESCAPE.match(text, at)
                if escape is None:
                    return None
                said = _unescaped(escape[0])
                if not value.startswith(said, told):
                    return None
                at, told = escape.end(), told + len(said)
            elif value.startswith(plain, told):
                self._work += len(plain)
                at, told = at + len(plain), told + len(plain)
            else:
                return None
        return at

    def _ends(self, at: int) -> bool:
        """Return whether a value may end at this place: before a mark, the next field, or the end of the text."""
        space = _SPACE.match(self._text, at)
        assert space is not None
        at = space.end()
        if at >= len(self._text) or self._text[at] in ",}])":
            return True
        return self._name.match(self._text, at) is not None

    def _lost_its_quote(self, start: int, end: int) -> bool:
        """Return whether a string lost only its closing quote: a comma and a whole name follow it, as between other members."""
        if self._tool.risk is Risk.DESTRUCTIVE or start == end or _BRACKET_OR_QUOTE.search(self._text, start, end):
            return False
        behind, said = self._next_member.match(self._text, end), self._text[start:end]
        return behind is not None and f'"{behind[1]}"' in self._text and said.strip() == said

    def _take_tool(self) -> None:
        """Find the one place where the tool is named, and note it. Raises Drifts otherwise."""
        keys = "|".join(map(re.escape, sorted(TOOL_KEYS | NAME_KEYS)))
        found = [
            name
            for name in re.finditer(rf"(?<!\w){_QUOTE}?(?:{keys}){_SEPARATOR}{_QUOTE}?([\w.\-/]+)", self._text)
            if self._is_free(name.start(1), name.end(1))
        ]
        said = {name[1] for name in found} | ({self._origin.tool} if self._origin.tool is not None else set())
        if len(found) != 1 or not all(self._tool in self._tools.possible(name) for name in said):
            raise Drifts((TOOL_KEY,), "tool")
        self._taken.append(_Span(found[0].start(1), found[0].end(1), (TOOL_KEY,), "{"))

    def _account(self) -> None:
        """Check that there are only names and brackets around the values. Raises Drifts otherwise."""
        last = _Span(0, 0, (), "")
        for span in sorted(self._taken, key=lambda span: span.start):
            self._check_gap(last, span)
            last = span
        self._check_end(last)

    def _check_gap(self, last: _Span, span: _Span) -> None:
        """Check that there are only the names of `span`, and the right brackets, between two values. Raises
        Drifts otherwise.
        """
        gap = self._text[last.end : span.start]
        shared = _shared(last.path, span.path) if last.path else 0
        names = [str(step) for step in span.path[shared:] if isinstance(step, str)]
        words = _WORD.findall(gap)
        said = [self._known_as(word) for word in words]
        brackets = re.sub(r"[^{}\[\]]", "", gap)
        level = shared + 1 if last.path else 0
        asked = "".join(_CLOSES[mark] for mark in reversed(last.containers[level:])) + span.containers[level:]
        if span.path[:1] == (TOOL_KEY,) or last.path[:1] == (TOOL_KEY,):
            said = [word for word in said if word not in ENVELOPES or word in names]
            names = [name for name in names if name != TOOL_KEY or name in said]
            fits = brackets in (asked, "{" + asked, asked + "{", "}" + asked, asked + "}")
        else:
            fits = brackets == asked
        item = not brackets and isinstance(span.path[-1], int)
        if not _is_joint(gap, len(words)) or (item and gap.count(",") != 1):
            raise Drifts(span.path)
        if _CLOSED_TOO_EARLY.search(gap) or self._has_a_hole(gap, last, len(words)):
            raise Drifts(span.path)
        if said != names or not fits or not _follows(last.path, span.path, shared):
            raise Drifts(span.path if span.path != (TOOL_KEY,) else ())

    def _check_end(self, last: _Span) -> None:
        """Check that there are only closing brackets after the last value. Raises Drifts otherwise."""
        rest = self._text[last.end :]
        quote = self._text[last.start - 1 : last.start]
        if quote in _QUOTES and not rest.startswith(_QUOTES[quote]):
            raise Drifts(last.path)  # the name of the tool may have continued
        if self._was_cut(rest, last.containers) or self._has_a_hole(rest, last, 0) or _LAST_COMMA.search(rest):
            raise Drifts(last.path)
        closers, due = sum(map(rest.count, "}]")), len(last.containers) + 1
        if (closers < due and ends_too_late(self._after, self._tool.fields)) or (
            closers > due and lacks_an_object(self._after, self._tool.fields)
        ):
            raise Drifts(last.path)
        if _WORD.search(rest) or re.search(r"[{\[]", rest) or len(re.findall(_QUOTE, rest)) > 1:
            raise Drifts(())

    def _was_cut(self, rest: str, containers: str) -> bool:
        """Return whether the text ends before its call does. `rest` is the text after the last value, and `containers` are the
        brackets open there.

        Only the last brace may be missing, and only after a quote or a bracket: any other value might continue. The call of a
        destructive tool might continue too, if the tool takes more members.
        """
        due = "".join(_CLOSES[mark] for mark in reversed(containers))
        found = re.sub(r"[^}\]]", "", rest)
        if found.startswith(due):
            return False
        fields = self._tool.fields
        whole = fields.closed and fields.members.keys() <= self._after.keys()
        if found != due[:-1] or (self._tool.risk is Risk.DESTRUCTIVE and not whole):
            return True
        return not rest.strip() or rest.rstrip().endswith((",", ":"))

    def _has_a_hole(self, gap: str, last: _Span, names: int) -> bool:
        """Return whether an item or a member may be lost in a gap with this number of names, because a comma or colon is left
        over.

        After a number, a second comma may replace a digit. For a destructive tool no mark may be left over.
        """
        if _HOLE.search(gap) or (_TWO_COMMAS.match(gap) and self._text[last.end - 1 : last.end].isdigit()):
            return True
        if self._tool.risk is not Risk.DESTRUCTIVE:
            return False
        return gap.count(",") > 1 or len(_COLON.findall(gap)) > names or re.search(r",\s*[\]}]", gap) is not None

    def _known_as(self, word: str) -> str:
        """Return the tool's own name for a name in the text."""
        home = self._tool.field_aliases.get(word)
        return word if home is None or word in self._tool.fields.members else str(split(home)[-1])


_CLOSED_TOO_EARLY: Final = re.compile(r",\s*\}\s*[^\s,{}\[\]()]")
"""Matches a comma, a brace and the next member without a comma: brace and comma may have changed places, and the member may
belong to the object."""


_HOLE: Final = re.compile(r"[\[{]\s*[,:]|[,:]\s*[,:]\s*[\]}]|,[^\S\n]*\n[^\S\n]*\n\s*[\]}]")
"""Matches marks from which a value may be missing: a comma or colon after an opening bracket, two of them before a closing one,
or a comma, an empty line and a closing bracket."""

_TWO_COMMAS: Final = re.compile(r"\s*,\s*,")
_LAST_COMMA: Final = re.compile(r",\s*(?:[\]}]|\Z)")
_COLON: Final = re.compile(r":=|=>|->|[:=]")


def _is_joint(gap: str, names: int) -> bool:
    """Return whether a gap has only the quotes of the values on both sides and of the names in it.

    So the gap contains no empty string, which would be a value.
    """
    return len(re.findall(_QUOTE, gap)) <= 2 * (names + 1)


_CLOSES: Final = {"{": "}", "[": "]"}


def _follows(last: JsonPath, path: JsonPath, shared: int) -> bool:
    """Return whether the indexes in two paths are in order: an item follows the one before it."""
    here = last[shared] if len(last) > shared else None
    first = here + 1 if isinstance(here, int) else 0
    indexes = [(step, first if at == 0 else 0) for at, step in enumerate(path[shared:]) if isinstance(step, int)]
    return all(step == due for step, due in indexes)


def _is_text(raw: str, quote: str, *, item: bool) -> bool:
    """Return whether a quoted span is one string, and not a value with the text after it.

    Unescaped quotes of its own kind must come in pairs, each of which opens and closes like a quotation. And each escape must
    have one meaning: if other backslashes are no escapes, or the string has raw line ends, an escaped line end is in doubt.
    """
    escapes = [escape[0] for escape in _ESCAPE.finditer(raw)]
    blank = any(escape[1:2] in "ntrbf" for escape in escapes if len(escape) == 2)
    if blank and ("\n" in raw or any(len(escape) == 2 and escape[1] not in _KNOWN for escape in escapes)):
        return False
    bare = _ESCAPE.sub(lambda escape: ("x" if _unescaped(escape[0]).isalnum() else "_") * len(escape[0]), raw)
    marks = [at for at, char in enumerate(bare) if char == quote and not _INSIDE.match(bare, at - 1 if at else at)]
    if len(marks) % 2 or (item and marks):
        return False
    return all(
        _opens(bare, at) if index % 2 == 0 else not bare[at + 1 : at + 2].isalnum() and bare[at + 1 : at + 2] != "_"
        for index, at in enumerate(marks)
    )


def _may_own_a_backslash(raw: str, quote: str) -> bool:
    """Return whether a backslash before a quote in a text may belong to the text, since the quotes around the text need no
    escape there.

    JSON has no escape of an apostrophe, and code has; a text in single quotes that escapes some double quotes has a reason.
    """
    if quote == "'":
        return escapes_some_quotes(raw, quote)
    return "\\'" in _ESCAPE.findall(raw) and not escapes_apostrophes(raw)


def takes_in(text: str, source: str) -> bool:
    """Return whether a string with unescaped quotes may have swallowed the text after it in its source."""
    if "'" in text and f"'{text}'" in source and not _is_text(text, "'", item=False):
        return True
    return '"' in text and json.dumps(text, ensure_ascii=False)[1:-1] not in source and not _is_text(text, '"', item=False)


def texts(value: Any) -> Iterator[tuple[JsonPath, str]]:
    """Yield every string in a value, each with its path."""
    return ((path, item) for path, item, _ in _leaves(value, (), "") if isinstance(item, str))


_INSIDE: Final = re.compile(rf"[^\W_]{_QUOTE}[^\W_]")
"""Matches a quote inside a word, as in `it's`, at which no value ends."""


def _opens(text: str, at: int) -> bool:
    """Return whether a quote begins a quotation: it does not follow a word, nor come before a mark that follows values."""
    before, behind = text[:at].rstrip()[-1:], text[at + 1 :].lstrip()[:1]
    near = text[at - 1 : at] if at else ""
    if near.isalnum() or near in ("_", ".", ";", "!", "?", ")", "]", "}") or before == ";":
        return False
    return (behind not in (",", ":", "}", "]", "") or before in ("(", "=", "+")) and text[at + 1 : at + 2] not in ("\n", "\r")


def _unescaped(escape: str) -> str:
    """Return the character of an escape; the escape itself if it is unknown."""
    if escape[1:2] == "u" and len(escape) >= 6:
        read = "".join(chr(int(code, 16)) for code in re.findall("[0-9a-fA-F]{4}", escape.replace("\\u", " ")))
        return read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _KNOWN.get(escape[1:], escape)


def _leaves(value: Any, path: JsonPath, containers: str) -> Iterator[tuple[JsonPath, Any, str]]:
    """Yield each leaf as (path, value, the brackets around it)."""
    if isinstance(value, Mapping | list) and value:
        inside = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, item in inside:
            deeper = "{" if isinstance(item, Mapping) else "[" if isinstance(item, list) else ""
            yield from _leaves(item, (*path, key), containers + (deeper if item else ""))
    elif path:
        yield path, value, containers


def _shared(one: JsonPath, other: JsonPath) -> int:
    """Return how many containers two paths have in common, besides the call itself."""
    count = 0
    while count < min(len(one), len(other)) - 1 and one[count] == other[count]:
        count += 1
    return count
