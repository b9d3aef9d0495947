"""The protocols of providers and frameworks: one table each, for client objects and for JSON alike.

Owns: where the text of an event is, how an event is split, what ends a text, how our events travel. Everything that is known of
one protocol stands in its table. `access` reads and copies events, `base` is the interface of a table.
May import: nothing.
May not: use more of the core than its public names and `wire`. A client's package is imported inside a method only, since it
may be absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .ag_ui import AgUi
from .ai_sdk import AiSdk
from .base import EVERY, OURS, Called, Ended, Event, Framing, Lane, LeftOut, Piece, Protocol, Sent
from .chat import Chat
from .gemini import Gemini
from .langchain import LangChain, LangChainV3
from .messages import Messages
from .ollama import Ollama
from .pydantic_ai import PydanticAi
from .responses import Responses
from .text import Text

CHAT: Final = Chat()
GEMINI: Final = Gemini()
OLLAMA: Final = Ollama()
TEXT: Final = Text()
PYDANTIC_AI: Final = PydanticAi()
LANGCHAIN: Final = LangChain()
LANGCHAIN_V3: Final = LangChainV3()
RESPONSES: Final = Responses()
MESSAGES: Final = Messages()
AI_SDK: Final = AiSdk()
AG_UI: Final = AgUi()

PROTOCOLS: Final[Mapping[str, Protocol]] = {
    table.name: table
    for table in (CHAT, GEMINI, OLLAMA, TEXT, PYDANTIC_AI, LANGCHAIN, LANGCHAIN_V3, RESPONSES, MESSAGES, AI_SDK, AG_UI)
}
"""Every table, by its name. An event is offered to them in this order: a member of its own says more than a type."""

MARKS: Final = tuple({table.mark for table in PROTOCOLS.values() if table.mark})
"""The data of events that end a stream, of all protocols."""

_DISOWNING: Final = tuple(table.disowned for table in PROTOCOLS.values() if type(table).disowned is not Protocol.disowned)


def recognised(event: Any) -> Protocol | None:
    """Return the protocol that an event is of; None when it could be of several, or of none."""
    return next((table for table in PROTOCOLS.values() if table.recognises(event)), None)


def disowned(event: Any) -> Any:
    """Return an event from upstream without the names of our events; itself when it has none, or is no JSON object."""
    if not isinstance(event, dict):
        return event
    theirs: dict[str, Any] = event
    for renamed in _DISOWNING:
        theirs = renamed(theirs)
    if "stream_guard" in theirs:
        theirs = {("upstream_stream_guard" if key == "stream_guard" else key): value for key, value in theirs.items()}
    return theirs


__all__ = [
    "AG_UI",
    "AI_SDK",
    "CHAT",
    "EVERY",
    "GEMINI",
    "LANGCHAIN",
    "LANGCHAIN_V3",
    "MARKS",
    "MESSAGES",
    "OLLAMA",
    "OURS",
    "PROTOCOLS",
    "PYDANTIC_AI",
    "RESPONSES",
    "TEXT",
    "Called",
    "Ended",
    "Event",
    "Framing",
    "Lane",
    "LeftOut",
    "Piece",
    "Protocol",
    "Sent",
    "disowned",
    "recognised",
]
