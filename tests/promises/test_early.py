"""The early verdict: a block that is reported as `failing` never becomes executable, whatever follows and whatever is fixed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, Final

import pytest
from stream_guard_conformance import KINDS, TOOLSETS, make, prefixes
from stream_guard_conformance.calls import make_call
from stream_guard_conformance.cases import sound
from stream_guard_conformance.render import joined
from stream_guard_conformance.run import guarded
from stream_guard_conformance.sources import own
from stream_guard_conformance.toolsets import Toolset as Drawn

from stream_guard import End, Guard, ToolBlock, Toolset, ToolStatus
from stream_guard.testing import by_char, random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.corpora.score import guards as corpora_guards
from tests.corpora.score import rows
from tests.kit.proof import Cases

BLOCKS: Final = int(os.environ.get("EARLY", "120"))
"""How many valid blocks, blocks with faults and blocks with other values are tried; more under `make more` and `make prove`."""

FEW: Final = min(BLOCKS // 25, 100)
"""How many blocks are read at many cuts."""

SEED: Final = int(os.environ.get("SEED", "1"))
PARTS: Final = 5

parts = pytest.mark.parametrize("part", range(PARTS))

VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 3.5, 1e9, "", "x", "null", "None", "true", "False", "on", "0", "3", "3.50", "1.250",
    "2026-02-30",
    "2026-11-23", "2026-11-23 10:00", "2026-11-23T00:00:00Z", "a@example.com", "a@example.com, b@example.com", "/etc/passwd",
    "../x", "C:\\temp\\new.txt", "build\temp.txt", "a\nb", [], ["x"], [1], [[]], ["a", "b"], [1, 2], {}, {"value": 3},
    {"value": "x"}, {"type": "string", "value": "x"}, {"email": "a@example.com"}, {"a": 1}, "[1, 2]", '["a"]', "{}",
    '{"a": 1}', '", "path": "b.txt', 'say "hi", then', [{}], [None],
)  # fmt: skip
"""Values that stand in place of right ones: many are of another type, and some of these are mended."""


STRANGE: Final = (
    "paths", "mode", "encoding", "note", "overwrite", "content", "file", "filePath", "text", "name", "id", "reason",
    "arguments", "input", "body", "old", "new", "street", "lines", "x", "a b", "é", "", "$schema", "_meta", "options",
    "create", "contents",
)  # fmt: skip
"""Keys of which most are no field of a tool; some are other names of one, or stand beside calls."""


@cache
def early(name: str) -> Guard:
    toolset = next(toolset for toolset in TOOLSETS if toolset.name == name)
    return Guard(guarded(toolset), early="announce")


def read(guard: Guard, deltas: list[Any]) -> list[tuple[ToolBlock, bool]]:
    """The blocks of a reply, each with whether it was reported as failing."""
    failing: set[str] = set()
    found = []
    for item in guard.scan(deltas):
        if isinstance(item, ToolStatus) and item.status == "failing":
            failing.add(item.id)
        elif isinstance(item, ToolBlock):
            found.append((item, item.id in failing))
    return found


def alarms(guard: Guard, *texts: str) -> list[str]:
    """The texts in which a block was reported as failing that is executable."""
    return [text for text in texts if any(block.executable and failed for block, failed in read(guard, [text]))]


def numbers(part: int) -> range:
    return range(part, BLOCKS, PARTS)


@parts
@pytest.mark.more
@pytest.mark.promise("P7")
def test_no_valid_block_is_failing(part: int, cases: Cases) -> None:
    """A verdict is taken at characters and not at deltas: what is reported of the whole text is all that is at any cut."""
    sources = own()
    for number in numbers(part):
        rng = Random(f"early:{SEED}:{number}")
        toolset = rng.choice(TOOLSETS)
        _, _, tokens = sound(toolset, sources, rng, rng.choice((60, 400)))
        text = f"Now this.\n\n```json\n{joined(tokens)}\n```\n"
        assert alarms(early(toolset.name), text) == []
        if number % 50 == 0:
            assert read(early(toolset.name), list(by_char(text))) is not None
        cases(1)


@parts
@pytest.mark.more
@pytest.mark.promise("P7")
def test_no_block_with_faults_is_failing_that_mending_makes_right(part: int, cases: Cases) -> None:
    for number in numbers(part):
        case = make(number, SEED, 1 + number // len(KINDS) % 2)
        assert alarms(early(case.toolset.name), case.text) == []
        cases(1)


def changed(toolset: Drawn, rng: Random) -> tuple[str, str]:
    """A call with other values in some of its fields, in another order; and its tool's name."""
    call = make_call(toolset, own(), rng, rng.choice((30, 100)))
    arguments = dict(call.arguments)
    for key in rng.sample(sorted(arguments), min(len(arguments), rng.choice((1, 1, 2)))):
        held = arguments[key]
        if isinstance(held, dict) and held and rng.random() < 0.7:
            arguments[key] = {**held, rng.choice(sorted(held)): rng.choice(VALUES)}
        elif isinstance(held, str) and rng.random() < 0.3:
            arguments[key] = rng.choice((held.upper(), held.title(), f" {held}", f"{held}x", [held], {"value": held}))
        else:
            arguments[key] = rng.choice(VALUES)
    if rng.random() < 0.3:
        arguments[rng.choice(STRANGE)] = rng.choice(VALUES)
    order = list(arguments)
    rng.shuffle(order)
    return json.dumps({"tool": call.tool, **{key: arguments[key] for key in order}}, ensure_ascii=rng.random() < 0.5), call.tool


