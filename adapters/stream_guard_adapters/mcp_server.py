"""Serves a toolset to models over MCP, with the official package.

    stream-guard mcp                        # validate_lesson_data
    stream-guard mcp --tools my_app:TOOLS   # a toolset of yours, with handlers

Arguments are validated before a handler runs, and results after it. Every failure is a result with a hint for the model.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from stream_guard import Toolset

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


def server(tools: Toolset, name: str = "stream-guard") -> Server[Any]:
    """Return the server, which runs on any transport of the package."""
    from mcp import types  # deferred: only who serves has the package
    from mcp.server.lowlevel import Server

    async def listed(*_: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(entry) for entry in tools.to_mcp()])

    async def called(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        output = await tools.call(params.name, params.arguments or {})
        return types.CallToolResult.model_validate(output.to_mcp())

    return Server(name, on_list_tools=listed, on_call_tool=called)


async def serve(tools: Toolset) -> None:
    """Serve on standard input and output until the client closes them."""
    from mcp.server.stdio import stdio_server  # deferred, as above

    made = server(tools)
    async with stdio_server() as (receiving, sending):
        await made.run(receiving, sending, made.create_initialization_options())


def command(commands: Any, _: Callable[..., Any], toolset: Callable[[str | None], Toolset]) -> None:
    """Add `mcp` to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser("mcp", help="serve tools to models over MCP, on stdin and stdout")
    parser.add_argument("--tools", metavar="TOOLSET", help="module:name of a Toolset with handlers; without it the lesson tool")

    def run(options: argparse.Namespace) -> int:
        if find_spec("mcp") is None:
            parser.error('mcp is not installed; pip install "stream-guard-llm[mcp]"')
        if options.tools is not None:
            tools = toolset(options.tools)
        else:
            try:
                from stream_guard.tools.lessons.service import LESSON_SERVICE  # deferred: needs the packages of lessons
            except ImportError as error:
                parser.error(str(error))
            tools = LESSON_SERVICE
        asyncio.run(serve(tools))
        return 0

    parser.set_defaults(run=run)
