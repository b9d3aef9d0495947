"""The playground: a reply guarded as its visitor asks, with everything that each delta caused.

    request -> Trial (text, tools, deltas, settings) -> guard -> items, each with its delta -> JSON

Rule 1: nothing is run, kept or logged; a trial is a function of its request.
Rule 2: text, deltas and answer are bounded. What is over a bound is refused, and never cut.
"""

from __future__ import annotations

import difflib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pprint import pformat
from textwrap import indent
from typing import Any, Final, cast

from stream_guard_adapters.cassettes.recorded import parsed
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.protocols import recognised

from stream_guard import End, Guard, ToolBlock, Toolset, ToolStatus, wire
from stream_guard.spi import DIALECTS, FENCE, NATIVE, TOOL_KEY
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.tools.lessons import LESSON_TOOLS

from .scenarios import SCENARIOS, Scenario

MOST_TEXT: Final = 50_000
"""Limit: characters of a reply, and of the definitions of own tools."""

MOST_DELTAS: Final = 10_000
"""Limit: deltas of a trial."""

MOST_ANSWER: Final = 4_194_304
"""Limit: characters of an answer."""

BODY: Final = 262_144
"""Limit: bytes of a request."""

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "fixes": ("likely", "lossless", "spec", "off"),
    "reasoning": ("skip", "inside", "scan"),
    "announce": ("fence", "tool"),
    "ended": ("stop", "length", "unknown"),
}
"""The values of each setting; the first is its default."""

_KNOWN: Final = {"files": (FILE_TOOLS, "files", "FILE_TOOLS"), "lessons": (LESSON_TOOLS, "lessons", "LESSON_TOOLS")}
"""The toolsets by the name that a page gives them; with their module and their name in it."""

FORMS: Final = (FENCE, "all", *DIALECTS)
"""What may be chosen as the dialect: fences alone, all dialects, or fences and one other dialect."""

_RECORDED: Final = re.compile(r"\s*(?:(?:data|event|id|retry)?:|\{\"cassette\":)")
"""The beginning of a recorded stream."""


