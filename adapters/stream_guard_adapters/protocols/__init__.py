"""One table for each protocol, for SDK objects and for JSON on the wire alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..nodes import get
from .base import EVERY, Called, Ended, Event, Lane, Piece, Protocol, Sent
from .chat import Chat
from .messages import Messages
from .others import AgUi, AiSdk, Gemini, Ollama, Text
from .responses import Responses

CHAT: Final = Chat()
RESPONSES: Final = Responses()
MESSAGES: Final = Messages()
AI_SDK: Final = AiSdk()
AG_UI: Final = AgUi()
GEMINI: Final = Gemini()
OLLAMA: Final = Ollama()
TEXT: Final = Text()

PROTOCOLS: Final[Mapping[str, Protocol]] = {
    table.name: table for table in (CHAT, RESPONSES, MESSAGES, AI_SDK, AG_UI, GEMINI, OLLAMA, TEXT)
}
"""Every table, by its name."""

_MESSAGES: Final = ("message_start", "content_block_", "message_delta", "message_stop")


def recognised(event: Any) -> Protocol | None:
    """Which protocol an event is of, by what only it has; None when it could be any."""
    if isinstance(event, str):
        return TEXT
    if isinstance(get(event, "choices"), list):
        return CHAT
    if get(event, "candidates") is not None:
        return GEMINI
    if get(event, "done") is not None and (get(event, "message") is not None or get(event, "response") is not None):
        return OLLAMA
    kind = get(event, "type")
    if not isinstance(kind, str):
        return None
    if kind.startswith("response."):
        return RESPONSES
    if kind.startswith(_MESSAGES):
        return MESSAGES
    if kind.startswith(("text-", "start", "finish", "data-", "tool-input-", "reasoning-")):
        return AI_SDK
    return AG_UI if kind.isupper() and kind.startswith(("RUN_", "TEXT_MESSAGE_")) else None


__all__ = [
    "AG_UI",
    "AI_SDK",
    "CHAT",
    "EVERY",
    "GEMINI",
    "MESSAGES",
    "OLLAMA",
    "PROTOCOLS",
    "RESPONSES",
    "TEXT",
    "Called",
    "Ended",
    "Event",
    "Lane",
    "Piece",
    "Protocol",
    "Sent",
    "recognised",
]
