"""The names that models use for the fields of a lesson and for widgets: a table with a reason for each row.

Two names are the same whatever their case, accents, signs between the words and number: `Opções`, `opcoes` and `opcao` are
one. So a row has each word once, in the singular or the plural.

Rule 1: rows are ordered. The first row of which the object has a name is used; other fields stay where they are.
Rule 2: if two names of one row hold different values, neither is used.
Rule 3: a name that states another unit or another meaning (`durationHours`, `retries`) is in no row.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from .shapes import WIDGETS, Shape


class Names(NamedTuple):
    """Names of a field that are equally likely to mean it."""

    words: tuple[str, ...]
    why: str


def _names(words: str, why: str) -> Names:
    return Names(tuple(word.strip() for word in words.split(",")), why)


_PT: Final = "The Portuguese word for it."
_ADDRESS: Final = (_names("url, src, href, link, uri, endereço", "The attribute of HTML that holds an address."),)
_IMAGE: Final = (
    _names("imagem", _PT),
    _names("image url, image src, image link, url da imagem, imagem url, link da imagem", "The name and what it is."),
    _names("picture, photo, foto, fotografia, figure, figura", "Another word for an image."),
    *_ADDRESS,
)
_TITLE: Final = (
    _names("título", _PT),
    _names("heading, header, headline, cabeçalho", "Where a title stands."),
    _names("label, rótulo, name, nome", "What a short text above something is."),
)
_AUTOPLAY: Final = (
    _names("reprodução automática, autoreprodução, iniciar automaticamente, tocar automaticamente", _PT),
    _names("auto start, play automatically", "Another word for it."),
)
_DESCRIPTION: Final = _names("description, descrição", "What a text about something is.")
_TEXT: Final = _names("text, texto", "What it is.")

NAMES: Final[Mapping[str, Mapping[str, tuple[Names, ...]]]] = {
    "lesson": {
        "metadata": (
            _names("metadados", _PT),
            _names("meta, lesson metadata, lesson info, info, informação", "A shorter or longer word for it."),
        ),
        "widgets": (
            _names("widget list, lesson widgets", "The name and what it is."),
            _names("component, componente, section, seção, block, bloco, module, módulo", "What others call a widget."),
            _names("element, elemento, item, content, conteúdo", "What a widget is in general."),
        ),
        "assessmentStrategy": (_names("estratégia de avaliação, assessment, avaliação", "The Portuguese or a shorter word."),),
        "widgetSelectionSummary": (_names("resumo da seleção de widgets, selection summary", "Portuguese, or shorter."),),
    },
    "metadata": {
        "topic": (
            _names("tópico, tema, theme, assunto, lesson topic", "The Portuguese or another word for it."),
            _names("title, título, lesson title, título da aula", "A lesson's title says what it is about."),
            _names("name, nome, lesson name, nome da aula", "What a lesson is called says the same."),
        ),
        "duration": (
            _names("duração, lesson duration, estimated duration, duração da aula, duração estimada", "Portuguese or longer."),
            _names(
                "minutes, duration minutes, duration in minutes, duration min, duração em minutos, duração minutos",
                "It adds the unit of the field, minutes.",
            ),
            _names("tempo, time, estimated time, tempo estimado", "Another word for it."),
        ),
        "learningObjectives": (
            _names("objective, objetivo, lesson objective, objetivo da aula, objetivo de aprendizagem",
                   "Portuguese or shorter."),
            _names("goal, learning goal, meta, aim, outcome, learning outcome, resultado de aprendizagem", "Another word."),
        ),
        "bnccAlignment": (
            _names("bncc, alinhamento bncc, alinhamento à bncc, alinhamento com a bncc", "Portuguese or shorter."),
            _names(
                "bncc code, código bncc, código da bncc, bncc skill, bncc habilidade, habilidade bncc, habilidade da bncc, "
                "bncc competency, bncc standard",
                "What stands in it: codes.",
            ),
        ),
        "subject": (
            _names("disciplina, discipline, matéria, componente curricular, subject area, school subject", "Another word."),
        ),
        "gradeLevel": (
            _names("grade, school grade, nível escolar, nível de ensino", "A shorter or longer word for it."),
            _names("ano, série, ano escolar, school year, year, ano série, turma", "What a grade is called in schools."),
            _names("level, nível", "The other half of the name."),
        ),
    },
    "widget": {
        "type": (
            _names("tipo, widget type, tipo de widget, kind, block type, component type", "Another word for it."),
            _names("widget, component, componente, widget name, name, nome", "What is named is the type."),
            _names("id, widget id", "The types look like ids."),
        ),
        "content": (
            _names("conteúdo, widget content", "The Portuguese or a longer word."),
            _names("data, dado, payload, value", "What a content is."),
            _names("props, property, propriedade, attribute, atributo, field, campo", "What components call it."),
            _names("config, configuration, configuração, setting, param, parameter, parâmetro", "What it is to a player."),
        ),
        "rationale": (_names("justificativa, racional, reason, motivo", "The Portuguese or another word."),),
        "educationalGoal": (
            _names("objetivo educacional, meta educacional, educational objective, objetivo pedagógico, goal, objetivo",
                   "The Portuguese or a shorter word."),
        ),
    },
    "head-1": {
        "category": (
            _names("categoria", _PT),
            _names("subject, disciplina, matéria", "A head's category is the subject."),
            _names("section, seção, área", "What a category is to a school."),
        ),
        "author_name": (
            _names("author, autor, autora, nome do autor, nome da autora", "The Portuguese or a shorter word."),
            _names("teacher, teacher name, professor, professora, nome do professor, instructor, educador", "Who writes it."),
        ),
        "author_office": (
            _names("office, cargo, author role, author title, cargo do autor", "The Portuguese or a shorter word."),
            _names("role, função, job, job title, occupation, ocupação, profession, profissão", "What an office is."),
        ),
        "background_image": (
            _names("imagem de fundo, background image url, background url", "The Portuguese or a longer word."),
            _names("background, fundo, cover, capa, cover image, imagem de capa, banner, hero image", "Where it stands."),
            *(_names("imagem, image", "A head has one image besides the avatar."), *_IMAGE[1:2]),
        ),
        "avatar": (
            _names("avatar url, avatar image, author avatar, avatar do autor", "A longer word."),
            _names("author image, author photo, foto do autor, foto da autora, imagem do autor", "Whose image it is."),
            _names("photo, foto, picture", "A head's photo is its author's."),
        ),
    },
    "text-1": {
        "text": (
            _names("texto", _PT),
            _names("content, conteúdo", "A text widget's content is its text."),
            _names("html, body, corpo, text content, conteúdo do texto", "What it is written in, or stands in."),
            _names("paragraph, parágrafo, description, descrição, value, valor, message, mensagem", "What a text is."),
        ),
        "title": _TITLE,
        "background_color": (
            _names("cor de fundo, background colour, bg color", "The Portuguese or another spelling."),
            _names("background, fundo, bg", "A text's background is a colour."),
            _names("color, colour, cor", "A shorter word."),
        ),
    },
    "quiz-1": {
        "questions": (
            _names("pergunta, questão, question list, quiz question, lista de perguntas", "The Portuguese or a longer word."),
            _names("item, quiz, exercise, exercício", "What the items of a quiz are."),
        ),
        "max_attempts": (
            _names("máximo de tentativas, max tentativas, tentativas máximas, número máximo de tentativas", _PT),
            _names("attempt, tentativa, número de tentativas, attempts allowed, tentativas permitidas, maximum attempts",
                   "A shorter or longer word."),
        ),
        "title": _TITLE,
    },
    "quiz-1.questions": {
        "question": (
            _names("pergunta, questão, question text, texto da pergunta", "The Portuguese or a longer word."),
            _names("enunciado, statement, prompt, stem", "What teachers call it."),
            _TEXT,
            _names("title, título, content, conteúdo, description, descrição", "What stands above the answers."),
        ),
        "answers": (
            _names("resposta, possible answer, answer option, resposta possível", "The Portuguese or a longer word."),
            _names("option, opção, choice, escolha, alternative, alternativa, opção de resposta", "What teachers call them."),
            _names("item", "What the answers of a question are in general."),
        ),
        "feedback": (
            _names("retorno, devolutiva, comment, comentário", "The Portuguese or another word."),
            _names("explanation, explicação, justification, justificativa, rationale", "What a feedback says."),
        ),
    },
    "quiz-1.questions.answers": {
        "text": (
            _names("texto, answer text, option text, texto da resposta", "The Portuguese or a longer word."),
            _names("answer, resposta, option, opção, choice, escolha, alternative, alternativa", "Whose text it is."),
            _names("content, conteúdo, label, rótulo, value, valor, title, título, description, descrição", "What a text is."),
        ),
        "correct_answer": (
            _names("resposta correta, resposta certa, is correct answer", "The Portuguese or a longer word."),
            _names("correct, is correct, correta, correto, é correta, é correto, esta correta", "Whether it is correct."),
            _names("right, is right, certa, certo, é certa, verdadeira, is answer, is true", "Another word for correct."),
        ),
    },
    "quiz-1.questions.feedback": {
        "correct": (
            _names("correto, correta, correct feedback, on correct, if correct, right answer, correct answer",
                   "Portuguese, longer."),
            _names("right, success, certo, acerto, positive, positivo, sucesso", "Another word for correct."),
        ),
        "incorrect": (
            _names("incorreto, incorreta, incorrect feedback, on incorrect, if incorrect, incorrect answer",
                   "Portuguese, longer."),
            _names("wrong, error, errado, erro, negative, negativo, fail", "Another word for incorrect."),
        ),
    },
    "flashcards-1": {
        "flashcards_items": (
            _names("flashcard, flashcard item, card item", "A shorter or another spelling."),
            _names("card, cartão, carta, ficha, cartão de memória", "What they are."),
            _names("item, pair, par, list, lista, deck", "What they are in general."),
            _names("term, termo, word, palavra, glossary, glossário, vocabulary, vocabulário, conceito, concept",
                   "What is on them."),
        ),
        "title": _TITLE,
    },
    "flashcards-1.flashcards_items": {
        "term": (
            _names("termo", _PT),
            _names("front, frente", "The first side of a card."),
            _names("question, pergunta", "What the first side of a card is."),
            _names("word, palavra, concept, conceito, expression, expressão, vocabulary", "What a term is."),
            _names("title, título, name, nome, key, chave, label", "What is explained."),
        ),
        "definition": (
            _names("definição", _PT),
            _names("back, verso", "The other side of a card."),
            _names("answer, resposta", "What the other side of a card is."),
            _names("meaning, significado, explanation, explicação, translation, tradução", "What a definition is."),
            _DESCRIPTION,
            _names("text, texto, content, conteúdo, value, valor", "What explains something."),
        ),
    },
    "image-1": {
        "image": _IMAGE,
        "caption": (
            _names("legenda, legend, image caption", "The Portuguese or another word."),
            _names("alt, alt text, texto alternativo", "The attribute of HTML that describes an image."),
            _DESCRIPTION,
            _TEXT,
        ),
        "title": _TITLE,
    },
    "video-1": {
        "video": (
            _names("video url, video link, video src, url do vídeo, link do vídeo", "The name and what it is."),
            _names("youtube, youtube url, link do youtube, vimeo, embed, embed url, embed code, iframe", "Where videos are."),
            *_ADDRESS,
        ),
        "title": _TITLE,
        "autoplay": _AUTOPLAY,
    },
    "list-1": {
        "items": (
            _names("list, lista, list item, item da lista", "A list's items are the list."),
            _names("bullet, point, ponto, topic, tópico, bullet point, marcador", "What items are."),
            _names("element, elemento, entry, entrada, step, passo, etapa", "What is listed."),
        ),
        "list_type": (
            _names("tipo de lista, tipo da lista", _PT),
            _names("type, tipo, kind", "A shorter word."),
            _names("style, estilo, list style, estilo da lista, format, formato", "What the type changes."),
        ),
        "title": _TITLE,
    },
    "gallery-1": {
        "slides": (
            _names("image, imagem, photo, foto, picture, figura", "What the slides show."),
            _names("item, slide list, gallery, galeria, gallery item, list, lista", "What slides are in general."),
        ),
        "title": _TITLE,
        "autoplay": _AUTOPLAY,
    },
    "gallery-1.slides": {
        "image": _IMAGE,
        "content": (
            _names("conteúdo", _PT),
            _DESCRIPTION,
            _names("caption, legenda, text, texto", "What is said of an image."),
            _names("alt, alt text, texto alternativo", "The attribute of HTML that describes an image."),
        ),
        "title": _TITLE,
        "subtitle": (_names("subtítulo, sub title", "The Portuguese word, or another spelling."),),
    },
    "hotspots-1": {
        "background_image": (
            _names("imagem de fundo, background image url, background url", "The Portuguese or a longer word."),
            _names("background, fundo, base image, imagem base", "A shorter word."),
            _names("image", "Hotspots have one image."),
            *_IMAGE,
        ),
        "markers": (
            _names("marcador, marca", _PT),
            _names("hotspot, spot, point, ponto, pin, ponto de interesse", "What markers are."),
            _names("item, área, location, local", "What is marked."),
        ),
        "title": _TITLE,
    },
    "hotspots-1.markers": {
        "x": (
            _names("left, esquerda", "The property of CSS that sets it."),
            _names("pos x, position x, posição x, x pos, x position, coord x, coordenada x, x coord, x percent, horizontal",
                   "Longer."),
        ),
        "y": (
            _names("top, topo", "The property of CSS that sets it."),
            _names("pos y, position y, posição y, y pos, y position, coord y, coordenada y, y coord, y percent, vertical",
                   "Longer."),
        ),
        "title": (*_TITLE, _names("term, termo", "What a marker explains.")),
        "content": (
            _names("conteúdo", _PT),
            _DESCRIPTION,
            _names("text, texto, body", "What it is."),
            _names("definition, definição, explanation, explicação, info, information, informação, detail, detalhe, tooltip",
                   "What a marker's text does."),
        ),
    },
}  # fmt: skip
"""The names of each field, by the place of its object."""

RIGHT: Final = (
    _names("correct answer, right answer, resposta correta, resposta certa, answer key, gabarito", "What teachers call it."),
    _names("correct option, correct choice, opção correta, alternativa correta, alternativa certa", "Which of them it is."),
    _names("correct, correta, correto, right, certa, certo", "A shorter word."),
    _names("answer, resposta, solution, solução", "The answer is the right one."),
)
"""The names of a question's field for the right answer: it may hold a text, a letter, a number, true or false."""

