"""The calls of a stream are run as they come, and what goes back to the model is in the shape of its API."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Sequence
from functools import partial, wraps
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream_guard import BlockOutput, Guard, Risk, Tool, ToolBlock, Toolset, ToolStatus, run
from stream_guard.running.messages import Api
from stream_guard.testing import FakeStream, every_split, merge_text

LOOSE = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def call(tool: str, n: object = 1) -> str:
    return f"```json\n{json.dumps({'tool': tool, 'n': n})}\n```\n"


def tools(**handlers: Any) -> Toolset:
    """A tool for each handler; those whose name begins with `read` only read."""
    risks = {name: Risk.READ if name.startswith("read") else Risk.WRITE for name in handlers}
    return Toolset(*(Tool(name, "", LOOSE, handler=handler, risk=risks[name]) for name, handler in handlers.items()))


def turn(toolset: Toolset, deltas: Sequence[object], *more: Any, **settings: Any) -> Any:
    return run(Guard(toolset).stream(FakeStream(deltas), stream_id="s"), toolset, *more, **settings)


def kinds(items: Sequence[Any]) -> list[Any]:
    """Text as it is, blocks by their tool, outputs by what they brought."""
    return [
        item if isinstance(item, str) else f"block {item.tool}" if isinstance(item, ToolBlock) else ("output", item.payload)
        for item in merge_text([item for item in items if not isinstance(item, ToolStatus)])
    ]


async def test_text_events_and_outputs_come_in_order() -> None:
    """However the text is cut."""
    offered = tools(read=lambda arguments: arguments["n"] * 2)
    text = f"One.\n{call('read', 1)}Two.\n{call('read', 'x')}"
    for deltas in every_split(text):
        items = [item async for item in turn(offered, deltas)]
        assert "".join(item for item in items if isinstance(item, str)) == "One.\n\nTwo.\n\n"
        events = [item for item in items if not isinstance(item, str | ToolStatus)]
        outputs = [event for event in events if isinstance(event, BlockOutput)]
        assert [(output.block.id, output.payload, output.ok) for output in outputs] == [("s-1", 2, True), ("s-2", None, False)]
        for output in outputs:
            assert events.index(output.block) < events.index(output)
            if not output.ok:
                assert output.retry_hint == output.block.hint


async def test_text_does_not_wait_for_a_call() -> None:
    """The call ends when the text behind it has been read."""
    seen = asyncio.Event()

    async def waits(_: Any) -> str:
        await seen.wait()
        return "done"

    items: list[Any] = []
    async for item in turn(tools(write=waits), [call("write"), "behind it"]):
        items.append(item)
        if item == "behind it":
            seen.set()
    assert kinds(items) == ["block write", "\nbehind it", ("output", "done")]


async def ticks(count: int) -> None:
    """Let the loop turn so many times."""
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize("name", ["read", "write"])
@pytest.mark.parametrize("ending", ["end", "failure", "leaves"])
async def test_a_call_may_end_at_any_moment_of_a_stream_that_pauses(name: str, ending: str) -> None:
    """Before, while and after the stream is silent: nothing is lost or doubled, however a call and a pause meet."""
    for pause, takes, second in product(range(0, 20, 3), range(0, 20, 3), (0, 17)):

        async def handler(arguments: Any, takes: int = takes) -> Any:
            await ticks(takes)
            return arguments["n"]

        async def reply(pause: int = pause, second: int = second) -> AsyncIterator[str]:
            yield call(name, 1)
            await ticks(pause)
            yield "between\n"
            await ticks(second)
            yield call(name, 2)
            await ticks(pause)
            if ending == "failure":
                raise OSError("reset")
            yield "behind"

        offered, items = tools(**{name: handler}), []
        taken = run(Guard(offered).stream(reply()), offered)
        try:
            async for item in taken:
                items.append(item)
                if ending == "leaves" and isinstance(item, BlockOutput):
                    await taken.aclose()
                    break
        except OSError:
            assert ending == "failure"
        outputs = [item for item in kinds(items) if isinstance(item, tuple)]
        assert outputs == ([("output", 1)] if ending == "leaves" else [("output", 1), ("output", 2)])
        if ending != "leaves":
            text = "".join(item for item in items if isinstance(item, str))
            assert text == "\nbetween\n\n" + ("behind" if ending == "end" else "")


async def test_calls_that_read_run_side_by_side_and_any_other_alone() -> None:
    """Two that read meet; one that writes begins when both are done, and the next one that reads when it is done."""
    log: list[str] = []
    both = asyncio.Barrier(2)

    async def read(arguments: Any) -> int:
        n = arguments["n"]
        log.append(f"+{n}")
        if n < 3:
            await both.wait()
        log.append(f"-{n}")
        return int(n)

    async def write(arguments: Any) -> int:
        log.append(f"+{arguments['n']}")
        await asyncio.sleep(0)
        log.append(f"-{arguments['n']}")
        return int(arguments["n"])

    offered = tools(read=read, write=write)
    text = call("read", 1) + call("read", 2) + call("write", 3) + call("write", 4) + call("read", 5)
    made = turn(offered, [text])
    items = [item async for item in made]
    assert [output.payload for output in made.outputs] == [1, 2, 3, 4, 5]
    assert [item.payload for item in items if isinstance(item, BlockOutput)] == [1, 2, 3, 4, 5]
    assert set(log[:2]) == {"+1", "+2"}
    assert log[4:] == ["+3", "-3", "+4", "-4", "+5", "-5"]


@given(st.lists(st.sampled_from(["read", "write", "bad"]), max_size=12), st.integers(1, 3), st.data())
def test_whatever_ends_first_outputs_have_the_order_of_blocks_and_no_call_meets_one_that_writes(
    names: list[str], at_once: int, data: st.DataObject
) -> None:
    running: list[str] = []
    pauses = data.draw(st.lists(st.integers(0, 3), min_size=len(names), max_size=len(names)))

    def handler(name: str) -> Any:
        async def works(arguments: Any) -> int:
            assert not running or (name == "read" and set(running) == {"read"})
            running.append(name)
            assert len(running) <= at_once
            for _ in range(pauses[arguments["n"]]):
                await asyncio.sleep(0)
            running.remove(name)
            return int(arguments["n"])

        return works

    async def main() -> None:
        offered = tools(read=handler("read"), write=handler("write"))
        text = "".join(call("read", "no number") if name == "bad" else call(name, n) for n, name in enumerate(names))
        made = turn(offered, [text[start : start + 20] for start in range(0, len(text), 20)], at_once=at_once)
        items = [item async for item in made]
        expected = [None if name == "bad" else n for n, name in enumerate(names)]
        assert [item.payload for item in items if isinstance(item, BlockOutput)] == expected
        assert [item.block.seq for item in items if isinstance(item, BlockOutput)] == sorted(
            item.seq for item in items if isinstance(item, ToolBlock)
        )

    asyncio.run(main())


async def test_a_call_that_is_not_approved_is_not_run() -> None:
    """One is asked about at a time, in the order of the blocks, with its tool; the model is told the reason."""
    ran: list[int] = []
    asked: list[tuple[int, Risk]] = []

    async def approve(block: ToolBlock, tool: Tool) -> bool | str:
        assert block.call is not None
        n = block.call.arguments["n"]
        asked.append((n, tool.risk))
        await asyncio.sleep(0)
        assert asked[-1][0] == n
        answers: dict[int, bool | str] = {1: True, 2: False, 3: "Not on a Sunday."}
        return answers[n]

    def note(arguments: Any) -> None:
        ran.append(arguments["n"])

    made = turn(tools(read=note, write=note), [call("read", 1) + call("read", 2) + call("write", 3)], approve)
    async for _ in made:
        pass
    assert ran == [1]
    assert asked == [(1, Risk.READ), (2, Risk.READ), (3, Risk.WRITE)]
    told = [output.for_model() for output in made.outputs]
    assert told[1:] == [
        "The call of read was not allowed. Nothing was run. Do not send the same call again.",
        "The call of write was not allowed: Not on a Sunday. Nothing was run. Do not send the same call again.",
    ]
    assert made.outputs[2].retry_hint.reason == "denied"


async def test_a_model_that_reads_text_is_told_with_which_arguments_its_call_ran() -> None:
    """Its own text has those that it wrote."""

    async def approve(_: ToolBlock, __: Tool) -> dict[str, int]:
        return {"n": 7}

    made = turn(tools(write=lambda arguments: arguments["n"]), [call("write", 1)], approve)
    async for _ in made:
        pass
    *_, told = made.messages("text")
    assert told["content"] == 'write (with the arguments {"n": 7}): 7'


@pytest.mark.parametrize("answer", [None, 1, "raises"])
async def test_an_approval_that_is_none_ends_the_turn_and_runs_nothing(answer: Any) -> None:
    """What cannot be asked about is not run, nor is what stands behind it."""

    async def approve(_: ToolBlock, __: Tool) -> Any:
        if answer == "raises":
            raise KeyError("own")
        return answer

    def never(_: Any) -> None:
        raise AssertionError("it ran")

    source = FakeStream([call("write", 1) + call("write", 2) + call("read", 3)])
    offered = tools(read=never, write=never)
    with pytest.raises(KeyError if answer == "raises" else TypeError):
        async for item in run(Guard(offered).stream(source), offered, approve):
            assert not isinstance(item, BlockOutput)
    assert source.closed == 1


async def test_whoever_leaves_cancels_what_runs_and_closes_the_stream() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def waits(_: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def deltas() -> AsyncIterator[str]:
        yield call("write", 1) + call("write", 2)
        await begun.wait()
        yield "text"
        await asyncio.Event().wait()

    offered = tools(write=waits)
    async with run(Guard(offered).stream(deltas()), offered) as made:
        async for item in made:
            if item == "text":
                break
    assert ended.is_set()
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    with pytest.raises(RuntimeError, match="has not ended"):
        made.messages("chat")
    await made.aclose()


async def test_a_turn_that_never_began_closes_its_stream() -> None:
    offered = tools(write=str)
    source = FakeStream(["text"])
    await run(Guard(offered).stream(source), offered).aclose()
    assert source.closed == 1


async def test_what_was_begun_is_told_before_a_stream_fails() -> None:
    """It may have had an effect."""
    source = FakeStream([call("write", 1) + "text", OSError("gone")])
    read = asyncio.Event()

    async def write(arguments: Any) -> Any:
        await read.wait()
        return arguments["n"]

    offered = tools(write=write)
    made = run(Guard(offered).stream(source), offered)
    items: list[Any] = []
    with pytest.raises(OSError, match="gone"):
        async for item in made:
            items.append(item)
            if item == "\ntext":
                read.set()
    assert kinds(items) == ["block write", "\ntext", ("output", 1)]
    assert made.messages("chat")[-1]["content"] == "1"
    assert source.closed == 1


async def test_an_error_of_the_reader_is_the_readers() -> None:
    offered = tools(write=str)
    made = turn(offered, ["a", "b"])
    with pytest.raises(KeyError):
        await made.__aiter__().athrow(KeyError("mine"))


def test_what_cannot_work_is_told_at_once() -> None:
    guard = Guard(tools(write=str))
    with pytest.raises(ValueError, match="a handler for every tool; without one: idle"):
        run(guard.stream(FakeStream([])), guard.tools + Toolset(Tool("idle", "", {})))
    with pytest.raises(ValueError, match="at_once"):
        run(guard.stream(FakeStream([])), guard.tools, at_once=0)
    with pytest.raises(TypeError, match="run needs an async client"):
        run([], guard.tools)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"approve": lambda block: True}, "<lambda>(block) does not take two arguments"),
        ({"approve": True}, "approve must be an async function of a block and its tool: bool cannot be called"),
        ({"approve": FakeStream}, "FakeStream is a class; make one"),
        ({"at_once": "2"}, "at_once must be a positive number of calls, not '2'"),
        ({"at_once": None}, "at_once must be a positive number of calls, not None"),
        ({"limits": {}}, "limits must be a Limits"),
    ],
)
def test_what_run_cannot_take_is_told_at_once(settings: dict[str, Any], said: str) -> None:
    guard = Guard(tools(write=str))
    with pytest.raises((TypeError, ValueError), match=re.escape(said)):
        run(guard.stream(FakeStream([])), guard.tools, **settings)
    several: tuple[Any, ...] = (None, "write", [str], {}, guard, Toolset)
    for wrong in several:
        with pytest.raises(TypeError, match="run needs the Toolset of the guard"):
            run(guard.stream(FakeStream([])), wrong)


async def answer_yes(_block: Any, _tool: Any) -> bool:
    return True


async def test_an_answer_that_nobody_can_await_is_told() -> None:
    """Before the stream is read, unless the function is annotated to return an awaitable, or is a callable object."""
    offered = tools(write=str)

    def plain(_block: Any, _tool: Any) -> bool:
        return True

    def wrong(_block: Any, _tool: Any) -> Awaitable[bool]:
        return True  # type: ignore[return-value]

    def right(_block: Any, _tool: Any) -> Awaitable[bool]:
        return asyncio.sleep(0, True)

    @wraps(answer_yes)
    def wrapped(*args: Any):  # type: ignore[no-untyped-def]  # as in many decorators
        return answer_yes(*args)

    with pytest.raises(TypeError, match="plain is not async; make it `async def`"):
        turn(offered, [], plain)
    with pytest.raises(TypeError, match="<lambda> is not async; make it `async def`"):
        turn(offered, [], lambda block, tool: True)
    with pytest.raises(TypeError, match="approve is not async: it returned bool; make it `async def`"):
        [item async for item in turn(offered, [call("write")], wrong)]
    for answers in (right, wrapped, partial(answer_yes)):
        assert [item async for item in turn(offered, [call("write")], answers) if isinstance(item, BlockOutput)]


async def test_an_event_that_no_guard_has_looked_at_is_refused() -> None:
    """Whatever the client: nothing of it would be run, and no message would have its text."""

    class Chunk:
        def model_dump(self) -> dict[str, Any]:
            return {}

    ran: list[Any] = []
    offered = tools(write=ran.append)
    events: tuple[Any, ...] = (Chunk(), {"choices": []}, b"data: {}\n\n")
    for event in events:
        source = FakeStream([event, event])
        with pytest.raises(TypeError, match=f"no guard has looked at this one: it yields {type(event).__name__}"):
            [item async for item in run(source, offered)]
        assert source.closed == 1
    assert ran == []


async def test_a_text_that_no_guard_has_looked_at_is_told_where_it_holds_a_call() -> None:
    """However it is cut. A text without a call is the same with a guard and without one, so nothing is said of it."""
    ran: list[Any] = []
    offered = tools(write=ran.append)
    for deltas in (*every_split(f"One.\n{call('write')}Two.\n"), ["x" * 20_000, "\n", call("write"), "x" * 20_000]):
        with pytest.warns(RuntimeWarning, match="no guard has looked at: a call in it was not run") as told:
            items = [item async for item in run(FakeStream(deltas), offered)]
        assert len(told) == 1
        assert items == deltas
    assert ran == []
    for quiet in ("One.\n", '```json\n{"other": 1}\n```\n', f"````markdown\n{call('write')}````\n"):
        assert [item async for item in run(FakeStream([quiet]), offered)] == [quiet]


async def test_a_generator_around_a_guarded_stream_is_taken() -> None:
    """With events of its own, and with a guard that reads other calls than the usual one."""
    offered = tools(read=lambda arguments: arguments["n"])

    async def around(text: str, **settings: Any) -> AsyncIterator[Any]:
        yield "Here:\n"
        async for item in Guard(offered, **settings).stream(FakeStream([text])):
            yield item
            yield {"of": "the app"}

    items = [item async for item in run(around(f"One.\n{call('read', 3)}"), offered)]
    assert [item.payload for item in items if isinstance(item, BlockOutput)] == [3]
    assert [item async for item in run(around("One.\n"), offered)] == ["Here:\n", "One.\n", {"of": "the app"}]


TEXT = f"One.\n{call('read', 1)}Two.\n{call('read', 'x')}{call('raed', 3)}"
FAILED = (
    '"n" must be an integer, not a string. Nothing was run. Send the call again, corrected.\n'
    'If the answer is not known, ask: What should be given for: "n"?'
)


async def told(api: Api) -> Any:
    offered = tools(read=lambda arguments: {"twice": arguments["n"] * 2})
    made = run(Guard(offered, untagged="validate").stream(FakeStream(list(TEXT)), stream_id="s"), offered)
    async for _ in made:
        pass
    return made.messages(api)


async def test_the_messages_of_each_api() -> None:
    """What names no tool that was offered stays text, and is answered as text."""
    text = f"One.\n\nTwo.\n\n{call('raed', 3)}"
    odd = (await told("chat"))[-1]["content"]
    assert odd.startswith("raed failed: Invalid tool type: raed. Must be read.")
    assert await told("chat") == [
        {
            "role": "assistant",
            "content": text,
            "tool_calls": [
                {"id": "call_s-1_1", "type": "function", "function": {"name": "read", "arguments": '{"n": 1}'}},
                {"id": "call_s-2_1", "type": "function", "function": {"name": "read", "arguments": '{"n": "x"}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_s-1_1", "content": '{"twice": 2}'},
        {"role": "tool", "tool_call_id": "call_s-2_1", "content": FAILED},
        {"role": "user", "content": odd},
    ]
    assert await told("responses") == [
        {"role": "assistant", "content": text},
        {"type": "function_call", "call_id": "call_s-1_1", "name": "read", "arguments": '{"n": 1}'},
        {"type": "function_call", "call_id": "call_s-2_1", "name": "read", "arguments": '{"n": "x"}'},
        {"type": "function_call_output", "call_id": "call_s-1_1", "output": '{"twice": 2}'},
        {"type": "function_call_output", "call_id": "call_s-2_1", "output": FAILED},
        {"role": "user", "content": odd},
    ]
    assert await told("messages") == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": text},
                {"type": "tool_use", "id": "call_s-1_1", "name": "read", "input": {"n": 1}},
                {"type": "tool_use", "id": "call_s-2_1", "name": "read", "input": {"n": "x"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_s-1_1", "content": '{"twice": 2}'},
                {"type": "tool_result", "tool_use_id": "call_s-2_1", "content": FAILED, "is_error": True},
                {"type": "text", "text": odd},
            ],
        },
    ]
    said, back = await told("text")
    assert said["role"] == "assistant"
    assert back == {"role": "user", "content": f'read: {{"twice": 2}}\n\nread failed: {FAILED}\n\n{odd}'}


async def test_messages_of_a_turn_without_calls() -> None:
    offered = tools(read=str)
    for deltas, expected in ((["Hi"], {"role": "assistant", "content": "Hi"}), ([], None)):
        made = turn(offered, deltas)
        async for _ in made:
            pass
        for api in ("chat", "responses", "text"):
            assert made.messages(api) == ([expected] if expected else [])
        blocks = [{"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}]
        assert made.messages("messages") == (blocks if expected else [])
        with pytest.raises(ValueError, match="api must be 'chat', 'responses', 'messages', 'text'; not 'other'"):
            made.messages("other")


@pytest.mark.parametrize("api", ["chat", "messages"])
def test_where_blocks_are_taken_out_there_is_one_blank_line(api: Api) -> None:
    """However many blocks stood there, and however the text was cut; the model's own blank lines stay."""
    block = call("read").rstrip()
    text = f"One.\n\n\nTwo.\n\n{block}\n\n{block}\n\n\nThree.\n{block}\nFour."

    async def said(deltas: Sequence[str]) -> Any:
        async with turn(tools(read=str), deltas) as it:
            async for _ in it:
                pass
        content = it.messages(api)[0]["content"]
        return content if api == "chat" else content[0]["text"]

    for deltas in ([text], list(text)):
        assert asyncio.run(said(deltas)) == "One.\n\n\nTwo.\n\nThree.\n\nFour."
