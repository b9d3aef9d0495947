"""The boundary between a model's call and a tool."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import jsonschema_rs
import pydantic
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stream_guard import Handler, Limits, Risk, Tool, ToolError, ToolOutput, Toolset, ValidationIssue
from tests.kit.schemas import SCHEMAS
from tests.kit.values import VALUES

CITY = {"type": "object", "properties": {"city": {"type": "string", "description": "Where"}}, "required": ["city"]}
WEATHER = {"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]}


def weather(handler: Handler, **more: Any) -> Toolset:
    return Toolset(Tool("get_weather", "The weather", CITY, output_schema=WEATHER, handler=handler, **more))


async def called(handler: Handler, arguments: object = None, **more: Any) -> ToolOutput:
    given = {"city": "Ghent"} if arguments is None else arguments
    return await weather(handler, **more).call("get_weather", given)


def never(_: Any) -> Any:
    raise AssertionError("the handler ran")


async def test_a_valid_call_runs_its_handler_and_gives_its_result() -> None:
    """Whether the handler waits or not, and whether the arguments are an object or its JSON."""
    seen: list[Any] = []

    def plain(arguments: Any) -> Any:
        seen.append(arguments)
        return {"degrees": 7}

    async def waits(arguments: Any) -> Any:
        await asyncio.sleep(0)
        return plain(arguments)

    class Callable:
        async def __call__(self, arguments: Any) -> Any:
            return plain(arguments)

    for handler in (plain, waits, Callable(), lambda arguments, run=waits: run(arguments)):
        for arguments in ({"city": "Ghent"}, '{"city": "Ghent"}', b'{"city": "Ghent"}'):
            output = await called(handler, arguments)
            assert output == ToolOutput({"degrees": 7})
            assert output.ok
            assert output.for_model() == '{"degrees": 7}'
    assert seen == [{"city": "Ghent"}] * 12


async def test_a_plain_handler_runs_in_a_thread_and_a_waiting_one_in_the_loop() -> None:
    """A handler that blocks does not hold up the loop."""
    release = threading.Event()
    where: list[int] = []

    def blocks(_: Any) -> Any:
        where.append(threading.get_ident())
        assert release.wait(30)
        return {"degrees": 1}

    async def waits(_: Any) -> Any:
        where.append(threading.get_ident())
        release.set()
        return {"degrees": 2}

    first, second = await asyncio.gather(called(blocks), called(waits))
    assert (first.payload, second.payload) == ({"degrees": 1}, {"degrees": 2})
    assert where[0] != threading.get_ident() == where[1]


@pytest.mark.parametrize(
    ("arguments", "fields", "message"),
    [
        ({}, ("city",), 'get_weather tool requires "city" field'),
        ({"city": {}}, ("city",), '"city" must be a string, not an object'),
        ("{}", ("city",), 'get_weather tool requires "city" field'),
        ('{"city": "G', (), "JSON parsing error: Unexpected end at line 1"),
        ('{"city": "a", "city": "b"}', (), 'JSON parsing error: Duplicate key "city" at line 1'),
        ("", ("city",), 'get_weather tool requires "city" field'),
        ('"Ghent"', (), "The arguments must be an object, not a string"),
        (["Ghent"], (), "The arguments must be an object, not an array"),
        (None, (), "The arguments must be an object, not null"),
        ({"city": "G", "x": float("nan")}, (), "NaN is not a JSON value"),
        ({"city": "\ud83d"}, (), "Half of a surrogate pair stands alone"),
    ],
)
async def test_invalid_arguments_never_reach_the_handler(arguments: Any, fields: tuple[str, ...], message: str) -> None:
    """They are answered with what is wrong, and why."""
    output = await weather(never).call("get_weather", arguments)
    assert output.payload is None
    assert output.error is not None
    assert output.error.message == message
    assert output.error.cause is None
    assert output.retry_hint is not None
    assert (output.retry_hint.reason, output.retry_hint.recovery) == ("invalid_arguments", "correct_call")
    assert output.retry_hint.fields == fields
    assert output.for_model() == output.retry_hint.for_model()


async def test_what_is_no_json_at_all_is_not_run_and_said_to_be_unchecked() -> None:
    for arguments in ({"city": {1, 2}}, {"city": "G", "unseen": {1, 2}}, {"city": "G", "unseen": {(1,): 2}}):
        output = await called(never, arguments)
        assert output.retry_hint is not None
        assert output.retry_hint.reason == "not_checked"


async def test_arguments_beyond_the_limits_are_refused() -> None:
    """A circle has no bottom."""
    circle: dict[str, Any] = {"city": "G"}
    circle["self"] = circle
    for arguments, limits in ((circle, None), ({"city": "G", "n": [0] * 50}, Limits(max_values=10))):
        output = await weather(never).call("get_weather", arguments, limits=limits)
        assert output.retry_hint is not None
        assert output.retry_hint.reason == "invalid_arguments"


async def test_an_unknown_tool_is_answered_with_the_tools_there_are_and_the_nearest() -> None:
    """And with a hint that does not hold the model to the wrong one."""
    output = await weather(never).call("getWether", {"city": "Ghent"})
    assert output.retry_hint is not None
    assert (output.retry_hint.reason, output.retry_hint.recovery) == ("unknown_tool", "correct_call")
    assert (output.retry_hint.allowed_values, output.retry_hint.suggestion) == (("get_weather",), "get_weather")
    many = Toolset(*(Tool(f"tool_{letter * 9}", "", {}, handler=never) for letter in "abcdefgh"))
    for name in ("nothing", "", "x" * 1_000, None):
        output = await many.call(name, {})  # type: ignore[arg-type]
        assert output.retry_hint is not None
        assert output.retry_hint.recovery == "replan"
        assert len(output.retry_hint.allowed_values) == 6
        assert len(output.retry_hint.message) < 300


async def test_an_invalid_result_is_passed_on_and_said_to_be_the_tools_fault() -> None:
    """No question for the user: the call was right."""
    output = await called(lambda _: {"degrees": "mild"})
    assert output.payload == {"degrees": "mild"}
    assert output.error is not None
    assert output.error.message == '"degrees" must be a number, not a string'
    hint = output.retry_hint
    assert hint is not None
    assert (hint.reason, hint.recovery, hint.fields) == ("malformed_response", "replan", ("degrees",))
    assert hint.clarifying_question is None
    assert hint.example_input is None
    assert "Nothing was run" not in hint.for_model()
    assert output.for_model().endswith('What it returned: {"degrees": "mild"}')


@dataclass
class Reading:
    degrees: float
    at: Any = None


class Model(pydantic.BaseModel):
    degrees: float


@pytest.mark.parametrize(
    ("result", "payload"),
    [
        (Reading(1.5), {"degrees": 1.5, "at": None}),
        (Model(degrees=2), {"degrees": 2.0}),
        (
            {"degrees": 1, "at": [Reading(2), {date(2026, 1, 2)}]},
            {"degrees": 1, "at": [{"degrees": 2, "at": None}, ["2026-01-02"]]},
        ),
        (
            {"degrees": 1, "at": (UUID(int=1), PurePosixPath("a/b"))},
            {"degrees": 1, "at": ["00000000-0000-0000-0000-000000000001", "a/b"]},
        ),
    ],
)
async def test_what_handlers_like_to_return_becomes_plain_data(result: Any, payload: Any) -> None:
    assert await called(lambda _: result) == ToolOutput(payload)


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("result", "payload"),
    [
        ({"degrees": 1, "at": object()}, {"degrees": 1, "at": None}),
        ({"degrees": float("nan")}, {"degrees": None}),
        (CIRCLE, None),
        ({(1, 2): 3}, None),
        (b"bytes", None),
        ({"degrees": 1, "at": "\ud800"}, {"degrees": 1, "at": "?"}),
    ],
)
async def test_what_is_no_json_in_a_result_is_left_out_and_said_to_be(result: Any, payload: Any) -> None:
    """The payload is what could be saved."""
    output = await called(lambda _: result)
    assert output.payload == payload
    assert output.retry_hint is not None
    assert output.retry_hint.reason == "malformed_response"
    assert "object at 0x" not in output.for_model()


async def test_without_a_schema_of_results_any_json_will_do() -> None:
    tools = Toolset(Tool("t", "", {}, handler=lambda arguments: arguments["x"]))
    for value in (None, True, 3, "text", [1], {"a": 1}):
        assert await tools.call("t", {"x": value}) == ToolOutput(value)
    assert (await tools.call("t", {"x": "text"})).for_model() == "text"


async def test_a_handler_that_raises_gives_an_error_without_internals(caplog: pytest.LogCaptureFixture) -> None:
    """What went wrong in there is the application's: in `cause`, and neither in the text nor in the log."""

    def breaks(_: Any) -> Any:
        raise PermissionError("/srv/secret/key.pem")

    output = await called(breaks)
    assert output.error is not None
    assert isinstance(output.error.cause, PermissionError)
    assert output.retry_hint is not None
    assert (output.retry_hint.reason, output.retry_hint.recovery) == ("tool_failed", "replan")
    assert "secret" not in output.for_model() + output.retry_hint.to_json() + str(output.error) + caplog.text
    assert "PermissionError" in caplog.text


