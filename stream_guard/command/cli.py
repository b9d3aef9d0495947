"""The command `stream-guard`.

    stream-guard check FILE...     validate every block in texts, recorded streams, and files with one reply per row
    stream-guard watch FILE        replay one in the terminal as a reader would see it
    stream-guard codegen TOOLSET   write a toolset's types as Python and TypeScript
    stream-guard grammar           print a grammar of a toolset's calls, for a server that constrains its model
    stream-guard schema            print the JSON Schema of the events
    stream-guard completion SHELL  print the script that completes the command in a shell
    stream-guard lesson            validate lessons of widgets, and fix them (with the extra `lessons`)
    stream-guard proxy             a gateway that guards the streams of a provider's API (in the adapters)
    stream-guard import            convert other recordings to cassettes (in the adapters)
    stream-guard mcp               serve a toolset to models over MCP (in the adapters)
    stream-guard conform           try a parser of tool calls on the conformance corpus (in the conformance package)
    stream-guard attack TARGET     try broken calls of your own tools (in the conformance package)
    stream-guard chaos URL         a proxy that breaks the connections to a server of yours (in the conformance package)

The exit status of every command is 0 when everything is valid, 1 when something that was read is not (a block or a lesson that
failed, a generated file that is out of date), and 2 when something could not be read or written, or the arguments are wrong.
It is 130 after Ctrl-C, and 141 when nobody reads the output any more.

Each is a function `command(commands, takes_tools, toolset)` that adds itself to `commands`: `takes_tools` gives a parser the
option `--tools`, and `toolset` returns the toolset of that name. Those of this folder are in `OWN`; those of other packages are
registered under the entry point `stream_guard.commands`, as any package may register its own.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import textwrap
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Final, NoReturn

from .. import __version__
from . import check, codegen, completion, grammar, lesson, schema, watch
from .exit_status import INTERRUPTED, UNREAD, UNREADABLE
from .inputs import TOOLSET, Unreadable, toolset
from .terminal import one_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # half a surrogate pair must not end the report
    try:
        try:
            options, unknown = _parser(arguments[0] if arguments else "").parse_known_args(arguments)
            if unknown:
                options.command.error(f"unrecognized arguments: {' '.join(unknown)}")
            return int(options.run(options))
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where an error is reported
    except Unreadable as error:
        print(f"stream-guard: {one_line(str(error))}", file=sys.stderr)
        return UNREADABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python writes the rest there when it ends
        return UNREAD
    except OSError as error:
        print(f"stream-guard: {error.filename or 'cannot write the output'}: {error.strerror or error}", file=sys.stderr)
        return UNREADABLE


OWN: Final = {
    "check": check, "watch": watch, "codegen": codegen, "grammar": grammar, "schema": schema, "completion": completion,
    "lesson": lesson,
}  # fmt: skip
"""The commands of this package. Other packages' commands are looked up only for names that are not here."""


class _Parser(argparse.ArgumentParser):
    """A parser whose error message names the mistake and the option `--help`, and does not list all options."""

    def error(self, message: str) -> NoReturn:
        if len(message) > _LONG:
            message = textwrap.fill(message, 110, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        self.exit(UNREADABLE, f"{self.prog}: {message}; see {self.prog} --help\n")


_LONG: Final = 300
"""From this length on, a message has several lines."""


def _parser(name: str) -> argparse.ArgumentParser:
    """Return an argument parser for this package's commands and the registered command of this name.

    It has all registered commands if none has that name, and for `completion`, which lists them all. To load all of them takes
    as long as most commands run.
    """
    parser = _Parser(prog="stream-guard", description="Validate the tool calls in LLM output.")
    parser.add_argument("--version", action="version", version=f"stream-guard {__version__}")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    adds = [own.command for own in OWN.values()]
    if name == "completion" or name not in OWN:
        registered = [entry for entry in entry_points(group="stream_guard.commands") if entry.name not in OWN]
        adds += (entry.load() for entry in [entry for entry in registered if entry.name == name] or registered)
    for add in adds:
        add(commands, _takes_tools, toolset)
    for command in commands.choices.values():
        command.set_defaults(command=command)
    return parser


def _takes_tools(command: argparse.ArgumentParser) -> None:
    command.add_argument("--tools", metavar="TOOLSET", help=f"{TOOLSET} (default: the file tools)")
