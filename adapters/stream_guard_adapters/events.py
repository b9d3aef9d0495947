"""Guarding a stream of events: of a protocol known by name, or of any."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from typing import Any, TypeVar, Unpack, overload

from stream_guard import Guard

from .engine.guarded_events import GuardedEvents, GuardedIterator, Peeked, guarded
from .engine.settings import Settings, StreamSettings
from .protocols import PROTOCOLS

E = TypeVar("E")


@overload
def guard_events(
    stream: AsyncIterable[E], guard: Guard, protocol: str, **settings: Unpack[StreamSettings]
) -> GuardedEvents[E]: ...


@overload
def guard_events(
    stream: Iterable[E], guard: Guard, protocol: str, **settings: Unpack[StreamSettings]
) -> GuardedIterator[E]: ...


def guard_events(
    stream: AsyncIterable[E] | Iterable[E], guard: Guard, protocol: str, **settings: Unpack[StreamSettings]
) -> GuardedEvents[E] | GuardedIterator[E]:
    """Guard a stream of the protocol with this name. The settings are those of `StreamSettings`.

    A plain iterable gives a plain iterator, and no model is asked for corrections then.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}; not {protocol!r}")
    return guarded(stream, guard, PROTOCOLS[protocol], Settings(**settings))


async def guard_any(stream: AsyncIterable[Any], guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedEvents[Any]:
    """Guard a stream of any known protocol, which its first events tell. The settings are those of `StreamSettings`."""
    checked = Settings(**settings)
    source = Peeked(stream)
    return GuardedEvents(source, guard, await source.protocol(), checked, PROTOCOLS.values())


__all__ = ["GuardedEvents", "GuardedIterator", "StreamSettings", "guard_any", "guard_events"]
