"""Texts in which the indent of the markup around them may stand."""

from __future__ import annotations

import pytest

from stream_guard.dialects.call import RawCall, Value
from stream_guard.dialects.margins import in_markup


@pytest.mark.parametrize(
    ("raw", "text", "doubtful"),
    [
        ("<f>\n<a>x\ny</a>\n</f>", "x\ny", False),  # nothing is indented
        ("<f>\n  <a>x</a>\n</f>", "x", False),  # of one line
        ("<f>\n  <a>\n    x\n    y</a>\n</f>", "\n    x\n    y", True),  # a marker is indented, and so is each line
        ("<f>\n  <a>x\ny</a>\n</f>", "x\ny", False),  # a line of it stands at the left edge
        ("<f>\n<a>x\n  </a>\n</f>", "x\n  ", True),  # its closer stands behind an indent
    ],
)
def test_a_text_is_in_doubt_where_the_indent_may_be_that_of_the_markup(raw: str, text: str, doubtful: bool) -> None:
    (call,) = in_markup([RawCall("f", (("a", Value(text, "untyped")),))], raw)
    assert isinstance(call.arguments, tuple)
    assert call.arguments[0][1].doubt == ("margin" if doubtful else None)


def test_json_has_no_such_doubt() -> None:
    call = RawCall("f", Value('{"a": "x\\n  y"}', "json"))
    assert [*in_markup([call], '  f {"a": "x\\n  y"}')] == [call]
