"""The shell: promises P4 and P5. Whatever ends a stream, its source is closed once and nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import threading
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from typing import Any

import pytest

from stream_guard import CorrectionPolicy, CorrectionRequest, End, Guard, Limits, Pending, ToolBlock, ToolStatus, run
from stream_guard.correct.correcting import Correction
from stream_guard.judge.judge import Judge
from stream_guard.stream.work import Work
from stream_guard.testing import FakeCorrector, FakeStream, collect, merge_text, original
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.proof import Cases

GOOD = '{"tool": "write_file", "path": "a.txt", "content": "x"}'
BAD = '{"tool": "create_file", "path": "a.txt", "content": "x"}'


def reply(*bodies: str) -> list[str]:
    """A reply with these blocks, cut into deltas of five characters."""
    text = "Hello\n" + "".join(f"```json\n{body}\n```\nand\n" for body in bodies) + "bye"
    return [text[i : i + 5] for i in range(0, len(text), 5)]


def kinds(items: list[Any]) -> list[str]:
    return [
        item if isinstance(item, str) else "block" if isinstance(item, ToolBlock) else item.status for item in merge_text(items)
    ]


async def test_a_stream_yields_prose_status_and_block_in_order() -> None:
    """The reader hears of a block before it has it, and has the prose before and after it."""
    source = FakeStream(reply(GOOD))
    items = await collect(Guard(FILE_TOOLS).stream(source))
    assert kinds(items) == ["Hello\n", "buffering", "buffering", "buffering", "validating", "block", "\nand\nbye"]
    assert original(items) == "".join(reply(GOOD))
    assert source.closed == 1


async def test_the_status_leaves_in_the_tick_of_the_opener() -> None:
    """Promise P3: no later delta is read before the status is out."""
    source = FakeStream(["```", "json", "\n", GOOD, "\n```\n"])
    stream = Guard(FILE_TOOLS).stream(source)
    first = await anext(stream)
    assert isinstance(first, ToolStatus)
    assert first.status == "buffering"
    assert source.read == 3
    await stream.aclose()


async def test_name_and_path_are_announced_in_the_tick_in_which_their_strings_close() -> None:
    """Neither earlier nor later, in any order of keys and in an envelope."""
    for chunks, name_at, path_at in [
        (["```json\n", '{"tool": "write_fil', "e", '"', ', "path": "a', '.txt"', ', "content": ""}\n```\n'], 4, 6),
        (["```json\n", '{"path": "a.txt', '"', ', "tool": "write_file', '"', ', "content": ""}\n```\n'], 5, 3),
        (["```json\n", '{"name": "write_file', '", "arguments": {"path": "a.txt', '"', ', "content": ""}}\n```\n'], 3, 4),
    ]:
        source = FakeStream(chunks)
        seen: dict[str, int] = {}
        async for item in Guard(FILE_TOOLS).stream(source):
            if isinstance(item, ToolStatus):
                if item.tool_type:
                    seen.setdefault("tool", source.read)
                    assert item.tool_type == "write_file"
                if item.path:
                    seen.setdefault("path", source.read)
                    assert item.path == "a.txt"
        assert seen == {"tool": name_at, "path": path_at}, chunks


async def test_a_path_that_is_no_string_or_not_the_tools_own_is_not_announced() -> None:
    """Never a guess."""
    for body in ('{"tool": "write_file", "path": ["x"]}', '{"tool": "write_file", "content": {"path": "x"}}'):
        items = await collect(Guard(FILE_TOOLS).stream(FakeStream(reply(body))))
        assert all(item.path is None for item in items if isinstance(item, ToolStatus))


@pytest.mark.parametrize("order", ["strict", "flow"])
async def test_a_failed_block_goes_to_the_corrector_and_comes_back_valid(order: Any) -> None:
    """With attempt and maximum told, the block corrected, and what was found kept."""
    corrector = FakeCorrector(f"```json\n{GOOD}\n```")
    items = await collect(Guard(FILE_TOOLS, fixes="off", corrector=corrector, order=order).stream(FakeStream(reply(BAD))))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert (block.validation_passed, block.corrected, block.corrected_by, block.executable) == (True, True, "llm", True)
    assert block.arguments == {"tool": "write_file", "path": "a.txt", "content": "x"}
    assert [issue.code for issue in block.found] == ["invalid_tool"]
    assert block.issues == ()
    assert BAD in block.raw
    (status,) = [item for item in items if isinstance(item, ToolStatus) and item.status == "correcting"]
    assert (status.attempt, status.max_attempts) == (1, 2)
    assert original(sorted_by_text(items, block)) == "".join(reply(BAD))
    events = [item for item in items if not isinstance(item, str)]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


def sorted_by_text(items: list[Any], block: ToolBlock) -> list[Any]:
    """The items with the block where its first status stands: the order of the text."""
    rest = [item for item in items if item is not block]
    at = next(index for index, item in enumerate(rest) if isinstance(item, ToolStatus))
    return [*rest[:at], block, *rest[at:]]


async def slow_corrector(started: asyncio.Event, release: asyncio.Event) -> Callable[[CorrectionRequest], Awaitable[str]]:
    async def correct(request: CorrectionRequest) -> str:
        started.set()
        await release.wait()
        return GOOD

    return correct


async def test_in_strict_order_later_text_waits_for_the_correction_while_the_source_is_read_on() -> None:
    """Nothing overtakes a block, and the provider is not kept waiting."""
    started, release = asyncio.Event(), asyncio.Event()
    source = FakeStream(["```json\n", BAD, "\n```\n", "later ", "text"])
    guard = Guard(FILE_TOOLS, fixes="off", corrector=await slow_corrector(started, release))
    stream = aiter(guard.stream(source))
    seen: list[Any] = []
    reader = asyncio.create_task(pump(stream, seen))
    await started.wait()
    while source.read < 5:
        await asyncio.sleep(0)
    assert not any(isinstance(item, str) for item in seen)
    release.set()
    await reader
    assert kinds(seen)[-3:] == ["correcting", "block", "\nlater text"]


async def test_in_flow_order_later_text_overtakes_the_block() -> None:
    """The block lands by its id."""
    started, release = asyncio.Event(), asyncio.Event()
    source = FakeStream(["```json\n", BAD, "\n```\n", "later ", "text"])
    seen: list[Any] = []
    guard = Guard(FILE_TOOLS, fixes="off", corrector=await slow_corrector(started, release), order="flow")
    reader = asyncio.create_task(pump(aiter(guard.stream(source)), seen))
    await started.wait()
    while "text" not in seen:
        await asyncio.sleep(0)
    assert not any(isinstance(item, ToolBlock) for item in seen)
    release.set()
    await reader
    assert isinstance(seen[-1], ToolBlock)
    assert seen[-1].executable


async def pump(stream: AsyncIterator[Any], into: list[Any]) -> None:
    async for item in stream:
        into.append(item)


async def test_reading_on_stops_at_the_bound() -> None:
    """At `max_pending` characters the source is left waiting."""
    started, release = asyncio.Event(), asyncio.Event()
    source = FakeStream(["```json\n", BAD, "\n```\n", *["x" * 10] * 50])
    seen: list[Any] = []
    guard = Guard(FILE_TOOLS, fixes="off", corrector=await slow_corrector(started, release), limits=Limits(max_pending=35))
    reader = asyncio.create_task(pump(aiter(guard.stream(source)), seen))
    await started.wait()
    for _ in range(200):
        await asyncio.sleep(0)
    assert source.read == 3 + 4
    release.set()
    await reader
    assert source.read == 53


@pytest.mark.parametrize(
    ("answers", "asked", "codes"),
    [
        ((BAD,), 2, ["invalid_tool"]),
        (("no", GOOD), 2, []),
        ((f"```json\n{GOOD}\n```\n```json\n{BAD}\n```", GOOD), 2, []),
        ((f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```",), 1, []),
        ((GOOD.replace("a.txt", "b.txt"),), 1, ["invalid_tool", "correction_refused"]),
        (('{"tool": "delete_file", "path": "a.txt"}',), 1, ["invalid_tool", "correction_refused"]),
        ((RuntimeError("secret"),), 2, ["invalid_tool", "guard_error"]),
        ((f"```json\n{GOOD}",), 2, ["invalid_tool"]),
    ],
)
async def test_what_a_corrector_may_answer_and_what_becomes_of_it(
    answers: tuple[Any, ...], asked: int, codes: list[str]
) -> None:
    """A reply is data from outside: only a valid block that names nothing new is taken, and the rest fails closed."""
    corrector = FakeCorrector(*answers)
    items = await collect(Guard(FILE_TOOLS, fixes="off", corrector=corrector).stream(FakeStream(reply(BAD))))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert len(corrector.requests) == asked
    assert [issue.code for issue in block.issues] == codes
    assert block.executable is (codes == [])
    assert "secret" not in str(block.issues)


@pytest.mark.parametrize("order", ["strict", "flow"])
@pytest.mark.parametrize("last", [ConnectionError("gone"), 7, None])
async def test_the_source_may_end_or_fail_while_a_correction_runs(order: Any, last: Any) -> None:
    """The block is still corrected, what was read on still leaves, and the failure comes last."""
    source = FakeStream(["```json\n", BAD, "\n```\n", "more", *([] if last is None else [last])])

    async def correct(request: CorrectionRequest) -> str:
        while source.read < 5 and last is not None:
            await asyncio.sleep(0)
        return GOOD

    items: list[Any] = []
    try:
        async for item in Guard(FILE_TOOLS, fixes="off", corrector=correct, order=order).stream(source):
            items.append(item)
    except (ConnectionError, TypeError) as error:
        assert error is last or isinstance(last, int)
        failed = True
    else:
        failed = False
    assert failed is (last is not None)
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert block.executable
    assert "".join(item for item in items if isinstance(item, str)) == "\nmore"
    assert source.closed == 1


async def test_a_corrector_that_answers_no_text_has_failed() -> None:
    """And the block with it."""

    async def wrong(request: CorrectionRequest) -> str:
        return None  # type: ignore[return-value]

    async def cancelled(request: CorrectionRequest) -> str:
        raise asyncio.CancelledError

    for corrector, name in ((wrong, "UnfitCorrectorError"), (cancelled, "CancelledError")):
        items = await collect(Guard(FILE_TOOLS, fixes="off", corrector=corrector).stream(FakeStream(reply(BAD))))
        (block,) = [item for item in items if isinstance(item, ToolBlock)]
        assert block.issues[-1].message == f"The corrector failed ({name})"


@pytest.mark.promise("P9")
async def test_a_fault_of_ours_on_a_correction_fails_the_block_and_not_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise P9, in the shell."""

    def failing(*_: Any) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(Judge, "blocks", failing)
    items = await collect(Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector(GOOD)).stream(FakeStream(reply(BAD))))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert block.issues[-1].message == "The guard failed on the correction (RuntimeError)"
    assert kinds(items)[-1] == "\nand\nbye"


