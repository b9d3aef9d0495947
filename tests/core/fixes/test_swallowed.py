"""A string with unescaped quotes: a text with quotes in it, or one that has swallowed a part of the block."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from stream_guard import Guard, Tool, ToolBlock, Toolset
from stream_guard.fixes.swallowed import ends_whole, holds_members, leaves_a_fence_open, slipped, taken
from stream_guard.values.surrogates import joined
from tests.kit.breadth import some
from tests.kit.proof import Cases

FIELDS = frozenset({"path", "content", "tool"})


def takes(raw: str, mark: str = '"', *, open_keys: bool = False) -> bool:
    return taken(raw, mark, FIELDS, open_keys=open_keys)


@pytest.mark.parametrize(
    "text",
    [
        'say "hi" to all',
        '<p class="x">hi</p>',
        '<a href="/a" title="b">c</a>',
        'print("a", "b")',
        'f("a") + g("b")',
        'x = {"a": "b", "c": [1, "d"]}',
        'name = "x"\nother = "y"\n',
        'return "x"',
        'return f"{x}"',
        'x = ""\ny = ""\nz = 1',
        'print("(")',
        'name + "." + end',
        '"""What it does."""\nreturn "x"',
        '"""Says "hi"."""\n',
        'a \\"b\\" as well as "c"',
        'f("", " ")',
        '<img alt="" src="a">',
        'one:\\n"two"',
        'a\\t"b"\\n',
        '"|".join(names) and ", ".join(others)',
        '\\""\\"What it does.\\n',  # a docstring's quotes, escaped in part
        'that is all\\n\\"\\""\\nreturn',
        "if char == '\"':",  # a quote alone in a literal
        'f(\'"\', x) or g("y")',
        '{\n "state" : "a",\n "other" : "b"\n}',
        'if (!("a"in e)) { f("b") }',
        'x = ""  # nothing\ny = "z"',
        '{\\"path\\": \\"a\\"} or "it"',  # a field between quotes that are both escaped
        'x=""',
        'f("", x)',
        'split(",")',
        "('\"')",
        'f("", "") + f("",\n"")',
        'f("a", 2, "b")',
        'x: { one: "a" | "b" }',
        'x = "" if a else f("b")',
        'put(b"".join(x), "y")',
    ],
)
def test_quotes_around_words_are_a_texts_own(text: str) -> None:
    assert not takes(text)


@pytest.mark.parametrize("text", ["it's `a`, not `b`", "`x`, it is"])
def test_a_text_in_other_marks_may_hold_those_marks(text: str) -> None:
    assert not takes(text, "`")


def test_an_apostrophe_is_no_quote() -> None:
    assert not takes("it's fine", "'")
    assert not takes("d'accord", "'")
    assert takes("boys' toys", "'")


@pytest.mark.parametrize(
    ("raw", "lacking", "left", "closers", "may"),
    [
        ("f)", True, False, False, True),
        (")", True, False, False, True),
        ("f] ", True, False, False, True),  # also before blanks
        ("[x]", True, False, False, False),  # it closes a bracket of the text
        ("[x] ", True, False, False, False),
        ("x", True, False, False, False),
        ("    x\\n}\\ny", True, False, False, True),  # it may close what began before the text, or the block
        ("x {", False, True, False, True),
        ("x { ", False, True, False, False),
        ("{x", False, True, False, False),
        ("{x", False, True, True, True),  # it lacks one, and one is left over
        ("{x}", False, True, True, False),
        ("{\nx", False, True, True, False),  # of several lines: a line may be missing
        ("{\\nx", False, True, True, False),
        ("if {\n  x\n", False, True, True, True),  # but not where the bracket would stand alone, under its opener
        ("  {\\n    x\\n  ", False, True, True, True),
        ("{\n  {\n  x\n", False, True, True, False),
    ],
)
def test_a_bracket_at_the_end_of_a_text_may_be_the_blocks(
    raw: str, lacking: bool, left: bool, closers: bool, may: bool
) -> None:
    assert slipped(raw, lacking=lacking, left=left, closers=closers) is may


@pytest.mark.parametrize(
    "text",
    [
        'x", "path": "y',  # a key of the tools
        'x", "mode": "y',  # and any other
        'x"; "y',
        'x" // was "y',
        'x" # see "b',
        'x", /* not "b',
        'x" + "y',
        'x" . "y',
        'x" or "y',
        'x" if a else "y',
        'f("x" and "y")',
        'f("x" "y")',
        'frac{a}{b"  "} rho',
        '<a d=\\"M1"\n\t',
        'if (n =""= 1) {',
        'f("x" vs. "y")',
        'f("x" if a else "y")',
        'x" "y',
        'x"\n"y',
        'x"}, {"y',
        'x"]," y',
        'x" , " y',
        'x": "y',
        'one " alone',
        '5" and 6" and 7"',
        'in"a"word',
        'in"a\\" word',
        '"all of it"',
        'C:\\\\n"two"',
        'Done." mode="/x',
        'x = \\"\\"", ',  # an empty literal, and the quote behind it
        'say ""hi"" and ""ho""',
        'four """" of them',
        'foo, "path": bar',  # by a quote that was lost on either side
        'f("a", "path": "b")',  # a field is never text, brackets or not
        'f("a" + "b")',
        'f("a" || "b")',
        'type X = "a" | "b";',
        '{{ name }" "}',  # two strings beside each other, split where no literal begins
        '@media x { a: b } ""}',
        '<b>bold</b>"" &amp; more',
        'key:"" value',
        '[1,"" 2',
        '{{"  " name }}',
        'say "" "hi"',
        'syntax:""<angle>"";inherits',
        'str + "","" : str',  # by marks alone
        'f("" if x else "%q", 1)',
        '    "" if x else y',
        'if (" vs. "!x) {',
        'f("", "")',  # or `f(", ")`, its quotes written twice
        '`tick`"., "...',
        '({", name, " error }) => x',  # joined by a name
        '#include "a.h" . $name . ""\n',
        'f("a", @x, "b")'.replace(", @x, ", '" . @x . "'),
        're.split(\'," if x else " x)',  # by a word
        "re.split(r'\" oder \"x')",
        "x '\"' y",
        'x" : "y',
        '"state" : "a", f(b)',
        'the "a"in e',
        'x = "" y = "z"',
        '{\\"path": \\"a\\"} or it',  # by an escape that slipped before one of its quotes
        'f("")',  # one empty pair may split a text in two
        'f(","',
        'a"""1',
        '\\"""',
        'x = "a\nb"',  # no literal goes over lines
        'std:"":x, f("a")',
        '(\n"a"\n""\n)',  # an empty literal beside another
        "f('\"') or \"b",
    ],
)
def test_what_stands_between_two_strings_of_a_block_is_never_text(text: str) -> None:
    assert takes(text)


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("one\n```\ntwo", True),
        ("one\n  ~~~\ntwo", True),
        ("one\n```json\ntwo", True),
        ("one\n```\n\n```json\ntwo", True),
        ("one\n```\n\n```\ntwo", True),
        ("one\n```\n~~~\ntwo", True),
        ("one\n````\ntwo\n```", True),
        ("one\n```\ntwo\n```\n", False),
        ("one\n~~~\ntwo\n~~~~\n", False),
        ("one\n```\n```py\ntwo\n```", False),
        ("```py\none\n```\ntwo", False),
        ("one\\n```\ntwo\n```", False),
        ("one\\n```\\ntwo", False),
        ("one ```\ntwo", False),
        ("one\n`` `\ntwo", False),
    ],
)
def test_a_fence_without_another_half_may_be_where_a_text_was_cut_off(text: str, leaves: bool) -> None:
    assert leaves_a_fence_open(text) is leaves