def spoilt(body: str, rng: Random) -> str:
    """The body with a few characters left out, doubled or unescaped, as models spoil them."""
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(body))
        match rng.randrange(5):
            case 0:
                body = body[:at] + body[at + 1 :]
            case 1:
                body = body[:at] + body[at] + body[at:]
            case 2:
                body = body.replace('\\"', '"', 1)
            case 3:
                body = body[:at] + rng.choice('{}[]",:\\n/') + body[at:]
            case _:
                body = body.replace('"', rng.choice(("'", "“")), rng.choice((2, 4)))
    return body


@parts
@pytest.mark.more
@pytest.mark.promise("P7")
def test_no_block_with_other_values_is_failing_that_mending_makes_right(part: int, cases: Cases) -> None:
    failing = 0
    for number in numbers(part):
        rng = Random(f"values:{SEED}:{number}")
        toolset = rng.choice(TOOLSETS)
        body, _ = changed(toolset, rng)
        texts = [f"```json\n{one}\n```\n" for one in (body, spoilt(body, rng))]
        assert alarms(early(toolset.name), *texts) == []
        failing += any(failed for _, failed in read(early(toolset.name), texts[:1]))
        cases(2)
    assert failing > BLOCKS / PARTS / 10  # it is reported where it can be


def endings(toolset: Drawn, body: str, rng: Random) -> Iterator[str]:
    """What may follow the beginning of a body: the ends of other calls, at any place in them, and a new call."""
    other = make_call(toolset, own(), rng, 60)
    whole = json.dumps({"tool": other.tool, **other.arguments}, ensure_ascii=False)
    again = json.dumps(other.arguments, ensure_ascii=False)[1:]
    cut = rng.randrange(len(whole))
    yield whole[cut:]
    yield f'x", {again}'
    yield f"0, {again}"
    yield f"0}}\n```\n\nNo, rather:\n\n```json\n{whole}\n```\n"
    yield f"0}}\n{whole}"
    yield f"null, {again[rng.randrange(len(again)) :]}"


