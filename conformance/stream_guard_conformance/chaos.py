"""A proxy on loopback that treats a connection as networks do: bytes come late, in slices, twice, changed, or not at all.

    client -> Chaos(plan) -> server

    async with Chaos("http://127.0.0.1:8000", down=Plan("fin", at=800)) as url: ...  # ask `url` instead of the server

A `Plan` says what happens to a connection, and is drawn from a seed: what went wrong once goes wrong again. The command
`stream-guard chaos` draws one for each connection.

Rule 1: a byte is touched because of its place in the stream, never because of the clock. Nothing that was planned depends on
how quick the machine is; except `delay`, which is in seconds, and `loses`, which counts the reads of the proxy.
Rule 2: it listens on loopback, and connects to loopback only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ipaddress
import itertools
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from stream_guard.spi import GOOD, Unreadable

Fault = Literal["none", "stall", "fin", "rst", "half-close", "corrupt", "duplicate"]
"""What happens at a place: nothing; no more comes, and the connection stays; it ends; it breaks; this direction ends, and the
other goes on; a byte is another one; some bytes come twice."""

FAULTS: Final[tuple[Fault, ...]] = ("none", "stall", "fin", "rst", "half-close", "corrupt", "duplicate")


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to the bytes that go one way."""

    fault: Fault = "none"
    at: int = 0
    """After so many bytes. On the way to the client, `Plan("fin", 0)` loses the first answer: the server has done what it was
    asked.
    """

    slices: int = 1 << 16
    """The most bytes at once."""

    turns: int = 0
    """How many turns of the loop each slice waits."""

    delay: float = 0.0
    """How many seconds each read waits."""

    loses: float = 0.0
    """How likely it is that a connection ends instead of passing on what was read. On the way to the client, that loses an
    answer.
    """

    changes: Callable[[bytes], bytes] | None = None
    """A function that returns the bytes to pass on instead of those that were read."""

    @staticmethod
    def drawn(seed: int | str, fault: Fault, length: int) -> Plan:
        """Return a plan for some `length` bytes."""
        chance = Random(f"{seed} {fault}")
        return Plan(fault, chance.randrange(length), chance.choice([1, 7, 64, 1_000, 1 << 16]), chance.choice([0, 0, 1, 5]))

    def __str__(self) -> str:
        happens = f"{self.fault} after {self.at:,} bytes" if self.fault != "none" else "nothing breaks"
        slices = f"at most {self.slices:,} bytes at once" if self.slices < 1 << 16 else ""
        late = f"{self.delay * 1000:g} ms late" if self.delay else ""
        loses = f"ends with a chance of {self.loses:g} at each read" if self.loses else ""
        return ", ".join(part for part in (happens, slices, late, loses) if part)


Plans = Plan | Callable[[int], Plan]
"""A plan for every connection; or a function from the number of a connection, from 0 on, to its plan."""


class _Cut(Exception):
    """The connection ends here."""


class Chaos:
    """The proxy.

    Args:
        url: Where the server is: an address on loopback with a port, and any scheme.
        down: What happens on the way to the client; it may be set anew for connections to come.
        up: What happens on the way to the server.
        seed: Where `loses` is drawn from.
        port: The port to listen on; any free one when 0.

    Raises:
        ValueError: The URL is no such address.
    """

    def __init__(self, url: str, *, down: Plans | None = None, up: Plans | None = None, seed: int = 1, port: int = 0) -> None:
        self._scheme, self._address = _address(url)
        self._seed = seed
        self._port = port
        self.down: Plans = down or Plan()
        self.up: Plans = up or Plan()
        self.stalled = asyncio.Event()
        """Set when a connection has been stalled."""

        self.lost = 0
        """How many connections ended in place of the bytes that were read last (`loses`)."""

        self._numbers = itertools.count()
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port)
        return f"{self._scheme}127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

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
        number = next(self._numbers)
        up, down = (plan(number) if callable(plan) else plan for plan in (self.up, self.down))
        try:
            there = await asyncio.open_connection(*self._address)
        except OSError:
            writer.transport.abort()
            return
        chance = Random(f"{self._seed} {number}")
        ways = [
            asyncio.create_task(self._carry(reader, there[1], up, chance)),
            asyncio.create_task(self._carry(there[0], writer, down, chance)),
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
                reset = any(isinstance(error, _Cut) for error in failed) and "rst" in (up.fault, down.fault)
                for end in (writer, there[1]):
                    _close(end, reset=reset)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, plan: Plan, chance: Random) -> None:
        passed = 0
        while data := await reader.read(1 << 16):
            if plan.delay:
                await asyncio.sleep(plan.delay)
            if plan.loses and chance.random() < plan.loses:
                self.lost += 1
                raise _Cut
            if plan.changes is not None:
                data = plan.changes(data)
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
        """Apply the fault that the plan has at this place; return the bytes that are passed on in place of a piece."""
        if fault in ("fin", "rst"):
            raise _Cut
        if fault == "half-close":
            writer.write_eof()
        if fault in ("half-close", "stall"):
            self.stalled.set()
            await asyncio.Event().wait()
        return piece + piece if fault == "duplicate" else bytes([piece[0] ^ 0x15]) + piece[1:]


