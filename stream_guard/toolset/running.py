"""Awaits a tool's handler between the validation of its arguments and of its result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from inspect import isawaitable
from itertools import chain, islice
from typing import TypeVar

from ..values.limits import SHORT, Limits
from .calling import ToolOutput, admit, conclude, failed
from .tool import Tool

Made = TypeVar("Made")
Done = TypeVar("Done")


async def aside(size: int, work: Callable[[], Made]) -> Made:
    """Do work on a text of this size and return its result: in the event loop if it is short, in a thread if it is long."""
    return work() if size <= SHORT else await asyncio.to_thread(work)


async def aside_then(size: int, work: Callable[[], Made], after: Callable[[Made], Done]) -> Done:
    """Do work as `aside` does, and return what `after` makes of its result."""
    return after(await aside(size, work))


async def answered(output: ToolOutput) -> ToolOutput:
    """Return the output of a call that names no known tool."""
    return output


async def call(tool: Tool, arguments: object, limits: Limits) -> ToolOutput:
    """Run a tool between the two halves of `calling`. Cancellation passes through; a thread that runs goes on to its end."""
    admitted = await aside(_size(arguments), partial(admit, tool, arguments, limits))
    if isinstance(admitted, ToolOutput):
        return admitted
    try:
        result = admitted.run() if admitted.waits else await asyncio.to_thread(admitted.run)
        if isawaitable(result):
            result = await result
    except Exception as error:  # whatever a handler raises is an answer, and not the end of the conversation
        return failed(admitted, error)
    return await aside(_size(result), partial(conclude, admitted, result, limits))


def _size(value: object) -> int:
    """Return the approximate size of a value; counting stops above `SHORT`."""
    size, left = 0, [value]
    while left and size <= SHORT:
        item = left.pop()
        size += len(item) if isinstance(item, str | bytes) else 8
        if isinstance(item, Mapping):
            left += islice(chain.from_iterable(item.items()), SHORT)
        elif isinstance(item, list | tuple):
            left += islice(item, SHORT)
    return size
