"""Frozen values that are made at once."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, fields, replace
from typing import Any

import pytest

from stream_guard import Preview, ToolBlock, ToolStatus
from stream_guard.values.block import Block
from stream_guard.values.quick import quick

GIVEN: dict[type[Any], dict[str, Any]] = {
    ToolStatus: {"id": "a-1", "seq": 1, "status": "buffering", "path": "a"},
    ToolBlock: {
        "id": "a-1",
        "seq": 2,
        "tool": "write_file",
        "path": None,
        "arguments": None,
        "content": "",
        "raw": "x",
        "validation_passed": True,
        "confidence": 0.5,
    },
    Preview: {"op": "text", "pointer": "/content", "value": "b"},
    Block: {"raw": "{}", "body": "{}", "end_cause": "closed", "ambiguous": False, "canonical": True, "indent": 2},
}


@pytest.mark.parametrize("kind", GIVEN, ids=lambda kind: kind.__name__)
def test_a_value_that_is_made_quickly_is_the_one_that_its_class_makes(kind: type[Any]) -> None:
    made, value = quick(kind)(**GIVEN[kind]), kind(**GIVEN[kind])
    assert type(made) is kind
    assert made == value == copy.copy(made) == pickle.loads(pickle.dumps(made))
    assert hash(made) == hash(value)
    assert repr(made) == repr(value)
    assert asdict(made) == asdict(value)
    last = fields(kind)[-1].name  # which is not given
    assert replace(made, **{last: "other"}) == replace(value, **{last: "other"}) != made
    with pytest.raises(FrozenInstanceError):
        setattr(made, last, 1)
    with pytest.raises((FrozenInstanceError, TypeError)):  # a frozen class with slots raises the latter in Python 3.11
        made.unknown = 1
    with pytest.raises(FrozenInstanceError):
        delattr(made, last)
