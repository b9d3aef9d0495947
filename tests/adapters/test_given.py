"""What an app gives to the adapters wrongly raises where it is given, and the message says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from stream_guard_adapters.anthropic import guard_messages
from stream_guard_adapters.asgi import StreamGuardMiddleware
from stream_guard_adapters.cassettes import Cassette, ReplayServer, record, replay
from stream_guard_adapters.events import aguard_reply, guard_any, guard_events, guard_reply
from stream_guard_adapters.openai import OpenAICorrector, guard_chat, guard_responses
from stream_guard_adapters.proxy import proxy
from stream_guard_adapters.resume import MemoryStore, ResumableStreams
from stream_guard_adapters.sse import guarded_sse

from stream_guard import Guard, Tool, Toolset, run
from stream_guard.testing import FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS

GUARD = Guard(FILE_TOOLS)
REPLY = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}}], "object": "chat.completion"}


async def app(*_: Any) -> None:
    pass


async def waits(_: Any) -> None:
    pass


DOORS: dict[str, Callable[..., Any]] = {
    "guard_chat": lambda guard, **more: guard_chat(FakeStream([]), guard, **more),
    "guard_responses": lambda guard, **more: guard_responses(FakeStream([]), guard, **more),
    "guard_messages": lambda guard, **more: guard_messages(FakeStream([]), guard, **more),
    "guard_events": lambda guard, **more: guard_events(FakeStream([]), guard, "gemini", **more),
    "guard_reply": lambda guard, **more: guard_reply(REPLY, guard, **more),
    "middleware": lambda guard, **more: StreamGuardMiddleware(app, guard=guard, **more),
    "proxy": lambda guard, **more: proxy("https://api.example.com", guard, **more),
}


@pytest.mark.parametrize("door", [*DOORS, "guarded_sse", "ResumableStreams"])
@pytest.mark.parametrize("wrong", ["x", FILE_TOOLS, [*FILE_TOOLS], Guard, {}, 0])
def test_a_guard_is_a_guard(door: str, wrong: Any) -> None:
    doors: dict[str, Callable[..., Any]] = {
        **DOORS,
        "guarded_sse": lambda guard: guarded_sse(FakeStream([]), guard),
        "ResumableStreams": lambda guard: ResumableStreams(MemoryStore(), guard),
    }
    with pytest.raises(TypeError, match=r"guard must be a Guard, such as Guard\(tools\), not "):
        doors[door](wrong)


async def test_a_guard_is_one_where_it_is_awaited() -> None:
    for wrong in (None, FILE_TOOLS):
        with pytest.raises(TypeError, match="guard must be a Guard"):
            await aguard_reply(REPLY, wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="guard must be a Guard"):
            await guard_any(FakeStream([{"type": "message_start", "message": {}}]), wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"promote": "no"}, "promote must be True or False, not 'no'"),
        ({"on_uninspected": "x"}, "on_uninspected must be a function of one argument, or None; 'x' cannot be called"),
        ({"on_uninspected": waits}, "on_uninspected must be a function of one argument, or None, and not async"),
    ],
)
def test_settings_say_what_they_take(door: str, settings: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(said)):
        DOORS[door](GUARD, **settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"keep_alive": "5"}, "keep_alive must be a positive number of seconds, or None for never; not '5'"),
        ({"keep_alive": True}, "keep_alive must be a positive number of seconds, or None for never; not True"),
        ({"max_connections": "5"}, "max_connections must be a positive number, or None for no bound; not '5'"),
        ({"pool_timeout": "5"}, "pool_timeout must be a positive number of seconds, or None for no bound; not '5'"),
        ({"connect_timeout": []}, "connect_timeout must be a positive number of seconds"),
        ({"read_timeout": 0}, "read_timeout must be a positive number of seconds"),
        ({"allow_hosts": None}, "allow_hosts takes a list of names, not None"),
        ({"metrics": "yes"}, "metrics must be True or False, not 'yes'"),
        ({"paths": 3}, "paths must be a list of prefixes or a function of the scope; not a int"),
    ],
)
def test_the_gateway_says_what_it_takes(settings: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(said)):
        proxy("https://api.example.com", GUARD, **settings)


@pytest.mark.parametrize("upstream", [None, 3, Path("x")])
def test_an_upstream_is_a_text(upstream: Any) -> None:
    with pytest.raises(TypeError, match="upstream must be a URL such as"):
        proxy(upstream, GUARD)


@pytest.mark.parametrize("guarded", [guard_chat, guard_responses, guard_messages])
async def test_a_stream_of_text_is_no_stream_of_events(guarded: Any, caplog: pytest.LogCaptureFixture) -> None:
    """No event ends a stream, however odd: it passes, nothing in it is guarded, and the log says so, once."""
    for deltas in (["secret"], ["", "secret", "secret"]):
        for is_async in (True, False):
            caplog.clear()
            passed: list[str] = await collect(guarded(FakeStream(deltas), GUARD)) if is_async else list(guarded(deltas, GUARD))
            assert passed == deltas
            assert caplog.text.count("a stream of text is guarded with guard.stream") == 1
            assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        (lambda: waits(None), "record takes an async iterable, got coroutine: await it first"),
        (lambda: waits, "record takes an async iterable, got the function waits: call it, and give what it returns"),
        (lambda: ["x"], "record takes an async iterable, got list"),
    ],
)
def test_a_recording_takes_a_stream(stream: Callable[[], Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        record(stream(), tmp_path / "a.jsonl")
    assert not list(tmp_path.iterdir())


SYNC = "use the async client to record (AsyncOpenAI for OpenAI, AsyncAnthropic for Anthropic); ReplayServer replays"


def test_a_stream_that_is_not_async_is_recorded_with_the_async_client(tmp_path: Path) -> None:
    """Whatever it is: there is something to record, and a way to it."""
    streams: tuple[Any, ...] = (iter(["x"]), (x for x in "ab"), guard_chat(iter([]), GUARD), ["x"])
    for stream in streams:
        with pytest.raises(TypeError, match=re.escape(SYNC)):
            record(stream, tmp_path / "a.jsonl")
    assert not [*tmp_path.iterdir()]


def test_an_async_stream_in_a_plain_with_says_what_to_do(tmp_path: Path) -> None:
    cassette = Cassette([REPLY])
    streams: tuple[Any, ...] = (
        guard_chat(replay(cassette), GUARD),
        GUARD.stream(FakeStream(["x"])),
        run(GUARD.stream(FakeStream(["x"])), Toolset(Tool("t", "", {}, handler=dict))),
        replay(cassette),
        record(FakeStream(["x"]), tmp_path / "a.jsonl"),
    )
    for stream in streams:
        said = f"{type(stream).__name__} is async: use `async with` and `async for`; in code that is not async, guard the"
        with pytest.raises(TypeError, match=re.escape(said) + ".*ReplayServer"), stream:
            pass


def test_a_recording_takes_a_file(tmp_path: Path) -> None:
    for overwrite in (False, True):
        with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
            record(FakeStream([]), tmp_path, overwrite=overwrite)


@pytest.mark.parametrize("speed", ["fast", "1", None, -1, float("nan")])
def test_a_speed_is_a_number(speed: Any) -> None:
    for made in (replay, ReplayServer):
        with pytest.raises(ValueError, match=r"speed must be 0 \(at once\), 1 \(as recorded\)"):
            made(Cassette(["Hi."]), speed=speed)


@pytest.mark.parametrize("lane", ["x", None, -1, 1.5])
def test_a_lane_is_a_number(lane: Any) -> None:
    with pytest.raises(ValueError, match="lane must be the number of a text, from 0; not "):
        replay(Cassette(["Hi."]), lane=lane)


def test_a_model_has_a_name() -> None:
    class Client:
        async def close(self) -> None: ...

    for wrong in (None, 3, Client):
        with pytest.raises(TypeError, match="a corrector needs the name of a model, not "):
            OpenAICorrector(Client(), wrong)  # type: ignore[arg-type]


class Waiting:
    async def __call__(self, *_: Any) -> None:
        pass


class Yielding:
    def __call__(self, *_: Any) -> Any:
        yield


async def waits_for_two(_: Any, __: Any) -> None:
    pass


async def waits_and_yields(*_: Any) -> Any:
    yield


def yields(*_: Any) -> Any:
    yield


UNRUN = [waits_for_two, partial(waits_for_two), waits_and_yields, Waiting(), Waiting().__call__]
"""Functions that do nothing when they are called: nobody awaits what they return."""


@pytest.mark.parametrize("unrun", [*UNRUN, yields, Yielding()])
@pytest.mark.parametrize(
    ("door", "hook"), [*((door, "on_uninspected") for door in DOORS), ("middleware", "on_call"), ("proxy", "on_call")]
)
def test_a_hook_that_a_call_does_not_run_is_refused_by_every_door(door: str, hook: str, unrun: Any) -> None:
    with pytest.raises(TypeError, match=f"{hook} must be a function of (one|two) arguments?, or None, and not "):
        DOORS[door](GUARD, **{hook: unrun})


@pytest.mark.parametrize("unrun", UNRUN)
def test_so_is_any_other_function_that_nobody_awaits(unrun: Any) -> None:
    with pytest.raises(TypeError, match=r"on_uninspected must be .* not async"):
        ResumableStreams(MemoryStore(), GUARD, on_uninspected=unrun)
    with pytest.raises(TypeError, match="paths must not be async"):
        StreamGuardMiddleware(app, guard=GUARD, paths=unrun)
    for name, given in (("mend", unrun), ("rules", (unrun,)), ("output_rules", (unrun,))):
        more: Any = {name: given}
        with pytest.raises(TypeError, match=f"{name}`? must not be async"):
            Tool("t", "", {"type": "object"}, **more)


@pytest.mark.parametrize("door", ["middleware", "proxy"])
@pytest.mark.parametrize(("hook", "said"), [("x", "'x' cannot be called"), (lambda _: None, "does not take two arguments")])
def test_the_hook_for_calls_takes_a_block_and_its_tools(door: str, hook: Any, said: str) -> None:
    with pytest.raises(TypeError, match=f"on_call must be a function of two arguments, or None; .*{said}"):
        DOORS[door](GUARD, on_call=hook)
