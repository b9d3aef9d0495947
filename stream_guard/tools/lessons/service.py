"""The lesson tool for those who call it, and want its answer for a bad lesson too.

A guard lets no bad call through; here the bad one is what is asked about. So the arguments are taken as they come, and what is
wrong with them is the answer.
"""

from __future__ import annotations

from typing import Final

from ...toolset.tool import Risk, Tool
from ...toolset.toolset import Toolset
from . import validate_lesson_data
from .shapes import WIDGETS

_LESSON: Final = {
    "type": "object",
    "description": "The lesson. Small mistakes are mended; what cannot be is told, with what to do about it.",
    "properties": {
        "metadata": {
            "description": "topic (5-100 characters), duration (10-120), learningObjectives (at most 6), bnccAlignment"
        },
        "widgets": {"description": f"3-15 objects with type and content, head-1 first. Types: {', '.join(WIDGETS)}"},
        "assessmentStrategy": {"description": "How learning is assessed"},
        "widgetSelectionSummary": {"description": "Why these widgets"},
    },
}

LESSON_SERVICE: Final = Toolset(
    Tool(
        "validate_lesson_data",
        "Step 5 of the lesson workflow: checks a lesson, mends what can be mended, answers with the lesson or with what to fix",
        {"type": "object", "properties": {"lessonData": _LESSON}, "required": ["lessonData"]},
        risk=Risk.READ,
        handler=lambda arguments: validate_lesson_data(arguments).to_dict(),
    )
)
"""The tool, to be called."""
