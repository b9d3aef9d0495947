"""Every rule of lessons, with a reason, a bad example and a good one. docs/lessons.md is printed from here.

Rule: the rules of the schema are read from the schema, so that the page has exactly the rules that are applied.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .shapes import CONTENTS, LESSON, METADATA, Shape

Path = tuple[str, ...]
"""The fields that lead to a value within a widget's content; `[]` for the items of a list."""


@dataclass(frozen=True, slots=True)
class LessonRule:
    """One rule of lessons."""

    where: str
    """The part that the rule is about: `metadata`, `widgets`, or the type of a widget."""

    path: Path
    constraint: str
    reason: str
    bad: Any
    """A value that breaks the rule: the metadata, the widgets, or the content of a widget."""

    good: Any
    """The same value when it keeps the rule."""

    severity: str = "error"

    @property
    def id(self) -> str:
        """The name of the rule."""
        return ".".join((self.where, *self.path, self.constraint)).replace(".[]", "[]")


_URL: Final = "https://example.com/a.png"

GOOD: Final[Mapping[str, Any]] = {
    "metadata": {
        "topic": "Frações no dia a dia",
        "duration": 50,
        "learningObjectives": ["Comparar frações"],
        "bnccAlignment": "EF06MA07",
        "subject": "Matemática",
        "gradeLevel": "6º ano",
    },
    "head-1": {
        "category": "Matemática", "author_name": "Ana Souza", "author_office": "Professora", "background_image": _URL,
        "avatar": _URL,
    },
    "text-1": {"text": "<p>Uma fração é uma parte de um todo.</p>", "title": "Frações", "background_color": "#ffeecc"},
    "quiz-1": {
        "questions": [
            {
                "question": "<p>Quanto é 1/2 + 1/2?</p>",
                "answers": [
                    {"text": "<p>1</p>", "correct_answer": True},
                    {"text": "<p>2</p>", "correct_answer": False},
                ],
                "feedback": {"correct": "Muito bem!", "incorrect": "Some as metades."},
            }
        ],
        "max_attempts": 2,
        "title": "Vamos praticar",
    },
    "flashcards-1": {
        "flashcards_items": [
            {"term": "<p>Numerador</p>", "definition": "<p>O número de cima</p>"},
            {"term": "<p>Denominador</p>", "definition": "<p>O número de baixo</p>"},
        ],
        "title": "Palavras novas",
    },
    "image-1": {"image": _URL, "caption": "Uma pizza em oito partes", "title": "Partes"},
    "video-1": {"video": "https://www.youtube.com/watch?v=abc", "title": "Assista", "autoplay": False},
    "list-1": {"items": ["Metade", "Um terço"], "list_type": "bullet", "title": "Exemplos"},
    "gallery-1": {
        "slides": [
            {"image": _URL, "title": "Um", "content": "Inteiro", "subtitle": "1"},
            {"image": "https://example.com/b.png"},
        ],
        "autoplay": False,
        "title": "Galeria",
    },
    "hotspots-1": {
        "background_image": _URL,
        "markers": [
            {"x": "50%", "y": "20%", "title": "Norte", "content": "Aqui é o norte"},
            {"x": "10%", "y": "80.5%", "title": "Sul", "content": "Aqui é o sul"},
        ],
        "title": "Mapa",
    },
}  # fmt: skip
"""One good example of each part of a lesson."""

_REASONS: Final[Mapping[str, str]] = {
    "required": "Without it there is nothing to show.",
    "type": "Another kind of value cannot be shown.",
    "minItems": "Fewer are too few for this widget.",
    "maxItems": "More are too many for one lesson.",
    "minLength": "A shorter one is not clear.",
    "maxLength": "A longer one does not fit where it is shown.",
    "minimum": "Less is not allowed.",
    "maximum": "More is not allowed.",
    "enum": "The player has no other.",
}


def widgets(kinds: tuple[str, ...] = ("head-1", "text-1", "flashcards-1", "quiz-1")) -> list[dict[str, Any]]:
    """Return good widgets of these types."""
    return [{"type": kind, "content": copy.deepcopy(GOOD[kind])} for kind in kinds]


def lesson(where: str = "metadata", part: Any = None) -> dict[str, Any]:
    """Return a good lesson, with `part` as its metadata, its widgets, or the content of one widget."""
    made: dict[str, Any] = {"metadata": copy.deepcopy(GOOD["metadata"]), "widgets": widgets()}
    if where in made and part is not None:
        made[where] = part
    elif where == "head-1":
        made["widgets"][0]["content"] = part
    elif where in CONTENTS:
        made["widgets"].insert(2, {"type": where, "content": part})
    return made


