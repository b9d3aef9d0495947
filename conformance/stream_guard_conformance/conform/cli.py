"""The command `conform`: tries a parser on the corpus, lists its classes, or writes it to a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from stream_guard.command.exit_status import FINDING, GOOD
from stream_guard.command.inputs import Unreadable
from stream_guard.command.signals import in_order_on_sigterm
from stream_guard.command.terminal import Bar, Tenths, count, one_line, steers

from .. import damaged, events
from ..corpus import CAPABILITIES, NAMED, SEED, VERSION, Row, classes, corpus, digest, line
from ..corpus import schema as row_schema
from ..run import seconds
from .checking import Verdict
from .command import CommandError, CommandParser
from .growth import SHAPES, grown, named, shapes
from .parser import Parser
from .parser import schema as answer_schema
from .serving import command_for
from .trying import Report, Result, tried, unknown_claims

DRAWN: Final[Mapping[str, Callable[[int, int, tuple[str, ...]], Iterator[Row]]]] = {
    "events": events.rows,
    "damaged": damaged.rows,
}
"""The options that try other rows than the corpus, each with what draws them: so many, from a seed."""

SHOWN: Final = 20
"""How many wrong rows are shown."""


def command(commands: Any, *_: Callable[..., Any]) -> None:
    """Add `conform` to the command line."""
    conform: argparse.ArgumentParser = commands.add_parser(
        "conform",
        help="try a parser of tool calls on the conformance corpus",
        description="Try a parser of tool calls on the conformance corpus: a program, a parser in Python, or else the guard.",
    )
    conform.add_argument("--command", dest="program", metavar="COMMAND", help='a program, such as "node my_parser.mjs"')
    conform.add_argument("--parser", metavar="MODULE:NAME", help="a parser in Python: a class or function that returns one")
    conform.add_argument(
        "--only", action="append", default=[], metavar="CLASS", help="rows of this class, or whose id begins so; repeatable"
    )
    conform.add_argument(
        "--seed", type=int, default=SEED, metavar="N", help=f"other rows of the same classes (default: {SEED})"
    )
    conform.add_argument(
        "--events", type=int, metavar="N", help="instead of the corpus, N streams of odd events, in eight protocols"
    )
    conform.add_argument(
        "--damaged", type=int, metavar="N", help="instead of the corpus, N replies in all dialects with damaged markers"
    )
    conform.add_argument(
        "--timeout", type=seconds, default=10.0, metavar="SECONDS", help="how long a parser of yours may take for a row (10)"
    )
    conform.add_argument("--no-growth", action="store_true", help="do not measure how the time grows with the input")
    conform.add_argument("--json", action="store_true", help="print a line of JSON for each row, and one with the totals")
    conform.add_argument("--list", action="store_true", help="print the classes and capabilities, and try nothing")
    conform.add_argument(
        "--write", type=Path, metavar="FILE", help="write the rows, a line of JSON each, and try nothing; - is standard output"
    )
    conform.add_argument("--schema", choices=("row", "answer"), help="print the JSON Schema of a row or of an answer")

    def run(options: argparse.Namespace) -> int:
        if options.program is not None and options.parser is not None:
            conform.error("--command and --parser name two parsers; give one of them")
        if options.schema:
            print(json.dumps(row_schema() if options.schema == "row" else answer_schema(), indent=2))
            return GOOD
        drawn = {name: getattr(options, name) for name in DRAWN if getattr(options, name) is not None}
        if len(drawn) > 1 or any(number < 1 for number in drawn.values()):
            conform.error("--events and --damaged each take a number from 1 on; give one of them")
        only = tuple(options.only)
        rows = tuple(row for name, number in drawn.items() for row in DRAWN[name](number, options.seed, only))
        rows = rows if drawn else corpus(options.seed, only)
        measured = tuple(named(only)) if not drawn and not options.no_growth else ()
        nothing = [name for name in only if not any(row.id.startswith(name) for row in (*rows, *measured))]
        if nothing:
            conform.error(f"no row is called {' or '.join(nothing)}; --list names the classes")
        if options.list:
            print("\n".join(listing(rows, options.seed, growth=not drawn)))
            return GOOD
        if options.write is not None:
            rows += measured
            written = "".join(f"{line(row)}\n" for row in rows)
            if str(options.write) == "-":
                sys.stdout.write(written)
                return GOOD
            options.write.write_text(written, encoding="utf-8", newline="\n")
            print(f"{count(len(rows), 'row')} written to {options.write}", file=sys.stderr)
            return GOOD
        with in_order_on_sigterm(), ExitStack() as stack:
            try:
                parser = parser_of(options, stack)
                unknown = unknown_claims(parser)
                if unknown:
                    raise Unreadable(f"{parser.name}: {'; '.join(unknown)}; --list names all of them")
                return _try(parser, rows, options, drawn, growth=bool(measured))
            except CommandError as error:
                raise Unreadable(str(error)) from None

    conform.set_defaults(run=run)


def listing(rows: Sequence[Row], seed: int, *, growth: bool) -> Iterator[str]:
    """Yield the lines of `--list`."""
    yield f"corpus {VERSION}, seed {seed}: {count(len(rows), 'row')}, sha256 {digest(rows)}"
    yield from (f"{number:7,}  {kind}" for kind, number in classes(rows).items())
    if growth:
        yield f"{len(SHAPES):7,}  growth"
    yield ""
    yield "capabilities:"
    yield from (f"  {name:14} {what}" for name, what in CAPABILITIES.items())
    yield from (f"  {name}" for name in NAMED)


def parser_of(options: argparse.Namespace, stack: ExitStack) -> Parser:
    """Return the parser that the options name. Raises CommandError or Unreadable if there is none."""
    if options.program is not None:
        return stack.enter_context(CommandParser(options.program, options.timeout))
    if options.parser is None:
        from .guard_parser import GuardParser  # deferred: the adapters, which the trying of others does without

        return GuardParser()
    try:
        return stack.enter_context(CommandParser(command_for(options.parser), options.timeout))
    except CommandError as error:
        raise Unreadable(f"--parser {options.parser}: {error}") from None


def _try(parser: Parser, rows: Sequence[Row], options: argparse.Namespace, drawn: Mapping[str, int], *, growth: bool) -> int:
    report = Report()
    total = len(rows) + len(shapes(tuple(options.only))) * growth
    bar = Bar(total, shown=True)
    add = bar.add if steers(sys.stderr) or options.json else Tenths(total, "row").add
    unanswered = in_all = 0
    given_up = False
    try:
        for result in _results(parser, rows, tuple(options.only), growth=growth):
            report.add(result)
            if options.json:
                bar.clear()
                print(json.dumps(_plain(result), ensure_ascii=False), flush=True)
            add(1)
            if result.verdict is not Verdict.NOT_CLAIMED:
                failed = result.verdict in (Verdict.NO_ANSWER, Verdict.CRASHED)
                unanswered = unanswered + 1 if failed else 0
                in_all += failed
            given_up = unanswered == UNANSWERED or in_all == UNANSWERED_IN_ALL
            if given_up:
                break
    finally:  # what was tried is told, also when somebody ends the command
        bar.clear()
        left = total - sum(report.total().values())
        if options.json:
            totals = {**_totals(report), **({"not tried": left} if left else {})}
            print(json.dumps({"parser": parser.name, "corpus": VERSION, "seed": options.seed, "totals": totals}))
        else:
            print("\n".join(told(report, parser, options.seed, drawn)))
        if left:
            why = f": {count(in_all, 'row')} had no answer" if given_up else ""
            print(f"stream-guard: {count(left, 'row')} were not tried{why}", file=sys.stderr, flush=True)
    if not report.applied:
        raise Unreadable(f"{parser.name} was not tried: none of {count(total, 'row')} applies to what it claims")
    return GOOD if report.right else FINDING


UNANSWERED: Final = 20
UNANSWERED_IN_ALL: Final = 100
"""Limits: rows without an answer, or with a crash, in a row and in all. After so many, no more are tried."""


def _results(parser: Parser, rows: Sequence[Row], only: tuple[str, ...], *, growth: bool) -> Iterator[Result]:
    yield from tried(rows, parser)
    if growth:
        yield from grown(parser, only)


def _plain(result: Result) -> dict[str, Any]:
    says = {"says": result.finding.says} if result.finding.says else {}
    return {"id": result.row.id, "class": result.row.kind, "verdict": result.verdict.value, **says}


def _totals(report: Report) -> dict[str, int]:
    return {verdict.value: number for verdict, number in report.total().items()}


def told(report: Report, parser: Parser, seed: int = SEED, drawn: Mapping[str, int] = MappingProxyType({})) -> Iterator[str]:
    """Yield the lines of a report: the verdicts by class with what is not claimed, and the smallest wrong rows."""
    shown = [verdict for verdict in (Verdict.PASSED, Verdict.REFUSED, Verdict.NOT_CLAIMED, *Verdict) if report.total()[verdict]]
    columns = list(dict.fromkeys(shown))
    width = max((len(kind) for kind in report.classes), default=0)
    yield f"{'':{width}}" + "".join(f"{column.value:>14}" for column in columns)
    for kind, verdicts in (*report.classes.items(), ("all", report.total())):
        yield (
            f"{kind:{width}}" + "".join(f"{verdicts[column] or '':>14}" for column in columns) + _lacking(report, kind, parser)
        )
    wrong = report.wrong()
    for result in wrong[:SHOWN]:
        yield f"\n{result.row.id}: {result.verdict.value}: {one_line(result.finding.says)}\n  {result.row.why}"
        given = "".join(f"--{name} {number} " for name, number in drawn.items()) + f"--seed {seed} " * (seed != SEED)
        yield f"  its row: stream-guard conform {given}--only {result.row.id} --write -"
    if len(wrong) > SHOWN:
        yield f"\nand {count(len(wrong) - SHOWN, 'more kind')} of wrong rows; --json names every row"
    rows, applied = sum(report.total().values()), report.applied
    right = sum(number for verdict, number in report.total().items() if verdict.right) - report.total()[Verdict.NOT_CLAIMED]
    if report.untimed:
        yield f"\n{count(report.untimed, 'row')} answered with `items`: when their text and calls came out is unknown"
    name = one_line(parser.name)
    yield f"\n{name}: {right:,} of {count(applied, 'row')} that apply are right; {rows - applied:,} do not apply"


def _lacking(report: Report, kind: str, parser: Parser) -> str:
    """Return what a parser would have to claim for the rows of a class that do not apply, as the end of its line."""
    needs = sorted(report.needs.get(kind, set()) - set(parser.capabilities))
    more = f" and {len(needs) - NEEDED} more" if len(needs) > NEEDED else ""
    return f"  needs {', '.join(needs[:NEEDED])}{more}" if needs else ""


NEEDED: Final = 4
"""How many missing capabilities of a class are shown."""
