"""What a call in a dialect costs, beside other parsers: `python -m benchmarks.dialects`, in the environment of `make matrix`.

A call that writes a file of code, in deltas of four characters. Each parser is a process of its own, and they are measured one
after another in each round, so that what else the machine does meets all of them. A parser that gives another call than was
written is not measured. SGLang's markers stay whole, as its detokenizer delivers them: cut, it loses calls.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from stream_guard import Guard, ToolBlock, Toolset
from stream_guard.dialects.tables import DIALECTS, of_name

from . import fixtures

PAGE: Final = Path(__file__).parent / "README.md"
NODE: Final = Path(__file__).parents[1] / ".venv" / "matrix" / "js"
SIZES: Final = (1_000, 4_000, 16_000)
COMPARED: Final = (
    "fence", "hermes", "qwen3_coder", "deepseek_v3", "deepseek_v31", "deepseek_v32_dsml", "deepseek_v4_dsml", "minimax_m2",
    "glm45", "kimi_k2", "mistral", "gemma4", "pythonic", "lfm2", "dots", "hunyuan_v3", "k2_horizon",
)  # fmt: skip
"""Those that a peer reads too; the guard alone is measured with each of the others."""

LONGEST: Final = 20.0
"""As many seconds a parser may take for one text."""

TEXT: Final = {"type": "string"}
SCHEMA: Final = {"type": "object", "properties": {"path": TEXT, "content": TEXT}, "required": ["path", "content"]}
_MARKERS: Final = re.compile(
    "|".join(
        sorted(
            {
                re.escape(mark)
                for dialect in DIALECTS.values()
                for mark in re.findall(r"<[^<>\n]+>|\[[A-Z_]{3,}\]|```\w*", dialect.example)
            },
            key=len,
            reverse=True,
        )
    )
)

Parse = Callable[[Sequence[str]], Any]
"""Reads deltas; returns the arguments of the call."""


def call(size: int) -> dict[str, Any]:
    """The arguments of a call of about this size. Its text has no marker of any dialect."""
    return {"path": "src/a.py", "content": fixtures.call(size)["content"].rstrip()}


def text(dialect: str, size: int) -> str:
    """A reply that is a call in a dialect."""
    if dialect == "fence":
        return f"```json\n{json.dumps({'tool': 'write_file', **call(size)})}\n```\n"
    return of_name(dialect).write([("write_file", call(size))])


def whole_markers(written: str) -> list[str]:
    """Deltas of four characters, but for markers, each of which is one."""
    deltas: list[str] = []
    at = 0
    for mark in _MARKERS.finditer(written):
        deltas += fixtures.deltas(written[at : mark.start()])
        deltas.append(mark[0])
        at = mark.end()
    return [*deltas, *fixtures.deltas(written[at:])]


def ours(dialect: str) -> Parse:
    """The guard with this dialect alone: with validation."""
    guard = Guard(Toolset.of({"name": "write_file", "input_schema": SCHEMA}), dialects=[dialect])

    def parse(deltas: Sequence[str]) -> Any:
        (block,) = (item for item in guard.scan(deltas) if isinstance(item, ToolBlock))
        return block.call.arguments if block.call is not None else None

    return parse


def transformers(dialect: str) -> Parse:
    """The parser of Transformers, with the template of a dialect."""
    from .matrix.peers import _GEMMA4, _HERMES

    template = {"hermes": _HERMES, "gemma4": _GEMMA4}[dialect]
    made = import_module("transformers.utils.chat_parsing")

    def parse(deltas: Sequence[str]) -> Any:
        parser = made.ResponseParser(template, prefix="", tools=None)
        for delta in deltas:
            parser.feed(delta)
        message, _ = parser.finalize()
        return message["tool_calls"][0]["function"]["arguments"]

    return parse


def sglang(dialect: str) -> Parse:
    """The parser file of SGLang, read as its server reads a stream."""
    from .matrix.servers import Function, SGLang, Tool

    server = SGLang()
    tools = [Tool(function=Function(name="write_file", parameters=SCHEMA))]

    def parse(deltas: Sequence[str]) -> Any:
        parser, written = server.new(dialect, tools), []
        for delta in deltas:
            written += [each.parameters for each in parser.parse_streaming_increment(delta, tools).calls if each.parameters]
        return json.loads("".join(written))

    return parse


PEERS: Final[Mapping[str, tuple[Callable[[str], Parse], bool]]] = {
    "stream_guard": (ours, False),
    "Transformers ResponseParser": (transformers, False),
    "SGLang": (sglang, True),
}
"""What makes each parser in Python, and whether its markers stay whole."""

NODE_PEER: Final = "@ai-sdk-tool/parser"
_NODE_PROGRAM: Final = """
import { readFileSync } from "node:fs";
import { hermesProtocol, qwen3CoderProtocol } from "@ai-sdk-tool/parser";
const { dialect, deltas, schema } = JSON.parse(readFileSync(0, "utf8"));
const protocol = { hermes: hermesProtocol, qwen3_coder: qwen3CoderProtocol }[dialect];
const tools = [{ type: "function", name: "write_file", description: "", inputSchema: schema }];
let best = Infinity, said = null;
for (let turn = 0; turn < 5; turn += 1) {
  const source = new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "text-start", id: "t" });
      for (const delta of deltas) controller.enqueue({ type: "text-delta", id: "t", delta });
      controller.enqueue({ type: "text-end", id: "t" });
      controller.enqueue({ type: "finish", finishReason: "stop", usage: {} });
      controller.close();
    },
  });
  const start = process.cpuUsage();
  for await (const part of source.pipeThrough(protocol().createStreamParser({ tools }))) {
    if (part.type === "tool-call") said = JSON.parse(part.input);
  }
  const spent = process.cpuUsage(start);
  best = Math.min(best, spent.user + spent.system);
}
console.log(JSON.stringify({ said, best }));
"""


def measured(peer: str, dialect: str, size: int) -> float | str:
    """Return the microseconds that a delta takes, in this process; or why they were not measured."""
    make, whole = PEERS[peer]
    written = text(dialect, size)
    deltas = whole_markers(written) if whole else fixtures.deltas(written)
    parse = make(dialect)
    said = parse(deltas)
    if said is None or {key: value for key, value in said.items() if key != "tool"} != call(size):
        return "another call"
    spent: list[float] = []
    start = time.monotonic()
    while len(spent) < 3 or (len(spent) < 15 and time.monotonic() - start < 1):
        begun = time.process_time()
        parse(deltas)
        spent.append(time.process_time() - begun)
    return min(spent) * 1e6 / len(deltas)


def asked(peer: str, dialect: str, size: int) -> float | str:
    """Measure in a process of its own; returns the microseconds, or why there are none."""
    if peer == NODE_PEER:
        return asked_node(dialect, size)
    command = [sys.executable, "-m", "benchmarks.dialects", "--one", peer, dialect, str(size)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, cwd=PAGE.parents[1], check=True)
    except subprocess.TimeoutExpired:
        return f"no answer in {LONGEST:.0f} s"
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines()
        return "fails" if lines and "ModuleNotFoundError" not in lines[-1] else "not installed"
    found: float | str = json.loads(done.stdout.splitlines()[-1])
    return found


def asked_node(dialect: str, size: int) -> float | str:
    """Measure the parser in JavaScript."""
    deltas = fixtures.deltas(text(dialect, size))
    program = NODE / "dialects.mjs"
    program.write_text(_NODE_PROGRAM, encoding="utf-8", newline="\n")
    question = json.dumps({"dialect": dialect, "deltas": deltas, "schema": SCHEMA})
    try:
        done = subprocess.run(["node", program], input=question, capture_output=True, text=True, timeout=LONGEST, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return type(error).__name__
    found = json.loads(done.stdout.splitlines()[-1])
    return float(found["best"]) / len(deltas) if found["said"] == call(size) else "another call"


def reads(peer: str, dialect: str) -> bool:
    """Whether a parser is tried on a dialect."""
    if peer == "stream_guard":
        return True
    if peer == "SGLang":
        from .matrix.servers import SGLang

        return dialect in SGLang.parsers
    return dialect in (("hermes", "gemma4") if peer.startswith("Transformers") else ("hermes", "qwen3_coder"))


def table(rounds: int, dialects: Sequence[str]) -> list[str]:
    """Return the table: the median of the rounds."""
    peers = [*PEERS, NODE_PEER]
    found: dict[tuple[str, str, int], list[float | str]] = {}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds} ...", file=sys.stderr, flush=True)
        for dialect in dialects:
            for peer in peers:
                for size in SIZES if reads(peer, dialect) else ():
                    found.setdefault((dialect, peer, size), []).append(asked(peer, dialect, size))
    lines = [f"| us a delta of 4, at 1, 4 and 16 KB | {' | '.join(peers)} |", f"|---|{'---|' * len(peers)}"]
    for dialect in dialects:
        cells = [
            " / ".join(_middle(found[dialect, peer, size]) for size in SIZES) if reads(peer, dialect) else "" for peer in peers
        ]
        lines.append(f"| `{dialect}` | {' | '.join(cells)} |")
    return lines


def _middle(found: Sequence[float | str]) -> str:
    figures = [each for each in found if isinstance(each, float)]
    return f"{statistics.median(figures):.1f}" if figures else str(found[0])


def main() -> None:
    """Print the table, or one figure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dialects", description=__doc__)
    parser.add_argument("--one", nargs=3, metavar=("PARSER", "DIALECT", "SIZE"), help="measure one parser in this process")
    parser.add_argument("--write", action="store_true", help="put the table into benchmarks/README.md")
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured (3)")
    parser.add_argument("--all", action="store_true", help="also the dialects that no peer reads")
    options = parser.parse_args()
    if options.one:
        peer, dialect, size = options.one
        print(json.dumps(measured(peer, dialect, int(size))))
        return
    more = [name for name, dialect in DIALECTS.items() if name not in COMPARED and not dialect.tools] if options.all else []
    printed = "\n".join(table(options.rounds, [*COMPARED, *more]))
    print(printed)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition("<!-- dialects -->\n")
        _, _, tail = rest.partition("<!-- end of dialects -->")
        PAGE.write_text(f"{head}<!-- dialects -->\n{printed}\n<!-- end of dialects -->{tail}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
