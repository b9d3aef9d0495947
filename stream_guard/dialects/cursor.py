"""`Cursor`: follows a JSON body as it grows: its depth, open strings, completeness, and shallow keys and strings as they
close.

The cursor reads strict JSON with one exception: a raw newline in a string is skipped, because models write them, and the
cursor only has to know whether the string is still open. A `lenient` cursor also accepts two faults that leave no doubt about
strings, for dialects that have no closer. It decides nothing. It stops with a `signal` where its caller has to decide: where a
line begins that may be a fence, where a shallow key or string closes, where the value is complete, and where the body stops
being JSON.

Rule 1: each character is read once (a short simple member, or the beginning of a string, at most twice), in runs, by patterns
that cannot backtrack.
Rule 2: memory does not grow with the body: only the open containers and one short string are kept.
Rule 3: after `broken`, nothing is reported about strings; a wrong guess is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from enum import Enum, auto
from json.decoder import scanstring  # type: ignore[attr-defined]  # the one that json.loads uses; its stub forgets it
from typing import Final, Literal, TypeAlias

from ..values.call_keys import ARGUMENT_KEYS, AnySpelling
from ..values.late import late

_ARGUMENTS: Final = AnySpelling(ARGUMENT_KEYS)

MAX_STRING: Final = 4096
"""The length of the longest string that is reported. Names and paths are shorter; the contents of files are longer, and not
kept twice."""

LARGE: Final = 4096
"""The number of characters of a string that are searched for its closing quote, and read by a pattern if no quote is certain.
The rest is tried with the standard library's scanner first."""

WINDOW: Final = 65_536
"""The most characters that are given to that scanner at a time, since its error counts the lines of all of them."""

SHALLOW: Final = 4
"""The number of containers around a string up to which the string is reported: `[{"function": {"arguments": {"path": ...`."""

# A newline that certainly begins no fence: the first character of the line was received, and is no fence character; it may be
# the end of the line. All others are left to the scanner. The bound on blanks keeps the look-ahead short.
_SAFE_LINE: Final = r"(?:\r\n?+|\n)[ \t]{0,64}+(?=[^ \t`~])"
_PLAIN_LINE: Final = r"(?:\r\n?+|\n)[ \t]{0,64}+(?=[^ \t`~<\[◁])"
"""A pattern for such a newline before a character that cannot begin reasoning either, which is allowed after a whole value."""
_SPACE: Final = rf"[ \t]*+(?:{_SAFE_LINE})?+"
_SHORT: Final = r'"[^"\\\r\n]{0,64}+"'
_ATOM: Final = rf"(?:{_SHORT}|-?[0-9][0-9.eE+-]{{0,32}}+|true|false|null)"
_MEMBER: Final = rf"{_SHORT}{_SPACE}:{_SPACE}{_ATOM}{_SPACE}"
_ITEM: Final = rf"{_ATOM}{_SPACE}"
# A small container without others in it. Lists of such containers are read in one run.
_FLAT: Final = (
    rf"(?:\{{{_SPACE}(?:{_MEMBER}(?:,{_SPACE}{_MEMBER}){{0,8}}+)?+\}}|\[{_SPACE}(?:{_ITEM}(?:,{_SPACE}{_ITEM}){{0,8}}+)?+\])"
)

# The parts of a call: short keys, and strings as their values, of which only the beginning may be short enough.
_TEXT: Final = r'([^"\\\r\n]{0,64}+)"'
_KEY_AHEAD: Final = re.compile(rf"(?:{_SPACE}\"{_TEXT})?+")
_NEXT_KEY: Final = late(rf"(?:{_SPACE},{_SPACE}\"{_TEXT})?+")
_TEXT_AHEAD: Final = re.compile(rf"(?:{_SPACE}:{_SPACE}\"(?:{_TEXT})?+)?+")
_NEXT_MEMBER: Final = re.compile(rf"(?:{_SPACE},{_SPACE}\"{_TEXT}({_SPACE}:{_SPACE}\"(?:{_TEXT})?+)?+)?+")

