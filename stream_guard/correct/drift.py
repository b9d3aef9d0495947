"""Decides whether a correction changes too much. Promise P8: a correction fixes the call that the model made, and makes no
other call.

There are two ways to know the model's call. If the block can be read, however wrong the call, call and correction are compared
place by place (`places.py`). If it cannot be read, the correction is found in the block's text, letter by letter
(`letters.py`). If the block is no JSON and was read all the same, one of the two comparisons is enough; but no string may have
swallowed the text after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..running.toolset import Toolset
from ..schema.json_text import parse
from ..toolset.tool import Risk
from ..values.call_keys import ENVELOPES, NAME_KEYS, TOOL_KEY, TOOL_KEYS, without_tool
from ..values.quoting import place
from .letters import Text, takes_in, texts
from .origin import Comparison, Drift, Drifts, Origin
from .places import Read

__all__ = ["Comparison", "Drift", "Origin", "compare", "names_a_tool"]


def compare(arguments: Mapping[str, Any], origin: Origin, tools: Toolset) -> Comparison:
    """Return the comparison of a valid correction with the block; the correction's tool is among `arguments`."""
    tool = tools.get(str(arguments.get(TOOL_KEY)))
    if tool is None or not names_a_tool(origin, tools):
        return Comparison(Drift("tool", TOOL_KEY))
    after = without_tool(arguments)
    if origin.call is None or not parse(origin.text).ok:
        found = _compared(Text(origin, tool, tools), after)
        if found.drift is None or origin.call is None or tool.risk is Risk.DESTRUCTIVE:
            return found
        taken_in = next((path for path, text in texts(after) if takes_in(text, origin.text)), None)
        if taken_in is not None:  # what was read as one value may be several
            return Comparison(Drifts(taken_in).drift)
    said = origin.call.get(TOOL_KEY)
    if said != tool.name and not (isinstance(said, str) and tool in tools.possible(said)):
        return Comparison(Drift("tool", TOOL_KEY))
    return _compared(Read(without_tool(origin.call), origin, tool, tools), after)


def _compared(how: Text | Read, after: Mapping[str, Any]) -> Comparison:
    try:
        how.compare(after)
    except Drifts as drifts:
        return Comparison(drifts.drift)
    return Comparison(invented=tuple(map(place, how.invented)))


def names_a_tool(origin: Origin, tools: Toolset) -> bool:
    """Return whether the block names a tool, or shortens the name of one. A tool that only the call's fields suggest does not
    count.
    """
    if origin.tool is not None:
        return True
    read = parse(origin.text)
    if read.ok:
        return any(_may_mean_one(name, tools) for name in _said_names(read.value, _DEEPEST))
    return any(_may_mean_one(found[1] or found[2], tools) for found in _NAMED.finditer(origin.text))


def _may_mean_one(name: str, tools: Toolset) -> bool:
    return tools.knows(name) or bool(tools.possible(name))


_DEEPEST: Final = 6
"""Limit: how many envelopes around a call are searched for the name of a tool."""

_NAMED: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted(TOOL_KEYS | NAME_KEYS))})(?!\w)[\s\\\"'`“”:=>]*+([\w.\-/]+)"
    r"|(?<![\w.\-/])([\w.\-/]++)[\s\\\"'`“”:=]*+[({]"
)
"""Matches a tool's name after a key that names tools, or before the brackets of arguments."""


def _said_names(value: Any, depth: int) -> Iterator[str]:
    """Yield the strings in a value that are in the place of a tool's name."""
    if isinstance(value, list) and depth:
        for item in value:
            yield from _said_names(item, depth - 1)
    elif isinstance(value, str) and depth and value.lstrip().startswith(("{", "[")):
        yield from (found[1] or found[2] for found in _NAMED.finditer(value))
    elif isinstance(value, Mapping) and depth:
        for key, item in value.items():
            if isinstance(item, str) and key in TOOL_KEYS | NAME_KEYS:
                yield item
            if isinstance(item, Mapping) and len(value) == 1:
                yield key
            if key in ENVELOPES or len(value) == 1:
                yield from _said_names(item, depth - 1)
