"""A misspelt key of a tool definition in a file is named with the one that was meant; a key of its writer's own is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stream_guard import Toolset
from stream_guard.command.spelt import DEFINITION, HINTS, KEYWORDS, misspelt
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.tools.lessons import LESSON_TOOLS
from tests.kit.command import command

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"requried": {"type": "string", "description": "A field may have any name."}},
    "required": ["requried"],
}
FORMS: dict[str, Any] = {
    "MCP": lambda key, value: {"name": "note", "inputSchema": SCHEMA, key: value},
    "Anthropic": lambda key, value: {"name": "note", "input_schema": SCHEMA, key: value},
    "OpenAI": lambda key, value: {"type": "function", "function": {"name": "note", "parameters": SCHEMA, key: value}},
}


def slips(key: str) -> list[str]:
    """A letter left out, two letters changed round, another case."""
    at = len(key) // 2
    return [key[:at] + key[at + 1 :], key[:at] + key[at + 1] + key[at] + key[at + 2 :], key.upper()]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", ["description", "annotations", "outputSchema"])
def test_a_slip_in_a_key_is_named(form: str, key: str) -> None:
    for slip in slips(key):
        assert list(misspelt(FORMS[form](slip, {}))) == [f"{slip!r} is no key of a tool definition: write {key!r}"]


@pytest.mark.parametrize("key", ["parameters", "input_schema", "inputSchema"])
def test_a_slip_in_the_key_of_the_schema_is_named(key: str) -> None:
    for slip in slips(key):
        assert f"{slip!r} is no key of a tool definition: write {key!r}" in misspelt({"name": "note", slip: SCHEMA})


@pytest.mark.parametrize("key", ["args", "arguments", "schema", "json_schema"])
def test_a_schema_in_no_place_for_one_is_named(key: str) -> None:
    assert list(misspelt({"name": "note", key: SCHEMA})) == [
        f'it has no "parameters", and {key!r} is no key of a tool definition'
    ]


@pytest.mark.parametrize(
    "key", ["properties", "required", "additionalProperties", "description", "minLength", "patternProperties"]
)
def test_a_slip_in_a_keyword_is_named_wherever_the_schema_stands(key: str) -> None:
    for slip in slips(key):
        inner: dict[str, Any] = {slip: {}}
        schemas: tuple[dict[str, Any], ...] = (
            inner,
            {"properties": {"a": inner}},
            {"items": inner},
            {"anyOf": [{"type": "null"}, inner]},
            {"$defs": {"one": inner}},
            {"additionalProperties": inner},
        )
        for schema in schemas:
            for entry in ({"name": "note", "parameters": schema}, {"title": "note", **schema}):
                assert f"{slip!r} is no keyword of a JSON Schema: write {key!r}" in misspelt(entry)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("hint", sorted(HINTS))
def test_a_slip_in_a_hint_is_named_and_a_hint_is_true_or_false(form: str, hint: str) -> None:
    """It would pass in silence otherwise, and leave the tool destructive."""
    first = hint.removesuffix("Hint")
    snake = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in hint)
    others = {hint.lower(), first, first.lower(), snake, snake.replace("_", "-"), snake.removesuffix("_hint")}
    for slip in {*slips(hint), *others} - {hint}:
        assert list(misspelt(FORMS[form]("annotations", {slip: False}))) == [
            f"{slip!r} is no hint in annotations: write {hint!r}"
        ]
    wrong: tuple[Any, ...] = ("false", "true", 0, 1, None, [], {})
    for value in wrong:
        (said,) = misspelt(FORMS[form]("annotations", {hint: value}))
        assert said == f"{hint!r} in annotations is true or false, not {json.dumps(value)}"
    for good in (True, False):
        assert list(misspelt(FORMS[form]("annotations", {hint: good}))) == []


@pytest.mark.parametrize("form", FORMS)
def test_other_annotations_are_their_writers_own(form: str) -> None:
    own: dict[str, Any] = {"title": "Note", "x-destructive": 1, "vendor": {"any": "1"}, "audience": ["user"], "priority": 0.5}
    for notes in (own, {}, None):
        assert list(misspelt(FORMS[form]("annotations", notes))) == []
    (said,) = misspelt(FORMS[form]("annotations", {"writeHint": True}))
    assert "'writeHint' is no hint in annotations" in said
    for wrong in ("read only", ["readOnlyHint"], True):
        (said,) = misspelt(FORMS[form]("annotations", wrong))
        assert '"annotations" must be an object, such as {"destructiveHint": false}, got ' in said


@pytest.mark.parametrize("tools", [FILE_TOOLS, LESSON_TOOLS], ids=["files", "lessons"])
def test_no_definition_of_a_provider_is_misspelt(tools: Toolset) -> None:
    for entry in (*tools.to_openai(), *tools.to_openai("responses"), *tools.to_anthropic(), *tools.to_mcp()):
        assert list(misspelt(entry)) == []


def test_keys_of_a_writers_own_are_taken() -> None:
    """What no reader knows, and is near to nothing that one knows."""
    own: dict[str, Any] = {"x-descripton": "x", "vendor": {"any": 1}, "group": "files"}
    for form in FORMS.values():
        for key, value in own.items():
            assert list(misspelt(form(key, value))) == []
    assert list(misspelt({"title": "note", **SCHEMA, **own})) == []
    assert list(misspelt({"name": "ping"})) == []


def test_every_known_key_is_known() -> None:
    for key in DEFINITION - {"function"}:
        assert not [said for said in misspelt({"name": "note", "parameters": SCHEMA, key: {}}) if "is no key" in said]
    for key in KEYWORDS:
        assert list(misspelt({"title": "note", "properties": {}, key: {}})) == []


def test_the_command_line_refuses_it(tmp_path: Path) -> None:
    tmp_path.joinpath("reply.txt").write_text("No call.\n", encoding="utf-8")
    tmp_path.joinpath("tools.json").write_text(json.dumps([{"name": "note", "paramters": SCHEMA}]), encoding="utf-8")
    done = command("check", "--tools", "tools.json", "reply.txt", folder=tmp_path)
    assert done.returncode == 2
    assert "tools.json: entry 1: 'paramters' is no key of a tool definition: write 'parameters'" in done.stderr