def test_where_any_key_may_stand_every_key_is_the_blocks() -> None:
    assert not takes('{"a": "b"}')
    assert takes('{"a": "b"}', open_keys=True)


@pytest.mark.parametrize(
    ("text", "escaping", "whole"),
    [
        ("done.", False, True),
        ("x = 1\n", False, True),
        ("f(x)", False, True),
        ("", False, False),
        ("say ", False, False),
        ("print(", False, False),
        ("x =", False, False),
        ("return f", False, False),
        ("if (x) {\n  y", False, False),
        ("print(", True, True),
        ("a}", True, False),
        ("{a}", True, True),
    ],
)
def test_a_text_may_stop_before_a_quote_of_its_own(text: str, escaping: bool, whole: bool) -> None:
    assert ends_whole(text, escaping=escaping) is whole


NOTE = Tool(
    "note",
    "",
    {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("first", "second", "third")},
        "required": ["first"],
        "additionalProperties": False,
    },
)


@pytest.mark.some
@pytest.mark.promise("P8")
def test_what_cannot_be_read_is_never_taken_into_the_text_before_it(cases: Cases) -> None:
    """Every text, every way to go on from it that no reader knows, and every text behind that: mended exactly, or refused."""
    texts = ("x", "x.", 'say \\"hi\\"', "f(", "{", "a, b", "x:", "", "  x  ", "[1]", "it's")
    ways = (
        '; "second": ', ' . "second": ', ' | "second": ', ', "other": 0755, "second": ', ', "other": yes, "second": ',
        ', "other": 1,000, "second": ', ', "other": 2024-01-01, "second": ', ', // was "y"\n"second": ',
        ' # see "b"\n, "second": ', ', /* not "c" */ "second": ', ' + name, "second": ', ' + "z" + name, "second": ',
        ' or "z", "second": ', ' "z", "second": ', ', "other", "second": ', ', "other"}, "second": ', '], "second": ',
        ', ..., "second": ', ', "other": undefined, "second": ', ', second": ', ', "second: ', ' "second" ',
        '， "second"： ', ', "second" "', ', null, "second": ',
    )  # fmt: skip
    guard = Guard(Toolset(NOTE))
    cells = some(product(texts, ways, texts), 900, kind=lambda cell: cell[:2])
    for first, way, second in cells:
        body = f'{{"tool": "note", "first": "{first}"{way}"{second}"}}'
        meant = {"tool": "note", "first": first.replace('\\"', '"'), "second": second.replace('\\"', '"')}
        found = [item for item in guard.scan([f"```json\n{body}\n```\n"]) if isinstance(item, ToolBlock) and item.executable]
        ran: list[Any] = [block.arguments for block in found]
        assert ran in ([], [meant]), body
    cases(len(cells))


