"""`Call`, which may run, and the error for a block that may not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from .hint import RetryHint
from .issues import ValidationIssue


@dataclass(frozen=True, slots=True)
class Call:
    """The call of an executable block."""

    id: str
    """The id of the call, for APIs that pair calls and results. As unique as the ids of blocks."""

    tool: str
    """The tool to run."""

    arguments: dict[str, Any]
    """The arguments to run it with, without the member that names the tool."""


class NotExecutableError(ValueError):
    """Raised when a block that is not executable should be run, or its value read. `block.call` is None for such a block."""

    def __init__(self, message: str, issues: tuple[ValidationIssue, ...] = (), hint: RetryHint | None = None) -> None:
        super().__init__(message)
        self.issues: Final = issues
        """The issues of the block."""
        self.hint: Final = hint
        """The hint about the block for the model; None if there is none."""
