"""The settings of the demo server, and the bounds of its sessions."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .workspace import Quota


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a demo server."""

    folder: Path
    """Where chats and workspaces are kept."""

    redis: str | None = None
    """The address of a Redis or Valkey; without it streams are kept in memory, and there is one worker."""

    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    """The names it answers to. A page of another name cannot reach it, whatever that name resolves to."""

    private: bool = False
    """Whether a session's own model may be at a private address, such as this machine, and at a URL without TLS."""

    pace: float = 160
    """How fast the script speaks, in characters a second; 0 for at once."""

    thinking: float = 1.2
    """How long the script takes for a correction, in seconds."""

    drain: float = 10
    """How long streams may go on when the server is to end, in seconds."""

    lease: float = 5
    """After how many seconds a silent worker counts as gone, with Redis."""

    body: int = 65_536
    """Limit: bytes of a request, but for the playground's."""

    request: int = 8_000
    """Limit: characters of the text of a request."""

    rate: float = 5
    """Requests a second of one session: those that change something, and as many that do not."""

    burst: int = 40
    """How many of them may come at once."""

    newcomers: int = 200
    """How many sessions may begin at once from one address; then as many a second as it has requests."""

    own_streams: int = 4
    """Limit: streams of one session at a time, and likewise its trials in the playground."""

    own_readers: int = 24
    """How many times one session may read streams at a time, in all its pages."""

    endpoints: int = 200
    """Limit: sessions with a model of their own. Of one more, the model that was not asked for the longest is forgotten."""

    streams: int = 4_000
    """Limit: streams of this process at a time."""

    quota: Quota = field(default_factory=Quota)
