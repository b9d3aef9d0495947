"""The command `stream-guard attack`: the fault grammar on tools of your own.

Calls are drawn from the tools' schemas, spoilt, and given to a guard with your settings. It reports how many blocks came out as
they were meant, were refused, or ran something else, and what in the schemas makes fixes unsafe (`advice`).
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, Final, Literal

from stream_guard import Guard, Risk, Tool
from stream_guard import Toolset as GuardedToolset
from stream_guard.spi import (
    FINDING,
    GOOD,
    Bar,
    Tenths,
    Unreadable,
    imported,
    in_order_on_sigterm,
    steers,
    takes_reading,
    toolset,
    visible,
)

from .advice import Advice, advise
from .cases import fenced, placed, sound
from .faults import KINDS
from .functions import Program, Runs, called
from .render import joined
from .run import Subject, Table, Way, Wrong, from_one, from_zero, numbers_of_faults, run, seconds, ways
from .sources import Sources, everything, own
from .toolsets import Json, Toolset, ToolSpec
from .values import Values
from .verdicts import Verdict

Fixes = Literal["off", "lossless", "likely", "spec"]
DRAWS: Final = 300
"""How many arguments are drawn to see which tools can be attacked."""

FEW: Final = 20
"""Limit: a tool with fewer valid draws is attacked with those alone, and with variants of them."""

OPPOSITES: Final = tuple(
    tuple(pair.split())
    for pair in (
        "enable disable", "lock unlock", "import export", "add remove", "create delete", "start stop", "open close", "get set",
        "min max", "from to", "include exclude", "before after", "source target", "show hide", "allow deny", "grant revoke",
        "push pull", "upload download", "read write", "send receive", "buy sell", "first last", "left right", "up down",
        "old new", "input output", "public private", "attach detach", "follow unfollow", "subscribe unsubscribe",
    )
)  # fmt: skip
"""Words whose exchange turns a name into the name of something else."""


@dataclass(frozen=True)
class Prepared:
    """Tools as the fault grammar takes them, and what tries their blocks."""

    toolsets: tuple[Toolset, ...]
    sources: Sources
    runs: Callable[[str, Random | None], Iterator[Way]]
    left_out: dict[str, str]
    """Tools that are not attacked, and why."""

    rare: bool = True
    gates: bool = True
    """Whether more is asked of a call of a destructive tool: by a guard, and not by a function."""

    program: Program | None = None
    """What is asked in place of a guard, if that is a program."""

    def close(self) -> None:
        """End the program, if there is one."""
        if self.program is not None:
            self.program.close()

    def ways(self, _: Toolset, text: str, rng: Random | None) -> Iterator[Way]:
        """Yield what comes out executable of a text."""
        return self.runs(text, rng)


def prepare(
    guard: Guard,
    runs: Runs | Program | None = None,
    *,
    sources: Sources | None = None,
    examples: Mapping[str, Sequence[Json]] = MappingProxyType({}),
) -> Prepared:
    """Return the tools of a guard, to be tried on it, or on a function that returns what it would run of a reply.

    `examples` are arguments of tools, beside those that the tools have. Raises ValueError.
    """
    sources = sources or own()
    specs: list[ToolSpec] = []
    left_out: dict[str, str] = {}
    for tool in guard.tools:
        spec = _spec(tool, guard.tools)
        spec = replace(spec, examples=(*spec.examples, *filter(spec.accepts, examples.get(tool.name, ()))))
        pool = _pool(spec, sources)
        if not pool:
            left_out[tool.name] = (
                f"none of {DRAWS} arguments that were drawn for its schema is valid; give the tool examples=(...), "
                "or name a file of calls with --examples"
            )
        else:
            specs.append(spec if len(pool) >= FEW else replace(spec, examples=tuple(pool), guessed=False))
    if not specs:
        raise ValueError("no tool can be attacked: " + "; ".join(f"{name}: {why}" for name, why in left_out.items()))

    def asked(text: str, rng: Random | None) -> Iterator[Way]:
        if runs is None:
            yield from ways(guard, text, rng)
        else:
            yield "runs", runs.called(text) if isinstance(runs, Program) else called(runs, text)

    program = runs if isinstance(runs, Program) else None
    return Prepared((Toolset("tools", tuple(specs)),), sources, asked, left_out, gates=runs is None, program=program)


def _spec(tool: Tool, tools: GuardedToolset) -> ToolSpec:
    """Return a tool as the fault grammar takes it."""
    alone = Guard(GuardedToolset(tool), fixes="off")
    schema: Json = json.loads(json.dumps(dict(tool.schema), default=dict))
    members = schema.get("properties") or {}
    known = {name for other in tools for name in (other.name, *other.aliases)}

    def valid(arguments: Json) -> bool:
        block = alone.check(json.dumps({"tool": tool.name, **arguments}))
        return block.call is not None and block.call.arguments == arguments

    def mend(arguments: Json) -> Json:
        return tool.mend(arguments)[0] if tool.mend is not None else arguments

    return ToolSpec(
        tool.name,
        members,
        tuple(schema.get("required") or ()),
        destructive=tool.risk is Risk.DESTRUCTIVE,
        strangers=tuple(sorted(_opposites(tool.name) - known)),
        stranger_fields={name: tuple(sorted(_opposites(name) - {*members, *tool.field_aliases})) for name in members},
        aliases=tool.aliases,
        field_aliases={alias: name for alias, name in tool.field_aliases.items() if name in members},
        whole=schema,
        examples=tuple(dict(example) for example in tool.examples),
        takes=frozenset({*tool.remarks, *tool.defaults, *tool.field_aliases}),
        valid=valid,
        mend=mend if tool.mend is not None else None,
    )


def _opposites(name: str) -> set[str]:
    """Return the name with a word in it replaced by its opposite."""
    words = name.split("_")
    return {
        "_".join((*words[:at], other, *words[at + 1 :]))
        for at, word in enumerate(words)
        for pair in OPPOSITES
        if word in pair
        for other in pair
        if other != word
    }


def _pool(spec: ToolSpec, sources: Sources) -> list[Json]:
    """Return valid arguments of a tool that were drawn; after its examples, if few were found."""
    rng = Random(f"pool:{spec.name}")
    values = Values(spec.schema, sources, rng)
    found: list[Json] = []
    for drawn in range(1, DRAWS + 1):
        made = values.draw(rng.choice((60, 150, 400)))
        if isinstance(made, dict) and spec.accepts(made):
            found.append(made)
        if len(found) >= FEW and len(found) * 2 > drawn:
            break
    return [*spec.examples, *found] if len(found) < FEW else found


@dataclass(frozen=True)
class Named:
    """Tools by name, which each process prepares for itself."""

    target: str
    fixes: Fixes | None = None
    reasoning: Any = "skip"
    languages: tuple[str, ...] = ("json",)
    dialects: tuple[str, ...] = ("fence",)
    runs: str | None = None
    machine: bool = False
    """Whether texts are also drawn from files of this machine."""

    examples: str | None = None
    """A file with calls of the tools, a line of JSON each."""

    seconds: float = 10.0
    """How long a function may take for a reply."""

    rare = True

    @property
    def gates(self) -> bool:
        """Whether more is asked of a call of a destructive tool."""
        return self.runs is None

    @property
    def toolsets(self) -> Sequence[Toolset]:
        """The toolset that is attacked."""
        return prepared(self).toolsets

    @property
    def sources(self) -> Sources:
        """Where its texts come from."""
        return prepared(self).sources

    def ways(self, _: Toolset, text: str, rng: Random | None) -> Iterator[Way]:
        """Yield what comes out executable of a text."""
        return prepared(self).runs(text, rng)

    def guard(self) -> Guard:
        """Return the guard of this name, or a guard of the toolset of this name. Raises Unreadable."""
        module, colon, name = self.target.rpartition(":")
        if colon and module.replace(".", "").replace("_", "").isalnum():
            found = imported(module, name)
            if isinstance(found, Guard):
                if self.fixes is not None:
                    raise Unreadable(f"{self.target} is a Guard, which has its own settings; leave out --fixes")
                return found
        return Guard(
            toolset(self.target),
            fixes=self.fixes or "likely",
            reasoning=self.reasoning,
            languages=self.languages,
            dialects=self.dialects,
        )


@cache
def prepared(named: Named) -> Prepared:
    """Return the tools of this name. Raises Unreadable."""
    try:
        sources = everything() if named.machine else own()
        guard, examples = named.guard(), _examples(named.examples)
        if unknown := [name for name in examples if guard.tools.get(name) is None]:
            raise Unreadable(f"{named.examples}: {named.target} has no tool called {unknown[0]!r}")
        program = Program(named.runs, named.seconds) if named.runs is not None else None
        return prepare(guard, program, sources=sources, examples=examples)
    except ValueError as error:
        raise Unreadable(f"{named.target}: {error}") from None


def _examples(path: str | None) -> dict[str, list[Json]]:
    """Return the calls of a file as arguments by tool. Raises Unreadable."""
    found: dict[str, list[Json]] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines() if path is not None else (), 1):
        try:
            call = json.loads(line)
            found.setdefault(call.pop("tool"), []).append(call)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Unreadable(
                f'{path}:{number}: expected a call as JSON, such as {{"tool": "delete_file", "path": "a"}}'
            ) from None
    return found


@dataclass(frozen=True)
class Report:
    """The results of an attack, and advice about the schemas."""

    table: Table
    nowhere: tuple[str, ...]
    """The kinds of fault that have no place in calls of these tools."""

    left_out: dict[str, str]
    advice: tuple[Advice, ...]
    destructive: tuple[str, ...]
    """The tools whose calls are only fixed where nothing is assumed."""

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        total = self.table.total()
        kinds = sorted({kind for kind, _ in self.table.results})
        return {
            "tried": total.tried,
            "verdicts": {str(verdict): total[verdict] for verdict in Verdict},
            "kinds": {
                kind: {str(verdict): count for verdict, count in self.table.total(kinds=[kind]).verdicts.items() if count}
                for kind in kinds
            },
            "wrong": [asdict(wrong) for wrong in self.table.wrong()],
            "no_place": list(self.nowhere),
            "left_out": self.left_out,
            "advice": [asdict(advice) for advice in self.advice],
        }

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report as text, without the wrong blocks."""
        total = self.table.total()
        for verdict, says in SAYS.items():
            yield f"  {verdict:<12}{total[verdict]:>9,}  {says}"
        if total[Verdict.GATED]:
            yield f"\ngated: {', '.join(self.destructive)}: {GATED}"
        if self.nowhere:
            yield f"\n{len(self.nowhere)} kinds of fault have no place in calls of these tools: {', '.join(self.nowhere)}"
        for name, why in self.left_out.items():
            yield f"\nnot attacked: {name}: {why}"
        if self.advice:
            yield "\nadvice:"
            yield from (f"  {advice}" for advice in self.advice)


