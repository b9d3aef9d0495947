"""Rows of calls in dialects: a writer for each dialect, and streams of what it writes.

The writers follow what the models' own templates and servers' documentation say, and are the corpus's own: they share no code
with anything that reads these forms.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from ..toolsets import tool_of
from .exact import EVERYWHERE
from .rows import CUTS, Draft, End, Meant, Row, cut

Given = tuple[str, Mapping[str, Any]]
Writer = Callable[[Sequence[Given]], str]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _each(opener: str, closer: str = "", arguments: str = "arguments", between: str = "\n") -> Writer:
    def one(call: Given) -> str:
        return f"{opener}{_json({'name': call[0], arguments: dict(call[1])})}{closer}"

    return lambda calls: between.join(map(one, calls))


def _array(opener: str, closer: str = "", arguments: str = "arguments") -> Writer:
    return lambda calls: f"{opener}{_json([{'name': name, arguments: dict(held)} for name, held in calls])}{closer}"


def _function(opener: str, closer: str, line: str = "\n") -> Writer:
    def one(call: Given) -> str:
        items = "".join(f"<parameter={key}>{line}{_raw(value)}{line}</parameter>{line}" for key, value in call[1].items())
        return f"{opener}{line}<function={call[0]}>{line}{items}</function>{line}{closer}"

    return lambda calls: "\n".join(map(one, calls))


def _invokes(prefix: str, outer: str, *, typed: bool = False) -> Writer:
    def item(key: str, value: Any) -> str:
        kind = f' string="{str(isinstance(value, str)).lower()}"' if typed else ""
        return f'<{prefix}parameter name="{key}"{kind}>{_raw(value)}</{prefix}parameter>\n'

    def one(call: Given) -> str:
        items = "".join(item(key, value) for key, value in call[1].items())
        return f'<{prefix}invoke name="{call[0]}">\n{items}</{prefix}invoke>\n'

    return lambda calls: f"<{prefix}{outer}>\n{''.join(map(one, calls))}</{prefix}{outer}>"


def _keys(behind_name: str, line: str, prefix: str = "", outer: str = "") -> Writer:
    def one(call: Given) -> str:
        items = "".join(
            f"<{prefix}arg_key>{key}</{prefix}arg_key>{line}<{prefix}arg_value>{_raw(value)}</{prefix}arg_value>{line}"
            for key, value in call[1].items()
        )
        return f"<{prefix}tool_call>{call[0]}{behind_name}{items}</{prefix}tool_call>"

    def write(calls: Sequence[Given]) -> str:
        written = ("" if outer else "\n").join(map(one, calls))
        return f"<{prefix}{outer}>{written}</{prefix}{outer}>" if outer else written

    return write


def _deepseek(before: str, behind: str) -> Writer:
    def one(call: Given) -> str:
        return f"<｜tool▁call▁begin｜>{before.format(call[0])}{_json(dict(call[1]))}{behind}<｜tool▁call▁end｜>"

    return lambda calls: f"<｜tool▁calls▁begin｜>{chr(10).join(map(one, calls))}<｜tool▁calls▁end｜>"


def _kimi(calls: Sequence[Given]) -> str:
    inner = "".join(
        f"<|tool_call_begin|>functions.{name}:{number}<|tool_call_argument_begin|>{_json(dict(held))}<|tool_call_end|>"
        for number, (name, held) in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{inner}<|tool_calls_section_end|>"


def _mistral(calls: Sequence[Given]) -> str:
    return "".join(f"[TOOL_CALLS]{name}[ARGS]{_json(dict(held))}" for name, held in calls)


def _harmony(calls: Sequence[Given]) -> str:
    said = (
        f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{_json(dict(held))}<|call|>"
        for name, held in calls
    )
    return "<|start|>assistant".join(said)


def _python(before: str, behind: str, *, lines: bool = False) -> Writer:
    def one(call: Given) -> str:
        return f"{call[0]}({', '.join(f'{key}={value!r}' for key, value in call[1].items())})"

    def write(calls: Sequence[Given]) -> str:
        inner = "\n".join(map(one, calls)) if lines else f"[{', '.join(map(one, calls))}]"
        return f"{before}{inner}{behind}"

    return write


def _braces(before: str, behind: str, quote: str) -> Writer:
    def value(given: Any) -> str:
        match given:
            case str():
                return f"{quote}{given}{quote}"
            case dict():
                return f"{{{','.join(f'{key}:{value(item)}' for key, item in given.items())}}}"
            case list():
                return f"[{','.join(map(value, given))}]"
            case _:
                return _json(given)

    return lambda calls: "".join(f"{before}call:{name}{value(dict(held))}{behind}" for name, held in calls)


def _cline(calls: Sequence[Given]) -> str:
    def one(name: str, held: Mapping[str, Any]) -> str:
        items = "".join(f"<{key}>\n{_raw(value)}\n</{key}>\n" for key, value in held.items())
        return f"<{name}>\n{items}</{name}>"

    return "\n".join(one(*call) for call in calls)


def _command(calls: Sequence[Given]) -> str:
    listed = [{"tool_call_id": str(at), "tool_name": name, "parameters": dict(held)} for at, (name, held) in enumerate(calls)]
    return f"<|START_ACTION|>{_json(listed)}<|END_ACTION|>"


def _apertus(calls: Sequence[Given]) -> str:
    return f"<|tools_prefix|>{_json([{name: dict(held)} for name, held in calls])}<|tools_suffix|>"


def _minicpm(calls: Sequence[Given]) -> str:
    def one(name: str, held: Mapping[str, Any]) -> str:
        items = "".join(f'<param name="{key}">{_raw(value)}</param>' for key, value in held.items())
        return f'<function name="{name}">{items}</function>'

    return "\n".join(one(*call) for call in calls)


DIALECTS: Final[Mapping[str, Writer]] = {
    "hermes": _each("<tool_call>\n", "\n</tool_call>"),
    "longcat": _each("<longcat_tool_call>", "</longcat_tool_call>"),
    "jamba": _array("<tool_calls>", "</tool_calls>"),
    "nemotron_nano_v2": _array("<TOOLCALL>", "</TOOLCALL>"),
    "internlm2": _each("<|action_start|><|plugin|>\n", "<|action_end|>", "parameters"),
    "granite3": _array("<|tool_call|>"),
    "granite_20b_fc": _each("<function_call> "),
    "phi4_mini": _array("functools"),
    "llama3_json": _each("", "", "parameters", "; "),
    "json_array": _array("", "", "parameters"),
    "qwen3_coder": _function("<tool_call>", "</tool_call>"),
    "seed_oss": _function("<seed:tool_call>", "</seed:tool_call>"),
    "deepseek_v32_dsml": _invokes("｜DSML｜", "function_calls", typed=True),
    "deepseek_v4_dsml": _invokes("｜DSML｜", "tool_calls", typed=True),
    "minimax_m2": _invokes("", "minimax:tool_call"),
    "claude_xml": _invokes("", "function_calls"),
    "glm45": _keys("\n", "\n"),
    "hunyuan_v3": _keys("<tool_sep>", "", outer="tool_calls"),
    "dots": _invokes("", "dots_function_call"),
    "k2_horizon": _keys("", "", "ifm|", "tool_calls"),
    "cline_xml": _cline,
    "deepseek_v3": _deepseek("function<｜tool▁sep｜>{0}\n```json\n", "\n```"),
    "deepseek_v31": _deepseek("{0}<｜tool▁sep｜>", ""),
    "kimi_k2": _kimi,
    "mistral": _mistral,
    "harmony": _harmony,
    "pythonic": _python("", ""),
    "llama4_pythonic": _python("<|python_start|>", "<|python_end|>"),
    "lfm2": _python("<|tool_call_start|>", "<|tool_call_end|>"),
    "olmo3": _python("<function_calls>", "</function_calls>", lines=True),
    "gemma4": _braces("<|tool_call>", "<tool_call|>", '<|"|>'),
    "functiongemma": _braces("<start_function_call>", "<end_function_call>", "<escape>"),
    "cohere_command": _command,
    "apertus": _apertus,
    "inkling": _each("<|content_invoke_tool_json|>", "<|end_message|>", "args"),
    "gigachat3": _each("<|function_call|>"),
    "muse_glimmer": _invokes("atem:", "function_calls"),
    "minicpm5": _minicpm,
}
"""What writes calls in each dialect."""

WITHOUT_QUOTES: Final = frozenset({
    "qwen3_coder", "seed_oss", "minimax_m2", "claude_xml", "glm45", "hunyuan_v3", "dots", "k2_horizon", "cline_xml",
    "muse_glimmer", "minicpm5",
})  # fmt: skip
"""Dialects that do not write the type of a value: the schema has to be known."""

_TEXT: Final = {"type": "string"}


TOOLS: Final = [
    tool_of("write_file", ("path", "content"), path=_TEXT, content=_TEXT),
    tool_of(
        "find_notes",
        ("query",),
        query=_TEXT,
        limit={"type": "integer"},
        ratio={"type": "number"},
        exact={"type": "boolean"},
        tags={"type": "array", "items": _TEXT},
        where={"type": "object"},
    ),
    tool_of("list_all"),
]

_CODE: Final = (
    'def f(x):\n\tif x < 1 and x > 0:\n\t\treturn {"a": [1, \'b\']}  # é 🎉 & <div class="c">\n\n    print(f"{x}\\n")'
)
SMALL: Final[Given] = ("write_file", {"path": "a.txt", "content": "x"})
CODE: Final[Given] = ("write_file", {"path": "src/a b.py", "content": _CODE})
FIND: Final[Given] = (
    "find_notes", {"query": "true", "limit": 7, "ratio": -1.5, "exact": True, "tags": ["a", "b c"], "where": {"k": [None, 1]}},
)  # fmt: skip
ALL: Final[Given] = ("list_all", {})

CALLS: Final[Mapping[str, Sequence[Given]]] = {
    "a call": (SMALL,),
    "code in a value": (CODE,),
    "values of every type": (FIND,),
    "no arguments": (ALL,),
    "two calls": (SMALL, FIND),
    "an empty text": (("write_file", {"path": "a.txt", "content": ""}),),
    "texts that look like other values": (("write_file", {"path": "007", "content": "null"}),),
    "many lines": (("write_file", {"path": "a.txt", "content": "\n".join(f"line {at}" for at in range(30))}),),
}


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows of every dialect."""
    for name in DIALECTS:
        yield from _rows(name, seed)
    yield from file_rows(seed)


