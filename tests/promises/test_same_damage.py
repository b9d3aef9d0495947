"""Blocks of which a program replaced the marks, and what it did to their texts: no fix undoes that.

Each kind is made of calls with code and prose in them: a call is written as JSON, and one replacement is made in all of it.
Beside it stand blocks of the same form whose writer chose the marks. Those run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from tests.kit.breadth import some
from tests.kit.proof import Cases

S: Any = {"type": "string"}


def _tool(name: str, required: str, risk: Risk = Risk.WRITE, /, **fields: Any) -> Tool:
    schema = {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}
    return Tool(name, "", schema, risk=risk)


_OPEN: Any = {"type": "object"}
TOOLS = Toolset(
    _tool("save_file", "path content", path=S, content=S),
    _tool("run", "command", command=S, cwd=S),
    _tool("find", "", pattern=S, what=S),
    _tool("add_note", "", text=S, title=S),
    _tool("cancel_event", "event_id", Risk.DESTRUCTIVE, event_id=S, reason=S),
    _tool("insert_rows", "table rows", table=S, rows={"type": "array", "items": _OPEN}, on_conflict={"enum": ["fail"]}),
    _tool("update_record", "id fields", id={"type": "integer"}, fields=_OPEN, dry_run={"type": "boolean"}),
    _tool("tag", "id name", id={"type": "number"}, name=S, more={"type": "array"}),
)
GUARD = Guard(TOOLS)
DUMPS: list[dict[str, Any]] = [{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": 1, "ensure_ascii": False}]
QUOTED = [
    'echo "$HOME" > a.txt', 'rm -rf "$BUILD"', 'println!("hi");', 'SELECT "a" FROM t', 'say "hi" to Ann',
    'x = "a b"\ny = "c"\n', '{"name": "demo", "n": [1, 2]}', "curl -H \"Accept: a/b\" -d '{\"a\": 1}' x.io",
    '<p class="x">hi</p>', 'print(f"hi")', 'x = rb"a" + u"b"',
]  # fmt: skip
"""Texts with double quotes, in which single ones mean something else or nothing."""

WITHOUT = ["hello", "it's done, and we can't", "f(x) = 1", "a\nb\nc", "the dogs' bowl", "O'Neil: 5", "ls -l /tmp"]
"""Texts with no quote but apostrophes."""


def _calls(text: str) -> Iterator[dict[str, Any]]:
    yield {"tool": "save_file", "path": "a.txt", "content": text}
    yield {"tool": "run", "command": text, "cwd": "src"}
    yield {"tool": "add_note", "text": text, "title": "t"}
    yield {"tool": "cancel_event", "event_id": "e1", "reason": text}


def _written(text: str) -> Iterator[str]:
    """Yield blocks of JSON with a text, in several layouts."""
    for call, layout in product(_calls(text), DUMPS):
        yield json.dumps(call, **layout)


def _with_bare_quotes(body: str) -> str:
    return body.replace('\\"', '"')


def _each(texts: list[str], *made: Callable[[str], str]) -> list[str]:
    bodies = [change(body) for text in texts for body in _written(text) for change in made]
    return [body for body in dict.fromkeys(bodies) if not _is_json(body)]


def _is_json(body: str) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def _with_sign(sign: str) -> Callable[[str], str]:
    """Return what writes another sign for each colon behind a quote."""
    return lambda body: re.sub(r"(\\?\"): ?", lambda found: f"{found[1]}{sign}", body)


JSON_TEXTS = ['{"name": "demo"}', '{"code": 4}', "curl -d '{\"a\": 1}' x.io", 'x = {"k": "v", "n": 1}', '[{"a": "b"}]']
BRACED = ["\\frac{a}{b}", "if (a) { b(); }", "a[0] = {1}", "f({x: [1]})", "${HOME}/a"]
SIGNS = "¥₩＼￥∖"
PATTERNED = [
    'import re\nPAT = re.compile(r"^\\d+$")\nif PAT.match("1.a"):\n    pass\n',
    'on:\n  push:\n    branches: ["main"]\njobs: {}\n',
    'def f(a):\n    return a.split("\\d")\n', "if (a) {\n  b(/\\w+/);\n}\n", "for x in y:\n    print(re.sub('\\s', '', x))\n",
]  # fmt: skip
"""Code with line breaks, of which some has a backslash."""

SLASHED = [
    "echo \"hi\"\nsed 's/\\//_/g' a.txt\n",
    'x = "a/b";\ny = /\\/+/.test(x);\n',
    'a = "x";\nb = s.replace(/\\/\\//g, "/");\n',
]
TABLES = ['"","x",""', '"";"a";""', '""|"b"|""', '"" + x + ""', '"" if a == "b" else ""', '"","a"\n"","b",""', '""+"x"+""']
UNCLOSED = ['say "}hi" now', 'write "}" there', 'a "]" b', 'echo "}}"', '"}", he said', 'f("}")']
TYPESET = [
    "println!(“{:?}”, vec![“a”, “b”]);", ".a::before { content: “x”; }", 'git commit -m "fix” -m "see #12”', "print(“hi”)",
    "import x from “y”;", "a = b + “c”;", "const x = “y”;", "return “a”;", "a { content: ”x”; }", "f(a, “b”);",
    'x = "a” if y else "b”', "#include “a.h”\nint x;",
]  # fmt: skip
CODED = [text for text in QUOTED if "\n" in text or "(" in text]


LISTED = ['{"a": 1, "b": 2}', "x = [1, 2]", 'f(1, "a")', "x = [\n  1,\n  2\n]", '["a", "b"]', 'f("a", [])']
ENDING_IN_A_BRACE = ["f() {\n  x;\n}", "if (a) {\n  b(\n    c\n  );\n}", "  a {\n    b: c\n  }", "{\n}", "f() {}"]


def _sign_for_backslash(sign: str) -> Callable[[str], str]:
    return lambda body: body.replace("\\", sign)


def _without_slashes(body: str) -> str:
    return re.sub(r"\\(.)", r"\1", body)


def _stringified(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: item if key == "tool" else _stringified(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_stringified(item) for item in value]
    return value if isinstance(value, str) else str(value)


TYPED = [
    {"tool": "update_record", "id": 7, "fields": fields}
    for fields in ({"active": False}, {"age": 41}, {"manager": None}, {"a": {"b": [1.5, "x"]}}, {"n": "x", "on": True})
] + [{"tool": "tag", "id": 5, "name": "a", "more": more} for more in ([True], [None, "x"], [3], [[0]], [{"b": -1.5}])]


def _with_a_comma(body: str) -> str:
    return body[:-1] + ",}"


def _with_bare_keys(body: str) -> str:
    return re.sub(r'"(tool|path|content)":', r"\1:", body)


def _as_json_strings(value: Any) -> str:
    return json.dumps(_stringified(value)).replace('"True"', '"true"').replace('"False"', '"false"').replace('"None"', '"null"')


def _respelt(style: Callable[[str], str]) -> list[str]:
    rows: list[Any] = [[{"user_id": 3}], [{"id": 1, "created_at": "x"}], [{"n": 1}, {"a": {"long_name": [{"b_c": 1}]}}]]
    call = [{"tool": "insert_rows", "table": "users", "rows": one, "on_conflict": "fail"} for one in rows]
    return [re.sub(r'"(\w+)":', lambda found: f'"{style(found[1])}":', json.dumps(one)) for one in call]


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


DAMAGED: dict[str, list[str]] = {
    "single quotes for double ones": _each(
        QUOTED, lambda body: body.replace("\\", "").replace('"', "'"), lambda body: body.replace('"', "'")
    ),
    "backticks for double quotes": _each(QUOTED, lambda body: body.replace("\\", "").replace('"', "`")),
    **{
        f"{sign} for a colon": _each(JSON_TEXTS, _with_sign(sign))
        for sign in ("=> ", "=>", " => ", " = ", "=", " := ", " -> ", "::")
    },
    "square brackets for braces": _each(
        BRACED, lambda body: body.replace("{", "[").replace("}", "]")
    ),
    "no closing brace": [
        f"```json\n{body}\n```" for body in _each(["if (a) { b(); }\n", "${HOME}"], lambda body: body.replace("}", ""))
    ],
    "another sign for a backslash": [
        body for sign in SIGNS for body in _each(CODED, _sign_for_backslash(sign))
    ],
    "another sign before each quote": [
        body for sign in "/^%~|" for body in _each(['say "hi" now', 'f("a", "b")'], _sign_for_backslash(sign))
    ],
    "one backslash of each lost": _each(PATTERNED, _without_slashes),
    "slashes that are the text's own": [
        json.dumps(call)
        .replace(json.dumps(text), '"' + text.replace('"', '\\"') + '"')
        for text in SLASHED
        for call in [*_calls(text)][:3]
    ],
    "an empty text at each end": _each(TABLES, _with_bare_quotes),
    "a brace in escaped quotes, and none at the end": [
        f"```json\n{body.rstrip().removesuffix('}').rstrip()}\n```" for text in UNCLOSED for body in _written(text)
    ],
    "code with typographic quotes": [
        change(json.dumps(call, ensure_ascii=False))
        for text in TYPESET
        for call in _calls(text)
        for change in (_with_a_comma, _with_bare_keys)
    ],
    "strings for all values": [made for call in TYPED for made in (json.dumps(_stringified(call)), _as_json_strings(call))]
    + [
        json.dumps({"tool": "update_record", "id": "7", "fields": {"a": text}})
        for text in ("[]", '["a"]', '{"b": 1}', "{'b': None}", "undefined", "NULL")
    ]
    + [json.dumps({"tool": "tag", "id": 5, "name": "x", "more": text}) for text in ('["7"]', '["[]", "x"]', '[{"a": "None"}]')],
    "strings for all values of several calls": [
        body
        for rows in ([{"on": "true"}], [{"id": 1}, {"a": {"b": ["None"]}}])
        for calls in (
            [{"tool": "update_record", "id": "7", "fields": {}}, {"tool": "insert_rows", "table": "t", "rows": rows}],
            [{"tool": "insert_rows", "table": "t", "rows": rows}, {"tool": "tag", "id": "-1.5", "name": "x"}],
        )
        for body in (json.dumps(calls), "\n".join(map(json.dumps, calls)), json.dumps({"tool_calls": calls}))
    ],
    "dashes of prose before options": [
        f'{{"tool": "run", "command": "{text}",}}' for text in ("ls –la", "ls —all", "git commit —amend", "–v", "a | b –c d")
    ],
    "another spelling of all keys": [
        *_respelt(_camel), *_respelt(lambda name: name.replace("_", "-")), *_respelt(lambda name: name.replace("_", " ")),
        *_respelt(lambda name: name if name == "tool" else _camel(name)[:1].upper() + _camel(name)[1:]),
    ],
    "quotes of Markdown around a key in quotes": [
        body
        for key in ("'id'", '"id"', "“id”")
        for body in (
            f'{{"tool": "insert_rows", "table": "t", "rows": [{{`{key}`: 3}}]}}',
            f'{{"tool": "update_record", "id": 1, "fields": {{`{key}`: "x"}}}}',
            f"{{'tool': 'update_record', 'id': 1, 'fields': {{`{key}`: 'x'}}}}",
        )
    ]
    + [f"{{'tool': 'update_record', 'id': 1, 'fields': {{'{key}': 'x'}}}}" for key in ("`id`", "“id”")],
    "a line break behind three quotes": [
        f'{{"tool": "{tool}", "{field}": {mark}{end}import os{end}print(os.name){end}{mark}}}'
        for tool, field in (("find", "pattern"), ("find", "what"), ("add_note", "title"))
        for mark, end in product(('"""', "'''"), ("\n", "\r\n"))
    ],
    "no comma anywhere": _each(LISTED, lambda body: body.replace(",", "")),
    "colons of which some have a blank, and the others another sign": [
        re.sub(r'(\\?"):(?! )', rf"\1{sign}", json.dumps(call, separators=(",", ":")))
        for text in ('d = {"a": a, "b":b}', '{"a": [1], "b":2}')
        for call in _calls(text)
        for sign in ("=>", "=")
    ],
    "a closing brace behind its quote": [
        body.replace('}"', '"}') for text in ENDING_IN_A_BRACE for body in _written(text)
    ],
    "escapes in capitals": [
        body.replace("\\n", "\\N").replace("\\t", "\\T")
        for text in ("roses,\nred;\nsweet", "# A\n\nb\n", "f(x)\n- y", "A HEADING\nTEXT", "A\tB")
        for body in _written(text)
    ],
    "one backslash of two before a line break, and none before quotes": [
        re.sub(r'\\(["\\])', r"\1", json.dumps({"tool": "run", "command": command, "cwd": 'a "b"\nc'}, **layout))
        for command, layout in product(("tar -x \\\n  --to y", "a \\\n\t-b \\\n\t-c", "make \\\n"), DUMPS)
    ],
    "another sign before one quote of two": [
        json.dumps(call).replace('\\"', f'{sign}"', 1)
        for sign in "/|¦´`"
        for text in ('say "a" now', 'f("a", "b")', '"a"')
        for call in _calls(text)
    ],
    "a text printed as JSON and by Python, with an apostrophe in it": [
        repr(json.dumps({"tool": "run", "command": command, "cwd": "it's"}))[1:-1]
        for command in ("tar \\\n  x", "a\\b", "x \\\\ y\n\nz", "a\nb")
    ],
    "Caps Lock on a name and a text": [
        json.dumps({"tool": "cancel_event", **{change(key): value for key, value in fields.items()}})
        for fields in ({"event_id": "NORTH-2"}, {"event_id": "e1", "reason": "ALL OF IT"}, {"event_id": "c:\\DATA"})
        for change in (str.upper, lambda key: key.upper() if key == "event_id" else key)
    ],
}  # fmt: skip


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("settings", [{}, {"fixes": "lossless"}], ids=lambda settings: settings.get("fixes", "likely"))
@pytest.mark.parametrize("kind", DAMAGED)
def test_what_was_done_to_all_marks_of_a_block_was_done_to_its_texts(kind: str, settings: dict[str, Any], cases: Cases) -> None:
    guard = Guard(TOOLS, **settings)
    bodies = some(DAMAGED[kind], 40)
    assert bodies
    cases(len(bodies))
    ran = [body for body in bodies if any(getattr(item, "executable", False) for item in _blocks(guard, body))]
    assert not ran, (len(ran), len(bodies), ran[:5])


