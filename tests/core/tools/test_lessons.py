"""Lessons: every rule, every fix, every answer; and lessons as models write them."""

from __future__ import annotations

import copy
import importlib.util
import json
import re
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from stream_guard import Guard, Limits, ToolBlock
from stream_guard.schema.fields import split
from stream_guard.tools.lessons import LESSON_TOOLS, VALIDATE_LESSON_DATA, html, result, validate_lesson_data
from stream_guard.tools.lessons.catalogue import GOOD, LESSON_RULES, LessonRule, lesson
from stream_guard.tools.lessons.mending import mend
from stream_guard.tools.lessons.service import LESSON_SERVICE
from stream_guard.tools.lessons.shapes import WIDGETS
from stream_guard.toolset.arguments import check_arguments
from tests.kit.breadth import some
from tests.kit.lessons import BASES, FATAL, LESSONS, faults
from tests.kit.payloads import payloads

LIMITS = Limits(max_issues=200)


def found(made: Any) -> list[tuple[str, str, str]]:
    """What the rules say of a lesson: where, as a rule tells it; which; how bad."""
    issues = check_arguments(VALIDATE_LESSON_DATA, {"lessonData": made}, LIMITS)
    told: list[tuple[str, str, str]] = []
    for issue in issues:
        steps = ["[]" if isinstance(step, int) else step for step in split(issue.field)[1:]]
        told.append((".".join(steps), issue.constraint, issue.severity))
    return told


def place(rule: LessonRule) -> str:
    steps = {"metadata": ["metadata"], "widgets": ["widgets"]}.get(rule.where, ["widgets", "[]", "content"])
    return ".".join([*steps, *rule.path])


@pytest.mark.parametrize("rule", LESSON_RULES, ids=lambda rule: rule.id)
def test_every_rule_finds_its_bad_example_and_lets_its_good_one_pass(rule: LessonRule) -> None:
    assert (place(rule), rule.constraint, rule.severity) in found(lesson(rule.where, rule.bad))
    good = found(lesson(rule.where, rule.good))
    assert not [told for told in good if told[2] == "error" or told[:2] == (place(rule), rule.constraint)]


PUBLIC = {
    "assessment": {" WIDGET_ERROR"},
    "blank": {"EMPTY_CONTENT CONTENT_ERROR", "MISSING_METADATA CONTENT_ERROR"},
    "bncc": {" INVALID_FORMAT"},
    "cards_first": {" WIDGET_ERROR"},
    "cognitive_load": {" WIDGET_ERROR"},
    "color": {"INVALID_FORMAT INVALID_FORMAT"},
    "enum": {"INVALID_WIDGETS WIDGET_ERROR", "WIDGET_CONTENT_ERROR CONTENT_ERROR"},
    "first": {"INVALID_WIDGETS WIDGET_ERROR"},
    "flow": {" WIDGET_ERROR"},
    "maxItems": {"INVALID_WIDGETS WIDGET_ERROR", "VALIDATION_ERROR CONTENT_ERROR", "WIDGET_CONTENT_ERROR CONTENT_ERROR"},
    "maxLength": {"VALIDATION_ERROR CONTENT_ERROR"},
    "maximum": {"VALIDATION_ERROR CONTENT_ERROR", "WIDGET_CONTENT_ERROR CONTENT_ERROR"},
    "minItems": {"INVALID_WIDGETS WIDGET_ERROR", "WIDGET_CONTENT_ERROR CONTENT_ERROR"},
    "minLength": {"VALIDATION_ERROR CONTENT_ERROR"},
    "min_text": {"WIDGET_CONTENT_ERROR CONTENT_ERROR"},
    "minimum": {"VALIDATION_ERROR CONTENT_ERROR", "WIDGET_CONTENT_ERROR CONTENT_ERROR"},
    "percentage": {"INVALID_FORMAT INVALID_FORMAT"},
    "quiz_last": {" WIDGET_ERROR"},
    "required": {"INVALID_WIDGETS MISSING_FIELD", "MISSING_METADATA MISSING_FIELD", "WIDGET_CONTENT_ERROR MISSING_FIELD"},
    "right_answer": {"WIDGET_CONTENT_ERROR CONTENT_ERROR"},
    "safe": {"VALIDATION_ERROR CONTENT_ERROR", "WIDGET_CONTENT_ERROR CONTENT_ERROR"},
    "type": {"INVALID_FORMAT INVALID_FORMAT"},
    "url": {"INVALID_URL INVALID_FORMAT"},
    "variety": {" WIDGET_ERROR"},
    "well_formed": {"INVALID_FORMAT INVALID_FORMAT"},
    "wrapped": {"INVALID_FORMAT INVALID_FORMAT"},
}
"""The error codes and error types that the report gives for a broken rule, by its constraint. Advice has no code."""


