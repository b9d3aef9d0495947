"""How long each of nine hundred shapes of text takes, as it doubles from 16 KB to 1 MB; and who holds the interpreter up.

    python -m benchmarks.shapes                 # all; what is more than linear is told, and ends the run with 1
    python -m benchmarks.shapes --only string   # the contexts, or tokens, with this in their name

A shape is a token, repeated, in a context: a text, a native call, a correction, a lesson, bytes on the wire. What our own
patterns look at is counted by tests/promises/test_linear.py; here is what code in C does, which can only be timed. All
seconds are a processor's, so a busy machine changes little.

Rule: a shape is measured up to the size at which it takes `PATIENCE`, so that one that is cubic ends, too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Final, Self

from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.protocols import CHAT

from stream_guard import Guard, Limits
from stream_guard.testing import FakeCorrector
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.tools.lessons import validate_lesson_data

SIZES: Final = (16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_000)
PATIENCE: Final = 1.0
"""Seconds after which a shape is not made any larger."""

WORTH: Final = 0.05
"""Seconds that are worth to be looked at: what takes less may grow as it likes."""

GROWS: Final = 3.0
"""Twice the text may take so many times as long; more is more than linear, with room for what a machine does besides."""

HOLDS: Final = 0.05
"""Seconds for which the interpreter may be held. What is of the first size gets no thread of its own (`session.SHORT`): all of
the loop waits for it, and it may take no longer than this.
"""

TOKENS: Final = {
    "letters": "x", "words": "word ", "lines": "a line\n", "newlines": "\n", "spaces": " ", "quotes": '"', "backslashes": "\\",
    "escaped quotes": '\\"', "escapes": "\\n", "braces": "{", "closers": "}", "brackets": "[", "commas": ",", "colons": ": ",
    "backticks": "`", "fences": "```\n", "json fences": "```json\n", "tags": "<b>", "paragraphs": "<p>", "entities": "&amp;",
    "comments": "// x\n", "open comments": "/*", "single quotes": "'", "digits": "7", "members": '"a": 1, ', "strings": '"a", ',
    "objects": '{"a": 1}, ', "calls": "f(", "accents": "é", "emoji": "😀", "curly quotes": "“", "plus": '" + "', "dots": "../",
    "unicode": "\\u00e9", "half pairs": "\\ud83d", "dashes": "- ", "tool": '"tool": ', "semicolons": ";\n", "tabs": "\t",
    "nul": "\x00",
}  # fmt: skip

Run = Callable[[], object]
FILES: Final = Guard(FILE_TOOLS, limits=Limits(max_block=4_000_000, max_repair=4_000_000))
ANY: Final = Guard(FILE_TOOLS, untagged="validate", limits=Limits(max_block=4_000_000, max_repair=4_000_000))
HEAD: Final = '{"tool": "write_file", "path": "a.txt", "content": "'


def scanned(text: str, guard: Guard = FILES) -> Run:
    """A text in one delta."""
    return lambda: list(guard.scan([text]))


def sliced(text: str) -> Run:
    """A text in deltas of seven characters."""
    return lambda: list(FILES.scan(text[at : at + 7] for at in range(0, len(text), 7)))


def fenced(body: str) -> str:
    return f"Before.\n```json\n{body}\n```\nAfter.\n"


def called(arguments: str) -> Run:
    """A native call."""
    told = {"index": 0, "id": "t", "function": {"name": "write_file", "arguments": arguments}}
    events = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [told]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]

    def run() -> object:
        lanes = Lanes(FILES, CHAT)
        return [item for event in events for item in lanes.feed(event)] + list(lanes.end())

    return run


def on_the_wire(raw: bytes) -> Run:
    def run() -> object:
        body = Body(FILES, "events", CHAT)
        return [item for at in range(0, len(raw), 65_536) for item in body.push(raw[at : at + 65_536])] + list(body.end())

    return run


def corrected(body: str, reply: str) -> Run:
    """A block that a model corrects."""
    guard = Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector(reply), limits=FILES.limits)

    async def run() -> None:
        async def source() -> AsyncIterator[str]:
            yield fenced(body)

        async for _ in guard.stream(source()):
            pass

    return lambda: asyncio.run(run())


def written(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def lesson(text: str) -> Run:
    data = {"title": "A lesson", "widgets": [{"type": "text", "id": "w1", "content": {"text": text}}]}
    return lambda: validate_lesson_data(data)


CONTEXTS: Final[dict[str, Callable[[str], Run]]] = {
    "text": scanned,
    "text in slices": sliced,
    "a body": lambda text: scanned(fenced(text), ANY),
    "before the body": lambda text: scanned(fenced(f'{text}{HEAD}x"}}')),
    "behind the body": lambda text: scanned(fenced(f'{HEAD}x"}}{text}')),
    "a string": lambda text: scanned(fenced(f'{HEAD}{written(text)}"}}')),
    "a raw string": lambda text: scanned(fenced(f'{HEAD}{text}"}}')),
    "a broken string": lambda text: scanned(fenced(f'{HEAD}say "{text}" to it",}}')),
    "an open string": lambda text: scanned(fenced(f"{HEAD}{text}")),
    "a key": lambda text: scanned(fenced(f'{{"tool": "write_file", "{text}": 1, "path": "a", "content": "x",}}')),
    "a path": lambda text: scanned(fenced(f'{{"tool": "write_file", "path": "{written(text)}", "content": "x"}}')),
    "a tool": lambda text: scanned(fenced(f'{{"tool": "{written(text)}", "path": "a", "content": "x"}}'), ANY),
    "a list": lambda text: scanned(fenced(f'{{"tool": "write_file", "path": "a", "content": [{text}]}}')),
    "a native call": lambda text: called(f'{{"path": "a.txt", "content": "{written(text)}"}}'),
    "a broken native call": lambda text: called(f'{{"path": "a.txt", "content": "{text}",}}'),
    "a wild native call": called,
    "check": lambda text: lambda: FILES.check(text),
    "check, before the body": lambda text: lambda: FILES.check(f'{text}{HEAD}x"}}'),
    "a correction": lambda text: corrected(
        f'{{"tool": "write_file", "path": "a.txt", "content": ["{written(text)}"]}}', f'{HEAD}{written(text)}"}}'
    ),
    "a reply": lambda text: corrected('{"tool": "write_file", "path": "a.txt", "content": ["x"]}', f'{text}{HEAD}x"}}'),
    "a lesson": lesson,
    "wire": lambda text: on_the_wire(text.encode("utf-8", "surrogatepass")),
    "wire data": lambda text: on_the_wire(f"data: {text}\n\n".encode("utf-8", "surrogatepass")),
    "an event": lambda text: on_the_wire(
        f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': text}}]})}\n\n".encode()
    ),
    "many events": lambda text: on_the_wire(
        f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': text[:64]}}]})}\n\n".encode() * (len(text) // 64)
    ),
}  # fmt: skip
"""What a shape is read as."""


class Watch:
    """A thread that sees for how long nobody else could run."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._over = False
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        before = time.process_time()
        while not self._over:
            time.sleep(0.002)
            now = time.process_time()
            self.longest = max(self.longest, now - before)
            before = now

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._thread.join()


