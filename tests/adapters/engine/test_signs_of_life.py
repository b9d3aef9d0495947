"""Whatever is held, its client can be given a sign of life: also while only the beginning of a block has come."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import PROTOCOLS
from stream_guard_conformance.corpus.streams import STREAMS

from stream_guard import Guard
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.proof import Cases

GUARDS: Final = {"fences": Guard(FILE_TOOLS), "dialects": Guard(FILE_TOOLS, dialects="all")}
BEGINNINGS: Final[dict[str, tuple[str, ...]]] = {
    "fences": ("```json\n", "```", "``", "~~~", "  ```", "`" * 9, "```json\n{"),
    "dialects": ("<tool_call>", "<tool_call>\n", "[TOOL_CALLS]", "<|python_tag|>", "<function=", "<tool", "[TOOL"),
}
WIRED: Final = [name for name in STREAMS if PROTOCOLS[name].framing in ("events", "lines")]


def sent(event: Any, protocol: str) -> bytes:
    written = json.dumps(event)
    return f"{written}\n".encode() if PROTOCOLS[protocol].framing == "lines" else f"data: {written}\n\n".encode()


@pytest.mark.parametrize("more", [" ", "\n", "`", "a"])
@pytest.mark.parametrize("kind", GUARDS)
@pytest.mark.parametrize("protocol", WIRED)
def test_there_is_a_sign_whenever_text_has_not_left(protocol: str, kind: str, more: str, cases: Cases) -> None:
    table, held = PROTOCOLS[protocol], 0
    for opening in BEGINNINGS[kind]:
        body = Body(GUARDS[kind], table.framing or "events", table, Settings(blocks="text"))
        came, left = "", b""
        for text in ["Hi\n", *opening, *more * 20]:
            came += text
            left += b"".join(
                part for part in body.push(sent(STREAMS[protocol].say(0, text), protocol)) if isinstance(part, bytes)
            )
            whole = _text(left, protocol) == came
            assert body.all_left or not whole, (opening, came)
            if not whole:
                held += 1
                assert not body.all_left, (opening, came)
                assert body.nothing(), (opening, came)
    assert held >= 20
    cases(held)


def _text(raw: bytes, protocol: str) -> str:
    """The text of the events in these bytes."""
    lines = [line.removeprefix("data: ") for line in raw.decode().splitlines()]
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return "".join(text for event in events for _, text in PROTOCOLS[protocol].said(event))
