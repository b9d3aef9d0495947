"""Reads a compiled JSON Schema into shapes, and notes the rules that the shapes do not express.

Rule 1: a shape accepts no value that its schema refuses, except as noted in the list of what is not expressed.
Rule 2: objects have the members that the schema lists, in its order, and no others. That is a convention, and is not noted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, Literal

from ..schema.fields import resolve
from ..schema.schema import Schema, SchemaError
from ..schema.violations import kind_of
from ..values.issues import JsonPath, pointer
from . import numbers, regexes
from .nodes import NOTHING
from .shapes import (
    BOOLEAN,
    NEVER,
    NULL,
    Anything,
    Items,
    Map,
    Member,
    Members,
    Named,
    Number,
    OneOf,
    Shape,
    Shapes,
    Str,
    Values,
    items_of,
    map_of,
    members_of,
    one_of,
    parts_of,
    without_endless,
)  # fmt: skip

Effect = Literal["accepts_more", "accepts_less"]
"""Whether a grammar accepts calls that break a rule, or refuses calls that keep it."""


@dataclass(frozen=True, slots=True)
class NotExpressed:
    """One rule of a tool that a grammar does not express."""

    tool: str
    """The name of the tool."""

    pointer: str
    """The JSON pointer of the rule in the tool's schema; empty for a rule written in Python."""

    rule: str
    """The keyword of the rule, or the name of the function."""

    effect: Effect
    """`accepts_more`: the grammar accepts calls that break the rule. `accepts_less`: it refuses some that keep it."""

    why: str
    """The reason, for a person."""


LONGEST: Final = 500
"""Limit: the characters or items that a grammar counts. Each costs a state, and llama.cpp refuses 2,000."""

_BRANCHES: Final = 64
"""Limit: the branches that the unions of one schema form together. Each is written out."""

_DEEPEST: Final = 40
"""Limit: references inside each other without returning to an earlier one, since rules beside them may make ever
new schemas."""

_LARGEST: Final = 1_000
"""Limit: the shapes inside a shape that is written out at each of its places. A larger shape with a reference gets a name."""

