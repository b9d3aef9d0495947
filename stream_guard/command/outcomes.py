"""Outcomes of blocks, without their content, and sums of them.

    a reply's deltas -> summaries -> Tally, + Tally, + Tally ...

Rule: nothing here keeps more of a block than its tool and its path. A million summaries fit where a million replies do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ..values.events import BlockOutcome, EndCause, ToolBlock, ToolStatus

if TYPE_CHECKING:
    from ..guard import Guard
    from ..values.events import End
    from ..values.issues import ValidationIssue


@dataclass(frozen=True, slots=True)
class BlockSummary:
    """The outcome of one block, without its content."""

    tool: str | None
    """The tool; None if the block does not name one."""

    path: str | None
    """The path; None if the block has none."""

    outcome: BlockOutcome
    """The outcome: `valid`, `fixed`, `corrected` or `failed`."""

    end_cause: EndCause
    """The cause of the block's end."""

    issues: tuple[str, ...]
    """The codes of the block's issues."""

    fixes: tuple[str, ...]
    """The descriptions of the block's fixes."""

    dialect: str
    """The dialect in which the block was written."""

    remark: str
    """The message of the first issue, with the number of further issues; or the descriptions of the fixes."""

    @staticmethod
    def of(block: ToolBlock) -> BlockSummary:
        """Return the outcome of a block."""
        fixes = tuple(dict.fromkeys(fix.description for fix in block.fixes))
        return BlockSummary(
            tool=block.tool,
            path=block.path,
            outcome=block.outcome,
            end_cause=block.end_cause,
            issues=tuple(dict.fromkeys(issue.code for issue in block.issues)),
            fixes=fixes,
            dialect=block.dialect,
            remark=_remark(block.issues) if block.issues else "; ".join(fixes),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data, without the remark."""
        return {
            "tool": self.tool,
            "path": self.path,
            "outcome": self.outcome,
            "endCause": self.end_cause,
            "issues": list(self.issues),
            "fixes": list(self.fixes),
            "dialect": self.dialect,
        }


def _remark(issues: Sequence[ValidationIssue]) -> str:
    """Return the message of the first issue, and the number of the others."""
    rest = len(dict.fromkeys(map(str, issues))) - 1
    return f"{issues[0]} (and {rest} more)" if rest else str(issues[0])


def blocks(guard: Guard, deltas: Iterable[str | End], stream_id: str | None = None) -> Iterator[ToolBlock]:
    """Yield the validated blocks of one reply. No model is asked."""
    return (item for item in guard.scan(deltas, stream_id=stream_id) if isinstance(item, ToolBlock))


def is_unknown(item: object) -> bool:
    """Return whether an event is about a call of a tool that the toolset does not have."""
    return isinstance(item, ToolStatus) and item.reason == "unknown_tool"


_SUMS: Final = ("files", "replies", "unread", "calls", "unknown")
_COUNTED: Final = ("outcomes", "tools", "issues", "fixes", "dialects")


@dataclass(slots=True)
class Tally:
    """Sums of outcomes. Tallies of parts can be added in any order."""

    files: int = 0
    """The number of files that were read."""

    replies: int = 0
    """The number of replies that were read."""

    unread: int = 0
    """The number of files and rows that could not be read. They do not count as files or replies."""

    calls: int = 0
    """How many of the blocks are native calls."""

    unknown: int = 0
    """The number of blocks and native calls that name a tool which the toolset lacks. They are not checked."""

    outcomes: Counter[str] = field(default_factory=Counter)
    """The number of blocks by outcome."""

    tools: Counter[str] = field(default_factory=Counter)
    """The number of blocks by tool."""

    issues: Counter[str] = field(default_factory=Counter)
    """The number of blocks by issue."""

    fixes: Counter[str] = field(default_factory=Counter)
    """The number of blocks by fix."""

    dialects: Counter[str] = field(default_factory=Counter)
    """The number of blocks by dialect."""

    def count(self, summary: BlockSummary) -> None:
        """Add the outcome of one block."""
        self.outcomes[summary.outcome] += 1
        self.tools[summary.tool or "-"] += 1
        self.issues.update(summary.issues)
        self.fixes.update(summary.fixes)
        self.dialects[summary.dialect] += 1

    def add(self, other: Tally) -> None:
        """Add the sums of another tally."""
        for kind in _SUMS:
            setattr(self, kind, getattr(self, kind) + getattr(other, kind))
        for kind in _COUNTED:
            getattr(self, kind).update(getattr(other, kind))

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return self.outcomes.total()

    @property
    def failed(self) -> int:
        """The number of blocks that failed."""
        return self.outcomes["failed"]

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as plain data."""
        return {**{kind: getattr(self, kind) for kind in _SUMS}, **{kind: dict(getattr(self, kind)) for kind in _COUNTED}}

    @staticmethod
    def from_dict(told: dict[str, Any]) -> Tally:
        """Return the tally that `to_dict` wrote."""
        return Tally(*(told[kind] for kind in _SUMS), *(Counter(told[kind]) for kind in _COUNTED))
