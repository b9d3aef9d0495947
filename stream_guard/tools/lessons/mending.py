"""Fixes lessons as models write them: other names, other forms, values in words, a missing head.

    lesson -> wrapping -> metadata -> each widget: type, content, names, values, items -> right answers -> texts -> head

Rule 1: every change is recorded with what it assumed. A value whose meaning is undetermined stays, and the rules report it.
Rule 2: a valid value is not changed, so that fixing a lesson a second time changes nothing.
Rule 3: a required value is never left out. An optional value that cannot be read is left out, with a warning.
Rule 4: fields that no widget has are kept. Only code that could run is removed from them.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...schema.json_text import parse
from ...values.fix import AutoFix, FixType, Safety
from ...values.issues import JsonPath, dotted
from . import answers, html, names, reading
from .rules import type_of
from .shapes import CONTENTS, LESSON, METADATA, PLACES, URLS, WIDGET, WRAPPED, Shape
from .wording import LEFT_OUT, UNREADABLE


class Row(NamedTuple):
    """One row of the table of fixes for lessons."""

    type: FixType
    """The kind of change."""

    what: str
    """The description of the change, in its record."""

    confidence: float
    """How sure the change is, from 0 to 1."""


FIXES: Final[Mapping[str, Row]] = {
    "lesson_decoded": Row("STRUCTURE_CORRECTION", "Read a text that holds JSON", 0.95),
    "lesson_unwrapped": Row("STRUCTURE_CORRECTION", 'Took the lesson out of "{key}"', 0.95),
    "lesson_head_category": Row("METADATA_ADDITION", "Named the head after the {key}", 0.85),
    "lesson_metadata_gathered": Row("METADATA_ADDITION", "Moved fields into the metadata", 0.9),
    "lesson_metadata_renamed": Row("METADATA_ADDITION", 'Renamed "{before}" to "{after}"', 0.95),
    "lesson_head_moved": Row("STRUCTURE_CORRECTION", "Moved the head to the beginning", 0.95),
    "lesson_head_added": Row("STRUCTURE_CORRECTION", "Added a head that is named after the subject", 0.9),
    "lesson_field_renamed": Row("FIELD_MAPPING", 'Renamed "{before}" to "{after}"', 0.95),
    "lesson_content_wrapped": Row("STRUCTURE_CORRECTION", "Moved the content into its field", 0.95),
    "lesson_content_gathered": Row("STRUCTURE_CORRECTION", "Moved fields of the widget into its content", 0.9),
    "lesson_parts_moved": Row("STRUCTURE_CORRECTION", 'Moved the fields out of "{key}"', 0.9),
    "lesson_parts_beside": Row("STRUCTURE_CORRECTION", "Took a text from the object around the address", 0.9),
    "lesson_question_gathered": Row("STRUCTURE_CORRECTION", "Moved the fields of a question into a list of one", 0.9),
    "lesson_list_wrapped": Row("STRUCTURE_CORRECTION", "Moved the list into its field", 0.95),
    "lesson_item_wrapped": Row("STRUCTURE_CORRECTION", "Made an object of an item", 0.9),
    "lesson_text_unwrapped": Row("STRUCTURE_CORRECTION", "Took the text out of its object", 0.9),
    "lesson_listed": Row("STRUCTURE_CORRECTION", "Made a list", 0.9),
    "lesson_list_joined": Row("STRUCTURE_CORRECTION", "Joined a list into a text", 0.95),
    "lesson_list_type": Row("STRUCTURE_CORRECTION", "Replaced the kind of list by its own name", 0.95),
    "lesson_null_dropped": Row("STRUCTURE_CORRECTION", "Left out a field without a value", 0.99),
    "lesson_item_dropped": Row("STRUCTURE_CORRECTION", "Left out a blank item at the end", 0.95),
    "lesson_left_out": Row("STRUCTURE_CORRECTION", LEFT_OUT, 0.8),
    "lesson_number_as_text": Row("STRUCTURE_CORRECTION", "Wrote a number as a text", 0.95),
    "lesson_number": Row("STRUCTURE_CORRECTION", "Wrote a text as a number", 0.95),
    "lesson_duration": Row("STRUCTURE_CORRECTION", "Wrote a duration in minutes", 0.95),
    "lesson_attempts": Row("STRUCTURE_CORRECTION", "Set the attempts to the nearest number allowed", 0.8),
    "lesson_percentage": Row("STRUCTURE_CORRECTION", "Wrote a place as a percentage", 0.9),
    "lesson_flag": Row("STRUCTURE_CORRECTION", "Wrote yes or no as true or false", 0.95),
    "lesson_widget_name": Row("STRUCTURE_CORRECTION", "Replaced the widget's type by its own name", 0.95),
    "lesson_bncc_capitals": Row("STRUCTURE_CORRECTION", "Wrote codes of the BNCC in capitals", 0.98),
    "lesson_feedback": Row("STRUCTURE_CORRECTION", "Moved the explanation into the feedback", 0.85),
    "lesson_right_answer": Row("FIELD_MAPPING", "Marked the right answer", 0.95),
    "lesson_wrong_answer": Row("FIELD_MAPPING", "Marked a wrong answer as wrong", 0.95),
    "lesson_address": Row("STRUCTURE_CORRECTION", "Reduced a value to the address in it", 0.9),
    "lesson_address_trimmed": Row("STRUCTURE_CORRECTION", "Removed blanks around an address", 0.99),
    "lesson_colour": Row("STRUCTURE_CORRECTION", "Wrote a colour in digits", 0.95),
    "lesson_paragraph": Row("HTML_WRAPPING", "Put a text into a paragraph", 0.99),
    "lesson_html_cleaned": Row("HTML_WRAPPING", "Removed markup that is not allowed", 0.95),
    "lesson_html_closed": Row("HTML_WRAPPING", "Closed the tags", 0.9),
}
"""The row of each change that is made to lessons, by its name."""

_CODES: Final = re.compile(r"[\s,;]*(?:e[ifm]\d{2}[a-z]{2,3}\d{2,3}[\s,;]*)+", re.IGNORECASE)
_NUMBERED: Final = re.compile(
    r"\d+|(?:item|slide|image|imagem|foto|card|cartao|carta|question|questao|pergunta|marker|marcador|ponto|point|widget|passo|step"
    r"|etapa|q|p|c)\d+"
)
_SEPARATORS: Final = (": ", " - ", " – ", " — ", " = ", " | ", " => ", " -> ", " → ")
_LABEL: Final = re.compile(r"\(?[a-zA-Z0-9][).]?")
"""Matches the label of an answer: `a)`, `(1)`."""

_MOST_WRAPPINGS: Final = 4
"""Limit: how many times a lesson may be wrapped in other objects."""

_ADDRESSES: Final = frozenset(name for _, name in URLS)
_ATTEMPTS: Final = (1, 5)


def mend(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[AutoFix, ...]]:
    """Return the fixed arguments, and the changes."""
    made = copy.deepcopy(dict(arguments))
    work = _Work()
    work.unwrap(made)
    lesson = made.get("lessonData")
    if isinstance(lesson, dict):
        work.lesson(lesson)
        if work.emptied:
            work.lesson(lesson)
    return made, tuple(work.fixes)


class _Work:
    """Fixes one lesson in place, and records the changes."""

    def __init__(self) -> None:
        self.fixes: list[AutoFix] = []
        self.emptied = False
        """Whether cleaning left an empty text. The lesson is then fixed once more, since an empty text may count as missing."""
        self._labels: dict[JsonPath, list[str]] = {}
        """The keys of answers that were a mapping, by the path of the answers."""

    def _note(self, rule: str, at: JsonPath, before: Any, after: Any, **gaps: object) -> None:
        row = FIXES[rule]
        what = row.what.format(before=before, after=after, **gaps) if "{" in row.what else row.what
        path = dotted(("lessonData", *at))
        if before is None and after is None:  # a null was left out: the record has its characters before, and none after
            before, after = "null", ""
        stood, stands = copy.deepcopy((before, after))  # values of a lesson are changed in place
        self.fixes.append(AutoFix(rule, row.type, what, path, stood, stands, row.confidence, Safety.LIKELY))

    def _put(self, node: Any, key: Any, value: Any, at: JsonPath, rule: str) -> None:
        """Set a member, and record the change if the value differs."""
        before = node[key] if isinstance(node, list) else node.get(key)
        if type(before) is not type(value) or before != value:
            self._note(rule, (*at, key), before, value)
        node[key] = value

    # -- the lesson ----------------------------------------------------------------------------------------------------

    def unwrap(self, arguments: dict[str, Any]) -> None:
        """Take the lesson out of a JSON text, or of an object around it. Changes `arguments`."""
        if "lessonData" not in arguments and "widgets" in arguments:
            flat = dict(arguments)
            arguments.clear()
            arguments["lessonData"] = flat
            self._note("lesson_content_wrapped", (), None, flat)
        for _ in range(_MOST_WRAPPINGS):
            lesson = arguments.get("lessonData")
            if isinstance(lesson, str):
                read = _json(lesson)
                if not isinstance(read, dict):
                    return
                arguments["lessonData"] = read
                self._note("lesson_decoded", (), lesson, read)
                continue
            if not isinstance(lesson, dict) or any(names.says(lesson.get(key)) for key in ("metadata", "widgets")):
                return
            key = names.found(lesson, (names.WRAPPERS,))
            held: Any = lesson[key] if key is not None else None
            inner = _json(held) if isinstance(held, str) else held
            if not isinstance(inner, dict) or not _is_lesson(inner):
                return
            around = {name: value for name, value in lesson.items() if name != key and name not in inner}
            arguments["lessonData"] = {**inner, **around}
            self._note("lesson_unwrapped", (), lesson, arguments["lessonData"], key=key)

    def lesson(self, lesson: dict[str, Any]) -> None:
        self._names(lesson, "lesson", LESSON, ())
        for key in ("metadata", "widgets"):
            self._decoded(lesson, key, ())
        self._gathered(lesson)
        self._unsaid(lesson, LESSON, ())
        metadata = lesson.get("metadata")
        if isinstance(metadata, dict):
            self._object(metadata, METADATA, "metadata", ("metadata",))
            bncc = metadata.get("bnccAlignment")
            if isinstance(bncc, str) and bncc.upper() != bncc and _CODES.fullmatch(bncc):
                self._put(metadata, "bnccAlignment", bncc.upper(), ("metadata",), "lesson_bncc_capitals")
        self._texts(lesson, "lesson", LESSON, ())
        if isinstance(lesson.get("widgets"), dict):
            self._put(lesson, "widgets", _widgets(lesson["widgets"]), (), "lesson_listed")
        widgets = lesson.get("widgets")
        if isinstance(widgets, list):
            for index, widget in enumerate(widgets):
                if isinstance(widget, dict):
                    self._widget(widget, ("widgets", index))
            self._head(metadata, widgets)
            self._category(metadata, widgets)
        self._clean(lesson, "lesson", ())

    def _gathered(self, lesson: dict[str, Any]) -> None:
        """Move metadata that is beside the widgets to its place: all of it if the lesson has no metadata, else only a missing
        topic.
        """
        metadata = lesson.get("metadata")
        if names.says(metadata) and not isinstance(metadata, dict):
            return
        beside = {key: value for key, value in lesson.items() if key not in LESSON["properties"]}
        if metadata:
            known = {
                field for key in metadata for _, field in names.meant("metadata", METADATA, key) if names.says(metadata[key])
            }
            beside = {key: value for key, value in beside.items() if _means(key, "metadata", METADATA) == {"topic"}}
            if "topic" in known:
                return
        moved = {key: value for key, value in beside.items() if _means(key, "metadata", METADATA)}
        if moved:
            for key in moved:
                del lesson[key]
            lesson["metadata"] = {**(metadata or {}), **moved}
            self._note("lesson_metadata_gathered", ("metadata",), metadata, lesson["metadata"])

    def _head(self, metadata: Any, widgets: list[Any]) -> None:
        """Move the head to the first place. A missing head is added only if the subject determines its category."""
        kinds = [type_of(widget) for widget in widgets]
        if not widgets or kinds[0] == "head-1" or kinds[0] not in CONTENTS:
            return
        at: JsonPath = ("widgets",)
        if "head-1" in kinds:
            place = kinds.index("head-1")
            widgets.insert(0, widgets.pop(place))
            self._note("lesson_head_moved", at, place, 0)
            return
        subject = metadata.get("subject") if isinstance(metadata, dict) else None
        if isinstance(subject, str) and subject.strip() and len(widgets) < LESSON["properties"]["widgets"]["maxItems"]:
            head = {"type": "head-1", "content": {"category": subject}}
            widgets.insert(0, head)
            self._note("lesson_head_added", at, None, head)

    def _category(self, metadata: Any, widgets: list[Any]) -> None:
        """Set the category of a head without one to the subject, or else to the topic."""
        head = widgets[0] if widgets and type_of(widgets[0]) == "head-1" else {}
        content = head.get("content")
        if not isinstance(content, dict) or names.says(content.get("category")) or not isinstance(metadata, dict):
            return
        key = next((key for key in ("subject", "topic") if isinstance(metadata.get(key), str) and metadata[key].strip()), None)
        if key is not None:
            content["category"] = metadata[key]
            self._note("lesson_head_category", ("widgets", 0, "content", "category"), None, metadata[key], key=key)

    # -- a widget ------------------------------------------------------------------------------------------------------

    def _widget(self, widget: dict[str, Any], at: JsonPath) -> None:
        kind = self._type(widget, at)
        if kind is None:
            return
        self._names(widget, "widget", WIDGET, at, skip=("type", "content"))
        self._unsaid(widget, WIDGET, at)
        self._texts(widget, "widget", WIDGET, at)
        self._hoist(widget, kind, at)
        self._content(widget, kind, at)
        content = widget.get("content")
        if isinstance(content, dict):
            if kind == "quiz-1":
                self._flat_question(content, (*at, "content"))
            self._object(content, CONTENTS[kind], kind, (*at, "content"))
            if kind == "quiz-1":
                self._right(content.get("questions"), (*at, "content", "questions"))

    def _type(self, widget: dict[str, Any], at: JsonPath) -> str | None:
        """Return the type of a widget: from its `type`, which is respelt, or from a field that only one type has."""
        said = widget.get("type")
        kind = _kind(said)
        if kind is None and (
            not names.says(said) or (isinstance(said, str) and names.folded(said) in ("widget", "component", "block"))
        ):
            for row in (names.Names(("type",), ""), *names.NAMES["widget"]["type"]):
                key = next((key for key in widget if key != "type" and names.means(key, (row,)) and _kind(widget[key])), None)
                if key is not None:
                    widget["type"] = widget.pop(key)
                    self._note("lesson_field_renamed", (*at, "type"), key, "type")
                    break
            else:
                (key, content), *more = list(widget.items()) or [("", None)]
                if not more and _kind(key) is not None and isinstance(content, dict | list | str):
                    del widget[key]
                    widget.update(type=key, content=content)
                    self._note("lesson_content_wrapped", at, {key: content}, widget)
            kind = _kind(widget.get("type"))
        if kind is not None:
            self._put(widget, "type", kind, at, "lesson_widget_name")
        return kind

    def _hoist(self, widget: dict[str, Any], kind: str, at: JsonPath) -> None:
        """Move the content of a widget to its place, from another name or from beside the type."""
        if names.says(widget.get("content")):
            return
        key = names.found(widget, names.NAMES["widget"]["content"]) or _respelt(widget, "content")
        if key is not None and isinstance(widget[key], dict | list | str):
            widget.pop("content", None)
            widget["content"] = widget.pop(key)
            self._note("lesson_field_renamed", (*at, "content"), key, "content")
            return
        beside = [key for key in widget if key not in WIDGET["properties"] and _is_of(key, kind)]
        if beside:
            widget["content"] = {key: widget.pop(key) for key in beside}
            self._note("lesson_content_gathered", (*at, "content"), None, widget["content"])

    def _content(self, widget: dict[str, Any], kind: str, at: JsonPath) -> None:
        """Make an object of a content that is a JSON text, or only the value of its one required field."""
        key = CONTENTS[kind]["required"][0]
        content = widget.get("content")
        if isinstance(content, str):
            inner = _json(content)
            if isinstance(inner, list) or (isinstance(inner, dict) and any(_is_of(name, kind) for name in inner)):
                widget["content"] = inner
                self._note("lesson_decoded", (*at, "content"), content, inner)
        content = widget.get("content")
        if isinstance(content, str) and content.strip() and (kind in ("text-1", "image-1", "video-1", "list-1")):
            widget["content"] = {key: content}
            self._note("lesson_content_wrapped", (*at, "content"), content, widget["content"])
        elif isinstance(content, list) and CONTENTS[kind]["properties"][key].get("type") == "array":
            widget["content"] = {key: content}
            self._note("lesson_list_wrapped", (*at, "content"), content, widget["content"])

    # -- objects and lists ---------------------------------------------------------------------------------------------

    def _object(self, node: dict[str, Any], shape: Shape, place: str, at: JsonPath) -> None:
        """Fix an object of a lesson in place: first its names, then its values, then the objects inside it."""
        self._parts(node, place, shape, at)
        self._names(node, place, shape, at)
        self._unsaid(node, shape, at)
        for key, part in shape["properties"].items():
            if key not in node:
                continue
            kind = part.get("type")
            if kind == "array":
                self._array(node, key, part, f"{place}.{key}", at)
            elif kind == "object":
                self._decoded(node, key, at)
                if isinstance(node[key], str) and key == "feedback":
                    self._put(node, key, {"incorrect": node[key]}, at, "lesson_feedback")
                if isinstance(node[key], dict):
                    self._object(node[key], part, f"{place}.{key}", (*at, key))
            elif kind != "string":
                self._scalar(node, key, kind, at)
        self._texts(node, place, shape, at)
        if place == "hotspots-1":
            self._places(node.get("markers"), (*at, "markers"))

    def _parts(self, node: dict[str, Any], place: str, shape: Shape, at: JsonPath) -> None:
        """Move the fields of an inner object, such as `position` or `author`, to this object if they belong here."""
        row = names.PARTS.get(place)
        key = names.found(node, (row,)) if row is not None else None
        inside = node.get(key) if key is not None else None
        if place == "hotspots-1.markers" and not isinstance(inside, dict):
            pair = inside if isinstance(inside, list) else inside.split(",") if isinstance(inside, str) else []
            inside = (
                dict(zip("xy", pair, strict=True))
                if len(pair) == 2 and all(reading.share(one) is not None for one in pair)
                else None
            )
        if key is None or not isinstance(inside, dict) or not inside:
            return
        to: dict[str, str] = {}
        for name in inside:
            field = names.PART_NAMES[place].get(names.plain(name)) or next(iter(_means(name, place, shape)), None)
            if field is None or field in to.values() or names.says(node.get(field)):
                return
            to[name] = field
        held = node.pop(key)
        moved = {field: inside[name] for name, field in to.items()}
        node.update(moved)
        self._note("lesson_parts_moved", at, {key: held}, moved, key=key)

    def _names(self, node: dict[str, Any], place: str, shape: Shape, at: JsonPath, skip: Sequence[str] = ()) -> None:
        """Rename fields with other names to their own names, if these are free: the nearest names first."""
        properties = shape["properties"]
        free = [name for name in properties if name not in skip and not names.says(node.get(name))]
        others = [key for key in node if key not in properties and names.says(node[key])]
        if not free or not others:
            return
        near = sorted(
            (
                (rank, free.index(field), key)
                for key in others
                for rank, field in names.meant(place, shape, key)
                if field in free
            ),
            key=lambda one: one[:2],
        )
        taken: set[str] = set()
        while near:
            rank, order, _ = near[0]
            field = free[order]
            keys = [key for number, place_, key in near if (number, place_) == (rank, order)]
            near = [one for one in near if one[:2] != (rank, order)]
            keys = [
                key for key in keys if key in node and _readable(node[key], properties[field], place, field, exact=rank == 0)
            ]
            if place == "quiz-1.questions" and field == "answers":
                rest = {key for _, place_, key in near if place_ == order and isinstance(node.get(key), list | dict)}
                keys = [key for key in keys if not (rest - {key} and names.means(key, names.RIGHT))]
            if field in taken or not keys:
                continue
            taken.add(field)
            if all(node[key] == node[keys[0]] for key in keys):
                node.pop(field, None)
                node[field] = node.pop(keys[0])
                rule = "lesson_metadata_renamed" if place == "metadata" else "lesson_field_renamed"
                self._note(rule, (*at, field), keys[0], field)

    def _unsaid(self, node: dict[str, Any], shape: Shape, at: JsonPath) -> None:
        """Remove optional fields that are null, and empty addresses, also in fields that no widget has."""
        for key in list(node):
            known = key in shape["properties"]
            address = key in _ADDRESSES
            empty = node[key] is None or (address and isinstance(node[key], str) and not node[key].strip())
            if empty and (key not in shape["required"] if known else address):
                self._note("lesson_null_dropped", (*at, key), node.pop(key), None)

    def _decoded(self, node: dict[str, Any], key: str, at: JsonPath) -> None:
        """Replace a JSON text by the object or list in it."""
        value = node.get(key)
        inner = _json(value) if isinstance(value, str) else None
        if isinstance(inner, dict | list):
            self._put(node, key, inner, at, "lesson_decoded")

    def _array(self, node: dict[str, Any], key: str, part: Shape, place: str, at: JsonPath) -> None:
        self._decoded(node, key, at)
        shape = part["items"]
        value = node[key]
        here = (*at, key)
        if isinstance(value, dict):
            items = _items(value, place, shape)
            if items is not None:
                self._put(node, key, items, at, "lesson_listed")
                if place == "quiz-1.questions.answers":
                    self._labels[here] = list(value)
        elif isinstance(value, str) and _is_lines(value, place, shape):
            lines = [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line).strip() for line in value.split("\n")]
            self._put(node, key, [line for line in lines if line], at, "lesson_listed")
        items = node[key]
        if not isinstance(items, list):
            return
        if shape.get("type") == "object":
            self._wrapped(items, place, shape, here)
            for index, item in enumerate(items):
                if isinstance(item, dict):
                    self._object(item, shape, place, (*here, index))
        else:
            self._plain(items, here)
        if place == "quiz-1.questions.answers":
            self._marked(items, here)

    def _wrapped(self, items: list[Any], place: str, shape: Shape, at: JsonPath) -> None:
        """Replace items that are no objects by objects, if only one object can be meant."""
        pairs = _pairs(items) if place == "flashcards-1.flashcards_items" else None
        labels = _label_keys(items) if place == "quiz-1.questions.answers" else None
        if labels is not None:
            self._labels[at] = labels
        for index, item in enumerate(items):
            made = {"term": pairs[index][0], "definition": pairs[index][1]} if pairs else None
            made = made or ({"text": item[labels[index]]} if labels else _wrap(item, place, shape))
            if made is not None:
                items[index] = made
                self._note("lesson_item_wrapped", (*at, index), item, made)

    def _plain(self, items: list[Any], at: JsonPath) -> None:
        """Fix the items of a list of texts."""
        for index, item in enumerate(items):
            if isinstance(item, dict):
                text = _text_in(item)
                if text is not None:
                    self._put(items, index, text, at, "lesson_text_unwrapped")
            elif isinstance(item, int | float) and not isinstance(item, bool):
                self._put(items, index, str(item), at, "lesson_number_as_text")
        while len(items) > 1 and (
            items[-1] is None or items[-1] == "" or (isinstance(items[-1], str) and not items[-1].strip())
        ):
            self._note("lesson_item_dropped", (*at, len(items) - 1), items.pop(), None)

    # -- values --------------------------------------------------------------------------------------------------------

    def _scalar(self, node: dict[str, Any], key: str, kind: str, at: JsonPath) -> None:
        value = node[key]
        said: Any
        if kind == "boolean":
            said, rule = reading.flag(value), "lesson_flag"
        elif key == "duration":
            said = reading.minutes(value)
            rule = "lesson_number" if isinstance(value, str) and value.strip().isdecimal() else "lesson_duration"
        else:
            said, rule = reading.count(value), "lesson_number"
            if said is not None and said >= 0 and not _ATTEMPTS[0] <= said <= _ATTEMPTS[1]:
                said, rule = min(max(said, _ATTEMPTS[0]), _ATTEMPTS[1]), "lesson_attempts"
        if said is not None:
            self._put(node, key, said, at, rule)

    def _texts(self, node: dict[str, Any], place: str, shape: Shape, at: JsonPath) -> None:
        """Fix the texts of an object; then leave out optional values that cannot be read."""
        for key, part in shape["properties"].items():
            if key in node and part.get("type") == "string":
                self._text(node, key, place, part, at)
        for key, part in shape["properties"].items():
            if key in node and key not in shape["required"]:
                why = _unreadable(node[key], part, place, key)
                if why is not None:
                    before = node.pop(key)
                    self._note("lesson_left_out", (*at, key), before, None, field=key, why=UNREADABLE[why])
                elif part.get("type") == "array" and part["items"].get("type") == "string":
                    self._items_left_out(node[key], (*at, key))

    def _items_left_out(self, items: list[Any], at: JsonPath) -> None:
        for index in reversed(range(len(items))):
            if not isinstance(items[index], str):
                self._note(
                    "lesson_left_out", (*at, index), items.pop(index), None, field=dotted((*at, index)), why=UNREADABLE["type"]
                )

    def _text(self, node: dict[str, Any], key: str, place: str, part: Shape, at: JsonPath) -> None:
        value = node[key]
        if (place, key) in URLS:
            found = reading.address(value, image=key != "video")
            if found is not None:
                self._beside(node, value, place, at)
                trimmed = isinstance(value, str) and value.strip() == found
                self._put(node, key, found, at, "lesson_address_trimmed" if trimmed else "lesson_address")
        elif (place, key) in (("hotspots-1.markers", "x"), ("hotspots-1.markers", "y")):
            return  # these two are read together
        elif key == "background_color":
            said = reading.colour(value)
            if said is not None:
                self._put(node, key, said, at, "lesson_colour")
        elif "enum" in part:
            said = value if isinstance(value, str) and value in part["enum"] else reading.list_type(value)
            if said is not None:
                self._put(node, key, said, at, "lesson_list_type")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._put(node, key, str(value), at, "lesson_number_as_text")
        elif isinstance(value, list):
            texts: list[Any] = [_text_in(item) if isinstance(item, dict) else item for item in value]
            sign = ", " if _joins(place, key) and all(map(_is_a_name, texts)) else "" if all(map(_is_block, texts)) else None
            if texts and all(isinstance(text, str) for text in texts) and (sign is not None or len(texts) == 1):
                self._put(node, key, (sign or "").join(texts), at, "lesson_list_joined")
        elif isinstance(value, dict):
            said = _text_in(value)
            if said is not None:
                self._put(node, key, said, at, "lesson_text_unwrapped")

    def _beside(self, node: dict[str, Any], value: Any, place: str, at: JsonPath) -> None:
        """Keep the other texts of an object that was replaced by its address, if a field for them is free: a caption."""
        for name, said in value.items() if isinstance(value, dict) else ():
            field = next(iter(sorted(_means(name, place, PLACES[place]))), None)
            if field is not None and (place, field) not in URLS and isinstance(said, str) and not names.says(node.get(field)):
                self._put(node, field, said, at, "lesson_parts_beside")

    def _places(self, markers: Any, at: JsonPath) -> None:
        """Write the places of markers as percentages. Numbers below 1 are fractions only if all numbers are."""
        found = [marker for marker in markers if isinstance(marker, dict)] if isinstance(markers, list) else []
        numbers = [share for marker in found for key in "xy" if (share := reading.share(marker.get(key))) is not None]
        fractions = [0 < number < 1 for number in numbers]
        shares = any(fractions) and all(number <= 1 for number in numbers)
        for index, marker in enumerate(markers if isinstance(markers, list) else ()):
            for key in "xy" if isinstance(marker, dict) else "":
                value = marker.get(key)
                said = reading.share(value)
                if said is None or (isinstance(value, str) and reading.PERCENTAGE.fullmatch(value)):
                    continue
                bare = not (isinstance(value, str) and re.search(r"[^\d.,\s]", value))
                if bare and any(fractions) and not shares and 0 < said < 1:
                    continue  # a fraction, or less than one percent
                self._put(marker, key, f"{said * (100 if shares and bare else 1):g}%", (*at, index), "lesson_percentage")

    # -- HTML ----------------------------------------------------------------------------------------------------------

    def _clean(self, node: Any, place: str | None, at: JsonPath) -> None:
        """Clean all texts in a value: remove code that could run; in known fields, close tags and add paragraphs
        where needed.
        """
        shape = PLACES.get(place) if place is not None else None
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            inner = _inside(place, node, key)
            if isinstance(value, dict | list):
                self._clean(value, inner, (*at, key))
            elif isinstance(value, str) and (place, key) not in URLS:
                known = inner == "text" or (shape is not None and key in shape["properties"])
                self._cleaned(node, key, at, closed=known)
                if (place, key) in WRAPPED and html.visible(node[key]) and not html.is_wrapped(node[key]):
                    self._put(node, key, html.wrapped(node[key]), at, "lesson_paragraph")

    def _cleaned(self, node: Any, key: Any, at: JsonPath, *, closed: bool) -> None:
        text = node[key]
        if "<" not in text:
            return
        if not html.is_safe(text):
            self._put(node, key, html.clean(text), at, "lesson_html_cleaned")
            self.emptied |= not node[key].strip()
        elif closed and html.flaw(text) is not None:
            self._put(node, key, html.clean(text), at, "lesson_html_closed")

    # -- answers -------------------------------------------------------------------------------------------------------

    def _flat_question(self, content: dict[str, Any], at: JsonPath) -> None:
        """Make a list with one question of a content that has the fields of a question."""
        shape, place = PLACES["quiz-1.questions"], "quiz-1.questions"
        if any(
            "questions" in _means(key, "quiz-1", CONTENTS["quiz-1"]) and isinstance(content[key], dict | list)
            for key in content
        ):
            return
        if not any("answers" in _means(key, place, shape) and isinstance(content[key], dict | list) for key in content):
            return
        quiz = {"title", "max_attempts"}
        moved = [
            key
            for key in content
            if (_means(key, place, shape) or _tells(key)) and not _means(key, "quiz-1", CONTENTS["quiz-1"]) & quiz
        ]
        content["questions"] = [{key: content.pop(key) for key in moved}]
        self._note("lesson_question_gathered", (*at, "questions"), None, content["questions"])

    def _right(self, questions: Any, at: JsonPath) -> None:
        """Mark the right answers of questions that state them apart from their answers."""
        asked: list[tuple[int, dict[str, Any], answers.StatedAnswers]] = []
        every: list[Any] = questions if isinstance(questions, list) else []
        for number, question in enumerate(every):
            given: Any = question.get("answers") if isinstance(question, dict) else None
            if not isinstance(given, list) or not all(isinstance(answer, dict) for answer in given):
                continue
            if not any(answer.get("correct_answer") is True for answer in given):
                told = answers.told(question, self._labels.get((*at, number, "answers"), ()))
                if told is not None:
                    asked.append((number, question, told))
        bases = answers.base_of([told for _, _, told in asked])
        for number, question, told in asked:
            right = told.right(bases[told.bases])
            if right is None:
                continue
            said = question.pop(told.key)
            for place, answer in enumerate(question["answers"]):
                answer["correct_answer"] = place in right
            self._note("lesson_right_answer", (*at, number, "answers"), said, question["answers"])

    def _marked(self, given: list[Any], at: JsonPath) -> None:
        """Mark answers without a mark as wrong, if another is marked as right."""
        if any(isinstance(answer, dict) and answer.get("correct_answer") is True for answer in given):
            for index, answer in enumerate(given):
                if isinstance(answer, dict) and answer.get("correct_answer") is None:
                    answer["correct_answer"] = False
                    self._note("lesson_wrong_answer", (*at, index, "correct_answer"), None, False)


# -- questions about values --------------------------------------------------------------------------------------------


def _json(text: str) -> Any:
    """Return the object or list that a text holds as strict JSON; None if it holds neither."""
    return parse(text.strip()).value if text.lstrip()[:1] in ("{", "[") else None


def _means(key: str, place: str, shape: Shape) -> set[str]:
    if key in shape["properties"]:
        return {key}
    return {field for _, field in names.meant(place, shape, key)}


def _is_lesson(value: Mapping[str, Any]) -> bool:
    """Return whether an object has the members of a lesson, or contains a lesson."""
    return any(_means(key, "lesson", LESSON) & {"widgets", "metadata"} or names.means(key, (names.WRAPPERS,)) for key in value)


def _tells(key: str) -> bool:
    return names.means(key, (*names.RIGHT, *names.FROM_ZERO, *names.FROM_ONE))


def _is_of(key: str, kind: str) -> bool:
    """Return whether a field belongs to a widget's content, or to the only question in it."""
    asks = kind == "quiz-1" and (_tells(key) or bool(_means(key, "quiz-1.questions", PLACES["quiz-1.questions"])))
    return (
        asks or bool(_means(key, kind, CONTENTS[kind])) or names.means(key, (names.PARTS[kind],) if kind in names.PARTS else ())
    )