_DATE: Final = (
    r"(?:(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8])))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
_TIME: Final = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_BYTE: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_HEX: Final = "[0-9a-fA-F]"
_FORMATS: Final[Mapping[str, str]] = {
    "date": f"^{_DATE}$",
    "time": f"^{_TIME}$",
    "date-time": f"^{_DATE}T{_TIME}$",
    "uuid": f"^{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}$",
    "ipv4": rf"^{_BYTE}\.{_BYTE}\.{_BYTE}\.{_BYTE}$",
}
"""The pattern of each format that grammars can express."""

_KINDS: Final = ("string", "integer", "number", "boolean", "null", "array", "object")

_FREE: Final = frozenset({
    "$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated",
    "readOnly", "writeOnly", "discriminator", "contentMediaType", "contentEncoding", "contentSchema", "$anchor",
    "$dynamicAnchor", "id", "minContains", "maxContains", "then", "else", "$vocabulary", "$recursiveAnchor",
})  # fmt: skip
"""Keywords that check nothing."""

_LATEST: Final = frozenset({"prefixItems"})
"""Keywords that have no meaning before the 2020 draft."""

_LATER: Final = _LATEST | {"unevaluatedItems", "unevaluatedProperties", "dependentRequired", "dependentSchemas"}
"""Keywords that have no meaning before the 2019 draft."""

_SAID: Final = frozenset({
    "type", "enum", "const", "properties", "required", "additionalProperties", "unevaluatedProperties", "items", "prefixItems",
    "additionalItems", "unevaluatedItems", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "minProperties", "maxProperties", "anyOf", "oneOf", "allOf", "$ref",
})  # fmt: skip
"""Keywords that a shape expresses, at least in part."""

_OF_KIND: Final[Mapping[str, str]] = {
    "multipleOf": "number", "uniqueItems": "array", "contains": "array", "patternProperties": "object",
    "propertyNames": "object", "dependentRequired": "object", "dependentSchemas": "object", "dependencies": "object",
}  # fmt: skip
"""Keywords that no shape expresses, with the type of value that each checks."""

_WHY: Final[Mapping[str, str]] = {
    "multipleOf": "no grammar divides",
    "uniqueItems": "no grammar compares the items of a list",
    "contains": "no grammar counts some of the items",
    "not": "no grammar excludes a shape of values",
    "if": "no grammar looks at a value before it has chosen the rules of another",
    "oneOf": "a value that fits two branches is accepted",
    "patternProperties": "no grammar matches a name against two rules",
    "propertyNames": "the names of members are not checked",
}
_APART: Final = "members that depend on each other are not checked"


class Reader:
    """Reads the schema of one tool."""

    def __init__(self, tool: str, schema: Schema) -> None:
        self._tool: Final = tool
        self._document: Final = schema.document
        self._names: Final[dict[str, str]] = {}
        self._open: Final[list[str]] = []
        self._known: Final[dict[str, Shape]] = {}
        draft = str(self._document.get("$schema", ""))
        self._alone: Final = re.search(r"/draft-0[3-7]/", draft) is not None
        self._unknown: Final = _LATER if self._alone else _LATEST if "/2019-09/" in draft else frozenset[str]()
        self.named: Final[dict[str, Shape]] = {}
        """The shapes that contain themselves, or are large and have a reference."""
        self.lost: Final[dict[NotExpressed, None]] = {}
        """The rules that are not expressed, each once."""

    def lose(self, at: JsonPath, rule: str, effect: Effect, why: str) -> None:
        """Note a rule that a shape does not express."""
        self.lost[NotExpressed(self._tool, pointer((*at, rule)), rule, effect, why)] = None

    def read(self) -> Shape:
        """Return the shape of the arguments."""
        return without_endless(self._read(self._document, ()), self.named)

    def _read(self, schema: Any, at: JsonPath) -> Shape:
        if not isinstance(schema, Mapping):
            return NEVER if schema is False else Anything()
        reference = schema.get("$ref")
        if isinstance(reference, str) and (self._alone or schema.keys() - _FREE == {"$ref"}):
            target = resolve(self._document, reference)
            if target is None:
                self.lose(at, "$ref", "accepts_more", "what it refers to is not found by a plain pointer")
                return self._anything(at)
            return self._opened(reference, target, at)
        text = json.dumps(schema, sort_keys=True)
        if '"$ref"' in text:  # a reference with rules beside it is recognised by its text
            return self._opened(text, schema, at)
        return self._shape(*self._flat(schema, at), at)

    def _opened(self, reference: str, target: Any, at: JsonPath) -> Shape:
        """Return the shape of a schema that may contain itself. The schema is known by its reference, or by its text, and read
        once.
        """
        if reference in self._known:
            return self._known[reference]
        if reference in self._open:
            self.lose(at, "$ref", "accepts_more", "nesting has no bound; a guard reads so many levels")
            return self._named(reference)
        if len(self._open) >= _DEEPEST:
            self.lose(at, "$ref", "accepts_more", f"more than {_DEEPEST} references stand in each other")
            return self._anything(at)
        self._open.append(reference)
        is_text = isinstance(target, Mapping) and reference[:1] == "{"
        shape = self._shape(*self._flat(target, at), at) if is_text else self._read(target, at)
        self._open.pop()
        if reference in self._names or _is_large(shape):
            name = self._named(reference)
            self.named[name.name] = shape
            shape = name
        self._known[reference] = shape
        return shape

    def _named(self, reference: str) -> Named:
        """Return the named shape of a reference's target."""
        return Named(self._names.setdefault(reference, f"{self._tool} {len(self._names) + 1}"))

    # -- included schemas

    def _flat(self, schema: Mapping[str, Any], at: JsonPath) -> tuple[dict[str, Any], list[tuple[str, list[Any]]]]:
        """Return a schema joined with all that it includes, and its unions separately."""
        made: dict[str, Any] = {}
        unions: list[tuple[str, list[Any]]] = []
        parts = list(self._included(schema, at, set()))
        self._lose_seen(parts, at)
        for part in _closed(parts):
            for key, value in part.items():
                if key in ("anyOf", "oneOf") and isinstance(value, list):
                    unions.append((key, value))
                elif key not in ("allOf", "$ref") and key not in _FREE:
                    made[key] = self._joined(key, made[key], value, at) if key in made and made[key] != value else value
        return made, unions

    def _lose_seen(self, parts: list[Mapping[str, Any]], at: JsonPath) -> None:
        """Note the rules that depend on the members or items that other rules have evaluated."""
        for number, part in enumerate(parts):
            for key in ("unevaluatedProperties", "unevaluatedItems"):
                rule = part.get(key, True)
                if rule is not True and (rule is not False or number):
                    self.lose(at, key, "accepts_more", "no grammar knows which members and items other rules have seen")
                if rule is not True and any(not _SEEING.isdisjoint(each) for each in parts):
                    self.lose(at, key, "accepts_less", "what only one of several rules has seen is not written")
        if len(parts) > 1 and sum(not part.keys().isdisjoint({"items", "prefixItems"}) for part in parts) > 1:
            if any("prefixItems" in part or isinstance(part.get("items"), list) for part in parts):
                self.lose(at, "prefixItems", "accepts_more", "of two rules for one item the first is kept")

    def _included(self, schema: Any, at: JsonPath, seen: set[int]) -> Iterator[Mapping[str, Any]]:
        """Yield the parts of a schema: itself without its references, and each schema that it includes, once."""
        if schema is False:
            yield {"enum": []}
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return
        seen.add(id(schema))
        alone = self._alone and isinstance(schema.get("$ref"), str)
        if not alone:  # before 2019 a reference hides the rules beside it
            yield {key: rule for key, rule in schema.items() if key not in self._unknown}
        included = None if alone else schema.get("allOf")
        for part in included if isinstance(included, list) else ():
            yield from self._included(part, at, seen)
        if isinstance(schema.get("$ref"), str):
            target = resolve(self._document, schema["$ref"])
            if target is None or schema["$ref"] in self._open:
                self.lose(at, "$ref", "accepts_more", "what it refers to is not found by a plain pointer, or contains itself")
            else:
                yield from self._included(target, at, seen)

    def _joined(self, key: str, one: Any, other: Any, at: JsonPath) -> Any:
        """Return one value for a keyword that two schemas have."""
        if key == "type":
            these, those = ([kinds] if isinstance(kinds, str) else kinds for kinds in (one, other))
            shared = [kind for kind in these if kind in those or (kind == "integer" and "number" in those)]
            return shared + [kind for kind in those if kind == "integer" and "number" in these and kind not in shared]
        if key == "properties":
            return {
                name: {"allOf": [one[name], other[name]]} if name in one and name in other else one.get(name, other.get(name))
                for name in (*one, *other)
            }
        if key == "required":
            return [*one, *(name for name in other if name not in one)]
        if key == "enum":
            return [value for value in one if any(kind_of(value) == kind_of(item) and value == item for item in other)]
        if key in ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"):
            return max(one, other)
        if key in ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"):
            return min(one, other)
        if key in ("items", "additionalProperties") and not isinstance(one, list) and not isinstance(other, list):
            return False if one is False or other is False else {"allOf": [one, other]}
        self.lose(at, key, "accepts_more", "of two such rules for one value the first is kept")
        return one

    # -- one schema

    def _shape(self, flat: Mapping[str, Any], unions: list[tuple[str, list[Any]]], at: JsonPath) -> Shape:
        if not unions:
            return self._single(flat, at)
        count = 1
        for _, branches in unions:
            count *= len(branches)
        if count > _BRANCHES:
            self.lose(at, unions[0][0], "accepts_more", f"its unions make more than {_BRANCHES} branches")
            return self._single(flat, at)
        (key, branches), rest = unions[0], unions[1:]
        others = [{kind: parts} for kind, parts in rest]
        if not flat and not rest:
            shapes = [self._read(branch, (*at, key, number)) for number, branch in enumerate(branches)]
        else:
            shapes = [
                self._read({"allOf": [dict(flat), branch, *others]}, (*at, key, number))
                for number, branch in enumerate(branches)
            ]
        if key == "oneOf" and not all(_apart(one, other) for number, one in enumerate(shapes) for other in shapes[:number]):
            self.lose(at, key, "accepts_more", _WHY[key])
        return one_of(*shapes)

    def _single(self, flat: Mapping[str, Any], at: JsonPath) -> Shape:
        kinds = flat.get("type", _KINDS)
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        if not kinds:  # two types exclude each other
            return NEVER
        if "number" in kinds:
            kinds = [kind for kind in kinds if kind != "integer"]
        for key in flat:
            if key not in _SAID and _OF_KIND.get(key, kinds[0] if kinds else "") in (*kinds, *_wider(kinds)):
                if key != "uniqueItems" or flat[key]:
                    self.lose(at, key, "accepts_more", _WHY.get(key, _APART))
        if "const" in flat or "enum" in flat:
            return self._listed(flat, at)
        if not flat.keys() - {"type"} and len(kinds) == len(_KINDS) - 1:
            return self._anything(at)
        return one_of(*(self._of_kind(kind, flat, at) for kind in kinds))

    def _anything(self, at: JsonPath) -> Shape:
        self.lose(at, "type", "accepts_more", "it may be any value; names in its objects may be written twice")
        return Anything()

    def _listed(self, flat: Mapping[str, Any], at: JsonPath) -> Shape:
        values = flat.get("enum", [flat.get("const")])
        if "const" in flat:
            values = [value for value in values if kind_of(value) == kind_of(flat["const"]) and value == flat["const"]]
        rules = {key: value for key, value in flat.items() if key in _SAID}
        try:
            kept: dict[str, Any] = {
                key: self._document[key] for key in ("$schema", "$defs", "definitions") if key in self._document
            }
            check = Schema({**kept, **rules})
        except SchemaError:
            self.lose(at, "enum", "accepts_more", "the rules beside it are not checked")
        else:
            values = [value for value in values if check.accepts(value)]
        return Values(tuple(map(_text, values))) if values else NEVER

    def _of_kind(self, kind: str, flat: Mapping[str, Any], at: JsonPath) -> Shape:
        if kind == "boolean":
            return BOOLEAN
        if kind == "null":
            return NULL
        if kind == "string":
            return self._string(flat, at)
        if kind in ("integer", "number"):
            return self._number(kind, flat, at)
        return self._list(flat, at) if kind == "array" else self._object(flat, at)

    def _number(self, kind: str, flat: Mapping[str, Any], at: JsonPath) -> Shape:
        shape = Number(kind == "integer", _bound(flat, "minimum", max), _bound(flat, "maximum", min))
        if numbers.written(shape) != NOTHING:
            return shape
        for key, bound, sign in (("minimum", shape.least, 1), ("maximum", shape.most, -1)):
            if bound is not None and sign * bound[0] >= 10**numbers.DIGITS:
                self.lose(at, key, "accepts_less", f"no number of more than {numbers.DIGITS} digits is written")
        return NEVER

    def _counted(self, flat: Mapping[str, Any], at: JsonPath, low: str, high: str) -> tuple[int, int | None]:
        """Return the lower and the upper bound of a count, as far as a grammar can count."""
        least, most = int(flat.get(low, 0)), flat.get(high)
        if least > LONGEST:
            self.lose(at, low, "accepts_more", f"a grammar counts to {LONGEST}")
            least = LONGEST
        if most is not None and most > LONGEST:
            self.lose(at, high, "accepts_more", f"a grammar counts to {LONGEST}")
            most = None
        return least, None if most is None else int(most)

    def _string(self, flat: Mapping[str, Any], at: JsonPath) -> Shape:
        least, most = self._counted(flat, at, "minLength", "maxLength")
        if most is not None and least > most:
            return NEVER
        pattern, named = flat.get("pattern"), flat.get("format")
        if named is not None and (named not in _FORMATS or pattern is not None):
            self.lose(at, "format", "accepts_more", "no grammar says this format, or there is a pattern beside it")
            named = None
        written = _FORMATS[named] if named is not None else pattern
        if written is None:
            return Str(least, most)
        if named in ("time", "date-time"):
            self.lose(at, "format", "accepts_less", "with a capital T and Z, no second 60, and so many digits of a second")
        try:
            low, high = regexes.lengths(regexes.read(written))
        except regexes.Unsupported as error:
            self.lose(at, "pattern", "accepts_more", str(error))
            return Str(least, most)
        for key, broken in (
            ("minLength", low < least),
            ("maxLength", "maxLength" in flat and (high is None or high > flat["maxLength"])),
        ):
            if broken:
                self.lose(at, key, "accepts_more", "there is a pattern beside it")
        return Str(0, None, written, named)

    def _list(self, flat: Mapping[str, Any], at: JsonPath) -> Shape:
        least, most = self._counted(flat, at, "minItems", "maxItems")
        items, leading = flat.get("items", True), flat.get("prefixItems", ())
        if isinstance(items, list):
            items, leading = flat.get("additionalItems", True), items
        if flat.get("unevaluatedItems") is False and "items" not in flat:
            items = False
        first = tuple(self._read(part, (*at, "prefixItems", number)) for number, part in enumerate(leading))
        if items is False:
            item: Shape = NEVER
        elif most is not None and most <= len(first):
            item = NEVER
        else:
            item = self._read(items, (*at, "items"))
        return items_of(first, item, least, most)

    def _object(self, flat: Mapping[str, Any], at: JsonPath) -> Shape:
        members, required = flat.get("properties", {}), flat.get("required", ())
        more = flat.get("additionalProperties", True)
        least, most = flat.get("minProperties", 0), flat.get("maxProperties")
        if not members and not required:
            if more is False or most == 0 or flat.get("unevaluatedProperties") is False:
                if flat.get("patternProperties"):
                    self.lose(at, "patternProperties", "accepts_less", "only the listed members are written")
                return NEVER if least else Members(())
            self.lose(at, "additionalProperties", "accepts_more", "names may be written twice")
            return map_of(
                self._read(more, (*at, "additionalProperties")), *self._counted(flat, at, "minProperties", "maxProperties")
            )
        if more is not False and flat.get("unevaluatedProperties") is not False:
            self.lose(at, "additionalProperties", "accepts_less", "only the listed members are written")
        if flat.get("patternProperties") and more is False:
            self.lose(at, "patternProperties", "accepts_less", "only the listed members are written")
        shapes = {name: self._read(part, (*at, "properties", name)) for name, part in members.items()}
        for name in required:
            if name not in shapes:
                rule = "additionalProperties" if "additionalProperties" in flat else "unevaluatedProperties"
                shapes[name] = self._read(flat.get(rule, True), (*at, rule))
        if least > len(required):
            self.lose(at, "minProperties", "accepts_more", "no grammar counts members that may be left out")
        if most is not None and most < len(shapes):
            self.lose(at, "maxProperties", "accepts_more", "no grammar counts members that may be left out")
        return members_of(Member(name, shape, name in required) for name, shape in shapes.items())


_SEEING: Final = frozenset({"anyOf", "oneOf", "if", "not", "dependentSchemas", "patternProperties", "contains"})
"""Keywords that may evaluate a member or an item without being a rule for it alone."""


def _closed(parts: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a schema, changed so that a part's rule for unlisted members also applies to members that other parts
    list.
    """
    names = dict.fromkeys(name for part in parts for name in part.get("properties", ()))
    for part in parts:
        more, own = part.get("additionalProperties", True), part.get("properties", {})
        if more is True or "patternProperties" in part or not names.keys() - own.keys():
            yield part
        else:
            yield {**part, "properties": {**own, **{name: more for name in names if name not in own}}}


def _wider(kinds: list[str]) -> tuple[str, ...]:
    """Return these types, and the types whose rules also apply to values of these types."""
    return ("number",) if "integer" in kinds else ()


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _bound(flat: Mapping[str, Any], key: str, tighter: Any) -> tuple[Decimal, bool] | None:
    """Return a bound of a number, and whether the bound itself is allowed; None without a bound."""
    apart = f"exclusive{key.capitalize()}"
    found = [(Decimal(repr(flat[key])), flat.get(apart) is not True)] if key in flat else []  # so in the first drafts
    if apart in flat and not isinstance(flat[apart], bool):
        found.append((Decimal(repr(flat[apart])), False))
    if not found:
        return None
    value = tighter(value for value, _ in found)
    return value, all(allowed for other, allowed in found if other == value)


_KIND: Final[Mapping[type, frozenset[str]]] = {
    Str: frozenset({"string"}),
    Number: frozenset({"number"}),
    Items: frozenset({"array"}),
    Members: frozenset({"object"}),
    Map: frozenset({"object"}),
}


def kinds_of(shape: Shape, named: Shapes = MappingProxyType({})) -> frozenset[str]:
    """Return the JSON types of a shape's values; all types for a name that is unknown."""
    if isinstance(shape, Values):
        return frozenset(
            "number" if kind == "integer" else kind for kind in (kind_of(json.loads(text)) for text in shape.texts)
        )
    if isinstance(shape, OneOf):
        return frozenset().union(*(kinds_of(part, named) for part in shape.shapes))
    if isinstance(shape, Named) and shape.name in named:
        return kinds_of(named[shape.name], {name: other for name, other in named.items() if name != shape.name})
    return _KIND.get(type(shape), frozenset(_KINDS))


def _is_large(shape: Shape) -> bool:
    """Return whether a shape has too many parts to be written out at each of its places."""
    left, count = [shape], 0
    while left and count <= _LARGEST:
        left += parts_of(left.pop())
        count += 1
    return count > _LARGEST


def _apart(one: Shape, other: Shape) -> bool:
    """Return whether it is certain that no value has both shapes."""
    if kinds_of(one).isdisjoint(kinds_of(other)):
        return True
    if isinstance(one, Values) and isinstance(other, Values):
        return set(one.texts).isdisjoint(other.texts)
    if isinstance(one, Members) and isinstance(other, Members):
        # a value of one shape has all its required members, and no unlisted ones
        theirs = {member.key: member for member in other.members}
        for member in one.members:
            there = theirs.get(member.key)
            if there is not None and member.required and there.required and _apart(member.shape, there.shape):
                return True
    return False
