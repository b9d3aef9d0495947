"""Lessons as models write them, made into lessons as they are meant: other names, other forms, a head that is missing.

    lesson -> structure -> each widget's fields and forms -> paragraphs -> the metadata

Rule 1: every change is recorded with what it assumed. What cannot be known is left, and told by the rules.
Rule 2: what is right already is left as it is, so mending what was mended changes nothing.
"""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ...values.fix import AutoFix, FixType, Safety
from ...values.issues import JsonPath, dotted, shorten
from . import html
from .rules import LOADS, PERCENTAGE, URLS, WRAPPED, type_of
from .shapes import CONTENTS, METADATA, WIDGETS, Shape


class Row(NamedTuple):
    """One row of the table of fixes."""

    type: FixType
    """What kind of change it is."""

    what: str
    """What it does, as the record of a change says it."""

    confidence: float
    """How sure it is, from 0 to 1."""


FIXES: Final[Mapping[str, Row]] = {
    "lesson_head_category": Row("METADATA_ADDITION", "Named the head as the subject is", 0.9),
    "lesson_metadata_gathered": Row("METADATA_ADDITION", "Gathered the metadata", 0.9),
    "lesson_metadata_renamed": Row("METADATA_ADDITION", 'Renamed "{before}" to "{after}"', 0.95),
    "lesson_head_moved": Row("STRUCTURE_CORRECTION", "Moved the head to the beginning", 0.95),
    "lesson_head_added": Row("STRUCTURE_CORRECTION", "Added a head, named as the lesson is", 0.9),
    "lesson_field_renamed": Row("FIELD_MAPPING", 'Renamed "{before}" to "{after}"', 0.95),
    "lesson_content_wrapped": Row("STRUCTURE_CORRECTION", "Put the content into its field", 0.95),
    "lesson_content_gathered": Row("STRUCTURE_CORRECTION", "Put the fields into the content", 0.9),
    "lesson_list_wrapped": Row("STRUCTURE_CORRECTION", "Put the list into its field", 0.95),
    "lesson_text_wrapped": Row("STRUCTURE_CORRECTION", "Put the text into its field", 0.95),
    "lesson_text_unwrapped": Row("STRUCTURE_CORRECTION", "Took the text out of its object", 0.9),
    "lesson_pair": Row("STRUCTURE_CORRECTION", "Put a pair into its fields", 0.9),
    "lesson_listed": Row("STRUCTURE_CORRECTION", "Made a list of it", 0.9),
    "lesson_list_joined": Row("STRUCTURE_CORRECTION", "Joined a list into a text", 0.95),
    "lesson_list_type": Row("STRUCTURE_CORRECTION", "Gave the kind of list its own name", 0.95),
    "lesson_null_dropped": Row("STRUCTURE_CORRECTION", "Left out a field without a value", 0.99),
    "lesson_number_as_text": Row("STRUCTURE_CORRECTION", "Wrote a number as a text", 0.95),
    "lesson_number": Row("STRUCTURE_CORRECTION", "Wrote a number as one", 0.95),
    "lesson_percentage": Row("STRUCTURE_CORRECTION", "Wrote a place as a percentage", 0.9),
    "lesson_flag": Row("STRUCTURE_CORRECTION", "Wrote yes or no as true or false", 0.95),
    "lesson_widget_name": Row("STRUCTURE_CORRECTION", "Gave the widget its own name", 0.95),
    "lesson_bncc_capitals": Row("STRUCTURE_CORRECTION", "Wrote codes of the BNCC in capitals", 0.98),
    "lesson_feedback": Row("STRUCTURE_CORRECTION", "Put the explanation into the feedback", 0.85),
    "lesson_answers_listed": Row("STRUCTURE_CORRECTION", "Made a list of the answers", 0.95),
    "lesson_right_answer": Row("FIELD_MAPPING", "Marked the right answer", 0.95),
    "lesson_wrong_answer": Row("FIELD_MAPPING", "Marked a wrong answer as wrong", 0.95),
    "lesson_address_trimmed": Row("STRUCTURE_CORRECTION", "Took blanks off an address", 0.99),
    "lesson_colour_sign": Row("STRUCTURE_CORRECTION", "Put the sign before a colour", 0.95),
    "lesson_paragraph": Row("HTML_WRAPPING", "Put a text into a paragraph", 0.99),
    "lesson_html_cleaned": Row("HTML_WRAPPING", "Took out what could run", 0.95),
    "lesson_html_closed": Row("HTML_WRAPPING", "Closed the tags", 0.9),
}
"""Every change of a lesson there is, by its rule."""

