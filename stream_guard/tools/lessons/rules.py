"""What a lesson's schema cannot say of it, phase by phase.

Rule 1: each looks at the lesson as it came, so it must expect anything; what has another type than it should is the schema's.
Rule 2: what teaching asks for is a warning. What a widget cannot be shown without is an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from ...values.issues import JsonPath, ValidationIssue, dotted
from . import html
from .wording import ADVICE, ERROR, SENTENCES

URLS: Final = frozenset({"image", "video", "background_image", "avatar"})
"""Fields that hold an address."""

NEEDED: Final = frozenset(
    {"category", "text", "question", "term", "definition", "image", "video", "x", "y", "background_image"}
)
"""Fields that say nothing when they are blank, wherever they are required."""

LENGTHS: Final[Mapping[tuple[str, str], int]] = {("text-1", "text"): 20, ("quiz-1", "question"): 10}
"""How many characters a reader must see of a text."""

ABOUT: Final = ("assessmentStrategy", "widgetSelectionSummary")
ABOUT_WIDGET: Final = ("rationale", "educationalGoal")
"""Texts about a lesson, and about a widget, which somebody may show as well."""

WRAPPED: Final = frozenset({
    ("quiz-1", "question"), ("quiz-1", "text"), ("flashcards-1", "term"), ("flashcards-1", "definition"),
})  # fmt: skip
"""Texts that stand in a block of their own."""

LOADS: Final[Mapping[str, str]] = {
    "text-1": "low", "image-1": "low", "list-1": "low", "video-1": "medium", "gallery-1": "medium", "flashcards-1": "medium",
    "hotspots-1": "high", "quiz-1": "high",
}  # fmt: skip
"""How much each widget asks of a pupil."""

PERCENTAGE: Final = re.compile(r"(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%")
_COLOR: Final = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_BNCC: Final = re.compile(r"(?:EI\d{2}[A-Z]{2}\d{2}|EF\d{2}[A-Z]{2}\d{2}|EM13[A-Z]{2,3}\d{2,3})")
_HOST: Final = re.compile(r"(?:[^\s/?#@\[\]<>\"\\^`{|}]+|\[[0-9a-fA-F:.]+\])", re.ASCII)
_ROOT: Final[JsonPath] = ("lessonData",)


def content(arguments: Mapping[str, Any]) -> Iterator[ValidationIssue]:
    """The texts, the addresses, the right answers."""
    lesson = arguments.get("lessonData")
    if not isinstance(lesson, dict):
        return
    widgets = lesson.get("widgets")
    metadata = lesson.get("metadata")
    if isinstance(metadata, dict):
        for key, value in metadata.items():
            yield from _safe(value, (*_ROOT, "metadata", key))
        bncc = metadata.get("bnccAlignment")
        if isinstance(bncc, str) and not bncc_codes(bncc):
            yield _advice((*_ROOT, "metadata", "bnccAlignment"), "bncc", bncc)
    for key in ABOUT:
        yield from _safe(lesson.get(key), (*_ROOT, key))
    if not isinstance(widgets, list):
        return
    if widgets and (first := type_of(widgets[0])) in LOADS:
        yield _issue((*_ROOT, "widgets", 0, "type"), "first", first)
    for index, widget in enumerate(widgets):
        if not isinstance(widget, dict):
            continue
        at = (*_ROOT, "widgets", index)
        for key in ABOUT_WIDGET:
            yield from _safe(widget.get(key), (*at, key))
        inside = widget.get("content")
        if isinstance(inside, dict):
            yield from _texts(str(widget.get("type")), inside, (*at, "content"))
            if widget.get("type") == "quiz-1":
                yield from _answers(inside.get("questions"), (*at, "content", "questions"))


def education(arguments: Mapping[str, Any]) -> Iterator[ValidationIssue]:
    """What makes a lesson out of widgets. All of it is advice."""
    lesson = arguments.get("lessonData")
    widgets = lesson.get("widgets") if isinstance(lesson, dict) else None
    if not isinstance(widgets, list):
        return
    kinds = [kind for kind in map(type_of, widgets) if kind is not None and kind in LOADS]
    if len(kinds) < 2:
        return
    at = (*_ROOT, "widgets")
    if len({LOADS[kind] for kind in kinds}) == 1:
        yield _advice(at, "cognitive_load", load=LOADS[kinds[0]])
    practice = next((place for place, kind in enumerate(kinds) if kind in ("quiz-1", "flashcards-1")), None)
    if practice == 0:
        yield _advice(at, "flow")
    if "quiz-1" not in kinds:
        yield _advice(at, "assessment")
    most, count = Counter(kinds).most_common(1)[0]
    if len(kinds) > 2 and (len(set(kinds)) < 3 or count > 0.6 * len(kinds)):
        yield _advice(at, "variety", count=count, all=len(kinds), kind=most)


def addresses(arguments: Mapping[str, Any]) -> Iterator[tuple[JsonPath, str]]:
    """Every address in a lesson's widgets that is one, and where it stands."""

    def walk(node: Any, at: JsonPath) -> Iterator[tuple[JsonPath, str]]:
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(value, dict | list):
                yield from walk(value, (*at, key))
            elif key in URLS and isinstance(value, str) and is_address(value):
                yield (*at, key), value

    lesson = arguments.get("lessonData")
    widgets = lesson.get("widgets") if isinstance(lesson, dict) else None
    if isinstance(widgets, list):
        yield from walk(widgets, (*_ROOT, "widgets"))


