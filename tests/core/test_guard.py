"""The guard's three ways, its settings, and what it does when it fails itself."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import threading
from collections.abc import AsyncIterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from stream_guard import (
    ApprovalPolicy,
    CorrectionPolicy,
    End,
    Guard,
    Limits,
    Pending,
    Tool,
    ToolBlock,
    Toolset,
    ToolStatus,
    validate_json_tool_block,
)
from stream_guard import guard as guards
from stream_guard.dialects.tables import DIALECTS
from stream_guard.judge.aside import Judging
from stream_guard.judge.settings import Settings
from stream_guard.scan.held_block import HeldBlock
from stream_guard.scan.scanner import FenceScanner
from stream_guard.scan.states import State
from stream_guard.testing import FakeCorrector, merge_text, original
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.values.block import Block, fenced

CALL = '{"tool": "delete_file", "path": "a"}'
TEXT = f"Hi\n```json\n{CALL}\n```\nBye"


def test_scan_check_and_session_judge_alike() -> None:
    """One implementation: a text, a list, one block, and one's own loop."""
    guard = Guard(FILE_TOOLS)
    from_text = merge_text(guard.scan(TEXT, stream_id="s"))
    assert merge_text(guard.scan(list(TEXT), stream_id="s")) == from_text
    session = guard.session("s")
    assert merge_text([*session.feed(TEXT), *session.end()]) == from_text
    block = next(item for item in from_text if isinstance(item, ToolBlock))
    for given in (TEXT, CALL, f"```json\n{CALL}\n```"):
        checked = guard.check(given)
        assert (checked.arguments, checked.content, checked.executable) == (block.arguments, block.content, True)


def test_what_is_no_text_is_the_callers_mistake() -> None:
    """Not a fault of the guard's, which would let it pass."""
    for wrong in (None, b"x", 7):
        with pytest.raises(TypeError, match=f"must yield str or End, got {type(wrong).__name__}"):
            list(Guard(FILE_TOOLS).scan(["a", wrong]))  # type: ignore[list-item]


TWO = ("delete_file", {"path": "a"}), ("delete_file", {"path": "b"})
FIRST, SECOND = (json.dumps({"tool": name, **arguments}) for name, arguments in TWO)
ENVELOPES = [{"name": name, "arguments": arguments} for name, arguments in TWO]
SEVERAL = {
    "two fences": (f"```json\n{FIRST}\n```\n```json\n{SECOND}\n```", "The text holds 2 blocks"),
    "a call and data": (f"```json\n{FIRST}\n```\n```json\n[1]\n```", "The text holds 2 blocks"),
    "a fence that is open": (f"```json\n{FIRST}\n```\nAnd\n```json\n{SECOND}\n", "The text holds 2 blocks"),
    "an array": (f"[{FIRST}, {SECOND}]", "The block holds 2 calls"),
    "an array in a fence": (f"```json\n[{FIRST}, {SECOND}]\n```", "The block holds 2 calls"),
    "a broken array": (f"[{FIRST}, {SECOND},]".replace('"', "'"), "The block holds 2 calls"),
    "one behind the other": (f"{FIRST}\n{SECOND}", "The block holds 2 calls"),
    "an envelope": (json.dumps({"tool_calls": ENVELOPES}), "The block holds 2 calls"),
    **{
        f"one block of {name}": (DIALECTS[name].write(TWO), "The block holds 2 calls")
        for name in ("jamba", "minimax_m2", "pythonic", "kimi_k2")
    },
    **{f"blocks of {name}": (DIALECTS[name].write(TWO), "The text holds 2 blocks") for name in ("hermes", "qwen3_coder")},
}


