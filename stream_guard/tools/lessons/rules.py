"""The rules of a lesson that its schema cannot express: texts, addresses, right answers, and how the widgets follow each
other.

Rules that a schema can express (a type, the length of a text, the number of items, the allowed values) are in `shapes.py`.
`catalogue.py` lists both for the page, and checks nothing.

Rule 1: a rule is given the lesson as it came and must expect any type. A value of the wrong type is the schema's issue.
Rule 2: advice about teaching is a warning. If a widget cannot be shown, that is an error.
Rule 3: a rule is about a field of a widget's own shape, never about a name. Fields that no widget has break no rule.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...values.issues import JsonPath, ValidationIssue, dotted
from . import html
from .reading import COLOUR, PERCENTAGE, is_address
from .shapes import CONTENTS, LENGTHS, PLACES, URLS, WRAPPED, Shape
from .wording import ADVICE, ERROR, SENTENCES, TEACHING

ABOUT: Final = ("assessmentStrategy", "widgetSelectionSummary")
"""The fields with texts about a lesson, which an application may show too."""

ABOUT_WIDGET: Final = ("rationale", "educationalGoal")
"""The fields with texts about a widget, which an application may show too."""

LOADS: Final[Mapping[str, str]] = {
    "text-1": "low", "image-1": "low", "list-1": "low", "video-1": "medium", "gallery-1": "medium", "flashcards-1": "medium",
    "hotspots-1": "high", "quiz-1": "high",
}  # fmt: skip
"""The cognitive load of each widget."""

_BNCC: Final = re.compile(r"(?:EI\d{2}[A-Z]{2}\d{2}|EF\d{2}[A-Z]{2}\d{2}|EM13[A-Z]{2,3}\d{2,3})")
_ROOT: Final[JsonPath] = ("lessonData",)


def content(arguments: Mapping[str, Any]) -> Iterator[ValidationIssue]:
    """Return the issues of the texts, the addresses and the right answers."""
    lesson = arguments.get("lessonData")
    if not isinstance(lesson, dict):
        return
    widgets = lesson.get("widgets")
    metadata = lesson.get("metadata")
    if isinstance(metadata, dict):
        yield from _topic(metadata.get("topic"), (*_ROOT, "metadata", "topic"))
        for key, value in metadata.items():
            yield from _markup_issues(value, (*_ROOT, "metadata", key))
        bncc = metadata.get("bnccAlignment")
        if isinstance(bncc, str) and not bncc_codes(bncc):
            yield _advice((*_ROOT, "metadata", "bnccAlignment"), "bncc", bncc, expected="EF06MA07")
    for key in ABOUT:
        yield from _markup_issues(lesson.get(key), (*_ROOT, key))
    if not isinstance(widgets, list):
        return
    if widgets and (first := type_of(widgets[0])) in LOADS:
        yield _issue((*_ROOT, "widgets", 0, "type"), "first", first, expected="head-1")
    for index, widget in enumerate(widgets):
        if not isinstance(widget, dict):
            continue
        at = (*_ROOT, "widgets", index)
        for key in ABOUT_WIDGET:
            yield from _markup_issues(widget.get(key), (*at, key))
        kind, inside = widget.get("type"), widget.get("content")
        if isinstance(inside, dict) and isinstance(kind, str) and kind in CONTENTS:
            yield from _fields(kind, CONTENTS[kind], inside, (*at, "content"))


def education(arguments: Mapping[str, Any]) -> Iterator[ValidationIssue]:
    """Return advice about the order of the widgets: their load, their sequence, their variety."""
    lesson = arguments.get("lessonData")
    widgets = lesson.get("widgets") if isinstance(lesson, dict) else None
    if not isinstance(widgets, list):
        return
    placed = [(place, kind) for place, kind in enumerate(map(type_of, widgets)) if kind is not None and kind in LOADS]
    kinds = [kind for _, kind in placed]
    if len(kinds) < 2:
        return
    at = (*_ROOT, "widgets")
    missing = [load for load in ("low", "medium", "high") if load not in {LOADS[kind] for kind in kinds}]
    if missing:
        able = [kind for kind, load in LOADS.items() if load in missing]
        yield _teaching(at, "cognitive_load", load=" or ".join(missing), kinds=", ".join(able), expected="low, medium, high")
    yield from _order(placed, at)
    if "quiz-1" not in kinds:
        yield _teaching(at, "assessment", expected="quiz-1")
    most, count = Counter(kinds).most_common(1)[0]
    if len(kinds) > 2 and (len(set(kinds)) < 3 or count > 0.6 * len(kinds)):
        yield _teaching(at, "variety", count=count, all=len(kinds), kind=most, expected=f"<= {int(0.6 * len(kinds))}")


def _order(placed: list[tuple[int, str]], at: JsonPath) -> Iterator[ValidationIssue]:
    """Return advice if content, flashcards and quiz are not in this order."""
    quizzes = [place for place, kind in placed if kind == "quiz-1"]
    cards = [place for place, kind in placed if kind == "flashcards-1"]
    told = [(place, kind) for place, kind in placed if kind not in ("quiz-1", "flashcards-1")]
    first, kind = placed[0]
    if kind in ("quiz-1", "flashcards-1"):
        yield _teaching((*at, first), "flow", kind=kind, expected="text-1")
    if quizzes and cards and cards[-1] > quizzes[-1]:
        quiz = dotted(("widgets", quizzes[-1]))
        yield _teaching((*at, cards[-1]), "cards_first", quiz=quiz, expected=f"before {quiz}")
    if quizzes and told and told[-1][0] > quizzes[-1]:
        quiz = dotted(("widgets", quizzes[-1]))
        yield _teaching((*at, told[-1][0]), "quiz_last", kind=told[-1][1], quiz=quiz, expected=f"before {quiz}")


def addresses(arguments: Mapping[str, Any]) -> Iterator[tuple[JsonPath, str]]:
    """Return the addresses in a lesson's widgets, each with its path."""

    def walk(place: str, node: Any, at: JsonPath) -> Iterator[tuple[JsonPath, str]]:
        for key, part in PLACES[place]["properties"].items() if isinstance(node, dict) else ():
            value = node.get(key)
            if (place, key) in URLS:
                if isinstance(value, str) and is_address(value):
                    yield (*at, key), value
            elif isinstance(value, list) and f"{place}.{key}" in PLACES and part["type"] == "array":
                for index, item in enumerate(value):
                    yield from walk(f"{place}.{key}", item, (*at, key, index))

    lesson = arguments.get("lessonData")
    widgets = lesson.get("widgets") if isinstance(lesson, dict) else None
    for index, widget in enumerate(widgets if isinstance(widgets, list) else ()):
        kind = type_of(widget)
        if kind is not None and kind in CONTENTS:
            yield from walk(kind, widget.get("content"), (*_ROOT, "widgets", index, "content"))