FROM_ZERO: Final = (
    _names(
        "correct index, correct answer index, answer index, right index, correct option index, right answer index, "
        "correct idx, índice correto, índice da resposta correta, índice da resposta, resposta correta índice, índice correta",
        "An index counts from zero.",
    ),
)
"""The names of that field if it states that the first answer is 0."""

FROM_ONE: Final = (
    _names(
        "correct number, correct answer number, correct option number, answer number, número da resposta, "
        "número da resposta correta, número da alternativa correta",
        "A number of something counts from one.",
    ),
)
"""The names of that field if it states that the first answer is 1."""

PARTS: Final[Mapping[str, Names]] = {
    "head-1": _names("author, autor, autora, teacher, professor, professora", "An author with a name, an office, an avatar."),
    "hotspots-1.markers": _names(
        "position, posição, coord, coordinate, coordenada, location, localização, point, ponto", "A place has an x and a y."
    ),
}
"""The names of objects inside an object whose fields may belong to the outer one."""

PART_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "head-1": {"name": "author_name", "nome": "author_name", "image": "avatar", "imagem": "avatar", "url": "avatar"},
    "hotspots-1.markers": {},
}
"""The names that fields have inside such an object, besides their names outside."""

WRAPPERS: Final = _names(
    "lesson data, lesson, aula, lição, data, dado, lesson plan, plano de aula, input, argument, result, validated lesson data",
    "The name of the argument, or of what a lesson is.",
)
"""The names of an object around a lesson."""

