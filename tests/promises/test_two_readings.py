"""Blocks that read well and may mean something else: two conventions at once, a mark that moved, a piece that is lost.

Each kind stands beside blocks that look alike and mean one thing. Those run.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.proof import Cases
from tests.kit.ran import ran

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
    _tool("drop", "ids", Risk.DESTRUCTIVE, ids=_list({})),
)
SETTINGS: list[dict[str, Any]] = [{}, {"fixes": "lossless"}]


def _edit(before: str, after: str) -> str:
    return f'{{"tool": "edit", "before": "{before}", "after": "{after}"}}'


def _mail(text: str) -> str:
    return f'{{"tool": "mail", "to": [], "subject": "s", "body": "{text}"}}'


ESCAPED = [
    r"sed 's/a\/b/c/'", r"split('\\')", r"print('a\\nb')", r"s.replace('\u200b', '')", r"printf('%c\n');", r"tr -d '\r'",
    r"C:\\temp", r"grep '\bfoo'",
]  # fmt: skip
"""Texts with an escape. Who escapes nothing meant them as they stand, and who escapes meant what JSON makes of them."""

LEFT = ['print("hi");', 'say "hi" now', 'x = "a"', "a = 1\nb = 2;", "a\tb"]
"""Texts that their writer did not escape."""

NO_ESCAPES = [r"C:\Users", r"D:\Unix", r"C:\new\x", r"Ren\xe", r"C:\Use\xyz", r"D:\U12"]
DECODED = [r"\nina", r"\temp", r"\rows.csv", r"\build"]
"""What stands behind a backslash and is no escape in any language, and what is one beside it."""

HALF_ESCAPED = [
    r'alert("He said \"hi\"");', r'echo "a \"b\" c"', r'x = "\""', r'\"a\" and "b"', r'grep "\"id\": 1" a.json', r'"a\nb" \"',
    r"""print("it's \"so\"")""",
]  # fmt: skip
"""Texts with a quote behind a backslash, and one without. Between other marks than `"` neither needs one."""

_NUMBERS = [json.dumps(char)[1:-1] for char in "日本é"]
CUT_NUMBERS = [
    f"{number[:place]}{number[place + 1 :]}{rest}"
    for number, rest in product(_NUMBERS, (r"\5u672c", r"\d+", r" \pi \pm"))
    for place in range(2, 6)
]
"""A character's number that lost a figure, beside something else that is no escape."""

OPENED = ['""Hi"" Bob', '"" if a else b', '""(a', '""{ a', '""', '""it\'s']
CLOSED = ['say ""yes""', 'x = ""', 'a)""', 'a }""', '""', 'a\'s ""']
"""Texts that begin and end with two quotes of their own, which are not escaped: with the quotes around them they are three."""


def _across(one: str, other: str) -> list[str]:
    """Return blocks in which three quotes stand at the beginning of one text and at the end of another."""
    bodies = [
        f'{{"tool": "edit", "before": "{one}",\n "after": "{other}"}}',
        f'{{tool: "edit", before: "{one}",\n after: "{other}"}}',
        f'edit(before="{one}",\n after="{other}")',
        f'{{"tool": "order", "lines": [{{"sku": "{one}", "n": 1}},\n {{"sku": "{other}", "n": 2}}]}}',
        f'{{"tool": "order", "lines": [\n {{"n": 1, "sku": "{one}"}},\n {{"n": 2, "sku": "{other}"}}\n]}}',
        f'{{tool: "order", lines: [\n {{n: 1, sku: "{one}"}},\n {{n: 2, sku: "{other}"}}\n]}}',
        f'[{{"tool": "turn_on", "device": "{one}"}},\n {{"tool": "turn_on", "device": "{other}"}}]',
        f'{{"tool": "turn_on", "device": "{one}"}}\n{{"tool": "turn_on", "device": "{other}"}}',
        f'[{{"name": "turn_on", "input": {{"device": "{one}"}}}},\n {{"name": "turn_on", "input": {{"device": "{other}"}}}}]',
    ]
    return [*bodies, *(body.replace('"', "'") for body in bodies if "'" not in body)]


COLOURED = [
    "\x1b[31mred\x1b[0m", "form\x0cfeed and \x1b[31mred\x1b[0m\\n", "a \x1b[1m\x1b[4mb\x1b[m, c \x1b[0;32mok\x1b[0m.",
    "\x1b[38;5;196mStop.\x1b[0m\nNow.\n\x0c", "\tone\x1b[1mtwo\x1b[0mthree", "PASS\x0c\\n\x1b[92m7 of 7\x1b[0m",
]  # fmt: skip
NO_COLOURS = [
    "\x1b[31mred", "red\x1b[0m", "[31mred\x1b[0m", "\x1b[31mred[0m", "\x1b31mred\x1b[0m", "\x1b[0mred\x1b[31m",
    "\x1b[0mred\x1b[0m", "\x1b\x1b[31mred\x1b[0m", "\x1b[31mr\x1bed\x1b[0m", "\x1b[31mred\x1b[0m \x1b[32mgreen",
    "\x1b[31mred\x1b[0m \x1b[m",
    "\x1b[31mred\x1b[0m\x07", "\x00\x1b[31mred\x1b[0m", "\x1b[31mr\x08ed\x1b[0m", "\x1b[2J\x1b[31mred\x1b[0m", "page\x0ctwo",
    "$\x0crac{1}{2}$ \x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m \x0coot", "\x1b[31mred\x1b[0\x0cm", "\x1b[31mr\x0bed\x1b[0m",
]  # fmt: skip
"""Texts for a terminal, which end each colour that they begin; and texts in which a control character may have slipped in, or
one of theirs is lost."""

LITERALS = [r"s.replace('\\u200b', '')", r"a\\nb", r"a\nb", r"say \"hi\" now"]
WORDS = ["lamp", "call Ann", "src/a.txt", "Dear Ann, how are you?"]
MARGINS = ["  ", "    ", "\t"]
STRIPPED = [
    'print("i", i)n', 'Dear Ann,nnplease "do" it.nnBye', 'party ud83cudf89 "now"', 'x = "a";ny = "b";n',
    'for i in range(3):nn  x("i")', 'He said "no".nnThen he left', 'f("a")n  g("b")',
]  # fmt: skip
SPACED = [
    '{"tool": "scale", "service": "api", "max": 10~"env": {}}', '{"tool": "scale", "max": 1.5~"service": "api"}',
    "{'tool': 'scale', 'max': 1e3~'service': 'api'}", '{"tool": "order", "lines": [{"n": 1~"sku": "x"}]}',
    '{"name": "scale", "arguments": {"max": -5~"service": "api"}}', 'scale(max=5~service="api")',
]  # fmt: skip
"""Blocks in which a comma is missing behind a number."""

