"""What may stand where in a block, as far as a reader of broken JSON needs it: which keys can follow, which strings hold code.

Read once from a toolset. A `Node` is wide on purpose: it holds the fields of every tool, what models call them instead, and the
envelopes. Whether a call is right is the schema's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from ..schema.fields import Field, split
from ..toolset.arguments import path_rule
from ..toolset.tools import Tools
from ..values.call_keys import ARGUMENT_KEYS, NAME_KEYS, NEUTRAL_KEYS, PATH_KEY, TOOL_KEY, TOOL_KEYS
from .lines import has_one_line

NAMES: Final = (TOOL_KEYS | NAME_KEYS) - {"tool_calls"}
"""Keys whose text is a tool's name."""

WRAPPERS: Final = ("function", "function_call", "functionCall", "tool_call", "toolCall", "tool_use")
"""Keys that may hold a whole call."""


@dataclass(slots=True, eq=False)
class Node:
    """The allowed contents of a value, before it is read."""

    members: dict[str, Node] = field(default_factory=dict)
    """The nodes of its members by name; none when any member may stand there."""

    items: Node | None = None
    """The node of each item of an array."""

    kinds: frozenset[str] = frozenset()
    """The allowed JSON types without null; empty for any."""

    lists: bool = False
    """Whether a list may stand here."""

    plain: bool = False
    """Whether a text here is a name, a path or a choice: short, on one line, without quotes."""

    words: frozenset[str] = frozenset()
    """The words that may stand here without quotes."""

    open: bool = False
    """Whether members of other names may stand here, too."""

    one_line: bool = False
    """Whether a text here has one line, plain or not."""

    def at(self, key: str) -> Node:
        """Return the node of the member with this name."""
        return self.members.get(key, ANYTHING)


ANYTHING: Final = Node()
"""The node of a value that no schema describes."""

_Known = dict[tuple[Field, bool], Node]
# One schema may describe a path and a text: so what was read of it is kept for each.


class Grammar:
    """The nodes of a toolset."""

    def __init__(self, tools: Tools) -> None:
        known: _Known = {}
        names = frozenset(word for tool in tools for word in (tool.name, *tool.aliases))
        self.call: Final = Node()
        """The node of a call, in any envelope."""
        name = Node(plain=True, words=names)
        call = self.call.members
        for tool in tools:
            of_a_file = path_rule in tool.rules
            for key, member in tool.fields.members.items():
                _merge(call, key, _node(member, known, plain=of_a_file and key == PATH_KEY))
            for alias, target in tool.field_aliases.items():
                own = tool.fields.at(split(target))
                _merge(call, alias, _node(own, known, plain=of_a_file and target == PATH_KEY) if own is not None else Node())
            for path in tool.fields.all():
                leaf = tool.fields.at(path)
                assert leaf is not None  # it is its own path
                _merge(call, str(path[-1]), _node(leaf, known, plain=of_a_file and path == (PATH_KEY,)))
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
        """The key of the tool and the names of fields that are a call's own, and of no inner object. None where an inner object
        takes any."""


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
        any_object = (not here.kinds or "object" in here.kinds) and not (here.closed or here.allowed)
        if any_object or ("array" in here.kinds and here.items is None):
            return frozenset()
        inner.update(here.members)
        waiting += [part for part in (*here.members.values(), *here.leading, here.items, here.values) if part is not None]
    return frozenset(own - inner)


def _known_names(tools: Tools) -> Iterator[str]:
    for tool in tools:
        yield from tool.field_aliases
        for path in tool.fields.all():
            yield str(path[-1])


def _merge(into: dict[str, Node], key: str, node: Node) -> None:
    """Add a node under a name. Where two tools give the name to different things, it is joined with theirs and allows both."""
    there = into.setdefault(key, node)
    if there is not node:
        into[key] = Node(
            {**there.members, **node.members},
            there.items or node.items,
            there.kinds | node.kinds if there.kinds and node.kinds else frozenset(),
            there.lists or node.lists,
            there.plain and node.plain,
            there.words | node.words,
            there.open or node.open,
            there.one_line and node.one_line,
        )


def _node(field: Field, known: _Known, *, plain: bool = False) -> Node:
    if (field, plain) in known:
        return known[field, plain]
    choices = _texts(field.allowed)
    made = known[field, plain] = Node(
        kinds=frozenset(field.kinds) - {"null"},
        lists="array" in field.kinds or not field.kinds,
        plain=plain or bool(choices) or field.format is not None,
        words=frozenset(choices),
        one_line=has_one_line(field),
    )
    made.members = {key: _node(member, known) for key, member in field.members.items()}
    made.items = _node(field.items, known) if field.items is not None else None
    made.open = not field.closed
    return made


def _texts(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]
