"""What the text between two quotes says, and where it may say two things."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard.fixes.strings import (
    Ambiguous,
    breaks_a_literal,
    decoded,
    ends_a_line,
    escapes_apostrophes,
    undoubled,
    unknown_escapes,
)
from stream_guard.values.surrogates import joined


def says(
    raw: str, mark: str = '"', *, plain: bool = False, quotes: int = 0, careless: bool = False, long: bool = False
) -> tuple[str, set[str]]:
    unknown = unknown_escapes(raw, mark)
    return decoded(raw, mark, plain=plain, quotes=quotes, careless=careless, unknown=unknown, long=long)


@given(st.text(max_size=30), st.booleans())
def test_what_json_reads_is_read_as_json_does(text: str, ascii_only: bool) -> None:
    """In texts and, but for control characters, in names and paths."""
    raw = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
    assert says(raw) == (text, set())
    if not any(char in "\b\f\n\r\t" for char in text):
        said, fixes = says(raw, plain=True)
        assert (joined(said), fixes) == (text, set())


@pytest.mark.parametrize(
    ("raw", "given", "text", "fixes"),
    [
        # As it is.
        ("", {}, "", set()),
        ("a é 😀", {}, "a é 😀", set()),
        ("a\tb", {}, "a\tb", {"control_character"}),
        ("a\x1fb", {}, "a\x1fb", {"control_character"}),
        ("a\x00b", {}, "a\x00b", {"control_character"}),
        ("a\x7f\x80\u2028b", {}, "a\x7f\x80\u2028b", set()),  # not printable, and JSON takes them
        ('say "hi"', {"quotes": 2}, 'say "hi"', {"quotes"}),
        ('one " more', {"quotes": 1}, 'one " more', {"quotes"}),
        ('\t"', {"quotes": 1}, '\t"', {"quotes", "control_character"}),
        # Escapes beside what was forgotten.
        (r"one\ttwo" + "\n", {}, None, None),
        (r'"a" and \\ and \/', {"quotes": 2}, r'"a" and \ and /', {"quotes"}),
        (r'"a" and \" once', {"quotes": 1}, '"a" and " once', {"quotes"}),
        (r'\\" and \" and', {"quotes": 1}, r'\" and " and', {"quotes"}),
        (r'"a" and \\" too', {"quotes": 3}, r'"a" and \" too', {"quotes"}),
        (r'\u00e9\u4e2d "', {"quotes": 1}, 'é中 "', {"quotes"}),
        ('a\\\n"', {"quotes": 0, "mark": "'"}, None, None),
        # A backslash that escapes nothing is one.
        (r"\d+", {}, r"\d+", {"escape"}),
        (r"\d\n", {}, None, None),
        (r"\d\b\f", {}, None, None),  # then these are not what JSON has in mind either
        (r"\d\u0041\/", {}, None, None),
        ("\\d\n", {}, None, None),
        # Beside it a written line break is one where lines of code show that it is, in a field for a long text.
        (r"import re\nX = re.compile('\d+')\n", {}, None, None),
        (r"import re\nX = re.compile('\d+')\n", {"long": True}, "import re\nX = re.compile('\\d+')\n", {"escape"}),
        (r"const s = \"\u{1F600}\";\n", {"long": True}, 'const s = "\\u{1F600}";\n', {"escape"}),
        (r"const r = /\d+\s/g;\n", {"long": True}, "const r = /\\d+\\s/g;\n", {"escape"}),
        (r"x = f(`\d+`)\n\ny = 1\n", {"long": True}, "x = f(`\\d+`)\n\ny = 1\n", {"escape"}),
        (r"x = '\d+\n'\n", {"long": True}, None, None),
        (r"x = \d+\n", {"long": True}, None, None),
        (r"x = '\d+\ny = 1", {"long": True}, None, None),
        (r"see '\d+'\n", {"long": True}, None, None),
        (r"x = '\d+'\ny or 1", {"long": True}, None, None),
        (r"# \d+\nx = 1", {"long": True}, None, None),
        (r"x = '\d+'\n\ty = 1", {"long": True}, None, None),
        ("ends in \\", {}, None, None),
        (r"\x41", {}, None, None),
        (r"\u12", {}, None, None),
        (r"\'", {}, None, None),
        (r"\`", {}, None, None),
        (r"\$", {}, None, None),
        (r"\!", {}, None, None),
        # Names and paths hold no control characters.
        (r"src\new\table\bin\foo\run", {"plain": True}, "src\\new\\table\\bin\\foo\\run", {"path_escape"}),
        (r"a\\b\/c\u0041", {"plain": True}, r"a\b/cA", set()),
        (r"C:\dir\new", {"plain": True}, "C:\\dir\\new", {"path_escape", "escape"}),
        (r"a\"b", {"plain": True}, 'a"b', set()),
        (r"it\'s", {"plain": True, "mark": "'"}, "it's", set()),
        (r"\x41\n", {"plain": True, "mark": "'"}, None, None),
        # Single quotes are Python's, or JavaScript's.
        (r"it\'s", {"mark": "'"}, "it's", set()),
        (r"\n\t\"", {"mark": "'"}, '\n\t"', set()),
        (r"\x41\U0001f600\x7a", {"mark": "'"}, "A😀z", set()),
        (r"\x4", {"mark": "'"}, None, None),  # no language has it: then its writer escapes nothing
        (r"C:\Users\nina", {"mark": "'"}, None, None),
        (r"C:\Users\Documents", {"mark": "'"}, r"C:\Users\Documents", {"escape"}),
        (r"\x41 in '\d+'", {"mark": "'", "quotes": 2}, None, None),
        (r"f('\x41', '\d+')", {"mark": "'"}, None, None),  # one of them decoded, and one not
        (r"\UFFFFFFFF", {"mark": "'"}, None, None),
        (r"\u65e\5u672c", {}, None, None),  # a figure is lost
        (r"\u65e \d+", {}, None, None),
        (r"C:\ubuntu\Documents", {}, r"C:\ubuntu\Documents", {"escape"}),
        (r"\X41", {"mark": "'"}, None, None),
        (r"\u0041", {"mark": "'"}, "A", set()),
        (r"\\x41", {"mark": "'"}, r"\x41", set()),
        (r"\x41\\", {"mark": "'"}, None, None),
        (r"\\\x41", {"mark": "'"}, None, None),
        # A quote of another kind needs no backslash there: it may be the code's own where another has none.
        (r'alert("He said \"hi\"");', {"mark": "'"}, None, None),
        (r'alert("He said \"hi\"");', {"mark": "`"}, None, None),
        (r'alert("He said \"hi\"");', {"mark": "'''"}, None, None),
        (r'alert("He said \"hi\"");', {"mark": '"""'}, None, None),
        (r"it\'s, and it's", {"mark": "'''"}, None, None),
        (r"run \`a\` and `b`", {"mark": "`", "quotes": 2}, None, None),
        (r"alert(\"He said\");", {"mark": "'"}, 'alert("He said");', set()),
        (r'alert("He said \\"hi\\"");', {"mark": "'"}, r'alert("He said \"hi\"");', set()),
        (
            r'def f():\n    \"\"\"One.\"""\n    return "a"\n',
            {"mark": '"""'},
            'def f():\n    """One."""\n    return "a"\n',
            set(),
        ),
        (r'"a" and "b\"', {"mark": '"""'}, '"a" and "b"', set()),
        # Three quotes and backticks hold their lines as they are.
        ("one\ntwo", {"mark": '"""'}, "one\ntwo", {"control_character"}),
        (r"say \"hi\"", {"mark": '"""'}, 'say "hi"', set()),
        (r"one\ntwo", {"mark": '"""'}, "one\ntwo", set()),
        ("one\n\\t", {"mark": '"""'}, None, None),
        ("one\n\\n", {"mark": "'''"}, None, None),
        ("one\n\\r", {"mark": "`"}, None, None),
        ("one\n\\b", {"mark": "`"}, None, None),
        ("one\n\\f", {"mark": "`"}, None, None),
        ("one\n\\/", {"mark": "`"}, "one\n/", {"control_character"}),
        ("one\n\\t\\`", {"mark": "`"}, "one\n\t`", {"control_character"}),
        ("one\n\\t\\$", {"mark": "`"}, "one\n\t$", {"control_character"}),
        ("one\n\\t\\\\", {"mark": "`"}, "one\n\t\\", {"control_character"}),
        ("one\n\\t\\'", {"mark": "'''"}, "one\n\t'", {"control_character"}),
        (r"\$ \` \n \\", {"mark": "`"}, "$ ` \n \\", set()),
        (r"\$", {"mark": '"""'}, None, None),
        (r"\$", {"mark": "'"}, None, None),
        (r"\\ \/", {"mark": "`"}, None, None),
        (r"\\ \d", {"mark": "`"}, None, None),
        (r"\\ \n\r\t\b\f\$\`", {"mark": "`"}, "\\ \n\r\t\b\f$`", set()),
        (r"\d", {"mark": "`"}, None, None),
        (r"\\d", {"mark": "`"}, r"\d", set()),
        # Half of the quotes escaped: by a slip, or because the code has both.
        (r'"a" and \"b\"', {"quotes": 2}, None, None),
        # A written line break inside a string of the code, where real ones stand too, or quotes are not escaped.
        ("print('a\\nb')\n", {}, None, None),
        ('print("a\\nb")', {"quotes": 2}, None, None),
        ('x = "a"\\ny = "b"', {"quotes": 4}, 'x = "a"\ny = "b"', {"quotes"}),
        ("x = 'a'\\ny = 'b'\n", {}, "x = 'a'\ny = 'b'\n", {"control_character"}),
        ("'a \" b\\nc'", {"quotes": 1}, "'a \" b\nc'", {"quotes"}),
        ("it's\\nfine\n", {}, "it's\nfine\n", {"control_character"}),
        ("fine\\nit's\n", {}, "fine\nit's\n", {"control_character"}),
        ("'a\n'b\\nc'\n", {}, None, None),
        ("x'\\\\'y\\nz'\n", {}, "x'\\'y\nz'\n", {"control_character"}),
        # Where some backslash was not doubled, no other is sure.
        (r"\\", {"careless": True}, None, None),
        (r"one\ntwo", {"careless": True}, None, None),
        (r"one\rtwo", {"careless": True}, None, None),
        (r"one\/two", {"careless": True}, None, None),
        (r"\u0041", {"careless": True}, None, None),
        (r"one\ttwo", {"careless": True}, None, None),
        (r"one\n\ttwo\n\t\tthree", {"careless": True}, None, None),
        (r"a`one\ntwo`", {"careless": True}, None, None),
        (r"\"\"\"one\ntwo\"\"\"", {"careless": True}, None, None),
        (r"'''one\ntwo'''", {"careless": True}, None, None),
        (r"a `one`\"", {"careless": True}, 'a `one`"', set()),
        (r"it's\nfine", {"careless": True}, None, None),
        (r"'a'\n'b'", {"careless": True}, "'a'\n'b'", set()),
        (r"[^\n]", {"careless": True}, None, None),
        (r"a\n+", {"careless": True}, None, None),
        (r"/\nx", {"careless": True}, None, None),
        (r"*/\nx", {"careless": True}, None, None),
        (r"x\n/y", {"careless": True}, None, None),
        (r"x\n//y", {"careless": True}, "x\n//y", set()),
        (r"\d\n", {"careless": True}, None, None),
        (r"\d one\n", {"careless": True}, None, None),
        (r"src\new", {"careless": True, "plain": True}, "src\\new", {"path_escape"}),
    ],
)
def test_a_text_is_read_one_way_or_not_at_all(
    raw: str, given: dict[str, Any], text: str | None, fixes: set[str] | None
) -> None:
    if text is None:
        with pytest.raises(Ambiguous):
            says(raw, **given)
    else:
        assert says(raw, **given) == (text, fixes)


