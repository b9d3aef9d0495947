"""`Marks`: finds literal markers in text that may be cut anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final

from ..values.late import late

_BLANKS: Final = re.compile(r"[ \t\r\n]*+")


class Marks:
    """A set of literal markers. None of them begins another."""

    def __init__(self, markers: Iterable[str]) -> None:
        self.markers: Final = tuple(dict.fromkeys(markers))
        """The markers, without repetitions."""
        self._heads: Final = frozenset(marker[:size] for marker in self.markers for size in range(1, len(marker)))
        self._firsts: Final = "".join(sorted({marker[0] for marker in self.markers}))
        self.longest: Final = max(map(len, self.markers), default=0)
        """The length of the longest marker."""
        twice = self._heads & frozenset(self.markers)
        if twice:
            raise ValueError(
                f"the marker {min(twice)!r} begins another one; a text that is cut after it would be read in two ways"
            )
        markers = self.markers  # a variable of its own, so that no pattern keeps this object
        # A guard of all dialects has hundreds of patterns, and a reply needs few.
        self._pattern: Final = late("|".join(map(re.escape, markers)) or r"(?!)")
        self._damaged: Final = late(lambda: _damaged(markers))
        self._signs: Final = (*_SIGNS, *(marker for marker in markers if marker[0] != "<"))
        self._begins: Final = late(lambda: rf"<(?:(?P<bare>{_LINE_END})|{_begins(markers)}(?P<end>{_LINE_END})?)")
        self._cut: Final = late(lambda: rf"<(?:{_begins(markers)})?+{_LINE_END}")
        self._line_again: Final = late(
            lambda: (
                rf"^([ \t]*+)([^\s<][^\r\n<]{{{_AGAIN - 1},{_REPEATED}}}+)"
                rf"<(?:(?:{_begins(markers)})?+{_LINE_END}\1|{_begins(markers)}[ \t]*+)\2"
            ),
            re.MULTILINE,
        )

    @cached_property
    def _cut_closers(self) -> tuple[str, ...]:
        """All beginnings of the closers, without the whole closers."""
        closers = [marker for marker in self.markers if marker.startswith("</")]
        return tuple({marker[:size] for marker in closers for size in range(1, len(marker))})

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(found[1] for marker in self.markers if (found := _TAG_NAME.match(marker)) is not None)

    @cached_property
    def free(self) -> re.Pattern[str]:
        """The pattern of text without any part of a marker. If a marker has a backslash, a character after a backslash is no
        part of one.

        The group is a cut escape.
        """
        return _free(self._firsts, "")

    @cached_property
    def free_in_json(self) -> re.Pattern[str]:
        """The pattern of text inside a string of JSON that has no part of a marker and does not end the string."""
        return _free(self._firsts + _JSON_STRING, _CONTROLS)

    def __contains__(self, marker: object) -> bool:
        return marker in self.markers

    def at(self, text: str, pos: int) -> str | None:
        """Return the marker at a place; None if there is none."""
        found = self._pattern.match(text, pos)
        return found[0] if found is not None else None

    def begun(self, text: str, pos: int) -> bool:
        """Return whether the text from a place to its end is the beginning of a marker."""
        return len(text) - pos < self.longest and text[pos:] in self._heads

    def find(self, text: str, pos: int, *, final: bool = False) -> tuple[int, str | None]:
        """Return the place of the first marker, and the marker.

        If there is no marker, it is None, and the place is that of a marker that may be cut by the end of the text, or else the
        end. In a `final` text no marker is cut.
        """
        found = self._pattern.search(text, pos)
        if found is not None:
            return found.start(), found[0]
        size = len(text)
        if final:
            return size, None
        at = max(pos, size - self.longest + 1)
        while at < size:
            if text[at] in self._firsts and text[at:] in self._heads:
                return at, None
            at += 1
        return size, None

    def within(self, text: str) -> bool:
        """Return whether a text contains a marker, whole or damaged."""
        if self._is_damaged(text):
            return True
        return not text.isascii() and holds_any(text, _ALIKE) and self._is_damaged(text.translate(AS_BRACKETS))

    def _is_damaged(self, text: str) -> bool:
        return holds_any(text, self._signs) and (self._damaged.search(text) is not None or self._like_one(text))

    def _like_one(self, text: str) -> bool:
        """Return whether a text contains a tag whose name is nearly that of a marker."""
        return any(_is_like(name, self._names) for name in set(_TAG_NAME.findall(text)))

    def retried(self, text: str, openers: Iterable[str] = ()) -> bool:
        """Return whether a text contains the beginning of a marker, and after it the text begins again, or the rest of a marker
        follows.

        Then the value was begun twice. A bare bracket counts at the end of a line. `openers` are the openers of the value
        itself.
        """
        if "<" in text and self._goes_on(text, openers):
            return True
        for one in openers:
            at = text.find(one[_REST:])
            told = text[: min(at, _REPEATED)].strip(_SPACE)
            if at > 0 and len(told) >= _AGAIN and text.startswith(told, at + len(one) - _REST):
                return True
        return False

    def _goes_on(self, text: str, openers: Iterable[str]) -> bool:
        """Return whether a text begins again after the bracket of a tag, or the rest of a marker follows that bracket."""
        if self._begins_cut(text.lstrip(_SPACE)) or self._line_again.search(text) is not None:
            return True
        for found in self._begins.finditer(text[: _REPEATED + 2 * self.longest]):
            start, at = found.span()
            told = text[: min(start, _REPEATED)].strip(_SPACE)
            within = text[start + 1 : at] + text[at : at + 2 * _REPEATED].lstrip(_BEHIND)[: len(told)]
            if len(told) >= (1 if found["end"] or found["bare"] else _AGAIN) and told in within:
                return True
        head = text[:_REPEATED]
        if len(head) == _REPEATED and (at := text.find(head, _REPEATED)) > 0 and self._ends_cut(text, at):
            return True
        rests: tuple[str, ...] = ()
        for number, found in enumerate(self._cut.finditer(text)):
            if not number:
                rests = tuple({one[size:] for one in (*openers, *self.markers) for size in range(1, len(one) - 1)})
            if number == _MOST_CUT or text[found.end() : found.end() + 2 * self.longest].lstrip(_SPACE).startswith(rests):
                return True
        return False

    def _ends_cut(self, text: str, at: int) -> bool:
        """Return whether a cut marker ends at a place."""
        told = text[max(at - self.longest - _REPEATED, 0) : at]
        return any(found.end() == len(told) for found in self._begins.finditer(told))

    def _begins_cut(self, told: str) -> bool:
        """Return whether a text begins with a cut marker that is no tag with attributes."""
        if _BARE_LINE.match(told) is not None:
            return True
        found = self._begins.match(told)
        if found is None:
            return False
        behind = told[found.end() : found.end() + _REPEATED]
        cut = found["end"] is not None or (found.end() > _BEGINNING and behind[:1] in (" ", "\t"))
        return cut and _OF_TAG.match(behind) is None

    def cut_at_end(self, text: str) -> bool:
        """Return whether the text of a value ends with the beginning of a closer: then the closer was written twice."""
        told = text.rstrip(_SPACE)[-self.longest :]
        return "<" in told and told.endswith(self._cut_closers)


AS_BRACKETS: Final = str.maketrans(
    "\uff1c\ufe64\u3008\u2039\u27e8\uff1e\ufe65\u3009\u203a\u27e9\uff0f\uff1d\uff02", '<<<<<>>>>>/="'
)
"""Replaces characters that look like those of a tag, such as full-width ones, by those of a tag."""

_ALIKE: Final = tuple(map(chr, AS_BRACKETS))

_SIGNS: Final = ("<", ">", "&", "\\", "%", "[", "{", "(")
"""The characters of which any rest of a tag has one; each branch of `_damaged` begins with one. Many values have none."""

_SPACE: Final = " \t\r\n"
_BEHIND: Final = f"{_SPACE}>"
_BARE_LINE: Final = re.compile(r"<[/|\uff5c\\]{0,2}[ \t]*[\r\n]")
"""Matches the beginning of a marker that is alone on its line."""

_OF_TAG: Final = re.compile(r"\s*+(?:[\w:.@-]++\s*+=|/?>|\{|\Z)")
"""Matches the text after the name of a tag of HTML or XML: an attribute, the bracket, a brace."""

_REPEATED: Final = 32
"""The number of characters at the beginning of a text that are searched for after a cut marker."""

_AGAIN: Final = 3
"""The fewest of these characters that count as a repetition, unless a line ends between the two."""

_REST: Final = 2
"""The most characters that may be missing at the beginning of an opener."""

_MOST_CUT: Final = 4096
"""The most lines of one value that are checked for the beginning of a marker at their end."""

_LINE_END: Final = r"[ \t]*+[\r\n]++"

_JSON_STRING: Final = '"\\'
"""The character that ends a string of JSON, and the one that begins an escape."""

_HALVES: Final = r"\ud800-\udfff"
"""The halves of surrogate pairs, whose meaning depends on the next text."""

_CONTROLS: Final = r"\x00-\x1f"


@lru_cache(maxsize=256)
def _free(firsts: str, others: str) -> re.Pattern[str]:
    """Return the pattern of text without any of these characters, `others` being a part of a class. A quote or a backslash may
    be escaped.
    """
    plain = f"[^{re.escape(firsts)}{others}{_HALVES}]*+"
    if "\\" not in firsts:
        return re.compile(plain)
    never = re.escape("".join(char for char in firsts if char not in "\\\"'")) + others + _HALVES
    return re.compile(rf"{plain}(?:\\[^{never}]{plain})*+(\\)?")


@lru_cache(maxsize=256)
def marks(markers: tuple[str, ...]) -> Marks:
    """Return the set of these markers, which is cached."""
    return Marks(markers)


def holds_any(text: str, signs: Iterable[str]) -> bool:
    """Return whether a text contains one of several signs. For single characters this is faster than a pattern."""
    for sign in signs:  # noqa: SIM110  # a generator takes longer than all of them
        if sign in text:
            return True
    return False


def skip(text: str, at: int) -> int:
    """Return the place after white space."""
    found = _BLANKS.match(text, at)
    return found.end() if found is not None else at


def _damaged(markers: Iterable[str]) -> str:
    """Return a pattern that finds these markers, also without their first or last character, or with another sign for the
    bracket.

    The beginning of a closer is enough, in upper or lower case and before any text: `</param- x` and `</PARAMETERS>` may be cut
    closers. Each branch begins with a bracket, or the entity or the escape of one: with one character, so that `re` looks for
    these first.
    """
    begins = {marker[1:-1] for marker in markers if marker[0] == "<"}
    whole = {marker for marker in markers if marker[0] != "<"}
    ends = {_end(marker) for marker in markers if marker[0] == "<" and marker[-1] == ">"}
    closers = {marker[2:-1] for marker in markers if marker.startswith("</")}
    tags = "|".join([
        *(rf"{re.escape(text)}{_NO_WORD if _WORD_END.search(text) else ''}" for text in sorted(begins)),
        *(rf"(?i:[ \t]*+\\?/[ \t]*+{_begun(name)})" for name in sorted(closers)),
    ])  # fmt: skip
    branches = [
        *((f"<(?:{tags})", f"&(?i:lt|#0*60|#x0*3c);(?:{tags})") if tags else ()),
        *((rf"\\(?i:u00|x)3[cC](?:{tags})", f"%3[cC](?:{tags})") if tags else ()),
        *(rf"{sign}/(?i:{re.escape(name)})[\]}})]" for name in sorted(closers) if len(name) > _BEGINNING for sign in _OTHERS),
        *(rf">(?i:(?<={re.escape(text)}))" for text in sorted(ends)),
        *map(re.escape, sorted(whole)),
    ]
    return "|".join(branches) or r"(?!)"


@lru_cache(maxsize=256)
def _begins(markers: tuple[str, ...]) -> str:
    """Return a pattern of all beginnings of markers, without their bracket. Each match is as long as possible."""
    tree: dict[str, dict[str, Any]] = {}
    for marker in markers:
        node = tree
        for char in marker[1:] if marker[0] == "<" else "":
            node = node.setdefault(char, {})
    return _branches(tree) or r"(?!)"


def _branches(tree: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a pattern of the paths into a tree of characters, each with at least one character."""
    parts = [re.escape(char) + (f"(?:{more})?+" if (more := _branches(rest)) else "") for char, rest in sorted(tree.items())]
    return f"(?:{'|'.join(parts)})" if parts else ""


