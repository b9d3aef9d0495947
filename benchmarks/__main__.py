"""Run every measurement and print the table; `--write` puts it into benchmarks/README.md.

Each row is a ratio between two things measured in turns in this one run, with the median over the turns and their spread.
Seconds of one machine say little; ratios travel.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import platform
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

from . import fixtures, growth, lessons, repair, streams
from .contestants import GUARD, PEERS, VALIDATORS, body, body_alone, compiled, guard, toolset

PAGE = Path(__file__).parent / "README.md"
Measured = Callable[[], object]


def seconds(work: Measured) -> float:
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    work()
    spent = time.perf_counter() - start
    gc.enable()
    return spent


def ratio(ours: Measured, theirs: Measured, turns: int) -> tuple[str, float, float]:
    """Ours over theirs: as text with its spread, and the medians of both in seconds."""
    ours(), theirs()  # warm
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(turns)]
    ratios = sorted(a / b for a, b in pairs)
    text = f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}-{ratios[-1]:.2f})"
    return text, statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


async def source(deltas: list[str]) -> AsyncIterator[str]:
    for delta in deltas:
        yield delta


async def drain(stream: AsyncIterator[object]) -> None:
    async for _ in stream:
        pass


def row(what: str, figures: tuple[str, float, float], aim: str, unit: str, scale: float) -> str:
    shown, ours, theirs = figures
    return f"| {what} | {shown} | {aim} | {ours * scale:.2f} and {theirs * scale:.2f} {unit} |"


def prose(turns: int) -> list[str]:
    deltas = fixtures.deltas(fixtures.prose(800_000))

    def guarded() -> None:
        asyncio.run(drain(aiter(GUARD.stream(source(deltas)))))

    def bare() -> None:
        asyncio.run(drain(growth.identity(source(deltas))))

    what = f"prose, {len(deltas):,} deltas of 4: guard against an identity async generator"
    return [row(what, ratio(guarded, bare, turns), "at most 1.6x", "ns a delta", 1e9 / len(deltas))]


def block(turns: int) -> list[str]:
    rows = []
    for size in (1_000, 64_000, 1_000_000):
        figures = ratio(partial(guard, [fixtures.reply(size)]), partial(json.loads, fixtures.body(size)), turns * 3)
        what = f"a block of {size:,} in one delta: detect, hold, parse, validate, against `json.loads`"
        rows.append(row(what, figures, "at most 3x" if size == 1_000_000 else "", "ms", 1e3))
    return rows


def flat(turns: int) -> list[str]:
    """Blocks of three sizes, so often that as many deltas are read of each."""
    sizes = (1_000, 64_000, 1_000_000)
    streams = {size: fixtures.deltas(fixtures.reply(size)) for size in sizes}

    def each(size: int) -> None:
        for _ in range(sizes[-1] // size):
            guard(streams[size])

    def count(size: int) -> int:
        return len(streams[size]) * (sizes[-1] // size)

    rows = []
    for size in sizes[1:]:
        _, ours, theirs = ratio(partial(each, size), partial(each, sizes[0]), max(3, turns // 3))
        ours, theirs = ours / count(size), theirs / count(sizes[0])
        what = f"a delta of 4 in a block of {size:,} against one in a block of {sizes[0]:,}"
        rows.append(row(what, (f"{ours / theirs:.2f}x", ours, theirs), "within 1.2x", "us a delta", 1e6))
    return rows


def peers(turns: int) -> list[str]:
    size, rows = 2_000, []
    reply, bare = fixtures.deltas(fixtures.reply(size)), fixtures.deltas(fixtures.body(size))
    for name, contestant in PEERS.items():
        figures = ratio(partial(contestant, bare), partial(guard, reply), max(3, turns // 3))
        rows.append(row(f"{name}, a block of {size:,} in deltas of 4, against the guard", figures, "", "ms", 1e3))
    return rows


def validation(turns: int) -> list[str]:
    """One valid call of 10 KB, so often that a turn can be measured."""
    often, alone = 20_000, "jsonschema-rs alone"
    aims = {"the tool's schema": "at most 2x"}
    call = fixtures.arguments(10_000)

    def each(check: Callable[[Any], bool]) -> None:
        for _ in range(often):
            check(call)

    text, alone_on_text = fixtures.body(10_000), body_alone()

    def all_levels() -> None:
        for _ in range(often // 10):
            body(text)

    def two_libraries() -> None:
        for _ in range(often // 10):
            alone_on_text(text)

    what = "a valid write_file of 10,000, as text: all three levels, against jiter and jsonschema-rs alone"
    rows = [row(what, ratio(all_levels, two_libraries, turns), "at most 2x", "us", 1e7 / often)]
    made = {name: make() for name, make in VALIDATORS.items()}
    for name, check in made.items():
        if name != alone:
            figures = ratio(partial(each, check), partial(each, made[alone]), turns if name in aims else max(3, turns // 3))
            what = f"a valid write_file of 10,000, as an object: {name}, against {alone}"
            rows.append(row(what, figures, aims.get(name, ""), "us", 1e6 / often))
    return rows


def registration(turns: int) -> list[str]:
    """Five hundred tools, no two alike; the time is itself the figure."""
    documents = fixtures.schemas(500)
    register, compile_alone = partial(toolset, documents), partial(compiled, documents)
    what = "500 tools registered: schemas, fields, unions, against jsonschema-rs compiling them"
    return [row(what, ratio(register, compile_alone, max(3, turns // 3)), "under 1000 ms", "ms", 1e3)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/README.md")
    parser.add_argument("--turns", type=int, default=11, help="how often each pair is measured (11)")
    options = parser.parse_args()
    rows = ["| what | ratio: median (least-most) | aim | medians |", "|---|---|---|---|"]
    for measure in (prose, block, flat, validation, registration, peers):
        print(f"measuring {measure.__name__} ...", file=sys.stderr, flush=True)
        rows += measure(options.turns)
    print("measuring streams ...", file=sys.stderr, flush=True)
    rows += streams.table(options.turns)
    rows += lessons.table(options.turns)
    print("measuring growth ...", file=sys.stderr, flush=True)
    rows += ["", *growth.table(max(3, options.turns // 3))]
    print("measuring repair ...", file=sys.stderr, flush=True)
    rows += ["", *repair.table()]
    table = "\n".join(rows)
    print(table)
    print(f"\nPython {platform.python_version()}, {platform.machine()}, {options.turns} turns")
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition("<!-- table -->\n")
        _, _, tail = rest.partition("<!-- end -->")
        made = f"Python {platform.python_version()}, {platform.machine()}, {options.turns} turns:"
        PAGE.write_text(f"{head}<!-- table -->\n{made}\n\n{table}\n<!-- end -->{tail}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