@pytest.mark.parametrize(
    ("raw", "mark", "unknown"),
    [
        ("plain", '"', ""),
        (r"\n\\d\"\/\u0041\b\f\r\t", '"', ""),
        (r"\d\w\d", '"', "dw"),
        (r"\d\u0041", '"', "d"),
        (r"\\\d", '"', "d"),
        (r"\\\\d\'", '"', "'"),
        (r"\'", "'", ""),
        (r"\x41\U0001f600", "'", ""),
        (r"\x41\U0001f600\d", '"', "xUd"),
        (r"\x41\U0001f600", '"""', "xU"),
        (r"\x4\Users\U0011ffff", "'", "xU"),
        (r"\$\`", "`", ""),
        (r"\$\`", '"', "$`"),
        (r"\u12", '"', "u"),
        ("a\\", "'", {""}),
        ("ab\\n\\\ncd", '"', ""),  # the line goes on in a shell script: its end was written before
    ],
)
def test_what_escapes_nothing_is_found(raw: str, mark: str, unknown: Any) -> None:
    assert unknown_escapes(raw, mark) == set(unknown)


@pytest.mark.parametrize("raw", ["a\\\nb", "a\\\r\nb", "\\d\\\nb", "n\\\nb"])
def test_a_line_that_goes_on_may_be_the_codes_own(raw: str) -> None:
    with pytest.raises(Ambiguous):
        unknown_escapes(raw, '"')


