"""The demo's server, as a page or a program uses it: real requests over loopback."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from stream_guard_adapters.resume import Entry

from demo_server.__main__ import _options
from demo_server.app import Demo
from demo_server.chats import TOOLS
from demo_server.endpoints import Endpoint, Endpoints
from demo_server.history import Execution, History, Turn
from demo_server.manners import Rate, named
from demo_server.models import Asked, Script
from demo_server.scenarios import BY_NAME, SCENARIOS, meant
from demo_server.sessions import Sessions
from demo_server.settings import Settings
from tests.kit.demo import JSON, Held, Session, blocks, heard, original, program, running, session
from tests.kit.provider import Provider, Trouble
from tests.kit.scenarios import RUN
from tests.kit.servers import free_port
from tests.kit.servers import served as serving

ROOT = Path(__file__).parents[2]

QUICK = {"pace": 0.0, "rate": 1000.0, "burst": 1000}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "STREAM_GUARD_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[tuple[str, Demo]]:
    async with running(Settings(tmp_path, **QUICK)) as found:  # type: ignore[arg-type]
        yield found


@pytest.fixture
async def me(served: tuple[str, Demo]) -> AsyncIterator[Session]:
    async with session(served[0]) as made:
        yield made


@pytest.mark.parametrize("name", BY_NAME)
async def test_every_scenario_ends_as_its_name_says(name: str, me: Session) -> None:
    turn = await me.begin(name)
    events = await me.events(turn)
    done = [(block, await me.run(turn, block["id"], block["part"])) for block in blocks(events)]
    ran = [(block.get("correctedBy"), answer.json()["path"]) for block, answer in done if answer.status_code == 200]
    files = dict((await me.client.get("/api/state")).json()["files"])

    assert events[-1][1] == "done"
    assert ran == RUN[name]
    assert all(answer.json()["state"] == "completed" for _, answer in done if answer.status_code == 200)
    assert all((path in files) == (path != "src/OldButton.tsx") for _, path in ran)
    assert all(answer.status_code == 409 for block, answer in done if not block["executable"])
    if not BY_NAME[name].native:
        assert original(events) == BY_NAME[name].reply


def test_every_scenario_is_expected_and_found_by_its_request() -> None:
    assert list(RUN) == list(BY_NAME)
    assert [meant(one.request) for one in SCENARIOS] == list(SCENARIOS)
    assert meant("Compose a poem about autumn leaves") is None
    assert meant("?") is None


# -- executions --------------------------------------------------------------------------------------------------------


async def test_a_block_is_run_once_however_often_it_is_asked_for(me: Session) -> None:
    turn = await me.begin("old-new")
    (block,) = blocks(await me.events(turn))
    answers = await asyncio.gather(*(me.run(turn, block["id"]) for _ in range(20)))
    again = await me.run(turn, block["id"])
    metrics = (await me.client.get("/metrics")).text

    assert {answer.text for answer in answers} == {again.text}
    assert again.json()["state"] == "completed"
    assert 'stream_guard_executions_total{state="completed"} 1.0' in metrics


async def test_an_edit_that_does_not_fit_fails_and_says_why(me: Session) -> None:
    for expected in ("completed", "failed"):
        turn = await me.begin("old-new")
        (block,) = blocks(await me.events(turn))
        told = (await me.run(turn, block["id"])).json()
        assert told["state"] == expected
    assert "does not stand" in told["message"]


async def test_what_was_done_is_undone(me: Session) -> None:
    turn = await me.begin("two-blocks")
    for block in blocks(await me.events(turn)):
        path = (await me.run(turn, block["id"])).json()["path"]
        before = (await me.client.get(f"/api/files/{path}")).status_code
        answers = [(await me.run(turn, block["id"], act="undo")) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 404]
        assert answers[0].json()["state"] == "undone"
        assert (await me.client.get(f"/api/files/{path}")).status_code == {200: 404, 404: 200}[before]
        assert (await me.run(turn, block["id"])).json()["state"] == "undone"


async def test_a_result_says_what_became_of_the_file(me: Session) -> None:
    """A text that was there already is no change, and nothing to undo; a refusal says whether the effect is gone."""
    path = RUN["raw-newline"][0][1]
    ran: list[tuple[str, str]] = []

    async def run() -> dict[str, Any]:
        turn = await me.begin("raw-newline")
        (block,) = blocks(await me.events(turn))
        ran.append((turn, block["id"]))
        done: dict[str, Any] = (await me.run(*ran[-1])).json()
        return done

    async def undo(at: int) -> tuple[int, str]:
        answer = await me.run(*ran[at], act="undo")
        told = answer.json()
        return answer.status_code, told["error"]["message"] if "error" in told else told["state"]

    done = [await run() for _ in range(2)]
    assert [(one["message"], one["undoable"]) for one in done] == [(f"Created {path}", True), (f"No change: {path}", False)]
    assert await undo(1) == (404, "There is nothing to undo")
    assert await undo(0) == (200, "undone")
    assert (await run())["message"] == f"Created {path}"


async def test_a_refused_undo_says_whether_the_effect_is_gone(served: tuple[str, Demo], me: Session, tmp_path: Path) -> None:
    """The file as it was before, deleted, and changed by another."""
    _, demo = served
    turn = await me.begin("old-new")
    (block,) = blocks(await me.events(turn))
    done = (await me.run(turn, block["id"])).json()
    path = done["path"]
    (there,) = [found for found in (tmp_path / "workspaces").rglob(path) if found.is_file()]
    before = (await demo.chats.history.execution(turn, block["id"], 1)).before  # type: ignore[union-attr]
    for text, why in ((before, "is gone: 'src/App.tsx' is as it was before"), ("x", "Not undone"), (None, "is deleted")):
        there.unlink() if text is None else there.write_text(text, encoding="utf-8")
        answer = await me.run(turn, block["id"], act="undo")
        assert answer.status_code == 409 and why in answer.json()["error"]["message"]


async def test_only_what_is_in_the_history_is_run(me: Session) -> None:
    turn = await me.begin("valid")
    (block,) = blocks(await me.events(turn))
    for asked, status in (
        ({"block": "no"}, 404), ({"block": block["id"], "part": 2}, 404), ({"block": block["id"], "part": "1"}, 422), ({}, 422),
        ({"block": block["id"], "content": "mine"}, 200),
    ):  # fmt: skip
        answer = await me.client.post(f"/api/turns/{turn}/run", json=asked)
        assert answer.status_code == status, answer.text
    text = (await me.client.get(f"/api/files/{block['path']}")).json()["text"]
    assert text == block["arguments"]["content"]


# -- chats -------------------------------------------------------------------------------------------------------------


async def test_a_chat_is_named_found_deleted_and_restored_by_its_session(served: tuple[str, Demo], me: Session) -> None:
    turn = await me.begin("valid")
    await me.events(turn)
    first = (await me.client.get("/api/state")).json()["chat"]
    second = (await me.client.post("/api/reset", json={})).json()["chat"]
    assert (await me.client.post("/api/reset", json={})).json()["chat"] == second  # it is empty already
    assert (await me.client.get("/api/state", params={"chat": first})).json()["turns"][0]["id"] == turn
    begun = await me.client.post("/api/turns", json={"scenario": "old-new", "chat": first})
    assert begun.json()["chat"] == first

    async def listed(find: str = "") -> list[tuple[str, str, int]]:
        found = (await me.client.get("/api/chats", params={"find": find})).json()["chats"]
        return [(one["id"], one["name"], one["turns"]) for one in found]

    assert await listed() == [(first, BY_NAME["valid"].request, 2)]
    assert (await me.client.post(f"/api/chats/{first}", json={"name": "Käse % _"})).status_code == 200
    assert await listed("käse") == await listed("_ %") == [(first, "Käse % _", 2)]
    assert await listed("% nothing") == []
    async with session(served[0]) as other:
        for change in ({"name": "x"}, {"deleted": True}, {"deleted": False}):
            assert (await other.client.post(f"/api/chats/{first}", json=change)).status_code == 404
        assert (await other.client.get("/api/state", params={"chat": first})).json()["turns"] == []
        assert (await other.client.get("/api/chats")).json() == {"chats": [], "deleted": []}
    for wrong in ({}, {"name": 5}, {"name": "x" * 200}, {"deleted": 1}):
        assert (await me.client.post(f"/api/chats/{first}", json=wrong)).status_code == 422
    before = time.time()
    assert (await me.client.post(f"/api/chats/{first}", json={"deleted": True})).status_code == 200
    after = time.time()
    assert (await me.client.get("/api/state", params={"chat": first})).json()["chat"] == second
    assert (await me.client.get(f"/api/turns/{turn}/events")).status_code == 404
    assert await listed() == []
    (deleted,) = (await me.client.get("/api/chats")).json()["deleted"]
    assert (deleted["id"], deleted["name"]) == (first, "Käse % _")
    assert before + 600 <= deleted["until"] <= after + 600
    async with session(served[0]) as other:
        assert (await other.client.get("/api/chats")).json()["deleted"] == []
    assert (await me.client.post(f"/api/chats/{first}", json={"deleted": False})).status_code == 200
    assert (await me.client.get("/api/state", params={"chat": first})).json()["turns"][0]["id"] == turn


async def test_what_was_deleted_long_ago_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History(tmp_path / "history.db")
    for _ in range(2):
        chat = await history.chat("s", new=True)
        await history.begin(Turn(f"turn of {chat}", chat, "s", "a", None, None))
        await history.keep(f"turn of {chat}", [Entry("1", "text", '"a"')])
        await history.claim(f"turn of {chat}", "b", 1)
    await history.delete("s", chat)
    assert [one.id for one in await history.deleted("s")] == [chat]
    later = time.time() + 700
    monkeypatch.setattr("demo_server.history.time.time", lambda: later)
    assert await history.deleted("s") == []
    assert not await history.restore("s", chat)
    other = await history.chat("s", new=True)
    await history.delete("s", other)
    assert not await history.restore("s", chat)
    assert [len(await history._found(f"SELECT * FROM {table}")) for table in ("turns", "events", "executions")] == [1, 1, 1]
    await history.aclose()


async def test_a_running_turn_of_a_deleted_chat_is_stopped(tmp_path: Path) -> None:
    async with running(Settings(tmp_path)) as (url, demo), session(url) as me:
        demo.chats.model = Held()  # type: ignore[misc]
        turn = await me.begin("valid")
        chat = (await me.client.get("/api/state")).json()["chat"]
        events: list[Any] = []
        reading = asyncio.create_task(me.events(turn, into=events))
        await heard(events)
        await me.client.post(f"/api/chats/{chat}", json={"deleted": True})
        await asyncio.wait_for(reading, 300)
        assert events[-1][1:] == ("done", {"ending": "stopped"})
        while demo.chats.streams.running:
            await asyncio.sleep(0.01)


# -- sessions and resuming ---------------------------------------------------------------------------------------------


async def test_another_session_sees_nothing(me: Session) -> None:
    turn = await me.begin("valid")
    (block,) = blocks(await me.events(turn))
    async with session(me.url) as other:
        for method, path in (("GET", "events"), ("GET", "raw"), ("POST", "stop"), ("POST", "run"), ("POST", "undo")):
            answer = await other.client.request(method, f"/api/turns/{turn}/{path}", json={"block": block["id"]})
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found"), path
        assert (await other.client.get("/api/state")).json()["turns"] == []
    async with httpx2.AsyncClient(base_url=me.url, headers=JSON) as nobody:
        for path in ("/api/state", f"/api/turns/{turn}/events"):
            assert (await nobody.get(path)).status_code == 401
        forged = {"cookie": "stream_guard_session=../../etc"}
        assert (await nobody.get("/api/state", headers=forged)).status_code == 401


async def test_a_cookie_that_somebody_made_up_is_no_session(tmp_path: Path) -> None:
    """Nor is another demo's, or one that was changed: it makes nothing, and gets a session of its own."""
    (tmp_path / "one").mkdir()
    async with running(Settings(tmp_path / "one", **QUICK)) as (url, _), session(url) as me:  # type: ignore[arg-type]
        good = me.client.cookies["stream_guard_session"]
        token, _, signature = good.partition(".")
        other = Sessions(tmp_path).begin()
        made = [
            "A" * 43,
            token,
            f"{token}.",
            f"{token}.{'A' * 43}",
            f"{'A' * 43}.{signature}",
            good + "A",
            good[:-1],
            f"{good}.{signature}",
        ]
        made += [other, signature, f"{signature}.{token}", good.upper(), f"{token}.{signature[:-1]}_"]
        made += ["", ".", "../../etc", f"{token}.{signature}%00"]
        for cookie in made:
            async with httpx2.AsyncClient(base_url=url, headers={**JSON, "cookie": f"stream_guard_session={cookie}"}) as forger:
                for method, path in (("GET", "state"), ("GET", "files"), ("POST", "turns"), ("POST", "reset")):
                    answer = await forger.request(method, f"/api/{path}", json={"scenario": "valid"})
                    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "no_session"), cookie
                fresh = (await forger.get("/")).cookies["stream_guard_session"]
                assert fresh.count(".") == 1
                assert fresh not in (cookie, good)
        assert not (tmp_path / "one" / "workspaces").exists()
        assert "set-cookie" not in (await me.client.get("/")).headers
        await me.client.get("/api/state")
        assert len(list((tmp_path / "one" / "workspaces").iterdir())) == 1


