"""Members whose name is nearly that of a field that their object lacks."""

from __future__ import annotations

import pytest

from stream_guard.fixes.near_names import near_members
from stream_guard.schema.schema import Schema

TEXT = {"type": "string"}
INNER = {"type": "object", "properties": {"role": TEXT}}
FIELDS = Schema(
    {"type": "object", "properties": {"via": TEXT, "all": TEXT, "x1": TEXT, "author": INNER, "rows": {"items": INNER}}}
).fields


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"vai": "a", "al": "b"}, [("vai",), ("al",)]),
        ({"vai": "a", "via": "b"}, []),
        ({"x2": "a", "y": "b", "colour": "c"}, []),
        ({"functions.via": "a"}, [("functions.via",)]),
        ({"author": {"rloe": "a"}, "rows": [{"role": "b"}, {"roles": "c"}]}, [("author", "rloe"), ("rows", 1, "roles")]),
    ],
)
def test_a_name_is_compared_with_the_fields_that_its_object_lacks(value: object, paths: list[tuple[str | int, ...]]) -> None:
    assert [one.path for one in near_members(value, FIELDS)] == paths
