"""Texts without some markers, as rules that read one character at a time, for formats that cannot exclude texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, TypeVar

from .nodes import ANY, EMPTY, Node, Rule, Until, alt, of, other, seq
from .values import JSON_ESCAPE, JSON_SAFE

BLANK: Final = " \t\r\n"


_Word = tuple[str, str] | None
"""The state of a text that may be one of the words in `never`: whether it is before, in or behind the word, and the word's
characters so far. None if the text is certainly another one.
"""

_Last = Literal["text", "end", "return", "blanks"]
"""The line-end state of a text: it ends with a line end (`return` is a `\\r`), with a line of blanks, or with other text."""

_Read = tuple[str, _Word, int, _Last]
"""The state of a text so far: the beginning of a marker at its end, the word of `never` that it may be, its length up to
`least`, and its line-end state."""


class _Suffix:
    """Finds the longest end of a text that is the beginning of a marker."""

    def __init__(self, markers: Iterable[str]) -> None:
        self.markers: Final = tuple(markers)
        self._heads: Final = {marker[:size] for marker in self.markers for size in range(1, len(marker))}

    def step(self, end: str, char: str) -> tuple[str, str | None]:
        """Return that end after one more character, and the marker that is then complete, or None."""
        text = end + char
        found = next((marker for marker in self.markers if text.endswith(marker)), None)
        return next((text[at:] for at in range(len(text)) if text[at:] in self._heads), ""), found


def until(node: Until, name: str) -> Mapping[str, Node]:
    """Return the rules of a text up to and with its closer. The first rule has this name."""
    suffix = _Suffix(node.without)
    plain = JSON_SAFE if node.in_json else ANY
    blank = BLANK if _guarded(node) or not node.indents else ""
    known = sorted({*"".join(node.without), *"".join(node.never), *node.never_begins, *blank})

    def follow(state: _Read, enter: Callable[[_Read], Rule]) -> Node:
        end, word, count, last = state
        made: list[Node] = []
        whole = count >= node.least and not (word is not None and word[1] in node.never and word[0] != "before")
        if whole and last != "blanks" and not (last == "return" and node.closer[0] == "\n"):
            made.append(_letters(node.closer))
        targets: dict[_Read, list[str]] = {}
        for char in known:
            after, marker = suffix.step(end, char)
            follows = _step(node, word, char)
            if marker is None and follows != _BARRED and any(low <= ord(char) <= high for low, high in plain.ranges):
                assert follows is None or isinstance(follows, tuple)
                ends: _Last = "text" if node.indents else _ends_with(last, char)
                targets.setdefault((after, follows, min(count + 1, node.least), ends), []).append(char)
        for target, characters in targets.items():
            made.append(seq(of("".join(characters)), enter(target)))
        free: _Read = ("", None, min(count + 1, node.least), "text")
        made.append(seq(other(plain, of("".join(known))), enter(free)))
        if node.in_json:
            made.append(seq(JSON_ESCAPE, enter(free)))
        return alt(*made)

    start: _Read = ("", ("before", "") if _guarded(node) else None, 0, "text")
    return _rules(name, start, follow)


_BARRED: Final = "barred"


def _guarded(node: Until) -> bool:
    return bool(node.never or node.never_begins)


def _step(node: Until, word: _Word, char: str) -> _Word | str:
    """Return the next state of a text after this character, or `_BARRED` if the character is not allowed there."""
    if word is None:
        return None
    where, read = word
    if where == "before":
        if char in BLANK:
            return word
        if char in node.never_begins:
            return _BARRED
    if where != "behind" and char not in BLANK and any(each.startswith(read + char) for each in node.never):
        return "in", read + char
    return ("behind", read) if char in BLANK and where != "before" and read in node.never else None


def _ends_with(last: _Last, char: str) -> _Last:
    """Return the next line-end state after this character."""
    if char in "\r\n":
        return "blanks" if last == "blanks" else "return" if char == "\r" else "end"
    return "blanks" if char in BLANK and last != "text" else "text"


def _letters(text: str) -> Node:
    """Return a node that matches a text character by character, since an engine may miss the end of the text before a word."""
    return seq(*(of(char) for char in text))


def dispatch(entries: Sequence[tuple[str, Node]], name: str) -> Mapping[str, Node]:
    """Return the rules of free text in which each trigger is followed by its node. The first rule has this name.

    Each node includes the text that may follow the call.
    """
    bodies = dict(entries)
    suffix = _Suffix(bodies)
    known = sorted(set("".join(bodies)))

    def follow(end: str, enter: Callable[[str], Rule]) -> Node:
        made: list[Node] = [EMPTY]
        targets: dict[str, list[str]] = {}
        for char in known:
            after, trigger = suffix.step(end, char)
            if trigger is not None:
                made.append(seq(of(char), bodies[trigger]))
            else:
                targets.setdefault(after, []).append(char)
        made += (seq(of("".join(characters)), enter(target)) for target, characters in targets.items())
        made.append(seq(other(ANY, of("".join(known))), enter("")))
        return alt(*made)

    return _rules(name, "", follow)


_State = TypeVar("_State")


def _rules(name: str, start: _State, follow: Callable[[_State, Callable[[_State], Rule]], Node]) -> Mapping[str, Node]:
    names: dict[_State, str] = {start: name}
    left, made = [start], dict[str, Node]()

    def enter(state: _State) -> Rule:
        if state not in names:
            names[state] = f"{name}x{len(names)}"
            left.append(state)
        return Rule(names[state])

    while left:
        state = left.pop()
        made[names[state]] = follow(state, enter)
    return made
