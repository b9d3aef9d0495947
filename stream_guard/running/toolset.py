"""`Toolset`: the tools that a model may call, and running them.

name, arguments -> validated, fixed -> handler -> validated -> ToolOutput
"""

from __future__ import annotations

from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..toolset.arguments import which_tool
from ..toolset.tool import Tool
from ..toolset.tools import Tools
from ..values.events import ToolBlock
from ..values.given import check_kind
from ..values.limits import Limits
from .calling import BlockOutput, ToolOutput, refused

if TYPE_CHECKING:
    from ..fixes.engine import Engine

CallFixes = Literal["off", "lossless", "likely"]
"""How much the fix of a direct call may assume, as in `Guard(fixes=...)`. For a direct call nothing is invented."""


class Toolset(Tools):
    """Tools that are offered together. Immutable, and safe to share between threads."""

    def __init__(self, *tools: Tool) -> None:
        super().__init__(*tools)
        self._engine: tuple[Limits, CallFixes, Engine] | None = None

    def run(
        self, block: ToolBlock, *, limits: Limits | None = None, tracebacks: bool = False
    ) -> Coroutine[Any, Any, BlockOutput]:
        """Run the call of an executable block, as `call` does, but without fixes. Await it.

        The guard has fixed the block, and somebody may have approved it: what runs is what the block says.

        Raises:
            NotExecutableError: The block is not executable. Ask `block.call` first.
            LookupError: The tool has no handler.
        """
        from .awaiting import of_block  # deferred: asyncio, which the rest of the core does without

        _check_block("run", block)
        wanted = block.runnable()
        return of_block(block, self.call(wanted.tool, wanted.arguments, fixes="off", limits=limits, tracebacks=tracebacks))

    def run_sync(self, block: ToolBlock, *, limits: Limits | None = None, tracebacks: bool = False) -> BlockOutput:
        """Run the call of an executable block, as `run` does, and wait for it. For programs without an event loop."""
        from .awaiting import waited  # deferred, as above

        _check_block("run_sync", block)
        return waited(partial(self.run, block, limits=limits, tracebacks=tracebacks))

    def call(
        self,
        name: str,
        arguments: object,
        *,
        fixes: CallFixes = "likely",
        limits: Limits | None = None,
        tracebacks: bool = False,
    ) -> Coroutine[Any, Any, ToolOutput]:
        """Call a tool: validate and fix the arguments, run the handler, validate the result. Never raises for data.

        Arguments may come as an object or as its JSON, as providers send them. A call that is not valid is fixed as a guard
        fixes a native call. `fixes` says how much the fixes may assume, and `output.fixes` is the record. With `tracebacks`
        the traceback of a handler that fails is logged, which may contain its arguments. Raises LookupError for a tool without
        a handler.
        """
        from .awaiting import answered, call  # deferred: asyncio, which the rest of the core does without

        if fixes not in get_args(CallFixes):
            raise ValueError(f"fixes must be {' or '.join(map(repr, get_args(CallFixes)))} for a direct call, got {fixes!r}")
        limits = Limits() if limits is None else limits
        check_kind("limits", limits, Limits, "Limits(max_block=65_536)")
        engine = self._fixing(limits, fixes) if fixes != "off" else None
        find = self.get if engine is None else self.meant
        tool = find(name) if isinstance(name, str) else None
        if tool is None:
            return answered(refused(str(name), [which_tool(name, self.names, self.near)]))
        return call(tool, name, arguments, limits, engine, self.meant, tracebacks=tracebacks)

    def _fixing(self, limits: Limits, fixes: CallFixes) -> Engine:
        """Return the engine with these settings. The last engine is kept: most programs need only one."""
        known = self._engine
        if known is None or known[:2] != (limits, fixes):
            from ..fixes.engine import Engine  # deferred: a program that only guards streams has its own

            known = self._engine = (limits, fixes, Engine(self, limits, fixes))
        return known[2]


def _check_block(method: str, block: object) -> None:
    if not isinstance(block, ToolBlock):
        raise TypeError(
            f"{method} takes a ToolBlock, as a guarded stream yields it, not {type(block).__name__}; "
            "for the name of a tool and its arguments use call"
        )
