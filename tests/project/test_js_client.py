"""The browser's client: its own tests under Node, its types, and what it would be as a package."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import subprocess
import tarfile
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from demo_server.scenarios import SCENARIOS
from stream_guard import Guard, Limits, ToolBlock, wire
from stream_guard.codegen import generate
from stream_guard.judge.settings import Settings
from stream_guard.scan.fences import (
    MAX_INDENT,
    MAX_INFO,
    MAX_LIST_INDENT,
    MAX_ORDINAL,
    MAX_RUN,
    MIN_RUN,
    TAB,
    Kind,
    Languages,
    LineHead,
)
from stream_guard.scan.prose_reader import HEADS
from stream_guard.schema.json_text import parse
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.arguments import check_path
from tests.kit.bodies import bodies
from tests.kit.javascript import CLIENT, MODULES, copied, installed, node
from tests.kit.leniencies import LENIENCIES
from tests.kit.servers import served

ROOT = Path(__file__).parents[2]
in_browser = pytest.mark.asyncio(loop_scope="module")
TSC = str(MODULES / "typescript" / "bin" / "tsc")


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """Return a copy of the client, with the packages that its tests need beside it."""
    return copied(tmp_path)


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the client that npm has built, and packed as `package.tgz`."""
    return installed(tmp_path_factory) / "adapters" / "js"


