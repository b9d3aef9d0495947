"""Try every peer on the corpus, and write docs/matrix.md: `python -m benchmarks.matrix --write docs/matrix.md`.

Every parser is a program that the conformance runner asks, so that none can stop the others. One that cannot be run is left
out, and the reason is printed.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from stream_guard_conformance.conform import CommandError, CommandParser, Report, Result, Verdict, tried
from stream_guard_conformance.conform.guard_parser import GuardParser
from stream_guard_conformance.conform.parser import Parser
from stream_guard_conformance.corpus import VERSION, Row, corpus, digest

from benchmarks.matrix.picture import all_rows, ran_wrongly
from benchmarks.matrix.refused import anchor, examples, read_by_peers, refused
from benchmarks.matrix.totals import totals
from stream_guard import __version__

ROOT: Final = Path(__file__).parents[2]
NODE: Final = ROOT / ".venv" / "matrix" / "js"

PYTHON_PEERS: Final = ("naive", "json-repair", "partial-json-parser", "langchain", "baml", "transformers", "sglang", "vllm")
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


def columns() -> Iterator[tuple[str, Column]]:
    """Yield the name and the column of each parser, ours first."""
    yield f"stream_guard {__version__}", column(GuardParser())
    for command in commands():
        try:
            with CommandParser(command, seconds=60) as parser:
                yield parser.name, column(parser)
        except CommandError as error:
            print(error, file=sys.stderr)


def column(parser: Parser) -> Column:
    """Return what becomes of all rows on a parser."""
    made = Column([*tried(corpus(), parser)], frozenset(parser.capabilities))
    print(parser.name, dict(made.report.total()), file=sys.stderr)
    return made


@dataclass(frozen=True)
class Column:
    """What became of rows on a parser."""

    results: Sequence[Result]
    capabilities: frozenset[str] = frozenset()

    @cached_property
    def report(self) -> Report:
        """The results by class."""
        made = Report()
        for result in self.results:
            made.add(result)
        return made

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts by the ids of rows."""
        return {result.row.id: result.verdict for result in self.results}

    def total(self, name: str = "all") -> Counter[Verdict]:
        """Return the verdicts on a group of rows."""
        return sum((each for kind, each in self.report.classes.items() if name in ("all", group(kind))), Counter())

    def shown(self) -> list[Result]:
        """Return the wrong rows that the page shows: one of each group, and the worst of the rest."""
        wrong = self.report.wrong()
        first = {group(result.row.kind): result for result in reversed(wrong)}
        rest = [result for result in wrong if first[group(result.row.kind)] is not result]
        chosen = [*first.values(), *rest[: max(SHOWN - len(first), 0)]]
        return [result for result in wrong if result in chosen]


GROUPS: Final = frozenset({
    "dialect", "protocol", "native", "broken", "reasoning-apart", "carried", "everyday", "places", "made-up", "between",
    "keywords", "wire",
})  # fmt: skip
"""The beginnings of classes that are one group."""


def group(kind: str) -> str:
    """Return the group of a class: the classes of dialects, of protocols and of faults are one each."""
    head = kind.partition("/")[0]
    return head if head in GROUPS else kind


def cell(verdicts: Counter[Verdict], link: str = "") -> str:
    """Return what a group came to: how many rows are right of those that apply, ran wrongly, and were refused.

    What is wrong is a link to the smallest of these rows.
    """
    each = totals(verdicts)
    if not each.applied:
        return '<span style="color:gray">–</span>'
    right = f"{each.right:,} of {each.applied:,}"
    if link and each.right < each.applied:
        right = f"[{right}](#{link})"
    more = [f"**{each.ran:,} ran wrongly**"] * bool(each.ran)
    more += [f"{each.refused:,} refused"] * bool(each.refused)
    return "<br>".join([right, *more])


def page(found: Mapping[str, Column]) -> Iterator[str]:
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
    for name, alternative in PICTURES.items():
        yield f"![{alternative}: the figures are in the last line of the table](images/{name}.svg)\n"
    yield from _described(found)
    names = list(found)
    yield f"| rows | {' | '.join(names)} |"
    yield "|---" * (len(names) + 1) + "|"
    groups = dict.fromkeys(group(row.kind) for row in rows)
    for name in (*groups, "all"):
        cells = [cell(column.total(name), _link(parser, column, name)) for parser, column in found.items()]
        count = len(rows) if name == "all" else sum(group(row.kind) == name for row in rows)
        yield f"| {name} ({count:,}) | {' | '.join(cells)} |"
    yield (
        "\nA cell says how many rows are right, of those that apply; where one is not, it leads to the smallest such "
        "row. *Ran wrongly*: a call ran that must not, or with other values than were meant. *Refused*: a call of a "
        "broken block did not run, which is right. A grey dash: the parser does not claim it.\n"
    )
    by_id = {row.id: row for row in rows}
    (_, ours), *others = found.items()
    peers = {name: column.verdicts for name, column in others}
    yield "## What others read and the guard refuses\n"
    yield from refused(by_id, ours.verdicts, peers)
    for name in examples(by_id, read_by_peers(ours.verdicts, peers)).values():
        readers = ", ".join(peer for peer, verdicts in peers.items() if verdicts.get(name) is Verdict.PASSED)
        yield from _folded(by_id[name], f"read by {readers}", anchor(name), "")
    yield "## What went wrong\n"
    yield (
        f"The smallest wrong row of each group, and of each class and verdict, the worst first, at most {SHOWN} for a parser. "
        "`stream-guard conform --only by-hand/0025 --write row.jsonl` writes the whole row of that id.\n"
    )
    for name, column in found.items():
        yield f"### {name}\n"
        if not column.report.wrong():
            yield "Nothing.\n"
        for result in column.shown():
            yield from _folded(result.row, result.verdict.value, _anchor(name, result), result.finding.says)