def test_every_rule_is_told_with_the_code_and_the_type_of_its_kind() -> None:
    """They are chosen in `result.py`, by tables that a new rule is not in."""
    told: dict[str, set[str]] = {rule.constraint: set() for rule in LESSON_RULES}
    for rule in LESSON_RULES:
        ((path, issue),) = [
            (path, issue)
            for issue in check_arguments(VALIDATE_LESSON_DATA, {"lessonData": lesson(rule.where, rule.bad)}, LIMITS)
            if issue.constraint == rule.constraint
            and (path := split(issue.field)[1:])
            and ".".join("[]" if isinstance(step, int) else step for step in path) == place(rule)
        ][:1]
        code = result._code(issue) if issue.severity == "error" else ""
        told[rule.constraint].add(f"{code} {result._type(issue, path)}")
    assert told == PUBLIC


def test_there_are_more_rules_than_were_asked_for_and_each_has_a_name_of_its_own() -> None:
    assert len(LESSON_RULES) >= 68
    assert len({rule.id for rule in LESSON_RULES}) == len(LESSON_RULES)
    assert {rule.where for rule in LESSON_RULES} == {"metadata", "widgets", *WIDGETS}


# -- what it answers ---------------------------------------------------------------------------------------------------


def test_a_good_lesson_is_answered_as_the_specification_says() -> None:
    """Key for key; and the lesson that was given is not touched."""
    given = lesson()
    before = copy.deepcopy(given)
    out = validate_lesson_data(given).to_dict()
    assert given == before
    assert list(out) == ["success", "data", "debug"]
    assert list(out["data"]) == [
        "validatedLessonData", "widgetCount", "validationSummary", "auto_fixes_applied", "confidence_score",
    ]  # fmt: skip
    assert (out["success"], out["data"]["validatedLessonData"], out["data"]["widgetCount"]) == (True, before, 4)
    assert (out["data"]["auto_fixes_applied"], out["data"]["confidence_score"]) == ([], 1.0)
    assert list(out["debug"]) == ["timestamp", "processingTime", "validationChecks", "jit_context"]
    assert out["debug"]["jit_context"] == {"step": 5, "workflow": "JIT v5.1.0", "token_usage": 0}
    checks = out["debug"]["validationChecks"]
    assert [(check["name"], check["passed"]) for check in checks] == [
        ("structure", True), ("content", True), ("education", True), ("composer compatibility", True),
    ]  # fmt: skip
    json.dumps(out)


def test_a_mended_lesson_says_what_was_done() -> None:
    given = lesson("flashcards-1", {"cards": [{"front": "a b", "back": "c"}, {"front": "d", "back": "e"}]})
    out = validate_lesson_data({"lessonData": given}).to_dict()
    assert out["success"]
    fixes = out["data"]["auto_fixes_applied"]
    assert all(list(fix) == ["type", "description", "before", "after", "confidence"] for fix in fixes)
    assert {fix["type"] for fix in fixes} == {"FIELD_MAPPING", "HTML_WRAPPING"}
    assert out["data"]["confidence_score"] == min(fix["confidence"] for fix in fixes)


@pytest.mark.parametrize("name", LESSONS)
def test_the_record_of_a_lesson_shows_what_stood_there_and_what_stands_there_now(name: str) -> None:
    """Always two values that differ, and values, not the names of what they were taken from."""
    made = validate_lesson_data(LESSONS[name][0])
    for fix in made.data.fixes if made.data is not None else ():
        assert fix.full_before != fix.full_after or type(fix.full_before) is not type(fix.full_after), fix
        assert json.dumps(fix.before) != json.dumps(fix.after), fix
        if fix.rule in ("lesson_unwrapped", "lesson_parts_moved"):
            assert isinstance(fix.full_before, dict), fix
            assert isinstance(fix.full_after, dict), fix


