"""The command `watch`: replays a text or a recorded stream in the terminal. It shows the calls, and runs none."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TextIO

from .. import wire
from ..guard import Guard
from ..values.events import End, Item, ToolBlock, ToolStatus
from .exit_status import FINDING, GOOD
from .inputs import Recorded, Unreadable, recorded, takes_reading, takes_unknown, toolset
from .outcomes import is_unknown
from .terminal import coloured, one_line, steers, visible

PACE: Final = 400
"""How many characters a second are shown on a terminal: the pace of a fast reader."""


def command(commands: Any, takes_tools: Callable[..., None], *_: Callable[..., Any]) -> None:
    """Add `watch` to the command line."""
    watch: argparse.ArgumentParser = commands.add_parser(
        "watch", help="replay a text or a recorded stream in the terminal; no call is run"
    )
    watch.add_argument("file", metavar="FILE", help="a text or a recorded stream, as for check; - for standard input")
    watch.add_argument(
        "--speed",
        type=float,
        metavar="N",
        help=f"characters per second; 0 for no delay (default: {PACE} on a terminal, else no delay)",
    )
    watch.add_argument("--json", action="store_true", help="print one JSON document per item, without delay")
    takes_unknown(watch)
    takes_tools(watch)
    takes_reading(watch)
    watch.set_defaults(run=_watch)


def _watch(options: argparse.Namespace) -> int:
    speed = options.speed
    if speed is None:
        speed = PACE if sys.stdout.isatty() else 0
    if speed < 0:
        raise Unreadable(f"--speed must be 0 or more, got {speed:g}")
    found = recorded(options.file)
    guard = Guard(toolset(options.tools), reasoning=options.reasoning, languages=options.languages, dialects=options.dialects)
    stage = None if options.json else _Stage(sys.stdout)
    failed = anything = False
    if speed and options.speed is None and stage is not None:
        stage.note(f"-- {speed} characters a second; --speed 0 shows all at once --")
    for place, item in _items(found, guard, stage, speed):
        anything |= item != ""
        failed |= isinstance(item, ToolBlock) and not item.executable
        failed |= options.tools is not None and not options.allow_unknown and is_unknown(item)
        if stage is None:
            told = {"text": item} if isinstance(item, str) else {"event": wire.name(item), **wire.to_dict(item)}
            print(json.dumps({**place, **told}))
        else:
            stage.show(item)
    if stage is not None:
        stage.close()
    if not anything:
        print(f"stream-guard: {options.file}: nothing was there to show: no text, no call", file=sys.stderr)
    return FINDING if failed else GOOD


def _items(found: Recorded, guard: Guard, stage: _Stage | None, speed: float) -> Iterator[tuple[dict[str, Any], Item]]:
    """Yield the items of a recorded stream, each with its place: those of its texts, then those of its native calls, then a
    guard's events in it.
    """
    for lane, deltas in found.lanes.items():
        if stage is not None and len(found.lanes) > 1:
            stage.note(f"-- lane {lane} --")
        for item in guard.scan(deltas if stage is None else _paced(deltas, speed)):
            yield {"lane": lane}, item
    for nth, (number, event) in enumerate(found.calls(guard, "watch")):
        if stage is not None and not nth:
            stage.note("-- native calls --")
        yield {"call": number}, event
    for nth, (number, event) in enumerate(found.guarded):
        if stage is not None and not nth:
            stage.note("-- events of the guard, as recorded --")
        yield {"guarded": number}, event


def _paced(deltas: Iterable[str | End], speed: float) -> Iterator[str | End]:
    """Yield the deltas at reading speed, and long deltas in pieces."""
    for delta in deltas:
        if isinstance(delta, End) or not speed:
            yield delta
            continue
        for start in range(0, len(delta), 8):
            piece = delta[start : start + 8]
            time.sleep(len(piece) / speed)
            yield piece


def _named(tool: str | None, path: str | None) -> str:
    """Return the tool of a call and its path, as far as they are known, as one text."""
    return " ".join(part for part in (tool, path) if part)


class _Stage:
    """The terminal output: text, and one line for the current block that is updated in place."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._live = steers(out)
        self._pill = False  # whether the current line has a status
        self._fresh = True  # whether the cursor is at the beginning of a line

    def show(self, item: Item) -> None:
        if isinstance(item, str):
            self.text(item)
        elif isinstance(item, ToolStatus):
            self.status(item)
        else:
            self.block(item)

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
            name = f": {event.tool_type}" if event.tool_type and event.reason == "unknown_tool" else ""
            self._show(f"   not a tool call ({event.reason}{name})", "2")
        elif event.status != "validating":
            doing = f"Correcting ({event.attempt}/{event.max_attempts})" if event.status == "correcting" else "Receiving"
            self._show(f"🔧 {doing}... {_named(event.tool_type, event.path)}".rstrip(), "33")

    def block(self, event: ToolBlock) -> None:
        name = _named(event.tool, event.path)
        if event.executable:
            self._show(f"✅ May run: {name} ({len(event.raw)} characters)", "32")
            for fix in dict.fromkeys(fix.description for fix in event.fixes):
                self.note(f"   fixed: {fix}")
        else:
            self._show(f"❌ May not run: {name or 'a call'}", "31")
            for issue in event.issues:
                self.note(f"   {visible(str(issue))}")
        self._end_pill()

    def _show(self, line: str, colour: str) -> None:
        line = one_line(line)
        if self._live:
            start = "\r\x1b[2K" if self._pill else "" if self._fresh else "\n"
            self._out.write(f"{start}{coloured(line, colour)}")
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