SLIPS = [
    r'if (a) ~{\n ~ x~(~\"~y~\"~)~;\n}', r"Dear ~(~Anna~)~,\n\nbye", r"take~ 5~0 mg~,~ or -~5\nNow",
    r"for (i = 0;~ i < ~n; i++) {\n  f(~i~)\n}", r"see https:~//~a.~b/~c\nand `b~`", r"x = [~1,~ 2~]\ny = a~.~b()",
    r"print('a~b')\nx = '<~b>'", r"cost: $~{x} \u00e9~t\u00e9\nend", r"to a+~b~c~@~d.~e\nor call", r"at 10:~30\nHi ~*all~* `a`",
]  # fmt: skip
"""Texts whose line breaks are escaped, and the places where another one, as it stands, ends no line."""


def _slipped(text: str) -> Iterator[str]:
    """Yield a text with a line break in one of its places, for each of them."""
    parts = text.split("~")
    for place in range(1, len(parts)):
        yield "".join(parts[:place]) + "\n" + "".join(parts[place:])


CODE = [
    '{\n  "a": 1\n}', '#include <a>\nint main() {\n  printf("x");\n}', '<p class="x">\n  <b>y</b>\n</p>', 'a = "b";\nc = 1;',
    'f("a")\n', 'if (a) {\n\treturn "b";\n}\n', '<ul>\n<li id="a">\n</li>\n</ul>', 'x = {\r\n  "a": [\r\n    1\r\n  ]\r\n}',
    'def f():\n    return "a"\n', 'const a = ["b",\n"c"];\nf(a)', 'foo("a");\n\n// b', 'import "a"\n\nbegin\n    b\nend',
    '\n- "a"\n- b', '<html lang="en">\n<head>',
]  # fmt: skip
"""Texts of which a block without backslashes has one line, and an `n` for each line break."""

UNQUOTED = [
    "x = f(1)\ny = g(2)\n", "function f() {\n  return x;\n}\n", "def f(a):\n    return 1\n", "- a\n- b\n",
    "<ul>\n  <li>x</li>\n</ul>\n", "* one\n* two", "1. one\n2. two\n", "if (a) {\n\tb();\n}", "a {\n  b: c;\n}",
    "x = 1;\ny = 2;\n", "Dear Ann,\n\nplease come.\n\nBye", "#include <a>\nint main() {\n}", "| a | b |\n| - | - |\n",
]  # fmt: skip
"""The same, without quotes of their own."""

ONE_LINE = [
    'x = "a"; n = 1; next()', '<b>name</b> and <i id="n">n</i>', 'f("n", n) + g(n)', 'O(2n) is "fast"', '{name: "a", n: [n]}',
    'say "hi" to Ann and Bob', 'a["n"] = (n)', 'Ann said "no". New day', '`n` or "n"', 'if (a) return "b" &amp;name',
]  # fmt: skip

BESIDE = [
    "Ann and Bob, in an inn", "x = n + 1", "f(n)", "[n, n1]", "- an item", "1. An end", "plan-b - then-c", "a | n | b",
    "| plan| n|", "if (a) return n;", "<b>n</b>", "print(i, end)", "now - then", "Ann - Bob - Ben", "n > 2 and n < 5", "#n",
    "n.",
]  # fmt: skip
"""Texts of one line, beside one whose quotes are not escaped."""

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


OTHER_MARKS = "'`”»"
VALUES = ["lamp", "Ann Lee", "db-1", "1204", "x > 2", "2nd room"]
ESCAPES = [r"one\ntwo", r"a\tb", r"grep \d+", r"\x41", r"\\n\t", r"say \"hi\""]
WRITTEN = {
    "Ruby": "{{'tool' => 'edit', 'before' => 'x', 'after' => '{}'}}",
    "Perl": "{{tool => 'turn_on', device => '{}'}}",
    "PHP": "['tool' => 'remove_path', 'path' => '{}']",
    "TOML": "{{ tool = 'turn_on', device = '{}' }}",
    "YAML": "{{tool: transfer, to: '{}', amount: 5}}",
    "YAML, its keys quoted": "{{'tool': turn_on, 'device': '{}'}}",
}
"""Objects of languages in which JSON's escapes are none between single quotes."""

EDGES = [",{}", " , {}", "{},", "{} , ", r"{},\n", r"\n,{}"]
"""Texts into which a comma slid that belongs between two members."""

UNOPENED = ["}a", "a}b", r"a}\n", r"a\n}\nb", "[x]] a", "a) } b"]
SIGNED = ["{0}init", "init{0}", "{0}{0}init{0}{0}", "a{0}{0}b", "a{0}b"]
"""Texts with a brace that they do not open; and with the sign that stands in place of the `_` of a name."""

ONE_BREAK = ["\n", "\r\n", "\r", "\n  ", "\n\t", "\n\n", " \n"]
SPLIT = ["la~mp", "12~045", "htt~p://x.y", "turn the la~mp off", "see you~at five", "call Ann,~and go"]
"""Ways to break a line, and texts with a place inside a word or a sentence."""

OF_ONE_LINE = [
    "Call Ann at 10:30 on 2024-01-02, room B-12.", "SELECT id, name FROM users WHERE id = 5",
    "ERROR 500: https://a.b/c?x=1&amp;y=2", "see 12.50 EUR or 100% of it", "mail c.d@e.org or call +32 475 12 34 56",
    'print(\\"hello, world\\")', "it's done, and we can't", "Milk, eggs and bread", "src/app/Main.java is broken",
    "fix(parser): handle EOF (#123)", "npm i -D @types/node@20.1.3", '\\"a\\", \\"b\\": [1, 2.5e10]', "x = f(a, b) + g('c')",
    "def f(a): return a * 2", "Mr. J. Doe, BE68 5390 0754", "Grüße aus Köln", "const x = y ? 1 : 0; // one",
    "3 GB, 10 km/h, 5 m², -4 °C and 2nd", "v1.2.3-beta.4+build.5",
    "a -> b", "AB12-CD34", "name: Ann, age: 5", "$x = $_GET['id'] ?? 0;",
    "use `a` or `b`", "x // 20", "| a | b |", "the 3rd of 4K, A4 and B2B",
]  # fmt: skip
"""Texts of one line, as they stand in JSON: between any two of their signs a line break slipped in."""

OF_TWO_LINES = [
    "Hello Ann,~Thank you for your mail.", "Line 1~Line 2", "line 1~line 2", "- milk~- eggs",
    "1. Milk~2. Call Ann", "Steps:~- milk",
    "Todo:~1. Milk", "import os~import sys", "a = 1~b = 2", "x = 1~print(x)", "# Title~Some text.",
    "Title~=====", "Title~---", "<p>Hi</p>~<p>You</p>", "SELECT * FROM users~WHERE id = 1", "SELECT *~FROM users", "A=1~B=2",
    "a: 1~b: 2", "Hi!~😀 see you", "See:~https://a.b/c", 'Bye.~\\"Quote\\"', "if (a) {~  b();", "return x;~}",
    "Best regards,~Ann", "Is it?~Yes.", "你好。~再见。", "Привет.~Пока.", "| a | b |~| - | - |", "f();~g();",
    "const a = 1;~const b = 2;", "Total: 5~Paid: 3", "// one~// two", "    x = 1~    y",
    " 'a': 1,~ 'b': 2,", "Ärger.~Über alles.", "One.  ~Two.", "feat: add x~~It adds x.",
]  # fmt: skip
"""Texts of two lines, neither of which is escaped."""

