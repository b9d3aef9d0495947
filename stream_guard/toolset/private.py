"""`PrivateNames`: which names may stand for a private field of a tool, however a model spells them.

It is asked about members that no schema lists, in objects that allow any. To hide such a member needlessly costs little. So a
name counts as private if it contains a private name, is part of one, abbreviates one (`pw`, `tkn`), or is nearly one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from unicodedata import normalize

from ..schema.fields import Field, split
from ..schema.spelling import Names, tokens
from ..values.preview import Paths

_SHORT: Final = 2
"""A name of at most so many letters is only searched for among the words of another name."""


_SIGNS: Final = str.maketrans("013457@$", "oleastas")
"""Digits and signs that may replace letters, as in `p4ssw0rd`, with the letters."""


class PrivateNames:
    """The names of a tool's private fields, and of the fields inside them.

    Args:
        fields: The fields of the tool.
        hidden: The private fields of the tool.
        aliases: The fields that aliases mean, by alias.
    """

    __slots__ = ("_aliases", "_fields", "_folded", "_hidden", "_names")

    def __init__(self, fields: Field, hidden: Paths, aliases: Mapping[str, str]) -> None:
        self._fields: Final = fields
        self._hidden: Final = hidden
        self._aliases: Final = aliases
        self._names: Names | None = None
        self._folded: frozenset[str] = frozenset()

    def resemble(self, key: str) -> bool:
        """Return whether a name may mean one of the private names."""
        if self._names is None:
            named = {*self._named()}
            self._folded = frozenset(map(_folded, named)) - {""}
            self._names = Names(named)
        whole, words = _folded(key), [_folded(word) for word in tokens(key)]
        if any(_stands_for(whole, words, name) for name in self._folded):
            return True
        return any(self._names.nearest(part) is not None for part in (key, whole, *words))

    def _named(self) -> Iterator[str]:
        yield from _last(self._hidden)
        for path in self._fields.paths():
            keys = tuple(step for step in path if isinstance(step, str))
            if _covers(self._hidden, keys):
                yield keys[-1]
        for alias, meant in self._aliases.items():
            if _covers(self._hidden, self._fields.keys(meant)):
                yield str(split(alias)[-1]) if split(alias) else alias


def _last(hidden: Paths) -> Iterator[str]:
    for key, inner in hidden.items():
        if inner is True:
            yield key
        else:
            yield from _last(inner)


def _covers(hidden: Any, keys: tuple[str, ...]) -> bool:
    """Return whether a path is private, or lies inside a private field."""
    for key in keys:
        if hidden is True:
            return True
        if key not in hidden:
            return False
        hidden = hidden[key]
    return hidden is True


def _folded(name: str) -> str:
    return "".join(char for char in normalize("NFKC", name).casefold().translate(_SIGNS) if char.isalnum())


def _stands_for(whole: str, words: list[str], name: str) -> bool:
    """Return whether the name `whole` contains another name, is a part of it, or has a word that abbreviates it."""
    if whole == name or name in words:
        return True
    if len(name) <= _SHORT:
        return False
    return name in whole or (len(whole) > _SHORT and whole in name) or any(_abbreviates(word, name) for word in words)


def _abbreviates(word: str, name: str) -> bool:
    """Return whether a word begins with the name's first letter, and its other letters occur in the name in order."""
    letters = iter(name)
    return len(word) >= _SHORT and word[0] == name[0] and all(letter in letters for letter in word)
