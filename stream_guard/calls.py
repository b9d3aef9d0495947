"""`run`: runs the calls of a guarded stream."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, TypeVar

from .running.calling import Approve
from .running.toolset import Toolset
from .values.limits import Limits

if TYPE_CHECKING:
    from .stream.turn import Turn

Out = TypeVar("Out")


def run(
    stream: AsyncIterable[Out],
    tools: Toolset,
    approve: Approve | None = None,
    *,
    at_once: int = 8,
    limits: Limits | None = None,
    tracebacks: bool = False,
) -> Turn[Out]:
    """Run the calls of a guarded stream as they come: iterate over the result with `async for`.

    Yields the items of the stream, and for every block a `BlockOutput`: after the block, in the order of the blocks. Text does
    not wait for calls. Calls of tools that only read (`Risk.READ`) run side by side; any other waits for the calls before it,
    and the calls after it wait for it. A block that is not executable is not run; its output says what is wrong with it.

    The result is also an async context manager; leaving it cancels the calls that run, and closes the stream. When it has been
    read, `messages` has what goes back to the model.

    Args:
        stream: `guard.stream(deltas)`, or what `guard_chat` and the like return. One that no guard has looked at is refused
            with its first event, or warned of where its text has a call.
        tools: What runs the calls. Each must have a handler.
        approve: An async function of the block and its tool, asked before every call, one at a time, in the order of the
            blocks. True lets the call run; False, or a text with the reason, does not; an object lets it run with these
            arguments. The tool's `risk` says whether to ask a person. A function must be `async def`, or be annotated to return
            an awaitable: a lambda is refused.
        at_once: How many calls run side by side at most.
        limits: The bounds of a call's arguments and result.
        tracebacks: Whether the traceback of a handler that fails is logged.
    """
    from .stream.turn import Turn  # deferred: asyncio, which the rest of the core does without

    return Turn(stream, tools, approve=approve, at_once=at_once, limits=limits, tracebacks=tracebacks)
