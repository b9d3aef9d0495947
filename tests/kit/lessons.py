"""Lessons as models write them: good ones, the ways in which models spoil them, and some that nobody can save.

A broken lesson is a good one with one to six faults; what was meant is the good one.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from random import Random
from typing import Any

Lesson = dict[str, Any]
Fault = Callable[[Lesson, Random], bool]
"""Spoils a lesson; says whether there was something to spoil."""

_PICTURE = "https://cdn.example.com/img/{}.png"


def p(text: str) -> str:
    return f"<p>{text}</p>"


def head(category: str, **more: Any) -> Lesson:
    return {"type": "head-1", "content": {"category": category, **more}}


def text(said: str, **more: Any) -> Lesson:
    return {"type": "text-1", "content": {"text": said, **more}}


def quiz(*questions: tuple[str, list[str], int], **more: Any) -> Lesson:
    asked = [
        {
            "question": p(question),
            "answers": [{"text": p(answer), "correct_answer": at == right} for at, answer in enumerate(answers)],
        }
        for question, answers, right in questions
    ]
    return {"type": "quiz-1", "content": {"questions": asked, **more}}


def cards(*pairs: tuple[str, str], **more: Any) -> Lesson:
    made = [{"term": p(term), "definition": p(definition)} for term, definition in pairs]
    return {"type": "flashcards-1", "content": {"flashcards_items": made, **more}}


def image(name: str, **more: Any) -> Lesson:
    return {"type": "image-1", "content": {"image": _PICTURE.format(name), **more}}


def video(name: str, **more: Any) -> Lesson:
    return {"type": "video-1", "content": {"video": f"https://www.youtube.com/watch?v={name}", **more}}


def listing(*items: str, **more: Any) -> Lesson:
    return {"type": "list-1", "content": {"items": list(items), **more}}


def gallery(*names: str, **more: Any) -> Lesson:
    return {"type": "gallery-1", "content": {"slides": [{"image": _PICTURE.format(name)} for name in names], **more}}


def hotspots(name: str, *markers: tuple[str, str, str, str], **more: Any) -> Lesson:
    made = [{"x": x, "y": y, "title": title, "content": content} for x, y, title, content in markers]
    return {"type": "hotspots-1", "content": {"background_image": _PICTURE.format(name), "markers": made, **more}}


BASES: dict[str, Lesson] = {
    "frações": {
        "metadata": {
            "topic": "Frações no dia a dia 🍕", "duration": 50, "learningObjectives": ["Comparar frações"],
            "bnccAlignment": "EF06MA07", "subject": "Matemática", "gradeLevel": "6",
        },
        "widgets": [
            head("Matemática"),
            text("<p>Uma fração representa uma ou mais <b>partes iguais</b> de um todo.</p>", title="O que é?"),
            image("pizza", caption="Uma pizza em oito partes"),
            cards(("Numerador", "Quantas partes tomamos"), ("Denominador", "Em quantas partes dividimos")),
            quiz(("Quanto é 1/2 + 1/2?", ["1", "2", "1/4"], 0), max_attempts=2),
        ],
    },
    "água": {
        "metadata": {"topic": "O ciclo da água", "duration": 40, "bnccAlignment": "EF05CI02", "subject": "Ciências"},
        "widgets": [
            head("Ciências"),
            text("<h2>Evaporação</h2><p>O sol aquece a água dos rios e mares, que sobe como vapor.</p>"),
            video("agua123", title="Assista", autoplay=False),
            listing("Evaporação", "Condensação", "Precipitação", list_type="numbered"),
            hotspots("ciclo", ("50%", "20%", "Nuvem", "Aqui a água condensa"), ("10%", "80.5%", "Mar", "Daqui ela evapora")),
            quiz(
                ("O que faz a água evaporar?", ["O calor do sol", "A lua", "O vento frio"], 0),
                ("Como se chama a água que cai?", ["Vapor", "Precipitação"], 1),
            ),
        ],
    },
    "história": {
        "metadata": {"topic": "A Independência do Brasil", "learningObjectives": ["Situar 1822", "Conhecer D. Pedro I"]},
        "widgets": [
            head("História", author_name="João Conceição", author_office="Professor"),
            text("<p>Em 7 de setembro de 1822, às margens do Ipiranga, o Brasil rompeu com Portugal.</p>"),
            gallery("ipiranga", "pedro", "bandeira", title="Imagens"),
            cards(("1822", "Ano da independência"), ("D. Pedro I", "Primeiro imperador"), ("Ipiranga", "Riacho em São Paulo")),
            quiz(("Em que ano o Brasil ficou independente?", ["1500", "1822", "1889", "1964"], 1)),
        ],
    },
    "leitura": {
        "metadata": {"topic": "Interpretação de texto", "duration": 30, "subject": "Português", "bnccAlignment": "EF15LP03"},
        "widgets": [
            head("Português"),
            text("<p>Ler é mais do que juntar letras: é entender o que o autor quis dizer.</p>", background_color="#fff8e1"),
            listing("Quem fala?", "De que fala?", "Para quem fala?", title="Três perguntas", list_type="checkbox"),
            quiz(("O que é o tema de um texto?", ["O assunto", "O título", "A última frase"], 0)),
        ],
    },
    "photosynthesis": {
        "metadata": {"topic": "How plants make food", "duration": 45, "subject": "Biology", "gradeLevel": "7"},
        "widgets": [
            head("Biology"),
            text("<p>Plants turn light, water and carbon dioxide into sugar and oxygen.</p>"),
            image("leaf", title="A leaf"),
            hotspots("cell", ("30%", "40%", "Chloroplast", "Light is caught here"), ("70%", "60%", "Vacuole", "Water is here")),
            cards(("Chlorophyll", "The green pigment"), ("Stoma", "An opening in the leaf")),
            quiz(("What do plants breathe out?", ["Oxygen", "Nitrogen"], 0), title="Check"),
        ],
    },
    "programming": {
        "metadata": {"topic": "Your first loop", "learningObjectives": ["Repeat, do not copy"], "bnccAlignment": "EM13MAT315"},
        "widgets": [
            head("Computing"),
            text("<p>A loop repeats what stands in it: <code>for</code> each item, or <code>while</code> something holds.</p>"),
            video("loop42"),
            listing("for", "while"),
            cards(("for", "Once for each item"), ("while", "As long as something holds")),
            quiz(("Which loop counts the items?", ["while", "for"], 1)),
        ],
    },
    "geografia": {
        "metadata": {"topic": "Biomas do Brasil", "duration": 90, "subject": "Geografia", "bnccAlignment": "EF07GE11"},
        "widgets": [
            head("Geografia"),
            text("<p>O Brasil tem seis biomas: Amazônia, Cerrado, Caatinga, Mata Atlântica, Pantanal e Pampa.</p>"),
            hotspots("mapa", ("20%", "30%", "Amazônia", "A maior floresta"), ("55%", "85%", "Pampa", "Campos do sul")),
            gallery("amazonia", "cerrado", "caatinga"),
            image("pantanal", caption="O Pantanal na cheia"),
            listing("Amazônia", "Cerrado", "Caatinga", "Mata Atlântica", "Pantanal", "Pampa"),
            cards(("Caatinga", "Bioma só do Brasil"), ("Cerrado", "A savana brasileira")),
            video("biomas7"),
            quiz(("Qual bioma existe só no Brasil?", ["Pampa", "Caatinga", "Amazônia"], 1), max_attempts=3),
        ],
    },
}  # fmt: skip


def bare(said: str) -> str:
    """A text without its paragraph."""
    return re.sub(r"^<p>(.*)</p>$", r"\1", said)


def of(lesson: Lesson, kind: str) -> list[Lesson]:
    """The contents of the widgets of a kind."""
    return [one["content"] for one in lesson["widgets"] if one.get("type") == kind and isinstance(one.get("content"), dict)]


def renamed(kind: str, name: str, *others: str) -> Fault:
    def spoil(lesson: Lesson, chance: Random) -> bool:
        found = [content for content in of(lesson, kind) if name in content]
        other = chance.choice(others)
        for content in found:
            content[other] = content.pop(name)
        return bool(found)

    return spoil


def each(kind: str, name: str, change: Callable[[Any], Any]) -> Fault:
    """Every item of a list, changed."""

    def spoil(lesson: Lesson, _: Random) -> bool:
        found = [content for content in of(lesson, kind) if isinstance(content.get(name), list)]
        for content in found:
            content[name] = [change(item) for item in content[name]]
        return bool(found)

    return spoil


def question(change: Callable[[Any], Any]) -> Fault:
    return each("quiz-1", "questions", lambda item: change(item) if "answers" in item else item)


def told(named: str, say: Callable[[int, list[str]], Any]) -> Fault:
    """The right answer beside the answers, which are bare texts."""

    def change(item: Any) -> Any:
        if not all(isinstance(answer, dict) and "correct_answer" in answer for answer in item["answers"]):
            return item
        texts = [bare(answer["text"]) for answer in item["answers"]]
        right = next(at for at, answer in enumerate(item["answers"]) if answer["correct_answer"] is True)
        return {**item, "answers": texts, named: say(right, texts)}

    return question(change)


def answers(change: Callable[[Lesson], Lesson]) -> Fault:
    return question(
        lambda item: {**item, "answers": [change(answer) if isinstance(answer, dict) else answer for answer in item["answers"]]}
    )


def metadata(change: Callable[[Lesson], bool]) -> Fault:
    return lambda lesson, _: change(lesson["metadata"])


def swap(key: str, other: str, say: Callable[[Any], Any] = lambda value: value) -> Fault:
    def change(found: Lesson) -> bool:
        if key not in found:
            return False
        found[other] = say(found.pop(key))
        return True

    return metadata(change)


def kinds(change: Callable[[str], str]) -> Fault:
    def spoil(lesson: Lesson, chance: Random) -> bool:
        widget = chance.choice(lesson["widgets"][1:])
        if "type" not in widget:
            return False
        widget["type"] = change(widget["type"])
        return True

    return spoil


def late_head(lesson: Lesson, chance: Random) -> bool:
    if lesson["widgets"][0].get("type") != "head-1":
        return False
    lesson["widgets"].insert(chance.randrange(1, len(lesson["widgets"])), lesson["widgets"].pop(0))
    return True


def no_head(lesson: Lesson, _: Random) -> bool:
    subject = lesson["metadata"].get("subject")
    if subject is None or lesson["widgets"][0] != head(subject) or len(lesson["widgets"]) < 4:
        return False
    del lesson["widgets"][0]
    return True


def scattered(lesson: Lesson, _: Random) -> bool:
    lesson.update(lesson.pop("metadata"))
    return True


def unnamed_head(lesson: Lesson, _: Random) -> bool:
    subject, first = lesson.get("metadata", {}).get("subject"), lesson["widgets"][0]
    if subject is None or first != head(subject):
        return False
    first["content"] = {"category": ""}
    return True


def nulls(lesson: Lesson, _: Random) -> bool:
    """Fields that are none of the good lesson's, without a value."""
    for kind, name in (("image-1", "title"), ("quiz-1", "title"), ("list-1", "title"), ("gallery-1", "autoplay")):
        for content in of(lesson, kind):
            content.setdefault(name, None)
    return bool(of(lesson, "quiz-1"))


