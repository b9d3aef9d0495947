"""The table itself, and what its rows share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from ..render import Token, Tokens
from ..toolsets import Toolset, ToolSpec, plain_name
from ..verdicts import Calls

Stage = Literal["cut", "meaning", "quiet", "token", "text", "around"]
"""When a fault is applied, if there are several: cuts first, then those that leave valid JSON of another call, then those that
may leave a valid block, then those of single tokens, then those that rewrite the whole text, then what stands around it."""

STAGES: Final[tuple[Stage, ...]] = ("cut", "meaning", "quiet", "token", "text", "around")


@dataclass(frozen=True, slots=True)
class Scene:
    """The context of a fault besides the tokens: the calls, their tools, the wrapping."""

    toolset: Toolset
    calls: Calls

    def tool(self, token: Token) -> ToolSpec:
        """Return the tool of the call that a token belongs to."""
        return self.toolset.by_name[self.calls[token.call].tool]

    def closed(self, token: Token) -> bool:
        """Return whether the objects in which a field of this name stands refuse unknown members."""
        return token.value in self.tool(token).closed

    def listed(self, token: Token) -> bool:
        """Return whether a value stands under a name that its tool's schema lists. Other names allow any value."""
        return plain_name(token.field) in self.tool(token).known

    def keeps_its_name(self, token: Token) -> bool:
        """Return whether a key cannot be renamed: it is part of the envelope, or its object takes no unknown members."""
        return token.kind == "key" and plain(token) and (not token.field or self.closed(token))

    def news(self, token: Token, names: Iterable[str]) -> list[str]:
        """Return those of the names that no member of the token's call may have, in order."""
        known = self.tool(token).known
        return [name for name in names if plain_name(name) not in known]


Fault = Callable[[Tokens, Random, Scene], Tokens | None]
"""A function from tokens to tokens; None where the fault has no place."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault."""

    name: str
    family: str
    does: str
    """What the fault does to a call, in a sentence."""

    apply: Fault
    stage: Stage = "token"

    refuse: bool = False
    """Whether no call of a block with this fault may run: the text forbids it, names another thing, or lacks what was meant."""

    unknowable: bool = False
    """Whether the text could also be another text, written correctly. Then no call of it may run either."""

    gate: bool = False
    """Whether no call of a block that has it may run when one is destructive."""

    closed: bool = True
    """Whether the fence around the block closes."""

    inline: bool = False
    """Whether the block begins on the line of the fence."""

    @property
    def refused(self) -> bool:
        """Whether nothing may ever run of a block that has it."""
        return self.refuse or self.unknowable


KINDS: Final[dict[str, Kind]] = {}
"""All kinds, by name, in the order in which they are written."""


def kind(
    family: str,
    does: str,
    *,
    stage: Stage = "token",
    refuse: bool = False,
    unknowable: bool = False,
    gate: bool = False,
    closed: bool = True,
    inline: bool = False,
) -> Callable[[Fault], Fault]:
    """Return a decorator that puts a function into the table, under its own name."""

    def register(fault: Fault) -> Fault:
        name = fault.__name__
        if name in KINDS:
            raise ValueError(f"there are two kinds named {name}")
        KINDS[name] = Kind(name, family, does, fault, stage, refuse, unknowable, gate, closed, inline)
        return fault

    return register


Where = Callable[[Token], bool]


def places(tokens: Tokens, where: Where) -> list[int]:
    """Return the indexes of the tokens for which `where` holds."""
    return [index for index, token in enumerate(tokens) if where(token)]


def pick(tokens: Tokens, rng: Random, where: Where) -> int | None:
    """Return the index of one token for which `where` holds; None when there is none."""
    found = places(tokens, where)
    return rng.choice(found) if found else None


def put(tokens: Tokens, index: int, *new: Token) -> Tokens:
    """Return the tokens with other tokens in the place of one."""
    return (*tokens[:index], *new, *tokens[index + 1 :])


def noise(text: str) -> Token:
    """Return a token for text that a fault writes between the others."""
    return Token(text, "noise")


def plain(token: Token) -> bool:
    """Return whether a token is a string between double quotes, key or text, that no fault has taken apart."""
    return token.kind in ("key", "text") and len(token.text) > 1 and token.text[0] == token.text[-1] == '"'


def sound(token: Token) -> bool:
    """Return whether a token is a string between double quotes that no fault has taken apart, and that keeps its value."""
    try:
        return plain(token) and bool(json.loads(token.text, strict=False) == token.value)
    except ValueError:
        return False


def text(token: Token) -> bool:
    """Return whether a token is a whole text of the call, and not the name of its tool."""
    return token.kind == "text" and plain(token) and bool(token.field)


def mark(*marks: str) -> Where:
    """Return a function that says whether a token is one of these marks."""
    return lambda token: token.kind == "mark" and token.text in marks


def inner(token: Token) -> str:
    """Return what stands between the quotes."""
    return token.text[1:-1]


def quoted(token: Token, inside: str) -> Token:
    """Return the string token with another text between its quotes."""
    return token.says(f'"{inside}"')


def pieces(inside: str) -> list[str]:
    """Return the characters of a JSON string as they are written: an escape is one piece."""
    found: list[str] = []
    at = 0
    while at < len(inside):
        size = 1
        if inside[at] == "\\":
            size = 6 if inside[at + 1 : at + 2] == "u" else 2
        found.append(inside[at : at + size])
        at += size
    return found


def changed(
    tokens: Tokens, rng: Random, where: Where, change: Callable[[str], str], how_many: Literal["one", "all"] = "one"
) -> Tokens | None:
    """Return the tokens with one string, or with "all" every string, replaced by what `change` makes of it.

    None if nothing changes.
    """
    able = [
        index
        for index in places(tokens, lambda token: plain(token) and where(token))
        if change(inner(tokens[index])) != inner(tokens[index])
    ]
    if not able:
        return None
    chosen = set(able) if how_many == "all" else {rng.choice(able)}
    return tuple(quoted(token, change(inner(token))) if index in chosen else token for index, token in enumerate(tokens))


def spans(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Yield each pair of brackets that belong together, as indexes."""
    open_: list[int] = []
    for index, token in enumerate(tokens):
        if mark("{", "[")(token):
            open_.append(index)
        elif mark("}", "]")(token) and open_:
            yield open_.pop(), index


def member_starts(tokens: Tokens) -> list[int]:
    """Return the indexes of the keys that stand in the calls' own arguments."""
    return places(tokens, lambda token: token.kind == "key" and bool(token.field) and plain(token))


def value_span(tokens: Tokens, key: int) -> tuple[int, int] | None:
    """Return, for the index of a key, the first index of its value and the one after it; None when it has none."""
    at = key + 1
    while at < len(tokens) and (tokens[at].kind == "space" or tokens[at].text == ":"):
        at += 1
    if at >= len(tokens):
        return None
    if mark("{", "[")(tokens[at]):
        return next(((start, end + 1) for start, end in spans(tokens) if start == at), None)
    return (at, at + 1) if tokens[at].kind in ("text", "number", "word") else None


def last_of(tokens: Sequence[Token]) -> int | None:
    """Return the index of the last token that is no white space."""
    return next((index for index in range(len(tokens) - 1, -1, -1) if tokens[index].kind != "space"), None)