def test_workers_that_begin_at_once_have_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as threads:
        made = list(threads.map(lambda _: Sessions(tmp_path), range(64)))
    cookies = [one.begin() for one in made]
    assert all(one.of(cookie) for one in made for cookie in cookies)
    assert [(path.name, path.stat().st_mode & 0o777) for path in tmp_path.iterdir()] == [("session.key", 0o600)]
    (tmp_path / "session.key").write_bytes(b"")
    with pytest.raises(ValueError, match="delete it"):
        Sessions(tmp_path)


async def test_events_resume_after_any_id(me: Session) -> None:
    turn = await me.begin("two-blocks")
    whole = await me.events(turn)
    for at in range(0, len(whole), 7):
        assert await me.events(turn, whole[at][0]) == whole[at + 1 :]
    for after in ("x", "-1", "1-1-1"):
        answer = await me.client.get(f"/api/turns/{turn}/events", headers={"last-event-id": after})
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_event_id")


@pytest.mark.some(0)
async def test_a_restart_shows_everything_as_it_was(tmp_path: Path) -> None:
    """Also what was being written when the server was killed: it is there as far as it came, and ends as interrupted."""
    settings = ("--data", str(tmp_path), "--pace", "400", "--private-models")
    written = 'Sure.\n\n```json\n{"tool": "delete_file", "path": "a.txt"}\n```\n\nThen:\n\n```json\n{"tool": '
    async with Provider(lambda _: [written, Trouble.HANG]) as provider:
        with program(*settings) as (process, url):
            async with session(url) as me:
                done = await me.begin("valid")
                (block,) = blocks(await me.events(done))
                await me.run(done, block["id"])
                await me.client.post("/api/model", json=own(provider.url))
                cut = (await me.client.post("/api/turns", json={"request": "a button"})).json()["turn"]
                heard = await me.events(cut, most=4)
                before = (await me.client.get("/api/state")).json()
                cookies = me.client.cookies
            process.kill()
    with program(*settings) as (_, url):
        async with httpx2.AsyncClient(base_url=url, cookies=cookies) as client:
            after, again = [{**(await client.get("/api/state")).json(), "now": None} for _ in range(2)]

    assert after["turns"][0] == before["turns"][0]
    assert after["files"] == before["files"]
    assert after == again
    interrupted = after["turns"][1]
    assert [event["id"] for event in interrupted["events"]][: len(heard)] == [known for known, _, _ in heard]
    assert interrupted["ending"] == "interrupted"
    assert json.loads(interrupted["events"][-1]["data"])["ending"] == "interrupted"


