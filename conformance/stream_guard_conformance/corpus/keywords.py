"""Rows of the keywords of JSON Schema: of each, a value that it takes, and one that it refuses, in three forms of calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from ..toolsets import Json
from .dialects import DIALECTS, WITHOUT_QUOTES
from .fences import fenced
from .native_rows import STREAMED, given
from .rows import CUTS, Draft, Meant, Row, cut
from .sent import Sent

BEGINNING: Final = "keywords/"


@dataclass(frozen=True, slots=True)
class Keyword:
    """The schema of a field, or of the arguments, and what it takes and refuses."""

    schema: Json
    good: Any
    bad: Any
    whole: bool = False
    """Whether `schema`, `good` and `bad` are of all arguments, and not of the field `value`."""

    defs: Json = field(default_factory=dict)

    def tool(self) -> Json:
        """Return a tool with this schema."""
        of_value = {
            "type": "object",
            "properties": {"value": self.schema},
            "required": ["value"],
            "additionalProperties": False,
        }
        schema = self.schema if self.whole else {**of_value, **({"$defs": self.defs} if self.defs else {})}
        return {
            "name": "set_value", "description": "Set it.", "input_schema": schema, "annotations": {"destructiveHint": False},
        }  # fmt: skip

    def call(self, value: Any) -> Meant:
        """Return a call with this value."""
        return Meant("set_value", value if self.whole else {"value": value})


def _object(**properties: Any) -> Json:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


_TEXT: Final = {"type": "string"}
_INTEGER: Final = {"type": "integer"}
_LIST: Final = {"type": "array", "items": _TEXT}
_ANY: Final = {"type": "object", "additionalProperties": True}

KEYWORDS: Final[Mapping[str, Keyword]] = {
    "$ref": Keyword({"$ref": "#/$defs/Person"}, {"iban": "x"}, {"name": 5}, defs={"Person": _object(iban=_TEXT)}),
    "$ref in a list": Keyword(
        {"type": "array", "items": {"$ref": "#/$defs/Id"}}, [7], [7, {"id": 7}], defs={"Id": {"type": "integer", "minimum": 1}}
    ),
    "oneOf": Keyword(
        {"oneOf": [_object(kind={"const": "circle"}, r={"type": "number"}), _object(kind={"const": "box"})]},
        {"kind": "box"},
        {"kind": "line"},
    ),
    "allOf": Keyword({"allOf": [_INTEGER, {"minimum": 3}, {"maximum": 5}]}, 4, 9),
    "not": Keyword({"type": "string", "not": {"enum": ["root", "admin"]}}, "ann", "root"),
    "const": Keyword({"const": 7}, 7, 8),
    "enum": Keyword({"enum": ["on", "off"]}, "on", "explode"),
    "enum of numbers": Keyword({"enum": [1, 2, 3]}, 2, 40),
    "minimum": Keyword({"type": "integer", "minimum": 3}, 3, -20),
    "maximum": Keyword({"type": "number", "maximum": 5}, 5, 900),
    "exclusiveMinimum": Keyword({"type": "number", "exclusiveMinimum": 0}, 0.5, 0),
    "exclusiveMaximum": Keyword({"type": "integer", "exclusiveMaximum": 10}, 9, 10),
    "multipleOf": Keyword({"type": "integer", "multipleOf": 5}, 15, 16),
    "minLength": Keyword({"type": "string", "minLength": 3}, "abc", "ab"),
    "maxLength": Keyword({"type": "string", "maxLength": 3}, "abc", "abcdefgh"),
    "pattern": Keyword({"type": "string", "pattern": "^[a-z]+-[0-9]{2}$"}, "ab-12", "ab-1x"),
    "minItems": Keyword({**_LIST, "minItems": 2}, ["a", "b"], ["a"]),
    "maxItems": Keyword({**_LIST, "maxItems": 2}, ["a", "b"], ["a", "b", "c"]),
    "uniqueItems": Keyword({**_LIST, "uniqueItems": True}, ["a", "b"], ["a", "b", "a"]),
    "contains": Keyword({"type": "array", "contains": {"const": "main"}}, ["a", "main"], ["a", "b"]),
    "prefixItems": Keyword({"type": "array", "prefixItems": [_TEXT, _INTEGER]}, ["a", 1], ["a", {"b": 1}]),
    "minProperties": Keyword({**_ANY, "minProperties": 1}, {"a": 1}, {}),
    "maxProperties": Keyword({**_ANY, "maxProperties": 1}, {"a": 1}, {"a": 1, "b": 2}),
    "propertyNames": Keyword({**_ANY, "propertyNames": {"pattern": "^[a-z]+$"}}, {"ab": 1}, {"AB!": 1}),
    "patternProperties": Keyword({"type": "object", "patternProperties": {"^n_": _INTEGER}}, {"n_a": 1}, {"n_a": {"x": 1}}),
    "additionalProperties": Keyword(_object(mode=_TEXT), {"mode": "a"}, {"mode": "a", "force_it_now": {"x": [1]}}),
    "required in an object": Keyword(_object(mode=_TEXT, size=_INTEGER), {"mode": "a", "size": 1}, {"mode": "a"}),
    "dependentRequired": Keyword(
        {"type": "object", "properties": {"card": _TEXT, "code": _TEXT}, "dependentRequired": {"card": ["code"]}},
        {"card": "1", "code": "2"},
        {"card": "1"},
        whole=True,
    ),
    "if and then": Keyword(
        {
            "type": "object",
            "properties": {"mode": {"enum": ["a", "b"]}, "size": _INTEGER},
            "required": ["mode"],
            "if": {"properties": {"mode": {"const": "b"}}},
            "then": {"required": ["size"]},
            "additionalProperties": False,
        },
        {"mode": "b", "size": 1},
        {"mode": "b"},
        whole=True,
    ),
    "a list of types": Keyword({"type": ["integer", "null"]}, None, {"x": 1}),
}
"""Each keyword with a value that it takes and one that it refuses, and that no change of its form makes right."""


def rows(seed: int) -> Iterator[Row]:
    """Yield the rows."""
    written = [name for name in DIALECTS if name not in WITHOUT_QUOTES]
    streamed = [*STREAMED]
    for nth, (name, keyword) in enumerate(KEYWORDS.items()):
        rng = Random(f"keywords:{name}:{seed}")
        for runs, value in ((True, keyword.good), (False, keyword.bad)):
            call = keyword.call(value)
            calls = [call] if runs else []
            says = f"`{name}` {'takes this value: the call runs' if runs else 'refuses this value: nothing runs'}"
            yield _fence(says, call, calls, keyword, CUTS[nth % 4], rng)
            yield _dialect(written[nth % len(written)], says, call, calls, keyword, CUTS[(nth + 1) % 4], rng)
            for protocol in (streamed[nth % len(streamed)], streamed[(nth + 3) % len(streamed)]):
                make, text = STREAMED[protocol]
                needs = ("native", "schemas")
                sent = Sent(f"{says}, in `{protocol}`.", make([given(call)]), calls, [[text]], needs, tools=[keyword.tool()])
                yield sent.row(f"{BEGINNING}native", protocol)


def _fence(says: str, call: Meant, calls: Sequence[Meant], keyword: Keyword, how: str, rng: Random) -> Row:
    block = fenced(json.dumps({"tool": call.name, **call.arguments}))
    draft = Draft().say("Now.\n\n").write(block, *calls, shown=not calls).say("\nSo.\n")
    deltas = cut(draft.text, how, rng)
    needed = ("fence", "schemas", *["streams"] * (len(deltas) > 1))
    return Row(
        f"{BEGINNING}fences", f"{says}.", [keyword.tool()], deltas, draft.timed(deltas), texts=[draft.pieces], needs=needed
    )


def _dialect(name: str, says: str, call: Meant, calls: Sequence[Meant], keyword: Keyword, how: str, rng: Random) -> Row:
    block = DIALECTS[name]([(call.name, call.arguments)])
    draft = Draft().say("Now.\n\n").write(block, *calls, shown=not calls)
    deltas = cut(draft.text, how, rng)
    needed = ("schemas", *["streams"] * (len(deltas) > 1))
    why = f"{says}, in the form `{name}`."
    return draft.in_dialect(f"{BEGINNING}dialects", why, name, [keyword.tool()], deltas, calls, needed)
