"""Broken blocks: who fixes them as they were meant, who makes something else of them, and how long it takes.

Each contestant is handed the body of one block and gives its value, or refuses. Ours answers the executable calls of the block,
and nothing else counts as an answer. What the others answer is validated with the tools' schemas, as whoever uses them does: a
value that is no valid call counts as refused. What is right was settled before anything was broken.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from stream_guard_conformance.cases import make
from stream_guard_conformance.run import guarded
from stream_guard_conformance.toolsets import TOOLSETS

from stream_guard import Guard, Toolset
from stream_guard.judge.judge import Judge
from stream_guard.schema.json_text import parse
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.validate import validate
from stream_guard.values.block import Block
from tests.corpora.score import guards, same
from tests.corpora.score import rows as authored_rows

from .contestants import NODE
from .corruptions import CORRUPTIONS, calls
from .matrix.baml import SOURCE

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpora" / "llm_errors.jsonl"

Answer = tuple[Any, float]
"""The value, or None when refused; and the seconds it took."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One broken body."""

    body: str
    right: list[Any]
    """The values that count as what was meant: a call, or a list of calls. Empty where nothing may come out."""

    tools: Toolset = FILE_TOOLS


Contestant = Callable[[Sequence[Broken]], list[Answer]]


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


def combined(count: int, seed: int = 1) -> list[Broken]:
    """Two to four faults of the JSON in one call, by the fault grammar: where its text says one thing, and may run."""
    known = {toolset.name: guarded(toolset) for toolset in TOOLSETS}
    found: list[Broken] = []
    for index in itertools.count():
        if len(found) == count:
            return found
        case = make(index, seed, 2 + index % 3, kinds=COMMON)
        one = case.wrapping == "bare" and len(case.meant) == 1 and not (case.said or case.nothing or case.gated)
        if one and not parse(case.body).ok:
            call = case.meant[0]
            found.append(Broken(case.body, [{"tool": call.tool, **call.arguments}], known[case.toolset.name]))
    raise AssertionError("numbers never end")


COMMON = (
    "trailing_comma", "missing_comma", "forgotten_brace", "extra_closer", "semicolon", "doubled_braces", "equals_sign",
    "bare_keys", "python_literal", "single_quotes", "typographic_quotes", "backticks", "triple_quotes", "plus", "line_comment",
    "prose_before", "prose_after", "invisible_between", "bare_quotes", "raw_line_breaks", "raw_everywhere",
    "undoubled_backslash",
)  # fmt: skip
"""The kinds of the grammar that are among the single faults too."""


def authored() -> list[Broken]:
    """Replies as models spoil them, with what was meant, from `tests/corpora`: those with one block, not those kept aside."""
    known = guards()
    found = []
    for row in authored_rows("broken_replies.jsonl"):
        blocks = known[row["tool"]].judge.blocks(row["text"])
        if row["aside"] or len(blocks) != 1 or blocks[0].end_cause != "closed":
            continue
        meant = [] if row["expected"] is None else [row["expected"], *row.get("accept", ())]
        found.append(
            Broken(blocks[0].body, [calls[0] if len(calls) == 1 else calls for calls in meant], known[row["tool"]].tools)
        )
    return found


def _each(mend: Callable[[str], Any]) -> Contestant:
    def run(rows: Sequence[Broken]) -> list[Answer]:
        return [_timed(lambda row=row: mend(row.body)) for row in rows]  # type: ignore[misc]

    return run


def _timed(mend: Callable[[], Any]) -> Answer:
    start = time.perf_counter()
    try:
        value = mend()
    except Exception:
        value = None
    return value, time.perf_counter() - start


