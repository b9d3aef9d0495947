"""`Grammar`: what `to_lark`, `to_gbnf`, `to_structural_tag` and `to_json_schema` return."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..values.call_keys import TOOL_KEY
from ..values.events import FENCE
from . import gbnf, json_schema, lark, structural_tag
from .calls import Described, GrammarError, Taken, calls, read
from .reading import NotExpressed, kinds_of
from .shapes import NULL, Items, Map, Member, Members, OneOf, Shape, Values, one_of


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar of calls."""

    text: str
    """The grammar."""

    triggers: tuple[str, ...] = ()
    """The texts from which on the grammar applies; empty if it applies to the whole reply."""

    not_expressed: tuple[NotExpressed, ...] = ()
    """The rules of the tools that the grammar does not express, each once."""

    def to_llama_cpp(self) -> dict[str, Any]:
        """Return the members of a request to llama.cpp's server."""
        made: dict[str, Any] = {"grammar": self.text}
        if self.triggers:
            made["grammar_lazy"] = True
            made["grammar_triggers"] = [{"type": 1, "value": trigger} for trigger in self.triggers]
            made["preserved_tokens"] = list(self.triggers)
        return made


def to_lark(tools: Sequence[Described], dialect: str, *, prose: bool) -> Grammar:
    """Return the grammar of replies in Lark."""
    found = calls(tools, dialect, several=prose)
    return Grammar(lark.text(found, prose=prose), (), found.lost)


def to_gbnf(tools: Sequence[Described], dialect: str, *, prose: bool) -> Grammar:
    """Return the grammar of replies in GBNF: with prose, of a reply from its first trigger on."""
    found = calls(tools, dialect, several=prose)
    triggers = tuple(entry.trigger for entry in found.entries) if prose else ()
    return Grammar(gbnf.text(found, prose=prose), triggers, found.lost)


_ANY_FENCE = "```json\n"
"""The beginning of a call in the `old` shape. With it, every fence of this language is a call."""


def to_structural_tag(tools: Sequence[Described], dialect: str, *, prose: bool, shape: str) -> Grammar:
    """Return the grammar of replies as the JSON of a structural tag."""
    if shape not in ("new", "old"):
        raise GrammarError(f"shape must be 'new' or 'old', got {shape!r}")
    if shape == "old" and not prose:
        raise GrammarError("the old shape always has free text around its calls; leave out prose=False")
    if shape == "old" and dialect == FENCE:  # the old shape has no room for the arguments beside the tool
        schema = to_json_schema(tools, strict=False)
        only = {"begin": _ANY_FENCE, "schema": json.loads(schema.text), "end": "\n```\n"}
        made = {"type": "structural_tag", "structures": [only], "triggers": [_ANY_FENCE]}
        return Grammar(json.dumps(made, ensure_ascii=False), (_ANY_FENCE,), schema.not_expressed)
    found = calls(tools, dialect, several=prose)
    made = structural_tag.new(found, prose=prose) if shape == "new" else structural_tag.old(found)
    triggers = tuple(entry.trigger for entry in found.entries)
    return Grammar(json.dumps(made, ensure_ascii=False), triggers if prose else (), found.lost)


def to_json_schema(tools: Sequence[Described], *, strict: bool) -> Grammar:
    """Return the JSON Schema of one call, as a fence holds it."""
    taken = read(tools)
    bodies = [_body(tool, form, strict=strict) for tool in taken for form in tool.forms()]
    named = {
        name: _strict(shape, tool, (name,)) if strict else shape for tool in taken for name, shape in tool.reader.named.items()
    }
    made = json_schema.document(one_of(*bodies), named)
    return Grammar(json.dumps(made, ensure_ascii=False), (), tuple(loss for tool in taken for loss in tool.reader.lost))


def _body(tool: Taken, form: Members | Map, *, strict: bool) -> Shape:
    """Return the shape of a call: its tool, and its arguments beside the tool."""
    if isinstance(form, Map):
        tool.reader.lose((), "additionalProperties", "accepts_less", "names that are not listed do not stand beside the tool")
        form = Members(())
    name = Member(TOOL_KEY, Values((json.dumps(tool.name, ensure_ascii=False),)), required=True)
    body = Members((name, *form.members))
    return _strict(body, tool, ()) if strict else body


def _strict(shape: Shape, tool: Taken, at: tuple[str, ...]) -> Shape:
    """Return a shape whose members are all required; null means that a member is left out."""
    if isinstance(shape, Members):
        made = []
        for member in shape.members:
            inner = _strict(member.shape, tool, (*at, "properties", member.key))
            if not member.required and "null" not in kinds_of(inner, tool.reader.named):
                why = "in strict mode null stands for a member that is left out; a guard removes it where that is certain"
                tool.reader.lose((*at, "properties", member.key), "required", "accepts_more", why)
                inner = one_of(inner, NULL)
            made.append(Member(member.key, inner, required=True))
        return Members(tuple(made))
    if isinstance(shape, Items):
        leading = tuple(_strict(part, tool, (*at, "prefixItems", str(number))) for number, part in enumerate(shape.leading))
        return Items(leading, _strict(shape.item, tool, (*at, "items")), shape.least, shape.most)
    if isinstance(shape, OneOf):
        return one_of(*(_strict(part, tool, (*at, "anyOf", str(number))) for number, part in enumerate(shape.shapes)))
    return shape
