"""Describes the fields of a tool for prompts: an outline with a row for each field, and for each form that a value may have.

    - pet (object, required): The animal
      in exactly one of these forms:
      - Cat, "kind" is "cat"
        - kind (string, required, one of: "cat")
        - lives (integer, optional)
      - Dog, ...

Rule 1: a value without a field that a row calls required is refused, and one without an optional field is not. If it depends on
the form whether a field is required, the row says so, and the rows of the forms say in which.
Rule 2: every form has a row. A part that several fields share has its rows once, and later rows refer to them. So the outline
is no longer than the schema, even if the schema contains itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, NamedTuple

from ..schema.fields import Choice, Field
from ..schema.unions import Union, describe
from ..values.quoting import named, one_line
from .tool import Tool

Need = Literal["required", "optional", "required in some forms", ""]
"""Whether a field is required; empty if the row is not about a named field."""


class Row(NamedTuple):
    """One line of an outline."""

    depth: int
    """The indent of the row; 0 for the tool's own fields."""

    name: str
    """The name of a field or of a form, or a heading."""

    facts: tuple[str, ...] = ()
    """The type of the value, and its rules."""

    need: Need = ""
    """Whether the field is required."""

    description: str = ""
    """The description of the field."""

    heading: bool = False
    """Whether the row only introduces the rows below it."""

    @property
    def details(self) -> str:
        """The facts in parentheses, and the description."""
        facts = ", ".join(filter(None, self.facts))
        return (f" ({facts})" if facts else "") + (f": {self.description}" if self.description else "")

    def __str__(self) -> str:
        """Return the row as an item of a list, without its indent."""
        if self.heading:
            return f"{self.name}{self.details}:"
        told = (*self.facts[:1], self.need, *self.facts[1:]) if self.need else self.facts
        name = named(self.name) if self.need else self.name
        return f"- {name}{self._replace(facts=told).details}"


def outline(tool: Tool) -> Iterator[Row]:
    """Yield the rows of a tool's fields, in the order of its schema."""
    writer = _Outline(tool.compiled.document)
    yield from writer.inside(tool.fields, 0, "the call")


class _Outline:
    """Writes the outline of one schema, and remembers which fields already have rows."""

    def __init__(self, document: Any) -> None:
        self._document: Final = document
        self._told: Final[dict[Field, str]] = {}

    def inside(self, field: Field, depth: int, where: str, every: str = "") -> Iterator[Row]:
        """Yield the rows for a value: its members, and its forms.

        Args:
            field: The field of the value.
            depth: The indent of the rows.
            where: The name by which a later row refers to these rows.
            every: The name of the value that has the forms, if that is not the field of the row above.
        """
        self._told.setdefault(field, where)
        stated = field.stated
        for name, member in stated.members.items():
            yield from self._value(member, depth, name, _need(stated, name))
        for name in stated.required:
            if name not in stated.members:
                yield Row(depth, name, need="required")
        for number, item in enumerate(stated.leading, 1):
            yield from self._value(item, depth, f"item {number}", "")
        if stated.values is not None:
            yield from self._value(stated.values, depth, "any other name", "")
        for choice in stated.choices:
            yield from self._choice(choice, depth, where, every)
        for condition in stated.conditions:
            for case, then in (("if", condition.then), ("if not", condition.otherwise)):
                if then is not None:
                    label = f"{case} it fits {_json(condition.test)}"
                    yield Row(depth, label, tuple(self._as_in(then)), heading=True)
                    yield from self._below(then, depth + 1, label)

    def _value(self, field: Field, depth: int, name: str, need: Need) -> Iterator[Row]:
        facts = (*_facts(field), *self._as_in(field))
        yield Row(depth, name, facts, need, " ".join(field.description.split()) if field.description else "")
        yield from self._below(field, depth + 1, named(name) if need else name)

    def _choice(self, choice: Choice, depth: int, where: str, every: str) -> Iterator[Row]:
        if all(map(_is_plain, choice.forms)):
            return  # the facts of the field name its forms
        alone = _the_only(choice)
        if alone is not None:
            yield from (Row(depth, fact) for fact in self._as_in(alone))
            yield from self._below(alone, depth, where)
            return
        union = describe(self._document, choice.branches, choice.discriminator)
        exactly = "exactly " if choice.keyword == "oneOf" else ""
        yield Row(depth, f"{every}in {exactly}one of these forms", heading=True)
        for index, form in enumerate(choice.forms):
            label = _label(union, index)
            facts = [] if _is_object(form) else [fact for fact in _facts(form) if fact != label]
            yield Row(depth, label, (*facts, *self._as_in(form, label)))
            yield from self._below(form, depth + 1, label)

    def _below(self, field: Field, depth: int, where: str) -> Iterator[Row]:
        """Yield the rows below the row of a field, unless they were written elsewhere already."""
        inner, every = _inside(field)
        if not _is_plain(inner) and inner not in self._told:
            yield from self.inside(inner, depth, where, every)

    def _as_in(self, field: Field, label: str = "") -> Iterator[str]:
        """Yield a reference to the rows below a field, if they were written elsewhere already."""
        inner, every = _inside(field)
        told = None if _is_plain(inner) else self._told.get(inner)
        if told is not None:
            yield f"{every}{'as above' if told == label else f'as in {told}'}"