STATEMENTS = [
    "def f(a):\n    return has(a)\n",
    "x = field.get(1)\ny = min(x)\n",
    "Milk.\nBread.\n",
    "<a>\n  b\n</a>\n",
    "- a\n- b",
]
"""Texts without an empty line, whose line breaks are escaped."""

BEGUN = ["EU-0~012", "An~n", "kit~chen lamp", "user~-7", "12~345", "https:~//x.y/z", "SEL~ECT 1"]
AGAIN = [
    "{0}\n{0}{1}", "{0}```json\n{0}{1}", "{0}...\n{0}{1}", "{0}\nSorry, once more.\n{0}{1}", "{0}\n[goes on]\n{1}",
    "{0}\n\nMore:\n\n{1}",
]  # fmt: skip
"""Texts with a place where they are cut; and ways to begin them again behind it, or to go on."""

WRAPPED = [
    r"Dear Ann,\nwe thank~you for the book~that you sent.", r"one thing~that is long\nand one~more of them",
    r"a = 1\nsee the notes~of last week,~and these\nb = 2",
]  # fmt: skip
"""Texts whose line breaks are escaped, and places inside their sentences."""

REPLAYED = [r"a \"b\" c", r"\"Q\" Ltd", r"x = \"1\"\ny = 2", r"say: \"yes\", or \"no\"."]
SENTENCE = "we wrote to all of them that it is well and then she left the town with nobody at all"
FILES = ["a: 1\nb: 2\n", "def f():\n    return 1\n", "One.\nTwo.\n\nThree.", "<p>\n</p>"]

LOST: dict[str, dict[str, Any]] = {
    "edit": {"before": "a", "after": "b"},
    "transfer": {"to": "B2", "memo": "m", "amount": 5},
    "mail": {"to": ["a"], "subject": "s", "body": "b"},
    "plot": {"title": "t", "x": [1], "y": [2]},
    "scale": {"service": "api", "max": 3, "env": {"A": "1"}},
}
"""Calls with all their fields."""


def _without_a_pair(colons: str) -> Iterator[str]:
    """Yield blocks that lost one piece, from behind a colon to before the next one: a value and the key behind it."""
    items = '{"tool": "order", "lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}]}'
    yield items.replace('"a", "n": ', "", 1).replace(": 1", f"{colons}1", 1)
    yield items.replace('1}, {"sku": ', "", 1).replace('"n": ', f'"n"{colons}', 1)
    for tool, fields in LOST.items():
        for (one, value), (other, _) in pairwise(fields.items()):
            piece = f"{json.dumps(one)}: {json.dumps(value)}, {json.dumps(other)}: "
            yield json.dumps({"tool": tool, **fields}).replace(piece, f"{json.dumps(one)}{colons}")


def _without_items(indent: int) -> Iterator[str]:
    """Yield blocks in lines that lost one piece, which holds items of a list and its bracket, and not all of a line."""
    for tool, field, fields in (
        ("mail", "subject", {"to": ["a", "b", "c"], "subject": "s", "body": "b"}),
        ("plot", "y", {"title": "t", "x": [1, 2, 3], "y": [4]}),
    ):
        body = json.dumps({"tool": tool, **fields}, indent=indent)
        key = body.index(f'"{field}"')
        item = body.index("[") + 1
        for _ in range(2):
            item = body.index(",", item) + 1
            yield from (body[: item + blanks] + body[key:] for blanks in range(3 * indent) if blanks != 1 + indent)


def _moved_comma(text: str) -> Iterator[str]:
    """Yield blocks in which a comma between two members stands in the text before it."""
    for place in range(1, 4):
        moved = f"{text[:-place]},{text[-place:]}"
        yield f'{{"tool": "edit", "before": "{moved}" "after": "x"}}'
        yield f'{{\n  "tool": "transfer",\n  "to": "{moved}"\n  "amount": 5\n}}'


def _joined_lines(indent: int) -> Iterator[str]:
    """Yield blocks in lines of which two became one: what stood between them is lost, with the comma."""
    for tool, fields in LOST.items():
        body = json.dumps({"tool": tool, **fields}, indent=indent)
        for found in re.finditer(rf",\n {{{indent}}}(?=\")", body):
            yield f"{body[: found.start()]} {body[found.end() :]}"


def _lost_behind_a_comma(indent: int) -> Iterator[str]:
    """Yield blocks in lines that lost one behind a comma, and a part of the indent of the bracket that follows, or more."""
    for tool, fields in LOST.items():
        body = json.dumps({"tool": tool, **fields}, indent=indent)
        for found in re.finditer(r"(?<=[\w\"])\n( *)(?=[}\]])", body):
            for blanks in {0, 1, 3, 2 * indent, 3 * indent} - {len(found[1])}:
                yield f"{body[: found.start()]},\n{' ' * blanks}{body[found.end() :]}"


def _two_drafts(indent: int) -> Iterator[str]:
    """Yield blocks that go on as another draft of the call, which has other indents and stands in an envelope."""
    for tool, fields in LOST.items():
        lines = json.dumps({"tool": tool, **fields}, indent=indent).splitlines()
        other = [f"  {line}" for line in json.dumps({"tool": tool, **fields}, indent=indent).splitlines()]
        one_line = json.dumps({"tool": tool, **fields})
        for place, line in enumerate(lines):
            if line.startswith(" " * indent + '"') and place > 1:
                yield "\n".join([*lines[:place], *other[place:], "}"])
                if line.strip() in one_line and one_line.index(line.strip()) > one_line.index(",") + 2:
                    yield one_line[: one_line.index(line.strip())].rstrip() + "\n" + "\n".join([*other[place:], "}"])


NAMES = ["Front~Gate", "Conference~Room Blue", "Main Street 12,~Ghent", "Jane~Doe", "The Green~Dragon,~14 High Street"]
HANGING = ["We meet in Room Blue on Monday,~Jane brings the keys.", "Please call~Bob at noon", "Ask Bob for~the keys,~Ann too"]
"""Names and sentences, and where they are broken."""

BEHIND_A_COMMA = [
    "Pay 5 EUR,~then go",
    r"He said \"no\",~then left.",
    "cost 5,~000",
    "use (a),~then b",
    "use [1,~2]",
    "he paid,~then left",
]