def test_a_quote_behind_an_escaped_backslash_gives_away_a_backslash_that_was_not_doubled() -> None:
    r"""`\\"`: the code has `\\"`, and only its quote was escaped."""
    assert undoubled(r"\d", 0, {"d"}, plain=False)
    assert undoubled(r"a\\" + '"b', 1, set(), plain=False)
    assert undoubled("\\" * 4 + '"', 1, set(), plain=False)
    assert not undoubled(r"a\\" + '"b', 0, set(), plain=False)
    assert not undoubled('a"b', 1, set(), plain=False)
    assert not undoubled(r"a\"b" + '"', 1, set(), plain=False)
    assert not undoubled("\\" * 3 + '"', 1, set(), plain=False)
    assert undoubled("", 0, set(), plain=False) is False


def test_halves_of_a_character_are_put_together() -> None:
    """And one alone stays."""
    assert joined("a\ud83d\ude00é") == "a😀é"
    assert joined("\ud83d a \ude00") == "\ud83d a \ude00"
    for text in ("ascii", "é", "😀", ""):
        assert joined(text) is text


@pytest.mark.parametrize(
    ("raw", "escapes"),
    [
        (r"it\'s", True),
        (r"we\'re here, and they\'ll come;\nI\'d go", True),
        ("João d\\'Ávila", True),
        (r"a >= \'2025-01-01\' AND b = \'PT\'\nORDER BY b", True),
        (r"it's", False),
        (r"'it\'s'", False),
        (r"it's \'so\'", False),
        (r"caf\'e", False),
        (r"\'Etude et \'a", False),
        (r"say \"it\'s\"", False),
        (r"`it\'s`", False),
        (r"it\'s\t", False),
        (r"it\\'s", False),
        (r"C:\it\'s", False),
    ],
)
def test_a_backslash_before_an_apostrophe_escapes_it_in_prose_and_around_words(raw: str, escapes: bool) -> None:
    assert escapes_apostrophes(raw) is escapes
    if escapes:
        assert unknown_escapes(raw, '"') == set()
        says, fixes = decoded(raw, '"', plain=False, quotes=0, careless=False, unknown=set())
        assert (says, fixes) == (raw.replace("\\'", "'").replace("\\n", "\n"), {"apostrophe"})