async def test_text_of_a_kind_of_its_own_is_text() -> None:
    """A subclass of str leaves as it came, too."""

    class Token(str):
        __slots__ = ()

    deltas = [Token("a"), Token("b\n"), Token("``"), Token("c\n1.")]
    items = await collect(Guard(FILE_TOOLS).stream(FakeStream(deltas)))
    assert [type(item) for item in items] == [Token] * 4
    assert items == deltas


async def test_without_attempts_no_call_is_made() -> None:
    """`max_attempts=0` means zero calls."""
    guard = Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector(), correction=CorrectionPolicy(max_attempts=0))
    items = await collect(guard.stream(FakeStream(reply(BAD))))
    assert not any(isinstance(item, ToolStatus) and item.status == "correcting" for item in items)


async def test_a_corrector_that_never_answers_is_given_up_at_its_deadline() -> None:
    """And the stream goes on."""

    async def never(request: CorrectionRequest) -> str:
        await asyncio.Event().wait()
        return ""

    guard = Guard(FILE_TOOLS, fixes="off", corrector=never, correction=CorrectionPolicy(timeout=0.01))
    items = await collect(guard.stream(FakeStream(reply(BAD))))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert [issue.code for issue in block.issues] == ["invalid_tool", "guard_error"]
    assert kinds(items)[-1] == "\nand\nbye"


