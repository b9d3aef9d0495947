"""Calls written as JSON, token by token: compact or indented, keys in any order, in the wrappings that models use.

The joined texts of the tokens are a block's body. Each token knows what it says and where it stands, so a fault can choose its
place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, Literal

from .calls import Call

TokenKind = Literal["mark", "key", "text", "number", "word", "space", "noise"]
"""What a token is. A `word` is true, false or null; `noise` is what a fault wrote, which no other fault changes."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a body, and what it is."""

    text: str
    kind: TokenKind
    value: Any = None
    """The value that it stands for: the string, the number, the mark itself."""

    call: int = -1
    """The number of the call that it belongs to; -1 for what stands around the calls."""

    field: str = ""
    """The field under which it stands; of a key, its own name. Empty for what belongs to the wrapping."""

    item: bool = False
    """Whether it stands inside an item of a list that the call holds."""

    name: bool = False
    """Whether it is the name of the call's tool."""

    def says(self, text: str) -> Token:
        """Return this token with another text, which other faults may change again."""
        return replace(self, text=text)

    def spoilt(self, text: str) -> Token:
        """Return this token with another text, which no other fault changes."""
        return replace(self, text=text, kind="noise")


Tokens = tuple[Token, ...]


def joined(tokens: Iterable[Token]) -> str:
    """Return the text of the tokens."""
    return "".join(token.text for token in tokens)


@dataclass(frozen=True, slots=True)
class Style:
    """How JSON is laid out."""

    indent: str | None = None
    """What a level is indented by; None puts all on one line."""

    spaced: bool = True
    """Whether a blank follows commas and colons."""

    ascii: bool = False
    """Whether other characters than ASCII are escaped."""

    @staticmethod
    def draw(rng: Random) -> Style:
        """Return one of the styles in which models write."""
        return Style(rng.choice((None, None, "  ", "  ", "    ", "\t")), rng.random() < 0.75, rng.random() < 0.1)


class Wrap(str):
    """A key that belongs to the wrapping of a call."""

    __slots__ = ()


class Name(str):
    """The name of a call's tool."""

    __slots__ = ()


class Body(dict[str, Any]):
    """The object that is a call, with its number."""

    def __init__(self, call: int, members: Iterable[tuple[str, Any]]) -> None:
        super().__init__(members)
        self.call: Final = call


def _bare(number: int, call: Call, rng: Random) -> Body:
    members: list[tuple[str, Any]] = list(call.arguments.items())
    at = rng.choices((0, rng.randint(0, len(members)), len(members)), (8, 1, 1))[0]
    return Body(number, [*members[:at], (Wrap("tool"), Name(call.tool)), *members[at:]])


def _named(number: int, call: Call, _: Random) -> Body:
    return Body(number, [(Wrap("name"), Name(call.tool)), (Wrap("arguments"), call.arguments)])


def _function(number: int, call: Call, rng: Random) -> Body:
    inner = {Wrap("name"): Name(call.tool), Wrap("arguments"): call.arguments}
    return (
        Body(number, [(Wrap("type"), "function"), (Wrap("function"), inner)])
        if rng.random() < 0.5
        else _named(number, call, rng)
    )


def _one(form: Callable[[int, Call, Random], Body]) -> Callable[[Sequence[Call], Random], list[Any]]:
    return lambda calls, rng: [form(0, calls[0], rng)]


WRAPPINGS: Final[Mapping[str, Callable[[Sequence[Call], Random], list[Any]]]] = {
    "bare": _one(_bare),
    "name_arguments": _one(_named),
    "list": lambda calls, rng: [[_bare(i, call, rng) for i, call in enumerate(calls)]],
    "tool_calls": lambda calls, rng: [{Wrap("tool_calls"): [_function(i, call, rng) for i, call in enumerate(calls)]}],
    "concatenated": lambda calls, rng: [_bare(i, call, rng) for i, call in enumerate(calls)],
}
"""The functions from calls to the documents that a block holds, one after the other. The first two take one call."""


def render(calls: Sequence[Call], wrapping: str, style: Style, rng: Random) -> Tokens:
    """Return the body of a block that holds these calls."""
    documents = WRAPPINGS[wrapping](calls, rng)
    tokens: list[Token] = []
    for document in documents:
        if tokens:
            tokens.append(Token("\n", "space"))
        _Writer(style, tokens).write(document, 0, Token("", "space"))
    return tuple(tokens)


@dataclass(frozen=True, slots=True)
class _Writer:
    style: Style
    tokens: list[Token]

    def write(self, value: Any, level: int, at: Token) -> None:
        """Write the tokens of a value. They take the call, the field and `item` from `at`."""
        match value:
            case dict():
                at = Token("", "space", None, getattr(value, "call", at.call), at.field, at.item)
                self._group("{}", value.items(), self._member, level, at)
            case list():
                inner = Token("", "space", None, at.call, at.field, bool(at.field))
                self._group("[]", value, lambda held, level, _: self.write(held, level, inner), level, at)
            case str():
                self._put(at, self._string(value), "text", str(value), name=isinstance(value, Name))
            case None | bool():
                self._put(at, json.dumps(value), "word", value)
            case _:
                self._put(at, json.dumps(value), "number", value)

    def _member(self, member: tuple[str, Any], level: int, at: Token) -> None:
        key, value = member
        at = Token("", "space", None, at.call, "" if isinstance(key, Wrap) else key, at.item)
        self._put(at, self._string(key), "key", str(key))
        self._put(at, ":", "mark", ":")
        if self.style.spaced:
            self._put(at, " ", "space")
        self.write(value, level, at)

    def _group(
        self, brackets: str, members: Collection[Any], write: Callable[[Any, int, Token], None], level: int, at: Token
    ) -> None:
        indent = self.style.indent
        self._put(at, brackets[0], "mark", brackets[0])
        for number, member in enumerate(members):
            if number:
                self._put(at, ",", "mark", ",")
            if indent is not None:
                self._put(at, "\n" + indent * (level + 1), "space")
            elif number and self.style.spaced:
                self._put(at, " ", "space")
            write(member, level + 1, at)
        if members and indent is not None:
            self._put(at, "\n" + indent * level, "space")
        self._put(at, brackets[1], "mark", brackets[1])

    def _string(self, value: str) -> str:
        return json.dumps(str(value), ensure_ascii=self.style.ascii)

    def _put(self, at: Token, text: str, kind: TokenKind, value: Any = None, *, name: bool = False) -> None:
        """Write a token that stands where `at` stands."""
        self.tokens.append(Token(text, kind, value, at.call, at.field, at.item, name))
