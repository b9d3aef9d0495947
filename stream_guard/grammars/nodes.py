"""The nodes of a grammar, which every printer reads: literals, characters, sequences, alternatives, repetitions and texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from .shapes import Shape

Range = tuple[int, int]
"""The first and the last code point of a range of characters."""


@dataclass(frozen=True, slots=True)
class Lit:
    """A text, character by character."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set. The ranges are sorted, and do not touch."""

    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Seq:
    """Several nodes, one after the other. Made by `seq`."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """A choice of several nodes. Made by `alt`."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Many:
    """A node repeated at least `least` times and at most `most` times; `most` is None for any number."""

    part: Node
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A node with a name, because it is used twice or contains itself."""

    name: str


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A node that a lexer reads as one piece, never joined with its neighbours. It contains no `Rule` and no `Until`.

    A lexer takes the longest word, so a literal that begins like another one would hide the other.
    """

    part: Node


@dataclass(frozen=True, slots=True)
class Until:
    """Any text up to a closer, and the closer. The text contains none of the texts in `without`; the closer may."""

    closer: str
    without: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    """Texts that are not allowed, with any blanks around them."""

    never_begins: str = ""
    """Characters with which the text may not begin, blanks not counted."""

    least: int = 0
    """The fewest characters of the text."""

    in_json: bool = False
    """Whether the text is the inside of a JSON string, after its opening quote."""

    indents: bool = True
    """Whether the text may end with a line of blanks, with or without empty lines after it, which may be the indent of the
    closer. If not, it does not end with half of a line end either, whose other half the closer may have."""


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON value of a shape. A format that knows JSON Schema prints the schema; for the others `values.py` writes it out."""

    shape: Shape
    markers: tuple[str, ...] = ()
    """The texts that strings in the value may not contain."""

    line: bool = False
    """Whether the value is written on one line."""


@dataclass(frozen=True, slots=True)
class Python:
    """A Python literal of a shape."""

    shape: Shape


Node = Lit | Chars | Seq | Alt | Many | Rule | Lexeme | Until | Json | Python

EMPTY: Final = Seq(())
"""No characters."""

NOTHING: Final = Alt(())
"""A node that no text matches."""

LAST: Final = 0x10FFFF
"""The last code point of Unicode."""

SURROGATES: Final = (0xD800, 0xDFFF)


def seq(*parts: Node) -> Node:
    """Return a sequence; neighbouring literals become one."""
    made: list[Node] = []
    for part in parts:
        if part == NOTHING:
            return NOTHING
        for each in part.parts if isinstance(part, Seq) else (part,):
            if isinstance(each, Lit) and made and isinstance(made[-1], Lit):
                made[-1] = Lit(made[-1].text + each.text)
            elif each != Lit(""):
                made.append(each)
    return made[0] if len(made) == 1 else Seq(tuple(made))


def alt(*parts: Node) -> Node:
    """Return a node of alternatives, without repetitions."""
    flat = dict.fromkeys(each for part in parts for each in (part.parts if isinstance(part, Alt) else (part,)))
    return next(iter(flat)) if len(flat) == 1 else Alt(tuple(flat))


def many(part: Node, least: int = 0, most: int | None = None) -> Node:
    """Return a repetition."""
    if part == NOTHING or most == 0:
        return NOTHING if least else EMPTY
    return part if least == most == 1 else Many(part, least, most)


def maybe(part: Node) -> Node:
    """Return a node that may be left out."""
    return many(part, 0, 1)


def _without(ranges: Iterable[Range], gone: Iterable[Range]) -> list[Range]:
    left = list(ranges)
    for start, end in gone:
        left = [
            (first, last)
            for low, high in left
            for first, last in ((low, min(high, start - 1)), (max(low, end + 1), high))
            if first <= last
        ]
    return left


def chars(*ranges: Range) -> Chars:
    """Return a set of characters. Surrogates are no characters."""
    made: list[Range] = []
    for first, last in sorted(_without([(first, last) for first, last in ranges], [SURROGATES])):
        if made and first <= made[-1][1] + 1:
            made[-1] = made[-1][0], max(made[-1][1], last)
        else:
            made.append((first, last))
    return Chars(tuple(made))


def of(text: str) -> Chars:
    """Return the set of these characters."""
    return chars(*((ord(char), ord(char)) for char in text))


ANY: Final = chars((0, LAST))
"""Every character."""


def other(some: Chars, than: Chars) -> Chars:
    """Return the characters of `some` that are not in `than`."""
    return chars(*_without(some.ranges, than.ranges))


def complement(node: Chars) -> Chars | None:
    """Return the characters outside a set that includes the last code point, which are shorter to write. None for
    other sets.
    """
    return other(ANY, node) if node.ranges and node.ranges[-1][1] == LAST else None


def times(node: Many) -> str:
    """Return the repetition of a node in the signs of regular expressions: `*`, `{2,4}`."""
    if (node.least, node.most) == (0, None):
        return "*"
    if (node.least, node.most) == (1, None):
        return "+"
    if (node.least, node.most) == (0, 1):
        return "?"
    return f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{'' if node.most is None else node.most}}}"


def both(some: Chars, others: Chars) -> Chars:
    """Return the characters that are in two sets."""
    return other(some, other(ANY, others))


def walk(node: Node) -> Iterator[Node]:
    """Yield a node, and every node in it."""
    left = [node]
    while left:
        here = left.pop()
        yield here
        if isinstance(here, Seq | Alt):
            left += reversed(here.parts)
        elif isinstance(here, Many | Lexeme):
            left.append(here.part)