def unanswered(at: JsonPath, address: str, why: str) -> ValidationIssue:
    """Return the advice for an address that does not answer. It may answer again soon, so this is a warning and no error."""
    return _advice(at, "reachable", address, why=why)


def left_out(at: JsonPath, value: Any, description: str) -> ValidationIssue:
    """Return the advice for an optional value that was left out."""
    return _advice(at, "left_out", value, what=description)


def bncc_codes(text: str) -> list[str]:
    """Return the codes of the national curriculum in a text."""
    return _BNCC.findall(text)


def blank(text: str) -> bool:
    """Return whether a text is empty for a reader: it has only blanks of any kind, characters without a shape, or
    empty tags.
    """
    return not any(not char.isspace() and unicodedata.category(char) != "Cf" for char in html.visible(text))


def _topic(topic: Any, at: JsonPath) -> Iterator[ValidationIssue]:
    if isinstance(topic, str) and blank(topic):
        yield _issue(at, "blank", topic)


def _fields(place: str, shape: Shape, node: dict[str, Any], at: JsonPath) -> Iterator[ValidationIssue]:
    """Return the issues of the fields of an object, by its shape. In unknown fields, only code that could run is an issue."""
    for key, value in node.items():
        part = shape["properties"].get(key)
        here = (*at, key)
        if part is None:
            yield from _markup_issues(value, here, closed=False)
        elif isinstance(value, str):
            if part["type"] == "string":
                yield from _text(place, key, value, here, needed=key in shape["required"])
        elif isinstance(value, dict) and part["type"] == "object":
            yield from _fields(f"{place}.{key}", part, value, here)
        elif isinstance(value, list) and part["type"] == "array":
            for index, item in enumerate(value):
                if isinstance(item, dict) and part["items"]["type"] == "object":
                    yield from _fields(f"{place}.{key}", part["items"], item, (*here, index))
                elif isinstance(item, str) and part["items"]["type"] == "string":
                    yield from _text(f"{place}.{key}", "", item, (*here, index), needed=True)
            if (place, key) == ("quiz-1.questions", "answers"):
                yield from _answers(value, here)