RESUMED = [
    r"set -e\nrm -rf bu~ild/tmp\necho done\n", r"DELETE FROM t\nW~HERE id = 5\n", r"x = 1\ny = ba~r(x)\n",
    r"a \\frac \\n~eq b\nc\n",
]  # fmt: skip
PIECES = ["Wait, let me redo that.", "[stream resumed]", "...", "continued:"]
"""Texts whose line breaks are escaped, and a place inside a word; and what stands between raw ones in a stream that goes on."""

LATE = [("rm -r build", "lamp"), ("Ann Lee", "x > 2")]
LOOPED = [r"say \"a\"\n", r"^\\s*\"(x|[^\"])*\"$", "call Ann", r"print(f\"{x!r}\\n\")\n"]
"""Pairs of texts, of which the end of the first moves; and texts whose end is written again."""


def _late(separator: str) -> Iterator[str]:
    """Yield members without quotes around their keys, in which the end of one text moved into the next one, or behind it."""
    for (one, other), mark in product(LATE, "'\""):
        rest = f"body{separator}{mark}{other}{mark}, "
        for end in (f"{mark},", f"{mark}, ", f", {mark}"):
            for gap, at in product(("", " "), range(len(f"body{separator}{mark}"), len(rest) + 1)):
                yield f"subject{separator}{mark}{one}{gap}{rest[:at]}{end}{rest[at:]}to{separator}[{mark}a{mark}]"


def _looped() -> Iterator[str]:
    """Yield blocks in which the end of a text is written again, with the quote behind it or up to the bracket there."""
    for text in LOOPED:
        for behind in ('"', '", ', '"}', '"}]'):
            for length in range(3, 9):
                again = text[-length:]
                yield _edit(f"{text}{behind}{again}", "x")
                yield f'{{"tool": "order", "lines": [{{"n": 1, "sku": "{text}{behind}{again}"}}]}}'
        for behind in ('"}', '"}]', '"]', '" }'):
            yield _edit(f"{text}{behind}", "x")
            yield f'{{"tool": "order", "lines": [{{"sku": "{text}{behind}", "n": 1}}]}}'


BACKTICKS = [("``", "``"), ("```", "```"), ("````", "````"), ("```", "`"), ("`", "```")]
FENCED = ["x = 1", "\nx = 1\n", "\n\nx = 1\n", "python\nx = 1\n", "\nDear Ann,\nyou `may` go.\n", "\nconst a = `b`;\n"]
"""What stands between the marks of Markdown, the word for its language included."""

PATTERNS = [r"\d+\s*", r"\d+", r"^\w+\.$", r"a\(b\|c\)\{2\}", r"C:\Users\Ann", r"\alpha + \mu"]
LONE = [r"\n", r"\n\n", r"\t", r"b\n", r"b\t", r"1\t2", r" \n ", r"\n- ", r"- \n"]
"""Texts with backslashes that escape nothing; and what may take the place of what a pattern finds: a line break, or two."""

CALLED = [r're.sub("\\s", "", x)', r'print("a\\d")', r'x = "\u00e9"', r'f("a\/b")']
"""Texts whose quotes are not escaped, with an escape."""

SLASHES = [
    'print("hi")\n',
    'say "hi" to "bob"',
    '["a", "b"]',
    '<p class="x">hi</p>',
    '{"k": "v"}',
    '"Hi" she said',
    'it\'s "so"',
]