def _kind(name: Any) -> str | None:
    if not isinstance(name, str):
        return None
    return name if name in CONTENTS else names.kind_of(name)


def _respelt(node: Mapping[str, Any], field: str) -> str | None:
    """Return the key of an object that is another spelling of a field's name; None if there is none."""
    return next((key for key in node if key != field and names.folded(key) == field), None)


def _joins(place: str, key: str) -> bool:
    """Return whether a list in the place of this text is to be joined to one text."""
    return place in ("metadata", "lesson", "widget") and key != "topic"


def _is_a_name(item: Any) -> bool:
    """Return whether an item of a list may be joined to others with commas. A line of a longer text may not."""
    text = _text_in(item) if isinstance(item, dict) else item
    return isinstance(text, str) and _NAME.fullmatch(text.strip()) is not None


_NAME: Final = re.compile(r"[^\n\r,;:{}()\[\]<>]{1,80}")


def _is_block(text: Any) -> bool:
    return isinstance(text, str) and html.is_wrapped(text) and html.flaw(text) is None


def _readable(value: Any, part: Shape, place: str, field: str, *, exact: bool) -> bool:
    """Return whether a value may be that of a field. For an optional field it must be a value that can be read."""
    kind = part.get("type")
    if kind == "array":
        lines = isinstance(value, str) and (_is_lines(value, f"{place}.{field}", part["items"]) or _json(value) is not None)
        return isinstance(value, list | dict) or lines
    if kind == "object" or place == "lesson":
        return isinstance(value, dict | list | str)
    if exact:
        return True
    if (place, field) in URLS:
        required = field in PLACES[place]["required"]
        return isinstance(value, str | dict | list) if required else reading.address(value, image=field != "video") is not None
    if kind == "boolean":
        return reading.flag(value) is not None
    if field == "duration":
        return reading.minutes(value) is not None
    if kind == "integer":
        return reading.count(value) is not None
    if field == "background_color":
        return reading.colour(value) is not None
    if "enum" in part:
        return reading.list_type(value) is not None
    return (isinstance(value, str | int | float | dict) and not isinstance(value, bool)) or (
        isinstance(value, list) and _joins(place, field) and (len(value) == 1 or all(map(_is_a_name, value)))
    )


