"""Two lessons as a model should write them: every widget is in one of them, in its shortest form."""

from __future__ import annotations

from typing import Any, Final

_FRACTIONS: Final[dict[str, Any]] = {
    "metadata": {"topic": "Fractions in the kitchen", "duration": 30, "learningObjectives": ["Compare two fractions"]},
    "widgets": [
        {"type": "head-1", "content": {"category": "Mathematics", "author_name": "Ana Lima"}},
        {
            "type": "text-1",
            "content": {
                "title": "Half a cup",
                "text": "<p>For four people one cup of milk; for two people half.</p>",
            },
        },
        {
            "type": "flashcards-1",
            "content": {
                "flashcards_items": [
                    {"term": "<p>Numerator</p>", "definition": "<p>The number above the line</p>"},
                    {"term": "<p>Denominator</p>", "definition": "<p>The number below the line</p>"},
                ]
            },
        },
        {
            "type": "quiz-1",
            "content": {
                "max_attempts": 2,
                "questions": [
                    {
                        "question": "<p>Which is more: one half or one third?</p>",
                        "answers": [
                            {"text": "<p>One half</p>", "correct_answer": True},
                            {"text": "<p>One third</p>", "correct_answer": False},
                        ],
                        "feedback": {"correct": "Right.", "incorrect": "Two parts of a cake are larger than three."},
                    }
                ],
            },
        },
    ],
}

_WATER: Final[dict[str, Any]] = {
    "metadata": {"topic": "O ciclo da água", "duration": 45, "subject": "Ciências", "gradeLevel": "4º ano"},
    "widgets": [
        {"type": "head-1", "content": {"category": "Ciências"}},
        {"type": "image-1", "content": {"image": "https://example.com/rio.png", "caption": "Um rio de manhã"}},
        {"type": "video-1", "content": {"video": "https://example.com/chuva.mp4", "autoplay": False}},
        {
            "type": "list-1",
            "content": {"title": "Os passos", "list_type": "numbered", "items": ["Evaporação", "Condensação", "Chuva"]},
        },
        {
            "type": "gallery-1",
            "content": {
                "slides": [
                    {"image": "https://example.com/nuvem.png", "title": "Nuvem"},
                    {"image": "https://example.com/lago.png", "title": "Lago"},
                ]
            },
        },
        {
            "type": "hotspots-1",
            "content": {
                "background_image": "https://example.com/mapa.png",
                "markers": [
                    {"x": "20%", "y": "35%", "title": "Mar", "content": "Daqui a água sobe."},
                    {"x": "70%", "y": "60%", "title": "Serra", "content": "Aqui ela volta."},
                ],
            },
        },
    ],
}

EXAMPLES: Final = ({"lessonData": _FRACTIONS}, {"lessonData": _WATER})
"""Arguments of the lesson tool."""
