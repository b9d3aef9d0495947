"""`Members`: reads the arguments of a call while their JSON grows, and reports each change.

It reads strict JSON, and raw line breaks in strings because models write them. The changes are a list of `Preview`s: in order,
decoded, never taken back. Each member is also given to a judge, as written, once the next key shows where the member ended.

Rule 1: each character is read once. Text and blanks are read in runs.
Rule 2: where the body stops being JSON, or a key comes twice, reading ends: a wrong change is worse than none.
Rule 3: text is sent as soon as it is certain: an escape or half a surrogate pair may need the next delta.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from ..dialects.call import Envelope
from ..dialects.cursor import Decoder, unescape
from ..values.call_keys import ARGUMENT_KEYS, CALL_EXTRAS, ENVELOPES, NAME_KEYS, TOOL_KEY
from ..values.issues import ValidationIssue, pointer
from ..values.late import late
from ..values.preview import Preview, View
from ..values.quick import quick

MOST_JUDGED: Final = 16_384
"""The longest member that is judged while a call is written, in characters. Longer members are mostly the texts of files."""

LONGEST_SCALAR: Final = 64
"""The longest number or word; reading ends at a longer one."""

LONGEST_KEY: Final = 4_096
"""The longest key; reading ends at a longer one."""

JudgeMember = Callable[[str, str, str], tuple[ValidationIssue, ...]]
"""A function that is given a key, its value as written and the next key, and returns the issues for which the call cannot pass
any more."""

_preview: Final = quick(Preview)

_BLANKS: Final = re.compile(r"[ \t\r\n]*+")
_TEXT: Final = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_SCALAR: Final = re.compile(r"[-+.0-9A-Za-z]*+")
_NUMBER: Final = late(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: Final = {"true": True, "false": False, "null": None}
_HALF: Final = late(r"[\ud800-\udfff]")


class _Mode(Enum):
    ROOT = auto()
    FIRST_KEY = auto()
    KEY = auto()
    IN_KEY = auto()
    COLON = auto()
    VALUE = auto()
    FIRST_ITEM = auto()
    AFTER = auto()
    STRING = auto()
    SCALAR = auto()
    OVER = auto()

    __hash__ = object.__hash__  # that of Enum is written in Python, and every token needs one


class _Role(Enum):
    VALUE = auto()  # an argument, or part of one
    ARGUMENTS = auto()  # an object whose members are the arguments
    CALL = auto()  # an object that names a tool: its members are the arguments, or one member holds the arguments
    CALLS = auto()  # an array of such objects, of which only the first is read


# In Python 3.11 a member of an Enum takes 0.2 us to find, a global next to nothing; these are asked for with every token.
_ROOT, _FIRST_KEY, _KEY, _IN_KEY, _COLON, _VALUE, _FIRST_ITEM, _AFTER, _STRING, _IN_SCALAR, _OVER = _Mode
_PART, _ARGUMENTS, _CALL, _CALLS = _Role


class _Frame:
    """An open object or array."""

    __slots__ = ("count", "key", "keys", "pointer", "role", "view")

    def __init__(self, role: _Role, pointer: str, view: View | None, *, is_object: bool) -> None:
        self.role = role
        self.pointer = pointer
        self.view = view
        """The members of the object or array that are shown; None if none is."""
        self.keys: set[str] | None = set() if is_object else None
        """The keys so far; None for an array."""
        self.key = ""
        self.count = 0
        """How many items of an array have begun."""


class Members:
    """Reads the arguments of one call, and reports each change.

    Args:
        view: The arguments that are shown.
        max_depth: The deepest nesting that is read.
        envelope: Where in the text the arguments are.
        judge: Returns the issues of an argument, for a call in the plain form; None if arguments are not judged.
    """

    __slots__ = (
        "_apart",
        "_decoder",
        "_envelope",
        "_escaped",
        "_frames",
        "_judge",
        "_last",
        "_max_depth",
        "_mode",
        "_opened",
        "_pieces",
        "_pointer",
        "_shown",
        "_since",
        "_size",
        "_top",
        "_view",
        "_written",
        "changes",
        "failing",
    )

    def __init__(self, view: View, max_depth: int, *, envelope: Envelope = "plain", judge: JudgeMember | None = None) -> None:
        self.changes: list[Preview] = []
        """The changes that were not sent yet. The sender must remove them."""
        self.failing: tuple[ValidationIssue, ...] = ()
        """The issues for which the call cannot pass any more."""
        self._view: Final = view
        self._max_depth: Final = max_depth
        self._envelope: Final[Envelope] = envelope
        self._judge = judge
        self._mode = _ROOT
        self._frames: list[_Frame] = []
        self._top: set[str] = set()  # the names of the arguments that were shown
        self._apart = False  # whether the members beside the tool are certainly no arguments, or perhaps none
        self._pointer = ""  # the pointer of the open string or scalar
        self._shown = False  # whether that string or scalar is shown
        self._opened = False  # whether its `open` change was made
        self._escaped = False  # whether the last piece ended with the backslash of an escape
        self._decoder = Decoder()
        self._pieces: list[str] = []  # the open key or scalar as written, or the text of the open string that was not sent yet
        self._size = 0  # the number of characters of the open key or scalar, or of the argument that is being read
        self._last: tuple[str, str] | None = None  # the key and the written value of the last argument
        self._written: list[str] | None = None  # pieces of the current argument, as written; None if it is not judged
        self._since = 0  # where that argument begins in the current text

    @property
    def shows(self) -> bool:
        """Whether a string is open whose text is shown."""
        return self._shown and self._mode is _STRING

    def show(self, text: str, escaped: bool) -> tuple[Preview, ...]:
        """Return the changes of a text that ends nothing and has no half of a surrogate pair. All earlier changes must have
        been sent.

        `escaped` is whether the text ends with the backslash of an escape. Without a string that is shown, there are no
        changes.
        """
        shown, shows = text, self._shown
        if "\\" in text or self._decoder.rest:
            shown, self._escaped = self._decoded(text), escaped
            if self._decoder.dead:
                self.end()
        if self._written is not None:
            self._since = 0
            self._keep(text, len(text))
        return (_preview("text", self._pointer, shown),) if shown and shows else ()

    def settle(self) -> None:
        """Stop judging members, because the end of the call is uncertain after this place."""
        self._judge = self._written = self._last = None

    def feed(self, text: str) -> int:
        """Read a text, adding to `changes` and `failing`. Returns how many characters were read: all, or those before the
        failure.
        """
        pos, end = 0, len(text)
        self._since = 0
        if self.shows and not (self._escaped or self._decoder.rest or '"' in text or "\\" in text or _HALF.search(text)):
            self._pieces.append(text)  # most text: the inside of a long string
            pos = end
        while pos < end and self._mode is not _OVER:
            pos = _STEPS[self._mode](self, text, pos, end)
            if self.failing and self._judge is not None:
                self.settle()
                break
        else:
            pos = end
        if self._mode is _STRING and self._shown:
            self._send()
        if self._written is not None:
            self._keep(text, pos)
        return pos

    # -- structure -----------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Stop reading, because the text that follows is uncertain."""
        self._mode = _OVER
        self._shown = False
        self.settle()
        self._frames.clear()

    def _end(self, end: int) -> int:
        self.end()
        return end

    def _root(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if char in " \t\r\n":
            return _blanks(text, pos, end)
        if char == "{":
            return self._push(_Frame(_CALL, "", self._view, is_object=True), pos, end)
        if char == "[" and self._envelope != "none":
            return self._push(_Frame(_CALLS, "", None, is_object=False), pos, end)
        return self._end(end)

    def _push(self, frame: _Frame, pos: int, end: int) -> int:
        if len(self._frames) >= self._max_depth:
            return self._end(end)
        self._frames.append(frame)
        self._mode = _FIRST_ITEM if frame.keys is None else _FIRST_KEY
        return pos + 1

    def _before_key(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if char in " \t\r\n":
            return _blanks(text, pos, end)
        if char == '"':
            self._mode = _IN_KEY
            self._pieces, self._size = [], 0
            return pos + 1
        if char == "}" and self._mode is _FIRST_KEY:
            return self._pop(text, pos)
        return self._end(end)

    def _in_key(self, text: str, pos: int, end: int) -> int:
        stop = self._string_stop(text, pos, end)
        self._pieces.append(text[pos:stop])
        self._size += stop - pos
        if self._size > LONGEST_KEY:
            return self._end(end)
        if stop == end:
            return stop
        key, frame = unescape("".join(self._pieces)), self._frames[-1]
        self._pieces = []
        assert frame.keys is not None
        if key is None or key in frame.keys or _HALF.search(key):
            return self._end(end)
        frame.keys.add(key)
        frame.key = key
        self._mode = _COLON
        return stop + 1

    def _colon(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if char in " \t\r\n":
            return _blanks(text, pos, end)
        if char != ":":
            return self._end(end)
        self._mode = _VALUE
        if self._last is not None and self._judge is not None and len(self._frames) == 1:
            (key, written), self._last = self._last, None
            self.failing = self._judge(key, written, self._frames[-1].key)
        return pos + 1

    def _before_value(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if char in " \t\r\n":
            return _blanks(text, pos, end)
        frame = self._frames[-1]
        if char == "]" and self._mode is _FIRST_ITEM:
            return self._pop(text, pos)
        role, at, view = self._place(frame, char)
        if self._judge is not None and len(self._frames) == 1 and frame.keys is not None and frame.key != TOOL_KEY:
            self._written, self._since, self._size = [], pos, 0
        if char == "{" or char == "[":
            if view is not None and role is _PART:
                self.changes.append(_preview("open", at, {} if char == "{" else []))
            return self._push(_Frame(role, at, view, is_object=char == "{"), pos, end)
        shown = view is not None and (view.shows_text if char == '"' else view.whole)
        self._pointer, self._shown, self._opened = at, shown and role is _PART, False
        self._pieces = []
        if char == '"':
            self._mode = _STRING
            if self._shown:
                self._decoder = Decoder()
            return pos + 1
        if char not in "-0123456789tfn":
            return self._end(end)
        self._mode = _IN_SCALAR
        return pos

    def _place(self, frame: _Frame, char: str) -> tuple[_Role, str, View | None]:
        """Return the role of the value that begins with this character, its pointer, and the view of it."""
        if frame.keys is None:
            frame.count += 1
            if frame.role is _CALLS:
                return (_CALL if char == "{" else _PART), "", self._view if char == "{" else None
            number = frame.count - 1
            return _PART, f"{frame.pointer}/{number}", frame.view.item(number) if frame.view is not None else None
        key, view = frame.key, frame.view
        if frame.role is _CALL and self._envelope != "none":
            declared, plain = self._view.declares(key), self._envelope == "plain"
            if self._envelope == "keyed":
                return (_ARGUMENTS, "", self._view) if char == "{" else (_PART, "", None)
            if not declared and char in "{[" and key in ENVELOPES and not (plain and not self._view.closed):
                role = _CALLS if char == "[" else _ARGUMENTS if key in ARGUMENT_KEYS else _CALL
                self._apart = self._apart or self._envelope == "dialect"
                return role, "", self._view
            if self._envelope == "dialect" and key in CALL_EXTRAS and not self._top:
                self._apart = True  # until an envelope comes, this member may be an argument or not
            if self._apart or key == TOOL_KEY or (not plain and (not declared or key in NAME_KEYS)):
                return _PART, "", None
        if view is None:
            return _PART, "", None
        if frame.role is not _PART:
            if key in self._top:
                return _PART, "", None
            self._top.add(key)
        return _PART, frame.pointer + pointer((key,)), view.member(key)

    def _after(self, text: str, pos: int, end: int) -> int:
        char = text[pos]
        if char in " \t\r\n":
            return _blanks(text, pos, end)
        is_object = self._frames[-1].keys is not None
        if char == ",":
            self._mode = _KEY if is_object else _VALUE
            return pos + 1
        if char == ("}" if is_object else "]"):
            return self._pop(text, pos)
        return self._end(end)

    def _pop(self, text: str, pos: int) -> int:
        frame = self._frames.pop()
        if frame.view is not None and frame.role is _PART:
            self.changes.append(_preview("close", frame.pointer))
        if not self._frames or (frame.role is _CALL and self._frames[-1].role is _CALLS):
            return self._end(len(text))
        return self._ended(text, pos + 1)

    def _ended(self, text: str, pos: int) -> int:
        """Note that a value has ended before this position, and return the position. A whole argument is kept to be judged."""
        self._mode = _AFTER
        if len(self._frames) == 1:
            written, self._written = self._keep(text, pos), None
            if written is not None:
                self._last = (self._frames[-1].key, "".join(written))
        return pos

    def _keep(self, text: str, stop: int) -> list[str] | None:
        """Keep the text of an argument up to `stop`, and return all its pieces; None if the argument is not judged, or is too
        long for that.
        """
        written = self._written
        if written is not None:
            written.append(text[self._since : stop])
            self._size += stop - self._since
            self._since = stop
            if self._size > MOST_JUDGED:
                self._written = written = None
        return written

    # -- strings and scalars -------------------------------------------------------------------------------------------

    def _string_stop(self, text: str, pos: int, end: int) -> int:
        """Return the position of the quote that ends the open string, or `end` if there is none."""
        if self._escaped:
            self._escaped = False
            pos += 1
        found = _TEXT.match(text, pos, end)
        assert found is not None
        stop = found.end()
        if stop < end and text[stop] == "\\":
            self._escaped = True
            return end
        return stop

    def _string(self, text: str, pos: int, end: int) -> int:
        stop = self._string_stop(text, pos, end)
        if self._shown:
            new, decoder = self._decoded(text[pos:stop]), self._decoder
            if new:
                self._pieces.append(new)
            # The rest of an escape at the end of a string is a broken escape, or half of a surrogate pair.
            if decoder.dead or (stop < end and decoder.rest):
                self._send()
                return self._end(end)
        if stop == end:
            return stop
        if self._shown:
            if self._opened:
                self._send()
                self.changes.append(_preview("close", self._pointer))
            else:
                self.changes.append(_preview("value", self._pointer, "".join(self._pieces)))
        return self._ended(text, stop + 1)

    def _decoded(self, written: str) -> str:
        """Return the part of the open string that may be shown now. Nothing is shown behind half of a character."""
        text = self._decoder.feed(written)
        half = None if text.isascii() else _HALF.search(text)
        if half is None:
            return text
        self._decoder.dead = True
        return text[: half.start()]

    def _send(self) -> None:
        """Add the text of the open string that was not sent yet to the changes."""
        if not self._opened:
            self._opened = True
            self.changes.append(_preview("open", self._pointer, ""))
        if self._pieces:
            self.changes.append(_preview("text", self._pointer, "".join(self._pieces)))
            self._pieces = []

    def _scalar(self, text: str, pos: int, end: int) -> int:
        found = _SCALAR.match(text, pos, end)
        assert found is not None
        stop = found.end()
        self._pieces.append(text[pos:stop])
        if sum(map(len, self._pieces)) > LONGEST_SCALAR:
            return self._end(end)
        if stop == end:
            return stop
        word = "".join(self._pieces)
        if word not in _WORDS and not _NUMBER.fullmatch(word):
            return self._end(end)
        value = _WORDS[word] if word in _WORDS else json.loads(word)
        if isinstance(value, float) and not math.isfinite(value):
            return self._end(end)
        if self._shown:
            self.changes.append(_preview("value", self._pointer, value))
        return self._ended(text, stop)


def _blanks(text: str, pos: int, end: int) -> int:
    found = _BLANKS.match(text, pos, end)
    assert found is not None
    return found.end()


_STEPS: Final[dict[_Mode, Callable[[Members, str, int, int], int]]] = {
    _Mode.ROOT: Members._root,
    _Mode.FIRST_KEY: Members._before_key,
    _Mode.KEY: Members._before_key,
    _Mode.IN_KEY: Members._in_key,
    _Mode.COLON: Members._colon,
    _Mode.VALUE: Members._before_value,
    _Mode.FIRST_ITEM: Members._before_value,
    _Mode.AFTER: Members._after,
    _Mode.STRING: Members._string,
    _Mode.SCALAR: Members._scalar,
}
