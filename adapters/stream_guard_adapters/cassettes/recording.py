"""Records a stream while it is read.

    async with record(await client.chat.completions.create(..., stream=True), "hello.jsonl") as stream:
        async for chunk in stream: ...

Rule: the reader gets the same items, without delay. The cassette is at its path when the stream has ended, whatever ended it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import AsyncGenerator, AsyncIterable
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, cast

from stream_guard.spi import Closing, Source

from ..protocols import recognised
from .cassette import Ending, ended, header, line, refuse

Event = TypeVar("Event")

_ASYNC: Final = (
    "use the async client to record (AsyncOpenAI for OpenAI, AsyncAnthropic for Anthropic); "
    "ReplayServer replays the recording to code that is not async"
)


class Recording(Closing, Generic[Event]):
    """A stream that is recorded as it is read. It is closed as the stream is: `async with`, or `close`."""

    __slots__ = ("_generator", "_path", "_source", "_stream")

    def __init__(self, stream: AsyncIterable[Event], path: Path) -> None:
        self._stream = stream
        self._source: Final = Source(stream, "record takes an async iterable", _ASYNC)
        self._path: Final = path
        self._generator: Final = self._recorded()

    def __aiter__(self) -> AsyncGenerator[Event, None]:  # noqa: PYI058  # it can be closed
        return self._generator

    async def __anext__(self) -> Event:
        return await self._generator.__anext__()

    async def _recorded(self) -> AsyncGenerator[Event, None]:
        part = self._path.with_name(f"{self._path.name}.part")
        start: float | None = None
        ending: Ending = "left"
        failure = None
        with part.open("w", encoding="utf-8", newline="\n") as file:
            try:
                async for item in self._source.iterator:
                    now = time.monotonic()
                    if start is None:
                        start = now
                        file.write(header(recognised(item) if not isinstance(item, bytes) else None))
                    file.write(line(item, now - start))
                    yield cast("Event", item)
                ending = "eof"
            except Exception as error:
                ending, failure = "error", type(error).__name__
                raise
            finally:
                if start is None:
                    file.write(header(None))
                file.write(ended(ending, time.monotonic() - start if start is not None else 0, failure))
                file.close()
                os.replace(part, self._path)  # noqa: PTH105  # over one that is there, on every system
                await self._source.aclose()

    async def aclose(self) -> None:
        """Close the stream and its source. Closing again does nothing."""
        with contextlib.suppress(RuntimeError):  # somebody is in the middle of a step of it
            await self._generator.aclose()
        await self._source.aclose()

    close = aclose  # as clients' streams call it

    @property
    def guarded(self) -> object:
        """The stream that is recorded: `run` asks a guarded one what the model wrote."""
        return self._stream

    @property
    def response(self) -> Any:
        """The response that the client's stream is read from."""
        return self._stream.response  # type: ignore[attr-defined]


def record(stream: AsyncIterable[Event], path: str | Path, *, overwrite: bool = False) -> Recording[Event]:
    """Record the items of a stream, with their times, while it is read. `cassette` has the format.

    Any stream can be recorded: of text, bytes, JSON or a client's objects, a guarded one, or that of `run`, whose outputs are
    kept as `ToolResult`s. The file contains the stream only: no request, no header, no key.

    Raises:
        FileExistsError: The file exists, and `overwrite` is not set.
    """
    path = Path(path)
    refuse(path, overwrite=overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    return Recording(stream, path)
