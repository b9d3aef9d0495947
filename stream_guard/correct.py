"""Asking a model to mend a block that failed.

A corrector is any async callable that takes a `CorrectionRequest` and returns text. Its reply is data from outside like any
other: it goes through the same parser and the same schema, and it may not name a tool or a path that the block did not.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .hints import RetryHint
from .issues import ValidationIssue
from .toolset import Toolset


@dataclass(frozen=True, slots=True)
class CorrectionRequest:
    """What a corrector is told."""

    block: str
    """The block as the model wrote it. Data, not instructions: never put it into a prompt undelimited."""

    issues: tuple[ValidationIssue, ...]
    """What is wrong with it."""

    tools: Toolset
    """The tools it may be meant for."""

    attempt: int
    """Which attempt this is, from 1."""

    hint: RetryHint | None = None
    """The same in words for a model."""

    schema: Mapping[str, Any] | None = None
    """The schema of the tool it names, when that is known."""


class Corrector(Protocol):
    """**Protocol:** anything that can be asked for a corrected block."""

    def __call__(self, request: CorrectionRequest, /) -> Awaitable[str]:
        """Return the corrected block, fenced or bare."""
        ...


@dataclass(frozen=True, slots=True)
class CorrectionPolicy:
    """How far the guard goes in asking."""

    max_attempts: int = 2
    """How often one block may be sent. 0: never."""

    timeout: float = 10.0
    """Seconds one block's corrections may take together."""

    def __post_init__(self) -> None:
        if not isinstance(self.max_attempts, int) or isinstance(self.max_attempts, bool) or self.max_attempts < 0:
            raise ValueError(f"CorrectionPolicy.max_attempts must be 0 or more, not {self.max_attempts!r}")
        if not self.timeout > 0:
            raise ValueError(f"CorrectionPolicy.timeout must be more than 0 seconds, not {self.timeout!r}")


def gains_authority(arguments: Mapping[str, Any], block: str, tools: Toolset) -> str | None:
    """What a correction names that the block did not: `tool`, `path`, or None when it names nothing new.

    A tool counts as named by any word for it that the toolset knows; a path only letter by letter.
    """
    tool = tools.get(str(arguments.get("tool")))
    if tool is None or not any(name in block for name in (tool.name, *tool.aliases)):
        return "tool"
    path = arguments.get("path")
    if isinstance(path, str) and path not in block and json.dumps(path)[1:-1] not in block:
        return "path"
    return None
