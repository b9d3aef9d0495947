"""Any schema of a tool, as hypothesis draws it."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

SIMPLE: list[dict[str, Any]] = [
    *(
        {},
        {"type": "string"},
        {"type": "integer", "minimum": 2},
        {"enum": ["a", 1, None, True]},
        {"const": 0},
        {"type": "null"},
    ),
    *(
        {"pattern": "^a"},
        {"type": "string", "format": "date"},
        {"type": "boolean"},
        {"maxLength": 2},
        {"not": {"type": "string"}},
    ),
]


def an_object(members: dict[str, Any], closed: bool) -> dict[str, Any]:
    required = sorted(members)[:2]
    return {"type": "object", "properties": members, "required": required, "additionalProperties": not closed}


SCHEMAS = st.recursive(
    st.sampled_from(SIMPLE),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items, "minItems": 1}, inner),
        st.builds(an_object, st.dictionaries(st.sampled_from(["a", "b", "c", "kind"]), inner, max_size=3), st.booleans()),
        st.dictionaries(st.sampled_from(["anyOf", "oneOf", "allOf"]), st.lists(inner, min_size=1, max_size=3), min_size=1),
    ),
    max_leaves=8,
)
"""Schemas of every shape that a tool's may have."""
