"""What a lesson costs: one of fifteen widgets, good, and as a model spoils it."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Iterator
from typing import Any

from stream_guard.tools.lessons import validate_lesson_data
from stream_guard.tools.lessons.catalogue import GOOD, lesson


def whole() -> dict[str, Any]:
    """A lesson of fifteen widgets, of all nine kinds."""
    made = lesson()
    more = ("image", "video", "list", "gallery", "hotspots", "text", "quiz", "flashcards", "text", "list", "quiz")
    made["widgets"] += [{"type": f"{kind}-1", "content": copy.deepcopy(GOOD[f"{kind}-1"])} for kind in more]
    return made


def spoilt() -> dict[str, Any]:
    """The same, with other names, without paragraphs, and with a tag left open."""
    made = whole()
    for widget in made["widgets"]:
        content = widget["content"]
        widget["type"] = widget["type"].partition("-")[0]
        for question in content.get("questions", ()):
            question["options"] = question.pop("answers")
            question["question"] = question["question"][3:-4]
        if "flashcards_items" in content:
            content["cards"] = content.pop("flashcards_items")
        if "text" in content:
            content["text"] = "<p>Uma fração é <b>uma parte</p> de um todo."
    return made


def table(turns: int) -> Iterator[str]:
    """The rows."""
    for name, made in (("a good lesson of fifteen widgets", whole()), ("one as models spoil it", spoilt())):
        took = []
        for _ in range(max(20, turns * 10)):
            start = time.perf_counter()
            out = validate_lesson_data(made)
            took.append((time.perf_counter() - start) * 1e3)
            assert out.success
        shown = f"{statistics.median(took):.2f} ms ({min(took):.2f}-{max(took):.2f})"
        yield f"| {name}, checked and mended | {shown} | under 2 ms | |"
