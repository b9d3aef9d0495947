"""`quick`: makes the frozen values that every block or delta needs, in a fifth of the time that their class takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, Final, ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Kind = TypeVar("Kind")

_METHODS: Final = ("__init__", "__setattr__", "__delattr__")
"""What a frozen class has of its own, and with which its values are slow to make."""

_OPEN: Final[dict[str, Any]] = {"__slots__": (), **{name: getattr(object, name) for name in _METHODS}}


def quick(kind: Callable[Given, Kind]) -> Callable[Given, Kind]:
    """Return a function that makes the same values as a frozen dataclass with slots and without default factories.

    The class sets each field by a call, 0.17 us each, since its values are frozen. Here a value of a subclass that is not
    frozen gets its fields, and then becomes one of the class. It is a subclass, and not a class with the same slots, because
    Python would compare all slots of such a class each time.
    """
    known = fields(cast("Any", kind))
    names = [field.name for field in known]
    body = [f"made.{name} = {name}" for name in names]
    lines = [f"def make({', '.join(names)}):", "made = open_kind()", *body, "made.__class__ = kind", "return made"]
    made: dict[str, Any] = {"kind": kind, "open_kind": type("open_kind", (cast("type", kind),), _OPEN)}
    exec("\n ".join(lines), made)  # noqa: S102  # the names are those of fields, as in dataclasses
    make = made["make"]
    make.__defaults__ = tuple(field.default for field in known if field.default is not MISSING)
    return cast("Callable[Given, Kind]", make)
