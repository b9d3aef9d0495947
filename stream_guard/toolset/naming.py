"""The names of a toolset: patterns that find them, and whether a body that is not JSON names a tool as a call does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from ..schema.spelling import tokens
from ..values.call_keys import ARGUMENT_KEYS, NAME_KEYS, NEUTRAL_KEYS, REMARK_KEYS, TOOL_KEYS, KnownName, folded
from ..values.late import late
from .tool import Tool


def known_name(written: str, tool: Tool, fields: frozenset[str]) -> KnownName:
    """Return what is known of a name that means this tool. `fields` are the folded names of the tool's fields."""
    words = tokens(written)
    word = len(words) < 2
    return KnownName(
        fields=fields,
        exact=written == tool.name or written in tool.aliases,
        word=word,
        everyday=word and "".join(words) != "".join(tokens(tool.name)),
    )


def joints(names: Iterable[tuple[str, str]]) -> re.Pattern[str]:
    """Return a pattern of the place where the first two words of a name meet, in any spelling: `write_file`, `writeFile`.

    Each part of the pattern begins with a fixed character, so that most text is skipped quickly.
    """
    firsts: dict[str, set[str]] = {}
    for first, second in names:
        firsts.setdefault(second, set()).add(first)

    def meet(mark: str, second: str, rest: str) -> str:
        behind = "|".join(rf"(?<={re.escape(f'{first}{mark}{rest}')})" for first in sorted(firsts[second]))
        return f"{re.escape(rest)}(?:{behind})"

    seconds = sorted(firsts)
    parts = [f"{mark}(?i:{'|'.join(meet(mark, word, word) for word in seconds)})" for mark in "_-" if seconds]
    parts += (f"{re.escape(word[0].upper())}(?i:{meet(word[0].upper(), word, word[1:])})" for word in seconds)
    return re.compile("|".join(parts) or "(?!)")


def apart(names: Iterable[Sequence[str]]) -> re.Pattern[str]:
    """Return a pattern of a line that begins with the words of a name, with blanks between them, and a colon or bracket after
    them.

    The pattern begins with the end of the line before, so that most text is skipped quickly.
    """
    firsts: dict[str, set[str]] = {}
    for first, *others in names:
        firsts.setdefault(re.escape(first), set()).add(" ".join(map(re.escape, others)))
    words = "|".join(f"{first} (?:{'|'.join(sorted(others))})" for first, others in sorted(firsts.items()))
    return re.compile(rf"\n[ \t>*#_`+-]*+(?i:{words})(?!\w)[*_`]{{0,3}}[ \t]?[:({{\[=\u2013\u2014]" if words else "(?!)")


def field_keys(tools: Iterable[Tool]) -> frozenset[str]:
    """Return the names of the tools' top-level fields, folded, aliases included."""
    return frozenset(folded(name) for tool in tools for name in (*tool.fields.members, *tool.field_aliases))


def distinctive_keys(tools: Iterable[Tool]) -> frozenset[str]:
    """Return the fields that show a call even though its tool is unknown: not an alias of one plain word, such as `text`."""
    own = {name for tool in tools for name in tool.fields.members}
    aliases = {name for tool in tools for name in tool.field_aliases if len(tokens(name)) > 1}
    return frozenset(folded(name) for name in own | aliases) - _SAY_NOTHING


class _Patterns(NamedTuple):
    called: re.Pattern[str]
    tool: re.Pattern[str]
    name: re.Pattern[str]
    field: re.Pattern[str]
    beside: re.Pattern[str]


class Mentions:
    """Tests whether a body that is not JSON names a tool as a call does.

    A name of several words counts beside arguments or a field, before a bracket, or under a key such as `tool`; a tool's own
    name of one word counts before a bracket, or under such a key. An alias that is a plain word, such as `create`, also occurs
    in ordinary examples: it counts only under a key such as `tool`, and beside a field.
    """

    def __init__(self, tools: Iterable[Tool], known: Callable[[str], KnownName | None]) -> None:
        self._tools: Final = tuple(tools)
        self._known: Final = known

    def __call__(self, head: str) -> bool:
        """Return whether a body with this beginning is a call."""
        patterns = self._patterns
        if patterns.called.search(head):
            return True
        name, told = patterns.name.search(head), patterns.tool.findall(head)
        if told and (name or patterns.field.search(head) or any(self._is_distinctive(said) for said in told)):
            return True
        return bool(name and patterns.beside.search(head) and not _SCHEMA.search(head))

    def preload(self) -> None:
        """Compile the patterns, so that no stream waits for that."""
        assert self._patterns

    @cached_property
    def _patterns(self) -> _Patterns:
        """The patterns of the tools' names and fields, compiled for the first body that is not JSON, since that takes some
        time.
        """
        tools = self._tools
        names = {name for tool in tools for name in (tool.name, *tool.aliases)}
        several = {name for name in names if len(tokens(name)) > 1}
        fields = {name for tool in tools for name in (*tool.fields.members, *tool.field_aliases)} - NEUTRAL_KEYS - REMARK_KEYS
        distinctive = distinctive_keys(tools)
        return _Patterns(
            called=re.compile(rf"(?<!\w)(?:{_any({*several, *(tool.name for tool in tools)})})\s*\("),
            tool=re.compile(rf"{_key(TOOL_KEYS)}\s*{_QUOTES}([\w.\-]{{0,64}})"),
            name=re.compile(rf"(?<!\w)(?:{_any(several)})(?!\w)"),
            field=re.compile(_key(name for name in fields if folded(name) in distinctive)),
            beside=re.compile(_key({*fields, *ARGUMENT_KEYS} - NAME_KEYS)),
        )

    def _is_distinctive(self, said: str) -> bool:
        known = self._known(said)
        return known is not None and not known.everyday


_SAY_NOTHING: Final = frozenset(map(folded, NEUTRAL_KEYS | REMARK_KEYS | NAME_KEYS))


def _any(words: Iterable[str]) -> str:
    """Return a pattern of any of these words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))) or "(?!)"


# The quotes and marks that models put around keys and names, other than those of JSON.
_QUOTES: Final = "(?:\\\\|[\"'`\u2018-\u201f\u00ab\u00bb])*"


def _key(words: Iterable[str]) -> str:
    """Return a pattern of these keys in any quotes, with the sign after the key: a colon or a substitute."""
    return rf"(?<!\w)(?i:{_any(words)}){_QUOTES}\s*[:=>\uff1a]"


_SCHEMA: Final = late(_key(("properties", "input_schema", "inputSchema", "$schema")))
"""Matches a key that only the definition of a tool has, and no call."""
