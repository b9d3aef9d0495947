"""A direct call is fixed as a guard fixes a native call: by one engine, and only where its caller wants that."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from stream_guard_conformance.cases import make
from stream_guard_conformance.faults import KINDS
from stream_guard_conformance.run import guarded
from stream_guard_conformance.toolsets import TOOLSETS

from stream_guard import Guard, Risk, Tool, Toolset
from stream_guard.judge.judge import Judge
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.block import Block, call_body
from tests.kit.breadth import WHOLE

SIZE: dict[str, Any] = {
    "type": "object",
    "properties": {"width": {"type": "integer"}, "unit": {"enum": ["cm", "inch"]}, "note": {"type": "string"}},
    "required": ["width"],
    "additionalProperties": False,
}


def size(risk: Risk = Risk.WRITE, **more: Any) -> Toolset:
    return Toolset(Tool("set_size", "Set the size", SIZE, risk=risk, handler=dict, **more))


@pytest.mark.parametrize(
    ("arguments", "ran", "rules"),
    [
        ({"width": "7"}, {"width": 7}, ["coercion"]),
        ('{"width": 7,}', {"width": 7}, ["trailing_comma"]),
        ("{'width': 7, 'unit': 'CM'}", {"width": 7, "unit": "cm"}, ["quote_marks", "coercion"]),
        ('"{\\"width\\": 7}"', {"width": 7}, ["encoded", "envelope"]),
        ({"Width": 7, "unit": "cm"}, {"width": 7, "unit": "cm"}, ["field_name"]),
        ({"width": 7}, {"width": 7}, []),
    ],
)
async def test_what_has_one_meaning_is_fixed_and_on_record(arguments: Any, ran: dict[str, Any], rules: list[str]) -> None:
    output = await size().call("set_size", arguments)
    assert output.payload == ran
    assert list(dict.fromkeys(fix.rule for fix in output.fixes)) == rules


@pytest.mark.parametrize("arguments", [{"width": "7"}, '{"width": 7,}', "", {"Width": 7}])
async def test_a_call_without_fixes_runs_as_it_was_written_or_not_at_all(arguments: Any) -> None:
    output = await size().call("set_size", arguments, fixes="off")
    assert output.retry_hint is not None
    assert (output.payload, output.fixes, output.retry_hint.reason) == (None, (), "invalid_arguments")
    lossless = await size().call("set_size", {"width": "7"}, fixes="lossless")
    assert not lossless.ok


async def test_nothing_is_invented_for_a_direct_call() -> None:
    with pytest.raises(ValueError, match="fixes must be 'off' or 'lossless' or 'likely' for a direct call, got 'spec'"):
        size().call("set_size", {}, fixes="spec")  # type: ignore[arg-type, unused-coroutine]


async def test_a_tool_is_called_by_every_name_that_certainly_means_it() -> None:
    """As in a block; a destructive one by its own words only."""
    assert (await size().call("setSize", {"width": 7})).payload == {"width": 7}
    assert [fix.rule for fix in (await size().call("setSize", {"width": 7})).fixes] == ["tool_name"]
    assert (await size(aliases=("resize",)).call("resize", {"width": 7})).ok
    assert not (await size().call("setSize", {"width": 7}, fixes="off")).ok
    assert not (await size(Risk.DESTRUCTIVE).call("set_sise", {"width": 7})).ok


async def test_a_call_by_another_name_that_is_not_fixed_is_told_the_name() -> None:
    """Its arguments are valid, but all its texts are placeholders."""
    texts = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    output = await Toolset(Tool("fill_in", "", texts, handler=dict)).call("fillIn", {"a": "<a>", "b": "<b>"})
    assert output.retry_hint is not None
    assert (output.retry_hint.reason, output.retry_hint.suggestion) == ("unknown_tool", "fill_in")


async def test_a_call_makes_no_second_and_none_of_another_tool() -> None:
    ran: list[Any] = []
    tools = Toolset(
        *(Tool(t.name, t.description, t.schema, rules=t.rules, risk=t.risk, handler=ran.append) for t in FILE_TOOLS)
    )
    for arguments in (
        '{"path": "a"}{"path": "b"}',
        '{"path": ["a", "b"]}',
        '[{"path": "a"}, {"path": "b"}]',
        '{"tool": "write_file", "path": "a", "content": "x",}',
    ):
        assert not (await tools.call("delete_file", arguments)).ok
    assert ran == []


@pytest.mark.parametrize("key", ["name", "function", "action", "Function", "nmae"])
@pytest.mark.parametrize("fixes", ["likely", "lossless", "off"])
async def test_a_call_that_names_another_tool_among_its_arguments_is_refused(key: str, fixes: Any) -> None:
    """As in a block: the schema of the tool takes any member, and one of them says that another tool was meant."""
    ran: list[Any] = []
    about = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    tools = Toolset(Tool("cancel_event", "", about, handler=ran.append), Tool("move_event", "", about, handler=ran.append))
    for other in ("move_event", "moveEvent", {"name": "move_event"}):
        output = await tools.call("cancel_event", {"id": "7", key: other}, fixes=fixes)
        assert not output.ok
        assert output.retry_hint is not None
    assert ran == []
    assert (await tools.call("cancel_event", {"id": "7", key: "a party"}, fixes=fixes)).ok


async def test_the_arguments_of_an_approved_block_run_as_they_are() -> None:
    """`run` fixes nothing: what a person saw is what runs."""
    wide = {**SIZE, "properties": {**SIZE["properties"], "width": {"type": ["integer", "string"]}}}
    block = Guard([Tool("set_size", "", wide)]).check('{"tool": "set_size", "width": "7"}')
    assert block.executable
    output = await size().run(block)
    assert (output.ok, output.fixes) == (False, ())


async def test_all_that_is_wrong_is_said_at_once() -> None:
    output = await size().call("set_size", '{"width": "wide", "unit": "ell",}')
    assert output.retry_hint is not None
    for said in (
        "JSON parsing error: Unexpected token at line 1, column 33",
        '"width" must be an integer',
        '"unit" must be one of: cm, inch',
    ):
        assert said in output.retry_hint.message


async def test_a_fault_of_the_fixes_refuses_the_call(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Closed for tools, and nothing of the call is in the log."""

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret")

    monkeypatch.setattr("stream_guard.fixes.engine.Engine.tried", broken)
    assert not (await size().call("set_size", '{"width": 7,}')).ok
    assert [record.getMessage() for record in caplog.records] == ["the fixes failed on a call: RuntimeError"]


