"""The comparison of a correction with a call that could be read: place by place.

Rule 1: a value that no issue names must be equal. A value that an issue names must mean the same (`values.py`).
Rule 2: an issue of an object allows changes of the keys that it lacks, and of keys that are not its own, but of no value.
Rule 3: nothing that was written is dropped, but a null in a field of the tool and a remark beside the call, named by an issue.
Rule 4: an added value was under its own name in another place, is the only value that the schema allows, or is an empty string
in `invented`. A value under a name that the tool does not know is neither moved nor dropped: its purpose is undetermined. A
corrector may do no more here than fixes may.
Rule 5: for a tool that takes something away, nothing is dropped, and nothing is added that was not written for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from ..fixes.remarks import is_remark
from ..running.toolset import Toolset
from ..schema.fields import split
from ..schema.spelling import normal
from ..toolset.tool import Risk, Tool
from ..values.call_keys import PATH_KEY
from ..values.issues import JsonPath, value_at
from .origin import Drifts, Origin, may_be_empty, steps, with_item
from .values import may_be_several, once, relative, same, says_the_same


@dataclass(slots=True, eq=False)
class _Spare:
    """A part of the block that the correction does not have at the same place."""

    path: JsonPath
    value: Any
    members: list[_Spare] = field(default_factory=list)
    taken: bool = False

    @property
    def used(self) -> bool:
        """Whether the whole part is used in another place of the correction."""
        return self.taken or (bool(self.members) and all(member.used for member in self.members))

    def units(self) -> Iterator[_Spare]:
        """Yield this part, and the parts in it, except those that are used already."""
        if not self.taken:
            if not any(unit.taken for member in self.members for unit in member.every()):
                yield self
            for member in self.members:
                yield from member.units()

    def every(self) -> Iterator[_Spare]:
        """Yield this part, and all parts in it."""
        yield self
        for member in self.members:
            yield from member.every()


def _spare(path: JsonPath, value: Any) -> _Spare:
    inside = value.items() if isinstance(value, Mapping) else ()
    return _Spare(path, value, [_spare((*path, key), item) for key, item in inside])


class Read:
    """Compares a correction with a call that could be read."""

    __slots__ = (
        "_added",
        "_after",
        "_before",
        "_faults",
        "_gone",
        "_homes",
        "_origin",
        "_owned",
        "_shown",
        "_tool",
        "_tools",
        "invented",
    )

    def __init__(self, call: Mapping[str, Any], origin: Origin, tool: Tool, tools: Toolset) -> None:
        self._before = call
        self._origin = origin
        self._tool = tool
        self._tools = tools
        named = [(steps(split(issue.pointer or issue.field)), issue.constraint) for issue in origin.issues]
        self._shown = {path for path, _ in named}
        # An issue may hide others: for an object that lacks a field, other unknown members are not reported.
        self._faults: dict[JsonPath, set[str]] = {}
        for fault in islice(tool.compiled.violations(dict(call)), _MOST_FAULTS):
            self._faults.setdefault(steps(fault.path), set()).add(fault.keyword)
        for path, rule in named:
            self._faults.setdefault(path, set()).add(rule)
        self._homes: dict[str, set[JsonPath]] = {}
        for home in tool.fields.paths():
            self._homes.setdefault(normal(str(home[-1])), set()).add(steps(home))
        self._owned = tuple(_patterns(tool.schema))
        self._gone: list[_Spare] = []
        self._added: list[tuple[JsonPath, Any]] = []
        self._after: Mapping[str, Any] = {}
        self.invented: list[JsonPath] = []

    def compare(self, after: Mapping[str, Any]) -> None:
        """Compare the correction with the call. Raises Drifts for the first difference."""
        self._after = after
        self._walk(self._before, after, ())
        lacking = [(path, value) for path, value in self._added if not self._by_name(path, value)]
        lacking = [place for place in lacking if not self._only(*place)]
        empty = [place for place in lacking if self._may_be_empty(*place)]
        for path, value in lacking:
            if (path, value) in empty:
                self.invented.append(path)
            else:
                raise Drifts(path)
        for spare in self._gone:
            if not spare.used and not self._may_go(spare):
                raise Drifts(spare.path)

    def _walk(self, before: Any, after: Any, path: JsonPath) -> None:
        """Compare the values at one place."""
        if same(before, after):
            return
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            for key, value in before.items():
                if key in after:
                    self._walk(value, after[key], (*path, key))
                else:
                    self._gone.append(_spare((*path, key), value))
            self._added += [((*path, key), value) for key, value in after.items() if key not in before]
            return
        if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            for index, (one, other) in enumerate(zip(before, after, strict=True)):
                self._walk(one, other, (*path, index))
            return
        rules = self._rules(path)
        if not rules:
            raise Drifts(path)
        if before is None:  # null holds no value
            self._added.append((path, after))
        elif "uniqueItems" in rules and isinstance(before, list) and same(once(before), after):
            return
        elif not self._says(before, after, path):
            raise Drifts(path)

    def _rules(self, path: JsonPath) -> set[str]:
        """Return the rules that the value at this place itself breaks."""
        return self._faults.get(steps(path), set())

    def _says(self, before: Any, after: Any, path: JsonPath) -> bool:
        """Return whether a value that may be rewritten keeps its meaning."""
        destructive = self._tool.risk is Risk.DESTRUCTIVE
        if path == (PATH_KEY,) and isinstance(before, str):
            return bool(relative(before) == after) and not (destructive and before.strip().startswith(("/", "\\")))
        if isinstance(before, list) and len(before) > 1 and (destructive or path == (PATH_KEY,)):
            return False  # several items do not mean one value
        if (isinstance(before, list) or any(isinstance(step, int) for step in path[-1:])) and may_be_several(before):
            return False
        about = self._tool.fields.at(path)
        return says_the_same(before, after, self._origin.text, about, slips=not destructive)

    # Added values, and where they may come from.

    def _by_name(self, path: JsonPath, value: Any) -> bool:
        """Return whether the value was written under the name of this field, at a place where the tool has no such field."""
        if not (self._rules(path) or self._rules(path[:-1]) or not _has(self._before, path[:-1])):
            raise Drifts(path)
        for unit in [unit for spare in self._gone for unit in spare.units()]:
            if self._is_loose(unit.path) and self._home(unit.path) == steps(path) and self._set_taken(unit, path, value):
                return True
        if not isinstance(value, Mapping) or not value or _has(self._before, path):
            return False
        taken = [unit for spare in self._gone for unit in spare.every() if unit.taken]
        if all(self._by_name((*path, key), item) or self._only((*path, key), item) for key, item in value.items()):
            return True
        for unit in (unit for spare in self._gone for unit in spare.every()):
            unit.taken = unit in taken
        return False

    def _set_taken(self, unit: _Spare, path: JsonPath, value: Any) -> bool:
        """Set and return whether `unit` is used: whether the value at `path` is the value of `unit`, moved inside the block."""
        unit.taken = same(unit.value, value) or (unit.value is not None and self._says(unit.value, value, path))
        return unit.taken

    def _is_loose(self, path: JsonPath) -> bool:
        """Return whether the schema has no field of this name at this path."""
        name = str(path[-1])
        return self._tool.fields.at(path) is None and not any(pattern.search(name) for pattern in self._owned)

    def _home(self, path: JsonPath) -> JsonPath | None:
        """Return the path of the field that the last name of a path means, wherever it was written; None if several may be
        meant.
        """
        name = str(path[-1])
        if name in self._tool.field_aliases:
            return steps(split(self._tool.field_aliases[name]))
        homes = self._homes.get(normal(name), set())
        return next(iter(homes)) if len(homes) == 1 else None

    def _only(self, path: JsonPath, value: Any) -> bool:
        """Return whether the schema requires this field and allows no other value. Never true for a destructive tool."""
        about = self._tool.fields.at(path)
        if self._tool.risk is Risk.DESTRUCTIVE or about is None or not same(list(about.allowed), [value]):
            return False
        holder = self._tool.fields.at(path[:-1])
        asked = holder is not None and path[-1] in holder.required and not _has(self._before, path[:-1])
        if not (asked or "required" in self._rules(path)):
            return False
        others = [other for other in _PROBES if not same(other, value)]
        return all(self._tool.compiled.refuses(with_item(self._after, path, other)) for other in others)

    def _may_be_empty(self, path: JsonPath, value: Any) -> bool:
        """Return whether the value is an empty string that a model may put in place of a missing field."""
        return value == "" and may_be_empty(self._tool, path) and bool(self._rules(path)) and all(s.used for s in self._gone)

    # Values that are gone.

    def _may_go(self, spare: _Spare) -> bool:
        """Return whether a correction may leave out a part that an issue names: a null in a field of the tool, or a remark.

        Of a call of a destructive tool nothing may be left out.
        """
        if self._tool.risk is Risk.DESTRUCTIVE or steps(spare.path) not in self._shown or not self._rules(spare.path):
            return False
        if not self._is_loose(spare.path):
            return spare.value is None
        return len(spare.path) == 1 and is_remark(str(spare.path[0]), spare.value, self._tools, self._tool)


_MOST_FAULTS: Final = 1_000
"""Limit: the most faults of a call that are read."""

_PROBES: Final[tuple[Any, ...]] = (True, False, None, 0, 1, -7.5, "", "\uf8ff", [], {})
"""Values to try on a field. If all of these are refused, another value that is accepted counts as the only possible one."""


def _patterns(schema: Any) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of members' names in a schema."""
    if isinstance(schema, Mapping):
        listed = schema.get("patternProperties")
        for pattern in listed if isinstance(listed, Mapping) else ():
            try:
                yield re.compile(pattern)
            except re.error:
                yield re.compile("")  # a pattern of another dialect may match any name
        for part in schema.values():
            yield from _patterns(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _patterns(part)


def _has(value: Any, path: JsonPath) -> bool:
    """Return whether there is a value at a path."""
    return value_at(value, path) is not None
