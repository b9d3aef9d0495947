"""The output of `validate_lesson_data`, in the form that its specification has, and its JSON Schema.

Rule: an issue is found once, by the engine. This file only converts it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ...schema.fields import split
from ...values.fix import AutoFix
from ...values.issues import JsonPath, ValidationIssue, dotted
from . import html
from .rules import blank, type_of
from .shapes import CONTENTS, LESSON, METADATA, WIDGET, WIDGETS, Shape
from .wording import TEACHING

ErrorCode = Literal[
    "VALIDATION_ERROR",
    "MISSING_METADATA",
    "INVALID_WIDGETS",
    "WIDGET_CONTENT_ERROR",
    "EMPTY_CONTENT",
    "INVALID_URL",
    "INVALID_FORMAT",
]
"""The reason why a lesson was refused. Several different reasons are a VALIDATION_ERROR."""

ErrorType = Literal["MISSING_FIELD", "INVALID_FORMAT", "CONTENT_ERROR", "WIDGET_ERROR"]

WORKFLOW: Final = "JIT v5.1.0"
_FORMATS: Final = frozenset({"type", "color", "percentage", "pattern", "bncc", "wrapped", "well_formed"})
_BOUNDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("minItems", "minLength", "minimum", "min_text"), ">="),
    **dict.fromkeys(("maxItems", "maxLength", "maximum"), "<="),
}
_LONGEST: Final = 200
"""The most characters of a value that are quoted."""

MISSING: Final = "missing"
"""The text that is quoted for a missing field."""


@dataclass(frozen=True, slots=True)
class ValidationError:
    """One mistake in a lesson."""

    type: ErrorType
    location: str
    """The path of the object that holds the field: `widgets[2].content.questions[0]`."""

    field: str
    expected: str
    """The expected value, or its form: `string`, `>= 3`, `"bullet" | "numbered" | "checkbox"`, `https://example.com/a.png`."""

    actual: str
    """The value in the lesson: a text as it is, or other values as JSON; for a length or a count, the number."""

    severity: Literal["ERROR", "WARNING"]

    def to_dict(self) -> dict[str, Any]:
        """Return the error in a lesson as plain data, with the keys of the specification."""
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
    """The result of one of the four phases of the check."""

    name: str
    passed: bool
    details: str

    def to_dict(self) -> dict[str, Any]:
        """Return the result of the phase as plain data, with the keys of the specification."""
        return {"name": self.name, "passed": self.passed, "details": self.details}


@dataclass(frozen=True, slots=True)
class ValidatedLesson:
    """A valid lesson."""

    lesson: dict[str, Any]
    widget_count: int
    summary: str
    fixes: tuple[AutoFix, ...]
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return the valid lesson as plain data, with the keys of the specification."""
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
    """The error for a refused lesson: why it was refused, and what to do about it."""

    code: ErrorCode
    message: str
    details: tuple[ValidationError, ...]
    suggested_fixes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the error for the lesson as plain data, with the keys of the specification."""
        details = [detail.to_dict() for detail in self.details]
        return {"code": self.code, "message": self.message, "details": details, "suggested_fixes": list(self.suggested_fixes)}


@dataclass(frozen=True, slots=True)
class LessonDebug:
    """The time and duration of the check, and its phases."""

    timestamp: str
    processing_time: float
    """The duration of the check in milliseconds."""

    checks: tuple[ValidationCheck, ...]
    token_usage: int
    """Always 0: no model is asked."""

    def to_dict(self) -> dict[str, Any]:
        """Return the facts about the check as plain data, with the keys of the specification."""
        return {
            "timestamp": self.timestamp,
            "processingTime": self.processing_time,
            "validationChecks": [check.to_dict() for check in self.checks],
            "jit_context": {"step": 5, "workflow": WORKFLOW, "token_usage": self.token_usage},
        }


@dataclass(frozen=True, slots=True)
class ValidateLessonDataOutput:
    """The output of the tool: a lesson or an error, and the checks."""

    data: ValidatedLesson | None
    error: LessonError | None
    debug: LessonDebug
    issues: tuple[ValidationIssue, ...] = ()
    """The issues as the engine found them. In `to_dict` they are in the error, the summary and the checks."""

    @property
    def success(self) -> bool:
        """Whether the lesson is valid."""
        return self.data is not None

    def to_dict(self) -> dict[str, Any]:
        """Return the output with the keys of the specification."""
        said: dict[str, Any] = {"success": self.success}
        if self.data is not None:
            said["data"] = self.data.to_dict()
        if self.error is not None:
            said["error"] = self.error.to_dict()
        return {**said, "debug": self.debug.to_dict()}


def refused(issues: tuple[ValidationIssue, ...], lesson: object) -> LessonError:
    """Return the error for a lesson with these issues, of which at least one is an error."""
    errors = [issue for issue in issues if issue.severity == "error"]
    codes: list[ErrorCode] = [_code(issue) for issue in errors]
    code: ErrorCode = codes[0] if len(set(codes)) == 1 else "VALIDATION_ERROR"
    count = f"{len(errors)} problem{'s' if len(errors) > 1 else ''}"
    message = f"The lesson has {count} to correct: {words(errors[0])}"
    fixes = tuple(f"{place(issue)}: {words(issue)}" for issue in errors)
    return LessonError(code, message, tuple(_detail(issue, lesson) for issue in issues), fixes)


def phase(issue: ValidationIssue) -> int:
    """Return the number of the phase that finds an issue."""
    if issue.constraint in TEACHING:
        return 3
    if issue.constraint == "reachable" or (issue.constraint == "enum" and issue.field.endswith(".type")):
        return 4
    return 2 if issue.code == "content" or ".content" in issue.field else 1


def place(issue: ValidationIssue) -> str:
    """Return the path of an issue's object within the lesson."""
    return issue.field.removeprefix("lessonData").removeprefix(".") or "lessonData"


