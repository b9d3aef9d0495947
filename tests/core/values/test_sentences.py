"""Every sentence of `wording.py` comes out of a real block or call, with its gaps filled."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

import pytest

from stream_guard import (
    CODES,
    ApprovalPolicy,
    End,
    Guard,
    Limits,
    Risk,
    StreamEnd,
    Tool,
    ToolBlock,
    Toolset,
    ValidationIssue,
    build_hint,
)
from stream_guard.testing import FakeCorrector, FakeStream
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.block import Block, call_body
from stream_guard.values.wording import ADVICE, SENTENCES

TEXT: Final = {"type": "string"}
DELETE: Final = '{"tool": "delete_file", "path": "a"}'
WRITE: Final = '{"tool": "write_file", "path": "a", "content": "x"}'
ANY: Final = '{"tool": "any"}'
PATCH: Final = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-x\n+y\n*** End Patch\n"


NATIVE_CALL: Final = Block(
    "", call_body("delete_file", ""), "oversize", ambiguous=False, canonical=False, fenced=False, native_tool="delete_file"
)


def fence(body: str) -> str:
    return f"```json\n{body}\n```\n"


def fails(*_: Any) -> Any:
    raise LookupError


def tool(schema: dict[str, Any] | None = None, **more: Any) -> Toolset:
    return Toolset(Tool("any", "", {"type": "object"} if schema is None else schema, **more))


Said = Iterable[str]
"""The messages of issues and hints."""


def of_block(block: ToolBlock) -> list[str]:
    said = [issue.message for issue in (*block.found, *block.issues)]
    return [*said, block.hint.message] if block.hint is not None else said


def scanned(*deltas: str | End, tools: Toolset = FILE_TOOLS, **settings: Any) -> Callable[[], Said]:
    """Return what says what comes out of a stream that is not fixed."""
    given = {"fixes": "off", **settings}
    return lambda: [
        said for item in Guard(tools, **given).scan(deltas) if isinstance(item, ToolBlock) for said in of_block(item)
    ]


def dialect(text: str, tools: Toolset = FILE_TOOLS, end: StreamEnd = "stop") -> Callable[[], Said]:
    return scanned(text, End(end), tools=tools, dialects="all")


def streamed(body: str, tools: Toolset = FILE_TOOLS, **settings: Any) -> Callable[[], Said]:
    """Return what says what comes out of a stream with a corrector or an approver."""

    async def main() -> list[str]:
        stream = Guard(tools, **{"fixes": "off", **settings}).stream(FakeStream([fence(body)]))
        return [said async for item in stream if isinstance(item, ToolBlock) for said in of_block(item)]

    return lambda: asyncio.run(main())


def approved(answer: Any, policy: ApprovalPolicy | None = None) -> Callable[[], Said]:
    """Return what says what becomes of a risky call about which this is answered."""

    async def approve(block: ToolBlock, _: Tool) -> Any:
        if not callable(answer):
            return answer
        asked: Any = answer
        return await asked(block)

    schema = {"type": "object", "properties": {"path": TEXT}, "additionalProperties": False}
    risky = tool(schema, risk=Risk.DESTRUCTIVE)
    return streamed('{"tool": "any", "path": "a"}', risky, approve=approve, approval=policy)


async def never(_: ToolBlock) -> None:
    await asyncio.Event().wait()


async def change(block: ToolBlock) -> bool:
    assert block.arguments is not None
    block.arguments["path"] = "b"
    return True


def called(arguments: Any, handler: Callable[..., Any] = dict, **more: Any) -> Callable[[], Said]:
    """Return what says what becomes of a direct call."""
    schema = more.pop("schema", {"type": "object"})

    def run() -> Said:
        output = asyncio.run(tool(schema, handler=handler, risk=more.pop("risk", Risk.READ), **more).call("any", arguments))
        return [output.for_model()]

    return run


def refuses(_: Any) -> Iterable[ValidationIssue]:
    return [ValidationIssue.at(("key",), "content", "It may not be 'secret'", "own")]


class Odd(Exception):
    def issues(self) -> Any:
        raise LookupError


KEY: Final = {"schema": {"properties": {"key": TEXT}}}
WHOLE: Final = "*** Begin Patch\n*** Update File: /etc/x\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch\n"
QWEN: Final = "<tool_call>\n<function=any>\n<parameter=id>\n{}\n</parameter>\n</function>\n</tool_call>"
COMES_OUT: dict[str, Callable[[], Said]] = {
    "truncated": scanned("```json\n" + DELETE[:-4]),
    "truncated.length": scanned("```json\n" + DELETE[:-4], End("length")),
    "truncated.content_filter": scanned("```json\n" + DELETE[:-4], End("content_filter")),
    "truncated.error": scanned("```json\n" + DELETE[:-4], End("error")),
    "oversize": scanned(fence(DELETE), limits=Limits(max_block=20)),
    "oversize.block": dialect("[" + ", ".join(['{"name": "delete_file", "arguments": {"path": "a"}}'] * 101) + "]"),
    "oversize.calls": lambda: [
        said for block in Guard(FILE_TOOLS).session("s", asks=False).refuse(NATIVE_CALL, 4) for said in of_block(block)
    ],
    "repetition": scanned(fence(WRITE.replace("x", "na " * 9_000)), early="abort"),
    "private": scanned(fence('{"tool": "any", "key": "secret"}'), tools=tool(rules=(refuses,), private={"key"}, **KEY)),
    "private.arguments": scanned(fence(ANY), tools=tool(rules=(fails,), private={"key"}, **KEY)),
    "ambiguous_end.dialect": dialect("<function=write_file>\n<seed:tool", end="disconnect"),
    "ambiguous_value.type": dialect(QWEN.format("42"), tool({"properties": {"id": {"type": ["string", "integer"]}}})),
    "ambiguous_value.marker": dialect("<write_file>\n<path>\na b.py\n<content>\n</path>\nx\n</write_file>"),
    "ambiguous_value.blanks": dialect("<delete_file>\n<path>\na\n\n</path>\n</delete_file>"),
    "ambiguous_value.margin": dialect(
        "- <write_file>\n  <path>\n  a\n  </path>\n  <content>\n  x\n  y\n  </content>\n  </write_file>"
    ),
    "ambiguous_value.place": dialect(PATCH),
    "ambiguous_value.sign": dialect(PATCH.replace(" def f():", "").replace("-x", "-x\n")),
    "ambiguous_value.whole": dialect(WHOLE),
    "ambiguous_value.key": dialect(QWEN.replace("=id", "==id").format("a"), tool({"properties": {"id": TEXT}})),
    "several_calls": lambda: of_block(Guard(FILE_TOOLS).check(f"[{WRITE}, {DELETE}]")),
    "several_calls.blocks": lambda: of_block(Guard(FILE_TOOLS).check(fence(DELETE) * 2)),
    "guard_error.corrector": streamed(WRITE.replace('"x"', "3"), corrector=FakeCorrector(LookupError())),
    "guard_error.rule": scanned(fence(ANY), tools=tool(rules=(fails,))),
    "guard_error.not_json": called({"n": object()}),
    "guard_error.result": called({}, output_rules=(fails,)),
    "guard_error.handler": called({}, lambda _: (_ for _ in ()).throw(Odd())),
    "correction_refused": streamed(DELETE.replace('"a"', "3"), corrector=FakeCorrector(WRITE)),
    "not_approved": approved(False),
    "not_approved.unasked": scanned(fence(ANY), tools=tool(risk=Risk.DESTRUCTIVE), approval=ApprovalPolicy()),
    "not_approved.failed": approved(fails),
    "not_approved.timeout": approved(never, ApprovalPolicy(timeout=0.001)),
    "not_approved.odd": approved(3),
    "not_approved.changed": approved(change),
    "not_approved.edit": approved({"no": 1}),
    "number_range.parser": scanned(fence('{"tool": "delete_file", "n": ' + "9" * 5_000 + "}")),
    "too_deep": scanned(fence("[" * 80 + "]" * 80), untagged="validate"),
    "too_deep.parser": lambda: of_block(Guard(FILE_TOOLS, fixes="off").check("[" * 300)),
    "too_many_values": scanned(fence(WRITE), limits=Limits(max_values=2)),
    "type.result": called({}, lambda _: object()),
    "unknown_field": lambda: [str(build_hint([{"field": "a", "constraint": "additionalProperties"}]))],
    "unknown_field.envelope": scanned(fence('{"tool": "any", "argumets": {"a": 1}}'), tools=tool({"properties": {"a": TEXT}})),
    "unknown_field.outcome": scanned(
        fence('{"tool": "any", "path": "a", "exit_code": 0}'), tools=tool({"properties": {"path": TEXT}})
    ),
    "schema.unknown": lambda: [str(build_hint([{"field": "a", "constraint": "odd"}], "any"))],
    "too_complex": scanned(
        fence('{"tool": "any", "a": ["' + "a" * 100_000 + '"]}'),
        tools=tool({"properties": {"a": {"items": {"pattern": "(a*)*b\\1"}}}}),
    ),
    "rejected": lambda: [str(build_hint([{"field": "a", "constraint": ""}], "any"))],
    "rejected.silent": lambda: [str(build_hint(ValueError(""), "any"))],
    "undoubled_backslash": scanned(fence('{"tool": "any", "text": "\\bword"}'), tools=tool({"properties": {"text": TEXT}})),
}
"""For each sentence that no example of `CODES` brings about something that does."""

UNREACHED: Final = {
    "guard_error.block": "a fault of the guard: tests/core/test_guard.py",
    "guard_error.correction": "a fault of the guard: tests/core/stream/test_guarded.py",
    "guard_error.arguments": "a fault of a validator; none is known",
    "not_a_number.unknown": "a text that one of two parsers refuses, and that has neither NaN nor Infinity; none is known",
}
"""Sentences that no block brings about while the guard and its parsers work as they should, and what would."""


@cache
def of_examples() -> tuple[str, ...]:
    """Return what comes out of the bad examples of the table of codes."""
    said: list[str] = []
    for row in CODES.values():
        said += scanned(row.bad)()
        said += scanned(fence(row.bad), untagged="validate")()
        if "```" not in row.bad:
            said += of_block(Guard(FILE_TOOLS, fixes="off").check(row.bad))
    return tuple(said)


def filled(template: str) -> re.Pattern[str]:
    """Return what finds a sentence with its gaps filled."""
    parts = re.split(r"(\{[^}]*\})", template)
    return re.compile("".join(r"[^{}]+?" if part.startswith("{") else re.escape(part) for part in parts), re.DOTALL)


@pytest.mark.parametrize("key", [key for key in SENTENCES if key not in UNREACHED])
def test_a_sentence_comes_out_of_a_real_block(key: str) -> None:
    """With its gaps filled: a name of a gap that is misspelt fails here, too."""
    said = of_examples() if key not in COMES_OUT else COMES_OUT[key]()
    assert any(filled(SENTENCES[key]).search(text) for text in said), (
        f"{key}: no block here brings it about; add one to COMES_OUT"
    )


USED: dict[str, Callable[[], Said]] = {
    "truncated": COMES_OUT["truncated"],
    "truncated.length": COMES_OUT["truncated.length"],
    "oversize": COMES_OUT["oversize"],
    "oversize.calls": COMES_OUT["oversize.calls"],
    "repetition": COMES_OUT["repetition"],
    "too_deep": COMES_OUT["too_deep"],
    "too_many_values": COMES_OUT["too_many_values"],
    "too_complex": COMES_OUT["too_complex"],
    "ambiguous_end.dialect": COMES_OUT["ambiguous_end.dialect"],
    "ambiguous_value": COMES_OUT["ambiguous_value.place"],
    "several_calls": COMES_OUT["several_calls"],
    "correction_refused": lambda: [str(build_hint([ValidationIssue("correction_refused", "x")]))],
    "invented": scanned(fence(WRITE.replace(', "content": "x"', "")), fixes="spec"),
    "arguments.ran": lambda: [str(build_hint([ValidationIssue("required", "x")], ran=True))],
    "malformed_response": called({}, output_rules=(fails,)),
    "tool_failed": called({}, fails, risk=Risk.DESTRUCTIVE),
    "tool_failed.no_effect": called({}, fails),
    "denied": approved(False),
    "which_tool": lambda: [str(build_hint([ValidationIssue("not_an_object", "x")]))],
}
"""For each advice that no example of `CODES` brings about something that does."""


@pytest.mark.parametrize("key", ADVICE)
def test_an_advice_is_given_about_a_real_block(key: str) -> None:
    said = of_examples() if key not in USED else USED[key]()
    assert any(filled(ADVICE[key]).search(text) for text in said), f"{key}: no hint here gives this advice; add a block to USED"
