"""Reads the tokens of a body that is not JSON (quotes, names, numbers, brackets): takes the cheapest reading, or none.

The question that decides a reading is where each string ends. A quote ends one only where the block can go on: before a key, a
closing bracket, the end. Where several quotes could, each is followed in turn, the cheapest first, and only a reading that
accounts for the whole body counts. `reading.py` makes values of the cheapest reading; `doubts.py` and `line_breaks.py` refuse
it if it may be something else.

Rule 1: two readings of the same cost are ambiguous, and ambiguous is no reading.
Rule 2: a string that was cut off is never closed, and nothing is added that the body does not hold.
Rule 3: the work is bounded: by the body's length for one reading, by `STEPS`, `VALUES` and `MOST_FIXES` for all of them.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Literal, NamedTuple, NoReturn

from ..values.log import log
from .catalogue import CATALOGUE
from .doubts import is_doubtful
from .grammar import ANYTHING, Grammar, Node
from .line_breaks import refused_break
from .lines import names_a_text_with_marks
from .reading import (
    LITERALS,
    MOST_FIXES,
    Close,
    Fixed,
    Join,
    Key,
    NoReading,
    Open,
    Reading,
    Scalar,
    Skip,
    Step,
    String,
    put_together,
)
from .remarks import closes, hides, is_wrapper
from .strings import Ambiguous, undoubled, unknown_escapes
from .swallowed import ends_whole

STEPS: Final = 200
"""Limit: choices that are followed before a body counts as unreadable. Readable bodies take a few choices; the most that was
seen is 169."""

DEEPEST: Final = 64
"""Limit: how deep the search follows nesting. The strict parser has its own limit."""

VALUES: Final = 2_000
"""Limit: values that are read, over all branches of the search together."""

AGAIN: Final = 30
"""Limit: members that repeat the one before, over all branches of the search together. A model that repeats a member more often
is in a loop, and what it was about to write is undetermined."""


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of the keys of an object, in sets that several readings share. A reading that continues copies only the small
    ones.
    """

    sets: tuple[frozenset[str], ...] = ()

    def __contains__(self, name: object) -> bool:
        return any(name in names for names in self.sets)

    def with_one(self, name: str) -> _Names:
        """Return these names and one more. A set that is no larger than the set after it is merged into that set."""
        *sets, last = (*self.sets, frozenset((name,)))
        while sets and len(sets[-1]) <= len(last):
            last |= sets.pop()
        return _Names((*sets, last))


class _Frame(NamedTuple):
    """An object, array or parenthesis that is open."""

    kind: str  # { [ (
    closer: str
    node: Node
    below: _Frame | None
    keys: _Names = _Names()
    last: str | None = None  # the name of its last key
    assigned: bool = False  # whether that key was written `key=`
    depth: int = 1

    def behind(self, key: str, *, assigned: bool) -> _Frame:
        """Return the same object after one more key was read."""
        return _Frame(self.kind, self.closer, self.node, self.below, self.keys.with_one(key), key, assigned, self.depth)


def _opened(kind: str, closer: str, node: Node, below: _Frame | None) -> _Frame:
    depth = below.depth + 1 if below is not None else 1
    if depth > DEEPEST:
        raise NoReading("costly")
    return _Frame(kind, closer, node, below, depth=depth)


Trail = tuple[Step, Any] | None  # the last step and the steps before it: branches share those that they have in common

_BLANKS: Final = " \t\r\n"
"""The blanks that JSON allows between tokens."""

_GAP: Final = r"\s\u00a0\u200b-\u200f\u2060\ufeff"  # the blanks and invisible characters that may stand between tokens
_SOLID: Final = frozenset('"{}[],:')
"""Characters that are no blank and begin no comment: nearly always the next character is one of these."""

_SPACE: Final = re.compile(rf"[{_GAP}]*")
"""Matches blanks and invisible characters, or nothing."""

_COMMENT: Final = re.compile(r"(?://|#)([^\n]{0,1000})(?=\n|\Z)|/\*(.{0,1000}?)\*/", re.DOTALL)
"""Matches a comment."""

_KEY: Final = re.compile(
    r"""["“”„«]([^"“”„«»'`\\\n:,{}]{1,80})["“”»]|'([^"“”„«»'`\\\n:,{}]{1,80})'|`([^"“”„«»'`\\\n:,{}]{1,80})`"""
    r"""|([A-Za-z_$][\w$-]{0,79})(["'”]?)"""
)
"""Matches a key: in quotes of any kind, or a word, perhaps with only its closing quote."""

_KEYWORDS: Final = re.compile(r"[ \t\r\n]*([A-Za-z_][\w.-]{0,99})[ \t\r\n]?\((?=\s*[A-Za-z_]\w{0,79}\s?=(?!=))")
"""Matches the beginning of a call with arguments by name: `write_file(path=`."""

_NESTED: Final = re.compile(r"\s*[{\[]\s*[\"{\[}\]]")
"""Matches the beginning of a string that is itself JSON. A string with bare quotes in JSON ends where all its brackets are
closed."""

_SEPARATOR: Final = re.compile(rf"[{_GAP}]*(:=|: ?:(?![{_GAP}]*(?:\x22\x22|:))|:(?![{_GAP}]*:)|=>|=|->)")
"""Matches the sign between a key and its value: `:`, or the sign of another language (`=`, `=>`)."""

_UNCLOSED_KEY: Final = re.compile(r'"([A-Za-z_$][\w$-]{0,79})(?=\s*:)')
"""Matches a key without its closing quote: `"path:`."""

_LINE_ENDS: Final = ("\n", "\r\n")
_BLANK_TEXT: Final = re.compile(r'"\s+"')
"""Matches a string of blanks."""