def test_quotes_around_attributes_may_be_escaped_in_part() -> None:
    raw = r'<a b="c" d=\"e\"><i id="x">y</i></a>'
    assert decoded(raw, '"', plain=False, quotes=4, careless=False, unknown=set()) == (raw.replace("\\", ""), {"quotes"})
    for raw in (r'<a b="c" d=\"e\">"x"</a>', r'f("a=\"b\" c", d="e")'):
        with pytest.raises(Ambiguous):
            decoded(raw, '"', plain=False, quotes=4, careless=False, unknown=set())


@pytest.mark.parametrize(
    ("raw", "breaks"),
    [
        (r"print(\"a\nb\")", True),
        (r"we don't\nit isn't", False),
        (r"f('it\nb')", True),
        (r"the rb's\nb'", True),
        (r"'don't\nb'", True),
        (r"\"\"\"One.\n\nTwo.\"\"\"", False),
        ("'''One.\\nTwo.'''", False),
        (r"if a == '\"':\nif b == '\"':", False),
        (r"a == \"'\"\nb == \"'\"", False),
        (r"a\"\nb", False),
    ],
)
def test_an_escaped_line_break_breaks_a_literal_that_is_open(raw: str, breaks: bool) -> None:
    """Neither an apostrophe opens one, nor a quote between two others, nor the marks of a text over several lines."""
    assert breaks_a_literal(raw, either=False) is breaks


