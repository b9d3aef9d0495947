"""What a dialect writes around and beside the arguments of a call: its id, and the word that it is a function."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ..toolset.tools import Tools
from ..values.call_keys import CALL_ARGUMENTS, CALL_EXTRAS, CALL_NAMES
from . import shape

_IDS: Final = CALL_EXTRAS - {"type"}
_ID: Final = re.compile(r"[\w.:-]{1,80}")
"""The keys of an id; and what matches one."""

_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


def without_frame(value: Any, tools: Tools, *, ids: bool) -> Any:
    """Return a call, or a list of calls, without what the dialect writes around and beside the arguments; any other value
    unchanged.

    Removed are the id, if `ids` says so, and the word that it is a function (elsewhere that word, with `parameters`,
    defines a tool). A member that may be a field of the tool stays, and the call is then refused.
    """
    if isinstance(value, list):
        return [without_frame(item, tools, ids=ids) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    inner = value.get("function")
    if (
        isinstance(inner, dict)
        and value.keys() - CALL_EXTRAS == {"function"}
        and ("parameters" in inner or value.keys() & _IDS)
    ):
        flat = without_frame({**{key: value[key] for key in value if key != "function"}, **inner}, tools, ids=ids)
        return flat if flat.keys() == inner.keys() else value
    if value.keys() & CALL_EXTRAS == set():
        return value
    named = [value[key] for key in CALL_NAMES if key in value]
    tool = tools.near(named[0]) if len(named) == 1 and isinstance(named[0], str) else None
    held = [given for key in CALL_ARGUMENTS if key in value and (given := _given(value[key])) is not None]
    if tool is None or len(held) != 1:
        return value
    extras = {key for key in _IDS & value.keys() if ids and _ID.fullmatch(str(value[key]))}
    if value.get("type") == "function" and isinstance(held[0], dict) and not _describes(held[0]):
        extras.add("type")
    return {key: item for key, item in value.items() if key not in extras or key in tool.fields.members}


def _given(arguments: Any) -> dict[str, Any] | str | None:
    """Return the arguments of a call: an object, or a string if they are encoded and no JSON, or are nothing. Else None."""
    if shape.is_nothing(arguments):
        return ""
    if not isinstance(arguments, str):
        return arguments if isinstance(arguments, dict) else None
    try:
        decoded = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments if arguments.lstrip().startswith("{") else None
    return decoded if isinstance(decoded, dict) else None


def _describes(parameters: dict[str, Any]) -> bool:
    """Return whether an object describes the arguments of a tool, as a tool's definition does."""
    if isinstance(parameters.get("properties"), dict) or parameters.get("type") == "object":
        return True
    return any(
        item in _TYPES if isinstance(item, str) else isinstance(item, dict) and "type" in item for item in parameters.values()
    )
