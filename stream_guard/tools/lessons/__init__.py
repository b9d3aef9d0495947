"""The tool `validate_lesson_data`: validates a lesson of widgets and fixes it, or refuses it with what to do about it.

    lesson -> fixes -> schema and rules -> ValidateLessonDataOutput

`LESSON_TOOLS` guards streams with lessons in them; the function checks one lesson in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from ...running.toolset import Toolset
from ...schema.fields import split
from ...toolset.arguments import check_arguments, unfit
from ...toolset.tool import Risk, Tool
from ...values.fix import AutoFix
from ...values.issues import ValidationIssue
from ...values.limits import Limits
from . import result, rules
from .examples import EXAMPLES
from .mending import mend
from .result import (
    LessonDebug,
    LessonError,
    ValidatedLesson,
    ValidateLessonDataOutput,
    ValidationCheck,
    ValidationError,
)
from .shapes import ARGUMENTS, WIDGETS

Reach = Callable[[Sequence[str]], Mapping[str, str]]
"""A function that is given addresses, and returns the reason for each address that does not answer."""

_LIMITS: Final = Limits(max_issues=200)
_SHOWN: Final = 5
"""The most issues in the details of a phase."""

_PHASES: Final = {1: "structure", 2: "content", 3: "education", 4: "composer compatibility"}


def validate_lesson_data(lesson_data: object, *, reach: Reach | None = None) -> ValidateLessonDataOutput:
    """Return the lesson, fixed as far as possible, or the issues that remain. Never raises for a text of a model.

    `lesson_data` is the lesson, the tool's whole input with the lesson under `lessonData`, or either as JSON text. It is not
    changed. `reach` is given the addresses in the lesson, and returns why some do not answer; that becomes advice.
    `stream_guard_adapters.reach` has such a function.
    """
    start = time.perf_counter()
    given = lesson_data if isinstance(lesson_data, Mapping) and "lessonData" in lesson_data else {"lessonData": lesson_data}
    arguments: dict[str, Any] = {"lessonData": given["lessonData"]}
    fixes: tuple[AutoFix, ...] = ()
    issues = unfit(arguments, _LIMITS)
    if not issues:
        arguments, fixes = mend(arguments)
        issues = unfit(arguments, _LIMITS) if any(fix.rule == "lesson_decoded" for fix in fixes) else []
        issues = issues or check_arguments(VALIDATE_LESSON_DATA, arguments, _LIMITS)
        issues += [
            rules.left_out(split(fix.path), fix.before, fix.description) for fix in fixes if fix.rule == "lesson_left_out"
        ]
    if reach is not None:
        issues += _unanswered(arguments, reach)
    debug = LessonDebug(
        datetime.now(UTC).isoformat(timespec="milliseconds"),
        round(1000 * (time.perf_counter() - start), 3),
        tuple(_phase(number, issues) for number in _PHASES),
        0,
    )
    if _failed(issues):
        error = result.refused(tuple(issues), arguments["lessonData"])
        return ValidateLessonDataOutput(None, error, debug, tuple(issues))
    lesson: dict[str, Any] = arguments["lessonData"]
    confidence = round(min((fix.confidence for fix in fixes), default=1.0), 2)
    data = ValidatedLesson(lesson, len(lesson["widgets"]), _summary(lesson, fixes, issues), fixes, confidence)
    return ValidateLessonDataOutput(data, None, debug, tuple(issues))


def _summary(lesson: Mapping[str, Any], fixes: Sequence[AutoFix], warnings: Sequence[ValidationIssue]) -> str:
    """Return the summary of a valid lesson: the counts of its parts, and the warnings as text."""
    told = ((len(lesson["widgets"]), "widget", "s"), (len(fixes), "fix", "es"), (len(warnings), "warning", "s"))
    counts = ", ".join(f"{count} {word}{many if count != 1 else ''}" for count, word, many in told)
    return ": ".join((counts, "; ".join(map(result.words, warnings)))) if warnings else counts


def _unanswered(arguments: Mapping[str, Any], reach: Reach) -> list[ValidationIssue]:
    found = list(rules.addresses(arguments))
    said = reach([address for _, address in found]) if found else {}
    return [rules.unanswered(at, address, said[address]) for at, address in found if address in said]


def _failed(issues: list[ValidationIssue]) -> bool:
    return any(issue.severity == "error" for issue in issues)


def _phase(number: int, issues: list[ValidationIssue]) -> ValidationCheck:
    found = [issue for issue in issues if result.phase(issue) == number]
    details = "; ".join(map(result.words, found[:_SHOWN])) + (f" ({len(found) - _SHOWN} more)" if len(found) > _SHOWN else "")
    return ValidationCheck(_PHASES[number], not _failed(found), details or "no issues")


def _handled(arguments: object) -> dict[str, Any]:
    return validate_lesson_data(arguments).to_dict()


VALIDATE_LESSON_DATA: Final = Tool(
    "validate_lesson_data",
    "Check a lesson of widgets, fix what can be fixed, and say what cannot",
    ARGUMENTS,
    output_schema=result.OUTPUT,
    rules=(rules.content, rules.education),
    aliases=("validate_lesson", "check_lesson", "lesson_validation"),
    field_aliases={"lesson_data": "lessonData", "lesson": "lessonData"},
    risk=Risk.READ,
    mend=mend,
    examples=EXAMPLES,
    handler=_handled,
)

LESSON_TOOLS: Final = Toolset(VALIDATE_LESSON_DATA)
"""The lesson tool."""

__all__ = [
    "LESSON_TOOLS",
    "VALIDATE_LESSON_DATA",
    "WIDGETS",
    "LessonDebug",
    "LessonError",
    "ValidateLessonDataOutput",
    "ValidatedLesson",
    "ValidationCheck",
    "ValidationError",
    "validate_lesson_data",
]