CODES: dict[str, Any] = {
    "MISSING_METADATA": {**lesson(), "metadata": {}},
    "INVALID_WIDGETS": {**lesson(), "widgets": []},
    "WIDGET_CONTENT_ERROR": lesson("text-1", {"text": "<p>curto</p>"}),
    "EMPTY_CONTENT": lesson("image-1", {"image": "  "}),
    "INVALID_URL": lesson("image-1", {"image": "javascript:alert(1)"}),
    "INVALID_FORMAT": lesson(
        "hotspots-1", {**GOOD["hotspots-1"], "markers": [{**GOOD["hotspots-1"]["markers"][0], "x": "9px"}] * 2}
    ),
    "VALIDATION_ERROR": "no lesson",
}


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_is_reached(code: str) -> None:
    out = validate_lesson_data(CODES[code]).to_dict()
    assert list(out) == ["success", "error", "debug"]
    assert list(out["error"]) == ["code", "message", "details", "suggested_fixes"]
    assert (out["success"], out["error"]["code"]) == (False, code)
    for detail in out["error"]["details"]:
        assert list(detail) == ["type", "location", "field", "expected", "actual", "severity"]
    assert out["error"]["suggested_fixes"]


def test_several_kinds_of_problems_are_a_general_one_and_each_says_where_it_is() -> None:
    quiz = {"questions": [{"question": "<p>Qual é a metade?</p>", "answers": [{"text": "<p>1</p>", "correct_answer": True}]}]}
    made = lesson("quiz-1", quiz)
    made["metadata"] = {}
    error = validate_lesson_data(made).to_dict()["error"]
    assert error["code"] == "VALIDATION_ERROR"
    places = {(detail["location"], detail["field"], detail["type"]) for detail in error["details"]}
    assert ("metadata", "topic", "MISSING_FIELD") in places
    assert ("widgets[2].content.questions[0]", "answers", "CONTENT_ERROR") in places
    assert any("widgets[2].content.questions[0].answers" in fix for fix in error["suggested_fixes"])


@pytest.mark.parametrize("value", [None, 1, [], {}, "x", {"lessonData": None}, {"widgets": 1}, {"widgets": [1, None]}])
def test_whatever_is_given_is_answered(value: Any) -> None:
    assert validate_lesson_data(value).to_dict()["success"] is False


def test_a_lesson_that_is_nested_without_end_is_answered() -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    out = validate_lesson_data(lesson("image-1", {"image": deep}))
    assert out.error is not None
    assert "levels" in out.error.message


VALUES: list[Any] = [
    None, True, False, 0, 3, 2.5, "", "x", "50%", "<p>a", "<script>1</script>", "https://example.com/a", [], {}, [None], [{}],
    {"type": "quiz"}, ["a", "b"], {"text": "a"}, -1, 10**30, "\ud800", "á" * 300,
]  # fmt: skip


@pytest.mark.some
@pytest.mark.parametrize("seed", range(12))
def test_any_lesson_is_answered_and_mending_ends(seed: int) -> None:
    """Good lessons with values put anywhere and keys exchanged: no exception, and what was mended is not mended again."""
    chance = Random(seed)
    for _ in some(range(60), 30):
        made = copy.deepcopy(chance.choice(list(BASES.values())))
        for _ in range(chance.randint(1, 6)):
            holder: Any = made
            while True:
                keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
                if not keys:
                    break
                key = chance.choice(keys)
                if isinstance(holder[key], dict | list) and chance.random() < 0.8:
                    holder = holder[key]
                    continue
                if isinstance(holder, dict) and chance.random() < 0.3:
                    holder[chance.choice(("items", "text", "url", "title", "content", "question", "correct"))] = holder.pop(key)
                else:
                    holder[key] = copy.deepcopy(chance.choice(VALUES))
                break
        out = validate_lesson_data(made)
        json.dumps(out.to_dict())
        mended, _ = mend({"lessonData": made})
        assert mend(mended) == (mended, ())
        if out.data is not None:
            assert not [told for told in found(out.data.lesson) if told[2] == "error"]


