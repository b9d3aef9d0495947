"""A call that may run, and the error that says why a block is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from .hint import RetryHint
from .issues import ValidationIssue


@dataclass(frozen=True, slots=True)
class Call:
    """The call of an executable block."""

    id: str
    """Names the call, for APIs that pair calls and results. Unique as far as the ids of blocks are."""

    tool: str
    """The tool to run."""

    arguments: dict[str, Any]
    """What to run it with. The word that names the tool is not among them."""


class NotExecutableError(ValueError):
    """A block was to be run, or its value read, and it is not executable. `block.call` is None for such a block."""

    def __init__(self, message: str, issues: tuple[ValidationIssue, ...] = (), hint: RetryHint | None = None) -> None:
        super().__init__(message)
        self.issues: Final = issues
        """What is wrong with the block."""
        self.hint: Final = hint
        """What to tell the model about it."""