async def test_a_handler_that_has_something_to_say_says_it() -> None:
    """With a `ToolError`, or with issues of its own."""

    def full(_: Any) -> Any:
        raise ToolError("The station is closed.", OSError("x"))

    output = await called(full)
    assert output.error is not None
    assert output.retry_hint is not None
    assert output.for_model() == "The station is closed. The call was valid, and it may have had an effect."
    assert output.retry_hint.reason == "tool_failed"

    class Unknown(Exception):
        def issues(self) -> list[ValidationIssue]:
            return [ValidationIssue("rejected", "No such city", field="city", pointer="/city", constraint="known")]

    def asks(_: Any) -> Any:
        raise Unknown

    output = await called(asks)
    assert output.retry_hint is not None
    assert (output.retry_hint.reason, output.retry_hint.fields) == ("invalid_arguments", ("city",))
    assert output.retry_hint.clarifying_question == "What should be given for: Where (city)?"
    assert output.retry_hint.message == "No such city. Send the call again, corrected."


@pytest.mark.parametrize(
    ("risk", "effect", "told"),
    [
        (Risk.READ, True, "Gone. The call was valid."),
        (Risk.READ, False, "Gone. The call was valid."),
        (Risk.WRITE, False, "Gone. The call was valid."),
        (Risk.WRITE, True, "Gone. The call was valid, and it may have had an effect."),
        (Risk.DESTRUCTIVE, True, "Gone. The call was valid, and it may have had an effect."),
    ],
)
async def test_of_an_effect_is_told_where_there_may_be_one(risk: Risk, effect: bool, told: str) -> None:
    def gone(_: Any) -> Any:
        raise ToolError("Gone.", effect=effect)

    assert (await called(gone, risk=risk)).for_model() == told


