"""The keys under which models write a call: its tool, its arguments, its path, and the envelopes around them."""

from __future__ import annotations

from typing import Final

TOOL_KEYS: Final = frozenset({
    "tool", "tool_name", "toolName", "tool_call", "toolCall", "tool_calls", "tool_use", "function_call", "functionCall",
})  # fmt: skip
"""Keys that occur only in tool calls."""

NAME_KEYS: Final = frozenset({"name", "function", "function_name", "action", "recipient_name"})
"""Keys that may hold a tool's name; half of all JSON has a `name`, so the value decides."""

ARGUMENT_KEYS: Final = frozenset({"arguments", "args", "parameters", "input", "action_input", "tool_input"})
"""Keys that hold a call's arguments in the known envelopes."""

ENVELOPES: Final = TOOL_KEYS | NAME_KEYS | ARGUMENT_KEYS
"""Keys under which a call, or its arguments, may stand."""

NEUTRAL_KEYS: Final = frozenset({"id", "type", "call_id", "thought", "thoughts", "reasoning", "explanation", "rationale"})
"""Keys beside a call that say nothing about whether it is one."""

TOOL_KEY: Final = "tool"
"""The key under which a block names its tool."""


PATH_KEY: Final = "path"
"""The field with the path that a tool works on."""
