"""A provider on loopback: it speaks the wire formats of chat completions and of messages, and misbehaves as it is told.

A behaviour is a function that is given what was asked, and yields the pieces of the reply's text, or a `Trouble` in between.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Self


class Trouble(Enum):
    """What may go wrong in the middle of a reply."""

    HANG = auto()  # nothing more comes, and the connection stays
    DROP = auto()  # the connection ends without a word
    END = auto()  # the reply ends, and no reason was given
    LENGTH = auto()  # cut off at the token limit
    REFUSAL = auto()  # the model refused
    TOOL = auto()  # a native tool call instead of text
    ERROR = auto()  # an error in the middle of the stream
    GARBAGE = auto()  # an event that is no JSON


Piece = str | Trouble | asyncio.Event
Behaviour = Callable[[dict[str, Any]], "int | tuple[int, str] | Iterable[Piece]"]
"""A status for a refused request (with what it says), or the pieces of a reply, which waits for an event among them."""


@dataclass
class Provider:
    """The server, and what it saw."""

    behaviour: Behaviour
    requests: list[dict[str, Any]] = field(default_factory=list)
    """The bodies that were asked."""

    heads: list[str] = field(default_factory=list)
    """And their heads."""

    left: int = 0
    """How many clients left before their reply was through."""

    _server: asyncio.Server | None = None
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _waited: list[asyncio.Event] = field(default_factory=list)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        for event in self._waited:
            event.set()
        while self._writers:
            await asyncio.sleep(0)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left += 1
        finally:
            writer.close()
            self._writers.discard(writer)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lengths = [int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length:")]
        if not lengths:  # a client that looks what models there are
            writer.write(b"HTTP/1.1 404 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            await writer.drain()
            return
        length = lengths[0]
        asked = json.loads(await reader.readexactly(length))
        self.requests.append(asked)
        self.heads.append(head)
        dialect = anthropic if "/messages" in head.splitlines()[0] else openai
        answer = self.behaviour(asked)
        if isinstance(answer, int | tuple):
            status, said = answer if isinstance(answer, tuple) else (answer, "no")
            body = json.dumps({"type": "error", "error": {"type": "error", "message": said}}).encode()
            writer.write(f"HTTP/1.1 {status} No\r\ncontent-type: application/json\r\n".encode())
            writer.write(f"content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        gone = asyncio.create_task(reader.read())
        try:
            async for event in dialect(map(self._noted, answer)):
                writer.write(event)
                await writer.drain()
                if gone.done():
                    self.left += 1
                    return
            await writer.drain()
        except _Hang:
            await gone
            self.left += 1
        except _Drop:
            writer.transport.abort()
        finally:
            gone.cancel()

    def _noted(self, piece: Piece) -> Piece:
        if isinstance(piece, asyncio.Event):
            self._waited.append(piece)
        return piece


class _Hang(Exception):
    pass


class _Drop(Exception):
    pass


def _trouble(piece: Trouble) -> None:
    if piece is Trouble.HANG:
        raise _Hang
    if piece is Trouble.DROP:
        raise _Drop


async def openai(pieces: Iterable[Piece]) -> AsyncIterator[bytes]:
    """The pieces as chunks of a chat completion."""

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        event = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, **more}
        return f"data: {json.dumps(event)}\n\n".encode()

    yield chunk({"role": "assistant", "content": ""})
    finish: str | None = "stop"
    for piece in pieces:
        await asyncio.sleep(0)
        if isinstance(piece, str):
            yield chunk({"content": piece})
            continue
        if isinstance(piece, asyncio.Event):
            await piece.wait()
            continue
        _trouble(piece)
        if piece is Trouble.END:
            return
        if piece is Trouble.ERROR:
            yield b'data: {"error": {"message": "overloaded", "type": "server_error"}}\n\n'
        elif piece is Trouble.GARBAGE:
            yield b"data: {nothing}\n\n"
        elif piece is Trouble.TOOL:
            call = {
                "index": 0,
                "id": "t",
                "type": "function",
                "function": {"name": "delete_file", "arguments": '{"path": "b"}'},
            }
            yield chunk({"tool_calls": [call]})
            finish = "tool_calls"
        elif piece is Trouble.REFUSAL:
            yield chunk({"refusal": "I cannot help with that."})
        else:
            finish = "length"
    yield chunk({}, finish)
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    yield chunk({}, usage=usage).replace(b'[{"index": 0, "delta": {}, "finish_reason": null}]', b"[]")
    yield b"data: [DONE]\n\n"


async def anthropic(pieces: Iterable[Piece]) -> AsyncIterator[bytes]:
    """The pieces as events of a message."""

    def event(kind: str, **more: Any) -> bytes:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()

    usage = {"input_tokens": 7, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
    }
    yield event("message_start", message={**message, "stop_sequence": None, "usage": usage})
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    reason = "end_turn"
    for piece in pieces:
        await asyncio.sleep(0)
        if isinstance(piece, str):
            yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
            continue
        if isinstance(piece, asyncio.Event):
            await piece.wait()
            continue
        _trouble(piece)
        if piece is Trouble.END:
            return
        if piece is Trouble.ERROR:
            yield event("error", error={"type": "overloaded_error", "message": "overloaded"})
        elif piece is Trouble.GARBAGE:
            yield b"event: content_block_delta\ndata: {nothing}\n\n"
        elif piece is Trouble.TOOL:
            yield event("content_block_start", index=1, content_block={"type": "tool_use", "id": "t", "name": "x", "input": {}})
            yield event("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": "{}"})
            reason = "tool_use"
        else:
            reason = "refusal" if piece is Trouble.REFUSAL else "max_tokens"
    yield event("content_block_stop", index=0)
    yield event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 5})
    yield event("message_stop")
