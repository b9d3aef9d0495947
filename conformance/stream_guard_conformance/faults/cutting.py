"""Faults of length: bodies that stop, begin late, begin again, or lack a stretch."""

from __future__ import annotations

import re
from random import Random

from ..render import Token, Tokens, joined
from .table import Scene, inner, kind, noise, pick, places, plain, put, text


def _size(tokens: Tokens, rng: Random, least: int = 1, most: int | None = None) -> int | None:
    """Return how many characters are left: at least `least`, at most `most`, fewer than there are.

    None when there are too few.
    """
    whole = len(joined(tokens).rstrip())
    most = whole - 1 if most is None else min(most, whole - 1)
    return rng.randint(least, most) if least <= most else None


def _cut(tokens: Tokens, size: int | None) -> Tokens | None:
    """Return the tokens of the first `size` characters of the body."""
    if size is None:
        return None
    kept: list[Token] = []
    for token in tokens:
        if size < len(token.text):
            return (*kept, token.spoilt(token.text[:size])) if size else tuple(kept)
        kept.append(token)
        size -= len(token.text)
    return tuple(kept)


@kind("cuts", "the body stops at some character, and the fence closes", stage="cut")
def cut_closed(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _cut(tokens, _size(tokens, rng))


@kind("cuts", "the body stops near its end, and the fence closes", stage="cut")
def cut_near_end(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _cut(tokens, _size(tokens, rng, max(1, len(joined(tokens).rstrip()) - 24)))


@kind("cuts", "the body stops behind a value, and the fence closes", stage="cut")
def cut_behind_value(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = [at for at in places(tokens, lambda token: token.kind in ("text", "number", "word")) if at < len(tokens) - 1]
    return tokens[: rng.choice(able) + rng.choice((1, 1, 2))] if able else None


@kind("cuts", "the body stops at some character, and so does the stream", stage="cut", refuse=True, closed=False)
def cut_open(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    return _cut(tokens, _size(tokens, rng))


@kind("cuts", "the beginning of the body is lost", stage="cut", refuse=True)
def lost_beginning(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: token.name and len(token.text) > 1)
    if at is None:
        return None
    rest = tokens[at].text[rng.randint(1, len(tokens[at].text) - 1) :]
    return (tokens[at].spoilt(rest), *tokens[at + 1 :])


@kind("cuts", "a stretch from inside one string to inside another is lost", stage="cut", refuse=True)
def lost_stretch(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    able = places(tokens, lambda token: plain(token) and len(token.text) > 3 and "\\" not in token.text)
    if len(able) < 2:
        return None
    first = rng.randrange(len(able) - 1)
    start, end = able[first], able[min(len(able) - 1, first + rng.randint(1, 3))]
    head = tokens[start].text[: rng.randint(2, len(tokens[start].text) - 2)]
    tail = tokens[end].text[rng.randint(2, len(tokens[end].text) - 2) :]
    names = {_letters(name) for token in tokens if token.kind == "key" for name in (token.field, inner(token))}
    if _letters(head + tail) in names:
        return None  # what is left of two strings is the name of a field
    return (*tokens[:start], tokens[start].spoilt(head + tail), *tokens[end + 1 :])


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


@kind("cuts", "the block begins, stops and begins again")
def begun_again(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    size = _size(tokens, rng, 2, 60)
    return None if size is None else (noise(joined(tokens)[:size] + rng.choice(("", "\n"))), *tokens)


@kind("cuts", "the block stands there twice", stage="text", refuse=True)
def repeated_object(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    text = joined(tokens)
    return (noise(text + rng.choice(("\n", "", ",\n", "\n\n")) + text),)


@kind("cuts", "another call, cut short, follows", stage="around", refuse=True)
def begun_another(tokens: Tokens, rng: Random, scene: Scene) -> Tokens | None:
    text = joined(tokens)
    begins = min((at for at in map(text.find, "{[") if at >= 0), default=0)  # a sentence before the call is no call
    size = _size(tokens, rng, begins + 2, begins + 80)
    return None if size is None else (*tokens, noise(rng.choice(("\n", ",\n", ",")) + text[:size]))


@kind("cuts", "a text is cut off, and goes on in the first line of a block begun anew", stage="cut", refuse=True)
def begun_in_text(tokens: Tokens, rng: Random, _: Scene) -> Tokens | None:
    at = pick(tokens, rng, lambda token: text(token) and len(token.text) > 3 and "\\" not in token.text)
    if at is None:
        return None
    size = rng.randint(2, len(tokens[at].text) - 1)
    between = rng.choice(("\n```json\n", "\n[connection lost]\n```json\n", "\n\n```JSON\n"))
    return put(tokens, at, tokens[at].spoilt(tokens[at].text[:size] + between + tokens[at].text[size:]))
