"""Finds the openers of dialects in text.

Several dialects share an opener. Then the beginning of the body decides; blanks before it do not count.

Rule: the answer depends on the characters from the opener on, never on where a delta ends. Where more must be read, it says
so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from ..dialects.table import TOOL, Dialect, Opener
from ..values.late import late
from .literals import Literals
from .strays import OF_HTML, STRAYS, spoiled, strays_of

LONGEST_CLOSER: Final = 64
"""The number of characters at the end of a text that are kept, to find a closer that is cut there: no closer is longer."""

MAX_BLANKS: Final = 64
"""The most blanks between an opener and the first character of its body."""

_BLANKS: Final = late(rf"[ \t\r\n]{{0,{MAX_BLANKS}}}")


class Found(NamedTuple):
    """An opener with its dialect."""

    dialect: Dialect
    opener: Opener
    text: str
    """The opener as written."""
    tool: str | None = None
    """The name of the tool in the opener, or the path before it; None without either."""


class Openers:
    """The openers of some dialects, for a set of tools."""

    __slots__ = (
        "_anywhere",
        "_by_text",
        "_line",
        "_reply",
        "_strays",
        "_strays_of_line",
        "behind_paths",
        "elements",
        "firsts",
        "reads_before",
        "stop",
    )

    def __init__(self, dialects: Iterable[Dialect], names: Sequence[str], fields: Iterable[str] = ()) -> None:
        """Prepare to find openers. `names` are the names of the tools, `fields` the names of their arguments."""
        dialects = tuple(dialects)
        found: dict[str, list[Found]] = {}
        for dialect in dialects:
            for opener in dialect.openers:
                for name in names if TOOL in opener.text else (None,):
                    text = opener.text if name is None else opener.text.replace(TOOL, name)
                    found.setdefault(text, []).append(Found(dialect, opener, text, name))
        for some in found.values():
            some.sort(key=lambda one: one.opener.yields)
        self._by_text: Final[Mapping[str, Sequence[Found]]] = found
        anywhere = [text for text, some in found.items() if any(one.opener.place == "anywhere" for one in some)]
        self._anywhere: Final = Literals(anywhere)
        reply = [text for text, some in found.items() if all(one.opener.place == "reply" for one in some)]
        self._reply: Final = Literals(reply) if reply else None
        self._line: Final = Literals(found.keys() - set(reply))
        marks = [(mark, one.openers[0].place) for one in dialects for mark in (*one.strays, *one.value_marks)]
        spoiled_ones = spoiled(opener.text for one in dialects for opener in one.openers if TOOL not in opener.text)
        self._strays: Final = Literals((*STRAYS, *spoiled_ones, *(mark for mark, place in marks if place == "anywhere")))
        tagged = f"<{TOOL}>" in {opener.text for one in dialects for opener in one.openers}
        fields = tuple(fields) if tagged else ()
        tags = strays_of(names, fields) if tagged else ()
        self.elements: Final = frozenset(field for field in fields if field.lower() in OF_HTML)
        """The names of fields that are also elements of HTML, in dialects whose tags have the names of fields."""
        self._strays_of_line: Final = Literals((*STRAYS, *spoiled_ones, *tags, *(mark for mark, _ in marks)))
        firsts = sorted({text[0] for text in (*(found.keys() - set(reply)), *STRAYS)})
        self.firsts: Final = "[`" + "".join(map(re.escape, firsts)) + "]"
        """A pattern of a backtick, or of the first character of an opener or a stray mark."""
        behind = (one for some in found.values() for one in some if one.opener.behind_path)
        self.behind_paths: Final = frozenset(one.text[0] for one in behind)
        """The first characters of openers that come after a path. These openers count in fences too."""
        self.reads_before: Final = bool(self.behind_paths) or any(one.alone for one in dialects)
        """Whether the text before an opener matters: the path of a file, or an object to which a call without an opener
        belongs."""
        self.stop: Final = re.compile(rf"[\r\n]|{self.firsts}")
        """Matches the place up to which prose is read at once: a line end, a backtick, or the first character of an opener."""

    @property
    def of_reply(self) -> bool:
        """Whether some opener counts only where the reply begins."""
        return self._reply is not None

    def at(self, text: str, pos: int, *, line: bool) -> Found | Literal[""] | None:
        """Return the opener at this position; "" if the text there may still become one, None if it cannot.

        `line` is whether a line begins here.
        """
        return self._matched(self._line if line else self._anywhere, text, pos, line=line)

    def at_reply(self, text: str, pos: int) -> Found | Literal[""] | None:
        """Return the opener at this position, as `at` does, among those that count only at the beginning of the reply."""
        return self._matched(self._reply, text, pos, line=True) if self._reply is not None else None

    def _matched(self, texts: Literals, text: str, pos: int, *, line: bool) -> Found | Literal[""] | None:
        opener = texts.at(text, pos)
        if not opener:
            return None if opener is None else ""
        found = [one for one in self._by_text[opener] if line or one.opener.place == "anywhere"]
        if found[0].opener.begins is None:
            return found[0]
        blanks = _BLANKS.match(text, pos + len(opener))
        assert blanks is not None  # it matches the empty string
        if blanks.end() == len(text):
            return "" if blanks.end() - blanks.start() < MAX_BLANKS else None
        for one in found:
            begun = one.opener.begins is None or one.opener.begins.match(text, blanks.end(), partial=True)
            if begun is True or (begun is not None and not begun.partial):
                return one
            if begun is not None:
                return ""
        return None

    def next(self, found: Found, text: str, pos: int) -> Found | None:
        """Return the next opener with the same spelling, for a body that turned out not to be of the dialect of `found`."""
        some = [one for one in self._by_text[found.text] if one.tool is None and not one.opener.behind_path]
        blanks = _BLANKS.match(text, pos + len(found.text))
        assert blanks is not None  # it matches the empty string
        for one in some[some.index(found) + 1 :] if found in some else ():
            begins = one.opener.begins
            if one.opener.place in ("anywhere", found.opener.place) and (
                begins is None or begins.match(text, blanks.end(), partial=True) is not None
            ):
                return one
        return None

    def stray(self, text: str, pos: int, *, line: bool) -> str | None:
        """Return the stray mark at this position; "" if the text there may still become one, None if it cannot.

        `line` is whether a line begins here.
        """
        return (self._strays_of_line if line else self._strays).at(text, pos)


@lru_cache(maxsize=32)
def openers_of(dialects: tuple[Dialect, ...], names: tuple[str, ...], fields: tuple[str, ...]) -> Openers:
    """Return the openers of these dialects for tools with these names and fields. The result is cached for equal guards."""
    return Openers(dialects, names, fields)


def any_of(texts: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of these texts; one that finds nothing if there are none."""
    return re.compile("|".join(map(re.escape, texts)) or r"(?!)")
