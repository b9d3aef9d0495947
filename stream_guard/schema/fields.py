"""Reads the fields of a schema, once, when a tool is made.

A `Field` is a node whose members are fields again. A schema that contains itself becomes a node that contains itself. So a
look-up works at any depth, and nothing is read twice.

Rule 1: references are followed inside the document only.
Rule 2: fields are used to describe a value (its description, its allowed values). Only the schema decides what is valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from ..values.issues import JsonPath
from ..values.late import late
from .spelling import Names, normal


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A union in a schema: one `anyOf` or `oneOf`."""

    keyword: str
    """The keyword of the union: `anyOf` or `oneOf`."""

    branches: Sequence[Any]
    """The schemas of the branches of the union."""

    discriminator: Any
    """OpenAPI's `discriminator` beside the union; None if there is none."""

    forms: tuple[Field, ...]
    """The field of each branch alone, without the rules outside the union."""


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """An `if` in a schema."""

    test: Any
    """The schema of the `if`."""

    then: Field | None
    """The schema for a value that fits the `if`."""

    otherwise: Field | None
    """The schema for any other value."""


@dataclass(slots=True, eq=False, repr=False)
class Field:
    """The facts that a schema states about one value. Not changed after it is read."""

    description: str | None = None
    """The description of the value; None if the schema has none."""

    kinds: tuple[str, ...] = ()
    """The allowed JSON types; empty for any."""

    allowed: tuple[Any, ...] = ()
    """The allowed values, if the schema lists them."""

    format: str | None = None
    """The format that a string must have."""

    rules: dict[str, Any] = field(default_factory=dict)
    """The other rules of the value, by JSON Schema keyword: `pattern`, `minimum` ..."""

    required: tuple[str, ...] = ()
    """The names of the members that the object must have."""

    members: dict[str, Field] = field(default_factory=dict)
    """The members by name, including those of every branch of a union. A member combines the schemas of all branches."""

    items: Field | None = None
    """The field of the items of an array; None if the schema describes none."""

    leading: tuple[Field, ...] = ()
    """The fields of the first items, if these have fields of their own (`prefixItems`)."""

    values: Field | None = None
    """The field of members whose names are not listed."""

    closed: bool = False
    """Whether only the listed members are allowed (`additionalProperties` is false)."""

    defaulted: bool = False
    """Whether the schema has a default that is not null."""

    without: bool = False
    """Whether the schema has the default null: then null means the same as a missing value."""

    choices: tuple[Choice, ...] = ()
    """The unions of the schema, including those of schemas that it includes."""

    conditions: tuple[Condition, ...] = ()
    """The conditions of the schema, including those of schemas that it includes."""

    apart: Field | None = None
    """The field without the unions and conditions of the schema; None if the schema has none of these."""

    def __repr__(self) -> str:
        """Return the field's types and the names of its members. The members are left out: they may contain the field."""
        return f"<Field {' or '.join(self.kinds) or 'any'}: {', '.join(self.members) or 'no members'}>"

    @property
    def stated(self) -> Field:
        """The field that holds for every value: one without the members of branches."""
        return self if self.apart is None else self.apart

    def least(self) -> Field:
        """Return the field of the smallest allowed value: for each union, the field of the first branch that is not null."""
        return self._least((), iter(range(_MOST)))

    def _least(self, above: tuple[Field, ...], room: Iterator[int]) -> Field:
        if not self.choices or self in above or next(room, None) is None:
            return self.stated
        made = Field()
        branches = (
            next((form for form in choice.forms if form.kinds != ("null",)), choice.forms[0]) for choice in self.choices
        )
        for part in (self.stated, *(branch._least((*above, self), room) for branch in branches)):  # noqa: SLF001  # a field too
            made.kinds = made.kinds or part.kinds
            made.allowed = part.allowed or made.allowed
            made.format = made.format or part.format
            made.items = made.items or part.items
            made.leading = made.leading or part.leading
            made.rules = {**part.rules, **made.rules}
            made.required += tuple(name for name in part.required if name not in made.required)
            for name, member in part.members.items():
                if name not in made.members or member.allowed:  # the value that tells the branches apart
                    made.members[name] = member
        return made

    def step(self, key: str | int) -> Field | None:
        """Return the member or item of this name."""
        if isinstance(key, str) and key in self.members:
            return self.members[key]
        if self.items is not None and (isinstance(key, int) or key.isdecimal()):
            return self.items
        return self.values if isinstance(key, str) else None

    def at(self, path: Iterable[str | int]) -> Field | None:
        """Return the field at the end of a path."""
        here: Field | None = self
        for key in path:
            if here is None:
                return None
            here = here.step(key)
        return here

    @property
    def each_item(self) -> tuple[Field, ...]:
        """The fields of the items of an array: of the first items, if these have their own, and of every other item."""
        return self.leading if self.items is None else (*self.leading, self.items)

    def one_inside(self, name: str) -> str | None:
        """Return the path of the only member with this name inside an inner object; None if none or several have the name."""
        found = [f"{outer}.{name}" for outer, about in self.members.items() if name in about.members]
        return found[0] if len(found) == 1 else None

    def keys(self, written: str) -> tuple[str, ...]:
        """Return the keys that lead to a field, without indexes: `widgets[0].title`, `widgets.0.title` and `widgets.title` are
        the title of every widget. Empty if there is no such field.
        """
        keys: list[str] = []
        here: list[Field] = [self]
        for step in split(written):
            named = [one.members[step] for one in _unpacked(here) if isinstance(step, str) and step in one.members]
            items = [item for one in here for item in one.each_item]
            if not named and items and (isinstance(step, int) or step.isdecimal()):
                here = items
                continue
            here = named or [inner for one in _unpacked(here) if (inner := one.step(step)) is not None]
            keys.append(str(step))
        return tuple(keys) if here else ()

    def listed(self, path: JsonPath) -> bool:
        """Return whether the object that holds the last step of this path lists a member of that name, in at least one of its
        forms.
        """
        holder = self.at(path[:-1])
        return holder is not None and path[-1] in holder.members

    def find(self, written: str, aliases: Mapping[str, str] | None = None) -> JsonPath | None:
        """Return the path that a spelling means: `$.searchReplace.oldString`, `/search_replace/old_string`, `file_path`.

        Steps that lead into the payload as a whole (`body`, `data`, `arguments` ...) may stand before it. A name alone may
        mean a field inside another field, if no other field has that name. If a member has exactly this name, it means that
        member, whatever signs are in it.
        """
        if written in self.members:
            return (written,)
        tokens = split(written)
        if len(tokens) == 1 and tokens[0] not in self.members:
            inside = [path for path in self.paths() if path[-1] == tokens[0]]
            if len(inside) == 1:
                return inside[0]
        for start in range(len(tokens)):
            if start and normal(str(tokens[start - 1])) not in _WHOLES:
                return None
            found = self._walk(tokens[start:], aliases or {})
            if found is not None:
                return found
        return None

    def paths(self) -> tuple[JsonPath, ...]:
        """Return the paths of all fields, at most `_MOST`, with 0 as the index of items. No path leads through the same field
        twice.
        """
        return tuple(islice(self._paths(), _MOST))

    def _paths(self, above: tuple[Field, ...] = ()) -> Iterator[JsonPath]:
        for name, member in self.members.items():
            yield (name,)
            inner, path = (member.items, (name, 0)) if member.items is not None else (member, (name,))
            if inner not in (*above, self):
                yield from ((*path, *further) for further in inner._paths((*above, self)))  # noqa: SLF001  # a field like this one

    def inside(self) -> Iterator[tuple[str, Field]]:
        """Yield the members of inner objects and of items, each under its name. Members of a field that occurs at several
        places are yielded once.
        """
        waiting: list[Field] = [self]
        seen = {id(self)}
        while waiting:
            here = waiting.pop()
            if here is not self:
                yield from here.members.items()
            for member in here.members.values():
                holder = member if member.items is None else member.items
                if id(holder) not in seen:
                    seen.add(id(holder))
                    waiting.append(holder)

    def _walk(self, tokens: JsonPath, aliases: Mapping[str, str]) -> JsonPath | None:
        here, path = self, []
        if tokens and tokens[0] not in self.members and tokens[0] in aliases:
            tokens = (*split(aliases[str(tokens[0])]), *tokens[1:])
        for token in tokens:
            key: str | int = token
            if isinstance(token, str) and token not in here.members:
                numbered = here.items is not None and token.isdecimal()
                key = int(token) if numbered else Names(here.members).near(token) or token
            step = here.step(key)
            if step is None:
                return None
            path.append(key)
            here = step
        return tuple(path)

    def required_paths(self) -> tuple[JsonPath, ...]:
        """Return the paths of the required members, and of those inside required members; at most `_MOST`."""
        return tuple(islice(self._needed(), _MOST))

    def _needed(self, above: tuple[Field, ...] = ()) -> Iterator[JsonPath]:
        for name in self.required:
            yield (name,)
            inner = self.members.get(name)
            if inner is not None and inner not in above:
                yield from ((name, *path) for path in inner._needed((*above, self)))  # noqa: SLF001  # a field like this one


