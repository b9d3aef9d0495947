"""The question for a corrector, and its reply.

A corrector is any async callable that takes a `CorrectionRequest` and returns text, or a `Reply` with the end and the cost too.
Its reply is data from outside: it goes through the same parser and the same schema as a block, and then through `drift.py`.
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
    """A question for a corrector. `correction_prompt` returns the text of it for a model."""

    block: str
    """The block as the model wrote it. It is data, not instructions: never put it into a prompt without delimiters."""

    issues: tuple[ValidationIssue, ...]
    """The issues of the block."""

    tools: Toolset
    """The tools of the guard."""

    attempt: int
    """The number of the attempt, from 1."""

    hint: RetryHint | None = None
    """The hint of the block: its issues in words for a model."""

    schema: Mapping[str, Any] | None = None
    """The schema of the tool; None if the tool is not known."""

    tool: str | None = None
    """The name of the tool that is certainly meant; None if it is undetermined."""

    candidates: tuple[str, ...] = ()
    """The names of the tools that may be meant, if the tool is undetermined. A call of any other tool is refused."""

    kind: Kind = "correct"
    """Whether to correct the block, or to continue one that was cut off."""

    max_tokens: int = 4096
    """The most tokens of the reply."""

    max_characters: int = 16_384
    """The most characters of the reply. A longer reply is refused, so a corrector may stop reading there."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A corrector's reply, with its end and its cost."""

    text: str
    """The reply: the corrected block, fenced or bare."""

    end: Literal["stop", "length", "refusal"] = "stop"
    """Why the reply ended. A reply that was cut off, or in which the model refused, is rejected."""

    input_tokens: int | None = None
    """The tokens of the prompt; None if they are unknown."""

    output_tokens: int | None = None
    """The tokens of the reply; None if they are unknown."""


class Corrector(Protocol):
    """**Protocol:** anything that can be asked for a corrected block."""

    def __call__(self, request: CorrectionRequest, /) -> Awaitable[str | Reply]:
        """Return the corrected block, fenced or bare."""
        ...