@pytest.mark.parametrize("name", SEVERAL)
async def test_check_takes_one_call_and_a_text_with_several_fails_as_a_whole(name: str) -> None:
    """None is chosen, none runs, and no text of a model raises; `scan` takes them."""
    text, said = SEVERAL[name]
    told: list[ToolBlock] = []
    guard = Guard(FILE_TOOLS, dialects="all", on_block=told.append)
    block = guard.check(text)
    assert told == [block]
    assert (block.executable, block.call, block.outcome, block.arguments, block.tool) == (False, None, "failed", None, None)
    assert block.raw.strip() == text.strip()
    (issue,) = block.issues
    assert (issue.code, issue.field, issue.constraint, issue.expected, issue.got) == ("several_calls", "", "maxItems", 1, 2)
    assert issue.message.startswith(said)
    assert "`Guard.scan`" in issue.message, "the developer is told what takes them"
    assert block.hint is not None
    assert "several calls" in block.hint.problem
    assert "Send one call at a time." in str(block.hint)
    assert "Guard" not in str(block.hint), "and the model what to write"
    assert await guard.acheck(text) == block
    assert ToolBlock.from_dict(block.to_dict()) == block
    observed = Guard(FILE_TOOLS, dialects="all", mode="shadow").check(text)
    assert not observed.executable
    assert not Guard(FILE_TOOLS, dialects="all", fixes="off").check(text).executable


def test_a_failed_block_shows_what_the_model_wrote() -> None:
    """`content` of a failed block is its raw text; nothing is made to look good."""
    for body in ('{"tool": "delete_file", "path": "a",}', '{"tool": "delete_file"}'):
        block = Guard(FILE_TOOLS, fixes="off").check(f"~~~json\n{body}\n~~~")
        assert not block.validation_passed
        assert block.content == block.raw == f"~~~json\n{body}\n~~~"
    assert fenced(" x ") == "```json\nx\n```"


def test_ids_are_one_per_block_and_differ_between_streams() -> None:
    """All news of a block bear its id."""
    guard = Guard(FILE_TOOLS)
    text = TEXT + "\n" + TEXT
    first, second = ([item.id for item in guard.scan(text) if not isinstance(item, str)] for _ in range(2))
    assert len(set(first)) == 2
    assert not set(first) & set(second)
    assert {item.id for item in guard.scan(text, stream_id="chat7") if not isinstance(item, str)} == {"chat7-1", "chat7-2"}


def test_an_end_in_a_scan_ends_the_block_with_its_cause() -> None:
    """As in a live stream."""
    items = list(Guard(FILE_TOOLS).scan(["```json\n" + CALL, End("length"), "text"]))
    assert next(item for item in items if isinstance(item, ToolBlock)).end_cause == "length"
    assert items[-1] == "text"


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"announce": "never"}, "announce must be 'fence' or 'tool', got 'never'"),
        ({"order": "any"}, "order must be"),
        ({"untagged": "drop"}, "untagged must be"),
        ({"languages": ()}, "languages must name"),
        ({"progress": 0}, "progress must be"),
        ({"corrector": 7}, "async callable"),
    ],
)
def test_a_wrong_setting_is_told_at_once(settings: Any, error: str) -> None:
    """With the name of the setting and what it takes."""
    with pytest.raises((ValueError, TypeError), match=error):
        Guard(FILE_TOOLS, **settings)


def test_a_guard_takes_a_toolset_or_a_list_of_what_makes_one() -> None:
    """A function, a tool, an entry of a listing; and nothing else."""

    def book(title: str) -> str:
        return title

    guard = Guard([book, *FILE_TOOLS])
    assert guard.tools.names == ("book", *FILE_TOOLS.names)
    assert guard.check('{"tool": "book", "title": "a"}').executable
    for wrong in (book, FILE_TOOLS["write_file"], "book", None):
        with pytest.raises(TypeError, match=f"Toolset, or a list of functions and tools, got {type(wrong).__name__}"):
            Guard(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"max_block": 0}, {"lookahead": -1}, {"max_issues": 1.5}, {"max_depth": 201}, {"max_pending": True}]
)
def test_a_wrong_limit_is_told_at_once(wrong: Any) -> None:
    """By its name."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits(**wrong)


@pytest.mark.parametrize("wrong", [{"max_attempts": -1}, {"max_attempts": True}, {"timeout": 0}])
def test_a_wrong_policy_is_told_at_once(wrong: Any) -> None:
    """By its name."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        CorrectionPolicy(**wrong)


