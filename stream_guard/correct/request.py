"""What a corrector is asked, what it may answer, and the record of it.

A corrector is any async callable that takes a `CorrectionRequest` and returns text, or a `Reply` that says more. Its reply is
data from outside like any other: it goes through the same parser and the same schema, and past `drift.py` besides.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ..running.toolset import Toolset
from ..values.attempt import Kind
from ..values.hint import RetryHint
from ..values.issues import ValidationIssue


@dataclass(frozen=True, slots=True)
class CorrectionRequest:
    """What a corrector is told. `correction_prompt` makes the text for a model of it."""

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

    tool: str | None = None
    """The tool it means, when that is known."""

    candidates: tuple[str, ...] = ()
    """The tools that its word may mean, where it is not known which. An answer of any other tool is refused."""

    kind: Kind = "correct"
    """What is wanted."""

    max_tokens: int = 4096
    """How many tokens the reply may have."""

    max_characters: int = 16_384
    """How many characters of a reply are read. A longer one is refused, so a corrector may stop reading there."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a corrector answers, with what it knows of the answer."""

    text: str
    """The reply: the corrected block, fenced or bare."""

    end: Literal["stop", "length", "refusal"] = "stop"
    """Why it ended. A reply that was cut off, or in which the model refused, is not taken."""

    input_tokens: int | None = None
    """What the call cost, as far as it was told."""

    output_tokens: int | None = None
    """Likewise."""


class Corrector(Protocol):
    """**Protocol:** anything that can be asked for a corrected block."""

    def __call__(self, request: CorrectionRequest, /) -> Awaitable[str | Reply]:
        """Return the corrected block, fenced or bare."""
        ...
