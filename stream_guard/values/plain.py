"""Values of this library as plain data, with the keys of the wire: `plain` spells a field name `tool_name` as `toolName`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from enum import IntEnum
from typing import Any


def plain(value: Any) -> Any:
    """Return a value of this library as plain data with the wire's keys."""
    if is_dataclass(value) and not isinstance(value, type):
        out: dict[str, Any] = {}
        for field in sent(type(value)):
            item = getattr(value, field.name)
            if item is not None:
                # What a model wrote keeps its keys; only names of fields are respelt.
                raw = field.name in ("arguments", "expected", "got", "before", "after", "example_input", "payload")
                out[camel(field.name)] = item if raw else plain(item)
        return out
    if isinstance(value, IntEnum):
        return value.name
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def sent(kind: type[Any]) -> tuple[Field[Any], ...]:
    """Return the fields of a class that go on the wire: those whose names do not begin with an underscore."""
    return tuple(field for field in fields(kind) if not field.name.startswith("_"))


def camel(name: str) -> str:
    """Return the wire's key for a field name."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def snake(data: Mapping[str, Any], kind: type[Any]) -> dict[str, Any]:
    """Return the fields of a class from the wire's data. Other keys of the data are left out."""
    known = {camel(field.name): field.name for field in sent(kind)}
    return {known[key]: value for key, value in data.items() if key in known}