_KINDS: Final[Mapping[str, str]] = {
    **{kind.partition("-")[0]: kind for kind in WIDGETS},
    **dict.fromkeys(("header", "heading", "cabecalho", "hero", "cover", "capa"), "head-1"),
    **dict.fromkeys(("texto", "paragraph", "paragrafo", "richtext"), "text-1"),
    **dict.fromkeys(("quizz", "questionario", "multiplechoice", "questions", "perguntas"), "quiz-1"),
    **dict.fromkeys(("flashcard", "flashcards", "cards", "cartoes"), "flashcards-1"),
    **dict.fromkeys(("imagem", "images", "picture", "photo", "foto"), "image-1"),
    **dict.fromkeys(("videos", "youtube"), "video-1"),
    **dict.fromkeys(("lista", "lists", "bullets", "checklist"), "list-1"),
    **dict.fromkeys(("galeria", "carousel", "carrossel", "slideshow"), "gallery-1"),
    **dict.fromkeys(("hotspot", "hotspots", "pontos"), "hotspots-1"),
}  # fmt: skip
"""What models call the widgets, without accents, signs and numbers."""

_ADDRESS: Final = ("url", "src", "href", "link")

_NAMES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "head-1": {
        "category": ("categoria", "subject", "section"),
        "author_name": ("author", "autor", "authorName", "teacher"),
        "author_office": ("office", "role", "authorOffice", "author_role"),
        "background_image": ("background", "backgroundImage", "image", "cover"),
        "avatar": ("avatar_url", "author_avatar", "photo"),
    },
    "text-1": {
        "text": ("content", "html", "body", "texto", "paragraph"),
        "background_color": ("backgroundColor", "color", "bg"),
    },
    "quiz-1": {"questions": ("perguntas", "items", "quiz", "question_list"), "max_attempts": ("maxAttempts", "attempts")},
    "quiz-1.questions": {
        "question": ("text", "pergunta", "prompt", "title", "statement", "enunciado"),
        "answers": ("options", "choices", "alternatives", "alternativas", "opcoes", "respostas"),
        "feedback": ("feedbacks", "explanation"),
    },
    "quiz-1.questions.answers": {
        "text": ("answer", "option", "label", "content", "texto", "resposta", "value"),
        "correct_answer": ("correct", "isCorrect", "is_correct", "correctAnswer", "right", "correta", "correto"),
    },
    "quiz-1.questions.feedback": {"correct": ("right", "correto", "success"), "incorrect": ("wrong", "incorreto", "error")},
    "flashcards-1": {"flashcards_items": ("flashcards", "cards", "items", "flashcardsItems", "flashcard_items", "cartoes")},
    "flashcards-1.flashcards_items": {
        "term": ("question", "front", "frente", "termo", "title", "word", "pergunta"),
        "definition": ("answer", "back", "verso", "definicao", "meaning", "description", "resposta"),
    },
    "image-1": {
        "image": (*_ADDRESS, "image_url", "imageUrl", "imagem"),
        "caption": ("legend", "legenda", "alt", "description"),
    },
    "video-1": {"video": (*_ADDRESS, "video_url", "videoUrl", "youtube", "embed"), "autoplay": ("auto_play", "autoPlay")},
    "list-1": {"items": ("list", "bullets", "lista", "itens", "elements"), "list_type": ("listType", "style", "kind")},
    "gallery-1": {"slides": ("images", "items", "gallery", "photos", "imagens"), "autoplay": ("auto_play", "autoPlay")},
    "gallery-1.slides": {
        "image": (*_ADDRESS, "image_url", "imageUrl", "imagem"),
        "content": ("caption", "description", "text", "legenda"),
        "subtitle": ("sub_title", "subTitle", "subtitulo"),
    },
    "hotspots-1": {
        "background_image": ("image", *_ADDRESS, "backgroundImage", "background", "image_url"),
        "markers": ("hotspots", "points", "spots", "items", "marcadores", "pontos"),
    },
    "hotspots-1.markers": {
        "x": ("left", "pos_x", "posX"),
        "y": ("top", "pos_y", "posY"),
        "title": ("label", "name", "titulo", "term"),
        "content": ("description", "text", "definition", "descricao", "texto"),
    },
    "metadata": {
        "topic": ("title", "tema", "theme", "titulo", "topico", "lessonTitle"),
        "duration": ("duracao", "durationMinutes", "duration_minutes", "minutes", "tempo"),
        "learningObjectives": ("objectives", "learning_objectives", "objetivos", "goals"),
        "bnccAlignment": ("bncc", "bncc_alignment", "bnccCode", "bncc_code", "bnccCodes"),
        "subject": ("disciplina", "discipline", "materia"),
        "gradeLevel": ("grade", "grade_level", "ano", "serie", "level"),
    },
}  # fmt: skip
"""What models call the fields, by where they stand."""

