"""Faults of networks, clients, apps and providers: around a client's stream, in the middleware, through the gateway.

The oracle is what goes on without the guard: the same plan, the same bytes, the same error. `CHAOS` is how many plans are drawn
for each fault; `make more` draws more.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import anthropic
import httpx2
import openai
import pytest
import stream_guard_adapters
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.openai import guard_chat
from stream_guard_adapters.protocols import recognised
from stream_guard_adapters.proxy import Proxy, proxy
from stream_guard_conformance.chaos import FAULTS, Chaos, Fault, Plan

import stream_guard
from stream_guard import Guard, ToolBlock, ToolStatus, wire
from stream_guard.tools.files import FILE_TOOLS
from tests.kit import endings
from tests.kit.endings import PHASES
from tests.kit.proof import Cases
from tests.kit.provider import Piece, Provider, Trouble
from tests.kit.provider import openai as openai_wire
from tests.kit.servers import connected, served
from tests.kit.tasks import nothing_left_running

GUARD = Guard(FILE_TOOLS)
ASKED: Any = [{"role": "user", "content": "x"}]
CHAOS = int(os.environ.get("CHAOS", "2"))
CALLS = (
    '{"tool": "write_file", "path": "a.txt", "content": "one\\n```\\ntwo é 😀"}',
    '{"tool": "write_file", "path": "b.txt", content: "mended",}',
    '{"tool": "delete_file", "path": "c.txt"}',
)
REPLY = "Hello é.\n" + "".join(f"Next.\n```json\n{call}\n```\n" for call in CALLS) + "Bye.\n"
PIECES = [REPLY[at : at + 7] for at in range(0, len(REPLY), 7)]
LENGTH = {"openai": 7_500, "anthropic": 6_000}
"""About as many bytes as the reply has on the wire."""


class Heard(NamedTuple):
    """What a reader has at the end."""

    text: str
    """What the model wrote, put together again."""

    blocks: list[tuple[str, bool]]
    """The blocks: what the model wrote, and whether to run it."""

    error: type[BaseException] | None
    """What was raised."""


def judged(text: str) -> list[tuple[str, bool]]:
    """The blocks that a text holds, in one piece."""
    return [(item.raw, item.executable) for item in GUARD.scan([text]) if isinstance(item, ToolBlock)]


GOLDEN = judged(REPLY)
assert [executable for _, executable in GOLDEN] == [True] * 3


WHOLE = Heard(REPLY, GOLDEN, None)


def prefix(heard: Heard) -> bool:
    """Whether it is the beginning of the reply, and of its calls none but whole ones are to be run."""
    whole = [block for block in heard.blocks if block[1]]
    return REPLY.startswith(heard.text) and whole == GOLDEN[: len(whole)]


# -- around a client's stream ------------------------------------------------------------------------------------------


def client(dialect: str, url: str) -> Any:
    package: Any = openai if dialect == "openai" else anthropic
    of = package.AsyncOpenAI if dialect == "openai" else package.AsyncAnthropic
    plain = package.DefaultAsyncHttpxClient(verify=False)  # which reads no certificates, and so is made in no time
    return of(api_key="k", base_url=url, max_retries=0, http_client=plain)


async def asked(dialect: str, of: Any) -> Any:
    if dialect == "openai":
        return await of.chat.completions.create(model="m", messages=ASKED, stream=True)
    return await of.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)


async def read(dialect: str, url: str, plan: Plan, *, guarded: bool) -> Heard:
    """What comes of a client's stream when this happens on its way. One that is stalled is left."""
    text, blocks = "", []
    error: type[BaseException] | None = None
    chaos = Chaos(url, down=plan)
    async with chaos as there, client(dialect, there) as of:
        reading = asyncio.current_task()
        assert reading is not None

        async def leave() -> None:
            await chaos.stalled.wait()
            await asyncio.sleep(0.02)  # what was on its way arrives
            reading.cancel()

        leaving = asyncio.create_task(leave() if plan.fault == "stall" else asyncio.sleep(0))  # any other fault is heard of
        try:
            stream = await asked(dialect, of)
            if guarded:
                stream = guard_chat(stream, GUARD) if dialect == "openai" else guard_messages(stream, GUARD)
            async with contextlib.aclosing(stream) if guarded else stream as items:
                async for item in items:
                    if isinstance(item, ToolBlock):
                        text += item.raw if item.part == 1 else ""
                        blocks.append((item.raw, item.executable))
                    elif not isinstance(item, ToolStatus):
                        table = recognised(item)
                        text += "".join(piece for _, piece in table.texts(item)) if table is not None else ""
        except asyncio.CancelledError:
            reading.uncancel()
            error = asyncio.CancelledError
        except Exception as raised:
            error = type(raised)
        finally:
            leaving.cancel()
            await asyncio.wait([leaving])
    return Heard(text, blocks, error)


