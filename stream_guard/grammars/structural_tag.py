"""Prints calls as a structural tag, which vLLM and SGLang take: text is free up to a trigger, after which the grammar holds.

The new shape is a tree of formats. The old one has a JSON Schema between two texts, and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import gbnf, json_schema
from .calls import Calls, GrammarError
from .nodes import Alt, Json, Lexeme, Lit, Many, Node, Seq, seq
from .shapes import Shapes


def new(calls: Calls, *, prose: bool) -> dict[str, Any]:
    """Return the tree of formats."""
    tags = [
        {"type": "tag", "begin": begin, "content": _format(content, calls.named), "end": end}
        for begin, content, end in _tags(calls, "\n" if calls.line and prose else "")
    ]
    if not prose:
        return {"type": "structural_tag", "format": tags[0] if len(tags) == 1 else {"type": "or", "elements": tags}}
    made = {"type": "triggered_tags", "triggers": _triggers(calls), "tags": tags}
    return {"type": "structural_tag", "format": {**made, "at_least_one": False, "stop_after_first": False}}


def old(calls: Calls) -> dict[str, Any]:
    """Return the older shape. Raises GrammarError for a dialect whose calls are more than JSON between two texts."""
    structures = []
    for begin, content, end in _tags(calls, "\n" if calls.line else ""):
        if not isinstance(content, Json):
            raise GrammarError(
                "the old shape can hold one JSON Schema between two texts, and this dialect needs more; use shape='new'"
            )
        structures.append({"begin": begin, "schema": json_schema.document(content.shape, calls.named), "end": end})
    return {"type": "structural_tag", "structures": structures, "triggers": _triggers(calls)}


def _triggers(calls: Calls) -> list[str]:
    return [entry.trigger for entry in calls.entries]


def _tags(calls: Calls, behind: str) -> Iterator[tuple[str, Node, str]]:
    """Yield, for each form of a call, the text at its beginning, the node inside it, and the text at its end."""
    for entry in calls.entries:
        for form in entry.body.parts if isinstance(entry.body, Alt) else (entry.body,):
            parts = list(form.parts) if isinstance(form, Seq) else [form]
            begin, end = entry.trigger, behind
            if parts and isinstance(parts[0], Lit):
                begin += parts.pop(0).text  # type: ignore[union-attr]  # it was just asked
            if parts and isinstance(parts[-1], Lit):
                end = parts.pop().text + behind  # type: ignore[union-attr]  # as above
            yield begin, seq(*parts), end


def _format(node: Node, named: Shapes) -> dict[str, Any]:
    if isinstance(node, Lit):
        return {"type": "const_string", "value": node.text}
    if isinstance(node, Json) and not node.markers and not node.line:
        return {"type": "json_schema", "json_schema": json_schema.document(node.shape, named)}
    if isinstance(node, Seq) and node.parts and _has_json(node):
        return {"type": "sequence", "elements": [_format(part, named) for part in node.parts]}
    if isinstance(node, Alt) and _has_json(node):
        return {"type": "or", "elements": [_format(part, named) for part in node.parts]}
    if isinstance(node, Many) and _has_json(node):
        inner = _format(node.part, named)
        if (node.least, node.most) in _TIMES:
            return {"type": _TIMES[node.least, node.most], "content": inner}
        return {"type": "repeat", "min": node.least, "max": -1 if node.most is None else node.most, "content": inner}
    return {"type": "grammar", "grammar": gbnf.of_node(node, named)}


_TIMES = {(0, 1): "optional", (0, None): "star", (1, None): "plus"}


def _has_json(node: Node) -> bool:
    """Return whether a node contains a JSON Schema."""
    if isinstance(node, Seq | Alt):
        return any(map(_has_json, node.parts))
    if isinstance(node, Many | Lexeme):
        return _has_json(node.part)
    return isinstance(node, Json) and not node.markers and not node.line
