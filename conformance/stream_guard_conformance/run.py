"""The runner: blocks of the grammar on a guard, and a table of what became of them.

Blocks are numbered, and each is drawn from the seed and its number, so the table does not depend on how many processes made it.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from math import inf
from multiprocessing import active_children, get_context
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

from stream_guard import Guard, Risk, Tool, ToolBlock
from stream_guard import Toolset as GuardedToolset
from stream_guard.spi import deaf_children

from .calls import Call
from .cases import ATTEMPTS, Case, make
from .cuts import Prefix, prefixes
from .faults import KINDS
from .sources import Sources, everything, own
from .toolsets import TOOLSETS, Toolset
from .verdicts import Calls, Verdict, keys

BATCH: Final = 250
"""How many blocks a process takes at a time."""

EVERY: Final = 10
"""The interval of streaming: one block in this many is streamed in pieces, too."""

RARE: Final = 400
"""How many calls are drawn for a fault that may have no place in most of them."""

WORST: Final = (Verdict.WRONG, Verdict.STILL_VALID, Verdict.REFUSED, Verdict.GATED, Verdict.EXACT)
"""The verdicts from worst to best: of two of one block, the earlier counts."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A block of which a call ran that was not meant."""

    kinds: tuple[str, ...]
    toolset: str
    text: str
    ran: list[dict[str, Any]]
    meant: list[dict[str, Any]]
    way: str
    """The way of asking the guard that let the call run."""

    number: int = 0
    """The number of the block under its seed."""