async def test_a_program_that_is_told_to_end_lets_streams_end_first(tmp_path: Path) -> None:
    """One that ends in time ends by itself; one that does not is interrupted, and says so. No new one begins."""
    rest = asyncio.Event()
    settings = ("--data", str(tmp_path), "--private-models", "--drain")
    async with Provider(lambda _: ["Hello.\n", rest, "Bye.\n"]) as provider:
        with program(*settings, "600") as (process, url):
            async with session(url) as me:
                await me.client.post("/api/model", json=own(provider.url))
                events: list[Any] = []
                turn = (await me.client.post("/api/turns", json={"request": "a button"})).json()["turn"]
                reading = asyncio.create_task(me.events(turn, into=events))
                await heard(events)
                process.terminate()
                while (await me.client.get("/healthz")).status_code == 200:
                    pass
                assert (await me.client.post("/api/turns", json={"scenario": "valid"})).status_code == 503
                async with httpx2.AsyncClient(base_url=url) as newcomer:
                    assert (await newcomer.get("/healthz")).status_code == 503
                assert process.poll() is None
                rest.set()
                await asyncio.wait_for(reading, 300)
            assert await asyncio.to_thread(process.wait, 60) is not None
        assert events[-1][1:] == ("done", {})
        rest.clear()
        with program(*settings, "0.2") as (process, url):
            async with session(url) as me:
                await me.client.post("/api/model", json=own(provider.url))
                events = []
                turn = (await me.client.post("/api/turns", json={"request": "a button"})).json()["turn"]
                reading = asyncio.create_task(me.events(turn, into=events))
                await heard(events)
                process.terminate()
                await asyncio.wait_for(reading, 300)
            assert await asyncio.to_thread(process.wait, 60) is not None
    assert events[-1][1] == "error"
    assert events[-1][2]["ending"] == "interrupted"