@parts
@pytest.mark.more
@pytest.mark.promise("P7")
def test_nothing_that_follows_makes_a_failing_block_executable(part: int, cases: Cases) -> None:
    """The beginning of a block that is failing, with the ends of other calls behind it."""
    tried = 0
    for number in numbers(part):
        rng = Random(f"ends:{SEED}:{number}")
        toolset = rng.choice(TOOLSETS)
        body, _ = changed(toolset, rng)
        guard = early(toolset.name)
        found = cut_short(toolset.name, f"```json\n{body}\n```\n")
        if found is None:
            continue
        tried += 1
        for more in endings(toolset, body, rng):
            text = f"{found}{more}\n```\n"
            first, _ = read(guard, [text])[0]
            assert not first.executable, text
            cases(1)
    assert tried > BLOCKS / PARTS / 10


@cache
def aborting(name: str) -> Guard:
    return Guard(early(name).tools, early="abort")


def cut_short(name: str, text: str) -> str | None:
    """The beginning of a reply up to where a block was aborted; None if none was."""
    for item in aborting(name).scan([text]):
        if isinstance(item, ToolBlock) and item.end_cause == "aborted":
            return item.raw
    return None


@pytest.mark.promise("P7")
def test_no_row_of_the_corpora_is_failing_that_comes_out_right(cases: Cases) -> None:
    guards = {name: Guard(guard.tools, early="announce") for name, guard in corpora_guards().items()}
    for row in rows("broken_replies.jsonl"):
        found = read(guards[row["tool"]], [row["text"], End(row["ended"])])
        assert not any(block.executable and failed for block, failed in found), row["text"]
        cases(1)


