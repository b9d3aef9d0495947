"""Recorded streams: written while they are read, and streamed again in tests.

Owns: the file format (`cassette`), recording, replaying, the import of other recordings, and a server on loopback that answers
with cassettes. `recorded` reads a recording for the command line: its texts, and its native calls, which the engine validates.
May import: protocols, engine.
May not: guard what is recorded or replayed: a recording is the stream as it was received.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cassette import Cassette
    from .importing import import_cassettes
    from .recording import Recording, record
    from .replay_server import ReplayRequest, ReplayServer
    from .replaying import Chunking, Form, RecordedError, Replay, replay

_HOMES = {
    "Cassette": "cassette",
    "Chunking": "replaying",
    "Form": "replaying",
    "RecordedError": "replaying",
    "Recording": "recording",
    "Replay": "replaying",
    "ReplayRequest": "replay_server",
    "ReplayServer": "replay_server",
    "import_cassettes": "importing",
    "record": "recording",
    "replay": "replaying",
}
"""The file of each public name, imported when the name is used: the command line reads recordings, and needs no server."""


def __getattr__(name: str) -> Any:
    """Return a public name of this room."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


__all__ = [
    "Cassette",
    "Chunking",
    "Form",
    "RecordedError",
    "Recording",
    "Replay",
    "ReplayRequest",
    "ReplayServer",
    "import_cassettes",
    "record",
    "replay",
]
