"""One fenced block of the three file tools, checked in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .judge.judge import Judge
from .judge.settings import Settings
from .values.limits import Limits
from .values.wording import HOW_MANY_BLOCKS


@dataclass(frozen=True, slots=True)
class JsonToolValidation:
    """The result of `validate_json_tool_block`."""

    is_valid: bool
    """Whether the block is a valid tool call."""

    errors: list[str]
    """The messages of its issues."""

    parsed_json: Any = None
    """The parsed JSON; None when the block is not JSON."""


def validate_json_tool_block(text: str) -> JsonToolValidation:
    """Check one fenced block against write_file, delete_file and edit_file."""
    from .tools.files import FILE_TOOLS  # deferred: compiles schemas

    if not isinstance(text, str):
        raise TypeError(f"validate_json_tool_block takes the text of one block, got {type(text).__name__}")
    judge = Judge(Settings(FILE_TOOLS, Limits(), fixes="off"))
    blocks = judge.blocks(text)
    if len(blocks) != 1:
        return JsonToolValidation(False, [HOW_MANY_BLOCKS.format(count=len(blocks) or "none")])
    verdict = judge.verdict(blocks[0])
    return JsonToolValidation(verdict.passed, [issue.message for issue in verdict.issues], verdict.value)