async def test_an_error_of_the_source_comes_after_what_was_held_and_unchanged() -> None:
    """The held block ends as cut off by an error, then the very exception is raised."""
    boom = ConnectionError("gone")
    source = FakeStream(["hi\n", "```json\n", '{"tool": "write_file"', boom])
    items: list[Any] = []
    with pytest.raises(ConnectionError) as caught:
        async for item in Guard(FILE_TOOLS).stream(source):
            items.append(item)
    assert caught.value is boom
    assert isinstance(items[-1], ToolBlock)
    assert items[-1].end_cause == "error"
    assert not items[-1].executable
    assert original(items) == 'hi\n```json\n{"tool": "write_file"'
    assert source.closed == 1


@pytest.mark.parametrize("cause", ["length", "content_filter", "disconnect", "error"])
async def test_an_end_among_the_deltas_says_why_a_block_was_cut_off(cause: Any) -> None:
    """An adapter knows the finish reason; nothing cut off is executable, whatever the reason."""
    source = FakeStream(["```json\n", GOOD, "\n", End(cause)])
    items = await collect(Guard(FILE_TOOLS).stream(source))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert block.end_cause == cause
    assert not block.executable
    assert not block.validation_passed
    assert [issue.message for issue in block.issues] == ["The closing fence is missing"]
    assert block.hint is not None
    assert "smaller" not in block.hint.message


