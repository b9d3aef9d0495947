"""A block that may run is run, as a call of its tool is; any other is not."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import BlockOutput, Call, Guard, Handler, NotExecutableError, Risk, Tool, ToolBlock, ToolError, Toolset
from stream_guard.tools.files import FILE_TOOLS


def greet(name: str, times: int = 1) -> str:
    """Greet somebody."""
    return f"Hello {name}! " * times


TOOLS = Toolset.of(greet)
GOOD = '{"tool": "greet", "name": "Ann", "times": 2}'
BAD = '{"tool": "greet", "times": "many"}'


def made(handler: Handler, **more: Any) -> Toolset:
    return Toolset(Tool("t", "", {"type": "object"}, handler=handler, **more))


def block_of(tools: Toolset) -> ToolBlock:
    return Guard(tools).check(f'{{"tool": "{tools.names[0]}"}}')


def test_a_block_has_a_call_exactly_when_it_is_executable() -> None:
    """Its tool is a text, and the word that names it is not among the arguments."""
    good, bad = Guard(TOOLS).check(GOOD), Guard(TOOLS).check(BAD)
    assert good.call == Call(good.call_id, "greet", {"name": "Ann", "times": 2})
    assert bad.call is None
    cut = list(Guard(TOOLS).scan(["```json\n" + GOOD]))[-1]
    assert isinstance(cut, ToolBlock)
    assert cut.call is None


@given(st.text() | st.sampled_from([GOOD, BAD]), st.sampled_from(["", "\n```\n"]))
def test_no_other_text_gives_a_call(text: str, end: str) -> None:
    for item in Guard(TOOLS, untagged="validate").scan([f"```json\n{text}{end}"]):
        if isinstance(item, ToolBlock):
            assert (item.call is not None) is item.executable
            if item.call is not None:
                assert TOOLS["greet"].compiled.accepts(item.call.arguments)


async def test_a_block_is_run_with_the_toolset_it_was_checked_against() -> None:
    block = Guard(TOOLS).check(GOOD)
    output = await TOOLS.run(block)
    assert output == BlockOutput("Hello Ann! Hello Ann! ", block=block)
    assert output.to_openai() == {"role": "tool", "tool_call_id": block.call_id, "content": output.payload}
    assert output.to_openai(api="responses")["call_id"] == block.call_id
    assert output.to_anthropic()["tool_use_id"] == block.call_id
    assert output.to_anthropic("other")["tool_use_id"] == "other"


def test_a_program_without_an_event_loop_runs_it_too() -> None:
    assert TOOLS.run_sync(Guard(TOOLS).check(GOOD)).payload == "Hello Ann! Hello Ann! "


async def test_where_an_event_loop_runs_it_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match=r"await tools\.run"):
        TOOLS.run_sync(Guard(TOOLS).check(GOOD))


def test_a_block_that_is_not_executable_is_not_run() -> None:
    """The error has its issues and the hint, and says what to do."""
    block = Guard(TOOLS).check(BAD)
    with pytest.raises(NotExecutableError, match=r'"name" field \(1 more\)\. Look at block\.call first') as raised:
        TOOLS.run_sync(block)
    assert raised.value.issues == block.issues
    assert raised.value.hint == block.hint
    cut = list(Guard(TOOLS).scan(["```json\n" + GOOD]))[-1]
    assert isinstance(cut, ToolBlock)
    with pytest.raises(NotExecutableError, match="closing fence is missing"):
        TOOLS.run_sync(cut)


async def test_a_block_of_another_toolset_is_checked_against_this_one() -> None:
    """What one toolset takes, another one may not."""
    block = Guard(Toolset(Tool("greet", "", {"type": "object"}, handler=str))).check(BAD)
    assert block.executable
    output = await TOOLS.run(block)
    assert output.retry_hint is not None
    assert output.retry_hint.reason == "invalid_arguments"
    output = await Toolset(Tool("other", "", {}, handler=str)).run(block)
    assert output.retry_hint is not None
    assert output.retry_hint.reason == "unknown_tool"
    with pytest.raises(LookupError, match="no handler"):
        await FILE_TOOLS.run(Guard(FILE_TOOLS).check('{"tool": "delete_file", "path": "a"}'))


async def test_a_handler_that_waits_too_long_is_left(caplog: pytest.LogCaptureFixture) -> None:
    """One that waits is cancelled; one in a thread goes on, and nobody waits for it."""
    cancelled = False
    release = threading.Event()

    async def waits(_: Any) -> None:
        nonlocal cancelled
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled = True
            raise

    for handler in (waits, lambda _: release.wait(60)):
        tools = made(handler, timeout=0.01)
        output = await tools.run(block_of(tools))
        assert isinstance(output.error, ToolError)
        assert isinstance(output.error.cause, TimeoutError)
        assert output.for_model() == "t took longer than 0.01 s. The call was valid, and it may have had an effect."
        assert "took longer than 0.01 s" in caplog.text
    release.set()
    assert cancelled


def test_nothing_waits_for_a_thread_that_was_left_behind() -> None:
    """Not the loop that ends, either."""
    release = threading.Event()
    tools = made(lambda _: release.wait(60), timeout=0.01)
    assert not tools.run_sync(block_of(tools)).ok
    assert [thread.name for thread in threading.enumerate() if thread.name == "stream_guard t"]
    release.set()


async def test_what_a_handler_gives_in_time_counts() -> None:
    """In a thread of its own it has the caller's context, and whatever it raises is heard of."""
    word = contextvars.ContextVar("word", default="")
    word.set("here")

    def breaks(_: Any) -> Any:
        raise TimeoutError("of its own")

    async def stubborn(_: Any) -> str:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return "late, and done"

    tools = made(lambda _: word.get(), timeout=60)
    assert (await tools.run(block_of(tools))).payload == "here"
    tools = made(breaks, timeout=60)
    output = await tools.run(block_of(tools))
    assert output.retry_hint is not None
    assert output.retry_hint.problem == "t failed while it ran"
    tools = made(stubborn, timeout=0.01)
    assert (await tools.run(block_of(tools))).payload == "late, and done"


