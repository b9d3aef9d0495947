"""What `validate_lesson_data` answers, in the words that its specification has for it.

Rule: an issue is found once, by the engine. Here it is only told in another form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from ...schema.fields import split
from ...values.fix import AutoFix
from ...values.issues import JsonPath, ValidationIssue, dotted

ErrorCode = Literal[
    "VALIDATION_ERROR",
    "MISSING_METADATA",
    "INVALID_WIDGETS",
    "WIDGET_CONTENT_ERROR",
    "EMPTY_CONTENT",
    "INVALID_URL",
    "INVALID_FORMAT",
]
"""Why a lesson was refused. Several reasons of different kinds are a VALIDATION_ERROR."""

ErrorType = Literal["MISSING_FIELD", "INVALID_FORMAT", "CONTENT_ERROR", "WIDGET_ERROR"]

WORKFLOW: Final = "JIT v5.1.0"
_FORMATS: Final = frozenset({"type", "color", "percentage", "pattern", "bncc", "wrapped", "well_formed"})
_ADVICE: Final = frozenset({"cognitive_load", "flow", "assessment", "variety"})


@dataclass(frozen=True, slots=True)
class ValidationError:
    """One thing that is wrong with a lesson."""

    type: ErrorType
    location: str
    """Where, without the field: `widgets[2].content.questions[0]`."""

    field: str
    expected: str
    actual: str
    severity: Literal["ERROR", "WARNING"]

    def to_dict(self) -> dict[str, Any]:
        """With the wire's keys."""
        return {
            "type": self.type,
            "location": self.location,
            "field": self.field,
            "expected": self.expected,
            "actual": self.actual,
            "severity": self.severity,
        }


@dataclass(frozen=True, slots=True)
class ValidationCheck:
    """One of the four phases."""

    name: str
    passed: bool
    details: str

    def to_dict(self) -> dict[str, Any]:
        """With the wire's keys."""
        return {"name": self.name, "passed": self.passed, "details": self.details}


@dataclass(frozen=True, slots=True)
class ValidatedLesson:
    """A lesson that may go on."""

    lesson: dict[str, Any]
    widget_count: int
    summary: str
    fixes: tuple[AutoFix, ...]
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """With the wire's keys."""
        return {
            "validatedLessonData": self.lesson,
            "widgetCount": self.widget_count,
            "validationSummary": self.summary,
            "auto_fixes_applied": [
                {
                    "type": fix.type,
                    "description": fix.description,
                    "before": fix.before,
                    "after": fix.after,
                    "confidence": fix.confidence,
                }
                for fix in self.fixes
            ],
            "confidence_score": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class LessonError:
    """Why a lesson may not go on, and what to do about it."""

    code: ErrorCode
    message: str
    details: tuple[ValidationError, ...]
    suggested_fixes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """With the wire's keys."""
        details = [detail.to_dict() for detail in self.details]
        return {"code": self.code, "message": self.message, "details": details, "suggested_fixes": list(self.suggested_fixes)}


@dataclass(frozen=True, slots=True)
class LessonDebug:
    """When, how long, and which phases."""

    timestamp: str
    processing_time: float
    """In milliseconds."""

    checks: tuple[ValidationCheck, ...]
    token_usage: int
    """None of a model's: nothing here asks one."""

    def to_dict(self) -> dict[str, Any]:
        """With the wire's keys."""
        return {
            "timestamp": self.timestamp,
            "processingTime": self.processing_time,
            "validationChecks": [check.to_dict() for check in self.checks],
            "jit_context": {"step": 5, "workflow": WORKFLOW, "token_usage": self.token_usage},
        }


@dataclass(frozen=True, slots=True)
class ValidateLessonDataOutput:
    """What the tool answers: a lesson, or an error; and how it came to that."""

    data: ValidatedLesson | None
    error: LessonError | None
    debug: LessonDebug
    issues: tuple[ValidationIssue, ...] = ()
    """What is wrong, or might be better, as the engine says it. Not told on the wire."""

    @property
    def success(self) -> bool:
        """Whether the lesson may go on."""
        return self.data is not None

    def to_dict(self) -> dict[str, Any]:
        """The output schema of the specification, key for key."""
        said: dict[str, Any] = {"success": self.success}
        if self.data is not None:
            said["data"] = self.data.to_dict()
        if self.error is not None:
            said["error"] = self.error.to_dict()
        return {**said, "debug": self.debug.to_dict()}


def refused(issues: tuple[ValidationIssue, ...]) -> LessonError:
    """The error of a lesson with these issues, of which one at least is an error."""
    errors = [issue for issue in issues if issue.severity == "error"]
    codes: list[ErrorCode] = [_code(issue) for issue in errors]
    code: ErrorCode = codes[0] if len(set(codes)) == 1 else "VALIDATION_ERROR"
    count = f"{len(errors)} problem{'s' if len(errors) > 1 else ''}"
    message = f"The lesson has {count} that must be mended: {_short(errors[0])}"
    fixes = tuple(f"{place(issue)}: {_short(issue)}" for issue in errors)
    return LessonError(code, message, tuple(map(_detail, issues)), fixes)


def phase(issue: ValidationIssue) -> int:
    """Which of the four phases finds an issue."""
    if issue.constraint in _ADVICE:
        return 3
    if issue.constraint == "reachable" or (issue.constraint == "enum" and issue.field.endswith(".type")):
        return 4
    return 2 if issue.code == "content" or ".content" in issue.field else 1


def place(issue: ValidationIssue) -> str:
    """Where an issue is, within the lesson."""
    return issue.field.removeprefix("lessonData").removeprefix(".") or "lessonData"


def _short(issue: ValidationIssue) -> str:
    """The message of an issue, without the names that every issue of a lesson shares."""
    if issue.code == "required":
        return f'Missing "{place(issue)}" field'
    return issue.message.replace("lessonData.", "")


def _code(issue: ValidationIssue) -> ErrorCode:
    path = split(issue.field)[1:]
    if not path:
        return "VALIDATION_ERROR"  # it is no lesson at all
    if issue.constraint == "url":
        return "INVALID_URL"
    if issue.constraint == "blank":
        return "EMPTY_CONTENT"
    if path[:1] == ("metadata",) and issue.code == "required":
        return "MISSING_METADATA"
    if path[:1] == ("widgets",) and (len(path) < 4 or issue.constraint == "first"):
        return "INVALID_WIDGETS"
    if issue.constraint in _FORMATS:
        return "INVALID_FORMAT"
    return "WIDGET_CONTENT_ERROR" if path[:1] == ("widgets",) else "VALIDATION_ERROR"


def _detail(issue: ValidationIssue) -> ValidationError:
    path = split(issue.field)[1:]
    return ValidationError(
        _type(issue, path),
        dotted(path[:-1]),
        str(path[-1]) if path else "lessonData",
        _short(issue),
        "nothing" if issue.code == "required" else str(issue.got),
        "ERROR" if issue.severity == "error" else "WARNING",
    )


def _type(issue: ValidationIssue, path: JsonPath) -> ErrorType:
    if issue.code == "required":
        return "MISSING_FIELD"
    if path[:1] == ("widgets",) and len(path) < 4:
        return "WIDGET_ERROR"
    return "INVALID_FORMAT" if issue.constraint in _FORMATS or issue.constraint == "url" else "CONTENT_ERROR"
