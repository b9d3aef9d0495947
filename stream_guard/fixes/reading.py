"""Makes values of the tokens that `reader.py` has read, and records the place of each string and each edit.

The search in `reader.py` follows one way through a body and notes a step for each thing that it reads. `put_together` makes
values of these steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from ..values.surrogates import joined
from .catalogue import fixes_where, leaving
from .lines import names_a_long_text
from .strings import Ambiguous, decoded


class Edit(NamedTuple):
    """One fix in a body, and the place that it changes."""

    fix: str
    """The name of the fix in the catalogue."""

    start: int
    """The place of the first character that the fix changes."""

    end: int
    """The place after the last character that the fix changes."""

    path: tuple[str | int, ...] = ()
    """The path of the field that the fix changes."""


class Text(NamedTuple):
    """One string of the body, and its value."""

    start: int
    """The place of the string's first character, after the quote."""

    end: int
    """The place after the string's last character: that of the closing quote."""

    says: str
    """The value of the string."""

    path: tuple[str | int, ...] = ()
    """The path of the field that the string is in."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a whole body."""

    values: tuple[Any, ...]
    """The values that were read: several when objects follow each other."""

    edits: tuple[Edit, ...]
    """The fixes that the reading needed, in order."""

    texts: tuple[Text, ...]
    """Every string of the body, keys included."""

    skipped: tuple[tuple[int, int], ...]
    """The spans of literals, comments and prose, whose words are accounted for although they are in no string."""

    callee: str | None
    """The name before a parenthesis that holds the object: `write_file({...})`."""


class NoReading(Exception):
    """Raised when a body has no reading, or several; `why` is the reason."""

    def __init__(self, why: Literal["ambiguous", "broken", "costly"]) -> None:
        super().__init__(why)
        self.why: Final = why


# The steps of a way through a body.


class String(NamedTuple):
    """A step: a string value was read."""

    start: int
    """The place of the string's first character, after the quote."""

    end: int
    """The place after the string's last character."""

    mark: str
    """The quote with which the string begins."""

    plain: bool
    """Whether the string is a name, a path or a choice: short, on one line, without quotes."""

    quotes: int
    """How many unescaped quotes the text of the string holds."""

    item: bool
    """Whether the string is an item of a list."""

    open_keys: bool
    """Whether the object that holds the string may have any key."""

    one_line: bool
    """Whether the schema shows that the string has a single line."""


class Key(NamedTuple):
    """A step: a key was read."""

    start: int
    end: int
    name: str


class Fixed(NamedTuple):
    """A step: a fix was made; `fix` is the name of its row in the catalogue."""

    fix: str
    start: int
    end: int


class Skip(NamedTuple):
    """A step: a text was passed over that is no part of a value."""

    start: int
    end: int


class Open(NamedTuple):
    """A step: an object or an array begins."""

    kind: Literal["{", "["]

    start: int
    """The place of the opening bracket; of a doubled bracket, the second."""


class Close(NamedTuple):
    """A step: the innermost object or array ends."""


class Scalar(NamedTuple):
    """A step: a number, a truth value or null was read."""

    start: int
    word: str


class Join(NamedTuple):
    """A step: the next string continues the last one."""


Step = String | Key | Fixed | Skip | Open | Close | Scalar | Join

LITERALS: Final = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
    "TRUE": True,
    "FALSE": False,
}
"""The words that are literals in JSON or in Python, also in capitals, with the value of each."""

MOST_FIXES: Final = 2_000
"""The most fixes that are made in a body over all its readings, and the most that the kept reading may have."""

_PASSED_OVER: Final = fixes_where(lambda fix: fix.syntax.leaves_out != "nothing")
"""The fixes whose places are accounted for although their words are in no string."""

_LEFT: Final = leaving("left")
"""The fixes where a comma may be left from a member or an item that moved away."""

_QUOTES: Final = ('"', "'", "`", "“", "”")


def put_together(
    body: str, steps: Iterable[Step], unknown: dict[int, set[str]], *, careless: bool, callee: str | None
) -> Reading:
    """Return the reading that these steps make. Raises `Ambiguous` and `NoReading`.

    Args:
        body: The text that was read.
        steps: The steps of the reader, in order.
        unknown: For each string, by its start: the characters after a backslash that make no escape.
        careless: Whether some backslash of the body was not doubled.
        callee: The name of the function that is called with the object.
    """
    builder = _Builder(body, unknown, careless=careless)
    for step in steps:
        builder.take(step)

    return Reading(tuple(builder.roots), tuple(builder.edits), tuple(builder.texts), tuple(builder.skipped), callee)