_BLANK: Final = frozenset(" \t\r\n")
_SKIP: Final = re.compile(rf"(?:[ \t]*+{_PLAIN_LINE})*+[ \t]*+")
_IN_STRING: Final = re.compile(rf'[^"\\\r\n]*+(?:(?:\\[^\r\n]|{_SAFE_LINE})[^"\\\r\n]*+)*+')
_IN_SCALAR: Final = late(r'[^ \t\r\n,:"\[\]{}]*+')
_IN_RUBBLE: Final = late(rf"[^\r\n]*+(?:{_PLAIN_LINE}[^\r\n]*+)*+")
_MEMBERS: Final = rf"(?:{_SPACE}{_SHORT}{_SPACE}:{_SPACE}(?:{_ATOM}|{_FLAT}){_SPACE},)*+"
_MEMBERS_AHEAD: Final = re.compile(rf"{_MEMBERS}(?:{_SPACE}\"{_TEXT}({_SPACE}:{_SPACE}\"(?:{_TEXT})?+)?+)?+")
_ELEMENTS: Final = late(rf"(?:{_SPACE}(?:{_ATOM}|{_FLAT}){_SPACE},)*+")
_WATCHED_ELEMENTS: Final = late(rf"(?:{_SPACE}{_ITEM},)*+")


Broken: TypeAlias = Literal["root", "syntax", "depth"]
"""Why a body is not JSON: it does not begin as JSON, has a fault further on, or nests too many containers."""


class Signal(Enum):
    """The reason why the cursor stopped before the end of its input."""

    LINE = auto()
    """A line has begun whose first character is a fence character, or has not been received yet."""

    KEY = auto()
    """A shallow key has closed: `path` ends with it."""

    STRING = auto()
    """A shallow string value has closed: `path` leads to it, and `text` is its text."""

    COMPLETE = auto()
    """The value is complete."""

    BROKEN = auto()
    """The body is not JSON; `broken` is the reason."""


# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for with every token.
LINE, KEY, STRING, COMPLETE, BROKEN = Signal


class _Mode(Enum):
    ROOT = auto()  # nothing was read yet
    FIRST_KEY = auto()  # a key or the end of the object is due
    KEY = auto()  # a key is due, after a comma
    COLON = auto()
    VALUE = auto()
    FIRST_VALUE = auto()  # a value or the end of the array is due
    AFTER = auto()  # a comma or the end of the container is due
    STRING = auto()
    SCALAR = auto()
    DONE = auto()  # the value is whole; another one may follow
    RUBBLE = auto()  # the text is not JSON any more

    __hash__ = object.__hash__  # that of Enum is written in Python, and every token needs one


_ROOT, _FIRST_KEY, _KEY, _COLON, _VALUE, _FIRST_VALUE, _AFTER, _STRING, _SCALAR, _DONE, _RUBBLE = _Mode  # as above


