"""The records of changes (`AutoFix`): what stood in a place, and what stands there now."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ..schema.fields import split
from ..values.fix import AutoFix
from ..values.issues import value_at
from .catalogue import CATALOGUE
from .reading import LITERALS, Edit, number
from .writing import encode

_MARKS: Final = "\"'`“”„"
_NOTHING: Final = object()


def record(fix: str, path: str, before: Any, after: Any) -> AutoFix:
    """Return the record of a change, with what the catalogue says of its fix."""
    row = CATALOGUE[fix]
    return AutoFix(fix, row.type, row.what, path, before, after, row.confidence, row.safety)


def written(edit: Edit, before: str, texts: Mapping[tuple[int, int], str]) -> str | None:
    """Return the characters that one edit has in the fixed JSON; None if the record should show the field's value instead."""
    syntax = CATALOGUE[edit.fix].syntax
    if syntax.writes is not None:
        return syntax.writes
    if syntax.puts == "value":
        return json.dumps(LITERALS[before] if before in LITERALS else number(before))
    says = texts.get((edit.start, edit.end))
    if says is not None and syntax.puts != "word":
        return encode(says)[1:-1]
    word = before.strip().strip(_MARKS)
    if edit.fix == "quote_marks" and not word:
        return '"'
    return encode(word) if syntax.puts in ("word", "quotes") else None


def once(fixes: list[AutoFix]) -> list[AutoFix]:
    """Return the fixes, with one record for each kind of change to a field."""
    return list({(fix.rule, fix.path): fix for fix in reversed(fixes)}.values())[::-1]


def with_value(fix: AutoFix, value: dict[str, Any]) -> AutoFix:
    """Return the record with the value that the field has now; for the whole block, with the call."""
    if fix.full_after is not None or fix.rule == "extra_field":
        return fix
    now = value_at(value, split(fix.path), missing=_NOTHING)
    if now is _NOTHING or fix.rule not in CATALOGUE:
        return fix
    return record(fix.rule, fix.path, fix.full_before, now)
