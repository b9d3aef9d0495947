"""What is watched of a call while it is written: its length, its arguments, and whether it can still pass.

A member is judged once it is certain where it ended. It fails the call if the schema or the rule for paths refuses it, and
would still refuse it after any fix, even if the other arguments were the best possible for that fix.

Rule 1: the validator and the fixes of whole blocks decide, on a call that holds the member; there is no second set of rules.
Rule 2: a member that other members, a tool's own `mend` or a rule of the caller may change is not judged before the block has
ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ..dialects.call import Envelope
from ..scan.growing import Watch
from ..scan.loops import Loop
from ..scan.members import Members
from ..schema.json_text import parse
from ..toolset.arguments import check_path, path_rule, schema_issues, without_private, without_private_keys
from ..toolset.tool import Tool
from ..toolset.tools import Tools
from ..values.call_keys import (
    CALL_ARGUMENTS,
    ENVELOPES,
    NEUTRAL_KEYS,
    PATH_KEY,
    REMARK_KEYS,
    TOOL_KEY,
    AnySpelling,
    without_tool,
)
from ..values.issues import ValidationIssue, pointer
from ..values.limits import Limits
from ..values.log import log
from ..values.preview import Paths, paths
from ..values.wording import sentence
from .settings import Settings

if TYPE_CHECKING:
    from ..fixes.engine import Engine

_MEMBER_BY_MEMBER: Final = frozenset({
    "$comment", "$defs", "$id", "$schema", "additionalProperties", "definitions", "deprecated", "description", "examples",
    "maxProperties", "minProperties", "patternProperties", "properties", "propertyNames", "required", "title", "type",
})  # fmt: skip
"""The keywords of a schema that demand the same of a member, whatever stands beside it."""


class Watching:
    """Decides, from a guard's settings, what is watched of a call while it is written."""

    def __init__(self, settings: Settings, engine: Callable[[], Engine]) -> None:
        self._tools: Final[Tools] = settings.tools
        self._limits: Final[Limits] = settings.limits
        self._engine: Final = engine
        self._judges: Final = settings.early != "off"
        self._names: Final = None if isinstance(settings.preview, bool) else settings.preview
        self._shows: Final = bool(settings.preview)
        self._single: Final = {
            tool.name: tool.mend is None and not tool.compiled.is_heavy and tool.schema.keys() <= _MEMBER_BY_MEMBER
            for tool in settings.tools
        }
        watched = self._shows or self._judges or settings.progress is not None
        make = partial(Watch, settings.progress, self._members)
        self.without_abort: Final = make() if watched else None
        """What is watched if nothing is aborted: then a body that repeats itself may still end well."""
        aborts = settings.early == "abort" and settings.mode != "shadow"  # a shadow changes nothing of a reply, nor its end
        self.as_set: Final = make(self._loop, aborts=True) if aborts else self.without_abort
        """What is watched if blocks are aborted."""

    def _members(self, name: str, envelope: Envelope, judged: bool) -> Members | None:
        """Return what reads the arguments of a call by the name of its tool; None for an unknown tool."""
        tool = self._tools.meant(name)
        judges = judged and self._judges
        if tool is None or not (self._shows or judges):
            return None
        if envelope == "dialect" and not tool.fields.members.keys().isdisjoint(CALL_ARGUMENTS):
            return None  # whether the key is the envelope or the field depends on what else the call has
        view = tool.view(self._wanted(tool))
        exact = name == tool.name and envelope in ("plain", "none") and self._single[name]
        judge = partial(self.judged, tool) if judges and exact else None
        return Members(view, self._limits.max_depth, envelope=envelope, judge=judge)

    def _wanted(self, tool: Tool) -> Paths | None:
        """Return the paths of the fields that previews report; None for all, empty for none."""
        if not self._shows:
            return {}
        return paths(filter(None, map(tool.fields.keys, self._names))) if self._names is not None else None

    def _loop(self) -> Loop:
        return Loop(self._limits.max_loop, self._looping)

    def _looping(self) -> ValidationIssue:
        most = self._limits.max_loop
        return ValidationIssue("repetition", sentence("repetition", most=most), constraint="repetition", expected=most)

    def judged(self, tool: Tool, key: str, written: str, following: str) -> tuple[ValidationIssue, ...]:
        """Return the issues of an argument that no call of this tool can have; empty if a call may have it, or that is
        undetermined. Never raises.

        `written` is its value as JSON, and `following` the key after it: a field of the tool shows that the value has ended.
        """
        if following not in tool.fields.members:
            return ()
        known = key in tool.fields.members
        try:
            return self._judged(tool, key, written) if known or _is_strange(tool, key) else ()
        except Exception as error:  # promise P9: the block is validated when it has ended
            log.error("the guard failed on a part of a block: %s", type(error).__name__)
            return ()

    def _judged(self, tool: Tool, key: str, written: str) -> tuple[ValidationIssue, ...]:
        parsed = parse(written, max_depth=self._limits.max_depth, max_values=self._limits.max_values)
        if not parsed.ok:
            return ()
        issues = self._issues(tool, key, {key: parsed.value})
        if not issues:
            return ()
        from ..fixes.writing import laid_out  # deferred, like the engine

        engine = self._engine()
        for beside in self._beside(tool, key):
            made = engine.meant_by({TOOL_KEY: tool.name, **beside, key: engine.value_of(written)})
            for call in made:
                if not isinstance(call, dict) or call.get(TOOL_KEY) != tool.name or key not in call:
                    return ()
                arguments = parse(laid_out(without_tool(call))).value
                if not isinstance(arguments, dict) or not self._issues(tool, key, arguments):
                    return ()
        return tuple(without_private_keys(tool, without_private(tool, issues)))

    def _issues(self, tool: Tool, key: str, arguments: dict[str, Any]) -> list[ValidationIssue]:
        """Return the errors of one argument."""
        at = pointer((key,))
        whole = {**dict.fromkeys(tool.required), **arguments}  # what is one too many is not said of a call that lacks a field
        issues = schema_issues(tool.compiled, whole, self._limits, tool.name)
        if key == PATH_KEY and path_rule in tool.rules and isinstance(arguments.get(key), str):
            issues += check_path(arguments[key])
        return [
            issue
            for issue in issues
            if issue.severity == "error" and (issue.pointer == at or issue.pointer.startswith(f"{at}/"))
        ]

    @staticmethod
    def _beside(tool: Tool, key: str) -> Iterator[dict[str, Any]]:
        """Yield sets of other arguments with which to try the argument. Some fixes are done only beside one of these sets."""
        others = {name: about for name, about in tool.fields.members.items() if name != key}
        # A number becomes a text only where the call lacks no number, and an object the text of a file that is JSON.
        numbers = {name: 0 for name, about in others.items() if {"integer", "number"} & {*about.kinds}}
        yield numbers
        if PATH_KEY in others:
            yield {**numbers, PATH_KEY: "a.json"}
        # A list becomes several calls only where the call has nothing but its required fields.
        yield {name: "" for name in tool.required if name != key}
        if key not in tool.fields.members:  # it may stand for any field that is not there
            for name in others:
                yield {other: "" for other in others if other != name}


def _is_strange(tool: Tool, key: str) -> bool:
    """Return whether a closed tool has no field for a key, and no field has a part with the key's name."""
    inside = any(
        key in about.members or key.startswith((f"{name}.", f"{name}[")) for name, about in tool.fields.members.items()
    )
    beside = key in _BESIDE or key in tool.remarks or key in tool.defaults or key.startswith(("$", "/", "_"))
    return tool.fields.closed and not inside and not beside and tool.fields.find(key, tool.field_aliases) is None


_BESIDE: Final = AnySpelling(ENVELOPES, NEUTRAL_KEYS, REMARK_KEYS)
"""Keys that stand beside a call, or around its arguments."""
