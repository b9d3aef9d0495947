"""The tools a model may call, and what is known about them before any call.

Rule: everything that can be worked out from a toolset is worked out when it is made. A call costs look-ups only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

from .intent import hint_pattern
from .issues import ValidationIssue
from .schema import Schema, SchemaError

Rule = Callable[[Mapping[str, Any]], Iterable[ValidationIssue]]
"""What a schema cannot say about a call's arguments."""

TOOL_KEY: Final = "tool"
"""The key under which a block names its tool."""


class Risk(IntEnum):
    """What a tool can do to the world. Ordered."""

    READ = 1
    """Changes nothing."""

    WRITE = 2
    """Changes something that can be changed back."""

    DESTRUCTIVE = 3
    """Takes something away."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    """What the model must call it."""

    schema: Mapping[str, Any]
    """The JSON Schema of its arguments: of the block without its `tool` key."""

    description: str = ""
    """What it does, for a person or a model."""

    rules: tuple[Rule, ...] = ()
    """Rules beyond the schema, in order. Each sees the arguments as they are, so it must expect any type."""

    aliases: tuple[str, ...] = ()
    """What models call it instead. An alias is recognised as a call of this tool; it is still an issue."""

    field_aliases: Mapping[str, str] = field(default_factory=dict)
    """What models call its fields instead: alias to field."""

    risk: Risk = Risk.WRITE
    """What it can do to the world."""

    compiled: Schema = field(init=False, repr=False, compare=False)
    """The schema, ready to use."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError("a tool needs a name")
        try:
            object.__setattr__(self, "compiled", Schema(self.schema))
        except SchemaError as error:
            raise SchemaError(f"tool {self.name!r}: {error}") from None

    @property
    def properties(self) -> Mapping[str, Any]:
        """Its top-level fields."""
        found = self.schema.get("properties")
        return found if isinstance(found, Mapping) else {}

    @property
    def required(self) -> tuple[str, ...]:
        """The top-level fields it cannot do without."""
        return tuple(self.schema.get("required", ()))


class Toolset:
    """Tools that are offered together. Cannot be changed; share it freely."""

    def __init__(self, *tools: Tool) -> None:
        self._tools: Final = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools bear the same name")
        if not tools:
            raise ValueError("a toolset needs at least one tool")
        self._aliases: Final = {_normal(alias): tool.name for tool in tools for alias in (tool.name, *tool.aliases)}
        self.fields: Final = frozenset(
            name for tool in tools for name in (*tool.properties, *tool.field_aliases) if name != TOOL_KEY
        )
        """Every top-level field of every tool, aliases included."""
        self.hint: Final = hint_pattern(name for tool in tools for name in (tool.name, *tool.aliases))
        """What to look for in a body that is not JSON."""

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __repr__(self) -> str:
        return f"Toolset({', '.join(self._tools)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the order they were given."""
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        """The tool of exactly this name."""
        return self._tools.get(name)

    def nearest(self, name: str) -> Tool | None:
        """The tool that this name means: its own, an alias, another spelling, or a slip of the pen with nothing else near."""
        exact = self._tools.get(name)
        if exact is not None:
            return exact
        normal = _normal(name)
        known = self._aliases.get(normal)
        if known is None and len(normal) >= _FUZZY_FROM:
            from rapidfuzz import process  # deferred: only a name that nobody knows gets this far
            from rapidfuzz.distance import OSA

            near = process.extract(
                normal, list(self._aliases), scorer=OSA.normalized_similarity, score_cutoff=_FUZZY_CUTOFF, limit=None
            )
            meant = {self._aliases[alias] for alias, _, _ in near}
            known = meant.pop() if len(meant) == 1 else None
        return self._tools.get(known) if known is not None else None

    def knows(self, name: str) -> bool:
        """Whether this is a tool's name, an alias or a near miss."""
        return self.nearest(name) is not None

    def shaped_like(self, keys: Iterable[str]) -> bool:
        """Whether all required fields of some tool are among these keys. One field alone is the shape of anything."""
        have = set(keys)
        for tool in self:
            there = have | {tool.field_aliases[key] for key in have if key in tool.field_aliases}
            if len(tool.required) > 1 and there.issuperset(tool.required):
                return True
        return False


_FUZZY_FROM: Final = 5
_FUZZY_CUTOFF: Final = 0.8
_HUMPS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS: Final = re.compile(r"[\s_.\-/]+")


def _normal(name: str) -> str:
    """One spelling for `writeFile`, `Write-File` and `write_file`."""
    return _SEPARATORS.sub("_", _HUMPS.sub("_", name.strip())).lower()
