"""No call that needs an approval may run without it, whatever becomes of the question."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from stream_guard import (
    ApprovalPolicy,
    BlockOutput,
    Guard,
    NotExecutableError,
    Risk,
    Tool,
    ToolBlock,
    Toolset,
    ToolStatus,
    run,
    wire,
)
from stream_guard.testing import FakeStream, every_split, merge_text

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "deep": {"type": "object"}},
    "required": ["path"],
    "additionalProperties": False,
}
RAN: list[dict[str, Any]] = []
TOOLS = Toolset(
    Tool("read", "", SCHEMA, handler=RAN.append, risk=Risk.READ),
    Tool("delete", "", SCHEMA, handler=RAN.append, risk=Risk.DESTRUCTIVE),
)
FIXABLE = '{"tool": "delete", "path": "a",}'


def call(tool: str, **arguments: Any) -> str:
    return f"```json\n{json.dumps({'tool': tool, **arguments})}\n```\n"


async def guarded(approve: Any, *texts: str, **settings: Any) -> list[Any]:
    stream = Guard(TOOLS, approve=approve, **settings).stream(FakeStream(texts), stream_id="s")
    return merge_text([item async for item in stream])


def blocks(items: list[Any]) -> list[ToolBlock]:
    return [item for item in items if isinstance(item, ToolBlock)]


def answering(answer: Any) -> Callable[[ToolBlock, Tool], Awaitable[Any]]:
    async def approve(_: ToolBlock, __: Tool) -> Any:
        return answer

    return approve


async def test_only_risky_calls_are_asked_about_and_a_yes_lets_them_run() -> None:
    asked: list[ToolBlock] = []

    async def approve(block: ToolBlock, tool: Tool) -> bool:
        assert tool is TOOLS["delete"]
        asked.append(block)
        return True

    for deltas in every_split(f"One.\n{call('read', path='a')}Two.\n{call('delete', path='a')}Three.\n"):
        asked.clear()
        items = await guarded(approve, *deltas)
        assert "".join(item for item in items if isinstance(item, str)) == "One.\n\nTwo.\n\nThree.\n"
        read, delete = blocks(items)
        assert (read.executable, read.approval) == (True, None)
        assert (delete.executable, delete.outcome) == (True, "valid")
        assert delete.approval is not None
        assert delete.approval.decision == "allowed"
        assert [(block.arguments, block.executable, block.call) for block in asked] == [(delete.arguments, False, None)]
        statuses = [item.status for item in items if isinstance(item, ToolStatus) and item.id == delete.id]
        assert statuses[-2:] == ["validating", "approving"]
        (asking,) = [item for item in items if isinstance(item, ToolStatus) and item.status == "approving"]
        assert (asking.call_id, asking.tool_type, asking.arguments) == (delete.call_id, "delete", {"path": "a"})
        events = [item.seq for item in items if not isinstance(item, str)]
        assert events == list(range(1, len(events) + 1))


async def test_a_question_has_the_arguments_but_private_ones() -> None:
    """At any depth; a private field also hides members that the schema does not describe."""
    text = {"type": "string"}
    item = {"type": "object", "properties": {"name": text, "key": text}}
    fields = {"type": "object", "properties": {"token": text, "rows": {"type": "array", "items": item}, "to": text}}
    tools = Toolset(Tool("send", "Send", fields, risk=Risk.DESTRUCTIVE, private={"token", "rows[0].key"}))
    given = {"token": "secret", "rows": [{"name": "a", "key": "secret"}], "to": "b", "tokens": "secret"}
    body = json.dumps({"tool": "send", **given})
    items = [item async for item in Guard(tools, approve=answering(True)).stream(FakeStream([f"```json\n{body}\n```\n"]))]
    (asking,) = [item for item in items if isinstance(item, ToolStatus) and item.status == "approving"]
    assert asking.arguments == {"rows": [{"name": "a"}], "to": "b"}


async def test_a_fixed_call_is_asked_about_as_it_would_run() -> None:
    (block,) = blocks(await guarded(answering(True), f"```json\n{FIXABLE}\n```\n"))
    assert (block.outcome, block.arguments) == ("fixed", {"tool": "delete", "path": "a"})


async def test_a_corrected_call_is_asked_about_as_well() -> None:
    async def correct(_: Any) -> str:
        return '{"tool": "delete", "path": "12"}'

    broken = call("delete", path=12)
    for answer, runs in ((True, True), ("No.", False)):
        (block,) = blocks(await guarded(answering(answer), broken, fixes="off", corrector=correct))
        assert (block.executable, block.corrected_by) == (runs, "llm")
        assert [attempt.outcome for attempt in block.attempts] == ["accepted"]


async def test_a_refusal_gives_the_model_its_reason() -> None:
    (block,) = blocks(await guarded(answering("Not on a Sunday."), call("delete", path="a")))
    assert (block.executable, block.validation_passed, block.call) == (False, True, None)
    assert [issue.code for issue in block.issues] == ["not_approved"]
    assert block.approval is not None
    assert (block.approval.decision, block.approval.reason) == ("denied", "Not on a Sunday.")
    assert block.hint is not None
    assert block.hint.for_model() == (
        "The call of delete was not allowed: Not on a Sunday. Nothing was run. Do not send the same call again."
    )
    with pytest.raises(NotExecutableError, match="was not approved"):
        block.runnable()


async def test_an_edit_is_validated_and_recorded() -> None:
    (block,) = blocks(await guarded(answering({"path": "b"}), call("delete", path="a")))
    assert (block.executable, block.outcome, block.corrected_by) == (True, "corrected", "approval")
    assert block.arguments == {"tool": "delete", "path": "b"}
    assert json.loads(block.content[8:-4]) == block.arguments
    assert block.approval is not None
    assert (block.approval.decision, block.approval.before) == ("edited", {"path": "a"})
    assert block.call is not None


async def test_an_edit_that_is_not_valid_is_told_with_its_fields() -> None:
    for edit, said in (({"path": 1}, '("path": type)'), ({}, "required"), ({"path": "a", "more": 1}, '"more": ')):
        (block,) = blocks(await guarded(answering(edit), call("delete", path="a")))
        assert said in block.issues[0].message
        assert block.hint is not None
        assert said in block.hint.message


class Late:
    """An approval that does not heed its cancellation."""

    async def __call__(self, block: ToolBlock, tool: Tool) -> bool:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return True


async def never(_: ToolBlock, __: Tool) -> bool:
    await asyncio.Event().wait()
    return True


async def raises(_: ToolBlock, __: Tool) -> bool:
    raise KeyError("a secret")


async def stops(_: ToolBlock, __: Tool) -> bool:
    raise StopAsyncIteration


async def cancelled(_: ToolBlock, __: Tool) -> bool:
    raise asyncio.CancelledError


async def changes(block: ToolBlock, _: Tool) -> bool:
    assert block.arguments is not None
    block.arguments["path"] = "other"
    return True


async def changes_deep(block: ToolBlock, _: Tool) -> bool:
    assert block.arguments is not None
    block.arguments["deep"]["x"] = {1}
    return True


def plain(block: ToolBlock, tool: Tool) -> Awaitable[bool]:
    return True  # type: ignore[return-value]


FAULTS: dict[str, tuple[Any, str]] = {
    "late": (Late(), "not given within"),
    "never": (never, "not given within"),
    "raises": (raises, "KeyError"),
    "stops": (stops, "RuntimeError|StopAsyncIteration"),
    "cancelled": (cancelled, "CancelledError"),
    "changes": (changes, "were changed"),
    "changes deep": (changes_deep, "were changed"),
    "not async": (plain, "UnfitApprovalError"),
    **{
        f"odd {answer!r}": (answering(answer), "of the wrong type")
        for answer in (None, 1, 0, 1.0, b"yes", ["a"], ("path", "b"))
    },
    "false": (answering(False), "was not approved"),
    "a reason": (answering("no"), "was not approved"),
    "an empty reason": (answering(""), "was not approved"),
    **{
        f"edit {nth}": (answering(answer), "are not valid")
        for nth, answer in enumerate(
            [
                {},
                {"path": 1},
                {"path": "a", "more": 1},
                {"path": "a", "tool": "read"},
                {"path": "a", "deep": {"x": float("nan")}},
                {"path": "a", "deep": {"x": {1}}},
                {1: 2},
            ]
        )
    },
}


@pytest.mark.parametrize("order", ["strict", "flow"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_nothing_unapproved_runs_at_any_fault(fault: str, order: Any, caplog: pytest.LogCaptureFixture) -> None:
    approve, why = FAULTS[fault]
    text = f"One.\n{call('delete', path='a', deep={})}Two.\n{call('read', path='a')}Three.\n"
    policy = ApprovalPolicy(timeout=0.01)
    caplog.set_level(logging.DEBUG)
    items = await guarded(approve, *(text[at : at + 7] for at in range(0, len(text), 7)), approval=policy, order=order)
    assert "".join(item for item in items if isinstance(item, str)) == "One.\n\nTwo.\n\nThree.\n"
    found = {block.tool: block for block in blocks(items)}
    assert len(found) == len(blocks(items)) == 2
    assert found["read"].executable
    block = found["delete"]
    assert (block.executable, block.call) == (False, None)
    assert block.hint is not None
    assert block.issues[0].code == "not_approved"
    assert re.search(why, block.issues[0].message), block.issues[0].message
    assert "a secret" not in caplog.text
    timed_out = why == "not given within"
    assert ("an approval was not given within 0.01 s" in caplog.text) == timed_out
    if timed_out:
        assert "an approval failed" not in caplog.text
    if order == "strict":
        assert [item.tool for item in blocks(items)] == ["delete", "read"]


@pytest.mark.parametrize("settings", [{"approve": answering(True)}, {"approval": ApprovalPolicy()}])
async def test_where_nobody_can_be_asked_nothing_of_that_risk_may_run(settings: Any) -> None:
    guard = Guard(TOOLS, **settings)
    body = '{"tool": "delete", "path": "a"}'
    scanned = [item for item in guard.scan(call("delete", path="a")) if isinstance(item, ToolBlock)]
    for block in [*scanned, guard.check(body), await guard.acheck(body), guard.observer().check(body), guard.check(FIXABLE)]:
        assert (block.executable, block.call) == (False, None)
        assert block.issues[-1].message == "The call of delete needs an approval, and nobody could be asked"
        assert block.approval is not None
        assert block.approval.decision == "unasked"
    assert guard.check('{"tool": "read", "path": "a"}').executable
    waiting = Guard(TOOLS, approval=ApprovalPolicy()).stream(FakeStream([call("delete", path="a")]))
    assert [block.executable for block in [item async for item in waiting] if isinstance(block, ToolBlock)] == [False]


async def test_the_policy_says_which_risk_is_asked_about() -> None:
    both = f"{call('read', path='a')}{call('delete', path='a')}"
    for policy, runs in ((ApprovalPolicy(risk=Risk.READ), [False, False]), (ApprovalPolicy(), [True, False])):
        assert [block.executable for block in blocks(await guarded(answering(False), both, approval=policy))] == runs


async def test_only_the_call_that_was_approved_can_be_run() -> None:
    RAN.clear()
    (block,) = blocks(await guarded(answering(True), call("delete", path="a", deep={"x": 1})))
    stored = wire.to_dict(block)
    same = ToolBlock.from_dict(json.loads(json.dumps(stored)))
    assert same == block
    assert (await TOOLS.run(same)).ok
    assert RAN == [{"path": "a", "deep": {"x": 1}}]
    others = [
        replace(block, arguments={"tool": "delete", "path": "b", "deep": {"x": 1}}),
        replace(block, arguments={"tool": "delete", "path": "a", "deep": {"x": 1.0}}),
        replace(block, arguments={"tool": "delete", "path": "a", "deep": {"x": True}}),
        replace(block, tool="read"),
        ToolBlock.from_dict({**stored, "arguments": {"tool": "delete", "path": "b"}}),
        ToolBlock.from_dict({**stored, "approval": {"decision": "denied", "digest": stored["approval"]["digest"]}}),
        ToolBlock.from_dict({**stored, "approval": {"decision": "allowed"}}),
    ]
    assert block.arguments is not None
    running = TOOLS.run(block)
    block.arguments["deep"]["x"] = 2  # after the call began: what runs is what was compared
    await running
    assert RAN.pop() == {"path": "a", "deep": {"x": 1}}
    for other in [*others, block]:
        assert other.executable
        assert other.call is None
        with pytest.raises(NotExecutableError, match="not the one that was approved"):
            await TOOLS.run(other)
    assert len(RAN) == 1


async def test_a_turn_refuses_another_call_than_the_one_approved() -> None:
    RAN.clear()

    async def altered() -> Any:
        async for item in Guard(TOOLS, approve=answering(True)).stream(FakeStream([call("delete", path="a")])):
            yield replace(item, arguments={"tool": "delete", "path": "b"}) if isinstance(item, ToolBlock) else item

    outputs = [item async for item in run(altered(), TOOLS) if isinstance(item, BlockOutput)]
    assert [output.ok for output in outputs] == [False]
    assert RAN == []


async def test_the_run_loop_takes_an_edit_as_the_guard_does() -> None:
    for answer, ran in (({"path": "b"}, [{"path": "b"}]), ({"path": 1}, [])):
        RAN.clear()
        made = run(Guard(TOOLS).stream(FakeStream([call("delete", path="a")])), TOOLS, answering(answer))
        outputs = [item async for item in made if isinstance(item, BlockOutput)]
        assert ran == RAN
        assert [(output.ok, output.block.executable) for output in outputs] == [(bool(ran), bool(ran))]
    RAN.clear()
    made = run(Guard(TOOLS).stream(FakeStream([call("delete", path="a")])), TOOLS, changes)
    assert [item.ok async for item in made if isinstance(item, BlockOutput)] == [False]
    assert RAN == []


def soon(change: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_soon(change)


def when_done(change: Callable[[], None]) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.add_done_callback(lambda _: change())


TASKS: set[asyncio.Task[None]] = set()


def in_a_task(change: Callable[[], None]) -> None:
    async def work() -> None:
        for _ in range(20):
            change()
            await asyncio.sleep(0)

    task = asyncio.get_running_loop().create_task(work())
    TASKS.add(task)
    task.add_done_callback(TASKS.discard)


HEAVY = Toolset(
    *TOOLS,
    Tool("heavy", "", {"type": "object", "properties": {"a": {"$ref": "#"}}}, handler=RAN.append, risk=Risk.READ),
)
"""Its answers are judged in a thread."""


@pytest.mark.parametrize("change", [soon, when_done, in_a_task])
@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("asker", ["strict", "flow", "loop"])
@pytest.mark.parametrize("tools", [TOOLS, HEAVY])
async def test_an_edit_is_that_of_the_moment_when_it_was_returned(change: Any, deep: bool, asker: Any, tools: Toolset) -> None:
    async def approve(block: ToolBlock, _: Tool) -> dict[str, Any]:
        assert block.tool == "delete"
        given: dict[str, Any] = {"path": "shown", "deep": {"list": [1]}}
        change(partial(given["deep"]["list"].append, 2) if deep else partial(given.__setitem__, "path", "other"))
        return given

    RAN.clear()
    assert tools.is_heavy == (tools is HEAVY)
    source = FakeStream([f"One.\n{call('delete', path='a')}Two.\n"])
    guard = Guard(tools) if asker == "loop" else Guard(tools, approve=approve, order=asker)
    made = run(guard.stream(source), tools, approve if asker == "loop" else None)
    outputs = [item async for item in made if isinstance(item, BlockOutput)]
    assert [output.ok for output in outputs] == [True]
    assert RAN == [{"path": "shown", "deep": {"list": [1]}}]


@pytest.mark.parametrize("answer", [True, {"path": "b"}, False, "no", "raise", "wait"])
@pytest.mark.parametrize("leaves", ["is cancelled", "breaks", "closes"])
@pytest.mark.parametrize("asker", ["guard", "loop"])
async def test_a_turn_that_was_left_runs_nothing_whatever_its_hook_makes_of_that(answer: Any, leaves: str, asker: str) -> None:
    """Nor a call behind it, of either kind."""
    asked = asyncio.Event()

    async def approve(_: ToolBlock, __: Tool) -> Any:
        asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if answer == "raise":
                raise KeyError from None
            if answer == "wait":
                await asyncio.sleep(0)
                return True
            return answer

    async def read() -> None:
        text = call("delete", path="a") + call("read", path="a") + call("delete", path="b") + "text"
        guard = Guard(TOOLS, approve=approve, order="flow") if asker == "guard" else Guard(TOOLS)
        async with run(guard.stream(FakeStream([text])), TOOLS, approve if asker == "loop" else None) as made:
            async for _ in made:
                if leaves != "is cancelled" and asked.is_set():
                    break
                await asyncio.sleep(0)
            if leaves == "closes":
                await made.aclose()

    RAN.clear()
    reading = asyncio.create_task(read())
    await asked.wait()
    if leaves == "is cancelled":
        reading.cancel()
    with suppress(asyncio.CancelledError):
        await reading
    assert RAN == [] if asker == "loop" else [{"path": "a"}][: len(RAN)] == RAN  # the guard lets the read pass
    assert {"path": "b"} not in RAN
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


async def test_a_hook_may_cut_down_what_a_status_shows() -> None:
    """The call stays as it is: a status shares nothing with its block."""

    def cut(status: ToolStatus) -> None:
        if status.arguments is not None:
            status.arguments["deep"]["list"].append("x")
            status.arguments["deep"]["object"].clear()

    given = {"path": "a", "deep": {"list": [1], "object": {"a": [2]}}}
    items = await guarded(answering(True), call("delete", **given), on_status=cut)
    (block,) = blocks(items)
    assert block.executable
    assert block.arguments == {"tool": "delete", **given}


async def test_whoever_leaves_is_not_waited_for() -> None:
    ended = asyncio.Event()

    async def approve(_: ToolBlock, __: Tool) -> bool:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return True

    async with Guard(TOOLS, approve=approve).stream(FakeStream([call("delete", path="a")])) as stream:
        async for item in stream:
            if isinstance(item, ToolStatus) and item.status == "approving":
                break
            await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


async def test_text_waits_for_the_answer_or_flows() -> None:
    for order in ("strict", "flow"):
        go = asyncio.Event()

        async def approve(_: ToolBlock, __: Tool, go: asyncio.Event = go) -> bool:
            await go.wait()
            return True

        async def deltas(go: asyncio.Event = go) -> Any:
            yield call("delete", path="a")
            yield "Later.\n"
            go.set()

        items = [item async for item in Guard(TOOLS, approve=approve, order=order).stream(deltas())]
        said = [item if isinstance(item, str) else type(item).__name__ for item in items if not isinstance(item, ToolStatus)]
        assert (said.index("ToolBlock") < said.index("Later.\n")) is (order == "strict")


def sync(block: ToolBlock, tool: Tool) -> bool:
    return True


async def one(block: ToolBlock) -> bool:
    return True


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"approve": sync}, "not async"),
        ({"approve": lambda block, tool: True}, "<lambda> is not async; make it `async def`"),
        ({"approve": one}, "two arguments"),
        ({"approve": Late}, "is a class"),
        ({"approve": 3}, "cannot be called"),
        ({"approve": never, "mode": "shadow"}, "shadow"),
        ({"approval": Risk.READ}, "ApprovalPolicy"),
    ],
)
def test_settings_that_cannot_hold_are_refused(settings: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        Guard(TOOLS, **settings)


@pytest.mark.parametrize("wrong", [{"risk": 3}, {"timeout": 0}])
def test_a_policy_that_means_nothing_is_refused(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="ApprovalPolicy"):
        ApprovalPolicy(**wrong)
