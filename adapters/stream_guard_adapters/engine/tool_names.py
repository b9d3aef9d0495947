"""The names of tools in what is recorded about calls: logs and metrics.

Rule: a recorded name is one that the operator or the request defined. What else a model calls a tool is content, and there may
be any number of such names.
"""

from __future__ import annotations

from typing import Final

from stream_guard import ToolBlock, Toolset

OTHER: Final = "_other"
"""Stands for the name of an unknown tool."""


def tool_name(block: ToolBlock, tools: Toolset) -> str:
    """Return the name of a block's tool as it is defined, also where the block has an alias or a near miss of it."""
    tool = tools.near(block.tool) if block.tool is not None else None
    return tool.name if tool is not None else OTHER
