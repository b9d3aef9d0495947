"""`PassedCalls`: the calls that pass because the guard does not know their tools, or because there are too many calls. A model
that is told what became of its calls is told of these as well: each gets a failed block.

Rule: such a call is judged by its name alone. Nothing in its arguments makes it a call of another tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import jiter

from stream_guard import EndCause, Guard, ToolBlock
from stream_guard.spi import BLANKS, TOOL_KEY, Block, Judging, call_body, excess, fenced

from ..protocols import ELSEWHERE, Lane
from .call_arguments import Arguments


class PassedCalls:
    """The calls of one stream that pass. There are no more than lanes of either kind.

    Args:
        guard: What judges their names.
        prefix: What the names of its sessions begin with.
        follows: Whether a model is told what became of them, so that their arguments are kept.
    """

    __slots__ = ("_guard", "_prefix", "_refused", "_unknown", "follows")

    def __init__(self, guard: Guard, prefix: str, *, follows: bool) -> None:
        self._guard: Final = guard
        self._prefix: Final = prefix
        self.follows: Final = follows
        """Whether their arguments are kept."""
        self._unknown: list[tuple[str, Arguments, int]] = []  # the names that they began with, their arguments and numbers
        self._refused: dict[Lane, tuple[str, int]] = {}  # those that are one too many, by their keys: name and number

    def __len__(self) -> int:
        return len(self._unknown) + len(self._refused)

    def add(self, name: str, arguments: Arguments, nth: int) -> None:
        """Note a call of a tool that the guard does not know."""
        self._unknown.append((name, arguments, nth))

    def refuse(self, key: Lane, name: str, nth: int) -> None:
        """Note a call above the limit of calls."""
        if len(self._refused) < self._guard.limits.max_lanes:
            self._refused.setdefault(key, (name, nth))

    def blocks(self) -> Iterator[tuple[ToolBlock, int]]:
        """Yield a failed block for each of these calls, with its number, and its arguments as written if they were kept."""
        passed: list[tuple[EndCause, str, str, int]] = [("closed", name, kept.text, nth) for name, kept, nth in self._unknown]
        passed.extend(("oversize", name, "", nth) for name, nth in self._refused.values() if name != ELSEWHERE)
        for number, (ended, name, written, nth) in enumerate(passed, 1):
            block = Block("", call_body(name, ""), ended, ambiguous=False, canonical=False, fenced=False, native_tool=name)
            session = self._guard.session(f"{self._prefix}-unknown{number}", asks=False)
            if ended == "closed":
                judged = session.events_of(Judging(self._guard.judge, block))
            else:
                judged = session.refuse(block, self._guard.limits.max_lanes)
            for one in judged:
                yield self._with(one, name, written), nth

    def _with(self, block: ToolBlock, name: str, written: str) -> ToolBlock:
        """Return the block of a call that was judged by its name, with the arguments as they were written."""
        limits = self._guard.limits
        try:
            value = jiter.from_json(written.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
        except ValueError:
            value = None if written.strip(BLANKS) else {}
        readable = isinstance(value, dict) and not excess(value, limits.max_depth, limits.max_values)
        arguments = {TOOL_KEY: name, **value} if isinstance(value, dict) and readable else None
        content = fenced(call_body(name, written))
        return replace(block, tool=name, raw=written, content=content, arguments=arguments, executable=False)