def run(client: Path, *arguments: str) -> str:
    done = subprocess.run([node(), *arguments], cwd=client, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def asked(client: Path, program: str, given: Any) -> Any:
    """What a program prints, as JSON, that has the client as `client` and what it is given as `given`."""
    (client / "given.json").write_text(json.dumps(given))
    head = "import { readFileSync } from 'node:fs';\nimport * as client from './src/index.js';\n"
    whole = f"{head}const given = JSON.parse(readFileSync('given.json', 'utf8'));\n{program}"
    (client / "asked.mjs").write_text(whole)
    return json.loads(run(client, "asked.mjs"))


def test_its_own_tests_pass(client: Path) -> None:
    tests = sorted(str(path.relative_to(client)) for path in (client / "test").glob("*.test.js"))
    said = run(client, "--test", "--test-reporter=tap", "--test-timeout=300000", "--test-isolation=none", *tests)
    assert int(said.partition("# pass ")[2].split()[0]) > 150


USES = """
import { Executors, JsonToolParser, StreamError, connect, followEvents, initial, reduce } from "stream-guard-client";
import type { StreamEvent, ToolBlock } from "stream-guard-client";
import { GuardedChatTransport } from "stream-guard-client/ai-sdk";
import { useGuardedStream } from "stream-guard-client/react";
import { useGuardedStream as useInVue } from "stream-guard-client/vue";
import { isToolCall } from "./tools.js";
let message = initial();
// @ts-expect-error: an id is a text
const wrong: number = message.lastId;
const onError = ({ kind, status }: StreamError) => { if (kind === "refused" && status === 404) message = initial(); };
const onEvent = (event: StreamEvent) => { message = reduce(message, event); };
connect("/events", { onEvent, onError, after: message.lastId, withCredentials: true });
export const executors = new Executors<string>({ guard: isToolCall, store: localStorage });
executors.register("write_file", async (call) => call.path);
export async function run() {
  for await (const event of followEvents((init) => fetch("/chat", { ...init, method: "POST" }), { retries: 2 })) {
    if (event.type === "json-tool-block") {
      const block: ToolBlock = event.data;
      const call = new JsonToolParser({ guard: isToolCall }).parseBlock(block);
      const outcome = call && (await executors.run(call));
      if (outcome?.status === "completed") outcome.result.toUpperCase();
    }
  }
}
export function Turn() {
  const { message, calls, state, stop, resume } = useGuardedStream("/streams/1", { executors, headers: { a: "b" } });
  const [first] = calls;
  if (first?.outcome?.status === "completed") first.outcome.result.toUpperCase();
  if (state === "closed" && message.ending === "lost") resume();
  const turn = useInVue(null, { executors });
  // @ts-expect-error: there is no such state
  if (turn.state.value === "sleeping") stop();
  return turn.message.value.parts.length;
}
"""
CHAT = """
import { useChat } from "@ai-sdk/react";
import type { ChatTransport, UIMessage } from "ai";
const transport = new GuardedChatTransport({ body: ({ id, messages }) => ({ id, last: messages.at(-1) }) });
export const useGuarded = () => useChat({ transport, resume: true });
export const known: ChatTransport<UIMessage> = transport;
"""


@pytest.mark.parametrize(
    ("resolution", "places"), [("bundler", ("folder", "tarball")), ("node16", ("tarball",)), ("nodenext", ("tarball",))]
)
@pytest.mark.some(0)
def test_its_types_are_those_of_a_user(packed: Path, tmp_path: Path, resolution: str, places: Sequence[str]) -> None:
    """Strictly, from both module systems, where it is installed from a folder or as a package. A use that is marked as wrong
    has to be one.
    """
    for place in places:
        used(packed, tmp_path / place, place)
    module = "esnext" if resolution == "bundler" else resolution
    settings = ["--strict", "--noEmit", "--skipLibCheck", "--module", module, "--moduleResolution", resolution]
    settings += ["--target", "es2022", "--lib", "es2022,dom,dom.iterable"]
    run(tmp_path, TSC, *settings, *(f"{place}/uses.{form}" for place in places for form in ("mts", "cts")))


def used(packed: Path, folder: Path, place: str) -> None:
    """Make a folder in which the client is installed, and used."""
    modules = folder / "node_modules"
    modules.mkdir(parents=True)
    for path in MODULES.iterdir():
        (modules / path.name).symlink_to(path)
    if place == "folder":
        (modules / "stream-guard-client").symlink_to(packed)
    else:
        with tarfile.open(packed / "package.tgz") as archive:
            archive.extractall(folder, filter="data")
        (folder / "package").rename(modules / "stream-guard-client")
    (folder / "tools.ts").write_text(generate(FILE_TOOLS, "tools")["tools.ts"])
    (folder / "uses.mts").write_text(USES + CHAT)
    imported = 'import { isToolCall } from "./tools.js";'  # that file is an ES module
    (folder / "uses.cts").write_text(USES.replace(imported, "declare const isToolCall: (value: unknown) => boolean;"))
    (folder / "package.json").write_text('{"type": "module"}')


def test_it_is_a_good_package(packed: Path) -> None:
    """By the rules of publint and of arethetypeswrong; with the licence, with no dependency, and with both module systems."""
    run(packed, str(MODULES / "publint" / "src" / "cli.js"), "--strict", "package.tgz")
    wrong = str(MODULES / "@arethetypeswrong" / "cli" / "dist" / "index.js")
    run(packed, wrong, "package.tgz", "--profile", "node16", "--no-emoji", "--no-color")
    with tarfile.open(packed / "package.tgz") as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    assert names >= {
        "LICENSE",
        "README.md",
        "src/index.js",
        "types/index.d.ts",
        "cjs/index.js",
        "cjs/index.d.ts",
        "cjs/package.json",
    }
    assert not [name for name in names if name.startswith(("test", "node_modules")) or name.endswith("-lock.json")]
    told = json.loads((packed / "package.json").read_text())
    assert "dependencies" not in told
    assert told["peerDependenciesMeta"].keys() == told["peerDependencies"].keys()
    assert (CLIENT / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_both_module_systems_have_the_same_names(packed: Path) -> None:
    for name in ("index", "react", "vue", "ai-sdk"):
        imports = f"import * as one from './src/{name}.js'; import two from './cjs/{name}.js';"
        (packed / "both.mjs").write_text(f"{imports} console.log(JSON.stringify([one, two].map(Object.keys)));")
        one, two = json.loads(run(packed, "both.mjs"))
        assert sorted(one) == sorted(two)
        assert one


FRAMEWORKS = {"react.js": "react", "vue.js": "vue"}


def test_nothing_is_imported_from_elsewhere_but_by_the_bindings() -> None:
    for path in (CLIENT / "src").glob("*.js"):
        imports = [line for line in path.read_text().splitlines() if line.startswith(("import ", "export {", "export * from"))]
        found = {line.rpartition(" from ")[2].strip(';"') for line in imports if " from " in line}
        elsewhere = {name for name in found if not name.startswith("./")}
        assert elsewhere == ({FRAMEWORKS[path.name]} if path.name in FRAMEWORKS else set()), path.name


# -- what the client and the guard must agree on -----------------------------------------------------------------------


def fenced(body: str) -> str:
    return f"```json\n{body}\n```\n"


def test_a_text_has_no_call_for_the_client_that_the_guard_refuses(client: Path) -> None:
    """Of thousands of bodies, whole and broken: what is taken is what the guard takes as it stands, with the same arguments."""
    guard = Guard(FILE_TOOLS, fixes="off", untagged="validate")
    given = [fenced(body) for body in bodies()]
    program = "console.log(JSON.stringify(given.map((text) => new client.JsonToolParser().parseJsonTools(text))));"
    taken = 0
    for text, calls in zip(given, asked(client, program, given), strict=True):
        blocks = [item for item in guard.scan([text]) if isinstance(item, ToolBlock)]
        allowed = [block.arguments for block in blocks if block.executable]
        if calls and text[len("```json") :].lstrip().startswith("["):  # the guard tells a list one by one, when it may mend
            mended = Guard(FILE_TOOLS).scan([text])
            allowed = [item.arguments for item in mended if isinstance(item, ToolBlock) and item.executable]
        assert [{"tool": call["tool"], **call["args"]} for call in calls] in ([], allowed), text
        if allowed and len(blocks) == 1 and blocks[0].executable:
            assert len(calls) == 1, text
        taken += len(calls)
    assert len(given) > 3_000
    assert taken > 500


MARKERS = ("", "- ", "* ", "+ ", "1. ", "12) ", "-\t", "-   ", "- - ", "1. * ")
STANDS = (
    ("{marker}", True), ("{marker}", False), ("{marker}step:\n{inner}", True), ("{marker}step:\n\n{inner}", True),
    ("{marker}step:\n", False),
)  # fmt: skip
"""What stands before a block, and whether its lines are indented as the item is."""
FENCES = ("```{}\n{}\n```", "~~~{}\n{}\n~~~", "````{}\n{}\n`````", "```{}\n{}\n  ```", "```{}\n\n\t{}\n\n```")
HELD = (
    *(("sh", body) for body in ("ls", "<think>", "~~", '{"a": "b', "- ```", "")),
    *(("json", body) for body in ("{}", '{"a": 1,}', '[{"a": "</think>"}]', "CALL", "CALL", "[CALL]")),
    *((" JSON", "CALL"), ("json5", "CALL"), ("", "CALL")),
)
CONTEXTS = (
    "{}", "{}", "text\n{}\n", "# head\n{}", "a ` b\n{}", "<think>{}</think>", "<think>\n{}\n</think>\n",
    "- <think>\n{}\n</think>\n", "- a\n      <think>\n{}\n</think>\n", "    <think>\n{}", "> <think>\n{}\n",
    "**<think>**\n{}</think>\n", "- **<think>**\n{}\n", "<thin\u212a>\n{}</think>\n", "<\u601d:think>\n{}</\u601d:think>\n",
    "<|im_start|>user\n{}<|im_end|>\n", "a<|im_end|><|im_start|>user\n{}<|im_end|>\n", "`<|im_end|><|im_start|>user`\n{}",
    "a <|user|>\n{}<|assistant|>", "<tool_response>\n{}\n</tool_response>\n", "</s>[INST] {}[/INST]",
    "<|channel|>analysis<|message|>{}<|end|>", "<|channel|>final<|message|>{}",
    "Here is my thought process:\n{}\nHere is my response:\n",
)  # fmt: skip
ODD = (
    "```", "~~~", "```json", "    ```", "      ```json", "- ```", "}", "}```", "``", "```json {", "```json x", "```json `a`",
    "``` x", '"', "~~~ `", "> ```json", '{"a": 1}', "text", "", "  ", "- item", "-", "<think>", "</think>", "</think>```json",
    "<|im_end|>", "- - ```json", "\t```",
)  # fmt: skip


def call(name: str) -> str:
    return f'{{"tool": "delete_file", "path": "{name}"}}'


def blocks_in_contexts(drawn: random.Random) -> str:
    """A few fenced blocks of all kinds, in lists or not, in contexts or not."""
    found = []
    for _ in range(drawn.randrange(1, 5)):
        marker = drawn.choice(MARKERS)
        inner = " " * len(marker.expandtabs(4))
        language, body = drawn.choice(HELD)
        block = drawn.choice(FENCES).format(language, body.replace("CALL", call(f"p{drawn.randrange(10**6)}")))
        before, indented = drawn.choice(STANDS)
        block = before.format(marker=marker, inner=inner) + (block.replace("\n", f"\n{inner}") if indented else block)
        found.append(drawn.choice(CONTEXTS).format(f"{block}\n"))
    return "".join(found).replace("\n", drawn.choice(["\n", "\n", "\r\n"]))


def odd_lines(drawn: random.Random) -> str:
    """Calls between lines that open or close something, or do not."""
    lines = [
        drawn.choice([call(f"p{at}"), "```json\n" + call(f"q{at}") + "\n```", *drawn.choices(ODD, k=3)]) for at in range(12)
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("texts", [blocks_in_contexts, odd_lines])
def test_a_call_stands_for_the_client_where_it_stands_for_the_guard(
    client: Path, texts: Callable[[random.Random], str]
) -> None:
    """Whatever lists, fences and quoted contexts are around it.

    Of lines in any order the client finds fewer calls, and none that the guard does not tell as a block.
    """
    guard = Guard(FILE_TOOLS)
    given = [texts(random.Random(seed)) for seed in range(1_200)]
    program = """
const parser = new client.JsonToolParser();
console.log(JSON.stringify(given.map((text) => parser.parseJsonTools(text).map(({ path }) => path))));"""
    taken = refused = 0
    for text, ours in zip(given, asked(client, program, given), strict=True):
        blocks = [item for item in guard.scan([text]) if isinstance(item, ToolBlock)]
        theirs = [block.path for block in blocks if block.executable]
        failed = [block.path for block in blocks if not block.executable]
        if texts is blocks_in_contexts and not failed:
            assert ours == theirs, text
        assert set(ours) <= {*theirs, *failed}, text
        taken += len(ours)
        refused += text.count("delete_file") - len(theirs)
    assert taken > 200
    assert refused > 400


LANGUAGES = Settings(FILE_TOOLS, Limits()).languages
LINES = tuple(dict.fromkeys(line for text, _ in LENIENCIES.values() for line in text.splitlines()))
"""Every line of every leniency's example: a new leniency comes with one."""

LEADS = (
    *(" " * at for at in (0, 1, MAX_INDENT, MAX_INDENT + 1, MAX_LIST_INDENT, MAX_LIST_INDENT + 1)), "\t", " \t",
    *(f"{mark}{gap}" for mark in sorted(HEADS - set("`~ \t\r\n0123456789")) for gap in (" ", "")),
    *(f"{'1' * digits}{mark}{gap}" for digits in (1, MAX_ORDINAL, MAX_ORDINAL + 1) for mark in ".)" for gap in (" ", "")),
    *(f"-{gap}" for gap in ("\t", " " * TAB, " " * (TAB + 1), " - ", " 1. * ", " " * MAX_LIST_INDENT)), " * ", "\t+ ", "    - ",
)  # fmt: skip
RUNS = tuple(char * length for char in "`~" for length in (MIN_RUN - 1, MIN_RUN, MIN_RUN + 1, MAX_RUN, MAX_RUN + 1))
WORDS = (
    *(word for name in LANGUAGES for word in (name, name.upper(), name.title(), name[:-1], f"{name}5", f"{name}:", f" {name}")),
    *("", "sh", "\tjson ", "json" + " " * (MAX_INFO - 5), "json" + " " * (MAX_INFO - 4), "json" + " " * (MAX_INFO - 3)),
)
BEHIND = (
    *("", " ", "\t", "{", "[", " {", " [1", "\t{}", " `a`", "`", " ~", " x", ' x="{"', "x{", " {`", "}", ".", "\u00a0"),
    *(" " + "x" * (MAX_INFO - 6 + more) for more in (0, 1, 2)),
)
"""What a line may consist of that opens a fence, by the tables and bounds of `scan/fences.py`."""


def heads() -> list[str]:
    """The heads of lines: all combinations, but each lead with few fences, and each fence with few leads."""
    fences = ["".join(parts) for parts in itertools.product(RUNS, WORDS, BEHIND)]
    few = [*LINES, *fences[:: len(fences) // 25], "```", "~~~ json", "```json {", "`", "text", "", " "]
    led = [f"{lead}{rest}" for lead in LEADS for rest in few]
    return list(dict.fromkeys([*LINES, *fences, *led, *(f"{lead}{fence}" for lead in LEADS[:3] for fence in fences[::7])]))


def as_told(head: LineHead, at: int) -> Any:
    """What the guard knows of a line, as the client tells it. `at` is where reading stopped."""
    told = [head.column, head.indent, head.marker, head.kind is Kind.BLANK]
    if head.kind not in (Kind.FENCE, Kind.INLINE):
        return [*told, None]
    ours = head.languages is not None
    inline = at if head.kind is Kind.INLINE else 0
    return [*told, [head.char, head.length, ours, head.info.lower() in LANGUAGES if ours else None, inline]]


def test_a_line_opens_a_fence_for_the_client_as_it_does_for_the_guard(client: Path) -> None:
    """And it closes one, as CommonMark says; the guard's leniencies for closers leave the client with fewer blocks."""
    languages = Languages(LANGUAGES)
    given = [(line, limit) for line in heads() for limit in (MAX_INDENT, MAX_LIST_INDENT)]
    program = """
import { closes, headOf } from "./src/lines.js";
const told = ([line, limit]) => {
  const { column, indent, marker, blank, fence: f } = headOf(line + "\\n", 0, line.length, limit);
  const fence = f && [f.char, f.length, f.ours, f.ours ? f.plain : null, f.body];
  const closing = ["`", "~"].map((char) => closes(line + "\\n", 0, { char, length: 3 }, limit));
  return [[column, indent, marker, blank, fence], closing];
};
console.log(JSON.stringify(given.map(told)));"""
    opened = closed = 0
    for (line, limit), (ours, closes) in zip(given, asked(client, program, given), strict=True):
        head = LineHead(limit, languages, markers=True)
        at = head.feed(f"{line}\n", 0, len(line) + 1)
        told = as_told(head, at)
        known = {Kind.TEXT: told[3:], Kind.BLANK: told[2:]}.get(head.kind or Kind.TEXT, told)  # no column beyond the limit
        assert ours[-len(known) :] == known, (line, limit)
        closer = LineHead(limit)
        closer.feed(f"{line}\n", 0, len(line) + 1)
        assert closes == [closer.closes(char, MIN_RUN) for char in "`~"], (line, limit)
        opened += ours[-1] is not None and ours[-1][2]
        closed += any(closes)
    assert opened > 500
    assert closed > 10


def test_json_is_for_the_client_what_it_is_for_the_guard(client: Path) -> None:
    """Of thousands of texts: it takes those that the guard takes, but for prototypes and whole numbers that it would round."""
    drawn = random.Random(3)
    texts = list(bodies(2_000, seed=3))
    leaves = [
        "1",
        '"x"',
        "null",
        "-1.5e3",
        "9007199254740993",
        "1e999",
        "-0",
        '"\\\\"',
        '"\\ud800"',
        '"a:b,{\\"c\\":1}"',
        "01",
        '"\t"',
    ]
    keys = ["a", "b", "\\u0061", "c:", "__proto__", '\\"a', ""]

    def value(depth: int) -> str:
        kind = drawn.randrange(8) if depth < 5 else 0
        many = [value(depth + 1) for _ in range(drawn.randrange(4))] if kind > 2 else []
        if kind > 5:
            return f"[{','.join(many)}]"
        members = ",".join(f'"{drawn.choice(keys)}":{one}' for one in many)
        return f"{{{members}}}" if kind > 2 else drawn.choice(leaves)

    texts += [value(0) for _ in range(5_000)]
    texts += [opened * depth + "1" + closed * depth for opened, closed in ("[]", ('{"a":', "}")) for depth in (199, 200, 201)]
    program = """
import { readJson } from "./src/json.js";
console.log(JSON.stringify(given.map((text) => readJson(text) !== undefined)));"""
    taken = asked(client, program, texts)
    for text, ours in zip(texts, taken, strict=True):
        theirs = parse(text).ok
        assert ours == theirs or (theirs and ("__proto__" in text or "u005f_proto" in text or "900719925474099" in text)), text
    assert 2_000 < sum(taken) < len(texts) - 2_000


def test_a_block_that_the_guard_tells_is_one_call_for_the_client(client: Path) -> None:
    """Valid ones, mended ones, several of a fence, however they are fenced."""
    calls = ['{"tool": "delete_file", "path": "a"}', '{"tool": "write_file", "path": "b", "content": "```\\n"}']
    texts = [one.reply for one in SCENARIOS]
    texts += [f"{before}{' '.join(calls)}{after}" for before, after in (("```json\n", "\n```"), ("~~~ JSON x\n", "\n~~~"))]
    texts += [fenced(f"[{', '.join(calls)}]"), fenced(calls[1]).replace("\n", "\r"), f"- ```json\n  {calls[0]}\n  ```\n"]
    texts += [f"   ````json {calls[0]}\n````\n", fenced(f"\n\t {calls[0]} \r\n"), fenced("{'tool': 'rm', path: 'x',}")]
    blocks = [item for text in texts for item in Guard(FILE_TOOLS).scan([text]) if isinstance(item, ToolBlock)]
    program = "console.log(JSON.stringify(given.map((block) => new client.JsonToolParser().parseBlock(block))));"
    for block, call in zip(blocks, asked(client, program, [wire.to_dict(block) for block in blocks]), strict=True):
        if not block.executable:
            assert call is None
        else:
            assert call is not None, block
            assert ({"tool": call["tool"], **call["args"]}, call["id"]) == (block.arguments, f"{block.id}.{block.part}")
    assert sum(block.executable for block in blocks) > 15
    assert max(block.parts for block in blocks) == 2


def test_a_path_is_inside_for_both_or_for_neither(client: Path) -> None:
    parts = [
        "", "a", "..", ".", " .. ", "\u2003..", "\x1f..", "...", "a:", "c:", "é", "<", ">", "a\\..", "\\", "\0", "\x85", "\x7f",
        "\u00ad", "~",
    ]  # fmt: skip
    paths = [
        f"{one}{between}{two}{end}" for one in parts for two in parts for between in ("/", "\\", "") for end in ("", "/", ">")
    ]
    program = 'console.log(JSON.stringify(given.map((path) => client.isFileCall({ tool: "delete_file", path }))));'
    said = asked(client, program, paths)
    assert [path for path, inside in zip(paths, said, strict=True) if inside == any(check_path(path))] == []
    assert 100 < sum(said) < len(paths) - 100


def test_the_guards_of_the_file_tools_take_nothing_that_those_of_codegen_refuse(client: Path) -> None:
    (client / "tools.ts").write_text(generate(FILE_TOOLS, "tools")["tools.ts"])
    whole: list[dict[str, Any]] = [
        {"path": "a", "content": ""},
        {"path": "a"},
        {"path": "a", "search_replace": {"old_string": "a", "new_string": ""}},
    ]
    odd: list[Any] = [None, 0, "", [], {}, "a", {"old_string": "a"}, {"old_string": "a", "new_string": None}]
    values: list[Any] = [*odd]
    for tool in ("write_file", "delete_file", "edit_file", "other", None):
        for arguments in whole:
            values.append({"tool": tool, **arguments})
            values += [{"tool": tool, **arguments, key: value} for key in (*arguments, "more") for value in odd]
            values += [{"tool": tool, **{key: value for key, value in arguments.items() if key != gone}} for gone in arguments]
    program = """
import { isToolCall } from "./tools.ts";
console.log(JSON.stringify(given.map((value) => [client.isFileCall(value), isToolCall(value)])));"""
    pairs = asked(client, program, values)
    assert [value for value, (ours, theirs) in zip(values, pairs, strict=True) if ours and not theirs] == []
    wider = [value for value, (ours, theirs) in zip(values, pairs, strict=True) if theirs and not ours]
    assert all(
        value["path"] == "" or set(value) - {"tool", "path", "content", "search_replace"} or len(value) > 2 for value in wider
    )
    assert sum(ours for ours, _ in pairs) >= 3


# -- in a browser ------------------------------------------------------------------------------------------------------

PIECES = [
    "data: a", "data:b", "data", "data:  c", "event: text", "event:", "event: other", "id: 1-1", "id", "id: x\0y", ": ping",
    ":", "retry: 1", "nothing", "data: é\u2028😀", "data : x", " data: x", "id:2", "data: [DONE]", "\ufeffdata: x",
]  # fmt: skip
PAGE = """<!doctype html><script type="module">
import * as client from "/client/index.js";
import { SseReader } from "/client/sse.js";
window.client = client;
window.both = (url) => new Promise((told) => {
  const events = [];
  const source = new EventSource(url);
  for (const type of ["message", "text", "other"]) source.addEventListener(type, (event) => events.push([type, event.data]));
  source.onerror = async () => {
    source.close();
    const response = await fetch(url);
    const reader = new SseReader();
    const found = [];
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) found.push(...reader.feed(piece.value));
    told([events, found.map(({ type, data }) => [type, data])]);
  };
});
</script>"""


def streamed(seed: int) -> list[bytes]:
    """A stream of events, good and odd, in pieces."""
    drawn = random.Random(seed)
    ends = drawn.choice([["\n"], ["\r\n"], ["\r"], ["\n", "\r", "\r\n"]])
    lines = [drawn.choice([*PIECES, "", ""]) + drawn.choice(ends) for _ in range(60)]
    whole = ("\ufeff" * drawn.randrange(2) + "".join(lines)).encode()
    cuts = sorted(drawn.randrange(len(whole)) for _ in range(drawn.randrange(6)))
    return [whole[one:two] for one, two in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


@in_browser
async def test_a_stream_is_for_the_client_what_it_is_for_the_browsers_event_source(chromium: Browser) -> None:
    async def stream(request: Request) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            for piece in streamed(int(request.path_params["seed"])):
                yield piece
                await asyncio.sleep(0)

        return StreamingResponse(pieces(), media_type="text/event-stream")

    app = pages([Route("/stream/{seed}", stream)])
    async with served(app) as url, await chromium.new_context() as context:
        page = await context.new_page()
        await page.goto(url)
        await page.wait_for_function("window.both")
        count = 0
        for seed in range(60):
            theirs, ours = await page.evaluate("(url) => window.both(url)", f"/stream/{seed}")
            assert ours == theirs, streamed(seed)
            count += len(ours)
        assert count > 200


@in_browser
async def test_a_call_is_run_once_in_a_browser_whatever_page_asks(chromium: Browser) -> None:
    """Loaded again, loaded again in the middle, and in two tabs that share a store."""
    ran: list[str] = []
    going = asyncio.Event()

    async def run(request: Request) -> Response:
        ran.append(request.path_params["id"])
        if request.path_params["id"] == "slow":
            await going.wait()
        return Response(str(len(ran)))

    program = """([id, store]) => {
  const executors = new client.Executors({ store: window[store] });
  executors.register("*", (call) => fetch(`/run/${call.id}`).then((response) => response.text()));
  const call = { id, tool: "delete_file", path: "a", args: { path: "a" } };
  return executors.run(call).then(({ status, result, error }) => [status, result ?? error.name]);
}"""
    app = pages([Route("/run/{id}", run)])
    async with served(app) as url, await chromium.new_context() as context:
        page, other = await context.new_page(), await context.new_page()
        for one in (page, other):
            await one.goto(url)
            await one.wait_for_function("window.client")
        for _ in range(3):
            assert await page.evaluate(program, ["quick", "sessionStorage"]) == ["completed", "1"]
            await page.reload()
            await page.wait_for_function("window.client")
        both = [one.evaluate(program, ["shared", "localStorage"]) for one in (page, other, page, other)]
        assert await asyncio.gather(*both) == [["completed", "2"]] * 4
        await page.evaluate(f"(given) => void ({program})(given)", ["slow", "sessionStorage"])
        while "slow" not in ran:
            await asyncio.sleep(0.01)
        await page.reload()
        await page.wait_for_function("window.client")
        assert await page.evaluate(program, ["slow", "sessionStorage"]) == ["failed", "Refused"]
        going.set()
        assert ran == ["quick", "shared", "slow"]


@in_browser
async def test_what_is_refused_is_asked_for_once_in_a_browser_and_told_with_its_status(chromium: Browser) -> None:
    count = 0

    async def stream(request: Request) -> Response:
        nonlocal count
        count += 1
        return Response(status_code=int(request.path_params["status"]))

    program = """(status) => new Promise((told) => {
  const said = [];
  const onState = (state, error) => {
    said.push(state);
    if (state === "closed") setTimeout(() => told([...said, error?.status ?? null]), 50);
  };
  client.connect(`/stream/${status}`, { wait: 1, retries: 2, onEvent: () => {}, onState });
})"""
    expected: dict[int, list[Any]] = {204: ["closed", None], **{status: ["closed", status] for status in (400, 404, 410)}}
    expected[503] = ["waiting", "waiting", "closed", 503]
    async with served(pages([Route("/stream/{status}", stream)])) as url, await chromium.new_context() as context:
        page = await context.new_page()
        await page.goto(url)
        await page.wait_for_function("window.client")
        for status, said in expected.items():
            count = 0
            assert await page.evaluate(program, status) == said
            assert count == len(said) - 1


WORKER = """
import { Executors, JsonToolParser, followEvents } from "/client/index.js";
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));
self.addEventListener("message", ({ data, source }) => {
  const read = async () => {
    const executors = new Executors().register("delete_file", ({ path }) => `no ${path}`);
    const said = [];
    for await (const { type, data: what } of followEvents(data, { wait: 1 })) {
      if (type === "json-tool-block") said.push((await executors.run(new JsonToolParser().parseBlock(what))).result);
      else said.push(type === "text" ? what : type);
    }
    source.postMessage(said);
  };
  read().catch((error) => source.postMessage([String(error)]));
});
"""


@in_browser
@pytest.mark.some(0)
async def test_a_service_worker_reads_a_stream_and_passes_on_that_of_its_page(chromium: Browser) -> None:
    """After a lost connection too; and it has no `sessionStorage`."""
    block = '```json\n{"tool": "delete_file", "path": "a"}\n```\n'
    (made,) = (item for item in Guard(FILE_TOOLS).scan([block]) if isinstance(item, ToolBlock))
    events = [("text", '"a"'), ("json-tool-block", wire.to_json(made)), ("text", '"b"'), ("done", "{}")]
    pieces = [f"id: {at}-7\nevent: {name}\ndata: {data}\n\n" for at, (name, data) in enumerate(events, 1)]

    async def stream(request: Request) -> Response:
        after = int((request.headers.get("last-event-id") or "0").partition("-")[0])
        return Response("".join(pieces[after : after + 2]), media_type="text/event-stream")

    async def worker(_: Request) -> Response:
        return Response(WORKER, media_type="text/javascript")

    program = """async () => {
  const answered = new Promise((told) => navigator.serviceWorker.addEventListener("message", ({ data }) => told(data)));
  await navigator.serviceWorker.register("/worker.js", { type: "module" });
  const { active } = await navigator.serviceWorker.ready;
  active.postMessage("/stream");
  const here = [];
  for await (const { type, data } of client.followEvents("/stream", { wait: 1 })) here.push(type === "text" ? data : type);
  return [await answered, here];
}"""
    app = pages([Route("/stream", stream), Route("/worker.js", worker)])
    async with served(app) as url, await chromium.new_context() as context:
        page = await context.new_page()
        await page.goto(url)
        await page.wait_for_function("window.client")
        assert await page.evaluate(program) == [["a", "no a", "b", "done"], ["a", "json-tool-block", "b", "done"]]


def pages(routes: list[Route]) -> Starlette:
    """An app with a page that has the client, and these routes."""

    async def page(_: Request) -> Response:
        return HTMLResponse(PAGE)

    return Starlette(routes=[Route("/", page), *routes, Mount("/client", StaticFiles(directory=CLIENT / "src"))])
