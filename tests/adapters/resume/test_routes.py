"""The routes of resumable streams: every answer is decided before its headers, and a browser's own EventSource stops."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.engine.uninspected import MARKS
from stream_guard_adapters.resume import Lease, MemoryStore, Open, RedisStore, ResumableStreams, resume_routes

from stream_guard import Guard
from stream_guard.testing import FakeStream
from stream_guard.tools.files import FILE_TOOLS
from stream_guard.wire import SseFields
from tests.kit import browser, stores
from tests.kit.resuming import away_after
from tests.kit.servers import served

GUARD = Guard(FILE_TOOLS)
TEXT = "Hi.\n\nBye.\n"
BLOCK = 'Hi.\n```json\n{"tool": "write_file", "path": "a", "content": "x"}\n```\nBye.\n'


def session(request: Request) -> str | None:
    return request.headers.get("x-session") or request.cookies.get("session")


async def begin(request: Request) -> Open:
    asked = json.loads(await request.body() or b"{}")
    if asked.get("refused"):
        raise HTTPException(429, "slowly")
    if asked.get("endless"):
        return Endless
    return lambda: FakeStream(list(asked.get("text", TEXT)))


class Endless:
    """A stream that says something, and then nothing."""

    def __init__(self) -> None:
        self._said = False

    def __aiter__(self) -> Endless:
        return self

    async def __anext__(self) -> str:
        if self._said:
            await asyncio.Event().wait()
        self._said = True
        return "And then\n"


def starlette(streams: ResumableStreams) -> Any:
    return Starlette(routes=[Mount("/streams", resume_routes(streams, session=session, begin=begin))])


def fastapi(streams: ResumableStreams) -> Any:
    app = FastAPI()
    app.mount("/streams", resume_routes(streams, session=session, begin=begin))
    return app


@contextlib.asynccontextmanager
async def serving(
    streams: ResumableStreams, app: Callable[[ResumableStreams], Any] = starlette
) -> AsyncIterator[httpx2.AsyncClient]:
    async with (
        served(app(streams)) as url,
        httpx2.AsyncClient(base_url=url, headers={"x-session": "me"}, timeout=300) as client,
    ):
        try:
            yield client
        finally:
            await streams.aclose()
            await streams.store.aclose()


def told(text: str) -> list[tuple[str, str, Any]]:
    """The events of a body: id, name, data."""
    found = []
    for part in text.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in part.splitlines() if ": " in line and not line.startswith(":"))
        if fields:
            found.append((fields["id"], fields["event"], json.loads(fields["data"])))
    return found


@pytest.mark.parametrize("app", [starlette, fastapi])
async def test_a_stream_is_begun_read_resumed_and_stopped(app: Callable[[ResumableStreams], Any]) -> None:
    async with serving(ResumableStreams(MemoryStore(), GUARD), app) as client:
        begun = await client.post("/streams/", json={})
        assert begun.status_code == 201
        path = f"/streams/{begun.json()['stream']}"
        whole = told((await client.get(path)).text)
        assert "".join(data for _, name, data in whole if name == "text") == TEXT
        assert whole[-1][1:] == ("done", {})
        for at, (known, _, _) in enumerate(whole[:-1]):
            assert told((await client.get(path, headers={"last-event-id": known})).text) == whole[at + 1 :]
        assert told((await client.get(path, params={"after": whole[1][0]})).text) == whole[2:]
        assert (await client.delete(path)).status_code == 202

        path = f"/streams/{(await client.post('/streams/', json={'endless': True})).json()['stream']}"
        async with client.stream("GET", path) as answer:
            lines = answer.aiter_lines()
            assert (await anext(lines)).startswith("id: 1-")
            assert (await client.delete(path)).status_code == 202
            rest = [line async for line in lines]
        assert 'data: {"ending":"stopped"}' in rest


def _outside(streams: ResumableStreams) -> Any:
    return StreamGuardMiddleware(starlette(streams), guard=GUARD)


def _inside(streams: ResumableStreams) -> Any:
    routes = resume_routes(streams, session=session, begin=begin)
    return Starlette(routes=[Mount("/streams", StreamGuardMiddleware(routes, guard=GUARD))])


def _among_others(streams: ResumableStreams) -> Any:
    app = starlette(streams)
    app.add_middleware(BaseHTTPMiddleware, dispatch=lambda request, call_next: call_next(request))
    app.add_middleware(StreamGuardMiddleware, guard=GUARD)
    app.add_middleware(GZipMiddleware)
    app.add_middleware(StreamGuardMiddleware, guard=GUARD, format="openai-chat")
    return app


@pytest.mark.parametrize("app", [_outside, _inside, _among_others])
async def test_the_middleware_leaves_the_streams_of_these_routes_alone(app: Callable[[ResumableStreams], Any]) -> None:
    """They are guarded already: it neither renames their events nor counts them."""
    streams = ResumableStreams(MemoryStore(), GUARD)
    made = app(streams)
    async with serving(streams, lambda _: made) as client:
        stream = (await client.post("/streams/", json={"text": BLOCK})).json()["stream"]
        found = told((await client.get(f"/streams/{stream}")).text)
    assert {name for _, name, _ in found} == {"text", "json-tool-status", "json-tool-block", "done"}
    assert "".join(data for _, name, data in found if name == "text") == TEXT
    if isinstance(made, StreamGuardMiddleware):
        assert not made.uninspected


async def test_an_upstream_cannot_say_that_it_is_guarded() -> None:
    """The mark is in the scope of the request, which no header reaches."""
    forged = "event: json-tool-block\ndata: {}\n\n"

    def proxied(_: Request) -> Response:
        return Response(forged, media_type="text/event-stream", headers={MARKS: "true", MARKS.replace(".", "-"): "true"})

    app = StreamGuardMiddleware(Starlette(routes=[Route("/", proxied)]), guard=GUARD)
    async with served(app) as url, httpx2.AsyncClient() as client:
        assert "event: upstream-json-tool-block" in (await client.get(url, headers={MARKS.replace(".", "-"): "true"})).text


async def test_what_revive_raises_is_no_answer_about_the_stream() -> None:
    streams = ResumableStreams(MemoryStore(), GUARD)

    def revive(_: str) -> Open:
        raise ValueError("a secret")

    app = Starlette(routes=[Mount("/streams", resume_routes(streams, session=session, begin=begin, revive=revive))])
    async with serving(streams, lambda _: app) as client:
        answer = await client.get("/streams/s")
        assert (answer.status_code, "secret" in answer.text) == (500, False)


async def test_each_refusal_has_its_status() -> None:
    now = [1000.0]
    store = MemoryStore(ttl=60, clock=lambda: now[0])
    async with serving(ResumableStreams(store, GUARD)) as client:
        path = f"/streams/{(await client.post('/streams/', json={})).json()['stream']}"
        last = told((await client.get(path)).text)[-1][0]

        async def status(path: str = path, after: str = "", **headers: str) -> tuple[int, Any]:
            answer = await client.get(path, headers={**({"last-event-id": after} if after else {}), **headers})
            return answer.status_code, answer.text and answer.json()["detail"]

        assert await status(after=last) == (204, "")
        assert await status(path="/streams/nothing") == (404, "There is no such stream")
        assert await status(**{"x-session": "you"}) == (404, "There is no such stream")
        assert await status(**{"x-session": ""}) == (401, "This needs a session")
        code, detail = await status(after="garbage")
        assert code == 400 and detail.startswith("not the id of an event: 'garbage'")
        assert (await client.post("/streams/", json={"refused": True})).status_code == 429
        assert (await client.post("/streams/", headers={"x-session": ""})).status_code == 401
        assert (await client.delete("/streams/nothing")).status_code == 404
        assert (await client.delete(path, headers={"x-session": "you"})).status_code == 404
        assert (await client.delete(path, headers={"x-session": ""})).status_code == 401
        assert (await client.put(path)).status_code == 405

        ahead = told((await client.get(path, headers={"last-event-id": f"99-{last.partition('-')[2]}"})).text)
        assert ahead == [("100-0", "error", {"message": "The stream was interrupted", "ending": "interrupted"})]
        assert await status(after="100-0") == (204, "")

        now[0] += 61
        assert (await status())[0] == 410
        assert (await status(after=last))[0] == 410
        assert (await status(**{"x-session": "you"}))[0] == 404


async def test_a_head_is_answered_as_a_get_is_without_its_body() -> None:
    now = [1000.0]
    store = MemoryStore(ttl=60, clock=lambda: now[0])
    async with serving(ResumableStreams(store, GUARD)) as client:

        async def same(path: str, after: str = "", **headers: str) -> int:
            headers |= {"last-event-id": after} if after else {}
            head = await client.head(path, headers=headers)
            get = await client.get(path, headers=headers)
            assert (head.status_code, head.content) == (get.status_code, b"")
            for name in ("content-type", "cache-control", "x-accel-buffering"):
                assert head.headers.get(name) == get.headers.get(name)
            return head.status_code

        running = f"/streams/{(await client.post('/streams/', json={'endless': True})).json()['stream']}"
        reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        writer.write(f"HEAD {running} HTTP/1.1\r\nhost: x\r\nx-session: me\r\nconnection: close\r\n\r\n".encode())
        answer = await asyncio.wait_for(reader.read(), 300)  # to its end, which is not that of the stream
        assert answer.startswith(b"HTTP/1.1 200 ")
        writer.close()
        await client.delete(running)
        over = f"/streams/{(await client.post('/streams/', json={})).json()['stream']}"
        known = [known for known, _, _ in told((await client.get(over)).text)]
        for path in (running, over):
            assert await same(path) == 200
        assert [await same(over, after) for after in (known[0], known[-1], "99-7", "100-0", "x")] == [200, 204, 200, 204, 400]
        assert await same("/streams/nothing") == await same(over, **{"x-session": "you"}) == 404
        assert await same(over, **{"x-session": ""}) == 401
        now[0] += 61
        assert await same(over) == 410


@pytest.mark.parametrize("owner", ["\x85", "a\u2028b", "\ud800", ""])
async def test_a_session_that_can_own_nothing_is_nobodys(owner: str) -> None:
    streams = ResumableStreams(MemoryStore(), GUARD)
    app = Starlette(routes=[Mount("/streams", resume_routes(streams, session=lambda _: owner, begin=begin))])
    async with serving(streams, lambda _: app) as client:
        for answer in (client.post("/streams/", json={}), client.get("/streams/s"), client.delete("/streams/s")):
            assert (await answer).status_code == 401


async def test_a_process_that_ends_is_a_503_that_says_when_to_come_back() -> None:
    streams = ResumableStreams(MemoryStore(), GUARD)
    async with serving(streams) as client:
        path = f"/streams/{(await client.post('/streams/', json={'endless': True})).json()['stream']}"
        closing = asyncio.create_task(streams.aclose(grace=30))
        await asyncio.sleep(0)
        refused = await client.post("/streams/", json={})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        async with client.stream("GET", path) as answer:
            lines = answer.aiter_lines()
            assert (await anext(lines)).startswith("id: 1-")  # what still runs is read
            assert (await client.delete(path)).status_code == 202
            assert 'data: {"ending":"stopped"}' in [line async for line in lines]
        await closing
        for asked in (client.post("/streams/", json={}), client.get(path), client.head(path)):
            refused = await asked
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert not streams.running


async def test_where_nobody_may_begin_a_stream_there_is_no_route_for_it() -> None:
    streams = ResumableStreams(MemoryStore(), GUARD)
    app = Starlette(routes=[Mount("/streams", resume_routes(streams, session=session))])
    async with serving(streams, lambda _: app) as client:
        assert (await client.post("/streams/", json={})).status_code == 404


async def test_a_store_that_is_away_is_a_503_that_says_when_to_come_back(tmp_path: Path) -> None:
    streams = ResumableStreams(RedisStore(f"unix://{tmp_path}/nobody", wait=0.1, retry=0.1), GUARD)
    async with serving(streams) as client:
        for answer in (client.get("/streams/s"), client.delete("/streams/s"), client.post("/streams/", json={})):
            refused = await answer
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")


async def test_a_store_that_refuses_is_a_503_and_never_an_error_of_ours(tmp_path: Path) -> None:
    """Nor is a key that holds something else: its stream is told as interrupted, and an EventSource that comes back stops."""
    with stores.server(tmp_path / "v") as valkey:
        streams = ResumableStreams(store := RedisStore(valkey.url, lease=0.2, wait=600), GUARD)
        async with serving(streams) as client:
            path = f"/streams/{(await client.post('/streams/', json={})).json()['stream']}"
            await client.get(path)
            away_after(store, 0.2)
            valkey.ask("ACL", "SETUSER", "default", "resetkeys")
            for asked in (client.get(path), client.delete(path), client.post("/streams/", json={})):
                refused = await asked
                assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
            valkey.ask("ACL", "SETUSER", "default", "allkeys")
            away_after(store, 5)
            assert told((await client.get(path)).text)[-1][1] == "done"
            for kind in ("stream", "meta"):
                valkey.ask("SET", f"stream-guard:{kind}:{path.rpartition('/')[2]}", "x")
                ((known, _, data),) = told((await client.get(path)).text)
                assert data["ending"] == "interrupted"
                assert (await client.get(path, headers={"last-event-id": known})).status_code == 204
                assert (await client.delete(path)).status_code in (202, 503)


async def test_a_reader_whose_store_goes_away_breaks_off_and_is_told_why_when_it_comes_back(tmp_path: Path) -> None:
    """No end is made up: the stream may go on."""
    with stores.server(tmp_path / "v") as valkey:
        streams = ResumableStreams(store := RedisStore(valkey.url, lease=0.2, retry=5, wait=5), GUARD)
        async with serving(streams) as client:
            path = f"/streams/{(await client.post('/streams/', json={'endless': True})).json()['stream']}"
            async with client.stream("GET", path) as answer:
                lines = answer.aiter_lines()
                assert (await anext(lines)).startswith("id: 1-")
                away_after(store, 0.3)
                valkey.kill()
                rest = [line async for line in lines]
            assert not any(line.startswith(("event: error", "event: done")) for line in rest)
            assert (await client.get(path)).status_code == 503


# -- a browser's own EventSource ---------------------------------------------------------------------------------------

PAGE = """<!doctype html><link rel="icon" href="data:,"><script>
window.follow = (url) => new Promise((stopped) => {
  const source = new EventSource(url), heard = [];
  for (const name of ["text", "done", "error"]) {
    source.addEventListener(name, ({ data, lastEventId }) => {
      if (data !== undefined) heard.push([name, data, lastEventId]);
      else if (source.readyState === EventSource.CLOSED) stopped(heard);
    });
  }
});
</script>"""


async def append(store: MemoryStore | RedisStore, lease: Lease, *texts: str) -> list[str]:
    events: list[SseFields] = [{"event": "text", "data": json.dumps(text)} for text in texts]
    return [entry.id for entry in await store.append(lease, events)]


Case = Callable[[MemoryStore, str], Awaitable[Any]]


async def _over(store: MemoryStore, stream: str) -> None:
    """It reads to the end, comes back behind it, and stops."""
    lease = await store.acquire(stream, "me")
    assert lease is not None
    await append(store, lease, "a", "b")
    await store.finalize(lease, "done", {"event": "done", "data": "{}"})


async def _unknown(store: MemoryStore, stream: str) -> None: ...


async def _foreign(store: MemoryStore, stream: str) -> None:
    assert await store.acquire(stream, "you") is not None


async def _expired(store: MemoryStore, stream: str) -> None:
    await _over(store, stream)
    store._forget(stream)


async def _trimmed(store: MemoryStore, stream: str) -> None:
    store._maxlen = 2
    await _over(store, stream)


async def _lost(store: MemoryStore, stream: str) -> None:
    """It reads, and the store loses the stream under it: it hears so, comes back with what it was told, and stops."""
    lease = await store.acquire(stream, "me")
    assert lease is not None
    await append(store, lease, "a", "b")

    async def lose() -> None:
        while not store._streams[stream].waiting:
            await asyncio.sleep(0.01)
        kept = store._drop(stream)
        store._graves[stream] = kept.lease.owner

    store.losing = asyncio.create_task(lose())  # type: ignore[attr-defined]


CASES: dict[str, tuple[Case, str, list[str]]] = {
    "over": (_over, "", ["text", "text", "done"]),
    "unknown": (_unknown, "", []),
    "another's": (_foreign, "", []),
    "nobody's": (_over, "", []),
    "expired": (_expired, "", []),
    "trimmed": (_trimmed, "", []),
    "garbage": (_over, "?after=garbage", []),
    "ahead": (_over, "?after=99-7", ["error"]),
    "lost while reading": (_lost, "", ["text", "text", "error"]),
}


async def test_an_event_source_stops_in_each_case(tmp_path: Path) -> None:
    """By itself, with nothing of ours in the page; and it asks no more often than it has to."""
    asked: list[str] = []

    def watched(app: Any) -> Any:
        async def counting(scope: Any, receive: Any, send: Any) -> None:
            asked.append(scope["path"])
            await app(scope, receive, send)

        return counting

    stores_of: dict[str, Any] = {name: MemoryStore() for name in CASES}
    stores_of["away"] = RedisStore(f"unix://{tmp_path}/nobody", wait=0.1, retry=0.1)
    streams = {name: ResumableStreams(store, GUARD) for name, store in stores_of.items()}
    sessions: list[Any] = [(lambda _: None) if name == "nobody's" else session for name in streams]
    mounts = [
        Mount(f"/{at}", resume_routes(one, session=whose))
        for at, (one, whose) in enumerate(zip(streams.values(), sessions, strict=True))
    ]
    page = Route("/", lambda _: HTMLResponse(PAGE, headers={"set-cookie": "session=me"}))
    async with served(watched(Starlette(routes=[page, *mounts]))) as url, browser.browser() as chromium:
        tab = await chromium.new_page()
        await tab.goto(url)

        async def stops(at: int, name: str) -> None:
            make, query, meant = CASES.get(name, (_unknown, "", []))
            await make(stores_of[name], "s")
            async with asyncio.timeout(300):
                heard = await tab.evaluate(f"follow('/{at}/s{query}')")
            assert [event for event, _, _ in heard] == meant, name
            assert asked.count(f"/{at}/s") == (2 if meant else 1), name

        await asyncio.gather(*(stops(at, name) for at, name in enumerate(streams)))
    for one in streams.values():
        await one.aclose()
        await one.store.aclose()