def _unreadable(value: Any, part: Shape, place: str, key: str) -> str | None:
    """Return the name of the rule for which an optional value is left out; None if it may stay."""
    kind = part.get("type")
    types: Any = {"array": list, "object": dict, "boolean": bool, "integer": int, "number": int | float, "string": str}[
        str(kind)
    ]
    if not isinstance(value, types) or (isinstance(value, bool) and kind != "boolean"):
        return "type"
    if kind in ("integer", "number"):
        return None if part["minimum"] <= value <= part["maximum"] else "range"
    if not isinstance(value, str):
        return None
    if (place, key) in URLS:
        return None if reading.is_address(value) else "url"
    if key == "background_color":
        return None if reading.COLOUR.fullmatch(value) else "color"
    return "enum" if "enum" in part and value not in part["enum"] else None


def _inside(place: str | None, node: Any, key: Any) -> str | None:
    """Return the name of the place of a member, as in `PLACES`; `text` for the items of a list of texts; None if
    it has none.
    """
    if place == "lesson":
        return {"metadata": "metadata", "widgets": "widgets"}.get(key)
    if place == "widgets":
        return "widget"
    if place == "widget":
        return type_of(node) if key == "content" and type_of(node) in CONTENTS else None
    if place is None or place == "text":
        return None
    if isinstance(node, list):
        return "text" if place not in PLACES else place
    part = PLACES[place]["properties"].get(key, {}) if place in PLACES else {}
    return f"{place}.{key}" if part.get("type") in ("array", "object") else None


