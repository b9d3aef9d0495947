"""Calls in any notation that stand in text which nothing holds back, and may not have ended."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from stream_guard.scan.followers import HEAD
from stream_guard.scan.intent import SEARCHED
from stream_guard.scan.unended import UNREAD, Unended
from stream_guard.testing import by_char, every_split, random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.scanning import composed, followed, followed_at_ease

NOTE = "Action: write_file\nAction Input: "
LEFT_OPEN = [
    '{"tool": "write_file", "content": "a\n',
    'I call {"name": "write_file", "arguments": {"content": "a\n```\n',
    '{"tool": "write_file", "path": "["x"]", "content": "a\n',
    '{"tool": "write_file", "path": "say "no}" to", "content": "a\n',
    '{"tool": "write_file", "path": "a "}" b", "content": "c\n',
    '{tool: "write_file", path: `a`, content: `b\n',
    "{'tool': 'write_file', 'content': 'it\n",
    '"tool": "write_file", "content": "a\\n<tool_call>{\\"name\\": \\"x\\"',
    'so "tool": "write_file", "content": "a\n',
    '"{\\"tool\\": \\"write_file\\", \\"content\\": \\"a\n',
    'write_file(path="a", content="b :)\n',
    'write_file(path="a", content="""b "c" (d)\n',
    "write_file(  # don't\n  path='a', content='b\n",
    "tool: write_file\ncontent: |\n  a\n  ",
    "- name: write_file\n  content: >-\n    a\n\n    ",
    'tool: write_file\ncontent: "a\n\nb\n',
    "tool: write_file\n# so\n\n# and so\ncontent: !!str &a |-  # it\n  a\n  ",
    "tool: write_file\r\nnot a key\r\ncontent: |\r\n",
    "tool: write_file\n? content\n: >\n  a\n\n  ",
    "tool: write_file\ncontent: |\n- a\n\nb\n",
    "write_file:\n  # so\n  content: |\n  a\n",
    "- writeFile:  # so\n    content: &quot;a\n",
    'tool: write_filepath: "a"\ncontent "b\n',
    "tool: write_file content: | # a",
    "tool\uff1a write_file\ncontent; '''a\n",
    "<m:WriteFile>\n<m:content>\na\n",
    'tool = "write_file"\ncontent = """\na\n',
    f'{NOTE}{{"content": "a\n',
    f'{NOTE}{{"content": "say "a", b\n',
    f"{NOTE}a text\n",
    "<write_file>\n<content>a\n",
    "<write-file>\n<content>a\n",
    "<WriteFile><content>a\n",
    '<invoke name="writeFile">\n<parameter name="content">a\n',
    "<tool>write_file</tool>\n<content>a\n",
    "<call><name>write_file</name><path>a</path><content>b\n",
    "<use_tool>write_file\n<content>a\n",
    "<tool_call>write_file\na\n",
    "- <calls> <call><tool>write_file</tool>\n<content>a\n",
    '<invoke name="write_file">\n<parameter name="content">a\n',
    "<function=write_file>\n<parameter=content>a\n",
    "Ok: <write_file>\n<content>a\n",
    "Sure! <write_file><content>a\n",
    "Sure! <writeFile><content>a\n",
    "So <write_file># A title\n",
    "Now: <call><tool>write_file</tool><content>a\n",
    "Now: <call> <name>write_file</name>\n<content>a\n",
    "Ok: <tool_name>write_file</tool_name>\n<content>a\n",
    'Then <invoke name="write_file"><parameter name="content">a\n',
    "With `x`: <function=write_file>\n<parameter=content>a\n",
    '<write_file path="a>b.md">\na\n',
    "So [write_file(`a\n",
    "So `[write_file(content='a\n",
    "Ok: <write-file path=a.md\n  mode=x>a\n",
    f'<write_file path="{HEAD * "a"}">\na\n',
    '<call id="1" name="write_file">\na\n',
    'Ok: <write_file path="a.md"\n  mode="x">a/>\n',
    '<invoke name="write_file">\n<parameter name="content">The closer is </invoke>, then\n',
    "<function=write_file>\n<parameter=content>\n</function>\n</tool_call>\n",
    "<tool_call>write_file\n<arg_key>content</arg_key>\n<arg_value>\n</tool_call>\n",
    '<\uff5cDSML\uff5cinvoke name="write_file">\n<\uff5cDSML\uff5cparameter name="content" string="true">a\n',
    '<\uff5cDSML\uff5cinvoke name="write_file">\n<\uff5cDSML\uff5cparameter name="content">a </\uff5cDSML\uff5cinvoke>\n',
    '<\uff5cDSML\uff5cinvoke name="write_file">\n</\uff5cdsml\uff5cinvoke>\n',
    "<tool_call>write_file<tool_sep>\n<arg_key>content</arg_key>\n<arg_value>a </tool_call>\n",
    "<tool_call>write_file<tool_sep><arg_key>content</arg_key><arg_value>a</arg_value>\n",
    "<tool_call>write_file<tool_sep>\n",
    "&lt;write_file&gt;\n&lt;content&gt;a\n",
    "&lt;write_file>a &lt\n",
    "So &#60;write_file&#x3E;a &\n",
    "&amp;lt;parameter=content&amp;gt;\n&amp;",
    "&lt;call id=&quot;1&quot; name=&quot;write_file&quot;&gt;\na\n",
    "&lt;parameter=content&gt;a &lt;/function&gt;\n",
]
CLOSED = [
    "&lt;write_file&gt;\n&lt;content&gt;a&lt;/content&gt;&LT;/write_file&gt;\n",
    "&lt;write_file path=&quot;a&quot;/&gt;\n",
    "&#0060;write_file&gt;a&amp;lt;/write_file&amp;gt; & b\n",
    "Use `&lt;write_file&gt;`, or &lt;write_file&gt;.\n",
    "if (a &lt; b &amp;&amp; write_file &gt; 1) &l\n",
    '{"tool": "write_file", "content": "a\n"}\n',
    'Use {"tool": "write_file", "content": ...} here.\n',
    '{ tool: "write_file", path: "a", content: "if (x) { it\'s" }\n',
    "{'tool': 'write_file', 'content': 'a'}\n",
    '{\n  // the tool, it\'s "this"\n  "tool": "write_file",\n  "content": "a" // b\n}\n',
    'The key "tool": "write_file" is needed.\n',
    "write_file(path, content) is what I call: it's here.\n",
    "write_file() is one\n",
    "`write_file(` opens it\n",
    "With `[write_file(` it begins\n",
    'write_file(path="a", content="""b "c" (d""")\n',
    "tool: write_file\n\nNow I write it:\n",
    "tool: write_file\n\nI write it.\ncontent |\n",
    'tool: write_file\nNow I do, "so".\npath "a"\n',
    "tool: write_file\ncontent: |\n```\n",
    "write_file:\n  content: |\n    a\n\nSo:\n",
    "tool: write_file\n```python\nx = 'a\n",
    "Tool: write_file\nPath: a\n",
    "tool: write_file\ncontent: |\n  a\n```\n",
    'tool: write_file\npath: "a"\n```\n',
    "Action: write_file\nAction Input:\n",
    f'{NOTE}{{"content": "a"}}\n',
    "<write_file>\n<content>a</content>\n</write_file>\n",
    "<write-file>\n<content>a</content>\n</write-file>\n",
    "The <write_file> tool\n",
    "The tag `<write_file>`\n",
    "With `<write_file>` and `<write_file path='a'>` it is `<tool>write_file</tool>`\n",
    "It is called <write_file>.\n",
    "Its <tool>write_file</tool> is the name\n",
    "The <tool>hammer</tool>\n",
    '<write_file path="a.md" />\n',
    'So <write_file path="a.md"\n  content="b c"/>\n',
    'So <write_file path="a.md"\n  content="b c">d\n</write_file>\n',
    'Ok: <write_file path="a.md">a</write_file>\n',
    "Ok: <write_file><content>a</content></write_file> and so on\n",
    'An <input name="write_file">\n',
    "<call><name>write_file</name><content>a</content></call>\n",
    "<li><name>abc</name>\n",
    "<use_tool>write_file\n<content>a</content>\n</use_tool>\n",
    "<li>write_file\n",
    "<use_tool>the write_file\n",
    "<b>The</b> <name>write_file</name>\n",
    '`{"a": "b...`\n',
    'text.find("{", at)\n',
    "{&#x27;a&#x27;: 1}\n",
    "function f() {\n  return 'a\n",
    f'{"x" * HEAD}{{"a": "b\n',
    '<invoke name="write_file">\n<parameter name="content">a</parameter>\n</invoke>\n',
    "<tool_call>write_file\n<arg_key>content</arg_key>\n<arg_value>a</arg_value>\n</tool_call>\n",
    '<\uff5cDSML\uff5cinvoke name="write_file">\n<\uff5cDSML\uff5cparameter name="content" string="true">a'
    "</\uff5cDSML\uff5cparameter>\n</\uff5cDSML\uff5cinvoke>\n",
    '<|DSML|invoke name="write_file"></|DSML|invoke>\n',
    "<tool_call>write_file<tool_sep>\n<arg_key>content</arg_key>\n<arg_value>a</arg_value>\n</tool_call>\n",
    "<tool_call>write_file<tool_sep></tool_call>\n",
]
PARTS = [
    *LEFT_OPEN,
    *CLOSED,
    "and on it goes,\nline by line,\n" * 5,
    "and on " * 12,
    *"{}()<>:='\"`|#,\t\r\na",
    "\r\n",
    "word ",
    "and so on. ",
    "write_file",
    "x" * 30,
    "x" * (HEAD - 1),
]


