"""Guard streamed LLM text: hold tool calls back, validate and correct them, pass everything else untouched."""

from typing import TYPE_CHECKING

from .calls import run
from .correct.budget import CorrectionPolicy
from .correct.prompt import SYSTEM, correction_prompt
from .correct.request import CorrectionRequest, Corrector, Reply
from .guard import Guard
from .json_tool_block import JsonToolValidation, validate_json_tool_block
from .judge.approval_policy import ApprovalPolicy
from .judge.pending import Pending
from .running.calling import Answer, Approve, BlockOutput, ToolError, ToolOutput
from .running.toolset import Toolset
from .schema.schema import SchemaError
from .stream.session import Session
from .toolset.hints import build_hint
from .toolset.tool import Handler, Risk, Rule, Tool
from .values.approval import Approval
from .values.attempt import Attempt
from .values.call import Call, NotExecutableError
from .values.codes import CODES
from .values.events import End, EndCause, Item, Status, StreamEnd, ToolBlock, ToolEvent, ToolResult, ToolStatus
from .values.fix import AutoFix, Safety
from .values.hint import RetryHint
from .values.issues import ValidationIssue
from .values.limits import Limits
from .values.preview import Preview, previewed

__version__ = "0.1.0"

__all__ = [
    "CODES",
    "SYSTEM",
    "Answer",
    "Approval",
    "ApprovalPolicy",
    "Approve",
    "Attempt",
    "AutoFix",
    "BlockOutput",
    "Call",
    "CorrectionPolicy",
    "CorrectionRequest",
    "Corrector",
    "End",
    "EndCause",
    "Guard",
    "Handler",
    "Item",
    "JsonToolValidation",
    "Limits",
    "NotExecutableError",
    "Pending",
    "Preview",
    "Reply",
    "RetryHint",
    "Risk",
    "Rule",
    "Safety",
    "SchemaError",
    "Session",
    "Status",
    "StreamEnd",
    "Tool",
    "ToolBlock",
    "ToolError",
    "ToolEvent",
    "ToolOutput",
    "ToolResult",
    "ToolStatus",
    "Toolset",
    "ValidationIssue",
    "build_hint",
    "correction_prompt",
    "previewed",
    "run",
    "validate_json_tool_block",
]

if not TYPE_CHECKING:  # a type checker would take any name for one that there is

    def __getattr__(name: str) -> object:
        from .elsewhere import missing  # deferred: only who looks in the wrong place needs it

        raise missing(__name__, name)
