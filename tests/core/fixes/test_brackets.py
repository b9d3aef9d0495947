"""What brackets that do not match, or are doubled, leave open."""

from __future__ import annotations

from typing import Any

import pytest

from stream_guard import Guard, Risk, Tool, Toolset
from stream_guard.fixes.brackets import are_doubled, ends_too_late, lacks_an_object
from stream_guard.schema.fields import Field

TEXT = Field(kinds=("string",))
PLACE = Field(members={"room": TEXT, "floor": Field(kinds=("integer",)), "note": TEXT}, closed=True)
EVENT = Field(members={"id": Field(kinds=("integer",)), "title": TEXT, "place": PLACE, "note": TEXT}, closed=True)
FILTERS = Field(members={"filters": Field(items=Field(members={"op": TEXT, "note": TEXT})), "note": TEXT})


@pytest.mark.parametrize(
    ("value", "late"),
    [
        ({"id": 7, "place": {"room": "R1", "note": "x"}}, True),
        ({"id": 7, "note": "y", "place": {"room": "R1", "note": "x"}}, False),
        ({"id": 7, "place": {"room": "R1", "floor": 1}}, False),
        ({"place": {"note": "x"}, "id": 7}, False),  # another member follows
        ({"id": 7, "place": {}}, False),
        ({}, False),
        ("note", False),
    ],
)
def test_a_brace_may_be_missing_before_a_member_that_the_object_around_lacks(value: Any, *, late: bool) -> None:
    assert ends_too_late(value, EVENT) == late
    assert not ends_too_late(value, None)


def test_an_object_further_out_may_lack_the_member_too() -> None:
    assert ends_too_late({"id": 7, "place": {"room": {"title": "x"}}}, EVENT) is True
    assert ends_too_late({"id": 7, "title": "t", "place": {"room": {"title": "x"}}}, EVENT) is False
    assert ends_too_late({"room": "R1"}, EVENT.members["place"], frozenset({"room"})) is False
    assert ends_too_late({"place": {"room": "R1"}}, EVENT, frozenset({"room"})) is True


@pytest.mark.parametrize(
    ("value", "lacking"),
    [
        ({"id": 7, "note": "x"}, True),
        ({"id": 7, "title": "x"}, True),  # what stood in it may be lost with its beginning
        ({"id": 7, "note": "x", "place": {"room": "R1"}}, False),
        ([{"note": "x"}], False),
        ("note", False),
    ],
)
def test_a_spare_bracket_may_be_that_of_an_object_that_lost_its_beginning(value: Any, *, lacking: bool) -> None:
    assert lacks_an_object(value, EVENT) == lacking
    assert not lacks_an_object(value, None)


def test_items_of_lists_and_inner_objects_are_looked_at_too() -> None:
    held = Field(members={"event": EVENT, "events": Field(items=EVENT)})
    placed: dict[str, Any] = {"place": {"room": "R1"}}
    assert lacks_an_object({"event": {"note": "x"}, "events": []}, held)
    assert lacks_an_object({"event": placed, "events": [{"note": "x"}]}, held)
    assert lacks_an_object({"event": placed}, held)  # a list of objects
    assert not lacks_an_object({"event": placed, "events": [placed]}, held)
    assert not lacks_an_object({"event": placed, "events": []}, held)
    assert not lacks_an_object({"filters": [{"note": "x", "op": "="}]}, FILTERS)
    assert lacks_an_object({}, Field(members={"any": Field()}))
    assert not lacks_an_object({}, Field(members={"names": Field(kinds=("array",), items=TEXT)}))
    assert not lacks_an_object({}, Field(members={"power": Field(allowed=("on", "off"))}))  # a list of values, and no type
    assert lacks_an_object({}, Field(members={"power": Field(allowed=("on", {"level": 3}))}))
    assert lacks_an_object({}, Field(members={"power": Field(allowed=("on",), members={"level": TEXT})}))


@pytest.mark.parametrize(
    ("texts", "doubled"),
    [
        (["{{x}}"], True),
        (["f({{}})", "no brace"], True),
        (["import {{ x }} from"], True),
        (["{{x}}", "a { b"], False),  # one that opens stands alone
        (["{{x}", "use {{y} here"], True),
        (["{x}}"], False),
        (["a }} b"], True),
        (["a }} b }"], False),
        (["<p>{{ name }}</p>"], False),  # a page template
        (["<p>{{ name }}</p>", "{{x}}"], True),
        (["{{{x}}}"], False),
        (["plain"], False),
        ([], False),
    ],
)
def test_braces_of_texts_are_doubled_if_none_that_opens_stands_alone(texts: list[str], *, doubled: bool) -> None:
    assert are_doubled(texts) == doubled


def test_a_field_under_its_path_stays_there_where_a_bracket_is_left_over() -> None:
    """The object that it belongs to may have lost its beginning, and other members with it."""
    reminder = {"type": "object", "properties": {"method": {"type": "string"}}, "required": ["method"]}
    fields = {"title": {"type": "string"}, "reminder": reminder}
    schema = {"type": "object", "properties": fields, "required": ["title"], "additionalProperties": False}
    guard = Guard(Toolset(Tool("remind", "", schema, risk=Risk.WRITE)))
    body = '{"tool": "remind", "title": "x", "reminder.method": "none"}'
    assert guard.check(f"```json\n{body}\n```\n").arguments == {"tool": "remind", "title": "x", "reminder": {"method": "none"}}
    assert not guard.check(f"```json\n{body}}}\n```\n").executable


def test_what_a_stretch_that_was_lost_held_leaves_no_call_behind() -> None:
    """From inside one text to inside another, with the beginning of an object between them: its brace is left over."""
    meta = {"type": "object", "properties": {"by": {"type": "string"}}, "additionalProperties": False}
    fields = {"text": {"type": "string"}, "meta": meta}
    schema = {"type": "object", "properties": fields, "required": ["text"], "additionalProperties": False}
    guard = Guard(Toolset(Tool("note", "", schema, risk=Risk.WRITE)))
    body = '{"tool": "note", "text": "a long story", "meta": {"by": "its author"}}'
    assert guard.check(f"```json\n{body}\n```\n").executable
    assert not guard.check("```json\n" + body.replace('story", "meta": {"by": "its ', "") + "\n```\n").executable
    assert guard.check(f"```json\n{body}}}\n```\n").executable
    assert guard.check('```json\n{"tool": "note", "text": "a"};\n```\n').executable


@pytest.mark.parametrize("text", ["{{x}", "use {{x} and {{y} here", '{{\\"a\\": 1}', "f({{a: {{b: 1}}"])
def test_a_text_is_undetermined_where_all_that_opens_is_doubled(text: str) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False}
    guard = Guard(Toolset(Tool("note", "", schema, risk=Risk.WRITE)))
    assert not guard.check(f'```json\n{{{{"tool": "note", "text": "{text}"}}\n```\n').executable
    assert guard.check(f'```json\n{{"tool": "note", "text": "{text}"}}\n```\n').executable