def _unpacked(fields: Iterable[Field]) -> list[Field]:
    """Return the fields, followed by the fields of the items inside them, at any depth; at most `_MOST`."""
    found: dict[int, Field] = {}
    left = [*fields]
    while left:
        one = left.pop(0)
        if found.setdefault(id(one), one) is one and len(found) < _MOST:
            left += [item for item in one.each_item if id(item) not in found]
    return [*found.values()]


_MOST: Final = 1_000
"""The most paths of a schema that are read: a schema whose parts share parts has very many."""

_WHOLES: Final = frozenset({"", "$", "body", "data", "arguments", "args", "payload", "input", "root", "instance"})
_STEP: Final = late(r"\[(\d+|\.\.\.)\]|\[['\"](.+?)['\"]\]|([^.\[\]/]+)")


def split(written: str) -> JsonPath:
    """Return the steps of a path that is written dotted, as a JSON pointer, as `$.a[0]` or as `['a']`."""
    if written.startswith(("/", "#/")):
        return tuple(unescaped(step) for step in written.lstrip("#").split("/")[1:])
    steps: list[str | int] = []
    for found in _STEP.finditer(written):
        if found[1] is not None:
            steps.append(0 if found[1] == "..." else int(found[1]))
        else:
            steps.append(found[2] or found[3])
    return tuple(steps)