# -- in a stream, and as a tool ----------------------------------------------------------------------------------------


def test_a_lesson_in_a_stream_goes_the_same_way() -> None:
    """Mended like any block, by the same rules; what cannot be mended is told with a hint."""
    given = lesson("quiz-1", {"questions": [{"question": "Quanto é 1/2 + 1/2?", "options": ["1", "2"], "correct": "A"}]})
    body = json.dumps({"tool": "validate_lesson_data", "lessonData": given}, ensure_ascii=False)
    (block,) = [item for item in Guard(LESSON_TOOLS).scan([f"Pronto!\n```json\n{body}\n```\n"]) if isinstance(item, ToolBlock)]
    data = validate_lesson_data(given).data
    assert data is not None
    assert (block.executable, block.corrected_by) == (True, "fixes")
    assert block.arguments is not None
    assert block.arguments["lessonData"] == data.lesson
    assert {fix.description for fix in block.fixes} == {fix.description for fix in data.fixes}
    bad = json.dumps({"tool": "validate_lesson_data", "lessonData": lesson("image-1", {"image": "x"})})
    failed = Guard(LESSON_TOOLS).check(bad)
    assert not failed.executable
    assert failed.hint is not None


async def test_a_lesson_tool_is_called_like_any_other() -> None:
    out = await LESSON_TOOLS.call("validate_lesson_data", {"lessonData": lesson()})
    payload: Any = out.payload
    assert payload["success"] is True


# -- fixes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LESSONS)
def test_lessons_as_models_write_them_become_what_was_meant(name: str) -> None:
    """Whole lessons, each with one to six faults; mending them again changes nothing."""
    broken, meant = LESSONS[name]
    out = validate_lesson_data(broken)
    assert out.data is not None, out.error
    assert out.data.lesson == meant
    assert out.data.fixes
    again = validate_lesson_data(out.data.lesson)
    assert again.data is not None
    assert (again.data.lesson, again.data.fixes) == (out.data.lesson, ())
    assert mend({"lessonData": out.data.lesson}) == ({"lessonData": out.data.lesson}, ())


@pytest.mark.parametrize("name", FATAL)
def test_fatal_faults_are_never_passed(name: str) -> None:
    out = validate_lesson_data(FATAL[name])
    assert out.data is None
    assert out.error is not None
    assert out.error.suggested_fixes


def test_there_are_enough_lessons_and_every_kind_of_fix_is_in_them() -> None:
    assert len(LESSONS) >= 40
    assert len(FATAL) >= 20
    kinds = {fix.type for broken, _ in LESSONS.values() if (data := validate_lesson_data(broken).data) for fix in data.fixes}
    assert kinds == {"FIELD_MAPPING", "HTML_WRAPPING", "METADATA_ADDITION", "STRUCTURE_CORRECTION"}
    assert len(faults()) >= 25


def test_a_right_answer_is_known_or_it_is_asked_for() -> None:
    """By its text, its letter, its index; a number that may count from zero or from one is left."""

    def marked(**told: Any) -> list[Any] | None:
        quiz = {"questions": [{"question": "<p>Quanto é 1 + 1?</p>", "answers": ["<p>1</p>", "<p>2</p>", "<p>3</p>"], **told}]}
        data = validate_lesson_data(lesson("quiz-1", quiz)).data
        if data is None:
            return None
        return [answer["correct_answer"] for answer in data.lesson["widgets"][2]["content"]["questions"][0]["answers"]]

    second = [False, True, False]
    known: list[dict[str, Any]] = [
        {"correct_answer": "2"},
        {"answer": "b"},
        {"correctIndex": 1},
        {"correct": "B)"},
        {"resposta_correta": "<p>2</p>"},
    ]
    for told in known:
        assert marked(**told) == second, told
    assert marked(correct=0) == [True, False, False]
    assert marked(correct=3) == [False, False, True]
    unknown: list[dict[str, Any]] = [{}, {"correct": 1}, {"correct": 2}, {"correct": "z"}, {"answer": "4"}, {"correct": None}]
    for told in unknown:
        assert marked(**told) is None, told


# -- HTML --------------------------------------------------------------------------------------------------------------


DANGER = re.compile(r"^\s*(?:javascript|vbscript|data):", re.IGNORECASE)


