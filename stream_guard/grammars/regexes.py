"""Reads the `pattern` of a schema into nodes over the characters of the string.

What a grammar cannot express raises `Unsupported`: looking around or back, word boundaries, and classes whose characters
depend on the engine.
"""

from __future__ import annotations

from typing import Final

from .nodes import ANY, EMPTY, Chars, Node, Seq, alt, chars, many, of, other, seq

_DIGITS: Final = chars((48, 57))
_WORD: Final = chars((48, 57), (65, 90), (95, 95), (97, 122))
_BLANKS: Final = chars(
    (9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F),
    (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
"""The characters that `\\s` matches in a pattern of JSON Schema. The set must be complete: `[^\\s]` would accept a missing one,
which the schema refuses."""

_LINE: Final = other(ANY, of("\n\r\u2028\u2029"))
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": _BLANKS, "S": other(ANY, _BLANKS)}
_CHARACTERS: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_PLAIN: Final = frozenset("^$\\.*+?()[]{}|/-,:;=!<>@#%&~`'\"_ ")
_MOST: Final = 1_000
"""Limit: the repetitions in a pattern; a tenth of it limits the nesting of groups. Each costs a state."""


class Unsupported(ValueError):
    """Raised for a pattern that no grammar can express."""


def read(pattern: str) -> Node:
    """Return the node of all texts in which a pattern is found. Raises Unsupported for a pattern that no grammar
    can express.
    """
    return _Reader(pattern).read()


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._text: Final = pattern
        self._at = 0
        self._depth = 0

    def read(self) -> Node:
        made: list[Node] = []
        while True:
            begins = self._takes("^")
            body = self._sequence()
            ends = self._takes("$")
            before, behind = EMPTY if begins else many(ANY), EMPTY if ends else many(ANY)
            made.append(seq(before, body, behind))
            if self._at == len(self._text):
                return alt(*made)
            if not self._takes("|"):
                raise Unsupported(f"{self._text[self._at]!r} is at a place where a grammar cannot express it")

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _takes(self, text: str) -> bool:
        found = self._text.startswith(text, self._at)
        self._at += len(text) * found
        return found

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise Unsupported("the pattern ends where another character must follow")
        self._at += 1
        return self._text[self._at - 1]

    def _alternatives(self) -> Node:
        made = [self._sequence()]
        while self._takes("|"):
            made.append(self._sequence())
        return alt(*made)

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._peek() and self._peek() not in "|)$":
            parts.append(self._repeated(self._atom()))
        return seq(*parts)

    def _repeated(self, part: Node) -> Node:
        char = self._peek()
        if char and char in "*+?":
            self._at += 1
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
        elif char == "{":
            end = self._text.find("}", self._at)
            low, comma, high = self._text[self._at + 1 : end].partition(",")
            if end < 0 or not low.isdecimal() or not (high.isdecimal() or not high):
                raise Unsupported("a brace is not part of a repetition")
            least, most = int(low), int(high) if high else None if comma else int(low)
            if max(least, most or 0) > _MOST:
                raise Unsupported(f"the pattern repeats a part more than {_MOST} times")
            self._at = end + 1
        else:
            return part
        self._takes("?")  # a lazy repetition finds the same texts
        if self._peek() and self._peek() in "*+{":
            raise Unsupported("a repetition is repeated")
        return many(part, least, most)

    def _atom(self) -> Node:
        char = self._next()
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        if char == ".":
            return _LINE
        if char == "\\":
            return self._escape()
        if char in "^*+?{":
            raise Unsupported(f"{char!r} is at a place where a grammar cannot express it")
        return of(char)

    def _group(self) -> Node:
        if self._takes("?") and not self._takes(":"):
            if not self._text.startswith("<", self._at) or self._text[self._at + 1 : self._at + 2] in ("=", "!"):
                raise Unsupported("the pattern has a look-ahead or look-behind")
            self._at = self._text.find(">", self._at) + 1
            if not self._at:
                raise Unsupported("a group has no end")
        self._depth += 1
        if self._depth > _MOST // 10:
            raise Unsupported("its groups are nested too deep")
        inner = self._alternatives()
        self._depth -= 1
        if not self._takes(")"):
            raise Unsupported("an anchor is inside a group, or the group has no end")
        return inner

    def _escape(self) -> Chars:
        char = self._next()
        if char in _CLASSES:
            return _CLASSES[char]
        if char in "xu":
            size = 2 if char == "x" else 4
            digits = self._text[self._at : self._at + size]
            self._at += size
            if len(digits) != size or not all(each in "0123456789abcdefABCDEF" for each in digits):
                raise Unsupported(f"the escape \\{char} has no number")
            return chars((int(digits, 16), int(digits, 16)))
        if char in _CHARACTERS and not (char == "0" and self._peek().isdecimal()):
            return of(_CHARACTERS[char])
        if char in _PLAIN:
            return of(char)
        raise Unsupported(f"a grammar cannot express \\{char}")

    def _class(self) -> Chars:
        negated = self._takes("^")
        found: list[tuple[int, int]] = []
        while not self._takes("]"):
            low = self._member()
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                high = self._member()
                if len(low.ranges) != 1 or len(high.ranges) != 1 or low.ranges[0][0] > high.ranges[0][1]:
                    raise Unsupported("a range in a class needs two characters, the smaller one first")
                found.append((low.ranges[0][0], high.ranges[0][1]))
            else:
                found += low.ranges
        made = chars(*found)
        return other(ANY, made) if negated else made

    def _member(self) -> Chars:
        char = self._next()
        if char == "\\":
            return of("\b") if self._takes("b") else self._escape()
        if char == "[" or (char in "&~-" and self._peek() == char):
            raise Unsupported("a class is nested in a class")
        return of(char)


def lengths(node: Node) -> tuple[int, int | None]:
    """Return the fewest and the most characters that a node matches; None if there is no upper bound."""
    if isinstance(node, Chars):
        return 1, 1
    if isinstance(node, Seq):
        each = [lengths(part) for part in node.parts]
        most = [high for _, high in each]
        return sum(low for low, _ in each), None if None in most else sum(high for high in most if high is not None)
    parts = getattr(node, "parts", ())
    if parts:
        each = [lengths(part) for part in parts]
        most = [high for _, high in each]
        return min(low for low, _ in each), None if None in most else max(high for high in most if high is not None)
    part = getattr(node, "part", None)
    if part is None:
        return 0, 0
    low, high = lengths(part)
    least, upper = node.least, node.most  # type: ignore[union-attr]  # the only one with a part here
    return low * least, 0 if high == 0 else None if high is None or upper is None else high * upper
