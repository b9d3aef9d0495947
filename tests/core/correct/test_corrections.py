"""A corrector that cannot work says so: where the guard is made, or in one line of the log."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Iterator
from functools import partial
from typing import Any

import pytest

from stream_guard import CorrectionPolicy, CorrectionRequest, Guard, Reply, ToolBlock
from stream_guard.testing import FakeCorrector, FakeStream, collect
from stream_guard.tools.files import FILE_TOOLS

GOOD = '{"tool": "delete_file", "path": "a"}'
BAD = '```json\n{"tool": "delete_file", "path": ["a"]}\n```'


async def right(request: CorrectionRequest) -> str:
    return GOOD


async def told_more(request: CorrectionRequest, wanted: str) -> Reply:
    return Reply(wanted)


def hands_on(request: CorrectionRequest) -> Awaitable[str]:
    return right(request)


class Right:
    async def __call__(self, request: CorrectionRequest) -> str:
        return GOOD

    async def method(self, request: CorrectionRequest) -> str:
        return GOOD


@pytest.mark.parametrize(
    "corrector",
    [
        right,
        hands_on,
        partial(told_more, wanted=GOOD),
        Right(),
        Right().method,
        FakeCorrector(GOOD),
    ],
)
async def test_every_kind_of_async_callable_is_taken(corrector: Any) -> None:
    items = await collect(Guard(FILE_TOOLS, corrector=corrector).stream(FakeStream([BAD])))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert block.executable


def sync(request: CorrectionRequest) -> str:
    return GOOD


async def none() -> str:
    return GOOD


async def two(request: CorrectionRequest, more: str) -> str:
    return GOOD


async def yields(request: CorrectionRequest) -> AsyncIterator[str]:
    yield GOOD


def generates(request: CorrectionRequest) -> Iterator[str]:
    yield GOOD


class Wrong:
    def __call__(self, request: CorrectionRequest) -> str:
        return GOOD


@pytest.mark.parametrize(
    ("corrector", "says"),
    [
        (sync, "sync is not async; make it `async def`"),
        (Wrong(), "Wrong is not async; make it `async def`"),
        (none, r"none\(\) -> 'str' does not take one argument \(too many positional arguments\)"),
        (two, r"two\(.*\) -> 'str' does not take one argument \(missing a required argument: 'more'\)"),
        (yields, "yields yields; return the text"),
        (generates, "generates yields; return the text"),
        (Right, "Right is a class; make one"),
        ("text", "str cannot be called"),
    ],
)
def test_what_shows_before_it_is_called_is_told_when_the_guard_is_made(corrector: Any, says: str) -> None:
    with pytest.raises(TypeError, match=f"^corrector must be an async callable .*: {says}$"):
        Guard(FILE_TOOLS, corrector=corrector)


def test_a_policy_that_is_none_is_refused_when_the_guard_is_made() -> None:
    policy: Any = {"timeout": 3}
    with pytest.raises(TypeError, match=r"correction must be a CorrectionPolicy, such as CorrectionPolicy\(timeout=3\), not"):
        Guard(FILE_TOOLS, corrector=Right(), correction=policy)


async def nothing(request: CorrectionRequest) -> Any:
    return None


@pytest.mark.parametrize(
    ("corrector", "says"),
    [
        (lambda request: GOOD, "it returned str and nothing to await; make it `async def`"),
        (nothing, "it must return str or Reply, got NoneType"),
    ],
)
async def test_what_shows_only_when_it_is_called_is_one_line_of_the_log(
    corrector: Any, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The block fails, as with any corrector that fails."""
    with caplog.at_level(logging.ERROR, logger="stream_guard"):
        guard = Guard(FILE_TOOLS, corrector=corrector, correction=CorrectionPolicy(max_attempts=1))
        items = await collect(guard.stream(FakeStream([BAD])))
    assert [record.getMessage() for record in caplog.records] == [f"a corrector failed: {says}"]
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert not block.executable
