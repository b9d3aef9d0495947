"""What a model needs to know to get its next call right.

Reason and recovery are two things: why it failed does not say what to do next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Reason = Literal["invalid_arguments", "missing_fields", "malformed_response", "truncated", "tool_unavailable"]
"""Why the call failed."""

Recovery = Literal["correct_call", "replan", "finish"]
"""What to do now: send the same call corrected, think again, or stop."""


@dataclass(frozen=True, slots=True)
class RetryHint:
    """One hint for one failed call."""

    reason: Reason
    """Why the call failed."""

    recovery: Recovery
    """What to do about it."""

    tool: str | None
    """The tool that was called."""

    message: str
    """What to tell the model, in one or two sentences."""

    fields: tuple[str, ...] = ()
    """The fields in question, dotted; three at most."""

    missing_fields: tuple[str, ...] = ()
    """Those of `fields` that were not there at all."""

    allowed_values: tuple[str, ...] = ()
    """What an enumeration allows; five at most, then `…`."""

    pattern: str | None = None
    """The pattern a text must match."""

    minimum: float | None = None
    """The least that is allowed: of a number, a length or a count."""

    maximum: float | None = None
    """The most that is allowed."""

    format: str | None = None
    """The format a text must have."""

    clarifying_question: str | None = None
    """One question that would settle it."""

    example_input: dict[str, Any] | None = None
    """The call with placeholders for what is missing."""
