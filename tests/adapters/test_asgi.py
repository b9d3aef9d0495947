"""The middleware: real servers, real clients, and the very bytes."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest
from anthropic import AsyncAnthropic
from fastapi import FastAPI
from fastapi.sse import EventSourceResponse as FastAPIEvents
from openai import AsyncOpenAI
from openai.lib.streaming.chat import ChatCompletionStreamState
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.cassettes.cassette import Cassette
from stream_guard_adapters.engine.body import Body
from stream_guard_adapters.engine.framing import LONGEST, Events, Lines
from stream_guard_adapters.engine.lanes import Lanes
from stream_guard_adapters.engine.settings import Settings
from stream_guard_adapters.protocols import disowned
from stream_guard_adapters.sse import guarded_sse
from stream_guard_conformance.corpus.native import as_chat, as_messages, as_responses

from stream_guard import CorrectionPolicy, CorrectionRequest, Guard, Limits, ToolBlock, ToolEvent, ToolStatus
from stream_guard.spi import SHORT, Aside
from stream_guard.testing import FakeStream, random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.proof import Cases
from tests.kit.provider import Provider, Trouble
from tests.kit.provider import anthropic as anthropic_wire
from tests.kit.provider import openai as openai_wire
from tests.kit.servers import served

GUARD = Guard(FILE_TOOLS)
GOOD = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
VALID = f"Before.\n```json\n{GOOD}\n```\nAfter.\n"
ASKED: Any = [{"role": "user", "content": "x"}]


def app(stream: Callable[[], AsyncIterator[bytes]], *, headers: dict[str, str] | None = None, **settings: Any) -> Starlette:
    """An app that answers everything with this stream, guarded."""
    settings = {"guard": GUARD, **settings}

    async def answer(_: Request) -> Response:
        return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)

    everything = ["GET", "POST"]
    return Starlette(
        routes=[Route("/{path:path}", answer, methods=everything)], middleware=[Middleware(StreamGuardMiddleware, **settings)]
    )


def hearing(hook: Callable[[Any], None]) -> Guard:
    """A guard that tells of its events."""
    return Guard(FILE_TOOLS, on_status=hook, on_block=hook)


async def fetched(guarded: Any) -> httpx2.Response:
    async with served(guarded) as url, httpx2.AsyncClient() as client:
        return await client.get(url, timeout=300)


async def each(chunks: Sequence[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
        await asyncio.sleep(0)


# -- real clients ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
async def test_the_openai_client_reads_a_guarded_stream(seed: int) -> None:
    """By its raw form and by its helper: the visible text, the reason, the usage, and our events beside them."""
    (pieces,) = random_splits(VALID, seed=seed, count=1)
    seen: list[ToolEvent] = []
    guarded = app(lambda: openai_wire(pieces), guard=hearing(seen.append))
    async with served(guarded) as url, AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as client:
        state, ours = ChatCompletionStreamState(), []
        async for chunk in await client.chat.completions.create(model="m", messages=ASKED, stream=True):
            state.handle_chunk(chunk)
            told = (chunk.model_extra or {}).get("stream_guard")
            if told is not None:
                ours.append(told["data"])
        whole = state.get_final_completion()
        assert whole.choices[0].message.content == "Before.\n\nAfter.\n"
        assert whole.choices[0].finish_reason == "stop"
        assert ours[-1]["executable"] is True
        assert len(ours) == len(seen)
        async with client.chat.completions.stream(model="m", messages=ASKED) as stream:
            final = await stream.get_final_completion()
        assert final.choices[0].message.content == "Before.\n\nAfter.\n"


@pytest.mark.parametrize("seed", range(4))
async def test_the_anthropic_client_reads_a_guarded_stream(seed: int) -> None:
    """By its raw form and by its helper."""
    (pieces,) = random_splits(VALID, seed=seed, count=1)
    guarded = app(lambda: anthropic_wire(pieces))
    async with served(guarded) as url, AsyncAnthropic(api_key="k", base_url=url, max_retries=0) as client:
        events = await client.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)
        told = [(event.model_extra or {}).get("stream_guard") async for event in events]
        assert [event["data"]["executable"] for event in told if event and event["event"] == "json-tool-block"] == [True]
        async with client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream:
            assert await stream.get_final_text() == "Before.\n\nAfter.\n"
            assert (await stream.get_final_message()).stop_reason == "end_turn"


@pytest.mark.parametrize("trouble", [Trouble.LENGTH, Trouble.END, None])
async def test_what_was_cut_off_is_told_and_not_executable(trouble: Trouble | None) -> None:
    """Whatever the wire says of it."""
    seen: list[ToolEvent] = []
    pieces = [VALID[:50], *([trouble] if trouble is not None else [])]
    for wire in (openai_wire, anthropic_wire):
        seen.clear()
        await fetched(app(lambda wire=wire: wire(pieces), guard=hearing(seen.append)))  # type: ignore[misc]
        block = seen[-1]
        assert isinstance(block, ToolBlock)
        assert (block.executable, block.end_cause) == (False, "length" if trouble is Trouble.LENGTH else "disconnect")


@pytest.mark.parametrize("blocks", ["events", "both"])
async def test_an_event_of_the_guard_says_no_tokens_away(blocks: Any) -> None:
    """Of a message that breaks off behind a call the client has the count that came last, and not the guard's."""
    events = as_messages(["Hi"], [("delete_file", '{"path": "a"}')])
    begun = {**events[0], "message": {**events[0]["message"], "usage": {"input_tokens": 3, "output_tokens": 7}}}
    counted = {"type": "message_delta", "delta": {"stop_reason": None, "stop_sequence": None}, "usage": {"output_tokens": 9}}
    for more, used in (([], 7), ([counted], 9)):
        told = [begun, *more, *(event for event in events[1:] if not event["type"].startswith("message_"))]
        sent = b"".join(b"event: %b\ndata: %b\n\n" % (one["type"].encode(), json.dumps(one).encode()) for one in told)
        async with (
            served(app(lambda sent=sent: each([sent]), blocks=blocks)) as url,  # type: ignore[misc]
            AsyncAnthropic(api_key="k", base_url=url, max_retries=0) as client,
            client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream,
        ):
            kinds = [event.type async for event in stream]
            final = stream.current_message_snapshot
        assert kinds.count("message_delta") > len(more)
        assert (final.usage.input_tokens, final.usage.output_tokens) == (3, used)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_the_last_piece_of_an_event_has_its_id(end: str) -> None:
    """A client that reconnects behind an earlier piece gets the event again. A comment in it, and its time, stand once."""
    piece = "a\n```json\n" + GOOD + "\n```\nb\n```json\n" + GOOD + "\n```\nc"
    data = json.dumps({"choices": [{"index": 0, "delta": {"content": piece}}]})
    raw = end.join([": ping", "id: 7", "retry: 100", "event: e", f"data: {data}", "", ""]).encode()
    sent, _ = through([raw], blocks="both")
    events = [event for event in sent.split(end.encode() * 2) if event]
    ours = [b"stream_guard" in event for event in events]
    assert ours.count(False) > 3
    theirs = [event for event in events if b"stream_guard" not in event]
    assert [b"id: 7" in event for event in theirs] == [False] * (len(theirs) - 1) + [True]
    for once in (b": ping", b"retry: 100"):
        assert [once in event for event in theirs] == [True] + [False] * (len(theirs) - 1)
    assert all(b"event: e" in event for event in theirs)


