"""Addresses that are asked whether they answer: none leads into a network that is not open, whatever it is wrapped in."""

from __future__ import annotations

import asyncio
import json
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from servers import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from stream_guard_adapters.reach import is_global, reach, reached

from stream_guard.cli import main
from stream_guard.tools.lessons import validate_lesson_data
from stream_guard.tools.lessons.catalogue import lesson

CLOSED = [
    "127.0.0.1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "::1",
    "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::", "2001:0:4136:e378:8000:63bf:f5ff:fffe", "::7f00:1", "64:ff9b:1::a9fe:a9fe",
]  # fmt: skip


@pytest.mark.parametrize("address", CLOSED)
def test_a_network_that_is_not_open_is_known_in_every_spelling(address: str) -> None:
    assert not is_global(ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700:4700::1111"])
def test_the_open_web_is_open(address: str) -> None:
    assert is_global(ip_address(address))


async def answer(request: Request) -> Response:
    asked = request.path_params["what"]
    if asked == "hang":
        await asyncio.Event().wait()
    if asked.startswith("to/"):
        return RedirectResponse(request.query_params["url"])
    if asked == "loop":
        return RedirectResponse("/loop")
    return PlainTextResponse(request.headers["host"], int(asked))


APP = Starlette(routes=[Route("/{what:path}", answer)])


def loopback(address: Any) -> bool:
    return bool(address.is_loopback)


async def test_what_does_not_answer_is_said_and_why() -> None:
    async with served(APP) as url:
        wanted = [
            f"{url}/{what}" for what in ("200", "204", "404", "500", "loop", f"to/200?url={url}/200", f"to/404?url={url}/404")
        ]
        said = await reached([*wanted, wanted[0]], permitted=loopback)
        assert said == {
            f"{url}/404": "answers with 404",
            f"{url}/500": "answers with 500",
            f"{url}/loop": "redirects more than 3 times",
            wanted[-1]: "answers with 404",
        }
        assert await reached([f"{url}/hang"], seconds=0.2, permitted=loopback) == {
            f"{url}/hang": "no answer within 0.2 seconds"
        }
    assert list((await reached([f"{url}/200"], permitted=loopback)).values()) == ["no answer (ConnectError)"]


async def test_nothing_is_asked_that_leads_elsewhere() -> None:
    """A name of this machine, an address in any spelling, a redirect to one, another scheme, a password."""
    async with served(APP) as url:
        port = url.rpartition(":")[2]
        closed = "leads into a network that is not open"
        inside = [
            f"http://{host}:{port}/200" for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1")
        ]
        said = await reached(inside)
        assert set(said) == set(inside)
        assert {said[inside[0]], said[inside[1]], said[inside[2]]} == {closed}

        def first(address: Any) -> bool:
            return str(address) == "127.0.0.1"

        leading = [f"{url}/to/?url={to}" for to in ("http://169.254.169.254/", "http://[::1]/", "file:///etc/passwd")]
        said = await reached([*leading, f"http://user:secret@127.0.0.1:{port}/200"], permitted=first)
        assert list(said.values()) == [closed, closed, "leads to file, not to the web", "holds a name or a password"]


def test_a_lesson_is_flagged_and_not_refused() -> None:
    """Off unless it is asked for; only addresses that are such are asked, each with its place."""
    asked: list[list[str]] = []

    def nobody(addresses: Any) -> dict[str, str]:
        asked.append(list(addresses))
        return {address: "answers with 404" for address in addresses if "b.png" in address}

    made = lesson("gallery-1", {"slides": [{"image": "https://example.com/a.png"}, {"image": "https://example.com/b.png"}]})
    assert validate_lesson_data(made).issues == ()
    out = validate_lesson_data(made, reach=nobody)
    assert out.success
    assert [(issue.constraint, issue.severity, issue.field) for issue in out.issues] == [
        ("reachable", "warning", "lessonData.widgets[2].content.slides[1].image")
    ]
    assert asked[0].count("https://example.com/a.png") >= 1
    (check,) = [check for check in out.debug.checks if check.name == "composer compatibility"]
    assert (check.passed, "reachable" in check.details) == (True, True)


def test_the_command_asks_when_it_is_told_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = lesson("image-1", {"image": "http://127.0.0.1:9/a.png"})
    made["widgets"][0]["content"] = {"category": "Arte"}
    (tmp_path / "a.json").write_text(json.dumps(made))
    assert main(["lesson", "check", "--urls", str(tmp_path / "a.json")]) == 0
    assert "did not answer: leads into a network that is not open" in capsys.readouterr().out
    assert reach([]) == {}