# -- forms of lists ----------------------------------------------------------------------------------------------------


def _widgets(value: dict[str, Any]) -> list[Any]:
    """Return the widgets of an object that holds them by number or by type, or that is itself a widget."""
    if "type" in value or "content" in value:
        return [value]
    made = []
    for key, widget in value.items():
        kind = None if _numbered(key) else _kind(key)
        named = kind is not None and isinstance(widget, dict) and "type" not in widget
        made.append({"type": kind, **(widget if "content" in widget else {"content": widget})} if named else widget)
    return made


def _is_lines(text: str, place: str, shape: Shape) -> bool:
    """Return whether a text is a list with one item in each line."""
    several = place == "quiz-1.questions.answers" and "\n" in text.strip()
    return bool(text.strip()) and (several or shape.get("type") == "string")


def _numbered(key: str) -> bool:
    return _NUMBERED.fullmatch(re.sub(r"[\s_-]", "", names.plain(key))) is not None


def _items(value: dict[str, Any], place: str, shape: Shape) -> list[Any] | None:
    """Return the items of a list that is written as an object; None if the object may be something else."""
    numbered = bool(value) and all(map(_numbered, value))
    if shape.get("type") != "object":
        return (
            list(value.values()) if numbered and all(isinstance(item, str | int | float) for item in value.values()) else None
        )
    if not numbered and any(_means(key, place, shape) for key in value):
        return [value]
    if value and all(isinstance(item, dict) for item in value.values()):
        first = "title" if place in ("hotspots-1.markers", "gallery-1.slides") else shape["required"][0]
        has = [any(first in _means(name, place, shape) for name in item) for item in value.values()]
        bare = [numbered or had for had in has]
        return [item if has_name else {first: key, **item} for (key, item), has_name in zip(value.items(), bare, strict=True)]
    made = [_pair(key, item, place, labels=numbered) for key, item in value.items()]
    return made if made and all(item is not None for item in made) else None


