"""A body that is not JSON, read as what its writer meant, with everything that was mended; or not read, and why."""

from __future__ import annotations

import math
from typing import Any

import pytest

from stream_guard.fixes.grammar import Grammar
from stream_guard.fixes.reader import read
from stream_guard.fixes.reading import NoReading, Spelt, number
from stream_guard.tools.files import FILE_TOOLS

GRAMMAR = Grammar(FILE_TOOLS)


def told(body: str) -> Any:
    """Values, what was mended where, what was passed over, the callee; or why there is no reading."""
    try:
        found = read(body, GRAMMAR)
    except NoReading as error:
        return str(error)
    for text in found.texts:
        assert 0 < text.start <= text.end <= len(body)
        assert "\\" in body or body[text.start : text.end] == text.says
    edits = [(edit.fix, body[edit.start : edit.end], edit.path) for edit in found.edits]
    return found.values, edits, [body[start:end] for start, end in found.skipped], found.callee


@pytest.mark.parametrize(
    ("body", "reading"),
    [
        ('{"tool": "rm", "path": "a"}', (({"tool": "rm", "path": "a"},), [], [], None)),
        ("[]", (([],), [], [], None)),
        ("{}", (({},), [], [], None)),
        ("[{}]", (([{}],), [], [], None)),
        (
            '[[1, [2]], {"a": {"b": [true, null]}}]',
            (([[1, [2]], {"a": {"b": [True, None]}}],), [], ["1", "2", "true", "null"], None),
        ),
        (
            '{"a": True, "b": False, "c": None, "d": true, "e": false, "f": null}',
            (
                ({"a": True, "b": False, "c": None, "d": True, "e": False, "f": None},),
                [("literal", "True", ("a",)), ("literal", "False", ("b",)), ("literal", "None", ("c",))],
                ["True", "False", "None", "true", "false", "null"],
                None,
            ),
        ),
        (
            '{"a": -0, "b": 10, "c": 1.50, "d": -2e3, "e": 0.1E-2}',
            (({"a": -0.0, "b": 10, "c": 1.5, "d": -2000.0, "e": 0.001},), [], ["-0", "10", "1.50", "-2e3", "0.1E-2"], None),
        ),
        ('{"a": 01}', "broken"),
        ('{"a": 1.}', "broken"),
        ('{"a": .5}', "broken"),
        ('{"a": 1x}', "broken"),
        ('{"a": truest}', "broken"),
        ('{"a": +1}', "broken"),
        ('{"a": NaN}', "broken"),
        ('{"tool": rm, "path": "a"}', (({"tool": "rm", "path": "a"},), [("bare_word", "rm", ("tool",))], [], None)),
        ('{"tool": write_file}', (({"tool": "write_file"},), [("bare_word", "write_file", ("tool",))], [], None)),
        ('{"tool": other}', "broken"),
        ('{"path": rm}', "broken"),
        ("rm", "broken"),
        ("{rm}", "broken"),
        (
            "{tool: 'rm', 'path': \"a\"}",
            (
                ({"tool": "rm", "path": "a"},),
                [("bare_key", "tool", ("tool",)), ("quote_marks", "'", ("tool",)), ("quote_marks", "'path'", ("path",))],
                [],
                None,
            ),
        ),
        ('{tool": "rm", "path": "a"}', (({"tool": "rm", "path": "a"},), [("key_quote", 'tool"', ("tool",))], [], None)),
        (
            "{tool': 'rm', path”: 'a'}",
            "broken",
        ),
        (
            "{“tool”: “rm”, „path“: „a“}",
            (
                ({"tool": "rm", "path": "a"},),
                [
                    ("quote_marks", "“tool”", ("tool",)),
                    ("quote_marks", "“", ("tool",)),
                    ("quote_marks", "„path“", ("path",)),
                    ("quote_marks", "„", ("path",)),
                ],
                [],
                None,
            ),
        ),
        (
            "{`tool`: `rm`}",
            (({"tool": "rm"},), [("quote_marks", "`tool`", ("tool",)), ("quote_marks", "`", ("tool",))], [], None),
        ),
        (
            '{"tool" = "rm", "path" => "a", "x" :: 1}',
            (
                ({"tool": "rm", "path": "a", "x": 1},),
                [("separator", "=", ("tool",)), ("separator", "=>", ("path",)), ("separator", "::", ("x",))],
                ["1"],
                None,
            ),
        ),
        ('{"tool" "rm"}', "broken"),
        ('{"a b": 1, a-b: 2, $c: 3, a b: 4}', "broken"),
        ('{"a": 1, "a": 1}', (({"a": 1},), [("repeated_key", '"a"', ("a",))], ["1", "1"], None)),
        ('{"a": 1, "a": 2}', "ambiguous"),
        ('{"a": {"b": 1}, "b": 1}', (({"a": {"b": 1}, "b": 1},), [], ["1", "1"], None)),
        ('{"x": 1, "path": "a"}', (({"x": 1, "path": "a"},), [], ["1"], None)),
        ('{"tool": "rm",}', (({"tool": "rm"},), [("trailing_comma", ",", ("tool",))], [], None)),
        ("[1, 2,]", (([1, 2],), [("trailing_comma", ",", (2,))], ["1", "2"], None)),
        ("[1,, 2]", "broken"),
        (
            '{"tool": "rm",,, "path": "a"}',
            (({"tool": "rm", "path": "a"},), [("extra_comma", ",", ("tool",)), ("extra_comma", ",", ("tool",))], [], None),
        ),
        ('{"tool": "rm" "path": "a"}', (({"tool": "rm", "path": "a"},), [("missing_comma", "", ("tool",))], [], None)),
        ('{"tool": "rm" "other": "a"}', "broken"),
        (
            '[{"tool": "rm"} {"tool": "rm", "path": "b"}]',
            (([{"tool": "rm"}, {"tool": "rm", "path": "b"}],), [("missing_comma", "", (1,))], [], None),
        ),
        ("[1 2]", "broken"),
        ('{"path": "a" ,\n}', (({"path": "a"},), [("trailing_comma", ",", ("path",))], [], None)),
        (
            '{"path": "a",',
            "broken",
        ),
        ("[1,", "broken"),
        ("{,}", "broken"),
        ("[,1]", "broken"),
        (
            '{"path": "a",, }',
            (({"path": "a"},), [("extra_comma", ",", ("path",)), ("trailing_comma", ",", ("path",))], [], None),
        ),
        ('{"tool": "rm", "path": "a"', (({"tool": "rm", "path": "a"},), [("missing_bracket", "", ("path",))], [], None)),
        (
            '[{"path": "a"',
            "broken",
        ),
        (
            '{"a": [1, {"b": 2',
            "broken",
        ),
        ('{"path": "a', "broken"),
        ('{"path": "a"}}]', (({"path": "a"},), [("extra_closer", "}]", ())], ["}]"], None)),
        ('{"path": "a"};', (({"path": "a"},), [("extra_closer", ";", ())], [";"], None)),
        ('{"path": "a"}, ', (({"path": "a"},), [("extra_closer", ", ", ())], [", "], None)),
        ('{"path": "a"})', (({"path": "a"},), [("extra_closer", ")", ())], [")"], None)),
        ('{"path": "a"} </tool>', (({"path": "a"},), [("wrapper", "</tool>", ())], ["</tool>"], None)),
        ('{"path": "a"}</tool> bye', (({"path": "a"},), [("prose", "</tool> bye", ())], ["</tool> bye"], None)),
        ('<json>{"path": "a"}</tool>', "broken"),
        ('{"path": "a"} bye', (({"path": "a"},), [("prose", "bye", ())], ["bye"], None)),
        ('{"path": "a"}bye', "broken"),
        ('{"path::""a"}', "broken"),
        ('{"path:" "a"}', "broken"),
        ('{"path": "a"} "bye"', "broken"),
        ('{"path": "a"}]bye', "broken"),
        ('{{"path": "a"}}', (({"path": "a"},), [("doubled_brace", "{{", ())], [], None)),
        (
            '{{"path": "a"}',
            (({"path": "a"},), [("doubled_brace", "{{", ()), ("missing_bracket", "", ("path",))], [], None),
        ),
        ('{{"path": "a"} }', "broken"),
        ('{{"path": {{"a": 1}}', "broken"),
        ('{"a": {{"b": 1}}}', (({"a": {"b": 1}},), [("doubled_brace", "{{", ("a",))], ["1"], None)),
        ('["tool": "rm", "path": "a"]', (({"tool": "rm", "path": "a"},), [("square_object", "[", ())], [], None)),
        ('[tool: "rm"]', (({"tool": "rm"},), [("square_object", "[", ()), ("bare_key", "tool", ("tool",))], [], None)),
        ('{"a": ["b": 1]}', "broken"),
        ('{"a": [1}', "broken"),
        ('{"a": 1]', "broken"),
        (
            '{"tool": "rm", "path": "a"}{"tool": "rm", "path": "a"}',
            (({"tool": "rm", "path": "a"}, {"tool": "rm", "path": "a"}), [("several_objects", "", ())], [], None),
        ),
        (
            '{"tool": "rm", "path": "a"}\n{"tool": "rm", "path": "a"}',
            (({"tool": "rm", "path": "a"}, {"tool": "rm", "path": "a"}), [("several_objects", "", ())], [], None),
        ),
        (
            '{"tool": "rm", "path": "a"};\n{"tool": "rm", "path": "a"}',
            (({"tool": "rm", "path": "a"}, {"tool": "rm", "path": "a"}), [("several_objects", ";\n", ())], [], None),
        ),
        (
            '{"tool": "rm", "path": "a"}, {"tool": "rm", "path": "a"}',
            (({"tool": "rm", "path": "a"}, {"tool": "rm", "path": "a"}), [("several_objects", ", ", ())], [], None),
        ),
        ('{"tool": "rm", "path": "a"} then {"tool": "rm", "path": "a"}', "broken"),
        ('{"tool": "rm", "path": "a"}]{"tool": "rm", "path": "a"}', "broken"),
        (
            '{"tool": "rm", "path": "a"}\n// x\n{"tool": "rm", "path": "a"}',
            (
                ({"tool": "rm", "path": "a"}, {"tool": "rm", "path": "a"}),
                [("comment", "// x", ()), ("several_objects", "", ())],
                ["// x"],
                None,
            ),
        ),
        ('Here: {"tool": "rm", "path": "a"}', (({"tool": "rm", "path": "a"},), [("prose", "Here: ", ())], ["Here: "], None)),
        ('He said "x": {"tool": "rm", "path": "a"}', "broken"),
        ('rm({"path": "a"})', (({"path": "a"},), [("extra_closer", ")", ())], ["rm(", ")"], "rm")),
        ('run({"path": "a"})', (({"path": "a"},), [("extra_closer", ")", ())], ["run(", ")"], "run")),
        (
            'call rm( {"path": "a"} );',
            (({"path": "a"},), [("prose", "call ", ()), ("extra_closer", ");", ())], ["rm( ", "call ", ");"], "rm"),
        ),
        ('Look [{"path": "a"}]', (([{"path": "a"}],), [("prose", "Look ", ())], ["Look "], None)),
        ('a [x] {"tool": "rm", "path": "a"}', (({"tool": "rm", "path": "a"},), [("prose", "a [x] ", ())], ["a [x] "], None)),
        (
            'x = {"tool": "rm", "path": "a"}\nDone.',
            (({"tool": "rm", "path": "a"},), [("prose", "x = ", ()), ("prose", "Done.", ())], ["x = ", "Done."], None),
        ),
        ("nothing", "broken"),
        ("", "broken"),
        ("   ", "broken"),
        (
            '\ufeff{"path":\xa0"a"}\u200b',
            (
                ({"path": "a"},),
                [("invisible", "\ufeff", ()), ("invisible", "\xa0", ("path",)), ("invisible", "\u200b", ())],
                [],
                None,
            ),
        ),
        ('{"path": "a" // x\n}', (({"path": "a"},), [("comment", "// x", ("path",))], ["// x"], None)),
        ('{"path": "a", # x\n "tool": "rm"}', (({"path": "a", "tool": "rm"},), [("comment", "# x", ("path",))], ["# x"], None)),
        ('{/* a */"path": /* b */"a"/* c */}', "broken"),
        ('// first\n{"path": "a"}', (({"path": "a"},), [("comment", "// first", ())], ["// first"], None)),
        ('{"path": "a"} // last', (({"path": "a"},), [("comment", "// last", ())], ["// last"], None)),
        ('{"path": "a" // "x"\n}', "broken"),
        ('{"path": "a"// x\n}', "broken"),
        ('{"path": "a" /* x }', "broken"),
        ('{"a": 1 # x', "broken"),
        ('{"a": #fff}', "broken"),
        (
            '{"path": "a", "content": "say "hi" to"}',
            (({"path": "a", "content": 'say "hi" to'},), [("quotes", 'say "hi" to', ("content",))], [], None),
        ),
        ('{"path": "a", "content": "x", "y": "z"}', (({"path": "a", "content": "x", "y": "z"},), [], [], None)),
        (
            '{"content": "a", b", "path": "p"}',
            "ambiguous",
        ),
        (
            '{"content": "a "b", "path": "p"}',
            "ambiguous",
        ),
        ('{"path": "a"b"}', "broken"),
        ('{"content": "a" "path": "b"}', (({"content": "a", "path": "b"},), [("missing_comma", "", ("content",))], [], None)),
        (
            '{"content": "one.\nTwo"}',
            (({"content": "one.\nTwo"},), [("control_character", "one.\nTwo", ("content",))], [], None),
        ),
        ('{"path": "one\ntwo"}', "broken"),
        ("{\"content\": 'it\\'s'}", (({"content": "it's"},), [("quote_marks", "'", ("content",))], [], None)),
        ('{"content": `x${y}`}', "ambiguous"),
        ('{"content": `x\\${y}`}', (({"content": "x${y}"},), [("quote_marks", "`", ("content",))], [], None)),
        ('{"content": """a b c"""}', "ambiguous"),
        ('{"content": """a ""b"" c"""}', "ambiguous"),
        ('{"content": """a", "b"""}', "ambiguous"),
        ('{"content": """a "b" c"""}', (({"content": 'a "b" c'},), [("quote_marks", '"""', ("content",))], [], None)),
        (
            "{'content': '''a 'b' c'''}",
            (
                ({"content": "a 'b' c"},),
                [("quote_marks", "'content'", ("content",)), ("quote_marks", "'''", ("content",))],
                [],
                None,
            ),
        ),
        (  # an attribute, and an argument: no members
            '{"tool": "write_file", "content": "<a b="c" type="d">"}',
            (
                ({"tool": "write_file", "content": '<a b="c" type="d">'},),
                [("quotes", '<a b="c" type="d">', ("content",))],
                [],
                None,
            ),
        ),
        (
            '{"content": "f(a="b", c="d")"}',
            (({"content": 'f(a="b", c="d")'},), [("quotes", 'f(a="b", c="d")', ("content",))], [], None),
        ),
        ('{"content": ""}', (({"content": ""},), [], [], None)),
        ('{"content": """"}', "broken"),
        ('{"content": "", "path": ""}', (({"content": "", "path": ""},), [], [], None)),
        ('{"content": “a”}', (({"content": "a"},), [("quote_marks", "“", ("content",))], [], None)),
        ('{"content": "a”}', "ambiguous"),
        ('{"content": “a"}', (({"content": "a"},), [("quote_marks", "“", ("content",))], [], None)),
        (
            '{"content": “a “b” c”}',
            "ambiguous",
        ),
        (
            "{\"content\": 'a', \"path\": 'b'}",
            (({"content": "a", "path": "b"},), [("quote_marks", "'", ("content",)), ("quote_marks", "'", ("path",))], [], None),
        ),
        ('{"content": "a\\", "path": "b"}', "ambiguous"),
        ('{"content": "a\\"}', "broken"),
        ('{"content": "x": "y"}', "ambiguous"),
        ('{"content": "a" + "b"}', "ambiguous"),
        ('{"content": "a"\n+ "b"}', (({"content": "ab"},), [("concatenation", "+", ("content",))], [], None)),
        ('{"content": "a\\n" + "b"}', (({"content": "a\nb"},), [("concatenation", "+", ("content",))], [], None)),
        (
            '{"content": "a" +\n "b" +\n \'c\'}',
            (
                ({"content": "abc"},),
                [
                    ("concatenation", "+", ("content",)),
                    ("concatenation", "+", ("content",)),
                    ("quote_marks", "'", ("content",)),
                ],
                [],
                None,
            ),
        ),
        (
            '{"content": "a"b" +\n "c"}',
            "ambiguous",
        ),
        ('{"content": "a" +\n 1}', "broken"),
        ('{"content": 1 + "a"}', "broken"),
        ('{"content": "a" + x}', "broken"),
        ('{"content": ("a" "b")}', "broken"),
        ('{"content": ("a"\n"b")}', (({"content": "ab"},), [("parenthesis", "(", ("content",))], [], None)),
        (
            '{"content": ("a"\n\'b\' )}',
            (({"content": "ab"},), [("parenthesis", "(", ("content",)), ("quote_marks", "'", ("content",))], [], None),
        ),
        ('{"content": (1)}', "broken"),
        ('{"content": ["a", ("b")]}', "broken"),
        ('{"content": ("a", "b")}', "broken"),
        ('{"content": ("a"}', "broken"),
        ('{"content": "a\\ud83d" +\n"\\ude00"}', (({"content": "a😀"},), [("concatenation", "+", ("content",))], [], None)),
        ('{"content": "\\ud83d\\ude00\\d"}', "ambiguous"),
        (
            '{"path": "a\\tb\\d"}',
            (({"path": "a\\tb\\d"},), [("escape", "a\\tb\\d", ("path",)), ("path_escape", "a\\tb\\d", ("path",))], [], None),
        ),
        ('{"content": "a\\d\\n"}', "ambiguous"),
        (
            '{"content": "x \\d", "path": "a\\n"}',
            "ambiguous",
        ),
        (
            '{"content": "// no", "path": "a" // yes\n}',
            (({"content": "// no", "path": "a"},), [("comment", "// yes", ("path",))], ["// yes"], None),
        ),
        ('{"content": "a "b" // c", "path": "d" // yes\n}', "ambiguous"),
        ('{"x": "a "b", "path": "p"}', "ambiguous"),
        (
            '{"x": "a", "path": "p", "y": "b"c"}',
            "ambiguous",
        ),
        (
            '{"search_replace": {"old_string": "a"b", "new_string": "c"}, "path": "p",}',
            "ambiguous",
        ),
        ('{"a": [1, "x"y", 2]}', "ambiguous"),
        ('[ "a", "b" ]', ((["a", "b"],), [], [], None)),
        (
            '{"tool_calls": [{"function": {"name": rm, "arguments": {"path": "a"}}}]}',
            (
                ({"tool_calls": [{"function": {"name": "rm", "arguments": {"path": "a"}}}]},),
                [("bare_word", "rm", ("tool_calls", 0, "function", "name"))],
                [],
                None,
            ),
        ),
        ('{"content": "a"}  }  ', (({"content": "a"},), [("extra_closer", "}  ", ())], ["}  "], None)),
        ('{"content": "x" , "path": "y" }\n\n', (({"content": "x", "path": "y"},), [], [], None)),
        ("{'path': 'a\", 'content': 'b'}", "broken"),
        ('{"tool": "write_file", "content": "a", "path": "b" "tool": "x"}', "ambiguous"),
        ('["a" "b"]', "broken"),
        ('{"content": "x",\n"path" : {"q": 1}\n}', (({"content": "x", "path": {"q": 1}},), [], ["1"], None)),
        (
            '{"content": "1" /* c */ , "path": "2"}',
            (({"content": "1", "path": "2"},), [("comment", "/* c */", ("content",))], ["/* c */"], None),
        ),
        (
            '{"content": "a" # no\n"}',
            "ambiguous",
        ),
        ('{"tags": ["u", x"]}', "broken"),
        ('["a", "b" "c"]', "broken"),
        ('["a. "b"]', "broken"),
        (
            '[["a"], {"b": \'c\'}, "d",]',
            (([["a"], {"b": "c"}, "d"],), [("quote_marks", "'", (1, "b")), ("trailing_comma", ",", (3,))], [], None),
        ),
        ('{"content": ""x"}', "ambiguous"),
        ('{"content": "x""}', "ambiguous"),
        ('{"content": ""x" and"}', (({"content": '"x" and'},), [("quotes", '"x" and', ("content",))], [], None)),
        ('{"content": """x""}', "broken"),
        (
            '{"content": "a", \'path": "b"}',
            "ambiguous",
        ),
        ('{"a\\": 1}', "broken"),
        ('{"content": "C:\\", "path": "b"}', "ambiguous"),
        ('{"path": "a.txt, "content": "x"}', "broken"),
        ('{"path": "a"; "content": "x"}', "broken"),
        (
            '{"content": "it is. "path": "a"}',
            "ambiguous",
        ),
        ('{"content": "x" "path": "a"}', (({"content": "x", "path": "a"},), [("missing_comma", "", ("content",))], [], None)),
        ('{"content": "x " "path": "a"}', "ambiguous"),
        ('{"content": "x "path": "a"}', "ambiguous"),
        (
            "{'path': 'a' // it's\n}",
            (
                ({"path": "a"},),
                [("quote_marks", "'path'", ("path",)), ("quote_marks", "'", ("path",)), ("comment", "// it's", ("path",))],
                ["// it's"],
                None,
            ),
        ),
        ('{"path": "a" // it\'s\n}', (({"path": "a"},), [("comment", "// it's", ("path",))], ["// it's"], None)),
        ('{"content": "a\\ud83d\\n" + "b"}', (({"content": "a\ud83d\nb"},), [("concatenation", "+", ("content",))], [], None)),
        ('{"content": ("a\\ud83d"\n"\\ude00")}', (({"content": "a😀"},), [("parenthesis", "(", ("content",))], [], None)),
        (
            '{"content": "a\\n" + "b\\n" + "c"}',
            (({"content": "a\nb\nc"},), [("concatenation", "+", ("content",)), ("concatenation", "+", ("content",))], [], None),
        ),
        (
            '{"content": ("a"\n"b") +\n"c"}',
            (({"content": "abc"},), [("parenthesis", "(", ("content",)), ("concatenation", "+", ("content",))], [], None),
        ),
        ('{"a": [("x"\n"y")]}', "broken"),
        ('{"a": ["x\\n" + "y", 1 + 2]}', "broken"),
        ('{"path": "p" +\n"q"}', (({"path": "pq"},), [("concatenation", "+", ("path",))], [], None)),
        ('{"path": "p\\n" + "q"}', "ambiguous"),
        ('{"content": "a" /* " */}', "broken"),
        ('{"content": {"a": 1} + "x"}', "broken"),
        ('{"path": "a",\xa0"tool": "rm"}', (({"path": "a", "tool": "rm"},), [("invisible", "\xa0", ("path",))], [], None)),
        (
            '{ /* a */ "path": /* b */ "a" /* c */ }',
            (
                ({"path": "a"},),
                [("comment", "/* a */", ("",)), ("comment", "/* b */", ("path",)), ("comment", "/* c */", ("path",))],
                ["/* a */", "/* b */", "/* c */"],
                None,
            ),
        ),
        ('{"path": "a"} \xa0 ; ', (({"path": "a"},), [("invisible", " \xa0 ", ()), ("extra_closer", "; ", ())], ["; "], None)),
        ('{"tool": \'rm\', "path": "a\'b"}', (({"tool": "rm", "path": "a'b"},), [("quote_marks", "'", ("tool",))], [], None)),
        ("{'content': \"it's\"}", (({"content": "it's"},), [("quote_marks", "'content'", ("content",))], [], None)),
        ('{"content": "x" \t\r\n}', (({"content": "x"},), [], [], None)),
        ('{"x": {"y": "a"b"}, "path": "p"}', "ambiguous"),
        (
            '{"path": “a”, "content": "b“c”d"}',
            "ambiguous",
        ),
        ('{"path": "a"”}', "broken"),
        ('{"content": "a” b"}', (({"content": "a” b"},), [], [], None)),
        (
            '{"content": "a” b", "path": "c”}',
            "ambiguous",
        ),
        ('{"tool": "rm", "path": ["a", "b"]}', (({"tool": "rm", "path": ["a", "b"]},), [], [], None)),
        (
            "```\n{\"path\": 'a'}",
            (({"path": "a"},), [("wrapper", "```\n", ()), ("quote_marks", "'", ("path",))], ["```\n"], None),
        ),
        (
            '{"content": "a"\n"path": "b"\n}',
            (({"content": "a", "path": "b"},), [("missing_comma", "", ("content",))], [], None),
        ),
        (
            '{"content": "a"\n\'path\': "b"}',
            (
                ({"content": "a", "path": "b"},),
                [("missing_comma", "", ("content",)), ("quote_marks", "'path'", ("path",))],
                [],
                None,
            ),
        ),
        (
            '{"content": "a" path: "b"}',
            (
                ({"content": "a", "path": "b"},),
                [("missing_comma", "", ("content",)), ("bare_key", "path", ("path",))],
                [],
                None,
            ),
        ),
        ('{"content": "a", "path": "b"', (({"content": "a", "path": "b"},), [("missing_bracket", "", ("path",))], [], None)),
        ('{"path": "b", "x": true', "broken"),
        ('{"path": "b", "x": 1', "broken"),  # a number may go on
        ('{"path": "b", "x": None', "broken"),
        ('{"path": "b", "x": true,', "broken"),
        (
            '{"content": "a", "path": ["b"',
            "broken",
        ),
        (
            '{"x": ["tap "log in"", "wait"]}',
            (({"x": ['tap "log in"', "wait"]},), [("quotes", 'tap "log in"', ("x", 0))], [], None),
        ),
        ('{"x": ["tap "log in""]}', (({"x": ['tap "log in"']},), [("quotes", 'tap "log in"', ("x", 0))], [], None)),
        ('{"x": ["tap "log in" "", "wait"]}', "broken"),
        ('{"x": ["tap", "log in"", "wait"]}', "broken"),
        ('{"x": ["tap" "log in", "wait"]}', "broken"),
        (
            '{"search_replace": {"old_string": "a", "new_string": "b"',
            "broken",
        ),
        ('{"search_replace": {"old": "a", "new": "b"}, "path" "c"}', "broken"),
        (
            '{"a": 1, "b": 2} {"a": 1} x',
            (({"a": 1, "b": 2}, {"a": 1}), [("several_objects", "", ()), ("prose", "x", ())], ["1", "2", "1", "x"], None),
        ),
        (
            '{"tool": "rm", "path": "a"};{"tool": "rm", "path": "a"}',
            (({"tool": "rm", "path": "a"}, {"tool": "rm", "path": "a"}), [("several_objects", ";", ())], [], None),
        ),
        ('{"tool": "rm", "path": "a"};;,{"tool": "rm", "path": "a"}', "broken"),
        ('{"path": "a"}\n\n```', (({"path": "a"},), [("wrapper", "```", ())], ["```"], None)),
        ('{"path": "a"}></x>', "broken"),
        ('{"content": "x"}}}}}}', (({"content": "x"},), [("extra_closer", "}}}}}", ())], ["}}}}}"], None)),
        ("[[[]]]", (([[[]]],), [], [], None)),
        (
            '{"a": 12345678901234567890, "b": 1e400}',
            (({"a": 12345678901234567890, "b": math.inf},), [], ["12345678901234567890", "1e400"], None),
        ),
        ('{"tool": "rm", "path" : “a"b”}', "broken"),
        ('{"path": "a"}</x>bye', (({"path": "a"},), [("prose", "</x>bye", ())], ["</x>bye"], None)),
        (
            '{"content": "a\\n" + `b`}',
            (({"content": "a\nb"},), [("concatenation", "+", ("content",)), ("quote_marks", "`", ("content",))], [], None),
        ),
        ('{"content": "a\\n" +"b"}', (({"content": "a\nb"},), [("concatenation", "+", ("content",))], [], None)),
        (
            '{"content": "a\\n" +\'b\'}',
            (({"content": "a\nb"},), [("concatenation", "+", ("content",)), ("quote_marks", "'", ("content",))], [], None),
        ),
        (
            '{"content": ("a"\n\'b\')}',
            (({"content": "ab"},), [("parenthesis", "(", ("content",)), ("quote_marks", "'", ("content",))], [], None),
        ),
        ("[#c\n1]", (([1],), [("comment", "#c", ())], ["#c", "1"], None)),
        ('{#c\n"a": 1}', (({"a": 1},), [("comment", "#c", ("",))], ["#c", "1"], None)),
        ('{"a": 1,#c\n"b": 2}', (({"a": 1, "b": 2},), [("comment", "#c", ("a",))], ["1", "#c", "2"], None)),
        ('{"a": 1;#c\n}', "broken"),
        ('{"content": """path": "b"}', (({"content": "", "path": "b"},), [("missing_comma", "", ("content",))], [], None)),
        ('{"content": """\n"path": "b"}', "broken"),
        ('{"path”: "a"}', (({"path": "a"},), [("quote_marks", '"path”', ("path",))], [], None)),
        ('{”path": "a"}', (({"path": "a"},), [("quote_marks", '”path"', ("path",))], [], None)),
        ('[{"tool": rm, "path": "a"}]', (([{"tool": "rm", "path": "a"}],), [("bare_word", "rm", (0, "tool"))], [], None)),
        ('{"a": [rm]}', "broken"),
        ("[rm]", ((["rm"],), [("bare_word", "rm", (0,))], [], None)),
        ('{"a": "b"\xa0\xa0, "path": "c"}', (({"a": "b", "path": "c"},), [("invisible", "\xa0\xa0", ("a",))], [], None)),
        ('{"content": "a"   ,"path": "b"}', (({"content": "a", "path": "b"},), [], [], None)),
        (
            '{"content": "a"x, "path": "b"}',
            "ambiguous",
        ),
        ('{"content": "a" ,, "path": "b"}', (({"content": "a", "path": "b"},), [("extra_comma", ",", ("content",))], [], None)),
        (
            '{"content": "a",#c\n"path": "b"}',
            (({"content": "a", "path": "b"},), [("comment", "#c", ("content",))], ["#c"], None),
        ),
        ('["a",#c\n"b"]', ((["a", "b"],), [("comment", "#c", (1,))], ["#c"], None)),
        ('["a",,]', "broken"),
        ('["x", true]', ((["x", True],), [], ["true"], None)),
        ('["x", -1]', ((["x", -1],), [], ["-1"], None)),
        ("['a', 'b']", ((["a", "b"],), [("quote_marks", "'", (0,)), ("quote_marks", "'", (1,))], [], None)),
        ('["a"; "b"]', "broken"),
        ('x [{"path": "a"}] y [{', "broken"),
        ('{"path": "a"} {', "broken"),
        (
            '{"content": "a" +\n"b", "path": "c"}',
            (({"content": "ab", "path": "c"},), [("concatenation", "+", ("content",))], [], None),
        ),
        (
            '{"content": "a"\n+"b",\n"path": "c"}',
            (({"content": "ab", "path": "c"},), [("concatenation", "+", ("content",))], [], None),
        ),
        ('[1] + "x"', "broken"),
        ("+", "broken"),
        ('{"content": + "a"}', "broken"),
        ('{"content": 1 "path": "b"}', (({"content": 1, "path": "b"},), [("missing_comma", "", ("content",))], ["1"], None)),
        ('{"a": {"b": 1} "path": "c"}', (({"a": {"b": 1}, "path": "c"},), [("missing_comma", "", ("a",))], ["1"], None)),
        ('{"a": (1 "b")}', "broken"),
        ('{"a": ("b" 1)}', "broken"),
        ('{"content": "C:\\\\" +\n"D"}', (({"content": "C:\\D"},), [("concatenation", "+", ("content",))], [], None)),
        (
            '{"path": "a", "content": `a` +\n`b`}',
            (
                ({"path": "a", "content": "ab"},),
                [("quote_marks", "`", ("content",)), ("concatenation", "+", ("content",)), ("quote_marks", "`", ("content",))],
                [],
                None,
            ),
        ),
        ("[]{}", (([], {}), [("several_objects", "", ())], [], None)),
        ("{}[]", "broken"),
        ("[1]\n[2]", "broken"),
        ('{"a": 1}\n[2]', "broken"),
        ('{"path": "a" "b"}', "broken"),
        (
            '{"content": "a "b" "c", "path": "d"}',
            "ambiguous",
        ),
        (
            '{"tool": "rm", "path": "a",\n// note: "x"\n}',
            (
                ({"tool": "rm", "path": "a"},),
                [("comment", '// note: "x"', ("path",)), ("trailing_comma", ",", ("path",))],
                ['// note: "x"'],
                None,
            ),
        ),
        ('{"a": (1 2)}', "broken"),
        ("['a, \"b\"',]", ((['a, "b"'],), [("quote_marks", "'", (0,)), ("trailing_comma", ",", (1,))], [], None)),
        ('{"a": true# x\n}', "broken"),
        (
            'Here: {{"path": "a"}}',
            (({"path": "a"},), [("prose", "Here: ", ()), ("doubled_brace", "{{", ())], ["Here: "], None),
        ),
    ],
)
def test_a_body_is_read_one_way_or_not_at_all(body: str, reading: Any) -> None:
    assert told(body) == reading


