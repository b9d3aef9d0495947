"""What an app gives wrongly raises where it is given, and the message says what is wrong in the app's own words."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields
from datetime import timedelta
from typing import Any

import pytest

from stream_guard import (
    ApprovalPolicy,
    CorrectionPolicy,
    Guard,
    Limits,
    Risk,
    Tool,
    Toolset,
    run,
    validate_json_tool_block,
    wire,
)
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.given import shown

GUARD = Guard(FILE_TOOLS)
WEATHER: dict[str, Any] = {
    "name": "get_weather",
    "description": "Says how warm it is.",
    "schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
INNER = re.compile(
    r"has no attribute|not supported between|is not iterable|is not callable|has no len|unhashable|expected string"
    r"|await' expression|update sequence"
)
"""What Python says of the code in which a wrong value fails, and not of the value."""


class Odd:
    """An object that nothing takes."""


def weather(city: str) -> str:
    return city


async def asks(_block: Any, _tool: Any) -> bool:
    return True


async def heard(_event: Any) -> None:
    pass


def parameters(made: Any) -> Iterator[str]:
    """The names of what a class or function takes."""
    for name, parameter in inspect.signature(made).parameters.items():
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            yield name


MADE: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Guard": (Guard, {"tools": FILE_TOOLS}),
    "Tool": (Tool, WEATHER),
    "Limits": (Limits, {}),
    "CorrectionPolicy": (CorrectionPolicy, {}),
    "ApprovalPolicy": (ApprovalPolicy, {}),
}
CASES = [(door, name) for door, (made, _) in MADE.items() for name in parameters(made)]


@pytest.mark.some(60)
@pytest.mark.parametrize(("door", "name"), CASES)
@pytest.mark.parametrize("wrong", [Odd(), b"x", timedelta(seconds=3), Odd], ids=["object", "bytes", "timedelta", "class"])
def test_what_no_argument_takes_is_refused_by_its_name(door: str, name: str, wrong: Any) -> None:
    made, right = MADE[door]
    if wrong is Odd and name in ("handler", "mend"):
        return  # a class can be called
    with pytest.raises((TypeError, ValueError)) as refused:
        made(**{**right, name: wrong})
    said = str(refused.value)
    assert not INNER.search(said), said
    singular = name.removesuffix("s").replace("aliase", "alias").replace("output_", "")
    assert re.search(singular, said) or (door, name) == ("Guard", "tools"), said


async def caught(_request: Any) -> str:
    return ""


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"limits": {}}, "limits must be a Limits, such as Limits(max_block=65_536), not {}"),
        ({"limits": {"max_block": 9}}, "limits must be a Limits, such as Limits(max_block=65_536), not {'max_block': 9}"),
        ({"limits": False}, "limits must be a Limits"),
        ({"on_block": "x"}, "on_block must be a function of one argument, or None; 'x' cannot be called"),
        ({"on_status": heard}, "on_status must be a function of one argument, or None, and not async: nobody would await it"),
        ({"on_block": lambda: None}, "on_block must be a function of one argument, or None; <lambda>() does not take one"),
        ({"run_invented": "no"}, "run_invented must be True or False, not 'no'"),
        ({"run_invented": None}, "run_invented must be True or False, not None"),
        ({"progress": "many"}, "progress must be a positive number of characters, got 'many'"),
        ({"languages": None}, "languages must be a list of info words, such as 'json', not None"),
        ({"dialects": None}, "dialects must be a list of names, or 'all', not None"),
        ({"preview": None}, "preview must be a list of names of fields, or a bool, not None"),
        ({"preview": ["content", 3]}, "preview: no tool has a field 3"),
        ({"approval": {"timeout": 3}}, "approval must be an ApprovalPolicy, such as ApprovalPolicy(timeout=60), not"),
        ({"correction": 3}, "correction must be a CorrectionPolicy, such as CorrectionPolicy(timeout=3), not 3"),
    ],
)
def test_a_setting_says_what_it_takes(settings: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(said)):
        Guard(FILE_TOOLS, **settings)


def test_hooks_that_can_be_called_are_taken() -> None:
    kept: list[Any] = []
    Guard(FILE_TOOLS, on_status=kept.append, on_block=print)
    with pytest.raises(TypeError, match="on_block must be a function"):
        GUARD.with_hook("x")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [FILE_TOOLS["write_file"], weather, Toolset])
def test_one_tool_belongs_into_a_list(given: Any) -> None:
    with pytest.raises(TypeError, match=r"Guard takes a Toolset, or a list .*, got \w+; put it into a list"):
        Guard(given)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        *(
            ({"risk": risk}, "the risk must be Risk.READ, Risk.WRITE or Risk.DESTRUCTIVE, not ")
            for risk in ("read", "READ", 1, None, True, Risk)
        ),
        ({"handler": "weather"}, "the handler must be callable, not 'weather'"),
        ({"timeout": "30"}, "timeout must be a positive number of seconds, got '30'"),
        ({"timeout": True}, "timeout must be a positive number of seconds, got True"),
        ({"rules": weather}, "`rules` must be a list of functions, not <function weather"),
        ({"rules": ["x"]}, "`rules` must be a list of functions, not ('x',)"),
        ({"mend": {}}, "mend must be a function, not {}"),
        ({"aliases": ["wx", 3]}, "`aliases` must be a list of names, not ('wx', 3)"),
        ({"aliases": None}, "`aliases` must be a list of names, not None"),
        ({"remarks": True}, "`remarks` must be a list of names, not True"),
        ({"private": ["city", 3]}, "`private` must be a list of names, not ('city', 3)"),
        ({"defaults": ["city"]}, "`defaults` must be a dict, not ['city']"),
        ({"field_aliases": {"town": ["city"]}}, "`field_aliases` must be names by names, not {'town': ['city']}"),
        ({"field_aliases": [("town", "city")]}, "`field_aliases` must be a dict"),
        ({"examples": {"city": "Bern"}}, "`examples` must be a list of arguments, each a dict, not one dict"),
        ({"examples": ["Bern"]}, "an example must be the arguments of a call, a dict, not 'Bern'"),
    ],
)
def test_a_tool_says_what_it_takes(settings: dict[str, Any], said: str) -> None:
    doors: tuple[Callable[[], Any], ...] = (lambda: Tool(**{**WEATHER, **settings}), lambda: Tool.of(weather, **settings))
    for made in doors:
        with pytest.raises((TypeError, ValueError), match=re.escape(said)):
            made()


def test_one_name_is_a_name_and_not_its_letters() -> None:
    tools = Toolset(Tool(**WEATHER, aliases="wx", remarks="note", private="city"))  # type: ignore[arg-type]
    assert tools["get_weather"].aliases == ("wx",)
    assert tools["get_weather"].remarks == ("note",)
    assert tools.meant("wx") is not None
    assert tools.meant("w") is None


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: Tool.of(weather, parameters={}), "Tool.of takes no 'parameters'; it takes a source and name, description,"),
        (lambda: Tool.of(FILE_TOOLS), "got Toolset: it has its tools already; put two together with `first + second`"),
        (lambda: Toolset.of(FILE_TOOLS), "got Toolset: it has its tools already"),
        (lambda: Tool.of([weather]), "got list: Toolset.of takes several"),
        (lambda: Tool.of(heard(None)), "got coroutine: give the function itself, without calling it"),
        (lambda: Toolset.of(weather, risk="read"), "takes only sources; give risk= to each: Tool.of("),  # type: ignore[arg-type]
        (lambda: Toolset(weather), "for functions, models, tool definitions, and lists of them, use Toolset.of"),  # type: ignore[arg-type]
    ],
)
def test_a_source_that_makes_no_tool_says_what_does(made: Callable[[], Any], said: str) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        made()


@pytest.mark.parametrize("text", [None, b"x", ["x"], {"tool": "x"}, 3, Odd()])
def test_one_block_is_a_text(text: Any) -> None:
    for check in (GUARD.check, GUARD.acheck, validate_json_tool_block):
        with pytest.raises(TypeError, match="takes the text of one block, got "):
            check(text)


@pytest.mark.parametrize("given", [None, b"x", {"tool": "x"}, 3, FakeStream([])])
def test_a_scan_takes_texts(given: Any) -> None:
    with pytest.raises(TypeError, match="scan takes a text or an iterable of texts, got "):
        list(GUARD.scan(given))


@pytest.mark.parametrize("given", [None, "x", {}, ["x"], 3])
def test_only_events_are_sent_as_events(given: Any) -> None:
    for send in (wire.to_dict, wire.to_json, wire.to_sse):
        with pytest.raises(TypeError, match=f"only an event or a result is sent as one, not {type(given).__name__}"):
            send(given)


@pytest.mark.parametrize("given", [None, "x", {"tool": "weather", "city": "Bern"}, ["x"]])
def test_only_blocks_are_run(given: Any) -> None:
    for start in (GUARD.tools.run, GUARD.tools.run_sync):
        with pytest.raises(TypeError, match="takes a ToolBlock, as a guarded stream yields it, not "):
            start(given)


def test_a_call_takes_limits() -> None:
    wrong: tuple[Any, ...] = ({}, 3, Limits)
    for limits in wrong:
        with pytest.raises(TypeError, match="limits must be a Limits"):
            Toolset.of(weather).call("weather", {"city": "Bern"}, limits=limits)  # type: ignore[unused-coroutine]
        with pytest.raises(TypeError, match="limits must be a Limits"):
            run(GUARD.stream(FakeStream([])), Toolset.of(weather), limits=limits)


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (lambda: heard(None), "got coroutine: await it first"),
        (lambda: heard, "got the function heard: call it, and give what it returns"),
        (lambda: FakeStream, "got the class FakeStream: make one"),
        (lambda: ["x"], "got list; for a plain iterable use scan"),
        (lambda: None, "got NoneType"),
    ],
)
def test_a_stream_that_is_none_says_what_makes_one(stream: Callable[[], Any], said: str) -> None:
    """And no coroutine is left that nobody has awaited."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match=re.escape(said)):
            GUARD.stream(stream())
        with pytest.raises(TypeError, match=re.escape(said.partition(";")[0])):
            run(stream(), Toolset.of(weather))


@pytest.mark.parametrize("policy", [CorrectionPolicy, ApprovalPolicy])
@pytest.mark.parametrize("wrong", ["3", True, 0, -1, float("nan"), timedelta(seconds=3)])
def test_seconds_are_a_number(policy: Any, wrong: Any) -> None:
    for field in fields(policy):
        if field.name in ("timeout", "breaker_seconds"):
            with pytest.raises(ValueError, match=f"{field.name} must be more than 0 seconds"):
                policy(**{field.name: wrong})


def test_a_message_holds_no_long_value() -> None:
    assert len(shown("x" * 10_000)) < 100
    assert len(shown([{"a": "x" * 10_000}] * 100)) < 1_000