def _pair(key: str, item: Any, place: str, *, labels: bool) -> dict[str, Any] | None:
    """Return the item that a key and its value mean together; None if they mean none."""
    if place == "flashcards-1.flashcards_items" and isinstance(item, str) and not labels:
        return {"term": key, "definition": item}
    if place == "quiz-1.questions.answers":
        if isinstance(item, bool):
            return {"text": key, "correct_answer": item}
        if isinstance(item, str | int | float) and (labels or _LABEL.fullmatch(key)):
            return {"text": str(item)}
    if place == "gallery-1.slides" and isinstance(item, str) and reading.address(item, image=True) is not None:
        return {"image": item} if labels else {"image": item, "title": key}
    return None


def _label_keys(items: Sequence[Any]) -> list[str] | None:
    """Return the labels of answers that are all objects of one label and one text; None otherwise."""
    keys = [next(iter(item)) if isinstance(item, dict) and len(item) == 1 else "" for item in items]
    return (
        keys
        if keys and all(_LABEL.fullmatch(key) and isinstance(item[key], str) for key, item in zip(keys, items, strict=True))
        else None
    )


def _wrap(item: Any, place: str, shape: Shape) -> dict[str, Any] | None:
    """Return the object that an item means; None if it is an object already, or could mean several."""
    if place == "quiz-1.questions.answers" and isinstance(item, str | int | float) and not isinstance(item, bool):
        return {"text": str(item)}
    if place == "gallery-1.slides" and isinstance(item, str) and reading.address(item, image=True) is not None:
        return {"image": item}
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
        if place == "flashcards-1.flashcards_items" and isinstance(item[1], str):
            return {"term": item[0], "definition": item[1]}
        if place == "quiz-1.questions.answers" and isinstance(item[1], bool):
            return {"text": item[0], "correct_answer": item[1]}
    if isinstance(item, dict) and len(item) == 1:
        ((key, value),) = item.items()
        unknown = _means(key, place, shape) or _numbered(key) or _LABEL.fullmatch(key)
        return None if unknown else _pair(key, value, place, labels=False)
    return None


def _pairs(items: Sequence[Any]) -> list[list[str]] | None:
    """Return the two halves of each text, if the same sign divides all texts; else None."""
    if not items or not all(isinstance(item, str) for item in items):
        return None
    for sign in _SEPARATORS:
        parts = [item.split(sign) for item in items]
        if all(len(part) == 2 and all(half.strip() for half in part) for part in parts):
            return [[half.strip() for half in part] for part in parts]
    return None


def _text_in(item: Mapping[str, Any]) -> str | None:
    """Return the only text of an object that has nothing else; None for any other object."""
    texts = list(_said(item))
    return texts[0] if len(texts) == 1 else None


def _said(item: Mapping[str, Any]) -> Iterator[str]:
    for key, value in item.items():
        if isinstance(value, str) and value.strip() and names.folded(key) not in ("id", "type", "tipo", "icon", "icone"):
            yield value
        elif isinstance(value, dict | list) or value is True:
            yield from ("", "")  # the object has more than a text