NO_CALL: Final = [
    f'{{"a": 1,{2 * SEARCHED * " "}\n',
    '{"a": 1,' + ' "b": [2],\n' * 30,
    f"{{a: 1, {SEARCHED * 'b'}\n",
    f"{{x | x {'> 0 ' * SEARCHED}\n",
    "{a\n" + "it goes on, line by line,\n" * 11,
    "{\n<p>\n",
    "{\n",
    "words {a " + "and more " * 50 + "\n",
]
"""What looks like a call, has no end, and names no tool."""


@pytest.mark.parametrize(("text", "open_"), [*((text, True) for text in LEFT_OPEN), *((text, False) for text in CLOSED)])
def test_it_is_known_at_every_cut_whether_a_value_is_open(text: str, open_: bool) -> None:
    for pieces in (*every_split(text), by_char(text)):
        assert followed(pieces).leaves_open() is open_, pieces


def test_text_may_wait_to_be_read() -> None:
    """Whoever lets text wait, or lets it pass where it need not be seen, hears the same as who adds all of it."""
    for text in composed(PARTS, Random(9), 300, 20):
        whole = followed([text]).leaves_open()
        for pieces in (by_char(text), *random_splits(text, 9, 3)):
            assert followed_at_ease(pieces).leaves_open() is whole, pieces