@cache
def dangers(text: str) -> tuple[str, ...]:
    """What an independent parser finds in a text that could run, or lead somewhere."""
    import html5lib

    tree = html5lib.parseFragment(text, namespaceHTMLElements=False)
    bad: list[str] = []
    for node in tree.iter():
        if not isinstance(node.tag, str):
            continue
        if node.tag in (
            "script",
            "style",
            "iframe",
            "object",
            "embed",
            "form",
            "base",
            "meta",
            "link",
            "svg",
            "math",
            "input",
            "button",
        ):
            bad.append(node.tag)
        for key, value in node.attrib.items():
            if str(key).lower().startswith("on") or DANGER.match(re.sub(r"[\x00-\x20]", "", value)):
                bad.append(f"{key}={value}")
    return tuple(bad)


def test_whatever_is_cleaned_holds_nothing_that_runs_and_cleaning_it_again_changes_nothing() -> None:
    made = payloads()
    assert len(made) > 2_000
    dirty = 0
    for payload in made:
        text = f"<p>Olá</p>{payload}"
        cleaned = html.clean(text)
        assert dangers(cleaned) == (), payload
        assert html.clean(cleaned) == cleaned, payload
        if dangers(text):
            dirty += 1
            assert not html.is_safe(text), payload
    assert dirty > 700


FIELDS = [
    ("text-1", "text"), ("text-1", "title"), ("quiz-1", "questions.0.question"), ("quiz-1", "questions.0.answers.0.text"),
    ("quiz-1", "questions.0.feedback.correct"), ("flashcards-1", "flashcards_items.0.term"), ("image-1", "caption"),
    ("flashcards-1", "flashcards_items.0.definition"), ("list-1", "items.0"), ("gallery-1", "slides.0.content"),
    ("hotspots-1", "markers.0.content"), ("hotspots-1", "markers.0.title"), ("head-1", "category"), ("head-1", "author_name"),
]  # fmt: skip


@pytest.mark.some
@pytest.mark.parametrize(("kind", "path"), FIELDS)
def test_nothing_that_runs_leaves_in_any_field(kind: str, path: str) -> None:
    """Whatever the payload and the field: the lesson is refused, or comes out clean. Each payload is in one of the fields."""
    passed = 0
    for payload in some(payloads()[FIELDS.index((kind, path)) :: len(FIELDS)], 60):
        content = copy.deepcopy(GOOD[kind])
        holder: Any = content
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in steps:
            holder = holder[step]
        holder[last] = f"Um texto com tamanho suficiente {payload}"
        data = validate_lesson_data(lesson(kind, content)).data
        if data is not None:
            passed += 1
            texts = json.dumps(data.lesson["widgets"], ensure_ascii=False)
            for text in strings(data.lesson["widgets"]):
                assert dangers(text) == (), (payload, text, texts)
    assert passed


def test_nothing_that_runs_leaves_in_what_is_said_about_a_lesson() -> None:
    made = {
        **lesson(),
        "assessmentStrategy": "Um quiz<script>alert(1)</script>",
        "widgetSelectionSummary": "<img src=x onerror=y>",
    }
    made["widgets"][1] |= {"rationale": "Bom<iframe src=//x>", "educationalGoal": "<p onclick=x>Ler</p>"}
    assert [place for place, constraint, _ in found(made) if constraint == "safe"] == [
        "assessmentStrategy", "widgetSelectionSummary", "widgets.[].rationale", "widgets.[].educationalGoal",
    ]  # fmt: skip
    data = validate_lesson_data(made).data
    assert data is not None
    assert [dangers(text) for text in strings(data.lesson) if dangers(text)] == []
    assert (data.lesson["assessmentStrategy"], data.lesson["widgets"][1]["educationalGoal"]) == ("Um quiz", "<p>Ler</p>")


def strings(node: Any) -> list[str]:
    if isinstance(node, str):
        return [node]
    items = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [text for item in items for text in strings(item)]


