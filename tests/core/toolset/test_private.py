"""No preview, status or hint shows what a private field holds, wherever a model puts it and however it spells the name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stream_guard import Guard, Risk, SchemaError, Tool, ToolBlock, Toolset, ToolStatus
from stream_guard.testing import FakeStream
from stream_guard.toolset.private import PrivateNames
from stream_guard.values.preview import previewed

TEXT: Final = {"type": "string"}
SECRET: Final = "hunter2"
NAMES: Final = ("user", "password", "login", "meta", "rows", "apiKey", "note")


def an_object(members: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": dict(members), **more}


LEAVES: Final = st.sampled_from(
    [TEXT, {"type": "integer"}, {"type": "object"}, {"type": "object", "additionalProperties": TEXT}, {"type": "array"}, {}]
)
SCHEMAS: Final = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(an_object, st.dictionaries(st.sampled_from(NAMES), inner, min_size=1, max_size=3)),
        inner.map(lambda item: {"type": "array", "items": item}),
        st.lists(inner, min_size=1, max_size=2).map(lambda items: {"type": "array", "prefixItems": items}),
        inner.map(lambda one: {"anyOf": [one, {"type": "null"}]}),
    ),
    max_leaves=6,
)
ROOTS: Final = st.builds(
    an_object, st.dictionaries(st.sampled_from(NAMES), SCHEMAS, min_size=2, max_size=4), additionalProperties=st.booleans()
)


def named(schema: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all members that a schema lists, without indexes."""
    for name, inner in schema.get("properties", {}).items():
        yield (*above, name)
        yield from named(inner, (*above, name))
    for inner in (*([schema["items"]] if "items" in schema else ()), *schema.get("prefixItems", ()), *schema.get("anyOf", ())):
        yield from named(inner, above)


SPELLINGS: Final = (
    str, str.upper, str.title, lambda name: f"my_{name}", lambda name: f"{name}s", lambda name: f"{name}: x",
    lambda name: "".join(part.title() for part in name.split("_")), lambda name: f"login.{name}",
    lambda name: name[0] + name[1:].translate({ord(char): None for char in "aeiou"}), lambda name: f"{name[:-1]}",
)  # fmt: skip
"""How models write a name."""


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[Tool, dict[str, Any]]:
    """A tool with private fields, and arguments that have the secret under a private name in a place where none is listed."""
    schema = draw(ROOTS)
    found = sorted({*named(schema)})
    private = draw(st.sets(st.sampled_from(found), min_size=1, max_size=2))
    tool = Tool("c", "", schema, risk=Risk.DESTRUCTIVE, private={".".join(path) for path in private})
    leaf = draw(st.sampled_from(sorted(private)))[-1]
    written = draw(st.sampled_from(SPELLINGS))(leaf)
    return tool, draw(_values(schema, (), private, written))


@st.composite
def _values(
    draw: st.DrawFn, schema: Mapping[str, Any], at: tuple[str, ...], private: set[tuple[str, ...]], written: str
) -> Any:
    """A value for a schema. A private field has the secret; elsewhere it may come under another name, or in another form."""
    if any(at[: len(path)] == path for path in private):
        return draw(st.sampled_from([SECRET, {"value": SECRET}, [SECRET], {written: [SECRET, 1]}]))
    wrong = draw(st.integers(0, 3)) == 0
    if wrong:
        inner = draw(st.sampled_from([{written: SECRET, "a": 1}, {"a": {"b": [{written: {"x": SECRET}}]}}]))
        listed = schema.get("type") in (None, "object")
        return inner if not schema.get("properties") or written not in schema["properties"] or listed else {}
    if "anyOf" in schema:
        return draw(_values(schema["anyOf"][0], at, private, written))
    if schema.get("type") == "array":
        parts = schema.get("prefixItems") or [schema.get("items", {})] * draw(st.integers(0, 2))
        return [draw(_values(part, at, private, written)) for part in parts]
    if "properties" in schema:
        made = {name: draw(_values(inner, (*at, name), private, written)) for name, inner in schema["properties"].items()}
        return made | ({written: SECRET} if written not in made and draw(st.booleans()) else {})
    if schema.get("type") == "object":
        return {"a": "1", written: SECRET}
    return 1 if schema.get("type") == "integer" else "text"