async def test_a_source_that_runs_out_proves_nothing() -> None:
    """A complete call without a closing fence runs only where somebody says that the reply ended by itself."""
    ends: list[tuple[list[Any], bool]] = [([], False), ([End()], False), ([End("stop")], True)]
    for end, runs in ends:
        deltas = ["```json\n", GOOD, *end]
        items: list[Any] = await collect(Guard(FILE_TOOLS).stream(FakeStream(deltas)))
        assert items == [*Guard(FILE_TOOLS).scan(deltas, stream_id=items[-1].id.partition("-")[0])]
        assert (items[-1].executable, items[-1].end_cause) == (runs, "stop" if runs else "disconnect")


async def test_what_is_no_text_is_the_callers_mistake_and_still_closes_the_source() -> None:
    """A clear TypeError, after what was held."""
    source = FakeStream(["``", 7])
    items: list[Any] = []
    with pytest.raises(TypeError, match="must yield str or End, got int"):
        async for item in Guard(FILE_TOOLS).stream(source):
            items.append(item)
    assert items == ["``"]
    assert source.closed == 1


def test_a_plain_iterable_is_refused_at_once() -> None:
    """With the name of the method that takes it."""
    with pytest.raises(TypeError, match="use scan"):
        Guard(FILE_TOOLS).stream(["a"])  # type: ignore[arg-type]


def test_a_turn_of_a_client_that_is_not_async_says_what_to_use() -> None:
    """`run` awaits; a plain iterator of items has `run_sync`."""
    with pytest.raises(TypeError, match=r"run needs an async client's stream .* got list_iterator.*tools\.run_sync\(block\)"):
        run(iter([]), FILE_TOOLS)  # type: ignore[arg-type]