PICTURES: Final = {
    "matrix": "What became of all rows on each parser",
    "matrix-wrong": "Rows in which a wrong call ran, of those that apply to a parser",
}
"""The pictures, each with what it shows."""


def pictures(found: Mapping[str, Column]) -> dict[str, str]:
    """Return the pictures as SVG, by name."""
    each = {name: totals(column.total()) for name, column in found.items()}
    return {"matrix": all_rows(each), "matrix-wrong": ran_wrongly(each)}


def _link(parser: str, column: Column, name: str) -> str:
    """Return the anchor of the first wrong row of a group that is shown; empty where there is none."""
    wrong = [result for result in column.shown() if name in ("all", group(result.row.kind))]
    return _anchor(parser, wrong[0]) if wrong else ""


def _anchor(parser: str, result: Result) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", f"{parser} {result.row.id} {result.verdict.value}".lower())
    return words.strip("-")


def _described(found: Mapping[str, Column]) -> Iterator[str]:
    """Yield how each parser is called."""
    yield (
        "| parser | how it is called |\n|---|---|\n"
        "| regex and json.loads, json-repair, partial-json-parser, jsonrepair, AI SDK | in the same naive client: when "
        "the reply has ended, a regular expression finds the `json` fences that closed, the library reads each body, "
        "and an object whose `tool` is known and whose arguments are valid by the schema is a call |\n"
        "| langchain-core, BAML | the whole reply, as `JsonOutputParser().parse` and as a function that returns any "
        "JSON; one value, which is validated in the same way |\n"
        "| transformers | `ResponseParser`, fed delta by delta, with response templates for two dialects |\n"
        "| SGLang | `detect_and_parse` of the detector of each dialect, on the joined text |\n"
        "| vLLM | `extract_tool_calls` of the tool parser of each dialect, on the joined text, with a tokenizer to "
        "which every marker is a token |\n"
        "| @ai-sdk-tool/parser | `createStreamParser` of two of its protocols, fed delta by delta |\n\n"
        "Peers that wait for the end are not blamed for being late. Calls of all peers are validated with the schemas "
        "of their tools, so what ran wrongly is what a careful client would run.\n"
    )
    yield (
        "The parser files of SGLang and vLLM come out of their wheels and run without the servers: what they import of "
        "a server is stood for (`benchmarks/matrix/servers.py`).\n\n| server | runs alone | does not, or is left out "
        "|\n|---|---|---|"
    )
    for server, why in LEFT_OUT.items():
        column = next((column for name, column in found.items() if name.startswith(server)), None)
        dialects = sorted(
            claim.partition(":")[2] for claim in (column.capabilities if column else ()) if claim.startswith("dialect:")
        )
        yield f"| {server} | {', '.join(f'`{name}`' for name in dialects) or 'its files could not be had'} | {why} |"
    yield ""


LEFT_OUT: Final = {
    "SGLang": (
        "Detectors that expect another spelling than the rows have: `llama3_json` behind prose, `internlm2` with a "
        "blank between its markers, `harmony` with the part that templates write into the prompt"
    ),
    "vLLM": (
        "`deepseek_v32`, `deepseek_v4`, `gemma4`, `glm45`, `granite`, `inkling`, `kimi_k2`, `minimax_m2`, `mistral`, "
        "`qwen3_coder`, `seed_oss` and others run in the server's parser engine, which reads the ids of tokens and "
        "imports `mistral_common`; `openai` (harmony) and `cohere_command` read tokens too. Parsers of replies that are"
        " nothing but calls, which drop or return the text that the rows have before a call: `llama3_json`, `pythonic`,"
        " `llama4_pythonic`, `olmo3`, `phi4_mini`, `muse_glimmer`, `minicpm5`"
    ),
}
"""The parser files of servers that are not tried, and why."""


def _folded(row: Row, what: str, anchor: str, says: str) -> Iterator[str]:
    """Yield a row that a reader can open; a link to the anchor inside opens it."""
    said = "ran a call that must not run" if what == Verdict.UNSAFE else what
    yield f"<details><summary><code>{row.id}</code>: {verbatim(said)}</summary>\n"
    yield f'<p id="{anchor}">{verbatim(row.why)}</p>'
    shown = _short(_input(row))
    dropped = "\n" if shown.startswith("\n") else ""  # HTML leaves out a first line break
    yield f"<pre>{verbatim(dropped + shown)}</pre>"
    meant = [{"name": call.name, "arguments": call.arguments} for call in row.calls]
    expected = json.dumps(meant, ensure_ascii=False)
    yield f"<p>Must run: <code>{verbatim(_short(expected))}</code></p>"
    if says:
        yield f"<p>What it did: {verbatim(_short(says))}</p>"
    yield "</details>\n"


_MARKDOWN: Final = {ord(sign): f"&#{ord(sign)};" for sign in "\t\n\\`~[]!|*_#"}
"""What Markdown reads, also inside of HTML: fences, links, references, tables, a blank line that ends the HTML."""


def verbatim(text: str) -> str:
    """Return HTML that shows a text, on one line and with nothing in it that Markdown could read."""
    return "".join(_MARKDOWN.get(ord(sign)) or html.escape(sign) for sign in text)


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
    found = dict(columns())
    text = "\n".join(page(found))
    if options.write is None:
        print(text)
    else:
        options.write.write_text(f"{text.rstrip()}\n", encoding="utf-8", newline="\n")
        for name, picture in pictures(found).items():
            (options.write.parent / "images" / f"{name}.svg").write_text(picture, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
