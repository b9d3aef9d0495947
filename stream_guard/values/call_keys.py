"""The keys under which models write a call: its tool, its arguments, its path, and the envelopes around them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, Final, NamedTuple

TOOL_KEYS: Final = frozenset({
    "tool", "tool_name", "toolName", "tool_call", "toolCall", "tool_calls", "tool_use", "function_call", "functionCall",
})  # fmt: skip
"""Keys that occur only in tool calls."""

CALL_NAMES: Final = ("name", "tool_name", "function")
"""Keys that name the tool in a call as dialects write it: such an envelope is no mistake."""

CALL_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys that hold the arguments in a call as dialects write it: `{"name": …, "arguments": …}`."""

CALL_IDS: Final = frozenset({"id", "type", "call_id"})
"""Keys that number a call, or say that an object is a call."""

CALL_EXTRAS: Final = CALL_IDS | {"tool_call_id", "index"}
"""Keys that dialects write beside a call's name and arguments. They are arguments where the call has no envelope."""

NAME_KEYS: Final = frozenset(CALL_NAMES) - TOOL_KEYS | {"function_name", "action", "recipient_name"}
"""Keys that may hold a tool's name. Half of all JSON has a `name`, so the value decides."""

ARGUMENT_KEYS: Final = frozenset(CALL_ARGUMENTS) | {"action_input", "tool_input"}
"""Keys that hold a call's arguments in the known envelopes."""

ENVELOPES: Final = TOOL_KEYS | NAME_KEYS | ARGUMENT_KEYS
"""Keys whose value may be a call, or the arguments of one."""

NEUTRAL_KEYS: Final = CALL_IDS | {"thought", "thoughts", "reasoning", "explanation", "rationale"}
"""Keys beside a call that do not show whether an object is a call."""

REMARK_KEYS: Final = frozenset({"description", "version", "comment"})
"""Keys that do not show whether an object is a call. Beside a call they may describe it."""

TOOL_KEY: Final = "tool"
"""The key under which a block names its tool."""

PATH_KEY: Final = "path"
"""The field with the path that a tool works on."""


def without_tool(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a new dict with the arguments of a call: all its members except `tool`."""
    arguments = {**call}
    arguments.pop(TOOL_KEY, None)
    return arguments


def folded(key: str) -> str:
    """Return a key in lower case without `_` and `-`: `toolname` for `toolName`, `tool_name`, `tool-name` and `TOOL_NAME`."""
    known = _FOLDED.get(key)
    return key.lower().replace("_", "").replace("-", "") if known is None else known


_FOLDED: Final[dict[str, str]] = {}
"""The folded forms of the keys in the constants above, kept because every call has some of these keys."""

_FOLDED.update({key: folded(key) for key in (*ENVELOPES, *NEUTRAL_KEYS, *REMARK_KEYS, PATH_KEY)})


def all_folded(*keys: Iterable[str]) -> frozenset[str]:
    """Return the keys in the form of `folded`. A key in any spelling is one of `keys` if its folded form is in the result."""
    return frozenset(folded(key) for some in keys for key in some)


class AnySpelling(Container[object]):
    """A set of keys that contains them in any spelling."""

    __slots__ = ("_folded",)

    def __init__(self, *keys: Iterable[str]) -> None:
        self._folded: Final = all_folded(*keys)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and (key in self._folded or folded(key) in self._folded)


class KnownName(NamedTuple):
    """The facts about a name that means a tool, or that is close enough to one for a question ("did you mean")."""

    fields: frozenset[str]
    """The names of the tool's fields, in the form of `folded`."""

    exact: bool
    """Whether the name is spelt exactly as the tool, or an alias of it, is declared."""

    word: bool
    """Whether the name is one plain word, as many values in data are: `delete`."""

    everyday: bool
    """Whether the name is one plain word and an alias, not the tool's own name: `rm`."""
