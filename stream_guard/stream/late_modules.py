"""`late_modules`: the modules that only some replies need. `import stream_guard` leaves them out, to be quick.

Servers load them as they start: otherwise the first stream that needs them would make all others wait while it reads files.
Each module is imported where it is used, too; `tests/promises/test_first_stream.py` asks which modules a first stream loads.
"""

from __future__ import annotations

from types import ModuleType


def late_modules() -> tuple[ModuleType, ...]:
    """Load these modules, and return them."""
    import concurrent.futures.thread
    import hashlib
    import logging
    import urllib.parse

    import jsonschema_rs
    from rapidfuzz import distance, process

    from ..correct import correcting
    from ..fixes import engine, remarks
    from ..judge import plain_form
    from ..running import awaiting
    from ..schema import lookalikes, other_errors
    from ..toolset import results, sources
    from . import guarded

    others = concurrent.futures.thread, hashlib, logging, urllib.parse, jsonschema_rs, distance, process
    own = correcting, engine, remarks, plain_form, awaiting, lookalikes, other_errors, results, sources, guarded
    return (*others, *own)