DOUBTED: dict[str, list[str]] = {
    "quotes that the wrong slash escapes": [
        edit
        for text in SLASHES
        for raw in (json.dumps(text)[1:-1].replace("\\", "/"),)
        for edit in (_edit("x", raw), _edit(raw, "a\\nb"), f"{{'tool': 'edit', 'before': 'x', 'after': \"{raw}\"}}")
    ],
    "a line break that slipped into a text of one line": [
        f'{{"tool": "mail", "to": [], "subject": "s", "body": "{text[:place]}\n{text[place:]}"}}'
        for text in OF_ONE_LINE
        for place in range(1, len(text))
        if text[place - 1] != "\\"
    ],
    "a line break before a text of one line": [
        body
        for text in ("New York", "{x}", "call Ann", "a, b; c", "x = 1;")
        for body in (_edit(f"\n{text}", "x"), f'{{"tool": "turn_on", "device": "\n{text}"}}')
    ],
    "a line break in a text of a mail that was encoded": [
        f'{{"tool": "mail", "to": [], "subject": "s", "body": "{text}"}}'
        for text in ("a=3Db&c==\n3Dd", "a=3Db&\nc=3Dd", "x =\n= 1")
    ],
    "a line break that makes an empty line, where all others are escaped": [
        edit
        for text in STATEMENTS
        for raw in (json.dumps(text)[1:-1],)
        for found in re.finditer(r"\\n", raw)
        for place in found.span()
        for slip in (f"{raw[:place]}\n{raw[place:]}",)
        for edit in (_edit("x", slip), _edit(slip, "a\\nb"))
    ]
    + [_edit("x", text) for text in ("Hi Ann,\n\\nbye", "return x\n\\n")],
    "a line break in an indent or before the rest of a name, where all others are escaped": [
        _edit("x", f"{raw[:place]}\n{raw[place:]}")
        for text in STATEMENTS[:2]
        for raw in (json.dumps(text)[1:-1],)
        for found in re.finditer(r"\w+\(| {4}", raw)
        for place in range(found.start() + 1, found.end() - 1)
    ],
    "a line break or a tab alone, beside backslashes that escape nothing": [
        body
        for pattern, lone in product(PATTERNS, LONE)
        for one, other in ((pattern, lone), (lone, pattern))
        for body in (
            _edit(one, other),
            f"{{'tool': 'edit', 'before': '{one}', 'after': '{other}'}}",
            f'[{{"tool": "edit", "before": "{one}", "after": "x"}}, {{"tool": "edit", "before": "x", "after": "{other}"}}]',
        )
    ],
    "a line break alone, beside an escape in a text whose quotes are not escaped": [
        _edit(*pair) for text, lone in product(CALLED, [*LONE, "y"]) for pair in ((text, lone), (lone, text))
    ],
    "a text between Markdown's marks of code": [
        body
        for text, (begins, ends) in product(FENCED, BACKTICKS)
        for value in (f"{begins}{text}{ends}",)
        for body in (
            f'{{"tool": "edit", "before": "x", "after": {value}}}',
            f'{{"tool": "edit", "before": {value}, "after": {value}}}',
            f"{{tool: `edit`, before: {value}, after: `x`}}",
            f"edit(before='x', after={value})",
            f'{{"name": "edit", "arguments": {{"before": {value}, "after": "x"}}}}',
        )
    ],
    "a word that is cut by a piece between raw line breaks, where the others are escaped": [
        f'{{"tool": "mail", "to": ["a"], "subject": "s", "body": "{text.replace("~", gap + piece + gap)}"}}'
        for text, piece, gap in product(RESUMED, PIECES, ("\n", "\n\n"))
    ],
    "a text that takes in the next member, where the keys have no quotes": [
        *(f"mail({members})" for members in _late("=")),
        *(f'{{tool: "mail", {members}}}' for members in _late(": ")),
    ],
    "numbers of characters of which some lost their backslash": [
        body
        for text in (r"f\u00fcr Mu00fcller", r"u041e\u043d \u0441u043a", r"\u0441u043a", r"\ud83c ud83cudf89", r"\u00e9 u2019s")
        for body in (
            f'{{"tool": "edit", "before": "x", "after": "{text}",}}',
            f'{{tool: "edit", before: "{text}", after: "x"}}',
            f'{{"tool": "edit", "before": "{text}", "after": "say "hi" now\\n"}}',
        )
    ],
    "the end of a text that is written again": list(_looped()),
    "two lines that became one": [body for indent in (2, 4) for body in _joined_lines(indent)],
    "a line that is lost behind a comma": [body for indent in (2, 4) for body in _lost_behind_a_comma(indent)],
    "two drafts with other indents": [body for indent in (2, 4) for body in _two_drafts(indent)],
    "a comma that moved over the quote before a bracket": [
        body
        for text in ("a@x.c,om", "short note,.", "f(a,)", "one,two")
        for body in (
            f'{{"tool": "mail", "to": ["{text}"] "subject": "s", "body": "b"}}',
            f'{{"tool": "order", "lines": [{{"n": 1, "sku": "{text}"}} {{"n": 2, "sku": "x"}}]}}',
        )
    ],
    "a value and the key behind it that are lost": [
        body for colons in ("::", ": :", ":: ") for body in _without_a_pair(colons)
    ],
    "items that are lost with the bracket behind them": [body for indent in (2, 4) for body in _without_items(indent)],
    "a number whose last figure is a comma": [
        body
        for number in ("1234.5", "12", "-3", "1e1", "0")
        for body in (
            f'{{"tool": "scale", "max": {number},, "service": "api"}}',
            f'{{"tool": "transfer", "amount": {number},, "to": "B2"}}',
            f'{{"tool": "order", "lines": [{{"n": {number},, "sku": "x"}}]}}',
        )
    ],
    "a comma that moved into the text before it": [
        body for text in ("ACC-001", "hall lamp", "a b c", "src/a.txt", "1.2.3.4") for body in _moved_comma(text)
    ],
    "a point or a comma that moved behind the call": [
        f"{{{members}}}{mark}"
        for members, marks in (
            ('"tool": "turn_on", "device": "35"', ".,"),
            ('"tool": "remove_path", "path": "10"', ".,"),
            ('"tool": "transfer", "to": "B2", "amount": 9999', "."),
            ('"tool": "scale", "service": "api", "max": -15', "."),
        )
        for mark in marks
    ],
    "a name that was wrapped with a hanging indent": [
        body
        for name, margin in product(NAMES, ("  ", "    ", "\t"))
        for text in (name.replace("~", f"\n{margin}"),)
        for body in (
            f'{{"tool": "turn_on",\n{margin}"device": "{text}"}}',
            f'{{"tool": "turn_on", "device": "{text}"}}',
            f'{{\n{margin}"tool": "scale",\n{margin}"service": "{text}",\n{margin}"max": 5\n}}',
        )
    ],
    "a sentence that was wrapped with the margin of the block": [
        f'{{\n{margin}"tool": "mail",\n{margin}"to": [],\n{margin}"subject": "s",\n{margin}"body": "{text}"\n}}'
        for sentence, margin in product(HANGING, ("  ", "    ", "\t"))
        for text in (sentence.replace("~", f"\n{margin}"),)
    ],
    "the only line break of a text behind a comma": [
        f'{{"tool": "mail", "to": ["a"], "subject": "s", "body": "{text}"}}'
        for one in BEHIND_A_COMMA
        for text in (one.replace("~", "\n"),)
    ],
    "a line break of any kind inside a word or a sentence": [
        edit
        for text, one in product(SPLIT, ONE_BREAK)
        for cut in (text.replace("~", one),)
        for edit in (_edit(cut, "x"), _edit("x", cut))
    ],
    "a text that was cut, and begun again or continued in a line behind it": [
        body
        for text, way in product(BEGUN, AGAIN)
        for again in (way.format(*text.split("~")),)
        for body in (_edit(again, "x"), f'{{"tool": "turn_on", "device": "{again}"}}')
    ],
    "several line breaks inside sentences, where the others are escaped": [
        edit for text in WRAPPED for cut in (text.replace("~", "\n"),) for edit in (_edit(cut, "x"), _edit("x", cut))
    ],
    "a text that was begun again at one of its quotes": [
        edit
        for text in REPLAYED
        for found in re.finditer(r'\\"', text)
        for end in range(found.end() + 1, min(len(text), found.end() + 12))
        if text[end - 1] != "\\"
        for again in (text[:end] + text[found.end() - 1 :],)
        for edit in (_edit(again, "x"), _edit("x", again))
    ]
    + [_edit(f'{mark}"{text}', "x") for text in REPLAYED for mark in (": ", ", ", ":")],
    "a hanging indent": [
        ("\n" + margin).join(textwrap.wrap(_edit("x", SENTENCE), width))
        for margin, width in product(("  ", "\t"), (40, 47, 60, 76))
    ],
    "a margin before every line, those of the texts too": [
        textwrap.indent(body, margin)
        for text, margin in product(FILES, ("  ", "\t"))
        for body in (_edit("x", text), f'{{\n  "tool": "edit",\n  "before": "{text}",\n  "after": "x"\n}}')
    ],
    "two texts whose quotes became another mark, with the members between them": [
        body
        for mark, one, other in product(OTHER_MARKS, VALUES, VALUES)
        for body in (
            f'{{"tool": "edit", "before": {mark}{one}", "after": "{other}{mark}}}',
            f'{{"tool": "transfer", "to": {mark}{one}", "memo": "{other}{mark}, "amount": 5}}',
            f'{{"tool": "edit", "before": "{one}{mark}, "after{mark}: "{other}",}}',
            f'{{"tool": "order", "lines": [{{"sku": {mark}{one}"}}, {{"sku": "{other}{mark}}}]}}',
        )
    ],
    "an escape between the single quotes of another language": [
        body.format(text) for body, text in product(WRITTEN.values(), ESCAPES)
    ],
    "a text over lines in YAML, which joins them": [
        f"{{tool: edit, before: {mark}x{mark}, after: {mark}{text}{mark}}}"
        for mark in "'\""
        for text in ("One.\nTwo.", "One.\n\n  Two.", "a:\n  - b\n")
    ],
    "a comma that is missing between two members, and stands at the edge of a text": [
        body
        for edge, value in product(EDGES, VALUES)
        for text in (edge.format(value),)
        for body in (
            f'{{"tool": "edit", "before": "{text}" "after": "x"}}',
            f'{{"tool": "edit", "before": "x" "after": "{text}"}}',
            f'{{"tool": "remove_path" "path": "{text}"}}',
            f'{{"tool": "transfer" "to": "B2", "amount": 5, "memo": "{text}"}}',
        )
    ],
    "a sign of a name that became another one, and a text that begins, ends or stands apart by it": [
        f'{{"tool": "remove{sign}path", "path": "{text.format(sign)}"}}' for sign, text in product(" -.", SIGNED)
    ]
    + [f'{{"tool": "turn{sign}on", "device": "{text.format(sign)}"}}' for sign, text in product(" -.", SIGNED[:3])],
    "blanks that all became another one": [
        body.replace(" ", blank)
        for blank in "\u2009\u3000\u202f\u2003\u2007\u200b\u2002\u205f\u00a0"
        for body in (
            '{"tool": "remove_path", "path": "Ann Lee"}',
            '{"tool": "edit", "before": "x", "after": "a b"}',
            '{ "tool": "transfer", "to": "DE89 3704", "amount": 5 }',
        )
    ],
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
    "an escape beside one that no language has": [
        body
        for before, behind in product(NO_ESCAPES, DECODED)
        for body in (
            f"{{'tool': 'edit', 'before': 'x', 'after': 'dir {before}{behind}'}}",
            f"edit(before='x', after='dir {before}{behind}')",
            f"{{'tool': 'edit', 'before': '{before}', 'after': 'one{behind}'}}",
            f"{{'tool': 'turn_on', 'device': 'dir {before}{behind}'}}",
        )
    ],
    "quotes of which some are escaped, and none needs it": [
        body
        for text, mark in product(HALF_ESCAPED, ("'", "`", "'''", '"""'))
        if len(mark) == 3 or mark not in text
        for body in (
            f'{{"tool": "edit", "before": "x", "after": {mark}{text}{mark}}}',
            f'{{"tool": "edit", "before": {mark}{text}{mark}, "after": "a\nb"}}',
            f"{{'tool': 'turn_on', 'device': {mark}{text}{mark}}}",
            f"edit(before='x', after={mark}{text}{mark})",
        )
    ],
    "three quotes that open in one text and close in another": [
        body for one, other in product(OPENED, CLOSED) for body in _across(one, other)
    ],
    "a character that was cut": [
        edit for text in CUT_NUMBERS for edit in (_edit("x", text), f"{{'tool': 'edit', 'before': 'x', 'after': '{text}'}}")
    ],
    "quotes in quotes of another kind": [
        f'{{"tool": "{tool}", "{field}": {mark}"{word}"{mark}}}'
        for tool, field in (("remove_path", "path"), ("turn_on", "device"))
        for mark, word in product("'`", ["/tmp/x", "lamp", "a b"])
    ],
    "backslashes that were lost on the way": [_edit("x", text) for text in STRIPPED]
    + [
        edit
        for text in CODE
        for raw in (json.dumps(text)[1:-1].replace("\\", ""),)
        for edit in (_edit("x", raw), _edit('say "hi" now', raw), _edit(raw, 'f("a")'))
    ],
    "backslashes that were lost on the way, and the quotes stand in another text": [
        edit
        for text in UNQUOTED
        for raw in (json.dumps(text)[1:-1].replace("\\", ""),)
        for edit in (_edit('say "hi" now', raw), _edit(raw, 'x = "a"'), _edit(raw, '<p class="x">y</p>'))
    ],
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
        for text in ("hall li\nght", "hall li\nlight", "the kit\nchen lamp", "please ca\nll me", "take 5\n0 mg", "to an-\nna")
        for pair in (("x", text), (text, "x"))
    ],
    "a number with blanks behind it where a comma is missing": [
        body.replace("~", gap)
        for body, gap in product(SPACED, ("  ", "     ", "\t", " \t", "  \n  ", " \n  ", " \r\n", "\u00a0 ", "  // ok\n"))
    ],
    "the only line break that is not escaped, where no line ends": [
        edit
        for text in SLIPS
        for slip in _slipped(text)
        for edit in (_edit("x", slip), _edit(slip, r"one\ntwo"), _edit(slip.replace(r"\n", " "), r"one\ntwo"))
    ],
    "a character that no text has": [
        _edit("x", f"one{chr(code)}two")
        for code in range(32)
        if code not in (9, 10, 13)
    ]
    + [_edit("x", text) for text in ("$\x0crac{1}{2}$", "a \x1b b", "\x00", "\x1b[31mred\x1b[0m", "one\n\x0c\ntwo\n")]
    + [f'{{"tool": "turn_on", "device": "{text}"}}' for text in ("front\x0c", "\x1b[0mfront", "\x1b[31mfront\x1b[0m")]
    + [_mail(text) for text in NO_COLOURS],
    "a tab in a word or a number of a text of one line": [
        body
        for text in ("fr\tont", "the kit\tchen lamp", "12\t045", "ERR\tOR 500", "grü\tße")
        for body in (_edit("x", text), f'{{"tool": "turn_on", "device": "{text}"}}')
    ],
    "an item that may be lost behind a comma, and something is taken away": [
        body
        for gap, item in product((" ", "  ", "\t"), ("15", '"a"', '{"name": "a"}'))
        for body in (
            f'{{"tool": "drop", "ids": [{item},{gap}]}}',
            f'{{"tool": "drop", "ids": [1, {item},{gap}]}}',
            f"drop(ids=[{item},{gap}])",
        )
    ],
    "the numbers of characters that lost their backslashes with all others": [
        _edit(*pair)
        for text in ("u003cbu003ex", "itu0027s", "xu0041y", "au0026b", "u00e9t")
        for pair in ((text, 'say "do" it'), ('say "do" it', text))
    ],
    "an item that stood in a line with a sign that nobody sees": [
        f'{{"tool": "plot", "title": "t", "x": [1,\n{blank}\n]}}' for blank in ("\u200b", " \u200b", "\u2060 ", "\ufeff")
    ],
    "a figure and a comma that changed places": [
        f'{{"tool": "plot", "title": "t", "x": [{items}]}}' for items in ("1\n,", "12\n,\n", "1, 22\n,")
    ],
    "two lines that may have changed places": ['{\n"tool": "edit"\n  "before": "x",\n  "after": "y"\n}'],
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


