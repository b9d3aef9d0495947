"""One table for each protocol, for SDK objects and for JSON on the wire alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..nodes import get
from .base import EVERY, Called, Ended, Event, Framing, Lane, Piece, Protocol, Sent
from .chat import Chat
from .frameworks import LangChain, LangChainV3, PydanticAi
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
LANGCHAIN: Final = LangChain()
LANGCHAIN_V3: Final = LangChainV3()
PYDANTIC_AI: Final = PydanticAi()

PROTOCOLS: Final[Mapping[str, Protocol]] = {
    table.name: table
    for table in (CHAT, RESPONSES, MESSAGES, AI_SDK, AG_UI, GEMINI, OLLAMA, TEXT, LANGCHAIN, LANGCHAIN_V3, PYDANTIC_AI)
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
    if get(event, "event_kind") is not None:
        return PYDANTIC_AI
    told = get(event, "event")
    if isinstance(told, str):
        return (
            LANGCHAIN if told.startswith("on_") else LANGCHAIN_V3 if told.startswith(("message-", "content-block-")) else None
        )
    message = event[0] if isinstance(event, tuple) and event else event
    if get(message, "tool_call_chunks") is not None:
        return LANGCHAIN
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
    "LANGCHAIN",
    "LANGCHAIN_V3",
    "MESSAGES",
    "OLLAMA",
    "PROTOCOLS",
    "PYDANTIC_AI",
    "RESPONSES",
    "TEXT",
    "Called",
    "Ended",
    "Event",
    "Framing",
    "Lane",
    "Piece",
    "Protocol",
    "Sent",
    "recognised",
]
