"""What a grammar has, what it leaves free, and what it says that it does not express."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stream_guard import Tool, Toolset, ValidationIssue
from stream_guard.dialects.bodies.tags import TagBody
from stream_guard.dialects.tables import DIALECTS
from stream_guard.grammars import FORMS, REFUSED, Grammar, GrammarError
from stream_guard.schema.schema import Schema
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import gbnf
from tests.kit.breadth import some
from tests.kit.dialects import TOOLS
from tests.kit.grammars import UNSAID, accepts, complaint, drawn, read, written


def tools(schema: Mapping[str, Any], **changes: Any) -> Toolset:
    """A tool `t` with a field `f` of this schema."""
    closed = {"type": "object", "properties": {"f": schema}, "required": ["f"], "additionalProperties": False}
    return Toolset(Tool("t", "", closed, **changes))


def an_object_of(members: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(members), "required": [*members], "additionalProperties": False}


def lost(grammar: Grammar) -> list[tuple[str, str, str]]:
    return [(each.pointer, each.rule, each.effect) for each in grammar.not_expressed]


def an_odd_rule(arguments: Mapping[str, Any]) -> list[ValidationIssue]:
    return []


SAMPLES = int(os.environ.get("SAMPLES", "20"))
SEED = int(os.environ.get("SEED", "1"))
CALL = ("write_file", {"path": "a.txt", "content": "x"})


def misnamed(call: str) -> str:
    """The call with another name of its last field."""
    return "contents".join(call.rsplit("content", 1))


ONE = '{"name": "list_all", "arguments": {}}'
FEW = '{"name": "write_file", "arguments": {"path": "a.txt", "content": "x"}}'
IN_COHERE = '{"tool_call_id": "0", "tool_name": "list_all", "parameters": {}}'
KEYS = ("<arg_key>path</arg_key>", "<arg_value>a.txt</arg_value>", "<arg_key>content</arg_key>", "<arg_value>x</arg_value>")
OF_DEEPSEEK = "<｜tool▁call▁begin｜>list_all<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
LAYOUTS = [
    *(
        (dialect, f"{opener}{begin}{calls}{end}{closer}")
        for dialect, opener, closer, one, few in (
            ("jamba", "<tool_calls>", "</tool_calls>", ONE, FEW),
            ("nemotron_nano_v2", "<TOOLCALL>", "</TOOLCALL>", ONE, FEW),
            ("granite3", "<|tool_call|>", "", ONE, FEW),
            ("apertus", "<|tools_prefix|>", "<|tools_suffix|>", '{"list_all": {}}', '{"list_all": {}}'),
            ("cohere_command", "<|START_ACTION|>", "<|END_ACTION|>", IN_COHERE, IN_COHERE.replace('"0"', '"1"')),
        )
        for begin, between, end in (("[", ",", "]"), ("[ ", ", ", " ]"), ("[\n", ",\n", "\n]"), ("[\n    ", ",\n    ", "\n]"))
        for calls in (one, f"{few}{between}{one}")
    ),
    *(
        ("deepseek_v31", f"<｜tool▁calls▁begin｜>{OF_DEEPSEEK}{between}{OF_DEEPSEEK}<｜tool▁calls▁end｜>")
        for between in ("", "\n")
    ),
    *(("longcat", f"<longcat_tool_call>{line}{FEW}{line}</longcat_tool_call>") for line in ("", "\n")),
    *(("glm45", f"<tool_call>{line.join(('write_file', *KEYS, '</tool_call>'))}") for line in ("", "\n")),
    *(("glm45", f"<tool_call>list_all{line}</tool_call>") for line in ("", "\n")),
    *(
        ("hunyuan_v3", line.join(("<tool_calls>", f"<tool_call>{name}<tool_sep>", *keys, "</tool_call>", "</tool_calls>")))
        for line in ("", "\n")
        for name, keys in (("write_file", KEYS), ("list_all", ()))
    ),
]
"""Layouts in which models write calls, and their templates do."""


@pytest.mark.parametrize(("dialect", "text"), LAYOUTS)
def test_every_layout_of_a_call_that_models_write_is_accepted_and_runs(dialect: str, text: str) -> None:
    assert accepts(TOOLS.to_lark(dialect).text, f"So: {text}\n")
    blocks = read(TOOLS, dialect, text)
    assert blocks
    assert all(block.executable and not block.fixes for block in blocks)
    alone = len(blocks) == 1
    assert accepts(TOOLS.to_lark(dialect, prose=False).text, text) is alone
    assert gbnf.takes(TOOLS.to_gbnf(dialect, prose=False).text, text) is alone


@pytest.mark.parametrize(("dialect", "text"), LAYOUTS)
def test_no_layout_is_half_of_one_and_half_of_another(dialect: str, text: str) -> None:
    """A line end on one side alone where both have one, and an empty line."""
    grammar = TOOLS.to_lark(dialect, prose=False).text
    halves = {text.replace("<longcat_tool_call>{", "<longcat_tool_call>\n{"), text.replace("</arg_key>\n", "</arg_key>")}
    for spoilt in (text.replace(">", ">\n\n", 1), *(halves - {text})):
        assert not accepts(grammar, spoilt), spoilt


@pytest.mark.parametrize("dialect", FORMS)
def test_prose_and_foreign_fences_are_free_and_every_call_is_not(dialect: str) -> None:
    grammar = TOOLS.to_lark(dialect)
    call = written(dialect, CALL)
    wrong = misnamed(call)
    assert accepts(grammar.text, "")
    assert accepts(grammar.text, 'Well:\n```json\n{"data": 1}\n```\n```text\n<b>{"name": 1}</b>\n')
    assert accepts(grammar.text, f"Well:\n{call}\nAnd:\n{call}\nDone.\n")
    assert accepts(grammar.text, call)
    assert not accepts(grammar.text, f"Well:\n{wrong}\n")
    assert not accepts(grammar.text, f"Well:\n{call}\nAnd:\n{wrong}\n")


@pytest.mark.parametrize("dialect", FORMS)
def test_without_prose_a_reply_is_one_call(dialect: str) -> None:
    """In a block that may hold several too. With prose it may hold as many as a guard reads from it."""
    one = written(dialect, CALL)
    other = ("find_notes", {"query": "y"})
    twice = [f"{one}{between}{one}" for between in ("", "\n", "\n\n")]
    if dialect != "fence":
        twice += [DIALECTS[dialect].write(several) for several in ([CALL, CALL], [CALL, other], [CALL, other, CALL])]
    grammar, form = TOOLS.to_lark(dialect, prose=False).text, TOOLS.to_gbnf(dialect, prose=False).text
    assert accepts(grammar, one)
    assert gbnf.takes(form, one)
    for text in twice:
        assert not accepts(grammar, text), text
        assert not gbnf.takes(form, text), text
    for text in twice[3:]:
        assert accepts(TOOLS.to_lark(dialect).text, text), text


@pytest.mark.parametrize("dialect", FORMS)
def test_gbnf_holds_from_a_trigger_on(dialect: str) -> None:
    from llguidance.gbnf_to_lark import gbnf_to_lark

    grammar = TOOLS.to_gbnf(dialect)
    call = written(dialect, CALL)
    assert any(call.startswith(trigger) for trigger in grammar.triggers)
    made = gbnf_to_lark(grammar.text)
    assert accepts(made, call)
    assert accepts(made, f"{call}\nAnd <:\n{call}\nDone.\n")
    assert not accepts(made, f"{call}\nAnd:\n{misnamed(call)}\n")
    assert not accepts(made, f"Well:\n{call}")
    request = grammar.to_llama_cpp()
    assert request["grammar_lazy"] is True
    assert request["grammar_triggers"] == [{"type": 1, "value": trigger} for trigger in grammar.triggers]
    assert TOOLS.to_gbnf(dialect, prose=False).to_llama_cpp().keys() == {"grammar"}


ROWS: Mapping[str, tuple[Mapping[str, Any], str, str, Any]] = {
    "a remainder": ({"type": "integer", "multipleOf": 5}, "multipleOf", "accepts_more", 7),
    "items that differ": (
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True}, "uniqueItems", "accepts_more", [True, True],
    ),
    "some of the items": (
        {"type": "array", "items": {"type": "null"}, "contains": {"const": 1}}, "contains", "accepts_more", [],
    ),
    "a negation": ({"type": "string", "not": {"const": "a"}}, "not", "accepts_more", "a"),
    "a pattern that looks around": ({"type": "string", "pattern": "^(?!a).*$"}, "pattern", "accepts_more", "abc"),
    "a pattern that looks back": ({"type": "string", "pattern": r"^(a)\1$"}, "pattern", "accepts_more", "b"),
    "a word boundary": ({"type": "string", "pattern": r"\bword\b"}, "pattern", "accepts_more", "swords"),
    "a length beside a pattern": ({"type": "string", "pattern": "^a*$", "maxLength": 3}, "maxLength", "accepts_more", "aaaa"),
    "a bound that is too large to count": ({"type": "string", "maxLength": 9_000}, "maxLength", "accepts_more", "a" * 9_001),
    "a format": ({"type": "string", "format": "email"}, "format", "accepts_more", "nobody"),
    "two branches": ({"oneOf": [{"type": "number"}, {"type": "integer"}]}, "oneOf", "accepts_more", 1),
    "a condition": ({"type": "string", "if": {"const": "a"}, "then": False}, "if", "accepts_more", "a"),
    "members that depend on each other": (
        {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "dependentRequired": {"a": ["b"]}},
        "dependentRequired", "accepts_more", {"a": 1},
    ),
    "how many members": (
        {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "minProperties": 1},
        "minProperties", "accepts_more", {},
    ),
    "members of other names": (
        {"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": {"type": "integer"}},
        "additionalProperties", "accepts_less", {"z": 1},
    ),
    "members of any name, which nothing says": (
        {"type": "object", "properties": {"a": {"const": 1}}}, "additionalProperties", "accepts_less", {"z": 1},
    ),
    "another spelling of a time": ({"type": "string", "format": "date-time"}, "format", "accepts_less", "2026-01-02t03:04:05z"),
}  # fmt: skip
"""A schema, a rule of it, what becomes of it, and a value that shows it."""


@pytest.mark.parametrize("name", ROWS)
def test_what_is_not_expressed_is_listed_and_is_so(name: str) -> None:
    schema, rule, effect, value = ROWS[name]
    made = tools(schema)
    for grammar in (made.to_lark(), made.to_gbnf(), made.to_structural_tag(), made.to_structural_tag(shape="old")):
        assert (f"/properties/f/{rule}", rule, effect) in lost(grammar)
        assert all(each.tool == "t" and each.why for each in grammar.not_expressed)
    valid = made["t"].compiled.accepts({"f": value})
    accepted = accepts(made.to_lark().text, written("fence", ("t", {"f": value})))
    assert (valid, accepted) == ((False, True) if effect == "accepts_more" else (True, False))


def test_rules_written_in_python_are_listed_by_their_names() -> None:
    assert lost(tools({"type": "string"}, rules=(an_odd_rule,)).to_gbnf()) == [("", "an_odd_rule", "accepts_more")]
    assert lost(FILE_TOOLS.to_lark()) == [("", "path_rule", "accepts_more")] * 3


def test_a_tool_whose_schema_is_expressed_loses_nothing() -> None:
    assert lost(tools({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 3}).to_lark()) == []


def test_where_text_and_other_values_would_be_unclear_only_text_is_written() -> None:
    made = tools({"type": ["string", "null", "integer"]})
    grammar = made.to_lark("qwen3_coder", prose=False)
    assert lost(grammar) == [("/properties/f/type", "type", "accepts_less")]
    for value, accepted in {"abc": True, "nulls": True, "null": False, " null\n": False, "7 days": False, "": True}.items():
        text = written("qwen3_coder", ("t", {"f": value}))
        assert accepts(grammar.text, text) is accepted, value
        if accepted:
            assert [block.executable for block in read(made, "qwen3_coder", text)] == [True]


TAGS = tuple(name for name in FORMS if name != "fence" and isinstance(DIALECTS[name].openers[0].body(), TagBody))
TEXTS: Mapping[str, tuple[Mapping[str, Any], set[str]]] = {
    "any": ({"type": "string"}, set()),
    "not empty": ({"type": "string", "minLength": 1}, set()),
    "bounded below": ({"type": "string", "minLength": 2}, {"minLength"}),
    "bounded": ({"type": "string", "maxLength": 2}, {"maxLength"}),
    "or null": ({"type": ["string", "null"]}, {"type"}),
    "bounded, or a number": ({"type": ["string", "integer"], "maxLength": 3}, {"type", "maxLength"}),
    "listed": ({"enum": ["a", "a\n ", "a\n\t\n", "a\r", " ", "\n ", "a\n"]}, {"enum"}),
}
"""Schemas of a text, and the rules beside which some texts are not written."""


@pytest.mark.some
@pytest.mark.parametrize(
    ("dialect", "name"),
    [(dialect, name) for dialect in TAGS for name in TEXTS if name == "any" or dialect in ("qwen3_coder", "glm45")],
)
def test_no_text_between_tags_ends_with_what_may_be_the_indent_of_its_closer(dialect: str, name: str) -> None:
    """Nor with half of the line end that belongs to it. Nothing else is kept out of a text without bounds."""
    schema, less = TEXTS[name]
    made = tools(schema)
    grammar, form = made.to_lark(dialect, prose=False), made.to_gbnf(dialect, prose=False)
    assert {(each.rule, each.effect) for each in grammar.not_expressed} == {(rule, "accepts_less") for rule in less}
    values = ("".join(each) for size in range(4) for each in itertools.product("a \n\r", repeat=size))
    for value in some(values, 21, kind=lambda value: value[-2:]):
        if not made["t"].compiled.accepts({"f": value}):
            continue
        text = written(dialect, ("t", {"f": value}))
        accepted = accepts(grammar.text, text)
        assert accepted is gbnf.takes(form.text, text), value
        if accepted:
            (block,) = read(made, dialect, f"Well:\n{text}\nDone.\n")
            assert (block.executable, block.fixes) == (True, ()), (value, block.issues)
            assert block.arguments == {"tool": "t", "f": value}
        elif not less:
            assert re.search(r"[\r\n][ \t]+[\r\n]*\Z|\r\Z", value), value


@pytest.mark.parametrize(
    ("pattern", "more"), [(r"^[a-z\s]+$", True), ("^a", True), (r"^[\s\S]*;$", False), ("^[a-z ]+$", False)]
)
def test_a_pattern_that_may_end_with_a_line_of_blanks_between_tags_is_listed(pattern: str, more: bool) -> None:
    made = tools({"type": "string", "pattern": pattern})
    grammar = made.to_lark("minimax_m2", prose=False)
    assert (("/properties/f/pattern", "pattern", "accepts_more") in lost(grammar)) is more
    if more:
        text = written("minimax_m2", ("t", {"f": "a\n "}))
        assert accepts(grammar.text, text)
        assert [block.executable for block in read(made, "minimax_m2", text)] == [False]
    assert lost(made.to_lark(prose=False)) == []


def test_a_value_of_a_type_that_is_not_stated_is_not_written_beside_text() -> None:
    made = tools({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}, {"enum": ["a", True]}]})
    grammar = made.to_lark("glm45", prose=False)
    assert lost(grammar) == [("/properties/f/type", "type", "accepts_less")]
    for value, accepted in {"2026-01-02": True, None: True, "a": True, True: False}.items():
        text = written("glm45", ("t", {"f": value}))
        assert accepts(grammar.text, text) is accepted, value
        assert [block.executable for block in read(made, "glm45", text)] == [accepted], value


def test_a_string_may_begin_as_one_that_is_listed_does() -> None:
    made = tools({"type": "array", "items": {"anyOf": [{"enum": ["a", "a b"]}, {"type": "string", "minLength": 1}]}})
    for dialect in ("qwen3_coder", "hermes"):
        grammar = made.to_lark(dialect, prose=False).text
        for value in ("a", "a0", "a b", "a bc"):
            assert accepts(grammar, written(dialect, ("t", {"f": [value]}))), value
            assert gbnf.takes(made.to_gbnf(dialect, prose=False).text, written(dialect, ("t", {"f": [value]}))), value
        assert not gbnf.takes(made.to_gbnf(dialect, prose=False).text, written(dialect, ("t", {"f": [""]})))


def test_objects_that_begin_alike_are_told_apart_in_python() -> None:
    one = {"type": "object", "properties": {"kind": {"type": "integer"}}, "required": ["kind"]}
    other = {"type": "object", "properties": {"to_do": {"type": "integer"}}}
    grammar = tools({"anyOf": [one, other]}).to_lark("pythonic", prose=False).text
    for value in ({"kind": 1}, {"to_do": 1}, {}):
        assert accepts(grammar, written("pythonic", ("t", {"f": value}))), value


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 10**30},
        {"type": "integer", "minimum": 5, "maximum": 4},
        {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
        {"type": "number", "maximum": -1e20},
        {"type": "array", "items": {"type": "integer", "minimum": 10**30}, "minItems": 1},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer", "minimum": 10**30}], "minItems": 2},
        {"type": "integer", "enum": [2.5]},
        {"type": "string", "allOf": [{"enum": ["a"]}, {"enum": ["b"]}]},
        {
            "type": "object",
            "properties": {"k": {"const": 1, "type": "string"}},
            "required": ["k"],
            "additionalProperties": False,
        },
    ],
)
@pytest.mark.parametrize("dialect", ["fence", "qwen3_coder", "pythonic"])
def test_a_value_of_which_none_can_be_written_is_never_an_empty_one(schema: dict[str, Any], dialect: str) -> None:
    """A member that may be left out is left out; a tool that requires it has no grammar."""
    members = {"type": "object", "properties": {"i": schema, "s": {"type": "string"}}, "additionalProperties": False}
    with pytest.raises(GrammarError, match="allows no object"):
        Toolset(Tool("t", "T.", {**members, "required": ["i"]})).to_lark(dialect)
    grammar = Toolset(Tool("t", "T.", {**members, "required": ["s"]})).to_lark(dialect)
    assert '"i"' not in grammar.text.replace("\\", "")
    huge = (
        any(abs(bound) > 10**18 for bound in (schema.get("minimum", 0), schema.get("maximum", 0))) or "array" in schema["type"]
    )
    assert [each.effect for each in grammar.not_expressed] == ["accepts_less"] * huge


def test_a_schema_that_contains_itself_has_a_grammar_that_does() -> None:
    node = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "under": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "required": ["name"],
        "additionalProperties": False,
    }
    made = Toolset(Tool("t", "", {"type": "object", "properties": {"f": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}))
    value = {"name": "a", "under": [{"name": "b", "under": [{"name": "c"}]}]}
    for dialect in FORMS:
        grammar = made.to_lark(dialect)
        assert complaint(grammar.text) == ""
        assert accepts(grammar.text, written(dialect, ("t", {"f": value})))
        assert not accepts(grammar.text, written(dialect, ("t", {"f": {"name": "a", "under": [{"name": 1}]}})))
    assert "$ref" in {each.rule for each in made.to_lark().not_expressed}
    assert made.to_json_schema(strict=False).text.count('"$defs"') == 1


_N: Any = {"$ref": "#/$defs/n"}
_OTHER: Any = {"$ref": "#/$defs/other"}
ENDLESS: Mapping[str, dict[str, Any]] = {
    "a member": {"n": an_object_of({"n": _N})},
    "a list that is not empty": {"n": {"type": "array", "items": _N, "minItems": 1}},
    "a first item": {"n": {"type": "array", "prefixItems": [{"type": "null"}, _N], "minItems": 2}},
    "a member of any name": {"n": {"type": "object", "additionalProperties": _N, "minProperties": 1}},
    "another, and that one it": {"n": an_object_of({"o": _OTHER}), "other": {"type": "array", "items": _N, "minItems": 2}},
    "each branch": {"n": {"anyOf": [an_object_of({"n": _N}), {"type": "array", "items": _N, "minItems": 1}]}},
}
"""What a schema contains in each of its values."""


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("form", ["to_lark", "to_gbnf", "to_structural_tag", "to_json_schema"])
def test_a_value_that_no_text_ends_is_not_written(kind: str, form: str) -> None:
    """A model that begins to write one never stops."""
    definitions = ENDLESS[kind]
    with pytest.raises(GrammarError, match="allows no object"):
        getattr(Toolset(Tool("t", "", {**an_object_of({"f": _N}), "$defs": definitions})), form)()
    schema = {
        "type": "object",
        "properties": {"wanted": {"anyOf": [_N, {"type": "null"}]}, "endless": _N},
        "required": ["wanted"],
        "additionalProperties": False,
        "$defs": definitions,
    }
    made = Toolset(Tool("t", "", schema))
    assert '"endless' not in getattr(made, form)().text.replace("\\", "")
    for dialect in ("fence", "qwen3_coder", "pythonic"):
        grammar = made.to_lark(dialect, prose=False)
        assert complaint(grammar.text) == ""
        assert accepts(grammar.text, written(dialect, ("t", {"wanted": None})))


@pytest.mark.more
def test_samples_of_a_grammar_are_valid() -> None:
    safe = Toolset(*(Tool(tool.name, tool.description, tool.schema) for tool in FILE_TOOLS))
    grammar, dice = safe.to_lark(prose=False).text, random.Random(SEED)
    for _ in range(SAMPLES):
        text = drawn(grammar, dice)
        assert text is not None
        (block,) = read(safe, "fence", text)
        assert (block.outcome, block.executable) == ("valid", True) or {issue.code for issue in block.issues} <= UNSAID


_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
_OF_2020 = "https://json-schema.org/draft/2020-12/schema"
_NODE: Any = {"type": "array", "items": {"$ref": "#/$defs/n", "minItems": 0}, "maxItems": 2}
_CLOSED: Any = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
_OPEN: Any = {"type": "object", "properties": {"b": {"type": "integer"}}}
STRANGE: Mapping[str, tuple[Any, dict[str, Any], str]] = {
    "blanks that are kept out of a class": ({"type": "string", "pattern": r"^[^\s]+$"}, {}, _OF_2020),
    "blanks in a class": ({"type": "string", "pattern": r"^[a\s]+$"}, {}, _OF_2020),
    "neither letters nor blanks": ({"type": "string", "pattern": r"^[^\w\s]+$"}, {}, _OF_2020),
    "a reference to itself with a rule beside it": ({"$ref": "#/$defs/n", "minItems": 1}, {"n": _NODE}, _OF_2020),
    "a rule beside a reference": ({"$ref": "#/$defs/n", "maxItems": 0}, {"n": {"type": "array"}}, _OF_2020),
    "the same in an old draft": ({"$ref": "#/$defs/n", "maxItems": 0}, {"n": {"type": "array"}}, _DRAFT_7),
    "types that exclude each other": ({"type": "integer", "enum": [5, []], "allOf": [{"type": "array"}]}, {}, _OF_2020),
    "a closed part and an open one": ({"allOf": [_CLOSED, _OPEN]}, {}, _OF_2020),
    "an open part and a closed one": ({"allOf": [_OPEN, {"$ref": "#/$defs/n"}]}, {"n": _CLOSED}, _OF_2020),
    "two closed parts": (
        {"allOf": [_CLOSED, {**_OPEN, "additionalProperties": {"type": "integer", "maximum": 1}}]}, {}, _OF_2020,
    ),
    "closed around a union": ({**_CLOSED, "anyOf": [_OPEN, {"type": "object"}]}, {}, _OF_2020),
    "members that nothing has seen": ({"type": "object", "unevaluatedProperties": {"type": "string"}}, {}, _OF_2020),
    "items that nothing has seen": ({"type": "array", "unevaluatedItems": {"type": "string"}}, {}, _OF_2020),
    "no items that nothing has seen": ({"type": "array", "unevaluatedItems": False}, {}, _OF_2020),
    "a part that sees only its own members": (
        {**_OPEN, "allOf": [{"properties": {"a": {"type": "integer"}}, "unevaluatedProperties": False}]}, {}, _OF_2020,
    ),
    "what one branch has seen": (
        {"type": "object", "anyOf": [_OPEN, {"properties": {"a": {"type": "integer"}}}], "unevaluatedProperties": False},
        {}, _OF_2020,
    ),
    "items twice": (
        {"prefixItems": [{"type": "integer"}], "type": "array", "allOf": [{"items": {"type": "integer", "maximum": 1}}]},
        {}, _OF_2020,
    ),
    "leading items in an old draft": (
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}], "unevaluatedItems": False}, {}, _DRAFT_7,
    ),
    "a bound of the first drafts": (
        {"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {}, "http://json-schema.org/draft-04/schema#",
    ),
    "a required member that nothing has seen": (
        {"type": "object", "required": ["a"], "unevaluatedProperties": False}, {}, _OF_2020,
    ),
    "names by their pattern": (
        {"type": "object", "patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False}, {}, _OF_2020,
    ),
}  # fmt: skip
"""A schema of a field, its definitions, and its draft."""

_OTHERS: tuple[Any, ...] = (
    "", "a", "a ", "a\u00a0", "\u00a0", "\u2028", "\x1c", "-", "--", "\ufeff", None, 1, 5, "x", [], [1], [[]], [[], [[]]],
    [5, 5], ["a"], [[[]], []], {}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}, {"a": 5, "b": 1}, {"b": 5, "a": 1}, {"a": "x"},
    {"z": 1},
)  # fmt: skip
"""Values: objects stand in each order, of which a grammar writes one."""


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_schema_is_said_or_listed(name: str) -> None:
    """What a grammar accepts and what its schema accepts differ only where the grammar says so."""
    schema, definitions, draft = STRANGE[name]
    made = Toolset(
        Tool(
            "t",
            "",
            {
                "$schema": draft,
                "type": "object",
                "properties": {"f": schema, "g": {"type": "null"}},
                "required": ["g"],
                "additionalProperties": False,
                "$defs": definitions,
            },
        )
    )
    grammar, form = made.to_lark("hermes", prose=False), made.to_gbnf("hermes", prose=False)
    assert complaint(grammar.text) == ""
    effects = {each.effect for each in grammar.not_expressed}
    for value in _OTHERS:
        valid = made["t"].compiled.accepts({"f": value, "g": None})
        text = written("hermes", ("t", {"f": value, "g": None}))
        accepted = accepts(grammar.text, text)
        assert accepted is gbnf.takes(form.text, text), value
        turned = dict(reversed(value.items())) if isinstance(value, dict) else value
        if accepted is not valid and not (valid and accepts(grammar.text, written("hermes", ("t", {"f": turned, "g": None})))):
            assert ("accepts_more" if accepted else "accepts_less") in effects, value


def test_definitions_of_tools_with_alike_names_are_apart() -> None:
    def recursive(name: str, kind: str) -> Tool:
        node = {
            "type": "object",
            "properties": {"v": {"type": kind}, "n": {"$ref": "#/$defs/n"}},
            "required": ["v"],
            "additionalProperties": False,
        }
        return Tool(name, "", {**an_object_of({"f": {"$ref": "#/$defs/n"}}), "$defs": {"n": node}})

    tools_of_it = Toolset(
        recursive("a b", "string"), recursive("a_b", "integer"), recursive("a/b", "null"), recursive("a%2Fb~0é", "boolean")
    )
    check = Schema(json.loads(tools_of_it.to_json_schema(strict=False).text))
    right = {"a b": "x", "a_b": 1, "a/b": None, "a%2Fb~0é": True}
    for name in right:
        for value in right.values():
            call = {"tool": name, "f": {"v": right[name], "n": {"v": value}}}
            assert check.accepts(call) is (value is right[name]), call


def test_every_dialect_has_a_grammar_or_a_reason_why_it_has_none() -> None:
    assert {*FORMS} == {"fence", *DIALECTS} - {*REFUSED}
    assert REFUSED.keys() <= DIALECTS.keys()
    page = Path("docs/grammars.md").read_text(encoding="utf-8")
    assert {name for name in DIALECTS if f"`{name}`" not in page} == set()


@pytest.mark.parametrize("export", ["to_lark", "to_gbnf", "to_structural_tag"])
def test_a_dialect_without_a_grammar_is_named_with_those_that_have_one(export: str) -> None:
    for dialect, why in REFUSED.items():
        with pytest.raises(GrammarError) as raised:
            getattr(TOOLS, export)(dialect)
        assert str(raised.value).startswith(f"{dialect!r} has no grammar: {why}; there are grammars for fence, hermes, ")
    with pytest.raises(GrammarError, match="'klingon' is no dialect"):
        getattr(TOOLS, export)("klingon")
    assert getattr(TOOLS, export)("ernie45") == getattr(TOOLS, export)("hermes")  # another name of it


def test_a_tool_that_cannot_be_called_clearly_in_a_dialect_is_refused_there() -> None:
    made = tools({"enum": ["null", None]})
    assert complaint(made.to_lark("hermes").text) == ""
    with pytest.raises(GrammarError, match="tool 't': a required field has no value that is clear without quotes"):
        made.to_lark("qwen3_coder")


def test_names_that_a_dialect_cannot_hold_are_refused() -> None:
    odd = Toolset(Tool("a<b", "", {"type": "object", "properties": {"f": {"type": "string"}}}))
    assert complaint(odd.to_lark("hermes").text) == ""
    for dialect in ("qwen3_coder", "glm45", "mistral", "kimi_k2", "pythonic", "deepseek_v3"):
        with pytest.raises(GrammarError, match="tool 'a<b': this dialect has no quotes"):
            odd.to_lark(dialect)
    keyed = Toolset(Tool("t", "", {"type": "object", "properties": {"from": {"type": "string"}, "a b": {"type": "string"}}}))
    with pytest.raises(GrammarError, match="'a b'"):
        keyed.to_lark("glm45")
    with pytest.raises(GrammarError, match="'from'"):
        Toolset(Tool("t", "", {"type": "object", "properties": {"from": {"type": "string"}}})).to_lark("pythonic")
    with pytest.raises(GrammarError, match="allows no object"):
        Toolset(Tool("t", "", {"type": "string"})).to_lark()


@pytest.mark.parametrize(
    "odd", ["\x7f", "\x80", "\x85", "\x9f", "\x00", "\u2028", "\ufeff", '"', "\\", "é\n", "[x]", "</tool_call>"]
)
def test_any_character_may_stand_in_a_name_or_a_listed_value(odd: str) -> None:
    members = {f"a{odd}": {"enum": [f"b{odd}", "c"]}}
    made = Toolset(Tool("t", "", an_object_of(members)))
    for dialect in ("fence", "hermes", "mistral"):
        grammar, form = made.to_lark(dialect, prose=False), made.to_gbnf(dialect, prose=False)
        assert complaint(grammar.text) == ""
        text = written(dialect, ("t", {f"a{odd}": f"b{odd}"}))
        assert accepts(grammar.text, text)
        assert gbnf.takes(form.text, text)
        assert not accepts(grammar.text, written(dialect, ("t", {f"a{odd}": odd})))


def test_structural_tags_in_both_shapes() -> None:
    made = tools({"type": "string", "maxLength": 5})
    schema = {
        "type": "object",
        "properties": {"f": {"type": "string", "maxLength": 5}},
        "required": ["f"],
        "additionalProperties": False,
    }
    begin, end = '<tool_call>\n{"name": "t", "arguments": ', "}\n</tool_call>"
    new = made.to_structural_tag("hermes")
    assert new.triggers == ("<tool_call>",)
    assert json.loads(new.text) == {
        "type": "structural_tag",
        "format": {
            "type": "triggered_tags",
            "triggers": ["<tool_call>"],
            "tags": [{"type": "tag", "begin": begin, "content": {"type": "json_schema", "json_schema": schema}, "end": end}],
            "at_least_one": False,
            "stop_after_first": False,
        },
    }
    assert json.loads(made.to_structural_tag("hermes", shape="old").text) == {
        "type": "structural_tag",
        "structures": [{"begin": begin, "schema": schema, "end": end}],
        "triggers": ["<tool_call>"],
    }
    (fence,) = json.loads(made.to_structural_tag(shape="old").text)["structures"]
    assert (fence["begin"], fence["end"]) == ("```json\n", "\n```\n")
    assert fence["schema"]["properties"]["tool"] == {"type": "string", "enum": ["t"]}
    for dialect in ("mistral", "hermes", "longcat"):
        made.to_structural_tag(dialect, shape="old")
    with pytest.raises(GrammarError, match="use shape='new'"):
        made.to_structural_tag("qwen3_coder", shape="old")
    with pytest.raises(GrammarError, match="prose=False"):
        made.to_structural_tag("hermes", shape="old", prose=False)
    with pytest.raises(GrammarError, match="'new' or 'old'"):
        made.to_structural_tag("hermes", shape="middle")  # type: ignore[arg-type]  # what is tested


def test_the_strict_schema_of_a_list_that_refers_to_itself_ends() -> None:
    """A member that is required without null, and holds its own kind, is never whole."""
    node = {**an_object_of({"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}), "required": ["v"]}
    made = Toolset(Tool("t", "", {**an_object_of({"f": {"$ref": "#/$defs/node"}}), "$defs": {"node": node}}))
    check = Schema(json.loads(made.to_json_schema().text))
    assert check.accepts({"tool": "t", "f": {"v": 1, "next": {"v": 2, "next": None}}})
    assert not check.accepts({"tool": "t", "f": {"v": 1, "next": {"v": 2}}})


def a_ladder(levels: int) -> Toolset:
    """A tool whose value has two to the power of `levels` texts, each level two of the next one."""
    steps = {f"d{at}": an_object_of({key: {"$ref": f"#/$defs/d{at + 1}"} for key in "ab"}) for at in range(levels)}
    document = an_object_of({"f": {"$ref": "#/$defs/d0"}})
    return Toolset(Tool("t", "", {**document, "$defs": {**steps, f"d{levels}": {"type": "string", "maxLength": 3}}}))


@pytest.mark.parametrize("levels", [3, 10, 12])
def test_a_shape_with_several_places_is_the_same_at_each(levels: int) -> None:
    """A large one is printed once, and has a name."""
    made = a_ladder(levels)
    value: Any = "x"
    for _ in range(levels):
        value = {"a": value, "b": value}
    call = {"tool": "t", "f": value}
    wrong = json.loads(json.dumps(call))
    here = wrong["f"]
    for _ in range(levels - 1):
        here = here["b"]
    here["b"] = 1
    schema = made.to_json_schema(strict=False)
    assert ("$defs" in schema.text) is (levels > 8)
    assert len(schema.text) < 200_000
    check, text = Schema(json.loads(schema.text)), made.to_lark("fence", prose=False).text
    for said, right in ((call, True), (wrong, False)):
        assert check.accepts(said) is right
        assert accepts(text, written("fence", ("t", {"f": said["f"]}))) is right


def test_the_strict_schema_requires_every_member() -> None:
    members = {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": ["integer", "null"]}}
    schema = {"type": "object", "properties": members, "required": ["a"], "additionalProperties": False}
    made = Toolset(Tool("t", "", schema))
    loose, strict = json.loads(made.to_json_schema(strict=False).text), json.loads(made.to_json_schema().text)
    assert loose["required"] == ["tool", "a"]
    assert strict["required"] == ["tool", "a", "b", "c"]
    assert strict["additionalProperties"] is False
    assert lost(made.to_json_schema()) == [("/properties/b/required", "required", "accepts_more")]


def test_a_grammar_is_a_value() -> None:
    grammar = FILE_TOOLS.to_lark("hermes")
    assert pickle.loads(pickle.dumps(grammar)) == grammar == FILE_TOOLS.to_lark("hermes")


def test_texts_that_could_hold_a_marker_are_narrowed_beside_other_rules_and_listed() -> None:
    for schema, rule in (({"type": "string", "maxLength": 9}, "maxLength"), ({"type": "string", "pattern": "^.x$"}, "pattern")):
        made = tools(schema)
        assert lost(made.to_lark("glm45")) == [(f"/properties/f/{rule}", rule, "accepts_less")]
        assert lost(made.to_lark("hermes")) == []
        assert not accepts(made.to_lark("glm45").text, written("glm45", ("t", {"f": "<x"})))
        assert accepts(made.to_lark("glm45").text, written("glm45", ("t", {"f": "ax"})))
