"""What an early verdict saves, and what a preview costs: `python -m benchmarks.early`; `--write` puts it into README.md.

The verdict is counted: how many blocks that fail are ended before their end, and how many of their characters are then never
written. The preview is measured: every delta of a call read, and what is new of its arguments said, beside jiter's partial
mode, which parses the whole text again at every delta.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

import jiter
from stream_guard_conformance import KINDS, TOOLSETS, make
from stream_guard_conformance.calls import make_call
from stream_guard_conformance.run import guarded
from stream_guard_conformance.sources import own

from stream_guard import End, Guard, ToolBlock, Toolset, ToolStatus
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.preview import Preview, previewed
from tests.corpora.score import guards, rows

from . import fixtures

PAGE: Final = Path(__file__).parent / "README.md"
SIZES: Final = (1_000, 2_000, 4_000, 16_000, 256_000)

Reply = tuple[str, str, End]
"""The name of its toolset, its text, and how it ended."""

WRONG: Final = {"string": 7, "integer": "many", "number": "high", "boolean": "maybe", "array": "none", "object": "x"}
"""A value of another type for each type, which no fix makes right."""


def corpora() -> tuple[Mapping[str, Toolset], list[Reply]]:
    """The replies that people and models broke."""
    tools = {name: guard.tools for name, guard in guards().items()}
    return tools, [(row["tool"], row["text"], End(row["ended"])) for row in rows("broken_replies.jsonl")]


def drawn() -> dict[str, Toolset]:
    return {toolset.name: guarded(toolset) for toolset in TOOLSETS}


def faults(count: int) -> tuple[Mapping[str, Toolset], list[Reply]]:
    """Calls with one fault of the fault grammar: faults of how a call is written, most of which are mended."""
    cases = (make(number, 1, 1, kinds=tuple(KINDS)) for number in range(count))
    return drawn(), [(case.toolset.name, case.text, End("stop")) for case in cases]


def values(count: int) -> tuple[Mapping[str, Toolset], list[Reply]]:
    """Calls of which one argument, drawn at random, has a value of another type, or leads out of the workspace."""
    found: list[Reply] = []
    for number in range(count):
        rng = Random(f"saved:{number}")
        toolset = rng.choice(TOOLSETS)
        call = make_call(toolset, own(), rng, 400)
        if not call.arguments:
            continue
        tool = next(tool for tool in toolset.tools if tool.name == call.tool)
        typed = {name: about["type"] for name, about in tool.schema.get("properties", {}).items() if "type" in about}
        if call.arguments.keys().isdisjoint(typed):
            continue
        key = rng.choice(sorted(call.arguments.keys() & typed))
        kind = typed[key]
        spoilt = {**call.arguments, key: "/etc/x" if key == "path" else WRONG[kind if isinstance(kind, str) else kind[0]]}
        text = f"```json\n{json.dumps({'tool': call.tool, **spoilt})}\n```\n"
        found.append((toolset.name, text, End("stop")))
    return drawn(), found


def strange(count: int) -> tuple[Mapping[str, Toolset], list[Reply]]:
    """Calls with one more field than their tool has, at a place drawn at random."""
    found: list[Reply] = []
    for number in range(count):
        rng = Random(f"strange:{number}")
        toolset = rng.choice(TOOLSETS)
        call = make_call(toolset, own(), rng, 400)
        members = [("tool", call.tool), *call.arguments.items()]
        members.insert(rng.randint(1, len(members)), ("lines", 7))
        found.append((toolset.name, f"```json\n{json.dumps(dict(members))}\n```\n", End("stop")))
    return drawn(), found


def saved(what: str, tools: Mapping[str, Toolset], replies: list[Reply]) -> str:
    """A row of the table: what these replies cost, with the verdict at the end and while they are written."""
    late = {name: Guard(held) for name, held in tools.items()}
    early = {name: Guard(held, early="abort") for name, held in tools.items()}
    failed = aborted = written = unwritten = 0
    for name, text, end in replies:
        whole = blocks(late[name], text, end)
        if not whole or any(block.executable for block in whole):
            continue
        failed += 1
        written += len(text)
        cut = [block for block in blocks(early[name], text, end) if block.end_cause == "aborted"]
        if cut:
            aborted += 1
            unwritten += len(text) - (text.index(cut[0].raw) + len(cut[0].raw))
    share = unwritten / written if written else 0.0
    return f"| {what} | {len(replies):,} | {failed:,} | {aborted:,} | {written // 4:,} | {unwritten // 4:,} ({share:.1%}) |"


def blocks(guard: Guard, text: str, end: End) -> list[ToolBlock]:
    return [item for item in guard.scan([text, end]) if isinstance(item, ToolBlock)]


def savings(count: int) -> list[str]:
    head = ["| replies | tried | fail | ended early | tokens of those that fail | never written |", "|---|---|---|---|---|---|"]
    return [
        *head,
        saved("broken replies of the corpora", *corpora()),
        saved("calls with one fault of how they are written", *faults(count)),
        saved("calls with one wrong value, anywhere in them", *values(count)),
        saved("calls with one field too many, anywhere in them", *strange(count)),
    ]


PREVIEWED: Final = Guard(FILE_TOOLS, preview=True)
PLAIN: Final = Guard(FILE_TOOLS)


def said(deltas: list[str]) -> Iterator[Preview]:
    for item in PREVIEWED.scan(deltas):
        if isinstance(item, ToolStatus):
            yield from item.preview or ()


def drained(guard: Guard, deltas: list[str]) -> None:
    for _ in guard.scan(deltas):
        pass


def taken_by(work: Callable[[], object]) -> float:
    """The seconds of the processor that work takes; others may use it meanwhile."""
    start = time.process_time()
    work()
    return time.process_time() - start


def partial(deltas: list[str]) -> Any:
    """The arguments so far, by jiter, at every delta."""
    text, value = "", None
    for delta in deltas:
        text += delta
        value = jiter.from_json(text.encode(), partial_mode="trailing-strings")
    return value


def costs(turns: int) -> list[str]:
    out = ["| us a delta of 4, median | " + " | ".join(f"{size:,}" for size in SIZES) + " |", "|---|" + "---|" * len(SIZES)]
    taken: dict[str, list[str]] = {}
    for size in SIZES:
        reply, bare = fixtures.deltas(fixtures.reply(size)), fixtures.deltas(fixtures.body(size))
        wanted = {key: value for key, value in json.loads(fixtures.body(size)).items() if key != "tool"}
        assert previewed(said(reply)) == wanted
        again = 1 if size > 100_000 else turns
        for name, work, count in (
            ("the guard with a preview of every field", lambda: drained(PREVIEWED, reply), len(reply)),  # noqa: B023  # measured at once
            ("the guard without", lambda: drained(PLAIN, reply), len(reply)),  # noqa: B023
            ("jiter, partial mode", lambda: partial(bare), len(bare)),  # noqa: B023
        ):
            spent = statistics.median(taken_by(work) for _ in range(again if name.startswith("jiter") else turns))
            taken.setdefault(name, []).append(f"{spent * 1e6 / count:.2f}")
    return [*out, *(f"| {name} | {' | '.join(figures)} |" for name, figures in taken.items())]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.early", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/README.md")
    parser.add_argument("--replies", type=int, default=2_000, help="how many calls of each kind are tried (2000)")
    parser.add_argument("--turns", type=int, default=5, help="how often each cost is measured (5)")
    options = parser.parse_args()
    print("counting ...", file=sys.stderr, flush=True)
    table = "\n".join([*savings(options.replies), "", *costs(options.turns)])
    print(table)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition("<!-- early -->\n")
        _, _, tail = rest.partition("<!-- end of early -->")
        PAGE.write_text(f"{head}<!-- early -->\n{table}\n<!-- end of early -->{tail}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
