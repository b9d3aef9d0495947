"""Broken blocks: who mends them as they were meant, who makes something else of them, and how long it takes.

Each contestant is handed the body of one block and gives its value, or refuses. Ours answers the executable calls of the block,
and nothing else counts as an answer. What is right was settled before anything was broken.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from stream_guard import Limits
from stream_guard.fixes.engine import Engine
from stream_guard.schema.json_text import parse
from stream_guard.tools.files import FILE_TOOLS

from .contestants import NODE
from .corruptions import CORRUPTIONS, calls

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpora" / "llm_errors.jsonl"
ENGINE = Engine(FILE_TOOLS, Limits(), "likely")

Answer = tuple[Any, float]
"""The value, or None when refused; and the seconds it took."""

Contestant = Callable[[Sequence[str]], list[Answer]]


@dataclass(frozen=True, slots=True)
class Broken:
    """One broken body."""

    body: str
    right: list[Any]
    """The values that count as what was meant."""


@dataclass(slots=True)
class Score:
    """What a contestant made of some bodies."""

    exact: int = 0
    wrong: int = 0
    refused: int = 0
    seconds: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        total = self.exact + self.wrong + self.refused
        return " | ".join(f"{count / total:.1%}" for count in (self.exact, self.wrong, self.refused))


def faults(count: int, seed: int = 1, least: int = 0, most: int = 10**9) -> list[Broken]:
    """Single faults in calls whose code comes from real files. Those that nobody can know the end of are left out."""
    chance = Random(seed)
    names = [name for name in CORRUPTIONS if name not in ("cut off", "closing quote lost", "two calls")]
    found: list[Broken] = []
    for call in calls(chance):
        if len(found) == count:
            return found
        body = CORRUPTIONS[chance.choice(names)](call, chance)
        if body is not None and least <= len(body) <= most and not parse(body).ok:
            found.append(Broken(body, [call]))
    raise AssertionError("calls never end")


def written() -> list[Broken]:
    """Blocks as models break them: those of the corpus whose JSON is broken. None when it is not beside this checkout."""
    if not CORPUS.exists():
        return []
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    return [Broken(row["input"], [row["expected"], *row["accept"]]) for row in rows if row["expected_fixable"] == "syntax"]


def _each(mend: Callable[[str], Any]) -> Contestant:
    def run(bodies: Sequence[str]) -> list[Answer]:
        return list(map(one, bodies))

    def one(body: str) -> Answer:
        start = time.perf_counter()
        try:
            value = mend(body)
        except Exception:
            value = None
        return value, time.perf_counter() - start

    return run


def guard() -> Contestant:
    def mend(body: str) -> Any:
        values = [part.verdict.value for part in ENGINE.mend(body, fenced=True)]
        return values[0] if len(values) == 1 else values or None

    return _each(mend)


def json_repair() -> Contestant:
    from json_repair import loads

    return _each(loads)


def fast_json_repair() -> Contestant:
    from fast_json_repair import loads

    return _each(loads)


def partial_json_parser() -> Contestant:
    from partial_json_parser import loads

    return _each(loads)


def jsonrepair() -> Contestant:
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules" / "jsonrepair").exists():
        raise ImportError("node or its jsonrepair", name="jsonrepair")

    def run(bodies: Sequence[str]) -> list[Answer]:
        script = NODE / "repair.mjs"  # where the package is found
        shutil.copy(ROOT / "benchmarks" / "repair.mjs", script)
        asked = "".join(json.dumps(body) + "\n" for body in bodies)
        done = subprocess.run([node, str(script)], input=asked, capture_output=True, text=True, check=True, timeout=600)
        return [(value, spent / 1e3) for value, spent in map(json.loads, done.stdout.splitlines())]

    return run


CONTESTANTS: dict[str, Callable[[], Contestant]] = {
    "stream_guard": guard,
    "json-repair": json_repair,
    "fast-json-repair": fast_json_repair,
    "jsonrepair (npm)": jsonrepair,
    "partial-json-parser": partial_json_parser,
}


def score(contestant: Contestant, broken: Sequence[Broken]) -> Score:
    """What a contestant makes of some bodies."""
    made = Score()
    for (value, spent), row in zip(contestant([row.body for row in broken]), broken, strict=True):
        made.seconds.append(spent)
        if value is None or value == "":
            made.refused += 1
        elif value in row.right:
            made.exact += 1
        else:
            made.wrong += 1
    return made


def table() -> Iterator[str]:
    """The rows: of each set exact, wrong, refused; and the time of a block of 4 KB, beside ours."""
    sets = {"single faults in real files": faults(3_000), "blocks as models break them": written()}
    sets = {name: rows for name, rows in sets.items() if rows}
    speed = faults(300, seed=5, least=3_500, most=4_600)
    heads = [f"{name} ({len(rows):,}): exact | wrong | refused" for name, rows in sets.items()]
    yield f"| repair | {' | '.join(heads)} | a block of 4 KB, median | against ours |"
    yield "|---" * (3 * len(sets) + 3) + "|"
    ours = 0.0
    for name, make in CONTESTANTS.items():
        contestant = make()
        scores = [score(contestant, rows) for rows in sets.values()]
        spent = statistics.median(score(contestant, speed).seconds)
        ours = ours or spent
        yield f"| {name} | {' | '.join(map(str, scores))} | {spent * 1e6:.0f} us | {spent / ours:.1f}x |"