_LITERAL: Final = re.compile(r"(?:true|false|null|True|False|None)\b|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
"""Matches a literal or a number, as JSON or Python writes it."""

_TRUTH: Final = re.compile(r"(?:TRUE|FALSE)\b")
"""Matches a truth value in capitals. In the place of a text it may be a word."""

_DATE: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?(?=\s*(?:[,}\]]|\Z))"
)
"""Matches a date without quotes, before a comma, a closing bracket or the end."""

_CODE: Final = re.compile(r"0\d{2,19}(?=\s*(?:[,}\]]|\Z))")
"""Matches a code of digits that begins with a zero, before a comma, a closing bracket or the end."""

_OTHER_NUMBER: Final = re.compile(r"(?:\+(?:0|[1-9]\d*)(?:\.\d+)?|[+-]?\.\d*[1-9])(?=\s*(?:[,}\]]|\Z))")
"""Matches the numbers `+3` and `.5`, before a comma, a closing bracket or the end.

`.500` is not matched: the point may have slipped in before 500."""

_TEXT: Final = frozenset({"string"})
_OF_JSON: Final = frozenset({"true", "false", "null"})
_TRUTHS: Final = frozenset({"boolean"})
_NUMBERS: Final = frozenset({"integer", "number"})
_WORD: Final = re.compile(r"[A-Za-z_][\w-]*")
_VALUE: Final = re.compile(r"""["'`“„”«{\[(\d-]|(?:true|false|null|True|False|None)\b""")
"""Matches the beginning of a value."""

_WRONG_CLOSER: Final = re.compile(r"[)\]]\s*\Z")
"""Matches a `)` or `]` that is the last mark of a body."""

_LIST_END: Final = re.compile(r"\n[ \t\r]*\]")
"""Matches the end of a list on a line of its own, as layouts with indents have it."""

_FIRST: Final = re.compile(r"\[\s*\{|\{")
"""Matches the beginning of an object, or of a list of them."""

_STRAY: Final = re.compile(rf"[{_GAP};,)\]}}]*")
"""Matches blanks and marks that may be left over after the outermost value."""

_LINE_MARK: Final = re.compile(r"\s(?:\d+[.:)|]?|[+\-$>|*])\Z")
"""Matches a mark at the end of a text before the object, as of a numbered line or a diff: ` 3.`, ` +`."""

_QUOTED_KEY: Final = re.compile(r"['`]\w{1,80}['`]\s*[:=]")
"""Matches a key in single quotes or backticks, with its separator."""

_LETTER: Final = re.compile(r"[^\W\d_]")
_PROSE: Final = re.compile(r"[^\"{}\[\]]*")


def _ending(ends: str) -> re.Pattern[str]:
    """Return a pattern for the end of a string: one of these marks without a backslash before it, or with two or more."""
    return re.compile(rf"{ends}(?<!(?<!\\)\\{ends})")


_MARKS: Final = {
    **{mark: _ending(mark) for mark in ('"', "'", "`", '"""', "'''")},
    "“": _ending('[”“"]'),
    "«": _ending("[«»]"),
}
"""The pattern of the end of a string, by the mark that the string begins with."""

_MARKS_OF_BOTH: Final = {**_MARKS, '"': _ending('["”]')}
"""The same patterns for a body that has a `”`, where `”` may also end a string that begins with `"`. It is slower: a search for
one sign is fast, and one for two signs is not."""


_COSTS: Final = {name: fix.syntax.cost for name, fix in CATALOGUE.items()}
"""The cost of each fix in a reading. An unescaped quote costs one."""

_UNKNOWN_KEY: Final = 2
"""The cost of a key that the schema does not list."""


def read(body: str, grammar: Grammar, *, most: int = 100) -> Reading:
    """Return the one cheapest reading of a body.

    Raises `NoReading` if there is no such reading, or more than one, or if more than `most` objects follow each other.
    """
    try:
        return _Search(body, grammar, most).run()
    except Ambiguous:
        raise NoReading("ambiguous") from None


_Follows = Literal["end", "closer", "last brace", "wrong closer", "string", "plus", "comma", "key", "object"] | None
"""The texts that may follow a value. `last brace`: a single brace for a doubled one at the end. `string`: another part of a
string in a parenthesis. `key` and `object`: a member or an item without a comma before it."""

_FollowsComma = Literal["end", "comma", "key above", "more"]
"""The texts that may follow a comma. `key above`: the key of a member of the object that holds the list."""


class _Dead(Exception):
    """Raised where the branch that is being followed cannot be completed; the search goes on with another."""