# -- bytes -------------------------------------------------------------------------------------------------------------


def recut(body: bytes, chance: Random) -> list[bytes]:
    cuts = sorted(chance.randrange(len(body) + 1) for _ in range(chance.randrange(20)))
    return [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]


def through(
    chunks: Sequence[bytes], guard: Guard = GUARD, made: Callable[..., Body] = Body, **settings: Any
) -> tuple[bytes, list[ToolEvent]]:
    """What a body comes to, without a server."""
    framing, protocol = settings.pop("framing", "events"), settings.pop("protocol", None)
    body = made(guard, framing, protocol, Settings(stream_id="s", **settings))
    out, events = b"", []
    for said in (item for part in (*(body.push(chunk) for chunk in chunks), body.end()) for item in part):
        if isinstance(said, ToolStatus | ToolBlock):
            events.append(said)
            out += body.event_bytes(said)
        elif not isinstance(said, Aside):
            assert isinstance(said, bytes)
            out += said
    return out, events


def _seen_in(raw: bytes) -> tuple[bool, bool]:
    """Whether a recording has a fence, and whether it has an event that is long enough to be read aside."""
    return b"```" in raw, len(raw) <= 60_000 and max(map(len, raw.split(b"\n\n"))) > SHORT


@pytest.mark.some
def test_recorded_bodies_leave_as_the_very_bytes_where_nothing_is_held(corpora: Path) -> None:
    """At any cut, byte by byte among them; where a block is held, the events are the same at any cut."""
    chance = Random(1)
    plain = held = 0
    paths = sorted((corpora / "recordings").rglob("*.sse"))
    for path in some(paths, 110, kind=lambda path: (path.parent, *_seen_in(path.read_bytes()))):
        raw = path.read_bytes()
        if len(raw) > 60_000:
            continue
        whole, events = through([raw])
        cuts = [recut(raw, chance) for _ in range(3)]
        if len(raw) < 6_000:
            cuts.append([raw[at : at + 1] for at in range(len(raw))])
        for chunks in cuts:
            assert through(chunks) == (whole, events), path
        if not events and not any(mark in raw for mark in (b"`", b"~", b"output_text")):
            assert whole == raw, path
            plain += 1
        held += bool(events)
    assert plain > 50
    assert held > 3


class Asked(Body):
    """A body that is asked first whether a chunk passes, as the middleware does."""

    def __init__(self, *given: Any, passed: list[bytes], **more: Any) -> None:
        super().__init__(*given, **more)
        self._passed = passed

    def push(self, chunk: bytes) -> Any:
        if self.try_pass(chunk):
            self._passed.append(chunk)
            yield chunk
        else:
            yield from super().push(chunk)


ODD = 'She said: "No\\n".\nIt cost 5 €, they say\u2026 and \tthen some.\r\nC:\\temp\\new, é, \u6f22\u5b57 and \U0001f600.\n\n'
LISTED = "- a list\n  of lines\n\n```py\nif x: {}\n```\nText, after it.\n"
PROSE = ODD + LISTED + "A line of text that says nothing much, to whom it may concern.\n" * 8


@pytest.mark.some
@pytest.mark.parametrize("plain", [True, False], ids=["utf-8", "escaped"])
@pytest.mark.parametrize("as_events", [as_chat, as_messages, as_responses])
def test_events_of_the_usual_look_leave_as_if_they_had_been_read(as_events: Any, plain: bool) -> None:
    """Whatever their text is: line ends, quotes, escapes, fences in and between them."""
    for deltas in some(random_splits(PROSE + VALID + PROSE, seed=7, count=30), 8):
        chunks = [f"data: {json.dumps(event, ensure_ascii=not plain)}\n\n".encode() for event in as_events(deltas)]
        out, events = through(chunks)
        assert len(events) > 1
        asked = partial(Asked, passed=(passed := []))  # type: ignore[var-annotated]
        assert through(chunks, made=asked) == (out, events)
        assert len(deltas) < 100 or len(passed) > len(deltas) / 2


