"""The lesson tool for callers that want its output for an invalid lesson too.

A guard lets no invalid call through, but a caller here asks about invalid lessons. So the arguments are accepted as they come,
and their issues are the output.
"""

from __future__ import annotations

from typing import Final

from ...running.toolset import Toolset
from ...toolset.tool import Risk, Tool
from . import validate_lesson_data
from .result import OUTPUT
from .shapes import WIDGETS

_LESSON: Final = {
    "type": ["object", "string"],
    "description": "The lesson, as an object or as JSON text. Small mistakes are fixed; others are reported with what to do.",
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
        "Step 5 of the lesson workflow: checks a lesson, fixes what can be fixed, and returns the lesson or its issues",
        {"type": "object", "properties": {"lessonData": _LESSON}, "required": ["lessonData"]},
        OUTPUT,
        risk=Risk.READ,
        handler=lambda arguments: validate_lesson_data(arguments).to_dict(),
    )
)
"""The toolset with only this tool."""