def unescaped(step: str) -> str:
    """Return the key of one step of a JSON pointer, without its escapes."""
    return step.replace("~1", "/").replace("~0", "~")


def resolve(document: Any, reference: Any) -> Any:
    """Return the schema that a reference points to; None if it points outside the document."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    from urllib.parse import unquote  # deferred: most schemas refer to nothing

    here = document
    for step in unquote(reference[1:]).split("/")[1:]:
        if isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, Mapping):
            here = here.get(unescaped(step))
        else:
            return None
    return here if reference in ("#", "") or "/" in reference else None


_HOPS: Final = 16
"""The most references that are followed in a row: they may form a circle."""


def followed(document: Any, schema: Any, *, alone: bool) -> Any:
    """Return the schema that `schema["$ref"]` leads to; None when the reference leads outside the document.

        A schema without `$ref` is returned as it is, and references in a row are followed one after the other.

    With `alone`, only a schema that consists of a reference is followed. Without, a schema that says more is followed too,
    unless it lists members of its own.
    """
    for _ in range(_HOPS):
        if not isinstance(schema, Mapping) or "$ref" not in schema:
            break
        if len(schema) > 1 and (alone or "properties" in schema):
            break
        schema = resolve(document, schema["$ref"])
    return schema


def read(document: Any) -> Field:
    """Return the fields of a schema."""
    return _Reader(document).field(document)


_RULES: Final = (
    "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
    "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "not", "contains", "minContains", "maxContains",
    "propertyNames", "patternProperties", "dependentRequired", "dependentSchemas",
)  # fmt: skip
_ALTERNATIVES: Final = ("anyOf", "oneOf")
_CONDITIONAL: Final = ("then", "else")


def _among(value: Any, values: Iterable[Any]) -> bool:
    """Return whether a value equals one of these values as JSON, where `true` is not 1."""
    return any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values)


_MOST_FIELDS: Final = 4_000
"""Limit: the most fields of a schema that are read, since branches that contain each other have very many. Past it, a member
that several branches of a union describe keeps only its first description."""


@dataclass(slots=True)
class _Parts:
    """The schemas that describe the members and items of a value, collected from all parts of its schema."""

    members: dict[str, list[Any]] = field(default_factory=dict)
    """The schemas of each member, by its name."""

    items: list[Any] = field(default_factory=list)
    """The schemas that describe the items."""


class _Reader:
    """Reads the fields of one document, each of its schemas once."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._known: dict[tuple[int, ...], Field] = {}

    def field(self, schema: Any) -> Field:
        schema = followed(self._document, schema, alone=True)  # what only refers to another is that other
        known = self._known.get((id(schema),))
        if known is None:
            known = self._known[id(schema),] = Field()  # before its members: it may be one of them
            parts = _Parts()
            self._add(known, schema, set(), parts, certain=True)
            self._join(known, parts)
            self._part(known, schema)
        return known

    def _either(self, schemas: Iterable[Any]) -> Field:
        """Return the field that combines several schemas, such as those of one member in the branches of a union."""
        described = (followed(self._document, schema, alone=True) for schema in schemas)
        several = list({id(schema): schema for schema in described}.values())
        if len(several) == 1 or len(self._known) >= _MOST_FIELDS:
            return self.field(several[0])
        key = tuple(map(id, several))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Field()
            parts = _Parts()
            for schema in several:
                self._add(known, schema, set(), parts, certain=False)
            self._join(known, parts)
            first, *others = map(self.field, several)
            known.required = tuple(name for name in first.required if all(name in one.required for one in others))
            known.closed = first.closed and all(one.closed for one in others)
        return known

    def _join(self, into: Field, parts: _Parts) -> None:
        """Set the members and the items of the field `into` from the collected schemas."""
        into.members = {name: self._either(schemas) for name, schemas in parts.members.items()}
        into.items = self._either(parts.items) if parts.items else None

    def _part(self, known: Field, schema: Any) -> None:
        """Set `apart` of a field with unions or conditions: the field without these."""
        included = list(self._included(schema, set()))
        keys = {key for part in included for key in part}
        if keys.isdisjoint((*_ALTERNATIVES, "if")):
            return
        apart, parts = Field(), _Parts()
        for part in included:
            self._own(apart, part, parts, certain=True)
            for key in _ALTERNATIVES:
                branches = part.get(key)
                if isinstance(branches, list) and branches:
                    forms = tuple(map(self.field, branches))
                    apart.choices += (Choice(key, branches, part.get("discriminator"), forms),)
            if "if" in part:
                then, otherwise = (self.field(part[key]) if key in part else None for key in _CONDITIONAL)
                apart.conditions += (Condition(part["if"], then, otherwise),)
        self._join(apart, parts)
        known.apart, known.choices, known.conditions = apart, apart.choices, apart.conditions

    def _included(self, schema: Any, seen: set[int]) -> Iterator[Mapping[str, Any]]:
        """Yield a schema, and those that it includes by `$ref` and `allOf`."""
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return
        seen.add(id(schema))
        yield schema
        included = schema.get("allOf")
        for part in (resolve(self._document, schema.get("$ref")), *(included if isinstance(included, list) else ())):
            yield from self._included(part, seen)

    def _add(self, into: Field, schema: Any, seen: set[int], parts: _Parts, *, certain: bool) -> None:
        """Add the rules of a schema to a field. A branch of a union adds no required members."""
        if not isinstance(schema, Mapping) or id(schema) in seen:
            return
        seen.add(id(schema))
        self._own(into, schema, parts, certain=certain)
        for key in ("$ref", "allOf"):
            part = schema.get(key)
            for branch in part if isinstance(part, list) else (resolve(self._document, part),):
                self._add(into, branch, seen, parts, certain=certain)
        for key in _ALTERNATIVES:
            part = schema.get(key)
            for branch in part if isinstance(part, list) else ():
                self._add(into, branch, seen, parts, certain=False)
        for key in _CONDITIONAL:
            self._add(into, schema.get(key), seen, parts, certain=False)

    def _own(self, into: Field, schema: Mapping[str, Any], parts: _Parts, *, certain: bool) -> None:
        if into.description is None and isinstance(schema.get("description"), str):
            into.description = schema["description"]
        values = [schema["const"]] if "const" in schema else schema.get("enum", ())
        into.allowed += tuple(value for value in values if not _among(value, into.allowed))
        kinds = schema.get("type", ())
        for kind in (kinds,) if isinstance(kinds, str) else kinds:
            if kind not in into.kinds:
                into.kinds += (kind,)
        into.format = into.format or schema.get("format")
        into.defaulted = into.defaulted or schema.get("default") is not None
        into.without = into.without or schema.get("default", into) is None
        for rule in _RULES:
            if rule in schema:
                into.rules.setdefault(rule, schema[rule])
        members = schema.get("properties")
        for name, member in members.items() if isinstance(members, Mapping) else ():
            parts.members.setdefault(name, []).append(member)
        if certain:
            required = schema.get("required", ())
            into.required += tuple(name for name in required if isinstance(name, str) and name not in into.required)
        if isinstance(schema.get("items"), Mapping):
            parts.items.append(schema["items"])
        if not into.leading and isinstance(schema.get("prefixItems"), list):
            into.leading = tuple(map(self.field, schema["prefixItems"]))
        if schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False:
            into.closed = True
        if into.values is None and isinstance(schema.get("additionalProperties"), Mapping):
            into.values = self.field(schema["additionalProperties"])
