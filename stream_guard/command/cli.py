"""The command `stream-guard`.

    stream-guard check FILE...     validate every block in texts, recorded streams, and files with one reply per row
    stream-guard watch FILE        replay one in the terminal as a reader would see it
    stream-guard codegen TOOLSET   write a toolset's types as Python and TypeScript
    stream-guard lesson            validate lessons of widgets, and fix them
    stream-guard proxy             a gateway that guards the streams of a provider's API (in the adapters, like the rest)
    stream-guard import            convert other recordings to cassettes
    stream-guard mcp               serve a toolset to models over MCP

Exit status of `check`: 0 when every block passed, 1 when one failed, 2 when something could not be read. Of `codegen --check`:
1 when a file is not what would be written.

Packages register commands of their own under the entry point `stream_guard.commands`.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Final

from .. import __version__
from . import check, codegen, watch
from .inputs import TOOLSET, Unreadable, toolset


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser(others=not arguments or arguments[0] not in OWN)
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # half a surrogate pair must not end the report
    try:
        return int(options.run(options))
    except Unreadable as error:
        print(f"stream-guard: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 0


OWN: Final = {"check": check, "watch": watch, "codegen": codegen}
"""The commands of this package. Those of other packages are looked up only for other names."""


def _parser(*, others: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stream-guard", description="Validate the tool calls in LLM output.")
    parser.add_argument("--version", action="version", version=f"stream-guard {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    for own in OWN.values():
        own.command(commands, _takes_tools)
    for entry in entry_points(group="stream_guard.commands") if others else ():
        entry.load()(commands, _takes_tools, toolset)
    return parser


def _takes_tools(command: argparse.ArgumentParser) -> None:
    command.add_argument("--tools", metavar="TOOLSET", help=f"{TOOLSET} (default: the file tools)")