class Cursor:
    """Follows one JSON body as it grows."""

    __slots__ = (
        "_collect",
        "_dull",
        "_is_key",
        "_keys",
        "_mode",
        "_near",
        "_size",
        "_stack",
        "_word",
        "broken",
        "complete",
        "deep",
        "escaped",
        "keys",
        "lenient",
        "loose",
        "max_depth",
        "path",
        "signal",
        "text",
        "through",
        "watch",
        "whole_once",
    )

    def __init__(self, max_depth: int = 64, through: Container[object] | None = None) -> None:
        self.max_depth = max_depth
        self.through = through
        """The keys under which strings are reported; None for all keys."""
        self.signal: Signal | None = None
        """The reason why the last `feed` stopped; None if it read everything."""
        self.complete = False
        """Whether the value read so far is complete, and nothing follows it."""
        self.whole_once = False
        """Whether a complete value was read, even if more text followed."""
        self.broken: Broken | None = None
        """Why the body is not JSON; None if it is JSON so far."""
        self.path: tuple[str, ...] = ()
        """The keys that lead to the key or string of the last signal. Arrays add none."""
        self.text: str | None = None
        """The text of the string of the last signal; None if it was too long to keep, or had an invalid escape."""
        self.watch = True
        """Whether keys and strings are reported. False after the first call; the caller may set it to False earlier."""
        self.keys = True
        """Whether keys are reported besides strings. The caller may set it to False."""
        self.deep = False
        """Whether a call goes on after an object in a list of arguments: its name may follow the arguments."""
        self.lenient = False
        """Whether a comma before a closing bracket, `True` and `False` are accepted: with them the ends of strings are still
        certain."""
        self.loose = False
        """Whether one of these was read. Then the text is no JSON, but the ends of its strings are certain."""
        self._mode = _ROOT
        self._stack: list[bool] = []  # the open containers: True for an object, False for an array
        self._keys: list[str | None] = []  # the current key of each open container
        self._dull = 0  # how many containers are open inside a container in which nothing is reported
        self._near = True  # whether this depth may belong to a call or its arguments
        self._collect: list[str] | None = None
        self._size = 0
        self._is_key = False
        self._word = ""  # the rest of a Python word that is due
        self.escaped = False
        """Whether the text so far ends with the backslash of an escape in a string."""

    @property
    def depth(self) -> int:
        """The number of open containers."""
        return len(self._stack)

    @property
    def brackets(self) -> tuple[int, int]:
        """Return how many arrays are open, and how many objects."""
        return self._stack.count(False), self._stack.count(True)

    @property
    def empty(self) -> bool:
        """Whether only blanks were read so far."""
        return self._mode is _ROOT

    @property
    def in_string(self) -> bool:
        """Whether a string is open."""
        return self._mode is _STRING

    @property
    def key(self) -> str | None:
        """The key whose value is being read; None if there is none, and inside a key."""
        return self._keys[-1] if self._keys and not (self.in_string and self._is_key) else None

    @property
    def in_key(self) -> bool:
        """Whether the open string is a key."""
        return self.in_string and self._is_key

    def feed(self, text: str, pos: int, end: int) -> int:
        """Read on from `pos`, and return where reading stopped. `signal` is the reason if that is before `end`."""
        self.signal = None
        while pos < end and self.signal is None:
            pos = _READERS[self._mode](self, text, pos, end)
        return pos

    def skip(self, pieces: list[str], size: int, *, escaped: bool) -> None:
        """Take text that ends nothing in the open string. `escaped` says that the text ends with the backslash of an escape."""
        self.escaped = escaped
        if self._collect is not None:
            self._size += size
            if self._size > MAX_STRING:
                self._collect = None
            else:
                self._collect += pieces

    # Between strings and scalars: a member is read ahead if it can be, and else the next sign alone.

    def _behind_key(self, text: str, pos: int, end: int) -> int:
        found = _TEXT_AHEAD.match(text, pos, end)
        assert found is not None
        after, value = found.end(), found[1]
        if after == pos:
            return self._structure(text, pos, end)
        if value is None:
            return self._begin_text(after)
        self._mode = _AFTER
        if self.watch and self._near:
            self._report(STRING, value)
        return after

    def _behind_value(self, text: str, pos: int, end: int) -> int:
        if not self._stack[-1]:
            return self._structure(text, pos, end)
        if self.watch and self._near:
            return self._key_ahead(_NEXT_KEY, text, pos, end) if self.keys else self._members(_NEXT_MEMBER, text, pos, end)
        if text[pos] != ",":
            return self._structure(text, pos, end)
        self._mode = _KEY
        return self._members(_MEMBERS_AHEAD, text, pos + 1, end)

    def _before_key(self, text: str, pos: int, end: int) -> int:
        if self.watch and self._near:
            return self._key_ahead(_KEY_AHEAD, text, pos, end)
        return self._members(_MEMBERS_AHEAD, text, pos, end)

    def _before_value(self, text: str, pos: int, end: int) -> int:
        if self._mode is _FIRST_VALUE or not self._stack[-1]:
            after = _end(_WATCHED_ELEMENTS if self.watch and self._near else _ELEMENTS, text, pos, end)
            if after > pos:
                self._mode = _VALUE
                pos = after
        return self._structure(text, pos, end)

    def _key_ahead(self, pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
        """Read a short key in one step."""
        found = pattern.match(text, pos, end)
        assert found is not None
        key = found[1]
        if key is None:
            return self._structure(text, pos, end)
        self._keys[-1] = key
        self._mode = _COLON
        if self.keys:
            self._report(KEY, key)
        return found.end()

    def _members(self, pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
        """Read members whose keys are not reported in one step, and what is here of the next one, if it has a text."""
        found = pattern.match(text, pos, end)
        assert found is not None
        after = found.end()
        key, begun, value = found.groups()
        if key is None:
            if after > pos:
                self._mode = _KEY
            return self._structure(text, after, end)
        self._keys[-1] = key if self._near else None
        if begun is None:
            self._mode = _COLON
        elif value is not None:
            self._mode = _AFTER
            if self.watch and self._near:
                self._report(STRING, value)
        else:
            closed = -1 if self.watch and self._near else _quote_that_ends(text, after, end)
            if closed < 0:
                return self._begin_text(after)
            self._mode = _AFTER
            return closed + 1
        return after

    def _begin_text(self, pos: int) -> int:
        """Open a string that is a member's value, and whose opening quote ends here."""
        self._mode = _VALUE
        return self._open_string(pos - 1)

    def _structure(self, text: str, pos: int, end: int) -> int:
        """Read one sign, after the blanks before it."""
        if pos == end:
            return pos
        char = text[pos]
        if char in _BLANK:
            pos = _end(_SKIP, text, pos, end)
            if pos == end:
                return pos
            char = text[pos]
        if char == "\n" or char == "\r":
            return self._line(text, pos, end)
        mode = self._mode
        step = _STEPS[mode].get(char)
        if step is None and self.lenient:
            step = _LENIENT.get((mode, char))
            if char == "]" and self._stack[-1]:
                step = None  # a value is missing after a colon
            self.loose = self.loose or step is not None
        if step is None:
            self._break("root" if mode is _ROOT else "syntax")
            return pos
        return step(self, pos)

    def _report(self, signal: Signal, text: str | None) -> None:
        """Set the signal for a shallow key or string that has closed."""
        keys = self._keys
        self.path = tuple([key for key in keys if key is not None]) if None in keys else tuple(keys)  # type: ignore[arg-type]
        self.text = text
        self.signal = signal

    def _line(self, text: str, pos: int, end: int) -> int:
        self.signal = LINE
        return pos + 2 if text[pos] == "\r" and pos + 1 < end and text[pos + 1] == "\n" else pos + 1

    def _rubble(self, text: str, pos: int, end: int) -> int:
        pos = _end(_IN_RUBBLE, text, pos, end)
        return self._line(text, pos, end) if pos < end else pos

    def _break(self, why: Broken) -> None:
        self.broken = why
        self.complete = False
        self._mode = _RUBBLE
        self.signal = BROKEN

    # The string that is open.

    def _open_string(self, pos: int) -> int:
        self._is_key = self._mode in (_KEY, _FIRST_KEY)
        self._mode = _STRING
        wanted = self._near and (self._is_key or (self.watch and self._stack[-1]))
        self._collect = [] if wanted else None
        self._size = 0
        return pos + 1

    def _string(self, text: str, pos: int, end: int) -> int:
        start = pos
        if self.escaped:
            self.escaped = False
            if text[pos] not in "\r\n":
                pos += 1
        pos = _string_end(text, pos, end)
        if pos == end:
            self._take(text, start, pos)
            return pos
        char = text[pos]
        if char == '"':
            self._take(text, start, pos)
            self._close_string()
            return pos + 1
        if char == "\\":  # the rest of the escape is not here yet, or a raw newline follows the backslash
            self.escaped = pos + 1 == end
            after = pos + 1
        else:
            after = self._line(text, pos, end)
        self._take(text, start, after)
        return after

    def _take(self, text: str, start: int, stop: int) -> None:
        if self._collect is not None:
            self._size += stop - start
            if self._size > MAX_STRING:
                self._collect = None
            else:
                self._collect.append(text[start:stop])

    def _close_string(self) -> None:
        collected, self._collect = self._collect, None
        text = None if collected is None else unescape("".join(collected))
        if self._is_key:
            self._keys[-1] = text
            self._mode = _COLON
        else:
            self._mode = _AFTER
        if self.watch and self._near and self._stack[-1] and (self.keys or not self._is_key):
            self._report(KEY if self._is_key else STRING, text)

    # Everything else.

    def _open_object(self, pos: int) -> int:
        return self._open(True, _FIRST_KEY, pos)

    def _open_array(self, pos: int) -> int:
        return self._open(False, _FIRST_VALUE, pos)

    def _open(self, is_object: bool, mode: _Mode, pos: int) -> int:
        if len(self._stack) >= self.max_depth:
            self._break("depth")
            return pos
        if self._dull or (self.through is not None and self._stack and self._stack[-1] and self._keys[-1] not in self.through):
            self._dull += 1
        self._stack.append(is_object)
        self._keys.append(None)
        self._near = not self._dull and len(self._stack) <= SHALLOW
        self._mode = mode
        self.complete = False
        return pos + 1

    def _close_object(self, pos: int) -> int:
        return self._close(True, pos)

    def _close_array(self, pos: int) -> int:
        return self._close(False, pos)

    def _close(self, is_object: bool, pos: int) -> int:
        if self._stack[-1] is not is_object:
            self._break("syntax")
            return pos
        self._stack.pop()
        self._keys.pop()
        if self._dull:
            self._dull -= 1
        self._near = not self._dull and len(self._stack) <= SHALLOW
        if not self._stack:
            self._mode = _DONE
            self.complete = self.whole_once = True
            self.watch = False
            self.signal = COMPLETE
        else:
            self._mode = _AFTER
            if is_object and not self._stack[-1] and self.watch and self._near and not (self.deep and self._in_arguments()):
                self.watch = False  # the first call of several is over; the others are not reported
        return pos + 1

    def _in_arguments(self) -> bool:
        return any(key in _ARGUMENTS for key in self._keys if key is not None)

    def _comma(self, pos: int) -> int:
        self._mode = _KEY if self._stack[-1] else _VALUE
        return pos + 1

    def _colon(self, pos: int) -> int:
        self._mode = _VALUE
        return pos + 1

    def _scalar(self, pos: int) -> int:
        self._mode = _SCALAR
        return pos + 1

    def _true(self, pos: int) -> int:
        self._mode, self._word = _SCALAR, "rue"
        return pos + 1

    def _false(self, pos: int) -> int:
        self._mode, self._word = _SCALAR, "alse"
        return pos + 1

    def _in_scalar(self, text: str, pos: int, end: int) -> int:
        if self._word:
            return self._in_word(text, pos, end)
        pos = _end(_IN_SCALAR, text, pos, end)
        if pos < end:
            self._mode = _AFTER
        return pos

    def _in_word(self, text: str, pos: int, end: int) -> int:
        """Read on in a Python word, and return the place after it. Any other word is a fault."""
        while pos < end and self._word:
            if text[pos] != self._word[0]:
                self._break("syntax")
                return pos
            self._word, pos = self._word[1:], pos + 1
        self._mode = _SCALAR if self._word else _AFTER
        return pos

    def _pass(self, pos: int) -> int:
        return pos + 1


_OPENERS: Final = {"{": Cursor._open_object, "[": Cursor._open_array}
_VALUES: Final = {**_OPENERS, '"': Cursor._open_string, **dict.fromkeys("-0123456789tfnNI", Cursor._scalar)}
_STEPS: Final = {
    _ROOT: _OPENERS,
    _FIRST_KEY: {'"': Cursor._open_string, "}": Cursor._close_object},
    _KEY: {'"': Cursor._open_string},
    _COLON: {":": Cursor._colon},
    _VALUE: _VALUES,
    _FIRST_VALUE: {**_VALUES, "]": Cursor._close_array},
    _AFTER: {",": Cursor._comma, "}": Cursor._close_object, "]": Cursor._close_array},
    _DONE: {**_OPENERS, ",": Cursor._pass, ";": Cursor._pass},
}
_READERS: Final[dict[_Mode, Callable[[Cursor, str, int, int], int]]] = {
    _ROOT: Cursor._structure,
    _FIRST_KEY: Cursor._before_key,
    _KEY: Cursor._before_key,
    _COLON: Cursor._behind_key,
    _VALUE: Cursor._before_value,
    _FIRST_VALUE: Cursor._before_value,
    _AFTER: Cursor._behind_value,
    _STRING: Cursor._string,
    _SCALAR: Cursor._in_scalar,
    _DONE: Cursor._structure,
    _RUBBLE: Cursor._rubble,
}
"""The method that reads on in each mode."""

_LENIENT: Final = {
    (_KEY, "}"): Cursor._close_object,
    (_VALUE, "]"): Cursor._close_array,
    **{(mode, "T"): Cursor._true for mode in (_VALUE, _FIRST_VALUE)},
    **{(mode, "F"): Cursor._false for mode in (_VALUE, _FIRST_VALUE)},
}
"""The characters that a lenient cursor also accepts, by mode, each with its step."""


def _end(pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
    found = pattern.match(text, pos, end)
    assert found is not None  # every pattern here matches the empty string
    return found.end()


def _string_end(text: str, pos: int, end: int) -> int:
    """Return the place where the open string ends, a line begins that may be a fence, or the text ends."""
    at = _quote_that_ends(text, pos, end)
    if at >= 0:
        return at
    window = LARGE
    stop = min(pos + window, end)
    at = _end(_IN_STRING, text, pos, stop)
    while at > stop - _LONGEST_STOP and stop < end:  # the string continues, or the window was too small to see what follows
        stop = min(at + window, end)
        window = min(2 * window, WINDOW)
        # The standard library's own scanner is four times as fast as a pattern. It fails at the first character it does not
        # accept; then the pattern is used. A quote after the window keeps it from failing at the window's end.
        try:
            read = int(scanstring(f'{text[at:stop]}"', 0)[1]) - 1
        except ValueError:
            at = _end(_IN_STRING, text, at, stop)
        else:
            at += read
            if at < stop:
                return at
    return at


def _quote_that_ends(text: str, pos: int, end: int) -> int:
    """Return where the open string ends if that is near, its first quote ends it, and no line ends before that; else -1."""
    stop = pos + LARGE
    if stop > end:  # `min` costs as much as the search
        stop = end
    at = text.find('"', pos, stop)
    if at < 0 or text[at - 1] == "\\" or text.find("\n", pos, at) >= 0 or text.find("\r", pos, at) >= 0:
        return -1
    return at


_LONGEST_STOP: Final = 128
"""The fewest characters from which the pattern knows where to stop: an escape, or the first blanks of a line."""


def unescape(written: str) -> str | None:
    """Return the text of a JSON string, given the characters between its quotes; None if these are not valid."""
    if "\\" not in written:
        return written
    try:
        text, end = scanstring(f'{written}"', 0, False)
    except ValueError:
        return None
    return str(text) if end > len(written) else None


# Whole characters of a JSON string as written. A high surrogate counts only when the text after it was received.
_CERTAIN: Final = late(
    r"(?:[^\\]++|\\[\"\\/bfnrt]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}"
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[0-9a-fA-F]{4}|(?=[^\\]|\\[^u])))*+"
)
_SHORT_ESCAPES: Final = {
    "": "", '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
"""The character that a backslash and another character stand for; the empty string if that other is still to come."""

_LONGEST_ESCAPE: Final = 12
"""The length of the longest escape, a surrogate pair. A longer rest can never be decoded."""


class Decoder:
    """Decodes a JSON string piece by piece. Text that was returned is final."""

    __slots__ = ("dead", "rest")

    def __init__(self) -> None:
        self.rest = ""
        """The part of an escape whose end is still to come."""
        self.dead = False
        """Whether an invalid escape was read: nothing after it is decoded."""

    def feed(self, written: str) -> str:
        """Decode the next piece, and return as much text as is certain."""
        if self.dead:
            return ""
        if self.rest:
            written = self.rest + written
        before, mark, behind = written.partition("\\")
        if not mark:
            return written
        says, left = _SHORT_ESCAPES.get(behind[:1]), behind[1:]
        if says is not None and "\\" not in left:  # one escape, whole or cut: most pieces with escapes
            self.rest = "" if says else mark
            return before + says + left
        whole = unescape(written) if "\\u" not in written and written[-1] != "\\" else None  # such escapes may be cut
        if whole is not None:
            self.rest = ""
            return whole
        stop = _end(_CERTAIN, written, 0, len(written))
        self.rest = written[stop:]
        self.dead = len(self.rest) >= _LONGEST_ESCAPE
        return unescape(written[:stop]) or ""
