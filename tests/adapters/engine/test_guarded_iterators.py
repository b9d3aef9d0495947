"""Streams of clients that are not async: plain iterators of the same items."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, assert_type

import pytest
from anthropic import Anthropic, AsyncAnthropic, AsyncStream
from openai import AsyncOpenAI, OpenAI, Stream
from openai.types.chat import ChatCompletionChunk
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.events import guard_events
from stream_guard_adapters.openai import guard_chat, guard_responses
from stream_guard_conformance.corpus.native import as_chat, as_messages, as_responses, chat, responses

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeCorrector, FakeStream, collect, random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.native_calls import DELETE
from tests.kit.provider import Piece, Provider, Trouble

GUARD = Guard(FILE_TOOLS)
ASKED: Any = [{"role": "user", "content": "x"}]
GOOD = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
VALID = f"Before.\n```json\n{GOOD}\n```\nAfter.\n"
TEXTS = {
    "valid": VALID,
    "fixed": VALID.replace("}", ",}"),
    "failed": VALID.replace("a.txt", "/a.txt"),
    "released": VALID.replace(GOOD, '{"name": "x", "version": "1"}'),
    "cut": VALID[:50],
    "prose": "Only prose.\n",
}


async def through_openai(pieces: Sequence[Piece]) -> tuple[list[Any], list[Any]]:
    """What the async client's guarded stream yields, and the other client's."""
    async with Provider(lambda _: pieces) as provider, AsyncOpenAI(api_key="k", base_url=provider.url) as client:
        reply = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
        expected = await collect(guard_chat(reply, GUARD, stream_id="s"))

        def work() -> list[Any]:
            with OpenAI(api_key="k", base_url=provider.url) as client:
                reply = client.chat.completions.create(model="m", messages=ASKED, stream=True)
                with guard_chat(reply, GUARD, stream_id="s") as stream:
                    assert stream.response.status_code == 200
                    return list(stream)

        return expected, await asyncio.to_thread(work)


async def through_anthropic(pieces: Sequence[Piece]) -> tuple[list[Any], list[Any]]:
    async with Provider(lambda _: pieces) as provider, AsyncAnthropic(api_key="k", base_url=provider.url) as client:
        reply = await client.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)
        expected = await collect(guard_messages(reply, GUARD, stream_id="s"))

        def work() -> list[Any]:
            with Anthropic(api_key="k", base_url=provider.url) as client:
                reply = client.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)
                with guard_messages(reply, GUARD, stream_id="s") as stream:
                    assert stream.response.status_code == 200
                    return list(stream)

        return expected, await asyncio.to_thread(work)


@pytest.mark.some(6)
@pytest.mark.parametrize("through", [through_openai, through_anthropic])
@pytest.mark.parametrize("name", TEXTS)
async def test_both_kinds_of_client_are_told_the_same(through: Any, name: str) -> None:
    """However the text is cut."""
    for pieces in random_splits(TEXTS[name], seed=3, count=3):
        expected, items = await through(pieces)
        assert items == expected


@pytest.mark.parametrize(
    ("guarded", "events"),
    [
        (guard_chat, as_chat(list(VALID))),
        (guard_chat, chat([DELETE])),
        (guard_responses, as_responses(list(VALID))),
        (guard_responses, responses([DELETE])),
        (guard_messages, as_messages(list(VALID))),
    ],
)
async def test_any_iterable_of_events_will_do(guarded: Any, events: list[Any]) -> None:
    """JSON too, and native calls; promoted calls come as they do from an async client."""
    for settings in ({}, {"promote": True}, {"native": "observe"}):
        items = list(guarded(iter(events), GUARD, stream_id="s", **settings))
        assert items == await collect(guarded(FakeStream(events), GUARD, stream_id="s", **settings))
        assert [item.executable for item in items if isinstance(item, ToolBlock)] == [True]


class Source:
    """An iterator that knows how often it was closed."""

    def __init__(self, *events: Any) -> None:
        self._events = iter(events)
        self.closed = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        event = next(self._events)
        if isinstance(event, Exception):
            raise event
        return event

    def close(self) -> None:
        self.closed += 1


def piece(text: str) -> Any:
    return {"choices": [{"index": 0, "delta": {"content": text}}]}


def test_an_error_of_the_source_comes_after_what_was_held() -> None:
    """The block fails as cut off by an error."""
    source = Source(piece(VALID[:50]), OSError("gone"))
    items: list[Any] = []
    with pytest.raises(OSError, match="gone"):
        items.extend(guard_chat(source, GUARD))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert (block.end_cause, block.executable) == ("error", False)
    assert source.closed


def test_the_source_is_closed_when_the_reader_leaves() -> None:
    """Before it began, in the middle, and again."""
    for read in (0, 1):
        source = Source(piece("a"), piece("b"))
        with guard_chat(source, GUARD) as stream:
            for _ in range(read):
                next(stream)
        assert source.closed
        assert list(stream) == []
        stream.close()


async def test_a_client_in_a_thread_is_closed_in_the_middle_of_a_reply() -> None:
    pieces: list[Piece] = ["Hello\n", Trouble.HANG]
    async with Provider(lambda _: pieces) as provider:

        def work() -> None:
            with OpenAI(api_key="k", base_url=provider.url) as client:
                reply = client.chat.completions.create(model="m", messages=ASKED, stream=True)
                with guard_chat(reply, GUARD) as stream:
                    next(stream)

        await asyncio.to_thread(work)
        async with asyncio.timeout(300):
            while provider.left == 0:
                await asyncio.sleep(0.001)


def test_no_model_is_asked_by_a_client_that_is_not_async() -> None:
    """The block fails as it would without a corrector, and the guard's other settings hold."""
    corrector = FakeCorrector(GOOD)
    guard = Guard(FILE_TOOLS, corrector=corrector, fixes="off", announce="tool")
    items = list(guard_chat([piece(TEXTS["fixed"])], guard, stream_id="s"))
    assert items == list(guard_chat([piece(TEXTS["fixed"])], Guard(FILE_TOOLS, fixes="off", announce="tool"), stream_id="s"))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert not block.executable
    assert not corrector.requests


def test_a_helper_and_what_is_no_stream_are_refused() -> None:
    """With what to do instead."""

    class Manager:  # as `client.messages.stream(...)` returns one
        def __enter__(self) -> None: ...

    class Helper(Source):
        text_stream = ()

    for wrong, says in (
        (Manager(), "enter it with `with`"),
        (Helper(), "reads and repeats the text itself"),
        ("text", r"what create\(stream=True\) returns"),
        ({"choices": []}, "got dict"),
        (7, "got int"),
    ):
        given: Any = wrong
        with pytest.raises(TypeError, match=says):
            guard_chat(given, GUARD)
    with pytest.raises(ValueError, match="promote works with"):
        guard_events([], GUARD, "langchain", promote=True)


def typed(plain: Stream[ChatCompletionChunk], waits: AsyncStream[ChatCompletionChunk]) -> None:
    """What a type checker knows of the items."""
    for item in guard_chat(plain, GUARD):
        assert_type(item, ChatCompletionChunk | ToolStatus | ToolBlock)

    async def read() -> None:
        async for item in guard_chat(waits, GUARD):
            assert_type(item, ChatCompletionChunk | ToolStatus | ToolBlock)