def guard() -> Contestant:
    known: dict[int, Judge] = {}

    def mend(row: Broken) -> Any:
        block = Block(row.body, row.body, "closed", ambiguous=False, canonical=False)
        verdict, mended = known[id(row.tools)].judged(block)
        values = [verdict.value] if verdict.passed else [part.verdict.value for part in mended]
        return values[0] if len(values) == 1 else values or None

    def run(rows: Sequence[Broken]) -> list[Answer]:
        for row in rows:
            if id(row.tools) not in known:
                known[id(row.tools)] = Guard(row.tools).judge
        return [_timed(lambda row=row: mend(row)) for row in rows]  # type: ignore[misc]

    return run


def json_repair() -> Contestant:
    from json_repair import loads

    return _each(loads)


def json_repair_stable() -> Contestant:
    from json_repair import loads

    return _each(lambda body: loads(body, stream_stable=True))


def baml() -> Contestant:
    from baml_py import BamlRuntime

    os.environ.setdefault("BAML_LOG", "off")
    runtime = BamlRuntime.from_files("baml_src", {"main.baml": SOURCE}, {})
    context, names = runtime.create_context_manager(), ModuleType("names")
    return _each(lambda body: runtime.parse_llm_response("Read", body, names, names, names, False, context, None, None, {}))


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

    def run(rows: Sequence[Broken]) -> list[Answer]:
        script = NODE / "repair.mjs"  # where the package is found
        shutil.copy(ROOT / "benchmarks" / "repair.mjs", script)
        asked = "".join(json.dumps(row.body) + "\n" for row in rows)
        done = subprocess.run([node, str(script)], input=asked, capture_output=True, text=True, check=True, timeout=600)
        return [(value, spent / 1e3) for value, spent in map(json.loads, done.stdout.rstrip("\n").split("\n"))]

    return run


CONTESTANTS: dict[str, Callable[[], Contestant]] = {
    "stream_guard": guard,
    "json-repair": json_repair,
    "json-repair, stable": json_repair_stable,
    "fast-json-repair": fast_json_repair,
    "jsonrepair (npm)": jsonrepair,
    "partial-json-parser": partial_json_parser,
    "BAML": baml,
}


def score(contestant: Contestant, broken: Sequence[Broken]) -> Score:
    """What a contestant makes of some bodies."""
    made = Score()
    for (value, spent), row in zip(contestant(broken), broken, strict=True):
        made.seconds.append(spent)
        refused = not _are_calls(value, row.tools)
        if (refused and not row.right) or any(same(value, right) for right in row.right):
            made.exact += 1
        elif refused:
            made.refused += 1
        else:
            made.wrong += 1
    return made


def _are_calls(value: Any, tools: Toolset) -> bool:
    """Return whether a value is a valid call, or a list of them."""
    found = value if isinstance(value, list) else [value]
    try:
        return bool(found) and all(validate(json.dumps(call), tools).passed for call in found)
    except (TypeError, ValueError):
        return False


def table() -> Iterator[str]:
    """Yield the rows: of each set exact, wrong, refused; and the time of a block of 4 KB, beside ours."""
    sets = {
        "single faults in real files": faults(3_000),
        "two to four faults": combined(1_000),
        "authored": authored(),
        "blocks as models break them": written(),
    }
    sets = {name: rows for name, rows in sets.items() if rows}
    speed = faults(300, seed=5, least=3_500, most=4_600)
    heads = [f"{name} ({len(rows):,}): exact | wrong | refused" for name, rows in sets.items()]
    yield f"| repair | {' | '.join(heads)} | a block of 4 KB: median | p99 | median against ours |"
    yield "|---" * (3 * len(sets) + 4) + "|"
    ours = 0.0
    for name, make_one in CONTESTANTS.items():
        contestant = make_one()
        scores = [score(contestant, rows) for rows in sets.values()]
        spent = sorted(score(contestant, speed).seconds)
        median, p99 = statistics.median(spent), spent[int(0.99 * len(spent))]
        ours = ours or median
        times = f"{median * 1e6:.0f} us | {p99 * 1e6:.0f} us | {median / ours:.1f}x"
        yield f"| {name} | {' | '.join(map(str, scores))} | {times} |"
