"""`Literals`: finds which of several given texts begins at a place, whole, or cut where the text ends.

A pattern of all openers takes 50 ms to compile, and the tools of each request make another one. This needs no such pattern:
the texts are in a dictionary, by how they begin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

_HEAD: Final = 3
"""The number of characters by which a text is looked up. Few texts begin with the same ones."""


class Literals:
    """A set of texts to be found, none of them empty."""

    __slots__ = ("_begun", "_by_head", "_longest")

    def __init__(self, texts: Iterable[str]) -> None:
        by_head: defaultdict[str, list[str]] = defaultdict(list)
        longest_first = sorted(set(texts), key=len, reverse=True)
        for text in longest_first:
            by_head[text[:_HEAD]].append(text)
        self._by_head: Final = dict(by_head)
        self._longest: Final = len(longest_first[0]) if longest_first else 0
        self._begun: Final = frozenset(head[:end] for head in by_head for end in range(len(head))) | {
            head for head, some in by_head.items() if len(some[0]) > len(head)
        }  # texts of at most `_HEAD` characters that begin a longer text

    def at(self, text: str, pos: int) -> str | None:
        """Return the longest of the texts that begins at a place; "" if the text ends before one is complete; else None."""
        for size in range(_HEAD, 0, -1):
            for one in self._by_head.get(text[pos : pos + size], ()):
                if text.startswith(one, pos):
                    return one
        left = len(text) - pos
        if left >= self._longest:
            return None
        rest = text[pos:]
        if left <= _HEAD:
            return "" if rest in self._begun else None
        return "" if any(one.startswith(rest) for one in self._by_head.get(rest[:_HEAD], ())) else None
