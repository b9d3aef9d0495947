"""The calls of dialects in the plain form, and the types of their values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stream_guard import Limits, Toolset
from stream_guard.dialects.call import Form, RawCall, Value
from stream_guard.dialects.tables import of_name
from stream_guard.judge.plain_form import _STRING, plain_form
from stream_guard.schema.json_text import accepts
from stream_guard.values.block import Block
from tests.kit.dialects import tool

KINDS: dict[str, Any] = {
    "text": {"type": "string"},
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "list": {"type": "array"},
    "map": {"type": "object"},
    "one": {"enum": [1, 2]},
    "word": {"enum": ["a", "1"]},
    "maybe": {"anyOf": [{"type": "object"}, {"type": "null"}]},
    "either": {"type": ["string", "integer"]},
    "id": {"anyOf": [{"type": "string", "pattern": "^x"}, {"type": "integer"}]},
    "maybe_text": {"type": ["string", "object", "null"]},
    "free": {},
    "item.count": {"type": "integer"},
    "item/count": {"type": "integer"},
    "/count": {"type": "integer"},
    "count[0]": {"type": "integer"},
}
TOOLS = Toolset(tool("f", **KINDS))
BLOCK = Block("raw", "raw", "closed", ambiguous=False, canonical=False, dialect="hermes")


def form(*calls: RawCall) -> list[Block]:
    return list(plain_form(BLOCK, calls, TOOLS, Limits(), of_name("hermes")))


def value(key: str, text: str, form_: Form = "untyped") -> Any:
    """The value that a text is, "unclear" where it may be two, and None where it is no JSON."""
    (block,) = form(RawCall("f", ((key, Value(text, form_)),)))
    if block.unclear:
        return "unclear"
    try:
        return json.loads(block.body)[key]
    except ValueError:
        return None


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("text", "7", "7"),
        ("text", "null", "null"),
        ("text", ' {"a": 1}\n', ' {"a": 1}\n'),
        ("whole", "7", 7),
        ("item.count", "7", 7),  # a name, no path
        ("item/count", "7", 7),
        ("/count", "7", 7),
        ("count[0]", "7", 7),
        ("whole", "\n7 ", 7),
        ("whole", "1_000", "1_000"),
        ("whole", "007", "007"),
        ("whole", "seven", "seven"),
        ("number", "-1.5e3", -1500.0),
        ("number", "NaN", "NaN"),
        ("flag", "true", True),
        ("flag", "yes", "yes"),
        ("flag", "True", None),  # it is fixed, on record
        ("list", '["a"]', ["a"]),
        ("map", '{"a": [1]}', {"a": [1]}),
        ("map", "{'a': 1}", None),  # it is mended
        ("one", "2", 2),
        ("word", "1", "1"),
        ("maybe", "null", None),
        ("maybe", '{"a": 1}', {"a": 1}),
        ("either", "7", "unclear"),
        ("either", "seven", "seven"),
        ("either", "7.5", "7.5"),
        ("id", "7", 7),
        ("id", "x7", "x7"),
        ("either", "True", "True"),
        ("maybe_text", '{"a": 1}', "unclear"),
        ("maybe_text", '{"a": 1,}', "unclear"),
        ("maybe_text", "[a]", "[a]"),
        ("maybe_text", "None", "unclear"),
        ("free", "7", "7"),
        ("free", '{"a": 1}', '{"a": 1}'),
        ("unknown", "7", "7"),
    ],
)
def test_the_schema_decides_the_type_of_a_value(key: str, text: str, expected: Any) -> None:
    assert value(key, text) == expected


@pytest.mark.parametrize(
    ("key", "text", "beside_quotes", "beside_words"),
    [
        ("free", "7", 7, "unclear"),
        ("free", "null", None, "unclear"),
        ("free", "seven", "seven", "seven"),
        ("either", "seven", "unclear", "unclear"),
        ("either", "5 0", "unclear", "unclear"),
        ("id", "x1", "unclear", "unclear"),
        ("word", "a", "a", "a"),
        ("unknown", "true", True, "unclear"),
        ("either", "7", 7, "unclear"),
        ("text", "7", "7", "7"),
        ("whole", "7", 7, 7),
        ("word", "1", "1", "1"),
        ("flag", "True", None, None),  # it is fixed, on record
    ],
)
def test_a_literal_without_quotes_is_itself_where_texts_have_quotes(
    key: str, text: str, beside_quotes: Any, beside_words: Any
) -> None:
    for other, expected in ((Value("a", "text"), beside_quotes), (Value("a", "bare"), beside_words)):
        (block,) = form(RawCall("f", (("list", other), (key, Value(text, "bare")))))
        if expected == "unclear":
            assert block.unclear == ((key, "type"),)
        elif text == "True":
            assert f'"{key}": True' in block.body
        else:
            assert f'"{key}": {json.dumps(expected)}' in block.body


@pytest.mark.parametrize("key", ['"text"', "text=", "a b", "<text", "a\nb", "text<a>", "'a'"])
def test_a_key_is_a_name_or_one_that_the_schema_has(key: str) -> None:
    call = RawCall("f", ((key, Value("a", "untyped")),))
    (block,) = form(call)
    assert block.unclear == ((key, "key"),)
    (block,) = plain_form(BLOCK, (call,), Toolset(tool("f", (), **{key: {"type": "string"}})), Limits(), of_name("hermes"))
    assert not block.unclear


def test_a_tag_that_is_a_field_may_be_where_another_argument_begins() -> None:
    held = (("text", Value("a <whole>1</whole>", "untyped")), ("free", Value("<other>1</other>", "untyped")))
    (block,) = form(RawCall("f", held, keys="tags"))
    assert block.unclear == (("text", "marker"),)
    assert not form(RawCall("f", held))[0].unclear


def test_blanks_around_a_text_are_its_own_where_the_schema_says_so() -> None:
    def read(key: str, text: str) -> Block:
        return form(RawCall("f", ((key, Value(text, "untyped", "blanks")),)))[0]

    assert read("text", " a").unclear == (("text", "blanks"),)
    assert read("free", " a").unclear == (("free", "blanks"),)
    assert '"word": "a"' in read("word", " a ").body
    assert not read("word", " a ").unclear
    assert '"whole": 7' in read("whole", " 7 ").body
    assert not read("whole", " 7 ").unclear


def test_what_a_dialect_declares_needs_no_schema() -> None:
    assert value("whole", "7", "text") == "7"
    assert value("text", "7", "json") == 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'it\\'s'", "it's"),
        ('"\\d\\n"', "\\d\n"),
        ("None", None),
        ("[True, false, null, (1, -2.5)]", [True, False, None, [1, -2.5]]),
        ("{'a': {'b': []}}", {"a": {"b": []}}),
    ],
)
def test_a_python_literal_is_its_value(text: str, expected: Any) -> None:
    assert value("free", text, "python") == expected


@pytest.mark.parametrize(
    "text",
    [
        "f(1)",
        "x",
        "1 + 2",
        "07",
        "{1: 2}",
        "{'a': 1, 'a': 2}",
        "{'a'}",
        "r'\\d'",
        "1e999",
        "'",
        "[" * 5000,
        "['a' 'b']",
        "1_000",
        "0x10",
        "5.",
        "[0., 1]",
        "[1, # 2\n3]",
    ],
)
def test_what_is_no_python_literal_stays_as_it_is_and_is_no_json(text: str) -> None:
    (block,) = form(RawCall("f", (("free", Value(text, "python")),)))
    assert text in block.body
    assert not accepts(block.body)


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "f", "arguments": {"whole": 7}}',
        '{"id": "1", "type": "function", "function": {"name": "f", "arguments": {"whole": 7}}}',
        '{"parameters": {"whole": 7}, "name": "f"}',
        '[{"tool_name": "f", "args": {"whole": 7}}]',
        '{"tool": "f", "whole": 7}',
    ],
)
def test_json_loses_its_envelope(written: str) -> None:
    (block,) = form(RawCall(None, Value(written, "json")))
    assert json.loads(block.body) == {"tool": "f", "whole": 7}


@pytest.mark.parametrize(
    "written", ['{"name": "f", "arguments": "{}"}', '{"a": 1}', "[1]", "{'name': 'f'}", '{"name": "f", "x": 1}']
)
def test_other_json_stays_as_it_is(written: str) -> None:
    (block,) = form(RawCall(None, Value(written, "json")))
    assert block.body == written


def test_the_only_key_of_a_call_may_be_its_tool() -> None:
    found = form(RawCall(None, Value('[{"f": {"whole": 7}}, {"f": {}}]', "keyed")))
    assert [json.loads(block.body) for block in found] == [{"tool": "f", "whole": 7}, {"tool": "f"}]
    for written in ('{"f": 1}', '{"f": {}, "g": {}}', '{"f": {"tool": "g"}}', '["f"]'):
        (block,) = form(RawCall(None, Value(written, "keyed")))
        assert block.body == written


def test_each_call_is_a_part_and_the_first_has_the_raw_text() -> None:
    found = form(RawCall(None, Value('[{"name": "f"}, {"name": "f", "arguments": {}}]', "json")), RawCall("f", ()))
    assert [(block.part, block.parts, block.raw) for block in found] == [(1, 3, "raw"), (2, 3, ""), (3, 3, "")]
    assert [json.loads(block.body) for block in found] == [{"tool": "f"}] * 3


def test_json_arguments_get_the_tool_and_nothing_else_is_touched() -> None:
    for written in ("{}", " { } ", '{"number": 1.50}', '{\n"a": "x" y"\n}'):
        (block,) = form(RawCall("f", Value(written, "json")))
        assert block.body.startswith('{"tool": "f"')
        assert block.body.endswith(written.strip()[1:])


def test_arguments_in_one_argument_are_the_arguments() -> None:
    (block,) = form(RawCall("f", (("arguments", Value('{"whole": 7}', "json")),)))
    assert json.loads(block.body) == {"tool": "f", "whole": 7}


def test_the_strings_of_python_are_skipped_in_one_pass() -> None:
    """Also a string that never ends, whose every quote is escaped."""
    text = "'" + "\\'" * 200_000
    assert len(list(_STRING.finditer(text))) == 1
    assert value("free", text, "python") is None


@pytest.mark.parametrize("text", ["5", "5.0", "-0", "-0.0", "1e3", "1E3", "2.50e1", "10e-1"])
def test_a_whole_number_is_an_integer_however_it_is_written(text: str) -> None:
    """It has two readings where a text or an integer may stand, and one where no text may."""
    assert value("either", text) == "unclear"
    assert value("id", text) == json.loads(text)
    assert value("whole", text) == json.loads(text)
    assert value("text", text) == text


@pytest.mark.parametrize("text", ["5.5", "1e-3", "1e999", "0x5", "5."])
def test_another_number_is_a_text_where_only_integers_may_stand_beside_it(text: str) -> None:
    assert value("either", text) == text