def test_numbers_keep_their_spelling() -> None:
    """Where a text was meant, it is the spelling that counts."""
    assert [type(number(word)) for word in ("1", "-12", "0")] == [int, int, int]
    for word in ("1.10", "-0", "1e3", "2E-7", "-0.5"):
        made = number(word)
        assert isinstance(made, Spelt)
        assert (made.word, made == float(word)) == (word, True)
    assert number("9" * 300) == int("9" * 300)
    for word in ("9" * 301, "1." + "0" * 299):
        with pytest.raises(NoReading, match=r"^broken$"):
            number(word)


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ("[" * 63 + "{'a': 1}" + "]" * 63, "[" * 64 + "{'a': 1}" + "]" * 64),
        ("[" + "1," * 1_998 + "2,]", "[" + "1," * 1_999 + "2,]"),
    ],
)
def test_the_work_is_bounded(body: str, bound: str) -> None:
    """By how deep it goes, and by how many values are read."""
    assert read(body, GRAMMAR).values
    with pytest.raises(NoReading, match=r"^costly$"):
        read(bound, GRAMMAR)


def test_so_many_choices_are_followed_and_no_more() -> None:
    """Each quote that may end the text is one."""
    assert told('{"content": "' + 'x", "y": z" ' * 40 + "~}") == "broken"
    assert told('{"content": "' + 'x", "y": z" ' * 600 + "~}") == "costly"


def test_so_much_is_mended_and_no_more() -> None:
    """Commas that are one too many, and quotes in the texts of a list."""
    assert read('{"path": "a"' + "," * 1_999 + "}", GRAMMAR).values
    assert told('{"path": "a"' + "," * 2_001 + "}") == "costly"
    assert told("[" + "'it's', " * 1_500 + "'x']") == "costly"