class _Search:
    """The search for the cheapest reading. Open branches are in a heap, cheapest first."""

    def __init__(self, body: str, grammar: Grammar, most: int) -> None:
        self._text = body
        self._most = most  # how many objects may still follow each other, over all branches
        self._end = len(body)
        self._marks = _MARKS_OF_BOTH if "”" in body else _MARKS
        self._grammar = grammar
        self._heap: list[tuple[int, int, tuple[Any, ...]]] = []
        self._order = count()
        self._seen: dict[tuple[int, _Frame | None], int] = {}
        self._before = ""  # the text before the object
        self._callee: str | None = None
        self._marked = False  # whether the line that the object begins in has a mark before it: a number, a sign
        self._read = 0  # the values read, over all branches
        self._made = 0  # the fixes made, over all branches
        self._again = 0  # the members that repeat the one before, over all branches
        self._cost = 0  # the cost of the branch that is being followed
        self._trail: Trail = None  # the steps of that branch

    def run(self) -> Reading:
        """Return the cheapest reading. Raises `NoReading` if two cost the same, or if none is found in `STEPS` steps."""
        keywords = _KEYWORDS.match(self._text)
        if keywords is not None:
            self._callee = keywords[1]
            self._note(Skip(*keywords.span(1)))
            self._note(Open("{", keywords.end() - 1))
            self._wait("members", keywords.end(), _opened("{", ")", self._grammar.call, None))
        else:
            self._wait("value", self._begin(), None, self._grammar.call)
        best: Reading | None = None
        limit = 0
        for _ in range(STEPS):
            if not self._heap or (best is not None and self._heap[0][0] > limit):
                break
            self._cost, _, (trail, what, *rest) = heapq.heappop(self._heap)
            self._trail = trail
            if what == "done":
                if best is not None:
                    raise NoReading("ambiguous")
                best, limit = self._built(), self._cost
                continue
            try:
                self._follow(what, rest)
            except _Dead:
                continue
        else:
            raise NoReading("costly")
        if best is None:
            raise NoReading("broken")
        return best

    # -- the way that is being followed --------------------------------------------------------------------------------

    def _wait(self, *what: Any) -> None:
        """Put the current branch on the heap, with its next state and the arguments of that; it is continued when no cheaper
        branch is left.
        """
        heapq.heappush(self._heap, (self._cost, next(self._order), (self._trail, *what)))

    def _note(self, step: Step) -> None:
        self._trail = (step, self._trail)

    def _mend(self, fix: str, start: int, end: int) -> None:
        self._made += 1
        if self._made > MOST_FIXES:
            raise NoReading("costly")
        self._cost += _COSTS[fix]
        self._note(Fixed(fix, start, end))

    def _follow(self, what: str, rest: list[Any]) -> None:
        """Continue a branch until it ends: by `_Dead`, at a choice that is put on the heap, or at the end of the body."""
        if what == "ends":
            at, frame = self._take(*rest)
        elif what == "value":
            at, frame = self._value(*rest)
        elif what == "members":
            at, frame = self._key(*rest)
        else:
            at, frame = rest
        while True:
            at, frame = self._after(at, frame)

    # -- around the object ---------------------------------------------------------------------------------------------

    def _begin(self) -> int:
        """Pass over prose and a function's name at the beginning, and return the place where the value begins. The text and the
        function's name are kept for later checks.
        """
        text = self._text
        start = self._gap(0)
        if start < self._end and text[start] in "{[":
            return start
        self._trail = None
        found = _FIRST.search(text)
        if found is None:
            raise NoReading("broken")
        start = found.start()
        end, self._callee = _callee(text, start)
        if self._callee is not None:
            end = 0 if text[:end].strip(_BLANKS) == "await" else end  # `await f({...})` of JavaScript and Python
            self._note(Skip(end, start))
        if '"' in text[:end] or hides(text[:end]):
            raise NoReading("broken")
        self._around(0, end)
        self._before = text[:end]
        before = text[text.rfind("\n", 0, start) + 1 : start].strip().rstrip("([")
        self._marked = bool(before) and (_LETTER.search(before) is None or _LINE_MARK.search(before[-9:]) is not None)
        return start

    def _around(self, start: int, end: int) -> None:
        """Pass over the text before or after the object, and record it as the fix `wrapper` or `prose`, unless it is blank."""
        if self._text[start:end].isspace():
            self._pass_blanks(start, end)
        elif start < end:
            wrapper = is_wrapper(self._text[start:end], behind=start > 0)
            self._mend("wrapper" if wrapper else "prose", start, end)

    def _finish(self, at: int) -> tuple[int, _Frame | None]:
        """Read the text after the outermost value: nothing, another object, stray closers or a remark."""
        text = self._text
        stray = _STRAY.match(text, at)
        assert stray is not None
        rest = stray.end()
        left = text[at:rest].strip()
        if not left and text.startswith(".", rest) and not text[rest + 1 :].strip():
            left, rest = ".", self._end  # a full stop that ends a sentence
        if rest < self._end and text[rest] == "{" and left in ("", ",", ";"):  # else a call was lost
            self._most -= 1
            if self._most <= 0:
                raise NoReading("costly")
            self._mend("several_objects", at, rest)
            return self._value(rest, None, self._grammar.call)
        if "," in left and left != ",":
            raise _Dead  # another item was to follow
        if self._before.count("[") - self._before.count("]") > text.count("]", at):
            raise _Dead  # the list that holds the call does not end
        if "[" not in self._before and self._ends_a_lost_list(at, rest):
            raise _Dead
        if left:
            self._mend("extra_closer", at, rest)
        else:
            self._pass_blanks(at, rest)
        if rest < self._end:
            prose = _PROSE.match(text, rest)
            assert prose is not None
            apart = text[rest - 1].isspace() or text[rest] == "<"
            if prose.end() != self._end or not apart or not closes(self._before, text[rest:]):
                raise _Dead
            if left == "," or _QUOTED_KEY.search(text, rest) or text.rstrip().endswith((":", "=", "(")):
                raise _Dead  # members that belong to the object, or another call that was to follow
            self._around(rest, self._end)
        self._wait("done")
        raise _Dead

    def _ends_a_lost_list(self, at: int, rest: int) -> bool:
        """Return whether a list ends after an indented object, as after its last item.

        The beginning of that list is lost, and perhaps its first items.
        """
        text = self._text
        closer = text.rfind("}", 0, at)
        line = text.rfind("\n", 0, closer) + 1
        alone = _LIST_END.search(text, closer, rest)
        return alone is not None and text[line] in " \t" and not text[closer + 1 : at].strip()

    def _gap(self, at: int) -> int:
        """Pass over blanks, invisible characters and comments, and return the place after them. Comments and unusual blanks are
        recorded as fixes.
        """
        text = self._text
        while text[at : at + 1] not in _SOLID:
            blank = _SPACE.match(text, at)
            assert blank is not None
            self._pass_blanks(at, blank.end())
            at = blank.end()
            comment = _COMMENT.match(text, at) if _may_comment(text, at) else None
            if comment is None or _commented_out(comment[1] or comment[2] or "", self._grammar.fields, sure=text[at] == "/"):
                return at
            self._mend("comment", at, comment.end())
            at = comment.end()
        return at

    def _pass_blanks(self, start: int, end: int) -> None:
        """Record the fix `invisible` if there are other blanks between two tokens than those of JSON."""
        if start < end and self._text[start:end].strip(_BLANKS):
            self._mend("invisible", start, end)

    # -- values --------------------------------------------------------------------------------------------------------

    def _value(self, at: int, frame: _Frame | None, node: Node) -> tuple[int, _Frame | None]:
        """Read a value, and return the place where reading continues, with the innermost frame that is open there."""
        text = self._text
        self._read += 1
        if self._read > VALUES:
            raise NoReading("costly")
        at = self._gap(at)
        if at == self._end:
            raise _Dead
        char = text[at]
        if char == "{":
            return self._object(at, frame, node)
        if char == "[":
            return self._array(at, frame, node)
        if char == "(":
            if (frame is not None and frame.kind == "[") or not self._text.startswith(_STRAIGHT, self._gap(at + 1)):
                raise _Dead  # parentheses around a number may mean a minus, as in books
            self._mend("parenthesis", at, at + 1)
            return self._value(at + 1, _opened("(", ")", node, frame), _PIECE)
        if char in "\"'`“„”«":
            return self._string(at, frame, node)
        spelt = self._spelt(at, frame) if node.kinds == _TEXT else None
        if spelt is not None:
            self._mend("bare_word", at, spelt.end())
            self._note(_string(at, spelt.end(), '"', 0, frame, node))
            return spelt.end(), frame
        number = _OTHER_NUMBER.match(text, at) if node.kinds and node.kinds <= _NUMBERS else None
        if number is not None:
            self._mend("number", at, number.end())
            self._note(Scalar(at, number[0]))
            return number.end(), frame
        literal = _LITERAL.match(text, at) or (_TRUTH.match(text, at) if node.kinds == _TRUTHS else None)
        if literal is not None:
            word = literal[0]
            if word in LITERALS and word not in _OF_JSON:
                self._mend("literal", at, literal.end())
            self._note(Scalar(at, word))
            return literal.end(), frame
        bare = _WORD.match(text, at)
        if bare is None or bare[0] not in node.words:
            raise _Dead
        self._mend("bare_word", at, bare.end())
        self._note(_string(at, bare.end(), '"', 0, frame, node))
        return bare.end(), frame

    def _spelt(self, at: int, frame: _Frame | None) -> re.Match[str] | None:
        """Match a text of figures that is no number and lacks its quotes: a date, or a code that begins with a zero; None for
        others.
        """
        if frame is not None and frame.last is not None and not names_a_text_with_marks((frame.last,)):
            code = _CODE.match(self._text, at)
            if code is not None:
                return code
        return _DATE.match(self._text, at)

    def _object(self, at: int, frame: _Frame | None, node: Node) -> tuple[int, _Frame | None]:
        closer = "}"
        if self._text.startswith("{{", at):
            self._mend("doubled_brace", at, at + 2)
            at, closer = at + 1, "}}"
        self._note(Open("{", at))
        return self._key(at + 1, _opened("{", closer, node, frame))

    def _array(self, at: int, frame: _Frame | None, node: Node) -> tuple[int, _Frame | None]:
        """Read the bracket of an array, or of an object that was written with the bracket of an array, and the first thing
        inside it.
        """
        inner = self._gap(at + 1)
        key = _KEY.match(self._text, inner)
        if key is not None and _SEPARATOR.match(self._text, key.end()):
            if frame is not None and (node.lists or not node.members):
                raise _Dead  # a list is allowed here: then the colon may be the slip
            self._mend("square_object", at, at + 1)
            self._note(Open("{", at))
            return self._key(inner, _opened("{", "]", self._grammar.call if frame is None else node, frame))
        self._note(Open("[", at))
        items = node.items or (self._grammar.call if frame is None else ANYTHING)
        array = _opened("[", "]", items, frame)
        if self._text.startswith("]", inner):
            return self._close(inner, array)
        return self._value(inner, array, items)

    def _is_last_brace(self, at: int, frame: _Frame) -> bool:
        """Return whether the last brace of the body is here, a single one that has to close the call with its doubled brace."""
        return frame.below is None and self._text[at] == "}" and not self._text[at + 1 :].strip()

    def _close(self, at: int, frame: _Frame) -> tuple[int, _Frame | None]:
        if frame.kind != "(":
            self._note(Close())
        return at + len(frame.closer), frame.below

    def _key(self, at: int, frame: _Frame) -> tuple[int, _Frame | None]:
        """Read a key with its separator and value, or the end of the object."""
        text = self._text
        at = self._gap(at)
        if text.startswith(frame.closer, at):
            return self._close(at, frame)
        found = _KEY.match(text, at)
        separator = _SEPARATOR.match(text, found.end()) if found is not None else None
        if found is None or separator is None:
            return self._unclosed_key(at, frame)
        group = min(found.lastindex or 1, 4)
        name, start = found[group], found.start(group)
        if not name.isprintable():
            raise _Dead  # a control character slipped into the key: which key it was is unknown
        self._note(Key(start, start + len(name), name))
        if group == 4:
            if name in LITERALS:
                raise _Dead
            if found[5] and not self._one_key(name, frame):
                raise _Dead
            self._mend("key_quote" if found[5] else "bare_key", at, found.end())
        elif text[at] != '"' or text[found.end() - 1] != '"':
            if (text[at] == "«") != (text[found.end() - 1] == "»"):
                raise _Dead  # `«` or `»` may be part of the key
            self._mend("quote_marks", at, found.end())
        self._pass_blanks(separator.start(), separator.start(1))
        if separator[1].endswith("=") and text.startswith(_LINE_ENDS, separator.end()):
            raise _Dead  # a mail program wrapped the line here
        if separator[1] != ":":
            if separator[1] == ": :" and not self._is_no_text(separator.end(), frame.node.at(name)):
                raise _Dead
            self._mend("separator", separator.start(1), separator.end())
        return self._member(at, found.end(), name, separator.end(), frame, assigned=_is_assigned(found, separator))

    def _is_no_text(self, at: int, node: Node) -> bool:
        """Return whether a value begins here with a quote or a bracket, or the schema allows no string here.

        Otherwise the second colon before the value may be the beginning of a string that lost its quotes.
        """
        at = _blank(self._text, at)
        return self._text.startswith(('"', "'", "{", "["), at) or (bool(node.kinds) and "string" not in node.kinds)

    def _one_key(self, name: str, frame: _Frame) -> bool:
        """Return whether a name without its first quote is a key of the object by its schema, and cannot be the end of another
        key.
        """
        members = frame.node.members
        return name in members and not any(other != name and other.endswith(name) for other in members)

    def _unclosed_key(self, at: int, frame: _Frame) -> tuple[int, _Frame | None]:
        """Read a key that lacks its second quote, if the schema lists the key for this object, and then its value."""
        found = _UNCLOSED_KEY.match(self._text, at)
        if found is None or found[1] not in frame.node.members:
            raise _Dead
        separator = _SEPARATOR.match(self._text, found.end())
        if separator is None or separator[1] == ": :" or _BLANK_TEXT.match(self._text, separator.end()):
            raise _Dead  # there are two colons, or one colon slipped into the quotes of the key and a value follows
        self._note(Key(found.start(1), found.end(1), found[1]))
        self._mend("key_quote", at, found.end())
        self._pass_blanks(separator.start(), separator.start(1))
        return self._member(at, found.end(), found[1], separator.end(), frame, assigned=frame.assigned)

    def _is_unclosed(self, at: int, frame: _Frame) -> bool:
        """Return whether the text here is a new key of the object by its schema, which lacks its closing quote."""
        found = _UNCLOSED_KEY.match(self._text, at)
        return found is not None and found[1] in frame.node.members and found[1] not in frame.keys

    def _member(self, at: int, end: int, name: str, value: int, frame: _Frame, *, assigned: bool) -> tuple[int, _Frame | None]:
        """Read the value of the key at `at`, and add the key's name to the frame. A key that repeats the one before is recorded
        as a fix.
        """
        unknown = bool(frame.node.members) and name not in frame.node.members
        if unknown:
            self._cost += _UNKNOWN_KEY
        if name in frame.keys:
            if name != frame.last or _is_record(frame):
                raise _Dead  # the text between two equal keys, or between two records, may be the rest of two objects
            self._again += 1
            if self._again > AGAIN:
                raise NoReading("costly")
            self._mend("repeated_key", at, end)
        frame = frame.behind(name, assigned=assigned)
        node = _UNKNOWN if unknown else frame.node.at(name)
        return self._value(value, frame, node)

    def _follows(self, at: int, frame: _Frame) -> _Follows:
        """Return the kind of text that follows a value at `at`, a place without a blank; None if it is not valid there."""
        text = self._text
        if at == self._end:
            return "end"
        if text.startswith(frame.closer, at):
            return "closer"
        if frame.closer == "}}" and self._is_last_brace(at, frame):
            return "last brace"
        char = text[at]
        if frame.kind == "(":
            return "string" if char in "\"'" else None
        if char in ")]" and frame.below is None and _WRONG_CLOSER.match(text, at) is not None:
            return "wrong closer"
        if char == "+":
            return "plus"
        if char == ",":
            return "comma"
        if frame.kind == "[":
            return "object" if char == "{" else None
        return "key" if (char in _KEY_STARTS or char.isalpha()) and self._known_key(at, frame) else None

    def _follows_comma(self, at: int, frame: _Frame) -> _FollowsComma:
        """Return the kind of text that follows a comma at `at`, a place without a blank."""
        if at == self._end or self._text.startswith(frame.closer, at):
            return "end"
        if self._text[at] == ",":
            return "comma"
        return "key above" if frame.kind == "[" and self._known_above(at, frame) else "more"

    def _after(self, at: int, frame: _Frame | None) -> tuple[int, _Frame | None]:
        """Continue after a value, and return the place and the frame of the next one."""
        at = self._gap(at)
        if frame is None:
            return self._finish(at)
        match self._follows(at, frame):
            case "closer":
                return self._close(at, frame)
            case "comma":
                return self._behind_comma(at, frame)
            case "end" if self._is_forgotten(frame, at):
                return self._complete("missing_bracket", at, at, frame)
            case "wrong closer" if self._is_forgotten(frame, at):
                if self._text[at] == "]" and self._text[:at].rstrip().endswith("]"):
                    raise _Dead  # the bracket may belong to a list around the last list
                return self._complete("wrong_closer", at, at + 1, frame)
            case "last brace":
                self._mend("missing_bracket", at + 1, at + 1)
                return self._close(at, frame._replace(closer="}"))
            case "string" if frame.below is not None and self._is_split(at, frame.below):
                self._note(Join())
                return self._value(at, frame, _PIECE)
            case "plus":
                return self._add(at, frame)
            case "key" if not self._took_the_comma(at) and self._apart(at):
                self._mend("missing_comma", at, at)
                return self._key(at, frame)
            case "object":
                self._mend("missing_comma", at, at)
                return self._value(at, frame, frame.node)
            case _:
                raise _Dead

    def _complete(self, fix: str, start: int, end: int, frame: _Frame) -> NoReturn:
        """End the body with its last brace by this fix, and put that on the heap: it is a reading unless a cheaper one is
        found.
        """
        self._mend(fix, start, end)
        self._close(start, frame)
        self._wait("done")
        raise _Dead

    def _add(self, at: int, frame: _Frame) -> tuple[int, _Frame | None]:
        """Read the next string after a `+`, if the `+` joins two strings."""
        behind = self._gap(at + 1)
        if not self._is_split(behind, frame):
            raise _Dead
        self._mend("concatenation", at, at + 1)
        self._note(Join())
        return self._value(behind, frame, _PIECE)

    def _behind_comma(self, comma: int, frame: _Frame) -> tuple[int, _Frame | None]:
        """Continue after a comma: with the next member or item, or with the end of the list if its bracket was forgotten."""
        text, at = self._text, self._gap(comma + 1)
        while text.startswith(",", at):
            if frame.kind == "[" or text[at - 1] != ",":
                raise _Dead  # an item is missing, or a member between the commas
            self._mend("extra_comma", at, at + 1)
            at = self._gap(at + 1)
        follows = self._follows_comma(at, frame)
        if follows == "end":
            self._mend("trailing_comma", comma, comma + 1)
            return at, frame
        if follows == "key above" and frame.below is not None:
            if text[:comma].rstrip().endswith("]"):
                raise _Dead  # the last item is a list: its bracket may be that of this list, opened twice
            self._mend("list_end", comma, comma)
            self._note(Close())
            return self._key(at, frame.below)
        return self._key(at, frame) if frame.kind == "{" else self._value(at, frame, frame.node)

    def _is_split(self, at: int, frame: _Frame) -> bool:
        """Return whether a text of several lines was divided into strings between its lines: a string ended with a line, and
        another begins here.

        In the middle of a line, the quotes and the marks between them may belong to the text itself.
        """
        trail = self._trail
        while trail is not None and isinstance(trail[0], Fixed):
            trail = trail[1]
        last = trail[0] if trail is not None else None
        if not isinstance(last, String) or last.quotes or frame.kind != "{" or frame.last is None:
            return False
        return "\n" in self._text[last.end : at] or _ENDS_A_LINE.search(self._text, last.start, last.end) is not None

    # -- strings -------------------------------------------------------------------------------------------------------

    def _string(self, at: int, frame: _Frame | None, node: Node) -> tuple[int, _Frame | None]:
        """Read a string up to the first quote that can end it. Later quotes are put on the heap, for when the first one leads
        nowhere.
        """
        three = self._text[at : at + 3]
        mark = three if three in _THREE_QUOTES else self._text[at]
        if mark == '"""' and self._text.startswith('""', at) and self._ends_here(at + 2, frame):
            mark = '"'
        if mark == '"""' and self._text.startswith('"', at + 3) and not self._closes_thrice(at + 4, frame):
            mark = '"'  # the other three quotes begin a docstring
        ends = self._ends(at + len(mark), "“" if mark in "”„" else mark, frame, node)
        first = next(ends, None)
        if first is None:
            raise _Dead
        if mark != '"':
            self._mend("quote_marks", at, at + len(mark))
        return self._take(at + len(mark), mark, frame, node, ends, first, self._cost)

    def _closes_thrice(self, at: int, frame: _Frame | None) -> bool:
        r"""Return whether the next `\"\"\"` can end a string that began with `\"\"\"`; also if there is none."""
        close = self._text.find('"""', at)
        return close < 0 or self._ends_here(close + 3, frame)

    def _take(
        self,
        start: int,
        mark: str,
        frame: _Frame | None,
        node: Node,
        ends: Iterator[tuple[int, int, int]],
        end: tuple[int, int, int],
        base: int,
    ) -> tuple[int, _Frame | None]:
        """End a string at `end`, and put the next place where it may end on the heap."""
        trail = self._trail
        further = next(ends, None)
        if further is not None:
            self._cost = base + further[2]
            self._wait("ends", start, mark, frame, node, ends, further, base)
        at, quotes, cost = end
        self._trail, self._cost = trail, base + cost
        after = at + (len(mark) if mark in _MARKS else 1)
        seen = self._seen.setdefault((after, frame), self._cost)
        if seen < self._cost:
            raise _Dead
        if mark == '"' and self._text[at] != mark:
            self._mend("quote_marks", at, after)
        self._note(_string(start, at, mark, quotes, frame, node))
        if cost and self._heap and self._heap[0][0] < self._cost:
            self._wait("after", after, frame)
            raise _Dead
        return after, frame

    def _ends(self, start: int, mark: str, frame: _Frame | None, node: Node) -> Iterator[tuple[int, int, int]]:
        """Yield every quote that may end a string.

        Each is yielded with the number of unescaped quotes before it, and the cost of ending the string there. The search stops
        where the string must have ended: at a line break in a plain string, at the beginning of another item of the list, or at
        a quote that would need an escape inside the string.
        """
        text = self._text
        in_a_list = frame is not None and frame.kind == "["
        quotes, after, depth = 0, start, 0
        pairs, counted = 0, start  # the typographic quotes that are open, and up to where they were counted
        next_item, looked = _NEXT_TAKEN, start  # what shows another item, and where it may begin
        nested = mark == '"' and not node.plain and _NESTED.match(text, start) is not None
        while (found := self._next_mark(mark, after)) is not None and found[0] != "«":
            if nested and quotes % 2 == 0:
                part = text[after : found.start()]
                depth += part.count("{") + part.count("[") - part.count("}") - part.count("]")
            at, after = found.span()
            is_typographic = mark == '"' and found[0] == "”"
            has_a_line_break = node.plain and "\n" in text[start:at]
            if has_a_line_break or (in_a_list and next_item.search(text, looked, at)):
                return
            if at - looked > _FAR:
                looked = _mark_before(text, at, start)
            if is_typographic:
                for opened in _PAIRED.finditer(text, counted, at):
                    pairs += -1 if opened[0] == "”" else 1
                is_open, pairs, counted = pairs > 0, pairs - 1, after
                if is_open:
                    continue  # the quote closes a pair inside the text
            is_inside = nested and quotes and (quotes % 2 or depth)  # whether the quote is inside the JSON that the text holds
            if not is_inside and self._ends_here(after, frame):
                yield at, quotes, quotes + is_typographic
                if node is _UNKNOWN:
                    return
            if mark == "«":
                return  # a text that contains such marks has several possible ends
            ends_a_pair = quotes % 2 and text[at] == text[after : after + 1]  # the item then ends at the next quote
            if in_a_list and not ends_a_pair and text.startswith((",", *_QUOTES), _blank(text, after)):
                return  # the item ends here, or its end is unknown
            needs_an_escape = node.plain or (node is _PIECE and found[0] != "”")
            if needs_an_escape:
                return  # nothing after this place can be the end
            quotes += mark != '"' or found[0] == '"'
            if quotes and next_item is _NEXT_TAKEN:
                next_item, looked = _NEXT_NEAR, start

    def _next_mark(self, mark: str, at: int) -> re.Match[str] | None:
        """Return the next mark that ends the string and is not escaped: an even number of backslashes precedes it."""
        text, start = self._text, at
        while (found := self._marks[mark].search(text, at)) is not None:
            at = found.start()
            before = at
            while before > start and text[before - 1] == "\\":
                before -= 1
            if (at - before) % 2 == 0:
                return found
            at += 1
        return None

    def _ends_here(self, at: int, frame: _Frame | None) -> bool:
        """Return whether the block can continue from here, by a look at the next step only. The search itself looks further."""
        at = _blank(self._text, at)
        if frame is None or _may_comment(self._text, at):
            return True
        follows = self._follows(at, frame)
        if follows == "comma":
            at = _blank(self._text, at + 1)
            return _may_comment(self._text, at) or self._goes_on(at, frame)
        if follows == "plus":
            return self._text.startswith(('"', "'", "`"), _blank(self._text, at + 1))
        # Without a comma before it, an object may be part of the text that seemed to end; so may a `«`.
        return follows is not None and follows != "object" and not self._text.startswith("«", at)

    def _goes_on(self, at: int, frame: _Frame) -> bool:
        """Return whether the block can continue at this place, which is after a comma."""
        if self._follows_comma(at, frame) != "more":
            return True
        if frame.kind == "[":
            return _VALUE.match(self._text, at) is not None
        return self._key_at(at, frame) is not None or self._is_unclosed(at, frame)

    def _is_forgotten(self, frame: _Frame | None, end: int) -> bool:
        """Return whether all that is missing at the end is the last brace, after a string, a list or an object.

        After a number its last digits may be missing too, and after a comma, or without two braces, more was to come: then the
        answer is False.
        """
        if frame is None or frame.kind != "{" or frame.closer != "}" or frame.below is not None:
            return False
        last = self._text[:end].rstrip()[-1:]
        if last in ("}", "]"):
            return True
        step = self._trail[0] if self._trail is not None else None
        if last not in _QUOTES or not isinstance(step, String):
            return False
        raw = self._text[step.start : step.end]
        return not raw.rstrip().endswith(("}", "]")) if step.plain else ends_whole(raw, escaping='\\"' in self._text)

    def _known_above(self, at: int, frame: _Frame) -> bool:
        """Return whether the key here is one that the schema lists for the object that holds this list."""
        return frame.below is not None and frame.below.kind == "{" and self._known_key(at, frame.below)

    def _known_key(self, at: int, frame: _Frame) -> bool:
        """Return whether the key here is one that the schema lists for this object, which lacks it: then only the comma before
        it is missing.
        """
        key = self._key_at(at, frame)
        if key is None:
            return False
        name = key[min(key.lastindex or 1, 4)]
        return name not in frame.keys and name in frame.node.members

    def _key_at(self, at: int, frame: _Frame) -> re.Match[str] | None:
        """Match the key here, if a separator follows it; None for anything else.

        `key=` is a key only if the earlier keys were written so: otherwise it is an attribute of HTML, or an argument in code.
        """
        key = _KEY.match(self._text, at)
        separator = _SEPARATOR.match(self._text, key.end()) if key is not None else None
        if key is None or separator is None or (_is_assigned(key, separator) and not frame.assigned):
            return None
        return key

    def _apart(self, at: int) -> bool:
        """Return whether a key without a comma before it is whole, and separate from the value before it.

        Otherwise more than a comma was lost: the end of the value, or the beginning of the key.
        """
        text = self._text
        apart = text[at - 1].isspace()
        if text[at] in _QUOTES or text[at] == "„":
            return apart or not text[at - 1].isalnum()
        key = _KEY.match(text, at)
        return apart and key is not None and not key[5]

    def _took_the_comma(self, at: int) -> bool:
        """Return whether the string before the missing comma ends with a comma, or with the mark that was written for it.

        Then the comma, or the blank after it, slipped into the string, and the quote that seemed to end the string begins the
        next key.
        """
        trail = self._trail
        while trail is not None and isinstance(trail[0], Fixed):
            trail = trail[1]
        string = trail[0] if trail is not None else None
        if not isinstance(string, String):
            return False
        start, end = string.start, string.end
        tail = self._text[max(start, end - _NEAR) : end]
        return _COMMA_TAKEN.search(tail) is not None or (at == end + 1 and tail[-1:].isspace())

    # -- what was read -------------------------------------------------------------------------------------------------

    def _built(self) -> Reading:
        """Return the reading of the branch that reached the end. Raises `NoReading` if it is doubtful."""
        steps = list(_steps(self._trail))[::-1]
        unknown: dict[int, set[str]] = {}
        careless = False
        for step in steps:
            if isinstance(step, String):
                raw = self._text[step.start : step.end]
                unknown[step.start] = unknown_escapes(raw, step.mark)
                careless = careless or undoubled(raw, step.quotes, unknown[step.start], plain=step.plain)
        if is_doubtful(self._text, steps, self._grammar.fields, self._grammar.outer, careless=careless):
            raise NoReading("ambiguous")
        reading = put_together(self._text, steps, unknown, careless=careless, callee=self._callee)
        refused = refused_break(self._text, steps, reading, marked=self._marked)
        if refused is not None:
            log.debug("a raw line break of a block is refused (%s): %s", refused.name, refused.why)
            raise NoReading("ambiguous")
        return reading


