"""Helpers for tests: text in every chunking, fake streams, and scripted correctors.

The most important test is that chunking does not matter:

    whole = merge_text(guard.scan([text], stream_id="t"))
    for chunks in every_split(text):
        assert merge_text(guard.scan(chunks, stream_id="t")) == whole
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from .correct.request import CorrectionRequest
from .values.events import Item, ToolBlock, ToolStatus

T = TypeVar("T")


def by_char(text: str) -> list[str]:
    """Return the text, one character per delta."""
    return list(text)


def every_split(text: str) -> Iterator[list[str]]:
    """Yield every way to split the text in two, then the text by character."""
    for at in range(1, len(text)):
        yield [text[:at], text[at:]]
    yield by_char(text)


def random_splits(text: str, seed: int = 0, count: int = 20) -> Iterator[list[str]]:
    """Yield random splits of the text, the same ones for the same seed; some have empty deltas."""
    dice = random.Random(seed)
    for _ in range(count):
        cuts = sorted(dice.randint(0, len(text)) for _ in range(dice.randint(0, max(2, len(text) // 3))))
        yield [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def merge_text(items: Iterable[T | str], *, progress: bool = False) -> list[T | str]:
    """Return the items with adjacent text joined: equal for all chunkings of a text.

    Progress updates depend on where the cuts are, so they are left out, and `seq` counts on without them; `progress=True`
    keeps everything.
    """
    merged: list[T | str] = []
    seq = 0
    for item in items:
        if isinstance(item, str):
            if not item:
                continue
            if merged and isinstance(merged[-1], str):
                merged[-1] += item
            else:
                merged.append(item)
            continue
        if not progress and isinstance(item, ToolStatus | ToolBlock):
            if isinstance(item, ToolStatus) and (item.received is not None):
                continue
            seq += 1
            if item.seq != seq:
                item = replace(item, seq=seq)
        merged.append(item)
    return merged


def original(items: Iterable[Item]) -> str:
    """Return the text that a guarded stream was made from: prose and `raw`, in order (promise P2)."""
    return "".join(item if isinstance(item, str) else item.raw if isinstance(item, ToolBlock) else "" for item in items)


async def collect(stream: AsyncIterable[T]) -> list[T]:
    """Return a list of everything the stream yields."""
    return [item async for item in stream]


class FakeStream:
    """An async stream of given deltas that counts reads and closes.

    Args:
        deltas: What to yield. An exception among them is raised.
    """

    def __init__(self, deltas: Iterable[object]) -> None:
        self._deltas = iter(deltas)
        self.closed = 0
        """How often it was closed."""
        self.read = 0
        """How many deltas were taken from it."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        """The next delta."""
        try:
            delta = next(self._deltas)
        except StopIteration:
            raise StopAsyncIteration from None
        self.read += 1
        if isinstance(delta, BaseException):
            raise delta
        return delta

    async def aclose(self) -> None:
        """Close it."""
        self.closed += 1


class FakeCorrector:
    """A corrector that answers from a script.

    Args:
        replies: What to answer, one after the other; an exception is raised. The last one is repeated.
    """

    def __init__(self, *replies: str | Exception) -> None:
        self._replies = list(replies)
        self.requests: list[CorrectionRequest] = []
        """The requests that it received."""

    async def __call__(self, request: CorrectionRequest) -> str:
        """Return the next reply, or raise it if it is an exception."""
        self.requests.append(request)
        if not self._replies:
            raise AssertionError("the corrector was called, but no replies were given")
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply
