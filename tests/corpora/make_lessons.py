"""Prints the rows of `lessons.jsonl`: `python -m tests.corpora.make_lessons`.

A row is a good lesson, spoiled in one to six ways, with the lesson that was meant, or with the places of the issues that must
be reported where a person would have to guess. The ways are those of models that write lessons in Portuguese and English, and
their weights go from 1 (seen) to 5 (daily). They share no code with the fixes, and were written from the specification. The
draws are from a fixed seed.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tests.corpora.lesson_texts import LESSONS, Widget, pictures
from tests.corpora.rows import HERE, aside

Lesson = dict[str, Any]
Places = list[str] | None
Spoil = Callable[[Any, Any], Places]
"""Takes what is spoiled and what was meant, and changes them. Returns places of issues if nobody can know what was meant."""


class Way(NamedTuple):
    """A way to spoil a lesson."""

    name: str
    room: str
    weight: int
    why: str
    spoil: Spoil
    language: str | None


WAYS: Final[list[Way]] = []


def way(room: str, weight: int, why: str, language: str | None = None) -> Callable[[Spoil], Spoil]:
    """Register a way to spoil a room: `metadata`, `lesson`, or a kind of widget without its number."""

    def register(spoil: Spoil) -> Spoil:
        WAYS.append(Way(getattr(spoil, "__name__", ""), room, weight, why, spoil, language))
        return spoil

    return register


def rename(held: dict[str, Any], **names: str) -> None:
    """Give keys other names, at their places."""
    items = [(names.get(name, name), value) for name, value in held.items()]
    held.clear()
    held.update(items)


def bare(text: str) -> str:
    """The text without its paragraph."""
    return text.removeprefix("<p>").removesuffix("</p>")


def renaming(room: str, weight: int, name: str, within: str = "", language: str | None = None, /, **names: str) -> None:
    """Register a way that only renames keys, of the content or of each entry of one of its lists."""

    def spoil(bad: Any, good: Any) -> Places:
        for held in bad[within] if within else [bad]:
            rename(held, **names)
        return None

    said = ", ".join(f"{new} for {old}" for old, new in names.items())
    WAYS.append(Way(name, room, weight, f"other names: {said}", spoil, language))


# metadata

renaming("metadata", 5, "topic_is_title", topic="title")
renaming(
    "metadata",
    3,
    "metadata_portuguese",
    "",
    "pt",
    topic="tema",
    duration="duração",
    learningObjectives="objetivos",
    subject="disciplina",
    gradeLevel="série",
)
renaming("metadata", 4, "objectives_short", learningObjectives="objectives")
renaming("metadata", 4, "metadata_snake", learningObjectives="learning_objectives", gradeLevel="grade_level")


@way("metadata", 4, "the text spells a number")
def duration_as_text(bad: Lesson, good: Lesson) -> Places:
    bad["duration"] = str(good["duration"])
    return None


@way("metadata", 4, "minutes are what the field counts in")
def duration_with_unit(bad: Lesson, good: Lesson) -> Places:
    bad["duration"] = f"{good['duration']} min"
    return None


@way("metadata", 4, "minutes are what the field counts in", "pt")
def duration_in_minutos(bad: Lesson, good: Lesson) -> Places:
    bad["duration"] = f"{good['duration']} minutos"
    return None


@way("metadata", 3, "an hour has sixty minutes", "pt")
def duration_in_hours(bad: Lesson, good: Lesson) -> Places:
    bad["duration"] = "1 hora"
    good["duration"] = 60
    return None


@way("metadata", 4, "one objective is a list of one")
def objective_alone(bad: Lesson, good: Lesson) -> Places:
    good["learningObjectives"] = good["learningObjectives"][:1]
    bad["learningObjectives"] = good["learningObjectives"][0]
    return None


@way("metadata", 3, "null for what is not given")
def metadata_nulls(bad: Lesson, good: Lesson) -> Places:
    bad["bnccAlignment"] = None
    good.pop("bnccAlignment", None)
    bad["gradeLevel"] = None
    del good["gradeLevel"]
    return None


@way("metadata", 3, "a list of one code", "pt")
def bncc_list(bad: Lesson, good: Lesson) -> Places:
    bad["bnccAlignment"] = [good["bnccAlignment"]]
    return None


@way("metadata", 3, "no topic was written")
def topic_missing(bad: Lesson, good: Lesson) -> Places:
    del bad["topic"]
    return ["metadata.topic"]


@way("metadata", 2, "blanks are no topic")
def topic_blank(bad: Lesson, good: Lesson) -> Places:
    bad["topic"] = "        "
    return ["metadata.topic"]


@way("metadata", 2, "a topic has five characters")
def topic_short(bad: Lesson, good: Lesson) -> Places:
    bad["topic"] = "Água"
    return ["metadata.topic"]


@way("metadata", 2, "which six are to stay is not known")
def objectives_many(bad: Lesson, good: Lesson) -> Places:
    bad["learningObjectives"] = [f"Explain part {number}" for number in range(1, 9)]
    return ["metadata.learningObjectives"]


# head

renaming("head", 4, "head_author", author_name="author")
renaming("head", 3, "head_role", author_office="role")
renaming("head", 3, "head_portuguese", "", "pt", category="categoria", author_name="autor")


@way("head", 4, "an optional picture that is not given")
def head_empty_picture(bad: Widget, good: Widget) -> Places:
    bad["avatar"] = ""
    good.pop("avatar", None)
    return None


@way("head", 4, "null for what is not given")
def head_nulls(bad: Widget, good: Widget) -> Places:
    bad["background_image"] = None
    bad["author_office"] = None
    good.pop("author_office", None)
    return None


@way("head", 2, "a script for a picture")
def head_script(bad: Widget, good: Widget) -> Places:
    bad["background_image"] = "javascript:alert(1)"
    return ["widgets[0].content.background_image"]


# text

renaming("text", 4, "text_is_content", text="content")
renaming("text", 3, "text_is_html", text="html")
renaming("text", 3, "text_portuguese", "", "pt", text="texto", title="titulo")


@way("text", 3, "a paragraph that was not closed")
def text_unclosed(bad: Widget, good: Widget) -> Places:
    bad["text"] = good["text"].removesuffix("</p>")
    return None


@way("text", 2, "a tag inside that was not closed")
def text_inner_unclosed(bad: Widget, good: Widget) -> Places:
    good["text"] = "<p>Read this <b>sentence to the class</b></p>"
    bad["text"] = "<p>Read this <b>sentence to the class</p>"
    return None


@way("text", 3, "the colour lacks its sign")
def color_without_sign(bad: Widget, good: Widget) -> Places:
    bad["background_color"] = "e0f2ff"
    good["background_color"] = "#e0f2ff"
    return None


@way("text", 3, "a colour that everyone knows")
def color_white(bad: Widget, good: Widget) -> Places:
    bad["background_color"] = "white"
    good["background_color"] = "#ffffff"
    return None


@way("text", 3, "no lesson means what runs; the text stays")
def text_runs(bad: Widget, good: Widget) -> Places:
    good["text"] = f'<p>A lesson for you all. <img src="{pictures("all")}"></p>'
    bad["text"] = good["text"].replace('">', '" onload="alert(1)">')
    return None


@way("text", 3, "no lesson means what runs; the text stays")
def text_script(bad: Widget, good: Widget) -> Places:
    good["text"] = "<p>A lesson for you all.</p>"
    bad["text"] = f"{good['text']}<script>fetch('https://example.net')</script>"
    return None


@way("text", 3, "nothing was written")
def text_blank(bad: Widget, good: Widget) -> Places:
    bad["text"] = "<p>&nbsp;</p>"
    return ["text"]


@way("text", 2, "one word explains nothing")
def text_tiny(bad: Widget, good: Widget) -> Places:
    bad["text"] = "<p>Texto.</p>"
    return ["text"]


# image and video

renaming("image", 5, "image_url", image="url")
renaming("image", 4, "image_src", image="src")
renaming("image", 3, "image_portuguese", "", "pt", image="imagem", caption="legenda", title="titulo")
renaming("video", 5, "video_url", video="url")
renaming("video", 3, "video_camel", video="videoUrl")


@way("image", 2, "blanks around the address")
def image_blanks(bad: Widget, good: Widget) -> Places:
    bad["image"] = f" {good['image']}\n"
    return None


@way("image", 2, "an address without its scheme")
def image_www(bad: Widget, good: Widget) -> Places:
    bad["image"] = "www.example.org/a.png"
    good["image"] = "https://www.example.org/a.png"
    return None


@way("image", 2, "the address in an image of Markdown")
def image_markdown(bad: Widget, good: Widget) -> Places:
    bad["image"] = f"![foto]({good['image']})"
    return None


@way("image", 3, "the address in an object")
def image_object(bad: Widget, good: Widget) -> Places:
    bad["image"] = {"url": good["image"]}
    return None


@way("image", 4, "no picture is given")
def image_placeholder(bad: Widget, good: Widget) -> Places:
    bad["image"] = "imagem-do-ciclo.png"
    return ["image"]


@way("image", 4, "no picture is given")
def image_empty(bad: Widget, good: Widget) -> Places:
    bad["image"] = ""
    return ["image"]


@way("video", 3, "the address in a frame to embed")
def video_frame(bad: Widget, good: Widget) -> Places:
    good["video"] = "https://www.youtube.com/embed/ncORPosDrjI"
    bad["video"] = f'<iframe width="560" height="315" src="{good["video"]}" allowfullscreen></iframe>'
    return None


@way("video", 2, "the address in a link of Markdown")
def video_markdown(bad: Widget, good: Widget) -> Places:
    bad["video"] = f"[Video]({good['video']})"
    return None


@way("video", 3, "the text spells false")
def autoplay_as_text(bad: Widget, good: Widget) -> Places:
    bad["autoplay"] = "false"
    good["autoplay"] = False
    return None


@way("video", 2, "Portuguese for no", "pt")
def autoplay_in_portuguese(bad: Widget, good: Widget) -> Places:
    bad["autoplay"] = "não"
    good["autoplay"] = False
    return None


@way("video", 3, "what to search for is no address")
def video_search(bad: Widget, good: Widget) -> Places:
    bad["video"] = "YouTube: o ciclo da água explicado"
    return ["video"]


# list

renaming("list", 4, "list_is_list", items="list")
renaming("list", 3, "list_type_short", list_type="type")
renaming("list", 3, "list_portuguese", "", "pt", items="itens", title="título")


@way("list", 3, "ordered is numbered")
def list_ordered(bad: Widget, good: Widget) -> Places:
    bad["list_type"] = "ordered"
    good["list_type"] = "numbered"
    return None


@way("list", 3, "unordered is bullet")
def list_unordered(bad: Widget, good: Widget) -> Places:
    bad["list_type"] = "unordered"
    good["list_type"] = "bullet"
    return None


@way("list", 2, "a checklist has checkboxes")
def list_checklist(bad: Widget, good: Widget) -> Places:
    bad["list_type"] = "Checklist"
    good["list_type"] = "checkbox"
    return None


@way("list", 3, "each item in an object of its own")
def list_objects(bad: Widget, good: Widget) -> Places:
    bad["items"] = [{"text": item} for item in good["items"]]
    return None


@way("list", 3, "the items as lines of a text")
def list_lines(bad: Widget, good: Widget) -> Places:
    bad["items"] = "\n".join(f"- {item}" for item in good["items"])
    return None


@way("list", 3, "an empty item at the end")
def list_empty_item(bad: Widget, good: Widget) -> Places:
    bad["items"] = [*good["items"], ""]
    return None


@way("list", 2, "numbers for texts")
def list_numbers(bad: Widget, good: Widget) -> Places:
    bad["items"] = [2, 3, 5]
    good["items"] = ["2", "3", "5"]
    return None


@way("list", 3, "there is nothing to list")
def list_empty(bad: Widget, good: Widget) -> Places:
    bad["items"] = []
    return ["items"]


# gallery

renaming("gallery", 4, "gallery_images", slides="images")
renaming("gallery", 4, "gallery_url", "slides", image="url")
renaming("gallery", 3, "gallery_description", "slides", content="description")
renaming("gallery", 2, "gallery_portuguese", "slides", "pt", image="imagem", title="titulo", content="conteudo")


@way("gallery", 3, "slides that are addresses alone")
def gallery_addresses(bad: Widget, good: Widget) -> Places:
    bad["slides"] = [slide["image"] for slide in good["slides"]]
    good["slides"] = [{"image": slide["image"]} for slide in good["slides"]]
    return None


@way("gallery", 3, "null for what is not given")
def gallery_nulls(bad: Widget, good: Widget) -> Places:
    for slide in bad["slides"]:
        slide["subtitle"] = None
    return None


@way("gallery", 3, "one picture is no gallery")
def gallery_single(bad: Widget, good: Widget) -> Places:
    bad["slides"] = bad["slides"][:1]
    return ["slides"]


# hotspots

renaming("hotspots", 4, "hotspots_image", background_image="image")
renaming("hotspots", 4, "hotspots_key", markers="hotspots")
renaming("hotspots", 3, "hotspots_points", markers="points")
renaming("hotspots", 4, "hotspots_label", "markers", title="label", content="description")
renaming("hotspots", 2, "hotspots_portuguese", "markers", "pt", title="titulo", content="conteudo")


@way("hotspots", 5, "numbers for percentages")
def hotspots_numbers(bad: Widget, good: Widget) -> Places:
    for marker in bad["markers"]:
        for name in "xy":
            number = float(marker[name][:-1])
            marker[name] = int(number) if number.is_integer() else number
    return None


@way("hotspots", 4, "percentages without their sign")
def hotspots_plain_text(bad: Widget, good: Widget) -> Places:
    for marker in bad["markers"]:
        marker.update({name: marker[name][:-1] for name in "xy"})
    return None


@way("hotspots", 3, "the place in an object of its own")
def hotspots_position(bad: Widget, good: Widget) -> Places:
    for marker in bad["markers"]:
        marker["position"] = {name: marker.pop(name) for name in "xy"}
    return None


@way("hotspots", 2, "a blank before the sign")
def hotspots_blank(bad: Widget, good: Widget) -> Places:
    for marker in bad["markers"]:
        marker.update({name: marker[name].replace("%", " %") for name in "xy"})
    return None


@way("hotspots", 2, "how many pixels the picture has is not known")
def hotspots_pixels(bad: Widget, good: Widget) -> Places:
    bad["markers"][0]["x"] = "120px"
    return ["markers[0].x"]


@way("hotspots", 3, "a marker without words")
def hotspots_no_content(bad: Widget, good: Widget) -> Places:
    del bad["markers"][1]["content"]
    return ["markers[1].content"]


# flashcards

renaming("flashcards", 5, "cards_front_back", "flashcards_items", term="front", definition="back")
renaming("flashcards", 5, "cards_question_answer", "flashcards_items", term="question", definition="answer")
renaming("flashcards", 4, "cards_key_cards", flashcards_items="cards")
renaming("flashcards", 5, "cards_key_flashcards", flashcards_items="flashcards")
renaming("flashcards", 4, "cards_key_items", flashcards_items="items")
renaming("flashcards", 3, "cards_word_meaning", "flashcards_items", term="word", definition="meaning")
renaming("flashcards", 2, "cards_concept", "flashcards_items", term="concept", definition="explanation")
renaming("flashcards", 3, "cards_portuguese", "flashcards_items", "pt", term="termo", definition="definição")
renaming("flashcards", 2, "cards_palavra", "flashcards_items", "pt", term="palavra", definition="significado")
renaming("flashcards", 2, "cards_capitals", "flashcards_items", term="Term", definition="Definition")


@way("flashcards", 5, "no paragraphs")
def cards_plain(bad: Widget, good: Widget) -> Places:
    bad["flashcards_items"] = [{name: bare(text) for name, text in card.items()} for card in bad["flashcards_items"]]
    return None


@way("flashcards", 2, "the cards as one mapping")
def cards_mapping(bad: Widget, good: Widget) -> Places:
    bad["flashcards_items"] = {bare(card["term"]): bare(card["definition"]) for card in good["flashcards_items"]}
    return None


@way("flashcards", 2, "the cards as pairs")
def cards_pairs(bad: Widget, good: Widget) -> Places:
    bad["flashcards_items"] = [[bare(card["term"]), bare(card["definition"])] for card in good["flashcards_items"]]
    return None


@way("flashcards", 3, "one card is too few")
def cards_single(bad: Widget, good: Widget) -> Places:
    bad["flashcards_items"] = bad["flashcards_items"][:1]
    return ["flashcards_items"]


@way("flashcards", 3, "a card without its other side")
def cards_no_definition(bad: Widget, good: Widget) -> Places:
    bad["flashcards_items"][0]["definition"] = ""
    return ["flashcards_items[0].definition"]


# quiz


def each_answer(quiz: Widget, change: Callable[[dict[str, Any]], None]) -> None:
    """Change every answer of a quiz."""
    for question in quiz["questions"]:
        for answer in question["answers"]:
            change(answer)


def texts(question: dict[str, Any]) -> list[str]:
    """The answers as bare texts."""
    return [bare(answer["text"]) for answer in question["answers"]]


def right(question: dict[str, Any]) -> int:
    """The number of the right answer."""
    return [answer["correct_answer"] for answer in question["answers"]].index(True)


def as_options(question: dict[str, Any], name: str, said: Any) -> None:
    """Turn a question into options with the right one told beside them."""
    options = texts(question)
    del question["answers"]
    question.update({"question": bare(question["question"]), "options": options, name: said})


renaming("quiz", 5, "quiz_options", "questions", answers="options")
renaming("quiz", 3, "quiz_question_text", "questions", question="text")
renaming("quiz", 2, "quiz_portuguese", "questions", "pt", question="pergunta", answers="respostas")


@way("quiz", 5, "no paragraphs")
def quiz_plain(bad: Widget, good: Widget) -> Places:
    for question in bad["questions"]:
        question["question"] = bare(question["question"])
    each_answer(bad, lambda answer: answer.update(text=bare(answer["text"])))
    return None


@way("quiz", 5, "isCorrect for correct_answer")
def quiz_is_correct(bad: Widget, good: Widget) -> Places:
    each_answer(bad, lambda answer: rename(answer, correct_answer="isCorrect"))
    return None


@way("quiz", 5, "options of text and correct")
def quiz_options_correct(bad: Widget, good: Widget) -> Places:
    each_answer(bad, lambda answer: rename(answer, correct_answer="correct"))
    for question in bad["questions"]:
        rename(question, answers="options")
    return None


@way("quiz", 4, "the right answer is marked, and only that")
def quiz_only_right_marked(bad: Widget, good: Widget) -> Places:
    each_answer(bad, lambda answer: answer["correct_answer"] or answer.pop("correct_answer"))
    return None


@way("quiz", 3, "true and false as texts")
def quiz_bool_texts(bad: Widget, good: Widget) -> Places:
    each_answer(bad, lambda answer: answer.update(correct_answer=str(answer["correct_answer"]).lower()))
    return None


@way("quiz", 2, "true and false in Portuguese", "pt")
def quiz_bool_portuguese(bad: Widget, good: Widget) -> Places:
    each_answer(bad, lambda answer: answer.update(correct_answer="verdadeiro" if answer["correct_answer"] else "falso"))
    return None


@way("quiz", 4, "the right answer told by its text")
def quiz_answer_text(bad: Widget, good: Widget) -> Places:
    for question in bad["questions"]:
        as_options(question, "correct_answer", texts(question)[right(question)])
    return None


@way("quiz", 4, "the right answer told by its letter")
def quiz_answer_letter(bad: Widget, good: Widget) -> Places:
    for question in bad["questions"]:
        as_options(question, "correct", "ABCD"[right(question)])
    return None


@way("quiz", 4, "the right answer told by the number 0, which can only be the first")
def quiz_answer_zero(bad: Widget, good: Widget) -> Places:
    del bad["questions"][1:], good["questions"][1:]
    for answer in (answers := good["questions"][0]["answers"]):
        answer["correct_answer"] = answer is answers[0]
    as_options(bad["questions"][0], "correct_index", 0)
    return None


@way("quiz", 3, "counted from 0 in one question, so also in the other")
def quiz_answer_indexes(bad: Widget, good: Widget) -> Places:
    if len(bad["questions"]) < 2 or not any(right(question) == 0 for question in bad["questions"]):
        bad["questions"].append(copy.deepcopy(bad["questions"][0]))
        for answer in (answers := bad["questions"][-1]["answers"]):
            answer["correct_answer"] = answer is answers[0]
        good["questions"] = copy.deepcopy(bad["questions"])
    for question in bad["questions"]:
        as_options(question, "correctIndex", right(question))
    return None


@way("quiz", 3, "1 is the first or the second")
def quiz_answer_one(bad: Widget, good: Widget) -> Places:
    del bad["questions"][1:]
    as_options(bad["questions"][0], "correct", 1)
    return ["questions[0]"]


@way("quiz", 3, "the answers as texts, the right one told in Portuguese", "pt")
def quiz_gabarito(bad: Widget, good: Widget) -> Places:
    for question in bad["questions"]:
        as_options(question, "gabarito", texts(question)[right(question)])
        rename(question, question="pergunta", options="opções")
    return None


@way("quiz", 3, "one question is a list of one")
def quiz_single_question(bad: Widget, good: Widget) -> Places:
    del good["questions"][1:]
    bad["questions"] = bad["questions"][0]
    return None


@way("quiz", 3, "one question flat in the content")
def quiz_flat(bad: Widget, good: Widget) -> Places:
    del good["questions"][1:]
    bad.update(bad.pop("questions")[0])
    return None


@way("quiz", 3, "a picture that is not given, and that no quiz has")
def quiz_empty_extra(bad: Widget, good: Widget) -> Places:
    for question in bad["questions"]:
        question["image"] = ""
    return None


@way("quiz", 3, "a number as a text")
def quiz_attempts_text(bad: Widget, good: Widget) -> Places:
    bad["max_attempts"] = "3"
    good["max_attempts"] = 3
    return None


@way("quiz", 3, "nobody says which is right")
def quiz_no_right(bad: Widget, good: Widget) -> Places:
    each_answer(bad, lambda answer: answer.update(correct_answer=False))
    return ["questions[0].answers"]


@way("quiz", 3, "nobody says which is right")
def quiz_nothing_marked(bad: Widget, good: Widget) -> Places:
    each_answer(bad, lambda answer: answer.pop("correct_answer"))
    return ["questions[0].answers"]


@way("quiz", 3, "one answer is no choice")
def quiz_one_answer(bad: Widget, good: Widget) -> Places:
    question = bad["questions"][0]
    question["answers"] = [answer for answer in question["answers"] if answer["correct_answer"]]
    return ["questions[0].answers"]


@way("quiz", 2, "the right answer is none of those given")
def quiz_answer_elsewhere(bad: Widget, good: Widget) -> Places:
    for question in bad["questions"]:
        as_options(question, "answer", "None of these")
    return ["questions[0]"]


@way("quiz", 2, "no question was written")
def quiz_blank_question(bad: Widget, good: Widget) -> Places:
    bad["questions"][0]["question"] = "<p></p>"
    return ["questions[0].question"]


# the lesson as a whole


def types(change: Callable[[str], str]) -> Spoil:
    """A way that spells every type otherwise."""

    def spoil(bad: Lesson, good: Lesson) -> Places:
        for one in bad["widgets"]:
            one["type"] = change(one["type"])
        return None

    return spoil


WAYS.extend(
    [
        Way("types_without_number", "lesson", 5, "the type without its number", types(lambda kind: kind[:-2]), None),
        Way("types_capital", "lesson", 3, "the type with a capital", types(str.capitalize), None),
        Way("types_underscore", "lesson", 3, "the type with an underscore", types(lambda kind: kind.replace("-", "_")), None),
        Way("types_widget", "lesson", 2, "the type with the word widget", types(lambda kind: f"{kind[:-2]}-widget"), None),
    ]
)


@way("lesson", 3, "kind for type")
def widgets_kind(bad: Lesson, good: Lesson) -> Places:
    for one in bad["widgets"]:
        rename(one, type="widget_type")
    return None


@way("lesson", 4, "data for content")
def widgets_data(bad: Lesson, good: Lesson) -> Places:
    for one in bad["widgets"]:
        rename(one, content="data")
    return None


@way("lesson", 4, "the content flat in the widget")
def widgets_flat(bad: Lesson, good: Lesson) -> Places:
    bad["widgets"] = [{"type": one["type"], **one["content"]} for one in bad["widgets"]]
    return None


@way("lesson", 3, "the content as a string of JSON")
def content_encoded(bad: Lesson, good: Lesson) -> Places:
    for one in bad["widgets"]:
        one["content"] = json.dumps(one["content"], ensure_ascii=False)
    return None


@way("lesson", 4, "wrapped in the name of the argument")
def wrapped_lesson_data(bad: Lesson, good: Lesson) -> Places:
    inner = dict(bad)
    bad.clear()
    bad["lessonData"] = inner
    return None


@way("lesson", 3, "wrapped once more")
def wrapped_lesson(bad: Lesson, good: Lesson) -> Places:
    inner = dict(bad)
    bad.clear()
    bad["lesson"] = inner
    return None


@way("lesson", 3, "wrapped, as a string of JSON")
def wrapped_encoded(bad: Lesson, good: Lesson) -> Places:
    inner = json.dumps(bad, ensure_ascii=False)
    bad.clear()
    bad["lessonData"] = inner
    return None


@way("lesson", 4, "the metadata flat in the lesson")
def metadata_flat(bad: Lesson, good: Lesson) -> Places:
    bad.update(bad.pop("metadata"))
    return None


@way("lesson", 4, "the head stands last")
def head_last(bad: Lesson, good: Lesson) -> Places:
    bad["widgets"].append(bad["widgets"].pop(0))
    return None


@way("lesson", 2, "sections for widgets")
def widgets_sections(bad: Lesson, good: Lesson) -> Places:
    rename(bad, widgets="sections")
    return None


@way("lesson", 3, "the subject is the category")
def head_without_category(bad: Lesson, good: Lesson) -> Places:
    bad["widgets"][0]["content"]["category"] = ""
    return None


@way("lesson", 3, "there is no category, and no subject that says it")
def category_unknown(bad: Lesson, good: Lesson) -> Places:
    bad["metadata"].pop("subject")
    bad["widgets"][0]["content"].pop("category")
    return ["widgets[0].content.category"]


@way("lesson", 3, "there is no head, and the subject is its category")
def head_missing(bad: Lesson, good: Lesson) -> Places:
    bad["widgets"] = [*bad["widgets"][1:], copy.deepcopy(bad["widgets"][1])]
    good["widgets"] = [{"type": "head-1", "content": {"category": good["metadata"]["subject"]}}, *copy.deepcopy(bad["widgets"])]
    return None


@way("lesson", 3, "there is no head, and no subject for one")
def head_unknown(bad: Lesson, good: Lesson) -> Places:
    bad["widgets"] = [*bad["widgets"][1:], copy.deepcopy(bad["widgets"][1])]
    bad["metadata"].pop("subject")
    return ["widgets[0]"]


@way("lesson", 3, "two widgets are no lesson")
def widgets_two(bad: Lesson, good: Lesson) -> Places:
    del bad["widgets"][2:]
    return ["widgets"]


@way("lesson", 2, "no widgets at all")
def widgets_none(bad: Lesson, good: Lesson) -> Places:
    bad["widgets"] = []
    return ["widgets"]


@way("lesson", 3, "a widget that there is not")
def widget_unknown(bad: Lesson, good: Lesson) -> Places:
    bad["widgets"].insert(1, {"type": "poll-1", "content": {"question": "<p>Agree?</p>"}})
    return ["widgets[1].type"]


@way("lesson", 3, "a widget without content")
def content_missing(bad: Lesson, good: Lesson) -> Places:
    del bad["widgets"][1]["content"]
    return ["widgets[1].content"]


LAST: Final = ["content_encoded", "widgets_flat", "wrapped_lesson_data", "wrapped_lesson", "wrapped_encoded"]
"""Ways after which no other finds its room."""


def composed(number: int, kinds: set[str]) -> Lesson:
    """A good lesson of a head, a text, some kinds and a quiz."""
    _, metadata, widgets = copy.deepcopy(LESSONS[number])
    kinds = kinds | {"head", "text", "quiz"}
    return {"metadata": metadata, "widgets": [one for one in widgets if one["type"][:-2] in kinds]}


def spoiled(number: int, ways: list[Way], more: set[str]) -> tuple[Lesson, Lesson, list[str]]:
    """A lesson as a model writes it, the lesson that was meant, and the places of issues that must be reported."""
    rooms = {one.room for one in ways if one.room not in ("lesson", "metadata")}
    good = composed(number, rooms | more)
    bad = copy.deepcopy(good)
    places: list[str] = []
    for one in sorted(ways, key=lambda one: (one.room == "lesson", one.name in LAST)):
        if one.room == "lesson":
            found = one.spoil(bad, good)
        elif one.room == "metadata":
            found = one.spoil(bad["metadata"], good["metadata"])
        else:
            place = [widget["type"] for widget in good["widgets"]].index(f"{one.room}-1")
            found = one.spoil(bad["widgets"][place]["content"], good["widgets"][place]["content"])
            found = found and [name if name.startswith("widgets") else f"widgets[{place}].content.{name}" for name in found]
        places += found or []
    return bad, good, places


def row(number: int, ways: list[Way], more: set[str]) -> dict[str, Any]:
    """A row of the file."""
    bad, good, places = spoiled(number, ways, more)
    language = LESSONS[number][0]
    names = "+".join(one.name for one in ways)
    row_id = f"{names}-{language}{number}"
    return {
        "id": row_id,
        "language": language,
        "class": names,
        "weight": round(sum(one.weight for one in ways) / len(ways)),
        "lesson": bad,
        "expected": None if places else good,
        "issues": places,
        "why": "; ".join(one.why for one in ways),
        "aside": aside(row_id),
    }


def made() -> list[dict[str, Any]]:
    """All rows: each way alone, then several at once."""
    draw = random.Random(20250)
    rows: list[dict[str, Any]] = []
    kinds = ["image", "video", "list", "gallery", "hotspots", "flashcards"]
    for count, one in enumerate(WAYS):
        able = numbers(one)
        rows.append(row(able[count % len(able)], [one], set(draw.sample(kinds, 1))))
    mendable = [one for one in WAYS if not places(numbers(one)[0], one)]
    fatal = [one for one in WAYS if one not in mendable and one.room != "lesson"]
    for count in range(90):
        number = count % len(LESSONS)
        fitting = [one for one in mendable if number in numbers(one)]
        wanted = draw.randint(2, 6)
        chosen: list[Way] = []
        if count % 6 == 0:
            chosen.append(draw.choice([one for one in fatal if number in numbers(one)]))
        for one in draw.sample(fitting, len(fitting)):
            alone = one.room == "lesson" and (one.name.startswith("head_") or any(places(number, other) for other in chosen))
            if len(chosen) < wanted and one.room not in {other.room for other in chosen} and not alone:
                chosen.append(one)
        rows.append(row(number, chosen, set()))
    return rows


def places(number: int, one: Way) -> list[str]:
    """The places of issues of a way."""
    return spoiled(number, [one], set())[2]


def numbers(one: Way) -> list[int]:
    """The numbers of the lessons that a way changes."""
    found = []
    for number, (language, *_) in enumerate(LESSONS):
        if one.language in (None, language):
            bad, good, _ = spoiled(number, [one], set())
            found += [number] if bad != good else []
    return found


def printed() -> str:
    """The file's text."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in made())


if __name__ == "__main__":
    (HERE / "lessons.jsonl").write_text(printed(), encoding="utf-8")
