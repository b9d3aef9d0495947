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
                texts = [Text(text, choice) for choice, text in _texts_of_reply(guarded.reply, question["protocol"])]
                blocks = [_block(block, _choice_of(block, question["protocol"])) for block in guarded.blocks]
                return Answer.whole([*texts, *blocks])
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

    table = PROTOCOLS[protocol]
    named: set[str] = set()
    for item in reads(pieces()):
        if isinstance(item, ToolStatus | ToolBlock):
            steps[at] += _event(item, protocol, named)
        elif isinstance(item, str):
            steps[at].append(Text(item))
        elif table.reads(item):
            steps[at] += [Text(text, _choice(lane, protocol)) for lane, text in table.texts(item) if not table.repeats(lane)]
    return Answer(steps)


def _event(item: ToolStatus | ToolBlock, protocol: str, named: set[str]) -> Iterator[Item]:
    choice = _choice_of(item, protocol)
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


def _choice_of(item: ToolStatus | ToolBlock, protocol: str) -> int:
    """Return the choice of a block of a text: its id has the lane behind that of the stream."""
    found = re.match(r"[^-]+-(\d+)-", item.id) if CHOICES[protocol] else None
    return int(found[1]) if found is not None else 0


def _choice(lane: tuple[int | str, ...], protocol: str) -> int:
    return int(lane[0]) if CHOICES[protocol] else 0


def _texts_of_reply(reply: Mapping[str, Any], protocol: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a whole reply, each with its choice: what its protocol reads in the events that say the same."""
    table = PROTOCOLS[protocol]
    for event in table.unfolded(dict(reply)):
        yield from ((_choice(lane, protocol), text) for lane, text in table.texts(event) if not table.repeats(lane))


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
    said = [Text(piece) for event in _events(text, str(table.framing)) if table.reads(event) for _, piece in table.texts(event)]
    return [*said, *(_block(block, 0) for block in blocks)]


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