@pytest.mark.promise("P9")
def test_a_fault_of_the_scanner_loses_no_text_and_lets_no_block_pass(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Promise P9: the block is released, the text flows, a line is logged, and the stream goes on; no content in the log."""
    calls = 0
    string_closed = HeldBlock.string_closed

    def failing(self: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise RuntimeError("secret content")
        string_closed(self)

    monkeypatch.setattr(HeldBlock, "string_closed", failing)
    text = TEXT + "\n" + TEXT
    with caplog.at_level(logging.DEBUG, logger="stream_guard"):
        items = list(Guard(FILE_TOOLS).scan(list(text)))
    assert original(items) == text
    events = [item for item in items if not isinstance(item, str)]
    assert len({event.id for event in events}) == 2
    assert isinstance(events[1], ToolStatus)
    assert (events[1].status, events[1].reason) == ("released", "guard_error")
    assert any(isinstance(event, ToolBlock) and event.executable for event in events)
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_a_fault_of_the_scanner_when_it_is_asked_is_met_when_it_is_fed(caplog: pytest.LogCaptureFixture) -> None:
    """What does not pass is fed: there the fault is told, and the text flows."""
    session = Guard(FILE_TOOLS).session("s")
    session._scanner.state = State.AHEAD  # no line begins there
    assert not session.try_pass("secret")
    assert caplog.text == ""
    assert list(session.feed("secret")) == ["secret"]
    assert "the guard failed" in caplog.text
    assert "secret" not in caplog.text
    assert session.try_pass(" and more")


def test_a_fault_at_the_end_of_a_stream_loses_no_text_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same promise in `end`."""

    def failing(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(FenceScanner, "_finish", failing)
    items = list(Guard(FILE_TOOLS).scan([f"a\n```json\n{CALL}"]))
    assert original(items) == f"a\n```json\n{CALL}"
    assert [item.status for item in items if isinstance(item, ToolStatus)][-1] == "released"


def test_a_fault_of_the_validation_fails_the_block(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Closed for tools."""

    def failing(*_: Any) -> None:
        raise RuntimeError("secret content")

    monkeypatch.setattr("stream_guard.judge.judge.validate", failing)
    (block,) = [item for item in Guard(FILE_TOOLS).scan(TEXT) if isinstance(item, ToolBlock)]
    assert not block.executable
    assert [issue.code for issue in block.issues] == ["guard_error"]
    assert block.raw == f"```json\n{CALL}\n```"
    assert "secret" not in caplog.text + str(block)


def test_one_guard_serves_many_threads() -> None:
    """It holds settings and nothing else."""
    guard = Guard(FILE_TOOLS)
    expected = merge_text(guard.scan(TEXT, stream_id="s"))
    wrong: list[Any] = []

    def work() -> None:
        for _ in range(50):
            got = merge_text(guard.scan(list(TEXT), stream_id="s"))
            if got != expected:
                wrong.append(got)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_session_with_a_corrector_hands_out_what_waits_for_it() -> None:
    """For those who bring their own loop: ask, answer, and the event is made."""
    guard = Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector())
    session = guard.session("s")
    (pending,) = [
        item for item in session.feed('```json\n{"tool": "remove_file", "path": "a"}\n```\n') if isinstance(item, Pending)
    ]
    begun = pending.begin(now=0.0)
    assert isinstance(begun, tuple)
    status, request = begun
    assert (status.status, status.attempt, status.id) == ("correcting", 1, "s-1")
    assert request.tools is FILE_TOOLS
    assert [issue.code for issue in request.issues] == ["invalid_tool"]
    delete = FILE_TOOLS.get("delete_file")
    assert delete is not None
    assert request.schema is delete.schema
    block = pending.answer(CALL, now=1.5)
    assert isinstance(block, ToolBlock)
    assert block.executable
    assert [(attempt.outcome, attempt.seconds) for attempt in block.attempts] == [("accepted", 1.5)]
    assert not any(isinstance(item, Pending) for item in guard.scan('```json\n{"tool": "rm", "path": "a"}\n```\n'))


@pytest.mark.parametrize(
    ("cause", "message"),
    [
        ("length", "The block was cut off at the token limit after 5 characters"),
        ("content_filter", "The block was cut off by a content filter after 5 characters"),
        ("error", "The block was cut off by an error after 5 characters"),
        ("disconnect", "The block was cut off after 5 characters"),
        ("oversize", "The block is longer than 1048576 characters"),
    ],
)
def test_a_block_that_was_cut_off_says_so_and_never_that_a_field_is_missing(cause: Any, message: str) -> None:
    """Whoever is told of a missing field will send the same call again."""
    guard = Guard(FILE_TOOLS)
    cut = Block("```json\n{....", "{....", cause, ambiguous=False, canonical=True)
    (block,) = guard.session("s", asks=False).events_of(Judging(guard.judge, cut))
    assert [issue.message for issue in block.issues] == [message]
    assert not block.executable
    assert block.end_cause == cause


def stopped(body: str, **settings: Any) -> ToolBlock:
    """The first block of a reply that the model ended behind this body."""
    items = Guard(FILE_TOOLS, **settings).scan([f"```json\n{body}", End("stop")])
    return next(item for item in items if isinstance(item, ToolBlock))


@pytest.mark.parametrize(
    "body",
    [
        '{"tool": "delete_file", "path": "a",}',
        "{'tool': 'delete_file', 'path': 'a'}",
        '{tool: "write_file", "path": "a", "content": "x"}',
        '{"tool": "write_file" "path": "a", "content": "x"}',
        '{"name": "delete_file", "arguments": {"path": "a"}}',
        '{"tool": "write_file", "path": "a", "content": "x = 1\ny = 2"}',
        '[{"tool": "delete_file", "path": "a"}, {"tool": "delete_file", "path": "b"}]',
    ],
)
def test_at_the_end_of_a_reply_that_stopped_a_call_is_mended_as_behind_a_fence(body: str) -> None:
    """As long as every reader would read the same syntax."""
    assert (stopped(body).executable, stopped(body).end_cause) == (True, "stop")
    assert not any(getattr(item, "executable", False) for item in Guard(FILE_TOOLS).scan([f"```json\n{body}"]))


@pytest.mark.parametrize("invented", [False, True])
@pytest.mark.parametrize(
    "body",
    [
        '{"tool": "delete_file", "path": "a"',
        '{"tool": "delete_file", "path": "a',
        '{"name": "delete_file", "arguments": {"path": "a"}',
        '[{"tool": "delete_file", "path": "a"}',
        '{"tool": "write_file", "path": "a", "content": "say "hi" {x}',
        '{"tool": "write_file", "path": "a.json", "content": "{"a": {"b": 1}}',
        '{"tool": "write_file", "path": "a", "content": "x}',
        '{"tool": "write_file", "path": "a", "content": "f(x) {\n}',
        "{'tool': 'write_file', 'path': 'a', 'content': 'f() { return }",
        '{"tool": "write_file", "path": "a", content: "f() {}',
        '{"tool": "write_file", "path": "a", "content": `x ${y}',
        '{"tool": "write_file", "path": "a", "content": """x {}',
        '{"tool": "write_file", "path": "a", "content": ["x" "y"}',
    ],
)
def test_at_the_end_of_a_reply_nothing_is_closed_that_was_left_open(body: str, invented: bool) -> None:
    """A finish reason says that the model ended its reply, and not that it ended its call."""
    for fixes in ("likely", "lossless", "spec"):
        block = stopped(body, fixes=fixes, run_invented=invented)
        assert not block.executable
        assert block.issues


def test_events_print_themselves_short() -> None:
    """Kind, name and size; not the content."""
    items = list(Guard(FILE_TOOLS).scan(TEXT, stream_id="s"))
    assert [str(item) for item in items if not isinstance(item, str)] == [
        "buffering s-1",
        "buffering s-1 delete_file",
        "buffering s-1 delete_file a",
        "validating s-1 delete_file a",
        "passed s-1 delete_file a (48 characters, closed)",
    ]


def test_a_session_tells_progress_passes_calm_text_and_takes_calls_found_elsewhere() -> None:
    """What the adapters build on: what may pass by, what is quiet, and blocks that came in no text."""
    session = Guard(FILE_TOOLS, progress=10, announce="tool").session("s")
    assert not session.try_pass("Hi")  # a reply may begin with words that open reasoning, and is read
    assert list(session.feed("Hi")) == ["Hi"]
    assert session.try_pass(" there")
    assert session.try_pass(".\nAnd then")
    assert session.try_pass(" more.\n")
    assert not session.try_pass(" ")
    assert list(session.feed(" ")) == [" "]
    assert not session.try_pass("a")  # its line began with a blank, and is read
    assert list(session.feed("a")) == ["a"]
    assert not session.try_pass(7)
    assert not session.try_pass("b\n```")
    assert not session.holding
    text = '\n```json\n{"tool": "write_file", "path": "a", "content": "'
    news = [*session.feed(text), *session.feed("x" * 30), *session.end()]
    told = [item for item in news if isinstance(item, ToolStatus)]
    assert [(item.status, item.received) for item in told] == [
        ("buffering", None), ("buffering", None), ("buffering", 48), ("buffering", 78), ("validating", None),
    ]  # fmt: skip
    quiet = Guard(FILE_TOOLS).session("s", quiet=True)
    assert list(quiet.feed(TEXT)) == ["Hi\n", "\nBye"]
    session = Guard(FILE_TOOLS).session("s")
    opened = session.open("delete_file")
    assert (opened.status, opened.tool_type, opened.id) == ("buffering", "delete_file", "s-1")
    (status, block) = session.close(Block.bare(CALL))
    assert isinstance(status, ToolStatus)
    assert isinstance(block, ToolBlock)
    assert (status.status, block.id, block.executable) == ("validating", "s-1", True)
    held = Guard(FILE_TOOLS).session("s")
    assert [item.status for item in held.feed("```json\n") if isinstance(item, ToolStatus)] == ["buffering"]
    assert held.holding


def test_a_block_that_is_announced_by_its_tool_is_not_told_of_before() -> None:
    """Progress of one that nobody heard of is nothing to tell; nor is its release."""
    session = Guard(FILE_TOOLS, progress=1, announce="tool").session("s")
    assert list(session.feed('```json\n{"name": "x", "scripts"')) == ['```json\n{"name": "x", "scripts"']
    session = Guard(FILE_TOOLS, announce="tool").session("s")
    assert list(session.feed('```json\n{"path": "a", ')) == []  # a path is no tool
    (status,) = session.feed('"tool": "delete_file"')
    assert isinstance(status, ToolStatus)
    assert (status.tool_type, status.path) == ("delete_file", "a")


@pytest.mark.parametrize("kind", [ValueError, asyncio.CancelledError])
def test_a_hook_that_fails_is_logged_and_breaks_nothing(kind: type[BaseException], caplog: pytest.LogCaptureFixture) -> None:
    """Also one that asks for the result of a future that was cancelled: that cancels nothing of ours."""

    def fails(_: Any) -> None:
        raise kind(CALL)

    guard = Guard(FILE_TOOLS, on_status=fails, on_block=fails)
    assert original(guard.scan(TEXT)) == TEXT
    assert f"a hook failed: {kind.__name__}" in caplog.text
    assert CALL not in caplog.text
    assert original(guard.observer().scan(TEXT)) == TEXT


def test_a_fix_that_fails_leaves_the_block_as_it_was(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Promise P9: nothing that asks the fixes ends in an exception, and the log says which step failed."""
    guard = Guard(FILE_TOOLS)

    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError(CALL)

    for step in ("tried", "understood", "is_whole", "faults_have_one_cause"):
        monkeypatch.setattr(guard.judge._engine, step, fails)
    block = guard.check("{'tool': 'delete_file', 'path': 'a'}")
    assert (block.executable, block.fixes) == (False, ())
    assert guard.judge.understood(CALL) is None
    open_end = Block(raw="{}", body="{}", end_cause="closed", ambiguous=False, canonical=False, open_end=True)
    assert not guard.judge.shows_its_end(open_end)
    assert guard.judge.faults_have_one_cause(CALL)
    assert [record.getMessage() for record in caplog.records] == [
        "the fixes failed to mend a block: RuntimeError",
        "the fixes failed to read the call of a block: RuntimeError",
        "the fixes failed to find the end of a block: RuntimeError",
        "the fixes failed to compare the faults of a block: RuntimeError",
    ]
    assert CALL not in caplog.text


def test_a_fence_that_may_stand_in_the_json_of_a_call_is_said() -> None:
    doubted = '```json\n{"tool": "write_file", "path": "a", "content": "abc\n```\nmore\n'
    (block,) = [item for item in Guard(FILE_TOOLS).scan(doubted) if isinstance(item, ToolBlock)]
    assert block.issues[0].code == "ambiguous_end"


async def test_a_guard_gives_a_stream() -> None:
    async def deltas() -> AsyncIterator[str]:
        yield TEXT

    assert original([item async for item in Guard(FILE_TOOLS).stream(deltas(), stream_id="s")]) == TEXT


def test_the_specifications_function_judges_a_text_with_one_block() -> None:
    """And says how many it found where it wants one."""
    good = validate_json_tool_block(f"```json\n{CALL}\n```")
    assert (good.is_valid, good.errors) == (True, [])
    for text, count in (("none here", "none"), (f"```json\n{CALL}\n```\n```json\n{CALL}\n```", "2")):
        assert validate_json_tool_block(text).errors == [f"Expected one ```json code block, found {count}"]


async def test_a_block_may_be_checked_aside() -> None:
    """With the same verdict, short and long."""
    guard = Guard(FILE_TOOLS)
    for body in (CALL, CALL[:-1], json.dumps({"tool": "write_file", "path": "a", "content": "x" * 100_000})):
        assert await guard.acheck(body) == guard.check(body)


def test_there_is_one_observer() -> None:
    """It is made when somebody asks, and once."""
    guard = Guard(FILE_TOOLS)
    assert guard.observer() is guard.observer()
    assert guard.observer().settings.fixes == "off"


async def yes(block: ToolBlock, tool: Tool) -> bool:
    return True


def no_hook(event: Any) -> None:
    pass


OTHER: dict[str, Any] = {
    "limits": Limits(max_calls=7),
    "languages": ("json", "tool"),
    "dialects": ("fence", "hermes"),
    "rewrite": "fence",
    "announce": "tool",
    "order": "flow",
    "untagged": "validate",
    "reasoning": "scan",
    "fixes": "spec",
    "run_invented": True,
    "mode": "shadow",
    "progress": 9,
    "preview": ("content",),
    "early": "abort",
    "approve": yes,
    "approval": ApprovalPolicy(timeout=3),
    "on_status": no_hook,
    "on_block": no_hook,
}
"""For each setting of a guard a value that is not its default."""


@pytest.mark.parametrize("name", [field.name for field in fields(Settings)])
def test_a_setting_is_in_every_place_that_lists_settings(name: str) -> None:
    """Each message names the place that was forgotten."""
    assert (name in guards._OBSERVED) != (name in guards._UNOBSERVED), f"{name}: put it in _OBSERVED or _UNOBSERVED of guard.py"
    assert f"        {name}: " in (Guard.__doc__ or ""), f"{name}: document it in `Args` of the docstring of Guard"
    if name == "tools":
        return
    assert name in OTHER, f"{name}: add a value that is not its default to OTHER in {__file__}"
    page = (Path(__file__).parents[2] / "docs" / "guard.md").read_text(encoding="utf-8").partition("\n## Settings\n")[2]
    rows = [line for line in page.partition("\n## ")[0].splitlines() if f"`{name}`" in line.split(" | ")[0]]
    assert rows, f"{name}: give it a row in the table of settings in docs/guard.md"

    guard, usual = Guard(FILE_TOOLS, **{name: OTHER[name]}), Guard(FILE_TOOLS)
    assert getattr(usual.settings, name) != OTHER[name], f"{name}: its value in OTHER is its default"
    assert getattr(guard.settings, name) == OTHER[name], f"{name}: pass it to Settings(...) in Guard.__init__"
    assert f"{name}={OTHER[name]!r}" in repr(guard)
    for like in (guard.with_tools(FILE_TOOLS), guard.with_hook(no_hook), guard.without_asking(), guard.without_abort()):
        left = name == "early" and like is guard.without_abort()
        left = left or (name == "on_block" and like is not guard) or (name == "approve" and like is guard.without_asking())
        assert left or getattr(like.settings, name) == OTHER[name], f"{name}: Guard._like leaves it out"
    if name in guards._OBSERVED:
        assert getattr(guard.observer().settings, name) == OTHER[name]
    elif name not in ("fixes", "early"):
        assert getattr(guard.observer().settings, name) == getattr(usual.settings, name)


def test_every_argument_of_a_guard_is_a_setting_or_about_its_corrector() -> None:
    given = set(inspect.signature(Guard).parameters)
    assert given - {field.name for field in fields(Settings)} == {"corrector", "correction"}


LOOP: dict[str, Any] = {
    "$defs": {"f": {"properties": {"l": {"$ref": "#/$defs/f"}}}},
    "type": "object",
    "properties": {"where": {"$ref": "#/$defs/f"}},
}


async def test_short_blocks_of_a_heavy_tool_are_judged_in_a_thread_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many of them in one delta are no single turn of the loop."""
    loop, threads = threading.get_ident(), list[int]()
    run = Judging.run

    def noted(judging: Judging) -> Any:
        threads.append(threading.get_ident())
        return run(judging)

    monkeypatch.setattr(Judging, "run", noted)
    text = '```json\n{"tool": "search", "where": {"l": 1}}\n```\n' * 20

    async def source() -> AsyncIterator[str]:
        yield text

    for schema, heavy in ((LOOP, True), ({"type": "object"}, False)):
        threads.clear()
        guard = Guard(Toolset(Tool("search", "", schema)))
        assert guard.tools.is_heavy is heavy
        blocks = [item async for item in guard.stream(source()) if isinstance(item, ToolBlock)]
        assert len(blocks) == 20
        assert all(block.executable for block in blocks)
        assert sum(ident != loop for ident in threads) == (20 if heavy else 0)


def test_what_a_body_that_is_no_json_needs_is_compiled_when_one_comes_or_when_a_server_starts() -> None:
    def compiled(guard: Guard) -> bool:
        return "_patterns" in vars(guard.tools.mentions)

    def made() -> Guard:
        return Guard(Toolset(Tool("search_all", "", {"properties": {"where": {}}})))

    guard = made()
    assert list(guard.scan(["Hi.\n"])) == ["Hi.\n"]
    assert not compiled(guard)
    list(guard.scan(["```json\nsearch_all(where=1)\n```\n"]))
    assert compiled(guard)
    guard = made()
    guard.preload()
    assert compiled(guard)


def test_one_word_for_a_fence_is_no_list_of_letters() -> None:
    """A text is iterable too."""
    assert Guard(FILE_TOOLS, languages="json").settings.languages == ("json",)
    assert Guard(FILE_TOOLS, languages="").settings.languages == ("",)
