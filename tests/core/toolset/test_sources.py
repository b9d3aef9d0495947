"""What a tool can be made from, and how it is told to others: out and back again it is the same tool."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import subprocess
import sys
import threading
import typing
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any, Literal, NoReturn

import jsonschema_rs
import pydantic
import pydantic.dataclasses
import pytest
import typing_extensions
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import Guard, Risk, SchemaError, Tool, ToolBlock, ToolOutput, Toolset
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.toolset.listings import sample
from tests.kit.broken_payloads import BOOK
from tests.kit.values import VALUES

WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Where"}, "days": {"type": "integer"}},
    "required": ["city"],
}


@dataclasses.dataclass
class Point:
    """A place."""

    x: int
    y: int = 0


@dataclasses.dataclass
class Undocumented:
    x: int


class Booking(pydantic.BaseModel):
    """Book a table."""

    day: Literal["monday", "tuesday"]
    seats: Annotated[int, pydantic.Field(ge=1)] = 2
    where: Point | None = None

    @pydantic.field_validator("day")
    @classmethod
    def open_that_day(cls, day: str) -> str:
        if day == "tuesday":
            raise ValueError("closed on Tuesdays")
        return day


class Search(typing.TypedDict):
    """Search for something."""

    query: typing.Required[str]
    near: typing.NotRequired[list[Point]]


class Newer(typing_extensions.TypedDict, total=False):
    query: str


async def search(query: str, limit: Annotated[int, "how many"] = 10, *, how: Literal["fast", "deep"] = "fast") -> list[str]:
    """Search the web.

    It takes a while.

    Args:
        query: What to look for,
            in words.
        limit (int): Not this.
        how: How quickly.

    Returns:
        query: nothing to do with it.
    """
    return [f"{query} {how}"] * limit


def move(to: Point, path: list[Search] | None = None) -> dict[str, Any]:
    return {"x": to.x, "y": to.y, "steps": len(path or [])}


OPENAI = {"type": "function", "function": {"name": "get_weather", "description": "The weather", "parameters": WEATHER}}
RESPONSES = {"type": "function", "name": "get_weather", "description": "The weather", "parameters": WEATHER, "strict": True}
ANTHROPIC = {"name": "get_weather", "description": "The weather", "input_schema": WEATHER}
MCP = {"name": "get_weather", "description": "The weather", "inputSchema": WEATHER, "outputSchema": {"type": "object"}}


@pytest.mark.parametrize("entry", [OPENAI, RESPONSES, ANTHROPIC, MCP])
def test_a_providers_entry_is_a_tool(entry: dict[str, Any]) -> None:
    tool = Tool.of(entry)
    assert (tool.name, tool.description, tool.schema) == ("get_weather", "The weather", WEATHER)
    assert tool.output_schema == entry.get("outputSchema")
    assert tool.required_keys == ("city",)


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic", "mcp"])
def test_a_tool_told_to_others_and_read_back_is_the_same(api: str) -> None:
    tools = Toolset(*FILE_TOOLS, BOOK)
    tell: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "chat": tools.to_openai,
        "responses": lambda: tools.to_openai("responses"),
        "anthropic": tools.to_anthropic,
        "mcp": tools.to_mcp,
    }
    listing = tell[api]()
    json.dumps(listing)
    for back in (Toolset.of(listing), Toolset.of({"tools": listing}), Toolset.of(*listing)):
        assert [(tool.name, tool.description, tool.schema) for tool in back] == [
            (tool.name, tool.description, tool.schema) for tool in tools
        ]
        if api == "mcp":
            assert [tool.risk for tool in back] == [tool.risk for tool in tools]


def test_the_objects_of_an_sdk_are_read_like_their_data() -> None:
    """An SDK's listing is a model that dumps itself."""

    class Entry(pydantic.BaseModel):
        name: str
        input_schema: Annotated[dict[str, Any], pydantic.Field(alias="inputSchema")]

    class Listing(pydantic.BaseModel):
        tools: list[Entry]
        next_cursor: str | None = None

    listing = Listing(tools=[Entry.model_validate({"name": "a", "inputSchema": WEATHER})])
    assert [tool.schema for tool in Toolset.of(listing)] == [WEATHER]
    assert Toolset.of([FILE_TOOLS.get("write_file"), listing.tools[0]]).names == ("write_file", "a")


