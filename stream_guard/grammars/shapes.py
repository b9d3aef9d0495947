"""The shapes of values: the part of a JSON Schema that a grammar can express."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True)
class Str:
    """A string."""

    least: int = 0
    most: int | None = None
    pattern: str | None = None
    """A pattern that `regexes.py` reads."""

    format: str | None = None
    """The format of the string, if `pattern` was made for one."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number. A bound is a number, and whether that number itself is allowed."""

    whole: bool
    least: tuple[Decimal, bool] | None = None
    most: tuple[Decimal, bool] | None = None


@dataclass(frozen=True, slots=True)
class Values:
    """One of some listed values, each as JSON text, so that 1 and true are different values."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """An array: the shapes of its first items, if these have their own, and the shape of the others."""

    leading: tuple[Shape, ...]
    item: Shape
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object."""

    key: str
    shape: Shape
    required: bool


@dataclass(frozen=True, slots=True)
class Members:
    """An object with these members, in this order, and no others."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """An object with members of any name."""

    value: Shape
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of one of several shapes; without shapes, no value at all. Made by `one_of`."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A shape that has a name, because it contains itself or is large."""

    name: str


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value."""


Shape = Str | Number | Values | Items | Members | Map | OneOf | Named | Anything

Shapes = Mapping[str, Shape]
"""The shapes that have names."""

NEVER: Final = OneOf(())
"""The shape that no value has."""

BOOLEAN: Final = Values(("true", "false"))
NULL: Final = Values(("null",))


def one_of(*shapes: Shape) -> Shape:
    """Return a shape for values of any of these shapes, without repetitions. Listed values are joined, and texts that others
    include are left out.
    """
    flat = [part for shape in shapes for part in (shape.shapes if isinstance(shape, OneOf) else (shape,))]
    if any(isinstance(part, Anything) for part in flat):
        return Anything()
    if Str() in flat:
        flat = [part for part in flat if not isinstance(part, Str) or part == Str()]
    free = Str() in flat
    listed = dict.fromkeys(
        text for part in flat if isinstance(part, Values) for text in part.texts if not (free and text.startswith('"'))
    )
    kept: list[Shape] = []
    for part in dict.fromkeys(flat):
        if not isinstance(part, Values):
            kept.append(part)
        elif listed:
            kept.append(Values(tuple(listed)))
            listed = {}
    return kept[0] if len(kept) == 1 else OneOf(tuple(kept))


def items_of(leading: tuple[Shape, ...], item: Shape, least: int = 0, most: int | None = None) -> Shape:
    """Return the shape of an array; `NEVER` if an item that it must have has no possible value."""
    wanted = (*leading, item)[:least] if least <= len(leading) else (*leading, item)
    return NEVER if NEVER in wanted else Items(leading, item, least, most)


def members_of(these: Iterable[Member]) -> Shape:
    """Return the shape of an object without the members that have no possible value; `NEVER` if one of these is required."""
    kept = tuple(these)
    if any(member.required and member.shape == NEVER for member in kept):
        return NEVER
    return Members(tuple(member for member in kept if member.shape != NEVER))


def map_of(value: Shape, least: int = 0, most: int | None = None) -> Shape:
    """Return the shape of an object with members of any name; `NEVER` if it must have one and no value is possible for it."""
    return NEVER if least and value == NEVER else Map(value, least, most)


def without_endless(shape: Shape, named: dict[str, Shape]) -> Shape:
    """Return a shape without the shapes whose every value contains the shape again, so that no text of the value ends. They are
    removed from `named` too.
    """
    ends: set[str] = set()
    while more := {name for name in named.keys() - ends if _without(named[name], named.keys() - ends) != NEVER}:
        ends |= more
    endless = named.keys() - ends
    for name in named:
        named[name] = _without(named[name], endless)
    return _without(shape, endless)


def _without(shape: Shape, names: AbstractSet[str]) -> Shape:
    """Return a shape without the named shapes in `names`."""
    if isinstance(shape, Named):
        return NEVER if shape.name in names else shape
    if isinstance(shape, OneOf):
        return one_of(*(_without(part, names) for part in shape.shapes))
    if isinstance(shape, Items):
        return items_of(
            tuple(_without(part, names) for part in shape.leading), _without(shape.item, names), shape.least, shape.most
        )
    if isinstance(shape, Members):
        return members_of(replace(member, shape=_without(member.shape, names)) for member in shape.members)
    if isinstance(shape, Map):
        return map_of(_without(shape.value, names), shape.least, shape.most)
    return shape


def parts_of(shape: Shape) -> Iterator[Shape]:
    """Yield the shapes directly inside a shape."""
    if isinstance(shape, Items):
        yield from (*shape.leading, shape.item)
    elif isinstance(shape, Members):
        yield from (member.shape for member in shape.members)
    elif isinstance(shape, Map):
        yield shape.value
    elif isinstance(shape, OneOf):
        yield from shape.shapes
