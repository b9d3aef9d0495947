"""Guards a stream of events, of a named protocol or of any known one; and a reply that was not streamed."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, Unpack, overload

from stream_guard import Guard, ToolBlock

from .engine.guarded_events import GuardedEvents, GuardedIterator, Peeked, guarded
from .engine.parsed_values import take_over
from .engine.replies import Folding, aguard_folding, guard_folding, taken_apart
from .engine.settings import Settings, StreamSettings, check_guard
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
    """Guard a stream of any known protocol, recognised by its first events. The settings are those of `StreamSettings`."""
    checked = Settings(**settings)
    source = Peeked(stream)
    return GuardedEvents(source, guard, await source.protocol(), checked, PROTOCOLS.values())


@dataclass(frozen=True, slots=True)
class GuardedReply(Generic[E]):
    """A guarded reply that was not streamed."""

    reply: E
    """The guarded reply: of the same type, and the same object if nothing in it has changed."""

    blocks: tuple[ToolBlock, ...]
    """The calls in its texts, and its native calls, in order. With `blocks="text"` there are none."""


def guard_reply(reply: E, guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedReply[E]:
    """Guard what a client returned without `stream=True`, or the JSON of it, as a stream of it would be guarded.

    No model is asked for corrections; `aguard_reply` asks one. The settings are those of `StreamSettings`.

    Raises:
        ValueError: It is no reply of a known protocol.
    """
    check_guard(guard)
    folding = _taken_apart(reply, Settings(**settings))
    guard_folding(folding, guard)
    return _put_together(reply, folding)


async def aguard_reply(reply: E, guard: Guard, **settings: Unpack[StreamSettings]) -> GuardedReply[E]:
    """Guard a reply as `guard_reply` does; also ask a model for corrections, and do long work in a thread."""
    check_guard(guard)
    folding = _taken_apart(reply, Settings(**settings))
    await aguard_folding(folding, guard)
    return _put_together(reply, folding)


def _taken_apart(reply: Any, settings: Settings) -> Folding:
    folding = taken_apart(reply, settings)
    if folding is None:
        raise ValueError(f"expected a reply of one of {', '.join(PROTOCOLS)}; got {type(reply).__name__}")
    return folding


def _put_together(reply: E, folding: Folding) -> GuardedReply[E]:
    made: Any = folding.reply()
    if made is folding.given:
        made = reply
    elif hasattr(reply, "model_dump"):
        made = type(reply).model_validate(made)  # type: ignore[attr-defined]
        take_over(reply, made)
    return GuardedReply(made, tuple(folding.blocks))


__all__ = [
    "GuardedEvents",
    "GuardedIterator",
    "GuardedReply",
    "StreamSettings",
    "aguard_reply",
    "guard_any",
    "guard_events",
    "guard_reply",
]
