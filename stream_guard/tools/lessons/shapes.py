"""The shape of a lesson, as JSON Schema: everything that needs no reading of texts (types, lengths, numbers of items).

Rules that no schema can express are in `rules.py`.

Rule: a widget's form is chosen by its `type`, and no field of one widget restricts a field of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

Shape = dict[str, Any]


def _text(least: int = 0, most: int | None = None) -> Shape:
    return {"type": "string", **({"minLength": least} if least else {}), **({"maxLength": most} if most is not None else {})}


def _list(items: Shape, least: int, most: int) -> Shape:
    """Return the schema of a list with at least and at most this number of items."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _object(required: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Shape:
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


_TEXT: Final[Shape] = {"type": "string"}
_FLAG: Final[Shape] = {"type": "boolean"}
_TITLE: Final[dict[str, Shape]] = {"title": _TEXT}

CONTENTS: Final[Mapping[str, Shape]] = {
    "head-1": _object(
        {"category": _TEXT},
        {"author_name": _TEXT, "author_office": _TEXT, "background_image": _TEXT, "avatar": _TEXT},
    ),
    "text-1": _object({"text": _TEXT}, {**_TITLE, "background_color": _TEXT}),
    "quiz-1": _object(
        {
            "questions": _list(
                _object(
                    {"question": _TEXT, "answers": _list(_object({"text": _TEXT, "correct_answer": _FLAG}), 2, 6)},
                    {"feedback": _object({}, {"correct": _TEXT, "incorrect": _TEXT})},
                ),
                1,
                10,
            )
        },
        {**_TITLE, "max_attempts": {"type": "integer", "minimum": 1, "maximum": 5}},
    ),
    "flashcards-1": _object({"flashcards_items": _list(_object({"term": _TEXT, "definition": _TEXT}), 2, 20)}, _TITLE),
    "image-1": _object({"image": _TEXT}, {**_TITLE, "caption": _TEXT}),
    "video-1": _object({"video": _TEXT}, {**_TITLE, "autoplay": _FLAG}),
    "list-1": _object(
        {"items": _list(_TEXT, 1, 20)}, {**_TITLE, "list_type": {"type": "string", "enum": ["bullet", "numbered", "checkbox"]}}
    ),
    "gallery-1": _object(
        {"slides": _list(_object({"image": _TEXT}, {**_TITLE, "content": _TEXT, "subtitle": _TEXT}), 2, 15)},
        {**_TITLE, "autoplay": _FLAG},
    ),
    "hotspots-1": _object(
        {
            "background_image": _TEXT,
            "markers": _list(_object({"x": _TEXT, "y": _TEXT, "title": _TEXT, "content": _TEXT}), 2, 12),
        },
        _TITLE,
    ),
}
"""The schema of the content of each type of widget."""

WIDGETS: Final = tuple(CONTENTS)
"""The types of widgets."""


def _widget(kind: str, content: Shape) -> Shape:
    kinds = {"type": {"const": kind}, "content": content}
    return {"title": kind, **_object(kinds, {"rationale": _TEXT, "educationalGoal": _TEXT})}


WIDGET: Final[Shape] = _object({"type": _TEXT, "content": {"type": "object"}}, {"rationale": _TEXT, "educationalGoal": _TEXT})
"""The schema of a widget of any type."""

METADATA: Final[Shape] = _object(
    {"topic": _text(5, 100)},
    {
        "duration": {"type": "number", "minimum": 10, "maximum": 120},
        "learningObjectives": {"type": "array", "items": _TEXT, "maxItems": 6},
        "bnccAlignment": _TEXT,
        "subject": _TEXT,
        "gradeLevel": _TEXT,
    },
)

LESSON: Final[Shape] = _object(
    {
        "metadata": METADATA,
        "widgets": _list({"oneOf": [_widget(kind, content) for kind, content in CONTENTS.items()]}, 3, 15),
    },
    {"assessmentStrategy": _TEXT, "widgetSelectionSummary": _TEXT},
)


def _places(place: str, shape: Shape) -> Iterator[tuple[str, Shape]]:
    yield place, shape
    for name, part in shape["properties"].items():
        inner = part.get("items", part)
        if "properties" in inner:
            yield from _places(f"{place}.{name}", inner)


PLACES: Final[Mapping[str, Shape]] = {
    "lesson": LESSON,
    "metadata": METADATA,
    "widget": WIDGET,
    **{place: shape for kind, content in CONTENTS.items() for place, shape in _places(kind, content)},
}
"""The schema of every object of a lesson that has fields of its own, by its place: `quiz-1.questions.answers`."""

URLS: Final = frozenset({
    ("head-1", "background_image"), ("head-1", "avatar"), ("image-1", "image"), ("video-1", "video"),
    ("gallery-1.slides", "image"), ("hotspots-1", "background_image"),
})  # fmt: skip
"""The fields that hold an address, by the place of their object and their name."""

WRAPPED: Final = frozenset({
    ("quiz-1.questions", "question"), ("quiz-1.questions.answers", "text"),
    ("flashcards-1.flashcards_items", "term"), ("flashcards-1.flashcards_items", "definition"),
})  # fmt: skip
"""The fields with a text that is a paragraph of its own."""

LENGTHS: Final[Mapping[tuple[str, str], int]] = {("text-1", "text"): 20, ("quiz-1.questions", "question"): 10}
"""The fewest visible characters of some texts."""

ARGUMENTS: Final[Shape] = {**_object({"lessonData": LESSON}), "additionalProperties": False}
"""The schema of the tool's arguments."""
