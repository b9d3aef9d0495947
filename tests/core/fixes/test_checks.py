"""Why a block that was mended is refused: each check has a block that it refuses, and says so."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from stream_guard import Guard, Limits, Risk, Tool, Toolset
from stream_guard.fixes.checks import CHECKS
from stream_guard.fixes.engine import Engine
from tests.kit.checks import have_reasons

_TEXT: Any = {"type": "string"}
_TEXTS: Any = {"type": "array", "items": _TEXT}
_COUNT: Any = {"type": "integer"}


def _closed(**fields: Any) -> dict[str, Any]:
    return {"type": "object", "properties": fields, "additionalProperties": False}


SAVE = _closed(
    text=_TEXT, note=_TEXT, name=_TEXT, days=_COUNT, user_id=_TEXT, meta=_closed(by=_TEXT), any={"type": ["object", "array"]}
)
FIND = {"type": "object", "properties": {"title": _TEXT, "filters": {"properties": {"kind": _TEXT, "least": _COUNT}}}}
DROP = _closed(what=_TEXT, why=_TEXT, days=_COUNT, tags=_TEXTS)
TOOLS = Toolset(Tool("save", "", SAVE), Tool("find", "", FIND), Tool("drop", "", DROP, risk=Risk.DESTRUCTIVE))

REFUSED = {
    "level": '{"tool": "save", "days": "3"}',
    "excluding_fixes": '{{"tool": "save", "text": "One.\nTwo."}}',
    "last_brace": '{{"tool": "drop", "what": "x"}',
    "lost_types": '[{"tool": "save", "days": "3"}, {"tool": "find", "title": "b", "size": "4"}]',
    "swallowed_field": '{"tool": "save", "text": "a "note" b"}',
    "single_backslash": '{"tool": "save", "user_id": "a\\new",}',
    "template": '{"tool": "save", "text": "string", "name": "string",}',
    "misplaced_member": '{"tool": "save", "text": "a long author"}}',
    "lost_key": '{"tool": "drop", "what": : "x"}',
    "escaped_break": '{\\n\\"tool\\": \\"drop\\", \\"what\\": \\"One.\\\\nTwo.\\"}',
    "empty_list": '["tool": "save", "any": [], "text": "a"]',
    "open_object": '{"tool": "find", "title": "a", "filters": {"kind": "x"}},',
    "rest_of_a_text": '{"tool": "find", "title": "say "hi" now", "more": "x"}',
    "list_without_end": '{"tool": "find", "more": ("x")}',
    "early_brace": '{"tool": "find", "filters": {"kind": "x"}"least": 3}',
    "sign_of_a_layer": '{"tool": "save", "text": "print(“hi”)",}',
    "one_cause": '{"tool": "save", "days": "3", "text": 4}',
    "cut_by_a_break": '{"tool": "drop", "why": "One.\nTwo."}',
    "assumed_value": '{"tool": "drop", "what": "x", "days": "3"}',
    "half_closed": '{{"tool": "drop", "what": "x", "why": "y", "days": 1, "tags": []}',
    "lost_digits": '{"tool": "drop", "days": 3 "what": "x"}',
    "lost_member": '{"tool": "drop", "what": "x", "what": "x"}',
    "lost_item": '{"tool": "drop", "what": "x", "tags": ["a", ]}',
}
"""For each check, in their order, a block that it is the first to refuse."""


@pytest.mark.parametrize("name", REFUSED)
def test_a_block_is_refused_by_the_first_check_that_applies(name: str) -> None:
    tried = Engine(TOOLS, Limits(), "lossless" if name == "level" else "likely").tried(REFUSED[name], fenced=True)
    assert tried.mended == ()
    assert tried.refused is not None
    assert tried.refused.name == name


def test_every_check_has_a_name_of_its_own_a_reason_and_a_block_that_it_refuses() -> None:
    have_reasons(CHECKS, REFUSED)


def test_no_check_is_named_where_the_block_is_mended_or_no_call_of_it_passed() -> None:
    engine = Engine(TOOLS, Limits(), "likely")
    mended = engine.tried('{"tool": "save", "text": "a",}', fenced=True)
    assert (len(mended.mended), mended.refused) == (1, None)
    for body in ('{"tool": "save", "day": "a",}', '{"tool": "save", "text": "a', "no call"):
        assert engine.tried(body, fenced=True)[0] == ()
        assert engine.tried(body, fenced=True).refused is None


def test_the_log_says_why_and_nothing_of_the_block(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="stream_guard"):
        block = Guard(TOOLS).check('{"tool": "drop", "days": 33 "what": "secret"}')
    assert block.outcome == "failed"
    (record,) = caplog.records
    assert record.getMessage().startswith(
        "a block that was mended is refused (lost_digits): The tool is destructive, and a comma"
    )
    assert "secret" not in record.getMessage()