def test_a_schema_is_a_tool_when_it_has_a_name() -> None:
    assert Tool.of({"title": "get_weather", **WEATHER}).name == "get_weather"
    assert Tool.of(WEATHER, name="w", risk=Risk.READ).risk is Risk.READ
    with pytest.raises(ValueError, match="needs a name"):
        Tool.of(WEATHER)


def test_a_listed_tool_without_parameters_takes_none() -> None:
    for entry in ({"type": "function", "function": {"name": "ping"}}, {"name": "ping"}):
        tool = Tool.of(entry)
        assert tool.compiled.accepts({})
        assert not tool.compiled.accepts({"x": 1})


async def test_a_pydantic_model_is_a_tool_and_its_validators_are_rules() -> None:
    """The handler is given the model; what a validator refuses never reaches it."""
    tools = Toolset(Tool.of(Booking, name="book", handler=lambda booking: [booking.day, booking.seats, booking.where]))
    (tool,) = tools
    assert (tool.description, tool.required) == ("Book a table.", ("day",))
    assert (await tools.call("book", {"day": "monday", "where": {"x": 1}})).payload == ["monday", 2, {"x": 1, "y": 0}]
    hint = (await tools.call("book", {"day": "tuesday"})).retry_hint
    assert hint is not None
    assert (hint.reason, hint.fields, hint.problem) == ("invalid_arguments", ("day",), '"day": closed on Tuesdays')
    hint = (await tools.call("book", {"day": "someday", "seats": "2", "where": {"y": 1}})).retry_hint
    assert hint is not None
    assert sorted(hint.fields) == ["day", "seats", "where.x"]
    block = Guard(tools).check('{"tool": "book", "day": "tuesday"}')
    assert [(issue.field, issue.line, issue.column) for issue in block.issues] == [("day", 1, 25)]


async def test_a_dataclass_and_a_typed_dict_are_tools() -> None:
    tools = Toolset(
        Tool.of(Point, handler=lambda point: point.x + point.y),
        Tool.of(Search, handler=lambda found: [found["query"], [type(point).__name__ for point in found.get("near", [])]]),
        Tool.of(Newer),
    )
    assert [tool.description for tool in tools] == ["A place.", "Search for something.", ""]
    assert Tool.of(Undocumented).description == ""
    assert (await tools.call("Point", {"x": 1, "y": 2})).payload == 3
    assert (await tools.call("Search", {"query": "q", "near": [{"x": 1}]})).payload == ["q", ["Point"]]
    hint = (await tools.call("Search", {"near": [{"y": 1}]})).retry_hint
    assert hint is not None
    assert set(hint.missing_fields) == {"query", "near[0].x"}


class Disk(pydantic.BaseModel):
    """A disk."""

    name: str
    dry_run: bool = False


@dataclasses.dataclass
class Wiped:
    """A disk."""

    name: str
    dry_run: bool = False


class Wipe(typing_extensions.TypedDict):
    """A disk."""

    name: str
    dry_run: typing_extensions.NotRequired[bool]


class Job(pydantic.BaseModel):
    """Disks."""

    model_config = pydantic.ConfigDict(extra="ignore")

    disks: list[Disk | Wiped]
    last: Wipe | None = None


class Open(pydantic.BaseModel):
    """Anything."""

    model_config = pydantic.ConfigDict(extra="allow")

    disk: Disk


@pytest.mark.parametrize("kind", [Disk, Wiped, Wipe])
@pytest.mark.parametrize("risk", Risk)
def test_a_field_that_a_type_does_not_have_is_never_dropped(kind: Any, risk: Risk) -> None:
    """Pydantic would drop it, and wipe the disk with `dry_run=False`."""
    guard = Guard([Tool.of(kind, name="wipe", risk=risk)])
    spelt = guard.check('{"tool": "wipe", "name": "a", "dryRun": true}')
    assert (spelt.outcome, spelt.arguments) == ("fixed", {"tool": "wipe", "name": "a", "dry_run": True})
    assert [fix.rule for fix in spelt.fixes] == ["field_name"]
    wrong = guard.check('{"tool": "wipe", "name": "a", "size": 2}')
    assert (wrong.executable, [issue.code for issue in wrong.issues]) == (False, ["unknown_field"])
    near = guard.check('{"tool": "wipe", "name": "a", "dry_runn": true}')
    assert not near.executable or near.arguments == {"tool": "wipe", "name": "a", "dry_run": True}