def test_only_the_first_of_many_plain_events_in_a_line_is_looked_at_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others pass by their bytes alone, until one comes that is not plain."""
    looks: list[Any] = []
    flowing = Lanes.flowing

    def counted(lanes: Lanes, lane: Any) -> Any:
        looks.append(lane)
        return flowing(lanes, lane)

    monkeypatch.setattr(Lanes, "flowing", counted)
    chunk = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
    body = Body(GUARD, "events", None)
    for text in (b"Hello", b" there"):
        assert not body.try_pass(chunk % text)
        assert [*body.push(chunk % text)] == [chunk % text]
    looks.clear()
    assert all(body.try_pass(chunk % text) for text in (b" and", b" so", b" on", b" and on"))
    assert len(looks) == 1
    assert body.try_pass(chunk % b".\\nThen")
    assert len(looks) == 2
    assert not body.try_pass(chunk % b"\\n```json\\n")
    assert [*body.push(chunk % b"\\n```json\\n")]
    assert not body.try_pass(chunk % b"plain")


@pytest.mark.parametrize("odd", [b"\\ud83d", b"caf\xff", b"\\q", b"\\", b"a\tb", b"", b'","x":"'])
def test_a_text_that_cannot_be_read_is_not_taken_by_its_look(odd: bytes) -> None:
    """Half a character, no UTF-8, no JSON: it is pushed, and leaves as it does without the look."""
    chunk = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
    chunks = [chunk % text for text in (b"Hello", b" there", b" and.\\nSo", odd, b"\\ude00", b" on", b"\\n", b"and on")]
    passed: list[bytes] = []
    assert through(chunks, made=partial(Asked, passed=passed)) == through(chunks)
    assert passed[:1] == chunks[2:3]  # the first begins the stream, of the second the look is learnt
    assert chunks[3] not in passed


ENDINGS = [b"\n", b"\r\n", b"\r"]


@pytest.mark.parametrize("end", ENDINGS, ids=["lf", "crlf", "cr"])
def test_events_are_divided_where_they_end(end: bytes) -> None:
    """By any of three line ends, split anywhere; bytes are kept, a mark at the beginning and comments among them."""
    second = [b": hi", b"event: a", b"data:2", b"data: \xe2\x80\xa83\xc2\x85"]
    stream = end.join([b"\xef\xbb\xbfdata: 1", b"", *second, b"", b"data", b"", b"x"])
    for size in (1, 2, 3, 1_000):
        events = Events()
        frames = [frame for at in range(0, len(stream), size) for frame in events.push(stream[at : at + size])]
        last = events.last()
        assert last is not None
        assert b"".join(frame.raw for frame in frames) + last.raw == stream
        read = [(frame.event, frame.data) for frame in frames if frame.data is not None]
        assert read == [(None, "1"), ("a", "2\n\u20283\x85"), (None, "")]


def test_an_event_that_never_ends_is_let_go_and_the_next_is_read() -> None:
    """Memory is bounded."""
    events = Events()
    chunk = b"x" * 1_000_000
    frames = [frame for part in [b"data: ", *[chunk] * 6, b"\n\n", b"data: 1\n\n"] for frame in events.push(part)]
    assert [frame.data for frame in frames if frame.data] == ["1"]
    assert sum(len(frame.raw) for frame in frames) == 6 * len(chunk) + 6 + 2 + 9
    assert 6 * len(chunk) > LONGEST
    lines = Lines()
    read = [frame for part in [*[chunk] * 6, b'{"rest": 1}\n{"next": 1}\n'] for frame in lines.push(part)]
    assert b"".join(frame.raw for frame in read[:-1]) == chunk * 6 + b'{"rest": 1}\n'
    assert [frame.data for frame in read if frame.data] == ['{"next": 1}']  # nothing of the long one is read as another
    assert lines.last() is None


def test_lines_of_json_are_guarded_too() -> None:
    """As Ollama sends them, the last one without a line end."""
    lines = [json.dumps({"model": "m", "message": {"role": "assistant", "content": text}, "done": False}) for text in VALID]
    lines.append(json.dumps({"model": "m", "message": {"role": "assistant", "content": ""}, "done": True}))
    raw = "\n".join(lines).encode()
    out, events = through([raw[at : at + 11] for at in range(0, len(raw), 11)], framing="lines")
    told = [json.loads(line) for line in out.splitlines()]
    assert "".join(line["message"]["content"] for line in told) == "Before.\n\nAfter.\n"
    assert isinstance(events[-1], ToolBlock)
    assert [line["stream_guard"]["event"] for line in told if "stream_guard" in line][-1] == "json-tool-block"
    assert through([raw.replace(b"`", b"'")], framing="lines")[0] == raw.replace(b"`", b"'")


@pytest.mark.parametrize(
    "event",
    [
        {"type": "json-tool-block", "id": "x"},
        {"type": "data-json-tool-status", "id": "x"},
        {"type": "CUSTOM", "name": "json-tool-block"},
        {"choices": [], "stream_guard": {"event": "json-tool-block"}},
    ],
)
def test_nobody_upstream_speaks_in_our_name(event: dict[str, Any]) -> None:
    """Neither by an event's name nor inside of it."""
    first = {"choices": [{"index": 0, "delta": {"content": "Hi"}}]}
    raw = f"data: {json.dumps(first)}\n\nevent: json-tool-block\ndata: {json.dumps(event)}\n\n".encode()
    out, events = through([raw])
    assert events == []
    assert b"event: upstream-json-tool-block" in out
    assert b'"stream_guard"' not in out
    ours = disowned(event)
    assert ours != event
    assert disowned(ours) is ours


# -- what is passed on -------------------------------------------------------------------------------------------------


async def test_what_cannot_be_inspected_passes_and_is_counted() -> None:
    """Compressed, refused, no stream, of no protocol, no JSON: byte for byte, with all its headers."""
    pieces = [chunk async for chunk in openai_wire([VALID])]
    packed = gzip.compress(b"".join(pieces))
    why: list[str] = []

    async def answer(request: Request) -> Response:
        kind = request.path_params["kind"]
        if kind == "gzip":
            return Response(packed, media_type="text/event-stream", headers={"content-encoding": "gzip", "etag": "e"})
        if kind == "refused":
            return Response(b"".join(pieces), status_code=500, media_type="text/event-stream")
        if kind == "json":
            return JSONResponse({"choices": [{"message": {"content": VALID}}]})
        return StreamingResponse(each([b"data: {nothing}\n\n", b'data: {"a": 1}\n\n' * 40]), media_type="text/event-stream")

    guarded = StreamGuardMiddleware(Starlette(routes=[Route("/{kind}", answer)]), guard=GUARD, on_uninspected=why.append)
    async with served(guarded) as url, httpx2.AsyncClient() as client:
        response = await client.get(f"{url}/gzip")
        assert (response.headers["etag"], response.headers["content-length"]) == ("e", str(len(packed)))
        assert response.content == b"".join(pieces)
        assert (await client.get(f"{url}/refused")).content == b"".join(pieces)
        assert "```json" in (await client.get(f"{url}/json")).json()["choices"][0]["message"]["content"]
        assert (await client.get(f"{url}/other")).content == b"data: {nothing}\n\n" + b'data: {"a": 1}\n\n' * 40
    assert guarded.uninspected == {"compressed": 1, "status": 1, "json body": 1, "not JSON": 1, "unknown protocol": 1}
    assert sorted(why) == sorted(guarded.uninspected)


async def test_headers_that_speak_of_the_bytes_are_dropped_and_only_of_a_guarded_stream() -> None:
    chunks = [chunk async for chunk in openai_wire([VALID])]
    headers = {"content-length": str(sum(map(len, chunks))), "etag": "e", "accept-ranges": "bytes", "x-mine": "kept"}
    response = await fetched(app(lambda: each(chunks), headers=headers))
    assert "content-length" not in response.headers
    assert "etag" not in response.headers
    assert "accept-ranges" not in response.headers
    assert response.headers["x-mine"] == "kept"
    response = await fetched(app(lambda: each(chunks), headers=headers, paths=("/elsewhere",)))
    assert response.headers["etag"] == "e"
    assert response.content == b"".join(chunks)
    response = await fetched(app(lambda: each(chunks), paths=lambda scope: scope["path"] == "/"))
    assert b"stream_guard" in response.content


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("paths", [("/api/v1",), ("/v1",), ("/api",)])
async def test_paths_are_those_of_the_app_or_of_the_server(paths: tuple[str, ...], inside: bool) -> None:
    """Whether the guard stands around the app that mounts another, or around the one that is mounted."""
    chunks = [chunk async for chunk in openai_wire([VALID])]

    async def sends(_: Any) -> StreamingResponse:
        return StreamingResponse(each(chunks), media_type="text/event-stream")

    routes: Any = Starlette(routes=[Route("/v1/chat", sends)])
    inner = StreamGuardMiddleware(routes, guard=GUARD, paths=paths) if inside else routes
    outer: Any = Starlette(routes=[Mount("/api", inner)])
    guarded = outer if inside else StreamGuardMiddleware(outer, guard=GUARD, paths=paths)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(guarded)) as client:
        response = await client.get("http://a/api/v1/chat")
    assert (b"stream_guard" in response.content) is (inside or paths != ("/v1",))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("content_type", ["text/event-stream", "application/x-ndjson", "text/plain"])