def hoisted(lesson: Lesson, chance: Random) -> bool:
    widget = chance.choice([one for one in lesson["widgets"] if "type" in one])
    if widget["type"] == "text-1" or not isinstance(widget.get("content"), dict):
        return False
    widget.update(widget.pop("content"))
    return True


def as_data(lesson: Lesson, chance: Random) -> bool:
    widget = chance.choice(lesson["widgets"])
    if not isinstance(widget.get("content"), dict):
        return False
    widget["data"] = widget.pop("content")
    return True


def one_question(lesson: Lesson, _: Random) -> bool:
    found = [content for content in of(lesson, "quiz-1") if len(content.get("questions", ())) == 1]
    for content in found:
        (content["questions"],) = content["questions"]
    return bool(found)


def text_alone(lesson: Lesson, _: Random) -> bool:
    found = [one for one in lesson["widgets"] if one.get("type") == "text-1" and list(one.get("content", ())) == ["text"]]
    for widget in found:
        widget["content"] = widget["content"]["text"]
    return bool(found)


def scripted(lesson: Lesson, _: Random) -> bool:
    found = [content for content in of(lesson, "text-1") if "text" in content]
    for content in found:
        content["text"] += "<script>alert(1)</script>"
    return bool(found)


def in_lines(lesson: Lesson, _: Random) -> bool:
    found = [content for content in of(lesson, "list-1") if isinstance(content.get("items"), list)]
    for content in found:
        content["items"] = "\n".join(f"- {item}" for item in content["items"])
    return bool(found)


def set_in(kind: str, name: str, say: Callable[[Any], Any]) -> Fault:
    def spoil(lesson: Lesson, _: Random) -> bool:
        found = [content for content in of(lesson, kind) if name in content]
        for content in found:
            content[name] = say(content[name])
        return bool(found)

    return spoil


def keyed(**names: str) -> Callable[[Lesson], Lesson]:
    """An object with other names for its keys."""
    return lambda item: {names.get(key, key): value for key, value in item.items()}


def shares(item: Lesson) -> Lesson:
    """Places as numbers, where they are whole ones."""
    return {key: int(value[:-1]) if key in ("x", "y") and value[:-1].isdigit() else value for key, value in item.items()}


def alone(item: Any) -> Any:
    return item["image"] if isinstance(item, dict) and len(item) == 1 else item


def styled(value: str) -> str:
    return {"numbered": "ordered", "checkbox": "checklist"}.get(value, "ul")


def faults() -> dict[str, Fault]:
    """The ways in which models spoil lessons."""
    return {
        "options": question(keyed(answers="options")),
        "alternativas": question(keyed(answers="alternativas")),
        "pergunta": question(keyed(question="pergunta")),
        "right by text": told("correct_answer", lambda right, texts: texts[right]),
        "right by letter": told("answer", lambda right, _: "ABCDEF"[right]),
        "right by index": told("correctIndex", lambda right, _: right),
        "wrong ones unmarked": answers(
            lambda answer: {key: value for key, value in answer.items() if key != "correct_answer" or value is True}
        ),
        "isCorrect": answers(keyed(correct_answer="isCorrect")),
        "booleans in words": answers(
            lambda answer: {
                key: ("sim" if value else "não") if isinstance(value, bool) else value for key, value in answer.items()
            }
        ),
        "questions bare": question(lambda item: {**item, "question": bare(item["question"])} if "question" in item else item),
        "answers bare": answers(lambda answer: {**answer, "text": bare(answer["text"])}),
        "one question": one_question,
        "attempts in words": set_in("quiz-1", "max_attempts", str),
        "flashcards": renamed("flashcards-1", "flashcards_items", "flashcards", "cards", "items"),
        "front and back": each("flashcards-1", "flashcards_items", keyed(term="front", definition="back")),
        "question and answer": each("flashcards-1", "flashcards_items", keyed(term="question", definition="answer")),
        "cards bare": each("flashcards-1", "flashcards_items", lambda item: {key: bare(value) for key, value in item.items()}),
        "quiz": kinds(lambda kind: kind.partition("-")[0]),
        "Quiz-1": kinds(lambda kind: kind.title()),
        "quiz1": kinds(lambda kind: kind.replace("-", "")),
        "quiz_1": kinds(lambda kind: kind.replace("-", "_").upper()),
        "late head": late_head,
        "no head": no_head,
        "hoisted": hoisted,
        "data": as_data,
        "minutes in words": swap("duration", "duration", lambda value: f"{value} minutos"),
        "minutes": swap("duration", "duration", str),
        "title": swap("topic", "title"),
        "tema": swap("topic", "tema"),
        "one objective": metadata(
            lambda found: (
                isinstance(found.get("learningObjectives"), list)
                and len(found["learningObjectives"]) == 1
                and not found.update(learningObjectives=found["learningObjectives"][0])
            )
        ),
        "bncc": swap("bnccAlignment", "bncc"),
        "small codes": swap("bnccAlignment", "bnccAlignment", str.lower),
        "codes in a list": swap("bnccAlignment", "bnccAlignment", lambda value: [value]),
        "grade as a number": swap("gradeLevel", "gradeLevel", int),
        "image url": renamed("image-1", "image", "url", "src", "imageUrl"),
        "video url": renamed("video-1", "video", "url", "videoUrl"),
        "autoplay in words": set_in("video-1", "autoplay", lambda value: str(value).lower()),
        "slides": renamed("gallery-1", "slides", "images", "imagens"),
        "slides bare": each("gallery-1", "slides", alone),
        "points": renamed("hotspots-1", "markers", "points", "hotspots"),
        "places": each("hotspots-1", "markers", keyed(x="left", y="top", content="description")),
        "shares as numbers": each("hotspots-1", "markers", shares),
        "items as objects": each("list-1", "items", lambda item: {"text": item}),
        "items in lines": in_lines,
        "kind of list": set_in("list-1", "list_type", styled),
        "text as content": text_alone,
        "text under content": renamed("text-1", "text", "content", "html"),
        "script": scripted,
        "no metadata": scattered,
        "unnamed head": unnamed_head,
        "nulls": nulls,
    }  # fmt: skip