def _begun(name: str) -> str:
    """Return a pattern of the beginning of a closer's name. A short beginning must be the whole name: `</p` does not begin
    `</pre>`.
    """
    return re.escape(name[:_BEGINNING]) + (r"(?!\w)" if len(name) <= _BEGINNING else "")


@lru_cache(maxsize=1024)
def _is_like(name: str, markers: frozenset[str]) -> bool:
    """Return whether the name of a tag is nearly that of a marker.

    It may have other capitals; one letter more, less or different; letters that changed places; a part that is doubled or left
    out.
    """
    told = name.lower()
    return any(_is_nearly(told, marker.lower()) for marker in markers if name != marker)


def _is_nearly(told: str, name: str) -> bool:
    size, least = len(name), max(_SHORTEST, len(name) - 3)
    if told == name:
        return True
    if not least <= len(told) <= 2 * size:
        return False
    begun = next((at for at, (one, other) in enumerate(zip(told, name, strict=False)) if one != other), min(len(told), size))
    ended = next(
        (at for at, (one, other) in enumerate(zip(told[::-1], name[::-1], strict=False)) if one != other), min(len(told), size)
    )
    if begun and ended and begun + ended >= len(told):
        return True  # a part of the name is doubled or left out
    return size >= _LONG and ((len(told) == size and sorted(told) == sorted(name)) or begun + ended >= max(len(told), size) - 1)


_SHORTEST: Final = 4
"""The length of the shortest name of a tag that may resemble another name."""

_LONG: Final = 5
"""The fewest letters of a name in which one letter may differ."""

_TAG_NAME: Final = re.compile(r"<[/\\]?[ \t]*([A-Za-z_:|\uff5c\u2581][\w:|\uff5c\u2581-]{0,63})")

_OTHERS: Final = (r"\[", r"\{", r"\(")
"""Patterns of other brackets that may replace the one with which a tag begins."""


def _end(marker: str) -> str:
    """Return a pattern of the end of a tag that identifies the tag. The part before a bar, or the first letter of several
    words, may be lost.
    """
    if "|" in marker:
        return marker[marker.index("|") :]
    return marker[2:] if "_" in marker and len(marker) > _LONG_TAG and marker[1] != "/" and ":" not in marker else marker[1:]


_LONG_TAG: Final = 10
"""The fewest characters of a tag that is recognised by its end: no other text ends with `rg_value>`."""

_BEGINNING: Final = 5
"""The number of characters of a closer's name that count as its beginning."""

_WORD_END: Final = re.compile(r"\w\Z")
_NO_WORD: Final = r"(?![\w-])"  # `<functional>` does not contain the marker `<function>`
