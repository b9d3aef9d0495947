"""Addresses that are asked whether they answer: none leads into a network that is not open, whatever it is wrapped in."""

from __future__ import annotations

import asyncio
import json
import random
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from stream_guard_adapters.reach import is_global, reach, reached

from stream_guard.command.cli import main
from stream_guard.tools.lessons import validate_lesson_data
from stream_guard.tools.lessons.catalogue import lesson
from tests.kit.servers import served

CLOSED = {
    "this network": "0.0.0.0 0.0.0.1 0.255.255.255",
    "private": "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255",
    "shared by a carrier": "100.64.0.0 100.64.0.1 100.127.255.255",
    "loopback": "127.0.0.1 127.255.255.255 ::1",
    "link local": "169.254.0.1 169.254.169.254 fe80::1 febf:ffff::1",
    "protocol assignments": "192.0.0.0 192.0.0.8 192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.255",
    "documentation": "192.0.2.1 198.51.100.1 203.0.113.255 2001:db8::1 2001:db8:ffff::1 3fff::1 3fff:fff:ffff::1",
    "relays of 6to4": "192.88.99.0 192.88.99.1 192.88.99.2 192.88.99.255",
    "benchmarks": "198.18.0.1 198.19.255.255 2001:2::1",
    "multicast": "224.0.0.1 239.255.255.250 ff00::1 ff02::1 ff0e::1",
    "reserved": "240.0.0.1 254.255.255.255 255.255.255.255 4000::1 8000::1 100::1 100:0:0:1::1 1::1",
    "unspecified": "::",
    "unique local": "fc00::1 fd00::1 fdff:ffff::1",
    "site local": "fec0::1 feff:ffff::1",
    "compatible": "::7f00:1 ::808:808",
    "mapped": "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:8.8.8.8",
    "translated": "::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8",
    "translated, NAT64": "64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::192.88.99.1 64:ff9b::224.0.0.1",
    "translated, NAT64 of one network": "64:ff9b:1::1 64:ff9b:1::a9fe:a9fe 64:ff9b:1:ffff::8.8.8.8 64:ff9b:2::1",
    "6to4": "2002:7f00:1:: 2002:a9fe:a9fe:: 2002:a00:1::1 2002:c0a8:101::1 2002:e000:1:: 2002:6440:1::",
    "Teredo": "2001:0:4136:e378:8000:63bf:f5ff:fffe 2001::1 2001:0:808:808::1",
    "IETF protocols": "2001:1::1 2001:1::2 2001:1::3 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:1ff:ffff::1",
    "segment routing": "5f00::1 5f00:ffff::1",
}
OPEN = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255
169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.31.196.1 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255
2000::1 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2002:808:808::1 2003::1 2606:4700:4700::1111
2620:4f:8000::1 2a00:1450::1 3ffe:ffff::1 3fff:1000::1 64:ff9b::8.8.8.8
"""


@pytest.mark.parametrize("kind", CLOSED)
def test_a_network_that_is_not_open_is_known_in_every_spelling(kind: str) -> None:
    """By the registries, whatever this Python's own table says; the edges of each network among them."""
    assert [one for one in CLOSED[kind].split() if is_global(ip_address(one))] == []


def test_the_open_web_is_open() -> None:
    """Also right beside what is not."""
    assert [one for one in OPEN.split() if not is_global(ip_address(one))] == []


def test_an_address_that_is_open_is_open_for_python_too() -> None:
    """Of any kind, drawn at random: this table is nowhere more lenient than Python's."""
    drawn = random.Random(1)
    for _ in range(20_000):
        four = IPv4Address(drawn.getrandbits(32))
        six = IPv6Address(
            drawn.getrandbits(128) >> drawn.choice([0, 16, 32, 64, 80, 96]) | drawn.choice([0, 0x2001, 0x2002, 0xFEC0]) << 112
        )
        for one in (four, six):
            if is_global(one):
                assert one.is_global and not one.is_multicast, one


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
        closed = "its host resolves to a private or reserved address"
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
    assert (check.passed, "did not answer" in check.details) == (True, True)


def test_the_command_asks_when_it_is_told_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = lesson("image-1", {"image": "http://127.0.0.1:9/a.png"})
    made["widgets"][0]["content"] = {"category": "Arte"}
    (tmp_path / "a.json").write_text(json.dumps(made))
    assert main(["lesson", "check", "--urls", str(tmp_path / "a.json")]) == 0
    assert "did not answer: its host resolves to a private or reserved address" in capsys.readouterr().out
    assert reach([]) == {}
