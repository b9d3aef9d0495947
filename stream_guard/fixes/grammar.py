"""What a block may hold in each place, by its toolset: which keys can follow, which values are numbers, which strings hold
code.

`reader.py` asks it. It is made once for a toolset, and reads no body. A `Node` is wide on purpose: it holds the fields of
every tool, what models call them instead, and the envelopes. Whether a call is right is the schema's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from ..schema.fields import Field, split
from ..toolset.arguments import path_rule
from ..toolset.tools import Tools
from ..values.call_keys import ARGUMENT_KEYS, NAME_KEYS, NEUTRAL_KEYS, PATH_KEY, TOOL_KEY, TOOL_KEYS
from .brackets import may_be_an_object
from .lines import has_one_line

NAMES: Final = (TOOL_KEYS | NAME_KEYS) - {"tool_calls"}
"""Keys whose text is a tool's name."""

WRAPPERS: Final = ("function", "function_call", "functionCall", "tool_call", "toolCall", "tool_use")
"""Keys that may hold a whole call."""


@dataclass(slots=True, eq=False)
class Node:
    """The values that are allowed at one place of a block. Made before the block is read."""

    members: dict[str, Node] = field(default_factory=dict)
    """The nodes of the members that a schema describes, by name."""

    items: Node | None = None
    """The node of each item of an array."""

    kinds: frozenset[str] = frozenset()
    """The allowed JSON types without null; empty for any."""

    lists: bool = False
    """Whether a list is allowed as this value."""

    plain: bool = False
    """Whether a string as this value is a name, a path or a choice: short, on one line, without quotes."""

    words: frozenset[str] = frozenset()
    """The words that are allowed as this value without quotes."""

    open: bool = False
    """Whether members of other names are allowed too."""

    one_line: bool = False
    """Whether a string as this value has one line, plain or not."""

    def at(self, key: str) -> Node:
        """Return the node of the member with this name."""
        return self.members.get(key, ANYTHING)


ANYTHING: Final = Node()
"""The node of a value that no schema describes."""

_UNDESCRIBED: Final = Field()

_Part = tuple[Field, bool]
# A field, and whether it is a path: one schema may describe a path and another text.

_Known = dict[tuple[_Part, ...], Node]


class Grammar:
    """The nodes of a toolset."""

    def __init__(self, tools: Tools) -> None:
        parts: dict[str, dict[_Part, None]] = {}
        names = frozenset(word for tool in tools for word in (tool.name, *tool.aliases))
        self.call: Final = Node()
        """The node of a call, in any envelope."""
        name = Node(plain=True, words=names)
        for tool in tools:
            of_a_file = path_rule in tool.rules
            for key, member in tool.fields.members.items():
                _add(parts, key, member, plain=of_a_file and key == PATH_KEY)
            for alias, target in tool.field_aliases.items():
                _add(parts, alias, tool.fields.at(split(target)) or _UNDESCRIBED, plain=of_a_file and target == PATH_KEY)
            for key, member in tool.fields.inside():
                _add(parts, key, member)
        known: _Known = {}
        call = self.call.members
        call.update({key: _node(tuple(found), known) for key, found in parts.items()})
        for key in NAMES:
            call.setdefault(key, name)
        for key in ARGUMENT_KEYS:
            call.setdefault(key, self.call)
        for key in WRAPPERS:
            call[key] = self.call
        call["tool_calls"] = Node(items=self.call)
        for key in NEUTRAL_KEYS:
            call.setdefault(key, Node())
        self.call.words = names
        self.call.open = not all(tool.fields.closed for tool in tools)
        self.fields: Final = frozenset({TOOL_KEY, *_known_names(tools)})
        """The names of all fields of all tools, inner fields and aliases included."""
        self.outer: Final = _outer_names(tools)
        """The key of the tool, and the names of fields that only a call itself has, and no object inside it. Empty if an inner
        object may have any member."""


def _outer_names(tools: Tools) -> frozenset[str]:
    own = {TOOL_KEY, *(name for tool in tools for name in tool.fields.members)}
    inner = {name for tool in tools for name in tool.field_aliases}
    waiting = [about for tool in tools for about in (*tool.fields.members.values(), tool.fields.items) if about is not None]
    seen = set[int]()
    while waiting:
        here = waiting.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        any_object = may_be_an_object(here) and not here.closed
        if any_object or ("array" in here.kinds and here.items is None):
            return frozenset()
        inner.update(here.members)
        waiting += [part for part in (*here.members.values(), *here.leading, here.items, here.values) if part is not None]
    return frozenset(own - inner)


def _known_names(tools: Tools) -> Iterator[str]:
    for tool in tools:
        yield from tool.field_aliases
        yield from tool.fields.members
        yield from (name for name, _ in tool.fields.inside())


def _add(parts: dict[str, dict[_Part, None]], key: str, field: Field, *, plain: bool = False) -> None:
    parts.setdefault(key, {})[field, plain] = None


def _node(parts: tuple[_Part, ...], known: _Known) -> Node:
    """Return the node of a value that any of these fields may describe.

    Tools may use one name for different things, so several fields may describe one value. `known` holds the nodes made so far,
    and gets each new one.
    """
    if parts in known:
        return known[parts]
    if len(known) >= _MOST:
        return ANYTHING
    fields = [field for field, _ in parts]
    kinds = [frozenset(one.kinds) - {"null"} for one in fields]
    made = known[parts] = Node(
        kinds=frozenset().union(*kinds) if all(kinds) else frozenset(),
        lists=any("array" in one.kinds or not one.kinds for one in fields),
        plain=all(plain or one.format is not None or _texts(one.allowed) for one, plain in parts),
        words=frozenset().union(*(_texts(one.allowed) for one in fields)),
        one_line=all(map(has_one_line, fields)),
        open=not all(one.closed for one in fields),
    )
    members: dict[str, dict[_Part, None]] = {}
    items: dict[str, dict[_Part, None]] = {}
    for one in fields:
        for key, member in one.members.items():
            _add(members, key, member)
        if one.items is not None:
            _add(items, "items", one.items)
    made.members = {key: _node(tuple(found), known) for key, found in members.items()}
    made.items = _node(tuple(items["items"]), known) if items else None
    return made


_MOST: Final = 10_000
"""Limit: the most nodes of a toolset, since unions whose branches contain each other have very many. Past the limit, a value
gets the node `ANYTHING`."""


def _texts(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]