def words(issue: ValidationIssue) -> str:
    """Return the message of an issue, without the names that are the same in all issues of a lesson."""
    if issue.code == "required":
        return f'Missing "{place(issue)}" field'
    return issue.message.replace("lessonData.", "")


def _code(issue: ValidationIssue) -> ErrorCode:
    path = split(issue.field)[1:]
    if not path:
        return "VALIDATION_ERROR"  # the value is no lesson at all
    if issue.constraint == "url":
        return "INVALID_URL"
    if path[:1] == ("metadata",) and (issue.code == "required" or (path[1:] == ("topic",) and _empty(issue.got))):
        return "MISSING_METADATA"
    if issue.constraint == "blank":
        return "EMPTY_CONTENT"
    if path[:1] == ("widgets",) and (len(path) < 4 or issue.constraint == "first"):
        return "INVALID_WIDGETS"
    if issue.constraint in _FORMATS:
        return "INVALID_FORMAT"
    return "WIDGET_CONTENT_ERROR" if path[:1] == ("widgets",) else "VALIDATION_ERROR"


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and blank(value))


def _detail(issue: ValidationIssue, lesson: object) -> ValidationError:
    path = split(issue.field)[1:]
    return ValidationError(
        _type(issue, path),
        dotted(path[:-1]),
        str(path[-1]) if path else "lessonData",
        _expected(issue, path, lesson),
        _actual(issue, path, lesson),
        "ERROR" if issue.severity == "error" else "WARNING",
    )


def _expected(issue: ValidationIssue, path: JsonPath, lesson: object) -> str:
    """Return the value, or the form of a value, that the broken rule expects."""
    asked = issue.expected
    if issue.constraint in _BOUNDS:
        return f"{_BOUNDS[issue.constraint]} {asked}"
    if issue.constraint == "type":
        return " | ".join(asked) if isinstance(asked, list) else _quoted(asked)
    if issue.constraint == "enum" and isinstance(asked, list):
        return " | ".join(json.dumps(one, ensure_ascii=False) for one in asked)
    if asked is None:
        shape = _shape(path, lesson)
        return " | ".join(f'"{kind}"' for kind in WIDGETS) if path[-1:] == ("type",) else str(shape.get("type", "object"))
    return _quoted(asked)