def _rows(name: str, seed: int) -> Iterator[Row]:
    rng = Random(f"dialect:{name}:{seed}")
    write = DIALECTS[name]
    for nth, (what, calls) in enumerate(CALLS.items()):
        for how in (CUTS[nth % 4], "characters"):
            draft = Draft().say("I will do it.\n\n").write(write(calls), *(Meant(tool, dict(held)) for tool, held in calls))
            yield _row(name, f"In the form `{name}`, {what} comes out as it was written.", draft, how, rng)
        if what == "a call":
            draft.say("\n\nDone.\n")
            yield _row(name, f"Text behind a call in the form `{name}` comes out.", draft, "random", rng)
    call = write([SMALL])
    for what, text in (
        (
            "in a code block",
            f"Write\n\n```text\n{call}\n```\n\nas you like.\n" if "```" not in call else f"Write\n\n~~~~\n{call}\n~~~~\n",
        ),
        ("in an indented block", "Write\n\n" + "\n".join(f"    {line}" for line in call.split("\n")) + "\n\nas you like.\n"),
        ("in inline code", f"Write ``{call}`` so.\n" if "\n" not in call else f"Write `{call.splitlines()[0]}` so.\n"),
        ("in reasoning", f"<think>\nI could write\n{call}\n</think>\nNo.\n"),
    ):
        draft = Draft().say(text)
        needs = ("reasoning",) if "reasoning" in what else ()
        yield _row(name, f"A call in the form `{name}` that is shown {what} never runs.", draft, "characters", rng, *needs)
    written = write([CODE])
    for share in (0.5, 0.8):
        draft = Draft().say("I will do it.\n\n").write(written[: int(len(written) * share)], shown=True)
        row = _row(
            name, f"A call in the form `{name}` that was cut off never runs.", draft, "tokens", rng, "endings", end="length"
        )
        yield row
    for what, bad in (
        ("of an unknown tool", ("rename_everything", {"from": "a"})),
        ("without a required value", ("write_file", {"path": "a.txt"})),
    ):
        draft = Draft().say("I will do it.\n\n").write(write([bad]), shown=True)
        yield _row(name, f"A call in the form `{name}` {what} never runs.", draft, "random", rng, "schemas")
    for what, (made, needed) in EVERYWHERE.items():
        draft = Draft().say("I will do it.\n\n").write(write([(each.name, each.arguments) for each in made]), *made)
        for how in ("characters", "tokens"):
            yield _row(name, f"In the form `{name}`, {what} come out as they were written.", draft, how, rng, *needed)


