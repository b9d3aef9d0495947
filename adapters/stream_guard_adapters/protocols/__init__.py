"""The protocols of providers and frameworks: one table each, for client objects and for JSON alike.

Owns: for each protocol the place of an event's text, the splitting of events, the ends of texts, and the form of the guard's
events. All knowledge of one protocol is in its table. A file is named after its format: `chat` and `responses` are OpenAI's
(and of all servers that speak them), `messages` is Anthropic's. `stream_guard_adapters/openai.py` and `anthropic.py` are no
tables: they wrap the clients. `access` reads and copies events, `base` is the interface of a table.
May import: nothing.
May not: use more of the core than its public names and `wire`. A client's package is imported inside a method only, since it
may be absent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from stream_guard import ToolEvent, ToolResult, wire

from .ag_ui import AgUi
from .ai_sdk import AiSdk
from .base import (
    AS_IT_CAME,
    ELSEWHERE,
    EVERY,
    FEW,
    GUARD_EVENTS,
    LATEST,
    OLDER,
    AddedText,
    Called,
    Ended,
    Event,
    Framing,
    Lane,
    LeftOut,
    Piece,
    Protocol,
    Repeated,
    Sent,
    Thinking,
)
from .chat import Chat
from .gemini import Gemini
from .json_text import Doubled
from .langchain import LangChain, LangChainV3
from .messages import Messages
from .object_text import ObjectText
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
"""Every table, by its name. Events are tested in this order: tables that are recognised by a member come before those that are
recognised by a type."""

WIRED: Final = tuple(table for table in PROTOCOLS.values() if table.framing not in (None, "text"))
"""The protocols whose events are sent as JSON."""

_SIGNS: Final = frozenset(table.sign for table in PROTOCOLS.values() if table.sign)

MARKS: Final = tuple({table.mark for table in PROTOCOLS.values() if table.mark})
"""The data of the events that end a stream, in all protocols."""

_DISOWNING: Final = tuple(table.disowned for table in PROTOCOLS.values() if type(table).disowned is not Protocol.disowned)


def recognised(event: Any, tables: Collection[Protocol] = PROTOCOLS.values()) -> Protocol | None:
    """Return the one protocol among `tables` to which an event belongs; None if it could belong to several, or to none."""
    try:
        return next((table for table in tables if table.recognises(event)), None)
    except Exception:  # an object may raise anything
        return None


def carrying(event: Any, tables: Collection[Protocol]) -> Protocol | None:
    """Return the protocol among `tables` in which an event carries text or a call; None if it carries neither."""
    return next((table for table in tables if table.carries(event)), None)


def is_foreign(event: dict[str, Any], own: Protocol) -> bool:
    """Return whether an event has text or a call in another protocol, or is a malformed event of another."""
    return any(
        table.sign in event
        and table is not own
        and table.recognises(event)
        and (table.carries(event) or not table.reads(event))
        for table in PROTOCOLS.values()
    )


def is_mixed(event: dict[str, Any]) -> bool:
    """Return whether an event looks like an event of two protocols."""
    return len(_SIGNS & event.keys()) > 1


def guard_event(event: Any, name: str | None = None) -> ToolEvent | ToolResult | None:
    """Return the guard's event in an event of this name, or carried by it; None if there is none.

    Raises:
        ValueError: The data of the event is not that of a guard's event.
    """
    found: tuple[Any, Any] | None = None
    if isinstance(event, dict):
        member = event.get("stream_guard")
        if isinstance(member, dict) and member.get("event") in GUARD_EVENTS:
            found = member["event"], member.get("data")
        else:
            found = next((told for table in PROTOCOLS.values() if (told := table.carried(event)) is not None), None)
    if found is None and name in GUARD_EVENTS:
        found = name, event
    return wire.from_dict(*found) if found is not None else None


def disowned(event: Any) -> Any:
    """Return JSON from upstream without the names of the guard's events, also inside lists; the same object if it has none."""
    if isinstance(event, list):
        items = [disowned(item) for item in event]
        return event if all(a is b for a, b in zip(event, items, strict=True)) else items
    if not isinstance(event, dict):
        return event
    theirs: dict[str, Any] = event
    for renamed in _DISOWNING:
        theirs = renamed(theirs)
    if "stream_guard" in theirs:
        pairs = theirs.pairs if isinstance(theirs, Doubled) else theirs.items()
        made = [("upstream_stream_guard" if key == "stream_guard" else key, value) for key, value in pairs]
        theirs = Doubled(made) if isinstance(theirs, Doubled) else dict(made)
    return theirs


__all__ = [
    "AG_UI",
    "AI_SDK",
    "AS_IT_CAME",
    "CHAT",
    "ELSEWHERE",
    "EVERY",
    "FEW",
    "GEMINI",
    "GUARD_EVENTS",
    "LANGCHAIN",
    "LANGCHAIN_V3",
    "LATEST",
    "MARKS",
    "MESSAGES",
    "OLDER",
    "OLLAMA",
    "PROTOCOLS",
    "PYDANTIC_AI",
    "RESPONSES",
    "TEXT",
    "WIRED",
    "AddedText",
    "Called",
    "Ended",
    "Event",
    "Framing",
    "Lane",
    "LeftOut",
    "ObjectText",
    "Piece",
    "Protocol",
    "Repeated",
    "Sent",
    "Thinking",
    "carrying",
    "disowned",
    "guard_event",
    "is_foreign",
    "is_mixed",
    "recognised",
]
