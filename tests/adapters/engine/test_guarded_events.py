"""Guarded streams of the providers' own events: through the real clients, from a server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from openai.lib.streaming.chat import ChatCompletionStreamState
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.events import guard_any, guard_events
from stream_guard_adapters.openai import guard_chat

from stream_guard import Guard, ToolBlock, ToolStatus
from stream_guard.testing import FakeCorrector, FakeStream, collect, random_splits
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.provider import Piece, Provider, Trouble

GUARD = Guard(FILE_TOOLS)
GOOD = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
VALID = f"Before.\n```json\n{GOOD}\n```\nAfter.\n"
FIXED = VALID.replace("}", ",}")
FAILED = VALID.replace("write_file", "write_file2").replace("a.txt", "/a.txt")
EXAMPLE = 'Look:\n```json\n{"name": "x", "version": "1"}\n```\nDone.'
CUT = VALID[:50]
ASKED: Any = [{"role": "user", "content": "x"}]


def text_of(items: Sequence[Any]) -> str:
    """What a naive reader of the deltas sees."""
    said = ""
    for item in items:
        if isinstance(item, ToolStatus | ToolBlock):
            continue
        if getattr(item, "choices", None):
            said += item.choices[0].delta.content or ""
        elif getattr(item, "type", "") == "content_block_delta" and item.delta.type == "text_delta":
            said += item.delta.text
    return said


async def through_openai(pieces: Sequence[Piece], guard: Guard = GUARD) -> tuple[list[Any], list[Any]]:
    """What the client's stream yields, and what it yields guarded."""
    async with Provider(lambda _: pieces) as provider, AsyncOpenAI(api_key="k", base_url=provider.url) as client:

        async def ask() -> Any:
            return await client.chat.completions.create(model="m", messages=ASKED, stream=True)

        bare = await collect(await ask())
        async with guard_chat(await ask(), guard, stream_id="s") as stream:
            assert stream.response.status_code == 200
            return bare, await collect(stream)


async def through_anthropic(pieces: Sequence[Piece], guard: Guard = GUARD) -> tuple[list[Any], list[Any]]:
    async with Provider(lambda _: pieces) as provider, AsyncAnthropic(api_key="k", base_url=provider.url) as client:

        async def ask() -> Any:
            return await client.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)

        bare = await collect(await ask())
        async with guard_messages(await ask(), guard, stream_id="s") as stream:
            assert stream.response.status_code == 200
            return bare, await collect(stream)


THROUGH = {"openai": through_openai, "anthropic": through_anthropic}


@pytest.mark.parametrize("through", THROUGH)
async def test_a_stream_without_blocks_is_as_it_came(through: str) -> None:
    """The same events, in the same number and order; and the very objects, which the next test looks at."""
    bare, guarded = await THROUGH[through](["Hello ", "world.\n", "No ", "``", "code`` here\n", "bye"])
    assert [item.model_dump() for item in guarded] == [item.model_dump() for item in bare]


async def test_what_was_not_held_leaves_as_the_very_object() -> None:
    """SDK objects and JSON alike."""
    chunks = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in ("a", "b\n", "c `d` ", "e\n1. f")]
    passed = await collect(guard_events(FakeStream(chunks), GUARD, "openai-chat"))
    assert len(passed) == len(chunks)
    assert all(one is other for one, other in zip(passed, chunks, strict=True))


@pytest.mark.some(5)
@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize(
    ("text", "visible", "executable", "causes"),
    [
        (VALID, "Before.\n\nAfter.\n", [True], ["closed"]),
        (FIXED, "Before.\n\nAfter.\n", [True], ["closed"]),
        (FAILED, "Before.\n\nAfter.\n", [False], ["closed"]),
        (EXAMPLE, EXAMPLE, [], []),
        (VALID + VALID, "Before.\n\nAfter.\nBefore.\n\nAfter.\n", [True, True], ["closed", "closed"]),
    ],
    ids=["valid", "fixed", "failed", "example", "two"],
)
async def test_blocks_are_held_and_the_rest_is_what_the_client_expects(
    through: str, text: str, visible: str, executable: list[bool], causes: list[str]
) -> None:
    """However the text is cut: each event of ours once, and every client's own accumulation is the visible text."""
    for pieces in random_splits(text, seed=7, count=6):
        bare, guarded = await THROUGH[through](pieces)
        blocks = [item for item in guarded if isinstance(item, ToolBlock)]
        assert [block.executable for block in blocks] == executable
        assert [block.end_cause for block in blocks] == causes
        assert text_of(bare) == text
        assert text_of(guarded) == visible
        events = [item for item in guarded if not isinstance(item, ToolStatus | ToolBlock)]
        assert type(events[-1]) is type(bare[-1])
        if through == "openai":
            state = ChatCompletionStreamState()  # the client's own accumulation
            for chunk in events:
                state.handle_chunk(chunk)
            whole = state.get_final_completion()
            assert (whole.choices[0].message.content or "") == visible
            assert whole.choices[0].finish_reason == "stop"
            assert whole.choices[0].message.role == "assistant"
            assert whole.usage is not None


