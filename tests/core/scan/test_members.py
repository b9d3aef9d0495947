"""The changes of a call's arguments while they are written: they append, come to the arguments, and say nothing private."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import Guard, Tool, ToolBlock, Toolset, ToolStatus
from stream_guard.scan.members import LONGEST_SCALAR, Members
from stream_guard.testing import by_char, every_split, random_splits
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.preview import Preview, View, paths, previewed
from tests.kit.proof import Cases

ANYTHING = Toolset(Tool("note", "Note something.", {"type": "object"}))
TEXTS = st.text(alphabet=st.one_of(st.characters(codec="utf-8"), st.sampled_from('"\\{}[]:,\n/~é😀')), max_size=12)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


def changes(guard: Guard, deltas: list[str]) -> list[Preview]:
    """What a preview of this reply says, change by change."""
    items = guard.scan(deltas)
    return [change for item in items if isinstance(item, ToolStatus) for change in item.preview or ()]


def read(text: str, deltas: list[str], **settings: Any) -> list[Preview]:
    """The changes of arguments that come in these deltas."""
    members = Members(View(None), 64, envelope="none", **settings)
    for delta in deltas:
        members.feed(delta)
    assert "".join(deltas) == text
    return members.changes


@given(st.dictionaries(TEXTS.filter(lambda key: key != "tool"), VALUES, max_size=5), st.booleans(), st.integers(0, 9))
@pytest.mark.promise("P1")
def test_joined_the_changes_are_the_arguments(arguments: dict[str, Any], ascii_only: bool, seed: int) -> None:
    """Of every value, however it is cut; for a block in the text, and for a native call."""
    written = json.dumps(arguments, ensure_ascii=ascii_only, indent=seed % 3 or None)
    for deltas in ([written], list(by_char(written)), *map(list, random_splits(written, seed, 3))):
        assert same(previewed(read(written, deltas)), arguments)
    text = f"```json\n{json.dumps({'tool': 'note', **arguments}, ensure_ascii=ascii_only)}\n```\n"
    guard = Guard(ANYTHING, preview=True)
    for deltas in ([text], list(by_char(text))):
        *_, block = (item for item in guard.scan(deltas) if isinstance(item, ToolBlock))
        if block.outcome == "valid":
            assert same(previewed(changes(guard, deltas)), block.runnable().arguments)


def same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


def test_changes_only_append(cases: Cases) -> None:
    """A value opens inside one that is open, goes on, and is closed once, wherever the text is cut."""
    arguments = {"a": "x\n\\", "b": [1, {"c": "é😀"}, []], "d": {"e": None, "f": "long " * 20}}
    written = json.dumps(arguments)
    for pieces in every_split(written):
        cases(1)
        open_values: set[str] = {""}
        done: set[str] = set()
        for change in read(written, list(pieces)):
            above = change.pointer.rpartition("/")[0]
            assert above in open_values
            if change.op in ("open", "value"):
                assert change.pointer not in open_values | done
            else:
                assert change.pointer in open_values
            if change.op == "open":
                open_values.add(change.pointer)
            elif change.op != "text":
                open_values.discard(change.pointer)
                done.add(change.pointer)


@pytest.mark.parametrize(
    ("written", "comes_to"),
    [
        ('{"a": 1, "a": 2}', {"a": 1}),
        ('{"a": 01, "b": 2}', {}),
        ('{"a": 1e999, "b": 2}', {}),
        ('{"a": NaN}', {}),
        ('{"a": tru, "b": 2}', {}),
        ('{"a": 1 "b": 2}', {"a": 1}),
        ('{"a": [1, 2}, "b": 2}', {"a": [1, 2]}),
        ('{"a": 1} {"a": 2}', {"a": 1}),
        ("{'a': 1}", {}),
        ("[1]", {}),
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
        ('{"a": ' + "1" * (LONGEST_SCALAR + 1) + "}", {}),
    ],
)
def test_nothing_is_said_behind_what_is_no_json(written: str, comes_to: dict[str, Any]) -> None:
    for deltas in ([written], list(by_char(written))):
        assert previewed(read(written, deltas)) == comes_to


@pytest.mark.parametrize("bad", ["\\q", "\\ud800x", "\\udc00", "\\ud83d"])
def test_nothing_is_said_behind_an_escape_that_stands_for_nothing(bad: str) -> None:
    written = f'{{"a": "x{bad}", "b": 2}}'
    for deltas in ([written], list(by_char(written))):
        assert previewed(read(written, deltas)) == {"a": "x"}


LOGIN = Tool(
    "log_in",
    "Log in.",
    {
        "type": "object",
        "properties": {
            "user": {"type": "string"},
            "token": {"type": "string", "minLength": 50},
            "login": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "password": {"type": "string"}},
                "required": ["name"],
            },
            "keys": {"type": "array", "items": {"type": "object", "properties": {"id": {}, "secret": {}}}},
            "mode": {"enum": ["a", "b"]},
        },
        "required": ["user", "mode"],
    },
    private={"token", "login.password", "keys[0].secret"},
    field_aliases={"api_key": "token"},
)
SECRET = "s3cr3t"


@pytest.mark.parametrize("end", ['"}\n```\n', "", '", "b": 1}\n```\n'])
@pytest.mark.parametrize(
    "bad", ["\\q three", "\\\n", "\\u12", "\\ud83d", "\\ud83d\\q", "\\udc00", "\ud83d", "a\udc00b", "\\", "\t\\x41"]
)
def test_what_stands_before_the_end_of_json_is_shown_at_any_cut(bad: str, end: str, cases: Cases) -> None:
    text = f'```json\n{{"tool": "write_file", "path": "a", "content": "one \\n\\u00e9 two {bad}{end}'
    guard = Guard(FILE_TOOLS, preview=True)
    found = []
    for chunks in ([text], by_char(text), *every_split(text), *random_splits(text, count=20)):
        changes = [change for item in guard.scan(chunks) if isinstance(item, ToolStatus) for change in item.preview or ()]
        found.append(previewed(changes))
    assert all(one == found[0] for one in found), found
    assert found[0]["content"].startswith("one \né two ")
    cases(len(found))


@pytest.mark.parametrize(
    "arguments",
    [
        {"user": "x", "token": SECRET, "mode": "a"},
        {"user": "x", "token": [SECRET], "mode": "c"},
        {"token": {"value": SECRET}, "user": 3, "mode": "a"},
        {"user": "x", "api_key": SECRET, "mode": "a"},
        {"user": "x", "Token": SECRET, "mode": "c"},
        {"user": "x", "login": {"name": "y", "password": SECRET}, "mode": "a"},
        {"user": "x", "login": {"name": "y", "pass_word": SECRET}, "mode": "c"},
        {"user": "x", "login": SECRET, "mode": "a"},
        {"user": "x", "login": [SECRET], "mode": "c"},
        {"user": "x", "keys": [{"id": 1, "secret": "z"}, {"id": 2, "secret": SECRET}], "mode": "a"},
        {"user": "x", "keys": SECRET, "mode": "c"},
        {"login": {"password": SECRET}},
        {"user": "x", "login": {"name": "y", "PASSWORD": SECRET}},
        {"login": {"name": "y", "passwords": {"a": SECRET}}},
        {"keys": [{"id": 1, "Secret": SECRET}]},
        {"keys": {"id": 1, "secret": SECRET}},
    ],
)
def test_a_private_field_is_in_no_status_and_no_hint(arguments: dict[str, Any], cases: Cases) -> None:
    """At no cut, in no spelling, in a call that passes, is mended or fails; while it is written and when it is aborted."""
    body = json.dumps({"tool": "log_in", **arguments})
    enveloped = json.dumps({"name": "log_in", "arguments": arguments})
    for text in (f"```json\n{body}\n```\n", f"```json\n{enveloped}\n```\n", f"```json\n{body[:-1]}, \n```\n"):
        for early in ("announce", "abort"):
            guard = Guard(Toolset(LOGIN), preview=True, progress=5, early=early)
            for deltas in ([text], list(by_char(text))):
                cases(1)
                for item in guard.scan(deltas):
                    if isinstance(item, ToolStatus):
                        assert SECRET not in json.dumps(item.to_dict())
                    elif isinstance(item, ToolBlock):
                        assert item.hint is None or SECRET not in json.dumps(item.to_dict()["hint"])
                        assert SECRET not in json.dumps([str(issue) for issue in item.issues])


def test_only_the_fields_that_were_asked_for_are_shown() -> None:
    text = '```json\n{"tool": "edit_file", "path": "a", "search_replace": {"old_string": "x", "new_string": "y"}}\n```'
    one = Guard(FILE_TOOLS, preview=("search_replace.new_string",))
    assert previewed(changes(one, [text])) == {"search_replace": {"new_string": "y"}}
    assert previewed(changes(Guard(FILE_TOOLS, preview="path"), [text])) == {"path": "a"}
    assert changes(Guard(FILE_TOOLS), [text]) == []


def test_a_name_that_is_no_field_is_refused() -> None:
    with pytest.raises(ValueError, match="no tool has a field 'nonsense'"):
        Guard(FILE_TOOLS, preview="nonsense")
    with pytest.raises(ValueError, match="`private` has a name that is no field"):
        Tool("t", "T.", {"type": "object", "properties": {}}, private={"x"})


ITEMS = {"type": "array", "items": {"type": "object", "properties": {"id": {}, "secret": {"type": "string"}}}}


@pytest.mark.parametrize("name", ["keys.secret", "keys[0].secret", "keys.0.secret", "keys.12.secret", "/keys/0/secret"])
def test_a_field_of_items_is_private_in_every_item_however_it_is_named(name: str) -> None:
    tool = Tool("t", "T.", {"type": "object", "properties": {"path": {}, "keys": ITEMS}, "required": ["path"]}, private={name})
    assert tool.hidden == {"keys": {"secret": True}}
    text = f"```json\n{json.dumps({'tool': 't', 'keys': [{'id': 1, 'secret': 'z'}, {'id': 2, 'secret': SECRET}]})}\n```\n"
    items = list(Guard([tool], preview=True).scan([text]))
    assert SECRET not in json.dumps([item.to_dict() for item in items if isinstance(item, ToolStatus)])
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert block.hint is not None
    assert SECRET not in json.dumps(block.to_dict()["hint"])
    assert previewed(changes(Guard([tool], preview=("keys.id",)), [text])) == {"keys": [{"id": 1}, {"id": 2}]}


@pytest.mark.parametrize("name", ["", ".", "0", "[0]", "keys", "keys.0", "keys[]", "keys.*.secret", "other", "path.x"])
def test_a_name_that_leads_to_no_field_is_refused_or_hides_all_of_it(name: str) -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "keys": ITEMS}}
    if name.startswith("keys") and "*" not in name:
        assert Tool("t", "T.", schema, private={name}).hidden == {"keys": True}
    else:
        with pytest.raises(ValueError, match="`private` has a name that is no field"):
            Tool("t", "T.", schema, private={name})


def test_a_path_includes_the_paths_below_it() -> None:
    assert paths([("a", "b"), ("a",), ("c", "d")]) == {"a": True, "c": {"d": True}}
