"""A stream may change the member that has its text. Clients of one do not read the other: each leaves where it came."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import PROTOCOLS

from stream_guard import End, Guard, ToolBlock
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.proof import Cases

GUARD: Final = Guard(FILE_TOOLS)
VALID: Final = '```json\n{"tool": "delete_file", "path": "b"}\n```\n'
TEXTS: Final = ("Hi\n``", "``", "zz", "`", f"a\n{VALID}", VALID[:12], VALID[12:], "one\n")


def _chat(form: str, text: str) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, **({"text": text} if form == "text" else {"delta": {"content": text}})}]}


def _ollama(form: str, text: str) -> dict[str, Any]:
    return {"model": "m", "done": False, **({"response": text} if form == "response" else {"message": {"content": text}})}


def _parts(event: dict[str, Any]) -> list[tuple[str, str]]:
    """Each text of an event, with the member that it is in."""
    if "done" in event:
        return [("message", event["message"]["content"])] if "message" in event else [("response", event["response"])]
    return [
        ("delta", one["delta"].get("content") or "") if one.get("delta") is not None else ("text", one["text"])
        for one in event["choices"]
    ]


FORMS: Final[dict[str, tuple[Callable[[str, str], dict[str, Any]], tuple[str, str]]]] = {
    "openai-chat": (_chat, ("delta", "text")),
    "ollama": (_ollama, ("message", "response")),
}


def left(events: list[dict[str, Any]], protocol: str) -> list[Any]:
    lanes = Lanes(GUARD, PROTOCOLS[protocol], Settings(blocks="text"))
    out: list[Any] = []
    for event in events:
        out += [event] if lanes.try_pass(event) else lanes.feed(event)
    return [*out, *lanes.feed(End("stop")), *lanes.end()]


def told(events: list[Any], form: str) -> str:
    """What a client reads that knows this form."""
    return "".join(text for event in events if isinstance(event, dict) for one, text in _parts(event) if one == form)


@pytest.mark.some
@pytest.mark.parametrize("protocol", FORMS)
def test_each_client_reads_the_text_of_its_own_form(protocol: str, cases: Cases) -> None:
    make, forms = FORMS[protocol]
    tried = some([*product(product(forms, repeat=3), product(TEXTS, repeat=3))], 400, kind=lambda one: one[0])
    for order, texts in tried:
        events = [make(form, text) for form, text in zip(order, texts, strict=True)]
        out = left(events, protocol)
        for form in forms:
            assert told(out, form) == told(events, form), events
    cases(len(tried))


@pytest.mark.parametrize("protocol", FORMS)
def test_no_call_is_made_of_two_forms(protocol: str) -> None:
    """No client reads it whole."""
    make, (one, other) = FORMS[protocol]
    for at in range(1, len(VALID) - 1):
        out = left([make(one, VALID[:at]), make(other, VALID[at:])], protocol)
        assert not any(item.executable for item in out if isinstance(item, ToolBlock)), at
