"""Texts that match a regular expression, as far as schemas use them: literals, classes, groups, alternatives, repetitions."""

from __future__ import annotations

import re
import string
from random import Random
from typing import Final

MORE: Final = 4
"""How many more than the least a repetition without a bound has at most."""

_DIGITS: Final = string.digits
_WORD: Final = string.ascii_letters + _DIGITS + "_"
_ANY: Final = _WORD + " -.,:/"
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": " ", "D": string.ascii_letters, "W": " -.", "S": _WORD}
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}


def drawn(pattern: str, rng: Random) -> str | None:
    """Return a text that matches the pattern; None for a pattern that looks around or back."""
    try:
        made = _Reader(pattern, rng).whole()
    except (ValueError, IndexError):
        return None
    try:
        return made if re.search(pattern, made) else None
    except re.error:
        return made


class _Reader:
    """Reads a pattern from its beginning, and draws while it reads."""

    def __init__(self, pattern: str, rng: Random) -> None:
        self._pattern: Final = pattern
        self._rng: Final = rng
        self._at = 0

    def whole(self) -> str:
        made = self._alternatives()
        if self._at < len(self._pattern):
            raise ValueError("one closing bracket too many")
        return made

    def _alternatives(self) -> str:
        made = [self._sequence()]
        while self._takes("|"):
            made.append(self._sequence())
        return self._rng.choice(made)

    def _sequence(self) -> str:
        made = ""
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            start = self._at
            first = self._one()
            end = self._at
            least, most = self._times()
            behind = self._at
            count = self._rng.randint(least, most)
            made += first if count else ""
            for _ in range(count - 1):
                self._at = start
                made += self._one()
                self._at = end
            self._at = behind
        return made

    def _one(self) -> str:
        char = self._next()
        if char == "(":
            if self._takes("?"):
                if self._takes("<") and self._pattern[self._at] not in "=!":
                    self._at = self._pattern.index(">", self._at) + 1
                elif not self._takes(":"):
                    raise ValueError("it looks around")
            made = self._alternatives()
            if not self._takes(")"):
                raise ValueError("the pattern has an unclosed group")
            return made
        if char == "[":
            return self._class()
        if char == ".":
            return self._rng.choice(_ANY)
        if char in "^$":
            return ""
        if char == "\\":
            return self._rng.choice(self._escaped())
        return char

    def _class(self) -> str:
        negated = self._takes("^")
        able = ""
        first = True
        while first or self._pattern[self._at] != "]":
            first = False
            char = self._next()
            some = self._escaped() if char == "\\" else char
            if len(some) == 1 and self._pattern[self._at] == "-" and self._pattern[self._at + 1] != "]":
                self._at += 1
                last = self._next()
                end = self._escaped() if last == "\\" else last
                some = "".join(map(chr, range(ord(some), min(ord(end), ord(some) + 200) + 1)))
            able += some
        self._at += 1
        able = "".join(char for char in _ANY if char not in able) if negated else able
        return self._rng.choice(able)

    def _escaped(self) -> str:
        """Return the characters that an escape stands for."""
        char = self._next()
        if char in "bB":
            raise ValueError("it looks around")
        if char in "123456789pPk":
            raise ValueError("it looks back, or at a property")
        if char in "ux":
            size = 4 if char == "u" else 2
            self._at += size
            return chr(int(self._pattern[self._at - size : self._at], 16))
        return _CLASSES.get(char) or _ESCAPES.get(char, char)

    def _times(self) -> tuple[int, int]:
        """Return the fewest and the most times that the item before this quantifier may stand."""
        least, most = 1, 1
        if self._takes("*"):
            least, most = 0, MORE
        elif self._takes("+"):
            least, most = 1, 1 + MORE
        elif self._takes("?"):
            least, most = 0, 1
        elif found := re.compile(r"\{(\d+)(,?)(\d*)\}").match(self._pattern, self._at):
            self._at = found.end()
            least = int(found[1])
            most = int(found[3]) if found[3] else least + MORE if found[2] else least
        else:
            return 1, 1
        self._takes("?")
        return least, min(most, least + 20)

    def _next(self) -> str:
        self._at += 1
        return self._pattern[self._at - 1]

    def _takes(self, char: str) -> bool:
        """Take the next character if it is this one; return whether it was."""
        found = self._pattern[self._at : self._at + 1] == char
        self._at += found
        return found
