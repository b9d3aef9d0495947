"""Texts that look as a name did before it was mended."""

from __future__ import annotations

import pytest

from stream_guard.fixes.worn import may_share_damage


@pytest.mark.parametrize(
    ("written", "text", "worn", "worn_if_it_takes_away"),
    [
        (" drop_table", "users ", True, True),
        (" drop_table", "users", False, False),
        ("drop__table", "a__b", True, True),
        ("drop__table", "a--b", False, False),
        ("drop table", "order items", True, True),
        ("drop table", "Drop it, please.", False, True),
        ("drop-table", "order-items", False, True),
        ("DROP_TABLE", "ORDERS", True, True),
        ("DROP_TABLE", "EU", False, True),
        ("DROP_TABLE", "Orders", False, False),
        ("dropTable", "orderItems", False, False),
    ],
)
def test_a_text_wears_the_damage_of_a_name(written: str, text: str, worn: bool, worn_if_it_takes_away: bool) -> None:
    names = [(written, "drop_table")]
    assert may_share_damage(names, [text], [written, text], takes_away=False) is worn
    assert may_share_damage(names, [text], [written, text], takes_away=True) is worn_if_it_takes_away


def test_a_sign_that_came_through_shows_that_none_was_replaced() -> None:
    names = [("drop table", "drop_table")]
    assert may_share_damage(names, ["order items"], ["order items", "table"], takes_away=True)
    assert not may_share_damage(names, ["order items"], ["order items", "table_name"], takes_away=True)
