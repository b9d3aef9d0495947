"""Calls as Python writes them."""

from __future__ import annotations

import pytest

from stream_guard.dialects.bodies.pycall import PyCall
from stream_guard.dialects.json_part import LOOKAHEAD
from tests.kit.cursors import Row, check, read, read_in_any_way

ROWS = [
    Row("[f(a=1, b='x'), g()] and text", [("f", [("a", "1"), ("b", "'x'")]), ("g", [])], " and text"),
    Row("[f()]", [("f", [])]),
    Row('[f(a="it\'s, (really) [ok]")]', [("f", [("a", '"it\'s, (really) [ok]"')])]),
    Row(r'[f(a="say \"hi\"\\")]', [("f", [("a", r'"say \"hi\"\\"')])]),
    Row('[f(a="""x"y""z\n)]""", b=2)]', [("f", [("a", '"""x"y""z\n)]"""'), ("b", "2")])]),
    Row("[f(a='', b=\"\")]", [("f", [("a", "''"), ("b", '""')])]),
    Row("[f(a=[1, {'k': (2, 3)}], b={})]", [("f", [("a", "[1, {'k': (2, 3)}]"), ("b", "{}")])]),
    Row("[ f( a = 1 ,\n b = None , ) , ]x", [("f", [("a", "1"), ("b", "None")])], "x", complete=False),
    Row("[ f( a = 1 ,\n b = None , ) , ] x", [("f", [("a", "1"), ("b", "None")])], " x"),
    Row("[my.tool-1(a=-1.5e3)]", [("my.tool-1", [("a", "-1.5e3")])]),
    Row("[f(a=1, a=2)]", [("f", [("a", "1"), ("a", "2")])]),
    Row("[f(a=os.getenv('X'), b=1 + 2)]", [("f", [("a", "os.getenv('X')"), ("b", "1 + 2")])]),
    Row("[f(a='x' 'y')]", [("f", [("a", "'x' 'y'")])]),
    Row("[f(a=r'\\d', month=07)]", [("f", [("a", "r'\\d'"), ("month", "07")])]),
    Row("[f(a='line\nline')]", [("f", [("a", "'line\nline'")])]),
    Row("[f(a=)]", [("f", [("a", "")])]),
    # Cut off.
    Row("[f(a=1", [("f", [("a", "1")])], complete=False, ended=False),
    Row("[f(a='x", [("f", [("a", "'x")])], complete=False, ended=False),
    Row("[f(a=''", [("f", [("a", "''")])], complete=False, ended=False),
    Row("[f(a=1), g(", [("f", [("a", "1")]), ("g", [])], complete=False, ended=False),
    Row("[f(a=1)", [("f", [("a", "1")])], complete=False, ended=False),
    Row("[f", [], complete=False, ended=False),
    # Something else.
    Row("[1, 2]", broken="structure"),
    Row("[]", broken="structure"),
    Row("[link](http://x)", broken="structure"),
    Row("[f (x)]", broken="structure"),
    Row("[see f(x)]", broken="structure"),
    Row("[f(1)]", broken="structure"),
    Row("[f(a=1) g()]", broken="structure"),
    Row("[f(a=1])]", broken="structure"),
    Row("[f(a=[1)]", broken="structure"),
    Row("[f(**a)]", broken="structure"),
    Row("f(a=1)", broken="structure"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.text[-40:])
def test_a_list_of_calls(row: Row) -> None:
    check(PyCall, row, "python")


def marked() -> PyCall:
    return PyCall(openers=("<call>",), closers=("</call>",))


MARKED = [
    Row("[f(a=1)]</call> x", [("f", [("a", "1")])], " x"),
    Row("\n[f(a=1)]\n</call> x", [("f", [("a", "1")])], " x"),
    Row("[f(a=1)]</call> </call>", [("f", [("a", "1")])], " </call>", complete=False),
    Row("[f(a=1)] x", [("f", [("a", "1")])], " x", complete=False),
    Row("[f(a=1)]</ca", [("f", [("a", "1")])], "</ca", complete=False),
    Row("[f(a='</call>')]</call> x", [("f", [("a", "'</call>'")])], " x", complete=False),
    Row("[f(a='x)]</call> text", [("f", [("a", "'x)]</call> text")])], " text", complete=False),
    Row("[f(a='x)]</call> <call>[g()]</call>", [("f", [])], " <call>[g()]</call>", complete=False),
]


@pytest.mark.parametrize("row", MARKED, ids=lambda row: row.text[-40:])
def test_a_list_of_calls_up_to_a_closer(row: Row) -> None:
    check(marked, row, "python")


LINES = [
    Row("f(a=1)</call>.", [("f", [("a", "1")])], "."),
    Row("\nf(a=1)\ng()\n</call>", [("f", [("a", "1")]), ("g", [])]),
    Row("f(a='x')\n", [("f", [("a", "'x'")])], complete=False, ended=False),
    Row("f(a=1) and", [("f", [("a", "1")])], complete=False, ended=False),
    Row("text</call>", broken="structure"),
    Row("[f()]</call>", broken="structure"),
    Row("</call>", broken="structure"),
]


@pytest.mark.parametrize("row", LINES, ids=lambda row: row.text[-40:])
def test_calls_on_lines_up_to_a_closer(row: Row) -> None:
    check(lambda: PyCall(closers=("</call>",), brackets=False), row, "python")


def test_a_closer_that_servers_strip_is_not_needed() -> None:
    found = read_in_any_way(lambda: PyCall(closers=("</call>",), needs_closer=False), "[f(a=1)] x")
    assert (found.complete, found.size) == (True, 8)


def test_the_name_and_the_path_are_known_when_they_end() -> None:
    body = PyCall()
    seen = []
    for piece in ("[f", "(path='a'", ","):
        body.read(piece, 0)
        seen.append((body.name, body.path))
    assert seen == [(None, None), ("f", None), ("f", "a")]


@pytest.mark.parametrize("more", [-1, 0])
def test_a_closer_in_an_open_string_is_the_end_when_too_much_follows_it(more: int) -> None:
    begin = "[f(a='x)]</call>"
    text = begin + "y" * (LOOKAHEAD + more) + "')]</call>"
    for chunks in ([text], [text[at : at + 1000] for at in range(0, len(text), 1000)], [text[:9000], text[9000:]]):
        found = read(marked, chunks)
        assert (found.complete, found.size) == (False, len(text) if more else len(begin))


@pytest.mark.parametrize(
    ("begin", "rest"),
    [
        ("[f('x')]</call>", " and <call>[g()]</call>"),
        ("[f(a: 1)]</call>", ""),
        ("[f('see <call>[g()]</call> or <call>[h()]</call>')]</call>", "')]</call>"),
        ("[f(), g h <call>x</call></call>", "</call>"),
        ("[f(it's)]</call>", ""),
    ],
)
def test_code_that_breaks_behind_a_name_ends_at_the_closer_of_its_opener(begin: str, rest: str) -> None:
    found = read_in_any_way(marked, begin + rest)
    assert (found.complete, found.calls) == (False, ())
    assert found.broken is None or (found.broken, found.size) == ("structure", len(begin))


@pytest.mark.parametrize("more", [-1, 0])
def test_code_that_breaks_ends_there_when_no_closer_follows_it(more: int) -> None:
    begin = "[f("
    text = begin + "'" + "y" * (LOOKAHEAD + more - 1) + "</call>"
    for chunks in ([text], [text[at : at + 1000] for at in range(0, len(text), 1000)], [text[:9000], text[9000:]]):
        found = read(marked, chunks)
        assert (found.broken, found.size) == ("structure", len(text) if more else len(begin))


def test_code_that_breaks_and_has_no_closer_is_spoiled() -> None:
    body = marked()
    body.read("[f('x')] and", 0)
    body.finish()
    assert (body.spoiled, body.done, body.broken, body.calls()) == (True, False, None, [])
