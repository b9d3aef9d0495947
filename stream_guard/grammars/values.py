"""Writes shapes out as JSON and as Python: character by character, for formats that know no JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Literal

from . import numbers, regexes
from .nodes import (
    ANY,
    EMPTY,
    NOTHING,
    Alt,
    Chars,
    Json,
    Lexeme,
    Lit,
    Many,
    Node,
    Python,
    Rule,
    Seq,
    Until,
    alt,
    both,
    chars,
    many,
    maybe,
    of,
    other,
    seq,
)  # fmt: skip
from .shapes import BOOLEAN, NULL, Anything, Items, Map, Member, Members, Named, Number, OneOf, Shape, Shapes, Str, Values

_HEX: Final = of("0123456789abcdefABCDEF")
_NO_SURROGATE: Final = alt(seq(of("0123456789abcefABCEF"), many(_HEX, 3, 3)), seq(of("dD"), chars((48, 55)), many(_HEX, 2, 2)))
"""Matches four digits that are no half of a surrogate pair."""

_SHORT: Final = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}

JSON_SAFE: Final = other(ANY, chars((0, 31), (34, 34), (92, 92)))
"""The characters that need no escape in a JSON string."""

JSON_ESCAPE: Final = seq(Lit("\\"), alt(of('"\\/bfnrt'), seq(Lit("u"), _NO_SURROGATE)))
JSON_CHAR: Final = alt(JSON_SAFE, JSON_ESCAPE)
"""One character of a JSON string, in any spelling except that of half a surrogate pair."""

_PYTHON_SAFE: Final = other(ANY, chars((0, 31), (34, 34), (39, 39), (92, 92), (127, 159)))
_PYTHON_ESCAPE: Final = seq(
    Lit("\\"),
    alt(
        of("\\'\"nrt"),
        seq(Lit("x"), many(_HEX, 2, 2)),
        seq(Lit("u"), _NO_SURROGATE),
        seq(Lit("U000"), of("123456789abcdefABCDEF"), many(_HEX, 4, 4)),
        seq(Lit("U0010"), many(_HEX, 4, 4)),
    ),
)
_INDENT: Final = 16
"""Limit: the most blanks at the beginning of a line of JSON. A model that may write any number of blanks may never end."""

ANYTHING: Final[Shape] = OneOf(
    (Str(), Number(False), Values((*BOOLEAN.texts, *NULL.texts)), Items((), Anything()), Map(Anything()))
)
"""The shape of any value, in separate types."""


def as_json(part: Chars) -> Node:
    """Return a node for one character of a set, as in a JSON string."""
    safe = both(part, JSON_SAFE)
    made: list[Node] = [safe] if safe.ranges else []
    made += (Lit(_SHORT.get(code) or f"\\u{code:04x}") for code in (*range(32), 34, 92) if _holds(part, code))
    return alt(*made)


def _holds(part: Chars, code: int) -> bool:
    return any(first <= code <= last for first, last in part.ranges)


def spelt(node: Node, write: Callable[[Chars], Node]) -> Node:
    """Return a pattern in which each character is written by `write`."""
    if isinstance(node, Chars):
        return write(node)
    if isinstance(node, Seq):
        return seq(*(spelt(part, write) for part in node.parts))
    if isinstance(node, Alt):
        return alt(*(part for part in (spelt(part, write) for part in node.parts) if part != NOTHING))
    assert isinstance(node, Many)
    return many(spelt(node.part, write), node.least, node.most)


def text_of(shape: Str, write: Callable[[Chars], Node]) -> Node:
    """Return the text of a string in which each character is written by `write`."""
    node = regexes.read(shape.pattern) if shape.pattern is not None else many(ANY, shape.least, shape.most)
    return spelt(node, write)


class Expander:
    """Writes out the values in nodes, each shape once, and collects named rules for shapes that are used twice."""

    def __init__(self, named: Shapes) -> None:
        self._named: Final = named
        self._known: Final[dict[tuple[Shape, Style], Node]] = {}
        self.rules: Final[dict[str, Node]] = {}
        """The nodes that have names."""

    def expand(self, node: Node) -> Node:
        """Return a node in which all values are written out."""
        if isinstance(node, Json):
            return self._value(node.shape, ("json", node.markers, node.line))
        if isinstance(node, Python):
            return self._value(node.shape, ("python", (), True))
        if isinstance(node, Seq):
            return seq(*map(self.expand, node.parts))
        if isinstance(node, Alt):
            return alt(*(part for part in map(self.expand, node.parts) if part != NOTHING))
        if isinstance(node, Many):
            return many(self.expand(node.part), node.least, node.most)
        return node

    def _value(self, shape: Shape, style: Style) -> Node:
        if isinstance(shape, OneOf):
            return alt(*(part for part in (self._value(each, style) for each in shape.shapes) if part != NOTHING))
        known = self._known.get((shape, style))
        if known is None:
            name = f"{_NAMES[type(shape)]}{len(self._known) + 1}"
            self._known[shape, style] = Rule(name)
            made = self._written(shape, style)
            known = self._known[shape, style] = NOTHING if made == NOTHING else Rule(name)
            if known != NOTHING:
                self.rules[name] = made
        return known

    def _written(self, shape: Shape, style: Style) -> Node:
        if isinstance(shape, Named):
            return self._value(self._named[shape.name], style)
        if isinstance(shape, Anything):
            return self._value(ANYTHING, style)
        if isinstance(shape, Number):
            return Lexeme(numbers.written(shape))
        if isinstance(shape, Str):
            return _string(shape, style)
        if isinstance(shape, Values):
            return alt(*(Lit(text) for text in map(_literal(style), shape.texts) if not any(mark in text for mark in style[1])))
        if isinstance(shape, Items):
            return seq(opening("[", style), self._items(shape, 0, style), closing("]", style))
        if isinstance(shape, Map):
            one = seq(_string(_KEY, style), COLON, self._value(shape.value, style))
            more = seq(comma(style), one)
            rest = seq(one, many(more, max(shape.least - 1, 0), None if shape.most is None else max(shape.most - 1, 0)))
            inner = EMPTY if shape.most == 0 else rest if shape.least else EMPTY if rest == NOTHING else maybe(rest)
            return seq(opening("{", style), inner, closing("}", style))
        assert isinstance(shape, Members)
        return seq(opening("{", style), self._members(shape.members, style), closing("}", style))

    def _items(self, shape: Items, at: int, style: Style) -> Node:
        """Return the items of a list from the index `at` on."""
        if shape.most is not None and at >= shape.most:
            return EMPTY
        if at < len(shape.leading):
            here = seq(comma(style) if at else EMPTY, self._value(shape.leading[at], style), self._items(shape, at + 1, style))
            return here if at < shape.least else EMPTY if here == NOTHING else maybe(here)
        item = self._value(shape.item, style)
        least = max(shape.least - at, 0)
        most = None if shape.most is None else shape.most - at
        if at:
            return many(seq(comma(style), item), least, most)
        rest = seq(item, many(seq(comma(style), item), max(least - 1, 0), None if most is None else most - 1))
        return rest if least else EMPTY if rest == NOTHING else maybe(rest)

    def _members(self, members: tuple[Member, ...], style: Style) -> Node:
        """Return the members of an object, the first without a comma before it."""
        count = next((at for at, member in enumerate(members) if member.required), len(members))
        rest = self.expand(behind(members[count + 1 :], style))
        made = seq(self.expand(pair(members[count], style)), rest) if count < len(members) else EMPTY
        rest = self.expand(behind(members[count:], style))
        for member in reversed(members[:count]):
            first = self.expand(pair(member, style))
            if first == NOTHING:
                continue
            made = alt(seq(first, rest), made)
            rest = self._apart(seq(maybe(self.expand(seq(comma(style), pair(member, style)))), rest))
        return made

    def _apart(self, node: Node) -> Rule:
        """Return a rule for a node that is used several times."""
        name = f"rest{len(self.rules) + 1}"
        self.rules[name] = node
        return Rule(name)


Style = tuple[Literal["json", "python"], tuple[str, ...], bool]
"""How a value is written: the language, the texts that strings may not contain, and whether everything is on one line."""

_KEY: Final = Str()

_NAMES: Final = {
    Str: "string", Number: "number", Values: "listed", Items: "list", Members: "object", Map: "map", Named: "value",
    Anything: "any",
}  # fmt: skip


def _literal(style: Style) -> Callable[[str], str]:
    return (lambda text: text) if style[0] == "json" else lambda text: repr(json.loads(text))


def leaf(shape: Shape, style: Style) -> Json | Python:
    """Return a value as a node of the language of `style`."""
    return Python(shape) if style[0] == "python" else Json(shape, style[1], style[2])


def pair(member: Member, style: Style) -> Node:
    """Return the node of a member, key and value; `NOTHING` if no value has its shape."""
    key = Lit(_literal(style)(json.dumps(member.key, ensure_ascii=False)))
    return seq(key, COLON, leaf(member.shape, style))


def behind(members: tuple[Member, ...], style: Style) -> Node:
    """Return the node of members that each have a comma before them."""
    pairs = ((member, seq(comma(style), pair(member, style))) for member in members)
    return seq(*(each if member.required else maybe(each) for member, each in pairs))


def _gap(style: Style) -> Node:
    """Return the node of the blanks that are allowed between two tokens."""
    line = Lit(" ") if style[2] else alt(Lit(" "), seq(Lit("\n"), many(Lit(" "), 0, _INDENT)))
    return maybe(line)


def comma(style: Style) -> Node:
    """Return the node of a comma between two members, with the blanks around it."""
    return Lexeme(seq(Lit(","), _gap(style)))


COLON: Final = Lexeme(seq(Lit(":"), maybe(Lit(" "))))


def opening(bracket: str, style: Style) -> Node:
    """Return the node of an opening bracket, and the blanks after it."""
    return Lexeme(seq(Lit(bracket), _gap(style))) if style[0] == "json" else Lexeme(Lit(bracket))


def closing(bracket: str, style: Style) -> Node:
    """Return the node of a closing bracket, and the blanks before it."""
    return Lexeme(seq(_gap(style), Lit(bracket))) if style[0] == "json" else Lexeme(Lit(bracket))


def _string(shape: Str, style: Style) -> Node:
    if style[0] == "python":
        return Lexeme(alt(*(seq(Lit(quote), _python_text(shape, quote), Lit(quote)) for quote in "'\"")))
    if shape.pattern is None and shape.most is None and shape.least <= 1 and style[1]:
        return Until('"', without=style[1], least=shape.least, in_json=True)
    barred = of("".join(marker[0] for marker in style[1]))
    if shape.pattern is None:
        inner = many(alt(other(JSON_SAFE, barred), JSON_ESCAPE), shape.least, shape.most)
    else:
        inner = text_of(shape, lambda part: as_json(other(part, barred)))
    return seq(Lit('"'), inner, Lit('"')) if inner == NOTHING else Lexeme(seq(Lit('"'), inner, Lit('"')))


def _python_text(shape: Str, quote: str) -> Node:
    safe = alt(_PYTHON_SAFE, of("'\"".replace(quote, "")))
    if shape.pattern is None:
        return many(alt(safe, _PYTHON_ESCAPE), shape.least, shape.most)
    return text_of(shape, lambda part: _as_python(part, quote))


def _as_python(part: Chars, quote: str) -> Node:
    """Return a node for one character of a set, as `repr` writes it."""
    plain = both(part, other(ANY, chars((0, 31), (ord(quote), ord(quote)), (92, 92), (127, 159))))
    made: list[Node] = [plain] if plain.ranges else []
    for code in (code for code in (*range(32), ord(quote), 92, *range(127, 160)) if _holds(part, code)):
        short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
        made += (Lit(short or (f"\\{chr(code)}" if 32 <= code < 127 else f"\\x{code:02x}")),)
    return alt(*made)