async def test_the_history_takes_many_at_once(tmp_path: Path) -> None:
    """Whatever is let go of on one side while something else is done on the other."""
    history = History(tmp_path / "h.db")

    async def one(number: int) -> bool:
        turn = Turn(f"t{number}", await history.chat(f"s{number % 7}"), f"s{number % 7}", "r", None, None)
        await history.begin(turn)
        kept = [Entry(f"{n}-{number}", "text", "x" * 500) for n in range(300)]
        for at in range(0, 300, 15):
            await history.keep(turn.id, kept[max(at - 2, 0) : at + 15])
        claims = await asyncio.gather(*(history.claim(turn.id, "b", 1) for _ in range(3)))
        await history.finish(Execution(turn.id, "b", 1, 0, "completed"))
        await history.ended(turn.id, "done")
        known, done = await history.turn(turn.id), await history.execution(turn.id, "b", 1)
        assert known is not None and known.ending == "done" and done is not None and done.state == "completed"
        return sum(claims) == 1 and await history.events(turn.id) == kept

    assert all(await asyncio.gather(*map(one, range(150))))
    await history.aclose()


async def test_a_stop_ends_the_upstream(tmp_path: Path) -> None:
    async with running(Settings(tmp_path, pace=200)) as (url, demo), session(url) as me:
        closed: list[bool] = []

        class Endless:
            name, replayable, corrector = "endless", False, demo.chats.model.corrector

            async def stream(self, asked: Asked) -> AsyncIterator[str]:
                return self._words()

            async def aclose(self) -> None:
                pass

            async def _words(self) -> AsyncIterator[str]:
                try:
                    while True:
                        yield "word "
                        await asyncio.sleep(0.005)
                finally:
                    closed.append(True)

        demo.chats.model = Endless()  # type: ignore[misc]
        turn = (await me.client.post("/api/turns", json={"request": "go"})).json()["turn"]
        events: list[Any] = []
        reading = asyncio.create_task(me.events(turn, into=events))
        await heard(events, 5)
        answer = await me.client.post(f"/api/turns/{turn}/stop", json={})
        await asyncio.wait_for(reading, 300)

        assert answer.status_code == 202
        assert events[-1][1:] == ("done", {"ending": "stopped"})
        assert closed == [True]
        assert (await me.client.post(f"/api/turns/{turn}/stop", json={})).status_code == 202  # again does nothing