@pytest.mark.some
@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.get("fixes", "likely"))
@pytest.mark.parametrize("kind", DOUBTED)
def test_what_may_mean_two_things_is_refused(kind: str, settings: dict[str, Any], cases: Cases) -> None:
    guard = Guard(TOOLS, **settings)
    bodies = some(DOUBTED[kind], 8)
    cases(len(bodies))
    ran_all_the_same = [body for body in bodies if guard.check(body).executable]
    assert not ran_all_the_same, (len(ran_all_the_same), ran_all_the_same[:5])


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("around", ["[mail({})]", "<function_calls>mail({})</function_calls>"])
def test_a_text_never_takes_in_the_next_argument_of_a_call_as_python_writes_it(around: str) -> None:
    guard = Guard(TOOLS, dialects="all")
    ends = [members for members in _late("=") if ran(guard.scan([around.format(members) + "\n"]))]
    assert not ends
    for members in ("to=['a'], subject=\"y = 'a'\"", "to=['a'], subject='say 'hi' now'"):
        assert ran(guard.scan([around.format(members) + "\n"])), members


@pytest.mark.promise("P8")
@pytest.mark.parametrize("text", ["f({})", "see {a} now", *UNOPENED])
@pytest.mark.parametrize(
    "body",
    [
        '{"tool": "edit", "before": "~", "after": "x"',
        '{"tool": "edit", "before": "x", "after": "~"',
        '{"tool": "mail", "to": ["~"], "subject": "x"',
        '{"tool": "remove_path", "path": "~"',
    ],
)
def test_a_brace_that_is_missing_may_stand_in_a_text_that_does_not_open_it(body: str, text: str) -> None:
    body = body.replace("~", text)
    assert bool(ran(Guard(TOOLS).scan(f"```json\n{body}\n```\n"))) is (text not in UNOPENED), body