@pytest.mark.parametrize(
    ("text", "safe", "formed"),
    [
        ("Olá", True, True), ("<p>Olá</p>", True, True), ("2 < 3 & 4 > 1", True, True), ("<p>a <b>b</b></p>", True, True),
        ("<ul><li>a</li></ul>", True, True), ("<p>a<br>b</p>", True, True), ("<a href='https://x.example'>a</a>", True, True),
        ("<p>a <b>b</p>", True, False), ("<p>a", True, False), ("a</p>", True, False), ("<p><p>a</p></p>", True, False),
        ("<p onclick='x'>a</p>", False, True), ("<script>1</script>", False, True),
    ],
)  # fmt: skip
def test_markup_is_judged_as_browsers_read_it(text: str, safe: bool, formed: bool) -> None:
    assert (html.is_safe(text), html.flaw(text) is None or not safe) == (safe, formed)


def test_a_flaw_is_told_with_its_place() -> None:
    assert html.flaw("<p>Uma parte\n<b>de um</i></p>") == "unexpected-end-tag at line 2, column 9"
    (fix,) = validate_lesson_data(lesson("text-1", {"text": "<p>Uma parte <b>de um todo inteiro</p>"})).data.fixes  # type: ignore[union-attr]
    assert (fix.description, fix.after) == ("Closed the tags", "<p>Uma parte <b>de um todo inteiro</b></p>")


def test_the_pages_have_the_count() -> None:
    root = Path(__file__).parents[3]
    for page in ("docs/lessons.md", "README.md"):
        assert f"against {len(LESSON_RULES)} rules" in " ".join((root / page).read_text(encoding="utf-8").split())
    assert f"`validate_lesson_data`: {len(LESSON_RULES)} rules" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


QUIZ = {
    "question": "Quanto é 1 + 1?",
    "answers": [{"text": "2", "correct_answer": True}, {"text": "3", "correct_answer": False}],
}


@pytest.mark.parametrize(
    ("kind", "spoilt", "place", "meant"),
    [
        ("quiz-1", {"questions": [{**QUIZ, "feedback": "Não."}]}, ("questions", 0, "feedback", "incorrect"), "Não."),
        ("quiz-1", {"questions": [{**QUIZ, "feedback": "{}"}]}, ("questions", 0, "feedback"), {}),
        (
            "quiz-1",
            {"questions": [{**QUIZ, "answers": {"a": "2", "b": "3"}, "correct": "a"}]},
            ("questions", 0, "answers", 0),
            {"text": "<p>2</p>", "correct_answer": True},
        ),
        (
            "quiz-1",
            {"questions": [{**QUIZ, "answers": [{"answer": "2"}, {"answer": "3"}], "correct": "3"}]},
            ("questions", 0, "answers", 1, "correct_answer"),
            True,
        ),
        (
            "flashcards-1",
            {"title": "Palavras", "flashcards_items": [["um", "1"], ["dois", "2"]]},
            ("flashcards_items", 1),
            {"term": "<p>dois</p>", "definition": "<p>2</p>"},
        ),
        ("text-1", {"text": "x", "background_color": " ff8800 "}, ("background_color",), "#ff8800"),
        ("hotspots-1", {"background_image": "x", "markers": [{"x": 0.25, "y": 1}]}, ("markers", 0, "x"), "25%"),
        ("hotspots-1", {"background_image": "x", "markers": [{"x": 0.25, "y": 250}]}, ("markers", 0, "y"), 250),
        ("hotspots-1", {"background_image": "x", "markers": [{"x": 0.25, "y": 60}]}, ("markers", 0, "x"), 0.25),
    ],
)
def test_small_slips_in_a_widget_are_mended_where_they_stand(kind: str, spoilt: Any, place: Any, meant: Any) -> None:
    """What has another form than it should; what could be anything stays."""
    made, _ = mend({"lessonData": lesson(kind, spoilt)})
    here: Any = made["lessonData"]["widgets"][2]["content"]
    for step in place:
        here = here[step]
    assert here == meant


@pytest.mark.parametrize("key", ["widget", "widgetType"])
def test_a_widget_may_say_its_type_in_other_words(key: str) -> None:
    made = lesson()
    made["widgets"][1][key] = made["widgets"][1].pop("type")
    mended, fixes = mend({"lessonData": made})
    assert mended["lessonData"] == lesson()
    assert [fix.description for fix in fixes] == [f'Renamed "{key}" to "type"']