def test_lines_in_which_nothing_begins_are_skipped_without_a_difference() -> None:
    """Whether many lines are read at once, or each as it comes."""
    for text in composed(PARTS, Random(11), 500, 20):
        each = Unended(FILE_TOOLS)
        for char in text:
            each.add(char)
            each.read_on()
        assert each.leaves_open() is followed([text]).leaves_open(), text


def test_few_pieces_wait_and_no_long_one() -> None:
    unended, most = Unended(FILE_TOOLS), 0
    for piece in (*"a{b" * 100, "x" * 1000):
        unended.add(piece)
        most = max(most, len(unended.passed_unread))
    assert most < UNREAD
    assert unended.passed_unread == []
    unended.add("a")
    unended.restart()
    assert unended.passed_unread == []


@pytest.mark.parametrize("text", CLOSED)
def test_what_has_ended_hides_nothing_behind_it(text: str) -> None:
    if text[-2:] != "a\n":  # a brace of code is followed up to what closes it
        assert followed([f"{text}\n{LEFT_OPEN[0]}"]).leaves_open()


@pytest.mark.parametrize("text", NO_CALL)
def test_what_is_no_call_hides_none_behind_it(text: str) -> None:
    for call in (f"{margin}{call}" for margin in ("", "- ", "> ") for call in LEFT_OPEN if call[0] != '"'):  # JSON may go on so
        for pieces in ([text, call], by_char(text + call), [text + call], ["{\n" * 90, text, call]):
            assert followed(pieces).leaves_open() is followed([call]).leaves_open(), (text, call)


def test_it_begins_anew_where_a_block_has_opened() -> None:
    unended = followed([LEFT_OPEN[0]])
    assert unended.leaves_open()
    assert not unended.leaves_open()


def test_reasoning_begins_no_call_and_ends_none() -> None:
    unended = Unended(FILE_TOOLS)
    unended.quiet = True
    unended.add(LEFT_OPEN[0])
    assert not unended.leaves_open()
    unended.quiet = False
    unended.add(LEFT_OPEN[0])
    unended.quiet = True
    unended.add("<think>\n")
    assert unended.leaves_open()


def test_the_rest_of_a_long_line_need_not_be_seen() -> None:
    unended, inert = Unended(FILE_TOOLS), []
    for piece in ("x" * (HEAD - 1), "x", "\n"):
        unended.add(piece)
        inert.append(unended.line_is_inert)
        unended.quiet = False  # reads what waits
        inert.append(unended.line_is_inert)
    assert inert == [False, False, False, True, False, False]