class TooMuch(ValueError):
    """Raised for a trial with more deltas, or a longer answer, than allowed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A text to guard, with tools, deltas and settings, checked."""

    text: str
    """A reply, or a recorded stream."""

    tools: Toolset
    spelt: tuple[str, str, str]
    """The tools in Python, for the copied test: what it imports, what it defines, and the expression."""

    size: int
    """Characters of a delta; 0 for the whole reply at once."""

    settings: Mapping[str, Any]
    """Arguments of `Guard`."""

    ended: Any
    """How the reply ended, as `End` takes it."""

    @staticmethod
    def of(asked: Mapping[str, Any]) -> Trial:
        """Return the trial that a request asks for. Raises ValueError, which says what is wrong and what to send."""
        text = asked.get("text")
        if not isinstance(text, str) or len(text) > MOST_TEXT:
            raise ValueError(f'"text" must be a string of at most {MOST_TEXT} characters')
        size = asked.get("size", 4)
        if type(size) is not int or not 0 <= size <= MOST_TEXT:
            raise ValueError(f'"size" must be a number of characters from 1 to {MOST_TEXT}; or 0 for the whole reply at once')
        chosen: dict[str, Any] = {name: asked.get(name, values[0]) for name, values in _CHOICES.items()}
        for name, value in chosen.items():
            if value not in _CHOICES[name]:
                raise ValueError(f'"{name}" must be one of {", ".join(_CHOICES[name])}')
        words = asked.get("languages", ["json"])
        if not isinstance(words, list) or not 1 <= len(words) <= 20 or not all(isinstance(word, str) for word in words):
            raise ValueError('"languages" must be a list of 1 to 20 info words; an empty one stands for a fence without one')
        dialect = asked.get("dialect", FENCE)
        if not isinstance(dialect, str) or dialect not in FORMS:
            raise ValueError('"dialect" must be fence, all, or a name that GET /api/playground lists')
        chosen["dialects"] = "all" if dialect == "all" else tuple(dict.fromkeys((FENCE, dialect)))
        ended = chosen.pop("ended")
        tools, spelt = _tools(asked.get("tools", "files"), asked.get("schema", ""))
        trial = Trial(text, tools, spelt, size, {**chosen, "languages": tuple(words)}, ended)
        trial.guard()
        return trial

    def guard(self) -> Guard:
        """Return the guard of the trial, without a corrector. Raises ValueError for settings that it does not take."""
        return Guard(self.tools, **self.settings)

    def result(self) -> str:
        """Guard the text, and return its deltas and items as JSON. Raises ValueError for a text that cannot be read."""
        documents = _documents(self.text)
        protocol = next((table.name for table in map(recognised, documents or ()) if table is not None), None)
        if documents is not None and protocol is None:
            raise ValueError("This looks like a recorded stream, and has no event of a known protocol")
        cuts = [said(event) for event in documents] if documents is not None else _cut(self.text, self.size)
        if len(cuts) > MOST_DELTAS:
            raise TooMuch(f"These are {len(cuts)} deltas, and at most {MOST_DELTAS} are shown; make the deltas larger")
        guard = self.guard()
        guard.check("{}")  # compiles the schemas, which an application does once
        begun = time.perf_counter()
        found = list(self._guarded(guard, documents, protocol, cuts))
        took = time.perf_counter() - begun
        items, blocks, length = [], [], 0
        for delta, item in found:
            shown = json.dumps({"delta": delta, **_shown(item)})
            length += len(shown)
            if length > MOST_ANSWER:
                raise TooMuch("The answer is too long to be shown; try a shorter text")
            items.append(shown)
            if isinstance(item, ToolBlock):
                blocks.append(item)
        told = {
            "kind": protocol or "text",
            "deltas": cuts,
            "tools": [tool.name for tool in self.tools],
            "seconds": round(took, 6),
            "test": self._test(documents, protocol, blocks),
        }
        return f'{json.dumps(told)[:-1]}, "items": [{", ".join(items)}]}}'

    def _guarded(
        self, guard: Guard, documents: Sequence[Any] | None, protocol: str | None, cuts: Sequence[str]
    ) -> Iterator[tuple[int, str | ToolStatus | ToolBlock]]:
        """Yield each item with how many deltas had come; one more than there are, for what the end caused."""
        came = 0

        def counted(deltas: Sequence[Any]) -> Iterator[Any]:
            nonlocal came
            for delta in deltas:
                came += 1
                yield delta
            came += 1

        if protocol is None:
            yield from ((came, item) for item in guard.scan(self._ending(counted(cuts)), stream_id="trial"))
            return
        assert documents is not None
        for item in guard_events(counted(documents), guard, protocol, stream_id="trial"):
            yield came, item if isinstance(item, ToolStatus | ToolBlock) else _text(item)

    def _ending(self, deltas: Iterator[str]) -> Iterator[str | End]:
        yield from deltas
        yield End(self.ended)

    def _test(self, documents: Sequence[Any] | None, protocol: str | None, blocks: Sequence[ToolBlock]) -> str:
        """Return a test in Python that expects these blocks."""
        settings = "".join(f", {name}={value!r}" for name, value in self.settings.items() if value != _DEFAULTS[name])
        load, defined, tools = self.spelt
        if protocol is None:
            imported = "from stream_guard import End, Guard, ToolBlock"
            lines = "".join(f"    {line!r}\n" for line in self.text.splitlines(keepends=True)) or '    ""\n'
            given = f"REPLY = (\n{lines})"
            items = f"guard.scan([REPLY, End({self.ended!r})])"
        else:
            imported = "from stream_guard_adapters.events import guard_events\nfrom stream_guard import Guard, ToolBlock"
            given = f"EVENTS = {pformat(documents, width=120, sort_dicts=False)}"
            items = f"guard_events(EVENTS, guard, {protocol!r})"
        expected = [(block.tool, block.path, block.outcome) for block in blocks]
        return (
            f"{imported}{load}\n\n{defined}{given}\n\n\ndef test_the_reply_is_guarded() -> None:\n"
            f"    guard = Guard({tools}{settings})\n"
            f"    blocks = [item for item in {items} if isinstance(item, ToolBlock)]\n"
            f"    assert [(block.tool, block.path, block.outcome) for block in blocks] == {expected!r}\n"
        )


_DEFAULTS: Final[Mapping[str, Any]] = {
    "languages": ("json",),
    "dialects": (FENCE,),
    **{name: values[0] for name, values in _CHOICES.items()},
}


