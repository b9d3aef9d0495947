"""The configurable limits. Fixed bounds are constants beside the code that keeps them.

`docs/limits.md` lists those too, each with its module: how long the line of a fence may be is `MAX_INFO` of `scan/fences.py`.

Rule: a limit is a number with a reason, and its docstring says what happens when it is reached. Reaching one never raises an
exception for the consumer of the stream; it is an event with a code.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from .given import is_count


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one stream. A size is in characters where its field names no other unit."""

    max_block: int = 1_048_576
    """The longest body of a block, and the longest arguments of a native call. A longer block ends as `oversize`, and the rest
    passes as text. Of a longer native call nothing more is sent on. After a call in a dialect, at most this much text may
    wait. One MiB is what instructor and httpx2 chose for one JSON document and one event."""

    lookahead: int = 16_384
    """The most characters that are read after a fence line inside an open JSON string, before that fence counts as the end of
    the block."""

    max_depth: int = 64
    """The deepest nesting accepted in a block. jiter itself stops at 200."""

    max_values: int = 10_000
    """The most values (members, elements and containers) in a block. Each is checked several times; an ordinary call has
    a handful."""

    max_issues: int = 20
    """The most issues reported for one block, so that one broken array does not fill the event."""

    max_calls: int = 100
    """The most calls in one block. A block with more is not fixed, and fails: each call is an event of its own."""

    max_repair: int = 1_048_576
    """The longest body that is fixed. In a stream, bodies longer than 4 KiB are fixed in a thread."""

    max_loop: int = 16_384
    """The most characters of a block that only repeat one text of up to 256, with `Guard(early="abort")`. A block that goes
    on is aborted there, with the issue `repetition`, though it might have ended well: models that find no end repeat a word or
    a line up to the token limit. The guard looks for it every 2,048 characters."""

    max_pending: int = 1_048_576
    """The most characters that are read on while a correction runs. At the limit reading pauses."""

    max_lanes: int = 4_096
    """The most texts and native calls of one stream of a provider's events: choices, content blocks, parts. The contents of
    one more pass uninspected, and are counted as `too many lanes`. OpenAI allows 128 choices."""

    max_held: int = 8_388_608
    """The most characters of all texts and native calls of one stream that are held together; for a provider event that waits,
    its bytes count. A block or call that grows past it ends as `oversize`, events that wait go on without the rest of what
    they waited for; and the pieces of a call without a name pass uninspected, counted as `unnamed call`."""

    max_waiting: int = 1_000
    """The most events that wait for a native call whose place is before theirs, or belong to a call that has no name yet.
    At the bound the same happens as at `max_held`."""

    max_event: int = 4_194_304
    """The longest event, in bytes, that a body on the wire may have. A longer one passes uninspected, and is counted as
    `oversize event`; only names of the guard's events in it are renamed."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not is_count(value):
                raise ValueError(f"Limits.{field.name} must be a positive integer, got {value!r}")
        if self.max_depth > 200:
            raise ValueError(f"Limits.max_depth must be at most 200, the limit of the JSON parser; got {self.max_depth}")


SHORT: Final = 16_384
"""Up to this size in characters a text is scanned, and a call's arguments are validated, in the event loop."""

SHORT_BLOCK: Final = 4_096
"""Up to this size in characters a block is validated and fixed in the event loop, and a text with dialects scanned; that takes
25 ms at most."""
