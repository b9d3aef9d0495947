"""`stream_guard_conformance.chaos`: a proxy that breaks connections as it was planned; and its command."""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from stream_guard_conformance.chaos import FAULTS, Chaos, Drawing, Fault, Plan

from stream_guard.command.cli import main


class Counter:
    """A server that counts, and answers each line with the count."""

    def __init__(self) -> None:
        self.count = 0

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        serving: set[asyncio.Task[Any]] = set()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            serving.add(task)
            with contextlib.suppress(ConnectionError):
                while await reader.readline():
                    self.count += 1
                    writer.write(b"%d\n" % self.count)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            yield f"count://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await asyncio.gather(*serving)


async def asked(url: str, times: int = 1) -> bytes:
    """Return what comes back to so many lines, until the connection ends or all have an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    found = b""
    try:
        for _ in range(times):
            writer.write(b"more\n")
            line = await asyncio.wait_for(reader.readline(), 300)
            found += line
            if not line:
                break
    except ConnectionError:
        found += b"reset"
    finally:
        writer.transport.abort()
    return found


async def careless(url: str) -> int:
    """A client with a flaw: where no answer comes, it asks again. Return how often it wanted something."""
    while not await asked(url):
        pass
    return 1


async def test_an_answer_that_is_lost_shows_a_client_that_asks_again() -> None:
    """The server has done by then what it was asked: it does it twice."""
    counter = Counter()
    async with counter.serving() as server:
        lost = {0: Plan("fin")}
        async with Chaos(server, down=lambda number: lost.get(number, Plan())) as url:
            assert url.startswith("count://127.0.0.1:")
            assert await careless(url) == 1
        assert counter.count == 2


async def test_answers_are_lost_by_chance_and_counted() -> None:
    counter = Counter()
    async with counter.serving() as server:
        chaos = Chaos(server, down=Plan(loses=0.5, delay=0.001), seed=3)
        async with chaos as url:
            answers = [await asked(url, 3) for _ in range(8)]
        assert 0 < chaos.lost <= 8
        assert sum(answer.count(b"\n") < 3 for answer in answers) == chaos.lost
        assert sum(answer.count(b"\n") for answer in answers) + chaos.lost == counter.count


@pytest.mark.parametrize(
    ("plan", "comes"),
    [
        (Plan(), b"1\n2\n"),
        (Plan(slices=1, turns=2), b"1\n2\n"),
        (Plan("fin", 2), b"1\n"),
        (Plan("rst", 2), b"1\nreset"),
        (Plan("corrupt", 2), b"1\n" + bytes([ord("2") ^ 0x15]) + b"\n"),
        (Plan("duplicate", 0), b"1\n1\n"),
        (Plan(changes=bytes.upper, delay=0.001), b"1\n2\n"),
        (Plan(changes=lambda data: data.replace(b"2", b"7")), b"1\n7\n"),
    ],
)
async def test_each_fault_is_where_it_was_planned(plan: Plan, comes: bytes) -> None:
    async with Counter().serving() as server, Chaos(server, down=plan) as url:
        assert await asked(url, 2) == comes


@pytest.mark.parametrize("fault", ["stall", "half-close"])
async def test_a_connection_that_stalls_is_told_of(fault: Fault) -> None:
    counter = Counter()
    async with counter.serving() as server:
        chaos = Chaos(server, down=Plan(fault, 2))
        async with chaos as url:
            asking = asyncio.create_task(asked(url, 2))
            await asyncio.wait_for(chaos.stalled.wait(), 300)
            if fault == "half-close":
                assert await asking == b"1\n"
            asking.cancel()
            await asyncio.wait([asking])


def test_a_seed_draws_the_same_plans() -> None:
    assert [Plan.drawn(7, fault, 1_000) for fault in FAULTS] == [Plan.drawn(7, fault, 1_000) for fault in FAULTS]
    told: list[str] = []
    drawing = Drawing(3, FAULTS, 1_000, 0.0, 0.0, told.append)
    plans = [drawing(number) for number in range(60)]
    assert plans == [Drawing(3, FAULTS, 1_000, 0.0, 0.0, told.append)(number) for number in range(60)]
    assert {plan.fault for plan in plans} == set(FAULTS)
    assert told[0] == f"connection 0: {plans[0]}"
    assert str(Plan("fin", 1_200, 7, delay=0.15, loses=0.5)) == (
        "fin after 1,200 bytes, at most 7 bytes at once, 150 ms late, ends with a chance of 0.5 at each read"
    )


def test_another_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for url in ("http://example.com:80", "http://192.0.2.1:80", "http://127.0.0.1", "127.0.0.1:x", ""):
        with pytest.raises(ValueError, match="expected the address of a server on this machine"):
            Chaos(url)
    assert main(["chaos", "http://example.com:80"]) == 2
    assert "http://example.com:80: expected the address of a server on this machine" in capsys.readouterr().err
    for option in (["--within", "0"], ["--loses", "2"], ["--delay", "-1"]):
        with pytest.raises(SystemExit):
            main(["chaos", "http://127.0.0.1:80", *option])


async def test_the_command_says_where_it_listens_and_what_it_does_to_each_connection() -> None:
    async with Counter().serving() as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "stream_guard",
            "chaos",
            server,
            "--fault",
            "fin",
            "--within",
            "1",
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            assert process.stdout is not None
            first = (await process.stdout.readline()).decode()
            found = re.fullmatch(rf"(count://127\.0\.0\.1:\d+) goes to {server}; Ctrl-C ends it\n", first)
            assert found is not None, first
            assert await asked(found[1]) == b""
            assert (await process.stdout.readline()).startswith(b"connection 0: fin after 0 bytes")
        finally:
            process.terminate()
            await process.wait()