@pytest.mark.parametrize(
    "arguments",
    [
        {"disks": [{"name": "a", "dry_runn": True}]},
        {"disks": [], "last": {"name": "a", "size": True}},
        {"disks": [], "note": "a"},
    ],
)
async def test_a_field_that_a_nested_type_does_not_have_is_refused(arguments: Any) -> None:
    def wipe(job: Job) -> None:
        raise AssertionError("the handler ran")

    for tool, call in (Tool.of(Job, name="wipe", handler=wipe), arguments), (Tool.of(wipe), {"job": arguments}):
        output = await Toolset(tool).call("wipe", call)
        assert not output.ok


async def test_a_model_that_allows_other_fields_is_given_them() -> None:
    tools = Toolset(Tool.of(Open, handler=lambda given: given))
    assert (await tools.call("Open", {"disk": {"name": "a"}, "more": 1})).payload["more"] == 1
    assert not (await tools.call("Open", {"disk": {"name": "a", "more": 1}})).ok


def by_the_name_of_tool(tool: str, times: int = 1) -> None:
    """Use a tool."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tool.of(by_the_name_of_tool),
        lambda: Tool("use", "", {"type": "object", "properties": {"tool": {"type": "string"}}}),
        lambda: Tool("use", "", {"properties": {"tool": {"const": "other"}}}),
    ],
)
def test_a_field_that_no_call_could_give_is_refused_when_the_tool_is_made(make: Callable[[], Tool]) -> None:
    with pytest.raises(SchemaError, match=r"a field cannot be called 'tool', .*give the field another name"):
        make()


def test_an_object_of_any_members_stays_one() -> None:
    kind = pydantic.RootModel[dict[str, Any]]
    assert Tool.of(kind, name="any").compiled.accepts({"a": 1})


def test_a_risk_is_shown_by_its_name() -> None:
    tool = Tool.of(Disk, risk=Risk.READ)
    assert (str(tool.risk), f"{tool.risk}", f"{tool.risk:>5}") == ("READ", "READ", " READ")


async def test_a_function_is_a_tool_with_what_its_signature_and_docstring_say() -> None:
    tools = Toolset.of(search, move)
    tool = tools.get("search")
    assert tool is not None
    assert tool.description == "Search the web.\n\nIt takes a while."
    assert tool.schema["properties"]["query"]["description"] == "What to look for, in words."
    assert tool.schema["properties"]["limit"]["description"] == "how many"
    assert tool.schema["properties"]["limit"]["default"] == 10
    assert tool.schema["required"] == ["query"]
    assert (await tools.call("search", {"query": "a", "limit": 2, "how": "deep"})).payload == ["a deep", "a deep"]
    assert (await tools.call("move", {"to": {"x": 1}, "path": [{"query": "q"}]})).payload == {"x": 1, "y": 0, "steps": 1}
    hint = (await tools.call("search", {"query": "a", "limti": 2})).retry_hint
    assert hint is not None
    assert (hint.fields, hint.suggestion) == (("limti",), "limit")
    hint = (await tools.call("search", {"query": "a", "limit": "2"}, fixes="off")).retry_hint
    assert hint is not None
    assert hint.problem == '"limit" must be an integer, not a string'


async def test_another_handler_may_stand_for_the_function_and_is_called_like_it() -> None:
    tools = Toolset(Tool.of(move, handler=lambda to, path=None: [to.x, path]))
    assert (await tools.call("move", {"to": {"x": 1}})).payload == [1, None]


def test_a_bound_method_and_a_callable_object_are_tools() -> None:
    class Shop:
        def buy(self, what: str) -> str:
            """Buy it."""
            return what

        def __call__(self, what: str) -> str:
            return what

    assert Tool.of(Shop().buy).schema["required"] == ["what"]
    assert Tool.of(Shop(), name="shop").schema["required"] == ["what"]


def unresolved(x: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821
    ...


@pytest.mark.parametrize(
    ("source", "error", "says"),
    [
        (3, TypeError, "expected a function, a model"),
        (None, TypeError, "NoneType"),
        (lambda *args: args, SchemaError, "args"),
        (lambda **more: more, SchemaError, "more"),
        (dict.get, SchemaError, "positional-only"),
        (unresolved, SchemaError, "Nowhere"),
        (int, SchemaError, "an object"),
        (list[int], SchemaError, "an object"),
        ({"type": "web_search"}, ValueError, "web_search"),
        ({"type": "web_search_20250305", "name": "web_search"}, ValueError, "has no schema"),
        ({"name": "t", "parameters": {"type": "nope"}}, SchemaError, "tool 't': invalid schema at /type"),
        ({"name": "t", "parameters": [1]}, SchemaError, "a schema must be an object"),
        ({"name": "", "parameters": {}}, ValueError, "needs a name"),
        ({}, ValueError, "expected a provider's tool definition or a JSON Schema, got an object with nothing in it"),
    ],
)
def test_what_is_no_tool_is_refused_with_the_reason(source: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        Tool.of(source)


def test_a_toolset_takes_tools_and_says_what_makes_them() -> None:
    with pytest.raises(TypeError, match=r"Toolset\.of"):
        Toolset(search)  # type: ignore[arg-type]


def test_an_example_that_is_not_valid_is_refused_at_registration() -> None:
    assert Tool("t", "", WEATHER, examples=({"city": "Ghent"},)).examples
    with pytest.raises(SchemaError, match=r"tool 't': example 2: \"city\" must be a string"):
        Tool("t", "", WEATHER, examples=({"city": "Ghent"}, {"city": 9000}))
    with pytest.raises(SchemaError, match="tool 't': output: invalid schema at /type"):
        Tool("t", "", {}, {"type": "nope"})


def test_a_name_that_providers_refuse_is_refused_here() -> None:
    tools = Toolset(Tool("get weather", "", {}))
    for tell in (tools.to_openai, tools.to_anthropic):
        with pytest.raises(ValueError, match="1 to 64"):
            tell()
    assert tools.to_mcp()[0]["name"] == "get weather"


@pytest.mark.parametrize("tools", [FILE_TOOLS, Toolset(BOOK), Toolset.of(Booking, Point, search, Search)], ids=repr)
@pytest.mark.parametrize("language", ["json", "tool"])
def test_every_example_in_the_prompt_is_a_call_that_passes(tools: Toolset, language: str) -> None:
    """What the model is told to write, the guard takes. The shape with its placeholders is no call."""
    prompt = tools.to_prompt(language)
    blocks = [item for item in Guard(tools, languages=(language,)).scan(prompt) if isinstance(item, ToolBlock)]
    assert [block.tool for block in blocks if block.executable] == list(tools.names)
    for tool in tools:
        for path in tool.required_keys:
            assert path.rpartition(".")[2] in prompt


def test_the_prompt_shows_the_examples_of_the_author() -> None:
    tool = Tool("get_weather", "The weather", WEATHER, examples=({"city": "Ghent", "days": 3},))
    assert '```json\n{"tool": "get_weather", "city": "Ghent", "days": 3}\n```' in Toolset(tool).to_prompt()


def test_a_recursive_tool_has_an_end_in_the_prompt() -> None:
    node = {"properties": {"next": {"$ref": "#/$defs/n"}, "all": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}
    tool = Tool("t", "", {"$defs": {"n": node}, "properties": {"top": {"$ref": "#/$defs/n"}}, "required": ["top"]})
    assert Toolset(tool).to_prompt().count("- next") < 5


def test_types_without_pydantic_are_refused_with_what_to_do() -> None:
    """Schemas need none."""
    code = (
        "import sys; sys.modules['pydantic'] = None\n"
        "from stream_guard import Tool\n"
        "Tool.of({'name': 'a', 'input_schema': {}})\n"
        "def f(x: int) -> None: ...\n"
        "try: Tool.of(f)\n"
        "except ValueError as error: print(error)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "Python types need pydantic; install stream-guard-llm[pydantic], or give a JSON Schema" in output


def test_a_listing_that_says_it_only_reads_is_believed() -> None:
    """And one that says that it takes nothing away. One that says nothing, or both, may do anything."""
    for notes, risk in (
        ({"readOnlyHint": True}, Risk.READ),
        ({"readOnlyHint": True, "destructiveHint": False}, Risk.READ),
        ({"readOnlyHint": False, "destructiveHint": False}, Risk.WRITE),
        ({"destructiveHint": True}, Risk.DESTRUCTIVE),
        ({"readOnlyHint": True, "destructiveHint": True}, Risk.DESTRUCTIVE),
        ({"readOnlyHint": "yes", "destructiveHint": 0}, Risk.DESTRUCTIVE),
        ({"readOnlyHint": False}, Risk.DESTRUCTIVE),
        ({}, Risk.DESTRUCTIVE),
        (None, Risk.DESTRUCTIVE),
    ):
        entry = {"name": "x", "parameters": {"type": "object"}}
        for listed in (
            {**entry, "annotations": notes},
            {"type": "function", "function": {**entry, "annotations": notes}},
            {"type": "function", "function": entry, "annotations": notes},
            {"type": "function", "function": {**entry, "annotations": notes}, "annotations": {"readOnlyHint": True}},
        ):
            assert Tool.of(listed).risk is risk


@pytest.mark.promise("P8")
def test_a_tool_from_outside_takes_something_away_until_it_is_told_not_to() -> None:
    """One of code that you wrote does not; and whoever says what a tool can do is believed."""
    for entry in (OPENAI, RESPONSES, ANTHROPIC, MCP, {"title": "get_weather", **WEATHER}):
        (tool,) = Toolset.of([entry])
        assert tool.risk is Risk.DESTRUCTIVE
        reads = Tool.of(entry, risk=Risk.READ)
        assert reads.risk is Risk.READ
        slip, spelt = (json.dumps({"tool": name, "city": "Ghent"}) for name in ("get_weahter", "GetWeather"))
        assert [Guard(Toolset(one)).check(slip).executable for one in (tool, reads)] == [False, True]
        assert Guard(Toolset(tool)).check(spelt).executable
    assert {Tool.of(source).risk for source in (search, Booking, Point, Search)} == {Risk.WRITE}


def test_what_pydantic_cannot_describe_is_told_with_the_tools_name() -> None:
    """Types it does not know, types that JSON Schema cannot say, functions that do not tell what they take."""

    class Odd:
        pass

    def takes_odd(what: Odd) -> None:
        """Take it."""

    def takes_call(what: Callable[[], int]) -> None:
        """Call it."""

    for function in (takes_odd, takes_call):
        with pytest.raises(SchemaError, match=f"tool '{function.__name__}': "):
            Tool.of(function)
    with pytest.raises(SchemaError, match="has no signature to inspect"):
        Tool.of(dict.update)


@pydantic.dataclasses.dataclass
class Signed:
    """Signed(x: int)."""

    x: int


def test_a_dataclass_that_says_nothing_of_itself_has_no_description() -> None:
    """A signature is nothing: it is what Python writes when nobody else does."""
    for kind in (Undocumented, Signed):
        assert Tool.of(kind, handler=print).description == ""


def test_a_type_of_whose_parts_one_is_unknown_is_told_with_the_tools_name() -> None:
    @dataclasses.dataclass
    class Holds:
        what: threading.Lock

    with pytest.raises(SchemaError, match="tool 'Holds': "):
        Tool.of(Holds, handler=print)


def test_notes_of_a_type_that_are_no_texts_are_left_to_pydantic() -> None:
    def seats(many: Annotated[int, pydantic.Field(ge=1)], where: Annotated[str, "the place"]) -> None:
        """Take seats."""

    fields = Tool.of(seats).fields.members
    assert (fields["many"].rules, fields["where"].description) == ({"minimum": 1}, "the place")


def test_tools_are_listed_as_each_provider_wants_them() -> None:
    """And an example holds what a call cannot do without."""
    tree = {
        "type": "object",
        "properties": {
            "leaves": {"type": "array", "items": {"$ref": "#"}, "minItems": 2},
            "size": {"type": "integer", "minimum": 3},
            "any": {},
            "inner": {"type": "object", "properties": {"x": {"type": "boolean"}}, "required": ["x"]},
        },
        "required": ["leaves", "size", "any", "inner"],
    }
    tools = Toolset(Tool("tree", "", tree, output_schema={"type": "object"}))
    assert tools.to_mcp()[0]["outputSchema"] == {"type": "object"}
    with pytest.raises(ValueError, match="api must be 'chat' or 'responses', got 'x'"):
        tools.to_openai("x")  # type: ignore[arg-type]
    fields = Tool("tree", "", tree).fields
    assert sample(fields) == {"leaves": ["<leaves>", "<leaves>"], "size": 3, "any": "<any>", "inner": {"x": False}}


@dataclasses.dataclass
class Reading:
    degrees: float
    at: datetime | None = None


class Answer(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(populate_by_name=True)

    text: str = pydantic.Field(alias="theText")


async def returned(kind: Any, result: Any, **changes: Any) -> ToolOutput:
    """What comes of a function that is annotated to return one thing, and returns another."""

    def works() -> Any:
        return result

    works.__annotations__["return"] = kind
    return await Toolset(Tool.of(works, **changes)).call("works", {})


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        (int, 3),
        (float, 3),
        (None, None),
        (list[int], (1, 2)),
        (tuple[int, str], [1, "a"]),
        (set[str], {"a"}),
        (dict, {"a": 1}),
        (Reading, Reading(1.5, datetime(2026, 1, 2))),  # without a zone, as people write them
        (Reading, {"degrees": 2, "at": "2026-01-02T00:00:00"}),
        (list[Reading], [Reading(1), {"degrees": 2}]),
        (Answer, Answer(theText="a")),
        (Answer | None, None),
        (Awaitable[int], 3),
        (Any, "no"),
        (object, "no"),
        (NoReturn, "no"),
        (threading.Thread, "no"),
    ],
)
async def test_a_result_that_is_what_the_annotation_says_passes(kind: Any, result: Any) -> None:
    """And so does any result where the annotation says nothing, or what JSON has no word for."""
    assert (await returned(kind, result)).ok


@pytest.mark.parametrize(
    ("kind", "result", "says"),
    [
        (int, "no", "It must be an integer, not a string"),
        (int, True, "It must be an integer, not a boolean"),
        (str, 3, "It must be a string, not a number"),
        (None, 3, "It must be null, not a number"),
        (list[int], [1, "a"], '"[1]" must be an integer, not a string'),
        (Reading, {"at": None}, 'Missing "degrees" field'),
        (Literal["a", "b"], "c", "It must be one of: a, b"),
    ],
)
async def test_a_result_that_is_something_else_is_malformed(kind: Any, result: Any, says: str) -> None:
    """It is passed on, with the payload that could be read."""
    output = await returned(kind, result)
    assert output.payload == result
    assert output.error is not None
    assert output.error.message == says
    assert output.retry_hint is not None
    assert (output.retry_hint.reason, output.retry_hint.recovery) == ("malformed_response", "replan")
    assert output.for_model().endswith(f"What it returned: {result if isinstance(result, str) else json.dumps(result)}")
    assert (await returned(kind, result, output_rules=())).ok
    assert (await returned(kind, result, output_schema=None)).ok


@given(
    st.sampled_from([str, bool, list[str], dict[str, bool], Literal["a", "b"], str | None, list[dict[str, list[bool]]]]), VALUES
)
def test_the_verdict_on_a_result_is_that_of_the_annotations_schema(kind: Any, result: Any) -> None:
    schema = pydantic.TypeAdapter(kind).json_schema(mode="serialization")
    expected = jsonschema_rs.validator_for(schema).is_valid(result)
    assert asyncio.run(returned(kind, result)).ok is expected


async def test_a_handler_that_replaces_a_function_is_held_to_its_own_annotation() -> None:
    def counted(text: str) -> int:
        return len(text)

    async def said(text: str) -> str:
        return text

    output = await Toolset(Tool.of(counted, handler=said)).call("counted", {"text": "a"})
    assert output == ToolOutput("a")

    def read(reading: Reading) -> int:
        return reading  # type: ignore[return-value]

    output = await Toolset(Tool.of(Reading, handler=read)).call("Reading", {"degrees": 1})
    assert output.payload == {"degrees": 1.0, "at": None}
    assert output.error is not None
    assert output.error.message == "It must be an integer, not an object"
