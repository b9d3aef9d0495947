"""Fixtures of pytest for recorded streams.

    async def test_chat(stream_cassette):
        stream = await stream_cassette("hello", lambda: client.chat.completions.create(..., stream=True))
        async with guard_chat(stream, guard) as guarded: ...

    def test_client(replay_server):
        client = OpenAI(base_url=replay_server("hello").url, api_key="none")

Cassettes are in `cassettes/` beside the test. `pytest --record-streams=once` records those that are missing, `all` records all
of them again. Without the option only cassettes are read, so that no test calls a provider by accident.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .cassettes.replay_server import ReplayServer

MODES = ("none", "once", "all")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--record-streams`."""
    group = parser.getgroup("stream_guard")
    group.addoption(
        "--record-streams", choices=MODES, default="none", help="record streams: none of them, those that are missing, or all"
    )


@pytest.fixture
def stream_cassette_dir(request: pytest.FixtureRequest) -> Path:
    """The folder of the cassettes; override it to put them elsewhere."""
    return request.path.parent / "cassettes"


@pytest.fixture
def stream_cassette(request: pytest.FixtureRequest, stream_cassette_dir: Path) -> Callable[..., Awaitable[Any]]:
    """Returns a function that streams a cassette, or records a live stream where `--record-streams` says so.

    `await stream_cassette(name, live, **settings)`: `live` is called, and awaited if need be, when it is to be recorded; the
    settings are those of `replay`.
    """
    mode = request.config.getoption("--record-streams")

    async def stream(name: str, live: Callable[[], Any] | None = None, **settings: Any) -> Any:
        from .cassettes.recording import record  # deferred: pytest loads this file in all tests there are
        from .cassettes.replaying import replay

        path = _file(stream_cassette_dir, name)
        if live is not None and (mode == "all" or (mode == "once" and not path.exists())):
            source = live()
            return record(await source if isawaitable(source) else source, path, overwrite=True)
        how = "--record-streams=once" if live is not None else "record(), or give stream_cassette the live stream"
        _there(path, f"record it with {how}")
        return replay(path, **settings)

    return stream


@pytest.fixture
def replay_server(stream_cassette_dir: Path) -> Iterator[Callable[..., ReplayServer]]:
    """Yields a function that starts a server with cassettes: `replay_server(*names, **settings).url`."""
    with ExitStack() as running:

        def serve(*names: str, **settings: Any) -> ReplayServer:
            from .cassettes.replay_server import ReplayServer  # deferred, as above

            paths = [_file(stream_cassette_dir, name) for name in names]
            for path in paths:
                _there(path, "record it with a test that uses stream_cassette, or with record()")
            return running.enter_context(ReplayServer(*paths, **settings))

        yield serve


def _file(folder: Path, name: str) -> Path:
    return folder / (name if name.endswith(".jsonl") else f"{name}.jsonl")


def _there(path: Path, how: str) -> None:
    """Fail the test if a cassette does not exist, and say how to record it."""
    if not path.exists():
        pytest.fail(f"cassette {path} does not exist; {how}", pytrace=False)
