"""Values of this library as plain data, with the keys of the wire: `plain` spells a field name `tool_name` as `toolName`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from enum import IntEnum
from functools import cache
from typing import Any, Final

_AS_WRITTEN: Final = frozenset({"arguments", "expected", "got", "before", "after", "example_input", "payload"})
"""The fields whose values keep their keys: a model wrote them. Only names of fields are respelt."""

_ATOMS: Final = frozenset({str, int, float, bool})
"""The types of most values, which have nothing to spell."""


def plain(value: Any) -> Any:
    """Return a value of this library as plain data with the wire's keys."""
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    kind = type(value)
    if is_dataclass(kind):
        out: dict[str, Any] = {}
        for name, key in _keys(kind).items():
            item = getattr(value, name)
            if item is not None:
                out[key] = item if type(item) in _ATOMS or name in _AS_WRITTEN else plain(item)
        return out
    return value.name if isinstance(value, IntEnum) else value


@cache
def _keys(kind: Any) -> dict[str, str]:
    """Return the wire's key of each field of a class that goes on the wire, by the field's name."""
    return {field.name: camel(field.name) for field in sent(kind)}


@cache
def _names(kind: Any) -> dict[str, str]:
    """Return the names of these fields by their keys."""
    return {key: name for name, key in _keys(kind).items()}


def sent(kind: type[Any]) -> tuple[Field[Any], ...]:
    """Return the fields of a class that go on the wire: those whose names do not begin with an underscore."""
    return tuple(field for field in fields(kind) if not field.name.startswith("_"))


def camel(name: str) -> str:
    """Return the wire's key for a field name."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def snake(data: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    """Return the fields of a class from the wire's data. Other keys of the data are left out."""
    known = _names(kind)
    return {known[key]: value for key, value in data.items() if key in known}
