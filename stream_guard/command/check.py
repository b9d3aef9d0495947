"""The command `check`: validates the blocks and native calls of files, on all cores.

    files -> parts -> (in a worker) replies -> blocks and calls -> lines and a Tally -> table, JSON or report

A part is a file with one reply, or some rows of one with many. Parts are handed out and taken back in order, so that the output
does not depend on the number of workers. Readers of files with many replies are registered by packages, under the entry point
`stream_guard.rows`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from .. import __version__, wire
from ..guard import Guard
from ..running.toolset import Toolset
from ..scan.reasoning import Reasoning
from ..values.events import FENCE, NATIVE, Item, ToolBlock, ToolStatus
from .exit_status import FINDING, GOOD, UNREADABLE
from .inputs import Unreadable, readers, reading, recorded, takes_reading, takes_unknown, toolset
from .outcomes import BlockSummary, Tally, is_unknown
from .report import Report, stamp
from .rows import COLUMN, Row, Rows
from .signals import in_order_on_sigterm, undisturbed
from .terminal import MANY, Bar, count, one_line

KINDS: Final = (".txt", ".md", ".sse", ".ndjson", ".jsonl", ".parquet")
"""The file types checked in a directory."""

MUCH: Final = 500_000
"""From this many bytes on, several processes are used."""

LISTED: Final = 1_000
"""The most lines of the table for rows that passed."""

LISTED_FAILED: Final = 10_000
"""The most lines of the table for rows that failed."""

LISTED_UNKNOWN: Final = 20
"""The most calls of unknown tools that are listed for one file, or for the rows that are handed out at once."""

Style = Literal["table", "json", "report"]


def command(commands: Any, takes_tools: Callable[..., None], *_: Callable[..., Any]) -> None:
    """Add `check` to the command line."""
    check: argparse.ArgumentParser = commands.add_parser(
        "check",
        help="validate every block and native call in texts and recorded streams",
        description="Validate every block, and every native call of a recorded stream. "
        f"In a directory, check the files that end in {' '.join(KINDS)}.",
    )
    check.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a text, a recorded stream (.sse, .ndjson, .jsonl), a file with one reply per row (.jsonl, .parquet), "
        "a directory of these, or - for standard input",
    )
    output = check.add_mutually_exclusive_group()
    output.add_argument(
        "--json", action="store_true", help="print one JSON document per block or native call instead of a table"
    )
    output.add_argument(
        "--report",
        metavar="OUT",
        help="write one line per block to this file; run again after an interruption, the command continues it",
    )
    check.add_argument("--failed", action="store_true", help="list only what failed, in the table or with --json")
    check.add_argument(
        "--require-blocks", action="store_true", help="status 1 where no block and no native call was found to check"
    )
    check.add_argument(
        "--all", action="store_true", help="validate every fenced json block, also those that are not tool calls"
    )
    check.add_argument(
        "--column", metavar="NAME", help=f"the column with the text, dotted for a nested one (default: {COLUMN})"
    )
    check.add_argument(
        "--jobs", type=int, metavar="N", help="how many processes to use (default: one per core for large inputs)"
    )
    takes_unknown(check)
    takes_tools(check)
    takes_reading(check)
    check.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.jobs is not None and options.jobs < 1:
        raise Unreadable(f"--jobs must be 1 or more, got {options.jobs}")
    if options.failed and options.report:
        raise Unreadable("--failed: a report has every block; leave out --failed or --report")
    tools = toolset(options.tools)
    style: Style = "json" if options.json else "report" if options.report else "table"
    work = Work(
        options.tools, options.all, options.column or COLUMN, style, options.reasoning, options.languages, options.dialects,
        options.failed,
    )  # fmt: skip
    passed_over: Counter[str] = Counter()
    files = list(_found(options.files, passed_over))
    for folder, number in passed_over.items():
        why = f"{'its name does' if number == 1 else 'their names do'} not end in {' '.join(KINDS)}"
        print(f"stream-guard: {folder}: {count(number, 'file')} passed over: {why}", file=sys.stderr)
    report = None
    if options.report:
        files = list(dict.fromkeys(file for file in files if Path(file).absolute() != Path(options.report).absolute()))
        report = Report(Path(options.report), _header(tools, work))
    size = sum(stamp(file)[0] for file in files)
    bar = Bar(size, shown=len(files) >= MANY or size >= MUCH)
    jobs = options.jobs or (_cores() if size >= MUCH else 1)
    try:
        with in_order_on_sigterm():
            tally = _checked(work, _parts(files, options.column), jobs, report, bar)
    except (KeyboardInterrupt, SystemExit):
        bar.clear()
        if report is not None:
            print(f"stream-guard: stopped; run the same command again to continue {options.report}", file=sys.stderr)
        raise
    finally:
        if report is not None:
            report.close()
    return _concluded(tally, options)


def _concluded(tally: Tally, options: argparse.Namespace) -> int:
    """Print the results of the run, and return its exit status."""
    if not options.json:
        print(_summary(tally, options.tools))
    elif tally.unknown:
        print(f"stream-guard: {_unknown(tally, options.tools)}", file=sys.stderr)
    if options.report:
        print(*_most(tally), sep="\n")
    forgotten = tally.unknown and options.tools is not None and not options.allow_unknown
    missing = options.require_blocks and not tally.blocks
    if missing:
        print("stream-guard: --require-blocks: no block and no native call was found to check", file=sys.stderr)
    return UNREADABLE if tally.unread else FINDING if tally.failed or forgotten or missing else GOOD


def _header(tools: Toolset, work: Work) -> dict[str, Any]:
    """Return the header of a report. A report is continued only by a run with the same header."""
    mark = hashlib.sha256(json.dumps(tools.to_mcp(), sort_keys=True).encode()).hexdigest()[:16]
    read = {"all": work.everything, "column": work.column, "reasoning": work.reasoning}
    read |= {"languages": list(work.languages), "dialects": list(work.dialects)}
    return {"report": 3, "version": __version__, "tools": mark, **read}


def _checked(work: Work, parts: Iterable[Part], jobs: int, report: Report | None, bar: Bar) -> Tally:
    """Validate all parts, print or write the results, and return the sums."""
    tally = Tally()
    listed: list[tuple[str, BlockSummary]] = []
    room = {True: LISTED_FAILED, False: LISTED}  # the lines left in the table, for rows that failed and for others

    def tell(lines: Sequence[str]) -> None:
        for line in lines:
            bar.clear()
            print(f"stream-guard: {line}", file=sys.stderr)

    if report is not None:
        tally.add(report.tally)
        tell(report.unreadable)
        parts = _rest(parts, report, bar)
    for part, done in _in_order(work, parts, jobs):
        tally.add(done.tally)
        tell([*done.unreadable, *done.unknown])
        if report is not None:
            report.add(part.file, part.first, done.lines, done.tally, done.unreadable)
        elif done.lines:
            bar.clear()
            print(*done.lines, sep="\n")
        for row in done.listed:
            failed = row[1].outcome == "failed"
            if room[failed]:
                room[failed] -= 1
                listed.append(row)
        bar.add(part.size, count(tally.replies, "reply"))
    bar.clear()
    _table(listed)
    if listed and (cut := _cut(tally, only_failed=work.failed)):
        print(cut)
    return tally


def _rest(parts: Iterable[Part], report: Report, bar: Bar) -> Iterator[Part]:
    """Yield the parts that are not in the report of an earlier run."""
    for part in parts:
        if report.has(part.file, part.first):
            bar.add(part.size)
        else:
            yield part


@dataclass(frozen=True, slots=True)
class Part:
    """The input of a worker: a file, or some of its rows."""

    file: str
    size: int
    first: int = 0
    """The number of its first row, from 1; 0 for a file with a single reply."""

    rows: Sequence[Row] = ()
    """The rows; empty for a file with a single reply."""

    trouble: str = ""
    """The reason why the file cannot be read; empty if it can be read."""


@dataclass(slots=True)
class Done:
    """The output of a worker for a part."""

    lines: list[str] = field(default_factory=list)
    """A line of JSON for each block, for `--json` and `--report`."""

    listed: list[tuple[str, BlockSummary]] = field(default_factory=list)
    """The place and outcome of each block, for the table: its file, with the line of a text, the number of a row, or its name
    in a recorded stream."""

    tally: Tally = field(default_factory=Tally)
    """The sums."""

    unreadable: list[str] = field(default_factory=list)
    """A line for each file or row that could not be read, with the reason."""

    unknown: list[str] = field(default_factory=list)
    """The places of calls whose tools are not among the named tools."""


@dataclass(frozen=True, slots=True)
class Work:
    """The work on every part, in a form that can be sent to the workers."""

    tools: str | None
    everything: bool
    column: str
    style: Style
    reasoning: Reasoning = "skip"
    languages: tuple[str, ...] = ("json",)
    dialects: tuple[str, ...] = (FENCE,)
    failed: bool = False
    """Whether only blocks that failed are listed."""

    def __call__(self, part: Part) -> Done:
        """Validate the blocks of a part."""
        done = Done()
        try:
            if part.trouble:
                raise Unreadable(part.trouble)
            if part.first:
                self._rows(part, done)
            else:
                self._file(part, done)
        except Unreadable as error:
            self._unread(part.file, {}, str(error).removeprefix(f"{part.file}: "), done)
            done.unreadable.append(str(error))
        return done

    def _file(self, part: Part, done: Done) -> None:
        found = recorded(part.file)
        done.tally.files = done.tally.replies = 1
        name = Path(part.file).name
        for lane, deltas in found.lanes.items():
            self._reply(part.file, {"lane": lane}, deltas, f"{name}:{lane}", done, lines=found.is_text)
        for number, event in found.calls(self._guard, name):
            self._item(part.file, {"call": number}, event, done)
        for number, event in found.guarded:
            self._item(part.file, {"guarded": number}, event, done)

    def _rows(self, part: Part, done: Done) -> None:
        broken: dict[str, list[int]] = {}  # the numbers of rows that cannot be read, by the reason
        for number, row in enumerate(part.rows, part.first):
            try:
                text = _text(row, self.column)
            except ValueError as error:
                broken.setdefault(str(error), []).append(number)
                self._unread(part.file, {"row": number}, str(error), done)
                continue
            if text is not None:
                done.tally.replies += 1
                self._reply(part.file, {"row": number}, (text,), f"{Path(part.file).name}:{number}", done)
        done.tally.files = int(part.first == 1 and done.tally.unread < len(part.rows))
        done.unreadable += (f"{part.file}: {_numbers(rows)}: {why}" for why, rows in broken.items())

    def _unread(self, file: str, place: dict[str, Any], why: str, done: Done) -> None:
        """Count a file or a row that cannot be read."""
        done.tally.unread += 1
        if self.style != "table":
            done.lines.append(json.dumps({"file": file, **place, "unreadable": why}))

    def _reply(
        self, file: str, place: dict[str, Any], deltas: Iterable[Any], stream_id: str, done: Done, *, lines: bool = False
    ) -> None:
        line = 1  # the line of the next item, and the last block
        begun: tuple[str, int] | None = None
        for item in self._guard.scan(deltas, stream_id=stream_id):
            if isinstance(item, ToolBlock):
                begun = begun if begun is not None and begun[0] == item.id else (item.id, line)
                self._item(file, {**place, "line": begun[1]} if lines else place, item, done)
                line += item.raw.count("\n")
            elif isinstance(item, str):
                line += item.count("\n")
            else:
                self._item(file, {**place, "line": line} if lines else place, item, done)

    def _item(self, file: str, place: dict[str, Any], item: Item, done: Done) -> None:
        """Count an event of the guard. For a block, also add its lines to the output."""
        if isinstance(item, ToolStatus) and is_unknown(item):
            done.tally.unknown += 1
            if self.tools is not None and len(done.unknown) < LISTED_UNKNOWN:
                done.unknown.append(_forgotten(file, place, item.tool_type))
        if not isinstance(item, ToolBlock):
            return
        summary = BlockSummary.of(item)
        done.tally.count(summary)
        done.tally.calls += summary.dialect == NATIVE
        if self.failed and summary.outcome != "failed":
            return
        if self.style == "table":
            at = place.get("line", place.get("row"))
            among = {"native call" if what == "call" else what: number for what, number in place.items()}
            done.listed.append((f"{file}:{at}" if at else f"{file}{_among(among)}", summary))
        else:
            data = wire.to_dict(item) if self.style == "json" else summary.to_dict()
            done.lines.append(json.dumps({"file": file, **place, **data}))

    @property
    def _guard(self) -> Guard:
        return _guard(self.tools, self.everything, self.reasoning, self.languages, self.dialects)


@cache
def _guard(
    tools: str | None, everything: bool, reasoning: Reasoning, languages: tuple[str, ...], dialects: tuple[str, ...]
) -> Guard:
    untagged: Literal["validate", "release"] = "validate" if everything else "release"
    read: dict[str, Any] = {"reasoning": reasoning, "languages": languages, "dialects": dialects}
    return Guard(toolset(tools), untagged=untagged, **read)


def _among(place: dict[str, Any]) -> str:
    """Return the place of a block or a native call in a recorded stream, after the name of its file."""
    return "".join(f", {what} {number}" for what, number in place.items())


def _forgotten(file: str, place: dict[str, Any], tool: str | None) -> str:
    """Return the place of a call whose tool is unknown, with the name in the call, if there is one."""
    at = f":{place['line']}" if "line" in place else _among(place)
    if not tool:
        return f"{file}{at}: a call names none of the tools of --tools"
    return f"{file}{at}: a call names the tool {one_line(tool)}, which is not among --tools"


def _text(row: Row, column: str) -> str | None:
    """Return the reply in a row, empty for a null; None for a blank line. Raises ValueError for a row without a reply."""
    if isinstance(row, str):
        return row
    if row is None:
        return ""
    if not row.strip():
        return None
    try:
        value = json.loads(row)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    for key in column.split("."):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            raise ValueError(f"no column {column!r}")
    if value is not None and not isinstance(value, str):
        raise ValueError(f"no text in column {column!r}")
    return value or ""


_MOST_NUMBERS: Final = 20
"""The most rows, or ranges of rows, that one message names. `--json` and `--report` have all of them."""


def _numbers(rows: Sequence[int]) -> str:
    """Return numbers of rows as text: `rows 4, 6 and 9 to 12`."""
    ranges: list[list[int]] = []
    for row in rows:
        if ranges and row == ranges[-1][1] + 1:
            ranges[-1][1] = row
        else:
            ranges.append([row, row])
    said = [f"{first}" if first == last else f"{first} to {last}" for first, last in ranges[:_MOST_NUMBERS]]
    if len(ranges) > _MOST_NUMBERS:
        return f"rows {', '.join(said)} and more, {len(rows)} in all"
    return f"{'row' if len(rows) == 1 else 'rows'} {', '.join(said[:-1])}{' and ' if len(said) > 1 else ''}{said[-1]}"


# -- parts -------------------------------------------------------------------------------------------------------------


def _found(names: Sequence[str], passed_over: Counter[str]) -> Iterator[str]:
    """Yield the named files, and those in the named directories. Other files there are counted, except hidden ones."""
    for name in names:
        path = Path(name)
        if name == "-" or not path.is_dir():
            yield name
            continue
        every = [file for file in path.rglob("*") if _plain(file, path)]
        inside = sorted(file for file in every if file.suffix in KINDS)
        if inside and len(every) > len(inside):
            passed_over[name] = len(every) - len(inside)
        yield from map(str, inside or [path])


def _plain(file: Path, folder: Path) -> bool:
    return file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)


def _parts(files: Iterable[str], column: str | None) -> Iterator[Part]:
    for file in files:
        first, left = 1, stamp(file)[0]
        if file != "-" and Path(file).is_dir():
            why = f"{file}: no files to check in this directory; looked for {' '.join(KINDS)}"
            yield Part(file, left, trouble=why)
            continue
        try:
            batches = _read(file, column)
            if batches is None:
                yield Part(file, left)
                continue
            for rows, size in batches:
                yield Part(file, min(size, left), first, rows)
                first += len(rows)
                left -= min(size, left)
        except Unreadable as error:
            yield Part(file, left, first, trouble=str(error))


def _read(file: str, column: str | None) -> Iterable[Rows] | None:
    """Return the rows of a file with one reply per row; None for any other file."""
    if file == "-":
        return None
    with reading(file):
        results = (read(Path(file), column) for read in readers("stream_guard.rows"))
        rows = next((rows for rows in results if rows is not None), None)
    return None if rows is None else _rows_of(file, rows)


def _rows_of(file: str, rows: Iterable[Rows]) -> Iterator[Rows]:
    with reading(file):
        yield from rows


def _in_order(work: Work, parts: Iterable[Part], jobs: int) -> Iterator[tuple[Part, Done]]:
    """Yield each part with its result, in the order of the parts."""
    if jobs == 1:
        for part in parts:
            yield part, work(part)
        return
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=undisturbed)
    try:
        under_way: deque[tuple[Part, Future[Done]]] = deque()
        for part in parts:
            under_way.append((part, pool.submit(work, part)))
            if len(under_way) > 4 * jobs:
                first, done = under_way.popleft()
                yield first, done.result()
        for first, done in under_way:
            yield first, done.result()
    except BrokenProcessPool:
        raise Unreadable("a worker process died, perhaps for lack of memory; try again with fewer --jobs") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# -- output ------------------------------------------------------------------------------------------------------------


_WIDEST: Final = 48
"""The most characters of a cell of the table. A longer text is cut at its beginning."""


def _table(rows: Sequence[tuple[str, BlockSummary]]) -> None:
    if not rows:
        return
    lines = [("FILE", "TOOL", "PATH", "OUTCOME", "END", "REMARK (its place in the block)")]
    lines += [(file, it.tool or "-", it.path or "-", it.outcome, it.end_cause, it.remark) for file, it in rows]
    shown = [tuple(one_line(cell) for cell in line) for line in lines]
    widths = [min(max(len(line[column]) for line in shown), _WIDEST) for column in range(5)]
    for line in shown:
        cells = [cell if len(cell) <= width else "…" + cell[1 - width :] for cell, width in zip(line, widths, strict=False)]
        print("  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)), line[5]]).rstrip())


def _summary(tally: Tally, tools: str | None) -> str:
    passed, fixed = tally.blocks - tally.failed, tally.outcomes["fixed"]
    kinds = [(tally.blocks - tally.calls, "block"), (tally.calls, "native call")]
    checked = " and ".join(count(number, noun) for number, noun in kinds if number or (noun == "block" and not tally.calls))
    of = count(tally.files, "file")
    replies = of if tally.replies == tally.files else f"{count(tally.replies, 'reply')} of {of}"
    sums = f"{passed:,} passed{f' ({fixed:,} fixed)' if fixed else ''}, {tally.failed:,} failed"
    unread = f"; {count(tally.unread, 'input')} could not be read" if tally.unread else ""
    unknown = f"; {_unknown(tally, tools)}" if tally.unknown else ""
    nothing = "; no call was found to check" if tally.files and not tally.blocks and not tally.unknown else ""
    return f"{checked} in {replies}: {sums}{unread}{unknown}{nothing}"


def _cut(tally: Tally, *, only_failed: bool) -> str:
    """Return the line below a table that does not have all rows; empty if it has."""
    failed, passed = tally.failed > LISTED_FAILED, tally.blocks - tally.failed > LISTED and not only_failed
    kinds = [(passed, LISTED, "block", "passed"), (failed, LISTED_FAILED, "block", "failed")]
    said = " and the ".join(f"first {count(most, noun)} that {did}" for cut, most, noun, did in kinds if cut)
    rest = "" if failed else "; all that failed are (--failed lists nothing else)"
    return f"Only the {said} are listed{rest}; use --report to write all of them." if said else ""


def _unknown(tally: Tally, tools: str | None) -> str:
    """Return the phrase of the summary that counts the calls of unknown tools."""
    verbs = "names no known tool and was" if tally.unknown == 1 else "name no known tool and were"
    why = "" if tools else " (the file tools are the default: name yours with --tools)"
    return f"{count(tally.unknown, 'call')} {verbs} not checked{why}"


def _most(tally: Tally) -> Iterator[str]:
    """Yield lines with the most frequent tools, issues and fixes."""
    for title, counted in (
        ("Tools", tally.tools),
        ("Issues", tally.issues),
        ("Fixes", tally.fixes),
        ("Dialects", tally.dialects),
    ):
        if counted and counted.keys() != {FENCE}:
            yield f"{title}: " + ", ".join(f"{one_line(name)} {number:,}" for name, number in counted.most_common(8))