async def test_a_tool_that_only_reads_is_never_said_to_have_had_an_effect() -> None:
    async def slow(_: Any) -> Any:
        await asyncio.Event().wait()

    def breaks(_: Any) -> Any:
        raise OSError

    for output in await called(breaks, risk=Risk.READ), await called(slow, risk=Risk.READ, timeout=0.01):
        assert output.for_model().endswith(". The call was valid.")


async def test_a_handler_whose_issues_break_is_a_handler_that_broke() -> None:
    class Broken(Exception):
        def issues(self) -> list[ValidationIssue]:
            raise KeyError("secret")

    def breaks(_: Any) -> Any:
        raise Broken

    output = await called(breaks)
    assert output.error is not None
    assert "secret" not in output.for_model()


@pytest.mark.parametrize("error", [StopIteration(1), StopAsyncIteration(), GeneratorExit(), TimeoutError(), RecursionError()])
async def test_no_exception_of_a_handler_is_lost_or_waited_for_for_ever(error: BaseException) -> None:
    def breaks(_: Any) -> Any:
        raise error

    async def waits(_: Any) -> Any:
        raise error

    for handler in (breaks, waits):
        if isinstance(error, Exception):
            output = await called(handler)
            assert output.retry_hint is not None
            assert output.retry_hint.reason == "tool_failed"
        else:
            with pytest.raises(type(error)):
                await called(handler)


async def test_cancellation_passes_through() -> None:
    """Of a handler that waits, and of one in a thread."""
    begun, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    async def waits(_: Any) -> Any:
        begun.set()
        await asyncio.Event().wait()

    def blocks(_: Any) -> Any:
        loop.call_soon_threadsafe(begun.set)
        release.wait(30)

    for handler in (waits, blocks):
        begun.clear()
        task = asyncio.ensure_future(called(handler))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    release.set()


async def test_calling_a_tool_without_a_handler_is_the_callers_mistake() -> None:
    with pytest.raises(LookupError, match="no handler"):
        await Toolset(Tool("t", "", {})).call("t", {})
    with pytest.raises(TypeError, match="must be callable"):
        Tool("t", "", {}, handler=3)  # type: ignore[arg-type]


async def test_an_answer_goes_back_in_the_shape_of_its_provider() -> None:
    """A good one, and one that says it is an error."""
    good, bad = await called(lambda _: {"degrees": 1}), await called(never, {})
    text = bad.for_model()
    assert good.to_openai("c1") == {"role": "tool", "tool_call_id": "c1", "content": '{"degrees": 1}'}
    assert good.to_anthropic("c1") == {"type": "tool_result", "tool_use_id": "c1", "content": '{"degrees": 1}'}
    assert good.to_mcp() == {
        "content": [{"type": "text", "text": '{"degrees": 1}'}],
        "structuredContent": {"degrees": 1},
        "isError": False,
    }
    hint = bad.retry_hint
    assert hint is not None
    for answer in (bad, hint):
        assert answer.to_openai("c1") == {"role": "tool", "tool_call_id": "c1", "content": text}
        assert answer.to_openai("c1", "responses") == {"type": "function_call_output", "call_id": "c1", "output": text}
        assert answer.to_anthropic("c1") == {
            "type": "tool_result", "tool_use_id": "c1", "content": text, "is_error": True,
        }  # fmt: skip
        assert answer.to_mcp() == {"content": [{"type": "text", "text": text}], "isError": True}
    with pytest.raises(ValueError, match="chat"):
        hint.to_openai("c1", "other")  # type: ignore[arg-type]


