"""One JSON text inside a body."""

from __future__ import annotations

import pytest

from stream_guard.dialects.json_part import LOOKAHEAD, JsonPart
from stream_guard.dialects.marks import marks


def part() -> JsonPart:
    return JsonPart(marks(("<t>", "</t>")), openers=("<t>",), path_field="path", named=True)


def read(text: str, size: int) -> JsonPart:
    json = part()
    for at in range(0, len(text), size):
        stop = json.read(text[at : at + size], 0)
        if json.complete or json.ended is not None:
            break
        assert stop == len(text[at : at + size])
    else:
        json.finish()
    return json


@pytest.mark.parametrize("size", [1, 3, 50, 10**6])
@pytest.mark.parametrize(
    ("text", "ended", "certain"),
    [
        ('{"a": 1}</t>', None, False),
        ('{"a": x}\n</t>', (9, 13), True),
        ('{"a": x}' + " " * 60 + "</t>", (68, 72), True),
        ('{"a": x}' + " " * 70 + "</t>", (78, 82), False),
        ('{"a": x</t>', (7, 11), False),
        ('{"a": x </t> y}</t>', (15, 19), True),
        ('{"a": x </t> <t> y}</t>', (8, 12), False),
        ('{"a": "x}</t> y', (9, 13), False),
        ('{"a": "x}</t> y" z}</t>', (9, 13), False),
        ("{x" + " " * (LOOKAHEAD - 7) + "\n</t>", (LOOKAHEAD - 4, LOOKAHEAD), True),
        ("{x </t>" + " " * LOOKAHEAD + "}</t>", (3, 7), False),
        ("{x" + "y" * LOOKAHEAD + "</t>", (1, 1), False),
    ],
)
def test_broken_json_ends_at_the_same_place_however_it_is_cut(
    text: str, ended: tuple[int, int] | None, certain: bool, size: int
) -> None:
    found = read(text, size)
    assert (found.ended, found.certain) == (ended, certain)
    assert found.complete is (ended is None)
    assert found.text() == (text[: ended[0]] if ended is not None else text[: found.whole])