async def test_a_body_may_be_any_kind_of_bytes_and_belongs_to_its_app(kind: Any, content_type: str) -> None:
    """What the app does with them after they were sent changes nothing."""
    chunks = [chunk async for chunk in openai_wire([VALID])]
    if content_type == "application/x-ndjson":
        chunks = [chunk.removeprefix(b"data: ").removesuffix(b"\n") for chunk in chunks[:-1]]

    async def inner(_: Any, __: Any, send: Any) -> None:
        headers = [(b"content-type", content_type.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for chunk in chunks:
            owned = bytearray(chunk)
            await send({"type": "http.response.body", "body": owned if kind is bytearray else kind(owned), "more_body": True})
            owned[:] = b"x" * len(owned)
        await send({"type": "http.response.body", "body": kind(b"")})

    sent: list[Any] = []  # a server may write them later

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    async def receive() -> Any:
        await asyncio.Event().wait()

    blocks: list[ToolEvent] = []
    name = "text" if content_type == "text/plain" else "auto"
    guarded = StreamGuardMiddleware(inner, guard=hearing(blocks.append), format=name)
    await guarded({"type": "http", "method": "GET", "path": "/"}, receive, send)
    assert [block.executable for block in blocks if isinstance(block, ToolBlock)] == ([] if name == "text" else [True])
    said = b"".join(sent)
    assert b"Before." in said
    assert b"After." in said
    assert b"xxx" not in said


async def test_a_stream_is_guarded_inside_of_gzip() -> None:
    """Whoever compresses does it outside."""
    inner = app(lambda: openai_wire([VALID]))
    response = await fetched(GZipMiddleware(inner, minimum_size=1))
    assert b"stream_guard" in response.content


async def test_fastapi_is_guarded_as_any_app() -> None:
    """Its streaming response, and its own event streams, which are made of what a path function yields."""
    service = FastAPI()
    service.add_middleware(StreamGuardMiddleware, guard=GUARD)

    @service.get("/stream")
    async def stream() -> StreamingResponse:
        return StreamingResponse(openai_wire(list(VALID)), media_type="text/event-stream")

    @service.get("/events", response_class=FastAPIEvents)
    async def events() -> AsyncIterator[dict[str, Any]]:
        async for chunk in openai_wire(list(VALID)):
            if b"[DONE]" not in chunk:
                yield json.loads(chunk.removeprefix(b"data: "))

    async with served(service) as url, httpx2.AsyncClient() as client:
        for path in ("stream", "events"):
            content = (await client.get(f"{url}/{path}", timeout=300)).content
            assert b"json-tool-block" in content
            assert b"create_file" not in content
            told = [event for event in Cassette([content]).documents() if "stream_guard" not in event]
            said = "".join(choice["delta"].get("content") or "" for event in told for choice in event["choices"])
            assert said == "Before.\n\nAfter.\n"


async def test_events_are_told_as_the_settings_say() -> None:
    marks = (b'"stream_guard"', b"event: json-tool-block\n")
    for wire, emit, found in (
        (openai_wire, "auto", marks[:1]),
        (openai_wire, "named", marks),  # clients take every event for one of their own, whatever its name
        (openai_wire, "none", ()),
        (anthropic_wire, "auto", marks[:1]),
        (anthropic_wire, "named", marks),
        (anthropic_wire, "none", ()),
    ):
        content = (await fetched(app(lambda wire=wire: wire([VALID]), emit=emit))).content  # type: ignore[misc]
        for mark in marks:
            assert (mark in content) is (mark in found)
        assert b"write_file" in content  # where there are no events, the text has the block


async def test_named_events_break_no_client() -> None:
    """One that reads every event as one of its own finds one."""
    async with (
        served(app(lambda: openai_wire([VALID]), emit="named")) as url,
        AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as client,
    ):
        said = ""
        async for chunk in await client.chat.completions.create(model="m", messages=ASKED, stream=True):
            said += "".join(choice.delta.content or "" for choice in chunk.choices)
        assert said == "Before.\n\nAfter.\n"
        async with client.chat.completions.stream(model="m", messages=ASKED) as stream:
            assert (await stream.get_final_completion()).choices[0].message.content == said
    async with (
        served(app(lambda: anthropic_wire([VALID]), emit="named")) as url,
        AsyncAnthropic(api_key="k", base_url=url, max_retries=0) as other,
        other.messages.stream(model="m", max_tokens=9, messages=ASKED) as told,
    ):
        assert await told.get_final_text() == "Before.\n\nAfter.\n"
        said, heard = "", []
        async for event in await other.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True):
            assert event.type in KINDS_OF_MESSAGES  # the client makes an object of any event, whatever its name
            said += event.delta.text if event.type == "content_block_delta" and event.delta.type == "text_delta" else ""
            heard += [getattr(event, "stream_guard", {}).get("event")]
        assert said == "Before.\n\nAfter.\n"
        reads_all = tuple(map(int, version("anthropic").split(".")[:2])) >= (2, 12)  # earlier ones skip names unknown to them
        assert heard.count("json-tool-block") == reads_all


KINDS_OF_MESSAGES = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
)


async def test_a_hook_that_fails_breaks_no_stream(caplog: pytest.LogCaptureFixture) -> None:
    """It is told of in the log, by the kind of its fault."""

    def fails(_: object) -> None:
        raise RuntimeError("secret")

    stream = [b"data: {nothing}\n\n", *[chunk async for chunk in openai_wire([VALID])]]
    content = (await fetched(app(lambda: each(stream), guard=hearing(fails), on_uninspected=fails))).content
    assert b"json-tool-block" in content
    assert b"[DONE]" in content
    assert "a hook failed: RuntimeError" in caplog.text
    assert "secret" not in caplog.text


