"""`Turn`: one turn of a model, a guarded stream whose calls are run as they arrive.

    stream -> items -> reader
                └─ blocks -> approve -> handler -> BlockOutput -> reader

Rule 1: a call that only reads (`Risk.READ`) runs concurrently with others that only read. Any other runs alone: after every
call before it, and before every call after it.
Rule 2: text does not wait for calls. An output comes after its block, and after the outputs of all blocks before it.
Rule 3: no handler begins once the turn is left. No task is left when it is closed, and the stream is closed exactly once.
"""

from __future__ import annotations

import asyncio
import warnings
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterator, Mapping, Sequence
from functools import cached_property, partial
from inspect import isawaitable
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from ..judge.approving import Edit, decided, taken
from ..judge.judge import Judge
from ..judge.settings import Settings
from ..judge.unfit import unfit_approver
from ..running.awaiting import aside
from ..running.calling import Approve, BlockOutput, unrun
from ..running.messages import Api, Thought, messages
from ..running.toolset import Toolset
from ..scan.states import Closed
from ..toolset.tool import Risk
from ..values.approval import digest
from ..values.events import ToolBlock, ToolStatus
from ..values.given import check_kind, is_count, shown
from ..values.limits import SHORT, Limits
from .guarded import GuardedStream
from .source import Closing, Source
from .work import cancel

if TYPE_CHECKING:
    from ..dialects.history import History

Out = TypeVar("Out")


