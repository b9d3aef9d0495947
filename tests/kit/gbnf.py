"""A reader of GBNF that goes character by character, as llama.cpp does, for short texts.

llguidance's converter reads words: where one literal begins as another text does, it refuses what llama.cpp accepts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

_TOKEN = re.compile(r'\s*(?:("(?:\\.|[^"\\])*")|(\[(?:\\.|[^\]\\])*\])|(\{[0-9]+(?:,[0-9]*)?\})|([()|*+?])|([A-Za-z0-9]+))')


def takes(grammar: str, text: str) -> bool:
    """Whether a grammar accepts a text."""
    rules = _rules(grammar)

    @cache
    def of_rule(name: str, at: int) -> frozenset[int]:
        return ends(rules[name], at)

    def ends(node: Any, at: int) -> frozenset[int]:
        kind, *rest = node
        if kind == "text":
            return frozenset({at + len(rest[0])} if text.startswith(rest[0], at) else ())
        if kind == "class":
            return frozenset({at + 1} if at < len(text) and rest[0].fullmatch(text[at]) else ())
        if kind == "rule":
            return of_rule(rest[0], at)
        if kind == "any":
            return frozenset().union(*(ends(part, at) for part in rest))
        if kind == "all":
            here = frozenset({at})
            for part in rest:
                here = frozenset().union(*(ends(part, each) for each in here))
            return here
        part, least, most = rest
        here, found, times = frozenset({at}), frozenset[int](), 0
        while here and (most is None or times <= most):
            found |= here if times >= least else frozenset()
            here = frozenset().union(*(ends(part, each) for each in here)) - (found if times >= least else frozenset())
            times += 1
        return found

    with _depth(200_000):
        return len(text) in of_rule("root", 0)


@lru_cache(maxsize=8)
def _rules(grammar: str) -> dict[str, Any]:
    return {
        name: _Reader(body).alternatives()
        for name, body in (line.split(" ::= ", 1) for line in grammar.strip("\n").split("\n"))
    }


@contextmanager
def _depth(limit: int) -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class _Reader:
    def __init__(self, body: str) -> None:
        self.tokens = [found.groups() for found in _TOKEN.finditer(body)]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][3] or "" if self.at < len(self.tokens) else ")"

    def alternatives(self) -> Any:
        made = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            made.append(self.sequence())
        return ("any", *made)

    def sequence(self) -> Any:
        made: list[Any] = []
        while self.peek() not in ("|", ")"):
            literal, chars, count, sign, name = self.tokens[self.at]
            self.at += 1
            if literal:
                made.append(("text", _unescaped(literal[1:-1])))
            elif chars:
                made.append(("class", re.compile(chars)))
            elif name:
                made.append(("rule", name))
            elif sign == "(":
                made.append(self.alternatives())
                self.at += 1
            else:
                low, _, high = (count or "{0,}")[1:-1].partition(",")
                most = int(high) if high else None if count is None or "," in count else int(low)
                least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(sign or "", (int(low), most))
                made[-1] = ("times", made[-1], least, most)
        return ("all", *made)


def _unescaped(text: str) -> str:
    known = {"n": "\n", "r": "\r", "t": "\t"}
    return re.sub(
        r"\\(?:x([0-9A-Fa-f]{2})|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else known.get(found[2], found[2]),
        text,
    )