@pytest.mark.promise("P1")
def test_an_abort_does_not_depend_on_how_the_text_is_cut(cases: Cases) -> None:
    """Aborted or not, the same events come, at every split and by character; the raw text ends at the same character."""
    rng = Random(SEED)
    for _ in range(FEW):
        toolset = rng.choice(TOOLSETS)
        body, _ = changed(toolset, rng)
        text = f"So:\n```json\n{body[:300]}\n```\nEnd.\n"
        guard = aborting(toolset.name)
        whole = told(guard, [text])
        assert told(guard, list(by_char(text))) == whole
        for at in range(0, len(text), 3):
            assert told(guard, [text[:at], text[at:]]) == whole
        cases(len(text) // 3)


@pytest.mark.promise("P1")
def test_a_preview_does_not_change_where_a_block_is_aborted(cases: Cases) -> None:
    rng = Random(SEED)
    for _ in range(FEW):
        toolset = rng.choice(TOOLSETS)
        body, _ = changed(toolset, rng)
        text = f"So:\n```json\n{body[:600]}\n```\nEnd.\n"
        plain = aborting(toolset.name)
        shown = Guard(plain.tools, early="abort", preview=True)
        whole = [block.to_dict() for block, _ in read(plain, [text])]
        for deltas in ([text], list(by_char(text)), *map(list, random_splits(text, 3))):
            found = [block.to_dict() for block, _ in read(shown, deltas)]
            assert [(block["raw"], block["endCause"]) for block in found] == [(one["raw"], one["endCause"]) for one in whole]
            cases(1)


def told(guard: Guard, deltas: list[str]) -> list[Any]:
    """The prose, joined, and the events without their numbers and without progress."""
    items: list[Any] = []
    for item in guard.scan(deltas, stream_id="s"):
        if not isinstance(item, str):
            items.append({key: value for key, value in item.to_dict().items() if key != "seq"})
        elif items and isinstance(items[-1], str):
            items[-1] += item
        else:
            items.append(item)
    return items


def test_every_prefix_of_a_call_is_read_without_an_alarm(cases: Cases) -> None:
    for prefix in prefixes(20, SEED, longest=200):
        assert alarms(early(prefix.toolset.name), prefix.text) == []
        cases(1)


ENUM: Final = Toolset.of(
    {
        "name": "set_mode",
        "input_schema": {
            "type": "object",
            "properties": {"mode": {"enum": ["fast", "slow"]}, "note": {"type": "string"}},
            "required": ["mode", "note"],
            "additionalProperties": False,
        },
    }
)


def test_a_failing_block_says_why_while_it_is_written() -> None:
    items = list(
        Guard(ENUM, early="announce").scan(by_char('```json\n{"tool": "set_mode", "mode": "fats!", "note": "abc"}\n```'))
    )
    first = next(item for item in items if isinstance(item, ToolStatus) and item.status == "failing")
    assert [issue.pointer for issue in first.issues or ()] == ["/mode"]
    assert first.seq < next(item.seq for item in items if isinstance(item, ToolStatus) and item.status == "validating")
    block = items[-1]
    assert isinstance(block, ToolBlock)
    assert (block.end_cause, block.executable) == ("closed", False)


@pytest.mark.parametrize(("key", "fails"), [("lines", True), ("file_path", False), ("contents", False), ("explanation", False)])
def test_a_field_that_the_tool_does_not_have_fails_the_block_unless_a_fix_may_take_it(key: str, fails: bool) -> None:
    """For the name of another field, or for a remark."""
    body = json.dumps({"tool": "write_file", key: "x", "path": "a.txt", "content": "x"})
    ((block, failed),) = read(Guard(FILE_TOOLS, early="announce"), [f"```json\n{body}\n```\n"])
    assert failed == fails
    assert not (failed and block.executable)


def test_an_aborted_block_has_the_hint_for_the_value_and_ends_the_text() -> None:
    text = '```json\n{"tool": "write_file", "path": "/etc/passwd", "content": "abc"}\n```\nmore'
    *_, block = Guard(FILE_TOOLS, early="abort").scan(by_char(text))
    assert isinstance(block, ToolBlock)
    assert block.end_cause == "aborted"
    assert text.startswith(block.raw)
    assert block.raw.endswith('"content":')
    assert block.hint is not None
    assert block.hint.problem == '"path" must be relative'
    assert not block.executable


@pytest.mark.parametrize("quoted", ["```py\nx\n```\n", "```\n", "a\n```py\n", "~~~\n```\nx\n", "```json\n{}\n```\nx\n```\n"])
@pytest.mark.promise("P1")
def test_a_verdict_behind_a_fence_in_an_open_string_ends_the_block(
    quoted: str, caplog: pytest.LogCaptureFixture, cases: Cases
) -> None:
    """The text is read ahead there, to see where the block ends; the key that decides comes behind."""
    text = f'So:\n```json\n{{"path": "/d.txt", "content": "{quoted}", "tool": "write_file"}}\n```\nmore\n'
    guard = Guard(FILE_TOOLS, early="abort")
    whole = told(guard, [text])
    for at in range(1, len(text)):
        assert told(guard, [text[:at], text[at:]]) == whole
    assert told(guard, list(by_char(text))) == whole
    ((block, _),) = read(guard, [text])
    assert not block.executable
    assert "the guard failed" not in caplog.text
    cases(len(text))


def test_a_block_that_repeats_itself_is_no_failing_one_where_nothing_is_aborted() -> None:
    rows = json.dumps({"tool": "write_file", "path": "a.csv", "content": "0,0,0,0\n" * 3_000})
    text = f"```json\n{rows}\n```\n"
    ((block, failed),) = read(Guard(FILE_TOOLS, early="announce"), [text])
    assert (block.executable, failed) == (True, False)


def test_a_block_that_repeats_itself_is_aborted() -> None:
    text = '```json\n{"tool": "write_file", "path": "a.txt", "content": "' + "na " * 20_000 + '"}\n```'
    *_, block = Guard(FILE_TOOLS, early="abort").scan([text])
    assert isinstance(block, ToolBlock)
    assert [issue.code for issue in block.issues] == ["repetition"]
    assert len(block.raw) < 20_000
    assert [issue.code for issue in list(Guard(FILE_TOOLS, early="abort").scan(by_char(text)))[-1].issues] == ["repetition"]  # type: ignore[union-attr]
