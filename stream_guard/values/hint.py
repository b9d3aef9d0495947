"""`RetryHint`: the advice about a call that failed, as an object, and its forms for a model, a person and a provider.

It is made by `toolset/hints.py`, of sentences that stand in `wording.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .plain import plain, snake
from .quoting import escaped, inside, named, one_line
from .wording import ASK, DID_YOU_MEAN, EXAMPLE, SOME_CALL

Reason = Literal["invalid_arguments", "malformed_response", "truncated", "unknown_tool", "not_checked", "tool_failed", "denied"]
"""Why the call failed."""


Recovery = Literal["correct_call", "replan", "finish"]
"""The proposed action: send the same call corrected, decide anew, or stop."""


@dataclass(frozen=True, slots=True)
class RetryHint:
    """One hint for one failed call."""

    reason: Reason
    """Why the call failed."""

    recovery: Recovery
    """The proposed action for the model."""

    tool: str | None
    """The tool that was called, as the model named it."""

    problem: str
    """The problem in one sentence."""

    message: str
    """The problem, and what to do about it, in two or three sentences."""

    fields: tuple[str, ...] = ()
    """The fields in question, dotted; three at most."""

    missing_fields: tuple[str, ...] = ()
    """The fields among `fields` that were missing."""

    allowed_values: tuple[str, ...] = ()
    """The allowed values; five at most, then `…`."""

    suggestion: str | None = None
    """The tool, field or value that was probably meant."""

    pattern: str | None = None
    """The pattern that a text must match."""

    minimum: float | None = None
    """The smallest allowed number, length or count."""

    maximum: float | None = None
    """The largest allowed number, length or count."""

    exclusive_minimum: float | None = None
    """The number that a value must be greater than."""

    exclusive_maximum: float | None = None
    """The number that a value must be less than."""

    format: str | None = None
    """The format that a string must have."""

    clarifying_question: str | None = None
    """One question; its answer would give what is missing or wrong."""

    example_input: dict[str, Any] | None = None
    """The call with placeholders for missing values; None if none is missing."""

    def for_person(self) -> str:
        """Return one line for a person."""
        return one_line(" ".join(f"{named(self.tool) if self.tool else SOME_CALL}: {self.problem}.".split()))

    def for_model(self) -> str:
        """Return the text for a model: the problem, the allowed values, and an example of the call."""
        lines = [one_line(self.message)]
        if self.suggestion is not None and f'"{inside(self.suggestion)}"' not in self.message:
            lines.append(DID_YOU_MEAN.format(meant=inside(self.suggestion)))
        if self.clarifying_question is not None:
            lines.append(ASK.format(question=one_line(self.clarifying_question)))
        if self.example_input is not None:
            lines.append(EXAMPLE.format(example=escaped(json.dumps(self.example_input, ensure_ascii=False))))
        return "\n".join(lines)

    def to_openai(self, call_id: str, api: Literal["chat", "responses"] = "chat") -> dict[str, Any]:
        """Return the answer to OpenAI's call of this id: a message of role `tool`, or an item of the responses API."""
        return openai_result(call_id, self.for_model(), api)

    def to_anthropic(self, call_id: str) -> dict[str, Any]:
        """Return the answer to Anthropic's call of this id: a `tool_result` that is an error."""
        return anthropic_result(call_id, self.for_model(), error=True)

    def to_mcp(self) -> dict[str, Any]:
        """Return the result of an MCP call."""
        return mcp_result(self.for_model(), error=True)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> RetryHint:
        """Return the hint that `to_json` or `plain` made this data of."""
        known: dict[str, Any] = {"tool": None, **snake(data, RetryHint)}
        for key, value in known.items():
            known[key] = tuple(value) if isinstance(value, list) else value
        return RetryHint(**known)

    def to_json(self) -> str:
        """Return the hint as one line of JSON, with the wire's keys."""
        return json.dumps(plain(self), separators=(",", ":"))


def openai_result(call_id: str, text: str, api: Literal["chat", "responses"]) -> dict[str, Any]:
    """Return a call's result as OpenAI takes it."""
    if api == "chat":
        return {"role": "tool", "tool_call_id": call_id, "content": text}
    if api == "responses":
        return {"type": "function_call_output", "call_id": call_id, "output": text}
    raise ValueError(f"api must be 'chat' or 'responses', got {api!r}")


def anthropic_result(call_id: str, text: str, *, error: bool) -> dict[str, Any]:
    """Return a call's result as Anthropic takes it."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": text, **({"is_error": True} if error else {})}


def mcp_result(text: str, *, error: bool, structured: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a call's result as MCP takes it: its text, and the object of which that text is the JSON."""
    more = {"structuredContent": dict(structured)} if structured is not None else {}
    return {"content": [{"type": "text", "text": text}], **more, "isError": error}
