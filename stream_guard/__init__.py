"""Guard streamed LLM text: hold tool calls back, validate and correct them, pass everything else untouched."""

from .boundary import ToolError, ToolOutput
from .correct import SYSTEM, Attempt, CorrectionPolicy, CorrectionRequest, Corrector, Reply, correction_prompt
from .correct.pending import Pending
from .events import End, EndCause, Item, Status, StreamEnd, ToolBlock, ToolEvent, ToolStatus
from .fixes import AutoFix, Safety
from .guard import Guard, JsonToolValidation, validate_json_tool_block
from .hints import RetryHint, build_hint
from .issues import CODES, ValidationIssue
from .limits import Limits
from .schema import SchemaError
from .session import Session
from .toolset import Handler, Risk, Rule, Tool, Toolset

__version__ = "0.1.0"

__all__ = [
    "CODES",
    "SYSTEM",
    "Attempt",
    "AutoFix",
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
    "Pending",
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
    "ToolStatus",
    "Toolset",
    "ValidationIssue",
    "build_hint",
    "correction_prompt",
    "validate_json_tool_block",
]