# -- dialects that carry files: they name no tool


def _bolt(calls: Sequence[Given]) -> str:
    inner = "".join(
        f'<boltAction type="file" filePath="{held["path"]}">\n{held["content"]}</boltAction>\n' for _, held in calls
    )
    return f'<boltArtifact id="app" title="An app">\n{inner}</boltArtifact>'


def _lines(sign: str, text: str) -> str:
    return "".join(f"{sign}{line}" for line in text.splitlines(keepends=True))


def _v4a(calls: Sequence[Given]) -> str:
    said = []
    for name, held in calls:
        if name == "write_file":
            said.append(f"*** Add File: {held['path']}\n{_lines('+', held['content'])}")
        elif name == "delete_file":
            said.append(f"*** Delete File: {held['path']}\n")
        else:
            said.append(
                f"*** Update File: {held['path']}\n@@\n{_lines('-', held['old_string'])}{_lines('+', held['new_string'])}"
            )
    return f"*** Begin Patch\n{''.join(said)}*** End Patch"


def _aider(calls: Sequence[Given]) -> str:
    ((_, held),) = calls
    return f"<<<<<<< SEARCH\n{held['old_string']}=======\n{held['new_string']}>>>>>>> REPLACE"


FILES: Final[Mapping[str, Writer]] = {"bolt_artifact": _bolt, "v4a_patch": _v4a, "aider_search_replace": _aider}
"""What writes changes of files. The path of a search stands before it, and comes out as text."""