# -- manners -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "content", "status", "code"),
    [
        ({}, b"{", 400, "http_error"),
        ({}, b"[]", 422, "http_error"),
        ({}, b"[" * 60_000, 400, "http_error"),
        ({}, b'{"request": ""}', 422, "bad_request"),
        ({}, b'{"request": 7}', 422, "bad_request"),
        ({}, json.dumps({"request": "x" * 8001}).encode(), 422, "bad_request"),
        ({}, b'{"scenario": "no"}', 422, "unknown_scenario"),
        ({}, b'{"scenario": {}}', 422, "unknown_scenario"),
        ({}, b" " * 70_000, 413, "too_long"),
        ({"content-type": "text/plain"}, b"{}", 415, "not_json"),
        ({"origin": "https://evil.example"}, b"{}", 403, "foreign_origin"),
        ({"sec-fetch-site": "cross-site"}, b"{}", 403, "foreign_origin"),
        ({"sec-fetch-site": "same-site"}, b"{}", 403, "foreign_origin"),
        ({"origin": "evil://{host}"}, b"{}", 403, "foreign_origin"),
        ({"origin": "null"}, b"{}", 403, "foreign_origin"),
        ({"content-type": "application/json-x"}, b"{}", 415, "not_json"),
        ({"host": "evil.example"}, b"{}", 421, "unknown_host"),
        ({"host": "evil.example:80"}, b"{}", 421, "unknown_host"),
        ({"host": ""}, b"{}", 421, "unknown_host"),
        ({"host": "127.0.0.1:evil.com"}, b"{}", 421, "unknown_host"),
    ],
)
async def test_bad_requests_get_a_clear_error(
    me: Session, headers: dict[str, str], content: bytes, status: int, code: str
) -> None:
    headers = {name: value.replace("{host}", me.url.removeprefix("http://")) for name, value in headers.items()}
    answer = await me.client.post("/api/turns", content=content, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["message"]


@pytest.mark.some(13)
@pytest.mark.parametrize("act", ["run", "undo"])
@pytest.mark.parametrize(
    "asked",
    [
        {}, {"block": None}, {"block": 1}, {"block": ""}, {"block": "\ud800"}, {"block": "\x00"}, {"block": "x" * 1_000},
        {"block": "b1", "part": 10**30}, {"block": "b1", "part": -(10**30)}, {"block": "b1", "part": True},
        {"block": "b1", "part": 0}, {"block": "b1", "part": 1.0}, {"block": "b1", "part": None},
    ],
)  # fmt: skip
async def test_what_can_be_no_block_is_no_fault(me: Session, act: str, asked: dict[str, Any]) -> None:
    turn = await me.begin("valid")
    await me.events(turn)
    answer = await me.client.post(f"/api/turns/{turn}/{act}", content=json.dumps(asked))
    assert answer.status_code == 422, answer.text


MINE = "127.0.0.1 127.0.0.1:80 localhost LOCALHOST:8765 [::1] [::1]:80 [0:0:0:0:0:0:0:1]:80 [0000::0001]"
STRANGE = """
127.0.0.1:evil.com 127.0.0.1:80:evil.com 127.0.0.1:99999 127.0.0.1: 127.0.0.1:-1 127.0.0.1:+80 127.0.0.1:８０ :80 evil.com:80
127.0.0.1.evil.com localhost.evil.com evil.com#127.0.0.1 evil.com/127.0.0.1 user@127.0.0.1 127.0.0.1@evil.com 127.0.0.1,evil
::1 ::1:80 [::1 ::1] [::1]evil.com [::1]:evil.com [::1].evil.com [::2] [::ffff:127.0.0.1] [::1%25lo] [] [:] [127.0.0.1] 127.1
2130706433 0x7f.1 127.0.0.1. localhost. 127.0.0.2 0.0.0.0 [::] ., . - localhost\\ localhost% *
"""


async def told_of_host(url: str, *hosts: str) -> int:
    """The status for a request with these Host headers, sent as they are."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    lines = [b"GET /healthz HTTP/1.1", *(b"Host: " + host.encode() for host in hosts), b"Connection: close", b"", b""]
    writer.write(b"\r\n".join(lines))
    answer = await reader.read()
    writer.close()
    return int(answer.split()[1])


async def test_a_host_is_read_as_one(served: tuple[str, Demo]) -> None:
    """Its name is known, its port is a number, and nothing else is there; whoever refuses it, the server or the demo."""
    assert [host for host in MINE.split() if await told_of_host(served[0], host) != 200] == []
    assert [host for host in STRANGE.split() if await told_of_host(served[0], host) not in (400, 421)] == []
    assert len(STRANGE.split()) > 40
    assert await told_of_host(served[0], "127.0.0.1", "evil.com") in (400, 421)
    assert await told_of_host(served[0]) in (400, 421)


@pytest.mark.parametrize(
    ("host", "taken"), [("::1", True), ("[::1]", True), ("a.b", True), ("a:80", False), ("[::1]:80", False), ("a b", False)]
)
def test_a_host_that_is_added_is_one_without_a_port(host: str, taken: bool, capsys: pytest.CaptureFixture[str]) -> None:
    if taken:
        assert all(map(named, _options(["--host", host]).host))
    else:
        with pytest.raises(SystemExit):
            _options(["--host", host])
        assert "without a port" in capsys.readouterr().err


async def test_half_a_character_in_a_request_is_no_fault(me: Session) -> None:
    answer = await me.client.post("/api/turns", content=b'{"request": "\\ud800 button"}')
    assert answer.status_code == 201


async def test_what_is_not_there_is_said(me: Session) -> None:
    for path in ("/no", "/api/files/no", "/api/files/../../etc/passwd", "/api/turns/no/events", "/page/../app.py"):
        answer = await me.client.get(path)
        assert answer.status_code in (404, 409), path
    for path in ("/api/files/%2e%2e/history.db", "/page/..%2fapp.py", "/client/..%2f..%2f..%2fpyproject.toml"):
        assert (await me.client.get(path)).status_code in (404, 409), path


async def test_every_answer_bears_the_policy(me: Session) -> None:
    for path in ("/", "/page/main.js", "/client/index.js", "/api/state", "/healthz", "/no"):
        policy = (await me.client.get(path)).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


async def test_streams_and_requests_have_a_rate(tmp_path: Path) -> None:
    async with running(Settings(tmp_path, rate=1 / 600, burst=3, own_streams=2)) as (url, demo), session(url) as me:
        demo.chats.model = Held()  # type: ignore[misc]
        answers = [await me.client.post("/api/turns", json={"scenario": "valid"}) for _ in range(4)]
        codes = [answer.json().get("error", {}).get("code") for answer in answers]
        async with session(url) as other:
            await other.begin("valid")

    assert codes == [None, None, "too_many_streams", "too_fast"]
    assert 1 <= int(answers[3].headers["retry-after"]) <= 600


async def test_what_only_looks_has_a_rate_too(tmp_path: Path) -> None:
    """Of its own, so that a session that looks too often can still stop what runs; and pages that begin sessions have one."""
    async with running(Settings(tmp_path, pace=50, rate=1 / 600, burst=3, newcomers=4)) as (url, _), session(url) as me:
        answers = [await me.client.get(path) for path in ("/api/state", "/api/files", "/api/files/no", "/", "/api/state")]
        assert [answer.status_code for answer in answers] == [200, 200, 404, 429, 429]
        assert 1 <= int(answers[4].headers["retry-after"]) <= 600
        assert (await me.client.head("/api/state")).status_code == 429
        await me.begin("valid")
        async with httpx2.AsyncClient(base_url=url) as stranger:
            statuses = []
            for _ in range(5):
                stranger.cookies.clear()
                statuses.append((await stranger.get("/")).status_code)
    assert statuses == [200, 200, 200, 429, 429]


async def test_a_session_reads_so_many_streams_at_once(tmp_path: Path) -> None:
    async with running(Settings(tmp_path, own_readers=2)) as (url, demo), session(url) as me:
        demo.chats.model = model = Held()  # type: ignore[misc]
        turn = await me.begin("valid")
        read: list[list[Any]] = [[], []]
        readers = [asyncio.create_task(me.events(turn, into=events)) for events in read]
        for events in read:
            await heard(events)
        answer = await me.client.get(f"/api/turns/{turn}/events")
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_readers")
        model.go_on()
        await asyncio.gather(*readers)
        while demo._readers:
            await asyncio.sleep(0.01)
        assert (await me.events(turn))[-1][1] == "done"


async def test_who_asks_at_once_gets_no_more_than_who_asks_in_turn(tmp_path: Path) -> None:
    """Neither streams nor readers: what is being begun counts from the first moment on, and what was refused does not."""
    limits: Any = {"own_streams": 3, "own_readers": 5, "rate": 1000.0, "burst": 1000}
    async with running(Settings(tmp_path, **limits)) as (url, demo), session(url) as me:
        demo.chats.model = Held()  # type: ignore[misc]
        asked = await asyncio.gather(*(me.client.post("/api/turns", json={"scenario": "valid"}) for _ in range(20)))
        begun = [answer.json()["turn"] for answer in asked if answer.status_code == 201]
        assert len(begun) == 3
        assert {answer.status_code for answer in asked} == {201, 429}

        async def reads(at: int) -> int:
            async with me.client.stream("GET", f"/api/turns/{begun[0]}/{('events', 'raw')[at % 2]}") as answer:
                if answer.status_code == 200:
                    await anext(aiter(answer.aiter_bytes()))
                    await enough.wait()
                refused.append(answer.status_code)
                if answer.status_code != 200 and len(refused) == 15:
                    enough.set()
                return answer.status_code

        enough, refused = asyncio.Event(), list[int]()
        statuses = await asyncio.wait_for(asyncio.gather(*map(reads, range(20))), 300)
        assert sorted(statuses) == [200] * 5 + [429] * 15
        while demo._readers:
            await asyncio.sleep(0.01)
        for turn in begun:
            await me.client.post(f"/api/turns/{turn}/stop", json={})
        while demo.chats.streams.running:
            await asyncio.sleep(0.01)
        await me.begin("valid")


def test_a_rate_lets_through_what_it_says() -> None:
    now = [0.0]
    rate = Rate(2, 3, clock=lambda: now[0], names=5)
    assert [rate.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]
    now[0] = 0.5
    assert [rate.wait("a"), rate.wait("a")] == [0, 0.5]
    for name in "bcdefg":
        assert rate.wait(name) == 0
    assert len(rate._left) == 5


async def test_health_and_metrics_tell_by_outcome(me: Session) -> None:
    for name in ("valid", "raw-newline", "corrected", "uncorrectable", "example"):
        await me.events(await me.begin(name))
    health: Any = None
    while health != {"status": "ok", "streams": 0}:  # a reader has its end a moment before its producer
        health = (await me.client.get("/healthz")).json()
    metrics = (await me.client.get("/metrics")).text

    for outcome in ("valid", "fixed", "corrected"):
        assert f'stream_guard_blocks_total{{outcome="{outcome}",tool="write_file"}} 1.0' in metrics
    assert 'stream_guard_blocks_total{outcome="failed",tool="unknown"} 1.0' in metrics
    assert 'stream_guard_blocks_total{outcome="released",tool="none"} 1.0' in metrics
    assert 'stream_guard_turns_total{ending="done"} 5.0' in metrics


async def test_the_log_holds_no_content(me: Session, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        turn = (await me.client.post("/api/turns", json={"request": "SECRET button"})).json()["turn"]
        for block in blocks(await me.events(turn)):
            await me.run(turn, block["id"])
    ours = [record for record in caplog.records if record.name.startswith(("demo_server", "stream_guard"))]
    said = " ".join(f"{record.getMessage()} {getattr(record, 'told', '')}" for record in ours)
    assert "/api/turns/{turn}/events" in said
    for secret in ("SECRET", "Button", turn):
        assert secret not in said


async def test_what_is_read_and_goes_well_is_logged_only_when_that_is_asked_for(
    me: Session, caplog: pytest.LogCaptureFixture
) -> None:
    """A page that is opened fetches dozens of files, and the address would scroll away."""
    with caplog.at_level(logging.INFO, "demo_server"):
        for path in ("/", "/page/main.js", "/client/index.js", "/api/state", "/api/files"):
            assert (await me.client.get(path)).status_code == 200
        assert [record for record in caplog.records if record.name == "demo_server"] == []
        assert (await me.client.get("/page/nothing.js")).status_code == 404
        await me.begin("valid")
    told = [getattr(record, "told", {}) for record in caplog.records if record.name == "demo_server"]
    assert [(one["method"], one["status"]) for one in told] == [("GET", 404), ("POST", 201)]


# -- real models -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_real_client_answers_where_there_is_a_key(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the toolset's own prompt, the chat so far, and what became of its calls."""
    from stream_guard_adapters.cassettes.cassette import Cassette
    from stream_guard_adapters.cassettes.replay_server import ReplayServer
    from stream_guard_conformance.corpus.native import as_chat, as_messages

    make: Any = {"openai": as_chat, "anthropic": as_messages}[provider]
    reply = 'Sure.\n\n```json\n{"tool": "write_file", "path": "a.txt", "content": "a"}\n```\n'
    with ReplayServer(Cassette(make([reply[at : at + 5] for at in range(0, len(reply), 5)])), repeat=True) as upstream:
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "k")
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", upstream.url)
        monkeypatch.setenv("STREAM_GUARD_MODEL", "m-1")
        async with running(Settings(tmp_path, **QUICK)) as (url, _), session(url) as me:  # type: ignore[arg-type]
            for request in ("first", "second"):
                turn = (await me.client.post("/api/turns", json={"request": request})).json()["turn"]
                events = await me.events(turn)
                (block,) = blocks(events)
                await me.run(turn, block["id"])
                text = original(events)
                assert block["executable"] and text.endswith(reply)
            state = (await me.client.get("/api/state")).json()
        bodies = [json.loads(body) for _, _, body in upstream.requests]

    assert state["model"] == "m-1"
    assert all("write_file" in json.dumps(body.get("system", body["messages"][0])) for body in bodies)
    said = [message["content"] for message in bodies[1]["messages"] if message["role"] != "system"]
    assert said == ["first", text, "[write_file a.txt: Created a.txt]\nsecond"]


