"""A proxy on loopback that does to a connection what networks do: late, in slices, twice, wrong, or no more.

    client -> Chaos(plan) -> server

What happens to a connection is a `Plan`, and a plan is drawn from a seed: what went wrong once goes wrong again.

Rule: a byte is touched by its place in the stream and never by the clock. Nothing that was planned depends on how quick the
machine is; a delay is some turns of the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

Fault = Literal["none", "stall", "fin", "rst", "half-close", "corrupt", "duplicate"]
"""What happens at a place: nothing; no more comes, and the connection stays; it ends; it breaks; this direction ends, and the
other goes on; a byte is another one; some bytes come twice."""

FAULTS: Final[tuple[Fault, ...]] = ("none", "stall", "fin", "rst", "half-close", "corrupt", "duplicate")


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of the bytes that go one way."""

    fault: Fault = "none"
    at: int = 0
    """After so many bytes."""

    slices: int = 1 << 16
    """The most bytes at once."""

    turns: int = 0
    """How many turns of the loop each slice waits."""

    @staticmethod
    def drawn(seed: int, fault: Fault, length: int) -> Plan:
        """A plan for some `length` bytes."""
        chance = Random(f"{seed} {fault}")
        return Plan(fault, chance.randrange(length), chance.choice([1, 7, 64, 1_000, 1 << 16]), chance.choice([0, 0, 1, 5]))


class _Cut(Exception):
    """The connection ends here."""


class Chaos:
    """The proxy. `down` is what happens on the way to the client, `up` on the way to the server."""

    def __init__(self, url: str, *, down: Plan | None = None, up: Plan | None = None) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._address: Final = host, int(port)
        self.down = down or Plan()
        self.up = up or Plan()
        self.stalled = asyncio.Event()
        """Set when a connection has been stalled."""

        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._serving):
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        task.add_done_callback(lambda _: writer.close())

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection(*self._address)
        except OSError:
            writer.transport.abort()
            return
        ways = [
            asyncio.create_task(self._carry(reader, there[1], self.up)),
            asyncio.create_task(self._carry(there[0], writer, self.down)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_EXCEPTION)  # both ended; or one cut both
        finally:
            for way in ways:
                way.cancel()
            try:
                await asyncio.wait(ways)
            finally:
                failed = [way.exception() for way in ways if way.done() and not way.cancelled()]
                reset = any(isinstance(error, _Cut) for error in failed) and "rst" in (self.up.fault, self.down.fault)
                for end in (writer, there[1]):
                    _close(end, reset=reset)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, plan: Plan) -> None:
        passed = 0
        while data := await reader.read(1 << 16):
            while data:
                size = min(plan.slices, plan.at - passed) if passed < plan.at else plan.slices
                piece, data = data[:size], data[size:]
                befalls = plan.fault != "none" and passed == plan.at
                passed += len(piece)
                if befalls:
                    piece = await self._befall(plan.fault, piece, writer)
                for _ in range(plan.turns):
                    await asyncio.sleep(0)
                writer.write(piece)
                await writer.drain()
        with contextlib.suppress(OSError):
            writer.write_eof()

    async def _befall(self, fault: Fault, piece: bytes, writer: asyncio.StreamWriter) -> bytes:
        """What happens at the place; returns what goes on instead of a piece."""
        if fault in ("fin", "rst"):
            raise _Cut
        if fault == "half-close":
            writer.write_eof()
        if fault in ("half-close", "stall"):
            self.stalled.set()
            await asyncio.Event().wait()
        return piece + piece if fault == "duplicate" else bytes([piece[0] ^ 0x15]) + piece[1:]


def _close(writer: asyncio.StreamWriter, *, reset: bool) -> None:
    if reset:
        raw: socket.socket = writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    else:
        writer.close()


@contextlib.asynccontextmanager
async def nothing_left_running() -> AsyncIterator[None]:
    """Of what ran inside, no task goes on."""
    before = asyncio.all_tasks()
    yield
    async with asyncio.timeout(20):
        while asyncio.all_tasks() - before:
            await asyncio.sleep(0.001)