SAYS: Final = {
    Verdict.EXACT: "came out as it was meant",
    Verdict.REFUSED: "nothing came out",
    Verdict.GATED: "nothing came out, and one of the calls is of a destructive tool",
    Verdict.STILL_VALID: "the fault left another valid call, which nobody can know",
    Verdict.WRONG: "something ran that was not meant",
}
"""What each verdict means, in the order in which they are printed."""

GATED: Final = (
    "a call of a destructive tool is fixed only where nothing is assumed. Where what the tool does can be undone, say"
    ' risk=Risk.WRITE, or in JSON "annotations": {"destructiveHint": false}, and more is fixed'
)
"""What can be done about blocks that are gated."""


def attack(
    subject: Prepared | Named,
    guard: Guard,
    blocks: int = 10_000,
    seed: int = 1,
    faults: Sequence[int] = (1, 2),
    *,
    processes: int | None = 0,
    progress: Callable[[int], None] = lambda _: None,
) -> Report:
    """Try this many blocks of the tools, and return the results, with advice about the guard's tools."""
    kinds = _placed(subject, seed)
    table = run(blocks, seed, faults, kinds=kinds, processes=processes, subject=subject, progress=progress)
    left_out = subject.left_out if isinstance(subject, Prepared) else prepared(subject).left_out
    destructive = tuple(tool.name for tool in guard.tools if tool.risk is Risk.DESTRUCTIVE)
    if not subject.gates:
        for result in table.results.values():
            result.verdicts[Verdict.REFUSED] += result.verdicts.pop(Verdict.GATED, 0)
    return Report(table, tuple(sorted(KINDS.keys() - set(kinds))), left_out, tuple(advise(guard.tools)), destructive)


