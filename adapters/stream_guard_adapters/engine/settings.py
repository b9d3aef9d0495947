"""The settings of a guarded stream, and the check of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypedDict, get_args

from stream_guard.spi import call_hook

from ..protocols import PROTOCOLS, Protocol
from .uninspected import Note, Uninspected

Native = Literal["guard", "observe", "off"]
"""What happens to native calls: they are held, judged and fixed; they pass and are reported; they pass unread."""

Emit = Literal["auto", "named", "none"]
"""How our events travel: in a shape that the protocol's clients accept, as events with names of their own, or not at all."""

NATIVE: Final[tuple[Native, ...]] = get_args(Native)
EMIT: Final[tuple[Emit, ...]] = get_args(Emit)


class CallSettings(TypedDict, total=False):
    """The keyword arguments about calls, of everything that guards a stream.

    `native`: what happens to native calls: `"guard"` (default), `"observe"` or `"off"`, see `Native`.
    `promote`: whether a call written as text is sent as a native call too, at the end of the text. Default: no.
    """

    native: Native
    promote: bool


class StreamSettings(CallSettings, total=False):
    """The keyword arguments of `guard_chat`, `guard_messages`, `guard_events` and the like: two, and those of `CallSettings`.

    `stream_id`: the beginning of the ids of the stream's blocks; random when None.
    `on_uninspected`: called with the reason when an event passes unread; docs/streams.md lists the reasons.
    """

    stream_id: str | None
    on_uninspected: Note | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one guarded stream, checked: those of `StreamSettings`, and two more for streams of bytes.

    Raises:
        ValueError: A setting has a value that it does not take.
    """

    native: Native = "guard"
    promote: bool = False
    stream_id: str | None = None
    on_uninspected: Note | None = None

    emit: Emit = "auto"
    """How our events travel in a body."""

    keep_alive: float | None = None
    """Seconds of silence, while a block is held, after which an event without content is sent; None for never."""

    def __post_init__(self) -> None:
        _one_of("native", self.native, NATIVE)
        _one_of("emit", self.emit, EMIT)
        if self.keep_alive is not None and not self.keep_alive > 0:
            raise ValueError(f"keep_alive must be a positive number of seconds, or None for never; not {self.keep_alive!r}")

    def check_promotes(self, protocol: Protocol) -> None:
        """Raise ValueError if calls are to be promoted and the protocol has no native calls to promote them to."""
        if self.promote and not protocol.promotes:
            can = ", ".join(name for name, table in PROTOCOLS.items() if table.promotes)
            raise ValueError(f"promote works with {can}; not with {protocol.name}")

    def note(self, why: Uninspected) -> None:
        """Report that something passes unread. A failure of the hook is logged, and changes nothing."""
        call_hook(self.on_uninspected, why)


def _one_of(setting: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        *most, last = map(repr, allowed)
        raise ValueError(f"{setting} must be {', '.join(most)} or {last}; not {value!r}")


DEFAULTS: Final = Settings()