def _blocks(guard: Guard, body: str) -> list[Any]:
    return [*guard.scan(body)] if body.startswith("```") else [guard.check(body)]


def _honest() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield blocks whose writer chose the marks, each with its call."""
    for text in [*WITHOUT, *QUOTED]:
        for call in [*_calls(text)][:3]:
            yield repr(call), call  # Python chooses the quotes that a text lacks
    for text in WITHOUT:
        for call in _calls(text):
            for sign in ("=> ", " = ", "=>", " := "):
                if not re.search(r"\w = ", text):
                    yield _with_sign(sign)(json.dumps(call)), call
            if call["tool"] != "cancel_event" or "\n" not in text:
                yield json.dumps(call).replace("{", "[").replace("}", "]"), call
            single = {key: json.dumps(value)[1:-1].replace("'", "\\'") for key, value in call.items()}
            yield "{" + ", ".join(f"'{key}': '{value}'" for key, value in single.items()) + "}", call
            members = ", ".join(f"{key}='{value}'" for key, value in single.items() if key != "tool")
            yield f"{call['tool']}({members})", call
    for text in ('[ "$a" = "b" ] && x = 1', "a = {'b' => 1}", 'h = {"a": 1}', "x => x + 1", "std::move(x)"):
        for call in [*_calls(text)][:3]:
            members = ", ".join(f"{key}={json.dumps(value)}" for key, value in call.items() if key != "tool")
            yield f"{call['tool']}({members})", call  # arguments are assigned, and code has its own signs
            yield json.dumps(call).replace(f'"{(first := [*call][1])}":', f'"{first}" =', 1), call  # one colon is another
    for text in ("a[0] = b[1]", "if (a) { b(); }", "{x}", "[1, {2}]"):
        for call in [*_calls(text)][:3]:
            yield f"[{json.dumps(call)[1:-1]}]" if "{" in text else json.dumps(call)[:-1] + ",}", call
    for text in ("5¥ each", 'say "5¥" now', 'a "¥" b', "¥1000 or ₩5", "＼(^o^)／"):
        for call in [*_calls(text)][:3]:
            yield _with_bare_quotes(json.dumps(call, ensure_ascii=False))[:-1] + ",}", call
    for text in (r"<\/b> x", r"a\/b/c"):
        yield f'{{"tool": "add_note", "text": "{text}",}}', {"tool": "add_note", "text": text.replace("\\", "")}
    for text in PATTERNED[:3]:
        for call in [*_calls(text)][:1]:
            yield json.dumps(call)[:-1] + ",}", call
    for text in ('say "hi" to Ann\nand "so" on\n', 'x = "a"\n', "import os\nprint(os.name)\n"):
        yield (
            f'{{"tool": "save_file", "path": "a", "content": """{text}"""}}',
            {"tool": "save_file", "path": "a", "content": text},
        )
    for text in (
        "say “hi” now",
        "(“a”), “b”; “c”",
        "he said: “yes”",
        "“Hi”\n“Bye”",
        'use "a" or “b”',
        "5” pipe",
        "- “a”;\n- “b”.",
        "x – y —z",
    ):
        for call in [*_calls(text)][2:3]:
            yield json.dumps(call, ensure_ascii=False)[:-1] + ",}", call
    for fields in ({"name": "Ann"}, {"zip": "x1"}, {"on": True, "age": 4}, {"note": "none of it", "v": "1.0.2"}):
        call = {"tool": "update_record", "id": 7, "fields": fields}
        yield json.dumps({**call, "id": "7"}), call
    for name in ("7", "true", "None"):
        call = {"tool": "tag", "id": 5, "name": name}
        yield json.dumps({**call, "id": "5"}), call
    for rows in ([{"id": 3}], [{"user_id": 3, "userName": "x"}], [{"Content-Type": "x"}]):
        call = {"tool": "insert_rows", "table": "t", "rows": rows, "on_conflict": "fail"}
        yield json.dumps(call).replace("on_conflict", "onConflict"), call
    for text in ('{"a": "}"}\n', "[1, 2]", 'f("x")', "if (a) { b(); }"):
        for call in [*_calls(text)][:1]:
            yield f"```json\n{json.dumps(call).removesuffix('}')}\n```", call
    for command in ("echo 'a –b' – c", "say 5–6", "x — y"):
        yield (
            json.dumps({"tool": "run", "command": command}, ensure_ascii=False)[:-1] + ",}",
            {"tool": "run", "command": command},
        )
    for spelling, apostrophe in (
        ("&quot;", "'"),
        ("&#34;", "'"),
        ("&#34;", "&#39;"),
        ("&#x22;", "&#x27;"),
        ("&#034;", "&#039;"),
    ):
        for text in ("x = 1", "it's done", "f('a')"):
            for call in [*_calls(text)][:3]:
                yield json.dumps(call).replace("'", apostrophe).replace('"', spelling), call


HONEST = [*_honest()]


@pytest.mark.some(150)
@pytest.mark.promise("P7")
@pytest.mark.parametrize("at", range(len(HONEST)))
def test_a_block_whose_writer_chose_the_marks_runs(at: int) -> None:
    body, call = HONEST[at]
    block = next(item for item in _blocks(GUARD, body) if hasattr(item, "executable"))
    assert block.executable, (body, block.issues)
    assert block.arguments == call, body


@pytest.mark.promise("P7")
@pytest.mark.parametrize(
    ("quote", "other"),
    [("&quot;", "&#39;"), ("&#34;", "&#x27;"), ("&#34;", "&quot;"), ("&#34;", "&amp;"), ("&#x22;", "&apos;")],
)
def test_entities_of_two_writers_are_not_undone(quote: str, other: str) -> None:
    body = json.dumps({"tool": "add_note", "text": "it~s"}).replace('"', quote).replace("~", other)
    assert not GUARD.check(body).executable
