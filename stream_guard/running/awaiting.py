"""Awaits a tool's handler between the validation of its arguments and of its result."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from functools import partial
from inspect import isawaitable
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from ..toolset.tool import Tool
from ..values.events import ToolBlock
from ..values.limits import SHORT, Limits
from .calling import Admitted, BlockOutput, ToolOutput, admit, conclude, failed, late

if TYPE_CHECKING:
    from ..fixes.engine import Engine

Made = TypeVar("Made")
Done = TypeVar("Done")


async def aside(is_long: bool, work: Callable[[], Made]) -> Made:
    """Return the result of work. Short work is done in the event loop, long work in a thread."""
    return await asyncio.to_thread(work) if is_long else work()


async def aside_then(is_long: bool, work: Callable[[], Made], after: Callable[[Made], Done]) -> Done:
    """Do work as `aside` does, and return what `after` makes of its result."""
    return after(await aside(is_long, work))


async def answered(output: ToolOutput) -> ToolOutput:
    """Return `output` as a coroutine: for a call that was refused before anything had to be awaited."""
    return output


async def of_block(block: ToolBlock, output: Coroutine[Any, Any, ToolOutput]) -> BlockOutput:
    """Return the output of a block's call, with the block."""
    return BlockOutput.of(block, await output)


def waited(begin: Callable[[], Coroutine[Any, Any, Done]]) -> Done:
    """Return the result of a coroutine, for a caller that cannot await. Raises RuntimeError if an event loop runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(begin())
    raise RuntimeError("run_sync cannot wait where an event loop runs: use `await tools.run(block)`")


async def call(
    tool: Tool,
    name: str,
    arguments: object,
    limits: Limits,
    engine: Engine | None,
    known: Callable[[str], Tool | None],
    *,
    tracebacks: bool = False,
) -> ToolOutput:
    """Run a tool between the two halves of `calling`. A cancellation is passed on, but a thread runs to its end."""
    admitting = partial(admit, tool, name, arguments, limits, engine, known)
    admitted = await aside(tool.compiled.is_heavy or _is_long(arguments), admitting)
    if isinstance(admitted, ToolOutput):
        return admitted
    limit = asyncio.timeout(tool.timeout)
    try:
        async with limit:
            result = admitted.run() if admitted.waits else await _in_thread(admitted)
            if isawaitable(result):
                result = await result
    except Exception as error:  # whatever a handler raises is an answer, and not the end of the conversation
        return late(admitted) if limit.expired() else failed(admitted, error, tracebacks=tracebacks)
    heavy = tool.output is not None and tool.output.is_heavy
    return await aside(heavy or _is_long(result), partial(conclude, admitted, result, limits))


async def _in_thread(admitted: Admitted) -> Any:
    """Run a handler in a thread. One with a timeout has a thread of its own, since it may block a shared one for long."""
    if admitted.tool.timeout is None:
        return await asyncio.to_thread(admitted.run)
    done: Future[Any] = Future()
    done.set_running_or_notify_cancel()  # it cannot be cancelled: the caller may stop waiting, and the result is dropped
    context = contextvars.copy_context()

    def work() -> None:
        try:
            made = context.run(admitted.run)
        except BaseException as error:  # as an executor does: the caller gets it
            done.set_exception(error)
        else:
            done.set_result(made)

    threading.Thread(target=work, name=f"stream_guard {admitted.tool.name}", daemon=True).start()
    return await asyncio.wrap_future(done)


def _is_long(value: object) -> bool:
    """Return whether a value has more than about `SHORT` characters."""
    size, left = 0, [value]
    while left and size <= SHORT:
        item = left.pop()
        size += len(item) if isinstance(item, str | bytes) else 8
        if isinstance(item, Mapping):
            left += islice(chain.from_iterable(item.items()), SHORT)
        elif isinstance(item, list | tuple):
            left += islice(item, SHORT)
    return size > SHORT
