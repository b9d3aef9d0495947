"""Rows of what every form of calls has to carry unchanged: in a fence, in each dialect, as native calls, in whole replies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from ..toolsets import Json, tool_of
from .dialects import DIALECTS, WITHOUT_QUOTES
from .fences import fenced
from .native_rows import STREAMED, given, whole_replies
from .rows import CUTS, Draft, Meant, Row, cut
from .sent import Sent

BEGINNING: Final = "carried/"

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}


TOOLS: Final = [
    tool_of("write_file", ("path", "content"), path=_TEXT, content=_TEXT),
    tool_of("list_all"),
    tool_of("go_to", ("lat", "lon"), lat=_NUMBER, lon=_NUMBER),
    tool_of("set_options", ("options",), options={"type": "object"}),
    tool_of("run_command", ("command", "arguments"), command=_TEXT, arguments={"type": "object"}),
    tool_of("put_item", ("input",), input={"type": "object"}),
    tool_of("make_chart", ("name", "parameters"), name=_TEXT, parameters={"type": "object"}),
]


@dataclass(frozen=True, slots=True)
class Carried:
    """Calls, and where they need not run."""

    calls: Sequence[Meant]
    doubted: frozenset[str] = frozenset()
    """Dialects in which such a value has two readings, so that a call with it may also be refused."""

    without: frozenset[str] = frozenset()
    """Dialects that cannot write such a value."""

    tools: Sequence[Json] = tuple(TOOLS)


def _file(content: str) -> Meant:
    return Meant("write_file", {"path": "a.txt", "content": content})


KEYS: Final = ("$ref", "1", "description", "type", "id")
"""Names of fields that mean something to schemas, or to languages."""

VALUE_TOOLS: Final = (
    tool_of(
        "put_values", (), count={"type": "integer"}, ratio=_NUMBER, done={"type": "boolean"}, tags={"type": "array"},
        rows={"type": "array"}, where={"type": "object"}, text=_TEXT, title=_TEXT, note=_TEXT, body=_TEXT,
    ),
    tool_of("put_keys", (), **dict.fromkeys(KEYS, _TEXT)),
)  # fmt: skip


def _put(**values: object) -> Carried:
    return Carried((Meant("put_values", values),), tools=VALUE_TOOLS)


def _nested(levels: int) -> Json:
    held: Json = {"end": 1}
    for level in range(levels):
        held = {"a": held} if level % 3 else {"a": [held]}
    return held


AS_CODE: Final = frozenset({"pythonic", "llama4_pythonic", "lfm2", "olmo3"})
"""Dialects of calls in Python, whose keywords are identifiers."""

TAGGED: Final = frozenset({"qwen3_coder", "glm45", "hunyuan_v3"})
"""Dialects of which `<tool_call>` is a mark, and whose values have no quotes: such a value may be a damaged call."""

CARRIED: Final[Mapping[str, Carried]] = {
    "no arguments, and a call behind it": Carried((Meant("list_all", {}), _file("x"))),
    "a value that begins with blanks": Carried((_file("    return x"),)),
    "a value that ends with empty lines": Carried((_file("x = 1\n\n"),)),
    "blanks around the lines of a value": Carried((_file("\n\t a  \n  b\t \nc \t"),)),
    "entities of HTML": Carried((_file("a &amp;&amp; b &lt;br&gt; &#39;c&#x27; &nbsp; https://example.com/?a=1&copy=2&lt=%20"),)),
    "CR LF in a value": Carried((_file("a\r\nb\r\n\r\nc"),)),
    "escapes that are text": Carried((_file('a\\nb \\t \\u0041 \\\\ \\" {x}'),)),
    "numbers with many digits": Carried((
        Meant("go_to", {"lat": 52.5200066, "lon": -13.404953999999999}),
        Meant("go_to", {"lat": 1.7976931348623157e308, "lon": 5e-324}),
        Meant("go_to", {"lat": 2.5e-7, "lon": 1234567.875}),
    )),
    "nested keys in several spellings": Carried((
        Meant("set_options", {"options": {"maxItems": 3, "max_size": {"Content-Type": "x", "aB": [{"cD": None}]}, "MAX": 1}}),
    )),
    "fields that are called `arguments`, `input`, `parameters` and `name`": Carried((
        Meant("run_command", {"command": "ls", "arguments": {"dir": "/"}}),
        Meant("put_item", {"input": {"path": "a"}}),
        Meant("make_chart", {"name": "list_all", "parameters": {"name": "write_file", "path": "a"}}),
    )),
    "six calls": Carried(tuple(_file(f"text {number}") for number in range(6))),
    "long values": Carried((
        _file("word " * 60 + "end"), _file("".join(f"line {number} of it\n" for number in range(330)) + "end"),
    )),
    "a tag of reasoning": Carried((_file("Use <think>plan</think> and <thinking> so."),)),
    "marks of calls and of messages": Carried(
        (_file("Write `<tool_call>`, `</tool_call>`, and `<|im_end|>` or `</s>`."),), TAGGED,
    ),
    "a fence": Carried((_file("# T\n\n```bash\nls\n```\n\nSo."),)),
    "paths and variables of a shell": Carried((
        Meant("write_file", {"path": "./src//a.txt", "content": "cd ~/x/./y && ls $HOME ${USER} %TEMP% *.txt"}),
    )),
    "twelve calls": Carried(tuple(_file(f"text {number}") for number in range(12))),
    "zero and false": _put(count=0, ratio=0, done=False),
    "what is empty": _put(tags=[], where={}, text=""),
    "texts that are JSON": _put(text='{"a": 1}', title="[1, 2]", note="0", body="null"),
    "texts that are other values": _put(text="1.10", title="True", note="None", body="1e5"),
    "a text of blanks": replace(_put(text="   ", title="a"), doubted=frozenset({"cline_xml"})),
    "empty values in others": _put(tags=["", None, 0, False, [], {}], where={"a": None, "b": "", "c": [], "d": {}, "e": 0}),
    "long lists": _put(tags=[*range(14)], rows=["a", "a", "b", "a"]),
    "lists in lists": _put(tags=[[1]], rows=[[1, [2, []]], [[3]], [[]]]),
    "nine levels": _put(where=_nested(9)),
    "keys that mean something": Carried(
        (Meant("put_keys", {key: f"of {key}" for key in KEYS}),), without=AS_CODE | {"cline_xml"}, tools=VALUE_TOOLS,
    ),
    "nested keys that mean something": _put(where={**dict.fromkeys(KEYS, 1), "tool": "saw", "name": "put_values"}),
    "nested keys that differ in case": _put(where={"A": 1, "a": 2, "aB": 3, "AB": 4}),
    "marks of comments and of blocks": _put(
        text="<!-- a -->b // c # d", title="x\n~~~\ny", note="a\n---\nb", body="%s {0} {{a}}"
    ),
}  # fmt: skip
"""What is carried. Values are texts that files have; a dialect that cannot tell one apart is in `doubted`."""


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    for nth, (what, carried) in enumerate(CARRIED.items()):
        yield from _fences(what, carried, nth, seed)
        yield from _dialects(what, carried, nth, seed)
        yield from _native(what, carried)
        for name, reply in whole_replies([*carried.calls]).items():
            why = f"A whole reply of `{name}` carries it unchanged: {what}."
            yield Sent(why, [reply], carried.calls, needs=("native",), form="reply", tools=carried.tools).row(
                f"{BEGINNING}replies", name
            )


def _fences(what: str, carried: Carried, nth: int, seed: int) -> Iterator[Row]:
    rng = Random(f"carried fences:{seed}:{nth}")
    for how in ("whole", CUTS[1 + nth % 3]):
        draft = Draft().say("Now.\n\n")
        for call in carried.calls:
            written = json.dumps({"tool": call.name, **call.arguments}, ensure_ascii=False)
            draft.write(fenced(written), call).say("\n\n")
        draft.say("So.\n")
        deltas = cut(draft.text, how, rng)
        needed = ["fence", *["several"] * (len(carried.calls) > 1), *["streams"] * (len(deltas) > 1)]
        why = f"A fence carries it unchanged: {what}."
        yield Row(f"{BEGINNING}fences", why, carried.tools, deltas, draft.timed(deltas), texts=[draft.pieces], needs=needed)


def _dialects(what: str, carried: Carried, nth: int, seed: int) -> Iterator[Row]:
    for name, write in DIALECTS.items():
        if name in carried.without:
            continue
        rng = Random(f"carried:{name}:{seed}:{nth}")
        must = name not in carried.doubted
        draft = Draft().say("I will do it.\n\n")
        calls = [replace(call, must=must) for call in carried.calls]
        draft.write(write([(call.name, call.arguments) for call in calls]), *calls, shown=not must)
        deltas = cut(draft.text, CUTS[nth % 4], rng)
        needed = [*["schemas"] * (name in WITHOUT_QUOTES), *["several"] * (len(calls) > 1)]
        needed += ["streams"] * (len(deltas) > 1)
        why = f"The form `{name}` carries it {'unchanged' if must else 'unchanged, or not at all'}: {what}."
        yield draft.in_dialect(f"{BEGINNING}dialects", why, name, carried.tools, deltas, calls, needed)


def _native(what: str, carried: Carried) -> Iterator[Row]:
    for name, (make, text) in STREAMED.items():
        events = make([given(call) for call in carried.calls])
        why = f"Native calls of `{name}` carry it unchanged: {what}."
        yield Sent(why, events, carried.calls, [[text]], ("native",), tools=carried.tools).row(f"{BEGINNING}native", name)
