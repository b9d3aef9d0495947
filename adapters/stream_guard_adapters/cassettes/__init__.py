"""Recorded streams: written while they are read, and streamed again in tests.

Owns: the file format (`cassette`), recording, replaying, the import of other recordings, and a server on loopback that answers
with cassettes. `recorded` reads the texts of a recording for the command line.
May import: `protocols`, `engine.framing`, and what the core offers to adapters.
May not import: a door, `resume`, the rest of `engine`: a recording is what came, and nothing in it is guarded.
"""

from .cassette import Cassette
from .importing import import_cassettes
from .recording import Recording, record
from .replay_server import ReplayServer
from .replaying import RecordedError, Replay, replay

__all__ = [
    "Cassette",
    "RecordedError",
    "Recording",
    "Replay",
    "ReplayServer",
    "import_cassettes",
    "record",
    "replay",
]