def test_halves_of_a_pair_are_one_character() -> None:
    assert joined("a\ud83d\ude00b") == "a😀b"
    assert joined("\ude00\ud83d") == "\ude00\ud83d"
    assert joined("abc") == "abc"


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ('Hi"" Bob", "path": "a@b"},\n {"content": "say ""yes', True),
        ('a" b"},\n{"path": "c', True),
        ('a" b"}},\n{"name": "c', True),
        ("it's'', 'path': 'c", True),
        ("f(it's a', 'path': 'c)", True),
        ('f(a", "path": "c)', True),
        ('{a", "path": "c}', True),
        ('a", path: "c', "bare_keys"),
        ('a", path="c', "bare_keys"),
        ('a", "other": "c', "open_keys"),
        ('{"x": "a", "path": "c"}', False),
        ('{"path": "a",\n "content": ["b", "c"]}', False),
        ('open("a", path="b")', False),
        ('<a name="x" path="y">', False),
        ('"x"', False),
        ('a", "path": "c', True),
        ('a”, "path”: "c', True),
        ('a`, `path: "c', True),
        ("f('a', path='c')", False),
    ],
)
def test_a_text_may_hold_members(raw: str, found: bool | str) -> None:
    """Those of the block stand outside of the text's own brackets, or behind a quote that is open."""
    given = {"open_keys": False, "bare_keys": False}
    assert holds_members(raw, FIELDS, **given) is (found is True)
    if isinstance(found, str):
        assert holds_members(raw, FIELDS, **{**given, found: True})


# The mark that ends a text, one member too late.

LATE: Final[dict[str, tuple[str, str]]] = {
    "backticks": ("{{\n  tool: 'keep',\n  title: 'x',\n  body: `{text}`,\n  {member},\n}}", "{key}: {value}"),
    "keys without quotes": ('{{\n  tool: "keep",\n  title: "x",\n  body: "{text}",\n  {member}\n}}', "{key}: {value}"),
    "three quotes": ("{{\n  'tool': 'keep',\n  'title': 'x',\n  'body': '''{text}''',\n  {member},\n}}", "'{key}': {value}"),
    "three quotes and others": (
        '{{"tool": "keep", "title": "x", "body": """{text}""",\n"{key}": {value}}}',
        '"{key}": {value}',
    ),
    "apostrophes": ("{{\n  'tool': 'keep',\n  'title': 'x',\n  'body': '{text}',\n  {member}\n}}", '"{key}": {value}'),
}
"""Blocks of several lines, and a member as such a block writes it."""

KEEP: Final = Tool(
    "keep",
    "",
    {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "body": {"type": "string"},
            "pinned": {"type": "boolean"},
            "mode": {"enum": ["add", "replace"]},
            "size": {"type": "integer"},
            "folder": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["title", "body"],
        "additionalProperties": False,
    },
)
KEEPING: Final = Guard(Toolset(KEEP))
VALUES: Final = {"pinned": "true", "mode": '"add"', "size": "12", "folder": '"a/b"', "tags": '["a"]'}


def kept(body: str) -> list[Any]:
    found = KEEPING.scan([f"```json\n{body}\n```\n"])
    return [item.arguments for item in found if isinstance(item, ToolBlock) and item.executable]


@pytest.mark.parametrize("layout", LATE)
@pytest.mark.parametrize("key", VALUES)
def test_a_text_does_not_run_with_a_member_that_is_lacking_for_its_last_line(layout: str, key: str) -> None:
    block, member = LATE[layout]
    for value in (VALUES[key], VALUES[key].strip('"')):
        said = member.format(key=key, value=value)
        for lines in ("Buy milk.\nBuy eggs.\n", "a();\n\nb();,\n"):
            for text in (f"{lines}{said}", f"{lines}  {said},\n"):
                other = next(name for name in VALUES if name != key)
                behind = {"key": other, "value": VALUES[other]}
                body = block.format(text=text, member=member.format(**behind), **behind)
                held = [call for call in kept(body) if key not in call]
                assert value == "a/b" or not held, body


@pytest.mark.parametrize("layout", ["backticks", "three quotes", "keys without quotes"])
def test_a_text_whose_last_line_looks_like_another_member_runs(layout: str) -> None:
    """A member that the call has, one that is no field, a value of another type, a line that is none, and one further up."""
    block, member = LATE[layout]
    behind = {"key": "pinned", "value": "true"}
    for last in (
        "pinned: true",
        "colour: red",
        "size: large",
        "mode: fast",
        "folder: my own one",
        "size: 12\nThat is all.",
        "Bye.",
    ):
        body = block.format(text=f"Buy milk.\nBuy eggs.\n{last}\n", member=member.format(**behind), **behind)
        assert [call["body"] for call in kept(body)] == [f"Buy milk.\nBuy eggs.\n{last}\n"], body