def _schema_rules(where: str, shape: Shape, path: Path = ()) -> Iterator[LessonRule]:
    for name in shape.get("required", ()):
        yield _broken(where, (*path, name), "required", lambda holder, key: holder.pop(key))
    for name, part in shape.get("properties", {}).items():
        here = (*path, name)
        yield from _value_rules(where, part, here)
        if part.get("type") == "object":
            yield from _schema_rules(where, part, here)
        elif part.get("type") == "array":
            yield from _value_rules(where, part["items"], (*here, "[]"))
            if part["items"].get("type") == "object":
                yield from _schema_rules(where, part["items"], (*here, "[]"))


def _value_rules(where: str, part: Shape, path: Path) -> Iterator[LessonRule]:
    wrong: Any = {"nobody": 1} if part.get("type") in ("string", "array", "boolean") else "nobody"
    yield _broken(where, path, "type", lambda holder, key: _set(holder, key, wrong))
    for constraint, change in _CHANGES.items():
        if constraint in part:
            yield _broken(where, path, constraint, lambda holder, key, change=change: change(part, holder, key))


def _set(holder: Any, key: Any, value: Any) -> None:
    holder[key] = value


_CHANGES: Final[Mapping[str, Any]] = {
    "minItems": lambda part, holder, key: _set(holder, key, holder[key][: part["minItems"] - 1]),
    "maxItems": lambda part, holder, key: _set(holder, key, (holder[key] * (part["maxItems"] + 1))[: part["maxItems"] + 1]),
    "minLength": lambda part, holder, key: _set(holder, key, holder[key][: part["minLength"] - 1]),
    "maxLength": lambda part, holder, key: _set(holder, key, "a" * (part["maxLength"] + 1)),
    "minimum": lambda part, holder, key: _set(holder, key, part["minimum"] - 1),
    "maximum": lambda part, holder, key: _set(holder, key, part["maximum"] + 1),
    "enum": lambda _, holder, key: _set(holder, key, "nobody"),
}
"""A function for each rule that changes a good value so that it breaks the rule."""


def _broken(where: str, path: Path, constraint: str, change: Any) -> LessonRule:
    good = copy.deepcopy(GOOD[where])
    bad = copy.deepcopy(good)
    holder = bad
    for step in path[:-1]:
        holder = holder[0 if step == "[]" else step]
    change(holder, 0 if path[-1] == "[]" else path[-1])
    return LessonRule(where, path, constraint, _REASONS[constraint], bad, good)


def _content(
    where: str, path: Path, constraint: str, reason: str, bad: Any, severity: str = "error", good: Any = None
) -> LessonRule:
    made = copy.deepcopy(GOOD[where] if good is None else good)
    spoilt = copy.deepcopy(made)
    holder = spoilt
    for step in path[:-1]:
        holder = holder[0 if step == "[]" else step]
    _set(holder, 0 if path[-1] == "[]" else path[-1], bad)
    return LessonRule(where, path, constraint, reason, spoilt, made, severity)


_ADDRESS: Final = "A player opens it: only http and https lead to a picture, and nothing that could run."
_SAFE: Final = "It is shown as HTML, on the pages of pupils."
_BLANK: Final = "A blank one shows nothing."
_SCRIPT: Final = '<p>Olá<img src="x" onerror="alert(1)"></p>'