def _inside(field: Field) -> tuple[Field, str]:
    """Return the field whose members are below a row, and the name for it. For an array, that is the field of its items."""
    inner, every, passed = field, "", {field}
    while inner.stated.items is not None and inner.stated.items not in passed and not _is_plain(inner.stated.items):
        inner, every = inner.stated.items, "each item "
        passed.add(inner)
    return inner, every


def _need(stated: Field, name: str) -> Need:
    if name in stated.required:
        return "required"
    return "required in some forms" if _asks(_forms(stated), name, set()) else "optional"


def _forms(field: Field) -> Iterator[Field]:
    """Yield the forms of a field: its branches, and the results of its conditions."""
    for choice in field.stated.choices:
        yield from choice.forms
    for condition in field.stated.conditions:
        yield from (then for then in (condition.then, condition.otherwise) if then is not None)


def _asks(forms: Iterable[Field], name: str, passed: set[Field]) -> bool:
    """Return whether one of these forms, or a form inside one, requires this member. `passed` collects the forms that were
    looked at.
    """
    for form in forms:
        if form not in passed:
            passed.add(form)
            if name in form.required or _asks(_forms(form), name, passed):
                return True
    return False


def _is_plain(field: Field) -> bool:
    """Return whether one row (`Row.facts`) describes the field fully: it has no named members, and does not contain itself."""
    return _is_plain_in(field, (), set())


def _is_plain_in(field: Field, above: tuple[Field, ...], passed: set[Field]) -> bool:
    if field in passed:
        return field not in above
    passed.add(field)
    stated = field.stated
    if stated.members or stated.required or stated.conditions or stated.values or stated.leading:
        return False
    parts = [form for choice in stated.choices for form in choice.forms]
    parts += [stated.items] if stated.items is not None else []
    return all(_is_plain_in(part, (*above, field), passed) for part in parts)


def _is_object(form: Field) -> bool:
    return form.kinds in ((), ("object",)) and not form.allowed and not form.rules


def _the_only(choice: Choice) -> Field | None:
    """Return the only form that has members or items, if all others are of other types (`Box | None`); else None."""
    inside = [form for form in choice.forms if not _is_plain(form)]
    others = [form for form in choice.forms if _is_plain(form)]
    if len(inside) != 1 or not all(form.kinds and not {*form.kinds} & {*inside[0].kinds} for form in others):
        return None
    return inside[0] if inside[0].kinds and _only_kinds(others) else None


def _only_kinds(forms: list[Field]) -> bool:
    return all(_facts(form) == [" or ".join(form.kinds)] for form in forms)


def _label(union: Union, index: int) -> str:
    """Return the name of a branch of a union, with the value by which the branch is chosen."""
    values = [value for (_, value), branch in (union.branches or {}).items() if branch == index]
    chosen = f', "{one_line(union.key)}" is {" or ".join(map(_json, values))}' if union.key is not None and values else ""
    return f"{one_line(union.forms[index])}{chosen}"


def _facts(field: Field, room: Iterator[int] | None = None) -> list[str]:
    """Return the type of a field, then its rules."""
    stated = field.stated
    facts = [_kind(field, iter(range(_MOST_FORMS)) if room is None else room)]
    if stated.allowed:
        facts.append(f"{_ONE_OF}{', '.join(map(_json, stated.allowed))}")
    if stated.format:
        facts.append(f"format {stated.format}")
    facts += [f"{rule} {_json(limit)}" for rule, limit in stated.rules.items()]
    return facts


_MOST_FORMS: Final = 200
"""Limit: the most fields that one row describes, since unions may share branches. Of further fields only the
types are listed."""


def _kind(field: Field, room: Iterator[int]) -> str:
    stated = field.stated
    if next(room, None) is None:
        return " or ".join(stated.kinds)
    kinds = " or ".join(_of(kind, stated, room) for kind in stated.kinds)
    told: list[str] = []
    for choice in stated.choices:
        if all(map(_is_plain, choice.forms)):
            told.append(" or ".join(dict.fromkeys(_grouped(_facts(form, room)) for form in choice.forms)))
        elif not kinds:
            told.append(" or ".join(dict.fromkeys(_of(kind, form, room) for form in choice.forms for kind in form.kinds)))
    return " and ".join(part for part in (kinds, *told) if part)


def _of(kind: str, field: Field, room: Iterator[int]) -> str:
    items = field.stated.items
    if kind != "array" or items is None:
        return kind
    facts = [fact for fact in (_facts(items, room) if _is_plain(items) else [" or ".join(items.kinds)]) if fact]
    if len(facts) == 1 and " " not in facts[0]:
        return f"array of {facts[0]}s"
    return f"array of ({', '.join(facts)})" if facts else "array"


def _grouped(facts: list[str]) -> str:
    """Return the facts of one form as a part of a list of forms."""
    told = [fact for fact in facts if fact]
    simple = len(told) == 1 and not told[0].startswith(_ONE_OF)
    return told[0] if simple else f"({', '.join(told)})" if told else "anything"


_ONE_OF: Final = "one of: "


def _json(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False))