def guard_runs(judge: Judge, name: str, text: str) -> Any:
    """The arguments that a guard makes of a native call; None if it is not executable."""
    block = Block(text, call_body(name, text), "closed", ambiguous=False, canonical=False, fenced=False, native_tool=name)
    verdict, mended = judge.judged(block)
    found = verdict if verdict.passed else mended[0].verdict if len(mended) == 1 else None
    return None if found is None else {key: value for key, value in found.value.items() if key != "tool"}


@pytest.mark.some
@pytest.mark.promise("P8")
async def test_a_direct_call_and_a_native_call_come_out_alike(cases: Any) -> None:
    """For every kind of fault of the grammar: the same arguments run, or none; of text, and of objects with other types."""
    guards = {toolset.name: guarded(toolset) for toolset in TOOLSETS}
    judges = {name: Guard(tools).judge for name, tools in guards.items()}
    ready = {name: Toolset(*(Tool.of(tool, handler=dict) for tool in tools)) for name, tools in guards.items()}
    ran = 0
    for index in range(TRIED):
        case = make(index, seed=11)
        call, tools, judge = case.meant[0], ready[case.toolset.name], judges[case.toolset.name]
        as_text = {key: str(value) if isinstance(value, int | float) else value for key, value in call.arguments.items()}
        for arguments, text in ((case.body, case.body), (as_text, json.dumps(as_text))):
            output = await tools.call(call.tool, arguments)
            assert (output.payload if output.ok else None) == guard_runs(judge, call.tool, text), text
            ran += output.ok
    assert TRIED // 4 < ran < 2 * TRIED
    cases(2 * TRIED)


TRIED: Final = (3 if WHOLE else 1) * len(KINDS)
