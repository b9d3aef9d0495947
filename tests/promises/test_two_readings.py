"""Blocks that read well and may mean something else: two conventions at once, a mark that moved, a piece that is lost.

Each kind stands beside blocks that look alike and mean one thing. Those run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some

S: Any = {"type": "string"}
N: Any = {"type": "number"}


def _tool(name: str, required: str, risk: Risk = Risk.WRITE, /, **fields: Any) -> Tool:
    schema = {"type": "object", "properties": fields, "required": required.split(), "additionalProperties": False}
    return Tool(name, "", schema, risk=risk)


def _list(of: Any) -> Any:
    return {"type": "array", "items": of}


_LINE: Any = {"type": "object", "properties": {"sku": S, "n": N}, "required": ["sku"], "additionalProperties": False}
TOOLS = Toolset(
    _tool("edit", "before after", before=S, after=S),
    _tool("turn_on", "device", device=S),
    _tool("plot", "title x", title=S, x=_list(N), y=_list(N)),
    _tool("mail", "to subject", to=_list(S), subject=S, body=S),
    _tool("order", "lines", lines=_list(_LINE)),
    _tool("scale", "service", service=S, max=N, env={"type": "object", "additionalProperties": S}),
    _tool("transfer", "to amount", Risk.DESTRUCTIVE, to=S, amount=N, memo=S),
    _tool("remove_path", "path", Risk.DESTRUCTIVE, path=S),
)
SETTINGS: list[dict[str, Any]] = [{}, {"fixes": "lossless"}]


def _edit(before: str, after: str) -> str:
    return f'{{"tool": "edit", "before": "{before}", "after": "{after}"}}'


ESCAPED = [
    r"sed 's/a\/b/c/'", r"split('\\')", r"print('a\\nb')", r"s.replace('\u200b', '')", r"printf('%c\n');", r"tr -d '\r'",
    r"C:\\temp", r"grep '\bfoo'",
]  # fmt: skip
"""Texts with an escape. Who escapes nothing meant them as they stand, and who escapes meant what JSON makes of them."""

LEFT = ['print("hi");', 'say "hi" now', 'x = "a"', "a = 1\nb = 2;", "a\tb"]
"""Texts that their writer did not escape."""

LITERALS = [r"s.replace('\\u200b', '')", r"a\\nb", r"a\nb", r"say \"hi\" now"]
WORDS = ["lamp", "call Ann", "src/a.txt", "Dear Ann, how are you?"]
MARGINS = ["  ", "    ", "\t"]
STRIPPED = [
    'print("i", i)n', 'Dear Ann,nnplease "do" it.nnBye', 'party ud83cudf89 "now"', 'x = "a";ny = "b";n',
    'for i in range(3):nn  x("i")', 'He said "no".nnThen he left', 'f("a")n  g("b")',
]  # fmt: skip
REPEATED = ['{"sku": "x", "n": 1}', '{"sku": "x"}', '{"sku": "a } b", "n": 2}']
GAPS = ["\n", " ", "\n    "]


def _moved(word: str, margin: str) -> list[str]:
    """Return blocks in lines, in which the quote of a text and the line break beside it changed places."""
    head = f'{{\n{margin}"tool": "edit",\n{margin}"before": '
    return [
        f'{head}"x",\n{margin}"after": "{word}\n"}}',
        f'{head}"{word}\n{margin}",\n{margin}"after": "x"\n}}',
        f'{head}"x",\n{margin}"after": "\n{margin}{word}"\n}}',
        f'{head}"\n{margin}{word}",\n{margin}"after": "x"\n}}',
        f'{{\n{margin}"tool": "turn_on",\n{margin}"device": "{word}\n"}}',
        f'{{\n{margin}"tool": "mail",\n{margin}"to": [\n{margin}{margin}"{word}\n{margin}"],\n{margin}"subject": "s"\n}}',
    ]


DOUBTED: dict[str, list[str]] = {
    "an escape in the same text as a quote or a line that is not escaped": [
        _edit("x", f"{left} {escaped}") for left, escaped in product(LEFT, ESCAPED)
    ],
    "an escape beside such a text": [_edit(*pair) for one, two in product(LEFT, ESCAPED) for pair in ((one, two), (two, one))],
    "arguments as JSON between marks that JSON does not have": [
        f'{{"name": "edit", "arguments": {mark}{{"before": "1", "after": "{text}"}}{mark}}}'
        for mark, text in product("'`", LITERALS)
        if mark == "`" or "'" not in text
    ],
    "a block that Python printed": [
        _edit(*pair) for text in (r"C:\\\\temp", r"a\\nb", r"a\\tb") for pair in ((r"don\'t", text), (text, r"it\'s"))
    ],
    "two strings that a point joins, between brackets that stood beside each other": [
        _edit("x", f'{left}({gap}".{gap}"){right}')
        for left, right, gap in product(("fn main", "a.run"), (" {", "", ";"), ("", " "))
    ],
    "a quote that changed places with a line break": [
        body for word, margin in product(WORDS, MARGINS) for body in _moved(word, margin)
    ],
    "a word with a line break": [
        body
        for word in ("lamp", "src/a.txt", "v1.2", "kitchen_lamp")
        for body in (_edit(f"{word}\n", "x"), _edit("x", f"\n{word}"), f'{{"tool": "turn_on", "device": "{word}\n"}}')
    ],
    "quotes in quotes of another kind": [
        f'{{"tool": "{tool}", "{field}": {mark}"{word}"{mark}}}'
        for tool, field in (("remove_path", "path"), ("turn_on", "device"))
        for mark, word in product("'`", ["/tmp/x", "lamp", "a b"])
    ],
    "backslashes that were lost on the way": [_edit("x", text) for text in STRIPPED],
    "two tokens that changed places": [f'{{"tool": "plot", "title": "t", "x": [{x}]}}' for x in ("3.52 ,", "1, 22 ,", "7 ,\n")],
    "a piece that is lost": [
        '{\n  "tool": "mail",\n  "to": ["a", "b", subject": "x",\n  "body": "y"\n}',
        '{"tool": "mail", "to": ["a", subject": "x", "body": "y"}',
        '{"tool": "plot", "title": "t", "x": [1,  "y": [-1]}',
        '{"tool": "mail", "to": ["a",   "subject": "x"}',
    ],
    "an object that was begun again": [
        f'{{"tool": "order", "lines": [{before}{item}{gap}{item}{behind}]}}'
        for item, gap, before, behind in product(REPEATED, GAPS, ["", '{"sku": "q"}, '], ["", ', {"sku": "r"}'])
    ],
    "a number that something takes for a text of an inner object": [
        '{\n  "tool": "scale",\n  "service": "api",\n  "env": {\n  "max": 5,\n    "A": "1"\n  }\n}',
        '{"tool": "scale", "service": "api", "env": {"A": "1", "max": 5}}',
        '{"tool": "scale", "service": "api", "env": {"A": "1", "max": 5},}',
    ],
    "a number without a comma, and something is taken away": [
        f'{{"tool": "transfer", "to": "B2", "amount": 1{gap}"memo": "m"}}' for gap in (" ", "\n", "  ", "")
    ]
    + [
        '[{"tool": "transfer", "to": "B2", "amount": 1 "memo": "m"}]',
        '{"name": "transfer", "arguments": {"to": "B2", "amount": 1 "memo": "m"}}',
    ],
    "a line break in a word": [
        _edit(*pair)
        for text in ("hall li\nght", "hall li\nlight", "the kit\nchen lamp", "please ca\nll me")
        for pair in (("x", text), (text, "x"))
    ],
    "a character that no text has": [
        _edit("x", f"one{chr(code)}two")
        for code in range(32)
        if code not in (9, 10, 12, 13)
    ]
    + [_edit("x", "$\x0crac{1}{2}$"), _edit("x", "a \x1b b"), _edit("\x00", "x")],
    "two lines that may have changed places": ['{\n"tool": "edit"\n  "before": "x",\n  "after": "y"\n}'],
    "blanks of another kind, in the texts too": [
        '{\u00a0"tool":\u00a0"edit",\u00a0"before":\u00a0"a\u00a0b",\u00a0"after":\u00a0"x"}',
    ],
    "items that were left out": [
        '{"tool": "mail", "to": ["a", "..."], "subject": "s" "body": "b"}',
        '{"tool": "mail", "to": ["a", "…"], "subject": "s",}',
    ],
    "a number between a typographic quote and a straight one": [
        '{"tool": "edit", "before": “10", "after": "x"}',
        '{"tool": "edit", "before": ”1.10", "after": "x"}',
    ],
    "a bracket that closes before the comma": [
        '{"tool": "scale", "service": "api", "env": {"A": "1",} "max": 3}',
        '{"tool": "mail", "to": ["a",] "subject": "s"}',
    ],
    "a bracket left over behind a comma": ['{"tool": "plot", "title": "t", "x": [1,]}}'],
    "lines of one length, with signs that may join strings": [
        '{"tool": "edit", "before": "x",     \n"after": "call Ann, and tell her, " +\n'
        '"that it is here, and then some " + \n"more of it"\n}',
        '{"tool": "edit", "before": "x",     \n"after": "call {Ann} and tell her " +\n'
        '"that it is here, and then some " + \n"more of it"\n}',
    ],
    "a line that begins with the blank between two words": [
        _edit("x", "call Ann\n again, and so on"), _edit("x", "Call Ann\n Again and so on"),
    ],
    "a quotation whose last quote was escaped twice": [
        r'{"tool": "edit", "before": "x" "after": "say \"hi\\"}', r'{"tool": "edit", "before": "x", "after": "say \"hi\\",}',
    ],
    "lines that end as mail programs wrap them": [
        _edit("call =\nAnn", "x"), _edit("one=\ntwo=\nthree", "x"), _edit("a =\n    b", "x"),
    ],
    "a tab that may be the next line's margin": [
        '{\n\t"tool": "edit",\n\t"before": "x\t",\n\t"after": "y"\n}',
        '{\n\t"tool": "edit",\n\t"before": "call Ann\t",\n\t"after": "y"\n}',
    ],
    "the line end of another system before the quote": [
        '{\n "tool": "edit",\n "before": "x y z\r\n",\n "after": "y"\n}',
        '{\n "tool": "edit",\n "before": "x = 1;\r\n",\n "after": "y"\n}',
    ],
}  # fmt: skip


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.get("fixes", "likely"))
@pytest.mark.parametrize(("kind", "body"), [(kind, body) for kind, bodies in DOUBTED.items() for body in bodies])
def test_what_may_mean_two_things_is_refused(kind: str, body: str, settings: dict[str, Any]) -> None:
    block = Guard(TOOLS, **settings).check(body)
    assert not block.executable, (kind, block.arguments)


MEANT: dict[str, dict[str, Any]] = {
    _edit("x", 'a = 1\nprint(\\"hi\\\\n\\")\n'): {"before": "x", "after": 'a = 1\nprint("hi\\n")\n'},
    _edit("x", "a = 1\n\tb = 2\n"): {"before": "x", "after": "a = 1\n\tb = 2\n"},
    _edit("x", "def f():\n    return 1\n"): {"before": "x", "after": "def f():\n    return 1\n"},
    _edit("    return 1\n", "x"): {"before": "    return 1\n", "after": "x"},
    _edit("x", 'say "hi" now'): {"before": "x", "after": 'say "hi" now'},
    _edit("x", r'print("hi")\nprint("b")\n'): {"before": "x", "after": 'print("hi")\nprint("b")\n'},
    _edit("a\nb", 'print("hi")'): {"before": "a\nb", "after": 'print("hi")'},
    _edit("x", "import os\nimport sys\\n"): {"before": "x", "after": "import os\nimport sys\n"},
    _edit("x", "page\x0c\nform\x0cfeed and \x1b[31mred\x1b[0m"): {
        "before": "x", "after": "page\x0c\nform\x0cfeed and \x1b[31mred\x1b[0m",
    },
    '{\n  "tool": "edit",\n  "before": "    return 1\n",\n  "after": "    x = 2\n    return x\n"\n}': {
        "before": "    return 1\n", "after": "    x = 2\n    return x\n",
    },
    '{\n  "tool": "edit",\n  "before": `call Ann\n`,\n  "after": `x\n`}': {"before": "call Ann\n", "after": "x\n"},
    "{'tool': 'edit', 'before': 'say \"hi\"', 'after': '\"a\" and \"b\"'}": {"before": 'say "hi"', "after": '"a" and "b"'},
    '{"tool": "mail", "to": ["a" ,\n], "subject": "s"}': {"to": ["a"], "subject": "s"},
    '{"tool": "plot", "title": "t", "x": [1, 2,]}': {"title": "t", "x": [1, 2]},
    '{"tool": "order", "lines": [{"sku": "x"}\n{"sku": "y"}]}': {"lines": [{"sku": "x"}, {"sku": "y"}]},
    '{"tool": "scale", "service": "api", "max": 3, "env": {"A": 5}}': {"service": "api", "max": 3, "env": {"A": "5"}},
    '{"tool": "transfer", "to": "B2" "amount": 1}': {"to": "B2", "amount": 1},
    '{"tool": "plot", "title": "t" "x": [1] "y": [2]}': {"title": "t", "x": [1], "y": [2]},
    '{\n  "tool": "edit"\n  before: "x",\n  "after": "y"\n}': {"before": "x", "after": "y"},
    '{"tool": "edit" "before": ("x\\n"\n "y"), "after": "z"}': {"before": "x\ny", "after": "z"},
    '{"tool": "edit"\n"before": "x", "after": "y"}': {"before": "x", "after": "y"},
    '{"tool": "edit" "before": "x", "after": "y",}': {"before": "x", "after": "y"},
    '{"tool": "edit" "before": "x", "after": "print(\'a\\n\')"}': {"before": "x", "after": "print('a\n')"},
    '{"tool": "edit", "before": "a\u00a0b", "after": "x",}': {"before": "a\u00a0b", "after": "x"},
    "{'tool': 'edit', 'before': 'say \"hi\" &quot;', 'after': 'x'}": {"before": 'say "hi" &quot;', "after": "x"},
    _edit("x", 'x = {"a": "b"}'): {"before": "x", "after": 'x = {"a": "b"}'},
    _edit("a = 1\nb = 2;\n", "a = 1\\n\nb = 2;\n"): {"before": "a = 1\nb = 2;\n", "after": "a = 1\n\nb = 2;\n"},
    '{“tool”: “edit”, "before": "x", "after": "say “hi” now"}': {"before": "x", "after": "say “hi” now"},
    "{'tool': 'edit', 'before': '\"\"a\"', 'after': 'x'}": {"before": '""a"', "after": "x"},
    '{"tool": "edit", "before": \'x\', "after": \'{\n"a": 1}\'}': {"before": "x", "after": '{\n"a": 1}'},
}  # fmt: skip
"""What a writer means so, and what it means."""


@pytest.mark.promise("P7")
@pytest.mark.parametrize("body", MEANT)
def test_what_means_one_thing_runs(body: str) -> None:
    block = Guard(TOOLS).check(body)
    assert block.executable, block.issues
    assert {name: value for name, value in (block.arguments or {}).items() if name != "tool"} == MEANT[body]


# Marks between two tokens, one of which crossed a quote. Each kind is made of calls of three toolsets.

_ITEM: Any = {"type": "object", "properties": {"name": S, "note": S}, "required": ["name"], "additionalProperties": False}
CHORES = Toolset(
    _tool("list_chores", "owner chores", Risk.DESTRUCTIVE, owner=S, chores=_list(_ITEM), title=S),
    _tool("remind", "who text", who=S, text=S, channel=S),
)
SHORT = ["home", "call Ann", "a b", "db-1", "go now", "f(x)", "3", "Łódź", "10.0.0.0/8", "src/a.txt", "x"]
MEMBERS: list[tuple[Toolset, str, list[str]]] = [
    (TOOLS, "edit", ["before", "after"]),
    (TOOLS, "transfer", ["to", "memo", "amount"]),
    (TOOLS, "turn_on", ["device"]),
    (FILE_TOOLS, "write_file", ["path", "content"]),
    (FILE_TOOLS, "edit_file", ["path", "old", "new"]),
    (FILE_TOOLS, "delete_file", ["path"]),
    (CHORES, "remind", ["who", "text", "channel"]),
    (CHORES, "list_chores", ["owner", "title", "chores"]),
]
OTHERS: dict[str, Any] = {"amount": 2.5, "chores": [{"name": "a", "note": "b"}]}
STYLES = [
    (" ", "", ", ", "}"),
    (" ", "\n  ", ",\n  ", "\n}"),
    (" ", "\n\t", ",\n\t", "\n}"),
    (" ", "\r\n  ", ",\r\n  ", "\r\n}"),
]
"""What stands behind a colon, before the first member, between two, and behind the last."""


def _calls(seeds: range, styles: list[tuple[str, str, str, str]]) -> Iterator[tuple[Toolset, list[tuple[str, str]], int, Any]]:
    """Yield calls as a list of members, with the place of one whose value is a short text, and a style."""
    for seed in seeds:
        rng = Random(seed)
        for (toolset, tool, fields), style in product(MEMBERS, styles):
            members = [("tool", json.dumps(tool))]
            members += [(field, json.dumps(OTHERS.get(field, rng.choice(SHORT)), ensure_ascii=False)) for field in fields]
            texts = [place for place, (key, _) in enumerate(members) if key not in OTHERS and place]
            yield toolset, members, rng.choice(texts), style


def _printed(members: list[str], style: tuple[str, str, str, str]) -> str:
    _, first, between, last = style
    return "{" + first + between.join(members) + last


def _crossed(seeds: range) -> Iterator[tuple[Toolset, str]]:
    """Yield blocks in which a mark or a blank of a junction that lacks another mark stands in the text beside it."""
    for toolset, members, place, style in _calls(seeds, STYLES):
        plain = [f'"{key}":{style[0]}{value}' for key, value in members]
        key, text = members[place][0], members[place][1][1:-1]
        starts = [
            f'"{key}:" {text}"',
            f'"{key}":: " {text}"',
            f'"{key}"::" {text}"',
            f'"{key}”:" {text}"',
            f'"{key}"=" {text}"',
        ]
        starts += [f'"{key}:"{mark}{text}"' for mark in ("'", "`", "”", ":", ",", "[", "' ", "”")]
        starts += [f'"{key}:" {mark}{text}"' for mark in ("'", "`", "”", "“")]
        for start in starts:
            yield toolset, _printed([*plain[:place], start, *plain[place + 1 :]], style)
        _, first, between, last = style
        lacking = f'"{key}":" {text}"'  # the blank is inside, and the comma before it is missing or stands there twice
        for comma in (between.replace(",", ""), between.replace(",", ",,")):
            head = between.join(plain[: place - 1]) + between if place > 1 else ""
            rest = "".join(between + member for member in plain[place + 1 :])
            yield toolset, "{" + first + head + plain[place - 1] + (comma or " ") + lacking + rest + last
        if place + 1 < len(members):
            after = f'{members[place + 1][0]}": {members[place + 1][1]}'
            for mark in ("'", "`", "”", ",", " "):
                end = f'"{key}": "{text}{mark}",{after}'
                yield toolset, _printed([*plain[:place], end, *plain[place + 2 :]], style)


def _turned(seeds: range) -> Iterator[tuple[Toolset, str]]:
    """Yield blocks in lines in which a quote and the line break beside it changed places; other marks may be missing."""
    for toolset, members, place, style in _calls(seeds, STYLES[1:]):
        plain = [f'"{key}": {value}' for key, value in members]
        _, first, between, _ = style
        line, indent = first.rstrip(" \t"), first.lstrip("\r\n")
        head = "{" + first + "".join(member + between for member in plain[:place])
        text, rest = plain[place][:-1], between.join(plain[place + 1 :])
        if rest:
            for after in (f'",{indent}', f'",{indent} ', f'"{indent}'):
                yield toolset, f"{head}{text}{line}{after}{rest}{line}}}"
            continue
        for behind in ('"', '"}', '",}', '"}}', '}"', ' }"'):
            yield toolset, f"{head}{text}{line}{behind}"
        for behind in (f'}}{line}"', f'}} {line}"', f'{line}}}{line}"'):
            yield toolset, f"{head}{text}{behind}"
        if line == "\r\n":
            yield toolset, f'{head}{text}\r"\n}}'
            yield toolset, f'{head}{text}\n"\r\n}}'


def _bracketed(seeds: range) -> Iterator[tuple[Toolset, str]]:
    """Yield blocks that end with a text that has a bracket too few, or too many, and have another number themselves."""
    for toolset, members, place, style in _calls(seeds, STYLES):
        if place + 1 < len(members):
            continue
        plain = [f'"{key}": {value}' for key, value in members]
        for opener, closer in ("()", "[]", "{}"):
            for raw in (f"a{opener}x", f"{opener}x", f"print{opener}a, b"):
                last = f'{plain[place].partition(":")[0]}: "{raw}"'
                body = _printed([*plain[:place], last], style)
                yield from ((toolset, body + mark) for mark in {closer, "}", "\n}", ")", "]"})
            body = _printed([*plain[:place], plain[place][:-1] + closer + " "], style)
            yield toolset, body[: body.rindex("}")].rstrip() + '"'


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.get("fixes", "likely"))
@pytest.mark.parametrize("made", [_crossed, _turned, _bracketed])
def test_a_mark_that_crossed_a_quote_never_becomes_text(made: Any, settings: dict[str, Any]) -> None:
    wrong = [body for toolset, body in some(made(range(3)), 400) if Guard(toolset, **settings).check(body).executable]
    assert not wrong, (len(wrong), wrong[:5])


# A name with a slip, in an open schema.

_OPEN: Any = {"type": "object", "properties": {"name": S, "role": S, "phone": S}, "required": ["name"]}
OPEN = Toolset(
    *(
        Tool(name, "", {"type": "object", "properties": fields, "required": [first]}, risk=risk)
        for name, first, risk, fields in [
            ("steer", "x", Risk.WRITE, {"x": N, "via": _list(N), "say": S, "tiers": _list(N)}),
            ("close", "who", Risk.DESTRUCTIVE, {"who": S, "all": {"type": "boolean"}, "confirmed": {"type": "boolean"}}),
            ("assign", "task", Risk.WRITE, {"task": S, "author": _OPEN, "timeout_s": N, "people": _list(_OPEN)}),
        ]
    )
)
SLIPS = [
    '"tool": "steer", "x": 1, "vai": [2]',
    '"tool": "steer", "x": 1, "says": "a"',
    '"tool": "steer", "x": 1, "teirs": [1]',
    '"tool": "close", "who": "a", "al": true',
    '"tool": "close", "who": "a", "confirme": true',
    '"tool": "assign", "task": "a", "functions.timeout_s": 3',
    '"tool": "assign", "task": "a", "atuhor": {"name": "b"}',
    '"tool": "assign", "task": "a", "author": {"name": "b", "rloe": "c"}',
    '"tool": "assign", "task": "a", "people": [{"name": "b", "phoen": "c"}]',
]
MENDED = ["{%s,}", "{{%s}}", "> {%s}", "{%s} // the call", "{'tool'%s", "{tool%s", '{tool"%s', "({%s});"]


def _slip(members: str, mended: str) -> str:
    return mended % (members if mended.count("%s}") else members.removeprefix('"tool"') + "}")


@pytest.mark.promise("P8")
@pytest.mark.parametrize("mended", MENDED)
@pytest.mark.parametrize("members", SLIPS)
def test_a_name_with_a_slip_in_a_block_that_was_mended_is_refused(members: str, mended: str) -> None:
    body = _slip(members, mended)
    assert not Guard(OPEN).check(body).executable


@pytest.mark.parametrize("members", SLIPS)
def test_the_same_name_is_a_member_where_the_block_is_valid(members: str) -> None:
    assert Guard(OPEN).check(f"{{{members}}}").executable


@pytest.mark.promise("P8")
def test_the_issue_asks_for_the_field_that_was_meant() -> None:
    block = Guard(OPEN).check('{"tool": "steer", "x": 1, "teirs": [1],}')
    assert [(issue.code, issue.field, issue.suggestion) for issue in block.issues][-1] == ("unknown_field", "teirs", "tiers")


@pytest.mark.parametrize("member", ['"colour": "red"', '"say": "a", "says": "b"', '"y": 2', '"unit": "m"'])
def test_a_member_of_an_open_schema_that_resembles_no_field_still_runs(member: str) -> None:
    assert Guard(OPEN).check(f'{{"tool": "steer", "x": 1, {member},}}').executable