_SPOKEN: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "yes", "sim", "verdadeiro", "1", "correct", "correto", "correta"), True),
    **dict.fromkeys(("false", "no", "nao", "falso", "0", "incorrect", "incorreto", "incorreta", "wrong"), False),
}

_LIST_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("bullets", "unordered", "ul", "bulleted", "marcadores", "disc"), "bullet"),
    **dict.fromkeys(("ordered", "ol", "number", "numbers", "numerada", "decimal"), "numbered"),
    **dict.fromkeys(("check", "checklist", "todo", "checkboxes"), "checkbox"),
}

_RIGHT: Final = ("correct_answer", "correctAnswer", "correct", "answer", "correct_index", "correctIndex", "right_answer",
                 "resposta_correta", "correct_option", "correctOption")  # fmt: skip
"""What models call the field beside the answers that says which of them is right."""

_CODES: Final = re.compile(r"[\s,;]*(?:e[ifm]\d{2}[a-z]{2,3}\d{2,3}[\s,;]*)+", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)\s*(?:min(?:ut[eo]s?)?\.?|m|')?\s*", re.IGNORECASE)
_SHARE: Final = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*(?:%|px|percent)?\s*")


def mend(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[AutoFix, ...]]:
    """The arguments with what can be mended mended, and what was done."""
    made = copy.deepcopy(dict(arguments))
    work = _Work()
    lesson = made.get("lessonData")
    if isinstance(lesson, dict):
        work.lesson(lesson)
    return made, tuple(work.fixes)


class _Work:
    """One lesson, and what was done to it. It is changed in place."""

    def __init__(self) -> None:
        self.fixes: list[AutoFix] = []

    def _note(self, rule: str, at: JsonPath, before: Any, after: Any) -> None:
        row = FIXES[rule]
        what = row.what.format(before=before, after=after) if "{" in row.what else row.what
        path = dotted(("lessonData", *at))
        self.fixes.append(AutoFix(rule, row.type, what, path, shorten(before), shorten(after), row.confidence, Safety.LIKELY))

    # -- the lesson ----------------------------------------------------------------------------------------------------

    def lesson(self, lesson: dict[str, Any]) -> None:
        if not isinstance(lesson.get("metadata"), dict):
            self._gathered(lesson)
        self._clean(lesson, ())
        self._list(lesson, "widgets", ())
        widgets = lesson.get("widgets")
        if isinstance(lesson.get("metadata"), dict):
            self._metadata(lesson["metadata"])
        if not isinstance(widgets, list):
            return
        for index, widget in enumerate(widgets):
            if isinstance(widget, dict):
                self._widget(widget, ("widgets", index))
        self._head(lesson, widgets)
        self._category(lesson.get("metadata"), widgets)

    def _category(self, metadata: Any, widgets: list[Any]) -> None:
        """A head that says nothing is named as its lesson's subject is."""
        subject = metadata.get("subject") if isinstance(metadata, dict) else None
        head = widgets[0] if widgets and isinstance(widgets[0], dict) and widgets[0].get("type") == "head-1" else {}
        content = head.get("content")
        if isinstance(subject, str) and subject.strip() and isinstance(content, dict) and not content.get("category"):
            before, content["category"] = content.get("category"), subject
            at: JsonPath = ("widgets", 0, "content", "category")
            self._note("lesson_head_category", at, before, subject)

    def _gathered(self, lesson: dict[str, Any]) -> None:
        """Metadata that stand beside the widgets."""
        names = _NAMES["metadata"]
        known = {name: (name, *others) for name, others in names.items()}
        found = {name: key for name, keys in known.items() for key in reversed(keys) if key in lesson}
        if found:
            made = {name: lesson.pop(key) for name, key in found.items()}
            lesson["metadata"] = made
            self._note("lesson_metadata_gathered", ("metadata",), None, made)

    def _head(self, lesson: dict[str, Any], widgets: list[Any]) -> None:
        """A lesson opens with its head."""
        kinds = [type_of(widget) for widget in widgets]
        if not widgets or kinds[0] == "head-1" or kinds[0] not in LOADS:
            return
        at: JsonPath = ("widgets",)
        if "head-1" in kinds:
            place = kinds.index("head-1")
            widgets.insert(0, widgets.pop(place))
            self._note("lesson_head_moved", at, place, 0)
            return
        metadata = lesson.get("metadata")
        said = metadata if isinstance(metadata, dict) else {}
        category = next(
            (said[key] for key in ("subject", "topic") if isinstance(said.get(key), str) and said[key].strip()), None
        )
        if category is not None and len(widgets) < 15:
            head = {"type": "head-1", "content": {"category": category}}
            widgets.insert(0, head)
            self._note("lesson_head_added", at, None, head)

    def _metadata(self, metadata: dict[str, Any]) -> None:
        at: JsonPath = ("metadata",)
        self._names(metadata, _NAMES["metadata"], METADATA, at, rule="lesson_metadata_renamed")
        self._unsaid(metadata, METADATA, at)
        self._number(metadata, "duration", at)
        if isinstance(metadata.get("learningObjectives"), str):
            self._listed(metadata, "learningObjectives", at)
        for key in ("bnccAlignment", "gradeLevel", "subject"):
            value = metadata.get(key)
            if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
                self._put(metadata, key, ", ".join(value), at, "lesson_list_joined")
            elif isinstance(value, int) and not isinstance(value, bool):
                self._put(metadata, key, str(value), at, "lesson_number_as_text")
        bncc = metadata.get("bnccAlignment")
        if isinstance(bncc, str) and bncc.upper() != bncc and _CODES.fullmatch(bncc):
            self._put(metadata, "bnccAlignment", bncc.upper(), at, "lesson_bncc_capitals")
        self._clean(metadata, at)

    # -- a widget ------------------------------------------------------------------------------------------------------

    def _widget(self, widget: dict[str, Any], at: JsonPath) -> None:
        named = widget.get("type", widget.get("widget", widget.get("widgetType")))
        if "type" not in widget and isinstance(named, str):
            key = "widget" if "widget" in widget else "widgetType"
            widget["type"] = widget.pop(key)
            self._note("lesson_field_renamed", (*at, "type"), key, "type")
        self._clean(widget, at)
        kind = widget.get("type")
        if isinstance(kind, str) and kind not in CONTENTS:
            meant = _KINDS.get(_plain(kind))
            if meant is not None:
                self._put(widget, "type", meant, at, "lesson_widget_name")
                kind = meant
        if not isinstance(kind, str) or kind not in CONTENTS:
            return
        self._hoist(widget, kind, at)
        content = widget.get("content")
        if kind in ("text-1", "image-1", "video-1") and isinstance(content, str):
            key = CONTENTS[kind]["required"][0]
            widget["content"] = content = {key: content}
            self._note("lesson_content_wrapped", (*at, "content"), content[key], content)
        elif kind in ("quiz-1", "flashcards-1", "list-1", "gallery-1") and isinstance(content, list):
            key = CONTENTS[kind]["required"][0]
            widget["content"] = made = {key: content}
            self._note("lesson_list_wrapped", (*at, "content"), content, made)
            content = made
        if isinstance(content, dict):
            self._object(content, CONTENTS[kind], kind, (*at, "content"))

    def _hoist(self, widget: dict[str, Any], kind: str, at: JsonPath) -> None:
        """The content of a widget that stands under another name, or beside its type."""
        if "content" not in widget or widget["content"] is None:
            for key in ("data", "props", "config", "settings", "conteudo"):
                if isinstance(widget.get(key), dict):
                    widget["content"] = widget.pop(key)
                    self._note("lesson_field_renamed", (*at, "content"), key, "content")
                    return
        known = {name for names in (_NAMES.get(kind, {}),) for key in names for name in (key, *names[key])}
        known |= set(CONTENTS[kind]["properties"])
        beside = [key for key in widget if key in known and key not in ("type", "content", "rationale", "educationalGoal")]
        if beside and not isinstance(widget.get("content"), dict | list | str):
            widget["content"] = {key: widget.pop(key) for key in beside}
            self._note("lesson_content_gathered", (*at, "content"), None, widget["content"])

    def _object(self, node: dict[str, Any], shape: Shape, where: str, at: JsonPath) -> None:
        """An object of a widget: its names first, then its values, then what stands inside them."""
        kind = where.partition(".")[0]
        self._names(node, _NAMES.get(where, {}), shape, at)
        self._unsaid(node, shape, at)
        if where == "quiz-1.questions":
            self._right(node, at)
        for key, part in shape["properties"].items():
            if key not in node:
                continue
            told = part.get("type")
            if told == "array":
                self._array(node, key, part, f"{where}.{key}", at)
            elif told == "object":
                if isinstance(node[key], str) and key == "feedback":
                    self._put(node, key, {"incorrect": node[key]}, at, "lesson_feedback")
                if isinstance(node[key], dict):
                    self._object(node[key], part, f"{where}.{key}", (*at, key))
            elif told == "boolean":
                self._flag(node, key, at)
            elif told == "integer":
                self._number(node, key, at)
            else:
                self._value(node, key, kind, part, at)
        self._clean(node, at)

    def _array(self, node: dict[str, Any], key: str, part: Shape, where: str, at: JsonPath) -> None:
        self._list(node, key, at)
        items = node[key]
        if not isinstance(items, list):
            return
        shape = part["items"]
        for index, item in enumerate(items):
            here = (*at, key, index)
            if shape.get("type") == "object":
                first = shape["required"][0]
                if isinstance(item, str) and where in ("quiz-1.questions.answers", "gallery-1.slides"):
                    items[index] = item = {first: item}
                    self._note("lesson_text_wrapped", here, item[first], item)
                elif isinstance(item, list) and len(item) == 2 and where == "flashcards-1.flashcards_items":
                    items[index] = item = {"term": item[0], "definition": item[1]}
                    self._note("lesson_pair", here, None, item)
                if isinstance(item, dict):
                    self._object(item, shape, where, here)
            elif isinstance(item, dict):
                said = next(
                    (item[name] for name in ("text", "item", "content", "title", "label", "texto") if name in item), None
                )
                if isinstance(said, str):
                    items[index] = said
                    self._note("lesson_text_unwrapped", here, item, said)
            elif isinstance(item, int | float) and not isinstance(item, bool):
                items[index] = str(item)
                self._note("lesson_number_as_text", here, item, items[index])
        if where == "quiz-1.questions.answers":
            self._marked(items, (*at, key))

    # -- values --------------------------------------------------------------------------------------------------------

    def _value(self, node: dict[str, Any], key: str, kind: str, part: Shape, at: JsonPath) -> None:
        value = node[key]
        if kind == "hotspots-1" and key in ("x", "y"):
            self._percentage(node, key, at)
        elif isinstance(value, int | float) and not isinstance(value, bool) and key not in URLS:
            self._put(node, key, str(value), at, "lesson_number_as_text")
        elif isinstance(value, str) and "enum" in part and value not in part["enum"]:
            meant = value.strip().lower()
            meant = _LIST_TYPES.get(meant, meant)
            if meant in part["enum"]:
                self._put(node, key, meant, at, "lesson_list_type")
        elif isinstance(value, str) and key in URLS and value != value.strip():
            self._put(node, key, value.strip(), at, "lesson_address_trimmed")
        elif isinstance(value, str) and key == "background_color" and re.fullmatch(r"\s*[0-9a-fA-F]{6}\s*", value):
            self._put(node, key, f"#{value.strip()}", at, "lesson_colour_sign")

    def _percentage(self, node: dict[str, Any], key: str, at: JsonPath) -> None:
        value = node[key]
        if isinstance(value, str) and PERCENTAGE.fullmatch(value):
            return
        found = _SHARE.fullmatch(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
        if found is not None and not str(value).strip().endswith("px"):
            number = float(found[1].replace(",", "."))
            if isinstance(value, float) and 0 < number < 1:
                number *= 100  # a share of one
            if number <= 100:
                self._put(node, key, f"{number:g}%", at, "lesson_percentage")

    def _flag(self, node: dict[str, Any], key: str, at: JsonPath) -> None:
        value = node[key]
        if isinstance(value, str | int) and not isinstance(value, bool):
            meant = _SPOKEN.get(_folded(str(value)))
            if meant is not None:
                self._put(node, key, meant, at, "lesson_flag")

    def _number(self, node: dict[str, Any], key: str, at: JsonPath) -> None:
        value = node.get(key)
        found = _NUMBER.fullmatch(value) if isinstance(value, str) else None
        if found is not None:
            number = float(found[1].replace(",", "."))
            self._put(node, key, int(number) if number.is_integer() else number, at, "lesson_number")

    def _clean(self, node: dict[str, Any], at: JsonPath) -> None:
        """The texts of an object: nothing dangerous, tags in pairs, paragraphs where there are to be some."""
        kind = _kind_of(at)
        for key, value in node.items():
            if isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, str):
                        self._cleaned(value, index, (*at, key))
            elif isinstance(value, str) and key not in URLS:
                self._cleaned(node, key, at)
                text = node[key]
                if (kind, key) in WRAPPED and html.visible(text) and not html.is_wrapped(text):
                    self._put(node, key, html.wrapped(text), at, "lesson_paragraph")

    def _cleaned(self, node: Any, key: Any, at: JsonPath) -> None:
        text = node[key]
        if "<" not in text:
            return
        if not html.is_safe(text):
            self._put(node, key, html.clean(text), at, "lesson_html_cleaned")
        elif html.flaw(text) is not None:
            self._put(node, key, html.clean(text), at, "lesson_html_closed")

    # -- answers -------------------------------------------------------------------------------------------------------

    def _right(self, question: dict[str, Any], at: JsonPath) -> None:
        """A field beside the answers that says which of them is right: by its number, its letter or its text."""
        answers = question.get("answers")
        if isinstance(answers, dict) and answers and all(isinstance(value, str) for value in answers.values()):
            question["answers"] = list(answers.values())
            letters = list(answers)
            self._note("lesson_answers_listed", (*at, "answers"), letters, question["answers"])
            answers = question["answers"]
        if not isinstance(answers, list) or any(isinstance(one, dict) and _says(one) is True for one in answers):
            return
        for key in _RIGHT:
            if key not in question:
                continue
            place = _which(question[key], answers, counts="ndex" in key)
            if place is None:
                continue
            told = question.pop(key)
            made = []
            for number, answer in enumerate(answers):
                inside = dict(answer) if isinstance(answer, dict) else {"text": answer}
                inside.pop("correct", None)
                made.append({**inside, "correct_answer": number == place})
            question["answers"] = made
            self._note("lesson_right_answer", (*at, "answers"), told, made[place].get("text"))
            return

    def _marked(self, answers: list[Any], at: JsonPath) -> None:
        """Where some answer is marked as right, those that are not marked are wrong."""
        told = [answer.get("correct_answer") for answer in answers if isinstance(answer, dict)]
        if True in told:
            for index, answer in enumerate(answers):
                if isinstance(answer, dict) and "correct_answer" not in answer:
                    answer["correct_answer"] = False
                    self._note("lesson_wrong_answer", (*at, index, "correct_answer"), None, False)

    # -- small things --------------------------------------------------------------------------------------------------

    def _names(
        self, node: dict[str, Any], names: Mapping[str, Iterable[str]], shape: Shape, at: JsonPath,
        rule: str = "lesson_field_renamed",
    ) -> None:  # fmt: skip
        """Fields under other names, where their own is not there."""
        for name, others in names.items():
            if name in node and node[name] is not None:
                continue
            for other in others:
                if other in node and other not in shape["properties"] and node[other] is not None:
                    node.pop(name, None)
                    node[name] = node.pop(other)
                    self._note(rule, (*at, name), other, name)
                    break

    def _unsaid(self, node: dict[str, Any], shape: Shape, at: JsonPath) -> None:
        """Fields that may be left out, and say nothing."""
        for name in shape["properties"]:
            if name in node and node[name] is None and name not in shape["required"]:
                del node[name]
                self._note("lesson_null_dropped", (*at, name), None, None)

    def _list(self, node: dict[str, Any], key: str, at: JsonPath) -> None:
        """One item where a list of them is wanted."""
        value = node.get(key)
        if isinstance(value, dict):
            many = value and all(isinstance(item, dict) for item in value.values()) and "type" not in value
            self._put(node, key, list(value.values()) if many else [value], at, "lesson_listed")
        elif isinstance(value, str) and key == "items":
            self._listed(node, key, at)

    def _listed(self, node: dict[str, Any], key: str, at: JsonPath) -> None:
        lines = [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s*", "", line).strip() for line in node[key].split("\n")]
        self._put(node, key, [line for line in lines if line], at, "lesson_listed")

    def _put(self, node: Any, key: Any, value: Any, at: JsonPath, rule: str) -> None:
        self._note(rule, (*at, key), node[key], value)
        node[key] = value


def _kind_of(at: JsonPath) -> str:
    """Which widget's texts these are, as far as it matters for paragraphs."""
    if "flashcards_items" in at:
        return "flashcards-1"
    return "quiz-1" if "questions" in at and "feedback" not in at else ""


def _says(answer: Mapping[str, Any]) -> Any:
    """Whether an answer says that it is right."""
    value = next(
        (answer[key] for key in ("correct_answer", *_NAMES["quiz-1.questions.answers"]["correct_answer"]) if key in answer),
        None,
    )
    return _SPOKEN.get(_folded(value)) if isinstance(value, str) else value


def _which(told: Any, answers: list[Any], *, counts: bool) -> int | None:
    """Which answer a number, a letter or a text means; None when it means none, or may mean two.

    A number that is called an index `counts` from zero. One that is not may count from one as well.
    """
    texts = [_folded(html.visible(text)) if isinstance(text := _text_of(answer), str) else None for answer in answers]
    if isinstance(told, str):
        said = _folded(html.visible(told))
        if texts.count(said) == 1:
            return texts.index(said)
        letter = re.fullmatch(r"\(?([a-f])[).]?", said)
        return ord(letter[1]) - 97 if letter is not None and ord(letter[1]) - 97 < len(answers) else None
    if not isinstance(told, int) or isinstance(told, bool):
        return None
    if told == 0 or (counts and 0 < told < len(answers)):
        return told
    return told - 1 if told == len(answers) else None


def _text_of(answer: Any) -> Any:
    if not isinstance(answer, dict):
        return answer
    return next((answer[key] for key in ("text", *_NAMES["quiz-1.questions.answers"]["text"]) if key in answer), None)


def _plain(name: str) -> str:
    """A widget's name without what models vary: case, accents, signs, a number."""
    return re.sub(r"[^a-z]", "", re.sub(r"widget", "", _folded(name)))


def _folded(text: str) -> str:
    """A text without case, accents and blanks around it."""
    return "".join(char for char in unicodedata.normalize("NFD", text.strip().lower()) if not unicodedata.combining(char))
