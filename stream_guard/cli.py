"""The command `stream-guard`.

    stream-guard check FILE...     judge every block in texts, recorded streams, and files with a reply a row
    stream-guard watch FILE        play one to the terminal as a reader would see it
    stream-guard codegen TOOLSET   write a toolset's types as Python and TypeScript
    stream-guard proxy             serve a provider's API with its streams guarded (comes with the adapters)

Exit status of `check`: 0 when every block passed, 1 when one failed, 2 when something could not be read. Of `codegen --check`:
1 when a file is not what would be written.

Packages register commands of their own under the entry point `stream_guard.commands`.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, TextIO

from . import __version__, check
from .guard import Guard
from .inputs import TOOLSET, Unreadable, lanes, toolset
from .terminal import one_line, visible
from .values.events import End, ToolBlock, ToolStatus


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser(others=not arguments or arguments[0] not in _OWN)
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


_OWN: Final = ("check", "watch", "codegen")
"""The commands that are here. Those of other packages are looked up only when none of these is meant."""


def _parser(*, others: bool) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stream-guard", description="Check the tool calls in LLM output.")
    parser.add_argument("--version", action="version", version=f"stream-guard {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check.command(commands, _takes_tools)

    watch = commands.add_parser("watch", help="play a text or a recorded stream to the terminal")
    watch.add_argument("file", metavar="FILE", help="as for check")
    watch.add_argument("--speed", type=float, default=400, metavar="N", help="characters a second; 0 for all at once (400)")
    _takes_tools(watch)
    watch.set_defaults(run=_watch)

    codegen = commands.add_parser("codegen", help="write a toolset's types as Python and TypeScript")
    codegen.add_argument("toolset", metavar="TOOLSET", help=TOOLSET)
    codegen.add_argument("-o", "--output", metavar="DIR", default=".", help="where to write them (here)")
    codegen.add_argument("--name", help="the name of the modules (that of the toolset)")
    codegen.add_argument("--check", action="store_true", help="write nothing; tell whether what is there is up to date")
    codegen.set_defaults(run=_codegen)

    for entry in entry_points(group="stream_guard.commands") if others else ():
        entry.load()(commands, _takes_tools, toolset)
    return parser


def _takes_tools(command: argparse.ArgumentParser) -> None:
    command.add_argument("--tools", metavar="TOOLSET", help=f"{TOOLSET}; without it the file tools")


# -- watch -------------------------------------------------------------------------------------------------------------

_DOING: Final = {"write_file": "Creating", "edit_file": "Editing", "delete_file": "Deleting"}
_DONE: Final = {"write_file": "Created", "edit_file": "Edited", "delete_file": "Deleted"}


def _watch(options: argparse.Namespace) -> int:
    if options.speed < 0:
        raise Unreadable("--speed must be 0 or more")
    found = lanes(options.file)
    guard = Guard(toolset(options.tools))
    stage = _Stage(sys.stdout)
    for lane, deltas in found.items():
        if len(found) > 1:
            stage.note(f"-- lane {lane} --")
        for item in guard.scan(_paced(deltas, options.speed)):
            if isinstance(item, str):
                stage.text(item)
            elif isinstance(item, ToolStatus):
                stage.status(item)
            else:
                stage.block(item)
    stage.close()
    return 0


def _paced(deltas: Iterable[str | End], speed: float) -> Iterator[str | End]:
    """The deltas at a human pace. A text that came in one piece is cut into words."""
    for delta in deltas:
        if isinstance(delta, End) or not speed:
            yield delta
            continue
        for start in range(0, len(delta), 8):
            piece = delta[start : start + 8]
            time.sleep(len(piece) / speed)
            yield piece


class _Stage:
    """The terminal: text as it comes, and one line for the block at hand that is written over as news arrive."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._live = out.isatty()
        self._pill = False  # a pill stands on the current line
        self._fresh = True  # the cursor is at the beginning of a line

    def text(self, text: str) -> None:
        self._end_pill()
        shown = visible(text)
        self._out.write(shown)
        self._out.flush()
        if shown:
            self._fresh = shown.endswith("\n")

    def note(self, text: str) -> None:
        self._end_pill()
        self._out.write(("" if self._fresh else "\n") + text + "\n")
        self._fresh = True

    def status(self, event: ToolStatus) -> None:
        if event.status == "released":
            self._show(f"   not a tool call ({event.reason})", "2")
        elif event.status != "validating":
            doing = _DOING.get(event.tool_type or "", "Calling" if event.tool_type else "Receiving")
            if event.status == "correcting":
                doing = f"Correcting ({event.attempt}/{event.max_attempts})"
            self._show(f"🔧 {doing}... {event.path or event.tool_type or ''}".rstrip(), "33")

    def block(self, event: ToolBlock) -> None:
        name = event.path or event.tool or "a block"
        if event.executable:
            self._show(f"✅ {_DONE.get(event.tool or '', 'Ready:')} {name} ({len(event.raw)} characters)", "32")
            for fix in dict.fromkeys(fix.description for fix in event.fixes):
                self.note(f"   mended: {fix}")
        else:
            self._show(f"❌ {event.tool or 'tool call'} {event.path or ''}".rstrip(), "31")
            for issue in event.issues:
                self.note(f"   {visible(str(issue))}")
        self._end_pill()

    def _show(self, line: str, colour: str) -> None:
        line = one_line(line)
        if self._live:
            start = "\r\x1b[2K" if self._pill else "" if self._fresh else "\n"
            self._out.write(f"{start}\x1b[{colour}m{line}\x1b[0m")
        else:
            self._out.write(("" if self._fresh and not self._pill else "\n") + line)
        self._out.flush()
        self._pill = True
        self._fresh = False

    def _end_pill(self) -> None:
        if self._pill:
            self._out.write("\n")
            self._pill = False
            self._fresh = True

    def close(self) -> None:
        self._end_pill()
        if not self._fresh:
            self._out.write("\n")
        self._out.flush()


# -- codegen -----------------------------------------------------------------------------------------------------------


def _codegen(options: argparse.Namespace) -> int:
    from .codegen import HEADER, GenerationError, generate  # deferred: the other commands need none of it

    stem = Path(options.toolset.rpartition(":")[2]).stem
    name = options.name or re.sub(r"[^a-z0-9_]+", "_", stem.lower())
    try:
        files = generate(toolset(options.toolset), name)
    except GenerationError as error:
        raise Unreadable(str(error)) from None
    folder = Path(options.output)
    stale = [file for file, text in files.items() if _written(folder / file) != text]
    if options.check:
        for file in stale:
            print(f"{folder / file} is not up to date", file=sys.stderr)
        return 1 if stale else 0
    for file in stale:
        there = _written(folder / file)
        if there and HEADER not in there[: 2 * len(HEADER)]:
            raise Unreadable(f"{folder / file} was not written by this command and is left alone; choose another --name")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
            print(folder / file)
    except OSError as error:
        raise Unreadable(f"{folder}: {error.strerror or error}") from None
    return 0


def _written(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