async def test_cancellation_passes_through_a_time_limit() -> None:
    begun, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    async def waits(_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    def blocks(_: Any) -> None:
        loop.call_soon_threadsafe(begun.set)
        release.wait(60)

    handlers: list[Callable[[Any], Any]] = [waits, blocks]
    for handler in handlers:
        begun.clear()
        tools = made(handler, timeout=60)
        task = asyncio.ensure_future(tools.run(block_of(tools)))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    release.set()


@pytest.mark.parametrize("wrong", [0, -1])
def test_a_time_limit_is_a_positive_number(wrong: float) -> None:
    with pytest.raises(ValueError, match="timeout must be a positive number of seconds"):
        made(str, timeout=wrong)


async def test_what_went_wrong_in_a_handler_can_be_found(caplog: pytest.LogCaptureFixture) -> None:
    """The error's cause is the handler's exception, with its traceback; the log has that only if it was asked for."""

    def at_fault(_: Any) -> Any:
        raise KeyError("secret")

    tools = made(at_fault)
    output = await tools.run(block_of(tools))
    assert output.error is not None
    assert isinstance(output.error.__cause__, KeyError)
    assert "in at_fault" in "".join(traceback.format_exception(output.error))
    assert "secret" not in caplog.text
    with caplog.at_level(logging.WARNING, logger="stream_guard"):
        await tools.run(block_of(tools), tracebacks=True)
    assert "in at_fault" in caplog.text
    assert "secret" not in output.for_model()


async def test_the_cause_that_a_handler_gives_its_error_is_kept() -> None:
    def says(_: Any) -> Any:
        try:
            raise KeyError("inside")
        except KeyError as error:
            raise ToolError("The station is closed.") from error

    tools = made(says)
    error = (await tools.run(block_of(tools))).error
    assert error is not None
    assert isinstance(error.cause, KeyError)
    assert error.cause is error.__cause__


class Order(pydantic.BaseModel):
    """Order something."""

    item: str
    count: int = 1


@dataclass
class Point:
    x: float


def test_the_arguments_of_a_block_as_an_instance() -> None:
    """Of the model that the tool was made from; a type checker knows what it is."""
    guard = Guard([Order, Point])
    order: Order = guard.check('{"tool": "Order", "item": "tea", "count": 2}').value(Order)
    assert order == Order(item="tea", count=2)
    point: Point = guard.check('{"tool": "Point", "x": 1.5}').value(Point)
    assert point == Point(1.5)
    assert guard.check('{"tool": "Point", "x": 1.5}').value(dict[str, float]) == {"x": 1.5}
    with pytest.raises(NotExecutableError, match='"item" field'):
        guard.check('{"tool": "Order"}').value(Order)
    with pytest.raises(ValueError, match="item"):
        guard.check('{"tool": "Point", "x": 1.5}').value(Order)


def test_without_pydantic_value_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    block = Guard(TOOLS).check(GOOD)
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(ImportError, match=r"install it \(the extra `pydantic`\), or use block\.call"):
        block.value(Order)


def test_toolsets_are_read_like_mappings_and_put_together() -> None:
    """A name that is in both is refused. The tools stay as they are, with what they can do to the world."""
    both = FILE_TOOLS + TOOLS
    assert both.names == (*FILE_TOOLS.names, "greet")
    assert both["delete_file"] is FILE_TOOLS["delete_file"]
    assert both["delete_file"].risk is Risk.DESTRUCTIVE
    assert "greet" in both
    assert "greet" not in FILE_TOOLS
    assert (len(both), [tool.name for tool in both]) == (4, list(both.names))
    with pytest.raises(KeyError, match=r"no tool is called 'nothing'; there are write_file, delete_file, edit_file, greet"):
        both["nothing"]
    with pytest.raises(ValueError, match="duplicate tool name: 'greet'"):
        both + TOOLS
    with pytest.raises(TypeError):
        both + greet  # type: ignore[operator]
