"""Try every peer on the corpus, and write docs/matrix.md: `python -m benchmarks.matrix --write docs/matrix.md`.

Every parser is a program that the conformance runner asks, so that none can stop the others. One that cannot be run is left
out, and the reason is printed.
"""

from __future__ import annotations

import argparse
import html
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from stream_guard_conformance.conform import CommandError, CommandParser, Report, Result, Verdict, tried
from stream_guard_conformance.conform.ours import GuardParser
from stream_guard_conformance.conform.parser import Parser
from stream_guard_conformance.corpus import VERSION, Row, corpus, digest

from stream_guard import __version__

ROOT: Final = Path(__file__).parents[2]
NODE: Final = ROOT / ".venv" / "matrix" / "js"

PYTHON_PEERS: Final = ("naive", "json-repair", "partial-json-parser", "langchain", "baml", "transformers", "sglang")
NODE_PEERS: Final = ("jsonrepair", "ai-sdk", "ai-sdk-tool")

LONGEST: Final = 700
"""How many characters of an input are shown."""

SHOWN: Final = 12
"""How many wrong rows of a parser are shown: the worst verdicts first, the smallest row of a class."""


def commands() -> Iterator[str | list[str]]:
    """Yield the command of each peer."""
    for name in PYTHON_PEERS:
        yield [sys.executable, "-m", "benchmarks.matrix.peers", name]
    shutil.copy(Path(__file__).with_name("peers.mjs"), NODE)  # where the packages are found
    for name in NODE_PEERS:
        yield ["node", str(NODE / "peers.mjs"), name]


def reports() -> Iterator[tuple[str, Report]]:
    """Yield the name and the report of each parser, ours first."""
    yield f"stream_guard {__version__}", report(GuardParser())
    for command in commands():
        try:
            with CommandParser(command, seconds=60) as parser:
                yield parser.name, report(parser)
        except CommandError as error:
            print(error, file=sys.stderr)


def report(parser: Parser) -> Report:
    """Return what becomes of all rows on a parser."""
    made = Report()
    for result in tried(corpus(), parser):
        made.add(result)
    print(parser.name, dict(made.total()), file=sys.stderr)
    return made


def group(kind: str) -> str:
    """Return the group of a class: dialects, and the protocols of text and of native calls, are one each."""
    head = kind.partition("/")[0]
    return head if head in ("dialect", "protocol", "native", "broken") else kind


def cell(verdicts: Counter[Verdict]) -> str:
    """Return what a group came to: how many rows are right of those that apply, ran wrongly, and were refused."""
    applied = sum(verdicts.values()) - verdicts[Verdict.NOT_CLAIMED]
    if not applied:
        return '<span style="color:gray">–</span>'
    right = verdicts[Verdict.PASSED] + verdicts[Verdict.REFUSED]
    ran = verdicts[Verdict.UNSAFE] + verdicts[Verdict.CALL_WRONG]
    more = [f"**{ran:,} ran wrongly**"] * bool(ran)
    more += [f"{verdicts[Verdict.REFUSED]:,} refused"] * bool(verdicts[Verdict.REFUSED])
    return "<br>".join([f"{right:,} of {applied:,}", *more])


def page(found: Mapping[str, Report]) -> Iterator[str]:
    """Yield the lines of the page."""
    rows = corpus()
    yield "# Matrix\n"
    yield "Printed by `make matrix`; do not edit.\n"
    yield (
        f"The guard and its peers on the [conformance corpus](conformance.md), version {VERSION}: {len(rows):,} streams, "
        f"SHA-256 `{digest(rows)[:16]}…`. The authors of stream_guard wrote the corpus, so it tries what they thought of, and "
        "the guard has to pass it: read the other columns as what happens on these streams, and not as a ranking. Each peer is "
        "tried on what it claims; the rest is grey.\n"
    )
    yield _described()
    names = list(found)
    yield f"| rows | {' | '.join(names)} |"
    yield "|---" * (len(names) + 1) + "|"
    groups = dict.fromkeys(group(row.kind) for row in rows)
    for name in (*groups, "all"):
        cells = [cell(_sum(report, name)) for report in found.values()]
        count = len(rows) if name == "all" else sum(group(row.kind) == name for row in rows)
        yield f"| {name} ({count:,}) | {' | '.join(cells)} |"
    yield (
        "\nA cell says how many rows are right, of those that apply. *Ran wrongly*: a call ran that must not, or with other "
        "values than were meant. *Refused*: a call of a broken block did not run, which is right. A grey dash: the parser does "
        "not claim it.\n"
    )
    yield "## What went wrong\n"
    yield (
        f"The smallest wrong row of each class and verdict, the worst verdicts first, at most {SHOWN} for a parser. "
        "`stream-guard conform --only by-hand/0025 --write row.jsonl` writes the whole row of that id.\n"
    )
    for name, report in found.items():
        yield f"### {name}\n"
        wrong = report.wrong()
        if not wrong:
            yield "Nothing.\n"
        for result in wrong[:SHOWN]:
            yield from _shown(result)


def _described() -> str:
    return (
        "| parser | how it is called |\n|---|---|\n"
        "| regex and json.loads, json-repair, partial-json-parser, jsonrepair, AI SDK | in the same naive client: when the "
        "reply has ended, a regular expression finds the `json` fences that closed, the library reads each body, and an object "
        "whose `tool` is known and whose arguments are valid by the schema is a call |\n"
        "| langchain-core, BAML | the whole reply, as `JsonOutputParser().parse` and as a function that returns any JSON; one "
        "value, which is validated in the same way |\n"
        "| transformers | `ResponseParser`, fed delta by delta, with response templates for two dialects |\n"
        "| SGLang | `detect_and_parse` of the detector of each dialect on the joined text, without the server: what its files "
        "import of it is stood for |\n"
        "| @ai-sdk-tool/parser | `createStreamParser` of two of its protocols, fed delta by delta |\n\n"
        "Peers that wait for the end are not blamed for being late. Calls of all peers are validated with the schemas of their "
        "tools, so what ran wrongly is what a careful client would run.\n"
    )


def _sum(report: Report, name: str) -> Counter[Verdict]:
    return sum((each for kind, each in report.classes.items() if name in ("all", group(kind))), Counter())


def _shown(result: Result) -> Iterator[str]:
    row = result.row
    yield f"<details><summary><code>{row.id}</code>: {result.verdict.value}</summary>\n"
    yield f"<p>{html.escape(row.why)}</p>"
    yield f"<pre>{html.escape(_short(_input(row)))}</pre>"
    meant = [{"name": call.name, "arguments": call.arguments} for call in row.calls]
    expected = json.dumps(meant, ensure_ascii=False)
    yield f"<p>Calls: <code>{html.escape(_short(expected))}</code></p>"
    yield f"<p>Seen: {html.escape(_short(result.finding.says))}</p>"
    yield "</details>\n"


def _input(row: Row) -> str:
    return "".join(row.input) if row.form == "text" else "\n".join(json.dumps(piece, ensure_ascii=False) for piece in row.input)


def _short(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode()
    shown = "".join(letter if letter == "\n" or letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 100]}…{shown[-100:]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.matrix", description="Try every peer on the conformance corpus."
    )
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page here")
    options = parser.parse_args(arguments)
    text = "\n".join(page(dict(reports())))
    if options.write is None:
        print(text)
    else:
        options.write.write_text(f"{text.rstrip()}\n", encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