# -- a model of a session's own ----------------------------------------------------------------------------------------

KEY = "sk-nobody-else-reads-this"


def own(base: str, model: str = "m-1", key: str = KEY) -> dict[str, str]:
    return {"base": base, "model": model, "key": key}


async def test_a_session_has_a_model_of_its_own_until_it_forgets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The key goes to its base URL and nowhere else, with nothing of this process's environment."""
    for name, value in (("ORG_ID", "o-1"), ("PROJECT_ID", "p-1"), ("CUSTOM_HEADERS", "X-Own: c-1"), ("ADMIN_KEY", "a-1")):
        monkeypatch.setenv(f"OPENAI_{name}", value)
    reply = 'Sure.\n\n```json\n{"tool": "write_file", "path": "a.txt", "content": 5}\n```\n'
    fixed = '```json\n{"tool": "write_file", "path": "a.txt", "content": "five"}\n```'

    def answered(asked: dict[str, Any]) -> list[str]:
        return [fixed] if "response_format" in asked else [reply[at : at + 5] for at in range(0, len(reply), 5)]

    caplog.set_level(logging.DEBUG)
    async with (
        Provider(answered) as provider,
        running(Settings(tmp_path, private=True, **QUICK)) as (url, _),  # type: ignore[arg-type]
        session(url) as me,
        session(url) as other,
    ):
        base = f"{provider.url}/v1"
        answer = await me.client.post("/api/model", json=own(f"{base}/"))
        assert answer.json() == {"own": {"base": base, "model": "m-1"}}
        turn = (await me.client.post("/api/turns", json={"request": "a button"})).json()["turn"]
        (block,) = blocks(await me.events(turn))
        picked = blocks(await me.events(await me.begin("corrected")))
        state = await me.client.get("/api/state")
        assert (await other.client.get("/api/state")).json()["own"] is None
        scripted = await other.events((await other.client.post("/api/turns", json={"request": "a button"})).json()["turn"])
        asked = len(provider.requests)
        assert (await me.client.post("/api/model", json={})).json() == {"own": None}
        await me.events((await me.client.post("/api/turns", json={"request": "a button"})).json()["turn"])

    assert block["executable"]
    assert picked[0]["correctedBy"] == "llm" and len(provider.requests) == asked  # by the script
    assert original(scripted) == BY_NAME["valid"].reply
    assert state.json()["own"] == {"base": base, "model": "m-1"}
    assert all(f"authorization: bearer {KEY}" in head.lower() for head in provider.heads)
    assert not [word for word in ("o-1", "p-1", "c-1", "a-1") for head in provider.heads if word in head]
    assert KEY not in state.text + answer.text + str(answer.headers) + str(me.client.cookies)
    assert KEY not in "".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert not holding(tmp_path, KEY)