class Turn(Closing, Generic[Out]):
    """A guarded stream whose calls are run: an async iterator, and an async context manager that closes the stream.

    Args:
        stream: A guarded stream, of text or of a provider's events.
        tools: The tools that run its calls. Every tool must have a handler.
        approve: An async function, asked before every call, one at a time: True lets it run, False or a text with the reason
            does not, and an object lets it run with these arguments in place of its own.
        at_once: The most calls that run concurrently.
        limits: The bounds of a call's arguments and result.
        tracebacks: Whether the traceback of a handler that fails is logged.
    """

    def __init__(
        self,
        stream: AsyncIterable[Out],
        tools: Toolset,
        *,
        approve: Approve | None,
        at_once: int,
        limits: Limits | None,
        tracebacks: bool,
    ) -> None:
        source = Source(
            stream,
            "run needs an async client's stream (guard.stream, or what guard_chat and the like return of one)",
            "read the stream with `for`, and run each executable block with tools.run_sync(block)",
        )
        if not isinstance(tools, Toolset):
            raise TypeError(f"run needs the Toolset of the guard as its tools, guard.tools for one, not {shown(tools)}")
        idle = [tool.name for tool in tools if tool.handler is None]
        if idle:
            raise ValueError(
                f"run needs a handler for every tool; without one: {', '.join(idle)}. "
                "Give it with Tool(..., handler=...), or Tool.of(Model, handler=...) for a model"
            )
        if not is_count(at_once):
            raise ValueError(f"at_once must be a positive number of calls, not {shown(at_once)}")
        if limits is not None:
            check_kind("limits", limits, Limits, "Limits(max_block=65_536)")
        wrong = None if approve is None else unfit_approver(approve)
        if wrong is not None:
            raise TypeError(f"approve must be an async function of a block and its tool: {wrong}")
        found = getattr(stream, "guarded", stream)  # a recording of one
        self._guarded: Final = found if isinstance(found, GuardedStream) else None
        if self._guarded is not None:
            self._guarded.follow()
        self._source: Final = source
        self._items_of: Final = cast("AsyncIterator[Out]", self._source.iterator)
        self._calls: Final = _Calls(tools, approve, at_once, limits, tracebacks)
        self._offered: Final = tools
        self._recorded: Final[list[str | Thought | int | None]] = []  # a number is that of a block's output
        self._outputs: Final[list[BlockOutput]] = []
        self._whole = False
        self._is_guarded = self._guarded is not None  # that some other stream is shows with its first event
        self._reading: asyncio.Future[Out] | None = None
        self._generator: Final = self._items()

    def __aiter__(self) -> AsyncGenerator[Out | BlockOutput, None]:  # noqa: PYI058  # it can be closed
        return self._generator

    async def __anext__(self) -> Out | BlockOutput:
        return await self._generator.__anext__()

    @property
    def outputs(self) -> Sequence[BlockOutput]:
        """The outputs of the blocks so far, in their order. A block that was not run has an error."""
        return tuple(self._outputs)

    def messages(self, api: Api | History) -> list[Any]:
        """Return the turn as messages, to append to the conversation: the model's text and calls, and their results.

        They are dictionaries. Each client has a type of its own for messages; the list can be appended to a list of any of
        these.

        Args:
            api: The format: OpenAI's `chat` or `responses`, Anthropic's `messages`, or `text` alone, for a model that was
                taught to write its calls as text. Or `dialects.History`, for a model that knows a dialect: its calls and their
                results are text in that.

        Raises:
            RuntimeError: The turn has not been read to its end.
        """
        if not self._whole:
            raise RuntimeError("the turn has not ended: read it to its end before asking for its messages")
        parts = [self._outputs[part] if isinstance(part, int) else part for part in self._recorded if part is not None]
        return messages(self._as_begun(parts), self._offered, api)

    def _as_begun(self, parts: list[str | Thought | BlockOutput]) -> list[str | Thought | BlockOutput]:
        """Return the parts with the native calls in the order in which the model began them: they may end in another one."""
        begun = self._guarded.begun_calls() if self._guarded is not None else {}
        native = {at: part for at, part in enumerate(parts) if isinstance(part, BlockOutput) and part.block.id in begun}
        for at, part in zip(native, sorted(native.values(), key=lambda part: begun[part.block.id]), strict=True):
            parts[at] = part
        return parts

    async def aclose(self) -> None:
        """Close the turn and its stream. Calls that run are cancelled. Closing again does nothing."""
        try:
            await self._generator.aclose()
        except RuntimeError:
            if not getattr(self._generator, "ag_running", False):  # somebody is in the middle of a step of it
                raise
        finally:  # a generator that never began runs no `finally`
            await self._stop()

    async def _items(self) -> AsyncGenerator[Out | BlockOutput, None]:
        waiting = self._calls.waiting
        ended, failure = False, None
        try:
            while waiting or not ended:
                if waiting and waiting[0].done():
                    output = waiting.popleft().result()
                    self._outputs.append(output)
                    yield output
                    continue
                if ended:
                    await asyncio.wait((waiting[0],))
                    continue
                try:
                    if waiting and not await self._arrived(waiting[0]):
                        continue
                    item = await self._next()
                except StopAsyncIteration:
                    ended = True
                    for block in self._unknown_calls():
                        yield cast("Out", block)
                except Exception as error:  # what was begun is finished and told first: it may have had an effect
                    ended, failure = True, error
                else:
                    self._note(item)
                    yield item
            self._whole = True
            if not self._is_guarded:
                await self._warn()
            if failure is not None:
                raise failure
        finally:
            await self._stop()

    async def _arrived(self, call: asyncio.Future[BlockOutput]) -> bool:
        """Wait for the next item, or for a call that is done; returns whether the item has arrived."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._items_of.__anext__())
        await asyncio.wait((self._reading, call), return_when=asyncio.FIRST_COMPLETED)
        return self._reading.done()

    async def _next(self) -> Out:
        """Return the next item; if a task reads it already, from that task."""
        reading = self._reading
        if reading is None:
            return await self._items_of.__anext__()
        await asyncio.wait((reading,))  # whoever leaves while it waits finds it in its place, and stops it
        self._reading = None
        return reading.result()

    def _note(self, item: Any) -> None:
        """Record an item for `messages`, and begin the call of a block.

        Raises TypeError for an event of a provider if nothing shows that its stream is guarded.
        """
        if isinstance(item, ToolBlock):
            self._is_guarded = True
            self._recorded.append(self._calls.begin(item))
        elif self._guarded is not None:
            self._recorded.extend(self._guarded.written(item))
        elif isinstance(item, str):
            self._recorded.append(item)
        elif isinstance(item, ToolStatus):
            self._is_guarded = True
        elif not self._is_guarded and not self._recorded and _is_event(item):
            raise TypeError(
                f"run needs a guarded stream, and no guard has looked at this one: it yields {type(item).__name__}. "
                "Give run what guard_chat, guard_messages and the like return, and a stream of text to guard.stream first; "
                "of a generator of your own around one of them it cannot tell what the model wrote"
            )

    async def _warn(self) -> None:
        """Warn of a text that no guard has looked at, if it contains a call: that call was not run."""
        text = "".join(part for part in self._recorded if isinstance(part, str))
        if await aside(len(text) > SHORT, partial(self._calls.finds, text)):
            warnings.warn(
                "run was given a stream of text that no guard has looked at: a call in it was not run. "
                "Give run what guard.stream(deltas) returns",
                RuntimeWarning,
                stacklevel=2,
            )

    def _unknown_calls(self) -> Iterator[ToolBlock]:
        """Yield the blocks of the native calls that passed. In `messages`, each stands where its call was."""
        places = iter([at for at, part in enumerate(self._recorded) if part is None])
        for block in self._guarded.unknown_calls() if self._guarded is not None else ():
            begun, at = self._calls.begin(block), next(places, None)
            if at is not None:
                self._recorded[at] = begun
            else:
                self._recorded.append(begun)
            yield block

    async def _stop(self) -> None:
        """Cancel all tasks and wait until they have ended."""
        tasks = self._calls.leave()
        if self._reading is not None:
            tasks.add(self._reading)
        self._reading = None
        await cancel(tasks)
        await self._source.aclose()


def _is_event(item: object) -> bool:
    """Return whether an item is an event of a provider: bytes, JSON, or an object of its client."""
    return isinstance(item, bytes | Mapping) or hasattr(item, "model_dump")


class _Calls:
    """The calls of one turn: those that run, and those that wait for others."""

    def __init__(self, tools: Toolset, approve: Approve | None, at_once: int, limits: Limits | None, tracebacks: bool) -> None:
        self._tools: Final = tools
        self._approve: Final = approve
        self._limits: Final = limits
        self._tracebacks: Final = tracebacks
        self._turns: Final = asyncio.Semaphore(at_once)
        self._asking: Final = asyncio.Lock()  # it is fair: whose block came first is asked about first
        self._readers: list[asyncio.Task[BlockOutput]] = []
        self._changer: asyncio.Task[BlockOutput] | None = None
        self._begun = 0
        self._left = False
        self.waiting: Final[deque[asyncio.Task[BlockOutput]]] = deque()
        """The calls whose outputs have not left, in the order of their blocks."""

    @cached_property
    def _judge(self) -> Judge:
        """Judges the arguments that an approval gives in place of the model's. `finds` searches texts for calls with it."""
        return Judge(Settings(self._tools, self._limits or Limits()))

    def finds(self, text: str) -> bool:
        """Return whether a text has a call of one of the tools in it."""
        scanner = self._judge.scanner(None)
        pieces = (text[at : at + SHORT] for at in range(0, len(text), SHORT))
        scanned = chain(chain.from_iterable(map(scanner.feed, pieces)), scanner.end())
        return any(isinstance(item, Closed) for item in scanned)

    def begin(self, block: ToolBlock) -> int:
        """Begin the call of a block as soon as rule 1 allows. Return the number of its output, from 0."""
        before = [self._changer] if self._changer is not None else []
        tool = self._tools.get(block.tool) if block.tool is not None else None
        alone = block.executable and tool is not None and tool.risk > Risk.READ
        task = asyncio.create_task(self._output(block, [*before, *self._readers] if alone else before))
        self.waiting.append(task)
        if alone:
            self._changer, self._readers = task, []
        elif block.executable:
            self._readers.append(task)
        self._begun += 1
        return self._begun - 1

    def leave(self) -> set[asyncio.Future[Any]]:
        """Return the tasks to cancel. After this no handler begins, even if `approve` suppresses its cancellation."""
        self._left = True
        tasks: set[asyncio.Future[Any]] = {*self.waiting}
        self.waiting.clear()
        return tasks

    def _go_on(self) -> None:
        """Raise CancelledError if the turn was left."""
        if self._left:
            raise asyncio.CancelledError

    async def _output(self, block: ToolBlock, before: Sequence[asyncio.Task[BlockOutput]]) -> BlockOutput:
        if block.call is None:
            return unrun(block)
        if before:
            await asyncio.wait(before)
        for task in before:
            task.result()  # where one could not be run, none after it is
        tool = self._tools.get(block.runnable().tool)
        if tool is not None and self._approve is not None:
            asked = digest(block.tool, block.arguments)
            async with self._asking:
                asking: object = self._approve(block, tool)
                if not isawaitable(asking):
                    raise TypeError(f"approve is not async: it returned {type(asking).__name__}; make it `async def`")
                answer = taken(await asking, block.tool)
            self._go_on()
            if not isinstance(answer, bool | str | Edit):
                raise TypeError(f"approve returns True, False, a reason or arguments, not {type(answer).__name__}")
            block = await aside(self._tools.is_heavy, partial(decided, self._judge, block, answer, asked))
            if not block.executable:
                return unrun(block)
        async with self._turns:
            self._go_on()
            return await self._tools.run(block, limits=self._limits, tracebacks=self._tracebacks)