def _text(place: str, key: str, text: str, at: JsonPath, *, needed: bool) -> Iterator[ValidationIssue]:
    """Return the issues of one text."""
    if needed and blank(text):
        yield _issue(at, "blank", text)
    elif (place, key) in URLS:
        if not is_address(text):
            yield _issue(at, "url", text, expected="https://example.com/a.png")
    elif key == "background_color":
        if COLOUR.fullmatch(text) is None:
            yield _issue(at, "color", text, expected="#ff8800")
    elif place == "hotspots-1.markers" and key in ("x", "y"):
        if PERCENTAGE.fullmatch(text) is None:
            yield _issue(at, "percentage", text, expected="50%")
    else:
        yield from _markup_issues(text, at)
        least = LENGTHS.get((place, key))
        if least is not None and len(html.visible(text)) < least:
            yield _issue(at, "min_text", text, least=least, expected=least)
        if (place, key) in WRAPPED and not html.is_wrapped(text):
            yield _issue(at, "wrapped", text, expected=html.wrapped(text))


def _markup_issues(value: Any, at: JsonPath, *, closed: bool = True) -> Iterator[ValidationIssue]:
    """Yield the issues of unsafe HTML in a value and in all values inside it; if `closed`, those of malformed HTML too."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _markup_issues(item, (*at, key), closed=closed)
    elif isinstance(value, str) and "<" in value:
        if not html.is_safe(value):
            yield _issue(at, "safe", value, expected=html.clean(value))
        elif closed and (flaw := html.flaw(value)) is not None:
            yield _issue(at, "well_formed", value, flaw=flaw, expected=html.clean(value))


def _answers(answers: list[Any], at: JsonPath) -> Iterator[ValidationIssue]:
    """Return the issue of a list of answers of which none is right."""
    flags = [answer.get("correct_answer") for answer in answers if isinstance(answer, dict)]
    if flags and True not in flags and len(flags) == len(answers) and all(isinstance(flag, bool) for flag in flags):
        yield _issue(at, "right_answer", None, expected={"correct_answer": True})


def type_of(widget: Any) -> str | None:
    """Return the type of a widget as written; None if it is no string."""
    kind = widget.get("type") if isinstance(widget, dict) else None
    return kind if isinstance(kind, str) else None


def _advice(at: JsonPath, constraint: str, got: Any = None, expected: Any = None, **gaps: object) -> ValidationIssue:
    return _advised(at, constraint, SENTENCES[constraint].format(**gaps), got, expected)


def _teaching(at: JsonPath, constraint: str, expected: str, **gaps: object) -> ValidationIssue:
    return _advised(at, constraint, TEACHING[constraint].format(**gaps), None, expected)


def _advised(at: JsonPath, constraint: str, words: str, got: Any, expected: Any) -> ValidationIssue:
    message = ADVICE.format(field=dotted(at), words=words)
    return ValidationIssue.at(at, "content", message, constraint, expected=expected, got=got, severity="warning")


def _issue(at: JsonPath, constraint: str, got: Any, expected: Any = None, **gaps: object) -> ValidationIssue:
    message = ERROR.format(field=dotted(at), words=SENTENCES[constraint].format(**gaps))
    return ValidationIssue.at(at, "content", message, constraint, expected=expected, got=got)