def _tools(named: object, schema: object) -> tuple[Toolset, tuple[str, str, str]]:
    """Return the tools of a request, and how a test in Python names them."""
    if isinstance(named, str) and named in _KNOWN:
        tools, module, name = _KNOWN[named]
        return tools, (f"\nfrom stream_guard.tools.{module} import {name}", "", name)
    if named != "own":
        raise ValueError('"tools" must be one of files, lessons, own')
    if not isinstance(schema, str) or not schema.strip() or len(schema) > MOST_TEXT:
        raise ValueError(f'"schema" must be JSON of at most {MOST_TEXT} characters: tool definitions or a titled JSON Schema')
    try:
        definitions = json.loads(schema)
    except ValueError as error:
        raise ValueError(f"Your tools are not JSON: {error}") from None
    except RecursionError:
        raise ValueError("Your tools are nested too deep") from None
    try:
        tools = Toolset.of(definitions)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"Your tools cannot be used: {error}") from None
    written = indent(pformat(definitions, width=120, sort_dicts=False), "    ")
    return tools, (", Toolset", f"TOOLS = Toolset.of(\n{written}\n)\n", "TOOLS")


def _documents(text: str) -> list[Any] | None:
    """Return the events of a recorded stream; None for a text. Raises ValueError for one that is broken."""
    dump = _RECORDED.match(text) is not None
    if not dump and not _has_lines(text):
        return None
    try:
        return list(parsed(text.lstrip().encode(errors="replace"), "sse" if dump else "lines"))
    except ValueError as error:
        raise ValueError(f"The recording cannot be read: {error}") from None
    except RecursionError:
        raise ValueError("The recording is nested too deep") from None


def _has_lines(text: str) -> bool:
    """Return whether a text is a recording in lines: its first is a provider's event, or each is a delta in quotes."""
    first, _, rest = text.strip().partition("\n")
    if not first.startswith(("{", '"')):
        return False
    try:
        event = json.loads(first)
        if isinstance(event, dict):
            return recognised(event) is not None
        return bool(rest) and all(isinstance(json.loads(line), str) for line in rest.splitlines() if line.strip())
    except (ValueError, RecursionError):
        return False


def _cut(text: str, size: int) -> list[str]:
    step = size or max(len(text), 1)
    return [text[at : at + step] for at in range(0, len(text), step)]


def said(item: Any) -> str:
    """Return the text of a delta, and the arguments of its calls."""
    if isinstance(item, str):
        return item
    table = recognised(item)
    if table is None:
        return ""
    calls = [f"\n\n[{piece.name}] " * (piece.name is not None) + piece.arguments for piece in table.calls(item)]
    return "".join((_text(item), *calls))


def _text(event: Any) -> str:
    """Return the text of a provider's event."""
    table = recognised(event)
    return "" if table is None else "".join(text for lane, text in table.texts(event) if not table.repeats(lane))


def _shown(item: str | ToolStatus | ToolBlock) -> dict[str, Any]:
    if isinstance(item, str):
        return {"event": "text", "data": item}
    told: dict[str, Any] = {"event": wire.BLOCK if isinstance(item, ToolBlock) else wire.STATUS, "data": wire.to_dict(item)}
    if isinstance(item, ToolBlock):
        told["form"] = "native call" if item.dialect == NATIVE else item.dialect
        after = _after(item)
        if after not in (None, item.raw):
            told["diff"] = difference(item.raw, after)
        if item.hint is not None:
            told["hint"] = item.hint.for_model()
    return told


def _after(block: ToolBlock) -> str | None:
    """Return what a block became, in the form in which it was written; None where that cannot be set beside it."""
    if block.dialect == FENCE:
        return block.content
    if block.dialect != NATIVE or not block.fixes or block.arguments is None:
        return None
    arguments = {name: value for name, value in block.arguments.items() if name != TOOL_KEY}
    spaced = re.search(r'": |", ', block.raw) is not None
    return json.dumps(arguments, ensure_ascii=False, separators=(", ", ": ") if spaced else (",", ":"))


# -- the difference that fixes make ------------------------------------------------------------------------------------

_TOKEN: Final = re.compile(r"\w+|\s|[^\w\s]")
_MOST_PAIRS: Final = 250_000
"""Limit: pairs of tokens that are compared. A longer change is compared by lines; one of too many lines is shown whole."""