async def test_leaving_the_context_closes_the_source_once() -> None:
    """Also when `aclose` is called again."""
    source = FakeStream(reply(GOOD))
    async with Guard(FILE_TOOLS).stream(source) as stream:
        async for _ in stream:
            break
    assert source.closed == 1
    await stream.aclose()
    assert source.closed == 1


async def test_closing_before_the_first_item_closes_the_source() -> None:
    """A generator that never began has no `finally`."""
    source = FakeStream(reply(GOOD))
    await Guard(FILE_TOOLS).stream(source).aclose()
    assert source.closed == 1
    assert source.read == 0


async def test_a_stream_that_is_dropped_closes_its_source_when_the_loop_gets_to_it() -> None:
    """Garbage collection, as far as the language allows."""
    source = FakeStream(reply(GOOD))
    async for _ in Guard(FILE_TOOLS).stream(source):
        break
    gc.collect()
    while not source.closed:
        await asyncio.sleep(0)
    assert source.closed == 1


async def test_a_source_with_only_a_close_method_is_closed_by_that() -> None:
    """As the streams of provider SDKs are."""

    class SdkStream:
        closed = 0

        async def __aiter__(self) -> AsyncIterator[str]:
            yield "a"
            yield "b"

        async def close(self) -> None:
            self.closed += 1

    source = SdkStream()
    async with Guard(FILE_TOOLS).stream(source) as stream:
        async for _ in stream:
            break
    assert source.closed == 1


async def test_an_exception_thrown_in_by_the_reader_is_the_readers() -> None:
    """It ends the stream without a word, and comes back out."""
    source = FakeStream(["a", "b"])
    guarded = Guard(FILE_TOOLS).stream(source)
    stream = guarded.__aiter__()
    await anext(stream)
    with pytest.raises(KeyError):
        await stream.athrow(KeyError("mine"))
    assert source.closed == 1


async def beside_another_task(stream: AsyncIterator[Any]) -> tuple[list[Any], int]:
    """Read a stream; return its items, and how often another task had its turn meanwhile."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    items = await collect(stream)
    task.cancel()
    return items, turns


async def test_a_large_delta_with_a_block_lets_others_have_a_turn() -> None:
    """The event loop is not held for the whole of it."""
    body = '{"tool": "write_file", "path": "a", "content": "' + "x" * 100_000 + '"}'
    items, turns = await beside_another_task(Guard(FILE_TOOLS).stream(FakeStream([f"```json\n{body}\n```\n"])))
    assert turns >= 4
    assert any(isinstance(item, ToolBlock) and item.executable for item in items)


@pytest.mark.parametrize("seconds", [0.0, 1.0])
async def test_work_that_takes_long_lets_others_have_a_turn_though_its_source_never_waits(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line may begin a call. Here a look at the clock finds that so many seconds have passed."""
    clock = itertools.count(1)
    monkeypatch.setattr("stream_guard.stream.work.perf_counter", lambda: 1 + next(clock) * seconds)

    async def source() -> AsyncIterator[str]:
        for _ in range(120):
            yield '\n{"' * 300

    items, turns = await beside_another_task(Guard(FILE_TOOLS).stream(source()))
    assert original(items) == '\n{"' * 36_000
    assert (turns > 20) is bool(seconds)


# -- injection: whatever happens, wherever ---------------------------------------------------------------------------------


class Injected(Exception):
    """Thrown in by the driver."""


@types.coroutine
def driven(work: Coroutine[Any, Any, Any], at: int, error: BaseException) -> Generator[Any, Any, bool]:
    """Run the coroutine, and throw the error into it at its k-th suspension. Returns whether it got that far."""
    suspensions = 0
    sent: Any = None
    thrown: BaseException | None = None
    injected = False
    while True:
        try:
            waiting_for = work.throw(thrown) if thrown is not None else work.send(sent)
        except StopIteration:
            return injected
        except (Injected, asyncio.CancelledError, GeneratorExit):
            assert injected
            return True
        except RuntimeError as refused:
            # From Python 3.12 on: a coroutine that is closed may not wait for anything any more, so nothing can be awaited.
            assert injected
            assert isinstance(error, GeneratorExit)
            assert "ignored GeneratorExit" in str(refused)
            return True
        thrown = sent = None
        suspensions += 1
        if suspensions == at and not injected:
            injected = True
            thrown = error
            if asyncio.isfuture(waiting_for):
                waiting_for._asyncio_future_blocking = False  # nobody will wait for it
            continue
        try:
            sent = yield waiting_for
        except BaseException as outside:
            thrown = outside