def _is_assigned(key: re.Match[str], separator: re.Match[str]) -> bool:
    """Return whether a key without quotes has an equals sign after it."""
    return key[4] is not None and not key[5] and separator[1] == "="


def _is_record(frame: _Frame) -> bool:
    """Return whether an object is an item of a list that is itself a value.

    An item of the outermost list is a call, which begins with its tool.
    """
    return frame.below is not None and frame.below.kind == "[" and frame.below.below is not None


def _string(start: int, end: int, mark: str, quotes: int, frame: _Frame | None, node: Node) -> String:
    item = frame is not None and frame.kind == "["
    return String(start, end, mark, node.plain, quotes, item, frame is None or frame.node.open, node.plain or node.one_line)


def _steps(trail: Trail) -> Iterator[Step]:
    while trail is not None:
        yield trail[0]
        trail = trail[1]


_PIECE: Final = Node()
"""The node of a part of a string that is written as a sum (`"a" + "b"`). All quotes inside such a part are escaped."""

_ENDS_A_LINE: Final = re.compile(r"\\(?<!\\\\)(?:\\\\)*n\Z")
"""Matches an escaped line break at the end of a string."""

_QUOTES: Final = ('"', "'", "`", "“", "”")
_STRAIGHT: Final = ('"', "'")
_THREE_QUOTES: Final = ('"""', "'''")
_PAIRED: Final = re.compile(r"[“„”]")
_KEY_STARTS: Final = frozenset({*_QUOTES, "„", "«", "_", "$"})
_COMMA_TAKEN: Final = re.compile(r"""[,;:，：；、]\s*(?:["'`“”]\s*)?\Z|["'`“”]\s*[^\w\s]{1,3}\s*\Z""")
"""Matches the end of a string that took in a comma, or another mark in its place."""