@pytest.mark.more
@pytest.mark.parametrize("dialect", ["openai", "anthropic"])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.promise("P2", "P4", "P5", "P8")
async def test_a_guarded_client_hears_what_one_without_the_guard_hears(cases: Cases, fault: Fault, dialect: str) -> None:
    """The same text, the same error; and the blocks are those of that text, none of them half a call."""
    async with Provider(lambda _: PIECES) as provider:
        for seed in range(CHAOS):
            plan = Plan.drawn(seed, fault, LENGTH[dialect])
            plain = await read(dialect, provider.url, plan, guarded=False)
            async with nothing_left_running():
                heard = await read(dialect, provider.url, plan, guarded=True)
            assert heard.error == plain.error, plan
            if heard.error is asyncio.CancelledError:
                assert plain.text.startswith(heard.text), plan  # what was held when the reader left is not told any more
                assert heard.blocks == GOLDEN[: len(heard.blocks)], plan
                continue
            if fault != "rst":  # how much of what came before it is lost, nobody knows
                assert heard.text == plain.text, plan
            assert heard.blocks == judged(heard.text), plan
            assert fault in ("corrupt", "duplicate") or prefix(heard), plan
        cases(CHAOS)


# -- through the middleware and the gateway ----------------------------------------------------------------------------


