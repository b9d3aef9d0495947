"""Runs a tool between the two halves of `calling`: one of the modules that await."""

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
    """Do work on a text of this size: a short one here, a long one in a thread, so that it does not hold up the loop."""
    return work() if size <= SHORT else await asyncio.to_thread(work)


async def aside_then(size: int, work: Callable[[], Made], after: Callable[[Made], Done]) -> Done:
    """Do work as `aside` does, then what follows from it, here."""
    return after(await aside(size, work))


async def answered(output: ToolOutput) -> ToolOutput:
    """The output of a call that was refused before its tool was known."""
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
    """About how much there is in a value; no more than has to be known."""
    size, left = 0, [value]
    while left and size <= SHORT:
        item = left.pop()
        size += len(item) if isinstance(item, str | bytes) else 8
        if isinstance(item, Mapping):
            left += islice(chain.from_iterable(item.items()), SHORT)
        elif isinstance(item, list | tuple):
            left += islice(item, SHORT)
    return size
