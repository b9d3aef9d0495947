"""What the small things cost: a delta inside a block, a small block, an import, a guard.

    python -m benchmarks.small [--against FOLDER] [--rounds 9]

Processor time, of which the least of all rounds counts: it depends little on what else the machine does. With another folder
that has the packages, both are measured in turns: another checkout, or a build of one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
DELTAS = 20_000
PLAIN = "for each in values: total = total + each * 2; print(total, each)  # and so on, "
ESCAPED = r"ab cd\nef gh\"ij kl\n"
PROSE = "Some words of prose stand here, and they go on for a while.\nThen the next line does, until it ends too.\n"
MARKDOWN = "- an item of `x`\n  more **text** here\n\n1. one\n> a quote\n"

ROWS = {
    "import": "`import stream_guard`, less the bare interpreter",
    "guard": "`Guard` of three tools",
    "session": "a session",
    "80": "a block of 80 characters in one delta",
    "1000": "a block of 1,000 characters in one delta",
    "1000000": "a block of 1,000,000 characters in one delta",
    "loads": "`json.loads` of that",
    "pieces": "a block of 1,000 characters in deltas of 4",
    "markdown": "a delta of 4 of lists and quotes in Markdown, `Guard.scan`",
    "scan": "a delta of 4 of ordinary code in a block, `Guard.scan`",
    "stream": "the same, `Guard.stream`",
    "scan escaped": "with an escape every seven characters, `Guard.scan`",
    "stream escaped": "the same, `Guard.stream`",
    "preview": "a delta of 4 of ordinary code, with previews",
    "preview escaped": "with an escape every seven characters, with previews",
    "native": "a delta of 4 of ordinary code in a native call, `Session.grow`",
    "native preview": "the same, with previews",
    "wire": "an event with one change as JSON, `wire.to_json`",
    "prose": "a delta of 4 of prose, `Guard.stream`",
    "identity": "a delta through an identity async generator",
}


def least(work: Callable[[], object], times: int, often: int = 1) -> float:
    """The least processor time of one call, in microseconds."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        for _ in range(often):
            work()
        taken.append((time.process_time() - start) / often)
    return 1e6 * min(taken)


def opened(text: str) -> list[str]:
    """A block whose one long string is so many deltas of this text."""
    return ['```json\n{"tool": "write_file", "path": "a.py", "content": "', *cut(text * (4 * DELTAS // len(text))), '"}\n```\n']


def cut(text: str) -> list[str]:
    """A text in deltas of 4."""
    return [text[at : at + 4] for at in range(0, len(text), 4)]


def reply(size: int) -> str:
    """A reply with one block of so many characters."""
    call = {"tool": "write_file", "path": "src/a.py", "content": ""}
    lines = "x = compute(1)\n" * (size // 15 + 1)
    while len(json.dumps(call)) < size:
        call["content"] = lines[: len(call["content"]) + max(1, (size - len(json.dumps(call))) // 2)]
    return f"Prose.\n```json\n{json.dumps(call)}\n```\n"


def measured() -> dict[str, float]:
    """Every row but the import, in microseconds."""
    from stream_guard import Guard, ToolStatus
    from stream_guard.tools.files import FILE_TOOLS
    from stream_guard.wire import to_json

    guard, showing, three = Guard(FILE_TOOLS), Guard(FILE_TOOLS, preview=True), [*FILE_TOOLS][:3]

    def drained(items: Iterable[Any]) -> None:
        for _ in items:
            pass

    def scanned(text: str) -> None:
        drained(guard.scan([text]))

    async def source(deltas: list[str]) -> AsyncIterator[str]:
        for delta in deltas:
            yield delta

    async def same(deltas: list[str]) -> AsyncIterator[str]:
        async for delta in source(deltas):
            yield delta

    async def through(stream: AsyncIterator[Any]) -> None:
        async for _ in stream:
            pass

    def streamed(deltas: list[str]) -> None:
        asyncio.run(through(aiter(guard.stream(source(deltas)))))

    def grown(guard: Guard) -> None:
        session = guard.session()
        session.open("write_file")
        for delta in ['{"path": "a.py", "content": "', *code[1:-1], '"}']:
            drained(session.grow(delta))

    large, code, escapes = reply(1_000_000), opened(PLAIN), opened(ESCAPED)
    (change,) = [item for item in showing.scan([*code[:2]]) if isinstance(item, ToolStatus) and item.preview][-1:]
    pieces, markdown, prose = cut(reply(1000)), cut(MARKDOWN * 800), cut(PROSE * (4 * DELTAS // len(PROSE)))
    return {
        "guard": least(lambda: Guard(three), 5, 5),
        "session": least(guard.session, 5, 200),
        **{str(size): least(partial(scanned, reply(size)), 5, 100) for size in (80, 1000)},
        "1000000": least(partial(scanned, large), 5),
        "loads": least(lambda: json.loads(large.split("\n")[2]), 5),
        "pieces": least(lambda: drained(guard.scan(pieces)), 5, 20),
        "markdown": least(lambda: drained(guard.scan(markdown)), 3) / len(markdown),
        "scan": least(lambda: drained(guard.scan(code)), 3) / DELTAS,
        "stream": least(lambda: streamed(code), 3) / DELTAS,
        "scan escaped": least(lambda: drained(guard.scan(escapes)), 3) / DELTAS,
        "stream escaped": least(lambda: streamed(escapes), 3) / DELTAS,
        "preview": least(lambda: drained(showing.scan(code)), 3) / DELTAS,
        "preview escaped": least(lambda: drained(showing.scan(escapes)), 3) / DELTAS,
        "native": least(lambda: grown(guard), 3) / DELTAS,
        "native preview": least(lambda: grown(showing), 3) / DELTAS,
        "wire": least(lambda: to_json(change), 3, 2000),
        "prose": least(lambda: streamed(prose), 3) / len(prose),
        "identity": least(lambda: asyncio.run(through(same(code))), 3) / DELTAS,
    }


def run(tree: Path, *arguments: str) -> tuple[float, str]:
    """The processor time of a Python with the packages of a tree, in microseconds, and what it printed."""
    import resource  # deferred: not every system has it

    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments], env={**own, "PYTHONPATH": str(tree)}, capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e6 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small", description=__doc__)
    parser.add_argument("--against", type=Path, help="another folder that has the packages")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--one", action="store_true", help="print one round of this tree as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured()))
        return
    trees = [*([options.against.resolve()] if options.against else []), HERE]
    found: dict[tuple[Path, str], float] = {}
    for _ in range(options.rounds):
        for tree in trees:
            told = json.loads(run(tree, __file__, "--one")[1])
            told["bare"], told["with"] = (run(tree, "-P", "-c", code)[0] for code in ("pass", "import stream_guard"))
            for name, value in told.items():
                found[tree, name] = min(value, found.get((tree, name), value))
    for tree in trees:
        found[tree, "import"] = found[tree, "with"] - found[tree, "bare"]
    print(f"| what, us | {' | '.join([f'`{options.against}`', 'here'][-len(trees) :])} |\n|---|{'---|' * len(trees)}")
    for name, what in ROWS.items():
        values = [found[tree, name] for tree in trees]
        print(f"| {what} | {' | '.join(f'{value:,.0f}' if value >= 10 else f'{value:.2f}' for value in values)} |")


if __name__ == "__main__":
    main()