_KIND_NAMES: Final[Mapping[str, str]] = {
    "head-1": "header, heading, cabeçalho, hero, cover, capa, banner",
    "text-1": "texto, paragraph, parágrafo, rich text, html, text content, body",
    "quiz-1": "quizz, questionário, multiple choice, question, pergunta, múltipla escolha, questão, assessment, quizzes",
    "flashcards-1": "flashcard, flash card, card, cartão, cartão de memória",
    "image-1": "imagem, picture, photo, foto, figura, figure, img",
    "video-1": "vídeo, youtube, video player, vimeo",
    "list-1": "lista, bullet, bullet list, checklist, lista de itens, item list, numbered list",
    "gallery-1": "galeria, carousel, carrossel, slideshow, image gallery, galeria de imagens, slider, slide",
    "hotspots-1": "hotspot, hot spot, image hotspot, interactive image, imagem interativa, ponto interativo, imagem clicável",
}
"""The names that models use for the widgets."""

_PADDING: Final = frozenset({"widget", "component", "componente", "block", "bloco"})
"""Words in a widget's type that have no meaning there."""


def plain(text: str) -> str:
    """Return a text without case, accents, and blanks around it."""
    folded = unicodedata.normalize("NFD", text.strip().casefold())
    return "".join(char for char in folded if not unicodedata.combining(char))