async def test_plain_text_is_guarded_on_request_alone() -> None:
    """Characters cut in the middle, and bytes that are no text, leave as they came."""
    text = ("é€😀\n" + VALID).encode() + b"\xff\xfe!"

    async def answer(_: Request) -> Response:
        return StreamingResponse(each([text[at : at + 1] for at in range(len(text))]), media_type="text/plain")

    routes = [Route("/", answer)]
    assert (await fetched(StreamGuardMiddleware(Starlette(routes=routes), guard=GUARD))).content == text
    seen: list[ToolEvent] = []
    guarded = StreamGuardMiddleware(Starlette(routes=routes), guard=hearing(seen.append), format="text")
    assert (await fetched(guarded)).content == text
    assert isinstance(seen[-1], ToolBlock)
    assert seen[-1].executable


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "soap"}, "format must be 'auto' or one of openai-chat"),
        ({"emit": "loud"}, "emit must be"),
        ({"blocks": "twice"}, "blocks must be 'events', 'text' or 'both'"),
        ({"blocks": "both", "emit": "none"}, "blocks='both' sends events, and emit='none' sends none"),
        ({"blocks": "text", "emit": "named"}, "blocks='text' sends none"),
        ({"paths": "/v1"}, "paths must be a list of prefixes"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        StreamGuardMiddleware(Starlette(), guard=GUARD, **settings)


# -- time --------------------------------------------------------------------------------------------------------------


async def test_nothing_waits_that_need_not_wait() -> None:
    """The client has the prose and the status before the app goes on."""
    go = asyncio.Event()
    chunks = [chunk async for chunk in openai_wire(["Hello\n", "```json\n", GOOD, "\n```\n"])]

    async def stream() -> AsyncIterator[bytes]:
        for chunk in chunks[:3]:
            yield chunk
        await go.wait()
        for chunk in chunks[3:]:
            yield chunk

    async with served(app(stream)) as url, httpx2.AsyncClient() as client, client.stream("GET", url, timeout=300) as response:
        seen = b""
        async for part in response.aiter_bytes():
            seen += part
            if b"buffering" in seen:
                assert b"Hello" in seen
                go.set()
    assert b'"executable":true' in seen


@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_a_correction_in_strict_order_holds_the_stream_up_and_in_flow_it_does_not(order: Any) -> None:
    bad = VALID.replace('"x"', '["x"]')
    release = asyncio.Event()

    async def correct(_: CorrectionRequest) -> str:
        await release.wait()
        return GOOD

    guard = Guard(FILE_TOOLS, corrector=correct, order=order, correction=CorrectionPolicy(timeout=3_600))
    seen = b""
    guarded = app(lambda: openai_wire(list(bad)), guard=guard)
    async with served(guarded) as url, httpx2.AsyncClient() as client, client.stream("GET", url, timeout=300) as response:
        async for part in response.aiter_bytes():
            seen += part
            if (b"correcting" if order == "strict" else b"[DONE]") in seen:
                release.set()
    assert (seen.index(b"json-tool-block") < seen.index(b"[DONE]")) is (order == "strict")
    assert b'"correctedBy":"llm"' in seen


EMPTY = re.compile(rb'"delta":\{("content":"")?\},"finish_reason":null,"logprobs":null\}\]\}\n\n')
"""The end of what keeps the connection of a chat alive."""


async def test_a_long_hold_keeps_the_connection_alive() -> None:
    """An empty delta, between events, while a block is held; none otherwise."""
    for text, pings in (("```json\n", True), ("Hello", False)):
        silence = asyncio.Event()

        async def stream(text: str = text, silence: asyncio.Event = silence) -> AsyncIterator[bytes]:
            for chunk in [chunk async for chunk in openai_wire([text])][:2]:
                yield chunk
            await silence.wait()

        guarded = app(stream, keep_alive=0.01)
        async with served(guarded) as url, httpx2.AsyncClient() as client, client.stream("GET", url, timeout=300) as response:
            seen = b""
            async for part in response.aiter_bytes():
                seen += part
                if pings and EMPTY.search(seen):
                    silence.set()
                if not pings:
                    for _ in range(20):
                        await asyncio.sleep(0.002)
                    silence.set()
            assert (EMPTY.search(seen) is not None) is pings


@pytest.mark.parametrize("cut", [1, 8, 30, -3, -1])
async def test_an_event_that_comes_slowly_keeps_the_connection_alive(cut: int) -> None:
    """Something of ours is before it, and never inside it; an event that comes whole brings nothing of ours."""
    said = [chunk async for chunk in openai_wire(["one", "two"])]
    event = said[2]
    alive = asyncio.Event()

    async def stream() -> AsyncIterator[bytes]:
        yield b"".join(said[:2])
        yield event[:cut]
        await alive.wait()
        yield event[cut:]
        yield b"".join(said[3:])

    async with (
        served(app(stream, keep_alive=0.01)) as url,
        httpx2.AsyncClient() as client,
        client.stream("GET", url, timeout=300) as response,
    ):
        seen = b""
        async for part in response.aiter_bytes():
            seen += part
            if EMPTY.search(seen):
                alive.set()
    assert event in seen
    told = [one for one in seen.split(b"\n\n") if not EMPTY.search(one + b"\n\n")]
    assert b"\n\n".join(told) == b"".join(said)


@pytest.mark.parametrize("blanks", [b" ", b"\n", b"\r\n", b"\n\n\t "])
@pytest.mark.parametrize("called", [False, True])
async def test_blanks_before_a_reply_pass_as_they_come(blanks: bytes, called: bool) -> None:
    """Servers send them while a request waits. The reply behind them is guarded, or leaves as it came."""
    content = VALID if called else "Hello"
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    reply = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
    seen: asyncio.Queue[bytes] = asyncio.Queue()

    async def stream() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield blanks
            async with asyncio.timeout(300):
                assert await seen.get() == blanks
        yield blanks + reply[:9]
        yield reply[9:]

    async def answer(_: Request) -> Response:
        return StreamingResponse(stream(), media_type="application/json", headers={"etag": "x"})

    routes = [Route("/{path:path}", answer, methods=["POST"])]
    guarded = Starlette(routes=routes, middleware=[Middleware(StreamGuardMiddleware, guard=GUARD)])
    async with (
        served(guarded) as url,
        httpx2.AsyncClient() as client,
        client.stream("POST", url, timeout=300) as response,
    ):
        body = b""
        async for part in response.aiter_raw():
            body += part
            if len(body) <= 3 * len(blanks):
                seen.put_nowait(body[-len(blanks) :])
    assert body.startswith(3 * blanks)
    message = json.loads(body)["choices"][0]["message"]
    assert message["content"] == ("Before.\n\nAfter.\n" if called else content)
    assert called or body == 4 * blanks + reply


async def test_a_reply_that_says_its_length_is_collected_with_its_blanks() -> None:
    """Its length may change."""
    choice = {"index": 0, "message": {"role": "assistant", "content": VALID}, "finish_reason": "stop"}
    reply = b"\n\n" + json.dumps({"object": "chat.completion", "choices": [choice]}).encode()

    async def answer(_: Request) -> Response:
        chunks = each([reply[:1], reply[1:]])
        return StreamingResponse(chunks, media_type="application/json", headers={"content-length": str(len(reply))})

    routes = [Route("/{path:path}", answer, methods=["POST"])]
    guarded = Starlette(routes=routes, middleware=[Middleware(StreamGuardMiddleware, guard=GUARD)])
    async with served(guarded) as url, httpx2.AsyncClient() as client:
        response = await client.post(url, timeout=300)
    assert response.headers["content-length"] == str(len(response.content))
    assert "Before.\n\nAfter.\n" in response.json()["choices"][0]["message"]["content"]


@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_a_long_correction_and_a_long_mending_keep_the_connection_alive(
    order: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block has ended by then, and its end came with what ends the stream."""
    bad = VALID.replace('"x"', '["x"]')
    for text, slow in ((bad, False), (LONG, True)):
        corrected, mended = (
            asyncio.Event(),
            threading.Event(),
        )  # of this round: what the round before has set would end the wait

        async def correct(_: CorrectionRequest, corrected: asyncio.Event = corrected) -> str:
            await corrected.wait()
            return GOOD

        guard = Guard(FILE_TOOLS, corrector=correct, order=order, correction=CorrectionPolicy(timeout=3_600))
        judged = guard.judge.judged

        def judge_slowly(block: Any, wait: threading.Event = mended, judged: Callable[..., Any] = judged) -> Any:
            wait.wait(3_600)
            return judged(block)

        if slow:
            monkeypatch.setattr(guard.judge, "judged", judge_slowly)
        whole = [b"".join([chunk async for chunk in openai_wire([text])])]
        guarded = app(partial(each, whole), guard=guard, keep_alive=0.01)
        async with served(guarded) as url, httpx2.AsyncClient() as client, client.stream("GET", url, timeout=300) as response:
            seen = b""
            try:
                async for part in response.aiter_bytes():
                    seen += part
                    if EMPTY.search(seen):
                        corrected.set()
                        mended.set()
            finally:
                mended.set()
        assert EMPTY.search(seen)
        assert b"json-tool-block" in seen


@pytest.mark.parametrize("filling", [" ", "\r", "`", "a"])
@pytest.mark.promise("P6")
async def test_other_tasks_run_between_reading_a_long_call_and_telling_of_it(filling: str) -> None:
    """Each is linear, and takes a turn of the loop of its own; neither looks at the long event again for each of its lines."""
    turn = 0
    heard: list[int] = []
    sent: list[int] = []

    async def ticks() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        arguments = '{"path": "a", "content": "' + filling * 1_500_000
        call = {**CALL, "function": {"name": "write_file", "arguments": arguments}}
        await send({"type": "http.response.body", "body": sends({"tool_calls": [call]}), "more_body": True})

    async def send(message: Any) -> None:
        if b"json-tool-block" in message.get("body", b""):
            sent.append(turn)

    guard = Guard(FILE_TOOLS, on_block=lambda _: heard.append(turn))
    ticking = asyncio.create_task(ticks())
    await StreamGuardMiddleware(serve, guard=guard)({"type": "http", "method": "GET", "path": "/"}, asyncio.Future, send)
    ticking.cancel()
    assert len(heard) == len(sent) == 1
    assert sent[0] > heard[0]


async def test_an_error_of_the_app_flushes_what_was_held_and_is_its_own() -> None:
    """The block is told as cut off by an error; then the connection breaks as it would have."""
    seen: list[ToolEvent] = []

    async def stream() -> AsyncIterator[bytes]:
        for chunk in [chunk async for chunk in openai_wire([VALID[:50]])][:2]:
            yield chunk
        raise RuntimeError("secret")

    async with served(app(stream, guard=hearing(seen.append))) as url, httpx2.AsyncClient() as client:
        got = b""
        with pytest.raises(httpx2.RemoteProtocolError):
            async with client.stream("GET", url, timeout=300) as response:
                async for part in response.aiter_bytes():
                    got += part
    assert isinstance(seen[-1], ToolBlock)
    assert (seen[-1].end_cause, seen[-1].executable) == ("error", False)
    assert b"json-tool-block" in got
    assert b"secret" not in got


# -- the server stops --------------------------------------------------------------------------------------------------

BEGUN = '```json\n{"tool": "write_file", "path": "a.txt", '
WRONG = '```json\n{"tool": "write_file", "path": "a.txt", "content": ["x"]}\n```'
CALL = {"index": 0, "id": "t", "type": "function", "function": {"name": "delete_file", "arguments": '{"path":'}}


def sends(*deltas: dict[str, Any]) -> bytes:
    """Chunks of a chat, in one message."""
    return b"".join(b"data: %s\n\n" % json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() for delta in deltas)


HELD: dict[str, tuple[bytes, list[tuple[str, str]]]] = {
    "a block": (sends({"content": f"Hi.\n{BEGUN}"}), [(BEGUN, "disconnect")]),
    "a block and half an event": (sends({"content": f"Hi.\n{BEGUN}"}) + b'data: {"choices"', [(BEGUN, "disconnect")]),
    "a native call": (sends({"content": "Hi."}, {"tool_calls": [CALL]}), [('{"path":', "disconnect")]),
    "half a fence": (sends({"content": "Hi.\n``"}), []),
    "a block that is corrected": (sends({"content": f"Hi.\n{WRONG}\n"}), [(WRONG, "closed")]),
    "a block behind one that is corrected": (
        sends({"content": f"Hi.\n{WRONG}\n{BEGUN}"}), [(WRONG, "closed"), (BEGUN, "disconnect")],
    ),
}  # fmt: skip
"""What is held when the server stops: the bytes so far, and the blocks in them, each with how it ends."""


@pytest.mark.parametrize("order", ["strict", "flow"])
@pytest.mark.parametrize("name", HELD)
@pytest.mark.promise("P2", "P4")
async def test_what_a_cancelled_request_holds_leaves_as_cut_off(cases: Cases, name: str, order: Any) -> None:
    """What is announced ends, no text is lost, and the response has no end, as without the guard."""
    cases(1)
    chunk, blocks = HELD[name]
    waits, sent = asyncio.Event(), bytearray()

    async def correct(_: CorrectionRequest) -> str:
        waits.set()
        await asyncio.Future()
        return ""

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        waits.set()
        await asyncio.Future()

    async def send(message: Any) -> None:
        sent.extend(message.get("body", b""))
        assert message["type"] == "http.response.start" or message["more_body"]

    corrects = (WRONG, "closed") in blocks
    guarded = StreamGuardMiddleware(serve, guard=Guard(FILE_TOOLS, corrector=correct if corrects else None, order=order))
    task = asyncio.create_task(guarded({"type": "http", "method": "GET", "path": "/"}, asyncio.Future, send))
    await waits.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    ours: list[Any] = []
    text = ""
    for frame in Events().push(bytes(sent)):
        event = json.loads(frame.data or "") if frame.data not in (None, '{"choices"') else {"choices": []}
        text += "".join(choice["delta"].get("content", "") for choice in event["choices"])
        ours += [event["stream_guard"]["data"]] if "stream_guard" in event else []
    ended = [one for one in ours if "raw" in one]
    assert sorted({one["id"] for one in ours}) == sorted(one["id"] for one in ended)
    assert not any(one["executable"] for one in ended)
    assert [(one["raw"], one.get("endCause")) for one in ended] == blocks
    assert text.startswith("Hi.")
    assert ("``" in text) is (name == "half a fence")


async def test_nothing_is_sent_behind_a_message_that_the_server_may_not_have_taken() -> None:
    """A client that does not read: what would be told last would stand behind a hole."""
    stuck, sent = asyncio.Event(), []

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await send({"type": "http.response.body", "body": sends({"content": f"Hi.\n{BEGUN}"}), "more_body": True})

    async def send(message: Any) -> None:
        sent.append(message)
        if len(sent) > 1:
            stuck.set()
            await asyncio.Future()

    guarded = StreamGuardMiddleware(serve, guard=GUARD)
    task = asyncio.create_task(guarded({"type": "http", "method": "GET", "path": "/"}, asyncio.Future, send))
    await stuck.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(sent) == 2


@pytest.mark.parametrize("held", [False, True])
async def test_plain_text_is_sent_by_the_server_itself_while_nothing_is_held(held: bool) -> None:
    """The guard does not wait for such a send. If it is cancelled while a call is held, nothing of the call follows."""
    began = {"id": "c", "index": 0, "type": "function", "function": {"name": "write_file", "arguments": '{"path'}}
    chunks = [sends({"content": word}) for word in ("Hello ", "you ", "there ", "and ", "everywhere ")]
    chunks[1:1] = [sends({"tool_calls": [began]})] * held
    made: list[Any] = []
    own: list[bool] = []

    async def put(message: Any) -> None:
        if message.get("body") == chunks[-1]:
            task.cancel()
            await asyncio.Future()

    def send(message: Any) -> Any:
        made.append(put(message))
        return made[-1]

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        for chunk in chunks:
            sending = send({"type": "http.response.body", "body": chunk, "more_body": True})
            own.append(sending is made[-1])
            await sending

    guarded = StreamGuardMiddleware(serve, guard=GUARD)
    task = asyncio.create_task(guarded({"type": "http", "method": "GET", "path": "/"}, asyncio.Future, send))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert own[-2:] == [not held] * 2
    assert len(made) == 1 + 5 + held  # the start, the texts, and that the call is announced


# -- the client leaves -------------------------------------------------------------------------------------------------

LEAVES = int(os.environ.get("LEAVES", "6"))
"""How many clients leave in each phase; more under `make more`."""

PHASES = (
    "before the first byte",
    "in prose",
    "in a block",
    "while mending",
    "while correcting",
    "with nobody reading",
    "at the end",
)
LONG = VALID.replace('"x"', '"' + 'say "hi" ' * 2_000 + '",')
"""A block that is long to mend."""


@pytest.mark.more
@pytest.mark.parametrize("server", ["uvicorn", "hypercorn"])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.promise("P5")
async def test_when_the_client_leaves_the_app_and_the_corrector_are_closed(
    cases: Cases, phase: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of many clients, over a real socket: every generator ends, every correction is cancelled. `-s` shows how soon."""
    took: list[float] = []
    opened = closed = asked = cancelled = 0
    ready = asyncio.Event()
    bad = VALID.replace('"x"', '["x"]')
    text = {"in prose": "Hello\n", "in a block": VALID[:50], "while correcting": bad, "with nobody reading": "word " * 200}
    spoken = [LONG] if phase == "while mending" else list(text.get(phase, VALID))
    chunks = [chunk async for chunk in openai_wire(spoken)]
    mending: list[threading.Event] = []

    loop = asyncio.get_running_loop()

    async def stream() -> AsyncIterator[bytes]:
        nonlocal opened, closed
        opened += 1
        try:
            if phase != "before the first byte":
                for chunk in chunks if phase == "at the end" else chunks[:-3]:
                    yield chunk
            if phase != "while mending":
                ready.set()
            while True:
                if phase == "with nobody reading":
                    yield chunks[1] * 200
                await asyncio.sleep(0.001)
        finally:
            closed += 1

    async def correct(_: CorrectionRequest) -> str:
        nonlocal asked, cancelled
        asked += 1
        ready.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled += 1
            raise
        return ""

    guard = Guard(FILE_TOOLS, corrector=correct, correction=CorrectionPolicy(timeout=3_600))
    judged = guard.judge.judged

    def judge_slowly(block: Any) -> Any:
        """Take as long to mend as the client needs to leave."""
        mends = threading.Event()
        mending.append(mends)
        loop.call_soon_threadsafe(ready.set)
        mends.wait(3_600)
        return judged(block)

    if phase == "while mending":
        monkeypatch.setattr(guard.judge, "judged", judge_slowly)
    async with served(app(stream, guard=guard, keep_alive=0.01), server) as url:
        host, port = url.removeprefix("http://").split(":")
        for count in range(1, LEAVES + 1):
            ready.clear()
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            await writer.drain()
            await ready.wait()
            if phase not in ("before the first byte", "with nobody reading"):
                await reader.read(100)
            left = loop.time()
            writer.transport.abort()
            try:
                async with asyncio.timeout(300):  # what mends goes on in its thread, and nobody waits for it
                    while closed < count or cancelled < asked:
                        await asyncio.sleep(0.001)
            finally:
                for mends in mending:
                    mends.set()
            took.append(loop.time() - left)
    print(
        f"{server}, {phase}: closed within {1000 * max(took):.0f} ms, at the median {1000 * sorted(took)[len(took) // 2]:.1f}"
    )
    cases(LEAVES)
    assert opened == closed == LEAVES
    assert asked == cancelled == (LEAVES if phase == "while correcting" else 0)


# -- sse-starlette -----------------------------------------------------------------------------------------------------


async def test_a_chat_endpoint_is_five_lines() -> None:
    """Of text, of a client's stream: text, status, block, done; each one line of JSON."""
    async with Provider(lambda _: list(VALID)) as provider, AsyncOpenAI(api_key="k", base_url=provider.url) as client:

        async def chat(request: Request) -> Response:
            stream = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
            return EventSourceResponse(guarded_sse(stream, GUARD, stream_id="s"))

        async def plain(request: Request) -> Response:
            return EventSourceResponse(guarded_sse(FakeStream(list(VALID)), GUARD, stream_id="s"))

        endpoints = Starlette(routes=[Route("/chat", chat), Route("/plain", plain)])
        async with served(endpoints) as url, httpx2.AsyncClient() as browser:
            for path in ("chat", "plain"):
                body = (await browser.get(f"{url}/{path}", timeout=300)).content
                read = [frame for frame in Events().push(body) if frame.data is not None]
                said = "".join(json.loads(frame.data or "") for frame in read if frame.event == "text")
                assert said == "Before.\n\nAfter.\n"
                assert read[-1].event == "done"
                (block,) = [json.loads(frame.data or "") for frame in read if frame.event == "json-tool-block"]
                assert block["executable"] is True
                assert {frame.event for frame in read} == {"text", "json-tool-status", "json-tool-block", "done"}


async def test_a_stream_that_fails_says_so_and_nothing_more() -> None:
    """What was held comes first; the reader is told that it failed, and not of what."""
    fields = [item async for item in guarded_sse(FakeStream(['Hi\n```json\n{"tool": ', RuntimeError("secret")]), GUARD)]
    assert [item["event"] for item in fields][-2:] == ["json-tool-block", "error"]
    assert "secret" not in str(fields)
    assert [item["event"] for item in [item async for item in guarded_sse(FakeStream([]), GUARD)]] == ["done"]


async def test_who_leaves_such_an_endpoint_closes_the_source() -> None:
    """Over a real socket, in the middle of a reply that goes on for ever."""
    closed = asyncio.Event()

    async def words() -> AsyncIterator[str]:
        try:
            while True:
                yield "word "
                await asyncio.sleep(0)
        finally:
            closed.set()

    async def endless(_: Request) -> Response:
        return EventSourceResponse(guarded_sse(words(), GUARD))

    async with served(Starlette(routes=[Route("/", endless)])) as url, httpx2.AsyncClient() as client:
        async with client.stream("GET", url, timeout=300) as response:
            async for _ in response.aiter_bytes():
                break
        await asyncio.wait_for(closed.wait(), 300)


# -- replies that are not streamed -------------------------------------------------------------------------------------

REPLY = json.dumps({
    "id": "c", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": VALID}, "finish_reason": "stop"}],
})  # fmt: skip


def answering(
    body: bytes, *, cut: int = 0, kind: str = "application/json", status: int = 200, last: bool = True, **settings: Any
) -> StreamGuardMiddleware:
    """An app that answers everything with this body, in messages of this size."""
    headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body)), (b"etag", b'"x"')]

    async def answer(_: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for at in range(0, len(body), cut or len(body) or 1):
            await send({"type": "http.response.body", "body": body[at : at + (cut or len(body))], "more_body": True})
        if last:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return StreamGuardMiddleware(answer, **{"guard": GUARD, **settings})


async def posted(app: Any, method: str = "POST") -> tuple[dict[str, str], bytes, list[Any]]:
    """The headers and the body of an answer, and the messages that it was sent in."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app({"type": "http", "method": method, "path": "/", "headers": []}, receive, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return headers, b"".join(message.get("body", b"") for message in sent), sent


@pytest.mark.parametrize("cut", [0, 1, 100])
async def test_a_json_reply_is_guarded_when_it_is_whole(cut: int) -> None:
    """Its events stand beside it, or its blocks are in the text; its headers tell the bytes that leave."""
    heard: list[ToolEvent] = []
    headers, body, sent = await posted(answering(REPLY.encode(), cut=cut, guard=hearing(heard.append)))
    reply = json.loads(body)
    assert reply["choices"][0]["message"]["content"] == "Before.\n\nAfter.\n"
    assert [event["data"]["executable"] for event in reply["stream_guard"]] == [True]
    assert isinstance(heard[-1], ToolBlock)
    assert headers["content-length"] == str(len(body))
    assert "etag" not in headers
    assert [message.get("more_body", False) for message in sent[1:]] == [False]
    broken = REPLY.replace(json.dumps(GOOD)[1:-1], json.dumps(GOOD.replace("}", ",}"))[1:-1])
    _, body, _ = await posted(answering(broken.encode(), cut=cut, blocks="text"))
    content = json.loads(body)["choices"][0]["message"]["content"]
    assert json.loads(content.partition("json\n")[2].partition("\n```")[0]) == json.loads(GOOD)
    assert "stream_guard" not in json.loads(body)


@pytest.mark.parametrize("cut", [0, 7])
@pytest.mark.parametrize(
    ("body", "settings", "counted"),
    [
        (REPLY, {"blocks": "text"}, []),
        (REPLY.replace("```json", "```js"), {}, []),
        ('{"some": "other"}', {}, ["json body"]),
        ("[1, 2]", {}, ["json body"]),
        ("", {}, ["json body"]),
        ("{" + " " * 300, {"guard": Guard(FILE_TOOLS, limits=Limits(max_event=200))}, ["json body"]),
        (REPLY, {"status": 404}, []),
        (REPLY, {"kind": "text/plain"}, ["content type"]),
        (REPLY, {"last": False}, ["json body"]),
        (REPLY, {"format": "text"}, ["json body"]),
    ],
)
async def test_any_other_json_leaves_with_its_bytes_and_headers(
    body: str, settings: dict[str, Any], counted: list[str], cut: int
) -> None:
    app = answering(body.encode(), cut=cut, **settings)
    headers, sent, messages = await posted(app)
    assert sent == body.encode()
    assert headers["etag"] == '"x"'
    assert headers["content-length"] == str(len(body))
    assert list(app.uninspected.elements()) == counted
    assert messages[-1].get("more_body", False) is not settings.get("last", True)


async def test_what_answers_no_post_does_not_wait() -> None:
    """Every message of it leaves at once, a reply or not."""
    _, body, messages = await posted(answering(REPLY.encode(), cut=50), "GET")
    assert body == REPLY.encode()
    assert len(messages) == 2 + -(-len(REPLY) // 50)


async def test_a_json_reply_has_the_names_of_our_events_for_ours_alone() -> None:
    forged = json.dumps({**json.loads(REPLY), "stream_guard": [{"event": "json-tool-block", "data": {"executable": True}}]})
    _, body, _ = await posted(answering(forged.encode(), blocks="text"))
    assert json.loads(body)["upstream_stream_guard"][0]["data"] == {"executable": True}
    assert "stream_guard" not in json.loads(body)


@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_a_block_of_a_json_reply_is_corrected(order: Any) -> None:
    """And a client that leaves meanwhile ends the correction."""
    bad = REPLY.replace('\\"x\\"', '[\\"x\\"]')
    begun, ended = asyncio.Event(), asyncio.Event()

    async def correct(_: CorrectionRequest) -> str:
        if leaves:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
        return GOOD

    guard = Guard(FILE_TOOLS, corrector=correct, order=order, correction=CorrectionPolicy(timeout=3_600))
    leaves = False
    _, body, _ = await posted(answering(bad.encode(), guard=guard))
    assert [event["data"]["correctedBy"] for event in json.loads(body)["stream_guard"]] == ["llm"]
    _, body, _ = await posted(answering(bad.encode(), guard=guard, blocks="text"))
    assert json.loads(body)["choices"][0]["message"]["content"] == VALID
    leaves = True
    asked = iter([{"type": "http.request", "body": b"", "more_body": False}])
    sent: list[Any] = []

    async def receive() -> Any:
        for message in asked:
            return message
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async with asyncio.timeout(300):
        await answering(bad.encode(), guard=guard)(
            {"type": "http", "method": "POST", "path": "/", "headers": []}, receive, send
        )
        await ended.wait()
    assert sent == []


async def test_the_clients_of_a_json_reply_read_it() -> None:
    async def answer(_: Request) -> Response:
        return Response(REPLY, media_type="application/json")

    routes = [Route("/{path:path}", answer, methods=["POST"])]
    async with (
        served(StreamGuardMiddleware(Starlette(routes=routes), guard=GUARD)) as url,
        AsyncOpenAI(api_key="k", base_url=url, max_retries=0) as client,
    ):
        completion = await client.chat.completions.create(model="m", messages=ASKED)
    assert completion.choices[0].message.content == "Before.\n\nAfter.\n"
    assert (completion.model_extra or {})["stream_guard"][0]["data"]["tool"] == "write_file"