MEANT: dict[str, dict[str, Any]] = {
    **{
        _edit("x", text): {"before": "x", "after": text}
        for text in ("\tx = 1", "a\tb\tc", "if (a)\t{ b }", "x = 1\t# one", "Name:\tAnn", "a\tb\n")
    },
    **{_mail(text): {"to": [], "subject": "s", "body": text.replace("\\n", "\n")} for text in COLOURED},
    '{"tool": "mail", "to": [], "subject": "one\ttwo"}': {"to": [], "subject": "one\ttwo"},
    **{
        f'{{"tool": "drop", "ids": [{items}]{end}}}': {"ids": [1, 2]}
        for items, end in (("1, 2,", ""), ("\n  1,\n  2,\n", ""), ("1, 2,\n", ""), ("1, 2", ", "), ("\n  1,\n  2\n", ",\n"))
    },
    '{"tool": "plot", "title": "t", "x": [1, 2, ]}': {"title": "t", "x": [1, 2]},
    **{
        _edit("x", text): {"before": "x", "after": text}
        for text in ('<a href="/x/">y</a>', 'split("/")', 'cd "a/b/" now', 'a/b and "c/"', 'f("/", "a")')
    },
    **{
        f'{{"tool": "mail", "body": "{raw}", "to": [], "subject": "{"s" * 60}"}}': {
            "to": [], "subject": "s" * 60, "body": raw.replace('\\"', '"'),
        }
        for text in OF_TWO_LINES
        for raw in (text.replace("~", "\n"),)
    },
    **{
        f'{{"tool": "mail", "to": [], "subject": "s", "body": "{text}"}}': {"to": [], "subject": "s", "body": text}
        for text in [*FILES, *STATEMENTS, *(text.replace("~", "\n") + "\n" for text in OF_TWO_LINES if '"' not in text)]
    },
    _edit("x", "a = 1\\n\\nb = 2\n\\nc = 3\\n"): {"before": "x", "after": "a = 1\n\nb = 2\n\nc = 3\n"},
    **{
        _edit(pattern, lines): {"before": pattern, "after": lines.replace("\\n", "\n")}
        for pattern, lines in product(
            PATTERNS[:3], ("y", r"x = 1\n", r"    return\n", r"if (a) {\n  b();\n}\n", r"# One\n\n- two\n- three\n")
        )
    },
    **{
        _edit(text, lines): {"before": text.replace("\\\\", "\\"), "after": lines.replace("\\n", "\n")}
        for text, lines in product(CALLED[:2], (r"x = 1\n", r"    return\n", r"if (a) {\n  b();\n}\n"))
    },
    '{"tool": "edit", "before": ``, "after": `x = 1\n`}': {"before": "", "after": "x = 1\n"},
    '{"tool": "edit", "before": `x = "a"\n`, "after": `say \\`hi\\` now`}': {"before": 'x = "a"\n', "after": "say `hi` now"},
    "{'tool': 'edit', 'before': 'x', 'after': `say \"x\" or `b` here`}": {"before": "x", "after": 'say "x" or `b` here'},
    '{"tool": "edit", "before": "x", "after": "Run:\n```sh\nls\n```\n"}': {"before": "x", "after": "Run:\n```sh\nls\n```\n"},
    _edit("x", "import a\nb = 1\\n\\nc = 2\nd = 3\\n"): {"before": "x", "after": "import a\nb = 1\n\nc = 2\nd = 3\n"},
    _edit("x", "x = 1;\nf(x);\n\nif (a) {\\n  b\\n}"): {"before": "x", "after": "x = 1;\nf(x);\n\nif (a) {\n  b\n}"},
    '{"tool": "edit", "before": "\\\\u00e9 is u00e9", "after": "a\\n",}': {"before": "\\u00e9 is u00e9", "after": "a\n"},
    _edit("x", 'd = {"$ref": f"a"}\n'): {"before": "x", "after": 'd = {"$ref": f"a"}\n'},
    _edit("x", 'if (a[\\"b"]) {\\n}'): {"before": "x", "after": 'if (a["b"]) {\n}'},
    "edit(before='x', after=\"y = 'a'\")": {"before": "x", "after": "y = 'a'"},
    _edit("x", 'a = 1\nprint(\\"hi\\\\n\\")\n'): {"before": "x", "after": 'a = 1\nprint("hi\\n")\n'},
    _edit("x", "a = 1\n\tb = 2\n"): {"before": "x", "after": "a = 1\n\tb = 2\n"},
    _edit("x", "def f():\n    return 1\n"): {"before": "x", "after": "def f():\n    return 1\n"},
    _edit("    return 1\n", "x"): {"before": "    return 1\n", "after": "x"},
    _edit("x", 'say "hi" now'): {"before": "x", "after": 'say "hi" now'},
    _edit("x", r'print("hi")\nprint("b")\n'): {"before": "x", "after": 'print("hi")\nprint("b")\n'},
    _edit("a;\nb", 'print("hi")'): {"before": "a;\nb", "after": 'print("hi")'},
    _edit("x", "import os\nimport sys\\n"): {"before": "x", "after": "import os\nimport sys\n"},
    '{\n  "tool": "edit",\n  "before": "    return 1\n",\n  "after": "    x = 2\n    return x\n"\n}': {
        "before": "    return 1\n", "after": "    x = 2\n    return x\n",
    },
    '{\n  "tool": "edit",\n  "before": `call Ann\n`,\n  "after": `x()\n`}': {"before": "call Ann\n", "after": "x()\n"},
    "{'tool': 'edit', 'before': 'say \"hi\"', 'after': '\"a\" and \"b\"'}": {"before": 'say "hi"', "after": '"a" and "b"'},
    r"{'tool': 'edit', 'before': '\x41\t\U0001f600', 'after': 'C:\\Users\\nina'}": {
        "before": "A\t😀", "after": r"C:\Users\nina",
    },
    "{'tool': 'edit', 'before': 'it\\'s \"so\"', 'after': '\\\"a\\\"'}": {"before": "it's \"so\"", "after": '"a"'},
    '{"tool": "edit", "before": """{\n "before": "a",\n "after": "b"}""", "after": """x = f("a", after="b")\n"""}': {
        "before": '{\n "before": "a",\n "after": "b"}', "after": 'x = f("a", after="b")\n',
    },
    '{"tool": "edit", "before": """<meta name="a" after="b">\n""", "after": """it\'s "x", y: 2\n"""}': {
        "before": '<meta name="a" after="b">\n', "after": 'it\'s "x", y: 2\n',
    },
    '{"tool": "mail", "to": ["a" ,\n], "subject": "s"}': {"to": ["a"], "subject": "s"},
    '{"tool": "plot", "title": "t", "x": [1, 2,]}': {"title": "t", "x": [1, 2]},
    '{"tool": "order", "lines": [{"sku": "x"}\n{"sku": "y"}]}': {"lines": [{"sku": "x"}, {"sku": "y"}]},
    '{"tool": "scale", "service": "api", "max": 3, "env": {"A": 5}}': {"service": "api", "max": 3, "env": {"A": "5"}},
    **{
        f'{{"tool": "scale", "max": 100{gap}"service": "api"}}': {"max": 100, "service": "api"}
        for gap in (" ", "\n", "\n    ", "\r\n  ")
    },
    '{"tool": "scale", "service": "api"  "max": 1}': {"service": "api", "max": 1},
    **{
        _edit("x", text): {"before": "x", "after": text.replace("\\n", "\n").replace("\\", "")}
        for text in (
            "f(\n    a,\\n)", "f(a);\ng(b);\\n", "<p>\nhi</p>\\n", "Hi.\nBye.\\n", "x = 1\ny = 2\\n",
            "  x\n}\\n", "/**\n * doc\\n", "};\nfoo\\n", "| a |\n| b |\\n", "one\n```sh\\ncode\\n```",
            '\\"a\\"\nimport b\\n', "- a\n- b\\n", '@app.get(\\"/\\")\ndef f():\\n',
        )
    },
    **{_edit("x", text): {"before": "x", "after": text} for text in ONE_LINE},
    **{_edit('say "hi" now', text): {"before": 'say "hi" now', "after": text} for text in [*ONE_LINE, *BESIDE]},
    '{"tool": "transfer", "to":: "B2", "memo": "m", "amount": 1}': {"to": "B2", "memo": "m", "amount": 1},
    '{"tool":: "transfer", "to": "B2", "amount": 1}': {"to": "B2", "amount": 1},
    '{"tool": "edit", "before": : "B2", "after": "m"}': {"before": "B2", "after": "m"},
    '{"tool": "mail", "to":: ["a"], "subject": "s"}': {"to": ["a"], "subject": "s"},
    '{"tool": "plot", "title": "t",, "x": [1], "y": [2]}': {"title": "t", "x": [1], "y": [2]},
    '{"tool": "scale", "service": "api", "max": 5}.': {"service": "api", "max": 5},
    '{"tool": "scale", "service": "api", "max": 15},': {"service": "api", "max": 15},
    '{"tool": "turn_on", "device": "Room 35"}.': {"device": "Room 35"},
    '{"tool": "mail", "to": [] "subject": "s"}': {"to": [], "subject": "s"},
    '{"tool": "mail", "to": [], subject": "s"}': {"to": [], "subject": "s"},
    '{"tool": "mail", "to": ["a", "b", "subject": "s"}': {"to": ["a", "b"], "subject": "s"},
    '{\n  "tool": "mail",\n  "to": ["a", "b",\n  "subject": "s"\n}': {"to": ["a", "b"], "subject": "s"},
    '{\n  "tool": "mail",\n  "to": [\n    "a"\n  ,\n  "subject": "s"\n}': {"to": ["a"], "subject": "s"},
    '{\n  "tool": "edit",\n  "before": "f(\n  a)",\n  "after": "def f():\n  return 1"\n}': {
        "before": "f(\n  a)", "after": "def f():\n  return 1",
    },
    '{\n  "tool": "mail",\n  "to": [],\n  "subject": "s",\n  "body": "Dear Ann,\n  One.\n  Two."\n}': {
        "to": [], "subject": "s", "body": "Dear Ann,\n  One.\n  Two.",
    },
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
    '{“tool”: “edit”, "before": "x", "after": "say “hi” now"}': {"before": "x", "after": "say “hi” now"},
    '{"tool": "edit", "before": \'{"before": "a", "after": "b"}\', "after": "x"}': {
        "before": '{"before": "a", "after": "b"}', "after": "x",
    },
    r"{'tool' => 'edit', 'before' => 'it\'s', 'after' => 'C:\\x'}": {"before": "it's", "after": r"C:\x"},
    r"edit(before='a\nb', after='x')": {"before": "a\nb", "after": "x"},
    r'{"tool" => "edit", "before" => "a\nb", "after" => "x"}': {"before": "a\nb", "after": "x"},
    '{"tool": "edit" "before": "a, b, or", "after": "x"}': {"before": "a, b, or", "after": "x"},
    '{"tool": "edit" "before": "    b,\\n", "after": "x"}': {"before": "    b,\n", "after": "x"},
    _edit("x", '\\nname = "a"\\n\\nnew = 1'): {"before": "x", "after": '\nname = "a"\n\nnew = 1'},
    _edit("x", 'f(\\"a")\\ng([\\n'): {"before": "x", "after": 'f("a")\ng([\n'},
    '{"tool": "turn-on", "device": "hall-lamp"}': {"device": "hall-lamp"},
    "{'tool': 'edit', 'before': '\"\"a\"', 'after': 'x'}": {"before": '""a"', "after": "x"},
    '{"tool": "edit", "before": \'x\', "after": \'{\n  "a": 1}\'}': {"before": "x", "after": '{\n  "a": 1}'},
}  # fmt: skip
"""What a writer means so, and what it means."""


@pytest.mark.promise("P7")
@pytest.mark.parametrize("body", MEANT)
def test_what_means_one_thing_runs(body: str) -> None:
    block = Guard(TOOLS).check(body)
    assert block.executable, block.issues
    assert {name: value for name, value in (block.arguments or {}).items() if name != "tool"} == MEANT[body]


@pytest.mark.promise("P7")
@pytest.mark.parametrize("path", [r"src\main.py", r"docs\Users\a.txt"])
def test_a_path_of_windows_shows_nothing_of_the_texts_beside_it(path: str) -> None:
    """Its backslashes are often not doubled; a file that ends with a backslash and a letter is rare."""
    block = Guard(FILE_TOOLS).check(f'{{"tool": "write_file", "path": "{path}", "content": "hello\\n"}}')
    assert (block.executable, (block.arguments or {}).get("content")) == (True, "hello\n")


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
    wrong = [body for toolset, body in some(made(range(3)), 80) if Guard(toolset, **settings).check(body).executable]
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