def difference(before: str, after: str) -> list[tuple[str, str]]:
    """Return how a text was changed: pieces that it keeps (`=`), that it loses (`-`) and that it gains (`+`), in order."""
    for split in (_TOKEN.findall, lambda text: text.splitlines(keepends=True)):
        old, new = cast("list[str]", split(before)), cast("list[str]", split(after))
        first = _same(old, new)
        last = _same(old[first:][::-1], new[first:][::-1])
        pair = old[first : len(old) - last], new[first : len(new) - last]
        if len(pair[0]) * len(pair[1]) <= _MOST_PAIRS:
            tail = old[len(old) - last :]
            return _joined([("=", "".join(old[:first])), *_compared(*pair), ("=", "".join(tail))])
    return _joined([("-", before), ("+", after)])


def _compared(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield "=", "".join(old[a:b])
        else:
            yield "-", "".join(old[a:b])
            yield "+", "".join(new[c:d])


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many of the first tokens are the same."""
    return next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _joined(pieces: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [piece for piece in pieces if piece[1]]


# -- what there is to pick ---------------------------------------------------------------------------------------------

_WEATHER: Final = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
        "required": ["city", "unit"],
    },
}


def _sample(name: str, title: str, text: str, **more: str) -> dict[str, str]:
    return {"name": name, "title": title, "text": text, "tools": "files", "ended": "stop", "dialect": FENCE, **more}


def _of(scenario: Scenario) -> dict[str, str]:
    more = {"ended": "length"} if scenario.cut else {}
    if scenario.name == "lesson":
        more["tools"] = "lessons"
    text = scenario.reply
    if scenario.native:
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in scenario.deltas()) + "data: [DONE]\n\n"
        return _sample(scenario.name, "A recorded stream with a native call", text, **more)
    return _sample(scenario.name, scenario.title, text, **more)


SAMPLES: Final = (
    *(_of(scenario) for scenario in SCENARIOS if scenario.name != "corrected"),  # without a model it is as any that fails
    _sample(
        "python",
        "A Python dict in place of JSON",
        "I'll remove it.\n\n```json\n{'tool': 'delete_file', 'path': 'src/old.py', }\n```\n\nGone.\n",
    ),
    _sample(
        "unclosed",
        "The closing fence is missing",
        'One file to go:\n\n```json\n{"tool": "delete_file", "path": "src/old.py"}\n',
    ),
    _sample(
        "reasoning",
        "A call in the model's reasoning",
        '<think>\nI could call this:\n\n```json\n{"tool": "delete_file", "path": "src/App.tsx"}\n```\n\n'
        "But nobody asked for it.\n</think>\nI left the file as it is.\n",
    ),
    _sample(
        "own",
        "A tool of your own, with a typing error",
        'Let me look.\n\n```json\n{"tool": "get_weather", "city": "Lisbon", "unit": "celcius"}\n```\n',
        tools="own",
        schema=json.dumps(_WEATHER, indent=2),
    ),
    _sample(
        "hermes",
        "Hermes: tags around broken JSON",
        "I will remove it.\n\n<tool_call>\n"
        '{"name": "delete_file", "arguments": {"path": "src/old.py",}}\n</tool_call>\n\nGone.\n',
        dialect="hermes",
    ),
    _sample(
        "qwen3-coder",
        "Qwen3-Coder: values without quotes, in tags",
        "<tool_call>\n<function=write_file>\n<parameter=path>\nnotes.md\n</parameter>\n<parameter=content>\n"
        '# Notes\n\nA "quoted" word, and <b>tags</b>.\n</parameter>\n</function>\n</tool_call>\n',
        dialect="qwen3_coder",
    ),
    _sample(
        "kimi",
        "Kimi K2: special tokens as text",
        "Both are in the way.\n<|tool_calls_section_begin|>"
        "<|tool_call_begin|>functions.delete_file:0<|tool_call_argument_begin|>"
        '{"path": "src/old.py"}<|tool_call_end|><|tool_call_begin|>functions.delete_file:1<|tool_call_argument_begin|>'
        '{"path": "/etc/passwd"}<|tool_call_end|><|tool_calls_section_end|>\n',
        dialect="kimi_k2",
    ),
    _sample(
        "mistral",
        "Mistral: a name, then JSON with raw line breaks",
        'Here it is:\n\n[TOOL_CALLS]write_file[ARGS]{"path": "list.txt", "content": "First.\nSecond."}',
        dialect="mistral",
    ),
    _sample(
        "pythonic",
        "Llama 3.2: calls as Python writes them",
        "[write_file(path=\"a.txt\", content='It is \"here\".'), delete_file(path='src/old.py')]",
        dialect="all",
    ),
)
"""Replies to try: one for each way to break, and one that does not."""