class Watched:
    """A source that suspends before every delta, and tells when it was read after its close."""

    def __init__(self, deltas: list[str]) -> None:
        self.deltas = iter(deltas)
        self.closed = 0

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        assert not self.closed
        await asyncio.sleep(0)
        try:
            return next(self.deltas)
        except StopIteration:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        self.closed += 1
        await asyncio.sleep(0)


SCENARIOS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "prose": (["Hello ", "world\n", "``", "x"], {}),
    "block": (reply(GOOD), {}),
    "open fence": (reply(GOOD)[:8], {}),
    "correction": (["```json\n", BAD, "\n```\n", "a", "b"], {}),
    "two corrections in flow": (["```json\n", BAD, "\n```\n", "```json\n", BAD, "\n```\n", "b"], {"order": "flow"}),
    "corrections that fail": (["```json\n", BAD, "\n```\n", "b"], {"answer": BAD}),
}


@pytest.fixture
def quick_collection() -> None:
    """Keep from the garbage collector what is there already: it looks at what the test leaves."""
    gc.collect()
    gc.freeze()


@pytest.mark.parametrize("error", [asyncio.CancelledError(), GeneratorExit(), Injected()], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.usefixtures("quick_collection")
@pytest.mark.promise("P4", "P5")
def test_an_error_at_any_suspension_closes_the_source_once_and_leaves_nothing(
    cases: Cases, scenario: str, error: BaseException, recwarn: pytest.WarningsRecorder
) -> None:
    """At the k-th suspension for every k until the stream gets through: one close, no task left, no output afterwards, and
    nothing for the loop to complain of.
    """
    deltas, settings = SCENARIOS[scenario]
    settings = dict(settings)
    answer: str = settings.pop("answer", GOOD)
    complaints: list[dict[str, Any]] = []

    async def correct(request: CorrectionRequest) -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return answer

    async def run(at: int) -> bool:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        source = Watched(list(deltas))
        after_close: list[Any] = []
        guarded = Guard(FILE_TOOLS, fixes="off", corrector=correct, **settings).stream(source)

        async def consume() -> None:
            async with guarded as stream:
                async for item in stream:
                    if source.closed:
                        after_close.append(item)

        reached = await driven(consume(), at, error)
        for _ in range(5):
            await asyncio.sleep(0)
        assert source.closed == 1
        assert after_close == []
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return reached

    at = 1
    while asyncio.run(run(at)):
        at += 1
        assert at < 500
        gc.collect()
    cases(at)
    assert at > 4
    assert [complaint for complaint in complaints if not wedged(complaint, error)] == []
    assert [str(warning.message) for warning in recwarn] == []


def wedged(complaint: dict[str, Any], error: BaseException) -> bool:
    """Whether this is the language's own limit: a coroutine that is closed while it awaits an async generator leaves any such
    generator, however it is written, "already running" for ever, and the loop says so at its shutdown.
    """
    return isinstance(error, GeneratorExit) and "already running" in str(complaint.get("exception"))


@pytest.mark.parametrize("scenario", SCENARIOS)
async def test_leaving_at_any_item_closes_the_source_once_and_leaves_nothing(scenario: str) -> None:
    """By `aclose` after the k-th item, for every k."""
    deltas, settings = SCENARIOS[scenario]
    settings = dict(settings)
    corrector = FakeCorrector(settings.pop("answer", GOOD))
    items = 1
    left_early = True
    while left_early:
        source = Watched(list(deltas))
        left_early = False
        async with Guard(FILE_TOOLS, fixes="off", corrector=corrector, **settings).stream(source) as stream:
            seen = 0
            async for _ in stream:
                seen += 1
                if seen == items:
                    left_early = True
                    break
        assert source.closed == 1
        assert asyncio.all_tasks() == {asyncio.current_task()}
        items += 1
    assert items > 3


async def test_closing_from_another_task_stops_the_work() -> None:
    """The one that reads gets the source's end; nothing is left running."""

    async def never(request: CorrectionRequest) -> str:
        await asyncio.Event().wait()
        return ""

    source = FakeStream(["```json\n", BAD, "\n```\n", "x"])
    guarded = Guard(FILE_TOOLS, fixes="off", corrector=never).stream(source)
    seen: list[Any] = []
    reader = asyncio.create_task(pump(aiter(guarded), seen))
    while source.read < 4:
        await asyncio.sleep(0)
    await guarded.aclose()
    assert source.closed == 1
    reader.cancel()
    await asyncio.wait([reader])
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_generator_that_somebody_waits_for_cannot_be_closed_by_another_task_and_says_so() -> None:
    """As Python has it. Who waits closes it when he is cancelled; nothing is lost for good."""
    closed = 0

    async def source() -> AsyncIterator[str]:
        nonlocal closed
        try:
            yield "Hi"
            await asyncio.Event().wait()
        finally:
            closed += 1

    guarded = Guard(FILE_TOOLS).stream(source())
    seen: list[Any] = []
    reader = asyncio.create_task(pump(aiter(guarded), seen))
    while not seen:
        await asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="another task waits for its next item: cancel that task"):
        await guarded.aclose()
    assert closed == 0
    reader.cancel()
    await asyncio.wait([reader])
    assert closed == 1
    await guarded.aclose()
    assert closed == 1


