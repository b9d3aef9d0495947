"""The guard as a parser: each row goes through the function that an application would use for it."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final

from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.events import guard_events, guard_reply
from stream_guard_adapters.protocols import PROTOCOLS

from stream_guard import End, Guard, Risk, Tool, ToolBlock, Toolset, ToolStatus
from stream_guard.dialects.tables import DIALECTS
from stream_guard.spi import NATIVE

from ..corpus.rows import CAPABILITIES
from ..toolsets import Json
from .parser import Announced, Answer, Failed, Item, Ran, Text

CHOICES: Final[Mapping[str, bool]] = {
    "openai-chat": True,
    "openai-responses": False,
    "anthropic": False,
    "ai-sdk": False,
    "ag-ui": False,
    "gemini": True,
    "ollama": False,
    "text": False,
    "pydantic-ai": False,
    "langchain": False,
    "langchain-v3": False,
}
"""Whether a protocol has choices: then the lane of a text begins with the number of its choice."""


class GuardParser:
    """The guard, with its default settings and the dialect of the row."""

    name = "stream_guard"
    capabilities = frozenset({
        *CAPABILITIES, *(f"dialect:{name}" for name in DIALECTS), *(f"protocol:{name}" for name in PROTOCOLS),
    })  # fmt: skip

    def read(self, question: Json) -> Answer:
        """Return what comes out of a row."""
        guard = guard_for(json.dumps(question["tools"]), question["dialect"])
        match question["form"]:
            case "text":
                ended = () if question["end"] == "unknown" else (End(question["end"]),)
                return _stepped(question["input"], lambda deltas: guard.scan(_then(deltas, ended)), "text")
            case "events":
                protocol = question["protocol"]
                return _stepped(
                    question["input"],
                    lambda events: guard_events(events, guard, protocol, stream_id="s"),
                    protocol,
                )
            case "reply":
                guarded = guard_reply(question["input"][0], guard)
                protocol = question["protocol"]
                choices = Choices(protocol)
                for block in guarded.blocks:
                    choices.hear(block)
                texts: list[Item] = []
                for event in PROTOCOLS[protocol].unfolded(dict(guarded.reply)):
                    texts += choices.texts(event)
                return Answer.whole([*texts, *(_block(block, choices.of(block)) for block in guarded.blocks)])
            case "bytes":
                chunks = [base64.b64decode(chunk) for chunk in question["input"]]
                return Answer.whole(asyncio.run(_served(chunks, guard, question["protocol"])))
            case form:
                raise ValueError(f"a row of the form {form!r} cannot be read: add it here")


@cache
def guard_for(tools: str, dialect: str) -> Guard:
    """Return a guard for tools, given as JSON, and a dialect."""
    toolset = Toolset(
        *(
            Tool(
                tool["name"],
                tool["description"],
                tool["input_schema"],
                aliases=tool.get("aliases", ()),
                field_aliases=tool.get("field_aliases", {}),
                risk=Risk.DESTRUCTIVE if tool["annotations"]["destructiveHint"] else Risk.WRITE,
            )
            for tool in json.loads(tools)
        )
    )
    return Guard(toolset, dialects=("fence",) if dialect == "fence" else ("fence", dialect))


def _then(deltas: Iterable[str], ended: Iterable[End]) -> Iterator[str | End]:
    yield from deltas
    yield from ended


def _stepped(given: Sequence[Any], reads: Any, protocol: str) -> Answer:
    """Return the answer of something that reads pieces one at a time: what it yields belongs to the piece that it read last."""
    steps: list[list[Item]] = [[] for _ in range(len(given) + 1)]
    at = 0

    def pieces() -> Iterator[Any]:
        nonlocal at
        for at, piece in enumerate(given):  # noqa: B007  # the number is what is asked for
            yield piece
        at = len(given)

    choices = Choices(protocol)
    came: list[tuple[int, Text | ToolStatus | ToolBlock]] = []
    for item in reads(pieces()):
        if isinstance(item, ToolStatus | ToolBlock):
            choices.hear(item)
            came.append((at, item))
        else:
            came += [(at, text) for text in ([Text(item)] if isinstance(item, str) else choices.texts(item))]
    named: set[str] = set()
    for step, item in came:
        steps[step] += [item] if isinstance(item, Text) else _event(item, choices.of(item), named)
    return Answer(steps)


class Choices:
    """The choice of each text and call that leaves the guard. That of a native call is in the event that sends the call on."""

    def __init__(self, protocol: str) -> None:
        self._table, self._has_choices = PROTOCOLS[protocol], CHOICES[protocol]
        self._sent_next: list[ToolBlock] = []
        self._native: dict[str, int] = {}

    def hear(self, item: ToolStatus | ToolBlock) -> None:
        """Take an event of the guard: a native call that runs is sent on behind it."""
        if isinstance(item, ToolBlock) and item.executable and item.dialect == NATIVE:
            self._sent_next.append(item)

    def texts(self, event: Any) -> list[Text]:
        """Return the texts of an event of the protocol, and remember the choice of a native call in it."""
        if not self._table.reads(event):
            return []
        for piece in self._table.calls(event) if self._has_choices and self._sent_next else ():
            sent = next((block for block in self._sent_next if block.tool == piece.name), None)
            if sent is not None:
                self._sent_next.remove(sent)
                self._native[sent.id] = int(piece.call[0])
        return [Text(text, self._choice(lane)) for lane, text in self._table.texts(event) if not self._table.repeats(lane)]

    def of(self, item: ToolStatus | ToolBlock) -> int:
        """Return the choice of an event of the guard. The id of a block of a text has the lane behind that of the stream."""
        found = re.match(r"[^-]+-(\d+)-", item.id) if self._has_choices else None
        return int(found[1]) if found is not None else self._native.get(item.id, 0)

    def _choice(self, lane: tuple[int | str, ...]) -> int:
        return int(lane[0]) if self._has_choices else 0


def _event(item: ToolStatus | ToolBlock, choice: int, named: set[str]) -> Iterator[Item]:
    if isinstance(item, ToolBlock):
        yield _block(item, choice)
    elif item.tool_type and item.id not in named:
        named.add(item.id)
        yield Announced(item.tool_type, choice)
    elif item.status == "released" and item.id in named:
        yield Failed("it is no call, and comes out as text", choice)


def _block(block: ToolBlock, choice: int) -> Item:
    if block.executable:
        arguments = block.arguments or {}
        return Ran(block.tool or "", {key: value for key, value in arguments.items() if key != "tool"}, choice)
    hint = block.hint.for_model() if block.hint is not None else ""
    return Failed("\n".join([hint, *(issue.message for issue in block.issues)]), choice)


async def _served(chunks: Sequence[bytes], guard: Guard, protocol: str) -> list[Item]:
    """Return what leaves the middleware of a response with these bytes."""
    blocks: list[ToolBlock] = []
    sent: list[bytes] = []
    table = PROTOCOLS[protocol]
    kind = {"lines": b"application/x-ndjson", "text": b"text/plain"}.get(str(table.framing), b"text/event-stream")

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        for chunk in chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    async def receive() -> Any:
        await asyncio.Event().wait()

    guarded = StreamGuardMiddleware(
        app, guard=guard, format=protocol, keep_alive=None, on_call=lambda block, _tools: blocks.append(block)
    )
    await guarded({"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}, receive, send)
    text = b"".join(sent).decode()
    choices = Choices(protocol)
    for block in blocks:
        choices.hear(block)
    said = [one for event in _events(text, str(table.framing)) for one in choices.texts(event)]
    return [*said, *(_block(block, choices.of(block)) for block in blocks)]


def _events(text: str, framing: str) -> Iterator[Any]:
    """Yield the events of a body; without those that are no JSON, which the guard passes on as they came."""
    if framing == "text":
        yield text
        return
    for data in text.split("\n") if framing == "lines" else _data(text):
        with suppress(ValueError, RecursionError):
            yield json.loads(data)


def _data(text: str) -> Iterator[str]:
    """Yield the data of each server-sent event."""
    data: list[str] = []
    for line in re.split(r"\r\n|\n|\r", text.removeprefix("\ufeff")):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:  # the empty line behind it is missing
        yield "\n".join(data)