def has_secret_under_a_public_name(tool: Tool, value: Any, at: tuple[str, ...] = ()) -> bool:
    """Whether the secret stands where the schema lists a field that is not private: there it is shown."""
    if isinstance(value, list):
        return any(has_secret_under_a_public_name(tool, item, at) for item in value)
    if isinstance(value, dict):
        return any(has_secret_under_a_public_name(tool, item, (*at, key)) for key, item in value.items())
    if value != SECRET:
        return False
    private = {tuple(name.split(".")) for name in tool.private}
    if any(at[: len(path)] == path for path in private):
        return False
    return bool(at) and at in {*named(tool.schema)}


async def told(tool: Tool, body: str, **settings: Any) -> tuple[list[ToolStatus], list[ToolBlock]]:
    async def approve(_: ToolBlock, __: Tool) -> bool:
        return True

    guard = Guard(Toolset(tool), preview=True, early="announce", approve=approve, **settings)
    items = [item async for item in guard.stream(FakeStream([f"```json\n{body[:9]}", f"{body[9:]}\n```\n"]))]
    return [item for item in items if isinstance(item, ToolStatus)], [item for item in items if isinstance(item, ToolBlock)]


@given(spoiled())
async def test_the_secret_is_in_nothing_that_is_shown(made: tuple[Tool, dict[str, Any]]) -> None:
    tool, arguments = made
    assume(not has_secret_under_a_public_name(tool, arguments))
    statuses, blocks = await told(tool, json.dumps({"tool": "c", **arguments}))
    assert SECRET not in json.dumps([status.to_dict() for status in statuses])
    assert SECRET not in "\n".join(block.hint.for_model() for block in blocks if block.hint is not None)


@given(ROOTS, st.data())
async def test_all_that_is_not_private_is_shown_of_a_valid_call(schema: dict[str, Any], data: st.DataObject) -> None:
    found = sorted({*named(schema)})
    private = {data.draw(st.sampled_from(found))}
    ((secret, *_),) = private
    tool = Tool("c", "", schema, risk=Risk.DESTRUCTIVE, private={".".join(path) for path in private})
    arguments = data.draw(_plain(schema))
    statuses, (block,) = await told(tool, json.dumps({"tool": "c", **arguments}))
    assert block.executable
    for shown in (
        previewed([change for status in statuses for change in status.preview or ()]),
        *(status.arguments for status in statuses if status.arguments is not None),
    ):
        assert {key: value for key, value in shown.items() if key != secret} == {
            key: value for key, value in arguments.items() if key != secret
        }


@st.composite
def _plain(draw: st.DrawFn, schema: Mapping[str, Any]) -> Any:
    """A valid value for a schema."""
    if "anyOf" in schema:
        return draw(st.one_of(st.none(), _plain(schema["anyOf"][0])))
    if schema.get("type") == "array":
        parts = schema.get("prefixItems") or [schema.get("items", {})] * draw(st.integers(0, 2))
        return [draw(_plain(part)) for part in parts]
    if "properties" in schema:
        return {name: draw(_plain(inner)) for name, inner in schema["properties"].items()}
    if schema.get("type") == "object":
        return draw(st.sampled_from([{}, {"x1": "b"}, {"x1": "b", "x2": "c"}]))
    return 1 if schema.get("type") == "integer" else "text"


LOGIN: Final = Tool(
    "c",
    "",
    an_object({"user": TEXT, "password": TEXT, "meta": {"type": "object"}, "tags": {"type": "array", "items": TEXT}}),
    risk=Risk.DESTRUCTIVE,
    private={"password"},
    field_aliases={"geheim": "password"},
)


@pytest.mark.parametrize(
    "arguments",
    [
        {"user": {"name": "bob", "password": SECRET}},
        {"user": ["bob", SECRET]},
        {"tags": {"password": SECRET}},
        {"meta": json.dumps({"password": SECRET})},
        {"meta": {"geheim": SECRET}},
        {"meta": {"login": {"password": SECRET}}},
        {"meta": [{"list": [[{"pwd": SECRET}]]}]},
        *(
            {"meta": {name: SECRET}}
            for name in ("Password", "passwd", "pass", "pw", "user_pw", "PASSWORD_1", "passwort", "pAssw0rd")
        ),
    ],
)
async def test_it_is_hidden_below_another_field(arguments: dict[str, Any]) -> None:
    statuses, _ = await told(LOGIN, json.dumps({"tool": "c", **arguments}))
    assert SECRET not in str(statuses)