def _address(url: str) -> tuple[str, tuple[str, int]]:
    """Return the scheme of a URL with its `://`, and the host and port. Raises ValueError."""
    scheme, mark, _ = url.rpartition("://")
    try:
        read = urlsplit(url if mark else f"//{url}")
        host, port = read.hostname or "", read.port or 0
    except ValueError:
        host, port = "", 0
    if not port or (host != "localhost" and not _loopback(host)):
        raise ValueError(
            f"{url}: expected the address of a server on this machine with its port, such as http://127.0.0.1:8000"
        )
    return f"{scheme}{mark}", (host, port)


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _close(writer: asyncio.StreamWriter, *, reset: bool) -> None:
    if reset:
        raw: socket.socket = writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    else:
        writer.close()


# -- The command -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawing:
    """A function from the number of a connection to its plan, which draws it and tells it."""

    seed: int
    faults: tuple[Fault, ...]
    within: int
    delay: float
    loses: float
    tells: Callable[[str], None]

    def __call__(self, number: int) -> Plan:
        """Return the plan of a connection: the same for the same seed and options."""
        fault = Random(f"{self.seed} {number}").choice(self.faults)
        drawn = Plan.drawn(f"{self.seed} {number}", fault, self.within)
        plan = Plan(drawn.fault, drawn.at, drawn.slices, drawn.turns, self.delay, self.loses)
        self.tells(f"connection {number}: {plan}")
        return plan


def command(commands: Any, *_: Callable[..., Any]) -> None:
    """Add `chaos` to the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "chaos", help="a proxy that breaks the connections to a server of yours"
    )
    parser.add_argument(
        "url", metavar="URL", help="where the server is, such as http://127.0.0.1:8000 or redis://127.0.0.1:6379"
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port to listen on (any that is free)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="where the plans are drawn from (1)")
    parser.add_argument(
        "--fault", action="append", choices=FAULTS, help="what happens to a connection; repeatable (one of all that there are)"
    )
    parser.add_argument(
        "--within", type=int, default=5_000, metavar="BYTES", help="it happens within so many bytes of a connection (5000)"
    )
    parser.add_argument("--way", choices=("down", "up"), default="down", help="to the client (down), or to the server (up)")
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS", help="how long each read waits (0)")
    parser.add_argument(
        "--loses",
        type=float,
        default=0.0,
        metavar="CHANCE",
        help="how likely a connection ends instead of passing on a read (0)",
    )

    def run(options: argparse.Namespace) -> int:
        if options.within < 1 or options.delay < 0 or not 0 <= options.loses <= 1:
            parser.error("--within is a number from 1 on, --delay one from 0 on, and --loses one from 0 to 1")
        faults = tuple(options.fault or FAULTS)
        drawing = Drawing(options.seed, faults, options.within, options.delay, options.loses, _tell)
        try:
            chaos = Chaos(options.url, **{options.way: drawing}, seed=options.seed, port=options.port)
        except ValueError as error:
            raise Unreadable(str(error)) from None
        asyncio.run(_until_stopped(chaos, options.url))
        return GOOD

    parser.set_defaults(run=run)


async def _until_stopped(chaos: Chaos, url: str) -> None:
    async with chaos as there:
        _tell(f"{there} goes to {url}; Ctrl-C ends it")
        await asyncio.Event().wait()


def _tell(line: str) -> None:
    print(line, file=sys.stdout, flush=True)