class _Builder:
    """Builds the values of a reading from its steps."""

    def __init__(self, body: str, unknown: dict[int, set[str]], *, careless: bool) -> None:
        self._body = body
        self._unknown = unknown
        self._careless = careless
        self.roots: list[Any] = []
        self.edits: list[Edit] = []
        self.texts: list[Text] = []
        self.skipped: list[tuple[int, int]] = []
        self._open: list[Any] = []
        self._path: list[str | int] = []
        self._join = False
        self._twice: set[tuple[str | int, ...]] = set()  # the paths of keys that were there before
        self._again: list[tuple[Any, Any]] = []  # each container under a repeated key, and the value that the key had before

    def take(self, step: Step) -> None:
        """Change the values, texts and edits as one step says."""
        match step:
            case String():
                self._put(self._string(step))
            case Key(start, end, name):
                self._path[-1] = name
                self.texts.append(Text(start, end, name, tuple(self._path)))
            case Fixed(fix, start, end):
                self.edits.append(Edit(fix, start, end, tuple(self._path)))
                if fix == "repeated_key":
                    self._twice.add(tuple(self._path))
                if fix in _LEFT and self._open and _ends_twice(self._open[-1]):
                    raise NoReading("ambiguous")
                if fix in _PASSED_OVER:
                    self.skipped.append((start, end))
            case Skip(start, end):
                self.skipped.append((start, end))
            case Open(kind, _):
                value: dict[str, Any] | list[Any] = {} if kind == "{" else []
                self._put(value)
                if self._path and isinstance(self._open[-1], list):
                    self._path[-1] = len(self._open[-1]) - 1  # the path of this item, until it closes
                self._open.append(value)
                self._path.append("" if kind == "{" else 0)
            case Close():
                closed = self._open.pop()
                if self._again and self._again[-1][0] is closed and not _same(*self._again.pop()):
                    raise NoReading("ambiguous")
                self._path.pop()
                if self._path and isinstance(self._open[-1], list):
                    self._path[-1] = len(self._open[-1])
            case Scalar(start, word):
                self.skipped.append((start, start + len(word)))
                self._put(LITERALS[word] if word in LITERALS else number(word))
            case Join():
                self._join = True

    def _string(self, step: String) -> str:
        start, end, mark, plain, quotes, *_ = step
        raw, unknown = self._body[start:end], self._unknown[start]
        if quotes % 2 and (raw.startswith(_QUOTES) or raw.endswith(_QUOTES)):
            raise Ambiguous  # it may be a quote of the text, or the string's own quote written twice
        if mark == "`" and quotes and (raw.startswith("`") or raw.endswith("``")):
            raise Ambiguous  # Markdown has marks of code of two backticks or more: which of them belong to the text is unknown
        path = tuple(self._path)
        long = names_a_long_text(path)
        if len(mark) == 3 and not long and raw.startswith(("\n", "\r\n")):
            raise Ambiguous  # the line break belongs to the text in Python, and to the layout in TOML, Java and Swift
        says, fixes = decoded(raw, mark, plain=plain, quotes=quotes, careless=self._careless, unknown=unknown, long=long)
        says = joined(says)
        self.texts.append(Text(start, end, says, path))
        self.edits.extend(Edit(fix, start, end, path) for fix in sorted(fixes))
        if len(self.edits) > MOST_FIXES:
            raise NoReading("costly")
        return says

    def _put(self, value: Any) -> None:
        if not self._open:
            self.roots.append(value)
            return
        inside, key = self._open[-1], self._path[-1]
        if self._join:
            self._join = False
            if tuple(self._path) in self._twice:
                raise NoReading("ambiguous")
            last = inside[key] if isinstance(inside, dict) else inside[-1]
            if not isinstance(last, str) or not isinstance(value, str):
                raise NoReading("broken")
            inside[key if isinstance(inside, dict) else -1] = joined(last + value)
        elif isinstance(inside, list):
            inside.append(value)
            self._path[-1] = len(inside)
        else:
            if key in inside and isinstance(value, dict | list):
                self._again.append((value, inside[key]))
            elif key in inside and not _same(inside[key], value):
                raise NoReading("ambiguous")
            inside[key] = value


def _ends_twice(value: Any) -> bool:
    """Return whether the last item of a list equals the item before it.

    If a comma follows such an item, it may have been written over another item.
    """
    return isinstance(value, list) and len(value) > 1 and _same(value[-1], value[-2])


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, including types, the spelling of numbers and the order of items."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one.word == other.word if isinstance(one, Spelt) else one == other)


class Spelt(float):
    """A number that keeps its spelling in `word`: `1.10` differs from `1.1` when a text was meant."""

    __slots__ = ("word",)
    word: str


def number(word: str) -> int | float:
    """Return the value of a number as written, as a `Spelt` if it has a fraction or an exponent. Raises `NoReading` if it is
    too long.
    """
    if len(word) > _LONGEST_NUMBER:
        raise NoReading("broken")
    if word != "-0" and not any(char in word for char in ".eE"):
        return int(word)
    spelt = Spelt(word)
    spelt.word = word
    return spelt


def unspelt(value: Any) -> Any:
    """Return a copy of a value with a plain float in place of each `Spelt`, for a validator."""
    if isinstance(value, dict):
        return {key: unspelt(item) for key, item in value.items()}
    if isinstance(value, list):
        return [unspelt(item) for item in value]
    return float(value) if isinstance(value, Spelt) else value


_LONGEST_NUMBER: Final = 300
"""Limit: digits of a number. A double holds no more than about 309 before its point."""