def test_other_names_of_a_free_object_are_shown() -> None:
    names = PrivateNames(LOGIN.fields, LOGIN.hidden, LOGIN.field_aliases)
    assert not [name for name in ("a", "user", "color", "x-trace", "limit", "", "…") if names.resemble(name)]
    short = Tool("c", "", an_object({"k": an_object({"id": TEXT})}), private={"k"})
    names = PrivateNames(short.fields, short.hidden, {})
    assert [name for name in ("k", "K", "id", "userId", "idea", "a_k", "kind", "") if names.resemble(name)] == [
        "k",
        "K",
        "id",
        "userId",
        "a_k",
    ]


ROW: Final = an_object({"token": TEXT, "n": TEXT})


@pytest.mark.parametrize(
    ("schema", "name", "value"),
    [
        ({"type": "array", "items": {"type": "array", "items": ROW}}, "it.token", [[{"token": SECRET, "n": "a"}]]),
        ({"type": "array", "items": {"type": "array", "items": ROW}}, "it[0][0].token", [[{"n": "a"}], [{"token": SECRET}]]),
        ({"type": "array", "prefixItems": [TEXT, ROW]}, "it.token", ["a", {"token": SECRET, "n": "a"}]),
        ({"type": "array", "prefixItems": [TEXT, TEXT]}, "it[1]", ["a", SECRET]),
        (an_object({"a.b": TEXT}), "it['a.b']", {"a.b": SECRET}),
        (an_object({"a.b": TEXT}), "/it/a.b", {"a.b": SECRET}),
    ],
)
async def test_a_private_field_stands_in_lists_and_under_any_name(schema: Any, name: str, value: Any) -> None:
    tool = Tool("c", "", an_object({"it": schema, "other": TEXT}), risk=Risk.DESTRUCTIVE, private={name})
    statuses, (block,) = await told(tool, json.dumps({"tool": "c", "it": value, "other": "b"}))
    assert block.executable
    assert SECRET not in str(statuses)
    assert previewed([change for status in statuses for change in status.preview or ()])["other"] == "b"


def test_what_only_a_dependent_schema_lists_cannot_be_named() -> None:
    schema = an_object({"a": TEXT}, dependentSchemas={"a": {"properties": {"token": TEXT}}})
    with pytest.raises(SchemaError, match=r"`private` has a name that is no field: 'token'"):
        Tool("c", "", schema, private={"token"})


async def test_a_private_path_is_in_no_status() -> None:
    schema = an_object({"path": TEXT, "n": TEXT})
    tool = Tool("c", "", schema, risk=Risk.DESTRUCTIVE, private={"path"})
    statuses, (block,) = await told(tool, json.dumps({"tool": "c", "path": SECRET, "n": "a"}))
    assert block.executable
    assert "approving" in {status.status for status in statuses}
    assert SECRET not in str(statuses)


STRANGE: Final = (
    "password: hunter2",
    "password=hunter2",
    'password": "hunter2',
    "password hunter2",
    "pw: hunter2",
    ": hunter2",
)


@pytest.mark.parametrize("key", STRANGE)
@pytest.mark.parametrize("where", ["beside", "inside", "in a list"])
@pytest.mark.parametrize("closed", [True, False])
async def test_a_name_that_holds_a_value_is_quoted_up_to_its_first_sign(key: str, where: str, closed: bool) -> None:
    more = {"additionalProperties": False} if closed else {}
    login = an_object({"name": TEXT, "password": TEXT}, required=["name"], **more)
    fields = {"user": TEXT, "n": {"type": "integer"}, "login": login, "rows": {"type": "array", "items": login}}
    tool = Tool("c", "", an_object(fields, **more), private={"login.password", "rows.password"})
    arguments: dict[str, Any] = {key: 1} if where == "beside" else {}
    inner = {"name": [], key: 1}
    arguments |= {"login": inner} if where == "inside" else {"rows": [inner]} if where == "in a list" else {"n": []}
    statuses, (block,) = await told(tool, json.dumps({"tool": "c", **arguments, "user": "x"}))
    assert not block.executable
    assert block.hint is not None
    assert SECRET not in f"{block.hint} {block.hint.for_model()}"
    assert SECRET not in json.dumps([status.to_dict() for status in statuses])


async def test_what_is_left_of_such_a_name_is_said() -> None:
    tool = Tool("c", "", an_object({"user": TEXT, "password": TEXT}, additionalProperties=False), private={"password"})
    _, (block,) = await told(tool, json.dumps({"tool": "c", "user": "x", "password: hunter2": 1}))
    assert block.hint is not None
    assert block.hint.problem == 'c tool has no "password…" field'
    assert block.issues[0].pointer == "/password: hunter2"  # a block has what was written