def unanswered(at: JsonPath, address: str, why: str) -> ValidationIssue:
    """An address that does not answer: nobody knows for how long, so it is told, and refuses nothing."""
    return _advice(at, "reachable", address, why=why)


def bncc_codes(text: str) -> list[str]:
    """The codes of the national curriculum in a text."""
    return _BNCC.findall(text)


def is_address(text: str) -> bool:
    """Whether a text is an address of the web: http or https, a host, no blanks."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    return (
        parts.scheme in ("http", "https")
        and _HOST.fullmatch(host) is not None
        and ("." in host or ":" in host or host == "localhost")
        and not any(char.isspace() or ord(char) < 32 for char in text)
    )


def _texts(kind: str, node: Any, at: JsonPath) -> Iterator[ValidationIssue]:
    """Every text of a widget, by the name of its field."""
    if isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str):
                yield from _text(kind, key, value, (*at, key))
            else:
                yield from _texts(kind, value, (*at, key))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            if isinstance(item, str):
                yield from _text(kind, "items", item, (*at, index))
            else:
                yield from _texts(kind, item, (*at, index))


def _text(kind: str, key: str, text: str, at: JsonPath) -> Iterator[ValidationIssue]:
    seen = html.visible(text)
    needed = key in NEEDED or (kind == "hotspots-1" and key in ("title", "content") and len(at) > 5) or key == "items"
    if not seen:
        if needed and not (kind == "head-1" and key in URLS):
            yield _issue(at, "blank", text)
            return
        if key in URLS and not text:
            return
    if key in URLS:
        if not is_address(text):
            yield _issue(at, "url", text)
    elif key == "background_color":
        if _COLOR.fullmatch(text) is None:
            yield _issue(at, "color", text)
    elif kind == "hotspots-1" and key in ("x", "y"):
        if PERCENTAGE.fullmatch(text) is None:
            yield _issue(at, "percentage", text)
    else:
        yield from _safe(text, at)
        least = LENGTHS.get((kind, key))
        if least is not None and len(seen) < least:
            yield _issue(at, "min_text", text, least=least)
        if (kind, key) in WRAPPED and not html.is_wrapped(text):
            yield _issue(at, "wrapped", text)


def _safe(value: Any, at: JsonPath) -> Iterator[ValidationIssue]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _safe(item, (*at, index))
    elif isinstance(value, str) and "<" in value:
        if not html.is_safe(value):
            yield _issue(at, "safe", value)
        elif (flaw := html.flaw(value)) is not None:
            yield _issue(at, "well_formed", value, flaw=flaw)


def _answers(questions: Any, at: JsonPath) -> Iterator[ValidationIssue]:
    asked: list[Any] = questions if isinstance(questions, list) else []
    for number, question in enumerate(asked):
        answers: Any = question.get("answers") if isinstance(question, dict) else None
        if isinstance(answers, list) and answers and all(isinstance(answer, dict) for answer in answers):
            flags = [answer.get("correct_answer") for answer in answers]
            if True not in flags and all(isinstance(flag, bool) for flag in flags):
                yield _issue((*at, number, "answers"), "right_answer", None)


def type_of(widget: Any) -> str | None:
    """What a widget calls itself."""
    kind = widget.get("type") if isinstance(widget, dict) else None
    return kind if isinstance(kind, str) else None


def _advice(at: JsonPath, constraint: str, got: Any = None, **gaps: object) -> ValidationIssue:
    message = ADVICE.format(field=dotted(at), words=SENTENCES[constraint].format(**gaps))
    return ValidationIssue.at(at, "content", message, constraint, got=got, severity="warning")


def _issue(at: JsonPath, constraint: str, got: Any, **gaps: object) -> ValidationIssue:
    message = ERROR.format(field=dotted(at), words=SENTENCES[constraint].format(**gaps))
    return ValidationIssue.at(at, "content", message, constraint, got=got)