async def test_a_hint_has_a_reading_for_each_of_its_readers() -> None:
    """A person, a model, a program."""
    output = await called(never, {})
    hint = output.retry_hint
    assert hint is not None
    assert hint.for_person() == 'get_weather: get_weather tool requires "city" field.'
    assert hint.for_model() == (
        'get_weather tool requires "city" field. Nothing was run. Send the call again, corrected.\n'
        "If the answer is not known, ask: What should be given for: Where (city)?\n"
        'For example: {"city": "<city>"}'
    )
    assert json.loads(hint.to_json())["missingFields"] == ["city"]
    assert "\n" not in hint.to_json()


@given(SCHEMAS, SCHEMAS, st.data())
def test_a_call_never_raises_for_data_and_what_it_calls_valid_is(schema: Any, result: Any, data: st.DataObject) -> None:
    """For any schema of arguments and of results, any arguments and any result."""
    payload = data.draw(st.dictionaries(st.sampled_from(["a", "b", "c", "kind"]), VALUES, max_size=4) | VALUES)
    returned = data.draw(VALUES)
    ran: list[Any] = []

    def handler(arguments: Any) -> Any:
        ran.append(arguments)
        return returned

    # An open tool takes no key that is no name: `test_envelopes.py`.
    assume(not isinstance(payload, dict) or all(key and key.isprintable() and key == key.strip() for key in payload))
    tools = Toolset(Tool("t", "", schema, output_schema=result, handler=handler))
    output = asyncio.run(tools.call("t", payload))
    if isinstance(payload, str) and not payload.strip(" \t\r\n"):
        payload = {}  # providers send no text for no arguments
    valid = isinstance(payload, dict) and jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(payload)
    assert ran == ([payload] if valid else [])
    assert (output.error is None) is (output.retry_hint is None)
    if not valid:
        assert output.retry_hint is not None
        assert output.retry_hint.reason == "invalid_arguments"
    else:
        assert output.payload == returned
        assert output.ok is jsonschema_rs.validator_for(result, validate_formats=True).is_valid(returned)
    if output.retry_hint is not None:
        assert len(output.retry_hint.fields) <= 3
        json.loads(output.retry_hint.to_json())
        assert output.for_model()


async def test_a_handlers_own_check_that_finds_nothing_is_a_failure_like_any_other() -> None:
    """An error that says it has issues, and has none."""

    class Odd(Exception):
        def issues(self) -> list[Any]:
            return []

    def handler(_: Any) -> Any:
        raise Odd

    output = await called(handler)
    assert output.retry_hint is not None
    assert (output.retry_hint.reason, output.payload) == ("tool_failed", None)


WHOLE = {"type": "integer"}
SHAPES: dict[str, tuple[dict[str, Any], str, bool]] = {
    "a field": (WHOLE, "%s", True),
    "or null": ({"type": ["integer", "null"]}, "%s", True),
    "or text": ({"anyOf": [WHOLE, {"type": "string"}]}, "%s", True),
    "a reference": ({"$ref": "#/$defs/whole"}, "%s", True),
    "an item": ({"type": "array", "items": WHOLE}, "[%s]", True),
    "a first item": ({"type": "array", "prefixItems": [WHOLE]}, "[%s]", True),
    "a member": ({"type": "object", "properties": {"n": WHOLE}}, '{"n": %s}', True),
    "any member": ({"type": "object", "additionalProperties": WHOLE}, '{"x": %s}', True),
    "a number": ({"type": "number"}, "%s", False),
    "either": ({"anyOf": [WHOLE, {"type": "number"}]}, "%s", False),
    "anything": ({}, "%s", False),
    "any item": ({"type": "array"}, "[%s]", False),
}


@pytest.mark.some(14)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("written", ["5", "5.0", "1e3", "2.50e1", "-7.0", "0.0", "1e20"])
async def test_a_whole_number_is_an_int_where_its_field_takes_integers_alone(shape: str, written: str) -> None:
    """The schema takes it however it is written, and a handler counts with it. Elsewhere it is as it was written."""
    schema, value, whole = SHAPES[shape]
    seen: list[Any] = []
    parameters = {"type": "object", "properties": {"field": schema}, "$defs": {"whole": WHOLE}}
    tools = Toolset(Tool("take", "", parameters, handler=seen.append))
    output = await tools.call("take", f'{{"field": {value % written}}}')
    assert output.ok
    found = seen[0]["field"]
    while isinstance(found, list | dict):
        (found,) = found.values() if isinstance(found, dict) else found
    assert found == json.loads(written)
    assert isinstance(found, int if whole else type(json.loads(written)))