APART = [
    {
        "right by text", "right by letter", "right by index", "wrong ones unmarked", "isCorrect", "booleans in words",
        "answers bare", "options", "alternativas", "one question", "pergunta", "questions bare",
    },
    {"front and back", "question and answer", "cards bare", "flashcards"},
    {"quiz", "Quiz-1", "quiz1", "quiz_1", "late head", "no head", "hoisted", "data", "text as content"},
    {"minutes in words", "minutes", "no metadata"}, {"title", "tema", "no metadata"},
    {"late head", "no head", "unnamed head", "hoisted"}, {"bncc", "small codes", "codes in a list", "no metadata"},
    {"one objective", "grade as a number", "no metadata", "no head", "unnamed head"},
    {"slides", "slides bare"}, {"points", "places", "shares as numbers"}, {"items as objects", "items in lines"},
    {"text as content", "text under content", "script"},
]  # fmt: skip
"""Faults of one place: a model makes one of them."""


def broken(seed: int) -> tuple[str, Lesson, Lesson]:
    """A lesson with one to six faults, and what was meant."""
    chance = Random(seed)
    name, base = list(BASES.items())[seed % len(BASES)]
    made = copy.deepcopy(base)
    every = list(faults().items())
    chance.shuffle(every)
    done: list[str] = []
    wanted = chance.randint(1, 6)
    for fault, spoil in every:
        if len(done) == wanted:
            break
        if any(fault in group and group & set(done) for group in APART):
            continue
        if spoil(made, chance) and made != base:
            done.append(fault)
    return f"{seed} {name}: {', '.join(done)}", made, base