def _actual(issue: ValidationIssue, path: JsonPath, lesson: object) -> str:
    """Return the lesson's value at the place of an issue."""
    there, value = _value(path, lesson)
    if not there or issue.code == "required":
        return MISSING
    if path == ("widgets",) and issue.constraint in TEACHING:
        return _quoted([type_of(widget) for widget in value])
    if issue.constraint in TEACHING:
        return _quoted(type_of(value))
    if issue.constraint == "min_text":
        return str(len(html.visible(value)))
    if issue.constraint in _BOUNDS and isinstance(value, str | list | dict):
        return str(len(value))
    return _quoted(value)


def _quoted(value: Any) -> str:
    """Return a value as JSON, or a text as it is; shortened when long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _value(path: JsonPath, lesson: object) -> tuple[bool, Any]:
    """Return whether there is a value at a path, and that value."""
    here: Any = lesson
    for step in path:
        members: dict[Any, Any] = here if isinstance(here, dict) else dict(enumerate(here)) if isinstance(here, list) else {}
        if step not in members:
            return False, None
        here = members[step]
    return True, here


def _shape(path: JsonPath, lesson: object) -> Shape:
    """Return the schema of the value at a path."""
    kind = type_of(_value(path[:2], lesson)[1]) if path[:1] == ("widgets",) else None
    here: Shape = LESSON
    for depth, step in enumerate(path):
        if depth == 0 and step == "metadata":
            here = METADATA
        elif depth == 1 and isinstance(step, int) and path[0] == "widgets":
            here = WIDGET
        elif depth == 2 and step == "content" and kind in CONTENTS:
            here = CONTENTS[str(kind)]
        else:
            here = here.get("items", {}) if isinstance(step, int) else here.get("properties", {}).get(step, {})
    return here


def _type(issue: ValidationIssue, path: JsonPath) -> ErrorType:
    if issue.code == "required":
        return "MISSING_FIELD"
    if path[:1] == ("widgets",) and len(path) < 4:
        return "WIDGET_ERROR"
    return "INVALID_FORMAT" if issue.constraint in _FORMATS or issue.constraint == "url" else "CONTENT_ERROR"


def _object(optional: tuple[str, ...] = (), **members: Shape) -> Shape:
    return {"type": "object", "properties": members, "required": [name for name in members if name not in optional]}


def _list(items: Shape) -> Shape:
    return {"type": "array", "items": items}


_TEXT: Final[Shape] = {"type": "string"}
_NUMBER: Final[Shape] = {"type": "number"}
_ANY: Final[Shape] = {}

OUTPUT: Final[Shape] = _object(
    ("data", "error"),
    success={"type": "boolean"},
    data=_object(
        validatedLessonData={"type": "object", "description": "The lesson, fixed"},
        widgetCount={"type": "integer"},
        validationSummary={**_TEXT, "description": "How many widgets and fixes, and every warning in words"},
        auto_fixes_applied=_list(
            _object(
                type={"enum": ["FIELD_MAPPING", "HTML_WRAPPING", "METADATA_ADDITION", "STRUCTURE_CORRECTION"]},
                description=_TEXT, before=_ANY, after=_ANY, confidence=_NUMBER,
            )
        ),
        confidence_score=_NUMBER,
    ),
    error=_object(
        code={"enum": list(get_args(ErrorCode))},
        message=_TEXT,
        details=_list(
            _object(
                type={"enum": list(get_args(ErrorType))}, location=_TEXT, field=_TEXT, expected=_TEXT, actual=_TEXT,
                severity={"enum": ["ERROR", "WARNING"]},
            )
        ),
        suggested_fixes=_list(_TEXT),
    ),
    debug=_object(
        timestamp=_TEXT,
        processingTime={**_NUMBER, "description": "In milliseconds"},
        validationChecks=_list(_object(name=_TEXT, passed={"type": "boolean"}, details=_TEXT)),
        jit_context=_object(step={"const": 5}, workflow={"const": WORKFLOW}, token_usage={"type": "integer"}),
    ),
)  # fmt: skip
"""The JSON Schema of the output."""
