"""Guarding a stream of events: of a protocol known by name, or of any."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import Any, Unpack

from stream_guard import Guard

from .engine.guarded_events import GuardedEvents, Peeked
from .engine.settings import Settings, StreamSettings
from .protocols import PROTOCOLS


def guard_events(stream: AsyncIterable[Any], guard: Guard, protocol: str, **settings: Unpack[StreamSettings]) -> GuardedEvents:
    """Guard a stream of the protocol with this name. The settings are those of `StreamSettings`."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}; not {protocol!r}")
    return GuardedEvents(stream, guard, PROTOCOLS[protocol], Settings(**settings))


async def guard_any(stream: AsyncIterable[Any], guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedEvents:
    """Guard a stream of any known protocol, which its first events tell. The settings are those of `StreamSettings`."""
    checked = Settings(**settings)
    source = Peeked(stream)
    return GuardedEvents(source, guard, await source.protocol(), checked)


__all__ = ["GuardedEvents", "StreamSettings", "guard_any", "guard_events"]
