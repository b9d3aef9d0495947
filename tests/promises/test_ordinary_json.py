"""Is it a call at all? Ordinary JSON in replies flows on as it was written, and every form of a call is held."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import by_char, every_split
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.ordinary import KINDS, NOT_JSON, ordinary, real_calls

GUARD = Guard(FILE_TOOLS)


def fenced(body: str) -> str:
    return f"So:\n\n```json\n{body}\n```\nDone.\n"


def blocks(items: list[Any]) -> list[ToolBlock]:
    return [item for item in items if isinstance(item, ToolBlock)]


@pytest.mark.promise("P2", "P7")
@pytest.mark.parametrize("kind", [*KINDS, *NOT_JSON])
def test_ordinary_json_flows_on_at_any_cut(kind: str, cases: Any) -> None:
    """No block comes of it, and its text is as it was."""
    for body in [body for other, body in ordinary() if other == kind]:
        text = fenced(body)
        for chunks in ([text], by_char(text), *every_split(text)):
            items = [*GUARD.scan(chunks)]
            assert not blocks(items), body
            assert "".join(item for item in items if isinstance(item, str)) == text
            cases(1)


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
    assert len({body for _, body in real_calls()}) >= 200