_NEXT_TAKEN: Final = re.compile(r"""["'`“”]\s*[,;:.]\s*["'`“”]""")
"""Matches the end of one item and the beginning of the next, inside a string of a list: `", "`."""

_NEXT_NEAR: Final = re.compile(r"""[,;:.]\s*["'`“”]|["'`“”]\s*[,;:.]""")
"""Matches a comma and a quote beside it. In a text with bare quotes that is enough to show another item."""


_FAR: Final = 500
"""The most characters that are searched again for each quote."""


def _mark_before(text: str, at: int, start: int) -> int:
    """Return the earliest place where a match of `_NEXT_TAKEN` or `_NEXT_NEAR` may begin that contains the quote at `at`."""
    for _ in range(2):
        while at > start and text[at - 1].isspace():
            at -= 1
        at = max(start, at - 1)
    return at


_NEAR: Final = 80
"""The number of characters at the end of a string that are searched for a comma."""

_UNKNOWN: Final = Node()
"""The node of a value under a key that no tool has. A string as such a value ends at the first quote that can end it."""


_COMMENT_MARKS: Final = frozenset("/#")


def _may_comment(text: str, at: int) -> bool:
    """Return whether a comment may begin here: at the beginning, or after a blank or an opening mark. So `"#fff"` and
    `"//host"` are none.
    """
    if text[at : at + 1] not in _COMMENT_MARKS:
        return False
    return text.startswith(("//", "/*", "#"), at) and (at == 0 or text[at - 1].isspace() or text[at - 1] in "{[,")