def test_the_marks_of_a_docstring_count_where_a_line_break_may_be_meant_as_it_stands() -> None:
    assert breaks_a_literal(r'''"""One.\nTwo."""''', either=True)
    assert not breaks_a_literal(r"we don't\nmind", either=True)


@pytest.mark.parametrize(
    "raw",
    [
        'if (a) {\\n  x(\\"\ny\\");\\n}', "if (a) {\\n  x\n(b);\\n}", "Dear (\nAnna),\\n", "take 5\n0 mg\\n", "a+b\nc@d.e\\n",
        "an-\nna@x.y", "10:\n30\\n", "see https:\n//a.b", "user\n@x.y\\n", "f(a, \nb)\\n", "f(a,\nb)", "x = [1\n]",
        "foo\n.bar()",
        "y = a.\nb()", "a \nb", "print('a\nb')", "use `a\nb`", "C:\n\\\\x", "a\n-5", "x<\ny", "$\n{x}", "it is. \nThen",
        "version 1.\n5", "Hi *all\n* b", "a {\ncolor: red\\n}", " \n x", "key: v\nother: w\\n", "foo\n bar",
    ],
)  # fmt: skip
def test_a_line_break_in_the_middle_of_something_ends_no_line(raw: str) -> None:
    assert not ends_a_line(raw, raw.index("\n"))


@pytest.mark.parametrize(
    "raw",
    [
        "def f():\n    return 1\\n", "import os\nimport sys\\n", "- a\n- b\\n", "To do:\n- b\\n", "f(\n    a,\\n)", "f(\n)",
        "a {\n}",
        "f(a);\ng(b);\\n", "{\n  a\\n}", "<p>\nhi</p>\\n", "Hi Ann,\n\\nbye", "a,\\n\nbye", "Hi.\nBye.\\n", "x = 1\ny = 2\\n",
        "x = 1;\r\ny = 2\\r\\n", "  x\n}\\n", "/**\n * doc\\n", "return x\n\\n", '@app.get(\\"/\\")\ndef f():\\n', "};\nfoo\\n",
        "| a |\n| b |\\n", "one\n```\\ncode", "x\\n}\nelse {", '\\"\\"\\"Doc.\\"\\"\\"\nimport os\\n', "a\n</p>",
        "a\n// b", "  \n  a",
        "x:\n\ty: 1", "x:\n\\ty: 1", "# a\n## b",
    ],
)  # fmt: skip
def test_one_between_two_statements_sentences_or_items_ends_a_line(raw: str) -> None:
    assert ends_a_line(raw, raw.index("\n"))
