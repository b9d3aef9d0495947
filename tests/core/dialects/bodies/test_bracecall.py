"""A name and braces, with strings between markers."""

from __future__ import annotations

from random import Random

import pytest

from stream_guard.dialects.bodies import bracecall
from stream_guard.dialects.bodies.bracecall import BraceCall
from tests.kit.cursors import Row, check, json, read_in_any_way, text

Q = '<|"|>'
END = "}<tool_call|>"

ROWS = [
    Row(f"call:f{{a:{Q}x{Q},n:42{END} more", [("f", [("a", text("x")), ("n", "42")])], " more"),
    Row(f"\n:f{{a:1{END}", [("f", [("a", "1")])]),
    Row(f"call:f{{{END}", [("f", [])]),
    Row(f"call:my.tool-1{{ a : true , b:-1.5{END}", [("my.tool-1", [("a", "true"), ("b", "-1.5")])]),
    Row(f'call:f{{a:{Q}, }} ] <| x" \\n{Q}{END}', [("f", [("a", text(', } ] <| x" \\n'))])]),
    Row(f"call:f{{a:{Q}{Q}{END}", [("f", [("a", text(""))])]),
    Row(f'call:f{{a:"say \\"hi\\"\\n"{END}', [("f", [("a", text('say "hi"\n'))])]),
    Row(f"call:f{{a:hello world{END}", [("f", [("a", "hello world")])]),
    Row(f"call:f{{a:1 < 2{END}", [("f", [("a", "1 < 2")])]),
    Row(f"f{{a:1{END}", [("f", [("a", "1")])]),
    Row(f"call:f{{a:1,a:2{END}", [("f", [("a", "1"), ("a", "2")])]),
    Row(f'call:f{{{Q}a b{Q}:1,"c":2{END}', [("f", [("a b", "1"), ("c", "2")])]),
    Row(
        f'call:f{{o:{{k:{Q}v"{Q},n:1.5,w:word,l:[{Q}a{Q},[],{{}},null]}},z:1{END}',
        [("f", [("o", json('{"k":"v\\"","n":1.5,"w":"word","l":["a",[],{},null]}')), ("z", "1")])],
    ),
    Row(f"call:f{{l:[ 1 , {Q}b, c{Q} ]{END}", [("f", [("l", json('[1,"b, c"]'))])]),
    Row(f"call:f{{l:[{{a:1}},{{b:2,c:[007]}}]{END}", [("f", [("l", json('[{"a":1},{"b":2,"c":["007"]}]'))])]),
    # A closer in a string, or one that is missing.
    Row(f"call:f{{a:{Q}x<tool_call|>y{Q}{END}", [("f", [("a", text("x<tool_call|>y"))])], complete=False),
    Row(f"call:f{{a:{Q}x{END} text", [("f", [("a", text("x}<tool_call|> text"))])], " text", complete=False),
    Row(f"call:f{{a:{Q}x{Q}}} text", [("f", [("a", text("x"))])], " text", complete=False),
    Row(f"call:f{{a:{Q}x{Q}}}<tool", [("f", [("a", text("x"))])], "<tool", complete=False),
    Row("call:f{a:1<tool_call|> text", [("f", [])], " text", complete=False),
    Row(f"call:f{{a:'x'{END} text", [("f", [("a", "'x'")])], " text", complete=False),
    Row(f"call:f{{a:x{Q}{END} text", [("f", [("a", f"x{Q}")])], " text", complete=False),
    Row(f"call:f{{a:{Q}x{Q}{END}\n{Q}{END}", [("f", [("a", text("x"))])], f"\n{Q}{END}"),
    Row(f"call:f{{a:{Q}x{Q}{END}<tool_call|>", [("f", [("a", text("x"))])], "<tool_call|>"),
    # Cut off.
    Row("call:f{a:1", [("f", [])], complete=False, ended=False),
    Row(f"call:f{{a:{Q}x", [("f", [("a", text("x"))])], complete=False, ended=False),
    Row(f"call:f{{a:{Q}x<|", [("f", [("a", text("x<|"))])], complete=False, ended=False),
    Row(f"call:f{{a:{Q}x{Q},b:{{c", [("f", [("a", text("x"))])], complete=False, ended=False),
    Row("call:f", [], complete=False, ended=False),
    # Something else.
    Row(" is a marker", broken="head"),
    Row("call:{", broken="head"),
    Row("f {a:1}", broken="head"),
    Row("call:f(a=1)", broken="head"),
    Row("call:f{a=1}", broken="structure"),
    Row("call:f{a:}", broken="structure"),
    Row("call:f{a:[1}", broken="structure"),
    Row(f"call:f{{a:{Q}x{Q}y}}", broken="structure"),
    Row("call:f{a:b{c}}", broken="structure"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-40:])
def test_a_name_and_braces(row: Row) -> None:
    check(lambda: BraceCall(openers=("<|tool_call>",)), row, "bare")


def test_other_quotes_and_closers() -> None:
    row = Row("call:f{a:<escape>x<escape>}<end>.", [("f", [("a", text("x"))])], ".")
    check(lambda: BraceCall(quote="<escape>", closers=("<end>",)), row, "bare")


def test_the_name_and_the_path_are_known_when_they_end() -> None:
    found = read_in_any_way(BraceCall, f"call:f{{path:{Q}a{Q},")
    assert (found.name, found.path) == ("f", "a")


def test_what_is_left_of_a_marker_is_found_by_any_of_its_signs() -> None:
    """A text without these signs is not searched: that must change nothing."""
    pieces = (*'<＜>＞|｜"“＂ /lI1!', "&lt;", "&gt;", "&quot;", "&#124;", "&#x3E;", "escape", "ESCAPE", "\\", "x")
    random, held = Random(7), 0
    for _ in range(5_000):
        told = "".join(random.choices(pieces, k=random.randrange(1, 6)))
        searched = bracecall._SPOILED.search(told) is not None
        assert bracecall._is_spoiled(told) is searched, told
        held += searched
    assert 300 < held < 4_700


@pytest.mark.parametrize("left", ['<">', "<”>", '<l"l>', '<I"I>', '<!"!>', '|"|', '<|"', '"|>', '<"|'])
def test_a_text_that_holds_what_is_left_of_a_marker_is_doubted(left: str) -> None:
    for told in (f"hall{left}one", f"hall {left} one", f"a{left},{left}b"):
        assert bracecall._is_spoiled(told), told


@pytest.mark.parametrize(
    "own", ["a <> b", "x<>y", 'a < "b"', "a || b", "x |> f", '<a href="x">', "List<String>", 'c == "<"', "f<'l>()"]
)
def test_a_text_with_signs_of_its_own_is_not(own: str) -> None:
    assert not bracecall._is_spoiled(own)