_VALUES: Final = re.compile(r"""[\s\d"'`“”„{}\[\](),:;.+-]|(?:true|false|null|True|False|None)\b(?!\s+\w)""")
"""Matches the beginning of a comment that may be a value or a mark of the block."""

_MARK: Final = re.compile(r"[\"“”\\]")
"""Matches a mark of which a comment that hides nothing has an even number."""

_MEMBER: Final = re.compile(r"""["'“”]\s*(?:[:=]|=>)|[:{\[(]\s*\Z""")
"""Matches a member, or an open bracket at the end."""

_GOES_ON: Final = re.compile(r",\s*\Z")


def _commented_out(comment: str, fields: Container[str], *, sure: bool) -> bool:
    """Return whether a comment may hold a part of the block: a stray mark may have hidden it, or a text may have lost its
    quote.

    `sure` is whether two marks begin the comment (`//`); a single one may have slipped in.
    """
    said = comment.strip(" \t\r\n*")
    if "\\" in said or len(_MARK.findall(said)) % 2 or not (said or sure):
        return True
    first = _WORD.match(said)
    if first is not None and first[0] in fields:
        return True  # a member that lost its quotes
    hidden = _VALUES.match(said) or _MEMBER.search(said) or (not sure and _GOES_ON.search(said))
    return bool(said and hidden)


def _callee(text: str, end: int) -> tuple[int, str | None]:
    """Return where the name of the called function begins, and that name with its dots, if its parenthesis ends at `end`; else
    `end` and None.
    """
    first = max(0, end - _LONGEST_CALLEE)
    head = text[first:end].rstrip(_BLANKS)
    if not head.endswith("("):
        return end, None
    head = head[:-1].rstrip(_BLANKS)
    start = len(head)
    while start > 0 and (head[start - 1].isalnum() or head[start - 1] in "_.-:"):
        start -= 1
    return (first + start, head[start:]) if start < len(head) else (end, None)


_LONGEST_CALLEE: Final = 200
"""The most characters before a parenthesis that are read for the name of a function."""


def _blank(text: str, at: int) -> int:
    if text[at : at + 1] in _SOLID:
        return at
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()
