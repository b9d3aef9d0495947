"""The names of tools in what is recorded about calls: logs and metrics.

Rule: only names that the operator or the request defined are recorded. Any other name that a model gives to a tool is content,
and there may be any number of these.
"""

from __future__ import annotations

from typing import Final

from stream_guard import ToolBlock, Toolset

OTHER: Final = "_other"
"""Stands for the name of an unknown tool."""


def tool_name(block: ToolBlock, tools: Toolset) -> str:
    """Return the name of a block's tool as it is defined, also if the block has an alias or a near miss of that name."""
    tool = tools.near(block.tool) if block.tool is not None else None
    return tool.name if tool is not None else OTHER
