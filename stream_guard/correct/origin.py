"""The call that the model made, as far as it is known, and the record of a comparison with a correction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..toolset.tool import Tool
from ..values.call_keys import PATH_KEY
from ..values.issues import JsonPath, ValidationIssue
from ..values.quoting import place


@dataclass(frozen=True, slots=True)
class Drift:
    """A place where a correction differs from its block."""

    kind: str
    """`tool`, `path` or `value`."""

    field: str
    """The field, dotted."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing a correction with its block."""

    drift: Drift | None = None
    """The first place where the correction differs from its block; None if it differs nowhere."""

    invented: tuple[str, ...] = ()
    """The fields for which the correction has an empty string in place of a missing value."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The call that the model made, as far as it is known."""

    text: str
    """The body of the block."""

    call: Mapping[str, Any] | None = None
    """The call with the tools' own names; None if it cannot be read."""

    issues: tuple[ValidationIssue, ...] = ()
    """The issues of that call."""

    tool: str | None = None
    """The tool's name as the model wrote it, if it was read before the fault of the text."""

    path: str | None = None
    """The path, if it was read before the fault of the text."""


class Drifts(Exception):  # no error: the comparison ends so at the first difference
    """Raised where a correction differs from its block."""

    def __init__(self, path: JsonPath, kind: str | None = None) -> None:
        self.drift: Final = Drift(kind or ("path" if path == (PATH_KEY,) else "value"), place(path))


def with_item(value: Any, path: JsonPath, item: Any) -> Any:
    """Return a copy of a value in which the value at a path is replaced by `item`."""
    if not path:
        return item
    step, rest = path[0], path[1:]
    if isinstance(value, list):
        return [with_item(one, rest, item) if index == step else one for index, one in enumerate(value)]
    return {key: with_item(one, rest, item) if key == step else one for key, one in value.items()}


def steps(path: JsonPath) -> JsonPath:
    """Return the steps of a path as in a JSON pointer, with indexes as text."""
    return tuple(map(str, path))


def may_be_empty(tool: Tool, path: JsonPath) -> bool:
    """Return whether the field at a path may be filled with an empty string.

    It must be a required string of the top level, without any other rule in the schema.
    """
    about = tool.fields.at(path)
    return len(path) == 1 and about is not None and path[0] in tool.required and about.kinds == ("string",) and not about.rules