def holding(folder: Path, text: str) -> list[Path]:
    """The files below a folder that hold a text."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("base", "why"),
    [
        ("https://127.0.0.1/v1", "private or reserved"),
        ("https://localhost/v1", "private or reserved"),
        ("https://[::1]:8443/v1", "private or reserved"),
        ("https://[::ffff:169.254.169.254]/v1", "private or reserved"),
        ("https://0x7f000001/v1", "private or reserved"),
        ("https://127.1/v1", "private or reserved"),
        ("https://10.0.0.1", "private or reserved"),
        ("https://nobody.invalid/v1", "no such host"),
        ("http://1.1.1.1/v1", "begins with https"),
        ("ftp://1.1.1.1/v1", "is an address such as"),
        ("https://user:secret@1.1.1.1/v1", "has no user"),
        ("https://1.1.1.1/v1?key=k", "no query"),
        ("https://1.1.1.1:99999/v1", "is an address such as"),
        ("https://", "is an address such as"),
        ("https://[1.1.1.1/v1", "is an address such as"),
        ("https://1.1.1.1/a b", "is an address such as"),
        ("https://0177.0.0.1/v1", "is an address such as"),
        ("https://08.1.1.1", "is an address such as"),
        ("https://256.256.256.256", "is an address such as"),
        ("https://①②⑦.0.0.1", "is an address such as"),
        ("https://" + "ä" * 70, "is an address such as"),
        ("https://[v1.a]/v1", "is an address such as"),
    ],
)
async def test_a_base_url_that_may_not_be_asked_is_refused(base: str, why: str, me: Session) -> None:
    answer = await me.client.post("/api/model", json=own(base))
    assert answer.status_code in (422, 502) and why in answer.json()["error"]["message"], answer.text
    assert (await me.client.get("/api/state")).json()["own"] is None


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"base": 5}, "must be strings"),
        ({**own("https://1.1.1.1"), "model": ""}, "the model's name"),
        ({**own("https://1.1.1.1"), "model": "m\n"}, ""),
        ({**own("https://1.1.1.1"), "key": "a b"}, "without blanks"),
        ({**own("https://1.1.1.1"), "key": "ключ"}, "without blanks"),
        ({**own("https://1.1.1.1"), "key": "k\r\nx: y"}, "without blanks"),
    ],
)
async def test_what_is_no_model_is_refused(asked: dict[str, Any], why: str) -> None:
    if why:
        with pytest.raises(ValueError, match=why):
            Endpoint.of(asked, private=False)
    else:
        assert Endpoint.of(asked, private=False).model == "m"
    assert KEY not in repr(Endpoint("https://1.1.1.1", "m", KEY))


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (400, "name"),
        (401, "key"),
        (403, "key"),
        (404, "no such model"),
        (429, "no more requests"),
        (500, "failed"),
        (307, "redirects"),
    ],
)
async def test_a_model_that_does_not_answer_says_why(status: int, why: str, tmp_path: Path) -> None:
    """When it is connected to and when it is asked; in this server's words, since a provider's may repeat the key."""
    async with (
        Provider(lambda _: (status, f"bad key {KEY}")) as provider,
        running(Settings(tmp_path, private=True)) as (url, demo),
        session(url) as me,
    ):
        refused = await me.client.post("/api/model", json=own(provider.url))
        provider.behaviour = lambda _: ["Hello."]
        assert (await me.client.post("/api/model", json=own(provider.url))).status_code == 200
        provider.behaviour = lambda _: (status, f"bad key {KEY}")
        asked = await me.client.post("/api/turns", json={"request": "a button"})
        assert (await me.client.get("/api/state")).json()["turns"] == []
        assert not demo.chats.streams.running
    for answer in (refused, asked):
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "model_away")
        assert why in answer.json()["error"]["message"] and f"status {status}" in answer.json()["error"]["message"]
        assert KEY not in answer.text


async def test_a_server_that_does_not_stream_says_so(tmp_path: Path) -> None:
    async def plain(_: Request) -> Response:
        return JSONResponse({"choices": [{"message": {"content": "Hello."}}]})

    async def packed(_: Request) -> Response:
        return Response(b"", media_type="text/event-stream", headers={"content-encoding": "gzip"})

    async def endless(_: Request) -> Response:
        async def body() -> AsyncIterator[bytes]:
            yield b'data: {"choices": []}\n\n'
            for _ in range(200):
                yield b": " + b"a" * 65_536 + b"\n"
                await asyncio.sleep(0.001)  # a client that has left is noticed

        return StreamingResponse(body(), media_type="text/event-stream")

    def streaming(name: str, said: bytes) -> Route:
        async def one(_: Request) -> Response:
            return Response(said, media_type="text/event-stream")

        return Route(f"/{name}/chat/completions", one, methods=["POST"])

    unread = {"broken": b"data: {nope", "broken_too": b"data: {nope\n\n", "nothing": b"", "done": b"data: [DONE]\n\n",
              "others": b'data: {"type": "ping"}\n\n', "a_list": b"data: [1]\n\n", "words": b"data: hello\n\n"}  # fmt: skip
    app = Starlette(routes=[
        *(Route(f"/{one.__name__}/chat/completions", one, methods=["POST"]) for one in (plain, packed, endless)),
        *(streaming(name, said) for name, said in unread.items()),
    ])  # fmt: skip
    async with running(Settings(tmp_path, private=True)) as (url, _), serving(app) as upstream, session(url) as me:
        for path, why in (
            ("plain", "does not stream"),
            ("packed", "compressed"),
            *((name, "cannot be read") for name in unread),
        ):
            answer = await me.client.post("/api/model", json=own(f"{upstream}/{path}"))
            assert answer.status_code == 502
            assert why in answer.json()["error"]["message"]
        closed = await me.client.post("/api/model", json=own(f"http://127.0.0.1:{free_port()}"))
        assert "cannot be reached" in closed.json()["error"]["message"]
        assert (await me.client.post("/api/model", json=own(f"{upstream}/endless"))).status_code == 200
        turn = (await me.client.post("/api/turns", json={"request": "go"})).json()["turn"]
        assert (await me.events(turn))[-1][1] == "error"  # at eight megabytes


async def test_models_of_ones_own_are_bounded(tmp_path: Path) -> None:
    async with (
        Provider(lambda _: ["Hello."]) as provider,
        running(Settings(tmp_path, private=True, endpoints=2)) as (url, demo),
        session(url) as first,
        session(url) as second,
        session(url) as third,
    ):
        for one in (first, second):
            await one.client.post("/api/model", json=own(provider.url))
        await first.events((await first.client.post("/api/turns", json={"request": "go"})).json()["turn"])
        await third.client.post("/api/model", json=own(provider.url))
        has = [(await one.client.get("/api/state")).json()["own"] is not None for one in (first, second, third)]
    assert has == [True, False, True]
    assert not demo.chats.endpoints._models
    shared = Endpoints(Settings(tmp_path, redis="redis://127.0.0.1"), Script(), TOOLS)
    with pytest.raises(ValueError, match="shares its streams"):
        await shared.connect("s", own("https://api.example.com/v1"))


def test_a_port_that_is_taken_is_told_before_anything_is_installed(tmp_path: Path) -> None:
    """With what helps: for make, and for the program, which says the same. Python alone runs it: nothing else need be there."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        bare = [
            sys.executable,
            "-I",
            "-S",
            "-c",
            "import sys; sys.path.insert(0, '.'); from demo_server.port import main; sys.exit(main())",
        ]
        made = ["make", "demo", f"PORT={port}", f"PYTHON={sys.executable}", f"VENV={tmp_path}"]
        for command in ([*bare, str(port)], [sys.executable, "-m", "demo_server", "--port", str(port)], made):
            told = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
            assert told.returncode == 2, told
            assert f"port {port} is taken; name another: `make demo PORT={port % 65_535 + 1}`" in told.stderr
            assert f"`python -m demo_server --port {port % 65_535 + 1}`" in told.stderr
        assert list(tmp_path.iterdir()) == []
    assert subprocess.run([*bare, str(port)], check=False, cwd=ROOT).returncode == 0
