"""The settings of a guarded stream, and the check of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypedDict, get_args

from stream_guard import Guard
from stream_guard.spi import call_hook, check_flag, check_hook, check_kind, is_seconds, shown

from ..protocols import PROTOCOLS, Protocol
from .uninspected import Note, Uninspected

Native = Literal["mend", "withhold", "observe", "off"]
"""What happens to native calls.

`mend`: they are held and validated, and sent on fixed if the fix is certain, else as written; a call that was cut off or is
over a limit is not sent on. `withhold`: as `mend`, but a call that may not run is never sent on. `observe`: they pass, and are
reported. `off`: they pass unread.
"""

Emit = Literal["auto", "named", "none"]
"""How the guard's events are sent: in a shape that the protocol's clients accept, with names of their own, or not at all."""

Blocks = Literal["events", "text", "both"]
"""How a reader gets a block: as events, in the text at its place, or as both."""

RequestTools = Literal["add", "only", "off"]
"""How the tools of a request are used: to guard its reply together with the guard's own, alone, or not at all."""

NATIVE: Final[tuple[Native, ...]] = get_args(Native)
EMIT: Final[tuple[Emit, ...]] = get_args(Emit)
BLOCKS: Final[tuple[Blocks, ...]] = get_args(Blocks)
REQUEST_TOOLS: Final[tuple[RequestTools, ...]] = get_args(RequestTools)


class CallSettings(TypedDict, total=False):
    """The keyword arguments about calls, of everything that guards a stream.

    `native`: what happens to native calls: `"mend"` (default), `"withhold"`, `"observe"` or `"off"`, see `Native`.
    `promote`: whether a call written as text is sent as a native call, at the end of the text. Default: no.
    `blocks`: how a reader gets a block: `"events"` (default), `"text"` or `"both"`, see `Blocks`.
    """

    native: Native
    promote: bool
    blocks: Blocks | None


class StreamSettings(CallSettings, total=False):
    """The keyword arguments of `guard_chat`, `guard_messages`, `guard_events` and the like: two, and those of `CallSettings`.

    `stream_id`: the beginning of the ids of the stream's blocks; random when None.
    `on_uninspected`: called with the reason when an event passes unread; docs/streams.md lists the reasons.
    """

    stream_id: str | None
    on_uninspected: Note | None


class OneOf(frozenset[str]):
    """Tools of which a message may have only a single call."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one guarded stream, checked: those of `StreamSettings`, and four more for what is served.

    Raises:
        ValueError: A setting has a value that it does not take.
    """

    native: Native = "mend"
    promote: bool = False
    blocks: Blocks | None = None
    """How a reader gets a block. None stands for `"text"` if no events are sent, else for `"events"`."""

    stream_id: str | None = None
    on_uninspected: Note | None = None

    emit: Emit = "auto"
    """How the guard's events are sent in a body."""

    request_tools: RequestTools = "add"
    """What the tools of a request are used for."""

    promotable: frozenset[str] | None = None
    """The tools whose calls may be promoted; None for all. A request may offer only some, and allow only one call (`OneOf`)."""

    keep_alive: float | None = None
    """Seconds of silence, while a block is held, after which an event without content is sent; None for never."""

    def __post_init__(self) -> None:
        _one_of("native", self.native, NATIVE)
        check_flag("promote", self.promote)
        check_hook("on_uninspected", self.on_uninspected)
        _one_of("emit", self.emit, EMIT)
        _one_of("request_tools", self.request_tools, REQUEST_TOOLS)
        if self.blocks is not None:
            _one_of("blocks", self.blocks, BLOCKS)
        if self.emit == "none" and self.blocks in ("events", "both"):
            raise ValueError(f"blocks={self.blocks!r} sends events, and emit='none' sends none: leave one of them out")
        if self.emit == "named" and self.blocks == "text":
            raise ValueError("emit='named' is about events, and blocks='text' sends none: add blocks='both' or 'events'")
        if self.keep_alive is not None and not is_seconds(self.keep_alive):
            raise ValueError(
                f"keep_alive must be a positive number of seconds, or None for never; not {shown(self.keep_alive)}"
            )

    @property
    def sends_events(self) -> bool:
        """Whether the guard's events are sent."""
        return self.emit != "none" and self.blocks != "text"

    @property
    def shows(self) -> bool:
        """Whether the text has a block at its place."""
        return not self.sends_events or self.blocks == "both"

    def check_promotes(self, protocol: Protocol) -> None:
        """Raise ValueError if calls are to be promoted and the protocol has no native calls to which they could be promoted."""
        if self.promote and not protocol.promotes:
            can = ", ".join(name for name, table in PROTOCOLS.items() if table.promotes)
            raise ValueError(f"promote works with {can}; not with {protocol.name}")

    def promoting(self, promotable: frozenset[str] | None) -> Settings:
        """Return the settings of a reply in which only calls of these tools may be promoted; None for all."""
        return self if promotable is None else replace(self, promote=self.promote and bool(promotable), promotable=promotable)

    def note(self, why: Uninspected) -> None:
        """Report that something passes unread. If the hook fails, that is logged and changes nothing."""
        call_hook(self.on_uninspected, why)


def check_guard(guard: object) -> None:
    """Raise TypeError for anything that is no guard: its tools, for example."""
    check_kind("guard", guard, Guard, "Guard(tools)")


def _one_of(setting: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        *most, last = map(repr, allowed)
        raise ValueError(f"{setting} must be {', '.join(most)} or {last}; not {value!r}")


DEFAULTS: Final = Settings()
