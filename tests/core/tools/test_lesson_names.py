"""The names of fields and widgets: every word of the table, in every spelling, becomes the field; and no word means two."""

from __future__ import annotations

import copy
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from stream_guard.tools.lessons import validate_lesson_data
from stream_guard.tools.lessons.catalogue import GOOD, lesson
from stream_guard.tools.lessons.names import _KIND_NAMES, NAMES, folded, kind_of
from stream_guard.tools.lessons.shapes import PLACES, WIDGETS
from stream_guard.values.fix import AutoFix
from tests.kit.breadth import some


def bare(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def camel(word: str) -> str:
    first, *rest = word.split()
    return first + "".join(one.capitalize() for one in rest)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "snake": lambda word: word.replace(" ", "_"),
    "kebab": lambda word: word.replace(" ", "-"),
    "camel": camel,
    "title": str.title,
    "capitals": lambda word: word.replace(" ", "_").upper(),
    "without accents": lambda word: bare(camel(word)),
    "decomposed": lambda word: unicodedata.normalize("NFD", word),
}


def holders(made: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """The objects of a place in a lesson."""
    if place in ("lesson", "metadata"):
        return [made if place == "lesson" else made["metadata"]]
    if place == "widget":
        return list(made["widgets"])
    kind, *path = place.split(".")
    found = [widget["content"] for widget in made["widgets"] if widget["type"] == kind]
    for step in path:
        found = [one for holder in found for one in (holder[step] if isinstance(holder[step], list) else [holder[step]])]
    return found


def whole(place: str) -> dict[str, Any]:
    """A good lesson in which every field of a place is there."""
    kind = place.partition(".")[0]
    made = lesson(kind, copy.deepcopy(GOOD[kind])) if kind in WIDGETS else lesson()
    made |= {"assessmentStrategy": "Um quiz no fim", "widgetSelectionSummary": "Do texto ao quiz"}
    for widget in made["widgets"]:
        widget |= {"rationale": "Apresenta", "educationalGoal": "Compreender"}
    for holder in holders(made, place) if place == "quiz-1.questions" else ():
        holder.setdefault("feedback", {"correct": "Isso!", "incorrect": "Quase."})
    return made


def words() -> Iterator[tuple[str, str, str]]:
    """Every place and field with every word for it."""
    for place, fields in NAMES.items():
        for field, rows in fields.items():
            yield from ((place, field, word) for row in rows for word in row.words)


def fixes_of(place: str, field: str, key: str) -> Sequence[AutoFix]:
    """Return the fixes of a lesson in which a field has another key. They make the lesson of it that was meant."""
    meant = whole(place)
    made = copy.deepcopy(meant)
    for holder in holders(made, place):
        if field in holder:
            holder[key] = holder.pop(field)
    data = validate_lesson_data(made).data
    assert data is not None, (place, field, key)
    assert data.lesson == meant, (place, field, key)
    return data.fixes


@pytest.mark.some
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_word_in_every_spelling_becomes_its_field(spelling: str) -> None:
    for place, field, word in some(words(), 120, kind=lambda each: each[:2]):
        key = SPELLINGS[spelling](word)
        if key not in PLACES[place]["properties"]:
            assert fixes_of(place, field, key)


@pytest.mark.parametrize("spelling", [name for name in SPELLINGS if name not in ("as it is", "snake", "decomposed")])
def test_every_field_in_another_spelling_is_the_field(spelling: str) -> None:
    for place, shape in PLACES.items():
        for field in shape["properties"]:
            fixes_of(place, field, SPELLINGS[spelling](field.replace("_", " ")))


def test_every_field_has_a_row_and_every_row_a_reason_and_no_word_means_two_fields_of_an_object() -> None:
    assert NAMES.keys() == PLACES.keys()
    for place, fields in NAMES.items():
        assert fields.keys() == PLACES[place]["properties"].keys(), place
        found = Counter((field, folded(word)) for field, rows in fields.items() for row in rows for word in row.words)
        assert [one for one, count in found.items() if count > 1] == [], place
        meanings = Counter(folded(word) for field, rows in fields.items() for word in {w for row in rows for w in row.words})
        assert [word for word, count in meanings.items() if count > 1] == [], place
        assert all(row.why.endswith(".") and row.words for rows in fields.values() for row in rows)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_name_of_a_widget_means_it(spelling: str) -> None:
    for kind, listed in _KIND_NAMES.items():
        for name in (kind, kind.partition("-")[0], *listed.split(",")):
            said = SPELLINGS[spelling](name.strip())
            assert kind_of(said) == kind, said
            assert kind_of(f"{said} widget") == kind, said
            assert kind_of(f"{said}_2") == kind, said


@pytest.mark.parametrize("name", ["poll", "poll-1", "", "widget", "1", "text quiz", "quizimage", "título"])
def test_other_names_of_widgets_mean_none(name: str) -> None:
    assert kind_of(name) is None


@pytest.mark.parametrize(
    ("place", "field", "others"),
    [
        ("image-1", "image", {"url": "https://a.example/1.png", "src": "https://a.example/2.png"}),
        ("flashcards-1.flashcards_items", "term", {"word": "a", "concept": "b"}),
        ("quiz-1.questions", "question", {"enunciado": "Quanto é um e um?", "statement": "Quanto é dois e dois?"}),
        ("metadata", "topic", {"tema": "As frações", "assunto": "Os decimais"}),
    ],
)
def test_two_names_as_good_that_hold_two_values_are_not_guessed_between(place: str, field: str, others: dict[str, str]) -> None:
    made = whole(place)
    for holder in holders(made, place):
        del holder[field]
        holder.update(others)
    out = validate_lesson_data(made)
    assert out.error is not None
    assert field in {detail.field for detail in out.error.details}
    for holder in holders(made, place):
        for name in others:
            holder[name] = next(iter(others.values()))
    assert validate_lesson_data(made).success


@pytest.mark.parametrize(
    ("place", "extra"),
    [
        ("metadata", {"durationHours": 2, "ano letivo": "2025"}),
        ("quiz-1", {"retries": 2, "timeLimit": 60, "background_color": "nenhuma"}),
        ("quiz-1.questions", {"hints": [{"text": "curto"}], "level": "easy", "text": "", "points": 5, "x": "12px"}),
        ("quiz-1.questions.answers", {"id": "a", "image_alt": "", "term": "sem parágrafo", "video": "em breve"}),
        ("flashcards-1", {"shuffle": True, "items_per_page": 0, "questions": []}),
        ("image-1", {"width": 300, "credits": {"author": "Ana", "url": "sem endereço"}}),
        ("hotspots-1.markers", {"icon": "pin", "color": "azul", "image": "pin.png"}),
        ("text-1", {"answers": [], "category": "  ", "items": [""]}),
        ("widget", {"id": "w1", "order": 3, "notes": ["a", {"question": "?"}]}),
        ("lesson", {"version": "2.0", "author": {"name": "Ana"}}),
    ],
)
def test_fields_that_no_widget_has_are_kept_and_fail_nothing(place: str, extra: dict[str, Any]) -> None:
    """Whatever their names say elsewhere."""
    made = whole(place)
    for holder in holders(made, place):
        holder.update(copy.deepcopy(extra))
    out = validate_lesson_data(made)
    assert out.data is not None, out.error
    assert out.data.lesson == made
    assert out.data.fixes == ()


def test_what_could_run_is_taken_out_of_extra_fields_too() -> None:
    made = whole("image-1")
    made["widgets"][2]["content"]["more"] = [{"note": "<b>Oi</b><script>alert(1)</script>"}, "a < b"]
    data = validate_lesson_data(made).data
    assert data is not None
    assert data.lesson["widgets"][2]["content"]["more"] == [{"note": "<b>Oi</b>"}, "a < b"]