def _placed(subject: Subject, seed: int) -> list[str]:
    """Return the kinds of fault that are tried, in their order."""
    return placed(subject.toolsets, subject.sources, seed)


def command(commands: Any, *_: Callable[..., Any]) -> None:
    """Add `attack` to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser("attack", help="try broken calls of your own tools on a guard")
    parser.add_argument(
        "target", metavar="TARGET", help="module:name of a Toolset or a Guard, or a JSON file with tool definitions"
    )
    parser.add_argument("--blocks", type=from_one, default=10_000, metavar="N", help="how many blocks (10000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="where the blocks are drawn from (1)")
    parser.add_argument(
        "--faults", type=numbers_of_faults, default=(1, 2), metavar="N", help="how many faults a block has: 1, or 1..3 (1..2)"
    )
    parser.add_argument("--block", type=from_zero, metavar="N", help="try only the block of this number, and print it")
    parser.add_argument(
        "--fixes", choices=("off", "lossless", "likely", "spec"), help="how much a fix may assume, as Guard takes it (likely)"
    )
    parser.add_argument(
        "--runs",
        metavar="FUNCTION",
        help="module:name of a function from a reply to (tool, arguments) pairs, instead of a guard",
    )
    parser.add_argument(
        "--timeout", type=seconds, default=10.0, metavar="SECONDS", help="how long that function may take for a reply (10)"
    )
    parser.add_argument(
        "--texts", choices=("own", "machine"), default="own",
        help="texts of calls: those of this package, the same everywhere (own), or also files of this machine",
    )  # fmt: skip
    parser.add_argument(
        "--examples", metavar="FILE", help="calls of the tools, a line of JSON each, for tools whose arguments cannot be drawn"
    )
    parser.add_argument(
        "--processes", type=from_zero, metavar="N", help="how many processes (as many as there are cores); 0: this one"
    )
    parser.add_argument("--json", action="store_true", help="print the report, or the block, as JSON")
    takes_reading(parser)

    def asked(options: argparse.Namespace) -> int:
        named = Named(
            options.target, options.fixes, options.reasoning, options.languages, options.dialects, options.runs,
            options.texts == "machine", options.examples, options.timeout,
        )  # fmt: skip
        with in_order_on_sigterm(), closing(prepared(named)):
            return attacked(named, options)

    def attacked(named: Named, options: argparse.Namespace) -> int:
        idle = _idle(named, options.seed)
        if idle:
            tried = f"--runs {options.runs}" if options.runs else f"{options.target}, with these settings,"
            raise Unreadable(f"{tried} runs no call of {SOUND} blocks without a fault, so nothing was tried. One was {idle!r}")
        if options.block is not None:
            return _one(named, options)
        bar = Bar(options.blocks, shown=not options.json)
        add = bar.add if steers(sys.stderr) and not options.json else Tenths(options.blocks, "block").add
        report = attack(
            named, named.guard(), options.blocks, options.seed, options.faults, processes=options.processes, progress=add
        )
        bar.clear()
        wrong = report.table.wrong()
        if options.json:
            told = {"target": options.target, "seed": options.seed, "faults": options.faults, **report.to_dict()}
            print(json.dumps(told, ensure_ascii=False))
            return FINDING if wrong else GOOD
        total = report.table.total()
        faults = "1 fault" if options.faults == (1,) else f"{options.faults[0]} to {options.faults[-1]} faults"
        kinds = len(KINDS) - len(report.nowhere)
        print(f"{options.target}: {total.tried:,} blocks with {faults} of {kinds} kinds, seed {options.seed}")
        if total.tried < options.blocks:
            print(f"{options.blocks - total.tried:,} more were drawn and not tried: their faults had no place in the calls")
        print("\n".join(report.lines()))
        for found in wrong:
            _print_wrong(found)
            print(f"  again: {_again(parser, options, found.number)}")
        return FINDING if wrong else GOOD

    parser.set_defaults(run=asked)


SOUND: Final = 50
"""How many blocks without a fault are tried until a call of one runs."""


def _idle(subject: Subject, seed: int) -> str:
    """Return a block without a fault if no call of such blocks runs; empty if one does.

    What runs nothing at all runs nothing wrong, and would look as good as what refuses the right blocks.
    """
    rng = Random(f"sound:{seed}")
    text = ""
    for _ in range(SOUND):
        toolset = rng.choice(subject.toolsets)
        text = fenced(joined(sound(toolset, subject.sources, rng)[2]))
        if any(ran for _, ran in subject.ways(toolset, text, None)):
            return ""
    return text


def _again(parser: argparse.ArgumentParser, options: argparse.Namespace, number: int) -> str:
    """Return the command that draws this block again, with every option that is not at its default."""
    given = ["stream-guard", "attack", options.target]
    for name, value in vars(options).items():
        if name not in UNHEEDED and value != parser.get_default(name):
            given += [f"--{name}", _written(name, value)]
    return shlex.join([*given, "--block", str(number)])


UNHEEDED: Final = frozenset({"parser", "command", "run", "target", "blocks", "block", "processes", "json"})
"""What of the command line does not change what a block is, and what becomes of it."""


def _written(name: str, value: Any) -> str:
    """Return the value of an option as the command line takes it."""
    if name == "faults":
        return f"{value[0]}..{value[-1]}"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _one(named: Named, options: argparse.Namespace) -> int:
    """Try one block, and print it."""
    from .run import Plan, tried  # deferred: what only this needs

    plan = Plan(0, options.seed, options.faults, tuple(_placed(named, options.seed)), named)
    try:
        _, case = plan.case(options.block)
    except LookupError:
        raise Unreadable(f"block {options.block} of seed {options.seed}: its faults have no place in the calls") from None
    verdict, wrong = tried(case, options.block, named)
    meant = [{"tool": call.tool, **call.arguments} for call in case.meant]
    if options.json:
        about = {"target": options.target, "seed": options.seed, "faults": options.faults, "number": options.block}
        found = {"kinds": case.kinds, "verdict": verdict, "text": case.text, "meant": meant}
        ran = {"ran": wrong.ran, "way": wrong.way} if wrong is not None else {}
        print(json.dumps({**about, **found, **ran}, ensure_ascii=False))
        return FINDING if wrong is not None else GOOD
    print(f"{' + '.join(case.kinds)}: {verdict}\n{visible(case.text)}\n  meant: {json.dumps(meant, ensure_ascii=False)}")
    if wrong is not None:
        print(f"  ran ({wrong.way}): {json.dumps(wrong.ran, ensure_ascii=False)}")
    return FINDING if wrong is not None else GOOD


def _print_wrong(found: Wrong) -> None:
    print(f"\nran wrongly: {' + '.join(found.kinds)} ({found.way})\n{visible(found.text)}")
    print(f"  ran:   {json.dumps(found.ran, ensure_ascii=False)}\n  meant: {json.dumps(found.meant, ensure_ascii=False)}")
