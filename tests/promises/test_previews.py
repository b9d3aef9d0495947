"""The changes of a preview, in every dialect: joined they are the arguments of a valid call, or there are none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from random import Random
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stream_guard import End, Guard, Tool, ToolBlock, Toolset, ToolStatus
from stream_guard.dialects.table import Dialect
from stream_guard.dialects.tables import DIALECTS
from stream_guard.judge.settings import Early
from stream_guard.testing import by_char, every_split, random_splits
from stream_guard.values.preview import Preview, previewed
from tests.kit.breadth import some
from tests.kit.dialects import ALL, ANY_TOOL, CALLS, FILE, FIND, SMALL, TOOLS
from tests.kit.proof import Cases

each = pytest.mark.parametrize("dialect", [pytest.param(dialect, id=name) for name, dialect in ANY_TOOL.items()])
IN_JSON: Final = [name for name, dialect in DIALECTS.items() if '"content": "x"' in dialect.example]
"""The dialects whose arguments are JSON."""

GUARD: Final = Guard(TOOLS, dialects="all", preview=True)


def read(guard: Guard, deltas: Sequence[str | End]) -> Iterator[tuple[ToolBlock, list[Preview]]]:
    """The first call of each block in these deltas, with what was shown of it."""
    shown: dict[str, list[Preview]] = {}
    for item in guard.scan([*deltas, End("stop")]):
        if isinstance(item, ToolStatus):
            shown.setdefault(item.id, []).extend(item.preview or ())
        elif isinstance(item, ToolBlock) and item.part == 1:
            yield item, shown.get(item.id, [])


def arguments(block: ToolBlock) -> dict[str, Any]:
    return {key: value for key, value in (block.arguments or {}).items() if key != "tool"}


def same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


@pytest.mark.some
@each
@pytest.mark.promise("P1")
def test_joined_the_changes_are_the_arguments_of_a_valid_call(dialect: Dialect, cases: Cases) -> None:
    """At every cut (three dialects share those in two), of the first call of each block. Where arguments are no JSON nothing is
    shown.
    """
    for calls in CALLS.values():
        text = f"So:\n\n{dialect.write(calls)}\n\nDone.\n"
        pieces = [[text], list(by_char(text)), *map(list, random_splits(text, 3))]
        if calls == (SMALL,):
            pieces += map(list, islice(every_split(text), list(DIALECTS).index(dialect.name) % 3, None, 3))
        for deltas in some(pieces, 3):
            cases(1)
            for block, changes in read(GUARD, deltas):
                assert block.outcome == "valid"
                if dialect.name in IN_JSON:
                    assert same(previewed(changes), arguments(block)), deltas
                else:
                    assert changes == []


@each
def test_a_call_is_shown_while_it_is_written(dialect: Dialect) -> None:
    """Each piece of a text comes with its delta, not with the end of the call."""
    text = dialect.write([("write_file", {"path": "a.txt", "content": "one two three"})])
    deltas = list(by_char(text[: text.index("three")]))
    shown = [
        change.value
        for item in Guard(TOOLS, dialects=[dialect.name], preview="content").scan(deltas)
        if isinstance(item, ToolStatus)
        for change in item.preview or ()
        if change.op == "text"
    ]
    assert "".join(shown) == ("one two " if dialect.name in IN_JSON else "")


KEYS: Final = ("name", "tool", "function", "arguments", "input", "type", "id", "path", "content", "query", "limit", "é\n")
VALUES: Final = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from(["", "a", "find_notes", "write_file", "</tool_call>"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)),
    max_leaves=6,
)
ANYTHING: Final = Toolset(
    Tool("write_file", "", {"type": "object"}),
    Tool("find_notes", "", {"type": "object", "properties": {"name": {}, "input": {}, "query": {}}}),
    Tool(
        "list_all", "", {"type": "object", "properties": {"function": {}, "type": {}, "id": {}}, "additionalProperties": False}
    ),
)
ODD: Final = Guard(ANYTHING, dialects="all", preview=True)


@example(name="hermes", tool="list_all", held={}, beside={"type": None}, seed=0)
@example(name="hermes", tool="list_all", held={"function": 1}, beside={"type": None}, seed=3)
@example(name="hermes", tool="list_all", held={"id": 1, "function": "a"}, beside={}, seed=0)
@given(
    st.sampled_from(IN_JSON),
    st.sampled_from(["write_file", "find_notes", "list_all"]),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=2),
    st.integers(0, 999),
)
@pytest.mark.promise("P1")
def test_whatever_stands_in_the_arguments_or_beside_them(
    name: str, tool: str, held: Mapping[str, Any], beside: Mapping[str, Any], seed: int
) -> None:
    """Keys of envelopes as fields, and other keys beside the envelope: a call that is valid is shown right, or not at all."""
    rng = Random(seed)
    call = {**beside, rng.choice(("name", "tool", "tool_name", "function")): tool, rng.choice(("arguments", "input")): held}
    plain = {**beside, "tool": tool, **held}
    texts = [DIALECTS[name].write([(tool, held)])]
    texts += [
        text.replace('{"name": "list_all", "arguments": {}}', json.dumps(odd, ensure_ascii=seed % 2 == 0))
        for text in [DIALECTS[name].write([("list_all", {})])]
        for odd in (call, plain, dict(reversed(call.items())))
    ]
    for text in texts:
        for deltas in ([text], list(by_char(text))):
            for block, changes in read(ODD, deltas):
                if block.outcome == "valid":
                    assert same(previewed(changes), arguments(block)) or changes == [], text


SECRET: Final = "s3cr3t"
LOGIN: Final = Tool(
    "log_in",
    "Log in.",
    {
        "type": "object",
        "properties": {
            "user": {"type": "string"},
            "token": {"type": "string"},
            "input": {"type": "object", "properties": {"name": {"type": "string"}, "password": {"type": "string"}}},
        },
        "required": ["user"],
    },
    private={"token", "input.password"},
    field_aliases={"api_key": "token"},
)


EARLIES: Final[tuple[Early, ...]] = ("off", "announce", "abort")


@cache
def logging_in(early: Early) -> Guard:
    return Guard(Toolset(LOGIN), dialects="all", preview=True, progress=5, early=early)


@pytest.mark.some(60)
@each
@pytest.mark.parametrize(
    "held",
    [
        {"user": "x", "token": SECRET},
        {"token": [SECRET], "user": 3},
        {"user": "x", "api_key": SECRET},
        {"user": "x", "Token": SECRET},
        {"user": "x", "input": {"name": "y", "password": SECRET}},
        {"user": "x", "input": {"name": "y", "pass_word": SECRET}},
        {"input": {"user": "x", "token": SECRET}},
        {"arguments": {"user": "x", "token": SECRET}},
        {"input": SECRET, "user": "x"},
    ],
)
def test_a_private_field_is_in_no_status_and_no_hint(dialect: Dialect, held: dict[str, Any], cases: Cases) -> None:
    for early in EARLIES:
        guard = logging_in(early)
        text = dialect.write([("log_in", held)])
        for deltas in ([text], list(by_char(text)), [text[: text.rindex(SECRET) + len(SECRET)]]):
            cases(1)
            for item in guard.scan([*deltas, End("length" if len(deltas[0]) < len(text) else "stop")]):
                if isinstance(item, ToolStatus):
                    assert SECRET not in json.dumps(item.to_dict())
                elif isinstance(item, ToolBlock):
                    assert item.hint is None or SECRET not in json.dumps(item.to_dict()["hint"])


TEXT: Final = {"type": "string"}


@pytest.mark.parametrize("first", ["tool", "path"])
@pytest.mark.parametrize("known", ["log_in", "log-in", "unknown"])
@pytest.mark.parametrize(
    ("fields", "private", "aliases"),
    [
        ({"user": TEXT, "path": TEXT}, {"path"}, {}),
        ({"user": TEXT, "file": TEXT}, {"file"}, {"path": "file"}),
        ({"user": TEXT, "file": TEXT}, {"file"}, {}),
        ({"user": TEXT, "paths": TEXT}, {"paths"}, {}),
        ({"user": TEXT, "token": TEXT}, {"token"}, {}),
        ({"user": TEXT, "path": {"type": "object", "properties": {"token": TEXT}}}, {"path.token"}, {}),
        ({"user": TEXT, "token": TEXT, "path": {"type": "object"}}, {"token"}, {}),
    ],
)
def test_a_path_that_may_be_private_is_in_no_status(
    fields: dict[str, Any], private: set[str], aliases: dict[str, str], known: str, first: str
) -> None:
    """It is that of a private field, of none of the schema, or stands where something else is expected."""
    schema = {"type": "object", "properties": fields, "required": ["user"]}
    tool = Tool("log_in", "Log in.", schema, private=private, field_aliases=aliases)
    guard = Guard(Toolset(tool), preview=True, progress=5)
    call = {"tool": known, "path": SECRET, "user": "x"}
    text = f"```json\n{json.dumps({first: call[first], **call})}\n```\n"
    for deltas in ([text], list(by_char(text))):
        statuses = [item for item in guard.scan(deltas) if isinstance(item, ToolStatus)]
        assert not any(SECRET in json.dumps(status.to_dict()) for status in statuses)


def test_a_path_that_is_public_is_in_each_status_that_knows_it() -> None:
    schema = {"type": "object", "properties": {"path": TEXT, "token": TEXT}, "required": ["path"]}
    guard = Guard(Toolset(Tool("store", "Store.", schema, private={"token"})))
    text = '```json\n{"tool": "store", "path": "a.txt", "token": "x"}\n```\n'
    assert [item.path for item in guard.scan([text]) if isinstance(item, ToolStatus)][-1] == "a.txt"


def test_what_waits_behind_a_call_with_raw_values_is_not_shown() -> None:
    """It would be shown when it has ended, with all else that waited."""
    raw, other = DIALECTS["qwen3_coder"].write([SMALL]), DIALECTS["hermes"].write([FILE])
    first, second = read(GUARD, list(by_char(f"{raw}\n{other}\n")))
    assert [block.tool for block, _ in (first, second)] == ["write_file", "write_file"]
    assert (first[1], second[1]) == ([], [])


def test_a_preview_does_not_change_what_is_said_of_a_call() -> None:
    for dialect in ANY_TOOL.values():
        text = f"{dialect.write([FIND])}\n{dialect.write([ALL])}\n"
        for deltas in ([text], list(by_char(text))):
            plain = [(block.raw, block.outcome, block.arguments) for block, _ in read(Guard(TOOLS, dialects="all"), deltas)]
            assert [(block.raw, block.outcome, block.arguments) for block, _ in read(GUARD, deltas)] == plain
