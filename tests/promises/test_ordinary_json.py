"""Is it a call at all? Ordinary JSON in replies flows on as it was written, and every form of a call is held."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from functools import cache
from itertools import islice
from typing import Any, get_args

import pytest
from stream_guard_conformance.corpus.ordinary import KINDS, NOT_JSON, ordinary

from stream_guard import End, Guard, StreamEnd, ToolBlock, ToolStatus
from stream_guard.testing import by_char, every_split, original
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.more_ordinary import MORE_KINDS, SAYS_TOOL
from tests.kit.real_calls import real_calls

GUARD = Guard(FILE_TOOLS)
ANY_FENCE = Guard(FILE_TOOLS, languages=("json", ""))


STEP = int(os.environ.get("STEP", "100"))
"""Of the cuts in two, one of so many is tried; all under `make prove`."""


def fenced(body: str) -> str:
    return f"So:\n\n```json\n{body}\n```\nDone.\n"


def blocks(items: list[Any]) -> list[ToolBlock]:
    return [item for item in items if isinstance(item, ToolBlock)]


@pytest.mark.promise("P2", "P7")
@pytest.mark.parametrize("kind", [*KINDS, *NOT_JSON])
def test_ordinary_json_flows_on_at_any_cut(kind: str, cases: Any) -> None:
    """No block comes of it, and its text is as it was."""
    for nth, body in enumerate(body for other, body in ordinary() if other == kind):
        text = fenced(body)
        for chunks in ([text], by_char(text), *islice(every_split(text), nth % STEP, None, STEP)):
            items = [*GUARD.scan(chunks)]
            assert not blocks(items), body
            assert "".join(item for item in items if isinstance(item, str)) == text
            cases(1)


@pytest.mark.some
@pytest.mark.promise("P2", "P7")
@pytest.mark.parametrize("start", ["So:\n\n```json\n", "So:\n\n```\n", "So: ```json\n", "So: ```\n", "So: ```"])
def test_ordinary_json_flows_on_in_every_kind_of_fence(start: str, cases: Any) -> None:
    """Of no language, behind prose, and without a closer in a reply that stopped; and a call behind it is a call."""
    call = '```json\n{"tool": "delete_file", "path": "a"}\n```\n'
    for _, body in some(ordinary(), 40):
        if start.startswith("So: ") and body[0] not in "{[":
            continue  # behind prose there is no telling a fence around it from prose that speaks of fences
        for text in (f"{start}{body}\n```\n\n{call}", f"{start}{body}\n"):
            for chunks in ([text], by_char(text)):
                items = [*ANY_FENCE.scan([*chunks, End("stop")])]
                assert [block.raw for block in blocks(items)] == [call.rstrip()] * text.endswith(call), body
                assert original(items) == text
                cases(1)


@pytest.mark.promise("P2", "P7")
@pytest.mark.parametrize("kind", MORE_KINDS)
def test_kinds_that_no_code_was_written_for_flow_on(kind: str, cases: Any) -> None:
    """Each in one line and in several, in every fence that may hold a call."""
    value = MORE_KINDS[kind]
    for body in (value,) if isinstance(value, str) else (json.dumps(value), json.dumps(value, indent=2)):
        for text in (fenced(body), fenced(body).replace("```json", "```")):
            for chunks in ([text], by_char(text), *islice(every_split(text), 3, None, 10 * STEP)):
                items = [*ANY_FENCE.scan([*chunks, End("stop")])]
                assert not blocks(items), body
                assert original(items) == text
                cases(1)


@pytest.mark.promise("P7")
def test_data_with_a_key_that_says_tool_is_a_call_with_mistakes(cases: Any) -> None:
    """It is held, and told of with a hint; it never runs, and its text is whole."""
    for value in SAYS_TOOL:
        text = fenced(json.dumps(value))
        items = [*GUARD.scan([text])]
        (block,) = blocks(items)
        assert not block.executable
        assert block.hint is not None
        assert original(items) == text
        cases(1)


@cache
def runs_plainly(body: str) -> bool:
    """Whether a body runs in a fence with the plain closer."""
    (plain,) = {block.executable for block in blocks([*GUARD.scan([fenced(body)])])}
    return plain


def _is_json(call: tuple[str, str]) -> bool:
    try:
        json.loads(call[1])
    except ValueError:
        return False
    return True


@pytest.mark.some
@pytest.mark.promise("P1", "P7")
@pytest.mark.parametrize("closer", ["\n``", "\n~~~", "\n        ```", "\n``` Done.", "```<|im_end|>"])
def test_every_form_of_a_call_ends_at_each_closer_as_at_the_plain_one(closer: str, cases: Any) -> None:
    """With the same verdict, and the text behind it as it was."""
    for _, body in some(filter(_is_json, real_calls()), 50):
        plain = runs_plainly(body)
        text = f"So:\n\n```json\n{body}{closer}\nDone.\n"
        for chunks in ([text], by_char(text)):
            items = [*GUARD.scan(chunks)]
            assert {block.executable for block in blocks(items)} == {plain}, body
            assert original(items) == text
            cases(1)


@pytest.mark.some
@pytest.mark.promise("P7")
def test_every_form_of_a_call_without_a_closer_runs_by_its_finish_reason_only(cases: Any) -> None:
    """With `stop` as behind a closer; with any other reason, or cut off by one character, never."""
    for _, body in some(filter(_is_json, real_calls()), 200, kind=lambda call: call[0]):
        plain = runs_plainly(body)
        text = f"So:\n\n```json\n{body}"
        for cause in get_args(StreamEnd):
            runs = {block.executable for block in blocks([*GUARD.scan([text, End(cause)])])}
            assert runs == {plain and cause == "stop"}, (body, cause)
            assert not any(block.executable for block in blocks([*GUARD.scan([text[:-1], End(cause)])])), (body, cause)
            cases(2)


def test_it_is_released_with_one_reason_and_in_time() -> None:
    """However it is cut; and the longest that is held of an example with a key of its own is what stands before it."""
    for _, body in ordinary():
        text = fenced(body)
        said = {
            tuple(item.reason for item in GUARD.scan(chunks) if isinstance(item, ToolStatus) and item.status == "released")
            for chunks in ([text], by_char(text))
        }
        assert len(said) == 1
        assert len(said.pop()) == 1


@pytest.mark.promise("P7")
def test_every_form_of_a_call_is_held(cases: Any) -> None:
    """Each alias, envelope and spelling that the docs name."""
    missed = defaultdict(list)
    for form, body in real_calls():
        text = fenced(body)
        for chunks in ([text], by_char(text)):
            items = [*GUARD.scan(chunks)]
            if not blocks(items):
                missed[form].append(body)
            cases(1)
    assert not missed


def test_there_are_enough_of_them() -> None:
    """As many kinds and examples as the promise is made of."""
    assert len(KINDS) >= 60
    assert len({body for _, body in ordinary()}) >= 300
    assert len(MORE_KINDS.keys() - KINDS.keys()) >= 40
    assert len({body for _, body in real_calls()}) >= 200
