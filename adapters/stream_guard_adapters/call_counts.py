"""Counts the calls of a gateway by outcome, and what was not inspected; logs calls that were not valid, without any content.

    call openai-chat write_file fixed: closed; fixes trailing_comma; issues syntax
    call openai-chat _other passed: unknown tool

Rule: a line has fixed words, and names of tools that the request or the operator defined. Any other name that the model gives
to a tool is content, and is logged as `_other`.
"""

from __future__ import annotations

import logging
from collections import Counter
from contextvars import ContextVar
from typing import Final

from stream_guard import ToolBlock, Toolset

from .engine.tool_names import OTHER, tool_name
from .engine.uninspected import KINDS, Uninspected
from .protocols import PROTOCOLS

log: Final = logging.getLogger("stream_guard")

OUTCOMES: Final = ("valid", "fixed", "corrected", "failed", "fixable")
"""What becomes of a call. `fixable`: it failed only because shadow mode changes nothing; otherwise it would have been fixed."""

_protocol: ContextVar[str] = ContextVar("protocol", default=OTHER)


class CallCounts:
    """The calls of a gateway, counted by outcome, and what was not inspected, by kind."""

    def __init__(self) -> None:
        self._counts: Final[Counter[str]] = Counter()
        self._uninspected: Final[Counter[Uninspected]] = Counter()

    @staticmethod
    def begin(path: str) -> None:
        """Note the protocol of the request that the current task serves, by its path."""
        _protocol.set(next((name for name, table in PROTOCOLS.items() if path.endswith(table.paths)), OTHER))

    def take(self, block: ToolBlock, tools: Toolset) -> None:
        """Count a call that was checked against these tools, and log it if it was not valid."""
        outcome = "fixable" if not block.executable and block.fixes and _unchanged(block) else block.outcome
        self._counts[outcome] += 1
        if outcome != "valid" and log.isEnabledFor(logging.INFO):
            name = tool_name(block, tools)
            told = [f"; {what} {', '.join(dict.fromkeys(codes))}" for what, codes in _codes(block) if codes]
            shown = name if name.isascii() and name.isprintable() else ascii(name)
            log.info("call %s %s %s: %s%s", _protocol.get(), shown, outcome, block.end_cause, "".join(told))

    def note(self, why: Uninspected) -> None:
        """Count something that was not inspected. If it is a call of an unknown tool, log it too."""
        self._uninspected[why] += 1
        if why == "unknown tool":
            log.info("call %s %s passed: %s", _protocol.get(), OTHER, why)

    def exposed(self, open_requests: int) -> str:
        """Return the counts in the text format of Prometheus. Labels have only words of the guard: the names of tools belong
        to the requests.
        """
        lines = ["# TYPE stream_guard_open_requests gauge", f"stream_guard_open_requests {open_requests}"]
        lines.append("# TYPE stream_guard_calls_total counter")
        lines += [f'stream_guard_calls_total{{outcome="{outcome}"}} {count}' for outcome, count in self.counts.items()]
        lines.append("# TYPE stream_guard_uninspected_total counter")
        lines += [f'stream_guard_uninspected_total{{reason="{why}"}} {self._uninspected[why]}' for why in KINDS]
        return "".join(f"{line}\n" for line in lines)

    @property
    def counts(self) -> dict[str, int]:
        """How many calls had each outcome."""
        return {outcome: self._counts[outcome] for outcome in OUTCOMES}


def _unchanged(block: ToolBlock) -> bool:
    """Whether a block has fixes that were not made."""
    return not block.corrected and block.corrected_by is None and not block.attempts


def _codes(block: ToolBlock) -> tuple[tuple[str, list[str]], ...]:
    return ("fixes", [fix.rule for fix in block.fixes]), ("issues", [issue.code for issue in block.found])
