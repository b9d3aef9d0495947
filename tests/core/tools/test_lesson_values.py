"""Values that are written in another way: they are read where they can only mean one thing; of the rest, what is optional is
left out with a warning, and what is required is an issue. Every change is on record.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from stream_guard import Guard
from stream_guard.schema.fields import split
from stream_guard.tools.lessons import LESSON_TOOLS, validate_lesson_data
from stream_guard.tools.lessons.catalogue import GOOD, lesson
from stream_guard.tools.lessons.shapes import CONTENTS, PLACES
from tests.corpora.score import rows
from tests.kit.lessons import BASES, LESSONS

U1, U2 = "https://a.example/1.png", "https://a.example/2.png"


def mended(kind: str, content: Any, **beside: Any) -> Any:
    """The content of a widget after mending; None if the lesson was refused."""
    made = lesson()
    at = 0 if kind == "head-1" else 2
    made["widgets"][at : at + (kind == "head-1")] = [
        {"type": kind, **({} if content is ... else {"content": content}), **beside}
    ]
    data = validate_lesson_data(made).data
    return None if data is None else data.lesson["widgets"][at]["content"]


def metadata(**fields: Any) -> Any:
    data = validate_lesson_data({**lesson(), "metadata": {"topic": "Frações no dia a dia", **fields}}).data
    return None if data is None else {key: value for key, value in data.lesson["metadata"].items() if key != "topic"}


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("50", 50), ("50 min", 50), ("50 minutos", 50), ("50min.", 50), ("90'", 90), ("1 hora", 60), ("1h", 60), ("1h30", 90),
        ("1h 30min", 90), ("1 hora e 15 minutos", 75), ("uma hora e meia", 90), ("1 hora e meia", 90), ("meia hora", 30),
        ("an hour and a half", 90), ("one hour", 60), ("2 hours", 120), ("1,5 horas", 90), ("1.5 h", 90), ("PT50M", 50),
        ("PT1H30M", 90), ("cerca de 40 minutos", 40), ("approximately 45 minutes", 45), (50, 50), (50.0, 50.0),
    ],
)  # fmt: skip
def test_a_duration_is_read_in_minutes(said: Any, minutes: float) -> None:
    assert metadata(duration=said) == {"duration": minutes}


@pytest.mark.parametrize(
    "said", ["", "1:30", "45-50 min", "2 aulas de 50 minutos", "longa", "1 dia", 500, 5, "3 horas", True, [50], {"x": 1}, -50]
)
def test_a_duration_that_is_none_or_several_is_left_out(said: Any) -> None:
    assert metadata(duration=said) == {}


@pytest.mark.parametrize(
    ("said", "colour"),
    [
        ("white", "#ffffff"), ("Branco", "#ffffff"), ("azul claro", "#add8e6"), ("light-blue", "#add8e6"), ("fff", "#fff"),
        ("ff8800", "#ff8800"), (" #FF8800; ", "#FF8800"), ("0xff8800", "#ff8800"), ("rgb(255, 0, 0)", "#ff0000"),
        ("rgb(100%, 0%, 0%)", "#ff0000"), ("rgba(0, 0, 0, 0.5)", "#00000080"), ("rgb(1 2 3 / 50%)", "#01020380"),
    ],
)  # fmt: skip
def test_a_colour_is_read_in_digits(said: str, colour: str) -> None:
    assert mended("text-1", {**GOOD["text-1"], "background_color": said})["background_color"] == colour


OPTIONAL: list[tuple[str, str, Any]] = [
    ("text-1", "background_color", "degradê"), ("text-1", "background_color", "rgb(300, 0, 0)"),
    ("text-1", "background_color", 7), ("text-1", "background_color", ""), ("text-1", "title", {"a": "b", "c": "d"}),
    ("text-1", "title", True), ("head-1", "avatar", "avatar.png"), ("head-1", "avatar", ["a", "b"]),
    ("head-1", "background_image", "javascript:alert(1)"), ("head-1", "author_name", {"first": "Ana", "last": "Souza"}),
    ("video-1", "autoplay", "talvez"), ("video-1", "autoplay", 2), ("gallery-1", "autoplay", {}),
    ("quiz-1", "max_attempts", "ilimitado"), ("quiz-1", "max_attempts", -1), ("quiz-1", "max_attempts", 2.5),
    ("list-1", "list_type", "redonda"), ("list-1", "list_type", 7), ("image-1", "caption", [1, {}]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "field", "value"), OPTIONAL)
def test_an_optional_value_that_cannot_be_read_is_left_out_with_a_warning(kind: str, field: str, value: Any) -> None:
    meant = {key: part for key, part in GOOD[kind].items() if key != field}
    made = lesson(kind, {**copy.deepcopy(meant), field: value})
    out = validate_lesson_data(made)
    assert out.data is not None, out.error
    at = 0 if kind == "head-1" else 2
    kept = out.data.lesson["widgets"][at]["content"]
    assert kept == meant
    (fix,) = [fix for fix in out.data.fixes if fix.path.endswith(field)]
    assert (fix.path, fix.after) == (f"lessonData.widgets[{at}].content.{field}", None)
    if fix.rule == "lesson_left_out":
        (warning,) = [issue for issue in out.issues if issue.constraint == "left_out"]
        assert (warning.severity, warning.field) == ("warning", fix.path)
        assert fix.description in out.data.summary


def test_no_value_of_an_optional_field_refuses_a_lesson() -> None:
    """Whatever stands in any optional field of any widget."""
    values: list[Any] = [
        None,
        True,
        0,
        -3,
        2.5,
        10**12,
        "",
        "x",
        "  ",
        "<script>1</script>",
        [],
        {},
        [None],
        [{}],
        {"a": {}},
        "á" * 999,
    ]
    for place, shape in PLACES.items():
        if place in ("lesson", "metadata", "widget"):
            continue
        kind, *path = place.split(".")
        for field in shape["properties"]:
            for value in values if field not in shape["required"] else ():
                made = lesson(kind, copy.deepcopy(GOOD[kind]))
                holder: Any = next(widget["content"] for widget in made["widgets"] if widget["type"] == kind)
                for step in path:
                    holder = holder[step][0] if isinstance(holder[step], list) else holder[step]
                holder[field] = value
                assert validate_lesson_data(made).data is not None, (place, field, value)
    for field in ("duration", "bnccAlignment", "subject", "gradeLevel"):
        for value in values:
            assert metadata(**{field: value}) is not None, (field, value)


@pytest.mark.parametrize(
    ("said", "count"), [(0, 1), (9, 5), ("3", 3), ("3 tentativas", 3), ("três", 3), ("two", 2), (2.0, 2), ("10", 5), ("5x", 5)]
)
def test_attempts_are_counted_and_put_within_their_bounds(said: Any, count: int) -> None:
    assert mended("quiz-1", {**GOOD["quiz-1"], "max_attempts": said})["max_attempts"] == count


@pytest.mark.parametrize(
    ("field", "said", "address"),
    [
        ("image", "www.a.example/1.png", "https://www.a.example/1.png"),
        ("image", "//a.example/1.png", U1),
        ("image", f" {U1}\n", U1),
        ("image", f"![Uma pizza]({U1})", U1),
        ("image", f'[Uma pizza]({U1} "Pizza")', U1),
        ("image", f'<img alt="x" src="{U1}?a=1&amp;b=2">', f"{U1}?a=1&b=2"),
        ("image", f"<p><img src='{U1}'/></p>", U1),
        ("image", {"url": U1}, U1),
        ("image", [U1], U1),
        ("image", f"<{U1}>", U1),
        ("image", f"[![x]({U1})](https://youtu.be/abc)", U1),
        ("video", f"[![x]({U1})](https://youtu.be/abc)", "https://youtu.be/abc"),
        ("video", "youtu.be/abc", "https://youtu.be/abc"),
        ("video", '<iframe width="5" src="//www.youtube.com/embed/abc" allowfullscreen></iframe>', "https://www.youtube.com/embed/abc"),
        ("video", '<video controls><source src="https://a.example/1.mp4"></video>', "https://a.example/1.mp4"),
        ("image", "pizza.png", None),
        ("image", "Uma foto de pizza", None),
        ("image", f"<img src='{U1}'><img src='{U2}'>", None),
        ("image", [U1, U2], None),
        ("image", {"url": U1, "src": U2}, None),
        ("image", "javascript:alert(1)", None),
        ("video", "Busque no YouTube: www.youtube.com", None),
        ("video", '<iframe src="javascript:alert(1)"></iframe>', None),
    ],
)  # fmt: skip
def test_an_address_is_taken_out_of_what_is_around_it(field: str, said: Any, address: str | None) -> None:
    content = mended(f"{field}-1", {field: said})
    assert (content if content is None else content[field]) == address


def test_a_text_beside_an_address_becomes_the_caption() -> None:
    assert mended("image-1", {"image": {"url": U1, "alt": "Uma pizza"}}) == {"image": U1, "caption": "Uma pizza"}
    assert mended("image-1", {"image": {"url": U1, "alt": "Uma pizza"}, "caption": "x"}) == {"image": U1, "caption": "x"}


FOUR = ["Um", "Dois", "Três", "Quatro"]
QUESTION = "<p>Quanto é um mais um?</p>"


def right(*questions: dict[str, Any]) -> list[list[int]] | None:
    content = mended("quiz-1", {"questions": [{"question": QUESTION, **copy.deepcopy(question)} for question in questions]})
    if content is None:
        return None
    return [[place for place, one in enumerate(asked["answers"]) if one["correct_answer"]] for asked in content["questions"]]


@pytest.mark.parametrize(
    ("questions", "places"),
    [
        ([{"options": FOUR, "gabarito": "Dois"}], [[1]]),
        ([{"options": FOUR, "answer": "b)"}], [[1]]),
        ([{"options": FOUR, "answer": "b) Dois."}], [[1]]),
        ([{"options": FOUR, "correct": "alternativa B"}], [[1]]),
        ([{"options": ["A) Um", "B) Dois"], "answer": "B"}], [[1]]),
        ([{"options": ["A) Um", "B) Dois"], "answer": "Dois"}], [[1]]),
        ([{"options": {"B": "Um", "A": "Dois"}, "answer": "B"}], [[0]]),
        ([{"options": [{"b": "Um"}, {"a": "Dois"}], "answer": "b"}], [[0]]),
        ([{"options": {"1": "Um", "2": "Dois"}, "answer": 2}], [[1]]),
        ([{"options": [{"id": 7, "text": "Um"}, {"id": 8, "text": "Dois"}], "correct": 8}], [[1]]),
        ([{"options": [{"letra": "A", "valor": "Um"}, {"letra": "B", "valor": "Dois"}], "answer": "B"}], [[1]]),
        ([{"answers": {"Um": False, "Dois": True}}], [[1]]),
        ([{"answers": [["Um", False], ["Dois", True]]}], [[1]]),
        ([{"options": "Um\nDois", "answer": "B"}], [[1]]),
        ([{"options": '["Um", "Dois"]', "answer": "B"}], [[1]]),
        ([{"options": FOUR, "correct": ["A", "C"]}], [[0, 2]]),
        ([{"options": FOUR, "correct_answers": [0, 2]}], [[0, 2]]),
        ([{"options": FOUR, "correct_answer": {"text": "Dois"}}], [[1]]),
        ([{"options": ["Verdadeiro", "Falso"], "correct": False}], [[1]]),
        ([{"options": ["Sim", "Não"], "answer": True}], [[0]]),
        ([{"options": FOUR, "correctIndex": 1}], [[1]]),
        ([{"options": FOUR, "índice_correto": "1"}], [[1]]),
        ([{"options": FOUR, "correct_option_number": 1}], [[0]]),
        ([{"options": FOUR, "correct": 0}], [[0]]),
        ([{"options": FOUR, "correct": 4}], [[3]]),
        ([{"options": FOUR, "correct": 2}, {"options": FOUR, "correct": 0}], [[2], [0]]),
        ([{"options": FOUR, "correct": 2}, {"options": FOUR, "correct": 4}], [[1], [3]]),
        ([{"options": FOUR, "correctIndex": 2}, {"options": FOUR, "correctIndex": 4}], [[1], [3]]),
        ([{"answers": [{"text": "Um", "correta": "não"}, {"text": "Dois", "correta": "sim"}]}], [[1]]),
        ([{"options": FOUR, "correct": 2}], None),
        ([{"options": FOUR, "correct": 2}, {"options": FOUR, "correct": 3}], None),
        ([{"options": FOUR, "correct": 0}, {"options": FOUR, "correct": 4}], None),
        ([{"options": FOUR, "correct": "Cinco"}], None),
        ([{"options": FOUR, "correct": "Muito bem!"}], None),
        ([{"options": ["Um", "Um"], "correct": "Um"}], None),
        ([{"options": ["B", "A"], "correct": "A"}], None),
        ([{"options": ["1", "2", "3"], "correct": 2}], None),
        ([{"options": FOUR, "correct": True}], None),
        ([{"options": FOUR, "correct": "A", "certa": "B"}], None),
        ([{"options": FOUR}], None),
    ],
)  # fmt: skip
def test_right_answers_are_known_from_any_statement_that_means_one_thing(
    questions: list[dict[str, Any]], places: list[list[int]] | None
) -> None:
    assert right(*questions) == places


@pytest.mark.parametrize(
    ("kind", "content", "meant"),
    [
        ("flashcards-1", {"cards": {"Um": "1", "Dois": "2"}}, [("Um", "1"), ("Dois", "2")]),
        ("flashcards-1", {"cards": ["Um: 1", "Dois: 2"]}, [("Um", "1"), ("Dois", "2")]),
        ("flashcards-1", {"cards": [["Um", "1"], ["Dois", "2"]]}, [("Um", "1"), ("Dois", "2")]),
        ("flashcards-1", {"cards": [{"Um": "1"}, {"Dois": "2"}]}, [("Um", "1"), ("Dois", "2")]),
        ("flashcards-1", {"cards": {"Um": {"back": "1"}, "Dois": {"back": "2"}}}, [("Um", "1"), ("Dois", "2")]),
        (
            "flashcards-1",
            {"cards": {"c1": {"front": "Um", "back": "1"}, "c2": {"front": "Dois", "back": "2"}}},
            [("Um", "1"), ("Dois", "2")],
        ),
        ("flashcards-1", {"cards": ["Um", "Dois"]}, None),
        ("flashcards-1", {"cards": ["Um: 1", "Dois - 2"]}, None),
        ("gallery-1", {"images": {"Um": U1, "Dois": U2}}, [("Um", U1), ("Dois", U2)]),
        ("gallery-1", {"images": {"slide 1": U1, "slide 2": U2}}, [(None, U1), (None, U2)]),
        ("gallery-1", {"images": [U1, f"![x]({U2})"]}, [(None, U1), (None, U2)]),
    ],
)  # fmt: skip
def test_items_may_be_a_mapping_pairs_or_strings(kind: str, content: Any, meant: list[tuple[str | None, str]] | None) -> None:
    made = mended(kind, content)
    if meant is None:
        assert made is None
    elif kind == "flashcards-1":
        pairs = [(item["term"], item["definition"]) for item in made["flashcards_items"]]
        assert pairs == [(f"<p>{term}</p>", f"<p>{definition}</p>") for term, definition in meant]
    else:
        assert [(slide.get("title"), slide["image"]) for slide in made["slides"]] == meant


@pytest.mark.parametrize(
    ("items", "meant"),
    [
        ("- a\n- b", ["a", "b"]), ("1. a\n2. b", ["a", "b"]), ({"1": "a", "2": "b"}, ["a", "b"]),
        ([{"text": "a", "checked": False}], ["a"]), (["a", ""], ["a"]), (["a", " ", None], ["a"]), ([1, 2.5], ["1", "2.5"]),
        (["", "a"], None), ([{"title": "a", "description": "b"}], None), ([True], None), ({"a": "b"}, None), ([["a"]], None),
    ],
)  # fmt: skip
def test_the_items_of_a_list(items: Any, meant: list[str] | None) -> None:
    made = mended("list-1", {"items": items})
    assert (made if made is None else made["items"]) == meant


@pytest.mark.parametrize(
    ("marker", "place"),
    [
        ({"x": 50, "y": "2,5 %"}, ("50%", "2.5%")), ({"position": {"x": "50%", "y": 20}}, ("50%", "20%")),
        ({"coords": [50, 20]}, ("50%", "20%")), ({"posição": "50%, 20%"}, ("50%", "20%")),
        ({"left": 50, "top": 20}, ("50%", "20%")),
        ({"position": {"left": "50%", "top": "20%"}}, ("50%", "20%")), ({"x": 0.5, "y": 0.25}, ("50%", "25%")),
        ({"x": 0.5, "y": 25}, None), ({"x": "50px", "y": "20px"}, None), ({"x": 150, "y": 20}, None),
        ({"x": "meio", "y": 2}, None),
    ],
)  # fmt: skip
def test_the_place_of_a_marker(marker: Any, place: tuple[str, str] | None) -> None:
    made = mended("hotspots-1", {"background_image": U1, "markers": [{**marker, "title": "T", "content": "C"}] * 2})
    assert (made if made is None else (made["markers"][0]["x"], made["markers"][0]["y"])) == place


GIVEN = lesson()
WRAPPED: dict[str, Any] = {
    "a text": json.dumps(GIVEN),
    "lesson": {"lesson": GIVEN},
    "lessonData": {"lessonData": GIVEN},
    "both": {"lessonData": {"lesson": GIVEN}},
    "a text in lesson": {"lesson": json.dumps(GIVEN)},
    "a text in lessonData": {"lessonData": json.dumps(GIVEN)},
    "aula": {"aula": GIVEN},
    "widgets as a text": {**GIVEN, "widgets": json.dumps(GIVEN["widgets"])},
    "contents as texts": {**GIVEN, "widgets": [{**one, "content": json.dumps(one["content"])} for one in GIVEN["widgets"]]},
    "widgets by number": {**GIVEN, "widgets": {str(place): one for place, one in enumerate(GIVEN["widgets"])}},
    "widgets by type": {**GIVEN, "widgets": {one["type"]: one["content"] for one in GIVEN["widgets"]}},
    "one key each": {**GIVEN, "widgets": [{one["type"]: one["content"]} for one in GIVEN["widgets"]]},
    "flat widgets": {**GIVEN, "widgets": [{"type": one["type"], **one["content"]} for one in GIVEN["widgets"]]},
    "ids": {**GIVEN, "widgets": [{"id": one["type"], "content": one["content"]} for one in GIVEN["widgets"]]},
    "flat metadata": {**GIVEN["metadata"], "widgets": GIVEN["widgets"]},
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_lesson_is_taken_out_of_what_is_around_it_also_in_a_stream(name: str) -> None:
    data = validate_lesson_data(WRAPPED[name]).data
    assert data is not None
    assert data.lesson == GIVEN
    assert data.fixes or name == "lessonData"
    body = WRAPPED[name] if isinstance(WRAPPED[name], dict) and "lessonData" in WRAPPED[name] else {"lessonData": WRAPPED[name]}
    block = Guard(LESSON_TOOLS).check(json.dumps({"tool": "validate_lesson_data", **body}))
    assert (block.executable, (block.arguments or {}).get("lessonData")) == (True, GIVEN)


@pytest.mark.parametrize(
    "given", ["{}", "[1]", '"x"', "{'a': 1}", '{"lesson": "{}"}', '{"a": {"widgets": []}}', "[" * 10_000, '{"a": 1e999}']
)
def test_a_text_that_holds_no_lesson_is_refused(given: str) -> None:
    assert validate_lesson_data(given).data is None
    assert validate_lesson_data({"lesson": given}).data is None


@pytest.mark.parametrize(
    ("head", "subject", "category"),
    [({"category": ""}, "Ciências", "Ciências"), ({}, "Ciências", "Ciências"), ({"category": None}, None, "O ciclo da água"),
     ({"title": "Bem-vindos"}, None, "O ciclo da água"), (None, "Ciências", "Ciências"), (None, None, None)],
)  # fmt: skip
def test_a_head_is_named_after_the_subject_or_the_topic_and_added_only_where_there_is_a_subject(
    head: dict[str, Any] | None, subject: str | None, category: str | None
) -> None:
    made = lesson()
    made["metadata"] = {"topic": "O ciclo da água", **({"subject": subject} if subject else {})}
    made["widgets"][0:1] = [] if head is None else [{"type": "head-1", "content": head}]
    data = validate_lesson_data(made).data
    assert (data.lesson["widgets"][0]["content"]["category"] if data is not None else None) == category


@pytest.mark.parametrize(
    "topic", ["", " " * 6, "\u00a0" * 6, "<p></p>", "<p>&nbsp;</p>", "\u200b" * 6, "\u2003" * 6, None, "<br><br>"]
)
def test_a_blank_topic_is_missing_metadata(topic: Any) -> None:
    error = validate_lesson_data({**lesson(), "metadata": {"topic": topic}}).error
    assert error is not None
    assert error.code == "MISSING_METADATA"


# -- advice, and what is said of it ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "constraints"),
    [
        ("head text flashcards quiz", []),
        ("head text video quiz text flashcards quiz", []),
        ("head quiz text flashcards", ["flow", "cards_first", "quiz_last"]),
        ("head flashcards text quiz", ["flow"]),
        ("head text quiz flashcards", ["cards_first"]),
        ("head text flashcards quiz image", ["quiz_last"]),
        ("head text list quiz", ["cognitive_load"]),
        ("head text list image", ["cognitive_load", "assessment"]),
        ("head text text text text quiz flashcards", ["cards_first", "variety"]),
    ],
)
def test_advice_on_order_and_load(kinds: str, constraints: list[str]) -> None:
    made = {
        **lesson(),
        "widgets": [{"type": f"{kind}-1", "content": copy.deepcopy(GOOD[f"{kind}-1"])} for kind in kinds.split()],
    }
    out = validate_lesson_data(made)
    assert out.data is not None
    assert [issue.constraint for issue in out.issues] == constraints
    wire = out.to_dict()
    for issue in out.issues:
        words = issue.message.replace("lessonData.", "")
        assert words in wire["data"]["validationSummary"]
        assert words in wire["debug"]["validationChecks"][2]["details"]


def test_what_was_expected_and_found_are_values() -> None:
    marker = {"x": "9px", "y": "9%", "title": "a", "content": True}
    asked = {"question": QUESTION, "answers": [{"text": "<p>a</p>", "correct_answer": "talvez"}]}
    broken = {
        "metadata": {"topic": "IA", "learningObjectives": ["x"] * 7},
        "widgets": [
            {"type": "head-1", "content": {"category": None}},
            {"type": "poll", "content": {}},
            {"type": "text-1", "content": {"text": "<p>Curto.</p>"}},
            {"type": "image-1", "content": {"caption": "x"}},
            {"type": "hotspots-1", "content": {"background_image": U1, "markers": [marker]}},
            {"type": "quiz-1", "content": {"questions": [asked]}},
        ],
    }  # fmt: skip
    error = validate_lesson_data(broken).to_dict()["error"]
    told = {f"{one['location']}.{one['field']}": (one["expected"], one["actual"]) for one in error["details"]}
    kinds = " | ".join(f'"{kind}"' for kind in CONTENTS)
    assert (
        told.items()
        >= {
            "metadata.topic": (">= 5", "2"),
            "metadata.learningObjectives": ("<= 6", "7"),
            "widgets[1].type": (kinds, "poll"),
            "widgets[2].content.text": (">= 20", "6"),
            "widgets[3].content.image": ("string", "missing"),
            "widgets[4].content.markers": (">= 2", "1"),
            "widgets[4].content.markers[0].x": ("50%", "9px"),
            "widgets[4].content.markers[0].content": ("string", "true"),
            "widgets[5].content.questions[0].answers": (">= 2", "1"),
            "widgets[5].content.questions[0].answers[0].correct_answer": ("boolean", "talvez"),
        }.items()
    )


@pytest.mark.parametrize(
    "text",
    [
        '<p class="lead" style="color: red; text-align: center">Um texto de bom tamanho.</p>',
        '<div role="note" dir="ltr" aria-label="x">Um texto de bom tamanho.</div>',
    ],
)
def test_class_and_style_are_not_dangerous(text: str) -> None:
    assert mended("text-1", {"text": text}) == {"text": text}


@pytest.mark.parametrize(
    "style", ["background: url(//x)", "position: fixed", "width: expression(alert(1))", "x: \\75rl(a)", "a{}"]
)
def test_a_style_that_loads_something_or_covers_the_page_is_taken_out(style: str) -> None:
    content = mended("text-1", {"text": f'<p style="{style}">Um texto de bom tamanho.</p>'})
    assert content == {"text": "<p>Um texto de bom tamanho.</p>"}


# -- every change is on record -----------------------------------------------------------------------------------------


def changes(one: Any, other: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of the values that differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        found = [
            path for key in one.keys() | other.keys() for path in changes(one.get(key, ...), other.get(key, ...), (*at, key))
        ]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        found = [path for place, pair in enumerate(zip(one, other, strict=True)) for path in changes(*pair, (*at, place))]
    else:
        found = [] if type(one) is type(other) and one == other else [at]
    return found


@pytest.mark.parametrize("source", ["rows", "lessons"])
def test_every_change_is_on_record(source: str) -> None:
    """A field of the result that differs, or was not there, has a fix at it, around it or inside it."""
    given = (
        [row["lesson"] for row in rows("lessons.jsonl") if not row["aside"]]
        if source == "rows"
        else [one for one, _ in LESSONS.values()]
    )
    for one in (*given, *BASES.values()):
        data = validate_lesson_data(one).data
        if data is None or "widgets" not in one or not all("type" in widget for widget in one["widgets"]):
            continue
        told = [split(fix.path)[1:] for fix in data.fixes]
        moved = any(path == ("widgets",) for path in told)
        for path in changes(one, data.lesson):
            gone = not_there(data.lesson, path)
            near = told if not gone else [step[:-1] if step else step for step in told]
            assert moved or any(path[: len(step)] == step or step[: len(path)] == path for step in near), (path, told)


def not_there(value: Any, path: tuple[str | int, ...]) -> bool:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return True
    return False


@pytest.mark.parametrize(
    ("subject", "left"),
    [
        (["Maths", "Physics"], "Maths, Physics"),
        (["Maths"], "Maths"),
        (["f(a,", "  b)", ""], None),
        (["one;", "two;"], None),
        (["a\nb", "c"], None),
        (["<p>a", "b</p>"], None),
    ],
)
def test_only_names_are_joined_to_a_text(subject: list[str], left: str | None) -> None:
    """The lines of a longer text are left out, with a warning: commas between them were never written."""
    assert metadata(subject=subject).get("subject") == left