@dataclass(slots=True)
class Result:
    """The verdicts on all blocks with one kind of fault, applied the same number of times to each block."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    smallest: Wrong | None = None

    def add(self, other: Result) -> None:
        """Add the blocks of another result to this one, and keep the smallest wrong block of both."""
        self.verdicts += other.verdicts
        if other.smallest and (self.smallest is None or len(other.smallest.text) < len(self.smallest.text)):
            self.smallest = other.smallest

    @property
    def tried(self) -> int:
        """How many blocks there were."""
        return self.verdicts.total()

    def __getitem__(self, verdict: Verdict) -> int:
        return self.verdicts[verdict]


@dataclass(slots=True)
class Table:
    """Results by kind and number of faults. A block with several faults counts for the kind that it was made for."""

    results: dict[tuple[str, int], Result] = field(default_factory=dict)

    def add(self, other: Table) -> None:
        """Add the results of another table to this one."""
        for key, result in other.results.items():
            self.results.setdefault(key, Result()).add(result)

    def total(self, *, kinds: Iterable[str] | None = None, faults: Iterable[int] | None = None) -> Result:
        """Return the results of all blocks of these kinds with these numbers of faults."""
        chosen = None if kinds is None else set(kinds)
        numbers = None if faults is None else set(faults)
        found = Result()
        for (kind, count), result in self.results.items():
            if (chosen is None or kind in chosen) and (numbers is None or count in numbers):
                found.add(result)
        return found

    def exact(self, *, kinds: Iterable[str] | None = None, faults: Iterable[int] | None = None) -> float:
        """Return the share of exact blocks among those that can be determined and were not stopped by a gate."""
        result = self.total(kinds=kinds, faults=faults)
        known = result.tried - result[Verdict.STILL_VALID] - result[Verdict.GATED]
        return result[Verdict.EXACT] / known if known else 0.0

    def wrong(self) -> list[Wrong]:
        """Return the smallest wrong block of each kind."""
        smallest = (self.total(kinds=[kind]).smallest for kind in KINDS)
        return [wrong for wrong in smallest if wrong]

    def __str__(self) -> str:
        columns = ("tried", *Verdict)
        width = max(map(len, KINDS))
        lines = [f"{'kind':{width}}  " + "".join(f"{column:>12}" for column in columns)]
        for count in sorted({count for _, count in self.results}):
            lines.append(f"-- {count} fault{'s' if count > 1 else ''}")
            rows = [(kind, self.results[kind, count]) for kind in KINDS if (kind, count) in self.results]
            rows.append(("all", self.total(faults=[count])))
            lines += [
                f"{kind:{width}}  {result.tried:12}" + "".join(f"{result[verdict]:12}" for verdict in Verdict)
                + ("  never runs" if kind in KINDS and KINDS[kind].refused else "")
                for kind, result in rows
            ]  # fmt: skip
        return "\n".join(lines)


def guarded(toolset: Toolset) -> GuardedToolset:
    """Return the tools in the form that a guard takes."""
    return GuardedToolset(
        *(
            Tool(
                tool.name,
                f"{tool.name.replace('_', ' ')}.",
                tool.schema,
                aliases=tool.aliases,
                field_aliases=tool.field_aliases,
                risk=Risk.DESTRUCTIVE if tool.destructive else Risk.WRITE,
            )
            for tool in toolset.tools
        )
    )


@cache
def guard_of(name: str) -> Guard:
    """Return a guard for the toolset of this name."""
    return Guard(guarded(next(toolset for toolset in TOOLSETS if toolset.name == name)))


Way = tuple[str, Calls]
"""A way of asking, and the calls that came out executable."""


class Subject(Protocol):
    """The tools that blocks are made for, and what tries the blocks.

    It is sent to other processes, and sets itself up there.
    """

    @property
    def toolsets(self) -> Sequence[Toolset]:
        """The toolsets whose calls are drawn."""
        ...

    @property
    def sources(self) -> Sources:
        """Where the texts of the calls come from."""
        ...

    @property
    def rare(self) -> bool:
        """Whether a kind of fault may have no place in most of the calls. A block without a place for it is left out."""
        ...

    def ways(self, toolset: Toolset, /, text: str, rng: Random | None) -> Iterator[Way]:
        """Yield the executable calls of a text, once for each way of giving it to what is tried.

        The ways are the whole text as a stream, `check`, and with `rng` also the stream by characters and in pieces.
        """
        ...


class Own:
    """The toolsets of this package, each with a guard of the usual settings.

    Args:
        machine: Whether texts come from the files of this machine too. Without them the blocks are the same everywhere.
    """

    toolsets: Sequence[Toolset] = TOOLSETS
    rare = False

    def __init__(self, *, machine: bool = True) -> None:
        self._machine: Final = machine

    @property
    def sources(self) -> Sources:
        """Texts of this package, and of this machine."""
        return everything() if self._machine else own()

    def ways(self, toolset: Toolset, text: str, rng: Random | None) -> Iterator[Way]:
        """Yield the executable calls of a text, once for each way of giving it to what is tried.

        The ways are the whole text as a stream, `check`, and with `rng` also the stream by characters and in pieces.
        """
        return ways(guard_of(toolset.name), text, rng)


def executable(items: Iterable[object]) -> Calls:
    """Return the calls among the items of a guarded stream that are to be run."""
    calls = (item.call for item in items if isinstance(item, ToolBlock))
    return tuple(Call(call.tool, call.arguments) for call in calls if call is not None)


def checked(guard: Guard, text: str) -> Calls | None:
    """Return what `check` finds executable in a text, or None when it holds more than one call, which `check` does not take."""
    block = guard.check(text)
    return None if any(issue.code == "several_calls" for issue in block.issues) else executable([block])


def ways(guard: Guard, text: str, rng: Random | None) -> Iterator[Way]:
    """Yield the executable calls of a text, once for each way of giving it to a guard.

    The ways are `scan` of the whole text, `check`, and with `rng` also `scan` by characters and in pieces.
    """
    yield "scan", executable(guard.scan([text]))
    found = checked(guard, text)
    if found is not None:
        yield "check", found
    if rng is not None:
        yield "scan by characters", executable(guard.scan(list(text)))
        for _ in range(2):
            cuts = sorted(rng.randrange(len(text) + 1) for _ in range(rng.randint(1, 12)))
            pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
            yield "scan in pieces", executable(guard.scan(pieces))


def tried(case: Case, number: int, subject: Subject) -> tuple[Verdict, Wrong | None]:
    """Return the verdict on one block, the worst of all ways; and the block itself when that is wrong."""
    rng = Random(number) if number % EVERY == 0 else None
    worst = Verdict.EXACT
    for way, ran in subject.ways(case.toolset, case.text, rng):
        verdict = case.verdict(ran)
        if verdict is Verdict.WRONG:
            meant = () if case.nothing else case.meant
            return verdict, Wrong(case.kinds, case.toolset.name, case.text, _plain(ran), _plain(meant), way, number)
        worst = min(worst, verdict, key=WORST.index)
    return worst, None


def _plain(calls: Calls) -> list[dict[str, Any]]:
    return [
        {"tool": call.tool, **(call.arguments if isinstance(call.arguments, dict) else {"arguments": call.arguments})}
        for call in calls
    ]


@dataclass(frozen=True, slots=True)
class Plan:
    """The blocks that are to be tried."""

    blocks: int
    seed: int = 1
    faults: tuple[int, ...] = (1,)
    """The numbers of faults; blocks take them by turns, the whole table of kinds with one number after the other."""

    kinds: tuple[str, ...] = tuple(KINDS)
    subject: Subject = field(default_factory=Own)

    def case(self, number: int) -> tuple[int, Case]:
        """Return the block of this number, and how many faults it has. Raises LookupError where its fault has no place."""
        count = self.faults[number // len(self.kinds) % len(self.faults)]
        own = self.subject
        return count, make(
            number,
            self.seed,
            count,
            kinds=self.kinds,
            toolsets=own.toolsets,
            sources=own.sources,
            attempts=RARE if own.rare else ATTEMPTS,
        )


def _some(plan: Plan, numbers: range) -> Table:
    """Return the results of the blocks with these numbers; runs in a process of its own."""
    table = Table()
    for number in numbers:
        try:
            count, case = plan.case(number)
        except LookupError:
            if plan.subject.rare:
                continue
            raise
        verdict, wrong = tried(case, number, plan.subject)
        table.results.setdefault((case.kinds[0], count), Result()).add(Result(Counter([verdict]), wrong))
    return table


def run(
    blocks: int,
    seed: int = 1,
    faults: Sequence[int] = (1,),
    *,
    kinds: Sequence[str] = tuple(KINDS),
    processes: int | None = None,
    subject: Subject | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Table:
    """Try this many blocks in this many processes (None: as many as there are cores; 0: this one), and return the results.

    `progress` is called with the number of blocks that were tried since it was called last.
    """
    plan = Plan(blocks, seed, tuple(faults), tuple(kinds), subject or Own())
    batches = [range(start, min(start + BATCH, blocks)) for start in range(0, blocks, BATCH)]
    table = Table()
    for part, batch in zip(_mapped(_some, plan, batches, processes), batches, strict=True):
        table.add(part)
        progress(len(batch))
    return table


@dataclass(frozen=True, slots=True)
class Stopped:
    """The results of bodies that stop before their end."""

    tried: int
    forgotten: int
    """How many bodies ran that lack only their closing braces, in a fence that closes."""

    wrong: tuple[Wrong, ...]


def run_cuts(calls: int, seed: int = 1, *, longest: int = 200, processes: int | None = None) -> Stopped:
    """Run the guard on every prefix of `calls` drawn calls, with and without a fence; return what became executable."""
    share = 20
    plans = [(min(share, calls - start), seed + start, longest) for start in range(0, calls, share)]
    parts = list(_mapped(_stopped, None, plans, processes))
    wrong = tuple(found for part in parts for found in part.wrong)
    return Stopped(sum(part.tried for part in parts), sum(part.forgotten for part in parts), wrong)


def _stopped(_: None, plan: tuple[int, int, int]) -> Stopped:
    calls, seed, longest = plan
    count = forgotten = 0
    wrong: list[Wrong] = []
    for prefix in prefixes(calls, seed, longest=longest):
        for way, text in (("scan", prefix.text), ("check", prefix.text), ("bare check", prefix.body)):
            guard = guard_of(prefix.toolset.name)
            ran = executable(guard.scan([text])) if way == "scan" else checked(guard, text)
            count += 1
            if ran and way != "bare check" and prefix.forgotten and keys(ran) == keys(prefix.forgotten):
                forgotten += 1
            elif ran:
                wrong.append(_cut_short(prefix, text, ran, way))
    return Stopped(count, forgotten, tuple(wrong))


def _cut_short(prefix: Prefix, text: str, ran: Calls, way: str) -> Wrong:
    return Wrong((f"prefix, {prefix.layout}",), prefix.toolset.name, text, _plain(ran), [], way)


def _mapped(function: Any, plan: Any, parts: Sequence[Any], processes: int | None) -> Iterator[Any]:
    """Yield the result of the function for each part, in order."""
    count = (os.cpu_count() or 1) if processes is None else processes
    if count < 2 or len(parts) < 2:
        yield from (function(plan, part) for part in parts)
        return
    others = set(active_children())
    with ProcessPoolExecutor(count, get_context("spawn")) as pool:
        try:
            with deaf_children():
                futures = [pool.submit(function, plan, part) for part in parts]
            for future in futures:
                yield future.result()
        except BaseException:  # nobody waits for what the workers have begun
            for worker in set(active_children()) - others:
                worker.terminate()
            raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Try blocks as the command line asks, print the table, and return 1 when something ran that was not meant."""
    parser = argparse.ArgumentParser(
        prog="python -m stream_guard_conformance",
        description="Try a guard on tool calls with faults in them.",
    )
    parser.add_argument("--blocks", type=from_one, default=10_000, help="how many blocks (10000)")
    parser.add_argument("--seed", type=int, default=1, help="where the blocks are drawn from (1)")
    parser.add_argument("--faults", type=numbers_of_faults, default=(1,), help="how many faults a block has: 1, or 1..4 (1)")
    parser.add_argument("--kinds", nargs="+", choices=tuple(KINDS), metavar="KIND", help="only these kinds of fault")
    parser.add_argument("--processes", type=from_zero, help="how many processes (as many as there are cores)")
    parser.add_argument(
        "--wrong", type=Path, metavar="FILE", help="write the smallest wrong block of each kind here, a line of JSON each"
    )
    parser.add_argument("--list", action="store_true", help="print the kinds, and try nothing")
    asked = parser.parse_args(arguments)
    if asked.list:
        print(
            "\n".join(
                f"{kind.family}: {kind.name}: {kind.does}{' (never runs)' if kind.refused else ''}" for kind in KINDS.values()
            )
        )
        return 0
    table = run(
        asked.blocks,
        asked.seed,
        asked.faults,
        kinds=asked.kinds or tuple(KINDS),
        processes=asked.processes,
    )
    print(table)
    wrong = table.wrong()
    for found in wrong:
        print(
            f"\n{' + '.join(found.kinds)} ({found.toolset}, {found.way})\n{found.text}"
            f"\n  ran:   {_json(found.ran)}\n  meant: {_json(found.meant)}"
        )
    if asked.wrong:
        rows = [
            {
                "kind": kind.kinds[0],
                "kinds": kind.kinds,
                "toolset": kind.toolset,
                "text": kind.text,
                "ran": kind.ran,
                "meant": kind.meant,
                "way": kind.way,
            }
            for kind in wrong
        ]
        asked.wrong.write_text("".join(_json(row) + "\n" for row in rows), encoding="utf-8", newline="\n")
    return 1 if wrong else 0


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def from_zero(text: str, least: int = 0) -> int:
    """Return a number of the command line from 0 on. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"expected a number from {least} on, got {text!r}")
    return int(text)


def from_one(text: str) -> int:
    """Return a number of the command line from 1 on. Raises ArgumentTypeError."""
    return from_zero(text, 1)


def seconds(text: str) -> float:
    """Return a number of seconds of the command line. Raises ArgumentTypeError."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < inf:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, got {text!r}")
    return found


def numbers_of_faults(text: str) -> tuple[int, ...]:
    """Return the range that `1` or `1..3` stands for. Raises ArgumentTypeError."""
    low, dots, high = text.partition("..")
    if not low.isdecimal() or (dots and not high.isdecimal()) or not 1 <= int(low) <= int(high or low) <= 9:
        raise argparse.ArgumentTypeError(f"expected a number such as 1, or a range such as 1..3, got {text!r}")
    return tuple(range(int(low), int(high or low) + 1))