FILE_TOOLS: Final = [
    tool_of("write_file", ("path", "content"), path=_TEXT, content=_TEXT),
    tool_of("edit_file", ("path", "old_string", "new_string"), path=_TEXT, old_string=_TEXT, new_string=_TEXT),
    {**tool_of("delete_file", ("path",), path=_TEXT), "annotations": {"destructiveHint": True}},
]

_PAGE: Final[Given] = ("write_file", {"path": "src/page.py", "content": f"{_CODE}\n"})
_NOTE: Final[Given] = ("write_file", {"path": "note.txt", "content": "one\n\ntwo\n"})
_EDIT: Final[Given] = (
    "edit_file", {"path": "src/app.py", "old_string": "def f():\n    return 1\n", "new_string": "def f():\n    return 2\n"},
)  # fmt: skip
_CUT: Final[Given] = ("edit_file", {"path": "a.md", "old_string": "- one\n+ two\n", "new_string": ""})
_DROP: Final[Given] = ("delete_file", {"path": "old.txt"})

CHANGES: Final[Mapping[str, Mapping[str, Sequence[Given]]]] = {
    "bolt_artifact": {"a file": (_NOTE,), "code": (_PAGE,), "two files": (_NOTE, _PAGE)},
    "v4a_patch": {
        "a new file": (_NOTE,), "an edit": (_EDIT,), "lines that are taken away": (_CUT,), "a file that goes": (_DROP,),
        "several changes": (_PAGE, _EDIT, _DROP),
    },
    "aider_search_replace": {"an edit": (_EDIT,), "lines that are taken away": (_CUT,)},
}  # fmt: skip