def timed(run: Run) -> tuple[float, float]:
    """Seconds of a processor, of several runs the fewest; and for how long nobody else could run, at the least."""
    took, held = [], []
    for _ in range(4):
        with Watch() as watch:
            start = time.process_time()
            run()
            took.append(time.process_time() - start)
        held.append(watch.longest)
        if took[-1] > PATIENCE or (len(held) > 1 and min(held) < HOLDS):
            break
    return min(took), min(held)


def measured(context: str, token: str) -> tuple[list[float], float]:
    """The seconds at each size, and the longest hold."""
    seconds: list[float] = []
    longest = 0.0
    for size in SIZES:
        took, held = timed(CONTEXTS[context](TOKENS[token] * (size // len(TOKENS[token]))))
        seconds.append(took)
        longest = max(longest, held)
        if took > PATIENCE:
            break
    return seconds, longest


def grows(seconds: list[float]) -> float:
    """How many times as long twice the text takes, at its worst, where it takes long enough to be told."""
    return max((after / before for before, after in pairwise(seconds) if after > WORTH), default=0.0)


def main() -> int:
    """Measure, and tell what is more than linear."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    bad = count = 0
    for context in CONTEXTS:
        for token in TOKENS:
            if options.only not in context and options.only not in token:
                continue
            count += 1
            seconds, held = measured(context, token)
            found = (("GROWS", grows(seconds) > GROWS), ("HOLDS", held > HOLDS), ("STALLS", seconds[0] > HOLDS))
            wrong = [said for said, is_so in found if is_so]
            if wrong:
                bad += 1
                shown = " ".join(f"{1000 * one:.0f}" for one in seconds)
                print(f"{'+'.join(wrong):12} {context} of {token}: {shown} ms; held for {1000 * held:.0f} ms", flush=True)
    print(f"{count} shapes, {bad} of them more than linear, or holding others up")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