LESSONS = {name: (made, meant) for name, made, meant in map(broken, range(80))}
"""Lessons that can be saved."""


def without(kind: str, **changes: Any) -> Lesson:
    """A good lesson with one widget's content changed; None takes a field away."""
    made = copy.deepcopy(BASES["geografia"])
    for content in of(made, kind):
        for key, value in changes.items():
            if value is None:
                content.pop(key)
            else:
                content[key] = value
    return made


def but(**changes: Any) -> Lesson:
    made = copy.deepcopy(BASES["frações"])
    return {**made, **changes}


_ASKED = BASES["frações"]["widgets"][4]["content"]["questions"][0]
FATAL: dict[str, Any] = {
    "no lesson": "Aqui está a aula!",
    "nothing": {},
    "no metadata": {"widgets": BASES["água"]["widgets"]},
    "no topic": but(metadata={"subject": "Matemática", "duration": 50}),
    "short topic": but(metadata={"topic": "IA"}),
    "long topic": but(metadata={"topic": "a" * 101}),
    "a blank topic": but(metadata={"topic": "<p>&nbsp;\u200b</p>"}),
    "too many objectives": but(metadata={"topic": "Frações no dia a dia", "learningObjectives": ["x"] * 7}),
    "no widgets": but(widgets=[]),
    "widgets are null": but(widgets=None),
    "two widgets": but(widgets=BASES["frações"]["widgets"][:2]),
    "sixteen widgets": but(widgets=[*BASES["frações"]["widgets"], *[BASES["frações"]["widgets"][1]] * 11]),
    "unknown widget": but(widgets=[*BASES["frações"]["widgets"], {"type": "poll-1", "content": {"question": "Gostou?"}}]),
    "no content": but(widgets=[*BASES["frações"]["widgets"], {"type": "text-1"}]),
    "no text": but(widgets=[*BASES["frações"]["widgets"], text(p(" "))]),
    "no questions": without("quiz-1", questions=[]),
    "no right answer": without(
        "quiz-1", questions=[{**_ASKED, "answers": [{**one, "correct_answer": False} for one in _ASKED["answers"]]}]
    ),
    "nobody knows the right answer": without("quiz-1", questions=[{**_ASKED, "answers": ["1", "2", "3"]}]),
    "one answer": without("quiz-1", questions=[{**_ASKED, "answers": _ASKED["answers"][:1]}]),
    "no question": without("quiz-1", questions=[{**_ASKED, "question": "<p></p>"}]),
    "no image": without("image-1", image=None),
    "an image that runs": without("image-1", image="javascript:alert(1)"),
    "an image nowhere": without("image-1", image="pantanal.png"),
    "one card": without("flashcards-1", flashcards_items=[{"term": p("a"), "definition": p("b")}]),
    "a card without a back": without(
        "flashcards-1", flashcards_items=[{"term": p("a")}, {"term": p("b"), "definition": p("c")}]
    ),
    "one slide": without("gallery-1", slides=[{"image": _PICTURE.format("a")}]),
    "no items": without("list-1", items=[]),
    "blank items": without("list-1", items=["", "b"]),
    "places in pixels": without("hotspots-1", markers=[{"x": "120px", "y": "30px", "title": "a", "content": "b"}] * 2),
    "only a script": but(widgets=[*BASES["frações"]["widgets"], text("<script>alert('uma mensagem longa')</script>")]),
}
"""Lessons that nobody can save without knowing more."""