def file_rows(seed: int) -> Iterator[Row]:
    """Yield the rows of the dialects that carry files."""
    for name, write in FILES.items():
        rng = Random(f"dialect:{name}:{seed}")
        fenced = name == "aider_search_replace"
        for nth, (what, calls) in enumerate(CHANGES[name].items()):
            path = calls[0][1]["path"]
            for how in (CUTS[nth % 4], "characters"):
                draft = Draft().say(f"I will do it.\n\n{f'{path}{chr(10)}' if fenced else ''}")
                draft.write(write(calls), *(Meant(tool, dict(held)) for tool, held in calls)).say("\n\nDone.\n")
                yield _file_row(name, f"In the form `{name}`, {what} comes out as it was written.", draft, how, rng)
            if fenced:
                for before in (f"```python\n{path}\n", f"{path}\n```python\n"):
                    draft = Draft().say(f"I will do it.\n\n{before}")
                    draft.write(write(calls), *(Meant(tool, dict(held)) for tool, held in calls)).say("\n```\n\nDone.\n")
                    yield _file_row(name, f"In the form `{name}`, {what} may stand in a fence.", draft, "tokens", rng)
        calls = next(iter(CHANGES[name].values()))
        call, path = write(calls), f"{calls[0][1]['path']}\n" if fenced else ""
        shown = {"in reasoning": f"<think>\nI could write\n{path}{call}\n</think>\nNo.\n"}
        indented = "\n".join(f"    {line}" for line in f"{path}{call}".split("\n"))
        shown["in an indented block"] = f"Write\n\n{indented}\n\nas you like.\n"
        shown["in a code block"] = f"Write\n\n```text\n{'So:' if fenced else ''}\n{path}{call}\n```\n\nas you like.\n"
        for what, text in shown.items():
            needs = ("reasoning",) if "reasoning" in what else ()
            why = f"A call in the form `{name}` that is shown {what} never runs."
            yield _file_row(name, why, Draft().say(text), "characters", rng, *needs)
        for share in (0.4, 0.7, 0.9):
            draft = Draft().say(f"I will do it.\n\n{path}").write(call[: int(len(call) * share)], shown=True)
            why = f"A call in the form `{name}` that was cut off never runs."
            yield _file_row(name, why, draft, "tokens", rng, "endings", end="length")
    rng = Random(f"dialect:whole:{seed}")
    half = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n@@ def f():\n-x\n+y\n*** End Patch"
    why = "A patch of which one change says more than its tool can be told never runs by half."
    yield _file_row("v4a_patch", why, Draft().write(half, shown=True), "tokens", rng)


def _file_row(name: str, why: str, draft: Draft, how: str, rng: Random, *needs: str, end: End = "stop") -> Row:
    return replace(_row(name, why, draft, how, rng, *needs, end=end), tools=FILE_TOOLS)


def _row(name: str, why: str, draft: Draft, how: str, rng: Random, *needs: str, end: End = "stop") -> Row:
    deltas = cut(draft.text, how, rng)
    typed = ("schemas",) if name in WITHOUT_QUOTES and "schemas" not in needs else ()
    needed = (f"dialect:{name}", *needs, *typed, *(("streams",) if len(deltas) > 1 else ()))
    return Row(
        f"dialect/{name}", why, TOOLS, deltas, draft.calls, texts=[list(draft.pieces)], needs=needed, dialect=name, end=end
    )
