"""The good lessons that `make_lessons.py` spoils: each has all nine widgets, in Portuguese or English."""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from typing import Any

Widget = dict[str, Any]


def quiz(*questions: tuple[str, list[str], int], **more: Any) -> Widget:
    """A quiz of questions, answers and the number of the right one."""
    made = [
        {
            "question": f"<p>{question}</p>",
            "answers": [{"text": f"<p>{text}</p>", "correct_answer": place == right} for place, text in enumerate(answers)],
        }
        for question, answers, right in questions
    ]
    return {"type": "quiz-1", "content": {"questions": made, **more}}


def flashcards(*pairs: tuple[str, str], **more: Any) -> Widget:
    """Flashcards of terms and definitions."""
    items = [{"term": f"<p>{term}</p>", "definition": f"<p>{definition}</p>"} for term, definition in pairs]
    return {"type": "flashcards-1", "content": {"flashcards_items": items, **more}}


def widget(kind: str, **content: Any) -> Widget:
    """A widget of a kind."""
    return {"type": kind, "content": content}


def pictures(name: str) -> str:
    """The URL of a picture."""
    return f"https://cdn.example.org/img/{name}.jpg"


LESSONS: list[tuple[str, dict[str, Any], list[Widget]]] = [
    (
        "pt",
        {
            "topic": "O ciclo da água",
            "duration": 50,
            "learningObjectives": ["Descrever as etapas do ciclo da água", "Relacionar o ciclo ao clima"],
            "bnccAlignment": "EF05CI02",
            "subject": "Ciências",
            "gradeLevel": "5º ano",
        },
        [
            widget("head-1", category="Ciências", author_name="Ana Souza", author_office="Professora"),
            widget("text-1", text="<p>A água evapora, forma nuvens e volta como chuva.</p>", title="Introdução", background_color="#e0f2ff"),
            widget("image-1", image=pictures("ciclo"), caption="O ciclo completo"),
            widget("video-1", video="https://www.youtube.com/watch?v=ncORPosDrjI", title="Assista", autoplay=False),
            widget("list-1", items=["Evaporação", "Condensação", "Precipitação"], list_type="numbered", title="Etapas"),
            widget("gallery-1", slides=[{"image": pictures("rio"), "title": "Rio", "content": "Água doce"}, {"image": pictures("mar"), "title": "Mar", "content": "Água salgada"}]),
            widget("hotspots-1", background_image=pictures("mapa"), markers=[{"x": "20%", "y": "75%", "title": "Oceano", "content": "Aqui a água evapora"}, {"x": "60%", "y": "15%", "title": "Nuvem", "content": "Aqui o vapor condensa"}]),
            flashcards(("Evaporação", "Passagem da água para vapor"), ("Condensação", "Passagem do vapor para água")),
            quiz(("O que forma as nuvens?", ["Vapor condensado", "Fumaça", "Poeira"], 0), ("Como a água volta ao solo?", ["Pela evaporação", "Pela precipitação"], 1), max_attempts=2),
        ],
    ),
    (
        "en",
        {
            "topic": "Photosynthesis in plants",
            "duration": 45,
            "learningObjectives": ["Explain how plants make sugar", "Name what they need for it"],
            "subject": "Biology",
            "gradeLevel": "Grade 7",
        },
        [
            widget("head-1", category="Biology", author_name="Sam Lee", author_office="Teacher"),
            widget("text-1", text="<p>Plants turn light, water and carbon dioxide into sugar.</p>", title="The idea"),
            widget("image-1", image=pictures("leaf"), caption="A leaf from close up", title="Leaf"),
            widget("video-1", video="https://vimeo.com/76979871", title="Watch this"),
            widget("list-1", items=["Light", "Water", "Carbon dioxide"], list_type="bullet"),
            widget("gallery-1", slides=[{"image": pictures("oak"), "title": "Oak", "content": "A tree"}, {"image": pictures("fern"), "title": "Fern", "content": "No flowers"}, {"image": pictures("moss"), "title": "Moss", "content": "Very small"}], autoplay=True),
            widget("hotspots-1", background_image=pictures("cell"), markers=[{"x": "35%", "y": "40%", "title": "Chloroplast", "content": "Light is caught here"}, {"x": "70%", "y": "55%", "title": "Vacuole", "content": "Water is kept here"}], title="Inside a cell"),
            flashcards(("Chlorophyll", "The green pigment of leaves"), ("Stoma", "A pore that lets gas in"), ("Glucose", "The sugar that is made"), title="Words"),
            quiz(("Which gas do plants take in?", ["Oxygen", "Carbon dioxide", "Helium"], 1), ("Where does it happen?", ["In the chloroplasts", "In the roots"], 0), title="Check yourself"),
        ],
    ),
    (
        "pt",
        {
            "topic": "Frações no dia a dia",
            "duration": 40,
            "learningObjectives": ["Comparar frações com o mesmo denominador"],
            "bnccAlignment": "EF06MA07",
            "subject": "Matemática",
            "gradeLevel": "6º ano",
        },
        [
            widget("head-1", category="Matemática", author_name="João d'Ávila"),
            widget("text-1", text="<p>Meia xícara de leite é <b>1/2</b> de uma xícara inteira.</p>", title="Na cozinha"),
            widget("image-1", image=pictures("pizza"), title="Uma pizza em 8 partes"),
            widget("video-1", video="https://www.youtube.com/watch?v=fracoes123", title="Vídeo"),
            widget("list-1", items=["Cortar a pizza", "Contar as fatias", "Escrever a fração"], list_type="checkbox", title="Faça em casa"),
            widget("gallery-1", slides=[{"image": pictures("meio"), "title": "Um meio", "content": "1/2"}, {"image": pictures("terco"), "title": "Um terço", "content": "1/3"}], title="Exemplos"),
            widget("hotspots-1", background_image=pictures("fracao"), markers=[{"x": "50%", "y": "25%", "title": "Numerador", "content": "As partes tomadas"}, {"x": "50%", "y": "75%", "title": "Denominador", "content": "As partes do todo"}]),
            flashcards(("Numerador", "O número de cima"), ("Denominador", "O número de baixo"), title="Palavras"),
            quiz(("Quanto é 1/4 + 2/4?", ["3/8", "3/4", "2/16"], 1), max_attempts=3, title="Pratique"),
        ],
    ),
    (
        "en",
        {
            "topic": "The water of the Nile & Egypt",
            "duration": 60,
            "learningObjectives": ["Say why Egypt grew along a river"],
            "subject": "History",
            "gradeLevel": "Grade 6",
        },
        [
            widget("head-1", category="History", author_name="Dr. O'Neill", author_office="Museum guide", avatar=pictures("oneill")),
            widget("text-1", text='<p>Each summer the Nile rose. Farmers called the land <i>"the black land"</i>.</p>', background_color="#fff4d6"),
            widget("image-1", image=pictures("nile"), caption="The Nile near Luxor"),
            widget("video-1", video="https://www.youtube.com/watch?v=hO1tzmi1V5g", autoplay=False),
            widget("list-1", items=["Flood", "Sowing", "Harvest"], list_type="numbered", title="Three seasons"),
            widget("gallery-1", slides=[{"image": pictures("giza"), "title": "Giza", "content": "Pyramids"}, {"image": pictures("karnak"), "title": "Karnak", "content": "A temple"}]),
            widget("hotspots-1", background_image=pictures("egypt"), markers=[{"x": "48.5%", "y": "12%", "title": "Delta", "content": "Where the river ends"}, {"x": "52%", "y": "88%", "title": "Aswan", "content": "The first cataract"}]),
            flashcards(("Pharaoh", "The king of Egypt"), ("Papyrus", "A plant used for paper")),
            quiz(("What made the fields fertile?", ["Rain", "Mud of the flood", "Sand", "Snow"], 1), ("Who was the pharaoh?", ["The king", "A farmer"], 0)),
        ],
    ),
]