@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize(("trouble", "cause"), [(Trouble.LENGTH, "length"), (Trouble.END, "disconnect"), (None, "disconnect")])
async def test_a_block_that_was_cut_off_says_by_what(through: str, trouble: Trouble | None, cause: str) -> None:
    """By the token limit, though it is told after the text has ended; by the end of the stream without a word."""
    pieces: list[Piece] = [CUT[:20], CUT[20:], *([trouble] if trouble is not None else [])]
    bare, guarded = await THROUGH[through](pieces)
    (block,) = [item for item in guarded if isinstance(item, ToolBlock)]
    assert (block.end_cause, block.executable) == (cause, False)
    assert text_of(guarded) + block.raw == CUT
    if trouble is not Trouble.END:
        events = [item for item in guarded if not isinstance(item, ToolStatus | ToolBlock)]
        assert [getattr(item, "type", "") for item in events[-3:]] == [getattr(item, "type", "") for item in bare[-3:]]
        assert events[-1] == bare[-1]


@pytest.mark.parametrize("through", THROUGH)
async def test_an_error_of_the_client_comes_after_what_was_held_and_unchanged(through: str) -> None:
    """The block fails as cut off by an error, and the client's own exception is raised."""
    guarded: list[Any] = []
    pieces: list[Piece] = [CUT, Trouble.ERROR]
    async with Provider(lambda _: pieces) as provider:
        with pytest.raises(Exception, match="overloaded"):
            if through == "openai":
                async with AsyncOpenAI(api_key="k", base_url=provider.url) as client:
                    chat = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
                    async with guard_chat(chat, GUARD) as stream:
                        async for item in stream:
                            guarded.append(item)
            else:
                async with AsyncAnthropic(api_key="k", base_url=provider.url) as other:
                    message = await other.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)
                    async with guard_messages(message, GUARD) as events:
                        async for event in events:
                            guarded.append(event)
    (block,) = [item for item in guarded if isinstance(item, ToolBlock)]
    assert (block.end_cause, block.executable) == ("error", False)
    assert text_of(guarded) + block.raw == CUT


async def test_a_correction_lands_where_the_block_stood() -> None:
    """Later chunks wait for it."""
    broken = VALID.replace(GOOD, GOOD.replace('"x"', '["x"]'))
    guard = Guard(FILE_TOOLS, corrector=FakeCorrector(GOOD))
    _, guarded = await through_openai(list(broken), guard)
    kinds = [
        "block" if isinstance(item, ToolBlock) else item.status if isinstance(item, ToolStatus) else "" for item in guarded
    ]
    assert "correcting" in kinds
    assert text_of(guarded[: kinds.index("block")]) == "Before.\n"
    assert text_of(guarded) == "Before.\n\nAfter.\n"
    (block,) = [item for item in guarded if isinstance(item, ToolBlock)]
    assert (block.executable, block.corrected_by) == (True, "llm")


async def test_the_source_is_closed_when_the_reader_leaves() -> None:
    """In the middle of a reply that would never end."""
    pieces: list[Piece] = ["Hello\n", Trouble.HANG]
    async with Provider(lambda _: pieces) as provider, AsyncOpenAI(api_key="k", base_url=provider.url) as client:
        chat = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
        async with guard_chat(chat, GUARD) as stream:
            async for item in stream:
                if text_of([item]):
                    break
        async with asyncio.timeout(300):
            while provider.left == 0:
                await asyncio.sleep(0.001)


async def test_what_is_no_stream_is_told_so() -> None:
    """With what to do instead."""

    class Manager:  # as `client.messages.stream(...)` returns one
        async def __aenter__(self) -> None: ...

    manager: Any = Manager()
    with pytest.raises(TypeError, match="enter it with `async with`"):
        guard_messages(manager, GUARD)
    nothing: Any = 1
    with pytest.raises(TypeError, match="expected an iterable or an async iterable of events, got int"):
        guard_chat(nothing, GUARD)
    with pytest.raises(ValueError, match="protocol must be one of openai-chat, "):
        guard_events(FakeStream([]), GUARD, "soap")


async def test_a_protocol_is_recognised_by_its_first_event() -> None:
    """What came before is not lost; a stream of none is closed and refused."""
    firsts: list[Any] = [{"choices": []}, {"type": "response.created"}, {"type": "message_start"}, "text"]
    for first in firsts:
        source = FakeStream([{"unknown": 1}, first, first])
        async with await guard_any(source, GUARD) as stream:
            assert await collect(stream) == [{"unknown": 1}, first, first]
        assert source.closed == 1
    source = FakeStream([{"unknown": 1}])
    with pytest.raises(ValueError, match="the protocol of the stream is none of openai-chat"):
        await guard_any(source, GUARD)
    assert source.closed == 1


@pytest.mark.parametrize("through", [guard_chat, guard_messages])
async def test_a_body_is_refused_and_not_passed_unread(through: Any) -> None:
    """Bytes are what an imported recording yields unless told otherwise: no client's events."""
    source = FakeStream([b'data: {"choices": []}\n\n'])
    with pytest.raises(TypeError, match=r'got bytes: .* replay\(\.\.\., form="objects"\)'):
        await collect(through(source, GUARD))
    assert source.closed == 1
