"""The source of a stream, closed exactly once."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, AsyncIterator
from inspect import isawaitable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self


class SourceBusyError(RuntimeError):
    """Raised if a source cannot be closed: it is an async generator, and another task waits for its next item."""

    def __init__(self) -> None:
        super().__init__(
            "the source is an async generator, and another task waits for its next item: cancel that task, or close it there"
        )


class Source:
    """Iterates over the source of a stream, and closes it exactly once."""

    __slots__ = ("_closed", "_deltas", "iterator")

    def __init__(
        self, deltas: AsyncIterable[Any], takes: str = "stream takes an async iterable of text", plain: str = "use scan"
    ) -> None:
        if isinstance(deltas, type) or not hasattr(deltas, "__aiter__"):
            raise TypeError(f"{takes}, got {_kind(deltas, plain)}")
        self._deltas = deltas
        self._closed = False
        self.iterator: AsyncIterator[Any] = deltas.__aiter__()

    async def aclose(self) -> None:
        """Close the source: by `aclose` or `close` of the iterable; if it has neither, of its iterator."""
        if self._closed:
            return
        self._closed = True
        try:
            for target in (self._deltas, self.iterator):
                close = getattr(target, "aclose", None) or getattr(target, "close", None)
                if close is not None:
                    if getattr(target, "ag_running", False):
                        raise SourceBusyError
                    result = close()
                    if isawaitable(result):
                        await result
                    return
        except SourceBusyError:
            self._closed = False  # it is closed by whoever is in the middle of it
            raise


def _kind(given: object, plain: str) -> str:
    """Return what kind of thing was given in place of an async iterable, and what to do about it."""
    kind = given.__name__ if isinstance(given, type) else type(given).__name__
    if inspect.iscoroutine(given):
        given.close()  # nobody else will await it
        return f"{kind}: await it first"
    if hasattr(given, "__await__") or hasattr(given, "__aenter__"):
        return f"{kind}: await it first, or enter it with `async with`"
    if isinstance(given, type):
        return f"the class {kind}: make one"
    if inspect.isfunction(given) or inspect.ismethod(given):
        return f"the function {given.__name__}: call it, and give what it returns"
    return f"{kind}; for a plain iterable {plain}"


class Closing:
    """An async context manager that closes its stream."""

    __slots__ = ()

    async def aclose(self) -> None:
        """Close the stream. Closing again does nothing."""

    if not TYPE_CHECKING:  # to type checkers it has no `with`

        def __enter__(self) -> NoReturn:
            raise TypeError(
                f"{type(self).__name__} is async: use `async with` and `async for`; in code that is not async, guard the "
                "stream of a client that is not async (OpenAI(), Anthropic()), to which ReplayServer replays a recording"
            )

        def __exit__(self, *_: object) -> None:  # never called: `with` looks for both before it calls the first
            pass

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()