async def got(url: str, leave: asyncio.Future[Any] | None = None) -> tuple[bytes, type[BaseException] | None]:
    """What a reader has at the end, of a body and of an error. He is gone once he is to `leave`."""
    body = bytearray()

    async def reading() -> None:
        async with (
            httpx2.AsyncClient() as of,
            of.stream("POST", f"{url}/v1/chat/completions", json={}, timeout=300) as response,
        ):
            async for chunk in response.aiter_raw():
                body.extend(chunk)

    task = asyncio.create_task(reading())
    await asyncio.wait([task, *([leave] if leave is not None else [])], return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    (error,) = await asyncio.gather(task, return_exceptions=True)
    assert error is None or isinstance(error, asyncio.CancelledError | httpx2.HTTPError)
    return bytes(body), None if error is None else type(error)


def heard_in(body: bytes, error: type[BaseException] | None = None) -> Heard:
    """What the events of a body say, those that came whole."""
    text, blocks = "", []
    for frame in body.split(b"\n\n")[:-1]:
        data = b"".join(line.removeprefix(b"data:").strip() for line in frame.splitlines() if line.startswith(b"data:"))
        try:
            event = json.loads(data)
        except ValueError:  # [DONE]; or it was changed on the way to the gateway, which passes on what it cannot read
            continue
        told = event.get("stream_guard")
        if told is not None and told["event"] == wire.BLOCK:
            text += told["data"]["raw"]
            blocks.append((told["data"]["raw"], told["data"]["executable"]))
        for choice in event.get("choices", ()):
            text += choice["delta"].get("content") or ""
    return Heard(text, blocks, error)


def app(stream: Callable[[], AsyncIterator[bytes]]) -> StreamGuardMiddleware:
    async def answer(request: Request) -> Response:
        await request.body()
        return StreamingResponse(stream(), media_type="text/event-stream")

    return StreamGuardMiddleware(Starlette(routes=[Route("/{path:path}", answer, methods=["POST"])]), guard=GUARD)


@pytest.mark.more
@pytest.mark.parametrize("server", ["uvicorn", "hypercorn"])
@pytest.mark.parametrize("way", ["down", "up"])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.promise("P4", "P5")
async def test_whatever_happens_to_a_connection_the_middleware_closes_what_it_opened(
    cases: Cases, fault: Fault, way: str, server: str
) -> None:
    """Between the client and the server, either way. The reader hears a beginning of the reply; the next one hears all."""
    opened = closed = 0

    async def stream() -> AsyncIterator[bytes]:
        nonlocal opened, closed
        opened += 1
        try:
            async for event in openai_wire(PIECES):
                yield event
        finally:
            closed += 1

    async with served(app(stream), server) as url:
        for seed in range(CHAOS):
            plan = Plan.drawn(seed, fault, LENGTH["openai"] if way == "down" else 150)
            chaos = Chaos(url, down=plan) if way == "down" else Chaos(url, up=plan)
            async with chaos as there:
                stalled = asyncio.ensure_future(either(chaos.stalled))
                heard = await got(there, stalled)
                stalled.cancel()
                await asyncio.wait([stalled])
            async with asyncio.timeout(300):
                while closed < opened:
                    await asyncio.sleep(0.001)
            if fault not in ("corrupt", "duplicate"):
                assert prefix(heard_in(*heard)), plan
            assert fault != "none" or heard_in(*heard) == WHOLE
        assert heard_in(*await got(url)) == WHOLE
    assert opened == closed
    cases(CHAOS)


@pytest.mark.more
@pytest.mark.some(14)
@pytest.mark.parametrize("near", FAULTS)
@pytest.mark.parametrize("far", FAULTS)
@pytest.mark.promise("P4", "P5", "P9")
async def test_whatever_happens_on_both_sides_of_the_gateway_no_call_is_half_one(cases: Cases, near: Fault, far: Fault) -> None:
    """Faults to the client and from the provider at once: the provider's connections are closed, and the gateway serves on."""
    count = max(CHAOS // 4, 1)
    async with Provider(lambda _: PIECES) as provider:
        for seed in range(count):
            plans = Plan.drawn(seed, near, LENGTH["openai"]), Plan.drawn(seed + 1_000, far, LENGTH["openai"])
            front, back = Chaos("http://127.0.0.1:9", down=plans[0]), Chaos(provider.url, down=plans[1])
            async with back as provided, served(proxy(provided, GUARD, blocks="events"), lifespan="on") as url:
                front = Chaos(url, down=plans[0])
                async with front as there:
                    stalled = asyncio.ensure_future(either(front.stalled, back.stalled))
                    heard = await got(there, stalled)
                    stalled.cancel()
                    await asyncio.wait([stalled])
                back.down = Plan()
                assert heard_in(*await got(url)) == WHOLE, plans
            if near in ("corrupt", "duplicate"):
                pass  # what became of it after it had left us
            elif far in ("corrupt", "duplicate"):
                blocks = heard_in(*heard).blocks
                assert all(GUARD.check(raw).executable for raw, executable in blocks if executable), plans
            else:
                assert prefix(heard_in(*heard)), plans
            async with asyncio.timeout(300):
                while provider._writers:
                    await asyncio.sleep(0.001)
    cases(count)


async def either(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0.02)  # what was on its way arrives
    finally:
        for wait in waits:
            wait.cancel()


# -- everything that may end a stream, at every place, everywhere -------------------------------------------------------

Ending = Literal["disconnect", "cancel", "raise", "truncate"]
ENDINGS: tuple[Ending, ...] = ("disconnect", "cancel", "raise", "truncate")


class Broke(Exception):
    """What the source raises."""


class Ended(NamedTuple):
    """What is left when a stream has ended early."""

    heard: Heard
    closed: bool
    """Whether everything that was opened has been closed."""


class Reply:
    """A client's stream: it can be closed by whoever has it."""

    def __init__(self, how: Ending, at: int) -> None:
        self.there = asyncio.Event()
        self.closed = 0
        self._how = how
        self._at = at
        self._over = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[Any]:
        for piece in PIECES[: self._at]:
            yield {"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
        self.there.set()
        if self._how == "raise":
            raise Broke
        if self._how != "truncate":
            await self._over.wait()

    async def close(self) -> None:
        self.closed += 1
        self._over.set()


async def around(how: Ending, at: int) -> Ended:
    """A client's stream that is wrapped."""
    text, blocks = "", []
    source = Reply(how, at)
    stream = guard_chat(source, GUARD)

    async def reading() -> None:
        nonlocal text
        async for item in stream:
            if isinstance(item, ToolBlock):
                text += item.raw
                blocks.append((item.raw, item.executable))
            elif not isinstance(item, ToolStatus):
                text += "".join(choice["delta"].get("content") or "" for choice in item["choices"])

    task = asyncio.create_task(reading())
    await source.there.wait()
    for _ in range(3):  # what was read is told
        await asyncio.sleep(0)
    if how == "cancel":
        task.cancel()
    elif how == "disconnect":
        await stream.aclose()
    (result,) = await asyncio.gather(task, return_exceptions=True)
    await stream.aclose()
    return Ended(Heard(text, blocks, type(result) if isinstance(result, BaseException) else None), source.closed == 1)


async def inside(how: Ending, at: int) -> Ended:
    """An app behind the middleware."""
    opened = closed = 0
    there = asyncio.Event()

    async def stream() -> AsyncIterator[bytes]:
        nonlocal opened, closed
        opened += 1
        try:
            number = 0
            async for event in openai_wire(PIECES[:at]):
                if number > at:
                    break
                number += 1
                yield event
            there.set()
            if how == "raise":
                raise Broke
            if how != "truncate":
                await asyncio.Event().wait()
        finally:
            closed += 1

    heard = await asgi(app(stream), how, there)
    return Ended(heard, opened == closed == 1)


async def between(how: Ending, at: int) -> Ended:
    """A provider behind the gateway."""
    trouble = {"raise": Trouble.DROP, "truncate": Trouble.END}.get(how, Trouble.HANG)
    pieces: list[Piece] = [*PIECES[:at], trouble]
    there = asyncio.Event()

    def behaviour(_: dict[str, Any]) -> Any:
        for piece in pieces:
            if piece is trouble:
                there.set()
            yield piece

    async with Provider(behaviour) as provider:
        gateway = Proxy(provider.url)
        heard = await asgi(StreamGuardMiddleware(gateway, guard=GUARD), how, there)
        async with asyncio.timeout(300):
            while provider._writers:
                await asyncio.sleep(0.001)
    return Ended(heard, True)


async def asgi(guarded: Any, how: Ending, there: asyncio.Event) -> Heard:
    """What an ASGI app sends until it is ended so."""
    body = bytearray()
    gone = asyncio.Event()
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": b"{}", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        body.extend(message.get("body", b""))

    headers = [(b"content-length", b"2"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": headers, "query_string": b""}
    task = asyncio.create_task(guarded({**scope, "asgi": {"version": "3.0", "spec_version": "2.3"}}, receive, send))
    reached = asyncio.create_task(there.wait())
    await asyncio.wait([task, reached], return_when=asyncio.FIRST_COMPLETED)
    assert reached.done(), task
    for _ in range(20):
        await asyncio.sleep(0)
    if how == "cancel":
        task.cancel()
    elif how == "disconnect":
        gone.set()
    (result,) = await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), 300)
    return heard_in(bytes(body), type(result) if isinstance(result, BaseException) else None)


@pytest.mark.some(4)
@pytest.mark.parametrize("how", ENDINGS)
@pytest.mark.parametrize("where", [around, inside, between], ids=["wrapper", "middleware", "gateway"])
@pytest.mark.promise("P4", "P5", "P8", "P9")
async def test_a_stream_may_end_in_any_way_at_any_place_anywhere(cases: Cases, where: Any, how: Ending) -> None:
    """Everything that was opened is closed, nothing is left running, and no call is told that was not whole."""
    for at in range(1, len(PIECES) + 1):
        async with nothing_left_running():
            ended = await where(how, at)
        assert ended.closed, at
        assert prefix(ended.heard), at
        if how in ("raise", "truncate") and where is not between:
            assert ended.heard.text == "".join(PIECES[:at]), at  # what was held has left
        if where is around:
            expected = {"cancel": asyncio.CancelledError, "raise": Broke}
            assert ended.heard.error is expected.get(how), at
    cases(len(PIECES))


# -- readers that do not read ------------------------------------------------------------------------------------------


@pytest.mark.some(2)
@pytest.mark.parametrize("server", ["uvicorn", "hypercorn"])
@pytest.mark.parametrize("held", [False, True], ids=["prose", "in a block"])
async def test_who_does_not_read_holds_up_his_own_stream_and_no_memory(server: str, held: bool) -> None:
    """An app with no end of text, and clients that never read: it waits once the system's buffers are full. What is held of a
    block has its bound.
    """
    made: dict[int, int] = {}
    line = b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}}]}\n\n' % (b"word " * 3_000)

    async def stream() -> AsyncIterator[bytes]:
        number = len(made)
        made[number] = 0
        if held:
            yield b'data: {"choices": [{"index": 0, "delta": {"content": "```json\\n{\\"tool\\": \\""}}]}\n\n'
        while True:
            made[number] += len(line)
            yield line
            await asyncio.sleep(0)

    async with served(app(stream), server) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        writers = []
        for _ in range(6):
            _, writer = await asyncio.open_connection(host, int(port), limit=1)
            writer.write(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
            writers.append(writer)
        total, before = 1, 0
        while len(made) < 6 or total != before:
            before = total
            for _ in range(200):
                await asyncio.sleep(0.001)
            total = sum(made.values())
        assert max(made.values()) < 16 << 20
        for writer in writers:
            writer.transport.abort()


# -- servers that are told to end --------------------------------------------------------------------------------------


CANCELLED = re.compile(
    r"^Traceback (?:.*\n)(?:[ ].*\n|\n)*asyncio\.exceptions\.CancelledError: Task cancelled, timeout.*\n", re.MULTILINE
)
"""How uvicorn reports a request that was still running when its time to end was over."""


@pytest.mark.some(8)
@pytest.mark.parametrize("server", ["uvicorn", "hypercorn"])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.promise("P5")
async def test_a_server_may_be_told_to_end_in_any_phase(server: str, phase: str, tmp_path: Path) -> None:
    """It ends, and nobody complains of what was left, but that uvicorn reports each request that it cancelled. What was opened
    is closed first, by a server that waits for what it has cancelled: uvicorn does not.
    """
    log, complaints = tmp_path / "log", tmp_path / "complaints"

    def words() -> list[str]:
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    async def until(word: str) -> None:
        async with asyncio.timeout(300):
            while word not in words():
                assert process.returncode is None, complaints.read_text(encoding="utf-8")
                await asyncio.sleep(0.005)

    writer = None
    with complaints.open("w") as told:
        process = await asyncio.create_subprocess_exec(sys.executable, endings.__file__, server, phase, str(log), stderr=told)
    try:
        async with asyncio.timeout(300):
            while not words():
                await asyncio.sleep(0.005)
        reader, writer = await asyncio.wait_for(connected(int(words()[0])), 300)
        if phase != "with nothing to do":
            writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            await until("there")
        if phase not in ("before the first byte", "with nothing to do", "with nobody reading"):
            assert await reader.read(100)
        process.terminate()
        if phase == "with nobody reading":
            writer.transport.abort()  # hypercorn waits for such a reader without end
        async with asyncio.timeout(300):
            await process.wait()
            with contextlib.suppress(ConnectionError):
                await reader.read()  # the connection has ended
    finally:
        if writer is not None:
            writer.transport.abort()
        if process.returncode is None:
            process.kill()
            await process.wait()
    said = words()[1:]
    assert said.count("opened") == (phase != "with nothing to do")
    assert said.count("asked") == (phase == "while correcting")
    if server == "hypercorn":
        assert said.count("closed") == said.count("opened")
        assert said.count("cancelled") == said.count("asked")
    complained = CANCELLED.sub("", complaints.read_text(encoding="utf-8"))
    assert not [line for line in complained.splitlines() if "never" in line or "pending" in line or "ignored" in line]
    ours = Path(stream_guard.__file__).parent, Path(stream_guard_adapters.__file__).parent
    assert not [line for line in complained.splitlines() if any(f"{folder}{os.sep}" in line for folder in ours)]