async def test_cancelling_the_task_cancels_the_correction() -> None:
    """At once, and the source is closed."""
    cancelled = asyncio.Event()
    started = asyncio.Event()

    async def correct(request: CorrectionRequest) -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return ""

    source = FakeStream(["```json\n", BAD, "\n```\n", "x"])
    task = asyncio.create_task(collect(Guard(FILE_TOOLS, fixes="off", corrector=correct).stream(source)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.is_set()
    assert source.closed == 1


async def test_what_is_long_to_mend_is_mended_where_it_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a thread, and a short block on the spot. So is what a correction of a long one is compared with, and so is a block
    that is refused: it is read again to see whether it ended where it seems to.
    """
    threads: list[bool] = []

    def noted(name: str) -> None:
        work = getattr(Judge, name)

        def run(*args: Any) -> Any:
            threads.append(threading.current_thread() is threading.main_thread())
            return work(*args)

        monkeypatch.setattr(Judge, name, run)

    noted("judged")
    noted("understood")
    noted("shows_its_end")
    for size, here in ((100, True), (40_000, False)):
        call = {"tool": "write_file", "path": "a.txt", "content": "x" * size}
        broken = json.dumps(call)[:-1] + ",}"
        (block,) = [
            item for item in await collect(Guard(FILE_TOOLS).stream(FakeStream(reply(broken)))) if isinstance(item, ToolBlock)
        ]
        assert (block.arguments, block.executable, block.corrected_by) == (call, True, "fixes")
        assert threads == [here]
        threads.clear()
        guard = Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector(json.dumps(call)))
        (block,) = [item for item in await collect(guard.stream(FakeStream(reply(broken)))) if isinstance(item, ToolBlock)]
        assert (block.arguments, block.executable, block.corrected_by) == (call, True, "llm")
        assert set(threads) == {here}
        threads.clear()
        quoted = json.dumps({**call, "content": "CONTENT"}).replace("CONTENT", 'a"b, ' * (size // 5))
        (block,) = [
            item for item in await collect(Guard(FILE_TOOLS).stream(FakeStream(reply(quoted)))) if isinstance(item, ToolBlock)
        ]
        assert (block.executable, threads) == (False, [here, here])
        threads.clear()


async def test_a_source_that_can_be_closed_in_another_way_or_in_none_is_closed_as_it_can() -> None:
    """`close`, plain or awaited; an iterator without either is left."""

    class Source:
        def __init__(self) -> None:
            self.left = iter(["a"])

        def __aiter__(self) -> Source:
            return self

        async def __anext__(self) -> str:
            for delta in self.left:
                return delta
            raise StopAsyncIteration

    class Closed(Source):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    plain, closed = Source(), Closed()
    for source in (plain, closed):
        assert await collect(Guard(FILE_TOOLS).stream(source)) == ["a"]
    assert closed.closed == 1


async def test_a_correction_that_is_followed_says_what_leaves_with_it() -> None:
    """For those who hold other things back until a block is out, as native calls are."""
    guard = Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector(f"```json\n{GOOD}\n```"))
    session = guard.session("s")
    pending = next(item for item in session.feed(f"```json\n{BAD}\n```\n") if isinstance(item, Pending))
    pending.follow_with(lambda block: [block.id, "after"])
    work = Work(guard.corrections)
    leaving: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    said = [item async for item in work.corrected(pending, leaving)]
    assert kinds([item for item in said if not isinstance(item, str)]) == ["correcting", "block"]
    assert said[-2:] == [said[-3].id, "after"]
    await work.stop()


async def test_a_correction_ends_when_its_reader_leaves() -> None:
    """And what it had asked is called off."""

    async def never(_: CorrectionRequest) -> str:
        await asyncio.Event().wait()
        return ""

    guard = Guard(FILE_TOOLS, fixes="off", corrector=never)
    pending = next(item for item in guard.session("s").feed(f"```json\n{BAD}\n```\n") if isinstance(item, Pending))
    work = Work(guard.corrections)
    leaving: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    steps = work.corrected(pending, leaving)
    assert kinds([await anext(steps)]) == ["correcting"]
    leaving.set_result(None)
    assert [item async for item in steps] == []
    await work.stop()
    assert not work.running


async def test_a_block_that_may_not_be_corrected_is_told_at_once() -> None:
    """No call is left for it."""
    guard = Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector(""), correction=CorrectionPolicy(max_calls=1))
    session = guard.session("s")
    session.spent.calls = 1
    pending = next(item for item in session.feed(f"```json\n{BAD}\n```\n") if isinstance(item, Pending))
    leaving: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    assert kinds([item async for item in Work(guard.corrections).corrected(pending, leaving)]) == ["block"]


async def test_a_fault_of_ours_on_an_answer_is_an_issue(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Promise P9, for what is asked of a model."""

    def fails(*_: Any) -> Any:
        raise RuntimeError(BAD)

    monkeypatch.setattr(Correction, "answer", fails)
    guard = Guard(FILE_TOOLS, fixes="off", corrector=FakeCorrector(f"```json\n{GOOD}\n```"))
    items = await collect(guard.stream(FakeStream(reply(BAD))))
    (block,) = [item for item in items if isinstance(item, ToolBlock)]
    assert (block.executable, block.issues[-1].code) == (False, "guard_error")
    assert "the guard failed on an answer: RuntimeError" in caplog.text
    assert BAD not in caplog.text


async def test_a_source_that_fails_to_close_says_so() -> None:
    """Its fault is not taken for ours."""

    class Source:
        def __aiter__(self) -> Source:
            return self

        async def __anext__(self) -> str:
            return "a"

        async def aclose(self) -> None:
            raise RuntimeError("cannot close")

    stream = Guard(FILE_TOOLS).stream(Source())
    assert await anext(stream) == "a"
    with pytest.raises(RuntimeError, match="cannot close"):
        await stream.aclose()