def test_addresses_are_asked_by_whoever_is_given_and_told_as_warnings() -> None:
    """Only those that are addresses, and none when there are none."""
    asked: list[list[str]] = []

    def reach(addresses: Any) -> dict[str, str]:
        asked.append(list(addresses))
        return {address: "404" for address in asked[-1] if "gone" in address}

    made = lesson()
    made["widgets"][0]["content"] = {"category": "x", "avatar": "https://example.com/gone.png"}
    slides = [{"image": "https://example.com/here.png"}, {"image": "http://[bad"}, {"video": 7}, {"more": {"image": "x"}}, 7]
    made["widgets"].append({"type": "gallery-1", "content": {"slides": slides}})
    out = validate_lesson_data(made, reach=reach)
    assert asked == [["https://example.com/gone.png", "https://example.com/here.png"]]
    assert [issue.message for issue in out.issues if issue.constraint == "reachable"] == [
        "lessonData.widgets[0].content.avatar: did not answer: 404"
    ]
    validate_lesson_data({"widgets": 7}, reach=reach)
    validate_lesson_data(7, reach=reach)
    assert len(asked) == 1


@pytest.mark.parametrize("address", ["", "   ", "http://[::1", "avatar.png", "javascript:alert(1)", None, 7, []])
def test_an_optional_address_that_is_none_is_an_issue_for_the_rules_and_is_left_out(address: Any) -> None:
    made = lesson("head-1", {"category": "x", "avatar": address})
    assert any("avatar" in issue.field for issue in check_arguments(VALIDATE_LESSON_DATA, {"lessonData": made}, LIMITS))
    out = validate_lesson_data(made)
    assert out.data is not None
    assert out.data.lesson["widgets"][0]["content"] == {"category": "x"}
    assert [fix.path for fix in out.data.fixes] == ["lessonData.widgets[0].content.avatar"]


def _texts(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {text for one in inner for text in _texts(one)}


SENTENCES = sorted(text for one in VALIDATE_LESSON_DATA.examples for text in _texts(one) if len(text.split()) > 2)


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("marks", ['"{}"', '<b class="x">{}</b>'])
def test_quotes_without_a_backslash_are_mended_in_a_text_of_any_widget(text: str, indent: int | None, marks: str) -> None:
    """Each widget is a branch of a union, and all call their members `content`."""
    words = text.split(" ")
    words[1] = marks.format(words[1])
    quoted = " ".join(words)
    example = next(one for one in VALIDATE_LESSON_DATA.examples if text in _texts(one))
    written = json.dumps({"tool": VALIDATE_LESSON_DATA.name, **example}, indent=indent, ensure_ascii=False)
    block = Guard(LESSON_TOOLS).check(written.replace(json.dumps(text, ensure_ascii=False), f'"{quoted}"'))
    assert block.executable
    assert quoted in {found.replace("&amp;", "&") for found in _texts(block.arguments)}


@pytest.mark.parametrize("example", VALIDATE_LESSON_DATA.examples)
def test_keys_without_quotes_are_mended_in_a_whole_lesson(example: dict[str, Any]) -> None:
    written = json.dumps({"tool": VALIDATE_LESSON_DATA.name, **example}, ensure_ascii=False)
    block = Guard(LESSON_TOOLS).check(re.sub(r'"([A-Za-z_]\w*)":', r"\1:", written))
    assert block.executable
    assert block.call is not None
    assert block.call.arguments == example


def test_the_examples_are_lessons_with_every_widget() -> None:
    kinds = [widget["type"] for one in VALIDATE_LESSON_DATA.examples for widget in one["lessonData"]["widgets"]]
    assert set(kinds) == set(WIDGETS)
    for example in VALIDATE_LESSON_DATA.examples:
        out = validate_lesson_data(example)
        assert out.data is not None
        assert out.data.fixes == ()
        assert out.data.lesson == example["lessonData"]


def test_lessons_can_be_served_as_a_tool() -> None:
    """One tool, that answers with what the specification asks for."""
    (tool,) = LESSON_SERVICE
    assert tool.handler is not None
    assert tool.handler({"lessonData": lesson()})["success"] is True


def test_without_a_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nh3", None)
    spec = importlib.util.find_spec("stream_guard.tools.lessons.html")
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(ImportError, match=r"lessons need the package nh3; run pip install .stream-guard-llm\[lessons\]"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
