"""Converts the result of a handler to plain data."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from ..schema.violations import first_values
from ..values.issues import ValidationIssue
from ..values.wording import HALF_A_PAIR, sentence


def plain_result(result: Any) -> tuple[Any, list[ValidationIssue]]:
    """Return a handler's result as plain data, and the issues of the parts that are not JSON, which are left out."""
    strange: list[str] = []

    def save(value: Any) -> Any:
        for known, to_plain in _PLAIN:
            if known(value):
                return to_plain(value)
        strange.append(type(value).__name__)
        return None

    try:
        text = json.dumps(result, default=save, ensure_ascii=False)
        sound = text.encode(errors="replace").decode()
        payload = json.loads(sound, parse_constant=strange.append)
    except (TypeError, ValueError, RecursionError):  # a key that is no text, a circle, or too deep a nesting
        return None, [_not_json(type(result).__name__)]
    if sound != text:
        strange.append(HALF_A_PAIR)
    return payload, [_not_json(*dict.fromkeys(strange))] if strange else []


def _not_json(*kinds: str) -> ValidationIssue:
    return ValidationIssue("type", sentence("type.result", kinds=", ".join(first_values(kinds))), constraint="type")


def _members(value: Any) -> dict[str, Any]:
    # Not `asdict`, which copies deeply: inner values are converted later.
    return {field.name: getattr(value, field.name) for field in fields(value)}


_PLAIN: Final[tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...]] = (
    (lambda value: hasattr(value, "model_dump"), lambda value: value.model_dump(mode="json")),
    (lambda value: is_dataclass(value) and not isinstance(value, type), _members),
    (lambda value: isinstance(value, set | frozenset), list),
    (lambda value: hasattr(value, "isoformat"), lambda value: value.isoformat()),
    (lambda value: isinstance(value, UUID | PurePath), str),
)
"""Tests for types that handlers return and that are not JSON, each with the function that converts such a value."""