@lru_cache(4096)
def folded(name: str) -> str:
    """Return a name without case, accents, signs between its words, and plurals."""
    return "".join(map(_singular, _words(name)))


@lru_cache(1024)
def kind_of(name: str) -> str | None:
    """Return the type of widget that a name means; None if it means none."""
    words = [_singular(word) for word in _words(name) if not word.isdigit()]
    return _KINDS.get("".join(word for word in words if word not in _PADDING))


def found(node: Mapping[str, Any], rows: Iterable[Names]) -> str | None:
    """Return the key of an object that is one of these names; None if there is none, or if two such keys have
    different values.
    """
    keys = {key: folded(key) for key in node}
    for row in rows:
        words = _folded(row)
        there = [key for key, name in keys.items() if name in words and says(node[key])]
        if there:
            return there[0] if all(node[key] == node[there[0]] for key in there) else None
    return None


def says(value: Any) -> bool:
    """Return whether a value counts as given. Null, blanks, empty lists and empty objects do not."""
    return value is not None and value != [] and value != {} and not (isinstance(value, str) and not value.strip())


def meant(place: str, shape: Shape, key: str) -> list[tuple[int, str]]:
    """Return the fields that a key may mean, each with its distance: 0 for another spelling, then the number of its row in the
    table.
    """
    name = folded(key)
    near = [(0, field) for field in shape["properties"] if folded(field) == name]
    rows = NAMES.get(place, {})
    far = [(rank, field) for field in rows for rank, row in enumerate(rows[field], 1) if name in _folded(row)]
    return sorted(near + far, key=lambda one: one[0])


def means(key: str, rows: Iterable[Names]) -> bool:
    """Return whether a key is one of these names."""
    return any(folded(key) in _folded(row) for row in rows)


@cache
def _folded(row: Names) -> frozenset[str]:
    return frozenset(map(folded, row.words))


_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


_LONGEST: Final = 80
"""The number of characters of a name that are read. The longest name of a field has less than half as many."""


def _words(name: str) -> list[str]:
    """Return the words of a name, without accents and in lower case."""
    bare = "".join(char for char in unicodedata.normalize("NFD", name[:_LONGEST]) if not unicodedata.combining(char))
    return [word.lower() for word in _WORD.findall(bare)]


def _singular(word: str) -> str:
    """Return one form for the singular and the plural of a word, in both languages."""
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
        for many, one in (("oe", "ao"), ("ae", "ao"), ("en", "em"), ("ore", "or"), ("ai", "al")):
            if word.endswith(many):
                return word[: -len(many)] + one
    return word


_KINDS: Final[Mapping[str, str]] = {
    folded(name): kind
    for kind in WIDGETS
    for name in (kind.partition("-")[0], *(name.strip() for name in _KIND_NAMES[kind].split(",")))
}