def _rules() -> Iterator[LessonRule]:
    yield from _schema_rules("metadata", METADATA)
    yield _content("metadata", ("topic",), "blank", _BLANK, "<p>&nbsp; </p>")
    yield _content("metadata", ("topic",), "safe", _SAFE, "<script>alert(1)</script> Frações")
    yield _content("metadata", ("bnccAlignment",), "bncc", "Only a code can be looked up.", "Competência geral 5", "warning")
    for kind, content in CONTENTS.items():
        yield from _schema_rules(kind, content)
    urls: list[tuple[str, Path]] = [
        ("head-1", ("background_image",)), ("head-1", ("avatar",)), ("image-1", ("image",)), ("video-1", ("video",)),
        ("gallery-1", ("slides", "[]", "image")), ("hotspots-1", ("background_image",)),
    ]  # fmt: skip
    for kind, path in urls:
        yield _content(kind, path, "url", _ADDRESS, "javascript:alert(1)")
    needed: list[tuple[str, Path]] = [
        ("head-1", ("category",)), ("text-1", ("text",)), ("quiz-1", ("questions", "[]", "question")),
        ("quiz-1", ("questions", "[]", "answers", "[]", "text")), ("flashcards-1", ("flashcards_items", "[]", "term")),
        ("flashcards-1", ("flashcards_items", "[]", "definition")), ("image-1", ("image",)), ("video-1", ("video",)),
        ("list-1", ("items", "[]")), ("gallery-1", ("slides", "[]", "image")), ("hotspots-1", ("background_image",)),
        ("hotspots-1", ("markers", "[]", "title")), ("hotspots-1", ("markers", "[]", "content")),
    ]  # fmt: skip
    for kind, path in needed:
        yield _content(kind, path, "blank", _BLANK, "<p> </p>" if kind in ("text-1", "quiz-1", "flashcards-1") else "  ")
    shown: list[tuple[str, Path]] = [
        ("text-1", ("text",)), ("quiz-1", ("questions", "[]", "question")),
        ("quiz-1", ("questions", "[]", "answers", "[]", "text")), ("quiz-1", ("questions", "[]", "feedback", "correct")),
        ("flashcards-1", ("flashcards_items", "[]", "term")), ("flashcards-1", ("flashcards_items", "[]", "definition")),
        ("image-1", ("caption",)), ("list-1", ("items", "[]")), ("gallery-1", ("slides", "[]", "content")),
        ("hotspots-1", ("markers", "[]", "content")),
    ]  # fmt: skip
    for kind, path in shown:
        yield _content(kind, path, "safe", _SAFE, _SCRIPT.replace("Olá", "Olá, turma do sexto ano!"))
    yield _content(
        "text-1", ("text",), "well_formed", "An open tag runs on into the next widget.", "<p>Uma parte <b>de um todo</i></p>"
    )
    yield _content("text-1", ("text",), "min_text", "Fewer than 20 characters explain nothing.", "<p>Frações.</p>")
    question = ("questions", "[]", "question")
    yield _content("quiz-1", question, "min_text", "Fewer than 10 characters ask nothing.", "<p>Sim?</p>")
    yield _content("quiz-1", question, "wrapped", "The player sets paragraphs.", "Quanto é 1/2 + 1/2?")
    answer = ("questions", "[]", "answers", "[]", "text")
    yield _content("quiz-1", answer, "wrapped", "The player sets paragraphs.", "1")
    no_right = [{**answer, "correct_answer": False} for answer in GOOD["quiz-1"]["questions"][0]["answers"]]
    yield _content("quiz-1", ("questions", "[]", "answers"), "right_answer", "Nobody could answer it.", no_right)
    for name in ("term", "definition"):
        yield _content("flashcards-1", ("flashcards_items", "[]", name), "wrapped", "The player sets paragraphs.", "Numerador")
    yield _content("text-1", ("background_color",), "color", "The player knows colours by their numbers.", "azul claro")
    for name in ("x", "y"):
        reason = "A place is told in parts of the picture, which has many sizes."
        yield _content("hotspots-1", ("markers", "[]", name), "percentage", reason, "120px")
    yield from _list_rules()


def _list_rules() -> Iterator[LessonRule]:
    def rule(path: Path, constraint: str, reason: str, bad: list[Any], severity: str = "error") -> LessonRule:
        return LessonRule("widgets", path, constraint, reason, bad, widgets(), severity)

    limits = LESSON["properties"]["widgets"]
    yield rule((), "minItems", "Fewer than three are no lesson.", widgets()[: limits["minItems"] - 1])
    yield rule((), "maxItems", "More than fifteen are several lessons.", (widgets() * 5)[: limits["maxItems"] + 1])
    yield rule(
        ("[]", "type"), "enum", "The player knows these nine and no other.", [*widgets(), {"type": "poll-1", "content": {}}]
    )
    yield rule(("[]", "type"), "required", "Nothing says what to show.", [*widgets(), {"content": {}}])
    yield rule(("[]", "content"), "required", "There is nothing to show.", [*widgets(), {"type": "text-1"}])
    yield rule(("[]", "type"), "first", "A lesson opens with its head.", widgets(("text-1", "flashcards-1", "quiz-1")))
    lazy = widgets(("head-1", "text-1", "image-1", "list-1"))
    yield rule((), "cognitive_load", "Pupils stay with a lesson that mixes low, medium and high loads.", lazy, "warning")
    early = widgets(("head-1", "quiz-1", "text-1", "image-1"))
    yield rule(("[]",), "flow", "Pupils practise what they have read or seen.", early, "warning")
    turned = widgets(("head-1", "text-1", "quiz-1", "flashcards-1"))
    yield rule(("[]",), "cards_first", "Flashcards prepare for the quiz.", turned, "warning")
    late = widgets(("head-1", "flashcards-1", "quiz-1", "text-1"))
    yield rule(("[]",), "quiz_last", "A quiz cannot ask about what comes after it.", late, "warning")
    untested = widgets(("head-1", "text-1", "flashcards-1", "video-1"))
    yield rule((), "assessment", "Without a quiz nobody sees what was learnt.", untested, "warning")
    dull = widgets(("head-1", "text-1", "text-1", "text-1", "quiz-1"))
    yield rule((), "variety", "Pupils stay with a lesson that varies.", dull, "warning")


LESSON_RULES: Final = tuple(_rules())
"""Every rule."""
